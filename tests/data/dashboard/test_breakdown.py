"""What is behind a tile: slices against pandas and against the tile itself, over time, and where labels are too few."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest

from data.calibration import calibration
from data.dashboard import breakdown, dashboard
from data.dashboard.breakdown import break_down, breakdown_fields
from data.dashboard.dashboard import Tile
from data.dashboard.sentences import explain_missing_figure
from data.records import people
from data.records.outcomes import counted_dimension
from data.reports.dashboard import breakdown_csv
from data.store import Store, open_store
from data.store.errors import BadInput
from data.store.ids import content_id
from judges.stats.ppi import correct_mean
from judges.types import Dimension, Scale
from tests.data.cells import Cell, fill
from tests.data.dashboard.test_dashboard import add_judgment, approve, assert_same_mean, cell_moments, dialogues, pairs
from tests.data.flag_dataset import add_flag_dataset
from tests.data.planted_workspace import frozen_clock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(f"duckdb:///{tmp_path / 'b.duckdb'}")
    people.join_workspace(store, "lea")
    yield store
    store.close()


def tiles(store: Store, dataset: str, judge: str, *names: str) -> list[Tile]:
    approve(store, dataset, judge, *names)
    return dashboard.tiles(store, dataset, judge, dashboard.approvals_by_judge(store, dataset)[judge])


def meta(n: int) -> dict[str, Any]:
    """Six topics, the last with one item, days of three months, an id of every item's own, one source."""
    day = f"2026-0{1 + n % 3}-{1 + n % 28:02d}"
    return {"topic": "旅行" if n == 0 else f"t{n % 5}", "day": day, "no": f"i{n}", "source": "chat"}


def test_slices_are_those_of_pandas_and_the_whole_is_the_tiles(store: Store) -> None:
    cells = dialogues()
    dataset, judge = fill(store, cells, meta={n: json.dumps(meta(n)) for n in range(120)})
    helpful, verdict = tiles(store, dataset, judge, "helpfulness", "verdict")
    fields = breakdown_fields(store, dataset, judge, helpful.counted)
    assert list(fields) == ["meta.day", "system", "position", "meta.topic"]
    frame = pandas.DataFrame([
        {"item": c.item, "topic": meta(c.item)["topic"], "system": f"s{c.item % 2}", "month": meta(c.item)["day"][:7],
         "turn": c.unit.replace(":", " "), "judge": c.judge}
        for c in cells if c.dimension == "helpfulness" and isinstance(c.judge, float)
    ])  # fmt: skip
    for by, column in (("meta.topic", "topic"), ("system", "system"), ("meta.day", "month"), ("position", "turn")):
        split = break_down(store, dataset, judge, helpful, by)
        grouped = frame.groupby(column)
        assert {s.name for s in split.slices} == set(grouped.groups)
        sizes = sorted(part.judge.items for part in split.slices)
        cap = (sizes[1] if sizes[0] < 3 else 0) + 1  # beside it the smallest that could be shown tells nothing, either
        hidden = [part for part in split.slices if part.judge.point is None]
        assert len(hidden) == (2 if sizes[0] < 3 else 0) and all(part.judge.items < cap for part in hidden)
        for part in split.slices:
            assert part.judge.items == grouped["item"].nunique()[part.name]
            if part in hidden or part.judge.items < 3:
                assert part.judge.point is None and part.mean is None, "a mean of one item gives its score away"
                why = "too few: fewer than 3 items" if part.judge.items < 3 else "not shown: the mean of all"
                assert explain_missing_figure(part).startswith(why)
            else:
                assert part.judge.point == pytest.approx(grouped["judge"].mean()[part.name])
                assert part.judge.low < part.judge.point < part.judge.high
    every, of_one = (break_down(store, dataset, judge, helpful, "system", system) for system in ("", "s0"))
    assert of_one.slices == every.slices, "systems are compared, whichever is looked at"
    by_month = break_down(store, dataset, judge, helpful, "meta.day")
    rows = list(csv.DictReader(io.StringIO(breakdown_csv(helpful, by_month, "", 0))))
    assert by_month.step == "month" and {row["by"] for row in rows} == {"day (month)"}
    by_system = {s.name: s for s in break_down(store, dataset, judge, helpful, "system").slices}
    assert {explain_missing_figure(part) for part in by_system.values()} == {""}
    for system in helpful.systems:
        assert_same_mean(by_system[system.name].mean, system.means[0])
        assert_same_mean(
            break_down(store, dataset, judge, helpful, "meta.topic", system.name).overall.mean, system.means[0]
        )
    for outcome in range(4):
        for part in break_down(store, dataset, judge, verdict, "system", "", outcome).slices:
            [system] = [s for s in verdict.systems if s.name == part.name]
            assert_same_mean(part.mean, system.means[outcome])
    # Corrected by the labels of the slice alone: those of one topic are too few, and that is said instead.
    topic = {s.name: s for s in break_down(store, dataset, judge, helpful, "meta.topic").slices}["t1"]
    topic_cells = [replace(c, item=2 * c.item) for c in cells if meta(c.item)["topic"] == "t1"]
    oracle = correct_mean(cell_moments(topic_cells, "s0", "helpfulness"), (1, 5))
    assert topic.mean.interval.point is None and topic.mean.missing > 0 and topic.mean.n == oracle.n < 30
    assert explain_missing_figure(topic) == f"not corrected: {oracle.n} labelled, 30 needed"


def test_a_few_days_are_time_though_each_of_them_has_many_items(store: Store) -> None:
    days = {n: json.dumps({"day": f"2026-01-0{1 + n % 3}"}) for n in range(120)}
    dataset, judge = fill(store, dialogues(), meta=days)
    [helpful] = tiles(store, dataset, judge, "helpfulness")
    assert breakdown_fields(store, dataset, judge, helpful.counted)["meta.day"].time
    assert break_down(store, dataset, judge, helpful, "meta.day").step == "day"


def test_a_day_that_there_is_not_parts_items_as_any_other_word_does(store: Store) -> None:
    days = {n: json.dumps({"day": f"2026-01-0{1 + n % 3}" if n else "0000-00-00"}) for n in range(120)}
    dataset, judge = fill(store, dialogues(), meta=days)
    [helpful] = tiles(store, dataset, judge, "helpfulness")
    assert not breakdown_fields(store, dataset, judge, helpful.counted)["meta.day"].time
    split = break_down(store, dataset, judge, helpful, "meta.day")
    assert (split.step, {part.name for part in split.slices}) == (
        "", {"0000-00-00", "2026-01-01", "2026-01-02", "2026-01-03"}
    )  # fmt: skip


def test_of_what_several_people_said_those_count_who_gave_a_value(store: Store) -> None:
    labels: list[tuple[float | None, ...]] = [(0.0, None), (1.0, 1.0), (2.0, 3.0), (None, 3.0)]
    cells = [
        Cell(n, "conversation", labels[n % 4], float((n + n % 9 // 8) % 4), "blind", 0.5, "verdict") for n in range(90)
    ]
    dataset, judge = fill(store, cells, systems=lambda n: ("s" if n % 9 else "t", ""))
    [verdict] = tiles(store, dataset, judge, "verdict")
    for outcome in (0, 3):
        means = {
            part.name: part.mean for part in break_down(store, dataset, judge, verdict, "system", "", outcome).slices
        }
        for system in verdict.systems:
            assert_same_mean(means[system.name], system.means[outcome])


def test_the_shares_of_flags_and_of_topics_are_the_tiles_in_every_slice_and_in_its_csv(store: Store) -> None:
    dataset, judge = add_flag_dataset(store, "lea")
    harmful, topic = tiles(store, dataset, judge, "zz_harmful", "zz話題")
    for tile, outcome, answer in ((harmful, 0, "yes"), (topic, 0, "苦情"), (topic, 2, "お礼")):
        split = break_down(store, dataset, judge, tile, "system", "", outcome)
        of = {s.name: s.means[outcome] for s in tile.systems}
        assert sorted(part.name for part in split.slices) == sorted(of) == ["x", "y"]
        for part in split.slices:
            assert_same_mean(part.mean, of[part.name])
        whole, *parts = csv.DictReader(io.StringIO(breakdown_csv(tile, split, "", outcome)))
        assert (whole["items"], whole["system"]) == ("200", "all")
        assert {(row["of"], row["by"]) for row in (whole, *parts)} == {(answer, "system")}
        figures = {row["slice"]: (row["items"], float(row["corrected"])) for row in parts}
        assert figures == {name: ("100", pytest.approx(mean.interval.point)) for name, mean in of.items()}


def test_both_sides_of_pairs(store: Store) -> None:
    dataset, judge = pairs(store)
    quality, verdict = tiles(store, dataset, judge, "verdict", "quality")
    assert break_down(store, dataset, judge, verdict, "system").overall is None  # all wins are losses, too
    for tile in (quality, verdict):
        by_system = {s.name: s for s in break_down(store, dataset, judge, tile, "system").slices}
        for system in tile.systems:
            assert_same_mean(by_system[system.name].mean, system.means[tile.headline])
    sides = break_down(store, dataset, judge, quality, "side", "x")
    assert [(s.name, s.judge.items) for s in sides.slices] == [("response a", 20), ("response b", 20)]


def test_what_is_asked_of_a_pair_as_a_whole_is_of_both_its_systems(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    dimension = Dimension("effort", "pair", Scale("ordinal", 1, 5), "How much work was it?")
    monkeypatch.setattr(calibration, "compared_dimensions", lambda *_: [dimension])
    sides = [("x", "y"), ("y", "x"), ("x", "z")]
    cells = [
        Cell(n, "pair", (float(1 + n % 4),), float(1 + n % 5), "blind", 0.5, "effort") for n in range(120)
    ]
    dataset, judge = fill(store, cells, kind="pair", card="long_form_pairwise", systems=lambda n: sides[n % 3])
    [tile] = tiles(store, dataset, judge, "effort")
    assert {system.name: system.items for system in tile.systems} == dict.fromkeys(("x ~ y", "y ~ x", "x ~ z"), 40)
    assert {system.name: system.means[0].judge for system in tile.systems} == dict.fromkeys(
        ("x ~ y", "y ~ x", "x ~ z"), 3.0
    )
    split = break_down(store, dataset, judge, tile, "system")
    by_system = {part.name: part for part in split.slices}
    for system in tile.systems:
        assert_same_mean(by_system[system.name].mean, system.means[0])
    # Of a pair without names, or with one, it was said that people would rate " ~ ", and that no reply was unscored.
    cells += [replace(cell, item=120 + cell.item, judge="unscored") for cell in cells[:60]]
    dataset, judge = fill(
        store, cells, "unnamed", "pair", "long_form_pairwise", systems=lambda n: (("", "x", "y")[n % 3], "")
    )
    [tile] = tiles(store, dataset, judge, "effort")
    assert {system.name: (system.items, system.unscored) for system in tile.systems} == dict.fromkeys(
        ("", "x", "y"), (40, 1 / 3)
    )
    by_system = {part.name: part for part in break_down(store, dataset, judge, tile, "system").slices}
    for system in tile.systems[1:]:
        assert_same_mean(by_system[system.name].mean, system.means[0])


def test_more_scores_than_are_held_in_memory_are_not_parted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [Cell(n, "turn:1", (3.0,), 3.0 + n % 2, "blind", 0.5) for n in range(60)]
    dataset, judge = fill(store, cells)
    [tile] = tiles(store, dataset, judge, "helpfulness")
    monkeypatch.setattr(breakdown, "MOST_CELLS", 59)
    with pytest.raises(BadInput) as refused:
        break_down(store, dataset, judge, tile, "system")
    assert str(refused.value) == "There are 60 scores of helpfulness, and at most 59 are held in memory at a time."
    monkeypatch.setattr(breakdown, "MOST_CELLS", 60)
    assert len(break_down(store, dataset, judge, tile, "system").slices) == 2


def test_over_days_on_which_the_judge_judged_and_strata_that_are_no_systems(store: Store) -> None:
    cells = [Cell(n, "turn:1", (3.0,), "unscored", "blind", 0.5) for n in range(6)]
    dataset, judge = fill(store, cells)
    items = [str(i) for (i,) in store.rows("select id from item order by name")]
    with frozen_clock() as clock:
        for number, item in enumerate(items):
            add_judgment(store, judge, item, {"turn:1": 2.0 + number % 2}, "r0")
            clock.pass_(days=number == 2)
    strata = [(dataset, item, f"band {n % 2}") for n, item in enumerate(items)]
    ask = counted_dimension(next(d for d in calibration.compared_dimensions(store, judge) if d.name == "helpfulness"))
    assert list(breakdown_fields(store, dataset, judge, ask)) == ["run", "day", "system", "position"]
    store.tx("lea", "strata", lambda tx: tx.add("stratum", "dataset_id, item_id, stratum", strata))
    fields = breakdown_fields(store, dataset, judge, ask)
    assert list(fields) == ["run", "day", "system", "position"], "drawn by system"
    other = [(dataset, item, f"zone {n // 2 % 3}") for n, item in enumerate(items)]
    store.tx("lea", "strata", lambda tx: tx.add("stratum", "dataset_id, item_id, stratum", other))
    fields = breakdown_fields(store, dataset, judge, ask)
    assert fields["stratum"] == breakdown.BreakdownField("stratum of the draw")
    assert fields["day"] == breakdown.BreakdownField("day of the judgment (UTC)", True, True)
    [tile] = tiles(store, dataset, judge, "helpfulness")
    split = break_down(store, dataset, judge, tile, "day")
    assert [(part.name, part.judge.items) for part in split.slices] == [("2026-03-02", 3), ("2026-03-03", 3)]


def test_what_was_scored_before_something_had_two_samples_stays_under_its_run_and_day(store: Store) -> None:
    """All of it was under the run, and the day, of the first second sample."""
    dataset, judge = fill(store, [Cell(n, "turn:1", (), "unscored") for n in range(6)])
    items = [str(i) for (i,) in store.rows("select id from item order by name")]
    with frozen_clock() as clock:
        for number, item in enumerate(items):
            add_judgment(store, judge, item, {"turn:1": 2.0 + number % 2}, f"r{number // 3}")
            clock.pass_(days=number == 2)
        add_judgment(store, judge, items[5], {"turn:1": 4.0}, "r1", sample=1)
        other, _ = fill(store, [Cell(0, "turn:1", (), "unscored")], "other")
        add_judgment(store, judge, content_id("other", 0), {"turn:1": 3.0}, "r2")
    [tile] = tiles(store, dataset, judge, "helpfulness")
    assert list(breakdown_fields(store, other, judge, tile.counted)) == ["position"], "of this dataset's judgments"
    for by in ("run", "day"):
        split = break_down(store, dataset, judge, tile, by)
        assert [part.judge.items for part in split.slices] == [3, 3]


def test_over_runs_and_many_values(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [Cell(n, "turn:1", (3.0 + n // 30 % 2,), 3.0 + n // 30 % 2, "blind", 0.5) for n in range(90)]
    many = {n: json.dumps({"customer": f"客 {n % 30:02d}", "pad": "x" * (n % 2)}) for n in range(90)}
    dataset, judge = fill(store, cells, meta=many)
    other, _ = fill(store, [Cell(n, "turn:1", (), "unscored") for n in range(4)], "other")
    [tile] = tiles(store, dataset, judge, "helpfulness")
    split = break_down(store, dataset, judge, tile, "meta.customer")
    assert len(split.slices) == 12 and split.slices[-1].name == "all others (19 values)" and split.rest == 19
    assert sum(s.judge.items for s in split.slices) == 90 and split.without == 0
    assert split.slices[0].judge.low is not None and split.slices[-1].mean.interval.point is not None
    assert "run" not in breakdown_fields(store, dataset, judge, tile.counted)
    ids = [str(i) for (i,) in store.rows("select id from item where dataset_id = $1", [other])]
    for number, item in enumerate(ids):
        add_judgment(store, judge, item, {"turn:1": 5.0}, f"r{number // 2}")
    approve(store, other, judge, "helpfulness")
    [tile] = dashboard.tiles(store, other, judge, dashboard.approvals_by_judge(store, other)[judge])
    split = break_down(store, other, judge, tile, "run")
    assert [s.judge.items for s in split.slices] == [2, 2] and split.overall.judge.point == 5.0
    assert split.overall.judge.low is None, "that all are equal says nothing of how far others lie"
    monkeypatch.setattr(breakdown, "MAX_TIME_STEPS", 2)
    for number, item in enumerate(ids[:2]):
        add_judgment(store, judge, item, {"turn:2": 4.0}, f"later {number}")
    [tile] = dashboard.tiles(store, other, judge, dashboard.approvals_by_judge(store, other)[judge])
    split = break_down(store, other, judge, tile, "run")
    sizes = [(s.name == "earlier runs", s.judge.items) for s in split.slices]
    assert sizes == [(True, 4), (False, 1)], "the oldest together"


def test_why_a_slice_has_no_figure_is_said_in_a_sentence() -> None:
    def why(items: int = 3, low: float | None = None, **mean: Any) -> str:
        figures = {"refused": False, "missing": 0, "n": 40, "interval": SimpleNamespace(low=low, n_eff=12.9), **mean}
        part: Any = SimpleNamespace(
            judge=SimpleNamespace(items=items), mean=SimpleNamespace(**figures) if mean else None
        )
        return explain_missing_figure(part)

    assert why(3) == "not shown: the mean of all would then tell those of the slices that have too few items"
    assert why(2) == "too few: fewer than 3 items, of which a mean would give single scores away"
    refused = why(refused=True, uncovered=0.2, missing=9)
    assert refused == "not corrected: 20% of the judge's answers lie where nobody has labelled one"
    assert why(missing=1, n=29) == "not corrected: 29 labelled, 30 needed"
    assert why(missing=1, n=1030) == "not corrected: 1,030 labelled, worth 12 (unequal chances, n/a), 30 needed"
    assert why(n=30) == "no interval: the labels of this slice have no spread"
    assert why(n=30, low=0.0) == ""


def test_a_field_parts_items_where_several_values_have_several_items_each() -> None:
    for text, repeated, alone in (("", False, False), ("aa", False, False), ("ab", True, True), ("aabb", True, False)):
        column: Any = np.array([*text, "", "", ""], dtype=object)
        assert (breakdown._several(column), breakdown._unique(column)) == (repeated, alone), text
    assert breakdown._unique(np.array([*"aabc"], dtype=object)), "three values of four items"
