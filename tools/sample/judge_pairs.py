"""The synthetic judge of long pairs: its opening impression weighs double, length helps, failures often go unseen."""

from __future__ import annotations

import random
from typing import Any

from judges.sections import cut_sections
from tools.sample import remarks
from tools.sample.long import ASPECTS, FAILURES
from tools.sample.truth import GeneratedItem, Value, clip

MODEL, PARAMS = "synthetic-judge-a", {"temperature": 0.0, "samples": 1}


def reply(example: GeneratedItem, rng: random.Random) -> dict[str, Any]:
    """One reply in the form of the card long_form_pairwise."""
    item = example.item
    sections = cut_sections(item["response_a"]["text"], item["response_b"]["text"])
    judged: list[dict[str, Any]] = []
    marks: dict[str, list[float]] = {"a": [], "b": []}
    for number, section in enumerate(sections, 1):
        entry: dict[str, Any] = {"section_label": section.label, "response_a": None, "response_b": None}
        for side in ("a", "b"):
            if getattr(section, side) is not None:
                scores = _scores(example, f"section:{number}/{side}", rng)
                entry[f"response_{side}"] = scores
                marks[side].append(sum(scores.values()) / 3)
        judged.append(entry)
    if rng.random() < 0.06:  # a section that no list has
        judged.append({"section_label": "Conclusion", "response_a": _fours(), "response_b": _fours()})
    failures = {side: [name for name in FAILURES if _flags(example, side, name, rng)] for side in ("a", "b")}
    longer = example.lengths["response/a"] - example.lengths["response/b"]
    worth = {
        side: _aggregate(marks[side], bool(failures[side]), longer * (1 if side == "a" else -1)) for side in ("a", "b")
    }
    verdict = _verdict(worth, rng)
    problems = {side: example.issues[f"response/{side}"] for side in ("a", "b")}
    return {
        "section_judgments": judged,
        "long_form_failures": {"response_a": failures["a"], "response_b": failures["b"]},
        "aggregate_scores": {"response_a": worth["a"], "response_b": worth["b"]},
        "verdict": verdict,
        "decision_basis": remarks.pair_basis(verdict, problems, failures),
    }


def values(example: GeneratedItem, reply: dict[str, Any]) -> dict[tuple[str, str], Value]:
    """Return the values that a reply gives to each cell, as an annotator would see them."""
    values: dict[tuple[str, str], Value] = {("pair", "verdict"): reply["verdict"]}
    for number, entry in enumerate(reply["section_judgments"], 1):
        for side in ("a", "b"):
            for name, score in (entry[f"response_{side}"] or {}).items():
                values[f"section:{number}/{side}", name] = score
    for side in ("a", "b"):
        flagged = reply["long_form_failures"][f"response_{side}"]
        values |= {(f"response/{side}", name): name in flagged for name in FAILURES}
    return {cell: value for cell, value in values.items() if cell in example.truth}


def _scores(example: GeneratedItem, unit: str, rng: random.Random) -> dict[str, int]:
    """Scores of one section; what is invented is believed in four cases of ten."""
    believed = rng.random() < 0.4
    scores = {}
    for name in ASPECTS:
        true = float(int(example.truth[unit, name]))
        if name == "groundedness" and true <= 3 and believed:
            true = 4.5
        scores[name] = clip(true + 0.2 + rng.gauss(0, 0.5))
    return scores


def _flags(example: GeneratedItem, side: str, name: str, rng: random.Random) -> bool:
    return rng.random() < (0.5 if example.truth[f"response/{side}", name] is True else 0.02)


def _aggregate(marks: list[float], failed: bool, longer: float) -> float:
    """The mean of the sections, the first one double; within their range, but for a failure."""
    mean = (sum(marks) + marks[0]) / (len(marks) + 1)
    mean += max(-0.25, min(0.25, longer / 4000))
    mean = max(min(marks), min(max(marks), mean)) - (0.4 if failed else 0.0)
    return round(max(1.0, min(5.0, mean)), 1)


def _verdict(worth: dict[str, float], rng: random.Random) -> str:
    gap = worth["a"] - worth["b"] + (0.05 if rng.random() < 0.3 else 0.0)  # the first place has an advantage
    if gap == 0:
        return "tie"
    winner = "a" if gap > 0 else "b"
    if rng.random() < 0.05:
        return "b" if winner == "a" else "a"
    return "tie" if abs(gap) <= 0.25 and rng.random() < 0.5 else winner


def _fours() -> dict[str, int]:
    return dict.fromkeys(ASPECTS, 4)
