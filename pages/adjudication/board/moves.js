// moves.js: the keys, the mouse, what is sent and what comes back.

const ownField = (b) => b.ui.panel.querySelector("input.own");
/** The field for a reason, if the person writes in it. */
const writtenIn = (b) => { const input = ownField(b); return input && b.root.getRootNode().activeElement === input ? input : null; };
const inText = (node) => node && /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName);

function showCell(b, at, quiet) {
  const n = b.now ? openCells(b, b.now).length : 0;
  b.at = Math.max(0, Math.min(n - 1, at));
  b.phase = "value"; b.hint = ""; b.typed = "";
  drawBoard(b);
  if (!quiet) intoView(b);
}

/** The row of the cell in hand on screen; one that is higher than the screen, from its beginning. */
function intoView(b) {
  const row = b.ui.texts.querySelector(".row.here");
  if (!row) return;
  const bar = parseFloat(getComputedStyle(b.root).getPropertyValue("--top")) || 0, r = row.getBoundingClientRect();
  const { position, bottom } = getComputedStyle(b.ui.panel), below = position === "sticky" && bottom === "0px" ? b.ui.panel.offsetHeight : 0, room = innerHeight - bar - below;
  if (r.height < room - 70) return row.scrollIntoView({ block: "nearest" });
  if (r.top < bar || r.top > bar + room / 2) row.scrollIntoView({ block: "start" });
}

/** Beneath its text, on a narrow screen, the case that a key has changed is brought on screen too. */
function caseInView(b) {
  const here = b.ui.panel.querySelector(".case.here");
  if (here && getComputedStyle(b.ui.panel).position === "static") here.scrollIntoView({ block: "nearest" });
}

function showItem(b, item) {
  b.now = item; b.at = 0; b.sure = null;
  showCell(b, 0, true);
  const top = b.root.getBoundingClientRect().top;
  if (top < 0) b.root.scrollIntoView({ block: "start" });
  const cell = cellNow(b);
  if (cell) { intoView(b); tell(b, `${item.title}: ${cell.label}, ${unitWords(cell.unit)}, ${cell.apart}`); }
}

/** The item before or after, of those with an open cell; without a direction the first. */
function onward(b, by) {
  const some = b.items.filter((i) => openCells(b, i).length), i = some.indexOf(b.now);
  showItem(b, by ? some[Math.max(0, Math.min(some.length - 1, i + by))] || null : some[0] || null);
  const here = b.items.reduce((n, item) => n + item.cells.length, 0);
  if (by && here < (b.progress || {}).left && some.indexOf(b.now) >= some.length - 2) sendActs(b, true); // there are more
}

function pick(b, v) {
  const cell = cellNow(b);
  if (!cell) return;
  b.picks.set(keyOf(b.now, cell), v);
  b.hint = "";
  drawBoard(b);
  caseInView(b);
}

function digitKey(b, n) {
  const cell = cellNow(b);
  if (!cell) return;
  if (cell.range) return typeKey(b, String(n));
  const step = stepOfDigit(cell, n);
  if (!step) return say2(b, `${cell.label} has no ${n || 10}.`);
  pick(b, step.v);
}

/** A number whose scale has too many answers to be listed is typed, letter by letter. */
function typeKey(b, key) {
  b.typed = key === "Backspace" ? b.typed.slice(0, -1) : (b.typed + key).slice(0, 24);
  b.hint = "";
  drawBoard(b);
  caseInView(b);
}

/** What was typed becomes the value; false, and a sentence, where it is none. */
function takeTypedNumber(b) {
  const cell = cellNow(b);
  if (!cell || !b.typed) return true;
  const why = offRange(cell.range, cell.label, b.typed), v = numberOf(b.typed);
  if (why) { say2(b, why); return false; }
  b.typed = "";
  pick(b, v);
  return true;
}

function say2(b, words) { b.hint = words; drawBoard(b); caseInView(b); tell(b, words); }

function slideKey(b, by) {
  const cell = cellNow(b);
  if (!cell) return;
  const now = cell.range && b.typed ? numberOf(b.typed) : b.picks.get(keyOf(b.now, cell));
  if (cell.range) b.typed = "";
  pick(b, cell.range ? slid(cell.range, now, by) : stepBeside(cell, now, by).v);
}

/** An act waits here and in the browser until the server has done or refused it. */
function enqueue(b, place, act) {
  const one = { person: b.person, dataset: b.dataset, place, at: performance.timeOrigin + performance.now(), act };
  b.outbox.push(one);
  one.lost = !box.set(actKey(b.person, act.key), one);
}

/** The act with that key, which no longer waits; undefined where another tab sent it, or another page. */
function takeOut(b, key) {
  box.drop(actKey(b.person, key));
  const i = b.outbox.findIndex((one) => one.act.key === key);
  return i < 0 ? undefined : b.outbox.splice(i, 1)[0];
}

/** Into the field for a reason; one that an undone decision had is replaced by what is typed. */
function beginWords(b) {
  const field = ownField(b);
  if (field) field.focus();
  if (field && b.restored === keyOf(b.now, cellNow(b))) field.select();
}

function decideNow(b, reason) {
  const cell = cellNow(b), item = b.now;
  if (!cell) return;
  const place = keyOf(item, cell);
  if (!b.picks.has(place)) return say2(b, "Choose a value first.");
  if (!reason.trim()) return say2(b, "A reason is needed: a number, or your own words.");
  const why = tooLong(reason.trim());
  if (why) {
    b.phase = "reason";
    say2(b, why);
    return ownField(b).focus();
  }
  const v = b.picks.get(place), key = uuid(), at = b.at;
  enqueue(b, place, { key, action: "decide", item: item.item, unit: cell.unit, dimension: cell.dimension, v, reason: reason.trim(), token: cell.token });
  b.history.push({ key, item, cell, v, reason: reason.trim(), names: null });
  b.undone.delete(place);
  b.picks.delete(place);
  b.words.delete(place);
  b.made++;
  for (const [refusal, of] of b.refused) if (of.place === place) b.refused.delete(refusal); // it is decided anew
  if (openCells(b, item).length) showCell(b, at);
  else onward(b, 0);
  sendActs(b);
  tell(b, `Decided: ${cell.label}, ${wordOf(cell, v)}.`);
}

function undoKey(b) {
  const last = b.history.pop();
  if (!last) return say2(b, "Nothing has been decided in this visit yet.");
  enqueue(b, keyOf(last.item, last.cell), { key: uuid(), action: "withdraw", of: last.key });
  b.undone.add(keyOf(last.item, last.cell));
  b.made = Math.max(0, b.made - 1);
  const held = b.items.find((i) => i.item === last.item.item);
  let item = held || last.item;
  if (!held) b.items.unshift(item);
  const same = (c) => c.unit === last.cell.unit && c.dimension === last.cell.dimension;
  if (!item.cells.some(same)) { item = { ...item, sig: "", cells: [...item.cells, last.cell] }; b.items = b.items.map((i) => (i.item === item.item ? item : i)); }
  b.picks.set(keyOf(item, last.cell), last.v);
  if (!REASONS.includes(last.reason)) b.words.set((b.restored = keyOf(item, last.cell)), last.reason);
  b.now = item; b.sure = null;
  showCell(b, openCells(b, item).findIndex(same));
  sendActs(b);
  tell(b, `Taken back: ${last.cell.label}.`);
}

function judgeKey(b) {
  if (!b.now || b.now.saw) return;
  if (b.sure !== b.now.item) { b.sure = b.now.item; return drawBoard(b); }
  b.ask = b.now.item;
  sendActs(b);
}

function sendActs(b, moved) {
  if (!b.set) return;
  afterPaint(() => {
    if (!b.set || !(b.outbox.length || b.ask || moved)) return;
    b.set("outbox", { acts: b.outbox.slice(0, AT_ONCE).map((o) => o.act), reveal: b.ask, now: b.now && b.now.item, nonce: ++b.nonce });
    b.silentSince ??= Date.now();
    if (isLate(b) && b.ui.status.textContent !== savingText(b)) {
      drawStatus(b);
      if (!writtenIn(b)) drawBoard(b); // an input method would lose what it composes
      tell(b, savingText(b));
    }
    clearTimeout(b.timer);
    b.timer = setTimeout(() => sendActs(b), RESEND);
  });
}

const MOVES = {
  ArrowDown: (b) => showCell(b, b.at + 1), j: (b) => showCell(b, b.at + 1), ArrowUp: (b) => showCell(b, b.at - 1), k: (b) => showCell(b, b.at - 1),
  ArrowLeft: (b) => slideKey(b, -1), ArrowRight: (b) => slideKey(b, 1), "]": (b) => onward(b, 1), "[": (b) => onward(b, -1), u: undoKey, v: judgeKey,
  n: (b) => { const c = cellNow(b); if (!c) return; if (c.steps.some((s) => s.v === null)) pick(b, null); else say2(b, `${c.label} does not allow n/a.`); },
  Enter: (b) => { const c = cellNow(b); if (!c) return; if (!b.picks.has(keyOf(b.now, c))) return say2(b, "Choose a value first."); b.phase = "reason"; b.hint = ""; drawBoard(b); caseInView(b); },
  t: (b) => { const all = [...b.ui.texts.querySelectorAll(".folded")], open = !(all[0] || {}).open; for (const tool of all) tool.open = open; },
  x: (b) => { const row = b.ui.texts.querySelector(".row.here"); turnRaw(b.person, [b.ui.texts]); drawBoard(b); if (row) row.scrollIntoView({ block: "nearest" }); },
  l: (b) => { for (const f of b.ui.texts.querySelectorAll(".part.fold")) f.classList.toggle("open"); },
};

function boardKey(b, e) {
  if (!b.root || !b.root.isConnected || e.isComposing || e.keyCode === 229) return;
  const target = e.composedPath()[0], inside = target === b.root || b.root.contains(target);
  if (isTheirs(b.root, e)) return;
  const done = () => { e.preventDefault(); e.stopPropagation(); };
  if (inside && inText(target)) {
    e.stopPropagation();
    if (e.key === "Enter" && !e.repeat) { done(); b.root.focus({ preventScroll: true }); decideNow(b, wordsNow(b)); }
    else if (e.key === "Escape") { done(); b.root.focus({ preventScroll: true }); b.phase = "value"; drawBoard(b); }
    return;
  }
  if (isShortcut(e)) return;
  const key = keyName(e);
  if ((e.key === "Enter" || e.key === " ") && inside && target.closest("button, summary")) return;
  if (b.phase === "reason") {
    if (e.key === "Escape" || e.key === "Backspace") { done(); b.phase = "value"; return drawBoard(b); }
    if (/^[1-9]$/.test(key) && !e.repeat) {
      done();
      const n = Number(key) - 1;
      if (n < REASONS.length) return decideNow(b, REASONS[n]);
      if (n === REASONS.length) beginWords(b);
      return;
    }
  }
  const cell = cellNow(b), typing2 = cell && cell.range && b.phase === "value";
  if (typing2 && (e.key === "." || e.key === "," || e.key === "-" || (e.key === "Backspace" && b.typed))) { done(); return typeKey(b, e.key); }
  if (typing2 && b.typed && e.key === "Escape") { done(); b.typed = ""; b.hint = ""; return drawBoard(b); }
  const move = MOVES[key] || (/^[0-9]$/.test(key) ? (b2) => digitKey(b2, Number(key)) : null);
  if (!move) return;
  done();
  if (!inside) b.root.focus({ preventScroll: true });
  if (e.repeat && !/^Arrow|^[jk]$/.test(key)) return;
  if (!/^[0-9]$|^Arrow(Left|Right)$/.test(key) && !takeTypedNumber(b)) return;
  move(b);
}

function boardClick(b, e) {
  const section = e.target.closest(".case"), step = e.target.closest(".step"), button2 = e.target.closest("[data-do]");
  if (b.typed && !takeTypedNumber(b)) b.typed = "";
  if (section && Number(section.dataset.i) !== b.at) showCell(b, Number(section.dataset.i));
  if (step) { const c = cellNow(b), s = c && choicesOf(c).find((x) => String(x.v === null ? "na" : x.v) === step.dataset.v); if (s) pick(b, s.v); }
  else if (button2) {
    const what = button2.dataset.do;
    if (what === "undo") undoKey(b);
    else if (what === "judge") judgeKey(b);
    else if (what === "raw") MOVES.x(b);
    else if (what === "next" || what === "before") onward(b, what === "next" ? 1 : -1);
    else if (what === "unrefuse") { b.refused.delete(button2.dataset.key); drawBoard(b); }
    else if (what === "fold") MOVES.l(b);
    else if (what === "reason") decideNow(b, REASONS[Number(button2.dataset.n)]);
    else if (what === "decide") decideNow(b, wordsNow(b));
  }
  if (!inText(e.target) && (e.detail || !e.target.closest("summary"))) b.root.focus({ preventScroll: true });
}

/** What the server says: what is saved, what is not, and the items that wait now. */
function takeBoard(b, data) {
  const old = b.now, cell = old && cellNow(b); // before its other cells come back, or go
  const before = b.outbox.length, sight = () => JSON.stringify([[...b.refused.keys()], b.notice, b.now && openCells(b, b.now).map((c) => [c.unit, c.dimension])]), seen = sight();
  for (const { key, at, names } of data.acked || []) {
    if (takeOut(b, key)) b.savedAt = at;
    const made = b.history.find((h) => h.key === key);
    if (made && names) made.names = names;
  }
  for (const { key, why } of data.refused || []) {
    if (b.refusedKeys.has(key)) continue;
    b.refusedKeys.add(key);
    const out = takeOut(b, key);
    if (b.history.some((h) => h.key === key)) { b.history = b.history.filter((h) => h.key !== key); b.made = Math.max(0, b.made - 1); }
    b.refused.set(key, { place: out && out.place, why, reason: out && out.act.reason });
    tell(b, `Not saved. ${why}`);
  }
  b.silentSince = null;
  const taken = b.outbox.some((o) => o.act.action === "withdraw");
  if (!taken) b.undone.clear();
  b.progress = data.progress;
  b.empty = data.empty;
  b.notice = data.notice;
  if (b.notice) b.ask = null;
  const fresh = data.items || [];
  if (b.ask && !fresh.some((i) => i.item === b.ask && !i.saw)) b.ask = null; // it is shown, or waits no more
  // Of many items only some are sent. Whether the one in hand waits is known when the server has been told of it.
  const unsure = old && data.now !== old.item && !fresh.some((i) => i.item === old.item) && fresh.reduce((n, i) => n + i.cells.length, 0) < data.progress.left;
  // An item whose decision is being taken back is not among those that wait until the server knows.
  const kept = b.items.filter((i) => (unsure && i.item === old.item) || i.cells.some((c) => b.undone.has(keyOf(i, c))) && !fresh.some((f) => f.item === i.item && f.cells.length >= i.cells.length));
  b.items = [...kept, ...fresh.filter((f) => !kept.some((k) => k.item === f.item))];
  const place = cell && keyOf(old, cell), words = cell && b.words.get(place);
  const gone = cell && !b.items.some((i) => i.cells.some((c) => keyOf(i, c) === place)) && `${cell.label}, ${unitWords(cell.unit)}, waits for you no more: somebody decided it, or its labels or the rule changed.`;
  if (gone && words) {
    keepWords(b, place, "");
    b.refused.set(uuid(), { place, why: gone, reason: words });
  }
  const now = old && b.items.find((i) => i.item === old.item && openCells(b, i).length);
  if (now) {
    b.now = now;
    const at = cell ? openCells(b, now).findIndex((c) => c.unit === cell.unit && c.dimension === cell.dimension) : -1;
    const input = writtenIn(b), again = old.sig !== now.sig || sight() !== seen, caret = input && [input.selectionStart, input.selectionEnd];
    if (at >= 0) {
      b.at = at;
      if (!input || again) drawBoard(b); else drawStatus(b);
      const field = input && again && ownField(b);
      if (field) { field.focus(); field.setSelectionRange(...caret); }
    }
    else showCell(b, b.at, true);
  } else onward(b, 0);
  if (gone) {
    startStray();
    if (!words) say2(b, gone);
  }
  if (unsure && !b.notice) sendActs(b, true);
  if (before > AT_ONCE && b.outbox.length < before) sendActs(b);
  else if (b.outbox.length || b.ask) { clearTimeout(b.timer); b.timer = setTimeout(() => sendActs(b), RESEND); }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".adjudicate");
  if (!root || !data || !data.person) return undefined;
  const b = boardOf(data);
  b.set = setStateValue;
  const mounted = b.root !== root;
  if (mounted) {
    if (b.off) b.off.abort();
    b.root = root; b.drawn = null;
    frameOf(b);
    b.off = new AbortController();
    const o = { signal: b.off.signal };
    watchFocus(root, o);
    document.addEventListener("keydown", (e) => boardKey(b, e), { ...o, capture: true });
    root.addEventListener("click", (e) => boardClick(b, e), o);
    root.addEventListener("input", (e) => keepWords(b, keyOf(b.now, cellNow(b)), e.target.value), o); // the one field of the board
    if (!tabbed && !awayFrom(root)) root.focus({ preventScroll: true });
    root.addEventListener("mousedown", (e) => { if (e.target.closest(".step, button")) e.preventDefault(); }, o);
  }
  boardTheme(b);
  takeBoard(b, data);
  if (mounted) sendActs(b); // what the last visit has left
  const token = (b.token = {});
  return () => { if (b.token === token) { b.off.abort(); clearTimeout(b.timer); b.root = b.set = null; } };
}
