"""Small workspaces for tests: items with judges' replies, imported as anybody's files would be."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import datasets, people
from data.store import Store, Tx, open_store, opening
from data.store.ids import content_id, new_id
from tests.postgres import Databases

Json = dict[str, Any]
CLOSED_STORES: list[Path] = []
"""The folder, if there is one, that keeps a closed store of each sort that is asked for more than once."""
DATABASES: Databases | None = None
"""The server whose databases stand for files, where the tests run on PostgreSQL."""
_asked: Counter[str] = Counter()
_State = tuple[tuple[str, int, int], ...]
_found: dict[Path, tuple[_State, opening.StoreFile | None]] = {}
"""What was found in a store that was copied, and in its copies, as long as their files are as they were then."""


def address(path: Path) -> str:
    """The address of the store that a file is, or that stands for it where the tests run on PostgreSQL."""
    return f"duckdb:///{path}" if DATABASES is None else DATABASES.address_of(path)


def put(store: Store, name: str, times: int = 1) -> None:
    """A change of so many rows, of a setting that nothing else reads."""

    def work(tx: Tx) -> None:
        tx.add("setting", "id, scope, name, value", [(new_id(), "test", name, str(n)) for n in range(times)])

    store.tx("ann", "test", work)


def count(store: Store) -> int:
    """How many such rows there are."""
    return int(store.rows("select count(*) from setting where scope = 'test'")[0][0])


def dialogue(number: int, turns: int = 3, text: str = "", system: str = "") -> Json:
    """A dialogue of that many turns; `text` is put into every utterance."""
    return {
        "id": f"d-{number:04d}",
        "kind": "dialogue",
        "scenario": f"Customer {number} wants order {number * 37 % 1000} refunded.",
        "system": system or f"model-{'xyz'[number % 3]}",
        "turns": [
            {"turn": t, "role": role, "text": f"{role} says thing {t} of dialogue {number}. {text}"}
            for t in range(1, turns + 1)
            for role in ("user", "assistant")
        ],
    }


def reply(item: Json, helpfulness: int = 4, verdict: str = "excellent", weakest: int | None = 1) -> Json:
    """A multi_turn_dialogue reply for a dialogue: all 4s and 5s but for helpfulness."""
    turns = sorted({t["turn"] for t in item["turns"]})
    return {
        "per_turn": [
            {
                "turn": t,
                "role": "assistant",
                "scores": {"context_use": 4, "helpfulness": helpfulness, "safety": 5},
                "issues": ["repeats itself"] if t == 2 else [],
            }
            for t in turns
        ],
        "conversation_level": {
            "coherence": {"score": 4, "note": "holds together"},
            "task_completion": {"score": 4, "note": ""},
            "repair_handling": {"score": "n/a", "note": "nothing to repair"},
        },
        "verdict": verdict,
        "decision_basis": "Helpful throughout.",
        "weakest_turn": weakest,
    }


def judgment(item: Json, own_reply: Json | None = None, model: str = "judge-one", sample: int = 0) -> Json:
    """A judgment line for a dialogue."""
    line = {
        "item": item["id"],
        "card": "multi_turn_dialogue",
        "model": model,
        "params": {"temperature": 0},
        "reply": own_reply or reply(item),
    }
    return {**line, "sample": sample} if sample else line


def lines(path: Path, rows: list[Json]) -> Path:
    """Write rows as JSON lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def write_tables(folder: Path, tables: Mapping[str, tuple[str, Iterable[str]]]) -> None:
    """Write CSV files: of each name its head and its lines."""
    for name, (head, cells) in tables.items():
        (folder / f"{name}.csv").write_text("\n".join([head, *cells]) + "\n", encoding="utf-8")


def workspace(
    path: Path, rows: list[Json], names: tuple[str, ...] = ("lea", "ann"), review: bool = True, audit: int = 0,
    dataset: str = "demo",
) -> Store:  # fmt: skip
    """An open store in `path` with the rows imported by lea (lead); the others are annotators.

    From the third of the same sort on, it is a copy of the second.
    """
    file = lines(path.with_suffix(".jsonl"), rows)
    key = content_id(file.read_text(encoding="utf-8"), repr((names, review, audit, dataset)))
    _asked[key] += 1
    if DATABASES is not None or not CLOSED_STORES or _asked[key] == 1 or path.exists():
        return _make_workspace(path, file, names, review, audit, dataset)
    template = CLOSED_STORES[0] / f"{key}.duckdb"
    if not template.exists():
        _make_workspace(path, file, names, review, audit, dataset).close()
        copy_store(path, template)
    else:
        copy_store(template, path)
    return open_store(f"duckdb:///{path}")


def _make_workspace(path: Path, file: Path, names: tuple[str, ...], review: bool, audit: int, dataset: str) -> Store:
    store = open_store(f"duckdb:///{path}")
    for name in names:
        people.join_workspace(store, name)
    import_source(store, names[0], from_path(file), ImportPlan(dataset=dataset))
    dataset_row = datasets.dataset_named(store, dataset)
    judges = datasets.dataset_judges(store, dataset_row.id)
    judge = judges[0][0] if judges else ""
    if audit:
        queue.draw_audit(store, names[0], dataset_row.id, audit, judge, seed=1)
    if review and judge:
        queue.fill_review(store, names[0], dataset_row.id, judge, limit=10_000)
    return store


def copy_store(path: Path, to: Path) -> None:
    """Copy a closed store with its mark."""
    if DATABASES is not None:
        DATABASES.copy(path, to)
        return
    store_file = opening.inspect_store(path)
    opening.copy(path, to)
    shutil.copyfile(opening.beside_path(path, ".mark"), opening.beside_path(to, ".mark"))
    _found.update({file: (_files(file), store_file) for file in (path, to)})


def inspect_copy(path: Path) -> opening.StoreFile | None:
    """What `opening.inspect_store` would find in a copy that nobody has touched since; None for any other file."""
    files, store_file = _found.get(path, ((), None))
    return store_file if files == _files(path) else None


def _files(path: Path) -> _State:
    """A store's files with their sizes and times."""
    files = sorted(file for file in path.parent.glob(f"{path.name}*") if file.is_file())
    return tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)


def dialogues(path: Path, count: int, turns: int = 3, **options: Any) -> None:
    """A closed store with `count` judged dialogues (13 scored cells each, with three turns, and the weakest turn)."""
    items = [dialogue(n, turns) for n in range(1, count + 1)]
    workspace(path, [*items, *(judgment(i) for i in items)], **options).close()
