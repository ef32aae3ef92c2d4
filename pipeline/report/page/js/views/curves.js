// @ts-check
// The curves of a kernel over scale, of one study or of several: what was measured, and predictions with intervals.

import { linearDomain, logDomain } from "../draw/axes.js";
import { drawBand, drawDots, drawEndLabels, drawIntervals, drawLine, scaleChart } from "../draw/chart.js";
import { axisSwitches, el } from "../draw/dom.js";
import { chartTools } from "../draw/files.js";
import { cutText } from "../text/names.js";
import { estimateText, figure, pointText, quantity } from "../text/numbers.js";

/** @import { Figure, KernelValues } from "../data/kernel_set.js" */
/** @import { Child } from "../draw/dom.js" */
/** @import { Reading } from "../draw/pointing.js" */
/** @import { State } from "../state.js" */
/**
 * @typedef {object} Line
 * @property {string} name of a study; empty if there is but one
 * @property {string} cls
 * @property {string} unit
 * @property {KernelValues} level
 * @property {number} k
 * @property {boolean} [beside] whether it stands in the readings only
 * @property {number} [validFrom] before this scale the model's line is thin
 * @property {(xs: number[]) => {text: string, values: number[]}[]} [rivals] models beside the prediction
 */

const HEIGHT = 340;
const LABELS = 70; // pixels for the names at the ends of lines
const CUT = 30; // how many times all else a band may be before it is cut
const logarithmic = { x: true, y: true }; // the axes of all of them
let made = 0;

export class Curves {
  /**
   * @param {State} state
   * @param {string} name
   * @param {string} label of the values
   * @param {Line[]} lines
   * @param {Child} [heading]
   */
  constructor(state, name, label, lines, heading) {
    this.state = state;
    this.name = name;
    this.label = label;
    this.lines = lines;
    this.host = el("div", { class: "plot" });
    const draw = () => this.draw();
    made += 1;
    const tools = chartTools(this.host, name, draw, ...axisSwitches(`curves-${made}`, logarithmic, draw));
    this.node = el("figure", {}, el("div", { class: "options" }, heading, tools), this.host);
  }

  /** @param {number} scale @returns what lines have at a scale of the target's */
  figuresAt(scale) {
    const { target } = this.state;
    return this.lines
      .map((line) => ({ line, figure: line.level.figures(line.k, target, [scale])[0] }))
      .filter(({ figure }) => Number.isFinite(figure.value));
  }

  /** What is predicted at the target. */
  texts() {
    const { target, report } = this.state;
    return this.figuresAt(target[report.positions.column]).map(({ line, figure }) =>
      `${line.name} ${estimateText(figure.value, figure, line.unit)}`.trim(),
    );
  }

  draw() {
    const { state, host, label } = this;
    const { target } = state;
    const { positions } = state.report;
    const { parameters, observed } = positions;
    const xs = positions.curveScales(target);
    const lines = this.lines.flatMap((line) => {
      const model = line.level.figures(line.k, target, xs).filter(({ value }) => Number.isFinite(value));
      const named = line.name ? `${line.name}, ` : "";
      const dots = line.level.dots(line.k, target).map(({ x, y }) => {
        const at = pointText(parameters, positions.atScale(target, x));
        return { x, y, title: `${named}${observed} at ${at}: ${figure(y)}` };
      });
      return line.beside ? [] : [{ ...line, named, model, dots }];
    });
    const firm = lines.flatMap(({ model, dots }) => [
      ...model.map(({ value }) => value),
      ...dots.map(({ y }) => y),
    ]);
    const [most, least] = [Math.max(...firm) * CUT, Math.min(...firm.filter((y) => y > 0)) / CUT];
    const band = lines.flatMap(({ model }) => model.flatMap(({ lower, upper }) => [lower, upper]));
    const seen = [...firm, ...band.filter((y) => y < most && y > least)];
    const said = [...this.texts(), `${lines.flatMap(({ dots }) => dots).length} measurements`].join("; ");
    const chart = scaleChart(host, positions, target, {
      height: HEIGHT,
      right: lines.length > 1 ? LABELS : 0,
      label: `${this.name} over ${positions.scaled}, at ${pointText(parameters, target)}: ${said}.`,
      from: xs[0] / (logarithmic.x ? 1.05 : 1),
      to: xs[xs.length - 1],
      log: logarithmic.x,
      y: { domain: (logarithmic.y ? logDomain : linearDomain)(seen), log: logarithmic.y, label },
      readings: (scale) => this.readings(scale),
    });
    for (const { cls, named, model, validFrom = 0, rivals } of lines) {
      const ends = model.filter(({ lower, upper }) => !Number.isNaN(lower + upper));
      const name = `${named}90 % interval`;
      if (ends.length < model.length) drawIntervals(chart, ends, cls, name);
      else if (ends.length > 1) drawBand(chart, ends, cls, name);
      for (const { text, values } of rivals?.(xs) ?? []) drawLine(chart, xs, values, "rival", text);
      const start = Math.max(
        model.findIndex(({ x }) => x >= validFrom * (1 - 1e-6)),
        0,
      );
      /** @type {(part: Figure[], cls: string, what: string) => void} */
      const line = (part, cls, what) =>
        void drawLine(
          chart,
          part.map(({ x }) => x),
          part.map(({ value }) => value),
          cls,
          `${named}${what}`,
        );
      if (start > 0) line(model.slice(0, start + 1), "rival", "outside the last segment");
      if (model.length) line(model.slice(start), cls, "prediction: median of all plausible models");
    }
    for (const { cls, named, dots } of lines)
      drawDots(chart, dots, `${cls} open`, { name: `${named}${observed}` });
    const ends = lines.flatMap(({ name, cls, model, dots }) => {
      const y = model[model.length - 1]?.value ?? dots[dots.length - 1]?.y;
      return name && y > 0 ? [{ text: cutText(name, 10), y, cls }] : [];
    });
    drawEndLabels(chart, ends);
  }

  /** @type {(scale: number) => Reading[]} */
  readings(scale) {
    const { positions } = this.state.report;
    const point = positions.pointAt(this.state.target, scale);
    const measured = this.lines.flatMap(({ name, cls, unit, level, k }) => {
      const runs = point === undefined ? [] : level.singles(k, point);
      const text = runs.map((y) => quantity(y, unit)).join(", ");
      /** @type {Reading[]} */
      const row = [[cls, `${name ? `${name}, ` : ""}${positions.observed}`, text]];
      return runs.length ? row : [];
    });
    const ahead = this.figuresAt(scale).map(({ line, figure }) => {
      const name = `${line.name ? `${line.name}, ` : ""}model`;
      return /** @type {Reading} */ ([line.cls, name, estimateText(figure.value, figure, line.unit)]);
    });
    return [...measured, ...ahead];
  }
}
