"""The judge's weakest turns beside people's."""

from __future__ import annotations

from collections.abc import Mapping

from judges.render.findings.findings import Sentence, say
from judges.stats.weakest_turns import WeakestTurns, explain
from judges.types import Dimension


def findings(turns: Mapping[Dimension, WeakestTurns]) -> list[Sentence]:
    """A sentence for each dimension whose answer is a turn."""
    template = "**{name}**: {sentences}"
    return [
        say(template, name=d.title.capitalize(), sentences=" ".join(explain(weakest_turns)))
        for d, weakest_turns in turns.items()
    ]
