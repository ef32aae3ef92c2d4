// @ts-check
// All that the page knows, ready to be asked.

import { CallTree } from "./call_tree.js";
import { Level } from "./level.js";
import { KernelLocations } from "./locations.js";
import { floats } from "./payload.js";
import { Program } from "./program.js";
import { Space } from "./space.js";

/** @import { ImbalancePayload, Payload } from "./payload.js" */
/** @typedef {ReturnType<typeof readReport>} Report */
/** @typedef {ReturnType<typeof metricOf>} Metric */
/** @typedef {"regions" | "callpaths"} LevelName */
/** @typedef {Record<LevelName, Level>} Levels */

/** @param {Payload} payload */
export function readReport(payload) {
  const space = new Space(payload);
  const callpaths = new Level(payload.levels.callpaths, space, payload.regions);
  const regions = new Level(payload.levels.regions, space, payload.regions, {
    additive: true,
    fine: callpaths,
  });
  const chosen = metricOf(payload.metric, payload.unit, true, () => ({ regions, callpaths }));
  const others = payload.others.map(({ metric, unit, additive, levels }) =>
    metricOf(metric, unit, additive, () => {
      const { node } = levels.callpaths;
      const fine = new Level(levels.callpaths, space, payload.regions, { additive, whole: callpaths, node });
      const coarse = { additive, fine: additive ? fine : undefined };
      return { regions: new Level(levels.regions, space, payload.regions, coarse), callpaths: fine };
    }),
  );
  return {
    space,
    levels: { regions, callpaths },
    metrics: [chosen, ...others],
    tree: new CallTree(callpaths, payload.metrics, payload.relativeGrowth),
    effort: chosen.label,
    unit: chosen.unit,
    metric: chosen.name,
    limits: payload.limits,
    imbalance: payload.imbalance && imbalanceOf(payload.imbalance),
    locations: payload.locations.map((raw) => new KernelLocations(raw)),
    filter: payload.filter,
    runtime: payload.runtime,
    program: payload.program && new Program(payload.program, callpaths),
    roofline: payload.roofline,
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

/** @param {ImbalancePayload} raw */
function imbalanceOf({ unit, kernels, locations, low, mean, high }) {
  return { unit, kernels, locations, low: floats(low), mean: floats(mean), high: floats(high) };
}
