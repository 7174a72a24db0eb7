"""What the workspace requires before a dimension may be published: a setting, whose changes are in the audit log."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any

from data.gold.gold import Basis
from data.records import datasets, leads, settings
from data.records.people import require
from data.store import Store, Tx
from data.store.errors import BadInput, NotAllowed
from judges.stats.approval_check import Policy
from judges.stats.uncertainty import MIN_CLUSTERS

_MOST = 1_000_000
_SUREST = 0.999
COVERAGE = 0.9
"""The default share of the ratings with gold that a judge has to have replied to.

Kappa uses those alone, and a judge that fails on what is hard would look better than it is.
"""
ANSWERED = 0.9
"""The share of the drawn items that people have to have answered, where nothing else was set.

Items that nobody answers may be the hard ones, and then the judge looks better than it is."""


@dataclass(frozen=True)
class Requirements:
    """What an approval has to meet: the gate's policy, and what is asked beside it.

    four_eyes: another lead than the one who proposes has to approve. alarms: an audit of the judge in alarm refuses an
    approval, instead of only being shown beside it. coverage: the least share of the cells with gold that the judge has
    answered (n/a is an answer only where people say it), 0 to 1. imported: labels from files count too, for which only
    whoever imported them can say that they are blind and their items drawn at random. answered: the least share of the
    items drawn to be labelled blind that have a label, overall and in every stratum, 0 to 1.
    """

    policy: Policy = field(default_factory=Policy)
    four_eyes: bool = False
    alarms: bool = False
    coverage: float = COVERAGE
    imported: bool = False
    answered: float = ANSWERED

    def basis(self, synthetic: bool = False) -> Basis:
        """Which labels count; in a dataset marked as synthetic imported ones always do, as all of it is made up."""
        return "imported" if self.imported or synthetic else "gate"

    def check(self) -> Requirements:
        """Itself. Raises BadInput for values that make no sense, or under which nothing would be refused any more."""
        gate = self.policy
        shares = {"coverage": self.coverage, "share of drawn items answered": self.answered}
        for name, value in {"threshold": gate.threshold, "level": gate.level, **shares}.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise BadInput(f"The {name} is {value!r}: it must be a number.")
        for name, count in (("items", gate.min_items), ("items for any verdict", gate.min_clusters)):
            if type(count) is not int or not 1 <= count <= _MOST:
                raise BadInput(f"The number of {name} is {count!r}: it must be a whole number from 1 to {_MOST:,}.")
        flags = {
            "a lower bound is required": gate.lower_bound, "two leads are required": self.four_eyes,
            "alarms block approval": self.alarms, "imported labels count": self.imported,
        }  # fmt: skip
        for name, flag in flags.items():
            if type(flag) is not bool:
                raise BadInput(f"Whether {name} is {flag!r}: it must be yes or no.")
        make_policy(**asdict(gate))
        if gate.level > _SUREST:
            raise BadInput(f"Labels cannot give {100 * gate.level:g}% confidence: require at most {100 * _SUREST:g}%.")
        if gate.threshold <= 0:
            raise BadInput(
                f"A kappa of {gate.threshold:g} is at most what chance gives: require more than 0."
            )
        if type(gate.horizon) is not int or (gate.lower_bound and not gate.first < gate.horizon <= _MOST):
            raise BadInput(
                f"The bound is valid for looks up to {gate.horizon!r} items: it must be a whole number above the "
                f"{gate.first:,} at which decisions begin, and at most {_MOST:,}."
            )
        if gate.min_clusters < MIN_CLUSTERS:
            raise BadInput(f"Below {MIN_CLUSTERS} items no interval is reliable: require at least as many.")
        for name, share in shares.items():
            if not (math.isfinite(share) and 0 <= share <= 1):
                raise BadInput(f"The {name} is {share:g}: it must be from 0 to 1, such as 0.9.")
        return self


@dataclass(frozen=True)
class PolicyChange:
    """A change of the policy: what was asked from then on, by whom, when, and why."""

    asked: Requirements
    reason: str
    person: str
    at: datetime


def make_policy(**values: Any) -> Policy:
    """A gate's policy of these values. Raises BadInput, a sentence, for values that make no sense."""
    for name in ("min_items", "min_clusters"):
        if name in values and not 1 <= values[name] <= _MOST:
            raise BadInput(f"{values[name]:,} items cannot be required: give a number from 1 to {_MOST:,}.")
    for name in ("threshold", "level"):
        if name in values and not math.isfinite(values[name]):
            raise BadInput(f"The {name} is {values[name]}: it must be a number.")
    try:
        return Policy(**values)
    except ValueError as error:
        raise BadInput(str(error)) from None


def requirements(store: Store | Tx) -> Requirements:
    """What holds now."""
    gate = settings.get(store, settings.WORKSPACE, "policy", {})
    return _asked(gate, settings.get(store, settings.WORKSPACE, "approvals", {}))


def approval_basis(store: Store | Tx, dataset_id: str) -> Basis:
    """Which labels of a dataset the approval check counts now: the one place where that is decided."""
    return requirements(store).basis(is_synthetic(store, dataset_id))


def is_synthetic(store: Store | Tx, dataset_id: str) -> bool:
    """Whether a dataset is marked as synthetic."""
    return any(d.synthetic for d in datasets.all_datasets(store) if d.id == dataset_id)


def set_requirements(store: Store, actor: str, new: Requirements, reason: str) -> bool:
    """Change what is asked (leads), with the reason; whether it holds now. Nothing is approved or suspended by it.

    A looser policy approves nothing by itself; under a stricter one what was approved stays so, and is listed as having
    met an older policy (`data.approvals.approvals.under_older_policy`). Where two leads are asked for, a looser policy
    needs them too, else one could approve alone by switching that off: it is kept as `proposed`, and holds when another lead, who
    counts beside the first (`data.records.leads`), sets the same; to set what holds already takes it back. Raises
    NotAllowed, BadInput without a reason.
    """
    new.check()
    why = check_reason(reason)

    def work(tx: Tx) -> bool:
        require(tx, actor, "lead")
        before, first = requirements(tx), proposed_requirements(tx)
        if before == new:
            if first is not None:
                settings.put(tx, settings.WORKSPACE, "policy proposed", {})
            return True
        if before.four_eyes and is_looser(new, before):
            events = leads.history(tx)
            if first is None or first[0] != new or first[2] not in leads.leading(events):
                kept = {**to_stored(new), "reason": why, "person": actor}
                settings.put(tx, settings.WORKSPACE, "policy proposed", kept)
                return False
            if first[2] == actor:
                return False
            if against := leads.against(events, first[2], actor):
                raise NotAllowed(against)
        if first is not None:
            settings.put(tx, settings.WORKSPACE, "policy proposed", {})
        if settings.get(tx, settings.WORKSPACE, "policy", {}) != asdict(new.policy):
            settings.put(tx, settings.WORKSPACE, "policy", asdict(new.policy))
        more = {name: held for name, held in to_stored(new).items() if name != "policy"} | {"reason": why}
        settings.put(tx, settings.WORKSPACE, "approvals", more)
        return True

    return store.tx(actor, "policy", work, target=settings.WORKSPACE)


def proposed_requirements(store: Store | Tx) -> tuple[Requirements, str, str] | None:
    """A looser policy that waits for another lead, with its reason and who proposes it; None where none does."""
    kept = settings.get(store, settings.WORKSPACE, "policy proposed", {})
    return (_asked(kept.get("policy", {}), kept), str(kept["reason"]), str(kept["person"])) if kept else None


def is_looser(new: Requirements, old: Requirements) -> bool:
    """Whether anything is asked less strictly than before."""

    def strict(one: Requirements) -> tuple[float, ...]:
        gate = one.policy
        bound = gate.level if gate.lower_bound else 0.0
        return (
            gate.threshold, gate.min_items, gate.min_clusters, bound, gate.horizon, one.coverage, float(one.alarms),
            float(one.four_eyes), float(not one.imported), one.answered,
        )  # fmt: skip

    return any(now < before for now, before in zip(strict(new), strict(old), strict=True))


def explain_stricter(store: Store, then: Requirements, at: datetime) -> str:
    """In what today's policy requires more than the one that an approval met at that time, a sentence; "" nothing."""
    now = requirements(store)
    if not is_looser(then, now):
        return ""
    past = policy_changes(store)
    met = next((f"the policy of {one.at:%Y-%m-%d}" for one in past if one.at <= at), "the first policy")
    parts = list(_stricter(then, now))
    before, after = (", ".join([f"kappa {held.policy.threshold:.2f}", *(pair[side] for pair in parts)])
                     for side, held in enumerate((then, now)))  # fmt: skip
    return f"Approved under {met} (required: {before}); today's policy requires {after}."


def _stricter(then: Requirements, now: Requirements) -> Iterator[tuple[str, str]]:
    """What is asked beside the threshold where that is stricter now: as it was, and as it is."""
    old, new = then.policy, now.policy
    few, many = max(old.min_items, old.min_clusters), max(new.min_items, new.min_clusters)
    if few < many:
        yield f"{few:,} items", f"{many:,} items"
    if new.lower_bound and not old.lower_bound:
        yield "no lower bound", f"a lower bound ({100 * new.level:g}%)"
    elif new.lower_bound and old.level < new.level:
        yield f"{100 * old.level:g}% confidence", f"{100 * new.level:g}% confidence"
    if new.lower_bound and old.horizon < new.horizon:
        once = f"any number of looks up to {old.horizon:,} items" if old.horizon else "a single look"
        yield once, f"any number of looks up to {new.horizon:,} items"
    if then.coverage < now.coverage:
        judged = "{:g}% of ratings answered by the judge"
        yield judged.format(100 * then.coverage), judged.format(100 * now.coverage)
    if then.answered < now.answered:
        people = "{:g}% of the drawn items answered by people"
        before = people.format(100 * then.answered) if then.answered else "drawn items without an answer ignored"
        yield before, people.format(100 * now.answered)
    if now.alarms and not then.alarms:
        yield "audits in alarm allowed", "no audit in alarm"
    if now.four_eyes and not then.four_eyes:
        yield "one lead", "two leads"
    if then.imported and not now.imported:
        yield "imported labels counted", "labels given here only"


def check_reason(reason: str) -> str:
    """A reason as it is stored. Raises BadInput where there is none, or it is too long."""
    text = reason.replace("\0", " ").encode("utf-8", "replace").decode().strip()
    if not any(character.isalnum() for character in text):
        raise BadInput("Say why, in a sentence: whoever reads this decision later has nothing else to go by.")
    if len(text) > 2_000:
        raise BadInput(f"The reason has {len(text):,} characters; 2,000 are the most. Keep it to what decided.")
    return text


def policy_changes(store: Store) -> list[PolicyChange]:
    """Every change of what is asked, the newest first."""
    rows = store.rows(
        "select s.name, s.value, c.actor, c.made_at from setting s join change c on c.seq = s.seq "
        "where s.scope = $1 and s.name in ('policy', 'approvals') order by s.seq, s.name desc",
        [settings.WORKSPACE],
    )
    found: list[PolicyChange] = []
    gate = dict[str, Any](_ONE_LOOK)
    for name, value, person, at in rows:  # the gate's own part comes first, where it changed
        if name == "policy":
            gate = _ONE_LOOK | json.loads(value)
            continue
        beside = json.loads(value)
        found.append(
            PolicyChange(_asked(gate, {"answered": 0.0} | beside), str(beside.get("reason", "")), str(person), at)
        )
    return found[::-1]


def to_stored(new: Requirements) -> dict[str, Any]:
    """What is asked as one JSON object, as an approval keeps it."""
    return asdict(new)


def from_stored(kept: Mapping[str, Any]) -> Requirements:
    """The same back again.

    Of what was kept when nothing was said of them, imported labels count, and neither looks nor
    who answered do.
    """
    return _asked(_ONE_LOOK | kept.get("policy", {}), {"imported": True, "answered": 0.0} | dict(kept))


_ONE_LOOK = {"horizon": 0}
"""What a policy asked that was kept before looks were counted."""


def _asked(gate: Mapping[str, Any], more: Mapping[str, Any]) -> Requirements:
    known = {f.name for f in fields(Policy)}
    return Requirements(
        Policy(**{k: v for k, v in gate.items() if k in known}),
        bool(more.get("four_eyes")),
        bool(more.get("alarms")),
        float(more.get("coverage", COVERAGE)),
        bool(more.get("imported")),
        float(more.get("answered", ANSWERED)),
    )
