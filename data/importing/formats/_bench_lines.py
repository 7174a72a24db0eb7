"""MT-Bench's records as lines: answers become dialogues, compared answers pairs, and what was said of them follows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from data.store.ids import now
from judges.importing.entries import Entry, Hint, Line, RejectedRow, RepeatCounter
from judges.mtbench import completeness
from judges.mtbench.answer_pairs import ANSWER, USER, join_turns
from judges.mtbench.assembly import AssembledBench
from judges.mtbench.dialogues import answer_name, pair_name
from judges.mtbench.records import Answer, Game, Judge, Rating, Vote
from judges.mtbench.rows import INCONSISTENT, SourcePlace
from judges.strict_json import canonical

_PLACES = {"a": "model_a", "b": "model_b", "tie": "tie", "": "error"}
_TURNED = {"a": "b", "b": "a"}


def bench_lines(contents: AssembledBench, task: bool = False) -> Iterator[Entry]:
    """The items, judgments and labels of a set of files, after what is to be said of them.

    task: the category of a question is its task, too.
    """
    summary, *lacking = completeness.describe_contents(contents.bench)
    yield Hint(summary, summary=True)
    yield from map(Hint, [*lacking, *contents.notes])
    for bad in contents.bad:
        yield RejectedRow(bad.place.file, bad.place.line, [(bad.field, bad.sentence)], bad.place.row, bad.answer)
    for file, prompts in contents.prompt_sets.items():
        yield Line(file, 0, "prompts", {"prompts": [list(prompt) for prompt in prompts]})
    lines = _Lines(contents, task)
    for key, place in contents.answered.items():
        yield lines.answer(place, contents.answers[key])
    for place, rating in contents.ratings:
        yield lines.rating(place, rating)
    for place, game in contents.games:
        yield from lines.pair(place, game)
        yield lines.game(place, game)
    for place, vote in contents.votes:
        yield from lines.pair(place, vote)
        yield lines.vote(place, vote)


class _Lines:
    """The lines made so far from the records of some files."""

    def __init__(self, contents: AssembledBench, task: bool) -> None:
        self.bench, self.task = contents, task
        self.pairs: set[str] = set()
        self.votes = RepeatCounter()
        self.time = now().isoformat()

    def answer(self, place: SourcePlace, answer: Answer) -> Entry:
        """The dialogue of an answer."""
        name = answer_name(answer.question, answer.model, answer.choice)
        question = self.bench.questions.get(answer.question)
        if question is None:
            why = f"The question {answer.question} is not in the files: question.jsonl is needed beside the answers."
            return RejectedRow(place.file, place.line, [("question_id", why)], place.row, name)
        turns = [
            {"turn": turn, "role": role, "text": text}
            for turn, texts in enumerate(zip(question.turns, answer.turns, strict=False), 1)
            for role, text in zip(("user", "assistant"), texts, strict=True)
        ]
        facts = {"choice": answer.choice or None, "continues": answer.continues, "cut_at": answer.cut_at or None}
        meta = self._meta(answer.question) | {fact: value for fact, value in facts.items() if value is not None}
        references, sets = self._references(answer.question)
        own = list(question.reference)
        meta |= {"reference": own or references} if own or references else {}
        # A question's own reference is shown to people, and never to a judge.
        meta |= ({"reference_answer": references} if own else {}) | sets
        data = {"id": name, "kind": "dialogue", "system": answer.model, "turns": turns, "meta": meta}
        return Line(place.file, place.line, "item", data, place.row)

    def _references(self, question: str) -> tuple[list[str], dict[str, Any]]:
        """The reference answers to a question, the first of several; and all of them by judge where they differ."""
        sets = {judge: list(texts[question]) for judge, texts in self.bench.references.items() if question in texts}
        first = next(iter(sets.values()), [])
        return first, {} if all(texts == first for texts in sets.values()) else {"reference_answers": sets}

    def _meta(self, question: str) -> dict[str, Any]:
        known = self.bench.questions.get(question)
        if known is None:
            return {"question_id": question}
        fields = {"category": known.category or None, "required_temperature": known.temperature}
        fields |= {"task": known.category or None} if self.task else {}
        return {"question_id": question} | {name: value for name, value in fields.items() if value is not None}

    def rating(self, place: SourcePlace, rating: Rating) -> Line:
        """The judgment of a turn of an answer."""
        reply = {"turn": rating.turn, "judgment": rating.text, "score": rating.stated}
        data = {
            "item": answer_name(rating.question, rating.model, rating.choice),
            "card": "mt_bench",
            "model": self.bench.judges[rating.judge].model,
            "params": params_of(self.bench.judges[rating.judge]),
            "part": f"turn:{rating.turn}",
            "sample": rating.sample or None,
            "reply": reply,
            "raw": rating.text or canonical(reply),
        }
        return Line(place.file, place.line, "judgment", data, place.row)

    def pair(self, place: SourcePlace, verdict: Game | Vote) -> Iterator[Line]:
        """The pair of two models' answers, before what is first said of it."""
        name = _pair_name(verdict)
        if name in self.pairs:
            return
        self.pairs.add(name)
        question = self.bench.questions.get(verdict.question)
        sides = [self.bench.answers.get((verdict.question, model, 0)) for model in (verdict.a, verdict.b)]
        full = question is not None and all(
            answer is not None and len(answer.turns) >= verdict.turn for answer in sides
        )
        references, sets = self._references(verdict.question)
        shown = {"reference_answer": references[: verdict.turn]} if references else {}
        data: dict[str, Any] = {
            "id": name,
            "kind": "pair",
            "input": join_turns(question.turns[: verdict.turn], USER) if question else "",
            "meta": {**self._meta(verdict.question), "turn": verdict.turn, **shown, **sets},
        }
        for side, model, answer in zip("ab", (verdict.a, verdict.b), sides, strict=True):
            has_turns = answer is not None and len(answer.turns) >= verdict.turn
            text = join_turns(answer.turns[: verdict.turn], ANSWER) if answer is not None and has_turns else None
            data[f"response_{side}"] = {"system": model, "text": text}
        in_votes = any((verdict.question, model, 0) in self.bench.in_votes for model in (verdict.a, verdict.b))
        yield Line(place.file, place.line, "item", data, place.row, weak=not full or in_votes)

    def game(self, place: SourcePlace, game: Game) -> Line:
        """The judgment of a pair in one order, as its judge saw it, or over both."""
        judge = self.bench.judges[game.judge]
        data: dict[str, Any] = {
            "item": _pair_name(game), "card": "plain_pairwise", "model": judge.model, "params": params_of(judge)
        }  # fmt: skip
        unscored = ("api_error", game.error) if game.error else None
        if game.order:
            seen = _TURNED.get(game.winner, game.winner) if game.order == "ba" else game.winner
            data |= {"order": game.order, "reply": {"verdict": seen or "tie", "reason": game.text}}
        else:
            text = "" if game.text == INCONSISTENT else game.text
            winner = "tie (inconsistent)" if game.text == INCONSISTENT else _PLACES[game.winner]
            record = {"model_a": game.a, "model_b": game.b, "winner": winner} | ({"judgment": text} if text else {})
            data |= {"reply": {"verdict": game.winner, "reason": game.text}, "raw": canonical(record)}
        return Line(place.file, place.line, "judgment", data, place.row, unscored=unscored)

    def vote(self, place: SourcePlace, vote: Vote) -> Line:
        """The label of a person on a pair."""
        name, made_at, nth = _pair_name(vote), self.time, None
        if vote.at is not None and 0 < vote.at < 4e9:
            made_at = datetime.fromtimestamp(vote.at, UTC).isoformat()
        else:
            nth = self.votes.count(name, vote.voter, vote.winner)
        data = {
            "item": name,
            "unit": "pair",
            "dimension": "verdict",
            "value": vote.winner,
            "annotator": vote.voter,
            "mode": "blind",
            "made_at": made_at,
            "team": vote.group,
        }
        return Line(place.file, place.line, "label", data, place.row, nth=nth)


def params_of(judge: Judge) -> dict[str, Any]:
    """Return what distinguishes a judge of files from others of its model: its protocol, prompt and prompt wording."""
    params = {"protocol": judge.protocol, "prompt": judge.prompt, "wording": judge.wording}
    return {name: value for name, value in params.items() if value}


def _pair_name(verdict: Game | Vote) -> str:
    return pair_name(verdict.question, verdict.a, verdict.b, verdict.turn)
