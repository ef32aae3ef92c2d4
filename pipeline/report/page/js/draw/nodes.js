// @ts-check
// Names, formulas and shares as elements: whole when copied, searched or read aloud, cut by the layout.

import {
  CONSTANT,
  coefficientParts,
  factorsOf,
  formulaText,
  growthText,
  sharpnessShown,
  signText,
  summands,
} from "../text/formula.js";
import { fullPathNames, pathNames } from "../text/names.js";
import { copyButton, el, styled } from "./dom.js";

/** @import { Level } from "../data/level.js" */
/** @import { Child } from "./dom.js" */

const TAIL = 14; // characters at the end that are always seen, half the name at most
const TIMES = "\u2009·\u2009";

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
 * @param {Level} level
 * @param {number} k
 */
export function kernelNode(level, k) {
  const callers = pathNames(level, k).slice(0, -1);
  const name = el("span", { class: "name" }, cutNode(level.name(k), level.fullName(k)));
  if (callers.length === 0) return name;
  const above = el(
    "span",
    { class: "callers" },
    cutNode(callers.join(" › "), fullPathNames(level, k).join(" › ")),
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
 * @param {Level} level
 * @param {number} t
 * @returns {Child[]}
 */
function termNodes(level, t) {
  const parts = factorsOf(level, t).flatMap(({ name, power, logarithm }) => {
    /** @type {Child[][]} */
    const shown = [];
    if (power !== "0") shown.push([el("i", {}, name), power === "1" ? null : el("sup", {}, power)]);
    if (logarithm !== 0) {
      const raised = logarithm === 1 ? null : el("sup", {}, String(logarithm));
      shown.push(["log", el("sub", {}, "2"), raised, "\u2009", el("i", {}, name)]);
    }
    return shown;
  });
  return parts.flatMap((part, i) => (i ? [TIMES, ...part] : part));
}

/**
 * @param {number} value
 * @returns {Child[]}
 */
function coefficientNodes(value) {
  const [digits, power] = coefficientParts(value);
  return power === 0 ? [digits] : [`${digits}${TIMES}10`, el("sup", {}, String(power).replace("-", "−"))];
}

/**
 * The formula of the chosen model, or of a rival.
 * @param {Level} level
 * @param {number} k
 * @param {number} [rival]
 */
export function formulaNode(level, k, rival = 0) {
  const knee = sharpnessShown(level, k, rival);
  const parts = summands(level, k, rival).flatMap(([coefficient, t], i) => [
    signText(coefficient, i, "−"),
    ...raisedNodes(
      [...coefficientNodes(coefficient), ...(t === CONSTANT ? [] : [TIMES, ...termNodes(level, t)])],
      knee,
    ),
  ]);
  const nodes = knee === 1 ? parts : ["(", ...parts, ")", el("sup", {}, `1/${knee}`)];
  return el("span", { class: "formula", title: formulaText(level, k, rival) }, ...nodes);
}

/**
 * @param {Child[]} nodes
 * @param {number} power
 * @returns {Child[]}
 */
function raisedNodes(nodes, power) {
  return power === 1 ? nodes : ["(", ...nodes, ")", el("sup", {}, String(power))];
}

/**
 * The most probable way to grow, with its range of exponents; the leading term of the model as a hint.
 * @param {Level} level
 * @param {number} k
 */
export function growthNode(level, k) {
  const parts = level.growthClass[k].replace("grows, about ", "").split(/\^([0-9.]+)/);
  const nodes = parts.map((part, i) => (i % 2 ? el("sup", {}, part) : part));
  const title = `${level.growthClass[k]}; leading term of the model: ${growthText(level, k)}`;
  return el("span", { class: "formula", title }, ...nodes);
}
