"""The common parts of SVG plots: frame and colours, text that fits its space, and the ticks of an axis.

A plot is one text that works in a page and as a file. Its colours are variables with a light default, and become dark
if the reader's system is dark. All text is escaped. Text that does not fit is shortened, with the full text as a
tooltip.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise

PLOT_WIDTH = 760
"""Width of every plot, in pixels."""
TEXT_SIZE = 13
"""Size of its text, in pixels."""
FONT = (
    "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Hiragino Sans','Noto Sans CJK JP','Noto Sans JP',"
    "'Yu Gothic',Meiryo,sans-serif"
)
LIGHT = (
    "--ground:#fbfbfa;--ink:#1d2126;--soft:#5d656d;--line:#d9dbd7;"
    "--c0:#0f766e;--c1:#5b6b8c;--c2:#b45309;--c3:#7c3aed;--c4:#b42318;--c5:#636b74"
)
DARK = (
    "--ground:#14171a;--ink:#e7e9ea;--soft:#a0a8b0;--line:#353b41;"
    "--c0:#5ec9bb;--c1:#9fb0d3;--c2:#f0b35c;--c3:#b79cf4;--c4:#f47067;--c5:#a0a8b0"
)
"""The colours: ground, text, quieter text, lines, and of series 0 to 5: accent, judge, amber, violet, red, grey."""
COLOUR_COUNT = 6
_RULES = (
    f".plot text{{font:{TEXT_SIZE}px {FONT};fill:var(--ink)}}.plot .soft{{fill:var(--soft)}}"
    ".plot .title{font-weight:600}.plot .ground{fill:var(--ground)}.plot .over{fill:none;pointer-events:all}"
    ".plot .grid{stroke:var(--line);stroke-width:1}.plot .mark{stroke:var(--soft);stroke-width:1;stroke-dasharray:4 3}"
    ".plot .top{stroke:var(--ink);stroke-width:1.5}"
    + "".join(
        f".plot .f{n}{{fill:var(--c{n})}}.plot .s{n}{{stroke:var(--c{n});fill:none}}" for n in range(COLOUR_COUNT)
    )
    + "".join(f".plot .f{n}.pale{{fill:var(--c{n});fill-opacity:.3;stroke-width:1.5}}" for n in range(COLOUR_COUNT))
)
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def replace_illegal(text: object) -> str:
    """Any text with the characters that neither XML nor HTML allows replaced by a replacement sign."""
    return _NO_XML.sub("\ufffd", str(text))


def escape_text(text: object) -> str:
    """Any text as XML and HTML may hold it, escaped."""
    return escape(replace_illegal(text))


def text_width(text: str, size: float = TEXT_SIZE) -> float:
    """About how wide a text is in pixels; Chinese, Japanese and Korean signs are as wide as they are high."""
    return size * sum(
        0.0 if unicodedata.combining(c) else 1.0 if unicodedata.east_asian_width(c) in "WF" else
        0.86 if c in "mwMW%@<>+=~&#\ufffd" else 0.68 if c.isupper() else 0.56
        for c in text
    )  # fmt: skip


def shorten(text: str, room: float, size: float = TEXT_SIZE) -> str:
    """The text, or its beginning and end around an ellipsis: long names can differ at either end."""
    if text_width(text, size) <= room:
        return text
    first, last, left = 0, len(text), room - size
    while first < last:
        # The beginning gets three signs for each two of the end.
        ahead = 2 * first <= 3 * (len(text) - last)
        left -= text_width(text[first] if ahead else text[last - 1], size)
        if left < 0:
            break
        first, last = (first + 1, last) if ahead else (first, last - 1)
    return text[:first].rstrip() + "…" + text[last:].lstrip()


def label(
    x: float,
    y: float,
    text: object,
    kind: str = "",
    anchor: str = "start",
    room: float = math.inf,
    size: float = TEXT_SIZE,
    after: str = "",
) -> str:
    """A line of text at its baseline; `kind` are CSS classes, `room` how wide it may be, `after` quieter words."""
    full = " ".join(str(text).split())
    short = shorten(full, room, size)
    tooltip = f"<title>{escape_text(full)}</title>" if short != full else ""
    styled = f' style="font-size:{coord(size)}px"' if size != TEXT_SIZE else ""
    kind = f' class="{kind}"' if kind else ""
    more = f'<tspan dx="7" class="soft">{escape_text(after)}</tspan>' if after else ""
    at = f'x="{coord(x)}" y="{coord(y)}" text-anchor="{anchor}"'
    return f"<text {at}{kind}{styled}>{tooltip}{escape_text(short)}{more}</text>"


def line(x0: float, y0: float, x1: float, y1: float, kind: str, width: float | None = None) -> str:
    """A straight line."""
    thick = f' stroke-width="{coord(width)}"' if width is not None else ""
    return f'<line x1="{coord(x0)}" y1="{coord(y0)}" x2="{coord(x1)}" y2="{coord(y1)}" class="{kind}"{thick}/>'


def box(x: float, y: float, width: float, height: float, kind: str, tooltip: str = "", more: str = "") -> str:
    """A rectangle, with a tooltip where `tooltip` has a text."""
    tip = f"<title>{escape_text(tooltip)}</title>" if tooltip else ""
    at = f'x="{coord(x)}" y="{coord(y)}" width="{coord(max(0.0, width))}" height="{coord(max(0.0, height))}"'
    return f'<rect {at} class="{kind}"{more}>{tip}</rect>'


def coord(value: float) -> str:
    """A coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def frame(height: float, title: str, body: Iterable[str], width: float = PLOT_WIDTH) -> str:
    """The whole plot: one SVG text with its own colours, light or dark as the reader's system is."""
    size = f'width="{coord(width)}" height="{coord(height)}" viewBox="0 0 {coord(width)} {coord(height)}"'
    head = label(0, TEXT_SIZE + 3, title, "title", room=width) if title else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="img" {size}>'
        f"<title>{escape_text(title or 'Plot')}</title><style>.plot{{{LIGHT}}}{_RULES}</style>"
        f'<style class="dark" media="screen and (prefers-color-scheme: dark)">.plot{{{DARK}}}</style>'
        f'<rect class="ground" width="{coord(width)}" height="{coord(height)}"/>{head}{"".join(body)}</svg>'
    )


def title_height(title: str) -> float:
    """The room that a title takes at the top."""
    return 2 * TEXT_SIZE + 2 if title else 4.0


def finite_or_none(value: float | None) -> float | None:
    """The number, or None if it is not finite."""
    return None if value is None or not math.isfinite(value) else float(value)


def ticks(low: float, high: float, about: int = 7) -> list[float]:
    """Round numbers from `low` to `high`, steps of 1, 2 or 5 times a power of ten, about so many."""
    if not high > low:
        return [low]
    rough = (high - low) / max(1, about)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(n * step, 12) for n in range(first, last + 1)]


def tick_label(value: float, marks: Sequence[float] = ()) -> str:
    """A tick in words, with as many decimals as the steps of its axis need."""
    step = min((b - a for a, b in pairwise(marks)), default=abs(value) or 1.0)
    digits = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 0
    return f"{value:,.{min(digits, 6)}f}".replace("-", "\u2212")
