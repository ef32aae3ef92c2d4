// @ts-check
// What the reader has chosen: one state that everything in the page follows, and that its address keeps.

import { hasWords, wordsOf } from "./text/names.js";

/** @import { Where } from "./data/call_tree.js" */
/** @import { KernelSet, KernelValues } from "./data/kernel_set.js" */
/** @import { Positions } from "./data/positions.js" */
/** @import { LevelName, Report } from "./data/report.js" */
/** @import { Kept } from "./draw/table.js" */
/** @typedef {{update: () => void, visible: boolean, stale: boolean, waits: boolean}} Follower */
/** @typedef {{region: number, node: number}} Selection a region, and of it one call path or -1 */

/** @type {Selection} */
export const NOTHING = { region: -1, node: -1 };
const LATER = 150; // milliseconds until the address follows
const AHEAD = 300; // pixels around what is in sight that is drawn, too
const REST = 120; // milliseconds after which a slider that was moved rests

/** What takes long to draw waits until the slider rests. */
export const WAITS = { waits: true };

/** What the address of a page keeps: whatever differs from how the page opens, by name; going back undoes a choice. */
export class Address {
  /** @param {string} text what stands behind # in it */
  constructor(text) {
    this.kept = new URLSearchParams(text.includes("=") ? text : "");
    if (text && !text.includes("=")) this.kept.set("section", text);
    this.words = wordsOf(this.kept.get("find") ?? "");
    /** @type {number | undefined} */
    this.writing = undefined;
  }

  /**
   * Keeps a choice in the page's address, nothing if it is null or what the page opens with.
   * @param {string} name
   * @param {string | number | null} value
   * @param {string | number | null} [opening]
   */
  keep(name, value, opening = null) {
    if (value === null || value === opening) this.kept.delete(name);
    else this.kept.set(name, String(value));
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.write(), LATER);
  }

  /** @type {(text: string) => void} keeps what is searched for */
  find(text) {
    this.words = wordsOf(text);
    this.keep("find", this.words.length ? text : null);
  }

  write() {
    const text = this.kept.toString();
    if (text === location.hash.slice(1)) return;
    try {
      history.replaceState({ top: scrollY }, "");
      history.pushState(null, "", text ? `#${text}` : location.pathname + location.search);
    } catch {
      // pages shown inside of others may have no address of their own
    }
  }

  /**
   * One of some choices that the address has, else the first of them.
   * @template {string} Key
   * @param {string} name
   * @param {readonly [Key, string][]} choices
   * @returns {Key}
   */
  choice(name, choices) {
    const kept = this.kept.get(name);
    return (choices.find(([key]) => key === kept) ?? choices[0])[0];
  }

  /**
   * An index that the address has.
   * @template Otherwise
   * @param {string} name
   * @param {number} count
   * @param {Otherwise} otherwise
   */
  index(name, count, otherwise) {
    const index = Number(this.kept.get(name) ?? NaN);
    return Number.isInteger(index) && index >= 0 && index < count ? index : otherwise;
  }

  /** @type {(name: string, count: number, otherwise: Where) => Where} a measured point by its index, or the target */
  where(name, count, otherwise) {
    return this.kept.get(name) === "target" ? "target" : this.index(name, count, otherwise);
  }

  /** @type {(name: string, count: number) => number[]} indices that the address has and that exist, ``3.7.12`` */
  indices(name, count) {
    const numbers = (this.kept.get(name) ?? "").split(".").filter(Boolean).map(Number);
    return numbers.filter((k) => Number.isInteger(k) && k >= 0 && k < count);
  }

  /** @param {Positions} positions @returns the target that the address has, as near as there is one */
  keptTarget(positions) {
    const { opening, parameters } = positions;
    return positions.nearestPoint(
      opening.map((value, d) => {
        const asked = Number(this.kept.get(`at.${parameters[d]}`));
        return asked > 0 && Number.isFinite(asked) ? asked : value;
      }),
    );
  }

  /** @type {(positions: Positions, target: readonly number[]) => void} */
  keepTarget({ opening, parameters }, target) {
    target.forEach((value, d) => {
      this.keep(`at.${parameters[d]}`, value, opening[d]);
    });
  }

  /**
   * What the address remembers of a table: its order, and the rows that are open.
   * @param {string} order
   * @param {number} count of rows
   * @returns {Kept}
   */
  table(order, count) {
    return {
      order: this.kept.get(order),
      open: this.indices("open", count),
      onOrder: (text) => this.keep(order, text),
      onOpen: (rows) => this.keep("open", rows.join("."), ""),
    };
  }
}

export class State extends Address {
  /** @param {Report} report @param {string} address what stands behind # in the page's address */
  constructor(report, address = "") {
    super(address);
    this.report = report;
    this.target = this.keptTarget(report.positions);
    /** @type {LevelName} */
    this.levelName = this.kept.get("show") === "callpaths" ? "callpaths" : "regions";
    this.metric = report.metrics.find(({ name }) => name === this.kept.get("metric")) ?? report.metrics[0];
    this.selection = this.keptSelection();
    /** @type {Follower[]} */
    this.followers = [];
    this.pending = false;
    this.sliding = false; // whether all changes since the last picture were those of a slider
    /** @type {number | undefined} */
    this.resting = undefined;
  }

  /** @returns {KernelSet} */
  get level() {
    return this.metric.levels[this.levelName];
  }

  /** @returns {Selection} */
  keptSelection() {
    const { callpaths, regions } = this.report.levels;
    const node = this.index("callpath", callpaths.count, NOTHING.node);
    if (node >= 0) return { region: callpaths.region[node], node };
    const region = regions.region.find((r) => regions.regions[r].name === this.kept.get("region"));
    return region === undefined ? NOTHING : { region, node: -1 };
  }

  /**
   * @param {readonly number[]} target one of the positions
   * @param {boolean} [sliding] whether more of them follow soon
   */
  setTarget(target, sliding = false) {
    this.target = [...target];
    this.keepTarget(this.report.positions, target);
    clearTimeout(this.resting);
    if (sliding) this.resting = setTimeout(() => this.catchUp(), REST);
    this.changed(sliding);
  }

  /** @param {number} number */
  setMetric(number) {
    this.metric = this.report.metrics[number];
    this.keep("metric", this.metric.name, this.report.metric);
    this.changed();
  }

  /** @param {LevelName} name */
  setLevel(name) {
    this.levelName = name;
    this.keep("show", name, "regions");
    this.changed();
  }

  /** @param {string} text */
  setSearch(text) {
    this.find(text);
    this.changed();
  }

  /** @type {(level: KernelValues, k: number) => void} selects a kernel; the selected one again, nothing */
  toggle(level, k) {
    const whole = level.whole ?? level;
    const node = whole === this.report.levels.callpaths ? (level.whole ? level.node[k] : k) : -1;
    this.select(this.selects(level, k) ? NOTHING : { region: level.region[k], node });
  }

  /** @param {Selection} selection */
  select(selection) {
    this.selection = selection;
    const { region, node } = selection;
    this.keep("callpath", node, NOTHING.node);
    this.keep("region", region < 0 || node >= 0 ? null : this.report.levels.regions.regions[region].name);
    this.changed();
  }

  get selecting() {
    return this.selection.region >= 0;
  }

  /** @type {(level: KernelValues, k: number) => boolean} if a call path is selected, its region is, too */
  selects(level, k) {
    const { region, node } = this.selection;
    if (region < 0 || level.region[k] !== region) return false;
    const isNode = (level.whole ?? level) === this.report.levels.callpaths;
    return node < 0 || !isNode || (level.whole ? level.node[k] : k) === node;
  }

  /** @type {(level: KernelValues, k: number) => boolean} by its name or those of its callers */
  finds(level, k) {
    return this.words.length === 0 || hasWords(level.searchText(k), this.words);
  }

  /** The kernels of the level that the search finds, the largest at the target first. */
  matches() {
    const { level, target } = this;
    const found = level.region.map((_, k) => k).filter((k) => level.takesAnything(k) && this.finds(level, k));
    return found.sort((a, b) => level.value(b, target) - level.value(a, target));
  }

  /** @type {(level: KernelValues, k: number) => string} classes of a call path in pictures of the tree */
  look(level, k) {
    if (this.selecting && this.selects(level, k)) return " selected";
    if (this.words.length === 0) return "";
    return hasWords(level.ownText(k), this.words) ? " found" : " fades";
  }

  /** @type {(level: KernelValues, k: number) => boolean} behind selected ones, or those that the search finds */
  fades(level, k) {
    if (this.selecting) return !this.selects(level, k);
    return this.words.length > 0 && !this.finds(level, k);
  }

  /**
   * Calls `update` now and after every change; while its section is out of sight it waits.
   * @param {Element} section
   * @param {() => void} update
   * @param {{waits: boolean}} [when] whether it waits until the slider rests, too
   */
  follow(section, update, { waits } = { waits: false }) {
    const near = section.getBoundingClientRect().top < innerHeight + AHEAD;
    const follower = { update, visible: near, stale: !near, waits };
    this.followers.push(follower);
    const watch = new IntersectionObserver(
      ([entry]) => {
        follower.visible = entry.isIntersecting;
        if (follower.visible && follower.stale) refresh(follower);
      },
      { rootMargin: `${AHEAD}px` },
    );
    watch.observe(section);
    if (near) update();
  }

  /**
   * Draws what is out of sight while there is nothing else to do, so that the browser's search finds it.
   * @param {() => void} done
   */
  drawRest(done) {
    const later = this.followers.find((follower) => follower.stale);
    if (!later) {
      done();
      return;
    }
    whenIdle(() => {
      if (later.stale) refresh(later);
      this.drawRest(done);
    });
  }

  /**
   * Updates everything in sight, once for all changes before the next picture; what takes long waits for a slider.
   * @param {boolean} [sliding]
   */
  changed(sliding = false) {
    this.sliding = sliding && (this.sliding || !this.pending);
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      for (const follower of this.followers) {
        if (follower.visible && !(this.sliding && follower.waits)) refresh(follower);
        else follower.stale = true;
      }
      this.sliding = false;
    });
  }

  /** Draws what waited for the slider, each part by itself so that the page stays usable. */
  catchUp() {
    const waiting = this.followers.find(({ visible, stale }) => visible && stale);
    if (!waiting) return;
    refresh(waiting);
    this.resting = setTimeout(() => this.catchUp());
  }

  /** Brings everything up to date, in sight or not: before the page is printed. */
  changedEverywhere() {
    for (const follower of this.followers) refresh(follower);
  }
}

/** @param {() => void} act */
function whenIdle(act) {
  if (typeof requestIdleCallback === "function") requestIdleCallback(act);
  else setTimeout(act, LATER);
}

/** @param {Follower} follower */
function refresh(follower) {
  follower.stale = false;
  follower.update();
}
