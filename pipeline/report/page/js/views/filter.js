// @ts-check
// What the instrumentation filter keeps and drops.

import { sum } from "../data/shares.js";
import { byId, el } from "../draw/dom.js";
import { barNode, cutNode } from "../draw/nodes.js";
import { columnsOf, namesTable } from "../draw/table.js";

/** @import { State } from "../state.js" */

/** @param {State} state */
export function buildFilter({ report: { filter } }) {
  if (!filter) return;
  const { names, columns } = filter;
  const [, decision] = columns;
  /** @param {string} key */
  const bars = (key) => {
    const values = (columns.find((column) => column.key === key)?.values ?? []).map(Number);
    const total = sum(values) || 1;
    return (/** @type {number} */ row, /** @type {string} */ text) =>
      barNode(values[row] / total, text, decision.texts[row] === "kept" ? "" : "muted");
  };
  const shown = columnsOf(columns, {
    region: (row, text) => cutNode(text, names[row]),
    decision: (_, text) => el("span", { class: `flag ${text}` }, text),
    visits: bars("visits"),
    time: bars("time"),
  });
  namesTable(byId("filter-table"), "Regions kept and dropped by the filter", "time", names, shown);
}
