// panels.js: everything around the item: header, footer, messages, the skip menu, the note editor, the key card.

const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
const GO = MAC ? "⌘ ⏎" : "Ctrl ⏎";
const MOST_NOTE = 20000, MOST_BETTER = 1000000; // letters that data/desk/labels.py saves: a field takes no more, and says so
const REASONS = ["the text is broken or empty", "I do not know this subject", "not my language", "the question does not fit"];

/** The frame is made once per mount; only its parts are changed afterwards. */
function frame(d, root) {
  const ui = (d.ui = {});
  ui.wrap = el("div", "wrap");
  header(ui);
  ui.whys = el("span", "whys");
  ui.names.append(ui.whys);
  ui.body = el("div", "body");
  ui.wrap.append(ui.header, ui.body);
  ui.foot = el("footer", "foot");
  const inner = el("div", "in");
  ui.sum = el("span", "sum");
  ui.hint = el("span", "hint", null, { hidden: "" });
  ui.hints = el("span", "keys");
  const acts = el("span", "acts", null, { role: "toolbar", "aria-label": "this item" });
  ui.back = button("back", "back", "b", "the item before, as you answered it");
  ui.undo = button("undo", "undo", "u", "take back the last change on this item");
  ui.better = button("better", "better", "e", "write a better version of this turn or response");
  ui.issue = button("issue", "issue", "i", "note an issue with this turn, section or response");
  ui.note = button("whole", "note", "d", "the judge's whole note, and what the question means");
  ui.reveal = button("reveal", "judge", "v", "show the judge's scores; changes after that count as revealed");
  ui.comment = button("comment", "comment", "m", "a comment on the whole item");
  ui.skip = button("skip", "skip", "s", "skip this item with a reason");
  ui.raw = button("raw", "raw", "x", "the texts as they came, without formatting");
  ui.keys = button("keys", "keys", "?", "all keys");
  acts.append(ui.back, ui.undo, ui.note, ui.reveal, ui.issue, ui.better, ui.comment, ui.skip, ui.raw, ui.keys);
  ui.go = el("button", "go", null, { type: "button", "data-do": "go" });
  ui.goText = el("span", "");
  ui.go.append(ui.goText, unread(GO));
  ui.go.setAttribute("aria-keyshortcuts", MAC ? "Meta+Enter" : "Control+Enter");
  inner.append(ui.sum, ui.hint, acts, ui.go);
  ui.toasts = el("div", "toasts");
  const line = el("div", "line");
  line.append(ui.hints);
  ui.foot.append(ui.toasts, line, inner);
  ui.dock = el("div", "dock");
  ui.live = el("div", "live", null, { role: "status", "aria-live": "polite" });
  const float = el("div", "float");
  float.append(ui.dock);
  d.hinted = "";
  root.replaceChildren(ui.wrap, ui.foot, float, ui.live);
  drawToasts(d);
}

function drawStatus(d) {
  const { ui, progress: p } = d;
  const open = d.outbox.length, late = isLate(d);
  if (p) {
    const fresh = d.outbox.filter((o) => !o.answer.version && o.answer.action === "save").length, parts = [];
    parts.push(`${p.today + fresh} today`);
    if (p.left !== null) parts.push(`${Math.max(0, p.left - fresh)} left`);
    if (p.seconds) parts.push(`${p.seconds < 10 ? Math.round(p.seconds * 10) / 10 : Math.round(p.seconds)} s an item`);
    if (p.assigned) parts.push(p.assigned);
    ui.progress.textContent = parts.join(" · ");
    ui.progress.title = `${p.done} of ${p.total} done; ${p.mine} by you`;
  }
  const text = open ? unsavedText(open, "answers", late, d.outbox.every((o) => o.kept), d.lastNotice) : d.savedAt ? `saved ${d.savedAt}` : "";
  if (ui.status.textContent !== text) ui.status.textContent = text;
  ui.status.classList.toggle("open", open > 0);
  ui.status.classList.toggle("late", late);
  d.root.dataset.unsaved = open;
  if (late && !d.lateSaid) { d.lateSaid = true; say(d, text); }
  if (!open) d.lateSaid = false;
}

function drawFoot(d) {
  const { ui, view } = d;
  ui.foot.classList.toggle("vacant", !view);
  if (!view) return d.root.toggleAttribute("data-asks", false);
  ui.raw.setAttribute("aria-pressed", texts.raw ? "true" : "false");
  ui.back.disabled = !d.past.length || (d.inPast && d.pastAt === 0);
  ui.undo.disabled = !view.undo.length;
  const parts = [], open = view.armed ? missing(view).length : 0, out = view.armed ? unseen(view).length : 0, asks = open + out > 0;
  const again = TOUCH ? "tapping again" : `${MAC ? "Cmd" : "Ctrl"}+Enter again`, ratings = (n) => (n === 1 ? "1 rating" : `${n} ratings`);
  d.root.toggleAttribute("data-asks", asks);
  if (asks) {
    const was = out === 1 ? "was" : "were", first = button("unseen", "show the first", "g", "go to the first rating that was not on screen");
    if (open) parts.push(el("span", "ask", `${ratings(open)} ${open === 1 ? "has" : "have"} no answer yet${out ? `, ${out} ${was} not on screen` : ""}: ${again} saves all the same`));
    else parts.push(el("span", "ask", `${ratings(out)} ${was} not on screen yet: ${again} accepts ${out === 1 ? "it" : "them"}`));
    if (out) parts.push(" ", first);
  } else summary(view).forEach(([n, words, cls], i) => {
    if (i) parts.push(" · ");
    if (cls) parts.push(el("b", cls, `${n}${words}`)); else if (n !== "") parts.push(el("b", "", n), words); else parts.push(words);
  });
  ui.better.hidden = !view.sheet.rows.some((row) => row.can_better);
  const better = repairsOf(view).length, comments = view.notes.length - better;
  if (comments && !asks) parts.push(el("span", "count", ` · ${comments} ${comments === 1 ? "note" : "notes"}`));
  if (better && !asks) parts.push(el("span", "count", ` · ${better} written better`));
  ui.reveal.hidden = !isBlind(view) || !view.saved;
  if (dirty(view) && (view.kept || view.draft) && !asks) {
    const line = el("span", "draft", view.draft ? `your draft of ${timeOf(view.draft)} is restored` : "draft kept in this browser", { title: "Changes that are not saved yet are kept in this browser only." });
    if (view.draft) line.append(button("undraft", "discard", "", "as it was before the draft; undo brings it back"));
    parts.push(line);
  }
  ui.sum.replaceChildren(...parts);
  const nothing = view.saved && !dirty(view);
  ui.goText.textContent = asks ? (open ? "Save all the same" : "Accept all the same") : nothing ? (d.inPast ? "Back to where you were" : "Next") : view.saved ? "Save the change" : counts(view).left ? "Accept the rest, next" : "Save, next";
  ui.go.title = nothing ? "nothing has changed, nothing is saved" : summaryText(view);
}

function say(d, text) {
  d.ui.live.textContent = "";
  d.ui.live.textContent = text;
}

/** A short message in the footer; it disappears with the next key, with the item, or after a while. */
function hint(d, text) {
  clearTimeout(d.hintTimer);
  d.ui.hint.textContent = text;
  d.ui.hint.hidden = false;
  say(d, text);
  d.hintTimer = setTimeout(() => dropHint(d), 2500 + 45 * text.length);
}

function dropHint(d) {
  if (d.ui.hint.hidden) return;
  clearTimeout(d.hintTimer);
  d.ui.hint.hidden = true;
  d.ui.hint.textContent = "";
}

/** What the keys do in the focused cell. */
function drawHints(d) {
  const c = here(d), [keys, words] = c ? keysOf(c) : [[], ""], sig = keys.join() + words;
  if (d.hinted === sig) return;
  d.hinted = sig;
  const line = keys.flatMap((key) => (key.length > 1 ? [key] : [kbd(key)]));
  d.ui.hints.replaceChildren(...line, ` ${words} `, kbd("↑"), kbd("↓"), " move ", kbd("⏎"), " accept");
}

/** The keys that answer a cell, with the text between them, and the values that they set. */
function keysOf(c) {
  const real = c.cell.steps.filter((s) => s.v !== null), na = c.cell.steps.length > real.length ? " · n n/a" : "";
  if (c.cell.range) return [[], `type ${numeral(c.cell.range.lo)} – ${numeral(c.cell.range.hi)}${na}`];
  const { kind } = c.cell, last = real.length - 1;
  if (kind === "turn") return [["1", " – ", String(Math.min(9, Math.max(...real.map((s) => s.v))))], `turn, 0 none${na}`];
  if (kind === "ordinal" || kind === "interval") {
    const [lo, hi] = [real[0].v, real[last].v];
    const others = lo < 0 || hi > 10 ? ", ← → all" : ""; // digits reach 0 to 10 only
    if (lo > 9 || hi < 0) return [[], `← → score${na}`];
    if (hi >= 10) return [[...(lo < 9 ? [String(Math.max(lo, 1)), " – "] : []), "9", ", ", "0"], `= 10${others}${na}`];
    return [[String(Math.max(lo, 0)), " – ", String(hi)], `score${others}${na}`];
  }
  if (real.length === 2 && real.every((s) => s.t.length < 8)) return [["1", ` ${real[0].t} `, "2"], real[1].t + na];
  return [["1", " – ", String(Math.min(9, real.length))], `answer${na}`];
}

const timeOf = (at) => new Date(at).toTimeString().slice(0, 5);

function drawToasts(d) {
  const list = [];
  for (const r of d.refused) {
    const t = el("div", "toast refused", null, { role: "alert", "data-item": r.item }), row = el("div", "toastline"), why = el("div", "");
    why.append(el("b", "", `${r.name} was not saved. `), el("span", "", r.why));
    t.append(why);
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
  const menu = el("div", "menu skip", null, { role: "dialog", "aria-modal": "true", "aria-label": "Skip this item", tabindex: "-1" });
  const line = el("div", "menuline"), list = el("div", "reasons", null, { role: "radiogroup", "aria-label": "common reasons" });
  const input = el("input", "free", null, { type: "text", placeholder: TOUCH ? "why: in your own words, or choose below" : `why: in your own words, or 1 to ${REASONS.length}`, "aria-label": "Why do you skip it? In your own words", autocomplete: "off" });
  const need = el("div", "ask", null, { hidden: "", role: "alert" });
  REASONS.forEach((reason, i) => {
    const b = el("button", "reason", null, { type: "button", role: "radio", "aria-checked": "false", "data-do": "reason", "data-n": i, tabindex: i ? "-1" : "0" });
    b.append(unread(i + 1), el("span", "", reason));
    list.append(b);
  });
  const ok = el("button", "solid", null, { type: "button", "data-do": "doskip" });
  ok.append(el("span", "", "Skip"), kbd("⏎"));
  line.append(input, ok, button("closedock", "cancel", "Esc", "stay on this item"));
  menu.append(el("div", "menuhead", "Skip this item"), line, need, list);
  d.menu = { el: menu, input, ask: need, reason: -1 };
  input.addEventListener("input", () => { const n = digitOf(input.value); if (n || d.menu.typed) showReason(d, n ? n - 1 : -1, true); need.hidden = true; });
  d.ui.dock.replaceChildren(menu);
  (TOUCH ? menu : input).focus({ preventScroll: true });
}

/** A single digit in the field means the reason of that number; with more text after it, it begins a sentence. */
const digitOf = (text) => { const t = text.normalize("NFKC").trim(); return /^\d$/.test(t) && t >= 1 && t <= REASONS.length ? t : ""; };

function showReason(d, n, typed2) {
  Object.assign(d.menu, { reason: n, typed: typed2 && n >= 0 });
  d.menu.ask.hidden = true;
  d.menu.el.querySelectorAll(".reason").forEach((b, i) => { b.setAttribute("aria-checked", i === n ? "true" : "false"); b.tabIndex = i === Math.max(0, n) ? 0 : -1; });
}

function pickReason(d, n) {
  if (digitOf(d.menu.input.value)) d.menu.input.value = "";
  showReason(d, n);
  d.menu.el.querySelectorAll(".reason")[n].focus({ preventScroll: true });
}

function openEditor(d, sort, of) {
  const { view } = d, c = (of && view.cells.find((x) => x.row.unit === of)) || view.cells[view.here];
  keepEditor(d);
  let box2, unit = "";
  if (sort === "issue") {
    pin(d);
    const row = c && c.row;
    if (!row || !row.can_issue) { hint(d, "An issue belongs to a turn, a section or a response: move to one first. m writes a comment on the whole item."); return; }
    unit = row.unit;
    box2 = view.rowEls[c.r].querySelector(`:scope > .main > .mynotes`);
  } else { closeDock(d); box2 = d.ui.dock; }
  const line = el("div", "editor" + (sort === "comment" ? " menu" : ""));
  const input = el("input", "free", null, { type: "text", maxlength: MOST_NOTE, "aria-label": sort === "issue" ? `issue, ${unitName(c)}` : "comment on this item",
    placeholder: sort === "issue" ? "what is wrong here? Enter keeps it, Esc leaves" : "a comment on this item: Enter keeps it, Esc leaves" });
  line.append(el("span", "by", sort), input, button("keepeditor", "keep", "⏎", "keep it"), button("dropeditor", "cancel", "Esc", "leave it"));
  box2.append(line);
  d.editor = { el: line, input, sort, unit, view };
  input.focus({ preventScroll: sort === "comment" });
}

/** The box for a better version of a turn: it starts with the present text. Enter is a new line in it. */
function openBetter(d, unit) {
  const { view } = d, c = view.cells[view.here];
  keepEditor(d);
  const row = unit ? view.sheet.rows.find((r) => r.unit === unit) : c && c.row;
  if (!row || !row.can_better) return hint(d, "Only an assistant's turn or a response can be written better: move to one first.");
  pin(d);
  const place2 = view.rowEls[view.sheet.rows.indexOf(row)].querySelector(":scope > .main > .mynotes");
  const held = view.notes.find((n) => n.sort === "better" && n.unit === row.unit), text = held ? held.text : saidIn(view, row.unit);
  const box2 = el("div", "editor better"), top = el("div", "betterline");
  const input = el("textarea", "free", null, { maxlength: MOST_BETTER, rows: "3", "aria-label": `a better text for ${row.sort === "turn" ? `turn ${row.no}` : "this response"}` });
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
  bringIn(d, box2);
}

function keepBetter(d) {
  const { view, unit, input } = d.editor, notes = withBetter(view, unit, input.value);
  dropEditor(d);
  if (notes !== view.notes) setNotes(view, notes);
  if (view.tree) drawNotes(view);
  changed(d, view);
}

function dropEditor(d) {
  d.editor.el.remove();
  d.editor = null;
}

/** Keeps the text of the open line, if there is any. */
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
  keepEditor(d);
  d.menu = null;
  d.ui.dock.replaceChildren();
}

// ---- the key card

const CARD = [
  ["Score", [["1 – 9, 0", "set the score (0 = 10; 4 . 5 where there are half points) and go on"], ["← →", "one less, one more"], ["3 . 7 ⏎", "type a number, where it is one"], ["n", "n/a, where allowed"], ["⏎", "accept the judge's value"], [GO, "accept the rest, next item"], ["w", "this turn is the weakest"], ["u", "undo the last change"]]],
  ["Move", [["↑ ↓ or j k", "rating by rating"], ["[ ]", "by turn or section"], ["b", "back to what you answered"], ["l", "open or fold the long input"], ["t", "open or fold thinking and tool calls"], ["r", "open or fold the reference answer"], ["y", "the rating that a reason speaks of"], ["h", "the guidelines of the dataset"]]],
  ["Say", [["i", "issue with this turn or section"], ["m", "comment on the item"], ["e", "write this turn better"], ["s", "skip, with a reason"]]],
  ["See", [["d", "the whole note and the definition"], ["o", "what every judge wrote of this turn"], ["x", "the texts as they came, without formatting"], ["g", "the first rating that was not on screen yet"], ["v", "blind item, answered: show the judge"], ["?", "this card"], ["Esc", "close"]]],
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
function openOver(d, label, parts, cls = "") {
  closeDock(d);
  closeCard(d);
  const shade = el("div", "shade", null, { "data-do": "closecard" });
  const card = el("div", "card " + cls, null, { role: "dialog", "aria-modal": "true", "aria-label": label, tabindex: "-1" });
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
  (from && from.isConnected ? from : d.root).focus({ preventScroll: true });
}
