// text.js: one text on a page of its own, drawn as the desk draws it.

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".sheet");
  if (!root || !data) return;
  root.dataset.theme = themeOf(root);
  root.replaceChildren(judged(data.text));
}
