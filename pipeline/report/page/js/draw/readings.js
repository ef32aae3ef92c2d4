// @ts-check
// A reading line that follows the pointer over a chart, and stays where it is pinned.

import { valueText } from "../text/numbers.js";
import { el, styled, svgEl } from "./dom.js";
import { pinOf } from "./zoom.js";

/** @import { Positions } from "../data/positions.js" */
/** @import { Chart } from "./chart.js" */
/** @typedef {[string, string, string]} Reading class of the colour, name, value */

/**
 * Readings at the scales at which predictions are known.
 * @param {HTMLElement} host what the chart was drawn into
 * @param {Chart} chart
 * @param {Positions} positions
 * @param {(scale: number) => Reading[]} readingsAt
 */
export function readings(host, chart, positions, readingsAt) {
  readingsOver(host, chart, {
    snap: (value) => positions.nearest(value),
    title: (scale) => `${positions.scaled} = ${valueText(scale)}`,
    rows: readingsAt,
  });
}

/**
 * @param {HTMLElement} host what the chart was drawn into
 * @param {Chart} chart
 * @param {{snap: (x: number) => number, title: (x: number) => string, rows: (x: number) => Reading[]}} spec
 *   snap: the nearest place that has readings
 */
export function readingsOver(host, chart, { snap, title, rows }) {
  const line = svgEl("line", { class: "reading", y1: chart.box.top, y2: chart.box.bottom });
  const box = el("div", { class: "readings", hidden: true, "aria-hidden": true });
  chart.over.append(line);
  host.append(box);
  /** @param {number} value */
  const show = (value) => {
    const place = snap(value);
    const px = chart.x(place);
    line.style.display = "";
    line.setAttribute("x1", String(px));
    line.setAttribute("x2", String(px));
    box.hidden = false;
    const nodes = rows(place).map(([cls, name, text]) =>
      el(
        "div",
        {},
        el("span", { class: `swatch ${cls}` }),
        el("span", { class: "what" }, name),
        el("span", {}, text),
      ),
    );
    box.replaceChildren(el("b", {}, title(place)), ...nodes);
    const left = px > chart.width / 2 ? px - box.offsetWidth - 14 : px + 14;
    styled(box, { left: `${Math.max(left, 0)}px`, top: `${chart.box.top + 4}px` });
  };
  const rest = () => {
    const pin = pinOf(host);
    if (pin !== undefined && chart.x(pin) >= chart.box.left && chart.x(pin) <= chart.box.right) {
      show(pin);
      return;
    }
    box.hidden = true;
    line.style.display = "none";
  };
  rest();
  chart.root.addEventListener("pointerleave", rest);
  chart.root.addEventListener("pointermove", (event) => {
    const px = event.clientX - chart.root.getBoundingClientRect().left;
    if (pinOf(host) !== undefined || px < chart.box.left || px > chart.box.right) rest();
    else show(chart.x.invert(px));
  });
}
