"""The judgments that a run has still to make: items drawn in a fixed order, without what is judged already."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from data.records.tables import COUNTED_JUDGMENT_SQL
from data.runs import writer
from data.runs.run_config import RunConfig
from data.store import Store
from judges.card import Card, Item
from judges.client.estimate import MAX_COUNTED_ITEMS, LongCalls, context_size, find_long_calls, safe_length
from judges.protocols.call_plan import CallReply, Slot, Task, tasks
from judges.protocols.probes import scenario_pool
from judges.types import ITEM

_CHUNK, _MAX_IDS, _SCENARIOS = 200, 20_000, 1000
_PARTS = Card.__dataclass_fields__["parts"].default
"""The parts of a card whose judges look at whole items: of all but pairs the number of judgments is that of items."""


@dataclass
class PendingJudgments:
    """The judgments that a run still lacks, read from the store as they are needed.

    Items come in the order of a hash of their id and `seed`, so that the first n are a random draw, the same each time,
    and a larger draw holds the smaller one. `until` is the newest change that counts: later items are another run's.
    A judgment that exists is not made again, unless it was an api_error up to the change `since`; with `only_unscored`
    those that could not be used for whatever reason are made again, once, and no others.
    """

    store: Store
    config: RunConfig
    judge_id: str
    until: int
    seed: int
    since: int = 2**62
    _held: dict[Slot, dict[str, CallReply]] = field(default_factory=dict)

    def ids(self) -> list[str]:
        """The ids of the run's items, in the order in which they are judged."""
        return self._draw("id", self.config.most)

    def tasks(self) -> Iterator[Task]:
        """The judgments to make, lazily; what `stored_replies` gives of them is brought to hand with them."""
        before = self._judged_before()
        for lacking in self.pending(self.ids(), before):
            if before and lacking:
                keys = {task.key for task in lacking}
                self._held.update(writer.stored_replies(self.store, self.judge_id, keys))
            yield from lacking

    def stored_replies(self, task: Task) -> Mapping[str, CallReply]:
        """The replies that a judgment has already, by piece; to be asked once for each."""
        return self._held.pop(task.slot, {})

    def count(self) -> tuple[int, int]:
        """Return the number of items that are not judged in full, and the number of judgments to be made."""
        items = judgments = 0
        ids, before = self.ids(), self._judged_before()
        has_one_part = self.config.card.parts is _PARTS and self.config.card.kind != "pair"
        for start in range(0, len(ids), _MAX_IDS):
            chunk = ids[start : start + _MAX_IDS]
            judged = self._slots(chunk) if before else {}
            content: dict[str, Item] = {} if has_one_part else self._items(chunk)
            for key in chunk:
                parts = [""] if has_one_part else self.config.card.parts(content[key])
                samples = range(self.config.params.samples)
                lacking = sum(self._is_needed(judged.get((key, part, n))) for part in parts for n in samples)
                judgments += lacking
                items += bool(lacking)
        return items, judgments

    def first_items(self) -> list[tuple[str, Item]]:
        """The first items, for an estimate, that are not judged in full; as the order is random, a random sample."""
        return list(itertools.islice(self._pending_items(self.ids()), MAX_COUNTED_ITEMS))

    def longest_item(self) -> list[tuple[str, Item]]:
        """(name, item) of the item with the longest texts, as a list of one; of none where there is none."""
        config = self.config
        rows = self.store.rows(
            "select name, content from item where dataset_id = $1 and kind = $2 and seq <= $3 "
            "order by length(content) desc, id limit 1",
            [config.dataset_id, config.card.kind, self.until],
        )
        return [(str(name), ITEM.validate_json(content)) for name, content in rows]

    def long_calls(self) -> LongCalls:
        """The calls still to be made that are longer than the endpoint or the model allows, as far as that is known."""
        config = self.config
        room = context_size(config.model, config.params, config.endpoint.room)
        rows = self.store.rows(
            "select id, name from item where dataset_id = $1 and kind = $2 and length(content) > $3",
            [config.dataset_id, config.card.kind, safe_length(config.card, config.params, room)],
        )
        names = {str(id_): str(name) for id_, name in rows} if room else {}
        long_ids = [id_ for id_ in self.ids() if id_ in names] if names else []
        return find_long_calls(
            config.card, config.params, ((names[key], item) for key, item in self._pending_items(long_ids)), room
        )

    def _pending_items(self, ids: list[str]) -> Iterator[tuple[str, Item]]:
        """Those of some items that are not judged in full."""
        for lacking in self.pending(ids, bool(ids) and self._judged_before()):
            yield from {task.key: task.item for task in lacking}.items()

    def pending(self, ids: list[str], before: bool) -> Iterator[list[Task]]:
        """What is to be judged of some items, some hundred items at a time.

        `before`: whether anything of them may be judged.
        """
        for start in range(0, len(ids), _CHUNK):
            part = ids[start : start + _CHUNK]
            judged = self._slots(part) if before else {}
            every = tasks(self.config.card, self.config.params, self._items(part).items(), self._scenario_pool)
            yield [task for task in every if self._is_needed(judged.get(task.slot))]

    def _items(self, ids: list[str]) -> dict[str, Item]:
        content = {row[0]: row[1] for row in self.store.rows("select id, content from item where id = any($1)", [ids])}
        return {key: ITEM.validate_json(content[key]) for key in ids}

    def _judged_before(self) -> bool:
        """Whether anything is stored of this judge yet."""
        tables = ("judgment", "reply")
        return any(self.store.rows(f"select 1 from {t} where judge_id = $1 limit 1", [self.judge_id]) for t in tables)

    def _slots(self, ids: list[str]) -> dict[Slot, tuple[int, str]]:
        """Return the judgment in force of each judged slot: (the number of its change, why it is unscored or "")."""
        rows = self.store.rows(
            "select item_id, part, sample, unscored, seq from judgment m where judge_id = $1 and item_id = any($2) "
            f"qualify {COUNTED_JUDGMENT_SQL}",
            [self.judge_id, ids],
        )
        return {(item, part, sample): (seq, unscored) for item, part, sample, unscored, seq in rows}

    @cached_property
    def _scenario_pool(self) -> tuple[str, ...]:
        """The scenarios that the probe scenario_swapped draws from: of up to 1,000 items, however many are judged."""
        if self.config.params.probe != "scenario_swapped":
            return ()
        return scenario_pool(map(ITEM.validate_json, self._draw("content", _SCENARIOS)))

    def _draw(self, column: str, most: int) -> list[str]:
        """A column of the run's items in the order of the draw; of at most so many, 0: of all."""
        limit = f" limit {most:d}" if most else ""
        rows = self.store.rows(
            f"select {column} from item where dataset_id = $1 and kind = $2 and seq <= $3 "
            f"order by md5(id || cast($4 as text)), id{limit}",
            [self.config.dataset_id, self.config.card.kind, self.until, str(self.seed)],
        )
        return [row[0] for row in rows]

    def _is_needed(self, judgment: tuple[int, str] | None) -> bool:
        """Whether a slot that holds this is to be asked for."""
        if judgment is None:
            return not self.config.only_unscored
        if judgment[1] == "api_error":
            return judgment[0] <= self.since
        return self.config.only_unscored and judgment[1] != "" and judgment[0] <= self.until
