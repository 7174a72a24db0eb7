// main.js: the component's entry point. Streamlit calls it at every mount and whenever its data changes.
//
// __init__.py describes its input and output.
// An answer is forgotten here only when its key has come back in `acked` or `refused`; until then it also lives in localStorage.

function scrollerOf(node) {
  for (let n = node; n; n = n.parentNode || n.host) {
    if (n instanceof Element && n !== node && /(auto|scroll|overlay)/.test(getComputedStyle(n).overflowY)) return n === document.body ? document.scrollingElement : n;
  }
  return document.scrollingElement;
}

/** The footer spans the scrolling area and never lies over Streamlit's sidebar; Streamlit's own top bar is left free. */
function layout(d) {
  if (!d.root || !d.root.isConnected) return;
  const whole = d.scroller === document.scrollingElement;
  const s = whole ? { left: 0, top: 0, bottom: innerHeight, width: document.documentElement.clientWidth } : d.scroller.getBoundingClientRect();
  const r = d.ui.wrap.getBoundingClientRect(), width = whole ? s.width : d.scroller.clientWidth;
  const bar = document.querySelector('[data-testid="stHeader"]'), b = bar && bar.getBoundingClientRect();
  d.top = b && b.height && b.bottom > s.top && getComputedStyle(bar).visibility !== "hidden" ? b.bottom - s.top : 0;
  const st = d.root.style;
  const set = (name, v) => { v = Math.round(v) + "px"; if (st.getPropertyValue(name) !== v) st.setProperty(name, v); };
  set("--foot-left", s.left); set("--foot-width", width);
  set("--pad-left", Math.max(12, r.left - s.left)); set("--pad-right", Math.max(12, s.left + width - r.right));
  set("--top", d.top); set("--under", Math.max(0, innerHeight - s.bottom));
  const foot = d.ui.foot.offsetHeight, grown = foot - (d.footHigh || foot), c = grown > 0 && d.view && d.view.cells[d.view.here];
  set("--foot", (d.footHigh = foot));
  if (d.view && d.eyes && d.eyes.rootMargin !== marginOf(d)) lookAt(d, d.view);
  if (!c || d.lastRow !== d.view.rowEls[c.r]) return; // an item that was just opened stays scrolled to its top
  const under = c.el.getBoundingClientRect().bottom - viewport(d)[1];
  if (under > 0 && under <= grown) scrollToCell(d); // a message came: it must not cover the focused cell
}

// ---- which ratings were on screen: at least half of a cell, between Streamlit's bar and the footer

const marginOf = (d) => `${-Math.round(d.top || 0)}px 0px ${-Math.round(d.footHigh || 56)}px 0px`;

function lookAt(d, view) {
  const root = d.scroller === document.scrollingElement ? null : d.scroller;
  if (d.eyes) d.eyes.disconnect();
  d.eyes = new IntersectionObserver((seen) => saw(d, seen), { root, rootMargin: marginOf(d), threshold: 0.5 });
  for (const c of view.cells) if (!c.seen) d.eyes.observe(c.el);
}

function saw(d, entries) {
  const { view } = d;
  if (!view) return;
  for (const { target, intersectionRatio } of entries) {
    const c = view.cells[target.dataset.i];
    if (!c || c.el !== target) continue;
    view.looked = true;
    if (intersectionRatio > 0.49) { c.seen = true; d.eyes.unobserve(target); }
  }
  if (view.armed) drawFoot(d);
}

/** Measures it now: for an item that was just painted, the observer has not reported yet. */
function lookNow(d, view) {
  saw(d, d.eyes.takeRecords());
  if (view.looked) return;
  const [top, bottom] = viewport(d);
  for (const c of view.cells) { const r = c.el.getBoundingClientRect(), middle = (r.top + r.bottom) / 2; if (middle > top && middle < bottom) c.seen = true; }
}

function viewport(d) {
  const whole = d.scroller === document.scrollingElement, s = whole ? { top: 0, bottom: innerHeight } : d.scroller.getBoundingClientRect();
  return [s.top + (d.top || 0) + 10, Math.min(s.bottom, innerHeight) - (d.ui.foot.offsetHeight || 56) - 14];
}

function offScreen(d, c) {
  const [top, bottom] = viewport(d), r = c.el.getBoundingClientRect();
  return r.height > 0 && (r.bottom < top || r.top > bottom);
}

/** Brings the focused cell into view, and on entering a row as much of the row as fits; moves nothing that is in view already. */
const ROOM = 110; // kept free beneath a row, so that a note or a box opens there and nothing has to move

function scrollToCell(d) {
  const { view } = d, c = view && view.cells[view.here];
  if (!c) return;
  const [top, bottom] = viewport(d), row = view.rowEls[c.r], r = c.el.getBoundingClientRect(), entered = d.lastRow !== row;
  d.lastRow = row;
  let by = 0;
  if (entered) {
    const whole = row.getBoundingClientRect(), room = bottom - top;
    if (whole.height <= room - ROOM) { if (whole.bottom > bottom - ROOM) by = whole.bottom - bottom + ROOM; else if (whole.top < top) by = whole.top - top; }
    else if (whole.top > top + room * 0.35 || whole.bottom < top + room * 0.35) by = whole.top - top;
  }
  const note = row.querySelector(":scope > .cells > .note:not([hidden])"), box2 = note && note.getBoundingClientRect();
  const low = Math.max(r.bottom, box2 && box2.bottom - r.bottom < 180 ? box2.bottom : 0) + 6;
  if (low - by > bottom) by = low - bottom;
  if (r.top - 6 - by < top) by = r.top - 6 - top;
  if (Math.abs(by) > 0.5) d.scroller.scrollTop += by;
}

/** A box that has just opened, whole if it can be, its top in any case. */
function bringIn(d, box2) {
  const [top, bottom] = viewport(d), r = box2.getBoundingClientRect(), by = Math.min(Math.max(0, r.bottom - bottom), r.top - top);
  if (by) d.scroller.scrollTop += by;
}

/** Keeps cells at the end of their text in place while something opens below or next to them. */
function pin(d) {
  const c = here(d), row = c && d.view.rowEls[c.r], cells = row && row.querySelector(":scope > .cells");
  if (!cells || d.view.pinned === cells || getComputedStyle(cells).alignSelf !== "end") return;
  const by = cells.getBoundingClientRect().top - row.getBoundingClientRect().top - parseFloat(getComputedStyle(row).paddingTop);
  d.view.pinned = cells;
  cells.style.alignSelf = "start"; cells.style.marginTop = by + "px";
}

function unpin(view) {
  if (view.pinned) view.pinned.style.alignSelf = view.pinned.style.marginTop = "";
  view.pinned = null;
}

function toTop(d) {
  if (!d.scroller.scrollTop) return;
  const whole = d.scroller === document.scrollingElement;
  const by = d.root.getBoundingClientRect().top - (whole ? 0 : d.scroller.getBoundingClientRect().top) - (d.top || 0) - 8;
  if (by < 0) d.scroller.scrollTop += by;
}

/** The keyboard's focus follows the focused cell, but is never taken from anywhere outside the desk. */
function focusHere(d, sure) {
  if (!d.root || !d.view || d.menu || d.card || d.editor) return;
  const active = document.activeElement, inner = d.root.getRootNode().activeElement;
  if (!sure && !inner && (awayFrom(d.root) || (tabbed && active?.matches(CONTROL)))) return;
  const c = d.view.cells[d.view.here];
  (c && c.active ? c.active : d.root).focus({ preventScroll: true });
}

function focusRoot(d) {
  if (d.root) d.root.focus({ preventScroll: true });
}

function attach(d, root) {
  if (root.desk) detach(root.desk);
  if (d.root) detach(d);
  d.root = root;
  root.desk = d;
  d.fresh = true;
  d.paused = document.hidden;
  frame(d, root);
  root.dataset.theme = themeOf(root);
  d.scroller = scrollerOf(root);
  const off = (d.off = new AbortController()), o = { signal: off.signal }, quiet = { ...o, passive: true };
  watchFocus(root, o);
  document.addEventListener("keydown", (e) => onKey(d, e), { ...o, capture: true });
  document.addEventListener("keyup", (e) => { if (e.key === "Enter") d.held = null; }, { ...o, capture: true });
  document.addEventListener("visibilitychange", () => { tick(d); d.paused = document.hidden; if (document.hidden && d.view) { takeTyped(d); saveDraft(d, d.view); } }, o);
  addEventListener("pagehide", () => { tick(d); keepEditor(d); if (d.view) { takeTyped(d); saveDraft(d, d.view); } }, o);
  root.addEventListener("click", (e) => onClick(d, e), o);
  root.addEventListener("input", ({ target: { value, maxLength } }) => { if (maxLength >= MOST_NOTE && value.length >= maxLength) hint(d, `${maxLength.toLocaleString("en")} characters fit here: the rest is left out.`); }, o);
  root.addEventListener("mousedown", (e) => onPointer(d, e), o);
  root.addEventListener("wheel", () => tick(d), quiet);
  root.addEventListener("pointermove", () => { if (performance.now() - d.lastInput > 1000) tick(d); }, quiet);
  root.addEventListener("focusin", (e) => {
    const cell = e.target.closest && e.target.closest(".cell");
    if (cell && Number(cell.dataset.i) !== d.view.here) place(d, Number(cell.dataset.i));
    if (e.target.classList.contains("num")) e.target.select();
  }, o);
  d.resize = new ResizeObserver(() => layout(d));
  for (const node of [root, d.ui.wrap, d.scroller, d.ui.foot]) d.resize.observe(node);
  addEventListener("resize", () => layout(d), quiet);
  layout(d);
  // After a change of page the link in the menu has the focus; the desk is what the person came for.
  if (document.activeElement?.closest('[data-testid="stSidebarNav"], [data-testid="stTopNavLink"], [data-testid="stTopNavLinkContainer"]')) { tabbed = false; focusRoot(d); }
  if (d.view) { const view = d.view; show(d, view); }
}

function detach(d) {
  if (!d.root) return;
  tick(d);
  d.lastInput = 0;
  keepEditor(d);
  if (d.view) saveDraft(d, d.view);
  d.off.abort();
  if (d.eyes) d.eyes.disconnect();
  d.resize.disconnect();
  for (const timer of [d.timer, d.lateTimer, d.waitTimer, d.hintTimer, d.urlDue]) clearTimeout(timer);
  d.urlDue = null;
  d.root.desk = null;
  d.menu = d.card = d.editor = null;
  d.root = d.ui = d.setState = null;
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".sheet");
  if (!root || !data) return undefined;
  const d = deskOf(data);
  if (d.root !== root) attach(d, root);
  d.setState = setStateValue;
  root.dataset.theme = themeOf(root);
  const pending = d.outbox.length;
  takeGuide(d, data.guide);
  take(d, data);
  drawStatus(d);
  drawFoot(d);
  if (d.fresh) { d.fresh = false; if (pending && d.outbox.length || d.want || (d.view && d.queue.length < 2)) sendSoon(d); }
  keepTrying(d, pending);
  watchLate(d);
  if (d.view) prebuild(d);
  const call = (d.call = {}); // Streamlit also calls the cleanup of a call that was overtaken by a newer one
  return () => { if (d.call === call) detach(d); };
}
