"""Files of a store that were damaged by chance: a start refuses them and changes no byte, or has every change."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from data.store import open_store, opening
from data.store.errors import StoreFailed
from judges.errors import AssayError

Damage = Callable[[Path, random.Random], object]


def flip(file: Path, chance: random.Random) -> None:
    """Some bytes are others."""
    data = bytearray(file.read_bytes())
    for _ in range(chance.choice([1, 3, 50]) if data else 0):
        data[chance.randrange(len(data))] = chance.randrange(256)
    file.write_bytes(data)


def fill(file: Path, chance: random.Random) -> None:
    """A page holds zeros, as after a power cut."""
    size = file.stat().st_size
    with file.open("r+b") as stream:
        stream.seek(chance.randrange(max(size, 1)) // 4096 * 4096)
        stream.write(bytes(min(4096, size)))


DAMAGES: list[Damage] = [
    flip, flip, fill,
    lambda file, chance: os.truncate(file, chance.randrange(file.stat().st_size + 1)),
    lambda file, _: file.unlink(),
    lambda file, chance: file.open("ab").write(chance.randbytes(chance.randint(1, 5000))),
]  # fmt: skip


def hashes(folder: Path) -> dict[str, str]:
    """Every file of a folder, with its hash."""
    return {file.name: hashlib.md5(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def run(killed: Path, folder: Path, times: int, seed: int) -> list[str]:
    """Damage copies of a store whose changes are all in its log, and start on each: what was wrong.

    A page of the file itself that is damaged may be read long after the start: then reading says so.
    """
    chance, wrong, opened = random.Random(seed), list[str](), 0
    sound = open_store(f"duckdb:///{shutil.copytree(killed, folder / 'sound') / 'a.duckdb'}")
    whole = state(sound)
    sound.close()
    for number in range(times):
        place = shutil.copytree(killed, folder / str(number))
        names = chance.sample(sorted(file.name for file in place.iterdir()), chance.choice([1, 1, 1, 2]))
        kinds = [chance.choice(DAMAGES) for _ in names]
        for kind, name in zip(kinds, names, strict=True):
            kind(place / name, chance)
        before = hashes(place)
        try:
            store = open_store(f"duckdb:///{place / 'a.duckdb'}")
        except AssayError as error:
            if hashes(place) != before:
                wrong.append(f"{names}: it refused, and changed files: {error}")
        else:
            opened += 1
            try:
                if state(store) != whole:
                    wrong.append(f"{names}: it opened with other rows")
            except StoreFailed:
                pass
            finally:
                store.close()
        shutil.rmtree(place)
    return wrong if 0 < opened < times else [*wrong, f"{opened} of {times} opened: that tries nothing"]


def state(store: opening.Store) -> list[object]:
    """What the store holds."""
    return [*store.rows("select * from setting order by id"), *store.rows("select * from change order by seq")]
