// state.js: the state of the desk. There is one desk per person and place; it survives Streamlit's re-renders and remounts.
// A "view" is one sheet with the values the person has made on it. Values are only ever read from the view they were made on.

const desks = new Map();
const PAUSE = 60000; // a longer pause without input is not work
const TOUCH = matchMedia("(pointer: coarse)").matches;
const PAST = 200; // how far back "b" reaches

function uuid() {
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6] & 15) | 64; b[8] = (b[8] & 63) | 128;
  const hex = [...b].map((x) => x.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** After the frame that shows what was just done; soon anyway if the tab paints nothing. */
function afterPaint(fn) {
  let done = false;
  const run = () => { if (!done) { done = true; fn(); } };
  requestAnimationFrame(() => setTimeout(run));
  setTimeout(run, 150);
}

// ---- who gets a key: the desk or the board, unless something else on the page uses it

const OVER = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";
const TYPED = "textarea, select, iframe, [contenteditable]:not([contenteditable=false]), input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=range])";
const CONTROL = "a, button, summary, input, [role]:not(main, section, [role=main], [role=region])";
let tabbed = false; // whether the focus was moved by the keyboard, not by the mouse
const RHYTHM = 1000; // a longer pause between two keys ends what is being typed
let strayUntil = 0;
let interrupted = false; // whether something over the page took the focus from a field in which the person was typing

/** What the person was typing in, or deciding, has gone by itself: the keys that follow without a pause were meant for it. */
function startStray() {
  strayUntil = performance.now() + RHYTHM;
  interrupted = false;
}

/** Whether a key is meant for what has gone, and not for a field or something open above the page. Enter and Escape end it, as they would have ended what was typed. */
function isStray(e) {
  const target = e.composedPath()[0];
  if (performance.now() > strayUntil || e.key === "Tab" || target.matches?.(TYPED) || target.closest?.(OVER)) return false;
  if (/^(Enter|Escape)$/.test(e.key)) strayUntil = 0; else startStray();
  if (!isShortcut(e) || e.key === "Enter") { e.preventDefault(); e.stopPropagation(); }
  return true;
}

/** Whether something outside a root has the keyboard: a field, or something open above the page. A list of choices that the mouse closed does not count. */
function awayFrom(root) {
  const active = document.activeElement;
  if (active === root.getRootNode().host) return false;
  if (active?.matches(TYPED) && (active.getAttribute("role") !== "combobox" || tabbed)) return true;
  return [...document.querySelectorAll(OVER)].some((e) => e.getClientRects().length);
}

/** The focus goes back to the field that was left for something over the page, such as the message that the connection is lost; gives whether there is one. */
function takeUp(root) {
  const field = root.querySelector(".own, .free");
  if (field) field.focus({ preventScroll: true });
  interrupted = Boolean(field) && root.getRootNode().activeElement !== field; // the page may still be inert
  return Boolean(field);
}

/** Whether a key is for something else: typed into a field, or for a control that the keyboard focused. */
function isTheirs(root, e) {
  const target = e.composedPath()[0];
  if (isStray(e)) return true;
  if (target === root || root.contains(target)) return false;
  if (interrupted && !awayFrom(root)) return takeUp(root);
  return awayFrom(root) || (tabbed && /^(Enter| |Arrow.*|Home|End|Page.*)$/.test(e.key) && document.activeElement.matches(CONTROL));
}

/** A key as the desk and the board name it: letters whatever Caps Lock and an alphabet such as the Cyrillic one make of them, and digits of any script. */
function keyName({ key, code, shiftKey }) {
  if (/^[A-Z]$/.test(key) && !shiftKey) return key.toLowerCase();
  const [, place] = /^[\p{L}\p{Nd}]$/u.test(key) && !/[\p{Script=Latin}0-9]/u.test(key) && /^(?:Key|Digit)(\w)$/.exec(code) || [];
  return place ? place.toLowerCase() : key;
}

/** Whether a key is pressed with Ctrl, Cmd or Alt, and so is the browser's; on many keyboards a bracket needs Option. */
const isShortcut = (e) => e.ctrlKey || e.metaKey || (e.altKey && !/^[[\]]$/.test(e.key));

/** Tracks who has the keyboard; a root without it says so and is styled accordingly. */
function watchFocus(root, o) {
  const look = () => setTimeout(() => {
    if (!root.isConnected) return;
    const away = root.toggleAttribute("data-away", awayFrom(root));
    if (interrupted && !away) takeUp(root);
  });
  addEventListener("pointerdown", () => { tabbed = interrupted = false; strayUntil = 0; look(); }, { ...o, capture: true });
  root.addEventListener("focusout", (e) => { if (e.target.matches(".own, .free") && e.relatedTarget?.closest(OVER)) interrupted = !root.contains(e.relatedTarget); }, o);
  addEventListener("keydown", (e) => { if (e.key === "Tab") tabbed = true; }, { ...o, capture: true });
  for (const what of ["focusin", "focusout", "click"]) addEventListener(what, look, o);
  addEventListener("keyup", (e) => { if (e.target !== root.getRootNode().host) look(); }, o);
  look();
}

function deskOf(data) {
  const id = data.person + "\n" + data.place;
  let d = desks.get(id);
  if (!d) {
    d = { person: data.person, place: data.place, queue: [], known: new Map(), view: null, front: null, inPast: false, past: [],
      outbox: [], refused: keptRefused(data.person, data.place), refusedKeys: new Set(), want: null, opening: null, progress: null, empty: null, notice: null,
      savedAt: "", nonce: Date.now(), tries: 0, full: false, root: null, ui: null, lastInput: 0, shownAt: 0 };
    desks.set(id, d);
    rawFor(d.person);
    d.outbox = keptAnswers(d.person).map((answer) => ({ answer, born: Date.now(), kept: true }));
    tidyDrafts(d);
  }
  return d;
}

// ---- views

const cellKey = (unit, dimension) => unit + "\u0000" + dimension;
const isBlind = (view) => view.sheet.mode === "blind";
const judgeOf = (view, c) => (isBlind(view) ? null : c.cell.judge);
/** The judge's value if it can be accepted: a value half-way between two answers is not an answer. */
const offerOf = (view, c) => { const judge = judgeOf(view, c); return judge && judge.between ? null : judge; };
const agrees = (judge, v) => (judge.between ? judge.between.near.includes(v) : judge.v === v);

function newView(d, sheet, past) {
  const view = { sheet, cells: [], index: new Map(), values: new Map(), notes: [], base: null, saved: false, undo: [], here: 0, ms: 0, tree: null, armed: false, warned: false, looked: false, draft: 0 };
  sheet.rows.forEach((row, r) => row.groups.forEach((group) => group.cells.forEach((cell) => {
    const c = { cell, row, r, group, i: view.cells.length, key: cellKey(cell.unit, cell.dimension), el: null, steps: [], choices: cell.steps, input: null };
    const judge = judgeOf(view, c);
    if (cell.range && judge && judge.v !== null) c.choices = [{ v: judge.v, t: numeral(judge.v, cell.range.step ? 12 : 4) }, ...cell.steps];
    view.cells.push(c);
    view.index.set(c.key, c);
    if (cell.mine) view.values.set(c.key, cell.mine.v);
  })));
  for (const row of sheet.rows) for (const note of row.notes) view.notes.push({ unit: row.unit, sort: note.sort, text: note.text });
  for (const row of sheet.rows) if (row.better) view.notes.push({ unit: row.unit, sort: "better", text: row.better });
  for (const note of sheet.comments) view.notes.push({ unit: "", sort: "comment", text: note.text });
  view.saved = sheet.version !== "" && (view.values.size > 0 || view.notes.length > 0);
  if (past && past.action !== "refused") { view.values = new Map(past.values); view.notes = past.notes.slice(); view.saved = past.action === "save"; }
  view.base = { values: new Map(view.values), notes: view.notes };
  view.here = Math.max(0, view.cells.findIndex((c) => !c.cell.optional));
  if (past && past.action === "refused") { view.values = new Map(past.values); view.notes = past.notes.slice(); } // not saved: these are changes
  loadDraft(d, view);
  return view;
}

function dirty(view) {
  if (view.notes.length !== view.base.notes.length || view.values.size !== view.base.values.size) return true;
  for (const [key, v] of view.values) if (!view.base.values.has(key) || view.base.values.get(key) !== v) return true;
  return view.notes.some((note, i) => { const b = view.base.notes[i]; return note.text !== b.text || note.unit !== b.unit; });
}

function setValue(view, c, v) {
  const had = view.values.has(c.key), old = view.values.get(c.key);
  if (old === v) return false;
  view.undo.push({ c, had, old });
  view.values.set(c.key, v);
  view.armed = false;
  return true;
}

function setNotes(view, notes) {
  view.undo.push({ notes: view.notes });
  view.notes = notes;
}

/** All values and notes at once, as one change. */
function setAll(view, values, notes) {
  view.undo.push({ values: view.values, notes: view.notes });
  view.values = new Map(values);
  view.notes = notes;
  view.armed = false;
}

/** Undoes the last change on this item; gives its cell, or true for notes or all, or null if there was none. */
function undoLast(view) {
  const last = view.undo.pop();
  if (!last) return null;
  view.armed = false;
  if (last.notes) { view.notes = last.notes; view.values = last.values || view.values; return true; }
  if (last.had) view.values.set(last.c.key, last.old); else view.values.delete(last.c.key);
  return last.c;
}

/** The notes with a person's better text for a unit; without it if it equals the present text. */
function withBetter(view, unit, text) {
  const others = view.notes.filter((n) => n.sort !== "better" || n.unit !== unit), held = view.notes.find((n) => n.sort === "better" && n.unit === unit);
  const own = text.trim(), was = saidIn(view, unit).trim();
  if (held && held.text === own) return view.notes;
  return own && own !== was ? [...others, { unit, sort: "better", text: own }] : held ? others : view.notes;
}

/** What the assistant says in a unit. */
function saidIn(view, unit) {
  const row = view.sheet.rows.find((r) => r.unit === unit), said = row.texts.find((t) => t.role === "assistant" || t.role === "output");
  return (said && readOf(said)) || "";
}

const stepOf = (c, v) => c.choices.find((s) => s.v === v) || (c.cell.range && within(c.cell.range, v) ? { v, t: numeral(v) } : undefined);
// A person may answer a dimension that only the judge states, but need not: without an answer it counts nowhere.
const missing = (view) => view.cells.filter((c) => !c.cell.optional && !view.values.has(c.key) && !offerOf(view, c));
// Values that "accept the rest" takes from the judge although they were never on screen, so the person did not look at them.
const unseen = (view) => view.cells.filter((c) => !c.cell.optional && !c.seen && !view.values.has(c.key) && offerOf(view, c));
const nextAsked = (view, c) => view.cells.find((x) => x.i > c.i && !x.cell.optional);

// ---- numbers that are typed, because their scale has too many answers to be listed

/** A number with so many digits, but with all of those before its point. */
const numeral = (v, digits = 7) => String(Number(Number(v).toPrecision(Math.max(digits, String(Math.trunc(Math.abs(v))).length))));
const onStep = (range, v) => !range.step || Math.abs((v - range.lo) / range.step - Math.round((v - range.lo) / range.step)) < 1e-6;
const within = (range, v) => typeof v === "number" && v >= range.lo && v <= range.hi && onStep(range, v);

/** The number in a text, with a point or a comma, in digits of any width; NaN if there is none. */
function numberOf(text) {
  const t = text.normalize("NFKC").trim().replace(/[\u2212\u2013]/g, "-").replace(",", ".");
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(t) ? Number(t) : NaN;
}

/** Why a text is not an answer on a range; "" if it is one. */
function offRange(range, label, text) {
  const v = numberOf(text), bounds = `${label} goes from ${numeral(range.lo)} to ${numeral(range.hi)}`;
  const whole = text.normalize("NFKC").trim().replace(/^([-+\u2212\u2013]?[1-9]\d{0,2}),(\d{3})$/, "$1$2"), other = numberOf(whole);
  if (other !== v && other >= range.lo && other <= range.hi) return `${text.trim()} may be ${numeral(v)} or ${numeral(other)}: type it without a comma, or with a point.`;
  if (Number.isNaN(v)) return `${text.trim().slice(0, 24)} is not a number. ${bounds}.`;
  if (v < range.lo || v > range.hi) return `${text.trim().slice(0, 24)} is out of range. ${bounds}.`;
  return onStep(range, v) ? "" : `${bounds} in steps of ${numeral(range.step)}: ${text.trim().slice(0, 24)} lies between two.`;
}

const MOST_REASON = 2000; // letters that data/desk and data/adjudication save

/** Why a reason is too long to be saved; "" if it is not. */
function tooLong(reason) {
  const length = [...reason].length;
  return length > MOST_REASON ? `The reason has ${length.toLocaleString("en")} letters; at most ${MOST_REASON.toLocaleString("en")} are allowed.` : "";
}

/** The answer of a list that a digit names: the answer of that number on a scale, else the n-th; 0 is ten, or 0 itself where there is no ten. */
function stepOfDigit({ kind, steps }, n) {
  const real = steps.filter((s) => s.v !== null), at = (v) => real.find((s) => s.v === v);
  if (kind !== "ordinal" && kind !== "turn" && kind !== "interval") return real[(n || 10) - 1];
  return at(n || 10) || (n ? undefined : at(0));
}

/** The answer of a list beside the one that stands there now: the first or last one where there is none, the last one beside n/a. */
function stepBeside({ steps }, now, by) {
  const real = steps.filter((s) => s.v !== null), i = real.findIndex((s) => s.v === now);
  return real[i < 0 ? (by > 0 && now !== null ? 0 : real.length - 1) : Math.max(0, Math.min(real.length - 1, i + by))];
}

/** The number one arrow key away from another; without a number, the end from which the arrow starts. */
function slid(range, now, by) {
  if (typeof now !== "number" || Number.isNaN(now)) return by > 0 ? range.lo : range.hi;
  let to = now + by * range.by;
  if (range.step) to = range.lo + Math.round((to - range.lo) / range.step) * range.step;
  return Math.max(range.lo, Math.min(range.hi, Number(to.toPrecision(12))));
}

function counts(view) {
  const n = { all: 0, accepted: 0, changed: 0, left: 0, answered: 0, none: 0, since: 0 };
  for (const c of view.cells) {
    const judge = judgeOf(view, c), has = view.values.has(c.key);
    if (c.cell.optional && !has) continue;
    n.all++;
    if (has && judge) n[!agrees(judge, view.values.get(c.key)) ? "changed" : judge.between ? "answered" : "accepted"]++;
    else if (has) n.answered++;
    else n[judge && !judge.between ? "left" : "none"]++;
    if (has && (!view.base.values.has(c.key) || view.base.values.get(c.key) !== view.values.get(c.key))) n.since++;
  }
  n.given = n.accepted + n.changed + n.answered;
  return n;
}

/** What would be saved, as [number, words, class] parts. The footer, the button's title and the live region all say this. */
function summary(view) {
  const n = counts(view), parts = [];
  if (isBlind(view)) parts.push([n.given, ` of ${n.all} answered`]);
  else {
    if (n.accepted || (!n.changed && !n.answered)) parts.push([n.accepted, " accepted"]);
    if (n.changed) parts.push([n.changed, " changed", "c"]);
    if (n.answered) parts.push([n.answered, " answered"]);
    if (n.left) parts.push(["", `${n.left} left as the judge has them`]);
    if (n.none) parts.push(["", `${n.none} without an answer`]);
  }
  if (view.saved) parts.push(["", dirty(view) ? (n.since ? `${n.since} changed since it was saved` : "notes changed since it was saved") : "saved, nothing changed since"]);
  return parts;
}

const summaryText = (view) => summary(view).map(([n, words]) => `${n}${words}`).join(" · ");

function answerOf(d, view, action, reason) {
  const values = [];
  if (action === "save") for (const c of view.cells) {
    const judge = judgeOf(view, c), has = view.values.has(c.key);
    if (has || (offerOf(view, c) && !c.cell.optional)) values.push({ unit: c.cell.unit, dimension: c.cell.dimension, v: has ? view.values.get(c.key) : judge.v, saw: !!judge, seen: judge ? (judge.between || judge).v : null, ...(has || c.seen ? {} : { unseen: true }), ...(c.cell.by && c.cell.by !== view.sheet.judge ? { judge: c.cell.by } : {}) });
  }
  const s = view.sheet;
  return { key: uuid(), person: d.person, action, item: s.item, claim: s.claim, judge: s.judge, mode: s.mode, version: s.version,
    values, asked: [...new Set(view.cells.map((c) => `${c.cell.sort}/${c.cell.dimension}`))], notes: view.notes.filter((n) => n.sort !== "better").map((n) => ({ ...n })), repairs: repairsOf(view),
    reason, ms: Math.round(view.ms) };
}

const repairsOf = (view) => view.notes.filter((n) => n.sort === "better").map(({ unit, text }) => ({ unit, text }));
const notesOf = (answer) => [...answer.notes, ...(answer.repairs || []).map(({ unit, text }) => ({ unit, sort: "better", text }))];

// ---- active time

function tick(d) {
  const now = performance.now(), gap = now - d.lastInput;
  if (d.view && !d.paused && d.lastInput && gap <= PAUSE) d.view.ms += gap;
  d.lastInput = now;
}

// ---- drafts: half-made values, kept in this browser until the item is saved

const draftKey = (d, item) => `assay:draft:${d.person}:${item}`;

function saveDraft(d, view) {
  if (view.done) return;
  const e = d.editor, notes = e && e.view === view && e.sort === "better" ? withBetter(view, e.unit, e.input.value) : view.notes;
  if (!dirty(view) && notes === view.notes) { if (view.drafted) box.drop(draftKey(d, view.sheet.item)); view.kept = view.drafted = false; return; } // another tab's draft is not this one's to drop
  view.kept = box.set(draftKey(d, view.sheet.item), { version: view.sheet.version, mode: view.sheet.mode, at: Date.now(), ms: Math.round(view.ms), here: view.here,
    values: view.cells.filter((c) => view.values.has(c.key)).map((c) => [c.cell.unit, c.cell.dimension, view.values.get(c.key)]), notes });
  view.drafted ||= view.kept;
}

function loadDraft(d, view) {
  const key = draftKey(d, view.sheet.item), draft = box.get(key);
  if (!draft) return;
  if (draft.version !== view.sheet.version || draft.mode !== view.sheet.mode || !Array.isArray(draft.values) || !Array.isArray(draft.notes)) return box.drop(key);
  const values = new Map(view.base.values);
  for (const entry of draft.values) {
    const c = Array.isArray(entry) && view.index.get(cellKey(entry[0], entry[1]));
    if (c && stepOf(c, entry[2])) values.set(c.key, entry[2]);
  }
  const notes = draft.notes.filter((n) => n && typeof n.text === "string" && typeof n.unit === "string" && (n.sort === "issue" || n.sort === "comment" || n.sort === "better"));
  setAll(view, values, JSON.stringify(notes) === JSON.stringify(view.notes) ? view.notes : notes);
  if (dirty(view)) { view.draft = draft.at; view.drafted = true; } else view.undo.pop();
  if (Number.isFinite(draft.ms)) view.ms = draft.ms;
  if (view.cells[draft.here]) view.here = draft.here;
}

function tidyDrafts(d) {
  for (const key of box.keys(`assay:draft:${d.person}:`)) {
    const draft = box.get(key);
    if (!draft || !(Date.now() - draft.at < 30 * 86400000)) box.drop(key);
  }
}
