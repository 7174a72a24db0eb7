"""Audits of a workspace: what they look at, what is remembered, limits, flagged items, fits, the command."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.approvals import policy
from data.audits import audits, evidence, justification_labels
from data.cards import cards
from data.cli import main
from data.queue import queue
from data.queue.queue import QueueFilters
from data.records import datasets, people
from data.records.tables import JudgmentRow, LabelRow, ScoreRow
from data.store import Store, Tx
from data.store.errors import BadInput, NotAllowed, NotFound
from data.store.ids import content_id, new_id, now
from judges import cards as folder
from judges import triage
from judges.audits import Audit, AuditEvidence, AuditFinding, Flag
from judges.params import Params
from judges.protocols.call_plan import CallReply, Task, fuse, pieces
from judges.stats.clustered import share_by_item
from judges.stats.uncertainty import wilson_interval
from judges.types import Score
from tests import seeds

COUNT = 12
Json = dict[str, Any]


def rows() -> list[Json]:
    """Twelve dialogues, judged by judge-one; the tenth's reply cannot be read, the first two were asked twice."""
    items = [seeds.dialogue(n, turns=2) for n in range(1, COUNT + 1)]
    out: list[Json] = list(items)
    for n, item in enumerate(items, 1):
        line = seeds.judgment(item, seeds.reply(item, helpfulness=1 + n % 5, verdict="poor"))
        out.append({**line, "raw": "no JSON"} | {"reply": None} if n == 10 else line)
        if n <= 2:
            out.append(seeds.judgment(item, seeds.reply(item, helpfulness=5), sample=1))
        if n <= 5:
            out.append({**seeds.judgment(item, seeds.reply(item, helpfulness=2)), "model": "judge-two"})
            out.append({**seeds.judgment(item), "params": {"temperature": 0, "probe": "scenario_swapped"}})
            out.append({**seeds.judgment(item), "params": {"temperature": 1, "probe": "scenario_swapped"}})
            out.append({**seeds.judgment(item), "params": {"temperature": 1}})
    return [{k: v for k, v in row.items() if v is not None} for row in out]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = seeds.workspace(tmp_path / "a.duckdb", rows(), names=("lea", "ann", "bob"), review=False)
    yield store
    store.close()


@pytest.fixture
def subject(store: Store) -> tuple[str, str]:
    """(dataset id, id of judge-one at temperature 0)."""
    dataset = datasets.dataset_named(store, "demo").id
    query = "select id, params from judge where model = 'judge-one'"
    return dataset, next(str(i) for i, params in store.rows(query) if json.loads(params) == {"temperature": 0})


def item_id(store: Store, number: int) -> str:
    return str(store.rows("select id from item where name = $1", [f"d-{number:04d}"])[0][0])


def label(store: Store, number: int, value: float, mode: str = "blind", person: str = "ann") -> None:
    """A label of turn 1's helpfulness."""
    row = LabelRow(new_id(), "", item_id(store, number), "turn:1", "helpfulness", value, person, mode, "", "", False,
                   None, None, None, False, now())  # fmt: skip
    store.tx(person, "label", lambda tx: tx.append([row]))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[float]]:
    """Three audits instead of the card's own, and the limits that each was asked with, in order."""
    limits: dict[str, list[float]] = {"low": [], "people": [], "fitting": []}

    def low(gathered: AuditEvidence, limit: float) -> AuditFinding:
        limits["low"].append(limit)
        scores = [
            (r.item, s.value or 0) for r in gathered.replies for s in r.reading.scores if s.dimension == "helpfulness"
        ]
        flags = tuple(
            Flag(i, "Helpfulness is 1.", "turn:1", "helpfulness") for i in sorted({i for i, v in scores if v == 1})
        )
        share = wilson_interval(len(flags), len(gathered.items))
        verdict = "alarm" if (share.point or 0) > limit else "pass"
        return AuditFinding(
            verdict, f"{len(flags)} dialogues hold a 1.", share.point, share, len(gathered.items), flags
        )

    def people(gathered: AuditEvidence, limit: float) -> AuditFinding:
        limits["people"].append(limit)
        return AuditFinding("not tested", f"{len(gathered.gold)} cells have gold.", n=len(gathered.gold))

    def fitting(gathered: AuditEvidence, limit: float) -> AuditFinding:
        limits["fitting"].append(limit)
        return AuditFinding("warning", f"{len(gathered.fits)} were looked at.", n=len(gathered.fits))

    fakes = {
        "low": Audit("low", "Low helpfulness", "Share of dialogues with a 1.", "Above {threshold}.", 0.5, low),
        "people": Audit("people", "Against people", "Gold.", "Never.", None, people, probe="gold"),
        "fitting": Audit("fitting", "Fits", "Fits.", "Above {threshold}.", 0.1, fitting, probe="fits"),
    }
    monkeypatch.setattr(audits, "all_audits", lambda: fakes)
    monkeypatch.setattr("data.cli.audit.all_audits", lambda: fakes)
    usual = cards.card_of_judge
    monkeypatch.setattr(cards, "card_of_judge", lambda s, j: replace(usual(s, j), audits=tuple(fakes)))
    return limits


def gather(store: Store, dataset: str, judge: str, **limits: int) -> tuple[AuditEvidence, evidence.Scope]:
    """What is gathered, and its numbers as they are now."""
    gathered = evidence.gather_audit_evidence(store, dataset, judge, **limits)
    return gathered.evidence, gathered.scope()


def test_evidence_holds_replies_as_they_were_read_probes_and_other_models(
    store: Store, subject: tuple[str, str]
) -> None:
    gathered, scope = gather(store, *subject)
    assert gathered.model == "judge-one" and gathered.card.name == "multi_turn_dialogue"
    assert len(gathered.items) == COUNT and gathered.items[item_id(store, 3)].id == "d-0003"
    assert len(gathered.replies) == COUNT and not any(r.sample for r in gathered.replies), "samples are combined"
    by_item = {r.item: r.reading for r in gathered.replies if not r.sample}
    bad = by_item[item_id(store, 10)]
    assert bad.unscored == "unreadable" and not bad.scores and "JSON" in bad.why
    item = gathered.items[item_id(store, 3)]
    read = folder.card("multi_turn_dialogue")
    expected = read.read(
        read.reply.model_validate(seeds.reply(seeds.dialogue(3, 2), helpfulness=4, verdict="poor")), item
    )
    assert Counter(by_item[item_id(store, 3)].scores) == Counter(expected.scores)
    assert Counter(by_item[item_id(store, 3)].remarks) == Counter(expected.remarks)
    units = [s.unit for s in by_item[item_id(store, 3)].scores]
    assert units == sorted(units, key=["turn:1", "turn:2", "conversation"].index)
    assert {name: len(r) for name, r in gathered.probes.items()} == {"scenario_swapped": 5}  # not that of temperature 1
    assert {name: len(r) for name, r in gathered.others.items()} == {"judge-two": 5}
    assert scope.judged == scope.items == COUNT and (scope.replies, scope.unscored) == (COUNT + 2, 1)
    with pytest.raises(NotFound):
        evidence.gather_audit_evidence(store, subject[0], "nobody")


def test_of_a_model_with_several_judges_the_one_of_most_items_is_compared(tmp_path: Path) -> None:
    items = [seeds.dialogue(n, turns=1) for n in range(1, 6)]
    out: list[Json] = [*items, *map(seeds.judgment, items)]
    for count in range(1, 6):
        more = {"model": "judge-two", "params": {"temperature": count / 10}}
        out += [{**seeds.judgment(item), **more} for item in items[:count]]
    other = {"model": "judge-three", "card": "mt_bench", "part": "turn:1", "reply": None, "raw": "[[7]]"}
    out += [{**seeds.judgment(item), **other} for item in items]
    store = seeds.workspace(tmp_path / "b.duckdb", out, review=False)
    dataset = datasets.dataset_named(store, "demo").id
    [(judge,)] = store.rows("select id from judge where model = 'judge-one'")
    gathered = gather(store, dataset, str(judge))[0]
    assert {name: len(replies) for name, replies in gathered.others.items()} == {"judge-two": 5}, (
        "neither its own nor those of another card"
    )
    assert "judge-three" in {known.model for known in datasets.dataset_judges(store, dataset)}
    store.close()


def test_gold_rests_on_blind_labels_and_on_others_only_where_there_are_none(
    store: Store, subject: tuple[str, str]
) -> None:
    label(store, 1, 4.0, "assisted")
    gathered, scope = gather(store, *subject)
    assert scope.basis == "all" and gathered.gold == {(item_id(store, 1), "turn:1", "helpfulness"): 4.0}
    label(store, 2, 2.0, "blind")
    gathered, scope = gather(store, *subject)
    assert scope.basis == "blind" and gathered.gold == {(item_id(store, 2), "turn:1", "helpfulness"): 2.0}


def test_of_very_many_replies_the_same_random_items_are_looked_at(store: Store, subject: tuple[str, str]) -> None:
    gathered, scope = gather(store, *subject, max_replies=7)
    assert (scope.judged, scope.items) == (12, 6)  # 12 items of 14 replies: 12 * 7 // 14
    assert (
        {r.item for r in gathered.replies}
        == set(gathered.items)
        == set(gather(store, *subject, max_replies=7)[0].items)
    )


def test_what_was_asked_again_counts_as_what_could_be_read(store: Store, subject: tuple[str, str]) -> None:
    def again(tx: Tx) -> None:
        key = content_id("again")
        tx.append([JudgmentRow(key, subject[1], item_id(store, 10), "", 0, "{}", "", "")])
        tx.append([ScoreRow(key, subject[1], item_id(store, 10), "turn:1", "helpfulness", 3.0, None, "", 0)])

    store.tx("lea", "again", again)
    gathered, scope = gather(store, *subject)
    (reply,) = [r for r in gathered.replies if r.item == item_id(store, 10)]
    assert reply.reading.scores == (Score("turn:1", "helpfulness", 3.0),) and scope.unscored == 0


def test_of_unread_replies_of_one_change_the_same_counts_as_in_the_progress_of_a_run(
    store: Store, subject: tuple[str, str]
) -> None:
    keys = sorted((content_id("one"), content_id("two")))
    item = item_id(store, 10)
    unread = zip(keys, ("refused", "unreadable"), strict=True)
    rows = [JudgmentRow(key, subject[1], item, "", 0, "no", why, "Because.") for key, why in unread]
    store.tx("lea", "again", lambda tx: tx.append(rows))
    gathered, _ = gather(store, *subject)
    assert [r.reading.unscored for r in gathered.replies if r.item == item] == ["unreadable"]


def test_facts_of_judgments_of_several_calls_come_from_their_raw_text(tmp_path: Path) -> None:
    pair = {"id": "p1", "kind": "pair", "input": "q", "response_a": {"text": "one"}, "response_b": {"text": "two"}}
    card, params = folder.card("plain_pairwise"), Params(orders="both")
    from judges.types import ITEM

    task = Task("p1", ITEM.validate_python(pair))
    names = pieces(card, params, task)
    assert len(names) == 2
    judged = fuse(card, params, task, {n: CallReply("p1", "", 0, n, '{"verdict":"a"}') for n in names})
    line = {
        "item": "p1",
        "card": card.name,
        "model": "m",
        "params": params.identity("pair"),
        "reply": {"verdict": "tie"},
    }
    store = seeds.workspace(tmp_path / "b.duckdb", [pair, line], review=False)
    dataset = datasets.dataset_named(store, "demo").id
    judge = datasets.dataset_judges(store, dataset)[0][0]
    item = str(store.rows("select id from item")[0][0])
    store.tx("lea", "run", lambda tx: tx.append([JudgmentRow("both", judge, item, "", 1, judged.raw, "", "")]))
    (reply,) = gather(store, dataset, judge)[0].replies
    store.close()
    assert reply.reading.facts == judged.reading.facts and reply.reading.facts["orders"] == {"ab": "a", "ba": "b"}


def test_token_probabilities_do_not_hide_what_the_judge_said_of_itself(tmp_path: Path) -> None:
    card = folder.card("pointwise_quality")
    task = {"id": "r1", "kind": "response", "task": "q", "output": "one"}
    names = [d.name for d in card.dimensions if d.asked]
    judged = [{"name": n, "score": 4, "justification": "It is so.", "confidence": "high"} for n in names]
    raw = json.dumps({"dimensions": judged, "decision_basis": "It is so."})
    line = {"item": "r1", "card": card.name, "model": "m", "raw": "no JSON"}
    store = seeds.workspace(tmp_path / "c.duckdb", [task, line], review=False)
    dataset = datasets.dataset_named(store, "demo").id
    judge, item = datasets.dataset_judges(store, dataset)[0][0], str(store.rows("select id from item")[0][0])

    def work(tx: Tx) -> None:
        tx.append([JudgmentRow("tokens", judge, item, "", 1, raw, "", "")])
        tx.append([ScoreRow("tokens", judge, item, "response", names[0], 4.0, 0.5, "log-probabilities", 1)])

    store.tx("lea", "run", work)
    (reply,) = gather(store, dataset, judge)[0].replies
    store.close()
    assert reply.reading.scores == (Score("response", names[0], 4.0, 0.5, "log-probabilities"),)
    assert reply.reading.facts["self-reported"] == {("response", name): 0.9 for name in names}


def test_findings_are_made_again_only_where_what_they_rest_on_has_changed(
    store: Store, subject: tuple[str, str], fake: dict[str, list[float]]
) -> None:
    assert [f.verdict for f in audits.run_audits(store, *subject).findings.values()] == [
        "pass", "not tested", "warning"
    ]  # fmt: skip
    assert audits.run_audits(store, *subject).findings["low"].why == "1 dialogues hold a 1." and fake["low"] == [0.5]
    label(store, 1, 4.0)
    assert audits.run_audits(store, *subject).findings["people"].n == 1
    assert {name: len(limits) for name, limits in fake.items()} == {"low": 1, "people": 2, "fitting": 1}
    audits.set_audit_limit(store, "lea", "low", 0.05)
    assert list(audits.run_audits(store, *subject).alarms) == ["low"] and fake["low"] == [0.5, 0.05]
    assert {name: len(limits) for name, limits in fake.items()} == {"low": 2, "people": 3, "fitting": 2}, (
        "cards and gold"
    )
    cell = justification_labels.justifications_ahead(store, *subject, "ann", ["coherence"], 1)[0]
    justification_labels.record_fit(store, "ann", subject[1], cell, False)
    assert audits.run_audits(store, *subject).findings["fitting"].n == 1
    assert {name: len(limits) for name, limits in fake.items()} == {"low": 2, "people": 3, "fitting": 3}


def test_another_page_is_told_of_alarms_only_where_they_are_known_or_cheap(
    store: Store, subject: tuple[str, str], fake: dict[str, list[float]]
) -> None:
    audits.set_audit_limit(store, "lea", "low", 0.05)
    assert audits.known_alarms(store, *subject, cheap=13) is None and not fake["low"]
    assert list(audits.known_alarms(store, *subject, cheap=14) or {}) == ["low"] and fake["low"] == [0.05]
    assert list(audits.known_alarms(store, *subject, cheap=0) or {}) == ["low"] and fake["low"] == [0.05]


def test_a_limit_is_set_by_leads_within_its_range_and_put_back(store: Store, fake: dict[str, list[float]]) -> None:
    audits.set_audit_limit(store, "lea", "low", 0.7)
    audits.set_audit_limit(store, "lea", "fitting", 0.3)
    assert audits.audit_limits(store) == {"low": 0.7, "fitting": 0.3}
    audits.set_audit_limit(store, "lea", "low", None)
    assert audits.audit_limits(store) == {"fitting": 0.3}
    settings = store.rows("select count(*) from setting where name = 'audits'")[0][0]
    audits.set_audit_limit(store, "lea", "fitting", 0.3)
    assert settings == 3 == store.rows("select count(*) from setting where name = 'audits'")[0][0]
    for name, value in (("low", 1.01), ("low", -0.1), ("low", float("nan")), ("people", 0.5), ("none", 0.5)):
        with pytest.raises(BadInput, match=r"must be from 0 to 1\.|limit can be set. There are: low, fitting\."):
            audits.set_audit_limit(store, "lea", name, value)
    for least_or_most in (0.0, 1.0):
        assert audits.set_audit_limit(store, "lea", "low", least_or_most)
    audits.set_audit_limit(store, "lea", "low", None)
    low = audits.all_audits()["low"]
    assert [audits.limit_range(replace(low, threshold=at)) for at in (0.5, 1.0, 3.0)] == [(0, 1), (0, 1), (0, 30)]
    with pytest.raises(NotAllowed):
        audits.set_audit_limit(store, "ann", "low", 0.6)
    assert audits.audit_limits(store) == {"fitting": 0.3}


def test_two_leads_are_needed_for_another_limit_where_two_are_asked_for(
    store: Store, fake: dict[str, list[float]]
) -> None:
    people.set_person(store, "lea", "kim", "lead")
    for name in ("lou", "max"):
        people.make_lead_locally(store, name)
    policy.set_requirements(
        store, "lea", replace(policy.requirements(store), four_eyes=True, alarms=True), "So that two look."
    )
    assert not audits.set_audit_limit(store, "lea", "low", 1.0) and audits.audit_limits(store) == {}
    assert not audits.set_audit_limit(store, "lea", "low", 1.0) and audits.proposed_limits(store)["low"].by == "lea"
    with pytest.raises(NotAllowed, match="are not independent"):
        audits.set_audit_limit(store, "kim", "low", 1.0)
    assert not audits.set_audit_limit(store, "lou", "low", 0.9), "another limit is another proposal"
    assert audits.set_audit_limit(store, "max", "low", 0.9) and audits.audit_limits(store) == {"low": 0.9}
    assert not audits.set_audit_limit(store, "lou", "low", None) and audits.set_audit_limit(store, "max", "low", 0.9)
    assert audits.proposed_limits(store) == {} and audits.audit_limits(store) == {"low": 0.9}


def test_flagged_items_come_into_the_review_queue_once_with_the_audits_words(
    store: Store, subject: tuple[str, str]
) -> None:
    dataset, judge = subject
    first, second = item_id(store, 1), item_id(store, 2)
    reasons = [
        triage.audit_flag(first, "Low helpfulness", "Helpfulness is 1.", 0.4, "turn:1", "helpfulness"),
        triage.audit_flag(second, "Low helpfulness", "Helpfulness is 1.", 0.9),
    ]
    assert queue.take_flagged(store, "lea", dataset, judge, reasons[:1]) == (1, 0, 0)
    assert queue.take_flagged(store, "lea", dataset, judge, reasons) == (1, 1, 0)
    assert queue.take_flagged(store, "lea", dataset, judge, reasons) == (0, 2, 0)
    assert (
        queue.count_open(store, "bob", dataset, "review", QueueFilters(dimension="helpfulness", reason="flagged")) == 1
    )
    items = queue.claim_items(store, "ann", dataset, "review", QueueFilters(reason="flagged"), [], 9)
    assert [g.item for g in items] == [second, first] and {g.mode for g in items} == {"assisted"}
    assert [r.text for r in items[1].reasons] == ["flagged by an audit (Low helpfulness): Helpfulness is 1."]
    with pytest.raises(NotAllowed):
        queue.take_flagged(store, "ann", dataset, judge, reasons)
    with pytest.raises(BadInput):
        queue.take_flagged(store, "lea", dataset, judge, [triage.audit_flag("elsewhere", "t", "x", 0.5)])


def test_the_share_on_the_page_has_the_interval_of_the_audit(store: Store, subject: tuple[str, str]) -> None:
    dataset, judge = subject
    dimensions = ["coherence", "verdict"]
    cells = justification_labels.justifications_ahead(store, dataset, judge, "ann", dimensions, 99)
    shown = justification_labels.unfit_share(store, dataset, judge, dimensions)
    assert (shown.point, shown.low, shown.high) == (None, None, None)
    poor = sorted({cell.item for cell in cells})[:3]
    for cell in cells:  # two of each item, which fit both or neither
        justification_labels.record_fit(store, "ann", judge, cell, cell.item not in poor)
    shown = justification_labels.unfit_share(store, dataset, judge, dimensions)
    numbers = {item: n for n, item in enumerate({cell.item for cell in cells})}
    assert shown == share_by_item([cell.item in poor for cell in cells], [numbers[cell.item] for cell in cells])
    alone = wilson_interval(2 * len(poor), len(cells))
    assert shown.point == alone.point and shown.low < alone.low < alone.high < shown.high, "22 answers on 11 items"


def test_fits_are_asked_in_one_order_blind_to_others_and_the_newest_answer_holds(
    store: Store, subject: tuple[str, str]
) -> None:
    dataset, judge = subject
    dimensions = ["coherence", "verdict"]  # repair_handling has a note too, and is not asked about here
    line = justification_labels.justifications_ahead(store, dataset, judge, "ann", dimensions, 99)
    assert len(line) == 22 and {c.dimension for c in line} == set(dimensions)  # 11 readable replies
    assert {(c.value, c.text) for c in line if c.dimension == "coherence"} == {(4.0, "holds together")}
    none = justification_labels.justifications_ahead(store, dataset, judge, "ann", ["repair_handling"], 99)
    assert {(c.value, c.text) for c in none} == {(None, "nothing to repair")}
    assert justification_labels.last_justification(store, dataset, judge, "ann") is None
    for cell, fit in zip(line[:3], (True, False, False), strict=True):
        justification_labels.record_fit(store, "ann", judge, cell, fit)
    assert justification_labels.justifications_ahead(store, dataset, judge, "ann", dimensions, 99) == line[3:]
    assert (
        justification_labels.justifications_ahead(store, dataset, judge, "bob", dimensions, 99) == line
    )  # the same order, and nothing of ann's answers
    assert justification_labels.last_justification(store, dataset, judge, "ann") == (line[2], False)
    assert justification_labels.count_fits(
        store, dataset, judge, "ann", dimensions
    ) == justification_labels.JustificationTally(22, 3, 2, 3)
    for name in dimensions:
        tally = justification_labels.count_fits(store, dataset, judge, "ann", [name])
        share = justification_labels.unfit_share(store, dataset, judge, [name])
        answered = sum(cell.dimension == name for cell in line[:3])
        assert (tally.cells, tally.answered, share.cells) == (11, answered, answered)
    justification_labels.record_fit(store, "ann", judge, line[2], True)
    assert justification_labels.count_fits(
        store, dataset, judge, "ann", dimensions
    ) == justification_labels.JustificationTally(22, 3, 1, 3)
    justification_labels.record_fit(
        store, "bob", judge, line[0], False
    )  # one says yes, one no: a drawn vote does not fit
    assert justification_labels.count_fits(
        store, dataset, judge, "bob", dimensions
    ) == justification_labels.JustificationTally(22, 3, 2, 1)
    shown = justification_labels.unfit_share(store, dataset, judge, dimensions)
    assert (shown.point, shown.cells) == (2 / 3, 3)
    newest = [
        justification_labels.last_justification(store, dataset, judge, person) for person in ("ann", "bob", "lea")
    ]
    assert newest == [(line[2], True), (line[0], False), None]
    key = [(c.item, c.unit, c.dimension) for c in line]
    assert gather(store, dataset, judge)[0].fits == {key[0]: False, key[1]: False, key[2]: True}
    with pytest.raises(BadInput):
        justification_labels.record_fit(store, "ann", judge, replace(line[0], dimension="safety"), True)
    with pytest.raises(NotAllowed):
        justification_labels.record_fit(store, "stranger", judge, line[0], True)


@pytest.fixture
def run(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """run(*arguments) gives (exit code, stdout, stderr) of a command on the store."""
    monkeypatch.setenv("ASSAY_STORE", store.url)

    def call(*arguments: str) -> tuple[int, str, str]:
        store.close()
        capsys.readouterr()
        code = main(arguments)
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


def test_the_command_tells_a_line_an_audit_and_fails_in_alarm(
    store: Store, subject: tuple[str, str], fake: dict[str, list[float]], run: Callable[..., Any]
) -> None:
    code, out, err = run("audit", "--dataset", "demo", "--judge", subject[1])
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"judge-one (multi_turn_dialogue, {subject[1]}): 14 replies on 12 items; 1 unscored"
    assert lines[1].split() == (
        "pass low 0.083, 95% interval 0.015 to 0.354, limit 0.5: 1 dialogues hold a 1.".split()  # Wilson of 1 in 12
    )
    assert lines[2] == "      d-0005 turn:1 helpfulness: Helpfulness is 1."
    assert lines[-2].split()[:5] == "not tested people 0 cells".split()


@pytest.mark.slow
def test_the_command_shows_twenty_items_behind_a_finding_and_counts_the_others(
    store: Store, subject: tuple[str, str], run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = tuple(Flag(item_id(store, 1 + n % 12), f"Thing {n}.") for n in range(25))
    many = Audit("many", "Many", "Things.", "Never.", None, lambda *_: AuditFinding("warning", "So many.", flags=flags))
    monkeypatch.setattr(audits, "all_audits", lambda: {"many": many})
    monkeypatch.setattr("data.cli.audit.all_audits", lambda: {"many": many})
    usual = cards.card_of_judge
    monkeypatch.setattr(cards, "card_of_judge", lambda s, j: replace(usual(s, j), audits=("many",)))
    lines = run("audit", "--dataset", "demo", "--judge", subject[1])[1].splitlines()[2:]
    assert (lines[0], lines[19]) == ("      d-0001: Thing 0.", "      d-0008: Thing 19.")
    assert [line.partition(" (")[0] for line in lines[20:]] == ["      ... and 5 more"]
    assert len(run("audit", "--dataset", "demo", "--judge", subject[1], "--all")[1].splitlines()[2:]) == 25
    monkeypatch.setattr(cards, "card_of_judge", lambda s, j: replace(usual(s, j), audits=()))
    assert run("audit", "--dataset", "demo", "--judge", subject[1])[1].endswith("\n  This card names no audits.\n")


@pytest.mark.slow
def test_the_command_gives_json_and_names_what_is_not_there(
    store: Store, subject: tuple[str, str], fake: dict[str, list[float]], run: Callable[..., Any]
) -> None:
    audits.set_audit_limit(store, "lea", "low", 0.05)
    code, out, _ = run("audit", "--dataset", "demo", "--judge", subject[1][:8], "--json")
    (judge,) = json.loads(out)["judges"]
    assert code == 1 and judge["judge"] == subject[1] and judge["rests_on"]["replies"] == 14
    low = judge["audits"]["low"]
    assert (low["verdict"], low["figure"], low["threshold"]) == ("alarm", 1 / 12, 0.05)
    assert [f["item"] for f in low["flags"]] == ["d-0005"]
    code, out, err = run("audit", "--dataset", "demo", "--judge", "judge-three")
    assert (code, out) == (1, "") and "No judge of 'demo' is called 'judge-three'. There are: " in err
    assert "· judge-one · temperature 0 (" in err and "· judge-two (" in err
    code, out, _ = run("audit", "--dataset", "demo", "--judge", "judge-one temperature=1", "--json")
    (other,) = json.loads(out)["judges"]
    assert other["model"] == "judge-one" != other["judge"]
    err = run("report", "--dataset", "demo", "--judge", "judge-one")[2]
    assert err.startswith("2 judges of 'demo' fit, and differ in temperature 0 / 1. Name one with --judge: ")
    assert f"'judge-one temperature=1' ({other['judge']})" in err
    export = ("export", "--dataset", "demo", "--kind", "scores", "--dry-run", "--judge")
    assert run(*export, "judge-one")[2].startswith("Judge: 'judge-one' stands for several. There are: ")
    assert run(*export, "judge-one temperature=1")[0] == 0
    assert run("audit", "--dataset", "nothing")[2].startswith("There is no dataset called 'nothing'")
