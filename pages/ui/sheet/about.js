// about.js: information about an item and its ratings: the header, whose scores are shown, why it needs review, what answers mean, the legend, the guidelines.

const MEASURES = {
  "self-consistency": "self-consistency: whether the judge gives the same score when it is asked again, in another order, or about other parts",
  "stated confidence": "stated confidence: what the judge says of itself",
  "token confidence": "token confidence: how probable its own score was to the judge",
  confidence: "confidence: how far the judge's score can be relied on, by its own account",
};
const NOTED = "assay:guidelines:", LEGEND = "assay:legend:"; // kept in this browser, by person: the version that they have seen; whether they closed the legend
const model = (name) => isolate(name.split("/").pop());

function drawHeader(d) {
  const { ui, view } = d, s = view && view.sheet;
  ui.title.textContent = s ? s.title || s.name : "";
  ui.title.lang = s ? langOf(s.title || "") || "" : "";
  ui.meta.replaceChildren(...(s ? metaOf(d, s) : []));
  ui.whys.replaceChildren(...(s ? chipsOf(d, view) : []));
  drawTips(d);
  drawMeaning(d, view);
  drawStatus(d);
}

function metaOf(d, s) {
  const parts = [isolate(s.dataset), s.title && s.title !== s.name ? isolate(s.name) : null, s.systems.map(isolate).join(" / "), s.choice ? `choice ${s.choice}` : null].filter(Boolean).join(" · ");
  const found = [parts], judges = s.mode === "blind" ? [] : s.judges;
  if (judges.length) {
    const one = judges.every((j) => j.model === judges[0].model), of = (j) => `${isolate(j.card)} ${j.version}`;
    const words = one ? `judge: ${model(judges[0].model)} (${judges.map(of).join(", ")})` : `judges: ${judges.map((j) => `${model(j.model)} (${of(j)})`).join(", ")}`;
    found.push(" · ", el("span", "who", words, { title: `whose scores are shown, and the version of the card: ${judges.map((j) => `${isolate(j.model)} with ${of(j)}`).join("; ")}` }));
  }
  if (d.guide) found.push(" ", button("guide", "guidelines", "h", "how to rate in this dataset"));
  return found;
}

function chipsOf(d, view) {
  const s = view.sheet, chips = [];
  s.why.forEach((why, i) => {
    const at = targetOf(view, why), text = (i ? "" : s.stream === "review" ? "review: " : "") + why.text + otherwise(view, view.cells[at], why);
    if (at < 0) return chips.push(el("span", "why", text, { title: "why this item is in your queue" }));
    const b = el("button", "why", text, { type: "button", "data-do": "doubt", "data-n": at, title: "why this item is in your queue: go to this rating" });
    if (!chips.some((chip) => chip.tagName === "BUTTON")) b.append(kbd("y"));
    chips.push(b);
  });
  if (s.mode === "blind") chips.push(el("span", "why blind", `blind: ${s.unnamed ? "the judge's scores and the names of the systems" : "the judge's scores"} are hidden until you have answered`));
  if (s.stream === "audit" && s.mode === "assisted") chips.push(el("span", "why shown", "audit sample, assisted share: the judge is shown on purpose, to measure anchoring"));
  if (s.mode === "revealed") chips.push(el("span", "why shown", `the judge is shown: ${agreed(view)}changes from here count as revealed`));
  if (s.synthetic) chips.push(el("span", "why plain", "synthetic"));
  if (d.inPast) chips.push(el("span", "why plain", "an item you answered before"));
  return chips;
}

// ---- the rating that a reason is about

function targetOf(view, { unit, dimension }) {
  if (!unit) return -1;
  const exact = view.index.get(cellKey(unit, dimension));
  return exact ? exact.i : view.cells.findIndex((c) => c.cell.unit === unit || c.cell.unit.startsWith(unit + "/"));
}

/** " (2, not 5)": what the other judge gave where the reason is that judges disagree. */
function otherwise(view, c, why) {
  const judge = c && judgeOf(view, c), plain = why.text.replace(TURNING, "");
  const theirs = judge ? c.cell.others.filter((o) => plain.includes(o.by.replace(TURNING, ""))).map((o) => o.t) : [];
  return theirs.length ? ` (${theirs.join(", ")}, not ${judge.exact || (stepOf(c, judge.v) || { t: "n/a" }).t})` : "";
}

/** The next rating that has a reason; after the last one, the first again. */
function nextDoubt(d) {
  const { view } = d, marked = view.cells.filter((c) => c.cell.reason).map((c) => c.i), named = view.sheet.why.map((why) => targetOf(view, why)).filter((i) => i >= 0);
  const all = [...new Set([...marked, ...named])].sort((a, b) => a - b);
  if (!all.length) return hint(d, "No reason here speaks of a single rating.");
  toDoubt(d, all.find((i) => i > view.here) ?? all[0]);
}

function toDoubt(d, i) {
  const c = d.view.cells[i];
  moveTo(d, i);
  say(d, `${cellName(d.view, c)}${c.cell.reason ? `: ${c.cell.reason}` : ""}`);
}

// ---- after a reveal

function differs(view, c) {
  const judge = judgeOf(view, c);
  return judge !== null && view.values.has(c.key) && !agrees(judge, view.values.get(c.key));
}

/** "5 agree, 9 differ (6 by one, 3 by more); " */
function agreed(view) {
  const both = view.cells.filter((c) => view.values.has(c.key) && judgeOf(view, c)), off = both.filter((c) => differs(view, c));
  if (!both.length) return "";
  const steps = off.filter((c) => /^ord/.test(c.cell.kind)).map((c) => [view.values.get(c.key), judgeOf(view, c).v]).filter(([a, b]) => a !== null && b !== null);
  const one = steps.filter(([a, b]) => Math.abs(a - b) <= 1).length, far = [one && `${one} by one`, steps.length - one && `${steps.length - one} by more`].filter(Boolean).join(", ");
  return `${both.length - off.length} agree, ${off.length} ${off.length === 1 ? "differs" : "differ"}${far ? ` (${far})` : ""}; `;
}

// ---- what the answers of the focused rating mean: one line above the footer, always there, so that nothing moves

function drawMeaning(d, view) {
  const { ui } = d, c = view && view.cells[view.here];
  if (!ui.meaning) ui.hints.before((ui.meaning = el("div", "meaning", null, { id: "meaning" })));
  ui.meaning.hidden = !c;
  if (!c || ui.meaning.of === c) return;
  ui.meaning.of = c;
  const ends = endsOf(c.cell), parts = [el("b", "", c.cell.label)];
  ends.forEach(([answer, words], i) => parts.push(i ? " · " : " ", el("span", "end", `${answer} = ${words}`)));
  if (c.cell.definition) parts.push(el("span", "defined", `${ends.length ? " — " : " "}${c.cell.definition}`));
  ui.meaning.replaceChildren(...parts);
  ui.meaning.title = meaningOf(c.cell);
}

const endsOf = ({ anchors }) => (anchors.length > 2 ? [anchors[0], anchors[anchors.length - 1]] : anchors);
const meaningOf = (cell) => [`${cell.label}: ${cell.definition}`, ...cell.anchors.map(([answer, words]) => `${answer} = ${words}`)].join("\n");

/** "low self-consistency", if it is not high; the whole note says what is high. */
const doubtOf = (judge) => (judge.level && judge.level !== "high" ? `${judge.level} ${judge.measure}` : "");
const certaintyOf = (judge) => `${MEASURES[judge.measure]} (from ${judge.source})`;

// ---- one line under the header: what the marks mean, until it is closed; and that the guidelines changed

function drawTips(d) {
  const { ui, view } = d, lines = [];
  if (!ui.tips) ui.header.after((ui.tips = el("div", "tips")));
  if (d.guide && box.get(NOTED + d.person + ":" + d.guide.dataset) !== d.guide.no) {
    const line = el("div", "tip news");
    line.append(el("span", "", d.guide.no > 1 ? `The guidelines changed on ${d.guide.on}.` : "This dataset has guidelines."), button("guide", "read them", "h", "how to rate in this dataset"), el("button", "x", "×", { type: "button", "data-do": "guideseen", "aria-label": "close this message" }));
    lines.push(line);
  }
  if (view && !box.get(LEGEND + d.person)) {
    const line = el("div", "tip");
    line.append(...legendOf(isBlind(view)), el("button", "x", "×", { type: "button", "data-do": "legend", "aria-label": "close the legend", title: "close; ? has it" }));
    lines.push(line);
  }
  ui.tips.replaceChildren(...lines);
}

function legendOf(blind) {
  const mark = (cls, words) => { const e = el("span", "key"); e.append(el("span", `step ${cls}`, "3", { "aria-hidden": "true" }), words); return e; };
  if (blind) return [mark("mine", "solid: your answer"), el("span", "key", "the judge's value is shown, dashed, once you have answered and ask for it (v)")];
  return [mark("judge", "dashed: the judge"), mark("mine", "solid: you"), mark("changed", "amber: you, where you differ"), mark("other", "dotted: another judge, or sample"),
    el("span", "key words", "low self-consistency: asked again, the judge gives another answer"), el("span", "key words", "low stated confidence: the judge says it is not sure")];
}

function turnLegend(d) {
  if (box.get(LEGEND + d.person)) box.drop(LEGEND + d.person); else box.set(LEGEND + d.person, 1);
  drawTips(d);
  closeCard(d);
}

// ---- the guidelines of the dataset

function takeGuide(d, guide) {
  const another = (d.guide && d.guide.no) !== (guide && guide.no);
  d.guide = guide;
  if (another && d.view) drawHeader(d);
}

function openGuide(d) {
  if (!d.guide) return hint(d, "This dataset has no guidelines yet. A lead writes them on the Queues page.");
  noteGuide(d);
  const body = judged(d.guide.text), top = el("div", "guidehead");
  body.classList.add("guide");
  top.append(el("b", "", `Guidelines of ${isolate(d.guide.dataset)}`), el("span", "count", `version ${d.guide.no}, ${d.guide.on}, ${isolate(d.guide.by)}`));
  openOver(d, "Guidelines", [top, body], "guidecard");
}

function noteGuide(d) {
  box.set(NOTED + d.person + ":" + d.guide.dataset, d.guide.no);
  drawTips(d);
}
