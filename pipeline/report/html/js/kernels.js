// The kernel table: what each kernel takes now and at the target, how it grows and how far to believe it.

function searchTexts(level) {
  const texts = new Map();
  return (k) => {
    if (!texts.has(k)) {
      const r = level.region[k];
      const own = `${fullName(r)} ${report.regions[r].mangled ?? ""}`;
      const above = level.parent[k] >= 0 ? searchOf(level, level.parent[k]) : "";
      texts.set(k, `${own} ${above}`.toLowerCase());
    }
    return texts.get(k);
  };
}

function searchOf(level, k) {
  return pathNames(level, k, fullName).reverse().join(" ");
}

// What is coming grows by definition, so only one of the two shows; of doubts only what is not true of all.
function flagNodes(flags, notes) {
  const always = flags.includes("dominant_measured") && flags.includes("dominant_at_target");
  const shown = flags.filter((flag) => !(flag === "growing" && flags.includes("coming_bottleneck"))
    && !(always && flag === "dominant_measured")).map((flag) => (always && flag === "dominant_at_target" ? "dominant" : flag));
  const chips = shown.map((flag) => {
    const [text, help] = FLAG_TEXT[flag];
    return el("span", { class: `flag ${flag}`, title: help }, text);
  });
  const doubt = notes.length ? el("span", { class: "flag doubt", title: notes.join("; ") }, "doubt") : null;
  return el("span", { class: "flags" }, ...chips, doubt);
}

function buildKernels() {
  const section = byId("kernels");
  let shown = chosenLevel;
  let level = currentLevel();
  let outlook = outlookOf(level, target);
  let searched = searchTexts(level);
  let growing = [];
  const interval = (k) => level.interval(k, target, outlook.value[k]);
  const width = (k) => {
    const ends = interval(k);
    return ends && outlook.value[k] > 0 ? (ends[1] - ends[0]) / outlook.value[k] : NaN;
  };
  const columns = [
    { key: "name", title: "Kernel", value: (k) => kernelName(level, k), cell: (k) => kernelNode(level, k) },
    { key: "now", title: "Share now", kind: "number", help: `Share of ${report.metric} at the largest measured point`,
      value: (k) => outlook.shareNow[k], cell: (k) => barNode(outlook.shareNow[k], percent(outlook.shareNow[k])) },
    { key: "then", title: "At target", kind: "number", help: "Share at the target",
      value: (k) => outlook.shareThen[k], cell: (k) => barNode(outlook.shareThen[k], percent(outlook.shareThen[k])) },
    { key: "value", title: "Predicted", kind: "number", help: `${effort} at the target`,
      value: (k) => outlook.value[k], cell: (k) => figure(outlook.value[k]) },
    { key: "interval", title: "90 % interval", kind: "number wide", help: "For the expected value at the target; sorts by its relative width",
      value: width, cell: (k) => intervalText(interval(k)) },
    { key: "growth", title: "Growth", help: "The term that leads in the end; sorts by the local growth at the target",
      kind: "number left", value: (k) => growing[k], cell: (k) => growthNode(level, k) },
    { key: "model", title: "Model", kind: "wide model", help: "Sorts by formula", value: (k) => formulaText(level, k), cell: (k) => formulaNode(level, k) },
    { key: "probability", title: "Grows", kind: "number", help: "Probability that it grows with scale",
      value: (k) => level.growing[k], cell: (k) => `${Math.round(100 * level.growing[k])} %` },
    { key: "quality", title: "Error", kind: "number wide", help: "SMAPE of each point predicted from the others, and of the fit",
      value: (k) => level.cvSmape[k], cell: (k) => el("span", { title: `fit ${level.smape[k].toFixed(1)} %` }, `${level.cvSmape[k].toFixed(1)} %`) },
    { key: "flags", title: "Flags", kind: "number left", value: (k) => outlook.flags[k].length,
      cell: (k) => flagNodes(outlook.flags[k], level.notes[k].filter((note) => !level.sharedNotes.includes(note))) },
  ];
  const measure = () => {
    outlook = outlookOf(level, target);
    growing = elasticity(outlook.value, level.values(atScale(target, NEXT * target[report.column])));
  };
  measure();
  const table = new DataTable(byId("kernel-table"), {
    caption: "Kernels with their shares, models and predictions", columns, sort: ["then", true],
    rows: () => Array.from({ length: level.count }, (_, k) => k),
    text: (k) => searched(k),
    detail: (k) => kernelDetail(level, k),
  });
  follow(section, () => {
    level = currentLevel();
    measure();
    if (shown !== chosenLevel) {
      shown = chosenLevel;
      searched = searchTexts(level);
      table.reset();
    } else table.refresh();
    byId("kernel-target").textContent = pointText(target);
  });
}
