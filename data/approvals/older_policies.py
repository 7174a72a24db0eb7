"""How approvals that hold stand to the policy of today: what it requires more than theirs, and what it says now.

An approval stays until a person, or new labels under its own policy (data/approvals/suspension.py), undo it. Whoever is
shown its figures is told where today's policy would not bear it out, or was not what it was held against.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.approvals import case, policy
from data.approvals.case import Case
from data.approvals.record import Approval
from data.store import Store
from data.store.errors import NotFound
from judges.stats.check_states import may_be_approved


@dataclass(frozen=True)
class PolicyToday:
    """An approved dimension by the policy of today.

    older: what that requires more, a sentence ("" nothing); state: what the approval check says of it; says: that with
    its figures, as sentences; met: nothing would refuse an approval.
    """

    older: str = ""
    state: str = "meets policy"
    says: str = ""
    met: bool = True

    @property
    def mark(self) -> str:
        """What an approved dimension is marked with, wherever its figures stand."""
        return "approved under an older policy" if self.older else "approved" if self.met else "policy no longer met"

    @property
    def told(self) -> str:
        """All of it in sentences; "" where it was approved under the policy of today, which it meets."""
        return f"{self.older} {self.says}".strip() if self.older or not self.met else ""


def compare_with_today(store: Store, held: Sequence[Approval]) -> dict[tuple[str, str, str, str], PolicyToday]:
    """The state of each of those approvals, by what it is of."""
    found = {}
    for dataset_id, judge_id in dict.fromkeys(one.key[:2] for one in held):
        cases = {one.key: one for one in _cases(store, dataset_id, judge_id)}
        for one in held:
            if one.key[:2] == (dataset_id, judge_id):
                found[one.key] = _stands(policy.explain_stricter(store, one.asked, one.at), cases.get(one.key))
    return found


def _stands(older: str, found: Case | None) -> PolicyToday:
    if found is None:
        return PolicyToday(older, "undefined", "By today's policy: undefined. Its judge's card is not here.", False)
    decision, against = found.line.decision, found.against
    if against and may_be_approved(decision.state):
        says = f"By today's policy it would be refused. {' '.join(against)}"
    else:
        rest = [one for one in against if decision.reason not in one]
        says = " ".join([f"By today's policy: {decision.state}. {decision.reason}", *rest])
    return PolicyToday(older, decision.state, says, not against)


def _cases(store: Store, dataset_id: str, judge_id: str) -> list[Case]:
    try:
        return case.cases(store, dataset_id, judge_id)
    except NotFound:  # a card that is not here any more
        return []
