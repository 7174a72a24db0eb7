"""Tables as CSV for spreadsheets, without a cell that a spreadsheet would run as a formula.

A text that a spreadsheet would read as a formula gets an apostrophe before it, as OWASP advises against CSV injection.
Nested values are JSON. Every CSV file of Assay is written here.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from numbers import Number
from typing import Any, TextIO

_FORMULA = frozenset("=+-@\N{MINUS SIGN}")
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that show nothing: fillers of Hangul, and the empty pattern of Braille."""
_PARTS = re.compile("([;\t\r\n\v\f\x85\u2028\u2029])([^;\t\r\n\v\f\x85\u2028\u2029]*)")
"""A character that separates cells or rows in some spreadsheets, and the text after it."""
_BULLET = re.compile(r"(?:[-+] (?=[^\W\d_])[^(|!]*|-{2,})$")
"""A line of a list whose words call nothing, or a rule across the page."""


def write_csv_table(out: TextIO, columns: Iterable[str], rows: Iterable[Sequence[Any]], end: str = "\n") -> None:
    """Write a header and rows as CSV, each cell as `csv_cell` makes it."""
    writer = csv.writer(out, lineterminator=end)
    writer.writerow([csv_cell(name) for name in columns])
    writer.writerows([csv_cell(value) for value in row] for row in rows)


def csv_text(columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """A CSV text: floats with every digit, None as an empty cell, yes and no as true and false."""
    out = io.StringIO()
    write_csv_table(out, columns, rows)
    return out.getvalue()


def csv_cell(value: Any) -> Any:
    """A value as a cell of a CSV file; a number stays one, a negative one too."""
    if value is None or (isinstance(value, Number) and not isinstance(value, bool)):
        return value
    if isinstance(value, (dict, list)):
        return _escape_formula(json.dumps(value, ensure_ascii=False))
    text = ("true" if value else "false") if isinstance(value, bool) else str(value)
    return _escape_formula(text)


def _escape_formula(text: str) -> str:
    """A text with an apostrophe wherever a spreadsheet could begin a cell that it would run.

    A spreadsheet may separate cells at another sign than the comma (a semicolon in half of Europe, or a tab), or at
    both. It then ignores quotes in the middle of a cell, so a cell begins after each such sign and after a line break.
    A list or a rule in Markdown stays unchanged.
    """
    escaped = _PARTS.sub(lambda part: f"{part[1]}'{part[2]}" if _runs_after(part[1], part[2]) else part[0], text)
    return "'" + escaped if _runs(text) else escaped


def unescape_formula(text: str) -> str:
    """The text from which `csv_cell` made this cell: the apostrophes that it added are removed.

    An apostrophe of the text itself in such a place is removed too.
    """
    if "'" not in text:
        return text

    def unescape(part: re.Match[str]) -> str:
        return part[1] + part[2][1:] if part[2][:1] == "'" and _runs_after(part[1], part[2][1:]) else part[0]

    unescaped = _PARTS.sub(unescape, text)
    return unescaped[1:] if unescaped[0] == "'" and _runs(unescaped[1:]) else unescaped


def _runs_after(sign: str, part: str) -> bool:
    """Whether a spreadsheet could run the text after a separator; it does not run a list in Markdown."""
    return _runs(part.replace('"', "")) and (sign in ";\t" or _BULLET.match(part) is None)


def _runs(text: str) -> bool:
    """Whether a spreadsheet could run a text: the first character of it that shows begins a formula.

    Programs differ in what they strip first, so every invisible character counts as stripped: spaces, byte order marks,
    control characters, joiners, accents without a letter. Full-width and other forms of a sign count as the sign. A
    leading tab or line break counts as a formula too, because some programs begin a new cell after it.
    """
    if text[:1] in ("\t", "\r", "\n"):
        return True
    for character in text:
        for part in unicodedata.normalize("NFKC", character):
            if part not in _BLANK and unicodedata.category(part)[0] not in "ZCM":
                return part in _FORMULA
    return False
