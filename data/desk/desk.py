"""The view of an item on the desk: its text, a judge's scores unless it is blind, and the person's own answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from data.cards.desk_cards import CardLayer, card_layers
from data.desk.judgments import UnitJudgments, shows_every_judge, unit_judgments
from data.queue.queue import OfferedItem
from data.queue.review_signals import parse_reasons
from data.records import datasets, exposure, items, settings
from data.records.access import allow, allow_change, require
from data.records.datasets import NO_PROBE_SQL, DatasetJudge
from data.records.items import StoredItem
from data.records.queue_index import current_index
from data.store import Store, Tx, placeholders
from data.store.errors import NotFound
from judges.card import Card
from judges.triage import Reason
from judges.types import Dimension, systems

Cell = tuple[str, str]


@dataclass(frozen=True)
class JudgeValue:
    """A judge's answer in a cell: the value (None = n/a), its confidence (0..1 or None), and the source of that.

    `samples` are the judge's single answers if it was asked several times; the value is made of them.
    """

    value: float | None
    confidence: float | None
    source: str
    samples: tuple[float | None, ...] = ()


class OtherJudgeValue(NamedTuple):
    """Another judge's value in a rating, if it differs from the value of the judge that is shown."""

    judge_id: str
    name: str
    value: float | None


@dataclass(frozen=True)
class DeskView:
    """One item as one person may see it now. In mode `blind` it has nothing of the judge.

    `remarks`: (unit, dimension, note | issue | rule, text). `comments`: (unit, issue | comment, text), the person's
    own. `repairs`: what the person would have written, by unit. `version`: the key of the person's last answer to the
    item, or "". `over`: the cards next to the main one, with their judges; what those said of their own cells is in
    `scores` and `remarks` too. `doubts`: the reasons to look at it, with the rating that each is about. `others`: what
    other judges said if a reason is that judges disagree, or if every judge is shown; then `judgments` has what each of
    them said, by unit. `unnamed`: the names of the systems under test are hidden, because they bias blind answers.
    """

    item: StoredItem
    card: Card
    mode: exposure.AnswerMode
    stream: str
    draw: str
    why: tuple[str, ...]
    judge_id: str
    judge_name: str
    version: str
    scores: dict[Cell, JudgeValue] = field(default_factory=dict)
    remarks: list[tuple[str, str, str, str]] = field(default_factory=list)
    own_answers: dict[Cell, float | None] = field(default_factory=dict)
    comments: list[tuple[str, str, str]] = field(default_factory=list)
    repairs: dict[str, str] = field(default_factory=dict)
    over: tuple[CardLayer, ...] = ()
    doubts: tuple[Reason, ...] = ()
    others: dict[Cell, list[OtherJudgeValue]] = field(default_factory=dict)
    unnamed: bool = False
    judgments: dict[str, list[UnitJudgments]] = field(default_factory=dict)

    @property
    def marks(self) -> dict[Cell, str]:
        """The reason why a rating of the item needs a look, by its unit and dimension."""
        marks: dict[Cell, str] = {}
        for doubt in self.doubts:
            if (doubt.unit, doubt.dimension) in self.cells:
                marks.setdefault((doubt.unit, doubt.dimension), doubt.text)
        return marks

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems under test, as far as they may be named."""
        return () if self.unnamed else tuple(name for name in systems(self.item.content) if name)

    @property
    def name(self) -> str:
        """The item's name; one that reveals a hidden system is replaced by the beginning of its id."""
        item = self.item
        return items.neutral_name(item.id, item.name, systems(item.content)) if self.unnamed else item.name

    @property
    def layers(self) -> tuple[CardLayer, ...]:
        """The main card, then those beside it, with their judges."""
        return (CardLayer(self.judge_id, self.judge_name, self.card), *self.over)

    @cached_property
    def cells(self) -> dict[Cell, tuple[int, Dimension]]:
        """Each cell with its dimension and the number of the first layer that asks it.

        What only the judge states (`asked` is False) is included, because people may answer it.
        """
        cells: dict[Cell, tuple[int, Dimension]] = {}
        for number, layer in enumerate(self.layers):
            for unit, dimension in layer.card.cells(self.item.content, stated=True):
                cells.setdefault((unit, dimension.name), (number, dimension))
        return cells

    def asks(self, number: int, cell: Cell) -> bool:
        """Whether a cell is asked by the layer of this number; one that no layer asks belongs to the main card."""
        return self.cells[cell][0] == number if cell in self.cells else number == 0


_LayerRow = tuple[DeskView, int, list[Any]]
"""A row about a judge's reply: the view that shows it, the number of its layer, and the columns."""


@allow("annotator")
def open_item(store: Store, person: str, item_id: str) -> DeskView:
    """An item that a person opens by its link. Raises NotAllowed for who does not work here, NotFound.

    An item that is in the audit sample to be answered blind is shown blind here too, until it is answered and revealed.
    """
    require(store, person, "annotator")
    items.load_item(store, item_id)
    # An answer stays under the draw that it was given under; a blind draw that came later cannot make it blind.
    rows = store.rows(
        "select a.draw_id, coalesce(d.stream, 'open'), coalesce(d.mode, 'assisted'), coalesce(d.judge_id, a.judge_id), "
        "coalesce(d.reasons, '[]') from answer_now a left join draw d on d.id = a.draw_id "
        "where a.item_id = $1 and a.person = $2",
        [item_id, person],
    ) or store.rows(
        "select d.id, d.stream, d.mode, d.judge_id, d.reasons from draw d where d.item_id = $1 "
        "order by case when d.stream = 'audit' then 0 else 1 end, d.seq limit 1",
        [item_id],
    )
    draw, stream, mode, judge, reasons_json = rows[0] if rows else ("", "open", "assisted", "", "[]")
    reasons, route = parse_reasons(item_id, reasons_json), "opened by its link"
    view = desk_views(store, person, [OfferedItem(draw, item_id, stream, mode, judge, reasons, route)])[0]
    index = current_index(store)
    with index.lock:
        whose = "" if view.version else index.describe_reservation(draw, person)
    return replace(view, why=(f"{route}; reserved for {whose}: an answer of yours is not saved",)) if whose else view


@allow("annotator")
def desk_views(store: Store, person: str, offered_items: Sequence[OfferedItem]) -> list[DeskView]:
    """The items that were given to a person, as they may see them, in that order."""
    if not offered_items:
        return []
    stored = {i.id: i for i in items.load_items(store, [g.item for g in offered_items])}
    ids = list(stored)
    known = exposure.find_exposures(store, person, ids)
    newest = f"select item_id, id from answer_now where person = $1 and item_id in ({placeholders(ids, 2)})"
    version: dict[str, str] = dict(store.rows(newest, [person, *ids]))
    usual = {d: datasets.dataset_judges(store, d) for d in {i.dataset_id for i in stored.values()}}
    hiding = {d: settings.hides_systems(store, d) for d in usual}
    views = []
    for g in offered_items:
        item = stored[g.item]
        main, *over = card_layers(store, item.dataset_id, item.content, g.judge, usual[item.dataset_id])
        mode = exposure.answer_mode(g.mode if g.draw else "", known.get(g.item, ()))
        blind = mode == "blind"
        views.append(
            DeskView(
                item, main.card, mode, g.stream, g.draw, (g.route,) if g.route else tuple(r.text for r in g.reasons),
                "" if blind else main.judge_id, "" if blind else main.judge_name, version.get(g.item, ""),
                over=tuple(replace(layer, judge_id="", judge_name="") if blind else layer for layer in over),
                doubts=() if blind else g.reasons, unnamed=blind and hiding[item.dataset_id],
            )
        )  # fmt: skip
    _add_own(store, person, [v for v in views if v.version])
    shown = [v for v in views if any(layer.judge_id for layer in v.layers)]
    _add_others(store, shown)
    _add_every_judge(store, shown, usual)
    judges_by_item = {v.item.id: {layer.judge_id for layer in v.layers} - {""} for v in shown}
    for view in shown:
        judges_by_item[view.item.id].update(value.judge_id for values in view.others.values() for value in values)
        judges_by_item[view.item.id].update(j.judge_id for judgments in view.judgments.values() for j in judgments)
    exposure.record_exposures(store, person, judges_by_item, "review desk")
    _add_judges(store, shown)
    return views


def _add_others(store: Store, shown: list[DeskView]) -> None:
    """Add what judges that are not shown said, where the reason to look is that judges disagree."""
    judge_by_cell = {
        (v.item.id, (d.unit, d.dimension)): v.layers[v.cells[d.unit, d.dimension][0]].judge_id
        for v in shown
        for d in v.doubts
        if d.kind == "judges disagree" and (d.unit, d.dimension) in v.cells
    }
    if not judge_by_cell:
        return
    rows = store.rows(
        "select s.item_id, s.unit, s.dimension, s.judge_id, j.model, s.value from score_now s "
        f"join judge j on j.id = s.judge_id where s.item_id = any($1) and {NO_PROBE_SQL} "
        "order by j.model, s.judge_id",
        [sorted({item for item, _ in judge_by_cell})],
    )
    shows = {(r[0], (r[1], r[2])): r[5] for r in rows if judge_by_cell.get((r[0], (r[1], r[2]))) == r[3]}
    by_item = {view.item.id: view for view in shown}
    for item, unit, dimension, judge, model, value in rows:
        if shows.get((item, (unit, dimension)), value) != value:
            others = by_item[item].others.setdefault((unit, dimension), [])
            others.append(OtherJudgeValue(judge, model, value))


def _add_every_judge(store: Store, shown: list[DeskView], usual: Mapping[str, Sequence[DatasetJudge]]) -> None:
    """Add what all judges of the main card said, if that is one rating per unit, and mark what differs."""
    views_by_card: dict[tuple[str, str], list[DeskView]] = defaultdict(list)
    for view in shown:
        if shows_every_judge(view.card) and view.judge_id:
            views_by_card[view.item.dataset_id, view.card.name].append(view)
    for (dataset, card), views in views_by_card.items():
        judges = [judge for judge in usual[dataset] if judge.card == card]
        units = {view.item.id: [unit for unit, _ in view.card.cells(view.item.content)] for view in views}
        by_item = unit_judgments(store, judges, units)
        for view in views:
            for unit, judgments in by_item.get(view.item.id, {}).items():
                own = next((judgment for judgment in judgments if judgment.judge_id == view.judge_id), None)
                view.judgments[unit] = sorted(judgments, key=lambda judgment: judgment is not own)
                view.others[unit, view.card.dimensions[0].name] = [
                    OtherJudgeValue(judgment.judge_id, judgment.name, judgment.value)
                    for judgment in judgments
                    if judgment is not own and judgment.scored and (own is None or judgment.value != own.value)
                ]


@allow_change("annotator", "reveal", "item_id")
def reveal_judges(tx: Tx, actor: str, item_id: str) -> None:
    """Record that a person asked to see the judges' scores of an item they have answered blind, so that it shows them.

    Raises NotFound where they have no answer yet (blind means blind), and where no judge has scored it.
    """
    if not tx.rows("select 1 from answer where item_id = $1 and person = $2 limit 1", [item_id, actor]):
        raise NotFound("The judge's scores of this item can be seen once your own answer is saved.")
    exposure.reveal_scores(tx, actor, item_id)


def _add_own(store: Store, person: str, answered: list[DeskView]) -> None:
    """Put a person's own labels and notes into the views of items that they have answered."""
    if not answered:
        return
    by_item = {v.item.id: v for v in answered}
    for item_id, unit, dimension, value in store.rows(
        "select item_id, unit, dimension, value from label_now where annotator = $1 "
        f"and item_id in ({placeholders(by_item, 2)}) "
        "order by case when mode = 'revealed' then 1 else 0 end",
        [person, *by_item],
    ):
        by_item[item_id].own_answers[(unit, dimension)] = value
    by_answer = {v.version: v for v in answered}
    marks = placeholders(by_answer)
    for answer_id, unit, sort, text in store.rows(
        f"select answer_id, unit, sort, text from comment where answer_id in ({marks}) order by id", list(by_answer)
    ):
        by_answer[answer_id].comments.append((unit, sort, text))
    for answer_id, unit, text in store.rows(
        f"select answer_id, unit, text from repair where answer_id in ({marks}) order by id", list(by_answer)
    ):
        by_answer[answer_id].repairs[unit] = text


def _add_judges(store: Store, shown: list[DeskView]) -> None:
    """Put the judges' scores and remarks into the views that show them."""
    if not shown:
        return
    by_key = {
        (view.item.id, layer.judge_id): (view, number)
        for view in shown
        for number, layer in enumerate(view.layers)
        if layer.judge_id
    }
    ids = list({v.item.id for v in shown})

    def rows(columns: str, table: str, rest: str = "") -> list[_LayerRow]:
        query = f"select item_id, judge_id, {columns} from {table} where item_id in ({placeholders(ids)}) {rest}"
        records = store.rows(query, ids)
        return [(*by_key[item, judge], values) for item, judge, *values in records if (item, judge) in by_key]

    spread = [
        (view, number, cell)
        for view, number, cell in rows("unit, dimension, agreement", "score_spread")
        if view.asks(number, (cell[0], cell[1]))
    ]
    samples = rows("unit, dimension, value", "score", "order by sample") if spread else []
    _add_scores(rows("unit, dimension, value, confidence, source", "score_now"), spread, samples)
    sampled = {(view.item.id, number) for view, number, _ in spread}
    _add_remarks(rows("unit, dimension, sort, text", "remark", "and sample = 0"), sampled)
    for view, number, (part, why) in rows("part, why", "unusable_now"):
        whose = f"{view.layers[number].card.title}: the" if number else "The"
        view.remarks.append((part, "", "rule", f"{whose} judge's reply could not be used: {why}."))


def _add_scores(scores: list[_LayerRow], spread: list[_LayerRow], samples: list[_LayerRow]) -> None:
    """Put scores into the views. Several samples come with their agreement where no confidence is stated."""
    agreements = {
        (view.item.id, number, unit, dimension): float(agreement)
        for view, number, (unit, dimension, agreement) in spread
    }
    values: dict[tuple[str, int, str, str], list[float | None]] = defaultdict(list)
    for view, number, (unit, dimension, value) in samples:
        values[view.item.id, number, unit, dimension].append(value)
    for view, number, (unit, dimension, value, confidence, source) in scores:
        if view.asks(number, (unit, dimension)):
            key = view.item.id, number, unit, dimension
            if confidence is None and key in agreements:
                confidence, source = agreements[key], "samples"
            score = JudgeValue(value, confidence, source, tuple(values[key]) if key in agreements else ())
            view.scores[unit, dimension] = score


def _add_remarks(remarks: list[_LayerRow], sampled: Container[tuple[str, int]]) -> None:
    """Put remarks into the views. `sampled`: the (item, layer) of which all samples are shown as one answer."""
    general: list[tuple[DeskView, int, str, str]] = []
    for view, number, (unit, dimension, sort, text) in remarks:
        if sort == "rule" and (view.item.id, number) in sampled:
            text = f"In the first sample: {text}"
        if sort == "note" and not dimension:
            general.append((view, number, unit, text))
        elif sort == "rule" and number and not view.asks(number, (unit, dimension)):
            about = f", {dimension.replace('_', ' ')}" if dimension else ""
            view.remarks.append((unit, dimension, sort, f"{view.layers[number].card.title}{about}: {text}"))
        elif not dimension or view.asks(number, (unit, dimension)):
            view.remarks.append((unit, dimension, sort, text))
    for view, number, unit, text in general:
        # What a judge notes of a whole unit is shown with those of its scores there that have no note of their own.
        noted = {(u, d) for u, d, sort, _ in view.remarks if sort == "note"}
        for (of, dimension), (asked_by, _) in view.cells.items():
            if of == unit and asked_by == number and (of, dimension) not in noted:
                view.remarks.append((of, dimension, "note", text))
