// @ts-check
// Charts as pictures that stand alone: what style sheets say of an element is written into it.

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
];
const NOT_IN_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu; // names may have any character
const ENLARGED = 2; // pixels of a PNG per pixel of the page

/**
 * The text of an SVG file with a background and all styles.
 * @param {SVGSVGElement} svg
 */
export function standalone(svg) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const originals = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    if (style.display === "none") node.setAttribute("display", "none");
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value) node.setAttribute(name, value.replaceAll('"', "'"));
    }
    for (const name of ["class", "tabindex"]) node.removeAttribute(name);
  });
  const { width, height } = sizeOf(svg);
  const paper = document.createElementNS(svg.namespaceURI, "rect");
  const size = { width: String(width), height: String(height) };
  const fill = getComputedStyle(document.body).backgroundColor;
  for (const [name, value] of Object.entries({ ...size, fill })) paper.setAttribute(name, value);
  copy.prepend(paper);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  for (const [name, value] of Object.entries(size)) copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy).replace(NOT_IN_XML, "\ufffd");
}

/** @param {SVGSVGElement} svg */
function sizeOf(svg) {
  return { width: Number(svg.getAttribute("width")), height: Number(svg.getAttribute("height")) };
}

/**
 * @param {SVGSVGElement} svg
 * @returns {Promise<Blob>}
 */
export async function pngOf(svg) {
  const { width, height } = sizeOf(svg);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * ENLARGED;
  canvas.height = height * ENLARGED;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be made"))));
  });
}
