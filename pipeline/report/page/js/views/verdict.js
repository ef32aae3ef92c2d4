// @ts-check
// The verdict and the answers that differ from target to target; those of lines that have none stay at the opening target.

import { byId } from "../draw/dom.js";

/** @import { Report } from "../data/report.js" */
/** @import { State } from "../state.js" */

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildVerdict(report, state) {
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
    for (const row of rows) row.textContent = text(row.dataset.says ?? "") ?? row.textContent;
  });
}
