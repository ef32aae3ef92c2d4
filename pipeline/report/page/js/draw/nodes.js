// @ts-check
// Names, formulas, shares and growth as elements: names are whole when copied, searched or read aloud, cut by the
// layout; colours of growth go from blue, what falls, over grey to red, what grows fast.

import { doublingText } from "../text/numbers.js";
import { copyButton, el, styled } from "./dom.js";

/** @import { CallTree, RegionNames } from "../data/call_tree.js" */
/** @import { KernelSet } from "../data/kernel_set.js" */
/** @import { Child } from "./dom.js" */

const TAIL = 14; // characters at the end that are always seen, half the name at most
const [FALLS, RISES] = [1, 2]; // exponents at both ends of the scale: halved, and times four, when the parameter doubles
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

/** @type {(level: RegionNames, k: number) => HTMLSpanElement} the region, and its callers below it */
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

/** @param {string[]} path @returns a whole name that may be long, with a button that copies it */
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

/** @param {[string, Child][]} facts */
export function factList(facts) {
  return el("dl", {}, ...facts.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
}

/** @param {boolean} [leaf] @returns what is before something that opens; nothing in front of a leaf */
export function twist(leaf = false) {
  return el("span", { class: leaf ? "twist leaf" : "twist", "aria-hidden": true });
}

/**
 * A button that opens and closes what follows it.
 * @param {boolean} open
 * @param {string} focus its name, which keeps the focus
 * @param {(event: Event) => void} click
 * @param {Child} content
 */
export function opener(open, focus, click, content) {
  const state = { "aria-expanded": open, "data-focus": focus };
  return el("button", { type: "button", class: "opener", ...state, click }, twist(), content);
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

/** @param {string} text @returns a formula as Python writes it, typeset: ``2.5e-07 * p^(3/2) * log2(p)`` */
export function formulaNode(text) {
  const parts = text.split(FORMULA_PARTS).filter(Boolean);
  return el("span", { class: "formula", title: text }, ...parts.map(formulaPart));
}

/** @type {(part: string) => Child} */
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

/** @type {(level: KernelSet, k: number) => HTMLSpanElement} how it grows; the probability of growing as a hint */
export function growthNode(level, k) {
  const parts = level.growthClass[k]
    .replace(/grows, about |(?<=unclear): \d values?/g, "")
    .split(/\^([0-9.]+)/);
  const nodes = parts.map((part, i) => (i % 2 ? el("sup", {}, part) : part));
  const title = `${level.growthClass[k]}; probability of growing: ${Math.round(100 * level.growing[k])} %`;
  return el("span", { class: "formula", title }, ...nodes);
}

/** @type {(tree: CallTree, exponent: number) => string} */
export function growthWords(tree, exponent) {
  return `${doublingText(exponent)} when ${tree.level.positions.scaled} doubles`;
}

/**
 * Where a growth lies on a scale, from -100 (falls) over 0 (constant, or not known) to 100 (grows).
 * @param {number} growth
 * @param {number} [falls] how far the scale goes to either side, by default that of exponents
 * @param {number} [rises]
 */
export function growthPlace(growth, falls = FALLS, rises = RISES) {
  const share = growth < 0 ? growth / falls : growth / rises;
  return Number.isNaN(share) ? 0 : Math.round(100 * Math.min(Math.max(share, -1), 1));
}

/**
 * Gives an element the colour of a growth.
 * @template {HTMLElement | SVGElement} Made
 * @param {Made} node
 * @param {number} growth an exponent, or the logarithm to base 2 of the factor between two sides
 * @param {number} [end] where the scale of factors ends
 */
export function coloured(node, growth, end) {
  const place = growthPlace(growth, end, end);
  node.classList.add(place < 0 ? "g-down" : "g-up");
  node.style.setProperty("--g", `${Math.abs(place)}%`);
  return node;
}

/** @param {CallTree} tree */
export function growthLegend(tree) {
  const of = tree.relativeGrowth ? "of its share" : "of its own value";
  const text = `Colour: growth of a call path without its callees, ${of}, when ${tree.level.positions.scaled} doubles at the target:`;
  return legend(
    text,
    MARKS.map((exponent) => [doublingText(exponent), exponent, ""]),
  );
}

/**
 * @param {string} text what the colours are of
 * @param {number} end
 * @param {[string, number][]} hatched what is marked, with the end of the scale that it has
 */
export function differenceLegend(text, end, hatched) {
  const marks = [-1, -0.5, 0, 0.5, 1].map((share) => {
    const sign = { "-1": "≤ ", 1: "≥ " }[share] ?? "";
    return /** @type {Mark} */ ([`${sign}${doublingText(share * end)}`, share * end, ""]);
  });
  const only = hatched.map(([name, side]) => /** @type {Mark} */ ([name, side * end, "hatched"]));
  return legend(text, [...marks, ...only], end);
}

/** @typedef {[string, number, string]} Mark text, growth, and class of its swatch */

/** @param {string} text @param {Mark[]} marks @param {number} [end] */
function legend(text, marks, end) {
  const entries = marks.map(([name, growth, cls]) => {
    const swatch = el("span", { class: `swatch ${cls}`.trim() });
    return el("span", {}, coloured(swatch, growth, end), name);
  });
  return el("p", { class: "growth-legend" }, text, ...entries);
}
