// Line charts as SVG: a frame with axes, and layers drawn into it. Colours come from style sheets.

const MARGIN = { top: 14, right: 16, bottom: 40, left: 58 };

// Draws axes into `host` and returns what layers need.
// spec: x, y: {domain, log, label}; label: what the chart shows, for screen readers; right: extra margin.
function frame(host, spec) {
  const width = Math.max(host.clientWidth, 240);
  const height = spec.height ?? 320;
  const box = { left: MARGIN.left, right: width - MARGIN.right - (spec.right ?? 0),
    top: MARGIN.top, bottom: height - MARGIN.bottom };
  const x = (spec.x.log ? logScale : linearScale)(spec.x.domain, [box.left, box.right]);
  const y = (spec.y.log ? logScale : linearScale)(spec.y.domain, [box.bottom, box.top]);
  const clip = `clip-${frame.count = (frame.count ?? 0) + 1}`;
  const plot = svgEl("g", { "clip-path": `url(#${clip})` });
  const over = svgEl("g");
  const root = svgEl("svg", { class: "chart", role: "img", "aria-label": spec.label, width, height,
    viewBox: `0 0 ${width} ${height}` },
  svgEl("clipPath", { id: clip }, svgEl("rect", { x: box.left - 5, y: box.top - 6,
    width: box.right - box.left + 10, height: box.bottom - box.top + 6 })),
  axisX(spec.x, x, box), axisY(spec.y, y, box), plot, over);
  host.replaceChildren(root);
  return { root, plot, over, x, y, box, width, height };
}

function axisX(axis, x, box) {
  const count = Math.max(2, Math.floor((box.right - box.left) / 70));
  const ticks = axis.scales ? scaleTicks(x, ...axis.domain, count, axis.log) : x.ticks(count);
  return svgEl("g", { class: "axis", "aria-hidden": true },
    svgEl("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
    ...ticks.flatMap((tick) => [
      svgEl("line", { x1: x(tick), x2: x(tick), y1: box.bottom, y2: box.bottom + 4 }),
      svgEl("text", { x: x(tick), y: box.bottom + 17, "text-anchor": "middle" }, tickLabel(tick)),
    ]),
    svgEl("text", { class: "label", x: (box.left + box.right) / 2, y: box.bottom + 34, "text-anchor": "middle" },
      axis.label));
}

function axisY(axis, y, box) {
  const ticks = y.ticks(Math.max(2, Math.floor((box.bottom - box.top) / 44)));
  const text = axis.format ?? tickLabel;
  return svgEl("g", { class: "axis", "aria-hidden": true },
    ...ticks.flatMap((tick) => [
      svgEl("line", { class: "grid", x1: box.left, x2: box.right, y1: y(tick), y2: y(tick) }),
      svgEl("text", { x: box.left - 8, y: y(tick) + 4, "text-anchor": "end" }, text(tick)),
    ]),
    svgEl("text", { class: "label", transform: `translate(13 ${(box.top + box.bottom) / 2}) rotate(-90)`,
      "text-anchor": "middle" }, axis.label));
}

function pathOfPoints(chart, xs, ys) {
  let text = "";
  let pen = "M";
  xs.forEach((value, i) => {
    const px = chart.x(value);
    const py = chart.y(ys[i]);
    if (!Number.isFinite(px) || !Number.isFinite(py)) { pen = "M"; return; }
    text += `${pen}${px.toFixed(1)} ${Math.min(Math.max(py, -2e4), 2e4).toFixed(1)}`;
    pen = "L";
  });
  return text;
}

function drawLine(chart, xs, ys, cls, title) {
  const line = svgEl("path", { class: `line ${cls}`, d: pathOfPoints(chart, xs, ys) });
  if (title) line.append(svgEl("title", {}, title));
  chart.plot.append(line);
  return line;
}

function drawBand(chart, xs, lower, upper, cls) {
  const bottom = Math.max(chart.y.invert(chart.box.bottom), Number.MIN_VALUE);
  const floor = (value) => (Number.isFinite(chart.y(value)) ? value : bottom);
  const there = pathOfPoints(chart, xs, upper.map(floor));
  const back = pathOfPoints(chart, [...xs].reverse(), [...lower].reverse().map(floor));
  chart.plot.append(svgEl("path", { class: `band ${cls}`, d: `${there}${back.replace(/^M/, "L")}Z` }));
}

function drawDots(chart, points, cls, radius = 3.2) {
  for (const { x, y, title } of points) {
    const [px, py] = [chart.x(x), chart.y(y)];
    if (!Number.isFinite(px) || !Number.isFinite(py)) continue;
    chart.plot.append(svgEl("circle", { class: `dot ${cls}`, cx: px.toFixed(1), cy: py.toFixed(1), r: radius },
      title ? svgEl("title", {}, title) : null));
  }
}

// The range without measurements, shaded.
function drawBeyond(chart, from) {
  const left = Math.max(chart.x(from), chart.box.left);
  const { right, top, bottom } = chart.box;
  if (left >= right) return;
  chart.root.insertBefore(svgEl("rect", { class: "beyond", x: left, y: top, width: right - left,
    height: bottom - top }), chart.root.children[1]);
  const fits = right - left > 90;
  if (fits) chart.over.append(svgEl("text", { class: "note", x: left + 6, y: top + 11 }, "extrapolated"));
}

function drawTarget(chart, scale) {
  const px = chart.x(scale);
  if (px < chart.box.left - 1 || px > chart.box.right + 1) return;
  chart.over.append(svgEl("line", { class: "target", x1: px, x2: px, y1: chart.box.top, y2: chart.box.bottom }));
}

// Labels at the right ends of lines, moved apart where they would overlap.
function drawEndLabels(chart, labels) {
  const placed = labels
    .map((label) => ({ ...label, at: chart.y(label.y) }))
    .filter(({ at }) => Number.isFinite(at) && at > chart.box.top - 20 && at < chart.box.bottom + 20)
    .sort((a, b) => a.at - b.at);
  placed.forEach((label, i) => { if (i) label.at = Math.max(label.at, placed[i - 1].at + 14); });
  for (let i = placed.length - 1, limit = chart.box.bottom; i >= 0; i--, limit -= 14) {
    placed[i].at = Math.min(placed[i].at, limit);
  }
  for (const { text, at, cls } of placed) {
    chart.over.append(svgEl("text", { class: `end ${cls}`, x: chart.box.right + 6, y: at + 4 }, text));
  }
}

// Draws again whenever the width of the host changes.
function onResize(host, draw) {
  let width = host.clientWidth;
  new ResizeObserver(() => {
    if (host.clientWidth && host.clientWidth !== width) {
      width = host.clientWidth;
      requestAnimationFrame(draw);
    }
  }).observe(host);
}
