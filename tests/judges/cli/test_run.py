"""`python -m judges run` on files: what it writes can be imported, and going on asks nothing twice."""

import asyncio
import contextlib
import json
import threading
from dataclasses import asdict

import pytest

from judges.cards import cards
from judges.cli import main
from judges.importing.run_file import BadRunFile, RunFile
from judges.params import Params
from judges.protocols import call_plan
from judges.protocols.call_plan import CallReply
from judges.types import Dialogue
from tests.data.imports import bring, counts, workspace
from tests.judges.endpoint import Say, serving
from tests.judges.run_cases import CARD

SCORES = {"factuality": 4, "instruction_following": 4, "coherence": 4, "completeness": 4}
GOOD = json.dumps({"scores": SCORES, "verdict": "excellent", "decision_basis": "It holds.", "issues": []})


@contextlib.contextmanager
def serve_in_thread(script):
    """The endpoint in a thread, while a command runs in this one."""
    endpoints, ready, over = [], threading.Event(), threading.Event()

    async def serve():
        async with serving(script) as endpoint:
            endpoints.append(endpoint)
            ready.set()
            while not over.is_set():
                await asyncio.sleep(0.005)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    ready.wait(60)
    try:
        yield endpoints[0]
    finally:
        over.set()
        thread.join()


def row(n):
    return {"id": f"r{n}", "kind": "response", "task": f"task {n}", "output": "words", "system": "s"}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(row(n)) + "\n" for n in range(6)))
    return path


def run(file, endpoint, *more, card="rubric_open_ended"):
    return main(["run", str(file), "--card", card, "--model", "m", "--base-url", endpoint.url, *map(str, more)])


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_run_writes_judgments_that_import_reads(file, tmp_path, capsys):
    def script(body, nth):
        prompt = body["messages"][-1]["content"]
        return Say(None, message={"refusal": "No."}) if "task 2" in prompt else Say(GOOD)

    out = tmp_path / "out.jsonl"
    with serve_in_thread(script) as endpoint:
        assert run(file, endpoint, "--out", out) == 0
    output = capsys.readouterr().out
    assert "5 of 6 scored, 1 unscored" in output and "refused      1" in output and "cost not known" in output
    assert sorted(line["item"] for line in lines(out)) == [f"r{n}" for n in range(6)]
    store = workspace(tmp_path)
    bring(store, [row(n) for n in range(6)] + lines(out))
    assert (counts(store)["judgment"], counts(store)["score"]) == (6, 5 * 5)
    assert store.rows("select unscored, why from judgment where unscored <> ''") == [
        ("refused", "the model refused: No.")
    ]
    store.close()


def test_going_on_asks_nothing_twice_and_mends_half_a_line(file, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    with serve_in_thread(lambda body, nth: Say(GOOD)) as endpoint:
        assert run(file, endpoint, "--out", out, "--limit", 4) == 0
        whole = out.read_bytes()
        out.write_bytes(whole[:-30])  # killed while it wrote the fourth
        assert run(file, endpoint, "--out", out) == 0
        assert run(file, endpoint, "--out", out) == 0
        assert len(endpoint.bodies) == 4 + 3
    assert sorted(line["item"] for line in lines(out)) == [f"r{n}" for n in range(6)]
    assert "6 of 6 judgments are there already." in capsys.readouterr().out


def test_what_failed_has_no_line_and_is_asked_again(file, tmp_path, capsys):
    def script(body, nth):
        bad = "task 1" in body["messages"][-1]["content"] and nth == 0
        return Say(status=400, body={"error": {"message": "odd"}}) if bad else Say(GOOD)

    out = tmp_path / "out.jsonl"
    with serve_in_thread(script) as endpoint:
        assert run(file, endpoint, "--out", out, "--concurrency", 1) == 1
        assert len(lines(out)) == 5
        assert "run the same command again" in capsys.readouterr().err
        assert run(file, endpoint, "--out", out) == 0
    assert len(lines(out)) == 6


def test_other_judges_in_the_same_file_are_other_judges(file, tmp_path):
    out = tmp_path / "out.jsonl"
    with serve_in_thread(lambda body, nth: Say(GOOD)) as endpoint:
        run(file, endpoint, "--out", out)
        run(file, endpoint, "--out", out, "--temperature", 0.5, "--samples", 2)
        assert len(endpoint.bodies) == 6 + 12
    assert len(lines(out)) == 18


def test_without_a_file_the_lines_are_printed(file, capsys):
    with serve_in_thread(lambda body, nth: Say(GOOD)) as endpoint:
        assert run(file, endpoint) == 0
    printed = capsys.readouterr()
    assert len([json.loads(line) for line in printed.out.splitlines()]) == 6
    assert "6 of 6 scored" in printed.err


def test_a_dry_run_shows_and_asks_nothing(file, capsys):
    with serve_in_thread(lambda body, nth: Say(GOOD)) as endpoint:
        assert run(file, endpoint, "--dry-run", "--samples", 2) == 0
        assert not endpoint.bodies
        output = capsys.readouterr().out
        assert "task 2" in output and "task 3" not in output and "[system]" in output
        assert "6 items, 12 judgments, 12 calls" in output and "not known" in output
        assert run(file, endpoint, "--dry-run", "--ask") == 0
        assert len(endpoint.bodies) == 3
    output = capsys.readouterr().out
    assert GOOD in output and "factuality               4" in output


def test_a_spending_limit_ends_a_run_and_says_how_to_go_on(file, tmp_path, capsys):
    listed = tmp_path / "prices.json"
    listed.write_text('{"as_of": "2026-01", "models": {"m": {"in": 1000, "out": 1000}}}')
    out = tmp_path / "out.jsonl"
    args = ("--out", out, "--prices", listed, "--max-tokens", 100, "--spend")
    with serve_in_thread(lambda body, nth: Say(GOOD, usage=(1000, 100))) as endpoint:
        assert run(file, endpoint, *args, 4) == 130
        assert 0 < len(lines(out)) < 6
        assert "--spend needs the price" not in (output := capsys.readouterr().err) and "spending limit" in output
        assert run(file, endpoint, *args, 100) == 0
        assert len(endpoint.bodies) == 6
        for none in ("inf", "nan", 0, -1):
            assert run(file, endpoint, *args, none) == 1 and "amount in US dollars above 0" in capsys.readouterr().err
        assert len(endpoint.bodies) == 6


@pytest.mark.parametrize("usage", [(1000, 100), None])
def test_a_spending_limit_holds_over_all_starts_on_a_file(file, tmp_path, capsys, usage):
    listed = tmp_path / "prices.json"
    listed.write_text('{"as_of": "2026-01", "models": {"m": {"in": 1000, "out": 1000}}}')
    out = tmp_path / "out.jsonl"
    args = ("--out", out, "--prices", listed, "--max-tokens", 100, "--concurrency", 2)
    with serve_in_thread(lambda body, nth: Say(GOOD, usage=usage)) as endpoint:
        assert run(file, endpoint, *args, "--dry-run", "--ask", "--limit", 1, "--spend", 5) == 0
        assert len(endpoint.bodies) == 1 and "spent so far of the limit of $5.00" in capsys.readouterr().out
        assert [run(file, endpoint, *args, "--spend", 5) for _ in range(5)] == [130] * 5
        calls, output = len(endpoint.bodies), capsys.readouterr()
        assert "The spending limit of $5.00 ends the run" in output.err and "with a higher --spend" in output.err
        assert ("about $" in output.out) is (usage is None)
        assert 2 <= calls < 6 and (usage is None or calls * 1.1 <= 5)
        charged = lines(out.with_name("out.jsonl.charges"))
        assert sum(line.get("cost", 0) for line in charged) <= 5 and charged[-1]["upto"] == 0
        assert run(file, endpoint, *args, "--spend", 0.5) == 1 and "is below it" in capsys.readouterr().err
        # A run that ended without a word is counted at the most that it might have cost.
        with (out.with_name("out.jsonl.charges")).open("a") as file_:
            file_.write(json.dumps({"judge": charged[0]["judge"], "upto": 99.0}) + "\n" + '{"judge": {"ca')
        assert run(file, endpoint, *args, "--spend", 99.5) == 130 and len(endpoint.bodies) == calls
        assert run(file, endpoint, *args, "--spend", 200) == 0 and len(endpoint.bodies) == 7


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--spend", "1"), "--spend needs the price of m"),
        (("--temperature", "9"), "--temperature 9.0: input should be less than or equal to 2"),
        (("--tries", "99"), "--tries 99"),
        (("--limit", "-1"), "--limit"),
        (("--ask",), "--dry-run"),
        (("--dimension", "a: b"), "pointwise_quality"),
        (("--base-url", "ftp://x"), "--base-url ftp://x: an address begins with http"),
        (("--card", "none"), "rubric_open_ended. Any other can be given as a file: --card FILE."),
        (("--card", "multi_turn_dialogue"), "judges a dialogue"),
    ],
)
def test_misuse_is_a_sentence(file, more, says, capsys):
    with serve_in_thread(lambda body, nth: Say(GOOD)) as endpoint:
        assert run(file, endpoint, *more) == 1
        assert not endpoint.bodies
    assert says in capsys.readouterr().err


def test_bad_items_are_all_told_with_their_lines(tmp_path, capsys):
    path = tmp_path / "items.jsonl"
    rows = [json.dumps(row(1)), "", "{", json.dumps(row(1)), json.dumps(row(2) | {"odd": 1}), '{"id": "\\ud800"}']
    path.write_text("\n".join(rows))
    with serve_in_thread(lambda body, nth: Say(GOOD)) as endpoint:
        assert run(path, endpoint) == 1
        assert not endpoint.bodies
    output = capsys.readouterr().err
    assert "4 lines that cannot be judged" in output
    assert "line 3: not JSON" in output and "line 6: holds half of a surrogate pair" in output and "line 5:" in output
    assert "line 4: there is an item r1 before it" in output


def test_items_of_other_kinds_are_passed_over(tmp_path, capsys):
    path, out = tmp_path / "items.jsonl", tmp_path / "out.jsonl"
    turns = [{"turn": 1, "role": "assistant", "text": "x"}]
    talks = [{"id": f"d{n}", "kind": "dialogue", "turns": turns} for n in (1, 2)]
    path.write_text("\n".join(map(json.dumps, [talks[0], row(1), talks[1], row(2), row(3)])))
    with serve_in_thread(lambda body, nth: Say(GOOD)) as endpoint:
        assert run(path, endpoint, "--out", out, "--limit", 2) == 0
        assert run(path, endpoint, "--out", out) == 0
    assert "2 dialogues were passed over" in capsys.readouterr().err
    assert sorted(line["item"] for line in lines(out)) == ["r1", "r2", "r3"]


def test_what_is_wrong_with_a_line_is_said_in_words(tmp_path, capsys):
    path = tmp_path / "items.jsonl"
    for text, says in (
        (
            '{"id": "r1"}',
            "holds 1 line that cannot be judged:\nitems.jsonl, line 1: kind is missing: it has to be dialogue, pair or",
        ),
        ('{"id": "r1", "kind": "song"}', "line 1: kind is another one: it has to be dialogue, pair or response"),
        ('{"kind": "response", "task": "t", "output": "o"}', "line 1: id is missing"),
        (json.dumps(row(1)) + "\n{", "line 2: not JSON: expecting property name"),
    ):
        path.write_text(text)
        with serve_in_thread(lambda body, nth: Say(GOOD)) as endpoint:
            assert run(path, endpoint) == 1
        assert says in capsys.readouterr().err


def test_a_card_that_was_changed_is_another_judge_in_the_same_file(file, tmp_path, capsys):
    out = tmp_path / "out.jsonl"

    def ask(endpoint, question):
        code = run(file, endpoint, "--dimension", question, "--limit", "2", "--out", out, card="own")
        assert code == 0
        return capsys.readouterr().out

    def script(body, nth):
        name = "wit" if "funny" in str(body["messages"]) else "grief"
        return Say(json.dumps({"response": {name: {"score": 3, "note": ""}}}))

    with serve_in_thread(script) as endpoint:
        assert "2 of 2 scored" in ask(endpoint, "wit (1-5): Is it funny?")
        assert "Nothing is left to ask" in ask(endpoint, "wit (1-5): Is it funny?")
        assert "2 of 2 scored" in ask(endpoint, "grief (1-5): Is it sad?")
        assert len(endpoint.bodies) == 4
        versions = [line["card_version"] for line in lines(out)]
        assert versions[0] == versions[1] != versions[2] == versions[3]
        # A file of before lines had versions goes on as the file of this judge.
        old = {name: value for name, value in lines(out)[0].items() if name != "card_version"}
        out.write_text(json.dumps(old) + "\n")
        assert "1 of 2 judgments are there already" in ask(endpoint, "wit (1-5): Is it funny?")
        assert [line.get("card_version") for line in lines(out)] == [None, None], "they are of one judge"


def test_an_answer_of_several_is_kept_until_its_judgment_is_there(tmp_path):
    path, params = tmp_path / "out.jsonl", Params()
    turns = [{"turn": n, "role": r, "text": "words"} for n in range(1, 15) for r in ("user", "assistant")]
    task = call_plan.Task("d", Dialogue.model_validate({"id": "d", "kind": "dialogue", "turns": turns}))
    card = cards()["multi_turn_dialogue"]
    first = CallReply("d", "", 0, "window:1/3", "{}", logprobs=(("4", (("4", -0.5),)),))
    with RunFile(path, card, "m", params) as ledger:
        ledger.keep(first)
        ledger.keep(CallReply("d", "", 0, "window:2/3", "", "api_error", "failed"))
    with RunFile(path, card, "m", params) as ledger:
        assert ledger.stored_pieces(task) == {"window:1/3": first}
        assert not ledger.has(task)
        rest = {f"window:{n}/3": CallReply("d", "", 0, f"window:{n}/3", "{}") for n in (2, 3)}
        ledger.write(call_plan.fuse(card, params, task, ledger.stored_pieces(task) | rest))
    with RunFile(path, card, "m", params) as ledger:
        assert ledger.has(task) and ledger.stored_pieces(task) == {}
    assert not path.with_name("out.jsonl.pieces").exists()
    assert asdict(first)["piece"] in lines(path)[0]["raw"]


def test_answers_of_another_judge_are_kept_until_its_own_judgments_are_there(tmp_path):
    path, params, card = tmp_path / "out.jsonl", Params(), cards()["multi_turn_dialogue"]
    turns = [{"turn": n, "role": r, "text": "words"} for n in range(1, 15) for r in ("user", "assistant")]
    task = call_plan.Task("d", Dialogue.model_validate({"id": "d", "kind": "dialogue", "turns": turns}))
    answers = {f"window:{n}/3": CallReply("d", "", 0, f"window:{n}/3", "{}") for n in (1, 2, 3)}
    with RunFile(path, card, "m", params) as ledger:
        ledger.keep(answers["window:1/3"])
    with RunFile(path, card, "other", params) as ledger:
        for answer in answers.values():
            ledger.keep(answer)
        ledger.write(call_plan.fuse(card, params, task, answers))
    with RunFile(path, card, "m", params) as ledger:
        assert ledger.stored_pieces(task) == {"window:1/3": answers["window:1/3"]}, "it was paid for"
        ledger.write(call_plan.fuse(card, params, task, answers))
    assert not path.with_name("out.jsonl.pieces").exists(), "both judges have their judgments"


def test_a_file_that_is_not_ours_is_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    for text in ("hello\n", '{"a": 1}\n'):
        path.write_text(text)
        with pytest.raises(BadRunFile, match=r"notes\.txt, line 1"):
            RunFile(path, CARD, "m", Params())
        assert path.read_text() == text


def test_two_runs_do_not_write_one_file(tmp_path):
    with (
        RunFile(tmp_path / "out.jsonl", CARD, "m", Params()),
        pytest.raises(BadRunFile, match="by another run"),
    ):
        RunFile(tmp_path / "out.jsonl", CARD, "m", Params())
