// @ts-check
// The kernel table: measured and predicted shares, growth, models and how far to trust them.

import { elasticity, sharesAt } from "../data/shares.js";
import { byId, copyButton, el } from "../draw/dom.js";
import { barNode, copyable, factList, formulaNode, growthNode, kernelNode } from "../draw/nodes.js";
import { columnsOf, DataTable } from "../draw/table.js";
import { WAITS } from "../state.js";
import { estimateText, figure, intervalText, percent, pointText } from "../text/numbers.js";
import { Curves } from "./curves.js";
import { locationsPanel } from "./locations.js";

/** @import { KernelSet } from "../data/kernel_set.js" */
/** @import { LevelName } from "../data/report.js" */
/** @import { Flag } from "../data/shares.js" */
/** @import { Child } from "../draw/dom.js" */
/** @import { Column } from "../draw/table.js" */
/** @import { State } from "../state.js" */

/** @type {Record<Flag | "dominant", [string, string]>} */
const FLAG_TEXT = {
  growing: ["grows", "grows with a probability of at least 90 %"],
  future_bottleneck: [
    "future bottleneck",
    "grows, takes at least 1 % at the target, and a larger share there than at the largest measured point",
  ],
  dominant_measured: ["largest now", "the largest at the largest measured point"],
  dominant: ["largest", "the largest at the largest measured point and at the target"],
  dominant_at_target: ["largest at target", "the largest at the target"],
  unreliable: ["unreliable model", "the model misses measurements by far, so nothing is concluded from it"],
  not_measurable: ["not measurable", "its time is below what the correction for overhead leaves uncertain"],
  start_up: ["start-up", "start-up and shut-down, not part of the program's work"],
};

/**
 * A future bottleneck grows by definition, so only one of the two shows. Of warnings only what changes a decision is
 * a flag, an unreliable model, if the growth does not say that its law is unclear; the others are in the row's details.
 * @param {Flag[]} flags
 */
function flagNodes(flags) {
  const always = flags.includes("dominant_measured") && flags.includes("dominant_at_target");
  const future = flags.includes("future_bottleneck");
  const shown = flags.flatMap((flag) => {
    if ((flag === "growing" && future) || (flag === "dominant_measured" && always)) return [];
    return flag === "dominant_at_target" && always ? /** @type {const} */ (["dominant"]) : [flag];
  });
  const chips = shown.map((flag) => {
    const [text, help] = FLAG_TEXT[flag];
    return el("span", { class: `flag ${flag}`, title: help }, text);
  });
  return el("span", { class: "flags" }, ...chips);
}

/** @param {Flag[][]} rows @returns flags that all of several rows have, which tell none from another */
function sharedFlags(rows) {
  const [first, ...others] = rows;
  return others.length ? first.filter((flag) => others.every((flags) => flags.includes(flag))) : [];
}

/** @param {Column} column */
function isMeasured({ key }) {
  return ["kernel", "share_measured", "share_at_target", "value", "flags"].includes(key ?? "");
}

/** @param {number} share NaN if the metric has no sum */
function shareNode(share) {
  return barNode(share || 0, percent(share));
}

/** @param {State} state */
export function buildKernels(state) {
  const { report } = state;
  const { positions, limits } = report;
  let level = state.level;
  let shares = sharesAt(level, state.target, limits);
  let growing = new Float64Array();
  /** @type {Flag[]} */
  let shared = [];
  /** @param {number} k */
  const interval = (k) => level.interval(k, state.target);
  /** @param {number} k */
  const width = (k) => {
    const ends = interval(k);
    return ends && shares.value[k] > 0 ? (ends.upper - ends.lower) / shares.value[k] : NaN;
  };
  const inUnit = () => (state.metric.unit ? ` [${state.metric.unit}]` : "");
  const heads = columnsOf(report.heads);
  /**
   * A column as Python's list heads it.
   * @param {string} key
   * @param {Pick<Column, "value" | "cell"> & Partial<Column>} rest
   * @param {() => string} [unit]
   * @returns {Column}
   */
  const column = (key, rest, unit = () => "") => {
    const head = /** @type {Column} */ (heads.find((one) => one.key === key));
    const title = key === "value" && positions.measuredOnly ? positions.observed : head.title;
    return { ...head, title: () => `${title}${unit()}`, ...rest };
  };
  const columns = [
    column("kernel", {
      value: (k) => level.name(k),
      cell: (k) => kernelNode(level, k),
      csv: () => [["kernel", (k) => level.fullPathNames(k).join("/")]],
    }),
    column("share_measured", {
      value: (k) => shares.shareMeasured[k],
      cell: (k) => shareNode(shares.shareMeasured[k]),
    }),
    column("share_at_target", {
      value: (k) => shares.shareAtTarget[k],
      cell: (k) => shareNode(shares.shareAtTarget[k]),
    }),
    column("value", { value: (k) => shares.value[k], cell: (k) => figure(shares.value[k]) }, inUnit),
    column(
      "upper",
      {
        help: "Of the expected value; sorts by its relative width",
        kind: "number wide",
        value: width,
        csv: () => [
          [`lower end${inUnit()}`, (k) => interval(k)?.lower ?? NaN],
          [`upper end${inUnit()}`, (k) => interval(k)?.upper ?? NaN],
        ],
        cell: (k) => intervalText(interval(k)),
      },
      inUnit,
    ),
    column("growth_class", {
      kind: "number left",
      value: (k) => growing[k],
      csv: () => [
        ["growth", (k) => level.growthClass[k]],
        ["probability of growing", (k) => level.growing[k]],
        ["local exponent at target", (k) => growing[k]],
      ],
      cell: (k) => growthNode(level, k),
    }),
    column("formula", {
      kind: "wide model",
      value: (k) => level.formula[k],
      cell: (k) => formulaNode(level.formula[k]),
    }),
    column("flags", {
      kind: "number left",
      value: (k) => shares.flags[k].length,
      csv: () => [["flags", (k) => shares.flags[k].join(" ")]],
      cell: (k) => flagNodes(shares.flags[k].filter((flag) => !shared.includes(flag) && !isSaid(flag, k))),
    }),
  ];
  const { further } = report.levels[state.levelName];
  /** @param {Flag} flag @param {number} k */
  const isSaid = (flag, k) => flag === "unreliable" && level.growthClass[k].includes("unclear");
  const look = () => {
    shares = sharesAt(level, state.target, limits);
    const [from, to] = positions.around(state.target);
    const [here, next] = [from, to].map((scale) => level.values(positions.atScale(state.target, scale)));
    growing = elasticity(here, next, to / from);
    shared = sharedFlags(shares.flags.filter((_, k) => level.takesAnything(k)));
    const texts = shared.map((flag) => FLAG_TEXT[flag][0]);
    byId("kernel-shared").textContent = texts.length ? ` All rows: ${texts.join(", ")}.` : "";
  };
  look();
  const table = new DataTable(byId("kernel-table"), {
    caption: "Kernels with their shares, models and predictions",
    columns: [
      ...(positions.measuredOnly ? columns.filter(isMeasured) : columns),
      ...columnsOf(further, {}, "wide", (i) => level.further[i]),
    ],
    sort: "share_at_target",
    rows: () => level.region.map((_, k) => k).filter((k) => level.takesAnything(k) && state.finds(level, k)),
    pick: {
      name: (k) => level.name(k),
      is: (k) => state.selects(level, k),
      toggle: (k) => state.toggle(level, k),
    },
    kept: state.table("sort", level.count),
    detail: (k) => new KernelDetail(state, level, k),
  });
  let words = state.words;
  let { selection } = state;
  state.follow(
    byId("kernels"),
    () => {
      const other = level !== state.level;
      level = state.level;
      look();
      if (words !== state.words) table.page = 0;
      const moved = selection !== state.selection;
      ({ words, selection } = state);
      if (other) table.reset();
      else if (moved && state.selecting) table.showRow((k) => state.selects(level, k));
      else table.refresh();
      const at = pointText(positions.parameters, state.target);
      const chosen = state.metric === report.metrics[0];
      byId("kernel-target").textContent = chosen ? at : `${at}, of ${state.metric.label}`;
    },
    WAITS,
  );
}

/** What opens below a row: the kernel over scale, what is known of it, and its values on locations. */
class KernelDetail {
  /** @param {State} state @param {KernelSet} level @param {number} k */
  constructor(state, level, k) {
    this.state = state;
    this.metric = state.metric;
    this.level = level;
    this.k = k;
    const { parameters, column } = level.positions;
    const rivals = (/** @type {number[]} */ xs) =>
      level.rivals[k].map(({ text }, rival) => {
        const at = (/** @type {number} */ scale) => level.positions.atScale(state.target, scale);
        return { text, values: xs.map((scale) => level.formulaValue(k, at(scale), rival)) };
      });
    const validFrom = level.validFrom[k * parameters.length + column];
    const line = { name: "", cls: "c0", unit: this.metric.unit, level, k, validFrom, rivals };
    this.curves = new Curves(state, `kernel ${level.name(k)}`, this.metric.label, [line]);
    this.facts = el("div", { class: "facts" });
    this.panel = locationsPanel(state, level, k);
    this.node = el("div", { class: "kernel-detail" }, this.curves.node, this.facts, this.panel?.node);
  }

  update() {
    this.curves.draw();
    this.facts.replaceChildren(this.factList(), ...this.rivalList());
    this.panel?.update();
  }

  factList() {
    const { level, k, metric } = this;
    const { target } = this.state;
    const { mangled, source, paradigm } = level.regions[level.region[k]];
    const isCallPath = level === metric.levels.callpaths;
    const errors = `SMAPE ${level.smape[k].toFixed(1)} % (fit), ${level.cvSmape[k].toFixed(1)} % (leave-one-out)`;
    /** @type {[string, Child][]} */
    const facts = [[isCallPath ? "Call path" : "Region", copyable(level.fullPathNames(k))]];
    if (mangled) facts.push(["Mangled name", copyable([mangled])]);
    if (source) facts.push(["Source", el("span", { class: "code" }, source)]);
    if (paradigm) facts.push(["Paradigm", paradigm]);
    facts.push([
      `At ${pointText(level.positions.parameters, target)}`,
      estimateText(level.value(k, target), level.interval(k, target), metric.unit),
    ]);
    if (!level.positions.measuredOnly) {
      const copies = [
        copyButton(level.latex[k], "the formula as LaTeX", "LaTeX"),
        copyButton(level.python[k], "the formula as Python", "Python"),
      ];
      facts.push(
        [`Formula, ${level.ranges[k]}`, formulaNode(level.formula[k])],
        ["Formula to copy", el("span", {}, ...copies)],
        ...this.factors(isCallPath ? "callpaths" : "regions"),
        ["Quality", errors],
        ["Growth", level.growthClass[k]],
        ["Probability of growing", `${(100 * level.growing[k]).toFixed(0)} %`],
      );
    }
    if (level.warnings[k].length) facts.push(["Warnings", level.warnings[k].join("; ")]);
    return factList(facts);
  }

  /** @type {(name: LevelName) => [string, Child][]} of an effort: how often, and how long each time */
  factors(name) {
    const { metrics, factors } = this.state.report;
    if (this.metric !== metrics[0]) return [];
    for (const pair of factors) {
      const found = metrics.filter((other) => pair.includes(other.name));
      const places = found.map((other) => other.levels[name].placeOf(this.level, this.k));
      if (found.length < pair.length || places.some((place) => place < 0)) continue;
      return found.map((other, i) => [
        `Factor: ${other.label}`,
        formulaNode(other.levels[name].formula[places[i]]),
      ]);
    }
    return [];
  }

  rivalList() {
    const rivals = this.level.rivals[this.k];
    if (rivals.length === 1) return [];
    const items = rivals.map(({ text, probability }) =>
      el("li", {}, formulaNode(text), el("span", { class: "quiet" }, ` ${(100 * probability).toFixed(0)} %`)),
    );
    const head = "Rival models, which the prediction weighs by their probability";
    return [el("div", {}, el("h3", {}, head), el("ul", { class: "rivals" }, ...items))];
  }
}
