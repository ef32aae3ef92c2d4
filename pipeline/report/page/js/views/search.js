// @ts-check
// The search of the kernels in sight: how many are found, and Enter, which goes on from one to the next.

import { el } from "../draw/dom.js";
import { DataTable } from "../draw/table.js";

/** @import { Row } from "../draw/table.js" */
/** @import { Address } from "../state.js" */

/**
 * @param {object} spec
 * @param {string} spec.label what it looks at
 * @param {string} [spec.hint] stands in it while it is empty
 * @param {string | null | undefined} spec.text what it opens with
 * @param {(text: string) => void} spec.search
 * @param {() => number[] | null} spec.found what has all words; null without words
 * @param {(k: number) => boolean} spec.at whether one of them is selected
 * @param {(k: number) => void} spec.goTo
 */
export function searchBox({ label, hint = "Search kernels", text, search, found, at, goTo }) {
  const title = "Enter goes to the next match, Shift and Enter to the one before";
  const box = el("input", { type: "search", placeholder: hint, title, "aria-label": label });
  box.value = text ?? "";
  const matches = el("span", { class: "matches", role: "status" });
  const update = () => {
    const all = found();
    const place = all?.findIndex(at) ?? -1;
    matches.textContent = all && (place < 0 ? `${all.length} found` : `${place + 1} of ${all.length}`);
  };
  box.addEventListener("input", () => {
    search(box.value);
    update();
  });
  box.addEventListener("keydown", ({ key, shiftKey }) => {
    const all = key === "Enter" ? (found() ?? []) : [];
    if (!all.length) return;
    const place = all.findIndex(at);
    goTo(all[(shiftKey ? Math.max(place, 0) + all.length - 1 : place + 1) % all.length]);
    update();
  });
  update();
  return { nodes: [box, matches], update };
}

/**
 * The search of the one table that a page has, whose rows are those that the address finds.
 * @param {object} spec
 * @param {string} spec.noun of its rows
 * @param {Address} spec.address
 * @param {DataTable} spec.table
 * @param {(row: Row) => boolean} spec.at whether a row is selected
 * @param {(row: Row) => void} spec.goTo selects a row, which is in sight by then
 */
export function tableSearch({ noun, address, table, at, goTo }) {
  return searchBox({
    label: `Search: ${noun.charAt(0).toUpperCase()}${noun.slice(1)}`,
    hint: `Search ${noun}`,
    text: address.kept.get("find"),
    search: (text) => {
      address.find(text);
      table.refresh();
    },
    found: () => (address.words.length ? table.found() : null),
    at,
    goTo: (row) => {
      table.showRow((one) => one === row);
      goTo(row);
    },
  });
}
