// @ts-check
// Tables that sort, search and turn pages; a row may open a detail below it.

import { el } from "./dom.js";

/** @import { Child } from "./dom.js" */
/** @typedef {number} Row index of what a row shows */

/**
 * @typedef {object} Column
 * @property {string} key
 * @property {string} title
 * @property {string} [help]
 * @property {string} [kind] classes of its cells; "number" sorts the largest first, "wide" hides when narrow
 * @property {(row: Row) => number | string} value sorts
 * @property {(row: Row) => Child} cell shows
 */

/** @typedef {{node: HTMLElement, update: () => void}} Detail */

/**
 * @typedef {object} TableSpec
 * @property {string} caption
 * @property {Column[]} columns
 * @property {() => Row[]} rows
 * @property {(row: Row) => string} text what the search looks at, in lower case
 * @property {(row: Row) => Detail} [detail]
 * @property {string} sort key of the column that sorts at first, the largest on top
 */

const PAGE_ROWS = 25;

export class DataTable {
  /**
   * @param {HTMLElement} host
   * @param {TableSpec} spec
   */
  constructor(host, spec) {
    this.spec = spec;
    this.sortKey = spec.sort;
    this.descending = true;
    this.page = 0;
    /** @type {string[]} */
    this.words = [];
    /** @type {Map<Row, Detail & {line: HTMLElement}>} */
    this.open = new Map();
    this.body = el("tbody");
    this.count = el("span", { class: "count", role: "status" });
    this.pager = el("span", { class: "pager" });
    this.heads = new Map(spec.columns.map((column) => [column.key, this.head(column)]));
    const table = el(
      "table",
      { class: "data" },
      el("caption", { class: "unseen" }, spec.caption),
      el("thead", {}, el("tr", {}, ...this.heads.values())),
      this.body,
    );
    const scroll = { class: "scroll", tabindex: 0, role: "region", "aria-label": spec.caption };
    host.replaceChildren(this.bar(), el("div", scroll, table));
    this.refresh();
  }

  bar() {
    const search = el("input", {
      type: "search",
      placeholder: "Search names",
      "aria-label": `Search: ${this.spec.caption}`,
    });
    search.addEventListener("input", () => {
      this.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      this.page = 0;
      this.refresh();
    });
    return el("div", { class: "bar" }, search, this.count, this.pager);
  }

  /** @param {Column} column */
  head({ key, title, help, kind }) {
    const arrow = el("span", { class: "arrow", "aria-hidden": true });
    const button = el("button", { type: "button", title: help, click: () => this.sortBy(key) }, title, arrow);
    return el("th", { scope: "col", class: kind ?? null }, button);
  }

  /** @param {string} key */
  column(key) {
    const found = this.spec.columns.find((column) => column.key === key);
    if (!found) throw new Error(`the table has no column ${key}`);
    return found;
  }

  /** @param {string} key */
  sortBy(key) {
    const largestFirst = (this.column(key).kind ?? "").includes("number");
    this.descending = key === this.sortKey ? !this.descending : largestFirst;
    this.sortKey = key;
    this.page = 0;
    this.refresh();
  }

  /** Rows found, in order. */
  found() {
    const { rows, text } = this.spec;
    const { value } = this.column(this.sortKey);
    const all = rows().filter((row) => {
      if (this.words.length === 0) return true;
      const searched = text(row);
      return this.words.every((word) => searched.includes(word));
    });
    const keyed = all.map((row) => ({ row, key: value(row) }));
    keyed.sort((a, b) => compared(a.key, b.key, this.descending));
    return keyed.map(({ row }) => row);
  }

  refresh() {
    const found = this.found();
    const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
    this.page = Math.min(this.page, pages - 1);
    const first = this.page * PAGE_ROWS;
    const shown = found.slice(first, first + PAGE_ROWS);
    this.body.replaceChildren(...shown.flatMap((row) => this.rowNodes(row)));
    for (const [key, head] of this.heads) {
      if (key === this.sortKey) head.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    const range = found.length > PAGE_ROWS ? `${first + 1}–${first + shown.length} of ` : "";
    const text = found.length ? `${range}${found.length}` : "Nothing found";
    if (this.count.textContent !== text) this.count.textContent = text;
    this.showPager(pages);
  }

  /** @param {number} pages */
  showPager(pages) {
    if (pages === 1) this.pager.replaceChildren();
    else this.pager.replaceChildren(this.pagerButton(-1, pages), this.pagerButton(1, pages));
  }

  /**
   * @param {-1 | 1} by
   * @param {number} pages
   */
  pagerButton(by, pages) {
    const next = this.page + by;
    const attributes = {
      type: "button",
      class: "quiet",
      "aria-label": by < 0 ? "Previous page" : "Next page",
      disabled: next < 0 || next >= pages,
    };
    const button = el("button", attributes, by < 0 ? "‹" : "›");
    button.addEventListener("click", () => {
      this.page = next;
      this.refresh();
      this.pager.querySelectorAll("button")[by < 0 ? 0 : 1]?.focus();
    });
    return button;
  }

  /** @param {Row} row */
  rowNodes(row) {
    const cells = this.spec.columns.map((column, i) => {
      const content = column.cell(row);
      if (i > 0) return el("td", { class: column.kind ?? null }, content);
      return el(
        "th",
        { scope: "row", class: "first" },
        this.spec.detail ? this.opener(row, content) : content,
      );
    });
    const detail = this.open.get(row);
    const line = el("tr", { class: detail ? "opened" : null }, ...cells);
    if (!detail) return [line];
    detail.update();
    return [line, detail.line];
  }

  /**
   * @param {Row} row
   * @param {Child} content
   */
  opener(row, content) {
    const attributes = { type: "button", class: "opener", "aria-expanded": this.open.has(row) };
    const button = el("button", attributes, el("span", { class: "twist", "aria-hidden": true }), content);
    button.addEventListener("click", () => this.toggle(row, button));
    return button;
  }

  /**
   * @param {Row} row
   * @param {HTMLElement} button
   */
  toggle(row, button) {
    const line = button.closest("tr");
    const opened = this.open.get(row);
    if (opened) {
      opened.line.remove();
      this.open.delete(row);
    } else if (this.spec.detail) {
      const detail = this.spec.detail(row);
      const cell = el("td", { colspan: this.spec.columns.length }, detail.node);
      const below = el("tr", { class: "detail" }, cell);
      this.open.set(row, { ...detail, line: below });
      line?.after(below);
      detail.update();
    }
    line?.classList.toggle("opened", this.open.has(row));
    button.setAttribute("aria-expanded", String(this.open.has(row)));
  }

  /** For another set of rows: nothing is open, the first page shows. */
  reset() {
    this.open.clear();
    this.page = 0;
    this.refresh();
  }
}

/**
 * Text in the order of the alphabet, numbers by size with what is not known last whichever way.
 * @param {number | string} a
 * @param {number | string} b
 * @param {boolean} descending
 */
export function compared(a, b, descending) {
  const way = descending ? -1 : 1;
  if (typeof a === "string" || typeof b === "string") return way * String(a).localeCompare(String(b));
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return way * (a - b);
}
