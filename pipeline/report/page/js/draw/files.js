// @ts-check
// What tables and charts offer beside what they show: to be saved by the browser, as CSV or as pictures that stand alone
// with what style sheets say of an element written into it, and to zoom and go back.

import { chartIn } from "./chart.js";
import { el, quietButton } from "./dom.js";
import { zoomable } from "./pointing.js";

/** @import { Chart } from "./chart.js" */

/** @typedef {string | number | null | undefined} Cell */

/**
 * Rows as CSV (RFC 4180): numbers with all digits, nothing for what is not known.
 * @param {readonly (readonly Cell[])[]} rows
 */
export function csvText(rows) {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

/**
 * Names that spreadsheets would take for formulas get an apostrophe.
 * @param {Cell} cell
 */
function csvCell(cell) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return Number.isNaN(cell) ? "" : String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A name for a file, from the title of the page and what it shows: letters, digits and hyphens.
 * @param {string} what
 * @param {string} ending
 */
export function fileName(what, ending) {
  const title = document.querySelector("h1")?.textContent?.split(":")[0] ?? "report";
  const words = `${title} ${what}`.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return `${words.replace(/^-|-$/g, "").slice(0, 80)}.${ending}`;
}

/**
 * @param {string} name
 * @param {string} type
 * @param {string | Blob} content
 */
export function save(name, type, content) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
];
const NOT_IN_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu; // names may have any character
const ENLARGED = 2; // pixels of a PNG per pixel of the page

/**
 * The text of an SVG file with a background and all styles.
 * @param {SVGSVGElement} svg
 */
export function standalone(svg) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const originals = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    if (style.display === "none") node.setAttribute("display", "none");
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value) node.setAttribute(name, value.replaceAll('"', "'"));
    }
    for (const name of ["class", "tabindex"]) node.removeAttribute(name);
  });
  const { width, height } = sizeOf(svg);
  const paper = document.createElementNS(svg.namespaceURI, "rect");
  const size = { width: String(width), height: String(height) };
  const fill = getComputedStyle(document.body).backgroundColor;
  for (const [name, value] of Object.entries({ ...size, fill })) paper.setAttribute(name, value);
  copy.prepend(paper);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  for (const [name, value] of Object.entries(size)) copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy).replace(NOT_IN_XML, "\ufffd");
}

/** @param {SVGSVGElement} svg */
function sizeOf(svg) {
  return { width: Number(svg.getAttribute("width")), height: Number(svg.getAttribute("height")) };
}

/**
 * @param {SVGSVGElement} svg
 * @returns {Promise<Blob>}
 */
export async function pngOf(svg) {
  const { width, height } = sizeOf(svg);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * ENLARGED;
  canvas.height = height * ENLARGED;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be made"))));
  });
}

/**
 * @param {string} kind of files
 * @param {string} name what the file shows
 * @param {() => void} click
 */
function saveButton(kind, name, click) {
  const label = `Save as ${kind}`;
  return quietButton(kind, click, { "aria-label": `${label}: ${name}`, title: label });
}

/**
 * @param {string} name
 * @param {() => readonly (readonly Cell[])[]} rows
 */
export function csvButton(name, rows) {
  return saveButton("CSV", name, () => save(fileName(name, "csv"), "text/csv", csvText(rows())));
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
  return [saveButton("SVG", name, svg), saveButton("PNG", name, png)];
}

/**
 * What saves a table that has no script of its own.
 * @param {HTMLTableElement} table
 */
export function tableTools(table) {
  const rows = () =>
    [...table.rows].map((row) => [...row.cells].map((cell) => (cell.textContent ?? "").trim()));
  return el("div", { class: "bar" }, csvButton(table.dataset.file ?? "table", rows));
}

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
