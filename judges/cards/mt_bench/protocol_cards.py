"""The cards of MT-Bench as a protocol shows them: whose prompts, which references, and which part of an answer.

With the prompts of a judge_prompts.jsonl a judge gets just what FastChat's judge gets: the system prompt and the filled
template, with no fence of ours around what is judged, so that a published pipeline is reproduced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from judges.card import Card
from judges.cards.mt_bench.card import CARD, PAIR
from judges.cards.mt_bench.presentation import REPLY, Presentation, show
from judges.mtbench.prompts import BUILT_IN_FAMILIES, Sort, find_family, wording
from judges.mtbench.protocol import Protocol
from judges.mtbench.records import PromptText
from judges.params import Params

_JAPANESE = "assay-japanese"
_LANGUAGE = re.compile(r"in the language of the (?:question|conversation|user)")


def judge_card(protocol: Protocol, prompts: Sequence[PromptText] = (), references: str = "") -> Card:
    """The card mt_bench as a protocol's judge is shown it; its defaults are the parameters of the protocol's run.

    `prompts` are those of the judge_prompts.jsonl whose family the protocol names; our own families need none. If the
    protocol says so, thinking is removed from answers; the rest is cut at the protocol's length. Turn 2 is judged with
    its own turn 1. Templates are for two turns, so later turns are not judged with them. A card that equals the usual
    one has the usual version. Raises BadPrompt if the family is missing or lacks a prompt.
    """
    return _of_protocol(CARD, protocol, prompts, references)


def pair_card(protocol: Protocol, prompts: Sequence[PromptText] = (), references: str = "") -> Card:
    """The card mt_bench_pair in the same way, with the family for pairs that FastChat has for the protocol's family."""
    return _of_protocol(PAIR, protocol, prompts, references)


def _of_protocol(base: Card, protocol: Protocol, prompts: Sequence[PromptText], references: str) -> Card:
    sort: Sort = "pairwise" if base.kind == "pair" else "single"
    name, texts, templates = protocol.prompts, dict(base.prompts), dict[str, str]()
    if name == _JAPANESE:
        texts = _japanese(base)
    elif name not in BUILT_IN_FAMILIES:
        family = find_family(name, prompts, sort, references=protocol.references != "none")
        name, texts = family.name, {variant: prompt.system for variant, prompt in family.prompts.items()}
        templates = {variant: prompt.template for variant, prompt in family.prompts.items()}
    references = protocol.references or references
    shown = Presentation(family=name, thinking=protocol.thinking, cut_at=protocol.cut_at, references=references)
    params = Params(
        temperature=protocol.judge_temperature,
        max_tokens=protocol.judge_max_tokens,
        combine="vote" if base.kind == "pair" else "mean",
        orders="both" if base.kind == "pair" else "ab",
        verdict="last" if protocol.parse == "last" else "fastchat",
        protocol=protocol.mark,
        prompt=name,
        wording=wording((templates or texts)[""]),
    )
    card = base if shown == Presentation() else show(base, shown, texts, templates)
    return replace(card, defaults=params)


def _japanese(base: Card) -> dict[str, str]:
    """Our own prompts for Japanese: they expect an answer in Japanese, and the judge explains in Japanese."""
    file = "japanese_pair.md" if base.kind == "pair" else "japanese.md"
    instructions = Path(__file__).with_name(file).read_text(encoding="utf-8").strip()
    ends = f"{instructions}\n\n{REPLY}"
    return {name: _LANGUAGE.sub("in Japanese", text).replace(REPLY, ends) for name, text in base.prompts.items()}
