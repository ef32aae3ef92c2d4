// @ts-check
// What every chart offers: to zoom, to go back, and to be saved as SVG, PNG and CSV.

import { chartIn } from "./chart.js";
import { el, quietButton } from "./dom.js";
import { csvButton, pictureButtons } from "./files.js";
import { zoomable } from "./pointing.js";

/** @import { Chart } from "./chart.js" */

/**
 * Everything drawn in a chart, one row per point.
 * @param {Chart | undefined} chart
 */
export function chartRows(chart) {
  if (!chart) return [];
  const { series, xAxis, yAxis } = chart;
  const rows = series.flatMap(({ name, kind, xs, ys }) => xs.map((x, i) => [name, kind, x, ys[i]]));
  return [["series", "kind", xAxis.label, yAxis.label], ...rows];
}

/**
 * @param {HTMLElement} host what the chart is drawn into
 * @param {string} name what it shows, for the files
 * @param {() => void} draw
 */
export function chartTools(host, name, draw) {
  host.dataset.zoomable = "";
  const { scale, reset } = zoomable(host, () => chartIn(host), draw);
  /**
   * @param {string} text
   * @param {string} label
   * @param {() => void} click
   */
  const button = (text, label, click) =>
    quietButton(text, click, { "aria-label": `${label}: ${name}`, title: label });
  return el(
    "span",
    { class: "tools" },
    button("+", "Zoom in", () => scale(1 / 1.4)),
    button("−", "Zoom out", () => scale(1.4)),
    button("⟲", "Whole chart", reset),
    ...pictureButtons(() => host.querySelector("svg"), name),
    csvButton(name, () => chartRows(chartIn(host))),
  );
}
