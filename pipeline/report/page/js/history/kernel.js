// @ts-check
// The page of a kernel: one selected entry in all charts, and all entries in a table.

import { floats, readData } from "../data/payload.js";
import { chartIn, frame } from "../draw/chart.js";
import { byId, el, onResize, svgEl } from "../draw/dom.js";
import { figureButtons } from "../draw/figures.js";
import { chartRows, csvButton } from "../draw/files.js";
import { commitNode } from "../draw/nodes.js";
import { DataTable } from "../draw/table.js";
import { Address } from "../state.js";
import { figure, percent, quantity, tickLabel } from "../text/numbers.js";
import { buildTheme, followAddress } from "../views/navigation.js";
import { tableSearch } from "../views/search.js";
import { Trends } from "./trends.js";

/** @import { Floats } from "../data/payload.js" */
/** @import { TrendsPayload } from "./trends.js" */

/** @typedef {"measured" | "target" | "growth" | "efficiency"} Kind */
/** @typedef {{kind: Kind, title: string, spoken: string, unit: string, values: Floats}} Measure */

/**
 * @typedef {object} Payload the newest N entries
 * @property {number} first of all entries, that the page has
 * @property {string[]} names none if they are the first digits of the commits
 * @property {number} digits of a commit that are its name
 * @property {string[]} commits empty without one
 * @property {string} template of their addresses
 * @property {number[]} days from one to the next when they were added, the first since 1970
 * @property {string[]} growths
 * @property {number[]} growth index into them, -1 for none
 * @property {string[]} verdicts
 * @property {number[]} verdict index into them, -1 for none
 * @property {Measure[]} measures
 * @property {TrendsPayload} trends of the measures, over all entries
 * @property {[number, string][]} ticks entries, and what is written below them
 */

const PAGE = 25; // entries that PageUp and PageDown step over
const DAY = 86400e3;
const HEIGHT = 250;
const DATE = 20; // pixels of half a date beyond the axis
const DATE_ROOM = 90; // pixels that a date takes with the gap beside it
const NOTHING = "–";
/** @type {Payload} */
const data = await readData();
const trends = new Trends(data.trends);
const count = data.commits.length;
/** @type {string[]} */
const dates = [];
data.days.reduce((before, days) => {
  dates.push(new Date((before + days) * DAY).toISOString().slice(0, 10));
  return before + days;
}, 0);
const measures = data.measures.map((measure) => ({ ...measure, values: floats(measure.values) }));
const address = new Address(location.hash.slice(1));
let selected = -1;

/** @param {number} entry */
function nameOf(entry) {
  return data.names[entry] ?? data.commits[entry].slice(0, data.digits);
}

/** @param {number} entry */
function commitOf(entry) {
  const commit = data.commits[entry];
  return commitNode(nameOf(entry), commit && data.template.replaceAll("{commit}", commit));
}

/**
 * @param {typeof measures[number]} measure
 * @param {number} value
 */
function valueText({ kind, unit }, value) {
  if (!Number.isFinite(value)) return NOTHING;
  if (kind === "growth") return `× ${figure(value)}`;
  return kind === "efficiency" ? percent(value) : quantity(value, unit);
}

/** @param {Kind} kind */
function tickFormat(kind) {
  /** @param {number} value */
  return (value) => {
    if (kind === "growth") return `×${tickLabel(value)}`;
    return kind === "efficiency" ? `${tickLabel(100 * value)} %` : tickLabel(value);
  };
}

// One selection in all charts.

const shown = measures.map((_, n) => n).filter((n) => data.trends.trends[n]);
const hosts = new Map(shown.map((n) => [n, el("div", { class: "plot" })]));

/** @param {number} n */
function draw(n) {
  const [host, trend] = [hosts.get(n), data.trends.trends[n]];
  if (!host || !trend) return;
  const { kind, unit, spoken } = measures[n];
  const step = host.clientWidth < DATE_ROOM * data.ticks.length ? 2 : 1;
  const texts = new Map(data.ticks.filter((_, i) => i % step === 0));
  const chart = frame(host, {
    height: HEIGHT,
    right: DATE,
    label: spoken,
    x: {
      domain: trends.across,
      log: false,
      label: "",
      ticks: [...texts.keys()],
      format: (at) => texts.get(at) ?? "",
    },
    y: { domain: trend.domain, log: trend.log, label: unit, format: tickFormat(kind) },
  });
  trends.draw(chart, n);
  trends.drawLevels(chart, n);
  chart.over.append(svgEl("g", { class: "chosen" }));
  mark(n);
}

/**
 * Marks the selected entry in a chart.
 * @param {number} n
 */
function mark(n) {
  const host = hosts.get(n);
  const chart = host && chartIn(host);
  if (!chart || selected < 0) return;
  const [low, high] = chart.yAxis.domain;
  const value = Math.min(Math.max(measures[n].values[selected], low), high);
  const x = chart.x(selected + data.first);
  const { top, bottom } = chart.box;
  const dot = Number.isFinite(value) ? [svgEl("circle", { cx: x, cy: chart.y(value), r: 4 })] : [];
  const line = svgEl("line", { x1: x, x2: x, y1: top, y2: bottom });
  chart.over.querySelector(".chosen")?.replaceChildren(line, ...dot);
}

/** @param {number} entry counted from the first that the page has */
function select(entry) {
  selected = Math.min(Math.max(entry, 0), count - 1);
  for (const n of shown) mark(n);
  const readings = shown.map((n) => {
    const what = el("span", { class: "what" }, `${measures[n].title}: `);
    return el("span", {}, what, valueText(measures[n], measures[n].values[selected]));
  });
  const head = el("span", {}, commitOf(selected), ` ${dates[selected]}`);
  byId("selection").replaceChildren(head, ...readings);
}

/**
 * @param {HTMLElement} host
 * @param {PointerEvent} event
 */
function selectAt(host, event) {
  const chart = chartIn(host);
  if (!chart) return;
  const place = chart.x.invert(event.clientX - chart.root.getBoundingClientRect().left);
  select(Math.round(place) - data.first);
}

for (const [n, host] of hosts) {
  const { title } = measures[n];
  const files = [
    ...figureButtons(() => host.querySelector("svg"), title),
    csvButton(title, () => chartRows(chartIn(host))),
  ];
  const head = el("div", { class: "options" }, el("h3", {}, title), el("span", { class: "tools" }, ...files));
  const part = el("figure", { tabindex: 0 }, head, host);
  host.addEventListener("pointermove", (event) => selectAt(host, event));
  host.addEventListener("pointerdown", (event) => {
    selectAt(host, event);
    table.showRow((entry) => entry === selected);
  });
  part.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -PAGE, PageDown: PAGE }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    select((selected < 0 ? count - 1 : selected) + step);
  });
  byId("charts").append(part);
  draw(n);
  onResize(host, () => draw(n));
}
byId("hint").textContent =
  "Point at a chart, or press the arrow keys in it, to read an entry; click to find it below.";

const table = new DataTable(byId("entry-table"), {
  caption: "Entries",
  sort: "entry",
  rows: () => data.commits.map((_, entry) => entry).filter(isFound),
  pick: { name: nameOf, is: (entry) => entry === selected, toggle: pick },
  columns: [
    {
      key: "entry",
      title: "Entry",
      kind: "number left",
      value: (entry) => entry,
      cell: commitOf,
      csv: () => [["entry", nameOf]],
    },
    { ...textColumn("added", "Added", (entry) => dates[entry]), kind: "date" },
    ...measures.map((measure) => ({
      key: measure.kind,
      title: measure.title,
      kind: "number",
      value: (/** @type {number} */ entry) => measure.values[entry],
      cell: (/** @type {number} */ entry) => valueText(measure, measure.values[entry]),
    })),
    textColumn("model", "Growth of the model", (entry) => data.growths[data.growth[entry]] ?? ""),
    textColumn("verdict", "Verdict", (entry) => data.verdicts[data.verdict[entry]] ?? ""),
  ],
});

/**
 * @param {string} key
 * @param {string} title
 * @param {(entry: number) => string} text
 */
function textColumn(key, title, text) {
  return { key, title, value: text, cell: text };
}

/** @param {number} entry */
function isFound(entry) {
  return address.hasWords(nameOf(entry));
}

/** @param {number} entry */
function pick(entry) {
  select(entry);
  address.keep("entry", nameOf(entry));
  table.refresh();
}

const search = tableSearch({
  noun: "entries",
  address,
  table,
  at: (entry) => entry === selected,
  goTo: pick,
});
byId("search").replaceChildren(...search.nodes);
const kept = data.commits.findIndex((_, entry) => nameOf(entry) === address.kept.get("entry"));
select(kept < 0 ? count - 1 : kept);

buildTheme();
followAddress(address);
document.documentElement.dataset.ready = "true";
