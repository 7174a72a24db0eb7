"""Which judge is meant, and what tells several apart; problems of lines that are alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judges.cli import main
from judges.importing.repeated_problems import RepeatedProblems, common_part
from judges.judge_lookup import JudgeTraits, describe_differences, differences, find_judges, shortest_name

COLD = JudgeTraits("aaaa1111", "rubric", "gpt-4o", {"temperature": 0, "seed": None}, "v1")
WARM = JudgeTraits("aaaa2222", "rubric", "gpt-4o", {"temperature": 0.7, "seed": None}, "v1")
OTHER_JUDGE = JudgeTraits("bbbb3333", "tone", "llama 3=1", {}, "v2")


@pytest.mark.parametrize(
    ("words", "those"),
    [
        ("", [COLD, WARM, OTHER_JUDGE]),
        ("gpt-4o", [COLD, WARM]),
        ("rubric", [COLD, WARM]),
        ("aaaa", [COLD, WARM]),
        ("aaaa2", [WARM]),
        ("gpt-4o temperature=0.7", [WARM]),
        ("gpt-4o   temperature=.70  ", [WARM]),
        ("temperature=0", [COLD]),
        ("temperature=0.0 card=rubric", [COLD]),
        ("temperature=unset", [OTHER_JUDGE]),
        ("card=tone", [OTHER_JUDGE]),
        ("llama 3=1", [OTHER_JUDGE]),  # a model's own name goes before its parts
        ("gpt-4o temperature=warm", []),
        ("gpt-4o heat=1", []),
        ("nobody", []),
    ],
)
def test_words_name_judges(words: str, those: list[JudgeTraits]) -> None:
    assert find_judges([COLD, WARM, OTHER_JUDGE], words) == those


PROMPTED = [
    JudgeTraits(f"c{n}", "mt_bench", "gpt-4o", {"protocol": protocol, "prompt": prompt, "wording": wording})
    for n, (protocol, prompt, wording) in enumerate(
        [("fastchat", "single-v1", "7be1aa"), ("fastchat", "single-v1", "9c00aa"), ("mine@12ab", "strict", "7be1cc")]
    )
]


@pytest.mark.parametrize(
    ("words", "those"),
    [
        ("gpt-4o prompt=single-v1", [0, 1]),
        ("gpt-4o prompt=single", []),  # a name is no fingerprint
        ("gpt-4o wording=7be1", [0, 2]),
        ("prompt=single-v1 wording=7be1", [0]),
        ("protocol=mine", [2]),
        ("protocol=mine@12ab", [2]),
        ("protocol=", []),
    ],
)
def test_judges_of_protocols_are_named_by_prompt_and_the_head_of_its_wording(words: str, those: list[int]) -> None:
    assert find_judges(PROMPTED, words) == [PROMPTED[n] for n in those]
    assert describe_differences(PROMPTED[:2]) == "wording 7be1aa / 9c00aa"
    assert shortest_name(PROMPTED, PROMPTED[2]) == "gpt-4o prompt=strict protocol=mine@12ab wording=7be1cc"


def test_what_differs_is_told_and_nothing_else() -> None:
    assert describe_differences([COLD, WARM]) == "temperature 0 / 0.7"
    assert differences([COLD, WARM]) == [{"temperature": "0"}, {"temperature": "0.7"}]
    other = "card tone, model llama 3=1, temperature unset"
    assert describe_differences([COLD, OTHER_JUDGE]) == f"card rubric, model gpt-4o, temperature 0 / {other}"
    assert (
        describe_differences([COLD, JudgeTraits("c", "rubric", "gpt-4o", COLD.params, "v1")]) == "nothing but their ids"
    )
    assert [shortest_name([COLD, WARM], judge) for judge in (COLD, WARM)] == [
        "gpt-4o temperature=0",
        "gpt-4o temperature=0.7",
    ]
    spaced = [JudgeTraits("x1", "c", "m", {"stop": "a b"}), JudgeTraits("x2", "c", "m", {"stop": "c d"})]
    assert [shortest_name(spaced, judge) for judge in spaced] == [
        "x1",
        "x2",
    ]  # words with spaces cannot be written: the id can


def test_a_judge_in_a_file_is_picked_by_its_parameter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reply = {"score": 4, "reasoning": "r", "confidence": 0.5}
    by = {"card": "pointwise_quality", "model": "m", "reply": reply}
    rows = [{"item": f"r{n}", **by, "params": {"temperature": t, "seed": 1}} for n in range(3) for t in (0, 0.7)]
    file = tmp_path / "j.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    assert main(["agree", str(file), str(file)]) == 1
    at = {"unit": "response", "annotator": "ann", "mode": "blind", "made_at": "2026-01-01T00:00:00Z"}
    labels = tmp_path / "l.jsonl"
    labels.write_text(json.dumps({"item": "r0", "dimension": "nothing", "value": 4, **at}))
    capsys.readouterr()
    items = tmp_path / "i.jsonl"
    texts = {"kind": "response", "task": "t", "output": "o"}
    items.write_text("\n".join(json.dumps({"id": f"r{n}", **texts}) for n in range(3)))
    assert main(["audit", str(items), str(file)]) == 1
    assert "there are 2 judges, which differ in temperature 0 / 0.7. Choose one" in capsys.readouterr().err
    assert main(["agree", str(file), str(labels), "--param", "temperature=0.70"]) == 1
    assert "no label is about a dimension" in capsys.readouterr().err
    assert main(["agree", str(file), str(labels), "--model", "m", "--param", "temperature=1"]) == 1
    assert "no judge of that card, model and parameters" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"items": [{"id": "r1"}], "name": "n"}, "is one JSON object (its keys: items, name), and JSON lines"),
        ([{"id": "r1"}, {"id": "r2"}], "is a JSON list of 2, and JSON lines are taken"),
    ],
)
def test_a_file_that_is_one_value_is_called_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], value: object, says: str
) -> None:
    file = tmp_path / "x.json"
    for indent in (1, None):
        file.write_text(json.dumps(value, indent=indent))
        for command in (["run", str(file), "--card", "pointwise_quality", "--model", "m", "--dry-run"],
                        ["agree", str(file), str(file)], ["audit", str(file), str(file)]):  # fmt: skip
            line, table = isinstance(value, dict) and indent is None, isinstance(value, list) and command[0] == "agree"
            if line or table:
                continue
            assert main(command) == 1
            assert (err := capsys.readouterr().err).count("\n") == 1 and says in err


def test_problems_that_are_alike_are_one() -> None:
    groups = RepeatedProblems()
    for n in range(512):
        groups.add(("a.jsonl", n + 1), f"The item 'd{n}' is missing: it is neither here nor there.")
        groups.add(("a.jsonl", n + 1), f"The item 'e{n}' is missing: it is neither here nor there.")  # in the same line
    groups.add(("a.jsonl", 9), "score: must be a number (it is 'good').")
    groups.add(("b.jsonl", 2), "score: must be a number (it is null).")
    groups.add(("b.jsonl", 0), "It ends within an element.")
    assert groups.sentences(10) == [
        "512 lines, such as a.jsonl, lines 1, 2 and 3: The item 'd0' is missing: it is neither here nor there.",
        "a.jsonl, line 9; b.jsonl, line 2: score: must be a number (it is 'good').",
        "b.jsonl: It ends within an element.",
    ]
    assert groups.sentences(1)[1:] == ["... and 3 more lines."]
    assert common_part("It has: turn:1, turn:2, conversation.") == common_part(
        "It has: turn:1, turn:2, turn:3, conversation."
    )
    assert common_part("id is missing") != common_part("kind is missing")
