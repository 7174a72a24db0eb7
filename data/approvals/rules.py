"""The rules of the policy: what an approval must meet, with one entry per rule, which all code about rules reads.

A rule is a field of the approval check's policy or of the other requirements. Its entry has the form field, the
sentence in the policy, which values are refused, when it is stricter than before, its name in the audit log and in
reports, and the sentence for a dimension that does not meet it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from data.gold.gold import Basis
from data.store.errors import BadInput
from judges.audits import AuditFinding, all_audits
from judges.plural import many
from judges.stats.approval_check import CheckPolicy
from judges.stats.calibration import DimensionResult
from judges.stats.check_states import may_be_approved
from judges.stats.uncertainty import MIN_CLUSTERS

MAX_REQUIRED_ITEMS = 1_000_000
"""The most items that can be required."""
_MAX_CONFIDENCE_LEVEL = 0.999
DEFAULT_ANSWERED_SHARE = 0.9
"""The share of the drawn items that people must have answered, by default.

Items that nobody answers may be the hard ones, and then the judge looks better than it is.
"""


@dataclass(frozen=True)
class Requirements:
    """The requirements for an approval: the approval check's policy, and those in addition to it.

    `four_eyes`: a lead other than the proposer has to approve. `alarms`: an audit of the judge in alarm refuses an
    approval, instead of only being shown with it. `coverage`: the least share of the cells with gold that the judge has
    answered (n/a is an answer only where people say it), 0 to 1. Kappa uses those alone, so a judge that fails on hard
    cells would look better than it is. `imported`: labels from files count too, although only the importer can say that
    they are blind and their items drawn at random. `answered`: the least share of the items drawn to be labelled blind
    that have a label, overall and in every stratum, 0 to 1.
    """

    policy: CheckPolicy = field(default_factory=CheckPolicy)
    four_eyes: bool = False
    alarms: bool = False
    coverage: float = 0.9
    imported: bool = False
    answered: float = DEFAULT_ANSWERED_SHARE

    def basis(self, synthetic: bool = False) -> Basis:
        """Return the labels that count. In a synthetic dataset imported ones always do, as all of it is made up."""
        return "imported" if self.imported or synthetic else "gate"

    def check(self) -> Requirements:
        """Return itself. Raises BadInput for values that make no sense, or that would no longer refuse anything."""
        for rule in RULES.values():
            rule.check_type(self)
        for rule in RULES.values():
            if refusal := rule.refusal(self):
                raise BadInput(refusal)
        return self


class Candidate(Protocol):
    """A dimension that somebody may approve. The rules besides the approval check itself are checked on it."""

    @property
    def result(self) -> DimensionResult:
        """Its figures and the decision of the approval check."""

    @property
    def coverage(self) -> float | None:
        """The share of the cells with gold that the judge has answered."""

    @property
    def judge_only_na(self) -> int:
        """Cells for which people have a value and the judge says n/a."""

    @property
    def alarms(self) -> Mapping[str, AuditFinding] | None:
        """The audits in alarm by name, None where the policy does not ask."""


@dataclass(frozen=True)
class FormField:
    """A rule in the form of the policy.

    `low`, `high` and `step` are of the value as shown, which may be a percentage; a toggle has none. `with_bound`: it
    has no meaning unless a lower bound is required.
    """

    label: str
    help: str = ""
    low: float = 0
    high: float = 0
    step: float = 0
    side: Literal["left", "right"] = "right"
    percent: bool = False
    with_bound: bool = False


@dataclass(frozen=True)
class Rule:
    """One rule. `name` is its field in `CheckPolicy` (in_check) or `Requirements`, and its stored name.

    `kind`: a share is from 0 to 1; `looks` is a whole number or 0. `subject`: the name of a wrong value. `trail`: its
    name in the audit log, or its words for no and for yes. `report`: its name in reports. `about`: the topic under
    which it is shown (`ABOUT`). `sentence`: what is required, "" nothing. `refusal`: why the value is invalid. `words`:
    what is required, for comparison with an older policy ("" nothing to compare). `unmet`: why a dimension does not
    meet it, if the decision of the approval check does not say so itself. `value_if_missing`: its value in decisions
    made before the rule existed.
    """

    name: str
    kind: Literal["number", "whole", "looks", "share", "flag"]
    in_check: bool
    subject: str
    trail: str | tuple[str, str]
    report: str
    about: str
    form: FormField | None = None
    sentence: Callable[[Requirements], str] = lambda _: ""
    refusal: Callable[[Requirements], str] = lambda _: ""
    words: Callable[[Requirements], str] = lambda _: ""
    unmet: Callable[[Requirements, Candidate], str] = lambda _, __: ""
    strictness: Callable[[Requirements], float] | None = None
    value_if_missing: float | bool | None = None

    def value(self, terms: Requirements) -> Any:
        """Its value in requirements."""
        return getattr(terms.policy if self.in_check else terms, self.name)

    def strict(self, terms: Requirements) -> float:
        """A number that is higher if more is required."""
        return float(self.value(terms)) if self.strictness is None else self.strictness(terms)

    def stricter(self, then: Requirements, now: Requirements) -> tuple[str, str] | None:
        """The older and the newer requirement in words, if more is required now."""
        before, after = self.words(then), self.words(now)
        means = now.policy.lower_bound or self.form is None or not self.form.with_bound
        return (before, after) if before and means and self.strict(then) < self.strict(now) else None

    def check_type(self, terms: Requirements) -> None:
        """Raises BadInput where the value is not of its kind."""
        value = self.value(terms)
        if self.kind in ("number", "share") and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise BadInput(f"The {self.subject} is {value!r}: it must be a number.")
        if self.kind == "whole" and (type(value) is not int or not 1 <= value <= MAX_REQUIRED_ITEMS):
            raise BadInput(
                f"The number of {self.subject} is {value!r}: it must be a whole number from 1 to "
                f"{MAX_REQUIRED_ITEMS:,}."
            )
        if self.kind == "looks" and type(value) is not int:
            raise BadInput(self.refusal(terms))
        if self.kind == "flag" and type(value) is not bool:
            raise BadInput(f"Whether {self.subject} is {value!r}: it must be yes or no.")


def is_looser(new: Requirements, old: Requirements) -> bool:
    """Whether anything is asked less strictly than before."""
    return any(rule.strict(new) < rule.strict(old) for rule in RULES.values())


def explain(terms: Requirements) -> list[str]:
    """Return the requirements, a sentence each."""
    rules = sorted(RULES.values(), key=lambda rule: ABOUT.index(rule.about))
    return [sentence for rule in rules if (sentence := rule.sentence(terms))]


def floor_percent(share: float) -> str:
    """A share in percent, with enough digits that a value below the limit is not rounded up to it: 89.9%."""
    return f"{100 * share:.0f}%" if abs(share - round(share, 2)) < 1e-9 else f"{int(1000 * share) / 10:.1f}%"


# -- what needs more than a line ---------------------------------------------------------------------------------------


def _threshold_refusal(terms: Requirements) -> str:
    kappa = terms.policy.threshold
    return f"A kappa of {kappa:g} is at most what chance gives: require more than 0." if kappa <= 0 else ""


def _clusters_refusal(terms: Requirements) -> str:
    low = terms.policy.min_clusters < MIN_CLUSTERS
    return f"Below {MIN_CLUSTERS} items no interval is reliable: require at least as many." if low else ""


def _bound_sentence(terms: Requirements) -> str:
    check = terms.policy
    if not check.lower_bound:
        return "No lower bound is required: a judge below the required kappa may pass by chance."
    looks = "valid at a single look"
    if check.horizon:
        looks = f"valid at any number of looks up to {check.horizon:,} items, and over all decisions on the same labels"
    return f"Its one-sided {100 * check.level:g}% lower bound too, {looks}."


def _level_refusal(terms: Requirements) -> str:
    level = terms.policy.level
    if level > _MAX_CONFIDENCE_LEVEL:
        return f"Labels cannot give {100 * level:g}% confidence: require at most {100 * _MAX_CONFIDENCE_LEVEL:g}%."
    return ""


def _horizon_refusal(terms: Requirements) -> str:
    check = terms.policy
    if type(check.horizon) is int and (not check.lower_bound or check.first < check.horizon <= MAX_REQUIRED_ITEMS):
        return ""
    return (
        f"The bound is valid for looks up to {check.horizon!r} items: it must be a whole number above the "
        f"{check.first:,} at which decisions begin, and at most {MAX_REQUIRED_ITEMS:,}."
    )


def _share_refusal(name: str, share: float) -> str:
    if math.isfinite(share) and 0 <= share <= 1:
        return ""
    return f"The {name} is {share:g}: it must be from 0 to 1, such as 0.9."


def _coverage_unmet(terms: Requirements, candidate: Candidate) -> str:
    share, figures = candidate.coverage, candidate.result.gate
    if share is None or share >= terms.coverage or not may_be_approved(candidate.result.check.state):
        return ""
    return (
        f"The judge answered {floor_percent(share)} of the {figures.gold_cells:,} ratings with reference labels "
        f"({figures.unscored:,} without a score, {candidate.judge_only_na:,} n/a where people gave a value); "
        f"{floor_percent(terms.coverage)} are required (policy)."
    )


def _answered_sentence(terms: Requirements) -> str:
    if not terms.answered:
        return "Drawn items without a label are ignored, though they may be the hard ones."
    return (
        f"People labelled at least {100 * terms.answered:g}% of the items drawn to be labelled blind, overall and in "
        "every stratum: unlabelled ones may be the hard ones."
    )


def _alarms_unmet(terms: Requirements, candidate: Candidate) -> str:
    if not (terms.alarms and candidate.alarms):
        return ""
    named = ", ".join(all_audits()[name].title for name in candidate.alarms)
    return f"In alarm: {named}. The policy requires that no audit of the judge is in alarm."


def _imported_sentence(terms: Requirements) -> str:
    if terms.imported:
        return "Imported labels count: the importer states that they are blind and of random draws."
    return (
        "Only labels given in Assay count: how imported ones were made cannot be checked (they count in datasets "
        "marked as synthetic)."
    )


ABOUT = ("labels", "agreement", "replies", "audits", "leads")
"""The topics of rules, in the order in which they are shown."""
RULES: dict[str, Rule] = {rule.name: rule for rule in (
    Rule(
        "threshold", "number", True, "threshold", "kappa required", "kappa, at least", "agreement",
        FormField(
            "Required kappa", "The cards suggest 0.5. Agreement between people is the usual upper limit.",
            0.01, 1.0, 0.05, "left",
        ),
        lambda terms: f"Agreement: kappa of at least {terms.policy.threshold:g}.",
        _threshold_refusal,
    ),
    Rule(
        "min_items", "whole", True, "items", "items required", "labelled items, at least", "labels",
        FormField(
            "Required items", "Fewer items make the interval wider; below 30 nothing is decided.",
            1, MAX_REQUIRED_ITEMS, 10, "left",
        ),
        lambda terms: f"Sample: blind labels of at least {many(terms.policy.min_items, 'randomly drawn item')}.",
        words=lambda terms: f"{terms.policy.first:,} items", strictness=lambda terms: terms.policy.first,
    ),
    Rule(
        "min_clusters", "whole", True, "items for any verdict", "items for any verdict",
        "items for any verdict, at least", "labels",
        refusal=_clusters_refusal,
    ),
    Rule(
        "lower_bound", "flag", True, "a lower bound is required", ("no lower bound required", "lower bound required"),
        "the lower bound of kappa reaches that too", "agreement",
        FormField(
            "Lower bound required",
            "Without it, at 100 items a judge whose true kappa is 0.45 passes a required 0.5 by chance in about 25% of "
            "cases; with it in about 2%.",
        ),
        _bound_sentence,
        words=lambda terms: (
            f"a lower bound ({100 * terms.policy.level:g}%)" if terms.policy.lower_bound else "no lower bound"
        ),
    ),
    Rule(
        "level", "number", True, "level", "confidence of the bound", "confidence of that bound, one-sided", "agreement",
        FormField("Confidence of the bound, %", "", 50.0, 99.9, 1.0, percent=True, with_bound=True),
        refusal=_level_refusal,
        words=lambda terms: f"{100 * terms.policy.level:g}% confidence" if terms.policy.lower_bound else "",
        strictness=lambda terms: terms.policy.level if terms.policy.lower_bound else 0.0,
    ),
    Rule(
        "horizon", "looks", True, "looks", "bound valid for looks up to (items)",
        "items up to which the bound holds at every look (0: at a single look)", "agreement",
        FormField(
            "Bound valid for looks up to, items",
            "Looking after every 20 labels raises an error rate of 5% to 14 to 18%. The bound is lowered so that it "
            "stays 5% up to this number of items. A plan of looks, fixed before, lowers it less.",
            3, MAX_REQUIRED_ITEMS, 100, with_bound=True,
        ),
        refusal=_horizon_refusal, value_if_missing=0,
        words=lambda terms: (
            f"any number of looks up to {terms.policy.horizon:,} items" if terms.policy.horizon else "a single look"
        ),
    ),
    Rule(
        "coverage", "share", False, "coverage", "labelled ratings answered by the judge",
        "share of the ratings with gold that the judge answered, at least", "replies",
        FormField(
            "Ratings answered by the judge, %",
            "Kappa counts only what the judge answered: one that fails on hard items would be overestimated.",
            0.0, 100.0, 5.0, "left", True,
        ),
        lambda terms: f"The judge answered at least {100 * terms.coverage:g}% of the ratings with reference labels "
        "(gold); its n/a counts as an answer where people say n/a too.",
        lambda terms: _share_refusal("coverage", terms.coverage),
        lambda terms: f"{100 * terms.coverage:g}% of ratings answered by the judge", _coverage_unmet,
    ),
    Rule(  # compared with nonresponse in judges/stats/nonresponse.py, as part of the decision
        "answered", "share", False, "share of drawn items answered", "drawn items answered by people",
        "share of the drawn items that people answered, overall and in every stratum, at least", "replies",
        FormField(
            "Drawn items labelled by people, %",
            "Overall and in every stratum. Unlabelled items may be the hard ones: agreement is overestimated.",
            0.0, 100.0, 5.0, "left", True,
        ),
        _answered_sentence,
        lambda terms: _share_refusal("share of drawn items answered", terms.answered),
        lambda terms: (
            f"{100 * terms.answered:g}% of the drawn items answered by people" if terms.answered
            else "drawn items without an answer ignored"
        ),
        value_if_missing=0.0,
    ),
    Rule(
        "alarms", "flag", False, "alarms block approval",
        ("audit alarms do not block approval", "audit alarms block approval"), "no audit is in alarm", "audits",
        FormField("No audit in alarm", "Otherwise alarms are only shown beside the figures."),
        lambda terms: "No audit of the judge is in alarm." if terms.alarms else "",
        words=lambda terms: "no audit in alarm" if terms.alarms else "audits in alarm allowed",
        unmet=_alarms_unmet,
    ),
    Rule(  # compared with proposer and approver when a decision is recorded (data/approvals/approvals.py)
        "four_eyes", "flag", False, "two leads are required", ("one lead is enough", "two leads required"),
        "two leads agree", "leads",
        FormField(
            "Two leads required",
            "One lead proposes, another approves. Who leads, and a less strict policy, need two as well. A lead whom "
            "the first one made alone does not count as the second.",
        ),
        lambda terms: "Two independent leads: one proposes, another approves, neither having made the other a lead. A "
        "less strict policy, a changed limit of an audit, and a change of who leads need two as well."
        if terms.four_eyes else "",
        words=lambda terms: "two leads" if terms.four_eyes else "one lead",
    ),
    Rule(
        "imported", "flag", False, "imported labels count",
        ("imported labels do not count", "imported labels count"), "imported labels count", "labels",
        FormField(
            "Imported labels count",
            "That imported labels are blind and of randomly drawn items is stated by the importer and cannot be "
            "checked. In synthetic datasets they always count.",
        ),
        _imported_sentence,
        words=lambda terms: "imported labels counted" if terms.imported else "labels given here only",
        strictness=lambda terms: float(not terms.imported), value_if_missing=True,
    ),
)}  # fmt: skip
"""Every rule by its stored name, in the order of the form and of what is said of an older policy."""
