"""Files that were damaged in hundreds of ways: each is refused, or told line by line; never a traceback, never half."""

from __future__ import annotations

import io
import random
import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from data.importing.files.source import from_bytes
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.importing.report import ImportRefused
from data.store import Store
from data.workspace.verify import verify
from judges.errors import AssayError
from judges.importing.mapping import ColumnMapping, LabelColumns, ValueSource
from tests.archives import compare_marks, mask
from tests.data.importing.test_fastchat import PAIRS, answer, rating_row, vote
from tests.data.importing.test_table import ROWS, as_csv, as_parquet
from tests.data.imports import adjudication_line, counts, label, pair, text, verdict, workspace
from tests.seeds import dialogue, judgment
from tests.soak import counts as trials

Mutation = Callable[[bytes, random.Random], bytes]


def flip(data: bytes, rng: random.Random) -> bytes:
    """A few bytes are others."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def cut(data: bytes, rng: random.Random) -> bytes:
    """The end is missing."""
    return data[: rng.randrange(1, len(data))]


def hole(data: bytes, rng: random.Random) -> bytes:
    """A piece is missing."""
    start = rng.randrange(len(data))
    return data[:start] + data[start + rng.randint(1, 200) :] or b"x"


def double(data: bytes, rng: random.Random) -> bytes:
    """A piece stands twice."""
    start = rng.randrange(len(data))
    end = start + rng.randint(1, 300)
    return data[:end] + data[start:end] + data[end:]


def insert(data: bytes, rng: random.Random) -> bytes:
    """Something that does not belong there stands in it."""
    start = rng.randrange(len(data))
    odd = [
        b"\x00",
        b"\xff\xfe",
        b'"',
        b"\n",
        b"\r",
        b"{",
        b"[" * 5_000,
        b"NaN",
        b"\\ud800",
        b"\\u0000",
        b",,,",
        b"null",
    ]
    odd += [b"9" * 400, "\u202e".encode(), b"\x1a", b"\xef\xbb\xbf", b'{"id":', b"true", b"1e999", b'":"', b"}" * 50]
    return data[:start] + rng.choice(odd) + data[start:]


def shuffle(data: bytes, rng: random.Random) -> bytes:
    """The lines stand in another order."""
    lines = data.splitlines(keepends=True)
    rng.shuffle(lines)
    return b"".join(lines)


MUTATIONS: list[Mutation] = [flip, cut, hole, double, insert, insert, shuffle]
CANONICAL = [
    *(dialogue(n, 2) for n in range(1, 5)),
    *(judgment(dialogue(n, 2)) for n in range(1, 5)),
    pair(),
    verdict("p1", "a"),
    label("p1", "tie"),
    label("d-0001", 3, unit="turn:1", dimension="safety"),
    adjudication_line("p1", "b"),
    {"gold_rule": {"resolve": "majority", "apart": 1}},
]
CHATS = [{"messages": [{"role": r, "content": f"{r} {n}"} for r in ("system", "user", "assistant")]} for n in range(9)]
FASTCHAT = {
    **PAIRS,
    "one.jsonl": [answer(81, "m/one", "1", "2"), answer(82, "m/one", "3")],
    "gpt-4_single.jsonl": [rating_row(turn=1), rating_row(turn=2, judgment="[[3]]")],
    "votes.jsonl": [vote("expert_1", "tie"), vote("gpt4_pair", "model_a"), vote("author_2", "model_b", turn=2)],
}
TABLE = ColumnMapping(
    kind="pair",
    id=ValueSource(columns=["id"]),
    fields={"input": ValueSource(columns=["question"])}
    | {f"response_{s}": ValueSource(columns=[f"answer_{s}"]) for s in "ab"},
    labels=[
        LabelColumns(
            value=ValueSource(columns=["human"]),
            values={"0": "tie", "1": "a", "2": "b"},
            unit=ValueSource(constant="pair"),
            dimension=ValueSource(constant="verdict"),
            annotator=ValueSource(constant="ann"),
        )
    ],
)
FILES: dict[str, list[tuple[str, bytes]]] = {
    "canonical": [("rows.jsonl", text(CANONICAL))],
    "chats": [("chats.jsonl", text(CHATS))],
    "fastchat": [(name, text(rows)) for name, rows in FASTCHAT.items()],
    "csv": [("table.csv", as_csv(ROWS))],
    "parquet": [("table.parquet", as_parquet(ROWS))],
}


def attempt(store: Store, files: list[tuple[str, bytes]], number: int) -> tuple[str, str]:
    """Try to import files; what became of it in a word, and what was said. All but refusals in sentences escapes."""
    plan = ImportPlan(f"d{number}", mappings=(TABLE,))
    before = counts(store)
    rejects = io.BytesIO()
    try:
        done = import_source(
            store, "lea", from_bytes(files), plan, "refuse" if number % 2 else "good rows", rejects=rejects
        )
    except AssayError as error:
        assert str(error).endswith((".", "rows.")) and "Traceback" not in str(error), str(error)
        assert counts(store) == before
        if isinstance(error, ImportRefused):
            return "refused with problems", str(error.preview)
        return "refused", str(error)
    places = {(problem.file, problem.line) for problem in done.preview.problems}
    assert done.preview.rejected == len(places) or done.preview.problem_count > 900
    assert bool(rejects.getvalue()) == bool(done.preview.rejected)
    after = counts(store)
    assert after["item"] - before["item"] == done.preview.new.items
    assert after["label"] - before["label"] == done.preview.new.labels
    assert after["adjudication"] - before["adjudication"] == done.preview.new.adjudications
    return "in part" if done.preview.rejected else "whole", str(done.preview)


def damage(folder: Path, name: str, times: int, seed: int = 0) -> list[tuple[str, str]]:
    """Import a file damaged in that many ways: what became of each, and what was said.

    AssertionError where one is half there.
    """
    store, rng = workspace(folder), random.Random(f"{name}{seed or ''}")
    assert attempt(store, FILES[name], 1)[0] == "whole"
    outcomes: list[tuple[str, str]] = []
    slowest = 0.0
    for number in range(2, times + 2):
        files = list(FILES[name])
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(files))
            files[place] = (files[place][0], rng.choice(MUTATIONS)(files[place][1], rng))
        start = time.process_time()
        outcomes.append(attempt(store, files, number))
        slowest = max(slowest, time.process_time() - start)
    assert slowest < 10 and verify(store) == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4 * 2**20  # kB
    store.close()
    return outcomes


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_refused_or_told_line_by_line(tmp_path: Path, name: str) -> None:
    """What became of each stands in broken/NAME.txt, with a mark of what was said."""
    outcomes = enumerate(damage(tmp_path, name, trials.IMPORTS.per_run // len(FILES)))
    marks = ((f"{number} {word}", mask(output)) for number, (word, output) in outcomes)
    compare_marks(marks, Path(__file__).with_name("broken") / f"{name}.txt", tmp_path)
