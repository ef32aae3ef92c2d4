// @ts-check
// The matrix of kernels: search, level, and sorting by any column.

import { byId, el, switcher } from "../draw/dom.js";
import { buildTheme } from "../views/navigation.js";

const table = byId("matrix");
const body = /** @type {HTMLTableSectionElement} */ (table.querySelector("tbody"));
const rows = [...body.rows];
const levels = [...new Set(rows.map((row) => row.dataset.level ?? ""))].filter((level) => level !== "total");
const chosen = { text: "", level: "" };

/** @param {HTMLTableRowElement} row */
function isShown(row) {
  const level = row.dataset.level;
  const found = chosen.text === "" || (row.cells[0].textContent ?? "").toLowerCase().includes(chosen.text);
  return found && (chosen.level === "" || level === chosen.level || level === "total");
}

function filter() {
  let count = 0;
  for (const row of rows) {
    row.hidden = !isShown(row);
    if (!row.hidden) count += 1;
  }
  status.textContent = `${count}`;
}

const search = el("input", { type: "search", placeholder: "Search", "aria-label": "Search: Kernels" });
const status = el("span", { class: "count", role: "status" });
search.addEventListener("input", () => {
  chosen.text = search.value.toLowerCase();
  filter();
});
byId("filters").append(search);
if (levels.length > 1) {
  /** @type {[string, string][]} */
  const choices = [
    ["", "All"],
    ["region", "Regions"],
    ["callpath", "Call paths"],
  ];
  const choose = (/** @type {string} */ level) => {
    chosen.level = level;
    filter();
  };
  byId("filters").append(switcher("Show", "level", choices, "", choose));
}
byId("filters").append(status);

/**
 * @param {HTMLTableRowElement} row
 * @param {number} column
 */
function key(row, column) {
  return row.cells[column].dataset.key ?? "";
}

/**
 * Sorts rows; those without a value come last in either direction.
 * @param {number} column
 * @param {boolean} isText
 * @param {number} sign
 */
function sort(column, isText, sign) {
  const ordered = [...rows].sort((one, other) => {
    const [a, b] = [key(one, column), key(other, column)];
    if (a === "" || b === "") return Number(a === "") - Number(b === "");
    return sign * (isText ? a.localeCompare(b) : Number(a) - Number(b));
  });
  body.append(...ordered);
}

table.querySelectorAll("th[data-sort]").forEach((header, column) => {
  const isText = /** @type {HTMLElement} */ (header).dataset.sort === "text";
  const text = header.textContent ?? "";
  const button = el(
    "button",
    { type: "button" },
    text,
    el("span", { class: "arrow", "aria-hidden": "true" }),
  );
  button.addEventListener("click", () => {
    const before = header.getAttribute("aria-sort");
    const ascending = before ? before === "descending" : isText;
    for (const one of table.querySelectorAll("th[aria-sort]")) one.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    sort(column, isText, ascending ? 1 : -1);
  });
  header.replaceChildren(button);
});

buildTheme();
filter();
document.documentElement.dataset.ready = "true";
