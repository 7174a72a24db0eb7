"""People of a dataset through the store: each held against the others, planted habits found, real votes."""

from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from data.annotators import annotators, drift
from data.importing.detection.plan_proposal import suggest_mapping
from data.importing.files.source import from_path
from data.importing.importing import detect_formats, import_source
from data.importing.plan import ImportPlan
from data.records import datasets, people
from data.records.settings import GoldRule, set_gold_rule
from data.records.tables import AnswerRow
from data.store import open_store
from data.store.errors import NotAllowed
from data.store.ids import new_id
from judges.cards import cards
from judges.stats.raters import alternative_annotator
from judges.stats.raters.human_ceiling import measure_ceiling
from tests.data.cells import Cell, fill
from tests.data.planted_people import Rater, accepting, lenient, mostly_right, plant, random

HELP = next(d for d in cards()["multi_turn_dialogue"].dimensions if d.name == "helpfulness")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    opened = open_store(f"duckdb:///{tmp_path_factory.mktemp('annotators')}/s.duckdb")
    yield opened
    opened.close()


def test_planted_people_are_found_and_the_good_ones_are_not(store):
    def drifting(truth, judge, item, rng):
        return mostly_right(0.95 if item < 30 else 0.1)(truth, judge, item, rng)

    good = {name: Rater(mostly_right(0.85)) for name in ("ann", "bob", "cleo")}
    odd = {"lena": Rater(lenient), "rex": Rater(random), "dan": Rater(drifting)}
    fast = {"ada": Rater(accepting, "assisted", 1.2), "slow": Rater(mostly_right(0.85), "assisted", 30.0)}
    dataset, _ = plant(store, {**good, **odd, **fast}, 90, "habits")
    blind = {a.name: a for a in annotators.find_annotators(store, dataset, HELP, "blind")}
    flags = {name: [remark.sort for remark in a.flags] for name, a in blind.items()}
    assert flags == {
        "ann": [], "bob": [], "cleo": [], "slow": [], "lena": ["lenient"], "rex": ["apart"], "dan": ["drift"],
        "ada": ["accepts"],
    }  # fmt: skip
    assert blind["lena"].leniency.size == pytest.approx(0.8, abs=0.15)  # a 5 stays a 5
    ada = blind["ada"]
    assert (ada.labels, ada.items, ada.shared, ada.agreement, ada.work.pace) == (0, 0, 0, None, 1.2)
    assert (blind["ada"].work.accepted, blind["ada"].work.assisted) == (1.0, 180)
    assert 0.5 < blind["slow"].work.accepted < 0.9 and blind["slow"].work.hasty == 0.0
    both = annotators.find_annotators(store, dataset, HELP, "all")
    assert {a.name: a.labels for a in both} == dict.fromkeys(blind, 180)
    accuracy = {name: a.accuracy for name, a in blind.items() if a.accuracy is not None}
    assert min(accuracy[n] for n in good) > 0.7 > 0.5 > max(accuracy["rex"], accuracy["lena"])


def test_nobody_is_held_against_their_own_label(store):
    """a says 1 and b 3 in every cell: gold of both is the lower median 1, yet a agrees with nobody."""
    cells = [Cell(n, "turn:1", (1.0 + (n % 2), 3.0 + (n % 2)), 3.0) for n in range(6)]
    dataset, judge = fill(store, cells, "own")
    people.join_workspace(store, "lea")
    one, other = annotators.find_annotators(store, dataset, HELP, "blind")
    assert (one.exact, other.exact) == (0.0, 0.0)
    assert (one.leniency.size, other.leniency.size) == (-2.0, 2.0)
    people.join_workspace(store, "ann")
    labels = annotators.dimension_labels(store, dataset, HELP, "blind", judge)
    for act in (
        lambda: drift.find_cells(store, "ann", labels, 0, 2, 0),
        lambda: annotators.differing_cells(
            store, "ann", annotators.estimate_dawid_skene(store, dataset, HELP, "blind")
        ),
    ):
        with pytest.raises(NotAllowed, match="needs the role researcher"):
            act()
    assert labels.others.tolist() == [2, 0, 3, 1, 2, 0, 3, 1, 2, 0, 3, 1]
    assert set(labels.ratings.judge.tolist()) == {2}
    assert drift.table_with_others(labels, 0).tolist() == [[0] * 5, [0] * 5, [3, 0, 0, 0, 0], [0, 3, 0, 0, 0], [0] * 5]
    assert [c[1:] for c in drift.find_cells(store, "lea", labels, 0, 2, 0, limit=1)] == [("item 0", "turn:1")]
    assert store.rows("select count(*) from exposure") == [(1,)], "what is not listed was not shown"
    listed = drift.find_cells(store, "lea", labels, 0, 2, 0)
    assert [c[1:] for c in listed] == [(f"item {n}", "turn:1") for n in (0, 2, 4)]
    n, shares = annotators.agreement_between_pairs(labels, ["person0", "person1"])
    assert n.tolist() == [[0, 6], [6, 0]] and shares[0, 1] == 0.0 and np.isnan(shares[0, 0])


def test_who_shares_no_cell_has_no_accuracy_beside_those_who_do(store):
    cells = [Cell(n, "turn:1", (float(n % 5 + 1), float(n % 5 + 1)), 3.0) for n in range(40)]
    cells += [Cell(100 + n, "turn:1", (None, None, float(n % 5 + 1)), 3.0) for n in range(20)]
    dataset, _ = fill(store, cells, "unshared")
    accuracy = {
        annotator.name: annotator.accuracy
        for annotator in annotators.find_annotators(store, dataset, HELP, "blind")
    }
    assert accuracy["person2"] is None and min(accuracy["person0"], accuracy["person1"]) > 0.9


def test_one_cell_that_both_labelled_is_enough_for_a_share(store):
    cells = [Cell(0, "turn:1", (1.0, 1.0), 1.0), Cell(1, "turn:1", (2.0,), 2.0)]
    dataset, _ = fill(store, cells, "single")
    labels = annotators.dimension_labels(store, dataset, HELP)
    n, shares = annotators.agreement_between_pairs(labels, ["person0", "person1"])
    assert (n[0, 1], shares[0, 1]) == (1, 1.0) and np.isnan(shares[0, 0])


def test_beside_each_label_stands_how_many_of_the_others_agree(store):
    """Of three in a cell, by whom each says what all others make of it: what is hard for all is nobody's change."""
    votes = [(1.0, 1.0, 2.0), (3.0, 3.0, 3.0), (4.0, 5.0, None), (2.0, None, None)]
    dataset, _ = fill(store, [Cell(n, "turn:1", values, 3.0) for n, values in enumerate(votes)], "beside")
    labels = annotators.dimension_labels(store, dataset, HELP)
    agreement = annotators._excess_agreement(labels)
    names = [labels.items[n][1] for n in labels.ratings.item]
    by_label = dict(zip(zip(names, labels.ratings.person.tolist(), strict=True), agreement.tolist(), strict=True))
    # Of item 0 the gold without each is 1 (of 1 and 2 the lower), 1 and 1: the first two agree with it, the third not.
    assert by_label == {
        ("item 0", 0): 0.5, ("item 0", 1): 0.5, ("item 0", 2): -1.0, **{("item 1", n): 0.0 for n in range(3)},
        ("item 2", 0): 0.0, ("item 2", 1): 0.0, ("item 3", 0): pytest.approx(np.nan, nan_ok=True),
    }  # fmt: skip


def test_what_somebody_else_adjudicated_is_what_a_person_is_held_against(store):
    dataset, _ = fill(store, [Cell(n, "turn:1", (1.0, 1.0, 5.0), 3.0) for n in range(3)], "adjudicated")
    item = store.rows("select id from item where dataset_id = $1 and name = 'item 1'", [dataset])[0][0]
    columns = "id, dataset_id, item_id, unit, dimension, value, reason, labels, saw_judge, withdrawn, person"
    row = (new_id(), dataset, item, "turn:1", "helpfulness", 4.0, "", "[]", False, False, "person2")
    store.tx("test", "adjudicate", lambda tx: tx.add("adjudication", columns, [row]))
    labels = annotators.dimension_labels(store, dataset, HELP)
    people_ = [labels.ratings.people[p] for p in labels.ratings.person]
    names = [labels.items[n][1] for n in labels.ratings.item]
    gold = {(name, person): code + 1 for name, person, code in zip(names, people_, labels.others.tolist(), strict=True)}
    assert gold["item 1", "person0"] == gold["item 1", "person1"] == 4
    assert gold["item 1", "person2"] == 1  # who adjudicated is held against the others, not against themselves
    assert gold["item 0", "person0"] == 1


@pytest.mark.parametrize(("saw_judge", "label_set", "counts"), [
    (False, "blind", True), (True, "blind", False), (True, "all", True),
])  # fmt: skip
def test_blind_labels_are_not_held_against_a_decision_with_the_judge_in_view(store, saw_judge, label_set, counts):
    dataset, _ = fill(store, [Cell(0, "turn:1", (1.0, 1.0, 5.0), 3.0)], f"seen {saw_judge} {label_set}")
    [(item,)] = store.rows("select id from item where dataset_id = $1", [dataset])
    columns = "id, dataset_id, item_id, unit, dimension, value, reason, labels, saw_judge, withdrawn, person"
    row = (new_id(), dataset, item, "turn:1", "helpfulness", 4.0, "", "[]", saw_judge, False, "lea")
    store.tx("test", "adjudicate", lambda tx: tx.add("adjudication", columns, [row]))
    others = annotators.dimension_labels(store, dataset, HELP, label_set).others
    assert (others + 1).tolist() == ([4, 4, 4] if counts else [1, 1, 1])


def test_na_and_revealed_labels_and_other_units_are_left_out(store):
    cells = [
        Cell(0, "conversation", (4.0, None, 3.0), 3.0, dimension="task_completion"),
        Cell(1, "conversation", (2.0, 2.0), 3.0, "revealed", dimension="task_completion"),
        Cell(2, "conversation", (1.0,), 3.0, "assisted", dimension="task_completion"),
        Cell(3, "turn:1", (5.0,), 3.0),
        Cell(3, "conversation", (1.0,), 1.0, dimension="weakest_turn"),
        Cell(3, "conversation", (1.0,), 1.0, dimension="of no card"),
    ]
    dataset, _ = fill(store, cells, "left out")
    dimensions = annotators.labelled_dimensions(store, dataset)
    assert list(dimensions) == ["conversation.task_completion", "turn.helpfulness"]
    task = dimensions["conversation.task_completion"]
    assert len(annotators.dimension_labels(store, dataset, task, "blind").ratings) == 2
    assert len(annotators.dimension_labels(store, dataset, task, "all").ratings) == 3
    rows = {a.name: a for a in annotators.find_annotators(store, dataset, task, "blind")}
    assert (rows["person1"].labels, rows["person1"].work.labels, rows["person1"].work.revealed) == (0, 2, 1)
    assert annotators.estimate_dawid_skene(store, dataset, task, "blind").cells == 1
    times = [
        AnswerRow(new_id(), dataset, f"item {n}", "", "person0", "", "save", "blind", "", "", ms, datetime.min)
        for n, ms in enumerate((0, 4000))
    ]
    store.tx("person0", "answers", lambda tx: tx.append(times))
    assert annotators.annotator_work(store, dataset)["person0"].seconds == (4.0,), "without what was not timed"


def test_a_second_opinion_names_the_cells_that_it_sees_otherwise(store):
    """Two who always know and three who say anything: the knowing ones are believed against the median."""
    raters = {"a": Rater(mostly_right(1.0)), "b": Rater(mostly_right(1.0)), **{name: Rater(random) for name in "cde"}}
    dataset, _ = plant(store, raters, 80, "noise")
    estimate = annotators.estimate_dawid_skene(store, dataset, HELP, "blind")
    assert estimate.cells == 160 and 20 < len(estimate.differing_cells) < 100
    labels = annotators.dimension_labels(store, dataset, HELP)
    truth = {
        (labels.items[labels.ratings.item[n]][0], labels.cells[labels.ratings.cell[n]][1]): labels.ratings.value[n] + 1
        for n in np.flatnonzero(labels.ratings.person == 0)
    }
    right = [row.estimate == truth[row.item, row.unit] for row in estimate.differing_cells]
    assert np.mean(right) > 0.95
    for row in estimate.differing_cells:
        assert row.gold != row.estimate and row.gold == sorted(row.labels)[2] and row.origin == "median"
    assert [row.posterior for row in estimate.differing_cells] == sorted(
        (row.posterior for row in estimate.differing_cells), reverse=True
    )


def test_there_is_no_second_opinion_where_nobody_labelled_what_another_did_nor_of_what_most_call_na(store):
    alone, _ = fill(store, [Cell(n, "turn:1", (1.0,), 3.0) for n in range(3)], "alone")
    assert annotators.estimate_dawid_skene(store, alone, HELP, "blind") is None
    votes = [(4.0, 4.0, 4.0)] * 6 + [(1.0, 4.0, None), (1.0, 4.0, None, None, None), (4.0, 4.0, None, None, None)]
    cells = [Cell(n, "conversation", values, 3.0, dimension="task_completion") for n, values in enumerate(votes)]
    dataset, _ = fill(store, cells, "mostly n/a")
    task = annotators.labelled_dimensions(store, dataset)["conversation.task_completion"]
    estimate = annotators.estimate_dawid_skene(store, dataset, task, "blind")
    assert estimate.cells == 9
    assert [(row.name, row.gold, row.origin, row.estimate, row.labels) for row in estimate.differing_cells] == [
        ("item 6", 1.0, "median", 4.0, (1.0, 4.0))
    ]  # fmt: skip


def test_what_waits_for_adjudication_and_is_left_out_is_no_drawn_vote(store):
    people.join_workspace(store, "lea")
    votes = [(4.0, 4.0, 4.0)] * 6 + [(1.0, 4.0, 4.0), (2.0, 3.0, 3.0)]
    dataset, _ = fill(store, [Cell(n, "turn:1", values, 3.0) for n, values in enumerate(votes)], "waiting")
    for rule, origin in ((GoldRule(apart=1), None), (GoldRule(apart=1, waiting="out"), "waits")):
        set_gold_rule(store, "lea", dataset, rule)
        rows = annotators.estimate_dawid_skene(store, dataset, HELP, "blind").differing_cells
        assert [(row.gold, row.origin) for row in rows if row.name == "item 6"] == ([(None, origin)] if origin else [])


def test_the_course_of_a_person_is_told_by_week_or_by_stretch(store):
    dataset, _ = plant(store, {"a": Rater(mostly_right(1.0)), "b": Rater(mostly_right(0.5))}, 60, "weeks")
    labels = annotators.dimension_labels(store, dataset, HELP)
    weeks = drift.agreement_over_time(labels, 0)
    assert 3 <= len(weeks) <= 12 and sum(n for *_, n in weeks) == 120 and weeks[0][0] == "2026-03-02"
    assert all(0 <= share <= 1 for _, share, _ in weeks)
    short = plant(store, {"a": Rater(mostly_right(1.0)), "b": Rater(mostly_right(0.5))}, 14, "days")[0]
    stretches = drift.agreement_over_time(annotators.dimension_labels(store, short, HELP), 0)
    assert [(when, n) for when, _, n in stretches] == [("from label 1", 14), ("from label 15", 14)]
    twelve = [1, 12, 23, 34, 45, 56, 66, 77, 88, 99, 110, 121]
    for items, begins in ((9, [1]), (19, [1]), (20, [1, 11]), (29, [1, 16]), (130, twelve)):
        cells = [Cell(n, "turn:1", (1.0, float(1 + (n < 5))), 3.0) for n in range(items)]
        labels = annotators.dimension_labels(store, fill(store, cells, f"of {items}")[0], HELP)
        stretches = drift.agreement_over_time(labels, 0)
        assert [when for when, *_ in stretches] == [f"from label {n}" for n in begins]
        assert sum(n for *_, n in stretches) == items
    at_once = fill(store, [Cell(n, "turn:1", (1.0, 2.0), 3.0) for n in range(30)], "at once")[0]
    imported = annotators.dimension_labels(store, at_once, HELP)
    imported.made_at[:] = imported.made_at[0]
    assert drift.agreement_over_time(imported, 0) == []
    for days, named in (
        (14, ["from label 1", "from label 11", "from label 21"]), (21, ["2026-03-02", "2026-03-09", "2026-03-16"])
    ):  # fmt: skip
        step = np.timedelta64(days * 24 * 60, "m") // 60  # of 60 labels, from a Monday on
        imported.made_at[:] = np.datetime64("2026-03-02", "us") + np.arange(60) * step
        assert [when for when, *_ in drift.agreement_over_time(imported, 0)] == named


@pytest.mark.slow
def test_pandalm_and_mt_bench_people(tmp_path, real: Path):
    opened = open_store(f"duckdb:///{tmp_path}/s.duckdb")
    people.join_workspace(opened, "lea")
    for name in ("testset-v1", "gpt-3.5-turbo-testset-v1"):
        source = from_path(real / "pandalm" / f"{name}.json")
        known = detect_formats(source)[0]
        plan = ImportPlan(
            "pandalm", sampling="random", population=10_000, mappings=(suggest_mapping(known.columns, known.rows),)
        )
        import_source(opened, "lea", source, plan)
    panda = datasets.dataset_named(opened, "pandalm").id
    [verdict] = annotators.labelled_dimensions(opened, panda).values()
    [(judge, *_)] = datasets.dataset_judges(opened, panda)
    labels = annotators.dimension_labels(opened, panda, verdict, "blind")
    ratings, kappas = labels.ratings, []
    for one, two in ((0, 1), (0, 2), (1, 2)):
        ceiling = measure_ceiling(ratings.where(np.isin(ratings.person, (one, two))))
        kappas.append(round(ceiling.between.point, 2))
    assert sorted(kappas) == [0.85, 0.86, 0.88]
    first, second = ratings.pairs()
    a, b = ratings.value[first], ratings.value[second]
    both = np.concatenate([a, b]), np.concatenate([b, a])
    everyone = measure_ceiling(annotators.dimension_labels(opened, panda, verdict, "blind", judge).ratings)
    assert measure_ceiling(ratings).between.point == pytest.approx(cohen_kappa_score(*both))
    assert everyone.difference.high < -0.3  # GPT-3.5 is far from people who agree well
    result = alternative_annotator.run_test(annotators.dimension_labels(opened, panda, verdict, "blind", judge).ratings)
    assert len(result.people) == 3 and result.omega == 0.0 and not result.passed
    import_source(opened, "lea", from_path(real / "mt_bench_en"), ImportPlan("mt_bench_en", sampling="all"))
    bench = datasets.dataset_named(opened, "mt_bench_en").id
    rows = annotators.find_annotators(
        opened, bench, annotators.labelled_dimensions(opened, bench)["pair.verdict"], "blind"
    )
    assert len(rows) == 65 and sum(a.labels for a in rows) == 3_354 and {a.team for a in rows} == {"author", "expert"}
    opened.close()


@pytest.mark.parametrize(
    ("moments", "known"),
    [([1, 2, 3, 4], True), ([1, 1, 2, 2], True), ([1, 1, 1, 2, 2], False), ([7, 7, 7], False), ([7], False)],
)
def test_the_order_of_labels_is_known_if_items_have_times_of_their_own(moments, known):
    """An import gives one time to whole files: with fewer times than half of the items, nobody knows the order."""
    ratings = SimpleNamespace(item=np.arange(len(moments) + 1))
    labels = SimpleNamespace(made_at=np.array([*moments, 99]), ratings=ratings)
    rows = np.arange(len(moments) + 1) < len(moments)
    assert annotators.is_order_known(labels, rows) is known
