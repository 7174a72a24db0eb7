"""Plans on record: when they can be made, and that the decision is made on the items of the look and no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.approvals import case, check_results, plans
from data.calibration import calibration, slices
from data.cli import main
from data.records import people
from data.records.tables import LabelRow
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed
from data.store.ids import new_id, now
from judges.stats.agreement import cross_table
from tests.data.cells import Cell, fill

UNIT = "turn:1"


def cells(items: int, first: int = 0, wrong: int = 4) -> list[Cell]:
    """People say 1..5 in turn, the judge the same but for every `wrong`-th."""
    return [
        Cell(
            n, UNIT, (float(n % 5 + 1),), float(n % 5 + 1 if n % wrong else 3), probability=0.5, dimension="helpfulness"
        )
        for n in range(first, first + items)
    ]


@pytest.fixture
def store(tmp_path: Path):
    store = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    people.join_workspace(store, "lea")
    people.set_person(store, "lea", "ray", "researcher")
    yield store
    store.close()


def unlabelled_dataset(store: Store) -> str:
    """A dataset with 400 items and no label."""
    dataset, _ = fill(store, [Cell(n, UNIT, (), 3.0, dimension="helpfulness") for n in range(400)])
    return dataset


def test_a_plan_is_put_on_record_by_a_lead_before_the_first_label(store: Store) -> None:
    dataset = unlabelled_dataset(store)
    with pytest.raises(NotAllowed):
        plans.set_look_plan(store, "ray", dataset, [150])
    plans.set_look_plan(store, "lea", dataset, [150, 400])  # the last at all items that there are
    assert plans.look_plan(store, dataset).sizes == (150, 400)
    plans.set_look_plan(store, "lea", dataset, [])
    assert plans.look_plan(store, dataset) is None
    assert [row[0] for row in store.rows("select action from change where action = 'plan'")] == ["plan", "plan"]


def test_a_plan_may_have_as_many_looks_as_are_allowed(store: Store) -> None:
    dataset = unlabelled_dataset(store)
    most = [150 + 50 * n for n in range(plans.MAX_LOOKS)]
    assert plans.set_look_plan(store, "lea", dataset, most) is None
    assert plans.look_plan(store, dataset).sizes == tuple(most)
    with pytest.raises(BadInput, match=f"at most {plans.MAX_LOOKS} looks; this one has {plans.MAX_LOOKS + 1}"):
        plans.set_look_plan(store, "lea", dataset, [100, *most])


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([60, 200], "first look is at 60 items; the policy requires 100"),
        ([200, 150], "rising numbers of items; got 200, 150"),
        ([100, 110, 120, 130, 140, 150], "at most 5 looks; this one has 6"),
        ([500], "last look is at 500 items, and the dataset has 400"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(store: Store, sizes: list[int], message: str) -> None:
    dataset, before = unlabelled_dataset(store), store.newest()
    with pytest.raises(BadInput, match=message):
        plans.set_look_plan(store, "lea", dataset, sizes)
    assert plans.look_plan(store, dataset) is None and store.newest() == before


@pytest.mark.parametrize("text", ["", "soon", "100 - 200", "1.5", "99999999999999999999"])
def test_what_is_no_list_of_numbers_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="numbers of items"):
        plans.parse_sizes(text)


def test_numbers_are_read_with_any_comma() -> None:
    assert plans.parse_sizes(" 100, 200、300 ") == [100, 200, 300]


def test_after_the_first_label_nothing_changes(store: Store) -> None:
    dataset, _ = fill(store, cells(120))
    for sizes in ([100], []):
        if sizes:
            with pytest.raises(BadInput, match="already has labels that count, or that counted"):
                plans.set_look_plan(store, "lea", dataset, sizes)
        else:
            plans.set_look_plan(store, "lea", dataset, sizes)  # there is none, and it stays so
    assert plans.look_plan(store, dataset) is None


def planned_dataset(store: Store, items: int, sizes: list[int]) -> tuple[str, str]:
    """A dataset with that plan, so many of its items drawn and labelled, fifty at a time, the last names first."""
    drawn = [replace(c, people=(), probability=0.5 if c.item >= 400 - items else None) for c in cells(400)]
    dataset, judge = fill(store, drawn)
    plans.set_look_plan(store, "lea", dataset, sizes)
    rows = store.rows(
        "select d.id, d.item_id, cast(substr(i.name, 6) as bigint) from draw d "
        "join item i on i.id = d.item_id order by 3 desc"
    )[:items]
    for begin in range(0, items, 50):
        labels = [
            LabelRow(new_id(), "", item, UNIT, "helpfulness", float(n % 5 + 1), "ann", "blind", draw, "", False, None,
                     None, None, False, now())
            for draw, item, n in rows[begin : begin + 50]
        ]  # fmt: skip
        store.tx("ann", "save", lambda tx, labels=labels: tx.append(labels))
    return dataset, judge


def test_a_look_counts_the_items_that_were_labelled_first(store: Store) -> None:
    dataset, judge = planned_dataset(store, 250, [100, 200, 300])
    line = next(
        line for line in check_results.dimension_results(store, dataset, judge) if line.key == "turn.helpfulness"
    )
    assert line.gate.interval.items == 200
    assert "3 planned looks" in line.check.reason
    first = calibration.load_paired_ratings(store, dataset, judge, line.dimension, "gate", 200)
    newest = calibration.load_paired_ratings(store, dataset, judge, line.dimension, "gate")
    assert (len(first), len(newest)) == (200, 250)
    # labelled last were items 199 to 150, so those are not in the look: 50 items whose values are 1 to 5 in turn
    look_cells = [cell for cell in cells(400) if cell.item >= 200]
    human, judged = (
        [int(v) - 1 for v in side] for side in ([c.people[0] for c in look_cells], [c.judge for c in look_cells])
    )
    table = cross_table(human, judged, 5)
    assert line.gate.counts.tolist() == table.tolist()


def label_in_order(store: Store, labels: list[tuple[int, str, bool]]) -> None:
    """Save a blind label of helpfulness in a change of its own for each: item, unit, and whether its draw counts."""
    draws = dict(store.rows("select i.name, d.id from draw d join item i on i.id = d.item_id"))
    items = dict(store.rows("select name, id from item"))
    for number, unit, drawn in labels:
        person, draw = ("ann", draws[f"item {number}"]) if drawn else ("ann (file)", "")
        row = LabelRow(new_id(), "", items[f"item {number}"], unit, "helpfulness", 4.0, person, "blind", draw, "",
                       False, None, None, None, False, now())  # fmt: skip
        store.tx("ann", "save", lambda tx, row=row: tx.append([row]))


@pytest.mark.parametrize("before", [(3, "conversation", True), (3, UNIT, False)])
def test_a_label_that_does_not_count_in_a_look_brings_no_item_forward(
    store: Store, before: tuple[int, str, bool]
) -> None:
    dataset, judge = fill(store, [replace(c, people=()) for c in cells(4)])
    label_in_order(store, [before, *((number, UNIT, True) for number in range(4))])
    dimension = next(d for d in calibration.compared_dimensions(store, judge) if d.name == "helpfulness")
    first = calibration.load_paired_ratings(store, dataset, judge, dimension, "gate", 3)
    assert sorted(first.judge) == [2.0, 3.0, 3.0], "items 0 to 2, which had their own label first"


def test_the_growth_curve_goes_by_labels_of_its_own_unit(store: Store) -> None:
    dataset, judge = fill(store, [replace(c, people=()) for c in cells(4)])
    label_in_order(store, [(3, "conversation", True), *((number, UNIT, True) for number in range(4))])
    dimension = next(d for d in calibration.compared_dimensions(store, judge) if d.name == "helpfulness")
    grown, _ = slices.cells_in_order(store, dataset, judge, dimension, "gate", False)
    assert np.asarray(grown.judge)[np.argmax(grown.item)] == 3, "item 3 is the last, with a code from 0"


def test_before_the_first_look_nothing_is_decided(store: Store) -> None:
    dataset, judge = planned_dataset(store, 150, [200, 300])
    case_ = case.find_case(store, dataset, judge, "turn", "helpfulness")
    assert case_.result.check.state == "below minimum sample"
    assert "150 items; the plan's first look is at 200" in case_.result.check.reason
    text = next(text for name, _, text in case.case_facts(store, case_) if name == "looks")
    assert text == "at 200, 300 items, fixed before the first label"


def test_the_command_fixes_and_tells(store: Store, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    unlabelled_dataset(store)
    path = store.url
    store.close()
    monkeypatch.setenv("ASSAY_STORE", path)
    assert main(["plan", "demo"]) == 0 and "no plan" in capsys.readouterr().out
    assert main(["plan", "demo", "--looks", "100", "200"]) == 0 and "at 100, 200 labelled" in capsys.readouterr().out
    assert main(["plan", "demo", "--looks", "150", "--none"]) == 1 and "not both" in capsys.readouterr().err
    assert main(["plan", "demo", "--looks", "20"]) == 1 and "requires 100" in capsys.readouterr().err
