// @ts-check
// The kernels of one level of detail, call paths or regions: measurements and predictions.

import { crossoversOf } from "./crossovers.js";
import { Formulas } from "./formulas.js";
import { between, Line } from "./line.js";
import { floats } from "./payload.js";
import { Predictor } from "./predictor.js";
import { placeAmong } from "./space.js";

/** @import { LevelPayload, Point, Region } from "./payload.js" */
/** @import { Ends } from "./trend.js" */
/** @import { Space } from "./space.js" */
/** @typedef {{over: number, past: number, at: number, measured: boolean}} Crossover kernel `over` overtakes `past` */
/** @typedef {readonly [number, number]} Interval lower and upper end */

/**
 * What is predicted at a point.
 * @typedef {object} Predicted
 * @property {Float64Array} value of all kernels
 * @property {Ends[]} ends of those with predictors
 * @property {{plain: Ends, widened: Ends} | null} total without and with errors that all measurements share
 */

const REMEMBERED = 100; // points
const LINES = 4; // remembered

export class Level extends Formulas {
  /**
   * @param {LevelPayload} raw
   * @param {Space} space
   * @param {Region[]} regions
   * @param {{additive: boolean, whole?: Level, node?: number[], fine?: Level}} [part] whether values have a sum,
   *   of which level these are only some kernels, and with which finer parts their sum agrees
   */
  constructor(raw, space, regions, { additive, whole, node, fine } = { additive: true }) {
    const { models } = raw;
    super(models, raw.region.length);
    this.additive = additive;
    this.whole = whole;
    this.node = node ?? [];
    this.space = space;
    this.regions = regions;
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
    /** @type {Crossover[] | undefined} */
    this.foundCrossovers = raw.crossovers?.map(([over, past, at, measured]) => ({
      over,
      past,
      at,
      measured,
    }));
    this.repetitions = raw.repetitions.count;
    this.single = floats(raw.repetitions.values);
    this.singleRow = new Map(raw.repetitions.kernels.map((k, row) => [k, row]));
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
    const grid = { value: floats(raw.value), lower: floats(raw.lower), upper: floats(raw.upper) };
    this.opening = new Line(this, space.opening, grid);
    /** @type {Map<string, Line>} */
    this.lines = new Map();
    this.totalInterval = { lower: floats(raw.total.lower), upper: floats(raw.total.upper) };
    this.predictor = raw.predictor && new Predictor(raw.predictor, space.constants);
    this.fine = fine;
    /** Per kernel its place among those with predictors; -1 for the others. */
    this.predicting = new Int32Array(this.count).fill(-1);
    raw.predictor?.kernels.forEach((k, i) => {
      this.predicting[k] = i;
    });
    /** @type {Map<string, Predicted>} */
    this.known = new Map();
  }

  /** Who overtakes whom, found when it is first needed if the page has to find it. */
  get crossovers() {
    this.foundCrossovers ??= crossoversOf(this);
    return this.foundCrossovers;
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
   * Whether values at a point are those of `pipeline predict`, not of the formulas alone.
   * @param {Point} at
   */
  knows(at) {
    return this.predictor !== null || this.gridPlace(at) !== null;
  }

  /**
   * Predictions along the scaled parameter through a point.
   * @param {Point} at
   */
  along(at) {
    if (this.space.onGridLine(at)) return this.opening;
    const key = this.space.atScale(at, 1).join();
    const line = this.lines.get(key) ?? new Line(this, [...at], this.predictor && this.knownAlong(at));
    this.lines.set(key, line);
    if (this.lines.size > LINES) this.lines.delete(this.lines.keys().next().value ?? "");
    return line;
  }

  /**
   * Predictions through a point at the scales of the grid.
   * @param {Point} at
   */
  knownAlong(at) {
    const size = this.count * this.scales.length;
    const known = {
      value: new Float64Array(size),
      lower: new Float64Array(size),
      upper: new Float64Array(size),
    };
    this.scales.forEach((scale, i) => {
      const point = this.space.atScale(at, scale);
      this.values(point).forEach((value, k) => {
        const place = k * this.scales.length + i;
        known.value[place] = value;
        [known.lower[place], known.upper[place]] = this.interval(k, point, value) ?? [value, value];
      });
    });
    return known;
  }

  /**
   * Predicted value of one kernel at a point.
   * @param {number} k
   * @param {Point} at
   * @returns {number}
   */
  value(k, at) {
    return this.predictor ? this.values(at)[k] : this.along(at).value(k, at[this.space.column]);
  }

  /**
   * Predicted values of all kernels at a point, which must not be changed.
   * @param {Point} at
   * @returns {Float64Array}
   */
  values(at) {
    return this.predictor ? this.predicted(at).value : this.along(at).values(at[this.space.column]);
  }

  /**
   * Predictions at a point; the last ones are remembered.
   * @param {Point} at
   */
  predicted(at) {
    const key = at.join();
    const known = this.known.get(key);
    if (known) {
      this.known.delete(key); // the last asked for stand at the end
      this.known.set(key, known);
      return known;
    }
    const found = this.predict(at);
    this.known.set(key, found);
    if (this.known.size > REMEMBERED) this.known.delete(this.known.keys().next().value ?? "");
    return found;
  }

  /**
   * @param {Point} at
   * @returns {Predicted}
   */
  predict(at) {
    const { predictor, predicting, fine, opening } = this;
    const place = opening.nearest(at[this.space.column]);
    const value = this.formulas(at).map((formula, k) =>
      predicting[k] < 0 ? opening.corrects(k, formula, place) : 0,
    );
    if (!predictor) return { value, ends: [], total: null };
    const { plain, widened } = predictor.at(at);
    const ends = fine ? predictor.agreed(widened, sumOf(value), sumOf(fine.values(at)), at) : widened;
    ends.forEach((of, i) => {
      value[predictor.kernels[i]] = of[1];
    });
    if (fine || !this.additive) return { value, ends, total: null };
    const all = Array.from(value, (one, k) => {
      if (predicting[k] >= 0) return plain[predicting[k]];
      const [lower, upper] = opening.scaled(k, at[this.space.column], one) ?? [one, one];
      return /** @type {Ends} */ ([lower, one, upper]);
    });
    return { value, ends, total: predictor.total(all, at) };
  }

  /**
   * The total at a point, without and with errors that all measurements share; null without predictor.
   * @param {Point} at
   */
  total(at) {
    const level = this.fine ?? this;
    return level.predictor && level.predicted(at).total;
  }

  /**
   * 90 % interval of a kernel's value at a point; null where it is not known.
   * @param {number} k
   * @param {Point} at
   * @param {number} value
   * @returns {Interval | null}
   */
  interval(k, at, value) {
    const scale = at[this.space.column];
    if (!this.predictor) return this.along(at).interval(k, scale, value);
    const i = this.predicting[k];
    return i < 0 ? this.opening.scaled(k, scale, value) : around(this.predicted(at).ends[i], value);
  }

  /**
   * @param {Point} at
   * @param {number} value
   * @returns {Interval | null}
   */
  intervalOfTotal(at, value) {
    const total = this.total(at);
    if (total) return around(total.widened, value);
    const place = this.gridPlace(at);
    if (!place) return null;
    const { lower, upper } = this.totalInterval;
    /** @param {Float32Array} of */
    const here = (of) => between(of[place.i], of[place.i + 1], place.share);
    return around([here(lower), value, here(upper)], value);
  }

  /**
   * Between which scales of the grid a point lies; null away from its line, and beyond its ends.
   * @param {Point} at
   */
  gridPlace(at) {
    return this.space.onGridLine(at) ? placeAmong(this.logScales, at[this.space.column]) : null;
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
 * An interval that encloses a value.
 * @param {Ends} ends
 * @param {number} value
 * @returns {Interval}
 */
function around([lower, , upper], value) {
  return [Math.min(lower, value), Math.max(upper, value)];
}

/** @param {Float64Array} values */
function sumOf(values) {
  return values.reduce((sum, value) => sum + (Number.isFinite(value) ? value : 0), 0);
}
