// A reading line that follows the pointer over a chart.

// `rows(scale)` returns what to tell there, as [colour class, name, value] lines.
function readings(chart, rows) {
  const line = svgEl("line", { class: "reading", y1: chart.box.top, y2: chart.box.bottom });
  const box = el("div", { class: "readings", hidden: true, "aria-hidden": true });
  const host = chart.root.parentElement;
  chart.over.append(line);
  host.append(box);
  const hide = () => { box.hidden = true; line.style.display = "none"; };
  hide();
  chart.root.addEventListener("pointerleave", hide);
  chart.root.addEventListener("pointermove", (event) => {
    const px = event.clientX - chart.root.getBoundingClientRect().left;
    if (px < chart.box.left || px > chart.box.right) { hide(); return; }
    const scale = snapped(report.column, chart.x.invert(px));
    line.style.display = "";
    line.setAttribute("x1", chart.x(scale));
    line.setAttribute("x2", chart.x(scale));
    box.hidden = false;
    box.replaceChildren(el("b", {}, `${scaled} = ${scaleText(scale)}`), ...rows(scale).map(([cls, name, value]) =>
      el("div", {}, el("span", { class: `swatch ${cls}` }), el("span", { class: "what" }, name), el("span", {}, value))));
    const left = px > chart.width / 2 ? px - box.offsetWidth - 14 : px + 14;
    styled(box, { left: `${Math.max(left, 0)}px`, top: `${chart.box.top + 4}px` });
  });
}
