// @ts-check
// What tables and charts offer beside what they show: to be saved by the browser, as CSV or as figures for papers and
// talks in the colours of the light theme, and to zoom and go back.

import { chartIn } from "./chart.js";
import { el, onResize, quietButton } from "./dom.js";
import { FACTOR, zoomable } from "./pointing.js";

/** @import { RegionNames } from "../data/call_tree.js" */
/** @import { Chart } from "./chart.js" */
/** @import { Child } from "./dom.js" */

/** @typedef {string | number | null | undefined} Cell */

const SPACE = "http://www.w3.org/2000/svg";
const ENLARGED = 2; // pixels of a PNG per pixel of the page
const FAMILY = "Helvetica, Arial, sans-serif";
const PAPER = ["--paper", "--panel", "--raised"]; // backgrounds, which are white on paper
const POINTED_AT = ".reading, .brush, .chosen, title"; // shown only while somebody points at something
const NOT_IN_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu; // names may have any character
const SHAPE = /^(?:d|r|c?[xy]|[xy][12]|width|height|transform|clip-path)$/; // attributes that say where something is
const STYLES = ["stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order"];
const LETTERS = ["font-size", "font-weight", "text-anchor"];

/** @param {readonly (readonly Cell[])[]} rows @returns CSV (RFC 4180), nothing for what is not known */
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

/** @param {() => SVGSVGElement | null} picture @param {string} name what it shows */
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

/** @param {Chart | undefined} chart @returns all drawn in it, a row per point; of intervals and areas both ends */
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

/**
 * The text of an SVG file that needs nothing else.
 * @param {SVGSVGElement} svg
 * @param {string} title what it shows
 */
function standalone(svg, title) {
  const copy = onPaper(() => copied(svg, 1));
  if (!copy) return "";
  const { width, height } = sizeOf(svg);
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  copy.setAttribute("font-family", FAMILY);
  const name = document.createElementNS(SPACE, "title");
  name.textContent = title.replace(NOT_IN_XML, "\ufffd");
  copy.prepend(name);
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

/** @param {SVGSVGElement} svg */
function sizeOf(svg) {
  return { width: Number(svg.getAttribute("width")), height: Number(svg.getAttribute("height")) };
}

/**
 * Calls `look` while the page has the colours of paper.
 * @template Found
 * @param {() => Found} look
 * @returns {Found}
 */
function onPaper(look) {
  const root = document.documentElement;
  root.dataset.theme = "light";
  for (const name of PAPER) root.style.setProperty(name, "#ffffff");
  try {
    return look();
  } finally {
    for (const name of PAPER) root.style.removeProperty(name);
    delete root.dataset.theme;
  }
}

/**
 * A copy of what is seen of a node, with its style as attributes.
 * @param {Element} node
 * @param {number} opacity of what it stands in
 * @returns {SVGElement | null}
 */
function copied(node, opacity) {
  if (node instanceof SVGDefsElement) return /** @type {SVGElement} */ (node.cloneNode(true));
  const style = getComputedStyle(node);
  if (!(node instanceof SVGElement) || node.matches(POINTED_AT) || style.display === "none") return null;
  const copy = /** @type {SVGElement} */ (document.createElementNS(SPACE, node.localName));
  for (const { name, value } of node.attributes) if (SHAPE.test(name)) copy.setAttribute(name, value);
  const seen = opacity * Number(style.opacity);
  if (node instanceof SVGGeometryElement || node instanceof SVGTextElement) {
    if (style.visibility !== "visible" || !paint(copy, style, seen)) return null;
  }
  if (node instanceof SVGTextElement) {
    for (const name of LETTERS) copy.setAttribute(name, style.getPropertyValue(name));
    copy.textContent = (node.textContent ?? "").replace(/\s+/g, " ").replace(NOT_IN_XML, "\ufffd");
  } else {
    for (const child of node.children) copy.append(copied(child, seen) ?? "");
  }
  return copy;
}

/**
 * Writes colours and lines as attributes; returns whether anything of it is seen.
 * @type {(copy: SVGElement, style: CSSStyleDeclaration, opacity: number) => boolean}
 */
function paint(copy, style, opacity) {
  const fill = colour(copy, "fill", style.fill, opacity * Number(style.fillOpacity));
  const wide = Number.parseFloat(style.strokeWidth) > 0 ? style.stroke : "none";
  const line = colour(copy, "stroke", wide, opacity * Number(style.strokeOpacity));
  if (line) for (const name of STYLES) copy.setAttribute(name, style.getPropertyValue(name));
  return fill || line;
}

/**
 * @param {SVGElement} copy
 * @param {string} name
 * @param {string} text as style sheets compute it, whatever space it is in
 * @param {number} opacity
 */
function colour(copy, name, text, opacity) {
  const [red, green, blue, alpha] = text && text !== "none" ? pixelOf(text) : [0, 0, 0, 0];
  const seen = (alpha / 255) * opacity;
  const digits = [red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("");
  copy.setAttribute(name, seen > 0 ? `#${digits}` : "none");
  if (seen > 0 && seen < 1) copy.setAttribute(`${name}-opacity`, String(Math.round(100 * seen) / 100));
  return seen > 0;
}

/** @type {Map<string, number[]>} */
const pixels = new Map();

/** @param {string} text */
function pixelOf(text) {
  const known = pixels.get(text);
  if (known) return known;
  const canvas = document.createElement("canvas");
  canvas.width = 1;
  canvas.height = 1;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = text;
  context.fillRect(0, 0, 1, 1);
  const pixel = [...context.getImageData(0, 0, 1, 1).data];
  pixels.set(text, pixel);
  return pixel;
}

/** @type {(svg: SVGSVGElement, title: string) => Promise<Blob>} */
async function pngOf(svg, title) {
  const { width, height } = sizeOf(svg);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg, title))}`;
  await image.decode();
  const canvas = el("canvas", { width: width * ENLARGED, height: height * ENLARGED });
  const context = canvas.getContext("2d");
  if (context) {
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be made"))));
  });
}
