// @ts-check
// Numbers as people read them: what ingest/number_text.py and wording/quantities.py write, to the last digit.

/** @import { Interval } from "../data/kernel_set.js" */
/** @import { Positions } from "../data/positions.js" */

export const NOTHING = "-"; // what is not known
const BETWEEN = " .. ";
export const TO = " to ";
const FINE = 0.2; // between the ends of an interval, relative: wider ones have two digits
const LAST_OF_TWO = 0.05; // relative: what rounding to two digits changes at most
const PERCENT = " %";
/** @type {[number, string][]} */
const WORDS = [
  [1e12, "trillion"],
  [1e9, "billion"],
  [1e6, "million"],
];
/** @type {[number, string][]} */
const SECONDS = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];
/**
 * Of each unit: from which values on a larger one is easier to read, how much of it that is, and its name.
 * @type {Map<string, [number, number, string][]>}
 */
const LARGER = new Map([
  ["core-s", [[36000, 3600, "core-hours"]]],
  ["node-s", [[36000, 3600, "node-hours"]]],
  ["GPU-s", [[36000, 3600, "GPU-hours"]]],
  ["J", [[3.6e6, 3.6e6, "kWh"]]],
  [
    "B",
    [
      [2 ** 30, 2 ** 30, "GiB"],
      [0.1 * 2 ** 20, 2 ** 20, "MiB"],
    ],
  ],
]);
const [SMALLEST, LARGEST] = [1e-4, 1e15]; // beyond, numbers are written with an exponent
const WHOLE_BELOW = 10_000; // larger numbers are rounded
const PARAMETER_DIGITS = 12;
const EXACT = 30; // digits after which a number halfway between two shorter ones has nothing but zeros
/** @type {[number, string][]} */
const PREFIXES = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];
const FASTEST = 1000; // what doubling is said to multiply by at most

/**
 * A number in digits, of which those at the end are cut off; the last kept one becomes even if the number lies halfway
 * between two, as in Python.
 * @param {string} rounded where JavaScript goes away from zero then
 * @param {string} exact with many more digits
 */
function evened(rounded, exact) {
  const kept = rounded.length + (rounded.includes(".") ? 0 : 1);
  const cut = exact.slice(0, kept).replace(/\.$/, "");
  return /^50*$/.test(exact.slice(kept)) && /[02468]$/.test(cut) ? cut : rounded;
}

/** @type {(value: number, places: number) => string} */
function fixed(value, places) {
  return evened(value.toFixed(places), value.toFixed(places + EXACT));
}

/** @type {(value: number, digits: number) => [string, number]} significant digits, and their power of ten */
function scientific(value, digits) {
  const [rounded, power] = value.toExponential(digits - 1).split("e");
  const [exact, below] = value.toExponential(digits - 1 + EXACT).split("e");
  return power === below ? [evened(rounded, exact), Number(power)] : [rounded, Number(power)];
}

/** @type {(mantissa: string, power: number) => string} */
function exponential(mantissa, power) {
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** @type {(value: number, digits: number) => string} no separator; whole if it has as many digits */
function decimal(value, digits) {
  const [, power] = scientific(value, digits);
  return fixed(value, Math.max(digits - 1 - power, 0));
}

/**
 * Some significant digits: 0.0456, 1731, 12,300, 5.65 million.
 * @param {number} value
 * @param {number} [digits]
 */
export function figure(value, digits = 3) {
  if (Number.isNaN(value)) return NOTHING;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const [mantissa, power] = scientific(value, digits);
  const near = Number(`${mantissa}e${power}`);
  const size = Math.abs(near);
  if (size === 0) return "0";
  if (size < SMALLEST || size >= LARGEST) {
    return exponential(mantissa, power);
  }
  const word = WORDS.find(([factor]) => size >= factor);
  if (word) return `${decimal(near / word[0], digits)} ${word[1]}`;
  if (size >= WHOLE_BELOW && Math.round(Math.abs(value)) >= WHOLE_BELOW) return near.toLocaleString("en-US");
  return decimal(value, digits);
}

/** @param {number} value @returns how many: whole below ten thousand */
export function count(value) {
  const whole = Math.round(value);
  return Math.abs(whole) < WHOLE_BELOW ? String(whole) : figure(value);
}

/** @param {number} share @returns never 0 % above zero, but for the rounding error of a difference */
export function percent(share) {
  if (Number.isNaN(share)) return NOTHING;
  if (share > 0 && share < 0.001) return "<0.1 %";
  if (share < 0 && share > -0.0005) return "0.0 %";
  return share >= 10 ? `${figure(100 * share)} %` : `${fixed(100 * share, 1)} %`;
}

/** @type {(value: number, unit: string) => [number, string]} a factor, and the unit that it converts into */
function unitOf(value, unit) {
  const size = Math.abs(value);
  if (unit === "s" || unit === "sec") {
    const found = SECONDS.find(([least]) => size >= least);
    return found ? [1 / found[0], found[1]] : [1, "s"];
  }
  const larger = LARGER.get(unit)?.find(([least]) => value >= least);
  const [factor, shown] = larger ? [1 / larger[1], larger[2]] : [1, unit];
  const word = WORDS.find(([least]) => size * factor >= least);
  return word ? [factor / word[0], `${word[1]} ${shown}`] : [factor, shown];
}

/** @type {(value: number, unit: string) => string} 90 ms, 7.00 core-s, 293,000 core-hours */
export function quantity(value, unit) {
  const [factor, shown] = unitOf(value, unit);
  return `${figure(value * factor)} ${shown}`.trimEnd();
}

/** @param {number} share */
function roughPercent(share) {
  return Math.abs(share) >= 0.1 ? `${figure(100 * share, 2)}${PERCENT}` : percent(share);
}

/**
 * An interval for a table: 16 .. 28, 1.6 .. 2.4 %; for a sentence: 16 to 28; empty if it is not known.
 * @param {Interval | null} interval
 * @param {(value: number) => string} write
 * @param {string} between
 * @param {number} value the one inside, which rounding must leave there
 */
export function intervalText(interval, write = figure, between = BETWEEN, value = Number.NaN) {
  if (!interval || Number.isNaN(interval.lower) || Number.isNaN(interval.upper)) return "";
  const { lower, upper } = interval;
  const rounding = Math.min(
    (value - lower) / (Math.abs(lower) || 1),
    (upper - value) / (Math.abs(upper) || 1),
  );
  const far = Math.abs(upper - lower) > FINE * Math.min(Math.abs(lower), Math.abs(upper));
  const wide = far && !(rounding < LAST_OF_TWO);
  const rough =
    write === percent
      ? roughPercent
      : write === figure
        ? (/** @type {number} */ one) => figure(one, 2)
        : write;
  const [low, high] = [lower, upper].map(wide ? rough : (one) => write(one));
  return `${high.endsWith(PERCENT) ? low.replace(PERCENT, "") : low}${between}${high}`;
}

/** @type {(value: number, interval: Interval | null, unit: string) => string} 9.58 s (5.8 to 26 s); % is of shares */
export function estimateText(value, interval, unit) {
  const [factor, shown] = unitOf(value, unit);
  const inUnit = interval && { lower: interval.lower * factor, upper: interval.upper * factor };
  const text = unit === "%" ? percent(value) : `${figure(value * factor)} ${shown}`.trimEnd();
  const ends =
    unit === "%"
      ? intervalText(interval, percent, TO, value)
      : intervalText(inUnit, figure, TO, value * factor);
  return ends && interval?.lower !== interval?.upper
    ? `${text} (${unit === "%" ? ends : `${ends} ${shown}`.trimEnd()})`
    : text;
}

/** @param {number} value @returns the value of a parameter, as it is */
export function valueText(value) {
  const [mantissa, power] = scientific(value, PARAMETER_DIGITS);
  if (value === 0 || (power >= -4 && power < PARAMETER_DIGITS)) return String(Number(`${mantissa}e${power}`));
  return exponential(String(Number(mantissa)), power);
}

/** @type {(parameters: readonly string[], at: readonly number[]) => string} */
export function pointText(parameters, at) {
  return parameters.map((name, d) => `${name} = ${valueText(at[d])}`).join(", ");
}

/**
 * Measured points to choose from, by their index.
 * @param {Pick<Positions, "parameters" | "points">} positions
 * @param {string} [before] each
 * @param {number[]} [some] of the points
 * @returns {[number, string][]}
 */
export function pointChoices({ parameters, points }, before = "", some = points.map((_, i) => i)) {
  return some.map((i) => [i, `${before}${pointText(parameters, points[i])}`]);
}

/** @param {number} exponent @returns what something like p^exponent is multiplied by when p doubles */
export function doublingText(exponent) {
  const factor = 2 ** exponent;
  if (factor > FASTEST) return `>×${FASTEST}`; // from next to nothing: the number says no more
  return factor > 0 && factor < 1 / FASTEST ? `<×${1 / FASTEST}` : `×${figure(factor)}`;
}

/** @param {number} value @returns a label of an axis: no trailing zeros, a prefix from ten thousand on */
export function tickLabel(value) {
  const size = Math.abs(value);
  const [factor, prefix] = PREFIXES.find(([least]) => size >= 1e4 && size < 1e16 && size >= least) ?? [1, ""];
  const short = Number((value / factor).toPrecision(4));
  if (prefix) return `${short}\u202f${prefix}`;
  const extreme = size >= 1e16 || (size > 0 && size < 1e-3);
  return extreme ? short.toExponential().replace("e+", "e") : String(short);
}
