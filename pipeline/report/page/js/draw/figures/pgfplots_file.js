// @ts-check
// A chart for LaTeX: pgfplots draws it anew from the data, with the axes, marks and colours of the page.

import { placed } from "./seen_shapes.js";
import { latexText, NamedColours, paintOptions } from "./tikz_file.js";

/** @import { Chart, Series, Tick } from "../chart.js" */
/** @import { PathShape, Shape, TextShape } from "./seen_shapes.js" */

const POINT = 0.75; // points per pixel
const DIGITS = 4; // as many as the page shows
const PLACE = 6; // digits of places on axes
const OPAQUE = 0.5; // from which areas are named, like lines
const MARK = 0.9; // of the radius of a dot on the screen

/**
 * @param {number} value
 * @param {number} digits
 */
function short(value, digits) {
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : "nan";
}

/**
 * @param {Chart} chart
 * @param {Shape[]} shapes what is seen of it
 * @param {string} title what it shows
 */
export function pgfplotsText(chart, shapes, title) {
  const colours = new NamedColours();
  const { lines, names } = new Drawing(chart, colours).all(shapes);
  const legend = names.length ? [`legend entries={${names.map((name) => `{${name}}`).join(",")}}`] : [];
  return [
    `% ${latexText(title)}`,
    "% \\usepackage{pgfplots} \\pgfplotsset{compat=1.18}",
    "\\begin{tikzpicture}",
    ...colours.definitions(),
    `\\begin{axis}[\n  ${[...axisOptions(chart), ...legend].join(",\n  ")}\n]`,
    ...lines,
    "\\end{axis}",
    "\\end{tikzpicture}",
    "",
  ].join("\n");
}

/** @param {Chart} chart */
function axisOptions(chart) {
  const { box, width, xAxis, yAxis, ticks } = chart;
  const [wide, high] = [box.right - box.left, box.bottom - box.top].map((size) => placed(size / width));
  return [
    "scale only axis",
    `width=${wide}\\linewidth`,
    `height=${high}\\linewidth`,
    ...axisLines("x", xAxis, ticks.x),
    ...axisLines("y", yAxis, ticks.y),
    "axis lines*=left, ymajorgrids, grid style={black!12}",
    "unbounded coords=jump, clip mode=individual",
    "tick label style={font=\\footnotesize}, label style={font=\\small}",
    "legend style={at={(0.5,-0.25)}, anchor=north, draw=none, font=\\footnotesize, cells={anchor=west}, legend columns=2}",
  ];
}

/**
 * @param {"x" | "y"} name
 * @param {Chart["xAxis"]} axis
 * @param {Tick[]} ticks
 */
function axisLines(name, { domain, log, label }, ticks) {
  const [low, high] = domain.map((end) => short(end, PLACE));
  return [
    `${name}mode=${log ? "log" : "normal"}, ${name}min=${low}, ${name}max=${high}`,
    `${name}tick={${ticks.map(({ value }) => short(value, PLACE)).join(",")}}`,
    `${name}ticklabels={${ticks.map(({ text }) => `{${latexText(text)}}`).join(",")}}, ${name}minorticks=false`,
    `${name}label={${latexText(label)}}`,
  ];
}

class Drawing {
  /**
   * @param {Chart} chart
   * @param {NamedColours} colours
   */
  constructor(chart, colours) {
    this.chart = chart;
    this.colours = colours;
    /** @type {string[]} */
    this.names = []; // of the legend
    /** @type {Map<Element, Series>} */
    this.series = new Map(chart.series.flatMap((one) => one.nodes.map((node) => [node, one])));
  }

  /** @param {Shape[]} shapes */
  all(shapes) {
    const lines = [];
    const done = new Set();
    for (const shape of shapes) {
      if (shape.node.closest(".axis, .end")) continue; // what axes and legend have
      const series = this.series.get(shape.node);
      if (shape.kind === "text") lines.push(this.note(shape));
      else if (!series) lines.push(this.shape(shape));
      else if (!done.has(series)) lines.push(this.plot(series, shape));
      done.add(series);
    }
    return { lines, names: this.names };
  }

  /**
   * @param {number} x pixels
   * @param {number} y
   */
  place(x, y) {
    const { chart } = this;
    return `(axis cs:${short(chart.x.invert(x), PLACE)},${short(chart.y.invert(y), PLACE)})`;
  }

  /** @param {PathShape} shape */
  shape({ steps, paint, clip }) {
    const words = steps.map((step) => {
      if (step[0] === "Z") return "-- cycle";
      if (step[0] !== "C") return `${step[0] === "M" ? "" : "-- "}${this.place(step[1], step[2])}`;
      const [, x1, y1, x2, y2, x, y] = step;
      return `.. controls ${this.place(x1, y1)} and ${this.place(x2, y2)} .. ${this.place(x, y)}`;
    });
    const path = `\\path[${paintOptions(paint, this.colours).join(", ")}] ${words.join(" ")};`;
    if (!clip) return path;
    const { left, right, top, bottom } = this.chart.box;
    const corners = `${this.place(left, bottom)} rectangle ${this.place(right, top)}`;
    return `\\begin{scope}\\clip ${corners};${path}\\end{scope}`;
  }

  /** @param {TextShape} shape */
  note({ text, x, y, anchor, colour }) {
    const side = { start: "base west", middle: "base", end: "base east" }[anchor];
    const look = `anchor=${side}, inner sep=0pt, font=\\footnotesize, text=${this.colours.name(colour)}`;
    return `\\node[${look}] at ${this.place(x, y)} {${latexText(text)}};`;
  }

  /**
   * @param {Series} series
   * @param {PathShape} shape how it looks
   */
  plot(series, { paint }) {
    const { name, form, lower } = series;
    const painted = paintOptions(paint, this.colours);
    if (form === "bars" && !lower) return this.bars(series, painted);
    const options = form === "dots" ? this.marks(series, painted) : painted;
    if (this.isNamed(series, paint.fill?.alpha ?? 0)) this.names.push(latexText(name));
    else options.push("forget plot");
    if (lower && form !== "intervals") options.push("area legend");
    const closed = lower && form !== "intervals" ? " -- cycle" : "";
    return `\\addplot[${options.join(", ")}] coordinates {${this.coordinates(series)}}${closed};`;
  }

  /** @param {Series} series */
  coordinates({ form, xs, ys, lower }) {
    if (form === "contour") return pieces(xs, ys);
    if (!lower) return written(xs, ys);
    if (form === "intervals") return ends(xs, lower, ys);
    return written(xs, ys) + written([...xs].reverse(), [...this.floored(lower)].reverse());
  }

  /**
   * Bars one apart, as boxes.
   * @param {Series} series
   * @param {string[]} options
   */
  bars({ xs, ys }, options) {
    const boxes = xs.map((x, i) => {
      const [low, high] = [short(x - 0.4, PLACE), short(x + 0.4, PLACE)];
      return `(axis cs:${low},0) rectangle (axis cs:${high},${short(ys[i], DIGITS)})`;
    });
    return `\\path[${options.join(", ")}] ${boxes.join(" ")};`;
  }

  /**
   * Lower ends that a logarithmic axis has no place for lie at its bottom.
   * @param {number[]} values
   */
  floored(values) {
    const [low] = this.chart.yAxis.domain;
    return this.chart.yAxis.log ? values.map((value) => (value > 0 ? value : low)) : values;
  }

  /**
   * @param {Series} series
   * @param {string[]} options of one dot
   */
  marks({ nodes }, options) {
    const radius = Number(nodes[0]?.getAttribute("r") ?? 3);
    return [
      "only marks",
      "mark=*",
      `mark size=${placed(radius * POINT * MARK)}pt`,
      `mark options={${options.join(", ")}}`,
    ];
  }

  /**
   * Whether the legend names a series: the first line or area of a name, and dots without a line.
   * @param {Series} series
   * @param {number} opaque
   */
  isNamed({ name, form, xs }, opaque) {
    const text = latexText(name);
    if (form === "contour" || form === "intervals" || this.names.includes(text)) return false;
    if (form === "dots") return xs.length > 1 && !this.names.some((other) => text.startsWith(`${other},`));
    return form === "line" || opaque > OPAQUE;
  }
}

/**
 * @param {readonly number[]} xs
 * @param {readonly number[]} ys
 */
function written(xs, ys) {
  return xs.map((x, i) => `(${short(x, PLACE)},${short(ys[i], DIGITS)})`).join("");
}

/**
 * Upright lines with gaps between them.
 * @param {number[]} xs
 * @param {number[]} lower
 * @param {number[]} upper
 */
function ends(xs, lower, upper) {
  return xs.map((x, i) => `${written([x, x], [lower[i], upper[i]])}(nan,nan)`).join("");
}

/**
 * Lines between each two places, with gaps between them.
 * @param {number[]} xs
 * @param {number[]} ys
 */
function pieces(xs, ys) {
  return xs.map((x, i) => written([x], [ys[i]]) + (i % 2 ? "(nan,nan)" : "")).join("");
}
