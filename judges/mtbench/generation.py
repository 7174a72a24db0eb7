"""Answers to MT-Bench's questions by a protocol: which calls, in which order, and the resulting dialogues.

A question is a dialogue whose answers are still empty. The card of a protocol answers it turn by turn, in one call for
each turn of each sample; at temperature 0 one sample is asked and stands for all. The replies become dialogues to be
judged, one for each sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judges.card import AnsweringCalls, Card
from judges.mtbench.dialogues import answer_name, turn_texts
from judges.mtbench.protocol import Protocol
from judges.mtbench.records import BenchQuestion
from judges.params import Params
from judges.protocols.call_plan import is_lost, unpack_replies
from judges.types import Dialogue, Reading, Strict, Turn, UnscoredReason

NAME = "mt_bench_answers"
_ANSWER_FIELDS = ("system", "temperatures", "other_temperature", "samples", "continues", "cut_at", "max_tokens")
"""The fields of a protocol that answers rest on."""


class _Answered(Strict):
    """A reply of this card is an answer as it came, and has no shape."""


def open_dialogue(question: BenchQuestion, references: Mapping[str, tuple[str, ...]] | None = None) -> Dialogue:
    """A question as a dialogue whose answers are empty. `references` are its reference answers by the judge's name."""
    meta: dict[str, Any] = {"question_id": question.id, "category": question.category}
    if question.reference:
        meta["reference"] = list(question.reference)
    if question.temperature is not None:
        meta["required_temperature"] = question.temperature
    if references:
        meta["references"] = {judge: list(reference) for judge, reference in references.items()}
    turns = [
        Turn(turn=number, role=role, text=text if role == "user" else "")
        for number, text in enumerate(question.turns, 1)
        for role in ("user", "assistant")
    ]
    return Dialogue(id=question.id, kind="dialogue", turns=turns, meta=meta)


def answer_card(protocol: Protocol) -> Card:
    """The card by which a model answers questions as a protocol says.

    Its version is the hash of all that answers depend on, so protocols that differ only in judging share answers.
    """
    return Card(
        NAME,
        "MT-Bench answers",
        "dialogue",
        (),
        _Answered,
        lambda _reply, _item: Reading(),
        text=lambda _raw, _part: {},
        prompts={"": protocol.system},
        defaults=Params(max_tokens=protocol.max_tokens, combine="first"),
        recipe={"how": "answers", **{name: getattr(protocol, name) for name in _ANSWER_FIELDS}},
        conversation=AnsweringCalls(
            pieces=lambda item: _pieces(protocol, item),
            after=lambda item, piece: _after(protocol, piece),
            messages=lambda item, piece, before: _messages(protocol, item, piece, before),
            temperature=lambda item: answer_temperature(protocol, item),
            params={name: getattr(protocol, name) for name in _ANSWER_FIELDS if name != "system"},
        ),
    )


def answers_mark(protocol: Protocol) -> str:
    """The protocol's name and, after @, the fingerprint of all that answers depend on, without the judging."""
    return f"{protocol.name}@{answer_card(protocol).version[:8]}"


def restore_answer_card(recipe: Mapping[str, Any]) -> Card:
    """The card that a stored recipe of `answer_card` made."""
    return answer_card(Protocol(name="stored", **{name: recipe[name] for name in _ANSWER_FIELDS}))


def answer_temperature(protocol: Protocol, question: Dialogue) -> float:
    """The temperature at which a question is answered."""
    return protocol.temperature(str(question.meta.get("category", "")), question.meta.get("required_temperature"))


def _piece(turn: int, sample: int) -> str:
    return f"turn:{turn} sample:{sample}"


def _place(piece: str) -> tuple[int, int]:
    turn, sample = (part.partition(":")[2] for part in piece.split())
    return int(turn), int(sample)


def _pieces(protocol: Protocol, question: Dialogue) -> list[str]:
    """The calls about a question: the first turn of every sample, then the second of every sample, and so on."""
    samples = range(protocol.samples if answer_temperature(protocol, question) else 1)
    return [_piece(turn, n) for turn in range(1, len(turn_texts(question, "user")) + 1) for n in samples]


def _after(protocol: Protocol, piece: str) -> list[str]:
    """The calls whose answers a call continues: earlier turns of its own sample, or of the first sample."""
    turn, sample = _place(piece)
    return [_piece(n, 0 if protocol.continues == "first" else sample) for n in range(1, turn)]


def _messages(protocol: Protocol, question: Dialogue, piece: str, before: Mapping[str, str]) -> list[dict[str, str]]:
    """System prompt, the turns before it with their answers, cut where the protocol cuts them, and the question."""
    questions = turn_texts(question, "user")
    messages = [{"role": "system", "content": protocol.system}] if protocol.system else []
    for text, earlier in zip(questions, _after(protocol, piece), strict=False):
        answer = before[earlier]
        messages += [
            {"role": "user", "content": text},
            {"role": "assistant", "content": answer[: protocol.cut_at] if protocol.cut_at else answer},
        ]
    return [*messages, {"role": "user", "content": questions[_place(piece)[0] - 1]}]


def answered_dialogues(
    protocol: Protocol, question: Dialogue, model: str, raw: str, references: str | None = None
) -> list[Dialogue]:
    """The dialogues from the replies to a question, one for each sample that has all of its turns.

    `raw` is the text that the judgment of `answer_card` kept, `references` names the question's set of reference
    answers that a judge is shown (None: the question's own). The replies stay complete; `meta` says what happened to
    them: `continues` (the sample whose first turn the others were asked after, where that is not its own), `cut_at` (a
    text is longer than what is judged and was continued), `cut_off` and `refused` (the turns that ran into the longest
    reply, or in which the model refused), `protocol`: what `answers_mark` gives.
    """
    by_piece = {piece: (text, unscored) for piece, text, unscored, _ in unpack_replies(raw) or ()}
    dialogues = []
    for sample in range(protocol.samples):
        own = sample if answer_temperature(protocol, question) else 0
        replies = [by_piece.get(_piece(turn, own)) for turn in range(1, len(turn_texts(question, "user")) + 1)]
        intact = [reply for reply in replies if reply is not None and not is_lost(*reply)]
        if len(intact) == len(replies):
            dialogues.append(_build_dialogue(protocol, question, model, sample, intact, references))
    return dialogues


def _build_dialogue(
    protocol: Protocol, question: Dialogue, model: str, sample: int, replies: list[tuple[str, UnscoredReason | None]],
    references: str | None,
) -> Dialogue:  # fmt: skip
    meta = {name: value for name, value in question.meta.items() if name != "references"}
    if reference := question.meta.get("references", {}).get(references):
        # A question's own reference is for people; a judge that has a reference of its own never sees it.
        meta |= {"reference_answer": reference} if "reference" in meta else {"reference": reference}
    copied = not answer_temperature(protocol, question)
    meta |= {"choice": sample} if sample else {}
    meta |= {"continues": 0} if sample and not copied and protocol.continues == "first" and len(replies) > 1 else {}
    meta |= {"cut_at": protocol.cut_at} if 0 < protocol.cut_at < max(len(text) for text, _ in replies) else {}
    for mark in ("cut_off", "refused"):
        turns = [turn for turn, (_, unscored) in enumerate(replies, 1) if unscored == mark]
        meta |= {mark: turns} if turns else {}
    meta["protocol"] = answers_mark(protocol)
    texts = iter([text for text, _ in replies])
    entries = [
        entry if entry.role == "user" else entry.model_copy(update={"text": next(texts)}) for entry in question.turns
    ]
    name = answer_name(question.id, model, sample)
    return Dialogue(id=name, kind="dialogue", system=model, turns=entries, meta=meta)
