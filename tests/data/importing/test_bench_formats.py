"""Swallow's evaluation and MT-Bench-101 come into a workspace, and a folder of MT-Bench as others leave it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.importing.files.source import Source, from_bytes, from_path, from_paths, from_uploads
from data.importing.importing import detect_formats, import_source, preview_import
from data.importing.plan import ImportPlan
from data.store.errors import BadInput
from data.workspace.verify import verify
from judges.importing.bench_files import read_bench
from judges.types import ITEM, Dialogue
from tests.data.imports import text, workspace
from tests.judges.mtbench.bench_rows import QUESTIONS, answer, rating_row
from tests.judges.mtbench.test_swallow import DETAILS, FIVE, RESULTS, results, row


@pytest.fixture(scope="module")
def swallow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the evaluation leaves it: one model, two questions, and the details of another task."""
    folder = tmp_path_factory.mktemp("swallow")
    _parquet(folder / DETAILS, [row(0, FIVE), row(1, [[9, 9, 9, 9, 9], [8, 8, 8, 8, -1]])])
    other = {"predictions": ["4"], "metrics": {"exact_match": 1}, "specifics": {"id": 1}}
    _parquet(folder / DETAILS.replace("japanese_mt_bench", "math_500"), [other])
    (folder / RESULTS).parent.mkdir(parents=True)
    (folder / RESULTS).write_text(json.dumps(results(judge_score_overall_turn_1_avg=9.9), indent=2), encoding="utf-8")
    return folder


def _parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)


@pytest.mark.slow
def test_a_five_sample_run_comes_in_with_a_judgment_for_each_sample(swallow: Path, tmp_path: Path) -> None:
    store = workspace(tmp_path)
    done = import_source(store, "lea", from_path(swallow), ImportPlan("d"))
    assert (done.preview.new.items, done.preview.new.judgments, done.preview.problem_count) == (10, 20, 0)
    meta = json.loads(store.rows("select meta from item where name = '81/org/model/choice:4'")[0][0])
    assert meta == {
        "question_id": "81", "category": "writing", "choice": 4, "continues": 0, "reference": ["R1", "R2"],
        "reference_answer": [],
    }  # fmt: skip
    judged = store.rows(
        "select i.name, m.part, s.value, m.unscored from judgment m join item i on i.id = m.item_id "
        "left join score s on s.judgment_id = m.id where i.name like '81/%' order by m.part, i.name"
    )
    assert [value for _, part, value, _ in judged if part == "turn:1"] == FIVE[0]
    assert [(name, why) for name, _, value, why in judged if value is None] == [
        ("81/org/model/choice:2", "unreadable")
    ]
    params = [json.loads(content) for (content,) in store.rows("select params from judge")]
    assert [(judge["protocol"], "prompt" in judge, len(judge["wording"])) for judge in params] == [
        ("swallow", False, 12)
    ]
    warnings = "\n".join(done.preview.warnings)
    assert "math_500|0, which has no ratings by turn" in warnings and "the mean of turn 1 is stated as 9.9" in warnings
    assert import_source(store, "lea", from_path(swallow), ImportPlan("d")).preview.new.total == 0
    assert verify(store) == []
    store.close()


@pytest.mark.slow
def test_an_upload_of_a_run_gives_the_same_as_its_folder(swallow: Path, tmp_path: Path) -> None:
    """Uploads have no folders: the model is found by the results of the same run."""
    store = workspace(tmp_path)
    files = [(path.name, path) for path in sorted(swallow.rglob("*")) if path.is_file() and "math" not in path.name]
    done = import_source(store, "lea", from_uploads(files), ImportPlan("d"))
    assert (done.preview.new.items, done.preview.new.judgments) == (10, 20)
    assert store.rows("select distinct system_a from item") == [("org/model",)]
    store.close()


def test_the_command_without_a_workspace_reads_the_same(swallow: Path) -> None:
    bench, warnings = read_bench([swallow])
    assert (len(bench.questions), len(bench.answers), len(bench.ratings)) == (2, 10, 20)
    assert sum("math_500" in warning for warning in warnings) == 1


def test_mt_bench_101_becomes_dialogues_with_their_task(tmp_path: Path) -> None:
    rows = [
        {"task": "CM", "id": 1, "history": [{"user": f"u{n}", "bot": f"b{n}"} for n in range(1, 8)]},
        {"task": "GR", "id": 2, "history": [{"user": "u1", "bot": "b1"}, {"user": "u2"}]},
        {"task": "GR", "id": 3, "history": [{"user": "u1"}, {"user": "u2", "bot": "b2"}]},
    ]
    (tmp_path / "mtbench101.jsonl").write_bytes(text(rows))
    store = workspace(tmp_path)
    preview = preview_import(store, from_path(tmp_path / "mtbench101.jsonl"), ImportPlan("d"))
    assert [p.sentence for p in preview.problems] == ["Only the last turns of a history may lack the bot's answer."]
    source = from_path(tmp_path / "mtbench101.jsonl")
    import_source(store, "lea", source, ImportPlan("d"), on_error="good rows")
    items = [ITEM.validate_json(content) for (content,) in store.rows("select content from item order by name")]
    assert [(item.id, item.meta["task"]) for item in items] == [("1/mtbench101", "CM"), ("2/mtbench101", "GR")]
    assert isinstance(items[0], Dialogue) and len(items[0].turns) == 14 and items[0].turns[-1].turn == 7
    store.close()


def test_questions_answers_and_judgments_may_lie_in_several_paths(tmp_path: Path) -> None:
    for name, rows in {
        "q/question.jsonl": QUESTIONS, "a/one.jsonl": [answer(81, "m/one"), answer(82, "m/one")],
        "j/gpt-4_single.jsonl": [rating_row(q, t) for q in (81, 82) for t in (1, 2)],
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(text(rows))
    store = workspace(tmp_path)
    source: Source = from_paths([tmp_path / "j", tmp_path / "a" / "one.jsonl", tmp_path / "q"])
    done = import_source(store, "lea", source, ImportPlan("d"))
    assert (done.preview.new.items, done.preview.new.judgments) == (2, 4)
    assert done.preview.summary == ["MT-Bench: 2 questions, 2 answers of 1 model, 4 ratings by 1 judge."]
    assert (done.preview.warnings, done.preview.judges) == ([], ["mt_bench: gpt-4 (single-v1)"])
    store.close()


STRAYS: dict[str, bytes] = {
    "model_answer/two.jsonl": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
    "results.csv": b"model,score\nm/one,7.5\n",
    "config.json": b'{\n  "seed": 1,\n  "models": ["m/one"]\n}\n',
    "empty.jsonl": b"",
    "j/half_single.jsonl": json.dumps(rating_row(82)).encode() + b'\n{"question_id": 8',
}


@pytest.mark.parametrize("as_uploads", [False, True])
def test_a_folder_comes_in_whatever_else_lies_in_it(tmp_path: Path, as_uploads: bool) -> None:
    """A missing file of answers, a table, a configuration and half a file: each is named, and the rest comes in."""
    files = {
        **STRAYS, "question.jsonl": text(QUESTIONS), "one.jsonl": text([answer(81, "m/one"), answer(82, "m/one")]),
        "j/gpt-4_single.jsonl": text([rating_row(), rating_row(999), rating_row(82, model="two")]),
    }  # fmt: skip
    for name, content in files.items():
        path = tmp_path / "given" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    store = workspace(tmp_path)
    paths = sorted((tmp_path / "given").rglob("*.*"))
    source = from_uploads([(path.name, path) for path in paths]) if as_uploads else from_path(tmp_path / "given")
    done = import_source(store, "lea", source, ImportPlan("d"), on_error="good rows")
    assert (done.preview.new.items, done.preview.new.judgments, done.preview.problem_count) == (2, 2, 3)
    warnings = "\n".join(done.preview.warnings)
    for part in (
        "two.jsonl was ignored: it is a git-LFS pointer", "empty.jsonl was ignored: it is empty",
        "config.json, results.csv were ignored: they are none of MT-Bench's files",
        "two: judged, and no answers of it are in the files",
        "gpt-4 single-v1 has not judged 2 turns of m/one: turn 2 of all 2 questions.",
    ):  # fmt: skip
        assert part in warnings, part
    sentences = [group.sentence for group in done.preview.groups]
    assert any("question 999 is not in the files" in sentence for sentence in sentences) and any(
        "is not JSON" in sentence for sentence in sentences
    )
    assert any("82/two" in sentence for sentence in sentences) and done.preview.formats == ["FastChat"]
    store.close()


def test_the_name_of_a_given_folder_says_what_its_files_are(tmp_path: Path) -> None:
    """Of several paths one may be the folder of references; and lines with NaN alone are those of the format."""
    nan = {"question_id": 82, "model_id": "m/one", "judge_id": "Q", "score_turn1": -1, "score_turn2": 7}
    files = {
        "question.jsonl": QUESTIONS, "model_answer/one.jsonl": [answer(81, "m/one"), answer(82, "m/one")],
        "reference_answer/gpt-4.jsonl": [answer(82, "gpt-4", ["51", "68"])],
        "j/one.jsonl": [{**nan, "avg_score": float("nan")}],
    }  # fmt: skip
    for name, rows in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text(rows))
    paths = [tmp_path / name for name in ("question.jsonl", "model_answer", "reference_answer", "j/one.jsonl")]
    store = workspace(tmp_path)
    done = import_source(store, "lea", from_paths(paths), ImportPlan("d"))
    assert (done.preview.new.items, done.preview.new.judgments) == (2, 1)
    meta = json.loads(store.rows("select meta from item where name = '82/m/one'")[0][0])
    assert meta["reference"] == ["51", "68"]
    store.close()


def test_a_file_that_is_none_of_swallows_is_refused_where_it_is_said_to_be_one() -> None:
    with pytest.raises(BadInput) as refused:
        detect_formats(from_bytes([("x.jsonl", b'{"a": 1}')]), "swallow")
    assert str(refused.value) == "x.jsonl is no file of Swallow's evaluation: its keys are a."
