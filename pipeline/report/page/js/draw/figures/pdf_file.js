// @ts-check
// A figure as PDF, of vectors alone: letters are outlines, so that no font has to be embedded or can be missing.

import { glyphOf } from "./glyph_outlines.js";
import { placed } from "./seen_shapes.js";
import { lettersPlaced, outlinesOf } from "./svg_file.js";

/** @import { Family } from "./glyph_outlines.js" */
/** @import { Area, Colour, Paint, Shape, Step, TextShape } from "./seen_shapes.js" */

const POINT = 0.75; // points per pixel
const HALO = 3; // pixels around letters
const LETTER = "-1 -2 3 3"; // no letter is larger, in ems
const FINE = 1e4; // steps of an em

/**
 * @param {Shape[]} shapes
 * @param {{width: number, height: number}} size in pixels
 * @param {string} title what it shows
 * @param {Family} family of the letters
 * @returns {Promise<Blob>}
 */
export async function pdfFile(shapes, { width, height }, title, family) {
  const page = new PageContent(family);
  for (const shape of shapes) page.draw(shape);
  const flipped = `${POINT} 0 0 ${-POINT} 0 ${placed(height * POINT)} cm\n`;
  const letters = [...page.letters.values()];
  const first = 6; // number of the first letter's object
  const fonts = letters.map(({ name }, i) => `/${name} ${first + i} 0 R`).join(" ");
  const states = [...page.alphas]
    .map(([name, alpha]) => `/${name} << /ca ${alpha} /CA ${alpha} >>`)
    .join(" ");
  const resources = `<< /XObject << ${fonts} >> /ExtGState << ${states} >> >>`;
  const area = `[0 0 ${placed(width * POINT)} ${placed(height * POINT)}]`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox ${area} /Contents 4 0 R /Resources ${resources} >>`,
    await stream("", flipped + page.content),
    `<< /Title <feff${hexText(title)}> >>`,
    ...(await Promise.all(
      letters.map(({ content }) => stream(`/Type /XObject /Subtype /Form /BBox [${LETTER}] `, content)),
    )),
  ];
  return new Blob(assembled(objects), { type: "application/pdf" });
}

/** @param {string} text */
function hexText(text) {
  return Array.from(text, (_, i) => text.charCodeAt(i).toString(16).padStart(4, "0")).join("");
}

/** What draws the page, and the letters and transparencies that it uses. */
class PageContent {
  /** @param {Family} family */
  constructor(family) {
    this.family = family;
    this.content = "";
    /** @type {Map<string, {name: string, content: string}>} */
    this.letters = new Map();
    /** @type {Map<string, string>} */
    this.alphas = new Map();
  }

  /** @param {Shape} shape */
  draw(shape) {
    const inside = shape.clip ? clipText(shape.clip) : "";
    const drawn = shape.kind === "path" ? this.path(shape.steps, shape.paint) : this.text(shape);
    this.content += `q\n${inside}${drawn}Q\n`;
  }

  /**
   * @param {Colour} colour
   * @param {"rg" | "RG"} operator of fills or lines
   */
  colour({ red, green, blue, alpha }, operator) {
    const parts = [red, green, blue].map((part) => placed(part / 255)).join(" ");
    const value = placed(alpha);
    const name = `a${value.replace(".", "_")}`;
    this.alphas.set(name, value);
    return `/${name} gs ${parts} ${operator}\n`;
  }

  /**
   * Fill and line are drawn one after the other, since each has its own transparency.
   * @param {Step[]} steps
   * @param {Paint} paint
   */
  path(steps, { fill, stroke, width, dashes, round }) {
    const path = stepsText(steps);
    const filled = fill ? `${this.colour(fill, "rg")}${path}f\n` : "";
    if (!stroke) return filled;
    const dash = dashes.length ? `[${dashes.map(placed).join(" ")}] 0 d ` : "";
    const line = `${placed(width)} w ${dash}${round ? "1 j " : ""}`;
    return `${filled}${this.colour(stroke, "RG")}${line}${path}S\n`;
  }

  /** @param {TextShape} shape */
  text(shape) {
    const { x, y, size, angle, bold, colour, halo } = shape;
    const around = halo
      ? `${this.colour(halo, "RG")}${HALO} w 1 j ${stepsText(outlinesOf(shape, this.family))}S\n`
      : "";
    const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
    let drawn = around + this.colour(colour, "rg");
    for (const { letter, along } of lettersPlaced(shape, this.family)) {
      const name = this.letter(letter, bold);
      if (!name) continue;
      const turned = [size * cos, size * sin, -size * sin, size * cos].map(placed).join(" ");
      const place = `${placed(x + along * cos)} ${placed(y + along * sin)}`;
      drawn += `q ${turned} ${place} cm /${name} Do Q\n`;
    }
    return drawn;
  }

  /**
   * The name of a letter's drawing; nothing for a space.
   * @param {string} letter
   * @param {boolean} bold
   */
  letter(letter, bold) {
    const { loops } = glyphOf(letter, this.family, bold);
    if (loops.length === 0) return null;
    const key = `${bold}${letter}`;
    const known = this.letters.get(key);
    if (known) return known.name;
    const name = `g${this.letters.size}`;
    const fine = (/** @type {number} */ value) => Math.round(value * FINE) / FINE;
    const content = loops
      .map((loop) => loop.map(([x, y], i) => `${fine(x)} ${fine(y)} ${i ? "l" : "m"}`).join("\n"))
      .map((loop) => `${loop}\nh\n`)
      .join("");
    this.letters.set(key, { name, content: `${content}f\n` });
    return name;
  }
}

/** @param {Area} clip */
function clipText({ x, y, width, height }) {
  return `${[x, y, width, height].map(placed).join(" ")} re W n\n`;
}

/** @param {Step[]} steps */
function stepsText(steps) {
  const operators = { M: "m", L: "l", C: "c", Z: "h" };
  return steps
    .map(([letter, ...numbers]) => `${[...numbers.map(placed), operators[letter]].join(" ")}\n`)
    .join("");
}

/**
 * @param {string} entries of its dictionary
 * @param {string} content
 */
async function stream(entries, content) {
  const packed = new Blob([content]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return [`<< ${entries}/Filter /FlateDecode /Length ${bytes.length} >>\nstream\n`, bytes, "\nendstream"];
}

/**
 * The file: all objects, and a table of where they begin.
 * @param {(string | (string | Uint8Array<ArrayBuffer>)[])[]} objects
 */
function assembled(objects) {
  /** @type {(string | Uint8Array<ArrayBuffer>)[]} */
  const parts = ["%PDF-1.4\n"];
  let length = parts[0].length;
  const starts = objects.map((object, i) => {
    const start = length;
    const own = [`${i + 1} 0 obj\n`, ...[object].flat(), "\nendobj\n"];
    for (const part of own) length += part.length;
    parts.push(...own);
    return start;
  });
  const places = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
  const count = objects.length + 1;
  parts.push(`xref\n0 ${count}\n0000000000 65535 f \n${places}`);
  parts.push(`trailer\n<< /Size ${count} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${length}\n%%EOF\n`);
  return parts;
}
