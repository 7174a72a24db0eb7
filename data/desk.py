"""What the desk shows of an item: its text, a judge's scores unless it is blind, and one's own answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from data import datasets, items, labels
from data.items import Stored
from data.queue import Given
from data.store import Store
from judges.card import Card, cards
from judges.types import Pair

Cell = tuple[str, str]


@dataclass(frozen=True)
class JudgeValue:
    """What the judge said in a cell: the value (None = n/a), how sure it is (0..1 or None), and the source of that."""

    value: float | None
    confidence: float | None
    source: str


@dataclass(frozen=True)
class View:
    """One item as one person may see it now. In mode `blind` nothing of the judge is in it.

    remarks: (unit, dimension, note | issue | rule, text); comments: (unit, issue | comment, text), the person's own;
    version: the key of the person's last answer to the item, or "".
    """

    item: Stored
    card: Card
    mode: labels.Mode
    stream: str
    draw: str
    why: tuple[str, ...]
    judge_id: str
    judge_name: str
    version: str
    scores: dict[Cell, JudgeValue] = field(default_factory=dict)
    remarks: list[tuple[str, str, str, str]] = field(default_factory=list)
    mine: dict[Cell, float | None] = field(default_factory=dict)
    comments: list[tuple[str, str, str]] = field(default_factory=list)


def opened(store: Store, person: str, item_id: str) -> View:
    """An item that a person opens by its link. Raises NotFound.

    An item that is in the audit sample to be answered blind is shown blind here too, until it is answered and revealed.
    """
    items.item(store, item_id)
    # An answer stays under the draw that it was given under; a blind draw that came later cannot make it blind.
    rows = store.rows(
        "select a.draw_id, coalesce(d.stream, 'open'), coalesce(d.mode, 'assisted'), coalesce(d.judge_id, a.judge_id) "
        "from answer_now a left join draw d on d.id = a.draw_id where a.item_id = $1 and a.person = $2",
        [item_id, person],
    ) or store.rows(
        "select d.id, d.stream, d.mode, d.judge_id from draw d where d.item_id = $1 "
        "order by case when d.stream = 'audit' then 0 else 1 end, d.seq limit 1",
        [item_id],
    )
    draw, stream, mode, judge = rows[0] if rows else ("", "open", "assisted", "")
    return views(store, person, [Given(draw, item_id, stream, mode, judge, ("opened by its link",))])[0]


def views(store: Store, person: str, given: Sequence[Given]) -> list[View]:
    """The items that were given to a person, as they may see them, in that order."""
    if not given:
        return []
    stored = {i.id: i for i in items.items(store, [g.item for g in given])}
    ids = list(stored)
    marks = ", ".join(f"${n}" for n in range(2, len(ids) + 2))
    revealed = {
        str(r[0])
        for r in store.rows(f"select item_id from reveal where person = $1 and item_id in ({marks})", [person, *ids])
    }
    version = {
        str(r[0]): str(r[1])
        for r in store.rows(
            f"select item_id, id from answer_now where person = $1 and item_id in ({marks})", [person, *ids]
        )
    }
    usual = {d: datasets.judges(store, d) for d in {i.dataset_id for i in stored.values()}}
    made = []
    for g in given:
        if g.item not in stored:
            continue
        item = stored[g.item]
        judge_id, card, model = _judge(item, g.judge, usual[item.dataset_id])
        draw = (g.draw, g.mode) if g.draw else None
        mode = labels.mode_for(draw, g.item in revealed)
        blind = mode == "blind"
        made.append(
            View(
                item, card, mode, g.stream, g.draw, g.reasons, "" if blind else judge_id, "" if blind else model,
                version.get(g.item, ""),
            )
        )  # fmt: skip
    _add_own(store, person, [v for v in made if v.version])
    _add_judge(store, [v for v in made if v.judge_id])
    return made


def _judge(item: Stored, wanted: str, usual: list[tuple[str, str, str, bool, int]]) -> tuple[str, Card, str]:
    """(judge id, card, model) that an item is labelled beside: the wanted judge, else the dataset's most used one, else

    no judge and a card for that kind of item.
    """
    known, kind = cards(), item.content.kind
    fitting = [j for j in usual if j[1] in known and known[j[1]].kind == kind]
    for judge_id, card, model, _, _ in sorted(fitting, key=lambda j: j[0] != wanted):
        return judge_id, known[card], model
    if isinstance(item.content, Pair):
        return "", known["long_form_pairwise" if item.content.sections else "plain_pairwise"], ""
    return "", next(c for c in known.values() if c.kind == kind and c.name != "mt_bench"), ""


def _add_own(store: Store, person: str, answered: list[View]) -> None:
    """Put a person's own labels and notes into the views of items that they have answered."""
    if not answered:
        return
    by_item = {v.item.id: v for v in answered}
    marks = ", ".join(f"${n}" for n in range(2, len(by_item) + 2))
    for item_id, unit, dimension, value in store.rows(
        f"select item_id, unit, dimension, value from label_now where annotator = $1 and item_id in ({marks}) "
        "order by case when mode = 'revealed' then 1 else 0 end",
        [person, *by_item],
    ):
        by_item[item_id].mine[(unit, dimension)] = value
    by_answer = {v.version: v for v in answered}
    marks = ", ".join(f"${n}" for n in range(1, len(by_answer) + 1))
    for answer_id, unit, sort, text in store.rows(
        f"select answer_id, unit, sort, text from comment where answer_id in ({marks}) order by id", list(by_answer)
    ):
        by_answer[answer_id].comments.append((unit, sort, text))


def _add_judge(store: Store, shown: list[View]) -> None:
    """Put the judges' scores and remarks into the views that show them."""
    if not shown:
        return
    by_key = {(v.item.id, v.judge_id): v for v in shown}
    ids = list({v.item.id for v in shown})
    marks = ", ".join(f"${n}" for n in range(1, len(ids) + 1))

    def rows(query: str) -> list[tuple[View, tuple[Any, ...]]]:
        found = store.rows(query.format(items=marks), ids)
        return [(by_key[(r[0], r[1])], r[2:]) for r in found if (r[0], r[1]) in by_key]

    spread = {
        (view.item.id, unit, dimension): float(agreement)
        for view, (unit, dimension, agreement) in rows(
            "select item_id, judge_id, unit, dimension, agreement from score_spread where item_id in ({items})"
        )
    }
    for view, (unit, dimension, value, confidence, source) in rows(
        "select item_id, judge_id, unit, dimension, value, confidence, source from score_now where item_id in ({items})"
    ):
        from_samples = spread.get((view.item.id, unit, dimension))
        if confidence is None and from_samples is not None:
            confidence, source = from_samples, "samples"
        view.scores[(unit, dimension)] = JudgeValue(value, confidence, source)
    for view, remark in rows(
        "select item_id, judge_id, unit, dimension, sort, text from remark where item_id in ({items}) and sample = 0"
    ):
        view.remarks.append((remark[0], remark[1], remark[2], remark[3]))
    for view, (part, why) in rows(
        "select item_id, judge_id, part, why from judgment where item_id in ({items}) and unscored <> '' and sample = 0"
    ):
        view.remarks.append((part or "", "", "rule", f"The judge's reply could not be used: {why}."))
