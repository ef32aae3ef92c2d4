// @ts-check
// The page of a comparison: curves of two studies, their differential flame graph, and the table; all follow the target
// and the selection.

import { RegionNames, Tree } from "./data/call_tree.js";
import { Difference, ONLY_A, ONLY_B } from "./data/difference.js";
import { floats, readData } from "./data/payload.js";
import { Positions } from "./data/positions.js";
import { logDomain } from "./draw/axes.js";
import { BoxTree, WHOLE } from "./draw/boxes.js";
import { drawDots, drawEndLabels, drawEstimates, scaleChart } from "./draw/chart.js";
import { byId, el, keepingFocus, selector } from "./draw/dom.js";
import { chartTools } from "./draw/files.js";
import { Address } from "./state.js";
import { cutText, hasWords } from "./text/names.js";
import { estimateText, figure, intervalText, pointText } from "./text/numbers.js";
import { outsideText, scaleControl } from "./views/controls.js";
import { DifferenceView } from "./views/difference.js";
import { drawn, followAddress, searchBox } from "./views/navigation.js";

/** @import { Side } from "./data/difference.js" */
/** @import { Figure } from "./data/kernel_set.js" */
/** @import { ComparisonPayload, CurvesPayload, PackedEnds } from "./data/records.js" */
/** @import { Reading } from "./draw/pointing.js" */
/** @import { Compared } from "./views/difference.js" */

const NONE = -1;
const HEIGHT = 300;
const LABELS = 70; // pixels for the names at the ends of curves
const CUT = 30; // how many times all else a band may be before it is cut

/** @param {PackedEnds} ends */
function unpackedEnds({ value, lower, upper }) {
  return { value: floats(value), lower: floats(lower), upper: floats(upper) };
}

/** Both studies over scale, kernel by kernel. */
class Curves {
  /** @param {CurvesPayload} payload */
  constructor(payload) {
    this.positions = new Positions(payload);
    this.ends = {
      a: unpackedEnds(payload.a),
      b: unpackedEnds(payload.b),
      ratio: unpackedEnds(payload.ratio),
    };
    this.dots = payload.dots.map(({ values, ...rest }) => ({ ...rest, values: floats(values) }));
    this.said = payload.said;
  }

  /**
   * @param {"a" | "b" | "ratio"} which
   * @param {number} k
   * @param {number} x
   * @returns {Figure | null} null if it is not known
   */
  at(which, k, x) {
    const i = k * this.positions.count + this.positions.scales.indexOf(x);
    const { value, lower, upper } = this.ends[which];
    const known = Number.isFinite(value[i]) && (which === "ratio" || !this.positions.measuredOnly);
    return known ? { x, value: value[i], lower: lower[i], upper: upper[i] } : null;
  }

  /**
   * Single measurements of a kernel.
   * @param {number} side
   * @param {number} k
   */
  measured(side, k) {
    const { scales, runs, values } = this.dots[side];
    return scales
      .flatMap((x, i) =>
        Array.from({ length: runs }, (_, r) => ({ x, y: values[(k * scales.length + i) * runs + r] })),
      )
      .filter(({ y }) => y > 0);
  }

  /**
   * What is known of a kernel at the target.
   * @param {number} k
   * @param {number} scale
   * @param {string} unit
   */
  texts(k, scale, unit) {
    if (this.positions.measuredOnly) return [];
    return [...SIDES, /** @type {const} */ (["ratio", RATIO, ""])].flatMap(([which, name]) => {
      const found = this.at(which, k, scale);
      return found ? [`${name} ${estimateText(found.value, found, which === "ratio" ? "" : unit)}`] : [];
    });
  }

  /**
   * @param {number} k
   * @param {number} scale
   * @returns {Reading[]}
   */
  readings(k, scale) {
    /** @type {Reading[]} */
    const rows = SIDES.flatMap(([side, name, cls], n) => {
      const runs = this.measured(n, k).filter(({ x }) => x === scale);
      const found = this.at(side, k, scale);
      /** @type {Reading[]} */
      const measured = [[cls, `${name}, measured`, runs.map(({ y }) => figure(y)).join(", ")]];
      /** @type {Reading[]} */
      const model = found ? [[cls, `${name}, model`, estimateText(found.value, found, "")]] : [];
      return [...(runs.length ? measured : []), ...model];
    });
    const ratio = this.at("ratio", k, scale);
    if (ratio) rows.push(["none", RATIO, estimateText(ratio.value, ratio, "")]);
    return rows;
  }
}

/** @type {ComparisonPayload} */
const payload = await readData();
/** @type {["a" | "b", string, string][]} */
const SIDES = [
  ["a", payload.a, "c0"],
  ["b", payload.b, "c1"],
];
const RATIO = `${payload.b} / ${payload.a}`;
const { metric, unit } = payload;
const tree = new Tree(new RegionNames(payload.regions, payload.region, payload.parent));
const address = new Address(location.hash.slice(1));
const host = byId("difference");
const rows = [...document.querySelectorAll("table.comparison tbody tr")];
const judged = new Map(payload.kernels.map(([k, ...rest], row) => [k, { row, rest }]));
const opening = Math.max(payload.scales.filter(({ predicted }) => !predicted).length - 1, 0); // the largest common one
const curves = payload.curves && new Curves(payload.curves);
const first = payload.kernels.findIndex(([k]) => k !== NONE);
const chosen = {
  scale: address.index("scale", payload.scales.length, opening),
  selection: address.index("callpath", payload.region.length, NONE),
  row: address.index("kernel", rows.length, Math.max(first, 0)),
};

/** @param {number} scale */
function placeOf(scale) {
  const { name, predicted } = payload.scales[scale];
  return `${predicted ? "predicted" : "measured"} at ${name}`;
}

/**
 * What the table says of a call path.
 * @param {number} k
 * @param {number} scale
 */
function remarks(k, scale) {
  const { rest } = judged.get(k) ?? {};
  if (!rest) return [];
  const [verdict, changes] = rest;
  const change = changes[scale];
  if (!change) return [`Verdict: ${verdict}`];
  const [ratio, lower, upper] = change;
  const ends = estimateText(ratio, { lower: lower ?? 0, upper: upper ?? Number.POSITIVE_INFINITY }, "");
  const { predicted } = payload.scales[scale];
  const of = predicted ? "the ratio of the predictions" : "for all rows of the table at once";
  return [`Verdict: ${verdict}; ${RATIO} here ${ends}, ${of}`];
}

/** @type {Map<number, Compared>} */
const known = new Map();

function compared() {
  const { scale } = chosen;
  const found = known.get(scale) ?? comparedAt(scale);
  known.set(scale, found);
  return found;
}

/**
 * @param {number} scale
 * @returns {Compared}
 */
function comparedAt(scale) {
  const { predicted, ...at } = payload.scales[scale];
  const [a, b] = SIDES.map(([key, study], n) => {
    const { value, lower, upper } = unpackedEnds(at[key]);
    const runs = predicted ? 0 : at.runs[n];
    const of = predicted ? "90 % interval" : `${runs} runs`;
    const { whole } = at[key];
    const name = `${study}, ${placeOf(scale)}`;
    /** @type {Side} */
    const side = {
      name,
      label: name,
      whole: whole && { lower: whole[0], upper: whole[1], of },
      kind: predicted ? "model" : "measured",
      exclusive: Float64Array.from(value, (one) => one || 0),
      range: (k) => {
        const known = runs !== 1 && Number.isFinite(lower[k]) && Number.isFinite(upper[k]);
        return known ? { lower: lower[k], upper: upper[k], of } : null;
      },
    };
    return { side, value };
  });
  const difference = new Difference(tree, a.side, b.side);
  /** @param {number} k */
  const elsewhere = (k) => difference.only[k] && !Number.isNaN(a.value[k]) && !Number.isNaN(b.value[k]);
  return {
    difference,
    metric,
    unit,
    only: { [ONLY_A]: `only in ${payload.a}`, [ONLY_B]: `only in ${payload.b}` },
    notes: [],
    remarks: (k) => [
      ...(elsewhere(k) ? ["The other study has it at other scales"] : []),
      ...remarks(k, scale),
    ],
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
  names: [payload.a, payload.b],
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

let drawKernel = () => {};

/**
 * The curves of a kernel.
 * @param {HTMLElement} plot
 * @param {Curves} of
 * @param {number} k
 * @param {string} name
 * @param {number[]} target
 */
function drawCurves(plot, of, k, name, target) {
  const { positions } = of;
  const scale = target[positions.column];
  const xs = positions.curveScales(target);
  const lines = SIDES.map(([side, study, cls], n) => ({
    study,
    cls,
    model: xs.flatMap((x) => of.at(side, k, x) ?? []),
    dots: of.measured(n, k),
  }));
  const firm = lines.flatMap(({ model, dots }) => [
    ...model.map(({ value }) => value),
    ...dots.map(({ y }) => y),
  ]);
  const [most, least] = [Math.max(...firm) * CUT, Math.min(...firm.filter((y) => y > 0)) / CUT];
  const ends = lines.flatMap(({ model }) => model.flatMap(({ lower, upper }) => [lower, upper]));
  const at = pointText(positions.parameters, target);
  const said = of.texts(k, scale, unit).slice(0, SIDES.length);
  const chart = scaleChart(plot, positions, target, {
    height: HEIGHT,
    right: LABELS,
    label: `${[`${name} of ${payload.a} and ${payload.b} over ${positions.scaled}, at ${at}`, ...said].join("; ")}.`,
    from: xs[0] / 1.05,
    to: xs[xs.length - 1],
    log: true,
    readings: (x) => of.readings(k, x),
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
}

/**
 * The target, and what follows it: the verdict, the charts and a column of the table.
 * @param {Curves} of
 */
function buildCurves(of) {
  const { positions } = of;
  const name = `at.${positions.scaled}`;
  const asked = Number(address.kept.get(name));
  const state = {
    report: { positions },
    target: asked > 0 ? positions.atScale(positions.opening, positions.nearest(asked)) : positions.opening,
    /** @param {readonly number[]} target */
    setTarget: (target) => {
      state.target = [...target];
      address.keep(name, target[positions.column], positions.opening[positions.column]);
      follow();
    },
  };
  const [total, kernel] = [byId("curves-total"), byId("curves-kernel")];
  /** @param {number} k */
  const ratioAt = (k) => {
    const texts = of.texts(k, state.target[positions.column], unit);
    return texts.length ? `At ${pointText(positions.parameters, state.target)}: ${texts.join(", ")}` : "";
  };
  const drawTotal = () => drawCurves(total, of, 0, "Total", state.target);
  drawKernel = () => {
    const shown = rowName(chosen.row);
    drawCurves(kernel, of, chosen.row + 1, shown, state.target);
    const said = [shown, ratioAt(chosen.row + 1)]; // printed without the list of kernels
    byId("kernel-says").textContent = said.filter(Boolean).join(". ");
  };
  const follow = () => {
    drawTotal();
    drawKernel();
    const scale = state.target[positions.column];
    byId("total-says").textContent = ratioAt(0);
    const said = of.said[positions.scales.indexOf(scale)];
    if (said) byId("verdict").textContent = said;
    byId("at-target").textContent = outsideText(positions, state.target);
    if (positions.measuredOnly) return;
    byId("target-head").textContent = `${RATIO} at ${pointText(positions.parameters, state.target)}`;
    rows.forEach((row, i) => {
      const ratio = of.at("ratio", i + 1, scale);
      const interval = ratio && el("small", {}, intervalText(ratio));
      row
        .querySelector(".target-ratio")
        ?.replaceChildren(...(ratio && interval ? [figure(ratio.value), el("br"), interval] : ["-"]));
    });
  };
  const names = rows.map((_, i) => /** @type {[number, string]} */ ([i, rowName(i)]));
  byId("kernel-choice").replaceChildren(selector("Kernel", names, chosen.row, choose));
  byId("total-tools").replaceChildren(chartTools(total, "the total of both", drawTotal));
  byId("kernel-tools").replaceChildren(chartTools(kernel, "a kernel of both", () => drawKernel()));
  if (!positions.measuredOnly && positions.scales.length > 1) {
    const { node, hint } = scaleControl(state);
    byId("scale").replaceChildren(node, hint);
  }
  follow();
  addEventListener("beforeprint", follow);
}

payload.kernels.forEach(([k], row) => {
  if (k === NONE) return;
  const label = `Select ${tree.level.name(k)}`;
  const click = () => select(chosen.selection === k ? NONE : k);
  const attributes = { type: "button", class: "pick", "aria-label": label, title: label, click };
  rows[row].querySelector("th")?.append(el("button", attributes));
});
const places = payload.scales.map((_, i) => /** @type {[number, string]} */ ([i, placeOf(i)]));
const scale = selector("Scale", places, chosen.scale, (value) => {
  chosen.scale = value;
  address.keep("scale", value, opening);
  draw();
});
byId("difference-options").replaceChildren(scale, ...view.options());
byId("search").replaceChildren(...search.nodes);
boxes.listen(host);
filter();
if (curves) buildCurves(curves);
draw();
followAddress(address);
drawn();
