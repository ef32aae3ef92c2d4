// @ts-check
// The leading kernels over scale: as lines with their crossovers, and stacked to the total.

import { leadingKernels, outlookOf, sum } from "../data/outlook.js";
import { linearDomain, logDomain } from "../draw/axes.js";
import {
  curveScales,
  drawBand,
  drawBeyond,
  drawDots,
  drawEndLabels,
  drawLine,
  drawTarget,
  frame,
  scaleAxis,
} from "../draw/chart.js";
import { byId, el, onResize, switcher } from "../draw/dom.js";
import { cutNode } from "../draw/nodes.js";
import { readings } from "../draw/readings.js";
import { fullPathNames, kernelLabel } from "../text/names.js";
import { figure, intervalText, percent, pointText } from "../text/numbers.js";
import { crossoverList, drawCrossovers, shownCrossovers } from "./crossovers.js";

/** @import { Level } from "../data/level.js" */
/** @import { Point } from "../data/payload.js" */
/** @import { Report } from "../data/report.js" */
/** @import { Child } from "../draw/dom.js" */
/** @import { Reading } from "../draw/readings.js" */
/** @import { State } from "../state.js" */
/** @import { PlacedCrossover } from "./crossovers.js" */
/** @typedef {{x: boolean, y: boolean, share: boolean}} Options logarithmic axes; shares instead of values */

/**
 * @typedef {object} Scene what both charts draw
 * @property {Level} level
 * @property {Point} target
 * @property {string} effort
 * @property {string} noun
 * @property {number[]} leading
 * @property {number[]} xs
 * @property {number[]} total
 * @property {number[][]} values per leading kernel
 * @property {PlacedCrossover[]} crossovers
 */

const MATTERS = 0.01; // share from which a measurement is kept within a logarithmic axis

/**
 * @param {Report} report
 * @param {State} state
 * @returns {Scene}
 */
function sceneOf(report, state) {
  const { level, target } = state;
  const { space } = report;
  const leading = leadingKernels(level, target);
  const xs = curveScales(space, target);
  const all = xs.map((scale) => level.values(space.atScale(target, scale)));
  return {
    level,
    target,
    effort: state.metric.label,
    noun: state.levelName === "regions" ? "regions" : "call paths",
    leading,
    xs,
    total: all.map(sum),
    values: leading.map((k) => all.map((value) => value[k])),
    crossovers: shownCrossovers(level, target, leading),
  };
}

/**
 * @param {Scene} scene
 * @param {number} k
 */
function measuredDots({ level, target }, k) {
  const { space } = level;
  return space.pointsAlong(target).map((i) => {
    const at = pointText(space.parameters, space.points[i]);
    return {
      x: space.points[i][space.column],
      y: level.measured(k, i),
      share: level.measured(k, i) / level.measuredTotal(i),
      title: `${level.name(k)}, measured at ${at}: ${figure(level.measured(k, i))}`,
    };
  });
}

/**
 * @param {HTMLElement} host
 * @param {Scene} scene
 * @param {Options} options
 */
function drawLines(host, scene, options) {
  const { level, target, effort, leading, xs, values } = scene;
  const { space } = level;
  const dots = leading.map((k) => measuredDots(scene, k));
  const seen = [...values.flat(), ...dots.flat().map((dot) => dot.y)];
  const matter = dots.flat().filter((dot) => dot.share > MATTERS);
  const low = Math.min(...matter.map((dot) => dot.y), Infinity);
  const domain = options.y
    ? logDomain(seen.filter((v) => v >= 0.7 * low || low === Infinity))
    : linearDomain(seen);
  const wide = host.clientWidth > 520;
  const chart = frame(host, {
    label:
      `Lines: ${effort} of the ${leading.length} leading kernels over ${space.scaled}; ` +
      "the table below has the values at the target.",
    x: scaleAxis(space, [xs[0], xs[xs.length - 1]], options.x),
    y: { domain, log: options.y, label: effort },
    right: wide ? 132 : 0,
  });
  drawBeyond(chart, space.measuredEnd);
  drawTarget(chart, target[space.column]);
  leading.forEach((k, i) => {
    drawLine(chart, xs, values[i], `c${i}`, level.name(k));
    drawDots(chart, dots[i], `c${i}`);
  });
  drawCrossovers(chart, level, scene.crossovers);
  if (wide) {
    const ends = leading.map((k, i) => ({
      text: kernelLabel(level, k, 20),
      y: values[i][xs.length - 1],
      cls: `c${i}`,
    }));
    drawEndLabels(chart, ends);
  }
  readings(host, chart, space, (scale) => {
    const at = space.atScale(target, scale);
    return leading.map((k, i) => [`c${i}`, kernelLabel(level, k, 24), figure(level.value(k, at))]);
  });
}

/**
 * @param {HTMLElement} host
 * @param {Scene} scene
 * @param {Options} options
 */
function drawStack(host, scene, options) {
  const { level, target, effort, xs, total, values } = scene;
  const { space } = level;
  const { share } = options;
  const base = total.map((value) => (share ? value || 1 : 1));
  let below = xs.map(() => 0);
  const bands = values.map((value) => {
    const lower = below;
    below = value.map((v, j) => lower[j] + v / base[j]);
    return { lower, upper: below };
  });
  const rest = { lower: below, upper: total.map((value, j) => value / base[j]) };
  const totals = space.pointsAlong(target).map((i) => ({
    x: space.points[i][space.column],
    y: level.measuredTotal(i),
    title: `Measured total at ${pointText(space.parameters, space.points[i])}`,
  }));
  const ofValues = linearDomain([...rest.upper, ...totals.map((dot) => dot.y)]);
  const chart = frame(host, {
    label: `Stacked areas: ${share ? "shares" : effort} of the leading kernels and all others over ${space.scaled}.`,
    x: scaleAxis(space, [xs[0], xs[xs.length - 1]], options.x),
    y: share
      ? { domain: [0, 1], log: false, label: "share", format: (v) => `${Math.round(100 * v)} %` }
      : { domain: ofValues, log: false, label: effort },
  });
  [...bands, rest].forEach((band, i) => {
    drawBand(chart, xs, band.lower, band.upper, i < bands.length ? `solid c${i}` : "solid rest");
  });
  if (!share) drawDots(chart, totals, "total");
  drawBeyond(chart, space.measuredEnd);
  drawTarget(chart, target[space.column]);
  readings(host, chart, space, (scale) => stackReadings(scene, scale, share));
}

/**
 * @param {Scene} scene
 * @param {number} scale
 * @param {boolean} share
 * @returns {Reading[]}
 */
function stackReadings({ level, target, leading }, scale, share) {
  const value = level.values(level.space.atScale(target, scale));
  const total = sum(value);
  /** @param {number} v */
  const part = (v) => (share ? percent(v / total) : figure(v));
  const others = sum(value.filter((_, k) => !leading.includes(k)));
  /** @type {Reading[]} */
  const kernels = leading.map((k, i) => [`c${i}`, kernelLabel(level, k, 24), part(value[k])]);
  return [...kernels, ["rest", "all others", part(others)], ["none", "total", figure(total)]];
}

/**
 * The legend of both charts, with the values at the target.
 * @param {Report} report
 * @param {Scene} scene
 */
function legend(report, { level, target, effort, noun, leading }) {
  const outlook = outlookOf(level, target, report.limits);
  const { value, total } = outlook;
  /**
   * @param {string} cls
   * @param {Child} name
   * @param {number} size
   * @param {string} interval
   * @param {number} share
   */
  const row = (cls, name, size, interval, share) =>
    el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        el("span", { class: "entry" }, el("span", { class: `swatch ${cls}` }), name),
      ),
      el("td", {}, figure(size)),
      el("td", { class: "interval" }, interval),
      el("td", {}, percent(share)),
    );
  const places = leading.map((k, i) => ({ k, i })).sort((a, b) => value[b.k] - value[a.k]);
  const rows = places.map(({ k, i }) => {
    const name = cutNode(kernelLabel(level, k, 200), fullPathNames(level, k).join(" › "));
    const interval = intervalText(level.interval(k, target, value[k]));
    return row(`c${i}`, name, value[k], interval, outlook.shareAtTarget[k]);
  });
  if (level.additive) {
    const others = sum(value.filter((_, k) => !leading.includes(k)));
    if (level.count > leading.length) {
      rows.push(row("rest", "all others", others, "", total > 0 ? others / total : 0));
    }
    const interval = intervalText(level.intervalOfTotal(target, total));
    rows.push(row("none", `total of all ${noun}`, total, interval, total > 0 ? 1 : 0));
  }
  const heads = ["kernel", effort, "90 % interval", "share"].map((text) => el("th", { scope: "col" }, text));
  return el(
    "table",
    { class: "legend" },
    el("caption", {}, `At ${pointText(level.space.parameters, target)}`),
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...rows),
  );
}

/**
 * @param {Report} report
 * @param {State} state
 */
export function buildOverview(report, state) {
  const [lines, stack] = [byId("lines"), byId("stack")];
  /** @type {Options} */
  const options = { x: true, y: true, share: false };
  const draw = () => {
    const scene = sceneOf(report, state);
    drawLines(lines, scene, options);
    if (scene.level.additive) drawStack(stack, scene, options);
    else stack.replaceChildren(el("p", { class: "quiet" }, `Values of ${scene.effort} have no sum.`));
    byId("legend").replaceChildren(legend(report, scene));
    byId("crossovers").replaceChildren(crossoverList(scene.level, scene.target, scene.crossovers));
  };
  /**
   * @param {"x" | "y"} key
   */
  const axis = (key) =>
    switcher(
      `${key} axis`,
      `overview-${key}`,
      [
        ["log", "log"],
        ["linear", "linear"],
      ],
      "log",
      (value) => {
        options[key] = value === "log";
        draw();
      },
    );
  byId("lines-options").replaceChildren(axis("x"), axis("y"));
  const kind = switcher(
    "Stack",
    "stack",
    [
      ["effort", "values"],
      ["share", "shares"],
    ],
    "effort",
    (value) => {
      options.share = value === "share";
      draw();
    },
  );
  byId("stack-options").replaceChildren(kind);
  state.follow(byId("overview"), draw);
  onResize(lines, draw);
}
