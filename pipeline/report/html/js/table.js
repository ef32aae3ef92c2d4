// Tables that sort, search and turn pages; a row may open a detail below it.

const PAGE_ROWS = 25;

// spec: caption; columns: [{key, title, help, value(row), cell(row), kind}]; rows(): all rows; text(row): what
// the search looks at; detail(row): {node, update} or none; sort: [key, descending].
// `value` sorts (numbers or text), `cell` shows; kind is "number", "text" or "wide" (left out when narrow).
class DataTable {
  constructor(host, spec) {
    this.spec = spec;
    [this.sortKey, this.descending] = spec.sort;
    this.page = 0;
    this.words = [];
    this.open = new Map();
    this.body = el("tbody");
    this.count = el("span", { class: "count", role: "status" });
    this.pager = el("span", { class: "pager" });
    this.heads = new Map(spec.columns.map((column) => [column.key, this.head(column)]));
    host.replaceChildren(this.bar(), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": spec.caption },
      el("table", { class: "data" }, el("caption", { class: "unseen" }, spec.caption),
        el("thead", {}, el("tr", {}, ...this.heads.values())), this.body)));
    this.refresh();
  }

  bar() {
    const search = el("input", { type: "search", placeholder: "Search names", "aria-label": `Search: ${this.spec.caption}`,
      input: () => {
        this.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        this.page = 0;
        this.refresh();
      } });
    return el("div", { class: "bar" }, search, this.count, this.pager);
  }

  head({ key, title, help, kind }) {
    const button = el("button", { type: "button", title: help, click: () => this.sortBy(key) }, title, el("span", { class: "arrow", "aria-hidden": true }));
    return el("th", { scope: "col", class: kind ?? null }, button);
  }

  sortBy(key) {
    const column = this.spec.columns.find((candidate) => candidate.key === key);
    this.descending = key === this.sortKey ? !this.descending : (column.kind ?? "").includes("number");
    this.sortKey = key;
    this.page = 0;
    this.refresh();
  }

  // Rows found, in order.
  found() {
    const { rows, text, columns } = this.spec;
    const { value } = columns.find((column) => column.key === this.sortKey);
    const all = rows().filter((row) => {
      if (this.words.length === 0) return true;
      const searched = text(row);
      return this.words.every((word) => searched.includes(word));
    });
    const keyed = all.map((row) => [value(row), row]);
    const way = this.descending ? -1 : 1;
    keyed.sort(([a], [b]) => way * (typeof a === "string" ? a.localeCompare(b) : compareNumbers(a, b, way)));
    return keyed.map(([, row]) => row);
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

  showPager(pages) {
    const turn = (label, by) => el("button", { type: "button", class: "quiet", "aria-label": label,
      disabled: this.page + by < 0 || this.page + by >= pages,
      click: () => { this.page += by; this.refresh(); this.pager.children[by < 0 ? 0 : 1]?.focus(); } }, by < 0 ? "‹" : "›");
    if (pages > 1) this.pager.replaceChildren(turn("Previous page", -1), turn("Next page", 1));
    else this.pager.replaceChildren();
  }

  rowNodes(row) {
    const cells = this.spec.columns.map((column, i) => {
      const content = column.cell(row);
      if (i > 0) return el("td", { class: column.kind ?? null }, content);
      return el("th", { scope: "row", class: "first" }, this.spec.detail ? this.opener(row, content) : content);
    });
    const line = el("tr", { class: this.open.has(row) ? "opened" : null }, ...cells);
    if (!this.open.has(row)) return [line];
    const detail = this.open.get(row);
    detail.update();
    return [line, detail.line];
  }

  opener(row, content) {
    const button = el("button", { type: "button", class: "opener", "aria-expanded": this.open.has(row), click: () => this.toggle(row, button) },
      el("span", { class: "twist", "aria-hidden": true }), content);
    return button;
  }

  toggle(row, button) {
    const line = button.closest("tr");
    if (this.open.has(row)) {
      this.open.get(row).line.remove();
      this.open.delete(row);
    } else {
      const detail = this.spec.detail(row);
      detail.line = el("tr", { class: "detail" }, el("td", { colspan: this.spec.columns.length }, detail.node));
      this.open.set(row, detail);
      line.after(detail.line);
      detail.update();
    }
    line.classList.toggle("opened", this.open.has(row));
    button.setAttribute("aria-expanded", this.open.has(row));
  }

  // For another set of rows: nothing is open, the first page shows.
  reset() {
    this.open.clear();
    this.page = 0;
    this.refresh();
  }
}

// Numbers in order, what is not known last whichever way.
function compareNumbers(a, b, way) {
  if (Number.isNaN(a) || Number.isNaN(b)) return way * (Number.isNaN(a) - Number.isNaN(b));
  return a - b;
}

function barNode(share, text, cls = "") {
  const bar = el("span", { class: `share ${cls}` }, el("span", { class: "fill" }), el("span", { class: "value" }, text));
  styled(bar.firstChild, { width: `${Math.min(Math.max(share, 0), 1) * 100}%` });
  return bar;
}
