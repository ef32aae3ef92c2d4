// @ts-check
// Tables that sort, search, turn pages and can be saved; a row may open a detail below it.

import { hasWords, wordsOf } from "../text/names.js";
import { el, eventElement, keepingFocus, quietButton, scrolled } from "./dom.js";
import { csvButton } from "./files.js";
import { opener } from "./nodes.js";

/** @import { ColumnPayload } from "../data/records.js" */
/** @import { Child } from "./dom.js" */
/** @typedef {number} Row index of what a row shows */

/**
 * @typedef {object} Column
 * @property {string} key
 * @property {string | (() => string)} title
 * @property {string} [help]
 * @property {string} [kind] classes of its cells; "number" sorts the largest first, "wide" hides when narrow
 * @property {(row: Row) => number | string} value sorts
 * @property {(row: Row) => Child} cell shows
 * @property {() => [string, (row: Row) => number | string][]} [csv] columns of the file in its place, which by
 *   default has the value
 */

/** @typedef {{node: HTMLElement, update: () => void}} Detail */

/**
 * @typedef {object} TableSpec
 * @property {string} caption
 * @property {Column[]} columns
 * @property {() => Row[]} rows
 * @property {(row: Row) => string} [text] what its own search looks at, in lower case
 * @property {(row: Row) => Detail} [detail]
 * @property {{name: (row: Row) => string, is: (row: Row) => boolean, toggle: (row: Row) => void}} [pick] selects rows
 * @property {string} sort key of the column that sorts at first, the largest on top
 * @property {Kept} [kept] what is remembered of it
 */

/**
 * @typedef {object} Kept
 * @property {string | null} order as a table gives it to `onOrder`
 * @property {Row[]} open
 * @property {(order: string | null) => void} onOrder key of the column that sorts, with - for descending; null as
 *   it was at first
 * @property {(open: Row[]) => void} onOpen
 */

const PAGE_ROWS = 10;
const ALPHABET = new Intl.Collator(undefined, { numeric: true });

export class DataTable {
  /** @param {HTMLElement} host @param {TableSpec} spec */
  constructor(host, spec) {
    this.spec = spec;
    const order = spec.kept?.order ?? `-${spec.sort}`;
    const asked = order.replace(/^-/, "");
    const exists = spec.columns.some(({ key }) => key === asked);
    this.sortKey = exists ? asked : spec.sort;
    this.descending = !exists || order.startsWith("-");
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
    host.replaceChildren(this.bar(), scrolled(spec.caption, table));
    for (const row of spec.kept?.open ?? []) this.openRow(row);
    this.refresh();
  }

  bar() {
    const saver = csvButton(this.spec.caption, () => this.rowsOfFile());
    const tools = [this.count, this.pager, saver];
    if (!this.spec.text) return el("div", { class: "bar" }, ...tools);
    const search = el("input", {
      type: "search",
      placeholder: "Search names",
      "aria-label": `Search: ${this.spec.caption}`,
    });
    search.addEventListener("input", () => {
      this.words = wordsOf(search.value);
      this.page = 0;
      this.refresh();
    });
    return el("div", { class: "bar" }, search, ...tools);
  }

  /** All rows found, in order, with full values. */
  rowsOfFile() {
    /** @type {[string, (row: Row) => number | string][]} */
    const columns = this.spec.columns.flatMap(
      (column) => column.csv?.() ?? [[titleOf(column), column.value]],
    );
    const rows = this.found().map((row) => columns.map(([, value]) => value(row)));
    return [columns.map(([title]) => title), ...rows];
  }

  /** @param {Column} column */
  head(column) {
    const { key, help, kind } = column;
    const arrow = el("span", { class: "arrow", "aria-hidden": true });
    const title = el("span", {}, ...titleParts(column));
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
    const order = `${this.descending ? "-" : ""}${key}`;
    this.spec.kept?.onOrder(order === `-${this.spec.sort}` ? null : order);
    this.refresh();
  }

  /** Rows found, in order. */
  found() {
    const { rows, text } = this.spec;
    const { value } = this.column(this.sortKey);
    const all = rows().filter((row) => !text || hasWords(text(row), this.words));
    const keyed = all.map((row) => ({ row, key: value(row) }));
    keyed.sort((a, b) => compared(a.key, b.key, this.descending));
    return keyed.map(({ row }) => row);
  }

  refresh() {
    const found = this.found();
    const size = Math.min(PAGE_ROWS, Math.max(found.length, 1));
    const pages = Math.max(1, Math.ceil(found.length / size));
    this.page = Math.min(this.page, pages - 1);
    const first = this.page * size;
    const shown = found.slice(first, first + size);
    keepingFocus(this.body, () => {
      this.body.replaceChildren(...shown.flatMap((row) => this.rowNodes(row)));
    });
    for (const [key, head] of this.heads) {
      const title = head.querySelector("button > span");
      if (title) title.replaceChildren(...titleParts(this.column(key)));
      if (key === this.sortKey) head.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    const range = found.length > size ? `${first + 1}–${first + shown.length} of ` : "";
    const text = found.length ? `${range}${found.length}` : "Nothing found";
    if (this.count.textContent !== text) this.count.textContent = text;
    this.pager.replaceChildren(this.pagerButton(-1, pages), this.pagerButton(1, pages));
  }

  /** @type {(wanted: (row: Row) => boolean) => void} turns to the page of the first row that is looked for */
  showRow(wanted) {
    const place = this.found().findIndex(wanted);
    if (place >= 0) this.page = Math.floor(place / PAGE_ROWS);
    this.refresh();
  }

  /** @type {(by: -1 | 1, pages: number) => "" | HTMLButtonElement} */
  pagerButton(by, pages) {
    const next = this.page + by;
    if (next < 0 || next >= pages) return "";
    const label = by < 0 ? "Previous page" : "Next page";
    const turn = () => {
      this.page = next;
      this.refresh();
      const turned =
        this.pager.querySelector(`[aria-label="${label}"]`) ?? this.pager.querySelector("button");
      if (turned instanceof HTMLElement) turned.focus();
    };
    return quietButton(by < 0 ? "‹" : "›", turn, { "aria-label": label });
  }

  /** @param {Row} row */
  rowNodes(row) {
    const cells = this.spec.columns.map((column, i) => {
      const content = column.cell(row);
      if (i > 0) return el("td", { class: column.kind ?? null }, content);
      return el(
        "th",
        { scope: "row", class: "first" },
        this.spec.detail
          ? opener(this.open.has(row), `open-${row}`, (event) => this.toggle(row, event), content)
          : content,
        this.picker(row),
      );
    });
    const detail = this.open.get(row);
    const looks = [detail ? "opened" : "", this.spec.pick?.is(row) ? "selected" : ""]
      .filter(Boolean)
      .join(" ");
    const line = el("tr", { class: looks || null }, ...cells);
    if (this.spec.pick) line.addEventListener("click", (event) => this.pickRow(event, row));
    if (!detail) return [line];
    detail.update();
    return [line, detail.line];
  }

  /** @param {Row} row */
  picker(row) {
    const { pick } = this.spec;
    if (!pick) return null;
    return el("button", {
      type: "button",
      class: "pick",
      "data-focus": `pick-${row}`,
      "aria-pressed": pick.is(row),
      "aria-label": `Select ${pick.name(row)}`,
      title: "Select in all tables and charts",
      click: () => pick.toggle(row),
    });
  }

  /** @type {(event: MouseEvent, row: Row) => void} beside buttons it selects, unless it ends the marking of text */
  pickRow(event, row) {
    const marked = getSelection()?.toString();
    if (marked || !(event.target instanceof Element) || event.target.closest("button")) return;
    this.spec.pick?.toggle(row);
  }

  /** @type {(row: Row, event: Event) => void} */
  toggle(row, event) {
    const line = eventElement(event, "tr");
    const opened = this.open.get(row);
    if (opened) {
      opened.line.remove();
      this.open.delete(row);
    } else {
      const detail = this.openRow(row);
      if (detail) {
        line?.after(detail.line);
        detail.update();
      }
    }
    line?.classList.toggle("opened", this.open.has(row));
    eventElement(event, ".opener")?.setAttribute("aria-expanded", String(this.open.has(row)));
    this.spec.kept?.onOpen([...this.open.keys()]);
  }

  /** @param {Row} row */
  openRow(row) {
    if (!this.spec.detail) return null;
    const detail = this.spec.detail(row);
    const cell = el("td", { colspan: this.spec.columns.length }, detail.node);
    const line = el("tr", { class: "detail" }, cell);
    const opened = { node: detail.node, line, update: () => detail.update() };
    this.open.set(row, opened);
    return opened;
  }

  /** For another set of rows: nothing is open, the first page shows. */
  reset() {
    this.open.clear();
    this.spec.kept?.onOpen([]);
    this.page = 0;
    this.refresh();
  }
}

/**
 * Columns as Python's lists have them.
 * @param {ColumnPayload[]} columns
 * @param {Record<string, (row: Row, text: string) => Child>} [cells] by key, those that are more than their text
 * @param {string} [kind] further classes
 * @param {(i: number) => ColumnPayload | undefined} [now] what a column holds, if that changes
 * @returns {Column[]}
 */
export function columnsOf(columns, cells = {}, kind = "", now = (i) => columns[i]) {
  return columns.map(({ key, title, help, number }, i) => ({
    key,
    title: title.charAt(0).toUpperCase() + title.slice(1),
    help: help || undefined,
    kind: `${number ? "number " : ""}${kind}`,
    value: (row) => now(i)?.values[row] ?? (number ? Number.NaN : ""),
    cell: (row) => {
      const text = now(i)?.texts[row] ?? "";
      return cells[key]?.(row, text) ?? text;
    },
  }));
}

/**
 * A table of names with what Python's lists say of them.
 * @type {(host: HTMLElement, caption: string, sort: string, names: string[], columns: Column[]) => DataTable}
 */
export function namesTable(host, caption, sort, names, columns) {
  const rows = () => names.map((_, row) => row);
  return new DataTable(host, { caption, sort, rows, columns, text: (row) => names[row].toLowerCase() });
}

/** @param {Column} column */
function titleOf({ title }) {
  return typeof title === "string" ? title : title();
}

/** @param {Column} column @returns a title whose unit is not broken over lines */
function titleParts(column) {
  const [, name, unit] = /^(.*?)(\([^()]*\)|\[[^[\]]*\])?$/.exec(titleOf(column)) ?? [];
  return unit ? [name, el("span", { class: "unit" }, unit)] : [name];
}

/**
 * Text in the order of the alphabet and of numbers in it, numbers by size with what is not known last whichever way.
 * @type {(a: number | string, b: number | string, descending: boolean) => number}
 */
export function compared(a, b, descending) {
  const way = descending ? -1 : 1;
  if (typeof a === "string" || typeof b === "string") return way * ALPHABET.compare(String(a), String(b));
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return way * (a - b);
}
