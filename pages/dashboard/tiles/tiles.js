// A tile of the dashboard, drawn from what Python worked out: text is only ever set as text, and nothing is computed here
// but places in pixels. A click on a share sends {system, answer}: Python lists the items behind it. Enter, and a button at the foot, open what is behind the tile.
const NS = "http://www.w3.org/2000/svg";

function draw(tag, more) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(more)) node.setAttribute(name, value);
  return node;
}

function tip(node, text) {
  const title = draw("title", {});
  title.textContent = text;
  node.append(title);
  return node;
}

function within(cls, ...inner) {
  const node = el("div", cls);
  node.append(...inner);
  return node;
}

const place = (axis, value) => `${(100 * (value - axis.lo)) / (axis.hi - axis.lo)}%`;

function plot(axis, one) {
  const svg = draw("svg", { role: "img", "aria-label": one.told });
  for (const tick of axis.ticks) svg.append(draw("line", { class: "gridline", x1: place(axis, tick.at), x2: place(axis, tick.at), y1: 0, y2: "100%" }));
  if (one.low !== null) svg.append(draw("line", { class: "span", x1: place(axis, one.low), x2: place(axis, one.high), y1: "50%", y2: "50%" }));
  if (one.point !== null) svg.append(tip(draw("circle", { class: "dot", cx: place(axis, one.point), cy: "50%", r: 5.5 }), one.told));
  const own = draw("svg", { x: place(axis, one.judge), y: "50%", overflow: "visible" });
  own.append(tip(draw("path", { class: "own", d: one.point === null ? "M0 -6.5L6.5 0L0 6.5L-6.5 0Z" : "M0 -15L5 -10L0 -5L-5 -10Z" }), one.own));
  svg.append(own);
  return within("plot", svg);
}

function scale(axis) {
  const svg = draw("svg", { "aria-hidden": "true" });
  for (const tick of axis.ticks) {
    const text = draw("text", { x: place(axis, tick.at), y: 13, "text-anchor": "middle" });
    text.textContent = tick.t;
    svg.append(text);
  }
  return within("plot axis" + (axis.ticks.length > 7 ? " many" : ""), svg);
}

// The judge's answers in shades of its colour, from faint to full.
function shade(n, of) {
  const part = of < 2 ? 1 : n / (of - 1);
  return `color-mix(in srgb,var(--judge) ${Math.round(16 + 84 * part)}%,var(--ground))`;
}

function bar(one, count, click) {
  const line = el("div", "bar", "", { role: "group", "aria-label": one.spreadTold });
  for (const part of one.spread) {
    if (!part.share) continue;
    const button = el("button", "", part.share >= 0.13 ? part.t : "", { type: "button", title: part.label, "aria-label": part.label });
    button.style.cssText = `flex:${part.share} 1 0;--fill:${shade(part.answer, count)}`;
    button.onclick = () => click(one.system, part.answer);
    line.append(button);
  }
  return within("dist", line);
}

function spark(points, [low, high]) {
  const svg = draw("svg", { class: "spark", viewBox: "0 0 92 30", role: "img", "aria-label": points.map((p) => p.t).join("; ") });
  const at = (p, n) => [4 + (84 * n) / Math.max(1, points.length - 1), 25 - (20 * (p.v - low)) / (high - low)];
  svg.append(draw("path", { d: points.map((p, n) => `${n ? "L" : "M"}${at(p, n).join(" ")}`).join("") }));
  points.forEach((p, n) => svg.append(tip(draw("circle", { cx: at(p, n)[0], cy: at(p, n)[1], r: points.length > 12 ? 1.5 : 2.6 }), p.t)));
  return within("trend", svg);
}

function row(data, one, click) {
  const line = el("div", "row"), figure = el("div", one.point === null ? "figure own" : "figure");
  figure.append(el("b", "", one.figure), el("span", "", one.span));
  if (one.own_told) figure.append(el("span", "judge", one.own_told));
  const rest = el("div", "rest");
  rest.append(el("span", "", one.items));
  for (const note of one.notes) {
    if (note.answer === undefined) rest.append(el("span", "", note.t));
    else {
      const button = el("button", "", note.t, { type: "button", "aria-label": note.label });
      button.onclick = () => click(one.system, note.answer);
      rest.append(button);
    }
  }
  line.append(el("div", "name", one.name), figure, plot(data.axis, one), bar(one, data.answers.length, click));
  if (data.trend) line.append(spark(one.trend, data.trend));
  line.append(rest);
  return line;
}

function names(data) {
  const line = el("div", "row names"), keys = el("div", "keys");
  data.answers.forEach((answer, n) => {
    const key = el("span"), dot = el("i");
    dot.style.cssText = `--fill:${shade(n, data.answers.length)}`;
    key.append(dot, answer);
    keys.append(key);
  });
  const answers = within("", el("span", "", data.words.answers), keys);
  line.append(el("div", "", ""), el("div", "", data.words.figure), scale(data.axis), answers);
  if (data.trend) line.append(el("div", "trend", data.words.trend));
  line.append(el("div", "", ""));
  return line;
}

function legend(words) {
  const line = el("div", "legend"), people = el("span"), judge = el("span");
  const solid = draw("svg", { viewBox: "0 0 30 14" }), dashed = draw("svg", { viewBox: "-15 -7 30 14" });
  solid.append(draw("line", { class: "span", x1: 2, x2: 28, y1: 7, y2: 7 }), draw("circle", { class: "dot", cx: 15, cy: 7, r: 5 }));
  dashed.append(draw("path", { class: "own", d: "M0 -5.5L5.5 0L0 5.5L-5.5 0Z" }));
  people.append(solid, words.people);
  judge.append(dashed, words.judge);
  line.append(people, judge);
  return line;
}

function fold(title, inner) {
  const node = el("details");
  node.append(el("summary", "", title), inner);
  return node;
}

function pairs(found) {
  const list = el("ul");
  for (const pair of found) list.append(el("li", pair.apart ? "apart" : "", pair.t));
  return list;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const tile = parentElement.querySelector(".tile");
  const opened = [...tile.querySelectorAll("details[open] > summary")].map((s) => s.textContent);
  const click = (system, answer) => setTriggerValue("clicked", { system, answer });
  tile.setAttribute("aria-label", data.title);
  const head = el("div", "head");
  const open = () => setTriggerValue("opened", true);
  head.append(el("h3", "title", data.title), el("span", "unit", data.unit));
  for (const badge of data.badges) head.append(el("span", badge.made ? "badge made" : "badge", badge.t, badge.help ? { title: badge.help } : {}));
  head.append(el("span", "by", data.by));
  const grid = el("div", data.trend ? "grid runs" : "grid");
  const first = data.systems.findIndex((one) => one.point === null);
  grid.append(names(data));
  data.systems.forEach((one, n) => {
    if (n && n === first) grid.append(el("div", "few", data.words.few));
    grid.append(row(data, one, click));
  });
  const foot = el("div", "foot");
  const behind = el("button", "behind", data.words.open, { type: "button", "aria-haspopup": "dialog", "aria-label": `${data.title}: ${data.words.open}` });
  behind.onclick = open;
  tile.tabIndex = 0;
  tile.onkeydown = (event) => event.key === "Enter" && event.target === tile && open();
  foot.append(legend(data.words), behind);
  if (data.pairs.length) foot.append(fold(data.words.pairs, pairs(data.pairs)));
  for (const one of data.tables) foot.append(fold(one.title, within("wide", textTable(one.columns, one.rows))));
  const today = data.today ? [el("p", "today", data.today)] : [];
  tile.replaceChildren(head, ...today, el("p", "reading", data.reading), grid, foot);
  if (data.focus) setTimeout(() => tile.focus({ preventScroll: true }), 300); // once the dialog over the page has gone
  for (const node of tile.querySelectorAll("details")) node.open = opened.includes(node.firstChild.textContent);
}
