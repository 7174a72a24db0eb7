"""Answers of several models as pairs to be compared, one for each question, two models and turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from judges.mtbench.dialogues import pair_name, turn_texts
from judges.mtbench.pair_turns import ANSWER, USER, join_turns
from judges.types import Dialogue, Pair, PairSide

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
