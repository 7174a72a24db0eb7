"""The report of a judge: plots that any name leaves well-formed, the same digits everywhere, nothing fetched."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.approvals import approvals, check_results
from data.calibration import calibration
from data.calibration.calibration import BasisSize
from data.calibration.confidence import ConfidenceReliability
from data.cli import main
from data.cli import report as cli_report
from data.gold.gold import BASES
from data.records import people
from data.records.settings import GoldRule, set_gold_rule
from data.records.tables import (
    AdjudicationRow,
    AnswerRow,
    ApprovalRow,
    ClaimRow,
    DrawRow,
    FitRow,
    ItemRow,
    ItemUseRow,
    JudgmentRow,
    LabelRow,
    RunEventRow,
    RunRow,
    SettingRow,
)
from data.reports import plots
from data.reports.bundle import CELLS, bundle
from data.reports.dashboard import _shade
from data.reports.evidence import Evidence, _figures_without_ties, _judge, _newest, gather_report_evidence
from data.reports.report import (
    _audits,
    _decisions,
    _disputes,
    _judge_section,
    _opening,
    _overview,
    _policy,
    _position,
    _reproduction_section,
    make_report,
    render_report,
)
from data.reports.statistics import CONFIDENCE, SELF_CONSISTENCY, STATISTICS, SampleFigures
from data.store import Store, open_store
from data.store.errors import NotAllowed, NotFound
from data.store.ids import new_id
from judges.audits import all_audits
from judges.render import html, svg
from judges.render.csv_cells import csv_text
from judges.render.drawing import shorten, text_width, tick_label, ticks
from judges.render.findings.findings import Sentence, sentence_text
from judges.stats.agreement import cross_table, kappa
from judges.stats.approval_check import CheckPolicy
from judges.stats.both_orders import positional_agreement
from judges.stats.confidence import ConfidenceCells, confidence_calibration
from judges.stats.missingness import Missingness
from judges.stats.self_consistency import SampledCells, measure_self_consistency
from judges.types import Dimension, Scale
from judges.version import VERSION
from tests.archives import check_archive
from tests.data.cells import Cell, fill
from tests.data.flag_dataset import add_flag_dataset
from tests.data.planted_workspace import frozen_clock
from tests.facts import facts, text_of
from tests.poison import tricks

NASTY = '=cmd() <b>対話</b> & "x" ]]> {n} **bold**'
TURN = "turn:1"
KEYS = Path(__file__).with_name("figure_keys.txt")
ARCHIVE = Path(__file__).with_name("archive.txt")
TABLES = [f"{n}.csv" for n in "figures states people slices growth audits decisions means".split()]
NAMES = st.text(max_size=60)
FIGURES = st.none() | st.floats(-1, 1)


def figures_in(document: str) -> dict[str, Any]:
    """The JSON in a report."""
    match = re.search(r'<script type="application/json" id="figures">\n(.*?)\n</script>', document, re.DOTALL)
    assert match
    return json.loads(match[1])


@pytest.fixture(scope="module")
def judged_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str, str]]:
    """A store with a judge of one dataset: drawn items with unequal chances, assisted labels, n/a, unscored cells."""
    store = open_store(f"duckdb:///{tmp_path_factory.mktemp('report') / 'a.duckdb'}")
    cells = [
        Cell(n, TURN, (float(n % 5 + 1),), float(min(n % 5 + 1 + (n % 4 == 0), 5)), probability=0.3 + 0.4 * (n % 2))
        for n in range(60)
    ]
    cells += [Cell(100 + n, TURN, (float(n % 5 + 1),), float(n % 5 + 1), "assisted", 0.5) for n in range(35)]
    cells += [
        Cell(n, "conversation", (None if n % 3 else 4.0,), None, "blind", 0.5, "task_completion") for n in range(9)
    ]
    cells += [Cell(n, "conversation", (2.0,), "unscored", "blind", 0.5, "coherence") for n in range(4)]
    dataset, judge = fill(store, cells, NASTY)
    people.join_workspace(store, "lea")
    yield store, dataset, judge
    store.close()


@pytest.fixture(scope="module")
def document_and_evidence(judged_store: tuple[Store, str, str]) -> tuple[str, Evidence]:
    """Its report, and what that rests on."""
    evidence_list: list[Evidence] = []

    def gather(*args: Any) -> Evidence:
        evidence_list.append(gather_report_evidence(*args))
        return evidence_list[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("data.reports.report.gather_report_evidence", gather)
        return make_report(judged_store[0], "lea", *judged_store[1:]), evidence_list[0]


@pytest.fixture(scope="module")
def document(document_and_evidence: tuple[str, Evidence]) -> str:
    """Its report."""
    return document_and_evidence[0]


@pytest.fixture(scope="module")
def evidence(document_and_evidence: tuple[str, Evidence]) -> Evidence:
    """What it rests on."""
    return document_and_evidence[1]


@pytest.fixture(scope="module")
def archive(judged_store: tuple[Store, str, str]) -> dict[str, str]:
    """The files of its archive."""
    with zipfile.ZipFile(io.BytesIO(bundle(judged_store[0], "lea", *judged_store[1:]))) as opened:
        assert {entry.date_time for entry in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        return {name: opened.read(name).decode("utf-8-sig") for name in opened.namelist()}


# -- plots ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(NAMES, NAMES, FIGURES, FIGURES, FIGURES, NAMES), max_size=4), NAMES)
def test_intervals_are_well_formed(rows: list[Any], title: str) -> None:
    interval_rows = [
        svg.IntervalRow(name, sub, point, low, high, low, "fails", remark)
        for name, sub, point, low, high, remark in rows
    ]
    ElementTree.fromstring(svg.interval_plot(interval_rows, 0.5, title, title=title))


@given(st.lists(NAMES, min_size=1, max_size=4), st.data())
def test_other_plots_are_well_formed(names: list[str], data: Any) -> None:
    values = data.draw(st.lists(FIGURES, min_size=len(names), max_size=len(names)))
    ElementTree.fromstring(svg.bar_plot(names, [(name, values) for name in names], names[0]))
    ElementTree.fromstring(
        svg.line_plot([(name, names, values, values, None) for name in names], names[0], names[0], 0.5)
    )
    counts = [[abs(value or 0) for value in values] for _ in names]
    ElementTree.fromstring(svg.confusion_matrix(counts, names, names[0]))


def test_what_a_plot_says_is_text() -> None:
    plot = svg.interval_plot([svg.IntervalRow("<script>x</script>", "", 0.5, 0.4, 0.6)], title="a")
    assert "<script" not in plot
    assert "&lt;script&gt;x&lt;/script&gt;" in plot


def test_long_names_are_shortened_and_kept_as_a_tip() -> None:
    name = "長い名前" * 20
    plot = ElementTree.fromstring(svg.interval_plot([svg.IntervalRow(name, "turn", 0.5, None, None)]))
    texts = [t for t in plot.iter("{http://www.w3.org/2000/svg}text") if (t[0].text if len(t) else "") == name]
    assert texts and all("…" in "".join(t.itertext()) for t in texts)
    assert text_width(shorten(name, 100)) <= 100
    models = {shorten(f"organisation/some-model-name-{size}-instruct", 200) for size in (7, 70)}
    assert len(models) == 2 and all(model.startswith("organisation") and model.endswith("instruct") for model in models)
    assert shorten("abc", 0) == "…"


def test_a_table_of_agreement_keeps_within_its_width_with_all_answers_written() -> None:
    bins = [f"{n / 10:g}–{(n + 1) / 10:g}" for n in range(10)]
    drawn = svg.confusion_matrix([[1] * 10] * 10, bins, width=480)
    assert float(ElementTree.fromstring(drawn).get("width", "")) <= 480 and "…" not in drawn


def test_a_bound_below_the_axis_does_not_leave_the_plot() -> None:
    plot = ElementTree.fromstring(
        svg.interval_plot([svg.IntervalRow("safety", "turn", 0.79, -0.09, 0.92, -1.0, "inconclusive")])
    )
    lines = [line for line in plot.iter("{http://www.w3.org/2000/svg}line") if line.get("class") == "s2"]
    assert len(lines) == 4 and min(float(line.get("x1", 0)) for line in lines) > text_width("safety  turn")
    assert "lower bound -1.0000" in ElementTree.tostring(plot, "unicode")


def texts(drawn: str) -> dict[str, dict[str, str]]:
    """Text -> the attributes of the element that has it."""
    elements = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    return {"".join(element.itertext()): dict(element.attrib) for element in elements}


def test_bars_stand_upright_where_their_names_have_room_and_lie_where_not() -> None:
    values = [0.1 * n for n in range(1, 9)]
    upright = svg.bar_plot([f"m{n}" for n in range(1, 9)], [("all", values)])
    lying = svg.bar_plot([f"a model with a long name, {n}" for n in range(1, 9)], [("all", values)])
    assert len({attributes["y"] for text, attributes in texts(upright).items() if text.startswith("m")}) == 1
    assert len({attributes["y"] for text, attributes in texts(lying).items() if text.startswith("a model")}) == 8
    assert "0%" in texts(upright), "bars stand on a line that is called nothing"


@pytest.mark.parametrize("count", [1, 4])
def test_no_cell_of_a_table_of_agreement_leaves_the_drawing(count: int) -> None:
    drawn = ElementTree.fromstring(svg.confusion_matrix([[1] * count] * count, [f"answer {n}" for n in range(count)]))
    boxes = [{k: float(rect.get(k, "")) for k in ("x", "y", "width", "height")}
             for rect in drawn.iter("{http://www.w3.org/2000/svg}rect") if rect.get("x")]  # fmt: skip
    assert len(boxes) >= count**2
    assert 0 < max(b["y"] + b["height"] for b in boxes) <= float(drawn.get("height", "")) < 1_000
    assert 0 < max(b["x"] + b["width"] for b in boxes) <= float(drawn.get("width", ""))


def test_only_several_series_have_a_legend_and_room_for_it() -> None:
    def high(count: int) -> float:
        drawn = svg.bar_plot(["a", "b"], [(f"series {n}", [0.5, 0.6]) for n in range(count)])
        assert ("series 0" in texts(drawn)) == (count > 1)
        return float(ElementTree.fromstring(drawn).get("height", ""))

    assert high(2) - high(1) == svg.TEXT_SIZE + 8


def test_the_name_of_an_axis_stands_in_the_middle_below_it() -> None:
    drawn = svg.line_plot([("all", [0.0, 1.0], [0.2, 0.4], None, None)], x="answered", width=700)
    axis = [line for line in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}line")
            if line.get("class") == "grid"]  # fmt: skip
    left, right = float(axis[0].get("x1", "")), float(axis[0].get("x2", ""))
    attributes = texts(drawn)["answered"]
    assert left < float(attributes["x"]) < right and float(attributes["x"]) == pytest.approx((left + right) / 2, abs=10)
    assert attributes["text-anchor"] == "middle"


@pytest.mark.parametrize("highest", [1.0, 100.0, 25_000.0])
def test_the_last_tick_of_a_line_plot_stands_within_it(highest: float) -> None:
    drawn = svg.line_plot([("all", [0.9725 * highest, highest], [0.2, 0.4], None, None)], width=700)
    across = [t for t in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
              if t.get("text-anchor") == "middle"]  # fmt: skip
    last = max(across, key=lambda t: float(t.get("x", "")))
    assert last.text == tick_label(highest, ticks(0.9725 * highest, highest, 7))
    assert float(last.get("x", "")) + text_width(last.text, 12) / 2 <= 700


def test_on_paper_only_a_column_with_a_very_long_word_is_broken_within_words() -> None:
    rows = [{"unit": "conversation", "system": "model-of-the-second-team", "items": 30}]
    drawn = html.table(rows, ["unit", "system", "items"])
    assert '<td>conversation</td><td class="long">model-of-the-second-team</td><td class="n">30</td>' in drawn


def test_between_whole_numbers_is_no_tick() -> None:
    """Thresholds from 2 to 5 had ticks at 2.0, 2.5, 3.0 and so on, as if 2.5 were one."""
    ends = {"whole": [2.0, 3.0, 4.0, 5.0], "parts": [2.0, 3.5, 5.0]}
    drawn = [svg.line_plot([("kappa", xs, [0.5] * len(xs), None, None)]) for xs in ends.values()]
    shown = [re.findall(r'text-anchor="middle"[^>]*>([\d.]+)<', plot) for plot in drawn]
    assert shown == [["2", "3", "4", "5"], ["2.0", "2.5", "3.0", "3.5", "4.0", "4.5", "5.0"]]

def test_the_shades_of_answers_go_from_faint_to_full() -> None:
    shades = [re.findall(r' fill-opacity="([\d.]+)"', _shade(n, 4)) for n in range(4)]
    assert shades == [["0.16"], ["0.44"], ["0.72"], ["1"]] and _shade(0, 1) == ' fill-opacity="1"'


def test_an_undefined_figure_has_no_mark() -> None:
    plot = svg.interval_plot([svg.IntervalRow("a", "", None, None, None, remark="– undefined")])
    assert "<circle" not in plot
    assert "– undefined" in plot


def test_ticks_are_round() -> None:
    assert ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert ticks(-0.31, 0.92) == [-0.2, 0, 0.2, 0.4, 0.6, 0.8]
    assert ticks(3, 3) == [3]


# -- documents --------------------------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """Tags and text of a document as a browser would take them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(NAMES)
def test_documents_escape_what_they_are_given(name: str) -> None:
    plain = set(
        "html head meta title style body main h1 p bdi strong div table thead tr th tbody td footer code pre dl dt dd "
        "script".split()
    )
    parts = [
        html.para("**{a}** and `{a}`", a=name), html.table([{"x": name}], {"x": name}, name), html.code(name),
        html.facts([(name, name)]), html.embed_json({"a": name}),
    ]  # fmt: skip
    reader = Reader()
    reader.feed(html.html_page(name, parts, name))
    assert {tag for tag, _ in reader.tags} <= plain
    assert not any(attribute.startswith("on") for _, attributes in reader.tags for attribute in attributes)


def test_only_what_the_templates_made_is_html() -> None:
    joined = "".join([html.para("x"), html.para("y")])  # str.join gives a text again
    parts = [html.para("{a}", a=html.para("z")), joined, html.details("<b>", ["<i>"]), html.bullets(["<u>"])]
    page = html.html_page("t", parts)
    assert "<bdi>&lt;p&gt;z&lt;/p&gt;</bdi>" in page and "&lt;p&gt;x&lt;/p&gt;" in page
    assert not any(f"<{tag}>" in page for tag in "biu")


@pytest.mark.parametrize("tag", tricks("https://canary.test"))
def test_documents_keep_what_is_meant_to_fetch_or_run_as_text(tag: str) -> None:
    reader = Reader()
    parts = [
        html.heading(tag, anchor=tag), html.note("{a}", tag, a=tag), html.bullets([tag]), html.facts([(tag, tag)]),
        html.table([{tag: tag}], [tag], tag), html.details(tag, [tag]), html.code(tag), html.embed_json(tag),
    ]  # fmt: skip
    reader.feed(html.html_page(tag, parts, tag))
    assert {attribute for _, attributes in reader.tags for attribute in attributes} <= {
        "lang", "charset", "http-equiv", "content", "name", "id", "class", "role", "type", "tabindex", "aria-label",
    }  # fmt: skip
    assert not {tag for tag, _ in reader.tags} & {"img", "iframe", "svg", "a", "form", "link", "object", "video"}


def test_marks_in_values_are_no_marks() -> None:
    assert html.say("**{a}**", a="**b** `c`") == "<strong><bdi>**b** `c`</bdi></strong>"


# -- the report -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_keys_of_the_figures_stay_as_they_are(document: str, of_flags: str) -> None:
    """Programs read them: a new one comes to figure_keys.txt beside this file, and none of its lines goes."""

    def keys(value: Any, at: str = "") -> Iterator[str]:
        pairs = value.items() if isinstance(value, dict) else [("[]", child) for child in value]
        for key, child in pairs:
            named = f"{at}.{'*' if at in ('audits', 'judge.params') else key}".lstrip(".")
            yield named
            if isinstance(child, dict | list):
                yield from keys(child, named)

    actual = {key for report in (document, of_flags) for key in keys(figures_in(report))}
    expected = set(KEYS.read_text(encoding="utf-8").splitlines())
    assert not expected - actual, (
        f"programs read these keys of figures.json, which are gone: {sorted(expected - actual)}"
    )
    assert not actual - expected, (
        f"new keys of figures.json: add them to {KEYS.name}, in order: {sorted(actual - expected)}"
    )
    rows = [row for d in figures_in(of_flags)["dimensions"] for row in d.get("confidence") or ()]
    assert len(rows) == 2 and all(0.9 < row["ranks"] < 1 and row["items"] == row["ratings"] for row in rows)


def test_report_has_the_figures_to_the_last_digit(judged_store: tuple[Store, str, str], document: str) -> None:
    store, dataset, judge = judged_store
    dimensions = {(d["unit"], d["dimension"]): d for d in figures_in(document)["dimensions"]}
    lines = check_results.dimension_results(store, dataset, judge)
    assert len(dimensions) == len(lines) and any(line.gate.interval.point for line in lines)
    for line in lines:
        figures, interval = dimensions[line.dimension.sort, line.dimension.name], line.gate.interval
        gate = next(f for f in figures["figures"] if f["basis"] == "gate")
        assert (gate["kappa"], gate["low"], gate["high"]) == (interval.point, interval.low, interval.high)
        assert (gate["bound"], gate["n_eff"], gate["items"]) == (interval.lower_bound, interval.n_eff, interval.items)
        assert figures["state"] == line.check.state
        assert figures["table"]["gate"] == line.gate.table.tolist()
    first = lines[0].dimension
    prints = {(d["unit"], d["dimension"]): d["fingerprints"] for d in figures_in(document)["dimensions"]}
    now = check_results.fingerprint_cells(store, dataset, judge, first, "gate")
    assert prints[first.sort, first.name]["gate"] == now


def test_the_report_says_what_counts_as_equal_on_scales_of_any_number() -> None:
    def last(scale: Scale) -> Any:
        values = np.array([1.0, 2.0, 3.0, 2.0])
        cells = SampledCells(np.arange(4), values, values, np.ones(4), np.stack([values, values], axis=1))
        consistency = measure_self_consistency(cells, (np.zeros(4), np.ones(4)), scale)
        line: Any = SimpleNamespace(dimension=Dimension("tone", "response", scale, "?"))
        return SELF_CONSISTENCY.findings(SampleFigures(consistency, "2 samples"), line, CheckPolicy())[-1]

    assert "Answers at most 0.5 apart count as equal" in sentence_text(last(Scale("interval", 0, 5)))
    assert not isinstance(last(Scale("ordinal", 1, 5)), Sentence)


def test_shares_by_confidence_say_what_counts_as_equal_on_scales_of_any_number() -> None:
    curve = confidence_calibration(ConfidenceCells(np.arange(2), np.array([0.5, 0.9]), np.zeros(2), np.ones(2)))
    assert curve is not None
    reliability = ConfidenceReliability({"stated": (curve, 2)}, 2)
    counts = []
    for scale in (Scale("interval", 0, 5), Scale("ordinal", 1, 5)):
        line: Any = SimpleNamespace(dimension=Dimension("tone", "response", scale, "?"))
        findings = CONFIDENCE.findings(reliability, line, CheckPolicy())
        sentences = [sentence_text(finding) for finding in findings if isinstance(finding, Sentence)]
        counts.append(sentences.count("Answers at most 0.5 apart count as equal in these shares."))
        kinds = [type(finding).__name__ for finding in findings if not isinstance(finding, Sentence)]
        assert kinds == ["ReliabilityDiagram", "Table"], "the curve and its numbers, once for each source"
    assert counts == [1, 0]


def test_report_fetches_nothing_and_shows_text_as_text(document: str) -> None:
    reader = Reader()
    reader.feed(document)
    assert not {"link", "img", "iframe", "base", "form", "object"} & {tag for tag, _ in reader.tags}
    assert not any({"src", "href", "action", "srcset"} & set(attributes) for _, attributes in reader.tags)
    assert not re.search(r"url\(|@import", document)
    assert {attributes.get("type") for tag, attributes in reader.tags if tag == "script"} == {"application/json"}
    assert "<b>対話" not in document and "<b>対話" in reader.text


def with_lead(path: Path) -> Store:
    """A new workspace that lea leads."""
    store = open_store(f"duckdb:///{path}")
    people.join_workspace(store, "lea")
    return store


@pytest.mark.slow
def test_report_changes_with_the_labels(tmp_path: Path) -> None:
    prints = []
    for answer in (3.0, 3.0, 4.0):
        store = with_lead(tmp_path / f"{len(prints)}.duckdb")
        cells = [Cell(n, TURN, (float(n % 5 + 1),), answer, probability=0.5, dimension="rating") for n in range(40)]
        figures = figures_in(make_report(store, "lea", *fill(store, cells, NASTY, card="mt_bench")))
        prints.append(figures["fingerprint"])
        assert figures["dimensions"][0]["fingerprints"]["gate"]
        store.close()
    assert prints[0] == prints[1] != prints[2]  # the same labels and scores in two workspaces, then other scores


@pytest.mark.slow
def test_the_rule_of_the_gold_says_what_happens_to_ratings_that_wait(tmp_path: Path) -> None:
    store = with_lead(tmp_path / "g.duckdb")
    cells = [Cell(n, TURN, (3.0, 5.0 if n < 2 else 3.0), 3.0, dimension="rating") for n in range(5)]
    dataset, judge = fill(store, cells, "rule", card="mt_bench")
    template, out = "; adjudicated where people are more than {} apart", "; until then left out of kappa"
    for rule, phrase in (
        (GoldRule("median", 1, "out"), template.format("1 step") + out),
        (GoldRule("median", 2, "counted"), template.format("2 steps")), (GoldRule("median", None, "out"), ""),
    ):  # fmt: skip
        set_gold_rule(store, "lea", dataset, rule)
        document = make_report(store, "lea", dataset, judge)
        assert f"the median of what people say{phrase}; in means all that people say" in document
        waits = figures_in(document)["dimensions"][0]["waiting"]
        assert (waits is None) is (rule.apart != 1)
        if waits is not None:  # two of five ratings wait; on these the judge is 1 below the mean, on the others 0
            assert (waits["ratings"], waits["counted"]["bias"], waits["left_out"]["bias"]) == (2, -0.4, 0.0)
    store.close()


@pytest.fixture(scope="module")
def of_flags(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of a judge that gives flags and topics, and says how sure it is."""
    store = with_lead(tmp_path_factory.mktemp("flags") / "f.duckdb")
    document = make_report(store, "lea", *add_flag_dataset(store, "lea"))
    store.close()
    return document


def test_which_statistics_are_folded_and_of_which_ties_can_be_left_out() -> None:
    assert [name for name, statistic in STATISTICS.items() if statistic.collapsed] == [
        "slices", "size", "flag", "confidence"
    ]  # fmt: skip
    assert [name for name, statistic in STATISTICS.items() if statistic.can_drop_ties] == [
        "agreement", "others", "missing", "slices", "size"
    ]  # fmt: skip


def test_of_a_dimension_the_longer_statistics_are_folded_and_the_others_open(of_flags: str) -> None:
    document = of_flags
    part = document[document.index("<h2 id=\"response.zz_harmful\">") : document.index("<h2 id=\"response.zz話題\">")]
    folded = re.findall("<summary>([^<]*)</summary>", part)
    assert folded == ["Slices", "Sample size", "Confidence"] and not re.search(r"</summary>\s*</details>", document)
    assert "<h3>Agreement</h3>" in part and not any(f"<h3>{title}</h3>" in part for title in folded)
    confidence = part[part.index("<summary>Confidence</summary>") :].partition("</details>")[0]
    ratings = re.findall(r'<tr><td>\d+% to \d+%</td><td class="n">(\d+)</td>', confidence)
    assert sum(map(int, ratings)) == 120, "every labelled response stands in one row of the table"


def test_decisions_on_record_are_told(tmp_path: Path) -> None:
    store = with_lead(tmp_path / "e.duckdb")
    cells = [Cell(n, TURN, (float(n % 5 + 1),), float(n % 5 + 1), dimension="rating") for n in range(9)]
    dataset, judge = fill(store, cells, "decided", card="mt_bench")
    met = ("We <b>met</b>.", "meets policy", "{}", "0", "lea")
    for n, decision in enumerate(("propose", "approve")):
        row = ApprovalRow(f"a{n}", dataset, judge, "turn", "rating", decision, *met)
        store.tx("lea", "approval", lambda tx, row=row: tx.append([row]))
    document = make_report(store, "lea", dataset, judge)
    decisions = figures_in(document)["decisions"]
    assert [(d["decision"], d["holds"]) for d in decisions] == [("propose", False), ("approve", True)]
    assert "We &lt;b&gt;met&lt;/b&gt;." in document
    assert "decision | by | why | " in plain_text([document]) and "lea | We <b>met</b>. | " in plain_text([document])
    store.close()


def test_a_judge_without_any_gold_has_a_report_too(tmp_path: Path) -> None:
    store = with_lead(tmp_path / "c.duckdb")
    cells = [Cell(0, TURN, (), 3.0, dimension="rating")]
    document = make_report(store, "lea", *fill(store, cells, "bare", card="mt_bench"))
    assert "No rating of this judge has a label here yet" in document
    assert all(d["state"] == "below minimum sample" for d in figures_in(document)["dimensions"])
    [at], [judge] = (store.rows(f"select id from {table}")[0] for table in ("dataset", "judge"))
    approvals.record_decision(store, "lea", at, judge, "turn", "rating", "decline", "Nobody has labelled.")
    assert "| as in this report | " in plain_text([make_report(store, "lea", at, judge)])
    with pytest.raises(NotFound):
        make_report(store, "lea", "nowhere", "nobody")
    with pytest.raises(NotAllowed):
        make_report(store, "nobody", "nowhere", "nobody")
    store.close()


@pytest.mark.slow
def test_the_archive_has_the_same_report_byte_by_byte(document: str, archive: dict[str, str]) -> None:
    assert archive["report.html"] == document
    assert json.loads(archive["figures.json"]) == figures_in(document)


def test_of_flags_and_topics_the_report_says_in_every_place_what_it_said(of_flags: str, tmp_path: Path) -> None:
    """With all that is counted in other ways than on a scale, and what each figure is."""
    figures = [line for d in figures_in(of_flags)["dimensions"] for line in facts(d["dimension"], d)]
    check_archive("\n".join([text_of(of_flags), *figures, ""]), ARCHIVE.with_name("flags.txt"), tmp_path)


def test_the_archive_says_in_every_place_what_it_said(archive: dict[str, str], tmp_path: Path) -> None:
    """The whole text of the report and its tables is that of archive.txt; of the other tables their first lines are."""
    files = {"report.html": text_of(archive["report.html"])}
    files |= {name: archive[name] for name in TABLES}
    rest = sorted(name for name in archive if name.endswith(".csv") and name not in TABLES)
    first = {name: [line for line in archive[name].splitlines() if ",0,0.0," not in line][:9] for name in rest}
    files |= {name: "\n".join(lines) for name, lines in first.items()}
    content = "".join(f"== {name}\n{text.strip()}\n" for name, text in files.items())
    check_archive(content, ARCHIVE, tmp_path)


def test_archive_has_cells_from_which_kappa_can_be_computed_again(archive: dict[str, str]) -> None:
    plots = [name for name in archive if name.endswith(".svg")]
    for name in plots:
        ElementTree.fromstring(archive[name])
    numbered_plots = {"agreement.1", "agreement.2", "slices.1", "slices.2"}
    assert {*plots} == {"plots/dimensions.svg"} | {
        f"plots/turn.helpfulness.{name}.svg" for name in numbered_plots | {"size", "flag", "blind"}
    }, "only where a statistic has several has each a number"
    drawn = "".join(ElementTree.fromstring(archive["plots/dimensions.svg"]).itertext())
    figures = json.loads(archive["figures.json"])
    assert all(d["dimension"].replace("_", " ") in drawn.lower() for d in figures["dimensions"])
    assert figures["audits"].keys() >= {"averaging", "verdict_contradicts"}
    cells = list(csv.DictReader(io.StringIO(archive["ratings/turn.helpfulness.csv"])))
    assert list(cells[0]) == CELLS
    gate = [c for c in cells if c["basis"] == "gate" and c["scored"] == "true"]
    human, judge = ([int(float(c[f"{side}_code"])) - 1 for c in gate] for side in ("human", "judge"))
    again = kappa(cross_table(human, judge, 5, [float(c["weight"]) for c in gate]), "quadratic")
    rows = csv.DictReader(io.StringIO(archive["figures.csv"]))
    row = next(r for r in rows if r["basis"] == "gate" and r["dimension"] == "helpfulness")
    assert float(row["kappa"]) == pytest.approx(again, abs=1e-12)
    table = [
        r for r in csv.DictReader(io.StringIO(archive["confusion.csv"]))
        if (r["basis"], r["dimension"], r["ties"]) == ("gate", "helpfulness", "counted")
    ]  # fmt: skip
    assert len(table) == 25
    for side in ("people", "judge"):
        for answer in {r[side] for r in table}:
            answer_rows = [r for r in table if r[side] == answer]
            share = sum(float(r["weight"]) for r in answer_rows) / sum(float(r["weight"]) for r in table)
            assert [float(r[f"{side}_share"]) for r in answer_rows] == pytest.approx([share] * len(answer_rows))
    completed = csv.DictReader(io.StringIO(archive["ratings/conversation.task_completion.csv"]))
    na = [c for c in completed if c["human"] == "n/a"]
    assert na and all(c["human_code"] == "" for c in na)
    unscored = list(csv.DictReader(io.StringIO(archive["ratings/conversation.coherence.csv"])))
    assert {(c["judge"], c["scored"]) for c in unscored} == {("", "false")}


def test_csv_runs_no_formula_and_rounds_nothing() -> None:
    text = csv_text(["a", "b", "c"], [["=1+1", 0.1 + 0.2, None], ["-x", -1.5, True]])
    assert text == "a,b,c\n'=1+1,0.30000000000000004,\n'-x,-1.5,true\n"


# -- what its sentences depend on --------------------------------------------------------------------------------------


def plain_text(parts: list[str]) -> str:
    """The text of parts of it, the cells of tables parted by one sign."""
    cells = re.sub(r"</t[dh]>|</d[td]>", " | ", re.sub(r"<svg.*?</svg>", "", "".join(parts), flags=re.DOTALL))
    return unescape(re.sub("<[^>]+>", "", cells))


def set_states(evidence: Evidence, *states: str) -> Evidence:
    """The same with these states of its first dimensions."""
    dimensions = list(evidence.dimensions)
    for n, state in enumerate(states):
        line = replace(dimensions[n].line, check=replace(dimensions[n].line.check, state=state))
        dimensions[n] = replace(dimensions[n], line=line)
    return replace(evidence, dimensions=tuple(dimensions))


def test_it_opens_with_what_meets_the_policy_and_what_does_not_count(evidence: Evidence) -> None:
    opening = plain_text(_opening(evidence))
    assert "The judge m with the card multi_turn_dialogue has scored 95 items" in opening
    assert opening.endswith("0 of 7 dimensions meet the policy of this workspace for publishing a judge's scores.")
    mixed = plain_text(_opening(set_states(evidence, "meets policy", "fails", "meets policy")))
    assert mixed.endswith("2 of 7 dimensions meet the policy of this workspace for publishing a judge's scores: "
                          "context use, safety.")  # fmt: skip
    other = plain_text(_opening(replace(evidence, basis="blind")))
    assert f"There are no {BASES['gate'][0].lower()}{BASES['gate'][1:]}, and only these count" in other
    sizes: Any = {"gate": BasisSize(5, 1), "imported": BasisSize(1_205, 2)}
    assert "1,200 imported labels that are said" in plain_text(_opening(replace(evidence, basis_sizes=sizes)))
    assert "imported labels" not in plain_text(_opening(replace(evidence, basis_sizes=sizes, gate="imported")))
    assert "7 imported labels" in plain_text(_opening(replace(evidence, basis_sizes={"imported": BasisSize(7, 1)})))
    for description, text in (("Made up.", "Synthetic: Made up.. Its"), ("", "Synthetic: made by a generator, not by")):
        dataset = replace(evidence.dataset, synthetic=True, description=description)
        assert text in plain_text(_opening(replace(evidence, dataset=dataset)))
    assert "Synthetic" in plain_text(_opening(replace(evidence, judge=replace(evidence.judge, synthetic=True))))
    assert "Synthetic" not in opening
    bare = replace(evidence, basis_sizes={})
    assert plain_text(_opening(bare)).endswith("has a label here yet: there are no figures.") and _overview(bare) == []


def test_its_table_has_a_row_for_each_dimension(evidence: Evidence) -> None:
    overview = plain_text(_overview(evidence))
    head = "dimension | unit | result | items | ratings | kappa | low | high | lower bound | kappa between people | "
    assert head + "% agreement |" in overview
    line = next(d for d in evidence.dimensions if d.dimension.name == "helpfulness").line
    interval = line.shown.interval
    assert f"helpfulness | turn | □\xa0below\xa0minimum\xa0sample | 60 | 60 | {interval.point:.3f} | " in overview
    assert f"{interval.low:.3f} | {interval.high:.3f} | – | – | {line.shown.exact:.1%} |" in overview
    assert "Labels used: blind labels of random draws, 73 labels of 1 person." in overview
    assert "is unknown, as no two people have labelled the same items" in overview
    assert "the dashed line too. Long tick" in overview, "whether it is valid at one look or at any, the policy says"
    policy = replace(evidence.requirements.policy, lower_bound=False)
    less = replace(evidence, requirements=replace(evidence.requirements, policy=policy))
    assert "the dashed line too" not in plain_text(_overview(less))


def test_whose_agreement_it_is_tells_whether_that_between_people_is_known() -> None:
    def describe(*ceilings: bool | None, gold: int = 10) -> str:
        """Of dimensions with so few shared items (None: with none) in which one or two people gave 15 labels."""
        people_ = SimpleNamespace(labels=15, fewest=1, most=2)
        shown, bare = (SimpleNamespace(gold_cells=cells, people=people_) for cells in (gold, 0))
        lines = [SimpleNamespace(dimension=n, shown=shown) for n in range(len(ceilings))]
        tops = {n: None if small is None else SimpleNamespace(is_too_small=small) for n, small in enumerate(ceilings)}
        # A dimension without gold is in no figure, however well people agree on it.
        other, top = SimpleNamespace(dimension="other", shown=bare), SimpleNamespace(is_too_small=False)
        return plots.explain_people([*lines, other], tops | {"other": top})  # type: ignore[list-item, arg-type]

    known, unknown = describe(False), describe(None)
    assert known != unknown and "1 to 2 people" in known and "1.5" in known
    assert describe(True) == describe(None, True) == unknown
    assert describe(True, False) == describe(None, False) == describe(False, None) == known
    assert describe(False, gold=0) == describe() == ""


def test_it_says_who_judged_what_and_when(evidence: Evidence) -> None:
    day, judge = datetime(2026, 1, 2, 3, 4), evidence.judge
    whole = replace(
        evidence, items=1_200, examples=3, at=day, dataset=replace(evidence.dataset, name="d", synthetic=True),
        judge=replace(
            judge, params={"top_p": 0.5, "a": "ä"}, items=1, judgments=2, first=day, last=day.replace(hour=5),
            runs=((day, "finished"), (day, "failed")), unscored=(("not_json", 1_000), ("refused", 2)),
        ),
    )  # fmt: skip
    at = "2026-01-02 03:04 UTC"
    for variant, pairs in (
        (whole, {
            "Parameters": 'a "ä", top_p 0.5', "Judged": "1 item of 1,200, 2 replies", "Dataset": "d (synthetic)",
            "Replies came in": f"{at} to 2026-01-02 05:04 UTC", "Data as of": at,
            "Runs from here": f"{at} (finished), {at} (failed)", "Card": "Multi-turn dialogue (multi_turn_dialogue)",
            "Replies without use": "1,000 not json, 2 refused", "Examples left out": "3, as they stand in its prompt",
        }),
        (replace(whole, card=None, at=None, judge=replace(judge, params={}, first=day, last=day)), {
            "Parameters": "not known", "Replies came in": at, "Card": "multi_turn_dialogue",
            "Data as of": "nothing yet",
            "Runs from here": "none: its replies were imported", "Replies without use": "none", "Model": "m",
        }),
    ):  # fmt: skip
        section = plain_text(_judge_section(variant))
        for name, value in pairs.items():
            assert f"{name} | {value} | " in section
    assert "Examples left out" not in plain_text(_judge_section(evidence))
    assert "Replies came in |  |" not in plain_text(
        _judge_section(replace(whole, judge=replace(judge, first=None, last=None)))
    )


def test_it_says_what_the_policy_asks_and_what_audits_and_leads_found(evidence: Evidence) -> None:
    requirements = replace(evidence.requirements, four_eyes=True, coverage=0.75)
    text = plain_text(_policy(replace(evidence, requirements=requirements)))
    assert "two leads agree | yes | " in text and "that the judge answered, at least | 0.75 | " in text
    assert "two leads agree | no | " in plain_text(_policy(evidence))
    most = replace(requirements, policy=replace(requirements.policy, horizon=1_000_000))
    assert "(0: at a single look) | 1000000 | " in plain_text(_policy(replace(evidence, requirements=most)))
    assert evidence.audits is not None
    text = plain_text(_audits(evidence))
    assert "None is in alarm. 95 replies were examined.\nfailure | verdict | figure | n | why | " in text
    name, finding = next(iter(evidence.audits.findings.items()))
    alarm = replace(finding, verdict="alarm", figure=0.25, n=1_234, why="So.")
    audits = replace(evidence.audits, findings={**evidence.audits.findings, name: alarm})
    text = plain_text(_audits(replace(evidence, audits=audits)))
    assert "1 in alarm. 95 replies" in text and f"{all_audits()[name].title} | alarm | 0.250 | 1,234 | So. | " in text
    for nothing in (None, replace(audits, findings={})):
        assert _audits(replace(evidence, audits=nothing)) == []
    assert "No lead has decided on any dimension" in plain_text(_decisions(evidence))


@pytest.mark.parametrize(("waiting", "phrase"), [("counted", "counts them, combined by"), ("out", "leaves them out (")])
def test_it_says_whether_ratings_to_adjudicate_count(evidence: Evidence, waiting: Any, phrase: str) -> None:
    dimensions = [replace(d, waiting=(d.line.shown, d.line.shown)) for d in evidence.dimensions]
    text = plain_text(_disputes(replace(evidence, dimensions=tuple(dimensions), rule=GoldRule("median", 1, waiting))))
    assert f"The approval check {phrase}" in text
    assert _disputes(evidence) == []


def test_what_a_judge_left_out_is_shown_only_where_it_was_asked(evidence: Evidence) -> None:
    line, policy = evidence.dimensions[0].line, evidence.requirements.policy
    missingness = Missingness(2, 6, ())
    findings = [
        STATISTICS["missing"].findings(missing, line, policy)
        for missing in (missingness, replace(missingness, cells=0), None)
    ]
    assert [bool(finding) for finding in findings] == [True, False, False]


def test_it_says_whether_the_order_of_a_pair_matters_where_both_were_asked(evidence: Evidence) -> None:
    verdicts = [(n, "a", "a" if n % 4 else "b") for n in range(40)]
    text = plain_text(_position(replace(evidence, position=positional_agreement(verdicts, ("a", "tie", "b")))))
    assert text.startswith("Position biasWith the order swapped the verdict stays the same in 75.0% of 40 pairs (")
    assert _position(replace(evidence, position=None)) == []


def test_figures_with_and_without_ties_stand_beside_each_other(tmp_path: Path) -> None:
    store = with_lead(tmp_path / "t.duckdb")
    pairs = [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (2.0, 0.0), (0.0, 1.0)] * 3  # a, tie and b
    cells = [Cell(n, "pair", (human,), judge, dimension="verdict") for n, (human, judge) in enumerate(pairs)]
    place = fill(store, cells, "ties", "pair", "plain_pairwise")
    [verdict] = calibration.compared_dimensions(store, place[1])
    figures = _figures_without_ties(store, *place, verdict, "blind")
    assert (figures.answers, figures.cells, figures.counts.tolist()) == (("a", "b"), 9, [[3, 0], [3, 3]])
    store.close()


def test_it_says_how_to_make_it_again(evidence: Evidence, document: str) -> None:
    figures = figures_in(document)
    for name, quoted in (("a b", "'a b'"), ("a-b_1", "a-b_1"), ("it's", "'it'\\''s'")):
        variant = replace(evidence, dataset=replace(evidence.dataset, name=name), fingerprint="f00")
        section = plain_text(_reproduction_section(variant, figures))
        lines = [f"python -m data report --dataset {quoted} --judge {evidence.judge.id} {end}" for end in (
            "--out report.html", "--figures")]  # fmt: skip
        assert "\n".join(lines) in section and "Fingerprint of it all | f00 | " in section
    assert evidence.epsilon == 0.2, "the handicap of people where they are experts"
    assert f"--judge {evidence.judge.id} --epsilon 0.1 --out" in plain_text(
        _reproduction_section(replace(evidence, epsilon=0.1), figures)
    )
    dimension = next(d for d in evidence.dimensions if d.dimension.name == "helpfulness")
    assert (
        f"helpfulness | turn | {' | '.join(dimension.fingerprints[basis] for basis in evidence.basis_sizes)} | "
        in section
    )
    assert "helpfulness | turn" not in plain_text(_reproduction_section(replace(evidence, basis_sizes={}), figures))
    foot = f"Made by Assay {VERSION} · fingerprint f00"
    later = replace(variant, at=datetime(2026, 1, 2, 3, 4))
    assert f"{foot} · data as of 2026-01-02 03:04 UTC" in render_report(later, figures)
    assert foot + "<" in render_report(replace(variant, at=None), figures)


def test_data_are_as_of_the_newest_row_that_a_report_uses(tmp_path: Path) -> None:
    with frozen_clock() as clock, closing(open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")) as store:
        people.join_workspace(store, "lea")
        dataset, judge = fill(store, [Cell(0, "turn:1", (3.0,), 4.0)])
        [(item,)] = store.rows("select id from item")
        for record, named, used in (
            *((record, {}, True) for record in (LabelRow, AnswerRow, DrawRow, AdjudicationRow, ItemUseRow, FitRow)),
            (JudgmentRow, {"judge_id": "other"}, True), (RunRow, {}, True), (ApprovalRow, {}, True),
            (SettingRow, {"scope": dataset}, True), (SettingRow, {"scope": "workspace"}, True), (ItemRow, {}, True),
            *((record, {"judge_id": "other"}, False) for record in (FitRow, RunRow, ApprovalRow)),
            (SettingRow, {"scope": "elsewhere"}, False), (ClaimRow, {}, False),
        ):  # fmt: skip
            before = _newest(store, dataset, judge)
            clock.pass_(days=1)
            empty = {str: "", int: 0, float: 0.0, bool: False, datetime: datetime(2026, 1, 1)}
            values = {name: empty.get(kind) for name, kind in get_type_hints(record).items()}
            values |= {"mode": "blind", "stream": "audit", "action": "save", "decision": "decline", "kind": "dialogue"}
            values |= {"id": new_id(), "dataset_id": dataset, "judge_id": judge, "item_id": item} | named
            row: Any = record(**{name: values[name] for name in record._fields})
            change = store.tx("lea", "test", lambda tx, row=row: (tx.append([row]), tx.seq)[1])  # type: ignore[misc]
            [(at,)] = store.rows("select made_at from change where seq = $1", [change])
            assert _newest(store, dataset, judge) == (at if used else before) and at > before, record


def test_a_judge_has_the_times_of_its_first_and_last_judgment_and_its_runs_in_order(tmp_path: Path) -> None:
    with frozen_clock() as clock, closing(open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")) as store:
        dataset, judge = fill(store, [Cell(0, "turn:1", (3.0,), 4.0)])
        [(item, first)] = store.rows("select i.id, c.made_at from item i join change c on c.seq = i.seq")
        runs = []
        for sample, kind in ((1, "failed"), (2, "finished")):
            clock.pass_(days=1)
            run = RunRow(new_id(), dataset, judge, "{}", 1, 1)
            judgment = JudgmentRow(new_id(), judge, item, "", sample, "", "", "")
            rows: list[Any] = [run, RunEventRow(new_id(), run.id, kind, ""), judgment]
            store.tx("lea", "test", lambda tx, rows=rows: [tx.append([row]) for row in rows])  # type: ignore[misc]
            [(at,)] = store.rows("select max(made_at) from change")
            runs.append((at, kind))
        reported = _judge(store, dataset, judge)
        assert (reported.judgments, reported.items, reported.runs) == (3, 1, tuple(runs))
        assert (reported.first, reported.last) == (first, at)


# -- the command ------------------------------------------------------------------------------------------------------


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"duckdb:///{tmp_path / 'd.duckdb'}"
    monkeypatch.setenv("ASSAY_STORE", url)
    store = open_store(url)
    cells = [Cell(n, TURN, (float(n % 5 + 1),), 3.0, dimension="rating") for n in range(5)]
    fill(store, cells, "demo", card="mt_bench")
    people.join_workspace(store, "lea")
    store.close()
    assert main(["report", "--dataset", "demo", "--judge", "m", "--out", str(tmp_path / "r.html")]) == 0
    document = (tmp_path / "r.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["report", "--dataset", "demo", "--figures"]) == 0
    assert json.loads(capsys.readouterr().out) == figures_in(document)
    assert main(["report", "--dataset", "demo", "--out", str(tmp_path / "r.zip")]) == 0
    assert zipfile.is_zipfile(tmp_path / "r.zip")
    for words in (["--out", "r.json"], ["--out", "r.html", "--figures"]):
        assert main(["report", "--dataset", "demo", *words]) == 1
        assert "with --figures it is JSON" in capsys.readouterr().err
    assert main(["report", "--dataset", "demo", "--judge", "nobody"]) != 0
    assert "No judge of 'demo' is called 'nobody'. There are: mt_bench · m (" in capsys.readouterr().err
    # Before anything is computed, which may take minutes.
    monkeypatch.setattr(cli_report, "make_report", lambda *args: pytest.fail("it was made first"))
    for place in (tmp_path, tmp_path / "no" / "r.html"):
        assert main(["report", "--dataset", "demo", "--out", str(place)]) != 0
        assert "could not be written" in capsys.readouterr().err
