// @ts-check
// Series over the entries of a history: as lines of a table, and in charts with levels and change points.

import { floats } from "../data/payload.js";
import { linearScale, logScale } from "../draw/axes.js";
import { drawBand, drawDots, drawLine } from "../draw/chart.js";
import { svgEl } from "../draw/dom.js";

/** @import { Floats } from "../data/payload.js" */
/** @import { Range } from "../draw/axes.js" */
/** @import { Chart, Plane } from "../draw/chart.js" */

/**
 * @typedef {object} TrendsPayload K series of the same entries, in n parts
 * @property {number} count entries
 * @property {number[]} places the middle of each part, in entries
 * @property {Floats} low K x n: 10th percentile of a part
 * @property {Floats} middle
 * @property {Floats} high
 * @property {(Trend | null)[]} trends K, null if nothing is known
 */

/**
 * @typedef {object} Trend
 * @property {Range} domain
 * @property {boolean} log
 * @property {[number, number, number][]} levels first entry, end, median
 * @property {Change[]} changes
 */

/** @typedef {{at: number, first: number, last: number, level: number, direction: string, rises: boolean}} Change */

const [WIDTH, HEIGHT, EDGE] = [132, 30, 3]; // pixels of a line in a table
const MOST_DOTS = 100; // entries up to which each is a dot

export class Trends {
  /** @param {TrendsPayload} raw */
  constructor({ count, places, trends, ...ends }) {
    this.count = count;
    this.places = places;
    this.trends = trends;
    this.ends = { low: floats(ends.low), middle: floats(ends.middle), high: floats(ends.high) };
    /** @type {Range} */
    this.across = [-0.5, count - 0.5];
  }

  /**
   * The parts of a series; what lies outside of its axis is put at the ends.
   * @param {number} n
   */
  parts(n) {
    const size = this.places.length;
    const [low, high] = this.trends[n]?.domain ?? [0, 0];
    /** @param {Float32Array} values */
    const of = (values) =>
      Array.from(values.subarray(n * size, (n + 1) * size), (v) => Math.min(Math.max(v, low), high));
    return { low: of(this.ends.low), middle: of(this.ends.middle), high: of(this.ends.high) };
  }

  /**
   * The line of a series through the medians of its parts, and a band with four fifths of their values.
   * @param {Plane} chart
   * @param {number} n
   */
  draw(chart, n) {
    const { low, middle, high } = this.parts(n);
    const known = this.places.map((_, i) => i).filter((i) => Number.isFinite(low[i]));
    const [xs, lower, upper] = [this.places, low, high].map((values) => known.map((i) => values[i]));
    if (upper.some((value, i) => value > lower[i])) drawBand(chart, xs, lower, upper, "c0", "four fifths");
    drawLine(chart, this.places, middle, "c0", this.count > this.places.length ? "medians" : "entries");
    const dots = this.places.map((x, i) => ({ x, y: middle[i] }));
    if (this.count <= MOST_DOTS) drawDots(chart, dots, "c0 entry", { radius: 2.5, name: "entries" });
  }

  /**
   * Levels and change points in a chart: the entries at which one may be are shaded.
   * @param {Chart} chart
   * @param {number} n
   */
  drawLevels(chart, n) {
    const { levels = [], changes = [] } = this.trends[n] ?? {};
    const { top, bottom } = chart.box;
    for (const { first, last } of changes) {
      const [left, right] = [chart.x(first - 0.5), chart.x(last + 0.5)];
      const place = { x: left, y: top, width: right - left, height: bottom - top };
      chart.plot.prepend(svgEl("rect", { class: "place", ...place }));
    }
    for (const [start, end, level] of levels.length > 1 ? levels : [])
      drawLine(chart, [start, end - 1], [level, level], "level", "median between change points");
    for (const { at, level, direction, rises } of changes) {
      const up = rises ? -1 : 1;
      const d = `M${chart.x(at)} ${chart.y(level) + 9 * up}l-5 ${-8 * up}h10Z`;
      chart.plot.append(svgEl("path", { class: direction, d }));
    }
  }

  /**
   * A series as a line without axes; nothing if nothing is known.
   * @param {number} n
   * @param {string} label says the same in words
   */
  sparkline(n, label) {
    const trend = this.trends[n];
    if (!trend) return null;
    const box = { left: EDGE, right: WIDTH - EDGE, top: EDGE, bottom: HEIGHT - EDGE };
    const plot = svgEl("g");
    const x = linearScale(this.across, [box.left, box.right]);
    const y = (trend.log ? logScale : linearScale)(trend.domain, [box.bottom, box.top]);
    this.draw({ plot, x, y, box, series: [], curved: false }, n);
    for (const { at, level, direction } of trend.changes)
      plot.append(svgEl("circle", { class: direction, cx: x(at), cy: y(level), r: 2.8 }));
    const size = { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}` };
    return svgEl("svg", { class: "spark", role: "img", "aria-label": label, ...size }, plot);
  }
}
