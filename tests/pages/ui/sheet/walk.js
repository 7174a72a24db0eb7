// walk.js: a person, a browser and a server that do anything at all at the desk, and the same for the same seed.
//
// It is loaded before the desk's scripts. Time, frames, random bytes, places and what is in sight are made up here, so
// that no step takes time and two walks of one seed differ in nothing but the desk's scripts.

const realTimeout = window.setTimeout.bind(window), BEGIN = 1800000000000;
let clock = 0, timers = 0, byte = 1, storing = true, frame = null;
const due = new Map(), observers = new Set();

// ---- time, bytes and storage

window.setTimeout = (fn, wait = 0, ...more) => { due.set(++timers, { at: clock + Math.max(0, wait), run: () => fn(...more) }); return timers; };
window.clearTimeout = (id) => void due.delete(id);
window.requestAnimationFrame = (fn) => setTimeout(() => fn(clock), 16 - (clock % 16));
window.requestIdleCallback = (fn) => setTimeout(() => fn({ timeRemaining: () => 8, didTimeout: false }), 20);
performance.now = () => clock;
Date.now = () => BEGIN + clock;
crypto.getRandomValues = (array) => array.map(() => (byte = (byte * 75 + 74) % 65537) & 255);
const { setItem } = Storage.prototype;
Storage.prototype.setItem = function (...entry) { if (!storing) throw new Error("full"); setItem.apply(this, entry); };

/** Turns the clock on; every timer that is due on the way runs. */
function pass(ms) {
  for (const end = clock + ms; ; ) {
    let next = null;
    for (const [id, one] of due) if (one.at <= end && (!next || one.at < next.at)) next = { id, ...one };
    clock = next ? Math.max(clock, next.at) : end;
    if (!next) return;
    due.delete(next.id);
    next.run();
  }
}

/** Lets the browser do what it does in tasks of its own, and load what it was asked for. */
async function settle() {
  const { port1, port2 } = new MessageChannel();
  for (let n = 0; n < 3; n++) await new Promise((done) => { port1.onmessage = done; port2.postMessage(0); });
  while (document.head.querySelector("script[src]")) await new Promise((done) => realTimeout(done));
}

// ---- places: rows of 240 pixels below each other in a part of the window that scrolls, with ratings of 26 in them

const HEIGHT = 900, ROW = 240, CELL = 26, HEAD = 100, FOOT = 56, LONGEST = 5000;

/** [top, width, height] of an element, by the row and the rating that it is in. */
function placeOf(element) {
  const row = element.closest(".row"), top = HEAD - frame.scrollTop;
  if (element === frame) return [0, 1200, HEIGHT];
  if (element.closest(".foot")) return [HEIGHT - FOOT, 1200, FOOT];
  if (!row) return [top, 1200, HEAD + ROW * (element.closest(".sheet")?.querySelectorAll(".row").length ?? 0)];
  const begin = top + ROW * Number(row.dataset.row), cells = element.closest(".cells"), cell = element.closest(".cell");
  if (element === row || !cells) return [begin, 1200, ROW - 20];
  if (element === cells) return [begin + 8, 300, ROW - 40];
  const above = cell ? Number(cell.dataset.i) - Number(row.querySelector(".cell").dataset.i) : row.querySelectorAll(".cell").length;
  return [begin + 8 + CELL * above, 300, CELL];
}

Element.prototype.getBoundingClientRect = function () {
  const [top, width, height] = placeOf(this);
  return new DOMRect(20, top, width, height);
};

function isInSight(element) {
  const { top, bottom } = element.getBoundingClientRect(), middle = (top + bottom) / 2;
  return middle > 0 && middle < HEIGHT - FOOT;
}

Element.prototype.scrollBy = function (_, by) { this.setAttribute("data-scrolled", by); };
window.ResizeObserver = class { observe() {} disconnect() {} };
window.IntersectionObserver = class {
  constructor(fn) { Object.assign(this, { fn, watched: new Set(), records: [], timer: 0 }); observers.add(this); }
  observe(target) { this.watched.add(target); this.report(target); }
  report(target) {
    this.records.push({ target, intersectionRatio: isInSight(target) ? 1 : 0 });
    this.timer ||= setTimeout(() => { this.timer = 0; if (this.records.length) this.fn(this.takeRecords()); }, 40);
  }
  unobserve(target) { this.watched.delete(target); this.records = this.records.filter((one) => one.target !== target); }
  disconnect() { observers.delete(this); this.watched.clear(); this.records = []; }
  takeRecords() { return this.records.splice(0); }
};

/** Makes an element the part of the window that scrolls. How far is kept here, as nothing lies where it says. */
function makeFrame(element) {
  let scrolled = 0;
  frame = element;
  const set = (to) => {
    scrolled = Math.round(Math.max(0, Math.min(LONGEST, to)));
    for (const one of observers) for (const target of one.watched) if (isInSight(target)) one.report(target);
  };
  Object.defineProperty(element, "scrollTop", { get: () => scrolled, set });
}

// ---- chance

/** Draws from numbers that follow from a seed (mulberry32, by Tommy Ettinger, in the public domain). */
class Chance {
  constructor(seed) { this.state = seed; }

  number() {
    let t = (this.state += 0x6d2b79f5);
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  once(probability) { return this.number() < probability; }
  one(list) { return list[Math.floor(this.number() * list.length)]; }

  /** One of [weight, thing]. */
  weighed(list) {
    let at = this.number() * list.reduce((sum, [weight]) => sum + weight, 0);
    return list.find(([weight]) => (at -= weight) < 0)[1];
  }
}

// ---- the server: the items that it has given out, with what was saved, and what it says

const MODES = [[7, {}], [2, { mode: "blind", stream: "audit" }], [1, { stream: "audit", mode: "assisted" }], [1, { synthetic: true, choice: 2 }]];

class Server {
  constructor(sheets, chance, person) {
    Object.assign(this, { sheets, chance, given: new Map(), saved: 0 });
    this.data = { person, place: "demo/review", filters: "all", progress: null, empty: null, notice: null, guide: null };
    this.clear();
  }

  clear() { Object.assign(this.data, { sheets: [], acked: [], refused: [], open: null }); }

  /** The next new item, in any mode. After the last one the first comes again, under another name. */
  give() {
    const { sheets, given, chance } = this, sheet = structuredClone(sheets[given.size % sheets.length]), round = Math.floor(given.size / sheets.length);
    if (round) for (const name of ["item", "claim", "name"]) sheet[name] += `-${round}`;
    Object.assign(sheet, chance.weighed(MODES));
    given.set(sheet.item, sheet);
    this.data.sheets.push(structuredClone(sheet));
  }

  giveAgain(item, more) { this.data.sheets.push({ ...structuredClone(this.given.get(item)), ...more }); }

  save({ key, item, values, notes, repairs }) {
    const sheet = this.given.get(item), saved = new Map(values.map((v) => [`${v.unit} ${v.dimension}`, { v: v.v }]));
    const plain = (of) => notes.filter((note) => note.unit === of).map(({ sort, text }) => ({ sort, text }));
    Object.assign(sheet, { version: key, comments: plain("") });
    for (const row of sheet.rows) {
      Object.assign(row, { notes: plain(row.unit), better: repairs.find((one) => one.unit === row.unit)?.text ?? null });
      for (const { cells } of row.groups) for (const cell of cells) cell.mine = saved.get(`${cell.unit} ${cell.dimension}`) ?? null;
    }
    this.saved++;
  }

  /** What it says to a message: most answers are saved, some are refused, some get no reply. */
  reply({ answers, have, want }) {
    const { chance, data, saved } = this, at = new Date(Date.now()).toISOString().slice(11, 19);
    for (const answer of answers) {
      const { key, item } = answer, kind = chance.weighed([[76, "acked"], [16, "refused"], [8, ""]]);
      if (kind === "acked") { this.save(answer); data.acked.push({ key, at }); }
      if (kind === "refused") data.refused.push({ key, item, why: "Your claim on it has run out." });
    }
    if (want && this.given.has(want.item) && chance.once(0.9)) this.giveAgain(want.item, { again: true, ...(want.reveal ? { mode: "revealed" } : {}) });
    data.empty = chance.once(0.06) ? { title: "All done", text: "Nothing waits in **this** queue." } : null;
    for (let n = have.length, ahead = chance.one([1, 2, 3]); n < ahead && !data.empty; n++) this.give();
    if (chance.once(0.5)) data.progress = { today: saved, mine: saved, done: saved, total: 40, left: chance.one([null, 40 - saved, 40 - saved]), seconds: chance.one([0, 7.2, 31]), assigned: chance.one(["", "", "9 assigned"]) };
  }

  /** Something that it says unasked, by its name. */
  speak() {
    const { chance, data } = this, item = chance.one([...this.given.keys()]), what = chance.one(["notice", "guide", "filters", "empty", "more", ...(item ? ["open", "again", "same"] : [])]);
    if (what === "notice") data.notice = data.notice ? null : "The disk of the server is full.";
    if (what === "guide") data.guide = data.guide && chance.once(0.3) ? null : { dataset: "support", no: (data.guide?.no ?? 0) + 1, by: "lea", on: "3 May 2026", text: "# Rate\nRead *all* first." };
    if (what === "filters") data.filters = data.filters === "all" ? "some" : "all";
    if (what === "open") data.open = item;
    if (what === "again") this.giveAgain(item, { again: true });
    if (what === "same") this.giveAgain(item, {});
    if (what === "empty") data.empty = data.empty ? null : { title: "Nothing here", text: "Ask a *lead*." };
    if (what === "more") this.give();
    return what;
  }
}

// ---- the person: keys and the mouse, with what a browser does after them

const ANYWHERE = ("ArrowDown ArrowUp ArrowLeft ArrowRight Enter Enter Enter Enter Escape 1 2 3 4 5 1 2 3 4 5 6 7 9 0 n n u u u b b b j k [ ] w v v ? s s e e i m d g g l t r o x y y h . , - Backspace Home q F2 Save Save Save Save Save Save Save Save Save Space Tab").split(" ");
const KEYS = Object.entries({ // what is pressed where this is open, or where the focus is on it
  ".card": "Tab PageDown ArrowDown ArrowUp Escape Escape Escape Enter Enter ? h x",
  ".menu.skip": "ArrowDown ArrowUp ArrowDown 1 2 3 4 9 Space Tab Tab Escape Enter a",
  ".editor.better": "x y Backspace Enter Escape Save Save",
  ".editor": "x y 3 Backspace Enter Enter Escape Tab",
  ".num:focus": "1 2 5 0 . , - ArrowUp ArrowLeft ArrowRight ArrowDown Enter Enter Escape u n Backspace x Save",
}).map(([css, keys]) => [css, keys.split(" ")]);
const HOW = [{ repeat: true }, { isComposing: true }, { altKey: true }, { shiftKey: true }, { kept: true }, { repeat: true, kept: true }];
const TYPED = ["so", " wrong date", "3", "4.5", "3.5", "4,5", "1,200", "二", "99", "-3", "7", "no\nmore"];
const CLICKED = "[data-do], .step, .cell > .name, .row, .note, summary, .text, .why, a, .num, .cell, .free";
const EVENT = { bubbles: true, composed: true, cancelable: true };
const isField = (element) => /^(INPUT|TEXTAREA)$/.test(element.tagName);

class Person {
  constructor(chance) { this.chance = chance; }

  get active() {
    const { shadow } = this, active = shadow.activeElement || document.activeElement;
    return active && active !== shadow.host ? active : document.body;
  }

  /** A key that may mean something where the person is or, more seldom, any key. */
  press() {
    const { chance, shadow } = this, here = KEYS.find(([css]) => shadow.querySelector(css)), key = chance.one(here && chance.once(0.8) ? here[1] : ANYWHERE);
    if (key === "Save") this.send("Enter", { ctrlKey: true });
    else if (key === "Tab") this.send(key, { shiftKey: chance.once(0.4) });
    else this.send(key === "Space" ? " " : key);
    return key;
  }

  pressOddly() {
    const key = this.chance.one(ANYWHERE), how = this.chance.one(HOW);
    this.send(key, how);
    return `${key} ${JSON.stringify(how)}`;
  }

  type() {
    const text = this.chance.one(TYPED);
    if (isField(this.active)) this.insert(text); else for (const key of text) this.send(key);
    return `type ${JSON.stringify(text)}`;
  }

  /** Clicks something where it can be clicked: below a dialog nothing can. */
  click() {
    const { chance, shadow } = this, all = [...(shadow.querySelector(".shade") || shadow).querySelectorAll(CLICKED)];
    const target = chance.one(all.filter((one) => one.getClientRects().length && !one.disabled)), detail = chance.one([1, 1, 1, 2]);
    if (!target) return "no click";
    const did = `click ${target.dataset.do || target.className}`;
    target.dispatchEvent(new PointerEvent("pointerdown", EVENT));
    if (target.dispatchEvent(new MouseEvent("mousedown", EVENT))) {
      const able = target.closest("button, input, textarea, summary, a, [tabindex]");
      if (able) able.focus({ preventScroll: true }); else shadow.activeElement?.blur();
    }
    target.dispatchEvent(new MouseEvent("click", { ...EVENT, detail }));
    return did;
  }

  /** Marks a text, as to copy it. */
  select() {
    const text = this.chance.one([...this.shadow.querySelectorAll(".text, .note:not([hidden])")]);
    getSelection().removeAllRanges();
    if (text) getSelection().selectAllChildren(text);
    return text ? "select" : "no text";
  }

  move() {
    const sort = this.chance.one(["wheel", "pointermove"]);
    this.shadow.querySelector(".sheet").dispatchEvent(new Event(sort, EVENT));
    return sort;
  }

  send(key, how = {}) {
    const { active } = this;
    if (active.dispatchEvent(new KeyboardEvent("keydown", { ...EVENT, key, ...how })) && !how.ctrlKey && !how.isComposing) this.follow(active, key);
    if (!how.kept) this.active.dispatchEvent(new KeyboardEvent("keyup", { ...EVENT, key }));
  }

  /** What a browser does after a key that nobody took. */
  follow(active, key) {
    const field = isField(active);
    if (field && key.length === 1) this.insert(key);
    else if (field && key === "Backspace") this.fill(active.value.slice(0, -1));
    else if (active.tagName === "TEXTAREA" && key === "Enter") this.insert("\n");
    else if (/^(BUTTON|SUMMARY|A)$/.test(active.tagName) && (key === "Enter" || key === " ")) active.click();
  }

  insert(text) { this.fill(this.active.value + text); }

  fill(text) {
    const { active } = this;
    active.value = active.maxLength > 0 ? text.slice(0, active.maxLength) : text;
    active.dispatchEvent(new InputEvent("input", EVENT));
  }
}

// ---- a walk

const WAITS = [30, 200, 700, 1600, 3000, 6000, 9000, 30000, 61000, 700000];

/** A desk with its person, its server and what is around it. */
class Walk {
  constructor(sheets, seed) {
    this.chance = new Chance(seed);
    this.server = new Server(sheets, this.chance, `p${seed}`);
    this.person = new Person(this.chance);
    Object.assign(this, { sent: [], message: null, open: new Set(), faults: [], wasFull: false, off: null, over: document.querySelector("#over"), elsewhere: document.querySelector("#elsewhere") });
    this.acts = [[55, () => this.person.press()], [3, () => this.person.pressOddly()], [16, () => this.person.click()], [6, () => this.person.type()], [1, () => this.person.move()], [1, () => this.person.select()],
      [10, () => this.reply()], [3, () => this.speak()], [4, () => this.wait()], [2, () => this.scroll()], [1, () => this.sit("another page and back")], [0.5, () => this.load()],
      [0.7, () => this.follow()], [0.7, () => this.drop()], [0.5, () => this.leave()], [1, () => this.hide(!document.hidden)], [0.7, () => this.fill()], [0.7, () => this.cover()], [0.7, () => this.look()]];
    [clock, byte, storing] = [0, seed + 1, true];
    due.clear();
    localStorage.clear();
  }

  tell() {
    const { acked, refused } = this.server.data;
    for (const { key } of [...acked, ...refused]) this.open.delete(key);
    this.off = this.desk({ data: structuredClone(this.server.data), parentElement: this.person.shadow, setStateValue: (_, value) => this.send(structuredClone(value)) });
    this.server.clear();
  }

  /** A message of the desk: it holds all that it has sent before and that the server has not replied to. */
  send(message) {
    const keys = new Set(message.answers.map(({ key }) => key));
    for (const key of this.open) if (!keys.has(key) && !this.wasFull) this.faults.push(`${key} is not sent again`);
    for (const key of keys) this.open.add(key);
    this.message = message;
    this.sent.push(message);
  }

  sit(did) {
    this.off?.();
    this.person.shadow = mount();
    makeFrame(this.person.shadow.host.parentElement);
    this.tell();
    return did;
  }

  /** Loads the page: only what the browser has stored is left, and the server gives again what waits. */
  async load() {
    this.off?.();
    this.off = null;
    due.clear();
    this.desk = await load();
    for (const { item } of [...this.server.given.values()].filter((one) => !one.version).slice(-2)) this.server.giveAgain(item, {});
    return this.sit("load");
  }

  reply(did = "reply") {
    if (this.message) this.server.reply(this.message);
    this.message = null;
    this.tell();
    return did;
  }

  speak() { const what = this.server.speak(); this.tell(); return `server: ${what}`; }
  wait() { const ms = this.chance.one(WAITS); pass(ms); return `wait ${ms}`; }
  scroll() { const by = this.chance.one([-2000, -300, 200, 500, 900]); frame.scrollTop += by; return `scroll ${by}`; }
  leave() { dispatchEvent(new Event("pagehide")); return "leave"; }
  fill() { storing = !storing; this.wasFull = true; return storing ? "room to store" : "no room to store"; }
  cover() { this.over.hidden = !this.over.hidden; return this.over.hidden ? "dialog closed" : "dialog"; }
  look() { this.elsewhere.focus(); return "focus elsewhere"; }

  hide(value) {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
    return value ? "hidden" : "shown";
  }

  /** A link leads to an item. */
  follow() {
    const item = this.chance.one([...this.server.given.keys()]) || "nothing", url = new URL(location.href);
    url.searchParams.set("item", item);
    history.replaceState(null, "", url);
    this.server.data.open = item;
    this.tell();
    return "link";
  }

  /** Another tab drops a draft. */
  drop() {
    const key = this.chance.one(Object.keys(localStorage).sort().filter((one) => one.startsWith("assay:draft:")));
    if (key) localStorage.removeItem(key);
    return "a draft goes";
  }

  get isElsewhere() { return !this.over.hidden || document.hidden || !storing || document.activeElement === this.elsewhere; }

  /** All is as usual again, and the person is at the desk. */
  come() {
    this.over.hidden = storing = true;
    if (document.hidden) this.hide(false);
    this.person.shadow.querySelector(".sheet").focus();
    return "back at the desk";
  }

  /** Does something; what it was. */
  async step() {
    const { chance } = this;
    if (this.isElsewhere && chance.once(0.4)) return this.come();
    if (!this.item && chance.once(0.5)) { pass(5000); return this.reply("wait, reply"); }
    return chance.weighed(this.acts)();
  }

  /** Whether the person has changed something of the item on screen. */
  get isBegun() { return Boolean(this.item) && !this.person.shadow.querySelector("[data-do=undo]").disabled; }

  /** What must hold after each step: what the server did not confirm is kept, and of a blind item no judge is drawn. */
  check() {
    const { shadow } = this.person, root = shadow.querySelector(".sheet"), person = this.server.data.person;
    for (const key of this.open) if (!this.wasFull && !localStorage.getItem(`assay:answer:${person}:${key}`)) this.faults.push(`${key} is kept nowhere`);
    if (Number(root.dataset.unsaved) < this.open.size && !this.wasFull) this.faults.push("fewer are counted as unsaved than are");
    if (shadow.querySelector(".why.blind") && shadow.querySelector(".body :is(.step.judge, .step.other, .judgments)")) this.faults.push("a judge is drawn of a blind item");
    if (this.item && shadow.querySelector(".cell") && shadow.querySelectorAll(".cell[data-here]").length !== 1) this.faults.push("not one rating is the focused one");
  }

  get item() { return this.person.shadow.querySelector(".sheet").dataset.item || ""; }
}

/** The steps of a walk: [{did, item, drawn (lines), kept (lines), sent (messages), faults (sentences)}]. */
async function walk(sheets, seed, count) {
  const one = new Walk(sheets, seed), steps = [];
  await one.load();
  pass(300);
  one.reply();
  for (let n = 0; n < count; n++) {
    const { item, isBegun } = one, did = await one.step();
    if (isBegun && one.item !== item && /^(reply|server|wait)/.test(did)) one.faults.push(`the server took ${item} away, which was begun`);
    pass(one.chance.once(0.6) ? 50 : 0);
    await settle();
    one.check();
    const kept = Object.keys(localStorage).sort().map((key) => `${key} ${localStorage.getItem(key)}`);
    steps.push({ did, item: one.item, drawn: drawnLines(one.person.shadow), kept: [...kept, location.search, `scrolled ${frame.scrollTop}`], sent: one.sent.splice(0), faults: one.faults.splice(0) });
  }
  one.off();
  return steps;
}

/** A short mark of lines (FNV-1a). */
function mark(lines) {
  let h = 0x811c9dc5;
  for (const c of lines.join("\n")) h = Math.imul(h ^ c.codePointAt(0), 0x01000193);
  return (h >>> 0).toString(16).padStart(8, "0");
}

Object.assign(window, { walk, mark });
