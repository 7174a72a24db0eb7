"""The prompts say all that a judge must know, in our own words; the messages, the examples, and `show`."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judges import examples
from judges.authoring.custom import from_spec
from judges.card import Card, Example
from judges.cards import card, cards
from judges.cards.pointwise_quality.card import card_with_dimensions
from judges.cli import main
from judges.client.estimate import estimate
from judges.errors import BadCard
from judges.protocols.call_plan import Task, build_request
from judges.protocols.messages import read_fence
from judges.reading.schema import schema_in_words, strict_schema
from judges.types import ITEM
from tests.judges.replies import SHIPPED

MINE = list(SHIPPED.values())
EVERY = [(judge_card, variant) for judge_card in MINE for variant in judge_card.prompts]
WITH = {"reference": "reference_answer", "judged_turn": "judged_turn"}

TURNS = [{"turn": t, "role": r, "text": f"{r} {t}"} for t in (1, 2) for r in ("user", "assistant")]
META = {"category": "math", "reference": ["4", "6"]}
SECTIONS = [{"label": "One", "a": [0, 1], "b": None}]
SPECIMENS: dict[str, list[Any]] = {
    "dialogue": [{"turns": TURNS}, {"turns": TURNS, "meta": META}],
    "pair": [
        {"input": "q", "response_a": {"text": "a"}, "response_b": {"text": "b"}, "sections": SECTIONS, "meta": meta}
        for meta in ({}, META, {"turn": 2}, {**META, "turn": 2})
    ],
    "response": [{"task": "t", "output": "o", "reference": "r"}],
}


def specimens(judge_card: Card) -> list[Any]:
    return [
        ITEM.validate_python({"id": "x", "kind": judge_card.kind, **fields}) for fields in SPECIMENS[judge_card.kind]
    ]


def names(schema: dict[str, Any]) -> set[str]:
    """Every key and every word that a strict schema allows."""
    if "anyOf" in schema:
        return set().union(*(names(option) for option in schema["anyOf"]))
    inside = schema.get("properties", {})
    words = set(inside) | {value for value in schema.get("enum", ()) if isinstance(value, str)}
    return words.union(
        *(names(value) for value in inside.values()), names(schema["items"]) if "items" in schema else ()
    )


@pytest.mark.parametrize(("judge_card", "variant"), EVERY, ids=lambda v: getattr(v, "name", v))
def test_a_prompt_says_what_holds_for_every_judge(judge_card: Card, variant: str) -> None:
    prompt = judge_card.prompts[variant]
    for phrase in ("All of it is material", "The task and the output are material"):
        if phrase in prompt:
            break
    else:
        pytest.fail("it does not say that what it gets is material to be judged")
    assert "do not obey" in prompt
    assert "Length is no merit" in prompt
    assert "language" in prompt
    assert "## Your reply" in prompt
    assert len(prompt) < 6000
    if judge_card.kind == "pair":
        assert "order of presentation is chance" in prompt


@pytest.mark.parametrize("judge_card", MINE, ids=lambda c: c.name)
def test_a_prompt_names_every_field_that_its_judge_is_shown(judge_card: Card) -> None:
    used = set()
    for item in specimens(judge_card):
        for part in judge_card.parts(item):
            variant = judge_card.variant(item, part)
            used.add(variant)
            for key in judge_card.fields(item, part):
                assert f"`{key}`" in judge_card.prompts[variant], (variant, key)
    assert used == set(judge_card.prompts), "a prompt that no item gets"


@pytest.mark.parametrize("judge_card", [c for c in MINE if c.text is None], ids=lambda c: c.name)
def test_a_prompt_shows_the_reply_with_every_key_and_every_word(judge_card: Card) -> None:
    """Up to the names that the caller gives, which stand in the material."""
    own_names = {d.name for d in judge_card.dimensions if d.asked} if judge_card.name == "pointwise_quality" else set()
    shape = judge_card.prompts[""].rpartition("## Your reply")[2]
    for word in names(strict_schema(judge_card.reply)) - own_names:
        is_named = f'"{word}"' in shape or f"`{word}`" in judge_card.prompts[""]
        assert is_named, word
    assert "One JSON object and nothing else" in shape
    for dimension in judge_card.dimensions:
        assert (
            dimension.name in judge_card.prompts[""]
            or dimension.name in own_names
            or f"{dimension.name}_scores" in shape
        )


@pytest.mark.parametrize("judge_card", [c for c in MINE if c.text is not None], ids=lambda c: c.name)
def test_prose_ends_in_brackets(judge_card: Card) -> None:
    for prompt in judge_card.prompts.values():
        end = prompt.rpartition("## Your reply")[2]
        assert all(
            mark in end for mark in (("[[n]]",) if judge_card.name == "mt_bench" else ("[[A]]", "[[B]]", "[[C]]"))
        )
        # No number stands in double brackets: a judge that repeats its prompt has not rated anything.
        assert judge_card.text is not None
        reading = judge_card.read(
            judge_card.reply.model_validate({**judge_card.text(prompt, "turn:1"), "counts": "last"}),
            specimens(judge_card)[0],
        )
        assert reading.unscored == "unreadable" or judge_card.name == "mt_bench_pair"


PASSAGES = {
    "multi_turn_dialogue": [
        "at most 40 words",
        "not averages of the turn scores",
        "in whatever language",
        "only if no user turn corrects",
        "measured against `scenario_description`",
        "Equal scores on all turns",
    ],
    "long_form_pairwise": [
        "0.25",
        "copy it exactly, make none up",
        "the opening counts no more",
        "nearly always shows one",
        "neglects what stands in the middle",
    ],
    "rubric_open_ended": [
        "at most 40 words",
        "without quoting",
        "one that goes beyond it and is right loses nothing",
        "do not lower any score because there is no reference",
        "A short output that covers it all gets 5",
        'not "fine"',
        "an output in your own style is worth no more",
    ],
    "pointwise_quality": [
        "at most 20 words",
        "at most 30 words",
        "Calling a guess high does harm",
        "does not apply to this output",
        "fit the number",
    ],
    "plain_pairwise": ["at most 40 words", "found none"],
}


@pytest.mark.parametrize("name", PASSAGES)
def test_a_prompt_speaks_to_the_failures_that_are_known(name: str) -> None:
    assert [words for words in PASSAGES[name] if words not in card(name).prompts[""]] == []


@pytest.mark.parametrize("judge_card", MINE, ids=lambda c: c.name)
def test_the_messages_are_the_rubric_and_the_fenced_item(judge_card: Card) -> None:
    item = specimens(judge_card)[-1]
    for part in judge_card.parts(item):
        for mode in ("json_schema", "json_object", "text"):
            params = judge_card.defaults.model_copy(update={"orders": "ab"})
            request = build_request(judge_card, params, Task("k", item, part), "", {}, mode)  # type: ignore[arg-type]
            assert [message["role"] for message in request.messages] == ["system", "user"]
            assert request.messages[0]["content"] == judge_card.prompts[judge_card.variant(item, part)]
            assert (request.schema is None) == (judge_card.text is not None)
            assert (
                request.messages[1]["content"].endswith(
                    schema_in_words(judge_card) if mode != "json_schema" else "end ==="
                )
                or judge_card.text
            )


def test_the_marks_of_a_fence_are_other_ones_each_time_and_nobody_foresees_them() -> None:
    judge_card = replace(card("plain_pairwise"), examples=tuple(PLAIN))
    task = Task("k", specimens(judge_card)[-1])

    def message_texts(salt: str | None = None) -> list[str]:
        request = build_request(judge_card, judge_card.defaults, task, "order:ab", {}, "text", salt)
        return [message["content"] for message in request.messages]

    def strip_marks(texts: list[str]) -> list[str]:
        return [re.sub(r"\b[0-9a-f]{16}\b", "", text) for text in texts]

    calls = [message_texts() for _ in range(50)]
    marks = {mark for call in calls for mark in re.findall(r"^=== ([0-9a-f]{16}) end ===$", "\n".join(call), re.M)}
    assert len(marks) == 50 * 3, "each example's fence, and the item's, has its own in each call"
    assert {str(strip_marks(call)) for call in calls} == {
        str(strip_marks(message_texts("s")))
    }, "and nothing else differs"
    assert message_texts("s") == message_texts("s") != message_texts("t")
    assert all(read_fence(call[-1]) == read_fence(message_texts("s")[-1]) is not None for call in calls)
    assert judge_card.version == replace(card("plain_pairwise"), examples=tuple(PLAIN)).version
    counted = {estimate(judge_card, "m", judge_card.defaults, [("k", task.item)]).tokens_in for _ in range(20)}
    assert len(counted) == 1, "an estimate is the same each time"


# -- examples ---------------------------------------------------------------------------------------------------------

SUM = {"input": "2+2?", "response_a": "4", "response_b": "5"}
PLAIN = [
    Example("a is right", SUM, {"reason": "A is right.", "verdict": "a"}),
    Example("a tie", {"input": "Hi", "response_a": "Hi!", "response_b": "Hi."}, {"reason": "Same.", "verdict": "tie"}),
]
EMPTY = '{"id": "p", "kind": "pair", "input": "q", "response_a": {"text": null}, "response_b": {"text": null}}'


def test_examples_stand_before_the_item_and_are_part_of_the_version() -> None:
    base = card("plain_pairwise")
    judge_card = examples.with_examples(base, PLAIN)
    assert judge_card.version != base.version
    assert judge_card.version == examples.with_examples(base, PLAIN).version
    assert judge_card.version != examples.with_examples(base, PLAIN[::-1]).version
    assert [row["shows"] for row in judge_card.spec["examples"]] == ["a is right", "a tie"]
    params = judge_card.defaults.model_copy(update={"orders": "ab"})
    request = build_request(judge_card, params, Task("k", specimens(judge_card)[0]), "", {}, "text")
    assert [message["role"] for message in request.messages] == [
        "system", "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    assert json.loads(request.messages[2]["content"]) == PLAIN[0].reply
    assert '"2+2?"' in request.messages[1]["content"]


def test_examples_of_a_card_of_named_dimensions_keep_its_recipe() -> None:
    base = card_with_dimensions([("zz_tone", "Kind.")])
    reply = {
        "dimensions": [{"name": "zz_tone", "score": 1, "justification": "Rude.", "confidence": "low"}],
        "overall_score": 1.0, "trustworthy_aggregate": False, "decision_basis": "Rude.",
    }  # fmt: skip
    tone_examples = [Example(shows, {"task_description": "t"}, reply) for shows in ("a 1", "low")]
    judge_card = examples.with_examples(base, tone_examples)
    assert judge_card.recipe == base.recipe
    assert judge_card.version != base.version


@pytest.mark.parametrize(
    "base", [card("plain_pairwise"), card("mt_bench"), card_with_dimensions([("zz_tone", "Kind.")])]
)
def test_a_stored_card_with_examples_is_had_again(base: Card) -> None:
    reply: Any = {"plain_pairwise": PLAIN[0].reply, "mt_bench": "[[3]]"}.get(base.name) or {
        "dimensions": [], "overall_score": 1.0, "trustworthy_aggregate": False, "decision_basis": "",
    }  # fmt: skip
    judge_card = examples.with_examples(base, [Example("a 1", {"x": 1}, reply), Example("a 5", {"x": 2}, reply)])
    again = from_spec(json.loads(json.dumps(judge_card.spec)), cards())
    assert (again.version, again.examples) == (judge_card.version, judge_card.examples)


@pytest.mark.parametrize(
    ("name", "card_examples", "message"),
    [
        ("plain_pairwise", PLAIN[:1], "2 or 3 examples; there are 1"),
        ("plain_pairwise", PLAIN * 2, "there are 4"),
        ("plain_pairwise", [PLAIN[0], replace(PLAIN[1], reply={"reason": "", "verdict": "c"})], "Example 2.*verdict"),
        ("plain_pairwise", [PLAIN[0], replace(PLAIN[1], reply="a tie")], "must be a JSON object"),
        ("plain_pairwise", [PLAIN[0], replace(PLAIN[1], fields={})], "give the fields"),
        (
            "mt_bench",
            [Example("a 1", {"question": "q"}, "Bad."), Example("x", {"question": "q"}, "[[3]]")],
            r"\[\[7\]\]",
        ),
    ],
)
def test_examples_that_cannot_be_used_are_refused(name: str, card_examples: list[Example], message: str) -> None:
    with pytest.raises(BadCard, match=message):
        examples.with_examples(card(name), card_examples)


def rows(folder: Path, *lines: Any) -> str:
    (folder / "examples.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return str(folder / "card.py")


def test_a_folder_may_hold_examples_for_each_of_its_cards(tmp_path: Path) -> None:
    both = [card("mt_bench"), card("mt_bench_pair")]
    assert examples.examples_of_folder(str(tmp_path / "card.py"), both) == both
    row = {"shows": "a 3", "fields": {"question": "q", "answer": "a"}, "reply": "Weak. Rating: [[3]]"}
    other = {"shows": "b", "fields": {"input": "q"}, "reply": "[[B]]", "card": "mt_bench_pair"}
    rating_card, pair_card = examples.examples_of_folder(rows(tmp_path, row, row, other, other, other), both)
    assert (len(rating_card.examples), len(pair_card.examples)) == (2, 3)
    assert rating_card.version != both[0].version
    assert (rating_card.recipe, pair_card.recipe) == (None, None)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([[1]], "line 1: an example has the keys"),
        ([{"shows": "x", "fields": {}, "reply": {}, "more": 1}], "and no others"),
        ([{"shows": 1, "fields": {}, "reply": {}}], "shows is a text"),
        ([{"shows": "x", "fields": {}, "reply": {}, "card": "rubric"}], "no card 'rubric'"),
    ],
)
def test_a_line_that_is_no_example_is_named(tmp_path: Path, lines: list[Any], message: str) -> None:
    with pytest.raises(BadCard, match=message):
        examples.examples_of_folder(rows(tmp_path, *lines), [card("mt_bench")])


# -- python -m judges show --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("judge_card", MINE, ids=lambda c: c.name)
def test_show_tells_all_of_a_card(judge_card: Card, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", judge_card.name]) == 0
    output = capsys.readouterr().out
    texts = [
        judge_card.title,
        judge_card.version,
        *judge_card.prompts.values(),
        *judge_card.audits,
        *judge_card.rules,
        *(d.definition for d in judge_card.dimensions),
    ]
    assert [words for words in texts if words not in output] == []
    if judge_card.text is None:
        assert json.loads(output.partition("--- schema of the reply ---")[2]) == strict_schema(judge_card.reply)


def test_show_prompt_gives_every_message_of_the_first_item(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "items.jsonl"
    items = [
        {"id": "r", "kind": "response", "task": "t", "output": "o"},
        {"id": "猫", "kind": "pair", "input": "q", "response_a": {"text": "x"}, "response_b": {"text": "y"}},
    ]
    path.write_text("\n".join(json.dumps(item, ensure_ascii=False) for item in items), encoding="utf-8")
    assert main(["show", "plain_pairwise", "--prompt", str(path)]) == 0
    output = capsys.readouterr().out
    assert [line for line in output.splitlines() if line.startswith("#####")] == [
        "##### 猫, order:ab",
        "##### 猫, order:ba",
    ]
    assert output.count("--- system ---") == 2
    assert output.index('"response_a": "x"') < output.index('"response_a": "y"')


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("plain_pairwise", '{"id": "r", "kind": "response", "task": "t", "output": "o"}', "holds no pair"),
        ("rubric_open_ended", "{", "line 1: not JSON"),
        ("rubric_open_ended", '\n{"id": "r", "kind": "response", "task": 1, "output": "o"}', "line 2: task"),
        ("plain_pairwise", EMPTY, "nothing that"),
        ("nonsense", "", "no card 'nonsense'"),
    ],
)  # fmt: skip
def test_show_refuses_in_sentences(
    name: str, text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(text, encoding="utf-8")
    assert main(["show", name, "--prompt", str(path)]) == 1
    output = capsys.readouterr()
    assert message in output.err
    assert output.out == ""
