// @ts-check
// The charts of the first screen: speed-up and efficiency, or what stands for them, up to the target.

import { linearDomain } from "../draw/axes.js";
import {
  drawBand,
  drawBeyond,
  drawDots,
  drawIntervals,
  drawLine,
  drawTarget,
  frame,
  scaleAxis,
} from "../draw/chart.js";
import { byId, el, onResize } from "../draw/dom.js";
import { readings } from "../draw/readings.js";
import { figure, scaleText, tickLabel } from "../text/numbers.js";

/** @import { Range } from "../draw/axes.js" */
/** @import { Space } from "../data/space.js" */
/** @import { Estimates, RuntimeChart } from "../data/payload.js" */
/** @import { Report } from "../data/report.js" */
/** @import { Reading } from "../draw/readings.js" */
/** @typedef {{x: number, value: number, lower: number, upper: number}} Known an interval may be unknown: NaN */

const HEIGHT = 270;
const BAND_BEYOND = 8; // how many times a band may exceed all else before it is cut
const FAR = 4; // times beyond the measured range, from where on models fade
const VERY_FAR = 16;

/**
 * The figures that are available.
 * @param {Estimates} estimates
 * @returns {Known[]}
 */
function known({ scale, value, lower, upper }) {
  return scale
    .map((x, i) => ({
      x,
      value: value[i] ?? Number.NaN,
      lower: lower[i] ?? Number.NaN,
      upper: upper[i] ?? Number.NaN,
    }))
    .filter((one) => Number.isFinite(one.value));
}

/**
 * The vertical axis: all of the points with their intervals, of the curve, of what is ideal and asked for; of the
 * band as much as leaves them readable.
 * @param {RuntimeChart} chart
 * @param {Known[]} points
 * @param {Known[]} curve
 * @returns {Range}
 */
function domainOf({ ideal, threshold }, points, curve) {
  const firm = [
    ...points.flatMap((one) => [one.value, one.lower, one.upper]),
    ...curve.map((one) => one.value),
    ...(ideal ?? []),
    threshold,
  ].filter((value) => value !== null && Number.isFinite(value));
  const size = /** @type {number[]} */ (firm);
  if (threshold !== null) {
    const most = Math.max(...size);
    return linearDomain([0, ...size, ...curve.map((one) => Math.min(one.upper, 1.3 * most))]);
  }
  const positive = size.filter((value) => value > 0);
  if (positive.length === 0) return [0.1, 1];
  const [low, high] = [Math.min(...positive), Math.max(...positive)];
  const band = curve.flatMap((one) => [one.lower, one.upper]);
  const near = band.filter((value) => value > low / BAND_BEYOND && value < high * BAND_BEYOND);
  return [Math.min(low, ...near) / 1.15, Math.max(high, ...near) * 1.15];
}

/** @param {number | null} threshold */
function textOf(threshold) {
  /** @param {number} value */
  return (value) =>
    threshold === null ? figure(value) : `${tickLabel(Number((100 * value).toPrecision(3)))} %`;
}

/**
 * What the chart shows, in words.
 * @param {RuntimeChart} chart
 * @param {Space} space
 * @param {Known[]} points
 * @param {Known[]} curve
 */
function described(chart, space, points, curve) {
  const text = textOf(chart.threshold);
  /** @param {Known} one */
  const at = ({ x, value }) => `${text(value)} at ${space.scaled} = ${scaleText(x)}`;
  const last = curve.find((one) => one.x === chart.target);
  const ahead = last
    ? `; predicted: ${at(last)}, 90 % interval ${text(last.lower)} to ${text(last.upper)}`
    : "";
  return `${chart.label} over ${space.scaled}. Measured: ${points.map(at).join(", ")}${ahead}.`;
}

/**
 * @param {HTMLElement} host
 * @param {Space} space
 * @param {RuntimeChart} chart
 */
function drawChart(host, space, chart) {
  const [points, curve] = [known(chart.points), known(chart.curve)];
  const text = textOf(chart.threshold);
  const { scale } = chart.curve;
  const [first, last] = [scale[0], scale[scale.length - 1]];
  const margin = (last / first) ** 0.03;
  const drawn = frame(host, {
    height: HEIGHT,
    label: described(chart, space, points, curve),
    x: scaleAxis(space, [first / margin, last * margin], true),
    y: {
      domain: domainOf(chart, points, curve),
      log: chart.threshold === null,
      binary: chart.name === "speedup",
      label: chart.label,
      format: chart.threshold === null ? undefined : text,
    },
  });
  drawBeyond(drawn, space.measuredEnd);
  drawTarget(drawn, chart.target);
  if (chart.ideal) {
    const ideal = chart.ideal.map((value) => value ?? Number.NaN);
    drawLine(drawn, scale, ideal, "ideal", "ideal scaling");
  }
  if (chart.threshold !== null) {
    drawLine(drawn, [first, last], [chart.threshold, chart.threshold], "threshold", "efficiency asked for");
  }
  drawModel(drawn, space, curve);
  drawIntervals(drawn, points, "c0");
  const dots = points.map((one) => ({
    x: one.x,
    y: one.value,
    title: `measured at ${space.scaled} = ${scaleText(one.x)}: ${text(one.value)}`,
  }));
  drawDots(drawn, dots, "c0", 4);
  readings(host, drawn, space, (at) => readingsAt(chart, points, curve, at));
}

/**
 * The models with their band, fainter where the measured range is far.
 * @param {import("../draw/chart.js").Chart} drawn
 * @param {Space} space
 * @param {Known[]} curve
 */
function drawModel(drawn, space, curve) {
  /** @type {[number, number, string][]} */
  const parts = [
    [0, FAR, "c0"],
    [FAR, VERY_FAR, "c0 far"],
    [VERY_FAR, Number.POSITIVE_INFINITY, "c0 very-far"],
  ];
  for (const [from, to, cls] of parts) {
    const begin = Math.max(curve.filter((one) => one.x <= from * space.measuredEnd).length - 1, 0);
    const part = curve
      .slice(begin)
      .filter((one, i) => i === 0 || one.x <= to * space.measuredEnd * (1 + 1e-9));
    if (part.length < 2) continue;
    const xs = part.map((one) => one.x);
    const ends = part.map((one) => [one.lower, one.upper]);
    drawBand(
      drawn,
      xs,
      ends.map(([low]) => low),
      ends.map(([, high]) => high),
      cls,
    );
    drawLine(
      drawn,
      xs,
      part.map((one) => one.value),
      cls,
      "model",
    );
  }
}

/**
 * @param {RuntimeChart} chart
 * @param {Known[]} points
 * @param {Known[]} curve
 * @param {number} scale
 * @returns {Reading[]}
 */
function readingsAt(chart, points, curve, scale) {
  const text = textOf(chart.threshold);
  const found = points.find((one) => one.x === scale);
  const after = curve.findIndex((one) => one.x >= scale * (1 - 1e-9));
  /** @type {Reading[]} */
  const rows = found ? [["c0", "measured", text(found.value)]] : [];
  if (after < 0) return rows;
  const [high, low] = [curve[after], curve[Math.max(after - 1, 0)]];
  const share = high.x > low.x ? Math.log(scale / low.x) / Math.log(high.x / low.x) : 1;
  /** @param {"value" | "lower" | "upper"} key */
  const between = (key) => low[key] + (high[key] - low[key]) * Math.min(Math.max(share, 0), 1);
  return [
    ...rows,
    ["c0", "model", text(between("value"))],
    ["none", "90 % interval", `${text(between("lower"))} … ${text(between("upper"))}`],
  ];
}

/** @param {RuntimeChart} chart */
function keyOf(chart) {
  /** @type {[string, string][]} */
  const entries = [
    ["dot", "measured"],
    ["line", "model with 90 % interval"],
  ];
  if (chart.ideal) entries.push(["ideal", "ideal"]);
  if (chart.threshold !== null)
    entries.push(["threshold", `${tickLabel(100 * chart.threshold)} %, as asked for`]);
  return entries.map(([cls, text]) => el("span", { class: "key" }, el("i", { class: cls }), text));
}

/** @param {Report} report */
export function buildRuntime(report) {
  for (const chart of report.runtime ?? []) {
    const host = byId(`runtime-${chart.name}`);
    byId(`runtime-${chart.name}-key`).replaceChildren(...keyOf(chart));
    const draw = () => drawChart(host, report.space, chart);
    draw();
    onResize(host, draw);
  }
}
