"""Work given to people: who is offered what, who is not, even shares, changes, undo; and teams that behave badly."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from data.assignments import assignments
from data.assignments.assignments import AssignmentTerms, Selection, WorkCount
from data.desk import desk
from data.queue import listing, queue
from data.queue.queue import QueueFilters
from data.records import exposure, people, queue_index, settings, tags
from data.records.access import find_person
from data.records.datasets import dataset_named
from data.records.settings import QueueRules
from data.store import Store
from data.store.errors import BadInput, NotAllowed, NotFound
from data.store.ids import now
from tests import seeds
from tests.data.imports import bring
from tests.data.queue.test_queue import answer, same_as_read_anew

NO_FILTERS, ALL = QueueFilters(), Selection()
LANGUAGES = ("en", "ja", "de")
TEAM = ("ann", "ben", "cyd")


def workspace(path: Path, count: int = 12, audit: int = 0, review: bool = True) -> tuple[Store, str]:
    """Dialogues in three languages that all need a look; lea leads, rex does research, three people label."""
    metas = [{"language": LANGUAGES[n % 3], "score": 4 + n % 2} for n in range(1, count + 1)]
    items = [{**seeds.dialogue(n, turns=1), "meta": meta} for n, meta in enumerate(metas, 1)]
    bad = [seeds.judgment(i, seeds.reply(i, helpfulness=1)) for i in items]
    store = seeds.workspace(path, [*items, *bad], names=("lea", "rex", *TEAM), audit=audit, review=review)
    if not find_person(store, "rex").may("researcher"):
        people.set_person(store, "lea", "rex", "researcher")
    return store, dataset_named(store, "demo").id


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[tuple[Store, str]]:
    store, dataset = workspace(tmp_path / "a.duckdb")
    yield store, dataset
    same_as_read_anew(store)
    store.close()


def give(store: Store, dataset: str, chosen: Selection = ALL, stream: queue.Stream = "review", **terms: Any) -> Any:
    return assignments.assign(store, "rex", dataset, stream, chosen, AssignmentTerms(**terms))


def work_counts(store: Store, dataset: str, person: str) -> WorkCount:
    index = queue_index.current_index(store)
    with index.lock:
        return assignments.count_work(index, person, index.assignments_of(dataset, "review", person))


def take(
    store: Store, person: str, dataset: str, n: int = 99, stream: queue.Stream = "review"
) -> list[queue.OfferedItem]:
    return queue.claim_items(store, person, dataset, stream, NO_FILTERS, [], n)


def states(store: Store, person: str, dataset: str) -> Counter[str]:
    return Counter(r.state for r in listing.list_queue(store, person, dataset, "review", NO_FILTERS).rows)


def draws(items: list[queue.OfferedItem]) -> list[str]:
    return [g.draw for g in items]


def test_what_is_reserved_is_offered_to_one_person_first_and_to_nobody_else(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    order = [d.id for d in queue_index.current_index(store).queues[dataset, "review"].all]
    plan = give(store, dataset, Selection("language", "ja"), people=("ann",))
    share = plan.shares["ann"]
    assert len(share) == 4 and plan.lacking == 0
    assert [queue.count_open(store, name, dataset, "review") for name in ("ann", "ben")] == [12, 8]
    assert states(store, "cyd", dataset) == {"reserved": 4, "to label": 8}
    assert states(store, "ann", dataset) == {"to label": 12}
    assert not set(draws(take(store, "ben", dataset, 3))) & set(share)
    assert draws(take(store, "ann", dataset, 5))[:4] == [d for d in order if d in share], (
        "assigned first, in their order"
    )
    assert states(store, "cyd", dataset) == {"reserved": 8, "to label": 4}


def test_by_a_link_nobody_answers_what_is_reserved_for_others(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    [item] = take(store, "ben", dataset, 1)
    settings.set_queue_rules(store, "lea", dataset, QueueRules(overlap=2))
    give(store, dataset, people=("ann",))
    [other] = [d for d in draws(take(store, "ann", dataset)) if d != item.draw][:1]
    view = desk.open_item(store, "ben", queue_index.current_index(store).draws[other].item)
    assert view.draw == other and view.why == (
        "opened by its link; reserved for ann: an answer of yours is not saved",
    )
    before = store.newest()
    with pytest.raises(AssertionError, match="This item is reserved for ann"):
        answer(store, "ben", queue.OfferedItem(other, view.item.id, "review", "assisted", ""))
    assert store.newest() == before and desk.open_item(store, "ann", view.item.id).why == ("opened by its link",)
    answer(store, "ben", item)  # what the desk gave him before it was reserved is not lost


def test_an_answer_may_be_corrected_though_its_item_was_reserved_for_another_since(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    settings.set_queue_rules(store, "lea", dataset, QueueRules(overlap=2))
    draw = queue_index.current_index(store).queues[dataset, "review"].all[0]
    opened = queue.OfferedItem(draw.id, draw.item, "review", "assisted", "")  # by its link: ann never held it
    key = answer(store, "ann", opened)
    give(store, dataset, people=("ben",))
    assert queue_index.current_index(store).describe_reservation(draw.id, "ann") == "ben"
    answer(store, "ann", opened, version=key)
    assert store.rows("select count(*) from answer_now where person = 'ann'") == [(1,)]


def test_what_is_preferred_goes_to_others_once_they_have_nothing_else(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    share = give(store, dataset, Selection(number=3), people=("ann",), reserved=False).shares["ann"]
    order = draws(take(store, "ben", dataset))
    assert len(order) == 12 and order[-3:] == share
    assert take(store, "ann", dataset) == [], "ben has them all"


def test_priority_then_due_date_then_the_queue(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    soon, later = now() + timedelta(days=1), now() + timedelta(days=9)
    low = give(store, dataset, Selection(number=2), people=("ann",), priority=3).shares["ann"]
    due_later = give(store, dataset, Selection(number=2), people=("ann",), due=later).shares["ann"]
    due_soon = give(store, dataset, Selection(number=2), people=("ann",), due=soon).shares["ann"]
    high = give(store, dataset, Selection(number=2), people=("ann",), priority=1).shares["ann"]
    assert draws(take(store, "ann", dataset))[:8] == [*high, *due_soon, *due_later, *low]
    assert assignments.own_work(store, "ann", dataset, "review") == (8, 8, soon)
    assert assignments.own_work(store, "ben", dataset, "review") == (0, 0, None)
    current = assignments.current_assignments(store, dataset)
    assert [(a.priority, a.due, a.by, a.stream, a.chosen.number) for a in current] == [
        (1, None, "rex", "review", 2), (2, soon, "rex", "review", 2), (2, later, "rex", "review", 2),
        (3, None, "rex", "review", 2),
    ]  # fmt: skip
    assert assignments.current_assignments(store, dataset, "ben") == []


def test_notes_are_for_whom_they_are_and_go_with_the_work(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    for note, priority in (("later", 3), ("first", 1), ("", 2), ("later", 3)):
        give(store, dataset, Selection(number=1), people=("ann",), priority=priority, note=note)
    give(store, dataset, Selection(number=1), people=("ben",), note="for ben")
    assert assignments.own_notes(store, "ann", dataset) == ["first", "later"]
    assert assignments.own_notes(store, "cyd", dataset) == assignments.own_notes(store, "ann", "another") == []
    answer(store, "ann", take(store, "ann", dataset, 1)[0])
    assert assignments.own_notes(store, "ann", dataset) == ["later"], "nothing is left of the first"
    fields = {"language": ["de", "en", "ja"]}
    assert assignments.selection_values(store, dataset, "audit") == fields
    assert assignments.selection_values(store, dataset, "review") == {**fields, "score": ["4", "5"]}


def test_notes_are_of_what_waits_in_either_queue(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    queue.draw_audit(store, "lea", dataset, 3, "", seed=1)
    give(store, dataset, stream="audit", people=("ann",), note="without help")
    give(store, dataset, people=("ann",), note="with it")
    assert assignments.own_notes(store, "ann", dataset) == ["without help", "with it"]


def test_what_is_closed_is_opened_again_by_being_reserved_for_a_further_person_only(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    tags.set_tags(store, "lea", "cyd", ["ja"])
    [item] = take(store, "ann", dataset, 1)
    answer(store, "ann", item)
    for terms in ({"people": ("ben", "cyd"), "reserved": False}, {"tag": "ja"}, {"tag": "ja", "reserved": False}):
        plan = assignments.plan_shares(store, dataset, "review", ALL, AssignmentTerms(overlap=2, **terms))  # type: ignore[arg-type]
        assert plan.items == 11 and item.draw not in {d for share in plan.shares.values() for d in share}, terms
    plan = assignments.plan_shares(store, dataset, "review", ALL, AssignmentTerms(people=("ben", "cyd"), overlap=2))
    assert plan.items == 12 and sum(item.draw in share for share in plan.shares.values()) == 1


def test_what_waits_in_the_audit_sample_is_not_given_from_the_review_queue(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    queue.draw_audit(store, "lea", dataset, 3, "", seed=1)
    assert assignments.plan_shares(store, dataset, "review", ALL, AssignmentTerms(people=("ann",))).items == 9


def test_what_is_drawn_into_the_audit_sample_is_no_longer_given_to_who_holds_it(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    items = take(store, "ann", dataset)
    queue.draw_audit(store, "lea", dataset, 5, "", seed=1)
    sample = {str(i) for (i,) in store.rows("select item_id from draw where stream = 'audit' and mode = 'blind'")}
    item_ids = {item.item for item in take(store, "ann", dataset)}
    assert len(items) == 12 and sample and item_ids == {item.item for item in items} - sample


def test_who_was_shown_the_judge_may_still_be_given_items_to_review_but_not_to_answer_blind(
    demo: tuple[Store, str],
) -> None:
    store, dataset = demo
    judge, items = store.rows("select id from judge")[0][0], [r[0] for r in store.rows("select id from item")]
    exposure.record_exposures(store, "ann", {item: [judge] for item in items}, "report")
    queue.draw_audit(store, "lea", dataset, 3, "", seed=1)
    for stream, items_, lacking in (("review", 9, 0), ("audit", 3, 3)):
        plan = assignments.plan_shares(store, dataset, stream, ALL, AssignmentTerms(people=("ann",)))  # type: ignore[arg-type]
        assert (plan.items, len(plan.shares["ann"]), plan.lacking) == (items_, items_ - lacking, lacking), stream


def test_a_fair_share_for_those_with_a_tag_two_people_an_item(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    for name in TEAM:
        tags.set_tags(store, "lea", name, ["ja" if name != "cyd" else "de"])
    plan = give(store, dataset, Selection("language", "ja"), people=("ann", "ben"), overlap=2)
    assert {name: len(share) for name, share in plan.shares.items()} == {"ann": 4, "ben": 4}
    for item in take(store, "ann", dataset, 4):
        answer(store, "ann", item)
    assert len(set(draws(take(store, "ben", dataset))) & set(plan.shares["ben"])) == 4, "ben is asked though ann has"
    assert not set(draws(take(store, "cyd", dataset))) & set(plan.shares["ben"])


def test_a_tag_as_a_pool_lets_whoever_has_it_take_them(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    with pytest.raises(NotFound):
        give(store, dataset, tag="ja")
    tags.set_tags(store, "lea", "ann", ["ja"])
    tags.set_tags(store, "lea", "ben", ["JA "])
    assert tags.all_tags(store)["ben"] == tags.PersonTags("ben", ("ja",), 1.0)
    pool = give(store, dataset, Selection("language", "ja"), tag="ja").shares[tags.assignee("ja")]
    assert states(store, "cyd", dataset) == {"reserved": 4, "to label": 8}
    ann_draws, ben_draws = draws(take(store, "ann", dataset, 2)), draws(take(store, "ben", dataset, 2))
    assert set(ann_draws) | set(ben_draws) == set(pool)
    assert queue.count_open(store, "cyd", dataset, "review") == 8
    tags.set_tags(store, "lea", "cyd", ["ja"])
    assert queue.count_open(store, "cyd", dataset, "review") == 8, "the four are held"
    people.set_person(store, "lea", "ann", "annotator", active=False)
    assert queue.count_open(store, "cyd", dataset, "review") == 10, "what somebody inactive holds is free at once"
    for name in ("ben", "cyd"):
        tags.set_tags(store, "lea", name, [])
    assert assignments.assigned_counts(store, dataset, "review") == (12, 8, {tags.assignee("ja"): 4})


def test_an_item_that_is_assigned_by_name_and_by_a_tag_is_one_item_of_work(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    settings.set_queue_rules(store, "lea", dataset, QueueRules(overlap=2))
    tags.set_tags(store, "lea", "ann", ["日本語"])
    own = give(store, dataset, Selection(number=1), people=("ann",)).shares["ann"]
    [shared] = give(store, dataset, Selection(number=2), tag="日本語").shares.values()
    assert set(own) < set(shared)
    assert assignments.own_work(store, "ann", dataset, "review") == (2, 2, None)


def test_a_share_is_one_item_at_least(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    assert len(give(store, dataset, Selection(share=0.01), people=("ann",)).shares["ann"]) == 1


def test_of_what_is_open_it_is_counted_what_nobody_is_asked_for_and_what_nobody_can_take(
    demo: tuple[Store, str],
) -> None:
    store, dataset = demo
    tags.set_tags(store, "lea", "cyd", ["ja"])
    pool = tags.assignee("ja")
    give(store, dataset, Selection(number=3), tag="ja")
    give(store, dataset, Selection(number=2), people=("ann",))
    give(store, dataset, Selection(number=1), people=("ben",), reserved=False)
    assert assignments.assigned_counts(store, dataset, "review") == (12, 6, {})
    people.set_person(store, "lea", "cyd", "annotator", active=False)
    assert assignments.assigned_counts(store, dataset, "review") == (12, 6, {pool: 3})
    answer(store, "ann", take(store, "ann", dataset, 1)[0])
    answer(store, "ben", take(store, "ben", dataset, 1)[0])
    assert assignments.assigned_counts(store, dataset, "review") == (10, 6, {pool: 3})
    assert assignments.assigned_counts(store, dataset, "audit") == (0, 0, {})


def test_who_takes_nothing_for_now_is_given_nothing_among_others(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    for name in ("ann", "ben"):
        tags.set_tags(store, "lea", name, [], share=0.0)

    def shares(*names: str) -> dict[str, int]:
        plan = assignments.plan_shares(store, dataset, "review", ALL, AssignmentTerms(people=names))
        return {name: len(share) for name, share in plan.shares.items()}

    with pytest.raises(BadInput, match="All of these people take a share of 0 for now"):
        shares("ann", "ben")
    assert shares("ann") == {"ann": 12}, "who is chosen alone gets them all the same"
    assert shares("ann", "cyd") == {"ann": 0, "cyd": 12}
    people.set_person(store, "lea", "cyd", "annotator", active=False)
    with pytest.raises(BadInput, match="cyd is not active in this workspace"):
        shares("ann", "cyd")


def test_a_skip_gives_a_reserved_item_back_to_all(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    [draw] = give(store, dataset, Selection(number=1), people=("ann",)).shares["ann"]
    [item] = take(store, "ann", dataset, 1)
    assert item.draw == draw
    answer(store, "ann", item, "skip")
    assert draw in draws(take(store, "ben", dataset))
    assert work_counts(store, dataset, "ann") == WorkCount(total=1, left=0, done=0, skipped=1)


def test_ending_and_deactivating_free_what_is_left_and_keep_what_is_done(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    give(store, dataset, Selection(number=3), people=("ann",))
    give(store, dataset, Selection(number=3), people=("ben",))
    answer(store, "ann", take(store, "ann", dataset, 1)[0])
    assert queue.count_open(store, "cyd", dataset, "review") == 6
    people.set_person(store, "lea", "ben", "annotator", active=False)
    assert queue.count_open(store, "cyd", dataset, "review") == 9
    [assignment] = assignments.current_assignments(store, dataset, "ann")
    assignments.end_assignment(store, "rex", assignment.id)
    assert queue.count_open(store, "cyd", dataset, "review") == 11
    with pytest.raises(NotFound):
        assignments.end_assignment(store, "rex", assignment.id)
    people.set_person(store, "lea", "ben", "annotator")
    assert queue.count_open(store, "cyd", dataset, "review") == 8


def test_terms_change_by_a_new_row(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    give(store, dataset, Selection(number=3), people=("ann",))
    [assignment] = assignments.current_assignments(store, dataset)
    assert assignment.reserved
    before = store.newest()
    assignments.change_assignment(store, "rex", assignment.id, True, 2, None, "")
    assert store.newest() == before, "nothing changed, so nothing was written"
    assignments.change_assignment(store, "rex", assignment.id, False, 1, datetime(2030, 1, 1), " first ")
    [new] = assignments.current_assignments(store, dataset)
    assert (new.reserved, new.priority, new.due, new.note) == (False, 1, datetime(2030, 1, 1), "first")
    assert queue.count_open(store, "ben", dataset, "review") == 12


def test_reassigning_moves_what_is_left_evenly_and_undo_brings_it_back(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    give(store, dataset, people=("ann",), due=datetime(2030, 1, 1), priority=1)
    items = take(store, "ann", dataset, 5)
    answer(store, "ann", items[0])
    assert assignments.plan_reassignment(store, dataset, "ann", ("ben", "cyd"), 1).items == 11
    plan = assignments.reassign(store, "rex", dataset, "ann", ("ben", "cyd"), 1)
    assert sorted(len(share) for share in plan.shares.values()) == [5, 6]
    by = {assignment.assignee: assignment for assignment in assignments.current_assignments(store, dataset)}
    assert work_counts(store, dataset, "ann") == WorkCount(total=1, left=0, done=1, skipped=0)
    assert {(by[name].due, by[name].priority) for name in ("ben", "cyd")} == {(datetime(2030, 1, 1), 1)}
    assert set(draws(take(store, "ben", dataset))) == set(plan.shares["ben"]), "ann's claims on them are over"
    assert take(store, "ann", dataset) == []
    change = assignments.undoable_changes(store, dataset)[0]
    assert change[3:] == (11, 2, "ben")
    assignments.undo(store, "rex", dataset, change.revision)
    assert assignments.own_work(store, "ann", dataset, "review").left == 11
    with pytest.raises(BadInput):
        assignments.undo(store, "rex", dataset, change.revision)
    [first] = assignments.undoable_changes(store, dataset)
    assert first[3:] == (12, 1, "ann") and first.by == "rex"
    with pytest.raises(BadInput):
        assignments.undo(store, "rex", "another", first.revision)
    assignments.undo(store, "rex", dataset, first.revision)
    assert assignments.current_assignments(store, dataset) == []


def test_work_is_spread_by_shares_that_were_changed_while_it_was_planned(
    demo: tuple[Store, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, dataset = demo
    write = assignments.act

    def write_later(*arguments: Any) -> Any:
        tags.set_tags(store, "lea", "ann", [], share=0)
        return write(*arguments)

    monkeypatch.setattr(assignments, "act", write_later)
    plan = give(store, dataset, people=("ann", "ben"))
    assert {name: len(share) for name, share in plan.shares.items()} == {"ann": 0, "ben": 12}


def test_what_is_left_of_another_dataset_stays_with_whom_it_was_given_to(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    bring(store, [seeds.dialogue(n, turns=1) for n in range(1, 4)])
    other = dataset_named(store, "d").id
    queue.draw_audit(store, "lea", other, 3, "", 1)
    give(store, dataset, people=("ann",))
    give(store, other, people=("ann",), stream="audit")
    assert assignments.reassign(store, "rex", dataset, "ann", ("ben",), 1).items == 12
    assert assignments.own_work(store, "ann", other, "audit").left == 3


def test_what_somebody_skipped_is_given_to_somebody_else(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    give(store, dataset, people=("ann",))
    [item] = take(store, "ann", dataset, 1)
    answer(store, "ann", item, "skip")
    assert give(store, dataset, people=("ben",)).shares == {"ben": [item.draw]}


@pytest.mark.parametrize("newest_first", [True, False])
def test_what_was_given_on_since_is_not_given_back_by_an_undo(demo: tuple[Store, str], newest_first: bool) -> None:
    store, dataset = demo
    give(store, dataset, people=("ann",))
    before = store.newest()
    for giver, taker in (("ann", "ben"), ("ben", "cyd")):
        assignments.reassign(store, "rex", dataset, giver, [taker], 1)
    changes = [c.revision for c in assignments.undoable_changes(store, dataset) if c.revision > before]
    for revision in changes if newest_first else changes[1:]:
        assignments.undo(store, "rex", dataset, revision)
    left = [assignments.own_work(store, person, dataset, "review").left for person in TEAM]
    assert left == ([12, 0, 0] if newest_first else [0, 0, 12]), "an item that one person is asked for is of one person"


def test_what_somebody_holds_of_work_that_was_offered_to_them_first_is_let_go_when_it_is_reassigned(
    demo: tuple[Store, str],
) -> None:
    store, dataset = demo
    give(store, dataset, people=("ann",), reserved=False)
    ann_draws = draws(take(store, "ann", dataset, 5))
    assert not set(ann_draws) & set(draws(take(store, "ben", dataset, 5)))
    plan = assignments.reassign(store, "rex", dataset, "ann", ("cyd",), 1)
    assert set(ann_draws) <= set(plan.shares["cyd"]) and set(ann_draws) <= set(draws(take(store, "cyd", dataset)))


def test_what_is_answered_held_or_assigned_is_not_given_again(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    answer(store, "ann", take(store, "ann", dataset, 1)[0])
    take(store, "ben", dataset, 2)
    give(store, dataset, Selection(number=3), people=("ann",))
    plan = assignments.plan_shares(store, dataset, "review", ALL, AssignmentTerms(people=("cyd",)))
    assert (plan.items, len(plan.shares["cyd"])) == (6, 6)
    again = give(store, dataset, people=("ben", "cyd"), overlap=2)
    assert (again.items, again.lacking) == (12, 0), "with two people each all lack somebody"


def test_what_is_touched_while_work_is_planned_is_not_given(
    demo: tuple[Store, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, dataset = demo
    planned, between = assignments._plan, list[Any]()

    def plan(*args: Any) -> assignments.SharePlan:
        """Somebody acts between the planning and the lock."""
        share_plan = planned(*args)
        if between:
            between.pop()()
        return share_plan

    monkeypatch.setattr(assignments, "_plan", plan)
    touched = list[queue.OfferedItem]()

    def work() -> None:
        touched.extend(take(store, "ben", dataset, 3))
        for item in touched[:2]:
            answer(store, "ben", item)

    between.append(work)
    share = give(store, dataset, Selection(number=6), people=("ann",)).shares["ann"]
    assert len(share) == 3 and not set(share) & set(draws(touched)), "two of six are answered by now, and one is held"
    assert not set(share) & set(draws(take(store, "ben", dataset)))
    queue.release_claims(store, "ben", dataset)

    def back() -> None:
        take(store, "ben", dataset)
        queue.release_claims(store, "ben", dataset)

    between.append(back)
    [left] = give(store, dataset, Selection(number=2), people=("cyd",)).shares.values()
    assert len(left) == 2, "what is held no more can be given"
    between.append(lambda: people.set_person(store, "lea", "cyd", "annotator", active=False))
    with pytest.raises(BadInput, match="cyd is not active"):
        give(store, dataset, people=("cyd",))


def test_a_second_answer_that_the_dataset_asks_for_can_be_assigned(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    settings.set_queue_rules(store, "lea", dataset, QueueRules(overlap=2))
    for item in take(store, "ann", dataset):
        answer(store, "ann", item)
    assert len(give(store, dataset, Selection(share=0.5), people=("ben",)).shares["ben"]) == 6
    tags.set_tags(store, "lea", "cyd", ["ja"])
    assert len(give(store, dataset, tag="ja").shares[tags.assignee("ja")]) == 6, "the other six lack one still"
    with pytest.raises(BadInput):
        give(store, dataset, people=("rex",))


def test_who_labels_the_audit_sample_is_not_chosen_by_hand(tmp_path: Path) -> None:
    store, dataset = workspace(tmp_path / "a.duckdb", audit=6, review=False)
    chance = store.rows("select id, probability from draw order by id")
    items = tuple(str(r[0]) for r in store.rows("select item_id from draw limit 2"))
    with pytest.raises(BadInput, match="must not depend"):
        give(store, dataset, Selection(items=items), "audit", people=("ann",))
    with pytest.raises(BadInput, match="no field"):
        give(store, dataset, Selection("system", "model-x"), "audit", people=("ann",))
    with pytest.raises(BadInput, match="they may be scores"):
        give(store, dataset, Selection("score", "4"), "audit", people=("ann",))
    assert list(assignments.selection_values(store, dataset, "audit")) == ["language"]
    assert list(assignments.selection_values(store, dataset, "review")) == ["language", "score"]
    give(store, dataset, Selection("language", "ja"), "audit", people=("ann",))
    assert store.rows("select id, probability from draw order by id") == chance
    for item in take(store, "ann", dataset, 6, "audit"):
        answer(store, "ann", item)
    assert queue.count_open(store, "ben", dataset, "audit") == 0
    same_as_read_anew(store)


def test_what_cannot_be_given_is_refused(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    before = store.newest()
    whom = "Choose to whom the work is given: people, or a tag."
    level = "it must be 1 (high), 2 (normal) or 3 (low)."
    for chosen, terms, why in (
        (ALL, {"people": ()}, whom), (ALL, {"tag": "ja"}, whom),
        (ALL, {"overlap": 2}, "2 people per item are more than the 1 to whom it is given."),
        (ALL, {"priority": 4}, f"The priority is 4: {level}"), (ALL, {"priority": 0}, f"The priority is 0: {level}"),
        (ALL, {"note": "x" * 501}, "The note has 501 letters: at most 500 are allowed."),
        (ALL, {"overlap": 0}, "People per item is 0: it must be 1 to 20."),
        (ALL, {"people": (), "tag": "ja", "overlap": 21}, "People per item is 21: it must be 1 to 20."),
        (Selection(number=0), {}, "0 items cannot be given: give 1 or more."),
        (Selection(share=1.01), {}, "101% of the items cannot be given: give more than 0 % and at most 100 %."),
        (Selection(share=0.0), {}, "0% of the items cannot be given: give more than 0 % and at most 100 %."),
        (Selection("nothing", "x"), {},
         "Items have no field 'nothing' to choose them by. There are: language, score."),
        (Selection("language", "fr"), {}, "No item is left to give out: all chosen items are answered, assigned, or "
         "not open to any of these people."),
    ):  # fmt: skip
        with pytest.raises(BadInput) as refused:
            give(store, dataset, chosen, **{"people": ("ann",), **terms})
        assert str(refused.value) == why
    assert store.newest() == before
    AssignmentTerms(tag="ja", overlap=20, priority=3, note="x" * 500).check()
    AssignmentTerms(people=("ann", "ben"), overlap=2, priority=1).check()
    Selection(number=1, share=1.0).check("audit")
    Selection(items=("a",)).check("review")


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (ALL, "all items"), (Selection("language", "ja", share=0.25), "25% of language ja"),
        (Selection(number=1200), "the first 1,200 of all items"), (Selection("user_group", "x"), "user group x"),
        (Selection(items=("a", "b")), "2 items chosen"),
    ],
)  # fmt: skip
def test_a_selection_in_words_and_as_it_is_stored(chosen: Selection, words: str) -> None:
    assert chosen.describe() == words
    assert Selection.of_json(chosen.as_json(chosen.items)) == chosen and Selection.of_json("") == ALL


def test_annotators_cannot_steer_and_researchers_cannot_tag(demo: tuple[Store, str]) -> None:
    store, dataset = demo
    give(store, dataset, Selection(number=1), people=("ann",))
    [assignment] = assignments.current_assignments(store, dataset)
    for act in (
        lambda: assignments.assign(store, "ann", dataset, "review", ALL, AssignmentTerms(people=("ann",))),
        lambda: assignments.change_assignment(store, "ann", assignment.id, True, 1, None, ""),
        lambda: assignments.end_assignment(store, "ann", assignment.id),
        lambda: assignments.reassign(store, "ann", dataset, "ann", ("ben",), 1),
        lambda: assignments.undo(store, "ann", dataset, assignments.undoable_changes(store, dataset)[0].revision),
        lambda: tags.set_tags(store, "rex", "ann", ["ja"]),
    ):
        with pytest.raises(NotAllowed):
            act()


# -- teams that behave badly ----------------------------------------------------------------------------------------


def test_a_team_of_which_one_leaves_one_skips_and_one_comes_late_gets_done(
    demo: tuple[Store, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, dataset = demo
    moment = now()
    for module in (queue, assignments):
        monkeypatch.setattr(module, "now", lambda: moment)
    shares = give(store, dataset, people=TEAM, seed=3).shares
    assert {len(share) for share in shares.values()} == {4}
    take(store, "ann", dataset, 4)  # ann goes away holding all of hers
    for item in take(store, "ben", dataset, 4):
        answer(store, "ben", item, "skip")
    skipped = set(shares["ben"])
    moment += timedelta(hours=3)  # cyd comes late, does their own, and what ben skipped
    for item in take(store, "cyd", dataset):
        answer(store, "cyd", item)
    assert take(store, "cyd", dataset) == [], "what ann has is reserved for ann, claims or not"
    assignments.reassign(store, "rex", dataset, "ann", ("ben", "cyd"), 1)
    for name in ("ben", "cyd"):
        for item in take(store, name, dataset):
            answer(store, name, item)
    index = queue_index.current_index(store)
    assert [d.id for d in index.queues[dataset, "review"].waiting_draws()] == []
    assert all(index.draws[draw].answered_by == {"cyd"} for draw in skipped)


# -- any course of events -------------------------------------------------------------------------------------------

NAMES = st.sampled_from(TEAM)


class Steering(RuleBasedStateMachine):
    """People label, leave and come back while work is given to them, taken from them and given to others."""

    @initialize(overlap=st.sampled_from([1, 1, 2]))
    def begin(self, overlap: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store, self.dataset = workspace(Path(self.folder.name) / "a.duckdb", 9, audit=4)
        settings.set_queue_rules(self.store, "lea", self.dataset, QueueRules(overlap=overlap))
        self.moment, self.patch, self.hands = now(), pytest.MonkeyPatch(), {name: dict[str, Any]() for name in TEAM}
        for module in (queue, assignments):
            self.patch.setattr(module, "now", lambda: self.moment)
        self.answered: set[tuple[str, str]] = set()

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.drain()
            self.patch.undo()
            self.store.close()
            self.folder.cleanup()

    @rule(
        names=st.lists(NAMES, min_size=1, max_size=3, unique=True), reserved=st.booleans(), overlap=st.integers(1, 2),
        stream=st.sampled_from(["audit", "review"]), language=st.sampled_from(["", *LANGUAGES]), seed=st.integers(0, 9),
    )  # fmt: skip
    def assign(self, names: list[str], reserved: bool, overlap: int, stream: Any, language: str, seed: int) -> None:
        chosen = Selection("language" if language else "", language)
        terms = AssignmentTerms(tuple(names), overlap=overlap, reserved=reserved, priority=1 + seed % 3, seed=seed)
        try:
            plan = assignments.assign(self.store, "rex", self.dataset, stream, chosen, terms)
        except BadInput:
            return
        counts = Counter(draw for share in plan.shares.values() for draw in share)
        assert max(counts.values()) <= overlap

    @rule(tag=st.sampled_from(["ja", "de"]), reserved=st.booleans())
    def pool(self, tag: str, reserved: bool) -> None:
        try:
            give(self.store, self.dataset, Selection("language", tag), tag=tag, reserved=reserved)
        except (BadInput, NotFound):
            return

    @rule(name=NAMES, tag=st.sampled_from(["", "ja", "de"]))
    def tag(self, name: str, tag: str) -> None:
        tags.set_tags(self.store, "lea", name, [tag] if tag else [])

    @rule(name=NAMES, to=NAMES, seed=st.integers(0, 9))
    def reassign(self, name: str, to: str, seed: int) -> None:
        try:
            assignments.reassign(self.store, "rex", self.dataset, name, (to,), seed)
        except BadInput:
            return

    @rule(n=st.integers(0, 9))
    def end(self, n: int) -> None:
        if current := assignments.current_assignments(self.store, self.dataset):
            assignments.end_assignment(self.store, "rex", current[n % len(current)].id)

    @rule()
    def undo(self) -> None:
        for change in assignments.undoable_changes(self.store, self.dataset)[:1]:
            assignments.undo(self.store, "rex", self.dataset, change.revision)

    @rule(name=NAMES)
    def come_or_go(self, name: str) -> None:
        person = find_person(self.store, name)
        people.set_person(self.store, "lea", name, "annotator", active=not person.active)
        self.hands[name].clear()

    @rule(minutes=st.sampled_from([5, 40]))
    def wait(self, minutes: int) -> None:
        self.moment += timedelta(minutes=minutes)

    @rule(name=NAMES, stream=st.sampled_from(["audit", "review"]), n=st.integers(1, 4))
    def claim(self, name: str, stream: Any, n: int) -> None:
        if not find_person(self.store, name).active:
            return
        waiting = queue.count_open(self.store, name, self.dataset, stream)
        items = queue.claim_items(self.store, name, self.dataset, stream, NO_FILTERS, [], n)
        assert bool(items) == bool(waiting)
        for item in items:
            assert (name, item.item) not in self.answered, "nobody is given an item twice"
            named, own = self.reserved_for(item.draw)
            assert not named or name in named or own & set(self.tags_of(name)), "it is reserved for others"
            self.hands[name][item.item] = item

    @rule(name=NAMES, action=st.sampled_from(["save", "save", "skip"]))
    def answer(self, name: str, action: str) -> None:
        if not self.hands[name] or not find_person(self.store, name).active:
            return
        _, item = self.hands[name].popitem()
        answer(self.store, name, item, action)
        self.answered.add((name, item.item))

    def tags_of(self, name: str) -> list[str]:
        return [tags.assignee(tag) for tag in tags.all_tags(self.store).get(name, tags.PersonTags(name)).tags]

    def reserved_for(self, draw: str) -> tuple[set[str], set[str]]:
        """For whom a draw is reserved, as the rows have it: everybody, and the tags among them."""
        rows = self.store.rows(
            "select n.assignee from assignment_now n join (select assignment_id, given, row_number() over ("
            "partition by assignment_id, draw_id order by seq desc) as newest from assignment_item where draw_id = $1) "
            "i on i.assignment_id = n.assignment_id where i.newest = 1 and i.given and not n.ended "
            "and n.offer = 'reserved'",
            [draw],
        )
        item = self.store.rows("select item_id from draw where id = $1", [draw])[0][0]
        active = {p.name for p in people.all_people(self.store)}
        all_ = {str(r[0]) for r in rows}
        pools = {assignee for assignee in all_ if tags.is_tag(assignee)}
        return {n for n in all_ - pools if n in active and (n, item) not in self.answered} | pools, pools

    @invariant()
    def as_read_anew(self) -> None:
        if hasattr(self, "store"):
            same_as_read_anew(self.store)

    def drain(self) -> None:
        """Everybody who is active does all that they are offered: then nothing waits but what nobody may have."""
        active = [n for n in TEAM if find_person(self.store, n).active]
        self.moment += timedelta(hours=2)
        for _ in range(4):
            for name in active:
                for stream in ("audit", "review"):
                    for item in queue.claim_items(self.store, name, self.dataset, stream, NO_FILTERS, [], 99):  # type: ignore[arg-type]
                        answer(self.store, name, item)
        index = queue_index.current_index(self.store)
        for queue_ in index.queues.values():
            for draw in queue_.waiting_draws():
                may = active if draw.audience is None else [n for n in active if index.admits(draw.audience, n)]
                assert all(index.is_closed_to(draw, name) for name in may), "an item waits for ever"


Steering.TestCase.settings = hypothesis.settings(max_examples=5, stateful_step_count=22)
TestSteering = pytest.mark.slow(Steering.TestCase)


def test_what_cannot_be_given_is_refused_at_its_bounds() -> None:
    for chosen, message in (
        (Selection(number=0), "0 items cannot be given: give 1 or more."),
        (Selection(share=0.0), "0% of the items cannot be given: give more than 0 % and at most 100 %."),
        (Selection(share=1.01), "101% of the items cannot be given: give more than 0 % and at most 100 %."),
    ):
        with pytest.raises(BadInput) as refused:
            chosen.check("review")
        assert str(refused.value) == message
    for good in (Selection(number=1), Selection(share=0.01), Selection(share=1.0), Selection(items=("a",))):
        assert good.check("review") is good
    with pytest.raises(BadInput, match="chosen one by one"):
        Selection(items=("a",)).check("audit")
    assert ALL.check("audit") is ALL
