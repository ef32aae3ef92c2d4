// @ts-check
// Where kernels are heading at the end of the measured range, combined with their formulas as in models/trend.py.

import { floats } from "./payload.js";

/** @import { Constants, Point, TrendPayload } from "./payload.js" */
/** @typedef {[number, number, number]} Ends lower end, value and upper end */

/**
 * What all kernels share at a point.
 * @typedef {object} Place
 * @property {number[]} reaches logarithm of the factor beyond the range, per parameter
 * @property {number} reach their sum
 * @property {number} fullness how much of a correction counts, 0 to 1
 * @property {number[]} steps doublings to every measured point
 * @property {Point} inside the nearest point of the range
 */

/** Trend and CombinedTrend. */
export class Trend {
  /**
   * @param {TrendPayload} raw
   * @param {Constants["trend"]} constants
   */
  constructor(raw, constants) {
    this.constants = constants;
    this.points = raw.points;
    this.logPoints = raw.points.map((point) => point.map(Math.log));
    this.steepest = raw.steepest;
    this.formulaError = raw.formulaError;
    this.trendError = raw.trendError;
    this.hold = raw.formulasHold;
    this.logs = floats(raw.logs);
    this.misfit = raw.misfit && floats(raw.misfit);
    this.noise = floats(raw.noise);
    this.shift = floats(raw.shift);
    const [first] = raw.points;
    this.first = first.map((_, d) => Math.min(...raw.points.map((point) => point[d])));
    this.last = first.map((_, d) => Math.max(...raw.points.map((point) => point[d])));
    this.largest = this.points.findIndex((point) => point[0] === this.last[0]);
  }

  /**
   * @param {Point} at
   * @returns {Place}
   */
  place(at) {
    const reaches = at.map((value, d) => Math.log(Math.max(value / this.last[d], 1)));
    const reach = reaches.reduce((a, b) => a + b, 0);
    const inside = at.map((value, d) => Math.min(Math.max(value, this.first[d]), this.last[d]));
    const steps = this.points.map((point) =>
      point.reduce((sum, value, d) => sum + Math.abs(Math.log2(value / inside[d])), 0),
    );
    return { reaches, reach, fullness: Math.min(reach / this.constants.fullReach, 1), steps, inside };
  }

  /**
   * The measured point nearest to a place at which a kernel is known; -1 for none.
   * @param {number} k
   * @param {Place} place
   */
  nearest(k, { steps }) {
    let best = -1;
    for (let p = 0; p < steps.length; p++) {
      const known = Number.isFinite(this.logs[k * steps.length + p]);
      if (known && (best < 0 || steps[p] < steps[best])) best = p;
    }
    return best;
  }

  /**
   * Logarithm of what the trend gives, through the nearest measured point.
   * @param {number} k
   * @param {Place} place
   * @param {number} nearest
   */
  log(k, { reaches, steps, inside }, nearest) {
    const slope = this.slopes(k, steps);
    let log = this.logs[k * steps.length + nearest];
    slope.forEach((rise, d) => {
      log += rise * (Math.log(inside[d]) - this.logPoints[nearest][d] + reaches[d]);
    });
    return log;
  }

  /**
   * Slopes along the parameters by weighted least squares: Trend._local.
   * @param {number} k
   * @param {number[]} steps
   */
  slopes(k, steps) {
    const [count, parameters] = [steps.length, this.last.length];
    const { halfLife, ridge, steepestFall } = this.constants;
    const used = steps.map((_, p) => p).filter((p) => Number.isFinite(this.logs[k * count + p]));
    const weight = used.map((p) => 2 ** (-steps[p] / halfLife));
    const total = weight.reduce((a, b) => a + b, 0);
    /** @param {(p: number) => number} of */
    const mean = (of) => used.reduce((sum, p, i) => sum + weight[i] * of(p), 0) / total;
    const center = Array.from({ length: parameters }, (_, d) => mean((p) => this.logPoints[p][d]));
    const level = mean((p) => this.logs[k * count + p]);
    /** @param {number} p @param {number} d */
    const offset = (p, d) => this.logPoints[p][d] - center[d];
    const rows = center.map((_, d) => [
      ...center.map((__, e) => mean((p) => offset(p, d) * offset(p, e)) + (d === e ? ridge : 0)),
      mean((p) => offset(p, d) * (this.logs[k * count + p] - level)),
    ]);
    return solved(rows).map((slope, d) => Math.min(Math.max(slope, steepestFall), this.steepest[d]));
  }

  /**
   * Ends and value of a kernel's formulas combined with its trend: CombinedTrend.combined.
   * @param {number} k
   * @param {Ends} formula
   * @param {Place} place
   * @returns {Ends}
   */
  combined(k, formula, place) {
    const { reaches, reach, fullness } = place;
    const { width, smallestEnd, lopsided, below, above } = this.constants;
    if (!(reach > 0)) return formula;
    const nearest = this.nearest(k, place);
    if (nearest < 0) return formula;
    const misfit = this.misfit ? this.misfit[k * this.points.length + nearest] * fullness : 0;
    const ends = /** @type {Ends} */ (formula.map((end) => end * Math.exp(misfit)));
    if (!(ends[1] > 0)) return ends;
    const [low, middle, high] = ends.map((end) => Math.log(Math.max(end, smallestEnd * ends[1])));
    const trend = this.log(k, place, nearest);
    const down = Math.min(middle - low, lopsided * (high - middle));
    const side = (trend > middle ? high - middle : down) / width;
    const astray = 1 - this.hold;
    /** @param {number[]} errors */
    const along = (errors) => errors.reduce((sum, error, d) => sum + (reaches[d] * error) ** 2, 0);
    const ofFormula = side ** 2 + astray * along(this.formulaError);
    const ofTrend = along(this.trendError) + this.noise[k] ** 2;
    const both = ofFormula + ofTrend;
    const share = ((astray * ofFormula) / (both > 0 ? both : 1)) * fullness;
    const value = middle + share * (trend - middle) + this.shift[k] * reach;
    const apart = share * (1 - share) * (trend - middle) ** 2;
    const spread = Math.sqrt(ofFormula * (1 - share) ** 2 + ofTrend * share ** 2 + apart) * width;
    return [
      Math.exp(value - (1 + astray * (below - 1)) * spread),
      Math.exp(value),
      Math.exp(value + (1 + astray * (above - 1)) * spread),
    ];
  }

  /**
   * The lower end of a kernel that surely grows, raised to what was measured at the largest scale: Trend.raised.
   * @param {number} k
   * @param {number} lower
   * @param {number} value
   * @param {Place} place
   */
  raised(k, lower, value, { fullness }) {
    const log = this.logs[k * this.points.length + this.largest];
    if (this.last.length > 1 || !(fullness > 0) || !Number.isFinite(log)) return lower;
    const least = Math.max(lower, this.constants.smallestEnd * value);
    const raised = least * Math.max(Math.exp(log) / (least > 0 ? least : 1), 1) ** fullness;
    return Math.min(Math.max(raised, lower), value);
  }
}

/**
 * Solves a small system of equations by elimination; the last column is the right side.
 * @param {number[][]} rows positive definite but for the last column
 */
function solved(rows) {
  const size = rows.length;
  for (let i = 0; i < size; i++) {
    for (let j = i + 1; j < size; j++) {
      const factor = rows[j][i] / rows[i][i];
      for (let c = i; c <= size; c++) rows[j][c] -= factor * rows[i][c];
    }
  }
  /** @type {number[]} */
  const found = Array.from({ length: size }, () => 0);
  for (let i = size - 1; i >= 0; i--) {
    let right = rows[i][size];
    for (let c = i + 1; c < size; c++) right -= rows[i][c] * found[c];
    found[i] = right / rows[i][i];
  }
  return found;
}
