"""Published MT-Bench files come in whole, every text gives its score, and written out they are the same again."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.importing.files.source import from_path
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.mtbench.mtbench import load_bench
from data.store.ids import content_id
from judges.importing.bench_files import read_bench
from judges.mtbench import parsing
from judges.mtbench.fastchat_files import write_fastchat
from tests.data.imports import workspace
from tests.judges.mtbench.test_fastchat_files import bench_fields

VOTED = "vicuna-13b-v1.2: judged, and no answers of it are in the files."


def test_every_judgment_says_what_its_file_states(real: Path) -> None:
    bench, messages = read_bench([real / "mt_bench_ja"])
    assert [rating for rating in bench.ratings if parsing.rating(rating.text) != rating.stated] == []
    assert len(bench.ratings) == 640 and len({judge.wording for judge in bench.judges.values()}) == 1
    assert messages == [
        "MT-Bench: 80 questions, 160 answers of 2 models, 2 sets of reference answers (gpt-4.1-2025-04-14, gpt-4o), "
        "640 ratings by 2 judges, 8 prompts."
    ]


def test_the_wording_is_made_out_of_the_prompts_that_were_sent(real: Path) -> None:
    """Without judge_prompts.jsonl the judges are the very same."""
    parts = [real / "mt_bench_ja" / name for name in ("question.jsonl", "model_answer", "model_judgment")]
    assert read_bench(parts)[0].judges == read_bench([real / "mt_bench_ja"])[0].judges


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mt_bench_ja", "mt_bench_en"])
def test_written_out_and_imported_again_nothing_changes(real: Path, tmp_path: Path, name: str) -> None:
    bench, messages = read_bench([real / name])
    write_fastchat(bench, tmp_path / "files")
    assert bench_fields(read_bench([tmp_path / "files"])[0]) == bench_fields(bench)
    assert messages[1:] == ([] if name == "mt_bench_ja" else [VOTED])
    store, plan = workspace(tmp_path), ImportPlan("d", sampling="all")
    import_source(store, "lea", from_path(real / name), plan)
    write_fastchat(load_bench(store, content_id("dataset", "d")), tmp_path / "stored")
    for again in ("files", "stored"):
        assert import_source(store, "lea", from_path(tmp_path / again), plan).preview.new.total == 0
    store.close()
