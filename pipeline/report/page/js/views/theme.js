// @ts-check
// Light, dark, or as the system has it; remembered where the browser allows.

import { byId, switcher } from "../draw/dom.js";

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
