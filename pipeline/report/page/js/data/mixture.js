// @ts-check
// Quantiles of mixtures of Student t distributions, in the steps of statistics/student.py.

/** @import { Constants } from "./payload.js" */

const CELLS = 1024; // of a table of a distribution function over t / (1 + |t|)

/**
 * The normal distribution function, after West, "Better approximations to cumulative normal functions", 2005.
 * @param {number} x
 */
export function normalCdf(x) {
  const z = Math.abs(x);
  if (z > 37) return x > 0 ? 1 : 0;
  const density = Math.exp((-z * z) / 2);
  const tail = z < 7.07106781186547 ? (density * numerator(z)) / denominator(z) : density / fraction(z);
  return x > 0 ? 1 - tail : tail;
}

/** @param {number} z */
function numerator(z) {
  let sum = 3.52624965998911e-2 * z + 0.700383064443688;
  sum = sum * z + 6.37396220353165;
  sum = sum * z + 33.912866078383;
  sum = sum * z + 112.079291497871;
  sum = sum * z + 221.213596169931;
  return sum * z + 220.206867912376;
}

/** @param {number} z */
function denominator(z) {
  let sum = 8.83883476483184e-2 * z + 1.75566716318264;
  sum = sum * z + 16.064177579207;
  sum = sum * z + 86.7807322029461;
  sum = sum * z + 296.564248779674;
  sum = sum * z + 637.333633378831;
  sum = sum * z + 793.826512519948;
  return sum * z + 440.413735824752;
}

/** @param {number} z */
function fraction(z) {
  return 2.506628274631 * (z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 0.65)))));
}

/**
 * The approximations of `student_cdf`.
 * @param {number} value
 * @param {number} degrees
 * @param {boolean} many whether all kernels have many degrees of freedom
 */
export function studentCdf(value, degrees, many) {
  const square = value * value;
  if (many) return normalCdf((value * (1 - 0.25 / degrees)) / Math.sqrt(1 + square / (2 * degrees)));
  const squeeze = (8 * degrees + 1) / (8 * degrees + 3);
  const size = squeeze * Math.sqrt(degrees * Math.log1p(square / degrees));
  return normalCdf(value < 0 ? -size : size);
}

/** @type {Map<string, Float64Array>} */
const TABLES = new Map();

/**
 * A distribution function at places spread evenly over t / (1 + |t|), with one more at either end.
 * @param {number} degrees
 * @param {boolean} many
 */
export function tableOf(degrees, many) {
  const key = `${degrees} ${many}`;
  const known = TABLES.get(key);
  if (known) return known;
  const table = Float64Array.from({ length: CELLS + 4 }, (_, i) => {
    const place = Math.min(Math.max((2 * (i - 1)) / CELLS - 1, -1), 1);
    if (Math.abs(place) === 1) return place > 0 ? 1 : 0;
    return studentCdf(place / (1 - Math.abs(place)), degrees, many);
  });
  TABLES.set(key, table);
  return table;
}

/**
 * What some t distributions, weighted, hold below a place; a cubic through the table, whose error is below 1e-7.
 * @param {Components} components
 * @param {number} place
 */
function below(components, place) {
  const { center, scale, weight, table } = components;
  let sum = 0;
  for (let i = 0; i < center.length; i++) {
    const t = (place - center[i]) / scale[i];
    const x = (t / (1 + Math.abs(t)) + 1) * (CELLS / 2);
    const cell = x | 0;
    const f = x - cell;
    const [a, b, c, d] = [table[cell], table[cell + 1], table[cell + 2], table[cell + 3]];
    const slope = (c - a) / 2;
    const bend = a - 2.5 * b + 2 * c - d / 2;
    sum += weight[i] * (b + f * (slope + f * (bend + f * (1.5 * (b - c) + (d - a) / 2))));
  }
  return sum;
}

/**
 * @typedef {object} Components of a mixture
 * @property {Float64Array} center
 * @property {Float64Array} scale not below 0
 * @property {Float64Array} weight
 * @property {Float64Array} table of their distribution function
 */

/**
 * Lower end of the 90 % interval, median and upper end: mixture_quantiles.
 * @param {Components} components
 * @param {number} reach of the upper quantile of a single component of unit scale
 * @param {Constants["mixture"]} constants
 * @returns {[number, number, number]}
 */
export function quantiles({ center, scale, weight, table }, reach, constants) {
  const counting = Array.from(weight.keys()).filter((i) => weight[i] > constants.negligible);
  if (counting.length <= 1) {
    let best = 0;
    for (let i = 1; i < weight.length; i++) if (weight[i] > weight[best]) best = i;
    return [center[best] - scale[best] * reach, center[best], center[best] + scale[best] * reach];
  }
  const all = counting.reduce((sum, i) => sum + weight[i], 0);
  const largest = counting.reduce((most, i) => Math.max(most, Math.abs(center[i])), 0);
  const least = largest * 1e-12 + 1e-300;
  const components = {
    center: Float64Array.from(counting, (i) => center[i]),
    scale: Float64Array.from(counting, (i) => Math.max(scale[i], least)),
    weight: Float64Array.from(counting, (i) => weight[i] / all),
    table,
  };
  return [
    quantile(components, 1 - constants.upper, -reach, constants),
    quantile(components, 0.5, 0, constants),
    quantile(components, constants.upper, reach, constants),
  ];
}

/**
 * The inversion of _of_several and _invert.
 * @param {Components} components
 * @param {number} probability
 * @param {number} reach quantile of a single component of unit scale
 * @param {Constants["mixture"]} constants
 */
function quantile(components, probability, reach, { steps, margin, farther }) {
  const { center, scale } = components;
  let lowest = Infinity;
  let highest = -Infinity;
  let unit = Infinity;
  for (let i = 0; i < center.length; i++) {
    const end = center[i] + scale[i] * reach * farther;
    lowest = Math.min(lowest, end - margin * scale[i]);
    highest = Math.max(highest, end + margin * scale[i]);
    unit = Math.min(unit, scale[i]);
  }
  let low = Math.asinh(lowest / unit);
  let high = Math.asinh(highest / unit);
  let before = below(components, lowest);
  let after = below(components, highest);
  for (let step = 0; step < steps; step++) {
    const share = step % 2 ? Math.min(Math.max(crossing(before, after, probability), 0.02), 0.98) : 0.5;
    const middle = low + share * (high - low);
    const value = below(components, unit * Math.sinh(middle));
    if (value >= probability) {
      high = middle;
      after = value;
    } else {
      low = middle;
      before = value;
    }
  }
  const left = unit * Math.sinh(low);
  const share = Math.min(Math.max(crossing(before, after, probability), 0), 1);
  return left + share * (unit * Math.sinh(high) - left);
}

/**
 * Where between two values a straight line reaches a probability, as a share of the way.
 * @param {number} before
 * @param {number} after
 * @param {number} probability
 */
function crossing(before, after, probability) {
  return after > before ? (probability - before) / (after - before) : 0.5;
}
