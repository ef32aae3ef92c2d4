// @ts-check
// Which rows an opened call tree has, from the top.

/** @import { CallTree, TreeValues } from "./call_tree.js" */
/** @typedef {{k: number, depth: number, place: number, size: number}} NodeRow place among `size` siblings */
/** @typedef {{rest: number, parent: number, depth: number}} RestRow callees that are left out */

export const CALLEES_AT_ONCE = 100;
const HOT = 0.05; // share from which a node is opened at first
const OPENED_AT_FIRST = 30;
const NONE = -1;

/**
 * Opens the nodes that most of the value is below, and closes all others.
 * @param {CallTree} tree
 * @param {TreeValues} values
 * @param {Set<number>} open
 */
export function hotPaths({ callees, roots }, values, open) {
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
  /**
   * @param {number[]} nodes
   * @param {number} depth
   * @param {number} parent
   */
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
