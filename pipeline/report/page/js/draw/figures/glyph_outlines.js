// @ts-check
// The outlines of letters, whatever font the browser has: figures that need no font look the same everywhere.
// A letter is painted large, and the line where it covers half of a pixel is followed.

/** @typedef {[number, number][]} Loop closed, in ems, y downwards from the baseline */
/** @typedef {{loops: Loop[], advance: number}} Glyph advance in ems */
/** @typedef {"sans" | "serif"} Family */

/** @type {Record<Family, string>} */
export const FAMILIES = {
  sans: "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif",
  serif: "'Times New Roman', Times, 'Liberation Serif', 'DejaVu Serif', serif",
};
const EM = 160; // pixels
const [WIDE, HIGH, BASE, MARGIN] = [EM * 2, EM * 2, EM * 1.3, EM / 2]; // of what is painted on
const HALF = 127.5; // of 255
const STRAIGHT = 0.12; // pixels that a line may lie beside what it stands for

/** @type {CanvasRenderingContext2D | null} */
let paper = null;
/** @type {Map<string, Glyph>} */
const glyphs = new Map();

/** @param {string} font */
function blank(font) {
  if (!paper) {
    const canvas = document.createElement("canvas");
    canvas.width = WIDE;
    canvas.height = HIGH;
    paper = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  }
  paper.clearRect(0, 0, WIDE, HIGH);
  paper.font = font;
  return paper;
}

/**
 * @param {string} letter
 * @param {Family} family
 * @param {boolean} bold
 * @returns {Glyph}
 */
export function glyphOf(letter, family, bold) {
  const key = `${family} ${bold} ${letter}`;
  const known = glyphs.get(key);
  if (known) return known;
  const context = blank(`${bold ? "600 " : ""}${EM}px ${FAMILIES[family]}`);
  context.fillText(letter, MARGIN, BASE);
  const { data } = context.getImageData(0, 0, WIDE, HIGH);
  const loops = traced((x, y) => data[4 * (y * WIDE + x) + 3] - HALF).map((loop) =>
    simplified(loop).map(([x, y]) => /** @type {[number, number]} */ ([(x - MARGIN) / EM, (y - BASE) / EM])),
  );
  const glyph = { loops, advance: context.measureText(letter).width / EM };
  glyphs.set(key, glyph);
  return glyph;
}

/**
 * Where the letters of a text begin, in ems, and where it ends: neighbours may be closer than their widths.
 * @param {string} text
 * @param {Family} family
 * @param {boolean} bold
 */
export function lettersOf(text, family, bold) {
  const letters = [...text];
  const context = blank(`${bold ? "600 " : ""}${EM}px ${FAMILIES[family]}`);
  const ends = letters.map((_, i) => context.measureText(letters.slice(0, i + 1).join("")).width / EM);
  return { letters, starts: [0, ...ends.slice(0, -1)], width: ends.at(-1) ?? 0 };
}

/**
 * The lines along which a field on a grid is zero, by marching squares; the field is positive to the left of them.
 * @param {(x: number, y: number) => number} field
 * @returns {Loop[]}
 */
function traced(field) {
  /** @type {Map<string, {to: string, place: [number, number]}>} */
  const ways = new Map();
  for (let y = 0; y < HIGH - 1; y++) {
    for (let x = 0; x < WIDE - 1; x++) {
      const corners = [field(x, y), field(x + 1, y), field(x + 1, y + 1), field(x, y + 1)];
      const inside = corners.map((value) => value > 0);
      if (inside.every((one) => one === inside[0])) continue;
      for (const [from, to] of crossings(inside)) {
        const place = placeOn(from, x, y, corners);
        ways.set(edgeName(from, x, y), { to: edgeName(to, x, y), place });
      }
    }
  }
  /** @type {Loop[]} */
  const loops = [];
  for (const start of ways.keys()) {
    /** @type {Loop} */
    const loop = [];
    for (let at = start, way = ways.get(at); way; way = ways.get(at)) {
      loop.push(way.place);
      ways.delete(at);
      at = way.to;
    }
    if (loop.length > 3) loops.push(loop);
  }
  return loops;
}

/**
 * From which edges of a square to which the line goes; edges are numbered from the top clockwise.
 * @param {boolean[]} inside corners
 * @returns {[number, number][]}
 */
function crossings(inside) {
  const begins = [0, 1, 2, 3].filter((edge) => inside[edge] && !inside[(edge + 1) % 4]);
  const ends = [0, 1, 2, 3].filter((edge) => !inside[edge] && inside[(edge + 1) % 4]);
  return begins.map((edge) => [edge, ends.find((end) => end > edge) ?? ends[0]]);
}

/**
 * @param {number} edge
 * @param {number} x
 * @param {number} y
 */
function edgeName(edge, x, y) {
  return edge % 2 ? `v${x + (edge === 1 ? 1 : 0)},${y}` : `h${x},${y + (edge === 2 ? 1 : 0)}`;
}

/**
 * @param {number} edge
 * @param {number} x
 * @param {number} y
 * @param {number[]} corners
 * @returns {[number, number]}
 */
function placeOn(edge, x, y, corners) {
  const [a, b] = [corners[edge], corners[(edge + 1) % 4]];
  const part = a / (a - b);
  return /** @type {[number, number][]} */ ([
    [x + part, y],
    [x + 1, y + part],
    [x + 1 - part, y + 1],
    [x, y + 1 - part],
  ])[edge];
}

/**
 * A loop with as few corners as keep it where it is.
 * @param {Loop} loop
 * @returns {Loop}
 */
function simplified(loop) {
  const kept = new Set([0, Math.floor(loop.length / 2)]);
  const pending = [
    [0, Math.floor(loop.length / 2)],
    [Math.floor(loop.length / 2), loop.length],
  ];
  for (let part = pending.pop(); part; part = pending.pop()) {
    const [from, to] = part;
    const [a, b] = [loop[from], loop[to % loop.length]];
    let [far, most] = [-1, STRAIGHT];
    for (let i = from + 1; i < to; i++) {
      const off = beside(loop[i], a, b);
      if (off > most) [far, most] = [i, off];
    }
    if (far < 0) continue;
    kept.add(far);
    pending.push([from, far], [far, to]);
  }
  return [...kept].sort((a, b) => a - b).map((i) => loop[i]);
}

/**
 * How far a place lies beside the line between two others.
 * @param {[number, number]} place
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
function beside([x, y], [x0, y0], [x1, y1]) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = Math.hypot(dx, dy);
  if (length === 0) return Math.hypot(x - x0, y - y0);
  return Math.abs(dx * (y - y0) - dy * (x - x0)) / length;
}
