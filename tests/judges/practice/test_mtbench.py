"""The practice endpoint plays MT-Bench: it answers questions, and judges by prompts without a fence of ours."""

import re

import pytest

from judges.practice.completion import reply_text
from judges.practice.family import FAMILIES, PracticeJudge
from judges.practice.mtbench import answer_question, reply_without_fence

JA, EN = "ハワイへの旅行について魅力的なブログ記事を書いてください。", "Write a blog post about a trip to Hawaii."
RATE = "Judge the answer and end with the rating like this: [[rating]], for example: Rating: [[5]].\n\n"
SINGLE_PROMPT = RATE + "[Question]\n{q}\n\n[The Start of Assistant's Answer]\n{a}\n[The End of Assistant's Answer]"
TALK = (
    "<|The Start of Assistant A's Conversation with User|>\n\n### User:\n{q}\n\n### Assistant A:\n{a}\n\n"
    "### User:\nAnd now?\n\n### Assistant A:\n{b}\n\n<|The End of Assistant A's Conversation with User|>"
)
TWO = (
    "[User Question]\n{q}\n\n[The Start of Assistant A's Answer]\n{a}\n[The End of Assistant A's Answer]\n\n"
    "[The Start of Assistant B's Answer]\n{b}\n[The End of Assistant B's Answer]"
)


def model(name="practice-heuristic", temperature=0.0, seed=0, attempt=1):
    return PracticeJudge(FAMILIES[name], frozenset(), temperature, seed, f"{name} key", attempt)


def judge_text(text, system="You are helpful.", name="practice-heuristic"):
    messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    return reply_text(reply_without_fence(model(name), messages, text))


def test_an_answer_is_in_the_questions_language_and_says_that_it_is_practice() -> None:
    scripts = {JA: r"[\u3040-\u30ff]", EN: "[a-z]", "하와이 여행": r"[\uac00-\ud7af]", "夏威夷": "[一-龥]"}
    for question, letters in scripts.items():
        reply = answer_question(model(), question)
        body = reply.partition("(Practice")[0]
        assert "Practice, not a language model" in reply and len(re.findall(letters, body)) > len(body) / 3
    assert any(word in answer_question(model(), EN) for word in ("Hawaii", "blog", "trip"))
    assert answer_question(model(), "?") and answer_question(model(), "")


def test_an_answer_is_the_same_for_the_same_draw_and_another_for_another() -> None:
    assert len({answer_question(model(attempt=n), EN) for n in range(5)}) == 1, "at temperature 0"
    warm = [answer_question(model(temperature=0.7, attempt=n), EN) for n in range(5)]
    assert len(set(warm)) == 5 and warm == [answer_question(model(temperature=0.7, attempt=n), EN) for n in range(5)]
    assert answer_question(model(temperature=0.7, seed=1, attempt=0), EN) != warm[0]


def test_the_second_model_thinks_aloud_now_and_then() -> None:
    replies = [answer_question(model("practice-second", 0.7, attempt=n), EN) for n in range(40)]
    thinks = [reply for reply in replies if reply.startswith("<think>\n") and "</think>" in reply]
    assert 0 < len(thinks) < len(replies)
    assert not any("<think>" in answer_question(model("practice-heuristic", 0.7, attempt=n), EN) for n in range(40))


@pytest.mark.parametrize("name", FAMILIES)
def test_prompts_in_prose_get_a_rating_or_a_verdict_as_its_last_word(name: str) -> None:
    assert re.fullmatch(
        r"(?s).*\[\[([1-9]|10)\]\]", judge_text(SINGLE_PROMPT.format(q=EN, a="A trip to Hawaii."), name=name)
    )
    system = "Rate the second answer, like this: [[rating]]."
    assert re.fullmatch(r"(?s).*\[\[([1-9]|10)\]\]", judge_text(TALK.format(q=EN, a="x", b="y"), system, name))
    assert re.fullmatch(
        r"(?s).*\[\[[ABC]\]\]", judge_text(TWO.format(q=EN, a="x", b="y"), "[[A]], [[B]] or [[C]]", name)
    )


def test_only_the_judged_answer_counts() -> None:
    good = "Hawaii: a blog post about a trip. Write of the beach, the volcano, the food and the people, day by day."
    rating = [int(re.findall(r"\d+", judge_text(SINGLE_PROMPT.format(q=EN, a=a)))[-1]) for a in (good, "No.")]
    assert rating[0] > rating[1]
    system = "Rate like this: [[rating]]."
    talks = [TALK.format(q=EN, a=good, b=b) for b in (f"And now: {good}", "No.")]
    second = [int(re.findall(r"\d+", judge_text(talk, system))[-1]) for talk in talks]
    assert second[0] > second[1], "of a conversation the last answer is rated"
    better = judge_text(TWO.format(q=EN, a="No.", b=good), "[[A]] or [[B]]")
    assert better.endswith("[[B]]") and judge_text(
        TWO.format(q=EN, a=good, b="No."), "[[A]] or [[B]]"
    ).endswith("[[A]]")
