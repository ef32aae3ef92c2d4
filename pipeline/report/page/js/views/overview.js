// @ts-check
// The leading kernels over scale: as lines with their crossovers, and stacked to the total.

import { largestOf, leadingKernels, outlookOf, sum } from "../data/outlook.js";
import { linearDomain, logDomain } from "../draw/axes.js";
import {
  curveScales,
  drawBand,
  drawBeyond,
  drawDots,
  drawEndLabels,
  drawLine,
  drawTarget,
  frame,
  scaleAxis,
} from "../draw/chart.js";
import { chartTools } from "../draw/chart_tools.js";
import { byId, el, keepingFocus, onResize, switcher } from "../draw/dom.js";
import { cutNode } from "../draw/nodes.js";
import { readings } from "../draw/readings.js";
import { distinctLabels, fullPathNames, kernelLabel } from "../text/names.js";
import { figure, intervalText, percent, pointText } from "../text/numbers.js";
import { crossoverList, drawCrossovers, shownCrossovers } from "./crossovers.js";

/** @import { Level } from "../data/level.js" */
/** @import { Point } from "../data/payload.js" */
/** @import { Report } from "../data/report.js" */
/** @import { Chart } from "../draw/chart.js" */
/** @import { Child } from "../draw/dom.js" */
/** @import { Reading } from "../draw/readings.js" */
/** @import { State } from "../state.js" */
/** @import { PlacedCrossover } from "./crossovers.js" */
/** @typedef {{x: boolean, y: boolean, bands: boolean, share: boolean}} Options logarithmic axes; intervals; shares */

/**
 * @typedef {object} Scene what both charts draw
 * @property {Level} level
 * @property {Point} target
 * @property {string} effort
 * @property {string} noun
 * @property {number[]} leading with their colours
 * @property {number[]} drawn the leading ones, and the selected one
 * @property {(k: number) => string} look class of a kernel
 * @property {(k: number) => void} toggle selects it
 * @property {number[]} xs
 * @property {number[]} total
 * @property {number[][]} values per drawn kernel
 * @property {PlacedCrossover[]} crossovers
 */

const MATTERS = 0.01; // share from which a measurement is kept within a logarithmic axis

/**
 * The largest of the kernels that are selected: call paths of a region may be many.
 * @param {Level} level
 * @param {Point} target
 * @param {State} state
 */
function largestSelected(level, target, state) {
  const found = level.region.map((_, k) => k).filter((k) => state.selects(level, k));
  const value = found.map((k) => level.value(k, target));
  return found.length ? found[largestOf(value)] : -1;
}

/**
 * @param {Report} report
 * @param {State} state
 * @returns {Scene}
 */
function sceneOf(report, state) {
  const { level, target } = state;
  const { space } = report;
  const leading = leadingKernels(level, target);
  const selected = state.selecting ? largestSelected(level, target, state) : -1;
  const drawn = selected < 0 || leading.includes(selected) ? leading : [...leading, selected];
  const xs = curveScales(space, target);
  const line = level.along(target);
  const all = xs.map((scale) => line.values(scale));
  return {
    level,
    target,
    effort: state.metric.label,
    noun: state.levelName === "regions" ? "regions" : "call paths",
    leading,
    drawn,
    look: (k) =>
      (leading.includes(k) ? `c${leading.indexOf(k)}` : "total") + (state.fades(level, k) ? " fades" : ""),
    toggle: (k) => state.toggle(level, k),
    xs,
    total: all.map(sum),
    values: drawn.map((k) => all.map((value) => value[k])),
    crossovers: shownCrossovers(level, target, leading),
  };
}

/**
 * @param {Scene} scene
 * @param {number} k
 */
function measuredDots({ level, target }, k) {
  const { space } = level;
  return space.pointsAlong(target).map((i) => {
    const at = pointText(space.parameters, space.points[i]);
    return {
      x: space.points[i][space.column],
      y: level.measured(k, i),
      share: level.measured(k, i) / level.measuredTotal(i),
      title: `${level.name(k)}, measured at ${at}: ${figure(level.measured(k, i))}`,
    };
  });
}

/**
 * @param {HTMLElement} host
 * @param {Scene} scene
 * @param {Options} options
 */
function drawLines(host, scene, options) {
  const { level, target, effort, leading, drawn, look, xs, values } = scene;
  const { space } = level;
  const names = distinctLabels(level, drawn, 22);
  const dots = drawn.map((k) => measuredDots(scene, k));
  const seen = [...values.flat(), ...dots.flat().map((dot) => dot.y)];
  const matter = dots.flat().filter((dot) => dot.share > MATTERS);
  const low = Math.min(...matter.map((dot) => dot.y), Infinity);
  const domain = options.y
    ? logDomain(seen.filter((v) => v >= 0.7 * low || low === Infinity))
    : linearDomain(seen);
  const wide = host.clientWidth > 520;
  const chart = frame(host, {
    label:
      `Lines: ${effort} of the ${leading.length} leading kernels over ${space.scaled}; ` +
      "the table below has the values at the target.",
    x: scaleAxis(space, [xs[0], xs[xs.length - 1]], options.x),
    y: { domain, log: options.y, label: effort },
    right: wide ? 132 : 0,
  });
  drawBeyond(chart, space.measuredEnd);
  drawTarget(chart, target[space.column]);
  drawn.forEach((k, i) => {
    if (options.bands) drawIntervalBand(chart, scene, k, values[i]);
  });
  drawn.forEach((k, i) => {
    const line = drawLine(chart, xs, values[i], look(k), level.name(k));
    line.addEventListener("click", () => scene.toggle(k));
    drawDots(chart, dots[i], look(k));
  });
  drawCrossovers(chart, level, target, scene.crossovers);
  if (wide) {
    const ends = drawn.map((k, i) => ({
      text: names[i],
      y: values[i][xs.length - 1],
      cls: look(k),
    }));
    drawEndLabels(chart, ends);
  }
  readings(host, chart, space, (scale) => {
    const line = level.along(target);
    const point = space.pointsAlong(target).find((i) => space.points[i][space.column] === scale);
    return drawn.map((k, i) => {
      const value = line.value(k, scale);
      const measured = point === undefined ? "" : `, measured ${figure(level.measured(k, point))}`;
      const interval = line.interval(k, scale, value);
      const text = `${figure(value)}${interval ? ` (${intervalText(interval)})` : ""}${measured}`;
      return [look(k), names[i], text];
    });
  });
}

/**
 * The 90 % interval of a kernel along its line, as far as it is known.
 * @param {Chart} chart
 * @param {Scene} scene
 * @param {number} k
 * @param {number[]} values
 */
function drawIntervalBand(chart, { level, target, look, xs }, k, values) {
  const line = level.along(target);
  const ends = xs.map((scale, j) => line.interval(k, scale, values[j]));
  if (ends.some((end) => end === null)) return;
  const lower = ends.map((end) => end?.[0] ?? 0);
  const upper = ends.map((end) => end?.[1] ?? 0);
  drawBand(chart, xs, lower, upper, `faint ${look(k)}`, `${level.name(k)}, 90 % interval`);
}

/**
 * @param {HTMLElement} host
 * @param {Scene} scene
 * @param {Options} options
 */
function drawStack(host, scene, options) {
  const { level, target, effort, leading, look, xs, total } = scene;
  const { space } = level;
  const { share } = options;
  const values = scene.values.slice(0, leading.length);
  const base = total.map((value) => (share ? value || 1 : 1));
  let below = xs.map(() => 0);
  const bands = values.map((value) => {
    const lower = below;
    below = value.map((v, j) => lower[j] + v / base[j]);
    return { lower, upper: below };
  });
  const rest = { lower: below, upper: total.map((value, j) => value / base[j]) };
  const totals = space.pointsAlong(target).map((i) => ({
    x: space.points[i][space.column],
    y: level.measuredTotal(i),
    title: `Measured total at ${pointText(space.parameters, space.points[i])}`,
  }));
  const ofValues = linearDomain([...rest.upper, ...totals.map((dot) => dot.y)]);
  const chart = frame(host, {
    label: `Stacked areas: ${share ? "shares" : effort} of the leading kernels and all others over ${space.scaled}.`,
    x: scaleAxis(space, [xs[0], xs[xs.length - 1]], options.x),
    y: share
      ? { domain: [0, 1], log: false, label: "share", format: (v) => `${Math.round(100 * v)} %` }
      : { domain: ofValues, log: false, label: effort },
  });
  [...bands, rest].forEach((band, i) => {
    const k = leading[i];
    const name = k === undefined ? "all others" : level.name(k);
    const area = drawBand(
      chart,
      xs,
      band.lower,
      band.upper,
      `solid ${k === undefined ? "rest" : look(k)}`,
      name,
    );
    if (k !== undefined) area.addEventListener("click", () => scene.toggle(k));
  });
  if (!share) drawDots(chart, totals, "total");
  drawBeyond(chart, space.measuredEnd);
  drawTarget(chart, target[space.column]);
  readings(host, chart, space, (scale) => stackReadings(scene, scale, share));
}

/**
 * @param {Scene} scene
 * @param {number} scale
 * @param {boolean} share
 * @returns {Reading[]}
 */
function stackReadings({ level, target, leading }, scale, share) {
  const value = level.along(target).values(scale);
  const total = sum(value);
  /** @param {number} v */
  const part = (v) => (share ? percent(v / total) : figure(v));
  const others = sum(value.filter((_, k) => !leading.includes(k)));
  /** @type {Reading[]} */
  const kernels = leading.map((k, i) => [`c${i}`, kernelLabel(level, k, 24), part(value[k])]);
  return [...kernels, ["rest", "all others", part(others)], ["none", "total", figure(total)]];
}

/**
 * The legend of both charts, with the values at the target; its names select.
 * @param {Report} report
 * @param {State} state
 * @param {Scene} scene
 */
function legend(report, state, { level, target, effort, noun, leading, drawn, look, toggle }) {
  const outlook = outlookOf(level, target, report.limits);
  const { value, total } = outlook;
  /**
   * @param {string} cls
   * @param {Child} name
   * @param {number} size
   * @param {string} interval
   * @param {number} share
   * @param {boolean} [selected]
   */
  const row = (cls, name, size, interval, share, selected) =>
    el(
      "tr",
      { class: selected ? "selected" : null },
      el(
        "th",
        { scope: "row" },
        el("span", { class: "entry" }, el("span", { class: `swatch ${cls}` }), name),
      ),
      el("td", {}, figure(size)),
      el("td", { class: "interval" }, interval),
      el("td", {}, percent(share)),
    );
  const places = [...drawn].sort((a, b) => value[b] - value[a]);
  const rows = places.map((k) => {
    const text = cutNode(kernelLabel(level, k, 200), fullPathNames(level, k).join(" › "));
    const selected = state.selects(level, k);
    const button = {
      type: "button",
      class: "entry-name",
      "data-focus": k,
      "aria-label": fullPathNames(level, k).join(" › "),
      "aria-pressed": selected,
      click: () => toggle(k),
    };
    const interval = intervalText(level.interval(k, target, value[k]));
    return row(look(k), el("button", button, text), value[k], interval, outlook.shareAtTarget[k], selected);
  });
  if (level.additive) {
    const others = sum(value.filter((_, k) => !leading.includes(k)));
    if (level.count > leading.length) {
      rows.push(row("rest", "all others", others, "", total > 0 ? others / total : 0));
    }
    const interval = intervalText(level.intervalOfTotal(target, total));
    rows.push(row("none", `total of all ${noun}`, total, interval, total > 0 ? 1 : 0));
  }
  const heads = ["kernel", effort, "90 % interval", "share"].map((text) => el("th", { scope: "col" }, text));
  return el(
    "table",
    { class: "legend" },
    el("caption", {}, `At ${pointText(level.space.parameters, target)}`),
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...rows),
  );
}

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildOverview(report, state) {
  const [lines, stack] = [byId("lines"), byId("stack")];
  /** @type {Options} */
  const options = { x: true, y: true, bands: true, share: true };
  const draw = () => {
    const scene = sceneOf(report, state);
    drawLines(lines, scene, options);
    if (scene.level.additive) drawStack(stack, scene, options);
    else stack.replaceChildren(el("p", { class: "quiet" }, `Values of ${scene.effort} have no sum.`));
    keepingFocus(byId("legend"), () => byId("legend").replaceChildren(legend(report, state, scene)));
    byId("crossovers").replaceChildren(crossoverList(scene.level, scene.target, scene.crossovers));
  };
  /**
   * @param {"x" | "y"} key
   */
  const axis = (key) =>
    switcher(
      `${key} axis`,
      `overview-${key}`,
      [
        ["log", "log"],
        ["linear", "linear"],
      ],
      "log",
      (value) => {
        options[key] = value === "log";
        draw();
      },
    );
  const bands = switcher(
    "90 % intervals",
    "overview-bands",
    [
      ["shown", "shown"],
      ["hidden", "hidden"],
    ],
    "shown",
    (value) => {
      options.bands = value === "shown";
      draw();
    },
  );
  byId("lines-options").replaceChildren(
    axis("x"),
    axis("y"),
    bands,
    chartTools(lines, "leading kernels", draw),
  );
  const kind = switcher(
    "Stack",
    "stack",
    [
      ["effort", "values"],
      ["share", "shares"],
    ],
    "share",
    (value) => {
      options.share = value === "share";
      draw();
    },
  );
  byId("stack-options").replaceChildren(kind, chartTools(stack, "stacked kernels", draw));
  state.follow(byId("overview"), draw);
  onResize(lines, draw);
}
