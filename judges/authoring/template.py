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
    folder = Path(__file__).with_name("new_card")
    code, prompt = (folder.joinpath(kind + ending).read_text(encoding="utf-8") for ending in (".txt", ".md"))
    for word, text in (("NAME", name), ("DIMENSION", dimension), ("TITLE", title)):
        code = code.replace(word, text)
    return {"__init__.py": "", "card.py": code, "prompt.md": prompt.replace("DIMENSION", dimension)}
