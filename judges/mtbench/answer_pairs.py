"""Answers of several models as pairs to be compared, one for each question, two models and turn.

A pair that goes over several turns has one text for each side, with a line of its own before each turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from judges.mtbench.dialogues import pair_name, turn_texts
from judges.types import Dialogue, Pair, PairSide

USER, ANSWER = "User", "Answer"
_META_FIELDS = ("question_id", "category", "required_temperature", "protocol")


def make_pairs(answers: Iterable[Dialogue], model: str = "") -> Iterator[Pair]:
    """Pairs of the first samples to the same question: one model with all others, or all models with each other.

    The models' names are in sorted order, as FastChat's files of pairs have them; a pair of a later turn holds all
    turns up to it, and references up to it. A turn that only one of the models has answered makes no pair.
    """
    by_question: dict[str, dict[str, Dialogue]] = {}
    for answer in answers:
        if not answer.meta.get("choice"):
            by_question.setdefault(str(answer.meta["question_id"]), {})[answer.system] = answer
    for question, by_model in by_question.items():
        for a, b in combinations(sorted(by_model), 2):
            if model in ("", a, b):
                yield from _of_turns(question, by_model[a], by_model[b])


def _of_turns(question: str, a: Dialogue, b: Dialogue) -> Iterator[Pair]:
    user_texts, answers = turn_texts(a, "user"), [turn_texts(dialogue, "assistant") for dialogue in (a, b)]
    reference = a.meta.get("reference_answer", a.meta.get("reference"))
    for turn in range(1, min(map(len, (user_texts, *answers))) + 1):
        meta = {name: a.meta[name] for name in _META_FIELDS if name in a.meta} | {"turn": turn}
        sides = [
            PairSide(system=dialogue.system, text=join_turns(texts[:turn], ANSWER))
            for dialogue, texts in zip((a, b), answers, strict=True)
        ]
        yield Pair(
            id=pair_name(question, a.system, b.system, turn), kind="pair", input=join_turns(user_texts[:turn], USER),
            response_a=sides[0], response_b=sides[1],
            meta=meta | ({"reference_answer": reference[:turn]} if isinstance(reference, list) else {}),
        )  # fmt: skip


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
