// @ts-check
// The controls that stay in sight: the target with what it means, what is shown of which metric, and the search.

import { sum } from "../data/outlook.js";
import { byId, el, selector, switcher } from "../draw/dom.js";
import { cutText, pathNames } from "../text/names.js";
import { estimateText, pointText, quantityText, scaleText } from "../text/numbers.js";

/** @import { LevelName, Report } from "../data/report.js" */
/** @import { Space } from "../data/space.js" */
/** @import { State } from "../state.js" */

const STEPS = 1000; // of a slider
const FAR = 4; // times beyond the measured range, as in questions/runtime/trust.py
const VERY_FAR = 16;
const WITHOUT = "values of the formulas alone; pipeline predict has predictions and intervals here";

/**
 * @param {State} state
 * @param {number} d
 */
function scaleControl(state, d) {
  const { space } = state.report;
  const [first, last] = [space.first[d], space.reach[d]];
  const name = space.parameters[d];
  /** @param {number} value */
  const stepOf = (value) => {
    const share = Math.log(value / first) / Math.log(last / first);
    return String(Math.round(STEPS * Math.min(Math.max(share, 0), 1)));
  };
  const slider = el("input", {
    type: "range",
    min: 0,
    max: STEPS,
    step: 1,
    id: `target-${d}`,
    list: `marks-${d}`,
  });
  const number = el("input", {
    type: "number",
    min: 0,
    step: "any",
    "aria-label": `Target ${name}`,
  });
  const show = () => {
    number.value = String(Number(state.target[d].toPrecision(12)));
    slider.setAttribute("aria-valuetext", `${name} = ${scaleText(state.target[d])}`);
  };
  /** @param {number} value */
  const move = (value) => {
    state.setTarget(d, value);
    slider.value = stepOf(value);
    show();
  };
  slider.addEventListener("input", () => {
    state.setTarget(d, space.snapped(d, first * (last / first) ** (Number(slider.value) / STEPS)));
    show();
  });
  number.addEventListener("change", () => {
    const value = Number(number.value);
    move(value > 0 && Number.isFinite(value) ? value : state.target[d]);
  });
  slider.value = stepOf(state.target[d]);
  show();
  const marks = [...new Set(space.points.map((point) => point[d]))].map((value) =>
    el("option", { value: stepOf(value) }),
  );
  const label = d === space.column ? "Target " : "at ";
  const node = el(
    "div",
    { class: "scale" },
    el("label", { for: `target-${d}` }, label, el("i", {}, name), " ="),
    number,
    slider,
    el("datalist", { id: `marks-${d}` }, ...marks),
  );
  return { d, node, move };
}

/**
 * How far a target lies outside of what was measured, in words; empty inside.
 * @param {Space} space
 * @param {number[]} target
 */
export function outsideText(space, target) {
  const factor = space.extrapolation(target);
  if (!(factor > 1 + 1e-9)) return "";
  const text = `${scaleText(Number(factor.toPrecision(2)))} times outside the measured range`;
  if (factor > VERY_FAR) return `${text}: far too much to decide on`;
  return factor > FAR ? `${text}: far` : text;
}

/**
 * What the models say of the whole program at the target.
 * @param {Report} report
 * @param {State} state
 * @returns {string[]}
 */
export function answerTexts(report, state) {
  const { target, level, metric } = state;
  const answers = report.program?.answersAt(target) ?? [];
  const parts = answers.map(({ label, unit, figure }) => `${label} ${estimateText(figure, unit)}`);
  if (metric.additive) {
    const total = sum(level.values(target));
    const text = quantityText(total, metric.unit, level.intervalOfTotal(target, total));
    parts.push(`${metric.name} ${text.replace(/, 90 % interval (.*)/, " ($1)")}`);
  }
  if (!level.knows(target)) parts.push(WITHOUT);
  return parts;
}

/**
 * @param {Report} report
 * @param {State} state
 */
function answerLine(report, state) {
  const line = el("p", { class: "at-target", role: "status" });
  state.follow(byId("controls"), () => {
    const outside = outsideText(report.space, state.target);
    const texts = answerTexts(report, state).flatMap((text) => [el("span", {}, text), " "]);
    const at = el("b", {}, `${pointText(report.space.parameters, state.target)}:`);
    line.replaceChildren(at, " ", ...texts, outside ? el("span", { class: "outside" }, outside) : "");
  });
  return line;
}

/**
 * @param {Report} report
 * @param {State} state
 */
function searchBox(report, state) {
  const search = el("input", {
    type: "search",
    placeholder: "Search kernels",
    value: state.kept.get("find"),
    "aria-label": "Search: Kernels in table, tree, icicle and charts",
  });
  search.addEventListener("input", () => state.setSearch(search.value));
  const clear = el("button", { type: "button", class: "chip", hidden: true, title: "Select nothing" });
  clear.addEventListener("click", () => state.select({ region: -1, node: -1 }));
  state.follow(byId("controls"), () => {
    const { region, node } = state.selection;
    clear.hidden = !state.selecting;
    if (!state.selecting) return;
    const { callpaths, regions } = report.levels;
    const name = node < 0 ? regions.shortName(region) : pathNames(callpaths, node).join(" › ");
    clear.textContent = `${cutText(name, 40)} ×`;
    clear.setAttribute("aria-label", `Selected: ${name}. Select nothing`);
  });
  return [search, clear];
}

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildControls(report, state) {
  const { space } = report;
  const movable = space.parameters.map((_, d) => d).filter((d) => space.reach[d] > space.first[d]);
  movable.sort((a, b) => Number(b === space.column) - Number(a === space.column));
  const controls = movable.map((d) => scaleControl(state, d));
  const reset = el(
    "button",
    {
      type: "button",
      class: "quiet",
      title: "Back to the target of the report",
      click: () => {
        for (const { d, move } of controls) move(space.opening[d]);
      },
    },
    "Reset",
  );
  /** @type {[LevelName, string][]} */
  const names = [
    ["regions", "Regions"],
    ["callpaths", "Call paths"],
  ];
  const level = switcher("Show", "level", names, state.levelName, (name) => state.setLevel(name));
  const metrics = report.metrics.map(({ label }, i) => /** @type {[string, string]} */ ([String(i), label]));
  const metric = selector("Metric", metrics, report.metrics.indexOf(state.metric), (value) =>
    state.setMetric(Number(value)),
  );
  const choices = metrics.length > 1 ? [level, metric] : [level];
  byId("controls").replaceChildren(
    ...controls.map(({ node }) => node),
    reset,
    ...choices,
    ...searchBox(report, state),
    answerLine(report, state),
  );
}
