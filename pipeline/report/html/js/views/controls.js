// @ts-check
// The controls that stay in sight: sliders of the target, and the level of detail.

import { byId, el, selector, switcher } from "../draw/dom.js";
import { scaleText } from "../text/numbers.js";

/** @import { Report, LevelName } from "../data/report.js" */
/** @import { State } from "../state.js" */

const STEPS = 1000; // of a slider

/**
 * @param {State} state
 * @param {number} d
 */
function scaleControl(state, d) {
  const { space } = state.report;
  const [first, last] = [space.first[d], space.reach[d]];
  const name = space.parameters[d];
  /** @param {number} value */
  const stepOf = (value) => String(Math.round((STEPS * Math.log(value / first)) / Math.log(last / first)));
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
    min: first,
    max: last,
    step: "any",
    "aria-label": `Target ${name}`,
  });
  const show = () => {
    number.value = scaleText(state.target[d]);
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
    move(value > 0 ? Math.min(Math.max(value, first), last) : state.target[d]);
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
  const metric = selector("Metric", metrics, 0, (value) => state.setMetric(Number(value)));
  const choices = metrics.length > 1 ? [level, metric] : [level];
  byId("controls").replaceChildren(...controls.map(({ node }) => node), reset, ...choices);
}
