// @ts-check
// The page's address and its sections: links to sections keep what was chosen, and an address brings both back.

import { saveButton } from "../draw/static_tables.js";

/** @import { Report } from "../data/report.js" */
/** @import { State } from "../state.js" */

/** @param {string} id */
function goTo(id) {
  const section = document.getElementById(id);
  if (!section) return;
  section.scrollIntoView();
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
}

/**
 * @param {Report} _
 * @param {State} state
 */
export function buildNavigation(_, state) {
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    const id = link.getAttribute("href")?.slice(1) ?? "";
    link.addEventListener("click", (event) => {
      event.preventDefault();
      state.keep("section", id);
      goTo(id);
    });
  }
  addEventListener("hashchange", () => {
    if (location.hash.slice(1) !== state.kept.toString()) location.reload();
  });
  addEventListener("beforeprint", () => state.changedEverywhere());
  for (const table of document.querySelectorAll("table.data[data-file]")) {
    table.parentElement?.before(saveButton(/** @type {HTMLTableElement} */ (table)));
  }
  const section = state.kept.get("section");
  if (section) requestAnimationFrame(() => goTo(section));
}
