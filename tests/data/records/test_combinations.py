"""Several samples are one answer: the store's combination is the one that judges/protocols/combination.py gives."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.annotators import annotators
from data.audits import evidence
from data.calibration import calibration, score_sums
from data.calibration.confidence import measure_repeats
from data.dashboard import dashboard
from data.desk import desk, labels
from data.desk.labels import DeskAnswer
from data.exporting.exporting import export_kinds, write_export
from data.exporting.kinds import scores as given_out
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue, review_signals
from data.records import combinations, datasets
from data.store import Store, Tx, open_store
from data.store.duckdb_driver import DuckTables
from data.store.ids import now
from data.workspace.verify import verify
from judges.authoring.custom import from_recipe
from judges.authoring.recipe import check_recipe
from judges.cards import card
from judges.cli import main
from judges.cli.agree_cells import pair_cells
from judges.importing import judged_files
from judges.importing import line_files as read
from judges.protocols.combination import (
    RULES,
    combination_rule,
    combine_samples,
    nearest_answer,
    rule_on_scale,
)
from judges.stats import bins
from judges.stats.calibration import summarise
from judges.types import Dimension, Scale
from tests import seeds

Json = dict[str, Any]
COLUMNS = (
    "judgment_id", "judge_id", "item_id", "unit", "dimension", "value", "confidence", "source", "sample", "samples",
    "agreement", "highest", "lowest", "flips",
)  # fmt: skip
NAMES = ("factuality", "instruction_following", "coherence", "completeness")
VERDICTS = ("poor", "borderline", "good", "excellent")


def item(n: int) -> Json:
    return {"id": f"r{n}", "kind": "response", "task": f"Task {n}", "output": f"Output {n}", "system": f"s{n % 2}"}


def judgment(n: int, value: int, sample: int, verdict: int = 2, model: str = "m", **params: Any) -> Json:
    reply = {
        "scores": dict.fromkeys(NAMES, value), "verdict": VERDICTS[verdict], "decision_basis": f"b{sample}",
        "issues": [],
    }  # fmt: skip
    return {
        "item": f"r{n}", "card": "rubric_open_ended", "model": model, "params": {"samples": 5, **params},
        "sample": sample, "reply": reply,
    }  # fmt: skip


def label(n: int, value: int, person: str = "ann", mode: str = "blind") -> Json:
    return {
        "item": f"r{n}", "unit": "response", "dimension": "factuality", "value": value, "annotator": person,
        "mode": mode, "made_at": "2026-01-31T12:00:00Z",
    }  # fmt: skip


def current_values(store: Store, dimension: str = "factuality") -> dict[str, float | None]:
    """What stands for the judge, by the item's name."""
    query = "select i.name, s.value from score_now s join item i on i.id = s.item_id where s.dimension = $1"
    rows = store.rows(query, [dimension])
    assert len(rows) == len({name for name, _ in rows}), "a cell has one value"
    return dict(rows)


def judge_of(store: Store) -> tuple[str, str]:
    dataset = datasets.dataset_named(store, "demo")
    return dataset.id, datasets.dataset_judges(store, dataset.id)[0][0]


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.none() | st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=5),
    st.sampled_from(RULES), st.none() | st.just(1.0), st.integers(1, 3),
)  # fmt: skip
def test_the_store_combines_as_the_function_does(
    shared_store: Store, cells: list[list[int | None]], rule: str, drawn: float | None, parts: int
) -> None:
    """In one change or in several, samples in any order."""
    judge = f"j{shared_store.newest()}"
    columns = "judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample"
    rows = [
        (f"{judge}{c}{n}", judge, f"{judge}{c}", "turn:2", "d", None if v is None else float(v), None, "", n)
        for c, samples in enumerate(cells) for n, v in enumerate(samples)
    ]  # fmt: skip
    rules = [(judge, "turn", "d", rule, drawn)]
    shared_store.tx("t", "r", lambda tx: tx.add("combine_rule", "judge_id, sort, dimension, rule, drawn", rules))
    for part in range(parts):
        shared_store.tx("t", "s", lambda tx, p=part: tx.add("score", columns, rows[::-1][p::parts]))  # type: ignore[misc]
    stored = dict(shared_store.rows("select item_id, value from score_now where judge_id = $1", [judge]))
    spread = {
        row[0]: row[1:]
        for row in shared_store.rows(
            "select item_id, samples, agreement, flips from score_spread where judge_id = $1", [judge]
        )
    }
    for c, samples in enumerate(cells):
        values = [None if v is None else float(v) for v in samples]
        value = combine_samples(values, rule, drawn)  # type: ignore[arg-type]
        assert stored[f"{judge}{c}"] == value
        if len(values) > 1:
            hits = [v is None if value is None else v == nearest_answer(value) for v in values]
            assert spread[f"{judge}{c}"] == (len(values), pytest.approx(sum(hits) / len(values)), len(set(values)) > 1)
        else:
            assert f"{judge}{c}" not in spread
    assert len(stored) == len(cells)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.none() | st.integers(0, 20), min_size=2, max_size=6), min_size=1, max_size=5),
    st.sampled_from([Scale("interval", 0, 1), Scale("interval", 0, 100), Scale("interval", 0, 10, step=0.5),
                     Scale("interval", 0, 1, step=0.1), Scale("interval", 1, 3, step=0.5)]),
    st.sampled_from(RULES),
)  # fmt: skip
def test_samples_on_an_interval_scale_say_the_same_where_they_lie_close_on_it(
    shared_store: Store, cells: list[list[int | None]], scale: Scale, rule: str
) -> None:
    """In the store as on the command line: from 0 to 1 not all answers are alike, and from 0 to 100 some are."""
    judge, step = f"j{shared_store.newest()}", scale.step or (scale.hi - scale.lo) / 20
    most = round((scale.hi - scale.lo) / step)
    given_values = [[None if v is None else scale.lo + min(v, most) * step for v in samples] for samples in cells]
    rows = [
        (f"{judge}{c}{n}", judge, f"{judge}{c}", "turn:2", "d", v, None, "", n)
        for c, samples in enumerate(given_values) for n, v in enumerate(samples)
    ]  # fmt: skip
    spec = json.dumps({"dimensions": [{"sort": "turn", "name": "d", "scale": asdict(scale)}]})
    columns = "judgment_id, judge_id, item_id, unit, dimension, value, confidence, source, sample"
    rules = [(judge, "turn", "d", rule, None)]

    def bring(tx: Tx) -> None:
        tx.add("card", "version, name, spec", [(judge, "c", spec)])
        tx.add("judge", "id, card, card_version, model, params, synthetic", [(judge, "c", judge, "m", "{}", False)])
        tx.add("combine_rule", "judge_id, sort, dimension, rule, drawn", rules)
        tx.add("score", columns, rows)

    shared_store.tx("t", "r", bring)
    query = "select item_id, agreement, flips from score_spread where judge_id = $1"
    stored = {cell: figures for cell, *figures in shared_store.rows(query, [judge])}
    for c, samples in enumerate(given_values):
        combined = combine_samples(samples, rule)  # type: ignore[arg-type]
        share, differing = bins.agreeing_share(samples, combined, scale), bins.differ(samples, scale)
        assert stored[f"{judge}{c}"] == [pytest.approx(share), differing]


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return open_store(f"duckdb:///{tmp_path_factory.mktemp('s') / 'a.duckdb'}")


@pytest.fixture
def five(tmp_path: Path) -> Store:
    """Ten responses, asked five times each, with labels of ann."""
    rows = [item(n) for n in range(10)]
    rows += [judgment(n, 1 + (n + s // 2) % 5, s, (n + s) % 4) for n in range(10) for s in range(5)]
    rows += [label(n, 1 + n % 5) for n in range(10)]
    return seeds.workspace(tmp_path / "a.duckdb", rows, names=("lea", "ann"), review=False)


def values_of(n: int) -> list[float]:
    return [1.0 + (n + s // 2) % 5 for s in range(5)]


def test_the_mean_of_five_stands_everywhere(five: Store) -> None:
    """rubric_open_ended takes means, which lie between answers; what has no order is voted on."""
    dataset, judge = judge_of(five)
    means = {f"r{n}": sum(values_of(n)) / 5 for n in range(10)}
    assert current_values(five) == means
    assert combinations.describe_combinations(five) == {judge: "5 samples, mean"}
    d = calibration.compared_dimensions(five, judge)[0]
    agreement = summarise(calibration.load_paired_ratings(five, dataset, judge, d, "blind"), d)
    assert agreement.cells == 10 and agreement.rounded == sum(m != int(m) for m in means.values()) > 0
    gaps = [means[f"r{n}"] - (1 + n % 5) for n in range(10)]
    assert agreement.mean_difference == pytest.approx(sum(gaps) / 10, abs=1e-12)
    assert agreement.exact == pytest.approx(sum(nearest_answer(means[f"r{n}"]) == 1 + n % 5 for n in range(10)) / 10)
    assert agreement.counts.sum() == 10
    own = {(m.system, m.dimension): m.mean for m in score_sums.score_means(five, dataset, judge)}
    assert own["s0", "factuality"] == pytest.approx(sum(means[f"r{n}"] for n in range(0, 10, 2)) / 5)
    # Every cell of the confusion table opens the cells that it counts.
    opened = sum(
        len(calibration.list_cells(five, "lea", dataset, judge, d, "blind", h, j))
        for h in (1.0, 2.0, 3.0, 4.0, 5.0) for j in (1.0, 2.0, 3.0, 4.0, 5.0)
    )  # fmt: skip
    assert opened == 10
    assert review_signals.find_needs(five, dataset, judge)
    assert dashboard.load_judge is not None and not verify(five)


def test_a_page_and_the_command_line_say_the_same_to_the_last_digit(tmp_path: Path) -> None:
    """Import and `judges agree` of the same files, with every rule, with repeated lines and gaps in the numbers."""
    for number, rule in enumerate((*RULES, "")):
        params = {"combine": rule} if rule else {}
        rows = [judgment(n, 1 + (n * 3 + s * s) % 5, s * 2, (n + s) % 4, **params) for n in range(40) for s in range(4)]
        rows += [{k: v for k, v in judgment(n, 1 + n % 5, 9, **params).items() if k != "sample"} for n in range(5)] * 2
        people = [label(n, 1 + n % 5) for n in range(40)]
        folder = tmp_path / str(number)
        folder.mkdir()
        store = seeds.workspace(folder / "a.duckdb", [*map(item, range(40)), *rows, *people], review=False)
        dataset, judge = judge_of(store)
        rubric = card("rubric_open_ended")
        file, label_file = seeds.lines(folder / "j.jsonl", rows), seeds.lines(folder / "l.jsonl", people)
        items = read.read_items(seeds.lines(folder / "i.jsonl", [item(n) for n in range(40)]))
        replies = judged_files.read_replies(file, read.read_judgments(file), rubric, items)
        heard = judged_files.answers_by_person({label_file: read.read_labels(label_file)}, rubric, items)
        answers = judged_files.answers_by_cell(heard)
        gold = judged_files.resolve_cells(answers, rubric)
        for d in rubric.dimensions[:1]:
            page = summarise(calibration.load_paired_ratings(store, dataset, judge, d, "blind"), d)
            files = summarise(pair_cells(d, gold, replies, combination_rule(rubric, params), answers).ratings, d)
            assert page.interval == files.interval and page.counts.tolist() == files.counts.tolist()
            assert (page.mean_difference, page.rounded) == pytest.approx((files.mean_difference, files.rounded))
        store.close()


def test_what_assay_exports_is_read_by_the_command_line(five: Store, tmp_path: Path, capsys: Any) -> None:
    """Exports tell more of a judgment and of a label than the lines need, and write numbers as words."""
    label_file = seeds.lines(tmp_path / "told.jsonl", [label(n, 1 + n % 3, "ben") for n in range(10)])
    import_source(five, "lea", from_path(label_file), ImportPlan(dataset="demo"))
    demo, files = datasets.dataset_named(five, "demo"), []
    for name in ("judgments", "labels"):
        files.append(tmp_path / f"{name}.jsonl")
        write_export(five, "lea", demo, export_kinds()[name], {}, "jsonl", files[-1])
    assert main(["agree", *map(str, files), "--json"]) == 0
    dataset, judge = judge_of(five)
    d = calibration.compared_dimensions(five, judge)[0]
    page = summarise(calibration.load_paired_ratings(five, dataset, judge, d, "blind"), d)
    [report] = json.loads(capsys.readouterr().out)
    assert report["table"] == page.counts.tolist() and report["bias"] == page.mean_difference
    assert (report["kappa"], report["interval"]) == (page.interval.point, [page.interval.low, page.interval.high])


def test_samples_that_come_later_are_samples_too(five: Store, tmp_path: Path) -> None:
    more = seeds.lines(tmp_path / "more.jsonl", [judgment(0, 5, 5), judgment(0, 5, 6)])
    import_source(five, "lea", from_path(more), ImportPlan(dataset="demo"))
    assert current_values(five)["r0"] == pytest.approx(sum([*values_of(0), 5, 5]) / 7)
    assert current_values(five)["r1"] == pytest.approx(sum(values_of(1)) / 5)
    query = "select samples from score_spread p join item i on i.id = p.item_id where i.name = 'r0' limit 1"
    assert five.rows(query) == [(7,)]
    assert not verify(five)


def test_the_confidence_of_samples_goes_by_no_order(tmp_path: Path) -> None:
    """.7, .8 and .9 are .8 on average, which is high; a sum of them may lie below."""
    lines: list[Json] = []
    for n, stated in enumerate(permutations((0.7, 0.8, 0.9))):
        lines.append(item(n))
        for sample, confidence in enumerate(stated):
            score = {"unit": "response", "dimension": "factuality", "value": 4, "confidence": confidence}
            lines.append({"item": f"r{n}", "card": "rubric_open_ended", "model": "m", "params": {"samples": 3},
                          "sample": sample, "scores": [score]})  # fmt: skip
    store = seeds.workspace(tmp_path / "a.duckdb", lines, names=("lea",))
    assert set(store.rows("select confidence from score_now where dimension = 'factuality'")) == {(0.8,)}
    reasons = [reason.kind for need in review_signals.find_needs(store, *judge_of(store)) for reason in need.reasons]
    assert "low confidence" not in reasons and not verify(store)
    store.close()


@pytest.mark.parametrize("rule", ["mean", "median"])
def test_the_value_of_samples_goes_by_no_order(tmp_path: Path, rule: str) -> None:
    """The sum of .1, .2 and .3 has two values; ties of ranks and of decided answers are exact."""
    recipe = check_recipe({
        "name": "share_only", "title": "A share", "kind": "response",
        "dimensions": [{"name": "share", "unit": "response", "definition": "?",
                        "answers": {"kind": "interval", "lo": 0, "hi": 1}}],
    })  # fmt: skip
    lines: list[Json] = [{"card": from_recipe(recipe).spec}]
    for n, values in enumerate(permutations((0.1, 0.2, 0.3))):
        lines.append(item(n))
        for sample, value in enumerate(values):
            lines.append({"item": f"r{n}", "card": "share_only", "model": "m", "sample": sample,
                          "params": {"samples": 3, "combine": rule},
                          "scores": [{"unit": "response", "dimension": "share", "value": value}]})  # fmt: skip
        assert combine_samples(values, rule) == 0.2  # type: ignore[arg-type]
    store = seeds.workspace(tmp_path / "a.duckdb", lines, review=False)
    assert set(store.rows("select value, confidence from score_now")) == {(0.2, None)} and not verify(store)
    store.close()


def test_a_judge_that_answered_at_the_second_attempt_has_no_samples_beside_its_name(tmp_path: Path) -> None:
    item = {"id": "r0", "kind": "response", "task": "T", "output": "O"}
    judgment: Json = {"item": "r0", "card": "rubric_open_ended", "model": "m", "params": {}}
    scores = [{"unit": "response", "dimension": "factuality", "value": 5}]
    store = seeds.workspace(tmp_path / "a.duckdb", [item, judgment | {"raw": "No."}], names=("lea",))
    import_source(store, "lea", from_path(seeds.lines(tmp_path / "b.jsonl", [judgment | {"scores": scores}])),
                  ImportPlan("demo"))  # fmt: skip
    assert store.rows("select sample from judgment order by sample") == [(0,), (1,)]
    judges = datasets.dataset_judges(store, datasets.dataset_named(store, "demo").id)
    assert list(combinations.model_names(store, judges).values()) == ["m"]
    store.close()


def test_a_judge_from_before_says_since_when_its_samples_count_together(five: Store, tmp_path: Path) -> None:
    """One that came later, or that was asked once, has nothing to say."""
    _, old = judge_of(five)
    assert combinations.combination_start(five, old) == "", "the tables combined before this judge came"
    assert isinstance(five, DuckTables) and five._con is not None
    five._con.execute("update migration set made_at = $1 where name = 'samples'", [now()])
    [(day,)] = five.rows("select strftime(made_at, '%Y-%m-%d') from migration where name = 'samples'")
    rows = [judgment(n, 3, s, model="later") for n in range(3) for s in range(2)]
    rows += [judgment(n, 3, 0, model="once") for n in range(3)]
    import_source(five, "lea", from_path(seeds.lines(tmp_path / "more.jsonl", rows)), ImportPlan(dataset="demo"))
    judges = five.rows("select id, model from judge")
    since = {str(model): combinations.combination_start(five, str(judge)) for judge, model in judges}
    assert since == {"m": day, "later": "", "once": ""}


def test_flips_are_the_share_of_ratings_in_which_samples_disagree(tmp_path: Path) -> None:
    rows = [item(n) for n in range(12)] + [label(n, 1 + n % 5) for n in range(12)]
    rows += [judgment(n, 1 + n % 5 if s == 0 or n % 3 else 5 - n % 5, s) for n in range(12) for s in range(2)]
    store = seeds.workspace(tmp_path / "f.duckdb", rows)
    dataset, judge = judge_of(store)
    [dimension] = [d for d in calibration.compared_dimensions(store, judge) if d.name == "factuality"]
    repeats = measure_repeats(store, dataset, judge, dimension, "blind")
    differ = [n for n in range(0, 12, 3) if 1 + n % 5 != 5 - n % 5]
    assert repeats is not None and repeats.flips.cells == 12
    assert repeats.flips.point == pytest.approx(len(differ) / 12) and 0 < len(differ) < 12
    store.close()


def test_single_samples_stay_visible(five: Store) -> None:
    """In the panel and in exports, which give the combination unless single ones are asked for."""
    dataset, judge = judge_of(five)
    d = calibration.compared_dimensions(five, judge)[0]
    repeats = measure_repeats(five, dataset, judge, d, "blind")
    assert repeats is not None and repeats.samples == 5 and len(repeats.singles) == 5
    for n, kappa in enumerate(repeats.singles):
        human, judged = np.array([1.0 + k % 5 for k in range(10)]), np.array([values_of(k)[n] for k in range(10)])
        expected = 2 * np.cov(human, judged, bias=True)[0, 1]
        expected /= human.var() + judged.var() + (human.mean() - judged.mean()) ** 2
        assert kappa == pytest.approx(expected)
    assert repeats.flips.point == 1 and repeats.flips.cells == 10 and repeats.flaky
    demo = datasets.dataset_named(five, "demo")
    options = {"judge": "", "dimension": "factuality"}
    rows = list(given_out.rows(five, demo, options))
    assert [(r["item"], r["code"], r["samples"], r["sample"]) for r in rows] == [
        (f"r{n}", pytest.approx(sum(values_of(n)) / 5), 5, None) for n in range(10)
    ]
    single = list(given_out.rows(five, demo, options, single=True))
    assert [(r["item"], r["sample"], r["code"]) for r in single] == [
        (f"r{n}", s, values_of(n)[s]) for n in range(10) for s in range(5)
    ]


def test_replies_about_other_things_are_no_samples(tmp_path: Path) -> None:
    """Other models' answers, other turns, other judges, a probe: each has its own value."""
    rows = [item(n) for n in range(2)]
    rows += [judgment(0, 1, 0), judgment(0, 2, 1), judgment(1, 5, 0), judgment(0, 4, 0, model="other"),
             judgment(0, 5, 0, probe="x")]  # fmt: skip
    talk = seeds.dialogue(1, 2)
    rated = [
        {"item": talk["id"], "card": "mt_bench", "model": "m", "params": {}, "part": f"turn:{turn}",
         "reply": {"turn": turn, "judgment": f"Rating: [[{turn + 6}]]", "score": turn + 6.0}}
        for turn in (1, 2)
    ]  # fmt: skip
    store = seeds.workspace(tmp_path / "a.duckdb", [*rows, talk, *rated], review=False)
    query = (
        "select i.name, j.model, s.unit, s.value from score_now s join item i on i.id = s.item_id "
        "join judge j on j.id = s.judge_id where s.dimension in ('factuality', 'rating') order by 1, 2, 3, 4"
    )
    assert store.rows(query) == [
        ("d-0001", "m", "turn:1", 7.0), ("d-0001", "m", "turn:2", 8.0),
        ("r0", "m", "response", 1.5), ("r0", "m", "response", 5.0), ("r0", "other", "response", 4.0),
        ("r1", "m", "response", 5.0),
    ]  # fmt: skip
    with pytest.raises(Exception, match="as a whole"):
        bad = [{**judgment(0, 1, 0, model="n"), "part": "response"}]
        import_source(store, "lea", from_path(seeds.lines(tmp_path / "b.jsonl", bad)), ImportPlan(dataset="demo"))


def test_accepting_what_lies_between_is_the_nearest_answer(five: Store) -> None:
    """The desk offers the answer nearest to the mean, and whoever takes it has accepted."""
    dataset, judge = judge_of(five)
    queue.fill_review(five, "lea", dataset, judge)
    (key,) = five.rows("select id from item where name = 'r3'")[0]
    view = desk.open_item(five, "lea", key)
    score = view.scores["response", "factuality"]
    assert score.value == pytest.approx(sum(values_of(3)) / 5) and score.samples == tuple(values_of(3))
    value = {"unit": "response", "dimension": "factuality", "v": nearest_answer(score.value or 0), "saw": True,
             "seen": score.value}  # fmt: skip
    answer = DeskAnswer.model_validate(
        {"key": "k1234567", "person": "lea", "action": "save", "item": key, "judge": judge, "values": [value]}
    )
    assert not labels.save_answers(five, "lea", [answer.model_dump()])[1]
    work = annotators.annotator_work(five, dataset)["lea"]
    assert (work.scores_shown, work.scores_kept) == (1, 1)


def test_an_audit_looks_at_the_combined_answer(five: Store) -> None:
    dataset, judge = judge_of(five)
    gathered = evidence.gather_audit_evidence(five, dataset, judge)
    audit_evidence, scope = gathered.evidence, gathered.scope()
    assert (len(audit_evidence.replies), scope.replies) == (10, 50)
    rubric = card("rubric_open_ended")
    for reply in audit_evidence.replies:
        (name,) = five.rows("select name from item where id = $1", [reply.item])[0]
        n = int(name[1:])
        values = {s.dimension: s.value for s in reply.reading.scores}
        assert values["factuality"] == nearest_answer(sum(values_of(n)) / 5)
        verdict: Dimension = next(d for d in rubric.dimensions if d.name == "verdict")
        codes = [float((n + s) % 4) for s in range(5)]
        rule = rule_on_scale("mean", verdict.scale)
        assert values["verdict"] == nearest_answer(combine_samples(codes, rule, verdict.scale.tie_code) or 0)


@pytest.mark.duckdb_only("a file of an older version is made of one")
def test_a_judge_from_before_there_were_rules_has_its_cards(tmp_path: Path) -> None:
    """A store of version 6 with samples: its judge keeps its id, and what stands is the card's combination."""
    import duckdb

    from data.store import migrations, statements

    store = seeds.workspace(
        tmp_path / "a.duckdb", [item(0), *(judgment(0, v, s, v - 1) for s, v in enumerate((1, 2, 4)))], review=False
    )
    _, judge = judge_of(store)
    now = current_values(store), store.rows("select * exclude (seq) from combine_rule order by all")
    assert now[0] == {"r0": pytest.approx(7 / 3)}
    store.close()
    with duckdb.connect(str(tmp_path / "a.duckdb")) as con:
        for view in ("score_now", "score_spread", "combination_now", "combined_now", "sampled"):
            con.execute(f"drop view {view}")
        for table in ("combination", "combine_rule"):
            con.execute(f"drop table {table}")
        con.execute("create view score_now as select * from score where sample = 0")
        con.execute("create view score_spread as select 1 as one")
        con.execute("drop view same_answer")
        for number in (7, 19):
            for statement in statements(next(sql for version, _, sql in migrations() if version == number)):
                con.execute(statement)
    again = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    # A mean that a migration takes has all its digits; one that a change brings is rounded.
    values, rules = current_values(again), again.rows("select * exclude (seq) from combine_rule order by all")
    assert (values, rules) == (pytest.approx(now[0]), now[1])
    assert judge_of(again)[1] == judge and not verify(again)


@pytest.mark.duckdb_only("a file of an older version is made of one")
def test_how_far_samples_on_interval_scales_agreed_is_told_anew_of_a_store_from_before(tmp_path: Path) -> None:
    """Until then half a point was close on any scale: on one from 0 to 1 all samples said the same."""
    import duckdb

    from data.store import migrations, statements

    recipe = check_recipe({
        "name": "share_only", "title": "A share", "kind": "response",
        "dimensions": [{"name": "share", "unit": "response", "definition": "?",
                        "answers": {"kind": "interval", "lo": 0, "hi": 1}}],
    })  # fmt: skip
    judged = {"card": "share_only", "model": "m", "params": {"samples": 3}}
    scores = [[{"unit": "response", "dimension": "share", "value": v}] for v in (0.2, 0.5, 0.55)]
    lines = [item(0), {"card": from_recipe(recipe).spec}, *({"item": "r0", **judged, "scores": s} for s in scores)]
    store = seeds.workspace(tmp_path / "a.duckdb", lines, review=False)
    spread = "select agreement, flips from combination_now"
    now = store.rows(spread)
    assert now == [(pytest.approx(2 / 3), True)]
    store.close()
    with duckdb.connect(str(tmp_path / "a.duckdb")) as con:
        con.execute("update combination set agreement = 1, flips = false")
        for statement in statements(next(sql for version, _, sql in migrations() if version == 19)):
            if statement.startswith("insert"):
                con.execute(statement)
        assert con.execute(spread).fetchall() == now


def test_a_combination_that_does_not_fit_its_samples_is_told(five: Store) -> None:
    wrong = "select * exclude (seq) replace (value + 1 as value) from combination_now where dimension = 'factuality'"
    five.tx("t", "wrong", lambda tx: tx.derive("combination", ", ".join(COLUMNS), wrong))
    assert verify(five) == [f"10 values of the judge {judge_of(five)[1]!r} differ from what its samples combine to."]


def test_scales_in_json_have_what_the_migration_reads() -> None:
    """Its SQL reads a card's stored dimensions by these names."""
    plain = json.loads(json.dumps(card("plain_pairwise").spec))["dimensions"][0]
    assert {"sort", "name", "scale"} <= plain.keys() and {"kind", "drawn", "categories"} <= plain["scale"].keys()
    assert Scale(**{**plain["scale"], "categories": tuple(plain["scale"]["categories"])}).drawn == "tie"


def test_a_broken_rule_of_one_sample_is_told_as_that_of_the_first(tmp_path: Path) -> None:
    """The desk shows all samples as one answer, which need not break the rule that the first one breaks."""
    dialogue = seeds.dialogue(1)
    replies = [seeds.judgment(dialogue, seeds.reply(dialogue, 2 if s == 0 else 4, "good"), sample=s) for s in range(3)]
    store = seeds.workspace(tmp_path / "a.duckdb", [dialogue, *replies])
    view = desk.open_item(store, "ann", store.rows("select id from item")[0][0])
    assert view.scores["turn:1", "helpfulness"].value == 4.0
    [remark] = [text for _, _, sort, text in view.remarks if sort == "rule"]
    assert remark.startswith("In the first sample: The judge said good.") and "helpfulness 2 on turn 1" in remark
    store.close()
