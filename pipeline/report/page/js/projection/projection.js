// @ts-check
// The page of a projection: the total and its parts over what is swept, and the breakdown at one value.

import { readData } from "../data/payload.js";
import { linearDomain, logDomain } from "../draw/axes.js";
import { drawBand, drawDots, drawLine, drawTarget, frame } from "../draw/chart.js";
import { byId, el, onResize, selector } from "../draw/dom.js";
import { chartTools } from "../draw/files.js";
import { columnsOf } from "../draw/table.js";
import { Address } from "../state.js";
import { buildTheme, followAddress } from "../views/navigation.js";
import { searchedTable } from "../views/search.js";

/** @import { ColumnPayload } from "../draw/table.js" */

/** @typedef {{value: number | null, text: string, said: string, columns: ColumnPayload[]}} ProjectedPoint */
/**
 * @typedef {object} Payload
 * @property {string} swept empty if nothing is
 * @property {string} unit of the total
 * @property {string} level of intervals
 * @property {[number[], number[], number[]]} total values, lower and upper ends
 * @property {{name: string, values: (number | null)[]}[]} parts the outermost ones
 * @property {ProjectedPoint[]} points
 */

const HEIGHT = 360;
const COLOURS = 7;
const RATIO = 8; // of the largest to the smallest value, from which axes are logarithmic

/** @type {Payload} */
const data = await readData();
const { swept, unit, points, parts } = data;
const address = new Address(location.hash.slice(1));
let chosen = points.findIndex(({ text }) => text === address.kept.get("at"));
if (chosen < 0) chosen = points.length - 1;

/** @param {number[]} values */
function isWide(values) {
  const positive = values.filter((value) => value > 0);
  return positive.length === values.length && Math.max(...positive) > RATIO * Math.min(...positive);
}

/** @param {HTMLElement} host */
function draw(host) {
  const xs = points.map(({ value }) => value ?? 0);
  const [values, lower, upper] = data.total;
  const lines = parts.map(({ name, values: of }) => ({ name, ys: of.map((value) => value ?? NaN) }));
  const all = [...upper, ...lower, ...lines.flatMap(({ ys }) => ys)].filter((value) => value > 0);
  const [logX, logY] = [isWide(xs), isWide(all)];
  const chart = frame(host, {
    height: HEIGHT,
    label: `Total and parts over ${swept}: ${points.map(({ said }) => said).join("; ")}.`,
    x: { domain: [Math.min(...xs), Math.max(...xs)], log: logX, label: swept },
    y: {
      domain: logY ? logDomain(all) : linearDomain(all),
      log: logY,
      label: unit ? `total (${unit})` : "total",
    },
  });
  drawTarget(chart, xs[chosen]);
  drawBand(chart, xs, lower, upper, "total", `${data.level} interval`);
  for (const [i, { name, ys }] of lines.entries()) drawLine(chart, xs, ys, `c${i % COLOURS}`, name);
  drawLine(chart, xs, values, "total", "total");
  drawDots(
    chart,
    xs.map((x, i) => ({ x, y: values[i], title: points[i].said })),
    "total",
    { name: "total, projected" },
  );
}

let columns = points[chosen].columns;
const nameOf = (/** @type {number} */ row) => columns[0].texts[row];
const { table, search } = searchedTable(byId("parts-table"), "parts", address, nameOf, {
  caption: "Parts of the total",
  columns: columnsOf(columns, {}, "", (i) => columns[i]),
  sort: "value",
  rows: () => columns[0].texts.map((_, row) => row).filter((row) => address.hasWords(nameOf(row))),
});
const host = document.getElementById("sweep-plot");
const again = () => host && draw(host);

/** @param {number} place */
function choose(place) {
  chosen = place;
  columns = points[place].columns;
  address.keep("at", place === points.length - 1 ? null : points[place].text);
  byId("verdict").textContent = points[place].said;
  table.refresh();
  search.update();
  again();
}

if (host) {
  /** @type {[string, string][]} */
  const choices = points.map(({ text }, i) => [String(i), `${swept} = ${text}`]);
  byId("controls").append(selector("Target", choices, chosen, (value) => choose(Number(value))));
  byId("sweep-tools").append(chartTools(host, `projection over ${swept}`, () => draw(host)));
  const keys = [
    ["total", `total with ${data.level} interval`],
    ...parts.map(({ name }, i) => [`c${i % COLOURS}`, name]),
  ];
  byId("sweep-key").append(
    ...keys.map(([cls, text]) => el("span", {}, el("span", { class: `swatch ${cls}` }), text)),
  );
  onResize(host, again);
}
byId("controls").append(...search.nodes);
byId("verdict").textContent = points[chosen].said;
again();
buildTheme();
followAddress(address);
document.documentElement.dataset.ready = "true";
