// @ts-check
// Two or more parameters: the dominant region, over the scaled parameter and another one.

import { largestOf, leadingKernels, sum } from "../data/shares.js";
import { drawDots, frame, parameterAxis } from "../draw/chart.js";
import { byId, el, selector, svgEl } from "../draw/dom.js";
import { chartTools } from "../draw/files.js";
import { cutNode } from "../draw/nodes.js";
import { WAITS } from "../state.js";
import { percent, pointText } from "../text/numbers.js";

/** @import { Point } from "../data/records.js" */
/** @import { Report } from "../data/report.js" */
/** @import { State } from "../state.js" */

const HEIGHT = 420;

/** @param {number[]} values ascending, more than one @returns the edges of cells, halfway by ratio */
function edgesOf(values) {
  const inner = values.slice(1).map((value, i) => Math.sqrt(value * values[i]));
  const last = values.length - 1;
  return [values[0] ** 2 / inner[0], ...inner, values[last] ** 2 / inner[last - 1]];
}

/** @param {Report} report @param {Point} target @param {number} other the parameter upwards */
function drawHeatmap(report, target, other) {
  const { positions, levels } = report;
  const level = levels.regions;
  const last = Math.max(positions.reach, target[positions.column]);
  const scales = positions.scales.filter((scale) => scale <= last);
  const lines = positions.lines
    .filter((line) => line.every((value, d) => d === other || d === positions.column || value === target[d]))
    .sort((a, b) => a[other] - b[other]);
  if (scales.length < 2 || lines.length < 2) return;
  const [xs, ys] = [edgesOf(scales), edgesOf(lines.map((line) => line[other]))];
  const chart = frame(byId("heatmap-plot"), {
    height: HEIGHT,
    label: "Map of the dominant region over two parameters; the list beside it names the regions.",
    x: parameterAxis(positions, [xs[0], xs[xs.length - 1]], true),
    y: { domain: [ys[0], ys[ys.length - 1]], log: true, label: positions.parameters[other] },
  });
  const cells = lines.map((line) =>
    scales.map((scale) => {
      const values = level.values(positions.atScale(line, scale));
      const k = largestOf(values);
      return { k, share: values[k] / sum(values) || 0 };
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
  const measured = positions.points.map((point) => ({
    x: point[positions.column],
    y: point[other],
    title: `${positions.observed}: ${pointText(positions.parameters, point)}`,
  }));
  drawDots(chart, measured, "total", { name: positions.observed });
  drawDots(chart, [{ x: target[positions.column], y: target[other], title: "target" }], "goal", {
    radius: 6,
  });
  const entries = byArea(cells.flat()).map((k) =>
    el("li", {}, el("span", { class: `swatch ${colour(k)}` }), cutNode(level.name(k), level.fullName(k))),
  );
  byId("heatmap-legend").replaceChildren(...entries);
}

/** @param {{k: number}[]} cells @returns the kernels of the cells, the one with the largest area first */
function byArea(cells) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const { k } of cells) counts.set(k, (counts.get(k) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([k]) => k);
}

/** @param {State} state */
export function buildHeatmap(state) {
  const { report } = state;
  const { positions } = report;
  const others = positions.parameters.map((_, d) => d).filter((d) => d !== positions.column);
  if (others.length === 0) return;
  let other = others[0];
  const draw = () => drawHeatmap(report, state.target, other);
  const options = [chartTools(byId("heatmap-plot"), "dominant regions", draw)];
  if (others.length > 1) {
    /** @type {[number, string][]} */
    const choices = others.map((d) => [d, positions.parameters[d]]);
    const choice = selector("Second parameter", choices, other, (d) => {
      other = d;
      draw();
    });
    byId("heatmap-options").append(choice);
  }
  byId("heatmap-options").append(...options);
  state.follow(byId("heatmap"), draw, WAITS);
}
