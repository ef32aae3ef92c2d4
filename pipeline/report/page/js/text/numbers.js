// @ts-check
// Numbers as people read them.

/** @import { Interval } from "../data/kernel_set.js" */

/** @type {[number, string][]} */
const PREFIXES = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];
/** @type {[number, string][]} */
const LARGE = [
  [1e12, "trillion"],
  [1e9, "billion"],
  [1e6, "million"],
];
const FASTEST = 1000; // what doubling is said to multiply by at most
const PREFIXED = 1e4; // from here on numbers have a prefix
const EXPONENT = 1e16; // from here on they have an exponent
const IN_HOURS = 36e3; // core-seconds from which core-hours are easier to read
const HOURS = new Map([
  ["core-s", "core-hours"],
  ["GPU-s", "GPU-hours"],
]);
const SECONDS_PER_HOUR = 3600;

/**
 * @param {number} value
 * @param {number} digits
 */
function significant(value, digits) {
  return Number(value.toPrecision(digits));
}

/** @param {number} value */
function exponential(value, digits = 0) {
  return (digits ? value.toExponential(digits - 1) : value.toExponential()).replace("e+", "e");
}

/**
 * @param {number} value
 * @param {number} digits
 */
function rounded(value, digits) {
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(significant(value, digits))));
  if (magnitude < -4 || magnitude > 15) return exponential(value, digits);
  return value.toFixed(Math.max(digits - 1 - magnitude, 0));
}

/**
 * The largest prefix that a size has; none for what is short without.
 * @param {number} size
 */
function prefixOf(size) {
  return size >= PREFIXED && size < EXPONENT ? PREFIXES.find(([factor]) => size >= factor) : undefined;
}

/**
 * Some significant digits, with a metric prefix from ten thousand on.
 * @param {number} value
 * @param {number} [digits]
 */
export function figure(value, digits = 3) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const [factor, prefix] = prefixOf(Math.abs(significant(value, digits))) ?? [1, ""];
  return prefix ? `${rounded(value / factor, digits)}\u202f${prefix}` : rounded(value, digits);
}

/**
 * Counts stay whole.
 * @param {number} value
 */
export function amount(value) {
  return Number.isInteger(value) && Math.abs(value) < PREFIXED ? String(value) : figure(value);
}

/** @param {number} share */
export function percent(share) {
  if (Number.isNaN(share)) return "–";
  if (share > 0 && share < 0.001) return "<0.1 %";
  if (share < 0 && share > -0.0005) return "0.0 %"; // rounding errors of a difference
  return `${(100 * share).toFixed(1)} %`;
}

/** @param {Interval | null} interval */
export function intervalText(interval) {
  return interval ? `${figure(interval[0])} … ${figure(interval[1])}` : "–";
}

/**
 * @param {string} text
 * @param {string} unit
 */
export function unitText(text, unit) {
  return unit && text !== "–" ? `${text} ${unit}` : text;
}

/**
 * What the value of something that grows like p^exponent is multiplied by when p doubles.
 * @param {number} exponent
 */
export function doublingText(exponent) {
  const factor = 2 ** exponent;
  if (factor > FASTEST) return `>×${FASTEST}`; // from next to nothing: the number says no more
  return factor > 0 && factor < 1 / FASTEST
    ? `<×${1 / FASTEST}`
    : `×${factor < 100 ? factor.toFixed(2) : figure(factor)}`;
}

/**
 * A number without a prefix: 0.042, 1,412, 293,000, 5.6 million.
 * @param {number} value
 */
export function inWords(value) {
  if (!Number.isFinite(value)) return figure(value);
  const thousands = Math.abs(value) >= 1000 && Math.abs(value) < PREFIXED;
  const near = significant(value, thousands ? 4 : 3);
  const size = Math.abs(near);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return exponential(near);
  const [factor, word] = LARGE.find(([least]) => size >= least) ?? [1, ""];
  const text = (near / factor).toLocaleString("en-US", { maximumSignificantDigits: 4 });
  return word ? `${text} ${word}` : text;
}

/**
 * A value with its unit and interval, in core-hours if there are many.
 * @param {number} value
 * @param {string} unit
 * @param {Interval | null} [interval]
 */
export function quantityText(value, unit, interval) {
  const hours = value >= IN_HOURS ? HOURS.get(unit) : undefined;
  const factor = hours ? SECONDS_PER_HOUR : 1;
  const text = `${inWords(value / factor)} ${hours ?? unit}`.trim();
  if (!interval) return text;
  const [low, high] = interval;
  return `${text}, 90 % interval ${inWords(low / factor)} to ${inWords(high / factor)}`;
}

/**
 * A figure with its interval and unit; shares as percentages.
 * @param {{value: number, lower: number, upper: number}} estimate
 * @param {string} unit
 */
export function estimateText({ value, lower, upper }, unit) {
  const factor = unit === "%" ? 100 : 1;
  const [text, low, high] = [value, lower, upper].map((one) => figure(one * factor));
  const interval = Number.isFinite(lower) && Number.isFinite(upper) ? ` (${low} to ${high})` : "";
  return `${text}${unit ? `\u202f${unit}` : ""}${interval}`;
}

/**
 * Labels of axes: short, without trailing zeros.
 * @param {number} value
 */
export function tickLabel(value) {
  const size = Math.abs(value);
  const [factor, prefix] = prefixOf(size) ?? [1, ""];
  if (prefix) return `${significant(value / factor, 4)}\u202f${prefix}`;
  const short = significant(value, 4);
  return size >= EXPONENT || (size > 0 && size < 1e-3) ? exponential(short) : String(short);
}

/**
 * Values of parameters: whole numbers stay whole.
 * @param {number} value
 */
export function scaleText(value) {
  if (Number.isInteger(value) && Math.abs(value) < EXPONENT) return String(value);
  return String(significant(value, value >= 1000 ? 5 : 4));
}

/**
 * @param {readonly string[]} parameters
 * @param {readonly number[]} at
 */
export function pointText(parameters, at) {
  return parameters.map((name, d) => `${name} = ${scaleText(at[d])}`).join(", ");
}
