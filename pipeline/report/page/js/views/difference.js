// @ts-check
// A differential flame graph, as of Gregg: boxes as wide as the values of one side, coloured by growth from A to B.

import { Difference, LEAST_OWN, ONLY_A, ONLY_B } from "../data/difference.js";
import { sum } from "../data/shares.js";
import { boxParts, heightOf, ROW_HEIGHT } from "../draw/boxes.js";
import {
  el,
  eventElement,
  keepingFocus,
  onResize,
  quietButton,
  selector,
  svgEl,
  switcher,
} from "../draw/dom.js";
import { csvButton, figureButtons, pathRows, toolMenu } from "../draw/files.js";
import { coloured, differenceLegend } from "../draw/nodes.js";
import { doublingText, figure, intervalText, percent, pointText, quantity, TO } from "../text/numbers.js";

/** @import { Where } from "../data/call_tree.js" */
/** @import { Interval, KernelValues } from "../data/kernel_set.js" */
/** @import { Positions } from "../data/positions.js" */
/** @import { Point } from "../data/records.js" */
/** @import { Range, Reference, Side, Width } from "../data/difference.js" */
/** @import { Box, BoxTree } from "../draw/boxes.js" */
/** @import { Address } from "../state.js" */
/**
 * @typedef {object} Reader what the page knows of its reader
 * @property {[string, string]} names of both sides in a word
 * @property {Reference} neutral what is grey if the reader does not choose
 * @property {string} metric
 * @property {string} unit
 * @property {() => unknown[]} places what is compared now
 * @property {() => Side[]} sides both
 * @property {(difference: Difference) => string[]} notes sentences about the whole program
 * @property {(k: number, only: number) => string[]} remarks further lines about a call path
 * @property {(k: number) => string} look classes of a box: selected, or out of what is searched
 * @property {(k: number) => void} select
 */

const NAME = "differential flame graph";
const LEADING = 3; // call paths of the largest differences that are named
const CALLERS = 3; // names at the end of a call path that are shown of it
const NAMED = 5; // regions of call paths of one side only
const NARROWEST = 200; // pixels of the picture
const MARK = 5; // pixels of the mark for call paths without a width
const HINT = "Point at a box, or move to it with the arrow keys, to read its values here.";
/** @type {[Reference, string][]} */
const REFERENCES = [
  ["program", "grows as the program"],
  ["none", "unchanged"],
];

/** @type {(positions: Positions, where: Where, target: Point) => string} */
export function sideName({ parameters, points, observed }, where, target) {
  if (where === "target") return `predicted at ${pointText(parameters, target)}`;
  return `${observed} at ${pointText(parameters, points[where])}`;
}

/** @type {(level: KernelValues, where: Where, at: Point) => Omit<Side, "only">} `at` is the target */
export function sideAt(level, where, at) {
  const name = sideName(level.positions, where, at);
  const predicted = where === "target";
  /** @param {Interval | null} ends */
  const interval = (ends) => ends && { ...ends, of: "90 % interval" };
  /** @param {number} k */
  const range = (k) => {
    if (predicted) return interval(level.interval(k, at));
    const runs = level.singles(k, where);
    if (runs.length < 2) return null;
    return { lower: Math.min(...runs), upper: Math.max(...runs), of: `${runs.length} runs` };
  };
  return {
    name,
    label: name,
    kind: predicted ? "model" : "measured",
    exclusive: Float64Array.from(level.region, (_, k) => level.at(k, where, at) || 0),
    range,
    whole: predicted ? interval(level.intervalOfTotal(at)) : null,
  };
}

export class DifferenceView {
  /** @param {HTMLElement} host @param {BoxTree} boxes @param {Address} address @param {Reader} reader */
  constructor(host, boxes, address, reader) {
    this.host = host;
    this.boxes = boxes;
    this.address = address;
    this.reader = reader;
    const [a, b] = reader.names;
    this.places = "";
    /** @type {Difference | null} */
    this.made = null;
    /** @type {[Width, string][]} */
    this.choices = [
      ["b", b],
      ["a", a],
      ["larger", "larger of both"],
    ];
    this.ratio = `${b} / ${a}`;
    this.neutral = [...REFERENCES].sort(([key]) => (key === reader.neutral ? -1 : 0));
    this.width = address.choice("width", this.choices);
    this.reference = address.choice("neutral", this.neutral);
    this.end = 0; // of the scale of colours
    /** @type {unknown[]} */
    this.drawn = []; // what the picture is of
    this.summary = el("div", { class: "side" });
    this.legend = el("div");
    this.picture = el("div", { class: "difference" });
    this.details = el("p", { class: "details" }, HINT);
    this.missing = el("p", { class: "quiet missing" });
    host.replaceChildren(this.summary, this.legend, this.picture, this.details, this.missing);
    for (const name of ["pointerover", "focusin"])
      this.picture.addEventListener(name, (event) => this.read(event));
    onResize(host, () => this.draw());
  }

  /** Both sides, read again only if something else is compared. */
  get difference() {
    const places = this.reader.places().join(": ");
    if (this.made && places === this.places) return this.made;
    const [a, b] = this.reader.sides();
    this.places = places;
    this.made = new Difference(this.boxes.tree, a, b);
    return this.made;
  }

  /** @param {Event} event */
  read(event) {
    const title = eventElement(event, "svg.icicle g")?.querySelector("title");
    this.details.textContent = title?.textContent?.replaceAll("\n", " · ") ?? HINT;
  }

  /** @param {Width} width */
  setWidth(width) {
    this.width = width;
    this.address.keep("width", width, "b");
    this.draw();
  }

  /** What is shown how, and files of it. */
  options() {
    this.widths = selector("Width", this.choices, this.width, (key) => this.setWidth(key));
    const neutral = switcher("Grey", "neutral", this.neutral, this.reference, (key) => {
      this.reference = key;
      this.address.keep("neutral", key, this.reader.neutral);
      this.draw();
    });
    const table = csvButton(NAME, () => this.rowsOfFile());
    const picture = () => this.picture.querySelector("svg");
    return [this.widths, neutral, toolMenu(NAME, ...figureButtons(picture, NAME), table)];
  }

  /** Draws everything again if something else is compared or shown in another way, else marks boxes only. */
  draw() {
    const width = Math.max(this.host.clientWidth, NARROWEST);
    if (!this.host.clientWidth) return; // another mode is shown
    const drawn = [this.difference, width, this.width, this.reference, this.boxes.root];
    if (drawn.every((value, i) => value === this.drawn[i])) this.mark();
    else this.drawAll(width);
    this.drawn = drawn;
  }

  /** Marks the boxes that are selected or searched. */
  mark() {
    for (const node of this.picture.querySelectorAll(".box")) {
      const look = this.reader.look(Number(node.getAttribute("data-kernel")));
      node.classList.toggle("selected", look.includes("selected"));
      node.classList.toggle("fades", look.includes("fades"));
    }
  }

  /** @param {number} width */
  drawAll(width) {
    const { difference } = this;
    const { unit } = this.reader;
    const values = { inclusive: difference.widths(this.width) };
    this.end = difference.end(this.reference);
    const label = `Differential flame graph: ${difference.a.label}; ${difference.b.label}. Saved as CSV it is a table.`;
    const { svg, found } = this.boxes.picture(values, unit, width, label, (box) => {
      const { k } = box;
      const texts = this.texts(k);
      const node = this.boxes.node(box, "difference", this.reader.look(k), texts, difference.only[k] !== 0);
      return coloured(node, difference.colour(k, this.reference), this.end);
    });
    svg.append(...this.marks(found, width));
    this.summary.replaceChildren(...this.summaryNodes());
    this.legend.replaceChildren(this.legendNode());
    keepingFocus(this.picture, () => this.picture.replaceChildren(svg));
    this.missing.replaceChildren(...this.missingText());
  }

  /** The side whose call paths have no width; 0 if all have one. */
  get unseen() {
    return { a: ONLY_B, b: ONLY_A, larger: 0 }[this.width];
  }

  /** @type {(found: Box[], width: number) => SVGGElement[]} hatched, for callees that the other side alone has */
  marks(found, width) {
    const { difference } = this;
    const { unit } = this.reader;
    const { tree, root } = this.boxes;
    const { unseen } = this;
    if (!unseen) return [];
    const own = difference.inclusiveOf(unseen);
    /** @type {(nodes: number[], right: number, depth: number) => SVGGElement[]} */
    const mark = (nodes, right, depth) => {
      const missing = nodes.filter((k) => difference.only[k] === unseen);
      if (!missing.length) return [];
      const value = quantity(sum(missing.map((k) => own[k])), unit);
      const names = missing.map((k) => tree.level.name(k)).join(", ");
      const node = svgEl(
        "g",
        { class: "gone" },
        svgEl("title", {}, `${difference.sideOf(unseen).only}: ${value}\n${names}`),
        ...boxParts({ x: right - MARK, wide: MARK, depth }, "", true),
      );
      return [coloured(node, unseen * this.end, this.end)];
    };
    const rows = heightOf(found) / ROW_HEIGHT;
    const below = found.flatMap(({ k, x, wide, depth, others }) =>
      others || wide < 2 * MARK ? [] : mark(tree.callees[k], x + wide, Math.min(depth + 1, rows - 1)),
    );
    return [...(root < 0 ? mark(tree.roots, width, 0) : []), ...below];
  }

  legendNode() {
    const { difference } = this;
    const beside =
      this.reference === "program"
        ? `, over the ${doublingText(Math.log2(difference.common))} of the whole program`
        : "";
    /** @type {[string, number][]} */
    const hatched = [
      [difference.a.only, ONLY_A],
      [difference.b.only, ONLY_B],
    ];
    const own = `grey, too, if less than ${100 * LEAST_OWN} % is its own`;
    const text = `Colour: ${this.ratio} of a call path without its callees${beside}; ${own}:`;
    return differenceLegend(text, this.end, hatched);
  }

  summaryNodes() {
    const { difference } = this;
    const { unit, metric, notes } = this.reader;
    const { a, b, total } = difference;
    const ratio = ratioText(total.a, total.b);
    const whole = el(
      "p",
      {},
      el("b", {}, a.label),
      `, ${quantity(total.a, unit)}${rangeText(a.whole)}; `,
      el("b", {}, b.label),
      `, ${quantity(total.b, unit)}${rangeText(b.whole)}. `,
      `Whole program: ${metric} ${ratio ? `${ratio}, ` : ""}${signed(total.b - total.a, unit)}. `,
      notes(difference).join(" "),
    );
    const nodes = difference.leading(LEADING).flatMap((k, i) => {
      const added = signed(difference.added(k), unit);
      return [i ? ", " : "", this.nameButton(k), `\u00a0${added}`];
    });
    return nodes.length ? [whole, el("p", {}, "Largest differences, without callees: ", ...nodes)] : [whole];
  }

  /** @param {number} k */
  nameButton(k) {
    const names = this.boxes.tree.level.pathNames(k);
    const text = names.slice(-CALLERS).join(" › ");
    return quietButton(text, () => this.reader.select(k), { title: names.join(" › ") });
  }

  missingText() {
    const { difference } = this;
    const { unit } = this.reader;
    const { unseen } = this;
    const missing = unseen ? difference.missing(unseen).filter((k) => this.boxes.isDrawn(k)) : [];
    if (!missing.length) return [];
    const own = difference.inclusiveOf(unseen);
    const { level } = this.boxes.tree;
    /** @type {Map<string, number[]>} */
    const regions = new Map();
    for (const k of missing) regions.set(level.name(k), [...(regions.get(level.name(k)) ?? []), own[k]]);
    const texts = [...regions].slice(0, NAMED).map(([name, values]) => {
      const count = values.length > 1 ? `${values.length} call paths, ` : "";
      return `${name} (${count}${quantity(sum(values), unit)})`;
    });
    const more = regions.size > NAMED ? ` and ${regions.size - NAMED} more regions` : "";
    const text = `Without width here, ${difference.sideOf(unseen).only}: ${texts.join(", ")}${more}. `;
    const show = () => {
      this.setWidth("larger");
      const list = this.widths?.querySelector("select");
      if (list) list.value = "larger";
      list?.focus();
    };
    return [text, quietButton("Show them", show)];
  }

  /** @param {number} k @returns the values of both sides, their difference, and what else is known */
  texts(k) {
    const { difference } = this;
    const { unit, remarks } = this.reader;
    const { inclusive, total, a, b } = difference;
    /** @param {"a" | "b"} key */
    const side = (key) => {
      const of = difference[key];
      const share = total[key] > 0 ? ` (${percent(inclusive[key][k] / total[key])})` : "";
      const own = `${quantity(of.exclusive[k] || 0, unit)}${rangeText(of.range(k))}`;
      const whole = quantity(inclusive[key][k], unit);
      return `${of.label}: ${whole}${share}; without its callees ${own}`;
    };
    const whole = signed(inclusive.b[k] - inclusive.a[k], unit);
    const ratio = ratioText(inclusive.a[k], inclusive.b[k]);
    const ownRatio = ratioText(a.exclusive[k], b.exclusive[k]);
    const beside =
      ownRatio && `, ${ownRatio} beside ${doublingText(Math.log2(difference.common))} of the program`;
    const own = `without its callees ${signed(difference.added(k), unit)}${beside}`;
    return [
      side("a"),
      side("b"),
      `Difference: ${whole}${ratio && ` (${ratio})`}; ${own}`,
      ...(difference.only[k] ? [difference.sideOf(difference.only[k]).only] : []),
      ...remarks(k, difference.only[k]),
    ];
  }

  /** Call paths in sight as a table with a head: both sides with their ranges, and how they differ. */
  rowsOfFile() {
    const { difference } = this;
    const { unit, metric } = this.reader;
    const { level } = this.boxes.tree;
    const nodes = level.region.map((_, k) => k).filter((k) => this.boxes.isDrawn(k));
    const { a, b, inclusive } = difference;
    const quantity = unit ? `${metric} (${unit})` : metric;
    /** @param {Side} side */
    const ends = (side) => ["lower end", "upper end"].map((end) => `${end}, exclusive, ${side.name}`);
    const names = [a, b].flatMap((side) => [
      ...["inclusive", "exclusive"].map((kind) => `${kind} ${quantity}, ${side.name}`),
      ...ends(side),
      `what ${side.name} is`,
    ]);
    const differences = [
      `difference, exclusive ${quantity}`,
      `${this.ratio}, exclusive`,
      `${this.ratio} over that of the program`,
    ];
    return pathRows(level, nodes, [...names, ...differences], (k) => {
      /** @param {"a" | "b"} key */
      const cells = (key) => {
        const range = difference[key].range(k);
        const { exclusive, kind } = difference[key];
        return [
          inclusive[key][k],
          exclusive[k],
          range?.lower,
          range?.upper,
          range ? `${kind}, ${range.of}` : kind,
        ];
      };
      const growth = 2 ** difference.growth(k, "none");
      return [...cells("a"), ...cells("b"), difference.added(k), growth, growth / difference.common];
    });
  }
}

/** @type {(value: number, unit: string) => string} */
function signed(value, unit) {
  return `${value < 0 ? "−" : "+"}${quantity(Math.abs(value), unit)}`;
}

/** @type {(a: number, b: number) => string} */
function ratioText(a, b) {
  return a > 0 && b > 0 ? doublingText(Math.log2(b / a)) : "";
}

/** @param {Range | null} range */
function rangeText(range) {
  return range ? `, ${range.of} ${intervalText(range, figure, TO)}` : "";
}
