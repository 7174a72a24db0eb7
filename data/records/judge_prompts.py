"""The prompts of judges that came in with files (judge_prompts.jsonl): kept whole, and offered to runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from data.records.access import allow
from data.records.values import get_setting, put_setting, settings_in
from data.store import Store, Tx, cache_result
from judges.mtbench.prompts import (
    BUILT_IN_FAMILIES,
    SINGLE_FAMILY,
    BadPrompt,
    Family,
    families,
    family_name,
    fingerprint_prompts,
    parse_prompt,
)
from judges.mtbench.protocol import Protocol
from judges.mtbench.records import PromptText
from judges.plural import many

PROMPTS = "judge_prompts"
"""The scope of the sets of a workspace, by their id; and the name of the setting that lists those of a dataset."""


@dataclass(frozen=True)
class PromptSet:
    """The prompts of one file, in its order; no name stands for two texts."""

    file: str
    prompts: tuple[PromptText, ...]

    @cached_property
    def id(self) -> str:
        """The fingerprint of all its texts."""
        return fingerprint_prompts(self.prompts)

    @property
    def families(self) -> dict[str, Family]:
        """Its families by name."""
        return families(self.prompts)


def usable_prompts(file: str, prompts: Iterable[PromptText]) -> list[PromptSet]:
    """The prompts of a file that a run could use, as a set; [] for none, or where a name stands for two texts."""
    usable = []
    for prompt in prompts:
        with contextlib.suppress(BadPrompt):
            keys = {
                "name": prompt.name,
                "type": prompt.type,
                "system_prompt": prompt.system,
                "prompt_template": prompt.template,
            }
            usable.append(parse_prompt(keys))
    with contextlib.suppress(BadPrompt):
        return [PromptSet(file, tuple(usable))] if families(usable) else []
    return []


def append_prompts(tx: Tx, dataset_id: str, prompt_sets: Iterable[PromptSet]) -> None:
    """Keep sets of prompts as those of a dataset; for callers that have checked the right to do so."""
    sets_by_id = {prompt_set.id: prompt_set for prompt_set in prompt_sets}
    stored_keys = get_setting(tx, dataset_id, PROMPTS, [])
    for key, prompt_set in sets_by_id.items():
        if get_setting(tx, PROMPTS, key) is None:
            put_setting(
                tx, PROMPTS, key, {"file": prompt_set.file, "prompts": [list(text) for text in prompt_set.prompts]}
            )
    if new := [key for key in sets_by_id if key not in stored_keys]:
        put_setting(tx, dataset_id, PROMPTS, [*stored_keys, *new])


@cache_result
def dataset_prompts(store: Store | Tx, dataset_id: str) -> list[PromptSet]:
    """The sets of prompts that came in with a dataset's files, in the order in which they came."""
    every = {prompt_set.id: prompt_set for prompt_set in all_prompts(store)}
    return [every[key] for key in get_setting(store, dataset_id, PROMPTS, [])]


@allow("annotator")
@cache_result
def all_prompts(store: Store | Tx) -> list[PromptSet]:
    """Every set of prompts of the workspace, in the order of their ids."""
    return [
        PromptSet(stored["file"], tuple(PromptText(*text) for text in stored["prompts"]))
        for stored in settings_in(store, PROMPTS).values()
    ]


def find_prompts(store: Store | Tx, full_name: str) -> tuple[PromptText, ...]:
    """The one set of the workspace with a family of that name, with `@` and the head of its wording where several have.

    Raises BadPrompt, naming those there are, where there is none, or the name alone does not tell which.
    """
    name, _, head = full_name.partition("@")
    every = all_prompts(store)
    fitting = {
        prompt_set.id: prompt_set
        for prompt_set in every
        if (entry := prompt_set.families.get(name)) is not None
        and (entry.wording.startswith(head) or prompt_set.id.startswith(head))
    }
    texts = {tuple(sorted(prompt_set.families[name].prompts.items())): prompt_set for prompt_set in fitting.values()}
    if len(texts) == 1:
        return next(iter(fitting.values())).prompts
    named = [
        f"{key}@{of.wording} ({prompt_set.file})" for prompt_set in every for key, of in prompt_set.families.items()
    ]
    if not fitting:
        listed = f"There are: {', '.join(named)}." if named else "There are none yet: import a judge_prompts.jsonl."
        raise BadPrompt(f"There are no prompts of the family {full_name!r} in this workspace. {listed}")
    marks = {prompt_set.families[name].wording for prompt_set in texts.values()}
    choices = [
        f"{name}@{prompt_set.families[name].wording if len(marks) == len(texts) else prompt_set.id}"
        for prompt_set in texts.values()
    ]
    raise BadPrompt(
        f"{name} stands for {many(len(texts), 'text')} in this workspace. Say which is meant: {', '.join(choices)}."
    )


@allow("researcher")
def settle_prompts(
    store: Store | Tx, protocol: Protocol, prompts: Sequence[PromptText] = ()
) -> tuple[Protocol, tuple[PromptText, ...]]:
    """A protocol, and the prompts of the judge_prompts.jsonl by which its judge is asked; () for ours.

    `prompts` take precedence over those of the workspace. Where FastChat's are given, they take the place of our
    own wording (not of the one that expects Japanese), and the protocol says so. Raises BadPrompt.
    """
    named = {family_name(prompt.name) for prompt in prompts}
    if protocol.prompts == "assay" and SINGLE_FAMILY in named:
        protocol = protocol.model_copy(update={"prompts": SINGLE_FAMILY})
    if protocol.prompts in BUILT_IN_FAMILIES:
        return protocol, ()
    if protocol.prompts.partition("@")[0] in named:
        return protocol, tuple(prompts)
    return protocol, find_prompts(store, protocol.prompts)
