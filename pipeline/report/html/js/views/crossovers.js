// @ts-check
// Where leading kernels overtake each other: marks in the chart, and a list.

import { el, svgEl } from "../draw/dom.js";
import { kernelLabel } from "../text/names.js";
import { scaleText } from "../text/numbers.js";

/** @import { Crossover, Level } from "../data/level.js" */
/** @import { Point } from "../data/payload.js" */
/** @import { Chart } from "../draw/chart.js" */
/** @typedef {Crossover & {value: number}} PlacedCrossover */

const SHOWN = 9;

/**
 * Crossovers of leading kernels, those at the largest values where there are many, ordered by scale.
 * They hold for the other parameters at the report's target only.
 * @param {Level} level
 * @param {Point} target
 * @param {number[]} leading
 * @returns {PlacedCrossover[]}
 */
export function shownCrossovers(level, target, leading) {
  const { space } = level;
  if (!space.onGridLine(target)) return [];
  return level.crossovers
    .filter(({ over, past }) => leading.includes(over) && leading.includes(past))
    .map((crossover) => ({
      ...crossover,
      value: level.value(crossover.over, space.atScale(target, crossover.at)),
    }))
    .sort((a, b) => b.value - a.value)
    .slice(0, SHOWN)
    .sort((a, b) => a.at - b.at);
}

/**
 * @param {Level} level
 * @param {Crossover} crossover
 */
function crossoverText(level, { over, past, at }) {
  const scale = `${level.space.scaled} ≈ ${scaleText(Number(at.toPrecision(3)))}`;
  return `At ${scale} ${kernelLabel(level, over, 44)} overtakes ${kernelLabel(level, past, 44)}`;
}

/**
 * @param {Chart} chart
 * @param {Level} level
 * @param {PlacedCrossover[]} crossovers
 */
export function drawCrossovers(chart, level, crossovers) {
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
      svgEl("title", {}, crossoverText(level, crossover)),
      svgEl("circle", { cx: px, cy: py, r: 8 }),
      svgEl("text", { x: px, y: py + 3.5, "text-anchor": "middle" }, String(i + 1)),
    );
    chart.over.append(mark);
  });
}

/**
 * @param {Level} level
 * @param {Point} target
 * @param {PlacedCrossover[]} crossovers
 */
export function crossoverList(level, target, crossovers) {
  if (crossovers.length === 0) {
    const text = "No kernel overtakes a leading one up to the end of the slider.";
    return el("p", { class: "quiet" }, text);
  }
  const items = crossovers.map((crossover) => {
    const later = crossover.at > target[level.space.column];
    const where = crossover.measured
      ? " (measured range)"
      : later
        ? " (beyond the target)"
        : " (extrapolated)";
    return el(
      "li",
      { class: later ? "later" : "" },
      crossoverText(level, crossover),
      el("span", { class: "quiet" }, where),
    );
  });
  return el("ol", { class: "crossovers" }, ...items);
}
