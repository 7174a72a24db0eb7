"""Tables: what judges are called, by whose rule each is read, and that every row of a table has the same columns."""

from __future__ import annotations

from dataclasses import replace

from judges.mtbench.protocol import Protocol
from judges.mtbench.records import Answer, Bench, Game, Judge, Vote
from judges.mtbench.tables import comparison_tables, judge_label, narrow, result_tables, select_ratings, vote_table
from tests.judges.mtbench.benches import bench

ROWS = [("j", 1, "m", 1, "[[3]], no: [[8]]"), ("k", 1, "m", 1, "[[4]], no: [[6]]"), ("k", 2, "n", 2, None)]


def test_a_judge_is_called_by_its_model_unless_several_share_it():
    judges = [Judge("a", "gpt", "x", ""), Judge("b", "gpt", "y", ""), Judge("c", "o", "x", "")]
    sample = Bench(judges={judge.id: judge for judge in judges})
    assert [judge_label(sample, name) for name in ("a", "b", "c", "unknown")] == ["a", "b", "o", "unknown"]


def test_each_judge_is_read_by_its_own_protocol_unless_one_is_given():
    sample = bench(ROWS)
    sample = replace(sample, judges={"j": Judge("j", "j", "", "", "swallow"), "k": Judge("k", "k", "", "", "unheard")})
    own = select_ratings(sample)
    assert {name: judges for name, (_, judges) in own.protocols.items()} == {"swallow": ["j"], "fastchat": ["k"]}
    means = next(table for table in result_tables(own) if table.name == "means")
    assert {(row["judge"], row["model"]): row["both"] for row in means.rows} == {
        ("j", "(all)"): 0.3, ("j", "m"): 0.3, ("k", "(all)"): 4.0, ("k", "m"): 4.0, ("k", "n"): None,
    }  # fmt: skip
    last = select_ratings(sample, Protocol(name="last", parse="last"), ["k", "j"])
    assert last.table.number.tolist()[:2] == [8, 6] and last.judges == ["k", "j"]


def test_rows_of_a_table_have_the_same_columns_in_the_same_order():
    chosen = select_ratings(bench(ROWS))
    for table in [*result_tables(chosen), *result_tables(chosen, wide=True), *comparison_tables(chosen)]:
        assert len({tuple(row) for row in table.rows}) == 1, table.name


def test_what_is_of_some_judges_models_and_categories():
    sample = replace(
        bench(ROWS, {"2": "math"}),
        answers={("1", "m", 0): Answer("1", "m", 0, ("x",)), ("2", "n", 0): Answer("2", "n", 0, ("x",))},
        games=(Game("k", "1", 1, "m", "n", "", "a"), Game("j", "2", 1, "m", "o", "", "a")),
        votes=(Vote("v", "", "1", 1, "m", "n", "a"), Vote("v", "", "2", 1, "m", "n", "a")),
    )

    def sizes(**chosen):
        narrowed = narrow(sample, **chosen)
        return len(narrowed.answers), len(narrowed.ratings), len(narrowed.games), len(narrowed.votes)

    assert sizes() == (2, 3, 2, 2)
    assert sizes(judges=["k"]) == (2, 2, 1, 2)
    assert sizes(models=["m", "n"]) == (2, 3, 1, 2) and sizes(models=["m"]) == (1, 2, 0, 0)
    assert sizes(categories=["math"]) == (1, 1, 1, 1)


def test_nothing_makes_no_table():
    assert (
        result_tables(select_ratings(Bench()))
        == comparison_tables(select_ratings(Bench()))
        == list(vote_table(Bench()).rows)
        == []
    )
