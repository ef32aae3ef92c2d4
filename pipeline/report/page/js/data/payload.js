// @ts-check
// The page's data as payload.py writes it: JSON, with arrays of floats in base64, row by row.

/** @typedef {string} Floats base64 of little-endian float32 */
/** @typedef {string} Doubles base64 of little-endian float64 */
/** @typedef {[string, number]} Exponent power as text ("3/2") and power of the logarithm */
/** @typedef {number[]} Point a value per parameter */

/**
 * @typedef {object} Payload
 * @property {string[]} parameters
 * @property {number} column the parameter that scales
 * @property {Point[]} points measured points
 * @property {number} largest index of the largest measured point
 * @property {Point[]} targets the page opens at the last
 * @property {Point} first lower ends of the sliders
 * @property {Point} reach their upper ends
 * @property {string} metric
 * @property {string} unit
 * @property {boolean} relativeGrowth growth is judged by shares, since the parameter counts no processes
 * @property {{growing: number, noteworthy: number}} limits of the flags
 * @property {Constants} constants of the models, as Python has them
 * @property {Region[]} regions
 * @property {{regions: LevelPayload, callpaths: LevelPayload}} levels
 * @property {{name: string, unit: string, values: Floats}[]} metrics of the call tree: K x points
 * @property {MetricPayload[]} others metrics that the reader can switch to
 * @property {ImbalancePayload | null} imbalance
 * @property {LocationsPayload[]} locations of one metric each
 * @property {FilterPayload | null} filter
 * @property {RuntimeChart[] | null} runtime null if the models are not of time
 * @property {ProgramPayload | null} program figures of the whole program; null as runtime
 * @property {RooflinePayload | null} roofline null if the machine measured on is not known
 */

/**
 * @typedef {object} Constants by the module that needs them; constants.py says which they are in Python
 * @property {{upper: number, steps: number, margin: number, farther: number, negligible: number}} mixture
 * @property {{width: number, halfLife: number, steepestFall: number, ridge: number, fullReach: number,
 *   smallestEnd: number, lopsided: number, below: number, above: number}} trend
 * @property {{least: number, twoSided: number, mostVariance: number, bend: number, apart: number,
 *   sideBelow: number, sideAbove: number, halvings: number, steepest: number}} total
 * @property {{scales: number, followers: number, share: number}} crossovers
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
 * @property {[string, string, number, string, string][]} kernels name, short, share, what limits it, figures
 */

/** @typedef {[string, string, number | null, number, number]} RooflinePoint name, level, flop/B, flop/s, run */

/**
 * @typedef {object} MetricPayload a metric beside the chosen one; kernels that are zero everywhere are left out
 * @property {string} metric
 * @property {string} unit
 * @property {boolean} additive whether its values have a sum
 * @property {{regions: LevelPayload & PartPayload, callpaths: LevelPayload & PartPayload}} levels
 */

/**
 * @typedef {object} PartPayload
 * @property {number[]} node per kernel the call path of the chosen metric, -1 for regions
 */

/**
 * @typedef {object} RuntimeChart a figure over the scaled parameter, the other parameters at the target
 * @property {string} name
 * @property {string} label
 * @property {number} target
 * @property {Estimates} points measured
 * @property {Estimates} curve of the models
 * @property {(number | null)[] | null} ideal along the curve
 * @property {number | null} threshold the efficiency asked for, in charts of efficiency
 */

/** @typedef {{name: string, label: string, unit: string, estimates: Estimates}} AnswerPayload along the grid */

/**
 * @typedef {object} ProgramPayload the figures that are known, and what they are made of
 * @property {AnswerPayload[]} answers
 * @property {"strong" | "weak" | "size" | "unknown"} comparison what points are compared by
 * @property {boolean} perLocation whether totals are seconds of one location
 * @property {number} commonError half-width of an interval, in logarithms, that all totals share
 * @property {number} measuredError the same of measured totals
 * @property {{factor: number, parameters: number[]} | null} locations the product of parameters times a factor
 * @property {{value: (number | null)[], below: (number | null)[], above: (number | null)[]}} measured totals per
 *   point, with the logarithms of value over lower end and of upper end over value
 */

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
 * @typedef {object} LevelPayload K kernels, G points of the grid
 * @property {number[]} region index into regions, per kernel
 * @property {number[]} parent the caller's kernel, -1 for a root
 * @property {Floats} mean K x points
 * @property {{count: number, kernels: number[], values: Floats}} repetitions
 * @property {ModelsPayload} models
 * @property {PredictorPayload | null} predictor null if predictions are not of formulas and trends alone
 * @property {number[]} grid scales with exact predictions, ascending, the other parameters at the target
 * @property {Floats} value K x G predictions
 * @property {Floats} lower
 * @property {Floats} upper
 * @property {{lower: Floats, upper: Floats}} total G
 * @property {Floats} growing probability that a kernel grows
 * @property {Floats} smape
 * @property {Floats} cvSmape
 * @property {{unreliable: number[], not_measurable: number[], start_up: number[]}} standing 1 or 0, per kernel
 * @property {[number, number, number, boolean][] | null} crossovers overtakes, overtaken, at, in the measured range;
 *   null if the page finds them
 */

/**
 * @typedef {object} PredictorPayload what predictions of N kernels at any point are made of, the weightiest ones
 * @property {number[]} kernels N of the level
 * @property {boolean} nonnegative
 * @property {number} correlation of the errors of all kernels
 * @property {Point} last the largest measured value of every parameter
 * @property {RivalsPayload} rivals
 * @property {TrendPayload | null} trend
 * @property {WholePayload | null} whole the model of the sum of all kernels; null unless it is their total's
 */

/** @typedef {{last: Point, nonnegative: boolean, rivals: RivalsPayload, trend: TrendPayload | null, bend: number}} WholePayload */

/**
 * @typedef {object} RivalsPayload all plausible models of N kernels, R together, those of a kernel in sequence
 * @property {[number, number][][]} terms power and power of the logarithm per parameter
 * @property {number[][]} hypotheses lists of terms
 * @property {number[]} sharpness per hypothesis: the sum is the value to the power of it
 * @property {number[]} count N numbers of models
 * @property {number[]} hypothesis R
 * @property {Floats} weight R probabilities
 * @property {Doubles} coefficients per model its constant, then one per term
 * @property {Floats} root per model the lower triangle L, row by row, of the covariance L L'
 * @property {Floats} reach N quantiles of Student's t at the upper end of an interval
 * @property {Floats} degrees N degrees of freedom
 * @property {boolean} many whether all kernels have many degrees of freedom
 * @property {Floats} drift N relative standard deviations gained with a doubling beyond the range
 * @property {Floats | null} common N standard deviations of the logarithm that all measurements share
 * @property {number[]} sure N, 1 for kernels that surely grow
 */

/**
 * @typedef {object} TrendPayload what N kernels were measured at P points
 * @property {Point[]} points
 * @property {number[]} steepest slope per parameter
 * @property {number[]} formulaError per parameter
 * @property {number[]} trendError per parameter
 * @property {number} formulasHold probability that formulas and noise are all there is
 * @property {Floats} logs N x P logarithms, NaN for none
 * @property {Floats | null} misfit N x P by how much they exceed the formulas; null if that does not count
 * @property {Floats} noise N relative standard deviations of the last means
 * @property {Floats} shift N per unit of the logarithm beyond the range
 */

/**
 * @typedef {object} ModelsPayload M models per kernel, the chosen one first
 * @property {Exponent[][]} terms an exponent per parameter
 * @property {number[][]} hypotheses lists of terms
 * @property {number[]} sharpness per hypothesis; beyond 1: (constant^s + (coefficient * term)^s)^(1/s)
 * @property {number} rivals M
 * @property {number[]} chosen K x M indices into hypotheses, -1 for none
 * @property {Floats} weight probabilities of the models that there are, and of the first of every kernel
 * @property {Doubles} coefficients of the same: the constant, then one per term
 * @property {boolean} nonnegative
 * @property {Floats} validFrom K x parameters
 * @property {number[][]} growths lists of leading terms
 * @property {number[]} growth index into growths, per kernel
 * @property {string[]} growthClasses how kernels grow, in words
 * @property {number[]} growthClass index into growthClasses, per kernel
 * @property {number[]} growthUncertain 1 or 0, per kernel
 * @property {string[][]} warnings lists of texts
 * @property {number[]} warning index into warnings, per kernel
 */

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

/** @typedef {string} Steps base64 of little-endian uint16: 65534 is the largest value, 65535 unknown */

/**
 * @typedef {object} FilterPayload
 * @property {string} method
 * @property {string[]} reasons
 * @property {FilterRow[]} rows
 */

/** @typedef {[string, string, boolean, number, number, number]} FilterRow name, short, kept, reason, visits, time */

/** @param {string} text */
function bytes(text) {
  const raw = atob(text);
  const array = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) array[i] = raw.charCodeAt(i);
  return array.buffer;
}

/** @param {Floats} text */
export function floats(text) {
  return new Float32Array(bytes(text));
}

/** @param {Steps} text */
export function steps(text) {
  return new Uint16Array(bytes(text));
}

/** @param {Doubles} text */
export function doubles(text) {
  return new Float64Array(bytes(text));
}
