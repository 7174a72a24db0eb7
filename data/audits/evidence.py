"""The evidence for the audits of a judge, from the store: its replies, probes, other judges, gold and fits."""

from __future__ import annotations

import contextlib
import json
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import ValidationError

from data.audits.justification_labels import leans_sql
from data.cards import cards
from data.gold.excluded_items import not_excluded_sql
from data.gold.fewshot import items_in_prompt
from data.gold.gold import Basis, load_gold
from data.records import datasets
from data.records.tables import COUNTED_JUDGMENT_SQL, JudgeRow
from data.store import Row, Store, compute_once, placeholders
from judges.audits import AuditEvidence, AuditReply, Cell, combine_replies, stated_confidence
from judges.card import Card, Item
from judges.params import Params
from judges.protocols import call_plan
from judges.protocols.call_plan import Task
from judges.protocols.combination import combination_rule
from judges.reading.confidence import STATED
from judges.types import ITEM, SORTS, Reading, Remark, Score, sort_of

MAX_REPLIES = 20_000
"""The most replies of one judge that are looked at, unless more are asked for.

Of more, the items are a random sample, and `Scope` says so. A share of .10 is then known to about .004.
"""
K = TypeVar("K")
V = TypeVar("V", covariant=True)
_PIECES = '{"pieces":'
"""The beginning of the raw text of a judgment made of several calls: the facts in its reading are read again."""
_STATED = {audit.name for audit in stated_confidence.AUDITS}
"""Audits of the confidence that a judge states. If its tokens give a confidence, its scores have that one instead."""
_BATCH = 500
_BASES: tuple[Basis, ...] = ("blind", "all")
"""The bases of gold: blind labels, from people who had not seen the judge; all labels only if there are no others."""


def _shared_identity(judge: JudgeRow, card: Card) -> tuple[str, str, bool, str]:
    """Return all that a judge and a probe of it share: version of the card, model, and parameters but for the probe.

    Parameters that an imported judge does not state are taken to have their usual values.
    """
    plain = {name: value for name, value in judge.parameters.items() if name != "probe"}
    with contextlib.suppress(ValidationError):
        plain = Params.model_validate({**plain, "combine": combination_rule(card, plain)}).identity(card.kind)
    return judge.card_version, judge.model, judge.synthetic, json.dumps(plain, sort_keys=True, default=str)


@dataclass(frozen=True)
class Scope:
    """The data that an audit was computed from.

    It has the items judged and looked at, replies and how many of them could not be used, the basis of gold ("": nobody
    has labelled these items), its ratings, replies by probe, by other model, and answers on justifications.
    """

    judged: int
    items: int
    replies: int
    unscored: int
    basis: Basis | str = ""
    gold: int = 0
    probes: Mapping[str, int] = field(default_factory=dict)
    others: Mapping[str, int] = field(default_factory=dict)
    fits: int = 0

    @property
    def drawn(self) -> str:
        """From how many items those looked at were drawn, in words behind their number; "" if it was at all of them."""
        return f", drawn at random from {self.judged:,}" if self.items < self.judged else ""


@dataclass(frozen=True)
class GatheredEvidence:
    """The evidence that the audits of a judge may use, and its size in numbers.

    Gold and answers on justifications are read, and so counted, only when an audit first asks for them: labels come in
    all day, and few audits use them.
    """

    evidence: AuditEvidence
    scope: Callable[[], Scope]


class LazyMapping(Mapping[K, V]):
    """A mapping that is read on first use."""

    def __init__(self, read: Callable[[], Mapping[K, V]]) -> None:
        self._read = compute_once(read)

    def __getitem__(self, key: K) -> V:
        return self._read()[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())


class LazyItems(Mapping[str, Item]):
    """Items by id, each parsed on first use, because many audits never look at the text."""

    def __init__(self, contents: dict[str, str]) -> None:
        self._contents, self._parsed = contents, dict[str, Item]()

    def __getitem__(self, key: str) -> Item:
        item = self._parsed.get(key)
        if item is None:
            item = self._parsed[key] = ITEM.validate_json(self._contents[key])
        return item

    def __iter__(self) -> Iterator[str]:
        return iter(self._contents)

    def __len__(self) -> int:
        return len(self._contents)

    def __contains__(self, key: object) -> bool:
        return key in self._contents


def gather_audit_evidence(
    store: Store, dataset_id: str, judge_id: str, max_replies: int = MAX_REPLIES
) -> GatheredEvidence:
    """All that an audit of the judge may look at in a dataset, its samples combined.

    Of more than `max_replies` replies those to a random sample of items are looked at, the same each time.
    Raises NotFound, UnknownCard.
    """
    judge, card = datasets.find_judge(store, judge_id), cards.card_of_judge(store, judge_id)
    among = _JudgedItems(store, dataset_id, judge_id, max_replies)
    contents = {
        str(i): str(c) for i, c in among.rows("select i.id, i.content from item i join chosen x on x.id = i.id")
    }
    items = LazyItems(contents)
    sample_replies = among.replies(judge, card, items)
    replies = combine_replies(sample_replies, card, combination_rule(card, judge.parameters))
    probes: dict[str, list[AuditReply]] = {}
    others: dict[str, list[AuditReply]] = {}
    for other in among.judges():
        if other.card != judge.card:
            continue
        replies_by_name, name = (probes, other.probe) if other.probe else (others, other.model)
        is_relevant = (
            not judge.probe and _shared_identity(other, card) == _shared_identity(judge, card)
            if other.probe
            else name != judge.model
        )
        if is_relevant and name not in replies_by_name:
            other_samples = among.replies(other, card, items)
            replies_by_name[name] = combine_replies(other_samples, card, combination_rule(card, other.parameters))
    resolved = compute_once(lambda: _gold(store, dataset_id, card, items, items_in_prompt(store, judge_id)))
    gold, fits = LazyMapping(lambda: resolved()[1]), LazyMapping(lambda: _fits(store, judge_id, items))
    unscored = sum(r.reading.unscored is not None for r in sample_replies)

    def scope() -> Scope:
        return Scope(
            judged=among.judged, items=len(items), replies=len(sample_replies), unscored=unscored, basis=resolved()[0],
            gold=len(gold), probes={name: len(probe_replies) for name, probe_replies in probes.items()},
            others={name: len(other_replies) for name, other_replies in others.items()}, fits=len(fits),
        )  # fmt: skip

    return GatheredEvidence(AuditEvidence(card, judge.model, items, replies, probes, others, gold, fits), scope)


class _JudgedItems:
    """The items of a dataset that a judge has judged, all or a random sample, and what judges said of them."""

    def __init__(self, store: Store, dataset_id: str, judge_id: str, max_replies: int) -> None:
        self.store, self.params = store, [dataset_id, judge_id]
        counts = store.rows(
            "select count(distinct m.item_id), count(*) from judgment m join item i on i.id = m.item_id "
            "where i.dataset_id = $1 and m.judge_id = $2",
            self.params,
        )
        self.judged, replies = int(counts[0][0]), int(counts[0][1])
        limit = ""
        if replies > max_replies:  # a hash of the id draws at random, and the same items each time
            limit = f" order by md5(m.item_id) limit {max(1, self.judged * max_replies // replies):d}"
        self.chosen = (
            "with chosen as (select m.item_id as id from judgment m join item i on i.id = m.item_id "
            f"where i.dataset_id = $1 and m.judge_id = $2 group by m.item_id{limit}) "
        )

    def rows(self, sql: str, *params: object) -> Sequence[Row]:
        """The rows of a query on `chosen`; further parameters are numbered from $3."""
        return self.store.rows(self.chosen + sql, [*self.params, *params])

    def judges(self) -> list[JudgeRow]:
        """Every judge of these items, those of most items first."""
        rows = self.rows(
            "select m.judge_id from judgment m join chosen x on x.id = m.item_id group by m.judge_id "
            "order by count(distinct m.item_id) desc, m.judge_id"
        )
        known = datasets.every_judge(self.store)
        return [known[judge] for (judge,) in rows]

    def replies(self, judge: JudgeRow, card: Card, items: LazyItems) -> list[AuditReply]:
        """A judge's replies by item, part and sample. If one was asked for again, the readable one counts."""
        rows = self.rows(
            "select m.id, m.item_id, m.part, m.sample, m.unscored, m.why, "
            f"substr(m.raw, 1, {len(_PIECES)}) = '{_PIECES}' as several "
            "from judgment m join chosen x on x.id = m.item_id where m.judge_id = $3 "
            f"qualify {COUNTED_JUDGMENT_SQL} order by m.item_id, m.part, m.sample",
            judge.id,
        )
        scores: dict[str, list[Score]] = {str(row[0]): [] for row in rows if not row[4]}
        # One row for each different score, with the judgments that gave it: a reply's scores are then shared objects.
        kinds = self.rows(
            "select s.unit, s.dimension, s.value, s.confidence, s.source, array_agg(s.judgment_id) from score s "
            "join chosen x on x.id = s.item_id where s.judge_id = $3 group by 1, 2, 3, 4, 5",
            judge.id,
        )
        places = {d.name: n for n, d in enumerate(card.dimensions)}
        for unit, dimension, value, confidence, source, judgment_ids in sorted(kinds, key=lambda k: _place(k, places)):
            score = Score(str(unit), str(dimension), value, confidence, str(source))
            for key in judgment_ids:
                if key in scores:
                    scores[key].append(score)
        remarks: dict[str, list[Remark]] = defaultdict(list)
        for key, unit, dimension, sort, text in self.rows(
            "select r.judgment_id, r.unit, r.dimension, r.sort, r.text from remark r join chosen x on x.id = r.item_id "
            "where r.judge_id = $3 order by r.judgment_id, r.unit, r.dimension, r.sort, r.text",
            judge.id,
        ):
            remarks[str(key)].append(Remark(str(unit), str(dimension), sort, str(text)))
        hiding = [kind for kind in kinds if kind[3] is not None and kind[4] != STATED and _STATED & set(card.audits)]
        hidden = {key for *_, keys in hiding for key in keys}
        facts = self._facts(judge, card, items, [row for row in rows if row[6] or (row[0] in hidden and not row[4])])
        return [
            AuditReply(
                str(item),
                Reading(unscored=unscored, why=str(why))
                if unscored
                else Reading(tuple(scores[str(key)]), tuple(remarks.get(str(key), ())), facts=facts.get(str(key), {})),
                str(part),
                int(sample),
            )
            for key, item, part, sample, unscored, why, _ in rows
        ]

    def _facts(
        self, judge: JudgeRow, card: Card, items: LazyItems, rows: list[Row]
    ) -> dict[str, dict[str, object]]:
        """Return the facts that only raw texts have, by judgment: verdicts in each order, and the stated confidence."""
        params = call_plan.params_of_stored(judge.parameters)
        facts: dict[str, dict[str, object]] = {}
        for begin in range(0, len(rows), _BATCH):
            batch = {str(row[0]): row for row in rows[begin : begin + _BATCH]}
            query = f"select id, raw from judgment where id in ({placeholders(batch)})"
            for key, raw in self.store.rows(query, list(batch)):
                _, item, part, sample, *_ = batch[key]
                task = Task(str(item), items[str(item)], str(part), int(sample))
                reading = call_plan.reread(card, params, task, raw).reading
                stated = {(s.unit, s.dimension): s.confidence for s in reading.scores if s.source == STATED}
                facts[key] = {**reading.facts, **({STATED: stated} if stated else {})}
        return facts


def _place(kind: Sequence[object], places: Mapping[str, int]) -> tuple[object, ...]:
    """The reading order of a score: by unit, then as the card has its dimensions."""
    unit, dimension = str(kind[0]), str(kind[1])
    number = unit.partition(":")[2].partition("/")[0]
    return SORTS.index(sort_of(unit)), int(number or 0), unit, places.get(dimension, len(places)), dimension


def _gold(
    store: Store, dataset_id: str, card: Card, items: LazyItems, shown: Container[str]
) -> tuple[Basis | str, dict[Cell, float | None]]:
    """The basis that gold rests on, and the gold of every cell of the items, but of those `shown` to the judge."""
    modes = store.rows(
        "select distinct l.mode from label_now l join item i on i.id = l.item_id where i.dataset_id = $1", [dataset_id]
    )
    left_out = not_excluded_sql(store, "item_id")
    for basis in _BASES if modes else ():
        values: dict[Cell, float | None] = {}
        dimensions = [d for d in card.dimensions if d.asked and (basis != "blind" or ("blind",) in modes)]
        cells = load_gold(store, dataset_id, dimensions, basis, "item_id, unit, value", f" where true{left_out}")
        for d, (item, unit, value) in cells:
            if item in items and item not in shown:
                values[str(item), str(unit), d.name] = None if value is None else float(value)
        if values:
            return basis, values
    return "", {}


def _fits(store: Store, judge_id: str, items: LazyItems) -> dict[Cell, bool]:
    """Whether a justification fits its score: the answer of most people who were asked; a tie counts as no."""
    rows = store.rows(f"select item_id, unit, dimension, lean from {leans_sql('$1')} leans", [judge_id])
    return {(str(i), str(u), str(d)): float(lean) > 0 for i, u, d, lean in rows if i in items}
