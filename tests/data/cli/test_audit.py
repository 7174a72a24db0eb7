"""`python -m data audit`: at how many replies it looks."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.cli import audit, main
from tests import seeds


def test_of_many_replies_a_random_sample_is_looked_at_unless_every_one_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    items = [seeds.dialogue(n) for n in range(6)]
    seeds.workspace(tmp_path / "a.duckdb", [*items, *map(seeds.judgment, items)], review=False).close()
    monkeypatch.setenv("ASSAY_STORE", seeds.address(tmp_path / "a.duckdb"))
    monkeypatch.setattr(audit, "MAX_REPLIES", 4)
    heads = []
    for options in ([], ["--every"]):
        main(["audit", "--dataset", "demo", *options])
        heads.append(capsys.readouterr().out.splitlines()[0].partition("): ")[2])
    assert heads == ["4 replies on 4 items, drawn at random from 6; 0 unscored", "6 replies on 6 items; 0 unscored"]
