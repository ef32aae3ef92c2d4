// The call tree: opened step by step, coloured by growth, with bars for shares.

const HOT = 0.05; // share from which a node is opened at first
const OPENED_AT_FIRST = 30;
const CALLEES_AT_ONCE = 100;

const treeState = { metric: -1, where: "target", inclusive: true, open: new Set(), more: new Map(), current: -1 };

function openHotPath(values) {
  treeState.open.clear();
  const queue = [...roots];
  let rows = roots.length;
  while (queue.length && rows < OPENED_AT_FIRST) {
    queue.sort((a, b) => values.inclusive[b] - values.inclusive[a]);
    const k = queue.shift();
    if (values.inclusive[k] < HOT * values.total || callees[k].length === 0) continue;
    treeState.open.add(k);
    rows += Math.min(callees[k].length, CALLEES_AT_ONCE);
    queue.push(...callees[k]);
  }
}

// Visible rows from the top: [kernel, depth, place among its siblings, their number], or a row for what is left out.
function visibleRows(values) {
  const rows = [];
  const key = treeState.inclusive ? values.inclusive : values.exclusive;
  const pending = [];
  const push = (nodes, depth, parent) => {
    const sorted = [...nodes].sort((a, b) => values.inclusive[b] - values.inclusive[a] || key[b] - key[a]);
    const limit = treeState.more.get(parent) ?? CALLEES_AT_ONCE;
    if (sorted.length > limit) pending.push({ rest: sorted.length - limit, parent, depth });
    sorted.slice(0, limit).map((k, i) => ({ k, depth, place: i + 1, size: sorted.length })).reverse()
      .forEach((row) => pending.push(row));
  };
  push(roots, 1, -1);
  while (pending.length) {
    const row = pending.pop();
    rows.push(row);
    if (row.k !== undefined && treeState.open.has(row.k)) push(callees[row.k], row.depth + 1, row.k);
  }
  return rows;
}

function treeRow(row, values, growth) {
  const { k, depth, place, size } = row;
  const value = (treeState.inclusive ? values.inclusive : values.exclusive)[k];
  const share = values.total > 0 ? value / values.total : 0;
  const name = kernelName(tree, k);
  const leaf = callees[k].length === 0;
  const cls = growth.classOf(k);
  const node = el("div", {
    role: "treeitem", class: "node", "data-kernel": k, "aria-level": depth, "aria-posinset": place, "aria-setsize": size,
    "aria-expanded": leaf ? null : treeState.open.has(k), tabindex: k === treeState.current ? 0 : -1,
    "aria-label": `${name}, ${percent(share)}, ${figure(value)}, ${growthWords(growth.exponent[k])}`,
  },
  el("span", { class: "where" }, el("span", { class: leaf ? "twist leaf" : "twist", "aria-hidden": true }), cutNode(name, fullName(tree.region[k]))),
  barNode(share, percent(share), `g-${cls}`),
  el("span", { class: "amount" }, amount(value)),
  el("span", { class: "amount" }, el("span", { class: `swatch g-${cls}` }), `×${(2 ** growth.exponent[k]).toFixed(2)}`),
  el("span", { class: "growth" }, growthNode(tree, k)));
  styled(node.firstChild, { "padding-left": `${Math.min(depth - 1, 24) * 14}px` });
  return node;
}

function restRow({ rest, parent, depth }) {
  const button = el("button", { type: "button", class: "quiet", click: () => {
    treeState.more.set(parent, (treeState.more.get(parent) ?? CALLEES_AT_ONCE) + 10 * CALLEES_AT_ONCE);
    drawTree();
  } }, `${rest} more with less`);
  return styled(el("div", { class: "more-rows", role: "none" }, button), { "padding-left": `${depth * 14}px` });
}

function drawTree() {
  const values = treeValues(treeState.metric, treeState.where);
  if (treeState.current < 0) {
    openHotPath(values);
    treeState.current = roots[0] ?? -1;
  }
  const growth = treeGrowth(treeState.inclusive);
  const rows = visibleRows(values);
  if (!rows.some(({ k }) => k === treeState.current)) treeState.current = rows[0]?.k ?? -1;
  byId("tree-rows").replaceChildren(...rows.map((row) => (row.k === undefined ? restRow(row) : treeRow(row, values, growth))));
  const unit = treeState.metric < 0 ? effort : `${measuredMetrics[treeState.metric].name} (${measuredMetrics[treeState.metric].unit})`;
  byId("tree-unit").textContent = unit.replace(" ()", "");
}

function focusNode(k) {
  treeState.current = k;
  for (const node of byId("tree-rows").querySelectorAll(".node")) {
    const here = Number(node.dataset.kernel) === k;
    node.tabIndex = here ? 0 : -1;
    if (here) node.focus();
  }
}

function setOpen(k, open) {
  if (callees[k].length === 0 || treeState.open.has(k) === open) return;
  if (open) treeState.open.add(k);
  else treeState.open.delete(k);
  treeState.current = k;
  drawTree();
  focusNode(k);
}

// Keys as the tree pattern of the ARIA practices has them.
function treeKey(event) {
  const node = event.target.closest(".node");
  if (!node) return;
  const k = Number(node.dataset.kernel);
  const nodes = [...byId("tree-rows").querySelectorAll(".node")];
  const step = (by) => nodes[nodes.indexOf(node) + by];
  const go = (to) => to && focusNode(Number(to.dataset.kernel));
  const act = {
    ArrowDown: () => go(step(1)),
    ArrowUp: () => go(step(-1)),
    Home: () => go(nodes[0]),
    End: () => go(nodes.at(-1)),
    ArrowRight: () => (treeState.open.has(k) ? go(step(1)) : setOpen(k, true)),
    ArrowLeft: () => (treeState.open.has(k) ? setOpen(k, false) : tree.parent[k] >= 0 && focusNode(tree.parent[k])),
    Enter: () => setOpen(k, !treeState.open.has(k)),
    " ": () => setOpen(k, !treeState.open.has(k)),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function treeOptions() {
  const metrics = [["-1", report.metric], ...measuredMetrics.map((metric, i) => [String(i), metric.name])];
  const choose = (key, value) => { treeState[key] = value; drawTree(); };
  const where = () => selector("Scale", whereChoices(treeState.metric), treeState.where,
    (value) => choose("where", value === "target" ? value : Number(value)));
  let scale = where();
  const metric = selector("Metric", metrics, "-1", (value) => {
    treeState.metric = Number(value);
    treeState.where = treeState.metric < 0 ? "target" : report.largest;
    const next = where();
    scale.replaceWith(next);
    scale = next;
    drawTree();
  });
  const kind = switcher("Values", "tree-kind", [["inclusive", "inclusive"], ["exclusive", "exclusive"]], "inclusive",
    (value) => choose("inclusive", value === "inclusive"));
  const button = (text, act) => el("button", { type: "button", click: act }, text);
  const hot = button("Open hot paths", () => { openHotPath(treeValues(treeState.metric, treeState.where)); drawTree(); });
  const close = button("Close all", () => { treeState.open.clear(); drawTree(); });
  return [metric, scale, kind, hot, close];
}

function buildTree() {
  byId("tree-options").replaceChildren(...treeOptions());
  byId("tree-legend").replaceChildren(growthLegend());
  const rows = byId("tree-rows");
  rows.addEventListener("keydown", treeKey);
  rows.addEventListener("click", (event) => {
    const node = event.target.closest(".node");
    if (!node) return;
    const k = Number(node.dataset.kernel);
    if (callees[k].length) setOpen(k, !treeState.open.has(k));
    else focusNode(k);
  });
  follow(byId("tree"), drawTree);
}
