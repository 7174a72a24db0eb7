"""Families of models by their names."""

from __future__ import annotations

import pytest

from judges.families import family


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-4o-mini", "gpt"),
        ("openai/GPT-4.1", "gpt"),
        ("o3-mini", "gpt"),
        ("chatgpt-4o-latest", "gpt"),
        ("claude-3-5-sonnet-20241022", "claude"),
        ("models/gemini-1.5-pro", "gemini"),
        ("meta-llama/Llama-3.1-70B-Instruct", "llama"),
        ("tokyotech-llm/Llama-3.1-Swallow-70B", "swallow"),
        ("Qwen/QwQ-32B", "qwen"),
        ("mistralai/Mixtral-8x7B", "mistral"),
        ("vicuna-13b-v1.3", "vicuna"),
        ("practice-heuristic", "practice"),
        ("practice-second", "practice, second"),
        ("42", "42"),
        ("", ""),
        ("  ", ""),
    ],
)
def test_families(model: str, expected: str) -> None:
    assert family(model) == expected
