"""Sets of questions that models are asked, as a workspace keeps them: nobody labels or judges them."""

from __future__ import annotations

from collections.abc import Iterable

from data.mtbench.mtbench import in_order, load_bench
from data.records import judge_prompts
from data.records.access import act, allow
from data.records.datasets import Dataset, question_sets
from data.records.rows import item_row
from data.records.tables import DatasetRow
from data.store import Store, Tx, cache_result
from data.store.errors import BadInput
from data.store.ids import content_id
from judges.mtbench.generation import open_dialogue
from judges.mtbench.records import Bench, PromptText
from judges.types import ITEM, Dialogue

_SET_DIGITS = 6
"""Digits of the fingerprint that tells sets of one name apart."""


@allow("researcher")
def keep_questions(store: Store, actor: str, name: str, bench: Bench) -> Dataset:
    """The set of a bench's questions with their references, stored if it is not there yet; researchers and leads.

    Its judges' prompts are kept with it, and those that came last are offered to its runs (`kept_prompts`). The same
    questions under the same name are one set, whoever stores them. Raises BadInput where there is none.
    """
    questions = [
        open_dialogue(
            question, {judge: texts[question.id] for judge, texts in bench.references.items() if question.id in texts}
        )
        for question in bench.questions.values()
        if question.turns
    ]
    if not questions:
        raise BadInput(f"{name} holds no questions to ask.")
    key = content_id("questions", name, [question.model_dump(mode="json") for question in questions])
    called = f"{name} ({key[:_SET_DIGITS]})"

    def work(tx: Tx) -> None:
        if not tx.rows("select 1 from dataset where id = $1", [key]):
            tx.append([DatasetRow(key, called, "", False, "questions")])
            tx.append([item_row(key, question) for question in questions])
        judge_prompts.append_prompts(tx, key, prompts)

    prompts = judge_prompts.usable_prompts("judge_prompts.jsonl", bench.prompts)
    known = {prompt_set.id for prompt_set in judge_prompts.dataset_prompts(store, key)}
    if not any(d.id == key for d in question_sets(store)) or not known.issuperset(prompt.id for prompt in prompts):
        act(store, actor, "researcher", "questions", work, called)
    return next(dataset for dataset in question_sets(store) if dataset.id == key)


@allow("researcher")
def kept_prompts(store: Store | Tx, questions: str) -> tuple[PromptText, ...]:
    """The judges' prompts that came last with a set of questions; () for none."""
    prompt_sets = judge_prompts.dataset_prompts(store, questions)
    return prompt_sets[-1].prompts if prompt_sets else ()


@allow("researcher")
def questions_of(store: Store, actor: str, dataset: Dataset) -> Dataset:
    """The set of the questions that a dataset's answers are to, stored if it is not there yet."""
    return keep_questions(store, actor, dataset.name, load_bench(store, dataset.id))


@cache_result
def load_questions(store: Store | Tx, questions: str) -> dict[str, Dialogue]:
    """The questions of a set by the id of their item, by number."""
    rows = store.rows("select id, name, content from item where dataset_id = $1", [questions])
    rows.sort(key=lambda row: in_order(str(row[1])))
    items = {str(key): ITEM.validate_json(content) for key, _, content in rows}
    return {key: item for key, item in items.items() if isinstance(item, Dialogue)}


def chosen_references(questions: Iterable[Dialogue], set_name: str) -> str | None:
    """The set of reference answers that is used: that of the wanted name, else the first there is, None for none."""
    names = list(dict.fromkeys(name for question in questions for name in question.meta.get("references", {})))
    return set_name if set_name in names else next(iter(names), None)
