// Models as text, and as typeset formulas.

function factors(level, t) {
  return level.termText[t]
    .map(([power, logarithm], d) => ({ name: report.parameters[d], power, logarithm }))
    .filter(({ power, logarithm }) => power !== "0" || logarithm !== 0);
}

function bracketed(text) {
  return /^\d+$/.test(text) ? text : `(${text})`;
}

function termAsText(level, t) {
  return factors(level, t).flatMap(({ name, power, logarithm }) => [
    power === "0" ? "" : power === "1" ? name : `${name}^${bracketed(power)}`,
    logarithm === 0 ? "" : `log2(${name})` + (logarithm === 1 ? "" : `^${bracketed(String(logarithm))}`),
  ]).filter(Boolean).join(" * ") || "1";
}

function termAsNodes(level, t) {
  const parts = factors(level, t).flatMap(({ name, power, logarithm }) => {
    const shown = [];
    if (power !== "0") shown.push([el("i", {}, name), power === "1" ? null : el("sup", {}, power)]);
    if (logarithm !== 0) {
      const raised = logarithm === 1 ? null : el("sup", {}, String(logarithm));
      shown.push(["log", el("sub", {}, "2"), raised, "\u2009", el("i", {}, name)]);
    }
    return shown;
  });
  return parts.flatMap((part, i) => (i ? ["\u2009·\u2009", ...part] : part)).filter((node) => node !== null);
}

// Four significant digits, as [digits, power of ten]; the power is 0 unless the number is very small or large.
function coefficientParts(value) {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e7)) return [String(Number(size.toPrecision(4))), 0];
  const [digits, power] = size.toExponential(3).split("e");
  return [String(Number(digits)), Number(power)];
}

function coefficientText(value) {
  const [digits, power] = coefficientParts(value);
  return power === 0 ? digits : `${digits}e${power}`;
}

function coefficientNodes(value) {
  const [digits, power] = coefficientParts(value);
  return power === 0 ? [digits] : [`${digits}\u2009·\u200910`, el("sup", {}, String(power).replace("-", "−"))];
}

// Constant and terms of a model that are not zero, as [coefficient, term or -1].
function summands(level, k, rival) {
  const found = level.hypothesis(k, rival).map((t, i) => [level.coefficient(k, rival, i + 1), t]);
  const terms = found.filter(([coefficient]) => coefficient !== 0);
  const constant = level.coefficient(k, rival, 0);
  return constant !== 0 || terms.length === 0 ? [[constant, -1], ...terms] : terms;
}

function formulaText(level, k, rival = 0) {
  return summands(level, k, rival).map(([coefficient, t], i) => {
    const sign = coefficient < 0 ? (i ? " - " : "-") : i ? " + " : "";
    return sign + coefficientText(coefficient) + (t < 0 ? "" : ` * ${termAsText(level, t)}`);
  }).join("");
}

function formulaNode(level, k, rival = 0) {
  const parts = summands(level, k, rival).flatMap(([coefficient, t], i) => {
    const sign = coefficient < 0 ? (i ? " − " : "−") : i ? " + " : "";
    return [sign, ...coefficientNodes(coefficient), ...(t < 0 ? [] : ["\u2009·\u2009", ...termAsNodes(level, t)])];
  });
  return el("span", { class: "formula", title: formulaText(level, k, rival) }, ...parts);
}

// The leading behaviour; what has no growing term is constant or falls.
function growthText(level, k) {
  const leading = level.growths[level.growth[k]];
  if (leading.length) return leading.map((t) => termAsText(level, t)).join(" + ");
  return level.hypothesis(k).length ? "falling" : "constant";
}

function growthNode(level, k) {
  const leading = level.growths[level.growth[k]];
  const doubt = level.notes[k].includes("cannot tell") ? " ?" : null;
  const nodes = leading.length
    ? leading.flatMap((t, i) => [i ? " + " : null, ...termAsNodes(level, t)])
    : [growthText(level, k)];
  return el("span", { class: "formula", title: growthText(level, k) }, ...nodes, doubt);
}
