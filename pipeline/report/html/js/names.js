// Names of regions and call paths: cut in the middle by the layout, whole when copied, searched or read aloud.

const TAIL = 14; // characters at the end that are always seen, half the name at most

function fullName(r) {
  return report.regions[r].name;
}

function shortName(r) {
  return report.regions[r].short ?? report.regions[r].name;
}

function cutNode(text, title = text) {
  const start = text.length - Math.min(TAIL, Math.floor(text.length / 2));
  const head = styled(el("span", { class: "head" }, text.slice(0, start)), { "--tail": `${text.length - start}ch` });
  return el("span", { class: "cut", title }, head, text.slice(start));
}

function cutText(text, width) {
  if (text.length <= width) return text;
  const head = Math.floor(width / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (width - head - 1))}`;
}

// Kernels from the root down to k.
function pathOf(level, k) {
  const path = [];
  for (let node = k; node >= 0; node = level.parent[node]) path.push(node);
  return path.reverse();
}

function pathNames(level, k, name = shortName) {
  return pathOf(level, k).map((node) => name(level.region[node]));
}

function kernelName(level, k) {
  return shortName(level.region[k]);
}

// The region, and below it its callers where there are any.
function kernelNode(level, k) {
  const callers = pathNames(level, k).slice(0, -1);
  const name = el("span", { class: "name" }, cutNode(kernelName(level, k), fullName(level.region[k])));
  if (callers.length === 0) return name;
  const above = el("span", { class: "callers" }, cutNode(callers.join(" › "), pathNames(level, k, fullName).join(" › ")));
  return el("span", { class: "kernel" }, name, above);
}
