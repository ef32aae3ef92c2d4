// Two or more parameters: which region dominates where, over the scaled parameter and another one.

const CELLS = 34;
const heat = { other: report.parameters.findIndex((_, d) => d !== report.column) };

function heatAxis(d) {
  const values = report.points.map((point) => point[d]);
  const [low, high] = [Math.min(...values), Math.max(...values, d === report.column ? report.reach[d] : 0, target[d])];
  const margin = (high / low) ** 0.03;
  return [low / margin, high * margin];
}

function dominating(xs, ys) {
  const level = levels.regions;
  return ys.map((y) => xs.map((x) => {
    const at = atScale(target, x);
    at[heat.other] = y;
    const values = level.formulas(at);
    const k = largestOf(values);
    const total = sum(values);
    return { k, share: total > 0 ? values[k] / total : 0 };
  }));
}

function drawHeatmap() {
  const host = byId("heatmap-plot");
  const [xDomain, yDomain] = [heatAxis(report.column), heatAxis(heat.other)];
  if (!(xDomain[1] > xDomain[0]) || !(yDomain[1] > yDomain[0])) return;
  const chart = frame(host, { height: 420, label: "Map of the dominating region over two parameters; the list beside it names the regions.",
    x: { domain: xDomain, log: true, label: scaled, scales: true }, y: { domain: yDomain, log: true, label: report.parameters[heat.other] } });
  const edges = (domain) => spread(domain[0], domain[1], CELLS + 1);
  const [xs, ys] = [edges(xDomain), edges(yDomain)];
  const middle = (list) => list.slice(1).map((value, i) => Math.sqrt(value * list[i]));
  const cells = dominating(middle(xs), middle(ys));
  const counts = new Map();
  cells.flat().forEach(({ k }) => counts.set(k, (counts.get(k) ?? 0) + 1));
  const order = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
  const leading = leadingKernels(levels.regions, target); // the same colours as in the overview
  const colour = (k) => (leading.includes(k) ? `c${leading.indexOf(k)}` : "rest");
  cells.forEach((row, j) => row.forEach(({ k, share }, i) => {
    const text = `${kernelName(levels.regions, k)}, ${percent(share)}`;
    chart.plot.append(svgEl("rect", { class: `cell ${colour(k)}`, x: chart.x(xs[i]), y: chart.y(ys[j + 1]), "fill-opacity": (0.35 + 0.65 * share).toFixed(2),
      width: chart.x(xs[i + 1]) - chart.x(xs[i]), height: chart.y(ys[j]) - chart.y(ys[j + 1]) }, svgEl("title", {}, text)));
  }));
  drawDots(chart, report.points.map((point) => ({ x: point[report.column], y: point[heat.other], title: `measured: ${pointText(point)}` })), "total");
  drawDots(chart, [{ x: target[report.column], y: target[heat.other], title: "target" }], "goal", 6);
  byId("heatmap-legend").replaceChildren(...order.map((k) =>
    el("li", {}, el("span", { class: `swatch ${colour(k)}` }), cutNode(kernelName(levels.regions, k), fullName(levels.regions.region[k])))));
}

function buildHeatmap() {
  if (heat.other < 0) return;
  const others = report.parameters.map((name, d) => [String(d), name]).filter(([d]) => Number(d) !== report.column);
  if (others.length > 1) {
    byId("heatmap-options").replaceChildren(selector("Against", others, heat.other, (value) => { heat.other = Number(value); drawHeatmap(); }));
  }
  follow(byId("heatmap"), drawHeatmap);
  onResize(byId("heatmap-plot"), drawHeatmap);
}
