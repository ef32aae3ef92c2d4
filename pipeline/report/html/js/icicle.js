// Two icicles side by side: the call tree at a measured scale and at the target, widths by inclusive value.

const ROW_HEIGHT = 20;
const DEEPEST = 26;
const NARROWEST = 1.5; // pixels

const icicle = { root: -1, left: report.largest, current: -1 };

// Rectangles of the tree below `top` (all roots for -1), in call order on both sides so that they compare.
function rectangles(values, top, width) {
  const found = [];
  const start = top < 0 ? roots : [top];
  const whole = sum(start.map((k) => values.inclusive[k]));
  const factor = whole > 0 ? width / whole : 0;
  const pending = [];
  const push = (nodes, x, depth) => {
    let left = x;
    for (const k of nodes) {
      const wide = values.inclusive[k] * factor;
      if (wide >= NARROWEST) pending.push({ k, x: left, wide, depth });
      left += wide;
    }
  };
  push(start, 0, 0);
  while (pending.length) {
    const box = pending.pop();
    found.push(box);
    if (box.depth < DEEPEST) push(callees[box.k], box.x, box.depth + 1);
  }
  return { found, whole };
}

function icicleBox({ k, x, wide, depth }, values, whole, growth) {
  const label = kernelName(tree, k);
  const share = whole > 0 ? values.inclusive[k] / whole : 0;
  const text = `${label}: ${figure(values.inclusive[k])} (${percent(share)}), own ${figure(values.exclusive[k])}; ${growthWords(growth.exponent[k])}`;
  const room = Math.floor((wide - 8) / 6.6);
  return svgEl("g", { class: `box g-${growth.classOf(k)}`, "data-kernel": k, tabindex: k === icicle.current ? 0 : -1,
    role: "button", "aria-label": text },
  svgEl("title", {}, `${fullName(tree.region[k])}\n${text}`),
  svgEl("rect", { x: x.toFixed(1), y: depth * ROW_HEIGHT, width: Math.max(wide - 0.8, 0.8).toFixed(1), height: ROW_HEIGHT - 1 }),
  room >= 4 ? svgEl("text", { x: (x + 4).toFixed(1), y: depth * ROW_HEIGHT + 14 }, cutText(label, room)) : null);
}

function drawIcicle(host, where, growth) {
  const values = treeValues(-1, where);
  const width = Math.max(host.clientWidth, 200);
  const { found, whole } = rectangles(values, icicle.root, width);
  const rows = 1 + Math.max(0, ...found.map((box) => box.depth));
  const name = where === "target" ? `predicted at ${pointText(target)}` : `measured at ${pointText(report.points[where])}`;
  const svg = svgEl("svg", { class: "icicle", width, height: rows * ROW_HEIGHT, role: "group",
    "aria-label": `Icicle of the call tree, ${name}. The call tree above has the same values.` },
  ...found.map((box) => icicleBox(box, values, whole, growth)));
  host.replaceChildren(el("p", { class: "side" }, el("b", {}, name), ` — ${figure(whole)} ${report.unit}`), svg);
}

function drawIcicles() {
  if (icicle.current < 0) icicle.current = roots[0] ?? -1;
  const growth = treeGrowth(true);
  drawIcicle(byId("icicle-left"), icicle.left, growth);
  drawIcicle(byId("icicle-right"), "target", growth);
  const path = icicle.root < 0 ? [] : pathOf(tree, icicle.root);
  const crumb = (k, text) => el("button", { type: "button", class: "quiet", disabled: k === icicle.root, click: () => zoom(k) }, text);
  byId("icicle-path").replaceChildren(crumb(-1, "Whole program"),
    ...path.flatMap((k) => [" › ", crumb(k, cutText(kernelName(tree, k), 36))]));
}

// The focus stays on the side it was on.
function zoom(k) {
  const side = document.activeElement?.closest("#icicles > div");
  icicle.root = k;
  icicle.current = k < 0 ? roots[0] : k;
  drawIcicles();
  side?.querySelector(`[data-kernel="${icicle.current}"]`)?.focus();
}

function icicleKey(event) {
  const box = event.target.closest(".box");
  if (!box) return;
  const k = Number(box.dataset.kernel);
  const side = box.ownerSVGElement;
  const at = (other) => side.querySelector(`[data-kernel="${other}"]`);
  const siblings = tree.parent[k] < 0 ? roots : callees[tree.parent[k]];
  const shown = siblings.filter(at);
  const act = {
    ArrowUp: () => at(tree.parent[k]),
    ArrowDown: () => callees[k].map(at).find(Boolean),
    ArrowLeft: () => at(shown[shown.indexOf(k) - 1]),
    ArrowRight: () => at(shown[shown.indexOf(k) + 1]),
  }[event.key];
  if (event.key === "Enter" || event.key === " ") zoom(k);
  else if (event.key === "Escape") zoom(-1);
  else if (act) focusBox(act());
  else return;
  event.preventDefault();
}

function focusBox(box) {
  if (!box) return;
  icicle.current = Number(box.dataset.kernel);
  for (const other of box.ownerSVGElement.querySelectorAll(".box")) other.setAttribute("tabindex", -1);
  box.setAttribute("tabindex", 0);
  box.focus();
}

function buildIcicles() {
  const points = report.points.map((point, i) => [String(i), pointText(point)]);
  byId("icicle-options").replaceChildren(selector("Left", points, icicle.left,
    (value) => { icicle.left = Number(value); drawIcicles(); }));
  byId("icicle-legend").replaceChildren(growthLegend());
  const host = byId("icicles");
  host.addEventListener("keydown", icicleKey);
  host.addEventListener("click", (event) => {
    const box = event.target.closest(".box");
    if (box) zoom(Number(box.dataset.kernel));
  });
  follow(byId("icicle"), drawIcicles);
  onResize(byId("icicle-left"), drawIcicles);
}
