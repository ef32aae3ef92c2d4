// @ts-check
// What a row of the kernel table opens: the plot of its model, and all that is known about it.

import { linearDomain, logDomain } from "../draw/axes.js";
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
import { axisSwitches, copyButton, el, onResize } from "../draw/dom.js";
import { chartTools } from "../draw/files.js";
import { copyable, formulaNode } from "../draw/nodes.js";
import { readings } from "../draw/pointing.js";
import { fullPathNames } from "../text/names.js";
import { estimateText, figure, intervalText, pointText, quantity } from "../text/numbers.js";
import { locationsPanel } from "./locations.js";

/** @import { KernelSet, Rival } from "../data/kernel_set.js" */
/** @import { Point } from "../data/payload.js" */
/** @import { Metric, Report } from "../data/report.js" */
/** @import { Chart } from "../draw/chart.js" */
/** @import { Child } from "../draw/dom.js" */
/** @import { Detail } from "../draw/table.js" */
/** @import { State } from "../state.js" */

const HEIGHT = 340;
const logarithmic = { x: true, y: true }; // the axes of all details

/**
 * @param {Report} report
 * @param {State} state
 * @param {KernelSet} level
 * @param {number} k
 * @returns {Detail}
 */
export function kernelDetail(report, state, level, k) {
  const host = el("div", { class: "plot" });
  const facts = el("div", { class: "facts" });
  const { metric } = state;
  const panel = locationsPanel(report, state, level, k);
  const draw = () => drawKernel(host, metric, state.target, level, k);
  const update = () => {
    draw();
    facts.replaceChildren(...kernelFacts(report, metric, state.target, level, k));
    panel?.update();
  };
  const axes = axisSwitches(`detail-${k}`, logarithmic, draw);
  onResize(host, draw);
  const tools = chartTools(host, `kernel ${level.name(k)}`, draw);
  const options = el("div", { class: "options" }, ...axes, tools);
  const parts = [el("div", {}, options, host), facts, panel?.node];
  return { update, node: el("div", { class: "kernel-detail" }, ...parts) };
}

/**
 * What is known of a kernel along its line: its formulas, predictions and intervals.
 * @param {KernelSet} level
 * @param {Point} target
 * @param {number} k
 */
function kernelCurves(level, target, k) {
  const { positions } = level;
  const xs = positions.curveScales(target);
  const points = xs.map((scale) => positions.atScale(target, scale));
  const ends = points.flatMap((at, i) => {
    const interval = level.interval(k, at);
    return interval ? [{ x: xs[i], lower: interval[0], upper: interval[1] }] : [];
  });
  const rivals = level.rivals[k].map(({ text }, rival) => ({
    text,
    values: points.map((at) => level.formulaValue(k, at, rival)),
  }));
  return { xs, predicted: points.map((at) => level.value(k, at)), ends, rivals };
}

/**
 * @param {HTMLElement} host
 * @param {Metric} metric
 * @param {Point} target
 * @param {KernelSet} level
 * @param {number} k
 */
function drawKernel(host, metric, target, level, k) {
  const { positions } = level;
  const { xs, predicted, ends, rivals } = kernelCurves(level, target, k);
  const lower = ends.map((one) => one.lower);
  const upper = ends.map((one) => one.upper);
  const dots = positions.pointsAlong(target).flatMap((i) =>
    level.singles(k, i).map((y) => ({
      x: positions.points[i][positions.column],
      y,
      title: `${pointText(positions.parameters, positions.points[i])}: ${figure(y)}`,
    })),
  );
  const seen = [...predicted, ...upper, ...dots.map((dot) => dot.y)];
  const chart = frame(host, {
    height: HEIGHT,
    curved: true,
    label:
      `${level.name(k)}: ${dots.length} measurements, model ${level.formula(k)}, ` +
      `${figure(level.value(k, target))} at ${pointText(positions.parameters, target)}.`,
    x: scaleAxis(positions, [xs[0] / (logarithmic.x ? 1.05 : 1), xs[xs.length - 1]], logarithmic.x),
    y: {
      domain: logarithmic.y ? logDomain([...seen, ...lower]) : linearDomain(seen),
      log: logarithmic.y,
      label: metric.label,
    },
  });
  drawBeyond(chart, positions.measuredEnd);
  drawTarget(chart, target[positions.column]);
  if (ends.length === xs.length) drawBand(chart, xs, lower, upper, "c0");
  else drawIntervals(chart, ends, "c0", "90 % interval");
  for (const { text, values } of rivals) drawLine(chart, xs, values, "rival", text);
  drawPrediction(chart, level, k, xs, predicted);
  drawDots(chart, dots, "c0 open", { name: "measured" });
  readings(host, chart, positions, (scale) => {
    const at = positions.atScale(target, scale);
    const point = positions.pointsAlong(target).find((i) => positions.points[i][positions.column] === scale);
    const singles = point === undefined ? [] : level.singles(k, point);
    const { unit } = metric;
    /** @type {[string, string, string][]} */
    const measured = singles.length
      ? [["c0", "measured", singles.map((y) => quantity(y, unit)).join(", ")]]
      : [];
    return [
      ...measured,
      ["c0", "model", quantity(level.value(k, at), unit)],
      ["none", "90 % interval", intervalText(level.interval(k, at))],
    ];
  });
}

/**
 * The prediction; before the segment for which the model holds it is drawn thin.
 * @param {Chart} chart
 * @param {KernelSet} level
 * @param {number} k
 * @param {number[]} xs
 * @param {number[]} ys
 */
function drawPrediction(chart, level, k, xs, ys) {
  const from = level.validFrom[k * level.positions.parameters.length + level.positions.column];
  const start = Math.max(
    xs.findIndex((x) => x >= from * (1 - 1e-6)),
    0,
  );
  if (start > 0)
    drawLine(chart, xs.slice(0, start + 1), ys.slice(0, start + 1), "rival", "outside the last segment");
  drawLine(chart, xs.slice(start), ys.slice(start), "c0", "prediction: median of all plausible models");
}

/**
 * @param {Report} report
 * @param {Metric} metric
 * @param {Point} target
 * @param {KernelSet} level
 * @param {number} k
 */
function kernelFacts(report, metric, target, level, k) {
  const region = level.regions[level.region[k]];
  const value = level.value(k, target);
  const isCallPath = level === metric.levels.callpaths;
  const errors = `SMAPE ${level.smape[k].toFixed(1)} % (fit), ${level.cvSmape[k].toFixed(1)} % (leave-one-out)`;
  /** @type {[string, Child][]} */
  const facts = [[isCallPath ? "Call path" : "Region", copyable(fullPathNames(level, k))]];
  if (region.mangled) facts.push(["Mangled name", copyable([region.mangled])]);
  if (region.source) facts.push(["Source", el("span", { class: "code" }, region.source)]);
  if (region.paradigm) facts.push(["Paradigm", region.paradigm]);
  facts.push([
    `At ${pointText(level.positions.parameters, target)}`,
    estimateText(value, level.interval(k, target), metric.unit),
  ]);
  if (!level.positions.measuredOnly) {
    facts.push(
      [`Formula, ${level.ranges[k]}`, formulaNode(level.formula(k))],
      ["Formula to copy", formulaCopies(level, k)],
      ...factorFacts(report, metric, level, k),
      ["Quality", errors],
      ["Growth", level.growthClass[k]],
      ["Probability of growing", `${(100 * level.growing[k]).toFixed(0)} %`],
    );
  }
  if (level.warnings[k].length) facts.push(["Warnings", level.warnings[k].join("; ")]);
  const list = el("dl", {}, ...facts.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
  const rivals = rivalList(level, k);
  return rivals ? [list, rivals] : [list];
}

/**
 * Buttons that copy the formula for other programs.
 * @param {KernelSet} level
 * @param {number} k
 */
function formulaCopies(level, k) {
  const copies = [
    copyButton(level.latex[k], "the formula as LaTeX", "LaTeX"),
    copyButton(level.python[k], "the formula as Python", "Python"),
  ];
  return el("span", {}, ...copies);
}

/**
 * The factors of an effort: how often, and how long each time, with their formulas.
 * @param {Report} report
 * @param {Metric} metric
 * @param {KernelSet} level
 * @param {number} k
 * @returns {[string, Child][]}
 */
function factorFacts(report, metric, level, k) {
  if (metric !== report.metrics[0]) return [];
  const name = level === metric.levels.callpaths ? "callpaths" : "regions";
  for (const pair of report.factors) {
    const found = report.metrics.filter((other) => pair.includes(other.name));
    const places = found.map((other) => other.levels[name].placeOf(level, k));
    if (found.length < pair.length || places.some((place) => place < 0)) continue;
    return found.map((other, i) => [
      `Factor: ${other.label}`,
      formulaNode(other.levels[name].formula(places[i])),
    ]);
  }
  return [];
}

/**
 * @param {KernelSet} level
 * @param {number} k
 */
function rivalList(level, k) {
  const rivals = level.rivals[k];
  if (rivals.length === 1) return null;
  /** @param {Rival} rival */
  const probability = (rival) => `${(100 * rival.probability).toFixed(0)} %`;
  const items = rivals.map((rival) =>
    el("li", {}, formulaNode(rival.text), el("span", { class: "quiet" }, ` ${probability(rival)}`)),
  );
  const head = "Rival models, which the prediction weighs by their probability";
  return el("div", {}, el("h3", {}, head), el("ul", { class: "rivals" }, ...items));
}
