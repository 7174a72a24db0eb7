"""What an import costs: `python -m tests.bench intake` (a few minutes for 100,000 dialogues; `ITEMS=10000` for fewer).

Generated dialogues of three turns, each with one judgment of 14 scores, go through the whole of
`data.importing.importing`: read, validated, told apart from what is there, spooled, stored. Beside it stands a plain
`json.loads` of the same file's lines in the same run, how long the import held the write lock at a time, and how long
others waited who saved. They wait for Python too: what comes to the app is read by a process of its own, here not.
"""

import itertools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from time import perf_counter, process_time

from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.records.people import set_person
from data.records.tables import ExposureRow
from data.store import open_store
from data.store.ids import new_id

ITEMS = int(os.environ.get("ITEMS", "100000"))
WORDS = "please could the order arrive before Friday because our office closes early and nobody is there".split()


def lines(count):
    """Dialogues, each followed by its judgment."""
    rng = random.Random(1)
    for number in range(count):
        turns = [
            {"turn": turn, "role": role, "text": " ".join(rng.choices(WORDS, k=40))}
            for turn in (1, 2, 3)
            for role in ("user", "assistant")
        ]
        name = f"d{number:06}"
        yield {
            "id": name,
            "kind": "dialogue",
            "scenario": "A shop",
            "system": f"m{number % 4}",
            "turns": turns,
            "meta": {},
        }
        scored = [
            {
                "turn": turn,
                "role": "assistant",
                "scores": {n: rng.randint(3, 5) for n in ("context_use", "helpfulness")},
            }
            for turn in (1, 2, 3)
        ]
        for entry in scored:
            entry["scores"]["safety"] = 5
            entry["issues"] = []
        noted = {n: {"score": rng.randint(3, 5), "note": "as it should"} for n in ("coherence", "task_completion")}
        reply = {
            "per_turn": scored,
            "conversation_level": {**noted, "repair_handling": {"score": "n/a", "note": ""}},
            "verdict": "good",
            "decision_basis": "Every turn moved the order on.",
            "weakest_turn": 2,
        }
        yield {"item": name, "card": "multi_turn_dialogue", "model": "judge", "params": {}, "reply": reply}


class TimedLock:
    """A lock that knows how long each thread held it at the most."""

    def __init__(self, lock):
        self.lock, self.most, self.depth, self.since = lock, {}, 0, 0.0

    def __enter__(self):
        self.lock.acquire()
        self.depth += 1
        if self.depth == 1:
            self.since = perf_counter()

    def __exit__(self, *_):
        self.depth -= 1
        if not self.depth:
            seconds, thread = perf_counter() - self.since, threading.get_ident()
            self.most[thread] = max(seconds, self.most.get(thread, 0.0))
        self.lock.release()


def peak():
    """The most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dialogues.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for line in lines(ITEMS):
                file.write(json.dumps(line) + "\n")
        start = process_time()
        with path.open(encoding="utf-8") as file:
            count = sum(1 for line in file if json.loads(line))
        plain = process_time() - start
        store = open_store(f"duckdb:///{folder}/bench.duckdb")
        set_person(store, "lea", "lea", "lead")
        store._lock = lock = TimedLock(store._lock)
        waits, ended = [], threading.Event()

        def save():
            while not ended.wait(0.05):
                began = perf_counter()
                store.tx("ann", "shown", lambda tx: tx.append([ExposureRow(new_id(), "none", "", "ann", "bench")]))
                waits.append(perf_counter() - began)

        saver = threading.Thread(target=save)
        saver.start()
        start, progress = process_time(), []

        def read(*_):
            progress.append((process_time() - start, peak()))

        done = import_source(store, "lea", from_path(path), ImportPlan("bench"), progress=read)
        whole = process_time() - start
        ended.set()
        saver.join()
        reading, memory = progress[-1]
        scores = store.rows("select count(*) from score")[0][0]
        assert (done.preview.new.items, done.preview.new.judgments, scores) == (ITEMS, ITEMS, 14 * ITEMS)
        print(f"{count:,} lines, {path.stat().st_size / 2**20:,.0f} MB, {scores:,} scores; seconds of processor time")
        print(f"plain json.loads   {plain:7.1f} s {count / plain:10,.0f} lines a second")
        print(f"import             {whole:7.1f} s {count / whole:10,.0f} lines a second   {whole / plain:.1f} times")
        print(f"  reading          {reading:7.1f} s {count / reading:10,.0f} lines a second, peak {memory:,.0f} MB")
        lock_seconds = lock.most[threading.get_ident()]
        print(f"  writing          {whole - reading:7.1f} s, the lock held for {lock_seconds:.3f} s at most, "
              f"peak {peak():,.0f} MB")  # fmt: skip
        waits.sort()
        p95, p99 = (waits[int(len(waits) * share)] for share in (0.95, 0.99))
        print(f"others who saved   p95 {p95:.3f} s, p99 {p99:.3f} s, at most {waits[-1]:.3f} s of {len(waits)}, "
              f"of which one had the lock itself for {lock.most[saver.ident]:.3f} s")  # fmt: skip
        print(f"on the clock       {done.seconds:7.1f} s {count / done.seconds:10,.0f} lines a second")
        print(f"a megabyte         {whole / (path.stat().st_size / 2**20):7.3f} s")
        again = import_source(store, "lea", from_path(path), ImportPlan("bench"))
        assert again.preview.known.total == count and not again.preview.new.total
        print(f"importing it again {again.seconds:7.1f} s and nothing is added")
        store.close()
        part = Path(folder) / "part.jsonl"
        with path.open("rb") as whole_file:
            part.write_bytes(b"".join(itertools.islice(whole_file, 20_000)))
        for arguments in (["--help"], ["import", str(part), "--dataset", "d", "--as", "lea"]):
            print(f"python -m data {arguments[0]:<8} {command(arguments, folder):7.2f} s of processor time, all of it")


def command(arguments, folder):
    """The median processor time of three runs of a command, each in a workspace of its own."""
    times = []
    for number in range(3):
        env = {**os.environ, "ASSAY_STORE": f"duckdb:///{folder}/command-{arguments[0].strip('-')}-{number}.duckdb"}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "data", *arguments], check=True, env=env, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return sorted(times)[1]


if __name__ == "__main__":
    main()
