"""Through the store: several judges at once, what is missing, weakest turns, means by a field, and the commands."""

import json

import numpy as np
import pytest

from data.approvals import check_results
from data.calibration import calibration, means, missingness, score_sums, weakest_turns
from data.calibration.calibration import paired_ratings_by_judge
from data.calibration.means import MeansChoice
from data.cards import cards as own_cards
from data.cli import main
from data.gold import fewshot
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import datasets, people
from data.reports.evidence import gather_report_evidence
from data.reports.figures import report_figures
from data.store import open_store
from data.store.errors import BadInput
from judges.cards import cards
from judges.stats.calibration import summarise
from tests.data.cells import Cell, fill
from tests.seeds import dialogue, judgment, lines, reply


def label(name, unit, dimension, value, person="ann"):
    return {"item": name, "unit": unit, "dimension": dimension, "value": value, "annotator": person, "mode": "blind",
            "made_at": "2026-01-31T12:00:00Z"}  # fmt: skip


@pytest.fixture
def store(tmp_path):
    store = open_store(f"duckdb:///{tmp_path / 's.duckdb'}")
    people.join_workspace(store, "lea")
    yield store
    store.close()


def bring(store, tmp_path, rows, name="demo"):
    import_source(
        store, "lea", from_path(lines(tmp_path / "in.jsonl", rows)), ImportPlan(name, sampling="random", population=500)
    )
    return datasets.dataset_named(store, name).id


def judges(store, dataset):
    return {model: id_ for id_, _, model, *_ in datasets.dataset_judges(store, dataset)}


@pytest.mark.slow
def test_the_cells_of_all_judges_at_once_are_those_of_each_alone(store, tmp_path, monkeypatch):
    """One judge lacks replies, one has samples, one knows items from its prompt, and one is of another card."""
    rng, items = np.random.default_rng(1), [dialogue(n) for n in range(40)]
    rows = list(items)
    for n, item in enumerate(items):
        for model in ("one", "two", "three"):
            if model != "two" or n % 3:
                rows.append(judgment(item, reply(item, int(rng.integers(1, 6))), model))
        rows.append(judgment(item, reply(item, int(rng.integers(1, 6))), "three", sample=1))
        rows += [
            label(item["id"], f"turn:{t}", "helpfulness", int(rng.integers(1, 6)), w) for t in (1, 2) for w in "ab"
        ]
        rows += [label(item["id"], "conversation", "task_completion", ["n/a", 4][n % 2])]
        rows += [label(item["id"], "turn:2", "safety", 1 + n % 5)] if n % 4 else []
    dataset = bring(store, tmp_path, rows)
    known = judges(store, dataset)
    ids = {str(i) for (i,) in store.rows("select id from item order by name limit 5")}
    monkeypatch.setattr(fewshot, "items_in_prompt", lambda _, judge: ids if judge == known["one"] else set())
    for basis in ("imported", "all"):
        together = paired_ratings_by_judge(store, dataset, list(known.values()), basis)
        for judge in known.values():
            dimensions = calibration.compared_dimensions(store, judge)
            alone = [calibration.load_paired_ratings(store, dataset, judge, d, basis) for d in dimensions]
            assert [d for d, _ in together[judge]] == dimensions
            for (d, one), other in zip(together[judge], alone, strict=True):
                for column in ("item", "human", "judge", "scored", "weight", "mean", "share", "people", "waits"):
                    np.testing.assert_array_equal(getattr(one, column), getattr(other, column), f"{d.name} {column}")
                assert summarise(one, d).interval == summarise(other, d).interval
    assert len(together[known["one"]][1][1]) == 2 * 35 and len(together[known["two"]][1][1]) == 2 * 40


def test_missing_is_what_the_judge_was_asked_and_the_gate_keeps_its_rule(store, tmp_path):
    items = [{"id": f"r{n}", "kind": "response", "task": "t", "output": f"回答 {n}"} for n in range(6)]
    good = {"scores": dict.fromkeys(("factuality", "instruction_following", "coherence", "completeness"), 4),
            "verdict": "good", "decision_basis": "b", "issues": []}  # fmt: skip
    at = {"card": "rubric_open_ended", "model": "m"}
    rows = [*items, *({"item": f"r{n}", **at, "reply": good} for n in (0, 1)), {"item": "r2", **at, "raw": "no"}]
    # Scores without a reply are about the cells that they name: of r4 another one, and of r5 there is nothing at all.
    blank = {"unit": "response", "dimension": "coherence", "value": None}
    five = {"unit": "response", "dimension": "factuality", "value": 5}
    rows += [{"item": "r3", **at, "scores": [blank, five]}, {"item": "r4", **at, "scores": [five]}]
    rows += [label(f"r{n}", "response", "coherence", v) for n, v in enumerate((4, 5, 2, 1, 3, 3))]
    dataset = bring(store, tmp_path, rows)
    judge = judges(store, dataset)["m"]
    coherence = next(d for d in calibration.compared_dimensions(store, judge) if d.name == "coherence")
    before = [line.check for line in check_results.dimension_results(store, dataset, judge)]
    missing = missingness.measure_missingness(store, dataset, judge, coherence, "blind", ("2",))
    by = {counted.choice: counted for counted in missing.counted}
    assert (missing.cells, missing.gold) == (2, 6)  # r2 and r3
    assert by["out"].summary.cells == 2 and by["lowest"].summary.cells == by["2"].summary.cells == 4
    assert by["2"].accuracy.exact == 0.5 and by["lowest"].accuracy.exact == 0.5  # r0 and r2; r0 and r3
    assert by["lowest"].summary.mean_difference == pytest.approx((0 - 1 - 1 + 0) / 4)
    assert by["out"].summary.interval == check_results.summaries(store, dataset, judge, "blind")[2].interval
    assert [line.check for line in check_results.dimension_results(store, dataset, judge)] == before


def test_weakest_turns_of_a_workspace(store, tmp_path):
    items = [dialogue(n) for n in range(6)]
    rows = [*items, *(judgment(i, reply(i, weakest=w)) for i, w in zip(items, (1, 2, 3, 2, None, 1), strict=True))]
    rows += [label(items[n]["id"], "conversation", "weakest_turn", v) for n, v in enumerate((1, 3, "none"))]
    # Of the others nobody names a turn: the lowest mean over all that was asked of a turn does.
    for n, scores in ((3, (4, 2, 4)), (4, (1, 5, 5)), (5, (3, 3, 3))):
        rows += [label(items[n]["id"], f"turn:{t}", "helpfulness", v) for t, v in enumerate(scores, 1)]
        rows += [label(items[n]["id"], f"turn:{t}", "safety", 5) for t in (1, 2, 3)]
    dataset = bring(store, tmp_path, rows)
    [comparison] = weakest_turns.compare_weakest_turns(
        store, dataset, judges(store, dataset)["judge-one"], "all"
    ).values()
    # 1 = 1, 2 near 3, people none, 2 = 2, the judge none, all alike.
    assert (comparison.equal.cells, comparison.equal.point, comparison.near.point) == (3, pytest.approx(2 / 3), 1.0)
    assert (comparison.labelled, comparison.people_only, comparison.judge_only, comparison.neither) == (2, 1, 2, 0)
    assert comparison.equal_by_chance == pytest.approx(1 / 3)


def test_a_judge_by_a_card_that_nobody_knows_has_no_weakest_turn(store):
    dataset, judge = fill(store, [Cell(0, "turn:1", (3.0,), 3.0)], card="no_such_card")
    assert weakest_turns.compare_weakest_turns(store, dataset, judge, "all") == {}


def rating_reply(n, values, sure):
    ratings = zip(("clarity", "factuality", "completeness", "instruction_following"), values, sure, strict=True)
    return {"dimensions": [{"name": d, "score": v, "justification": "j", "confidence": c} for d, v, c in ratings],
            "decision_basis": f"b{n}"}  # fmt: skip


@pytest.fixture
def pointwise(store, tmp_path):
    """Eight answers in two languages and fields, rated by two judges; the second has not seen the last."""
    rows = []
    for n in range(8):
        meta = {"language": ["ja", "en"][n % 2], "topic": "算数" if n < 5 else "lone" if n == 7 else "歴史"}
        item = {"id": f"r{n}", "kind": "response", "task": "t", "output": f"o{n}", "system": f"s{n % 2}"}
        sure, at = ["high" if n < 4 else "low", *["low"] * 3], {"item": f"r{n}", "card": "pointwise_quality"}
        rows += [{**item, "meta": meta}, {**at, "model": "one", "reply": rating_reply(n, (1 + n % 5, 5, 3, 3), sure)}]
        rows += [{**at, "model": "two", "reply": rating_reply(n, (3, 4, 4, 4), ["high"] * 4)}] if n < 7 else []
    return bring(store, tmp_path, rows)


def test_means_by_hand_with_the_second_means_of_the_card(store, pointwise):
    judge = judges(store, pointwise)["one"]
    rows = {row.dimension.name: row.means for row in means.means_table(store, pointwise, judge, MeansChoice("")).rows}
    clarity, overall = [1 + n % 5 for n in range(8)], rows["overall_score"]
    assert rows["clarity"].plain.point == pytest.approx(np.mean(clarity))
    weights = [1] * 4 + [0.25] * 4
    assert rows["clarity"].sure.point == pytest.approx(np.average(clarity, weights=weights))
    # One of four with high confidence is no majority: no aggregate is to be trusted.
    assert rows["clarity"].trusted.items == 0 and rows["clarity"].trusted.point is None
    assert overall.parts.point == pytest.approx((np.mean(clarity) + 11) / 4)
    weighted = [(c + 11 / 4) / 1.75 if n < 4 else (c + 11) / 4 for n, c in enumerate(clarity)]
    assert overall.plain.point == pytest.approx(np.mean(weighted)) and rows["trustworthy_aggregate"].plain.point == 0
    assert rows["trustworthy_aggregate"].trusted is None  # it is no mean of what it trusts
    two = means.means_table(store, pointwise, judges(store, pointwise)["two"], MeansChoice("")).rows
    assert all(row.means.trusted is None or row.means.trusted.items == 7 for row in two)


def test_means_by_a_field_of_some_items_and_on_the_cells_of_two_judges(store, pointwise, monkeypatch):
    known = judges(store, pointwise)
    fields = {"system": ["s0", "s1"], "language": ["en", "ja"], "topic": ["lone", "歴史", "算数"]}
    assert means.group_fields(store, pointwise) == fields

    def clarity(**chosen):
        table = means.means_table(store, pointwise, known["one"], MeansChoice(**chosen))
        return table, {r.group: r.means for r in table.rows if r.dimension.name == "clarity"}

    table, by = clarity(by="topic")
    assert set(by) == {"算数"} and table.small_groups == ("lone", "歴史")  # fewer than three items
    assert by["算数"].plain.point == pytest.approx(3.0)
    _, by = clarity(by="system", only=(("language", "ja"),))
    assert set(by) == {"s0"} and by["s0"].plain.items == 4
    table, by = clarity(by="", other=known["two"])
    own = [1 + n % 5 for n in range(7)]
    assert by[""].plain.items == 7 and by[""].other.point == 3.0
    assert by[""].ahead.point == pytest.approx(np.mean(own) - 3) and table.unshared == (6, 0)
    assert clarity(by="", other=known["two"], only=(("language", "ja"),))[0].unshared == (
        0,
        0,
    )  # the last is in English
    # More scores than are held in memory are refused; so many are not.
    [(count,)] = store.rows("select count(*) from score_now where judge_id = $1", [known["one"]])
    monkeypatch.setattr(means, "MOST_SCORES", count - 1)
    assert means.overall_means(store, pointwise, known["one"]) == ()
    with pytest.raises(BadInput, match=f"There are {count} scores, and at most {count - 1} are held in memory"):
        means.means_table(store, pointwise, known["one"], MeansChoice("language"))
    monkeypatch.setattr(means, "MOST_SCORES", count)
    assert means.overall_means(store, pointwise, known["one"])


def test_ratings_of_one_judge_alone_are_those_that_have_a_mean(store, tmp_path):
    items = [dialogue(n) for n in range(2)]
    judgments = [judgment(items[0], reply(items[0]), "one"), judgment(items[1], reply(items[1], weakest=1), "one")]
    dataset = bring(store, tmp_path, [*items, *judgments, judgment(items[0], reply(items[0]), "two")])
    known = judges(store, dataset)
    alone = {str(name) for (name,) in store.rows(
        "select s.dimension from score_now s join item i on i.id = s.item_id where i.name = $1 and s.value is not null",
        [items[1]["id"]],
    )}  # fmt: skip
    [(rated,)] = store.rows(
        "select count(*) from score_now s join item i on i.id = s.item_id where i.name = $1 and s.value is not null "
        "and s.dimension not in ('verdict', 'weakest_turn')",
        [items[1]["id"]],
    )
    table = means.means_table(store, dataset, known["one"], MeansChoice("", (), known["two"]))
    assert {"verdict", "weakest_turn"} < alone and table.unshared == (rated, 0)


def test_a_field_or_a_value_that_no_item_has_is_refused_with_those_there_are(store):
    cells = [Cell(n, "turn:1", (), 3.0) for n in range(22)]
    dataset, judge = fill(store, cells, "many", systems=lambda n: (f"s{n:02}", ""))
    no_field = "The items have no field 'hue' of 1 to 200 values. They can be grouped by: system, language."
    first_twenty = ", ".join(f"s{n:02}" for n in range(20))
    for chosen, why in (
        (MeansChoice("hue"), no_field),
        (MeansChoice("", (("hue", ""),)), no_field),
        (MeansChoice("", (("hue", "red"),)), no_field),
        (MeansChoice("", (("system", "s1"),)), f"No item has the system 's1'. There are: {first_twenty}."),
    ):
        with pytest.raises(BadInput) as refused:
            means.means_table(store, dataset, judge, chosen)
        assert str(refused.value) == why
    table = means.means_table(store, dataset, judge, MeansChoice("", (("system", "s21"),)))
    assert (table.rows, table.small_groups, table.unshared) == ((), ("",), None)
    assert means.overall_means(store, dataset, judge)[0].means.plain.items == 22


def test_who_judges_by_categories_or_by_a_card_that_nobody_knows_has_no_means(store):
    cells = [Cell(n, "pair", (), 0.0, dimension="verdict") for n in range(3)]
    for name, card, has in (
        ("words", "plain_pairwise", False), ("lost", "no_such_card", False), ("flags", "long_form_pairwise", True)
    ):  # fmt: skip
        dataset, judge = fill(store, cells, name, "pair", card)
        assert means.has_means(store, judge) == has
        assert means.overall_means(store, dataset, judge) == ()


def test_pairs_are_grouped_by_the_systems_of_both_sides(store):
    sides = [("x", "y"), ("y", "z"), ("x", "")]
    cells = [Cell(n, "pair", (), 0.0, dimension="verdict") for n in range(3)]
    dataset, _ = fill(store, cells, "pairs", "pair", "long_form_pairwise", systems=lambda n: sides[n])
    assert means.group_fields(store, dataset) == {"system": ["x", "y", "z"], "language": ["Latin script"]}


def test_a_number_of_a_pair_as_a_whole_is_of_both_its_systems(store):
    """How close the two are, of x ~ y in one order and the other, and of y ~ z; x alone is a system of two thirds."""
    dimension = {"name": "closeness", "unit": "pair", "definition": "How close the two are.", "answers": {"hi": 5}}
    own_cards.save_card(store, "lea", {"name": "close", "title": "Close", "kind": "pair", "dimensions": [dimension]})
    sides = [("x", "y"), ("y", "x"), ("y", "z")]
    cells = [Cell(n, "pair", (), float(1 + n % 3), dimension="closeness") for n in range(9)]
    dataset, judge = fill(store, cells, "close", "pair", "close", systems=lambda n: sides[n % 3])

    def plain_means(**chosen):
        rows = means.means_table(store, dataset, judge, MeansChoice(**chosen)).rows
        return {row.group: (row.means.plain.items, row.means.plain.point) for row in rows}

    assert plain_means() == {"x ~ y": (3, 1.0), "y ~ x": (3, 2.0), "y ~ z": (3, 3.0)}
    assert plain_means(by="", only=(("system", "x"),)) == {"": (6, 1.5)}
    assert plain_means(by="", only=(("system", "z"),)) == {"": (3, 3.0)}


def test_the_judges_own_means_stand_by_unit_where_there_are_several_and_few(store):
    scores = {"one": (1.0,), "two": (1.0, 4.0), "five": (1.0, 2.0, 3.0, 4.0, 5.0)}
    for name, values in scores.items():
        cells = [Cell(n, f"turn:{turn}", (), value) for n in range(3) for turn, value in enumerate(values, 1)]
        rows = score_sums.score_means(store, *fill(store, cells, name, systems=lambda _: ("s", "")))
        by_unit = [(f"turn:{turn}", 3, value) for turn, value in enumerate(values, 1)] if name == "two" else []
        assert [(m.unit, m.cells, m.mean) for m in rows] == [("", 3 * len(values), np.mean(values)), *by_unit]


def test_questions_of_turns_and_of_whole_dialogues_that_share_a_name_have_a_mean_each(store):
    answers = {"kind": "ordinal", "lo": 1, "hi": 5}
    dimensions = [
        {"name": "quality", "unit": unit, "definition": "How good?", "answers": answers}
        for unit in ("turn", "conversation")
    ]
    own_cards.save_card(store, "lea", {"name": "twice", "title": "T", "kind": "dialogue", "dimensions": dimensions})
    cells = [Cell(n, f"turn:{turn}", (), 5.0, dimension="quality") for n in range(3) for turn in range(1, 6)]
    cells += [Cell(n, "conversation", (), 1.0, dimension="quality") for n in range(3)]
    rows = score_sums.score_means(store, *fill(store, cells, "shared name", systems=lambda _: ("s", "")))
    assert [(m.unit, m.cells, m.mean) for m in rows] == [("conversation", 3, 1.0), ("turn", 15, 5.0)]


def test_means_stand_by_unit_where_a_dimension_has_two_to_four(store):
    assert score_sums.MAX_UNITS_WITH_OWN_MEANS == 4
    for units in (1, 2, 4, 5):
        cells = [Cell(n, f"turn:{turn}", (), float(turn)) for n in range(3) for turn in range(1, units + 1)]
        rows = means.means_table(store, *fill(store, cells, f"d{units}"), MeansChoice("")).rows
        by_unit = [(f"turn {turn}", turn) for turn in range(1, units + 1)] if units in (2, 4) else []
        displayed = [(unit, row_means.plain.point) for _, _, unit, row_means in (row.display for row in rows)]
        assert displayed == [("turn", (1 + units) / 2), *by_unit]


def test_of_hidden_groups_twelve_are_named():
    def sentence(groups):
        return means.explain_few_scores(means.MeansTable((), groups))

    names = tuple(f"g{n}" for n in range(13))
    assert sentence(()) == "" and "single scores: all items." in sentence(("",))
    assert sentence(names[:12]).endswith("g10, g11.") and sentence(names).endswith("g10, g11 and 1 more.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--by", "nowhere"], "The items have no field 'nowhere'"),
        (["--only", "language=fr"], "No item has the language 'fr'"),
        (["--only", "language"], "write it as language=ja"),
        (["--beside", "one"], "A judge has no difference to itself"),
    ],
)
def test_the_command_prints_means_or_a_sentence(store, pointwise, monkeypatch, capsys, options, why):
    monkeypatch.setenv("ASSAY_STORE", store.url)
    store.close()
    command = ["means", "--dataset", "demo", "--judge", "one"]
    assert main([*command, *options]) == 1 and why in capsys.readouterr().err
    assert main([*command, "--by", "topic"]) == 0
    text = capsys.readouterr().out
    assert "confidence-weighted" in text and "算数" in text and "fewer than 3 items" in text and "lone" in text
    assert "clarity response " in " ".join(text.split())
    assert main([*command, "--beside", "two", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"clarity", "overall_score", "trustworthy_aggregate"} < {row["dimension"] for row in rows}


@pytest.mark.slow
def test_the_report_has_the_same_figures_and_takes_a_handicap(store, tmp_path):
    rng, items = np.random.default_rng(4), [dialogue(n) for n in range(40)]
    rows = list(items)
    for item in items:
        truth = int(rng.integers(1, 6))
        near = [int(np.clip(truth + rng.integers(-1, 2), 1, 5)) for _ in range(4)]
        rows.append(judgment(item, reply(item, near[0])))
        rows += [label(item["id"], "turn:1", "helpfulness", v, f"p{n}") for n, v in enumerate(near[1:])]
    dataset = bring(store, tmp_path, rows)
    judge = judges(store, dataset)["judge-one"]
    figures = report_figures(gather_report_evidence(store, dataset, judge, epsilon=0.1))
    helpfulness = next(d for d in figures["dimensions"] if d["dimension"] == "helpfulness")
    assert helpfulness["people"]["alternative"]["epsilon"] == 0.1
    assert set(helpfulness["others"]["beside"]) == {"icc", "pearson", "spearman", "kendall", "mae"}
    summary = next(
        s for s in check_results.summaries(store, dataset, judge, "all") if s.dimension.name == "helpfulness"
    )
    assert (
        helpfulness["others"]["accuracy"] == pytest.approx(summary.exact)
        and helpfulness["others"]["ac2"] == pytest.approx(summary.ac)
    )
    assert helpfulness["others"]["beside"]["pearson"]["point"] == pytest.approx(summary.correlation)
    assert helpfulness["missing_counted"]["ratings"] == 0
    assert figures["means_overall"][0]["plain"]["items"] == 40
    assert cards()["pointwise_quality"].trust == "trustworthy_aggregate"
