// @ts-check
// A size and a scale: efficiency with the least size that keeps the one asked for, and wall time.

import { drawDots, frame, scaleAxis } from "../draw/chart.js";
import { drawBetween, drawContour } from "../draw/contours.js";
import { byId, onResize, svgEl } from "../draw/dom.js";
import { chartTools } from "../draw/files.js";
import { pointText, tickLabel } from "../text/numbers.js";

/** @import { Positions } from "../data/positions.js" */
/** @import { SurfacePayload } from "../data/payload.js" */
/** @import { Chart } from "../draw/chart.js" */
/** @import { Report } from "../data/report.js" */
/** @import { State } from "../state.js" */

const HEIGHT = 380;
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
 * @param {Positions} positions
 * @param {SurfacePayload} surface
 * @param {number[]} target
 * @param {string} what
 */
function axes(host, positions, surface, target, what) {
  const { scales, sizes, size } = surface;
  const [row, column] = [positions.parameters.indexOf(size), positions.column];
  const ends = [sizes[0], sizes[sizes.length - 1]];
  const binary = positions.points.every((point) => Number.isInteger(Math.log2(point[row])));
  const drawn = frame(host, {
    height: HEIGHT,
    label: `${what} over ${surface.scaled} and ${size}; the table of pipeline choose --isoefficiency has the numbers.`,
    x: scaleAxis(positions, [scales[0] / 1.06, scales[scales.length - 1] * 1.06], true),
    y: { domain: [ends[0] / 1.06, ends[1] * 1.06], log: true, label: size, binary },
  });
  const alike = positions.points.filter((point) =>
    point.every((value, d) => d === row || d === column || value === surface.at[d]),
  );
  const [scaled, sized] = [column, row].map((d) => positions.points.map((point) => point[d]));
  shadeBeyond(drawn, Math.max(...scaled), Math.max(...sized));
  return {
    drawn,
    finish: () => {
      const dots = alike.map((point) => ({
        x: point[column],
        y: point[row],
        title: `measured: ${pointText(positions.parameters, point)}`,
      }));
      drawDots(drawn, dots, "total", { name: "measured" });
      if (target[row] <= ends[1] && target[column] <= scales[scales.length - 1]) {
        drawDots(drawn, [{ x: target[column], y: target[row], title: "target" }], "goal", { radius: 6 });
      }
    },
  };
}

/** @param {number} share */
function percentText(share) {
  return `${tickLabel(100 * share)} %`;
}

/**
 * Round wall times between two, with their texts.
 * @param {number} low
 * @param {number} high
 * @returns {[number, string][]}
 */
function wallLevels(low, high) {
  const every = UNITS.flatMap(([seconds, unit], n) =>
    ROUND.map((count) => /** @type {[number, string]} */ ([count * seconds, `${count} ${unit}`])).filter(
      ([level]) => level < (UNITS[n + 1]?.[0] ?? Number.POSITIVE_INFINITY) && level > low && level < high,
    ),
  );
  return every.length > MOST ? every.filter((_, i) => i % 2 === 0) : every;
}

/**
 * Shades what lies beyond the measurements of either parameter.
 * @param {Chart} chart
 * @param {number} scale
 * @param {number} size
 */
function shadeBeyond(chart, scale, size) {
  const { left, right, top, bottom } = chart.box;
  const [x, y] = [Math.max(chart.x(scale), left), Math.max(chart.y(size), top)];
  const d = `M${left} ${top}H${right}V${bottom}H${x}V${y}H${left}Z`;
  chart.root.insertBefore(svgEl("path", { class: "beyond", d }), chart.root.children[1]);
  const at = { x: right - 6, y: top + 11, "text-anchor": "end" };
  if (y - top > 30) chart.over.append(svgEl("text", { class: "note", ...at }, "extrapolated"));
}

/**
 * @param {Positions} positions
 * @param {SurfacePayload} surface
 * @param {number[]} target
 */
function drawEfficiency(positions, surface, target) {
  const { drawn, finish } = axes(byId("surface-efficiency"), positions, surface, target, "Efficiency");
  const { share, efficiency, scales: xs, sizes: ys } = surface;
  drawBetween(drawn, { xs, ys, lower: efficiency.lower, upper: efficiency.upper }, share, "c1");
  const grid = { xs, ys, values: efficiency.value };
  for (const level of EFFICIENCIES) {
    if (Math.abs(level - share) > NEAR) drawContour(drawn, grid, level, percentText(level), "c0");
  }
  drawContour(drawn, grid, share, percentText(share), "c1 kept");
  finish();
}

/**
 * @param {Positions} positions
 * @param {SurfacePayload} surface
 * @param {number[]} target
 */
function drawWall(positions, surface, target) {
  const { drawn, finish } = axes(byId("surface-wall"), positions, surface, target, "Wall time");
  const grid = { xs: surface.scales, ys: surface.sizes, values: surface.wall };
  const known = surface.wall.filter((value) => value !== null && value > 0);
  const seconds = /** @type {number[]} */ (known);
  for (const [level, text] of wallLevels(Math.min(...seconds), Math.max(...seconds))) {
    drawContour(drawn, grid, level, text, "c0");
  }
  finish();
}

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildSurface({ positions, program }, state) {
  const surface = program?.surface;
  if (!surface) return;
  for (const [name, draw] of /** @type {const} */ ([
    ["efficiency", drawEfficiency],
    ["wall", drawWall],
  ])) {
    const host = byId(`surface-${name}`);
    const again = () => draw(positions, surface, state.target);
    byId(`surface-${name}-options`).append(
      chartTools(host, `${name} over ${surface.scaled} and ${surface.size}`, again),
    );
    state.follow(host, again);
    onResize(host, again);
  }
}
