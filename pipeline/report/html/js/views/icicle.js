// @ts-check
// Two icicles side by side: the call tree at a measured scale and at the target, widths by inclusive value.

import { MODELLED } from "../data/call_tree.js";
import { sum } from "../data/outlook.js";
import { byId, el, eventElement, onResize, selector, svgEl } from "../draw/dom.js";
import { growthLegend, growthWords } from "../draw/growth.js";
import { cutText } from "../text/names.js";
import { figure, percent, pointText, quantityText } from "../text/numbers.js";

/** @import { CallTree, TreeGrowth, TreeValues, Where } from "../data/call_tree.js" */
/** @import { Report } from "../data/report.js" */
/** @import { State } from "../state.js" */
/** @typedef {{k: number, x: number, wide: number, depth: number}} Box */

const ROW_HEIGHT = 20;
const DEEPEST = 26;
const NARROWEST = 1.5; // pixels
const WHOLE = -1; // the root of the whole program

/**
 * Boxes of the tree below `top`, in call order on both sides so that they compare.
 * @param {CallTree} tree
 * @param {TreeValues} values
 * @param {number} top
 * @param {number} width
 */
export function boxesBelow(tree, values, top, width) {
  /** @type {Box[]} */
  const found = [];
  /** @type {Box[]} */
  const pending = [];
  const start = top === WHOLE ? tree.roots : [top];
  const whole = sum(start.map((k) => values.inclusive[k]));
  const factor = whole > 0 ? width / whole : 0;
  /**
   * @param {number[]} nodes
   * @param {number} x
   * @param {number} depth
   */
  const push = (nodes, x, depth) => {
    let left = x;
    for (const k of nodes) {
      const wide = values.inclusive[k] * factor;
      if (wide >= NARROWEST) pending.push({ k, x: left, wide, depth });
      left += wide;
    }
  };
  push(start, 0, 0);
  for (let box = pending.pop(); box; box = pending.pop()) {
    found.push(box);
    if (box.depth < DEEPEST) push(tree.callees[box.k], box.x, box.depth + 1);
  }
  return { found, whole };
}

class IcicleView {
  /**
   * @param {Report} report
   * @param {State} state
   */
  constructor(report, state) {
    this.report = report;
    this.state = state;
    this.tree = report.tree;
    this.root = WHOLE;
    this.left = report.space.largest;
    this.current = report.tree.roots[0] ?? WHOLE; // the box that the keyboard is on
  }

  /**
   * @param {Box} box
   * @param {TreeValues} values
   * @param {number} whole
   * @param {TreeGrowth} growth
   */
  boxNode({ k, x, wide, depth }, values, whole, growth) {
    const { level } = this.tree;
    const label = level.name(k);
    const share = whole > 0 ? values.inclusive[k] / whole : 0;
    const text =
      `${label}: ${figure(values.inclusive[k])} (${percent(share)}), exclusive ${figure(values.exclusive[k])}; ` +
      growthWords(this.tree, growth.exponent[k]);
    const room = Math.floor((wide - 8) / 6.6);
    const y = depth * ROW_HEIGHT;
    return svgEl(
      "g",
      {
        class: `box g-${growth.classOf(k)}`,
        "data-kernel": k,
        tabindex: k === this.current ? 0 : -1,
        role: "button",
        "aria-label": text,
      },
      svgEl("title", {}, `${level.fullName(k)}\n${text}`),
      svgEl("rect", {
        x: x.toFixed(1),
        y,
        width: Math.max(wide - 0.8, 0.8).toFixed(1),
        height: ROW_HEIGHT - 1,
      }),
      room >= 4 ? svgEl("text", { x: (x + 4).toFixed(1), y: y + 14 }, cutText(label, room)) : null,
    );
  }

  /**
   * @param {HTMLElement} host
   * @param {Where} where
   * @param {TreeGrowth} growth
   */
  drawSide(host, where, growth) {
    const { space, unit } = this.report;
    const values = this.tree.values(MODELLED, where, this.state.target);
    const width = Math.max(host.clientWidth, 200);
    const { found, whole } = boxesBelow(this.tree, values, this.root, width);
    const rows = 1 + Math.max(0, ...found.map((box) => box.depth));
    const name =
      where === "target"
        ? `predicted at ${pointText(space.parameters, this.state.target)}`
        : `measured at ${pointText(space.parameters, space.points[where])}`;
    const svg = svgEl(
      "svg",
      {
        class: "icicle",
        width,
        height: rows * ROW_HEIGHT,
        role: "group",
        "aria-label": `Icicle of the call tree, ${name}. The call tree above has the same values.`,
      },
      ...found.map((box) => this.boxNode(box, values, whole, growth)),
    );
    host.replaceChildren(
      el("p", { class: "side" }, el("b", {}, name), ` — ${quantityText(whole, unit)}`),
      svg,
    );
  }

  draw() {
    const growth = this.tree.growth(true, this.state.target);
    this.drawSide(byId("icicle-left"), this.left, growth);
    this.drawSide(byId("icicle-right"), "target", growth);
    const path = this.root === WHOLE ? [] : this.tree.level.path(this.root);
    /**
     * @param {number} k
     * @param {string} text
     */
    const crumb = (k, text) => {
      const attributes = { type: "button", class: "quiet", disabled: k === this.root };
      return el("button", { ...attributes, click: () => this.zoom(k) }, text);
    };
    byId("icicle-path").replaceChildren(
      crumb(WHOLE, "Whole program"),
      ...path.flatMap((k) => [" › ", crumb(k, cutText(this.tree.level.name(k), 36))]),
    );
  }

  /**
   * The focus stays on the side it was on.
   * @param {number} k
   */
  zoom(k) {
    const side = document.activeElement?.closest("#icicles > div");
    this.root = k;
    this.current = k === WHOLE ? (this.tree.roots[0] ?? WHOLE) : k;
    this.draw();
    const box = side?.querySelector(`[data-kernel="${this.current}"]`);
    if (box instanceof SVGElement) box.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const box = eventElement(event, ".box");
    if (!box) return;
    const k = Number(box.dataset.kernel);
    const side = box.closest("svg");
    /** @param {number | undefined} other */
    const boxOf = (other) => side?.querySelector(`[data-kernel="${other}"]`);
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
}

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildIcicles(report, state) {
  const { space } = report;
  const view = new IcicleView(report, state);
  /** @type {[string, string][]} */
  const points = space.points.map((point, i) => [String(i), pointText(space.parameters, point)]);
  const left = selector("Left side", points, view.left, (value) => {
    view.left = Number(value);
    view.draw();
  });
  byId("icicle-options").replaceChildren(left);
  byId("icicle-legend").replaceChildren(growthLegend(report.tree));
  const host = byId("icicles");
  host.addEventListener("keydown", (event) => view.key(event));
  host.addEventListener("click", (event) => {
    const box = eventElement(event, ".box");
    if (box) view.zoom(Number(box.dataset.kernel));
  });
  state.follow(byId("icicle"), () => view.draw());
  onResize(byId("icicle-left"), () => view.draw());
}
