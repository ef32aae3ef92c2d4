// @ts-check
// Models as text, and the parts that typeset formulas are made of.

/** @import { Level } from "../data/level.js" */
/** @typedef {{name: string, power: string, logarithm: number}} Factor p^power * log2(p)^logarithm */

export const CONSTANT = -1; // stands for the constant where a term is expected

/**
 * Parameters that occur in a term, with their exponents.
 * @param {Level} level
 * @param {number} t
 * @returns {Factor[]}
 */
export function factorsOf(level, t) {
  return level.terms[t]
    .map(([power, logarithm], d) => ({ name: level.space.parameters[d], power, logarithm }))
    .filter(({ power, logarithm }) => power !== "0" || logarithm !== 0);
}

/** @param {string} text */
function bracketed(text) {
  return /^\d+$/.test(text) ? text : `(${text})`;
}

/** @param {Factor} factor */
function factorTexts({ name, power, logarithm }) {
  const parts = [];
  if (power !== "0") parts.push(power === "1" ? name : `${name}^${bracketed(power)}`);
  if (logarithm !== 0)
    parts.push(`log2(${name})${logarithm === 1 ? "" : `^${bracketed(String(logarithm))}`}`);
  return parts;
}

/**
 * @param {Level} level
 * @param {number} t
 */
export function termText(level, t) {
  return factorsOf(level, t).flatMap(factorTexts).join(" * ") || "1";
}

/**
 * Four significant digits, as [digits, power of ten]; the power is 0 unless the number is very small or large.
 * @param {number} value
 * @returns {[string, number]}
 */
export function coefficientParts(value) {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e7)) return [String(Number(size.toPrecision(4))), 0];
  const [digits, power] = size.toExponential(3).split("e");
  return [String(Number(digits)), Number(power)];
}

/** @param {number} value */
function coefficientText(value) {
  const [digits, power] = coefficientParts(value);
  return power === 0 ? digits : `${digits}e${power}`;
}

/**
 * Constant and terms of a model that are not zero, as [coefficient, term].
 * @param {Level} level
 * @param {number} k
 * @param {number} rival
 * @returns {[number, number][]}
 */
export function summands(level, k, rival) {
  /** @type {[number, number][]} */
  const found = level.hypothesis(k, rival).map((t, i) => [level.coefficient(k, rival, i + 1), t]);
  const terms = found.filter(([coefficient]) => coefficient !== 0);
  const constant = level.coefficient(k, rival, 0);
  return constant !== 0 || terms.length === 0 ? [[constant, CONSTANT], ...terms] : terms;
}

/**
 * The sign before a summand.
 * @param {number} coefficient
 * @param {number} place
 * @param {string} minus
 */
export function signText(coefficient, place, minus) {
  if (place === 0) return coefficient < 0 ? minus : "";
  return coefficient < 0 ? ` ${minus} ` : " + ";
}

/**
 * The formula of the chosen model, or of a rival.
 * @param {Level} level
 * @param {number} k
 * @param {number} [rival]
 */
export function formulaText(level, k, rival = 0) {
  const [knee, found] = [sharpnessShown(level, k, rival), summands(level, k, rival)];
  const parts = found.map(([coefficient, t], i) => {
    const size = coefficientText(coefficient);
    const part = t === CONSTANT ? size : `${size} * ${termText(level, t)}`;
    const powered = knee === 1 ? part : `${t === CONSTANT ? part : `(${part})`}^${knee}`;
    return signText(coefficient, i, "-") + powered;
  });
  return knee === 1 ? parts.join("") : `(${parts.join("")})^(1/${knee})`;
}

/**
 * The sharpness that a formula is written with: 1 without a soft knee, or with nothing to add up in it.
 * @param {Level} level
 * @param {number} k
 * @param {number} rival
 */
export function sharpnessShown(level, k, rival) {
  return summands(level, k, rival).length > 1 ? level.knee(k, rival) : 1;
}

/**
 * Terms that lead in the end; none for what does not grow.
 * @param {Level} level
 * @param {number} k
 */
export function leadingTerms(level, k) {
  return level.growths[level.growth[k]];
}

/**
 * The leading behaviour; what has no growing term is constant or falls.
 * @param {Level} level
 * @param {number} k
 */
export function growthText(level, k) {
  const leading = leadingTerms(level, k);
  if (leading.length) return leading.map((t) => termText(level, t)).join(" + ");
  return level.hypothesis(k).length ? "falling" : "constant";
}
