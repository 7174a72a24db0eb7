"""The prompts of a judge_prompts.jsonl: valid fields, the families by name, and their fingerprints.

A family has a prompt for the first turn, one for the second (-multi-turn), and both once more with references (-math).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any, Literal

from judges.errors import AssayError
from judges.mtbench.records import PromptText
from judges.strict_json import BadJson, canonical, check_value

Sort = Literal["single", "pairwise"]
BUILT_IN_FAMILIES = {"assay": "our own wording", "assay-japanese": "our own wording, which expects answers in Japanese"}
"""The families that are built in (judges/cards/mt_bench/), and what they are."""
SINGLE_FAMILY = "single-v1"
"""The family by which FastChat rates single answers."""
PAIR_FAMILY = "pair-v2"
"""The family by which FastChat compares two answers, whatever the one that rates single answers."""
VARIANTS = {"": "", "multi_turn": "-multi-turn", "reference": "-math", "multi_turn_reference": "-math-multi-turn"}
"""The prompts of a family by the names that a card's variants have, and what sets their own names apart."""
MAX_PROMPT_CHARACTERS = 100_000
"""The longest text of a prompt, in characters: a judge has to read it with every answer."""
_MAX_NAME_CHARACTERS = 120
_FINGERPRINT_DIGITS = 12
_NAMES = {"single": ("question", "answer"), "pairwise": ("question", "answer_a", "answer_b")}
_NUMBERED = re.compile(r"(\w+)_[1-9]")


class BadPrompt(AssayError):
    """A prompt, or a family of prompts, that cannot be used."""


@dataclass(frozen=True)
class Family:
    """The prompts of one family, by variant (see VARIANTS)."""

    name: str
    sort: Sort
    prompts: Mapping[str, PromptText]

    @property
    def wording(self) -> str:
        """The fingerprint of its base template, "" if it has none. It is needed because several texts share a name."""
        return wording(self.prompts[""].template) if "" in self.prompts else ""


def wording(template: str) -> str:
    """Twelve hex digits of the SHA-256 of a family's base template, whatever ends its lines."""
    plain = template.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:_FINGERPRINT_DIGITS]


def fingerprint_prompts(prompts: Iterable[PromptText]) -> str:
    """Twelve hex digits of the SHA-256 of a set of prompts in their order: of all their texts."""
    return hashlib.sha256(canonical([list(prompt) for prompt in prompts]).encode()).hexdigest()[:_FINGERPRINT_DIGITS]


def family_name(name: str) -> str:
    """The family of a prompt: single-v1 also of single-math-v1-multi-turn, and pair-v2 of pair-math-v1."""
    family = name.removesuffix("-multi-turn").replace("-math", "", 1)
    return PAIR_FAMILY if family == "pair-v1" and "-math" in name else family


def parse_prompt(row: Mapping[str, Any]) -> PromptText:
    """The prompt that a row of judge_prompts.jsonl holds. Raises BadPrompt in a sentence that names the field."""
    name, system, template = row.get("name"), row.get("system_prompt") or "", row.get("prompt_template")
    if not isinstance(name, str) or not 0 < len(name.strip()) <= _MAX_NAME_CHARACTERS:
        raise BadPrompt(f"name must be a text of 1 to {_MAX_NAME_CHARACTERS} characters.")
    sort = row.get("type") or ("pairwise" if name.startswith("pair") else "single")
    if not isinstance(sort, str) or sort not in _NAMES:
        raise BadPrompt(f"type of {name} must be single or pairwise.")
    for field, text in (("name", name), ("system_prompt", system), ("prompt_template", template)):
        if not isinstance(text, str):
            raise BadPrompt(f"{field} of {name} must be a text.")
        if len(text) > MAX_PROMPT_CHARACTERS:
            raise BadPrompt(f"{field} of {name} has {len(text):,} characters: {MAX_PROMPT_CHARACTERS:,} are allowed.")
        try:
            check_value(text)
        except BadJson as error:
            raise BadPrompt(f"{field} of a prompt {error}.") from None
    prompt = PromptText(name.strip(), sort, system, str(template))
    if fault := _template_fault(prompt):
        raise BadPrompt(f"prompt_template of {prompt.name}: {fault}")
    return prompt


def _template_fault(prompt: PromptText) -> str:
    """Return the fault of a template, or "": FastChat fills exactly these fields and fails at others."""
    try:
        parsed = [(name, form, as_) for _, name, form, as_ in Formatter().parse(prompt.template) if name is not None]
    except ValueError:
        return "its braces are not valid. Write {{ and }} for braces that are not a field."
    named = {name + (f"!{as_}" if as_ else "") + (f":{form}" if form else "") for name, form, as_ in parsed}
    names, multiturn = _NAMES[prompt.type], prompt.name.endswith("-multi-turn")
    for name in sorted(named):
        stem = match[1] if (match := _NUMBERED.fullmatch(name)) else ""
        if stem != "ref_answer" and (stem if multiturn else name) not in names:
            known_names = [*(field + "_1" * multiturn for field in names), "ref_answer_1"]
            known_fields = ", ".join(f"{{{field}}}" for field in known_names)
            turns = "several turns" if multiturn else "one turn"
            unknown = name[:_MAX_NAME_CHARACTERS]
            return f"{{{unknown}}} is not a field of a prompt for {turns}: there are {known_fields}."
    shown = {name.rpartition("_")[0] if multiturn else name for name in named}
    lacking = [name for name in names[1:] if name not in shown]
    return f"it lacks {{{lacking[0]}{'_2' * multiturn}}}, so its judge would not see what it judges." if lacking else ""


def families(prompts: Iterable[PromptText]) -> dict[str, Family]:
    """The families of a set of prompts by name. Raises BadPrompt if one name has two texts."""
    by_family: dict[str, dict[str, PromptText]] = {}
    for prompt in prompts:
        name = family_name(prompt.name)
        entry = by_family.setdefault(name, {}).setdefault(variant_of(prompt.name), prompt)
        if entry != prompt:
            raise BadPrompt(f"{prompt.name} appears twice among the prompts, with two texts. Keep one of them.")
    return {
        name: Family(name, "pairwise" if next(iter(entry.values())).type == "pairwise" else "single", entry)
        for name, entry in by_family.items()
    }


def variant_of(name: str) -> str:
    """The variant that a prompt's name stands for (see VARIANTS)."""
    ends = "-math" * ("-math" in name) + "-multi-turn" * name.endswith("-multi-turn")
    return next(variant for variant, end in VARIANTS.items() if end == ends)


def find_family(spec: str, prompts: Iterable[PromptText], sort: Sort = "single", references: bool = True) -> Family:
    """The whole family that a protocol names; for pairs, FastChat's family if the named one is not for pairs.

    `spec` may add the beginning of its wording, or of the fingerprint of all these prompts: single-v1@3f2a.

    Raises BadPrompt, naming those there are, or the prompts that the family lacks; those with references are not needed
    where `references` is False.
    """
    prompt_set = list(prompts)
    all_families = families(prompt_set)
    fitting = {name: candidate for name, candidate in all_families.items() if candidate.sort == sort}
    name, _, head = spec.partition("@")
    family = fitting.get(name)
    if family is not None and head:
        marks = (family.wording, fingerprint_prompts(prompt_set))
        family = family if any(mark.startswith(head) for mark in marks) else None
    if family is None and sort == "pairwise":
        family = fitting.get(PAIR_FAMILY)
    if family is None:
        labels = [f"{known.name} ({known.wording or 'no base prompt'})" for known in all_families.values()]
        raise BadPrompt(
            f"No prompts of the family {spec!r} are here{' for pairs' if sort == 'pairwise' else ''}. There are: "
            f"{', '.join(BUILT_IN_FAMILIES)}; of judge_prompts.jsonl: {', '.join(labels) or 'none'}. "
            "Import the file, or choose one of these."
        )
    needed = [name for name in VARIANTS if references or "reference" not in name]
    if lacking := [name for name in needed if name not in family.prompts]:
        ends = ", ".join(VARIANTS[name].strip("-") or "the first turn" for name in lacking)
        raise BadPrompt(f"The family {family.name} lacks its prompts for {ends}. Add them to its judge_prompts.jsonl.")
    return family
