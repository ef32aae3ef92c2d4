// @ts-check
// The page of a campaign: how its answer narrowed with what was spent, its rounds, scales and runs.

import { readData } from "../data/payload.js";
import { linearDomain } from "../draw/axes.js";
import { drawDots, drawIntervals, frame } from "../draw/chart.js";
import { byId, onResize } from "../draw/dom.js";
import { chartTools } from "../draw/files.js";
import { columnsOf, DataTable } from "../draw/table.js";
import { Address } from "../state.js";
import { buildTheme, followAddress } from "../views/navigation.js";
import { searchedTable } from "../views/search.js";

/** @import { ColumnPayload } from "../draw/table.js" */

/** @typedef {{spent: number, value: number, lower: number, upper: number, said: string}} Answer */
/**
 * @typedef {object} Payload
 * @property {string} asked with its unit; empty without a question
 * @property {Answer[]} answers after each round that has one, with the core-seconds spent by then
 * @property {ColumnPayload[]} rounds
 * @property {ColumnPayload[]} scales
 * @property {ColumnPayload[]} runs
 */

const HEIGHT = 320;
const ORDER = "order";

/** @type {Payload} */
const { asked, answers, rounds, scales, runs } = await readData();
const address = new Address(location.hash.slice(1));

/** @param {HTMLElement} host */
function draw(host) {
  const spent = answers.map((one) => one.spent);
  const chart = frame(host, {
    height: HEIGHT,
    label: `${asked} after each round: ${answers.map(({ said }) => said).join("; ")}.`,
    x: { domain: linearDomain([0, ...spent]), log: false, label: "spent (core-s)" },
    y: {
      domain: linearDomain(answers.flatMap(({ lower, upper }) => [lower, upper])),
      log: false,
      label: asked,
    },
  });
  const intervals = answers.map(({ spent: x, lower, upper }) => ({ x, lower, upper }));
  drawIntervals(chart, intervals, "total", "90 % interval");
  const dots = answers.map(({ spent: x, value: y, said }) => ({ x, y, title: said }));
  drawDots(chart, dots, "total", { name: asked });
}

/**
 * @param {string} place id of what holds it
 * @param {string} caption
 * @param {ColumnPayload[]} columns
 */
function plainTable(place, caption, columns) {
  const host = document.getElementById(place);
  if (!host) return;
  const all = columns[0].texts.map((_, row) => row);
  const kept = { order: columns[0].key, open: [], onOrder: () => {}, onOpen: () => {} };
  new DataTable(host, { caption, columns: columnsOf(columns), sort: columns[0].key, rows: () => all, kept });
}

const nameOf = (/** @type {number} */ row) => runs[0].texts[row];
const { search } = searchedTable(byId("runs-table"), "runs", address, nameOf, {
  caption: "Runs",
  columns: columnsOf(runs),
  sort: ORDER,
  rows: () => runs[0].texts.map((_, row) => row).filter((row) => address.hasWords(nameOf(row))),
  kept: {
    order: address.kept.get("order") ?? ORDER,
    open: [],
    onOrder: (order) => address.keep("order", order === ORDER ? null : (order ?? `-${ORDER}`)),
    onOpen: () => {},
  },
});
byId("controls").append(...search.nodes);
plainTable("rounds-table", "Rounds", rounds);
plainTable("scales-table", "Scales", scales);
const host = document.getElementById("answers-plot");
if (host) {
  byId("answers-tools").append(chartTools(host, asked, () => draw(host)));
  onResize(host, () => draw(host));
  draw(host);
}
buildTheme();
followAddress(address);
document.documentElement.dataset.ready = "true";
