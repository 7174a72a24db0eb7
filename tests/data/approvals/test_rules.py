"""The tables of the approval check: every rule, state and decision has its one entry, with all that is shown of it."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import pytest

from data.approvals import approvals, case, policy
from data.approvals.actions import ACTIONS, APPROVAL_STATES, Action, ApprovalState
from data.approvals.rules import ABOUT, RULES, Requirements, Rule, explain, is_looser
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.store.errors import BadInput, NotApprovable
from judges.audits import AuditFinding, all_audits
from judges.stats.approval_check import CheckPolicy, check_dimension
from judges.stats.calibration import PairedRatings, summarise
from judges.stats.check_states import COLOURS, STATES, State, may_be_approved
from judges.stats.nonresponse import SampleResponse, StratumResponse, require_response
from judges.stats.uncertainty import Interval
from judges.types import Dimension, Scale
from tests import seeds


def test_every_field_is_a_rule_and_every_rule_a_field() -> None:
    known = {True: {f.name for f in fields(CheckPolicy)}, False: {f.name for f in fields(Requirements)} - {"policy"}}
    assert {in_check: {r.name for r in RULES.values() if r.in_check is in_check} for in_check in known} == known
    assert {rule.about for rule in RULES.values()} == set(ABOUT)
    assert Requirements().check() == Requirements()


def test_every_state_and_decision_has_an_entry() -> None:
    assert set(STATES) == set(get_args(State)) and {entry.role for entry in STATES.values()} == set(COLOURS)
    assert [state for state in STATES if may_be_approved(state)] == ["meets policy"]
    assert set(ACTIONS) == set(get_args(Action)) and set(APPROVAL_STATES) == set(get_args(ApprovalState))


def with_value(name: str, value: Any, requirements: Requirements) -> Requirements:
    """The same with another value of one rule."""
    changed = {name: value}
    if RULES[name].in_check:
        return replace(requirements, policy=replace(requirements.policy, **changed))
    return replace(requirements, **changed)


def with_step(requirements: Requirements, rule: Rule, by: int) -> Requirements:
    """The same with a rule that asks more, or less."""
    value = rule.value(requirements)
    new = not value if rule.kind == "flag" else value + by * (100 if rule.kind in ("whole", "looks") else 0.04)
    return with_value(rule.name, new, requirements)


def test_a_policy_stored_before_a_rule_was_there_asks_what_it_asked_then() -> None:
    then = policy.from_stored({"policy": {"threshold": 0.6}, "coverage": 0.8})
    assert then == Requirements(CheckPolicy(threshold=0.6, horizon=0), coverage=0.8, answered=0.0, imported=True)
    assert policy.from_stored({"answered": 0.7, "imported": False, "policy": {"horizon": 500}}) == Requirements(
        CheckPolicy(horizon=500), answered=0.7
    )


def test_fields_of_the_form_begin_end_and_step_as_people_count() -> None:
    forms = {name: rule.form for name, rule in RULES.items() if rule.form is not None}
    assert {name: (form.low, form.high, form.step) for name, form in forms.items() if form.high} == {
        "threshold": (0.01, 1.0, 0.05), "min_items": (1, 1_000_000, 10), "level": (50.0, 99.9, 1.0),
        "horizon": (3, 1_000_000, 100), "coverage": (0.0, 100.0, 5.0), "answered": (0.0, 100.0, 5.0),
    }  # fmt: skip
    assert [name for name, form in forms.items() if form.percent] == ["level", "coverage", "answered"]
    assert [name for name, form in forms.items() if form.with_bound] == ["level", "horizon"]


def test_the_form_begins_at_the_lowest_confidence_that_a_bound_may_have() -> None:
    form = RULES["level"].form
    assert form and with_value("level", form.low / 100, Requirements()).check()
    with pytest.raises(ValueError, match="at least"):
        with_value("level", form.low / 100 - 0.001, Requirements()).check()


@pytest.mark.parametrize("name", RULES)
def test_a_rule_that_asks_more_says_so_and_is_kept(name: str) -> None:
    requirements, rule = Requirements(), RULES[name]
    other = with_step(requirements, rule, 1)
    less, more = (other, requirements) if is_looser(other, requirements) else (requirements, other)
    assert is_looser(less, more) and not is_looser(more, less)
    assert policy.from_stored(policy.to_stored(other)) == other
    if name != "threshold":  # which is told with every other one
        assert any(entry.stricter(less, more) for entry in RULES.values())
    assert not any(entry.stricter(more, less) for entry in RULES.values())
    if rule.form is not None:
        assert explain(other) != explain(requirements), "what can be changed is said"


def test_what_a_policy_now_requires_more_is_said_in_words_rule_by_rule() -> None:
    without = Requirements(CheckPolicy(30, lower_bound=False, horizon=0), coverage=0.5, answered=0.5, imported=True)
    bound = replace(without, policy=CheckPolicy(30, level=0.9, horizon=0))
    strict = Requirements(CheckPolicy(100, level=0.95, horizon=1000), four_eyes=True, alarms=True)
    pairs = {name: rule.stricter(without, strict) for name, rule in RULES.items()}
    assert {name: pair for name, pair in pairs.items() if pair} == {
        "min_items": ("30 items", "100 items"),
        "lower_bound": ("no lower bound", "a lower bound (95%)"),
        "horizon": ("a single look", "any number of looks up to 1,000 items"),
        "coverage": ("50% of ratings answered by the judge", "90% of ratings answered by the judge"),
        "answered": ("50% of the drawn items answered by people", "90% of the drawn items answered by people"),
        "alarms": ("audits in alarm allowed", "no audit in alarm"),
        "four_eyes": ("one lead", "two leads"),
        "imported": ("imported labels counted", "labels given here only"),
    }
    assert RULES["level"].stricter(bound, strict) == ("90% confidence", "95% confidence")
    no_longer = replace(strict, policy=replace(strict.policy, lower_bound=False))
    assert RULES["horizon"].stricter(without, no_longer) is None, "no bound is required, so its looks are nothing"


@pytest.mark.parametrize("name", [rule.name for rule in RULES.values() if rule.form and rule.form.high])
def test_both_ends_of_a_field_of_the_form_are_values_that_a_policy_takes(name: str) -> None:
    form = RULES[name].form
    assert form is not None and form.low < form.high
    requirements = Requirements(CheckPolicy(min_items=1, min_clusters=2))
    for end in (form.low, form.high):
        value = round(end / 100, 6) if form.percent else end
        assert RULES[name].refusal(with_value(name, value, requirements)) == ""


def test_the_required_bound_is_said_with_its_confidence_and_its_looks() -> None:
    sentence = (
        "Its one-sided 95% lower bound too, valid at any number of looks up to 1,000 items, and over all decisions "
    )
    assert sentence + "on the same labels." in explain(Requirements())
    once = Requirements(CheckPolicy(level=0.99, horizon=0))
    assert "Its one-sided 99% lower bound too, valid at a single look." in explain(once)


def test_what_is_required_is_said_a_sentence_each_in_the_order_of_what_it_is_about() -> None:
    loose = CheckPolicy(threshold=0.75, min_items=1, lower_bound=False)
    other = Requirements(loose, four_eyes=True, alarms=True, coverage=0.25, imported=True, answered=0.0)
    assert explain(other) == [
        "Sample: blind labels of at least 1 randomly drawn item.",
        "Imported labels count: the importer states that they are blind and of random draws.",
        "Agreement: kappa of at least 0.75.",
        "No lower bound is required: a judge below the required kappa may pass by chance.",
        "The judge answered at least 25% of the ratings with reference labels (gold); its n/a counts as an answer "
        "where people say n/a too.",
        "Drawn items without a label are ignored, though they may be the hard ones.",
        "No audit of the judge is in alarm.",
        "Two independent leads: one proposes, another approves, neither having made the other a lead. A less strict "
        "policy, a changed limit of an audit, and a change of who leads need two as well.",
    ]
    assert [sentence.partition(" ")[0] for sentence in explain(Requirements())] == [
        "Sample:", "Only", "Agreement:", "Its", "The", "People"
    ]  # fmt: skip


BOUND = (
    "The bound is valid for looks up to {} items: it must be a whole number above the {} at which decisions begin, and "
    "at most 1,000,000."
)


@pytest.mark.parametrize(
    ("requirements", "why"),
    [
        (Requirements(CheckPolicy(threshold=0.0)), "A kappa of 0 is at most what chance gives: require more than 0."),
        (Requirements(CheckPolicy(min_items=1_000_001)),
         "The number of items is 1000001: it must be a whole number from 1 to 1,000,000."),
        (
            Requirements(CheckPolicy(min_clusters=29)),
            "Below 30 items no interval is reliable: require at least as many.",
        ),
        (Requirements(CheckPolicy(level=0.9991)), "Labels cannot give 99.91% confidence: require at most 99.9%."),
        (Requirements(CheckPolicy(horizon=100)), BOUND.format(100, 100)),
        (Requirements(CheckPolicy(min_items=20, horizon=1_000_001)), BOUND.format(1_000_001, 30)),
        (Requirements(coverage=1.01), "The coverage is 1.01: it must be from 0 to 1, such as 0.9."),
        (Requirements(answered=-1), "The share of drawn items answered is -1: it must be from 0 to 1, such as 0.9."),
        (Requirements(coverage=True), "The coverage is True: it must be a number."),
    ],
)  # fmt: skip
def test_what_would_refuse_nothing_or_cannot_be_is_refused_in_a_sentence(requirements: Requirements, why: str) -> None:
    with pytest.raises(BadInput) as refused:
        requirements.check()
    assert str(refused.value) == why


def test_a_policy_may_ask_for_its_very_limits() -> None:
    limits = CheckPolicy(
        threshold=0.001, min_items=1_000_000, min_clusters=30, level=0.999, lower_bound=False, horizon=3
    )
    for requirements in (
        Requirements(limits, coverage=0, answered=1),
        Requirements(CheckPolicy(min_items=30, horizon=31)),
        Requirements(CheckPolicy(horizon=1_000_000)),
    ):
        assert requirements.check() is requirements


@pytest.mark.parametrize("name", RULES)
def test_a_value_of_another_kind_is_refused(name: str) -> None:
    rule = RULES[name]
    requirements = Requirements(replace(CheckPolicy()))
    # around the checks of a policy itself
    object.__setattr__(requirements.policy if rule.in_check else requirements, name, "yes")
    with pytest.raises(BadInput):
        requirements.check()


# -- every rule turns something down ----------------------------------------------------------------------------------


def figures(
    error: float = 0.02, coverage: float = 1.0, answered: int = 100, alarms: dict[str, AuditFinding] | None = None,
    **of_summary: Any,
) -> dict[str, Any]:  # fmt: skip
    """A dimension of kappa .9 on 150 items, log(5) * .1 / error errors above .5; 100 items were drawn.

    `of_summary` are other figures of its `Summary`, such as `exact`: without them the judge gives people's answers.
    """
    return {"error": error, "coverage": coverage, "answered": answered, "alarms": alarms, "of_summary": of_summary}


REFUSED: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "threshold": (0.5, 0.95, figures()),
    "min_items": (100, 151, figures()),
    "min_clusters": (30, 151, figures()),
    "lower_bound": (False, True, figures(error=0.1)),  # 1.6 errors
    "level": (0.95, 0.999, figures(error=0.05)),  # 3.2 errors
    "horizon": (0, 1_000, figures(error=0.08)),  # 2.0 errors, of which a single look takes 1.645
    "coverage": (0.9, 0.96, figures(coverage=0.95)),
    "answered": (0.9, 0.96, figures(answered=95)),
    "alarms": (False, True, figures(alarms={next(iter(all_audits())): AuditFinding("alarm", "It does not follow.")})),
}
"""By rule: its value under which a dimension of these figures may be approved, and one under which it may not."""
IN_A_STORE = {"four_eyes": (False, True, "Two leads are required"), "imported": (True, False, "below minimum sample")}
"""The same of rules that no figure can break, with what is said: of a store whose labels are imported."""


_ANSWERS, _ONE = np.arange(150) % 5 + 1.0, np.ones(150)
PEOPLES_ANSWERS = summarise(
    PairedRatings(np.arange(150), _ANSWERS, _ANSWERS, _ONE > 0, _ONE),
    Dimension("tone", "turn", Scale("ordinal", 1, 5), ""),
)


def refusals(requirements: Requirements, figures: dict[str, Any]) -> list[str]:
    """What refuses a dimension of these figures: the approval check, who answered, and the rules beside them."""
    error = figures["error"]
    interval = Interval(0.9, 0.9 - 1.96 * error, 0.99, 0.9 - 1.645 * error, 150, 150, 150.0, "by hand", error)
    response = SampleResponse((StratumResponse("", 1_000, 100, figures["answered"]),))
    decision = require_response(check_dimension(interval, requirements.policy), response, requirements.answered)
    unscored = 100 - round(100 * figures["coverage"])
    gate = replace(PEOPLES_ANSWERS, interval=interval, gold_cells=100, unscored=unscored, **figures["of_summary"])
    case_: Any = SimpleNamespace(
        result=SimpleNamespace(check=decision, gate=gate), coverage=figures["coverage"], judge_only_na=0,
        alarms=figures["alarms"],
    )  # fmt: skip
    reasons = [] if may_be_approved(decision.state) else [decision.reason]
    return reasons + [sentence for rule in RULES.values() if (sentence := rule.unmet(requirements, case_))]


@pytest.mark.parametrize("name", RULES)
def test_every_rule_turns_a_case_down_that_would_pass_without_it(name: str, tmp_path: Path) -> None:
    assert name in REFUSED or name in IN_A_STORE, (
        f"No case here is refused by the rule {name!r}. Let it refuse something (its `unmet` in "
        "data/approvals/rules.py, or the approval check), and add to REFUSED a value under which some figures pass, a "
        "stricter one under which they do not, and the figures (IN_A_STORE where no figure can break it)."
    )
    if name in REFUSED:
        loose, strict, figures = REFUSED[name]
        assert refusals(with_value(name, loose, Requirements()), figures) == []
        reasons = refusals(with_value(name, strict, Requirements()), figures)
        assert len(reasons) == 1, f"The rule {name!r} has to refuse these figures, and nothing else; refused: {reasons}"
        return
    loose, strict, why = IN_A_STORE[name]
    items = [seeds.dialogue(n, 1) for n in range(1, 121)]
    judged = [seeds.judgment(i, seeds.reply(i, n % 5 + 1)) for n, i in enumerate(items)]
    labels = [
        {"item": i["id"], "unit": "turn:1", "dimension": "helpfulness", "value": n % 5 + 1, "annotator": "bo",
         "mode": "blind", "probability": 0.5, "made_at": "2026-01-31T12:00:00Z"}
        for n, i in enumerate(items)
    ]  # fmt: skip
    store = seeds.workspace(tmp_path / "a.duckdb", [*items, *judged], review=False)
    label_file = seeds.lines(tmp_path / "labels.jsonl", labels)
    import_source(store, "lea", from_path(label_file), ImportPlan("demo", sampling="random", population=1_000))
    [(dataset, judge)] = store.rows("select d.id, j.id from dataset d, judge j")
    base = replace(Requirements(), imported=True)

    def approve() -> None:
        mark = case.seen_mark(store, case.find_case(store, dataset, judge, "turn", "helpfulness"))
        approvals.record_decision(store, "lea", dataset, judge, "turn", "helpfulness", "approve", "It agrees.", mark)

    policy.set_requirements(store, "lea", with_value(name, loose, base), "For the test.")
    approve()
    policy.set_requirements(store, "lea", with_value(name, strict, base), "For the test.")
    with pytest.raises(NotApprovable, match=why):
        approve()
    store.close()
