"""Audit of repair handling scored n/a although the user corrected (docs/methods.md, Audits).

The cues of a correction are in `judges.audits._cues`.
"""

from __future__ import annotations

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag
from judges.audits._cues import CUES, find_correction, is_explanation
from judges.audits._judged import ItemJudgment, group_judgments
from judges.audits._verdict import list_cases, not_tested, share_of
from judges.types import Dialogue

_PLACE = ("conversation", "repair_handling")


def find(evidence: AuditEvidence, threshold: float) -> AuditFinding:
    """Every user turn with a cue of correction in dialogues where repair handling is n/a and no note explains why.

    A cue counts from the second utterance of the user on, because there is nothing to correct before the assistant has
    spoken. The share is of the dialogues with a cue. The limit leaves room for cues that correct nothing.
    """
    judgments = [j for j in group_judgments(evidence) if _PLACE in j.scores]
    if not judgments:
        return not_tested("No judgment of repair handling is there yet: 1 is needed to list any.")
    cued = {key: _cues(evidence.items[key]) for key in dict.fromkeys(j.key for j in judgments)}
    cases = [(j.key, _flags(j, cued[j.key])) for j in judgments if cued[j.key]]
    if not cases:
        why = f"In none of {len(cued)} dialogues does the user correct or object in words that are known as cues."
        return AuditFinding("pass", why, None, share_of([]), 0)
    why = (
        "In {hits} of {n} judgments of dialogues where the user corrects, repair handling is n/a without a reason, "
        "{share} of them."
    )
    return list_cases(cases, threshold, why, "judgments with a cue", "scored or explained", "n/a, no reason")


def _flags(judgment: ItemJudgment, cues: list[tuple[int, str, str]]) -> list[Flag]:
    """The cues of a dialogue where its repair handling is n/a and no note explains why."""
    notes = [r.text for r in judgment.remarks if r.sort == "note" and (r.unit, r.dimension) == _PLACE]
    if judgment.scores[_PLACE].value is not None or any(map(is_explanation, notes)):
        return []
    why = "The user objects in turn {} ({}: \u201c{}\u201d), and repair handling is n/a without a reason."
    return [Flag(judgment.key, why.format(*cue), *_PLACE, 0.6) for cue in cues]


def _cues(item: object) -> list[tuple[int, str, str]]:
    """(turn, language, words) of every user turn with a cue, after the assistant has spoken."""
    cues, spoken = [], False
    for turn in item.turns if isinstance(item, Dialogue) else []:
        if turn.role == "user" and spoken and (cue := find_correction(turn.text)):
            cues.append((turn.turn, *cue))
        spoken = spoken or turn.role == "assistant"
    return cues


AUDIT = Audit(
    "repair_not_applicable",
    "Repair n/a despite a user correction",
    f"Share of dialogues with words of correction or objection in a user turn ({', '.join(CUES)}) whose repair "
    "handling is n/a without a note that explains it. Each one is listed.",
    # Cues are only words, and some correct nothing: below one in five, the finding may be due to wrong cues.
    "The share is above {threshold}. A single case is a warning.",
    0.2,
    find,
)
