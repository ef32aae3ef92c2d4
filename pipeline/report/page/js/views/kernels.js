// @ts-check
// The kernel table: measured and predicted shares, growth, models and how far to trust them.

import { elasticity, sharesAt } from "../data/shares.js";
import { byId, el } from "../draw/dom.js";
import { barNode, formulaNode, growthNode, kernelNode } from "../draw/nodes.js";
import { columnsOf, DataTable } from "../draw/table.js";
import { numbersIn, WAITS } from "../state.js";
import { fullPathNames } from "../text/names.js";
import { figure, intervalText, percent, pointText } from "../text/numbers.js";
import { kernelDetail } from "./kernel_detail.js";

/** @import { Flag } from "../data/shares.js" */
/** @import { Report } from "../data/report.js" */
/** @import { Column } from "../draw/table.js" */
/** @import { State } from "../state.js" */

/** @type {Record<Flag | "dominant", [string, string]>} */
const FLAG_TEXT = {
  growing: ["grows", "grows with a probability of at least 90 %"],
  future_bottleneck: [
    "future bottleneck",
    "grows, takes at least 1 % at the target, and a larger share there than at the largest measured point",
  ],
  dominant_measured: ["largest measured", "the largest at the largest measured point"],
  dominant: ["largest", "the largest at the largest measured point and at the target"],
  dominant_at_target: ["largest at target", "the largest at the target"],
  unreliable: ["unreliable model", "the model misses measurements by far, so nothing is concluded from it"],
  not_measurable: ["not measurable", "its time is below what the correction for overhead leaves uncertain"],
  start_up: ["start-up", "start-up and shut-down, not part of the program's work"],
};

/**
 * A future bottleneck grows by definition, so only one of the two shows. Of warnings only what changes a decision is
 * a flag, an unreliable model; the others are in the row's details.
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

/**
 * Flags that all of several rows have, which tell none from another.
 * @param {Flag[][]} rows
 */
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

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildKernels(report, state) {
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
    return ends && shares.value[k] > 0 ? (ends[1] - ends[0]) / shares.value[k] : NaN;
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
    const title = key === "value" && positions.measuredOnly ? "measured" : head.title;
    return { ...head, title: () => `${title}${unit()}`, ...rest };
  };
  const columns = [
    column("kernel", {
      value: (k) => level.name(k),
      cell: (k) => kernelNode(level, k),
      csv: () => [["kernel", (k) => fullPathNames(level, k).join(" > ")]],
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
          [`lower end${inUnit()}`, (k) => interval(k)?.[0] ?? NaN],
          [`upper end${inUnit()}`, (k) => interval(k)?.[1] ?? NaN],
        ],
        cell: (k) => intervalText(interval(k)),
      },
      inUnit,
    ),
    column("growth", {
      kind: "number left",
      value: (k) => growing[k],
      csv: () => [
        ["growth", (k) => level.growthClass[k]],
        ["probability of growing", (k) => level.growing[k]],
        ["local exponent at target", (k) => growing[k]],
      ],
      cell: (k) => growthNode(level, k),
    }),
    column("model", {
      kind: "wide model",
      value: (k) => level.formula(k),
      cell: (k) => formulaNode(level.formula(k)),
    }),
    column("cv_smape", {
      kind: "number wide",
      value: (k) => level.cvSmape[k],
      cell: (k) => {
        const title = `error of the fit: ${level.smape[k].toFixed(1)} %`;
        return el("span", { title }, `${level.cvSmape[k].toFixed(1)} %`);
      },
    }),
    column("flags", {
      kind: "number left",
      value: (k) => shares.flags[k].length,
      csv: () => [["flags", (k) => shares.flags[k].join(" ")]],
      cell: (k) => flagNodes(shares.flags[k].filter((flag) => !shared.includes(flag))),
    }),
  ];
  const { further } = report.levels[state.levelName];
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
    kept: {
      order: state.kept.get("sort"),
      open: numbersIn(state.kept.get("open"), level.count),
      onOrder: (order) => state.keep("sort", order),
      onOpen: (rows) => state.keep("open", rows.length ? rows.join(".") : null),
    },
    detail: (k) => kernelDetail(report, state, level, k),
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
