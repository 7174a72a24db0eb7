"""The rows that the workspace and the import already have: items by name, judgments by slot, the rest by cell.

Texts are in a file of the spool. Names, hashes and ids stay in memory, a few hundred bytes for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, BinaryIO, NamedTuple

from data.gold import disputes
from data.gold.disputes import Place
from data.importing.files.spill_file import SpillFile
from data.records.rows import item_id, judgment_id
from data.store import Store
from data.store.ids import content_id
from judges.types import ITEM, Dialogue, Pair, Response

KnownItem = Dialogue | Pair | Response
Cell = tuple[str, str, str, str]
_CACHE_BYTES = 32 * 2**20
_IDS_PER_QUERY = 50
QUERIES = {
    "items": "select name, hash from item where dataset_id = any($1)",
    "contents": "select name, content from item where id = any($1)",
    "judgments": "select id, judge_id, item_id, part, sample from judgment where item_id = any($1)",
    "judges": (
        "select card, card_version, model, params, synthetic from judge where id in (select judge_id from judgment "
        "where item_id in (select id from item where dataset_id = any($1)))"
    ),
    "replies": "select id, raw from judgment where id = any($1)",
    "labels": "select id from label where item_id = any($1)",
    "labels that hold": (
        "select item_id, unit, dimension, annotator, id, made_at, answer_id, mode, value from label_now "
        "where item_id = any($1)"
    ),
    "decisions": (
        "select a.item_id, a.unit, a.dimension, a.person, a.value, a.reason, a.saw_judge, a.labels, a.withdrawn, "
        "c.made_at, c.action from adjudication a join change c on c.seq = a.seq where a.item_id = any($1) "
        "order by a.seq, a.id"
    ),
}
"""All that an import asks of the workspace while it is read, by name; each is given a list of ids."""
Lookup = Callable[[str, Sequence[str]], Iterator[tuple[Any, ...]]]
"""Asks the question of that name about some ids; gives its rows."""


def label_slot(cell: Cell, mode: str) -> Cell:
    """The rank of a label among those of its cell: one made after a reveal never replaces a blind one."""
    return (*cell[:3], f"{cell[3]}\0revealed") if mode == "revealed" else cell


def store_lookup(store: Store) -> Lookup:
    """Asks this store."""
    return lambda name, ids: store.stream(QUERIES[name], [list(ids)])


class KnownItems:
    """The items of a dataset and of the import by name, with their content at hand when a judgment needs it."""

    def __init__(self, lookup: Lookup, dataset_id: str, shelf: BinaryIO) -> None:
        self._lookup, self._dataset, self._shelf = lookup, dataset_id, SpillFile(shelf)
        self.stored: dict[str, str] = dict(lookup("items", [dataset_id]))
        self._new: dict[str, str] = {}
        self._cache: dict[str, tuple[KnownItem, int]] = {}
        self._cached_bytes = 0

    def __contains__(self, name: object) -> bool:
        return name in self._new or name in self.stored

    def hash_of(self, name: str) -> str | None:
        """The hash of the content that this name means, if it is known."""
        return self._new.get(name) or self.stored.get(name)

    def is_new(self, name: str) -> bool:
        """Whether the item comes with this import."""
        return name in self._new

    def add(self, item: KnownItem, content: str, content_hash: str) -> None:
        """An item of this import."""
        self._shelf.put_bytes(item.id, content.encode())
        self._new[item.id] = content_hash
        self._keep(item.id, item, len(content))

    def fetch(self, names: Collection[str]) -> None:
        """Bring the stored items of these names to hand, with few questions."""
        missing_ids = [item_id(self._dataset, n) for n in names if n in self.stored and n not in self._cache]
        for start in range(0, len(missing_ids), _IDS_PER_QUERY):
            for name, content in self._lookup("contents", missing_ids[start : start + _IDS_PER_QUERY]):
                self._keep(name, ITEM.validate_json(content, strict=True), len(content))

    def get(self, name: str) -> KnownItem | None:
        """The item of that name."""
        if name in self._new and name not in self._cache:
            content = self._shelf.get_bytes(name)
            self._keep(name, ITEM.validate_json(content, strict=True), len(content))
        elif name not in self._cache:
            self.fetch([name])
        return self._cache[name][0] if name in self._cache else None

    def _keep(self, name: str, item: KnownItem, size: int) -> None:
        while self._cache and self._cached_bytes + size > _CACHE_BYTES:
            self._cached_bytes -= self._cache.pop(next(iter(self._cache)))[1]
        self._cache[name] = (item, size)
        self._cached_bytes += size


class _KnownOfItems:
    """The rows that the workspace holds about items. It is asked once for each item."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._loaded_ids: set[str] = set()

    def fetch(self, item_ids: Collection[str]) -> None:
        """Learn what the workspace holds for these items."""
        missing_ids = [key for key in item_ids if key not in self._loaded_ids]
        self._loaded_ids.update(missing_ids)
        if missing_ids:
            self._learn(missing_ids)

    def _learn(self, item_ids: list[str]) -> None:
        raise NotImplementedError


class KnownJudgments(_KnownOfItems):
    """The samples of each judge that are there already, by item and part.

    `again` counts the judgments of the import that follow one of the workspace that has their sample number, or the
    number that they would have had.
    """

    def __init__(self, lookup: Lookup) -> None:
        super().__init__(lookup)
        self._slots: dict[tuple[str, str, str], dict[int, str]] = {}
        self._samples: dict[str, int] = {}
        self.again = 0

    def _learn(self, item_ids: list[str]) -> None:
        for key, judge, item, part, sample in self._lookup("judgments", item_ids):
            self._slots.setdefault((judge, item, part), {})[int(sample)] = key
            self._samples[key] = int(sample)  # a sample that was asked for again has several

    def judges(self, dataset_id: str) -> dict[tuple[str, str, str, bool], list[str]]:
        """(card, model, parameters, synthetic) of those who judged the dataset before: the versions of their card."""
        versions: dict[tuple[str, str, str, bool], list[str]] = {}
        for card, version, model, params, synthetic in self._lookup("judges", [dataset_id]):
            versions.setdefault((card, model, params, synthetic), []).append(version)
        return versions

    def ids_of_item(self, judge: str, item: str) -> list[str]:
        """The ids of a judge's judgments of a whole item."""
        return list(self._slots.get((judge, item, ""), {}).values())

    def texts(self, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        """(id, raw text) of those that the workspace holds."""
        for start in range(0, len(ids), _IDS_PER_QUERY):
            yield from self._lookup("replies", ids[start : start + _IDS_PER_QUERY])

    def was_stored(self, key: str) -> bool:
        """Whether the workspace had this very judgment before the import."""
        return key in self._samples

    def place(self, judge: str, item: str, part: str, raw: str, sample: int | None) -> tuple[str, int | None]:
        """Return (id, sample) for a judgment; the sample is None if the judgment of that id is there already.

        If another text has the sample's number, the judgment gets the next free number: the judge was asked again. If
        the same text is found before that number, it came in that way, and is there already.
        """
        slots = self._slots.setdefault((judge, item, part), {})
        key = judgment_id(judge, item, part, raw)
        # Without a number in it the id may be that of a later sample with the same text, which came first.
        own = key if sample is None or not slots else content_id(judge, item, part, raw, sample)
        if sample is None and (key in slots.values() or key in self._samples):
            return key, None
        if sample is not None and sample in map(self._samples.get, (key, own)):
            return (key if self._samples.get(key) == sample else own), None
        number = sample or 0
        while number in slots:
            if slots[number] in (key, content_id(judge, item, part, raw, number)):
                return slots[number], None
            number += 1
        if key in slots.values():
            key = content_id(judge, item, part, raw, number)
            if key in slots.values():
                return key, None
        self.again += number > (sample or 0) and slots[number - 1] in self._samples
        slots[number] = key
        return key, number


class KnownLabels(_KnownOfItems):
    """The labels that are there already, and the one in force for each cell of a person."""

    def __init__(self, lookup: Lookup) -> None:
        super().__init__(lookup)
        self._ids: set[str] = set()
        self._new: set[str] = set()
        self.stored: dict[Cell, tuple[str, datetime, bool, float | None]] = {}
        self.new: dict[Cell, list[tuple[datetime, float, str, float | None]]] = {}
        self._untimed: dict[Cell, tuple[float, float | None]] = {}

    def _learn(self, item_ids: list[str]) -> None:
        self._ids.update(row[0] for row in self._lookup("labels", item_ids))
        labels = self._lookup("labels that hold", item_ids)
        for item, unit, dimension, annotator, key, made_at, answer, mode, value in labels:
            self.stored[label_slot((item, unit, dimension, annotator), mode)] = (key, made_at, answer != "", value)

    def was_stored(self, key: str) -> bool:
        """Whether the workspace had this very label before the import."""
        return key in self._ids

    def is_new(self, key: str) -> bool:
        """Whether this very label comes with this import."""
        return key in self._new

    def note_known(self, cell: Cell, moment: float, value: float | None) -> None:
        """Note a label without a time that is there already."""
        if cell not in self._untimed or self._untimed[cell][0] <= moment:
            self._untimed[cell] = (moment, value)

    @property
    def replaced_count(self) -> int:
        """Count labels without a time that are there already but do not count, as a later import has another value."""
        met = ((cell, value) for cell, (_, value) in self._untimed.items() if cell not in self.new)
        return sum(cell in self.stored and self.stored[cell][3] != value for cell, value in met)

    def add(self, cell: Cell, key: str, made_at: datetime, moment: float, value: float | None) -> bool:
        """Add an imported label; return whether the one before it in its cell has the same time, but another value."""
        self._new.add(key)
        chain = self.new.setdefault(cell, [])
        chain.append((made_at, moment, key, value))
        return len(chain) > 1 and chain[-2][:2] == (made_at, moment) and chain[-2][3] != value

    def replacements(self) -> dict[str, str]:
        """Return label -> the label it replaces: of a person's labels for a cell the one before, by time, then line."""
        replaced: dict[str, str] = {}
        for cell, chain in self.new.items():
            before = self.stored[cell][0] if cell in self.stored else None
            for *_, key, _ in sorted(chain, key=itemgetter(0, 1)):
                if before is not None:
                    replaced[key] = before
                before = key
        return replaced


class KnownDecision(NamedTuple):
    """A decision on a cell, apart from the labels that it was made on; `made_here`: it was not imported."""

    person: str
    value: float | None
    reason: str
    saw_judge: bool
    at: datetime
    made_here: bool = False


class KnownAdjudications(_KnownOfItems):
    """The decisions that were ever made on each cell, and the one in force."""

    def __init__(self, lookup: Lookup) -> None:
        super().__init__(lookup)
        self._decisions: set[tuple[Place, KnownDecision]] = set()
        self.stored: dict[Place, KnownDecision] = {}
        self.new: dict[Place, KnownDecision] = {}

    def _learn(self, item_ids: list[str]) -> None:
        decisions = self._lookup("decisions", item_ids)
        for *place, person, value, reason, saw, labels, withdrawn, at, action in decisions:
            cell = (place[0], place[1], place[2])
            if withdrawn:
                self.stored.pop(cell, None)
                continue
            decision = KnownDecision(person, value, reason, bool(saw), disputes.decision_time(labels, at))
            self._decisions.add((cell, decision))
            self.stored[cell] = decision._replace(made_here=action != "import")

    def was_stored(self, cell: Place, decision: KnownDecision) -> bool:
        """Whether this very decision was there before the import; also where it has been taken back."""
        return (cell, decision) in self._decisions

    def add(self, cell: Place, decision: KnownDecision) -> None:
        """A decision of this import."""
        self.new[cell] = decision
