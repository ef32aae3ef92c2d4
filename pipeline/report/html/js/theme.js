// Light, dark, or as the system has it; remembered where the browser allows.

const THEME_KEY = "pipeline-report-theme";

function remembered() {
  try { return localStorage.getItem(THEME_KEY) ?? "auto"; } catch { return "auto"; }
}

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try { localStorage.setItem(THEME_KEY, theme); } catch { /* private windows keep nothing */ }
}

function buildTheme() {
  const theme = remembered();
  setTheme(theme);
  byId("theme").replaceChildren(switcher("Theme", "theme", [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]], theme, setTheme));
}
