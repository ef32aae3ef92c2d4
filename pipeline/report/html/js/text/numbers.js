// @ts-check
// Numbers as people read them; the same rules as in the terminal.

/** @type {[number, string][]} */
const PREFIXES = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/**
 * @param {number} value
 * @param {number} digits
 */
function rounded(value, digits) {
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  if (magnitude < -4 || magnitude > 15) return value.toExponential(digits - 1);
  return value.toFixed(Math.max(digits - 1 - magnitude, 0));
}

/**
 * @param {number} value
 * @param {number} [digits]
 */
export function figure(value, digits = 3) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  for (const [factor, prefix] of PREFIXES) {
    if (size >= factor * 10 && size < 1e16) return `${rounded(value / factor, digits)}\u202f${prefix}`;
  }
  return rounded(value, digits);
}

/**
 * Counts stay whole.
 * @param {number} value
 */
export function amount(value) {
  return Number.isInteger(value) && Math.abs(value) < 1e4 ? String(value) : figure(value);
}

/** @param {number} share */
export function percent(share) {
  if (Number.isNaN(share)) return "–";
  if (share > 0 && share < 0.001) return "<0.1 %";
  return `${(100 * share).toFixed(1)} %`;
}

/** @param {readonly [number, number] | null} interval */
export function intervalText(interval) {
  return interval ? `${figure(interval[0])} … ${figure(interval[1])}` : "–";
}

/**
 * Labels of axes: short, without trailing zeros.
 * @param {number} value
 */
export function tickLabel(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  for (const [factor, prefix] of PREFIXES) {
    if (size >= factor * 10) return `${Number((value / factor).toPrecision(4))}\u202f${prefix}`;
  }
  return size < 1e-3 ? value.toExponential().replace("e", " e") : String(Number(value.toPrecision(4)));
}

/**
 * Values of parameters: scales are whole numbers mostly and must not be rounded away.
 * @param {number} value
 */
export function scaleText(value) {
  return String(Number(value.toPrecision(value >= 1000 ? 5 : 4)));
}

/**
 * @param {readonly string[]} parameters
 * @param {readonly number[]} at
 */
export function pointText(parameters, at) {
  return parameters.map((name, d) => `${name} = ${scaleText(at[d])}`).join(", ");
}
