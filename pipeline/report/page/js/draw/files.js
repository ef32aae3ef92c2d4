// @ts-check
// What tables and charts offer beside what they show: to be saved by the browser, as CSV or as figures, and to zoom and
// go back.

import { chartIn } from "./chart.js";
import { el, onResize, quietButton } from "./dom.js";
import { pngOf, standalone } from "./figures.js";
import { FACTOR, zoomable } from "./pointing.js";

/** @import { RegionNames } from "../data/call_tree.js" */
/** @import { Chart } from "./chart.js" */
/** @import { Child } from "./dom.js" */

/** @typedef {string | number | null | undefined} Cell */

/**
 * Rows as CSV (RFC 4180): numbers with all digits, nothing for what is not known.
 * @param {readonly (readonly Cell[])[]} rows
 */
export function csvText(rows) {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

/** @param {Cell} cell @returns it with an apostrophe if spreadsheets would take it for a formula */
function csvCell(cell) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return Number.isNaN(cell) ? "" : String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Call paths as rows of a file with a head.
 * @type {(level: RegionNames, nodes: number[], heads: string[], cells: (k: number) => Cell[]) => Cell[][]}
 */
export function pathRows(level, nodes, heads, cells) {
  const rows = nodes.map((k) => [level.fullPathNames(k).join("/"), ...cells(k)]);
  return [["call path", ...heads], ...rows];
}

/** @type {(name: string, rows: () => readonly (readonly Cell[])[]) => HTMLButtonElement} */
export function csvButton(name, rows) {
  return saveButton("CSV", "text/csv", name, () => csvText(rows()));
}

/**
 * @param {() => SVGSVGElement | null} picture
 * @param {string} name what it shows
 */
export function figureButtons(picture, name) {
  /** @param {(svg: SVGSVGElement, title: string) => string | Promise<Blob>} made */
  const shown = (made) => () => {
    const svg = picture();
    return svg && made(svg, svg.getAttribute("aria-label") ?? name);
  };
  return [
    saveButton("SVG", "image/svg+xml", name, shown(standalone)),
    saveButton("PNG", "image/png", name, shown(pngOf)),
  ];
}

/**
 * A button that saves a file, called after the title of the page and what it shows: letters, digits and hyphens.
 * @param {string} kind
 * @param {string} type
 * @param {string} name what it shows
 * @param {() => string | null | Promise<Blob>} content null if there is nothing to be saved
 */
function saveButton(kind, type, name, content) {
  const click = async () => {
    const made = await content();
    if (made === null) return;
    const title = document.querySelector("h1")?.textContent?.split(":")[0] ?? "report";
    const words = `${title} ${name}`.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    const href = URL.createObjectURL(new Blob([made], { type }));
    el("a", { href, download: `${words.replace(/^-|-$/g, "").slice(0, 80)}.${kind.toLowerCase()}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  };
  const label = `Save as ${kind}`;
  return quietButton(label, click, { "aria-label": `${label}: ${name}` });
}

/** @param {HTMLTableElement} table @returns what saves a table that has no script of its own */
export function tableTools(table) {
  const rows = () =>
    [...table.rows].map((row) => [...row.cells].map((cell) => (cell.textContent ?? "").trim()));
  return el("div", { class: "bar" }, csvButton(table.dataset.file ?? "table", rows));
}

/**
 * Everything drawn in a chart, one row per point; of intervals and areas both ends.
 * @param {Chart | undefined} chart
 */
export function chartRows(chart) {
  if (!chart) return [];
  const { series, xAxis, yAxis } = chart;
  const rows = series.flatMap(({ name, kind, xs, ys, lower }) => {
    /** @type {[string, number[]][]} */
    const ends = lower
      ? [
          ["lower end", lower],
          ["upper end", ys],
        ]
      : [[kind, ys]];
    return ends.flatMap(([end, values]) => xs.map((x, i) => [name, end, x, values[i]]));
  });
  return [["series", "kind", xAxis.label, yAxis.label], ...rows];
}

/**
 * What a chart offers, behind one button; Escape, or a click elsewhere, closes it.
 * @param {string} name of the chart
 * @param {...Child} children
 */
export function toolMenu(name, ...children) {
  const title = "Zoom, axes and files";
  const opener = el("summary", { "aria-label": `${title}: ${name}`, title }, "⋯");
  const menu = el("details", { class: "tools" }, opener, el("div", { class: "menu" }, ...children));
  const leave = (/** @type {Event} */ { target }) => {
    if (target instanceof Node && menu.contains(target)) return;
    menu.open = false;
    removeEventListener("pointerdown", leave);
  };
  opener.addEventListener("click", () => addEventListener("pointerdown", leave));
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    menu.open = false;
    opener.focus();
  });
  return menu;
}

/**
 * The menu of a chart, which is drawn again when it is zoomed or its width changes.
 * @param {HTMLElement} host what the chart is drawn into
 * @param {string} name what it shows, for the files
 * @param {() => void} draw
 * @param {...Child} choices of how it is drawn
 */
export function chartTools(host, name, draw, ...choices) {
  onResize(host, draw);
  host.dataset.zoomable = "";
  const { scale, reset } = zoomable(host, () => chartIn(host), draw);
  /** @type {[string, () => void][]} */
  const looks = [
    ["Zoom in", () => scale(1 / FACTOR)],
    ["Zoom out", () => scale(FACTOR)],
    ["Whole chart", reset],
  ];
  return toolMenu(
    name,
    ...choices,
    ...looks.map(([label, click]) => quietButton(label, click, { "aria-label": `${label}: ${name}` })),
    ...figureButtons(() => host.querySelector("svg"), name),
    csvButton(name, () => chartRows(chartIn(host))),
  );
}
