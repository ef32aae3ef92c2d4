// @ts-check
// The formulas of kernels, evaluated in the page: constant + sum of coefficient * product of p^i * log2(p)^j, as
// ScalingModels.values does.

import { doubles, floats } from "./payload.js";

/** @import { ModelsPayload, Point } from "./payload.js" */

export class Formulas {
  /**
   * @param {ModelsPayload} models
   * @param {number} count of kernels
   */
  constructor(models, count) {
    this.count = count;
    this.terms = models.terms;
    this.exponents = models.terms.map((term) =>
      term.map(([power, logarithm]) => [fraction(power), logarithm]),
    );
    this.hypotheses = models.hypotheses;
    this.sharpness = models.sharpness;
    this.rivals = models.rivals;
    this.chosen = models.chosen;
    this.weight = floats(models.weight);
    this.coefficients = doubles(models.coefficients);
    /** Per model its place among those that there are, and where its coefficients begin. */
    this.place = new Int32Array(this.chosen.length);
    this.begin = new Int32Array(this.chosen.length);
    let [place, begin] = [0, 0];
    this.chosen.forEach((index, i) => {
      this.place[i] = place;
      this.begin[i] = begin;
      if (index < 0 && i % this.rivals) return;
      place += 1;
      begin += index < 0 ? 1 : this.hypotheses[index].length + 1;
    });
    this.floor = models.nonnegative ? 0 : -Infinity;
  }

  /**
   * Terms of the chosen model, or of a rival.
   * @param {number} k
   * @param {number} [rival]
   * @returns {number[]}
   */
  hypothesis(k, rival = 0) {
    const index = this.chosen[k * this.rivals + rival];
    return index < 0 ? [] : this.hypotheses[index];
  }

  /**
   * How sharp the soft knee of a model is; 1 if it has none.
   * @param {number} k
   * @param {number} [rival]
   */
  knee(k, rival = 0) {
    const index = this.chosen[k * this.rivals + rival];
    return index < 0 ? 1 : this.sharpness[index];
  }

  /**
   * The models of a kernel that the page knows, the chosen one first.
   * @param {number} k
   */
  rivalsOf(k) {
    return Array.from({ length: this.rivals }, (_, i) => i).filter(
      (i) => this.chosen[k * this.rivals + i] >= 0,
    );
  }

  /**
   * Probability of a model.
   * @param {number} k
   * @param {number} rival
   */
  probability(k, rival) {
    return this.weight[this.place[k * this.rivals + rival]];
  }

  /**
   * The constant (c = 0) or the coefficient of the c-th term.
   * @param {number} k
   * @param {number} rival
   * @param {number} c
   */
  coefficient(k, rival, c) {
    return this.coefficients[this.begin[k * this.rivals + rival] + c];
  }

  /**
   * @param {number} k
   * @param {number} rival
   * @param {(term: number) => number} ofTerm
   */
  combine(k, rival, ofTerm) {
    const sharpness = this.knee(k, rival);
    let sum = this.coefficient(k, rival, 0) ** sharpness;
    this.hypothesis(k, rival).forEach((t, i) => {
      sum += (this.coefficient(k, rival, i + 1) * ofTerm(t)) ** sharpness;
    });
    return Math.max(sharpness === 1 ? sum : sum ** (1 / sharpness), this.floor);
  }

  /**
   * What the formula of the chosen model, or of a rival, gives at a point.
   * @param {number} k
   * @param {Point} at
   * @param {number} [rival]
   */
  formula(k, at, rival = 0) {
    return this.combine(k, rival, (t) => termValue(this.exponents[t], at));
  }

  /**
   * What the formulas of all chosen models give at a point.
   * @param {Point} at
   */
  formulas(at) {
    const ofTerm = this.exponents.map((term) => termValue(term, at));
    return Float64Array.from({ length: this.count }, (_, k) => this.combine(k, 0, (t) => ofTerm[t]));
  }
}

/**
 * @param {number[][]} term
 * @param {Point} at
 */
function termValue(term, at) {
  let product = 1;
  term.forEach(([power, logarithm], d) => {
    if (power !== 0) product *= at[d] ** power;
    if (logarithm !== 0) product *= Math.log2(at[d]) ** logarithm;
  });
  return product;
}

/** @param {string} text */
function fraction(text) {
  const [above, below] = text.split("/").map(Number);
  return below ? above / below : above;
}
