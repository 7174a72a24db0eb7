"""Documents as one self-contained HTML text: styles inside, nothing fetched, no script, light and dark, for print too.

Parts are HTML already (`Markup`): `heading`, `para`, `note`, `table`, `figure`, `details` and `embed_json` make them of
the templates beside this file. A text that is no `Markup`, one joined from parts by `str.join` too, is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from judges.render.drawing import DARK, FONT, LIGHT, replace_illegal

_FOLDER = Path(__file__).parent
_TEMPLATES = Environment(
    loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    finalize=lambda value: value if hasattr(value, "__html__") else replace_illegal(value), keep_trailing_newline=True,
)  # fmt: skip
_TEMPLATES.policies["json.dumps_kwargs"] = {"ensure_ascii": True, "allow_nan": False}
_PARTS: Any = _TEMPLATES.get_template("parts.html.jinja").module
_STYLE = Markup(
    f":root{{{LIGHT}}}@media screen and (prefers-color-scheme:dark){{:root{{{DARK}}}}}body{{font-family:{FONT}}}"
) + Markup((_FOLDER / "style.css").read_text(encoding="utf-8"))
_VALUE = Markup("<bdi>{}</bdi>")


def html_page(title: str, parts: Iterable[str], footer: str = "") -> str:
    """A whole document: its title as the first heading, its parts below each other, and a line at the end."""
    template = _TEMPLATES.get_template("page.html.jinja")
    return template.render(title=title, parts=parts, footer=footer, style=_STYLE)


def heading(text: str, level: int = 2, anchor: str = "") -> str:
    """A heading; `anchor` is its address within the document."""
    return Markup(_PARTS.heading(text, level, anchor))


def say(template: str, /, **values: object) -> str:
    """Our own text, with **strong** and `code` parts, and values inserted as plain text: say("**{n}** items", n=3)."""
    # A piece is code where an odd number of marks came before it, strong likewise; values are put in afterwards, so
    # that no mark in them counts.
    markup = ""
    for number, piece in enumerate(escape(replace_illegal(template)).split("`")):
        markup += f"<code>{piece}</code>" if number % 2 else _strong(piece)
    return Markup(markup).format(**{name: _VALUE.format(replace_illegal(value)) for name, value in values.items()})


def _strong(text: str) -> str:
    return "".join(part if n % 2 == 0 else f"<strong>{part}</strong>" for n, part in enumerate(text.split("**")))


def para(template: str, kind: str = "", /, **values: object) -> str:
    """A paragraph of our words with values put in (`say`); `kind` is "quiet" or "lead"."""
    return Markup(_PARTS.para(say(template, **values), kind))


def note(template: str, kind: str = "look", /, **values: object) -> str:
    """A remark in a box: "look", "alarm" or "fine"."""
    return Markup(_PARTS.note(say(template, **values), kind))


def bullets(items: Sequence[str]) -> str:
    """A list of parts."""
    return Markup(_PARTS.bullets(items) if items else "")


def facts(pairs: Sequence[tuple[str, object]]) -> str:
    """Names and their values, one line each; a value that is empty is left out."""
    return Markup(_PARTS.facts(pairs))


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str] | Mapping[str, str], caption: str = "") -> str:
    """A table of rows: `columns` are the keys that are shown, in order, or a mapping of keys to headings.

    A column whose values are numbers, or texts of digits, is set flush right; None is a dash. On paper a column that
    has a word of more than 20 letters may be broken within words, so that the table fits.
    """
    heads = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
    right = {key for key in heads if all(_numeric(row.get(key)) for row in rows)}
    long = {key for key in heads if any(len(word) > 20 for row in rows for word in str(row.get(key)).split())}
    return Markup(_PARTS.table(heads, rows, right, long - right, caption))


def _numeric(value: object) -> bool:
    if value is None or isinstance(value, int | float):
        return True
    digits = str(value).strip(" %–\u2212+-").replace(",", "").replace(" to ", "").replace("\u2212", "")
    return not digits or digits.replace(".", "").isdigit()


def figure(svg: str, caption: str = "") -> str:
    """A plot (judges/render/svg.py), which can be moved sideways where the screen is narrow, with words below it."""
    return Markup(_PARTS.figure(Markup(svg), caption))


def details(title: str, parts: Iterable[str]) -> str:
    """Parts that are folded behind a line, which opens them."""
    return Markup(_PARTS.fold(title, parts))


def code(text: str) -> str:
    """Lines to type, verbatim."""
    return Markup(_PARTS.code(text))


def embed_json(value: Any) -> str:
    """Figures for programs: JSON in the document, with all digits, which no browser executes."""
    return Markup(_PARTS.records(value))
