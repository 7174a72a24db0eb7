"""What becomes of replies that are not as they should be: a table over all cards, each row with what it is read as.

The rule behind every row: a reply is taken where it can mean one thing only, however it is wrapped; it is unscored
with the true reason where it is not; and it is never a low score. What breaks a rule of its card is scored and marked.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import Any

import pytest

from judges.cards import card
from judges.params import Params
from judges.protocols.call_plan import CallReply, Task, fuse
from judges.reading.reading import counted_verdict, read_reply
from judges.types import ITEM, Reading

DIALOGUE: Any = ITEM.validate_python(
    {
        "id": "d", "kind": "dialogue", "turns": [
            *({"turn": t, "role": r, "text": "x"} for t in (1, 2) for r in ("user", "assistant")),
            {"turn": 3, "role": "user", "text": "bye"},
        ],
    }
)  # fmt: skip
LABELS = ("1. Scope", "Costs and **benefits**", "Phase 1", "Phase 2")
PAIR: Any = ITEM.validate_python(
    {
        "id": "p", "kind": "pair", "input": "i", "response_a": {"text": "a" * 8}, "response_b": {"text": "b" * 8},
        "sections": [
            {"label": label, "a": [n * 2, n * 2 + 2], "b": None if n == 1 else [n * 2, n * 2 + 2]}
            for n, label in enumerate(LABELS)
        ],
    }
)  # fmt: skip
RESPONSE: Any = ITEM.validate_python({"id": "r", "kind": "response", "task": "t", "output": "o"})
ITEMS = {"dialogue": DIALOGUE, "pair": PAIR, "response": RESPONSE}

MULTI: dict[str, Any] = {
    "per_turn": [
        {"turn": t, "role": "assistant", "scores": {"context_use": 4, "helpfulness": 4, "safety": 5}, "issues": []}
        for t in (1, 2)
    ],
    "conversation_level": {
        "coherence": {"score": 4, "note": "holds"},
        "task_completion": {"score": 4, "note": ""},
        "repair_handling": {"score": "n/a", "note": ""},
    },
    "verdict": "excellent",
    "decision_basis": "Fine.",
    "weakest_turn": 2,
}
SIDE = {"groundedness": 4, "relevance": 4, "quality": 4}
LONG: dict[str, Any] = {
    "section_judgments": [
        {"section_label": label, "response_a": SIDE, "response_b": None if n == 1 else SIDE}
        for n, label in enumerate(LABELS)
    ],
    "long_form_failures": {"response_a": [], "response_b": []},
    "aggregate_scores": {"response_a": 4.0, "response_b": 4.0},
    "verdict": "tie",
    "decision_basis": "Alike.",
}
RUBRIC: dict[str, Any] = {
    "scores": {"factuality": 4, "instruction_following": 5, "coherence": 3, "completeness": 2},
    "verdict": "borderline",
    "decision_basis": "Misses the dates.",
    "issues": [],
}
NAMES = ("instruction_following", "factuality", "completeness", "clarity")
POINT: dict[str, Any] = {
    "dimensions": [
        {"name": name, "score": score, "justification": "so", "confidence": sure}
        for name, score, sure in zip(NAMES, (5, 4, 4, 5), ("high", "medium", "medium", "high"), strict=True)
    ],
    "overall_score": 4.67,
    "trustworthy_aggregate": True,
    "decision_basis": "Good.",
}
PLAIN: dict[str, Any] = {"reason": "B is wrong.", "verdict": "a"}
GOOD = {
    "multi_turn_dialogue": MULTI,
    "long_form_pairwise": LONG,
    "rubric_open_ended": RUBRIC,
    "pointwise_quality": POINT,
    "plain_pairwise": PLAIN,
}


def edit_reply(reply: dict[str, Any], **paths: Any) -> str:
    """The reply as text, with values put in at paths such as per_turn__0__scores__safety; None as null, GONE as out."""
    out = copy.deepcopy(reply)
    for path, value in paths.items():
        at: Any = out
        *parents, last = (int(key) if key.isdigit() else key for key in path.split("__"))
        for key in parents:
            at = at[key]
        if value is GONE:
            del at[last]
        else:
            at[last] = value
    return json.dumps(out, ensure_ascii=False)


GONE = object()


@dataclass(frozen=True)
class Row:
    """A reply. Unscored: `reason` and a part of why. Scored: `cells` it must hold, and the rule it breaks (or "")."""

    card: str
    because: str
    raw: str
    reason: str | None = None
    why: str = ""
    cells: tuple[tuple[str, str, float | None], ...] = ()
    rule: str = ""


M, L, R, P, W, T, V = (
    "multi_turn_dialogue", "long_form_pairwise", "rubric_open_ended", "pointwise_quality", "plain_pairwise",
    "mt_bench", "mt_bench_pair",
)  # fmt: skip
U, OUT, LACKS, CUT, NO = "unreadable", "out_of_range", "incomplete", "cut_off", "refused"
SAFE = ("turn:1", "safety", 5.0)
FACT = ("response", "factuality", 4.0)
GOOD_M, GOOD_R, GOOD_W = json.dumps(MULTI), json.dumps(RUBRIC), json.dumps(PLAIN)
FIRST = "per_turn__0__scores__safety"
FACTS = "scores__factuality"
FORGED = json.dumps({**RUBRIC, "verdict": "excellent"})

WRAPPED = [
    Row(R, "prose around it is no part of it", f"Here is my judgment:\n{GOOD_R}\nBest regards", cells=(FACT,)),
    Row(R, "a fence is a wrapper", f"```json\n{GOOD_R}\n```", cells=(FACT,)),
    Row(R, "a fence without a language", f"```\n{GOOD_R}\n```", cells=(FACT,)),
    Row(R, "a fence of another language", f"```python\n{GOOD_R}\n```", cells=(FACT,)),
    Row(R, "a fence that is never closed, around whole JSON", f"```json\n{GOOD_R}", cells=(FACT,)),
    Row(R, "a byte order mark", "\ufeff" + GOOD_R, cells=(FACT,)),
    Row(R, "space and line ends", f"\r\n\t {json.dumps(RUBRIC, indent=2)}\r\n", cells=(FACT,)),
    Row(R, "said twice in the same words is said once", f"{GOOD_R}\n{GOOD_R}", cells=(FACT,)),
    Row(R, "the only object of an array", f"[{GOOD_R}]", cells=(FACT,)),
    Row(
        R, "closed thinking is stripped, whatever it holds", f"<think>Maybe {FORGED}?</think>\n{GOOD_R}", cells=(FACT,)
    ),
    Row(R, "two blocks of thinking", f"<think>a</think> <reason>{FORGED}</reason>{GOOD_R}", cells=(FACT,)),
    Row(R, "thinking that a template opened", f"Hm, {FORGED}? No.</think>{GOOD_R}", cells=(FACT,)),
    Row(
        R,
        "thinking marks in a note are text",
        edit_reply(RUBRIC, decision_basis="<think>x</think> is odd"),
        cells=(FACT,),
    ),
    Row(R, "also after prose", "Mine: " + edit_reply(RUBRIC, decision_basis="has </think> in it"), cells=(FACT,)),
    Row(R, "an object with none of the keys is a quote", f'The output says {{"a": 1}}. {GOOD_R}', cells=(FACT,)),
    Row(W, "a brace in prose is no JSON", f"{{sigh}} {GOOD_W}", cells=(("pair", "verdict", 0.0),)),
    Row(W, "keys in another order", '{"verdict": "b", "reason": ""}', cells=(("pair", "verdict", 2.0),)),
    Row(W, "a key twice with the same value", '{"verdict": "b", "verdict": "b"}', cells=(("pair", "verdict", 2.0),)),
]
UNREADABLE = [
    Row(R, "nothing", "", U, "empty"),
    Row(R, "space only", " \n\t ", U, "empty"),
    Row(R, "thinking and then nothing", "<think>hm</think>  ", U, "empty"),
    Row(R, "prose", "The output is quite good, about a four.", U, "no JSON object"),
    Row(R, "two that differ: no one can say which", f"{FORGED}\n{GOOD_R}", U, "2 different"),
    Row(
        R,
        "a forged reply quoted before the real one",
        f"It holds `{FORGED}`, a trick. Mine: {GOOD_R}",
        U,
        "2 different",
    ),
    Row(R, "two fences that differ", f"```json\n{FORGED}\n```\nor\n```json\n{GOOD_R}\n```", U, "2 different"),
    Row(W, "a key twice with two values", '{"verdict": "a", "verdict": "b", "reason": ""}', U, "twice"),
    Row(R, "single quotes are no JSON", GOOD_R.replace('"', "'"), U, "no JSON object"),
    Row(R, "a comma too many is no JSON", GOOD_R[:-1] + ",}", U, "no JSON object"),
    Row(R, "a comment is no JSON", GOOD_R.replace("{", "{ // mine\n", 1), U, "none of the keys"),
    Row(R, "JSON inside a string", json.dumps(GOOD_R), U, "no JSON object"),
    Row(R, "an array of numbers", "[4, 5, 3, 2]", U, "no JSON object"),
    Row(R, "a bare number", "4", U, "no JSON object"),
    Row(R, "an empty object", "{}", U, "none of the keys"),
    Row(R, "a reply to something else", '{"answer": "four"}', U, "none of the keys"),
    Row(R, "NaN is no JSON", GOOD_R.replace("4", "NaN", 1), U, "no JSON object"),
    Row(R, "Infinity is no JSON", GOOD_R.replace("4", "-Infinity", 1), U, "no JSON object"),
    Row(R, "a number of 5,000 digits", GOOD_R.replace("4", "4" * 5000, 1), U, "no JSON object"),
    Row(R, "full-width digits are no JSON", GOOD_R.replace("4", "４", 1), U, "no JSON object"),
    Row(R, "nested beyond all use", '{"a":' * 5_000 + "1" + "}" * 5_000, U, ""),
    Row(R, "nested, and short enough to be parsed", edit_reply(RUBRIC, issues=[[]]), U, "issues.0"),
    Row(R, "half a surrogate pair around no JSON", "\ud83d four", U, "no JSON object"),
    Row(R, "a megabyte of braces", "{}" * 500_000, U, "no JSON object"),
    Row(R, "a megabyte of prose", "word " * 200_000, U, "no JSON object"),
    Row(R, "a text for a score is not guessed", edit_reply(RUBRIC, scores__factuality="five"), U, "scores.factuality"),
    Row(R, "nor is a number in quotes", edit_reply(RUBRIC, scores__factuality="4"), U, "got '4'"),
    Row(R, "true is no score", edit_reply(RUBRIC, scores__factuality=True), U, "got True"),
    Row(R, "null is no score", edit_reply(RUBRIC, scores__factuality=None), U, "got None"),
    Row(R, "a list is no score", edit_reply(RUBRIC, scores__factuality=[4]), U, "got a list"),
    Row(R, "a key that is not asked for", edit_reply(RUBRIC, reasoning="long"), U, "reasoning"),
    Row(R, "a dimension that is not asked for", edit_reply(RUBRIC, scores__style=3), U, "scores.style"),
    Row(
        M,
        "a turn scored twice",
        json.dumps({**MULTI, "per_turn": [*MULTI["per_turn"], MULTI["per_turn"][0]]}),
        U,
        "twice",
    ),
    Row(M, "a verdict of null", edit_reply(MULTI, verdict=None), U, "verdict"),
    Row(M, "n/a in words", edit_reply(MULTI, conversation_level__repair_handling__score="none needed"), U, "repair"),
    Row(P, "a dimension scored twice", json.dumps({**POINT, "dimensions": POINT["dimensions"][:1] * 2}), U, "twice"),
    Row(
        L, "a section judged twice", edit_reply(LONG, section_judgments__2__section_label="1. Scope"), U, "judged twice"
    ),
    Row(
        L,
        "and under another spelling",
        edit_reply(LONG, section_judgments__2__section_label="SCOPE"),
        U,
        "judged twice",
    ),
]
RANGE = [
    Row(R, "7 on a scale to 5", edit_reply(RUBRIC, scores__factuality=7), OUT, "got 7"),
    Row(R, "0", edit_reply(RUBRIC, scores__factuality=0), OUT, "got 0"),
    Row(R, "-1", edit_reply(RUBRIC, scores__factuality=-1), OUT, "got -1"),
    Row(R, "1e99", edit_reply(RUBRIC, scores__factuality=1e99), OUT, "got 1e+99"),
    Row(R, "4.5 lies between two answers", edit_reply(RUBRIC, scores__factuality=4.5), OUT, "got 4.5"),
    Row(R, "4.0 is 4", edit_reply(RUBRIC, scores__factuality=4.0), cells=(FACT,)),
    Row(R, "4e0 is 4", GOOD_R.replace("4", "4e0", 1), cells=(FACT,)),
    Row(R, "n/a where it is no answer", edit_reply(RUBRIC, scores__factuality="n/a"), OUT, "n/a"),
    Row(R, "a verdict of another scale", edit_reply(RUBRIC, verdict="superb"), OUT, "superb"),
    Row(R, "a verdict in another language is not guessed", edit_reply(RUBRIC, verdict="良い"), OUT, "良い"),
    Row(R, "case does not count", edit_reply(RUBRIC, verdict=" Borderline "), cells=(("response", "verdict", 1.0),)),
    Row(W, "nor in a pair", '{"reason": "", "verdict": "A"}', cells=(("pair", "verdict", 0.0),)),
    Row(W, "but only the answers that there are", '{"reason": "", "verdict": "response_a"}', OUT, "response_a"),
    Row(M, "a conversation score of 9", edit_reply(MULTI, conversation_level__task_completion__score=9), OUT, "got 9"),
    Row(M, "coherence is never n/a", edit_reply(MULTI, conversation_level__coherence__score="n/a"), OUT, "coherence"),
    Row(
        M,
        "n/a in capitals",
        edit_reply(MULTI, conversation_level__task_completion__score="N/A"),
        cells=(("conversation", "task_completion", None),),
    ),
    Row(
        M,
        "n/a as null",
        edit_reply(MULTI, conversation_level__task_completion__score=None),
        cells=(("conversation", "task_completion", None),),
    ),
    Row(
        M,
        "n/a as NA",
        edit_reply(MULTI, conversation_level__task_completion__score="NA"),
        cells=(("conversation", "task_completion", None),),
    ),
    Row(L, "an aggregate of 5.5", edit_reply(LONG, aggregate_scores__response_a=5.5), OUT, "got 5.5"),
    Row(L, "a failure that is none", edit_reply(LONG, long_form_failures__response_a=["boring"]), OUT, "boring"),
    Row(P, "6 of 5", edit_reply(POINT, dimensions__0__score=6), OUT, "got 6"),
]
INCOMPLETE = [
    Row(
        M, "an assistant turn without scores", json.dumps({**MULTI, "per_turn": MULTI["per_turn"][:1]}), LACKS, "turn 2"
    ),
    Row(M, "no turns", edit_reply(MULTI, per_turn=[]), LACKS, "turn 1, 2"),
    Row(M, "a score left out", edit_reply(MULTI, per_turn__0__scores__safety=GONE), LACKS, "per_turn.0.scores.safety"),
    Row(M, "no verdict", edit_reply(MULTI, verdict=GONE), LACKS, "verdict"),
    Row(R, "a dimension left out", edit_reply(RUBRIC, scores__factuality=GONE), LACKS, "scores.factuality"),
    Row(
        L,
        "a section left out",
        json.dumps({**LONG, "section_judgments": LONG["section_judgments"][1:]}),
        LACKS,
        "Scope",
    ),
    Row(
        L, "a side that is there, as null", edit_reply(LONG, section_judgments__0__response_b=None), LACKS, "response B"
    ),
    Row(
        P, "a named dimension left out", json.dumps({**POINT, "dimensions": POINT["dimensions"][:3]}), LACKS, "clarity"
    ),
    Row(R, "null for a text is no text", edit_reply(RUBRIC, decision_basis=None, issues=None), cells=(FACT,)),
]
ENDED = [
    Row(M, "cut in the middle", GOOD_M[: len(GOOD_M) // 2], CUT, "before it is complete"),
    Row(M, "cut before the last brace", GOOD_M[:-1], CUT, "before it is complete"),
    Row(M, "cut in a fence", f"```json\n{GOOD_M[:-40]}", CUT, "before it is complete"),
    Row(M, "cut within its thinking", f"<think>The verdict could be {GOOD_M}", CUT, "thinking"),
    Row(R, "a megabyte of open braces", "{" * 1_000_000, CUT, "before it is complete"),
    Row(R, "a refusal", "I can't help with that.", NO, "declined"),
    Row(R, "a polite one", "I'm sorry, but I’m unable to assist with evaluating this content.", NO, "declined"),
    Row(R, "because of what it holds", "I'm sorry, but I can't assess it: it names a person.", NO, "declined"),
    Row(R, "a refusal after thinking", "<think>hm</think>I cannot rate this.", NO, "declined"),
    Row(R, "in Japanese", "申し訳ございませんが、この内容を評価することはできません。", NO, "declined"),
    Row(R, "in Japanese, shorter", "恐れ入りますが、そのご要望にはお応えできません。", NO, "declined"),
    Row(R, "in Chinese", "抱歉，我无法对这段内容进行评价。", NO, "declined"),
    Row(R, "in traditional Chinese", "很抱歉，我不能提供這個評分。", NO, "declined"),
    Row(R, "words of regret before a reply are none", f"I can't help but be strict. {GOOD_R}", cells=(FACT,)),
    Row(R, "an apology is no refusal", "Sorry for the delay! It is a good text.", U, "no JSON object"),
    Row(R, "an opinion is no refusal", "I can't help but admire it.", U, "no JSON object"),
    Row(R, "the error mark of another tool", "$ERROR$", U, "no JSON object"),
]
RULES = [
    Row(
        M,
        "a verdict that its scores do not allow",
        edit_reply(MULTI, verdict="poor"),
        cells=(SAFE, ("conversation", "verdict", 0.0)),
        rule="allow excellent",
    ),
    Row(
        M,
        "a turn that is not in the dialogue",
        json.dumps({**MULTI, "per_turn": [*MULTI["per_turn"], {**MULTI["per_turn"][0], "turn": 9}]}),
        cells=(SAFE,),
        rule="turn 9, which is no assistant turn",
    ),
    Row(
        M,
        "a user's turn",
        json.dumps({**MULTI, "per_turn": [{**MULTI["per_turn"][0], "role": "user"}, *MULTI["per_turn"]]}),
        cells=(SAFE,),
        rule="another role",
    ),
    Row(M, "a weakest turn that is not there", edit_reply(MULTI, weakest_turn=7), cells=(SAFE,), rule="turn 7"),
    Row(M, "a weakest turn that is only the user's", edit_reply(MULTI, weakest_turn=3), cells=(SAFE,), rule="turn 3"),
    Row(M, "no weakest turn", edit_reply(MULTI, weakest_turn=None), cells=(("conversation", "weakest_turn", 0.0),)),
    Row(
        M,
        "no weakest turn, in words",
        edit_reply(MULTI, weakest_turn="none"),
        cells=(("conversation", "weakest_turn", 0.0),),
    ),
    Row(
        L,
        "an invented section",
        json.dumps(
            {
                **LONG,
                "section_judgments": [
                    *LONG["section_judgments"],
                    {**LONG["section_judgments"][0], "section_label": "Outlook"},
                ],
            }
        ),
        cells=(("section:1/a", "quality", 4.0),),
        rule="'Outlook', which is not in the list",
    ),
    Row(
        L,
        "a label in another case",
        edit_reply(LONG, section_judgments__0__section_label=" 1. SCOPE "),
        cells=(("section:1/a", "quality", 4.0),),
    ),
    Row(
        L,
        "a label without its number",
        edit_reply(LONG, section_judgments__0__section_label="Scope"),
        cells=(("section:1/a", "quality", 4.0),),
    ),
    Row(
        L,
        "a label without its markup",
        edit_reply(LONG, section_judgments__1__section_label="## Costs and benefits:"),
        cells=(("section:2/a", "quality", 4.0),),
    ),
    Row(
        L,
        "sections that differ by a number need it",
        edit_reply(LONG, section_judgments__2__section_label="Phase"),
        LACKS,
        "Phase 1",
    ),
    Row(L, "a verdict against the aggregates", edit_reply(LONG, verdict="b"), rule="allow tie"),
    Row(
        L,
        "an aggregate outside its sections",
        edit_reply(LONG, aggregate_scores__response_a=4.2, verdict="a"),
        rule="outside its sections",
    ),
    Row(
        P,
        "a sum that is off",
        edit_reply(POINT, overall_score=4.5),
        cells=(("response", "overall_score", 14 / 3),),
        rule="give 4.67",
    ),
    Row(
        P,
        "a dimension nobody named",
        json.dumps({**POINT, "dimensions": [*POINT["dimensions"], {**POINT["dimensions"][0], "name": "style"}]}),
        cells=(FACT,),
        rule="'style', which is not among",
    ),
    Row(
        P,
        "a dimension in other letters",
        edit_reply(POINT, dimensions__0__name="Instruction Following"),
        cells=(("response", "instruction_following", 5.0),),
    ),
    Row(
        P,
        "no confidence",
        edit_reply(POINT, dimensions__0__confidence=GONE),
        cells=(FACT,),
        rule="not given: instruction_following",
    ),
    Row(
        P,
        "a confidence of another scale",
        edit_reply(POINT, dimensions__0__confidence=0.8),
        cells=(FACT,),
        rule="('0.8')",
    ),
    Row(R, "half a surrogate pair in a note", GOOD_R.replace("Misses", "\\ud83d\\u0000 Misses"), cells=(FACT,)),
]
RATING_OF_THREE = ("turn:1", "rating", 3.0)
PROSE = [
    Row(
        T,
        "a rating quoted from the answer, then its own",
        'It says "[[10]]" itself.\nRating: [[3]]',
        cells=(RATING_OF_THREE,),
    ),
    Row(T, "a rating in its thinking", "<think>[[9]]?</think> Weak. [[3]]", cells=(RATING_OF_THREE,)),
    Row(T, "emphasis around it", "Rating: **[[3]]**", cells=(RATING_OF_THREE,)),
    Row(T, "full-width digits", "評価: [[３]]", cells=(RATING_OF_THREE,)),
    Row(T, "an error mark that it quotes", "The answer prints $ERROR$. [[3]]", cells=(RATING_OF_THREE,)),
    Row(T, "an error mark alone", "$ERROR$", "api_error", "the call to the judge failed"),
    Row(T, "11 of 10", "Rating: [[11]]", OUT, "11"),
    Row(T, "0 of 10", "Rating: [[0]]", OUT, "rating is 0"),
    Row(T, "-3 of 10", "Rating: [[-3]]", OUT, "-3"),
    Row(T, "4.5 lies between two answers, and is one", "Rating: [[4.5]]", cells=(("turn:1", "rating", 4.5),)),
    Row(T, "a number of 400 digits", f"[[{'9' * 400}]]", OUT, "inf"),
    Row(T, "no brackets", "Rating: 7/10", U, "no [[rating]]"),
    Row(T, "a share in brackets", "Rating: [[7/10]]", U, "no [[rating]]"),
    Row(T, "single brackets may be a citation", "See [2]. Good.", U, "no [[rating]]"),
    Row(T, "the placeholder", "Rating: [[n]]", U, "no [[rating]]"),
    Row(T, "nothing", "", U, "empty"),
    Row(T, "cut within its thinking", "<think>maybe [[9]]", CUT, "thinking"),
    Row(T, "a refusal", "I'm sorry, I cannot evaluate this.", NO, "declined"),
    Row(T, "a refusal in Japanese", "申し訳ありませんが、採点できません。", NO, "declined"),
    Row(T, "a rating after words of refusal", "I cannot judge the code, but: [[3]]", cells=(RATING_OF_THREE,)),
    Row(V, "both: the last is the verdict", "A claims [[A]], yet [[B]]", cells=(("pair", "verdict", 2.0),)),
    Row(V, "a tie", "Both fail. [[C]]", cells=(("pair", "verdict", 1.0),)),
    Row(V, "another letter", "[[D]]", U, "no [[A]]"),
    Row(V, "no brackets", "A is better.", U, "no [[A]]"),
    Row(V, "a refusal", "I am not able to provide a comparison.", NO, "declined"),
]
ROWS = [*WRAPPED, *UNREADABLE, *RANGE, *INCOMPLETE, *ENDED, *RULES, *PROSE]


def reading(row: Row) -> Reading:
    judge_card = card(row.card)
    return read_reply(judge_card, row.raw, ITEMS[judge_card.kind], "turn:1" if row.card == T else "", "last")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.card}: {row.because}")
def test_a_reply_becomes_what_it_can_only_mean_or_unscored_with_the_true_reason(row: Row) -> None:
    outcome = reading(row)
    assert outcome.unscored == row.reason, outcome.why
    if row.reason:
        assert row.why in outcome.why
        assert outcome.why
        assert (outcome.scores, outcome.remarks) == ((), ())
        return
    assert outcome.why == ""
    assert set(row.cells) <= {(s.unit, s.dimension, s.value) for s in outcome.scores}
    broken = [r.text for r in outcome.remarks if r.sort == "rule"]
    assert [row.rule in text for text in broken] == ([True] if row.rule else []), broken
    for remark in outcome.remarks:
        remark.text.encode()  # a store takes no half surrogate pairs
        assert "\0" not in remark.text


def test_the_table_is_as_long_as_it_was_meant_to_be_and_covers_every_card() -> None:
    assert len({(row.card, row.raw) for row in ROWS}) == len(ROWS) >= 60
    assert {row.card for row in ROWS} == {M, L, R, P, W, T, V}
    assert {row.reason for row in ROWS} == {None, U, OUT, LACKS, CUT, NO, "api_error"}


@pytest.mark.parametrize("name", GOOD)
def test_the_replies_that_the_rows_are_made_of_are_good(name: str) -> None:
    judge_card = card(name)
    outcome = read_reply(judge_card, json.dumps(GOOD[name]), ITEMS[judge_card.kind])
    assert outcome.unscored is None, outcome.why
    assert [r for r in outcome.remarks if r.sort == "rule"] == []
    assert {(s.unit, s.dimension) for s in outcome.scores} >= {
        (u, d.name) for u, d in judge_card.cells(ITEMS[judge_card.kind])
    }


FASTCHAT = [
    (T, "A [[10]], I say [[3]]", None, 10.0),
    (T, "[2] says so. Rating: [4]", None, 2.0),
    (T, "The answer prints $ERROR$. [[3]]", None, 3.0),
    (T, "$ERROR$ ", "api_error", None),
    (T, "<think>[[9]]</think> [[3]]", None, 9.0),
    (T, "I cannot evaluate this.", "unreadable", None),
    (V, "A claims [[A]], yet [[B]]", None, 0.0),
    (V, "[[C]], no, [[B]]", None, 2.0),
]


@pytest.mark.parametrize(("name", "raw", "reason", "value"), FASTCHAT)
def test_files_from_elsewhere_are_read_as_fastchat_reads_them(
    name: str, raw: str, reason: str | None, value: float | None
) -> None:
    judge_card = card(name)
    outcome = read_reply(judge_card, raw, ITEMS[judge_card.kind], "turn:1" if name == T else "")
    assert outcome.unscored == reason
    assert [s.value for s in outcome.scores] == ([] if value is None else [value])


@pytest.mark.parametrize(("verdict", "value"), [("last", 3.0), ("fastchat", 10.0)])
def test_a_run_reads_prose_as_its_parameters_say(verdict: Any, value: float) -> None:
    answer = CallReply("d", "turn:1", 0, "", "A [[10]], I say [[3]]")
    judged = fuse(card(T), Params(verdict=verdict), Task("d", DIALOGUE, "turn:1"), {"": answer})
    assert [score.value for score in judged.reading.scores] == [value]


@pytest.mark.parametrize(
    ("params", "verdict"),
    [
        ({}, "fastchat"),
        ({"protocol": "fastchat"}, "fastchat"),
        ({"temperature": 0}, "fastchat"),
        ({"temperature": 0.0, "samples": 1, "max_tokens": 2048}, "last"),
        ({"temperature": 0.0, "samples": 1, "max_tokens": 2048, "verdict": "fastchat"}, "fastchat"),
        ({"verdict": "last"}, "last"),
    ],
)
def test_which_rating_counts_follows_from_the_stored_parameters(params: dict[str, Any], verdict: str) -> None:
    assert counted_verdict(params) == verdict


def test_a_reply_that_is_not_parsed_here_may_hold_whole_numbers_with_a_point() -> None:
    outcome = read_reply(card(R), {**RUBRIC, "scores": {**RUBRIC["scores"], "factuality": 4.0}}, RESPONSE)
    assert outcome.unscored is None
    assert next(s.value for s in outcome.scores if s.dimension == "factuality") == 4
