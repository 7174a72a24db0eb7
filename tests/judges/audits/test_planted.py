"""Every audit on data where its failure was planted and on data where it was not; and with too little to tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judges.audits import AuditEvidence, all_audits
from judges.types import Reading, Score
from tests.archives import check_archive
from tests.judges.audits.made_evidence import (
    dialogue,
    dice,
    evidence,
    find,
    judged_dialogue,
    judged_pair,
    pair,
    response,
    response_reading,
)

EvidenceMaker = Callable[[bool, int], AuditEvidence]


def _averaging(planted: bool, n: int) -> AuditEvidence:
    rng, rows = dice(1), []
    for k in range(n):
        turns = [(rng.randint(1, 5), rng.randint(1, 5), 5) for _ in range(4)]
        mean = sum(map(sum, turns)) / 12
        coherence = int(mean + 0.5) if planted else rng.randint(1, 5)
        rows.append((dialogue(f"d{k}", [("q", "a")] * 4), judged_dialogue(turns, coherence)))
    return evidence("multi_turn_dialogue", rows)


def _repair(planted: bool, n: int) -> AuditEvidence:
    rows = []
    for k in range(n):
        talk = [("Where is it?", "There."), ("No, that's not what I asked.", "Here.")]
        rows.append((dialogue(f"d{k}", talk), judged_dialogue([(4, 4, 5)] * 2, 4, None if planted else 3)))
    return evidence("multi_turn_dialogue", rows)


def _scenario(planted: bool, n: int) -> AuditEvidence:
    rows = [(dialogue(f"d{k}", [("q", "a")]), judged_dialogue([(4, 4, 5)], 4)) for k in range(n)]
    moved = [(item, judged_dialogue([(4, 4 if planted else 3, 5)], 4)) for item, _ in rows]
    return evidence("multi_turn_dialogue", rows, probe="scenario_swapped", probed=moved)


def _length(planted: bool, n: int) -> AuditEvidence:
    rng, rows = dice(2), []
    for k in range(n):
        scores = [rng.randint(1, 5) for _ in range(3)]
        sizes = [60 * score if planted else rng.randint(10, 300) for score in scores]
        item = dialogue(f"d{k}", [("q", "w" * 3 * size) for size in sizes])
        rows.append((item, judged_dialogue([(4, score, 5) for score in scores])))
    return evidence("multi_turn_dialogue", rows)


def _contradicts(planted: bool, n: int) -> AuditEvidence:
    rule = "The judge said good. Its own scores allow poor." if planted else ""
    return evidence(
        "multi_turn_dialogue",
        [(dialogue(f"d{k}", [("q", "a")]), judged_dialogue([(4, 4, 5)], rule=rule)) for k in range(n)],
    )


def _attention(planted: bool, n: int) -> AuditEvidence:
    rng, rows = dice(3), []
    for k in range(2 * n):
        count = 4 if k < n else 12
        turns = [(rng.randint(1, 5), rng.randint(1, 5), 5) for _ in range(count)]
        if planted and k >= n:
            turns = [turns[0]] * count
        rows.append((dialogue(f"d{k}", [("q", "a")] * count), judged_dialogue(turns)))
    return evidence("multi_turn_dialogue", rows)


def _opening(planted: bool, n: int) -> AuditEvidence:
    rng, rows = dice(4), []
    for k in range(n):
        sections = [(rng.randint(1, 5), rng.randint(1, 5)) for _ in range(4)]
        lead = sections[0][0] - sections[0][1] if planted else sum(a - b for a, b in sections)
        verdict = "a" if lead > 0 else "b" if lead < 0 else "tie"
        rows.append((pair(f"p{k}", sections=4), judged_pair(sections, verdict)))
    return evidence("long_form_pairwise", rows)


def _longer(planted: bool, n: int) -> AuditEvidence:
    rng, rows = dice(5), []
    for k in range(n):
        longer, sections = rng.choice("ab"), [(rng.randint(1, 5), rng.randint(1, 5)) for _ in range(3)]
        lead = sum(a - b for a, b in sections) + rng.choice((-0.5, 0.5))
        verdict = longer if planted else "a" if lead > 0 else "b"
        sizes = (900, 300) if longer == "a" else (300, 900)
        rows.append((pair(f"p{k}", "w" * sizes[0], "w" * sizes[1]), judged_pair(sections, verdict)))
    return evidence("long_form_pairwise", rows)


def _unnoticed_failures(planted: bool, n: int) -> AuditEvidence:
    rows = [(pair(f"p{k}"), judged_pair([(2, 4)] * 3, "b", (2.0, 4.0), (not planted, False))) for k in range(n)]
    return evidence("long_form_pairwise", rows)


def _invented_sections(planted: bool, n: int) -> AuditEvidence:
    rule = "judges 'Coda', which is not in the list of sections" if planted else ""
    return evidence("long_form_pairwise", [(pair(f"p{k}"), judged_pair([(3, 3)] * 3, rule=rule)) for k in range(n)])


def _first(planted: bool, n: int) -> AuditEvidence:
    rows = []
    for k in range(n):
        orders = ("a", "b") if planted and k % 2 else ("a", "a") if k % 4 else ("b", "b")
        rows.append((pair(f"p{k}"), judged_pair([(3, 3)] * 3, "tie", orders=orders)))
    return evidence("long_form_pairwise", rows)


def _family(planted: bool, n: int) -> AuditEvidence:
    rng, rows, second = dice(6), [], []
    for k in range(2 * n):
        item = response(f"r{k}", system="gpt-4o" if k < n else "claude-3-opus")
        second_score = rng.randint(2, 4)
        own = second_score + rng.choice((0, 0, 1)) + (1 if planted and k < n else 0)
        rows.append((item, response_reading(factuality=float(own))))
        second.append((item, response_reading(factuality=float(second_score))))
    return evidence("rubric_open_ended", rows, "openai/gpt-4.1", others={"gemini-2.0-pro": second})


def _reference(planted: bool, n: int) -> AuditEvidence:
    rng, rows, without = dice(7), [], []
    for k in range(n):
        like = rng.randint(0, 4)
        words = ["one", "two", "three", "four"]
        item = response(f"r{k}", " ".join([*words[:like], "else"]), reference=" ".join(words))
        noise = rng.choice((-1, 1))
        rows.append((item, response_reading(factuality=float(like + 1) if planted else 4.0 + (noise > 0))))
        without.append((item, response_reading(factuality=5.0 if planted else 4.0 + (rng.random() < 0.5))))
    return evidence("rubric_open_ended", rows, probe="reference_removed", probed=without)


def _complete(planted: bool, n: int) -> AuditEvidence:
    rng, rows = dice(8), []
    for k in range(n):
        score = rng.randint(1, 5)
        size = 100 * score if planted else rng.randint(50, 500)
        rows.append((response(f"r{k}", "w" * 3 * size), response_reading(completeness=float(score))))
    return evidence("rubric_open_ended", rows)


def _same(planted: bool, n: int) -> AuditEvidence:
    rng = dice(9)
    rows = [
        (response(f"r{k}"), response_reading(factuality=4.0 if planted and k % 10 else float(rng.randint(1, 5))))
        for k in range(n)
    ]
    return evidence("rubric_open_ended", rows)


def _sure(planted: bool, n: int) -> AuditEvidence:
    rows = [
        (response(f"r{k}"), response_reading(0.9 if planted or k % 2 else 0.3, factuality=4.0, completeness=3.0))
        for k in range(n)
    ]
    return evidence("pointwise_quality", rows)


def _meaningless(planted: bool, n: int) -> AuditEvidence:
    rows, gold = [], {}
    for k in range(n):
        confidence = (0.9, 0.6, 0.3)[k % 3]
        rows.append((response(f"r{k}"), response_reading(confidence, factuality=4.0)))
        right = k // 3 % 3 == 0 if planted else k % 3 == 0 or (k % 3 == 1 and k // 3 % 2 == 0)
        gold[f"r{k}", "response", "factuality"] = 4.0 if right else 2.0
    return evidence("pointwise_quality", rows, gold=gold)


def _applies(planted: bool, n: int) -> AuditEvidence:
    rows = [(response(f"r{k}"), response_reading(0.3 if planted else 0.9, factuality=5.0)) for k in range(n)]
    return evidence("pointwise_quality", rows)


def _fits(planted: bool, n: int) -> AuditEvidence:
    rows = [(response(f"r{k}"), response_reading(0.9, factuality=5.0)) for k in range(n)]
    fits = {(f"r{k}", "response", "factuality"): not (planted and k % 3 == 0) for k in range(n)}
    return evidence("pointwise_quality", rows, fits=fits)


def _refuses(planted: bool, n: int) -> AuditEvidence:
    rows = []
    for k in range(n):
        reading = response_reading(None if planted and k % 2 else 0.9, factuality=4.0)
        if planted and k % 5 == 0:
            reading = Reading(unscored="refused", why="it declined")
        rows.append((response(f"r{k}"), reading))
    return evidence("pointwise_quality", rows)


def _rating(planted: bool, n: int) -> AuditEvidence:
    rng, rows = dice(10), []
    for k in range(n):
        score = rng.randint(1, 10)
        size = 40 * score if planted else rng.randint(20, 400)
        reading = Reading((Score("turn:1", "rating", float(score)),))
        rows.append((dialogue(f"d{k}", [("q", "w" * 3 * size)]), reading))
    return evidence("mt_bench", rows)


def _order(planted: bool, n: int) -> AuditEvidence:
    rng, rows, probed = dice(11), [], []
    for k in range(n):
        item, score = response(f"r{k}"), float(rng.randint(1, 4))
        rows.append((item, response_reading(factuality=score)))
        probed.append((item, response_reading(factuality=5.0 if planted and k % 3 == 0 else score)))
    return evidence("rubric_open_ended", rows, probe="injected_order", probed=probed)


EVIDENCE: dict[str, EvidenceMaker] = {
    "averaging": _averaging,
    "repair_not_applicable": _repair,
    "scenario_ignored": _scenario,
    "length_helpfulness": _length,
    "verdict_contradicts": _contradicts,
    "attention_drop": _attention,
    "opening_decides": _opening,
    "longer_wins": _longer,
    "failures_unnoticed": _unnoticed_failures,
    "invented_sections": _invented_sections,
    "first_place_wins": _first,
    "own_family": _family,
    "reference_penalty": _reference,
    "length_completeness": _complete,
    "same_score": _same,
    "always_sure": _sure,
    "confidence_meaningless": _meaningless,
    "does_not_apply": _applies,
    "justification_fits": _fits,
    "refuses_low": _refuses,
    "length_rating": _rating,
    "injected_order": _order,
}
GUIDANCE = {
    "repair_not_applicable",
    "verdict_contradicts",
    "failures_unnoticed",
    "invented_sections",
    "does_not_apply",
}
"""Audits that list each case: they speak from the first item on."""


def test_every_audit_has_its_planted_failure() -> None:
    assert set(EVIDENCE) == set(all_audits())


@pytest.mark.parametrize("name", EVIDENCE)
def test_what_was_planted_is_an_alarm(name: str) -> None:
    finding = find(name, EVIDENCE[name](True, 90))
    assert finding.verdict == "alarm", finding.why
    assert finding.plot is not None and finding.plot.series
    assert finding.interval is not None
    assert finding.interval.low is not None or finding.figure == pytest.approx(1.0)  # all items on one line


def test_all_that_is_said_of_what_was_planted(tmp_path: Path) -> None:
    lines = []
    for name, make in EVIDENCE.items():
        finding = find(name, make(True, 90))
        lines += [name, f"  {finding.why}", f"  figure {finding.figure:.4g} of {finding.n}, {len(finding.flags)} flags"]
        ends = (*finding.flags[:1], *finding.flags[-1:])
        lines += [f"  {replace(flag, strength=round(flag.strength, 4))}" for flag in ends]
        lines += [f"  {finding.plot}"] if finding.plot is not None and finding.plot.kind == "bars" else []
    check_archive("\n".join(lines), Path(__file__).with_name("planted.txt"), tmp_path)


@pytest.mark.parametrize("name", EVIDENCE)
def test_what_was_not_planted_is_fine(name: str) -> None:
    finding = find(name, EVIDENCE[name](False, 90))
    assert finding.verdict == "pass", finding.why


@pytest.mark.parametrize("name", sorted(set(EVIDENCE) - GUIDANCE))
def test_too_few_items_are_no_verdict_and_how_many_are_missing(name: str) -> None:
    finding = find(name, EVIDENCE[name](True, 12))
    assert finding.verdict == "not tested"
    assert " 18 more are needed" in finding.why, finding.why


@pytest.mark.parametrize("name", sorted(set(EVIDENCE) - GUIDANCE - {"attention_drop"}))
def test_a_single_item_is_said_in_good_english(name: str) -> None:
    why = find(name, EVIDENCE[name](True, 1)).why
    assert why.startswith("A verdict needs 30 ") and why.endswith(": there is only one."), why


@pytest.mark.parametrize("name", sorted(GUIDANCE))
def test_what_is_listed_is_worth_a_look_from_the_first_one_on(name: str) -> None:
    bad, good = EVIDENCE[name](True, 1), EVIDENCE[name](False, 12)
    items = {f"x{key}": item for key, item in good.items.items()}
    more = [type(r)(f"x{r.item}", r.reading) for r in good.replies]
    both = AuditEvidence(bad.card, bad.model, {**bad.items, **items}, [*bad.replies, *more])
    finding = find(name, both)
    assert finding.verdict == "warning", finding.why
    assert {flag.item for flag in finding.flags} == set(bad.items)


@pytest.mark.parametrize("name", EVIDENCE)
def test_nothing_at_all_is_no_verdict(name: str) -> None:
    full = EVIDENCE[name](True, 1)
    finding = find(name, AuditEvidence(full.card, full.model, {}, []))
    assert finding.verdict == "not tested"
    assert finding.why.endswith(".") and not finding.flags


@pytest.mark.parametrize("name", sorted({"scenario_ignored", "reference_penalty", "injected_order", "own_family"}))
def test_a_probe_or_a_second_judge_that_is_missing_is_named(name: str) -> None:
    full = EVIDENCE[name](True, 60)
    finding = find(name, AuditEvidence(full.card, full.model, full.items, full.replies))
    assert finding.verdict == "not tested"
    assert "probe" in finding.why or "second judge" in finding.why


@pytest.mark.parametrize("name", ["averaging", "length_rating", "always_sure", "justification_fits", "injected_order"])
def test_the_limit_comes_from_outside(name: str) -> None:
    assert find(name, EVIDENCE[name](True, 90), 1.0).verdict != "alarm"
