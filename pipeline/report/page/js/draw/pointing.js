// @ts-check
// What pointers and keys do over charts: a reading line follows the pointer, and stays where a click pins it; a dragged
// rectangle zooms, Shift and dragging moves, a double click goes back; on the keyboard + and - zoom, arrows move,
// Escape goes back.

import { el, styled, svgEl } from "./dom.js";

/** @import { Range } from "./axes.js" */
/** @import { Box, Chart } from "./chart.js" */

/** @typedef {{x: Range | null, y: Range | null}} Zoom domains of the axes, null as the chart has them */

const DRAGGED = 6; // pixels from which a press is no click
const FLAT = 14; // pixels up to which a dragged rectangle is a range of the horizontal axis alone
export const FACTOR = 1.4; // of a step of zooming
const TWICE = 400; // milliseconds of a double click
const MOVE = 0.15; // of the width

/** @type {WeakMap<Element, Zoom>} */
const zooms = new WeakMap();
/** @type {WeakMap<Element, number>} */
const pins = new WeakMap();

/** @param {Element} host */
export function zoomOf(host) {
  return zooms.get(host);
}

/** @type {(chart: Chart, pixels: Box) => Zoom} the domains that a rectangle of pixels has */
export function domainsOf({ x, y }, { left, right, top, bottom }) {
  return { x: [x.invert(left), x.invert(right)], y: [y.invert(bottom), y.invert(top)] };
}

/**
 * Lets a chart be zoomed, moved and pinned.
 * @param {HTMLElement} host what the chart is drawn into
 * @param {() => Chart | undefined} chart
 * @param {() => void} draw
 */
export function zoomable(host, chart, draw) {
  /** @param {Zoom | null} zoom */
  const show = (zoom) => {
    if (zoom) zooms.set(host, zoom);
    else zooms.delete(host);
    draw();
  };
  /** @param {Box} pixels */
  const look = (pixels) => {
    const shown = chart();
    if (shown) show(domainsOf(shown, pixels));
  };
  const reset = () => {
    pins.delete(host);
    show(null);
  };
  /** @param {number} factor */
  const scale = (factor) => {
    const box = chart()?.box;
    if (!box) return;
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const [wide, high] = [(box.right - x) * factor, (box.bottom - y) * factor];
    look({ left: x - wide, right: x + wide, top: y - high, bottom: y + high });
  };
  /** @type {(dx: number, dy: number) => void} */
  const move = (dx, dy) => {
    const box = chart()?.box;
    if (!box) return;
    look({ left: box.left - dx, right: box.right - dx, top: box.top - dy, bottom: box.bottom - dy });
  };
  let last = -Infinity; // when it was clicked: drawing replaces what a double click would be of
  const click = (/** @type {number} */ px) => {
    const now = performance.now();
    const twice = now - last < TWICE;
    last = twice ? -Infinity : now;
    if (twice) {
      reset();
      return;
    }
    const shown = chart();
    if (pins.has(host)) pins.delete(host);
    else if (shown) pins.set(host, shown.x.invert(px));
    draw();
  };
  host.addEventListener("pointerdown", (event) => press(event, chart, look, move, click));
  host.addEventListener("keydown", (event) => {
    const wide = (chart()?.width ?? 0) * MOVE;
    /** @type {Record<string, () => void>} */
    const acts = {
      "+": () => scale(1 / FACTOR),
      "=": () => scale(1 / FACTOR),
      "-": () => scale(FACTOR),
      ArrowLeft: () => move(wide, 0),
      ArrowRight: () => move(-wide, 0),
      ArrowUp: () => move(0, wide / 2),
      ArrowDown: () => move(0, -wide / 2),
      Escape: reset,
    };
    if (!acts[event.key] || event.target !== host.querySelector("svg")) return;
    event.preventDefault();
    acts[event.key]();
    host.querySelector("svg")?.focus();
  });
  return { scale, reset };
}

/**
 * @param {PointerEvent} event
 * @param {() => Chart | undefined} chart
 * @param {(pixels: Box) => void} look
 * @param {(dx: number, dy: number) => void} move
 * @param {(px: number) => void} click
 */
function press(event, chart, look, move, click) {
  const shown = chart();
  if (!shown || event.button !== 0) return;
  const frame = shown.root.getBoundingClientRect();
  const { box } = shown;
  /** @type {(at: PointerEvent) => [number, number]} */
  const place = (at) => [at.clientX - frame.left, at.clientY - frame.top];
  const [x0, y0] = place(event);
  const selects = event.target instanceof Element && event.target.matches(".line, .band.solid");
  if (x0 < box.left || x0 > box.right || y0 > box.bottom) return;
  const brush = svgEl("rect", { class: "brush" });
  shown.over.append(brush);
  /** @param {PointerEvent} at */
  const reached = (at) => {
    const [x, y] = place(at).map((value, i) =>
      i ? clamped(value, box.top, box.bottom) : clamped(value, box.left, box.right),
    );
    const flat = Math.abs(y - y0) < FLAT;
    return {
      left: Math.min(x, x0),
      right: Math.max(x, x0),
      top: flat ? box.top : Math.min(y, y0),
      bottom: flat ? box.bottom : Math.max(y, y0),
      flat,
    };
  };
  /** @param {PointerEvent} at */
  const drag = (at) => {
    if (at.shiftKey) return;
    const { left, right, top, bottom } = reached(at);
    const size = { x: left, y: top, width: right - left, height: bottom - top };
    for (const [name, value] of Object.entries(size)) brush.setAttribute(name, String(value));
  };
  /** @param {PointerEvent} at */
  const release = (at) => {
    removeEventListener("pointermove", drag);
    brush.remove();
    const [x, y] = place(at);
    const far = Math.hypot(x - x0, y - y0) >= DRAGGED;
    if (far && at.shiftKey) move(x - x0, y - y0);
    else if (far && Math.abs(x - x0) >= DRAGGED) look(reached(at));
    else if (!far && !selects) click(x);
  };
  addEventListener("pointermove", drag);
  addEventListener("pointerup", release, { once: true });
}

/** @type {(value: number, low: number, high: number) => number} */
function clamped(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/** @typedef {[string, string, string]} Reading class of the colour, name, value */

/**
 * What a chart says of the place that the pointer is over, or that a click has pinned.
 * @param {HTMLElement} host what the chart was drawn into
 * @param {Chart} chart
 * @param {{snap: (x: number) => number, title: (x: number) => string, rows: (x: number) => Reading[]}} spec
 *   snap: the nearest place that has readings
 */
export function addReadings(host, chart, { snap, title, rows }) {
  const line = svgEl("line", { class: "reading", y1: chart.box.top, y2: chart.box.bottom });
  const box = el("div", { class: "readings", hidden: true, "aria-hidden": true });
  chart.over.append(line);
  host.append(box);
  /** @param {number} value */
  const show = (value) => {
    const place = snap(value);
    const px = chart.x(place);
    line.style.display = "";
    line.setAttribute("x1", String(px));
    line.setAttribute("x2", String(px));
    box.hidden = false;
    const nodes = rows(place).map(([cls, name, text]) =>
      el(
        "div",
        {},
        el("span", { class: `swatch ${cls}` }),
        el("span", { class: "what" }, name),
        el("span", {}, text),
      ),
    );
    box.replaceChildren(el("b", {}, title(place)), ...nodes);
    const left = px > chart.width / 2 ? px - box.offsetWidth - 14 : px + 14;
    styled(box, { left: `${Math.max(left, 0)}px`, top: `${chart.box.top + 4}px` });
  };
  const rest = () => {
    const pin = pins.get(host);
    if (pin !== undefined && chart.x(pin) >= chart.box.left && chart.x(pin) <= chart.box.right) {
      show(pin);
      return;
    }
    box.hidden = true;
    line.style.display = "none";
  };
  rest();
  chart.root.addEventListener("pointerleave", rest);
  chart.root.addEventListener("pointermove", (event) => {
    const px = event.clientX - chart.root.getBoundingClientRect().left;
    if (pins.has(host) || px < chart.box.left || px > chart.box.right) rest();
    else show(chart.x.invert(px));
  });
}
