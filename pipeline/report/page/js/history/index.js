// @ts-check
// The matrix of kernels: search, level, and sorting by any column.

import { readData } from "../data/payload.js";
import { byId, el, switcher } from "../draw/dom.js";
import { commitNode } from "../draw/nodes.js";
import { columnsOf, DataTable } from "../draw/table.js";
import { Address } from "../state.js";
import { buildTheme, followAddress } from "../views/navigation.js";
import { tableSearch } from "../views/search.js";
import { Trends } from "./trends.js";

/** @import { ColumnPayload } from "../draw/table.js" */
/** @import { TrendsPayload } from "./trends.js" */

/** @typedef {{name: string, address: string, date: string, direction: string, factor: string}} Change */

/**
 * @typedef {object} Payload one row per kernel
 * @property {ColumnPayload[]} columns
 * @property {string[]} levels
 * @property {string[]} places callers
 * @property {string[]} addresses of their pages
 * @property {(Change | null)[]} changes the newest
 * @property {Record<string, TrendsPayload>} trends by the column that they are drawn in
 * @property {Record<string, string[]>} spoken
 */

/** @type {Payload} */
const { columns, levels, places, addresses, changes, trends, spoken } = await readData();
const address = new Address(location.hash.slice(1));
/** @type {[string, string][]} */
const LEVELS = [
  ["", "All"],
  ["region", "Regions"],
  ["callpath", "Call paths"],
];
let shown = address.choice("level", LEVELS);

/**
 * @param {number} row
 * @param {string} name
 */
function kernelNode(row, name) {
  const link = el("a", { class: "name", href: addresses[row] }, name);
  return el("span", { class: "kernel" }, link, el("span", { class: "callers" }, places[row]));
}

/** @param {number} row */
function changeNode(row) {
  const change = changes[row];
  if (!change) return "";
  const { name, address, date, direction, factor } = change;
  const parts = [el("span", { class: direction }, factor), " ", commitNode(name, address)];
  return el("span", {}, ...parts, el("span", { class: "callers" }, date));
}

/**
 * Cells of a column with a line beside the newest value.
 * @param {string} key
 */
function trendCells(key) {
  const series = new Trends(trends[key]);
  /**
   * @param {number} row
   * @param {string} text
   */
  return (row, text) => {
    const figure = el("span", { class: "figure" }, text);
    return el("span", { class: "trend" }, figure, series.sparkline(row, spoken[key][row]));
  };
}

/** @param {number} row */
function isShown(row) {
  const found = address.hasWords(`${columns[0].texts[row]} ${places[row]}`);
  return found && (shown === "" || levels[row] === shown || levels[row] === "total");
}

const lines = Object.fromEntries(Object.keys(trends).map((key) => [key, trendCells(key)]));
const table = new DataTable(byId("matrix"), {
  caption: "Kernels",
  columns: columnsOf(columns, { kernel: kernelNode, change: changeNode, ...lines }),
  sort: "share",
  rows: () => levels.map((_, row) => row).filter(isShown),
  kept: {
    order: address.kept.get("order"),
    open: [],
    onOrder: (order) => address.keep("order", order),
    onOpen: () => {},
  },
});
/** @param {number} row */
function linkOf(row) {
  return document.querySelector(`#matrix a[href="${addresses[row]}"]`);
}

const search = tableSearch({
  noun: "kernels",
  address,
  table,
  at: (row) => linkOf(row) === document.activeElement,
  goTo: (row) => {
    const link = linkOf(row);
    if (link instanceof HTMLElement) link.focus();
  },
});
byId("controls").replaceChildren(...search.nodes);
if (levels.includes("region") && levels.includes("callpath")) {
  const choose = (/** @type {string} */ level) => {
    shown = level;
    address.keep("level", level || null);
    table.refresh();
    search.update();
  };
  byId("controls").append(switcher("Show", "level", LEVELS, shown, choose));
}
buildTheme();
followAddress(address);
document.documentElement.dataset.ready = "true";
