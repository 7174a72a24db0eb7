// keys.js: the keyboard and the mouse. There is one listener for each event type; the key or target decides what happens.

const ours = (d, node) => node && (node === d.root || d.root.contains(node));
const typing = (node) => node && !(node.classList && node.classList.contains("num")) && (/^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName) || node.isContentEditable);

function onKey(d, e) {
  if (!d.root || !d.root.isConnected) return;
  const target = e.composedPath()[0], inside = ours(d, target);
  if (isTheirs(d.root, e)) return;
  tick(d);
  if (e.isComposing || e.keyCode === 229) return;
  if (inside && typing(target)) return onTyping(d, e, target);
  if (/^(Control|Meta|Shift|Alt|AltGraph|CapsLock|Process|Dead|Unidentified|F\d+)$/.test(e.key)) return;
  const done = () => { e.preventDefault(); e.stopPropagation(); };
  const goes = e.key === "Enter" && (e.ctrlKey || e.metaKey);
  if (isShortcut(e) && !goes) return;
  // a held key keeps its first meaning: releasing Ctrl too early must not turn into "accept"
  const meaning = (goes ? "go" : e.key) + (d.menu || d.card ? "|menu" : "");
  if (!e.repeat) d.held = meaning;
  else if (d.held !== meaning) { if (e.key === "Enter") done(); return; }
  const whole = d.whole;
  d.whole = null;
  const key = keyName(e);
  if (!/^[0-9]$/.test(key)) d.pointed = null;
  if (d.card) return onCardKey(d, e, done);
  if (d.menu) return onMenuKey(d, e, done);
  if (goes) { done(); dropHint(d); return go(d, e.repeat); }
  if (whole && /^[.,]$/.test(e.key) && point(d, whole)) return done();
  if (target.closest(".md-wide") && /^Arrow(Left|Right)$/.test(e.key)) return; // scrolls a wide table, or code
  const field = inside && target.classList.contains("num");
  if (field && /^([0-9.,-]|Backspace|Delete|Home|End)$/.test(e.key)) return e.stopPropagation();
  if (tabbed && target.classList.contains("clip") && /^(Arrow(Up|Down)|Home|End)$/.test(e.key)) return; // it scrolls
  const onButton = inside && target.tagName === "BUTTON";
  if ((e.key === "Enter" || e.key === " ") && (onButton || (inside && target.closest("a, summary")))) return;
  if (e.key === " " && inside && target.classList.contains("step")) { done(); return target.click(); }
  if (e.key === " " || e.key === "Tab") return;
  const act = ACTS[key] || (/^[0-9]$/.test(key) ? digit : null);
  if (!act) { if (field && e.key.length === 1) e.preventDefault(); return; }
  if (!d.view && !FREE.has(key)) { if (e.key !== "Escape") done(); return; }
  if (e.key === "Escape" && !canEscape(d)) return;
  done();
  if (e.repeat && !HOLD.has(key)) return;
  if (!inside) focusHere(d, true);
  dropHint(d);
  if (act !== digit && !/^Arrow(Left|Right)$/.test(e.key) && typed(here(d))) {
    if (e.key === "Escape" || act === undo) return dropTyped(d.view, here(d));
    if (!takeTyped(d)) return;
  }
  act(d, { key, repeat: e.repeat });
}

const FREE = new Set(["b", "?", "h", "Escape"]);
const HOLD = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "j", "k", "[", "]", "Enter"]);
const here = (d) => d.view && d.view.cells[d.view.here];
const canEscape = (d) => d.full || d.inPast || typed(here(d));

const ACTS = {
  ArrowDown: (d) => moveTo(d, d.view.here + 1), j: (d) => moveTo(d, d.view.here + 1),
  ArrowUp: (d) => moveTo(d, d.view.here - 1), k: (d) => moveTo(d, d.view.here - 1),
  ArrowLeft: (d) => slide(d, -1), ArrowRight: (d) => slide(d, 1),
  "[": (d) => hop(d, -1), "]": (d) => hop(d, 1),
  Enter: accept, n: notApplicable, u: undo, b: back, w: weakest, v: reveal, "?": openCard, s: openSkip,
  e: (d) => openBetter(d), i: (d) => openEditor(d, "issue"), m: (d) => openEditor(d, "comment"),
  d: wholeNote, g: firstUnseen,
  l: (d) => foldAll(d), t: (d) => unfold(d, ".tool, .think", "Nothing is folded here: no thinking, and no tool was called."), o: (d) => unfold(d, ".judgment", "No other judge is shown here."),
  r: (d) => unfold(d, ".reference", "No reference answer is folded here."), x: rawKey, y: nextDoubt, h: openGuide,
  Escape: (d) => { if (d.full) wholeNote(d); else if (d.inPast) forward(d); },
};

function accept(d, e) {
  const { view } = d, c = here(d), said = [];
  if (!c) return;
  const judge = judgeOf(view, c);
  if (!view.values.has(c.key)) {
    if (judge && !e.repeat && offScreen(d, c)) { moveTo(d, c.i); return hint(d, "This rating was out of sight: Enter accepts the judge's value."); }
    if (!judge) return hint(d, isBlind(view) ? "There is no value to accept: the judge's scores are hidden. Give your own." : "The judge has no value here. Give your own.");
    if (judge.between) return hint(d, `The judge's ${judge.exact} lies between two of your answers: choose one.`);
    give(d, c, judge.v);
    if (judge.exact) said.push(`${stepOf(c, judge.v).t} is the answer nearest to the judge's ${judge.exact}.`);
  }
  const next = nextAsked(view, c);
  if (!next) said.push(`That was the last one: ${GO} saves and goes on.`);
  if (said.length) hint(d, said.join(" "));
  if (next) moveTo(d, next.i);
}

/** Makes the typed text the answer; gives false, with a sentence, if it is not an answer. */
function takeTyped(d) {
  const c = here(d);
  if (!typed(c)) return true;
  const why = offRange(c.cell.range, c.cell.label, c.input.value);
  if (why) { c.input.setAttribute("aria-invalid", "true"); hint(d, `${why} Esc takes it back.`); return false; }
  give(d, c, numberOf(c.input.value));
  markCell(d.view, c);
  return true;
}

const dropTyped = (view, c) => markCell(view, c);

/** For 4.5 on a list of half points: the 4 was already an answer and moved on, so the point goes back to it. */
function point(d, { c, n, at }) {
  if (!d.view || d.view.cells[c.i] !== c || performance.now() - at > 1500) return false;
  moveTo(d, c.i);
  d.pointed = { c, n };
  return true;
}

function digit(d, { key }) {
  const c = here(d), n = Number(key);
  if (!c) return;
  if (c.input) { const begun = typed(c) ? c.input.value : ""; c.input.focus({ preventScroll: true }); c.input.value = begun + key; return; }
  const { kind, steps } = c.cell, whole = kind === "ordinal" || kind === "interval", real = steps.filter((s) => s.v !== null);
  const before = d.pointed && d.pointed.c === c ? d.pointed.n : null, said = before === null ? n || 10 : `${before}.${n}`;
  let step, stay = false;
  d.pointed = null;
  if (before !== null) step = real.find((s) => Math.abs(s.v - before - n / 10) < 1e-6);
  else if (kind === "turn") {
    const most = Math.max(...real.map((s) => s.v)), now = performance.now(), soon = d.lastDigit && d.lastDigit.c === c && now - d.lastDigit.at < 1000;
    const number = (soon ? d.lastDigit.n * 10 : 0) + n;
    step = real.find((s) => s.v === number) || real.find((s) => s.v === n);
    stay = most > 9; // more digits may follow
    d.lastDigit = { c, n: number <= most ? number : n, at: now };
  } else step = stepOfDigit(c.cell, n);
  if (kind === "interval" && before === null) d.whole = { c, n, at: performance.now() };
  if (!step) return hint(d, `${c.cell.label} has no ${said}: ${whole ? `it goes from ${real[0].t} to ${real[real.length - 1].t}` : kind === "turn" ? "choose one of its turns" : `it has ${real.length} answers`}.`);
  give(d, c, step.v);
  const next = nextAsked(d.view, c);
  if (!stay && next) moveTo(d, next.i); else focusAnswer(d, c);
}

/** Stays on a cell; of one that is higher than the page its answer comes into view. */
function focusAnswer(d, c) {
  focusHere(d);
  if (c.active) bringIn(d, c.active);
}

/** Shows or hides the judge's whole note and the definition, under the cells, which do not move. */
function wholeNote(d) {
  d.full = !d.full;
  if (!d.view) return;
  pin(d);
  drawNote(d, d.view);
  d.lastRow = d.view.rowEls[(here(d) || {}).r]; // it opens in the row that the person reads
  scrollToCell(d);
}

function firstUnseen(d) {
  const [c] = unseen(d.view);
  if (c) moveTo(d, c.i); else hint(d, "Every rating of this item was on screen.");
}

function notApplicable(d) {
  const c = here(d);
  if (!c) return;
  if (!stepOf(c, null)) return hint(d, `${c.cell.label} does not allow n/a.`);
  give(d, c, null);
  const next = nextAsked(d.view, c);
  if (next) moveTo(d, next.i);
}

function slide(d, by) {
  const c = here(d), { view } = d;
  if (!c) return;
  const judge = judgeOf(view, c);
  const now = view.values.has(c.key) ? view.values.get(c.key) : judge ? judge.v : undefined;
  if (c.input) {
    give(d, c, slid(c.cell.range, typed(c) ? numberOf(c.input.value) : now, by));
    markCell(view, c);
    return focusHere(d);
  }
  give(d, c, stepBeside(c.cell, now, by).v);
  focusAnswer(d, c);
}

function hop(d, by) {
  const c = here(d);
  if (!c) return;
  const rows = [...new Set(d.view.cells.map((x) => x.r))], to = rows[Math.max(0, Math.min(rows.length - 1, rows.indexOf(c.r) + by))];
  moveTo(d, d.view.cells.find((x) => x.r === to).i);
}

function undo(d) {
  const { view } = d, what = undoLast(view);
  if (!what) return hint(d, "Nothing to undo on this item.");
  if (what === true) { for (const c of view.cells) markCell(view, c); drawNotes(view); }
  else { markCell(view, what); place(d, what.i); scrollToCell(d); focusHere(d); }
  changed(d, view);
}

function weakest(d) {
  const { view } = d, c = here(d), target = view.cells.find((x) => x.cell.kind === "turn");
  if (!target) return hint(d, "This item does not ask for its weakest turn.");
  if (!c || c.row.sort !== "turn") return moveTo(d, target.i);
  const n = Number(c.row.no), judge = judgeOf(view, target);
  const to = view.values.get(target.key) === n ? 0 : n;
  if (!stepOf(target, to)) return hint(d, `Turn ${n} cannot be chosen as the weakest.`);
  give(d, target, to);
  hint(d, to === 0 ? "No turn is marked as the weakest." : `Turn ${n} is the weakest turn${judge ? (judge.v === n ? ", as the judge has it" : "") : ""}.`);
}

function foldAll(d, button2) {
  const folds = [...d.ui.body.querySelectorAll(".part.fold")].filter((f) => f.querySelector("[data-do=fold]"));
  if (!folds.length) return hint(d, "There is no long input to open.");
  const open = !(button2 ? button2.closest(".part") : folds[0]).classList.contains("open");
  for (const f of button2 ? [button2.closest(".part")] : folds) {
    f.classList.toggle("open", open);
    const b = f.querySelector("[data-do=fold]");
    b.setAttribute("aria-expanded", open);
    b.firstChild.textContent = open ? "fold" : "show all";
  }
}

/** Opens or folds all parts of a sort in this turn; if it has none, those of the whole item. */
function unfold(d, sort, none) {
  const row = here(d) && d.view.rowEls[here(d).r], found = [...(row && row.querySelector(sort) ? row : d.ui.body).querySelectorAll(sort)];
  if (!found.length) return hint(d, none);
  const open = !found[0].open;
  for (const one of found) one.open = open;
}

/** Switches between raw and formatted texts; the current rating stays in place. */
function rawKey(d) {
  const row = (here(d) || {}).el, at = row && row.getBoundingClientRect().top;
  turnRaw(d.person, [d.view, d.front, ...d.queue.map((q) => q.view)].map((view) => view && view.tree));
  if (row && d.scroller) d.scroller.scrollTop += row.getBoundingClientRect().top - at;
  drawFoot(d);
  say(d, texts.raw ? "Texts as they came." : "Texts are formatted.");
}

// ---- keys elsewhere: in our own inputs, in the skip menu, on the key card

function onTyping(d, e, target) {
  e.stopPropagation(); // Streamlit's own shortcuts must not see what is typed
  if (e.repeat && d.held === e.key) return e.preventDefault(); // the key that opened the field is still held
  if (!e.repeat) d.held = "typed";
  const skipping = d.menu && target === d.menu.input;
  if (e.key === "Tab" && skipping) return trap(d, e, d.menu.el);
  if (skipping && (e.key === "ArrowDown" || e.key === "ArrowUp")) { e.preventDefault(); return pickReason(d, e.key === "ArrowDown" ? Math.min(REASONS.length - 1, d.menu.reason + 1) : Math.max(0, d.menu.reason - 1)); }
  if (e.key !== "Enter" && e.key !== "Escape") return;
  const better = d.editor && d.editor.sort === "better" && target === d.editor.input;
  if (better && e.key === "Enter" && !e.ctrlKey && !e.metaKey) return; // a new line
  e.preventDefault();
  if (e.repeat) return;
  if (d.editor && target === d.editor.input) {
    if (e.key === "Enter" || better) keepEditor(d); else dropEditor(d);
    focusHere(d, true);
  } else if (skipping) {
    if (e.key === "Enter") skip(d); else { closeDock(d); focusHere(d, true); }
  }
}

/** In the skip dialog, beside its field: arrows and digits choose, and what is written goes to the field. */
function onMenuKey(d, e, done) {
  const { menu } = d, at = d.root.getRootNode().activeElement, on = Number(at?.dataset.n), button2 = at && /^(doskip|closedock)$/.test(at.dataset.do);
  if (e.key === "Tab") return trap(d, e, menu.el);
  if ((e.key === "Enter" || e.key === " ") && button2) return;
  if (e.key.length === 1 && !/^[ 1-9]$/.test(e.key)) return menu.input.focus({ preventScroll: true }); // and is written there
  done();
  if (/^[1-9]$/.test(e.key)) { if (e.key <= REASONS.length) pickReason(d, Number(e.key) - 1); }
  else if (e.key === "ArrowDown") pickReason(d, Math.min(REASONS.length - 1, menu.reason + 1));
  else if (e.key === "ArrowUp" && on > 0) pickReason(d, on - 1);
  else if (e.key === "ArrowUp") { showReason(d, -1); menu.input.focus({ preventScroll: true }); }
  else if (e.key === " " && on >= 0) pickReason(d, on);
  else if (e.key === "Enter") skip(d);
  else if (e.key === "Escape") { closeDock(d); focusHere(d, true); }
}

/** Tab stays inside a dialog. */
function trap(d, e, box2) {
  const stops = [...box2.querySelectorAll("button, input, textarea")].filter((n) => n.tabIndex >= 0 && n.getClientRects().length);
  const at = stops.indexOf(d.root.getRootNode().activeElement), to = stops.at(e.shiftKey ? Math.max(at, 0) - 1 : (at + 1) % stops.length);
  e.preventDefault();
  e.stopPropagation();
  to.focus({ preventScroll: true });
}

function onCardKey(d, e, done) {
  if (e.key === "Tab") return trap(d, e, d.card.el);
  done();
  const card = d.card.el.querySelector(".card"), by = { ArrowUp: -60, ArrowDown: 60, PageUp: -400, PageDown: 400, Home: -card.scrollHeight, End: card.scrollHeight }[e.key];
  if (by) card.scrollBy(0, by);
  if (!e.repeat && (/^(Escape|[?h])$/.test(e.key) || e.key === "Enter" || e.key === " ")) closeCard(d);
}

// ---- the mouse

const CLICKS = {
  go: (d, e) => { if (e.detail > 1 && performance.now() - d.shownAt < 450) return; go(d, false); }, // the second half of a double click is no second answer
  back, undo, raw: rawKey, skip: (d) => (d.menu ? closeDock(d) : openSkip(d)), keys: openCard, comment: (d) => openEditor(d, "comment"),
  better: (d) => openBetter(d), keepbetter: (d) => { keepEditor(d); focusHere(d, true); },
  fold: (d, e, b) => foldAll(d, b), doskip: skip, closedock: (d) => { closeDock(d); focusHere(d, true); },
  reason: (d, e, b) => pickReason(d, Number(b.dataset.n)),
  keepeditor: (d) => { keepEditor(d); focusHere(d, true); }, dropeditor: (d) => { dropEditor(d); focusHere(d, true); },
  issue: (d) => openEditor(d, "issue"), whole: wholeNote, reveal, unseen: firstUnseen,
  undraft: (d) => { const { view } = d; setAll(view, view.base.values, view.base.notes); view.draft = 0; for (const c of view.cells) markCell(view, c); drawNotes(view); changed(d, view); focusHere(d); },
  unnote: (d, e, b) => { const n = Number(b.dataset.n); setNotes(d.view, d.view.notes.filter((_, i) => i !== n)); drawNotes(d.view); changed(d, d.view); },
  reopen: (d, e, b) => reopen(d, b.dataset.item),
  unrefuse: (d, e, b) => dropRefused(d, b.dataset.item),
  unnotice: (d) => { d.notice = null; drawToasts(d); },
  again: (d) => { d.empty = null; show(d, null); d.tries = 0; sendSoon(d); },
  doubt: (d, e, b) => toDoubt(d, Number(b.dataset.n)), guide: openGuide, guideseen: noteGuide, legend: turnLegend,
  closecard: (d, e, b) => { if (b.tagName === "BUTTON" || e.target === b) closeCard(d); },
};

function onClick(d, e) {
  tick(d);
  dropHint(d);
  if (!e.target.closest(".num") && !takeTyped(d)) { if (e.target.closest("[data-do=go]")) return; dropTyped(d.view, here(d)); }
  if (d.menu && !e.target.closest(".menu, [data-do]")) closeDock(d);
  const step = e.target.closest(".cell .step"); // those of the legend are none
  if (step) {
    const c = d.view.cells[step.closest(".cell").dataset.i];
    keepEditor(d);
    place(d, c.i);
    give(d, c, c.choices[c.steps.indexOf(step)].v);
    return focusHere(d);
  }
  const b = e.target.closest("[data-do]");
  if (b && !b.disabled) return CLICKS[b.dataset.do](d, e, b);
  const cell = e.target.closest(".cell");
  if (cell) { place(d, Number(cell.dataset.i)); return focusHere(d); }
  const row = e.target.closest(".row");
  if (e.target.closest("summary")) { if (e.detail) focusHere(d, true); return; } // detail 0: by the keyboard, which stays there
  if (e.target.closest(".note") && String(getSelection()) === "") return wholeNote(d);
  if (row && !typing(e.target) && String(getSelection()) === "") {
    const r = Number(row.dataset.row), c = here(d);
    if (c && c.r === r) return;
    const to = d.view.cells.find((x) => x.r === r);
    if (to) { place(d, to.i); focusHere(d); }
  }
}

/** The mouse does not carry the keyboard's focus to buttons: Enter afterwards still means "accept". */
function onPointer(d, e) {
  if (e.target.closest("button, .step") && !e.target.closest(".card")) e.preventDefault();
  const num = e.target.closest(".num");
  if (num && num.getRootNode().activeElement !== num) { e.preventDefault(); num.focus({ preventScroll: true }); } // the first click selects what stands there
  if (typing(document.activeElement)) document.activeElement.blur();
}
