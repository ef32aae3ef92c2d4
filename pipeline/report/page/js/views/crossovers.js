// @ts-check
// Where leading kernels overtake each other, seen or predicted: marks in the chart, and a list.

import { el, svgEl } from "../draw/dom.js";
import { distinctLabels } from "../text/names.js";

/** @import { Crossover, KernelSet } from "../data/kernel_set.js" */
/** @import { Point } from "../data/payload.js" */
/** @import { Chart } from "../draw/chart.js" */

const SHOWN = 9;

/**
 * Crossovers, those at the largest values where there are many, ordered by scale. They hold for the other parameters at
 * the report's target only.
 * @param {KernelSet} level
 * @param {Point} target
 * @returns {Crossover[]}
 */
export function shownCrossovers(level, target) {
  if (level.positions.lineOf(target) !== 0) return [];
  return [...level.crossovers]
    .sort((a, b) => b.value - a.value)
    .slice(0, SHOWN)
    .sort((a, b) => a.at - b.at);
}

/**
 * @param {KernelSet} level
 * @param {Crossover} crossover
 */
function crossoverText(level, { over, past, place }) {
  const [first, second] = distinctLabels(level, [over, past], 44);
  return `${place[0].toUpperCase()}${place.slice(1)} ${first} overtakes ${second}`;
}

/**
 * Marks of those whose kernels have lines, numbered as in the list.
 * @param {Chart} chart
 * @param {KernelSet} level
 * @param {Crossover[]} crossovers
 * @param {number[]} drawn
 */
export function drawCrossovers(chart, level, crossovers, drawn) {
  /** @type {[number, number][]} */
  const placed = []; // marks that would cover another one move up
  crossovers.forEach((crossover, i) => {
    if (!drawn.includes(crossover.over) || !drawn.includes(crossover.past)) return;
    const px = chart.x(crossover.at);
    if (px > chart.box.right) return;
    let py = chart.y(crossover.value);
    if (!(py > chart.box.top && py < chart.box.bottom)) return;
    while (placed.some(([x, y]) => Math.hypot(x - px, y - py) < 16)) py -= 4;
    placed.push([px, py]);
    const mark = svgEl(
      "g",
      { class: "crossing" },
      svgEl("title", {}, `${crossoverText(level, crossover)} (${crossover.certainty})`),
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
    return "No leading kernel overtakes another, in the measurements or up to the end of the curves.";
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
    return el(
      "li",
      { class: later ? "later" : "" },
      crossoverText(level, crossover),
      el("span", { class: "quiet" }, ` (${crossover.certainty})`),
    );
  });
  return el("ol", { class: "crossovers" }, ...items);
}
