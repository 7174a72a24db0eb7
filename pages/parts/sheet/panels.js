// panels.js: what stands around the item: header, footer, messages, the skip menu, the note editor, the key card.

const MAC = /Mac|iPhone|iPad/.test(navigator.platform || "");
const GO = MAC ? "⌘ ⏎" : "Ctrl ⏎";
const REASONS = ["the text is broken or empty", "I do not know this subject", "not my language", "the question does not fit", "other"];

function button(what, label, key, title) {
  const b = el("button", "quiet", null, { type: "button", "data-do": what, title });
  b.append(el("span", "", label));
  if (key) b.append(kbd(key));
  return b;
}

/** The frame is made once per mount; only its parts are changed afterwards. */
function frame(d, root) {
  const ui = (d.ui = {});
  ui.wrap = el("div", "wrap");
  ui.header = el("header", "top");
  ui.title = el("h1", "title");
  ui.meta = el("span", "meta");
  ui.whys = el("span", "whys");
  ui.progress = el("span", "progress");
  ui.status = el("span", "status");
  const right = el("span", "right");
  right.append(ui.progress, ui.status);
  const left = el("div", "names");
  left.append(ui.title, ui.meta, ui.whys);
  ui.header.append(left, right);
  ui.body = el("div", "body");
  ui.wrap.append(ui.header, ui.body);
  ui.foot = el("footer", "foot");
  const inner = el("div", "in");
  ui.sum = el("span", "sum");
  const hints = el("span", "keys");
  hints.append(kbd("1"), "–", kbd("5"), " score ", kbd("↑"), kbd("↓"), " move ", kbd("⏎"), " accept");
  const acts = el("span", "acts");
  ui.back = button("back", "back", "b", "the item before, as you answered it");
  ui.undo = button("undo", "undo", "u", "take back the last change on this item");
  ui.better = button("better", "better", "e", "write this turn, or this response, better");
  ui.comment = button("comment", "comment", "m", "a comment on the whole item");
  ui.skip = button("skip", "skip", "s", "skip this item with a reason");
  ui.raw = button("raw", "raw", "x", "the texts as they came, without formatting");
  ui.keys = button("keys", "keys", "?", "all keys");
  acts.append(ui.back, ui.undo, ui.better, ui.comment, ui.skip, ui.raw, ui.keys);
  ui.go = el("button", "go", null, { type: "button", "data-do": "go" });
  ui.goText = el("span", "");
  ui.go.append(ui.goText, kbd(GO));
  inner.append(ui.sum, hints, acts, ui.go);
  ui.foot.append(inner);
  ui.dock = el("div", "dock");
  ui.toasts = el("div", "toasts");
  ui.live = el("div", "live", null, { role: "status", "aria-live": "polite" });
  const float = el("div", "float");
  float.append(ui.toasts, ui.dock);
  root.replaceChildren(ui.wrap, ui.foot, float, ui.live);
  drawToasts(d);
}

function drawStatus(d) {
  const { ui, progress: p } = d;
  if (!ui) return;
  const open = d.outbox.length, late = isLate(d);
  if (p) {
    const fresh = d.outbox.filter((o) => !o.answer.version && o.answer.action === "save").length, parts = [];
    parts.push(`${p.today + fresh} today`);
    if (p.left !== null && p.left !== undefined) parts.push(`${Math.max(0, p.left - fresh)} left`);
    if (p.seconds) parts.push(`${p.seconds < 10 ? Math.round(p.seconds * 10) / 10 : Math.round(p.seconds)} s an item`);
    ui.progress.textContent = parts.join(" · ");
    ui.progress.title = `${p.done} of ${p.total} done; ${p.mine} by you`;
  } else ui.progress.textContent = "";
  const text = open ? `${open} not saved yet${late ? ": the server does not answer; your answers are kept in this browser" : ""}` : d.savedAt ? `saved ${d.savedAt}` : "";
  if (ui.status.textContent !== text) ui.status.textContent = text;
  ui.status.classList.toggle("open", open > 0);
  ui.status.classList.toggle("late", late);
  d.root.dataset.unsaved = open;
  if (late && !d.lateSaid) { d.lateSaid = true; say(d, text); }
  if (!open) d.lateSaid = false;
}

function drawFoot(d) {
  const { ui, view } = d;
  ui.foot.classList.toggle("idle", !view);
  if (!view) return;
  ui.raw.setAttribute("aria-pressed", texts.raw ? "true" : "false");
  ui.back.disabled = !d.past.length || (d.inPast && d.pastAt === 0);
  ui.undo.disabled = !view.undo.length;
  const parts = [];
  if (view.armed) {
    const n = missing(view).length;
    parts.push(el("span", "ask", `${n} ${n === 1 ? "cell has" : "cells have"} no answer yet: answer ${n === 1 ? "it" : "them"}, or press ${MAC ? "Cmd" : "Ctrl"}+Enter again to save without ${n === 1 ? "it" : "them"}`));
  } else summary(view).forEach(([n, words, cls], i) => {
    if (i) parts.push(" · ");
    if (cls) parts.push(el("b", cls, `${n}${words}`)); else if (n !== "") parts.push(el("b", "", n), words); else parts.push(words);
  });
  ui.better.hidden = !view.sheet.rows.some((row) => row.can_better);
  const better = repairsOf(view).length, comments = view.notes.length - better;
  if (comments && !view.armed) parts.push(el("span", "count", ` · ${comments} ${comments === 1 ? "note" : "notes"}`));
  if (better && !view.armed) parts.push(el("span", "count", ` · ${better} written better`));
  ui.sum.replaceChildren(...parts);
  const nothing = view.saved && !dirty(view);
  ui.goText.textContent = nothing ? (d.inPast ? "Back to where you were" : "Next") : view.saved ? "Save the change" : counts(view).left ? "Accept the rest, next" : "Save, next";
  ui.go.title = nothing ? "nothing has changed, nothing is saved" : summaryText(view);
}

function say(d, text) {
  if (d.ui) { d.ui.live.textContent = ""; d.ui.live.textContent = text; }
}

/** A short word above the footer that goes by itself. */
function hint(d, text) {
  if (!d.ui) return;
  clearTimeout(d.hintTimer);
  let h = d.ui.toasts.querySelector(".hint");
  if (!h) { h = el("div", "toast hint"); d.ui.toasts.append(h); }
  h.textContent = text;
  say(d, text);
  d.hintTimer = setTimeout(() => h.remove(), 3200);
}

function drawToasts(d) {
  if (!d.ui) return;
  const list = [];
  for (const r of d.refused) {
    const t = el("div", "toast refused", null, { role: "alert", "data-item": r.item });
    t.append(el("b", "", `${r.name} was not saved. `), el("span", "", r.why));
    const row = el("div", "toastline");
    row.append(el("button", "solid", "Open it again", { type: "button", "data-do": "reopen", "data-item": r.item }), el("button", "quiet", "close", { type: "button", "data-do": "unrefuse", "data-item": r.item }));
    t.append(row);
    list.push(t);
  }
  if (d.notice) {
    const t = el("div", "toast notice");
    t.append(el("span", "", d.notice), el("button", "x", "×", { type: "button", "data-do": "unnotice", "aria-label": "close" }));
    list.push(t);
  }
  d.ui.toasts.replaceChildren(...list);
}

// ---- the dock above the footer: skip menu and comment line

function openSkip(d) {
  closeDock(d);
  const menu = el("div", "menu skip", null, { role: "dialog", "aria-label": "Skip this item" });
  menu.append(el("div", "menuhead", "Skip this item, because"));
  const list = el("div", "reasons", null, { role: "radiogroup", "aria-label": "reason" });
  REASONS.forEach((reason, i) => {
    const b = el("button", "reason", null, { type: "button", role: "radio", "aria-checked": "false", "data-do": "reason", "data-n": i, tabindex: i ? "-1" : "0" });
    b.append(kbd(i + 1), el("span", "", reason));
    list.append(b);
  });
  const line = el("div", "menuline");
  const input = el("input", "free", null, { type: "text", placeholder: "in your own words (optional)", "aria-label": "reason in your own words", maxlength: "400" });
  const ok = el("button", "solid", null, { type: "button", "data-do": "doskip" });
  ok.append(el("span", "", "Skip"), kbd("⏎"));
  line.append(input, ok, button("closedock", "cancel", "Esc", "stay on this item"));
  menu.append(list, line);
  d.menu = { kind: "skip", el: menu, input, reason: -1 };
  d.ui.dock.replaceChildren(menu);
  list.firstChild.focus({ preventScroll: true });
}

function pickReason(d, n) {
  d.menu.reason = n;
  d.menu.el.querySelectorAll(".reason").forEach((b, i) => { b.setAttribute("aria-checked", i === n ? "true" : "false"); b.tabIndex = i === n ? 0 : -1; });
  if (n === REASONS.length - 1) d.menu.input.focus({ preventScroll: true });
  else d.menu.el.querySelectorAll(".reason")[n].focus({ preventScroll: true });
}

function openEditor(d, sort) {
  const { view } = d, c = view.cells[view.here];
  keepEditor(d);
  let place, unit = "";
  if (sort === "issue") {
    const row = c && c.row;
    if (!row || row.can_issue === false) { hint(d, "An issue belongs to a turn, a section or a response: move to one first. m writes a comment on the whole item."); return; }
    unit = row.unit;
    place = view.rowEls[c.r].querySelector(`:scope > .main > .mynotes`);
  } else { closeDock(d); place = d.ui.dock; }
  const line = el("div", "editor" + (sort === "comment" ? " menu" : ""));
  const input = el("input", "free", null, { type: "text", maxlength: "2000", "aria-label": sort === "issue" ? `issue, ${unitName(c)}` : "comment on this item",
    placeholder: sort === "issue" ? "what is wrong here? Enter keeps it, Esc leaves" : "a comment on this item: Enter keeps it, Esc leaves" });
  line.append(el("span", "by", sort), input);
  place.append(line);
  d.editor = { el: line, input, sort, unit, view };
  input.focus({ preventScroll: sort === "comment" });
}

/** The box in which a turn is written better: it begins with what stands there. Enter is a new line in it. */
function openBetter(d, unit) {
  const { view } = d, c = view.cells[view.here];
  keepEditor(d);
  const row = unit ? view.sheet.rows.find((r) => r.unit === unit) : c && c.row;
  if (!row || !row.can_better) return hint(d, "Only an assistant's turn or a response can be written better: move to one first.");
  const place2 = view.rowEls[view.sheet.rows.indexOf(row)].querySelector(":scope > .main > .mynotes");
  const held = view.notes.find((n) => n.sort === "better" && n.unit === row.unit), text = held ? held.text : saidIn(view, row.unit);
  const box2 = el("div", "editor better"), top = el("div", "betterline");
  const input = el("textarea", "free", null, { maxlength: "100000", rows: "3", "aria-label": `a better text for ${row.sort === "turn" ? `turn ${row.no}` : "this response"}` });
  input.value = text;
  const lang = langOf(text);
  if (lang) input.lang = lang;
  const done = el("button", "quiet", null, { type: "button", "data-do": "keepbetter" });
  done.append(el("span", "", "keep"), kbd(GO));
  top.append(el("span", "by", "as you would have written it"), done);
  box2.append(top, input);
  for (const line of place2.querySelectorAll(".mynote.better")) line.hidden = true;
  place2.append(box2);
  d.editor = { el: box2, input, sort: "better", unit: row.unit, view };
  input.addEventListener("input", () => { const e = d.editor; if (e && e.input === input && d.draftDue !== view) { d.draftDue = view; afterPaint(() => { if (d.draftDue === view) d.draftDue = null; saveDraft(d, view); }); } });
  input.focus({ preventScroll: true });
  input.setSelectionRange(text.length, text.length);
  box2.scrollIntoView({ block: "nearest" });
}

function keepBetter(d) {
  const { view, unit, input } = d.editor, notes = withBetter(view, unit, input.value);
  dropEditor(d);
  if (notes !== view.notes) setNotes(view, notes);
  if (view.tree) drawNotes(view);
  changed(d, view);
}

function dropEditor(d) {
  if (!d.editor) return;
  d.editor.el.remove();
  d.editor = null;
}

/** Keeps what stands in the open line, if anything does. */
function keepEditor(d) {
  const e = d.editor;
  if (!e) return;
  if (e.sort === "better") return keepBetter(d);
  const text = e.input.value.trim();
  dropEditor(d);
  if (!text) return;
  setNotes(e.view, [...e.view.notes, { unit: e.unit, sort: e.sort, text }]);
  if (e.view.tree) drawNotes(e.view);
  changed(d, e.view);
  if (e.sort === "comment") hint(d, "comment kept; it is saved with the item");
}

function closeDock(d) {
  if (d.editor && d.editor.sort === "comment") dropEditor(d);
  d.menu = null;
  if (d.ui) d.ui.dock.replaceChildren();
}

// ---- the key card

const CARD = [
  ["Score", [["1 – 9, 0", "set the score (0 = 10; 4 . 5 where there are half points) and go on"], ["← →", "one less, one more"], ["3 . 7 ⏎", "type a number, where it is one"], ["n", "n/a, where allowed"], ["⏎", "accept the judge's value"], [GO, "accept the rest, next item"], ["w", "this turn is the weakest"], ["u", "undo the last change"]]],
  ["Move", [["↑ ↓ or j k", "cell by cell"], ["[ ]", "by turn or section"], ["b", "back to what you answered"], ["l", "open or fold the long input"], ["t", "open or fold the tool calls"], ["y", "the rating that a reason speaks of"], ["h", "the guidelines of the dataset"]]],
  ["Say", [["i", "issue with this turn or section"], ["m", "comment on the item"], ["e", "write this turn better"], ["s", "skip, with a reason"]]],
  ["See", [["d", "the whole note and the definition"], ["x", "the texts as they came, without formatting"], ["v", "blind item, answered: show the judge"], ["?", "this card"], ["Esc", "close"]]],
];

function openCard(d) {
  const cols = el("div", "cardcols"), marks = el("p", "marks");
  for (const [name, keys] of CARD) {
    const block = el("dl", "");
    block.append(el("dt", "cardname", name));
    for (const [key, what] of keys) { const line = el("dd", ""); line.append(kbd(key), el("span", "", what)); block.append(line); }
    cols.append(block);
  }
  marks.append(...legendOf(false));
  const closed = box.get(LEGEND + d.person) ? [button("legend", "show this line on the desk", "", "what the marks mean, under the header")] : [];
  openOver(d, "Keys", [cols, marks, ...closed, el("p", "", "Answers are saved as you go on.")]);
}

/** Something to read above everything else, until it is closed. */
function openOver(d, label, parts, cls) {
  closeDock(d);
  closeCard(d);
  const shade = el("div", "shade", null, { "data-do": "closecard" });
  const card = el("div", "card " + (cls || ""), null, { role: "dialog", "aria-modal": "true", "aria-label": label, tabindex: "-1" });
  card.append(...parts, button("closecard", "close", "Esc", "close"));
  shade.append(card);
  d.card = { el: shade, from: d.root.getRootNode().activeElement };
  d.root.append(shade);
  card.focus({ preventScroll: true });
}

function closeCard(d) {
  if (!d.card) return;
  const { el: shade, from } = d.card;
  shade.remove();
  d.card = null;
  if (from && from.isConnected) from.focus({ preventScroll: true }); else d.root.focus({ preventScroll: true });
}
