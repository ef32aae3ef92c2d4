// @ts-check
// The kernel table: measured and predicted shares, growth, models and how far to trust them.

import { elasticity, sharesAt } from "../data/shares.js";
import { byId, el } from "../draw/dom.js";
import { barNode, formulaNode, growthNode, kernelNode } from "../draw/nodes.js";
import { columnsOf, DataTable } from "../draw/table.js";
import { numbersIn } from "../state.js";
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
 * A future bottleneck grows by definition, so only one of the two shows; of warnings only those not true of all.
 * @param {Flag[]} flags
 * @param {string[]} warnings
 */
function flagNodes(flags, warnings) {
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
  const title = warnings.join("; ");
  const warning = title ? el("span", { class: "flag warning", title }, "warning") : null;
  return el("span", { class: "flags" }, ...chips, warning);
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
  /** @param {number} k */
  const interval = (k) => level.interval(k, state.target);
  /** @param {number} k */
  const width = (k) => {
    const ends = interval(k);
    return ends && shares.value[k] > 0 ? (ends[1] - ends[0]) / shares.value[k] : NaN;
  };
  const inUnit = () => (state.metric.unit ? ` (${state.metric.unit})` : "");
  /** @type {Column[]} */
  const columns = [
    {
      key: "name",
      title: "Kernel",
      value: (k) => level.name(k),
      cell: (k) => kernelNode(level, k),
      csv: () => [["kernel", (k) => fullPathNames(level, k).join(" > ")]],
    },
    {
      key: "measured",
      title: "Measured",
      help: "Share of the sum at the largest measured point",
      kind: "number",
      value: (k) => shares.shareMeasured[k],
      csv: () => [["share measured", (k) => shares.shareMeasured[k]]],
      cell: (k) => shareNode(shares.shareMeasured[k]),
    },
    {
      key: "target",
      title: "At target",
      help: "Share of the sum at the target",
      kind: "number",
      value: (k) => shares.shareAtTarget[k],
      csv: () => [["share at target", (k) => shares.shareAtTarget[k]]],
      cell: (k) => shareNode(shares.shareAtTarget[k]),
    },
    {
      key: "value",
      title: () => `Predicted${inUnit()}`,
      help: "Value at the target, in the unit of the metric",
      kind: "number",
      value: (k) => shares.value[k],
      csv: () => [[`predicted${inUnit()}`, (k) => shares.value[k]]],
      cell: (k) => figure(shares.value[k]),
    },
    {
      key: "interval",
      title: () => `90 % interval${inUnit()}`,
      help: "90 % interval of the expected value at the target; sorts by its relative width",
      kind: "number wide",
      value: width,
      csv: () => [
        [`lower end${inUnit()}`, (k) => interval(k)?.[0] ?? NaN],
        [`upper end${inUnit()}`, (k) => interval(k)?.[1] ?? NaN],
      ],
      cell: (k) => intervalText(interval(k)),
    },
    {
      key: "growth",
      title: "Growth",
      help: "Most probable behaviour, with the range of its exponents; sorts by the local growth at the target",
      kind: "number left",
      value: (k) => growing[k],
      csv: () => [
        ["growth", (k) => level.growthClass[k]],
        ["local exponent at target", (k) => growing[k]],
      ],
      cell: (k) => growthNode(level, k),
    },
    {
      key: "model",
      title: "Model",
      help: "Most plausible formula; sorts as text",
      kind: "wide model",
      value: (k) => level.formula(k),
      cell: (k) => formulaNode(level.formula(k)),
    },
    {
      key: "probability",
      title: "Growing",
      help: "Probability that it grows with scale",
      kind: "number",
      value: (k) => level.growing[k],
      csv: () => [["probability of growing", (k) => level.growing[k]]],
      cell: (k) => `${Math.round(100 * level.growing[k])} %`,
    },
    {
      key: "quality",
      title: "Error",
      help: "Leave-one-out error (SMAPE): every point predicted from the others",
      kind: "number wide",
      value: (k) => level.cvSmape[k],
      csv: () => [["leave-one-out error (%)", (k) => level.cvSmape[k]]],
      cell: (k) =>
        el(
          "span",
          { title: `error of the fit: ${level.smape[k].toFixed(1)} %` },
          `${level.cvSmape[k].toFixed(1)} %`,
        ),
    },
    {
      key: "flags",
      title: "Flags",
      kind: "number left",
      value: (k) => shares.flags[k].length,
      csv: () => [["flags", (k) => shares.flags[k].join(" ")]],
      cell: (k) =>
        flagNodes(
          shares.flags[k],
          level.warnings[k].filter((text) => !level.sharedWarnings.includes(text)),
        ),
    },
  ];
  const { further } = report.levels[state.levelName];
  const look = () => {
    shares = sharesAt(level, state.target, limits);
    const [from, to] = positions.around(state.target);
    const [here, next] = [from, to].map((scale) => level.values(positions.atScale(state.target, scale)));
    growing = elasticity(here, next, to / from);
  };
  look();
  const table = new DataTable(byId("kernel-table"), {
    caption: "Kernels with their shares, models and predictions",
    columns: [...columns, ...columnsOf(further, {}, "wide", (i) => level.further[i])],
    sort: "target",
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
  state.follow(byId("kernels"), () => {
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
  });
}
