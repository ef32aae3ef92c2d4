// @ts-check
// Growth in words and in colours: a continuous scale from blue, what falls, over grey to red, what grows fast. Of a
// difference between two sides both halves are equally long.

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
  return `${doublingText(exponent)} when ${tree.level.positions.scaled} doubles`;
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
  return tinted(node, growthPlace(exponent));
}

/**
 * @template {HTMLElement | SVGElement} Made
 * @param {Made} node
 * @param {number} place from -100 (less) over 0 to 100 (more)
 */
function tinted(node, place) {
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
  const text = `Colour: growth of a call path without its callees, ${of}, when ${tree.level.positions.scaled} doubles at the target:`;
  return el("p", { class: "growth-legend" }, text, ...marks);
}

/**
 * Gives an element the colour of a growth between two sides; neutral if there is none.
 * @template {HTMLElement | SVGElement} Made
 * @param {Made} node
 * @param {number} growth logarithm to base 2 of a factor
 * @param {number} end where the scale ends
 */
export function colouredDifference(node, growth, end) {
  return tinted(node, differencePlace(growth, end));
}

/**
 * @param {number} growth
 * @param {number} end
 */
export function differencePlace(growth, end) {
  return Number.isNaN(growth) ? 0 : Math.round(100 * Math.min(Math.max(growth / end, -1), 1));
}

/**
 * @param {string} text what the colours are of
 * @param {number} end
 * @param {[string, number][]} hatched what is marked, with the end of the scale that it has
 */
export function differenceLegend(text, end, hatched) {
  const marks = [-1, -0.5, 0, 0.5, 1].map((share) => {
    const swatch = colouredDifference(el("span", { class: "swatch" }), share * end, end);
    const sign = { "-1": "≤ ", 1: "≥ " }[share] ?? "";
    return el("span", {}, swatch, `${sign}${doublingText(share * end)}`);
  });
  const only = hatched.map(([name, side]) => {
    const swatch = colouredDifference(el("span", { class: "swatch hatched" }), side * end, end);
    return el("span", {}, swatch, name);
  });
  return el("p", { class: "growth-legend" }, text, ...marks, ...only);
}
