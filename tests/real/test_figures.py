"""Every figure that ../shared/real gives for two judges, or for a judge and people, out of the product's own doors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

from data.calibration import calibration, missingness
from data.importing.detection.plan_proposal import suggest_mapping
from data.importing.files.source import from_path
from data.importing.importing import detect_formats, import_source
from data.importing.plan import ImportPlan
from data.records import datasets, people
from data.store import Store, open_store
from judges.cli import main
from judges.stats.calibration import PairedRatings, Summary, kappa_cells, summarise
from judges.types import Dimension
from tests.seeds import lines

TIE = 1.0
REPLICATES = 150
FIRST_JUDGE, SECOND_JUDGE = "gpt-4o", "gpt-4.1-2025-04-14"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, real: Path) -> Store:
    """A workspace with PandaLM's pairs, and Japanese MT-Bench with one judge's ratings given again as a person's."""
    folder = tmp_path_factory.mktemp("figures")
    store = open_store(f"duckdb:///{folder / 'store.duckdb'}")
    people.join_workspace(store, "lea")
    import_source(store, "lea", from_path(real / "mt_bench_ja"), ImportPlan("ja", sampling="all"))
    rated = [
        {"item": name, "unit": unit, "dimension": "rating", "value": value, "annotator": "rater", "mode": "blind",
         "made_at": "2026-01-31T12:00:00Z"}
        for name, unit, value in ratings(store, FIRST_JUDGE)
    ]  # fmt: skip
    import_source(store, "lea", from_path(lines(folder / "rated.jsonl", rated)), ImportPlan("ja", sampling="all"))
    for name in ("testset-v1", "gpt-3.5-turbo-testset-v1", "pandalm-7b-testset-v1"):
        source = from_path(real / "pandalm" / f"{name}.json")
        known = detect_formats(source)[0]
        plan = ImportPlan(
            "pandalm", sampling="random", population=10_000, mappings=(suggest_mapping(known.columns, known.rows),)
        )
        import_source(store, "lea", source, plan)
    return store


def ratings(store: Store, model: str) -> list[tuple[str, str, float]]:
    """(item, unit, rating) of one judge of Japanese MT-Bench."""
    return store.rows(
        "select i.name, s.unit, s.value from score s join judge j on j.id = s.judge_id join item i on i.id = s.item_id "
        "where s.dimension = 'rating' and j.model = $1 order by 1, 2",
        [model],
    )


def compare_with_people(store: Store, dataset: str, model: str, name: str) -> tuple[PairedRatings, Dimension, Summary]:
    """The cells of a judge where people gave a value, and the figures of the calibration page."""
    known = datasets.dataset_named(store, dataset).id
    judge = next(id_ for id_, _, judge_model, *_ in datasets.dataset_judges(store, known) if judge_model == model)
    dimension = next(d for d in calibration.compared_dimensions(store, judge) if d.name == name)
    pairs = calibration.load_paired_ratings(store, known, judge, dimension, "blind")
    return pairs, dimension, summarise(pairs, dimension)


@pytest.mark.slow
def test_two_judges_on_the_same_320_answers(store: Store) -> None:
    _, _, summary = compare_with_people(store, "ja", SECOND_JUDGE, "rating")
    assert (summary.cells, summary.unscored) == (320, 0)
    assert (round(summary.exact or 0, 3), round(summary.within_one or 0, 3)) == (0.516, 0.875)
    assert round(summary.mean_difference or 0, 3) == -0.225
    assert round(summary.correlation or 0, 4) == 0.8485


def test_a_judge_held_against_itself_agrees_wholly(store: Store) -> None:
    _, _, summary = compare_with_people(store, "ja", FIRST_JUDGE, "rating")
    assert (summary.exact, summary.mean_difference, summary.interval.point) == (1.0, 0.0, 1.0)


def test_the_command_line_gives_the_same_from_plain_files(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = store.rows(
        "select i.name, i.content, m.part, m.raw from judgment m join judge j on j.id = m.judge_id "
        "join item i on i.id = m.item_id where j.model = $1 and j.card = 'mt_bench' order by 1, 3",
        [SECOND_JUDGE],
    )
    items = {name: {**json.loads(content), "id": name} for name, content, _, _ in rows}
    judged: list[dict[str, Any]] = [
        {"item": name, "card": "mt_bench", "model": SECOND_JUDGE, "raw": raw} | ({"part": part} if part else {})
        for name, _, part, raw in rows
    ]
    labels = [
        {"item": name, "unit": unit, "dimension": "rating", "value": value, "annotator": "rater", "mode": "blind",
         "made_at": "2026-01-31T12:00:00Z"}
        for name, unit, value in ratings(store, FIRST_JUDGE)
    ]  # fmt: skip
    files = [lines(tmp_path / name, records) for name, records in (("j.jsonl", judged), ("l.jsonl", labels))]
    known = lines(tmp_path / "i.jsonl", list(items.values()))
    assert main(["agree", str(files[0]), str(files[1]), "--items", str(known), "--json"]) == 0
    [report] = json.loads(capsys.readouterr().out)
    _, _, summary = compare_with_people(store, "ja", SECOND_JUDGE, "rating")
    assert report["kappa"] == pytest.approx(summary.interval.point, abs=1e-10)
    assert (report["ratings"], round(report["agreement"], 3), round(report["bias"], 3)) == (320, 0.516, -0.225)


@pytest.mark.parametrize(
    ("model", "published", "unread"),
    [("gpt", (71.07, 58.79, 57.36, 57.55), 25), ("pandalm", (66.77, 57.38, 57.50, 57.43), 0)],
)
def test_pandalm_against_the_majority_of_three_people(
    store: Store, model: str, published: tuple[float, ...], unread: int
) -> None:
    pairs, dimension, summary = compare_with_people(store, "pandalm", model, "verdict")
    assert summary.unscored == unread and summary.cells == 999 - unread
    # The source counts what could not be read as a tie; Assay leaves it out, and gives the figures of both.
    known = datasets.dataset_named(store, "pandalm").id
    judge = next(id_ for id_, _, judge_model, *_ in datasets.dataset_judges(store, known) if judge_model == model)
    counted = missingness.measure_missingness(store, known, judge, dimension, "blind")
    tie = next(row for row in counted.counted if row.choice == "tie")
    assert counted.cells == unread
    assert tuple(round(100 * (value or 0), 2) for value in tie.accuracy) == published
    judge_codes = np.where(pairs.scored, pairs.judge, TIE).astype(int)
    macro = precision_recall_fscore_support(pairs.human.astype(int), judge_codes, average="macro")[:3]
    assert tie.accuracy[1:] == pytest.approx(macro)


def test_pandalm_comes_out_of_plain_files_with_ties_for_what_could_not_be_read(
    real: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {0: "tie", 1: "a", 2: "b", "Tie": "tie", "1": "a", "2": "b"}
    people_, gpt = (
        json.loads((real / "pandalm" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("testset-v1", "gpt-3.5-turbo-testset-v1")
    )
    judged = [
        {"item": str(row["idx"]), "card": "plain_pairwise", "model": "gpt"}
        | ({"reply": {"verdict": words[verdict]}} if (verdict := row["gpt_result"]) in words else {"raw": str(verdict)})
        for row in gpt
    ]
    labels = [
        {"item": str(row["idx"]), "unit": "pair", "dimension": "verdict", "value": words[row[f"annotator{n}"]],
         "annotator": f"a{n}", "mode": "blind", "made_at": "2026-01-31T12:00:00Z"}
        for row in people_ for n in (1, 2, 3)
    ]  # fmt: skip
    files = [str(lines(tmp_path / name, rows)) for name, rows in (("j.jsonl", judged), ("l.jsonl", labels))]
    assert main(["agree", *files, "--missing", "tie", "--json"]) == 0
    [report] = json.loads(capsys.readouterr().out)
    figures = tuple(round(100 * report[name], 2) for name in ("accuracy", "precision", "recall", "f1"))
    assert figures == (71.07, 58.79, 57.36, 57.55) and report["missing"]["ratings"] == 25


@pytest.mark.parametrize(
    ("dataset", "model", "name"),
    [("ja", SECOND_JUDGE, "rating"), ("pandalm", "gpt", "verdict")],
)
def test_points_and_intervals_are_those_of_scikit_learn_with_a_bootstrap(
    store: Store, dataset: str, model: str, name: str
) -> None:
    pairs, dimension, summary = compare_with_people(store, dataset, model, name)
    cells, k = kappa_cells(pairs, dimension.scale)
    item, human, judge = (np.asarray(side) for side in (cells.item, cells.human, cells.judge))
    options: dict[str, Any] = {"labels": list(range(k)), "weights": dimension.scale.weights}
    point = cohen_kappa_score(human, judge, **options)
    assert summary.interval.point == pytest.approx(point, abs=1e-10)
    rng, rows = np.random.default_rng(5), [np.flatnonzero(item == n) for n in range(int(item.max()) + 1)]
    drawn = []
    for _ in range(REPLICATES):
        chosen = np.concatenate([rows[n] for n in rng.integers(0, len(rows), len(rows))])
        drawn.append(cohen_kappa_score(human[chosen], judge[chosen], **options))
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert summary.interval.low is not None and summary.interval.high is not None
    assert summary.interval.low < point < summary.interval.high
    # Ends of 150 replicates swing by about a tenth of the interval.
    near = 0.25 * (high - low)
    assert summary.interval.low == pytest.approx(low, abs=near) and summary.interval.high == pytest.approx(
        high, abs=near
    )
