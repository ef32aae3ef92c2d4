// @ts-check
// Builds the page; a part that fails says so in its place and leaves the others alone.

import { readData } from "./data/payload.js";
import { readReport } from "./data/report.js";
import { el } from "./draw/dom.js";
import { State } from "./state.js";
import { buildCallTree } from "./views/call_tree.js";
import { buildControls, buildVerdict } from "./views/controls.js";
import { buildFilter } from "./views/filter.js";
import { buildHeatmap } from "./views/heatmap.js";
import { buildIcicles } from "./views/icicle.js";
import { buildImbalance } from "./views/imbalance.js";
import { buildKernels } from "./views/kernels.js";
import { drawn, followAddress } from "./views/navigation.js";
import { buildOverview } from "./views/overview.js";
import { buildRoofline } from "./views/roofline.js";
import { buildRuntime } from "./views/runtime.js";
import { buildSurface } from "./views/surface.js";

/** @type {[string, (state: State) => void][]} */
const PARTS = [
  ["controls", buildControls],
  ["verdict", buildVerdict],
  ["runtime", buildRuntime],
  ["overview", buildOverview],
  ["kernels", buildKernels],
  ["surface", buildSurface],
  ["heatmap", buildHeatmap],
  ["tree", buildCallTree],
  ["icicle", buildIcicles],
  ["imbalance", buildImbalance],
  ["roofline", buildRoofline],
  ["filter", buildFilter],
];

const state = new State(readReport(await readData()), location.hash.slice(1));
for (const [id, build] of PARTS) {
  if (!document.getElementById(id)) continue; // nothing to say of this study
  try {
    build(state);
  } catch (error) {
    console.error(error);
    const text = `This part could not be shown: ${error instanceof Error ? error.message : error}`;
    document.getElementById(id)?.append(el("p", { class: "failed" }, text));
  }
}
addEventListener("beforeprint", () => state.changedEverywhere());
followAddress(state);
state.drawRest(drawn);
