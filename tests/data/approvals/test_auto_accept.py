"""Verdicts kept unseen in a workspace: confidences by item, the rule and who sets it, queue, exports, commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.approvals import auto_accept
from data.approvals.auto_accept import AutoAcceptTarget
from data.calibration import auto_accept as figures
from data.calibration import calibration, rates
from data.cli import main
from data.queue import queue, review_signals
from data.records import people
from data.records.tables import JudgmentRow, ScoreRow
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed
from data.store.ids import new_id
from judges.reading.confidence import SAMPLES, STATED
from judges.types import Dimension, Scale
from tests import seeds
from tests.data.cells import Cell, fill
from tests.data.flag_dataset import add_flag_dataset
from tests.data.judged_dataset import Seat, add_seats


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("ASSAY_STORE", seeds.address(tmp_path / "spare.duckdb"))
    store = open_store()
    for name in ("lea", "ann"):
        people.join_workspace(store, name)
    yield store
    store.close()


def dimension(store: Store, judge: str, name: str) -> Dimension:
    return next(d for d in calibration.compared_dimensions(store, judge) if d.name == name)


def seats(store: Store, *sure: list[float | None]) -> tuple[str, str, Dimension]:
    """Dialogues of two turns, judged 3 and 3 and labelled 3 and 4, with these confidences."""
    items = [Seat(n, [3.0, 4.0], {"j": [3.0, 3.0]}, {"j": confidences}) for n, confidences in enumerate(sure)]
    dataset, judges = add_seats(store, items)
    return dataset, judges["j"], dimension(store, judges["j"], "helpfulness")


def test_an_item_is_as_sure_as_its_least_sure_cell(store: Store) -> None:
    dataset, judge, d = seats(store, [0.9, 0.4], [0.8, None], [0.7, 0.7])
    confidences = figures.item_confidence(store, dataset, judge, d, STATED)
    by_name = dict(store.rows("select id, name from item"))
    least_sure = {
        by_name[i]: (c, u) for i, c, u in zip(confidences.item, confidences.confidence, confidences.unit, strict=True)
    }
    assert least_sure["item 0"] == (0.4, "turn:2") and least_sure["item 2"] == (0.7, "turn:1")
    assert np.isnan(least_sure["item 1"][0]) and least_sure["item 1"][1] == "turn:2"
    assert (confidences.count_above(0.5), confidences.count_above(0.4)) == (1, 2)
    other = Seat(0, [3.0], {"j": [3.0], "k": [3.0]}, {"j": [0.5], "k": [0.6]})
    elsewhere, judges = add_seats(store, [other], "elsewhere")
    assert figures.confidence_sources(store, dataset, judge, d) == {STATED: 5}
    assert figures.confidence_sources(store, elsewhere, judges["k"], d) == {STATED: 1}
    for near, agree in ((False, [1, 0]), (True, [1, 1])):
        cells = figures.verdict_cells(store, dataset, judge, d, "gate", confidences, near)
        assert cells.agree.tolist() == agree * 3 and cells.weight.tolist() == [2.0] * 6


def test_not_applicable_agrees_with_nothing_else(store: Store) -> None:
    pairs = [(3.0, 3.0), (3.0, 4.0), (None, 3.0), (3.0, None), (None, None)]
    cells = [Cell(n, "turn:1", (human,), judge, probability=0.5) for n, (human, judge) in enumerate(pairs)]
    dataset, judge = fill(store, cells)
    d, nobody = dimension(store, judge, "helpfulness"), figures.ItemConfidence(np.array([]), np.array([]), np.array([]))
    names = [str(i) for (i,) in store.rows("select id from item order by name")]
    for near, agree in ((False, [1, 0, 0, 0, 1]), (True, [1, 1, 0, 0, 1])):
        verdict_cells = figures.verdict_cells(store, dataset, judge, d, "blind", nobody, near)
        assert dict(zip(sorted(names), verdict_cells.agree.tolist(), strict=True)) == dict(
            zip(names, agree, strict=True)
        )


def test_what_comes_from_elsewhere_or_lacks_a_reply_is_never_spared(store: Store) -> None:
    dataset, judge, d = seats(store, [0.9, 0.9], [0.9, 0.9], [0.9, 0.9])
    items = [str(i) for (i,) in store.rows("select id from item order by name")]

    def work(tx):
        tx.append([JudgmentRow(new_id(), judge, items[0], "turn:2", 0, "{", "unreadable", "not JSON")])
        tx.append([ScoreRow("", judge, items[1], "turn:3", d.name, 2.0, 0.3, "broken rule", 0)])

    store.tx("test", "more", work)
    confidences = figures.item_confidence(store, dataset, judge, d, STATED)
    known = dict(zip(confidences.item.tolist(), confidences.confidence.tolist(), strict=True))
    assert np.isnan(known[items[0]]) and np.isnan(known[items[1]]) and known[items[2]] == 0.9
    assert figures.item_confidence(store, dataset, judge, d, SAMPLES).count_above(0.0) == 0


def test_a_rule_is_a_leads_and_sends_the_rest_to_people(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset, judge = add_flag_dataset(store, "lea", items=400, labelled=300)
    d = dimension(store, judge, "zz_harmful")
    target = AutoAcceptTarget(STATED, 0.95, 0.1)
    people.set_person(store, "lea", "ann", "researcher")
    with pytest.raises(NotAllowed):
        auto_accept.set_rule(store, "ann", dataset, judge, d, target)
    with pytest.raises(BadInput, match="No verdict of zz harmful can be kept unseen"):
        auto_accept.set_rule(store, "lea", dataset, judge, d, AutoAcceptTarget("log-probabilities", 0.9))
    assert auto_accept.rules_in_force(store, dataset) == []
    assert queue.plan_review(store, dataset, judge, 1_000, "not spared").new == 0
    rule = auto_accept.set_rule(store, "lea", dataset, judge, d, target)
    assert (
        auto_accept.rules_in_force(store, dataset, judge) == [rule]
        and auto_accept.rule_in_force(store, dataset, judge, d) == rule
    )
    sure = figures.item_confidence(store, dataset, judge, d, STATED)
    below = set(sure.item[~(sure.confidence >= rule.threshold)].tolist())
    reasons = auto_accept.reasons_for_people(store, dataset, judge)
    assert {r.item for r in reasons} == below and 0 < len(below) < 400
    assert {r.kind for n in review_signals.find_needs(store, dataset, judge) for r in n.reasons if r.item in below} >= {
        "not spared"
    }
    new, kinds, _ = queue.plan_review(store, dataset, judge, 1_000, "not spared")
    assert 0 < new <= len(below) and kinds["not spared"] == new
    assert queue.fill_review(store, "ann", dataset, judge, 1_000, "not spared") == new
    review_items = {str(i) for (i,) in store.rows("select item_id from draw where stream = 'review'")}
    assert review_items <= below
    step, _ = auto_accept.evaluate_rule(store, dataset, d, rule)
    assert (step.agreement.point, step.share) == pytest.approx((rule.agreement, rule.share))
    with pytest.raises(NotAllowed):
        auto_accept.end_rule(store, "ann", dataset, rule)
    with monkeypatch.context() as patch:  # a newer card no longer asks this
        patch.setattr(auto_accept.calibration, "compared_dimensions", lambda *_: [])
        assert auto_accept.rule_confidence(store, dataset, rule) is None
        assert auto_accept.reasons_for_people(store, dataset, judge) == []
    auto_accept.end_rule(store, "lea", dataset, rule)
    assert (
        auto_accept.rules_in_force(store, dataset) == [] and auto_accept.reasons_for_people(store, dataset, judge) == []
    )
    assert len(store.rows("select 1 from setting where name like 'sparing:%'")) == 2


def test_commands_and_exports_say_what_is_spared(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset, _ = add_flag_dataset(store, "lea", items=400, labelled=300)
    store.close()
    command = ["spare", "--dataset", "flags", "--dimension", "zz_harmful", "--target", ".95"]
    assert main([*command, "--set", "--fill", "5"]) == 0
    output = capsys.readouterr().out
    assert "Labels used: blind labels of random draws.\n" in output
    assert "can be accepted without review" in output and "Added to the review queue: 5 items." in output
    assert main([*command[:-1], ".4"]) == 1 and "such as 0.8" in capsys.readouterr().err
    assert main([*command, "--source", "tokens"]) == 1 and "There is: self-reported." in capsys.readouterr().err
    out = tmp_path / "scores.jsonl"
    assert main(["export", "--dataset", "flags", "--kind", "scores", "--out", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    again = open_store()
    [rule] = auto_accept.rules_in_force(again, dataset)
    assert {r["spared"] for r in rows if r["dimension"] != "zz_harmful"} == {None}
    for row in rows:
        if row["dimension"] == "zz_harmful":
            assert row["spared"] == (row["confidence"] >= rule.threshold)
    [(settings,)] = again.rows("select settings from export")
    assert json.loads(settings)["spared by"][0]["threshold"] == rule.threshold
    again.close()
    assert main([*command, "--take-back"]) == 0 and main([*command, "--take-back"]) == 1


def test_the_rates_of_a_workspace_are_those_of_its_cells(store: Store) -> None:
    dataset, judge = add_flag_dataset(store, "lea", items=300, labelled=200)
    d = dimension(store, judge, "zz_harmful")
    [answer] = rates.answer_rates(store, dataset, judge, d, "gate")
    cells = calibration.load_paired_ratings(store, dataset, judge, d, "gate")
    yes = cells.human == 1
    assert answer.rates.recall.point == pytest.approx(cells.judge[yes].mean())
    assert answer.rates.false_positive_rate.point == pytest.approx(cells.judge[~yes].mean())
    condition = "where judge_id = $1 and dimension = 'zz_harmful'"
    [(share,)] = store.rows(f"select avg(value) from score_now {condition}", [judge])
    assert answer.prevalence.judge == pytest.approx(share)
    [mean] = rates.corrected_means(store, dataset, judge, d, "gate").values()
    assert mean.judge == pytest.approx(share) and mean.people == pytest.approx(yes.mean())
    topics = rates.answer_rates(store, dataset, judge, dimension(store, judge, "zz話題"), "gate")
    assert [a.rates.answer for a in topics] == ["苦情", "質問", "お礼"]
    assert sum(a.prevalence.judge or 0 for a in topics) == pytest.approx(1)


def test_answers_in_order_have_a_mean_and_no_rates(store: Store) -> None:
    dataset, judge = fill(store, [Cell(n, "turn:1", (1.0 + n % 5,), 1.0 + n % 4) for n in range(40)])
    assert rates.answer_rates(store, dataset, judge, dimension(store, judge, "helpfulness"), "gate") == []


def test_a_share_is_corrected_where_there_are_labels_and_there_is_none_without_a_score(store: Store) -> None:
    d = Dimension("rude", "conversation", Scale("flag", na=True), "Is it rude?")
    for name, people_, judge_, expected in (
        ("both", (1.0,), 0.0, {1: (0.0, 1.0, 3)}), ("no labels", (), 1.0, {1: (1.0, None, 0)}),
        ("no scores", (1.0,), "unscored", {}), ("n/a throughout", (1.0,), None, {}),
    ):  # fmt: skip
        dataset, judge = fill(store, [Cell(n, d.sort, people_, judge_, dimension=d.name) for n in range(3)], name)
        means = rates.corrected_means(store, dataset, judge, d, "blind")
        assert {place: (mean.judge, mean.people, mean.n) for place, mean in means.items()} == expected
    assert rates.corrected_means(store, dataset, judge, replace(d, sort="side"), "blind") == {}, "of two systems each"
