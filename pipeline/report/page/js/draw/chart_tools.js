// @ts-check
// What every chart offers: to zoom, to go back, and to be saved as SVG, PNG and CSV.

import { chartIn } from "./chart.js";
import { el } from "./dom.js";
import { csvText, fileName, pngOf, save, standalone } from "./files.js";
import { zoomable } from "./pointing.js";

/** @import { Chart } from "./chart.js" */

/**
 * Everything drawn in a chart, one row per point.
 * @param {Chart} chart
 */
export function chartCsv({ series, xAxis, yAxis }) {
  const rows = series.flatMap(({ name, kind, xs, ys }) => xs.map((x, i) => [name, kind, x, ys[i]]));
  return csvText([["series", "kind", xAxis.label, yAxis.label], ...rows]);
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
    el(
      "button",
      { type: "button", class: "quiet", "aria-label": `${label}: ${name}`, title: label, click },
      text,
    );
  return el(
    "span",
    { class: "tools" },
    button("+", "Zoom in", () => scale(1 / 1.4)),
    button("−", "Zoom out", () => scale(1.4)),
    button("⟲", "Whole chart", reset),
    ...pictureButtons(() => host.querySelector("svg"), name),
    button("CSV", "Save as CSV", () => {
      const chart = chartIn(host);
      if (chart) save(fileName(name, "csv"), "text/csv", chartCsv(chart));
    }),
  );
}

/**
 * @param {() => SVGSVGElement | null} picture
 * @param {string} name
 */
export function pictureButtons(picture, name) {
  const svg = () => {
    const found = picture();
    if (found) save(fileName(name, "svg"), "image/svg+xml", standalone(found));
  };
  const png = async () => {
    const found = picture();
    if (found) save(fileName(name, "png"), "image/png", await pngOf(found));
  };
  const attributes = { type: "button", class: "quiet" };
  return [
    el(
      "button",
      { ...attributes, "aria-label": `Save as SVG: ${name}`, title: "Save as SVG", click: svg },
      "SVG",
    ),
    el(
      "button",
      { ...attributes, "aria-label": `Save as PNG: ${name}`, title: "Save as PNG", click: png },
      "PNG",
    ),
  ];
}
