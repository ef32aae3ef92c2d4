// @ts-check
// Line charts as SVG: a frame with axes, and layers drawn into it. Colours come from style sheets.

import { tickLabel, valueText } from "../text/numbers.js";
import { binaryTicks, linearScale, logScale } from "./axes.js";
import { svgEl, widthOf } from "./dom.js";
import { addReadings, zoomOf } from "./pointing.js";

/** @import { Positions } from "../data/positions.js" */
/** @import { Range, Scale } from "./axes.js" */
/** @import { Reading } from "./pointing.js" */

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */
/** @typedef {{x: number, y: number, title?: string}} Dot */
/** @typedef {{x: number, lower: number, upper: number}} Ends of an interval */

/**
 * @typedef {object} Axis
 * @property {Range} domain
 * @property {boolean} log
 * @property {string} label
 * @property {boolean} [binary] ticks at powers of two, if the axis is logarithmic
 * @property {(value: number) => string} [format]
 * @property {number[]} [ticks] if others than round numbers
 * @property {boolean} [whole] ticks at whole numbers only
 */

/**
 * @typedef {object} Chart
 * @property {SVGSVGElement} root
 * @property {SVGGElement} plot what is cut at the axes
 * @property {SVGGElement} over what is not
 * @property {Scale} x
 * @property {Scale} y
 * @property {Box} box
 * @property {number} width
 * @property {Axis} xAxis
 * @property {Axis} yAxis
 * @property {boolean} curved whether lines have no corners
 * @property {Series[]} series what was drawn, for files
 */

/** @typedef {{x: Axis, y: Axis, label: string, height?: number, right?: number, curved?: boolean}} Spec label: for
 *   screen readers; right: extra margin; curved: whether lines have no corners */
/** @typedef {Pick<Chart, "plot" | "x" | "y" | "box" | "series" | "curved">} Plane what lines are drawn in */
/** @typedef {{at: number, text: string}} Tick `at`: pixels */
/** @typedef {{name: string, kind: string, xs: number[], ys: number[], lower?: number[]}} Series what was drawn, and what
 *   its rows in a file are called; of bands, intervals and bars from somewhere `lower` has the other ends */

const MARGIN = { top: 14, right: 16, bottom: 40, left: 58 };
const BESIDE_MARKS = 30; // the label of the axis, and what is left free beside it and the marks
const DIGIT = 7; // pixels
const HEIGHT = 320;
let charts = 0;
/** @type {WeakMap<Element, Chart>} */
const drawn = new WeakMap();

/** @param {Element} host @returns the chart in an element, if there is one */
export function chartIn(host) {
  return drawn.get(host);
}

/** @type {(host: HTMLElement, spec: Spec) => Chart} draws axes into `host` and returns what layers need */
export function frame(host, spec) {
  const width = Math.max(widthOf(host), 240);
  const height = spec.height ?? HEIGHT;
  const zoom = zoomOf(host);
  const xAxis = { ...spec.x, domain: zoom?.x ?? spec.x.domain };
  const yAxis = { ...spec.y, domain: zoom?.y ?? spec.y.domain };
  const [top, bottom] = [MARGIN.top, height - MARGIN.bottom];
  const y = (yAxis.log ? logScale : linearScale)(yAxis.domain, [bottom, top]);
  const marks = marksOf(yAxis, y, Math.max(2, Math.floor((bottom - top) / 44)));
  const longest = Math.max(0, ...marks.map(({ text }) => text.length));
  const right = width - MARGIN.right - (spec.right ?? 0);
  const box = { left: Math.max(MARGIN.left, BESIDE_MARKS + DIGIT * longest), right, top, bottom };
  const x = (xAxis.log ? logScale : linearScale)(xAxis.domain, [box.left, box.right]);
  const across = Math.max(2, Math.floor((right - MARGIN.left) / 64)); // the same in charts side by side
  charts += 1;
  const clip = `clip-${charts}`;
  const plot = svgEl("g", { "clip-path": `url(#${clip})` });
  const over = svgEl("g");
  const inside = svgEl("rect", {
    x: box.left - 5,
    y: box.top - 6,
    width: box.right - box.left + 10,
    height: box.bottom - box.top + 6,
  });
  const root = svgEl(
    "svg",
    {
      class: "chart",
      role: "img",
      tabindex: host.dataset.zoomable === undefined ? null : 0,
      "aria-label": spec.label,
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
    },
    svgEl("clipPath", { id: clip }, inside),
    axisX(xAxis.label, marksOf(xAxis, x, across), box),
    axisY(yAxis.label, marks, box),
    plot,
    over,
  );
  host.replaceChildren(root);
  /** @type {Chart} */
  const chart = {
    root,
    plot,
    over,
    x,
    y,
    box,
    width,
    xAxis,
    yAxis,
    curved: spec.curved ?? false,
    series: [],
  };
  drawn.set(host, chart);
  return chart;
}

/**
 * The axis of a parameter, by default of the one that scales.
 * @param {Positions} positions
 * @param {Range} domain
 * @param {boolean} log
 * @returns {Axis}
 */
export function parameterAxis({ parameters, points, column }, domain, log, d = column) {
  const binary = points.every((point) => Number.isInteger(Math.log2(point[d])));
  return { domain, log, label: parameters[d], binary };
}

/**
 * A chart over the parameter that scales: what lies beyond the measurements is shaded, the target marked, and readings
 * are at the scales at which predictions are known.
 * @param {HTMLElement} host
 * @param {Positions} positions
 * @param {number[]} target
 * @param {Omit<Spec, "x"> & {from: number, to: number, log: boolean, readings: (scale: number) => Reading[]}} spec
 */
export function scaleChart(host, positions, target, { from, to, log, readings, ...spec }) {
  const chart = frame(host, { ...spec, x: parameterAxis(positions, [from, to], log), curved: true });
  drawBeyond(chart, positions.measuredEnd);
  const px = chart.x(target[positions.column]);
  const { left, right, top, bottom } = chart.box;
  if (px >= left - 1 && px <= right + 1)
    chart.over.append(svgEl("line", { class: "target", x1: px, x2: px, y1: top, y2: bottom }));
  addReadings(host, chart, {
    snap: (value) => positions.nearest(value),
    title: (scale) => `${positions.scaled} = ${valueText(scale)}`,
    rows: readings,
  });
  return chart;
}

/** @type {(axis: Axis, scale: Scale, count: number) => Tick[]} where an axis is marked, and what with */
function marksOf({ domain, log, binary, whole, ticks, format = tickLabel }, scale, count) {
  const every = binary && log ? binaryTicks(...domain, count) : scale.ticks(count);
  const values = ticks ?? (whole ? every.filter(Number.isInteger) : every);
  return values.map((value) => ({ at: scale(value), text: format(value) }));
}

/** @type {(label: string, ticks: Tick[], box: Box) => SVGGElement} */
function axisX(label, ticks, box) {
  return svgEl(
    "g",
    { class: "axis", "aria-hidden": true },
    svgEl("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
    ...ticks.flatMap(({ at, text }) => [
      svgEl("line", { x1: at, x2: at, y1: box.bottom, y2: box.bottom + 4 }),
      svgEl("text", { x: at, y: box.bottom + 17, "text-anchor": "middle" }, text),
    ]),
    svgEl(
      "text",
      { class: "label", x: (box.left + box.right) / 2, y: box.bottom + 34, "text-anchor": "middle" },
      label,
    ),
  );
}

/** @type {(label: string, marks: Tick[], box: Box) => SVGGElement} */
function axisY(label, marks, box) {
  return svgEl(
    "g",
    { class: "axis", "aria-hidden": true },
    ...marks.flatMap(({ at, text }) => [
      svgEl("line", { class: "grid", x1: box.left, x2: box.right, y1: at, y2: at }),
      svgEl("text", { x: box.left - 8, y: at + 4, "text-anchor": "end" }, text),
    ]),
    svgEl(
      "text",
      {
        class: "label",
        transform: `translate(13 ${(box.top + box.bottom) / 2}) rotate(-90)`,
        "text-anchor": "middle",
      },
      label,
    ),
  );
}

/** @type {(chart: Plane, xs: number[], ys: number[]) => string} */
function pathOf(chart, xs, ys) {
  const places = xs.map((value, i) => /** @type {[number, number]} */ ([chart.x(value), chart.y(ys[i])]));
  return pathThrough(places, chart.curved);
}

/** @type {(chart: Plane, xs: number[], ys: number[], cls: string, title: string) => SVGPathElement} */
export function drawLine(chart, xs, ys, cls, title) {
  const line = svgEl("path", { class: `line ${cls}`, d: pathOf(chart, xs, ys) }, svgEl("title", {}, title));
  chart.plot.append(line);
  chart.series.push({ name: title, kind: "line", xs, ys });
  return line;
}

/** @param {Plane} chart @param {Ends[]} ends @param {string} cls @param {string} [name] */
export function drawBand(chart, ends, cls, name = "90 % interval") {
  const [xs, lower, upper] = valuesOf(ends, "x", "lower", "upper");
  const bottom = Math.max(chart.y.invert(chart.box.bottom), Number.MIN_VALUE);
  /** @param {number} value */
  const floor = (value) => (Number.isFinite(chart.y(value)) ? value : bottom);
  const there = pathOf(chart, xs, upper.map(floor));
  const back = pathOf(chart, [...xs].reverse(), [...lower].reverse().map(floor));
  const d = `${there}${back.replace(/^M/, "L")}Z`;
  const band = svgEl("path", { class: `band ${cls}`, d }, svgEl("title", {}, name));
  chart.plot.append(band);
  chart.series.push({ name, kind: "band", xs, ys: upper, lower });
  return band;
}

/**
 * A line with the band of its intervals; nothing if there is but one place.
 * @param {Plane} chart
 * @param {(Ends & {value: number})[]} some
 * @param {string} cls
 * @param {string} name
 * @param {string} [band] its name
 */
export function drawEstimates(chart, some, cls, name, band) {
  if (some.length < 2) return;
  const [xs, ys] = valuesOf(some, "x", "value");
  drawBand(chart, some, cls, band);
  drawLine(chart, xs, ys, cls, name);
}

/**
 * @template {string} Key
 * @param {Record<Key, number>[]} rows
 * @param {...Key} keys
 */
function valuesOf(rows, ...keys) {
  return keys.map((key) => rows.map((row) => row[key]));
}

/**
 * Dots: one series if they have a name, else each is one by itself.
 * @param {Plane} chart
 * @param {Dot[]} dots
 * @param {string} cls
 * @param {{radius?: number, name?: string}} [options]
 */
export function drawDots(chart, dots, cls, { radius = 3.2, name } = {}) {
  const nodes = dots.flatMap(({ x, y, title }) => {
    const [px, py] = [chart.x(x), chart.y(y)];
    if (!Number.isFinite(px) || !Number.isFinite(py)) return [];
    const place = { class: `dot ${cls}`, cx: px.toFixed(1), cy: py.toFixed(1), r: radius };
    return [svgEl("circle", place, title ? svgEl("title", {}, title) : null)];
  });
  chart.plot.append(...nodes);
  const series = name ? [{ name, dots }] : dots.map((dot) => ({ name: dot.title ?? "", dots: [dot] }));
  for (const { name, dots } of series)
    chart.series.push({ name, kind: "point", xs: dots.map(({ x }) => x), ys: dots.map(({ y }) => y) });
}

/**
 * Bars one apart, from zero or from lower ends, that leave a gap where there is room for it.
 * @param {Chart} chart
 * @param {number[]} xs
 * @param {{upper: number[], lower?: number[]}} ends
 * @param {string} cls
 * @param {string} name
 */
export function drawBars(chart, xs, { upper, lower }, cls, name) {
  const wide = chart.x(1) - chart.x(0);
  const width = Math.max(wide > 4 ? 0.8 * wide : wide, 1);
  const bars = xs.map((x, i) => {
    const left = (chart.x(x) - width / 2).toFixed(2);
    const base = chart.y(lower?.[i] ?? 0).toFixed(1);
    return `M${left} ${base}V${chart.y(upper[i]).toFixed(1)}h${width.toFixed(2)}V${base}Z`;
  });
  const path = svgEl("path", { class: `bars ${cls}`, d: bars.join("") }, svgEl("title", {}, name));
  chart.plot.append(path);
  chart.series.push({ name, kind: "bar", xs, ys: upper, lower });
}

/** @type {(chart: Chart, intervals: Ends[], cls: string, name: string) => void} bars with ends */
export function drawIntervals(chart, intervals, cls, name) {
  for (const { x, lower, upper } of intervals) {
    const [px, low, high] = [chart.x(x), chart.y(lower), chart.y(upper)];
    if (![px, low, high].every(Number.isFinite)) continue;
    const d = `M${px - 4} ${low}h8M${px - 4} ${high}h8M${px} ${low}V${high}`;
    chart.plot.append(svgEl("path", { class: `line bar ${cls}`, d }));
  }
  const [xs, lower, ys] = valuesOf(intervals, "x", "lower", "upper");
  chart.series.push({ name, kind: "interval", xs, ys, lower });
}

/** @type {(chart: Chart, from: number) => void} shades the range without measurements */
function drawBeyond(chart, from) {
  const left = Math.max(chart.x(from), chart.box.left);
  const { right, top, bottom } = chart.box;
  if (left >= right) return;
  const shade = svgEl("rect", {
    class: "beyond",
    x: left,
    y: top,
    width: right - left,
    height: bottom - top,
  });
  chart.root.insertBefore(shade, chart.root.children[1]);
  const fits = right - left > 90;
  if (fits) chart.over.append(svgEl("text", { class: "note", x: left + 6, y: top + 11 }, "extrapolated"));
}

/**
 * Labels at the right ends of lines, moved apart where they would overlap.
 * @type {(chart: Chart, labels: {text: string, y: number, cls: string}[]) => void}
 */
export function drawEndLabels(chart, labels) {
  const placed = labels
    .map((label) => ({ ...label, at: chart.y(label.y) }))
    .filter(({ at }) => Number.isFinite(at) && at > chart.box.top - 20 && at < chart.box.bottom + 20)
    .sort((a, b) => a.at - b.at);
  placed.forEach((label, i) => {
    if (i) label.at = Math.max(label.at, placed[i - 1].at + 14);
  });
  for (let i = placed.length - 1, limit = chart.box.bottom; i >= 0; i--, limit -= 14) {
    placed[i].at = Math.min(placed[i].at, limit);
  }
  for (const { text, at, cls } of placed) {
    chart.over.append(svgEl("text", { class: `end ${cls}`, x: chart.box.right + 6, y: at + 4 }, text));
  }
}

/**
 * A label at that of its places around dots which is the farthest from all lines, dots and texts.
 * @type {(chart: Chart, dots: {x: number, value: number}[], cls: string, text: string) => void}
 */
export function drawLabelBeside(chart, dots, cls, text) {
  const { box, x, y, over, series } = chart;
  const half = 0.5 * DIGIT * text.length;
  const texts = [...over.querySelectorAll("text")].flatMap((one) => {
    const wide = DIGIT * (one.textContent?.length ?? 0);
    const at = ["x", "y"].map((name) => Number(one.getAttribute(name)));
    return [0, 0.25, 0.5, 0.75, 1].map((share) => [at[0] + share * wide, at[1] - 4]);
  });
  const taken = series
    .filter(({ kind }) => kind !== "band")
    .flatMap(({ kind, xs, ys, lower }) => {
      const places = [ys, ...(lower ? [lower] : [])].flatMap((ends) =>
        xs.map((at, i) => [x(at), y(ends[i])]),
      );
      return kind === "line" ? places.flatMap((place, i) => between(places[i - 1] ?? place, place)) : places;
    });
  const spots = dots.flatMap((dot) =>
    [-14, 14, -22, 22].flatMap((down) =>
      [0, half + 10, -half - 10].map((right) => [x(dot.x) + right, y(dot.value) + down]),
    ),
  );
  /** @param {number[]} spot */
  const clear = ([left, top]) =>
    Math.min(
      ...[...taken, ...texts].map((one) =>
        Math.max(Math.abs(one[0] - left) - half, Math.abs(one[1] - top) - DIGIT),
      ),
    );
  const inside = spots.filter(
    ([at, down]) =>
      at - half > box.left && at + half < box.right && down - 8 > box.top && down + 8 < box.bottom,
  );
  if (inside.length === 0) return;
  const [left, top] = inside.reduce((best, spot) => (clear(spot) > clear(best) ? spot : best));
  over.append(svgEl("text", { class: `end ${cls}`, x: left, y: top + 4, "text-anchor": "middle" }, text));
}

/** @type {(from: number[], to: number[]) => number[][]} places on the way from one to another */
function between(from, to) {
  return [0.25, 0.5, 0.75, 1].map((share) => [0, 1].map((d) => from[d] + share * (to[d] - from[d])));
}

/** @typedef {[number, number]} Place pixels */

const FARTHEST = 2e4; // pixels that a line leaves the picture by at most

/** @type {(places: Place[], curved: boolean) => string} the path, with a gap where a place is not known */
export function pathThrough(places, curved) {
  /** @type {Place[][]} */
  const runs = [[]];
  for (const [x, y] of places) {
    if (Number.isFinite(x) && Number.isFinite(y)) {
      runs[runs.length - 1].push([x, Math.min(Math.max(y, -FARTHEST), FARTHEST)]);
    } else if (runs[runs.length - 1].length) runs.push([]);
  }
  return runs.map((run) => (curved && run.length > 2 ? curve(run) : straight(run))).join("");
}

/** @param {Place} place */
function placeText([x, y]) {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/** @param {Place[]} run */
function straight(run) {
  return run.map((place, i) => (i ? "L" : "M") + placeText(place)).join("");
}

/** @param {Place[]} run @returns monotone cubic pieces (Fritsch and Butland, 1984): extremes stay in place */
function curve(run) {
  const wide = run.slice(1).map(([x], i) => x - run[i][0]);
  const steep = run.slice(1).map(([, y], i) => (wide[i] ? (y - run[i][1]) / wide[i] : 0));
  const slopes = run.map((_, i) => {
    const [before, after] = [steep[i - 1] ?? steep[i], steep[i] ?? steep[i - 1]];
    if (before * after <= 0) return 0;
    const [w, v] = [2 * (wide[i] ?? 1) + (wide[i - 1] ?? 1), (wide[i] ?? 1) + 2 * (wide[i - 1] ?? 1)];
    return (w + v) / (w / before + v / after);
  });
  return run
    .map(([x, y], i) => {
      if (i === 0) return `M${placeText([x, y])}`;
      const third = wide[i - 1] / 3;
      const [x0, y0] = run[i - 1];
      const from = placeText([x0 + third, y0 + third * slopes[i - 1]]);
      const to = placeText([x - third, y - third * slopes[i]]);
      return `C${from} ${to} ${placeText([x, y])}`;
    })
    .join("");
}
