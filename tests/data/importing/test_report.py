"""The report of an import: problems with their places, counts in words, what is handed back, where reading stops."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from data.importing import report
from data.importing.report import (
    ImportCounts,
    ImportPreview,
    ImportProblem,
    ImportRefused,
    ProblemCollector,
    TooManyErrors,
)


def test_a_problem_is_told_with_its_line_or_of_the_file_as_a_whole() -> None:
    assert str(ImportProblem("a.csv", 3, "id", "It is bad.")) == "a.csv, line 3: It is bad."
    assert str(ImportProblem("a.csv", 0, "", "It is bad.")) == "a.csv: It is bad."


@pytest.mark.parametrize(("counts", "total", "words"), [
    ({}, 0, "0 items, 0 judgments and 0 labels"),
    ({"items": 1, "judgments": 1, "labels": 1}, 3, "1 item, 1 judgment and 1 label"),
    ({"items": 1_200, "adjudications": 2}, 1_202, "1,200 items, 0 judgments, 0 labels and 2 adjudications"),
    ({"rules": 1}, 1, "0 items, 0 judgments, 0 labels and how labels are combined"),
    ({"cards": 1}, 1, "0 items, 0 judgments, 0 labels and 1 card"),
    ({"guidelines": 1}, 1, "0 items, 0 judgments, 0 labels and guidelines"),
    ({"prompts": 1}, 1, "0 items, 0 judgments, 0 labels and 1 set of judges' prompts"),
    ({"prompts": 2, "guidelines": 1, "cards": 2, "rules": 1, "adjudications": 1}, 7,
     "0 items, 0 judgments, 0 labels, 1 adjudication, how labels are combined, 2 cards, guidelines and "
     "2 sets of judges' prompts"),
])  # fmt: skip
def test_counts_in_words(counts: dict[str, int], total: int, words: str) -> None:
    tally = ImportCounts(**counts)
    assert (tally.total, str(tally)) == (total, words)


def collect(*rejected: tuple[str, int, int, Any]) -> tuple[ImportPreview, list[dict[str, Any]]]:
    """What is reported of lines (file, line, number of problems, row), and what is handed back."""
    preview, back = ImportPreview("d"), io.BytesIO()
    problems = ProblemCollector(preview, back)
    for file, line, count, row in rejected:
        problems.reject(file, line, [(f"f{n}", f"Bad {n}.") for n in range(count)], row)
    problems.close()
    return preview, [json.loads(text) for text in back.getvalue().splitlines()]


def test_a_line_counts_once_and_all_that_is_wrong_with_it_is_handed_back() -> None:
    preview, back = collect(("a", 1, 2, {"x": "  é\n y"}), ("a", 1, 1, "cut  {"), ("b", 1, 1, None),
                            ("b", 2, 1, {1, 2}))
    assert (preview.rejected, preview.by_file, preview.problem_count, preview.ok) == (3, {"a": 3, "b": 2}, 5, False)
    assert [(p.file, p.line, p.field, p.sentence, p.begins) for p in preview.problems] == [
        ("a", 1, "f0", "Bad 0.", '{"x": " é\\n y"}'), ("a", 1, "f1", "Bad 1.", '{"x": " é\\n y"}'),
        ("a", 1, "f0", "Bad 0.", "cut {"), ("b", 1, "f0", "Bad 0.", "null"), ("b", 2, "f0", "Bad 0.", ""),
    ]  # fmt: skip
    assert back == [
        {"file": "a", "line": 1, "error": "Bad 0. Bad 1.", "row": {"x": "  é\n y"}},
        {"file": "a", "line": 1, "error": "Bad 0.", "row": "cut  {"},
        {"file": "b", "line": 1, "error": "Bad 0.", "row": None},
        {"file": "b", "line": 2, "error": "Bad 0.", "row": "{1, 2}"},
    ]  # fmt: skip
    assert collect()[0].ok
    # Two things of one row are one line; a row that something is wrong with at the end, too, is still one row.
    preview, back = collect(("a", 1, 1, {"x": 1}), ("a", 1, 2, {"x": 1}), ("a", 2, 1, {}), ("a", 1, 1, {"x": 1}))
    assert (preview.rejected, preview.problem_count) == (2, 5)
    assert [(row["line"], row["error"]) for row in back] == [(1, "Bad 0. Bad 0. Bad 1."), (2, "Bad 0."), (1, "Bad 0.")]


def test_what_is_kept_of_very_much_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    preview, _ = collect(("a", 1, 999, {}), ("a", 2, 3, {}), ("a", 3, 1, {}))
    assert (len(preview.problems), preview.problem_count, preview.rejected) == (1_000, 1_003, 3)
    assert preview.problems[-1].line == 2
    other = ImportPreview("d")
    problems = ProblemCollector(other, None)
    problems.reject("a", 1, [("n" * 201, "s" * 1_001)], "b" * 121)
    [problem] = other.problems
    assert (problem.field, problem.sentence, problem.begins) == ("n" * 200, "s" * 1_000, "b" * 120)
    for n in range(150):
        problems.warn(f"Warning {n}.")
        problems.warn("w" * 1_001)
    problems.warn("Warning 3.")
    problems.close()
    assert other.warnings[:2] == ["Warning 0.", "w" * 1_000 + " (150 times)"] and len(other.warnings) == 100
    assert other.warnings[4] == "Warning 3. (2 times)" and other.warnings[-1] == "Warning 98."
    monkeypatch.setattr(report, "_ROW", len('{"error":"Bad 0.","file":"a","line":1,"row":"xx"}'))
    assert [row["row"] for row in collect(("a", 1, 1, "xx"), ("a", 2, 1, "xxx"))[1]] == ["xx", None]


def test_reading_stops_at_the_last_bad_line_that_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MAX_BAD_LINES", 2)
    preview, back = ImportPreview("d"), io.BytesIO()
    problems = ProblemCollector(preview, back)
    for _ in range(3):
        problems.reject("a", 1, [("", "Bad.")], {})
    assert not preview.stopped
    with pytest.raises(TooManyErrors):
        problems.reject("a", 1_234, [("", "Bad.")], {})
    assert preview.stopped == (
        "2 lines are bad, and reading stopped at line 1,234 of a. Correct what they have in common, or say what the "
        "file is, and import it again."
    )
    problems.close()
    assert [json.loads(text)["error"] for text in back.getvalue().splitlines()] == ["Bad. Bad. Bad.", "Bad."]
    assert str(ImportRefused(preview)) == f"Nothing was written. {preview.stopped} The first: a, line 1: Bad."


def test_a_refusal_says_how_many_lines_and_the_first() -> None:
    for rejected, words in ((1, "1 line"), (2, "2 lines")):
        preview, _ = collect(*(("a", n, 1, {}) for n in range(1, rejected + 1)))
        refused = ImportRefused(preview)
        assert refused.preview is preview and str(refused) == (
            f"Nothing was written: {words} cannot be imported. The first: a, line 1: Bad 0. Correct them, or import "
            "only the good rows."
        )
    assert str(ImportRefused(ImportPreview("d", rejected=3))) == (
        "Nothing was written: 3 lines cannot be imported. Correct them, or import only the good rows."
    )
