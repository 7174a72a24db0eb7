// drawn.js: all that the desk draws, a line for each element or text, as tests compare it.

/** The lines of what lies below a root: attributes but styles, what stands in fields, what has the focus. Of a long text it is the beginning and the length. What the key card lists is the same for every item: see test_draw.py. */
window.drawnLines = (root) => {
  const lines = [], short = (text) => JSON.stringify(text.length > 70 ? text.slice(0, 60) + "…" + text.length : text);
  const go = (node, depth) => {
    for (const child of node.childNodes) {
      const add = (line) => lines.push(" ".repeat(depth) + line);
      if (child.nodeType === 3 && child.nodeValue.trim()) add(short(child.nodeValue));
      if (child.nodeType !== 1 || child.tagName === "STYLE") continue;
      const attributes = [...child.attributes].filter((one) => one.name !== "style").map((one) => ` ${one.name}=${one.value}`);
      if (/^(INPUT|TEXTAREA)$/.test(child.tagName)) attributes.push(" " + short(child.value));
      if (child === root.activeElement) attributes.push(" <- focus");
      const alone = child.childNodes.length === 1 && child.firstChild.nodeType === 3;
      add(child.tagName.toLowerCase() + attributes.join("") + (alone ? " " + short(child.textContent) : ""));
      if (!alone && child.className !== "cardcols") go(child, depth + 1);
    }
  };
  go(root, 0);
  return lines;
};
