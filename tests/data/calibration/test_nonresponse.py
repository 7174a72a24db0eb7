"""Who answered: weights, what a decision makes of it, and the list of what nobody has answered."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import astuple, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.approvals import approvals, case, check_results, label_caveats, policy, suspension
from data.approvals.rules import Requirements
from data.calibration import calibration, labelled_items, nonresponse
from data.gold import excluded_items
from data.gold.gold import gold_sql
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import exposure, people, settings
from data.records.settings import QueueRules
from data.records.tables import AnswerRow, ClaimRow, DrawRow, IntakeRow, ItemRow, LabelRow
from data.store import open_store
from data.store.errors import BadInput, NotAllowed
from data.store.ids import content_id, new_id, now
from judges.cards import cards
from judges.stats.approval_check import CheckPolicy
from judges.stats.calibration import PairedRatings
from judges.stats.sampling import SampleDesign
from tests import seeds
from tests.bench.simulations import answered as sim
from tests.data.cells import Cell, fill

HELP = next(d for d in cards()["multi_turn_dialogue"].dimensions if d.name == "helpfulness")


@pytest.fixture
def w(tmp_path: Path) -> Iterator[sim.World]:
    world = sim.world(tmp_path / "a.duckdb", 1, items=90)
    yield world
    world.store.close()


def who_answered(w: sim.World) -> Any:
    return nonresponse.sample_responses(w.store, w.dataset, w.judge, [HELP], "gate")["turn", "helpfulness"]


def weights(w: sim.World) -> dict[str, set[float]]:
    cells = calibration.paired_cells_sql(w.store, w.dataset, w.judge, HELP, "gate")
    query = f"select i.system_a, m.weight from ({cells}) m join item i on i.id = m.item_id"
    by_system: dict[str, set[float]] = defaultdict(set)
    for system, weight in w.store.rows(query, [w.dataset, "helpfulness", w.judge]):
        by_system[str(system)].add(round(float(weight), 9))
    return by_system


# -- weights ----------------------------------------------------------------------------------------------------------


def test_an_item_stands_for_as_many_as_its_stratum_has_for_each_that_is_answered(w: sim.World) -> None:
    sim.draw(w)  # 21 of the 30 items of each system
    sim.work(w, "ann", system="x")
    sim.work(w, "ann", system="y", most=7)
    sim.work(w, "ann", system="z", most=1)
    assert weights(w) == {"x": {round(30 / 21, 9)}, "y": {round(30 / 7, 9)}, "z": {30.0}}
    # the same on the other ways: sums of large datasets, and the moments of corrected means
    ratings = calibration.load_paired_ratings(w.store, w.dataset, w.judge, HELP, "gate")
    sums = calibration.load_rating_sums(w.store, w.dataset, w.judge, [HELP], "gate")[0]
    assert isinstance(ratings, PairedRatings) and ratings.weight.sum() == pytest.approx(90) == sums.weight.sum()
    assert sums.mean_weight == pytest.approx((90, (ratings.weight**2).sum()))
    moments = labelled_items.labelled_items(w.store, w.dataset, w.judge, [HELP], ["gate"])["turn", "helpfulness"]
    assert {system: samples[0].weights[0] for system, samples in moments.items()} == pytest.approx(
        dict.fromkeys("xyz", 30)
    )
    before = check_results.fingerprint_cells(w.store, w.dataset, w.judge, HELP, "gate")
    sim.work(w, "ann", system="z", most=1)
    assert (
        weights(w)["z"] == {15.0}
        and check_results.fingerprint_cells(w.store, w.dataset, w.judge, HELP, "gate") != before
    )


def test_weights_of_a_few_labels_follow_who_answered_among_these(w: sim.World) -> None:
    sim.draw(w)
    sim.work(w, "ann")
    item_ids = [
        row[0]
        for row in w.store.rows(
            "select id from item where system_a = 'x' and id in (select item_id from label) limit 3"
        )
    ]
    item_ids += [
        row[0]
        for row in w.store.rows(
            "select id from item where system_a = 'y' and id in (select item_id from label) limit 5"
        )
    ]
    among = " and l.item_id in (" + ", ".join(f"'{i}'" for i in item_ids) + ")"
    query = gold_sql(HELP.sort, HELP.scale, "gate", settings.gold_rule(w.store, w.dataset), among)
    rows = w.store.rows(
        f"select i.system_a, g.weight from ({query}) g join item i on i.id = g.item_id", [w.dataset, "helpfulness"]
    )
    assert Counter(rows) == {("x", 10.0): 3, ("y", 6.0): 5}


def test_an_example_of_the_prompt_and_what_is_put_aside_do_not_count_as_answered(w: sim.World) -> None:
    sim.draw(w)
    excluded_ids = [
        row[0]
        for row in w.store.rows(
            "select d.item_id from draw d join item i on i.id = d.item_id where i.system_a = 'x' limit 6"
        )
    ]
    excluded_items.exclude_items(w.store, "lea", w.dataset, excluded_ids, "a prompt was tuned on them")
    sim.work(w, "ann")  # they are given out all the same, and count for nothing
    assert weights(w)["x"] == {2.0} and weights(w)["y"] == {round(30 / 21, 9)}
    assert [(s.name, round(s.items, 6), s.drawn, s.answered) for s in who_answered(w).strata] == [
        ("x", 30, 21, 15),
        ("y", 30, 21, 21),
        ("z", 30, 21, 21),
    ]


# -- decisions --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("pattern", sim.WAYS)
def test_nobody_is_approved_by_leaving_out_what_is_hard(pattern: str) -> None:
    outcome = sim.once(pattern, 1, good=pattern == "half a wave", min_items=15, items=150)
    assert outcome.state == "below minimum sample" and outcome.alone == "meets policy" and outcome.unanswered > 50


def test_what_is_drawn_is_answered_where_the_review_queue_is_worked_first(tmp_path: Path) -> None:
    outcome = sim.once("audit first", 1, items=126, min_items=12)
    assert outcome.unanswered == 0 and outcome.state == "fails" and outcome.kappa is not None and outcome.kappa < 0.5


@pytest.mark.parametrize(("people_n", "overlap"), [(2, 1), (2, 2), (3, 2)])
def test_what_one_person_saw_first_another_answers_or_it_is_told(tmp_path: Path, people_n: int, overlap: int) -> None:
    names = ("lea", *(f"p{n}" for n in range(people_n)))
    w = sim.world(tmp_path / "a.duckdb", 5, names=names, items=45)
    settings.set_queue_rules(w.store, "lea", w.dataset, QueueRules(overlap=overlap))
    queue.fill_review(w.store, "lea", w.dataset, w.judge, 45)
    for name in names[1:][: people_n - 1]:
        sim.work(w, name, "review", most=20)
    sim.draw(w)
    for name in names[1:]:
        sim.work(w, name)
    responses, left = who_answered(w), nonresponse.missing_answers(w.store, "lea", w.dataset, w.judge, HELP, "gate")
    assert responses.overall.drawn - responses.overall.answered == len(left) == (0 if people_n > overlap else len(left))
    assert {missing.why for missing in left} <= {"answered with the judge in view", "waiting"}
    labelled_ = {row[0] for row in w.store.rows("select item_id from label where mode = 'blind'")}
    drawn = {row[0] for row in w.store.rows("select item_id from draw where stream = 'audit'")}
    assert {missing.item for missing in left} == drawn - labelled_
    w.store.close()


@pytest.mark.slow
def test_a_further_draw_suspends_nothing_and_refuses_a_new_approval(tmp_path: Path) -> None:
    w = sim.world(tmp_path / "a.duckdb", 2, good=True, items=150)
    policy.set_requirements(w.store, "lea", Requirements(CheckPolicy(min_items=30)), "a small edition")
    sim.draw(w)
    sim.work(w, "ann")
    key = (w.dataset, w.judge, "turn", "helpfulness")
    approvals.record_decision(
        w.store, "lea", *key, "approve", "It agrees.", case.seen_mark(w.store, case.find_case(w.store, *key))
    )
    queue.draw_audit(w.store, "lea", w.dataset, 30, "", 3)
    assert suspension.suspend_unsupported(w.store) == [] and approvals.active_approvals(w.store, w.dataset)
    open_case = case.find_case(w.store, *key)
    assert open_case.result.check.state == "below minimum sample" and open_case.result.check.more == (18, 18)
    assert "30 of 135 drawn items are not answered" in open_case.objections[0]
    sim.work(w, "ann", most=28)
    assert case.find_case(w.store, *key).objections == []
    w.store.close()


def test_the_share_is_a_policy_on_record(w: sim.World) -> None:
    assert policy.requirements(w.store).answered == 0.9
    assert policy.from_stored({"policy": {}}).answered == 0, "nobody asked when older approvals were given"
    text = policy.explain_stricter(w.store, Requirements(answered=0.5), now())
    assert text.startswith("Approved under the first policy (required: kappa 0.50, 50% of the drawn items answered by ")
    assert text.endswith("today's policy requires kappa 0.50, 90% of the drawn items answered by people.")
    assert policy.is_looser(Requirements(answered=0.8), Requirements()) and not policy.is_looser(
        Requirements(answered=1.0), Requirements()
    )
    for wrong in (1.1, -0.1, float("nan"), True, "all"):
        with pytest.raises(BadInput, match="share of drawn items answered"):
            Requirements(answered=wrong).check()  # type: ignore[arg-type]
    sim.draw(w)
    sim.work(w, "ann", most=40)
    policy.set_requirements(w.store, "lea", Requirements(CheckPolicy(min_items=30), answered=0.0), "A trial.")
    [first] = policy.policy_changes(w.store)
    assert first.requirements.answered == 0
    line = next(
        row for row in check_results.dimension_results(w.store, w.dataset, w.judge) if row.key == "turn.helpfulness"
    )
    assert "not answered" not in line.check.reason
    policy.set_requirements(w.store, "lea", replace(policy.requirements(w.store), answered=0.9), "Not any more.")
    before = first.at - timedelta(microseconds=1)
    for at, met in ((first.at, f"the policy of {first.at:%Y-%m-%d}"), (before, "the first policy")):
        assert policy.explain_stricter(w.store, first.requirements, at).startswith(f"Approved under {met} (")
    line = next(
        row for row in check_results.dimension_results(w.store, w.dataset, w.judge) if row.key == "turn.helpfulness"
    )
    assert line.check.state == "below minimum sample"
    assert "23 of 63 drawn items are not answered" in line.check.reason


# -- what is missing --------------------------------------------------------------------------------------------------


def test_every_item_without_an_answer_is_listed_with_why(tmp_path: Path) -> None:
    w = sim.world(tmp_path / "a.duckdb", 1, names=("lea", "ann", "ben"), items=30)
    sim.draw(w)
    drawn = [row[0] for row in w.store.rows("select item_id from draw order by priority, id")]
    exposure.record_exposures(w.store, "ann", {drawn[0]: [w.judge]}, "report")
    exposure.record_exposures(w.store, "ben", {drawn[0]: [w.judge]}, "report")
    exposure.record_exposures(w.store, "lea", {drawn[0]: [w.judge]}, "report")
    excluded_items.exclude_items(w.store, "lea", w.dataset, [drawn[1]], "the judge is off here")
    skip = {drawn[2], drawn[3]}
    sim.work(w, "ann", most=8, skips=skip.__contains__)
    claimed = queue.claim_items(w.store, "ben", w.dataset, "audit", queue.QueueFilters(), [], 1)[0].item
    listed = nonresponse.missing_answers(w.store, "ben", w.dataset, w.judge, HELP, "gate")
    by_item, names = {missing.item: missing for missing in listed}, dict(w.store.rows("select id, name from item"))
    assert len(listed) == len(by_item) and all(missing.name == names[missing.item] for missing in listed)
    whys = {item: missing.why for item, missing in by_item.items()}
    assert whys[drawn[0]] == "known to all" and whys[drawn[1]] == "put aside" and whys[claimed] in ("held", "put aside")
    assert {whys[item] for item in skip - {claimed}} == {"skipped"}
    assert len(by_item) == 21 - who_answered(w).overall.answered
    assert nonresponse.summarise_missing(list(by_item.values())).startswith("1 put aside, ")
    origin = label_caveats.label_origin(w.store, w.dataset, w.judge, "", HELP)
    assert (origin.drawn, origin.skipped, origin.excluded) == (21, 2, 1), "what somebody answered is not skipped"
    # What ann wrote may tell what she thinks of the item: ben may still answer it blind, ann may not.
    skipped = next(iter(skip - {claimed}))
    assert by_item[skipped].explanation == "by ann"
    for_ann = {m.item: m for m in nonresponse.missing_answers(w.store, "ann", w.dataset, w.judge, HELP, "gate")}
    assert for_ann[skipped].explanation == "by ann: too hard"
    with pytest.raises(NotAllowed):
        nonresponse.missing_answers(w.store, "nobody", w.dataset, w.judge, HELP, "gate")
    w.store.close()


def test_a_list_shows_no_stratum_and_no_system_of_what_may_still_come_blind(tmp_path: Path) -> None:
    store = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    for person in ("lea", "ann"):
        people.join_workspace(store, person)
    cells = [Cell(n, "turn:1", (), float(1 + n % 5)) for n in range(20)]
    dataset, judge = fill(store, cells, systems=lambda n: (str(n), ""))  # the item's name, item 7, says it
    queue.draw_audit(store, "lea", dataset, 10, "", 1, SampleDesign("score", "turn.helpfulness", judge=judge))
    strata = dict(store.rows("select item_id, stratum from draw"))
    assert {"helpfulness 1", "helpfulness 5"} <= set(strata.values()), "a stratum is a score"
    seen = sorted(strata)[:2]
    exposure.record_exposures(store, "ann", {item: [judge] for item in seen}, "report")
    settings.hide_systems(store, "lea", dataset, False)

    def list_for(person: str) -> list[nonresponse.MissingAnswer]:
        return nonresponse.missing_answers(store, person, dataset, judge, HELP, "gate")

    assert {m.item: m.stratum for m in list_for("ann")} == {i: strata[i] if i in seen else None for i in strata}
    hidden = [m.name for m in list_for("lea")]
    assert {m.stratum for m in list_for("lea")} == {None} and hidden == sorted(hidden), "nor does the order tell it"
    names = dict(store.rows("select id, name from item"))
    assert {m.item: m.name for m in list_for("ann")} == {item: names[item] for item in strata}
    settings.hide_systems(store, "lea", dataset, True)
    assert {m.item for m in list_for("ann") if m.name == names[m.item]} == set(seen)
    store.close()


def test_why_an_item_has_no_label_that_counts_is_the_first_reason_that_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(f"duckdb:///{tmp_path / 's.duckdb'}")
    for name in ("lea", "bob", "cy"):
        people.join_workspace(store, name)
    cells = [Cell(n, "turn:1", (3.0,) if n in (1, 7) else (), 3.0, probability=0.5) for n in range(8)]
    dataset, judge = fill(store, cells)
    ids = [content_id("demo", n) for n in range(8)]
    draws = dict(store.rows("select item_id, id from draw"))
    answers = [
        (0, "bob", "save", "blind", ""), (2, "bob", "save", "revealed", ""), (2, "cy", "save", "blind", ""),
        (3, "cy", "save", "blind", ""), (3, "bob", "save", "blind", ""), (4, "bob", "skip", "blind", "too long"),
        (4, "cy", "save", "assisted", ""), (4, "lea", "skip", "blind", ""), (5, "cy", "skip", "blind", "no idea"),
    ]  # fmt: skip
    label = store.rows("select * from label where item_id = $1", [ids[1]])[0]

    for n, person, action, mode, why in answers:
        row = AnswerRow(new_id(), dataset, ids[n], draws[ids[n]], person, "", action, mode, why, "", 5, now())
        store.tx(person, "answers", lambda tx, row=row: tx.append([row]))  # type: ignore[misc]
    back = LabelRow(new_id(), "", ids[1], "turn:1", HELP.name, 3.0, "person0", "blind", draws[ids[1]], "", False, None,
                    None, label[0], True, now())  # fmt: skip
    store.tx("person0", "answers", lambda tx: tx.append([back]))
    monkeypatch.setattr(nonresponse, "items_in_prompt", lambda *_: {ids[0]})
    excluded_items.exclude_items(store, "lea", dataset, [ids[5]], "a prompt was tuned on it")
    claim = ClaimRow(new_id(), dataset, draws[ids[6]], ids[6], "cy", now() + timedelta(hours=1))
    store.tx("cy", "claim", lambda tx: tx.append([claim]))
    monkeypatch.setattr(nonresponse.exposure, "blind_pending", lambda *_: {ids[5]})
    left = nonresponse.missing_answers(store, "lea", dataset, judge, HELP, "gate")
    assert {int(missing.name.split()[1]): (missing.why, missing.explanation) for missing in left} == {
        0: ("in the prompt", "an example that the judge is shown"), 1: ("withdrawn", "by person0"),
        2: ("answered with the judge in view", "by bob"), 3: ("answered in other dimensions", "by cy, bob"),
        4: ("skipped", "by bob: too long; by lea"), 5: ("put aside", "by lea"), 6: ("held", "by cy"),
    }  # fmt: skip
    assert nonresponse.summarise_missing(left) == (
        "1 put aside, 1 in the prompt, 1 withdrawn, 1 answered with the judge in view, 1 answered in other dimensions, "
        "1 skipped, 1 held"
    )
    store.close()


def test_all_items_means_all_of_them(tmp_path: Path) -> None:
    items = [seeds.dialogue(n, turns=1) for n in range(1, 41)]
    label = {"unit": "turn:1", "dimension": "helpfulness", "value": 4, "made_at": "2026-02-01T12:00:00Z"}
    labels = [{**label, "item": i["id"], "annotator": "zoe", "mode": "blind"} for i in items]
    store = seeds.workspace(tmp_path / "a.duckdb", [*items, *map(seeds.judgment, items)], review=False)
    dataset = store.rows("select id from dataset")[0][0]
    judge = store.rows("select id from judge")[0][0]

    def responses() -> Any:
        return nonresponse.sample_responses(store, dataset, judge, [HELP], "imported")["turn", "helpfulness"]

    assert responses().strata == ()
    import_source(
        store, "lea", from_path(seeds.lines(tmp_path / "b.jsonl", labels[:20])), ImportPlan("demo", sampling="all")
    )
    assert responses().objections(0.9) == (
        "20 of 40 drawn items are not answered. The policy requires answers to 90% of them, overall and in every "
        "stratum."
    )
    import_source(
        store, "lea", from_path(seeds.lines(tmp_path / "c.jsonl", labels)), ImportPlan("demo", sampling="all")
    )
    assert responses().objections(0.9) == "" and responses().overall.answered == 40
    # A sample that nobody has begun takes no part in figures of an import; with its first answer it does.
    queue.draw_audit(store, "lea", dataset, 20, "", 1)
    assert [s.name for s in responses().strata] == ["all items, by an import"]
    store.close()


def test_only_pairs_that_are_cut_into_sections_are_asked_about_sections(tmp_path: Path) -> None:
    store = open_store(f"duckdb:///{tmp_path / 's.duckdb'}")
    people.join_workspace(store, "lea")
    pairs = {(d.sort, d.name): d for d in cards()["long_form_pairwise"].dimensions}
    section, side, verdict = pairs["section", "relevance"], pairs["side", "lost_in_middle"], pairs["pair", "verdict"]
    # A pair and its two sides are three units, so that items 4 to 7 have sections; three of them have no verdict.
    cells = [Cell(n, "pair", (1.0,) if n < 5 else (), 1.0, probability=0.5, dimension="verdict") for n in range(8)]
    cells += [Cell(n, "section:1/a", (3.0,), 3.0, probability=0.5, dimension="relevance") for n in (6, 7)]
    cells += [Cell(0, "response/b", (1.0,), 1.0, probability=0.5, dimension="lost_in_middle")]
    dataset, judge = fill(store, cells, "s", "pair", "long_form_pairwise", units=lambda n: 3 + (n > 3))
    responses = nonresponse.sample_responses(store, dataset, judge, [section, side, verdict], "gate")
    assert {key: [astuple(s) for s in sample.strata] for key, sample in responses.items()} == {
        ("section", "relevance"): [("0.5", 8.0, 4, 2)],
        ("side", "lost_in_middle"): [("0.5", 16.0, 8, 1)],
        ("pair", "verdict"): [("0.5", 16.0, 8, 5)],
    }
    for d, lacking in ((section, (4, 5)), (side, range(1, 8)), (verdict, (5, 6, 7))):
        left = nonresponse.missing_answers(store, "lea", dataset, judge, d, "gate")
        assert [missing.name for missing in left] == [f"item {n}" for n in lacking]
        assert {(missing.why, missing.stratum, missing.explanation) for missing in left} == {
            ("waiting", None, "for a blind answer")
        }
    none = nonresponse.sample_responses(store, dataset, judge, [section], "blind")
    assert none["section", "relevance"].strata == (), "who was asked is known on the bases of random draws only"
    store.close()


def test_what_was_asked_of_all_items_was_of_those_that_were_there_and_have_such_units(tmp_path: Path) -> None:
    store = open_store(f"duckdb:///{tmp_path / 's.duckdb'}")
    pairs = {(d.sort, d.name): d for d in cards()["long_form_pairwise"].dimensions}
    section, verdict = pairs["section", "relevance"], pairs["pair", "verdict"]
    cells = [Cell(n, "pair", (), 1.0, dimension="verdict") for n in range(6)]
    dataset, judge = fill(store, cells, "s", "pair", "long_form_pairwise", units=lambda n: 3 + (n > 1))

    def bring(tx: Any) -> None:
        questions = (("pair", "verdict", range(3)), ("section:1/a", "relevance", (1, 2, 3)))
        rows = [LabelRow(new_id(), "", content_id("s", n), unit, name, 1.0, "zoe", "blind", "", "", False, None, 1.0,
                         None, False, now()) for unit, name, numbers in questions for n in numbers]  # fmt: skip
        tx.append(rows)
        tx.append([IntakeRow(new_id(), dataset, "a.csv", "labels", "all", 0, 0, len(rows))])

    store.tx("lea", "import", bring)
    later = ItemRow("later", dataset, "later", "pair", "x", "y", "{}", "{}", "later", 5)
    store.tx("lea", "later", lambda tx: tx.append([later]))
    responses = nonresponse.sample_responses(store, dataset, judge, [section, verdict], "imported")
    assert {key: [astuple(s) for s in sample.strata] for key, sample in responses.items()} == {
        ("section", "relevance"): [("all items, by an import", 4, 4, 3)],
        ("pair", "verdict"): [("all items, by an import", 6, 6, 3)],
    }
    none = nonresponse.sample_responses(store, dataset, judge, [section, verdict], "all")
    assert [sample.strata for sample in none.values()] == [(), ()], "who answered beyond what was asked is not known"
    store.close()


def test_imported_labels_of_items_in_the_review_queue_answer_nothing_of_the_sample(tmp_path: Path) -> None:
    store = open_store(f"duckdb:///{tmp_path / 'r.duckdb'}")
    drawn = [Cell(n, "turn:1", (3.0,) if n < 4 else (), 3.0, "assisted", 0.5) for n in range(10)]
    dataset, judge = fill(store, [*drawn, *(Cell(n, "turn:1", (), 3.0) for n in range(10, 15))])

    def more(tx: Any) -> None:
        items = [content_id("demo", n) for n in range(10, 15)]
        tx.append([DrawRow(new_id(), dataset, i, "review", "assisted", "", "0.5", None, 0.0, "[]") for i in items])
        fields = ("turn:1", HELP.name, 3.0, "zoe", "assisted", "", "", False, None, 0.5, None, False, now())
        tx.append([LabelRow(new_id(), "", item, *fields) for item in items])

    store.tx("lea", "more", more)
    stratum = nonresponse.sample_responses(store, dataset, judge, [HELP], "assisted")["turn", "helpfulness"].strata[0]
    assert (stratum.name, stratum.items, stratum.drawn, stratum.answered) == ("0.5", 20.0, 10, 4)
    store.close()


def test_the_world_of_the_simulations_is_what_it_is_taken_for(w: sim.World) -> None:
    scores = dict(w.store.rows("select item_id, value from score"))
    hard = np.array([w.gold[i] == scores[i] for i in w.hard])
    easy = np.array([w.gold[i] == scores[i] for i in w.gold if i not in w.hard])
    assert len(hard) > 40 and hard.mean() < 0.4 and easy.mean() > 0.75
    assert people.all_people(w.store)
