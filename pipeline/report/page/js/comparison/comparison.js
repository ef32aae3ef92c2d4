// @ts-check
// The page of a comparison: the differential flame graph of two studies, and the table that follows its selection.

import { RegionNames, Tree } from "../data/call_tree.js";
import { Difference } from "../data/difference.js";
import { floats, readData } from "../data/payload.js";
import { BoxTree, WHOLE } from "../draw/boxes.js";
import { byId, el, keepingFocus, selector } from "../draw/dom.js";
import { Address, wordsOf } from "../state.js";
import { nameHas } from "../text/names.js";
import { estimateText } from "../text/numbers.js";
import { DifferenceView } from "../views/difference.js";
import { buildTheme, followAddress } from "../views/navigation.js";

/** @import { Side } from "../data/difference.js" */
/** @import { Floats, Region } from "../data/payload.js" */
/** @import { Compared } from "../views/difference.js" */

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

const NONE = -1;
/** @type {Payload} */
const payload = await readData();
const { tree, scales } = readTrees(payload);
const address = new Address(location.hash.slice(1));
const host = byId("difference");
const rows = [...document.querySelectorAll("table.comparison tbody tr")];
const judged = new Map(payload.kernels.map(([k, ...rest], row) => [k, { row, rest }]));
const measured = scales.filter(({ predicted }) => !predicted).length;
const opening = Math.max(measured - 1, 0); // the largest common scale, else the first target
const chosen = {
  scale: indexOf(address.kept.get("scale"), scales.length, opening),
  selection: indexOf(address.kept.get("callpath"), payload.region.length, NONE),
  words: wordsOf(address.kept.get("find") ?? ""),
};

/**
 * @param {string | null} text
 * @param {number} count
 * @param {number} otherwise
 */
function indexOf(text, count, otherwise) {
  const index = Number(text ?? NaN);
  return Number.isInteger(index) && index >= 0 && index < count ? index : otherwise;
}

/**
 * @param {Change} change
 * @param {boolean} predicted
 */
function changeText([ratio, lower, upper], predicted) {
  const ends = estimateText(ratio, [lower ?? 0, upper ?? Number.POSITIVE_INFINITY], "");
  return `${ends}, ${predicted ? "the ratio of the predictions" : "for all rows of the table at once"}`;
}

/**
 * What the table says of a call path.
 * @param {number} k
 */
function remarks(k) {
  const { rest } = judged.get(k) ?? {};
  if (!rest) return [];
  const change = rest[1][chosen.scale];
  return [
    `Verdict: ${rest[0]}${change ? `; B / A here ${changeText(change, scales[chosen.scale].predicted)}` : ""}`,
  ];
}

/**
 * @param {number} scale
 * @returns {Compared}
 */
function comparedAt(scale) {
  const { a, b, both } = scales[scale];
  const difference = new Difference(tree, a(), b());
  return {
    difference,
    metric: payload.metric,
    unit: payload.unit,
    only: ["only in A", "only in B"],
    notes: [],
    remarks: (k) => [
      ...(difference.only[k] && both(k) ? ["The other study has it at other scales"] : []),
      ...remarks(k),
    ],
  };
}

/** @type {Map<number, Compared>} */
const known = new Map();

function compared() {
  const found = known.get(chosen.scale) ?? comparedAt(chosen.scale);
  known.set(chosen.scale, found);
  return found;
}

/** @param {number} k */
function look(k) {
  if (k === chosen.selection) return " selected";
  return chosen.words.length && !nameHas(tree.level, k, chosen.words) ? " fades" : "";
}

/** @param {number} k */
function select(k) {
  chosen.selection = k;
  address.keep("callpath", k === NONE ? null : String(k));
  draw();
}

const boxes = new BoxTree(tree, address.kept.get("zoom"), (k) => {
  address.keep("zoom", k === WHOLE ? null : String(k));
  select(k === WHOLE ? chosen.selection : k);
});
const view = new DifferenceView(host, boxes, address, { compared, look, select });

function draw() {
  byId("difference-path").replaceChildren(...boxes.crumbs());
  keepingFocus(host, () => view.draw());
  payload.kernels.forEach(([k], row) => {
    const selected = k !== NONE && k === chosen.selection;
    rows[row].classList.toggle("selected", selected);
    rows[row].querySelector(".pick")?.setAttribute("aria-pressed", String(selected));
  });
}

/** The rows whose kernel has all words in its name or those of its callers. */
function filter() {
  let count = 0;
  for (const row of rows) {
    const names = row.querySelector("th")?.getAttribute("title")?.toLowerCase() ?? "";
    const shown = chosen.words.every((word) => names.includes(word));
    row.toggleAttribute("hidden", !shown);
    if (shown) count += 1;
  }
  byId("count").textContent = `${count} of ${rows.length} kernels`;
}

function searchBox() {
  const label = "Search: Kernels in table and call tree";
  const value = address.kept.get("find");
  const search = el("input", { type: "search", placeholder: "Search kernels", value, "aria-label": label });
  search.addEventListener("input", () => {
    chosen.words = wordsOf(search.value);
    address.keep("find", chosen.words.length ? search.value : null);
    filter();
    draw();
  });
  return search;
}

/** Buttons that select the call path of a row. */
function addPicks() {
  payload.kernels.forEach(([k], row) => {
    if (k === NONE) return;
    const label = `Select ${tree.level.name(k)}`;
    const press = () => select(chosen.selection === k ? NONE : k);
    const pick = el("button", {
      type: "button",
      class: "pick",
      "aria-label": label,
      title: label,
      click: press,
    });
    rows[row].querySelector("th")?.append(pick);
  });
}

buildTheme();
addPicks();
const places = scales.map(({ place }, i) => /** @type {[string, string]} */ ([String(i), place]));
const scale = selector("Scale", places, chosen.scale, (value) => {
  chosen.scale = Number(value);
  address.keep("scale", chosen.scale === opening ? null : value);
  draw();
});
byId("difference-options").replaceChildren(scale, ...view.options());
byId("search").replaceChildren(searchBox());
boxes.listen(host);
filter();
draw();
followAddress(address);
document.documentElement.dataset.ready = "true";
