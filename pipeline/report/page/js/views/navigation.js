// @ts-check
// The page's address, its sections and its theme: links to sections keep what was chosen, and an address brings both back.

import { byId, switcher } from "../draw/dom.js";
import { tableTools } from "../draw/files.js";

/** @import { Address, State } from "../state.js" */

/** @typedef {"auto" | "light" | "dark"} Theme */

const KEY = "pipeline-report-theme";

/** @returns {Theme} */
function remembered() {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : "auto";
  } catch {
    return "auto";
  }
}

/** @param {Theme} theme */
function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // private windows keep nothing
  }
}

export function buildTheme() {
  const theme = remembered();
  setTheme(theme);
  /** @type {[Theme, string][]} */
  const themes = [
    ["auto", "Auto"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  byId("theme").replaceChildren(switcher("Theme", "theme", themes, theme, setTheme));
}

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
 * Lets links to sections and a changed address be followed, and tables without a script of their own be saved.
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
}

/** @param {State} state */
export function buildNavigation(state) {
  followAddress(state);
  addEventListener("beforeprint", () => state.changedEverywhere());
}
