"""Dimensions of numbers with fractions through the store: gold, figures, people, approval and dashboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from data.annotators import annotators, drift
from data.approvals import approvals, case, check_results, policy
from data.approvals.rules import Requirements
from data.calibration import (
    anchoring,
    auto_accept,
    baselines,
    calibration,
    comparison,
    confidence,
    forecast,
    human_ceiling,
    slices,
)
from data.dashboard import dashboard
from data.gold import disputes
from data.gold.gold import gold_sql
from data.records import datasets, settings
from data.records.settings import GoldRule
from data.reports import report
from data.reports.statistics import load_figures
from data.store import Store
from judges.authoring.custom import from_recipe
from judges.authoring.recipe import check_recipe
from judges.cli import main
from judges.gold import resolve
from judges.stats import bins
from judges.stats import calibration as stats_calibration
from judges.stats.raters import alternative_annotator
from judges.stats.threshold import explain, flag_thresholds, rates_at_threshold
from judges.types import Dimension, Scale
from tests.data.imports import bring, workspace

ITEMS, PEOPLE = 150, 3
SCALES: dict[str, dict[str, Any]] = {
    "tone": {"kind": "interval", "lo": 0, "hi": 1},
    "worth": {"kind": "interval", "lo": 1, "hi": 5, "step": 0.5},
    "grade": {"kind": "interval", "lo": 0, "hi": 100, "step": 1},
    "plain": {"kind": "ordinal", "lo": 1, "hi": 5},
}


def _to_answer(name: str, z: float) -> float:
    low, high = SCALES[name]["lo"], SCALES[name]["hi"]
    step = SCALES[name].get("step", 1 if name == "plain" else 0)
    value = float(np.clip((low + high) / 2 + (high - low) * z / 5, low, high))
    return low + round((value - low) / step) * step if step else value


def _material() -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]]:
    """The lines of an import, the judge's value and people's of each item, by dimension."""
    rng = np.random.default_rng(3)
    dimensions = [{"name": n, "unit": "response", "definition": "How much?", "answers": a} for n, a in SCALES.items()]
    card = from_recipe(check_recipe({"name": "mix", "title": "Mix", "kind": "response", "dimensions": dimensions}))
    rows: list[dict[str, Any]] = [{"card": card.spec}]
    true = rng.normal(size=ITEMS)
    judged = {n: [_to_answer(n, z) for z in true + 0.5 * rng.normal(size=ITEMS)] for n in SCALES}
    people = {n: [[_to_answer(n, z + 0.4 * rng.normal()) for _ in range(PEOPLE)] for z in true] for n in SCALES}
    for i in range(ITEMS):
        words = "word " * int(rng.integers(5, 60))
        about = {"task": "t", "output": f"{i} {words}", "reference": "", "system": f"s{i % 2}", "meta": {"k": i % 3}}
        rows.append({"id": f"r{i}", "kind": "response", **about})
        sure = {"unit": "response", "confidence": 0.5 + i % 4 / 8}
        scores = [{**sure, "dimension": n, "value": judged[n][i]} for n in SCALES]
        rows.append({"item": f"r{i}", "card": "mix", "model": "m", "scores": scores})
        rows += [
            {"item": f"r{i}", "unit": "response", "dimension": n, "value": people[n][i][p], "annotator": f"p{p}",
             "mode": "blind", "made_at": f"2026-01-{1 + i % 28:02d}T00:00:0{p}Z", "probability": 0.5}
            for p in range(PEOPLE) for n in SCALES
        ]  # fmt: skip
    return rows, judged, people


ROWS, JUDGED, ANSWERS = _material()
Place = tuple[Store, str, str, dict[str, Dimension]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    store = workspace(tmp_path_factory.mktemp("interval"))
    bring(store, ROWS, sampling="random")
    dataset, judge_id = (str(store.rows(f"select id from {table}")[0][0]) for table in ("dataset", "judge"))
    yield store, dataset, judge_id, {d.name: d for d in calibration.compared_dimensions(store, judge_id)}
    store.close()


def _gold(name: str) -> Any:
    return np.sort(np.array(ANSWERS[name]), axis=1)[:, (PEOPLE - 1) // 2]


@pytest.mark.parametrize("name", SCALES)
def test_figures_are_those_of_the_values_with_every_digit(place: Place, name: str) -> None:
    store, dataset, judge_id, dimensions = place
    d, x, y = dimensions[name], _gold(name), np.array(JUDGED[name])
    stored = store.rows("select value from score where dimension = $1", [name])
    assert sorted(value for (value,) in stored) == sorted(y.tolist())
    summary = stats_calibration.summarise(calibration.comparison_input(store, dataset, judge_id, d, "blind"), d)
    summed = stats_calibration.summarise(calibration.load_rating_sums(store, dataset, judge_id, [d], "blind")[0], d)
    lin = 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    assert summary.interval.point == pytest.approx(lin, abs=1e-12)
    assert summed.interval.point == pytest.approx(lin, abs=1e-9)
    assert summed.interval.se == pytest.approx(summary.interval.se, rel=0.2)
    assert (summed.counts == summary.counts).all() and summary.counts.sum() == ITEMS
    assert (summed.exact, summed.within_one) == pytest.approx((summary.exact, summary.within_one))
    assert summary.mean_difference == pytest.approx((y - np.mean(ANSWERS[name], axis=1)).mean())
    if d.scale.step or name == "plain":
        whole = [np.round((side - d.scale.lo) / (d.scale.step or 1)).astype(int) for side in (x, y)]
        steps = list(range(round((d.scale.hi - d.scale.lo) / (d.scale.step or 1)) + 1))
        assert summary.interval.point == pytest.approx(cohen_kappa_score(*whole, weights="quadratic", labels=steps))
    concordance = load_figures(store, "others", dataset, judge_id, d, "blind").concordance
    assert concordance is not None and concordance.kendall.point == pytest.approx(stats.kendalltau(x, y)[0])
    assert concordance.spearman.point == pytest.approx(stats.spearmanr(x, y)[0])
    assert concordance.mae.point == pytest.approx(np.abs(x - y).mean())


@pytest.mark.slow
@pytest.mark.parametrize("name", SCALES)
def test_every_cell_of_the_table_lists_its_items(place: Place, name: str) -> None:
    store, dataset, judge_id, dimensions = place
    d = dimensions[name]
    summary = stats_calibration.summarise(calibration.comparison_input(store, dataset, judge_id, d, "blind"), d)
    for i, j in [*zip(*np.nonzero(summary.counts), strict=True)][:12]:
        listed = calibration.list_cells(store, "lea", dataset, judge_id, d, "blind", summary.codes[i], summary.codes[j])
        assert len(listed) == summary.counts[i, j]
    of = [
        len(dashboard.list_items(store, dataset, judge_id, d, "s0", n, "lea")) for n in range(bins.row_count(d.scale))
    ]
    assert sum(of) == ITEMS / 2
    labels = annotators.dimension_labels(store, dataset, d, "blind")
    table = drift.table_with_others(labels, 0)
    first, second = np.argwhere(table)[0]
    assert table.sum() == ITEMS
    assert len(drift.find_cells(store, "lea", labels, 0, first, second)) == table[first, second]


@pytest.mark.parametrize("name", SCALES)
def test_people_among_themselves_go_by_values(place: Place, name: str) -> None:
    store, dataset, judge_id, dimensions = place
    d, answers = dimensions[name], np.array(ANSWERS[name])
    pairs = [(answers[:, a], answers[:, b]) for a, b in combinations(range(PEOPLE), 2)]
    one, other = (np.concatenate(side) for side in zip(*pairs, strict=True))
    x, y = np.concatenate([one, other]), np.concatenate([other, one])
    ceiling = human_ceiling.measure_ceiling(store, dataset, judge_id, d)
    assert ceiling is not None and ceiling.judge is not None
    assert ceiling.between.point == pytest.approx(2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var()))
    if d.scale.kind == "interval":  # alpha by its definition: within cells against among all
        within = sum(((row[:, None] - row[None, :]) ** 2).sum() / (PEOPLE - 1) for row in answers)
        among = ((answers.ravel()[:, None] - answers.ravel()[None, :]) ** 2).sum()
        assert ceiling.alpha.point == pytest.approx(1 - (answers.size - 1) * within / among)
    rows = {annotator.name: annotator for annotator in annotators.find_annotators(store, dataset, d, "blind")}
    others = np.sort(answers[:, 1:], axis=1)[:, 0]  # the lower of the two
    assert rows["p0"].agreement is not None and rows["p0"].shared == ITEMS
    mean = (answers[:, 0] - others).mean(), 2 * np.cov(answers[:, 0], others, ddof=0)[0, 1]
    assert rows["p0"].agreement.point == pytest.approx(mean[1] / (answers[:, 0].var() + others.var() + mean[0] ** 2))
    test = alternative_annotator.run_test(annotators.dimension_labels(store, dataset, d, "blind", judge_id).ratings)
    away = [((side[:, None] - answers[:, 1:]) ** 2).sum(axis=1) for side in (np.array(JUDGED[name]), answers[:, 0])]
    assert test.people[0].judge == pytest.approx((away[0] <= away[1] + 1e-9).mean())


@pytest.mark.slow
def test_it_is_approved_and_published_with_the_corrected_mean(place: Place) -> None:
    store, dataset, judge_id, dimensions = place
    policy.set_requirements(store, "lea", Requirements(imported=True), "A test.")
    lines = {line.dimension.name: line for line in check_results.dimension_results(store, dataset, judge_id)}
    assert {line.check.state for line in lines.values()} == {"meets policy"}
    for name in SCALES:
        open_case = case.find_case(store, dataset, judge_id, "response", name)
        approvals.record_decision(
            store, "lea", dataset, judge_id, "response", name, "approve", "Good.", case.seen_mark(store, open_case)
        )
    dataset_row = next(d for d in datasets.all_datasets(store) if d.id == dataset)
    published = dashboard.load_judge(store, dataset_row, judge_id)
    assert len(published.tiles) == len(SCALES)
    for tile in published.tiles:
        name = tile.counted.dimension.name
        for system in tile.systems:
            odd = int(system.name[1:])
            [mean] = system.means
            assert mean.interval.point == pytest.approx(np.mean(ANSWERS[name], axis=1)[odd::2].mean())
            assert mean.judge == pytest.approx(np.mean(JUDGED[name][odd::2])) and not mean.refused
            assert sum(system.answer_shares) == pytest.approx(1) and len(system.answer_shares) == bins.row_count(
                dimensions[name].scale
            )


@pytest.mark.slow
def test_everything_else_that_looks_into_a_dimension_does(place: Place) -> None:
    store, dataset, judge_id, dimensions = place
    ids = {str(row[0]): "all" for row in store.rows("select id from item")}
    for d in dimensions.values():
        assert len(slices.slice_cells(store, dataset, judge_id, d, "blind").cells.item) == ITEMS
        [sure] = confidence.confidence_cells(store, dataset, judge_id, d, "blind")[0].values()
        off = bins.steps_apart(_gold(d.name), JUDGED[d.name], d.scale)
        assert sorted(sure.off.tolist()) == sorted(off.tolist())
        source = next(iter(auto_accept.confidence_sources(store, dataset, judge_id, d)))
        known = auto_accept.item_confidence(store, dataset, judge_id, d, source)
        assert 0 < auto_accept.verdict_cells(store, dataset, judge_id, d, "blind", known).agree.mean() < 1
        arms = anchoring.arms(store, dataset, judge_id, d, "imported")
        assert anchoring.arms(store, dataset, judge_id, d, "gate").blind.labels == 0, "as kappa beside it"
        assert arms.blind.labels == ITEMS * PEOPLE and arms.assisted == (0, 0, 0, None)
        both = comparison.compared_cells(store, dataset, [judge_id], d, "blind").cells
        assert set(both.judges) == {judge_id, comparison.LENGTH, comparison.CONSTANT}
        of = ids, judge_id, f"response.{d.name}", 100, [0.6]
        ahead = forecast.forecast_draw(store, dataset, *of, 0.5, 2.0, 100, 900, 0.95)
        assert 0 < ahead[None].half_width[0] < 0.4
        opinion = annotators.estimate_dawid_skene(store, dataset, d, "blind")
        assert opinion is not None and all(len(row.labels) == PEOPLE for row in opinion.differing_cells)
    by_dimension = baselines.measure_baselines(store, dataset, judge_id, list(dimensions.values()), "blind")
    assert all(baseline.length is not None and baseline.standing == "beats" for baseline in by_dimension.values())


@pytest.mark.slow
def test_the_report_says_that_tables_are_binned_and_gives_the_figures_beside_kappa(place: Place) -> None:
    store, dataset, judge_id, _ = place
    page = report.make_report(store, "lea", dataset, judge_id)
    near = [f"differ by {step} or less" for step in ("0.5", "0.1", "one step")]
    for text in ("kappa is Lin", "ICC(A,1)", "ten equal bins", *near):
        assert text in page, text


def test_gold_is_the_middle_value_the_mean_or_the_commonest_as_the_rule_says(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bring(store, ROWS)
    dataset, judge_id = (str(store.rows(f"select id from {table}")[0][0]) for table in ("dataset", "judge"))
    d = {dimension.name: dimension for dimension in calibration.compared_dimensions(store, judge_id)}
    for rule, expected in (("mean", np.mean(ANSWERS["tone"], axis=1)), ("majority", _gold("tone"))):
        settings.set_gold_rule(store, "lea", dataset, GoldRule(rule))  # type: ignore[arg-type]
        gold = calibration.load_paired_ratings(store, dataset, judge_id, d["tone"], "blind").human
        assert np.sort(gold) == pytest.approx(np.sort(expected), abs=1e-12)
        values = ANSWERS["tone"][0]
        assert resolve(values, d["tone"].scale, rule) == (  # type: ignore[arg-type]
            (pytest.approx(expected[0]), "mean" if rule == "mean" else "median")
        )
    settings.set_gold_rule(store, "lea", dataset, GoldRule("mean"))
    assert np.all(calibration.load_paired_ratings(store, dataset, judge_id, d["plain"], "blind").human % 1 == 0)
    labels = annotators.dimension_labels(store, dataset, d["tone"], "blind")
    others = bins.from_codes(labels.others[labels.ratings.person == 0], d["tone"].scale)
    assert np.sort(others) == pytest.approx(
        np.sort(np.mean(np.array(ANSWERS["tone"])[:, 1:], axis=1))
    )
    settings.set_gold_rule(store, "lea", dataset, GoldRule("median", 1))
    waiting = {(cell.name, cell.dimension) for cell in disputes.cells_to_adjudicate(store, dataset)}
    conflicts = {
        (f"r{i}", n) for n in SCALES for i, answers in enumerate(ANSWERS[n]) if max(answers) - min(answers) > 1
    }
    wide = len([pair for pair in conflicts if pair[1] == "grade"])
    assert waiting == conflicts and 0 < wide < ITEMS
    settings.set_gold_rule(store, "lea", dataset, GoldRule("median", 1, "out"))
    assert len(calibration.load_paired_ratings(store, dataset, judge_id, d["grade"], "blind")) == ITEMS - wide
    store.close()


def test_a_mean_is_the_same_to_the_last_digit_whoever_labelled_first(tmp_path: Path) -> None:
    question = {"name": "tone", "unit": "response", "definition": "How?", "answers": SCALES["tone"]}
    card = from_recipe(check_recipe({"name": "mix", "title": "Mix", "kind": "response", "dimensions": [question]}))
    rows: list[dict[str, Any]] = [{"card": card.spec}]
    for number, answers in enumerate(permutations((0.1, 0.2, 0.3))):
        rows.append({"id": f"r{number}", "kind": "response", "task": "t", "output": f"{number}"})
        rows += [
            {"item": f"r{number}", "unit": "response", "dimension": "tone", "value": value, "annotator": f"p{person}",
             "mode": "blind", "made_at": f"2026-01-01T00:00:0{person}Z"}
            for person, value in enumerate(answers)
        ]  # fmt: skip
    store = workspace(tmp_path)
    bring(store, rows)
    gold = gold_sql("response", card.dimensions[0].scale, "all", GoldRule("mean"))
    means = store.rows(f"select value, mean from ({gold}) g", [store.rows("select id from dataset")[0][0], "tone"])
    assert len(means) == 6 and len({number for row in means for number in row}) == 1, "fingerprints go by every digit"
    store.close()


@pytest.mark.slow
def test_what_a_judge_states_of_itself_has_figures_once_people_label_it(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows: list[dict[str, Any]] = []
    for i in range(40):
        about = {"kind": "response", "task": "t", "output": f"o{i}", "reference": "", "system": "s", "meta": {}}
        scores = [{"unit": "response", "dimension": "overall_score", "value": 1 + i % 9 * 0.37}]
        rows += [
            {"id": f"r{i}", **about}, {"item": f"r{i}", "card": "pointwise_quality", "model": "m", "scores": scores}
        ]  # fmt: skip
    moment = "2026-01-01T00:00:00Z"
    label = {"unit": "response", "dimension": "overall_score", "annotator": "ann", "mode": "blind"}
    bring(store, [*rows, {**label, "dimension": "clarity", "item": "r0", "value": 4, "made_at": moment}])
    dataset, judge_id = (str(store.rows(f"select id from {table}")[0][0]) for table in ("dataset", "judge"))
    assert "overall_score" not in {d.name for d in calibration.compared_dimensions(store, judge_id)}
    bring(store, [{**label, "item": f"r{i}", "value": 1.1 + i % 9 * 0.4, "made_at": moment} for i in range(40)])
    [d] = [
        dimension
        for dimension in calibration.compared_dimensions(store, judge_id)
        if dimension.name == "overall_score"
    ]
    [summary] = [s for s in check_results.summaries(store, dataset, judge_id, "blind") if s.dimension == d]
    assert summary.cells == 40 and summary.interval.point is not None and summary.interval.point > 0.9
    assert "response.overall_score" in annotators.labelled_dimensions(store, dataset)
    assert "overall score" in report.make_report(store, "lea", dataset, judge_id)
    store.close()


def test_agree_reads_them_from_plain_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judged, labels = tmp_path / "judgments.jsonl", tmp_path / "labels.jsonl"
    scores = [{"unit": "response", "dimension": "overall_score", "value": 1 + i % 9 * 0.37} for i in range(40)]
    lines = [{"item": f"r{i}", "card": "pointwise_quality", "model": "m", "scores": [s]} for i, s in enumerate(scores)]
    judged.write_text("\n".join(map(json.dumps, lines)))
    label = {"unit": "response", "dimension": "overall_score", "annotator": "ann", "mode": "blind"}
    rows = [{**label, "item": f"r{i}", "value": 1.1 + i % 9 * 0.4, "made_at": "2026-01-01"} for i in range(40)]
    labels.write_text("\n".join(map(json.dumps, rows)))
    assert main(["agree", str(judged), str(labels)]) == 0
    output = capsys.readouterr().out
    assert "overall_score" in output and "kappa is Lin's concordance" in output and "Kendall's tau-b 1.000" in output
    assert main(["agree", str(judged), str(labels), "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    gaps = np.array([1.1 + i % 9 * 0.4 - (1 + i % 9 * 0.37) for i in range(40)])
    assert row["beside"]["mae"]["point"] == pytest.approx(np.abs(gaps).mean()) and len(row["answers"]) == 10


def test_a_flag_may_begin_at_every_answer_but_the_lowest_or_at_the_inner_twentieths():
    assert flag_thresholds(Scale("ordinal", 1, 5)) == flag_thresholds(Scale("interval", 1, 5, step=1)) == [2, 3, 4, 5]
    assert flag_thresholds(Scale("interval", 0, 10, step=0.5)) == [n / 2 for n in range(1, 21)]
    assert flag_thresholds(Scale("interval", 0, 100)) == flag_thresholds(Scale("interval", 0, 100, step=1)) == [
        5 * n for n in range(1, 20)
    ]


def test_a_score_as_a_flag_is_put_into_sentences_with_what_has_no_figure_left_out():
    d, one = Dimension("d", "response", Scale("ordinal", 1, 5), ""), np.ones(8)
    judge = np.array([4, 4, 4, 1, 4, 1, 1, 1.0])  # of four people's 4 and more it has three, of four others one
    cells = stats_calibration.PairedRatings(np.arange(8), np.array([5, 5, 4, 4, 3, 3, 1, 1.0]), judge, one > 0, one)
    assert explain(rates_at_threshold(cells, d, 4), d) == [
        "Recall 75%: of the responses that people give 4 or more, those that the judge does too.",
        "False positive rate 25%: of those that people give less.",
        "Precision 75%: of those that the judge gives 4 or more, those that people do too.",
    ]
    low = cells.where(np.arange(8) >= 4)
    assert explain(rates_at_threshold(low, d, 4), d)[:2] == [
        "People give none of these responses 4 or more.", "False positive rate 25%: of those that people give less."
    ]
    nobody = explain(rates_at_threshold(low.where(low.judge < 4), d, 4), d)
    assert nobody[1:] == ["False positive rate 0%: of those that people give less."]
    assert explain(rates_at_threshold(cells.where(np.arange(8) < 4), d, 4), d)[1].startswith("Precision 100%: ")
