// @ts-check
// The space of parameters: what was measured, what can be requested, and where predictions are exact.

/** @import { Payload, Point } from "./payload.js" */

export class Space {
  /** @param {Payload} payload */
  constructor(payload) {
    this.parameters = payload.parameters;
    this.column = payload.column;
    this.points = payload.points;
    this.largest = payload.largest;
    this.first = payload.first;
    this.reach = payload.reach;
    this.targets = payload.targets;
    this.constants = payload.constants;
    this.opening = payload.targets[payload.targets.length - 1];
    this.scaled = this.parameters[this.column];
    const scales = this.points.map((point) => point[this.column]);
    this.measuredStart = Math.min(...scales);
    this.measuredEnd = Math.max(...scales);
  }

  /**
   * A point with another value of the scaled parameter.
   * @param {Point} point
   * @param {number} scale
   */
  atScale(point, scale) {
    const moved = [...point];
    moved[this.column] = scale;
    return moved;
  }

  /**
   * Indices of the measured points that differ from a point in the scaled parameter only, by scale.
   * @param {Point} at
   */
  pointsAlong(at) {
    /** @param {Point} point */
    const along = (point) => point.every((value, d) => d === this.column || value === at[d]);
    const found = this.points.map((point, i) => (along(point) ? i : -1)).filter((i) => i >= 0);
    return found.sort((a, b) => this.points[a][this.column] - this.points[b][this.column]);
  }

  /**
   * Whether predictions are known at a point: along the scaled parameter, the others at the target.
   * @param {Point} at
   */
  onGridLine(at) {
    return at.every((value, d) => d === this.column || value === this.opening[d]);
  }

  /**
   * By what factor a point lies beyond the measured range; 1 inside.
   * @param {Point} at
   */
  extrapolation(at) {
    const factors = at.flatMap((value, d) => {
      const measured = this.points.map((point) => point[d]);
      return [value / Math.max(...measured), Math.min(...measured) / value];
    });
    return Math.max(1, ...factors);
  }

  /**
   * A value of a parameter, drawn to a measured or targeted one that is near.
   * @param {number} d
   * @param {number} value
   */
  snapped(d, value) {
    const marks = [...this.points, ...this.targets].map((point) => point[d]);
    const width = 0.006 * Math.log(this.reach[d] / this.first[d]);
    const near = marks.find((mark) => Math.abs(Math.log(value / mark)) <= width);
    return near ?? Number(value.toPrecision(3));
  }
}

/**
 * Between which two of some scales a scale lies, and where by ratio; null outside of them.
 * @param {Float64Array} logs logarithms of the scales, ascending
 * @param {number} scale
 * @returns {{i: number, share: number} | null}
 */
export function placeAmong(logs, scale) {
  const log = Math.log(scale);
  let [low, high] = [0, logs.length - 1];
  const rounding = 1e-8; // scales are written with nine digits
  if (!(log >= logs[low] - rounding && log <= logs[high] + rounding)) return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (logs[middle] < log) low = middle;
    else high = middle;
  }
  const share = (log - logs[low]) / (logs[high] - logs[low]);
  return { i: low, share: Math.min(Math.max(share, 0), 1) };
}

/**
 * Values spread evenly over a range, by ratio.
 * @param {number} first
 * @param {number} last
 * @param {number} count
 */
export function spread(first, last, count) {
  const step = Math.log(last / first) / (count - 1);
  return Array.from({ length: count }, (_, i) => (i < count - 1 ? first * Math.exp(i * step) : last));
}
