// @ts-check
// Growth in words, and the legend of its colours.

import { GROWTH_CLASSES } from "../data/outlook.js";
import { doublingText } from "../text/numbers.js";
import { el } from "./dom.js";

/** @import { CallTree } from "../data/call_tree.js" */

/**
 * @param {CallTree} tree
 * @param {number} exponent
 */
export function growthWords(tree, exponent) {
  return `${doublingText(exponent)} when ${tree.level.space.scaled} doubles`;
}

/** @param {CallTree} tree */
export function growthLegend(tree) {
  const of = tree.relativeGrowth ? "a share" : "a value";
  return el(
    "p",
    { class: "growth-legend" },
    `Growth of ${of} when ${tree.level.space.scaled} doubles at the target:`,
    ...GROWTH_CLASSES.map(([, cls, text]) => el("span", {}, el("span", { class: `swatch g-${cls}` }), text)),
  );
}
