"""Dialogues: a story played by three systems, each taking another way through its replies, with the truth about it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

from judges.cards.multi_turn_dialogue.card import allowed_verdicts
from tools.sample.material import Story, Text, stories
from tools.sample.truth import NA, Fault, GeneratedItem, Truth, clip, words

SYSTEMS = ("aster-1", "birch-2", "cedar-mini")
_TASTE = {"aster-1": 0.4, "birch-2": 0.2, "cedar-mini": 0.0}
"""The strength with which a system prefers the better one of two replies."""
_REPAIRS = {"aster-1": 0.9, "birch-2": 0.75, "cedar-mini": 0.5}
"""The probability that a system takes up an objection."""
Play = tuple[Story, str, list[int], int]
"""The arguments of `play`: a story, the system, the numbers of its replies, the number of the slots' options."""
_SLOT = re.compile(r"\{(\w+)\}")
_EITHER = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)


def dialogues(count: int, rng: random.Random) -> list[GeneratedItem]:
    """`count` dialogues in a mixed order. No assistant turn comes twice, and a story is never next to itself.

    Every story is played twice; of the third ways to play them, as many as still find room.
    """
    rounds: list[list[Play]] = [[], [], []]
    for story in stories():
        plays = min(len(exchange.replies) for exchange in story.exchanges)
        systems = rng.sample(SYSTEMS, plays)
        ways = _ways(story, systems, rng)
        start = rng.randrange(60)
        for number, (system, choices) in enumerate(zip(systems, ways, strict=True)):
            rounds[number].append((story, system, choices, start + number))
    last = rounds.pop()
    rng.shuffle(last)
    last.sort(key=lambda play: play[0].language == "en")  # the other languages are rare enough: they all stay
    all_plays = [play for round_ in rounds for play in round_] + last
    order = _spread_stories(all_plays[:count], rng)
    return [play(f"d-{n:04d}", *one_play, rng) for n, one_play in enumerate(order, 1)]


def short_dialogues(count: int, turns: int, rng: random.Random) -> list[GeneratedItem]:
    """`count` different dialogues of exactly `turns` assistant turns; longer stories are cut off there."""
    fit = [story for story in stories() if len(story.exchanges) >= turns]
    items: list[GeneratedItem] = []
    texts: set[str] = set()
    number = 0
    while len(items) < count:
        story = fit[number % len(fit)]
        choices = [rng.randrange(len(exchange.replies)) for exchange in story.exchanges[:turns]]
        system = SYSTEMS[(number + number // len(fit)) % len(SYSTEMS)]
        item = play(f"b-{len(items) + 1:04d}", story, system, choices, rng.randrange(60), rng)
        text = "\n".join(turn["text"] for turn in item.item["turns"])
        number += 1
        if text not in texts:
            texts.add(text)
            items.append(item)
    return items


def _ways(story: Story, systems: Sequence[str], rng: random.Random) -> list[list[int]]:
    """For each system the numbers of the replies that it gives; every reply is given by one system at most."""
    ways: list[list[int]] = [[] for _ in systems]
    by_taste = sorted(range(len(systems)), key=lambda n: -abs(_TASTE[systems[n]]))
    for exchange in story.exchanges:
        left = list(range(len(exchange.replies)))
        for n in by_taste:
            weights = [pow(2.0, _TASTE[systems[n]] * (sum(exchange.replies[r].scores) - 12)) for r in left]
            chosen = rng.choices(left, weights)[0]
            left.remove(chosen)
            ways[n].append(chosen)
    return ways


def _spread_stories(plays: list[Play], rng: random.Random) -> list[Play]:
    """The plays in random order, moved so that a story keeps at least five other dialogues from its next showing."""
    rng.shuffle(plays)
    out: list[Play] = []
    while plays:
        recent = {story.key for story, *_ in out[-5:]}
        chosen = next((n for n, (story, *_) in enumerate(plays) if story.key not in recent), 0)
        out.append(plays.pop(chosen))
    return out


def play(id: str, story: Story, system: str, choices: Sequence[int], slot: int, rng: random.Random) -> GeneratedItem:
    """One dialogue: reply number `choices[k]` in exchange k, slots filled by their option number `slot`."""
    fill = _filler(story, slot, rng)
    gap = "" if story.language in ("ja", "zh") else " "
    turns: list[dict[str, Any]] = []
    truth: Truth = {}
    faults: list[Fault] = []
    issues: dict[str, list[str]] = {}
    lengths: dict[str, float] = {}
    corrected: list[int] = []
    repairs: list[int] = []
    before: Text | None = None
    for number, (exchange, choice) in enumerate(zip(story.exchanges, choices, strict=False), 1):
        unit, reply = f"turn:{number}", exchange.replies[choice]
        objected = before is not None and bool(before.objection)
        user, text, scores = fill(exchange.user), fill(reply.text), list(reply.scores)
        problems = [fill(issue) for issue in reply.issues]
        if objected and before is not None:
            objection = fill(before.objection)
            stop = "." if objection[-1].isalnum() and gap else ""
            user = f"{objection}{stop}{gap}{user}"
            if scores[0] >= 3 and rng.random() < _REPAIRS[system]:
                text = f"{fill(before.repair)}{gap}{text}"
            else:
                scores[0], scores[1] = min(scores[0], 2), max(1, scores[1] - 1)
                problems.insert(0, "Passes over the user's objection")
                faults.append(Fault("ignored_correction", unit, objection, text[:40]))
        if objected or exchange.corrects:
            corrected.append(number)
            repairs.append(scores[0])
        faults += [Fault(kind, unit, fill(earlier), fill(later)) for kind, earlier, later in reply.faults]
        turns += [{"turn": number, "role": "user", "text": user}, {"turn": number, "role": "assistant", "text": text}]
        truth |= {(unit, name): score for name, score in zip(_TURN, scores, strict=True)}
        lengths[unit] = words(text, story.language)
        if problems:
            issues[unit] = problems
        before = reply
    truth |= _truth_of_conversation(
        [[int(truth[f"turn:{n}", name]) for name in _TURN] for n in range(1, len(turns) // 2 + 1)], repairs
    )
    item = {
        "id": id,
        "kind": "dialogue",
        "scenario": fill(story.scenario),
        "system": system,
        "turns": turns,
        "meta": {"topic": story.topic, "language": story.language},
    }
    goal, done = fill(story.goal), fill(story.done)
    return GeneratedItem(item, truth, story.key, tuple(faults), issues, lengths, goal, done, tuple(corrected))


_TURN = ("context_use", "helpfulness", "safety")


def _filler(story: Story, slot: int, rng: random.Random) -> Any:
    values: dict[str, str] = {}
    for names, options in story.slots:
        values |= zip(names, options[slot % len(options)], strict=True)

    def fill(text: str) -> str:
        text = _EITHER.sub(lambda match: rng.choice(match[1].split("|")), text)
        return _SLOT.sub(lambda match: values.get(match[1], match[0]), text)

    return fill


def _truth_of_conversation(turns: list[list[int]], repairs: list[int]) -> Truth:
    """The conversation's true scores, verdict and weakest turn, from those of its turns and of its repairs."""
    helpful = [h for _, h, _ in turns]
    breaks = sum(1.0 if c <= 2 else 0.5 if c == 3 else 0.0 for c, _, _ in turns)
    coherence = clip(5 - breaks * (1.6 if len(turns) <= 4 else 1.1))
    late = helpful[-2:]
    task = clip(0.5 * sum(helpful) / len(helpful) + 0.5 * sum(late) / len(late) - any(s <= 2 for *_, s in turns) + 0.2)
    repair: int | str = clip(sum(repairs) / len(repairs) - (min(repairs) <= 2) * 0.4) if repairs else NA
    whole = {
        "coherence": coherence,
        "task_completion": task,
        "repair_handling": repair if isinstance(repair, int) else None,
    }
    allowed = allowed_verdicts([s for *_, s in turns], helpful, [c for c, *_ in turns], whole)
    verdict = "poor" if "poor" in allowed and (len(allowed) == 1 or coherence + task <= 5) else allowed[-1]
    cost = [(5 - c) + (5 - h) * 1.2 + (5 - s) * 1.5 for c, h, s in turns]
    weakest: int | str = cost.index(max(cost)) + 1 if max(cost) > 2.5 else "none"
    scores: Truth = {
        ("conversation", "coherence"): coherence,
        ("conversation", "task_completion"): task,
        ("conversation", "repair_handling"): repair,
        ("conversation", "verdict"): verdict,
        ("conversation", "weakest_turn"): weakest,
    }
    return scores
