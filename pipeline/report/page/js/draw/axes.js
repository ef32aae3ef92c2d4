// @ts-check
// Scales of charts: from values to pixels and back, and where their ticks are.

/** @typedef {readonly [number, number]} Range */
/** @typedef {{invert: (pixel: number) => number, ticks: (count: number) => number[]}} ScaleExtras */
/** @typedef {((value: number) => number) & ScaleExtras} Scale */

/** @type {(domain: Range, range: Range) => Scale} */
export function linearScale([low, high], [from, to]) {
  const factor = (to - from) / (high - low || 1);
  return Object.assign((/** @type {number} */ value) => from + (value - low) * factor, {
    invert: (/** @type {number} */ pixel) => low + (pixel - from) / factor,
    ticks: (/** @type {number} */ count) => linearTicks(low, high, count),
  });
}

/** @type {(domain: Range, range: Range) => Scale} */
export function logScale([low, high], range) {
  const inner = linearScale([Math.log(low), Math.log(high)], range);
  return Object.assign((/** @type {number} */ value) => inner(Math.log(value)), {
    invert: (/** @type {number} */ pixel) => Math.exp(inner.invert(pixel)),
    ticks: (/** @type {number} */ count) => logTicks(low, high, count),
  });
}

/** @type {(low: number, high: number, count: number) => number[]} */
export function linearTicks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10) * power;
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-9); i++) ticks.push(i * step);
  return ticks;
}

/** @type {(low: number, high: number, count: number) => number[]} */
export function logTicks(low, high, count) {
  const decades = Math.log10(high / low);
  const ticks = [];
  const keep = decades > 2 ? [1] : decades > 1 ? [1, 3] : [1, 2, 5];
  const every = Math.max(1, Math.ceil(decades / Math.max(count, 1)));
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    if (e % every) continue;
    for (const factor of keep) ticks.push(factor * 10 ** e);
  }
  const inside = ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
  return inside.length > 1 ? inside : linearTicks(low, high, count);
}

/** @type {(low: number, high: number, count: number) => number[]} powers of two, if measured at such */
export function binaryTicks(low, high, count) {
  const first = Math.ceil(Math.log2(low) - 1e-9);
  const last = Math.floor(Math.log2(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / count));
  const ticks = [];
  for (let e = first; e <= last; e += every) ticks.push(2 ** e);
  return ticks;
}

/** @type {(values: number[]) => Range} of positive ones: at most six decades, small ones leave at the bottom */
export function logDomain(values) {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return [0.1, 1];
  const high = Math.max(...positive);
  const low = Math.max(Math.min(...positive), high * 1e-6);
  const pad = (high / low) ** 0.05 * 1.05;
  return [low / pad, high * pad];
}

/** @type {(values: number[]) => Range} */
export function linearDomain(values) {
  const high = Math.max(...values.filter(Number.isFinite), 0);
  const low = Math.min(...values.filter(Number.isFinite), 0);
  return high > low ? [low, high + 0.06 * (high - low)] : [0, 1];
}

const [NARROWEST, WIDEST] = [0.1, 1.5]; // decades to either side of 1: from 1/1.26 to 1.26, from 1/31 to 31

/** @type {(ratios: number[], width: number) => (ratio: number) => number} logarithmic, 1 in its middle */
export function ratioScale(ratios, width) {
  const sizes = ratios.map((ratio) => Math.abs(Math.log10(ratio))).filter(Number.isFinite);
  const span = Math.min(Math.max(NARROWEST, ...sizes), WIDEST);
  return (ratio) => (width / 2) * (1 + Math.min(Math.max(Math.log10(ratio) / span, -1), 1));
}
