// @ts-check
// The charts of the first screen: speed-up and efficiency, or what stands for them, up to the target.

import { figureAt, known } from "../data/estimates.js";
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
import { chartTools } from "../draw/chart_tools.js";
import { byId, el, onResize } from "../draw/dom.js";
import { readings } from "../draw/readings.js";
import { figure, scaleText, tickLabel } from "../text/numbers.js";

/** @import { Range } from "../draw/axes.js" */
/** @import { Space } from "../data/space.js" */
/** @import { RuntimeChart } from "../data/payload.js" */
/** @import { Report } from "../data/report.js" */
/** @import { Reading } from "../draw/readings.js" */
/** @import { Known } from "../data/estimates.js" */
/** @import { State } from "../state.js" */

const HEIGHT = 270;
const BAND_BEYOND = 8; // how many times a band may exceed all else before it is cut
const FAR = 4; // times beyond the measured range, from where on models fade
const VERY_FAR = 16;

/**
 * The vertical axis: all of the points with their intervals, of the curve, of what is ideal and asked for; of the
 * band as much as leaves them readable.
 * @param {RuntimeChart} chart
 * @param {Known[]} points
 * @param {Known[]} curve
 * @param {number[]} ideal
 * @returns {Range}
 */
function domainOf({ threshold }, points, curve, ideal) {
  const firm = [
    ...points.flatMap((one) => [one.value, one.lower, one.upper]),
    ...curve.map((one) => one.value),
    ...ideal,
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
 * @param {number} target
 */
function described(chart, space, points, curve, target) {
  const text = textOf(chart.threshold);
  /** @param {Known} one */
  const at = ({ x, value }) => `${text(value)} at ${space.scaled} = ${scaleText(x)}`;
  const last = figureAt(curve, target);
  const ahead = last
    ? `; predicted: ${at(last)}, 90 % interval ${text(last.lower)} to ${text(last.upper)}`
    : "";
  return `${chart.label} over ${space.scaled}. Measured: ${points.map(at).join(", ")}${ahead}.`;
}

/**
 * What of a curve is seen: from the smallest measured scale to the largest or the target.
 * @param {Known[]} curve
 * @param {Space} space
 * @param {number} target
 */
function seen(curve, space, target) {
  const first = Math.min(space.measuredStart, target);
  const last = Math.max(space.measuredEnd, target);
  const inside = curve.filter((one) => one.x > first && one.x < last);
  const ends = [first, last].map((scale) => figureAt(curve, scale));
  return [ends[0], ...inside, ends[1]].filter((one) => one !== null);
}

/**
 * @param {HTMLElement} host
 * @param {Space} space
 * @param {RuntimeChart} chart
 * @param {number} target
 */
function drawChart(host, space, chart, target) {
  const points = known(chart.points);
  const whole = known(chart.curve);
  const curve = seen(whole, space, target);
  const text = textOf(chart.threshold);
  const first = Math.min(space.measuredStart, target);
  const last = Math.max(space.measuredEnd, target);
  const { scale } = chart.curve;
  const ideals = known({ scale, value: chart.ideal ?? [], lower: [], upper: [] });
  const ideal = seen(ideals, space, target);
  const margin = (last / first) ** 0.03;
  const drawn = frame(host, {
    height: HEIGHT,
    label: described(chart, space, points, whole, target),
    x: scaleAxis(space, [first / margin, last * margin], true),
    y: {
      domain: domainOf(
        chart,
        points,
        curve,
        ideal.map((one) => one.value),
      ),
      log: chart.threshold === null,
      binary: chart.name === "speedup",
      label: chart.label,
      format: chart.threshold === null ? undefined : text,
    },
  });
  drawBeyond(drawn, space.measuredEnd);
  drawTarget(drawn, target);
  const xs = ideal.map((one) => one.x);
  const ys = ideal.map((one) => one.value);
  drawLine(drawn, xs, ys, "ideal", "ideal scaling");
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
 * @param {Known} measured
 * @param {(value: number) => string} text
 */
function measuredText({ value, lower, upper }, text) {
  const interval = upper > lower ? ` (${text(lower)} … ${text(upper)})` : "";
  return `${text(value)}${interval}`;
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
  /** @type {Reading[]} */
  const rows = found ? [["c0", "measured", measuredText(found, text)]] : [];
  const model = figureAt(curve, scale);
  if (!model) return rows;
  return [
    ...rows,
    ["c0", "model", text(model.value)],
    ["none", "90 % interval", `${text(model.lower)} … ${text(model.upper)}`],
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

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildRuntime(report, state) {
  const { space } = report;
  for (const chart of report.runtime ?? []) {
    const host = byId(`runtime-${chart.name}`);
    const draw = () => {
      const here = report.program?.chartAt(chart, state.target) ?? chart;
      drawChart(host, space, here, state.target[space.column]);
    };
    byId(`runtime-${chart.name}-key`).replaceChildren(...keyOf(chart), chartTools(host, chart.label, draw));
    state.follow(host, draw);
    onResize(host, draw);
  }
}
