// @ts-check
// The kernels of one level of detail, call paths or regions: measurements, and models evaluated in the page,
// constant + sum of coefficient * product of p^i * log2(p)^j.

import { doubles, floats } from "./payload.js";
import { placeAmong } from "./space.js";

/** @import { LevelPayload, Point, Region } from "./payload.js" */
/** @import { Space } from "./space.js" */
/** @typedef {{over: number, past: number, at: number, measured: boolean}} Crossover kernel `over` overtakes `past` */
/** @typedef {readonly [number, number]} Interval lower and upper end */

const REMEMBERED = 300; // points

export class Level {
  /**
   * @param {LevelPayload} raw
   * @param {Space} space
   * @param {Region[]} regions
   * @param {{additive: boolean, whole?: Level, node?: number[]}} [part] whether values have a sum, and of which
   *   level these are only some kernels
   */
  constructor(raw, space, regions, { additive, whole, node } = { additive: true }) {
    const models = raw.models;
    this.additive = additive;
    this.whole = whole;
    this.node = node ?? [];
    this.space = space;
    this.regions = regions;
    this.count = raw.region.length;
    this.region = raw.region;
    this.parent = raw.parent;
    this.mean = floats(raw.mean);
    this.growing = floats(raw.growing);
    /** What limits what can be said about each kernel, as of bottlenecks.Standing in Python. */
    this.unreliable = raw.standing.unreliable.map(Boolean);
    this.notMeasurable = raw.standing.not_measurable.map(Boolean);
    this.startUp = raw.standing.start_up.map(Boolean);
    this.smape = floats(raw.smape);
    this.cvSmape = floats(raw.cvSmape);
    /** @type {Crossover[]} */
    this.crossovers = raw.crossovers.map(([over, past, at, measured]) => ({ over, past, at, measured }));
    this.repetitions = raw.repetitions.count;
    this.single = floats(raw.repetitions.values);
    this.singleRow = new Map(raw.repetitions.kernels.map((k, row) => [k, row]));
    this.terms = models.terms;
    this.exponents = models.terms.map((term) =>
      term.map(([power, logarithm]) => [fraction(power), logarithm]),
    );
    this.hypotheses = models.hypotheses;
    this.sharpness = models.sharpness;
    this.rivals = models.rivals;
    this.chosen = models.chosen;
    this.weight = floats(models.weight);
    this.coefficients = doubles(models.coefficients);
    this.width = this.coefficients.length / Math.max(this.count * this.rivals, 1);
    this.floor = models.nonnegative ? 0 : -Infinity;
    this.validFrom = floats(models.validFrom);
    this.growths = models.growths;
    this.growth = models.growth;
    this.growthClass = models.growthClass.map((i) => models.growthClasses[i]);
    this.growthUncertain = models.growthUncertain.map(Boolean);
    this.warnings = models.warning.map((i) => models.warnings[i]);
    this.sharedWarnings = (models.warnings[0] ?? []).filter((text) =>
      models.warnings.every((texts) => texts.includes(text)),
    );
    this.scales = raw.grid;
    this.logScales = Float64Array.from(raw.grid, Math.log);
    this.grid = { value: floats(raw.value), lower: floats(raw.lower), upper: floats(raw.upper) };
    this.totalInterval = { lower: floats(raw.total.lower), upper: floats(raw.total.upper) };
    /** @type {Map<string, Float64Array>} */
    this.known = new Map();
    /** @type {Float32Array | null} */
    this.ratios = null;
  }

  /** Logarithms of prediction over formula at the grid, made when they are first needed. */
  get correction() {
    this.ratios ??= this.corrections();
    return this.ratios;
  }

  /** @param {number} k */
  fullName(k) {
    return this.regions[this.region[k]].name;
  }

  /**
   * The region's name without return type and parameters.
   * @param {number} k
   */
  name(k) {
    return this.shortName(this.region[k]);
  }

  /** @param {number} region */
  shortName(region) {
    const { name, short } = this.regions[region];
    return short ?? name;
  }

  /**
   * Kernels from the root down to k.
   * @param {number} k
   */
  path(k) {
    const path = [];
    for (let node = k; node >= 0; node = this.parent[node]) path.push(node);
    return path.reverse();
  }

  /**
   * Regions from the root down to k, as indices.
   * @param {number} k
   * @returns {number[]}
   */
  regionsOf(k) {
    return this.whole ? this.whole.regionsOf(this.node[k]) : this.path(k).map((node) => this.region[node]);
  }

  /**
   * The kernel that is kernel k of another level of the same detail; -1 for none.
   * @param {Level} other
   * @param {number} k
   */
  placeOf(other, k) {
    return this.whole ? this.node.indexOf(k) : this.region.indexOf(other.region[k]);
  }

  /**
   * Terms of the chosen model, or of a rival.
   * @param {number} k
   * @param {number} [rival]
   * @returns {number[]}
   */
  hypothesis(k, rival = 0) {
    const index = this.chosen[k * this.rivals + rival];
    return index < 0 ? [] : this.hypotheses[index];
  }

  /**
   * How sharp the soft knee of a model is; 1 if it has none.
   * @param {number} k
   * @param {number} [rival]
   */
  knee(k, rival = 0) {
    const index = this.chosen[k * this.rivals + rival];
    return index < 0 ? 1 : this.sharpness[index];
  }

  /**
   * The models of a kernel that the page knows, the chosen one first.
   * @param {number} k
   */
  rivalsOf(k) {
    return Array.from({ length: this.rivals }, (_, i) => i).filter(
      (i) => this.chosen[k * this.rivals + i] >= 0,
    );
  }

  /**
   * Probability of a model.
   * @param {number} k
   * @param {number} rival
   */
  probability(k, rival) {
    return this.weight[k * this.rivals + rival];
  }

  /**
   * The constant (c = 0) or the coefficient of the c-th term.
   * @param {number} k
   * @param {number} rival
   * @param {number} c
   */
  coefficient(k, rival, c) {
    return this.coefficients[(k * this.rivals + rival) * this.width + c];
  }

  /**
   * @param {number} k
   * @param {number} rival
   * @param {(term: number) => number} ofTerm
   */
  combine(k, rival, ofTerm) {
    const sharpness = this.knee(k, rival);
    let sum = this.coefficient(k, rival, 0) ** sharpness;
    this.hypothesis(k, rival).forEach((t, i) => {
      sum += (this.coefficient(k, rival, i + 1) * ofTerm(t)) ** sharpness;
    });
    return Math.max(sharpness === 1 ? sum : sum ** (1 / sharpness), this.floor);
  }

  /**
   * What the formula of the chosen model, or of a rival, gives at a point.
   * @param {number} k
   * @param {Point} at
   * @param {number} [rival]
   */
  formula(k, at, rival = 0) {
    return this.combine(k, rival, (t) => termValue(this.exponents[t], at));
  }

  /**
   * What the formulas of all chosen models give at a point.
   * @param {Point} at
   */
  formulas(at) {
    const ofTerm = this.exponents.map((term) => termValue(term, at));
    return Float64Array.from({ length: this.count }, (_, k) => this.combine(k, 0, (t) => ofTerm[t]));
  }

  /** Logarithms of prediction over formula at the grid; predictions weigh all rivals. */
  corrections() {
    const { scales } = this;
    const logs = new Float32Array(this.count * scales.length);
    scales.forEach((scale, i) => {
      this.formulas(this.space.atScale(this.space.opening, scale)).forEach((formula, k) => {
        const value = this.grid.value[k * scales.length + i];
        logs[k * scales.length + i] = comparable(formula, value) ? Math.log(value / formula) : NaN;
      });
    });
    return logs;
  }

  /**
   * Between which two points of the grid a point lies; null away from its line, and beyond its ends.
   * @param {Point} at
   */
  gridPlace(at) {
    return this.space.onGridLine(at) ? placeAmong(this.logScales, at[this.space.column]) : null;
  }

  /**
   * A prediction: the formula corrected by what its rivals say; the formula alone away from the grid's line.
   * @param {number} k
   * @param {number} formula
   * @param {{i: number, share: number} | null} place
   */
  corrected(k, formula, place) {
    if (!place) return formula;
    const { correction } = this;
    const i = k * this.scales.length + place.i;
    const log = correction[i] * (1 - place.share) + correction[i + 1] * place.share;
    if (formula > 0 && Number.isFinite(log)) return formula * Math.exp(log);
    return between(this.grid.value[i], this.grid.value[i + 1], place.share);
  }

  /**
   * Predicted value of one kernel at a point.
   * @param {number} k
   * @param {Point} at
   */
  value(k, at) {
    return this.corrected(k, this.formula(k, at), this.gridPlace(at));
  }

  /**
   * Predicted values of all kernels at a point; the last ones are remembered, so they must not be changed.
   * @param {Point} at
   */
  values(at) {
    const key = at.join();
    const known = this.known.get(key);
    if (known) {
      this.known.delete(key); // the last asked for stand at the end
      this.known.set(key, known);
      return known;
    }
    const place = this.gridPlace(at);
    const found = this.formulas(at).map((formula, k) => this.corrected(k, formula, place));
    this.known.set(key, found);
    if (this.known.size > REMEMBERED) this.known.delete(this.known.keys().next().value ?? "");
    return found;
  }

  /**
   * 90 % interval of a kernel's value at a point; null where it is not known.
   * @param {number} k
   * @param {Point} at
   * @param {number} value
   */
  interval(k, at, value) {
    return this.interpolated(this.grid, k * this.scales.length, at, value);
  }

  /**
   * @param {Point} at
   * @param {number} value
   */
  intervalOfTotal(at, value) {
    return this.interpolated(this.totalInterval, 0, at, value);
  }

  /**
   * Ends of an interval: exact at the grid, interpolated by ratio in between; they enclose the value.
   * @param {{lower: Float32Array, upper: Float32Array}} ends
   * @param {number} offset
   * @param {Point} at
   * @param {number} value
   * @returns {Interval | null}
   */
  interpolated({ lower, upper }, offset, at, value) {
    const place = this.gridPlace(at);
    if (!place) return null;
    const i = offset + place.i;
    return [
      Math.min(between(lower[i], lower[i + 1], place.share), value),
      Math.max(between(upper[i], upper[i + 1], place.share), value),
    ];
  }

  /**
   * Mean measured value of a kernel; NaN where nothing was measured.
   * @param {number} k
   * @param {number} point
   */
  measured(k, point) {
    return this.mean[k * this.space.points.length + point];
  }

  /**
   * Whether a kernel is not zero everywhere: those of accelerators take no core-seconds.
   * @param {number} k
   */
  takesAnything(k) {
    return this.space.points.some((_, point) => this.measured(k, point) > 0);
  }

  /** @param {number} point */
  measuredTotal(point) {
    let sum = 0;
    for (let k = 0; k < this.count; k++) sum += this.measured(k, point) || 0;
    return sum;
  }

  /**
   * Single measurements of a kernel at a point; only their mean where the page does not carry them.
   * @param {number} k
   * @param {number} point
   */
  singles(k, point) {
    const row = this.singleRow.get(k);
    if (row === undefined) return [this.measured(k, point)].filter(Number.isFinite);
    const start = (row * this.space.points.length + point) * this.repetitions;
    return Array.from(this.single.subarray(start, start + this.repetitions)).filter(Number.isFinite);
  }
}

/**
 * @param {number[][]} term
 * @param {Point} at
 */
function termValue(term, at) {
  let product = 1;
  term.forEach(([power, logarithm], d) => {
    if (power !== 0) product *= at[d] ** power;
    if (logarithm !== 0) product *= Math.log2(at[d]) ** logarithm;
  });
  return product;
}

/** @param {string} text */
function fraction(text) {
  const [above, below] = text.split("/").map(Number);
  return below ? above / below : above;
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
