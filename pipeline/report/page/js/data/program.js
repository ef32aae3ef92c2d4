// @ts-check
// Figures of the whole program at any target, from its predicted and measured totals: what questions/runtime/figures.py
// does.

import { figureAt, known } from "./estimates.js";

/** @import { Known } from "./estimates.js" */
/** @import { Level } from "./level.js" */
/** @import { Point, ProgramPayload, RuntimeChart } from "./payload.js" */
/** @import { Ends } from "./trend.js" */
/** @typedef {{value: number, below: number, above: number}} Figure with logarithms of value over end, end over value */

/** @type {Figure} */
const UNKNOWN = { value: NaN, below: NaN, above: NaN };
const ITSELF = { value: 1, below: 0, above: 0 };

export class Program {
  /**
   * @param {ProgramPayload} raw
   * @param {Level} callpaths
   */
  constructor(raw, callpaths) {
    this.raw = raw;
    this.callpaths = callpaths;
    this.space = callpaths.space;
    this.answers = raw.answers.map(({ name, label, unit, estimates }) => ({
      name,
      label,
      unit,
      curve: known(estimates),
    }));
  }

  /**
   * The figures that are shown of a target, by label.
   * @param {Point} at
   */
  answersAt(at) {
    const exact = this.callpaths.predictor ? this.figures(at) : null;
    const scale = at[this.space.column];
    return this.answers.flatMap(({ name, label, unit, curve }) => {
      const onGrid = this.space.onGridLine(at) ? figureAt(curve, scale) : null;
      const figure = exact ? ends(exact[name], scale) : onGrid;
      return figure ? [{ label, unit, figure }] : [];
    });
  }

  /**
   * Predicted figures at a point, by name.
   * @param {Point} at
   * @returns {Record<string, Figure>}
   */
  figures(at) {
    return this.compared(at, this.predicted(at), false);
  }

  /**
   * @param {Point} at
   * @returns {Figure}
   */
  predicted(at) {
    const total = this.callpaths.total(at);
    return total ? figureOf(total.plain) : UNKNOWN;
  }

  /** @param {number} i a measured point */
  measured(i) {
    const { value, below, above } = this.raw.measured;
    return { value: value[i] ?? NaN, below: below[i] ?? NaN, above: above[i] ?? NaN };
  }

  /**
   * Study.figures.
   * @param {Point} at
   * @param {Figure} total
   * @param {boolean} measured
   * @returns {Record<string, Figure>}
   */
  compared(at, total, measured) {
    const { comparison, commonError, measuredError } = this.raw;
    const reference = this.reference(at);
    const known = this.space.points.findIndex((point) => point.every((value, d) => value === reference[d]));
    const first = known < 0 ? this.predicted(reference) : this.measured(known);
    const [here, there] = [this.locations(at), this.locations(reference)];
    const [now, before] = [this.effortAndWall(total, here), this.effortAndWall(first, there)];
    const itself = measured === known >= 0 && at.every((value, d) => value === reference[d]);
    /** @param {string} by @param {Figure} ratio */
    const of = (by, ratio) => (comparison !== by ? UNKNOWN : itself ? ITSELF : ratio);
    const shared = Math.hypot(commonError, measured ? measuredError : 0);
    const efficiency = of("strong", over(before.effort, now.effort));
    const { column } = this.space;
    return {
      effort: wider(now.effort, shared),
      wall: wider(now.wall, shared),
      speedup: times(efficiency, here / there),
      efficiency,
      weak_efficiency: of("weak", over(before.wall, now.wall)),
      work_rate: times(of("size", over(first, total)), at[column] / reference[column]),
    };
  }

  /**
   * Study.references, what a point is compared with: the smallest measured scale with the same other parameters, else of all.
   * @param {Point} at
   */
  reference(at) {
    const { space } = this;
    const along = space.pointsAlong(at).map((i) => space.points[i][space.column]);
    return space.atScale(at, along.length ? along[0] : space.measuredStart);
  }

  /** @param {Point} at */
  locations(at) {
    const rule = this.raw.locations;
    return rule ? rule.parameters.reduce((product, d) => product * at[d], rule.factor) : NaN;
  }

  /**
   * @param {Figure} total
   * @param {number} locations
   */
  effortAndWall(total, locations) {
    if (this.raw.perLocation) return { effort: times(total, locations), wall: total };
    return { effort: total, wall: times(total, 1 / locations) };
  }

  /**
   * A chart with the other parameters as at a target, exact at the target.
   * @param {RuntimeChart} chart
   * @param {Point} target
   * @returns {RuntimeChart}
   */
  chartAt(chart, target) {
    const { space } = this;
    if (!this.callpaths.predictor) return chart;
    const opening = space.onGridLine(target);
    const scale = target[space.column];
    const scales = [...new Set([...chart.curve.scale, scale])].sort((a, b) => a - b);
    const curve = opening ? known(chart.curve) : [];
    /** @param {number} x */
    const found = (x) => {
      const given = x === scale ? undefined : curve.find((one) => one.x === x);
      return given ?? ends(this.figures(space.atScale(target, x))[chart.name], x);
    };
    const points = space.pointsAlong(target).flatMap((i) => {
      const figures = this.compared(space.points[i], this.measured(i), true);
      return ends(figures[chart.name], space.points[i][space.column]) ?? [];
    });
    const here = estimatesOf(scales.flatMap((x) => found(x) ?? []));
    return {
      ...chart,
      points: opening ? chart.points : estimatesOf(points),
      curve: here,
      ideal: this.ideal(chart, target, here.scale),
    };
  }

  /**
   * What is ideal at some scales; away from how the page opens only if it follows from the locations.
   * @param {RuntimeChart} chart
   * @param {Point} target
   * @param {number[]} scales
   */
  ideal({ name, ideal, curve }, target, scales) {
    if (!ideal) return null;
    const { space } = this;
    if (name === "speedup") {
      const first = this.locations(this.reference(target));
      return scales.map((scale) => this.locations(space.atScale(target, scale)) / first);
    }
    const line = known({ scale: curve.scale, value: ideal, lower: [], upper: [] });
    const level = name.endsWith("efficiency") || space.onGridLine(target);
    return level ? scales.map((scale) => figureAt(line, scale)?.value ?? null) : null;
  }
}

/**
 * @param {Ends} ends
 * @returns {Figure}
 */
function figureOf([lower, value, upper]) {
  if (!(value > 0)) return { value, below: 0, above: 0 };
  return { value, below: -Math.log(Math.max(lower, 0) / value), above: Math.log(upper / value) };
}

/**
 * @param {Figure} figure
 * @param {number} x
 * @returns {Known | null}
 */
function ends({ value, below, above }, x) {
  if (!Number.isFinite(value)) return null;
  return { x, value, lower: value * Math.exp(-below), upper: value * Math.exp(above) };
}

/**
 * @param {Figure} figure
 * @param {number} factor
 */
function times(figure, factor) {
  return { ...figure, value: figure.value * factor };
}

/**
 * A ratio of figures with independent errors.
 * @param {Figure} one
 * @param {Figure} other
 */
function over(one, other) {
  const value = other.value > 0 ? one.value / other.value : NaN;
  return { value, below: Math.hypot(one.below, other.above), above: Math.hypot(one.above, other.below) };
}

/**
 * @param {Figure} figure
 * @param {number} side half-width of a further interval, in logarithms
 */
function wider({ value, below, above }, side) {
  return { value, below: Math.hypot(below, side), above: Math.hypot(above, side) };
}

/** @param {Known[]} figures */
function estimatesOf(figures) {
  return {
    scale: figures.map(({ x }) => x),
    value: figures.map(({ value }) => value),
    lower: figures.map(({ lower }) => lower),
    upper: figures.map(({ upper }) => upper),
  };
}
