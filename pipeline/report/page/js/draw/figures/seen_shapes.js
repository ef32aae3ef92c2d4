// @ts-check
// What is seen of a picture, as a flat list of shapes whose styles are resolved: what all files of a figure are made from.
// Figures are for paper, so they have the colours of the light theme.

/** @typedef {{red: number, green: number, blue: number, alpha: number}} Colour 0 to 255, alpha 0 to 1 */
/** @typedef {{x: number, y: number, width: number, height: number}} Area */
/** @typedef {["M" | "L", number, number] | ["C", number, number, number, number, number, number] | ["Z"]} Step */
/** @typedef {{fill: Colour | null, stroke: Colour | null, width: number, dashes: number[], round: boolean}} Paint */

/**
 * @typedef {object} PathShape
 * @property {"path"} kind
 * @property {Step[]} steps
 * @property {Paint} paint
 * @property {Area | null} clip
 * @property {Element} node what it was made from
 */

/**
 * @typedef {object} TextShape
 * @property {"text"} kind
 * @property {string} text
 * @property {number} x
 * @property {number} y of the baseline
 * @property {number} angle in degrees, clockwise
 * @property {number} size of the font, in pixels
 * @property {boolean} bold
 * @property {"start" | "middle" | "end"} anchor
 * @property {Colour} colour
 * @property {Colour | null} halo around the letters
 * @property {Area | null} clip
 * @property {Element} node
 */

/** @typedef {PathShape | TextShape} Shape */

const ROUND = 0.5523; // how far the controls of four curves lie that make a circle, in radii
const PAPER = ["--paper", "--panel", "--raised"]; // backgrounds, which are white on paper
const POINTED_AT = ".reading, .brush, .chosen"; // shown only while somebody points at something

/** @type {Map<string, Colour>} */
const colours = new Map();

/**
 * A colour as style sheets compute it, whatever space it is in.
 * @param {string} text
 * @returns {Colour}
 */
function colourOf(text) {
  const known = colours.get(text);
  if (known) return known;
  const canvas = document.createElement("canvas");
  canvas.width = 1;
  canvas.height = 1;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const parts = /^rgba?\(([\d., ]+)\)$/.exec(text)?.[1].split(",").map(Number);
  if (!parts) {
    context.fillStyle = text;
    context.fillRect(0, 0, 1, 1);
  }
  const pixel = [...context.getImageData(0, 0, 1, 1).data];
  const [red, green, blue, alpha = 1] = parts ?? [...pixel.slice(0, 3), pixel[3] / 255];
  const colour = { red, green, blue, alpha };
  colours.set(text, colour);
  return colour;
}

/**
 * @param {string} text
 * @param {number} opacity
 */
function painted(text, opacity) {
  if (!text || text === "none") return null;
  const colour = colourOf(text);
  const alpha = colour.alpha * opacity;
  return alpha > 0 ? { ...colour, alpha } : null;
}

/**
 * Calls `look` while the page has the colours of paper.
 * @template Found
 * @param {() => Found} look
 * @returns {Found}
 */
function onPaper(look) {
  const root = document.documentElement;
  const { theme } = root.dataset;
  root.dataset.theme = "light";
  for (const name of PAPER) root.style.setProperty(name, "#ffffff");
  try {
    return look();
  } finally {
    for (const name of PAPER) root.style.removeProperty(name);
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
  }
}

/**
 * The shapes of a picture in the order in which they cover each other, without what cannot be seen.
 * @param {SVGSVGElement} svg
 * @returns {Shape[]}
 */
export function seenShapes(svg) {
  /** @type {Shape[]} */
  const shapes = [];
  const toPicture = svg.getScreenCTM()?.inverse() ?? new DOMMatrix();
  /**
   * @param {Element} node
   * @param {number} opacity
   * @param {Area | null} clip
   */
  const walk = (node, opacity, clip) => {
    if (!(node instanceof SVGGraphicsElement) || node.matches(POINTED_AT)) return;
    const style = getComputedStyle(node);
    if (style.display === "none" || node instanceof SVGDefsElement) return;
    const seen = opacity * Number(style.opacity);
    const within = clipOf(svg, node) ?? clip;
    const ctm = node.getScreenCTM();
    const matrix = ctm ? toPicture.multiply(ctm) : new DOMMatrix();
    if (style.visibility === "visible") {
      const shape =
        node instanceof SVGTextElement
          ? textOf(node, style, seen, matrix, within)
          : pathOf(node, style, seen, matrix, within);
      if (shape) shapes.push(shape);
    }
    if (node instanceof SVGTextElement) return;
    for (const child of node.children) walk(child, seen, within);
  };
  onPaper(() => walk(svg, 1, null));
  return shapes;
}

/**
 * @param {SVGSVGElement} svg
 * @param {Element} node
 * @returns {Area | null}
 */
function clipOf(svg, node) {
  const name = /^url\(#(.*)\)$/.exec(node.getAttribute("clip-path") ?? "")?.[1];
  const area = name ? svg.querySelector(`#${name} > rect`) : null;
  return area && areaOf(area);
}

/**
 * @param {Element} node
 * @returns {Area}
 */
function areaOf(node) {
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => numberOf(node, name));
  return { x, y, width, height };
}

/**
 * @param {Element} node
 * @param {string} name
 */
function numberOf(node, name) {
  return Number(node.getAttribute(name) ?? 0);
}

/**
 * @param {SVGTextElement} node
 * @param {CSSStyleDeclaration} style
 * @param {number} opacity
 * @param {DOMMatrix} matrix
 * @param {Area | null} clip
 * @returns {TextShape | null}
 */
function textOf(node, style, opacity, matrix, clip) {
  const colour = painted(style.fill, opacity * Number(style.fillOpacity));
  const text = (node.textContent ?? "").replace(/\s+/g, " ");
  if (!colour || !text.trim()) return null;
  const place = new DOMPoint(numberOf(node, "x"), numberOf(node, "y")).matrixTransform(matrix);
  const anchor = style.textAnchor === "middle" || style.textAnchor === "end" ? style.textAnchor : "start";
  return {
    kind: "text",
    text,
    x: place.x,
    y: place.y,
    angle: (Math.atan2(matrix.b, matrix.a) * 180) / Math.PI,
    size: Number.parseFloat(style.fontSize) * Math.hypot(matrix.a, matrix.b),
    bold: Number(style.fontWeight) >= 550,
    anchor,
    colour,
    halo: painted(style.stroke, opacity),
    clip,
    node,
  };
}

/**
 * @param {SVGGraphicsElement} node
 * @param {CSSStyleDeclaration} style
 * @param {number} opacity
 * @param {DOMMatrix} matrix
 * @param {Area | null} clip
 * @returns {PathShape | null}
 */
function pathOf(node, style, opacity, matrix, clip) {
  const own = stepsOf(node);
  if (own.length === 0) return null;
  const scale = Math.hypot(matrix.a, matrix.b);
  const paint = {
    fill: node instanceof SVGLineElement ? null : painted(style.fill, opacity * Number(style.fillOpacity)),
    stroke: painted(style.stroke, opacity * Number(style.strokeOpacity)),
    width: Number.parseFloat(style.strokeWidth) * scale,
    dashes: (style.strokeDasharray.match(/[\d.]+/g) ?? []).map((length) => Number(length) * scale),
    round: style.strokeLinejoin === "round",
  };
  if (!(paint.width > 0)) paint.stroke = null;
  if (!paint.fill && !paint.stroke) return null;
  const steps = own.map((step) => moved(step, matrix));
  return reaches(steps, clip, paint.stroke ? paint.width : 0)
    ? { kind: "path", steps, paint, clip, node }
    : null;
}

/**
 * @param {Step} step
 * @param {DOMMatrix} matrix
 * @returns {Step}
 */
function moved([letter, ...numbers], { a, b, c, d, e, f }) {
  const places = numbers.map((value, i) =>
    i % 2 ? b * numbers[i - 1] + d * value + f : a * value + c * numbers[i + 1] + e,
  );
  return /** @type {Step} */ ([letter, ...places]);
}

/**
 * Whether any of a shape lies where it is not cut off.
 * @param {Step[]} steps
 * @param {Area | null} clip
 * @param {number} width of its line
 */
function reaches(steps, clip, width) {
  const numbers = steps.flatMap((step) => /** @type {number[]} */ (step.slice(1)));
  const [xs, ys] = [0, 1].map((odd) => numbers.filter((_, i) => i % 2 === odd));
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (![left, right, top, bottom].every(Number.isFinite)) return false;
  if (width === 0 && (left === right || top === bottom)) return false;
  if (!clip) return true;
  return (
    right + width >= clip.x &&
    left - width <= clip.x + clip.width &&
    bottom + width >= clip.y &&
    top - width <= clip.y + clip.height
  );
}

/**
 * @param {Element} node
 * @returns {Step[]}
 */
function stepsOf(node) {
  const at = (/** @type {string} */ name) => numberOf(node, name);
  if (node instanceof SVGPathElement) return pathSteps(node.getAttribute("d") ?? "");
  if (node instanceof SVGLineElement)
    return [
      ["M", at("x1"), at("y1")],
      ["L", at("x2"), at("y2")],
    ];
  if (node instanceof SVGRectElement) {
    const { x, y, width, height } = areaOf(node);
    return [["M", x, y], ["L", x + width, y], ["L", x + width, y + height], ["L", x, y + height], ["Z"]];
  }
  return node instanceof SVGCircleElement ? circleSteps(at("cx"), at("cy"), at("r")) : [];
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} r
 * @returns {Step[]}
 */
function circleSteps(x, y, r) {
  const c = r * ROUND;
  return [
    ["M", x + r, y],
    ["C", x + r, y + c, x + c, y + r, x, y + r],
    ["C", x - c, y + r, x - r, y + c, x - r, y],
    ["C", x - r, y - c, x - c, y - r, x, y - r],
    ["C", x + c, y - r, x + r, y - c, x + r, y],
    ["Z"],
  ];
}

/**
 * The steps of a path as charts write them, all in coordinates of the picture.
 * @param {string} text
 * @returns {Step[]}
 */
function pathSteps(text) {
  /** @type {Step[]} */
  const steps = [];
  let [x, y] = [0, 0];
  let start = [0, 0];
  for (const [, letter, rest] of text.matchAll(/([MLHVCZlhvm])([^MLHVCZlhvm]*)/g)) {
    const numbers = (rest.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
    if (letter === "Z") {
      steps.push(["Z"]);
      [x, y] = start;
      continue;
    }
    if (letter === "C") {
      const [x1, y1, x2, y2] = numbers;
      [x, y] = numbers.slice(4);
      steps.push(["C", x1, y1, x2, y2, x, y]);
      continue;
    }
    const relative = letter === letter.toLowerCase();
    const kind = letter.toUpperCase();
    for (let i = 0; i < numbers.length; i += kind === "M" || kind === "L" ? 2 : 1) {
      const [dx, dy] = relative ? [x, y] : [0, 0];
      if (kind === "H") x = dx + numbers[i];
      else if (kind === "V") y = dy + numbers[i];
      else [x, y] = [dx + numbers[i], dy + numbers[i + 1]];
      const begins = kind === "M" && i === 0;
      if (begins) start = [x, y];
      steps.push([begins ? "M" : "L", x, y]);
    }
  }
  return steps;
}

/**
 * @param {Colour} colour
 * @returns {string} six hexadecimal digits
 */
export function hexOf({ red, green, blue }) {
  return [red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("");
}

/**
 * A number with two places at most, for files.
 * @param {number} value
 */
export function placed(value) {
  return String(Math.round(value * 100) / 100);
}
