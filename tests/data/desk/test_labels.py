"""Saving answers: idempotent, never on the wrong item, corrected by adding, blind as the store says it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from data.annotators import annotators
from data.desk import desk, labels
from data.queue import queue
from data.queue.queue import OfferedItem, QueueFilters
from data.records import people
from data.records.datasets import dataset_named
from data.store import Store
from data.store.errors import NotAllowed, NotFound
from data.store.ids import new_id, now
from tests import seeds

CELL = ("turn:1", "helpfulness")


class Bench:
    """A workspace with ten dialogues, judged, of which `audit` are drawn (a fifth of them assisted)."""

    def __init__(self, folder: Path, audit: int = 0, review: bool = True) -> None:
        items = [seeds.dialogue(n) for n in range(1, 11)]
        replies = [seeds.judgment(i, seeds.reply(i, helpfulness=1)) for i in items]
        self.store: Store = seeds.workspace(
            folder / "a.duckdb", [*items, *replies], names=("lea", "ann", "ben"), audit=audit, review=review
        )
        self.dataset = dataset_named(self.store, "demo").id
        self.judge = self.store.rows("select id from judge")[0][0]

    def give(self, stream: queue.Stream = "review", person: str = "ann", n: int = 10) -> list[OfferedItem]:
        return queue.claim_items(self.store, person, self.dataset, stream, QueueFilters(), [], n)

    def answer(self, target: OfferedItem | str, person: str = "ann", **fields: Any) -> dict[str, Any]:
        item, draw = (target, None) if isinstance(target, str) else (target.item, target.draw)
        values = fields.pop("values", {CELL: 4.0})
        return {
            "key": new_id(), "person": person, "action": "save", "item": item, "claim": draw, "judge": self.judge,
            "version": "", "notes": [], "ms": 5000,
            "values": [{"unit": u, "dimension": d, "v": v, "saw": True, "seen": 1.0} for (u, d), v in values.items()],
            **fields,
        }  # fmt: skip

    def save(self, *answers: Any, person: str = "ann") -> tuple[list[labels.SavedAnswer], list[labels.RefusedAnswer]]:
        return labels.save_answers(self.store, person, list(answers))

    def ok(self, answer: dict[str, Any]) -> str:
        saved, refused = self.save(answer, person=answer["person"])
        assert [s.key for s in saved] == [answer["key"]], refused
        return str(answer["key"])

    def why(self, answer: Any, person: str = "ann") -> str:
        before = self.store.newest()
        saved, refused = self.save(answer, person=person)
        assert not saved and len(refused) == 1
        assert self.store.newest() == before, "what is refused leaves nothing"
        return refused[0].why

    def now(self, item: str, person: str = "ann") -> list[tuple[Any, ...]]:
        return self.store.rows(
            "select unit, dimension, value, mode from label_now where item_id = $1 and annotator = $2 order by 1, 2, 4",
            [item, person],
        )


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    bench.store.close()


def test_a_save_is_a_row_per_cell_with_what_was_seen(bench: Bench) -> None:
    item = bench.give()[0]
    key = bench.ok(bench.answer(item, values={CELL: 4.0, ("conversation", "verdict"): 1.0}))
    rows = bench.store.rows(
        "select unit, dimension, value, annotator, mode, draw_id, judge_id, saw, seen, replaces, withdrawn, answer_id "
        "from label order by unit"
    )
    rest = ("ann", "assisted", item.draw, bench.judge, True, 1.0, None, False, key)
    assert rows == [("conversation", "verdict", 1.0, *rest), (*CELL, 4.0, *rest)]


def test_what_was_accepted_without_having_been_on_screen_is_stored_as_such_and_counted(bench: Bench) -> None:
    item = bench.give()[0]
    answer = bench.answer(item, values={CELL: 4.0, ("conversation", "verdict"): 1.0})
    answer["values"][1]["unseen"] = True
    bench.ok(answer)
    rows = bench.store.rows("select dimension, unseen from label_now order by 2")
    assert rows == [(CELL[1], False), ("verdict", True)]
    [work] = annotators.own_labelling(bench.store, "ann").values()
    assert (work.scores_kept, work.unseen, work.overlooked) == (1, 1, 1.0)


def test_notes_stay_in_the_order_in_which_they_were_written(bench: Bench) -> None:
    texts = [f"{n}" for n in range(12)]
    item = bench.give()[0]
    bench.ok(bench.answer(item, notes=[{"unit": "turn:1", "sort": "comment", "text": text} for text in texts]))
    assert [text for *_, text in desk.open_item(bench.store, "ann", item.item).comments] == texts


def test_the_same_key_again_is_acknowledged_and_not_written(bench: Bench) -> None:
    answer = bench.answer(bench.give()[0])
    bench.ok(answer)
    before = bench.store.newest()
    bench.ok(answer)
    saved, refused = bench.save(answer, answer, answer)
    assert (len(saved), refused) == (3, [])
    assert bench.store.newest() == before
    assert "somebody else" in bench.why({**answer, "person": "ben"}, person="ben")


def test_a_key_is_acknowledged_for_the_very_answer_that_was_saved_under_it(bench: Bench) -> None:
    one, two = bench.give(n=2)
    other = ("turn:2", "safety")
    note = [{"unit": "turn:1", "sort": "issue", "text": "wrong date"}]
    better = [{"unit": "turn:1", "text": "On Monday."}]
    first = bench.answer(one, values={CELL: 4.0, other: 5.0}, notes=note, repairs=better)
    bench.ok(first)
    values = first["values"]
    for changed in (
        {"item": two.item}, {"item": "no such item"}, {"action": "skip"}, {"version": "an-older-one"},
        {"reason": "too long"}, {"values": [{**values[0], "v": 5.0}, values[1]]}, {"values": values[:1]},
        {"values": [{**values[0], "v": 9.0}, values[1]]}, {"values": [{**values[0], "v": None}, values[1]]},
        {"values": [*values, {"unit": "turn:3", "dimension": "safety", "v": 5.0}]}, {"notes": []}, {"notes": note * 2},
        {"values": [*values, {"unit": "turn:9", "dimension": "safety", "v": 5.0}]}, {"repairs": []},
    ):  # fmt: skip
        assert "Another answer was saved under the same key" in bench.why({**first, **changed}), changed
    # a later answer says nothing of the cell that did not change, but its own content is known all the same
    second = bench.answer(one, version=first["key"], values={CELL: 2.0, other: 5.0})
    third = bench.answer(one, version=second["key"], values={CELL: 2.0, other: 3.0})
    for answer in (second, third, first, second, third):
        bench.ok(answer)
    assert "Another answer" in bench.why({**third, "values": [{**third["values"][0], "v": 4.0}, third["values"][1]]})


def test_an_answer_that_comes_again_is_known_although_the_clock_was_set_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = bench.give(n=1)[0]
    first = bench.answer(item, values={CELL: 4.0, ("turn:2", "safety"): 5.0})
    bench.ok(first)
    monkeypatch.setattr(labels, "now", lambda: now() - timedelta(hours=1))
    second = bench.answer(item, version=first["key"], values={CELL: 2.0, ("turn:2", "safety"): 5.0})
    for answer in (second, second, first):
        bench.ok(answer)


def test_of_one_message_as_much_is_taken_as_may_be_and_the_rest_comes_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = bench.give(n=3)
    answers = [bench.answer(item, key=f"key-{n:06}") for n, item in enumerate(items)]
    many = [*answers, *({**answers[0], "key": f"no-{n:08}", "item": "nowhere"} for n in range(20_000))]
    sizes: list[int] = []
    tx = bench.store.tx

    def counting_tx(actor: str, action: str, work: Any, target: str = "") -> Any:
        sizes.append(int(target))
        return tx(actor, action, work, target)

    monkeypatch.setattr(bench.store, "tx", counting_tx)
    saved, refused = bench.save(*many)
    assert len(saved) == 3 and len(refused) == labels.MAX_ANSWERS_PER_MESSAGE - 3, (
        "what lies beyond is neither saved nor refused"
    )
    assert sum(sizes) == labels.MAX_ANSWERS_PER_MESSAGE and max(sizes) <= labels.MAX_ANSWERS_PER_TRANSACTION, (
        "others write between the pieces"
    )
    monkeypatch.setattr(labels, "MAX_ENTRIES", 3)
    monkeypatch.setattr(labels, "MAX_CHARACTERS", 10)
    more = [bench.answer(item, version=a["key"], values={CELL: 2.0, ("turn:2", "safety"): 5.0})
            for item, a in zip(items, answers, strict=True)]  # fmt: skip
    for left in (more, more[1:], more[2:]):
        saved, refused = bench.save(*left)
        assert [s.key for s in saved] == [left[0]["key"]] and not refused
    long = [{"unit": "", "sort": "comment", "text": "x" * 11}]
    assert "too large to be saved" in bench.why(bench.answer("anything", notes=long))
    repairs = [{"unit": "turn:1", "text": "y" * 6}]
    for letters, large in ((5, True), (4, False)):
        notes = [{**long[0], "text": "x" * letters}]
        assert ("too large" in bench.why(bench.answer("anything", notes=notes, repairs=repairs))) is large
    values = {("turn:1", f"{n}"): 1 for n in range(4)}
    assert "too large to be saved" in bench.why(bench.answer("anything", values=values))


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("\ud800") | st.just("\0"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(junk=st.dictionaries(st.sampled_from([*labels.DeskAnswer.model_fields]), JUNK, max_size=4), whole=JUNK)
def test_whatever_comes_for_an_answer_gets_a_sentence(bench: Bench, junk: dict[str, Any], whole: Any) -> None:
    before = bench.store.newest()
    answer = bench.answer("no such item") | junk
    saved, refused = bench.save(answer, whole)
    assert (len(saved), len(refused)) == (0, 2) and all(r.why and len(r.why) < 500 for r in refused)
    assert bench.store.newest() == before


def test_answers_of_a_batch_are_taken_one_by_one(bench: Bench) -> None:
    one, two, three = bench.give(n=3)
    good, bad, last = bench.answer(one), bench.answer(two, values={CELL: 9.0}), bench.answer(three)
    saved, refused = bench.save(good, bad, last)
    assert [s.key for s in saved] == [good["key"], last["key"]]
    assert [(r.key, r.item) for r in refused] == [(bad["key"], two.item)]
    assert "1 to 5" in refused[0].why
    assert bench.store.rows("select count(*) from answer") == [(2,)]


def test_a_correction_replaces_just_what_changed(bench: Bench) -> None:
    item = bench.give()[0]
    other = ("turn:2", "safety")
    first = bench.ok(bench.answer(item, values={CELL: 4.0, other: 5.0}))
    second = bench.ok(bench.answer(item, version=first, values={CELL: 2.0, other: 5.0}))
    assert bench.now(item.item) == [(*CELL, 2.0, "assisted"), (*other, 5.0, "assisted")]
    assert bench.store.rows("select count(*) from label") == [(3,)]
    # a cell that is not in the answer any more is withdrawn, by a row
    bench.ok(bench.answer(item, version=second, values={other: 5.0}))
    assert bench.now(item.item) == [(*other, 5.0, "assisted")]
    assert bench.store.rows("select count(*), sum(case when withdrawn then 1 else 0 end) from label") == [(4, 1)]


def test_a_correction_in_the_same_batch_goes_by_its_version(bench: Bench) -> None:
    item = bench.give()[0]
    first = bench.answer(item)
    second = bench.answer(item, version=first["key"], values={CELL: 2.0})
    saved, refused = bench.save(first, second)
    assert (len(saved), refused) == (2, [])
    assert bench.now(item.item) == [(*CELL, 2.0, "assisted")]


@pytest.mark.parametrize("version", ["", "00000000-no-such-answer"])
def test_an_answer_on_an_old_state_is_refused(bench: Bench, version: str) -> None:
    item = bench.give()[0]
    bench.ok(bench.answer(item))
    assert "another tab" in bench.why(bench.answer(item, version=version))
    assert bench.now(item.item) == [(*CELL, 4.0, "assisted")]


def test_a_version_where_there_is_no_answer_yet_is_refused(bench: Bench) -> None:
    assert "another tab" in bench.why(bench.answer(bench.give()[0], version="12345678-somebody-elses"))


def test_the_same_cell_twice_in_one_answer_counts_once(bench: Bench) -> None:
    item = bench.give()[0]
    answer = bench.answer(item)
    answer["values"] += [{"unit": CELL[0], "dimension": CELL[1], "v": 2.0}]
    bench.ok(answer)
    assert bench.now(item.item) == [(*CELL, 2.0, "assisted")]


def test_a_skip_withdraws_what_was_answered_and_keeps_the_reason(bench: Bench) -> None:
    item = bench.give()[0]
    first = bench.ok(bench.answer(item))
    bench.ok(bench.answer(item, version=first, action="skip", values={}, reason="not my language"))
    assert bench.now(item.item) == []
    assert bench.store.rows("select action, reason from answer_now") == [("skip", "not my language")]
    again = bench.store.rows("select id from answer_now")[0][0]
    bench.ok(bench.answer(item, version=again))
    assert bench.now(item.item) == [(*CELL, 4.0, "assisted")], "the same values count again"


def test_two_people_do_not_touch_each_other(bench: Bench) -> None:
    item = bench.give()[0]
    bench.ok(bench.answer(item))
    bench.ok(bench.answer(item, person="ben", values={CELL: 1.0}))
    assert bench.now(item.item) == [(*CELL, 4.0, "assisted")]
    assert bench.now(item.item, "ben") == [(*CELL, 1.0, "assisted")]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"values": {("turn:9", "helpfulness"): 3.0}}, "no turn:9"),
        ({"values": {("turn:1", "charm"): 3.0}}, "no card asks"),
        ({"values": {CELL: 0.0}}, "1 to 5"),
        ({"values": {CELL: 2.5}}, "1 to 5"),
        ({"values": {CELL: None}}, "n/a"),
        ({"values": {CELL: float("nan")}}, "unreadable"),
        ({"values": {("conversation", "verdict"): float("inf")}}, "unreadable"),
        (
            {"values": {("conversation", "verdict"): 4.0}},
            "verdict of conversation: 4 is not on the scale: allowed are poor, borderline, good, excellent.",
        ),
        ({"values": {("conversation", "verdict"): -1.0}}, "-1 is not on the scale"),
        ({"values": {("conversation", "verdict"): 1.5}}, "1.5 is not on the scale"),
        ({"values": {("conversation", "weakest_turn"): 9.0}}, "assistant turn"),
        ({"values": {}}, "nothing to save"),
        ({"item": "nowhere"}, "no such item"),
        ({"person": "ben"}, "signed in"),
        ({"judge": "nobody's"}, "a judge that is not in this workspace"),
        ({"action": "delete"}, "unreadable"),
        ({"key": "short"}, "unreadable"),
        ({"key": "'; drop table label; --"}, "unreadable"),
        ({"values": {("x" * 99, "helpfulness"): 3.0}}, "unreadable"),
        ({"notes": [{"unit": "", "sort": "rumour", "text": "x"}]}, "unreadable"),
        ({"notes": [{"unit": "", "sort": "issue", "text": "x" * 20_001}]}, "unreadable"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(bench: Bench, change: dict[str, Any], says: str) -> None:
    why = bench.why(bench.answer(bench.give()[0], **change))
    assert says in why
    assert why.endswith(".")


def test_texts_of_an_answer_have_their_longest() -> None:
    answer = {"key": "k" * 8, "person": "ann", "action": "save", "item": "i"}
    for model, fields, longest in (
        (labels.AnswerValue, {"dimension": "d", "v": 1.0, "unit": ""}, {"unit": 40}),
        (labels.AnswerNote, {"sort": "issue", "unit": "", "text": ""}, {"unit": 40, "text": 20_000}),
        (labels.AnswerRepair, {"unit": "", "text": ""}, {"unit": 40, "text": labels.MAX_CHARACTERS}),
        (labels.DeskAnswer, answer, {"key": 80, "reason": 2_000}),
    ):
        for name, most in longest.items():
            assert getattr(model.model_validate({**fields, name: "x" * most}), name) == "x" * most
            with pytest.raises(ValidationError):
                model.model_validate({**fields, name: "x" * (most + 1)})


@pytest.mark.parametrize("rubbish", [None, 7, "text", [], {}, {"key": {"a": 1}}])
def test_rubbish_is_refused_too(bench: Bench, rubbish: Any) -> None:
    assert "unreadable" in bench.why(rubbish)


def test_answers_that_mean_none_and_not_applicable(bench: Bench) -> None:
    item = bench.give()[0]
    bench.ok(
        bench.answer(item, values={("conversation", "weakest_turn"): None, ("conversation", "repair_handling"): None})
    )
    assert bench.now(item.item) == [
        ("conversation", "repair_handling", None, "assisted"),
        ("conversation", "weakest_turn", 0.0, "assisted"),
    ]


def test_notes_of_the_answer_that_holds(bench: Bench) -> None:
    item = bench.give()[0]
    notes = [
        {"unit": "turn:1", "sort": "issue", "text": " half an emoji \ud83d, a NUL \0, 返金 "},
        {"unit": "", "sort": "comment", "text": "  "},
    ]
    first = bench.ok(bench.answer(item, notes=notes))
    assert bench.store.rows("select unit, sort, text, person from comment_now") == [
        ("turn:1", "issue", "half an emoji ?, a NUL \ufffd, 返金", "ann")
    ]
    bench.ok(bench.answer(item, version=first, notes=[]))
    assert bench.store.rows("select * from comment_now") == []
    assert bench.store.rows("select count(*) from comment") == [(1,)]


def test_times_are_kept_within_reason(bench: Bench) -> None:
    one, two = bench.give(n=2)
    bench.ok(bench.answer(one, ms=-5))
    bench.ok(bench.answer(two, ms=10**12))
    assert bench.store.rows("select milliseconds from answer order by 1") == [(0,), (3_600_000,)]


def test_only_people_who_may_label(bench: Bench) -> None:
    item = bench.give()[0]
    people.set_person(bench.store, "lea", "ann", "annotator", active=False)
    before = bench.store.newest()
    for person in ("ann", "nobody"):
        with pytest.raises(NotAllowed):
            bench.save(bench.answer(item, person=person), person=person)
    assert bench.store.newest() == before
    assert labels.save_answers(bench.store, "nobody", []) == ([], [])


# -- blind ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def audit_bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, audit=10)
    yield bench
    bench.store.close()


def blind(bench: Bench) -> OfferedItem:
    return next(g for g in bench.give("audit") if g.mode == "blind")


def test_a_blind_draw_gives_blind_labels_whatever_the_browser_says_it_saw(audit_bench: Bench) -> None:
    item = blind(audit_bench)
    audit_bench.ok(audit_bench.answer(item, mode="assisted"))
    assert audit_bench.store.rows("select mode, saw, seen from label") == [("blind", False, None)]


def test_an_assisted_draw_gives_assisted_labels(audit_bench: Bench) -> None:
    item = next(g for g in audit_bench.give("audit") if g.mode == "assisted")
    audit_bench.ok(audit_bench.answer(item))
    assert audit_bench.store.rows("select mode, saw, seen from label") == [("assisted", True, 1.0)]


def test_an_item_opened_by_its_link_is_as_blind_as_its_draw(audit_bench: Bench) -> None:
    item = blind(audit_bench)
    assert desk.open_item(audit_bench.store, "ben", item.item).mode == "blind"
    audit_bench.ok(audit_bench.answer(item.item, person="ben"))
    assert audit_bench.now(item.item, "ben") == [(*CELL, 4.0, "blind")]
    assert audit_bench.store.rows("select draw_id from answer") == [(item.draw,)], "it counts for the audit sample"


def test_a_claim_of_another_item_is_not_believed(audit_bench: Bench) -> None:
    item = blind(audit_bench)
    other = next(g for g in audit_bench.give("audit") if g.mode == "assisted")
    audit_bench.ok(audit_bench.answer(item, claim=other.draw))
    assert audit_bench.now(item.item) == [(*CELL, 4.0, "blind")]


def test_nothing_is_revealed_before_the_answer(audit_bench: Bench) -> None:
    item = blind(audit_bench)
    with pytest.raises(NotFound):
        desk.reveal_judges(audit_bench.store, "ann", item.item)
    audit_bench.ok(audit_bench.answer(item))
    with pytest.raises(NotFound):
        desk.reveal_judges(audit_bench.store, "ben", item.item)
    assert desk.open_item(audit_bench.store, "ann", item.item).scores == {}
    desk.reveal_judges(audit_bench.store, "ann", item.item)
    desk.reveal_judges(audit_bench.store, "ann", item.item)
    assert audit_bench.store.rows("select count(*) from exposure where route = 'asked for'") == [(1,)]
    assert desk.open_item(audit_bench.store, "ann", item.item).scores != {}
    assert desk.open_item(audit_bench.store, "ben", item.item).scores == {}


def test_what_is_changed_after_the_reveal_stands_beside_the_blind_label(audit_bench: Bench) -> None:
    item = blind(audit_bench)
    first = audit_bench.ok(audit_bench.answer(item, values={CELL: 4.0, ("turn:2", "safety"): 5.0}))
    desk.reveal_judges(audit_bench.store, "ann", item.item)
    change = audit_bench.answer(item, version=first, values={CELL: 1.0, ("turn:2", "safety"): 5.0})
    second = audit_bench.ok(change)
    assert audit_bench.ok(change) == second, "sent again, it is the answer that was saved"
    assert audit_bench.now(item.item) == [
        (*CELL, 4.0, "blind"),
        (*CELL, 1.0, "revealed"),
        ("turn:2", "safety", 5.0, "blind"),
    ]
    assert desk.open_item(audit_bench.store, "ann", item.item).own_answers[CELL] == 1.0
    # and back to nothing: only the revealed one can be withdrawn
    audit_bench.ok(audit_bench.answer(item, version=second, values={("turn:2", "safety"): 5.0}))
    assert audit_bench.now(item.item) == [(*CELL, 4.0, "blind"), ("turn:2", "safety", 5.0, "blind")]


def test_a_correction_before_the_reveal_is_still_blind(audit_bench: Bench) -> None:
    item = blind(audit_bench)
    first = audit_bench.ok(audit_bench.answer(item))
    audit_bench.ok(audit_bench.answer(item, version=first, values={CELL: 2.0}))
    assert audit_bench.now(item.item) == [(*CELL, 2.0, "blind")]


def test_an_answer_given_in_view_of_the_judge_never_becomes_blind_by_a_later_draw(bench: Bench) -> None:
    item = bench.give()[0]
    first = bench.ok(bench.answer(item))
    queue.draw_audit(bench.store, "lea", bench.dataset, 10, "", 1)
    view = desk.open_item(bench.store, "ann", item.item)
    assert (view.mode, view.draw) == ("assisted", item.draw)
    assert desk.open_item(bench.store, "ben", item.item).mode == "blind"
    audit = bench.store.rows("select id from draw where stream = 'audit' and item_id = $1", [item.item])[0][0]
    for claim in (item.draw, audit, None):
        first = bench.ok(bench.answer(item, claim=claim, version=first, values={CELL: 2.0}))
        assert bench.now(item.item) == [(*CELL, 2.0, "assisted")]
    assert bench.store.rows("select distinct draw_id from answer") == [(item.draw,)]


def test_nor_does_one_that_was_opened_by_its_link(tmp_path: Path) -> None:
    bench = Bench(tmp_path, review=False)
    item = bench.store.rows("select id from item limit 1")[0][0]
    first = bench.ok(bench.answer(item))
    queue.draw_audit(bench.store, "lea", bench.dataset, 10, "", 1)
    assert desk.open_item(bench.store, "ann", item).mode == "assisted"
    bench.ok(bench.answer(item, version=first, values={CELL: 2.0}))
    assert bench.now(item) == [(*CELL, 2.0, "assisted")]
    assert bench.store.rows("select distinct draw_id from answer") == [("",)]
    bench.store.close()


def test_a_better_turn_is_kept_with_the_answer_and_goes_with_it(bench: Bench) -> None:
    item = bench.give()[0]
    first = bench.ok(bench.answer(item, repairs=[{"unit": "turn:2", "text": " 返金\n\nします。\0 "}]))
    assert desk.open_item(bench.store, "ann", item.item).repairs == {"turn:2": "返金\n\nします。\ufffd"}
    assert bench.store.rows("select item_id, unit, person from repair_now") == [(item.item, "turn:2", "ann")]
    assert desk.open_item(bench.store, "ben", item.item).repairs == {}, "everybody's own"
    bench.ok(bench.answer(item, version=first, repairs=[{"unit": "turn:1", "text": " "}]))
    assert desk.open_item(bench.store, "ann", item.item).repairs == {}
    assert bench.store.rows("select count(*) from repair_now") == [(0,)]
    assert bench.store.rows("select count(*) from repair") == [(1,)], "nothing is ever taken out"


def test_only_turns_and_responses_can_be_written_better(bench: Bench) -> None:
    item = bench.give()[0]
    for unit in ("conversation", "turn:9", "response", "section:1/a"):
        message = bench.why(bench.answer(item, repairs=[{"unit": unit, "text": "x"}]))
        assert message == f"{unit} cannot be written better: only an assistant's turn or a response can."
    assert "unreadable (repairs.0.text" in bench.why(
        bench.answer(item, repairs=[{"unit": "turn:1", "text": "x" * (labels.MAX_CHARACTERS + 1)}])
    )
