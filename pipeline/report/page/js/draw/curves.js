// @ts-check
// Lines through places: straight, or curved without corners and without leaving the range of two neighbours.

/** @typedef {[number, number]} Place pixels */

const FARTHEST = 2e4; // pixels that a line leaves the picture by at most

/**
 * The path through places; it has a gap where one is not known.
 * @param {Place[]} places
 * @param {boolean} curved
 */
export function pathThrough(places, curved) {
  /** @type {Place[][]} */
  const runs = [[]];
  for (const [x, y] of places) {
    if (Number.isFinite(x) && Number.isFinite(y)) {
      runs[runs.length - 1].push([x, Math.min(Math.max(y, -FARTHEST), FARTHEST)]);
    } else if (runs[runs.length - 1].length) runs.push([]);
  }
  return runs.map((run) => (curved && run.length > 2 ? curve(run) : straight(run))).join("");
}

/** @param {Place} place */
function placeText([x, y]) {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/** @param {Place[]} run */
function straight(run) {
  return run.map((place, i) => (i ? "L" : "M") + placeText(place)).join("");
}

/**
 * Monotone cubic pieces (Fritsch and Butland, 1984): extremes stay where the places have them.
 * @param {Place[]} run
 */
function curve(run) {
  const wide = run.slice(1).map(([x], i) => x - run[i][0]);
  const steep = run.slice(1).map(([, y], i) => (wide[i] ? (y - run[i][1]) / wide[i] : 0));
  const slopes = run.map((_, i) => {
    const [before, after] = [steep[i - 1] ?? steep[i], steep[i] ?? steep[i - 1]];
    if (before * after <= 0) return 0;
    const [w, v] = [2 * (wide[i] ?? 1) + (wide[i - 1] ?? 1), (wide[i] ?? 1) + 2 * (wide[i - 1] ?? 1)];
    return (w + v) / (w / before + v / after);
  });
  return run
    .map(([x, y], i) => {
      if (i === 0) return `M${placeText([x, y])}`;
      const third = wide[i - 1] / 3;
      const [x0, y0] = run[i - 1];
      const from = placeText([x0 + third, y0 + third * slopes[i - 1]]);
      const to = placeText([x - third, y - third * slopes[i]]);
      return `C${from} ${to} ${placeText([x, y])}`;
    })
    .join("");
}
