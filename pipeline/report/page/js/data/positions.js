// @ts-check
// What was measured, and the positions at which predictions are known: scales along lines, one line per value of the
// other parameters.

/** @import { Point, PositionsPayload } from "./records.js" */

export class Positions {
  /** @param {PositionsPayload} payload */
  constructor(payload) {
    this.parameters = payload.parameters;
    this.column = payload.column;
    this.points = payload.points;
    this.largest = payload.largest;
    this.scales = payload.scales;
    this.lines = payload.lines;
    this.reach = payload.reach;
    this.measuredOnly = payload.measuredOnly;
    this.limits = payload.limits;
    this.extrapolation = payload.extrapolation;
    this.observed = payload.observed;
    this.opening = payload.lines[0];
    this.count = this.scales.length * this.lines.length;
    this.scaled = this.parameters[this.column];
    const measured = this.points.map((point) => point[this.column]);
    this.measuredStart = Math.min(...measured);
    this.measuredEnd = Math.max(...measured);
  }

  /** @type {(point: Point, scale: number) => number[]} a point with another value of the scaled parameter */
  atScale(point, scale) {
    const moved = [...point];
    moved[this.column] = scale;
    return moved;
  }

  /** @param {Point} at @returns the line through a point; -1 for none */
  lineOf(at) {
    return this.lines.findIndex((line) => this.isAlong(line, at));
  }

  /** @type {(one: Point, other: Point) => boolean} whether two points differ in the scaled parameter only */
  isAlong(one, other) {
    return one.every((value, d) => d === this.column || value === other[d]);
  }

  /** @param {Point} at @returns the place of a point among all positions; -1 for none */
  placeOf(at) {
    const [line, scale] = [this.lineOf(at), this.scales.indexOf(at[this.column])];
    return line < 0 || scale < 0 ? -1 : line * this.scales.length + scale;
  }

  /** @param {number} value @returns the scale among the positions that is nearest by ratio */
  nearest(value) {
    const apart = this.scales.map((scale) => Math.abs(Math.log(scale / value)));
    return this.scales[apart.indexOf(Math.min(...apart))];
  }

  /** @type {(at: Point) => Point} the point of a line that is asked for, as near as there is one */
  nearestPoint(at) {
    const apart = this.lines.map((line) =>
      line.reduce(
        (sum, value, d) => sum + (d === this.column ? 0 : Math.abs(Math.log(value / at[d]) || 0)),
        0,
      ),
    );
    return this.atScale(this.lines[apart.indexOf(Math.min(...apart))], this.nearest(at[this.column]));
  }

  /** @param {Point} target @returns scales of curves: from the smallest measured to some beyond the target */
  curveScales(target) {
    const end = Math.max(this.measuredEnd, target[this.column]);
    const next = this.scales.find((scale) => scale > end && scale <= this.reach) ?? end;
    return this.scales.filter((scale) => scale <= next);
  }

  /** @param {Point} at @returns the scales between which growth is told: its own and the next, or the one before */
  around(at) {
    const i = Math.min(this.scales.indexOf(at[this.column]), Math.max(this.scales.length - 2, 0));
    return [this.scales[i], this.scales[Math.min(i + 1, this.scales.length - 1)]];
  }

  /** @param {Point} at @returns indices of measured points that differ in the scaled parameter only, by scale */
  pointsAlong(at) {
    const found = this.points.map((point, i) => (this.isAlong(point, at) ? i : -1)).filter((i) => i >= 0);
    return found.sort((a, b) => this.points[a][this.column] - this.points[b][this.column]);
  }

  /**
   * The index of the measured point on a line at a scale, if there is one.
   * @param {Point} line any point of it
   * @param {number} scale
   */
  pointAt(line, scale) {
    return this.pointsAlong(line).find((i) => this.points[i][this.column] === scale);
  }
}
