// A table of items: text is only ever set as text. A click on a row, or Enter on its name, sends the row's number.
function make(tag, kind, text) {
  const node = document.createElement(tag);
  if (kind) node.className = kind;
  node.textContent = text;
  return node;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const table = parentElement.querySelector("table");
  table.setAttribute("aria-label", data.label);
  const names = document.createElement("tr");
  for (const { title, help } of data.columns) {
    const head = make("th", "", title);
    head.scope = "col";
    if (help) { head.dataset.help = help; head.className = "helped"; head.tabIndex = 0; head.setAttribute("aria-description", help); }
    names.append(head);
  }
  table.tHead.replaceChildren(names);
  table.tBodies[0].replaceChildren(...data.rows.map((texts, number) => {
    const row = document.createElement("tr");
    row.onclick = () => { if (String(window.getSelection()) === "") setTriggerValue("opened", number); };
    texts.forEach((text, at) => {
      const cell = make("td", `c${at}`, at === 1 ? "" : text);
      if (at === 1) {
        const [name, ...rest] = text.split("\n");
        const button = make("button", "", name);
        button.type = "button";
        cell.append(button, ...rest.map((line) => make("div", "soft", line)));
      }
      row.append(cell);
    });
    return row;
  }));
}
