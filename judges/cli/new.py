"""`new`: a folder to begin a card with, which works unchanged."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

import judges.cards
from judges.authoring.template import card_files
from judges.cards import cards
from judges.errors import BadCard
from judges.types import Kind
from judges.whole_file import whole_folder


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("card", metavar="NAME", help="the card's name: small letters, digits and _")
    parser.add_argument("--kind", choices=get_args(Kind), default="response", help="what it judges (default: response)")


def run(options: argparse.Namespace) -> int:
    """Write judges/cards/NAME, whole or not at all, and say what to do next."""
    home = Path(judges.cards.__path__[0])
    existing_cards = cards()
    folders = {path.name.lower() for path in home.iterdir()}
    names = {dimension.name for card in existing_cards.values() for dimension in card.dimensions}
    texts = card_files(options.card, options.kind, folders | existing_cards.keys(), names)
    try:
        with whole_folder(home / options.card) as folder:
            for name, text in texts.items():
                (folder / name).write_text(text, encoding="utf-8")
    except FileExistsError:
        raise BadCard(f"There is a folder judges/cards/{options.card} already. Choose another name.") from None
    print(f"Wrote judges/cards/{options.card}/, a card for a {options.kind}: card.py, prompt.md, an empty __init__.py.")
    print(f"Change what it asks in both, then see what it lacks: python -m judges show {options.card}")
    return 0
