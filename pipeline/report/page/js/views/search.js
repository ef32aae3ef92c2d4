// @ts-check
// The search of the kernels in sight: how many are found, and Enter, which goes on from one to the next.

import { el } from "../draw/dom.js";

/**
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
