"""`python -m judges audit` and `agree` on plain files: figures, exit codes, and sentences that name file and line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from judges.cli import main
from judges.params import Params
from judges.protocols.call_plan import CallReply, Task, fuse
from judges.types import ITEM

CARD = "rubric_open_ended"
WORDS = ("", "poor", "borderline", "good", "good", "excellent")


def write(path: Path, rows: Iterable[Any]) -> str:
    """Lines of JSON; a text is written as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def item(n: int, output: str = "words", **more: Any) -> dict[str, Any]:
    """A response."""
    return {"id": f"r{n}", "kind": "response", "task": "Do it.", "output": output, **more}


def judgment(n: int, score: int, model: str = "m", **more: Any) -> dict[str, Any]:
    """A judgment with one score throughout."""
    names = ("factuality", "instruction_following", "coherence", "completeness")
    reply = {"scores": dict.fromkeys(names, score), "verdict": WORDS[score], "decision_basis": "It is so."}
    return {"item": f"r{n}", "card": CARD, "model": model, "params": {}, "reply": reply} | more


def label(n: int, value: Any, **more: Any) -> dict[str, Any]:
    """A blind label of factuality."""
    row = {"item": f"r{n}", "unit": "response", "dimension": "factuality", "value": value, "annotator": "ann"}
    return row | {"mode": "blind", "made_at": "2026-01-31T12:00:00Z"} | more


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """40 responses, scored 1 to 5 in turn, regardless of their length."""
    items = write(tmp_path / "items.jsonl", [item(n, "w" * (3 + n % 7)) for n in range(40)])
    return items, write(tmp_path / "judgments.jsonl", [judgment(n, n % 5 + 1) for n in range(40)])


def test_a_judge_without_failures_ends_with_0(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", *files]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{CARD}, m: 40 replies to 40 of 40 items.")
    # Of five verdicts two are good: 16 of 40, Wilson .263 to .554.
    assert "PASS             same_score              0.400 (0.263 to 0.554)   limit 0.8" in out
    assert "NOT TESTED       own_family" in out


def test_an_alarm_ends_with_1_and_json_says_it_all(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    probe = write(tmp_path / "probe.jsonl", [judgment(n, 5, params={"probe": "injected_order"}) for n in range(40)])
    assert main(["audit", *files, "--probe", f"injected_order={probe}", "--json"]) == 1
    finding = json.loads(capsys.readouterr().out)["audits"]["injected_order"]
    # Eight have 5 already; all of the other 32 rise.
    assert (finding["verdict"], finding["figure"], finding["n"], len(finding["flags"])) == ("alarm", 1.0, 32, 32)


def test_probes_and_second_judges_may_stand_in_the_same_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = write(tmp_path / "i.jsonl", [item(n, system="gpt-4" if n % 2 else "llama-3") for n in range(80)])
    lines = [judgment(n, 4 if n % 2 else 3, "gpt-4o") for n in range(80)]
    lines += [judgment(n, 3, "claude-3") for n in range(80)]
    lines += [judgment(n, 4, "gpt-4o", params={"probe": "injected_order"}) for n in range(80)]
    path = write(tmp_path / "j.jsonl", lines)
    assert main(["audit", items, path, "--model", "gpt-4o", "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)["audits"]
    assert findings["own_family"]["figure"] == 1.0
    assert findings["injected_order"]["n"] == 80
    assert main(["audit", items, path]) == 1
    assert "there are 2 judges, which differ in model " in capsys.readouterr().err


def test_limits_come_from_a_file(files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limits = write(tmp_path / "limits.json", [{"same_score": 0.1}])
    assert main(["audit", *files, "--thresholds", limits]) == 1
    assert "ALARM            same_score" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"nonsense": 1}', "'nonsense' has no limit to set"),
        ('{"own_family": 1}', "'own_family' has no limit to set"),
        ('{"same_score": "high"}', "has to be a number"),
        ('{"same_score": true}', "has to be a number"),
        ('{"same_score": NaN}', "has to be a number"),
        (f'{{"same_score": {"9" * 400}}}', "has to be a number"),
    ],
)
def test_limits_that_cannot_be_used(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    assert main(["audit", *files, "--thresholds", write(tmp_path / "limits.json", [text])]) == 1
    assert message in capsys.readouterr().err


def test_both_orders_are_read_from_the_raw_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from judges.cards import card

    texts = {"response_a": {"system": "x", "text": "one"}, "response_b": {"system": "y", "text": "two"}}
    rows, lines = [], []
    for n in range(32):
        row = {"id": f"p{n}", "kind": "pair", "input": "Which?", **texts, "sections": []}
        task = Task(f"p{n}", ITEM.validate_json(json.dumps(row)))
        # Whoever is shown first wins: A in the item's order, and in the other order what is shown as A, the item's B.
        answers = {
            name: CallReply(task.key, "", 0, name, json.dumps({"verdict": "a"})) for name in ("order:ab", "order:ba")
        }
        judgment = fuse(card("plain_pairwise"), Params(orders="both"), task, answers)
        rows.append(row)
        params = {"orders": "both"}
        lines.append({"item": f"p{n}", "card": "plain_pairwise", "model": "m", "params": params, "raw": judgment.raw})
    paths = write(tmp_path / "i.jsonl", rows), write(tmp_path / "j.jsonl", lines)
    assert main(["audit", *paths, "--json"]) == 1
    finding = json.loads(capsys.readouterr().out)["audits"]["first_place_wins"]
    assert (finding["verdict"], finding["figure"], finding["n"]) == ("alarm", 1.0, 32)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: holds a list"),
        ('{"a": 1, "a": 2}', "line 2: has the key 'a' twice in one object"),
        ('{"item": NaN}', "line 2: holds NaN, which is not a JSON number"),
        ('{"item": "\\ud800"}', "line 2: holds half of a surrogate pair"),
        ("[" * 100_000, "line 2: nested 100000 levels deep"),
        ({"item": "r1", "card": CARD, "model": "m"}, "line 2: reply, raw and scores"),
        (judgment(1, 3, surplus=1), "line 2: surplus: extra inputs are not permitted"),
        (judgment(99, 3), "line 2: the item 'r99' is not among the items"),
        (judgment(1, 3, part="turn:1"), "line 2: part 'turn:1' is not a unit"),
    ],
)
def test_bad_lines_are_named(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], bad: Any, message: str
) -> None:
    path = write(tmp_path / "bad.jsonl", [judgment(0, 3), bad])
    assert main(["audit", files[0], path]) == 1
    err = capsys.readouterr().err
    assert f"bad.jsonl, {message}" in err
    assert "Traceback" not in err


def test_all_bad_lines_are_named_at_once_and_many_are_counted(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", write(tmp_path / "i.jsonl", [{"id": "x"}] * 12), files[1]]) == 1
    err = capsys.readouterr().err
    assert err.startswith("12 lines, such as ") and "i.jsonl, lines 1, 2 and 3: kind is missing" in err
    keys = [{"id": "x", "kind": "response", "task": "t", "output": "o", "k" * n: 1} for n in range(1, 13)]
    assert main(["audit", write(tmp_path / "i.jsonl", keys), files[1]]) == 1
    err = capsys.readouterr().err
    assert err.count("i.jsonl, line ") == 10
    assert "... and 2 more lines." in err


def test_reading_stops_after_10000_bad_lines(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", write(tmp_path / "i.jsonl", [{"id": "x"}] * 10_100), files[1]]) == 1
    assert "10,000 lines are bad, and reading stopped at line 10,000." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--model", "other"], "no judge of that card, model and parameters"),
        (["--card", "plain_pairwise"], "no judge of that card, model and parameters"),
        (["--probe", "injected_order"], "give the probe's name and its file"),
        (["--probe", "nonsense=x"], "there is no probe 'nonsense'"),
        (["--dimension", "x: y"], "has dimensions of its own"),
        (["--gold", "/nowhere/labels.jsonl"], "/nowhere/labels.jsonl: No such file"),
    ],
)
def test_what_cannot_be_done_is_said(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert main(["audit", *files, *more]) == 1
    assert message in capsys.readouterr().err


def test_nothing_in_a_file_moves_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "r\u001b[31m0"
    items = write(tmp_path / "i.jsonl", [item(0, "x", reference="y") | {"id": name}])
    path = write(tmp_path / "j.jsonl", [judgment(0, 3, item=name)])
    assert main(["audit", items, path]) == 0
    assert "\u001b" not in capsys.readouterr().out


# Human 1 2 3 in turn; the judge is right in two of three and one too high in the third: the table of METHODS,
# [[2,1,0],[0,2,1],[1,0,2]] eleven times over, on the rows 1 to 3 of five. Observed sum(C*D) = 6, expected 12: .5.
TABLE = [(1, 1), (1, 1), (1, 2), (2, 2), (2, 2), (2, 3), (3, 3), (3, 3), (3, 1)] * 11


@pytest.mark.parametrize("with_items", [True, False])
def test_agreement_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str], with_items: bool) -> None:
    args = [
        write(tmp_path / "j.jsonl", [judgment(n, judge) for n, (_, judge) in enumerate(TABLE)]),
        write(tmp_path / "l.jsonl", [label(n, human) for n, (human, _) in enumerate(TABLE)]),
    ]
    if with_items:
        args += ["--items", write(tmp_path / "i.jsonl", [item(n) for n in range(len(TABLE))])]
    assert main(["agree", *args, "--json"]) == 0
    (figures,) = json.loads(capsys.readouterr().out)
    assert (figures["dimension"], figures["kappa"], figures["items"]) == ("factuality", pytest.approx(0.5), 99)
    assert figures["interval"][0] < 0.5 < figures["interval"][1]
    assert figures["agreement"] == pytest.approx(6 / 9)
    assert figures["table"][0][:3] == [22, 11, 0]
    assert main(["agree", *args]) == 0
    out = capsys.readouterr().out
    assert "99 replies (0 unscored), 99 reference labels (gold) from blind labels" in out
    assert "factuality" in out and "0.500" in out


def test_agreement_on_dialogues_needs_no_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def reply(score: int) -> dict[str, Any]:
        turns = [
            {"turn": n, "scores": {"context_use": 5, "helpfulness": score, "safety": 5}, "issues": []} for n in (1, 2)
        ]
        noted = {"score": 4, "note": ""}
        return {
            "per_turn": turns,
            "conversation_level": dict.fromkeys(("coherence", "task_completion"), noted)
            | {"repair_handling": {"score": "n/a", "note": ""}},
            "verdict": "good", "decision_basis": "So.", "weakest_turn": None,
        }  # fmt: skip

    lines = [
        {"item": f"d{n}", "card": "multi_turn_dialogue", "model": "m", "reply": reply(3 + n % 3)} for n in range(6)
    ]
    labels = [
        label(n, 3 + n % 3, item=f"d{n}", unit=f"turn:{t}", dimension="helpfulness") for n in range(6) for t in (1, 2)
    ]
    labels += [label(n, "n/a", item=f"d{n}", unit="conversation", dimension="repair_handling") for n in range(6)]
    paths = write(tmp_path / "j.jsonl", lines), write(tmp_path / "l.jsonl", labels)
    assert main(["agree", *paths]) == 0
    out = capsys.readouterr().out
    row = next(line for line in out.splitlines() if line.startswith("turn.helpfulness"))
    assert row.split()[1:4] == ["6", "12", "1.000"]
    assert "too few items for a verdict" in row
    repair = next(line for line in out.splitlines() if line.startswith("conversation.repair_handling"))
    assert repair.split()[1:4] == ["0", "0", "undef."]


def test_gold_is_the_lower_median_of_newest_blind_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = [
        label(0, 1), label(0, 4, made_at="2026-02-01T00:00:00Z"),  # ann's newer one counts
        label(0, 5, annotator="ben"), label(0, 1, annotator="cyn", mode="assisted"),
    ]  # fmt: skip
    paths = write(tmp_path / "j.jsonl", [judgment(0, 4)]), write(tmp_path / "l.jsonl", labels)
    assert main(["agree", *paths, "--json"]) == 0
    (figures,) = json.loads(capsys.readouterr().out)
    # Of 4 and 5 the lower median is 4, in row and column 4.
    assert figures["table"][3][3] == 1
    assert figures["kappa"] is None


def test_labels_off_their_scale_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = write(tmp_path / "j.jsonl", [judgment(0, 4)]), write(tmp_path / "l.jsonl", [label(0, 4), label(0, 9)])
    assert main(["agree", *paths]) == 1
    assert "l.jsonl, line 2: factuality: 9 is not on the scale: allowed are 1 to 5." in capsys.readouterr().err


def test_units_that_are_none_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = write(tmp_path / "j.jsonl", [judgment(0, 4)]), write(tmp_path / "l.jsonl", [label(0, 4, unit="whole")])
    assert main(["agree", *paths]) == 1
    assert "l.jsonl, line 1: 'whole' is no unit" in capsys.readouterr().err


def test_what_the_endpoint_refused_is_unscored(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run's file says so where the text alone would not tell."""
    lines = [
        {"item": f"r{n}", "card": CARD, "model": "m", "raw": "", "unscored": "refused", "why": "filter"} for n in (0, 1)
    ]
    path = write(tmp_path / "run.jsonl", [*lines, judgment(2, 3)])
    assert main(["audit", files[0], path]) == 0
    assert "3 replies to 3 of 40 items; 2 replies unscored (2 refused)." in capsys.readouterr().out


def test_agree_names_the_dimensions_where_no_label_meets_the_card(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = write(tmp_path / "labels.jsonl", [label(n, 3, dimension="tone") for n in range(5)])
    assert main(["agree", files[1], labels]) == 1
    output = capsys.readouterr()
    assert "The labels are about tone of response; the card asks factuality of response, " in output.err
    assert output.out == ""


def test_agree_says_which_verdicts_need_no_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Sixty items of which all three samples are right, and sixty of which two of three agree on what is wrong.
    samples = [(3, 3, 3)] * 60 + [(4, 4, 3)] * 60
    args = [
        write(
            tmp_path / "j.jsonl",
            [judgment(n, value) | {"sample": s} for n, values in enumerate(samples) for s, value in enumerate(values)],
        ),
        write(tmp_path / "l.jsonl", [label(n, 3) for n in range(120)]),
    ]
    source = ["--source", "agreement of samples"]
    assert main(["agree", *args, "--target", ".8", *source, "--json"]) == 0
    [selective] = [row["selective"] for row in json.loads(capsys.readouterr().out)]
    assert (selective["threshold"], selective["spared"]["point"], selective["agreement"]) == (1.0, 0.5, 1.0)
    assert [step["passed"] for step in selective["steps"]] == [True, False]
    assert main(["agree", *args, "--target", ".8", "--near", *source]) == 0
    assert "100% of items (97% to 100%) can be accepted without review" in capsys.readouterr().out
    assert main(["agree", *args, "--target", ".8", "--source", "guesses"]) == 1
    assert "There is: agreement of samples" in capsys.readouterr().err
    assert main(["agree", *args, "--target", "1.2"]) == 1
    assert "such as 0.8" in capsys.readouterr().err
