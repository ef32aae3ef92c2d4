// How unevenly call paths are spread over locations.

function buildImbalance() {
  const data = report.imbalance;
  if (!data) return;
  const [low, mean, high] = [data.low, data.mean, data.high].map(floats);
  const at = (values, row, point) => values[row * pointCount + point];
  const parallel = report.points.map((_, i) => i).filter((i) => data.locations[i] > 1);
  let point = parallel.includes(report.largest) ? report.largest : parallel.at(-1);
  const excess = (row) => (at(high, row, point) - at(mean, row, point)) * data.locations[point];
  const ratio = (row) => (at(mean, row, point) > 0 ? at(high, row, point) / at(mean, row, point) : NaN);
  const k = (row) => data.kernels[row];
  const number = (key, title, help, value) => ({ key, title, help, kind: "number", value, cell: (row) => figure(value(row)) });
  const columns = [
    { key: "name", title: "Call path", value: (row) => kernelName(tree, k(row)), cell: (row) => kernelNode(tree, k(row)) },
    number("low", "Min", "Smallest value of a location", (row) => at(low, row, point)),
    number("mean", "Mean", "Mean over locations", (row) => at(mean, row, point)),
    number("high", "Max", "Largest value of a location", (row) => at(high, row, point)),
    number("ratio", "Max / mean", "1 where all locations have the same", ratio),
    number("excess", "Excess", "(max − mean) × locations: what the others may wait for", excess),
    { key: "spread", title: "All points", kind: "wide left", value: ratio, cell: (row) => spreadNode(row) },
  ];
  const spreadNode = (row) => {
    const top = Math.max(...report.points.map((_, i) => at(high, row, i)).filter(Number.isFinite)) || 1;
    const step = Math.min(24, 168 / pointCount);
    const y = (value) => (32 - 29 * (value / top)).toFixed(1);
    const text = parallel.map((i) => `${pointText(report.points[i])}: ${figure(at(low, row, i))} … ${figure(at(mean, row, i))} … ${figure(at(high, row, i))}`);
    return svgEl("svg", { class: "spread", width: step * pointCount, height: 35, role: "img", "aria-label": text.join("; ") },
      svgEl("title", {}, text.join("\n")),
      ...report.points.flatMap((_, i) => (Number.isFinite(at(mean, row, i)) ? [
        svgEl("line", { x1: (i + 0.5) * step, x2: (i + 0.5) * step, y1: y(at(low, row, i)), y2: y(at(high, row, i)) }),
        svgEl("circle", { cx: (i + 0.5) * step, cy: y(at(mean, row, i)), r: 2.2 })] : [])));
  };
  const searched = searchTexts(tree);
  const table = new DataTable(byId("imbalance-table"), {
    caption: "Smallest, mean and largest value of a location, per call path", columns, sort: ["excess", true],
    rows: () => data.kernels.map((_, row) => row), text: (row) => searched(k(row)),
  });
  byId("imbalance-options").replaceChildren(selector("Point", parallel.map((i) => [String(i), pointText(report.points[i])]), point,
    (value) => { point = Number(value); table.refresh(); }));
}
