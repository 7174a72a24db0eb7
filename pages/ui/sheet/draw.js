// draw.js: a view becomes a tree of elements. Text is only ever set as text; markdown.js formats judged texts. Elements that a person who labels blind must not see are never made.

/** Streamlit's theme, by the colour of its page. */
function themeOf(root) {
  const [r, g, b] = getComputedStyle(root).backgroundColor.match(/[\d.]+/g).map(Number);
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255 < 0.45 ? "dark" : "light";
}

/** The language of a text, so that Chinese and Japanese get their own shapes and line breaks. */
function langOf(text) {
  const t = text.length > 4000 ? text.slice(0, 4000) : text;
  if (/[\u3040-\u30ff\uff66-\uff9f]/.test(t)) return "ja";
  if (/[\uac00-\ud7af]/.test(t)) return "ko";
  return /[\u4e00-\u9fff]/.test(t) ? "zh" : null;
}

/** Adds break points to extremely long words of a tree: without them, Chromium searches for seconds for a place to break. */
function breakable(tree) {
  const walk = document.createTreeWalker(tree, NodeFilter.SHOW_TEXT), long = [];
  while (walk.nextNode()) if (LONG_WORD.test(walk.currentNode.data)) long.push(walk.currentNode);
  for (const node of long) node.replaceWith(...node.data.split(LONG_WORD).flatMap((part, n) => (!part ? [] : n % 2 ? [part, document.createElement("wbr")] : [part])));
  return tree;
}
const LONG_WORD = /(\S{999}[^\s\ud800-\udbff](?=\S))/;

function prose(cls, text) {
  const e = breakable(el("div", cls, text));
  const lang = langOf(text);
  if (lang) e.lang = lang;
  return e;
}

const ROLE = { user: "user", assistant: "bot", a: "bot", b: "bot", output: "bot", reference: "ref", system: "sys", tool: "tool" };
const weight = (text) => (!text ? 0 : text.length * (langOf(text) ? 1.9 : 1) + 40 * text.slice(0, 2000).split("\n").length);

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g, DEEPEST = 24;

/** JSON as readable lines; anything else unchanged. Every number, name and order stays as it was written: parsed, 12345678901234567890 would be another. */
function pretty(text) {
  if (!/^\s*[[{]/.test(text)) return text;
  try { JSON.parse(text); } catch { return text; }
  const parts = [];
  let depth = 0, last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const opened = /^[[{]$/.test(last), closes = /^[\]}]$/.test(token);
    if (closes) depth--;
    if (opened !== closes || last === ",") parts.push("\n" + "  ".repeat(Math.min(depth, DEEPEST)));
    parts.push(token === ":" ? ": " : token[0] === '"' ? JSON.stringify(JSON.parse(token)) : token);
    if (/^[[{]$/.test(token)) depth++;
    last = token;
  }
  return parts.join("");
}

/** A folded part: one line; its content is made only when it is opened. */
function drawFold(cls, label, begin, make) {
  const e = el("details", "folded " + cls), line = el("summary", "");
  line.append(...(typeof label === "string" ? [el("span", "label", label)] : label), el("span", "begin", begin.slice(0, 200).replace(/\s+/g, " ")));
  e.append(line);
  e.addEventListener("toggle", () => { if (!e.open || e.childNodes.length > 1) return; const body = el("div", "clip"); body.append(make()); body.tabIndex = 0; body.setAttribute("role", "group"); body.setAttribute("aria-label", line.querySelector(".label").textContent); e.append(body); });
  return e;
}

/** A call of a tool, or its result. */
function drawTool(t) {
  const e = drawFold("text tool", t.label, t.text, () => prose("prose", pretty(t.text)));
  e.dataset.role = "tool";
  return e;
}

const lengthOf = (text) => `${text.length.toLocaleString("en")} characters`;
const partsOf = (t) => t.parts || [{ why: "", text: t.text }];
/** The part of a text that is not folded. */
const readOf = (t) => (t.parts ? t.parts.filter((p) => !p.why).map((p) => p.text).join("").trim() : t.text);

/** The folded parts of a model's text: its thinking, or what may be thinking, and parts that nobody judged. */
function drawThinking({ why, text }) {
  const plain = why === "thinking";
  return drawFold("think" + (plain ? "" : " odd"), [el("span", "label", why), el("span", "count", lengthOf(text))], plain ? text.replace(/^<\w+>|<\/\w+>$/g, "") : "", () => judged(text));
}

const isBlank = (text) => /^[\s\p{Cf}]*$/u.test(text); // characters without width are invisible too
const SPEAKERS = { user: "user", assistant: "assistant", output: "response", a: "response", b: "response" };

function drawText(t, label) {
  if (t.role === "tool") return drawTool(t);
  if (t.fold) return drawFold("text reference", [el("span", "label", label), el("span", "count", lengthOf(t.text))], t.text, () => judged(t.text));
  const block = el("div", "text " + ROLE[t.role], null, { "data-role": t.role }), said = readOf(t);
  if (label) block.append(el("span", "label", label));
  else if (t.role) { block.setAttribute("role", "group"); block.setAttribute("aria-label", t.role); } // otherwise only its shape shows who speaks
  if (said === null) block.append(el("div", "absent", "This text is not in the files."));
  else if (t.absent) block.append(el("div", "absent", "This response has no such section."));
  else if (SPEAKERS[t.role] && isBlank(said)) block.append(...partsOf(t).filter((p) => p.why).map(drawThinking), el("div", "absent", `The ${SPEAKERS[t.role]} says nothing ${t.parts ? "besides" : "here"}.`));
  else for (const part of partsOf(t)) if (part.why) block.append(drawThinking(part)); else if (!isBlank(part.text) || !t.parts) block.append(judged(part.text));
  for (const mark of t.marks || []) block.append(el("div", "mark", mark));
  return block;
}

/** Each judge's answers for a row, one line each; its texts are made only when it is opened. */
function drawJudgments(row) {
  const box2 = el("div", "judgments", null, { role: "group", "aria-label": "every judge" });
  for (const said of row.judgments) {
    const own = said.main && row.groups[0] && row.groups[0].cells[0].judge;
    const line = [el("b", "value" + (said.main ? " main" : ""), said.t || "–"), el("span", "label", said.judge), el("span", "count", said.prompt)];
    box2.append(drawFold("judgment", line, "", () => {
      const body = el("div", "said");
      for (const one of said.texts) {
        const text = one.text ?? (own ? own.note : "");
        if (one.why) body.append(el("div", "rule", `no rating: ${one.why}`)); else if (one.t) body.append(el("div", "def", `rated ${one.t}`));
        body.append(text ? judged(text) : el("div", "absent", "This judge wrote no text."));
      }
      return body;
    }));
  }
  return box2;
}

const LABELS = { reference: "reference", system: "system" };

function drawHead(view) {
  const head = el("div", "head");
  for (const { label, text, fold, turns = [] } of view.sheet.head) {
    const block = el("div", "part" + (fold ? " fold" : "")), name = el("span", "label", label), long = fold && text.length > 600;
    const body = turns.length ? el("div", "prose talk") : judged(text);
    for (const t of turns) body.append(drawText(t, t.label || LABELS[t.role] || t.role));
    if (fold) {
      const top = el("div", "partline");
      top.append(name, el("span", "count", text.length.toLocaleString("en") + " characters"));
      if (long) { const b = el("button", "quiet", "show all", { type: "button", "data-do": "fold", "aria-expanded": "false" }); b.append(kbd("l")); top.append(b); }
      block.append(top);
    } else if (!turns.length) block.append(name);
    if (long) { body.classList.add("clip"); body.tabIndex = 0; body.setAttribute("role", "group"); body.setAttribute("aria-label", label); }
    block.append(body);
    head.append(block);
  }
  return head;
}

const kbd = (key) => el("kbd", "", key);
const unread = (key) => el("kbd", "", key, { "aria-hidden": "true" });

function button(what, label, key, title) {
  const b = el("button", "quiet", null, { type: "button", "data-do": what, title });
  b.append(el("span", "", label));
  if (key) b.append(unread(key));
  if (/^[a-z?[\]]$/.test(key)) b.setAttribute("aria-keyshortcuts", key);
  return b;
}

/** The line above the texts: what the item is, the progress, and what is saved. */
function header(ui) {
  ui.header = el("header", "top");
  ui.title = el("h1", "title");
  for (const name of ["meta", "progress", "status"]) ui[name] = el("span", name);
  ui.names = el("div", "names");
  const right = el("span", "right");
  ui.names.append(ui.title, ui.meta);
  right.append(ui.progress, ui.status);
  ui.header.append(ui.names, right);
}

const isPart = (step) => /^\d\.\d$/.test(step.t);
const isWord = (step) => !isPart(step) && (String(step.t).length > 2 || /[\u2e80-\uffff]/.test(step.t));
const stepWidth = (step) => (!isWord(step) ? (TOUCH ? 50 : 29) : 17 + [...String(step.t)].reduce((w, ch) => w + (ch > "\u2e80" ? 12.5 : 6), 0));

/** One width for all names of an item, so that its scales stand in one line. */
function nameWidth(view) {
  const longest = Math.max(...view.cells.map((c) => [...c.cell.label].reduce((w, ch) => w + (ch > "\u2e80" ? 13.5 : 6.7), 0)), 0);
  return Math.round(Math.min(142, Math.max(72, longest + 8)));
}

function drawStep(c, step) {
  const b = el("span", "step", step.t, { role: c.cell.range ? "button" : "radio", tabindex: "-1", "data-v": step.v === null ? "na" : step.v });
  if (step.v === null) b.classList.add("na");
  else if (c.cell.kind === "turn" && step.v === 0) b.classList.add("na");
  if (isWord(step) || c.cell.range) b.classList.add("word");
  else if (isPart(step)) b.classList.add("part");
  b.setAttribute("aria-label", step.t);
  return b;
}

/** The field for a typed number. It accepts digits only: every other key keeps its usual meaning. */
function drawField(c) {
  const { range, label } = c.cell;
  return el("input", "num", null, { type: "text", inputmode: "decimal", role: "spinbutton", autocomplete: "off", spellcheck: "false", maxlength: "24", tabindex: "-1",
    "aria-valuemin": range.lo, "aria-valuemax": range.hi, placeholder: `${numeral(range.lo)}–${numeral(range.hi)}`, title: `${label}: type a number from ${numeral(range.lo)} to ${numeral(range.hi)}; Enter takes it` });
}

/** The text next to a judge's value; the part that may be left out comes last. */
function toldOf(judge) {
  const doubt = judge.rule ? "breaks a rule" : doubtOf(judge), level = judge.rule || !doubt ? doubt : judge.level;
  return [[judge.exact, level].filter(Boolean).join(" · "), doubt.slice(level.length).trim()].filter(Boolean);
}

function drawCell(view, c) {
  const { cell } = c, judge = judgeOf(view, c);
  const e = el("div", "cell" + (cell.optional ? " optional" : "") + (cell.reason && !isBlind(view) ? " doubt" : ""), null, { role: cell.range ? "group" : "radiogroup", "data-unit": cell.unit, "data-dimension": cell.dimension, "data-i": c.i });
  const scale = el("span", "scale");
  e.append(el("span", "name", cell.label, { title: (cell.reason && !isBlind(view) ? `needs a look: ${cell.reason}\n` : "") + meaningOf(cell) + (cell.optional ? " The judge states it; your answer is welcome and not needed." : "") }));
  const many = c.choices.length > 7;
  let width = 0;
  if (cell.range) { c.input = drawField(c); scale.append(c.input); width += 66; }
  for (const step of c.choices) {
    const b = drawStep(c, step);
    c.steps.push(b);
    scale.append(b);
    width += stepWidth(step) - (many ? 3 : 0);
  }
  if (many) e.classList.add("many");
  const told = judge ? toldOf(judge) : [];
  if (told.length && !TOUCH) width += 6.2 * told[0].length; // its words are shortened if there is no room, and never cover a button
  if (view.nameWidth + width > 380) e.classList.add("wide"); // the scale gets a line of its own
  e.append(scale);
  if (told.length) {
    const sure = el("span", "sure" + (judge.rule || judge.level === "low" ? " low" : judge.level === "medium" ? " mid" : ""), null,
      { title: judge.exact ? `${judge.samples.length > 1 ? "its samples combine to" : "the judge says"} ${judge.exact}; ${judge.between ? "the answers on both sides of it are marked: choose one" : "the nearest answer is marked"}` : judge.rule || `${doubtOf(judge)}: ${certaintyOf(judge)}` });
    sure.append(...told.flatMap((words, i) => (i ? [" ", el("span", "", words)] : [el("span", "", words)])));
    e.append(sure);
  }
  c.el = e;
  return e;
}

/** Paints the values of one cell: dashed = the judge, solid = the person, amber = changed. */
function markCell(view, c) {
  const judge = judgeOf(view, c), has = view.values.has(c.key), own = view.values.get(c.key);
  let roving = null;
  c.choices.forEach((step, i) => {
    const b = c.steps[i], theirs = judge !== null && agrees(judge, step.v), mine = has && own === step.v && !(c.input && step.v !== null);
    b.classList.toggle("judge", theirs);
    b.classList.toggle("mine", mine);
    b.classList.toggle("changed", mine && judge !== null && !theirs);
    b.setAttribute(c.input ? "aria-pressed" : "aria-checked", mine ? "true" : "false");
    const others = isBlind(view) ? [] : c.cell.others.filter((o) => o.v === step.v).map((o) => o.by);
    if (theirs) b.setAttribute("aria-label", judge.between ? `${step.t}, beside the judge's value` : `${step.t}, the judge's value`);
    if (others.length && !theirs) { b.classList.add("other"); b.title = others.join(", "); b.setAttribute("aria-label", `${step.t}, the value of ${others.join(" and ")}`); }
    b.tabIndex = -1;
    if (mine || (!has && theirs)) roving = b;
  });
  if (c.input) markField(c, has, own, judge);
  c.active = c.input || roving || c.steps[0];
  if (c.active) c.active.tabIndex = 0;
  c.el.classList.toggle("given", has);
  c.el.classList.toggle("differs", view.sheet.mode === "revealed" && differs(view, c));
  const name = cellName(view, c);
  c.el.setAttribute("aria-label", name);
  if (c.input) c.input.setAttribute("aria-label", name);
}

function markField(c, has, own, judge) {
  const { input } = c, given = has && own !== null;
  input.value = input.dataset.shown = !given ? "" : judge !== null && judge.v === own ? c.choices[0].t : numeral(own);
  input.classList.toggle("mine", given);
  input.classList.toggle("changed", given && judge !== null && judge.v !== own);
  input.removeAttribute("aria-invalid");
  if (given) input.setAttribute("aria-valuenow", own); else input.removeAttribute("aria-valuenow");
  if (input.getRootNode().activeElement === input) input.select(); // typing replaces it
  input.setAttribute("aria-valuetext", given ? numeral(own) : has ? "n/a" : "no answer");
}

/** Whether the field contains a value that was not applied yet. */
const typed = (c) => !!(c && c.input && c.input.value.trim() && c.input.value !== c.input.dataset.shown);

function rowName(row) {
  if (row.sort === "turn") return `turn ${row.no}`;
  if (row.sort === "section") return `section ${row.no || row.title}`;
  return row.title || (row.sort === "response" || row.sort === "side" ? "response" : "whole item");
}

const unitName = ({ row, group }) => rowName(row) + (group.label ? ` ${group.label}` : "");

function cellName(view, c) {
  const judge = judgeOf(view, c);
  let name = `${c.cell.label}, ${unitName(c)}${c.cell.optional ? ", optional" : ""}`;
  if (judge) name += `; judge ${judge.exact || (stepOf(c, judge.v) || { t: judge.v }).t}${doubtOf(judge) ? `, ${doubtOf(judge)}` : ""}${judge.rule ? ", breaks a rule" : ""}${c.cell.reason ? ", needs a look" : ""}`;
  return name;
}

// Beside two texts each group keeps the place under its own, even when the other side has no cells.
const placed = (row) => {
  const { groups } = row, some = groups.filter((g) => g.cells.length);
  return row.columns === 2 && some.length ? groups : some;
};

function drawRow(view, row, r) {
  const two = row.columns === 2, groups = placed(row);
  const e = el("section", `row ${row.sort}${two ? " two" : ""}`, null, { role: "group", "aria-label": rowName(row), "data-unit": row.unit, "data-row": r });
  const main = el("div", "main"), pre = el("div", "pre");
  if (row.no || row.title) {
    const top = el("div", "no", row.no);
    if (row.title) { top.classList.add("titled"); top.append(prose("title", row.title)); }
    pre.append(top);
  }
  let heavy = 0;
  if (two) {
    const cols = el("div", "cols");
    for (const t of row.texts) { cols.append(drawText(t, t.label || LABELS[t.role])); heavy = Math.max(heavy, weight(readOf(t))); }
    main.append(cols);
  } else {
    for (const notice of row.notices) pre.append(el("div", "notice", notice));
    const at = row.texts.findIndex((t) => ROLE[t.role] === "bot");
    row.texts.forEach((t, i) => {
      const b = drawText(t, t.label || LABELS[t.role]);
      if (at < 0 || i < at) pre.append(b); else { main.append(b); heavy += t.fold ? 40 : weight(readOf(t)); }
    });
  }
  if (!isBlind(view)) {
    for (const rule of row.rules) main.append(el("div", "alarm", rule));
    if (row.judge_issues.length) {
      const list = el("ul", "issues theirs", null, { "aria-label": "the judge's issues" });
      for (const issue of row.judge_issues) { const li = el("li", "", null); li.append(el("span", "by", "judge"), " ", el("bdi", "", issue)); list.append(li); }
      main.append(list);
    }
  }
  main.append(el("div", "mynotes", null, { "data-notes": row.unit }));
  if (pre.childNodes.length) e.append(pre);
  e.append(main);
  if (groups.length) {
    const cells = el("div", "cells" + (groups.length > 1 && !row.stacked ? " groups" : ""));
    const box2 = groups.length > 1 && !row.stacked ? el("div", "twins") : cells;
    const same = groups.length === 2 && !row.stacked && groups[0].cells.length === groups[1].cells.length && groups[0].cells.every((c, i) => c.dimension === groups[1].cells[i].dimension);
    if (same) e.classList.add("same");
    for (const group of groups) {
      const g = el("div", "group");
      if (group.label) g.append(el("div", "glabel", group.label));
      if (group.title) g.append(el("div", "glabel over", group.title));
      for (const cell of group.cells) g.append(drawCell(view, view.index.get(cellKey(cell.unit, cell.dimension))));
      box2.append(g);
    }
    if (box2 !== cells) cells.append(box2);
    if (row.judgments.length && !isBlind(view)) cells.append(drawJudgments(row));
    cells.append(el("div", "note", null, { hidden: "" }));
    e.append(cells);
  } else e.classList.add("bare");
  if (heavy > 420 || e.querySelector(".judgments, .think, .reference, .ref")) e.classList.add("tall"); // so that opening something there moves no rating
  if (heavy > 3000) e.style.containIntrinsicSize = `auto ${Math.round(heavy / (two ? 1.6 : 3))}px`;
  return e;
}

function build(view) {
  if (view.tree) return view.tree;
  const tree = el("div", "item " + view.sheet.kind);
  view.nameWidth = nameWidth(view);
  tree.style.setProperty("--name", view.nameWidth + "px");
  const head = drawHead(view);
  if (head.childNodes.length) tree.append(head);
  const rows = el("div", "rows");
  let weightAll = 0;
  view.rowEls = view.sheet.rows.map((row, r) => {
    const e = drawRow(view, row, r);
    rows.append(e);
    for (const t of row.texts) weightAll += (readOf(t) || "").length;
    return e;
  });
  if (rows.querySelector(".row.two.tall")) tree.classList.add("long");
  if (view.sheet.rows.length > 14 || weightAll > 20000) rows.classList.add("lazy");
  tree.append(rows, el("div", "comments", null, { "data-notes": "" }));
  view.tree = tree;
  for (const c of view.cells) markCell(view, c);
  drawNotes(view);
  return tree;
}

/** The person's own issues and comments, each removable. */
function drawNotes(view) {
  for (const box2 of view.tree.querySelectorAll("[data-notes]")) {
    const unit = box2.dataset.notes, editor = box2.querySelector(".editor");
    const list = [];
    view.notes.forEach((note, i) => {
      if (note.unit !== unit && !(unit === "" && !view.sheet.rows.some((row) => row.unit === note.unit))) return;
      const line = el("div", "mynote");
      const what = note.sort === "better" ? "better turn" : note.sort;
      line.append(el("span", "by", note.sort === "better" ? "better" : note.sort), prose("prose", note.text), el("button", "x", "×", { type: "button", "data-do": "unnote", "data-n": i, "aria-label": `remove this ${what}`, title: "remove (u brings it back)" }));
      if (note.sort === "better") line.classList.add("better");
      list.push(line);
    });
    box2.replaceChildren(...list, ...(editor ? [editor] : []));
  }
}

/** The judge's note of the focused cell, under the cells of its row. */
function drawNote(d, view) {
  const c = view.cells[view.here];
  drawMeaning(d, view);
  const r = c ? c.r : -1;
  if (view.noted !== r && view.rowEls[view.noted]) {
    const old = view.rowEls[view.noted].querySelector(":scope > .cells > .note");
    if (old) { old.hidden = true; old.replaceChildren(); }
  }
  view.noted = r;
  if (!c) return;
  const note = view.rowEls[r].querySelector(":scope > .cells > .note");
  const judge = judgeOf(view, c), parts = [];
  if (judge && judge.rule) parts.push(el("div", "rule", judge.rule));
  if (judge && judge.note) {
    const p = el("div", "said");
    p.append(el("b", "", "judge: "), el("bdi", "", judge.note));
    const lang = langOf(judge.note);
    if (lang) p.lang = lang;
    parts.push(p);
  }
  for (const other of judge && !c.row.judgments.length ? c.cell.others : []) if (other.by !== "another sample") parts.push(el("div", "def", `${isolate(other.by)}: ${other.t}`));
  const apart = judge && new Set(judge.samples).size > 1;
  if (apart || (d.full && judge && judge.samples.length)) parts.push(el("div", "def", `asked ${judge.samples.length} times: ${judge.samples.join(", ")}${judge.exact ? `; together ${judge.exact}` : ""}`));
  if (d.full) {
    if (c.cell.definition) { const p = el("div", "def"); p.append(el("b", "", c.cell.label + ": "), document.createTextNode(c.cell.definition)); parts.push(p); }
    for (const [answer, words] of c.cell.anchors) parts.push(el("div", "def", `${answer} = ${words}`));
    if (judge && judge.level) parts.push(el("div", "def", `${judge.level} ${certaintyOf(judge)}`));
    if (judge && c.cell.reason) parts.push(el("div", "def", `needs a look: ${c.cell.reason}`));
    if (!parts.length) parts.push(el("div", "def", "No definition and no note are given for this score."));
  }
  note.classList.toggle("full", d.full);
  note.hidden = !parts.length;
  note.replaceChildren(...parts);
}
