"""The share of Japanese characters in answers, as Swallow's evaluation reports it.

Markdown is converted to plain text first. Every character counts, including spaces. Answers are concatenated before the
share is taken (micro-average), so a long answer weighs more than a short one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from judges.mtbench.records import Bench
from judges.mtbench.thinking import strip_thinking
from judges.stats.clustered import mean_by_item, with_t_ends
from judges.stats.uncertainty import Interval

_JAPANESE = re.compile("[\u3041-\u309f\u30a1-\u30ff\u4e00-\u9fff\uff01-\uff5e\u3000-\u3036\u30fb]+")
"""Hiragana, katakana, kanji, full-width signs, Japanese punctuation and the middle dot."""
_PLAIN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^[ \t]*(`{3,}|~{3,}).*$\n?", re.MULTILINE), ""),  # fences: what they hold stays
    (re.compile(r"^[ \t]*([-*_])[ \t]*(?:\1[ \t]*){2,}$\n?", re.MULTILINE), ""),  # rules across the page
    (re.compile(r"^(?=[^\n]*\|)(?=[^\n]*-)[ \t|:-]+$\n?", re.MULTILINE), ""),  # the line below a table's head
    (re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+", re.MULTILINE), ""),
    (re.compile(r"<(?:https?://[^<>\s]{1,2000})>"), ""),
    (re.compile(r"</?[A-Za-z][^<>]{0,300}>"), ""),
    (re.compile(r"!?\[([^\[\]]{0,2000})\]\([^()\s]{0,2000}(?:[ \t]+\"[^\"]{0,300}\")?\)"), r"\1"),
    (re.compile(r"`+([^`]+)`+"), r"\1"),
    (re.compile(r"(?<!\\)(\*{1,3}|~~)(?=\S)([^*~\n]{1,2000}?)(?<=[^\s\\])\1"), r"\2"),
    (re.compile(r"(?<![\w\\])(_{1,3})(?=\S)([^_\n]{1,2000}?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"^[ \t]*\||\|[ \t]*$", re.MULTILINE), ""),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


class JapaneseShare(NamedTuple):
    """The share of Japanese characters in a model's answers, in one turn (None: all), with its interval by questions.

    `characters` counts the plain text, `japanese` the Japanese characters in it; without characters there is no share.
    """

    model: str
    turn: int | None
    characters: int
    japanese: int
    share: Interval


def plain_text(markdown: str) -> str:
    """A text without the marks of Markdown: headings, lists, emphasis, code, links, tables, tags of HTML."""
    for pattern, left in _PLAIN:
        markdown = pattern.sub(left, markdown)
    return markdown


def count_japanese(text: str) -> tuple[int, int]:
    """Return the number of Japanese characters of a plain text, and the number of all its characters."""
    return sum(map(len, _JAPANESE.findall(text))), len(text)


def japanese_shares(bench: Bench, thinking: bool = False) -> list[JapaneseShare]:
    """Every model's share in each turn and in all, over all its samples; `thinking`: blocks of it count, too."""
    by_model: dict[str, list[tuple[int, int, int, int]]] = {}
    questions: dict[str, int] = {}
    for answer in bench.answers.values():
        question = questions.setdefault(answer.question, len(questions))
        for turn, text in enumerate(answer.turns, 1):
            counts = count_japanese(plain_text(text if thinking else strip_thinking(text)))
            by_model.setdefault(answer.model, []).append((question, turn, *counts))
    shares = []
    for model, rows in by_model.items():
        question_of, turn_of, japanese, characters = np.array(rows, dtype=np.int64).T
        for turn in [None, *np.unique(turn_of).tolist()]:
            mask = (characters > 0) if turn is None else (characters > 0) & (turn_of == turn)
            share = mean_by_item(japanese[mask] / characters[mask], question_of[mask], weight=characters[mask])
            counted = int(characters[mask].sum()), int(japanese[mask].sum())
            shares.append(JapaneseShare(model, turn, *counted, with_t_ends(share, 0.0, 1.0)))
    return shares
