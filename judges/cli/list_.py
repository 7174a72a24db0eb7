"""`list`: the cards there are."""

from __future__ import annotations

import argparse

from judges.cards import cards


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""


def run(_: argparse.Namespace) -> int:
    """A line for each card: name, version, kind of item, and what it asks."""
    for card in cards().values():
        names = ", ".join(dict.fromkeys(d.name for d in card.dimensions if d.asked))
        print(f"{card.name:22} {card.version}  {card.kind:9} {names}")
    return 0
