// The target scale: one state that everything in the page follows.

const target = [...report.targets.at(-1)];
let chosenLevel = "regions";
const followers = [];
let pending = false;

function currentLevel() {
  return levels[chosenLevel];
}

// Calls `update` now and after every change of target or level; while its section is out of sight it waits.
function follow(section, update) {
  const follower = { update, visible: true, stale: false };
  followers.push(follower);
  new IntersectionObserver(([entry]) => {
    follower.visible = entry.isIntersecting;
    if (follower.visible && follower.stale) refresh(follower);
  }, { rootMargin: "300px" }).observe(section);
  update();
}

function refresh(follower) {
  follower.stale = false;
  follower.update();
}

function changed() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    for (const follower of followers) {
      if (follower.visible) refresh(follower);
      else follower.stale = true;
    }
  });
}

// Measured and asked-for scales attract the slider.
function snapped(d, value) {
  const marks = [...report.points, ...report.targets].map((point) => point[d]);
  const width = 0.006 * Math.log(report.reach[d] / report.first[d]);
  const near = marks.find((mark) => Math.abs(Math.log(value / mark)) <= width);
  return near ?? Number(value.toPrecision(3));
}

function scaleControl(d) {
  const [first, last] = [report.first[d], report.reach[d]];
  const name = report.parameters[d];
  const slider = el("input", { type: "range", min: 0, max: 1000, step: 1, id: `target-${d}`, list: `marks-${d}` });
  const number = el("input", { type: "number", min: first, max: last, step: "any", "aria-label": `Target ${name}` });
  const show = () => {
    slider.value = Math.round((1000 * Math.log(target[d] / first)) / Math.log(last / first));
    slider.setAttribute("aria-valuetext", `${name} = ${scaleText(target[d])}`);
    number.value = scaleText(target[d]);
  };
  const move = (value) => { target[d] = value; show(); changed(); };
  slider.addEventListener("input", () => {
    const value = snapped(d, first * (last / first) ** (slider.value / 1000));
    target[d] = value;
    number.value = scaleText(value);
    slider.setAttribute("aria-valuetext", `${name} = ${scaleText(value)}`);
    changed();
  });
  number.addEventListener("change", () => {
    const value = Number(number.value);
    move(value > 0 ? Math.min(Math.max(value, first), last) : target[d]);
  });
  show();
  const marks = [...new Set(report.points.map((point) => point[d]))].map((value) =>
    el("option", { value: Math.round((1000 * Math.log(value / first)) / Math.log(last / first)) }));
  const label = d === report.column ? "Target " : "at ";
  return { node: el("div", { class: "scale" },
    el("label", { for: `target-${d}` }, label, el("i", {}, name), " ="), number, slider,
    el("datalist", { id: `marks-${d}` }, ...marks)), move };
}

function buildControls() {
  const host = byId("controls");
  const movable = report.parameters.map((_, d) => d).filter((d) => report.reach[d] > report.first[d]);
  movable.sort((a, b) => (b === report.column) - (a === report.column));
  const controls = movable.map((d) => ({ d, ...scaleControl(d) }));
  const reset = el("button", { type: "button", class: "quiet", title: "Back to the target the report was made for",
    click: () => controls.forEach(({ d, move }) => move(report.targets.at(-1)[d])) }, "Reset");
  const level = switcher("Show", "level", [["regions", "Regions"], ["callpaths", "Call paths"]], chosenLevel,
    (value) => { chosenLevel = value; changed(); });
  host.replaceChildren(...controls.map(({ node }) => node), reset, level);
}
