"""Prompts of judges that come in with files: kept whole, told apart by their texts, found by what a protocol says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.importing.files.source import from_bytes
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import judge_prompts
from data.records.datasets import dataset_named
from data.store import Store
from data.trail.trail import TrailFilter, all_entries
from data.workspace.verify import verify
from judges.cards.mt_bench.protocol_cards import judge_card
from judges.mtbench.prompts import BadPrompt, wording
from judges.mtbench.protocol import Protocol, protocols
from judges.mtbench.records import PromptText
from tests.data.imports import text, workspace

CANON = Protocol(name="canon", prompts="single-v1", judge="m")


def family(mark: str = "", multi: str = "") -> list[dict[str, Any]]:
    """The rows of a judge_prompts.jsonl with one family; `mark` is in the base templates, `multi` in the others."""
    single, multi_turn = "Q {question} A {answer}" + mark, "{question_1} {answer_1} {question_2} {answer_2}" + multi
    texts = {"single-v1": single, "single-math-v1": single + " {ref_answer_1}", "single-v1-multi-turn": multi_turn,
             "single-math-v1-multi-turn": multi_turn + " {ref_answer_1}"}  # fmt: skip
    return [{"name": n, "type": "single", "system_prompt": "S", "prompt_template": t} for n, t in texts.items()]


def bring(store: Store, dataset: str = "d", **files: list[Any]) -> Any:
    rows = [(f"{name}.jsonl", text(rows)) for name, rows in files.items()]
    return import_source(store, "lea", from_bytes(rows), ImportPlan(dataset)).preview


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A workspace with one set of prompts, of the dataset d."""
    opened = workspace(tmp_path)
    bring(opened, judge_prompts=family())
    yield opened
    opened.close()


def test_prompts_are_kept_whole_with_their_dataset_and_known_the_next_time(store: Store) -> None:
    (prompt_set,) = judge_prompts.dataset_prompts(store, dataset_named(store, "d").id)
    assert prompt_set.prompts == tuple(PromptText(r["name"], "single", "S", r["prompt_template"]) for r in family())
    again = bring(store, judge_prompts=family())
    assert (again.new.total, again.known.prompts) == (0, 1)
    other = bring(store, "e", judge_prompts=family())
    assert other.new.prompts == 1 and len(judge_prompts.all_prompts(store)) == 1, "one text, two datasets"
    assert judge_prompts.dataset_prompts(store, dataset_named(store, "e").id) == [prompt_set]
    assert verify(store) == []
    entries = [entry.description for entry in all_entries(store, TrailFilter())]
    assert "kept the judges' prompts of judge_prompts.jsonl; noted which judges' prompts came with it" in entries


def test_one_name_with_two_wordings_is_never_guessed(store: Store) -> None:
    first, second = wording(family()[0]["prompt_template"]), wording(family(" fluently")[0]["prompt_template"])
    assert judge_prompts.find_prompts(store, "single-v1")[0].name == "single-v1"
    bring(store, other=family(" fluently"))
    with pytest.raises(
        BadPrompt, match=rf"stands for 2 texts .*single-v1@({first}|{second}), single-v1@({first}|{second})"
    ):
        judge_prompts.find_prompts(store, "single-v1")
    for mark in (first, second[:4]):
        requested = CANON.model_copy(update={"prompts": f"single-v1@{mark}"})
        card = judge_card(*judge_prompts.settle_prompts(store, requested))
        assert card.defaults.wording.startswith(mark) and card.defaults.prompt == "single-v1"
    with pytest.raises(BadPrompt, match=rf"'single-v1@0000'.*There are: .*single-v1@{first} \(judge_prompts\.jsonl\)"):
        judge_prompts.find_prompts(store, "single-v1@0000")


def test_what_differs_behind_the_same_base_text_is_told_apart_by_all_of_it(store: Store) -> None:
    """A stray mark in another prompt of the family, as in Swallow's, leaves the wording as it is."""
    bring(store, other=family(multi='"'))
    sets = {prompt_set.id: prompt_set for prompt_set in judge_prompts.all_prompts(store)}
    assert len({prompt_set.families["single-v1"].wording for prompt_set in sets.values()}) == 1
    with pytest.raises(BadPrompt, match="Say which is meant: " + ", ".join(f"single-v1@{key}" for key in sets)):
        judge_prompts.find_prompts(store, "single-v1")
    versions = set()
    for key, prompt_set in sets.items():
        requested = CANON.model_copy(update={"prompts": f"single-v1@{key}"})
        protocol, prompts = judge_prompts.settle_prompts(store, requested)
        assert prompts == prompt_set.prompts
        versions.add(judge_card(protocol, prompts).version)
    assert len(versions) == 2


def test_what_no_run_could_use_is_named_with_its_line_and_stops_nothing(store: Store) -> None:
    odd = [*family(" odd"), {"name": "x", "type": "single", "prompt_template": "{question} {answer} {secret}"}]
    twice = [*family(" twice"), {**family()[0], "prompt_template": "{question} {answer} else"}]
    imported = bring(store, a=odd, b=twice)
    assert imported.new.prompts == 1 and imported.problems == []
    warnings = "\n".join(imported.warnings)
    assert "a.jsonl, line 5: prompt_template of x: {secret} is not a field" in warnings
    assert "b.jsonl: single-v1 appears twice among the prompts, with two texts" in warnings


def test_given_prompts_take_the_place_of_our_wording_and_never_of_the_one_for_japanese(store: Store) -> None:
    fastchat, swallow = protocols()["fastchat"], protocols()["swallow"]
    assert judge_prompts.settle_prompts(store, fastchat) == (fastchat, ())
    own_prompts = tuple(PromptText(r["name"], "single", "S", r["prompt_template"]) for r in family(" given"))
    protocol, prompts = judge_prompts.settle_prompts(store, fastchat, own_prompts)
    assert (protocol.prompts, prompts) == ("single-v1", own_prompts) and protocol.mark != fastchat.mark
    assert judge_prompts.settle_prompts(store, swallow, own_prompts) == (swallow, ())
    with pytest.raises(BadPrompt, match="There are no prompts of the family 'zz'"):
        judge_prompts.settle_prompts(store, CANON.model_copy(update={"prompts": "zz"}), own_prompts)
