// @ts-check
// What the largest kernels take on each location, decoded when it is looked at, and summed by node and process.

import { floats, steps } from "./payload.js";

/** @import { KernelSet } from "./kernel_set.js" */
/** @import { LocationsPayload, PointLocationsPayload, Steps } from "./records.js" */

/**
 * @typedef {object} Place a location, or a range of them
 * @property {string} name ``process 3, thread 1``, ``processes 8 to 15``
 * @property {string} node empty if it is unknown
 * @property {number} process of the first location
 * @property {number} thread
 * @property {number} lastProcess of the last one
 * @property {number} lastThread
 * @property {number} count locations
 * @property {number} mean
 * @property {number} low
 * @property {number} high
 */

/**
 * @typedef {object} Group
 * @property {string} name
 * @property {Place[]} places
 * @property {Group[]} parts empty for a single place
 */

const LARGEST = 65534; // step of the largest value
const UNKNOWN = 65535;

export class KernelLocations {
  /** @param {LocationsPayload} raw */
  constructor(raw) {
    this.raw = raw;
    this.metric = raw.metric;
    this.unit = raw.unit;
    this.accelerators = raw.accelerators;
  }

  /** @type {(level: KernelSet, k: number, isCallPath: boolean) => number} -1 if it is not among the largest */
  rowOf(level, k, isCallPath) {
    const node = level.whole ? level.node[k] : k;
    return this.raw.kernels.findIndex(([region, callpath, alone]) =>
      isCallPath ? callpath === node : region === level.region[k] && (callpath < 0 || alone === 1),
    );
  }

  /** The points, as indices of measured points. */
  get points() {
    return this.raw.points.map(({ point }) => point);
  }

  /** @type {(row: number, point: number) => Place[]} by node, process and thread; none if they are unknown */
  at(row, point) {
    const raw = this.raw.points.find((one) => one.point === point);
    return raw ? placesOf(raw, row, this.accelerators) : [];
  }
}

/** @type {(raw: PointLocationsPayload, row: number, accelerators: boolean) => Place[]} */
function placesOf(raw, row, accelerators) {
  const { process, thread, lastProcess, lastThread, count } = raw;
  const places = process.length;
  const top = floats(raw.top)[row];
  /** @param {Steps} packed */
  const of = (packed) => steps(packed).subarray(row * places, (row + 1) * places);
  const mean = of(raw.mean);
  if (mean.includes(UNKNOWN)) return [];
  const low = raw.low === null ? mean : of(raw.low);
  const high = raw.high === null ? mean : of(raw.high);
  const node = raw.nodes.flatMap(([name, times]) => Array(times).fill(name));
  const found = process.map((number, i) => ({
    node: node[i],
    process: number,
    thread: thread?.[i] ?? 0,
    lastProcess: lastProcess?.[i] ?? number,
    lastThread: (lastProcess ? lastThread : thread)?.[i] ?? 0,
    count: count?.[i] ?? 1,
    mean: (mean[i] / LARGEST) * top,
    low: (low[i] / LARGEST) * top,
    high: (high[i] / LARGEST) * top,
  }));
  const threads = hasThreads(found);
  return found.map((place) => ({ ...place, name: placeName(place, accelerators, threads) }));
}

/** @param {Place[]} places @returns locations, sum, mean, largest value, and that over the mean */
export function summaryOf(places) {
  const count = places.reduce((total, place) => total + place.count, 0);
  const sum = places.reduce((total, place) => total + place.count * place.mean, 0);
  const high = places.reduce((most, place) => Math.max(most, place.high), 0);
  const mean = sum / count;
  return { count, sum, mean, high, ratio: mean > 0 ? high / mean : NaN };
}

/**
 * @param {Omit<Place, "name">} place
 * @param {boolean} accelerators
 * @param {boolean} threads whether processes have several threads
 */
export function placeName(place, accelerators, threads) {
  const { process, lastProcess, thread, lastThread, count } = place;
  const kind = accelerators ? "accelerator" : "thread";
  if (process !== lastProcess) {
    const apart = lastProcess - process + 1 > count;
    return `processes ${process} to ${lastProcess}${apart ? ", not all" : ""}`;
  }
  if (!threads) return accelerators ? `accelerator of process ${process}` : `process ${process}`;
  const range = count > 1 ? `${kind}s ${thread} to ${lastThread}` : `${kind} ${thread}`;
  return `process ${process}, ${range}`;
}

/** @type {(places: Place[]) => Group[]} nodes, if they are known, then processes that have several threads */
export function systemTree(places) {
  /** @param {Place[]} some @returns {Group[]} */
  const leaves = (some) => some.map((place) => ({ name: place.name, places: [place], parts: [] }));
  const threads = hasThreads(places);
  /** @param {Place[]} some @returns {Group[]} */
  const processes = (some) => {
    if (!threads) return leaves(some);
    return groupsOf(some, ({ process, lastProcess, name }) =>
      process === lastProcess ? `process ${process}` : name,
    ).map(([name, inside]) => ({ name, places: inside, parts: inside.length > 1 ? leaves(inside) : [] }));
  };
  if (!places.some(({ node }) => node)) return processes(places);
  return groupsOf(places, ({ node }) => (node ? `node ${node}` : "several nodes")).map(([name, inside]) => ({
    name,
    places: inside,
    parts: processes(inside),
  }));
}

/** @param {Pick<Place, "thread" | "lastThread">[]} places */
export function hasThreads(places) {
  return places.some(({ thread, lastThread }) => thread > 0 || lastThread > 0);
}

/** @type {(places: Place[], key: (place: Place) => string) => [string, Place[]][]} */
function groupsOf(places, key) {
  /** @type {Map<string, Place[]>} */
  const groups = new Map();
  for (const place of places) {
    const name = key(place);
    const group = groups.get(name);
    if (group) group.push(place);
    else groups.set(name, [place]);
  }
  return [...groups];
}
