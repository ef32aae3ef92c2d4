// @ts-check
// Predictions along the scaled parameter, the others as at some point: known at a few scales, interpolated between as
// ScalingModels.curve does.

import { placeAmong } from "./space.js";

/** @import { Interval, Level } from "./level.js" */
/** @import { Point } from "./payload.js" */
/** @typedef {{i: number, share: number}} Place between two of the known scales */
/** @typedef {Float32Array | Float64Array} Numbers */
/** @typedef {{value: Numbers, lower: Numbers, upper: Numbers}} Known K x G values with their intervals */

const REMEMBERED = 300; // scales

export class Line {
  /**
   * @param {Level} level
   * @param {Point} others
   * @param {Known | null} known null if there are only formulas
   */
  constructor(level, others, known) {
    this.level = level;
    this.others = others;
    this.known = known;
    this.count = level.scales.length;
    /** @type {Float32Array | null} */
    this.ratios = null;
    /** @type {Map<number, Float64Array>} */
    this.seen = new Map();
  }

  /** Logarithms of prediction over formula, K x G, made when they are first needed; predictions weigh all rivals. */
  get corrections() {
    this.ratios ??= this.corrected();
    return this.ratios;
  }

  corrected() {
    const { level, known, count } = this;
    const logs = new Float32Array(level.count * count).fill(Number.NaN);
    if (!known) return logs;
    level.scales.forEach((scale, i) => {
      level.formulas(level.space.atScale(this.others, scale)).forEach((formula, k) => {
        const value = known.value[k * count + i];
        if (comparable(formula, value)) logs[k * count + i] = Math.log(value / formula);
      });
    });
    return logs;
  }

  /**
   * Between which known scales a scale lies; null beyond them.
   * @param {number} scale
   */
  place(scale) {
    return this.known && placeAmong(this.level.logScales, scale);
  }

  /**
   * The same, but the nearest known scale for those beyond.
   * @param {number} scale
   */
  nearest(scale) {
    const { scales } = this.level;
    return this.place(Math.min(Math.max(scale, scales[0]), scales[this.count - 1]));
  }

  /**
   * A prediction: the formula corrected by what its rivals say at the known scales.
   * @param {number} k
   * @param {number} formula
   * @param {Place | null} place
   */
  corrects(k, formula, place) {
    if (!place || !this.known) return formula;
    const i = k * this.count + place.i;
    const log = this.corrections[i] * (1 - place.share) + this.corrections[i + 1] * place.share;
    if (formula > 0 && Number.isFinite(log)) return formula * Math.exp(log);
    return between(this.known.value[i], this.known.value[i + 1], place.share);
  }

  /**
   * Predicted value of one kernel.
   * @param {number} k
   * @param {number} scale
   * @returns {number}
   */
  value(k, scale) {
    const at = this.level.space.atScale(this.others, scale);
    const place = this.place(scale);
    if (!place && this.level.predictor) return this.level.value(k, at);
    return this.corrects(k, this.level.formula(k, at), place);
  }

  /**
   * Predicted values of all kernels, which must not be changed; the last ones are remembered.
   * @param {number} scale
   * @returns {Float64Array}
   */
  values(scale) {
    const known = this.seen.get(scale);
    if (known) return known;
    const at = this.level.space.atScale(this.others, scale);
    const place = this.place(scale);
    if (!place && this.level.predictor) return this.level.values(at);
    const found = this.level.formulas(at).map((formula, k) => this.corrects(k, formula, place));
    this.seen.set(scale, found);
    if (this.seen.size > REMEMBERED) this.seen.delete(this.seen.keys().next().value ?? 0);
    return found;
  }

  /**
   * 90 % interval of a kernel's value, interpolated by ratio; it encloses the value. Null if it is not known.
   * @param {number} k
   * @param {number} scale
   * @param {number} value
   * @returns {Interval | null}
   */
  interval(k, scale, value) {
    const place = this.place(scale);
    if (place) return this.ends(k, place, value);
    return (
      this.level.predictor && this.level.interval(k, this.level.space.atScale(this.others, scale), value)
    );
  }

  /**
   * @param {number} k
   * @param {Place} place
   * @param {number} value
   * @returns {Interval | null}
   */
  ends(k, place, value) {
    if (!this.known) return null;
    const { lower, upper } = this.known;
    const i = k * this.count + place.i;
    return [
      Math.min(between(lower[i], lower[i + 1], place.share), value),
      Math.max(between(upper[i], upper[i + 1], place.share), value),
    ];
  }

  /**
   * The interval of a value elsewhere that is as far from it, by ratio, as at the nearest known scale.
   * @param {number} k
   * @param {number} scale
   * @param {number} value
   * @returns {Interval | null}
   */
  scaled(k, scale, value) {
    const place = this.nearest(scale);
    if (!place || !this.known) return null;
    const i = k * this.count + place.i;
    const there = between(this.known.value[i], this.known.value[i + 1], place.share);
    const ends = this.ends(k, place, there);
    return ends && (there > 0 ? [(ends[0] / there) * value, (ends[1] / there) * value] : ends);
  }
}

/**
 * @param {number} a
 * @param {number} b
 * @param {number} share
 */
export function between(a, b, share) {
  return comparable(a, b) ? a ** (1 - share) * b ** share : a + (b - a) * share;
}

/**
 * Whether a ratio of two values means something: near zero it is of rounding errors.
 * @param {number} a
 * @param {number} b
 */
function comparable(a, b) {
  return a > 0 && b > 0 && a < 1e3 * b && b < 1e3 * a;
}
