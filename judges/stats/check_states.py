"""The states of the approval check, each with all that is shown of it: the one table that pages and reports read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["below minimum sample", "undefined", "fails", "inconclusive", "meets policy"]
Role = Literal["good", "open", "bad", "quiet"]
"""The meaning of a colour: may be approved, not settled, may not be approved, nothing known yet."""


@dataclass(frozen=True)
class CheckState:
    """One state of the approval check.

    role: the colour's; may_be_approved: whether a lead may approve it, if nothing else is against it; mark: its sign in
    text; shape: its sign in plots; icon: the Material symbol; conclusion: what a reader may conclude, with {name},
    {exact}, {near}, {kappa} and {items}; reason: why it is not met; outside: the same for readers of the dashboard;
    suspended: what is said of a suspended dimension, with {judge}; lacks: what is missing where more items are not.
    """

    role: Role
    may_be_approved: bool
    mark: str
    shape: Literal["dot", "ring", "cross", "square"]
    icon: str
    conclusion: str
    reason: str
    outside: str
    suspended: str
    lacks: str = "higher agreement"


STATES: dict[State, CheckState] = {
    "meets policy": CheckState(
        "good", True, "●", "dot", "check_circle",
        "**May be published.** On {name} judge and people give the same answer in {exact} of ratings{near}. Corrected "
        "for chance that is kappa {kappa}, which meets the policy.",
        "",
        "The judge agrees with people as the policy requires; no lead has decided yet.",
        "{judge} does not meet all of the policy's other requirements any more.",
        "nothing",
    ),
    "inconclusive": CheckState(
        "open", False, "○", "ring", "trending_up",
        "**Not yet to be published.** On {name} agreement is high enough (the same answer in {exact} of ratings{near}; "
        "kappa {kappa}), but with so few reference labels that may be chance.",
        "Inconclusive: the required kappa lies within the margin of error.",
        "The judge may agree with people as the policy requires; these labels do not settle it.",
        "With the labels as they are now, the approval check of {judge} is inconclusive.",
    ),
    "fails": CheckState(
        "bad", False, "✕", "cross", "cancel",
        "**Not to be published.** On {name} judge and people disagree too often: kappa {kappa}, where 0 is chance and "
        "1 full agreement.",
        "Fails: agreement with people is below the required kappa.",
        "The judge agrees with people less than the policy requires.",
        "With the labels as they are now, {judge} fails the approval check.",
    ),
    "below minimum sample": CheckState(
        "quiet", False, "□", "square", "hourglass_empty",
        "**Not yet to be published.** On {name} only {items} of a random draw have blind labels and a score, fewer "
        "than the policy requires.",
        "Below minimum sample: too few drawn items have both a blind label and a score.",
        "Too few items have reference labels (gold) and scores for a decision.",
        "{judge} has fewer labelled items than required now.",
    ),
    "undefined": CheckState(
        "quiet", False, "–", "square", "block",
        "**Not to be published.** On {name} everybody gave one and the same answer, so kappa is undefined.",
        "Undefined: everybody gave the same answer, so agreement shows nothing.",
        "Everyone gave the same answer, so agreement beyond chance is undefined.",
        "The agreement of {judge} with people is undefined now.",
    ),
}  # fmt: skip
"""Every state, the best first."""
CONCLUSIONS: dict[State, str] = {state: check_state.conclusion for state, check_state in STATES.items()}
"""The conclusion that a reader may draw from each state."""
LEGEND = ", ".join(f"{check_state.mark} {state}" for state, check_state in STATES.items())
"""The meaning of the marks, as it is shown under plots."""
Colour = Literal["green", "orange", "red", "gray", "blue"]
"""The colours of badges, as Streamlit calls them."""
COLOURS: dict[Role, Colour] = {"good": "green", "open": "orange", "bad": "red", "quiet": "gray"}
"""The name of a role's colour in badges."""


def may_be_approved(state: str) -> bool:
    """Whether a lead may approve what is in this state, if nothing else is against it."""
    known = STATES.get(state)  # type: ignore[call-overload]
    return known is not None and known.may_be_approved
