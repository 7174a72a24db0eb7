"""The requirements before a dimension may be published: a workspace setting, whose changes are in the audit log."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from data.approvals.rules import MAX_REQUIRED_ITEMS, RULES, Requirements, is_looser
from data.gold.gold import Basis
from data.records import datasets, leads
from data.records.access import act, allow
from data.records.values import WORKSPACE, get_setting, put_setting
from data.store import Store, Tx
from data.store.errors import BadInput
from judges.stats.approval_check import CheckPolicy
from judges.strict_json import storable_text


@dataclass(frozen=True)
class PolicyChange:
    """A change of the policy: what was asked from then on, by whom, when, and why."""

    requirements: Requirements
    reason: str
    person: str
    at: datetime


def make_policy(**values: Any) -> CheckPolicy:
    """The approval check's policy of these values. Raises BadInput, a sentence, for values that make no sense."""
    for name in ("min_items", "min_clusters"):
        if name in values and not 1 <= values[name] <= MAX_REQUIRED_ITEMS:
            raise BadInput(
                f"{values[name]:,} items cannot be required: give a number from 1 to {MAX_REQUIRED_ITEMS:,}."
            )
    for name in ("threshold", "level"):
        if name in values and not math.isfinite(values[name]):
            raise BadInput(f"The {name} is {values[name]}: it must be a number.")
    try:
        return CheckPolicy(**values)
    except ValueError as error:
        raise BadInput(str(error)) from None


@allow("annotator")
def requirements(store: Store | Tx) -> Requirements:
    """Return the requirements in force."""
    gate = get_setting(store, WORKSPACE, "policy", {})
    return _parse_requirements(gate, get_setting(store, WORKSPACE, "approvals", {}))


@allow("annotator")
def approval_basis(store: Store | Tx, dataset_id: str) -> Basis:
    """Return the basis that the approval check uses for a dataset now: which labels count. Only this decides it."""
    return requirements(store).basis(is_synthetic(store, dataset_id))


def is_synthetic(store: Store | Tx, dataset_id: str) -> bool:
    """Whether a dataset is marked as synthetic."""
    return any(d.synthetic for d in datasets.all_datasets(store) if d.id == dataset_id)


@allow("lead")
def set_requirements(store: Store, actor: str, new: Requirements, reason: str) -> bool:
    """Change the requirements (leads), with the reason; return whether they are in force now.

    This approves and suspends nothing. Under a stricter policy what was approved stays so, and is listed as having met
    an older policy (`data.approvals.approvals.under_older_policy`). If two leads are required, a looser policy needs
    them too; otherwise one lead could switch that rule off and approve alone. It is kept as `proposed`, and is in force
    once another lead, who is independent of the first (`data.records.leads`), sets the same. Setting what is in force
    withdraws it. Raises NotAllowed, BadInput without a reason.
    """
    new.check()
    why = check_reason(reason)

    def work(tx: Tx) -> bool:
        before, first = requirements(tx), proposed_requirements(tx)
        if before == new:
            if first is not None:
                put_setting(tx, WORKSPACE, "policy proposed", {})
            return True
        if before.four_eyes and is_looser(new, before):
            proposer = first[2] if first is not None and first[0] == new else None
            if not leads.agreed_by_two(tx, actor, proposer):
                if proposer != actor:
                    proposal = {**to_stored(new), "reason": why, "person": actor}
                    put_setting(tx, WORKSPACE, "policy proposed", proposal)
                return False
        if first is not None:
            put_setting(tx, WORKSPACE, "policy proposed", {})
        if get_setting(tx, WORKSPACE, "policy", {}) != asdict(new.policy):
            put_setting(tx, WORKSPACE, "policy", asdict(new.policy))
        more = {name: value for name, value in to_stored(new).items() if name != "policy"} | {"reason": why}
        put_setting(tx, WORKSPACE, "approvals", more)
        return True

    return act(store, actor, "lead", "policy", work, WORKSPACE)


@allow("annotator")
def proposed_requirements(store: Store | Tx) -> tuple[Requirements, str, str] | None:
    """A looser policy that waits for another lead, with its reason and who proposes it; None where none does."""
    proposal = get_setting(store, WORKSPACE, "policy proposed", {})
    if not proposal:
        return None
    return _parse_requirements(proposal.get("policy", {}), proposal), str(proposal["reason"]), str(proposal["person"])


def explain_stricter(store: Store, then: Requirements, at: datetime) -> str:
    """Say in a sentence what today's policy requires beyond the one that an approval met at that time; "" nothing."""
    now = requirements(store)
    parts = [pair for rule in RULES.values() if (pair := rule.stricter(then, now))]
    if not parts and now.policy.threshold <= then.policy.threshold:
        return ""
    past = policy_changes(store)
    met = next((f"the policy of {change.at:%Y-%m-%d}" for change in past if change.at <= at), "the first policy")
    before, after = (", ".join([f"kappa {version.policy.threshold:.2f}", *(pair[side] for pair in parts)])
                     for side, version in enumerate((then, now)))  # fmt: skip
    return f"Approved under {met} (required: {before}); today's policy requires {after}."


def check_reason(reason: str) -> str:
    """A reason as it is stored. Raises BadInput where there is none, or it is too long."""
    text = storable_text(reason.replace("\0", " ")).strip()
    if not any(character.isalnum() for character in text):
        raise BadInput("Say why, in a sentence: whoever reads this decision later has nothing else to go by.")
    if len(text) > 2_000:
        raise BadInput(f"The reason has {len(text):,} characters; at most 2,000 are allowed. Keep it to what decided.")
    return text


@allow("annotator")
def policy_changes(store: Store) -> list[PolicyChange]:
    """Every change of what is asked, the newest first."""
    rows = store.rows(
        "select s.name, s.value, c.actor, c.made_at from setting s join change c on c.seq = s.seq "
        "where s.scope = $1 and s.name in ('policy', 'approvals') order by s.seq, s.name desc",
        [WORKSPACE],
    )
    changes: list[PolicyChange] = []
    check = _values_if_missing(in_check=True)
    for name, value, person, at in rows:  # the check's own part comes first, where it changed
        if name == "policy":
            check = _values_if_missing(in_check=True) | json.loads(value)
            continue
        stored = json.loads(value)
        new_requirements = _parse_requirements(check, _values_if_missing(in_check=False) | {"imported": False} | stored)
        changes.append(PolicyChange(new_requirements, str(stored.get("reason", "")), str(person), at))
    return changes[::-1]


def to_stored(new: Requirements) -> dict[str, Any]:
    """Return requirements as one JSON object, as an approval stores them."""
    return asdict(new)


def from_stored(stored: Mapping[str, Any]) -> Requirements:
    """Read requirements from their stored form; a rule that did not exist then has the value that applied then."""
    return _parse_requirements(
        _values_if_missing(in_check=True) | stored.get("policy", {}), _values_if_missing(in_check=False) | dict(stored)
    )


def _values_if_missing(in_check: bool) -> dict[str, Any]:
    return {
        rule.name: rule.value_if_missing
        for rule in RULES.values()
        if rule.in_check is in_check and rule.value_if_missing is not None
    }


def _parse_requirements(check: Mapping[str, Any], stored: Mapping[str, Any]) -> Requirements:
    """Read requirements from stored values; a rule without a value has its default."""
    known = [rule for rule in RULES.values() if rule.name in (check if rule.in_check else stored)]
    policy = CheckPolicy(**{rule.name: check[rule.name] for rule in known if rule.in_check})
    more: dict[str, Any] = {
        rule.name: (bool if rule.kind == "flag" else float)(stored[rule.name]) for rule in known if not rule.in_check
    }
    return Requirements(policy, **more)
