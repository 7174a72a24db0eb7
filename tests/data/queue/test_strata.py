"""Draws from strata by score, confidence, language and meta: kept from the first draw on, with right chances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from data.calibration import calibration, forecast
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue, strata
from data.store import Store, open_store
from data.store.errors import BadInput
from data.store.ids import content_id
from judges.stats import sampling
from judges.stats.calibration import summarise
from judges.stats.sampling import SampleDesign
from judges.types import Dimension, Scale
from tests import seeds
from tests.data.cells import Cell, fill
from tests.data.imports import bring

HELP = "turn.helpfulness"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """40 dialogues: helpfulness 1 of four, 3 of eight, 4 of the others; all else is 4 or 5. Languages and a field."""
    items = [seeds.dialogue(n, 1, text="返金のご依頼を承りました。" * 3 if n % 2 else "") for n in range(1, 41)]
    for n, item in enumerate(items):
        item["meta"] = {"領域": "請求" if n < 10 else "配送"} | ({"odd": True} if n == 3 else {})
    judged = [seeds.judgment(i, seeds.reply(i, 1 if n < 4 else 3 if n < 12 else 4)) for n, i in enumerate(items)]
    workspace = seeds.workspace(tmp_path / "s.duckdb", [*items, *judged], review=False)
    yield workspace
    workspace.close()


def dataset_id(store: Store) -> str:
    return str(store.rows("select id from dataset")[0][0])


def judge(store: Store) -> str:
    return str(store.rows("select id from judge order by seq limit 1")[0][0])


def stratum_sizes(store: Store, **design: str) -> dict[str, int]:
    """Stratum -> items, of a design."""
    return forecast.sizes_of(
        strata.sampled_population(store, dataset_id(store), SampleDesign(**design)).strata  # type: ignore[arg-type]
    )


def test_what_items_are_parted_by(store: Store) -> None:
    judge_id = judge(store)
    assert stratum_sizes(store, by="score", judge=judge_id) == {
        "lowest score 1": 4, "lowest score 3": 8, "lowest score 4": 28,
    }  # fmt: skip
    assert stratum_sizes(store, by="score", of=HELP, judge=judge_id) == {
        "helpfulness 1": 4, "helpfulness 3": 8, "helpfulness 4": 28,
    }  # fmt: skip
    assert stratum_sizes(store, by="score", of="conversation.verdict", judge=judge_id) == {"verdict excellent": 40}
    assert stratum_sizes(store, by="language") == {"Japanese": 20, "Latin script": 20}
    assert stratum_sizes(store, by="meta", of="領域") == {"領域 請求": 10, "領域 配送": 30}
    assert stratum_sizes(store, by="meta", of="odd") == {"no odd": 39, "odd yes": 1}
    assert strata.meta_fields(store, dataset_id(store)) == ["領域"], "one value is no way to part items"
    assert sum(stratum_sizes(store).values()) == 40


def test_a_field_parts_items_into_no_more_than_the_strata_that_a_sample_can_have(tmp_path: Path) -> None:
    most = sampling.MAX_STRATA
    metas = [{"most": n % most, "more": n} for n in range(most + 1)]
    workspace = seeds.workspace(
        tmp_path / "f.duckdb", [{**seeds.dialogue(n, 1), "meta": meta} for n, meta in enumerate(metas)], review=False
    )
    bring(workspace, [{**seeds.dialogue(n, 1), "meta": {"other": n}} for n in range(2)])
    assert strata.meta_fields(workspace, dataset_id(workspace)) == ["most"], "of this dataset only"
    workspace.close()


def test_items_that_name_no_system_are_a_stratum_that_can_be_drawn_from_again(tmp_path: Path) -> None:
    items = [{key: value for key, value in seeds.dialogue(n, 1).items() if key != "system"} for n in range(1, 9)]
    workspace = seeds.workspace(tmp_path / "n.duckdb", [*items, seeds.dialogue(9, 1)], review=False)
    assert [queue.draw_audit(workspace, "lea", dataset_id(workspace), 4, "", seed) for seed in (1, 2)] == [4, 4]
    assert stratum_sizes(workspace) == {"": 8, "model-x": 1}
    workspace.close()


def test_what_cannot_part_them_is_said_in_a_sentence(store: Store) -> None:
    judge_id, dataset = judge(store), dataset_id(store)
    for design, why in (
        (SampleDesign("confidence", judge=judge_id), "states no confidence and has one sample per item"),
        (SampleDesign("meta", of="topic"), "No item of this dataset has a field 'topic' .* There are: odd, 領域"),
        (SampleDesign("score", of="turn.wit", judge=judge_id), "has no dimension called 'turn.wit'"),
        (SampleDesign("score", judge="nobody"), "has no dimension on an ordered scale"),
        (
            SampleDesign("score", of="conversation.repair_handling", judge=judge_id),
            "has scored no item of this dataset on",
        ),
        (
            SampleDesign("score", judge=judge_id, allocation="neyman", about="turn.wit"),
            "has no dimension called 'turn.wit'",
        ),
    ):
        with pytest.raises(BadInput, match=why):
            queue.plan_audit(store, dataset, 10, "", design)
        with pytest.raises(BadInput, match=why):
            queue.draw_audit(store, "lea", dataset, 10, "", 1, design)
    assert store.rows("select count(*) from stratum") == store.rows("select count(*) from draw") == [(0,)]


def test_confidence_is_stated_or_that_of_samples(tmp_path: Path) -> None:
    items = [seeds.dialogue(n, 1) for n in range(1, 9)]
    lines = [seeds.judgment(i, seeds.reply(i, 4), sample=s) for i in items for s in (0, 1)]
    for line in lines[1::4]:  # the second sample of every other item differs
        line["reply"] = seeds.reply(items[0], 2)
    store = seeds.workspace(tmp_path / "s.duckdb", [*items, *lines], review=False)
    sizes = stratum_sizes(store, by="confidence", judge=judge(store))
    assert len(sizes) == 2 and set(sizes.values()) == {4}
    store.close()


def test_scores_on_several_scales_are_parted_by_their_place_between_the_ends(tmp_path: Path) -> None:
    """Of 0 to 10 beside 1 to 5: a 4 of the one is lower than a 3 of the other."""
    opened = open_store(f"duckdb:///{tmp_path}/cells.duckdb")
    scales = {"flow": Scale("ordinal", 1, 5), "depth": Scale("interval", 0, 10)}
    dimensions = [Dimension(name, "turn", scale, "?") for name, scale in scales.items()]
    scores = {0: (1.0, 10.0), 1: (3.0, 4.0), 2: (3.0, 10.0), 3: (5.0, 10.0), 4: (5.0, None)}
    cells = [
        Cell(n, "turn:1", (), value, dimension=name)
        for n, values in scores.items() for name, value in zip(scales, values, strict=True)
    ]  # fmt: skip
    dataset, judge_id = fill(opened, cells)
    with patch.object(strata, "compared_dimensions", lambda *_: dimensions):
        parts = strata.stratum_words(opened, dataset, SampleDesign("score", judge=judge_id))
    opened.close()
    assert [parts[content_id("demo", n)].removeprefix("lowest score of 0 to 1, ") for n in scores] == [
        "0.00", "0.40", "0.50", "1.00", "1.00"
    ]  # fmt: skip


def test_a_draw_by_score_keeps_its_strata_whatever_the_judge_says_later(store: Store, tmp_path: Path) -> None:
    dataset, judge_id = dataset_id(store), judge(store)
    design = SampleDesign("score", judge=judge_id, allocation="root")
    shares = {s.stratum: (s.items, s.now, s.blind) for s in queue.plan_audit(store, dataset, 13, "", design)}
    # 13 in the proportions 2 : 2.83 : 5.29 are 2.57, 3.63 and 6.80
    assert shares == {
        "lowest score 1": (4, 2, 2 / 4), "lowest score 3": (8, 4, 4 / 8), "lowest score 4": (28, 7, 7 / 28),
    }  # fmt: skip
    assert queue.draw_audit(store, "lea", dataset, 13, "", 1, design) == 13
    assert store.rows("select count(*) from stratum") == [(40,)]
    assert strata.current_design(store, dataset) == design
    before = strata.sampled_population(store, dataset, design).strata
    # The judge says otherwise of all: nothing moves, as the chances to have been drawn do not.
    items = [seeds.dialogue(n, 1, text="返金のご依頼を承りました。" * 3 if n % 2 else "") for n in range(1, 41)]
    again = [seeds.judgment(i, seeds.reply(i, 2), sample=1) for i in items]
    import_source(store, "lea", from_path(seeds.lines(tmp_path / "again.jsonl", again)), ImportPlan(dataset="demo"))
    assert strata.sampled_population(store, dataset, design).strata == before
    assert queue.draw_audit(store, "lea", dataset, 13, "", 2) == 13
    rows = store.rows(
        "select s.stratum, count(*), count(d.id), min(d.probability), max(d.probability) from stratum s "
        "left join draw_now d on d.item_id = s.item_id group by s.stratum"
    )
    for _, size, drawn, low, high in rows:
        assert low == high == pytest.approx(drawn / size)
    with pytest.raises(BadInput, match="stratified by the judge's lowest score at their first draw"):
        queue.draw_audit(store, "lea", dataset, 5, "", 3, SampleDesign())
    with pytest.raises(BadInput, match="at their first draw"):  # by the same score of another judge
        queue.draw_audit(store, "lea", dataset, 5, "", 3, replace(design, judge="another judge"))
    assert queue.draw_audit(
        store, "lea", dataset, 5, "", 3, SampleDesign("score", judge=judge_id, allocation="neyman", about=HELP)
    )
    [(action,)] = store.rows("select action from change where action like '%Neyman%'")
    assert action == "draw audit sample (seed 3, by the judge's lowest score, Neyman)"


def test_items_that_come_in_later_may_be_parted_otherwise(store: Store, tmp_path: Path) -> None:
    dataset, judge_id = dataset_id(store), judge(store)
    queue.draw_audit(store, "lea", dataset, 12, "", 1, SampleDesign("score", judge=judge_id, allocation="root"))
    first = dict(store.rows("select item_id, stratum from stratum"))
    assert not strata.sampled_population(store, dataset, SampleDesign("score", judge=judge_id)).open, (
        "all have their stratum"
    )
    more = [{**seeds.dialogue(n, 1), "meta": {"領域": "返品"}} for n in range(41, 53)]
    import_source(store, "lea", from_path(seeds.lines(tmp_path / "more.jsonl", more)), ImportPlan(dataset="demo"))
    assert strata.sampled_population(store, dataset, SampleDesign("meta", of="領域")).open
    queue.draw_audit(store, "lea", dataset, 12, "", 2, SampleDesign("meta", of="領域"))
    now = dict(store.rows("select item_id, stratum from stratum"))
    assert {i: now[i] for i in first} == first and len(now) == 52
    assert {h for i, h in now.items() if i not in first} == {"領域 返品 (added later, 1)"}
    for stratum, drawn, p in store.rows("select stratum, count(*), max(probability) from draw_now group by stratum"):
        assert p == pytest.approx(drawn / Counter(now.values())[stratum])


def test_a_dataset_drawn_before_strata_were_stored_goes_on_by_system(store: Store) -> None:
    dataset = dataset_id(store)
    with patch.object(strata, "store_strata"):  # as a store of before is: draws, and no strata
        queue.draw_audit(store, "lea", dataset, 9, "", 1)
    assert store.rows("select count(*) from stratum") == store.rows("select count(*) from design") == [(0,)]
    assert strata.current_design(store, dataset) == SampleDesign()
    with pytest.raises(BadInput, match="stratified by system at their first draw"):
        queue.plan_audit(store, dataset, 9, "", SampleDesign("score", judge=judge(store)))
    assert queue.draw_audit(store, "lea", dataset, 9, "", 2) == 9
    assert {r[0] for r in store.rows("select distinct stratum from stratum")} == {"model-x", "model-y", "model-z"}


def test_strata_enter_the_error_of_cells_and_of_sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_store(f"duckdb:///{tmp_path}/cells.duckdb")
    rng = np.random.default_rng(5)
    scores = rng.choice([1, 2, 3, 4, 5], 150, p=[0.1, 0.1, 0.1, 0.2, 0.5])
    chance = {1: 0.9, 2: 0.8, 3: 0.7, 4: 0.4, 5: 0.2}
    cells = [
        Cell(n, "turn:1", (float(np.clip(j + rng.integers(-1, 2), 1, 5)),), float(j), probability=chance[int(j)])
        for n, j in enumerate(scores)
    ]
    dataset, judge_id = fill(opened, cells)
    dimension = next(d for d in calibration.compared_dimensions(opened, judge_id) if d.name == "helpfulness")
    assert calibration.load_paired_ratings(opened, dataset, judge_id, dimension, "gate").stratum is None, (
        "drawn by system"
    )
    row = ("d", dataset, "score", "", judge_id, "root", "")
    columns = "id, dataset_id, parted_by, field, judge_id, allocation, about"
    opened.tx("lea", "draw", lambda tx: tx.add("design", columns, [row]))
    ratings = calibration.load_paired_ratings(opened, dataset, judge_id, dimension, "gate")
    assert ratings.stratum is not None and len(np.unique(ratings.stratum)) == 5
    assert calibration.load_paired_ratings(opened, dataset, judge_id, dimension, "blind").stratum is None
    monkeypatch.setattr("judges.stats.intervals.LINEARISE_FROM", 50)
    single = summarise(ratings, dimension).interval
    summed = summarise(
        calibration.load_rating_sums(opened, dataset, judge_id, [dimension], "gate")[0], dimension
    ).interval
    assert summed.se == pytest.approx(single.se) and summed.point == pytest.approx(single.point)
    loose = summarise(
        type(ratings)(ratings.item, ratings.human, ratings.judge, ratings.scored, ratings.weight), dimension
    ).interval
    assert loose.point == pytest.approx(single.point) and single.se < loose.se
    opened.close()


def test_the_outlook_of_a_judge(store: Store) -> None:
    dataset, judge_id = dataset_id(store), judge(store)
    parts = strata.sampled_population(store, dataset, SampleDesign("score", judge=judge_id)).strata
    known = forecast.known_population(store, dataset, parts, judge_id, forecast.dimension_of(store, judge_id, HELP))
    cells = Counter(zip(known.stratum[known.item].tolist(), (known.judge + 1).tolist(), strict=True))
    assert cells == {(0, 1): 4, (1, 3): 8, (2, 4): 28}, "every item's own score, once"
    outlooks = forecast.forecast_draw(store, dataset, parts, judge_id, HELP, 20, [0.6, 0.75], 0.5, 2.57, 30, 40, 0.95)
    assert list(outlooks) == [None, "proportional", "root", "neyman"]
    for outlook in outlooks.values():
        assert 0 < outlook.half_width[0] <= outlook.half_width[1] and 30 <= outlook.free[0] <= 40
    with pytest.raises(BadInput, match="gives every item the same safety"):
        forecast.forecast_draw(store, dataset, parts, judge_id, "turn.safety", 20, [0.6], 0.5, 2.57, 30, 40, 0.95)
    with pytest.raises(BadInput, match="no scores of repair handling"):
        forecast.forecast_draw(
            store, dataset, parts, judge_id, "conversation.repair_handling", 20, [0.6], 0.5, 2.57, 30, 40, 0.95
        )


def test_a_forecast_looks_at_so_many_items_of_each_stratum(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    judge_id = judge(store)
    parts = strata.sampled_population(store, dataset_id(store), SampleDesign("score", judge=judge_id)).strata
    for limit, looked in ((400, [4, 8, 28]), (5, [4, 5, 5])):
        monkeypatch.setattr(forecast, "MAX_ITEMS_PER_STRATUM", limit)
        population = forecast.known_population(
            store, dataset_id(store), parts, judge_id, forecast.dimension_of(store, judge_id, HELP)
        )
        assert (
            np.bincount(population.stratum).tolist()
            == np.bincount(population.stratum[population.item]).tolist()
            == looked
        )
        assert population.sizes.tolist() == [4, 8, 28]


def test_where_a_judge_gives_all_the_same_neyman_is_the_square_root(store: Store) -> None:
    parts, judge_id = strata.sampled_population(store, dataset_id(store), SampleDesign()).strata, judge(store)
    worth = {
        about: forecast.stratum_worth(
            store, dataset_id(store), parts, SampleDesign("system", "", judge_id, "neyman", about)
        )
        for about in ("turn.safety", HELP)
    }
    assert worth["turn.safety"] == sampling.allocation_weights(forecast.sizes_of(parts), "root") != worth[HELP]
    nothing = SampleDesign("system", "", judge_id, "neyman", HELP)
    assert forecast.stratum_worth(store, dataset_id(store), {}, nothing) == {}


def test_neyman_learns_from_labels(tmp_path: Path) -> None:
    """People differ where the judge says 4, by chance, and agree with it where it says 2: then there is more to ask."""
    opened, rng = open_store(f"duckdb:///{tmp_path}/cells.duckdb"), np.random.default_rng(5)

    def share(name: str, labelled: bool) -> float:
        labels = {2: lambda: 2.0, 4: lambda: float(rng.integers(1, 6))}
        cells = [
            Cell(n, "turn:1", (labels[j](),) if labelled else (), float(j), probability=0.5 if labelled else None)
            for n, j in enumerate([2, 4] * 60)
        ]
        dataset, judge_id = fill(opened, cells, name)
        design = SampleDesign("score", of=HELP, judge=judge_id, allocation="neyman", about=HELP)
        worth = forecast.stratum_worth(opened, dataset, strata.stratum_words(opened, dataset, design), design)
        return worth["helpfulness 4"] / sum(worth.values())

    assert share("with labels", True) > share("without", False) + 0.1
    opened.close()
