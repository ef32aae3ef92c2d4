// @ts-check
// A kernel on each location: how unevenly processes and threads share it, as a chart and by the system tree.

import { hasThreads, summaryOf, systemTree } from "../data/locations.js";
import { linearDomain } from "../draw/axes.js";
import { drawBars, drawLine, frame } from "../draw/chart.js";
import { el, keepingFocus, quietButton, scrolled, selector, svgEl, switcher } from "../draw/dom.js";
import { chartTools, csvButton } from "../draw/files.js";
import { opener, twist } from "../draw/nodes.js";
import { addReadings } from "../draw/pointing.js";
import { figure, pointChoices, pointText, quantity } from "../text/numbers.js";

/** @import { KernelSet } from "../data/kernel_set.js" */
/** @import { Group, KernelLocations, Place } from "../data/locations.js" */
/** @import { Reading } from "../draw/pointing.js" */
/** @import { Detail } from "../draw/table.js" */
/** @import { State } from "../state.js" */

const HEIGHT = 260;
const LISTED = 32; // parts of a group that show at first
const FOLLOW = "locations-follow"; // sent to all open panels when scale or order change
let panels = 0;

/**
 * @param {State} state
 * @param {KernelSet} level
 * @param {number} k
 * @returns {Detail | null} null if the study has no values per location of the metric
 */
export function locationsPanel(state, level, k) {
  const found = state.report.locations.find(({ metric }) => metric === state.metric.name);
  if (!found || found.points.length === 0) return null;
  const head = el("h3", {}, "Over locations");
  const row = found.rowOf(level, k, level === state.metric.levels.callpaths);
  if (row < 0) {
    const text = "This kernel is not among the largest, whose values per location are kept.";
    return {
      node: el("div", { class: "locations" }, head, el("p", { class: "quiet" }, text)),
      update: () => {},
    };
  }
  panels += 1;
  return new LocationsPanel(state, found, row, level.name(k), head, panels);
}

class LocationsPanel {
  /**
   * @param {State} state
   * @param {KernelLocations} found
   * @param {number} row
   * @param {string} name of the kernel
   * @param {HTMLElement} head
   * @param {number} number distinguishes it from others on the page
   */
  constructor(state, found, row, name, head, number) {
    this.report = state.report;
    this.state = state;
    this.found = found;
    this.row = row;
    this.name = name;
    this.number = number;
    this.plot = el("div", {});
    /** @type {Place[]} */
    this.places = []; // at the point
    this.sentence = el("p", { class: "longest", role: "status" });
    this.tree = scrolled(`System tree of ${name}`);
    this.choices = el("div", { class: "options" });
    /** @type {Set<string>} names of open groups */
    this.open = new Set();
    /** @type {Set<string>} names of groups all of whose parts show */
    this.whole = new Set();
    this.shown = "";
    this.node = el("div", { class: "locations" }, head, this.choices, this.plot, this.sentence, this.tree);
    this.node.addEventListener(FOLLOW, () => this.update());
  }

  /** The measured point that is shown: the one of the address, else the largest. */
  get point() {
    const { points } = this.found;
    const asked = Number(this.state.kept.get("scale") ?? Number.NaN);
    if (points.includes(asked)) return asked;
    const { largest } = this.report.positions;
    return points.includes(largest) ? largest : points[points.length - 1];
  }

  get byValue() {
    return this.state.kept.get("locations") === "value";
  }

  /** Draws again if anything has changed. */
  update() {
    const now = `${this.point} ${this.byValue}`;
    if (now === this.shown) return;
    this.shown = now;
    const places = this.found.at(this.row, this.point);
    this.places = places;
    const ordered = this.byValue ? [...places].sort((a, b) => b.high - a.high) : places;
    const host = el("div", { class: "plot" });
    const draw = () => this.draw(host, ordered);
    this.plot.replaceChildren(host);
    keepingFocus(this.node, () => {
      this.choices.replaceChildren(...this.options(), chartTools(host, `${this.name} over locations`, draw));
    });
    draw();
    this.sentence.textContent = this.longest();
    this.showTree();
  }

  /** @returns {HTMLElement[]} */
  options() {
    const points = pointChoices(this.report.positions, "", this.found.points);
    const scale = selector("Measured at", points, this.point, (point) =>
      this.keep("scale", point, this.report.positions.largest),
    );
    const list = scale.querySelector("select");
    list?.setAttribute("data-focus", `location-scale-${this.number}`);
    const chosen = this.byValue ? "value" : "rank";
    const order = switcher("order by", `location-order-${this.number}`, ["rank", "value"], chosen, (key) =>
      this.keep("locations", key, "rank"),
    );
    for (const input of order.querySelectorAll("input")) {
      input.setAttribute("data-focus", `location-order-${this.number}-${input.value}`);
    }
    return [scale, order];
  }

  /** @type {(name: string, value: string | number, opening: string | number) => void} */
  keep(name, value, opening) {
    this.state.keep(name, value, opening);
    for (const panel of document.querySelectorAll(".locations")) panel.dispatchEvent(new Event(FOLLOW));
  }

  labels() {
    const { places } = this;
    const { accelerators, metric, unit } = this.found;
    const { positions } = this.report;
    const plain =
      !hasThreads(places) &&
      !accelerators &&
      places.every(({ count }, i) => count === 1 && places[i].process === i);
    const widest = Math.max(1, ...places.map(({ count }) => count));
    const single = accelerators ? "accelerators" : plain ? "processes" : "locations";
    const kind = widest > 1 ? `ranges of up to ${widest} ${single}` : single;
    return {
      title: `${this.name} on ${this.countText()} at ${pointText(positions.parameters, positions.points[this.point])}`,
      x: this.byValue
        ? `${kind}, the largest first`
        : plain
          ? "process"
          : `${kind} by node, process and thread`,
      y: `${metric === "effort" ? "time" : metric}${unit ? ` (${unit})` : ""}`,
    };
  }

  longest() {
    const { places } = this;
    if (places.length === 0) return "At this scale it was not among the largest kernels.";
    const { unit } = this.found;
    const { positions } = this.report;
    const all = summaryOf(places);
    const longest = places.reduce((most, place) => (place.high > most.high ? place : most));
    const where = longest.node ? ` on node ${longest.node}` : "";
    const inside = longest.count > 1 ? "a location of " : "";
    return (
      `Longest at ${pointText(positions.parameters, positions.points[this.point])}: ${inside}${longest.name}${where}, ${quantity(all.high, unit)} (measured); mean of ` +
      `${this.countText()} ${quantity(all.mean, unit)}, max/mean ${figure(all.ratio)}.`
    );
  }

  showTree() {
    const groups = systemTree(this.places);
    if (groups.length === 1) this.open.add(groups[0].name);
    const { unit } = this.found;
    const inUnit = unit ? ` [${unit}]` : "";
    const heads = ["Locations", `Sum${inUnit}`, `Mean${inUnit}`, `Max${inUnit}`, "Max / mean"];
    const rows = this.rows(groups, 0, "");
    const table = el(
      "table",
      { class: "system" },
      el("caption", { class: "unseen" }, `${this.name} by node, process and thread`),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "System tree ", this.saver()),
          ...heads.map((head) => el("th", { scope: "col", class: "number" }, head)),
        ),
      ),
      el("tbody", {}, ...rows),
    );
    keepingFocus(this.tree, () => this.tree.replaceChildren(this.places.length ? table : ""));
  }

  saver() {
    const { unit } = this.found;
    return csvButton(`${this.name} by location`, () => [
      ["node", "location", "locations", "mean", "min", "max", "unit"],
      ...this.places.map(({ node, name, count, mean, low, high }) => [
        node,
        name,
        count,
        mean,
        low,
        high,
        unit,
      ]),
    ]);
  }

  /**
   * @param {Group[]} groups
   * @param {number} depth
   * @param {string} path names of the groups around
   * @returns {HTMLElement[]}
   */
  rows(groups, depth, path) {
    const ordered = this.byValue ? [...groups].sort((a, b) => most(b) - most(a)) : groups;
    const shown = this.whole.has(path) ? ordered : ordered.slice(0, LISTED);
    const rows = shown.flatMap((group) => {
      const here = path ? `${path} ${group.name}` : group.name;
      const inside = this.open.has(here) ? this.rows(group.parts, depth + 1, here) : [];
      return [this.groupRow(group, depth, here), ...inside];
    });
    if (shown.length === ordered.length) return rows;
    const click = () => {
      this.whole.add(path);
      this.showTree();
    };
    const more = quietButton(`Show all ${ordered.length}`, click);
    return [...rows, el("tr", {}, el("td", { colspan: 6, class: `depth-${depth}` }, more))];
  }

  /** @type {(group: Group, depth: number, path: string) => HTMLTableRowElement} */
  groupRow(group, depth, path) {
    const { count, sum, mean, high, ratio } = summaryOf(group.places);
    const cells = [
      String(count),
      ...[sum, mean, high].map((value) => figure(value)),
      count > 1 ? figure(ratio) : "",
    ];
    return el(
      "tr",
      {},
      el("th", { scope: "row", class: `depth-${depth}` }, this.opener(group, path)),
      ...cells.map((text) => el("td", { class: "number" }, text)),
    );
  }

  /** @type {(group: Group, path: string) => HTMLButtonElement | HTMLSpanElement} */
  opener(group, path) {
    if (!group.parts.length) return el("span", { class: "opener" }, twist(true), group.name);
    const click = () => {
      if (!this.open.delete(path)) this.open.add(path);
      this.showTree();
    };
    return opener(this.open.has(path), `system-${path}`, click, group.name);
  }

  /** How many locations there are. */
  countText() {
    const { places } = this;
    const { accelerators } = this.found;
    const { count } = summaryOf(places);
    const kind = accelerators ? "accelerator" : hasThreads(places) ? "location" : "process";
    const plural = kind === "process" ? "processes" : `${kind}s`;
    return `${count} ${count === 1 ? kind : plural}`;
  }

  /**
   * A bar per location, or per range its mean with a band from the smallest to the largest value.
   * @param {HTMLElement} host
   * @param {Place[]} places in the order of the chart
   */
  draw(host, places) {
    if (places.length === 0) {
      host.replaceChildren();
      return;
    }
    const { unit } = this.found;
    const labels = this.labels();
    const { mean, high, ratio } = summaryOf(places);
    const ranges = places.some(({ count }) => count > 1);
    const chart = frame(host, {
      height: HEIGHT,
      label: `${labels.title}: mean ${figure(mean)}, largest ${figure(high)} ${unit}, max/mean ${figure(ratio)}.`,
      x: { domain: [-0.5, places.length - 0.5], log: false, label: labels.x, whole: true },
      y: { domain: linearDomain(places.map((place) => place.high)), log: false, label: labels.y },
    });
    const xs = places.map((_, i) => i);
    const means = places.map((place) => place.mean);
    if (ranges) {
      const ends = { lower: places.map((place) => place.low), upper: places.map((place) => place.high) };
      drawBars(chart, xs, ends, "c0 spread", "smallest to largest value of a range");
      drawLine(chart, xs, means, "c0", "mean of a range");
    } else drawBars(chart, xs, { upper: means }, "c0", "measured");
    drawLine(chart, [-0.5, places.length - 0.5], [mean, mean], "mean", "mean of all locations");
    const { right, top, bottom } = chart.box;
    const y = chart.y(mean) - 5;
    if (y > top && y < bottom) {
      chart.over.append(svgEl("text", { class: "note", x: right - 4, y, "text-anchor": "end" }, "mean"));
    }
    addReadings(host, chart, {
      snap: (x) => Math.min(Math.max(Math.round(x), 0), places.length - 1),
      title: (i) => places[i].name + (places[i].node ? `, node ${places[i].node}` : ""),
      rows: (i) => this.readings(places[i], mean),
    });
  }

  /** @param {Place} place @param {number} mean of all @returns {Reading[]} */
  readings(place, mean) {
    const { count } = place;
    const { unit } = this.found;
    /** @type {Reading[]} */
    const own = [["c0", count > 1 ? `measured, mean of ${count}` : "measured", quantity(place.mean, unit)]];
    if (count > 1) {
      own.push(["none", "smallest", quantity(place.low, unit)]);
      own.push(["none", "largest", quantity(place.high, unit)]);
    }
    return [...own, ["none", "over the mean of all", mean > 0 ? `×${figure(place.mean / mean)}` : "–"]];
  }
}

/** @param {Group} group */
function most(group) {
  return summaryOf(group.places).high;
}
