// @ts-check
// Two or more parameters: the dominant region, over the scaled parameter and another one.

import { largestOf, leadingKernels, sum } from "../data/outlook.js";
import { spread } from "../data/space.js";
import { drawDots, frame, scaleAxis } from "../draw/chart.js";
import { chartTools } from "../draw/chart_tools.js";
import { byId, el, onResize, selector, svgEl } from "../draw/dom.js";
import { cutNode } from "../draw/nodes.js";
import { percent, pointText } from "../text/numbers.js";

/** @import { Level } from "../data/level.js" */
/** @import { Point } from "../data/payload.js" */
/** @import { Report } from "../data/report.js" */
/** @import { State } from "../state.js" */

const CELLS = 34;
const HEIGHT = 420;

/**
 * The range of a parameter that the map shows.
 * @param {Report} report
 * @param {Point} target
 * @param {number} d
 * @returns {[number, number]}
 */
function rangeOf({ space }, target, d) {
  const values = space.points.map((point) => point[d]);
  const low = Math.min(...values);
  const high = Math.max(...values, d === space.column ? space.reach[d] : 0, target[d]);
  const margin = (high / low) ** 0.03;
  return [low / margin, high * margin];
}

/**
 * The kernel with the largest formula, and its share.
 * @param {Level} level
 * @param {Point} at
 */
function dominating(level, at) {
  const values = level.formulas(at);
  const k = largestOf(values);
  const total = sum(values);
  return { k, share: total > 0 ? values[k] / total : 0 };
}

/**
 * @param {Report} report
 * @param {Point} target
 * @param {number} other the parameter upwards
 */
function drawHeatmap(report, target, other) {
  const { space } = report;
  const level = report.levels.regions;
  const [xRange, yRange] = [rangeOf(report, target, space.column), rangeOf(report, target, other)];
  if (!(xRange[1] > xRange[0]) || !(yRange[1] > yRange[0])) return;
  const chart = frame(byId("heatmap-plot"), {
    height: HEIGHT,
    label: "Map of the dominant region over two parameters; the list beside it names the regions.",
    x: scaleAxis(space, xRange, true),
    y: { domain: yRange, log: true, label: space.parameters[other] },
  });
  const [xs, ys] = [spread(...xRange, CELLS + 1), spread(...yRange, CELLS + 1)];
  /** @param {number[]} edges */
  const middles = (edges) => edges.slice(1).map((value, i) => Math.sqrt(value * edges[i]));
  const cells = middles(ys).map((y) =>
    middles(xs).map((x) => {
      const at = space.atScale(target, x);
      at[other] = y;
      return dominating(level, at);
    }),
  );
  const leading = leadingKernels(level, target); // the same colours as in the overview
  /** @param {number} k */
  const colour = (k) => (leading.includes(k) ? `c${leading.indexOf(k)}` : "rest");
  cells.forEach((row, j) => {
    row.forEach(({ k, share }, i) => {
      const cell = {
        class: `cell ${colour(k)}`,
        x: chart.x(xs[i]),
        y: chart.y(ys[j + 1]),
        "fill-opacity": (0.35 + 0.65 * share).toFixed(2),
        width: chart.x(xs[i + 1]) - chart.x(xs[i]),
        height: chart.y(ys[j]) - chart.y(ys[j + 1]),
      };
      const title = svgEl("title", {}, `${level.name(k)}, ${percent(share)}`);
      chart.plot.append(svgEl("rect", cell, title));
    });
  });
  const measured = space.points.map((point) => ({
    x: point[space.column],
    y: point[other],
    title: `measured: ${pointText(space.parameters, point)}`,
  }));
  drawDots(chart, measured, "total");
  drawDots(chart, [{ x: target[space.column], y: target[other], title: "target" }], "goal", 6);
  const entries = byArea(cells.flat()).map((k) =>
    el("li", {}, el("span", { class: `swatch ${colour(k)}` }), cutNode(level.name(k), level.fullName(k))),
  );
  byId("heatmap-legend").replaceChildren(...entries);
}

/**
 * The kernels of the cells, the one with the largest area first.
 * @param {{k: number}[]} cells
 */
function byArea(cells) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const { k } of cells) counts.set(k, (counts.get(k) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([k]) => k);
}

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildHeatmap(report, state) {
  const { space } = report;
  const others = space.parameters.map((_, d) => d).filter((d) => d !== space.column);
  if (others.length === 0) return;
  let other = others[0];
  const draw = () => drawHeatmap(report, state.target, other);
  const options = [chartTools(byId("heatmap-plot"), "dominant regions", draw)];
  if (others.length > 1) {
    /** @type {[string, string][]} */
    const choices = others.map((d) => [String(d), space.parameters[d]]);
    const choice = selector("Second parameter", choices, other, (value) => {
      other = Number(value);
      draw();
    });
    byId("heatmap-options").append(choice);
  }
  byId("heatmap-options").append(...options);
  state.follow(byId("heatmap"), draw);
  onResize(byId("heatmap-plot"), draw);
}
