"""Documents as one self-contained HTML text: styles inside, nothing fetched, no script, light and dark, for print too.

Parts are texts that are HTML already: `heading`, `para`, `note`, `table`, `figure`, `fold` and `records` make them and
escape everything that they are given.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from judges.render.drawing import DARK, FONT, LIGHT, clean

_STYLE = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")


def page(title: str, parts: Iterable[str], footer: str = "", lang: str = "en") -> str:
    """A whole document: its title as the first heading, its parts below each other, and a line at the end."""
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{DARK}}}}}"
    style = f":root{{{LIGHT}}}{dark}body{{font-family:{FONT}}}{_STYLE}"
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    body = "\n".join(parts)
    foot = f"<footer><p>{clean(footer)}</p></footer>\n" if footer else ""
    return (
        f'<!doctype html>\n<html lang="{clean(lang)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{clean(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n<h1>{clean(title)}</h1>\n"
        f"{body}\n</main>\n{foot}</body>\n</html>\n"
    )


def heading(text: str, level: int = 2, anchor: str = "") -> str:
    """A heading; `anchor` is its address within the document."""
    named = f' id="{clean(anchor)}"' if anchor else ""
    return f"<h{level:d}{named}>{clean(text)}</h{level:d}>"


def say(template: str, /, **values: object) -> str:
    """Our words, with **strong** and `code` parts, and values put in as plain text: say("**{n}** items", n=3)."""
    # A piece is code where an odd number of marks came before it, strong likewise; values are put in afterwards, so
    # that no mark in them counts.
    made, coded, strong = "", False, False
    for number, piece in enumerate(clean(template).split("`")):
        coded = number % 2 == 1
        made += "<code>" + piece + "</code>" if coded else _strong(piece, strong)
    return made.format(**{name: f"<bdi>{clean(value)}</bdi>" for name, value in values.items()})


def _strong(text: str, inside: bool) -> str:
    parts = text.split("**")
    return "".join(part if n % 2 == 0 else f"<strong>{part}</strong>" for n, part in enumerate(parts))


def para(template: str, kind: str = "", /, **values: object) -> str:
    """A paragraph of our words with values put in (`say`); `kind` is "quiet" or "lead"."""
    named = f' class="{clean(kind)}"' if kind else ""
    return f"<p{named}>{say(template, **values)}</p>"


def note(template: str, kind: str = "look", /, **values: object) -> str:
    """A remark in a box: "look", "alarm" or "fine"."""
    return f'<p class="note {clean(kind)}" role="note">{say(template, **values)}</p>'


def bullets(items: Sequence[str]) -> str:
    """A list of parts."""
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>" if items else ""


def facts(pairs: Sequence[tuple[str, object]]) -> str:
    """Names and their values, one line each; a value that is empty is left out."""
    rows = "".join(f"<dt>{clean(name)}</dt><dd>{clean(value)}</dd>" for name, value in pairs if str(value))
    return f"<dl>{rows}</dl>"


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str] | Mapping[str, str], caption: str = "") -> str:
    """A table of rows: `columns` are the keys that are shown, in order, or a mapping of keys to headings.

    A column whose values are numbers, or texts of digits, is set flush right; None is a dash.
    """
    heads = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
    right = {key for key in heads if all(_numeric(row.get(key)) for row in rows)}

    def cell(key: str, tag: str, value: object) -> str:
        kind = ' class="n"' if key in right else ""
        return f"<{tag}{kind}>{clean('–' if value is None or value == '' else value)}</{tag}>"

    head = "".join(cell(key, "th", name or " ") for key, name in heads.items())
    body = "".join("<tr>" + "".join(cell(key, "td", row.get(key)) for key in heads) + "</tr>" for row in rows)
    told = f"<caption>{clean(caption)}</caption>" if caption else ""
    return f'<div class="wide"><table>{told}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _numeric(value: object) -> bool:
    if value is None or isinstance(value, int | float):
        return True
    bare = str(value).strip(" %–\u2212+-").replace(",", "").replace(" to ", "").replace("\u2212", "")
    return not bare or bare.replace(".", "").isdigit()


def figure(svg: str, caption: str = "") -> str:
    """A plot (judges/render/svg.py), which can be moved sideways where the screen is narrow, with words below it."""
    told = f"<figcaption>{clean(caption)}</figcaption>" if caption else ""
    return f'<figure><div class="wide">{svg}</div>{told}</figure>'


def fold(title: str, parts: Iterable[str], opened: bool = False) -> str:
    """Parts behind a line that opens them."""
    return (
        f"<details{' open' if opened else ''}><summary>{clean(title)}</summary>\n" + "\n".join(parts) + "\n</details>"
    )


def code(text: str) -> str:
    """Lines to be typed, as they are."""
    return f"<pre>{clean(text)}</pre>"


def records(name: str, value: Any) -> str:
    """Figures for a program: JSON in the document, with every digit, which no browser runs."""
    made = json.dumps(value, ensure_ascii=True, allow_nan=False, indent=1)
    for sign in "<>&":
        made = made.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" id="{clean(name)}">\n{made}\n</script>'
