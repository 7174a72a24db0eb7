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
from tests.data.queue.test_queue import answer, same_as_read_anew

ANY, ALL = QueueFilters(), Selection()
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
def made(tmp_path: Path) -> Iterator[tuple[Store, str]]:
    store, found = workspace(tmp_path / "a.duckdb")
    yield store, found
    same_as_read_anew(store)
    store.close()


def give(store: Store, found: str, chosen: Selection = ALL, stream: queue.Stream = "review", **terms: Any) -> Any:
    return assignments.assign(store, "rex", found, stream, chosen, AssignmentTerms(**terms))


def work_counts(store: Store, found: str, person: str) -> WorkCount:
    index = queue_index.current_index(store)
    with index.lock:
        return assignments.count_work(index, person, index.assignments_of(found, "review", person))


def take(store: Store, person: str, found: str, n: int = 99, stream: queue.Stream = "review") -> list[queue.GivenItem]:
    return queue.claim_items(store, person, found, stream, ANY, [], n)


def states(store: Store, person: str, found: str) -> Counter[str]:
    return Counter(r.state for r in listing.list_queue(store, person, found, "review", ANY).rows)


def draws(given: list[queue.GivenItem]) -> list[str]:
    return [g.draw for g in given]


def test_what_is_reserved_is_offered_to_one_person_first_and_to_nobody_else(made: tuple[Store, str]) -> None:
    store, found = made
    order = [d.id for d in queue_index.current_index(store).queues[found, "review"].all]
    plan = give(store, found, Selection("language", "ja"), people=("ann",))
    mine = plan.shares["ann"]
    assert len(mine) == 4 and plan.lacking == 0
    assert [queue.count_open(store, who, found, "review") for who in ("ann", "ben")] == [12, 8]
    assert states(store, "cyd", found) == {"reserved": 4, "to label": 8}
    assert states(store, "ann", found) == {"to label": 12}
    assert not set(draws(take(store, "ben", found, 3))) & set(mine)
    assert draws(take(store, "ann", found, 5))[:4] == [d for d in order if d in mine], "assigned first, in their order"
    assert states(store, "cyd", found) == {"reserved": 8, "to label": 4}


def test_by_a_link_nobody_answers_what_is_reserved_for_others(made: tuple[Store, str]) -> None:
    store, found = made
    [held] = take(store, "ben", found, 1)
    settings.set_queue_rules(store, "lea", found, QueueRules(overlap=2))
    give(store, found, people=("ann",))
    [other] = [d for d in draws(take(store, "ann", found)) if d != held.draw][:1]
    view = desk.open_item(store, "ben", queue_index.current_index(store).draws[other].item)
    assert view.draw == other and view.why == (
        "opened by its link; reserved for ann: an answer of yours is not saved",
    )
    before = store.newest()
    with pytest.raises(AssertionError, match="This item is reserved for ann"):
        answer(store, "ben", queue.GivenItem(other, view.item.id, "review", "assisted", ""))
    assert store.newest() == before and desk.open_item(store, "ann", view.item.id).why == ("opened by its link",)
    answer(store, "ben", held)  # what the desk gave him before it was reserved is not lost


def test_an_answer_may_be_corrected_though_its_item_was_reserved_for_another_since(made: tuple[Store, str]) -> None:
    store, found = made
    settings.set_queue_rules(store, "lea", found, QueueRules(overlap=2))
    draw = queue_index.current_index(store).queues[found, "review"].all[0]
    opened = queue.GivenItem(draw.id, draw.item, "review", "assisted", "")  # by its link: ann never held it
    key = answer(store, "ann", opened)
    give(store, found, people=("ben",))
    assert queue_index.current_index(store).describe_reservation(draw.id, "ann") == "ben"
    answer(store, "ann", opened, version=key)
    assert store.rows("select count(*) from answer_now where person = 'ann'") == [(1,)]


def test_what_is_preferred_goes_to_others_once_they_have_nothing_else(made: tuple[Store, str]) -> None:
    store, found = made
    mine = give(store, found, Selection(number=3), people=("ann",), reserved=False).shares["ann"]
    given = draws(take(store, "ben", found))
    assert len(given) == 12 and given[-3:] == mine
    assert take(store, "ann", found) == [], "ben has them all"


def test_priority_then_due_date_then_the_queue(made: tuple[Store, str]) -> None:
    store, found = made
    soon, later = now() + timedelta(days=1), now() + timedelta(days=9)
    low = give(store, found, Selection(number=2), people=("ann",), priority=3).shares["ann"]
    far = give(store, found, Selection(number=2), people=("ann",), due=later).shares["ann"]
    near = give(store, found, Selection(number=2), people=("ann",), due=soon).shares["ann"]
    high = give(store, found, Selection(number=2), people=("ann",), priority=1).shares["ann"]
    assert draws(take(store, "ann", found))[:8] == [*high, *near, *far, *low]
    assert assignments.own_work(store, "ann", found, "review") == (8, 8, soon)
    assert assignments.own_work(store, "ben", found, "review") == (0, 0, None)
    there = assignments.current_assignments(store, found)
    assert [(a.priority, a.due, a.by, a.stream, a.chosen.number) for a in there] == [
        (1, None, "rex", "review", 2), (2, soon, "rex", "review", 2), (2, later, "rex", "review", 2),
        (3, None, "rex", "review", 2),
    ]  # fmt: skip
    assert assignments.current_assignments(store, found, "ben") == []


def test_notes_are_for_whom_they_are_and_go_with_the_work(made: tuple[Store, str]) -> None:
    store, found = made
    for note, priority in (("later", 3), ("first", 1), ("", 2), ("later", 3)):
        give(store, found, Selection(number=1), people=("ann",), priority=priority, note=note)
    give(store, found, Selection(number=1), people=("ben",), note="for ben")
    assert assignments.own_notes(store, "ann", found) == ["first", "later"]
    assert assignments.own_notes(store, "cyd", found) == assignments.own_notes(store, "ann", "another") == []
    answer(store, "ann", take(store, "ann", found, 1)[0])
    assert assignments.own_notes(store, "ann", found) == ["later"], "nothing is left of the first"
    fields = {"language": ["de", "en", "ja"]}
    assert assignments.selection_values(store, found, "audit") == fields
    assert assignments.selection_values(store, found, "review") == {**fields, "score": ["4", "5"]}


def test_notes_are_of_what_waits_in_either_queue(made: tuple[Store, str]) -> None:
    store, found = made
    queue.draw_audit(store, "lea", found, 3, "", seed=1)
    give(store, found, stream="audit", people=("ann",), note="without help")
    give(store, found, people=("ann",), note="with it")
    assert assignments.own_notes(store, "ann", found) == ["without help", "with it"]


def test_what_is_closed_is_opened_again_by_being_reserved_for_a_further_person_only(made: tuple[Store, str]) -> None:
    store, found = made
    tags.set_tags(store, "lea", "cyd", ["ja"])
    [given] = take(store, "ann", found, 1)
    answer(store, "ann", given)
    for terms in ({"people": ("ben", "cyd"), "reserved": False}, {"tag": "ja"}, {"tag": "ja", "reserved": False}):
        plan = assignments.plan_shares(store, found, "review", ALL, AssignmentTerms(overlap=2, **terms))  # type: ignore[arg-type]
        assert plan.items == 11 and given.draw not in {d for share in plan.shares.values() for d in share}, terms
    plan = assignments.plan_shares(store, found, "review", ALL, AssignmentTerms(people=("ben", "cyd"), overlap=2))
    assert plan.items == 12 and sum(given.draw in share for share in plan.shares.values()) == 1


def test_what_waits_in_the_audit_sample_is_not_given_from_the_review_queue(made: tuple[Store, str]) -> None:
    store, found = made
    queue.draw_audit(store, "lea", found, 3, "", seed=1)
    assert assignments.plan_shares(store, found, "review", ALL, AssignmentTerms(people=("ann",))).items == 9


def test_what_is_drawn_into_the_audit_sample_is_no_longer_given_to_who_holds_it(made: tuple[Store, str]) -> None:
    store, found = made
    held = take(store, "ann", found)
    queue.draw_audit(store, "lea", found, 5, "", seed=1)
    sample = {str(i) for (i,) in store.rows("select item_id from draw where stream = 'audit' and mode = 'blind'")}
    kept = {given.item for given in take(store, "ann", found)}
    assert len(held) == 12 and sample and kept == {given.item for given in held} - sample


def test_who_was_shown_the_judge_may_still_be_given_items_to_review_but_not_to_answer_blind(
    made: tuple[Store, str],
) -> None:
    store, found = made
    judge, items = store.rows("select id from judge")[0][0], [r[0] for r in store.rows("select id from item")]
    exposure.record_exposures(store, "ann", {item: [judge] for item in items}, "report")
    queue.draw_audit(store, "lea", found, 3, "", seed=1)
    for stream, items_, lacking in (("review", 9, 0), ("audit", 3, 3)):
        plan = assignments.plan_shares(store, found, stream, ALL, AssignmentTerms(people=("ann",)))  # type: ignore[arg-type]
        assert (plan.items, len(plan.shares["ann"]), plan.lacking) == (items_, items_ - lacking, lacking), stream


def test_a_fair_share_for_those_with_a_tag_two_people_an_item(made: tuple[Store, str]) -> None:
    store, found = made
    for name in TEAM:
        tags.set_tags(store, "lea", name, ["ja" if name != "cyd" else "de"])
    plan = give(store, found, Selection("language", "ja"), people=("ann", "ben"), overlap=2)
    assert {name: len(share) for name, share in plan.shares.items()} == {"ann": 4, "ben": 4}
    for given in take(store, "ann", found, 4):
        answer(store, "ann", given)
    assert len(set(draws(take(store, "ben", found))) & set(plan.shares["ben"])) == 4, "ben is asked though ann has"
    assert not set(draws(take(store, "cyd", found))) & set(plan.shares["ben"])


def test_a_tag_as_a_pool_lets_whoever_has_it_take_them(made: tuple[Store, str]) -> None:
    store, found = made
    with pytest.raises(NotFound):
        give(store, found, tag="ja")
    tags.set_tags(store, "lea", "ann", ["ja"])
    tags.set_tags(store, "lea", "ben", ["JA "])
    assert tags.all_tags(store)["ben"] == tags.PersonTags("ben", ("ja",), 1.0)
    pool = give(store, found, Selection("language", "ja"), tag="ja").shares[tags.assignee("ja")]
    assert states(store, "cyd", found) == {"reserved": 4, "to label": 8}
    one, two = draws(take(store, "ann", found, 2)), draws(take(store, "ben", found, 2))
    assert set(one) | set(two) == set(pool)
    assert queue.count_open(store, "cyd", found, "review") == 8
    tags.set_tags(store, "lea", "cyd", ["ja"])
    assert queue.count_open(store, "cyd", found, "review") == 8, "the four are held"
    people.set_person(store, "lea", "ann", "annotator", active=False)
    assert queue.count_open(store, "cyd", found, "review") == 10, "what somebody inactive holds is free at once"
    for name in ("ben", "cyd"):
        tags.set_tags(store, "lea", name, [])
    assert assignments.assigned_counts(store, found, "review") == (12, 8, {tags.assignee("ja"): 4})


def test_an_item_that_is_assigned_by_name_and_by_a_tag_is_one_item_of_work(made: tuple[Store, str]) -> None:
    store, found = made
    settings.set_queue_rules(store, "lea", found, QueueRules(overlap=2))
    tags.set_tags(store, "lea", "ann", ["日本語"])
    own = give(store, found, Selection(number=1), people=("ann",)).shares["ann"]
    [shared] = give(store, found, Selection(number=2), tag="日本語").shares.values()
    assert set(own) < set(shared)
    assert assignments.own_work(store, "ann", found, "review") == (2, 2, None)


def test_a_share_is_one_item_at_least(made: tuple[Store, str]) -> None:
    store, found = made
    assert len(give(store, found, Selection(share=0.01), people=("ann",)).shares["ann"]) == 1


def test_of_what_is_open_it_is_counted_what_nobody_is_asked_for_and_what_nobody_can_take(
    made: tuple[Store, str],
) -> None:
    store, found = made
    tags.set_tags(store, "lea", "cyd", ["ja"])
    pool = tags.assignee("ja")
    give(store, found, Selection(number=3), tag="ja")
    give(store, found, Selection(number=2), people=("ann",))
    give(store, found, Selection(number=1), people=("ben",), reserved=False)
    assert assignments.assigned_counts(store, found, "review") == (12, 6, {})
    people.set_person(store, "lea", "cyd", "annotator", active=False)
    assert assignments.assigned_counts(store, found, "review") == (12, 6, {pool: 3})
    answer(store, "ann", take(store, "ann", found, 1)[0])
    answer(store, "ben", take(store, "ben", found, 1)[0])
    assert assignments.assigned_counts(store, found, "review") == (10, 6, {pool: 3})
    assert assignments.assigned_counts(store, found, "audit") == (0, 0, {})


def test_who_takes_nothing_for_now_is_given_nothing_among_others(made: tuple[Store, str]) -> None:
    store, found = made
    for name in ("ann", "ben"):
        tags.set_tags(store, "lea", name, [], share=0.0)

    def shares(*names: str) -> dict[str, int]:
        plan = assignments.plan_shares(store, found, "review", ALL, AssignmentTerms(people=names))
        return {name: len(share) for name, share in plan.shares.items()}

    with pytest.raises(BadInput, match="All of these people take a share of 0 for now"):
        shares("ann", "ben")
    assert shares("ann") == {"ann": 12}, "who is chosen alone gets them all the same"
    assert shares("ann", "cyd") == {"ann": 0, "cyd": 12}
    people.set_person(store, "lea", "cyd", "annotator", active=False)
    with pytest.raises(BadInput, match="cyd is not active in this workspace"):
        shares("ann", "cyd")


def test_a_skip_gives_a_reserved_item_back_to_all(made: tuple[Store, str]) -> None:
    store, found = made
    [draw] = give(store, found, Selection(number=1), people=("ann",)).shares["ann"]
    [given] = take(store, "ann", found, 1)
    assert given.draw == draw
    answer(store, "ann", given, "skip")
    assert draw in draws(take(store, "ben", found))
    assert work_counts(store, found, "ann") == WorkCount(total=1, left=0, done=0, skipped=1)


def test_ending_and_deactivating_free_what_is_left_and_keep_what_is_done(made: tuple[Store, str]) -> None:
    store, found = made
    give(store, found, Selection(number=3), people=("ann",))
    give(store, found, Selection(number=3), people=("ben",))
    answer(store, "ann", take(store, "ann", found, 1)[0])
    assert queue.count_open(store, "cyd", found, "review") == 6
    people.set_person(store, "lea", "ben", "annotator", active=False)
    assert queue.count_open(store, "cyd", found, "review") == 9
    [one] = assignments.current_assignments(store, found, "ann")
    assignments.end_assignment(store, "rex", one.id)
    assert queue.count_open(store, "cyd", found, "review") == 11
    with pytest.raises(NotFound):
        assignments.end_assignment(store, "rex", one.id)
    people.set_person(store, "lea", "ben", "annotator")
    assert queue.count_open(store, "cyd", found, "review") == 8


def test_terms_change_by_a_new_row(made: tuple[Store, str]) -> None:
    store, found = made
    give(store, found, Selection(number=3), people=("ann",))
    [one] = assignments.current_assignments(store, found)
    assert one.reserved
    before = store.newest()
    assignments.change_assignment(store, "rex", one.id, True, 2, None, "")
    assert store.newest() == before, "nothing changed, so nothing was written"
    assignments.change_assignment(store, "rex", one.id, False, 1, datetime(2030, 1, 1), " first ")
    [new] = assignments.current_assignments(store, found)
    assert (new.reserved, new.priority, new.due, new.note) == (False, 1, datetime(2030, 1, 1), "first")
    assert queue.count_open(store, "ben", found, "review") == 12


def test_reassigning_moves_what_is_left_evenly_and_undo_brings_it_back(made: tuple[Store, str]) -> None:
    store, found = made
    give(store, found, people=("ann",), due=datetime(2030, 1, 1), priority=1)
    held = take(store, "ann", found, 5)
    answer(store, "ann", held[0])
    assert assignments.plan_reassignment(store, found, "ann", ("ben", "cyd"), 1).items == 11
    plan = assignments.reassign(store, "rex", found, "ann", ("ben", "cyd"), 1)
    assert sorted(len(share) for share in plan.shares.values()) == [5, 6]
    by = {one.assignee: one for one in assignments.current_assignments(store, found)}
    assert work_counts(store, found, "ann") == WorkCount(total=1, left=0, done=1, skipped=0)
    assert {(by[name].due, by[name].priority) for name in ("ben", "cyd")} == {(datetime(2030, 1, 1), 1)}
    assert set(draws(take(store, "ben", found))) == set(plan.shares["ben"]), "ann's claims on them are over"
    assert take(store, "ann", found) == []
    change = assignments.undoable_changes(store, found)[0]
    assert change[3:] == (11, 2, "ben")
    assignments.undo(store, "rex", found, change.revision)
    assert assignments.own_work(store, "ann", found, "review").left == 11
    with pytest.raises(BadInput):
        assignments.undo(store, "rex", found, change.revision)
    [first] = assignments.undoable_changes(store, found)
    assert first[3:] == (12, 1, "ann") and first.by == "rex"
    with pytest.raises(BadInput):
        assignments.undo(store, "rex", "another", first.revision)
    assignments.undo(store, "rex", found, first.revision)
    assert assignments.current_assignments(store, found) == []


@pytest.mark.parametrize("newest_first", [True, False])
def test_what_was_given_on_since_is_not_given_back_by_an_undo(made: tuple[Store, str], newest_first: bool) -> None:
    store, found = made
    give(store, found, people=("ann",))
    given = store.newest()
    for giver, taker in (("ann", "ben"), ("ben", "cyd")):
        assignments.reassign(store, "rex", found, giver, [taker], 1)
    changes = [c.revision for c in assignments.undoable_changes(store, found) if c.revision > given]
    for revision in changes if newest_first else changes[1:]:
        assignments.undo(store, "rex", found, revision)
    left = [assignments.own_work(store, person, found, "review").left for person in TEAM]
    assert left == ([12, 0, 0] if newest_first else [0, 0, 12]), "an item that one person is asked for is of one person"


def test_what_somebody_holds_of_work_that_was_offered_to_them_first_is_let_go_when_it_is_reassigned(
    made: tuple[Store, str],
) -> None:
    store, found = made
    give(store, found, people=("ann",), reserved=False)
    held = draws(take(store, "ann", found, 5))
    assert not set(held) & set(draws(take(store, "ben", found, 5)))
    plan = assignments.reassign(store, "rex", found, "ann", ("cyd",), 1)
    assert set(held) <= set(plan.shares["cyd"]) and set(held) <= set(draws(take(store, "cyd", found)))


def test_what_is_answered_held_or_assigned_is_not_given_again(made: tuple[Store, str]) -> None:
    store, found = made
    answer(store, "ann", take(store, "ann", found, 1)[0])
    take(store, "ben", found, 2)
    give(store, found, Selection(number=3), people=("ann",))
    plan = assignments.plan_shares(store, found, "review", ALL, AssignmentTerms(people=("cyd",)))
    assert (plan.items, len(plan.shares["cyd"])) == (6, 6)
    again = give(store, found, people=("ben", "cyd"), overlap=2)
    assert (again.items, again.lacking) == (12, 0), "with two people each all lack somebody"


def test_what_is_touched_while_work_is_planned_is_not_given(
    made: tuple[Store, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, found = made
    planned, between = assignments._plan, list[Any]()

    def plan(*args: Any) -> assignments.SharePlan:
        """Somebody acts between the planning and the lock."""
        made = planned(*args)
        if between:
            between.pop()()
        return made

    monkeypatch.setattr(assignments, "_plan", plan)
    touched = list[queue.GivenItem]()

    def work() -> None:
        touched.extend(take(store, "ben", found, 3))
        for one in touched[:2]:
            answer(store, "ben", one)

    between.append(work)
    given = give(store, found, Selection(number=6), people=("ann",)).shares["ann"]
    assert len(given) == 3 and not set(given) & set(draws(touched)), "two of six are answered by now, and one is held"
    assert not set(given) & set(draws(take(store, "ben", found)))
    queue.release_claims(store, "ben", found)

    def back() -> None:
        take(store, "ben", found)
        queue.release_claims(store, "ben", found)

    between.append(back)
    [left] = give(store, found, Selection(number=2), people=("cyd",)).shares.values()
    assert len(left) == 2, "what is held no more can be given"
    between.append(lambda: people.set_person(store, "lea", "cyd", "annotator", active=False))
    with pytest.raises(BadInput, match="cyd is not active"):
        give(store, found, people=("cyd",))


def test_a_second_answer_that_the_dataset_asks_for_can_be_assigned(made: tuple[Store, str]) -> None:
    store, found = made
    settings.set_queue_rules(store, "lea", found, QueueRules(overlap=2))
    for given in take(store, "ann", found):
        answer(store, "ann", given)
    assert len(give(store, found, Selection(share=0.5), people=("ben",)).shares["ben"]) == 6
    tags.set_tags(store, "lea", "cyd", ["ja"])
    assert len(give(store, found, tag="ja").shares[tags.assignee("ja")]) == 6, "the other six lack one still"
    with pytest.raises(BadInput):
        give(store, found, people=("rex",))


def test_who_labels_the_audit_sample_is_not_chosen_by_hand(tmp_path: Path) -> None:
    store, found = workspace(tmp_path / "a.duckdb", audit=6, review=False)
    chance = store.rows("select id, probability from draw order by id")
    some = tuple(str(r[0]) for r in store.rows("select item_id from draw limit 2"))
    with pytest.raises(BadInput, match="must not depend"):
        give(store, found, Selection(items=some), "audit", people=("ann",))
    with pytest.raises(BadInput, match="no field"):
        give(store, found, Selection("system", "model-x"), "audit", people=("ann",))
    with pytest.raises(BadInput, match="they may be scores"):
        give(store, found, Selection("score", "4"), "audit", people=("ann",))
    assert list(assignments.selection_values(store, found, "audit")) == ["language"]
    assert list(assignments.selection_values(store, found, "review")) == ["language", "score"]
    give(store, found, Selection("language", "ja"), "audit", people=("ann",))
    assert store.rows("select id, probability from draw order by id") == chance
    for given in take(store, "ann", found, 6, "audit"):
        answer(store, "ann", given)
    assert queue.count_open(store, "ben", found, "audit") == 0
    same_as_read_anew(store)


def test_what_cannot_be_given_is_refused(made: tuple[Store, str]) -> None:
    store, found = made
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
            give(store, found, chosen, **{"people": ("ann",), **terms})
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


def test_annotators_cannot_steer_and_researchers_cannot_tag(made: tuple[Store, str]) -> None:
    store, found = made
    give(store, found, Selection(number=1), people=("ann",))
    [one] = assignments.current_assignments(store, found)
    for act in (
        lambda: assignments.assign(store, "ann", found, "review", ALL, AssignmentTerms(people=("ann",))),
        lambda: assignments.change_assignment(store, "ann", one.id, True, 1, None, ""),
        lambda: assignments.end_assignment(store, "ann", one.id),
        lambda: assignments.reassign(store, "ann", found, "ann", ("ben",), 1),
        lambda: assignments.undo(store, "ann", found, assignments.undoable_changes(store, found)[0].revision),
        lambda: tags.set_tags(store, "rex", "ann", ["ja"]),
    ):
        with pytest.raises(NotAllowed):
            act()


# -- teams that behave badly ----------------------------------------------------------------------------------------


def test_a_team_of_which_one_leaves_one_skips_and_one_comes_late_gets_done(
    made: tuple[Store, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, found = made
    moment = now()
    for module in (queue, assignments):
        monkeypatch.setattr(module, "now", lambda: moment)
    shares = give(store, found, people=TEAM, seed=3).shares
    assert {len(share) for share in shares.values()} == {4}
    take(store, "ann", found, 4)  # ann goes away holding all of hers
    for given in take(store, "ben", found, 4):
        answer(store, "ben", given, "skip")
    skipped = set(shares["ben"])
    moment += timedelta(hours=3)  # cyd comes late, does their own, and what ben skipped
    for given in take(store, "cyd", found):
        answer(store, "cyd", given)
    assert take(store, "cyd", found) == [], "what ann has is reserved for ann, claims or not"
    assignments.reassign(store, "rex", found, "ann", ("ben", "cyd"), 1)
    for name in ("ben", "cyd"):
        for given in take(store, name, found):
            answer(store, name, given)
    there = queue_index.current_index(store)
    assert [d.id for d in there.queues[found, "review"].waiting_draws()] == []
    assert all(there.draws[draw].answered_by == {"cyd"} for draw in skipped)


# -- any course of events -------------------------------------------------------------------------------------------

WHO = st.sampled_from(TEAM)


class Steering(RuleBasedStateMachine):
    """People label, leave and come back while work is given to them, taken from them and given to others."""

    @initialize(overlap=st.sampled_from([1, 1, 2]))
    def begin(self, overlap: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store, self.found = workspace(Path(self.folder.name) / "a.duckdb", 9, audit=4)
        settings.set_queue_rules(self.store, "lea", self.found, QueueRules(overlap=overlap))
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
        who=st.lists(WHO, min_size=1, max_size=3, unique=True), reserved=st.booleans(), overlap=st.integers(1, 2),
        stream=st.sampled_from(["audit", "review"]), language=st.sampled_from(["", *LANGUAGES]), seed=st.integers(0, 9),
    )  # fmt: skip
    def assign(self, who: list[str], reserved: bool, overlap: int, stream: Any, language: str, seed: int) -> None:
        chosen = Selection("language" if language else "", language)
        terms = AssignmentTerms(tuple(who), overlap=overlap, reserved=reserved, priority=1 + seed % 3, seed=seed)
        try:
            plan = assignments.assign(self.store, "rex", self.found, stream, chosen, terms)
        except BadInput:
            return
        given = Counter(draw for share in plan.shares.values() for draw in share)
        assert max(given.values()) <= overlap

    @rule(tag=st.sampled_from(["ja", "de"]), reserved=st.booleans())
    def pool(self, tag: str, reserved: bool) -> None:
        try:
            give(self.store, self.found, Selection("language", tag), tag=tag, reserved=reserved)
        except (BadInput, NotFound):
            return

    @rule(who=WHO, tag=st.sampled_from(["", "ja", "de"]))
    def tag(self, who: str, tag: str) -> None:
        tags.set_tags(self.store, "lea", who, [tag] if tag else [])

    @rule(who=WHO, to=WHO, seed=st.integers(0, 9))
    def reassign(self, who: str, to: str, seed: int) -> None:
        try:
            assignments.reassign(self.store, "rex", self.found, who, (to,), seed)
        except BadInput:
            return

    @rule(n=st.integers(0, 9))
    def end(self, n: int) -> None:
        if there := assignments.current_assignments(self.store, self.found):
            assignments.end_assignment(self.store, "rex", there[n % len(there)].id)

    @rule()
    def undo(self) -> None:
        for change in assignments.undoable_changes(self.store, self.found)[:1]:
            assignments.undo(self.store, "rex", self.found, change.revision)

    @rule(who=WHO)
    def come_or_go(self, who: str) -> None:
        person = find_person(self.store, who)
        people.set_person(self.store, "lea", who, "annotator", active=not person.active)
        self.hands[who].clear()

    @rule(minutes=st.sampled_from([5, 40]))
    def wait(self, minutes: int) -> None:
        self.moment += timedelta(minutes=minutes)

    @rule(who=WHO, stream=st.sampled_from(["audit", "review"]), n=st.integers(1, 4))
    def claim(self, who: str, stream: Any, n: int) -> None:
        if not find_person(self.store, who).active:
            return
        waiting = queue.count_open(self.store, who, self.found, stream)
        given = queue.claim_items(self.store, who, self.found, stream, ANY, [], n)
        assert bool(given) == bool(waiting)
        for one in given:
            assert (who, one.item) not in self.answered, "nobody is given an item twice"
            named, own = self.reserved(one.draw)
            assert not named or who in named or own & set(self.tags_of(who)), "it is reserved for others"
            self.hands[who][one.item] = one

    @rule(who=WHO, action=st.sampled_from(["save", "save", "skip"]))
    def answer(self, who: str, action: str) -> None:
        if not self.hands[who] or not find_person(self.store, who).active:
            return
        _, given = self.hands[who].popitem()
        answer(self.store, who, given, action)
        self.answered.add((who, given.item))

    def tags_of(self, who: str) -> list[str]:
        return [tags.assignee(tag) for tag in tags.all_tags(self.store).get(who, tags.PersonTags(who)).tags]

    def reserved(self, draw: str) -> tuple[set[str], set[str]]:
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
        pools = {one for one in all_ if tags.is_tag(one)}
        return {n for n in all_ - pools if n in active and (n, item) not in self.answered} | pools, pools

    @invariant()
    def as_read_anew(self) -> None:
        if hasattr(self, "store"):
            same_as_read_anew(self.store)

    def drain(self) -> None:
        """Everybody who is active does all that they are offered: then nothing waits but what nobody may have."""
        here = [n for n in TEAM if find_person(self.store, n).active]
        self.moment += timedelta(hours=2)
        for _ in range(4):
            for name in here:
                for stream in ("audit", "review"):
                    for given in queue.claim_items(self.store, name, self.found, stream, ANY, [], 99):  # type: ignore[arg-type]
                        answer(self.store, name, given)
        there = queue_index.current_index(self.store)
        for queue_ in there.queues.values():
            for draw in queue_.waiting_draws():
                may = here if draw.audience is None else [n for n in here if there.admits(draw.audience, n)]
                assert all(there.is_closed_to(draw, name) for name in may), "an item waits for ever"


Steering.TestCase.settings = hypothesis.settings(max_examples=5, stateful_step_count=22)
TestSteering = Steering.TestCase


def test_what_cannot_be_given_is_refused_at_its_bounds() -> None:
    for chosen, said in (
        (Selection(number=0), "0 items cannot be given: give 1 or more."),
        (Selection(share=0.0), "0% of the items cannot be given: give more than 0 % and at most 100 %."),
        (Selection(share=1.01), "101% of the items cannot be given: give more than 0 % and at most 100 %."),
    ):
        with pytest.raises(BadInput) as refused:
            chosen.check("review")
        assert str(refused.value) == said
    for good in (Selection(number=1), Selection(share=0.01), Selection(share=1.0), Selection(items=("a",))):
        assert good.check("review") is good
    with pytest.raises(BadInput, match="chosen one by one"):
        Selection(items=("a",)).check("audit")
    assert ALL.check("audit") is ALL
