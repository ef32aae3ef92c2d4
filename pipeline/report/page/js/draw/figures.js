// @ts-check
// Pictures for papers and talks: what is seen of a chart, in the colours of the light theme.

import { el } from "./dom.js";

const SPACE = "http://www.w3.org/2000/svg";
const ENLARGED = 2; // pixels of a PNG per pixel of the page
const FAMILY = "Helvetica, Arial, sans-serif";
const PAPER = ["--paper", "--panel", "--raised"]; // backgrounds, which are white on paper
const POINTED_AT = ".reading, .brush, .chosen, title"; // shown only while somebody points at something
const NOT_IN_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu; // names may have any character
const SHAPE = /^(?:d|r|c?[xy]|[xy][12]|width|height|transform|clip-path)$/; // attributes that say where something is
const STYLES = ["stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order"];
const LETTERS = ["font-size", "font-weight", "text-anchor"];

/**
 * The text of an SVG file that needs nothing else.
 * @param {SVGSVGElement} svg
 * @param {string} title what it shows
 */
export function standalone(svg, title) {
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
export async function pngOf(svg, title) {
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
