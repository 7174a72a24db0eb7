"""What is said of MT-Bench: the figures that the tables hold, and the words that stand beside them."""

from judges.mtbench.comparison import compare_judges
from judges.mtbench.means import means_by_rule, model_means
from judges.mtbench.ratings import Rules, count_judgments, read_ratings
from judges.mtbench.records import Judge
from judges.render.findings import mtbench_judges, mtbench_results
from judges.render.findings.findings import Sentence, Table, plain
from tests.judges.mtbench.benches import bench

ROWS = [
    ("j", 1, "m", 1, 8), ("j", 1, "m", 2, None), ("j", 2, "m", 1, 6), ("j", 2, "m", 2, 3),
    ("j", 1, "n", 1, 9), ("j", 1, "n", 2, 9), ("j", 2, "n", 1, 10), ("j", 2, "n", 2, 2),
    ("k", 1, "m", 1, 7), ("k", 2, "m", 1, 7), ("k", 2, "m", 1, 1), ("k", 1, "n", 2, 9),
]  # fmt: skip
BENCH = bench(ROWS, {"2": "math"})
TABLE = read_ratings(BENCH)
NAMES = {"j": "J", "k": "K"}


def test_judges_are_told_apart_by_as_little_as_does_it() -> None:
    judges = [
        Judge("1", "gpt", "single-v1", "aaaaaaaaaaaa", "fastchat"),
        Judge("2", "gpt", "single-v1", "bbbbbbbbbbbb", "fastchat"),
        Judge("3", "gpt", "other", "", "fastchat"),
        Judge("4", "claude", "single-v1", "aaaaaaaaaaaa", "fastchat"),
        Judge("5555555555", "same", "p", "w", "f"),
        Judge("6666666666", "same", "p", "w", "f"),
    ]
    assert mtbench_results.judge_names(judges) == {
        "1": "gpt · single-v1 · aaaaaa",
        "2": "gpt · single-v1 · bbbbbb",
        "3": "gpt · other",
        "4": "claude",
        "5555555555": "same · p · w · f · 555555",
        "6666666666": "same · p · w · f · 666666",
    }


def test_the_table_of_means_has_every_model_of_every_judge() -> None:
    shown = mtbench_results.table(model_means(TABLE, Rules()), NAMES, Rules())
    rows = {(row["judge"], row["model"]): row for row in shown.rows}
    assert list(rows) == [("J", "all models"), ("J", "m"), ("J", "n"), ("K", "all models"), ("K", "m"), ("K", "n")]
    assert (rows["J", "m"]["turn 1"], rows["J", "m"]["turn 2"]) == (7.0, 3.0)
    assert (rows["J", "m"]["judgments"], rows["J", "m"]["failed"]) == (4, 1)
    assert rows["K", "m"]["turn 2"] is None and rows["K", "m"]["mean"] == 5.0
    share = mtbench_results.table(model_means(TABLE, Rules(scale="share")), NAMES, Rules(scale="share"))
    assert share.columns["mean"].shape == ".4f" and share.rows[2]["mean"] == 0.75


def test_the_plot_has_the_best_model_first_and_a_line_at_all_models() -> None:
    own = [one for one in model_means(TABLE, Rules()) if one.judge == "j"]
    plot = mtbench_results.forest(own, Rules())
    assert [row.name for row in plot.rows] == ["n", "m"]
    assert plot.mark == 47 / 7 and plot.rows[0].remark.startswith("7.500 (")


def test_categories_are_axes_in_one_order_for_table_and_radar() -> None:
    own = [one for one in model_means(TABLE, Rules()) if one.judge == "j"]
    shown = mtbench_results.category_table(own, Rules(), False)
    assert shown.rows[1] == {"model": "m", "writing": 8.0, "math": 4.5}
    assert str(mtbench_results.category_table(own, Rules(), True).rows[1]["math"]).startswith("4.50 (")
    web = mtbench_results.radar(own, ["n", "gone"], Rules())
    assert (web.axes, web.series, web.reach) == (["writing", "math"], [("n", [9.0, 6.0])], (0.0, 10.0))


def test_what_failed_is_counted_by_reason() -> None:
    (shown,) = mtbench_results.counts(count_judgments(BENCH, TABLE), NAMES)
    assert isinstance(shown, Table)
    first, second = shown.rows
    assert (first["judge"], first["unreadable"], first["API error"], first["duplicates"]) == ("J", 1, 0, 0)
    assert (second["duplicates"], second["judged again"], second["differently"], second["spread"]) == (1, 1, 1, 6.0)


def test_the_rule_that_moves_a_mean_most_is_named() -> None:
    said, shown = mtbench_results.rule_table(means_by_rule(TABLE, Rules()), NAMES, Rules())
    assert isinstance(said, Sentence) and isinstance(shown, Table)
    # K rates m 7, 7 and 1: 5 as rows, 7 with the first only. J's failed judgment moves m from 17/3 to 4.
    assert plain(said) == "The rules move a mean by up to 2.000 (m, K)."
    calm = means_by_rule(read_ratings(bench([("j", 1, "m", 1, 8)])), Rules())
    assert plain(mtbench_results.rule_table(calm, NAMES, Rules())[0]).startswith("No rule moves a mean")  # type: ignore[arg-type]


def test_missing_answers_and_questions_are_named() -> None:
    told = [plain(one) for one in mtbench_results.contents(BENCH, NAMES)]
    assert told[0] == "2 questions, 2 models, 2 judges."
    assert "A whole MT-Bench has 80 questions." in told


def test_two_judges_on_the_turns_that_both_rated() -> None:
    found = compare_judges(TABLE, "j", "k")
    # Shared: m on 1 (8, 7), m on 2 (6, mean of 7 and 1), n on 1 in turn 2 (9, 9).
    first, second = (plain(one) for one in mtbench_judges.summary(found, NAMES))
    assert first.startswith("J and K do not differ significantly: 1.000 points")
    assert "From 3 turns of 2 questions" in second and "Left out: 4 turns by J alone." in second
    points = mtbench_judges.bubbles(found, NAMES)
    assert sorted(points.points) == [(6.0, 4.0, 1), (8.0, 7.0, 1), (9.0, 9.0, 1)]
    rows = {row["figure"]: row for row in mtbench_judges.figure_table(found).rows}
    assert (rows["equal"]["value"], rows["within one"]["value"]) == ("33.3%", "66.7%")
    assert rows["difference"]["value"] == "\u22121.00" and rows["mean distance"]["value"] == "1.00"
    shown = mtbench_judges.largest(found.largest, ("J", "K"))
    assert [(row["question"], row["J"], row["K"], row["difference"]) for row in shown.rows] == [
        ("2", 6.0, 4.0, -2.0), ("1", 8.0, 7.0, -1.0),
    ]  # fmt: skip


def test_judges_without_a_turn_in_common_are_told_so() -> None:
    apart = read_ratings(bench([("j", 1, "m", 1, 8), ("k", 2, "m", 1, 8)]))
    (said,) = mtbench_judges.summary(compare_judges(apart, "j", "k"), NAMES)
    assert plain(said) == "J and K have rated no turn of the same answer."


def test_parts_have_both_means_and_all_figures() -> None:
    found = compare_judges(TABLE, "j", "k")
    cut = {f"turn {n}": one for n, one in found.turns.items()}
    shown = mtbench_judges.part_table("turn", cut, ("J", "K"), False)
    assert [(row["turn"], row["turns"], row["J"], row["K"]) for row in shown.rows] == [
        ("turn 1", 2, 7.0, 5.5), ("turn 2", 1, 9.0, 9.0),
    ]  # fmt: skip
    assert mtbench_judges.FIGURES.keys() < shown.rows[0].keys()
    worded = mtbench_judges.part_table("turn", cut, ("J", "K"), True)
    assert str(worded.rows[0]["equal"]).startswith("0.0% (")
