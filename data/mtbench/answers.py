"""Answers that runs have brought, made items of a dataset: dialogues to be rated, and pairs to be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data.importing.files.source import from_bytes
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.mtbench.questions import load_questions
from data.records import datasets
from data.records.tables import COUNTED_JUDGMENT_SQL
from data.store import Store, cache_result
from data.store.errors import BadInput
from judges.client.endpoint import is_practice
from judges.mtbench.answer_pairs import make_pairs
from judges.mtbench.dialogues import turn_texts
from judges.mtbench.generation import answered_dialogues, answers_mark
from judges.mtbench.protocol import Protocol
from judges.strict_json import canonical
from judges.types import ITEM, Dialogue, Item


@dataclass(frozen=True)
class Target:
    """The target of a model's answers: a dataset's name, the protocol, the questions' set and its references' name."""

    dataset: str
    protocol: Protocol
    questions: str
    model: str
    references: str | None = None


def check_answer_target(store: Store, target: Target, judge: str) -> bool:
    """Return whether all of the answers are there already, from an equal set of questions that others stored.

    `judge` is the id under which the replies are stored. Raises BadInput if the dataset holds something that these
    answers cannot be mixed with.
    """
    dataset = next((d for d in datasets.all_datasets(store) if d.name == target.dataset), None)
    if dataset is None:
        return False
    if dataset.synthetic != is_practice(target.model):
        sort = "synthetic, and these answers are not" if dataset.synthetic else "real, and practice answers are not"
        raise BadInput(f"The dataset {dataset.name} is {sort}. Give another dataset.")
    questions = load_questions(store, target.questions)
    known = {dialogue.id: turn_texts(dialogue, "user") for dialogue in questions.values()}
    ours = answers_mark(target.protocol)
    asks, there_already = ours.rpartition("@")[2], set[str]()
    for answer in stored_answers(store, target.dataset):
        mark, question = str(answer.meta.get("protocol", "")), str(answer.meta.get("question_id", ""))
        if mark.rpartition("@")[2] != asks and (mark or answer.system == target.model):
            origin = f"by the protocol {mark}" if mark else f"of {target.model} that came from elsewhere"
            raise BadInput(
                f"The dataset {dataset.name} holds answers {origin}, and these are by {ours}: they would "
                "have the same names. Give another dataset; both can be compared side by side."
            )
        user_texts = turn_texts(answer, "user")
        if known.get(question, user_texts) != user_texts:
            raise BadInput(
                f"The dataset {dataset.name} holds answers to another wording of question {question}. Give another "
                "dataset."
            )
        if answer.system == target.model and question in known:
            there_already.add(question)
    rows = store.rows("select distinct item_id from judgment where judge_id = $1", [judge])
    others = there_already - {questions[str(key)].id for (key,) in rows if key in questions}
    if others and others != known.keys():
        raise BadInput(
            f"The dataset {dataset.name} holds answers of {target.model} to {len(others):,} of these questions, from "
            "another set of them. Go on with that set, or give another dataset."
        )
    return bool(others)


def write_answers(store: Store, actor: str, target: Target, judge: str) -> tuple[int, Counter[str]]:
    """Make items of a model's answers: (items that are new, questions without a whole answer by reason).

    `judge` is the id under which the replies are stored. What is there already stays as it is.
    """
    questions = load_questions(store, target.questions)
    stored_ids = {answer.id for answer in stored_answers(store, target.dataset)}
    dialogues: list[Dialogue] = []
    lacking: Counter[str] = Counter()
    for item, (raw, unscored) in stored_raws(store, judge, questions).items():
        answered = answered_dialogues(target.protocol, questions[item], target.model, raw, target.references)
        dialogues += answered
        lacking[unscored] += not answered
    return write_items(store, actor, target, [answer for answer in dialogues if answer.id not in stored_ids]), +lacking


def stored_raws(store: Store, judge: str, questions: Iterable[str]) -> dict[str, tuple[str, str]]:
    """(what the calls gave, why it is not whole) by the id of a question's item, of those that were asked."""
    rows = store.rows(
        "select item_id, raw, unscored from judgment m where judge_id = $1 and item_id = any($2) "
        f"qualify {COUNTED_JUDGMENT_SQL}",
        [judge, list(questions)],
    )
    return {str(item): (str(raw), str(unscored)) for item, raw, unscored in rows}


def write_pairs(store: Store, actor: str, target: Target) -> int:
    """Make pairs of the answers of a dataset: those of the model with all others; how many are new."""
    answers = stored_answers(store, target.dataset)
    known = dataset_item_names(store, target.dataset, "pair")
    new_pairs = [pair for pair in make_pairs(answers, target.model) if pair.id not in known]
    return write_items(store, actor, target, new_pairs)


def write_items(store: Store, actor: str, target: Target, items: Sequence[Item]) -> int:
    """Put items into the dataset, which is made if it is missing; how many are new. Raises ImportRefused."""
    if not items:
        return 0
    lines = "\n".join(canonical(item.model_dump(mode="json")) for item in items).encode("utf-8", "replace")
    plan = ImportPlan(target.dataset, synthetic=is_practice(target.model), format="canonical", sampling="all")
    source = from_bytes([(f"answers of {target.model}.jsonl", lines)])
    return import_source(store, actor, source, plan).preview.new.items


@cache_result
def stored_answers(store: Store, dataset: str) -> list[Dialogue]:
    """The answers that a dataset of that name holds; none where there is no such dataset."""
    rows = store.rows(
        "select i.content from item i join dataset d on d.id = i.dataset_id where d.name = $1 and d.purpose is null "
        "and i.kind = 'dialogue' order by i.seq, i.id",
        [dataset],
    )
    items = (ITEM.validate_json(content) for (content,) in rows)
    return [item for item in items if isinstance(item, Dialogue) and "question_id" in item.meta]


def dataset_item_names(store: Store, dataset: str, kind: str) -> set[str]:
    """The names of the items of a kind that a dataset of that name holds."""
    rows = store.rows(
        "select i.name from item i join dataset d on d.id = i.dataset_id where d.name = $1 and i.kind = $2",
        [dataset, kind],
    )
    return {str(name) for (name,) in rows}
