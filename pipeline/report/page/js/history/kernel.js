// @ts-check
// The page of a kernel: one selected entry in all charts, and all entries in a table of pages.

import { floats, readData } from "../data/payload.js";
import { byId, el, svgEl } from "../draw/dom.js";
import { figure, NOTHING, percent, quantity } from "../text/numbers.js";
import { buildTheme } from "../views/navigation.js";

const ROWS = 25;
const DAY = 86400e3;
const [GROWTH, EFFICIENCY] = [2, 3]; // measures
const data = await readData();

/** @param {string} text */
function bytes(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** @type {Float32Array[]} */
const values = data.values.map(floats);
const count = values[0].length;
const days = integers(data.days);
const growth = integers(data.growth);
const verdict = integers(data.verdict);
const commits = unpackedTexts(data.commits);

/** @param {string} text one or two bytes per entry */
function integers(text) {
  const found = bytes(text);
  return found.length === count ? found : new Uint16Array(found.buffer);
}

/** @param {string[] | {bytes: number, packed: string}} texts */
function unpackedTexts(texts) {
  if (Array.isArray(texts)) return texts;
  const digits = [...bytes(texts.packed)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const found = [];
  for (let at = 0; at < digits.length; at += 2 * texts.bytes)
    found.push(digits.slice(at, at + 2 * texts.bytes));
  return found;
}

/** @param {number} entry */
function nameOf(entry) {
  return data.names ? data.names[entry] : commits[entry].slice(0, data.shown);
}

/** @param {number} entry */
function addressOf(entry) {
  const commit = commits[entry];
  return data.template && commit ? data.template.replaceAll("{commit}", encodeURIComponent(commit)) : "";
}

/** @param {number} entry */
function dateOf(entry) {
  return new Date((data.day + days[entry]) * DAY).toISOString().slice(0, 10);
}

/** @param {number} entry */
function commitLink(entry) {
  const href = addressOf(entry);
  return href
    ? el("a", { class: "commit", href }, nameOf(entry))
    : el("span", { class: "commit" }, nameOf(entry));
}

/**
 * @param {number} measure
 * @param {number} entry
 */
function measureText(measure, entry) {
  const value = values[measure][entry];
  if (!Number.isFinite(value)) return NOTHING;
  if (measure === GROWTH) return `× ${figure(value)}`;
  if (measure === EFFICIENCY) return percent(value);
  return quantity(value, data.units[measure]);
}

// One selection in all charts.

const figures = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("figure[data-measure]")]);
let selected = -1;

/**
 * Where a value is in a chart, in its own units.
 * @param {HTMLElement} host
 * @param {number} value
 */
function heightOf(host, value) {
  const { low, high, top, bottom, log } = host.dataset;
  const scale = (/** @type {number} */ v) => (log === "1" ? Math.log(v) : v);
  const share = (scale(value) - scale(Number(low))) / (scale(Number(high)) - scale(Number(low)));
  return Number(bottom) + Math.min(Math.max(share, 0), 1) * (Number(top) - Number(bottom));
}

/** @param {number} entry counted from the first of the history */
function placeOf(entry) {
  const [left, right] = data.plot;
  return data.count > 1 ? left + (entry * (right - left)) / (data.count - 1) : (left + right) / 2;
}

/** @param {number} entry counted from the first that the page has */
function select(entry) {
  selected = Math.min(Math.max(entry, 0), count - 1);
  const x = placeOf(selected + data.first);
  figures.forEach((host, n) => {
    const measure = data.charted[n];
    const value = values[measure][selected];
    const mark = [svgEl("line", { x1: x, x2: x, y1: host.dataset.top, y2: host.dataset.bottom })];
    const dot = Number.isFinite(value) ? [svgEl("circle", { cx: x, cy: heightOf(host, value), r: 4 })] : [];
    host.querySelector(".selected")?.replaceChildren(...mark, ...dot);
  });
  const readings = figures.map((host, n) =>
    el(
      "span",
      {},
      el("span", { class: "what" }, `${host.querySelector("h3")?.textContent}: `),
      measureText(data.charted[n], selected),
    ),
  );
  const head = el("span", {}, commitLink(selected), ` ${dateOf(selected)}`);
  byId("selection").replaceChildren(head, ...readings);
}

/**
 * @param {Element} chart
 * @param {PointerEvent} event
 */
function entryAt(chart, event) {
  const box = chart.getBoundingClientRect();
  const [left, right] = data.plot;
  const x =
    ((event.clientX - box.left) / box.width) * /** @type {SVGSVGElement} */ (chart).viewBox.baseVal.width;
  return Math.round(((x - left) / (right - left)) * (data.count - 1)) - data.first;
}

for (const host of figures) {
  const chart = /** @type {SVGSVGElement} */ (host.querySelector("svg"));
  host.tabIndex = 0;
  chart.addEventListener("pointermove", (event) => select(entryAt(chart, event)));
  chart.addEventListener("pointerdown", (event) => {
    select(entryAt(chart, event));
    showPage(Math.floor((count - 1 - selected) / ROWS));
  });
  host.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -ROWS, PageDown: ROWS }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    select((selected < 0 ? count - 1 : selected) + step);
  });
}
byId("hint").textContent =
  "Point at a chart, or press the arrow keys in it, to read an entry; click to find it below.";

// All entries, the newest first.

const body = /** @type {HTMLTableSectionElement} */ (byId("entry-table").querySelector("tbody"));
const pages = Math.ceil(count / ROWS);
const newer = el("button", { type: "button", "aria-label": "Newer entries" }, "‹");
const older = el("button", { type: "button", "aria-label": "Older entries" }, "›");
const status = el("span", { class: "count", role: "status" });
let page = 0;

/** @param {number} entry */
function entryRow(entry) {
  return el(
    "tr",
    { "aria-selected": entry === selected ? "true" : null },
    el("th", { scope: "row" }, commitLink(entry)),
    el("td", {}, dateOf(entry)),
    ...values.map((_, measure) => el("td", { class: "number" }, measureText(measure, entry))),
    el("td", {}, growth[entry] ? data.growths[growth[entry] - 1] : ""),
    el("td", {}, verdict[entry] ? data.verdicts[verdict[entry] - 1] : ""),
  );
}

/** @param {number} wanted */
function showPage(wanted) {
  page = Math.min(Math.max(wanted, 0), pages - 1);
  const newest = count - 1 - page * ROWS;
  const oldest = Math.max(newest - ROWS + 1, 0);
  const shown = [];
  for (let entry = newest; entry >= oldest; entry--) shown.push(entryRow(entry));
  body.replaceChildren(...shown);
  newer.disabled = page === 0;
  older.disabled = page === pages - 1;
  status.textContent = `${count - newest} to ${count - oldest} of ${count}, the newest first`;
}

newer.addEventListener("click", () => showPage(page - 1));
older.addEventListener("click", () => showPage(page + 1));
byId("pager").append(newer, older, status);
buildTheme();
showPage(0);
document.documentElement.dataset.ready = "true";
