// @ts-check
// What all pages have: an address that keeps what was chosen and brings it back, links to sections, and the search
// of the kernels in sight.

import { el } from "../draw/dom.js";
import { tableTools } from "../draw/files.js";

/** @import { Address } from "../state.js" */

/** @param {string} id */
function goTo(id) {
  const section = document.getElementById(id);
  if (!section) return;
  section.dataset.chosen = "true"; // is printed
  section.scrollIntoView();
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
}

/**
 * What comes last on every page: links to sections and a changed address that are followed, and tables without
 * a script of their own that can be saved.
 * @param {Pick<Address, "keep" | "kept">} address
 */
export function followAddress(address) {
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    const id = link.getAttribute("href")?.slice(1) ?? "";
    link.addEventListener("click", (event) => {
      event.preventDefault();
      address.keep("section", id);
      goTo(id);
    });
  }
  addEventListener("popstate", () => {
    if (location.hash.slice(1) !== address.kept.toString()) location.reload();
  });
  for (const table of document.querySelectorAll("table.data[data-file]")) {
    table.parentElement?.before(tableTools(/** @type {HTMLTableElement} */ (table)));
  }
  const section = address.kept.get("section");
  const top = history.state?.top;
  if (top !== undefined) requestAnimationFrame(() => scrollTo(0, top));
  else if (section) requestAnimationFrame(() => goTo(section));
  document.documentElement.dataset.ready = "true";
}

/** Lets the load event come: all is drawn, also for a picture of the whole page that is taken at it. */
export function drawn() {
  document.getElementById("until-drawn")?.remove();
}

/**
 * How many kernels are found, and Enter, which goes on from one to the next.
 * @param {object} spec
 * @param {string} spec.label what it looks at
 * @param {string | null | undefined} spec.text what it opens with
 * @param {(text: string) => void} spec.search
 * @param {() => number[] | null} spec.found what has all words; null without words
 * @param {(k: number) => boolean} spec.at whether one of them is selected
 * @param {(k: number) => void} spec.goTo
 */
export function searchBox({ label, text, search, found, at, goTo }) {
  const title = "Enter goes to the next match, Shift and Enter to the one before";
  const box = el("input", { type: "search", placeholder: "Search kernels", title, "aria-label": label });
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
