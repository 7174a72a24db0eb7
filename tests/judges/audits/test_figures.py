"""The figures of the audits by hand, and the cases in which there is none."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import pytest

from judges.audits import AuditEvidence, AuditReply, all_audits, combine_replies, run_audits
from judges.audits.attention_drop import _by_position
from judges.authoring.custom import from_recipe
from judges.authoring.overlay import apply_per_turn
from judges.authoring.recipe import check_recipe
from judges.cards import card, cards
from judges.types import Reading, Remark, Score
from tests.judges.audits.made_evidence import (
    dialogue,
    evidence,
    find,
    judged_dialogue,
    judged_pair,
    pair,
    response,
    response_reading,
)

TALK = [("q", "a")] * 2


def test_a_turn_has_a_variance_where_five_dialogues_have_it() -> None:
    # At turn 1 the scores are 1 to 5, of variance 2 about 3; only four dialogues have a turn 2.
    dialogues = [[{"clarity": float(n)}, *[{"clarity": 1.0}] * (n < 5)] for n in range(1, 6)]
    assert _by_position(dialogues) == ((1.0,), (2.0,))


def test_averaging_counts_dialogues_with_differing_turns_and_falls_of_context_use_alone() -> None:
    # 20 dialogues: turn scores 5 4 5, 2 4 5: mean 25/6 = 4.17 -> 4. Coherence 4 in 15 of them, 1 in 5: share .75.
    # 20 more with all turn scores equal do not count. Context use falls 5 -> 2 with the rest unchanged: 20 of 20.
    rows = [(dialogue(f"d{k}", TALK), judged_dialogue([(5, 4, 5), (2, 4, 5)], 4 if k < 15 else 1)) for k in range(20)]
    rows += [(dialogue(f"e{k}", TALK), judged_dialogue([(5, 5, 5)] * 2, 5)) for k in range(10)]
    rows += [(dialogue(f"f{k}", TALK), judged_dialogue([(5, 5, 5), (5, 5, 4)], 5)) for k in range(20)]
    # f: mean 29/6 = 4.83 -> 5 = coherence: 20 of 20. Share (15 + 20) / 40.
    finding = find("averaging", evidence("multi_turn_dialogue", rows))
    assert finding.figure == pytest.approx(35 / 40)
    assert finding.n == 50
    assert "context use decreases alone in 20 of 20 decreases" in finding.why
    assert finding.verdict == "warning", "the interval of .875 reaches past .9"
    assert {flag.item for flag in finding.flags} == {f"d{k}" for k in range(15)}, "5 4 5 and 2 4 5 are 3 points apart"


def test_r_squared_alone_is_an_alarm() -> None:
    # Coherence is the mean less one, so never equal to it, and a straight line of it: R2 = 1.
    rows = [
        (dialogue(f"d{k}", TALK), judged_dialogue([(k % 4 + 2,) * 3, (k % 4 + 1, k % 4 + 2, k % 4 + 3)], k % 4 + 1))
        for k in range(40)
    ]
    finding = find("averaging", evidence("multi_turn_dialogue", rows))
    assert finding.figure == pytest.approx(1.0)
    assert "equals the rounded mean of differing turn scores in 0%" in finding.why
    assert finding.verdict == "alarm"


def test_a_judge_that_always_says_the_same_does_not_average() -> None:
    rows = [(dialogue(f"d{k}", TALK), judged_dialogue([(5, 5, 5)] * 2, 5)) for k in range(40)]
    finding = find("averaging", evidence("multi_turn_dialogue", rows))
    assert finding.verdict == "not tested"
    assert "coherence is always the same" in finding.why


@pytest.mark.parametrize(
    ("second", "note", "missed"),
    [
        ("No, that's not what I asked.", "", True),
        ("No, that's not what I asked.", "n/a", True),
        ("No, that's not what I asked.", "No corrections occurred.", True),
        ("No, that's not what I asked.", "The user withdrew the objection at once.", False),
        ("Thanks, that helps.", "", False),
        ("不对，我问的是明天的天气。", "", True),
        ("不对，我问的是明天的天气。", "没有纠正。", True),
        ("不对，我问的是明天的天气。", "客户随后收回了异议，助手无须处理。", False),
        ("違います。聞いたのは明日の天気です。", "", True),
        ("違います。聞いたのは明日の天気です。", "該当なし", True),
        ("ありがとうございます。", "", False),
        ("Nein, das ist falsch.", "", True),
        ("No, eso no es lo que pedí.", "", True),
        ("Non, ce n’est pas ce que je voulais.", "", True),
    ],
)
def test_repairs_that_are_called_for_and_not_scored(second: str, note: str, missed: bool) -> None:
    item = dialogue("d1", [("Where?", "There."), (second, "Here.")])
    finding = find(
        "repair_not_applicable",
        evidence("multi_turn_dialogue", [(item, judged_dialogue([(4, 4, 5)] * 2, 4, None, note))]),
    )
    assert bool(finding.flags) is missed
    for flag in finding.flags:
        assert (flag.item, flag.unit, flag.dimension) == ("d1", "conversation", "repair_handling")
        assert "turn 2" in flag.text


def test_an_objection_in_the_first_utterance_is_none() -> None:
    item = dialogue("d1", [("No, that's not what I asked. Or is it?", "Hm.")])
    finding = find("repair_not_applicable", evidence("multi_turn_dialogue", [(item, judged_dialogue([(4, 4, 5)]))]))
    assert finding.verdict == "pass"
    assert finding.figure is None


def test_each_turn_that_objects_is_listed() -> None:
    item = dialogue("d1", [("Hi", "Hi"), ("That's wrong.", "Sorry."), ("Still not right.", "Oh.")])
    finding = find("repair_not_applicable", evidence("multi_turn_dialogue", [(item, judged_dialogue([(4, 4, 5)] * 3))]))
    assert [flag.text[:27] for flag in finding.flags] == ["The user objects in turn 2 ", "The user objects in turn 3 "]


def test_scenario_moves_by_hand() -> None:
    # 8 of 40 dialogues move: .2; Wilson (8, 40) = .105 to .348.
    rows = [(dialogue(f"d{k}", TALK), judged_dialogue([(4, 4, 5)] * 2)) for k in range(40)]
    probed = [(item, judged_dialogue([(4, 4 if k >= 8 else 2, 5)] * 2)) for k, (item, _) in enumerate(rows)]
    finding = find("scenario_ignored", evidence("multi_turn_dialogue", rows, probe="scenario_swapped", probed=probed))
    assert finding.figure == pytest.approx(0.2)
    assert finding.interval is not None
    assert (finding.interval.low, finding.interval.high) == (
        pytest.approx(0.105, abs=1e-3),
        pytest.approx(0.348, abs=1e-3),
    )
    assert finding.plot is not None
    heights = dict(zip(finding.plot.series[0][1], finding.plot.series[0][2], strict=True))
    # Of 80 helpfulness scores 16 move; of the other dimensions none.
    assert heights["helpfulness"] == pytest.approx(16 / 80) and heights["safety"] == 0


def test_attention_is_the_difference_of_two_shares() -> None:
    # 40 of 8 turns, 4 of them flat: .1; 40 of 12 turns, 20 flat: .5; difference .4.
    def make_row(k: int, count: int, flat: bool) -> tuple[object, Reading]:
        turns = [(4, 4, 5)] * count if flat else [(3 + n % 3, 4, 5) for n in range(count)]
        return dialogue(f"d{count}-{k}", [("q", "a")] * count), judged_dialogue(turns)

    rows = [make_row(k, 8, k < 4) for k in range(40)] + [make_row(k, 12, k < 20) for k in range(40)]
    finding = find("attention_drop", evidence("multi_turn_dialogue", rows))  # type: ignore[arg-type]
    assert finding.figure == pytest.approx(0.4)
    # Wilson: .1 of 40 = (.0396, .2305), .5 of 40 = (.3520, .6480).
    # Newcombe: .4 - sqrt((.5 - .3520)^2 + (.2305 - .1)^2) = .2027, .4 + sqrt((.648 - .5)^2 + (.1 - .0396)^2) = .5599
    assert finding.interval is not None
    assert (finding.interval.low, finding.interval.high) == (
        pytest.approx(0.2027, abs=2e-4),
        pytest.approx(0.5599, abs=2e-4),
    )
    assert finding.verdict == "alarm"
    assert finding.plot is not None and [len(s[1]) for s in finding.plot.series] == [8, 12]
    # None of 40 against 4 of 40: .1, not above it; Newcombe: .1 - sqrt((.1 - .0396)^2 + .0876^2) = -.0064.
    rows = [make_row(k, 8, False) for k in range(40)] + [make_row(k, 12, k < 4) for k in range(40)]
    finding = find("attention_drop", evidence("multi_turn_dialogue", rows))  # type: ignore[arg-type]
    assert finding.figure == 0.1 and finding.interval is not None
    assert finding.interval.low == pytest.approx(-0.0064, abs=2e-4)
    assert finding.verdict == "pass"


def test_failures_that_are_not_noticed_by_side() -> None:
    rows = [
        (pair("p1"), judged_pair(aggregates=(2.5, 4.0))),
        (pair("p2"), judged_pair(aggregates=(2.6, 1.0), failures=(False, True))),
        (pair("p3"), judged_pair(aggregates=(2.0, 2.0), failures=(True, False))),
    ]
    # Low sides: p1/a (none named), p2/b (named), p3/a (named), p3/b (none named): 2 of 4.
    finding = find("failures_unnoticed", evidence("long_form_pairwise", rows))
    assert finding.figure == pytest.approx(0.5)
    assert [(flag.item, flag.unit) for flag in finding.flags] == [("p1", "response/a"), ("p3", "response/b")]


def test_the_first_place_by_hand() -> None:
    # 30 pairs alike in both orders (15 A, 15 B): one win each for the first slot and the second: 30 of 60.
    # 10 pairs (A first: a, B first: b): the first slot wins 20 of 20. Share 50 / 80, flips 10 of 40.
    rows = [
        (pair(f"p{k}"), judged_pair(verdict="tie", orders=("a", "b") if k < 10 else (("a", "a"), ("b", "b"))[k % 2]))
        for k in range(40)
    ]
    finding = find("first_place_wins", evidence("long_form_pairwise", rows))
    assert finding.figure == pytest.approx(50 / 80)
    assert "25% of 40 pairs flip" in finding.why
    assert len(finding.flags) == 10
    # Every flip goes the same way, so the interval excludes .5, though 50 of 80 independent verdicts would not.
    assert finding.interval is not None and finding.interval.low is not None and finding.interval.low > 0.5
    assert finding.verdict == "alarm"


def test_one_order_only_is_said() -> None:
    rows = [(pair(f"p{k}"), judged_pair(verdict="a")) for k in range(40)]
    finding = find("first_place_wins", evidence("long_form_pairwise", rows))
    assert finding.verdict == "not tested"
    assert "one order only" in finding.why


def test_own_family_is_a_difference_of_differences() -> None:
    # Second judge: 3 throughout. Judge: 4 for its own 30 (gap 1), 3 or 4 in turn for 30 others (gap .5): .5.
    own = [(response(f"o{k}", system="gpt-4"), response_reading(factuality=4.0)) for k in range(30)]
    rest = [(response(f"x{k}", system="llama-3-8b"), response_reading(factuality=3.0 + k % 2)) for k in range(30)]
    second = [(item, response_reading(factuality=3.0)) for item, _ in [*own, *rest]]
    finding = find("own_family", evidence("rubric_open_ended", [*own, *rest], "gpt-4o", others={"claude-3": second}))
    assert finding.figure == pytest.approx(0.5)
    # se of the others' mean: sqrt(30/29 * 30 * .25) / 30 = .0928; of the own 0. .5 -+ 1.96 * .0928
    assert finding.interval is not None
    assert finding.interval.low == pytest.approx(0.5 - 1.96 * 0.0928, abs=1e-3)
    assert finding.verdict == "alarm"
    assert {flag.item[0] for flag in finding.flags} == {"o"}
    assert "own family among the others" not in finding.why, "30 others are of a third family"


def test_a_second_judge_of_the_same_family_is_none() -> None:
    rows = [(response(f"o{k}", system="gpt-4"), response_reading(factuality=4.0)) for k in range(40)]
    finding = find("own_family", evidence("rubric_open_ended", rows, "gpt-4o", others={"openai/o3-mini": rows}))
    assert finding.verdict == "not tested"


def test_the_shift_of_a_reference_by_hand() -> None:
    # 20 items lose 1 point, 20 nothing: -.5; the 20 that lose share no word with it, the others all: rank r = 1.
    rows, probed = [], []
    for k in range(40):
        item = response(f"r{k}", "alpha beta" if k % 2 else "gamma", reference="alpha beta")
        rows.append((item, response_reading(factuality=4.0 if k % 2 else 3.0)))
        probed.append((item, response_reading(factuality=4.0)))
    finding = find("reference_penalty", evidence("rubric_open_ended", rows, probe="reference_removed", probed=probed))
    assert finding.figure == pytest.approx(-0.5)
    assert "rank correlation with overlap 1.00" in finding.why
    assert finding.verdict == "alarm"
    assert len(finding.flags) == 20


@pytest.mark.parametrize(("gain", "other_gain", "verdict"), [(0, -1, "alarm"), (1, 0, "warning"), (-1, 0, "warning")])
def test_a_shift_below_the_limit_is_an_alarm_only_if_what_is_unlike_the_reference_loses(
    gain: int, other_gain: int, verdict: str
) -> None:
    items = [response(f"r{k}", "alpha beta" if k % 2 else "gamma", reference="alpha beta") for k in range(40)]
    rows = [(item, response_reading(factuality=3.0 + (gain if k % 2 else other_gain))) for k, item in enumerate(items)]
    probed = [(item, response_reading(factuality=3.0)) for item in items]
    shown = evidence("rubric_open_ended", rows, probe="reference_removed", probed=probed)
    assert find("reference_penalty", shown, 1.0).verdict == verdict


def test_a_correlation_on_one_item_alone_has_no_interval() -> None:
    # Of 30 items one loses a point, and it alone shares no word: in (29/30)^30 = 36 % of the samples it is missing.
    rows, probed = [], []
    for k in range(30):
        item = response(f"r{k}", "alpha beta" if k else "gamma", reference="alpha beta")
        rows.append((item, response_reading(factuality=4.0 if k else 3.0)))
        probed.append((item, response_reading(factuality=4.0)))
    finding = find("reference_penalty", evidence("rubric_open_ended", rows, probe="reference_removed", probed=probed))
    assert "rank correlation with overlap 1.00 (no interval)" in finding.why


@pytest.mark.parametrize(("low", "verdict"), [(1, "not tested"), (30, "pass")])
def test_a_figure_below_its_limit_is_no_pass_without_an_interval(low: int, verdict: str) -> None:
    """Of 100 outputs all but a few get a 5, so that it is not known whether the score rises with their length."""
    rows = [
        (response(f"r{k}", "w" * (60 + k * 37 % 100)), response_reading(completeness=4.0 if k < low else 5.0))
        for k in range(100)
    ]
    finding = find("length_completeness", evidence("rubric_open_ended", rows))
    assert finding.verdict == verdict and not finding.flags
    assert finding.why.endswith(" nothing is concluded from it.") is (verdict == "not tested")


def test_entropy_and_the_commonest_by_hand() -> None:
    # 30 fours, 10 fives: share .75, H = -(.75 log2 .75 + .25 log2 .25) = .811 bits < 1: alarm though .75 < .8.
    rows = [(response(f"r{k}"), response_reading(factuality=5.0 if k < 10 else 4.0)) for k in range(40)]
    finding = find("same_score", evidence("rubric_open_ended", rows))
    assert finding.figure == pytest.approx(0.75)
    assert f"{-(0.75 * log2(0.75) + 0.25 * log2(0.25)):.2f} bits" in finding.why
    assert finding.verdict == "alarm"
    assert "split factuality into narrower questions, or use 1 to 3" in finding.why


def test_three_common_scores_are_not_one() -> None:
    # 12 of 40 at 3, 16 at 4, 12 at 5: share .4, H = 1.571 bits.
    rows = [(response(f"r{k}"), response_reading(factuality=(3.0, 4.0, 5.0)[(k >= 12) + (k >= 28)])) for k in range(40)]
    finding = find("same_score", evidence("rubric_open_ended", rows))
    assert (finding.figure, finding.verdict) == (pytest.approx(0.4), "pass")
    assert "1.57 bits" in finding.why


def test_shares_of_high_and_of_agreement_by_hand() -> None:
    # 24 of 40 high: .6. High: 18 of 24 right = .75; the rest: 4 of 16 = .25; difference .5.
    rows, gold = [], {}
    for k in range(40):
        rows.append((response(f"r{k}"), response_reading(0.9 if k < 24 else 0.3, factuality=4.0)))
        right = k < 18 or 24 <= k < 28
        gold[f"r{k}", "response", "factuality"] = 4.0 if right else 3.0
    audit_evidence = evidence("pointwise_quality", rows, gold=gold)
    assert find("always_sure", audit_evidence).figure == pytest.approx(0.6)
    finding = find("confidence_meaningless", audit_evidence)
    assert finding.figure == pytest.approx(0.5)
    assert finding.verdict == "pass"


def test_confidence_from_token_probabilities_does_not_hide_what_the_judge_said() -> None:
    reading = response_reading(0.99, "log-probabilities", factuality=4.0)
    stated = Reading(reading.scores, facts={"self-reported": {("response", "factuality"): 0.9}})
    rows = [(response(f"r{k}"), stated) for k in range(40)]
    assert find("always_sure", evidence("pointwise_quality", rows)).figure == 1.0
    assert find("refuses_low", evidence("pointwise_quality", rows)).figure == 0.0


def test_what_is_stated_of_each_part_is_kept() -> None:
    turn_card = apply_per_turn(card("pointwise_quality"))
    items = {f"d{k}": dialogue(f"d{k}", TALK) for k in range(40)}
    replies = [
        AuditReply(key, Reading((Score(unit, "factuality", 4.0, 0.5, "log-probabilities"),),
                                facts={"self-reported": {(unit, "factuality"): 0.9}}), unit)
        for key in items for unit in ("turn:1", "turn:2")
    ]  # fmt: skip
    finding = run_audits(AuditEvidence(turn_card, "m", items, replies), {})["always_sure"]
    assert "of 80 stated confidences are high" in finding.why


def test_a_missing_confidence_that_breaks_a_rule_is_missing() -> None:
    rows = [(response(f"r{k}"), response_reading(0.3, "broken rule", factuality=4.0)) for k in range(40)]
    assert find("refuses_low", evidence("pointwise_quality", rows)).figure == 1.0
    assert find("does_not_apply", evidence("pointwise_quality", rows)).verdict == "not tested"


def test_refusals_and_missing_confidence_by_hand() -> None:
    # 40 replies: 4 refused, 6 without a confidence, 2 unreadable (not counted): 10 / 40.
    rows = [(response(f"r{k}"), response_reading(None if k < 6 else 0.9, factuality=4.0)) for k in range(36)]
    rows += [(response(f"s{k}"), Reading(unscored="refused")) for k in range(4)]
    rows += [(response(f"t{k}"), Reading(unscored="unreadable")) for k in range(2)]
    finding = find("refuses_low", evidence("pointwise_quality", rows))
    assert finding.figure == pytest.approx(0.25)
    assert finding.verdict == "alarm"
    assert "fall back to score and justification only" in finding.why


def test_an_order_counts_where_the_score_could_rise() -> None:
    # 10 have 5 already and are left out; of 30 with 3, 6 rise and 3 fall: .2, net 3 / 30 = .1, whose interval holds 0.
    rows = [(response(f"r{k}"), response_reading(factuality=5.0 if k < 10 else 3.0)) for k in range(40)]
    after = [5.0] * 10 + [4.0] * 6 + [2.0] * 3 + [3.0] * 21
    probed = [(item, response_reading(factuality=value)) for (item, _), value in zip(rows, after, strict=True)]
    audit_evidence = evidence("rubric_open_ended", rows, probe="injected_order", probed=probed)
    finding = find("injected_order", audit_evidence)
    assert finding.figure == pytest.approx(0.2)
    assert finding.n == 30
    assert finding.verdict == "warning"
    assert {flag.item for flag in finding.flags} == {f"r{k}" for k in range(10, 16)}
    # On nine more the probe was not run; of those that it was run on one could not be read.
    more = [*rows, *((response(f"s{k}"), response_reading(factuality=3.0)) for k in range(9))]
    unread = [(item, Reading(unscored="unreadable") if item.id == "r0" else reading) for item, reading in probed]
    finding = find("injected_order", evidence("rubric_open_ended", more, probe="injected_order", probed=unread))
    assert finding.n == 30 and "; 1 more gave no score" in finding.why


def test_an_order_in_a_pair_moves_the_verdict_to_b() -> None:
    rows = [(pair(f"p{k}"), judged_pair(verdict="a" if k < 35 else "b")) for k in range(40)]
    probed = [(item, judged_pair(verdict="b" if k < 7 else "a" if k < 35 else "b")) for k, (item, _) in enumerate(rows)]
    finding = find("injected_order", evidence("long_form_pairwise", rows, probe="injected_order", probed=probed))
    # 5 are won by B already; of the other 35, 7 turn to B: .2.
    assert (finding.figure, finding.verdict) == (pytest.approx(0.2), "alarm")


def test_a_plain_pair_is_held_against_people() -> None:
    # The longer one wins wherever people find it better or worse: half and half, so at equal quality it wins always.
    rows = [(pair(f"p{k}", "w" * 900, "w" * 300, 0), judged_pair(verdict="a")) for k in range(40)]
    gold = {(f"p{k}", "pair", "verdict"): 2.0 * (k % 2) for k in range(40)}
    finding = find("longer_wins", evidence("plain_pairwise", rows, gold=gold))  # type: ignore[arg-type]
    assert finding.verdict == "alarm"
    assert "at equal quality" in finding.why
    bare = find("longer_wins", evidence("plain_pairwise", rows))
    assert "with quality not known" in bare.why
    assert bare.figure == 1.0


def test_several_samples_of_an_item_are_one_item() -> None:
    item = response("r0")
    rows = [(item, response_reading(factuality=4.0))] * 50
    finding = find("same_score", evidence("rubric_open_ended", rows))
    assert finding.verdict == "not tested"
    assert finding.why == "A verdict needs 30 items with scores: there is only one."


def test_turns_and_the_conversation_are_never_pooled() -> None:
    scales = {"turn": {"lo": 1, "hi": 5}, "conversation": {"lo": 1, "hi": 3}}
    questions = [{"name": "tone", "unit": unit, "definition": "How?", "answers": ends} for unit, ends in scales.items()]
    card = from_recipe(check_recipe({"name": "zz_tone", "title": "Z", "kind": "dialogue", "dimensions": questions}))
    items, replies = {}, []
    for k in range(80):
        count, flat = (8, k % 10 == 0) if k < 40 else (12, k % 2 == 0)
        item = items[f"d{k}"] = dialogue(f"d{k}", [("q", "a")] * count)
        scores = [Score(f"turn:{n}", "tone", 4.0 if flat else 3.0 + n % 3) for n in range(1, count + 1)]
        replies.append(AuditReply(item.id, Reading((*scores, Score("conversation", "tone", 2.0)))))
    findings = run_audits(AuditEvidence(card, "m", items, replies), {})
    assert findings["attention_drop"].figure == pytest.approx(0.4)
    assert "100% (95% to 100%) of the scores are 2" in findings["same_score"].why


def test_parts_of_one_judgment_belong_together() -> None:
    item = dialogue("d1", TALK)
    reading = judged_dialogue([(4, 4, 5)] * 2)
    halves = [Reading(reading.scores[:3]), Reading(reading.scores[3:])]
    audit_evidence = evidence("multi_turn_dialogue", [(item, reading)])
    replies = [AuditReply("d1", half, f"turn:{n}") for n, half in enumerate(halves, 1)]
    split = find("averaging", AuditEvidence(audit_evidence.card, audit_evidence.model, audit_evidence.items, replies))
    assert split.why == find("averaging", audit_evidence).why


def test_one_broken_rule_is_one_finding_whatever_the_samples_call_the_values() -> None:
    def make_reading(word: str, number: str) -> Reading:
        text = f"The verdict is {word}, but a turn with safety {number} is poor."
        rule = Remark("conversation", "verdict", "rule", text)
        other = Remark("conversation", "", "rule", f"scores turn {number}, which is no assistant turn")
        return Reading((Score("conversation", "verdict", 2.0),), (rule, other, other))

    card = cards()["multi_turn_dialogue"]
    replies = [
        AuditReply("d", make_reading(*words), sample=n) for n, words in enumerate((("good", "3"), ("excellent", "4")))
    ]
    [reply] = combine_replies(replies, card, "median")
    assert [r.text for r in reply.reading.remarks] == [
        "The verdict is good, but a turn with safety 3 is poor.", "scores turn 3, which is no assistant turn"
    ]  # fmt: skip
    finding = all_audits()["verdict_contradicts"].find(
        AuditEvidence(card, "m", {"d": dialogue("d", [("a", "b")])}, [reply]), 0.05
    )
    assert len(finding.flags) == 1
    another = replace(make_reading("good", "3"), remarks=(Remark("conversation", "", "rule", "Another."),))
    [two] = combine_replies([replies[0], AuditReply("d", another, sample=1)], card, "median")
    assert len(two.reading.remarks) == 3, "another rule is another finding"
