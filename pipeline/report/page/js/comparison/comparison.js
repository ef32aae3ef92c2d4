// @ts-check
// The page of a comparison: curves of two studies, their differential flame graph, and the table; all follow the target
// and the selection.

import { RegionNames, Tree } from "../data/call_tree.js";
import { Difference } from "../data/difference.js";
import { floats, readData } from "../data/payload.js";
import { BoxTree, WHOLE } from "../draw/boxes.js";
import { byId, el, keepingFocus, onResize, selector } from "../draw/dom.js";
import { chartTools } from "../draw/files.js";
import { Address } from "../state.js";
import { nameHas } from "../text/names.js";
import { estimateText, figure, intervalText, pointText } from "../text/numbers.js";
import { outsideText, scaleControl } from "../views/controls.js";
import { DifferenceView } from "../views/difference.js";
import { buildTheme, followAddress } from "../views/navigation.js";
import { searchBox } from "../views/search.js";
import { Curves, drawCurves } from "./curves.js";

/** @import { Side } from "../data/difference.js" */
/** @import { Floats, Region } from "../data/payload.js" */
/** @import { Compared } from "../views/difference.js" */
/** @import { CurvesPayload } from "./curves.js" */

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
 * @property {CurvesPayload | null} curves of the total and of these kernels; null if nothing is compared
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
  row: indexOf(
    address.kept.get("kernel"),
    rows.length,
    Math.max(
      payload.kernels.findIndex(([k]) => k !== NONE),
      0,
    ),
  ),
};
const curves = payload.curves ? new Curves(payload.curves) : null;

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
  return address.words.length && !nameHas(tree.level, k, address.words) ? " fades" : "";
}

/** @param {number} k */
function select(k) {
  chosen.selection = k;
  address.keep("callpath", k === NONE ? null : String(k));
  const row = judged.get(k)?.row;
  if (k !== NONE && row !== undefined) showRow(row);
  draw();
}

/** @param {number} row whose curves are shown */
function showRow(row) {
  chosen.row = row;
  address.keep("kernel", String(row));
  const list = document.querySelector("#kernel-choice select");
  if (list instanceof HTMLSelectElement) list.value = String(row);
  drawKernel();
  search.update();
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

/** @param {Element} row */
function isFound(row) {
  return address.hasWords(row.querySelector("th")?.getAttribute("title") ?? "");
}

/** Shows the rows whose kernel has all words in its name or those of its callers. */
function filter() {
  for (const row of rows) row.toggleAttribute("hidden", !isFound(row));
}

const search = searchBox({
  label: "Search: Kernels in table and call tree",
  text: address.kept.get("find"),
  search: (text) => {
    address.find(text);
    filter();
    draw();
  },
  found: () => (address.words.length ? [...rows.keys()].filter((row) => isFound(rows[row])) : null),
  at: (row) => row === chosen.row,
  goTo: (row) => {
    const [k] = payload.kernels[row];
    if (k === NONE) showRow(row);
    else if (k !== chosen.selection) select(k);
    rows[row].scrollIntoView({ block: "center" });
  },
});

/** @param {number} row */
function rowName(row) {
  return rows[row]?.querySelector(".name")?.textContent ?? "";
}

let drawKernel = () => {};

/**
 * The target, and what follows it: the verdict, the charts and a column of the table.
 * @param {Curves} known
 */
function buildCurves(known) {
  const { positions } = known;
  const name = `at.${positions.scaled}`;
  const asked = Number(address.kept.get(name));
  const state = {
    report: { positions },
    target: asked > 0 ? positions.atScale(positions.opening, positions.nearest(asked)) : positions.opening,
    /** @param {readonly number[]} target */
    setTarget: (target) => {
      state.target = [...target];
      const scale = target[positions.column];
      address.keep(name, scale === positions.opening[positions.column] ? null : String(scale));
      follow();
    },
  };
  const { metric, unit } = payload;
  const totals = byId("total-says").textContent;
  const [total, kernel] = [byId("curves-total"), byId("curves-kernel")];
  const drawTotal = () => drawCurves(total, known, 0, state.target, { name: "Total", metric, unit });
  drawKernel = () => {
    drawCurves(kernel, known, chosen.row + 1, state.target, { name: rowName(chosen.row), metric, unit });
    const said = [rowName(chosen.row), ratioAt(known, chosen.row + 1, state.target)];
    byId("kernel-says").textContent = said.filter(Boolean).join(". "); // printed without the list of kernels
  };
  const follow = () => {
    drawTotal();
    drawKernel();
    const scale = state.target[positions.column];
    const opens = scale === positions.opening[positions.column];
    byId("total-says").textContent = opens ? totals : ratioAt(known, 0, state.target);
    const said = known.said[positions.scales.indexOf(scale)];
    if (said) byId("verdict").textContent = said;
    byId("at-target").textContent = outsideText(positions, state.target);
    if (!positions.measuredOnly)
      byId("target-head").textContent = `B / A at ${pointText(positions.parameters, state.target)}`;
    for (const [i, row] of rows.entries()) showRatio(row, known.at("ratio", i + 1, scale));
  };
  const places = rows.map((_, i) => /** @type {[string, string]} */ ([String(i), rowName(i)]));
  byId("kernel-choice").replaceChildren(
    selector("Kernel", places, chosen.row, (value) => {
      const [k] = payload.kernels[Number(value)];
      if (k === NONE) showRow(Number(value));
      else select(k);
    }),
  );
  byId("total-tools").replaceChildren(chartTools(total, "the total of A and B", drawTotal));
  byId("kernel-tools").replaceChildren(chartTools(kernel, "a kernel of A and B", () => drawKernel()));
  if (!positions.measuredOnly && positions.scales.length > 1)
    byId("scale").replaceChildren(...nodesOf(scaleControl(state)));
  follow();
  onResize(total, drawTotal);
  onResize(kernel, () => drawKernel());
  addEventListener("beforeprint", follow);
}

/** @param {{node: Node, hint: Node}} control */
function nodesOf({ node, hint }) {
  return [node, hint];
}

/**
 * @param {Curves} known
 * @param {number} k
 * @param {number[]} target
 */
function ratioAt(known, k, target) {
  const { positions } = known;
  const scale = target[positions.column];
  if (positions.measuredOnly) return "";
  const parts = /** @type {const} */ (["a", "b", "ratio"]).flatMap((which) => {
    const found = known.at(which, k, scale);
    const text = found && estimateText(found.value, found.interval, which === "ratio" ? "" : payload.unit);
    return text ? [`${{ a: "A", b: "B", ratio: "B / A" }[which]} ${text}`] : [];
  });
  return `At ${pointText(positions.parameters, target)}: ${parts.join(", ")}`;
}

/**
 * @param {Element} row
 * @param {import("./curves.js").Estimate | null} ratio
 */
function showRatio(row, ratio) {
  const cell = row.querySelector(".target-ratio");
  if (!cell || curves?.positions.measuredOnly) return;
  const texts = ratio
    ? [figure(ratio.value), el("br"), el("small", {}, intervalText(ratio.interval))]
    : ["-"];
  cell.replaceChildren(...texts);
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
byId("search").replaceChildren(...search.nodes);
boxes.listen(host);
filter();
if (curves) buildCurves(curves);
draw();
followAddress(address);
document.documentElement.dataset.ready = "true";
