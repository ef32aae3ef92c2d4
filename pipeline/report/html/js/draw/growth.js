// @ts-check
// Growth in words, and the legend of its colours.

import { GROWTH_CLASSES } from "../data/outlook.js";
import { el } from "./dom.js";

/** @import { CallTree } from "../data/call_tree.js" */

/**
 * @param {CallTree} tree
 * @param {number} exponent
 */
export function growthWords(tree, exponent) {
  return `doubling ${tree.level.space.scaled} multiplies it by ${(2 ** exponent).toFixed(2)}`;
}

/** @param {CallTree} tree */
export function growthLegend(tree) {
  const of = tree.relativeGrowth ? "a share" : "a value";
  return el(
    "p",
    { class: "growth-legend" },
    `Doubling ${tree.level.space.scaled} at the target, ${of}:`,
    ...GROWTH_CLASSES.map(([, cls, text]) => el("span", {}, el("span", { class: `swatch g-${cls}` }), text)),
  );
}
