"""The share of Japanese characters, counted by hand."""

from __future__ import annotations

import pytest

from judges.mtbench.japanese import count_japanese, japanese_shares, plain_text
from judges.mtbench.records import Answer, Bench


@pytest.mark.parametrize(
    ("text", "japanese", "characters"),
    [
        ("", 0, 0),
        ("abc", 0, 3),
        ("日本 語", 3, 4),
        ("ぁゟァヿ一鿿！～\u3000〶・", 11, 11),
        ("\u3040\u30a0\u4dff\ua000\uff00\uff5f\u3037ｱ", 0, 8),
        ("、。「」", 4, 4),
        ("日\n本", 2, 3),
        ("𠮟", 0, 1),
    ],
)
def test_exact_ranges_over_all_characters(text, japanese, characters):
    assert count_japanese(text) == (japanese, characters)


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("# 見出し\n本文", "見出し\n本文"),
        ("**太字**と*斜体*と~~線~~", "太字と斜体と線"),
        ("__a__ _b_ snake_case_name", "a b snake_case_name"),
        ("- 一\n* 二\n+ 三\n1. 四\n2) 五", "一\n二\n三\n四\n五"),
        ("> 引用\n> > 二", "引用\n二"),
        ("[表示](https://example.com/a_b) ![絵](x.png \"t\")", "表示 絵"),
        ("`code` と ```x```", "code と x"),
        ("```python\nprint(1)\n```\n後", "print(1)\n後"),
        ("| a | b |\n|---|:-:|\n| 一 | 二 |", " a | b \n 一 | 二 "),
        ("前\n---\n後", "前\n後"),
        ("a<br>b</p>", "ab"),
        ("2 * 3 * 4 < 5", "2 * 3 * 4 < 5"),
        (r"\*星\*", "*星*"),
    ],
)
def test_markdown_becomes_plain_text(markdown, plain):
    assert plain_text(markdown) == plain


def test_answers_are_put_together_before_the_share_is_taken():
    answers = [
        Answer("1", "m", 0, ("日本", "abcd")),
        Answer("2", "m", 0, ("<think>long thought in English</think>日本語日本語", "")),
        Answer("1", "n", 0, ("", "")),
    ]
    bench = Bench(answers={(a.question, a.model, a.choice): a for a in answers})
    shares = {(share.model, share.turn): share for share in japanese_shares(bench)}
    whole = shares["m", None]
    assert (whole.characters, whole.japanese, whole.share.point) == (12, 8, pytest.approx(8 / 12))
    assert (shares["m", 1].share.point, shares["m", 2].share.point) == (1.0, 0.0)
    assert shares["n", None].share.point is None and shares["n", None].characters == 0
    thinking = {(share.model, share.turn): share for share in japanese_shares(bench, thinking=True)}
    assert thinking["m", 1].characters == 8 + len("<think>long thought in English</think>") - len("<think></think>")


def test_marks_without_end_take_no_long_time():
    for mark in ("[", "*", "`", "_", "<", "|", "> ", "- " * 3, "~", "!["):
        plain_text(mark * 20_000)


def test_a_bench_without_answers_has_no_shares():
    assert japanese_shares(Bench()) == []
