"""The folder of a new card: a card that works unchanged, to be edited line by line."""

from __future__ import annotations

import keyword
from collections.abc import Collection
from pathlib import Path

from pydantic import BaseModel

from judges.authoring.recipe import RESERVED, explain_card_name, is_card_name
from judges.errors import BadCard
from judges.types import Kind


def card_files(name: str, kind: Kind, existing_names: Collection[str], scales: Collection[str]) -> dict[str, str]:
    """The texts of a new card's folder by the names of their files.

    `existing_names` are the names of existing cards and folders, `scales` the scales of known dimensions. The new
    card's only dimension gets the card's name, with a number if that is taken. Raises BadCard for a name that no card
    can have.
    """
    if not is_card_name(name) or keyword.iskeyword(name):
        raise BadCard(f"{explain_card_name(name)}.")
    if name in existing_names:
        raise BadCard(f"There is a card {name} already. Choose another name.")
    taken_names = {*scales, *RESERVED, *dir(BaseModel)}
    dimension = next(choice for n in range(1, 1000) if (choice := name if n == 1 else f"{name}_{n}") not in taken_names)
    title = name.replace("_", " ").capitalize()
    prompt = Path(__file__).with_name("new_card").joinpath(f"{kind}.md").read_text(encoding="utf-8")
    code = f"{_CODE[kind]}{_CARD}{_EXTRA_ARGUMENTS.get(kind, '')})\n"
    audits = _AUDITS.get(kind, '"same_score", "injected_order"')
    words = {"AUDITS": audits, "KIND": kind, "NAME": name, "DIMENSION": dimension, "TITLE": title}
    for word, text in words.items():
        code = code.replace(word, text)
    return {"__init__.py": "", "card.py": code, "prompt.md": prompt.replace("DIMENSION", dimension)}


_CARD = '''

CARD = Card(
    "NAME",
    "TITLE",
    "KIND",
    ASKED,
    Reply,
    read,
    prompts=prompts_beside(__file__),
    audits=(AUDITS),
'''
_AUDITS = {"pair": '"longer_wins", "first_place_wins"'}
_EXTRA_ARGUMENTS = {
    "pair": '    defaults=Params(orders="both"),  # A before B and B before A: two calls for each pair\n'
}
_CODE: dict[Kind, str] = {
    "response": '''\
"""NAME: one response, 1-5. Change what it asks, here and in prompt.md."""

from __future__ import annotations

from pydantic import Field

from judges.card import Card, prompts_beside
from judges.types import Dimension, Reading, Remark, Response, Scale, Score, Strict

ASKED = (Dimension("DIMENSION", "response", Scale("ordinal", 1, 5), "How good the output is: say here in what."),)


class Reply(Strict):
    """The judge's JSON."""

    DIMENSION: int = Field(ge=1, le=5)
    reason: str = ""


def read(reply: Reply, item: Response) -> Reading:
    """The score, and its reason as a note."""
    notes = (Remark("response", "DIMENSION", "note", reply.reason),) if reply.reason.strip() else ()
    return Reading((Score("response", "DIMENSION", float(reply.DIMENSION)),), notes)
''',
    "dialogue": '''\
"""NAME: every assistant turn, 1-5. Change what it asks, here and in prompt.md."""

from __future__ import annotations

from pydantic import Field

from judges.card import Card, prompts_beside
from judges.types import Dialogue, Dimension, Reading, Remark, Scale, Score, Strict

ASKED = (Dimension("DIMENSION", "turn", Scale("ordinal", 1, 5), "How good the turn is: say here in what."),)


class Turn(Strict):
    """One assistant turn."""

    turn: int = Field(ge=1)
    DIMENSION: int = Field(ge=1, le=5)
    reason: str = ""


class Reply(Strict):
    """The judge's JSON, with an entry for every assistant turn."""

    turns: list[Turn]


def read(reply: Reply, item: Dialogue) -> Reading:
    """The score of every assistant turn, and its reason as a note. A turn that is left out is told by the reading."""
    there = set(item.assistant_turns)
    given = {one.turn: one for one in reply.turns if one.turn in there}
    scores = [Score(f"turn:{turn}", "DIMENSION", float(one.DIMENSION)) for turn, one in given.items()]
    notes = [Remark(f"turn:{n}", "DIMENSION", "note", one.reason) for n, one in given.items() if one.reason.strip()]
    return Reading(tuple(scores), tuple(notes))
''',
    "pair": '''\
"""NAME: which of two responses is better. Change what it asks, here and in prompt.md."""

from __future__ import annotations

from typing import Literal

from judges.card import Card, prompts_beside
from judges.params import Params
from judges.types import Dimension, Pair, Reading, Remark, Scale, Score, Strict

ANSWERS = ("a", "tie", "b")
BETTER = Scale("unordered", categories=ANSWERS, drawn="tie")
ASKED = (Dimension("DIMENSION", "pair", BETTER, "Which response is better: say here in what."),)


class Reply(Strict):
    """The judge's JSON."""

    DIMENSION: Literal["a", "tie", "b"]
    reason: str = ""


def read(reply: Reply, item: Pair) -> Reading:
    """The answer by its place, and its reason as a note."""
    notes = (Remark("pair", "DIMENSION", "note", reply.reason),) if reply.reason.strip() else ()
    return Reading((Score("pair", "DIMENSION", float(ANSWERS.index(reply.DIMENSION))),), notes)
''',
}
