"""Prompts of a judge_prompts.jsonl: what FastChat could fill is taken, all else is refused in a sentence."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.mtbench.prompts import (
    MAX_PROMPT_CHARACTERS,
    VARIANTS,
    BadPrompt,
    families,
    family_name,
    find_family,
    parse_prompt,
    variant_of,
    wording,
)  # fmt: skip
from judges.mtbench.records import PromptText
from judges.protocols.messages import fill

TEXT, PAIR_TEXT = "Q {question} A {answer}", "{question_1} {answer_1} {question_2} {answer_2}"
PAIR = "{question} {answer_a} {answer_b}"


def row(name: str = "zz-v1", template: Any = TEXT, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "single", "system_prompt": "Judge.", "prompt_template": template} | more


def family_prompts(name: str = "single-v1", mark: str = "") -> list[PromptText]:
    """A family of four prompts."""
    head, _, tail = name.rpartition("-")
    names = {variant: f"{head}-math-{tail}" if "math" in end else name for variant, end in VARIANTS.items()}
    return [
        parse_prompt(
            row(f"{names[v]}{'-multi-turn' if 'multi' in v else ''}", (PAIR_TEXT if "multi" in v else TEXT) + mark)
        )
        for v in VARIANTS
    ]


@pytest.mark.parametrize(
    ("name", "family", "variant"),
    [
        ("single-v1", "single-v1", ""),
        ("single-math-v1", "single-v1", "reference"),
        ("single-v1-multi-turn", "single-v1", "multi_turn"),
        ("single-math-v1-multi-turn", "single-v1", "multi_turn_reference"),
        ("pair-v2", "pair-v2", ""),
        ("pair-math-v1", "pair-v2", "reference"),
        ("pair-math-v1-multi-turn", "pair-v2", "multi_turn_reference"),
        ("pair-v1", "pair-v1", ""),
        ("mine-math", "mine", "reference"),
    ],
)
def test_a_prompts_name_tells_its_family_and_its_variant(name: str, family: str, variant: str) -> None:
    assert (family_name(name), variant_of(name)) == (family, variant)


def test_a_wording_is_the_hash_of_its_base_template_whatever_ends_its_lines() -> None:
    assert wording("a\nb") == hashlib.sha256(b"a\nb").hexdigest()[:12]
    assert wording("a\r\nb") == wording("a\rb") == wording("a\nb") != wording("a b")
    assert families(family_prompts())["single-v1"].wording == wording(TEXT)


@pytest.mark.parametrize(
    ("given_row", "message"),
    [
        (row(name=""), r"name must be a text"),
        (row(name=7), r"name must be a text"),
        (row(name="x" * 121), r"name must be a text"),
        (row(type="other"), r"type of zz-v1 must be single or pairwise"),
        (row(template=None), r"prompt_template of zz-v1 must be a text"),
        (row(system_prompt=["x"]), r"system_prompt of zz-v1 must be a text"),
        (
            row(template=TEXT + "x" * MAX_PROMPT_CHARACTERS),
            r"prompt_template of zz-v1 has 100,0\d\d characters: 100,000 are allowed",
        ),
        (row(template=TEXT + "\0"), r"prompt_template of a prompt holds the character NUL"),
        (row(system_prompt="\ud800"), r"system_prompt of a prompt holds half of a surrogate pair"),
        (row(template="{question} {answer"), r"its braces are not valid"),
        (row(template="{question} {answer} }"), r"its braces are not valid"),
        (row(template="{question} {answer} {}"), r"\{\} is not a field of a prompt for one turn"),
        (row(template="{question} {answer} {secret}"), r"\{secret\} is not a field of a prompt for one turn: "),
        (row(template="{question} {answer.__class__}"), r"\{answer\.__class__\} is not a field"),
        (row(template="{question} {answer!r}"), r"\{answer!r\} is not a field"),
        (row(template="{question} {answer:>9}"), r"\{answer:>9\} is not a field"),
        (row(template="{question_1} {answer}"), r"\{question_1\} is not a field of a prompt for one turn"),
        (row("zz-v1-multi-turn"), r"\{answer\} is not a field of a prompt for several turns: .*\{answer_1\}"),
        (row(template="{question}"), r"it lacks \{answer\}, so its judge would not see what it judges"),
        (row("zz-multi-turn", "{question_1}"), r"it lacks \{answer_2\}"),
        (row("pair-v2", "{question} {answer_a}", type="pairwise"), r"it lacks \{answer_b\}"),
    ],
)
def test_what_fastchat_could_not_fill_is_refused(given_row: dict[str, Any], message: str) -> None:
    with pytest.raises(BadPrompt, match=message):
        parse_prompt(given_row)


@given(st.lists(st.sampled_from(["{{", "}}", "{question}", "{answer}", "x", "\n", "{ref_answer_1}"]), max_size=12),
       st.text(max_size=20), st.text(max_size=20))  # fmt: skip
def test_a_template_is_filled_as_fastchat_fills_it(parts: list[str], question: str, answer: str) -> None:
    """str.format is what FastChat calls; braces in what is put in are never looked at."""
    template, fields = "".join(parts), {"question": question, "answer": answer, "ref_answer_1": "{question}"}
    assert fill(template, fields) == template.format(**fields)


def test_a_field_that_is_not_there_stays_as_it_is() -> None:
    assert fill("{answer} {ref_answer_1} {", {"answer": "{ref_answer_1}"}) == "{ref_answer_1} {ref_answer_1} {"


def test_a_family_is_found_whole_or_what_it_lacks_is_said() -> None:
    family = find_family("single-v1", family_prompts())
    assert set(family.prompts) == set(VARIANTS) and family.sort == "single"
    with pytest.raises(BadPrompt, match=r"lacks its prompts for math-multi-turn"):
        find_family("single-v1", family_prompts()[:3])
    assert find_family("single-v1", family_prompts()[:2], references=False).wording == wording(TEXT)
    with pytest.raises(BadPrompt, match=rf"family 'zz' .* single-v1 \({wording(TEXT)}\)"):
        find_family("zz", family_prompts())
    with pytest.raises(BadPrompt, match=r"family 'single-v1' are here for pairs"):
        find_family("single-v1", family_prompts(), "pairwise")


def test_for_pairs_the_usual_family_is_taken_where_the_named_one_is_for_single_answers() -> None:
    two_turns = "{question_1} {question_2} {answer_a_1} {answer_a_2} {answer_b_1} {answer_b_2}"
    pairs = [
        parse_prompt(row(f"{name}{end}", template, type="pairwise"))
        for name in ("mine", "pair-v2") for end, template in (("", PAIR), ("-multi-turn", two_turns))
    ]  # fmt: skip
    names = [
        find_family(spec, [*pairs, *family_prompts()], "pairwise", references=False).name
        for spec in ("mine", "single-v1", "pair-v2")
    ]
    assert names == ["mine", "pair-v2", "pair-v2"]


def test_two_wordings_under_one_name_are_not_mixed() -> None:
    assert families([*family_prompts(), *family_prompts()]).keys() == {"single-v1"}
    with pytest.raises(BadPrompt, match="single-v1 appears twice among the prompts, with two texts"):
        families([*family_prompts(), *family_prompts(mark=" and fluency")])
