// @ts-check
// Boxes of a call tree: where they are, what shares one, and how the keyboard and clicks move among them.

import { cutText } from "../text/names.js";
import { quantity } from "../text/numbers.js";
import { eventElement, quietButton, svgEl } from "./dom.js";

/** @import { Tree } from "../data/call_tree.js" */
/** @typedef {{k: number, x: number, wide: number, depth: number, others: number}} Box others: call paths in it that
 *   are too narrow by themselves; then k is their caller */

export const WHOLE = -1; // the root of the whole program
export const ROW_HEIGHT = 20;
const DEEPEST = 26;
const NARROWEST = 1.5; // pixels
const CHARACTER = 6.6; // pixels
const SHORTEST = 4; // characters of a cut label
const HATCHED = 6; // pixels between lines
const NAME = 36; // characters of a name on the way to the zoomed box

/**
 * Boxes of the tree below `top`, in call order, so that trees of the same call paths compare; callees too narrow to
 * be seen share a box behind their siblings.
 * @param {Pick<Tree, "roots" | "callees">} tree
 * @param {{inclusive: Float64Array}} values
 * @param {number} top
 * @param {number} width
 */
export function boxesBelow(tree, values, top, width) {
  /** @type {Box[]} */
  const found = [];
  /** @type {Box[]} */
  const pending = [];
  const start = top === WHOLE ? tree.roots : [top];
  const whole = start.reduce((all, k) => all + values.inclusive[k], 0);
  const factor = whole > 0 ? width / whole : 0;
  /** @type {(nodes: number[], x: number, depth: number, caller: number) => void} */
  const push = (nodes, x, depth, caller) => {
    let left = x;
    let [narrow, others] = [0, 0];
    for (const k of nodes) {
      const wide = values.inclusive[k] * factor;
      if (wide >= NARROWEST) {
        pending.push({ k, x: left, wide, depth, others: 0 });
        left += wide;
      } else if (wide > 0) {
        narrow += wide;
        others += 1;
      }
    }
    if (narrow >= NARROWEST) found.push({ k: caller, x: left, wide: narrow, depth, others });
  };
  push(start, 0, 0, WHOLE);
  for (let box = pending.pop(); box; box = pending.pop()) {
    found.push(box);
    if (box.depth < DEEPEST) push(tree.callees[box.k], box.x, box.depth + 1, box.k);
  }
  return { found, whole };
}

/** @param {Box[]} boxes @returns how high a picture of boxes is */
export function heightOf(boxes) {
  return ROW_HEIGHT * (1 + boxes.reduce((deepest, { depth }) => Math.max(deepest, depth), 0));
}

/**
 * The rectangle of a box, lines over it if it is hatched, and as much of its label as there is room for.
 * @param {Pick<Box, "x" | "wide" | "depth">} box
 * @param {string} label
 * @param {boolean} [hatched]
 */
export function boxParts({ x, wide, depth }, label, hatched = false) {
  const y = depth * ROW_HEIGHT;
  const width = Math.max(wide - 0.8, 0.8);
  const room = Math.floor((wide - 8) / CHARACTER);
  const text = { x: (x + 4).toFixed(1), y: y + 14, "aria-hidden": true };
  return [
    svgEl("rect", { x: x.toFixed(1), y, width: width.toFixed(1), height: ROW_HEIGHT - 1 }),
    hatched ? svgEl("path", { class: "hatch", d: hatch(x, y, width, ROW_HEIGHT - 1) }) : null,
    label && room >= Math.min(SHORTEST, label.length) ? svgEl("text", text, cutText(label, room)) : null,
  ];
}

/**
 * Lines from the lower left to the upper right of a rectangle: a pattern would need a name of its own in every file.
 * @type {(x: number, y: number, width: number, height: number) => string}
 */
function hatch(x, y, width, height) {
  let lines = "";
  for (let foot = HATCHED / 2 - height; foot < width; foot += HATCHED) {
    const [from, to] = [Math.max(foot, 0), Math.min(foot + height, width)];
    lines += `M${(x + from).toFixed(1)} ${(y + height - (from - foot)).toFixed(1)}`;
    lines += `L${(x + to).toFixed(1)} ${(y + height - (to - foot)).toFixed(1)}`;
  }
  return lines;
}

/**
 * Call paths too narrow to be seen by themselves.
 * @param {Box} box
 * @param {string} value of all of them
 */
function othersNode({ x, wide, depth, others }, value) {
  const text = `${others} others`;
  const room = Math.floor((wide - 8) / CHARACTER);
  const title = svgEl("title", {}, `${text}, each too narrow to be seen: ${value}`);
  return svgEl(
    "g",
    { class: "others" },
    title,
    ...boxParts({ x, wide, depth }, room >= text.length ? text : ""),
  );
}

/** The box that a reader has zoomed into and the one that the keyboard is on, in one or more pictures of a tree. */
export class BoxTree {
  /**
   * @param {Tree} tree
   * @param {string | null} root the zoomed box as the address has it
   * @param {(k: number) => void} zoomed is called with the box to be drawn as the root; WHOLE for the program
   */
  constructor(tree, root, zoomed) {
    this.tree = tree;
    this.zoomed = zoomed;
    const kept = Number(root ?? WHOLE);
    this.root = kept in tree.callees ? kept : WHOLE;
    this.current = this.first();
  }

  first() {
    return this.root === WHOLE ? (this.tree.roots[0] ?? WHOLE) : this.root;
  }

  /**
   * A picture of the zoomed box and all below it, which shrinks where there is less room, as on paper.
   * @param {{inclusive: Float64Array}} values
   * @param {string} unit of them
   * @param {number} width
   * @param {string} label
   * @param {(box: Box, whole: number) => SVGElement} node with the value of the picture's whole width
   */
  picture(values, unit, width, label, node) {
    const { found, whole } = boxesBelow(this.tree, values, this.root, width);
    const nodes = found.map((box) =>
      box.others ? othersNode(box, quantity((box.wide / width) * whole, unit)) : node(box, whole),
    );
    const height = heightOf(found);
    const size = { width, height, viewBox: `0 0 ${width} ${height}` };
    const svg = svgEl("svg", { class: "icicle", ...size, role: "group", "aria-label": label }, ...nodes);
    return { svg, found, whole };
  }

  /**
   * A box that can be pressed.
   * @param {Box} box
   * @param {string} picture a name of its picture, which keeps the focus
   * @param {string} look classes
   * @param {string[]} texts shown when it is pointed at, below its whole name
   * @param {boolean} [hatched]
   */
  node(box, picture, look, texts, hatched = false) {
    const { k } = box;
    const { level } = this.tree;
    const tabindex = k === this.current ? 0 : -1;
    const keys = { "data-kernel": k, "data-focus": `${picture}-${k}`, tabindex, role: "button" };
    return svgEl(
      "g",
      { class: `box${look}`, ...keys },
      svgEl("title", {}, [level.fullName(k), ...texts].join("\n")),
      ...boxParts(box, level.name(k), hatched),
    );
  }

  /** @param {Element} host */
  listen(host) {
    host.addEventListener("keydown", (event) => {
      if (event instanceof KeyboardEvent) this.key(event);
    });
    host.addEventListener("click", (event) => {
      const box = eventElement(event, ".box");
      if (box) this.zoom(Number(box.dataset.kernel));
    });
  }

  /** @type {(k: number) => void} the focus stays in the picture that it was in */
  zoom(k) {
    const picture = document.activeElement?.closest("svg")?.parentElement;
    this.root = k;
    this.current = this.first();
    this.zoomed(k);
    const box = picture?.querySelector(`[data-kernel="${this.current}"]`);
    if (box instanceof SVGElement) box.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const box = eventElement(event, ".box");
    if (!box) return;
    const k = Number(box.dataset.kernel);
    const picture = box.closest("svg");
    /** @param {number | undefined} other */
    const boxOf = (other) => picture?.querySelector(`[data-kernel="${other}"]`);
    const parent = this.tree.level.parent[k];
    const siblings = (parent < 0 ? this.tree.roots : this.tree.callees[parent]).filter(boxOf);
    const place = siblings.indexOf(k);
    /** @type {Record<string, () => Element | null | undefined>} */
    const moves = {
      ArrowUp: () => boxOf(parent),
      ArrowDown: () => this.tree.callees[k].map(boxOf).find(Boolean),
      ArrowLeft: () => boxOf(siblings[place - 1]),
      ArrowRight: () => boxOf(siblings[place + 1]),
    };
    if (event.key === "Enter" || event.key === " ") this.zoom(k);
    else if (event.key === "Escape") this.zoom(WHOLE);
    else if (moves[event.key]) this.focus(moves[event.key]());
    else return;
    event.preventDefault();
  }

  /** @param {Element | null | undefined} box */
  focus(box) {
    if (!(box instanceof SVGElement)) return;
    this.current = Number(box.dataset.kernel);
    for (const other of box.ownerSVGElement?.querySelectorAll(".box") ?? [])
      other.setAttribute("tabindex", "-1");
    box.setAttribute("tabindex", "0");
    box.focus();
  }

  /** @param {number} k @returns whether a call path is the zoomed one or below it */
  isDrawn(k) {
    return this.root === WHOLE || this.tree.level.path(k).includes(this.root);
  }

  /** Buttons on the way from the whole program to the zoomed box. */
  crumbs() {
    const path = this.root === WHOLE ? [] : this.tree.level.path(this.root);
    /** @type {(k: number, text: string) => HTMLButtonElement} */
    const crumb = (k, text) => quietButton(text, () => this.zoom(k), { disabled: k === this.root });
    return [
      crumb(WHOLE, "Whole program"),
      ...path.flatMap((k) => [" › ", crumb(k, cutText(this.tree.level.name(k), NAME))]),
    ];
  }
}
