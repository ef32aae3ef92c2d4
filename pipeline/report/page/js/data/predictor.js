// @ts-check
// Predictions of kernels at any point, from all their plausible models and their trends: what ScalingModels.predict,
// models/agreement.py and models/total.py do.

import { quantiles, tableOf } from "./mixture.js";
import { doubles, floats } from "./payload.js";
import { Trend } from "./trend.js";

/** @import { Constants, Point, PredictorPayload, RivalsPayload, WholePayload } from "./payload.js" */
/** @import { Ends, Place } from "./trend.js" */

/** The plausible models of some kernels: ScalingModels._quantiles. */
class Rivals {
  /**
   * @param {RivalsPayload} raw
   * @param {Point} last the largest measured value of every parameter
   * @param {boolean} nonnegative
   * @param {Constants["mixture"]} constants
   */
  constructor(raw, last, nonnegative, constants) {
    this.constants = constants;
    this.raw = raw;
    this.last = last;
    this.floor = nonnegative ? 0 : -Infinity;
    this.weight = Float64Array.from(floats(raw.weight));
    this.coefficients = doubles(raw.coefficients);
    this.root = floats(raw.root);
    this.reach = floats(raw.reach);
    this.tables = Array.from(floats(raw.degrees), (degrees) => tableOf(degrees, raw.many));
    this.drift = floats(raw.drift);
    this.common = raw.common && floats(raw.common);
    this.width = raw.hypotheses.map((terms) => terms.length + 1);
    /** First rival, coefficient and number of a root of each kernel. */
    this.begin = [{ rival: 0, coefficient: 0, root: 0 }];
    let [rival, coefficient, root] = [0, 0, 0];
    for (const count of raw.count) {
      for (const end = rival + count; rival < end; rival++) {
        const width = this.width[raw.hypothesis[rival]];
        coefficient += width;
        root += (width * (width + 1)) / 2;
      }
      this.begin.push({ rival, coefficient, root });
    }
  }

  /**
   * The constant and the terms of every hypothesis at a point.
   * @param {Point} at
   */
  design(at) {
    const values = this.raw.terms.map((term) =>
      term.reduce((product, [power, log], d) => product * at[d] ** power * Math.log2(at[d]) ** log, 1),
    );
    return this.raw.hypotheses.map((terms) => [1, ...terms.map((t) => values[t])]);
  }

  /**
   * Ends and median of what all models of a kernel predict.
   * @param {number} k
   * @param {number[][]} design
   * @param {number} doublings beyond the range
   * @returns {Ends}
   */
  ends(k, design, doublings) {
    const count = this.raw.count[k];
    let { rival, coefficient, root } = this.begin[k];
    const [center, scale] = [new Float64Array(count), new Float64Array(count)];
    const weight = this.weight.subarray(rival, rival + count);
    for (let i = 0; i < count; i++, rival++) {
      const hypothesis = this.raw.hypothesis[rival];
      const x = design[hypothesis];
      let value = 0;
      for (let c = 0; c < x.length; c++) value += this.coefficients[coefficient + c] * x[c];
      let variance = this.variance(root, x);
      const sharpness = this.raw.sharpness[hypothesis];
      if (sharpness !== 1) {
        value = Math.max(value, 0) ** (1 / sharpness);
        variance *= ((value > 0 ? value : 1) ** (1 - sharpness) / sharpness) ** 2;
      }
      center[i] = value;
      scale[i] = Math.sqrt(variance + doublings * (value * this.drift[k]) ** 2);
      coefficient += x.length;
      root += (x.length * (x.length + 1)) / 2;
    }
    const components = { center, scale, weight, table: this.tables[k] };
    const [lower, value, upper] = quantiles(components, this.reach[k], this.constants);
    return [Math.max(lower, this.floor), Math.max(value, this.floor), Math.max(upper, this.floor)];
  }

  /**
   * Variance of the sum of the terms: the squared length of L' x for the root L of the covariance.
   * @param {number} root
   * @param {number[]} x
   */
  variance(root, x) {
    let sum = 0;
    for (let c = 0; c < x.length; c++) {
      let along = 0;
      for (let r = c; r < x.length; r++) along += this.root[root + (r * (r + 1)) / 2 + c] * x[r];
      sum += along * along;
    }
    return sum;
  }

  /** @param {Point} at */
  doublings(at) {
    return at.reduce((sum, value, d) => sum + Math.log2(Math.max(value / this.last[d], 1)), 0);
  }
}

/** Predictions of some kernels of a level. */
export class Predictor {
  /**
   * @param {PredictorPayload} raw
   * @param {Constants} constants
   */
  constructor(raw, constants) {
    this.constants = constants;
    this.kernels = raw.kernels;
    this.correlation = raw.correlation;
    this.rivals = new Rivals(raw.rivals, raw.last, raw.nonnegative, constants.mixture);
    this.trend = raw.trend && new Trend(raw.trend, constants.trend);
    this.whole = raw.whole && new Whole(raw.whole, constants);
  }

  /**
   * Ends and values, without the errors that all measurements share, and what these errors make of them.
   * @param {Point} at
   * @returns {{plain: Ends[], widened: Ends[]}}
   */
  at(at) {
    const plain = endsAt(this.rivals, this.trend, at);
    const { common } = this.rivals;
    return {
      plain,
      widened: common ? plain.map((ends, k) => widened(ends, common[k], this.constants)) : plain,
    };
  }

  /**
   * Makes kernels add up with the others to what they should, as models/agreement.py does.
   * @param {Ends[]} own
   * @param {number} rest what the other kernels take
   * @param {number} wanted
   * @param {Point} at
   * @returns {Ends[]}
   */
  agreed(own, rest, wanted, at) {
    const rising = own.map(([, value]) => Math.max(value, 0));
    const sum = total(rising);
    const falling = total(own.map(([, value]) => Math.min(value, 0)));
    const left = wanted - falling - rest;
    if (!(left > 0 && sum > 0)) return own;
    const gap = Math.log((wanted - falling) / (sum + rest));
    const weight = own.map((ends, k) => (logVariance(ends, this.constants.total) + gap ** 2) * rising[k]);
    const most = Math.max(...weight, 1e-300);
    const share = weight.map((one) => one / most);
    const x = tilt(rising, share, left, this.constants.total);
    const moved = rising.map((value, k) => value * Math.exp(x * share[k]));
    const rounding = left / total(moved);
    const place = this.trend?.place(at);
    return own.map((ends, k) => {
      if (!(ends[1] > 0)) return ends;
      const [lower, value, upper] = ends.map((end) => end * Math.exp(x * share[k]) * rounding);
      const raised = this.rivals.common || !place ? lower : this.raised(k, lower, value, place);
      return [Math.min(raised, value), value, Math.max(upper, value)];
    });
  }

  /**
   * @param {number} k
   * @param {number} lower
   * @param {number} value
   * @param {Place} place
   */
  raised(k, lower, value, place) {
    return this.trend && this.rivals.raw.sure[k] ? this.trend.raised(k, lower, value, place) : lower;
  }

  /**
   * The sum of all kernels with its interval, as models/total.py predicts it.
   * @param {ArrayLike<Ends>} all
   * @param {Point} at
   * @returns {{plain: Ends, widened: Ends}}
   */
  total(all, at) {
    const together = added(all, this.correlation);
    if (!this.whole || !this.trend) return { plain: together, widened: together };
    return this.whole.total(together, this.trend.hold, at);
  }
}

/** The model of the sum of all kernels by itself: _total of models/total.py. */
class Whole {
  /**
   * @param {WholePayload} raw
   * @param {Constants} constants
   */
  constructor(raw, constants) {
    this.constants = constants;
    this.rivals = new Rivals(raw.rivals, raw.last, raw.nonnegative, constants.mixture);
    this.trend = raw.trend && new Trend(raw.trend, constants.trend);
    this.bend = raw.bend;
  }

  /**
   * @param {Ends} together the sum of the kernels
   * @param {number} hold probability that formulas are all there is
   * @param {Point} at
   */
  total(together, hold, at) {
    const plain = this.beyond(together, hold, at);
    const { common } = this.rivals;
    return { plain, widened: common ? widened(plain, common[0], this.constants) : plain };
  }

  /**
   * @param {Ends} together
   * @param {number} hold
   * @param {Point} at
   * @returns {Ends}
   */
  beyond(together, hold, at) {
    const [lower, value, upper] = together;
    const place = this.trend?.place(at);
    if (!this.trend || !place) return together;
    const [[, own]] = endsAt(this.rivals, this.trend, at);
    const usable = place.reach > 0 && value > 0 && own > 0;
    if (!usable) return [this.raised(lower, value, place), value, upper];
    const of = this.constants.total;
    const side = Math.sqrt(logVariance(together, of)) * of.twoSided;
    const half = of.bend * this.bend * place.reach + of.apart * Math.abs(Math.log(own / value)) + side;
    /** @param {number} end @param {number} sided */
    const moved = (end, sided) =>
      value * Math.exp((1 - hold) * sided * half + hold * Math.log(Math.max(end / value, of.least)));
    return [this.raised(moved(lower, -of.sideBelow), value, place), value, moved(upper, of.sideAbove)];
  }

  /**
   * @param {number} lower
   * @param {number} value
   * @param {Place} place
   */
  raised(lower, value, place) {
    return this.trend && this.rivals.raw.sure[0] ? this.trend.raised(0, lower, value, place) : lower;
  }
}

/**
 * @param {Rivals} rivals
 * @param {Trend | null} trend
 * @param {Point} at
 * @returns {Ends[]}
 */
function endsAt(rivals, trend, at) {
  const [design, doublings, place] = [rivals.design(at), rivals.doublings(at), trend?.place(at)];
  return rivals.raw.count.map((_, k) => {
    let [lower, value, upper] = rivals.ends(k, design, doublings);
    if (trend && place) {
      [lower, value, upper] = trend.combined(k, [lower, value, upper], place);
      if (rivals.raw.sure[k]) lower = trend.raised(k, lower, value, place);
    }
    return [Math.min(lower, value), value, Math.max(upper, value)];
  });
}

/**
 * Widens an interval by an independent error: widened of models/prediction.py.
 * @param {Ends} ends
 * @param {number} error standard deviation of the logarithm
 * @param {Constants} constants
 * @returns {Ends}
 */
function widened([lower, value, upper], error, { total: { least }, trend: { width } }) {
  if (!(value > 0)) return [lower, value, upper];
  /** @param {number} end */
  const side = (end) => Math.hypot(Math.log(Math.max(end / value, least)), width * error);
  return [lower > 0 ? value * Math.exp(-side(lower)) : lower, value, value * Math.exp(side(upper))];
}

/**
 * Adds predictions whose errors all correlate by the same amount: Prediction.combine.
 * @param {ArrayLike<Ends>} all
 * @param {number} correlation
 * @returns {Ends}
 */
function added(all, correlation) {
  let value = 0;
  const sides = [0, 0];
  const squares = [0, 0];
  for (let k = 0; k < all.length; k++) {
    const [lower, middle, upper] = all[k];
    value += middle;
    [middle - lower, upper - middle].forEach((side, i) => {
      sides[i] += side;
      squares[i] += side * side;
    });
  }
  const [below, above] = sides.map((side, i) =>
    Math.sqrt((1 - correlation) * squares[i] + correlation * side * side),
  );
  return [value - below, value, value + above];
}

/**
 * log_variance of models/total.py.
 * @param {Ends} ends
 * @param {Constants["total"]} constants
 */
function logVariance([, value, upper], { twoSided, mostVariance }) {
  if (!(value > 0)) return 0;
  return Math.min((Math.log(Math.max(upper / value, 1)) / twoSided) ** 2, mostVariance);
}

/**
 * Solves sum(value * exp(x * share)) = wanted by bisection: tilt of models/total.py.
 * @param {number[]} value
 * @param {number[]} share
 * @param {number} wanted
 * @param {Constants["total"]} constants
 */
function tilt(value, share, wanted, { halvings, steepest }) {
  let [low, high] = [-steepest, steepest];
  for (let i = 0; i < halvings; i++) {
    const middle = (low + high) / 2;
    const reached = total(value.map((one, k) => one * Math.exp(middle * share[k])));
    if (reached < wanted) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** @param {number[]} values */
function total(values) {
  return values.reduce((a, b) => a + b, 0);
}
