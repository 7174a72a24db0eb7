"""What MT-Bench costs at size: 23 models x 160 judgments x 4 judges, imported, and every figure of them.

`python -m tests.bench mtbench` (under a minute). Import in at most 5 s, all figures of the results, of all judges
compared and of two pipelines in at most 1 s each, best of three.
"""

import json
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.mtbench.mtbench import load_bench
from data.records import datasets, people
from data.store import open_store
from judges.importing.bench_files import read_bench
from judges.mtbench.pipelines import Pipeline
from judges.mtbench.protocol import protocols
from judges.mtbench.replay import replay
from judges.mtbench.tables import comparison_tables, result_tables, select_ratings, waterfall_tables

MODELS, JUDGES = 23, 4
CATEGORIES = ("writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities")
IMPORT, FIGURES = 5.0, 1.0


def write(folder: Path) -> None:
    """FastChat's files at that size, answers of some hundred characters."""
    rng = np.random.default_rng(0)
    questions = [
        {"question_id": 81 + n, "category": CATEGORIES[n // 10], "turns": [f"質問{n}", "続き"]} for n in range(80)
    ]

    def lines(name: str, rows: list[dict[str, object]]) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")

    lines("question.jsonl", [*questions])
    for m in range(MODELS):
        lines(f"model_answer/m{m}.jsonl", [
            {"question_id": q["question_id"], "answer_id": f"{m} {q['question_id']}", "model_id": f"m{m}",
             "tstamp": 1.0, "choices": [{"index": 0, "turns": [f"回答 {m} です。" * 40, "**続き** の回答。" * 40]}]}
            for q in questions
        ])  # fmt: skip
    for j in range(JUDGES):
        lines(f"model_judgment/judge-{j}_single.jsonl", [
            {"question_id": q["question_id"], "model": f"m{m}", "judge": [f"judge-{j}", "single-v1"], "turn": turn,
             "user_prompt": "", "judgment": f"{'because ' * 60}[[{score}]]", "score": score, "tstamp": 1.0}
            for q in questions for m in range(MODELS) for turn in (1, 2)
            for score in [int(np.clip(rng.normal(5 + m / 6, 2), 1, 10))]
        ])  # fmt: skip


def measure(name: str, most: float, work):
    """The result of some work, whose best of three times is printed; AssertionError where that is above `most`."""
    times, figures = [], None
    for _ in range(3):
        start = perf_counter()
        figures = work()
        times.append(perf_counter() - start)
    print(f"{name:58} {min(times):6.2f} s (at most {most:g})")
    assert min(times) <= most, f"{name} took {min(times):.2f} s, and may take {most:g}."
    return figures


def main() -> None:
    """Measure all of it."""
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "bench"
        write(folder)

        def import_bench() -> tuple[object, str]:
            store = open_store(f"duckdb:///{tempfile.mkdtemp(dir=root)}/store.duckdb")
            people.join_workspace(store, "lea")
            import_source(store, "lea", from_path(folder), ImportPlan("ja", sampling="all"))
            return store, datasets.dataset_named(store, "ja").id

        store, dataset = measure("import into a workspace", IMPORT, import_bench)
        measure("the records of the dataset, once they are kept", FIGURES, lambda: load_bench(store, dataset))
        bench, _ = measure("the records, from the files", IMPORT, lambda: read_bench([folder]))
    chosen = select_ratings(bench)
    measure("all figures of the results", FIGURES, lambda: result_tables(chosen))
    measure("all judges compared, two by two", FIGURES, lambda: comparison_tables(chosen))
    first, second, *_ = bench.judges
    fastchat, swallow = protocols()["fastchat"], protocols()["swallow"]
    runs = Pipeline(bench, first, fastchat), Pipeline(bench, second, swallow)
    measure("two pipelines taken apart", FIGURES, lambda: waterfall_tables(replay(*runs)))
