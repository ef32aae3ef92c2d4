// @ts-check
// Building elements. Text always goes in as text nodes, never as markup.

/** @typedef {string | Node | null | undefined} Child */
/** @typedef {Record<string, any>} Attributes text, numbers and booleans; functions listen to events */

const SVG_SPACE = "http://www.w3.org/2000/svg";

/**
 * @template {Element} Made
 * @param {Made} node
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {Made}
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (typeof value === "boolean" && name.startsWith("aria-")) node.setAttribute(name, String(value));
    else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export function svgEl(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG_SPACE, tag), attributes, children);
}

/**
 * Sets styles through the object model: the page's content security policy refuses style attributes.
 * @template {HTMLElement} Made
 * @param {Made} node
 * @param {Record<string, string>} styles
 */
export function styled(node, styles) {
  for (const [name, value] of Object.entries(styles)) node.style.setProperty(name, value);
  return node;
}

/** @param {string} id */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no element ${id}`);
  return node;
}

/** @type {(event: Event, selector: string) => HTMLElement | SVGElement | null} the nearest around an event */
export function eventElement(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

/**
 * What scrolls by itself where it is too wide or too high, with the keyboard, too.
 * @param {string} label
 * @param {...Child} children
 */
export function scrolled(label, ...children) {
  const region = { class: "scroll", tabindex: 0, role: "region", "aria-label": label };
  return el("div", region, ...children);
}

/**
 * A button that looks like a link.
 * @param {Child} content
 * @param {() => void} click
 * @param {Attributes} [attributes]
 */
export function quietButton(content, click, attributes = {}) {
  return el("button", { type: "button", class: "quiet", ...attributes, click }, content);
}

/**
 * A choice between few things as a row of radio buttons; calls `chosen` with the value.
 * @template {string} Key
 * @param {string} label
 * @param {string} name
 * @param {(Key | [Key, string])[]} choices values, with a text if they are not what they are called
 * @param {Key} value
 * @param {(key: Key) => void} chosen
 */
export function switcher(label, name, choices, value, chosen) {
  const pairs = choices.map((choice) =>
    Array.isArray(choice) ? choice : /** @type {const} */ ([choice, choice]),
  );
  const options = pairs.map(([key, text]) =>
    el(
      "label",
      {},
      el("input", { type: "radio", name, value: key, checked: key === value, change: () => chosen(key) }),
      el("span", {}, text),
    ),
  );
  return el("fieldset", { class: "switch" }, el("legend", {}, label), ...options);
}

/**
 * A choice between a logarithmic and a linear axis for each axis of a chart.
 * @param {string} name
 * @param {{x: boolean, y: boolean}} isLog follows the choice
 * @param {() => void} draw
 */
export function axisSwitches(name, isLog, draw) {
  return /** @type {const} */ (["x", "y"]).map((key) =>
    switcher(`${key} axis`, `${name}-${key}`, ["log", "linear"], isLog[key] ? "log" : "linear", (value) => {
      isLog[key] = value === "log";
      draw();
    }),
  );
}

/**
 * A choice between many things as a drop-down list; calls `chosen` with the value.
 * @template {string | number} Key
 * @param {string} label
 * @param {[Key, string][]} choices
 * @param {Key} value
 * @param {(key: Key) => void} chosen
 */
export function selector(label, choices, value, chosen) {
  const options = choices.map(([key, text]) => el("option", { value: key, selected: key === value }, text));
  const list = el("select", {}, ...options);
  list.addEventListener("change", () => chosen(choices[list.selectedIndex][0]));
  return el("label", { class: "select" }, el("span", {}, label), list);
}

/** @type {(host: Element, draw: () => void) => void} the focus goes to the element of the same `data-focus` */
export function keepingFocus(host, draw) {
  const active = document.activeElement;
  const key = active && host.contains(active) ? active.getAttribute("data-focus") : null;
  draw();
  if (key === null || active?.isConnected) return;
  const found = host.querySelector(`[data-focus="${CSS.escape(key)}"]`);
  if (found instanceof HTMLElement || found instanceof SVGElement) found.focus({ preventScroll: true });
}

/** @param {string} text @param {string} what @param {string} [label] */
export function copyButton(text, what, label = "Copy") {
  const button = el("button", { type: "button", class: "quiet", "aria-label": `Copy ${what}` }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Press Ctrl+C";
      getSelection()?.selectAllChildren(button.previousElementSibling ?? button);
    }
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  return button;
}

/** @type {WeakMap<Element, number>} */
const widths = new WeakMap(); // of elements that are watched

/** @param {HTMLElement} host @returns its width in pixels; if it is watched, known without a new layout */
export function widthOf(host) {
  return widths.get(host) || host.clientWidth;
}

/**
 * Keeps the width of an element known, and draws again whenever it changes.
 * @param {HTMLElement} host
 * @param {() => void} [draw] nothing if another element of the same width does
 */
export function onResize(host, draw) {
  let width = host.clientWidth;
  const watch = new ResizeObserver(() => {
    widths.set(host, host.clientWidth);
    if (host.clientWidth && host.clientWidth !== width) {
      width = host.clientWidth;
      if (draw) requestAnimationFrame(draw);
    }
  });
  watch.observe(host);
}
