// @ts-check
// The charts of the first screen: speed-up and efficiency, or what stands for them, up to the target.

import { figuresOf } from "../data/report.js";
import { linearDomain } from "../draw/axes.js";
import {
  drawDots,
  drawEndLabels,
  drawEstimates,
  drawIntervals,
  drawLabelBeside,
  drawLine,
  scaleChart,
} from "../draw/chart.js";
import { byId } from "../draw/dom.js";
import { chartTools } from "../draw/files.js";
import { figure, intervalText, percent, TO, tickLabel, valueText } from "../text/numbers.js";

/** @import { Range } from "../draw/axes.js" */
/** @import { Positions } from "../data/positions.js" */
/** @import { Chart } from "../draw/chart.js" */
/** @import { ChartPayload } from "../data/records.js" */
/** @import { Figure } from "../data/kernel_set.js" */
/** @import { Reading } from "../draw/pointing.js" */
/** @import { State } from "../state.js" */

const HEIGHT = 290;
const LABELS = 96; // pixels for what stands at the ends of lines
const BAND_BEYOND = 8; // how many times a band may exceed all else before it is cut

/**
 * The vertical axis: all of the points with their intervals, of the curve, of what is ideal and asked for; of the
 * band as much as leaves them readable.
 * @type {(chart: ChartPayload, points: Figure[], curve: Figure[], ideal: number[]) => Range}
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
  return (value) => (threshold === null ? figure(value) : percent(value));
}

/**
 * What the chart shows, in words.
 * @param {ChartPayload} chart
 * @param {Positions} positions
 * @param {Figure[]} points
 * @param {Figure[]} curve
 * @param {number} target
 */
function described(chart, positions, points, curve, target) {
  const text = textOf(chart.threshold);
  /** @param {Figure} one */
  const at = ({ x, value }) => `${text(value)} at ${positions.scaled} = ${valueText(x)}`;
  const last = curve.find((one) => one.x === target);
  const ahead = last ? `; predicted: ${at(last)}, 90 % interval ${intervalText(last, text, TO)}` : "";
  return `${chart.label} over ${positions.scaled}; ${positions.observed}: ${points.map(at).join(", ")}${ahead}.`;
}

/** @type {(host: HTMLElement, positions: Positions, chart: ChartPayload, at: number[]) => void} */
function drawChart(host, positions, chart, at) {
  const line = chart.lines[positions.lineOf(at)];
  const target = at[positions.column];
  const heldOut = line ? figuresOf(line.heldOut) : [];
  const last = Math.max(positions.measuredEnd, target, ...heldOut.map(({ x }) => x));
  const points = line ? figuresOf(line.points) : [];
  const curve = line ? figuresOf(line.curve).filter(({ x }) => x <= last) : [];
  const ideal = line?.ideal
    ? figuresOf({ ...line.curve, value: line.ideal }).filter(({ x }) => x <= last)
    : [];
  const text = textOf(chart.threshold);
  const first = Math.min(positions.measuredStart, target);
  const margin = (last / first) ** 0.03;
  const drawn = scaleChart(host, positions, at, {
    height: HEIGHT,
    right: LABELS,
    label: described(chart, positions, points, curve, target),
    from: first / margin,
    to: last * margin,
    log: true,
    y: {
      domain: domainOf(
        chart,
        [...points, ...heldOut],
        curve,
        ideal.map((one) => one.value),
      ),
      log: chart.threshold === null,
      binary: chart.name === "speedup",
      label: chart.label,
      format: chart.threshold === null ? undefined : (share) => `${tickLabel(100 * share)} %`,
    },
    readings: (scale) => readingsAt(chart, points, curve, scale, positions.observed),
  });
  const xs = ideal.map((one) => one.x);
  const ys = ideal.map((one) => one.value);
  drawLine(drawn, xs, ys, "ideal", "ideal scaling");
  if (chart.threshold !== null) {
    drawLine(drawn, [first, last], [chart.threshold, chart.threshold], "threshold", "efficiency asked for");
  }
  drawModel(drawn, positions, curve);
  drawIntervals(drawn, points, "c0", `${positions.observed}, 90 % interval`);
  /** @type {[Figure[], string, string][]} */
  const dotted = [
    [points, "c0", positions.observed],
    [heldOut, "c0 open", "held out"],
  ];
  for (const [some, cls, name] of dotted) {
    const dots = some.map((one) => ({
      x: one.x,
      y: one.value,
      title: `${name} at ${positions.scaled} = ${valueText(one.x)}: ${text(one.value)}`,
    }));
    if (dots.length > 0) drawDots(drawn, dots, cls, { radius: 4, name });
  }
  drawEndLabels(drawn, [
    ...ideal.slice(-1).map(({ value }) => ({ text: "ideal", y: value, cls: "ideal" })),
    ...(chart.threshold === null
      ? []
      : [{ text: `${tickLabel(100 * chart.threshold)} % asked for`, y: chart.threshold, cls: "threshold" }]),
    ...curve.slice(-1).flatMap((end) => [
      { text: "model", y: end.value, cls: "c0" },
      { text: "90 % interval", y: drawn.y.invert(middleOf(drawn, end)), cls: "c0" },
    ]),
  ]);
  for (const [some, cls, name] of dotted) drawLabelBeside(drawn, some, cls, name);
}

/** @type {(chart: Chart, end: Figure) => number} the middle of the wider part of an interval in sight, in pixels */
function middleOf({ y, box }, { value, lower, upper }) {
  const [low, high] = [Math.min(y(lower) || box.bottom, box.bottom), Math.max(y(upper), box.top)];
  return (y(value) + (low - y(value) > y(value) - high ? low : high)) / 2;
}

/** @type {(drawn: Chart, positions: Positions, curve: Figure[]) => void} fainter where the measured range is far */
function drawModel(drawn, positions, curve) {
  const { far, veryFar } = positions.limits;
  /** @type {[number, number, string][]} */
  const parts = [
    [0, far, "c0"],
    [far, veryFar, "c0 far"],
    [veryFar, Number.POSITIVE_INFINITY, "c0 very-far"],
  ];
  for (const [from, to, cls] of parts) {
    const begin = Math.max(curve.filter((one) => one.x <= from * positions.measuredEnd).length - 1, 0);
    const part = curve
      .slice(begin)
      .filter((one, i) => i === 0 || one.x <= to * positions.measuredEnd * (1 + 1e-9));
    drawEstimates(drawn, part, cls, "model");
  }
}

/**
 * @param {ChartPayload} chart
 * @param {Figure[]} points
 * @param {Figure[]} curve
 * @param {number} scale
 * @param {string} observed
 * @returns {Reading[]}
 */
function readingsAt(chart, points, curve, scale, observed) {
  const text = textOf(chart.threshold);
  const found = points.find((one) => one.x === scale);
  /** @type {Reading[]} */
  const rows = [];
  if (found) {
    const ends = found.upper > found.lower ? ` (${intervalText(found, text, TO)})` : "";
    rows.push(["c0", observed, `${text(found.value)}${ends}`]);
  }
  const model = curve.find((one) => one.x === scale);
  if (!model) return rows;
  return [...rows, ["c0", "model", text(model.value)], ["none", "90 % interval", intervalText(model, text)]];
}

/** @param {State} state */
export function buildRuntime(state) {
  const { report } = state;
  const { positions } = report;
  for (const chart of report.program?.charts ?? []) {
    const host = byId(`runtime-${chart.name}`);
    const draw = () => drawChart(host, positions, chart, state.target);
    byId(`runtime-${chart.name}-options`).append(chartTools(host, chart.label, draw));
    state.follow(host, draw);
  }
}
