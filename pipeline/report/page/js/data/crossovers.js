// @ts-check
// Where kernels overtake those that lead, for metrics beside the chosen one: what crossovers in models/bottlenecks.py
// finds for that.

import { spread } from "./space.js";

/** @import { Crossover, Level } from "./level.js" */

/**
 * Crossovers with the other parameters as the page opens: up to the target, then up to the end of the slider.
 * @param {Level} level
 * @returns {Crossover[]}
 */
export function crossoversOf(level) {
  const { opening, column, measuredEnd, reach } = level.space;
  const target = opening[column];
  const near = crossoversUpTo(level, Math.max(target, measuredEnd));
  return [...near, ...crossoversUpTo(level, reach[column]).filter(({ at }) => at > target)];
}

/**
 * @param {Level} level
 * @param {number} horizon
 * @returns {Crossover[]}
 */
function crossoversUpTo(level, horizon) {
  const { measuredStart, measuredEnd, constants } = level.space;
  const crossing = constants.crossovers;
  const comparable = level.region.map(
    (_, k) => !(level.unreliable[k] || level.notMeasurable[k] || level.startUp[k]),
  );
  const working = level.region.map((_, k) => k).filter((k) => !level.startUp[k]);
  if (!(measuredStart > 0 && measuredStart < horizon) || working.length === 0) return [];
  const scales = spread(measuredStart, horizon, crossing.scales);
  const values = scales.map((scale) => level.opening.values(scale));
  const totals = values.map((all) => all.reduce((sum, value) => sum + value, 0));
  const leaders = new Set(values.map((all) => working.reduce((most, k) => (all[k] > all[most] ? k : most))));
  const last = values[values.length - 1];
  const largest = [...working].sort((a, b) => last[b] - last[a]).slice(0, crossing.followers);
  const candidates = [...new Set([...leaders, ...largest])].filter((k) => comparable[k]);
  /** @type {Crossover[]} */
  const found = [];
  for (const past of [...leaders].filter((k) => comparable[k])) {
    for (let i = 0; i + 1 < scales.length; i++) {
      if (values[i][past] < crossing.share * totals[i]) continue;
      for (const over of candidates) {
        const before = values[i][over] - values[i][past];
        const after = values[i + 1][over] - values[i + 1][past];
        if (!(before <= 0 && after > 0)) continue;
        const at = scales[i] * (scales[i + 1] / scales[i]) ** (-before / (after - before));
        found.push({ over, past, at, measured: at <= measuredEnd });
      }
    }
  }
  return found.sort((a, b) => a.at - b.at);
}
