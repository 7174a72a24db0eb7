"""Where gold and scores meet, through the store: points against scikit-learn, sums against single cells, real votes."""

from dataclasses import replace

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from sklearn.metrics import cohen_kappa_score

from data.approvals import check_results
from data.calibration import calibration, votes
from data.calibration.calibration import (
    basis_sizes,
    comparison_input,
    count_unscored,
    list_cells,
    load_paired_ratings,
    load_rating_sums,
)
from data.calibration.rating_sums import sum_ratings
from data.cards import cards as own_cards
from data.gold import excluded_items
from data.gold.gold import BASES
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import datasets, people, settings
from data.records.tables import IntakeRow, LabelRow, PersonEventRow
from data.store import open_store
from data.store.ids import new_id
from judges.cards import cards
from judges.stats.calibration import PairedRatings, RatingSums, summarise
from judges.stats.votes import JUDGE, agreement_table
from tests.data.cells import Cell, fill

NAMES = {d.name: d for d in cards()["multi_turn_dialogue"].dimensions}
HELP, TASK = NAMES["helpfulness"], NAMES["task_completion"]
VERDICT = next(d for d in cards()["plain_pairwise"].dimensions if d.name == "verdict")
FLAG = next(d for d in cards()["long_form_pairwise"].dimensions if d.scale.kind == "flag")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = open_store(f"duckdb:///{tmp_path_factory.mktemp('cells')}/s.duckdb")
    yield store
    store.close()


def sums(store, dataset, judge, dimension, basis, drop=False):
    """The same cells summed up by the database."""
    return load_rating_sums(store, dataset, judge, [dimension], basis, drop)[0]


def noisy(scale, items, unit, dimension, seed=0, **options):
    """Cells of which the judge gets two thirds right, one to three people each, n/a and unscored ones among them."""
    rng = np.random.default_rng(seed)
    cells = []
    for item in range(items):
        for turn in (1, 2):
            truth = int(rng.integers(scale.size)) + scale.base
            near = [
                float(np.clip(truth + rng.integers(-1, 2), scale.base, scale.base + scale.size - 1)) for _ in range(3)
            ]
            judge = float(truth) if rng.random() < 0.66 else float(rng.integers(scale.size) + scale.base)
            judge = "unscored" if rng.random() < 0.05 else None if scale.na and rng.random() < 0.1 else judge
            people_ = tuple(None if scale.na and rng.random() < 0.1 else n for n in near[: 1 + item % 3])
            where = unit.replace("N", str(turn))
            if not any(c.item == item and c.unit == where for c in cells):
                cells.append(Cell(item, where, people_, judge, dimension=dimension, **options))
    return cells


@pytest.mark.parametrize(
    ("dimension", "unit", "weights"),
    [
        (HELP, "turn:N", "quadratic"),
        (TASK, "conversation", "quadratic"),
        (VERDICT, "pair", None),
        (FLAG, "response/a", None),
    ],
    ids=["turns", "conversation with n/a", "verdict", "flag"],
)
def test_kappa_is_that_of_scikit_learn_and_sums_are_those_of_single_cells(store, monkeypatch, dimension, unit, weights):
    scale = dimension.scale
    dataset, judge = fill(store, noisy(scale, 120, unit, dimension.name), f"noisy {dimension.name} {unit}")
    cells = comparison_input(store, dataset, judge, dimension, "blind")
    assert isinstance(cells, PairedRatings)
    by_cells = summarise(cells, dimension)
    both = cells.scored & ~np.isnan(cells.human) & ~np.isnan(cells.judge)
    labels = list(range(scale.base, scale.base + scale.size))
    expected = cohen_kappa_score(
        cells.human[both].astype(int), cells.judge[both].astype(int), labels=labels, weights=weights
    )
    assert by_cells.interval.point == pytest.approx(expected)
    assert by_cells.unscored == int((~cells.scored).sum()) > 0
    monkeypatch.setattr(calibration, "LINEARISE_FROM", 50)
    monkeypatch.setattr("judges.stats.intervals.LINEARISE_FROM", 50)
    summed = comparison_input(store, dataset, judge, dimension, "blind")
    assert isinstance(summed, RatingSums)
    by_sums, again = summarise(summed, dimension), summarise(cells, dimension)
    for name in ("point", "low", "high", "lower_bound", "n_eff", "items", "cells", "method"):
        assert getattr(by_sums.interval, name) == pytest.approx(getattr(again.interval, name)), name
    assert by_sums.counts.tolist() == by_cells.counts.tolist()
    assert (by_sums.na, by_sums.unscored, by_sums.gold_items) == (by_cells.na, by_cells.unscored, by_cells.gold_items)


SORTS = {
    "turns": (HELP, ("turn:1", "turn:2")), "n/a": (TASK, ("conversation",)), "verdict": (VERDICT, ("pair",)),
    "flags": (FLAG, ("response/a", "response/b")),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("dimension", "units"), SORTS.values(), ids=SORTS.keys())
@given(data=some.data())
@hypothesis.settings(max_examples=4)
def test_sums_are_those_of_single_cells_whatever_happened_to_the_labels(store, dimension, units, data):
    """Several people, what was replaced, withdrawn, adjudicated or imported with its population, and every rule."""
    scale = dimension.scale
    value = some.integers(scale.base, scale.base + scale.size - 1).map(float)
    answer = some.one_of(value, some.none()) if scale.na else value
    people_ = some.one_of(some.tuples(answer), some.lists(answer, min_size=1, max_size=4).map(tuple))
    places = data.draw(some.lists(some.tuples(some.integers(0, 20), some.sampled_from(units)), min_size=1, unique=True))
    chance = {item: data.draw(some.sampled_from([None, 0.25, 0.5])) for item, _ in places}
    mode = {item: data.draw(some.sampled_from(["blind", "blind", "assisted"])) for item, _ in places}
    cells = [
        Cell(item, unit, data.draw(people_), data.draw(some.one_of(answer, some.just("unscored"))), mode[item],
             chance[item], dimension.name)
        for item, unit in places
    ]  # fmt: skip
    dataset, judge = fill(store, cells, f"history {store.newest()}")
    labels = store.rows(
        f"select {LABEL} from label l join item i on i.id = l.item_id where i.dataset_id = $1 order by l.id", [dataset]
    )

    def happen(tx):
        newer, settled = [], []
        for row in labels:
            fate = data.draw(some.sampled_from(["", "", "replaced", "withdrawn", "imported", "adjudicated"]))
            if fate in ("replaced", "withdrawn"):
                newer.append((new_id(), *row[1:5], data.draw(answer), *row[6:13], row[0], fate == "withdrawn", row[15]))
            if fate == "imported":
                newer.append((new_id(), *row[1:5], data.draw(answer), "importer", "blind", "", *row[9:12], 0.1, None,
                              False, row[15]))  # fmt: skip
            if fate == "adjudicated":
                decision = data.draw(answer), "why", "[]", data.draw(some.booleans()), data.draw(some.booleans()), "lea"
                settled.append((new_id(), dataset, *row[2:5], *decision))
        columns = "id, dataset_id, item_id, unit, dimension, value, reason, labels, saw_judge, withdrawn, person"
        tx.add("label", LABEL.replace("l.", ""), newer)
        tx.add("adjudication", columns, settled)
        size = data.draw(some.sampled_from([None, 40]))
        tx.append([IntakeRow(new_id(), dataset, "f", "jsonl", "random", 0, 0, len(newer), size)])

    store.tx("test", "happen", happen)
    difference, waiting, method = (data.draw(some.sampled_from(choices)) for choices in (
        (None, 0, 1), ("counted", "out"), ("median", "majority")
    ))  # fmt: skip
    people.join_workspace(store, "lea")
    settings.set_gold_rule(store, "lea", dataset, settings.GoldRule(method, difference, waiting))
    for basis in BASES:
        drop = bool(scale.drawn) and data.draw(some.booleans())
        actual, expected = sums(store, dataset, judge, dimension, basis, drop), sum_ratings(
            load_paired_ratings(store, dataset, judge, dimension, basis).drop_code(
                float(scale.categories.index(scale.drawn)) if drop else None
            ), dimension,
        )  # fmt: skip
        for a, b in zip(flat(actual), flat(expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, err_msg=basis)


def test_what_is_asked_of_turns_and_of_the_whole_by_one_name_is_told_apart_in_sums_too(store):
    whole = replace(TASK, name=HELP.name)
    cells = [
        Cell(n, unit, people_, judge, "blind", (0.25, 0.5)[n % 2], HELP.name)
        for n in range(12)
        for unit, people_, judge in (
            ("turn:1", (float(1 + n % 5),), 3.0), ("turn:2", (2.0, float(1 + n % 4)), float(1 + n % 5)),
            ("conversation", (5.0, float(4 + n % 2)) if n % 3 else (None,), 1.0 if n % 4 else None),
        )
    ]  # fmt: skip
    dataset, judge = fill(store, cells, "one name")
    for basis in ("gate", "blind"):
        all_sums = load_rating_sums(store, dataset, judge, [HELP, whole], basis)
        for dimension_sums, d, cells_ in zip(all_sums, (HELP, whole), (24, 12), strict=True):
            single = load_paired_ratings(store, dataset, judge, d, basis)
            assert len(single.human) == cells_
            for a, b in zip(flat(dimension_sums), flat(sum_ratings(single, d)), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-12, err_msg=f"{d.sort} {basis}")


LABEL = ", ".join(
    f"l.{name}" for name in "id answer_id item_id unit dimension value annotator mode draw_id judge_id saw seen "
    "probability replaces withdrawn made_at".split()
)  # fmt: skip


def flat(sums):
    """All numbers of sums."""
    return [
        sums.human, sums.judge, sums.scored, sums.cells, sums.weight, sums.items, sums.gold_items,
        sums.mean_weight, sums.total, sums.cross,
        sums.label_sums.items, sums.label_sums.total, sums.label_sums.cross, sums.label_sums.people,
    ]  # fmt: skip


@pytest.mark.parametrize("dimension", [HELP, VERDICT], ids=["moments", "tables"])
def test_weights_are_one_over_the_chance_of_being_drawn(store, dimension):
    unit = "turn:1" if dimension is HELP else "pair"
    rng = np.random.default_rng(3)
    chances = [float(p) for p in rng.choice([0.2, 0.5, 1.0], 80)]
    codes = rng.integers(0, dimension.scale.size, (80, 2)) + dimension.scale.base
    cells = [
        Cell(n, unit, (float(h),), float(j), probability=p, dimension=dimension.name)
        for n, ((h, j), p) in enumerate(zip(codes, chances, strict=True))
    ]
    dataset, judge = fill(store, cells, f"weighted {dimension.name}")
    labels = list(range(dimension.scale.base, dimension.scale.base + dimension.scale.size))
    weights = 1 / np.array(chances)
    expected = cohen_kappa_score(*codes.T, labels=labels, weights=dimension.scale.weights, sample_weight=weights)
    for load in (load_paired_ratings, sums):
        summary = summarise(load(store, dataset, judge, dimension, "gate"), dimension)
        assert summary.interval.point == pytest.approx(expected)
        assert summary.interval.n_eff == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
        assert summary.counts.sum() == 80
        unweighted = summarise(load(store, dataset, judge, dimension, "blind"), dimension)
        assert unweighted.interval.n_eff == 80


def test_ties_are_dropped_by_sums_as_by_single_cells(store, monkeypatch):
    dataset, judge = fill(store, noisy(VERDICT.scale, 150, "pair", "verdict", seed=4), "ties")
    by_cells = summarise(load_paired_ratings(store, dataset, judge, VERDICT, "all"), VERDICT, "tie")
    by_sums = summarise(sums(store, dataset, judge, VERDICT, "all", True), VERDICT, "tie")
    assert by_cells.answers == by_sums.answers == ("a", "b")
    assert by_cells.counts.tolist() == by_sums.counts.tolist()
    assert by_cells.interval.point == pytest.approx(by_sums.interval.point)
    assert (by_cells.unscored, by_cells.gold_items, by_cells.interval.items) == (
        by_sums.unscored,
        by_sums.gold_items,
        by_sums.interval.items,
    )
    monkeypatch.setattr(calibration, "LINEARISE_FROM", 10)
    for drop in (False, True, False):  # one is not given for the other
        ratings = comparison_input(store, dataset, judge, VERDICT, "all", drop)
        assert isinstance(ratings, RatingSums) and (ratings.items == by_cells.interval.items) == drop


def test_each_basis_counts_its_own_labels(store):
    cells = [
        Cell(0, "turn:1", (1.0,), 1.0, "blind", 0.5),
        Cell(1, "turn:1", (2.0,), 2.0, "blind"),
        Cell(2, "turn:1", (3.0, 3.0), 3.0, "assisted", 0.5),
        Cell(3, "turn:1", (4.0,), 4.0, "assisted"),
        Cell(4, "turn:1", (5.0,), 5.0, "revealed", 0.5),
    ]
    dataset, judge = fill(store, cells, "bases")
    expected = {"gate": [1], "imported": [1], "blind": [1, 2], "assisted": [3], "all": [1, 2, 3, 4]}
    for basis, values in expected.items():
        for load in (load_paired_ratings, sums):
            assert sorted(load(store, dataset, judge, HELP, basis).human) == values
    assert basis_sizes(store, dataset, cards()["multi_turn_dialogue"].dimensions) == {
        "gate": (1, 1), "imported": (1, 1), "blind": (2, 1), "assisted": (2, 2), "all": (5, 2),
    }  # fmt: skip
    assert basis_sizes(store, dataset, cards()["plain_pairwise"].dimensions)["all"] == (0, 0)  # no labels here


def test_labels_of_other_units_with_questions_of_the_same_name_are_in_no_size(store):
    cells = [Cell(n, "conversation", (2.0,), 2.0, dimension="coherence") for n in range(2)]
    cells += [Cell(n, "turn:1", (2.0, 2.0, 2.0), "unscored", dimension="coherence") for n in range(2)]
    dataset, _ = fill(store, cells, "same name")
    assert basis_sizes(store, dataset, [NAMES["coherence"]])["blind"] == (2, 1)


def test_the_items_of_a_cell_are_found_by_name_and_no_more_than_asked_for(store):
    cells = [Cell(n, f"turn:{t}", (4.0,), 4.0 if t == 1 else 2.0) for n in range(5) for t in (1, 2)]
    cells += [Cell(7, "turn:1", (None,), None), Cell(8, "turn:1", (4.0,), "unscored")]
    dataset, judge = fill(store, cells, "listed")
    listed = list_cells(store, "lea", dataset, judge, HELP, "blind", 4.0, 2.0)
    assert [(f.name, f.unit) for f in listed] == [(f"item {n}", "turn:2") for n in range(5)]
    assert listed[1].systems == "s1"
    assert len(list_cells(store, "lea", dataset, judge, HELP, "blind", 4.0, 4.0, limit=3)) == 3
    assert [f.name for f in list_cells(store, "lea", dataset, judge, HELP, "blind", None, None)] == ["item 7"]
    assert list_cells(store, "lea", dataset, judge, HELP, "gate", 4.0, 4.0) == []
    assert count_unscored(store, dataset, judge) == [("refused", 1)]


def test_nothing_is_undefined(store):
    dataset, judge = fill(store, [Cell(0, "turn:1", (1.0,), 1.0)], "nothing")
    for load in (load_paired_ratings, sums):
        summary = summarise(load(store, dataset, judge, TASK, "gate"), TASK)
        assert (summary.interval.point, summary.cells, summary.gold_items) == (None, 0, 0)


# -- votes ------------------------------------------------------------------------------------------------------------


def test_the_newest_vote_of_a_person_counts_and_those_of_nobodys_team_do_not(store):
    cells = [Cell(n, "pair", (0.0, 0.0, 2.0), 0.0, dimension="verdict") for n in (0, 1, 2)]
    dataset, judge = fill(store, cells, "voted", "pair", "plain_pairwise", {0: '{"turn":10}', 1: '{"turn":9}'})

    def again(tx):
        item = tx.rows("select id from item where dataset_id = $1 and name = 'item 0'", [dataset])[0][0]
        teams = ("crowd", "", "crowd")
        tx.append([PersonEventRow(f"{dataset}{n}", f"person{n}", "annotator", False, t) for n, t in enumerate(teams)])
        newer = ("newer", "", item, "pair", "verdict", 1.0, "person2", "blind", "", "", False, None, None, None, False)
        tx.append([LabelRow(*newer, "2999-01-01")])

    store.tx("test", "again", again)
    team_votes = votes.votes(store, dataset, judge, VERDICT)
    assert team_votes.parts == ("turn 9", "turn 10", "no turn")
    assert team_votes.groups == ("crowd",)
    rows = sorted(zip(team_votes.part, team_votes.value, team_votes.judge, strict=True))
    assert rows == [(0, 0, 0), (0, 2, 0), (1, 0, 0), (1, 1, 0), (2, 0, 0), (2, 2, 0)]
    assert votes.team_agreement(store, dataset, judge, VERDICT) == agreement_table(team_votes, 1)
    assert votes.team_agreement(store, dataset, judge, HELP) == []


def test_votes_on_items_that_a_prompt_was_tuned_on_do_not_count(tmp_path):
    store = open_store(f"duckdb:///{tmp_path}/tuned.duckdb")
    people.join_workspace(store, "lea")
    cells = [Cell(n, "pair", (0.0, 0.0), 0.0, mode="assisted", dimension="verdict") for n in range(3)]
    dataset, judge = fill(store, cells, "tuned", "pair", "plain_pairwise")
    events = [PersonEventRow(f"e{n}", f"person{n}", "annotator", False, "crowd") for n in range(2)]
    store.tx("test", "teams", lambda tx: tx.append(events))
    before = votes.team_agreement(store, dataset, judge, VERDICT)
    [(item,)] = store.rows("select id from item where name = 'item 0'")
    excluded_items.exclude_items(store, "lea", dataset, [item], "tuned on it")
    after = votes.team_agreement(store, dataset, judge, VERDICT)
    assert [(agreement.s1.cells, agreement.s1.items) for agreement in before] == [(6, 3), (3, 3)]
    assert [(agreement.s1.cells, agreement.s1.items) for agreement in after] == [(4, 2), (2, 2)]


@pytest.mark.parametrize(
    ("answers", "votes_on_it", "judged"),
    [
        ({"lo": 1, "hi": 5}, (5.0, 5.0, 1.0), 4.6),
        ({"kind": "interval", "lo": 0, "hi": 1, "step": 0.25}, (1.0, 1.0, 0.0), 0.9),
        ({"kind": "ordered", "categories": ["far", "near", "same"]}, (2.0, 2.0, 0.0), 2.0),
    ],
)
def test_votes_on_a_number_of_a_pair_are_those_of_its_answers(tmp_path, answers, votes_on_it, judged):
    """Two of three people say the highest, which is nearest to what the judge says; they agree in one pair of three."""
    store = open_store(f"duckdb:///{tmp_path}/close.duckdb")
    people.join_workspace(store, "lea")
    dimension = {"name": "closeness", "unit": "pair", "definition": "How close the two are.", "answers": answers}
    card = own_cards.save_card(store, "lea", {"name": "close", "title": "C", "kind": "pair", "dimensions": [dimension]})
    cells = [Cell(n, "pair", votes_on_it, judged, dimension="closeness") for n in range(4)]
    cells.append(Cell(4, "pair", votes_on_it, None, dimension="closeness"))
    dataset, judge = fill(store, cells, "close", "pair", "close")
    events = [PersonEventRow(f"e{n}", f"person{n}", "annotator", False, "crowd") for n in range(3)]
    store.tx("test", "teams", lambda tx: tx.append(events))
    [with_judge, among] = votes.team_agreement(store, dataset, judge, card.dimensions[0])
    assert (with_judge.s1.point, with_judge.s1.cells) == (pytest.approx(2 / 3), 12)
    assert (among.s1.point, among.s1.cells, among.s2) == (pytest.approx(1 / 3), 15, among.s1)
    store.close()


@pytest.mark.slow
def test_the_votes_of_mt_bench_come_out_as_published(real, tmp_path):
    store = open_store(f"duckdb:///{tmp_path}/mt.duckdb")
    people.join_workspace(store, "lea")
    import_source(store, "lea", from_path(real / "mt_bench_en"), ImportPlan(dataset="votes", sampling="all"))
    dataset = datasets.dataset_named(store, "votes").id
    [(judge, *_)] = [j for j in datasets.dataset_judges(store, dataset) if j[1] == "plain_pairwise"]
    dimension = next(d for d in calibration.compared_dimensions(store, judge) if d.name == "verdict")
    agreement = {
        (a.one, a.other, a.part): (round(a.s1.point, 4), a.s1.cells, round(a.s2.point, 4), a.s2.cells)
        for a in agreement_table(votes.votes(store, dataset, judge, dimension), 1)
    }
    assert agreement[JUDGE, "expert", "turn 1"] == (0.6597, 1343, 0.8463, 859)
    assert agreement[JUDGE, "expert", "turn 2"] == (0.6574, 1325, 0.8461, 864)
    assert agreement["expert", "expert", "turn 1"] == (0.6297, 721, 0.81, 479)
    assert agreement["expert", "expert", "turn 2"] == (0.6662, 707, 0.8186, 474)
    for drop, exact, kappa, n in ((False, 0.672, 0.505, 1814), (True, 0.884, 0.767, 1078)):
        cells = comparison_input(store, dataset, judge, dimension, "all", drop)
        majority = summarise(cells, dimension, "tie" if drop else "")
        assert (round(majority.exact, 3), round(majority.interval.point, 3), majority.cells) == (exact, kappa, n)
    store.close()


@pytest.mark.parametrize("many", [False, True], ids=["single cells", "sums"])
def test_means_count_all_that_people_said_of_a_cell_and_what_waits_is_told_with_and_without(store, monkeypatch, many):
    if many:
        monkeypatch.setattr("data.calibration.calibration.LINEARISE_FROM", 2)
    # judge - mean: 3 - 3 = 0 (the lower median has 1), 4 - 4.5 = -.5, 2 - 3 = -1 of one of two people, who says n/a
    # else, 5 - 5 = 0: (0 - .5 - .5 * 1 + 0) / 3.5; n/a throughout and n/a of the judge are in no mean
    answers = [((2.0, 4.0), 3.0), ((4.0, 5.0), 4.0), ((3.0, None), 2.0), ((5.0,), 5.0), ((None,), 3.0), ((2.0,), None)]
    cells = [Cell(n, "conversation", *answer, dimension=TASK.name, probability=0.5) for n, answer in enumerate(answers)]
    dataset, judge = fill(store, cells, f"several {many}")
    people.join_workspace(store, "lea")
    summary = summarise(comparison_input(store, dataset, judge, TASK, "gate"), TASK)
    assert summary.mean_difference == pytest.approx(-1 / 3.5)
    assert (
        summary.people == (9, 1, 2, 0) and check_results.with_and_without_waiting(store, dataset, judge, "gate") == []
    )
    # by hand, each gap less -1 / 3.5 of its share: 2/7, -3/14, -5/14, 2/7; n / (n - 1) of their squares' sum, by 3.5^2
    gaps = np.array([2 / 7, -3 / 14, -5 / 14, 2 / 7])
    assert summary.bias.se == pytest.approx((gaps @ gaps * 4 / 3) ** 0.5 / 3.5)
    settings.set_gold_rule(store, "lea", dataset, settings.GoldRule("median", 1))
    [(counted, out)] = [
        pair
        for pair in check_results.with_and_without_waiting(store, dataset, judge, "gate")
        if pair[0].dimension == TASK
    ]
    assert (counted.people.waiting, counted.gold_cells, out.gold_cells) == (2, 6, 4)  # 2 and 4; 3 and n/a
    assert counted.mean_difference == summary.mean_difference
    assert out.mean_difference == pytest.approx((-0.5 + 0) / 2) and out.people == (5, 1, 2, 0)
    now = {d.key: d.gate for d in check_results.dimension_results(store, dataset, judge)}
    assert now["conversation.task_completion"].gold_cells == 6
    settings.set_gold_rule(store, "lea", dataset, settings.GoldRule("median", 1, "out"))
    now = {d.key: d.gate for d in check_results.dimension_results(store, dataset, judge)}
    assert now["conversation.task_completion"].gold_cells == 4


def test_an_aggregate_of_the_judge_is_compared_once_people_have_labelled_it(store):
    dimensions = cards()["long_form_pairwise"].dimensions
    names, [aggregate] = {d.name for d in dimensions if d.asked}, [d for d in dimensions if not d.asked]
    for name, labels, also in (("unlabelled", (), set()), ("labelled", (4.0,), {"aggregate"})):
        cells = [Cell(n, "response/a", labels, 3.0, dimension=aggregate.name) for n in range(2)]
        _, judge = fill(store, cells, name, "pair", "long_form_pairwise")
        assert {d.name for d in calibration.compared_dimensions(store, judge)} == names | also
