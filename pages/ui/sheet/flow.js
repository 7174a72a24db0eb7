// flow.js: which item is shown, what happens when the person leaves one, and what server data may do (never: change an item that the person is working on).

const sigOf = (sheet) => `${sheet.version}|${sheet.mode}`;

// ---- showing

function show(d, view, quiet) {
  tick(d);
  if (!quiet) dropHint(d); // it was about another item
  d.view = view;
  const { ui, root } = d;
  if (view) {
    ui.body.replaceChildren(build(view));
    lookAt(d, view);
    if (!quiet) d.shownAt = performance.now();
    d.opening = null;
  } else drawIdle(d);
  root.dataset.item = view ? view.sheet.item : "";
  root.toggleAttribute("data-empty", !view && isEmpty(d));
  drawHeader(d);
  drawFoot(d);
  if (view) { place(d, view.here, true); if (!quiet) toTop(d); }
  afterPaint(() => { if (d.view === view && d.root) { showUrl(d); if (view && !quiet) { focusHere(d); if (view.here) scrollToCell(d); } prebuild(d); } });
}

/** Whether the server says that no item waits, and no item is being fetched. */
const isEmpty = (d) => Boolean(d.empty && !d.want);

function drawIdle(d) {
  const { ui } = d;
  clearTimeout(d.waitTimer);
  if (isEmpty(d)) {
    const box2 = el("div", "idle");
    box2.append(el("h2", "", d.empty.title), prose("", d.empty.text));
    if (d.progress) box2.append(el("div", "meta", `${d.progress.today} today · ${d.progress.done} of ${d.progress.total} done`));
    const line = el("div", "idleline");
    line.append(button("again", "look again", "", "ask the server for more"));
    if (d.past.length) line.append(button("back", "back to what you answered", "b", "the last item, as you answered it"));
    box2.append(line);
    ui.body.replaceChildren(box2);
    return;
  }
  const box2 = el("div", "idle wait", "");
  ui.body.replaceChildren(box2);
  d.waitTimer = setTimeout(() => { if (!d.view) box2.textContent = "fetching the next item …"; }, 150);
}

/** In idle time, formats the texts of the next items and then builds the next view. */
function prebuild(d) {
  whenIdle(() => {
    const q = d.queue[0];
    if (!d.root || !q || (q.view && q.view.tree)) return;
    for (const one of d.queue.slice(0, 3)) formatAhead(one.sheet);
    if (texts.jobs.size) return prebuild(d);
    q.view = newView(d, q.sheet);
    build(q.view);
  });
}

function takeNext(d) {
  const q = d.queue.shift();
  return q ? q.view || newView(d, q.sheet) : null;
}

function forward(d) {
  if (d.view) saveDraft(d, d.view);
  if (d.inPast) {
    d.inPast = false;
    const front = d.front;
    d.front = null;
    show(d, front && !front.done ? front : takeNext(d));
  } else show(d, takeNext(d));
  if (!d.view) sendSoon(d);
}

// ---- leaving

function go(d, repeat) {
  const { view } = d;
  if (!view) return;
  if (!takeTyped(d)) return;
  closeDock(d);
  if (view.saved && !dirty(view)) {
    view.done = !d.inPast || view.done;
    return forward(d);
  }
  const open = missing(view), n = counts(view);
  if (!n.given && !n.left) {
    hint(d, isBlind(view) ? "Nothing is answered yet. Give at least one score, or skip the item (s)." : view.cells.some((c) => judgeOf(view, c)) ? "The judge's values lie between your answers. Choose at least one, or skip the item (s)." : "The judge has no scores here. Give at least one, or skip the item (s).");
    if (open.length) moveTo(d, open[0].i);
    return;
  }
  if (view.armed && repeat) return;
  lookNow(d, view);
  if (!view.armed && (open.length || (!view.warned && unseen(view).length))) {
    view.armed = view.warned = true;
    if (open.length) moveTo(d, open[0].i);
    drawFoot(d);
    return say(d, d.ui.sum.textContent);
  }
  leave(d, view, "save", "");
}

function leave(d, view, action, reason) {
  tick(d);
  const answer = answerOf(d, view, action, reason), words = action === "save" ? summaryText(view) : "skipped";
  const values = new Map(answer.values.map((v) => [cellKey(v.unit, v.dimension), v.v]));
  const kept = { sheet: { ...view.sheet, version: answer.key }, values: action === "save" ? values : new Map(view.values), notes: notesOf(answer), action };
  const key = draftKey(d, view.sheet.item), draft = box.get(key);
  view.done = true;
  enqueue(d, answer, view);
  box.drop(key);
  if (!keepOutbox(d) && draft) box.set(key, draft); // rather that than nothing, where there is no room for the answer
  if (d.inPast) d.past[d.pastAt] = kept; else { d.past.push(kept); if (d.past.length > PAST) d.past.shift(); }
  d.want = null;
  forward(d);
  drawStatus(d);
  say(d, `${view.sheet.name}: ${words}. ${d.view ? `Next: ${d.view.sheet.title || d.view.sheet.name}` : ""}`);
}

function skip(d) {
  const { menu, view } = d;
  const own = digitOf(menu.input.value) ? "" : menu.input.value.trim(), picked = REASONS[menu.reason];
  const reason = picked && own ? `${picked}: ${own}` : picked || own;
  const why = reason ? tooLong(reason) : "A reason is needed: write one, or choose one below.";
  if (why) { menu.ask.textContent = why; menu.ask.hidden = false; menu.input.focus({ preventScroll: true }); return say(d, why); }
  closeDock(d);
  focusRoot(d);
  leave(d, view, "skip", reason);
}

function back(d) {
  const at = d.inPast ? d.pastAt - 1 : d.past.length - 1;
  if (at < 0) return hint(d, d.past.length ? "This is the first item of this session." : "Nothing has been answered in this session yet.");
  closeDock(d);
  if (!d.inPast) { d.front = d.view; d.inPast = true; } else if (d.view) saveDraft(d, d.view);
  openPast(d, at);
}

function openPast(d, at) {
  const p = d.past[at];
  d.pastAt = at;
  d.want = null;
  show(d, newView(d, p.sheet, p));
  if (dirty(d.view)) changed(d, d.view);
}

/** Shows an item by its id if it is in this browser: in the queue or among the answered ones. */
function openItem(d, item) {
  if (d.view && d.view.sheet.item === item) return true;
  if (d.front && !d.front.done && d.front.sheet.item === item) { forward(d); return true; }
  const i = d.queue.findIndex((q) => q.sheet.item === item);
  if (i >= 0) {
    const [q] = d.queue.splice(i, 1), front = d.inPast ? d.front : d.view;
    if (front && !front.done) { saveDraft(d, front); d.queue.unshift({ sheet: front.sheet, view: front }); }
    d.inPast = false; d.front = null;
    show(d, q.view || newView(d, q.sheet));
    return true;
  }
  for (let at = d.past.length - 1; at >= 0; at--) if (d.past[at].sheet.item === item) {
    if (!d.inPast) { d.front = d.view; d.inPast = true; }
    openPast(d, at);
    return true;
  }
  return false;
}

function reopen(d, item) {
  if (openItem(d, item)) refill(d, item); else { d.opening = item; hint(d, "Fetching it …"); }
  ask(d, item, false); // its newest state: on an old one, the answer would be refused again
}

/** The refused answer's item is open: restores what was entered, and removes the message that kept it. */
function refill(d, item) {
  const r = d.refused.find((x) => x.item === item);
  dropRefused(d, item);
  if (r && r.answer) fillFrom(d, d.view, r.answer);
}

function ask(d, item, unblind) {
  d.want = { item, reveal: unblind };
  d.wantUntil = Date.now() + 25000;
  d.tries = 0;
  sendSoon(d);
}

/** Restores the input of a refused answer as unsaved changes. */
function fillFrom(d, view, answer) {
  for (const a of answer.values) { const c = view.index.get(cellKey(a.unit, a.dimension)); if (c && !a.unseen && stepOf(c, a.v) && view.values.get(c.key) !== a.v) { setValue(view, c, a.v); markCell(view, c); } }
  if (JSON.stringify(notesOf(answer)) !== JSON.stringify(view.notes)) setNotes(view, notesOf(answer).map((n) => ({ ...n })));
  drawNotes(view);
  changed(d, view);
}

function reveal(d) {
  const { view } = d;
  if (!isBlind(view)) return hint(d, "The judge's scores are in view already.");
  if (!view.saved) return hint(d, "Answer this item first: the judge's scores stay hidden until your answer is saved.");
  if (dirty(view)) return hint(d, `Save your changes first (${GO}): they were made blind.`);
  ask(d, view.sheet.item, true);
  hint(d, "Asking for the judge's scores. Changes after this count as revealed.");
}

// ---- the focused cell

function place(d, i, force) {
  const { view } = d, c = view.cells[i], old = view.cells[view.here];
  if (!c) return drawHints(d);
  if (old !== c) { delete old.el.dataset.here; if (old.input) dropTyped(view, old); }
  if (old.r !== c.r) unpin(view);
  if (old.r !== c.r || force) { view.rowEls[old.r].classList.remove("here"); view.rowEls[c.r].classList.add("here"); }
  view.here = i;
  c.el.dataset.here = "";
  drawNote(d, view);
  drawHints(d);
}

function moveTo(d, i) {
  const { view } = d;
  i = Math.max(0, Math.min(view.cells.length - 1, i));
  if (!view.cells.length) return;
  place(d, i);
  scrollToCell(d);
  focusHere(d);
  view.cells[i].seen = true;
}

/** After a change on a view: the footer now, the draft after painting. */
function changed(d, view) {
  if (d.view === view) drawFoot(d);
  if (d.draftDue === view) return;
  d.draftDue = view;
  afterPaint(() => {
    const kept = view.kept;
    if (d.draftDue === view) d.draftDue = null;
    saveDraft(d, view);
    if (view.kept !== kept && d.view === view && d.ui) drawFoot(d); // the footer says so
  });
}

function give(d, c, v) {
  const { view } = d;
  if (setValue(view, c, v)) { markCell(view, c); changed(d, view); } else if (view.armed) { view.armed = false; drawFoot(d); }
}

// ---- what the server sends

function takeSheet(d, s) {
  const item = s.item, sig = sigOf(s) + (s.again ? "|again" : ""), wanted = d.want && d.want.item === item && (s.again || !d.want.reveal);
  if (!wanted && d.known.get(item) === sig) return; // the same data can be delivered twice
  d.known.set(item, sig);
  if (wanted) d.want = null;
  if (d.outbox.some((o) => o.answer.item === item && o.answer.version === s.version)) return; // already answered anew
  for (const p of d.past) if (p.sheet.item === item) { p.sheet = s; const v = newView({ person: "" }, s); p.values = v.base.values; p.notes = v.base.notes; p.action = v.saved ? "save" : p.action; }
  if (d.view && d.view.sheet.item === item) return replaceView(d, s);
  if (d.front && d.front.sheet.item === item) { d.front = renew(d, d.front, s); return; }
  const q = d.queue.find((x) => x.sheet.item === item);
  if (q) { q.sheet = s; q.view = q.view && renew(d, q.view, s); return; }
  if (s.again && d.past.some((p) => p.sheet.item === item) && d.opening !== item) return; // it waits there for "b" or the message's button
  const entry = { sheet: s, view: null };
  if (d.opening === item) d.queue.unshift(entry); else d.queue.push(entry);
}

/** A newer copy of an item in this browser: the person's changes stay. */
function renew(d, old, s) {
  const view = newView(d, s), here = old.cells[old.here];
  for (const [key, v] of old.values) {
    const c = view.index.get(key);
    if (c && stepOf(c, v) && (!old.base.values.has(key) || old.base.values.get(key) !== v)) setValue(view, c, v);
  }
  if (JSON.stringify(old.notes) !== JSON.stringify(old.base.notes)) setNotes(view, old.notes);
  view.ms = old.ms;
  view.warned = old.warned;
  for (const c of old.cells) if (c.seen && view.index.has(c.key)) view.index.get(c.key).seen = true;
  if (here && view.index.has(here.key)) view.here = view.index.get(here.key).i;
  return view;
}

/** The same for the item on screen, which keeps its scroll position. */
function replaceView(d, s) {
  const old = d.view, view = renew(d, old, s);
  if (dirty(view) && s.mode !== "revealed") hint(d, "This item has a newer saved answer. What you changed here is kept, on top of it.");
  const text = d.editor && d.editor.view === old ? { sort: d.editor.sort, unit: d.editor.unit, value: d.editor.input.value } : null;
  if (text) dropEditor(d);
  const at = d.scroller.scrollTop, inside = d.root.getRootNode().activeElement;
  if (s.mode === "revealed") dropHint(d); // the judge's scores have come
  show(d, view, true);
  d.scroller.scrollTop = at;
  if (inside && !inside.isConnected) focusHere(d, true); // the focus was on the item that was replaced
  if (text) { if (text.sort === "better") openBetter(d, text.unit); else openEditor(d, text.sort, text.unit); if (d.editor) d.editor.input.value = text.value; }
}

/** Puts back items sent ahead under other filters, except those that were begun; also the current item if another page led here. */
function takeFilters(d, { filters, open }) {
  const others = d.filters !== undefined && d.filters !== filters, { view } = d;
  d.filters = filters;
  if (!others) return false;
  const begun = (one) => one && (one.undo.length || dirty(one)), gone = d.queue.filter((q) => !begun(q.view)).map((q) => q.sheet.item);
  d.queue = d.queue.filter((q) => begun(q.view));
  if (d.fresh && view && !d.inPast && !begun(view) && view.sheet.item !== open) { gone.push(view.sheet.item); show(d, null, true); }
  for (const item of gone) d.known.delete(item);
  return true;
}

function take(d, data) {
  const narrowed = takeFilters(d, data);
  takeAcks(d, data.acked);
  const refusedBefore = d.refused;
  takeRefused(d, data.refused);
  const waited = !d.view && !d.inPast;
  for (const s of data.sheets) takeSheet(d, s);
  d.progress = data.progress || d.progress;
  const emptied = JSON.stringify(d.empty) !== JSON.stringify(data.empty);
  d.empty = data.empty;
  const { opening } = d; // reset as soon as an item is shown
  if (opening && isWriting(d) && d.queue[0]?.sheet.item === opening) { d.opening = null; hint(d, COMES_NEXT); }
  else if (opening && openItem(d, opening)) refill(d, opening);
  if (data.open) takeOpen(d, data.open);
  if (data.notice !== d.lastNotice) { d.lastNotice = data.notice; d.notice = data.notice; drawToasts(d); if (data.notice) say(d, data.notice); }
  if (d.refused !== refusedBefore) drawToasts(d);
  if (!d.view && d.queue.length) { d.inPast = false; d.front = null; show(d, takeNext(d)); }
  else if (!d.view && (waited && emptied || !d.ui.body.firstChild)) show(d, null, true);
  if (narrowed) sendSoon(d); // it has another list now
}

const COMES_NEXT = "The item you asked for comes next.";
/** Whether the person writes a note or a reason, which belongs to the item on screen. */
const isWriting = (d) => Boolean(d.menu || d.editor);

/** A link names an item. It is followed when the address says so and the person is not in the middle of another. */
function takeOpen(d, item) {
  if (d.view && d.view.sheet.item === item) return;
  const first = !d.view;
  if (!first && (urlItem() !== item || d.urlDue || d.urlOurs === item)) return;
  if (!first && (d.view.undo.length || isWriting(d)) && !d.fresh) {
    const i = d.queue.findIndex((q) => q.sheet.item === item);
    if (i > 0) d.queue.unshift(d.queue.splice(i, 1)[0]);
    showUrl(d);
    return hint(d, COMES_NEXT);
  }
  if (!d.past.some((p) => p.sheet.item === item) || d.queue.some((q) => q.sheet.item === item) || !first) openItem(d, item);
}

// ---- the address

function urlItem() {
  return new URL(location.href).searchParams.get("item");
}

/** ?item=… is the item on screen. Browsers limit the changes of the address per second, so it follows with a delay. */
function showUrl(d) {
  if (d.urlDue) return;
  const run = () => {
    d.urlDue = null;
    const item = d.view ? d.view.sheet.item : null;
    d.urlAt = performance.now();
    try {
      const url = new URL(location.href);
      if (url.searchParams.get("item") === item) { d.urlOurs = item; return; }
      if (item === null) url.searchParams.delete("item"); else url.searchParams.set("item", item);
      history.replaceState(history.state, "", url);
      d.urlOurs = item;
    } catch { /* an address that cannot be written is no reason to stop */ }
  };
  const wait = 150 - (performance.now() - (d.urlAt || -1000));
  if (wait <= 0) run(); else d.urlDue = setTimeout(run, wait);
}
