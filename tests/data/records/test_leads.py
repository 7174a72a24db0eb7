"""Who counts as a second lead: whatever leads do, no decision that takes two has only one person behind it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from data.records.leads import (
    LeadEvent,
    are_independent,
    describe_lead_origin,
    explain_dependence,
    lacks_independent_leads,
)
from data.records.names import MACHINE_ACTOR

NAMES = ("eva", "eve", "evi", "ann", "bob", "cas")
BAD = frozenset({"eva", "eve", "evi"})
"""Names under which one and the same person may act; all others are honest people, one each."""

steps = some.lists(
    some.tuples(
        some.sampled_from(["make", "make", "demote", "propose", "machine"]), some.sampled_from(NAMES),
        some.sampled_from(NAMES), some.sampled_from(NAMES),
    ),
    max_size=14,
)  # fmt: skip


@given(some.sampled_from([name for name in NAMES if name not in BAD - {"eva"}]), steps)
def test_one_person_is_never_two(founder: str, done: list[tuple[str, str, str, str]]) -> None:
    """Leads do what they like, but who is honest makes no lead of a name that is somebody's second one.

    Whoever has the bad names, an honest lead knows them under one, `eva`.
    """
    events = [LeadEvent(founder, True, founder)]
    leads = {founder}
    for action, by, other, name in done:
        second = name in BAD - {"eva"}
        if action == "machine" and not second:
            events.append(LeadEvent(name, True, MACHINE_ACTOR))
            leads.add(name)
        elif by not in leads:
            continue
        elif action == "demote" and (name != by or len(leads) > 1) and name in leads:
            events.append(LeadEvent(name, False, by))
            leads.discard(name)
        elif action == "make" and (by in BAD or not second or any(e.person == name and e.leads for e in events)):
            events.append(LeadEvent(name, True, by))
            leads.add(name)
        elif action == "propose" and are_independent(events, by, other) and not (second and {by, other} - BAD):
            events.append(LeadEvent(name, True, other, by))
            leads.add(name)
        for one in NAMES:
            for two in NAMES:
                assert are_independent(events, one, two) == are_independent(events, two, one)
                if are_independent(events, one, two):
                    assert {one, two} <= leads and one != two
                    assert not {one, two} <= BAD, (events, one, two)


def test_who_made_whom_goes_all_the_way_back() -> None:
    events = [
        LeadEvent("lea", True, "lea"),
        LeadEvent("eve", True, "lea"),
        LeadEvent("mal", True, "eve"),
        LeadEvent("kim", True, "lea"),
    ]
    for one, two in (("lea", "eve"), ("lea", "mal"), ("eve", "mal"), ("eve", "kim"), ("mal", "kim"), ("lea", "lea")):
        assert not are_independent(events, one, two)
        assert "not independent" in explain_dependence(events, one, two) or one == two
    assert lacks_independent_leads(events)
    more = [*events, LeadEvent("lou", True, MACHINE_ACTOR)]
    assert (
        not lacks_independent_leads(more)
        and are_independent(more, "lou", "mal")
        and explain_dependence(more, "lou", "lea") == ""
    )
    agreed = [*more, LeadEvent("new", True, "lou", "mal")]
    assert all(are_independent(agreed, "new", name) for name in ("lea", "eve", "mal", "lou"))
    assert describe_lead_origin(agreed, "new") == "made a lead by mal and lou"
    assert describe_lead_origin(agreed, "lea") == "the first lead"
    assert describe_lead_origin(agreed, "mal") == "made a lead by eve"


def test_being_made_again_by_another_leaves_the_first_behind_one() -> None:
    events = [LeadEvent("lea", True, "lea"), LeadEvent("lou", True, MACHINE_ACTOR), LeadEvent("eve", True, "lea"),
            LeadEvent("eve", False, "lou"), LeadEvent("eve", True, "lou")]  # fmt: skip
    assert not are_independent(events, "eve", "lea") and not are_independent(events, "eve", "lou")
    assert are_independent(events, "lea", "lou")
    vouched = [*events, LeadEvent("eve", True, MACHINE_ACTOR)]
    assert are_independent(vouched, "eve", "lea")
    assert describe_lead_origin(vouched, "eve") == "made a lead on the command line of this machine"
    assert describe_lead_origin([*events, LeadEvent("eve", True, "lea")], "eve") == "made a lead by lou"


def test_who_leads_no_more_is_no_second_lead() -> None:
    events = [LeadEvent(name, True, MACHINE_ACTOR) for name in ("lea", "lou", "eve")]
    assert are_independent(events, "eve", "lea")
    assert not are_independent([*events, LeadEvent("eve", False, "lou")], "eve", "lea")
    assert lacks_independent_leads([events[0], events[1], LeadEvent("lou", False, "lea")])


def test_whoever_leads_already_is_made_nothing_new_by_a_lead() -> None:
    events = [*(LeadEvent(name, True, MACHINE_ACTOR) for name in ("lea", "lou")), LeadEvent("eve", True, "lea")]
    assert are_independent([*events, LeadEvent("lou", True, "lea")], "lou", "lea")
    assert not are_independent([*events, LeadEvent("eve", True, "lea", "lou")], "eve", "lea")


def test_two_who_are_one_agree_on_nobody() -> None:
    events = [LeadEvent("lea", True, "lea"), LeadEvent("eve", True, "lea"), LeadEvent("new", True, "eve", "lea")]
    assert not are_independent(events, "new", "lea") and not are_independent(events, "new", "eve")
    assert not are_independent(events, "lea", "nobody")


def test_whoever_leads_by_their_own_word_depends_on_all_who_led_and_nobody_is_first_by_anothers() -> None:
    events = [LeadEvent("lea", True, "lea"), LeadEvent("lou", True, MACHINE_ACTOR), LeadEvent("eve", True, "eve")]
    assert not are_independent(events, "eve", "lea") and not are_independent(events, "eve", "lou")
    again = [LeadEvent("lea", True, "lea"), LeadEvent("lea", False, "lea"), LeadEvent("kim", True, "lea"),
             LeadEvent("lea", True, MACHINE_ACTOR)]  # fmt: skip
    assert not are_independent(again, "kim", "lea")
