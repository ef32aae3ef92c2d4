// What a row of the kernel table opens: the plot of its model, and all that is known about it.

const detailAxes = { x: true, y: true };

function kernelDetail(level, k) {
  const host = el("div", { class: "plot" });
  const facts = el("div", { class: "facts" });
  const draw = () => drawKernel(host, level, k);
  const update = () => { draw(); facts.replaceChildren(...kernelFacts(level, k)); };
  const axis = (label, key) => switcher(label, `detail-${key}-${k}`, [["log", "log"], ["linear", "linear"]],
    detailAxes[key] ? "log" : "linear", (value) => { detailAxes[key] = value === "log"; draw(); });
  onResize(host, draw);
  return { update, node: el("div", { class: "kernel-detail" },
    el("div", {}, el("div", { class: "options" }, axis("x axis", "x"), axis("y axis", "y")), host), facts) };
}

function kernelCurves(level, k) {
  const last = chartEnd();
  const grid = report.grid.filter((scale) => scale <= last);
  const xs = [...new Set([...spread(measuredStart, last, SAMPLES), ...grid])].sort((a, b) => a - b);
  const rivals = Array.from({ length: level.rivals }, (_, i) => i).filter((i) => level.isRival(k, i));
  const formulas = rivals.map((i) => xs.map((scale) => level.formula(k, atScale(target, scale), i)));
  const predicted = xs.map((scale) => level.value(k, atScale(target, scale)));
  const ends = onGridLine(target) ? xs.map((scale, j) => level.interval(k, atScale(target, scale), predicted[j])) : [];
  return { xs, rivals, formulas, predicted, lower: ends.map(([low]) => low), upper: ends.map(([, high]) => high) };
}

function drawKernel(host, level, k) {
  const { xs, rivals, formulas, predicted, lower, upper } = kernelCurves(level, k);
  const along = pointsAlong(target);
  const dots = along.flatMap((point) => level.singles(k, point).map((y) => ({
    x: report.points[point][report.column], y, title: `${pointText(report.points[point])}: ${figure(y)}` })));
  const seen = [...predicted, ...upper, ...dots.map((dot) => dot.y)];
  const name = kernelName(level, k);
  const chart = frame(host, {
    height: 340,
    label: `${name}: ${dots.length} measurements, model ${formulaText(level, k)}, ` +
      `${figure(level.value(k, target))} at ${pointText(target)}.`,
    x: { domain: [xs[0] / (detailAxes.x ? 1.05 : 1), xs.at(-1)], log: detailAxes.x, label: scaled, scales: true },
    y: { domain: detailAxes.y ? logDomain([...seen, ...lower]) : linearDomain(seen), log: detailAxes.y, label: effort },
  });
  drawBeyond(chart, measuredEnd);
  drawTarget(chart, target[report.column]);
  if (upper.length) drawBand(chart, xs, lower, upper, "c0");
  rivals.forEach((i, place) => drawLine(chart, xs, formulas[place], place ? "rival" : "chosen c0", formulaText(level, k, i)));
  drawPrediction(chart, level, k, xs, predicted);
  drawDots(chart, dots, "c0 open");
  readings(chart, (scale) => {
    const at = atScale(target, scale);
    const value = level.value(k, at);
    return [["c0", "prediction", figure(value)], ["none", "90 % interval", intervalText(level.interval(k, at, value))]];
  });
}

// The prediction; before the segment for which the model holds it is drawn thin.
function drawPrediction(chart, level, k, xs, ys) {
  const from = level.validFrom[k * report.parameters.length + report.column];
  const start = Math.max(xs.findIndex((x) => x >= from * (1 - 1e-6)), 0);
  if (start > 0) drawLine(chart, xs.slice(0, start + 1), ys.slice(0, start + 1), "rival", "before the last segment");
  drawLine(chart, xs.slice(start), ys.slice(start), "c0", "prediction: median of all plausible models");
}

function kernelFacts(level, k) {
  const r = level.region[k];
  const region = report.regions[r];
  const value = level.value(k, target);
  const path = pathNames(level, k, fullName);
  const facts = [
    [level.parent[k] >= 0 || path.length > 1 ? "Call path" : "Region", copyable(path)],
    region.mangled ? ["Linker name", copyable([region.mangled])] : null,
    region.source ? ["Source", el("span", { class: "code" }, region.source)] : null,
    region.paradigm ? ["Paradigm", region.paradigm] : null,
    [`At ${pointText(target)}`, `${figure(value)} ${report.unit}, 90 % interval ${intervalText(level.interval(k, target, value))}`],
    ["Most plausible formula", formulaNode(level, k)],
    ["Quality", `fit misses by ${level.smape[k].toFixed(1)} %, points left out by ${level.cvSmape[k].toFixed(1)} % (SMAPE)`],
    ["Grows", `with ${(100 * level.growing[k]).toFixed(0)} % probability`],
    level.notes[k].length ? ["Doubts", level.notes[k].join("; ")] : null,
  ].filter(Boolean);
  const list = el("dl", {}, ...facts.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
  const rivals = rivalList(level, k);
  return rivals ? [list, rivals] : [list];
}

function rivalList(level, k) {
  const others = Array.from({ length: level.rivals }, (_, i) => i).filter((i) => i > 0 && level.isRival(k, i));
  if (others.length === 0) return null;
  const item = (i) => el("li", {}, formulaNode(level, k, i),
    el("span", { class: "quiet" }, ` ${(100 * level.weight[k * level.rivals + i]).toFixed(0)} %`));
  return el("div", {}, el("h4", {}, `Rival models (the chosen one has ${(100 * level.weight[k * level.rivals]).toFixed(0)} %)`),
    el("ul", { class: "rivals" }, ...others.map(item)));
}

// A whole name that may be long, with a button that copies it.
function copyable(path) {
  const names = path.flatMap((name, i) => (i ? [el("span", { class: "quiet" }, " › "), name] : [name]));
  return el("span", { class: "copyable" }, el("span", { class: "code" }, ...names), copyButton(path.join(" › "), "name"));
}
