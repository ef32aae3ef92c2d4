// @ts-check
// What the reader has chosen: one state that everything in the page follows.

/** @import { Level } from "./data/level.js" */
/** @import { LevelName, Report } from "./data/report.js" */
/** @typedef {{update: () => void, visible: boolean, stale: boolean}} Follower */

export class State {
  /** @param {Report} report */
  constructor(report) {
    this.report = report;
    this.target = [...report.space.opening];
    /** @type {LevelName} */
    this.levelName = "regions";
    this.metric = report.metrics[0];
    /** @type {Follower[]} */
    this.followers = [];
    this.pending = false;
  }

  /** @returns {Level} */
  get level() {
    return this.metric.levels[this.levelName];
  }

  /**
   * @param {number} d
   * @param {number} value
   */
  setTarget(d, value) {
    this.target[d] = value;
    this.changed();
  }

  /** @param {number} number */
  setMetric(number) {
    this.metric = this.report.metrics[number];
    this.changed();
  }

  /** @param {LevelName} name */
  setLevel(name) {
    this.levelName = name;
    this.changed();
  }

  /**
   * Calls `update` now and after every change; while its section is out of sight it waits.
   * @param {Element} section
   * @param {() => void} update
   */
  follow(section, update) {
    const follower = { update, visible: true, stale: false };
    this.followers.push(follower);
    const watch = new IntersectionObserver(
      ([entry]) => {
        follower.visible = entry.isIntersecting;
        if (follower.visible && follower.stale) refresh(follower);
      },
      { rootMargin: "300px" },
    );
    watch.observe(section);
    update();
  }

  /** Updates everything in sight, once for all changes before the next picture. */
  changed() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      for (const follower of this.followers) {
        if (follower.visible) refresh(follower);
        else follower.stale = true;
      }
    });
  }
}

/** @param {Follower} follower */
function refresh(follower) {
  follower.stale = false;
  follower.update();
}
