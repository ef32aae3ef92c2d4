// @ts-check
// The leading kernels over scale: as lines with their crossovers, and stacked to the total.

import { largestOf, leadingKernels, sharesAt, sum } from "../data/shares.js";
import { linearDomain, logDomain } from "../draw/axes.js";
import { drawBand, drawDots, drawEndLabels, drawLine, scaleChart } from "../draw/chart.js";
import { axisSwitches, byId, el, keepingFocus, svgEl, switcher, widthOf } from "../draw/dom.js";
import { chartTools } from "../draw/files.js";
import { cutNode } from "../draw/nodes.js";
import { WAITS } from "../state.js";
import { distinctLabels, kernelLabel } from "../text/names.js";
import { estimateText, figure, intervalText, percent, pointText } from "../text/numbers.js";

/** @import { Crossover, KernelSet } from "../data/kernel_set.js" */
/** @import { Point } from "../data/records.js" */
/** @import { Chart } from "../draw/chart.js" */
/** @import { Child } from "../draw/dom.js" */
/** @import { Reading } from "../draw/pointing.js" */
/** @import { State } from "../state.js" */

/** @typedef {{x: boolean, y: boolean, bands: boolean, share: boolean}} Options logarithmic axes; intervals; shares */

const SHOWN = 9;
const MATTERS = 0.01; // share from which a measurement is kept within a logarithmic axis

/** @param {State} state @returns the largest of the selected kernels: call paths of a region may be many */
function largestSelected(state) {
  const { level, target } = state;
  const found = level.region.map((_, k) => k).filter((k) => state.selects(level, k));
  const value = found.map((k) => level.value(k, target));
  return found.length ? found[largestOf(value)] : -1;
}

/** @param {HTMLElement} host @returns pixels for labels at the ends of lines; none in narrow charts */
function labelRoom(host) {
  return widthOf(host) > 520 ? 132 : 0;
}

/** What both charts draw. */
class Scene {
  /** @param {State} state */
  constructor(state) {
    const { level, target } = state;
    const leading = leadingKernels(level, target);
    const selected = state.selecting ? largestSelected(state) : -1;
    this.state = state;
    this.level = level;
    this.target = target;
    this.positions = level.positions;
    this.effort = state.metric.label;
    this.leading = leading;
    this.drawn = selected < 0 || leading.includes(selected) ? leading : [...leading, selected];
    this.xs = this.positions.curveScales(target);
    this.total = this.xs.map((scale) => level.totalAt(this.positions.atScale(target, scale)));
    this.figures = this.drawn.map((k) => level.figures(k, target, this.xs));
    this.crossovers = shownCrossovers(level, target);
  }

  /** @param {number} k @returns classes of a kernel */
  look(k) {
    const { leading, state, level } = this;
    return (
      (leading.includes(k) ? `c${leading.indexOf(k)}` : "total") + (state.fades(level, k) ? " fades" : "")
    );
  }

  /** @param {number} k */
  measuredDots(k) {
    const { level, target, positions } = this;
    return positions.pointsAlong(target).map((i) => {
      const at = pointText(positions.parameters, positions.points[i]);
      return {
        x: positions.points[i][positions.column],
        y: level.measured(k, i),
        share: level.measured(k, i) / level.measuredTotal(i),
        title: `${level.name(k)}, ${positions.observed} at ${at}: ${figure(level.measured(k, i))}`,
      };
    });
  }

  /** @type {(host: HTMLElement, options: Options) => void} */
  drawLines(host, options) {
    const { level, target, positions, effort, leading, drawn, xs } = this;
    const values = this.figures.map((figures) => figures.map(({ value }) => value));
    const names = distinctLabels(level, drawn, 22);
    const dots = drawn.map((k) => this.measuredDots(k));
    const seen = [...values.flat(), ...dots.flat().map((dot) => dot.y)];
    const matter = dots.flat().filter((dot) => dot.share > MATTERS);
    const low = Math.min(...matter.map((dot) => dot.y), Infinity);
    const domain = options.y
      ? logDomain(seen.filter((v) => v >= 0.7 * low || low === Infinity))
      : linearDomain(seen);
    const right = labelRoom(host);
    const chart = scaleChart(host, positions, target, {
      label:
        `Lines: ${effort} of the ${leading.length} leading kernels over ${positions.scaled}; ` +
        "the table below has the values at the target.",
      from: xs[0],
      to: xs[xs.length - 1],
      log: options.x,
      y: { domain, log: options.y, label: effort },
      right,
      readings: (scale) => {
        const point = positions.pointAt(target, scale);
        return drawn.map((k, i) => {
          const measured =
            point === undefined ? "" : `, ${positions.observed} ${figure(level.measured(k, point))}`;
          const [found] = level.figures(k, target, [scale]);
          return [this.look(k), names[i], `${estimateText(found.value, found, "")}${measured}`];
        });
      },
    });
    drawn.forEach((k, i) => {
      const ends = this.figures[i];
      if (!options.bands || ends.some(({ lower, upper }) => Number.isNaN(lower + upper))) return;
      drawBand(chart, ends, `faint ${this.look(k)}`, `${level.name(k)}, 90 % interval`);
    });
    drawn.forEach((k, i) => {
      const line = drawLine(chart, xs, values[i], this.look(k), level.name(k));
      line.addEventListener("click", () => this.state.toggle(level, k));
      drawDots(chart, dots[i], this.look(k), { name: `${level.name(k)}, ${positions.observed}` });
    });
    this.drawCrossovers(chart);
    if (right) {
      const ends = drawn.map((k, i) => ({ text: names[i], y: values[i][xs.length - 1], cls: this.look(k) }));
      drawEndLabels(chart, ends);
    }
  }

  /** @type {(host: HTMLElement, options: Options) => void} */
  drawStack(host, options) {
    const { level, target, positions, effort, leading, xs, total } = this;
    const { share } = options;
    const base = total.map((value) => (share ? value || 1 : 1));
    let below = xs.map(() => 0);
    /** @param {number[]} upper */
    const bandTo = (upper) => {
      const band = xs.map((x, j) => ({ x, lower: below[j], upper: upper[j] }));
      below = upper;
      return band;
    };
    const bands = this.figures
      .slice(0, leading.length)
      .map((figures) => bandTo(figures.map(({ value }, j) => below[j] + value / base[j])));
    const whole = total.map((value, j) => value / base[j]);
    const totals = positions.pointsAlong(target).map((i) => ({
      x: positions.points[i][positions.column],
      y: level.measuredTotal(i),
      title: `${positions.observed} total at ${pointText(positions.parameters, positions.points[i])}`,
    }));
    const ofValues = linearDomain([...whole, ...totals.map((dot) => dot.y)]);
    const chart = scaleChart(host, positions, target, {
      label: `Stacked areas: ${share ? "shares" : effort} of the leading kernels and all others over ${positions.scaled}.`,
      from: xs[0],
      to: xs[xs.length - 1],
      log: options.x,
      readings: (scale) => this.stackReadings(scale, share),
      right: labelRoom(host), // so that both charts have the same marks
      y: share
        ? { domain: [0, 1], log: false, label: "share", format: (v) => `${Math.round(100 * v)} %` }
        : { domain: ofValues, log: false, label: effort },
    });
    [...bands, bandTo(whole)].forEach((band, i) => {
      const k = leading[i];
      const name = k === undefined ? "all others" : level.name(k);
      const area = drawBand(chart, band, `solid ${k === undefined ? "rest" : this.look(k)}`, name);
      if (k !== undefined) area.addEventListener("click", () => this.state.toggle(level, k));
    });
    if (!share) drawDots(chart, totals, "total", { name: `${positions.observed} total` });
  }

  /** @type {(scale: number, share: boolean) => Reading[]} */
  stackReadings(scale, share) {
    const { level, target, leading } = this;
    const at = level.positions.atScale(target, scale);
    const [value, total] = [level.values(at), level.totalAt(at)];
    /** @param {number} v */
    const part = (v) => (share ? percent(v / total) : figure(v));
    const others = total - sum(leading.map((k) => value[k]));
    /** @type {Reading[]} */
    const kernels = leading.map((k, i) => [`c${i}`, kernelLabel(level, k, 24), part(value[k])]);
    return [...kernels, ["rest", "all others", part(others)], ["none", "total", figure(total)]];
  }

  /** The legend of both charts, with the values at the target; its names select. */
  legend() {
    const { state, level, target, effort, leading, drawn } = this;
    const shares = sharesAt(level, target, state.report.limits);
    const { value, total } = shares;
    /** @param {{cls: string, name: Child, size: number, interval: string, share: number, selected?: boolean}} shown */
    const row = ({ cls, name, size, interval, share, selected }) =>
      el(
        "tr",
        { class: selected ? "selected" : null },
        el(
          "th",
          { scope: "row" },
          el("span", { class: "entry" }, el("span", { class: `swatch ${cls}` }), name),
        ),
        el("td", {}, figure(size)),
        el("td", { class: "interval" }, interval),
        el("td", {}, percent(share)),
      );
    const places = [...drawn].sort((a, b) => value[b] - value[a]);
    const rows = places.map((k) => {
      const path = level.fullPathNames(k).join(" › ");
      const selected = state.selects(level, k);
      const button = {
        type: "button",
        class: "entry-name",
        "data-focus": k,
        "aria-label": path,
        "aria-pressed": selected,
        click: () => state.toggle(level, k),
      };
      const name = el("button", button, cutNode(kernelLabel(level, k, 200), path));
      const interval = intervalText(level.interval(k, target));
      const share = shares.shareAtTarget[k];
      return row({ cls: this.look(k), name, size: value[k], interval, share, selected });
    });
    if (level.additive) {
      const others = total - sum(leading.map((k) => value[k]));
      if (level.count > leading.length) {
        const share = total > 0 ? others / total : 0;
        rows.push(row({ cls: "rest", name: "all others", size: others, interval: "", share }));
      }
      const interval = intervalText(level.intervalOfTotal(target));
      const name = `total of all ${state.levelName === "regions" ? "regions" : "call paths"}`;
      rows.push(row({ cls: "none", name, size: total, interval, share: total > 0 ? 1 : 0 }));
    }
    const heads = ["kernel", effort, "90 % interval", "share"].map((text) =>
      el("th", { scope: "col" }, text),
    );
    return el(
      "table",
      { class: "legend" },
      el("caption", {}, `At ${pointText(level.positions.parameters, target)}`),
      el("thead", {}, el("tr", {}, ...heads)),
      el("tbody", {}, ...rows),
    );
  }

  /** @param {Crossover} crossover */
  crossoverText({ over, past, place }) {
    const [first, second] = distinctLabels(this.level, [over, past], 44);
    return `${place[0].toUpperCase()}${place.slice(1)} ${first} overtakes ${second}`;
  }

  /** @type {(chart: Chart) => void} marks of those whose kernels have lines, numbered as in the list */
  drawCrossovers(chart) {
    const { drawn, crossovers } = this;
    /** @type {[number, number][]} */
    const placed = []; // marks that would cover another one move up
    crossovers.forEach((crossover, i) => {
      if (!drawn.includes(crossover.over) || !drawn.includes(crossover.past)) return;
      const px = chart.x(crossover.at);
      if (px > chart.box.right) return;
      let py = chart.y(crossover.value);
      if (!(py > chart.box.top && py < chart.box.bottom)) return;
      while (placed.some(([x, y]) => Math.hypot(x - px, y - py) < 16)) py -= 4;
      placed.push([px, py]);
      const mark = svgEl(
        "g",
        { class: "crossing" },
        svgEl("title", {}, `${this.crossoverText(crossover)} (${crossover.certainty})`),
        svgEl("circle", { cx: px, cy: py, r: 8 }),
        svgEl("text", { x: px, y: py + 3.5, "text-anchor": "middle" }, String(i + 1)),
      );
      chart.over.append(mark);
    });
  }

  crossoverList() {
    const { target, positions, crossovers } = this;
    const items = crossovers.map((crossover) => {
      const later = crossover.at > target[positions.column];
      return el(
        "li",
        { class: later ? "later" : "" },
        this.crossoverText(crossover),
        el("span", { class: "quiet" }, ` (${crossover.certainty})`),
      );
    });
    return el("ol", { class: "crossovers" }, ...items);
  }
}

/**
 * Crossovers, those at the largest values where there are many, ordered by scale. They hold for the other parameters at
 * the report's target only.
 * @type {(level: KernelSet, target: Point) => Crossover[]}
 */
export function shownCrossovers(level, target) {
  if (level.positions.lineOf(target) !== 0) return [];
  return [...level.crossovers]
    .sort((a, b) => b.value - a.value)
    .slice(0, SHOWN)
    .sort((a, b) => a.at - b.at);
}

/** @param {State} state */
export function buildOverview(state) {
  const [lines, stack] = [byId("lines"), byId("stack")];
  /** @type {Options} */
  const options = { x: true, y: true, bands: true, share: true };
  const drawSum = () => {
    const scene = new Scene(state);
    if (scene.level.additive) scene.drawStack(stack, options);
    else stack.replaceChildren(el("p", { class: "quiet" }, `Values of ${scene.effort} have no sum.`));
  };
  const drawSingle = () => {
    const scene = new Scene(state);
    scene.drawLines(lines, options);
    keepingFocus(byId("legend"), () => byId("legend").replaceChildren(scene.legend()));
    byId("crossing").hidden = !scene.crossovers.length;
    byId("crossovers").replaceChildren(scene.crossoverList());
  };
  const draw = () => {
    drawSingle();
    drawSum();
  };
  const bands = switcher("90 % intervals", "overview-bands", ["shown", "hidden"], "shown", (value) => {
    options.bands = value === "shown";
    draw();
  });
  const axes = axisSwitches("overview", options, draw);
  byId("lines-options").replaceChildren(chartTools(lines, "leading kernels", drawSingle, ...axes, bands));
  const kind = switcher("Stack", "stack", ["values", "shares"], "shares", (value) => {
    options.share = value === "shares";
    draw();
  });
  byId("stack-options").replaceChildren(kind, chartTools(stack, "stacked kernels", drawSum));
  state.follow(byId("overview"), drawSingle);
  state.follow(stack, drawSum, WAITS);
}
