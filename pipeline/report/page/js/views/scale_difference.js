// @ts-check
// The differential flame graph of two scales of one study, each measured or the target.

import { MODELLED } from "../data/call_tree.js";
import { Difference } from "../data/difference.js";
import { byId, selector } from "../draw/dom.js";
import { percent, pointChoices, pointText } from "../text/numbers.js";
import { DifferenceView } from "./difference.js";

/** @import { Where } from "../data/call_tree.js" */
/** @import { Side } from "../data/difference.js" */
/** @import { Report } from "../data/report.js" */
/** @import { BoxTree } from "../draw/boxes.js" */
/** @import { State } from "../state.js" */
/** @import { Compared } from "../text/difference.js" */

/**
 * The smallest and the largest measured scale, the other parameters alike; the target if only one was measured.
 * @param {Report} report
 * @returns {[Where, Where]}
 */
export function openingPair({ positions }) {
  const along = positions.pointsAlong(positions.points[positions.largest]);
  return along.length > 1 ? [along[0], along[along.length - 1]] : [positions.largest, "target"];
}

/**
 * The values of one side.
 * @param {Report} report
 * @param {Where} where
 * @param {number[]} target
 * @returns {Side}
 */
export function sideAt({ tree, positions }, where, target) {
  const { level } = tree;
  const exclusive = tree.exclusive(MODELLED, where, target).map((value) => value || 0);
  if (where === "target") {
    const whole = level.intervalOfTotal(target);
    return {
      whole: whole && { low: whole[0], high: whole[1], of: "90 % interval" },
      name: `predicted at ${pointText(positions.parameters, target)}`,
      kind: "model",
      exclusive,
      range: (k) => {
        const ends = level.interval(k, target);
        return ends && { low: ends[0], high: ends[1], of: "90 % interval" };
      },
    };
  }
  return {
    whole: null,
    name: `measured at ${pointText(positions.parameters, positions.points[where])}`,
    kind: "measured",
    exclusive,
    range: (k) => {
      const runs = level.singles(k, where);
      if (runs.length < 2) return null;
      return { low: Math.min(...runs), high: Math.max(...runs), of: `${runs.length} runs` };
    },
  };
}

/**
 * Under strong scaling, what of the effort is lost is what efficiency loses.
 * @param {Report} report
 * @param {Difference} difference
 * @param {[number, number]} scales
 */
export function lossNote({ program }, difference, scales) {
  if (!program?.strong || scales[1] <= scales[0]) return [];
  const { a, b, total } = difference;
  const ends = a.kind === "measured" && b.whole ? [total.a / b.whole.high, total.a / b.whole.low] : [];
  const range = ends.length ? ` (${ends.map(percent).join(" to ")})` : "";
  return [`Parallel efficiency at B relative to A: ${percent(1 / difference.common)}${range}.`];
}

export class ScaleDifference {
  /**
   * @param {Report} report
   * @param {State} state
   * @param {BoxTree} boxes
   * @param {(k: number) => string} look
   */
  constructor(report, state, boxes, look) {
    this.report = report;
    this.state = state;
    this.opening = openingPair(report);
    this.pair = [this.kept("a", this.opening[0]), this.kept("b", this.opening[1])];
    this.places = "";
    /** @type {Compared | null} */
    this.made = null;
    const { region } = report.tree.level;
    const select = (/** @type {number} */ k) => state.select({ region: region[k], node: k });
    this.view = new DifferenceView(byId("difference"), boxes, state, {
      compared: () => this.compared(),
      look,
      select,
    });
  }

  /**
   * A side as the address has it.
   * @param {string} name
   * @param {Where} otherwise
   * @returns {Where}
   */
  kept(name, otherwise) {
    const value = this.state.kept.get(name);
    if (value === "target") return value;
    const point = Number(value ?? NaN);
    return point in this.report.positions.points ? point : otherwise;
  }

  /** What the sides are now, made again only if one of them has moved. */
  compared() {
    const places = this.pair
      .map((where) => `${where}: ${where === "target" ? this.state.target : ""}`)
      .join();
    if (places !== this.places || !this.made) this.made = this.make();
    this.places = places;
    return this.made;
  }

  /** @returns {Compared} */
  make() {
    const { report, state } = this;
    const [a, b] = this.pair.map((where) => sideAt(report, where, [...state.target]));
    const difference = new Difference(report.tree, a, b);
    return {
      difference,
      metric: report.metric,
      unit: report.unit,
      only: [`only at ${this.place(0)}`, `only at ${this.place(1)}`],
      notes: this.notes(difference),
      remarks: () => [],
    };
  }

  /** @param {number} side */
  at(side) {
    const where = this.pair[side];
    return where === "target" ? this.state.target : this.report.positions.points[where];
  }

  /** @param {number} side */
  place(side) {
    return pointText(this.report.positions.parameters, this.at(side));
  }

  /** @param {Difference} difference */
  notes(difference) {
    const { column } = this.report.positions;
    const [a, b] = [this.at(0), this.at(1)];
    const along = a.every((value, d) => d === column || value === b[d]);
    return along ? lossNote(this.report, difference, [a[column], b[column]]) : [];
  }

  options() {
    const points = pointChoices(this.report.positions, "measured at ");
    /** @type {[string, string][]} */
    const places = [...points, ["target", "predicted at the target"]];
    const sides = ["a", "b"].map((name, side) =>
      selector(name.toUpperCase(), places, this.pair[side], (value) => {
        this.pair[side] = value === "target" ? value : Number(value);
        this.state.keep(name, this.pair[side] === this.opening[side] ? null : value);
        this.view.draw();
      }),
    );
    return [...sides, ...this.view.options()];
  }
}
