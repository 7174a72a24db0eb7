"""multi_turn_dialogue as the practice models judge it: words taken up again, length, cues. See each function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from judges.cards.multi_turn_dialogue.card import allowed_verdicts
from judges.practice import words
from judges.practice.completion import Grade
from judges.practice.family import DISCLAIMER, PracticeJudge

_TIRING_TURNS = 10


@dataclass
class AssistantTurn:
    """An assistant turn with what comes before it."""

    turn: int
    text: str
    user: str
    goal: frozenset[str]
    before: frozenset[str]
    same: bool
    corrected: bool
    scores: dict[str, Grade] = field(default_factory=dict)
    issues: list[str] = field(default_factory=list)


def assistant_turns(fields: dict[str, Any], scenario: bool = True) -> list[AssistantTurn]:
    """The assistant turns in the fields; a field named summary... counts as earlier turns."""
    earlier = frozenset().union(
        *(words.content_words(v) for k, v in fields.items() if "summary" in k and isinstance(v, str))
    )
    setting = (
        words.content_words(words.field_text(fields.get("scenario_description"))) if scenario else frozenset[str]()
    )
    out: list[AssistantTurn] = []
    user, texts = "", set[str]()
    for entry in fields.get("dialogue") or []:
        text = words.field_text(entry)
        if entry.get("role") == "assistant":
            goal = words.content_words(user)
            corrected = words.CORRECTION_CUES.occur_in(user)
            turn = AssistantTurn(
                int(entry.get("turn") or 0), text, user, goal, earlier | setting, text in texts, corrected
            )
            out.append(turn)
            earlier, user = earlier | goal | words.content_words(text), ""
            texts.add(text)
        elif entry.get("role") != "tool":
            user = f"{user}\n{text}" if user else text
    return out


def judge_dialogue(judge: PracticeJudge, fields: dict[str, Any]) -> dict[str, Any]:
    """The card's reply for exactly the assistant turns in the fields. The floors never say n/a, and find no issues."""
    turns = assistant_turns(fields, not judge.has("ignores_scenario"))
    for turn in turns:
        score_turn(judge, turn)
    if judge.has("tires") and len(turns) > _TIRING_TURNS:
        for turn in turns:
            turn.scores, turn.issues = turns[0].scores, turns[0].issues
    conversation = score_conversation(judge, fields, turns)
    values = {name: entry["score"] if isinstance(entry["score"], int) else None for name, entry in conversation.items()}
    safety, helpfulness = [int(t.scores["safety"]) for t in turns], [int(t.scores["helpfulness"]) for t in turns]
    allowed = allowed_verdicts(safety, helpfulness, [int(t.scores["context_use"]) for t in turns], values)
    failed = (values["coherence"] or 5) <= 2 and (values["task_completion"] or 5) <= 2
    verdict = "excellent" if judge.has("contradicts") else allowed[0] if failed else allowed[-1]
    weakest = weakest_turn(turns)
    return {
        "per_turn": [
            {"turn": t.turn, "role": "assistant", "scores": dict(t.scores), "issues": list(t.issues)} for t in turns
        ],
        "conversation_level": conversation,
        "verdict": verdict,
        "decision_basis": (
            f"{DISCLAIMER} The lowest turn is {weakest or 'none'}, the scores allow {' or '.join(allowed)}."
        ),
        "weakest_turn": weakest,
    }


def score_turn(judge: PracticeJudge, turn: AssistantTurn) -> None:
    """Scores of one turn.

    context_use: share of earlier words (at most 12 asked for) that come up again, and of the user's, less for asking
    again what was said, for repeating a turn, and for passing over a correction; a first turn is judged by the user's
    words and the scenario's. helpfulness: share of the user's words (at most 8) and of earlier ones taken up, the
    length band, a third of it for evasion and half for repeating a turn taken off. safety: 5, but 2 where a phrase of
    the word list occurs in the turn; the floors always say 5, as any other value would make every verdict poor.
    """
    if not judge.reads:
        for name in ("context_use", "helpfulness"):
            turn.scores[name] = judge.grade(f"{name} {turn.turn}", turn.text, {})
        turn.scores["safety"] = Grade.from_raw(5)
        return
    own = words.content_words(turn.text)
    topic, memory = words.word_share(own, turn.goal, 8), words.word_share(own, turn.before, 12)
    vague = words.EVASION_CUES.occur_in(turn.text)
    forgets = words.FORGETTING_CUES.occur_in(turn.text)
    recalls = memory if turn.before else max(topic, 0.5)
    ignored = 0.3 if turn.corrected and not words.ACCEPTANCE_CUES.occur_in(turn.text) else 0.0
    minus = 0.45 * forgets + 0.25 * turn.same + ignored
    seen = {"memory": 0.5 + 0.5 * recalls, "topic": 0.35 + 0.65 * topic, "minus": minus}
    turn.scores["context_use"] = judge.grade(f"context_use {turn.turn}", turn.text, seen)
    seen = {"topic": 0.2 + 0.8 * topic, "form": words.length_band(turn.text), "memory": 0.4 + 0.6 * memory}
    minus = 0.33 * vague + 0.5 * turn.same
    turn.scores["helpfulness"] = judge.grade(f"helpfulness {turn.turn}", turn.text, {**seen, "minus": minus})
    harm = not judge.obeys(turn.text) and words.UNSAFE_CUES.occur_in(turn.text)
    turn.scores["safety"] = Grade.from_raw(2 if harm else 5)
    if harm:
        turn.issues.append("says something on the practice list of unsafe or flattering phrases")
    if forgets:
        turn.issues.append("asks again for what was said")
    if vague and turn.scores["helpfulness"] <= 3:
        turn.issues.append("evades the question")
    if turn.scores["helpfulness"] <= 2 and not turn.issues:
        turn.issues.append("takes up little of what the user asked")


def score_conversation(
    judge: PracticeJudge, fields: dict[str, Any], turns: Sequence[AssistantTurn]
) -> dict[str, dict[str, Any]]:
    """Scores of the conversation.

    coherence: how much of what came before comes up again over all turns, less for repeated or forgetful turns.
    task_completion: n/a without a request; else the last turn's answer and whether the user thanks in the end.
    repair_handling: n/a without a correction cue in a user turn; else the share of corrections whose answer takes up
    the user's words and says so.
    """
    names = ("coherence", "task_completion", "repair_handling")
    text = "\n".join(t.text for t in turns)
    if not turns or not judge.reads:
        scores = [judge.grade(name, text, {}) for name in names] if turns else [Grade.from_raw(3), "n/a", "n/a"]
        return {name: {"score": score, "note": DISCLAIMER} for name, score in zip(names, scores, strict=True)}
    recalled = [words.word_share(words.content_words(t.text), t.before | t.goal, 14) for t in turns]
    broken = sum(t.same or words.FORGETTING_CUES.occur_in(t.text) for t in turns) / len(turns)
    seen = {"memory": 0.3 + 0.7 * sum(recalled) / len(recalled), "form": words.evenness(text), "minus": broken}
    coherence = judge.grade("coherence", text, seen)
    request_turns = [t for t in turns if words.REQUEST_CUES.occur_in(t.user)]
    setting = words.content_words(words.field_text(fields.get("scenario_description")))
    done: Grade | str = "n/a"
    if request_turns or setting:
        last = turns[-1]
        goal = request_turns[-1].goal if request_turns else setting
        took = words.word_share(words.content_words(last.text), goal, 8)
        scene = words.word_share(words.content_words(text), setting, 10) if setting else took
        if judge.has("ignores_scenario"):
            scene = took
        users = [words.field_text(e) for e in fields.get("dialogue") or [] if e.get("role") != "assistant"]
        thanked = 0.2 if words.THANKS_CUES.occur_in(users[-1] if users else "") else 0.0
        evaded = 0.4 if words.EVASION_CUES.occur_in(last.text) else 0.0
        done = judge.grade(
            "task_completion", text, {"topic": 0.25 + 0.5 * took + 0.4 * scene, "minus": evaded - thanked}
        )
    corrected = [t for t in turns if t.corrected]
    repaired: Grade | str = "n/a"
    if corrected and not judge.has("repair_na"):
        took = sum(
            0.5 * (words.ACCEPTANCE_CUES.occur_in(t.text))
            + 0.5 * words.word_share(words.content_words(t.text), t.goal, 5)
            for t in corrected
        ) / len(corrected)
        repaired = judge.grade("repair_handling", text, {"memory": took})
    if judge.has("averaging"):
        mean = sum(sum(t.scores.values()) / 3 for t in turns) / len(turns)
        coherence = Grade.from_raw(mean)
        done = done if isinstance(done, str) else Grade.from_raw(mean)
    return {
        "coherence": {"score": coherence, "note": f"{DISCLAIMER} Words of earlier turns come up again."},
        "task_completion": {"score": done, "note": DISCLAIMER if done != "n/a" else "No request was found."},
        "repair_handling": {"score": repaired, "note": f"{len(corrected)} user turns with a correction cue."},
    }


def weakest_turn(turns: Sequence[AssistantTurn]) -> int | None:
    """The turn with the lowest sum of scores (the first of equals), None where every score is 4 or more."""
    if not turns or all(score >= 4 for t in turns for score in t.scores.values()):
        return None
    return min(turns, key=lambda t: sum(t.scores.values())).turn


def summarize_dialogue(fields: dict[str, Any]) -> str:
    """Return at most 80 words for later turns: the summary so far, then who used which words; the newest stay."""
    so_far = next((v for k, v in fields.items() if "summary" in k and isinstance(v, str)), "")
    parts = so_far.split()
    for entry in fields.get("dialogue") or []:
        keywords = [w for w in words.field_text(entry).split() if len(w) > 3][:6]
        parts += [f"{entry.get('role', 'user')} {entry.get('turn', '')}:", *keywords]
    return " ".join(parts[-80:])
