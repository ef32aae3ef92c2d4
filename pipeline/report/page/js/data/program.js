// @ts-check
// Figures of the whole program, with 90 % intervals: at positions, and over scale.

/** @import { Estimates, Point, ProgramPayload } from "./payload.js" */
/** @import { Positions } from "./positions.js" */
/** @typedef {{x: number, value: number, lower: number, upper: number}} Figure an interval may be unknown: NaN */

/**
 * The figures that are shown of a target, by label.
 * @param {ProgramPayload} program
 * @param {Positions} positions
 * @param {Point} at
 */
export function answersAt({ answers }, positions, at) {
  const place = positions.placeOf(at);
  const scale = [at[positions.column]];
  return answers.flatMap(({ label, unit, ...ends }) => {
    const [value, lower, upper] = [ends.value, ends.lower, ends.upper].map((end) => [end[place]]);
    return figuresOf({ scale, value, lower, upper }).map((figure) => ({ label, unit, figure }));
  });
}

/**
 * The figures that are available, by scale.
 * @param {Estimates} estimates
 * @returns {Figure[]}
 */
export function figuresOf({ scale, value, lower, upper }) {
  return scale
    .map((x, i) => ({
      x,
      value: value[i] ?? Number.NaN,
      lower: lower[i] ?? Number.NaN,
      upper: upper[i] ?? Number.NaN,
    }))
    .filter((one) => Number.isFinite(one.value));
}
