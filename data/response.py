"""Who answered: the drawn items of a dataset and those that have a label, by stratum, and why the others have none."""

from __future__ import annotations

from collections.abc import Sequence

from data import cards
from data.fewshot import apart
from data.gold import STRATA, WEIGHTED, Basis, labels
from data.store import Store, remembered
from judges.response import Response, Stratum
from judges.types import Dimension, UnitSort

TABLES = ("item", "judge", "card", "label", "draw", "item_use", "intake")
"""What it rests on."""
Key = tuple[UnitSort, str]
"""Unit sort and name of a dimension."""


def responses(
    store: Store, dataset_id: str, judge_id: str, asked: Sequence[Dimension], basis: Basis
) -> dict[Key, Response]:
    """Of every dimension the strata of the audit sample, as a basis has them: drawn, and answered by a counted label.

    Put aside, examples of the judge's prompt, skipped, withdrawn: all that is drawn and has no such label is not
    answered. An import of labels that says all items were asked is a stratum too: the items that were there then. Of
    one that says they were drawn at random nobody here knows who was asked: it is none. Where there are only imported
    labels of a dimension, they are a sample of their own, and one that was drawn here and not begun takes no part. No
    strata on the other bases.
    """
    if basis not in WEIGHTED or not asked:
        return {(d.sort, d.name): Response() for d in asked}
    key = ("responses", dataset_id, judge_id, tuple((d.sort, d.name) for d in asked), basis)
    return dict(remembered(store, key, TABLES, lambda: _responses(store, dataset_id, judge_id, asked, basis)))


def _responses(
    store: Store, dataset_id: str, judge_id: str, asked: Sequence[Dimension], basis: Basis
) -> dict[Key, Response]:
    card = cards.maybe(store, judge_id)
    kind, mode = card.kind if card else "", "assisted" if basis == "assisted" else "blind"
    names = list(dict.fromkeys(d.name for d in asked))
    held = labels(basis, [f"${n + 4}" for n in range(len(names))], apart(store, judge_id))
    sample = "where h.mode = $2 and h.kind = $3"
    rows = store.rows(
        f"with h as ({STRATA}), here as (select item_id, stratum, mode from draw where dataset_id = $1 "
        f"and stream = 'audit' and mode = $2), held as materialized ({held}), "
        "met as (select distinct l.item_id, l.no, "
        "case when strpos(l.unit, ':') > 0 then split_part(l.unit, ':', 1) "
        "when strpos(l.unit, '/') > 0 then 'side' else l.unit end as sort, "
        "coalesce(l.part, -1) < 0 as brought from held l) "
        "select 'drawn', h.stratum, '', -1, h.drawn, h.cut, p.probability from h join (select stratum, mode, "
        "max(probability) as probability from draw_now where dataset_id = $1 and stream = 'audit' "
        f"group by stratum, mode) p on p.stratum = h.stratum and p.mode = h.mode {sample} union all "
        "select 'answered', d.stratum, m.sort, m.no, count(distinct m.item_id), 0, null from met m "
        "join here d on d.item_id = m.item_id join item i on i.id = d.item_id and i.kind = $3 group by 2, 3, 4 "
        "union all select case when m.brought then 'brought' else 'begun' end, '', m.sort, m.no, "
        "count(distinct m.item_id), 0, null from met m group by 1, 3, 4",
        [dataset_id, mode, kind, *names],
    )
    drawn = sorted((str(r[1]), int(r[4]), int(r[5]), float(r[6])) for r in rows if r[0] == "drawn" and r[6])
    answered = {(str(r[1]), r[2], names[r[3]]): int(r[4]) for r in rows if r[0] == "answered"}
    brought = {(r[2], names[r[3]]): int(r[4]) for r in rows if r[0] == "brought"}
    begun = {(r[2], names[r[3]]) for r in rows if r[0] == "begun"}
    every = _every(store, dataset_id, judge_id, kind) if brought else None
    found: dict[Key, Response] = {}
    for d in asked:
        strata = []
        place = (d.sort, d.name)
        for name, all_, cut, probability in drawn if place in begun or place not in brought else ():
            said = answered.get((name, d.sort, d.name), 0)
            # An item with a label was asked, whatever its content says of its units.
            if count := max(cut if d.sort == "section" else all_, said):
                strata.append(Stratum(name, count / probability, count, said))
        if every is not None and (said := brought.get(place, 0)):
            count = max(every[1] if d.sort == "section" else every[0], said)
            strata.append(Stratum("all items, by an import", count, count, said))
        found[place] = Response(tuple(strata))
    return found


def _every(store: Store, dataset_id: str, judge_id: str, kind: str) -> tuple[int, int] | None:
    """The items of a dataset, and those with sections, that were there when an import said that all had been asked.

    None where no import has said so. What stands in the judge's prompt, or was used for tuning, is none of them.
    """
    query = "select max(seq) from intake where dataset_id = $1 and sampling = 'all' and labels > 0"
    said = store.rows(query, [dataset_id])
    if said[0][0] is None:
        return None
    count, cut = store.rows(
        "select count(*), coalesce(sum(case when i.cells > 3 then 1 else 0 end), 0) from item i "
        f"where i.dataset_id = $1 and i.kind = $2 and i.seq <= $3{apart(store, judge_id, 'i.id')}",
        [dataset_id, kind, said[0][0]],
    )[0]
    return int(count), int(cut)
