// @ts-check
// The kernels of one level of detail, call paths or regions: measurements, and predictions at all positions.

import { RegionNames } from "./call_tree.js";
import { floats } from "./payload.js";
import { sum } from "./shares.js";

/** @import { Where } from "./call_tree.js" */
/** @import { EndsPayload, KernelsPayload, Point, RegionPayload, ValuesPayload } from "./records.js" */
/** @import { Positions } from "./positions.js" */
/** @typedef {{over: number, past: number, at: number, value: number, place: string, certainty: string}} Crossover
 *   kernel `over` overtakes `past` */
/** @typedef {{lower: number, upper: number}} Interval NaN where an end is not known */
/** @typedef {Interval & {x: number, value: number}} Figure a value over scale */
/** @typedef {{text: string, probability: number}} Rival a plausible model */

const REMEMBERED = 60; // positions
/** @type {Interval} */
const UNKNOWN = { lower: Number.NaN, upper: Number.NaN };

/** Kernels with what was measured and is predicted of them. */
export class KernelValues extends RegionNames {
  /** @param {ValuesPayload} raw @param {Positions} positions @param {RegionPayload[]} regions */
  constructor(raw, positions, regions) {
    super(regions, raw.region, raw.parent);
    this.count = raw.region.length;
    this.positions = positions;
    this.mean = floats(raw.mean);
    this.repetitions = raw.repetitions.count;
    this.single = floats(raw.repetitions.values);
    this.singleRow = new Map(raw.repetitions.kernels.map((k, row) => [k, row]));
    this.predicted = floats(raw.value);
    this.weighty = endsOf(raw.weighty);
    this.others = endsOf(raw.others);
    this.total = raw.total;
    /** @type {KernelSet | undefined} of which these are only some */
    this.whole = undefined;
    /** @type {number[]} */
    this.node = [];
    /** @type {Map<number, Float64Array>} */
    this.seen = new Map();
  }

  /** @type {(k: number, at: Point) => number} the prediction; NaN where nothing is predicted */
  value(k, at) {
    const place = this.positions.placeOf(at);
    return place < 0 ? Number.NaN : this.predicted[k * this.positions.count + place];
  }

  /** @type {(at: Point) => Float64Array} of all kernels, not to be changed; the last ones are remembered */
  values(at) {
    const place = this.positions.placeOf(at);
    const known = this.seen.get(place);
    if (known) return known;
    const { count } = this.positions;
    const found = Float64Array.from({ length: this.count }, (_, k) =>
      place < 0 ? Number.NaN : this.predicted[k * count + place],
    );
    this.seen.set(place, found);
    if (this.seen.size > REMEMBERED) this.seen.delete(this.seen.keys().next().value ?? 0);
    return found;
  }

  /** @type {(k: number, at: Point) => Interval | null} of 90 %; null where it is not known */
  interval(k, at) {
    const ends = this.weighty.rows.has(k) ? this.weighty : this.others;
    const row = ends.rows.get(k);
    const place = ends.places.get(this.positions.placeOf(at));
    if (row === undefined || place === undefined) return null;
    const i = row * ends.places.size + place;
    return { lower: ends.lower[i], upper: ends.upper[i] };
  }

  /**
   * Predicted values of a kernel along a line, with their intervals.
   * @param {number} k
   * @param {Point} line any point of it
   * @param {number[]} scales
   * @returns {Figure[]}
   */
  figures(k, line, scales) {
    return scales.map((x) => {
      const at = this.positions.atScale(line, x);
      return { x, value: this.value(k, at), ...(this.interval(k, at) ?? UNKNOWN) };
    });
  }

  /** @param {Point} at @returns the sum of all kernels; NaN where it is not known */
  totalAt(at) {
    return this.total?.value[this.positions.placeOf(at)] ?? Number.NaN;
  }

  /** @type {(at: Point) => Interval | null} */
  intervalOfTotal(at) {
    const place = this.positions.placeOf(at);
    const [lower, upper] = [this.total?.lower[place], this.total?.upper[place]];
    return (lower ?? upper ?? null) === null ? null : { lower: lower ?? 0, upper: upper ?? Infinity };
  }

  /** @type {(k: number, point: number) => number} the measured mean; NaN where nothing was measured */
  measured(k, point) {
    return this.mean[k * this.positions.points.length + point];
  }

  /** @param {number} k @returns whether it is not zero everywhere, as those of accelerators in core-seconds */
  takesAnything(k) {
    return this.positions.points.some((_, point) => this.measured(k, point) > 0);
  }

  /** @param {number} point */
  measuredTotal(point) {
    return sum(this.region.map((_, k) => this.measured(k, point)));
  }

  /** @type {(k: number, point: number) => number[]} their mean where the page does not carry them */
  singles(k, point) {
    const row = this.singleRow.get(k);
    if (row === undefined) return [this.measured(k, point)].filter(Number.isFinite);
    const start = (row * this.positions.points.length + point) * this.repetitions;
    return Array.from(this.single.subarray(start, start + this.repetitions)).filter(Number.isFinite);
  }

  /** @type {(k: number, where: Where, target: Point) => number} measured or predicted; NaN if not known */
  at(k, where, target) {
    return where === "target" ? this.value(k, target) : this.measured(k, where);
  }

  /** @type {(k: number, line: Point) => {x: number, y: number}[]} single measurements along a line */
  dots(k, line) {
    const { points, column } = this.positions;
    return this.positions
      .pointsAlong(line)
      .flatMap((i) => this.singles(k, i).map((y) => ({ x: points[i][column], y })));
  }
}

export class KernelSet extends KernelValues {
  /**
   * @param {KernelsPayload} raw
   * @param {Positions} positions
   * @param {RegionPayload[]} regions
   * @param {{additive: boolean, whole?: KernelSet, node?: number[]}} [part] whether values have a sum, and of which
   *   kernels these are only some
   */
  constructor(raw, positions, regions, { additive, whole, node } = { additive: true }) {
    super(raw, positions, regions);
    this.additive = additive;
    this.whole = whole;
    this.node = node ?? [];
    this.growing = floats(raw.growing);
    /** What limits what can be said about each kernel, as of bottlenecks.Standing in Python. */
    this.unreliable = raw.standing.unreliable.map(Boolean);
    this.notMeasurable = raw.standing.notMeasurable.map(Boolean);
    this.startUp = raw.standing.startUp.map(Boolean);
    this.smape = floats(raw.smape);
    this.cvSmape = floats(raw.cvSmape);
    /** @type {Crossover[]} */
    this.crossovers = raw.crossovers.map(([over, past, at, value, place, certainty]) => ({
      over,
      past,
      at,
      value: value ?? 0,
      place,
      certainty,
    }));
    this.further = raw.further;
    this.validFrom = floats(raw.validFrom);
    this.rivals = raw.rivals.map((some, k) =>
      some.map(([text, probability]) => ({ text: text || raw.formula[k], probability })),
    );
    /** The formulas of what is predicted, and where they agree with it. */
    this.formula = raw.formula;
    this.ranges = raw.range;
    this.latex = raw.latex;
    this.python = raw.python;
    this.growthClass = raw.growthClass;
    this.warnings = raw.warnings;
    this.curves = floats(raw.curves);
    /** The first curve of each weighty kernel. */
    this.firstCurve = new Map();
    let curve = 0;
    for (const k of raw.weighty.kernels) {
      this.firstCurve.set(k, curve);
      curve += this.rivals[k].length;
    }
  }

  /** @type {(k: number) => number[]} regions from the root down to k, as indices */
  regionsOf(k) {
    return this.whole ? this.whole.regionsOf(this.node[k]) : super.regionsOf(k);
  }

  /** @type {(other: KernelSet, k: number) => number} which is kernel k of the other level; -1 for none */
  placeOf(other, k) {
    return this.whole ? this.node.indexOf(k) : this.region.indexOf(other.region[k]);
  }

  /** @type {(k: number, at: Point, rival: number) => number} what its formula gives; NaN if not known */
  formulaValue(k, at, rival) {
    const [first, place] = [this.firstCurve.get(k), this.positions.placeOf(at)];
    if (first === undefined || place < 0) return Number.NaN;
    return this.curves[(first + rival) * this.positions.count + place];
  }
}

/** @param {EndsPayload} raw */
function endsOf({ kernels, positions, lower, upper }) {
  return {
    rows: new Map(kernels.map((k, row) => [k, row])),
    places: new Map(positions.map((place, i) => [place, i])),
    lower: floats(lower),
    upper: floats(upper),
  };
}
