// @ts-check
// Figures of the whole program over scale, with 90 % intervals: between the known scales they are interpolated.

import { placeAmong } from "./space.js";

/** @import { Estimates } from "./payload.js" */
/** @typedef {{x: number, value: number, lower: number, upper: number}} Known an interval may be unknown: NaN */

/**
 * The figures that are available, by scale.
 * @param {Estimates} estimates
 * @returns {Known[]}
 */
export function known({ scale, value, lower, upper }) {
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
 * The figure at a scale; null outside of the known ones.
 * @param {Known[]} curve ascending
 * @param {number} x
 * @returns {Known | null}
 */
export function figureAt(curve, x) {
  if (curve.length === 0) return null;
  const logs = Float64Array.from(curve, (one) => Math.log(one.x));
  const place = curve.length > 1 ? placeAmong(logs, x) : null;
  if (!place) return curve.find((one) => one.x === x) ?? null;
  const [low, high] = [curve[place.i], curve[place.i + 1]];
  /** @param {"value" | "lower" | "upper"} key */
  const of = (key) => mixed(low[key], high[key], place.share);
  return { x, value: of("value"), lower: of("lower"), upper: of("upper") };
}

/**
 * @param {number} a
 * @param {number} b
 * @param {number} share
 */
function mixed(a, b, share) {
  return a > 0 && b > 0 ? a ** (1 - share) * b ** share : a + (b - a) * share;
}
