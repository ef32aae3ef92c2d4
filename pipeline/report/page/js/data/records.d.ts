// Written by `python -m tools.payload_types` from the records that pages carry; not to be edited.

/** A figure of the whole program at all positions. */
export interface AnswerPayload extends IntervalsPayload {
  label: string;
  unit: string;
}

/** A change of one kernel in words, by the measure that matters most. */
export interface ChangeTexts {
  name: string;
  address: string;
  date: string;
  between: string;
  what: string;
  factor: string;
  interval: string;
  before: string;
  after: string;
  direction: string;
}

/** What a chart shows along a line of positions. */
export interface ChartLinePayload {
  /** measured */
  points: EstimatesPayload;
  /** measured, but not known to the models */
  heldOut: EstimatesPayload;
  /** of the models */
  curve: EstimatesPayload;
  /** along the curve */
  ideal: (number | null)[] | null;
}

/** A figure over the scaled parameter. */
export interface ChartPayload {
  name: string;
  label: string;
  /** the efficiency asked for, in charts of efficiency */
  threshold: number | null;
  /** per line of positions */
  lines: (ChartLinePayload | null)[];
}

/** A column of a table, with a value and a text per row. */
export interface ColumnPayload {
  key: string;
  title: string;
  help: string;
  number: boolean;
  values: (number | string | null)[];
  texts: string[];
}

/** All that the script of a comparison knows: call paths, callers before their callees. */
export interface ComparisonPayload extends PositionsPayload {
  metric: string;
  unit: string;
  regions: RegionPayload[];
  /** A and B */
  studies: StudyPayload[];
  /** points that were measured in both, by scale */
  common: number[];
  /** the most important first */
  kernels: ([number, ([number, number | null, number | null] | null)[], string, string[]])[];
  /** what the table says of them */
  columns: ColumnPayload[];
  /** B / A of the same kernels as those of the studies, predicted */
  ratio: ValuesPayload;
  /** at each position */
  said: string[];
}

/** Intervals of some kernels at some positions, kernel by kernel. */
export interface EndsPayload {
  kernels: number[];
  positions: number[];
  lower: Floats;
  upper: Floats;
}

/** The same at scales, which ascend. */
export interface EstimatesPayload extends IntervalsPayload {
  scale: number[];
}

/** What the filter decides, one row per region. */
export interface FilterPayload {
  names: string[];
  columns: ColumnPayload[];
}

export type Floats = Uint8Array;

/** All that the script of a history knows of entries and kernels, the whole program first. */
export interface HistoryPayload {
  /** of the entries */
  names: string[];
  dates: string[];
  /** entries, and what is written below them */
  ticks: [number, string][];
  /** kind of the measure that the page opens with */
  opening: string;
  columns: ColumnPayload[];
  /** of the kernels */
  levels: string[];
  /** their callers */
  places: string[];
  /** per kernel, the newest first */
  changes: ChangeTexts[][];
  measures: MeasurePayload[];
}

/** Values of locations of N call paths, the most uneven first. */
export interface ImbalancePayload {
  unit: string;
  /** per point */
  locations: number[];
  kernels: number[];
  /** N x P: the smallest value of a location */
  low: Floats;
  mean: Floats;
  high: Floats;
}

/** Values with their 90 % intervals. */
export interface IntervalsPayload {
  value: (number | null)[];
  lower: (number | null)[];
  upper: (number | null)[];
}

/** The kernels of a level. */
export interface KernelsPayload extends ValuesPayload {
  standing: StandingPayload;
  crossovers: ([number, number, number, number | null, string, string])[];
  /** columns that no view draws in its own way */
  further: ColumnPayload[];
  /** probability that a kernel grows */
  growing: Floats;
  smape: Floats;
  cvSmape: Floats;
  /** K x parameters */
  validFrom: Floats;
  /** plausible models, the most probable first, empty if the formula */
  rivals: [string, number][][];
  /** of what is predicted */
  formula: string[];
  /** the formula with its range */
  latex: string[];
  /** the formula as a function */
  python: string[];
  /** where formulas agree with predictions */
  range: string[];
  /** how kernels grow */
  growthClass: string[];
  warnings: string[][];
  /** what the formulas of weighty kernels give, one after the other: rivals x G */
  curves: Floats;
  /** of another metric than the chosen one: its call path of the chosen metric, -1 for regions */
  node?: number[];
}

/** Both levels of detail. */
export interface LevelsPayload {
  regions: KernelsPayload;
  callpaths: KernelsPayload;
}

/** From where on flags and warnings are shown. */
export interface LimitsPayload {
  growing: number;
  noteworthy: number;
  far: number;
  veryFar: number;
}

/** The largest kernels of a metric on each location. */
export interface LocationsPayload {
  metric: string;
  unit: string;
  /** whether the locations are accelerators */
  accelerators: boolean;
  /** region, call path or -1, whether the region has no other */
  kernels: [number, number, number][];
  points: PointLocationsPayload[];
}

/** A measure of all kernels: values, levels and changes per kernel. */
export interface MeasurePayload {
  kind: string;
  title: string;
  unit: string;
  values: Floats;
  levels: [number, number, number][][];
  changes: [number, number, number, string][][];
}

/** A metric that the reader can switch to; kernels that are zero everywhere are left out. */
export interface MetricPayload {
  metric: string;
  unit: string;
  /** whether its values have a sum */
  additive: boolean;
  levels: LevelsPayload;
}

export type Point = number[];

/** Values on B locations, or ranges of locations, of a point; None if there are no ranges. */
export interface PointLocationsPayload {
  /** index of the measured point */
  point: number;
  /** names, empty if unknown, and for how many of B */
  nodes: [string, number][];
  process: number[];
  /** None if all are zero, as is the last one */
  thread: number[] | null;
  lastProcess: number[] | null;
  lastThread: number[] | null;
  /** locations of a range */
  count: number[] | null;
  /** the largest value of each kernel */
  top: Floats;
  /** K x B, in steps of the largest value; low and high, too */
  mean: Steps;
  low: Steps | null;
  high: Steps | null;
}

/** What was measured, and where predictions are known. */
export interface PositionsPayload {
  parameters: string[];
  /** the parameter that scales */
  column: number;
  /** measured ones */
  points: Point[];
  /** index of the largest measured point */
  largest: number;
  /** values of the parameter that scales, ascending */
  scales: number[];
  /** with the scales they make the positions; the page opens at the first */
  lines: Point[];
  /** the largest scale that curves are drawn to */
  reach: number;
  /** whether nothing is predicted: values at the positions were measured */
  measuredOnly: boolean;
  /** by what factor positions lie beyond the measured points */
  extrapolation: number[];
  limits: LimitsPayload;
  /** what dots are: measured, or projected from another machine */
  observed: string;
}

/** The figures of the whole program that are known. */
export interface ProgramPayload {
  /** whether points are compared as under strong scaling */
  strong: boolean;
  answers: AnswerPayload[];
  charts: ChartPayload[];
  /** None unless a size varies beside the scale */
  surface: SurfacePayload | null;
  /** texts at all positions: the verdict, its trust, and answers */
  said?: Record<string, (string | null)[]>;
}

/** A region; what is empty or the same as its name is left out. */
export interface RegionPayload {
  name: string;
  short?: string;
  paradigm?: string;
  mangled?: string;
  source?: string;
}

/** Single measurements of some kernels: kernels x P x count. */
export interface RepetitionsPayload {
  count: number;
  kernels: number[];
  values: Floats;
}

/** All that the scripts of a report know. */
export interface ReportPayload extends PositionsPayload {
  metric: string;
  unit: string;
  /** whether shares judge growth: the parameter counts no processes */
  relativeGrowth: boolean;
  /** counts, and the time of each, whose product is the effort */
  factors: [string, string][];
  /** of the columns of kernels that follow the target */
  heads: ColumnPayload[];
  regions: RegionPayload[];
  levels: LevelsPayload;
  /** of the call tree */
  metrics: TreeMetricPayload[];
  imbalance: ImbalancePayload | null;
  filter: FilterPayload | null;
  /** None if the models are not of time */
  program: ProgramPayload | null;
  /** None if the machine measured on is not known */
  roofline: RooflinePayload | null;
  /** metrics that the reader can switch to */
  others: MetricPayload[];
  /** of one metric each */
  locations: LocationsPayload[];
}

/** Regions with hardware counters on one node of the machine measured on. */
export interface RooflinePayload {
  machine: string;
  /** ceilings in B/s, the fastest first */
  bandwidths: [string, number][];
  /** ceilings in flop/s, the fastest first */
  peaks: [string, number][];
  /** the measured points */
  runs: string[];
  /** the run that the verdicts are about */
  judged: number;
  /** of memory where bytes were counted, the farthest first */
  levels: string[];
  /** name, level, flop/B, flop/s, run */
  points: ([string, string, number | null, number, number])[];
  /** of the regions in the table */
  names: string[];
  /** what limits each of them */
  columns: ColumnPayload[];
}

/** What limits what can be said about each kernel: 1 or 0. */
export interface StandingPayload {
  unreliable: number[];
  notMeasurable: number[];
  startUp: number[];
}

export type Steps = Uint8Array;

/** A study of a comparison. */
export interface StudyPayload {
  name: string;
  callpaths: ValuesPayload;
  /** the total, then those of the table */
  kernels: ValuesPayload;
}

/** Figures over a size and a scale, size by size. */
export interface SurfacePayload {
  scaled: string;
  size: string;
  /** the other parameters of the figures */
  at: Point;
  /** the same in words, empty without any */
  beside: string;
  /** ascending */
  scales: number[];
  /** ascending */
  sizes: number[];
  efficiency: IntervalsPayload;
  /** seconds */
  wall: (number | null)[];
  /** the efficiency asked for */
  share: number;
  /** what efficiencies are relative to */
  reference: string;
}

/** Measured values of a metric in the call tree: K x P. */
export interface TreeMetricPayload {
  name: string;
  unit: string;
  values: Floats;
}

/** Kernels with what was measured and is predicted of them. */
export interface ValuesPayload {
  /** index into regions */
  region: number[];
  /** the caller's kernel, -1 for a root */
  parent: number[];
  /** K x P */
  mean: Floats;
  /** K x G predictions */
  value: Floats;
  /** intervals at all positions */
  weighty: EndsPayload;
  /** intervals of the others, at measured and requested positions */
  others: EndsPayload;
  /** None without a sum */
  total: IntervalsPayload | null;
  repetitions: RepetitionsPayload;
}
