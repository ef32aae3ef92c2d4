// @ts-check
// Names, formulas, shares and growth as elements: names are whole when copied, searched or read aloud, cut by the
// layout; colours of growth go from blue, what falls, over grey to red, what grows fast.

import { doublingText } from "../text/numbers.js";
import { copyButton, el, styled } from "./dom.js";

/** @import { CallTree } from "../data/call_tree.js" */
/** @import { KernelSet } from "../data/kernel_set.js" */
/** @import { Child } from "./dom.js" */

const TAIL = 14; // characters at the end that are always seen, half the name at most
const FALLS = -1; // exponents at both ends of the scale: halved, and times four, when the parameter doubles
const RISES = 2;
const MARKS = [-1, -0.5, 0, 0.5, 1, 1.5, 2];
const TIMES = "\u2009·\u2009";
/** What stands between the pieces of a formula, and before the values of other parameters. */
const WORDS = new Set(["for", "<=", "above", "at", "=", ","]);
/** What is not written as it is: powers, exponents of ten, products, logarithms, signs, names. */
const FORMULA_PARTS =
  /(\^\([^()]*\)|\^[\d/]+|(?<=\d)e[+-]?\d+| \* | - |^-|log2(?=\()|[^\d\s()*^+\-./][^\s()*^]*)/u;

/**
 * A text whose middle gives way where there is no room for all of it.
 * @param {string} text
 * @param {string} [title]
 */
export function cutNode(text, title = text) {
  const start = text.length - Math.min(TAIL, Math.floor(text.length / 2));
  const head = styled(el("span", { class: "head" }, text.slice(0, start)), {
    "--tail": `${text.length - start}ch`,
  });
  return el("span", { class: "cut", title }, head, text.slice(start));
}

/**
 * The region, and below it its callers where there are any.
 * @param {KernelSet} level
 * @param {number} k
 */
export function kernelNode(level, k) {
  const callers = level.pathNames(k).slice(0, -1);
  const name = el("span", { class: "name" }, cutNode(level.name(k), level.fullName(k)));
  if (callers.length === 0) return name;
  const above = el(
    "span",
    { class: "callers" },
    cutNode(callers.join(" › "), level.fullPathNames(k).join(" › ")),
  );
  return el("span", { class: "kernel" }, name, above);
}

/**
 * A whole name that may be long, with a button that copies it.
 * @param {string[]} path
 */
export function copyable(path) {
  /** @type {Child[]} */
  const names = path.flatMap((name, i) => (i ? [el("span", { class: "quiet" }, " › "), name] : [name]));
  return el(
    "span",
    { class: "copyable" },
    el("span", { class: "code" }, ...names),
    copyButton(path.join(" › "), "name"),
  );
}

/**
 * A bar as long as a share, with a text on it.
 * @param {number} share
 * @param {string} text
 * @param {string} [cls]
 */
export function barNode(share, text, cls = "") {
  const fill = styled(el("span", { class: "fill" }), { width: `${Math.min(Math.max(share, 0), 1) * 100}%` });
  return el("span", { class: `share ${cls}` }, fill, el("span", { class: "value" }, text));
}

/**
 * A formula as Python writes it, typeset: ``2.5e-07 * p^(3/2) * log2(p)``.
 * @param {string} text
 */
export function formulaNode(text) {
  const parts = text.split(FORMULA_PARTS).filter(Boolean);
  return el("span", { class: "formula", title: text }, ...parts.map(formulaPart));
}

/**
 * @param {string} part
 * @returns {Child}
 */
function formulaPart(part) {
  const power = /^(?:\^\(?|e)([^()]+)\)?$/.exec(part)?.[1];
  if (power && part.startsWith("e"))
    return el("span", {}, `${TIMES}10`, el("sup", {}, String(Number(power)).replace("-", "−")));
  if (power) return el("sup", {}, power.replace("-", "−"));
  if (part === " * ") return TIMES;
  if (part === "log2") return el("span", {}, "log", el("sub", {}, "2"));
  if (part.startsWith("-") || part === " - ") return part.replace("-", "−");
  if (WORDS.has(part)) return part.replace("<=", "≤");
  return /^[^\d\s()+]/.test(part) ? el("i", {}, part) : part;
}

/**
 * How a kernel grows, with its range of exponents; the probability of growing as a hint.
 * @param {KernelSet} level
 * @param {number} k
 */
export function growthNode(level, k) {
  const parts = level.growthClass[k].replace("grows, about ", "").split(/\^([0-9.]+)/);
  const nodes = parts.map((part, i) => (i % 2 ? el("sup", {}, part) : part));
  const title = `${level.growthClass[k]}; probability of growing: ${Math.round(100 * level.growing[k])} %`;
  return el("span", { class: "formula", title }, ...nodes);
}

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
