// @ts-check
// A figure as TikZ, shape by shape: what LaTeX gets of pictures that have no axes, such as flame graphs.

import { hexOf, placed } from "./seen_shapes.js";

/** @import { Colour, Paint, Shape, Step, TextShape } from "./seen_shapes.js" */

const POINT = 0.75; // points per pixel
/** @type {Record<string, string>} */
const LETTERS = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  '"': "\\textquotedbl{}",
  "…": "\\ldots{}",
  "–": "--",
  "—": "---",
  "−": "$-$",
  "×": "$\\times$",
  "≥": "$\\geq$",
  "≤": "$\\leq$",
  "∞": "$\\infty$",
  "→": "$\\to$",
  "·": "$\\cdot$",
  "›": "$\\rangle$",
  µ: "$\\mu$",
  "\u202f": "\\,",
  "\u00a0": "~",
};

/**
 * A text as LaTeX shows it letter by letter, whatever it holds.
 * @param {string} text
 */
export function latexText(text) {
  return Array.from(text.replace(/[\s\p{Cc}]+/gu, " "), (letter) => {
    if (LETTERS[letter]) return LETTERS[letter];
    if (/[#$%&_{}]/.test(letter)) return `\\${letter}`;
    return /[ -~\u00c0-\u017f]/.test(letter) ? letter : "?";
  }).join("");
}

/** Colours with the names under which a file defines them. */
export class NamedColours {
  constructor() {
    /** @type {Set<string>} */
    this.used = new Set();
  }

  /** @param {Colour} colour */
  name(colour) {
    const hex = hexOf(colour);
    this.used.add(hex);
    return `c${hex}`;
  }

  definitions() {
    return [...this.used].map((hex) => `\\definecolor{c${hex}}{HTML}{${hex.toUpperCase()}}`);
  }
}

/**
 * What TikZ draws a shape with.
 * @param {Paint} paint
 * @param {NamedColours} colours
 */
export function paintOptions({ fill, stroke, width, dashes, round }, colours) {
  const options = [];
  if (fill) options.push(`fill=${colours.name(fill)}`);
  if (fill && fill.alpha < 1) options.push(`fill opacity=${placed(fill.alpha)}`);
  if (!stroke) return [...options, "draw=none"];
  options.push(`draw=${colours.name(stroke)}`, `line width=${placed(width * POINT)}pt`);
  if (stroke.alpha < 1) options.push(`draw opacity=${placed(stroke.alpha)}`);
  if (dashes.length) {
    const pattern = dashes
      .map((length, i) => `${i % 2 ? "off" : "on"} ${placed(length * POINT)}pt`)
      .join(" ");
    options.push(`dash pattern=${pattern}`);
  }
  return round ? [...options, "line join=round"] : options;
}

/**
 * @param {Shape[]} shapes
 * @param {{width: number, height: number}} size
 * @param {string} title what it shows
 */
export function tikzText(shapes, { height }, title) {
  const colours = new NamedColours();
  const place = (/** @type {number} */ x, /** @type {number} */ y) => `(${placed(x)},${placed(height - y)})`;
  const drawn = shapes.map((shape) => {
    const line = shape.kind === "path" ? pathText(shape, colours, place) : nodeText(shape, colours, place);
    if (!shape.clip) return line;
    const { x, y, width, height: high } = shape.clip;
    return `\\begin{scope}\\clip ${place(x, y)} rectangle ${place(x + width, y + high)};${line}\\end{scope}`;
  });
  return [
    `% ${latexText(title)}`,
    "% \\usepackage{tikz}",
    `\\begin{tikzpicture}[x=${POINT}pt, y=${POINT}pt]`,
    ...colours.definitions(),
    ...drawn,
    "\\end{tikzpicture}",
    "",
  ].join("\n");
}

/**
 * @param {{steps: Step[], paint: Paint}} shape
 * @param {NamedColours} colours
 * @param {(x: number, y: number) => string} place
 */
function pathText({ steps, paint }, colours, place) {
  const words = steps.map((step) => {
    if (step[0] === "Z") return "-- cycle";
    if (step[0] !== "C") return `${step[0] === "M" ? "" : "-- "}${place(step[1], step[2])}`;
    const [, x1, y1, x2, y2, x, y] = step;
    return `.. controls ${place(x1, y1)} and ${place(x2, y2)} .. ${place(x, y)}`;
  });
  return `\\path[${paintOptions(paint, colours).join(", ")}] ${words.join(" ")};`;
}

/**
 * @param {TextShape} shape
 * @param {NamedColours} colours
 * @param {(x: number, y: number) => string} place
 */
function nodeText({ text, x, y, size, angle, anchor, colour, halo }, colours, place) {
  return `\\node[${nodeOptions({ size, angle, anchor, colour, halo }, colours)}] at ${place(x, y)} {${latexText(text)}};`;
}

/**
 * @param {Pick<TextShape, "size" | "angle" | "anchor" | "colour" | "halo">} shape
 * @param {NamedColours} colours
 */
function nodeOptions({ size, angle, anchor, colour, halo }, colours) {
  const points = placed(size * POINT);
  const options = [
    `anchor=${{ start: "base west", middle: "base", end: "base east" }[anchor]}`,
    "inner sep=0pt",
    `text=${colours.name(colour)}`,
    `font=\\fontsize{${points}}{${points}}\\selectfont`,
  ];
  if (angle) options.push(`rotate=${placed(-angle)}`);
  if (halo) options.push(`fill=${colours.name(halo)}`);
  return options.join(", ");
}
