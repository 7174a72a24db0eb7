"""Every figure of MT-Bench that ../shared/real states, out of the command on files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judges.cli import main
from judges.importing.bench_files import read_bench
from judges.mtbench.records import Bench, Game
from judges.mtbench.votes import vote_agreement

SMALL, LARGE = "shisa-ai/shisa-v2-llama3.1-8b", "shisa-ai/shisa-v2-llama3.3-70b"
JUDGES = ("gpt-4o", "gpt-4.1-2025-04-14")


def rows(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, list[dict[str, Any]]]:
    assert main(["mtbench", *args, "--format", "json"]) == 0
    return {name: table["rows"] for name, table in json.loads(capsys.readouterr().out).items()}


def test_the_published_means_of_both_judges(real: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = rows(capsys, "show", str(real / "mt_bench_ja"))
    means = {(r["judge"], r["model"]): (r["turn_1"], r["turn_2"], r["both"], r["failed"]) for r in output["means"]}
    assert means["gpt-4o", SMALL] == (7.6375, 7.1750, 7.40625, 0)
    assert means["gpt-4o", LARGE] == (9.0750, 7.8125, 8.44375, 0)
    assert means["gpt-4.1-2025-04-14", SMALL] == (7.4125, 6.5750, 6.99375, 0)
    assert means["gpt-4.1-2025-04-14", LARGE] == (8.9625, 7.8500, 8.40625, 0)
    assert "changed" not in output and [r["changed"] for r in output["judges"]] == [0, 0]
    assert {r["range"] for r in output["rules"]} == {0.0}


def test_the_two_judges_on_the_same_320_answers(real: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judges = [part for name in JUDGES for part in ("--judge", name)]
    output = rows(capsys, "compare", str(real / "mt_bench_ja"), *judges)
    whole = next(r for r in output["agreement"] if r["scope"] == "all")
    assert (whole["cells"], round(whole["equal"], 3), round(whole["within_one"], 3)) == (320, 0.516, 0.875)
    assert (round(whole["difference"], 3), round(whole["pearson"], 4)) == (-0.225, 0.8485)
    assert len(output["disagreements"]) == 20 and output["disagreements"][0]["rating"] == 10
    assert "flips" not in output


def test_the_votes_with_ties_counted_and_dropped(real: Path, capsys: pytest.CaptureFixture[str]) -> None:
    votes = rows(capsys, "agreement", str(real / "mt_bench_en"))["votes"]
    agreements = {(r["one"], r["other"], r["turn"], r["ties"]): (round(r["agreement"], 4), r["pairs"]) for r in votes}
    judge = "gpt4_pair"
    assert agreements[judge, "expert", 1, "ties counted"] == (0.6597, 1343)
    assert agreements[judge, "expert", 1, "ties dropped"] == (0.8463, 859)
    assert agreements[judge, "expert", 2, "ties counted"] == (0.6574, 1325)
    assert agreements[judge, "expert", 2, "ties dropped"] == (0.8461, 864)
    assert agreements["expert", "expert", 1, "ties counted"] == (0.6297, 721)
    assert agreements["expert", "expert", 1, "ties dropped"] == (0.8100, 479)
    assert agreements["expert", "expert", 2, "ties counted"] == (0.6662, 707)
    assert agreements["expert", "expert", 2, "ties dropped"] == (0.8186, 474)
    for ties, agreement, kappa, n in (("ties counted", 0.672, 0.505, 1814), ("ties dropped", 0.884, 0.767, 1078)):
        [both] = [r for r in votes if (r["other"], r["turn"], r["ties"]) == ("majority", "(all)", ties)]
        assert (round(both["agreement"], 3), round(both["kappa"], 3), both["pairs"]) == (agreement, kappa, n)


def test_winners_that_are_not_turned_would_give_another_figure(real: Path) -> None:
    """The trap: names in sorted order and the winner as it stood."""
    bench, _ = read_bench([real / "mt_bench_en"])
    file = real / "mt_bench_en" / "gpt4_pair.jsonl"
    left = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    sides = {"model_a": "a", "model_b": "b"}
    games = tuple(
        Game("j", str(r["question_id"]), r["turn"], *sorted((r["model_a"], r["model_b"])), "",  # type: ignore[arg-type]
             sides.get(r["winner"], "tie"))
        for r in left
    )  # fmt: skip
    wrong = [f for f in vote_agreement(Bench(votes=bench.votes, games=games)) if f.other == "majority"]
    right = [f for f in vote_agreement(Bench(votes=bench.votes, games=bench.games)) if f.other == "majority"]
    assert round(right[1].kappa.point or 0, 3) == 0.767 and (wrong[1].kappa.point or 0) < 0.6


def test_two_protocols_on_the_same_judgments_are_a_tenth_apart(real: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = rows(capsys, "compare", str(real / "mt_bench_ja"), "--judge", "gpt-4o", "--other-protocol", "swallow")
    waterfall = {r["step"]: r["points"] for r in output["waterfall"]}
    assert waterfall == {"mean of the first": 7.925, "mean of the other": 7.925, "difference": 0.0}
