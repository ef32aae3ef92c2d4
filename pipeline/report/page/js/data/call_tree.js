// @ts-check
// Values over the call tree: inclusive sums, and how nodes grow at the target.

import { elasticity, NEXT, sum } from "./outlook.js";
import { floats } from "./payload.js";

/** @import { Level } from "./level.js" */
/** @import { Floats, Point } from "./payload.js" */
/** @typedef {"regions" | "region" | "parent" | "name" | "fullName" | "shortName" | "path" | "regionsOf"} Naming */
/** @typedef {Pick<Level, Naming>} CallPaths a tree of call paths with their names, measured or not */
/** @typedef {"target" | number} Where the target, or the index of a measured point */
/** @typedef {{exclusive: Float64Array, inclusive: Float64Array, total: number}} TreeValues */
/** @typedef {{exponent: Float64Array, relative: (k: number) => number}} TreeGrowth against that of the program */

export const MODELLED = -1; // number of the modelled metric; the measured ones count from 0

/** Call paths with their callees, and sums over them. */
export class Tree {
  /** @param {CallPaths} level callers before their callees */
  constructor(level) {
    /** @type {CallPaths} */
    this.level = level;
    /** @type {number[]} */
    this.roots = [];
    /** @type {number[][]} */
    this.callees = level.region.map(() => []);
    level.parent.forEach((parent, k) => {
      (parent < 0 ? this.roots : this.callees[parent]).push(k);
    });
  }

  /**
   * Callers stand before their callees, so one pass backwards adds everything up.
   * @param {Float64Array} exclusive
   */
  inclusive(exclusive) {
    const { parent } = this.level;
    const total = exclusive.map((value) => (Number.isFinite(value) ? value : 0));
    for (let k = total.length - 1; k >= 0; k--) if (parent[k] >= 0) total[parent[k]] += total[k];
    return total;
  }

  /**
   * The value of the whole program.
   * @param {Float64Array} inclusive
   */
  total(inclusive) {
    return sum(this.roots.map((root) => inclusive[root]));
  }
}

export class CallTree extends Tree {
  /**
   * @param {Level} level the call paths
   * @param {{name: string, unit: string, values: Floats}[]} metrics
   * @param {boolean} relativeGrowth
   */
  constructor(level, metrics, relativeGrowth) {
    super(level);
    /** @type {Level} */
    this.level = level;
    this.metrics = metrics.map(({ name, unit, values }) => ({ name, unit, values: floats(values) }));
    this.relativeGrowth = relativeGrowth;
  }

  /**
   * @param {number} metric
   * @param {Where} where
   * @param {Point} target
   * @returns {TreeValues}
   */
  values(metric, where, target) {
    const exclusive = this.exclusive(metric, where, target);
    const inclusive = this.inclusive(exclusive);
    return { exclusive, inclusive, total: this.total(inclusive) };
  }

  /**
   * @param {number} metric
   * @param {Where} where
   * @param {Point} target
   */
  exclusive(metric, where, target) {
    if (metric === MODELLED && where === "target") return this.level.values(target);
    const { points, largest } = this.level.space;
    const values = metric === MODELLED ? this.level.mean : this.metrics[metric].values;
    const point = where === "target" ? largest : where;
    return Float64Array.from(this.level.region, (_, k) => values[k * points.length + point] || 0);
  }

  /**
   * Opens the callers of nodes.
   * @param {Set<number>} open
   * @param {Iterable<number>} nodes
   */
  openAbove(open, nodes) {
    for (const node of nodes) for (const k of this.level.path(node).slice(0, -1)) open.add(k);
  }

  /**
   * Local growth at the target, of the nodes alone or with their callees.
   * If the parameter does not count processes, everything grows with it, so the colour is that of the share.
   * @param {boolean} inclusive
   * @param {Point} target
   * @returns {TreeGrowth}
   */
  growth(inclusive, target) {
    const { space } = this.level;
    const here = this.level.values(target);
    const next = this.level.values(space.atScale(target, NEXT * target[space.column]));
    const exponent = inclusive
      ? elasticity(this.inclusive(here), this.inclusive(next))
      : elasticity(here, next);
    const ofAll = this.relativeGrowth ? elasticity([sum(here)], [sum(next)])[0] : 0;
    return { exponent, relative: (k) => exponent[k] - ofAll };
  }
}
