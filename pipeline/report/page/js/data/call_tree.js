// @ts-check
// Values over the call tree: names, inclusive sums, how nodes grow at the target, and which rows an opened tree has.

import { floats } from "./payload.js";
import { elasticity, sum } from "./shares.js";

/** @import { KernelSet } from "./kernel_set.js" */
/** @import { Floats, Point, RegionPayload } from "./records.js" */

/** @typedef {"target" | number} Where the target, or the index of a measured point */
/** @typedef {{exclusive: Float64Array, inclusive: Float64Array, total: number}} TreeValues */
/** @typedef {{exponent: Float64Array, relative: (k: number) => number}} TreeGrowth against that of the program */

export const MODELLED = -1; // number of the modelled metric; the measured ones count from 0

/** Kernels with the names of their regions, and of those of their callers. */
export class RegionNames {
  /**
   * @param {RegionPayload[]} regions
   * @param {number[]} region of each kernel
   * @param {number[]} parent of each kernel, -1 for a root
   */
  constructor(regions, region, parent) {
    this.regions = regions;
    this.region = region;
    this.parent = parent;
    /** @type {Map<number, string>} */
    this.searched = new Map();
  }

  /** @param {number} k */
  fullName(k) {
    return this.regions[this.region[k]].name;
  }

  /** @param {number} k @returns the region's name without return type and parameters */
  name(k) {
    return this.shortName(this.region[k]);
  }

  /** @param {number} region */
  shortName(region) {
    const { name, short } = this.regions[region];
    return short ?? name;
  }

  /** @param {number} k @returns kernels from the root down to k */
  path(k) {
    const path = [];
    for (let node = k; node >= 0; node = this.parent[node]) path.push(node);
    return path.reverse();
  }

  /** @type {(k: number) => number[]} regions from the root down to k, as indices */
  regionsOf(k) {
    return this.path(k).map((node) => this.region[node]);
  }

  /** @param {number} k @returns short names from the root down to k */
  pathNames(k) {
    return this.regionsOf(k).map((region) => this.shortName(region));
  }

  /** @param {number} k */
  fullPathNames(k) {
    return this.regionsOf(k).map((region) => this.regions[region].name);
  }

  /** @param {number} k @returns the kernel's own name and its linker's name, in lower case */
  ownText(k) {
    return `${this.fullName(k)} ${this.regions[this.region[k]].mangled ?? ""}`.toLowerCase();
  }

  /** @param {number} k @returns what a search looks at: names of callers, its own, its linker's, in lower case */
  searchText(k) {
    const text =
      this.searched.get(k) ??
      [...this.fullPathNames(k).slice(0, -1), this.ownText(k)].join(" ").toLowerCase();
    this.searched.set(k, text);
    return text;
  }
}

/** Call paths with their callees, and sums over them. */
export class Tree {
  /** @param {RegionNames} level callers before their callees */
  constructor(level) {
    /** @type {RegionNames} */
    this.level = level;
    /** @type {number[]} */
    this.roots = [];
    /** @type {number[][]} */
    this.callees = level.region.map(() => []);
    level.parent.forEach((parent, k) => {
      (parent < 0 ? this.roots : this.callees[parent]).push(k);
    });
  }

  /** @param {Float64Array} exclusive callers before their callees, so one pass backwards adds all up */
  inclusive(exclusive) {
    const { parent } = this.level;
    const total = exclusive.map((value) => (Number.isFinite(value) ? value : 0));
    for (let k = total.length - 1; k >= 0; k--) if (parent[k] >= 0) total[parent[k]] += total[k];
    return total;
  }

  /** @param {Float64Array} inclusive @returns the value of the whole program */
  total(inclusive) {
    return sum(this.roots.map((root) => inclusive[root]));
  }
}

export class CallTree extends Tree {
  /**
   * @param {KernelSet} level the call paths
   * @param {{name: string, unit: string, values: Floats}[]} metrics
   * @param {boolean} relativeGrowth
   */
  constructor(level, metrics, relativeGrowth) {
    super(level);
    /** @type {KernelSet} */
    this.level = level;
    this.metrics = metrics.map(({ name, unit, values }) => ({ name, unit, values: floats(values) }));
    this.relativeGrowth = relativeGrowth;
  }

  /** @type {(metric: number, where: Where, target: Point) => TreeValues} */
  values(metric, where, target) {
    const exclusive = this.exclusive(metric, where, target);
    const inclusive = this.inclusive(exclusive);
    return { exclusive, inclusive, total: this.total(inclusive) };
  }

  /** @type {(metric: number, where: Where, target: Point) => Float64Array} */
  exclusive(metric, where, target) {
    if (metric === MODELLED && where === "target") return this.level.values(target);
    const { points, largest } = this.level.positions;
    const values = metric === MODELLED ? this.level.mean : this.metrics[metric].values;
    const point = where === "target" ? largest : where;
    return Float64Array.from(this.level.region, (_, k) => values[k * points.length + point] || 0);
  }

  /**
   * Local growth at the target, of the nodes alone or with their callees.
   * If the parameter does not count processes, everything grows with it, so the colour is that of the share.
   * @type {(inclusive: boolean, target: Point) => TreeGrowth}
   */
  growth(inclusive, target) {
    const { positions } = this.level;
    const [from, to] = positions.around(target);
    const [here, next] = [from, to].map((scale) => this.level.values(positions.atScale(target, scale)));
    const ratio = to / from;
    const exponent = inclusive
      ? elasticity(this.inclusive(here), this.inclusive(next), ratio)
      : elasticity(here, next, ratio);
    const ofAll = this.relativeGrowth ? elasticity([sum(here)], [sum(next)], ratio)[0] : 0;
    return { exponent, relative: (k) => exponent[k] - ofAll };
  }
}

/** @typedef {{k: number, depth: number, place: number, size: number}} NodeRow place among `size` siblings */
/** @typedef {{rest: number, parent: number, depth: number}} RestRow callees that are left out */

export const CALLEES_AT_ONCE = 100;
const HOT = 0.05; // share from which a node is opened at first
const OPENED_AT_FIRST = 30;
const NONE = -1;

/**
 * Opens the nodes that most of the value is below, and all on the way to the largest call path, to the largest leaf and
 * to the end of the path of the largest callees; closes all others.
 * @param {CallTree} tree
 * @param {TreeValues} values
 * @param {Set<number>} open
 * @returns the largest leaf
 */
export function hotPaths({ callees, roots, level }, values, open) {
  open.clear();
  const queue = [...roots];
  let rows = roots.length;
  while (queue.length && rows < OPENED_AT_FIRST) {
    queue.sort((a, b) => values.inclusive[b] - values.inclusive[a]);
    const k = queue.shift();
    if (k === undefined || values.inclusive[k] < HOT * values.total || callees[k].length === 0) continue;
    open.add(k);
    rows += Math.min(callees[k].length, CALLEES_AT_ONCE);
    queue.push(...callees[k]);
  }
  const places = level.region.map((_, k) => k);
  const largest = (/** @type {number[]} */ nodes, /** @type {Float64Array} */ of) =>
    nodes.reduce((best, k) => (best < 0 || of[k] > of[best] ? k : best), NONE);
  let end = largest(roots, values.inclusive);
  while (end >= 0 && callees[end].length) end = largest(callees[end], values.inclusive);
  const leaf = largest(
    places.filter((k) => callees[k].length === 0),
    values.exclusive,
  );
  for (const hot of [end, leaf, largest(places, values.exclusive)])
    for (let k = level.parent[hot] ?? NONE; k >= 0; k = level.parent[k]) open.add(k);
  return leaf;
}

/**
 * Visible rows from the top, siblings with the largest inclusive values first.
 * @param {CallTree} tree
 * @param {TreeValues} values
 * @param {Set<number>} open
 * @param {(parent: number) => number} limitOf how many callees of a node are shown
 */
export function visibleRows({ callees, roots }, { inclusive, exclusive }, open, limitOf) {
  /** @type {(NodeRow | RestRow)[]} */
  const rows = [];
  /** @type {(NodeRow | RestRow)[]} */
  const pending = [];
  /** @type {(nodes: number[], depth: number, parent: number) => void} */
  const push = (nodes, depth, parent) => {
    const sorted = [...nodes].sort((a, b) => inclusive[b] - inclusive[a] || exclusive[b] - exclusive[a]);
    const limit = limitOf(parent);
    if (sorted.length > limit) pending.push({ rest: sorted.length - limit, parent, depth });
    const first = sorted.slice(0, limit).map((k, i) => ({ k, depth, place: i + 1, size: sorted.length }));
    pending.push(...first.reverse());
  };
  push(roots, 1, NONE);
  for (let row = pending.pop(); row; row = pending.pop()) {
    rows.push(row);
    if ("k" in row && open.has(row.k)) push(callees[row.k], row.depth + 1, row.k);
  }
  return rows;
}
