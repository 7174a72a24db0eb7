"""Giving out: atomic, overlapping, expiring, filtered, never twice; and drawing, with stored probabilities."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from data.desk import labels
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import listing, progress, queue
from data.queue.queue import QueueFilters, Stream
from data.records import datasets, exposure, people, queue_index, settings
from data.records.datasets import dataset_named
from data.records.settings import QueueRules
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed
from data.store.ids import new_id, now
from judges import triage
from tests import seeds
from tests.data.imports import source

NO_FILTERS = QueueFilters()


class Clock:
    """The time that the queue sees, which only goes on when it is told to."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.moment = now()
        for module in (queue, listing):
            patch.setattr(module, "now", lambda: self.moment)

    def on(self, minutes: float) -> None:
        self.moment += timedelta(minutes=minutes)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def doubtful(numbers: range) -> list[Any]:
    """Judged dialogues that all need a look: their verdict breaks its rule."""
    items = [seeds.dialogue(n, turns=1) for n in numbers]
    return [*items, *(seeds.judgment(i, seeds.reply(i, helpfulness=1, verdict="excellent")) for i in items)]


def make(folder: Path, count: int = 20, audit: int = 0, people_n: int = 3, review: bool = True) -> tuple[Store, str]:
    """A workspace of such dialogues, and the id of its dataset."""
    names = ("lea", *(f"p{n}" for n in range(people_n)))
    store = seeds.workspace(folder / "a.duckdb", doubtful(range(1, count + 1)), names=names, audit=audit, review=review)
    return store, dataset_named(store, "demo").id


def rules(store: Store, dataset: str, **changes: Any) -> None:
    settings.set_queue_rules(store, "lea", dataset, QueueRules(**changes))


def answer(store: Store, person: str, claim: queue.OfferedItem, action: str = "save", version: str = "") -> str:
    key = new_id()
    value = {"unit": "turn:1", "dimension": "helpfulness", "v": 3.0}
    saved, refused = labels.save_answers(
        store,
        person,
        [
            {"key": key, "person": person, "action": action, "item": claim.item, "claim": claim.draw,
             "version": version, "values": [value] if action == "save" else [], "ms": 5000}
        ],
    )  # fmt: skip
    assert saved, refused
    return key


def take(
    store: Store, person: str, dataset: str, n: int = 1, stream: Stream = "review", ids: tuple[str, ...] = ()
) -> list[queue.OfferedItem]:
    return queue.claim_items(store, person, dataset, stream, NO_FILTERS, ids, n)


def test_a_reload_goes_on_where_it_was(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path)
    first = take(store, "p0", dataset, 6)
    assert len(first) == 6
    assert take(store, "p0", dataset, 6) == first
    assert not {g.item for g in first} & {g.item for g in take(store, "p1", dataset, 6)}


def test_no_more_is_given_while_more_than_half_is_held(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path)
    items = [g.item for g in take(store, "p0", dataset, 6)]
    before = store.newest()
    assert take(store, "p0", dataset, 6, ids=tuple(items[2:])) == []
    assert store.newest() == before, "nothing was to be claimed, so nothing was written"
    more = take(store, "p0", dataset, 6, ids=tuple(items[3:]))
    assert len(more) == 6
    assert not {g.item for g in more} & set(items[3:])


def test_an_answer_ends_the_claim_and_the_item_never_comes_again(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=3)
    claims = take(store, "p0", dataset, 3)
    answer(store, "p0", claims[0])
    answer(store, "p0", claims[1], "skip")
    assert [g.item for g in take(store, "p0", dataset, 3)] == [claims[2].item]
    # the skipped one is open to others, the answered one is not
    clock.on(60)
    assert {g.item for g in take(store, "p1", dataset, 3)} == {claims[1].item, claims[2].item}


def test_overlap_gives_an_item_to_that_many_people(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=4)
    rules(store, dataset, overlap=2)
    assert [len(take(store, p, dataset, 4)) for p in ("p0", "p1", "p2")] == [4, 4, 0]
    for claim in take(store, "p0", dataset, 4):
        answer(store, "p0", claim)
    assert take(store, "p2", dataset, 4) == [], "p0 has answered and p1 holds"
    clock.on(31)
    assert len(take(store, "p2", dataset, 4)) == 4, "the claims of p1 are over, the answers of p0 are not"
    rules(store, dataset, overlap=1)
    assert [queue.count_open(store, p, dataset, "review") for p in ("p1", "p2")] == [0, 0]


def test_what_somebody_answered_of_the_sample_is_offered_to_others_only(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=3, audit=3)
    rules(store, dataset, overlap=2)
    for claim in take(store, "p0", dataset, 3, "audit"):
        answer(store, "p0", claim)
    assert [len(take(store, person, dataset, 3, "audit")) for person in ("p0", "p1")] == [0, 3]


def test_what_is_done_in_one_dataset_takes_nothing_from_another(tmp_path: Path, clock: Clock) -> None:
    store, demo = make(tmp_path, count=3)
    import_source(store, "lea", source(doubtful(range(11, 18))), ImportPlan("other"))
    other = dataset_named(store, "other").id
    queue.fill_review(store, "lea", other, datasets.dataset_judges(store, other)[0][0], limit=100)
    for dataset in (demo, other):
        rules(store, dataset, overlap=2)
    for claim in take(store, "p0", demo, 3):
        answer(store, "p0", claim)
    assert [queue.count_open(store, "p0", dataset, "review") for dataset in (demo, other)] == [0, 7]
    store.close()


def test_a_claim_expires_and_the_browser_that_still_shows_the_item_gets_it_back_if_it_is_free(
    tmp_path: Path, clock: Clock
) -> None:
    store, dataset = make(tmp_path, count=2)
    claims = take(store, "p0", dataset, 2)
    clock.on(29)
    assert take(store, "p1", dataset, 2) == []
    clock.on(2)
    assert [g.item for g in take(store, "p1", dataset, 1)] == [claims[0].item]
    take(store, "p0", dataset, 1, ids=(claims[0].item, claims[1].item))
    states = {r.item: r.state for r in listing.list_queue(store, "p0", dataset, "review", NO_FILTERS).rows}
    assert states == {claims[0].item: "reserved", claims[1].item: "reserved by you"}


def test_what_is_held_is_held_on_while_it_is_worked_at(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=2)
    items = tuple(g.item for g in take(store, "p0", dataset, 2))
    for _ in range(5):
        clock.on(20)
        assert take(store, "p0", dataset, 2, ids=items) == []
        assert take(store, "p1", dataset, 2) == []


def test_giving_back(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=3)
    claims = take(store, "p0", dataset, 3)
    answer(store, "p0", claims[0])
    assert queue.release_claims(store, "p0", dataset) == 2
    assert queue.release_claims(store, "p0", dataset) == 0
    clock.on(0.01)
    assert {g.item for g in take(store, "p1", dataset, 3)} == {claims[1].item, claims[2].item}


def test_an_answer_that_becomes_a_skip_opens_the_item_again_to_others(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=1)
    claim = take(store, "p0", dataset)[0]
    key = answer(store, "p0", claim)
    assert queue.count_open(store, "p1", dataset, "review") == 0
    answer(store, "p0", claim, "skip", version=key)
    assert queue.count_open(store, "p1", dataset, "review") == 1
    assert queue.count_open(store, "p0", dataset, "review") == 0
    states = [listing.list_queue(store, person, dataset, "review", NO_FILTERS).states for person in ("p0", "p1")]
    assert states == [{"skipped by you": 1}, {"to label": 1}]


def test_an_item_is_given_out_again_although_many_were_closed_since(tmp_path: Path, clock: Clock) -> None:
    """A long queue forgets what was closed; what is opened again has to come back, in its place."""
    store, dataset = make(tmp_path, count=260)
    assert queue.count_open(store, "p1", dataset, "review") == 260
    columns = (
        "id, dataset_id, item_id, draw_id, person, judge_id, action, mode, reason, previous, milliseconds, made_at"
    )
    drawn = store.rows("select id, item_id from draw order by priority, id")

    def put(answers: list[tuple[Any, ...]], action: str) -> list[str]:
        keys = [new_id() for _ in answers]
        rows = [(key, dataset, item, draw, "p0", "", action, "assisted", "", previous, 5000, clock.moment)
                for key, (draw, item, previous) in zip(keys, answers, strict=True)]  # fmt: skip
        store.tx("p0", "label", lambda tx: tx.add("answer", columns, rows))
        return keys

    keys = put([(*row, "") for row in drawn], "save")
    assert take(store, "p1", dataset) == [] and queue.count_open(store, "p1", dataset, "review") == 0
    put([(*drawn[n], keys[n]) for n in (150, 7)], "skip")
    assert queue.count_open(store, "p1", dataset, "review") == 2
    assert [claim.item for claim in take(store, "p1", dataset, 8)] == [drawn[7][1], drawn[150][1]]


def test_a_rule_of_another_sort_leaves_the_overlap_as_it_is(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=1)
    rules(store, dataset, overlap=2)
    answer(store, "p0", take(store, "p0", dataset)[0])
    settings.set_gold_rule(store, "lea", dataset, settings.GoldRule("median", 1))
    assert queue.count_open(store, "p1", dataset, "review") == 1, "two people are still asked for"


@pytest.mark.parametrize("first", ["audit", "review"])
def test_what_the_audit_has_drawn_is_reserved_whoever_fills_first(tmp_path: Path, clock: Clock, first: str) -> None:
    store, dataset = make(tmp_path, count=10, audit=8 if first == "audit" else 0, review=False)
    judge = datasets.dataset_judges(store, dataset)[0][0]
    if first == "audit":
        assert queue.plan_review(store, dataset, judge) == (2, {"broken rule": 2, "no confidence": 2}, 8)
    count = queue.fill_review(store, "lea", dataset, judge)
    if first == "review":
        queue.draw_audit(store, "lea", dataset, 8, judge, seed=1)
    assert count == (2 if first == "audit" else 10)
    drawn = {r[0] for r in store.rows("select item_id from draw where stream = 'audit'")}
    assert not drawn & {g.item for g in take(store, "p1", dataset, 10)}, (
        "neither those to be answered blind nor the rest"
    )
    assert queue.count_open(store, "p1", dataset, "review") == 2
    states = Counter(r.state for r in listing.list_queue(store, "p1", dataset, "review", NO_FILTERS).rows)
    assert states == {"reserved by you": 2} | ({"in audit sample": 8} if first == "review" else {})
    flagged = [triage.audit_flag(item, "turn:1", "helpfulness", 0.5) for item in sorted(drawn)]
    assert queue.take_flagged(store, "lea", dataset, judge, flagged) == ((0, 0, 8) if first == "audit" else (0, 8, 0))
    for claim in take(store, "p0", dataset, 10, "audit"):
        answer(store, "p0", claim)
    queue.release_claims(store, "p1", dataset)
    clock.on(0.01)
    assert queue.fill_review(store, "lea", dataset, judge) == (8 if first == "audit" else 0), (
        "what is answered may go on"
    )
    assert queue.count_open(store, "p1", dataset, "review") == 10
    assert queue.count_open(store, "p0", dataset, "review") == 2, "never the same item twice, in whichever stream"


def test_items_that_everybody_was_shown_are_told_before_a_sample_is_drawn(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=10, people_n=1)
    for claim in take(store, "p0", dataset, 4):
        exposure.record_exposures(store, "p0", {claim.item: [claim.judge]}, "review desk")
    assert queue.count_known_to_all(store, dataset) == 0, "lea has seen none of them"
    for claim in take(store, "p0", dataset, 4):
        exposure.record_exposures(store, "lea", {claim.item: [claim.judge]}, "report")
    assert queue.count_known_to_all(store, dataset) == 4
    queue.draw_audit(store, "lea", dataset, 10, "", seed=1)
    assert (queue.count_known_to_all(store, dataset), queue.count_stranded(store, dataset)) == (0, 4)


def test_a_blind_item_shows_nothing_of_the_judge_in_any_list(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=10)
    queue.draw_audit(store, "lea", dataset, 8, datasets.dataset_judges(store, dataset)[0][0], seed=1)
    audit = listing.list_queue(store, "p0", dataset, "audit", NO_FILTERS).rows
    assert {r.mode for r in audit} == {"blind", "assisted"}
    assert all(r.judge == "" and r.reasons == () for r in audit if r.mode == "blind")
    assert all(r.judge == "judge-one" for r in audit if r.mode == "assisted")
    blind = {str(item) for (item,) in store.rows("select item_id from draw where stream = 'audit' and mode = 'blind'")}
    assert exposure.blind_pending(store, "p0") == blind
    # nor of the system under test, by a column or a search, nor of a stratum or probability that a score may have made
    assert all(bool(r.systems) == (r.mode != "blind") for r in audit)
    assert all((r.stratum, r.probability) == ("", None) for r in audit if r.mode == "blind")
    shares = sorted((r.stratum, r.probability) for r in audit if r.mode != "blind")
    assert shares == [("model-x", 1 / 3), ("model-y", 1 / 4)], "one of the three of x, and one of the four of y"
    named = listing.list_queue(store, "p0", dataset, "audit", NO_FILTERS, search="MODEL-").rows
    assert named and {r.mode for r in named} == {"assisted"}
    assert [r.name for r in listing.list_queue(store, "p0", dataset, "audit", NO_FILTERS, search=audit[3].name).rows]
    # a search reads texts, not how they are stored; nor is a hidden system a way to narrow what is given out
    for words, matches in (("role", False), ("model-x", False), ('"turns":', False), ("User SAYS  thing", True)):
        blind = [
            r
            for r in listing.list_queue(store, "p0", dataset, "audit", NO_FILTERS, search=words).rows
            if r.mode == "blind"
        ]
        assert bool(blind) == matches, words
    audited = len(listing.list_queue(store, "p0", dataset, "audit", NO_FILTERS).rows)
    for system in ("model-x", "model-none"):
        assert queue.count_open(store, "p0", dataset, "audit", QueueFilters(system=system)) == audited
        assert len(queue.claim_items(store, "p0", dataset, "audit", QueueFilters(system=system), [], 20)) == audited
    review = listing.list_queue(store, "p0", dataset, "review", NO_FILTERS).rows
    assert all(bool(r.reasons) == (r.state != "in audit sample") for r in review)
    # nor can a filter be asked which of them have a reason
    narrowed = listing.list_queue(store, "p0", dataset, "review", QueueFilters(reason="broken rule"))
    assert narrowed.total == 2
    assert "in audit sample" not in narrowed.states


def test_own_open_claims_come_first_even_when_more_needed_items_come_in(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=4)
    claims = take(store, "p0", dataset, 2)
    item = store.rows("select id from item limit 1")[0][0]
    store.tx("lea", "fill", lambda tx: tx.add(
        "draw", "id, dataset_id, item_id, stream, mode, judge_id, stratum, probability, priority, reasons",
        [(new_id(), dataset, f"x{n}", "review", "assisted", "", "", None, -9.0, "[]") for n in range(9)],
    ))  # fmt: skip
    assert item
    assert take(store, "p0", dataset, 2) == claims


def test_a_draw_of_no_judge_names_none_and_a_list_goes_by_its_places(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=4)
    [claim] = take(store, "p0", dataset)
    answer(store, "p0", claim)
    columns = "id, dataset_id, item_id, stream, mode, judge_id, stratum, probability, priority, reasons"
    row = (new_id(), dataset, claim.item, "review", "assisted", "", "", None, 9.0, "[]")
    store.tx("lea", "fill", lambda tx: tx.add("draw", columns, [row]))
    listed = listing.list_queue(store, "p0", dataset, "review", NO_FILTERS)
    assert [(r.place, r.judge, r.probability, r.stratum) for r in listed.rows] == [
        *((n, "judge-one", None, "") for n in range(1, 5)), (5, "", None, "")
    ]  # fmt: skip
    assert (listed.total, listed.drawn, listed.left, listed.answered, listed.full) == (5, 5, 3, 1, 1)
    parts: list[tuple[listing.State | None, int, int, list[int]]] = [
        (None, 0, 2, [1, 2]), (None, 3, 9, [4, 5]), ("to label", 1, 1, [3]), ("answered by you", 0, 9, [1]),
        ("reserved", 0, 9, []),
    ]  # fmt: skip
    for state, skip, most, places in parts:
        part = listing.list_queue(store, "p0", dataset, "review", NO_FILTERS, state, skip, most)
        assert [r.place for r in part.rows] == places
        count = 5 if state is None else listed.states.get(state, 0)
        assert (part.total, part.states) == (count, listed.states)


def test_filters(tmp_path: Path, clock: Clock) -> None:
    store, dataset = make(tmp_path, count=12)
    judge = store.rows("select id from judge")[0][0]
    for filters, n in (
        (QueueFilters(system="model-x"), 4),
        (QueueFilters(system="model-x' or 1 = 1 --"), 0),
        (QueueFilters(judge=judge), 12),
        (QueueFilters(judge="other"), 0),
        (QueueFilters(dimension="verdict"), 12),
        (QueueFilters(reason="broken rule"), 12),
        (QueueFilters(reason="low confidence"), 0),
        (QueueFilters(dimension="verdict", reason="broken rule"), 12),
        (QueueFilters(dimension="verdict", reason="low confidence"), 0),
        (QueueFilters(dimension="verd"), 0),
        (QueueFilters(system="model-x", judge=judge, dimension="verdict", reason="broken rule"), 4),
    ):
        assert queue.count_open(store, "p0", dataset, "review", filters) == n, filters
        assert listing.list_queue(store, "p0", dataset, "review", filters).total == n
    claims = queue.claim_items(store, "p0", dataset, "review", QueueFilters(system="model-x"), [], 9)
    assert len(claims) == 4
    # what the browser holds from before the filter was set does not count as enough
    assert (
        len(
            queue.claim_items(
                store, "p0", dataset, "review", QueueFilters(system="model-y"), [g.item for g in claims], 6
            )
        )
        == 4
    )


def test_judges_of_one_name_are_told_apart_in_a_filter(tmp_path: Path) -> None:
    items = [seeds.dialogue(1, turns=1)]
    rows = [seeds.judgment(items[0]), {**seeds.judgment(items[0]), "params": {"temperature": 1}}]
    store = seeds.workspace(tmp_path / "a.duckdb", [*items, *rows, seeds.judgment(items[0], model="judge-two")])
    options = queue.filter_options(store, dataset_named(store, "demo").id)
    names = dict(store.rows("select id, model from judge"))
    assert options.judge == {
        judge: f"judge-one ({judge[:6]})" if model == "judge-one" else "judge-two" for judge, model in names.items()
    }
    assert len(options.judge) == 3 and options.system == {"model-y": "model-y"}
    assert options.dimension["weakest_turn"] == "weakest turn" and options.reason["broken rule"] == "broken rule"


def test_a_dimension_and_a_reason_must_belong_together(tmp_path: Path) -> None:
    store, dataset = make(tmp_path, count=1, review=False)
    item = store.rows("select id from item")[0][0]
    reasons = (
        '[{"dimension":"safety","kind":"low confidence","strength":0.2,"text":"t","unit":"turn:1"},'
        '{"dimension":"verdict","kind":"broken rule","strength":0.8,"text":"\\"kind\\":\\"unscored\\"","unit":""}]'
    )
    row = (new_id(), dataset, item, "review", "assisted", "", "", None, 0.0, reasons)
    columns = "id, dataset_id, item_id, stream, mode, judge_id, stratum, probability, priority, reasons"
    store.tx("lea", "fill", lambda tx: tx.add("draw", columns, [row]))
    waits = lambda d, r: queue.count_open(  # noqa: E731
        store, "p0", dataset, "review", QueueFilters(dimension=d, reason=r)
    )
    assert waits("safety", "low confidence") == waits("verdict", "broken rule") == 1
    assert waits("safety", "broken rule") == waits("verdict", "low confidence") == waits("", "unscored") == 0


def test_filters_know_of_draws_that_came_after_them(tmp_path: Path) -> None:
    store, dataset = make(tmp_path, count=12, review=False)
    judge = store.rows("select id from judge")[0][0]
    assert queue.count_open(store, "p0", dataset, "review", QueueFilters(system="model-x")) == 0
    queue.fill_review(store, "lea", dataset, judge)
    assert queue.count_open(store, "p0", dataset, "review", QueueFilters(system="model-x")) == 4


# -- races --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("overlap", [1, 3])
def test_twenty_threads_claim_at_once_and_nobody_gets_more_than_the_overlap_allows(
    tmp_path: Path, overlap: int
) -> None:
    store, dataset = make(tmp_path, count=60, people_n=20)
    rules(store, dataset, overlap=overlap)
    gate, item_ids = threading.Barrier(20), [[] for _ in range(20)]  # type: ignore[var-annotated]
    failed: list[BaseException] = []

    def work(n: int) -> None:
        try:
            gate.wait()
            hand: list[queue.OfferedItem] = []
            for _ in range(12):
                claims = queue.claim_items(store, f"p{n}", dataset, "review", NO_FILTERS, [g.item for g in hand], 4)
                item_ids[n] += [g.item for g in claims]
                hand += claims
                if hand:
                    answer(store, f"p{n}", hand.pop(0))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed, failed[0]
    counts = Counter(item for ids in item_ids for item in set(ids))
    assert max(counts.values()) <= overlap
    assert len(counts) == 60, "all of it was given out"
    answered = store.rows("select item_id, count(distinct person) from answer group by item_id")
    assert all(n <= overlap for _, n in answered)
    assert all(len(ids) == len(set(ids)) for ids in item_ids), "nobody is given an item twice"
    same_as_read_anew(store)


def same_as_read_anew(store: Store) -> None:
    """The board that was kept up to date says the same as one that reads every row for the first time."""
    current, new = queue_index.current_index(store), queue_index.QueueIndex()
    new.follow(store)
    assert current.seq == new.seq
    for name, one in current.queues.items():
        two = new.queues[name]
        assert [d.id for d in one.all] == [d.id for d in two.all]
        assert (one.open, one.answered) == (two.open, two.answered)
        assert [d.id for d in one.waiting_draws()] == [d.id for d in two.waiting_draws()]
    for draw in current.draws.values():
        other = new.draws[draw.id]
        assert (draw.answered_by, draw.closed, draw.holders) == (other.answered_by, other.closed, other.holders)


# -- against a plain reading of DESIGN 5 ----------------------------------------------------------------------------


class Plainly:
    """The rows as they stand, and who may have which item, worked out from them in the most literal way."""

    def __init__(self, store: Store, dataset: str) -> None:
        answers = store.rows("select id, item_id, draw_id, person, action, previous from answer")
        replaced = {a[5] for a in answers}
        self.answers = answers
        self.standing = [a for a in answers if a[0] not in replaced]
        self.claims: dict[tuple[str, str], datetime] = {}
        for draw, holder, until, _ in store.rows("select draw_id, person, until, seq from claim order by seq, id"):
            self.claims[draw, holder] = until
        self.draws = store.rows("select id, item_id, stream, mode from draw where dataset_id = $1", [dataset])

    def open(self, person: str, stream: str, moment: datetime, overlap: int) -> set[str]:
        """The items of a queue that are open to a person."""
        answers, draws = self.answers, self.draws
        savers = {d[0]: {a[3] for a in self.standing if a[2] == d[0] and a[4] == "save"} for d in draws}
        out = set()
        for draw, item, its_stream, _ in draws:
            if its_stream != stream or any(a[1] == item and a[3] == person for a in answers):
                continue
            holders = {
                holder for (d, holder), until in self.claims.items()
                if d == draw and until > moment and holder != person
                and not any(a[1] == item and a[3] == holder for a in answers)
            }  # fmt: skip
            blind = [d[0] for d in draws if d[1] == item and d[2] == "audit" and d[3] == "blind"]
            waits = stream == "review" and any(len(savers[b]) < overlap for b in blind)
            if len(savers[draw] | holders) < overlap and not waits:
                out.add(item)
        return out


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_any_course_of_events_gives_what_a_plain_reading_gives(tmp_path: Path, clock: Clock, seed: int) -> None:
    store, dataset = make(tmp_path, count=12, audit=5, people_n=4, review=False)
    rng, judge, overlap = random.Random(seed), store.rows("select id from judge")[0][0], 1
    hands: dict[tuple[str, Stream], list[queue.OfferedItem]] = {
        (f"p{n}", s): [] for n in range(4) for s in ("audit", "review")
    }
    last: dict[tuple[str, str], str] = {}
    for step in range(70):
        person, stream = rng.choice(list(hands))
        hand = hands[person, stream]
        match rng.choice("ccccaaaaaasRdft"):
            case "c":
                hand += queue.claim_items(
                    store, person, dataset, stream, NO_FILTERS, [g.item for g in hand], rng.choice([1, 2, 3])
                )
            case "a" | "s" if hand:
                claim = hand.pop(rng.randrange(len(hand)))
                if (person, claim.item) not in last:
                    last[person, claim.item] = answer(
                        store, person, claim, rng.choice(["save", "save", "save", "skip"])
                    )
            case "s" if last:
                (author, item), key = rng.choice(list(last.items()))
                rows = store.rows("select draw_id, action from answer where id = $1", [key])
                turned = "skip" if rows[0][1] == "save" else "save"
                last[author, item] = answer(
                    store, author, queue.OfferedItem(rows[0][0], item, "review", "blind", "", ()), turned, key
                )
            case "R":
                queue.release_claims(store, person, dataset)
                hand.clear()
            case "d":
                queue.draw_audit(store, "lea", dataset, 2, judge, step)
            case "f":
                queue.fill_review(store, "lea", dataset, judge, 3)
            case "t":
                clock.on(rng.choice([1, 12, 40]))
                if rng.random() < 0.3:
                    overlap = rng.choice([1, 2, 3])
                    rules(store, dataset, overlap=overlap)
        clock.on(0.001)
        before, rows_now = store.newest(), Plainly(store, dataset)
        for author in ("p0", "p3"):
            for queue_name in ("audit", "review"):
                plain = rows_now.open(author, queue_name, clock.moment, overlap)
                assert queue.count_open(store, author, dataset, queue_name) == len(plain), (seed, step)
                listed = listing.list_queue(store, author, dataset, queue_name, NO_FILTERS)
                open_items = {r.item for r in listed.rows if r.state in ("to label", "reserved by you")}
                assert open_items == plain, (seed, step)
                done, states = progress.queue_progress(store, dataset, queue_name), listed.states
                assert (listed.drawn, listed.left, listed.answered) == (done.drawn, len(plain), done.answered)
                if overlap == 1:  # every draw is in one state, and those with an answer in two of them
                    assert states.get("answered", 0) + states.get("answered by you", 0) == done.answered, (seed, step)
        assert store.newest() == before, "looking writes nothing"
    same_as_read_anew(store)


# -- drawing ------------------------------------------------------------------------------------------------------


def test_the_stored_probabilities_are_those_of_the_newest_draw_in_every_part(tmp_path: Path) -> None:
    store, dataset = make(tmp_path, count=30, review=False)
    judge = store.rows("select id from judge")[0][0]
    assert queue.draw_audit(store, "lea", dataset, 9, judge, 1) == 9
    assert queue.draw_audit(store, "lea", dataset, 6, "", 2) == 6
    rows = store.rows(
        "select d.stratum, d.mode, count(*), min(d.probability), max(d.probability), "
        "(select count(*) from item i where i.system_a = d.stratum) from draw_now d group by d.stratum, d.mode"
    )
    assert sum(r[2] for r in rows) == 15
    for _, _, n, low, high, size in rows:
        assert low == high == pytest.approx(n / size)
    assert sum(r[2] for r in rows if r[1] == "assisted") == 2  # round(.2 * 9), and none of a draw without a judge


def test_items_that_came_in_after_a_draw_are_strata_of_their_own(tmp_path: Path) -> None:
    from data.importing.files.source import from_path
    from data.importing.importing import import_source as take_in
    from data.importing.plan import ImportPlan

    store, dataset = make(tmp_path, count=6, review=False)
    queue.draw_audit(store, "lea", dataset, 3, "", 1)
    more = [seeds.dialogue(n, turns=1) for n in range(7, 19)]
    take_in(store, "lea", from_path(seeds.lines(tmp_path / "more.jsonl", more)), ImportPlan(dataset="demo"))
    shares = queue.plan_audit(store, dataset, 6, "")
    assert {s.stratum: (s.items, s.before) for s in shares} == {
        "model-x": (2, 1), "model-y": (2, 1), "model-z": (2, 1),
        "model-x (added later, 1)": (4, 0), "model-y (added later, 1)": (4, 0), "model-z (added later, 1)": (4, 0),
    }  # fmt: skip
    assert queue.draw_audit(store, "lea", dataset, 6, "", 2) == 6


def test_the_plan_is_what_the_draw_does(tmp_path: Path) -> None:
    store, dataset = make(tmp_path, count=30, review=False)
    judge = store.rows("select id from judge")[0][0]
    planned = queue.plan_audit(store, dataset, 10, judge)
    queue.draw_audit(store, "lea", dataset, 10, judge, 5)
    drawn = {
        (s, m): (n, p)
        for s, m, n, p in store.rows(
            "select stratum, mode, count(*), max(probability) from draw group by stratum, mode"
        )
    }
    for share in planned:
        assert drawn[share.stratum, "blind"] == (share.now - share.now_assisted, pytest.approx(share.blind))
        if share.now_assisted:
            assert drawn[share.stratum, "assisted"] == (share.now_assisted, pytest.approx(share.assisted))


def test_filling_takes_what_the_plan_says_and_only_once(tmp_path: Path) -> None:
    store, dataset = make(tmp_path, count=10, review=False)
    judge = store.rows("select id from judge")[0][0]
    n, kinds, _ = queue.plan_review(store, dataset, judge, 6)
    assert (n, kinds["broken rule"]) == (6, 6)
    assert queue.fill_review(store, "lea", dataset, judge, 1) == 1
    assert queue.fill_review(store, "lea", dataset, judge, 6) == 6
    assert queue.fill_review(store, "lea", dataset, judge, 6) == 3
    assert queue.fill_review(store, "lea", dataset, judge, 6) == 0
    assert store.rows("select item_id from draw group by item_id having count(*) > 1") == []


def test_only_researchers_draw_and_sizes_are_checked(tmp_path: Path) -> None:
    store, dataset = make(tmp_path, count=3, review=False)
    judge = store.rows("select id from judge")[0][0]
    before = store.newest()
    for refused in (
        lambda: queue.draw_audit(store, "p0", dataset, 1, judge, 1),
        lambda: queue.fill_review(store, "p0", dataset, judge),
        lambda: queue.draw_audit(store, "nobody", dataset, 1, judge, 1),
        lambda: queue.claim_items(store, "nobody", dataset, "review", NO_FILTERS, [], 1),
        lambda: queue.release_claims(store, "nobody", dataset),
    ):
        with pytest.raises(NotAllowed):
            refused()
    for bad in (0, -1, 1_000_001):
        with pytest.raises(BadInput):
            queue.draw_audit(store, "lea", dataset, bad, judge, 1)
        with pytest.raises(BadInput):
            queue.fill_review(store, "lea", dataset, judge, bad)
    assert store.newest() == before


def test_somebody_who_was_let_go_is_given_nothing_more(tmp_path: Path) -> None:
    store, dataset = make(tmp_path, count=3)
    take(store, "p0", dataset, 2)
    people.set_person(store, "lea", "p0", "annotator", active=False)
    with pytest.raises(NotAllowed):
        take(store, "p0", dataset, 2)


# -- the list -----------------------------------------------------------------------------------------------------


def test_the_list_goes_by_pages_and_counts_all(tmp_path: Path) -> None:
    store, dataset = make(tmp_path, count=25)
    claims = take(store, "p0", dataset, 2)
    answer(store, "p0", claims[0])
    first = listing.list_queue(store, "p1", dataset, "review", NO_FILTERS, limit=10)
    assert (first.total, len(first.rows)) == (25, 10)
    assert first.states == {"to label": 23, "reserved": 1, "answered": 1}
    assert next(r for r in first.rows if r.item == claims[1].item).holders == ("p0",)
    places = [
        r.place
        for skip in (0, 10, 20)
        for r in listing.list_queue(store, "p1", dataset, "review", NO_FILTERS, skip=skip, limit=10).rows
    ]
    assert places == list(range(1, 26))
    reserved = listing.list_queue(store, "p1", dataset, "review", NO_FILTERS, state="reserved")
    assert (reserved.total, [r.item for r in reserved.rows]) == (1, [claims[1].item])
    assert listing.list_queue(store, "p1", dataset, "audit", NO_FILTERS).rows == []


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str]]:
    """5,000 draws and 20,000 answers of 40 people."""
    store = open_store(f"duckdb:///{tmp_path_factory.mktemp('large') / 'a.duckdb'}")
    people.join_workspace(store, "lea")
    for n in range(40):
        people.join_workspace(store, f"p{n}")
    rng = random.Random(1)

    def work(tx: Any) -> None:
        tx.add("dataset", "id, name, description, synthetic", [("d", "large", "", True)])
        tx.add("setting", "id, scope, name, value", [(new_id(), "d", "queue", '{"overlap":8}')])
        tx.add(
            "draw", "id, dataset_id, item_id, stream, mode, judge_id, stratum, probability, priority, reasons",
            [(f"w{n}", "d", f"i{n}", "audit", "blind", "", "s", 0.5, float(n), "[]") for n in range(5000)],
        )  # fmt: skip
        pairs = rng.sample([(n, p) for n in range(4000) for p in range(40)], 20_000)
        tx.add(
            "answer",
            "id, dataset_id, item_id, draw_id, person, judge_id, action, mode, reason, previous, milliseconds, made_at",
            [
                (
                    new_id(),
                    "d",
                    f"i{n}",
                    f"w{n}",
                    f"p{p}",
                    "",
                    "save",
                    "blind",
                    "",
                    "",
                    9000,
                    now() - timedelta(hours=1),
                )
                for n, p in pairs
            ],
        )

    store.tx("lea", "fill", work)
    yield store, "d"
    store.close()


@pytest.mark.slow
def test_it_is_fast_with_5000_draws_and_20000_answers(large: tuple[Store, str]) -> None:
    """Processor time: a claim with nothing new, and a count of what waits, 15 ms at most (far below when idle)."""
    import time

    store, dataset = large
    items = [g.item for g in queue.claim_items(store, "p0", dataset, "audit", NO_FILTERS, [], 6)]
    for work in (
        lambda: queue.claim_items(store, "p0", dataset, "audit", NO_FILTERS, items, 6),
        lambda: queue.count_open(store, "p0", dataset, "audit"),
    ):
        spent = []
        for _ in range(7):
            start = time.thread_time()
            work()
            spent.append(time.thread_time() - start)
        assert min(spent) < 0.015
