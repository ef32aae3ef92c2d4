// @ts-check
// What differs between two sides as text: of a call path in lines, of all of them as rows.

import { ONLY_A } from "../data/difference.js";
import { fullPathNames } from "./names.js";
import { doublingText, intervalText, percent, quantity } from "./numbers.js";

/** @import { RegionNames } from "../data/call_tree.js" */
/** @import { Difference, Range, Side } from "../data/difference.js" */
/**
 * @typedef {object} Compared
 * @property {Difference} difference
 * @property {string} metric
 * @property {string} unit
 * @property {[string, string]} only what is said of call paths that only A, or only B, has
 * @property {string[]} notes sentences about the whole program
 * @property {(k: number) => string[]} remarks further lines about a call path
 */

/**
 * @param {number} value
 * @param {string} unit
 */
export function signed(value, unit) {
  return `${value < 0 ? "−" : "+"}${quantity(Math.abs(value), unit)}`;
}

/**
 * @param {number} a
 * @param {number} b
 */
export function ratioText(a, b) {
  return a > 0 && b > 0 ? doublingText(Math.log2(b / a)) : "";
}

/** @param {Range | null} range */
export function rangeText(range) {
  return range ? `, ${range.of} ${intervalText([range.low, range.high])}` : "";
}

/**
 * What is said of a call path: the values of both sides, their difference, and what else is known.
 * @param {number} k
 * @param {Compared} compared
 */
export function differenceTexts(k, { difference, unit, only, remarks }) {
  const { inclusive, total, a, b } = difference;
  /**
   * @param {string} letter
   * @param {"a" | "b"} key
   */
  const side = (letter, key) => {
    const of = difference[key];
    const share = total[key] > 0 ? ` (${percent(inclusive[key][k] / total[key])})` : "";
    const own = `${quantity(of.exclusive[k] || 0, unit)}${rangeText(of.range(k))}`;
    const whole = quantity(inclusive[key][k], unit);
    return `${letter}, ${of.name}: ${whole}${share}; without its callees ${own}`;
  };
  const whole = signed(inclusive.b[k] - inclusive.a[k], unit);
  const ratio = ratioText(inclusive.a[k], inclusive.b[k]);
  const ownRatio = ratioText(a.exclusive[k], b.exclusive[k]);
  const beside =
    ownRatio && `, ${ownRatio} beside ${doublingText(Math.log2(difference.common))} of the program`;
  const own = `without its callees ${signed(difference.added(k), unit)}${beside}`;
  const which = difference.only[k] === ONLY_A ? only[0] : only[1];
  return [
    side("A", "a"),
    side("B", "b"),
    `Difference: ${whole}${ratio && ` (${ratio})`}; ${own}`,
    ...(difference.only[k] ? [which] : []),
    ...remarks(k),
  ];
}

/**
 * Call paths as a table with a head: both sides with their ranges, and how they differ.
 * @param {Pick<RegionNames, "regionsOf" | "shortName" | "regions">} level
 * @param {number[]} nodes
 * @param {Compared} compared
 */
export function differenceRows(level, nodes, { difference, unit, metric }) {
  const { a, b, inclusive } = difference;
  const quantity = unit ? `${metric} (${unit})` : metric;
  /** @param {Side} side */
  const ends = (side) => ["lower end", "upper end"].map((end) => `${end}, exclusive, ${side.name}`);
  const names = [a, b].flatMap((side) => [
    ...["inclusive", "exclusive"].map((kind) => `${kind} ${quantity}, ${side.name}`),
    ...ends(side),
    `what ${side.name} is`,
  ]);
  const differences = [
    `difference, exclusive ${quantity}`,
    "B / A, exclusive",
    "B / A over that of the program",
  ];
  const rows = nodes.map((k) => {
    /** @param {"a" | "b"} key */
    const cells = (key) => {
      const range = difference[key].range(k);
      const { exclusive, kind } = difference[key];
      return [
        inclusive[key][k],
        exclusive[k],
        range?.low,
        range?.high,
        range ? `${kind}, ${range.of}` : kind,
      ];
    };
    const growth = 2 ** difference.growth(k, "none");
    const path = fullPathNames(level, k).join(" > ");
    return [path, ...cells("a"), ...cells("b"), difference.added(k), growth, growth / difference.common];
  });
  return [["call path", ...names, ...differences], ...rows];
}
