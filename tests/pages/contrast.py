"""The contrast of every text that stands on a page, over what is really behind it (WCAG 2.2: at least 4.5)."""

from __future__ import annotations

from typing import Any

FAINT = """root => {
  const channel = v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
  const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const colour = text => { paint.clearRect(0, 0, 1, 1); paint.fillStyle = text; paint.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255] };
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3]));
  const up = e => e.parentElement || (e.getRootNode().host ?? null);
  const behind = e => { const stack = [];
    for (let n = e; n; n = up(n)) { const c = colour(getComputedStyle(n).backgroundColor);
      if (c[3]) stack.unshift(c); if (c[3] === 1) break }
    return stack.reduce((under, top) => over(top, under), [255, 255, 255]) };
  const found = {};
  for (const e of root.querySelectorAll('*')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    const field = e.matches('input, textarea');
    if (!own && !field || !e.getClientRects().length || e.closest('.live, :disabled')) continue;
    const style = getComputedStyle(e, field && !e.value ? '::placeholder' : null), back = behind(e);
    let seen = colour(style.color);
    for (let n = e; n && n !== root; n = up(n)) seen[3] *= +getComputedStyle(n).opacity;
    seen = over(seen, back);
    const [a, b] = [light(seen), light(back)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
    const name = e.tagName.toLowerCase() + [...e.classList].map(c => '.' + c).join('');
    if (ratio < 4.5 && !(found[name] < ratio)) found[name] = Math.round(ratio * 100) / 100;
  }
  return found }"""


def faint(sheet: Any) -> dict[str, float]:
    """What in a locator's element has less than 4.5, and the least that it has; disabled controls are exempt."""
    ratios: dict[str, float] = sheet.evaluate(FAINT)
    return ratios
