// Shows the widest of several drawings of one plot that has room; tips at the pointer, choosing by click or keys, a camera.
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function widest(plots, room) {
  const wide = plots.map((svg) => parseFloat(/width="([\d.]+)"/.exec(svg)[1]));
  return plots[wide.reduce((best, width, n) => (width <= room && width > wide[best] ? n : best), wide.indexOf(Math.min(...wide)))];
}

function draw(here, svg, data) {
  const inside = here.contains(here.getRootNode().activeElement);
  here.innerHTML = svg; // made by Assay's own plots, which escape every text
  const root = here.firstElementChild;
  root.querySelectorAll("style.dark").forEach((style) => style.remove()); // the colours are those of the page
  root.setAttribute("aria-label", data.label);
  root.querySelectorAll("title").forEach((title) => {
    if (title.parentNode !== root) title.parentNode.dataset.tip = title.textContent;
    title.remove();
  });
  const places = [...root.querySelectorAll("[data-at]")];
  if (!places.length) root.setAttribute("aria-label", [data.label, ...[...root.querySelectorAll("[data-tip]")].map((one) => one.dataset.tip)].join("; "));
  if (places.length) root.setAttribute("role", "group");
  for (const place of places) {
    place.setAttribute("role", "button");
    place.setAttribute("aria-label", place.dataset.tip);
    place.setAttribute("aria-pressed", place.dataset.at === data.chosen);
    place.setAttribute("tabindex", place === (places.find((one) => one.dataset.at === data.chosen) ?? places[0]) ? 0 : -1);
  }
  if (inside) root.querySelector("[tabindex='0']")?.focus({ preventScroll: true }); // the keys go on from there
}

function beside(place, [right, down]) {
  const middle = (one) => { const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  const [x, y] = middle(place);
  const far = (one) => { const [u, v] = middle(one); return [(u - x) * right + (v - y) * down, Math.abs((u - x) * down) + Math.abs((v - y) * right)]; };
  const ahead = [...place.ownerSVGElement.querySelectorAll("[data-at]")].map((one) => [one, ...far(one)]).filter(([, on]) => on > 1);
  return ahead.sort((a, b) => a[1] + 3 * a[2] - b[1] - 3 * b[2])[0]?.[0];
}

export default function ({ data, parentElement, setStateValue }) {
  const whole = parentElement.querySelector(".whole"), here = whole.querySelector(".here");
  const tip = whole.querySelector(".tip"), camera = whole.querySelector(".camera");
  let shown = null;
  const fit = () => {
    const svg = widest(data.plots, whole.clientWidth || Infinity);
    if (svg !== shown) draw(here, (shown = svg), data);
  };
  fit();
  whole.sizes?.disconnect();
  whole.sizes = new ResizeObserver(fit);
  whole.sizes.observe(whole);

  const hide = () => { tip.hidden = true; };
  const tell = (place, x, y) => {
    const box = whole.getBoundingClientRect();
    tip.textContent = place.dataset.tip;
    tip.hidden = false;
    tip.style.left = `${Math.max(0, Math.min(x - box.x + 14, box.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y - box.y + 18}px`;
  };
  whole.onpointermove = (event) => {
    const place = event.target.closest?.("[data-tip]");
    place ? tell(place, event.clientX, event.clientY) : hide();
  };
  whole.onpointerleave = hide;
  const choose = (place) => {
    data.chosen = place.dataset.at === data.chosen ? null : place.dataset.at;
    here.querySelectorAll("[data-at]").forEach((one) => one.setAttribute("aria-pressed", one.dataset.at === data.chosen));
    setStateValue("chosen", data.chosen);
  };
  here.onclick = (event) => {
    const place = event.target.closest("[data-at]");
    if (place) choose(place);
  };
  here.onkeydown = (event) => {
    const place = event.target.closest("[data-at]");
    if (!place) return;
    if (event.key === "Enter" || event.key === " ") choose(place);
    else if (KEYS[event.key]) {
      const next = beside(place, KEYS[event.key]);
      if (!next) return;
      place.setAttribute("tabindex", -1);
      next.setAttribute("tabindex", 0);
      next.focus();
      const box = next.getBoundingClientRect();
      tell(next, box.x + box.width / 2, box.y + box.height / 2);
    } else return;
    event.preventDefault();
  };
  here.onfocusout = hide;
  camera.title = camera.ariaLabel = `Save as ${data.form.toUpperCase()}`;
  camera.onclick = async () => {
    camera.disabled = true;
    try {
      save(data.form === "svg" ? new Blob([shown], { type: "image/svg+xml" }) : await png(shown), `${data.name}.${data.form}`);
    } catch {
      camera.title = "This browser could not make the picture. Choose SVG under Download.";
    }
    camera.disabled = false;
  };
  return () => whole.sizes.disconnect();
}
