"""The response to a draw: the drawn items of a dataset, those with a label, by stratum, and why others have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from data.cards import cards
from data.gold.fewshot import items_in_prompt, not_in_prompt_sql
from data.gold.gold import STRATA, WEIGHTED, Basis, labels_sql
from data.records import exposure, people, settings
from data.records.access import allow, require
from data.records.items import neutral_name
from data.records.outcomes import unit_sort_sql
from data.records.queue_index import current_index
from data.store import Store, cache_result
from data.store.ids import now
from judges.stats.nonresponse import SampleResponse, StratumResponse
from judges.types import Dimension, UnitSort

Key = tuple[UnitSort, str]
"""Unit sort and name of a dimension."""
Why = Literal[
    "put aside", "in the prompt", "withdrawn", "answered with the judge in view", "answered in other dimensions",
    "skipped", "known to all", "held", "waiting",
]  # fmt: skip
"""The reason why a drawn item has no label that counts; the first that applies."""
MAX_LISTED_ITEMS = 500
"""Items of a list."""


@dataclass(frozen=True)
class MissingAnswer:
    """A drawn item that has no label that counts: its name, stratum, why, and by whom, in words.

    `stratum` is None if the person may still get to answer the item blind, because it may show a score or a system.
    """

    item: str
    name: str
    stratum: str | None
    why: Why
    explanation: str


def summarise_missing(left: Sequence[MissingAnswer]) -> str:
    """Say in words why they are not answered: "7 waiting, 3 put aside"; "" if there are none."""
    counts = Counter(answer.why for answer in left)
    return ", ".join(f"{counts[why]:,} {why}" for why in get_args(Why) if counts[why])


_KNOWN_TO_ALL = "everybody who works here was shown what a judge or other people said"


@allow("annotator")
def missing_answers(
    store: Store, person: str, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis
) -> list[MissingAnswer]:
    """Return the items drawn to be answered blind that have no label of a dimension that counts, by stratum and name.

    No score is shown. A stratum, and a reason that people wrote, are shown only for items that this person can no
    longer get to answer blind: they may reveal a score, or what somebody thinks of the item. The others come first, by
    name, without the names of systems where the dataset hides these. Raises NotAllowed.
    """
    require(store, person, "annotator")
    card = cards.card_of_judge_if_known(store, judge_id)
    counted = labels_sql(basis, ["$3"], not_in_prompt_sql(store, judge_id))
    units = unit_sort_sql(dimension.sort, "l")
    rows = store.rows(
        "select d.item_id, i.name, d.stratum, d.id, t.person, t.why, i.system_a, i.system_b from draw d "
        "join item i on i.id = d.item_id left join tuning_now t on t.item_id = d.item_id "
        "where d.dataset_id = $1 and d.stream = 'audit' and d.mode = 'blind' and i.kind = $2 "
        f"{'and i.cells > 3 ' if dimension.sort == 'section' else ''}"
        f"and d.item_id not in (select l.item_id from ({counted}) l where {units})",
        [dataset_id, card.kind if card else "", dimension.name],
    )
    ids = [str(row[0]) for row in rows]
    withdrawals = store.rows(
        "select l.item_id, l.annotator from label l where l.item_id = any($1) and l.dimension = $2 and l.withdrawn "
        f"and {units} and not exists (select 1 from label r where r.replaces = l.id) order by l.seq",
        [ids, dimension.name],
    )
    back = {str(item): str(by) for item, by in withdrawals}
    answers_by_item: dict[str, list[tuple[str, str, str, str]]] = {}
    for item, by, action, mode, reason in store.rows(
        "select item_id, person, action, mode, reason from answer_now where item_id = any($1) order by seq, id", [ids]
    ):
        answers_by_item.setdefault(str(item), []).append((str(by), str(action), str(mode), str(reason)))
    annotators, shown = [p.name for p in people.all_people(store)], items_in_prompt(store, judge_id)
    hidden, unnamed = exposure.blind_pending(store, person), settings.hides_systems(store, dataset_id)
    index, moment = current_index(store), now()
    missing = []
    with index.lock:
        for item, name, stratum, draw_id, by, why, *systems in rows:
            draw, answers = index.draws.get(str(draw_id)), answers_by_item.get(str(item), [])
            if item in hidden:
                why, answers = "", [(by_person, action, mode, "") for by_person, action, mode, _ in answers]
                stratum, name = None, neutral_name(item, name, systems) if unnamed else name
            saved = [a for a in answers if a[1] == "save"]
            is_closed = draw is None or all(index.is_closed_to(draw, annotator) for annotator in annotators)
            explanations: dict[Why, str] = {
                "put aside": _by_whom([by] if by is not None else [], why or ""),
                "in the prompt": "an example that the judge is shown" if item in shown else "",
                "withdrawn": _by_whom([back[item]] if item in back else []),
                "held": _by_whom(index.holders(draw, moment) if draw else []),
                "skipped": "; ".join(_by_whom(a[:1], a[3]) for a in answers if a[1] == "skip"),
                "answered with the judge in view": _by_whom([a[0] for a in saved if a[2] != "blind"]),
                "answered in other dimensions": _by_whom([a[0] for a in saved]),
                "known to all": _KNOWN_TO_ALL if is_closed else "",
                "waiting": "for a blind answer",
            }
            explanation = next((why, words) for why, words in explanations.items() if words)
            missing.append(MissingAnswer(str(item), str(name), stratum, *explanation))
    return sorted(missing, key=lambda answer: (answer.stratum or "", answer.name, answer.item))


def _by_whom(names: Sequence[str], reason: str = "") -> str:
    """Say by whom; "" for nobody."""
    return f"by {', '.join(names)}" + (f": {reason}" if reason else "") if names else ""


@allow("annotator")
@cache_result
def sample_responses(
    store: Store, dataset_id: str, judge_id: str, dimensions: Sequence[Dimension], basis: Basis
) -> dict[Key, SampleResponse]:
    """Return, by dimension, the strata of the audit sample on a basis: items drawn, and answered by a counted label.

    A drawn item without such a label is not answered: put aside, an example of the judge's prompt, skipped, or
    withdrawn. An import of labels that says all items were asked is a stratum too: the items that existed then. An
    import that says they were drawn at random is none, because nobody here knows who was asked. If a dimension has only
    imported labels, they are a sample of their own, and one that was drawn here and not begun takes no part. Other
    bases have no strata.
    """
    if basis not in WEIGHTED or not dimensions:
        return {(d.sort, d.name): SampleResponse() for d in dimensions}
    card = cards.card_of_judge_if_known(store, judge_id)
    kind, mode = card.kind if card else "", "assisted" if basis == "assisted" else "blind"
    names = list(dict.fromkeys(d.name for d in dimensions))
    labels_query = labels_sql(basis, [f"${n + 4}" for n in range(len(names))], not_in_prompt_sql(store, judge_id))
    sample = "where h.mode = $2 and h.kind = $3"
    rows = store.rows(
        f"with h as ({STRATA}), here as (select item_id, stratum, mode from draw where dataset_id = $1 "
        f"and stream = 'audit' and mode = $2), held as materialized ({labels_query}), "
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
    imported_counts = {(r[2], names[r[3]]): int(r[4]) for r in rows if r[0] == "brought"}
    started_keys = {(r[2], names[r[3]]) for r in rows if r[0] == "begun"}
    every = _count_asked_items(store, dataset_id, judge_id, kind) if imported_counts else None
    responses: dict[Key, SampleResponse] = {}
    for d in dimensions:
        strata = []
        place = (d.sort, d.name)
        for name, all_, cut, probability in drawn if place in started_keys or place not in imported_counts else ():
            answer_count = answered.get((name, d.sort, d.name), 0)
            # An item with a label was asked, whatever its content says of its units.
            if count := max(cut if d.sort == "section" else all_, answer_count):
                strata.append(StratumResponse(name, count / probability, count, answer_count))
        if every is not None and (answer_count := imported_counts.get(place, 0)):
            count = max(every[1] if d.sort == "section" else every[0], answer_count)
            strata.append(StratumResponse("all items, by an import", count, count, answer_count))
        responses[place] = SampleResponse(tuple(strata))
    return responses


def _count_asked_items(store: Store, dataset_id: str, judge_id: str, kind: str) -> tuple[int, int] | None:
    """Count the items of a dataset, and those with sections, that existed when an import said that all had been asked.

    None if no import said so. Items in the judge's prompt, or used for tuning, do not count.
    """
    query = "select max(seq) from intake where dataset_id = $1 and sampling = 'all' and labels > 0"
    import_rows = store.rows(query, [dataset_id])
    if import_rows[0][0] is None:
        return None
    count, cut = store.rows(
        "select count(*), coalesce(sum(case when i.cells > 3 then 1 else 0 end), 0) from item i "
        f"where i.dataset_id = $1 and i.kind = $2 and i.seq <= $3{not_in_prompt_sql(store, judge_id, 'i.id')}",
        [dataset_id, kind, import_rows[0][0]],
    )[0]
    return int(count), int(cut)
