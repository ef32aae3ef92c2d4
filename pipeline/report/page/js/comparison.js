// @ts-check
// The page of a comparison: curves of two studies, their differential flame graph, and the table; all follow the target
// and the selection.

import { Tree } from "./data/call_tree.js";
import { Difference, ONLY_A, ONLY_B } from "./data/difference.js";
import { KernelValues } from "./data/kernel_set.js";
import { floats, readData } from "./data/payload.js";
import { Positions } from "./data/positions.js";
import { logDomain } from "./draw/axes.js";
import { BoxTree, WHOLE } from "./draw/boxes.js";
import { drawDots, drawEndLabels, drawEstimates, scaleChart } from "./draw/chart.js";
import { byId, el, keepingFocus, selector } from "./draw/dom.js";
import { chartTools } from "./draw/files.js";
import { Address } from "./state.js";
import { cutText, hasWords } from "./text/names.js";
import { estimateText, figure, intervalText, pointChoices, pointText } from "./text/numbers.js";
import { lineControl, outsideText, scaleControl } from "./views/controls.js";
import { DifferenceView, sideAt } from "./views/difference.js";
import { drawn, followAddress, searchBox } from "./views/navigation.js";

/** @import { Where } from "./data/call_tree.js" */
/** @import { ComparisonPayload, Point } from "./data/records.js" */
/** @import { Reading } from "./draw/pointing.js" */
/** @import { Compared } from "./views/difference.js" */

const NONE = -1;
const TOTAL = 0; // before the kernels of the table
const HEIGHT = 300;
const LABELS = 70; // pixels for the names at the ends of curves
const CUT = 30; // how many times all else a band may be before it is cut

/** @type {ComparisonPayload} */
const payload = await readData();
const { metric, unit, common, regions } = payload;
const positions = new Positions(payload);
const studies = payload.studies.map(({ name, callpaths, kernels }, n) => ({
  name,
  cls: `c${n}`,
  callpaths: new KernelValues(callpaths, positions, regions),
  kernels: new KernelValues(kernels, positions, regions),
}));
const [a, b] = studies.map(({ name }) => name);
const RATIO = `${b} / ${a}`;
const { value, lower, upper } = payload.ratio;
const ratio = { value: floats(value), lower: floats(lower), upper: floats(upper) };
const tree = new Tree(studies[1].callpaths);
const address = new Address(location.hash.slice(1));
const host = byId("difference");
const rows = [...document.querySelectorAll("table.comparison tbody tr")];
const judged = new Map(payload.kernels.map(([k, verdict, changes], row) => [k, { row, verdict, changes }]));
/** @type {Where} */
const opening = common[common.length - 1] ?? "target"; // the largest common scale
const first = payload.kernels.findIndex(([k]) => k !== NONE);
const chosen = {
  where: address.where("scale", positions.points.length, opening),
  selection: address.index("callpath", tree.level.region.length, NONE),
  row: address.index("kernel", rows.length, Math.max(first, 0)),
};
const state = {
  report: { positions },
  target: address.keptTarget(positions),
  /** @param {readonly number[]} target */
  setTarget: (target) => {
    state.target = [...target];
    address.keepTarget(positions, target);
    follow();
  },
};

/**
 * What is predicted of a kernel of the table, or of the total, in both studies, and the ratio.
 * @param {number} k
 * @param {Point} at
 */
function predicted(k, at) {
  const [x, i] = [at[positions.column], k * positions.count + positions.placeOf(at)];
  const found = studies.map(({ name, cls, kernels }) => ({
    name,
    cls,
    unit,
    figure: kernels.figures(k, at, [x])[0],
  }));
  const both = { x, value: ratio.value[i], lower: ratio.lower[i], upper: ratio.upper[i] };
  return [...found, { name: RATIO, cls: "none", unit: "", figure: both }].filter(({ figure }) =>
    Number.isFinite(figure.value),
  );
}

/**
 * @param {number} k
 * @param {Point} at
 */
function ratioAt(k, at) {
  return predicted(k, at).find(({ name }) => name === RATIO)?.figure;
}

/** @type {(k: number, at: Point) => string[]} */
function texts(k, at) {
  return predicted(k, at).map(
    ({ name, figure, unit }) => `${name} ${estimateText(figure.value, figure, unit)}`,
  );
}

/** @type {(k: number, scale: number) => Reading[]} */
function readings(k, scale) {
  const at = positions.atScale(state.target, scale);
  const measured = studies.flatMap(({ name, cls, kernels }) => {
    const runs = kernels.dots(k, at).filter(({ x, y }) => x === scale && y > 0);
    /** @type {Reading[]} */
    const row = [[cls, `${name}, measured`, runs.map(({ y }) => figure(y)).join(", ")]];
    return runs.length ? row : [];
  });
  const ahead = predicted(k, at).map(({ name, cls, figure }) => {
    /** @type {Reading} */
    const row = [cls, name === RATIO ? name : `${name}, model`, estimateText(figure.value, figure, "")];
    return row;
  });
  return [...measured, ...ahead];
}

/** The point that the call tree is of. */
function place() {
  return chosen.where === "target" ? state.target : positions.points[chosen.where];
}

/**
 * What the table says of a call path.
 * @param {number} k
 */
function remarks(k) {
  const known = judged.get(k);
  if (!known) return [];
  const { verdict, row, changes } = known;
  const ahead = chosen.where === "target" && ratioAt(row + 1, place());
  const change = chosen.where !== "target" && changes[common.indexOf(chosen.where)];
  const found = change ? { value: change[0], lower: change[1] ?? 0, upper: change[2] ?? Infinity } : ahead;
  if (!found) return [`Verdict: ${verdict}`];
  const of = change ? "for all rows of the table at once" : "the ratio of the predictions";
  return [`Verdict: ${verdict}; ${RATIO} here ${estimateText(found.value, found, "")}, ${of}`];
}

/** @type {Map<string, Compared>} */
const known = new Map();

function compared() {
  const key = `${chosen.where}: ${place()}`;
  const found = known.get(key) ?? comparedAt(chosen.where, place());
  known.set(key, found);
  return found;
}

/** @type {(where: Where, at: Point) => Compared} */
function comparedAt(where, at) {
  const sides = studies.map(({ name, callpaths }) => {
    const side = sideAt(callpaths, where, at);
    const named = `${name}, ${side.name}`;
    return { ...side, name: named, label: named };
  });
  const difference = new Difference(tree, sides[0], sides[1]);
  /** @param {number} k */
  const elsewhere = (k) =>
    difference.only[k] && studies.every(({ callpaths }) => !Number.isNaN(callpaths.at(k, where, at)));
  return {
    difference,
    metric,
    unit,
    only: { [ONLY_A]: `only in ${a}`, [ONLY_B]: `only in ${b}` },
    notes: [],
    remarks: (k) => [...(elsewhere(k) ? ["The other study has it at other scales"] : []), ...remarks(k)],
  };
}

/** @param {number} k */
function look(k) {
  if (k === chosen.selection) return " selected";
  return hasWords(tree.level.ownText(k), address.words) ? "" : " fades";
}

/** @param {number} k */
function select(k) {
  chosen.selection = k;
  address.keep("callpath", k, NONE);
  const row = judged.get(k)?.row;
  if (k !== NONE && row !== undefined) showRow(row);
  draw();
}

/**
 * Selects the call path of a row, and shows its curves.
 * @param {number} row
 */
function choose(row) {
  const [k] = payload.kernels[row];
  if (k === NONE) showRow(row);
  else select(k);
}

/** @param {number} row whose curves are shown */
function showRow(row) {
  chosen.row = row;
  address.keep("kernel", row);
  const list = document.querySelector("#kernel-choice select");
  if (list instanceof HTMLSelectElement) list.value = String(row);
  drawKernel();
  search.update();
}

const boxes = new BoxTree(tree, address.kept.get("zoom"), (k) => {
  address.keep("zoom", k, WHOLE);
  select(k === WHOLE ? chosen.selection : k);
});
const view = new DifferenceView(host, boxes, address, {
  names: [a, b],
  neutral: "none",
  compared,
  look,
  select,
});

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
  const name = row.querySelector("th")?.getAttribute("title") ?? "";
  return hasWords(name.toLowerCase(), address.words);
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
    choose(row);
    rows[row].scrollIntoView({ block: "center" });
  },
});

/** @param {number} row */
function rowName(row) {
  return rows[row]?.querySelector(".name")?.textContent ?? "";
}

/**
 * The curves of a kernel of the table, or of the total, and what they say at the target.
 * @type {(plot: HTMLElement, k: number, name: string) => string}
 */
function drawCurves(plot, k, name) {
  const { target } = state;
  const xs = positions.curveScales(target);
  const lines = studies.map(({ name: study, cls, kernels }) => ({
    study,
    cls,
    model: kernels.figures(k, target, xs).filter(({ value }) => Number.isFinite(value)),
    dots: kernels.dots(k, target).filter(({ y }) => y > 0),
  }));
  const firm = lines.flatMap(({ model, dots }) => [
    ...model.map(({ value }) => value),
    ...dots.map(({ y }) => y),
  ]);
  const [most, least] = [Math.max(...firm) * CUT, Math.min(...firm.filter((y) => y > 0)) / CUT];
  const ends = lines.flatMap(({ model }) => model.flatMap(({ lower, upper }) => [lower, upper]));
  const at = pointText(positions.parameters, target);
  const said = texts(k, target);
  const chart = scaleChart(plot, positions, target, {
    height: HEIGHT,
    right: LABELS,
    label: `${[`${name} of ${a} and ${b} over ${positions.scaled}, at ${at}`, ...said.slice(0, 2)].join("; ")}.`,
    from: xs[0] / 1.05,
    to: xs[xs.length - 1],
    log: true,
    readings: (x) => readings(k, x),
    y: {
      domain: logDomain([...firm, ...ends.filter((y) => y < most && y > least)]),
      log: true,
      label: unit ? `${metric} (${unit})` : metric,
    },
  });
  for (const { study, cls, model } of lines)
    drawEstimates(chart, model, cls, study, `${study}, 90 % interval`);
  for (const { study, cls, dots } of lines) {
    const titled = dots.map((dot) => ({ ...dot, title: `${study}: ${figure(dot.y)}` }));
    drawDots(chart, titled, `${cls} open`, { name: `${study}, measured` });
  }
  const labels = lines.flatMap(({ study, cls, model, dots }) => {
    const y = model[model.length - 1]?.value ?? dots[dots.length - 1]?.y;
    return y > 0 ? [{ text: cutText(study, 10), y, cls }] : [];
  });
  drawEndLabels(chart, labels);
  return said.length ? `At ${at}: ${said.join(", ")}` : "";
}

function drawTotal() {
  byId("total-says").textContent = drawCurves(byId("curves-total"), TOTAL, "Total");
}

function drawKernel() {
  const name = rowName(chosen.row);
  const said = [name, drawCurves(byId("curves-kernel"), chosen.row + 1, name)]; // printed without the list of kernels
  byId("kernel-says").textContent = said.filter(Boolean).join(". ");
}

/** Shows everything of another target. */
function follow() {
  const { target } = state;
  drawTotal();
  drawKernel();
  draw();
  byId("verdict").textContent = payload.said[positions.placeOf(target)] ?? byId("verdict").textContent;
  byId("at-target").textContent = outsideText(positions, target);
  if (positions.measuredOnly) return;
  byId("target-head").textContent = `${RATIO} at ${pointText(positions.parameters, target)}`;
  rows.forEach((row, i) => {
    const found = ratioAt(i + 1, target);
    const interval = found && el("small", {}, intervalText(found));
    row
      .querySelector(".target-ratio")
      ?.replaceChildren(...(found && interval ? [figure(found.value), el("br"), interval] : ["-"]));
  });
}

payload.kernels.forEach(([k], row) => {
  if (k === NONE) return;
  const label = `Select ${tree.level.name(k)}`;
  const click = () => select(chosen.selection === k ? NONE : k);
  const attributes = { type: "button", class: "pick", "aria-label": label, title: label, click };
  rows[row].querySelector("th")?.append(el("button", attributes));
});
/** @type {[Where, string][]} */
const places = pointChoices(positions, "measured at ", common);
if (!positions.measuredOnly) places.push(["target", "predicted at the target"]);
const scale = selector("Scale", places, chosen.where, (where) => {
  chosen.where = where;
  address.keep("scale", where, opening);
  draw();
});
const names = rows.map((_, i) => /** @type {[number, string]} */ ([i, rowName(i)]));
byId("difference-options").replaceChildren(scale, ...view.options());
byId("search").replaceChildren(...search.nodes);
byId("kernel-choice").replaceChildren(selector("Kernel", names, chosen.row, choose));
byId("total-tools").replaceChildren(chartTools(byId("curves-total"), "the total of both", drawTotal));
byId("kernel-tools").replaceChildren(chartTools(byId("curves-kernel"), "a kernel of both", drawKernel));
if (!positions.measuredOnly && positions.scales.length > 1) {
  const { node, hint, show } = scaleControl(state);
  const line = positions.lines.length > 1 ? lineControl(state, show) : "";
  byId("scale").replaceChildren(node, line, hint);
}
boxes.listen(host);
filter();
follow();
addEventListener("beforeprint", follow);
followAddress(address);
drawn();
