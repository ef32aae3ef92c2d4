// @ts-check
// Files that the browser saves: their names, and the buttons that make them.

import { quietButton } from "./dom.js";

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

/**
 * @param {string} kind of files
 * @param {string} name what the file shows
 * @param {() => void} click
 */
export function saveButton(kind, name, click) {
  const label = `Save as ${kind}`;
  return quietButton(kind, click, { "aria-label": `${label}: ${name}`, title: label });
}
