// @ts-check
// Lines of equal values over two logarithmic axes: a grid cut into triangles, straight between its values.

import { svgEl } from "./dom.js";

/** @import { Chart } from "./chart.js" */
/** @typedef {[number, number]} Place */
/** @typedef {{at: Place, values: number[]}} Corner */
/** @typedef {{xs: number[], ys: number[], values: (number | null)[]}} Grid values row by row of ys */

const APART = 38; // pixels between labels, across; half of it above each other

/**
 * The triangles of a grid with the values of some figures at their corners, NaN where one is not known.
 * @param {number[]} xs
 * @param {number[]} ys
 * @param {(number | null)[][]} figures
 * @returns {Corner[][]}
 */
function triangles(xs, ys, figures) {
  /** @param {number} i @param {number} j @returns {Corner} */
  const corner = (i, j) => ({
    at: [xs[i], ys[j]],
    values: figures.map((values) => values[j * xs.length + i] ?? Number.NaN),
  });
  const found = [];
  for (let j = 0; j + 1 < ys.length; j++) {
    for (let i = 0; i + 1 < xs.length; i++) {
      const [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
      found.push([a, b, c], [a, c, d]);
    }
  }
  return found.filter((corners) => !corners.some(({ values }) => values.some(Number.isNaN)));
}

/**
 * A place on the way from one corner to another.
 * @param {Corner} from
 * @param {Corner} to
 * @param {number} part
 * @returns {Corner}
 */
function between(from, to, part) {
  return {
    at: [from.at[0] ** (1 - part) * to.at[0] ** part, from.at[1] ** (1 - part) * to.at[1] ** part],
    values: from.values.map((value, n) => value + part * (to.values[n] - value)),
  };
}

/**
 * What is left of a polygon where a figure is at least, or at most, a level.
 * @param {Corner[]} corners
 * @param {number} figure
 * @param {number} sign 1 for at least, -1 for at most
 * @param {number} level
 */
function cut(corners, figure, sign, level) {
  /** @param {Corner} corner */
  const above = ({ values }) => sign * (values[figure] - level);
  return corners.flatMap((corner, n) => {
    const next = corners[(n + 1) % corners.length];
    const [here, there] = [above(corner), above(next)];
    const kept = here >= 0 ? [corner] : [];
    return here >= 0 === there >= 0 ? kept : [...kept, between(corner, next, here / (here - there))];
  });
}

/**
 * The pieces of a contour, two places each.
 * @param {Grid} grid
 * @param {number} level
 * @returns {[Place, Place][]}
 */
export function contour({ xs, ys, values }, level) {
  return triangles(xs, ys, [values]).flatMap((corners) => {
    const ends = corners.flatMap((corner, n) => {
      const next = corners[(n + 1) % 3];
      const [here, there] = [corner.values[0], next.values[0]];
      return here < level === there < level
        ? []
        : [between(corner, next, (level - here) / (there - here)).at];
    });
    return ends.length === 2 ? [/** @type {[Place, Place]} */ (ends)] : [];
  });
}

/**
 * Where a level lies between two figures, as polygons.
 * @param {{xs: number[], ys: number[], lower: (number | null)[], upper: (number | null)[]}} grid
 * @param {number} level
 */
export function region({ xs, ys, lower, upper }, level) {
  return triangles(xs, ys, [lower, upper])
    .map((corners) => cut(cut(corners, 0, -1, level), 1, 1, level))
    .filter((corners) => corners.length > 2)
    .map((corners) => corners.map(({ at }) => at));
}

/**
 * Shades where a level lies inside intervals.
 * @param {Chart} chart
 * @param {Parameters<typeof region>[0]} grid
 * @param {number} level
 * @param {string} cls
 */
export function drawBetween(chart, grid, level, cls) {
  const parts = region(grid, level).map((places) => {
    const corners = places.map(([x, y]) => `${chart.x(x).toFixed(1)} ${chart.y(y).toFixed(1)}`);
    return `M${corners.join("L")}Z`;
  });
  const shape = { class: `band ${cls}`, d: parts.join(""), "shape-rendering": "crispEdges" };
  chart.plot.append(svgEl("path", shape, svgEl("title", {}, "90 % interval")));
}

/**
 * Draws a contour with its text where it comes nearest to the diagonal that contours of work cross.
 * @param {Chart} chart
 * @param {Grid} grid
 * @param {number} level
 * @param {string} text
 * @param {string} cls
 */
export function drawContour(chart, grid, level, text, cls) {
  const pieces = contour(grid, level);
  if (pieces.length === 0) return;
  const { left, right, top, bottom } = chart.box;
  const drawn = pieces.map((ends) => ends.map(([x, y]) => [chart.x(x), chart.y(y)]));
  const d = drawn.map(
    ([from, to]) => `M${from.map((one) => one.toFixed(1))}L${to.map((one) => one.toFixed(1))}`,
  );
  const line = svgEl("path", { class: `line contour ${cls}`, d: d.join("") }, svgEl("title", {}, text));
  chart.plot.append(line);
  const off = drawn.map(([[x, y]]) => Math.abs((x - left) / (right - left) - (y - top) / (bottom - top)));
  const [[x, y]] = drawn[off.indexOf(Math.min(...off))];
  const at = {
    x: Math.min(Math.max(x, left + 18), right - 18),
    y: Math.min(Math.max(y, top + 10), bottom - 4),
  };
  if (!hasLabelNear(chart, at)) {
    chart.over.append(svgEl("text", { class: "note level", "text-anchor": "middle", ...at }, text));
  }
  const places = pieces.flat();
  chart.series.push({
    name: text,
    form: "contour",
    xs: places.map(([at]) => at),
    ys: places.map(([, at]) => at),
    nodes: [line],
  });
}

/**
 * @param {Chart} chart
 * @param {{x: number, y: number}} at
 */
function hasLabelNear(chart, at) {
  return [...chart.over.children].some(
    (one) =>
      Math.hypot(Number(one.getAttribute("x")) - at.x, 2 * (Number(one.getAttribute("y")) - at.y)) < APART,
  );
}
