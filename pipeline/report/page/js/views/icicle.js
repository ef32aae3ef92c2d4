// @ts-check
// The call tree at two scales: two icicles side by side, or what differs between them, widths by inclusive value.

import { MODELLED } from "../data/call_tree.js";
import { BoxTree, WHOLE } from "../draw/boxes.js";
import { byId, el, keepingFocus, onResize, selector, switcher, widthOf } from "../draw/dom.js";
import { csvButton, figureButtons, pathRows, toolMenu } from "../draw/files.js";
import { coloured, growthLegend, growthWords } from "../draw/nodes.js";
import { WAITS } from "../state.js";
import { percent, pointChoices, pointText, quantity } from "../text/numbers.js";
import { DifferenceView, sideAt, sideName } from "./difference.js";

/** @import { TreeGrowth, Where } from "../data/call_tree.js" */
/** @import { Report } from "../data/report.js" */
/** @import { State } from "../state.js" */
/** @import { Difference } from "../data/difference.js" */
/** @typedef {"pair" | "difference"} Mode */

/** @type {[Mode, string][]} */
const MODES = [
  ["pair", "side by side"],
  ["difference", "difference"],
];

/** @type {(report: Report) => [Where, Where]} both ends of the measured scales; the target if there is but one */
export function openingPair({ positions }) {
  const along = positions.pointsAlong(positions.points[positions.largest]);
  return along.length > 1 ? [along[0], along[along.length - 1]] : [positions.largest, "target"];
}

/**
 * Under strong scaling, what of the effort is lost is what efficiency loses.
 * @type {(report: Report, difference: Difference, scales: [number, number]) => string[]}
 */
export function lossNote({ program }, difference, scales) {
  if (!program?.strong || scales[1] <= scales[0]) return [];
  const { a, b, total } = difference;
  const ends = a.kind === "measured" && b.whole ? [total.a / b.whole.upper, total.a / b.whole.lower] : [];
  const range = ends.length ? ` (${ends.map(percent).join(" to ")})` : "";
  return [`Parallel efficiency at B relative to A: ${percent(1 / difference.common)}${range}.`];
}

/** @type {[string, string]} */
const LETTERS = ["A", "B"];

class ScaleDifference {
  /** @param {State} state @param {BoxTree} boxes */
  constructor(state, boxes) {
    this.report = state.report;
    this.state = state;
    this.opening = openingPair(state.report);
    const { length } = state.report.positions.points;
    this.pair = [state.where("a", length, this.opening[0]), state.where("b", length, this.opening[1])];
    const { level } = state.report.tree;
    this.view = new DifferenceView(byId("difference"), boxes, state, {
      names: LETTERS,
      neutral: "program",
      metric: state.report.metric,
      unit: state.report.unit,
      places: () => [...this.pair, ...this.points()],
      sides: () => this.sides(),
      notes: (difference) => this.notes(difference),
      remarks: () => [],
      look: (k) => state.look(level, k),
      select: (k) => state.select({ region: level.region[k], node: k }),
    });
  }

  points() {
    const { positions } = this.report;
    return this.pair.map((where) => (where === "target" ? [...this.state.target] : positions.points[where]));
  }

  sides() {
    const { positions, tree } = this.report;
    return this.points().map((at, side) => {
      const found = sideAt(tree.level, this.pair[side], at);
      const only = `only at ${pointText(positions.parameters, at)}`;
      return { ...found, only, label: `${LETTERS[side]}, ${found.name}` };
    });
  }

  /** @param {Difference} difference */
  notes(difference) {
    const { positions } = this.report;
    const [a, b] = this.points();
    if (!positions.isAlong(a, b)) return [];
    return lossNote(this.report, difference, [a[positions.column], b[positions.column]]);
  }

  options() {
    const points = pointChoices(this.report.positions, `${this.report.positions.observed} at `);
    /** @type {[Where, string][]} */
    const places = [...points, ["target", "predicted at the target"]];
    const sides = ["a", "b"].map((name, side) =>
      selector(LETTERS[side], places, this.pair[side], (where) => {
        this.pair[side] = where;
        this.state.keep(name, where, this.opening[side]);
        this.view.draw();
      }),
    );
    return [...sides, ...this.view.options()];
  }
}

class IcicleView {
  /** @param {State} state */
  constructor(state) {
    this.report = state.report;
    this.state = state;
    this.tree = state.report.tree;
    this.boxes = new BoxTree(this.tree, state.kept.get("zoom"), (k) => this.zoomed(k));
    this.difference = new ScaleDifference(state, this.boxes);
    this.mode = state.choice("icicle", MODES);
    this.left = state.report.positions.largest;
  }

  /** Every call path below the zoomed one on both sides. */
  rowsOfFile() {
    const { level } = this.tree;
    const { positions, effort } = this.report;
    const { target } = this.state;
    const places = [this.left, /** @type {const} */ ("target")];
    const sides = places.map((where) => this.tree.values(MODELLED, where, target));
    const heads = places.flatMap((where) =>
      ["inclusive", "exclusive"].map((kind) => `${kind} ${effort}, ${sideName(positions, where, target)}`),
    );
    const nodes = level.region.map((_, k) => k).filter((k) => this.boxes.isDrawn(k));
    return pathRows(level, nodes, heads, (k) =>
      sides.flatMap(({ inclusive, exclusive }) => [inclusive[k], exclusive[k]]),
    );
  }

  /** @type {(host: HTMLElement, where: Where, growth: TreeGrowth) => void} */
  drawSide(host, where, growth) {
    const { unit } = this.report;
    const { level } = this.tree;
    const values = this.tree.values(MODELLED, where, this.state.target);
    const { inclusive, exclusive } = values;
    const name = sideName(this.report.positions, where, this.state.target);
    const label = `Icicle of the call tree, ${name}. The call tree above has the same values.`;
    const width = Math.max(widthOf(host), 200);
    const { svg, whole } = this.boxes.picture(values, unit, width, label, (box, all) => {
      const { k } = box;
      const share = all > 0 ? inclusive[k] / all : 0;
      const text =
        `${level.name(k)}: ${quantity(inclusive[k], unit)} (${percent(share)}), without its callees ` +
        `${quantity(exclusive[k], unit)}, ${growthWords(this.tree, growth.exponent[k])}`;
      const node = this.boxes.node(box, host.id, this.state.look(level, k), [text]);
      return coloured(node, growth.relative(k));
    });
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
    this.state.keep("zoom", k, WHOLE);
    if (k !== WHOLE && this.state.selection.node !== k) {
      this.state.select({ region: this.tree.level.region[k], node: k });
    }
    this.draw();
  }

  modeSwitch() {
    return switcher("Show", "icicle-mode", MODES, this.mode, (mode) => {
      this.mode = mode;
      this.state.keep("icicle", mode, MODES[0][0]);
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
    const left = selector("Left side", pointChoices(this.report.positions), this.left, (point) => {
      this.left = point;
      this.draw();
    });
    /** @param {"left" | "right"} side */
    const pictures = (side) => {
      const picture = () => /** @type {SVGSVGElement | null} */ (byId(`icicle-${side}`).querySelector("svg"));
      return [`${side} side`, ...figureButtons(picture, `icicle ${side}`)];
    };
    const table = csvButton("icicle", () => this.rowsOfFile());
    return [left, toolMenu("icicle", ...pictures("left"), ...pictures("right"), table)];
  }
}

/** @param {State} state */
export function buildIcicles(state) {
  const view = new IcicleView(state);
  view.showOptions();
  byId("icicle-legend").replaceChildren(growthLegend(view.tree));
  const host = byId("icicle-boxes");
  view.boxes.listen(host);
  state.follow(byId("icicle"), () => keepingFocus(host, () => view.draw()), WAITS);
  onResize(byId("icicle-left"), () => view.draw());
  onResize(byId("icicle-right"));
}
