// @ts-check
// A size and a scale: efficiency with the least size that keeps the one asked for, and wall time.

import { drawDots, frame, parameterAxis } from "../draw/chart.js";
import { byId, svgEl } from "../draw/dom.js";
import { chartTools } from "../draw/files.js";
import { pointText, tickLabel } from "../text/numbers.js";

/** @import { SurfacePayload } from "../data/records.js" */
/** @import { Chart } from "../draw/chart.js" */
/** @import { State } from "../state.js" */

const HEIGHT = 320;
const EFFICIENCIES = [0.1, 0.25, 0.5, 0.75, 0.9];
/** @type {[number, string][]} */
const UNITS = [
  [1e-6, "µs"],
  [1e-3, "ms"],
  [1, "s"],
  [60, "min"],
  [3600, "h"],
];
const ROUND = [1, 3, 10, 30, 100, 300];
const MOST = 9; // contours of wall time; of more every second is drawn
const NEAR = 0.08; // of the efficiency asked for: contours nearer to it are left out

/**
 * @param {HTMLElement} host
 * @param {State} state
 * @param {SurfacePayload} surface
 * @param {string} what
 * @param {(chart: Chart, surface: SurfacePayload) => void} drawFigure
 */
function drawSurface(host, { report, target }, surface, what, drawFigure) {
  const { parameters, points, column, observed } = report.positions;
  const { scales, sizes, size } = surface;
  const row = parameters.indexOf(size);
  const ends = [sizes[0], sizes[sizes.length - 1]];
  const last = scales[scales.length - 1];
  const chart = frame(host, {
    height: HEIGHT,
    label: `${what} over ${surface.scaled} and ${size}; the table of pipeline choose --isoefficiency has the numbers.`,
    x: parameterAxis(report.positions, [scales[0] / 1.06, last * 1.06], true),
    y: parameterAxis(report.positions, [ends[0] / 1.06, ends[1] * 1.06], true, row),
  });
  const [scaled, sized] = [column, row].map((d) => points.map((point) => point[d]));
  shadeBeyond(chart, Math.max(...scaled), Math.max(...sized));
  drawFigure(chart, surface);
  const dots = points
    .filter((point) => point.every((value, d) => d === row || d === column || value === surface.at[d]))
    .map((point) => ({
      x: point[column],
      y: point[row],
      title: `${observed}: ${pointText(parameters, point)}`,
    }));
  drawDots(chart, dots, "total", { name: observed });
  if (target[row] <= ends[1] && target[column] <= last) {
    drawDots(chart, [{ x: target[column], y: target[row], title: "target" }], "goal", { radius: 6 });
  }
}

/** @param {number} share */
function percentText(share) {
  return `${tickLabel(100 * share)} %`;
}

/** @type {(low: number, high: number) => [number, string][]} round wall times, with their texts */
function wallLevels(low, high) {
  const every = UNITS.flatMap(([seconds, unit], n) =>
    ROUND.map((count) => /** @type {[number, string]} */ ([count * seconds, `${count} ${unit}`])).filter(
      ([level]) => level < (UNITS[n + 1]?.[0] ?? Number.POSITIVE_INFINITY) && level > low && level < high,
    ),
  );
  return every.length > MOST ? every.filter((_, i) => i % 2 === 0) : every;
}

/** @type {(chart: Chart, scale: number, size: number) => void} shades what lies beyond measurements */
function shadeBeyond(chart, scale, size) {
  const { left, right, top, bottom } = chart.box;
  const [x, y] = [Math.max(chart.x(scale), left), Math.max(chart.y(size), top)];
  const d = `M${left} ${top}H${right}V${bottom}H${x}V${y}H${left}Z`;
  chart.root.insertBefore(svgEl("path", { class: "beyond", d }), chart.root.children[1]);
  const at = { x: right - 6, y: top + 11, "text-anchor": "end" };
  if (y - top > 30) chart.over.append(svgEl("text", { class: "note", ...at }, "extrapolated"));
}

/** @type {(chart: Chart, surface: SurfacePayload) => void} */
function drawEfficiency(chart, { share, efficiency, scales: xs, sizes: ys }) {
  drawBetween(chart, { xs, ys, lower: efficiency.lower, upper: efficiency.upper }, share, "c1");
  const grid = { xs, ys, values: efficiency.value };
  for (const level of EFFICIENCIES) {
    if (Math.abs(level - share) > NEAR) drawContour(chart, grid, level, percentText(level), "c0");
  }
  drawContour(chart, grid, share, percentText(share), "c1 kept");
}

/** @type {(chart: Chart, surface: SurfacePayload) => void} */
function drawWall(chart, { wall, scales, sizes }) {
  const known = wall.filter((value) => value !== null && value > 0);
  const seconds = /** @type {number[]} */ (known);
  for (const [level, text] of wallLevels(Math.min(...seconds), Math.max(...seconds))) {
    drawContour(chart, { xs: scales, ys: sizes, values: wall }, level, text, "c0");
  }
}

/** @param {State} state */
export function buildSurface(state) {
  const surface = state.report.program?.surface;
  if (!surface) return;
  for (const [name, what, drawFigure] of /** @type {const} */ ([
    ["efficiency", "Efficiency", drawEfficiency],
    ["wall", "Wall time", drawWall],
  ])) {
    const host = byId(`surface-${name}`);
    const draw = () => drawSurface(host, state, surface, what, drawFigure);
    const tools = chartTools(host, `${name} over ${surface.scaled} and ${surface.size}`, draw);
    byId(`surface-${name}-options`).append(tools);
    state.follow(host, draw);
  }
}

/** @typedef {[number, number]} Place */
/** @typedef {{at: Place, values: number[]}} Corner */
/** @typedef {{xs: number[], ys: number[], values: (number | null)[]}} Grid values row by row of ys */

const APART = 38; // pixels between labels, across; half of it above each other

/**
 * The triangles of a grid with the values of some figures at their corners, NaN where one is not known.
 * @type {(xs: number[], ys: number[], figures: (number | null)[][]) => Corner[][]}
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

/** @type {(from: Corner, to: Corner, part: number) => Corner} a place on the way between both */
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

/** @type {(grid: Grid, level: number) => [Place, Place][]} the pieces of a contour, two places each */
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
 * @type {(chart: Chart, grid: Parameters<typeof region>[0], level: number, cls: string) => void}
 */
function drawBetween(chart, grid, level, cls) {
  const parts = region(grid, level).map((places) => {
    const corners = places.map(([x, y]) => `${chart.x(x).toFixed(1)} ${chart.y(y).toFixed(1)}`);
    return `M${corners.join("L")}Z`;
  });
  const shape = { class: `band ${cls}`, d: parts.join(""), "shape-rendering": "crispEdges" };
  chart.plot.append(svgEl("path", shape, svgEl("title", {}, "90 % interval")));
}

/**
 * Draws a contour with its text where it comes nearest to the diagonal that contours of work cross.
 * @type {(chart: Chart, grid: Grid, level: number, text: string, cls: string) => void}
 */
function drawContour(chart, grid, level, text, cls) {
  const pieces = contour(grid, level);
  if (pieces.length === 0) return;
  const { left, right, top, bottom } = chart.box;
  const drawn = pieces.map((ends) => ends.map(([x, y]) => [chart.x(x), chart.y(y)]));
  const d = drawn.map(
    ([from, to]) => `M${from.map((one) => one.toFixed(1))}L${to.map((one) => one.toFixed(1))}`,
  );
  chart.plot.append(svgEl("path", { class: `line contour ${cls}`, d: d.join("") }, svgEl("title", {}, text)));
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
    kind: "contour",
    xs: places.map(([at]) => at),
    ys: places.map(([, at]) => at),
  });
}

/** @type {(chart: Chart, at: {x: number, y: number}) => boolean} */
function hasLabelNear(chart, at) {
  return [...chart.over.children].some(
    (one) =>
      Math.hypot(Number(one.getAttribute("x")) - at.x, 2 * (Number(one.getAttribute("y")) - at.y)) < APART,
  );
}
