// @ts-check
// Curves of A and B over scale with their bands, and what the page says of their ratio at the target.

import { floats } from "../data/payload.js";
import { Positions } from "../data/positions.js";
import { logDomain } from "../draw/axes.js";
import { drawBand, drawBeyond, drawDots, drawLine, drawTarget, frame, scaleAxis } from "../draw/chart.js";
import { readings } from "../draw/pointing.js";
import { estimateText, figure, intervalText, pointText } from "../text/numbers.js";

/** @import { Interval } from "../data/kernel_set.js" */
/** @import { Floats, Payload } from "../data/payload.js" */
/** @import { Reading } from "../draw/pointing.js" */

/** @typedef {{value: Floats, lower: Floats, upper: Floats}} EndsPayload K kernels x S positions, NaN if unknown */
/** @typedef {{scales: number[], runs: number, values: Floats}} DotsPayload K kernels x scales x runs */
/** @typedef {"parameters" | "column" | "points" | "largest" | "scales" | "lines" | "reach" | "measuredOnly" | "limits"} Places */
/**
 * @typedef {Pick<Payload, Places> & {a: EndsPayload, b: EndsPayload, ratio: EndsPayload, dots: [DotsPayload, DotsPayload],
 *   said: string[]}} CurvesPayload the total is the first kernel; what is said at each position
 */
/** @typedef {{value: number, interval: Interval}} Estimate */
/** @typedef {"a" | "b" | "ratio"} Which */

const HEIGHT = 300;
const CUT = 30; // how many times all else a band may be before it is cut
/** @type {["a" | "b", string, string][]} */
const SIDES = [
  ["a", "A", "c0"],
  ["b", "B", "c1"],
];

/** @param {EndsPayload} ends */
function read({ value, lower, upper }) {
  return { value: floats(value), lower: floats(lower), upper: floats(upper) };
}

export class Curves {
  /** @param {CurvesPayload} payload */
  constructor(payload) {
    this.positions = new Positions(/** @type {Payload} */ (/** @type {unknown} */ (payload)));
    this.ends = { a: read(payload.a), b: read(payload.b), ratio: read(payload.ratio) };
    this.dots = payload.dots.map(({ scales, runs, values }) => ({ scales, runs, values: floats(values) }));
    this.said = payload.said;
  }

  /**
   * @param {Which} which
   * @param {number} k
   * @param {number} scale
   * @returns {Estimate | null} null if it is not known
   */
  at(which, k, scale) {
    const i = k * this.positions.count + this.positions.scales.indexOf(scale);
    const { value, lower, upper } = this.ends[which];
    return Number.isFinite(value[i]) ? { value: value[i], interval: [lower[i], upper[i]] } : null;
  }

  /**
   * Single measurements of a kernel.
   * @param {number} side
   * @param {number} k
   */
  measured(side, k) {
    const { scales, runs, values } = this.dots[side];
    return scales
      .flatMap((x, i) =>
        Array.from({ length: runs }, (_, r) => ({ x, y: values[(k * scales.length + i) * runs + r] })),
      )
      .filter(({ y }) => y > 0);
  }
}

/**
 * @param {HTMLElement} host
 * @param {Curves} curves
 * @param {number} k
 * @param {number[]} target
 * @param {{name: string, unit: string, metric: string}} what
 */
export function drawCurves(host, curves, k, target, { name, unit, metric }) {
  const { positions } = curves;
  const xs = positions.curveScales(target);
  const lines = SIDES.map(([side, letter, cls], n) => {
    const known = xs.flatMap((x) => {
      const found = positions.measuredOnly ? null : curves.at(side, k, x);
      return found ? [{ x, ...found }] : [];
    });
    return { letter, cls, known, dots: curves.measured(n, k) };
  });
  const firm = lines.flatMap(({ known, dots }) => [
    ...known.map(({ value }) => value),
    ...dots.map(({ y }) => y),
  ]);
  const [most, least] = [Math.max(...firm) * CUT, Math.min(...firm.filter((y) => y > 0)) / CUT];
  const band = lines.flatMap(({ known }) => known.flatMap(({ interval }) => [...interval]));
  const at = (/** @type {string} */ letter, /** @type {"a" | "b"} */ side) => {
    const found = curves.at(side, k, target[positions.column]);
    return found ? `; ${letter} ${estimateText(found.value, found.interval, unit)}` : "";
  };
  const said = positions.measuredOnly ? "" : SIDES.map(([side, letter]) => at(letter, side)).join("");
  const chart = frame(host, {
    height: HEIGHT,
    curved: true,
    label: `${name} of A and B over ${positions.scaled}, at ${pointText(positions.parameters, target)}${said}.`,
    x: scaleAxis(positions, [xs[0] / 1.05, xs[xs.length - 1]], true),
    y: {
      domain: logDomain([...firm, ...band.filter((y) => y < most && y > least)]),
      log: true,
      label: unit ? `${metric} (${unit})` : metric,
    },
  });
  drawBeyond(chart, positions.measuredEnd);
  drawTarget(chart, target[positions.column]);
  for (const { letter, cls, known } of lines) {
    const at = known.map(({ x }) => x);
    const [lower, upper] = [0, 1].map((end) => known.map(({ interval }) => interval[end]));
    if (known.length > 1) drawBand(chart, at, lower, upper, cls, `${letter}, 90 % interval`);
  }
  for (const { letter, cls, known, dots } of lines) {
    const at = known.map(({ x }) => x);
    if (known.length > 1)
      drawLine(
        chart,
        at,
        known.map(({ value }) => value),
        cls,
        letter,
      );
    drawDots(
      chart,
      dots.map((dot) => ({ ...dot, title: `${letter}: ${figure(dot.y)}` })),
      `${cls} open`,
      { name: `${letter}, measured` },
    );
  }
  readings(host, chart, positions, (scale) => readingsAt(curves, k, scale));
}

/**
 * @param {Curves} curves
 * @param {number} k
 * @param {number} scale
 * @returns {Reading[]}
 */
function readingsAt(curves, k, scale) {
  /** @type {Reading[]} */
  const rows = [];
  SIDES.forEach(([side, letter, cls], n) => {
    const runs = curves.measured(n, k).filter(({ x }) => x === scale);
    if (runs.length) rows.push([cls, `${letter}, measured`, runs.map(({ y }) => figure(y)).join(", ")]);
    const found = curves.positions.measuredOnly ? null : curves.at(side, k, scale);
    if (found) rows.push([cls, `${letter}, model`, estimateText(found.value, found.interval, "")]);
  });
  const ratio = curves.at("ratio", k, scale);
  if (ratio) rows.push(["none", "B / A", `${figure(ratio.value)} [${intervalText(ratio.interval)}]`]);
  return rows;
}
