"""What an approval has to meet, in words."""

from __future__ import annotations

from data import leads
from data.deciding.policy import Asked
from judges.counted import many
from judges.gate import Policy

STUCK = (
    "Two leads are asked for, and nobody could approve now: of those who lead, one made the others, or the same person "
    f"did, and that counts as one. Make a lead at the machine itself: {leads.WAY_OUT}."
)


def looks(gate: Policy) -> str:
    """How often somebody may look under a policy, in words."""
    if not gate.horizon:
        return "at a single look"
    return f"however often anybody looks up to {gate.horizon:,} items, and for all that is decided on the same labels"


def told(asked: Asked) -> list[str]:
    """What is asked, a sentence each."""
    gate = asked.policy
    found = [
        f"Blind labels of at least {many(gate.min_items, 'randomly drawn item')}.",
        "Imported labels count: that they are blind and of random draws is the word of whoever imported them."
        if asked.imported
        else "Labels given here only: imported ones do not count, as nobody can check who gave them, and how "
        "(except in data marked as synthetic).",
        f"An agreement (kappa) of at least {gate.threshold:g}: 1 is full agreement, 0 is what chance gives.",
        f"Its lower bound, the cautious reading, reaches that too: we want to be {100 * gate.level:g}% sure, "
        f"{looks(gate)}."
        if gate.lower_bound
        else "No lower bound: a judge that is worse may pass by luck.",
        f"Answers of the judge to at least {100 * asked.coverage:g}% of the cells with gold; its n/a "
        "counts where people say n/a too.",
        f"Answers of people to at least {100 * asked.answered:g}% of the items drawn to be labelled blind, overall and "
        "in every stratum: those that nobody answers may be the hard ones."
        if asked.answered
        else "Drawn items that nobody answered are not asked about: they may be the hard ones.",
    ]
    if asked.alarms:
        found.append("No audit of the judge in alarm.")
    if asked.four_eyes:
        found.append(
            "Two leads: one proposes, another approves, whom the first has not made a lead. A looser policy, "
            "another limit of an audit, and any change of who leads take two as well."
        )
    return found
