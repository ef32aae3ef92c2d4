// @ts-check
// Where leading kernels overtake each other: marks in the chart, and a list.

import { el, svgEl } from "../draw/dom.js";
import { distinctLabels } from "../text/names.js";
import { valueText } from "../text/numbers.js";

/** @import { Crossover, Interval, KernelSet } from "../data/kernel_set.js" */
/** @import { Point } from "../data/payload.js" */
/** @import { Chart } from "../draw/chart.js" */

const SHOWN = 9;

/**
 * Crossovers of leading kernels, those at the largest values where there are many, ordered by scale.
 * They hold for the other parameters at the report's target only.
 * @param {KernelSet} level
 * @param {Point} target
 * @param {number[]} leading
 * @returns {Crossover[]}
 */
export function shownCrossovers(level, target, leading) {
  const { positions } = level;
  if (positions.lineOf(target) !== 0) return [];
  return level.crossovers
    .filter(({ over, past }) => leading.includes(over) && leading.includes(past))
    .sort((a, b) => b.value - a.value)
    .slice(0, SHOWN)
    .sort((a, b) => a.at - b.at);
}

/**
 * Between which scales it can happen: where the intervals of the two overlap, around the crossover; an end that is
 * not known is infinite.
 * @param {KernelSet} level
 * @param {Point} target
 * @param {Crossover} crossover
 * @returns {Interval}
 */
export function crossoverRange(level, target, { over, past, at }) {
  const { positions } = level;
  const { scales } = positions;
  /**
   * @param {number} k
   * @param {number} scale
   * @returns {Interval}
   */
  const ends = (k, scale) => level.interval(k, positions.atScale(target, scale)) ?? [0, Infinity];
  /** @param {number} scale */
  const before = (scale) => ends(over, scale)[1] < ends(past, scale)[0];
  /** @param {number} scale */
  const after = (scale) => ends(over, scale)[0] > ends(past, scale)[1];
  const earlier = scales
    .filter((scale) => scale < at)
    .reverse()
    .find(before);
  const later = scales.filter((scale) => scale > at).find(after);
  return [earlier ?? 0, later ?? Infinity];
}

/**
 * @param {KernelSet} level
 * @param {Point} target
 * @param {Crossover} crossover
 */
function crossoverText(level, target, crossover) {
  const { over, past, at } = crossover;
  const name = level.positions.scaled;
  const [first, second] = distinctLabels(level, [over, past], 44);
  const text = `At ${name} ≈ ${valueText(Number(at.toPrecision(3)))} ${first} overtakes ${second}`;
  const [low, high] = crossoverRange(level, target, crossover);
  const [from, to] = [low, high].map((scale) => valueText(Number(scale.toPrecision(2))));
  if (low > 0 && high < Infinity) return `${text}; intervals overlap from ${name} = ${from} to ${to}`;
  if (low > 0) return `${text}; intervals overlap from ${name} = ${from} on`;
  return high < Infinity
    ? `${text}; intervals overlap up to ${name} = ${to}`
    : `${text}; intervals overlap everywhere`;
}

/**
 * @param {Chart} chart
 * @param {KernelSet} level
 * @param {Point} target
 * @param {Crossover[]} crossovers
 */
export function drawCrossovers(chart, level, target, crossovers) {
  /** @type {[number, number][]} */
  const placed = []; // marks that would cover another one move up
  crossovers.forEach((crossover, i) => {
    const px = chart.x(crossover.at);
    if (px > chart.box.right) return;
    let py = chart.y(crossover.value);
    if (!(py > chart.box.top && py < chart.box.bottom)) return;
    while (placed.some(([x, y]) => Math.hypot(x - px, y - py) < 16)) py -= 4;
    placed.push([px, py]);
    const mark = svgEl(
      "g",
      { class: "crossing" },
      svgEl("title", {}, crossoverText(level, target, crossover)),
      svgEl("circle", { cx: px, cy: py, r: 8 }),
      svgEl("text", { x: px, y: py + 3.5, "text-anchor": "middle" }, String(i + 1)),
    );
    chart.over.append(mark);
  });
}

/**
 * Why there is no crossover to list.
 * @param {KernelSet} level
 * @param {Point} target
 */
function noneText(level, target) {
  if (!level.additive) return "Crossovers are found for metrics that have a total.";
  if (level.positions.lineOf(target) === 0)
    return "No kernel overtakes a leading one up to the end of the curves.";
  return "Crossovers are known with the other parameters at the target that the page opens with.";
}

/**
 * @param {KernelSet} level
 * @param {Point} target
 * @param {Crossover[]} crossovers
 */
export function crossoverList(level, target, crossovers) {
  if (crossovers.length === 0) return el("p", { class: "quiet" }, noneText(level, target));
  const items = crossovers.map((crossover) => {
    const later = crossover.at > target[level.positions.column];
    const where = crossover.measured
      ? " (measured range)"
      : later
        ? " (beyond the target)"
        : " (extrapolated)";
    return el(
      "li",
      { class: later ? "later" : "" },
      crossoverText(level, target, crossover),
      el("span", { class: "quiet" }, where),
    );
  });
  return el("ol", { class: "crossovers" }, ...items);
}
