// @ts-check
// The kernel table: what each kernel takes now and at the target, how it grows and how far to believe it.

import { elasticity, NEXT, outlookOf } from "../data/outlook.js";
import { byId, el } from "../draw/dom.js";
import { barNode, formulaNode, growthNode, kernelNode } from "../draw/nodes.js";
import { DataTable } from "../draw/table.js";
import { formulaText } from "../text/formula.js";
import { searchTexts } from "../text/names.js";
import { figure, intervalText, percent, pointText } from "../text/numbers.js";
import { kernelDetail } from "./kernel_detail.js";

/** @import { Flag } from "../data/outlook.js" */
/** @import { Report } from "../data/report.js" */
/** @import { Column } from "../draw/table.js" */
/** @import { State } from "../state.js" */

/** @type {Record<Flag | "dominant", [string, string]>} */
const FLAG_TEXT = {
  growing: ["grows", "grows with scale with at least 90 % probability"],
  coming_bottleneck: ["coming", "grows, matters at the target and takes a larger share there than now"],
  dominant_measured: ["largest now", "the largest at the largest measured point"],
  dominant: ["largest", "the largest at the largest measured point and at the target"],
  dominant_at_target: ["largest then", "the largest at the target"],
};

/**
 * What is coming grows by definition, so only one of the two shows; of doubts only what is not true of all.
 * @param {Flag[]} flags
 * @param {string[]} notes
 */
function flagNodes(flags, notes) {
  const always = flags.includes("dominant_measured") && flags.includes("dominant_at_target");
  const coming = flags.includes("coming_bottleneck");
  const shown = flags.flatMap((flag) => {
    if ((flag === "growing" && coming) || (flag === "dominant_measured" && always)) return [];
    return flag === "dominant_at_target" && always ? /** @type {const} */ (["dominant"]) : [flag];
  });
  const chips = shown.map((flag) => {
    const [text, help] = FLAG_TEXT[flag];
    return el("span", { class: `flag ${flag}`, title: help }, text);
  });
  const doubt = notes.length ? el("span", { class: "flag doubt", title: notes.join("; ") }, "doubt") : null;
  return el("span", { class: "flags" }, ...chips, doubt);
}

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildKernels(report, state) {
  const { space, metric, effort, limits } = report;
  let level = state.level;
  let outlook = outlookOf(level, state.target, limits);
  let growing = new Float64Array();
  let searched = searchTexts(level);
  /** @param {number} k */
  const interval = (k) => level.interval(k, state.target, outlook.value[k]);
  /** @param {number} k */
  const width = (k) => {
    const ends = interval(k);
    return ends && outlook.value[k] > 0 ? (ends[1] - ends[0]) / outlook.value[k] : NaN;
  };
  /** @type {Column[]} */
  const columns = [
    { key: "name", title: "Kernel", value: (k) => level.name(k), cell: (k) => kernelNode(level, k) },
    {
      key: "now",
      title: "Share now",
      help: `Share of ${metric} at the largest measured point`,
      kind: "number",
      value: (k) => outlook.shareNow[k],
      cell: (k) => barNode(outlook.shareNow[k], percent(outlook.shareNow[k])),
    },
    {
      key: "then",
      title: "At target",
      help: "Share at the target",
      kind: "number",
      value: (k) => outlook.shareThen[k],
      cell: (k) => barNode(outlook.shareThen[k], percent(outlook.shareThen[k])),
    },
    {
      key: "value",
      title: "Predicted",
      help: `${effort} at the target`,
      kind: "number",
      value: (k) => outlook.value[k],
      cell: (k) => figure(outlook.value[k]),
    },
    {
      key: "interval",
      title: "90 % interval",
      help: "For the expected value at the target; sorts by its relative width",
      kind: "number wide",
      value: width,
      cell: (k) => intervalText(interval(k)),
    },
    {
      key: "growth",
      title: "Growth",
      help: "The term that leads in the end; sorts by the local growth at the target",
      kind: "number left",
      value: (k) => growing[k],
      cell: (k) => growthNode(level, k),
    },
    {
      key: "model",
      title: "Model",
      help: "Sorts by formula",
      kind: "wide model",
      value: (k) => formulaText(level, k),
      cell: (k) => formulaNode(level, k),
    },
    {
      key: "probability",
      title: "Grows",
      help: "Probability that it grows with scale",
      kind: "number",
      value: (k) => level.growing[k],
      cell: (k) => `${Math.round(100 * level.growing[k])} %`,
    },
    {
      key: "quality",
      title: "Error",
      help: "SMAPE of each point predicted from the others, and of the fit",
      kind: "number wide",
      value: (k) => level.cvSmape[k],
      cell: (k) =>
        el("span", { title: `fit ${level.smape[k].toFixed(1)} %` }, `${level.cvSmape[k].toFixed(1)} %`),
    },
    {
      key: "flags",
      title: "Flags",
      kind: "number left",
      value: (k) => outlook.flags[k].length,
      cell: (k) =>
        flagNodes(
          outlook.flags[k],
          level.notes[k].filter((note) => !level.sharedNotes.includes(note)),
        ),
    },
  ];
  const look = () => {
    outlook = outlookOf(level, state.target, limits);
    const next = space.atScale(state.target, NEXT * state.target[space.column]);
    growing = elasticity(outlook.value, level.values(next));
  };
  look();
  const table = new DataTable(byId("kernel-table"), {
    caption: "Kernels with their shares, models and predictions",
    columns,
    sort: "then",
    rows: () => level.region.map((_, k) => k),
    text: (k) => searched(k),
    detail: (k) => kernelDetail(report, state, level, k),
  });
  state.follow(byId("kernels"), () => {
    const other = level !== state.level;
    level = state.level;
    look();
    if (other) {
      searched = searchTexts(level);
      table.reset();
    } else table.refresh();
    byId("kernel-target").textContent = pointText(space.parameters, state.target);
  });
}
