"""Makes a store as the version in the working folder leaves it, with its log, as after a power cut.

In the tree of a released version, with its own copy of this file: python tests/data/stores/make.py FILE.zip
The file belongs in this folder as VERSION-COMMIT.zip: the number of its newest migration, and the commit.
"""

import contextlib
import importlib
import os
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, os.getcwd())


def make_workspace(path):
    """Four dialogues, three judged and one reply unread; a sample drawn in two steps; an item labelled and mended."""
    from data.desk import labels
    from data.queue import queue
    from data.records import datasets
    from data.store.ids import new_id
    from tests import seeds

    items = [seeds.dialogue(n) for n in range(1, 5)]
    lines = [seeds.judgment(i) for i in items[:3]]
    unread = {k: v for k, v in seeds.judgment(items[3]).items() if k != "reply"} | {"raw": "I would rather not."}
    store = seeds.workspace(path, [*items, *lines, unread], audit=2, review=False)
    dataset = datasets.dataset_named(store, "demo")
    judge = datasets.dataset_judges(store, dataset.id)[0].id
    queue.draw_audit(store, "lea", dataset.id, 2, judge, seed=2)
    item = store.rows("select d.item_id from draw d join item i on i.id = d.item_id order by d.mode desc, i.name")[0][0]
    (draw,) = store.rows("select id from draw where item_id = $1", [item])[0]
    cells = [(f"turn:{t}", d) for t in (1, 2, 3) for d in ("context_use", "helpfulness", "safety")]
    answer = {"key": new_id(), "version": "", "item": item, "person": "ann", "judge": "", "action": "save", "ms": 900}
    answer |= {"claim": draw, "values": [{"unit": u, "dimension": d, "v": 4} for u, d in cells]}
    note = {"unit": "turn:1", "sort": "issue", "text": "it repeats itself; 'twice'"}
    for again in (answer, answer | {"key": new_id(), "version": answer["key"], "notes": [note]}):
        again["values"][0]["v"] -= 1
        saved, refused = labels.save_answers(store, "ann", [again])
        assert saved and not refused, refused
    return store


def run_judge(path):
    """A run of the practice judge."""
    os.environ["ASSAY_STORE"] = f"duckdb:///{path}"
    with contextlib.redirect_stdout(sys.stderr):
        main = importlib.import_module("data.cli").main
        line = ["run", "--dataset", "demo", "--card", "multi_turn_dialogue", "--model", "practice-heuristic"]
        assert main([*line, "--as", "lea"]) == 0


def pack(out):
    folder = Path(tempfile.mkdtemp())
    path = folder / "a.duckdb"
    store = make_workspace(path)
    store.close()
    run_judge(path)
    from data.records import datasets, guidelines
    from data.store import open_store

    store = open_store(f"duckdb:///{path}")
    [dataset] = datasets.all_datasets(store)
    guidelines.write_guidelines(store, "lea", dataset.id, "# Helpfulness\nIt solves *the* problem.")
    put = lambda tx: tx.add("setting", "id, scope, name, value", [("last", "test", "in the log", "1")])  # noqa: E731
    store.tx("lea", "last", put)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for part in sorted(folder.glob("a.duckdb*")):
            file.write(part, part.name)
    print(out.name, out.stat().st_size, [p.name for p in sorted(folder.iterdir())])
    os._exit(0)


if __name__ == "__main__":
    pack(Path(sys.argv[1]).resolve())
