"""A template is made out of the prompt that was sent, whatever its texts hold."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given

from judges.mtbench.wordings import unfill
from judges.protocols.messages import fill

TEXTS = st.text("abc {}[]\\\n0", min_size=12, max_size=40)
TEMPLATE = "Judge {{as JSON}} [[5]].\n\nQ: {question}\n\nA: {answer}\n"


@given(TEXTS, TEXTS)
def test_a_template_comes_out_of_what_was_made_of_it(question: str, answer: str) -> None:
    prompt = TEMPLATE.format(question=question, answer=answer)
    assume(question.strip() and answer.strip())
    assert fill(TEMPLATE, {"question": question, "answer": answer}) == prompt
    assume(prompt.count(question) == 1 and prompt.count(answer) == 1)
    assert unfill(prompt, {"question": (question,), "answer": (answer,)}) == TEMPLATE


@pytest.mark.parametrize(
    ("prompt", "texts", "template"),
    [
        ("Q: why? A: why? Since.", {"question": ["why?"], "answer": ["why? Since."]}, "Q: {question} A: {answer}"),
        ("Q: why? A: Since.", {"question": ["why?"], "answer": ["<think>x</think>Since.", "Since."]},
         "Q: {question} A: {answer}"),
        ("Q: why? A: 5. Rating 5.", {"question": ["why?"], "answer": ["5"]}, None),
        ("Q: why? A: Else.", {"question": ["why?"], "answer": ["Since."]}, None),
        ("R: So. Q: why? A: Since.", {"question": ["why?"], "answer": ["Since."], "ref_answer_1": ["So."]},
         "R: {ref_answer_1} Q: {question} A: {answer}"),
        ("Q: why? A: Since.", {"question": ["why?"], "answer": ["Since."], "ref_answer_1": ["So."]},
         "Q: {question} A: {answer}"),
        ("Q: why? R: So. Q: why? A: No.", {"question_1": ["why?"], "answer_1": ["No."], "ref_answer_1": ["So."]},
         "Q: {question_1} R: {ref_answer_1} Q: {question_1} A: {answer_1}"),
    ],
)  # fmt: skip
def test_texts_are_taken_out_the_longest_first(prompt: str, texts: dict[str, list[str]], template: str | None) -> None:
    assert unfill(prompt, texts) == template
