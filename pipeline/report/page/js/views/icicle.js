// @ts-check
// The call tree at two scales: two icicles side by side, or what differs between them, widths by inclusive value.

import { MODELLED } from "../data/call_tree.js";
import { BoxTree, boxesBelow, boxParts, heightOf, othersNode, svgSize, WHOLE } from "../draw/boxes.js";
import { byId, el, keepingFocus, onResize, selector, svgEl, switcher } from "../draw/dom.js";
import { csvButton, pictureButtons } from "../draw/files.js";
import { coloured, growthLegend, growthWords } from "../draw/growth.js";
import { fullPathNames } from "../text/names.js";
import { percent, pointChoices, pointText, quantity } from "../text/numbers.js";
import { ScaleDifference } from "./scale_difference.js";

/** @import { TreeGrowth, TreeValues, Where } from "../data/call_tree.js" */
/** @import { Report } from "../data/report.js" */
/** @import { Box } from "../draw/boxes.js" */
/** @import { State } from "../state.js" */
/** @typedef {"pair" | "difference"} Mode */

/** @type {[Mode, string][]} */
const MODES = [
  ["pair", "side by side"],
  ["difference", "difference"],
];

class IcicleView {
  /**
   * @param {Report} report
   * @param {State} state
   */
  constructor(report, state) {
    this.report = report;
    this.state = state;
    this.tree = report.tree;
    this.boxes = new BoxTree(report.tree, state.kept.get("zoom"), (k) => this.zoomed(k));
    this.difference = new ScaleDifference(report, state, this.boxes, (k) => state.look(report.tree.level, k));
    this.mode = state.choice("icicle", MODES);
    this.left = report.positions.largest;
    this.width = 1;
  }

  /**
   * @param {Box} box
   * @param {TreeValues} values
   * @param {number} whole
   * @param {TreeGrowth} growth
   * @param {string} side
   */
  boxNode(box, values, whole, growth, side) {
    const { level } = this.tree;
    const { unit } = this.report;
    const { k, wide, others } = box;
    if (others) return othersNode(box, quantity((wide / this.width) * whole, unit));
    const label = level.name(k);
    const share = whole > 0 ? values.inclusive[k] / whole : 0;
    const text =
      `${label}: ${quantity(values.inclusive[k], unit)} (${percent(share)}), without its callees ` +
      `${quantity(values.exclusive[k], unit)}, ${growthWords(this.tree, growth.exponent[k])}`;
    const node = svgEl(
      "g",
      { class: `box${this.state.look(level, k)}`, ...this.boxes.attributes(k, side) },
      svgEl("title", {}, `${level.fullName(k)}\n${text}`),
      ...boxParts(box, label),
    );
    return coloured(node, growth.relative(k));
  }

  /** Every call path below the zoomed one on both sides. */
  rowsOfFile() {
    const { level } = this.tree;
    const sides = [this.left, /** @type {const} */ ("target")].map((where) =>
      this.tree.values(MODELLED, where, this.state.target),
    );
    const rows = level.region.flatMap((_, k) => {
      if (!this.boxes.isDrawn(k)) return [];
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
    return [["call path", ...names], ...rows];
  }

  /** @param {Where} where */
  sideName(where) {
    const { positions } = this.report;
    return where === "target"
      ? `predicted at ${pointText(positions.parameters, this.state.target)}`
      : `measured at ${pointText(positions.parameters, positions.points[where])}`;
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
    const { found, whole } = boxesBelow(this.tree, values, this.boxes.root, width);
    const name = this.sideName(where);
    const svg = svgEl(
      "svg",
      {
        class: "icicle",
        ...svgSize(width, heightOf(found)),
        role: "group",
        "aria-label": `Icicle of the call tree, ${name}. The call tree above has the same values.`,
      },
      ...found.map((box) => this.boxNode(box, values, whole, growth, host.id)),
    );
    host.replaceChildren(el("p", { class: "side" }, el("b", {}, name), ` — ${quantity(whole, unit)}`), svg);
  }

  draw() {
    byId("icicles").hidden = this.mode !== "pair";
    byId("icicle-legend").hidden = this.mode !== "pair";
    byId("difference").hidden = this.mode !== "difference";
    byId("icicle-path").replaceChildren(...this.boxes.crumbs());
    if (this.mode === "difference") {
      this.difference.view.draw();
      return;
    }
    const growth = this.tree.growth(false, this.state.target);
    this.drawSide(byId("icicle-left"), this.left, growth);
    this.drawSide(byId("icicle-right"), "target", growth);
  }

  /** @param {number} k */
  zoomed(k) {
    this.state.keep("zoom", k === WHOLE ? null : String(k));
    if (k !== WHOLE && this.state.selection.node !== k) {
      this.state.select({ region: this.tree.level.region[k], node: k });
    }
    this.draw();
  }

  modeSwitch() {
    return switcher("Show", "icicle-mode", MODES, this.mode, (mode) => {
      this.mode = mode;
      this.state.keep("icicle", mode === MODES[0][0] ? null : mode);
      this.showOptions();
      this.draw();
      const chosen = byId("icicle-options").querySelector("input:checked");
      if (chosen instanceof HTMLElement) chosen.focus();
    });
  }

  showOptions() {
    const options = this.mode === "pair" ? this.pairOptions() : this.difference.options();
    byId("icicle-options").replaceChildren(this.modeSwitch(), ...options);
  }

  pairOptions() {
    const left = selector("Left side", pointChoices(this.report.positions), this.left, (value) => {
      this.left = Number(value);
      this.draw();
    });
    /** @param {"left" | "right"} side */
    const pictures = (side) => {
      const picture = () => /** @type {SVGSVGElement | null} */ (byId(`icicle-${side}`).querySelector("svg"));
      const buttons = pictureButtons(picture, `icicle ${side}`);
      return el("span", { class: "tools" }, `${side} side:`, ...buttons);
    };
    return [left, pictures("left"), pictures("right"), csvButton("icicle", () => this.rowsOfFile())];
  }
}

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildIcicles(report, state) {
  const view = new IcicleView(report, state);
  view.showOptions();
  byId("icicle-legend").replaceChildren(growthLegend(report.tree));
  const host = byId("icicle-boxes");
  view.boxes.listen(host);
  state.follow(byId("icicle"), () => keepingFocus(host, () => view.draw()));
  onResize(byId("icicle-left"), () => view.draw());
}
