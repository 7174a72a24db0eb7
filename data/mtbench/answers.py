"""Answers that runs have brought, made items of a dataset: dialogues to be rated, and pairs to be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from data.importing.files.source import from_bytes
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.mtbench.questions import chosen_references, load_questions
from data.records import datasets
from data.records.tables import COUNTED_JUDGMENT_SQL
from data.store import Store, cache_result
from data.store.errors import BadInput
from judges.client.budget import Price
from judges.client.endpoint import Endpoint, is_practice
from judges.mtbench.answer_pairs import make_pairs
from judges.mtbench.dialogues import turn_texts
from judges.mtbench.generation import answered_dialogues, answers_mark
from judges.mtbench.protocol import Protocol
from judges.mtbench.records import PromptText
from judges.strict_json import canonical
from judges.types import ITEM, Dialogue, Item

Step = Literal["answers", "ratings", "verdicts"]


@dataclass(frozen=True)
class ProtocolRun:
    """The configuration of a run by a protocol.

    `dataset` is the name of the dataset that the answers come into, and in which the judge works. Each protocol has its
    own, because an answer's name has only question, model and sample. `questions` is the id of a set of questions and
    `model` answers them ("": no model, the existing answers are judged). `judge` rates ("": no judge), and with `pairs`
    also compares. `prompts` are those of the user's own judge_prompts.jsonl. `spending_limit` in US dollars is for all
    steps together.
    """

    protocol: Protocol
    dataset: str
    questions: str = ""
    model: str = ""
    judge: str = ""
    pairs: bool = False
    prompts: tuple[PromptText, ...] = ()
    endpoint: Endpoint = field(default_factory=Endpoint)
    judge_endpoint: Endpoint = field(default_factory=Endpoint)
    spending_limit: float | None = None
    price: Price | None = None
    judge_price: Price | None = None

    @property
    def steps(self) -> list[Step]:
        """The steps that are to be done, in their order."""
        answering: list[Step] = ["answers"] if self.model else []
        judging: list[Step] = ["ratings", "verdicts"] if self.pairs else ["ratings"]
        return [*answering, *(judging if self.judge else [])]


def check_answer_target(store: Store, spec: ProtocolRun, judge: str) -> bool:
    """Return whether all of the answers are there already, from an equal set of questions that others stored.

    `judge` is the id under which the replies are stored. Raises BadInput if the dataset holds something that these
    answers cannot be mixed with.
    """
    dataset = next((d for d in datasets.all_datasets(store) if d.name == spec.dataset), None)
    if dataset is None:
        return False
    if dataset.synthetic != is_practice(spec.model):
        sort = "synthetic, and these answers are not" if dataset.synthetic else "real, and practice answers are not"
        raise BadInput(f"The dataset {dataset.name} is {sort}. Give another dataset.")
    questions = load_questions(store, spec.questions)
    known = {dialogue.id: turn_texts(dialogue, "user") for dialogue in questions.values()}
    ours = answers_mark(spec.protocol)
    asks, there_already = ours.rpartition("@")[2], set[str]()
    for answer in stored_answers(store, spec.dataset):
        mark, question = str(answer.meta.get("protocol", "")), str(answer.meta.get("question_id", ""))
        if mark.rpartition("@")[2] != asks and (mark or answer.system == spec.model):
            origin = f"by the protocol {mark}" if mark else f"of {spec.model} that came from elsewhere"
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
        if answer.system == spec.model and question in known:
            there_already.add(question)
    rows = store.rows("select distinct item_id from judgment where judge_id = $1", [judge])
    others = there_already - {questions[str(key)].id for (key,) in rows if key in questions}
    if others and others != known.keys():
        raise BadInput(
            f"The dataset {dataset.name} holds answers of {spec.model} to {len(others):,} of these questions, from "
            "another set of them. Go on with that set, or give another dataset."
        )
    return bool(others)


def write_answers(store: Store, actor: str, spec: ProtocolRun, judge: str) -> Counter[str]:
    """Make items of a model's answers; how many questions have no whole answer, by reason.

    `judge` is the id under which the replies are stored. What is there already stays as it is.
    """
    questions = load_questions(store, spec.questions)
    stored_ids = {answer.id for answer in stored_answers(store, spec.dataset)}
    dialogues: list[Dialogue] = []
    lacking: Counter[str] = Counter()
    references = used_references(store, spec)
    for item, (raw, unscored) in stored_raws(store, judge, questions).items():
        answered = answered_dialogues(spec.protocol, questions[item], spec.model, raw, references)
        dialogues += answered
        lacking[unscored] += not answered
    _write_items(store, actor, spec, [answer for answer in dialogues if answer.id not in stored_ids])
    return +lacking


def used_references(store: Store, spec: ProtocolRun) -> str | None:
    """The set of reference answers that a judge is shown with a run's answers; None for the questions' own."""
    named = spec.protocol.references
    if named in ("own", "none") or not spec.questions:
        return None
    questions = load_questions(store, spec.questions).values()
    return chosen_references(questions, named or spec.judge or spec.protocol.judge)


def stored_raws(store: Store, judge: str, questions: Iterable[str]) -> dict[str, tuple[str, str]]:
    """(what the calls gave, why it is not whole) by the id of a question's item, of those that were asked."""
    rows = store.rows(
        "select item_id, raw, unscored from judgment m where judge_id = $1 and item_id = any($2) "
        f"qualify {COUNTED_JUDGMENT_SQL}",
        [judge, list(questions)],
    )
    return {str(item): (str(raw), str(unscored)) for item, raw, unscored in rows}


def write_pairs(store: Store, actor: str, spec: ProtocolRun) -> None:
    """Make pairs of the answers of a dataset: those of the model with all others."""
    answers = stored_answers(store, spec.dataset)
    known = dataset_item_names(store, spec.dataset, "pair")
    _write_items(store, actor, spec, [pair for pair in make_pairs(answers, spec.model) if pair.id not in known])


def _write_items(store: Store, actor: str, spec: ProtocolRun, items: Sequence[Item]) -> None:
    """Put items into the dataset, which is made if it is missing. Raises ImportRefused."""
    if not items:
        return
    lines = "\n".join(canonical(item.model_dump(mode="json")) for item in items).encode("utf-8", "replace")
    plan = ImportPlan(spec.dataset, synthetic=is_practice(spec.model), format="canonical", sampling="all")
    import_source(store, actor, from_bytes([(f"answers of {spec.model}.jsonl", lines)]), plan)


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
