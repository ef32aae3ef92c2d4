// The leading kernels over scale: as lines with their crossovers, and stacked to the total.

const LEADING = 7;
const SAMPLES = 80;
const CROSSOVERS = 9;
const MATTERS = 0.01; // share from which a measurement is kept within a logarithmic axis
const PAST_TARGET = 1.5;
const overview = { log: { x: true, y: true }, stack: "effort" };

// Kernels that are among the largest somewhere between the first measurement and the end of the slider;
// they keep their colours whatever the target is.
function leadingKernels(level, others) {
  const peak = new Float64Array(level.count);
  for (const scale of spread(measuredStart, report.reach[report.column], 12)) {
    const value = level.values(atScale(others, scale));
    const total = sum(value);
    value.forEach((v, k) => { peak[k] = Math.max(peak[k], total > 0 ? v / total : 0); });
  }
  const order = Array.from(peak.keys()).sort((a, b) => peak[b] - peak[a]);
  return order.slice(0, LEADING).filter((k) => peak[k] > 0);
}

// Charts go on beyond the target, but not beyond the slider.
function chartEnd() {
  return Math.max(measuredEnd, Math.min(PAST_TARGET * target[report.column], report.reach[report.column]));
}

function curves(level, leading) {
  const last = chartEnd();
  const xs = spread(measuredStart, last, SAMPLES);
  const all = xs.map((scale) => level.values(atScale(target, scale)));
  return { xs, total: all.map(sum), values: leading.map((k) => all.map((value) => value[k])) };
}

function kernelLabel(level, k, width) {
  const name = shortName(level.region[k]);
  const caller = level.parent[k] >= 0 ? shortName(level.region[level.parent[k]]) : "";
  return cutText(caller && width > 24 ? `${caller} › ${name}` : name, width);
}

function measuredDots(level, k) {
  return pointsAlong(target).map((point) => ({
    x: report.points[point][report.column], y: level.measured(k, point),
    share: level.measured(k, point) / level.measuredTotal(point),
    title: `${kernelName(level, k)}, measured at ${pointText(report.points[point])}: ${figure(level.measured(k, point))}`,
  }));
}

function drawLines(host, level, leading, drawn) {
  const dots = leading.map((k) => measuredDots(level, k));
  const seen = [...drawn.values.flat(), ...dots.flat().map((dot) => dot.y)];
  const low = Math.min(...dots.flat().filter((dot) => dot.share > MATTERS).map((dot) => dot.y), Infinity);
  const wide = host.clientWidth > 520;
  const chart = frame(host, {
    label: `Lines: ${effort} of the ${leading.length} leading kernels over ${scaled}; the table below has the values at the target.`,
    x: { domain: [drawn.xs[0], drawn.xs.at(-1)], log: overview.log.x, label: scaled, scales: true },
    y: { domain: overview.log.y ? logDomain(seen.filter((v) => v >= 0.7 * low || low === Infinity)) : linearDomain(seen),
      log: overview.log.y, label: effort },
    right: wide ? 132 : 0,
  });
  drawBeyond(chart, measuredEnd);
  drawTarget(chart, target[report.column]);
  leading.forEach((k, i) => {
    drawLine(chart, drawn.xs, drawn.values[i], `c${i}`, kernelName(level, k));
    drawDots(chart, dots[i], `c${i}`);
  });
  drawCrossovers(chart, level, leading);
  if (wide) drawEndLabels(chart, leading.map((k, i) => ({ text: kernelLabel(level, k, 20), y: drawn.values[i].at(-1), cls: `c${i}` })));
  readings(chart, (scale) => leading.map((k, i) =>
    [`c${i}`, kernelLabel(level, k, 24), figure(level.value(k, atScale(target, scale)))]));
}

function drawCrossovers(chart, level, leading) {
  const placed = []; // marks that would cover another one move up
  shownCrossovers(level, leading).forEach((crossover, i) => {
    const px = chart.x(crossover.at);
    if (px > chart.box.right) return;
    let py = chart.y(crossover.value);
    if (!(py > chart.box.top && py < chart.box.bottom)) return;
    while (placed.some(([x, y]) => Math.hypot(x - px, y - py) < 16)) py -= 4;
    placed.push([px, py]);
    chart.over.append(svgEl("g", { class: "crossing" },
      svgEl("title", {}, crossoverText(level, crossover)),
      svgEl("circle", { cx: px, cy: py, r: 8 }),
      svgEl("text", { x: px, y: py + 3.5, "text-anchor": "middle" }, String(i + 1))));
  });
}

// Crossovers of leading kernels, those at the largest values where there are many, ordered by scale.
// They hold for the other parameters at the report's target only.
function shownCrossovers(level, leading) {
  if (!onGridLine(target)) return [];
  return level.crossovers
    .filter(({ over, past }) => leading.includes(over) && leading.includes(past))
    .map((crossover) => ({ ...crossover, value: level.value(crossover.over, atScale(target, crossover.at)) }))
    .sort((a, b) => b.value - a.value).slice(0, CROSSOVERS)
    .sort((a, b) => a.at - b.at);
}

function crossoverText(level, { over, past, at }) {
  return `At ${scaled} ≈ ${scaleText(Number(at.toPrecision(3)))} ${kernelLabel(level, over, 44)} overtakes ${kernelLabel(level, past, 44)}`;
}

function drawStack(host, level, leading, drawn) {
  const share = overview.stack === "share";
  const base = drawn.xs.map((_, j) => (share ? drawn.total[j] || 1 : 1));
  let below = drawn.xs.map(() => 0);
  const bands = drawn.values.map((values) => {
    const lower = below;
    below = values.map((value, j) => lower[j] + value / base[j]);
    return { lower, upper: below };
  });
  const rest = { lower: below, upper: drawn.total.map((total, j) => total / base[j]) };
  const totals = pointsAlong(target).map((point) => ({ x: report.points[point][report.column],
    y: level.measuredTotal(point), title: `Measured total at ${pointText(report.points[point])}` }));
  const chart = frame(host, {
    label: `Stacked areas: ${share ? "shares" : effort} of the leading kernels and all others over ${scaled}.`,
    x: { domain: [drawn.xs[0], drawn.xs.at(-1)], log: overview.log.x, label: scaled, scales: true },
    y: { domain: share ? [0, 1] : linearDomain([...rest.upper, ...totals.map((dot) => dot.y)]), log: false,
      label: share ? "share" : effort, format: share ? (v) => `${Math.round(100 * v)} %` : undefined },
  });
  [...bands, rest].forEach((band, i) => drawBand(chart, drawn.xs, band.lower, band.upper, i < bands.length ? `solid c${i}` : "solid rest"));
  if (!share) drawDots(chart, totals, "total");
  drawBeyond(chart, measuredEnd);
  drawTarget(chart, target[report.column]);
  readings(chart, (scale) => {
    const value = level.values(atScale(target, scale));
    const total = sum(value);
    const part = (v) => (share ? percent(v / total) : figure(v));
    const others = total - sum(leading.map((k) => value[k]));
    return [...leading.map((k, i) => [`c${i}`, kernelLabel(level, k, 24), part(value[k])]),
      ["rest", "all others", part(others)], ["none", "total", figure(total)]];
  });
}

// The legend of both charts, with the values at the target.
function legend(level, leading) {
  const now = outlookOf(level, target);
  const row = (cls, name, value, interval, share) => el("tr", {},
    el("th", { scope: "row" }, el("span", { class: "entry" }, el("span", { class: `swatch ${cls}` }), name)),
    el("td", {}, figure(value)), el("td", { class: "interval" }, interval), el("td", {}, percent(share)));
  const places = leading.map((k, i) => [k, i]).sort(([a], [b]) => now.value[b] - now.value[a]);
  const rows = places.map(([k, i]) => row(`c${i}`, cutNode(kernelLabel(level, k, 200), pathNames(level, k, fullName).join(" › ")),
    now.value[k], intervalText(level.interval(k, target, now.value[k])), now.shareThen[k]));
  const others = now.total - sum(leading.map((k) => now.value[k]));
  if (level.count > leading.length) rows.push(row("rest", "all others", others, "", now.total > 0 ? others / now.total : 0));
  rows.push(row("none", `sum of the ${level === levels.regions ? "regions" : "call paths"}`, now.total, intervalText(level.intervalOfTotal(target, now.total)), now.total > 0 ? 1 : 0));
  return el("table", { class: "legend" },
    el("caption", {}, `At ${pointText(target)}`),
    el("thead", {}, el("tr", {}, ...["kernel", effort, "90 % interval", "share"].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, ...rows));
}

function intervalText(interval) {
  return interval ? `${figure(interval[0])} … ${figure(interval[1])}` : "–";
}

function crossoverList(level, leading) {
  const shown = shownCrossovers(level, leading);
  if (shown.length === 0) return el("p", { class: "quiet" }, "No kernel overtakes a leading one up to the end of the slider.");
  return el("ol", { class: "crossovers" }, ...shown.map((crossover) =>
    el("li", { class: crossover.at > target[report.column] ? "later" : "" },
      crossoverText(level, crossover),
      el("span", { class: "quiet" }, crossover.measured ? " (measured range)" : crossover.at > target[report.column] ? " (beyond the target)" : " (extrapolated)"))));
}

function buildOverview() {
  const section = byId("overview");
  const [lines, stack] = [byId("lines"), byId("stack")];
  const draw = () => {
    const level = currentLevel();
    const leading = leadingKernels(level, target);
    const drawn = curves(level, leading);
    drawLines(lines, level, leading, drawn);
    drawStack(stack, level, leading, drawn);
    byId("legend").replaceChildren(legend(level, leading));
    byId("crossovers").replaceChildren(crossoverList(level, leading));
  };
  const axis = (label, name, key) => switcher(label, name, [["log", "log"], ["linear", "linear"]], "log",
    (value) => { overview.log[key] = value === "log"; draw(); });
  byId("lines-options").replaceChildren(axis("x axis", "overview-x", "x"), axis("y axis", "overview-y", "y"));
  byId("stack-options").replaceChildren(switcher("Stack", "stack", [["effort", "values"], ["share", "shares"]], "effort",
    (value) => { overview.stack = value; draw(); }));
  follow(section, draw);
  onResize(lines, draw);
}
