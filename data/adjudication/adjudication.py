"""Adjudicating: somebody decides what holds in a cell on which people's labels differ.

Researchers and leads may decide, but not on a cell that they labelled themselves: that would only repeat their own
label. If no other active person can decide it, they may, and the labels kept with the decision show this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from data.cards import cards
from data.desk.labels import check_answer_value
from data.gold import disputes
from data.gold.disputes import Adjudication, LabelledCell
from data.gold.gold import gold_sql
from data.records import exposure, items, people
from data.records.access import allow, allow_change, require
from data.records.settings import GoldRule, gold_rule
from data.records.tables import AdjudicationRow
from data.store import Store, Tx, columns_of
from data.store.errors import BadInput, NotAllowed, NotFound
from judges.errors import BadScale
from judges.importing.lines import LONGEST_REASON
from judges.strict_json import storable_text
from judges.types import sort_of

_MAX_ABSOLUTE_VALUE = 1e9
_KEY_TAKEN = "Another decision has this decision's key already. Decide again."


@dataclass(frozen=True)
class AdjudicationWork:
    """The cells that this person may decide, in order, and how many cells wait for somebody else."""

    own: list[LabelledCell]
    others: int


@allow("researcher")
def adjudication_work(store: Store, actor: str, dataset_id: str) -> AdjudicationWork:
    """Return what waits in a dataset for a person. Below the role researcher, everything waits for somebody else."""
    cells = disputes.cells_to_adjudicate(store, dataset_id)
    able = [p.name for p in people.all_people(store) if p.may("researcher")]
    if actor not in able:
        return AdjudicationWork([], len(cells))
    own_cells = [cell for cell in cells if not _people_who_could_decide(able, actor, cell)]
    return AdjudicationWork(own_cells, len(cells) - len(own_cells))


def _people_who_could_decide(able: list[str], actor: str, cell: LabelledCell) -> list[str]:
    """Return those who could decide a cell instead of an actor who labelled it; empty if the actor may decide it."""
    labelled = {s.person for s in cell.labels}
    return [name for name in able if name not in labelled] if actor in labelled else []


@allow("researcher")
def record_look(store: Store, actor: str, item_ids: Sequence[str]) -> None:
    """Record that people's labels of these items are shown to somebody who adjudicates them.

    From then on the audit sample does not offer them these items, and their answers to these items do not count as
    blind. Raises NotAllowed below the role researcher.
    """
    require(store, actor, "researcher")
    exposure.record_exposures(store, actor, dict.fromkeys(item_ids, (exposure.OTHER_PEOPLE,)), "adjudication")


@allow_change("researcher", "adjudicate", "item_id")
def adjudicate(
    tx: Tx, actor: str, key: str, item_id: str, unit: str, dimension: str, value: Any, reason: str, token: str
) -> Adjudication:
    """Append a decision on a cell that waits, with the labels it was made on; idempotent by its key.

    `token` is the token of the cell as it was shown. If its labels or its decision changed meanwhile, the decision is
    refused with a sentence. The store finds `saw_judge`: whether the judge's scores of that item were shown to the
    actor, here or on the desk, or the labels themselves were given with them in view. Such a decision counts on no
    blind basis. Raises NotAllowed, NotFound, BadScale or BadInput.
    """
    reason = storable_text(str(reason)).strip()

    def code(item: items.StoredItem) -> float | None:
        try:
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            too_large = number and not abs(value) < _MAX_ABSOLUTE_VALUE
            if too_large or not (number or value is None or isinstance(value, str)):
                raise BadScale("that is no answer of its scale")
            return check_answer_value(tx, item.content, unit, dimension, float(value) if number else value)
        except BadScale as error:
            raise BadScale(f"{dimension.replace('_', ' ')[:60]} of {unit}: {error}.") from None
    if not 8 <= len(key) <= 80:
        raise BadInput("A decision needs a key of 8 to 80 letters, made where it was taken.")
    item = items.load_item(tx, item_id)
    for columns in tx.rows(f"select {columns_of(AdjudicationRow)} from adjudication where id = $1", [key]):
        row = AdjudicationRow(*columns)
        decision_fields = (item_id, unit, dimension, code(item), reason, False, actor)
        if (*row[2:7], row.withdrawn, row.person) != decision_fields:
            raise BadInput(_KEY_TAKEN)
        return Adjudication(key, row.person, row.value, row.reason, disputes.labels_from_json(row.labels))
    if not reason:
        raise BadInput("A decision needs a reason, in a few words.")
    if len(reason) > LONGEST_REASON:
        raise BadInput(f"The reason has {len(reason):,} letters; at most {LONGEST_REASON:,} are allowed.")
    cell = _cell(tx, item.dataset_id, item_id, unit, dimension, token)
    instead = _people_who_could_decide([p.name for p in people.all_people(tx) if p.may("researcher")], actor, cell)
    if instead:
        raise NotAllowed(f"You gave one of these labels. Somebody else has to decide: {', '.join(instead[:3])}.")
    known = exposure.find_exposures(tx, actor, [item_id]).get(item_id, set())
    saw = bool(known - {exposure.OTHER_PEOPLE}) or any(s.mode == "assisted" for s in cell.labels)
    labels_json = disputes.labels_to_json(cell.labels)
    row = AdjudicationRow(
        key, item.dataset_id, item_id, unit, dimension, code(item), reason, labels_json, saw, False, actor
    )
    tx.append([row])
    exposure.add_exposures(tx, actor, {item_id: [exposure.OTHER_PEOPLE]}, "adjudication")
    return Adjudication(key, actor, row.value, reason, cell.labels)


@allow_change("researcher", "withdraw adjudication", "decision_id")
def withdraw_adjudication(tx: Tx, actor: str, key: str, decision_id: str) -> None:
    """Take a decision back (its author, or a lead): the cell goes by the rule again, and waits if people disagree.

    Idempotent by its key. Raises NotAllowed, or BadInput if the decision is no longer in force.
    """
    if not 8 <= len(key) <= 80:
        raise BadInput("Taking a decision back needs a key of 8 to 80 letters.")
    person = require(tx, actor, "researcher")
    done = tx.rows(
        "select a.person, a.withdrawn, a.item_id = d.item_id and a.unit = d.unit and a.dimension = d.dimension "
        "and d.seq < a.seq from adjudication a left join adjudication d on d.id = $2 where a.id = $1",
        [key, decision_id],
    )
    if done:
        if done[0] != (actor, True, True):
            raise BadInput(_KEY_TAKEN)
        return
    query = f"select {columns_of(AdjudicationRow)} from adjudication where id in (select id from adjudication_now)"
    rows = tx.rows(f"{query} and id = $1", [decision_id])
    if not rows:
        raise BadInput("This decision is no longer in force: it was taken back, or replaced by another one.")
    decision = AdjudicationRow(*rows[0])
    if decision.person != actor and not person.may("lead"):
        raise NotAllowed(f"{decision.person} made this decision: only they or a lead can take it back.")
    tx.append([decision._replace(id=key, withdrawn=True, person=actor)])


@allow_change("researcher", "reveal", "item_id")
def reveal_while_adjudicating(tx: Tx, actor: str, item_id: str) -> None:
    """Record that somebody who adjudicates an item asked for the judge's scores of it; only if a cell of it waits.

    From then on their decisions on it count on no blind basis, and their own labels of it count as revealed.
    """
    item = items.load_item(tx, item_id)
    if not any(cell.waits for cell in disputes.cells_of_item(tx, item.dataset_id, item_id)):
        raise NotFound("No cell of this item waits for a decision: the judge's scores are on the review desk.")
    exposure.reveal_scores(tx, actor, item_id)


def _cell(tx: Tx, dataset_id: str, item_id: str, unit: str, dimension: str, token: str) -> LabelledCell:
    """Return the cell that was on screen. Raises NotFound if it is gone, BadInput if it changed or does not wait."""
    cells = disputes.cells_of_item(tx, dataset_id, item_id)
    cell = next((c for c in cells if (c.unit, c.dimension) == (unit, dimension)), None)
    if cell is None:
        raise NotFound(f"There is no label of {dimension.replace('_', ' ')[:60]} of {unit[:40]} in force any more.")
    decision = cell.decision
    if not cell.waits:
        if decision is not None:
            answer = cell.scale.format(decision.value)
            raise BadInput(f"{decision.person} decided this rating meanwhile: {answer}, because: {decision.reason}")
        raise BadInput("By this dataset's rule, people no longer disagree too much here: there is nothing to decide.")
    if cell.token != token:
        raise BadInput("People's labels of this rating changed while you decided. Look at it again.")
    return cell


@dataclass(frozen=True)
class RuleEffect:
    """The effect of a rule on a dataset: cells that would wait, cells that wait now, and gold values that change."""

    waiting: int
    now: int
    changed: int


@allow("annotator")
def rule_effect(store: Store, dataset_id: str, new: GoldRule) -> RuleEffect:
    """Return what changes in a dataset if its rule becomes another, on all labels but revealed ones; writes nothing."""
    new.check()
    old = gold_rule(store, dataset_id)
    changed, old_counted, then = 0, replace(old, waiting="counted"), replace(new, waiting="counted")
    if new.resolve != old.resolve:
        scales = cards.scales(store)
        rows = store.rows(
            "select distinct i.kind, l.unit, l.dimension from label_now l join item i on i.id = l.item_id "
            "where i.dataset_id = $1",
            [dataset_id],
        )
        places = {(kind, sort_of(unit), dimension) for kind, unit, dimension in rows} & scales.keys()
        for sort, dimension, scale in {(place[1], place[2], scales[place]) for place in places}:
            changed += int(store.rows(
                f"select count(*) from ({gold_sql(sort, scale, 'all', old_counted)}) a "
                f"join ({gold_sql(sort, scale, 'all', then)}) b "
                "on b.item_id = a.item_id and b.unit = a.unit where a.value is distinct from b.value",
                [dataset_id, dimension],
            )[0][0])  # fmt: skip
    waiting = len(disputes.cells_waiting_under(store, dataset_id, new))
    return RuleEffect(waiting, len(disputes.cells_to_adjudicate(store, dataset_id)), changed)
