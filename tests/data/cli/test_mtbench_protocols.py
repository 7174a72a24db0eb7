"""`python -m data mtbench protocol` and `prompts`: what there is, and one's own from a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from data.cli import main
from data.records import people, protocols
from data.store import open_store
from judges.mtbench.prompts import wording
from tests.data.records.test_judge_prompts import bring, family

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """A factory: command(*arguments) gives (exit code, all that `mtbench` printed) in a workspace with two wordings."""
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/store.duckdb")
    monkeypatch.chdir(tmp_path)
    store = open_store(f"duckdb:///{tmp_path}/store.duckdb")
    people.join_workspace(store, "lea")
    bring(store, one=family(), two=family(" two"))
    store.close()

    def call(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(["mtbench", *arguments])
        out = capsys.readouterr()
        assert "Traceback" not in out.out + out.err
        return code, out.out + out.err

    return call


def test_a_protocol_goes_from_json_to_the_workspace_and_back(command: Command, tmp_path: Path) -> None:
    code, text = command("protocol", "show", "fastchat", "--json")
    protocol = json.loads(text) | {"name": "mine", "prompts": "single-v1", "title": "Ours"}
    (tmp_path / "mine.json").write_text(json.dumps(protocol))
    code, output = command("protocol", "add", "mine.json", "--as", "lea")
    assert code == 0 and output.startswith("Added: mine, mark mine@")
    assert "cannot be asked yet: single-v1 stands for 2 texts" in output
    (tmp_path / "mine.json").write_text(json.dumps(protocol | {"prompts": f"single-v1@{family_wording(' two')[:5]}"}))
    code, output = command("protocol", "add", "mine.json", "--as", "lea")
    assert code == 0 and output.startswith("Changed: mine")
    assert f"Its judge is asked by single-v1, wording {family_wording(' two')}." in output
    assert command("protocol", "add", "mine.json", "--as", "lea")[1].startswith("There already: mine")
    store = open_store(f"duckdb:///{tmp_path}/store.duckdb")
    mark = protocols.known_protocols(store)["mine"].mark
    store.close()
    code, listed = command("protocol", "list")
    assert [line.split()[:2] for line in listed.splitlines()][2] == [mark, "added"]
    code, words = command("protocol", "show", mark)
    assert code == 0 and "references                  those named after the judge" in words
    code, output = command("protocol", "show", "none")
    assert code == 1 and "no protocol 'none' here" in output


def family_wording(mark: str = "") -> str:
    """The wording of a family with that mark in its base template."""
    return wording(family(mark)[0]["prompt_template"])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "mine.json: it is not JSON"),
        ('{"name": "mine", "cut_at": -1}', "mine.json: cut_at: Input should be greater than or equal to 0"),
        ('{"name": "swallow"}', "swallow is built in and stays as it is"),
    ],
)
def test_what_is_no_protocol_is_refused_in_a_sentence(
    command: Command, tmp_path: Path, content: str, sentence: str
) -> None:
    (tmp_path / "mine.json").write_text(content)
    code, out = command("protocol", "add", "mine.json", "--as", "lea")
    assert code == 1 and sentence in out
    missing = command("protocol", "add", "gone.json", "--as", "lea")
    assert missing == (1, "gone.json cannot be read: No such file or directory.\n")


def test_families_are_listed_by_wording_and_shown_in_full(command: Command) -> None:
    code, listed = command("prompts", "list")
    assert code == 0 and [line.split()[0] for line in listed.splitlines()][:2] == ["assay", "assay-japanese"]
    assert {f"single-v1@{family_wording()}", f"single-v1@{family_wording(' two')}"} <= set(listed.split())
    code, text = command("prompts", "show", f"single-v1@{family_wording(' two')}")
    template = "Q {question} A {answer} two {ref_answer_1}"
    assert code == 0 and f"== single-math-v1\n-- system\nS\n-- template\n{template}" in text
    assert command("prompts", "show", "single-v1")[0] == 1
    code, ours = command("prompts", "show", "assay-japanese")
    assert code == 0 and ours.count("## The language") == 8
