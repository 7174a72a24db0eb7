"""The tables of the approval check: every rule, state and decision has its one entry, with all that is shown of it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import get_args

import pytest

from data.approvals import policy
from data.approvals.actions import ACTIONS, APPROVAL_STATES, Action, ApprovalState
from data.approvals.rules import ABOUT, RULES, Requirements, Rule, explain, is_looser
from data.store.errors import BadInput
from judges.stats.approval_check import Policy
from judges.stats.check_states import COLOURS, STATES, State, may_be_approved


def test_every_field_is_a_rule_and_every_rule_a_field() -> None:
    known = {True: {f.name for f in fields(Policy)}, False: {f.name for f in fields(Requirements)} - {"policy"}}
    assert {in_check: {r.name for r in RULES.values() if r.in_check is in_check} for in_check in known} == known
    assert {rule.about for rule in RULES.values()} == set(ABOUT)
    assert Requirements().check() == Requirements()


def test_every_state_and_decision_has_an_entry() -> None:
    assert set(STATES) == set(get_args(State)) and {one.role for one in STATES.values()} == set(COLOURS)
    assert [state for state in STATES if may_be_approved(state)] == ["meets policy"]
    assert set(ACTIONS) == set(get_args(Action)) and set(APPROVAL_STATES) == set(get_args(ApprovalState))


def moved(asked: Requirements, rule: Rule, by: int) -> Requirements:
    """The same with a rule that asks more, or less."""
    value = rule.value(asked)
    new = not value if rule.kind == "flag" else value + by * (100 if rule.kind in ("whole", "looks") else 0.04)
    changed = {rule.name: new}
    return replace(asked, policy=replace(asked.policy, **changed)) if rule.in_check else replace(asked, **changed)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_that_asks_more_says_so_and_is_kept(name: str) -> None:
    asked, rule = Requirements(), RULES[name]
    other = moved(asked, rule, 1)
    less, more = (other, asked) if is_looser(other, asked) else (asked, other)
    assert is_looser(less, more) and not is_looser(more, less)
    assert policy.from_stored(policy.to_stored(other)) == other
    if name != "threshold":  # which is told with every other one
        assert any(one.stricter(less, more) for one in RULES.values())
    assert not any(one.stricter(more, less) for one in RULES.values())
    if rule.form is not None:
        assert explain(other) != explain(asked), "what can be changed is said"


@pytest.mark.parametrize("name", RULES)
def test_a_value_of_another_kind_is_refused(name: str) -> None:
    rule = RULES[name]
    asked = Requirements(replace(Policy()))
    object.__setattr__(asked.policy if rule.in_check else asked, name, "yes")  # around the checks of a policy itself
    with pytest.raises(BadInput):
        asked.check()
