"""The remarks of the synthetic judge: notes, decision bases and issues that speak of the item at hand."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from tools.sample.truth import GeneratedItem

_WORDS = 38
"""A decision basis has at most 40 words (judges/cards); two are kept as a margin."""


def coherence(example: GeneratedItem, score: int, weak: int | None, rng: random.Random) -> str:
    """A note on coherence; `weak` is the turn that the judge likes least, if any."""
    if score >= 4:
        return rng.choice(
            [
                f"Stays with {example.goal} from the first turn to the last.",
                "Each answer follows from the message before it.",
                "No contradictions; details given early are used later.",
                f"One clear line towards {example.goal}.",
                "Answers fit the questions, the order makes sense.",
            ]
        )
    problem = _problem(example, weak)
    return rng.choice(
        [
            f"Mostly connected, but turn {weak} breaks the thread{problem}.",
            f"The thread is lost in turn {weak}{problem}.",
            f"Turn {weak} does not fit what was said before{problem}.",
        ]
    )


def task(example: GeneratedItem, score: int, weak: int | None, rng: random.Random) -> str:
    """A note on task completion."""
    if score >= 4:
        return rng.choice(
            [
                f"Done: {example.done}.",
                f"The user gets what they came for: {example.done}.",
                f"By the end {example.done}.",
            ]
        )
    if score == 3:
        return rng.choice(
            [
                f"Partly: progress on {example.goal}, but turn {weak} leaves a gap.",
                f"The user is closer to {example.goal}, not all the way there.",
            ]
        )
    return rng.choice(
        [f"The user is hardly closer to {example.goal}.", f"No result for {example.goal}{_problem(example, weak)}."]
    )


def repair(example: GeneratedItem, score: int | None, rng: random.Random) -> str:
    """A note on how corrections were taken; "" where the judge overlooked them (a known failure of such judges)."""
    turn = rng.choice(example.corrected) if example.corrected else None
    if turn is None:
        return "" if score is None and rng.random() < 0.4 else "The user corrects nothing here."
    if score is None:
        return ""
    if score >= 4:
        return rng.choice(
            [
                f"The correction in turn {turn} is taken up at once.",
                f"Accepts the user's objection in turn {turn} and goes on from there.",
            ]
        )
    if score == 3:
        return f"Reacts to the correction in turn {turn}, but only in part."
    return rng.choice(
        [
            f"The correction in turn {turn} is passed over.",
            f"The user has to insist in turn {turn} and is not heard.",
        ]
    )


def basis(example: GeneratedItem, verdict: str, weak: int | None, rng: random.Random) -> str:
    """The decision basis of a dialogue: one sentence of at most 40 words."""
    problem = _problem(example, weak)
    if verdict == "excellent":
        text = rng.choice(
            [
                f"Direct answers that build on what the user said; {example.done}.",
                f"Every turn moves {example.goal} forward, and nothing in it is unsafe.",
                f"The user's details are used throughout and {example.done}.",
            ]
        )
    elif verdict == "good":
        text = rng.choice(
            [
                f"Helps with {example.goal}, although {f'turn {weak}' if weak else 'one answer'} stays thin.",
                f"Solid on the whole; {example.done}, with room for more detail.",
            ]
        )
    elif verdict == "borderline":
        text = rng.choice(
            [
                f"Useful in parts, but turn {weak} costs the user time{problem}.",
                f"The conversation recovers only partly from turn {weak}{problem}.",
            ]
        )
    else:
        text = rng.choice(
            [
                f"Turn {weak} weighs too much{problem}.",
                f"Fails the user on {example.goal}{problem}.",
            ]
        )
    return shorten_basis(text)


def shorten_basis(text: str) -> str:
    """The text with at most the number of words that a decision basis may have."""
    parts = text.split()
    return text if len(parts) <= _WORDS else " ".join(parts[:_WORDS]).rstrip(",;:.") + "."


def quibble(length: float, rng: random.Random) -> list[str]:
    """Return a judge's remarks on a turn in which it found no fault: mostly none."""
    if length > 65 and rng.random() < 0.12:
        return [rng.choice(["Long for a chat; the main point comes late", "Could be shorter"])]
    if length < 14 and rng.random() < 0.15:
        return [rng.choice(["Very short, the user may have to ask again", "Correct, but gives no reason"])]
    return []


def pair_basis(verdict: str, problems: Mapping[str, Sequence[str]], failures: Mapping[str, Sequence[str]]) -> str:
    """The decision basis of a pair: what speaks against the loser, or that neither is better."""
    if verdict == "tie":
        return "Both cover the material to a similar degree; neither has an advantage that decides."
    winner, loser = (verdict, "b") if verdict == "a" else (verdict, "a")
    first = f"{winner.upper()} keeps closer to the material."
    named = [name.replace("_", " ") for name in failures[loser]]
    if named:
        first = f"{winner.upper()} is the more reliable report; {loser.upper()} shows {' and '.join(named)}."
    return f"{first} {loser.upper()}: {problems[loser][0]}." if problems[loser] else first


def response_basis(verdict: str, problems: Sequence[str], rng: random.Random) -> str:
    """The decision basis of a single response."""
    if problems:
        link = {"excellent": "Very good overall", "good": "Good", "borderline": "Usable in part", "poor": "Not usable"}
        return shorten_basis(f"{link[verdict]}; {problems[0][0].lower()}{problems[0][1:]}.")
    if verdict in ("excellent", "good"):
        return rng.choice(
            [
                "Answers what was asked, in the form that was asked for.",
                "Correct and complete within the limits of the task.",
                "Follows the instruction and gets the facts right.",
            ]
        )
    return "Falls short of the task in content or in form."


def _problem(example: GeneratedItem, weak: int | None) -> str:
    """ ": what is wrong with that turn", or nothing."""
    remarks = example.issues.get(f"turn:{weak}") if weak else None
    return f": {remarks[0]}" if remarks else ""
