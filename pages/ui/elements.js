// elements.js: how every component makes an element, or a table of texts. Text is only ever set as text.
function el(tag, cls, text, attrs) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined && text !== null) e.textContent = text;
  if (attrs) for (const k in attrs) if (attrs[k] !== null && attrs[k] !== undefined) e.setAttribute(k, attrs[k]);
  return e;
}

/** A table of texts under the names of its columns. */
function textTable(columns, rows) {
  const table = el("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  for (const name of columns) head.append(el("th", "", name, { scope: "col" }));
  for (const row of rows) { const line = body.insertRow(); for (const text of row) line.append(el("td", "", text)); }
  return table;
}
