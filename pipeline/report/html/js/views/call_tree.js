// @ts-check
// The call tree: opened step by step, coloured by growth, with bars for shares.

import { MODELLED } from "../data/call_tree.js";
import { byId, el, eventElement, selector, styled, switcher } from "../draw/dom.js";
import { growthLegend, growthWords } from "../draw/growth.js";
import { barNode, cutNode, growthNode } from "../draw/nodes.js";
import { amount, doublingText, figure, percent, pointText } from "../text/numbers.js";

/** @import { TreeGrowth, TreeValues, Where } from "../data/call_tree.js" */
/** @import { Report } from "../data/report.js" */
/** @import { State } from "../state.js" */
/** @typedef {{k: number, depth: number, place: number, size: number}} NodeRow place among `size` siblings */
/** @typedef {{rest: number, parent: number, depth: number}} RestRow callees that are left out */

const HOT = 0.05; // share from which a node is opened at first
const OPENED_AT_FIRST = 30;
const CALLEES_AT_ONCE = 100;
const NONE = -1;

class TreeView {
  /**
   * @param {Report} report
   * @param {State} state
   */
  constructor(report, state) {
    this.report = report;
    this.state = state;
    this.tree = report.tree;
    this.metric = MODELLED;
    /** @type {Where} */
    this.where = "target";
    this.inclusive = true;
    /** @type {Set<number>} */
    this.open = new Set();
    /** @type {Map<number, number>} */
    this.shown = new Map(); // callees shown of a node with many
    this.current = NONE; // the node that the keyboard is on
    this.rows = byId("tree-rows");
  }

  values() {
    return this.tree.values(this.metric, this.where, this.state.target);
  }

  /** @param {TreeValues} values */
  openHotPath(values) {
    const { callees, roots } = this.tree;
    this.open.clear();
    const queue = [...roots];
    let rows = roots.length;
    while (queue.length && rows < OPENED_AT_FIRST) {
      queue.sort((a, b) => values.inclusive[b] - values.inclusive[a]);
      const k = queue.shift();
      if (k === undefined || values.inclusive[k] < HOT * values.total || callees[k].length === 0) continue;
      this.open.add(k);
      rows += Math.min(callees[k].length, CALLEES_AT_ONCE);
      queue.push(...callees[k]);
    }
  }

  /** @param {number} parent */
  limit(parent) {
    return this.shown.get(parent) ?? CALLEES_AT_ONCE;
  }

  /**
   * Visible rows from the top.
   * @param {TreeValues} values
   */
  visibleRows(values) {
    const key = this.inclusive ? values.inclusive : values.exclusive;
    /** @type {(NodeRow | RestRow)[]} */
    const rows = [];
    /** @type {(NodeRow | RestRow)[]} */
    const pending = [];
    /**
     * @param {number[]} nodes
     * @param {number} depth
     * @param {number} parent
     */
    const push = (nodes, depth, parent) => {
      const sorted = [...nodes].sort((a, b) => values.inclusive[b] - values.inclusive[a] || key[b] - key[a]);
      const limit = this.limit(parent);
      if (sorted.length > limit) pending.push({ rest: sorted.length - limit, parent, depth });
      const first = sorted.slice(0, limit).map((k, i) => ({ k, depth, place: i + 1, size: sorted.length }));
      pending.push(...first.reverse());
    };
    push(this.tree.roots, 1, NONE);
    for (let row = pending.pop(); row; row = pending.pop()) {
      rows.push(row);
      if ("k" in row && this.open.has(row.k)) push(this.tree.callees[row.k], row.depth + 1, row.k);
    }
    return rows;
  }

  /**
   * @param {NodeRow} row
   * @param {TreeValues} values
   * @param {TreeGrowth} growth
   */
  nodeRow({ k, depth, place, size }, values, growth) {
    const { level } = this.tree;
    const value = (this.inclusive ? values.inclusive : values.exclusive)[k];
    const share = values.total > 0 ? value / values.total : 0;
    const name = level.name(k);
    const leaf = this.tree.callees[k].length === 0;
    const cls = growth.classOf(k);
    const exponent = growth.exponent[k];
    const twist = el("span", { class: leaf ? "twist leaf" : "twist", "aria-hidden": true });
    const where = el("span", { class: "where" }, twist, cutNode(name, level.fullName(k)));
    return el(
      "div",
      {
        role: "treeitem",
        class: "node",
        "data-kernel": k,
        "aria-level": depth,
        "aria-posinset": place,
        "aria-setsize": size,
        "aria-expanded": leaf ? null : this.open.has(k),
        tabindex: k === this.current ? 0 : -1,
        "aria-label": `${name}, ${percent(share)}, ${figure(value)}, ${growthWords(this.tree, exponent)}`,
      },
      styled(where, { "padding-left": `${Math.min(depth - 1, 24) * 14}px` }),
      barNode(share, percent(share), `g-${cls}`),
      el("span", { class: "amount" }, amount(value)),
      el("span", { class: "amount" }, el("span", { class: `swatch g-${cls}` }), doublingText(exponent)),
      el("span", { class: "growth" }, growthNode(level, k)),
    );
  }

  /** @param {RestRow} row */
  restRow({ rest, parent, depth }) {
    const more = () => {
      this.shown.set(parent, this.limit(parent) + 10 * CALLEES_AT_ONCE);
      this.draw();
    };
    const button = el(
      "button",
      { type: "button", class: "quiet", click: more },
      `${rest} more with smaller values`,
    );
    const row = el("div", { class: "more-rows", role: "none" }, button);
    return styled(row, { "padding-left": `${depth * 14}px` });
  }

  draw() {
    const values = this.values();
    if (this.current === NONE) {
      this.openHotPath(values);
      this.current = this.tree.roots[0] ?? NONE;
    }
    const growth = this.tree.growth(this.inclusive, this.state.target);
    const rows = this.visibleRows(values);
    const nodes = rows.flatMap((row) => ("k" in row ? [row.k] : []));
    if (!nodes.includes(this.current)) this.current = nodes[0] ?? NONE;
    this.rows.replaceChildren(
      ...rows.map((row) => ("k" in row ? this.nodeRow(row, values, growth) : this.restRow(row))),
    );
    byId("tree-unit").textContent = this.unit();
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

  /**
   * @param {number} k
   * @param {boolean} open
   */
  setOpen(k, open) {
    if (this.tree.callees[k].length === 0 || this.open.has(k) === open) return;
    if (open) this.open.add(k);
    else this.open.delete(k);
    this.current = k;
    this.draw();
    this.focus(k);
  }

  /**
   * Keys as the tree pattern of the ARIA practices has them.
   * @param {KeyboardEvent} event
   */
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
    const turn = () => this.setOpen(k, !this.open.has(k));
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
    const k = Number(node.dataset.kernel);
    if (this.tree.callees[k].length) this.setOpen(k, !this.open.has(k));
    else this.focus(k);
  }

  whereSelector() {
    const { space } = this.report;
    /** @type {[string, string][]} */
    const points = space.points.map((point, i) => [
      String(i),
      `measured at ${pointText(space.parameters, point)}`,
    ]);
    /** @type {[string, string][]} */
    const predicted = this.metric === MODELLED ? [["target", "predicted at the target"]] : [];
    return selector("Scale", [...predicted, ...points], this.where, (value) => {
      this.where = value === "target" ? value : Number(value);
      this.draw();
    });
  }

  options() {
    /** @type {[string, string][]} */
    const measured = this.tree.metrics.map(({ name }, i) => [String(i), name]);
    let scale = this.whereSelector();
    const metrics = selector(
      "Metric",
      [[String(MODELLED), this.report.metric], ...measured],
      MODELLED,
      (value) => {
        this.metric = Number(value);
        this.where = this.metric === MODELLED ? "target" : this.report.space.largest;
        const next = this.whereSelector();
        scale.replaceWith(next);
        scale = next;
        this.draw();
      },
    );
    const kind = switcher(
      "Values",
      "tree-kind",
      [
        ["inclusive", "inclusive"],
        ["exclusive", "exclusive"],
      ],
      "inclusive",
      (value) => {
        this.inclusive = value === "inclusive";
        this.draw();
      },
    );
    const openHot = () => {
      this.openHotPath(this.values());
      this.draw();
    };
    const closeAll = () => {
      this.open.clear();
      this.draw();
    };
    return [
      metrics,
      scale,
      kind,
      el("button", { type: "button", click: openHot }, "Expand hot paths"),
      el("button", { type: "button", click: closeAll }, "Collapse all"),
    ];
  }
}

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildCallTree(report, state) {
  const view = new TreeView(report, state);
  byId("tree-options").replaceChildren(...view.options());
  byId("tree-legend").replaceChildren(growthLegend(report.tree));
  view.rows.addEventListener("keydown", (event) => view.key(event));
  view.rows.addEventListener("click", (event) => view.click(event));
  state.follow(byId("tree"), () => view.draw());
}
