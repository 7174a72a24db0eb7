"""Find one of several judges by its model, its card, the beginning of its id, or its distinguishing parameters.

`gpt-4o temperature=0.7` is the judge of that model with that parameter; `card=NAME` and `version=HASH` name those. The
beginning of a fingerprint is enough: `wording=7be1`, or `protocol=mine` for mine@1a2b3c4d.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_PAIRS = re.compile(r"(.*?)((?:(?:^|\s+)[\w.-]+=\S*)*)\s*", re.DOTALL)
_MAX_JUDGES, _MAX_LETTERS = 8, 40
_FINGERPRINT_TRAITS = ("version", "wording", "protocol")
"""The traits that hold a fingerprint, of which a judge is told apart by how it begins."""
UNSET = "unset"
"""The value of a parameter that a judge does not have."""


@dataclass(frozen=True)
class JudgeTraits:
    """A judge and what distinguishes it from others; in plain files it has no id."""

    id: str
    card: str
    model: str
    params: Mapping[str, Any]
    version: str = ""
    synthetic: bool = False

    @property
    def traits(self) -> dict[str, Any]:
        """All that can distinguish it, by name."""
        own = {"card": self.card, "version": self.version, "model": self.model, "synthetic": self.synthetic}
        return {**self.params, **own}


def find_judges(judges: Sequence[JudgeTraits], words: str) -> list[JudgeTraits]:
    """The judges that these words name: a model, a card, an id or its beginning, or traits; all judges for ""."""
    if chosen := [judge for judge in judges if words in (judge.id, judge.model)]:
        return chosen
    match = _PAIRS.fullmatch(words.strip())
    assert match is not None
    head, pairs = match[1].strip(), [pair.partition("=") for pair in match[2].split()]
    exact = [
        judge for judge in judges if head in ("", judge.id, judge.model, judge.card, f"{judge.card} · {judge.model}")
    ]
    named = exact or [judge for judge in judges if judge.id.startswith(head)]
    chosen = [judge for judge in named if all(_is(judge.traits.get(key), value) for key, _, value in pairs)]
    return chosen or [
        judge for judge in named if all(_begins(key, judge.traits.get(key), value) for key, _, value in pairs)
    ]


def differences(judges: Sequence[JudgeTraits]) -> list[dict[str, str]]:
    """Return the distinguishing traits of each judge, as words by name; traits that are equal for all are left out."""
    traits = [judge.traits for judge in judges]
    names = sorted({name for row in traits for name in row}, key=lambda name: (name not in _FIRST, name))
    varied = [name for name in names if len({_word(row.get(name)) for row in traits}) > 1]
    if "card" in varied and "version" in varied:
        varied.remove("version")
    return [{name: _word(row.get(name)) for name in varied} for row in traits]


def describe_differences(judges: Sequence[JudgeTraits]) -> str:
    """Return the differences between the judges in words: `temperature 0 / 0.7`."""
    rows = differences(judges)
    listed = [", ".join(f"{name} {word}" for name, word in row.items()) for row in rows]
    if len(rows[0]) == 1:
        (name,) = rows[0]
        listed = [f"{name} {rows[0][name]}", *(row[name] for row in rows[1:])]
    more = f" / and {len(judges) - _MAX_JUDGES} more" if len(judges) > _MAX_JUDGES else ""
    return " / ".join(listed[:_MAX_JUDGES]) + more if rows[0] else "nothing but their ids"


def shortest_name(judges: Sequence[JudgeTraits], traits: JudgeTraits) -> str:
    """The words that name one of the judges among the others: `gpt-4o temperature=0.7`."""
    difference = next(row for row, other in zip(differences(judges), judges, strict=True) if other is traits)
    pairs = [f"{name}={word}" for name, word in difference.items() if name != "model"]
    words = " ".join([traits.model, *pairs])
    return words if find_judges(judges, words) == [traits] else traits.id


_FIRST = ("card", "version", "model")


def _word(value: Any) -> str:
    if value is None:
        return UNSET
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= _MAX_LETTERS else f"{text[: _MAX_LETTERS - 3]}..."


def _begins(name: str, value: Any, word: str) -> bool:
    """Whether a value is written so, or is a fingerprint that begins so."""
    return _is(value, word) or (
        name in _FINGERPRINT_TRAITS and bool(word) and isinstance(value, str) and value.startswith(word)
    )


def _is(value: Any, word: str) -> bool:
    """Whether a value is written so; numbers are compared as numbers."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(word) == value
        except ValueError:
            return False
    return _word(value) == word
