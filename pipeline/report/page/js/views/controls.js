// @ts-check
// The controls that stay in sight: the target with what it means, what is shown of which metric, and the search.

import { answersAt } from "../data/report.js";
import { byId, el, quietButton, selector, switcher } from "../draw/dom.js";
import { cutText } from "../text/names.js";
import { estimateText, pointChoices, pointText, valueText } from "../text/numbers.js";
import { searchBox } from "./navigation.js";

/** @import { Positions } from "../data/positions.js" */
/** @import { LevelName } from "../data/report.js" */
/** @import { State } from "../state.js" */

const DRAWN = 100; // milliseconds until a section that came into sight shows what was chosen

/** @param {State} state @returns a slider that stops at the positions, and a field for any value */
function scaleControl(state) {
  const { positions } = state.report;
  const { scaled, scales, column } = positions;
  const slider = el("input", {
    type: "range",
    min: 0,
    max: scales.length - 1,
    step: 1,
    id: "target",
    list: "marks",
  });
  const number = el("input", { type: "number", min: 0, step: "any", "aria-label": `Target ${scaled}` });
  const hint = el("p", { class: "nearest", role: "status", hidden: true });
  const show = () => {
    const scale = state.target[column];
    number.value = String(scale);
    slider.value = String(scales.indexOf(scale));
    slider.setAttribute("aria-valuetext", `${scaled} = ${valueText(scale)}`);
  };
  /** @param {number} scale one of the positions */
  const move = (scale) => state.setTarget(positions.atScale(state.target, scale));
  slider.addEventListener("input", () => {
    hint.hidden = true;
    state.setTarget(positions.atScale(state.target, scales[Number(slider.value)]), true);
    show();
  });
  number.addEventListener("change", () => {
    const value = Number(number.value);
    const usable = value > 0 && Number.isFinite(value);
    const scale = usable ? positions.nearest(value) : state.target[column];
    hint.hidden = !usable || scale === value;
    hint.textContent = hint.hidden ? "" : nearestText(state, value, scale);
    move(scale);
    show();
  });
  const measured = [...new Set(positions.points.map((point) => point[column]))];
  const marks = measured.map((scale) => el("option", { value: scales.indexOf(scale) }));
  show();
  const node = el(
    "div",
    { class: "scale" },
    el("label", { for: "target" }, "Target ", el("i", {}, scaled), " ="),
    number,
    slider,
    el("datalist", { id: "marks" }, ...marks),
  );
  return { node, hint, show };
}

/** @type {(state: State, wanted: number, scale: number) => string} what is shown instead, and the command for it */
function nearestText({ report: { positions }, target }, wanted, scale) {
  const at = positions.atScale(target, wanted).map((value, d) => `${positions.parameters[d]}=${value}`);
  const shown = `The nearest position, ${positions.scaled} = ${valueText(scale)}, is shown.`;
  return `${shown} For ${positions.scaled} = ${wanted}: pipeline predict OUT --at ${at.join(",")}`;
}

/** @type {(state: State, moved: () => void) => HTMLLabelElement} the target's line, by the other parameters */
function lineControl(state, moved) {
  const { positions } = state.report;
  const { parameters, column, lines } = positions;
  const others = (/** @type {unknown} */ _, /** @type {number} */ d) => d !== column;
  const choices = pointChoices({
    parameters: parameters.filter(others),
    points: lines.map((line) => line.filter(others)),
  });
  return selector("at", choices, positions.lineOf(state.target), (line) => {
    state.setTarget(positions.atScale(lines[line], state.target[column]));
    moved();
  });
}

/** @type {(positions: Positions, target: number[]) => string} how far beyond the measured range, or nothing */
export function outsideText(positions, target) {
  const factor = positions.extrapolation[positions.placeOf(target)];
  if (!(factor > 1 + 1e-9)) return "";
  const text = `${valueText(Number(factor.toPrecision(2)))} times beyond the measured range`;
  if (factor > positions.limits.veryFar) return `${text}: far too much to decide on`;
  return factor > positions.limits.far ? `${text}: far` : text;
}

/** @param {State} state @returns what the models say of the whole program at the target */
function answerTexts({ report, target, level, metric }) {
  const answers = report.program ? answersAt(report.program, report.positions, target) : [];
  const parts = answers.map(
    ({ label, unit, figure }) => `${label} ${estimateText(figure.value, figure, unit)}`,
  );
  if (metric.additive) {
    const text = estimateText(level.totalAt(target), level.intervalOfTotal(target), metric.unit);
    parts.push(`${metric.name} ${text}`);
  }
  return parts;
}

/**
 * What is said at the target, and how far that lies beyond what was measured.
 * @param {State} state
 * @param {() => string[]} said
 */
export function answerLine(state, said) {
  const { positions } = state.report;
  const line = el("p", { class: "at-target", role: "status" });
  state.follow(byId("controls"), () => {
    const outside = outsideText(positions, state.target);
    const texts = said().flatMap((text) => [el("span", {}, text), " "]);
    const at = el("b", {}, `${pointText(positions.parameters, state.target)}:`);
    line.replaceChildren(at, " ", ...texts, outside ? el("span", { class: "outside" }, outside) : "");
  });
  return line;
}

/** @param {State} state */
function searchControls(state) {
  const search = searchBox({
    label: "Search: Kernels in table, tree, icicle and charts",
    text: state.kept.get("find"),
    search: (text) => state.setSearch(text),
    found: () => (state.words.length ? state.matches() : null),
    at: (k) => state.selects(state.level, k),
    goTo: (k) => {
      if (!state.selects(state.level, k)) state.toggle(state.level, k);
      byId("kernels").scrollIntoView();
      setTimeout(() => {
        const row = document.querySelector("#kernel-table tr.selected");
        row?.scrollIntoView({ block: "center" });
        row?.querySelector("button")?.focus({ preventScroll: true });
      }, DRAWN);
    },
  });
  const clear = el("button", { type: "button", class: "chip", hidden: true, title: "Select nothing" });
  clear.addEventListener("click", () => state.select({ region: -1, node: -1 }));
  state.follow(byId("controls"), () => {
    search.update();
    const { region, node } = state.selection;
    clear.hidden = !state.selecting;
    if (!state.selecting) return;
    const { callpaths, regions } = state.report.levels;
    const name = node < 0 ? regions.shortName(region) : callpaths.pathNames(node).join(" › ");
    clear.textContent = `${cutText(name, 40)} ×`;
    clear.setAttribute("aria-label", `Selected: ${name}. Select nothing`);
  });
  return [...search.nodes, clear];
}

/** @param {State} state @returns what chooses the target, and a hint on it */
export function targetControls(state) {
  const { positions } = state.report;
  const scale = positions.scales.length > 1 ? scaleControl(state) : null;
  const line = positions.lines.length > 1 ? lineControl(state, () => scale?.show()) : null;
  const click = () => {
    state.setTarget(positions.opening);
    scale?.show();
    if (scale) scale.hint.hidden = true;
    const list = line?.querySelector("select");
    if (list) list.value = "0";
  };
  const reset = quietButton("Reset", click, { title: "Back to the target of the report" });
  return [scale?.node ?? "", line ?? "", reset, scale?.hint ?? ""];
}

/** @param {State} state */
export function buildControls(state) {
  const { report } = state;
  /** @type {[LevelName, string][]} */
  const names = [
    ["regions", "Regions"],
    ["callpaths", "Call paths"],
  ];
  const level = switcher("Show", "level", names, state.levelName, (name) => state.setLevel(name));
  const metric = selector(
    "Metric",
    report.metrics.map(({ label }, i) => [i, label]),
    report.metrics.indexOf(state.metric),
    (number) => state.setMetric(number),
  );
  const choices = report.metrics.length > 1 ? [level, metric] : [level];
  const [scale, line, reset, hint] = targetControls(state);
  byId("controls").replaceChildren(
    ...[scale, line, reset, ...choices, ...searchControls(state), hint],
    answerLine(state, () => answerTexts(state)),
  );
}

/** @param {State} state */
export function buildVerdict(state) {
  const { report } = state;
  const said = report.program?.said;
  if (!said) return;
  const { positions } = report;
  const opening = positions.placeOf(positions.opening);
  /** @type {NodeListOf<HTMLElement>} */
  const rows = document.querySelectorAll("[data-says]");
  state.follow(byId("controls"), () => {
    const here = positions.placeOf(state.target);
    const place = said.verdict[here] ? here : opening;
    const text = (/** @type {string} */ name) => said[name]?.[place];
    if (!said.verdict[place]) return;
    byId("verdict").textContent = text("verdict") ?? "";
    const trust = byId("trust");
    trust.className = `trust ${text("trust")}`;
    trust.textContent = `trust: ${text("trust")}`;
    trust.title = text("doubt") ?? "";
    for (const row of rows) {
      const says = text(row.dataset.says ?? "");
      if (row.parentElement) row.parentElement.style.visibility = says === null ? "hidden" : "";
      row.textContent = says ?? row.textContent;
    }
  });
}
