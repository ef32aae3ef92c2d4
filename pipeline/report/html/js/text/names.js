// @ts-check
// Names of regions and call paths as text.

/** @import { Level } from "../data/level.js" */

/**
 * A text with its middle cut out where it is longer than `width`.
 * @param {string} text
 * @param {number} width
 */
export function cutText(text, width) {
  if (text.length <= width) return text;
  const head = Math.floor(width / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (width - head - 1))}`;
}

/**
 * Short names from the root down to a kernel.
 * @param {Level} level
 * @param {number} k
 */
export function pathNames(level, k) {
  return level.regionsOf(k).map((region) => level.shortName(region));
}

/**
 * @param {Level} level
 * @param {number} k
 */
export function fullPathNames(level, k) {
  return level.regionsOf(k).map((region) => level.regions[region].name);
}

/**
 * A kernel in one line of limited width, with its caller where there is room for it.
 * @param {Level} level
 * @param {number} k
 * @param {number} width
 */
export function kernelLabel(level, k, width) {
  const [caller] = pathNames(level, k).slice(-2, -1);
  return cutText(caller && width > 24 ? `${caller} › ${level.name(k)}` : level.name(k), width);
}

/**
 * What a search looks at: the whole name, the linker's name and the names of all callers, in lower case.
 * @param {Level} level
 * @returns {(k: number) => string}
 */
export function searchTexts(level) {
  /** @type {Map<number, string>} */
  const texts = new Map();
  return (k) => {
    const known = texts.get(k);
    if (known !== undefined) return known;
    const { mangled } = level.regions[level.region[k]];
    const text = [...fullPathNames(level, k), mangled ?? ""].join(" ").toLowerCase();
    texts.set(k, text);
    return text;
  };
}
