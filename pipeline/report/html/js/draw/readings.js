// @ts-check
// A reading line that follows the pointer over a chart.

import { scaleText } from "../text/numbers.js";
import { el, styled, svgEl } from "./dom.js";

/** @import { Space } from "../data/space.js" */
/** @import { Chart } from "./chart.js" */
/** @typedef {[string, string, string]} Reading class of the colour, name, value */

/**
 * @param {HTMLElement} host what the chart was drawn into
 * @param {Chart} chart
 * @param {Space} space
 * @param {(scale: number) => Reading[]} readingsAt
 */
export function readings(host, chart, space, readingsAt) {
  const line = svgEl("line", { class: "reading", y1: chart.box.top, y2: chart.box.bottom });
  const box = el("div", { class: "readings", hidden: true, "aria-hidden": true });
  chart.over.append(line);
  host.append(box);
  const hide = () => {
    box.hidden = true;
    line.style.display = "none";
  };
  hide();
  chart.root.addEventListener("pointerleave", hide);
  chart.root.addEventListener("pointermove", (event) => {
    const px = event.clientX - chart.root.getBoundingClientRect().left;
    if (px < chart.box.left || px > chart.box.right) {
      hide();
      return;
    }
    const scale = space.snapped(space.column, chart.x.invert(px));
    line.style.display = "";
    line.setAttribute("x1", String(chart.x(scale)));
    line.setAttribute("x2", String(chart.x(scale)));
    box.hidden = false;
    const rows = readingsAt(scale).map(([cls, name, value]) =>
      el(
        "div",
        {},
        el("span", { class: `swatch ${cls}` }),
        el("span", { class: "what" }, name),
        el("span", {}, value),
      ),
    );
    box.replaceChildren(el("b", {}, `${space.scaled} = ${scaleText(scale)}`), ...rows);
    const left = px > chart.width / 2 ? px - box.offsetWidth - 14 : px + 14;
    styled(box, { left: `${Math.max(left, 0)}px`, top: `${chart.box.top + 4}px` });
  });
}
