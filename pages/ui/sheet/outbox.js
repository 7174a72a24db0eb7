// outbox.js: sends answers and forgets them only when the server confirms that they are saved. Saving is idempotent by key, so sending twice is harmless.

const AGAIN = 4000, SLOWEST = 20000;

/** Keeps in this browser what it does not hold yet, as far as there is room; gives whether it has all. */
function keepOutbox(d) {
  for (const o of d.outbox) o.kept ||= box.set(answerKey(d.person, o.answer.key), o.answer);
  return d.outbox.every((o) => o.kept);
}

function enqueue(d, answer, view) {
  d.outbox.push({ answer, born: Date.now(), view, kept: false });
  keepOutbox(d);
  d.tries = 0;
  sendSoon(d);
}

// One message is under way at a time: what is answered meanwhile goes together with the next one, so that a fast hand
// costs the page one round of Streamlit's drawing for several items and not one for each.
const FLIGHT = 1500;

function sendSoon(d) {
  const left = d.flying ? FLIGHT - (performance.now() - d.flying) : 0;
  if (left > 0) {
    if (!d.due) d.due = setTimeout(() => landed(d), left);
    return;
  }
  if (d.sending) return;
  d.sending = true;
  afterPaint(() => { d.sending = false; send(d); });
}

function landed(d) {
  const due = d.due;
  clearTimeout(due);
  d.flying = d.due = 0;
  if (due && d.root) sendSoon(d);
}

const needsServer = (d) => d.outbox.length > 0 || d.want !== null || (!d.view && !d.empty);

function send(d) {
  if (!d.root) return;
  if (d.want && Date.now() > d.wantUntil) { d.want = d.opening = null; hint(d, "It could not be fetched."); }
  const have = d.queue.map((q) => q.sheet.item);
  for (const view of [d.front, d.view]) if (view && !view.done && !(view === d.view && d.inPast) && !have.includes(view.sheet.item)) have.unshift(view.sheet.item);
  keepOutbox(d);
  d.flying = performance.now();
  const answers = firstOf(d.outbox.map((o) => o.answer));
  d.cut = answers.length < d.outbox.length;
  d.setState("outbox", { answers, have, want: d.want, nonce: ++d.nonce });
  sendAgain(d);
  watchLate(d);
}

/** Sends again after a delay that grows with each try; cancelled when the desk is removed. */
function sendAgain(d, soon) {
  clearTimeout(d.timer);
  if (needsServer(d)) d.timer = setTimeout(() => { if (needsServer(d)) { d.tries++; send(d); } }, soon || Math.min(AGAIN * 1.6 ** d.tries, SLOWEST));
}

/** Sends again later if something is still open; at once only answers that did not fit into a message that was partly accepted, so that arriving data cannot cause a loop. Data after a silence: the server is back. */
function keepTrying(d, before) {
  landed(d);
  if (d.cut && d.outbox.length && d.outbox.length < before) sendSoon(d);
  const now = Date.now(), returned = d.tries > 0 && now - d.dataAt > 5000;
  d.dataAt = now;
  sendAgain(d, returned && 600);
}

function watchLate(d) {
  clearTimeout(d.lateTimer);
  if (d.outbox.length) d.lateTimer = setTimeout(() => drawStatus(d), Math.max(50, LATE + 20 - (Date.now() - d.outbox[0].born)));
}

const isLate = (d) => d.outbox.length > 0 && Date.now() - d.outbox[0].born >= LATE;

function takeAcks(d, acked) {
  for (const { key, at } of acked) {
    const i = d.outbox.findIndex((o) => o.answer.key === key);
    box.drop(answerKey(d.person, key));
    if (i < 0) continue;
    const [{ answer }] = d.outbox.splice(i, 1);
    if (d.refused.some((r) => r.item === answer.item)) dropRefused(d, answer.item);
    d.savedAt = at;
    d.tries = 0;
  }
}

const refusedKey = (person, item) => `assay:refused:${person}:${item}`;

/** The messages about refused answers, with what the person entered, that nobody has closed or followed at this place. */
const keptRefused = (person, place) => box.keys(refusedKey(person, "")).map(box.get).filter((r) => r && r.place === place && typeof r.item === "string" && Array.isArray(r.answer?.values) && Array.isArray(r.answer.notes));

function dropRefused(d, item) {
  d.refused = d.refused.filter((r) => r.item !== item);
  box.drop(refusedKey(d.person, item));
  drawToasts(d);
}

/** Removes a refused answer from the outbox; the person's input is kept with the message, to be opened again. */
function takeRefused(d, refused) {
  for (const { key, item, why } of refused) {
    if (d.refusedKeys.has(key)) continue;
    d.refusedKeys.add(key);
    const i = d.outbox.findIndex((o) => o.answer.key === key);
    const out = i < 0 ? null : d.outbox.splice(i, 1)[0];
    box.drop(answerKey(d.person, key));
    d.known.delete(item);
    for (const p of d.past) if (p.sheet.item === item && p.sheet.version === key) { p.sheet = { ...p.sheet, version: out ? out.answer.version : "" }; p.action = "refused"; if (out) p.values = new Map(out.answer.values.filter((v) => !v.unseen).map((v) => [cellKey(v.unit, v.dimension), v.v])); }
    const name = nameOf(d, item);
    const refusal = { place: d.place, item, name, why, answer: out ? out.answer : null };
    d.refused = [...d.refused.filter((r) => r.item !== item), refusal];
    if (out) box.set(refusedKey(d.person, item), refusal);
    say(d, `${name} was not saved: ${why}`);
  }
}

/** The name of an item that is in this browser; of any other its id. */
function nameOf(d, item) {
  const one = [d.view, d.front, ...d.queue, ...d.past].find((x) => x && x.sheet.item === item);
  return one ? one.sheet.name : item;
}
