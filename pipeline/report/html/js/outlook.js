// What the models say at a scale: values, shares, flags, and how fast each kernel grows there.

const NEXT = 1.1; // growth at a scale is told from the values there and at this many times it

function sum(values) {
  let total = 0;
  for (const value of values) if (Number.isFinite(value)) total += value;
  return total;
}

function largestOf(values) {
  let best = 0;
  for (let k = 1; k < values.length; k++) if (values[k] > values[best]) best = k;
  return best;
}

// Values of all kernels at the target and at the largest measured point.
function outlookOf(level, at) {
  const value = level.values(at);
  const total = sum(value);
  const now = Float64Array.from(value, (_, k) => level.measured(k, report.largest) || 0);
  const totalNow = sum(now);
  const shareThen = value.map((v) => (total > 0 ? v / total : 0));
  const shareNow = now.map((v) => (totalNow > 0 ? v / totalNow : 0));
  return { at, value, total, totalNow, shareThen, shareNow, flags: flagsOf(level, value, shareNow, shareThen) };
}

function flagsOf(level, value, shareNow, shareThen) {
  const before = level.values(report.points[report.largest]);
  const first = largestOf(shareNow);
  const later = largestOf(shareThen);
  return Array.from(value, (v, k) => {
    const growing = level.growing[k] >= report.limits.growing && before[k] > 0 && v / before[k] > 1;
    const coming = growing && shareThen[k] >= report.limits.noteworthy && shareThen[k] > shareNow[k];
    return [
      growing && "growing", coming && "coming_bottleneck",
      k === first && shareNow[k] > 0 && "dominant_measured",
      k === later && shareThen[k] > 0 && "dominant_at_target",
    ].filter(Boolean);
  });
}

const FLAG_TEXT = {
  growing: ["grows", "grows with scale with at least 90 % probability"],
  coming_bottleneck: ["coming", "grows, matters at the target and takes a larger share there than now"],
  dominant_measured: ["largest now", "the largest at the largest measured point"],
  dominant: ["largest", "the largest at the largest measured point and at the target"],
  dominant_at_target: ["largest then", "the largest at the target"],
};

// Exponent e of the local growth p^e of values at a point; 0 for what is not there.
function elasticity(here, next) {
  return here.map((v, k) => (v > 0 && next[k] > 0 ? Math.log(next[k] / v) / Math.log(NEXT) : 0));
}

// Classes of growth, told by what doubling the scale does.
const GROWTH_CLASSES = [
  [-0.05, "falls", "shrinks"],
  [0.05, "constant", "stays"],
  [0.5, "slow", "up to ×1.4"],
  [1.05, "linear", "up to ×2"],
  [Infinity, "fast", "more than ×2"],
];

function growthClass(exponent) {
  return GROWTH_CLASSES.find(([limit]) => exponent <= limit)[1];
}
