// Scaling models evaluated in the page: constant + sum of coefficient * product of p^i * log2(p)^j.

function termValue(term, at) {
  let product = 1;
  term.forEach(([power, logarithm], d) => {
    if (power !== 0) product *= at[d] ** power;
    if (logarithm !== 0) product *= Math.log2(at[d]) ** logarithm;
  });
  return product;
}

function fraction(text) {
  const [above, below] = text.split("/").map(Number);
  return below ? above / below : above;
}

// The kernels of one level of detail, call paths or regions.
class Level {
  constructor(raw) {
    const models = raw.models;
    this.count = raw.region.length;
    this.region = raw.region;
    this.parent = raw.parent;
    this.mean = floats(raw.mean);
    this.growing = floats(raw.growing);
    this.smape = floats(raw.smape);
    this.cvSmape = floats(raw.cvSmape);
    this.crossovers = raw.crossovers.map(([over, past, at, measured]) => ({ over, past, at, measured }));
    this.repetitions = raw.repetitions.count;
    this.single = floats(raw.repetitions.values);
    this.singleRow = new Map(raw.repetitions.kernels.map((k, row) => [k, row]));
    this.terms = models.terms.map((term) => term.map(([power, logarithm]) => [fraction(power), logarithm]));
    this.termText = models.terms;
    this.hypotheses = models.hypotheses;
    this.rivals = models.rivals;
    this.chosen = models.chosen;
    this.weight = floats(models.weight);
    this.coefficients = doubles(models.coefficients);
    this.width = this.coefficients.length / Math.max(this.count * this.rivals, 1);
    this.floor = models.nonnegative ? 0 : -Infinity;
    this.validFrom = floats(models.validFrom);
    this.growths = models.growths;
    this.growth = models.growth;
    this.notes = models.note.map((i) => models.notes[i]);
    this.sharedNotes = models.notes[0]?.filter((text) => models.notes.every((texts) => texts.includes(text))) ?? [];
    this.grid = { value: floats(raw.value), lower: floats(raw.lower), upper: floats(raw.upper) };
    this.totalInterval = { lower: floats(raw.total.lower), upper: floats(raw.total.upper) };
    this.correction = this.corrections();
  }

  hypothesis(k, rival = 0) {
    const index = this.chosen[k * this.rivals + rival];
    return index < 0 ? [] : this.hypotheses[index];
  }

  isRival(k, rival) {
    return this.chosen[k * this.rivals + rival] >= 0;
  }

  coefficient(k, rival, c) {
    return this.coefficients[(k * this.rivals + rival) * this.width + c];
  }

  combine(k, rival, ofTerm) {
    let sum = this.coefficient(k, rival, 0);
    this.hypothesis(k, rival).forEach((t, i) => { sum += this.coefficient(k, rival, i + 1) * ofTerm(t); });
    return Math.max(sum, this.floor);
  }

  // What the formula of the chosen model, or of a rival, gives at a point.
  formula(k, at, rival = 0) {
    return this.combine(k, rival, (t) => termValue(this.terms[t], at));
  }

  formulas(at) {
    const ofTerm = this.terms.map((term) => termValue(term, at));
    return Float64Array.from({ length: this.count }, (_, k) => this.combine(k, 0, (t) => ofTerm[t]));
  }

  // Logarithms of prediction over formula at the grid: predictions weigh all rivals.
  corrections() {
    const size = report.grid.length;
    const logs = new Float32Array(this.count * size);
    report.grid.forEach((scale, i) => {
      this.formulas(atScale(report.targets.at(-1), scale)).forEach((value, k) => {
        logs[k * size + i] = comparable(value, this.grid.value[k * size + i])
          ? Math.log(this.grid.value[k * size + i] / value) : NaN;
      });
    });
    return logs;
  }

  // A prediction: the formula corrected by what its rivals say; the formula alone away from the grid's line.
  corrected(k, formula, place) {
    if (!place) return formula;
    const i = k * report.grid.length + place.i;
    const log = this.correction[i] * (1 - place.share) + this.correction[i + 1] * place.share;
    if (formula > 0 && Number.isFinite(log)) return formula * Math.exp(log);
    return between(this.grid.value[i], this.grid.value[i + 1], place.share);
  }

  // Predicted value of one kernel at a point.
  value(k, at) {
    return this.corrected(k, this.formula(k, at), gridPlace(at));
  }

  // Predicted values of all kernels at a point.
  values(at) {
    const place = gridPlace(at);
    return this.formulas(at).map((formula, k) => this.corrected(k, formula, place));
  }

  interval(k, at, value) {
    return interpolated(this.grid, k * report.grid.length, at, value);
  }

  intervalOfTotal(at, value) {
    return interpolated(this.totalInterval, 0, at, value);
  }

  measured(k, point) {
    return this.mean[k * pointCount + point];
  }

  measuredTotal(point) {
    let sum = 0;
    for (let k = 0; k < this.count; k++) sum += this.measured(k, point) || 0;
    return sum;
  }

  // Single measurements of a kernel at a point; only their mean where the page does not carry them.
  singles(k, point) {
    const row = this.singleRow.get(k);
    if (row === undefined) return [this.measured(k, point)].filter(Number.isFinite);
    const start = (row * pointCount + point) * this.repetitions;
    return Array.from(this.single.subarray(start, start + this.repetitions)).filter(Number.isFinite);
  }
}

// Predictions and intervals were computed along the scaled parameter, the others at the target.
function onGridLine(at) {
  const target = report.targets.at(-1);
  return at.every((value, d) => d === report.column || value === target[d]);
}

// Where a point lies between two points of the grid; null away from its line.
function gridPlace(at) {
  if (!onGridLine(at)) return null;
  const { grid } = report;
  const scale = at[report.column];
  let i = 0;
  while (i < grid.length - 2 && grid[i + 1] < scale) i++;
  const share = Math.log(scale / grid[i]) / Math.log(grid[i + 1] / grid[i]);
  return { i, share: Math.min(Math.max(share, 0), 1) };
}

// Ends of an interval: exact at the grid, interpolated by ratio in between; null where it is not known.
function interpolated({ lower, upper }, offset, at, value) {
  const place = gridPlace(at);
  if (!place) return null;
  const i = offset + place.i;
  return [Math.min(between(lower[i], lower[i + 1], place.share), value),
    Math.max(between(upper[i], upper[i + 1], place.share), value)];
}

function between(a, b, share) {
  return comparable(a, b) ? a ** (1 - share) * b ** share : a + (b - a) * share;
}

// Whether a ratio of two values means something: near zero it is of rounding errors.
function comparable(a, b) {
  return a > 0 && b > 0 && a < 1e3 * b && b < 1e3 * a;
}

const levels = {
  regions: new Level(report.levels.regions),
  callpaths: new Level(report.levels.callpaths),
};
