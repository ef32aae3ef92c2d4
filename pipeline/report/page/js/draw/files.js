// @ts-check
// Files that a reader takes along: made in the page and saved by the browser, without any server.

/** @typedef {string | number | null | undefined} Cell */

/**
 * Rows as CSV (RFC 4180): numbers with all digits, nothing for what is not known.
 * @param {readonly (readonly Cell[])[]} rows
 */
export function csvText(rows) {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

/**
 * Names that spreadsheets would take for formulas get an apostrophe.
 * @param {Cell} cell
 */
function csvCell(cell) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return Number.isNaN(cell) ? "" : String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A name for a file, from the title of the page and what it shows: letters, digits and hyphens.
 * @param {string} what
 * @param {string} ending
 */
export function fileName(what, ending) {
  const title = document.querySelector("h1")?.textContent?.split(":")[0] ?? "report";
  const words = `${title} ${what}`.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return `${words.replace(/^-|-$/g, "").slice(0, 80)}.${ending}`;
}

/**
 * @param {string} name
 * @param {string} type
 * @param {string | Blob} content
 */
export function save(name, type, content) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
