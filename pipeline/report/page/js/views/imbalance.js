// @ts-check
// How unevenly call paths are spread over locations.

import { byId, selector, svgEl } from "../draw/dom.js";
import { kernelNode } from "../draw/nodes.js";
import { DataTable } from "../draw/table.js";
import { figure, pointChoices, pointText } from "../text/numbers.js";

/** @import { State } from "../state.js" */
/** @import { Column } from "../draw/table.js" */

const WIDTH = 168; // pixels, of the sketch of all points
const STEP = 24; // at most, between two points
const HEIGHT = 35;

/** @param {State} state */
export function buildImbalance({ report: { imbalance, positions, tree } }) {
  if (!imbalance) return;
  const { kernels, locations, low, mean, high } = imbalance;
  const unit = imbalance.unit ? ` [${imbalance.unit}]` : "";
  const { level } = tree;
  const count = positions.points.length;
  const parallel = positions.points.map((_, i) => i).filter((i) => locations[i] > 1);
  let point = parallel.includes(positions.largest) ? positions.largest : parallel[parallel.length - 1];
  /** @param {Float32Array} values @param {number} row @param {number} [i] */
  const at = (values, row, i = point) => values[row * count + i];
  /** @param {number} row */
  const excess = (row) => (at(high, row) - at(mean, row)) * locations[point];
  /** @param {number} row */
  const ratio = (row) => (at(mean, row) > 0 ? at(high, row) / at(mean, row) : NaN);
  /** @param {number} row */
  const sketch = (row) => {
    const top = Math.max(...positions.points.map((_, i) => at(high, row, i)).filter(Number.isFinite)) || 1;
    const step = Math.min(STEP, WIDTH / count);
    /** @param {number} value */
    const y = (value) => (32 - 29 * (value / top)).toFixed(1);
    const texts = parallel.map((i) => {
      const spread = [low, mean, high].map((values) => figure(at(values, row, i))).join(" … ");
      return `${pointText(positions.parameters, positions.points[i])}: ${spread}`;
    });
    const measured = positions.points.map((_, i) => i).filter((i) => Number.isFinite(at(mean, row, i)));
    return svgEl(
      "svg",
      { class: "spread", width: step * count, height: HEIGHT, role: "img", "aria-label": texts.join("; ") },
      svgEl("title", {}, texts.join("\n")),
      ...measured.flatMap((i) => {
        const x = (i + 0.5) * step;
        return [
          svgEl("line", { x1: x, x2: x, y1: y(at(low, row, i)), y2: y(at(high, row, i)) }),
          svgEl("circle", { cx: x, cy: y(at(mean, row, i)), r: 2.2 }),
        ];
      }),
    );
  };
  const waiting = "(max − mean) × locations: time that the others may spend waiting";
  /** @type {[string, string, string, (row: number) => number][]} */
  const numbers = [
    ["low", `Min${unit}`, "Smallest value of a location", (row) => at(low, row)],
    ["mean", `Mean${unit}`, "Mean over locations", (row) => at(mean, row)],
    ["high", `Max${unit}`, "Largest value of a location", (row) => at(high, row)],
    ["ratio", "Max / mean", "1 if all locations have the same value", ratio],
    ["excess", `Excess${unit}`, waiting, excess],
  ];
  /** @type {Column[]} */
  const columns = [
    {
      key: "name",
      title: "Call path",
      value: (row) => level.name(kernels[row]),
      cell: (row) => kernelNode(level, kernels[row]),
    },
    ...numbers.map(([key, title, help, value]) => {
      return {
        key,
        title,
        help,
        kind: "number",
        value,
        cell: (/** @type {number} */ row) => figure(value(row)),
      };
    }),
    { key: "spread", title: "All points", kind: "wide left", value: ratio, cell: sketch },
  ];
  const table = new DataTable(byId("imbalance-table"), {
    caption: "Smallest, mean and largest value of a location, per call path",
    columns,
    sort: "excess",
    rows: () => kernels.map((_, row) => row),
    text: (row) => level.searchText(kernels[row]),
  });
  const choice = selector("Measurement point", pointChoices(positions, "", parallel), point, (chosen) => {
    point = chosen;
    table.refresh();
  });
  byId("imbalance-options").replaceChildren(choice);
}
