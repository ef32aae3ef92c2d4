// @ts-check
// The page of a comparison: curves of two studies, their differential flame graph, and the table; all follow the target
// and the selection.

import { Tree } from "./data/call_tree.js";
import { KernelValues } from "./data/kernel_set.js";
import { readData } from "./data/payload.js";
import { Positions } from "./data/positions.js";
import { ratioScale } from "./draw/axes.js";
import { BoxTree, WHOLE } from "./draw/boxes.js";
import { byId, el, keepingFocus, selector, svgEl } from "./draw/dom.js";
import { barNode, copyable, factList, formulaNode, kernelNode } from "./draw/nodes.js";
import { columnsOf, DataTable } from "./draw/table.js";
import { NOTHING, State, WAITS } from "./state.js";
import { hasWords } from "./text/names.js";
import { estimateText, figure, intervalText, pointChoices, pointText } from "./text/numbers.js";
import { answerLine, targetControls } from "./views/controls.js";
import { Curves } from "./views/curves.js";
import { DifferenceView, sideAt } from "./views/difference.js";
import { drawn, followAddress, searchBox } from "./views/navigation.js";

/** @import { Where } from "./data/call_tree.js" */
/** @import { ComparisonPayload } from "./data/records.js" */
/** @import { Report } from "./data/report.js" */
/** @import { Child } from "./draw/dom.js" */
/** @import { Column } from "./draw/table.js" */

const BAR = { width: 100, height: 12 }; // pixels

/** @type {ComparisonPayload} */
const payload = await readData();
const { common, regions, kernels } = payload;
const positions = new Positions(payload);
const { measuredOnly } = positions;
const studies = payload.studies.map(({ name, callpaths, kernels }, n) => ({
  name,
  cls: `c${n}`,
  unit: payload.unit,
  callpaths: new KernelValues(callpaths, positions, regions),
  level: new KernelValues(kernels, positions, regions),
}));
const [a, b] = studies.map(({ name }) => name);
const ratio = {
  name: `${b} / ${a}`,
  cls: "none",
  unit: "",
  level: new KernelValues(payload.ratio, positions, regions),
  beside: true,
};
const paths = studies[1].callpaths;
const levels = { callpaths: paths, regions: ratio.level };
const shown = /** @type {unknown} */ ({ positions, levels, metrics: [] });
const state = new State(/** @type {Report} */ (shown), location.hash.slice(1));
/** What is selected with each row of the table. */
const selections = kernels.map(([node], row) => ({ region: ratio.level.region[row + 1], node }));

/** @param {number} row */
function isSelected(row) {
  const { region, node } = selections[row];
  return region === state.selection.region && node === state.selection.node;
}

/** @param {number} k a call path */
function select(k) {
  state.select({ region: paths.region[k], node: k });
}

/** @param {number} row */
function ratioAt(row) {
  const { target } = state;
  const [found] = ratio.level.figures(row + 1, target, [target[positions.column]]);
  return Number.isFinite(found.value) ? found : null;
}

/** @type {(k: number, name: string, heading?: Child) => Curves} of the total, or of a kernel of the table */
function curves(k, name, heading) {
  const { metric, unit } = payload;
  const lines = [...studies, ratio].map((line) => ({ ...line, k }));
  return new Curves(state, name, unit ? `${metric} (${unit})` : metric, lines, heading);
}

const [kernel, level, verdict, ofA, ofB, share, factor, lower, upper, tested, growth] = columnsOf(
  payload.columns,
  {
    kernel: (row, text) => {
      const [node] = kernels[row];
      if (node >= 0) return kernelNode(paths, node);
      const callers = el("span", { class: "callers" }, level.value(row) === "region" ? "region" : "");
      return el("span", { class: "kernel" }, el("span", { class: "name" }, text), callers);
    },
    verdict: (_, text) => el("span", { class: { worse: "red", better: "green" }[text] }, text),
    share: (row, text) => barNode(Number(share.value(row)), text),
  },
);

/** @param {number} row */
function nameOf(row) {
  const [node] = kernels[row];
  return node < 0 ? String(kernel.value(row)) : paths.pathNames(node).join(" › ");
}

const scaled = ratioScale(
  [...kernels.keys()].flatMap((row) => [factor, lower, upper].map(({ value }) => Number(value(row)))),
  BAR.width,
);

/** @param {number} row @returns {Child} a ratio with its interval on a logarithmic axis */
function bar(row) {
  const [low, value, high] = [lower, factor, upper].map((column) => Number(column.value(row)));
  if (!(value > 0)) return "";
  const [middle, y] = [BAR.width / 2, BAR.height / 2];
  return svgEl(
    "svg",
    { class: "spread", ...BAR, role: "img", "aria-label": `ratio ${figure(value)}` },
    svgEl("line", { class: "one", x1: middle, x2: middle, y1: 0, y2: BAR.height }),
    svgEl("line", { x1: scaled(low || 0), x2: scaled(high || Infinity), y1: y, y2: y }),
    svgEl("circle", { cx: scaled(value), cy: y, r: 3 }),
  );
}

/** @param {number} row @returns what opens below it: curves of both studies, and all that is said of it */
function detail(row) {
  const [node, , story, formulas] = kernels[row];
  const drawing = curves(row + 1, nameOf(row));
  /** @type {[string, Child][]} */
  const facts = [["Kernel", copyable(node < 0 ? [nameOf(row)] : paths.fullPathNames(node))]];
  if (story) facts.push(["Verdict", `${verdict.value(row)}: ${story}`]);
  formulas.forEach((formula, n) => {
    if (formula) facts.push([`Model of ${studies[n].name}`, formulaNode(formula)]);
  });
  const said = el("div", { class: "facts" }, factList(facts));
  return { node: el("div", { class: "kernel-detail" }, drawing.node, said), update: () => drawing.draw() };
}

/** @type {Column[]} */
const ahead = [
  {
    key: "target",
    title: () => `${ratio.name} at ${pointText(positions.parameters, state.target)}`,
    kind: "number",
    value: (row) => ratioAt(row)?.value ?? Number.NaN,
    cell: (row) => {
      const found = ratioAt(row);
      return found ? el("span", {}, figure(found.value), el("small", {}, intervalText(found))) : "-";
    },
  },
];
const table = new DataTable(byId("kernel-table"), {
  caption: "Kernels",
  columns: [
    kernel,
    { ...verdict, value: (row) => -row, csv: () => [["Verdict", verdict.value]] }, // the most important first
    { ...ofA, title: a },
    { ...ofB, title: b },
    share,
    {
      ...factor,
      title: ratio.name,
      csv: () => [factor, lower, upper, tested].map(({ title, value }) => [String(title), value]),
      cell: (row) => {
        const interval = el("small", {}, upper.cell(row), " ", tested.cell(row));
        return el("span", {}, factor.cell(row), factor.value(row) ? interval : "");
      },
    },
    { ...factor, key: "bar", title: "Logarithmic", kind: "wide", csv: () => [], cell: bar },
    ...(measuredOnly ? [] : ahead),
    { ...growth, kind: "wide", csv: () => [growth, level].map(({ title, value }) => [String(title), value]) },
  ],
  sort: "verdict",
  rows: () =>
    [...kernels.keys()].filter((row) => hasWords(String(kernel.value(row)).toLowerCase(), state.words)),
  detail,
  pick: {
    name: nameOf,
    is: isSelected,
    toggle: (row) => state.select(isSelected(row) ? NOTHING : selections[row]),
  },
  kept: state.table("sort", kernels.length),
});

/** @type {Where} */
const opening = common[common.length - 1] ?? "target"; // the largest common scale
let where = state.where("scale", positions.points.length, opening); // of the call tree
const place = () => (where === "target" ? state.target : positions.points[where]);

/** @param {number} k @returns what the table says of a call path */
function remarks(k) {
  const row = kernels.findIndex(([node]) => node === k);
  if (row < 0) return [];
  const change = where !== "target" && kernels[row][1][common.indexOf(where)];
  const found = change
    ? { value: change[0], lower: change[1] ?? 0, upper: change[2] ?? Infinity }
    : where === "target" && ratioAt(row);
  if (!found) return [`Verdict: ${verdict.value(row)}`];
  const of = change ? "for all rows of the table at once" : "the ratio of the predictions";
  const here = estimateText(found.value, found, "");
  return [`Verdict: ${verdict.value(row)}; ${ratio.name} here ${here}, ${of}`];
}

const boxes = new BoxTree(new Tree(paths), state.kept.get("zoom"), (k) => {
  state.keep("zoom", k, WHOLE);
  if (k !== WHOLE) select(k);
  drawTree();
});
const view = new DifferenceView(byId("difference"), boxes, state, {
  names: [a, b],
  neutral: "none",
  metric: payload.metric,
  unit: payload.unit,
  places: () => [where, place()],
  sides: () =>
    studies.map(({ name, callpaths }) => {
      const side = sideAt(callpaths, where, place());
      const named = `${name}, ${side.name}`;
      return { ...side, name: named, label: named, only: `only in ${name}` };
    }),
  notes: () => [],
  remarks: (k, only) => {
    const elsewhere =
      only && studies.every(({ callpaths }) => !Number.isNaN(callpaths.at(k, where, place())));
    return [...(elsewhere ? ["The other study has it at other scales"] : []), ...remarks(k)];
  },
  look: (k) => state.look(paths, k),
  select,
});

function drawTree() {
  byId("difference-path").replaceChildren(...boxes.crumbs());
  keepingFocus(byId("difference"), () => view.draw());
}

const search = searchBox({
  label: "Search: Kernels in table and call tree",
  text: state.kept.get("find"),
  search: (text) => state.setSearch(text),
  found: () => (state.words.length ? table.found() : null),
  at: isSelected,
  goTo: (row) => {
    state.select(selections[row]);
    byId("kernels").scrollIntoView();
  },
});
/** @type {[Where, string][]} */
const places = pointChoices(positions, "measured at ", common);
if (!measuredOnly) places.push(["target", "predicted at the target"]);
const scale = selector("Scale", places, where, (chosen) => {
  where = chosen;
  state.keep("scale", where, opening);
  drawTree();
});
byId("difference-options").replaceChildren(scale, ...view.options());
boxes.listen(byId("difference"));
const heading = el("span");
const [total, one] = [curves(0, "Total", "Total"), curves(1, "a kernel", heading)];
const drawings = kernels.length ? [total, one] : [total];
byId("curves-of-both").replaceChildren(...drawings.map(({ node }) => node));
byId("controls").replaceChildren(...search.nodes);
if (!measuredOnly) {
  byId("controls").prepend(...targetControls(state));
  byId("controls").append(answerLine(state, () => total.texts()));
}
let row = Math.max(
  kernels.findIndex(([node]) => node >= 0),
  0,
); // whose curves stand beside those of the total
state.follow(byId("controls"), () => {
  byId("verdict").textContent = payload.said[positions.placeOf(state.target)] ?? byId("verdict").textContent;
  search.update();
});
state.follow(byId("curves"), () => {
  row = selections.map((_, row) => row).find(isSelected) ?? row;
  heading.textContent = kernels.length ? nameOf(row) : "";
  one.lines = one.lines.map((line) => ({ ...line, k: row + 1 }));
  for (const drawing of drawings) drawing.draw();
});
state.follow(byId("tree"), drawTree, WAITS);
state.follow(byId("kernels"), () => table.showRow(isSelected), WAITS);
addEventListener("beforeprint", () => state.changedEverywhere());
followAddress(state);
state.drawRest(drawn);
