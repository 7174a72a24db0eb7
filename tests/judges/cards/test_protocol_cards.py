"""The cards of MT-Bench as a protocol has them shown: what the judge gets to the letter, and that they last."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judges.authoring.custom import from_spec
from judges.card import Card
from judges.cards import card, cards
from judges.cards.mt_bench.protocol_cards import judge_card, pair_card
from judges.client.estimate import find_long_calls, safe_length
from judges.errors import BadCard
from judges.mtbench.prompts import VARIANTS, BadPrompt, wording
from judges.mtbench.protocol import Protocol, protocols
from judges.mtbench.records import PromptText
from judges.params import Params
from judges.protocols.call_plan import Task, build_request, pieces
from judges.types import Dialogue, Pair, PairSide, Turn

FAST, SWALLOW = protocols()["fastchat"], protocols()["swallow"]
MATH = {"category": "math", "reference": ["own 1", "own 2"], "reference_answer": ["file {1}", "file 2"]}
SINGLE = [
    PromptText("single-v1", "single", "S", "Q={question} A={answer} {{}}"),
    PromptText("single-math-v1", "single", "SM", "Q={question} R={ref_answer_1} A={answer}"),
    PromptText("single-v1-multi-turn", "single", "M", "{question_1}|{answer_1}|{question_2}|{answer_2}"),
    PromptText("single-math-v1-multi-turn", "single", "", "{ref_answer_1}|{ref_answer_2}|{question_2}|{answer_2}"),
]
PAIRS = [
    PromptText("pair-v2", "pairwise", "P", "{question}: {answer_a} or {answer_b}"),
    PromptText("pair-math-v1", "pairwise", "PM", "{question} {ref_answer_1}: {answer_a} or {answer_b}"),
    PromptText("pair-v2-multi-turn", "pairwise", "P2", "{question_2}: {answer_a_1} {answer_a_2} or {answer_b_2}"),
    PromptText("pair-math-v1-multi-turn", "pairwise", "PM2", "{ref_answer_2}: {answer_a_2} or {answer_b_2}"),
]
CANON = Protocol(name="zz", prompts="single-v1", judge="m")


def talk(answers: tuple[str, ...] = ("a1", "a2"), meta: dict[str, Any] | None = None) -> Dialogue:
    turns = [
        Turn.model_validate({"turn": n, "role": role, "text": text})
        for n, answer in enumerate(answers, 1) for role, text in (("user", f"q{n}"), ("assistant", answer))
    ]  # fmt: skip
    return Dialogue(id="81/m", kind="dialogue", system="secret", turns=turns, meta=meta or {})


def pair(turn: int = 1, meta: dict[str, Any] | None = None, **texts: str) -> Pair:
    fields = {"input": "q1", "a": "<think>t</think>a1", "b": "b1"}
    if turn == 2:
        fields = {
            "input": "[User, turn 1]\nq1\n\n[User, turn 2]\nq2",
            "a": "[Answer, turn 1]\n<think>x</think>a1\n\n[Answer, turn 2]\na2",
            "b": "[Answer, turn 1]\nb1\n\n[Answer, turn 2]\nb2",
        }
    fields |= texts
    return Pair(
        id="81/x~y", kind="pair", input=fields["input"], response_a=PairSide(system="x", text=fields["a"]),
        response_b=PairSide(system="y", text=fields["b"]), meta={"turn": turn, **(meta or {})},
    )  # fmt: skip


def messages(bench_card: Card, item: Any, part: str = "", piece: str = "") -> list[tuple[str, str]]:
    chat = build_request(bench_card, bench_card.defaults, Task("k", item, part), piece, {}, "text", salt="s").messages
    return [(message["role"], message["content"]) for message in chat]


def restore(bench_card: Card) -> Card:
    """The card as a store gives it back."""
    return from_spec(json.loads(json.dumps(bench_card.spec, default=list)), cards())


def test_with_canonical_prompts_a_judge_gets_fastchats_messages_and_nothing_else() -> None:
    bench_card = judge_card(CANON, SINGLE)
    braces = talk(("{question} {x}", "a2"))
    assert messages(bench_card, braces, "turn:1") == [("system", "S"), ("user", "Q=q1 A={question} {x} {}")]
    assert messages(bench_card, braces, "turn:2") == [("system", "M"), ("user", "q1|{question} {x}|q2|a2")]
    math = talk(meta=MATH)
    assert messages(bench_card, math, "turn:1") == [("system", "SM"), ("user", "Q=q1 R=file {1} A=a1")]
    assert messages(bench_card, math, "turn:2") == [("user", "file {1}|file 2|q2|a2")]
    assert bench_card.version != card("mt_bench").version and bench_card.name == "mt_bench"


def test_a_template_gets_what_users_and_assistant_said_and_nothing_of_tools_or_systems() -> None:
    utterances = [("system", "be brief"), ("user", "a"), ("tool", "call"), ("assistant", "c")]
    turns = [Turn.model_validate({"turn": 1, "role": role, "text": words}) for role, words in utterances]
    item = Dialogue(id="x", kind="dialogue", turns=turns)
    assert messages(judge_card(CANON, SINGLE), item, "turn:1") == [("system", "S"), ("user", "Q=a A=c {}")]


def test_a_template_for_two_turns_judges_two() -> None:
    long = talk(("a1", "a2", "a3"))
    assert judge_card(CANON, SINGLE).parts(long) == ["turn:1", "turn:2"]
    assert judge_card(FAST).parts(long) == ["turn:1", "turn:2", "turn:3"]


@pytest.mark.parametrize(
    ("references", "expected"), [("", "file {1}"), ("own", "own 1"), ("none", None), ("gpt-4", "file {1}")]
)
def test_references_are_those_of_the_protocol(references: str, expected: str | None) -> None:
    ours = judge_card(FAST.model_copy(update={"references": references}))
    reference = ours.fields(talk(meta=MATH), "turn:1").get("reference_answer")
    assert reference == (None if expected is None else [{"turn": 1, "text": expected}])
    assert ours.variant(talk(meta=MATH), "turn:2") == ("multi_turn" if expected is None else "multi_turn_reference")
    canonical = judge_card(CANON.model_copy(update={"references": references}), SINGLE)
    assert canonical.variant(talk(meta=MATH), "turn:1") == ("" if expected is None else "reference")
    assert canonical.fields(talk(meta=MATH), "turn:1").get("ref_answer_1") == expected


def test_a_named_set_of_references_is_that_one_where_an_item_holds_several() -> None:
    item = talk(meta={**MATH, "reference_answers": {"gpt-4": ["four", ""], "gpt-5": ["five", "six"]}})
    five = judge_card(CANON.model_copy(update={"references": "gpt-5"}), SINGLE)
    assert five.fields(item, "turn:2")["ref_answer_2"] == "six"
    other = judge_card(CANON.model_copy(update={"references": "gpt-6"}), SINGLE)
    assert other.variant(item, "turn:1") == "" and "ref_answer_1" not in other.fields(item, "turn:1")
    assert judge_card(CANON, SINGLE).fields(item, "turn:1")["ref_answer_1"] == "file {1}"
    assert judge_card(CANON, SINGLE, "gpt-4").fields(item, "turn:1")["ref_answer_1"] == "four"
    own = CANON.model_copy(update={"references": "own"})
    assert judge_card(own, SINGLE, "gpt-4").version == judge_card(own, SINGLE).version, "the protocol goes before"


def test_thinking_goes_and_what_is_left_is_cut() -> None:
    thought = talk(("<think>long thoughts</think>answer one", "<reason>r</reason>answer two"))
    dialogue = judge_card(FAST.model_copy(update={"cut_at": 8})).fields(thought, "turn:2")["dialogue"]
    assert [entry["text"] for entry in dialogue] == ["q1", "answer o", "q2", "answer t"]
    fields = judge_card(FAST.model_copy(update={"cut_at": 8, "thinking": "kept"})).fields(thought, "turn:1")
    assert fields == {"question": "q1", "answer": "<think>l"}
    canonical = judge_card(CANON.model_copy(update={"cut_at": 8}), SINGLE)
    assert canonical.fields(thought, "turn:1") == {"question": "q1", "answer": "answer o"}


def test_a_pair_of_two_turns_is_taken_apart_for_its_template() -> None:
    bench_card = pair_card(CANON, [*SINGLE, *PAIRS])
    assert pieces(bench_card, bench_card.defaults, Task("k", pair())) == ["order:ab", "order:ba"]
    assert messages(bench_card, pair(), piece="order:ab") == [("system", "P"), ("user", "q1: a1 or b1")]
    assert messages(bench_card, pair(), piece="order:ba") == [("system", "P"), ("user", "q1: b1 or a1")]
    assert messages(bench_card, pair(2), piece="order:ab") == [("system", "P2"), ("user", "q2: a1 a2 or b2")]
    assert messages(bench_card, pair(2, MATH), piece="order:ba") == [("system", "PM2"), ("user", "file 2: b2 or a2")]
    assert bench_card.parts(pair(2, a="no turns are marked")) == []
    ours = pair_card(FAST).fields(pair(2), "")
    assert ours["response_a"] == "[Answer, turn 1]\na1\n\n[Answer, turn 2]\na2"


def test_our_japanese_family_says_what_swallows_judge_is_told() -> None:
    for bench_card, is_pair in ((judge_card(SWALLOW), False), (pair_card(SWALLOW), True)):
        usual = card(bench_card.name)
        assert set(bench_card.prompts) == set(usual.prompts) == set(VARIANTS)
        for variant, text in bench_card.prompts.items():
            assert text != usual.prompts[variant]
            assert text.count("## The language") == 1 and text.index("## The language") < text.index("## Your reply")
            assert "at most 150 words first, in Japanese." in text
            assert all(phrase in text for phrase in ("Passages in another", "without any Japanese", "calculations"))
            assert ("gets a 1" in text) is not is_pair
    assert judge_card(SWALLOW).defaults.wording == wording(judge_card(SWALLOW).prompts[""])


def test_the_same_content_is_the_same_version_and_the_usual_card_stays_what_it_is() -> None:
    plain = Protocol(name="zz", thinking="kept", judge="m")
    assert judge_card(plain).version == card("mt_bench").version and judge_card(plain).recipe is None
    assert pair_card(plain).version == card("mt_bench_pair").version
    others = {"name": "other", "judge": "n", "system": "s", "samples": 5, "max_tokens": 99, "failed": "counted"}
    assert judge_card(FAST.model_copy(update=others)).version == judge_card(FAST).version
    for change in ({"thinking": "kept", "cut_at": 9}, {"cut_at": 9}, {"references": "own"}, {"prompts": "single-v1"}):
        assert judge_card(FAST.model_copy(update=change), SINGLE).version != judge_card(FAST).version
    other = [SINGLE[0]._replace(template="{answer} {question}"), *SINGLE[1:]]
    assert judge_card(CANON, other).version != judge_card(CANON, SINGLE).version
    assert judge_card(CANON, [*SINGLE, *PAIRS]).version == judge_card(CANON, SINGLE).version


@pytest.mark.parametrize(
    "bench_card",
    [judge_card(FAST), pair_card(SWALLOW), judge_card(CANON, SINGLE), pair_card(CANON, PAIRS)],
    ids=["ours", "japanese pair", "canonical", "canonical pair"],
)
def test_a_stored_card_shows_again_what_it_showed(bench_card: Card) -> None:
    back = restore(bench_card)
    assert back.version == bench_card.version
    for item in (talk(("<think>x</think>a", "b"), MATH), pair(2, MATH)):
        if item.kind == bench_card.kind:
            for part in bench_card.parts(item):
                piece = "order:ab" if bench_card.kind == "pair" else ""
                again = build_request(
                    back, bench_card.defaults, Task("k", item, part), piece, {}, "text", salt="s"
                ).messages
                assert messages(bench_card, item, part, piece) == [(m["role"], m["content"]) for m in again]


def test_a_stored_card_that_is_none_is_refused() -> None:
    spec = judge_card(CANON, SINGLE).spec
    with pytest.raises(BadCard, match="says nothing that can be used"):
        from_spec({**spec, "recipe": {**spec["recipe"], "thinking": "maybe"}}, cards())
    with pytest.raises(BadCard, match="prompts that are no texts"):
        from_spec({**spec, "templates": {"": 7}}, cards())


def test_a_judge_by_a_protocol_says_so_in_its_parameters() -> None:
    identity = judge_card(CANON, SINGLE).defaults.identity("dialogue")
    assert identity["protocol"] == CANON.mark and identity["prompt"] == "single-v1"
    assert identity["wording"] == wording(SINGLE[0].template) and identity["verdict"] == "fastchat"
    assert pair_card(CANON, PAIRS).defaults.prompt == "pair-v2"
    assert not {"protocol", "prompt", "wording"} & Params().identity("dialogue").keys()


def test_people_read_template_and_system_prompt_together() -> None:
    texts = judge_card(CANON, SINGLE).texts
    assert texts[""] == "S\n\nQ={question} A={answer} {{}}" and texts["multi_turn_reference"] == SINGLE[3].template
    assert card("mt_bench").texts == card("mt_bench").prompts


def test_no_item_is_short_enough_to_surely_fit_a_template_that_may_hold_it_twice() -> None:
    bench_card, item = judge_card(CANON, SINGLE), talk(("a" * 400, "b" * 400))
    assert len(item.model_dump_json()) > safe_length(bench_card, bench_card.defaults, 4000) == 0
    (long, *_), room = (
        find_long_calls(bench_card, bench_card.defaults, [("k", item)], 2048).items,
        bench_card.defaults.max_tokens,
    )
    assert long[0] == "k" and long[1] > room


def test_prompts_that_are_not_there_are_named() -> None:
    with pytest.raises(BadPrompt, match=r"family 'single-v1' are here.*assay, assay-japanese.*none.*Import the file"):
        judge_card(CANON)
