"""The datasets of a workspace, what is in them, and how far each is labelled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from data.records.access import allow
from data.records.tables import DatasetRow, JudgeRow
from data.store import Store, Tx, cache_result, columns_of
from data.store.errors import NotFound
from data.store.ids import content_id

NO_PROBE_SQL = "j.params not like '%\"probe\":%'"
"""SQL: whether a judge `j` saw the items as they are, as people do: not those of a probe, which were changed."""


@dataclass(frozen=True)
class Dataset:
    """A set of items that is labelled and judged together. `synthetic`: made by a generator, not by people."""

    id: str
    name: str
    description: str
    synthetic: bool


class DatasetJudge(NamedTuple):
    """A judge of a dataset, and how many of its items it has judged. `synthetic`: its replies were made up."""

    id: str
    card: str
    model: str
    synthetic: bool
    items: int
    card_version: str


@allow("annotator")
def all_datasets(store: Store | Tx) -> list[Dataset]:
    """Every dataset, in the order of their making."""
    return _datasets(store, "purpose is null")


@allow("researcher")
def question_sets(store: Store | Tx) -> list[Dataset]:
    """The sets of questions that are asked of models, in the order of their making: nobody labels or judges them."""
    return _datasets(store, "purpose = 'questions'")


@cache_result
def _datasets(store: Store | Tx, condition: str) -> list[Dataset]:
    rows = store.rows(f"select id, name, description, synthetic from dataset where {condition} order by seq, name")
    return [Dataset(*row) for row in rows]


@allow("researcher")
def find_dataset(store: Store | Tx, dataset_id: str) -> Dataset:
    """The dataset of that id. Raises NotFound."""
    for dataset in all_datasets(store):
        if dataset.id == dataset_id:
            return dataset
    raise NotFound(f"There is no dataset {dataset_id!r} in this workspace. The link may belong to another one.")


def dataset_names(store: Store | Tx) -> dict[str, str]:
    """The names of all datasets and sets of questions, by id."""
    return {str(id_): str(name) for id_, name in store.rows("select id, name from dataset")}


def find_judge(store: Store | Tx, judge_id: str) -> JudgeRow:
    """The judge of that id. Raises NotFound."""
    judge = every_judge(store).get(judge_id)
    if judge is None:
        raise NotFound(f"There is no judge {judge_id!r} in this workspace. The link may belong to another one.")
    return judge


@cache_result
def every_judge(store: Store | Tx) -> dict[str, JudgeRow]:
    """Every judge by its id."""
    return {str(row[0]): JudgeRow(*row) for row in store.rows(f"select {columns_of(JudgeRow)} from judge")}


@allow("annotator")
def dataset_named(store: Store | Tx, name: str) -> Dataset:
    """The dataset of that name. Raises NotFound."""
    for dataset in all_datasets(store):
        if dataset.name == name:
            return dataset
    raise NotFound(f"There is no dataset called {name!r} in this workspace.")


def ensure_dataset(tx: Tx, name: str, description: str = "", synthetic: bool = False) -> str:
    """The id of the dataset of that name, made if it is not there; for callers that have checked the right to."""
    dataset_id = content_id("dataset", name)
    if not tx.rows("select 1 from dataset where id = $1", [dataset_id]):
        tx.append([DatasetRow(dataset_id, name, description, synthetic)])
    return dataset_id


@cache_result
def count_items(store: Store | Tx, dataset_id: str) -> int:
    """The number of items in a dataset."""
    return int(store.rows("select count(*) from item where dataset_id = $1", [dataset_id])[0][0])


@allow("annotator")
def item_kinds(store: Store | Tx, dataset_id: str) -> list[str]:
    """The kinds of items that a dataset holds, the commonest first."""
    rows = store.rows(
        "select kind, count(*) from item where dataset_id = $1 group by kind order by 2 desc, 1", [dataset_id]
    )
    return [str(kind) for kind, _ in rows]


@cache_result
def dataset_systems(store: Store | Tx, dataset_id: str) -> list[str]:
    """The systems under test whose texts a dataset holds, by name."""
    query = "select system_a from item where dataset_id = $1 union select system_b from item where dataset_id = $1"
    return sorted(str(name) for (name,) in store.rows(query, [dataset_id]) if name)


@allow("annotator")
@cache_result
def dataset_judges(store: Store | Tx, dataset_id: str) -> list[DatasetJudge]:
    """Every judge of a dataset, most items first.

    Judges of a probe are left out: they saw other items than people do.
    """
    rows = store.rows(
        "select j.id, j.card, j.model, j.synthetic, count(distinct m.item_id) as items, j.card_version "
        "from judgment m join item i on i.id = m.item_id join judge j on j.id = m.judge_id "
        f"where i.dataset_id = $1 and {NO_PROBE_SQL} "
        "group by j.id, j.card, j.model, j.synthetic, j.card_version order by items desc, j.model, j.id",
        [dataset_id],
    )
    return [DatasetJudge(*row) for row in rows]
