"""The decisions that a lead can make on a dimension, and the resulting states: the two tables that everything reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from judges.stats.check_states import Colour

Action = Literal["propose", "approve", "decline", "suspend"]
ApprovalState = Literal[
    "suspended", "proposed", "doubted", "open", "older", "approved", "declined", "withdrawn", "not yet"
]


@dataclass(frozen=True)
class ActionEntry:
    """One decision: the word for it once it is made, its button (label, icon), and its help on the command line.

    `grants`: it needs the policy met, and the figures that the lead has seen. Each decision is for leads, with a
    reason.
    """

    done: str
    label: str
    icon: str
    help: str
    grants: bool = False


ACTIONS: dict[Action, ActionEntry] = {
    "approve": ActionEntry("approved", "Approve", "verified", "", True),
    "propose": ActionEntry("proposed", "Propose", "group", "propose it, for another lead to approve", True),
    "decline": ActionEntry("declined", "Decline", "cancel", "decline it"),
    "suspend": ActionEntry("suspended", "Suspend", "pause_circle", "remove an approved one from the dashboard"),
}
"""Every decision by its stored word. The first is the command line's default."""
PAST_FORMS: dict[str, str] = {name: entry.done for name, entry in ACTIONS.items()}
"""Decisions as what was done."""


@dataclass(frozen=True)
class ApprovalStateEntry:
    """One state of an approval as a badge: its word, the colour's name, the Material symbol."""

    word: str
    colour: Colour
    icon: str


APPROVAL_STATES: dict[ApprovalState, ApprovalStateEntry] = {
    "suspended": ApprovalStateEntry("suspended", "red", "pause_circle"),
    "proposed": ApprovalStateEntry("proposed", "blue", "group"),
    "doubted": ApprovalStateEntry("review", "orange", "visibility"),
    "open": ApprovalStateEntry("to decide", "green", "check_circle"),
    "older": ApprovalStateEntry("older policy", "orange", "history"),
    "approved": ApprovalStateEntry("approved", "green", "verified"),
    "declined": ApprovalStateEntry("declined", "gray", "cancel"),
    "withdrawn": ApprovalStateEntry("suspended", "gray", "pause_circle"),
    "not yet": ApprovalStateEntry("policy not met", "gray", "hourglass_empty"),
}
"""Every state, in the order of rows. New evidence leads to `suspended`, a lead's decision to `withdrawn`."""
