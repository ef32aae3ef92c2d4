// @ts-check
// All that the page knows, ready to be asked.

import { CallTree } from "./call_tree.js";
import { KernelSet } from "./kernel_set.js";
import { KernelLocations } from "./locations.js";
import { floats } from "./payload.js";
import { Positions } from "./positions.js";

/** @import { Figure } from "./kernel_set.js" */
/** @import { EstimatesPayload, Point, ProgramPayload, ReportPayload } from "./records.js" */

/**
 * The figures that are shown of a target, by label.
 * @param {ProgramPayload} program
 * @param {Positions} positions
 * @param {Point} at
 */
export function answersAt({ answers }, positions, at) {
  const place = positions.placeOf(at);
  const scale = [at[positions.column]];
  return answers.flatMap(({ label, unit, ...ends }) => {
    const [value, lower, upper] = [ends.value, ends.lower, ends.upper].map((end) => [end[place]]);
    return figuresOf({ scale, value, lower, upper }).map((figure) => ({ label, unit, figure }));
  });
}

/** @type {(estimates: EstimatesPayload) => Figure[]} the figures that are available, by scale */
export function figuresOf({ scale, value, lower, upper }) {
  return scale
    .map((x, i) => ({
      x,
      value: value[i] ?? Number.NaN,
      lower: lower[i] ?? Number.NaN,
      upper: upper[i] ?? Number.NaN,
    }))
    .filter((one) => Number.isFinite(one.value));
}

/** @typedef {ReturnType<typeof readReport>} Report */
/** @typedef {ReturnType<typeof metricOf>} Metric */
/** @typedef {"regions" | "callpaths"} LevelName */
/** @typedef {Record<LevelName, KernelSet>} Levels */

/** @param {ReportPayload} payload */
export function readReport(payload) {
  const positions = new Positions(payload);
  const callpaths = new KernelSet(payload.levels.callpaths, positions, payload.regions);
  const regions = new KernelSet(payload.levels.regions, positions, payload.regions);
  const chosen = metricOf(payload.metric, payload.unit, true, () => ({ regions, callpaths }));
  const others = payload.others.map(({ metric, unit, additive, levels }) =>
    metricOf(metric, unit, additive, () => {
      const part = { additive, whole: callpaths, node: levels.callpaths.node };
      return {
        regions: new KernelSet(levels.regions, positions, payload.regions, { additive }),
        callpaths: new KernelSet(levels.callpaths, positions, payload.regions, part),
      };
    }),
  );
  const { imbalance } = payload;
  return {
    ...payload,
    positions,
    levels: { regions, callpaths },
    metrics: [chosen, ...others],
    tree: new CallTree(callpaths, payload.metrics, payload.relativeGrowth),
    effort: chosen.label,
    imbalance: imbalance && {
      ...imbalance,
      low: floats(imbalance.low),
      mean: floats(imbalance.mean),
      high: floats(imbalance.high),
    },
    locations: payload.locations.map((raw) => new KernelLocations(raw)),
  };
}

/**
 * A metric with its levels, which are made when the reader first looks at them.
 * @param {string} name
 * @param {string} unit
 * @param {boolean} additive
 * @param {() => Levels} make
 */
function metricOf(name, unit, additive, make) {
  /** @type {Levels | null} */
  let made = null;
  return {
    name,
    unit,
    additive,
    label: unit ? `${name} (${unit})` : name,
    /** @returns {Levels} */
    get levels() {
      made ??= make();
      return made;
    },
  };
}
