"""Approvals: what is refused through which door, what is frozen, and what undoes them by itself."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from sklearn.metrics import cohen_kappa_score

from data.adjudication import adjudication
from data.approvals import approvals, case, check_results, label_caveats, policy, record, rules, suspension
from data.approvals.label_caveats import ImportedLabels, LabelOrigin
from data.approvals.rules import Requirements
from data.audits import audits
from data.cli import main
from data.gold import disputes, excluded_items
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import datasets, leads, people, settings
from data.records.access import Person
from data.records.names import APPROVAL_ACTOR
from data.records.rows import item_id, judge_id
from data.records.settings import GoldRule
from data.records.tables import AnswerRow, IntakeRow, ItemUseRow, JudgeRow, LabelRow, ScoreRow
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed, NotApprovable, NotFound
from data.store.ids import content_id, new_id, now
from judges.audits import AuditFinding, all_audits
from judges.cards import cards
from judges.errors import AssayError
from judges.params import Params
from judges.stats import approval_check
from judges.stats.approval_check import CheckPolicy
from tests import seeds
from tests.data import cells
from tests.data.cells import Cell, fill

TURN = "turn:1"
HELP = next(d for d in cards()["multi_turn_dialogue"].dimensions if d.name == "helpfulness" and d.sort == "turn")
Key = tuple[str, str, str, str]


def judged_cells(items: int, dimension: str = "helpfulness", wrong: int = 7, **options: Any) -> list[Cell]:
    """People say 1..5 in turn; the judge the same, but every `wrong`-th one too high, and 5 never higher."""
    options = {"probability": 0.5, "dimension": dimension, **options}
    return [
        Cell(n, TURN, (float(n % 5 + 1),), float(min(n % 5 + 1 + (n % wrong == 0), 5)), **options) for n in range(items)
    ]


def open_workspace(path: Path, cells: list[Cell], name: str = "demo") -> tuple[Store, str, str]:
    store = open_store(f"duckdb:///{path}")
    people.join_workspace(store, "lea")
    people.make_lead_locally(store, "lou")
    for other, role in (("ray", "researcher"), ("ann", "annotator")):
        people.set_person(store, "lea", other, role)  # type: ignore[arg-type]
    return store, *fill(store, cells, name)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Key]:
    """Helpfulness meets policy, safety fails, context_use is below minimum sample, and coherence undefined."""
    cells = [
        *judged_cells(150),
        *(replace(c, dimension="safety", judge=3.0 + (c.people == (5.0,))) for c in judged_cells(150)),
    ]
    cells += judged_cells(20, "context_use")
    cells += [Cell(n, "conversation", (4.0,), 4.0, probability=0.5, dimension="coherence") for n in range(120)]
    path = tmp_path_factory.mktemp("made") / "a.duckdb"
    store, dataset, judge = open_workspace(path, cells)
    key = (dataset, judge, "turn", "helpfulness")
    store.close()
    seeds.copy_store(path, path.with_name("b.duckdb"))
    store = open_store(f"duckdb:///{path.with_name('b.duckdb')}")
    approve(store, key)
    store.close()
    return path, key


@pytest.fixture
def approved_demo(template: tuple[Path, Key], tmp_path: Path) -> Iterator[tuple[Store, Key, record.Approval]]:
    """The same with helpfulness approved by lea."""
    seeds.copy_store(template[0].with_name("b.duckdb"), tmp_path / "b.duckdb")
    store = open_store(f"duckdb:///{tmp_path}/b.duckdb")
    yield store, template[1], record.current_approvals(store)[0]
    store.close()


@pytest.fixture
def demo(template: tuple[Path, Key], tmp_path: Path) -> Iterator[tuple[Store, Key]]:
    """A copy of it of the test's own."""
    seeds.copy_store(template[0], tmp_path / "a.duckdb")
    store = open_store(f"duckdb:///{tmp_path}/a.duckdb")
    yield store, template[1]
    store.close()


def get_mark(store: Store, key: Key) -> str:
    return case.seen_mark(store, case.find_case(store, *key))


def approve(store: Store, key: Key, actor: str = "lea", reason: str = "It agrees.") -> record.Approval:
    return approvals.record_decision(store, actor, *key, "approve", reason, get_mark(store, key))


def relabel(store: Store, key: Key, change: Callable[[float], float], most: int = 1_000, person: str = "") -> None:
    """Replace people's labels of a dimension, as corrections on the desk do."""
    rows = store.rows(
        "select l.id, l.item_id, l.unit, l.value, l.annotator, l.draw_id from label_now l join item i "
        "on i.id = l.item_id where i.dataset_id = $1 and l.dimension = $2 order by i.name",
        [key[0], key[3]],
    )

    def work(tx: Any) -> None:
        from data.store.ids import new_id, now

        tx.append([
            LabelRow(new_id(), "", item, unit, key[3], change(value), person or name, "blind", draw, "", False, None,
                     None, None if person else id_, False, now())
            for id_, item, unit, value, name, draw in rows[:most]
        ])  # fmt: skip

    store.tx("test", "relabel", work)


def set_asked(store: Store, **values: Any) -> Requirements:
    now = policy.requirements(store)
    gate_values = {k: values.pop(k) for k in list(values) if hasattr(now.policy, k)}
    policy.set_requirements(
        store, "lea", replace(now, policy=replace(now.policy, **gate_values), **values), "For the test."
    )
    return policy.requirements(store)


def test_figures_on_other_labels_are_shown_beside_those_of_the_check(demo: tuple[Store, Key]) -> None:
    store, (dataset, judge, *_) = demo
    shown = check_results.summaries(store, dataset, judge, "all")
    lines = check_results.dimension_results(store, dataset, judge, shown)
    assert {id(line.shown) for line in lines} == set(map(id, shown))
    assert [line.gate.dimension for line in lines] == [line.dimension for line in lines]


# -- what is frozen ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_evidence_is_that_of_the_moment_and_stays(demo: tuple[Store, Key]) -> None:
    store, key = demo
    settings.set_gold_rule(store, "lea", key[0], GoldRule(apart=1))
    done = approve(store, key, reason="  Clear of the threshold, says 対話.  ")
    assert (done.decision, done.person, done.reason) == ("approve", "lea", "Clear of the threshold, says 対話.")
    assert (done.state, done.requirements.policy, done.key) == ("meets policy", CheckPolicy(), key)
    line = next(line for line in check_results.dimension_results(store, *key[:2]) if line.key == "turn.helpfulness")
    assert done.fingerprint == check_results.fingerprint_cells(store, *key[:2], line.dimension, "gate")
    evidence = record.frozen_evidence(store, done.id)
    figures = {name: figure for name, figure, _ in evidence}
    texts = {name: text for name, _, text in evidence}
    human = [n % 5 + 1 for n in range(150)]
    judge = [min(n % 5 + 1 + (n % 7 == 0), 5) for n in range(150)]
    assert figures["kappa"] == pytest.approx(cohen_kappa_score(human, judge, weights="quadratic"), abs=1e-12)
    table = np.zeros((5, 5))
    for h, j in zip(human, judge, strict=True):
        table[h - 1, j - 1] += 1
    assert json.loads(texts["table of cells"]) == table.tolist()
    assert json.loads(texts["table of weights"]) == (2 * table).tolist()  # drawn with probability 1/2
    assert figures["kappa, lower bound"] == line.gate.interval.lower_bound
    assert (figures["items"], figures["effective items"], figures["coverage"]) == (150, 150, 1)
    assert json.loads(texts["policy"])["policy"]["threshold"] == 0.5
    assert texts["decided together"].count("turn.") == 3 and texts["fingerprint"] == done.fingerprint
    assert texts["gold rule"] == "median; adjudicated from a difference of more than 1 step"
    assert texts["audits in alarm"] == ""
    assert [name for name, *_ in evidence][:1] == ["dataset"] and evidence[-1][0] == "fingerprint"
    relabel(store, key, lambda v: 6 - v, most=12)
    assert record.frozen_evidence(store, done.id) == evidence
    now = case.find_case(store, *key).result.gate.interval.point
    assert approvals.kappa_at_decision(store, done) == figures["kappa"] != now


def test_a_decision_says_who_when_and_why_and_the_newest_holds(demo: tuple[Store, Key]) -> None:
    store, key = demo
    first = approve(store, key)
    assert record.current_approvals(store) == record.current_approvals(store, key[0], key[1]) == [first]
    assert approvals.active_approvals(store, key[0]) == approvals.active_approvals(store, "") == [first]
    assert approvals.active_approvals(store, "another") == record.current_approvals(store, "another") == []
    second = approvals.record_decision(store, "lou", *key, "suspend", "Its scores look odd this week.")
    assert record.current_approvals(store) == [second] and approvals.active_approvals(store, key[0]) == []
    third = approve(store, key, "lou", "Looked into it.")
    assert record.decision_history(store, *key) == [third, second, first]
    assert [c[0] for c in store.rows("select action from change order by seq desc limit 3")] == [
        "approve", "suspend", "approve",
    ]  # fmt: skip
    other = approvals.record_decision(store, "lou", *key[:3], "safety", "decline", "It fails.")
    assert record.decision_history(store, *key) == [third, second, first]
    assert record.decision_history(store, *key[:3], "safety") == [other]
    assert record.decision_history(store, *key[:2]) == [other, third, second, first]


# -- what is refused --------------------------------------------------------------------------------------------------


def check_refusal(store: Store, error: type[Exception], words: str, act: Callable[[], Any]) -> None:
    """The act is refused with such a sentence, and leaves no row."""
    before = store.newest()
    with pytest.raises(error, match=words):
        act()
    assert store.newest() == before


def test_only_leads_decide_and_only_with_a_reason(demo: tuple[Store, Key]) -> None:
    store, key = demo
    people.set_person(store, "lea", "gone", "lead")
    people.set_person(store, "lea", "gone", "lead", active=False)
    for person in ("ann", "ray", "gone", "nobody", "", APPROVAL_ACTOR):
        for decision in ("approve", "propose", "decline", "suspend"):
            check_refusal(
                store, NotAllowed, "role lead|not active|Nobody called",
                lambda w=person, d=decision: approvals.record_decision(
                    store, w, *key, d, "Because.", get_mark(store, key)
                ),
            )  # fmt: skip
    for reason in ("", "   ", "...", "\0", "x" * 2001):
        check_refusal(store, BadInput, "Say why|characters", lambda r=reason: approve(store, key, reason=r))
    other: Any = "allow"
    check_refusal(
        store, BadInput, "not a decision", lambda: approvals.record_decision(store, "lea", *key, other, "Why.")
    )
    with pytest.raises(BadInput, match="cannot be a name"):
        people.set_person(store, "lea", APPROVAL_ACTOR, "lead")


def test_what_is_not_there_is_not_decided_on(demo: tuple[Store, Key]) -> None:
    store, key = demo
    mark = get_mark(store, key)
    for place, value, words in (
        (0, "nowhere", "no dataset"), (1, "nobody", "no judge"), (3, "charm", "has no dimension 'charm'"),
        (2, "conversation", "has no dimension 'helpfulness' of a conv"), (3, "weakest_turn", "has no dimension"),
    ):  # fmt: skip
        wrong: Any = (*key[:place], value, *key[place + 1 :])
        for decision in ("approve", "propose", "decline"):
            check_refusal(
                store, NotFound, words,
                lambda w=wrong, d=decision: approvals.record_decision(store, "lea", *w, d, "Because.", mark),
            )  # fmt: skip


def test_what_the_gate_refuses_is_refused(demo: tuple[Store, Key]) -> None:
    store, key = demo
    for dimension, state, words in (
        (("turn", "safety"), "fails", "says: fails. Kappa 0.36 on 150 items"),
        (("turn", "context_use"), "below minimum sample", "minimum sample.*blind answers to 115 more drawn items"),
        (("conversation", "coherence"), "undefined", "says: undefined"),
        (("conversation", "verdict"), "below minimum sample", "says: below minimum sample"),
    ):
        cell = (*key[:2], *dimension)
        for decision in ("approve", "propose"):
            check_refusal(
                store, NotApprovable, words,
                lambda m=cell, d=decision: approvals.record_decision(
                    store, "lea", *m, d, "Because.", get_mark(store, m)
                ),
            )  # fmt: skip
        assert approvals.record_decision(store, "lea", *cell, "decline", "Not like this.").state == state


def test_dimensions_are_decided_together(tmp_path: Path) -> None:
    """Helpfulness passes alone; beside two that fail it has a third of the error (Holm), and its bound misses .5."""
    noise = np.random.default_rng(4)
    cells = [
        replace(c, judge=float(np.clip(round(c.people[0] + noise.normal(0, 1.4)), 1, 5)))  # type: ignore[operator]
        for c in judged_cells(110)
    ]
    low = [replace(c, dimension=d, judge=float(noise.integers(1, 6))) for c in cells for d in ("safety", "context_use")]
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", cells + low)
    key = (dataset, judge, "turn", "helpfulness")
    case_ = case.find_case(store, *key)
    alone = approval_check.check_dimension(case_.result.gate.interval)
    level, bound = case_.result.check.bound, alone.bound
    assert level is not None and bound is not None and level < 0.5 <= bound and alone.state == "meets policy"
    check_refusal(store, NotApprovable, "shared by 3 decisions", lambda: approve(store, key))
    store.close()


def test_made_judges_and_probes_are_no_language_models(tmp_path: Path) -> None:
    store, real, judge = open_workspace(tmp_path / "a.duckdb", judged_cells(150))
    copies = {
        "practice": ("practice-easy", "{}", False), "marked": ("m", "{}", True),
        "probe": ("m", '{"probe":"scenario_swapped"}', False),
    }  # fmt: skip

    def work(tx: Any) -> None:
        for id_, (model, params, synthetic) in copies.items():
            tx.append([JudgeRow(id_, "multi_turn_dialogue", "1", model, params, synthetic)])
            rows = tx.rows("select item_id, unit, dimension, value from score where judge_id = $1", [judge])
            tx.append([ScoreRow("", id_, *row, None, "", 0) for row in rows])
        tx.add("dataset", "id, name, description, synthetic", [("made", "made", "", True)])

    store.tx("test", "copies", work)
    practice = "practice judge, not"
    for id_, words in (("practice", practice), ("marked", practice), ("probe", "probe scenario_swapped")):
        check_refusal(store, NotApprovable, words, lambda i=id_: approve(store, (real, i, "turn", "helpfulness")))
    every = [judge, *copies]
    shared = {id_: case.find_case(store, real, id_, "turn", "helpfulness").result.check.shared for id_ in every}
    # The judge that may be approved shares the error with none of these, and each of them with it.
    assert shared == {judge: 1, "practice": 2, "marked": 2, "probe": 2}
    case_ = replace(
        case.find_case(store, real, "practice", "turn", "helpfulness"), dataset=datasets.find_dataset(store, "made")
    )
    assert case_.objections == [] and case_.synthetic
    store.close()


def test_what_is_made_up_is_published_as_such_only(demo: tuple[Store, Key]) -> None:
    store, key = demo
    case_ = case.find_case(store, *key)
    assert case_.objections == []
    practice, marked = "This is a practice judge", "This dataset is marked as"
    for synthetic, imported_labels, synthetic_judge, allowed, objections in (
        (False, False, False, False, []), (False, True, False, False, []), (False, False, True, False, [practice]),
        (False, True, True, True, [practice]), (True, False, True, False, []), (True, True, True, False, []),
        (True, False, False, False, []), (True, True, False, False, [marked]), (True, True, False, True, []),
    ):  # fmt: skip
        variant = replace(
            case_, dataset=replace(case_.dataset, synthetic=synthetic),
            judge=case_.judge._replace(synthetic=synthetic_judge), has_imported_labels=imported_labels,
            requirements=replace(case_.requirements, imported=allowed),
        )  # fmt: skip
        assert [text[:24] for text in variant.objections] == [text[:24] for text in objections]
        assert variant.synthetic == (synthetic or synthetic_judge)


def test_a_judge_that_answers_only_some_is_refused(tmp_path: Path) -> None:
    cells = [replace(c, judge="unscored") if c.item % 8 == 0 else c for c in judged_cells(160)]
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", cells)
    key = (dataset, judge, "turn", "helpfulness")
    assert case.find_case(store, *key).coverage == 140 / 160
    check_refusal(store, NotApprovable, "87.5% of the 160 ratings.*90% are required", lambda: approve(store, key))
    set_asked(store, coverage=0.875)
    assert approve(store, key).decision == "approve"
    store.close()


def test_without_labels_nothing_is_said_of_their_na(tmp_path: Path) -> None:
    store, dataset, judge = open_workspace(
        tmp_path / "a.duckdb", [replace(cell, people=()) for cell in judged_cells(20)]
    )
    assert case.case_context(store, case.find_case(store, dataset, judge, "turn", "helpfulness")).cautions == ()
    store.close()


def test_na_hides_nothing(tmp_path: Path) -> None:
    """n/a of the judge where people have a value is no answer; of people where the judge has one, it is told."""
    judge = [replace(c, judge=None) if c.item % 8 == 0 else c for c in judged_cells(160)]
    people_ = [
        replace(c, dimension="safety", people=(None,)) if c.item % 8 == 0 else c for c in judged_cells(160, "safety")
    ]
    sparse = [replace(c, people=(None,)) if c.item % 11 == 0 else c for c in judged_cells(160, "context_use")]
    store, dataset, judge_ = open_workspace(tmp_path / "a.duckdb", [*judge, *people_, *sparse])
    hidden, waived = (case.find_case(store, dataset, judge_, "turn", name) for name in ("helpfulness", "safety"))
    assert (hidden.coverage, hidden.judge_only_na, hidden.people_only_na) == (140 / 160, 20, 0)
    assert "20 n/a where people gave a value" in hidden.objections[0] and not waived.objections
    assert (waived.coverage, waived.judge_only_na, waived.people_only_na) == (1, 0, 20)
    cautions = " ".join(case.case_context(store, waived).cautions)
    assert "People say n/a in 20 of 160 ratings" in cautions and "All labels are by person0" in cautions
    rare = case.find_case(store, dataset, judge_, "turn", "context_use")
    assert rare.people_only_na == 15 and "n/a" not in " ".join(case.case_context(store, rare).cautions), "not a tenth"
    store.tx("lea", "mine", lambda tx: people.append_people(tx, [Person("person0", "lead", True)]))
    assert "100% of the labels are by person0, who may approve" in " ".join(case.case_context(store, waived).cautions)
    store.close()


def test_alarms_refuse_where_the_policy_says_so(demo: tuple[Store, Key], monkeypatch: pytest.MonkeyPatch) -> None:
    store, key = demo
    alarm = {"verdict_mean": AuditFinding("alarm", "It does not follow.")}
    monkeypatch.setattr(audits, "run_audits", lambda *_: SimpleNamespace(alarms=alarm))
    monkeypatch.setattr(audits, "known_alarms", lambda *_: alarm)
    monkeypatch.setattr(rules, "all_audits", lambda: {"verdict_mean": next(iter(all_audits().values()))})
    done = approve(store, key)
    assert ("audits in alarm", 1.0, "verdict_mean: It does not follow.") in record.frozen_evidence(store, done.id)
    approvals.record_decision(store, "lea", *key, "suspend", "Try again.")
    set_asked(store, alarms=True)
    check_refusal(store, NotApprovable, "In alarm", lambda: approve(store, key))


def test_alarms_are_part_of_what_was_seen_where_the_policy_asks_for_them(demo: tuple[Store, Key]) -> None:
    store, key = demo
    for required, marks in ((False, 1), (True, 3)):
        set_asked(store, alarms=required)
        case_ = case.find_case(store, *key)
        alarms: list[dict[str, Any] | None] = [None, {}, {"a": "x"}, {"a": "x", "b": "y"}]
        assert len({case.seen_mark(store, replace(case_, alarms=alarm)) for alarm in alarms}) == marks


@pytest.mark.slow
def test_what_changed_since_it_was_seen_is_refused(demo: tuple[Store, Key]) -> None:
    store, key = demo
    changes: list[Callable[[], Any]] = [
        lambda: relabel(store, key, lambda v: min(v + 1, 5), most=1),
        lambda: set_asked(store, threshold=0.45),
        lambda: set_asked(store, coverage=0.8),
    ]
    for change in changes:
        before = get_mark(store, key)
        change()
        for decision in ("approve", "propose"):
            check_refusal(
                store, NotApprovable, "changed since you looked",
                lambda d=decision, b=before: approvals.record_decision(store, "lea", *key, d, "Because.", b),
            )  # fmt: skip
    check_refusal(
        store,
        NotApprovable,
        "which figures",
        lambda: approvals.record_decision(store, "lea", *key, "approve", "Because."),
    )
    other = (*key[:3], "safety")
    check_refusal(
        store, NotApprovable, "changed since",
        lambda: approvals.record_decision(store, "lea", *key, "approve", "Because.", get_mark(store, other)),
    )  # fmt: skip
    assert approve(store, key)


@pytest.mark.slow
def test_a_decision_has_to_follow_what_holds(approved_demo: tuple[Store, Key, record.Approval]) -> None:
    store, key, _ = approved_demo
    other = (*key[:3], "safety")
    check_refusal(
        store,
        BadInput,
        "Nothing is approved",
        lambda: approvals.record_decision(store, "lea", *other, "suspend", "So."),
    )
    check_refusal(
        store, BadInput, "Suspend it", lambda: approvals.record_decision(store, "lea", *key, "decline", "Because.")
    )
    check_refusal(store, NotApprovable, "approved this already", lambda: approve(store, key, "lou"))
    relabel(store, key, lambda v: min(v + 1, 5), most=1)
    assert approve(store, key, "lou").person == "lou"  # on new evidence it may be approved anew


@pytest.mark.slow
def test_four_eyes(demo: tuple[Store, Key]) -> None:
    store, key = demo
    set_asked(store, four_eyes=True)

    def propose(actor: str) -> Any:
        return approvals.record_decision(store, actor, *key, "propose", "I would.", get_mark(store, key))

    def open_to(actor: str) -> tuple[str, ...]:
        """What the page offers."""
        status = record.approval_statuses(store).get(key, record.ApprovalStatus())
        refusals = approvals.grant_refusals(store, actor, case.find_case(store, *key), status)
        return tuple(decision for decision, refusal in refusals.items() if not refusal)

    check_refusal(store, NotApprovable, "propose it first", lambda: approve(store, key))
    assert open_to("lea") == ("propose",)
    first = propose("lea")
    assert (open_to("lea"), open_to("lou")) == ((), ("approve",))
    assert record.current_approvals(store) == [first] and approvals.active_approvals(store, key[0]) == []
    assert approvals.find_open_decisions(store).proposed == (first,)
    check_refusal(store, NotApprovable, "another lead has to approve", lambda: approve(store, key, "lea"))
    check_refusal(store, NotApprovable, "has proposed this already", lambda: propose("lou"))
    relabel(store, key, lambda v: min(v + 1, 5), most=1)
    check_refusal(store, NotApprovable, "figures or the policy changed", lambda: approve(store, key, "lou"))
    assert open_to("lea") == open_to("lou") == ("propose",)
    propose("lou")
    people.set_person(store, "lou", "lou", "researcher")
    people.set_person(store, "lea", "lou", "researcher")
    check_refusal(store, NotApprovable, "not a lead any more", lambda: approve(store, key, "lea"))
    assert open_to("lea") == ("propose",), "what the refusal asks for can be done"
    people.make_lead_locally(store, "lou")
    done = approve(store, key, "lea")
    texts = {name: text for name, _, text in record.frozen_evidence(store, done.id)}
    assert texts["who approved"] == "lea, the first lead"
    assert texts["who had proposed"].startswith("lou, made a lead on the command line of this machine; with lea: ind")
    assert approvals.active_approvals(store, key[0]) == [done] and approvals.find_open_decisions(store).proposed == ()
    relabel(store, key, lambda v: min(v + 1, 5), most=2)
    again = propose("lea")
    assert approvals.active_approvals(store, key[0]) == [done], "A proposal changes nothing that holds"
    assert approvals.find_open_decisions(store).proposed == (again,)
    assert approve(store, key, "lou").person == "lou"


def test_the_evidence_says_who_had_proposed_only_of_what_is_approved(demo: tuple[Store, Key]) -> None:
    store, key = demo
    set_asked(store, four_eyes=True)
    for actor, decision in (("lea", "propose"), ("lou", "decline")):
        id_ = approvals.record_decision(store, actor, *key, decision, "Why.", get_mark(store, key)).id
    people_facts = [name for name, *_ in record.frozen_evidence(store, id_) if name.startswith("who ")]
    assert people_facts == ["who declined"]


def test_there_is_something_to_decide_where_any_of_it_is_there() -> None:
    assert not approvals.OpenDecisions()
    for name in ("suspended", "proposed", "eligible", "doubted", "older"):
        assert approvals.OpenDecisions(**{name: (object(),)}), name  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_is_to_be_decided_of_one_dataset_is_that_of_no_other(demo: tuple[Store, Key]) -> None:
    store, key = demo
    set_asked(store, four_eyes=True)
    proposal = approvals.record_decision(store, "lea", *key, "propose", "I would.", get_mark(store, key))
    other, judge = fill(store, judged_cells(5), "other")
    store.tx(APPROVAL_ACTOR, "suspend", lambda tx: record.append_decision(
        tx, (other, judge, "turn", "helpfulness"), "suspend", "It fell.", APPROVAL_ACTOR, "fails", Requirements(), "",
        [],
    ))  # fmt: skip
    first, second = (approvals.find_open_decisions(store, dataset) for dataset in (key[0], other))
    assert (first.proposed, first.suspended) == ((proposal,), ())
    assert [decision.dataset for decision in second.suspended] == [other] and second.proposed == ()
    both = approvals.find_open_decisions(store)
    assert (both.proposed, both.suspended) == (first.proposed, second.suspended)


def test_another_judge_has_no_approval(approved_demo: tuple[Store, Key, record.Approval]) -> None:
    """Model, card and every parameter are part of a judge's id: a change of any of them is another judge."""
    store, key, _ = approved_demo
    base = Params().identity("pair")
    changed = {
        "temperature": 0.5, "seed": 3, "samples": 2, "max_tokens": 999, "logprobs": True, "orders": "both",
        "context": 5000, "verdict": "fastchat", "probe": "injected_order", "protocol": "p@0123456789ab",
        "prompt": "single-v1", "wording": "0123456789ab",
    }  # fmt: skip
    others = [judge_id("v", "m", Params(**{name: value}).identity("pair")) for name, value in changed.items()]
    rules = [Params(samples=2, combine=rule).identity("pair") for rule in ("first", "mean", "vote")]
    others += [judge_id("v", "m", identity) for identity in rules]
    windows = [Params(**{name: 7}).identity("dialogue") for name in ("window", "window_over")]
    others += [judge_id("v", "m", identity) for identity in windows]
    others += [judge_id("w", "m", base), judge_id("v", "n", base), judge_id("v", "m", base, synthetic=True)]
    assert set(Params.model_fields) == {*changed, "combine", "window", "window_over"}
    assert len({*others, judge_id("v", "m", base)}) == len(others) + 1
    for other in others:
        assert (
            record.current_approvals(store, key[0], other)
            == record.decision_history(store, key[0], other, *key[2:])
            == []
        )


# -- the policy -------------------------------------------------------------------------------------------------------


def test_the_policy_is_changed_by_leads_with_a_reason(demo: tuple[Store, Key]) -> None:
    store, _ = demo
    looser = Requirements(CheckPolicy(threshold=0.4), alarms=True)
    check_refusal(store, NotAllowed, "role lead", lambda: policy.set_requirements(store, "ray", looser, "Because."))
    check_refusal(store, BadInput, "Say why", lambda: policy.set_requirements(store, "lea", looser, " "))
    check_refusal(
        store,
        BadInput,
        "coverage",
        lambda: policy.set_requirements(store, "lea", Requirements(coverage=1.2), "Because."),
    )
    for values, words in (
        ({"threshold": 1.2}, "threshold"), ({"threshold": float("nan")}, "threshold"), ({"level": 1.0}, "level"),
        ({"min_items": 0}, "items"), ({"min_items": 10**9}, "items"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=words):
            policy.make_policy(**values)
    for bad, words in (
        (replace(CheckPolicy(), min_items=float("nan")), "whole number"),  # every page would fail on it
        (CheckPolicy(min_clusters=2), "Below 30"), (CheckPolicy(threshold=-0.5), "at most what chance"),
        (replace(CheckPolicy(), lower_bound="no"), "yes or no"),
    ):  # fmt: skip
        check_refusal(
            store, BadInput, words, lambda b=bad: policy.set_requirements(store, "lea", Requirements(b), "Because.")
        )
    policy.set_requirements(store, "lea", looser, "The cards' own people agree at .45.")
    assert policy.requirements(store) == looser
    before = store.newest()
    policy.set_requirements(store, "lea", looser, "Again.")
    assert store.newest() == before, "what changes nothing is not written"
    policy.set_requirements(store, "lou", replace(looser, four_eyes=True), "Two see more.")
    for person in ("lou", "lea"):  # who asks for less where two leads are asked for needs another one
        policy.set_requirements(store, person, Requirements(), "Back.")
    changes = policy.policy_changes(store)
    assert [(c.person, c.reason, c.requirements.policy.threshold, c.requirements.four_eyes) for c in changes] == [
        ("lea", "Back.", 0.5, False), ("lou", "Two see more.", 0.4, True),
        ("lea", "The cards' own people agree at .45.", 0.4, False),
    ]  # fmt: skip


def test_two_leads_are_needed_to_ask_for_less_where_two_are_asked_for(demo: tuple[Store, Key]) -> None:
    """Else one lead could switch the second off, approve alone, and switch it on again."""
    store, _ = demo
    set_asked(store, four_eyes=True)
    current = policy.requirements(store)
    for less in (
        Requirements(),
        replace(current, coverage=0.5),
        replace(current, policy=CheckPolicy(lower_bound=False)),
    ):
        assert not policy.set_requirements(store, "lea", less, "Quicker.") and policy.requirements(store) == current
        assert policy.proposed_requirements(store) == (less, "Quicker.", "lea")
    before = store.newest()
    assert not policy.set_requirements(store, "lea", less, "Again.") and store.newest() == before
    assert policy.set_requirements(store, "lou", current, "No.") and policy.proposed_requirements(store) is None, (
        "it can be taken back"
    )
    assert not policy.set_requirements(store, "lou", less, "Quicker.") and policy.set_requirements(
        store, "lou", current, "Not yet."
    )
    assert not policy.set_requirements(store, "lea", less, "Quicker.")
    assert (
        policy.set_requirements(store, "lea", replace(current, alarms=True), "Stricter.")
        and policy.proposed_requirements(store) is None
    )
    assert not policy.set_requirements(store, "lea", Requirements(), "Quicker.")
    people.set_person(store, "lea", "lea", "researcher")
    people.set_person(store, "lou", "lea", "researcher")
    people.make_lead_locally(store, "ann")
    assert not policy.set_requirements(store, "ann", Requirements(), "Lea's, who leads no more.")
    assert (
        policy.set_requirements(store, "lou", Requirements(), "Agreed.")
        and policy.requirements(store) == Requirements()
    )
    assert policy.set_requirements(store, "ann", Requirements(four_eyes=True), "Two.")
    people.set_person(store, "lou", "ann", "annotator")
    people.set_person(store, "ann", "ann", "annotator")
    assert (
        not policy.set_requirements(store, "lou", Requirements(), "Alone.") and policy.requirements(store).four_eyes
    ), "who is left is one"


@pytest.mark.slow
def test_a_second_lead_of_ones_own_making_is_no_second_lead(demo: tuple[Store, Key]) -> None:
    """Made before four eyes were asked for, she is one's own; made since, she takes another lead to make."""
    store, key = demo
    people.set_person(store, "lea", "eve", "lead")
    people.set_person(store, "eve", "mal", "lead")
    set_asked(store, four_eyes=True)
    approvals.record_decision(store, "lea", *key, "propose", "I would.", get_mark(store, key))
    people.set_person(store, "lea", "ann", "lead")
    assert not policy.set_requirements(store, "lea", Requirements(), "Quicker.")
    for name in ("eve", "mal"):
        for does in (
            lambda person: approve(store, key, person),
            lambda person: people.set_person(store, person, "ann", "lead"),
            lambda person: policy.set_requirements(store, person, Requirements(), "Quicker."),
        ):
            check_refusal(store, AssayError, "not independent", lambda do=does, person=name: do(person))
    assert people.set_person(store, "lea", "new", "lead") == Person("new", "lead", False), "it waits"
    assert people.set_person(store, "lea", "lou", "lead", active=False).may("lead")
    check_refusal(store, NotAllowed, "Nobody called", lambda: approve(store, key, "new"))
    people.withdraw_lead_proposal(store, "lea", "lou")
    assert [change.person for change in leads.pending_lead_changes(store)] == ["ann", "new"]
    assert people.set_person(store, "lou", "new", "lead").may("lead")
    assert approve(store, key, "new").person == "new", "two leads who count have made her one"


@pytest.mark.slow
def test_a_changed_policy_neither_approves_nor_suspends(approved_demo: tuple[Store, Key, record.Approval]) -> None:
    store, key, done = approved_demo
    set_asked(store, threshold=0.99)
    assert approvals.active_approvals(store, key[0]) == [done]
    [(approval, why)] = approvals.find_open_decisions(store).older
    expected = "Approved under the first policy (required: kappa 0.50); today's policy requires kappa 0.99."
    assert (approval, why) == (done, expected)
    set_asked(store, threshold=0.01, min_items=1, lower_bound=False)
    assert approvals.active_approvals(store, key[0]) == [done] and approvals.find_open_decisions(store).older == ()
    assert {c.result.key for c in approvals.find_open_decisions(store).eligible} == {"turn.safety"}, (
        "eligible, and not approved"
    )


@pytest.mark.slow
def test_a_policy_that_requires_nothing_more_is_no_newer_one(demo: tuple[Store, Key]) -> None:
    store, key = demo
    set_asked(store, lower_bound=False, horizon=0)
    done = approve(store, key)
    set_asked(store, horizon=2_000, min_clusters=40)  # looks say nothing without a bound; 100 items are required anyway
    assert approvals.find_open_decisions(store).older == ()
    today = approvals.compare_with_today(store, [done])[key]
    assert (today.mark, today.stricter_now, today.warning) == ("approved", "", "")
    set_asked(store, lower_bound=True)
    [(_, why)] = approvals.find_open_decisions(store).older
    assert "no lower bound" in why and "any number of looks up to 2,000 items" in why


@pytest.mark.slow
def test_what_is_proposed_anew_waits_as_a_proposal_alone(approved_demo: tuple[Store, Key, record.Approval]) -> None:
    store, key, _ = approved_demo
    set_asked(store, four_eyes=True)
    assert len(approvals.find_open_decisions(store).older) == 1
    for older in (True, False):
        if not older:  # suspended by new evidence, which is taken back
            relabel(store, key, lambda v: 6 - v, most=60)
            assert len(approvals.find_open_decisions(store).suspended) == 1
            relabel(store, key, lambda v: 6 - v, most=60)
        again = approvals.record_decision(store, "lea", *key, "propose", "I would.", get_mark(store, key))
        assert approvals.find_open_decisions(store) == approvals.OpenDecisions(proposed=(again,)), older


def test_evidence_says_how_its_interval_was_made(demo: tuple[Store, Key]) -> None:
    store, key = demo
    case_ = case.find_case(store, *key)
    gate = case_.result.gate
    large = replace(gate, interval=replace(gate.interval, method="linearised"))
    [small_says], [large_says] = (
        [text for name, _, text in case.case_facts(store, variant) if name == "interval"]
        for variant in (case_, replace(case_, result=replace(case_.result, gate=large)))
    )
    assert small_says.endswith("level 0.95; 2,000 replicates, seed 0")
    assert large_says == "linearised, clustered by item, level 0.95"


# -- suspension -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_bad_gold_suspends_with_the_reason_and_only_a_person_brings_it_back(
    approved_demo: tuple[Store, Key, record.Approval],
) -> None:
    store, key, done = approved_demo
    set_asked(store, threshold=0.3)  # it is held against what it met, not against what is asked now
    relabel(store, key, lambda v: 6 - v, most=60)
    assert approvals.active_approvals(store, key[0]) == []
    [decision] = record.current_approvals(store, *key[:2])
    then, now = approvals.kappa_at_decision(store, done), approvals.kappa_at_decision(store, decision)
    assert then is not None and now is not None and then > 0.9 > 0.5 > now
    assert (decision.decision, decision.person, decision.state) == ("suspend", APPROVAL_ACTOR, "fails")
    assert decision.requirements.policy.threshold == 0.5
    assert decision.reason.startswith("Since the approval came new labels. At the approval kappa was")
    assert f"{then:.2f} on" in decision.reason and decision.reason.count(f"{now:.2f} on") == 1
    assert approvals.find_open_decisions(store).suspended == (decision,)
    relabel(store, key, lambda v: 6 - v, most=60)
    assert case.find_case(store, *key).result.gate.interval.point == pytest.approx(then)
    assert approvals.active_approvals(store, key[0]) == [] and record.current_approvals(store) == [decision]
    assert approve(store, key).decision == "approve" and approvals.find_open_decisions(store).suspended == ()


def test_an_approval_of_what_is_gone_can_still_be_suspended(
    approved_demo: tuple[Store, Key, record.Approval], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, key, _ = approved_demo

    def find_nothing(*_: object) -> Any:
        raise NotFound("There is no such card any more.")

    monkeypatch.setattr(approvals.case, "find_case", find_nothing)
    check_refusal(
        store, NotFound, "no such card", lambda: approvals.record_decision(store, "lea", *key, "approve", "So.")
    )
    decision = approvals.record_decision(store, "lou", *key, "suspend", "Its card is gone.")
    assert (decision.decision, decision.state, decision.person) == ("suspend", "undefined", "lou")
    never = (*key[:3], "wit")
    check_refusal(
        store, NotFound, "no such card", lambda: approvals.record_decision(store, "lou", *never, "decline", "So.")
    )


def test_what_a_lead_suspended_does_not_wait_for_a_lead(approved_demo: tuple[Store, Key, record.Approval]) -> None:
    """Only what Assay suspended by itself is to be looked at: an approval that holds is not, nor a lead's own word."""
    store, key, done = approved_demo
    assert record.current_approvals(store) == [done] and approvals.find_open_decisions(store).suspended == ()
    decision = approvals.record_decision(store, "lou", *key, "suspend", "Its scores look odd this week.")
    assert record.current_approvals(store) == [decision] and approvals.find_open_decisions(store).suspended == ()


def test_every_label_that_lands_is_looked_at_before_the_next_view(
    approved_demo: tuple[Store, Key, record.Approval], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store, key, done = approved_demo
    real, landed = suspension.review_approval, []

    def slow(*args: Any) -> Any:
        review = real(*args)
        if not landed:  # between the look and the answer
            landed.append(relabel(store, key, lambda v: 6 - v, most=60))
        return review

    relabel(store, key, lambda v: v, most=1)
    monkeypatch.setattr(suspension, "review_approval", slow)
    approvals.active_approvals(store, key[0])
    assert approvals.active_approvals(store, key[0]) == [] and record.decision_history(store, *key)[1] == done


def test_nothing_is_computed_where_nothing_came(
    approved_demo: tuple[Store, Key, record.Approval], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, key, done = approved_demo
    looks: list[Any] = []
    real = suspension.review_approval
    monkeypatch.setattr(suspension, "review_approval", lambda *a: looks.append(a) or real(*a))
    relabel(store, (*key[:3], "safety"), lambda v: v, most=3)
    set_asked(store, threshold=0.6)
    people.set_person(store, "lea", "new", "annotator")
    assert approvals.active_approvals(store, key[0]) == [done] and not looks
    relabel(store, key, lambda v: v, most=1)
    assert (
        approvals.active_approvals(store, key[0]) == approvals.active_approvals(store, key[0]) == [done]
        and len(looks) == 1
    )


def test_a_new_start_looks_again(approved_demo: tuple[Store, Key, record.Approval]) -> None:
    store, key, _ = approved_demo
    relabel(store, key, lambda v: 6 - v, most=60)
    store.close()
    again = open_store(store.url)
    assert approvals.active_approvals(again, key[0]) == []
    again.close()


@pytest.mark.slow
def test_another_gold_rule_and_items_put_aside_are_looked_at_too(tmp_path: Path) -> None:
    """Of the answers 1, 1, 1, v, 4, 5, 5 the median is v (4 for v = 5), and the majority 1 (v = 5 draws it: 4 again).

    Against 1..5 in turn that makes 1 1 1 1 4: kappa 2 * 1.2 / (1.44 + 2 + 1.4^2) = .44.
    """
    cells = [replace(c, people=(*c.people, 1.0, 1.0, 1.0, 4.0, 5.0, 5.0)) for c in judged_cells(110)]
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", cells)
    key = (dataset, judge, "turn", "helpfulness")
    done = approve(store, key)
    items = [r[0] for r in store.rows("select id from item order by id limit 20")]
    uses = [ItemUseRow(f"use{n}", dataset, item, True, "shown to the prompt", "lea") for n, item in enumerate(items)]
    store.tx("test", "tuning", lambda tx: tx.append(uses))
    assert approvals.active_approvals(store, dataset) == [done], "what is left says nothing against it"
    [(_, why)] = approvals.find_open_decisions(store).doubted
    assert "would not be approved now" in why and "90 items" in why
    back = [use._replace(id=f"back{n}", tuning=False) for n, use in enumerate(uses)]
    store.tx("test", "tuning", lambda tx: tx.append(back))
    assert approvals.find_open_decisions(store).doubted == ()
    settings.set_gold_rule(store, "lea", dataset, GoldRule("majority"))
    assert approvals.active_approvals(store, dataset) == []
    why = "approval came excluded items, labels combined anew. At the approval kappa was"
    assert why in record.current_approvals(store)[0].reason
    store.close()


# -- at the same time -------------------------------------------------------------------------------------------------


def test_two_leads_at_once_leave_one_approval(demo: tuple[Store, Key]) -> None:
    """Where several processes share a store, from two of them."""
    store, key = demo
    other = open_store(store.url) if store.shared else store
    mark, start, out = get_mark(store, key), threading.Barrier(3), []

    def run(person: str) -> None:
        start.wait()
        try:
            approvals.record_decision(
                other if person == "lou" else store, person, *key, "approve", f"Says {person}.", mark
            )
            out.append("done")
        except NotApprovable as error:
            out.append(str(error))

    threads = [threading.Thread(target=run, args=(person,)) for person in ("lea", "lou", "lea")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out.count("done") == 1 and sum("approved this already" in message for message in out) == 2
    assert store.rows("select count(*) from approval") == [(1,)]
    other.close()


def test_a_label_before_the_lock_is_not_overlooked(demo: tuple[Store, Key], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is computed before the lock is computed anew under it, where a label came in between."""
    store, key = demo
    mark, real, came = get_mark(store, key), approvals._find_kept_case, []

    def then_a_label(*args: Any) -> Any:
        case_ = real(*args)
        if not came:
            came.append(relabel(store, key, lambda v: 6 - v, most=60))
        return case_

    monkeypatch.setattr(approvals, "_find_kept_case", then_a_label)
    with pytest.raises(NotApprovable, match="changed since"):
        approvals.record_decision(store, "lea", *key, "approve", "Because.", mark)
    assert store.rows("select count(*) from approval") == [(0,)]


# -- the command line -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_refuses_what_the_function_refuses(
    demo: tuple[Store, Key], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, key = demo
    mark = get_mark(store, key)
    store.close()
    monkeypatch.setenv("ASSAY_STORE", store.url)

    def run(*args: str) -> tuple[int, str]:
        code = main(["approve", "--dataset", "demo", *args])
        return code, "".join(capsys.readouterr())

    code, output = run("--list")
    assert code == 0 and f"mark {mark}" in output and "below minimum sample" in output
    good = ("--dimension", "helpfulness", "--reason", "Stands.")
    for args, words in (
        (("--dimension", "safety", "--reason", "Because."), "The approval check says"),
        ((*good, "--judge", "other"), "No judge of"),
        ((*good, "--as", APPROVAL_ACTOR, "--seen", mark), "is reserved for"),
        (good, "--list prints it"),
        ((*good, "--seen", "0" * 20), "changed since"),
    ):
        code, output = run(*args)
        assert code == 1 and words in output and "Traceback" not in output, args
    code, output = run(*good, "--seen", mark)
    assert code == 0 and "helpfulness (turn) is approved by lea: Stands." in output and "kappa" in output
    code, output = run(*good, "--suspend", "--as", "lou")
    assert code == 0 and "is suspended by lou" in output
    again = open_store(store.url)
    assert [a.decision for a in record.decision_history(again, *key)] == ["suspend", "approve"]
    again.close()


# -- whatever happens -------------------------------------------------------------------------------------------------


class Decisions(RuleBasedStateMachine):
    """Labels, policies and decisions in any order: what is approved meets what it was approved under."""

    def __init__(self) -> None:
        super().__init__()
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        self.store, dataset, judge = open_workspace(Path(self.folder.name) / "a.duckdb", judged_cells(110))
        self.key: Key = (dataset, judge, "turn", "helpfulness")
        self.flipped = False

    @rule()
    def approve(self) -> None:
        eligible = not case.find_case(self.store, *self.key).objections
        try:
            done = approve(self.store, self.key)
        except NotApprovable as error:
            assert not eligible or "already" in str(error)
        else:
            assert eligible and done.requirements == policy.requirements(self.store)

    @rule()
    def flip(self) -> None:
        relabel(self.store, self.key, lambda v: 6 - v, most=70)
        self.flipped = not self.flipped

    @rule()
    def loosen(self) -> None:
        set_asked(self.store, threshold=0.01, lower_bound=False)

    @rule()
    def tighten(self) -> None:
        set_asked(self.store, threshold=0.5, lower_bound=True)

    @precondition(lambda self: approvals.active_approvals(self.store, self.key[0]))
    @rule()
    def suspend(self) -> None:
        approvals.record_decision(self.store, "lou", *self.key, "suspend", "To see.")

    @invariant()
    def what_is_approved_meets_its_policy(self) -> None:
        for approval in approvals.active_approvals(self.store, ""):
            interval = case.find_case(self.store, *self.key).result.gate.interval
            assert approval_check.check_dimension(interval, approval.requirements.policy).state == "meets policy"
            assert approval.decision == "approve" and approval == record.current_approvals(self.store)[0]

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()


TestDecisions = Decisions.TestCase
TestDecisions.settings = hypothesis_settings(max_examples=1, stateful_step_count=6, deadline=None)


# -- labels from files ------------------------------------------------------------------------------------------------


def forge_labels(store: Store, path: Path, names: tuple[str, ...] = ("ann", "lea", "person0")) -> Path:
    """The judge's own scores of helpfulness, as blind labels under the names of people who work here."""
    rows = store.rows(
        "select i.name, s.unit, s.value from score s join item i on i.id = s.item_id where s.dimension = 'helpfulness'"
    )
    labels = [
        {"item": item, "unit": unit, "dimension": "helpfulness", "value": int(value), "annotator": name,
         "mode": "blind", "probability": 0.5, "made_at": "2026-01-31T12:00:00Z"}
        for item, unit, value in rows for name in names
    ]  # fmt: skip
    return seeds.lines(path / "forged.jsonl", labels)


@pytest.mark.parametrize(
    ("fact", "title"),
    [
        ("gate", "approval check"),
        ("kappa", "kappa"),
        ("effective items", "effective sample size"),
        ("ceiling, low end", "agreement between people, low end"),
        ("kappa, low end", "kappa, low end"),
        ("newest gold: mean difference, low end", "newest gold: bias (judge - people), low end"),
        ("at the approval: cells with gold, low end", "at the approval: ratings with reference labels (gold), low end"),
        ("since the approval: coverage", "since the approval: answered by the judge"),
    ],
)
def test_evidence_has_a_title_in_the_words_of_today(fact: str, title: str) -> None:
    assert record.fact_title(fact) == title


def test_evidence_comes_back_in_the_order_in_which_it_was_frozen(tmp_path: Path) -> None:
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", judged_cells(1))
    facts: list[record.Fact] = [("zeal", 1.0, "a"), ("awe", None, "b"), ("mirth", 2.5, "")]
    key = (dataset, judge, "turn", "helpfulness")
    id_ = store.tx("lea", "decline", lambda tx: record.append_decision(
        tx, key, "decline", "Why.", "lea", "fails", Requirements(), "", list(facts)
    ))  # fmt: skip
    assert record.frozen_evidence(store, id_) == facts
    more = [(id_, "joy", 3.0, "c"), (id_, "grief", None, "d"), *(("older", *fact) for fact in facts)]
    store.tx("lea", "more", lambda tx: tx.add("approval_evidence", "approval_id, name, figure, told", more))
    assert [name for name, *_ in record.frozen_evidence(store, id_)] == ["zeal", "awe", "mirth", "grief", "joy"]
    assert [name for name, *_ in record.frozen_evidence(store, "older")] == ["awe", "mirth", "zeal"], "no order is kept"
    store.close()


def test_a_single_label_is_told_as_one() -> None:
    def origin(count: int, *files: ImportedLabels) -> str:
        return LabelOrigin({"ann": count}, files, False, 0, 0, 0, 0, 0, 1, ()).origin()

    assert [origin(n) for n in (0, 1, 2)] == [
        "", "1 label is used, all given here.", "2 labels are used, all given here."
    ]  # fmt: skip
    file = ImportedLabels(3, "a.jsonl", "ray", "2026-01-31", "random")
    assert origin(1, file).startswith("1 label given here is used. 3 imported ones are not")
    both = LabelOrigin({"ann": 4, "bob": 1}, (file,), True, 0, 0, 0, 0, 0, 1, ()).origin()
    assert both.startswith("2 labels given here are used. 3 imported ones are used too: ")


def test_a_tenth_of_the_drawn_items_that_nobody_labelled_is_a_caution() -> None:
    def cautions(skipped: int, excluded: int) -> list[str]:
        return LabelOrigin({"ann": 80}, (), False, 0, 100, skipped, excluded, 0, 1, ("lea", "kim")).cautions()

    assert list(cautions(9, 9)) == ["All labels are by ann: no second annotator has checked them."]
    assert [caution for caution in cautions(10, 9) if caution.startswith("10 of 100 drawn items were skipped")]
    assert [caution for caution in cautions(9, 10) if caution.startswith("10 of 100 drawn items were excluded")]


def test_each_caution_about_labels_begins_where_it_is_worth_a_sentence() -> None:
    plain = LabelOrigin({"ann": 6, "bob": 5, "lea": 0}, (), False, 0, 100, 0, 0, 0, 2, ("lea", "kim"))
    files = (ImportedLabels(4, "a.csv", "ray", "2026-01-31", "random"), ImportedLabels(1, "b.csv", "amy", "", "all"))
    expected: list[tuple[dict[str, Any], list[str]]] = [
        ({}, []),
        ({"labels_by_person": {}, "changed": 3, "examples": 2, "judges": 9}, []),
        ({"labels_by_person": {"ann": 5, "lea": 4}}, []),
        ({"labels_by_person": {"ann": 5, "lea": 3, "kim": 2}}, [
            "50% of the labels are by kim and lea, who may approve here too: whoever approves should not be the only "
            "annotator.",
        ]),
        ({"labels_by_person": {"lea": 3}}, [
            "100% of the labels are by lea, who may approve here too: whoever approves should not be the only "
            "annotator.",
        ]),
        ({"labels_by_person": {"ann": 3}}, ["All labels are by ann: no second annotator has checked them."]),
        ({"imported": files}, []),
        ({"imported": files, "unknown_population": 3}, []),
        ({"counts": True, "unknown_population": 3}, [
            "3 imported labels are of items drawn at random from an unknown number of items: each counts as drawn with "
            "certainty.",
        ]),
        ({"counts": True, "imported": files}, [
            "5 of 11 labels were imported by amy and ray, who stated that they are blind and their items drawn at "
            "random. Nobody here can check that.",
        ]),
        ({"changed": 1}, ["1 of 11 labels were changed later."]),
        ({"drawn": 0}, []),
        ({"examples": 1}, [
            "1 labelled items are examples in the judge's prompt and are left out: if they were chosen because the "
            "judge failed there, agreement is overestimated.",
        ]),
        ({"judges": 3}, [
            "3 judges of this card were compared on the same labels: the best of many is overestimated.",
        ]),
    ]  # fmt: skip
    for change, cautions in expected:
        assert list(replace(plain, **change).cautions()) == cautions, change


def test_the_labels_behind_a_figure_are_told_apart_by_how_they_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labelled = [Cell(n, TURN, (3.0,), 3.0, probability=0.5) for n in range(4)]
    others = [Cell(n, TURN, (), 3.0) for n in range(4, 10)]
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", [*labelled, *others])
    stored = {row[0]: (row[1], row[2]) for row in store.rows("select item_id, id, draw_id from label")}

    def bring(
        source: str, *entries: tuple[int, str, float | None], mode: str = "blind", replaces: bool = False
    ) -> None:
        """Labels as they come in from a file, or (of no source) as they are changed on the desk."""

        def work(tx: Any) -> None:
            rows = []
            for n, person, probability in entries:
                old, draw = stored.get(content_id("demo", n), (None, "")) if replaces else (None, "")
                rows.append(LabelRow(new_id(), "", content_id("demo", n), TURN, "helpfulness", 4.0, person, mode, draw,
                                     "", False, None, probability, old, False, now()))  # fmt: skip
            tx.append(rows)
            if source:
                tx.append([IntakeRow(new_id(), dataset, source, "labels", "random", 0, 0, len(rows))])

        store.tx("ray", "import", work)

    with monkeypatch.context() as before:  # it was asked how many items a draw was made from
        before.setattr("data.store.base.now", lambda: datetime(2020, 1, 1))
        bring("sure.csv", (4, "zoe", 1.0), (5, "zoe", 1.0), (6, "yan", 0.5))
    bring("half.csv", (7, "yan", 0.5))
    bring("", (0, "person0", None), replaces=True)
    bring("seen.csv", (8, "zoe", 1.0), mode="assisted")
    bring("picked.csv", (9, "zoe", None))
    prompt_items = {content_id("demo", 1), content_id("demo", 5)}
    monkeypatch.setattr(label_caveats.fewshot, "items_in_prompt", lambda *_: prompt_items)
    for counts, people_ in ((False, {"person0": 3}), (True, {"person0": 3, "zoe": 1, "yan": 2})):
        origin = label_caveats.label_origin(store, dataset, judge, "multi_turn_dialogue", HELP, counts)
        assert origin.labels_by_person == people_ and origin.counts == counts
        assert [(file.labels, file.source, file.by, file.sampling) for file in origin.imported] == [
            (2, "sure.csv", "ray", "random"), (1, "half.csv", "ray", "random")
        ]  # fmt: skip
        assert (origin.changed, origin.drawn, origin.skipped, origin.excluded) == (1, 4, 0, 0)
        assert (origin.examples, origin.judges, origin.leads) == (2, 1, ("lea", "lou"))
        assert (origin.unknown_population, origin.response.overall.answered) == (1, 3)
    assert label_caveats.label_origin(store, dataset, judge, "another", HELP).judges == 0
    store.close()


def test_a_label_of_an_item_that_its_line_calls_certain_is_of_no_unknown_number_of_items(tmp_path: Path) -> None:
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", [Cell(n, TURN, (), 3.0) for n in range(2)])

    def work(tx: Any) -> None:
        places = [(new_id(), "", content_id("demo", n), TURN, "helpfulness", 4.0, "zoe", "blind") for n in range(2)]
        tx.append([LabelRow(*place, "", "", False, None, 1.0, None, False, now()) for place in places])
        tx.append([IntakeRow(new_id(), dataset, "whole.jsonl", "labels", "random", 0, 0, 2)])

    store.tx("ray", "import", work)
    origin = label_caveats.label_origin(store, dataset, judge, "multi_turn_dialogue", HELP, True)
    assert (origin.labels, origin.imported_count, origin.unknown_population) == (2, 2, 0)
    store.close()


@pytest.fixture
def named_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells are of items that an import knows by name."""

    def import_id(*parts: Any) -> str:
        if isinstance(parts[-1], int):
            return item_id(content_id("dataset", parts[0]), f"item {parts[-1]}")
        return content_id(*parts)

    monkeypatch.setattr(cells, "content_id", import_id)


@pytest.mark.slow
@pytest.mark.usefixtures("named_items")
def test_the_judges_own_scores_imported_as_labels_approve_nothing(tmp_path: Path) -> None:
    poor = [replace(cell, judge=float(cell.item % 3 + 1)) for cell in judged_cells(150)]
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", poor)
    store.tx("lea", "join", lambda tx: people.append_people(tx, [Person("person0", "annotator", True)]))
    key = (dataset, judge, "turn", "helpfulness")
    before, mark = case.find_case(store, *key), check_results.fingerprint_cells(store, dataset, judge, HELP, "gate")
    assert before.result.check.state == "fails"
    import_source(
        store, "ray", from_path(forge_labels(store, tmp_path)), ImportPlan("demo", sampling="random", population=10_000)
    )
    assert check_results.fingerprint_cells(store, dataset, judge, HELP, "gate") == mark
    assert case.find_case(store, *key).result.gate.interval == before.result.gate.interval
    check_refusal(store, NotApprovable, "approval check says: fails", lambda: approve(store, key))
    origin = case.case_context(store, case.find_case(store, *key)).origin
    assert origin.startswith("150 labels given here are used. 450 imported ones are not, ")
    assert "450 from forged.jsonl, imported by ray on 20" in origin
    names = {str(n) for (n,) in store.rows("select distinct annotator from label where draw_id = ''")}
    assert names == {"ann (file)", "lea (file)", "person0 (file)"}
    facts = {name: (figure, text) for name, figure, text in case.case_facts(store, case.find_case(store, *key))}
    assert facts["labels given here"][0] == 150 and facts["labels from files"][0] == 450
    assert facts["labels from files"][1].startswith("they do not count, by the policy: [")
    # Where a lead lets them count, by a looser policy, it is said whose word that is.
    assert policy.is_looser(replace(policy.requirements(store), imported=True), policy.requirements(store))
    set_asked(store, imported=True)
    case_ = case.find_case(store, *key)
    assert case_.result.gate.interval.point == 1 and "are used too" in case.case_context(store, case_).origin
    assert any("Nobody here can check that" in caution for caution in case.case_context(store, case_).cautions)
    facts = {name: (figure, text) for name, figure, text in case.case_facts(store, case_)}
    names = ("labels", "labels given here", "labels from files", "items drawn and skipped")
    assert [facts[name][0] for name in names] == [600, 150, 450, 0]
    done = approve(store, key)
    set_asked(store, imported=False)
    assert suspension.suspend_unsupported(store) == [] and approvals.active_approvals(store, dataset) == [done]
    assert [approval.id for approval, _ in approvals.under_older_policy(store, [done])] == [done.id]


def test_what_was_approved_before_imports_were_asked_about_met_an_older_policy(
    approved_demo: tuple[Store, Key, record.Approval],
) -> None:
    store, _, done = approved_demo
    stored = {name: value for name, value in policy.to_stored(done.requirements).items() if name != "imported"}
    assert (
        policy.from_stored(stored) == replace(done.requirements, imported=True)
        and not policy.requirements(store).imported
    )


def decisions(store: Store, path: Path, items: int) -> Path:
    """What the judge says of helpfulness, as decisions of lea that were taken without it in view."""
    rows = store.rows(
        "select i.name, s.value from score s join item i on i.id = s.item_id where s.dimension = 'helpfulness'"
    )
    adjudications = [
        {"item": item, "unit": TURN, "dimension": "helpfulness", "value": int(value), "adjudicator": "lea",
         "reason": "so", "saw_judge": False, "made_at": "2026-01-31T12:00:00Z",
         "labels": [{"annotator": "person0", "value": 2, "mode": "blind"}]}
        for item, value in rows[:items]
    ]  # fmt: skip
    return seeds.lines(path / "decisions.jsonl", adjudications)


@pytest.mark.usefixtures("named_items")
def test_decisions_from_files_let_no_language_model_pass_on_data_marked_as_synthetic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "ensure_dataset", partial(cells.ensure_dataset, synthetic=True))
    poor = [replace(cell, judge=float(cell.item % 3 + 1)) for cell in judged_cells(150)]
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", poor)
    key = (dataset, judge, "turn", "helpfulness")
    import_source(
        store,
        "ray",
        from_path(decisions(store, tmp_path, 150)),
        ImportPlan("demo", sampling="random", population=10_000),
    )
    assert case.find_case(store, *key).result.check.state == "meets policy"
    check_refusal(store, NotApprovable, "labels and decisions count", lambda: approve(store, key))
    facts = {name: (figure, text) for name, figure, text in case.case_facts(store, case.find_case(store, *key))}
    assert facts["adjudicated"] == (150, '{"lea (file)":150}')
    assert facts["adjudicated in files"] == (150, 'they count; imported by {"ray":150}')


@pytest.mark.usefixtures("named_items")
@pytest.mark.parametrize("sort", ["labels", "decisions"])
def test_an_approval_on_data_marked_as_synthetic_does_not_outlast_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    monkeypatch.setattr(cells, "ensure_dataset", partial(cells.ensure_dataset, synthetic=True))
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", judged_cells(150))
    approve(store, (dataset, judge, "turn", "helpfulness"))
    assert len(approvals.active_approvals(store, dataset)) == 1
    file = decisions(store, tmp_path, 1) if sort == "decisions" else forge_labels(store, tmp_path, ("ann",))
    import_source(store, "ray", from_path(file), ImportPlan("demo", sampling="random", population=10_000))
    assert approvals.active_approvals(store, dataset) == []
    assert "labels and decisions count" in record.current_approvals(store)[0].reason


def test_items_put_aside_after_they_were_drawn_are_told(tmp_path: Path) -> None:
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", [*judged_cells(100), *(
        Cell(n, TURN, (), 3.0, probability=0.5) for n in range(100, 120)
    )])  # fmt: skip
    rows = store.rows("select id from item where name = any($1)", [[f"item {n}" for n in range(100, 120)]])
    excluded_items.exclude_items(store, "ray", dataset, [str(row[0]) for row in rows], "The judge is wrong there.")
    case_ = case.find_case(store, dataset, judge, "turn", "helpfulness")
    assert any(
        "20 of 120 drawn items were excluded afterwards" in caution
        for caution in case.case_context(store, case_).cautions
    )
    assert ("items drawn and put aside", 20.0, "used for tuning, after they were drawn") in case.case_facts(
        store, case_
    )


@pytest.mark.usefixtures("named_items")
def test_an_imported_decision_settles_nothing_that_counts(tmp_path: Path) -> None:
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", judged_cells(40))
    mark = check_results.fingerprint_cells(store, dataset, judge, HELP, "gate")
    file = decisions(store, tmp_path, 40)
    plan = ImportPlan("demo", sampling="random", population=10_000)
    assert import_source(store, "ray", from_path(file), plan).preview.new.adjudications == 40
    assert check_results.fingerprint_cells(store, dataset, judge, HELP, "gate") == mark
    assert check_results.fingerprint_cells(store, dataset, judge, HELP, "blind") != mark
    case_ = case.find_case(store, dataset, judge, "turn", "helpfulness")
    facts = {name: (figure, text) for name, figure, text in case.case_facts(store, case_)}
    assert facts["adjudicated"] == (0, "ratings")
    assert facts["adjudicated in files"] == (40, 'they do not count, by the policy; imported by {"ray":40}')


def test_what_was_decided_with_the_judge_in_view_is_no_adjudication_of_the_evidence(tmp_path: Path) -> None:
    disputed_cells = [replace(c, people=(1.0, 5.0)) for c in judged_cells(4)]
    store, dataset, judge = open_workspace(
        tmp_path / "a.duckdb", [*disputed_cells, *(replace(c, dimension="safety") for c in disputed_cells)]
    )
    settings.set_gold_rule(store, "lea", dataset, GoldRule("median", 1))
    ids = dict(store.rows("select name, id from item"))
    adjudication.reveal_while_adjudicating(store, "ray", ids["item 3"])
    decided = (("ray", 0, HELP.name), ("ray", 1, HELP.name), ("lou", 2, HELP.name), ("ray", 3, HELP.name),
               ("lou", 0, "safety"))  # fmt: skip
    for person, n, dimension in decided:
        item = ids[f"item {n}"]
        [cell] = [c for c in disputes.cells_of_item(store, dataset, item) if c.dimension == dimension]
        decision = adjudication.adjudicate(store, person, new_id(), item, TURN, dimension, 3, "It says so.", cell.token)
        assert store.rows("select saw_judge from adjudication where id = $1", [decision.id]) == [(n == 3,)]
    case_ = case.find_case(store, dataset, judge, "turn", "helpfulness")
    facts = {name: (figure, text) for name, figure, text in case.case_facts(store, case_)}
    assert facts["adjudicated"] == (3, '{"lou":1,"ray":2}')  # not the one that ray made with the judge in view
    assert facts["adjudicated in files"] == (0, "")


def test_made_up_data_let_no_language_model_pass_on_imported_labels(tmp_path: Path) -> None:
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", judged_cells(150))
    case_ = case.find_case(store, dataset, judge, "turn", "helpfulness")
    variant = replace(case_, dataset=replace(case_.dataset, synthetic=True), has_imported_labels=True)
    assert case_.objections == [] and variant.basis == "imported"
    assert "A language model can be published only" in variant.objections[0]
    assert replace(variant, judge=case_.judge._replace(synthetic=True)).objections == []


def test_labels_of_a_change_without_a_file_are_said_to_come_from_none(demo: tuple[Store, Key]) -> None:
    store, _ = demo
    [(seq, by)] = store.rows("select seq, actor from change where seq not in (select seq from intake) limit 1")
    [origin] = label_caveats._imports_of_labels(store, {seq: 3})
    assert (origin.labels, origin.source, origin.by, origin.sampling) == (3, "no file that is known", by, "unknown")


def test_drawn_items_are_skipped_where_nobody_labelled_them_and_put_aside_in_this_dataset_alone(tmp_path: Path) -> None:
    drawn = [Cell(n, TURN, (), 3.0, probability=0.5) for n in range(3)]
    store, dataset, judge = open_workspace(tmp_path / "a.duckdb", [*drawn, Cell(3, TURN, (3.0,), 3.0, probability=0.5)])
    other, _ = fill(store, [Cell(0, TURN, (), 3.0)], "other")

    def answer(tx: Any) -> None:
        tx.append([
            AnswerRow(new_id(), dataset, content_id("demo", n), "", "ann", judge, action, "blind", "", "", 900, now())
            for n, action in ((0, "skip"), (1, "save"), (3, "skip"))
        ])  # fmt: skip

    store.tx("ann", "answer", answer)
    excluded_items.exclude_items(store, "ray", dataset, [content_id("demo", 2)], "It was tuned on.")
    excluded_items.exclude_items(store, "ray", other, [content_id("other", 0)], "It was tuned on.")
    origin = label_caveats.label_origin(store, dataset, judge, "multi_turn_dialogue", HELP)
    assert (origin.drawn, origin.skipped, origin.excluded) == (4, 1, 1)
    facts = case.case_facts(store, case.find_case(store, dataset, judge, "turn", "helpfulness"))
    assert ("items left out", 1.0, "0 as examples of the prompt, 1 as used for tuning") in list(facts)
    store.close()
