"""A custom card as the folder that it would be in judges/cards/."""

from __future__ import annotations

import json

from data.cards import cards
from data.records.access import allow
from data.store import Store, Tx
from data.store.errors import BadInput
from data.zip_files import zip_bytes


@allow("annotator")
def export(store: Store | Tx, name: str) -> bytes:
    """A custom card as a zip of its folder: unzipped into judges/cards/, it is a built-in card.

    Raises UnknownCard, BadInput for a card that is built-in or applied per turn.
    """
    card = cards.card_named(store, name)
    if not cards.is_own_card(card):
        own = name.removesuffix("_on_turns")
        raise BadInput(f"{card.title} is not a custom card: its folder is judges/cards/{own}/.")
    files = {
        "__init__.py": "",
        "card.py": _CARD,
        "recipe.json": json.dumps(card.recipe, ensure_ascii=False, indent=1) + "\n",
        "prompt.md": card.prompts[""] + "\n",
    }
    if card.examples:
        files["examples.jsonl"] = "".join(json.dumps(vars(e), ensure_ascii=False) + "\n" for e in card.examples)
    return zip_bytes((f"{name}/{file}", text) for file, text in files.items())


_CARD = '''\
"""A card that was made in Assay: recipe.json says what it asks, prompt.md in which words."""

from __future__ import annotations

from pathlib import Path

from judges.authoring.custom import from_folder

CARD = from_folder(Path(__file__).parent)
'''
