// @ts-check
// Tables that stand in the page without any script, as files.

import { el } from "./dom.js";
import { csvText, fileName, save } from "./files.js";

/**
 * @param {HTMLTableElement} table
 */
export function saveButton(table) {
  const name = table.dataset.file ?? "table";
  const click = () => save(fileName(name, "csv"), "text/csv", csvText(rowsOf(table)));
  const button = { type: "button", class: "quiet", "aria-label": `Save as CSV: ${name}`, click };
  return el("div", { class: "bar" }, el("button", button, "CSV"));
}

/** @param {HTMLTableElement} table */
function rowsOf(table) {
  return [...table.rows].map((row) => [...row.cells].map((cell) => (cell.textContent ?? "").trim()));
}
