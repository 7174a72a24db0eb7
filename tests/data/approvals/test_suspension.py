"""What holds an approval up and what undoes it: gold that comes one by one, in every order of events."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from data.approvals import approvals, case, policy, record, suspension
from data.approvals.approvals import PolicyToday
from data.approvals.record import ApprovalStatus
from data.cli import main
from data.dashboard import dashboard
from data.exporting.shared import approved_dimensions
from data.records import datasets
from data.records.names import APPROVAL_ACTOR
from data.records.tables import DrawRow, ItemUseRow, LabelRow
from data.reports.dashboard import dashboard_html, tile_picture, tile_records
from data.reports.evidence import gather_report_evidence
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed, NotFound
from data.store.ids import new_id, now
from data.trail.trail import TrailFilter, trail_entries
from judges.stats.drift import DriftFinding
from pages.dashboard.tiles import tile_data
from tests.bench.simulations.worlds import ORDINARY, simulate_cells, world_of
from tests.data.approvals.test_approvals import (
    HELP,
    TURN,
    Key,
    approve,
    judged_cells,
    open_workspace,
    relabel,
    set_asked,
)
from tests.data.cells import Cell, fill

GOOD, BAD = (world_of(kappa, 1, ORDINARY) for kappa in (0.8, 0.2))


def drawn_cells(first: int, last: int, world: Any = None, seed: int = 1, odds: float = 0.5) -> list[Cell]:
    """Items of a draw that nobody has labelled yet; what people will say stands in `answers`."""
    cells = judged_cells(last)[first:] if world is None else []
    if world is not None:
        _, human, judge = simulate_cells(world, last - first, np.random.default_rng(seed))
        answers.update({f"item {first + n}": float(value + 1) for n, value in enumerate(human)})
        return [Cell(first + n, TURN, (), float(value + 1), probability=odds) for n, value in enumerate(judge)]
    answers.update({f"item {cell.item}": float(cell.people[0] or 0) for cell in cells})
    return [Cell(cell.item, TURN, (), cell.judge, probability=odds) for cell in cells]


answers: dict[str, float] = {}


def draw(store: Store, key: Key, cells: Iterable[Cell]) -> None:
    """Draw the items of these cells, which are there and in no draw yet."""
    ids = dict(store.rows("select name, id from item where dataset_id = $1", [key[0]]))
    rows = [
        DrawRow(new_id(), key[0], ids[f"item {c.item}"], "audit", "blind", "", str(c.probability), c.probability, 0.0,
                "[]")
        for c in cells
    ]  # fmt: skip
    store.tx("test", "draw", lambda tx: tx.append(rows))


def undrawn(cells: Iterable[Cell]) -> list[Cell]:
    """The same cells in no draw."""
    return [replace(cell, probability=None) for cell in cells]


def label(store: Store, key: Key, items: Iterable[int], change: Callable[[float], float] = lambda v: v) -> None:
    """What person0 says of these items, one answer after the other."""
    for number in items:
        name = f"item {number}"
        [(item, draw)] = store.rows(
            "select i.id, d.id from item i join draw d on d.item_id = i.id where i.dataset_id = $1 and i.name = $2",
            [key[0], name],
        )
        row = LabelRow(new_id(), "", item, TURN, key[3], change(answers[name]), "person0", "blind", draw, "", False,
                       None, None, None, False, now())  # fmt: skip
        store.tx("person0", "answer", lambda tx, row=row: tx.append([row]))


def set_aside(store: Store, key: Key, items: list[str]) -> None:
    """Items that a prompt was tuned on, answered ones among them, as older versions let people say."""
    rows = [ItemUseRow(new_id(), key[0], item, True, "Shown to a prompt.", "ray") for item in items]
    store.tx("ray", "tuning", lambda tx: tx.append(rows))


@pytest.fixture
def make_approval(tmp_path: Path) -> Iterator[Callable[[list[Cell]], tuple[Store, Key, record.Approval]]]:
    """A store in which a judge is approved on 120 items, with more that were drawn since and are not labelled."""
    stores: list[Store] = []

    def make(more: list[Cell]) -> tuple[Store, Key, record.Approval]:
        store, dataset, judge = open_workspace(tmp_path / "a.duckdb", [*judged_cells(120), *undrawn(more)])
        stores.append(store)
        key: Key = (dataset, judge, "turn", "helpfulness")
        done = approve(store, key)
        draw(store, key, more)
        return store, key, done

    yield make
    for store in stores:
        store.close()


def look(store: Store, key: Key) -> suspension.ApprovalReview:
    approval = record.approval_statuses(store)[key].in_force
    assert approval is not None
    return suspension.review_approval(store, approval)


def test_a_judge_that_fell_is_suspended_with_then_since_and_all_frozen(make_approval: Any) -> None:
    store, key, done = make_approval(drawn_cells(120, 270, BAD))
    for number in range(120, 270, 10):
        label(store, key, range(number, number + 10))
        if not approvals.active_approvals(store, key[0]):
            break
    assert 170 <= number + 10 <= 200, "not before 50 items"
    decision = record.approval_statuses(store)[key].in_force
    facts = {name: figure for name, figure, _ in record.frozen_evidence(store, decision.id)}
    then = {name: figure for name, figure, _ in record.frozen_evidence(store, done.id)}
    assert facts["at the approval: kappa"] == then["kappa"] and then["kappa, standard error"] is not None
    assert facts["since the approval: items"] == facts["items"] - 120
    assert facts["since the approval: kappa, high end"] < 0.5 < facts["kappa"]
    assert facts["change: kappa"] == pytest.approx(facts["since the approval: kappa"] - then["kappa"])
    assert "Kappa of labels since the approval is" in decision.reason and "new labels" in decision.reason
    figures = suspension.current_period_figures(store, decision)
    assert [figure.period for figure in figures] == ["at the approval", "labels since", "all labels now"]
    assert (figures[2].kappa, figures[2].items) == (facts["kappa"], facts["items"])
    # all gold counts for another approval, after which nothing has come since
    assert case.find_case(store, *key).result.gate.interval.items == facts["items"]
    if not case.find_case(store, *key).objections:
        approve(store, key)
        assert (
            look(store, key).since is None
            and suspension.current_period_figures(store, record.approval_statuses(store)[key].in_force) == []
        )


@pytest.mark.slow
def test_whoever_asks_first_how_a_dimension_stands_is_told_what_came_since(make_approval: Any) -> None:
    """The calibration page said that it is approved, with a link to its tile, until another page had looked."""
    store, key, done = make_approval(drawn_cells(120, 200, BAD))
    assert approvals.find_status(store, key).in_force == done
    label(store, key, range(120, 200))
    stand = approvals.find_status(store, key)
    assert (stand.approved, stand.in_force.decision, stand.in_force.person) == (None, "suspend", APPROVAL_ACTOR)
    assert approvals.find_status(store, (*key[:3], "safety")) == ApprovalStatus()


def test_a_judge_that_stays_is_not_suspended(make_approval: Any) -> None:
    store, key, done = make_approval(drawn_cells(120, 220, GOOD, seed=3))
    for number in range(120, 220, 20):
        label(store, key, range(number, number + 20))
        assert approvals.active_approvals(store, key[0]) == [done]
    review = look(store, key)
    assert review.since is not None and review.since.interval.items == 100 and review.latest is None


def test_corrections_and_second_people_are_no_gold_since(make_approval: Any) -> None:
    store, key, done = make_approval(drawn_cells(120, 122))
    relabel(store, key, lambda v: v, most=100)
    relabel(store, key, lambda v: v, most=100, person="ben")
    assert look(store, key).since is None
    label(store, key, [120])
    assert look(store, key).since.interval.items == 1 and approvals.active_approvals(store, key[0]) == [done]


@pytest.mark.slow
def test_the_newest_gold_is_looked_at_by_itself(make_approval: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judges.stats.drift.LATEST_ITEMS", 60)
    store, key, _ = make_approval(drawn_cells(120, 320))
    label(store, key, range(120, 260))
    assert approvals.active_approvals(store, key[0]) and look(store, key).latest.interval.items == 60
    label(store, key, range(260, 320), lambda v: 6 - v)
    assert look(store, key).since.interval.items == 200 and look(store, key).latest.interval.items == 60
    assert approvals.active_approvals(store, key[0]) == []
    assert "Kappa of the newest labels is" in record.current_approvals(store)[0].reason
    assert [f.period for f in suspension.current_period_figures(store, record.current_approvals(store)[0])][
        2
    ] == "newest labels"


@pytest.mark.slow
def test_an_open_draw_suspends_nothing_by_itself(make_approval: Any) -> None:
    """Three bad answers of a stratum of which each stands for a hundred items outweigh all others; they are told."""
    store, key, done = make_approval(drawn_cells(120, 220, odds=0.005))
    assert approvals.active_approvals(store, key[0]) == [done], "nobody has answered yet"
    label(store, key, range(120, 123), lambda v: 6 - v)
    assert look(store, key).case.result.gate.interval.point < 0.5
    assert approvals.active_approvals(store, key[0]) == [done]
    [(_, why)] = approvals.find_open_decisions(store).doubted
    assert "a few new items have a large weight" in why
    label(store, key, range(123, 220))
    assert approvals.active_approvals(store, key[0]) == [done] and look(store, key).finding.reasons != ("weights",)


@pytest.mark.slow
def test_a_lead_keeps_what_is_to_be_looked_at_until_something_else_speaks_against_it(make_approval: Any) -> None:
    store, key, done = make_approval(drawn_cells(120, 180))
    with pytest.raises(BadInput, match="nothing to review"):
        suspension.keep_approved(store, "lea", done, "It is fine.")
    label(store, key, range(120, 180), lambda v: max(v - 1, 1.0))  # people are one step stricter
    relabel(store, key, lambda v: max(v - 1, 1.0), most=20)
    review = look(store, key)
    assert (review.finding.state, approvals.active_approvals(store, key[0])) == ("to be looked at", [done])
    assert [approval for approval, _ in approvals.find_open_decisions(store, key[0]).doubted] == [
        done
    ] and approvals.find_open_decisions(store)
    note = approvals.approval_note(store, record.approval_statuses(store)[key])
    assert note.doubted and note.review.finding.sentences == review.finding.sentences
    with pytest.raises(NotAllowed):
        suspension.keep_approved(store, "ann", done, "It is fine.")
    with pytest.raises(BadInput, match="Say why"):
        suspension.keep_approved(store, "lea", done, " ")
    with pytest.raises(BadInput, match="There are new reasons against it since you looked"):
        suspension.keep_approved(store, "lea", done, "People have new rules.", ["bound"])
    assert approvals.find_open_decisions(store).doubted
    suspension.keep_approved(store, "lea", done, "People have new rules.", look(store, key).finding.reasons)
    assert approvals.find_open_decisions(store).doubted == ()
    assert approvals.approval_note(store, record.approval_statuses(store)[key]).confirmation == (
        "lea",
        "People have new rules.",
    )
    assert "reviewed helpfulness (turn), and kept it approved" in str(trail_entries(store, TrailFilter())[0])
    [row] = store.rows("select name, value from setting where name like 'kept %'")
    store.tx("test", "forget", lambda tx: tx.add(
        "setting", "id, scope, name, value", [(new_id(), key[0], row[0], row[1].replace('"down"', '"bound"'))]
    ))  # fmt: skip
    assert [approval for approval, _ in approvals.find_open_decisions(store).doubted] == [done], (
        "a reason that nobody has looked at"
    )


@pytest.mark.slow
def test_a_stricter_policy_makes_it_approved_under_an_older_one_everywhere(
    make_approval: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, key, done = make_approval([])
    set_asked(store, threshold=0.6, min_items=110)
    warning = (
        "Approved under the first policy (required: kappa 0.50, 100 items); today's policy requires kappa 0.60, "
        "110 items."
    )
    assert approvals.active_approvals(store, key[0]) == [done] and approvals.under_older_policy(store, [done]) == [
        (done, warning)
    ]
    assert (
        approvals.find_open_decisions(store).older == ((done, warning),)
        and approvals.find_open_decisions(store).doubted == ()
    )
    assert approvals.approval_note(store, record.approval_statuses(store)[key]).older == warning

    def policy_today() -> PolicyToday:
        """How the tile stands, which is said alike wherever its figures go."""
        whole = dashboard.load_judge(store, datasets.dataset_named(store, "demo"), key[1])
        [tile] = whole.tiles
        warning, file, picture = tile.policy_today.warning, dashboard_html(whole, now(), {}), tile_picture(tile, "demo")
        assert {row["older policy"] for row in tile_records(whole.tiles)} == {warning}
        terms = approved_dimensions(store, whole.dataset, key[1], [HELP], "")[HELP]
        assert terms == tile_data.tile_data(tile, {}, {})["today"] == warning
        assert (
            (tile.policy_today.mark in picture)
            == (f"{tile.policy_today.mark.capitalize()} ·" in file)
            == bool(warning)
        )
        assert tile_data.tile_data(tile, {}, {})["badges"][0]["t"] == (
            tile.policy_today.mark if warning else "✓ approved"
        )
        return tile.policy_today

    stands = policy_today()
    assert stands.warning.startswith(warning) and stands.met and stands.mark == "approved under an older policy"
    assert "By today's policy: meets policy. Kappa 0.97 on 120 items" in stands.warning
    set_asked(store, threshold=0.5, min_items=200)  # stricter in another way, which it does not meet
    stands = policy_today()
    assert not stands.met and "120 items" in stands.warning
    assert "By today's policy: below minimum sample." in stands.warning
    set_asked(store, threshold=0.5, min_items=100)  # as it was when it was approved
    assert policy_today().met and policy_today().warning == ""
    set_asked(store, threshold=0.6, min_items=110)
    again = approve(store, key)
    assert approvals.under_older_policy(store, [again]) == [] and policy_today().warning == ""
    set_asked(store, threshold=0.4)
    assert approvals.under_older_policy(store, [again]) == [] and policy_today().warning == ""
    set_asked(store, threshold=0.999)
    assert not policy_today().met and re.search("By today's policy: (fails|inconclusive)", policy_today().explanation)
    set_asked(store, threshold=0.7)
    [(_, said_then)] = approvals.under_older_policy(store, [again])
    assert f"under the policy of {again.at:%Y-%m-%d} (" in said_then
    monkeypatch.setenv("ASSAY_STORE", store.url)
    store.close()
    assert main(["approve", "--dataset", "demo", "--list"]) == 0
    out = capsys.readouterr().out
    assert "today's policy requires kappa 0.70." in out and "safety" in out
    assert main(["approve", "--dataset", "demo", "--list", "--dimension", "Helpfulness"]) == 0
    assert "helpfulness  " in (out := capsys.readouterr().out) and "safety" not in out
    for words in (["--dimension", "nobody"], ["--unit", "side"]):  # before, all were listed without a word
        assert main(["approve", "--dataset", "demo", "--list", *words]) == 1
        assert "No such dimension has been judged here. There are: context_use (turn)" in capsys.readouterr().err


def test_what_an_approved_dimension_is_marked_with() -> None:
    warning = "It met an older policy."
    stands = PolicyToday(), PolicyToday(warning), PolicyToday("", "It fails.", False), PolicyToday(warning, met=False)
    older = "approved under an older policy"
    assert [today.mark for today in stands] == ["approved", older, "policy no longer met", older]
    assert [today.warning for today in stands] == ["", warning, "It fails.", warning]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_people_in_every_order_of_events(make_approval: Any, tmp_path: Path, seed: int) -> None:
    """What is suspended is what a look says, nothing comes back by itself, and a backup says the same."""
    rng = np.random.default_rng(seed)
    store, key, _ = make_approval(drawn_cells(120, 320, (GOOD, BAD)[seed % 2], seed))
    left, approved = list(range(120, 320)), True
    items = [row[0] for row in store.rows("select id from item order by id")]
    deeds: dict[str, Callable[[], Any]] = {
        "label": lambda: label(store, key, [left.pop(0) for _ in range(min(len(left), 12))]),
        "correct": lambda: relabel(store, key, lambda v: float(rng.integers(1, 6)), most=int(rng.integers(1, 6))),
        "aside": lambda: set_aside(store, key, [str(item) for item in rng.choice(items, 3)]),
        "policy": lambda: set_asked(store, threshold=round(float(rng.uniform(0.2, 0.9)), 2)),
        "approve": lambda: case.find_case(store, *key).objections or approved or approve(store, key),
        "keep": lambda: [
            suspension.keep_approved(store, "lea", approval, "Seen.") for approval, _ in suspension.find_doubted(store)
        ],
    }
    for deed in rng.choice(list(deeds), 14, p=[0.45, 0.15, 0.1, 0.1, 0.1, 0.1]):
        deeds[str(deed)]()
        before = record.approval_statuses(store)[key].in_force
        bad = suspension.review_approval(store, before).suspends if before.decision == "approve" else True
        approved = bool(approvals.active_approvals(store, key[0]))
        assert approved == (not bad), deed
        assert not (approvals.find_open_decisions(store).doubted and not approved)
    store.backup(tmp_path / "b.duckdb")
    other = open_store(f"duckdb:///{tmp_path / 'b.duckdb'}", accept=True)
    assert approvals.active_approvals(other, key[0]) == approvals.active_approvals(store, key[0])
    approval = record.approval_statuses(store)[key].in_force
    assert suspension.review_approval(other, approval).finding == suspension.review_approval(store, approval).finding
    other.close()


def test_old_approvals_have_no_error_frozen_and_are_held_all_the_same(make_approval: Any) -> None:
    store, _, done = make_approval([])
    frozen = {name: figure for name, figure, _ in record.frozen_evidence(store, done.id)}
    old = {name: figure for name, figure in frozen.items() if name != "kappa, standard error"}
    assert suspension.frozen_figures(old).se == pytest.approx(suspension.frozen_figures(frozen).se, rel=0.3)
    assert suspension.frozen_figures({}) == (None, None, None, None)


@pytest.mark.parametrize("frozen", [{}, {"looks": None}])
@pytest.mark.parametrize(
    ("state", "sentences", "against"),
    [("holds", (), ()), ("doubtful", ("It fell.",), ()), ("suspended", ("It fell.",), ("In alarm.",)),
     ("holds", (), ("In alarm.",))],
)  # fmt: skip
def test_how_figures_were_made_is_a_reason_only_where_something_is_wrong_and_they_were_made_otherwise(
    state: Any, sentences: tuple[str, ...], against: tuple[str, ...], frozen: dict[str, float | None]
) -> None:
    why = suspension.ApprovalReview(None, DriftFinding(state, (), sentences), against, None, None, frozen).why
    assert why.startswith(" ".join((*sentences, *against)))
    assert ("older version of Assay" in why) is (bool(sentences or against) and not frozen)


def test_where_nothing_is_approved_there_is_nothing_to_tell(make_approval: Any) -> None:
    store, key, _ = make_approval([])
    assert approvals.approval_note(store, ApprovalStatus()) == approvals.ApprovalNote()
    approvals.record_decision(store, "lea", *key, "suspend", "To see.")
    assert approvals.approval_note(store, record.approval_statuses(store)[key]) == approvals.ApprovalNote()


def test_an_approval_of_an_older_version_is_told_where_its_figures_are_others_today(tmp_path: Path) -> None:
    """Its samples are one answer now, say, and kappa is lower: nothing is suspended while nothing comes.

    A lead is told; with the next label it is suspended, for the reason that is the true one."""
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", [*judged_cells(120, wrong=2), *drawn_cells(120, 130)])
    key: Key = (dataset, judge, "turn", "helpfulness")
    for cell in judged_cells(130):
        answers[f"item {cell.item}"] = 6 - float(cell.people[0] or 0)
    facts: list[record.Fact] = [("kappa", 0.8, ""), ("kappa, lower bound", 0.7, ""), ("items", 120.0, "")]
    once = policy.from_stored({"policy": {"threshold": 0.95}})
    store.tx("lea", "approve", lambda tx: record.append_decision(
        tx, key, "approve", "It agrees.", "lea", "eligible", once, "", facts
    ))  # fmt: skip
    [done] = approvals.active_approvals(store, dataset)
    open_decisions = approvals.find_open_decisions(store)
    assert open_decisions.suspended == () and [approval for approval, _ in open_decisions.doubted] == [done]
    note = approvals.approval_note(store, record.approval_statuses(store)[key])
    assert note.doubted and note.review is not None and note.review.why == open_decisions.doubted[0][1]
    assert "approved by an older version of Assay, which counted the first of several samples" in note.review.why
    label(store, key, [120])
    [decision] = approvals.find_open_decisions(store).suspended
    assert "Since the approval came new labels." in decision.reason and "older version of Assay" in decision.reason
    store.close()


def test_what_was_frozen_of_kappa_is_found_again_and_an_error_is_that_of_the_ends() -> None:
    figures = {"kappa": 0.5, "items": 120.0, "effective items": 90.5, "kappa, low end": 0.3, "kappa, high end": 0.7}
    bare = suspension.frozen_figures(figures)
    assert bare == (0.5, pytest.approx(0.4 / 2 / 1.959964, rel=1e-6), 120.0, 90.5)
    assert suspension.frozen_figures({**figures, "kappa, standard error": 0.09}) == (0.5, 0.09, 120.0, 90.5)
    for end in ("kappa, low end", "kappa, high end"):
        assert suspension.frozen_figures({**figures, end: None}).se is None
    assert suspension.frozen_figures({}) == (None, None, None, None)


def test_an_approval_is_to_be_looked_at_where_it_is_doubtful_and_nobody_has_kept_it() -> None:
    def is_doubted(*fields: Any) -> bool:
        return approvals.ApprovalNote("", *fields).doubted

    doubtful, fine = SimpleNamespace(doubtful=True), SimpleNamespace(doubtful=False)
    assert is_doubted(doubtful) is True
    assert [
        is_doubted(*fields) for fields in ((), (fine,), (fine, ("lea", "So.")), (doubtful, ("lea", "So.")))
    ] == [False] * 4


def test_what_can_no_longer_be_compared_with_labels_is_suspended_with_the_next_of_them(
    make_approval: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, key, done = make_approval(drawn_cells(120, 122))
    label(store, key, [120])
    figures = suspension.current_period_figures(store, done)
    assert [(figure.period, figure.items) for figure in figures] == [
        ("at the approval", 120), ("labels since", 1), ("all labels now", 121)
    ]  # fmt: skip
    gate = look(store, key).case.result.gate
    whole = gate.interval
    assert figures[2][1:] == (whole.point, whole.low, whole.high, 121, gate.mean_difference)
    assert approvals.compare_with_today(store, [done])[key].met
    why = "It cannot be compared with labels any more: the judge's card has no 'helpfulness' of a turn."
    monkeypatch.setattr("data.cards.cards.card_of_judge_if_known", lambda *_: None)
    label(store, key, [121])  # figures are made anew
    review = look(store, key)
    assert (review.case, review.finding.state, review.finding.reasons, review.why) == (
        None, "suspended", ("no gold",), why,
    )  # fmt: skip
    assert suspension.current_period_figures(store, done) == []
    no_card = "By today's policy: undefined. Its judge's card is not here."
    assert approvals.compare_with_today(store, [done]) == {key: PolicyToday("", no_card, False)}
    evidence = gather_report_evidence(store, *key[:2])
    assert [decision.decision for decision in evidence.decisions] == ["approve", "suspend"], "a report looks, too"
    assert approvals.active_approvals(store, key[0]) == []
    [decision] = record.current_approvals(store)
    assert (decision.decision, decision.person, decision.state, decision.fingerprint) == (
        "suspend",
        APPROVAL_ACTOR,
        "undefined",
        "",
    )
    assert decision.reason == f"Since the approval came new labels, a further draw. {why}"
    assert record.frozen_evidence(store, decision.id) == [] == suspension.current_period_figures(store, decision)


def test_nothing_is_suspended_on_which_somebody_decided_meanwhile(
    make_approval: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, key, done = make_approval(drawn_cells(120, 121))
    monkeypatch.setattr("data.cards.cards.card_of_judge_if_known", lambda *_: None)
    label(store, key, [120])
    tx, requirements = store.tx, done.requirements

    def later(actor: str, action: str, work: Any, **options: Any) -> Any:
        """A lead suspends it between the look and the lock."""
        monkeypatch.setattr(store, "tx", tx)
        tx("lou", "suspend", lambda t: record.append_decision(
            t, key, "suspend", "By hand.", "lou", "undefined", requirements, "", []
        ))  # fmt: skip
        return tx(actor, action, work, **options)

    monkeypatch.setattr(store, "tx", later)
    assert suspension.suspend_unsupported(store) == []
    assert [(decision.decision, decision.person) for decision in record.decision_history(store, *key)] == [
        ("suspend", "lou"), ("approve", "lea")
    ]  # fmt: skip


def test_a_judge_whose_card_is_not_here_has_no_case(tmp_path: Path) -> None:
    store = open_store(f"duckdb:///{tmp_path}/a.duckdb")
    dataset, judge = fill(store, [Cell(0, "turn:1", (3.0,), 3.0)], card="gone_card")
    with pytest.raises(NotFound) as refused:
        case.find_case(store, dataset, judge, "turn", "helpfulness")
    store.close()
    why = "so the meaning of its scores is unknown."
    assert str(refused.value) == f"The card 'gone_card' of this judge is not here, {why}"
