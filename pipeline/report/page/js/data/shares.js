// @ts-check
// What is predicted at a position: values, shares, flags, and how fast each kernel grows there.

/** @import { KernelSet } from "./kernel_set.js" */
/** @import { Point } from "./records.js" */
/** @typedef {{growing: number, noteworthy: number}} Limits */
/**
 * @typedef {"growing" | "future_bottleneck" | "dominant_measured" | "dominant_at_target" | "unreliable"
 *   | "not_measurable" | "start_up"} Flag
 */

const LEADING = 7;
/** @type {WeakMap<KernelSet, Map<number, number[]>>} */
const leading = new WeakMap(); // of each level on each line of positions

/** @param {Iterable<number>} values */
export function sum(values) {
  let total = 0;
  for (const value of values) if (Number.isFinite(value)) total += value;
  return total;
}

/** @param {ArrayLike<number>} values */
export function largestOf(values) {
  let best = 0;
  for (let k = 1; k < values.length; k++) if (values[k] > values[best]) best = k;
  return best;
}

/**
 * Values of all kernels at the target and at the largest measured point.
 * @param {KernelSet} level
 * @param {Point} at
 * @param {Limits} limits
 */
export function sharesAt(level, at, limits) {
  const value = level.values(at);
  const total = level.totalAt(at);
  const measured = Float64Array.from(value, (_, k) => level.measured(k, level.positions.largest) || 0);
  const totalMeasured = sum(measured);
  const shareAtTarget = value.map((v) => (total > 0 ? v / total : 0));
  const shareMeasured = measured.map((v) => (totalMeasured > 0 ? v / totalMeasured : 0));
  const flags = flagsOf(level, limits, value, shareMeasured, shareAtTarget);
  if (level.additive) return { value, total, shareAtTarget, shareMeasured, flags };
  const none = value.map(() => NaN);
  const needShares = /^dominant|^future_bottleneck/;
  const others = flags.map((some) => some.filter((flag) => !needShares.test(flag)));
  return { value, total: NaN, shareAtTarget: none, shareMeasured: none, flags: others };
}

/**
 * @param {KernelSet} level
 * @param {Limits} limits
 * @param {Float64Array} value
 * @param {Float64Array} shareMeasured
 * @param {Float64Array} shareAtTarget
 */
function flagsOf(level, limits, value, shareMeasured, shareAtTarget) {
  const before = level.values(level.positions.points[level.positions.largest]);
  const work = (/** @type {Float64Array} */ shares) => shares.map((s, k) => (level.startUp[k] ? 0 : s));
  const ofWork = { measured: work(shareMeasured), atTarget: work(shareAtTarget) };
  const first = largestOf(ofWork.measured);
  const later = largestOf(ofWork.atTarget);
  return Array.from(value, (v, k) => {
    const conclusive = !level.unreliable[k] && !level.notMeasurable[k];
    const growing = conclusive && level.growing[k] >= limits.growing && before[k] > 0 && v / before[k] > 1;
    const future =
      growing &&
      !level.startUp[k] &&
      shareAtTarget[k] >= limits.noteworthy &&
      shareAtTarget[k] > shareMeasured[k];
    /** @type {Flag[]} */
    const flags = [];
    if (growing) flags.push("growing");
    if (future) flags.push("future_bottleneck");
    if (k === first && ofWork.measured[k] > 0) flags.push("dominant_measured");
    if (k === later && ofWork.atTarget[k] > 0 && conclusive) flags.push("dominant_at_target");
    if (level.unreliable[k]) flags.push("unreliable");
    if (level.notMeasurable[k]) flags.push("not_measurable");
    if (level.startUp[k]) flags.push("start_up");
    return flags;
  });
}

/**
 * Kernels that are among the largest somewhere between the first measurement and the end of the curves;
 * they keep their colours whatever the target is.
 * @type {(level: KernelSet, others: Point) => number[]}
 */
export function leadingKernels(level, others) {
  const { positions } = level;
  const line = positions.lineOf(others);
  const known = leading.get(level)?.get(line);
  if (known) return known;
  const peak = new Float64Array(level.count);
  for (const scale of positions.scales.filter((one) => one <= positions.reach)) {
    const value = level.values(positions.atScale(others, scale));
    const total = sum(value);
    value.forEach((v, k) => {
      peak[k] = Math.max(peak[k], total > 0 ? v / total : 0);
    });
  }
  const order = Array.from(peak.keys()).sort((a, b) => peak[b] - peak[a]);
  const found = order.slice(0, LEADING).filter((k) => peak[k] > 0);
  leading.set(level, (leading.get(level) ?? new Map()).set(line, found));
  return found;
}

/**
 * Exponents e of the local growth p^e of values; 0 for what is not there.
 * @param {ArrayLike<number>} here
 * @param {ArrayLike<number>} next values at a larger scale
 * @param {number} ratio of the scales
 */
export function elasticity(here, next, ratio) {
  return Float64Array.from(here, (v, k) =>
    v > 0 && next[k] > 0 && ratio > 1 ? Math.log(next[k] / v) / Math.log(ratio) : 0,
  );
}
