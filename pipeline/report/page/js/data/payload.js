// @ts-check
// The page's data as page_data.py writes it: compressed JSON with arrays of floats as bytes beside it, row by row.

/** @import { ColumnPayload } from "../draw/table.js" */
/** @typedef {Uint8Array} Floats float32 as differences from number to number, the lowest bytes of all first */
/** @typedef {number[]} Point a value per parameter */

/**
 * @typedef {object} Payload
 * @property {string[]} parameters
 * @property {number} column the parameter that scales
 * @property {Point[]} points measured points
 * @property {number} largest index of the largest measured point
 * @property {number[]} scales S values of the parameter that scales, ascending
 * @property {Point[]} lines L points; with the scales they make the L x S positions, and the page opens at the first
 * @property {number} reach the largest scale that curves are drawn to
 * @property {boolean} measuredOnly whether nothing is predicted: values at the positions were measured
 * @property {string} metric
 * @property {string} unit
 * @property {boolean} relativeGrowth growth is judged by shares, since the parameter counts no processes
 * @property {{growing: number, noteworthy: number, far: number, veryFar: number}} limits of flags and warnings
 * @property {[string, string][]} factors counts, and the time of each, whose product is the effort
 * @property {ColumnPayload[]} heads of the columns of kernels that follow the target
 * @property {Region[]} regions
 * @property {{regions: KernelsPayload, callpaths: KernelsPayload}} levels
 * @property {{name: string, unit: string, values: Floats}[]} metrics of the call tree: K x points
 * @property {MetricPayload[]} others metrics that the reader can switch to
 * @property {ImbalancePayload | null} imbalance
 * @property {LocationsPayload[]} locations of one metric each
 * @property {FilterPayload | null} filter
 * @property {ProgramPayload | null} program figures of the whole program; null if the models are not of time
 * @property {RooflinePayload | null} roofline null if the machine measured on is not known
 */

/**
 * @typedef {object} RooflinePayload regions with hardware counters on one node of the machine measured on
 * @property {string} machine
 * @property {[string, number][]} bandwidths ceilings in B/s, the fastest first
 * @property {[string, number][]} peaks ceilings in flop/s, the fastest first
 * @property {string[]} runs the measured points
 * @property {number} judged the run that the verdicts are about
 * @property {string[]} levels of memory where bytes were counted, the farthest first
 * @property {RooflinePoint[]} points
 * @property {string[]} names of regions
 * @property {ColumnPayload[]} columns of them: what limits each
 */

/** @typedef {[string, string, number | null, number, number]} RooflinePoint name, level, flop/B, flop/s, run */

/**
 * @typedef {object} MetricPayload a metric beside the chosen one; kernels that are zero everywhere are left out
 * @property {string} metric
 * @property {string} unit
 * @property {boolean} additive whether its values have a sum
 * @property {{regions: KernelsPayload & PartPayload, callpaths: KernelsPayload & PartPayload}} levels
 */

/**
 * @typedef {object} PartPayload
 * @property {number[]} node per kernel the call path of the chosen metric, -1 for regions
 */

/**
 * @typedef {object} RuntimeChart a figure over the scaled parameter
 * @property {string} name
 * @property {string} label
 * @property {number | null} threshold the efficiency asked for, in charts of efficiency
 * @property {(ChartLine | null)[]} lines per line of positions
 */

/**
 * @typedef {object} ChartLine
 * @property {Estimates} points measured
 * @property {Estimates} heldOut measured, but not known to the models
 * @property {Estimates} curve of the models
 * @property {(number | null)[] | null} ideal along the curve
 */

/**
 * @typedef {object} ProgramPayload the figures that are known
 * @property {boolean} strong whether points are compared as under strong scaling
 * @property {AnswerPayload[]} answers
 * @property {Record<string, (string | null)[]>} [said] texts at all positions: the verdict, its trust, and answers
 * @property {RuntimeChart[]} charts
 * @property {SurfacePayload | null} surface null unless a size varies beside the scale
 */

/**
 * @typedef {object} SurfacePayload figures over a size and a scale
 * @property {string} scaled
 * @property {string} size
 * @property {number[]} at the other parameters of the figures
 * @property {string} beside the same in words, empty without any
 * @property {number[]} scales ascending
 * @property {number[]} sizes ascending
 * @property {Omit<Estimates, "scale">} efficiency size by size
 * @property {(number | null)[]} wall seconds, size by size
 * @property {number} share the efficiency asked for
 * @property {string} reference what efficiencies are relative to
 */

/** @typedef {{label: string, unit: string} & Omit<Estimates, "scale">} AnswerPayload at all positions */

/**
 * @typedef {object} Estimates values with 90 % intervals, null for what is not available
 * @property {number[]} scale ascending
 * @property {(number | null)[]} value
 * @property {(number | null)[]} lower
 * @property {(number | null)[]} upper
 */

/**
 * @typedef {object} Region
 * @property {string} name
 * @property {string} [short]
 * @property {string} [mangled]
 * @property {string} [paradigm]
 * @property {string} [source]
 */

/**
 * @typedef {object} KernelsPayload K kernels, G positions
 * @property {number[]} region index into regions, per kernel
 * @property {number[]} parent the caller's kernel, -1 for a root
 * @property {Floats} mean K x points
 * @property {{count: number, kernels: number[], values: Floats}} repetitions
 * @property {Floats} value K x G predictions
 * @property {EndsPayload} weighty intervals at all positions
 * @property {EndsPayload} others intervals of the others, at measured and requested positions
 * @property {Omit<Estimates, "scale"> | null} total G; null without a sum
 * @property {{unreliable: number[], not_measurable: number[], start_up: number[]}} standing 1 or 0, per kernel
 * @property {[number, number, number, number, string, string][]} crossovers overtakes, overtaken, at, value there,
 *   where it is in words, and how sure it is
 * @property {ColumnPayload[]} further columns that no view draws in its own way
 * @property {Floats} growing probability that a kernel grows
 * @property {Floats} smape
 * @property {Floats} cvSmape
 * @property {Floats} validFrom K x parameters
 * @property {[string, number][][]} rivals plausible models with their probabilities, the most plausible first
 * @property {string[]} formula of what is predicted
 * @property {string[]} rangeTexts where formulas agree with predictions
 * @property {number[]} range index into them, per kernel
 * @property {string[]} latex the formula with its range
 * @property {string[]} python the formula as a function
 * @property {Floats} curves what the formulas of weighty kernels give, one after the other: R x G
 * @property {string[]} growthClassTexts how kernels grow, in words
 * @property {number[]} growthClass index into them, per kernel
 * @property {string[][]} warningTexts lists of texts
 * @property {number[]} warning index into them, per kernel
 */

/** @typedef {{kernels: number[], positions: number[], lower: Floats, upper: Floats}} EndsPayload */

/**
 * @typedef {object} ImbalancePayload N call paths, the most uneven first
 * @property {string} unit
 * @property {number[]} locations per point
 * @property {number[]} kernels
 * @property {Floats} low N x points: the smallest value of a location
 * @property {Floats} mean
 * @property {Floats} high
 */

/**
 * @typedef {object} LocationsPayload the K largest kernels on each location
 * @property {string} metric
 * @property {string} unit
 * @property {boolean} accelerators whether the locations are accelerators
 * @property {[number, number, number][]} kernels region, call path or -1 for all of the region, whether it is
 *   the only one of the region
 * @property {PointLocationsPayload[]} points
 */

/**
 * @typedef {object} PointLocationsPayload B locations, or ranges of locations; null if there are no ranges
 * @property {number} point index of the measured point
 * @property {[string, number][]} nodes names, empty if unknown, and for how many of B
 * @property {number[]} process
 * @property {number[] | null} thread null if all are zero
 * @property {number[] | null} lastProcess
 * @property {number[] | null} lastThread null if all are zero
 * @property {number[] | null} count locations of a range
 * @property {Floats} top K largest values of a location
 * @property {Steps} mean K x B
 * @property {Steps | null} low
 * @property {Steps | null} high
 */

/** @typedef {Uint8Array} Steps little-endian uint16: 65534 is the largest value, 65535 unknown */

/** @typedef {{method: string, names: string[], columns: ColumnPayload[]}} FilterPayload one row per region */

const BYTES = "$bytes";

/** @param {string} text */
function bytes(text) {
  const raw = atob(text);
  const array = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) array[i] = raw.charCodeAt(i);
  return array.buffer;
}

/** @param {Floats} planes */
export function floats(planes) {
  const count = planes.length / 4;
  const array = new Uint32Array(count);
  for (let i = 0, last = 0; i < count; i++) {
    last +=
      planes[i] + (planes[count + i] << 8) + (planes[2 * count + i] << 16) + (planes[3 * count + i] << 24);
    array[i] = last;
    last |= 0;
  }
  return new Float32Array(array.buffer);
}

/** @param {Steps} raw */
export function steps(raw) {
  return new Uint16Array(raw.slice().buffer);
}

/**
 * Data as `compressed` in embedding.py writes them.
 * @param {string} text
 * @returns {Promise<any>}
 */
export async function unpacked(text) {
  const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const content = await new Response(stream).arrayBuffer();
  const rest = 4 + new DataView(content).getUint32(0, true);
  /** @type {(_: string, value: any) => any} */
  const placed = (_, value) =>
    value?.[BYTES] ? new Uint8Array(content, rest + value[BYTES][0], value[BYTES][1]) : value;
  return JSON.parse(new TextDecoder().decode(new Uint8Array(content, 4, rest - 4)), placed);
}

/** The data that a page carries. */
export function readData() {
  return unpacked(document.getElementById("data")?.textContent ?? "");
}
