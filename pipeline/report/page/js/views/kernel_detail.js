// @ts-check
// What a row of the kernel table opens: the plot of its model, and all that is known about it.

import { linearDomain, logDomain } from "../draw/axes.js";
import {
  curveScales,
  drawBand,
  drawBeyond,
  drawDots,
  drawLine,
  drawTarget,
  frame,
  scaleAxis,
} from "../draw/chart.js";
import { chartTools } from "../draw/chart_tools.js";
import { copyButton, el, onResize, switcher } from "../draw/dom.js";
import { copyable, formulaNode } from "../draw/nodes.js";
import { readings } from "../draw/readings.js";
import { formulaText } from "../text/formula.js";
import { fullPathNames } from "../text/names.js";
import { figure, intervalText, pointText, quantityText, unitText } from "../text/numbers.js";
import { formulaLatex, formulaPython } from "../text/source.js";
import { locationsPanel } from "./locations.js";

/** @import { Interval, Level } from "../data/level.js" */
/** @import { Point } from "../data/payload.js" */
/** @import { Metric, Report } from "../data/report.js" */
/** @import { Chart } from "../draw/chart.js" */
/** @import { Child } from "../draw/dom.js" */
/** @import { Detail } from "../draw/table.js" */
/** @import { State } from "../state.js" */

const HEIGHT = 340;
/** Counts and the time of each, whose product is the effort, as in models/metrics.py. */
const FACTORS = [
  ["iterations", "time_per_iteration"],
  ["visits", "time_per_visit"],
  ["gpu_visits", "gpu_time_per_visit"],
];
const logarithmic = { x: true, y: true }; // the axes of all details

/**
 * @param {Report} report
 * @param {State} state
 * @param {Level} level
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
  /** @param {"x" | "y"} key */
  const axis = (key) =>
    switcher(
      `${key} axis`,
      `detail-${key}-${k}`,
      [
        ["log", "log"],
        ["linear", "linear"],
      ],
      logarithmic[key] ? "log" : "linear",
      (value) => {
        logarithmic[key] = value === "log";
        draw();
      },
    );
  onResize(host, draw);
  const tools = chartTools(host, `kernel ${level.name(k)}`, draw);
  const options = el("div", { class: "options" }, axis("x"), axis("y"), tools);
  const parts = [el("div", {}, options, host), facts, panel?.node];
  return { update, node: el("div", { class: "kernel-detail" }, ...parts) };
}

/**
 * Curves of a kernel over the samples and the grid, where intervals are exact.
 * @param {Level} level
 * @param {Point} target
 * @param {number} k
 */
function kernelCurves(level, target, k) {
  const { space } = level;
  const evenly = curveScales(space, target);
  const last = evenly[evenly.length - 1];
  const grid = level.scales.filter((scale) => scale >= evenly[0] && scale <= last);
  const xs = [...new Set([...evenly, ...grid])].sort((a, b) => a - b);
  const points = xs.map((scale) => space.atScale(target, scale));
  const formulas = level.rivalsOf(k).map((rival) => ({
    rival,
    values: points.map((at) => level.formula(k, at, rival)),
  }));
  const line = level.along(target);
  const predicted = xs.map((scale) => line.value(k, scale));
  /** @type {Interval[]} */
  const intervals = xs.flatMap((scale, j) => {
    const interval = line.interval(k, scale, predicted[j]);
    return interval ? [interval] : [];
  });
  return { xs, formulas, predicted, intervals };
}

/**
 * @param {HTMLElement} host
 * @param {Metric} metric
 * @param {Point} target
 * @param {Level} level
 * @param {number} k
 */
function drawKernel(host, metric, target, level, k) {
  const { space } = level;
  const { xs, formulas, predicted, intervals } = kernelCurves(level, target, k);
  const lower = intervals.map(([low]) => low);
  const upper = intervals.map(([, high]) => high);
  const dots = space.pointsAlong(target).flatMap((i) =>
    level.singles(k, i).map((y) => ({
      x: space.points[i][space.column],
      y,
      title: `${pointText(space.parameters, space.points[i])}: ${figure(y)}`,
    })),
  );
  const seen = [...predicted, ...upper, ...dots.map((dot) => dot.y)];
  const chart = frame(host, {
    height: HEIGHT,
    label:
      `${level.name(k)}: ${dots.length} measurements, model ${formulaText(level, k)}, ` +
      `${figure(level.value(k, target))} at ${pointText(space.parameters, target)}.`,
    x: scaleAxis(space, [xs[0] / (logarithmic.x ? 1.05 : 1), xs[xs.length - 1]], logarithmic.x),
    y: {
      domain: logarithmic.y ? logDomain([...seen, ...lower]) : linearDomain(seen),
      log: logarithmic.y,
      label: metric.label,
    },
  });
  drawBeyond(chart, space.measuredEnd);
  drawTarget(chart, target[space.column]);
  if (intervals.length) drawBand(chart, xs, lower, upper, "c0");
  formulas.forEach(({ rival, values }, place) => {
    drawLine(chart, xs, values, place ? "rival" : "chosen c0", formulaText(level, k, rival));
  });
  drawPrediction(chart, level, k, xs, predicted);
  drawDots(chart, dots, "c0 open");
  readings(host, chart, space, (scale) => {
    const at = space.atScale(target, scale);
    const value = level.value(k, at);
    const point = space.pointsAlong(target).find((i) => space.points[i][space.column] === scale);
    const singles = point === undefined ? [] : level.singles(k, point);
    const { unit } = metric;
    /** @type {[string, string, string][]} */
    const measured = singles.length
      ? [["c0", "measured", unitText(singles.map((y) => figure(y)).join(", "), unit)]]
      : [];
    return [
      ...measured,
      ["c0", "model", unitText(figure(value), unit)],
      ["none", "90 % interval", unitText(intervalText(level.interval(k, at, value)), unit)],
      ["none", "formula alone", unitText(figure(level.formula(k, at)), unit)],
    ];
  });
}

/**
 * The prediction; before the segment for which the model holds it is drawn thin.
 * @param {Chart} chart
 * @param {Level} level
 * @param {number} k
 * @param {number[]} xs
 * @param {number[]} ys
 */
function drawPrediction(chart, level, k, xs, ys) {
  const from = level.validFrom[k * level.space.parameters.length + level.space.column];
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
 * @param {Level} level
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
  facts.push(
    [
      `At ${pointText(level.space.parameters, target)}`,
      quantityText(value, metric.unit, level.interval(k, target, value)),
    ],
    ["Most plausible formula", formulaNode(level, k)],
    ["Formula to copy", formulaCopies(metric, level, k)],
    ...factorFacts(report, metric, level, k),
    ["Quality", errors],
    ["Growing", `with a probability of ${(100 * level.growing[k]).toFixed(0)} %`],
  );
  if (level.warnings[k].length) facts.push(["Warnings", level.warnings[k].join("; ")]);
  const list = el("dl", {}, ...facts.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
  const rivals = rivalList(level, k);
  return rivals ? [list, rivals] : [list];
}

/**
 * Buttons that copy the formula for other programs.
 * @param {Metric} metric
 * @param {Level} level
 * @param {number} k
 */
function formulaCopies(metric, level, k) {
  const names = fullPathNames(level, k).join(" > ");
  const python = formulaPython(level, k, `${metric.label} of ${names}`);
  const copies = [
    copyButton(formulaLatex(level, k), "the formula as LaTeX", "LaTeX"),
    copyButton(python, "the formula as Python", "Python"),
  ];
  return el("span", {}, ...copies);
}

/**
 * The factors of an effort: how often, and how long each time, with their formulas.
 * @param {Report} report
 * @param {Metric} metric
 * @param {Level} level
 * @param {number} k
 * @returns {[string, Child][]}
 */
function factorFacts(report, metric, level, k) {
  if (metric !== report.metrics[0]) return [];
  const name = level === metric.levels.callpaths ? "callpaths" : "regions";
  for (const pair of FACTORS) {
    const found = report.metrics.filter((other) => pair.includes(other.name));
    const places = found.map((other) => other.levels[name].placeOf(level, k));
    if (found.length < pair.length || places.some((place) => place < 0)) continue;
    return found.map((other, i) => [`Factor: ${other.label}`, formulaNode(other.levels[name], places[i])]);
  }
  return [];
}

/**
 * @param {Level} level
 * @param {number} k
 */
function rivalList(level, k) {
  const others = level.rivalsOf(k).filter((i) => i > 0);
  if (others.length === 0) return null;
  /** @param {number} i */
  const probability = (i) => `${(100 * level.probability(k, i)).toFixed(0)} %`;
  const items = others.map((i) =>
    el("li", {}, formulaNode(level, k, i), el("span", { class: "quiet" }, ` ${probability(i)}`)),
  );
  const head = `Rival models (the most plausible one has ${probability(0)})`;
  return el("div", {}, el("h3", {}, head), el("ul", { class: "rivals" }, ...items));
}
