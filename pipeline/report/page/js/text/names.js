// @ts-check
// Names of regions and call paths as text.

/** @import { KernelSet } from "../data/kernel_set.js" */

/** @type {(text: string, width: number) => string} without its middle where it is longer than `width` */
export function cutText(text, width) {
  if (text.length <= width) return text;
  const head = Math.floor(width / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (width - head - 1))}`;
}

/** @type {(level: KernelSet, k: number, width: number) => string} in one line, with its caller if there is room */
export function kernelLabel(level, k, width) {
  const [caller] = level.pathNames(k).slice(-2, -1);
  return cutText(caller && width > 24 ? `${caller} › ${level.name(k)}` : level.name(k), width);
}

/**
 * Kernels in lines of limited width that differ: where names are the same, so much of their callers is added as
 * tells them apart.
 * @type {(level: KernelSet, kernels: number[], width: number) => string[]}
 */
export function distinctLabels(level, kernels, width) {
  const labels = kernels.map((k) => kernelLabel(level, k, width));
  return labels.map((label, i) => {
    const same = kernels.filter((_, j) => labels[j] === label);
    return same.length < 2 ? label : distinctLabel(level, kernels[i], same, width);
  });
}

/** @type {(level: KernelSet, k: number, others: number[], width: number) => string} */
function distinctLabel(level, k, others, width) {
  const paths = others.map((other) => level.fullPathNames(other));
  const own = level.fullPathNames(k);
  const callers = between(own, paths);
  const same = callers.length === 1 && callers[0] === own[own.length - 1];
  const names = paths.map((path) => [...path[path.length - 1]]);
  const part = same ? between([...own[own.length - 1]], names).join("") : callers.join(" › ");
  const room = Math.max(Math.floor(width / 2), 8);
  return `${cutText(level.name(k), width - room)} (${cutText(part || "itself", room)})`;
}

/** @type {(own: string[], all: string[][]) => string[]} without what all have in common at start and end */
function between(own, all) {
  const start = sharedStart(all);
  const end = sharedStart(all.map((one) => one.slice(start).reverse()));
  return own.slice(start, own.length - end);
}

/** @param {string[][]} all */
function sharedStart(all) {
  let n = 0;
  while (all.every((one) => n < one.length && one[n] === all[0][n])) n++;
  return n;
}

/** @param {string} text @returns the words of a search, in lower case */
export function wordsOf(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** @param {string} text in lower case @param {string[]} words */
export function hasWords(text, words) {
  return words.every((word) => text.includes(word));
}
