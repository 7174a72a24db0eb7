// Draws a table of words: every text is set as text, and wraps. A row opens, is chosen, or has buttons.
function part([title, columns, rows]) {
  const box = el("div", "part");
  box.append(el("p", "title", title));
  const scroll = el("div", "scroll", null, { tabindex: 0, role: "region", "aria-label": title });
  scroll.append(textTable(columns, rows));
  box.append(scroll);
  return box;
}

/** A dialog that a button opens takes the focus; when it closes, Streamlit drops it to the top of the page. */
function returned(whole, place) {
  const dialog = () => document.querySelector("[role=dialog]"), until = Date.now() + 5000;
  let seen = false;
  const timer = setInterval(() => {
    seen ||= Boolean(dialog());
    if (seen ? dialog() : Date.now() < until) return;
    clearInterval(timer);
    if (!seen || document.activeElement !== document.body) return;
    [...whole.querySelectorAll("button")].find((one) => one.dataset.place === place)?.focus({ preventScroll: true });
  }, 100);
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const whole = parentElement.querySelector(".ledger"), opens = data.detail !== null;
  const focused = whole.getRootNode().activeElement?.dataset?.place;
  const place = (id, action) => (action ? `${id} ${action}` : id);
  const click = (id, action) => {
    setTriggerValue("clicked", { row: id, action });
    returned(whole, place(id, action));
  };
  const table = el("table", opens || data.chosen ? "live" : "", null, { "aria-label": data.label });
  const head = table.createTHead().insertRow();
  for (const [title, width, help] of data.columns) {
    const cell = el("th", width.startsWith("n") ? "number" : "", title, { scope: "col" });
    cell.style.width = width.replace(/^n/, "");
    if (help) { cell.dataset.help = help; cell.classList.add("helped"); cell.tabIndex = 0; cell.setAttribute("aria-description", help); }
    head.append(cell);
  }
  if (data.actions.length) head.append(el("td", "acts"));
  const body = table.createTBody();
  data.rows.forEach((texts, row) => {
    const line = body.insertRow(), id = data.ids[row], open = opens && data.open === id;
    const act = opens ? () => setStateValue("open", open ? null : id) : () => click(id, "");
    line.className = open ? "open" : "";
    texts.forEach((text, column) => {
      const [title, width] = data.columns[column];
      const cell = line.insertCell();
      cell.className = width.startsWith("n") ? "number" : width ? "" : "wide";
      if (text === "–") cell.classList.add("none");
      cell.dataset.title = title;
      const [name, ...rest] = text.split("\n").map(isolate);
      if (column || !(opens || data.chosen)) { cell.textContent = [name, ...rest].join("\n"); return; }
      const button = el("button", "first", name, { type: "button", "data-place": place(id, ""), "aria-expanded": opens ? open : null });
      cell.append(button, ...rest.map((line) => el("div", "soft", line)));
    });
    if (opens || data.chosen) line.onclick = () => { if (!getSelection().toString()) act(); };
    if (data.actions.length) {
      const cell = line.insertCell();
      cell.className = "acts";
      for (const action of data.actions[row]) {
        const button = el("button", "act", action, { type: "button", "data-place": place(id, action), "aria-label": `${action} ${texts[0]}` });
        button.onclick = (event) => { event.stopPropagation(); click(id, action); };
        cell.append(button);
      }
    }
    if (!open) return;
    const below = body.insertRow();
    below.className = "below";
    const cell = below.insertCell();
    cell.colSpan = data.columns.length;
    cell.append(...data.detail.map(part));
  });
  whole.replaceChildren(table);
  if (focused !== undefined) [...whole.querySelectorAll("button")].find((one) => one.dataset.place === focused)?.focus({ preventScroll: true });
}
