// @ts-check
// Models as source text for other programs, LaTeX and Python, as models/formulas.py writes them.

import { CONSTANT, factorsOf, sharpnessShown, signText, summands } from "./formula.js";

/** @import { Level } from "../data/level.js" */
/** @import { Factor } from "./formula.js" */

const DIGITS = 4;
const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not np or pass raise return try while with yield".split(
    " ",
  ),
);

/**
 * The formula of the chosen model for math mode.
 * @param {Level} level
 * @param {number} k
 */
export function formulaLatex(level, k) {
  const knee = sharpnessShown(level, k, 0);
  const parts = summands(level, k, 0).map(([coefficient, t], i) => {
    const factors = t === CONSTANT ? [] : factorsOf(level, t).flatMap(latexFactors);
    const part = [latexNumber(Math.abs(coefficient)), ...factors].join(" \\cdot ");
    return signText(coefficient, i, "-") + (knee === 1 ? part : `\\left(${part}\\right)^{${knee}}`);
  });
  const sum = parts.join("");
  return knee === 1 ? sum : `\\left(${sum}\\right)^{\\frac{1}{${knee}}}`;
}

/** @param {number} value */
function latexNumber(value) {
  if (value === 0) return "0";
  const [digits, power] = value.toExponential(DIGITS - 1).split("e");
  if (Number(power) >= -4 && Number(power) < DIGITS) return String(Number(value.toPrecision(DIGITS)));
  return `${Number(digits)} \\times 10^{${Number(power)}}`;
}

/** @param {string} name */
function latexName(name) {
  const escaped = name.replace(/[\\^~]/g, "").replace(/[#$%&_{}]/g, "\\$&");
  return name.length === 1 ? escaped : `\\mathrm{${escaped}}`;
}

/** @param {Factor} factor */
function latexFactors({ name, power, logarithm }) {
  const shown = latexName(name);
  /** @type {string[]} */
  const factors = [];
  if (power !== "0") factors.push(power === "1" ? shown : `${shown}^{${latexFraction(power)}}`);
  if (logarithm !== 0) factors.push(`\\log_{2}${logarithm === 1 ? "" : `^{${logarithm}}`}(${shown})`);
  return factors;
}

/** @param {string} power */
function latexFraction(power) {
  const [above, below] = power.replace("-", "").split("/");
  const sign = power.startsWith("-") ? "-" : "";
  return below ? `${sign}\\frac{${above}}{${below}}` : `${sign}${above}`;
}

/**
 * The formula of the chosen model as a Python function, with all digits.
 * @param {Level} level
 * @param {number} k
 * @param {string} description
 */
export function formulaPython(level, k, description) {
  const names = level.space.parameters.map(identifier);
  const distinct = names.map((name, i) =>
    names.filter((n) => n === name).length > 1 ? `${name}_${i + 1}` : name,
  );
  const knee = sharpnessShown(level, k, 0);
  const parts = summands(level, k, 0).map(([coefficient, t], i) => {
    const factors =
      t === CONSTANT ? [] : factorsOf(level, t).flatMap((factor) => pythonFactors(level, distinct, factor));
    const part = [String(Math.abs(coefficient)), ...factors].join(" * ");
    return signText(coefficient, i, "-") + (knee === 1 ? part : `(${part}) ** ${knee}`);
  });
  const sum = parts.join("");
  return [
    "import numpy as np",
    "",
    "",
    `def ${identifier(level.name(k))}(${distinct.join(", ")}):`,
    `    """${description.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replace(/\s+/g, " ")}"""`,
    `    return ${knee === 1 ? sum : `(${sum}) ** (1 / ${knee})`}`,
    "",
  ].join("\n");
}

/**
 * A Python identifier that resembles a text.
 * @param {string} text
 */
export function identifier(text) {
  const name = text.replace(/[^\p{L}\p{N}_]+/gu, "_").replace(/^_+|_+$/g, "") || "model";
  return /^\p{N}/u.test(name) || KEYWORDS.has(name) ? `_${name}` : name;
}

/**
 * @param {Level} level
 * @param {string[]} names
 * @param {Factor} factor
 */
function pythonFactors(level, names, { name, power, logarithm }) {
  const shown = names[level.space.parameters.indexOf(name)];
  const factors = [];
  if (power !== "0") {
    const number = power.includes("/") ? `(${power.replace("/", " / ")})` : `${power}.0`;
    factors.push(power === "1" ? shown : `${shown} ** ${number}`);
  }
  if (logarithm !== 0) factors.push(`np.log2(${shown})${logarithm === 1 ? "" : ` ** ${logarithm}`}`);
  return factors;
}
