// Builds the page; a part that fails says so in its place and leaves the others alone.

const PARTS = [
  ["controls", buildTheme], ["controls", buildControls], ["overview", buildOverview], ["kernels", buildKernels],
  ["heatmap", buildHeatmap], ["tree", buildTree], ["icicle", buildIcicles], ["imbalance", buildImbalance], ["filter", buildFilter],
];

for (const [id, build] of PARTS) {
  try {
    build();
  } catch (error) {
    console.error(error);
    byId(id)?.append(el("p", { class: "failed" }, `This part could not be shown: ${error.message}`));
  }
}
document.documentElement.dataset.ready = "true";
