// @ts-check
// Buttons that save a picture for a paper or a talk, each with one click.

import { chartIn } from "../chart.js";
import { el } from "../dom.js";
import { fileName, save, saveButton } from "../saving.js";
import { pdfFile } from "./pdf_file.js";
import { pgfplotsText } from "./pgfplots_file.js";
import { seenShapes } from "./seen_shapes.js";
import { svgText } from "./svg_file.js";
import { tikzText } from "./tikz_file.js";

/** @import { Lettering } from "./svg_file.js" */

const ENLARGED = 2; // pixels of a PNG per pixel of the page
const KEY = "pipeline-figure-font";
/** @type {[string, string, Lettering][]} */
const LETTERINGS = [
  ["sans", "sans-serif", { family: "sans", outlined: false }],
  ["serif", "serif", { family: "serif", outlined: false }],
  ["sans-outlines", "sans-serif, outlines", { family: "sans", outlined: true }],
  ["serif-outlines", "serif, outlines", { family: "serif", outlined: true }],
];

let chosen = remembered();

function remembered() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return ""; // private windows keep nothing
  }
}

/** @returns {Lettering} */
function lettering() {
  return (LETTERINGS.find(([key]) => key === chosen) ?? LETTERINGS[0])[2];
}

/** The font of all figures that are saved. */
function fontChoice() {
  const options = LETTERINGS.map(([key, text]) =>
    el("option", { value: key, selected: key === chosen }, text),
  );
  const label = { "aria-label": "Font of saved figures", title: "Font of saved figures" };
  const list = el("select", { class: "font", "data-font": true, ...label }, ...options);
  list.addEventListener("change", () => {
    chosen = list.value;
    for (const other of document.querySelectorAll("select[data-font]")) {
      if (other instanceof HTMLSelectElement) other.value = chosen;
    }
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // private windows keep nothing
    }
  });
  return list;
}

/**
 * The text of an SVG file that needs nothing else.
 * @param {SVGSVGElement} svg
 * @param {string} title
 */
export function standalone(svg, title) {
  return svgText(seenShapes(svg), sizeOf(svg), title, lettering());
}

/** @param {SVGSVGElement} svg */
function sizeOf(svg) {
  return { width: Number(svg.getAttribute("width")), height: Number(svg.getAttribute("height")) };
}

/**
 * @param {SVGSVGElement} svg
 * @param {string} title
 * @returns {Promise<Blob>}
 */
export async function pngOf(svg, title) {
  const { width, height } = sizeOf(svg);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg, title))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * ENLARGED;
  canvas.height = height * ENLARGED;
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

/**
 * A picture for LaTeX: a chart with its data, anything else shape by shape.
 * @param {SVGSVGElement} svg
 * @param {string} title
 */
export function latexOf(svg, title) {
  const chart = svg.parentElement && chartIn(svg.parentElement);
  const shapes = seenShapes(svg);
  return chart ? pgfplotsText(chart, shapes, title) : tikzText(shapes, sizeOf(svg), title);
}

/**
 * @param {() => SVGSVGElement | null} picture
 * @param {string} name what it shows
 */
export function figureButtons(picture, name) {
  /** @type {[string, string, string, (svg: SVGSVGElement, title: string) => string | Blob | Promise<Blob>][]} */
  const kinds = [
    ["SVG", "svg", "image/svg+xml", standalone],
    [
      "PDF",
      "pdf",
      "application/pdf",
      (svg, title) => pdfFile(seenShapes(svg), sizeOf(svg), title, lettering().family),
    ],
    ["LaTeX", "tex", "application/x-tex", latexOf],
    ["PNG", "png", "image/png", pngOf],
  ];
  const buttons = kinds.map(([kind, ending, type, made]) =>
    saveButton(kind, name, async () => {
      const svg = picture();
      if (!svg) return;
      const title = svg.getAttribute("aria-label") ?? name;
      save(fileName(name, ending), type, await made(svg, title));
    }),
  );
  return [...buttons, fontChoice()];
}
