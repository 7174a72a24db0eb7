"""The contents and gaps of a set of MT-Bench's records: one sentence for each sort of finding."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from judges.mtbench import parsing
from judges.mtbench.assembly import list_names
from judges.mtbench.ratings import read_rating
from judges.mtbench.records import Bench, Game, Rating
from judges.mtbench.thinking import unclosed_tags
from judges.plural import many, verb
from judges.strict_json import show_value

Cell = tuple[str, int]
NO_ANSWERS = "No answers are in the files."
_REASONS = ("", "no rating is in the text", "the call to the judge failed", "the rating lies outside 1 to 10")
"""The reasons for which a judgment has no score, in the order of `ratings.REASONS`."""


def describe_contents(bench: Bench) -> list[str]:
    """Return sentences on contents, gaps, duplicates, unscored judgments and why, and conflicts of text and number."""
    notes = [count_contents(bench), *_answers(bench), *_references(bench), *_ratings(bench), *_unscored_lines(bench)]
    return [*notes, *_thinking(bench)]


def count_contents(bench: Bench) -> str:
    """Return one sentence with the number of each sort of record."""
    models = {key[1] for key in bench.answers}
    sets, people = len(bench.references), len({vote.voter for vote in bench.votes})
    parts = [
        (len(bench.questions), many(len(bench.questions), "question")),
        (len(bench.answers), f"{many(len(bench.answers), 'answer')} of {many(len(models), 'model')}"),
        (sets, f"{many(sets, 'set')} of reference answers ({', '.join(bench.references)})"),
        (len(bench.ratings), f"{many(len(bench.ratings), 'rating')} by {many(_by(bench.ratings), 'judge')}"),
        (len(bench.games), f"{many(len(bench.games), 'verdict')} on pairs by {many(_by(bench.games), 'judge')}"),
        (len(bench.votes), f"{many(len(bench.votes), 'vote')} of {many(people, 'person', 'people')}"),
        (len(bench.prompts), many(len(bench.prompts), "prompt")),
    ]  # fmt: skip
    phrases = [text for n, text in parts if n]
    return f"MT-Bench: {', '.join(phrases)}." if phrases else "MT-Bench: nothing."


def _by(judged: Iterable[Rating | Game]) -> int:
    return len({judgment.judge for judgment in judged})


def _answers(bench: Bench) -> list[str]:
    """Questions that a model has not answered, and models that are judged and have no answers."""
    answered: dict[str, set[str]] = defaultdict(set)
    for question, model, _ in bench.answers:
        answered[model].add(question)
    notes = []
    lacking: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for model, questions in answered.items():
        if missing := tuple(question for question in bench.questions if question not in questions):
            lacking[missing].append(model)
    for missing, models in lacking.items():
        notes.append(
            f"{list_names(models)}: {many(len(missing), 'question')} of {len(bench.questions)} "
            f"{verb(len(missing), 'is', 'are')} not answered: {list_names(missing)}."
        )
    notes += [
        f"{show_value(a)} and {show_value(b)} both have answers: if both are one model, give it one name."
        for a, b in combinations(answered, 2) if _strip_maker(a) == _strip_maker(b)
    ]  # fmt: skip
    if bench.answers:
        absent = [model for model in bench.models if model not in answered]
        notes += [
            f"{show_value(a)} is judged and {show_value(b)} has answers: if both are one model, give it one name."
            for a in absent for b in answered if _strip_maker(a) == _strip_maker(b)
        ]  # fmt: skip
        if absent:
            whose = verb(len(absent), "it", "them")
            notes.append(f"{list_names(absent)}: judged, and no answers of {whose} are in the files.")
    else:
        notes.append(NO_ANSWERS)
    if not bench.questions:
        notes.append("No questions are in the files: question.jsonl is needed for texts and categories.")
    else:
        unknown = [question for question, _, _ in bench.answers if question not in bench.questions]
        if unknown:
            notes.append(f"Answers to questions that are not in the files: {list_names(unknown)}.")
    return notes


def _strip_maker(model: str) -> str:
    """A model's name without its maker and without changes made for file names; unchanged if nothing would be left."""
    return re.sub(r"[\W_]+", "", re.split(r"/|__", model.lower())[-1]) or model


def _references(bench: Bench) -> list[str]:
    """Questions to which the reference answers for several judges differ."""
    differing = [
        question for question in bench.questions
        if len({references[question] for references in bench.references.values() if question in references}) > 1
    ]  # fmt: skip
    if not differing:
        return []
    return [
        f"The reference answers for {list_names(bench.references)} differ for {many(len(differing), 'question')}: "
        f"{list_names(differing)}. Each judge's are kept."
    ]


def _ratings(bench: Bench) -> list[str]:
    """Turns of answers that a judge has not judged, or judged more than once."""
    if not bench.ratings:
        return []
    met: dict[tuple[str, str], Counter[Cell]] = defaultdict(Counter)
    for rating in bench.ratings:
        if rating.choice == 0:
            met[rating.judge, rating.model][rating.question, rating.turn] += 1
    cells_by_model: dict[str, list[Cell]] = defaultdict(list)
    for (question, model, choice), answer in bench.answers.items():
        if choice == 0:
            cells_by_model[model] += [(question, turn) for turn in range(1, len(answer.turns) + 1)]
    everything = [(q.id, turn) for q in bench.questions.values() for turn in range(1, len(q.turns) + 1)]
    missing: dict[tuple[str, tuple[Cell, ...]], list[str]] = defaultdict(list)
    double: dict[tuple[str, tuple[Cell, ...]], list[str]] = defaultdict(list)
    idle: dict[str, list[str]] = defaultdict(list)
    judges = list(dict.fromkeys(rating.judge for rating in bench.ratings))
    for judge in judges:
        for model in dict.fromkeys([*cells_by_model, *(name for rater, name in met if rater == judge)]):
            counts = met.get((judge, model))
            if counts is None:
                idle[judge].append(model)
                continue
            if gaps := tuple(cell for cell in cells_by_model.get(model) or everything if cell not in counts):
                missing[judge, gaps].append(model)
            if more := tuple(cell for cell, n in counts.items() if n > 1):
                double[judge, more].append(model)
    notes = [
        f"{judge} has not judged {many(len(cells), 'turn')} of {list_names(models)}: "
        f"{_cells(cells, len(bench.questions))}."
        for (judge, cells), models in missing.items()
    ]
    notes += [f"{judge} has judged nothing of {list_names(models)}." for judge, models in idle.items()]
    return notes + [
        f"{judge} has judged {many(len(cells), 'turn')} of {list_names(models)} more than once: {_cells(cells, 0)}."
        for (judge, cells), models in double.items()
    ]


def _cells(cells: Sequence[Cell], every: int) -> str:
    """Turns of questions in words, by turn; so many questions are all."""
    by_turn: dict[int, list[str]] = defaultdict(list)
    for question, turn in cells:
        by_turn[turn].append(question)
    text_by_turn = {
        turn: f"all {every} questions" if len(questions) == every > 1 else list_names(questions)
        for turn, questions in sorted(by_turn.items())
    }
    return "; ".join(f"turn {turn} of {which}" for turn, which in text_by_turn.items())


def _unscored_lines(bench: Bench) -> list[str]:
    """Judgments without a score, by reason, and judgments whose text gives another number than their file."""
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    others: dict[str, list[str]] = defaultdict(list)
    for rating in bench.ratings:
        if why := _REASONS[read_rating(rating)[1]]:
            reasons[rating.judge, why].append(rating.question)
        elif rating.text.strip() and rating.stated is not None and rating.stated != parsing.rating(rating.text):
            others[rating.judge].append(
                f"{rating.question} ({rating.stated:g}, and {parsing.rating(rating.text):g} in the text)"
            )
    notes = [
        f"{judge}: {many(len(questions), 'rating')} {verb(len(questions), 'has', 'have')} no score, as {why} "
        f"(questions {list_names(questions)})."
        for (judge, why), questions in reasons.items()
    ]
    notes += [
        f"{judge}: {many(len(cells), 'rating')} {verb(len(cells), 'states', 'state')} another number than "
        f"{verb(len(cells), 'its', 'their')} text: questions {list_names(cells)}."
        for judge, cells in others.items()
    ]
    failed = Counter(game.judge for game in bench.games if game.error)
    return notes + [f"{judge}: {many(n, 'verdict')} on pairs failed." for judge, n in failed.items()]


def _thinking(bench: Bench) -> list[str]:
    """Answers with an unpaired thinking tag."""
    by_tag: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (question, model, _), answer in bench.answers.items():
        for tag in dict.fromkeys(tag for text in answer.turns for tag in unclosed_tags(text)):
            by_tag[model, tag].append(question)
    return [
        f"{model}: {many(len(questions), 'answer')} {verb(len(questions), 'has', 'have')} {tag} without its partner: "
        f"no text there is taken for thinking (questions {list_names(questions)})."
        for (model, tag), questions in by_tag.items()
    ]
