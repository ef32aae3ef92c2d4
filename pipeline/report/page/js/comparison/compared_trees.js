// @ts-check
// The call paths of two studies as call_tree_data.py writes them: one tree, and the values of both at a scale.

import { RegionNames, Tree } from "../data/call_tree.js";
import { floats } from "../data/payload.js";

/** @import { Side } from "../data/difference.js" */
/** @import { Floats, Region } from "../data/payload.js" */
/**
 * @typedef {object} PackedValues per call path, NaN if the study lacks it
 * @property {Floats} value
 * @property {Floats} lower
 * @property {Floats} upper
 * @property {[number, number] | null} whole ends of the interval of the whole program; null if measured
 */
/** @typedef {[number, number | null, number | null]} Change B / A with its interval, null without an end */
/** @typedef {[number, string, (Change | null)[]]} Judged call path or -1, verdict, ratio per scale */

/**
 * @typedef {object} Payload K call paths, callers before their callees
 * @property {string} a
 * @property {string} b
 * @property {string} metric
 * @property {string} unit
 * @property {Region[]} regions
 * @property {number[]} region K
 * @property {number[]} parent K, -1 for a root
 * @property {{name: string, predicted: boolean, runs: [number, number], a: PackedValues, b: PackedValues}[]} scales
 * @property {Judged[]} kernels in the order of the page's table
 */

/** @param {Payload} payload */
export function readTrees(payload) {
  const tree = new Tree(new RegionNames(payload.regions, payload.region, payload.parent));
  const scales = payload.scales.map(({ name, predicted, runs, a, b }) => {
    const place = `${predicted ? "predicted" : "measured"} at ${name}`;
    const values = { a: floats(a.value), b: floats(b.value) };
    return {
      place,
      predicted,
      a: () => sideOf(values.a, a, `${payload.a}, ${place}`, predicted, runs[0]),
      b: () => sideOf(values.b, b, `${payload.b}, ${place}`, predicted, runs[1]),
      /** Whether both studies have a call path at all. */
      both: (/** @type {number} */ k) => !Number.isNaN(values.a[k]) && !Number.isNaN(values.b[k]),
    };
  });
  return { tree, scales };
}

/**
 * @param {Float32Array} values
 * @param {PackedValues} packed
 * @param {string} name
 * @param {boolean} predicted
 * @param {number} runs
 * @returns {Side}
 */
function sideOf(values, packed, name, predicted, runs) {
  const [lower, upper] = [floats(packed.lower), floats(packed.upper)];
  const of = predicted ? "90 % interval" : `${runs} runs`;
  const { whole } = packed;
  return {
    name,
    whole: whole && { low: whole[0], high: whole[1], of },
    kind: predicted ? "model" : "measured",
    exclusive: Float64Array.from(values, (value) => value || 0),
    range: (k) => {
      const known = (predicted || runs > 1) && Number.isFinite(lower[k]) && Number.isFinite(upper[k]);
      return known ? { low: lower[k], high: upper[k], of } : null;
    },
  };
}
