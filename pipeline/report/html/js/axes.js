// Scales of charts: from values to pixels and back, and where their ticks are.

function linearScale(domain, range) {
  const [low, high] = domain;
  const [from, to] = range;
  const factor = (to - from) / (high - low || 1);
  const scale = (value) => from + (value - low) * factor;
  scale.invert = (pixel) => low + (pixel - from) / factor;
  scale.ticks = (count) => linearTicks(low, high, count);
  return scale;
}

function logScale(domain, range) {
  const [low, high] = domain.map(Math.log);
  const inner = linearScale([low, high], range);
  const scale = (value) => inner(Math.log(value));
  scale.invert = (pixel) => Math.exp(inner.invert(pixel));
  scale.ticks = (count) => logTicks(domain[0], domain[1], count);
  return scale;
}

function linearTicks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) * power;
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-9); i++) ticks.push(i * step);
  return ticks;
}

function logTicks(low, high, count) {
  const decades = Math.log10(high / low);
  const ticks = [];
  const keep = decades > 2 ? [1] : decades > 1 ? [1, 3] : [1, 2, 5];
  const every = Math.max(1, Math.ceil(decades / Math.max(count, 1)));
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    if (e % every) continue;
    for (const factor of keep) ticks.push(factor * 10 ** e);
  }
  const inside = ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
  return inside.length > 1 ? inside : linearTicks(low, high, count);
}

// Ticks of the scaled parameter: powers of two where the measured points are such, as processes often are.
function scaleTicks(scale, low, high, count, log) {
  const binary = report.points.every((point) => Number.isInteger(Math.log2(point[report.column])));
  if (!log || !binary) return scale.ticks(count);
  const first = Math.ceil(Math.log2(low) - 1e-9);
  const last = Math.floor(Math.log2(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / count));
  const ticks = [];
  for (let e = first; e <= last; e += every) ticks.push(2 ** e);
  return ticks;
}

// Extent of positive values for a logarithmic axis: at most six decades, small values leave at the bottom.
function logDomain(values) {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return [0.1, 1];
  const high = Math.max(...positive);
  const low = Math.max(Math.min(...positive), high * 1e-6);
  const pad = (high / low) ** 0.05 * 1.05;
  return [low / pad, high * pad];
}

function linearDomain(values) {
  const high = Math.max(...values.filter(Number.isFinite), 0);
  const low = Math.min(...values.filter(Number.isFinite), 0);
  return high > low ? [low, high + 0.06 * (high - low)] : [0, 1];
}
