"""The published figures of MT-Bench as its page has them: out of an import, the loader and the findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.mtbench import figures
from data.mtbench.mtbench import load_bench
from data.records import datasets, people
from data.store import Store, open_store
from judges.mtbench.ratings import ReadingRules
from judges.render.findings import mtbench_judges, mtbench_results, mtbench_votes
from tests.data.mtbench.bench_counts import count_bench

JA, EN = "mt_bench_ja", "mt_bench_en"
FIRST_JUDGE, SECOND_JUDGE = "gpt-4o", "gpt-4.1-2025-04-14"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, real: Path) -> Store:
    """A workspace with both, each imported as one command would."""
    store = open_store(f"duckdb:///{tmp_path_factory.mktemp('bench') / 'store.duckdb'}")
    people.join_workspace(store, "lea")
    for name in (JA, EN):
        import_source(store, "lea", from_path(real / name), ImportPlan(name, sampling="all"))
    return store


def dataset_and_judges(store: Store, name: str) -> tuple[str, dict[str, str]]:
    """A dataset's id, and its judges' ids by model."""
    dataset = datasets.dataset_named(store, name).id
    return dataset, {judge.model: judge.id for judge in load_bench(store, dataset).judges.values()}


@pytest.mark.slow
def test_what_the_datasets_hold(store: Store) -> None:
    assert [tuple(counts) for counts in count_bench(store).values()] == [(160, 640, 0, 0), (400, 0, 2400, 3354)]


@pytest.mark.slow
def test_the_table_has_the_published_means(store: Store) -> None:
    dataset, _ = dataset_and_judges(store, JA)
    loaded = load_bench(store, dataset)
    names = mtbench_results.names_of_judges(loaded, loaded.ratings)
    means = figures.model_means(store, dataset, ReadingRules())
    rows = mtbench_results.table(means, figures.rankings(store, dataset, ReadingRules()), names, ReadingRules()).rows
    values = {
        (row["judge"].split(" ")[0], row["model"][-4:]): (row["turn 1"], row["turn 2"], row["mean"], row["failed"])
        for row in rows
    }
    assert values[FIRST_JUDGE, "1-8b"] == (7.6375, 7.1750, 7.40625, 0)
    assert values[FIRST_JUDGE, "-70b"] == (9.0750, 7.8125, 8.44375, 0)
    assert values[SECOND_JUDGE, "1-8b"] == (7.4125, 6.5750, 6.99375, 0)
    assert values[SECOND_JUDGE, "-70b"] == (8.9625, 7.8500, 8.40625, 0)


def test_two_judges_go_together_as_published(store: Store) -> None:
    dataset, judges = dataset_and_judges(store, JA)
    both = figures.compared_judges(store, dataset, "fastchat", judges[FIRST_JUDGE], judges[SECOND_JUDGE])
    rows = {name: value for name, value, _, _ in mtbench_judges.figure_rows(both)}
    assert (rows["equal"], rows["within one"], rows["Pearson"]) == ("51.6%", "87.5%", "0.849")
    assert both.overall.cells == 320 and both.overall.difference.point == pytest.approx(-0.225)
    assert sum(n for _, _, n in mtbench_judges.bubbles(both, {j: j for j in judges.values()}).points) == 320


def test_the_way_between_the_two_judges_is_the_judge_alone(store: Store) -> None:
    """Same answers, questions and rules: nothing to replay, and all of the difference is the judge's side."""
    dataset, judges = dataset_and_judges(store, JA)
    one, other = (figures.RunName(dataset, judges[name], "fastchat") for name in (FIRST_JUDGE, SECOND_JUDGE))
    gap = figures.pipeline_gap(store, one, other)
    assert gap is not None and gap.steps == ()
    assert [(part.cells, round(part.change.point or 0, 6)) for part in gap.rest] == [(320, -0.225)]


def test_votes_agree_as_published(store: Store) -> None:
    dataset, judges = dataset_and_judges(store, EN)
    names = dict.fromkeys(judges.values(), "GPT-4")
    rows = mtbench_votes.table(figures.vote_agreement(store, dataset), names).rows

    def at(between: str, turn: str, ties: str) -> tuple[float, int]:
        row = next(row for row in rows if row["between"] == between and row["turn"] == turn)
        return round(row[f"ties {ties} agreement"], 4), row[f"ties {ties} n"]

    assert at("GPT-4 and expert", "1", "counted") == (0.6597, 1343)
    assert at("GPT-4 and expert", "1", "dropped") == (0.8463, 859)
    assert at("GPT-4 and expert", "2", "counted") == (0.6574, 1325)
    assert at("GPT-4 and expert", "2", "dropped") == (0.8461, 864)
    assert at("expert and expert", "1", "counted") == (0.6297, 721)
    assert at("expert and expert", "1", "dropped") == (0.8100, 479)
    assert at("expert and expert", "2", "counted") == (0.6662, 707)
    assert at("expert and expert", "2", "dropped") == (0.8186, 474)
    whole = next(row for row in rows if row["between"] == "GPT-4 and majority" and row["turn"] == "all")
    assert [round(whole[f"ties {ties} agreement"], 3) for ties in ("counted", "dropped")] == [0.672, 0.884]
    assert [round(whole[f"ties {ties} kappa"], 3) for ties in ("counted", "dropped")] == [0.505, 0.767]
    assert [whole[f"ties {ties} n"] for ties in ("counted", "dropped")] == [1814, 1078]
