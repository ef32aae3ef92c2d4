// @ts-check
// All that the page knows, ready to be asked.

import { CallTree } from "./call_tree.js";
import { Level } from "./level.js";
import { floats } from "./payload.js";
import { Space } from "./space.js";

/** @import { ImbalancePayload, Payload } from "./payload.js" */
/** @typedef {ReturnType<typeof readReport>} Report */
/** @typedef {"regions" | "callpaths"} LevelName */

/** @param {Payload} payload */
export function readReport(payload) {
  const space = new Space(payload);
  const callpaths = new Level(payload.levels.callpaths, space, payload.regions);
  return {
    space,
    levels: { regions: new Level(payload.levels.regions, space, payload.regions), callpaths },
    tree: new CallTree(callpaths, payload.metrics, payload.relativeGrowth),
    metric: payload.metric,
    unit: payload.unit,
    effort: payload.unit ? `${payload.metric} (${payload.unit})` : payload.metric,
    limits: payload.limits,
    imbalance: payload.imbalance && imbalanceOf(payload.imbalance),
    filter: payload.filter,
    runtime: payload.runtime,
  };
}

/** @param {ImbalancePayload} raw */
function imbalanceOf({ unit, kernels, locations, low, mean, high }) {
  return { unit, kernels, locations, low: floats(low), mean: floats(mean), high: floats(high) };
}
