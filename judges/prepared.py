"""An item as judges and people see it: a long pair is cut into sections where it comes without any."""

from __future__ import annotations

from judges.errors import AssayError
from judges.sections import cut, filled
from judges.tokens import tokens
from judges.types import Dialogue, Pair, Response

LONG = 500
"""Tokens, roughly, from which the responses of a pair are cut into sections, as the card long_form_pairwise needs them.
"""


class BadSections(AssayError):
    """The sections that a pair comes with do not fit its responses."""


def prepared(item: Dialogue | Pair | Response) -> Dialogue | Pair | Response:
    """The item, a pair with its sections: cut where a response is long and none are given, [] where both are short.

    Raises BadSections where given sections do not lie within their responses, or share a label.
    """
    if not isinstance(item, Pair):
        return item
    a, b = item.response_a.text, item.response_b.text
    if item.sections is None:
        long = a is not None and b is not None and max(tokens(a), tokens(b)) >= LONG
        return item.model_copy(update={"sections": filled(cut(a or "", b or "")) if long else []})
    labels = set()
    for number, section in enumerate(item.sections, 1):
        for side, text, span in (("a", a, section.a), ("b", b, section.b)):
            if span is not None and not 0 <= span[0] < span[1] <= len(text or ""):
                raise BadSections(
                    f"section {number}, {side}: {span[0]} to {span[1]} lies outside the response's {len(text or '')} "
                    "characters."
                )
        if section.label in labels or not section.label.strip():
            raise BadSections(f"section {number} has no label of its own: each section needs another one.")
        labels.add(section.label)
    return item
