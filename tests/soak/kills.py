"""Processes that save answers and are killed in the middle: what was acknowledged is there, once, whole and in place.

Before each save its process writes down what it is about to say, and after it that it was acknowledged: two files
that outlive any kill. The next process works on, and at the end all is held against them.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from data.desk import labels
from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records import people
from data.store import Store, open_store
from data.store.errors import StoreFailed
from data.store.ids import new_id
from data.workspace.verify import verify
from tests import seeds

T = TypeVar("T")
PEOPLE = ("ann", "bob", "cyd")
ITEMS = 40
VALUES = (1.0, 2.0, 3.0)
"""Every cell of an answer has the same, and another than in the answer before it."""
_LINE = 37
"""Bytes of an acknowledged key and its end of line."""


def make_workspace(folder: Path, url: str | None = None) -> str:
    """The address of a new workspace with items of one turn for everybody."""
    items = [seeds.dialogue(n, turns=1) for n in range(1, ITEMS + 1)]
    store = open_store(url or f"duckdb:///{folder / 'a.duckdb'}")
    for name in ("lea", *PEOPLE):
        people.join_workspace(store, name)
    file = seeds.lines(folder / "rows.jsonl", [*items, *map(seeds.judgment, items)])
    import_source(store, "lea", from_path(file), ImportPlan("demo"))
    store.close()
    return store.url


def cells(store: Store, item: str) -> list[tuple[str, str]]:
    """Every cell that an answer gives a value: those that take several."""
    query = "select distinct unit, dimension from score where item_id = $1 and dimension <> 'weakest_turn'"
    return [(str(unit), str(dimension)) for unit, dimension in store.rows(query, [item])]


def save_on(url: str, folder: Path, seed: int) -> None:
    """Open the store, and save until the process is killed, or is left alone by who would have killed it."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    store = again(lambda: open_store(url))
    again(lambda: save(store, folder, seed, threading.Event()))


def again(work: Callable[[], T]) -> T:
    """What it gives, tried as long as the store says that it cannot at present, as a browser does."""
    while True:
        try:
            return work()
        except StoreFailed:
            time.sleep(0.2)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def save(store: Store, folder: Path, seed: int, stop: threading.Event) -> None:
    """Save answers of all people at once, each after their last to that item."""
    chance = random.Random(seed)
    items = [str(row[0]) for row in store.rows("select id from item order by id")]
    cells_by_item = {item: cells(store, item) for item in items}
    last = {
        (str(item), str(person)): (str(key), float(value))
        for item, person, key, value in store.rows(
            "select a.item_id, a.person, a.id, min(l.value) from answer_now a join label l on l.answer_id = a.id "
            "group by a.item_id, a.person, a.id"
        )
    }
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    sent, acknowledged = (os.open(folder / name, flags) for name in ("said", "acknowledged"))

    def work(person: str, chance: random.Random) -> None:
        while not stop.is_set():
            new: dict[str, tuple[str, float]] = {}
            message = []
            for item in chance.sample(items, chance.randint(1, 4)):
                version, before = last.get((item, person), ("", 0.0))
                new[item] = new_id(), chance.choice([option for option in VALUES if option != before])
                message.append(answer(item, person, version, *new[item], cells_by_item[item]))
            os.write(sent, "".join(f"{key} {item} {person} {value}\n" for item, (key, value) in new.items()).encode())
            saved, refused = again(partial(labels.save_answers, store, person, message))
            keys = [entry.key for entry in saved] + [f"refused-{entry.key}"[:_LINE - 1] for entry in refused]
            os.write(acknowledged, "".join(f"{key}\n" for key in keys).encode())
            last.update({(item, person): pair for item, pair in new.items()})

    threads = [
        threading.Thread(target=work, args=(name, random.Random(chance.random())), daemon=True) for name in PEOPLE
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def answer(
    item: str, person: str, version: str, key: str, value: float, item_cells: list[tuple[str, str]]
) -> dict[str, Any]:
    """An answer as the browser sends it, with one value in all cells."""
    values = [{"unit": unit, "dimension": dimension, "v": value} for unit, dimension in item_cells]
    return {"key": key, "person": person, "action": "save", "item": item, "claim": None, "judge": None,
            "version": version, "values": values, "notes": [], "ms": 1000}  # fmt: skip


def count_acknowledged(folder: Path) -> int:
    """How many saves were acknowledged so far."""
    file = folder / "acknowledged"
    return file.stat().st_size // _LINE if file.exists() else 0


def run(
    folder: Path, kills: int, saves: int, seed: int, url: str | None = None, crash: Callable[[], object] | None = None
) -> tuple[int, list[str]]:
    """Kill that many processes, each after at least so many acknowledged saves: (how many in all, what is wrong).

    `crash` ends a database in the middle of the saves before the middle kill, and starts it again.
    """
    url, chance = make_workspace(folder, url), random.Random(seed)
    fork = multiprocessing.get_context("forkserver")
    fork.set_forkserver_preload(["tests.soak.kills"])
    for kill in range(kills):
        want = count_acknowledged(folder) + saves + chance.randrange(5)
        child = fork.Process(target=save_on, args=(url, folder, chance.randrange(1 << 30)))
        child.start()
        until = time.monotonic() + 1800
        while count_acknowledged(folder) < want and child.is_alive() and time.monotonic() < until:
            time.sleep(0.002)
        if crash and kill == kills // 2:
            crash()
        time.sleep(chance.uniform(0, 0.02))
        ended = not child.is_alive()
        child.kill()
        child.join()
        if ended or count_acknowledged(folder) < want:
            return count_acknowledged(folder), [f"The process ended by itself, or stood still, before kill {kill + 1}."]
    return count_acknowledged(folder), check(url, folder)


def check(url: str, folder: Path) -> list[str]:
    """What is not as it was said and acknowledged."""
    lines = (folder / "said").read_text(encoding="utf-8").splitlines()
    sent = {key: (item, person, float(value)) for key, item, person, value in map(str.split, lines)}
    keys = (folder / "acknowledged").read_text(encoding="utf-8").split()
    wrong = [f"{key} was refused" for key in keys if key.startswith("refused")]
    store = open_store(url)
    try:
        stored = {str(r[0]): r[1:] for r in store.rows("select id, item_id, person, previous from answer")}
        rows = store.rows("select answer_id, item_id, annotator, value, count(*) from label group by 1, 2, 3, 4")
        width = len(cells(store, rows[0][1]))
        wrong += [f"{key} was acknowledged and is not there" for key in keys if key not in stored]
        wrong += [f"{key} is there and was never sent" for key in stored if key not in sent]
        wrong += [f"{key} has no labels" for key in stored.keys() - {row[0] for row in rows}]
        for key, item, person, value, number in rows:
            if (item, person, float(value)) != sent[key] or tuple(stored[key][:2]) != (item, person):
                wrong.append(f"{key} is not what was sent: {item} {person} {value}, not {sent[key]}")
            if number != width:
                wrong.append(f"{key} has {number} of {width} labels")
        twice = "select item_id, person, previous from answer group by 1, 2, 3 having count(*) > 1"
        wrong += [f"two answers of {row[1]} to {row[0]} follow {row[2]!r}" for row in store.rows(twice)]
        doubles = "select item_id, annotator, unit, dimension from label_now group by 1, 2, 3, 4 having count(*) > 1"
        wrong += [f"two labels stand in {row}" for row in store.rows(doubles)]
        return wrong + verify(store)
    finally:
        store.close()
