"""Which ratings there are and which count, by hand."""

from __future__ import annotations

from itertools import product
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.mtbench.protocol import protocols
from judges.mtbench.ratings import (
    REASONS,
    ReadingRules,
    changed_ratings,
    count_judgments,
    count_ratings,
    read_rating,
    read_ratings,
    rules_of,
)
from judges.mtbench.records import Answer, Bench, Rating
from tests.judges.mtbench.benches import bench


@pytest.mark.parametrize(
    ("text", "stated", "parse", "number", "reason"),
    [
        ("Fine. [[8]]", 8.0, "fastchat", 8.0, ""),
        ("Fine. [[8.5]]", None, "fastchat", 8.5, ""),
        ("[[3]] would be harsh: [[7]]", None, "fastchat", 3.0, ""),
        ("[[3]] would be harsh: [[7]]", None, "last", 7.0, ""),
        ("[[3]] would be harsh: [[7]]", 5.0, "stated", 5.0, ""),
        ("[4] of 10", None, "fastchat", 4.0, ""),
        ("[4] of 10", None, "last", None, "unreadable"),
        ("nothing", -1.0, "fastchat", None, "unreadable"),
        ("nothing", 6.0, "fastchat", None, "unreadable"),
        ("", 6.0, "fastchat", 6.0, ""),
        ("", -1.0, "fastchat", None, "unreadable"),
        ("", None, "stated", None, "unreadable"),
        ("[[-1]]", None, "fastchat", None, "unreadable"),
        ("$ERROR$", -1.0, "fastchat", None, "api_error"),
        ("it printed $ERROR$ but [[4]]", None, "fastchat", 4.0, ""),
        ("it printed $ERROR$ but [[4]]", None, "last", 4.0, ""),
        ("[[85]]", 85.0, "fastchat", 85.0, "out_of_range"),
        ("[[0]]", None, "fastchat", 0.0, "out_of_range"),
        ("", float("nan"), "fastchat", None, "unreadable"),
    ],
)
def test_a_judgment_is_a_number_or_has_a_reason(text, stated, parse, number, reason):
    read, why = read_rating(Rating("j", "1", "m", 0, 1, 0, text, stated), parse)
    assert (None if isnan(read) else read, REASONS[why]) == (number, reason)


FIVE = [("j", 1, "m", 1, score, choice) for choice, score in enumerate([8, None, 6, None, 7])]
UNREAD_ROWS = [("j", 2, "m", 1, None, choice) for choice in range(5)]


@pytest.mark.parametrize(
    ("failed", "duplicates", "values"),
    [
        ("left out", "raw", [8, 6, 7]),
        ("left out", "first", [8]),
        ("left out", "averaged", [7]),
        ("counted", "raw", [8, -1, 6, -1, 7, -1, -1, -1, -1, -1]),
        ("counted", "first", [8, -1]),
        ("counted", "averaged", [19 / 5, -1]),
        ("all failed", "raw", [8, -1, 6, -1, 7]),
        ("all failed", "first", [8]),
        ("all failed", "averaged", [19 / 5]),
    ],
)
def test_five_samples_of_which_two_failed_and_five_that_all_failed(failed, duplicates, values):
    table = read_ratings(bench(FIVE + UNREAD_ROWS))
    counted = count_ratings(table, ReadingRules(failed=failed, duplicates=duplicates))
    assert counted.number.tolist() == pytest.approx(values)
    tenth = count_ratings(table, ReadingRules(failed=failed, duplicates=duplicates, scale="share"))
    assert tenth.number.tolist() == pytest.approx([value / 10 for value in values])


def test_a_first_judgment_that_failed_leaves_its_place_to_the_next_unless_it_is_a_number():
    table = read_ratings(bench([("j", 1, "m", 1, None, 0, 0), ("j", 1, "m", 1, 9, 0, 1)]))
    rules = ReadingRules(duplicates="first")
    assert count_ratings(table, rules).number.tolist() == [9]
    assert count_ratings(table, rules._replace(failed="counted")).number.tolist() == [-1]


def test_a_number_off_the_scale_counts_only_where_nothing_is_filtered():
    table = read_ratings(bench([("j", 1, "m", 1, 85), ("j", 2, "m", 1, 5)]))
    assert count_ratings(table, ReadingRules()).number.tolist() == [5]
    assert count_ratings(table, ReadingRules(failed="counted")).number.tolist() == [85, 5]


def test_the_first_sample_alone_is_what_fastchat_judges():
    table = read_ratings(bench(FIVE))
    assert count_ratings(table, ReadingRules(choices="first")).number.tolist() == [8]


def test_a_protocol_says_its_rules():
    assert rules_of(protocols()["swallow"]) == ReadingRules("fastchat", "all failed", "averaged", "share")


def test_first_is_by_sample_even_where_the_file_has_another_order():
    table = read_ratings(bench([("j", 1, "m", 1, 3, 1), ("j", 1, "m", 1, 9, 0), ("k", 1, "m", 1, 2)]))
    counted = count_ratings(table, ReadingRules(duplicates="first"))
    assert counted.number.tolist() == [9, 2] and counted.choice.tolist() == [0, 0]


rows = st.lists(
    st.tuples(
        st.sampled_from("jk"), st.integers(1, 3), st.sampled_from("mn"), st.integers(1, 2),
        st.sampled_from([None, 1, 5, 10, 11]), st.integers(0, 2), st.integers(0, 1),
    ),
    max_size=25,
)  # fmt: skip


@given(rows)
def test_every_rule_against_a_loop_over_dictionaries(given_rows):
    table = read_ratings(bench(given_rows))
    turns: dict[tuple, list] = {}
    for judge, question, model, turn, score, choice, sample in given_rows:
        turns.setdefault((judge, question, model, turn), []).append((choice, sample, score))
    for failed, duplicates in product(("left out", "counted", "all failed"), ("raw", "first", "averaged")):
        expected = []
        for cells in turns.values():
            fine = [score for *_, score in cells if score in (1, 5, 10)]
            values = []
            for *_, score in sorted(cells, key=lambda cell: cell[:2]):
                if score in (1, 5, 10):
                    values.append(score)
                elif failed == "counted":
                    values.append(-1 if score is None else score)
                elif failed == "all failed" and fine:
                    values.append(-1)
            if values:
                expected += {"raw": values, "first": values[:1], "averaged": [sum(values) / len(values)]}[duplicates]
        counted = count_ratings(table, ReadingRules(failed=failed, duplicates=duplicates))
        assert sorted(counted.number.tolist()) == pytest.approx(sorted(expected))


def test_judgments_are_counted_by_judge_with_reasons_and_repeats():
    counts = count_judgments(sample := bench([
        ("j", 1, "m", 1, 8, 0, 0), ("j", 1, "m", 1, 6, 0, 1), ("j", 1, "m", 2, None), ("j", 2, "m", 1, "$ERROR$"),
        ("j", 2, "m", 2, 12), ("k", 1, "m", 1, 5, 0, 0), ("k", 1, "m", 1, 5, 0, 1),
    ]), read_ratings(sample))  # fmt: skip
    first, second = counts
    assert (first.judgments, first.turns, first.doubled) == (5, 4, 1)
    assert first.failed == {"unreadable": 1, "api_error": 1, "out_of_range": 1}
    assert (first.repeated, first.differing, first.spread) == (1, 1, 2.0)
    assert (second.repeated, second.differing, second.spread, second.failed) == (1, 0, 0.0, {})


def test_copies_among_samples_are_repeats_and_other_texts_are_not():
    rows = [("j", 1, "m", 1, 8, 0), ("j", 1, "m", 1, 7, 1), ("j", 1, "m", 1, 2, 2)]
    sample = bench(rows)
    texts = {0: ("same", "x"), 1: ("same", "y"), 2: ("other", "x")}
    answers = {("1", "m", n): Answer("1", "m", n, turns) for n, turns in texts.items()}
    sample = Bench(questions=sample.questions, ratings=sample.ratings, answers=answers)
    [count] = count_judgments(sample, read_ratings(sample))
    assert (count.repeated, count.differing, count.spread, count.doubled) == (1, 1, 1.0, 0)


def test_ratings_whose_text_gives_another_number_than_the_file():
    ratings = (
        Rating("j", "1", "m", 0, 1, 0, "[[8]]", 8.0), Rating("j", "1", "m", 0, 2, 0, "[[8]]", 7.0),
        Rating("j", "2", "m", 0, 1, 0, "none", -1.0), Rating("j", "2", "m", 0, 2, 0, "none", 3.0),
        Rating("j", "3", "m", 0, 1, 0, "", 3.0), Rating("j", "3", "m", 0, 2, 0, "[[3]]", None),
    )  # fmt: skip
    sample = Bench(ratings=ratings)
    assert changed_ratings(sample, read_ratings(sample)).tolist() == [1, 3]
    assert changed_ratings(sample, read_ratings(sample, "stated")).tolist() == []


def test_some_judges_and_models():
    table = read_ratings(bench([("j", 1, "m", 1, 8), ("k", 2, "n", 1, 6)], {"2": "math"}))
    assert table.narrow(judges=["k"]).number.tolist() == [6]
    assert table.narrow(models=["m"]).number.tolist() == [8]
    assert len(table.narrow(models=["nobody"])) == 0 and len(table.narrow()) == 2


def test_an_empty_bench_has_an_empty_table():
    table = read_ratings(Bench())
    assert len(table) == 0 and table.judged == [] and count_judgments(Bench(), table) == []
    assert count_ratings(table, ReadingRules(duplicates="averaged")).number.tolist() == []
