"""Single responses: every question answered by three systems, with the truth about each answer."""

from __future__ import annotations

import random
from typing import Any

from judges.cards.rubric_open_ended.card import VERDICTS
from tools.sample import remarks
from tools.sample.dialogues import SYSTEMS
from tools.sample.material import SampleQuestion, Text, questions
from tools.sample.truth import GeneratedItem, Truth, Value, clip, words

DIMENSIONS = ("factuality", "instruction_following", "coherence", "completeness")
MODEL, PARAMS = "synthetic-judge-a", {"temperature": 0.0, "samples": 1}


def responses(name: str, prefix: str, rng: random.Random) -> list[GeneratedItem]:
    """All outputs of `material/<name>.txt` as items, in a mixed order in which a task does not follow itself."""
    drawn: list[tuple[SampleQuestion, Text, str]] = []
    for question in questions(name):
        systems = rng.sample(SYSTEMS, len(SYSTEMS))
        if rng.random() < 0.5:  # the better half of the time the order of quality is that of the systems
            systems = list(SYSTEMS)
        drawn += [(question, output, system) for output, system in zip(question.outputs, systems, strict=True)]
    rng.shuffle(drawn)
    ordered: list[tuple[SampleQuestion, Text, str]] = []
    while drawn:
        recent = {question.key for question, *_ in ordered[-4:]}
        chosen = next((n for n, (question, *_) in enumerate(drawn) if question.key not in recent), 0)
        ordered.append(drawn.pop(chosen))
    return [_build_item(f"{prefix}-{n:03d}", *entry) for n, entry in enumerate(ordered, 1)]


def _build_item(id: str, question: SampleQuestion, output: Text, system: str) -> GeneratedItem:
    item = {
        "id": id,
        "kind": "response",
        "task": question.task,
        "output": output.text,
        "reference": question.reference,
        "system": system,
        "meta": {"topic": question.topic, "language": question.language},
    }
    truth: Truth = {("response", name): score for name, score in zip(DIMENSIONS, output.scores, strict=True)}
    truth["response", "verdict"] = verdict(list(output.scores))
    issues = {"response": list(output.issues)} if output.issues else {}
    return GeneratedItem(item, truth, question.key, (), issues, {"response": words(output.text, question.language)})


def verdict(scores: list[int]) -> str:
    """The verdict that fits four scores: the worst one counts most."""
    worst, mean = min(scores), sum(scores) / len(scores)
    if worst >= 4 and mean >= 4.5:
        return "excellent"
    if worst >= 3:
        return "good"
    return "borderline" if worst == 2 or mean >= 3.8 else "poor"


def finish(values: Truth, rng: random.Random) -> Truth:
    """The values of a person, with a verdict that mostly follows from their own scores."""
    if rng.random() < 0.85:
        values["response", "verdict"] = verdict([int(values["response", name]) for name in DIMENSIONS])
    return values


def finish_short(values: Truth, rng: random.Random) -> Truth:
    """The same for answers of one line, which hang together for everybody."""
    values["response", "coherence"] = 5
    return finish(values, rng)


def reply(example: GeneratedItem, short: bool, rng: random.Random) -> dict[str, Any]:
    """The synthetic judge's reply: many fours, long answers are complete; a `short` one it always finds coherent."""
    length, scores = example.lengths["response"], {}
    for name in DIMENSIONS:
        true = float(int(example.truth["response", name]))
        belief = true + 0.2 + rng.gauss(0, 0.45 if short else 0.55)
        if name == "factuality" and true <= 2 and rng.random() < 0.12:
            belief = 4.4  # a false claim goes unnoticed
        if name == "completeness" and not short:
            belief += max(-1.0, min(1.2, (length - 60) / 40))
        if not short and rng.random() < 0.3:
            belief = 4.0
        scores[name] = 5 if short and name == "coherence" else clip(belief)
    final_verdict = verdict(list(scores.values()))
    if rng.random() < 0.06:
        final_verdict = VERDICTS[min(len(VERDICTS) - 1, VERDICTS.index(final_verdict) + 1)]
    issues = example.issues.get("response", []) if min(scores.values()) <= 3 or rng.random() < 0.5 else []
    return {
        "scores": scores,
        "verdict": final_verdict,
        "decision_basis": remarks.response_basis(final_verdict, issues, rng),
        "issues": list(issues),
    }


def values(reply: dict[str, Any]) -> dict[tuple[str, str], Value]:
    """Return the values that a reply gives to each cell, as an annotator would see them."""
    return {("response", name): score for name, score in reply["scores"].items()} | {
        ("response", "verdict"): reply["verdict"]
    }
