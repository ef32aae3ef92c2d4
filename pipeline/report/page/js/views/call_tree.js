// @ts-check
// The call tree: opened step by step, coloured by growth, with bars for shares; what is searched or selected opens.

import { CALLEES_AT_ONCE, hotPaths, MODELLED, visibleRows } from "../data/call_tree.js";
import {
  byId,
  el,
  eventElement,
  keepingFocus,
  quietButton,
  selector,
  styled,
  switcher,
} from "../draw/dom.js";
import { csvButton, pathRows } from "../draw/files.js";
import { barNode, coloured, cutNode, growthLegend, growthNode, growthWords, twist } from "../draw/nodes.js";
import { WAITS } from "../state.js";
import { hasWords } from "../text/names.js";
import { count, doublingText, percent, pointChoices, quantity } from "../text/numbers.js";

/** @import { NodeRow, RestRow, TreeGrowth, TreeValues, Where } from "../data/call_tree.js" */
/** @import { Selection, State } from "../state.js" */

const OPENED_BY_SEARCH = 100;
const NONE = -1;

class TreeView {
  /** @param {State} state */
  constructor(state) {
    this.report = state.report;
    this.state = state;
    this.tree = state.report.tree;
    this.metric = MODELLED;
    /** @type {Where} */
    this.where = "target";
    this.inclusive = true;
    this.open = new Set(state.indices("tree", this.tree.callees.length));
    this.hot = !state.kept.has("tree"); // whether it still is as it opens
    /** @type {string[]} */
    this.words = []; // what was looked for the last time
    /** @type {Selection | null} */
    this.selection = null;
    /** @type {Map<number, number>} */
    this.shown = new Map(); // callees shown of a node with many
    this.current = NONE; // the node that the keyboard is on
    this.rows = byId("tree-rows");
  }

  values() {
    return this.tree.values(this.metric, this.where, this.state.target);
  }

  /** @param {number} parent */
  limit(parent) {
    return this.shown.get(parent) ?? CALLEES_AT_ONCE;
  }

  /**
   * @param {NodeRow} row
   * @param {TreeValues} values
   * @param {TreeGrowth} growth of the values shown
   * @param {TreeGrowth} own of the node alone, which gives the colour
   */
  nodeRow({ k, depth, place, size }, values, growth, own) {
    const { level } = this.tree;
    const value = (this.inclusive ? values.inclusive : values.exclusive)[k];
    const share = values.total > 0 ? value / values.total : 0;
    const name = level.name(k);
    const leaf = this.tree.callees[k].length === 0;
    const colour = own.relative(k);
    const exponent = growth.exponent[k];
    const where = el("span", { class: "where" }, twist(leaf), cutNode(name, level.fullName(k)));
    return el(
      "div",
      {
        role: "treeitem",
        class: `node${this.state.look(level, k)}`,
        "data-kernel": k,
        "data-focus": k,
        "aria-selected": this.state.selecting && this.state.selects(level, k),
        "aria-level": depth,
        "aria-posinset": place,
        "aria-setsize": size,
        "aria-expanded": leaf ? null : this.open.has(k),
        tabindex: k === this.current ? 0 : -1,
      },
      styled(where, { "padding-left": `${Math.min(depth - 1, 24) * 14}px` }),
      coloured(barNode(share, percent(share)), colour),
      el("span", { class: "amount", title: quantity(value, this.unitOfValues()) }, count(value)),
      el("span", { class: "amount", title: growthWords(this.tree, exponent) }, doublingText(exponent)),
      el(
        "span",
        { class: "growth" },
        coloured(el("span", { class: "swatch" }), colour),
        growthNode(level, k),
      ),
    );
  }

  /** @param {RestRow} row */
  restRow({ rest, parent, depth }) {
    const more = () => {
      this.shown.set(parent, this.limit(parent) + 10 * CALLEES_AT_ONCE);
      this.draw();
    };
    const button = quietButton(`${rest} more with smaller values`, more);
    const row = el("div", { class: "more-rows", role: "none" }, button);
    return styled(row, { "padding-left": `${depth * 14}px` });
  }

  draw() {
    const values = this.values();
    if (this.current === NONE) {
      if (this.hot) hotPaths(this.tree, values, this.open);
      this.current = this.tree.roots[0] ?? NONE;
    }
    this.openWhatIsLookedFor(values);
    const own = this.tree.growth(false, this.state.target);
    const growth = this.inclusive ? this.tree.growth(true, this.state.target) : own;
    const rows = visibleRows(this.tree, values, this.open, (parent) => this.limit(parent));
    const nodes = rows.flatMap((row) => ("k" in row ? [row.k] : []));
    if (!nodes.includes(this.current)) this.current = nodes[0] ?? NONE;
    this.rows.replaceChildren(
      ...rows.map((row) => ("k" in row ? this.nodeRow(row, values, growth, own) : this.restRow(row))),
    );
    byId("tree-unit").textContent = this.unit();
  }

  /** @type {(values: TreeValues) => void} opens callers of the largest nodes found or selected since the last time */
  openWhatIsLookedFor(values) {
    const { words, selection, selecting } = this.state;
    const { level } = this.tree;
    const nodes = level.region.map((_, k) => k);
    /** @param {(k: number) => boolean} wanted */
    const openTo = (wanted) => {
      const found = nodes.filter(wanted).sort((a, b) => values.inclusive[b] - values.inclusive[a]);
      for (const node of found.slice(0, OPENED_BY_SEARCH))
        for (const k of level.path(node).slice(0, -1)) this.open.add(k);
      if (found.length) this.current = found[0];
    };
    if (words !== this.words && words.length) openTo((k) => hasWords(level.ownText(k), words));
    if (selection !== this.selection && selecting) openTo((k) => this.state.selects(level, k));
    this.words = words;
    this.selection = selection;
  }

  /** @type {(node: number) => void} shows as many callees of the callers of a node as it takes to see it */
  showAmongSiblings(node) {
    const { inclusive } = this.values();
    for (const k of this.tree.level.path(node)) {
      const parent = this.tree.level.parent[k];
      const larger = (this.tree.callees[parent] ?? this.tree.roots).filter(
        (other) => inclusive[other] >= inclusive[k],
      );
      if (larger.length > this.limit(parent)) this.shown.set(parent, larger.length);
    }
  }

  /** Every call path with what the tree shows of it. */
  rowsOfFile() {
    const values = this.values();
    const growth = this.tree.growth(this.inclusive, this.state.target);
    const { level } = this.tree;
    const heads = [`inclusive ${this.unit()}`, `exclusive ${this.unit()}`, "per doubling"];
    const nodes = level.region.map((_, k) => k);
    return pathRows(level, nodes, heads, (k) => [
      values.inclusive[k],
      values.exclusive[k],
      2 ** growth.exponent[k],
    ]);
  }

  unitOfValues() {
    return this.metric === MODELLED ? this.report.unit : this.tree.metrics[this.metric].unit;
  }

  unit() {
    if (this.metric === MODELLED) return this.report.effort;
    const { name, unit } = this.tree.metrics[this.metric];
    return unit ? `${name} (${unit})` : name;
  }

  /** @returns {HTMLElement[]} */
  nodes() {
    return [...this.rows.querySelectorAll(".node")].filter((node) => node instanceof HTMLElement);
  }

  /** @param {number} k */
  focus(k) {
    this.current = k;
    for (const node of this.nodes()) {
      const here = Number(node.dataset.kernel) === k;
      node.tabIndex = here ? 0 : -1;
      if (here) node.focus();
    }
  }

  /** @type {(k: number, open: boolean) => void} */
  setOpen(k, open) {
    if (!this.turn(k, open)) return;
    this.draw();
    this.focus(k);
  }

  /** @type {(k: number, open: boolean) => boolean} */
  turn(k, open) {
    this.current = k;
    if (this.tree.callees[k].length === 0 || this.open.has(k) === open) return false;
    if (open) this.open.add(k);
    else this.open.delete(k);
    this.keepOpen();
    return true;
  }

  keepOpen() {
    this.state.keep("tree", [...this.open].join("."));
  }

  /** @param {KeyboardEvent} event of keys as the tree pattern of the ARIA practices has them */
  key(event) {
    const node = eventElement(event, ".node");
    if (!node) return;
    const k = Number(node.dataset.kernel);
    const nodes = this.nodes();
    const here = nodes.findIndex((other) => Number(other.dataset.kernel) === k);
    /** @param {HTMLElement | undefined} to */
    const go = (to) => {
      if (to) this.focus(Number(to.dataset.kernel));
    };
    const turn = () => this.press(k);
    const into = () => (this.open.has(k) ? go(nodes[here + 1]) : this.setOpen(k, true));
    const outOf = () => {
      const parent = this.tree.level.parent[k];
      if (this.open.has(k)) this.setOpen(k, false);
      else if (parent >= 0) this.focus(parent);
    };
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowDown: () => go(nodes[here + 1]),
      ArrowUp: () => go(nodes[here - 1]),
      Home: () => go(nodes[0]),
      End: () => go(nodes[nodes.length - 1]),
      ArrowRight: into,
      ArrowLeft: outOf,
      Enter: turn,
      " ": turn,
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @param {MouseEvent} event */
  click(event) {
    const node = eventElement(event, ".node");
    if (!node) return;
    this.press(Number(node.dataset.kernel));
  }

  /** @type {(k: number) => void} selects a node, and opens or closes it */
  press(k) {
    this.turn(k, !this.open.has(k));
    this.focus(k);
    const { region } = this.tree.level;
    if (this.state.selection.node === k) keepingFocus(this.rows, () => this.draw());
    else this.state.select({ region: region[k], node: k });
    this.selection = this.state.selection; // its place is known
  }

  whereSelector() {
    const points = pointChoices(this.report.positions, `${this.report.positions.observed} at `);
    /** @type {[Where, string][]} */
    const predicted = this.metric === MODELLED ? [["target", "predicted at the target"]] : [];
    return selector("Scale", [...predicted, ...points], this.where, (where) => {
      this.where = where;
      this.draw();
    });
  }

  options() {
    /** @type {[number, string][]} */
    const measured = this.tree.metrics.map(({ name }, i) => [i, name]);
    let scale = this.whereSelector();
    const choices = [/** @type {[number, string]} */ ([MODELLED, this.report.metric]), ...measured];
    const metrics = selector("Metric", choices, MODELLED, (metric) => {
      this.metric = metric;
      this.where = metric === MODELLED ? "target" : this.report.positions.largest;
      const next = this.whereSelector();
      scale.replaceWith(next);
      scale = next;
      this.draw();
    });
    const kind = switcher("Values", "tree-kind", ["inclusive", "exclusive"], "inclusive", (value) => {
      this.inclusive = value === "inclusive";
      this.draw();
    });
    const openHot = () => {
      const hottest = hotPaths(this.tree, this.values(), this.open);
      this.showAmongSiblings(hottest);
      this.current = hottest;
      this.state.keep("tree", null);
      this.draw();
      this.rows.querySelector(`[data-kernel="${hottest}"]`)?.scrollIntoView({ block: "nearest" });
    };
    const closeAll = () => {
      this.open.clear();
      this.keepOpen();
      this.draw();
    };
    return [
      metrics,
      scale,
      kind,
      el("button", { type: "button", click: openHot }, "Expand hot paths"),
      el("button", { type: "button", click: closeAll }, "Collapse all"),
      csvButton("call tree", () => this.rowsOfFile()),
    ];
  }
}

/** @param {State} state */
export function buildCallTree(state) {
  const view = new TreeView(state);
  byId("tree-options").replaceChildren(...view.options());
  byId("tree-legend").replaceChildren(growthLegend(view.tree));
  view.rows.addEventListener("keydown", (event) => view.key(event));
  view.rows.addEventListener("click", (event) => view.click(event));
  state.follow(byId("tree"), () => keepingFocus(view.rows, () => view.draw()), WAITS);
}
