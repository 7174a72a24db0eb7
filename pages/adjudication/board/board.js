// board.js: what the board knows and draws. People are letters until a cell is decided; text is only ever set as text.

const REASONS = ["misread the text", "used the scale differently", "both can be defended; I follow the rule", "a slip of the key", "the definition settles it"];
const RESEND = 4000, AT_ONCE = 50; // the rest goes when those are acknowledged
const boards = new Map();
const LAST = TOUCH ? "Now the reason." : "Press Enter, then a number for the reason.";

function boardOf(data) {
  const id = data.person + "\n" + data.place;
  let b = boards.get(id);
  if (!b) rawFor(data.person);
  if (!b) boards.set(id, b = { person: data.person, items: [], now: null, at: 0, ...keptOf(id), dataset: data.place, phase: "value", typed: "", restored: null, outbox: keptActs(data.person).filter((one) => one.dataset === data.place), refusedKeys: new Set(), undone: new Set(), history: [], made: 0, silentSince: null, nonce: Date.now(), ask: null, sure: null, hint: "" });
  return b;
}

/** Values and reasons that were begun but not decided, and what was refused, live in the browser too, as on the desk: a closed tab loses none. */
function keptOf(id) {
  const map = (sort, fits) => new KeptMap(`assay:${sort}:${id}\n`, fits), isText = (v) => typeof v === "string";
  return { picks: map("picks", (v) => v === null || typeof v === "number"), words: map("words", isText), refused: map("refusals", (v) => isText(v?.why)) };
}

const keyOf = (item, cell) => item.item + "\u0000" + cellKey(cell.unit, cell.dimension);
const pending = (b, item, cell) => b.outbox.some((o) => o.place === keyOf(item, cell) && o.act.action === "decide" && !b.outbox.some((w) => w.act.of === o.act.key));
const openCells = (b, item) => item.cells.filter((c) => !pending(b, item, c));
const cellNow = (b) => (b.now ? openCells(b, b.now)[b.at] || null : null);
const wordOf = (cell, v) => (cell.steps.find((s) => s.v === v) || { t: v === null ? "n/a" : numeral(v) }).t;

/** What can be picked in a cell: its answers, or of those that are too many what people and judges said. */
function choicesOf(cell) {
  if (!cell.range) return cell.steps;
  const said = [...new Set([...cell.said, ...cell.judges].map((s) => s.v).filter((v) => v !== null))].sort((x, y) => x - y);
  return [...said.map((v) => ({ v, t: numeral(v) })), ...cell.steps];
}

/** The reason in own words that was begun for the cell in hand. */
const wordsNow = (b) => b.words.get(keyOf(b.now, cellNow(b))) || "";

function keepWords(b, place, words) {
  b.restored = null;
  if (words) b.words.set(place, words); else b.words.delete(place);
}

function unitWords(unit) {
  const [sort, rest] = unit.split(/[:/](.*)/);
  if (sort === "turn") return `turn ${rest}`;
  if (sort === "section") return `section ${rest.replace("/a", " of A").replace("/b", " of B")}`;
  if (sort === "response" && rest) return `response ${rest.toUpperCase()}`;
  return sort === "pair" ? "the pair" : sort === "response" ? "the response" : "the whole dialogue";
}

function boardTheme(b) {
  b.root.dataset.theme = themeOf(b.root);
  const bar = document.querySelector('[data-testid="stHeader"]');
  b.root.style.setProperty("--top", (bar ? Math.max(0, Math.round(bar.getBoundingClientRect().height)) : 0) + "px");
}

function frameOf(b) {
  const ui = (b.ui = {});
  ui.wrap = el("div", "wrap");
  header(ui);
  ui.body = el("div", "board");
  ui.texts = el("div", "texts item");
  ui.panel = el("aside", "panel", null, { "aria-label": "What people say" });
  ui.body.append(ui.texts, ui.panel);
  ui.idle = el("div", "idle", null, { hidden: "" });
  ui.live = el("div", "live", null, { role: "status", "aria-live": "polite" });
  ui.wrap.append(ui.header, ui.body, ui.idle);
  b.root.replaceChildren(ui.wrap, ui.live);
}

const tell = (b, words) => { b.ui.live.textContent = words; };

const isLate = (b) => b.outbox.length > 0 && b.silentSince !== null && Date.now() - b.silentSince >= LATE;
const savingText = (b) => (isLate(b) ? unsavedText(b.outbox.length, "decisions", true, b.outbox.every((o) => !o.lost), b.notice) : "saving …");

function drawStatus(b) {
  const { status } = b.ui, open = b.outbox.length > 0;
  status.textContent = open ? savingText(b) : b.savedAt ? `saved ${b.savedAt}` : "";
  status.className = "status" + (isLate(b) ? " open late" : open ? " open" : "");
}

/** Everything of the item in hand; its text is only built anew when the item is another one. */
function drawBoard(b) {
  const { ui, now } = b;
  b.root.dataset.item = now ? now.item : "";
  b.root.dataset.unsaved = b.outbox.length;
  const p = b.progress || { done: 0, left: 0 }, sent = b.outbox.filter((o) => o.act.action === "decide").length - b.outbox.filter((o) => o.act.action === "withdraw").length;
  const done = b.made, all = done + Math.max(0, p.left - sent);
  ui.progress.textContent = all ? `${Math.min(done + (now ? 1 : 0), all)} of ${all}` : "";
  ui.progress.title = "ratings of this visit: the current one, of all that wait for you";
  drawStatus(b);
  ui.body.hidden = !now;
  ui.idle.hidden = !!now;
  ui.header.hidden = !now && !b.savedAt && !b.outbox.length;
  if (!now) { ui.title.textContent = ui.meta.textContent = ""; b.drawn = null; return drawIdleBoard(b); }
  if (b.drawn !== now.item) { drawTexts(b); b.drawn = now.item; }
  ui.title.textContent = now.title || now.name;
  ui.meta.textContent = [...[now.name, ...now.systems].map(isolate), now.synthetic ? "synthetic" : ""].filter(Boolean).join(" · ");
  drawPanel(b);
}

function drawIdleBoard(b) {
  const { idle } = b.ui, e = b.empty;
  const head = b.outbox.length || !e ? [el("p", "", b.outbox.length ? "Saving, and looking for more …" : "Fetching …")] : [el("h2", "", e.title), prose("prose", e.text)];
  idle.replaceChildren(...head, ...(b.hint ? [el("p", "hintline", b.hint)] : []), ...messages(b), ...lastLines(b));
}

function drawTexts(b) {
  const { texts } = b.ui, now = b.now, head = drawHead({ sheet: now });
  const rows = el("div", "rows" + (now.rows.length > 14 ? " lazy" : ""));
  for (const row of now.rows) {
    const e = el("section", "row bare" + (row.columns === 2 ? " two" : ""), null, { "data-unit": row.unit });
    const main = el("div", "main");
    if (row.no || row.title) { const no = el("div", "no" + (row.title ? " titled" : ""), row.no || ""); if (row.title) no.append(prose("title", row.title)); e.append(no); }
    for (const notice of row.notices) e.append(el("div", "notice", notice));
    const box2 = row.columns === 2 ? el("div", "cols") : main;
    for (const t of row.texts) box2.append(drawText(t, t.label || LABELS[t.role]));
    if (box2 !== main) main.append(box2);
    e.append(main);
    rows.append(e);
  }
  texts.className = "texts item " + now.kind;
  texts.replaceChildren(...(head.childNodes.length ? [head] : []), rows);
}

function drawPanel(b) {
  const { panel } = b.ui, now = b.now, cells = openCells(b, now), parts = [];
  parts.push(...messages(b), ...lastLines(b));
  const top = el("div", "panelhead");
  top.append(el("span", "", `${cells.length === 1 ? "One rating" : cells.length + " ratings"} of this item ${cells.length === 1 ? "waits" : "wait"}`));
  const acts = el("span", "");
  acts.append(button("raw", texts.raw ? "formatted" : "raw", "x", "the texts as they came, or formatted"));
  top.append(acts);
  if (!now.saw) acts.append(button("judge", b.sure === now.item ? "show it, and record that" : "show the judge", "v", "the judge's scores of this item; that you saw them is recorded"));
  const some = b.items.filter((i) => openCells(b, i).length), place = some.indexOf(now);
  if (place > 0) acts.append(button("before", "previous", "[", "the item before this one"));
  if (place < some.length - 1) acts.append(button("next", "next", "]", "go to the next item; this one stays undecided"));
  parts.push(top);
  if (b.sure === now.item && !now.saw) parts.push(el("p", "caution", "If you see the judge's scores, your decisions on this item no longer count as blind labels in the approval check. Press v again to see them anyway."));
  else if (now.saw) parts.push(el("p", "caution", "You have seen the judge's scores of this item: your decisions here do not count as blind labels."));
  else if (now.cells.some((c) => c.weak)) parts.push(el("p", "caution", "People saw the judge's scores when they gave these labels, so your decision does not count as a blind label."));
  for (const text of now.comments) { const p = el("div", "wrote"); p.append(el("span", "by", "comment"), prose("prose", text)); parts.push(p); }
  cells.forEach((cell, i) => parts.push(drawCase(b, cell, i)));
  if (now.decided.length) {
    const list = el("details", "decided");
    list.append(el("summary", "", `Decided on this item: ${now.decided.length}`));
    for (const c of now.decided) { const p = el("div", "past"); p.append(el("b", "", `${unitWords(c.unit)}, ${c.label}: ${c.value}`), prose("prose", `${c.told} (${c.said})`)); list.append(p); }
    parts.push(list);
  }
  parts.push(legend());
  const scrolled = panel.scrollTop;
  panel.replaceChildren(...parts);
  panel.scrollTop = scrolled;
  const cell = cells[b.at], here = panel.querySelector(".case.here"), unit = cell && cell.unit;
  for (const row of b.ui.texts.querySelectorAll(".row")) {
    row.classList.toggle("here", !!unit && (row.dataset.unit === unit || row.dataset.unit === unit.split("/")[0]));
    // of two responses beside each other only the one that the cell is about
    row.querySelectorAll(".text").forEach((text, n, all) => text.classList.toggle("other", all.length === 2 && /\/[ab]$/.test(unit || "") && (n === 0) !== unit.endsWith("/a")));
  }
  if (b.at === 0) panel.scrollTop = 0;
  else if (here) { // the cell in hand stays inside the panel, above the keys
    const p = panel.getBoundingClientRect(), r = here.getBoundingClientRect();
    if (r.bottom > p.bottom - 42) panel.scrollTop += Math.min(r.bottom - p.bottom + 50, r.top - p.top); else if (r.top < p.top) panel.scrollTop -= p.top - r.top + 8;
  }
}

/** What was refused or could not be saved; a reason in one's own words is not lost by it. */
function messages(b) {
  const parts = [...b.refused].map(([key, { why, reason }]) => {
    const e = el("div", "refusal", null, { role: "alert" });
    e.append(el("b", "", "Not saved. "), document.createTextNode(why));
    if (reason && !REASONS.includes(reason)) e.append(prose("prose", `Your reason was: ${reason}`));
    const close = button("unrefuse", "close", "", "close this message");
    close.dataset.key = key;
    e.append(close);
    return e;
  });
  return b.notice ? [...parts, el("div", "refusal", b.notice, { role: "alert" })] : parts;
}

function lastLines(b) {
  const last = b.history[b.history.length - 1];
  if (!last) return [];
  const line = el("div", "last"), words = el("div", ""), made = el("div", "made", null, { title: last.reason }), reason = el("bdi", "", last.reason);
  made.append(el("b", "", `${last.cell.label}, ${unitWords(last.cell.unit)}: ${wordOf(last.cell, last.v)}`), " · ", reason);
  words.append(made);
  const who = last.names ? last.cell.said.map((s, i) => `${s.by} was ${isolate(last.names[i] || "?")} (${wordOf(last.cell, s.v)})`).join(" · ") : savingText(b);
  words.append(el("div", "who", who));
  line.append(words, button("undo", "undo", "u", "take this decision back"));
  return [line];
}

function drawCase(b, cell, i) {
  const here = i === b.at, pick = b.picks.get(keyOf(b.now, cell)), has = b.picks.has(keyOf(b.now, cell));
  const e = el("section", "case" + (here ? " here" : ""), null, { "data-i": i, "aria-label": `${cell.label}, ${unitWords(cell.unit)}, ${cell.apart}` });
  const head = el("div", "casehead");
  head.append(el("span", "name", cell.label), el("span", "unit", unitWords(cell.unit)), el("span", "far", cell.apart));
  e.append(head);
  const scale = el("div", "votes", null, { role: "radiogroup", "aria-label": `your value of ${cell.label}, ${unitWords(cell.unit)}` });
  const many = !cell.range && cell.steps.length > 7;
  for (const step of choicesOf(cell)) {
    const slot = el("span", "slot"), marks = el("span", "marks"), mine = has && pick === step.v;
    const by = cell.said.filter((s) => s.v === step.v).map((s) => s.by), theirs = cell.judges.filter((j) => j.v === step.v);
    for (const name of by) marks.append(el("span", "who", name));
    const s = el("span", "step" + (isWord(step) ? " word" : "") + (step.v === null ? " na" : "") + (mine ? " mine" : "") + (theirs.length ? " judge" : "") + (by.length ? " said" : ""), step.t,
      { role: "radio", "aria-checked": mine ? "true" : "false", "data-v": step.v === null ? "na" : step.v, "aria-label": step.t + (by.length ? `, said by ${by.join(" and ")}` : "") + (theirs.length ? `, the judge's value` : "") });
    slot.append(marks, s);
    scale.append(slot);
  }
  if (many) scale.classList.add("many");
  if (cell.range) scale.append(drawNumber(b, cell, here, has && pick !== null ? pick : undefined));
  e.append(scale);
  for (const n of cell.notes) { const p = el("div", "wrote"); p.append(el("span", "who", n.by), el("span", "by", n.sort), prose("prose", n.text)); e.append(p); }
  for (const j of cell.judges) { const p = el("div", "judged"); p.append(el("b", "", `${isolate(j.name)}: ${j.said || wordOf(cell, j.v)}`)); if (j.note) p.append(prose("prose", j.note)); e.append(p); }
  if (cell.before) e.append(el("div", "before", `Decided before: ${isolate(cell.before)} — people's labels changed since.`));
  if (cell.own) e.append(el("div", "before", "You labelled this rating yourself, and nobody else here could decide it."));
  if (here) {
    if (cell.definition) e.append(prose("def", cell.definition));
    const choose = el("div", "reasons" + (b.phase === "reason" ? " on" : ""), null, { role: "group", "aria-label": "the reason" });
    REASONS.forEach((r, n) => { const c = el("button", "chip", null, { type: "button", "data-do": "reason", "data-n": n }); c.append(unread(n + 1), el("span", "", r)); choose.append(c); });
    const own = el("div", "ownline"), input = el("input", "own", null, { type: "text", dir: "auto", placeholder: "own words", "aria-label": "the reason in your own words" });
    input.value = wordsNow(b);
    own.append(unread(REASONS.length + 1), input, el("button", "solid", "Decide", { type: "button", "data-do": "decide" }));
    choose.append(own);
    e.append(choose, el("div", "hintline", b.hint || (b.phase === "reason" ? "Which reason? Its number decides." : has ? LAST : "Your value?")));
  }
  return e;
}

/** The number that is being typed, or that was picked; the keys go to the board, so it is no input of its own. */
function drawNumber(b, cell, here, pick) {
  const text = here && b.typed ? b.typed : pick === undefined ? "" : numeral(pick), { lo, hi } = cell.range;
  return el("span", "num" + (text ? "" : " none") + (here && b.typed ? " open" : pick === undefined ? "" : " mine"), text || `${numeral(lo)}–${numeral(hi)}`,
    { role: "spinbutton", "aria-label": `your own number for ${cell.label}`, "aria-valuemin": lo, "aria-valuemax": hi, "aria-valuenow": pick, "aria-valuetext": text || "no answer", title: `type a number from ${numeral(lo)} to ${numeral(hi)}; Enter takes it` });
}

function legend() {
  const e = el("div", "legend");
  e.append(kbd("1"), "–", kbd("9"), " value ", kbd("n"), " n/a ", kbd("⏎"), " reason ", kbd("↑"), kbd("↓"), " rating ", kbd("]"), " next item ", kbd("u"), " undo ", kbd("v"), " judge");
  return e;
}
