// @ts-check
// A figure as SVG: what is seen and nothing else, with plain colours, and a font or the outlines of its letters.

import { FAMILIES, glyphOf, lettersOf } from "./glyph_outlines.js";
import { hexOf, placed } from "./seen_shapes.js";

/** @import { Family, Loop } from "./glyph_outlines.js" */
/** @import { Area, Colour, Paint, Shape, Step, TextShape } from "./seen_shapes.js" */
/** @typedef {{family: Family, outlined: boolean}} Lettering */

const NOT_IN_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu; // names may have any character
/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const HALO = 3; // pixels around letters, on both sides of their outline

/** @param {string} text */
function escaped(text) {
  return text.replace(NOT_IN_XML, "\ufffd").replace(/[&<>"]/g, (letter) => ENTITIES[letter]);
}

/**
 * @param {Shape[]} shapes
 * @param {{width: number, height: number}} size
 * @param {string} title what it shows
 * @param {Lettering} lettering
 */
export function svgText(shapes, { width, height }, title, lettering) {
  const clips = [...new Set(shapes.flatMap(({ clip }) => (clip ? [clipText(clip)] : [])))];
  const defined = clips.map((area, i) => `<clipPath id="clip${i}"><rect ${area}/></clipPath>`);
  const parts = shapes.map((shape) => ({
    text: shape.kind === "path" ? pathText(shape.steps, shape.paint) : lettersText(shape, lettering),
    clip: shape.clip ? clips.indexOf(clipText(shape.clip)) : -1,
  }));
  let body = "";
  parts.forEach(({ text, clip }, i) => {
    const [before, after] = [parts[i - 1]?.clip ?? -1, parts[i + 1]?.clip ?? -1];
    const opens = clip >= 0 && clip !== before ? `<g clip-path="url(#clip${clip})">\n` : "";
    body += `${opens}${text}\n${clip >= 0 && clip !== after ? "</g>\n" : ""}`;
  });
  const family = lettering.outlined ? "" : ` font-family="${FAMILIES[lettering.family]}"`;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"${family}>`;
  const definitions = defined.length ? `<defs>${defined.join("")}</defs>\n` : "";
  return `${head}\n<title>${escaped(title)}</title>\n${definitions}${body}</svg>\n`;
}

/** @param {Area} clip */
function clipText({ x, y, width, height }) {
  return `x="${placed(x)}" y="${placed(y)}" width="${placed(width)}" height="${placed(height)}"`;
}

/** @param {Step[]} steps */
export function stepsText(steps) {
  return steps.map(([letter, ...numbers]) => letter + numbers.map(placed).join(" ")).join("");
}

/**
 * @param {"fill" | "stroke"} name
 * @param {Colour | null} colour
 */
function colourText(name, colour) {
  if (!colour) return ` ${name}="none"`;
  return ` ${name}="#${hexOf(colour)}"${colour.alpha < 1 ? ` ${name}-opacity="${placed(colour.alpha)}"` : ""}`;
}

/**
 * @param {Step[]} steps
 * @param {Paint} paint
 */
function pathText(steps, { fill, stroke, width, dashes, round }) {
  const line = stroke
    ? `${colourText("stroke", stroke)} stroke-width="${placed(width)}"` +
      `${dashes.length ? ` stroke-dasharray="${dashes.map(placed).join(" ")}"` : ""}${round ? ' stroke-linejoin="round"' : ""}`
    : "";
  return `<path d="${stepsText(steps)}"${colourText("fill", fill)}${line}/>`;
}

/**
 * @param {TextShape} shape
 * @param {Lettering} lettering
 */
function lettersText(shape, { family, outlined }) {
  const { text, x, y, size, bold, anchor, angle, colour, halo } = shape;
  const around = halo
    ? `${colourText("stroke", halo)} stroke-width="${HALO}" stroke-linejoin="round" paint-order="stroke"`
    : "";
  if (outlined)
    return `<path d="${stepsText(outlinesOf(shape, family))}"${colourText("fill", colour)}${around}/>`;
  const turned = angle ? ` transform="rotate(${placed(angle)} ${placed(x)} ${placed(y)})"` : "";
  const place = `x="${placed(x)}" y="${placed(y)}"${turned}`;
  const look = `font-size="${placed(size)}"${bold ? ' font-weight="bold"' : ""}${anchor === "start" ? "" : ` text-anchor="${anchor}"`}`;
  return `<text ${place} ${look}${colourText("fill", colour)}${around}>${escaped(text)}</text>`;
}

/**
 * Where the letters of a text stand: the turn of the whole, then of each its place along the line, in pixels.
 * @param {TextShape} shape
 * @param {Family} family
 */
export function lettersPlaced({ text, size, bold, anchor }, family) {
  const { letters, starts, width } = lettersOf(text, family, bold);
  const back = { start: 0, middle: width / 2, end: width }[anchor];
  return letters.map((letter, i) => ({ letter, along: (starts[i] - back) * size }));
}

/**
 * The outlines of a text.
 * @param {TextShape} shape
 * @param {Family} family
 * @returns {Step[]}
 */
export function outlinesOf(shape, family) {
  const { x, y, size, angle, bold } = shape;
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  return lettersPlaced(shape, family).flatMap(({ letter, along }) =>
    glyphOf(letter, family, bold).loops.flatMap((loop) =>
      loopSteps(loop, (px, py) => {
        const [right, down] = [along + px * size, py * size];
        return [x + right * cos - down * sin, y + right * sin + down * cos];
      }),
    ),
  );
}

/**
 * @param {Loop} loop
 * @param {(x: number, y: number) => [number, number]} place
 * @returns {Step[]}
 */
function loopSteps(loop, place) {
  const lines = loop.map(([x, y], i) => /** @type {Step} */ ([i ? "L" : "M", ...place(x, y)]));
  return [...lines, ["Z"]];
}
