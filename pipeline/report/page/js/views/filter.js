// @ts-check
// What the instrumentation filter keeps and drops.

import { sum } from "../data/shares.js";
import { byId, el } from "../draw/dom.js";
import { barNode, cutNode } from "../draw/nodes.js";
import { DataTable } from "../draw/table.js";
import { count } from "../text/numbers.js";

/** @import { Report } from "../data/report.js" */
/** @import { Column } from "../draw/table.js" */

/** @param {Report} report */
export function buildFilter({ filter }) {
  if (!filter) return;
  const regions = filter.rows.map(([name, short, kept, reason, visits, time]) => ({
    name,
    short,
    kept,
    reason: filter.reasons[reason],
    visits,
    time,
  }));
  /** @param {number} i */
  const decision = (i) => (regions[i].kept ? "kept" : "dropped");
  /**
   * @param {"visits" | "time"} key
   * @param {string} title
   * @param {string} help
   * @returns {Column}
   */
  const number = (key, title, help) => {
    const total = sum(regions.map((region) => region[key])) || 1;
    return {
      key,
      title,
      help,
      kind: "number",
      value: (i) => regions[i][key],
      cell: (i) => barNode(regions[i][key] / total, count(regions[i][key]), regions[i].kept ? "" : "muted"),
    };
  };
  new DataTable(byId("filter-table"), {
    caption: "Regions kept and dropped by the filter",
    sort: "time",
    rows: () => regions.map((_, i) => i),
    text: (i) => regions[i].name.toLowerCase(),
    columns: [
      {
        key: "name",
        title: "Region",
        value: (i) => regions[i].short,
        cell: (i) => cutNode(regions[i].short, regions[i].name),
      },
      {
        key: "kept",
        title: "Decision",
        value: decision,
        cell: (i) => el("span", { class: `flag ${decision(i)}` }, decision(i)),
      },
      number("visits", "Visits", "Number of visits at the largest scale"),
      number("time", "Time (core-s)", "Exclusive time, summed over locations, at the largest scale"),
      {
        key: "reason",
        title: "Reason",
        kind: "prose",
        value: (i) => regions[i].reason,
        cell: (i) => regions[i].reason,
      },
    ],
  });
}
