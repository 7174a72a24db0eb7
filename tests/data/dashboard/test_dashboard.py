"""The dashboard's figures: those of single cells, followed as rows come in, and nothing that is not approved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from data.approvals import policy, record
from data.approvals.rules import Requirements
from data.calibration import aggregates, calibration
from data.calibration.aggregates import load_tallies
from data.calibration.labelled_items import labelled_items
from data.cli import main
from data.dashboard import dashboard, sentences
from data.records import datasets, people
from data.records.names import APPROVAL_ACTOR
from data.records.outcomes import counted_dimension
from data.records.tables import JudgmentRow, ScoreRow
from data.reports.dashboard import dashboard_html, tile_plot, tiles_csv
from data.store import Store, open_store
from data.store.ids import new_id, now
from judges.stats.approval_check import CheckPolicy
from judges.stats.ppi import CorrectedMean, correct_mean, moments
from judges.types import Dimension, Scale
from pages.dashboard.tiles import tile_data
from tests.data.cells import Cell, fill

LOOSE = Requirements(CheckPolicy(min_items=1, threshold=-0.99, lower_bound=False, min_clusters=2), coverage=0.0)
NASTY = "対話 <b>x</b> **bold** =1+1"


def approve(
    store: Store, dataset: str, judge: str, *names: str, person: str = "lea", decision: Any = "approve"
) -> None:
    """Put decisions on record as they would be under a policy that asks for nothing."""

    def work(tx: Any) -> None:
        for d in calibration.compared_dimensions(store, judge):
            if d.name in names:
                key = (dataset, judge, d.sort, d.name)
                record.append_decision(
                    tx, key, decision, "because kappa is 0.987", person, "meets policy", LOOSE, "", []
                )

    store.tx(person, decision, work)


def dialogues(seed: int = 0, items: int = 120) -> list[Cell]:
    """Dialogues of one to three turns, two in three blind; n/a of people and judge, cells that it did not score."""
    rng, cells = np.random.default_rng(seed), []
    for n in range(items):
        mode = "blind" if n % 3 else "assisted"
        for turn in range(1, int(rng.integers(2, 5))):
            y = float(rng.integers(1, 6))
            f: float | str | None = float(np.clip(y + rng.integers(-1, 2), 1, 5))
            f = "unscored" if rng.random() < 0.05 else None if rng.random() < 0.05 else f
            label = None if rng.random() < 0.05 else y
            cells.append(Cell(n, f"turn:{turn}", (label,), f, mode, 0.5 if n % 2 else 0.25))
        cells.append(
            Cell(
                n, "conversation", (float(n % 4),), float((n + n % 7 // 6) % 4), mode, 0.5 if n % 2 else 0.25, "verdict"
            )
        )
    return cells


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(f"duckdb:///{tmp_path / 'd.duckdb'}")
    people.join_workspace(store, "lea")
    yield store
    store.close()


def cell_moments(cells: list[Cell], system: str, dimension: str, value: Any = lambda v: v) -> Any:
    """The moments of those cells by the plain road: arrays of single cells."""
    matching = [
        c for c in cells if c.dimension == dimension and f"s{c.item % 2}" == system and isinstance(c.judge, float)
    ]
    gold = [c.mode == "blind" for c in matching]
    human = [np.nan if c.people[0] is None or c.mode != "blind" else float(value(c.people[0])) for c in matching]
    judge, weight = [float(value(c.judge)) for c in matching], [1 / (c.probability or 1) for c in matching]
    return moments([c.item for c in matching], judge, human, gold, weight)


def assert_same_mean(one: CorrectedMean, other: CorrectedMean) -> None:
    """Two corrected means with the same figures, to ten digits."""
    assert (one.n, one.others, one.interval.cells) == (other.n, other.others, other.interval.cells)
    assert one.lam == pytest.approx(other.lam, abs=1e-10)
    for name in ("point", "low", "high", "se", "n_eff"):
        assert getattr(one.interval, name) == pytest.approx(getattr(other.interval, name), rel=1e-10, abs=1e-10)


def test_sums_of_the_store_are_those_of_single_cells(store: Store) -> None:
    cells = dialogues()
    dataset, judge = fill(store, cells)
    approve(store, dataset, judge, "helpfulness", "verdict")
    tiles = dashboard.tiles(store, dataset, judge, dashboard.approvals_by_judge(store, dataset)[judge])
    assert [tile.key for tile in tiles] == ["turn.helpfulness", "conversation.verdict"]
    for system in tiles[0].systems:
        assert_same_mean(system.means[0], correct_mean(cell_moments(cells, system.name, "helpfulness"), (1, 5)))
    for system in tiles[1].systems:
        for n, mean in enumerate(system.means):
            oracle = correct_mean(
                cell_moments(cells, system.name, "verdict", lambda v, n=n: v == n), (0, 1), share=True
            )
            assert_same_mean(mean, oracle)
    first = tiles[0].systems[0]
    matching = [
        c for c in cells if c.dimension == "helpfulness" and f"s{c.item % 2}" == first.name and c.judge != "unscored"
    ]
    assert first.na == pytest.approx(sum(c.judge is None for c in matching) / len(matching))
    assert first.answer_shares[3] == pytest.approx(
        sum(c.judge == 4 for c in matching) / sum(c.judge is not None for c in matching)
    )
    assert (tiles[1].headline, tiles[1].counted.describe_mean(3)) == (3, "excellent")
    listed = dashboard.list_items(store, dataset, judge, tiles[0].counted.dimension, first.name, 3, "person0")
    assert {(f.name, f.unit) for f in listed} == {(f"item {c.item}", c.unit) for c in matching if c.judge == 4}
    nothing = dashboard.list_items(store, dataset, judge, tiles[0].counted.dimension, first.name, None, "person0")
    assert len(nothing) == sum(c.judge is None for c in matching)
    # Somebody else may be asked for a blind answer: of those items the list must not tell what the judge said.
    others = dashboard.list_items(store, dataset, judge, tiles[0].counted.dimension, first.name, 3, "lea")
    blind = {f"item {c.item}" for c in cells if c.mode == "blind"}
    assert others and {f.name for f in others} == {f.name for f in listed} - blind


def add_judgment(store: Store, judge: str, item: str, units: dict[str, float], run: str, sample: int = 0) -> None:
    """A judgment with its scores in a change of its own, as a run writes it."""

    def work(tx: Any) -> None:
        judgment = new_id()
        tx.append([JudgmentRow(judgment, judge, item, "", sample, "", "", "", run)])
        tx.append([ScoreRow(judgment, judge, item, u, "helpfulness", v, None, "", sample) for u, v in units.items()])

    store.tx("run", "judgments", work, target=run)


def plain_tallies(store: Store, dataset: str, judge: str) -> dict[Any, Any]:
    """The tallies as plain numbers, by run and system."""
    dimensions = [d for d in calibration.compared_dimensions(store, judge) if d.name == "helpfulness"]
    tallies = load_tallies(store, dataset, judge, dimensions)["turn", "helpfulness"]
    return {
        k: (g.items, g.cells, g.counts.tolist(), g.totals.tolist(), g.cross.tolist(), g.squares)
        for k, g in tallies.items()
    }


def test_follows_the_store_whatever_comes(store: Store, tmp_path: Path) -> None:
    _, judge = fill(store, [c for c in dialogues(1, 30) if c.dimension == "helpfulness"])
    more, other = fill(store, [Cell(n, "turn:1", (), "unscored") for n in range(6)], "more")
    assert other != judge and plain_tallies(store, more, judge) == {}
    ids = [str(i) for (i,) in store.rows("select id from item where dataset_id = $1 order by name", [more])]
    add_judgment(store, judge, ids[0], {"turn:1": 4.0, "turn:2": 2.0}, "first")
    # One item with 2 cells that sum to 6: T = 6, M = 2, TT = 36, TM = 12, MM = 4; and 4 * 4 + 2 * 2 = 20.
    first_run = plain_tallies(store, more, judge)
    assert first_run == {("first", "s0"): (1, 2, [0, 1, 0, 1, 0], [[6, 2]], [[36, 12, 4]], 20)}
    add_judgment(store, judge, ids[2], {"turn:1": 5.0}, "second")
    assert set(plain_tallies(store, more, judge)) == {("first", "s0"), ("second", "s0")}
    add_judgment(store, judge, ids[2], {"turn:1": 1.0}, "second", sample=1)  # a second sample changes nothing
    add_judgment(store, judge, ids[0], {"turn:3": 1.0}, "second")  # a cell of an item that was counted before
    tallies = plain_tallies(store, more, judge)
    assert sum(g[0] for g in tallies.values()) == 2 and sum(g[3][0][0] for g in tallies.values()) == 12
    assert sum(g[4][0][0] for g in tallies.values()) == 7**2 + 5**2
    store.close()
    again = open_store(store.url)
    assert plain_tallies(again, more, judge) == tallies
    again.close()


def test_the_first_samples_of_a_new_item_double_none_that_were_counted(store: Store) -> None:
    cells = [Cell(n, "turn:1", (), "unscored" if n == 5 else 4.0) for n in range(6)]
    dataset, judge = fill(store, cells)
    before = plain_tallies(store, dataset, judge)
    assert sum(tally[0] for tally in before.values()) == 5
    new = "select id from item where dataset_id = $1 and id not in (select item_id from score)"
    [(item,)] = store.rows(new, [dataset])

    def work(tx: Any) -> None:
        for sample, value in enumerate((2.0, 4.0)):
            judgment = new_id()
            tx.append([JudgmentRow(judgment, judge, item, "", sample, "", "", "", "second")])
            tx.append([ScoreRow(judgment, judge, item, "turn:1", "helpfulness", value, None, "", sample)])

    store.tx("run", "judgments", work)
    tallies = plain_tallies(store, dataset, judge)
    assert sum(tally[0] for tally in tallies.values()) == 6
    by_run = Counter[str]()
    for (run, _), tally in tallies.items():
        by_run[run] += tally[0]
    assert sorted(by_run.values()) == [1, 5] and by_run["second"] == 1, "what was scored before stays under its run"
    aggregates._kept.pop(store)
    assert plain_tallies(store, dataset, judge) == tallies


def test_replies_are_unscored_as_they_could_not_be_read_whatever_they_are_of(store: Store) -> None:
    """The judge looks at each item by itself and at turns of it, of which one cannot be read; two items are n/a."""
    cells = [Cell(n, f"turn:{t}", (), None if n > 7 else 4.0) for n in range(10) for t in (1, 2, 3)]
    dataset, judge = fill(store, cells, systems=lambda _: ("x", ""))
    items = [str(i) for (i,) in store.rows("select id from item")]

    def work(tx: Any) -> None:
        for item in items:
            tx.append([JudgmentRow(new_id(), judge, item, f"turn:{t}", 0, "", "", "", None) for t in (1, 2)])
            for sample in range(2):
                tx.append([JudgmentRow(new_id(), judge, item, "turn:4", sample, "", "no_json", "", None)])

    store.tx("run", "judgments", work)
    assert dashboard.unscored_shares(store, dataset, judge) == {"x": 0.25}
    approve(store, dataset, judge, "helpfulness")
    [tile] = dashboard.tiles(store, dataset, judge, dashboard.approvals_by_judge(store, dataset)[judge])
    assert (tile.systems[0].items, tile.systems[0].unscored) == (8, 0.25)


def test_an_answer_that_was_never_given_has_sums_of_nought(store: Store) -> None:
    d = Dimension("rude", "turn", Scale("flag", na=True), "Is it rude?")
    cells = [Cell(n, f"turn:{t}", (), None if n == 3 else 0.0, dimension=d.name) for n in range(4) for t in (1, 2)]
    dataset, judge = fill(store, cells, systems=lambda n: ("xy"[n // 3], ""))
    tallies = {system: tally for (_, system), tally in load_tallies(store, dataset, judge, [d])["turn", "rude"].items()}
    assert (tallies["x"].items, tallies["x"].cells, tallies["x"].counts.tolist()) == (3, 6, [6.0, 0.0])
    assert (tallies["x"].totals.tolist(), tallies["x"].cross.tolist()) == ([[0.0, 6.0]], [[0.0, 0.0, 12.0]])
    assert (tallies["y"].items, tallies["y"].cells, tallies["y"].valued) == (0, 2, 0.0)
    assert (tallies["y"].totals.tolist(), tallies["y"].cross.tolist()) == ([[0.0, 0.0]], [[0.0, 0.0, 0.0]])


def pairs(store: Store) -> tuple[str, str]:
    """Forty pairs, x against y in turn on either side; x wins 3 of 4 by the judge; quality of sections by side."""
    cells = [
        Cell(n, "pair", (float((0, 2)[n % 2]),), float((0, 2)[n % 2] if n % 4 else 1), "blind", 0.5, "verdict")
        for n in range(40)
    ]
    for n in range(40):
        for number in (1, 2):
            for side in ("a", "b"):
                good = (side == "a") == (n % 2 == 0)  # x is on side a of even items
                value = 5.0 if good else float(number)
                cells.append(Cell(n, f"section:{number}/{side}", (value,), value, "blind", 0.5, "quality"))

    def sides(n: int) -> tuple[str, str]:
        return ("x", "y") if n % 2 == 0 else ("y", "x")

    return fill(store, cells, "pairs", "pair", "long_form_pairwise", systems=sides)


def test_both_sides_of_a_pair_are_systems(store: Store) -> None:
    dataset, judge = pairs(store)
    approve(store, dataset, judge, "verdict", "quality")
    quality, verdict = dashboard.tiles(store, dataset, judge, dashboard.approvals_by_judge(store, dataset)[judge])
    assert [s.name for s in quality.systems] == ["x", "y"]
    assert [s.means[0].judge for s in quality.systems] == [5.0, 1.5]
    x, y = verdict.systems
    # The judge: 10 ties (every fourth), 30 wins of x. People: x wins all 40.
    assert (x.name, x.answer_shares, y.answer_shares) == ("x", (0.75, 0.25, 0.0), (0.0, 0.25, 0.75))
    assert (x.means[0].people, y.means[0].people, y.means[2].people) == (1.0, 0.0, 1.0)
    ties = dashboard.list_items(store, dataset, judge, verdict.counted.dimension, "y", 1, "person0")
    losses = dashboard.list_items(store, dataset, judge, verdict.counted.dimension, "y", 2, "person0")
    assert (len(ties), len(losses)) == (10, 30)
    texts = re.findall(r">([^<>]+)</text>", tile_plot(verdict))
    assert texts[texts.index("wins") :][:3] == ["wins", "ties", "losses"]
    assert "x wins 100% of its pairs, most of all" in sentences.explain_tile(verdict)[0].replace("100 points", "100%")
    assert sentences.describe_difference(verdict, verdict.comparisons[0]).startswith(
        "x wins 100 points more often than y"
    )


def test_only_what_is_approved_has_figures_and_the_rest_says_why(store: Store) -> None:
    dataset, judge = fill(store, dialogues(), NASTY)
    assert dashboard.approvals_by_judge(store, dataset) == {}
    approve(store, dataset, judge, "helpfulness")
    approve(store, dataset, judge, "verdict", decision="decline")
    approve(store, dataset, judge, "coherence", person=APPROVAL_ACTOR, decision="suspend")
    published = dashboard.load_judge(store, datasets.dataset_named(store, NASTY), judge)
    assert [tile.key for tile in published.tiles] == ["turn.helpfulness"]
    why = {w.dimension.name: w for w in published.withheld}
    assert "helpfulness" not in why and why["context_use"].state == "below minimum sample"
    assert re.fullmatch(r"Declined by lea on \d{4}-\d\d-\d\d: because kappa is 0.987", why["verdict"].why)
    assert why["coherence"].why.startswith("Suspended by Assay on ")
    page = dashboard_html(published, now(), dashboard.run_names(published.runs))
    assert (
        "new labels no longer support it" in why["coherence"].public_reason
        and "0.987" not in why["coherence"].public_reason
    )
    assert "<b>x</b>" not in page and "対話 &lt;b&gt;x" in page
    assert "excellent" not in page  # no answer of a withheld dimension
    assert len(published.runs) == 1 and "run by run" not in page
    listed = page[page.index('id="withheld"') : page.index("How to read this")]
    cells = [unescape(cell) for cell in re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", listed)]
    rows = [(w.dimension.title, w.dimension.sort, w.state, w.public_reason) for w in published.withheld]
    assert cells == ["dimension", "unit", "state", "why", *(cell for row in rows for cell in row)]
    whole = dashboard_html(replace(published, withheld=()), now(), {})
    assert "Nothing: every dimension of this judge is approved." in whole and "Nothing: every" not in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    lines = tiles_csv(published.tiles).splitlines()
    assert len(lines) == 3 and lines[0].startswith("dimension,unit,system,of,corrected,low,high,judge")
    assert repr(published.tiles[0].systems[0].means[0].interval.point) in lines[1]
    [approved] = dashboard.approvals_by_judge(store, dataset).values()
    approve(store, dataset, judge, "helpfulness", decision="suspend")
    assert dashboard.approvals_by_judge(store, dataset) == {}
    withheld = dashboard.withheld_dimensions(store, dataset, judge, approved)
    assert "helpfulness" not in [w.dimension.name for w in withheld], "it is among the tiles, suspended in between"


def test_what_a_lead_proposed_waits_for_another_and_na_throughout_is_no_figure(store: Store) -> None:
    cells = [Cell(n, "turn:1", (3.0,), 3.0, "blind", 0.5) for n in range(6)]
    na = [Cell(n, "conversation", (3.0,), None if n % 2 else 3.0, "blind", 0.5, "task_completion") for n in range(6)]
    dataset, judge = fill(store, [*cells, *na])
    approve(store, dataset, judge, "task_completion")
    approve(store, dataset, judge, "helpfulness", decision="propose")
    published = dashboard.load_judge(store, datasets.dataset_named(store, "demo"), judge)
    [tile] = published.tiles
    assert [(system.name, system.items, system.na) for system in tile.systems] == [("s0", 3, 0.0)]
    assert len(tiles_csv(published.tiles).splitlines()) == 2
    [waits] = [withheld for withheld in published.withheld if withheld.dimension.name == "helpfulness"]
    assert (waits.state, waits.why) == ("proposed", waits.public_reason)
    assert re.fullmatch(r"Proposed by lea on \d{4}-\d\d-\d\d; a lead has to approve it\.", waits.why)
    people.join_workspace(store, "lea")
    policy.set_requirements(store, "lea", Requirements(four_eyes=True), "Two see more.")
    published = dashboard.load_judge(store, datasets.dataset_named(store, "demo"), judge)
    [waits] = [withheld for withheld in published.withheld if withheld.dimension.name == "helpfulness"]
    assert waits.why.endswith("; another lead has to approve it.") and waits.why == waits.public_reason


def test_sentences(store: Store) -> None:
    cells = [Cell(n, "turn:1", (float(2 + n % 2 * 2 + n % 4 // 2),), 3.0, "blind", 0.5) for n in range(80)]
    cells += [Cell(100 + n, "turn:1", (), 3.0) for n in range(40)]
    dataset, judge = fill(store, cells)
    approve(store, dataset, judge, "helpfulness")
    tile = dashboard.tiles(store, dataset, judge, dashboard.approvals_by_judge(store, dataset)[judge])[0]
    # Odd items: people say 4 and 5 in turn, so 4.5; even ones 2 and 3. The judge, always 3, is of no use: lambda 0.
    text = " ".join(sentences.explain_tile(tile))
    assert text.startswith(
        "People would rate s1 highest, 4.50 on average on a scale of 1 to 5 (with 95% confidence 4.31 to 4.69). "
        "Lowest is s0, with 2.50."
    )
    assert "s1 is rated 2.00 higher than s0 (1.74 to 2.26)." in text
    ends = [_set_point(system, at) for system, at in zip(tile.systems, (1.0, 0.0), strict=True)]
    assert not [line for line in sentences.explain_tile(replace(tile, systems=tuple(ends))) if "same figure" in line]
    [mean] = tile.systems[1].means
    uncovered = replace(mean, uncovered=0.5, interval=replace(mean.interval, point=None))
    without = replace(tile.systems[1], name="s2", means=(uncovered,))
    first = sentences.explain_tile(replace(tile, systems=(*tile.systems, without)))[0]
    assert first.startswith("Among the 2 systems with a corrected figure, people would rate s1 highest, 4.50")
    short = replace(mean, n=10, interval=replace(mean.interval, point=None, n_eff=10.0))
    short_system = replace(tile.systems[1], name="s3", means=(short,))
    first = sentences.explain_tile(replace(tile, systems=(*tile.systems, without, short_system)))[0]
    assert first.startswith("Among the 2 systems with a corrected figure"), "s2 has enough labelled items, too"
    equal = [_set_point(system, 1.0) for system in tile.systems]
    first = sentences.explain_tile(replace(tile, systems=(*equal, without)))[0]
    assert first.startswith("The 2 systems with a corrected figure come out alike, at 1.00")
    alone = dashboard.filter_system(tile, "s1")
    assert sentences.explain_tile(alone)[-1] == "The judge itself says 3.00, 1.50 less."
    dimensions = [tile.counted.dimension]
    assert labelled_items(store, dataset, judge, dimensions, ["gate"])["turn", "helpfulness"]["s1"][0].labelled == 40
    assert counted_dimension(dimensions[0]).describe_mean(0) == "mean"


def _set_point(system: dashboard.SystemMeans, point: float) -> dashboard.SystemMeans:
    [mean] = system.means
    return replace(system, means=(replace(mean, interval=replace(mean.interval, point=point)),))


def test_the_plot_of_a_tile_has_every_figure_in_its_place(store: Store) -> None:
    cells = [Cell(n, "turn:1", (float(2 + n % 2 * 2 + n % 4 // 2),), 3.0, "blind", 0.5) for n in range(80)]
    dataset, judge = fill(store, cells)
    approve(store, dataset, judge, "helpfulness")
    [tile] = dashboard.tiles(store, dataset, judge, dashboard.approvals_by_judge(store, dataset)[judge])
    plot = tile_plot(tile)
    marks = re.findall(r'<text x="([\d.]+)" y="[\d.]+" text-anchor="middle"[^>]*>(\d)</text>', plot)
    first, *_, last = (float(x) for x, _ in marks)
    assert [label for _, label in marks] == ["1", "2", "3", "4", "5"] and 0 < first < last < 760

    def place(value: float) -> Any:
        return pytest.approx(first + (value - 1) / 4 * (last - first), abs=0.02)

    assert [float(x) for x, _ in marks] == [place(n) for n in range(1, 6)]
    dots = re.findall(r'<circle cx="([\d.]+)" cy="[\d.]+" r="5.5"[^>]*><title>(s\d): people would say ([\d.]+)', plot)
    assert [(name, mean) for _, name, mean in dots] == [("s1", "4.50"), ("s0", "2.50")]
    assert [float(x) for x, *_ in dots] == [place(4.5), place(2.5)]
    spans = re.findall(r'<line x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="\2" class="s0"', plot)
    ends = [(s.means[0].interval.low, s.means[0].interval.high) for s in tile.systems]
    assert [(float(x), float(y)) for x, _, y in spans[:2]] == [(place(low), place(high)) for low, high in ends]
    diamonds = re.findall(r'<path d="M([\d.]+) [^>]*><title>s\d: the judge says 3.00', plot)
    assert [float(x) for x in diamonds] == [place(3), place(3)]
    [height] = re.findall(r'<line x1="0" y1="([\d.]+)" x2="24" y2="\1" class="s0"', plot)
    assert f'<circle cx="12" cy="{height}" r="5" class="f0"/>' in plot  # the legend: a dot on its line, and a diamond
    assert re.search(rf'<path d="M412 {float(height) - 6:g}L418 {height}L', plot)
    assert "Too few labels" not in plot
    # The ticks are named above the lines that they name, which begin below the names of the answers.
    tops = [float(y) for _, y in re.findall(r'<line x1="([\d.]+)" y1="([\d.]+)" x2="\1"[^>]*class="grid"', plot)]
    names = [float(y) for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)" text-anchor="middle"[^>]*>\d</text>', plot)]
    answers = [float(y) for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)"[^>]*>[15]</text>', plot)]
    assert len(set(tops)) == 1 and max(names) < tops[0] and max(answers) < tops[0]
    [left, right] = (float(x) for x in re.findall(r'<rect x="([\d.]+)"[^>]*><title>s\d: the judge answers', plot))
    assert left == right and last < left, "the bars of answers begin behind the axis"
    rare = tuple(replace(system, answer_shares=(0.0001, 0.9999, 0.0, 0.0, 0.0)) for system in tile.systems)
    plot = tile_plot(replace(tile, systems=rare))
    wide = re.findall(r'<rect x="[\d.]+" y="[\d.]+" width="([-\d.]+)"[^>]*><title>s\d: the judge answers', plot)
    assert len(wide) == 4 and all(float(width) >= 0.5 for width in wide), "the bar of a rare answer can be seen"


def test_which_of_several_pairs_of_systems_differ_is_told_with_their_names(store: Store) -> None:
    cells = [Cell(n, "turn:1", (float(2 + n % 3 + n % 2),), 3.0, "blind", 0.5) for n in range(120)]
    dataset, judge = fill(store, cells, systems=lambda n: (f"s{n % 3}", ""))
    approve(store, dataset, judge, "helpfulness")
    tile = dashboard.tiles(store, dataset, judge, dashboard.approvals_by_judge(store, dataset)[judge])[0]
    # People say 2 or 3 of s0, 3 or 4 of s1, 4 or 5 of s2, in turn: 2.5, 3.5 and 4.5 on average.
    assert [s.name for s in tile.systems] == ["s2", "s1", "s0"] and len(tile.comparisons) == 3

    def last_sentence(*differ: str) -> str:
        comparisons = tuple(
            replace(c, adjusted=0.01 if f"{tile.systems[c.one].name}-{tile.systems[c.other].name}" in differ else 0.9)
            for c in tile.comparisons
        )
        return sentences.explain_tile(replace(tile, comparisons=comparisons))[-1]

    assert last_sentence() == "None of them differ significantly: this order may be chance."
    for higher, lower, gap in (("s2", "s1", "1.00"), ("s2", "s0", "2.00"), ("s1", "s0", "1.00")):
        sentence = last_sentence(f"{higher}-{lower}")
        assert sentence.startswith(f"{higher} is rated {gap} higher than {lower} (")
        assert sentence.endswith("). The other 2 pairs of systems do not differ significantly.")
    assert last_sentence("s2-s0", "s1-s0") == "2 of the 3 pairs of systems differ significantly."
    assert last_sentence("s2-s1", "s2-s0", "s1-s0") == "All of them differ significantly."
    high, middle, low = tile.systems
    same, also = replace(middle, means=high.means), replace(low, name="s3", means=high.means)
    lines = sentences.explain_tile(replace(tile, systems=(high, same, low), comparisons=()))
    assert lines[1:] == ["s1 comes out at the same figure.", "Lowest is s0, with 2.50."]
    lines = sentences.explain_tile(replace(tile, systems=(high, same, also, low), comparisons=()))
    assert lines[1] == "s1 and s3 come out at the same figure."
    sparse = replace(_set_point(low, 0.0), name="s4")
    sparse = replace(sparse, means=(replace(sparse.means[0], interval=replace(sparse.means[0].interval, point=None)),))
    lines = sentences.explain_tile(replace(tile, systems=(high, middle, sparse), comparisons=()))
    assert lines[0].startswith(
        "Among the 2 systems with enough labelled items, people would rate s2 highest, 4.50 on average on a scale of 1 "
        "to 5 (with 95% confidence "
    )
    assert lines[1:] == [
        "Lowest is s1, with 3.50.",
        "One other has too few labelled items for a corrected figure: do not compare the judge's own with those.",
    ]
    lines = sentences.explain_tile(
        replace(tile, systems=(high, replace(high, name="s5"), sparse, sparse), comparisons=())
    )
    assert lines == [
        "The 2 systems with enough labelled items come out alike, at 4.50 on a scale of 1 to 5.",
        "2 others have too few labelled items for a corrected figure: do not compare the judge's own with those.",
    ]
    assert sentences.tile_span(tile, None) == sentences.tile_span(tile, sparse.means[0].interval) == "–"
    rest: Any = SimpleNamespace(judge=SimpleNamespace(point=4.5, low=4.25, high=4.75, items=9), mean=None)
    own = "the judge itself says 4.50 (4.25 to 4.75); not shown: the mean of all would then tell those of the slices "
    for named, of in (("", "all systems together"), ("s1", "s1")):
        sentence = sentences.describe_rest(tile, rest, named, 0)
        assert sentence == f"Of {of}, {own}that have too few items."
    shares: Any = SimpleNamespace(counted=SimpleNamespace(mean=False))
    assert [sentences.tile_gap(shares, gap) for gap in (0.012, -0.01, 0.12, -0.001)] == [
        "1 point", "\u22121 point", "12 points", "0 points"
    ]  # fmt: skip
    means: Any = SimpleNamespace(counted=SimpleNamespace(mean=True))
    assert [sentences.tile_figure(means, value) for value in (-0.35, -0.001)] == ["\u22120.35", "0.00"]
    assert [sentences.tile_gap(tile, gap) for gap in (0.21, -0.001)] == ["0.21", "0.00"]
    # Of two systems there is one pair, which is told whether it differs or not.
    [pair] = [c for c in tile.comparisons if {c.one, c.other} == {0, 1}]
    alone = replace(tile, systems=tile.systems[:2], comparisons=(replace(pair, adjusted=0.01),))
    assert sentences.explain_tile(alone)[-1].startswith("s2 is rated 1.00 higher than s1 (")
    tied = replace(alone, comparisons=(replace(pair, adjusted=0.9),))
    assert sentences.explain_tile(tied)[-1].startswith(
        "s2 and s1 do not differ significantly: the difference is 1.00 ("
    )


def test_the_share_of_replies_that_could_not_be_read_is_that_of_each_system_and_of_each_pair(store: Store) -> None:
    sides = [("x", "y"), ("y", "x"), ("x", "z"), ("x", "y")]
    cells = [Cell(n, "pair", (), "unscored", dimension="verdict") for n in range(3)]
    cells += [Cell(3, "pair", (), 0.0, dimension="verdict")]  # this one was judged
    dataset, judge = fill(store, cells, "pairs", "pair", "long_form_pairwise", systems=lambda n: sides[n])
    shares = dashboard.unscored_shares(store, dataset, judge)
    assert shares == {"x": 3 / 4, "y": 2 / 3, "z": 1.0, "x ~ y": 1 / 2, "y ~ x": 1.0, "x ~ z": 1.0}
    unnamed, judge = fill(store, cells, "unnamed", "pair", "long_form_pairwise", systems=lambda n: ("x" * (n > 1), ""))
    assert dashboard.unscored_shares(store, unnamed, judge) == {"": 3 / 4, "x": 1 / 2}
    alone, other = fill(store, [Cell(n, "turn:1", (), "unscored") for n in range(5)])
    assert dashboard.unscored_shares(store, alone, other) == {"s0": 1.0, "s1": 1.0}
    assert dashboard.unscored_shares(store, dataset, other) == {}


def test_command_line(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    dataset, judge = fill(store, dialogues())
    monkeypatch.setenv("ASSAY_STORE", store.url)
    out = tmp_path / "d.html"
    store.close()
    line = ["dashboard", "--dataset", "demo", "--out", str(out)]
    assert main(line) == 1 and "Nothing is approved on 'demo'" in capsys.readouterr().err
    again = open_store(store.url)
    approve(again, dataset, judge, "helpfulness")
    again.close()
    assert main([*line, "--judge", "other"]) == 1 and "is called 'other'" in capsys.readouterr().err
    assert main(line) == 0 and "1 approved" in capsys.readouterr().out
    assert "People would rate" in out.read_text(encoding="utf-8")


def test_labels_that_do_not_cover_the_judges_answers_give_no_corrected_figure(store: Store) -> None:
    cells = [Cell(n, "turn:1", (4.0, 5.0), 4.0 + n % 4 // 2, "blind", 0.5) for n in range(160)]
    cells += [Cell(1000 + n, "turn:1", (), 1.0) for n in range(40)]  # a fifth, which nobody labelled
    dataset, judge = fill(store, cells)
    approve(store, dataset, judge, "helpfulness")
    tile = dashboard.tiles(store, dataset, judge, dashboard.approvals_by_judge(store, dataset)[judge])[0]
    mean = tile.systems[0].means[0]
    assert mean.refused and mean.uncovered == 0.2 and mean.people == 4.5  # of 4 and 5, not the lower one
    text = " ".join(sentences.explain_tile(tile))
    assert "Labels of s0 do not cover what is to be corrected: 20% of the judge's answers" in text
    assert text.endswith("So the figures here are the judge's own.")


def test_beside_a_corrected_figure_each_other_system_is_counted_with_what_its_labels_lack(store: Store) -> None:
    cells = [Cell(n, "turn:1", (4.0 + n % 2,), 4.0 + n % 4 // 2, "blind", 0.5) for n in (*range(80), *range(100, 180))]
    cells += [Cell(180 + n, "turn:1", (), 1.0) for n in range(20)]  # a fifth of s1, which nobody labelled
    cells += [Cell(200 + n, "turn:1", (4.0,), 4.0, "blind", 0.5) for n in range(10)]  # of s2, fewer than 30
    dataset, judge = fill(store, cells, systems=lambda n: (f"s{n // 100}", ""))
    approve(store, dataset, judge, "helpfulness")
    tile = dashboard.tiles(store, dataset, judge, dashboard.approvals_by_judge(store, dataset)[judge])[0]
    first, *_, short, uncovered = sentences.explain_tile(tile)
    assert first.startswith("People would rate s0, 4.50 on average on a scale of 1 to 5 (with 95% confidence ")
    assert short.startswith("One other has too few labelled items for a corrected figure")
    assert uncovered.startswith("Labels of s1 do not cover what is to be corrected: 20% of the judge's answers")
    plot = tile_plot(tile)
    assert plot.index("s0: people would say 4.50") < plot.index("s1: the judge says") < plot.index("Too few labels")
    shown = tile_data.tile_data(tile, {}, {})
    assert shown["words"]["few"] in unescape(plot), "the page and the picture say the same"
    own = {row["name"]: (row["told"], [note["t"] for note in row["notes"]]) for row in shown["systems"][1:]}
    assert own == {
        "s1": ("s1: not corrected", ["80 labelled", "labels do not cover it"]),
        "s2": ("s2: not corrected", ["10 labelled, 30 needed"]),
    }


def test_the_course_of_a_system_follows_the_beginnings_of_its_runs(store: Store) -> None:
    """The first run began with an item that it could not score, and was resumed when the second had ended."""
    dataset, judge = fill(store, [Cell(n, "turn:1", (), "unscored") for n in range(7)], systems=lambda n: ("s", ""))
    items = [str(i) for (i,) in store.rows("select id from item")]
    add_judgment(store, judge, items.pop(), {}, "b")
    for number, item in enumerate(items):
        add_judgment(store, judge, item, {"turn:1": 2.0 + number // 3}, "ab"[number // 3])
    approve(store, dataset, judge, "helpfulness")
    [tile] = dashboard.tiles(store, dataset, judge, dashboard.approvals_by_judge(store, dataset)[judge])
    assert [(point.run, point.items, point.means) for point in tile.systems[0].trend] == [
        ("b", 3, (3.0,)), ("a", 3, (2.0,))
    ]  # fmt: skip


def test_runs_are_named_by_their_day_and_imports_are_told_apart() -> None:
    day, early, late = (datetime(2026, 3, *at, tzinfo=UTC) for at in ((1, 8), (2, 8, 5), (2, 9, 30)))
    runs = [("r0", day), ("imported7", early), ("r1", late), ("imported8", late), ("imported9", late), ("r2", None)]
    assert dashboard.run_names([dashboard.ScoringRun(key, at) for key, at in runs]) == {
        "r0": "2026-03-01", "imported7": "imported 2026-03-02 08:05", "r1": "2026-03-02 09:30",
        "imported8": "imported 2026-03-02 09:30", "imported9": "imported 2026-03-02 09:30 (2)", "r2": "",
    }  # fmt: skip
