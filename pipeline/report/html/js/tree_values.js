// Values over the call tree: inclusive sums, shares, and how nodes grow at the target.

const tree = levels.callpaths;
const roots = [];
const callees = Array.from({ length: tree.count }, () => []);
tree.parent.forEach((parent, k) => { (parent < 0 ? roots : callees[parent]).push(k); });

// Callers stand before their callees, so one pass backwards adds everything up.
function inclusiveOf(exclusive) {
  const total = Float64Array.from(exclusive, (value) => (Number.isFinite(value) ? value : 0));
  for (let k = tree.count - 1; k >= 0; k--) if (tree.parent[k] >= 0) total[tree.parent[k]] += total[k];
  return total;
}

const measuredMetrics = report.metrics.map((metric) => ({ ...metric, values: floats(metric.values) }));

// Exclusive values of a metric; `where` is "target" or the index of a measured point, metric -1 the modelled one.
function exclusiveValues(metric, where) {
  if (metric < 0 && where === "target") return tree.values(target);
  const values = metric < 0 ? tree.mean : measuredMetrics[metric].values;
  const point = where === "target" ? report.largest : where;
  return Float64Array.from({ length: tree.count }, (_, k) => values[k * pointCount + point] || 0);
}

function treeValues(metric, where) {
  const exclusive = exclusiveValues(metric, where);
  const inclusive = inclusiveOf(exclusive);
  return { exclusive, inclusive, total: sum(roots.map((root) => inclusive[root])) };
}

// Local growth at the target, of the node alone or with its callees: exponents, and the classes that colour them.
// Where the parameter is no number of processes everything grows with it, so the class is that of the share.
function treeGrowth(inclusive) {
  const here = tree.values(target);
  const next = tree.values(atScale(target, NEXT * target[report.column]));
  const exponent = inclusive ? elasticity(inclusiveOf(here), inclusiveOf(next)) : elasticity(here, next);
  const [ofAll] = report.relativeGrowth ? elasticity([sum(here)], [sum(next)]) : [0];
  return { exponent, classOf: (k) => growthClass(exponent[k] - ofAll) };
}

function whereChoices(metric) {
  const points = report.points.map((point, i) => [String(i), `measured, ${pointText(point)}`]);
  return metric < 0 ? [["target", "predicted at the target"], ...points] : points;
}

function growthWords(exponent) {
  return `doubling ${scaled} multiplies it by ${(2 ** exponent).toFixed(2)}`;
}

function growthLegend() {
  return el("p", { class: "growth-legend" }, `Doubling ${scaled} at the target, ${report.relativeGrowth ? "a share" : "a value"}:`,
    ...GROWTH_CLASSES.map(([, cls, text]) => el("span", {}, el("span", { class: `swatch g-${cls}` }), text)));
}
