// The page's data: JSON with base64 arrays, unpacked once.

const report = JSON.parse(byId("data").textContent);

function bytes(text) {
  const raw = atob(text);
  const array = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) array[i] = raw.charCodeAt(i);
  return array.buffer;
}

const floats = (text) => new Float32Array(bytes(text));
const doubles = (text) => new Float64Array(bytes(text));

const scaled = report.parameters[report.column];
const pointCount = report.points.length;
const measuredEnd = Math.max(...report.points.map((point) => point[report.column]));
const measuredStart = Math.min(...report.points.map((point) => point[report.column]));
const effort = [report.metric, report.unit && `(${report.unit})`].filter(Boolean).join(" ");

// A point of all parameters with another value of the scaled one.
function atScale(point, scale) {
  const moved = [...point];
  moved[report.column] = scale;
  return moved;
}

// Indices of the measured points that differ from a point in the scaled parameter only, by scale.
function pointsAlong(at) {
  const along = (point) => point.every((value, d) => d === report.column || value === at[d]);
  const found = report.points.map((point, i) => (along(point) ? i : -1)).filter((i) => i >= 0);
  return found.sort((a, b) => report.points[a][report.column] - report.points[b][report.column]);
}

// Values spread evenly over a range, by ratio.
function spread(first, last, count) {
  const step = Math.log(last / first) / (count - 1);
  return Array.from({ length: count }, (_, i) => first * Math.exp(i * step));
}
