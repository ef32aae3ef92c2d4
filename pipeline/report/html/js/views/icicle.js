// @ts-check
// Two icicles side by side: the call tree at a measured scale and at the target, widths by inclusive value.

import { MODELLED } from "../data/call_tree.js";
import { sum } from "../data/outlook.js";
import { pictureButtons } from "../draw/chart_tools.js";
import { byId, el, eventElement, keepingFocus, onResize, selector, svgEl } from "../draw/dom.js";
import { csvText, fileName, save } from "../draw/files.js";
import { coloured, growthLegend, growthWords } from "../draw/growth.js";
import { cutText, fullPathNames } from "../text/names.js";
import { figure, percent, pointText, quantityText, unitText } from "../text/numbers.js";

/** @import { CallTree, TreeGrowth, TreeValues, Where } from "../data/call_tree.js" */
/** @import { Report } from "../data/report.js" */
/** @import { State } from "../state.js" */
/** @typedef {{k: number, x: number, wide: number, depth: number, others: number}} Box others: call paths in it that
 *   are too narrow by themselves; then k is their caller */

const ROW_HEIGHT = 20;
const DEEPEST = 26;
const NARROWEST = 1.5; // pixels
const WHOLE = -1; // the root of the whole program

/**
 * Boxes of the tree below `top`, in call order on both sides so that they compare; callees too narrow to be seen
 * share a box behind their siblings.
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
   * @param {number} caller
   */
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

class IcicleView {
  /**
   * @param {Report} report
   * @param {State} state
   */
  constructor(report, state) {
    this.report = report;
    this.state = state;
    this.tree = report.tree;
    const kept = Number(state.kept.get("zoom") ?? WHOLE);
    this.root = kept in report.tree.callees ? kept : WHOLE;
    this.left = report.space.largest;
    this.width = 1;
    this.current = this.root === WHOLE ? (report.tree.roots[0] ?? WHOLE) : this.root; // the box that the keyboard is on
  }

  /**
   * @param {Box} box
   * @param {TreeValues} values
   * @param {number} whole
   * @param {TreeGrowth} growth
   * @param {string} side
   */
  boxNode({ k, x, wide, depth, others }, values, whole, growth, side) {
    const { level } = this.tree;
    const { unit } = this.report;
    if (others)
      return othersNode(x, wide, depth, others, unitText(figure((wide / this.width) * whole), unit));
    const label = level.name(k);
    const share = whole > 0 ? values.inclusive[k] / whole : 0;
    const text =
      `${label}: ${unitText(figure(values.inclusive[k]), unit)} (${percent(share)}), without its callees ` +
      `${unitText(figure(values.exclusive[k]), unit)}, ${growthWords(this.tree, growth.exponent[k])}`;
    const room = Math.floor((wide - 8) / 6.6);
    const y = depth * ROW_HEIGHT;
    const box = svgEl(
      "g",
      {
        class: `box${this.look(k)}`,
        "data-kernel": k,
        "data-focus": `${side}-${k}`,
        tabindex: k === this.current ? 0 : -1,
        role: "button",
      },
      svgEl("title", {}, `${level.fullName(k)}\n${text}`),
      svgEl("rect", {
        x: x.toFixed(1),
        y,
        width: Math.max(wide - 0.8, 0.8).toFixed(1),
        height: ROW_HEIGHT - 1,
      }),
      room >= 4
        ? svgEl("text", { x: (x + 4).toFixed(1), y: y + 14, "aria-hidden": true }, cutText(label, room))
        : null,
    );
    return coloured(box, growth.relative(k));
  }

  /** @param {number} k */
  look(k) {
    const { state } = this;
    const { level } = this.tree;
    if (state.selecting && state.selects(level, k)) return " selected";
    return state.words.length && !state.findsName(level, k) ? " fades" : "";
  }

  /** Every call path below the zoomed one on both sides. */
  csv() {
    const { level } = this.tree;
    const sides = [this.left, /** @type {const} */ ("target")].map((where) =>
      this.tree.values(MODELLED, where, this.state.target),
    );
    const rows = level.region.flatMap((_, k) => {
      const path = level.path(k);
      if (this.root !== WHOLE && !path.includes(this.root)) return [];
      return [
        [
          fullPathNames(level, k).join(" > "),
          ...sides.flatMap((side) => [side.inclusive[k], side.exclusive[k]]),
        ],
      ];
    });
    const names = [this.sideName(this.left), this.sideName("target")].flatMap((side) =>
      ["inclusive", "exclusive"].map((kind) => `${kind} ${this.report.effort}, ${side}`),
    );
    return csvText([["call path", ...names], ...rows]);
  }

  /** @param {Where} where */
  sideName(where) {
    const { space } = this.report;
    return where === "target"
      ? `predicted at ${pointText(space.parameters, this.state.target)}`
      : `measured at ${pointText(space.parameters, space.points[where])}`;
  }

  /**
   * @param {HTMLElement} host
   * @param {Where} where
   * @param {TreeGrowth} growth
   */
  drawSide(host, where, growth) {
    const { unit } = this.report;
    const values = this.tree.values(MODELLED, where, this.state.target);
    const width = Math.max(host.clientWidth, 200);
    this.width = width;
    const { found, whole } = boxesBelow(this.tree, values, this.root, width);
    const rows = 1 + Math.max(0, ...found.map((box) => box.depth));
    const name = this.sideName(where);
    const svg = svgEl(
      "svg",
      {
        class: "icicle",
        width,
        height: rows * ROW_HEIGHT,
        role: "group",
        "aria-label": `Icicle of the call tree, ${name}. The call tree above has the same values.`,
      },
      ...found.map((box) => this.boxNode(box, values, whole, growth, host.id)),
    );
    host.replaceChildren(
      el("p", { class: "side" }, el("b", {}, name), ` — ${quantityText(whole, unit)}`),
      svg,
    );
  }

  draw() {
    const growth = this.tree.growth(false, this.state.target);
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
    this.state.keep("zoom", k === WHOLE ? null : String(k));
    if (k !== WHOLE && this.state.selection.node !== k) {
      this.state.select({ region: this.tree.level.region[k], node: k });
    }
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
 * @param {number} x
 * @param {number} wide
 * @param {number} depth
 * @param {number} others
 * @param {string} value
 */
function othersNode(x, wide, depth, others, value) {
  const place = { x: x.toFixed(1), y: depth * ROW_HEIGHT, width: Math.max(wide - 0.8, 0.8).toFixed(1) };
  const room = Math.floor((wide - 8) / 6.6);
  const text = `${others} others`;
  return svgEl(
    "g",
    { class: "others" },
    svgEl("title", {}, `${text}, each too narrow to be seen: ${value}`),
    svgEl("rect", { ...place, height: ROW_HEIGHT - 1 }),
    room >= text.length ? svgEl("text", { x: (x + 4).toFixed(1), y: depth * ROW_HEIGHT + 14 }, text) : null,
  );
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
  /** @param {"left" | "right"} side */
  const pictures = (side) => {
    const picture = () => /** @type {SVGSVGElement | null} */ (byId(`icicle-${side}`).querySelector("svg"));
    const buttons = pictureButtons(picture, `icicle ${side}`);
    return el("span", { class: "tools" }, `${side} side:`, ...buttons);
  };
  const csv = () => save(fileName("icicle", "csv"), "text/csv", view.csv());
  const table = el(
    "button",
    { type: "button", class: "quiet", "aria-label": "Save as CSV: icicle", click: csv },
    "CSV",
  );
  byId("icicle-options").replaceChildren(left, pictures("left"), pictures("right"), table);
  byId("icicle-legend").replaceChildren(growthLegend(report.tree));
  const host = byId("icicles");
  host.addEventListener("keydown", (event) => view.key(event));
  host.addEventListener("click", (event) => {
    const box = eventElement(event, ".box");
    if (box) view.zoom(Number(box.dataset.kernel));
  });
  state.follow(byId("icicle"), () => keepingFocus(host, () => view.draw()));
  onResize(byId("icicle-left"), () => view.draw());
}
