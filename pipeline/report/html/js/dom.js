// Building elements. Text always goes in as text nodes, never as markup.

const SVG_SPACE = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (typeof value === "boolean" && name.startsWith("aria-")) node.setAttribute(name, String(value));
    else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svgEl(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG_SPACE, tag), attributes, children);
}

// Sets styles through the object model: the page's content security policy refuses style attributes.
function styled(node, styles) {
  for (const [name, value] of Object.entries(styles)) node.style.setProperty(name, value);
  return node;
}

function byId(id) {
  return document.getElementById(id);
}

// A choice between few things as a row of radio buttons; calls `chosen` with the value.
function switcher(label, name, choices, value, chosen) {
  const options = choices.map(([key, text]) =>
    el("label", {},
      el("input", { type: "radio", name, value: key, checked: key === value, change: () => chosen(key) }),
      el("span", {}, text)));
  return el("fieldset", { class: "switch" }, el("legend", {}, label), ...options);
}

// A choice between many things as a drop-down list; calls `chosen` with the value as text.
function selector(label, choices, value, chosen) {
  const options = choices.map(([key, text, disabled]) =>
    el("option", { value: key, selected: String(key) === String(value), disabled }, text));
  return el("label", { class: "select" }, el("span", {}, label),
    el("select", { change: (event) => chosen(event.target.value) }, ...options));
}

function copyButton(text, what) {
  const button = el("button", { type: "button", class: "quiet", "aria-label": `Copy ${what}` }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Press Ctrl+C";
      getSelection().selectAllChildren(button.previousElementSibling ?? button.parentElement);
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return button;
}
