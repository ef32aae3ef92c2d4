// @ts-check
// The page of a history: the whole program over the entries, and a table of kernels, each of which opens to its chart.

import { floats, readData } from "./data/payload.js";
import { linearScale, logScale } from "./draw/axes.js";
import { drawDots, drawLine, frame } from "./draw/chart.js";
import { byId, el, svgEl, switcher } from "./draw/dom.js";
import { chartTools } from "./draw/files.js";
import { addReadings } from "./draw/pointing.js";
import { columnsOf, DataTable } from "./draw/table.js";
import { Address } from "./state.js";
import { hasWords } from "./text/names.js";
import { figure, percent, quantity, tickLabel } from "./text/numbers.js";
import { drawn, followAddress, searchBox } from "./views/navigation.js";

/** @import { ChangeTexts, HistoryPayload } from "./data/records.js" */
/** @import { Range } from "./draw/axes.js" */
/** @import { Plane } from "./draw/chart.js" */

/** @typedef {"measured" | "target" | "growth" | "efficiency"} Kind */

const [WIDTH, HEIGHT, EDGE] = [132, 30, 3]; // pixels of a line in the table
const DATE = 20; // pixels of half a date beyond the axis
const DATE_ROOM = 90; // pixels that a date takes with the gap beside it
const MOST_DOTS = 100; // entries up to which each is a dot
const LEAST_RANGE = 1.2; // factor between the ends of an axis: noise of a few per cent should look like noise
const LOGARITHMIC = 8; // factor from which an axis is logarithmic
const PAD = 0.06; // of the range, on either side

/** @type {HistoryPayload} */
const { names, dates, ticks, opening, columns, levels, places, changes, measures } = await readData();
const entries = names.map((_, entry) => entry);
/** @type {Range} */
const across = [-0.5, names.length - 0.5];
const known = measures.map((measure) => ({ ...measure, values: floats(measure.values) }));
const address = new Address(location.hash.slice(1));
const choices = known
  .filter(({ values }) => values.some(Number.isFinite))
  .map(({ kind, title }) => /** @type {[Kind, string]} */ ([kind, title]));
let chosen = choices.find(([kind]) => kind === (address.kept.get("measure") ?? opening))?.[0] ?? opening;

function measure() {
  return known[measures.findIndex(({ kind }) => kind === chosen)];
}

/** @param {number} value */
function measureText(value) {
  if (!Number.isFinite(value)) return "–";
  if (chosen === "growth") return `× ${figure(value)}`;
  return chosen === "efficiency" ? percent(value) : quantity(value, measure().unit);
}

/** @param {number} value */
function tickText(value) {
  if (chosen === "growth") return `×${tickLabel(value)}`;
  return chosen === "efficiency" ? `${tickLabel(100 * value)} %` : tickLabel(value);
}

/** @param {number} k @returns its series, with an axis for all but the farthest values; null if nothing is known */
function trendOf(k) {
  const { values, title, ...all } = measure();
  const ys = Array.from(values.subarray(k * names.length, (k + 1) * names.length));
  const sorted = ys.filter(Number.isFinite).sort((a, b) => a - b);
  if (!sorted.length) return null;
  const [stretches, points] = [all.levels[k], all.changes[k]];
  const medians = stretches.map(([, , level]) => level);
  const [least, most] = [0.02, 0.98].map((share) => sorted[Math.round(share * (sorted.length - 1))]);
  const [low, high] = [Math.min(least, ...medians), Math.max(most, ...medians)];
  const wider = Math.max((LEAST_RANGE * low) / high, 1) ** 0.5 * Math.max(high / low, LEAST_RANGE) ** PAD;
  /** @type {Range} */
  const domain = [low / wider, high * wider];
  const ends = [...new Set([medians[0], medians[medians.length - 1]])].map(measureText).join(" to ");
  const count = `${points.length || "no"} change point${points.length === 1 ? "" : "s"}`;
  const inside = ys.map((y) => Math.min(Math.max(y, domain[0]), domain[1]));
  const log = most > LOGARITHMIC * least;
  return { ys, inside, stretches, points, domain, log, label: `${title}: ${ends}, ${count}` };
}

/**
 * A line, and marks at its changes on the level after them.
 * @type {(plane: Plane, trend: NonNullable<ReturnType<typeof trendOf>>, radius: number) => void}
 */
function drawTrend(plane, { inside, stretches, points }, radius) {
  drawLine(plane, entries, inside, "c0", "entries");
  for (const [at, , , direction] of points) {
    const level = stretches.find(([start]) => start === at)?.[2] ?? inside[at];
    plane.plot.append(svgEl("circle", { class: direction, cx: plane.x(at), cy: plane.y(level), r: radius }));
  }
}

/** @param {number} k */
function sparkline(k) {
  const trend = trendOf(k);
  if (!trend) return "";
  const plot = svgEl("g");
  const box = { left: EDGE, right: WIDTH - EDGE, top: EDGE, bottom: HEIGHT - EDGE };
  const x = linearScale(across, [box.left, box.right]);
  const y = (trend.log ? logScale : linearScale)(trend.domain, [box.bottom, box.top]);
  drawTrend({ plot, x, y, box, series: [], curved: false }, trend, 2.8);
  const size = { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}` };
  return svgEl("svg", { class: "spark", role: "img", "aria-label": trend.label, ...size }, plot);
}

/** @type {(host: HTMLElement, k: number) => void} */
function drawChart(host, k) {
  const trend = trendOf(k);
  if (!trend) {
    host.replaceChildren(el("p", { class: "quiet" }, `${measure().title}: not available`));
    return;
  }
  const step = host.clientWidth < DATE_ROOM * ticks.length ? 2 : 1;
  const texts = new Map(ticks.filter((_, i) => (ticks.length - 1 - i) % step === 0)); // the newest stays
  const chart = frame(host, {
    height: 250,
    right: DATE,
    label: trend.label,
    x: {
      domain: across,
      log: false,
      label: "",
      ticks: [...texts.keys()],
      format: (at) => texts.get(at) ?? "",
    },
    y: { domain: trend.domain, log: trend.log, label: measure().unit, format: tickText },
  });
  const { top, bottom } = chart.box;
  for (const [, first, last] of trend.points) {
    const [left, right] = [chart.x(first - 0.5), chart.x(last + 0.5)];
    const place = { x: left, y: top, width: right - left, height: bottom - top };
    chart.plot.append(svgEl("rect", { class: "place", ...place }));
  }
  drawTrend(chart, trend, 5);
  const dots = entries.map((x) => ({ x, y: trend.inside[x] }));
  if (names.length <= MOST_DOTS) drawDots(chart, dots, "c0 entry", { radius: 2.5, name: "entries" });
  for (const [start, end, level] of trend.points.length ? trend.stretches : [])
    drawLine(chart, [start, end - 1], [level, level], "level", "median between change points");
  addReadings(host, chart, {
    snap: (at) => Math.min(Math.max(Math.round(at), 0), names.length - 1),
    title: (entry) => `${names[entry]} ${dates[entry]}`,
    rows: (entry) => [["c0", measure().title, measureText(trend.ys[entry])]],
  });
}

/** @param {number} k @returns a chart of a kernel with its tools, and how to draw it again */
function chartOf(k) {
  const host = el("div", { class: "plot" });
  const update = () => drawChart(host, k);
  const tools = chartTools(host, `${columns[0].texts[k]} over entries`, update);
  return { node: el("figure", {}, el("div", { class: "options" }, tools), host), update };
}

/** @param {ChangeTexts} change */
function changeNode({ name, address, date, direction, factor }) {
  const commit = address
    ? el("a", { class: "commit", href: address }, name)
    : el("span", { class: "commit" }, name);
  const parts = [el("span", { class: direction }, factor), " ", commit];
  return el("span", {}, ...parts, el("span", { class: "callers" }, date));
}

/** @param {number} k */
function detail(k) {
  const { node, update } = chartOf(k);
  const rows = changes[k].map((change) => {
    const { what, interval, before, after, between } = change;
    const text = `${what}: ${before} → ${after}, 90 % interval of the factor ${interval}`;
    return el("li", {}, changeNode(change), ` ${text}${between && `; may be ${between}`}`);
  });
  return { node: el("div", {}, node, el("ul", { class: "plain" }, ...rows)), update };
}

/** @param {number} k */
function isShown(k) {
  const found = hasWords(`${columns[0].texts[k]} ${places[k]}`.toLowerCase(), address.words);
  return found && (shown === "" || levels[k] === shown || levels[k] === "total");
}

/** @type {[string, string][]} */
const LEVELS = [
  ["", "All"],
  ["region", "Regions"],
  ["callpath", "Call paths"],
];
let shown = address.choice("level", LEVELS);
const [kernel, share, ...others] = columnsOf(columns, {
  kernel: (k, name) =>
    el(
      "span",
      { class: "kernel" },
      el("span", { class: "name" }, name),
      el("span", { class: "callers" }, places[k]),
    ),
  change: (k) => (changes[k].length ? changeNode(changes[k][0]) : ""),
});
const table = new DataTable(byId("matrix"), {
  caption: "Kernels",
  columns: [
    kernel,
    share,
    {
      key: "trend",
      title: "Trend",
      value: (k) => changes[k].length,
      cell: sparkline,
      csv: () => [["change points", (k) => changes[k].length]],
    },
    ...others,
  ],
  sort: "share",
  rows: () => levels.map((_, k) => k).filter(isShown),
  detail,
  kept: address.table("order", levels.length),
});

let found = -1;
const search = searchBox({
  label: "Search: Kernels",
  text: address.kept.get("find"),
  search: (text) => {
    address.find(text);
    table.refresh();
  },
  found: () => (address.words.length ? table.found() : null),
  at: (k) => k === found,
  goTo: (k) => {
    found = k;
    table.showRow((one) => one === k);
    const opener = document.querySelector(`#matrix [data-focus="open-${k}"][aria-expanded="false"]`);
    if (opener instanceof HTMLElement) opener.click();
  },
});
const total = chartOf(0);
const choose = switcher("Chart", "measure", choices, chosen, (kind) => {
  chosen = kind;
  address.keep("measure", kind, opening);
  total.update();
  table.refresh();
});
byId("controls").replaceChildren(choose, ...search.nodes);
if (levels.includes("region") && levels.includes("callpath")) {
  const pick = (/** @type {string} */ level) => {
    shown = level;
    address.keep("level", level, "");
    table.refresh();
    search.update();
  };
  byId("controls").append(switcher("Show", "level", LEVELS, shown, pick));
}
byId("total").replaceChildren(total.node);
total.update();
followAddress(address);
drawn();
