// elements.js: how every component makes an element, or a table of texts. Text is only ever set as text.
function el(tag, cls, text, attrs) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined && text !== null) e.textContent = text;
  if (attrs) for (const k in attrs) if (attrs[k] !== null && attrs[k] !== undefined) e.setAttribute(k, attrs[k]);
  return e;
}

const TURNING = /[\u202a-\u202e\u2066-\u2069]/gu, RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name as a part of a line of ours, as `text.isolate` makes it: its letters do not turn what stands beside it. */
function isolate(name) {
  const plain = name.replace(TURNING, "");
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** A table of texts under the names of its columns. */
function textTable(columns, rows) {
  const table = el("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  for (const name of columns) head.append(el("th", "", name, { scope: "col" }));
  for (const row of rows) { const line = body.insertRow(); for (const text of row) line.append(el("td", "", text)); }
  return table;
}
