// @ts-check
// Growth in words and in colours: a continuous scale from blue, what falls, over grey to red, what grows fast.

import { doublingText } from "../text/numbers.js";
import { el } from "./dom.js";

/** @import { CallTree } from "../data/call_tree.js" */

const FALLS = -1; // exponents at both ends of the scale: halved, and times four, when the parameter doubles
const RISES = 2;
const MARKS = [-1, -0.5, 0, 0.5, 1, 1.5, 2];

/**
 * @param {CallTree} tree
 * @param {number} exponent
 */
export function growthWords(tree, exponent) {
  return `${doublingText(exponent)} when ${tree.level.space.scaled} doubles`;
}

/**
 * Where a growth lies on the scale, from -100 (falls) over 0 (constant) to 100 (grows fast).
 * @param {number} exponent
 */
export function growthPlace(exponent) {
  const share = exponent < 0 ? -exponent / FALLS : exponent / RISES;
  return Math.round(100 * Math.min(Math.max(share, -1), 1));
}

/**
 * Gives an element the colour of a growth.
 * @template {HTMLElement | SVGElement} Made
 * @param {Made} node
 * @param {number} exponent
 */
export function coloured(node, exponent) {
  const place = growthPlace(exponent);
  node.classList.add(place < 0 ? "g-down" : "g-up");
  node.style.setProperty("--g", `${Math.abs(place)}%`);
  return node;
}

/** @param {CallTree} tree */
export function growthLegend(tree) {
  const of = tree.relativeGrowth ? "of its share" : "of its own value";
  const marks = MARKS.map((exponent) => {
    const swatch = coloured(el("span", { class: "swatch" }), exponent);
    return el("span", {}, swatch, doublingText(exponent));
  });
  const text = `Colour: growth of a call path without its callees, ${of}, when ${tree.level.space.scaled} doubles at the target:`;
  return el("p", { class: "growth-legend" }, text, ...marks);
}
