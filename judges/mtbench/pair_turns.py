"""The texts of a pair that goes over several turns: one text for each side, with a line of its own before each turn."""

from __future__ import annotations

from collections.abc import Sequence

USER, ANSWER = "User", "Answer"


def join_turns(texts: Sequence[str], label: str) -> str:
    """One turn unchanged; several one after the other, each under its number."""
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"{_mark(label, number)}{text}" for number, text in enumerate(texts, 1))


def split_turns(text: str, turns: int, label: str) -> list[str]:
    """The turns of a text that `join_turns` made, or the whole text if no turns are found in it."""
    texts, rest = [], f"\n\n{text}"
    for number in range(1, turns + 1) if turns > 1 else ():
        before, mark, rest = rest.partition(f"\n\n{_mark(label, number)}")
        if not mark or (number == 1 and before):
            return [text]
        texts.append(before)
    return [*texts[1:], rest] if texts else [text]


def _mark(label: str, number: int) -> str:
    return f"[{label}, turn {number}]\n"
