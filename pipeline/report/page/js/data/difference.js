// @ts-check
// One call tree with the values of two sides, two scales or two studies: what grew from A to B, and by how much.

/** @import { Tree } from "./call_tree.js" */
/** @import { Interval } from "./kernel_set.js" */
/** @typedef {"measured" | "model"} Kind what a value is of */
/** @typedef {Interval & {of: string}} Range of: what lies in it, such as "90 % interval" */
/**
 * @typedef {object} Side
 * @property {string} name such as "p = 4", or a study
 * @property {string} label the same with what the reader calls this side
 * @property {string} only what is said of call paths that this side alone has
 * @property {Kind} kind
 * @property {Float64Array} exclusive per call path; 0 if it is missing
 * @property {(k: number) => Range | null} range of an exclusive value, null if it is not known
 * @property {Range | null} whole range of the whole program
 */
/** @typedef {"a" | "b" | "larger"} Width whose values the boxes are as wide as */
/** @typedef {"program" | "none"} Reference what growth is compared with: the whole program's, or none */

export const ONLY_A = -1;
export const ONLY_B = 1;
const STEPS = [1.1, 1.25, 1.5, 2, 4, 8]; // factors at which a scale of colours may end
export const LEAST_OWN = 0.01; // share of its inclusive value from which a call path has a colour
const COVERED = 0.95; // of the values has colours below the end of the scale

export class Difference {
  /** @param {Tree} tree @param {Side} a @param {Side} b */
  constructor(tree, a, b) {
    this.tree = tree;
    this.a = a;
    this.b = b;
    this.inclusive = { a: tree.inclusive(a.exclusive), b: tree.inclusive(b.exclusive) };
    this.total = { a: tree.total(this.inclusive.a), b: tree.total(this.inclusive.b) };
    /** What the whole program is multiplied by from A to B; 1 if that is not known. */
    this.common = this.total.a > 0 && this.total.b > 0 ? this.total.b / this.total.a : 1;
    /** Whether a call path has a value, with its callees, at one of both sides only. */
    this.only = Int8Array.from(this.inclusive.a, (inA, k) => {
      const inB = this.inclusive.b[k];
      return inA > 0 && !(inB > 0) ? ONLY_A : inB > 0 && !(inA > 0) ? ONLY_B : 0;
    });
  }

  /**
   * Logarithm to base 2 of B / A of a call path without its callees; infinite if only one side has a value, and NaN
   * if none has.
   * @type {(k: number, reference: Reference) => number}
   */
  growth(k, reference) {
    const [a, b] = [this.a.exclusive[k] || 0, this.b.exclusive[k] || 0];
    if (!(a > 0) && !(b > 0)) return NaN;
    return Math.log2(b / a) - (reference === "program" ? Math.log2(this.common) : 0);
  }

  /**
   * Growth that gives a box its colour; NaN if next to nothing of the box is its own, so that its colour would be
   * that of something too small to be seen.
   * @type {(k: number, reference: Reference) => number}
   */
  colour(k, reference) {
    const own = [this.a.exclusive[k] / this.inclusive.a[k], this.b.exclusive[k] / this.inclusive.b[k]];
    return own.some((share) => share >= LEAST_OWN) ? this.growth(k, reference) : NaN;
  }

  /** @param {Reference} reference @returns where colours end: a round factor that nearly all of the time is below */
  end(reference) {
    const { a, b } = this;
    const shares = Array.from(a.exclusive, (value, k) => ({
      size: Math.abs(this.growth(k, reference)),
      share: (value || 0) / (this.total.a || 1) + (b.exclusive[k] || 0) / (this.total.b || 1),
    })).filter(({ size }) => Number.isFinite(size));
    shares.sort((one, other) => one.size - other.size);
    let left = COVERED * shares.reduce((all, { share }) => all + share, 0);
    const covering = shares.find(({ share }) => {
      left -= share;
      return left <= 0;
    });
    const needed = 2 ** (covering?.size ?? 0);
    return Math.log2(STEPS.find((step) => step >= needed) ?? STEPS[STEPS.length - 1]);
  }

  /** @param {Width} width @returns inclusive values that boxes are as wide as */
  widths(width) {
    if (width !== "larger") return this.inclusive[width];
    return this.tree.inclusive(
      this.a.exclusive.map((value, k) => Math.max(value || 0, this.b.exclusive[k] || 0)),
    );
  }

  /** @param {number} side ONLY_A or ONLY_B */
  sideOf(side) {
    return side === ONLY_A ? this.a : this.b;
  }

  /** @param {number} side ONLY_A or ONLY_B */
  inclusiveOf(side) {
    return this.inclusive[side === ONLY_A ? "a" : "b"];
  }

  /** @param {number} k @returns growth of a call path without its callees, in the unit of the values */
  added(k) {
    return (this.b.exclusive[k] || 0) - (this.a.exclusive[k] || 0);
  }

  /** @param {number} count @returns the call paths that differ most without their callees, either way */
  leading(count) {
    const nodes = Array.from(this.only.keys()).filter((k) => this.added(k) !== 0);
    return nodes.sort((i, j) => Math.abs(this.added(j)) - Math.abs(this.added(i))).slice(0, count);
  }

  /** @param {number} side ONLY_A or ONLY_B @returns the topmost call paths that only one side has */
  missing(side) {
    const { parent } = this.tree.level;
    const own = this.inclusiveOf(side);
    const found = Array.from(this.only.keys()).filter(
      (k) => this.only[k] === side && (parent[k] < 0 || this.only[parent[k]] !== side),
    );
    return found.sort((i, j) => own[j] - own[i]);
  }
}
