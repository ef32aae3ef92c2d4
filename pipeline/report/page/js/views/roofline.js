// @ts-check
// The roofline: regions with hardware counters under the ceilings of the machine that they were measured on.

import { drawDots, drawLine, frame } from "../draw/chart.js";
import { byId, el, svgEl, switcher } from "../draw/dom.js";
import { chartTools } from "../draw/files.js";
import { barNode, cutNode } from "../draw/nodes.js";
import { columnsOf, namesTable } from "../draw/table.js";
import { figure } from "../text/numbers.js";

/** @import { Chart } from "../draw/chart.js" */
/** @import { RooflinePayload } from "../data/records.js" */
/** @import { State } from "../state.js" */

const HEIGHT = 380;
const COLOURS = 8;
const AROUND = 4; // how far the axes reach beyond points and ridges
const GIGA = 1e9;
const NAMED = 6; // regions whose points have a label
const LONGEST = 28; // characters of it
/** The memory ceilings of each level; a machine may state some of them. */
const OF_LEVEL = /** @type {Record<string, string[]>} */ ({
  DRAM: ["bw_node", "bw_numa", "bw_core"],
  L3: ["bw_l3"],
  L2: ["bw_l2"],
  L1: ["bw_l1"],
});

/** @param {State} state */
export function buildRoofline({ report: { roofline } }) {
  if (!roofline) return;
  const view = new RooflineView(roofline);
  const draw = () => view.draw();
  if (roofline.levels.length > 1) {
    byId("roofline-options").append(
      switcher("Bytes counted at", "roofline-level", roofline.levels, view.level, (chosen) => {
        view.level = chosen;
        draw();
      }),
    );
  }
  byId("roofline-options").append(chartTools(view.host, "roofline", draw));
  byId("roofline-legend").append(
    ...roofline.runs.map((run, i) => el("li", {}, el("span", { class: `swatch c${i % COLOURS}` }), run)),
  );
  draw();
  const { names, columns } = roofline;
  const share = columns.find(({ key }) => key === "share");
  const shown = columnsOf(columns, {
    region: (row, text) => cutNode(text, names[row]),
    share: (row, text) => barNode(Number(share?.values[row]), text),
  });
  const caption = "What limits regions on the machine measured on";
  namesTable(byId("roofline-table"), caption, "share", names, shown);
}

class RooflineView {
  /** @param {RooflinePayload} roofline */
  constructor(roofline) {
    this.roofline = roofline;
    this.level = roofline.levels[0];
    this.host = byId("roofline-plot");
  }

  draw() {
    const { bandwidths, peaks, points, runs } = this.roofline;
    const shown = points.filter((point) => point[1] === this.level && point[2] !== null && point[2] > 0);
    const peak = peaks[0][1];
    const intensities = [
      ...bandwidths.map(([, flow]) => peak / flow),
      ...shown.map((point) => point[2] ?? 1),
    ];
    const rates = [peak, ...shown.map((point) => point[3])];
    const [low, high] = [Math.min(...intensities) / AROUND, Math.max(...intensities) * AROUND];
    const drawn = frame(this.host, {
      height: HEIGHT,
      label: this.described(shown.length),
      x: { domain: [low, high], log: true, label: "flop/B" },
      y: {
        domain: [Math.min(...rates) / AROUND / GIGA, (Math.max(...rates) * 2.5) / GIGA],
        log: true,
        label: "Gflop/s of a node",
      },
    });
    for (const [name, flow] of bandwidths) this.drawFlow(drawn, name, flow, low);
    for (const [name, top] of peaks) {
      const text = `${name} ${figure(top / GIGA)} Gflop/s`;
      drawLine(drawn, [top / bandwidths[0][1], high], [top / GIGA, top / GIGA], "ideal own", text);
      const place = { x: drawn.box.right - 4, y: drawn.y(top / GIGA) - 6, "text-anchor": "end" };
      drawn.over.append(svgEl("text", { class: "note", ...place }, text));
    }
    runs.forEach((run, i) => {
      const dots = shown
        .filter((point) => point[4] === i)
        .map(([name, , intensity, rate]) => ({
          x: intensity ?? 1,
          y: rate / GIGA,
          title: `${name}, ${run}: ${figure(rate / GIGA)} Gflop/s, ${figure(intensity ?? 0)} flop/B`,
        }));
      drawDots(drawn, dots, `c${i % COLOURS}`, { radius: 4.5 });
    });
    this.nameLargest(drawn, shown);
  }

  /** @type {(drawn: Chart, shown: RooflinePayload["points"]) => void} those that take most, where they were judged */
  nameLargest(drawn, shown) {
    const { columns, judged } = this.roofline;
    const leading = new Set(columns[0].texts.slice(0, NAMED));
    for (const [name, , intensity, rate, run] of shown) {
      if (run !== judged || !leading.has(name)) continue;
      const place = { class: "note", x: drawn.x(intensity ?? 1) + 9, y: drawn.y(rate / GIGA) + 4 };
      drawn.over.append(svgEl("text", place, name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name));
    }
  }

  /** @param {number} count */
  described(count) {
    const { machine, runs } = this.roofline;
    const points = count === 1 ? "1 point" : `${count} points`;
    return `Roofline of ${machine}: ${points}, bytes counted at ${this.level}, measured at ${runs.join("; ")}.`;
  }

  /** @type {(drawn: Chart, name: string, flow: number, low: number) => void} up to the peak; other levels fainter */
  drawFlow(drawn, name, flow, low) {
    const own = (OF_LEVEL[this.level] ?? []).includes(name);
    const text = `${name} ${figure(flow / GIGA)} GB/s`;
    const ends = [low, this.roofline.peaks[0][1] / flow];
    const heights = ends.map((at) => (at * flow) / GIGA);
    drawLine(drawn, ends, heights, own ? "ideal own" : "ideal", text);
    const bottom = drawn.y.invert(drawn.box.bottom) * GIGA;
    const from = Math.max(low, (bottom / flow) * 1.4);
    const place = { x: drawn.x(from) + 4, y: drawn.y((from * flow) / GIGA) - 6 };
    drawn.over.append(svgEl("text", { class: "note", ...place }, text));
  }
}
