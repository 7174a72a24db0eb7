"""Tables of agreement from the literature, fed in as labels and judgments through the doors that everybody uses.

Rows are the first rater (here: people), columns the second (here: the judge). Each figure stands in its source as it
stands here; each point is held against scikit-learn, too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sklearn.metrics import cohen_kappa_score

from data.calibration import calibration
from data.gold.gold import Basis
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import datasets, people
from data.store import Store, open_store
from judges.cli import main
from judges.stats.agreement import Weights, gwet_ac, kappa
from judges.stats.calibration import Summary, summarise
from tests.judges.large_sample import fleiss_cohen_everitt
from tests.judges.replies import pair, pair_reply
from tests.seeds import lines

Table = list[list[int]]

SEXUAL_FUN = [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]]
MS_WINNIPEG = [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]]
MS_NEW_ORLEANS = [[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]]
CARCINOMA = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]
MOVIES = [[24, 8, 13], [8, 13, 11], [10, 9, 64]]
DIAGNOSES_1968 = [[88, 10, 2], [14, 40, 6], [18, 10, 12]]
DIAGNOSES_1969 = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]
BALANCED = [[40, 9], [6, 45]]
UNBALANCED = [[80, 10], [5, 5]]
PARADOX = [[118, 5], [2, 0]]


@pytest.mark.parametrize(
    ("table", "weights", "figure", "error"),
    [
        # Cohen, Psychological Bulletin 70 (1968) 213-220: 200 diagnoses, kappa .492.
        (DIAGNOSES_1968, None, "0.492", None),
        # Fleiss, Cohen and Everitt, Psychological Bulletin 72 (1969) 323-327: kappa .429, estimated variance .002885.
        (DIAGNOSES_1969, None, "0.429", "0.0537"),
        # Landis and Koch, Biometrics 33 (1977) 159-174: multiple sclerosis, two neurologists, patients of two cities.
        (MS_WINNIPEG, None, "0.208", None),
        (MS_NEW_ORLEANS, None, "0.297", None),
        # Agresti, Categorical Data Analysis (2002), section 10.5: carcinoma of the cervix, two pathologists.
        (CARCINOMA, None, "0.493", "0.057"),
        (CARCINOMA, "quadratic", "0.78", None),
        # Agresti and Winner, Chance 10 (1997) 10-14: Siskel and Ebert on 160 films.
        (MOVIES, None, "0.389", "0.060"),
        # Friendly, Visualizing Categorical Data (2000), chapter 3 (data: Hout, Duncan and Sobel 1987): 91 couples.
        (SEXUAL_FUN, None, "0.1293", "0.0686"),
        (SEXUAL_FUN, "linear", "0.2374", "0.0783"),
        (SEXUAL_FUN, "quadratic", "0.3320", "0.0973"),
        # Feinstein and Cicchetti, Journal of Clinical Epidemiology 43 (1990) 543-549: 85 % alike in both.
        (BALANCED, None, "0.70", None),
        (UNBALANCED, None, "0.32", None),
        # Gwet, British Journal of Mathematical and Statistical Psychology 61 (2008) 29-48: the paradox.
        (PARADOX, None, "-0.0234", None),
    ],
)
def test_figures_as_they_were_printed(table: Table, weights: Weights, figure: str, error: str | None) -> None:
    point, variance = kappa(table, weights), fleiss_cohen_everitt(table, weights)
    assert point is not None and variance is not None
    assert f"{point:.{len(figure.partition('.')[2])}f}" == figure
    if error is not None:
        assert f"{variance**0.5:.{len(error.partition('.')[2])}f}" == error


def test_the_variance_of_fleiss_cohen_and_everitt_as_they_print_it() -> None:
    assert f"{fleiss_cohen_everitt(DIAGNOSES_1969):.6f}" == "0.002885"


def test_the_coefficient_that_gwet_sets_against_the_paradox() -> None:
    # p_a = .944; the first answer has (123 + 120) / 250 = .972; p_e = 2 * .972 * .028 = .054432; .889568 / .945568
    assert f"{gwet_ac(PARADOX):.4f}" == "0.9408"


class Published(NamedTuple):
    """A published table as somebody would bring it in: the card, its dimension, and the kappa as printed."""

    card: str
    dimension: str
    unit: str
    table: Table
    weights: Weights
    figure: str


VERDICTS = {
    "rubric_open_ended": ("poor", "borderline", "good", "excellent"),
    "plain_pairwise": ("a", "tie", "b"),
    "long_form_pairwise": (False, True),
}
EXAMPLES = {
    "couples": Published("rubric_open_ended", "verdict", "response", SEXUAL_FUN, "quadratic", "0.3320"),
    "carcinoma": Published("rubric_open_ended", "verdict", "response", CARCINOMA, "quadratic", "0.78"),
    "diagnoses": Published("plain_pairwise", "verdict", "pair", DIAGNOSES_1969, None, "0.429"),
    "films": Published("plain_pairwise", "verdict", "pair", MOVIES, None, "0.389"),
    "paradox": Published("long_form_pairwise", "format_collapse", "response/a", PARADOX, None, "-0.0234"),
}


def write_files(folder: Path, name: str) -> tuple[Path, Path, Path]:
    """Items, judgments and labels of a table, one item a count, as three files."""
    published, items, judgments, labels = EXAMPLES[name], [], [], []
    answers = VERDICTS[published.card]
    codes = [(h, j) for h, row in enumerate(published.table) for j, n in enumerate(row) for _ in range(n)]
    for number, (human, judge) in enumerate(codes):
        item, reply = _item(published.card, f"{name}-{number}", answers[judge])
        items.append(item)
        judgments.append({"item": item["id"], "card": published.card, "model": "second rater", "reply": reply})
        labels.append(
            {"item": item["id"], "unit": published.unit, "dimension": published.dimension, "value": answers[human],
             "annotator": "first", "mode": "blind", "made_at": "2026-01-31T12:00:00Z"}
        )  # fmt: skip
    files = (("items", items), ("judgments", judgments), ("labels", labels))
    items_file, judgments_file, labels_file = (lines(folder / f"{name}-{kind}.jsonl", rows) for kind, rows in files)
    return items_file, judgments_file, labels_file


def _item(card: str, key: str, verdict: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """An item of the kind that the card judges, and the reply that gives it that verdict."""
    if card == "rubric_open_ended":
        item = {"id": key, "kind": "response", "task": "t", "output": f"o {key}", "system": "x"}
        names = ("factuality", "instruction_following", "coherence", "completeness")
        return item, {"scores": dict.fromkeys(names, 3), "verdict": verdict, "decision_basis": "b"}
    pair_item = pair(text=key).model_dump(exclude={"sections"}) | {"id": key}
    if card == "plain_pairwise":
        return pair_item, {"verdict": verdict}
    collapsed = ("format_collapse",) if verdict else ()
    return pair_item, json.loads(pair_reply(pair(), failures=(collapsed, ())))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A workspace into which every table was imported as a random sample."""
    folder = tmp_path_factory.mktemp("published")
    opened = open_store(f"duckdb:///{folder}/s.duckdb")
    people.join_workspace(opened, "lea")
    for name in EXAMPLES:
        merged = folder / f"{name}.jsonl"
        merged.write_text("".join(path.read_text(encoding="utf-8") for path in write_files(folder, name)))
        import_source(opened, "lea", from_path(merged), ImportPlan(name, sampling="random", population=10_000))
    return opened


def summarise_table(store: Store, name: str, basis: Basis = "all") -> Summary:
    """The figures of a table as the calibration page computes them."""
    dataset = datasets.dataset_named(store, name).id
    [(judge, *_)] = datasets.dataset_judges(store, dataset)
    dimension = next(d for d in calibration.compared_dimensions(store, judge) if d.name == EXAMPLES[name].dimension)
    return summarise(calibration.comparison_input(store, dataset, judge, dimension, basis), dimension)


def oracle(published: Published) -> float:
    codes = [(h, j) for h, row in enumerate(published.table) for j, n in enumerate(row) for _ in range(n)]
    labels = list(range(len(published.table)))
    return float(cohen_kappa_score(*zip(*codes, strict=True), labels=labels, weights=published.weights))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(EXAMPLES))
def test_imported_tables_give_the_printed_figure_on_the_calibration_page(store: Store, name: str) -> None:
    published, summary = EXAMPLES[name], summarise_table(store, name)
    assert summary.counts.tolist() == published.table
    assert summary.interval.point is not None
    assert f"{summary.interval.point:.{len(published.figure.partition('.')[2])}f}" == published.figure
    assert summary.interval.point == pytest.approx(oracle(published), abs=1e-10)
    # One cell an item: the bootstrap's error is that of Fleiss, Cohen and Everitt, but for the luck of 2,000 draws.
    variance = fleiss_cohen_everitt(published.table, published.weights)
    if name != "paradox":  # two of 125: a resample often has none of them
        assert summary.interval.se == pytest.approx(variance**0.5, rel=0.12)


def test_the_paradox_is_warned_of_and_its_other_coefficient_stands_beside_it(store: Store) -> None:
    summary = summarise_table(store, "paradox")
    assert summary.fragile and summary.ac is not None
    assert f"{summary.ac:.4f}" == "0.9408"


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_the_command_line_gives_the_same_from_plain_files(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items, judgments, labels = write_files(tmp_path, name)
    assert main(["agree", str(judgments), str(labels), "--items", str(items), "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert row["table"] == EXAMPLES[name].table
    assert row["kappa"] == pytest.approx(oracle(EXAMPLES[name]), abs=1e-10)
    assert row["interval"][0] <= row["kappa"] <= row["interval"][1]
