"""All that `python -m judges` says: the help of every command, and a session with each of them on plain files."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import judges.cards
from judges import cli
from judges.cli import commands, main
from judges.cli.show import describe_card
from judges.params import Params
from judges.practice.server import Server
from judges.protocols.call_plan import CallReply, Task, fuse
from judges.types import ITEM
from tests.archives import check_archive
from tests.data.imports import pair
from tests.judges.cli.test_audit import item, judgment, label
from tests.judges.cli.test_mtbench import folder as bench
from tests.judges.cli.test_run import serve_in_thread
from tests.judges.endpoint import Say
from tests.judges.run_cases import CARD
from tests.practice_server import practice
from tests.seeds import dialogue, lines, reply, write_tables
from tests.seeds import judgment as of_dialogue
from tests.terminal import Terminal

HELP, ARCHIVE = (Path(__file__).with_name(f"{name}.txt") for name in ("help", "archive"))
SESSION = """
--version
nothing
list
# -- cards
show
show plain_pairwise
show --card card.json
show rubric_open_ended --prompt items.jsonl
show plain_pairwise --prompt items.jsonl
show plain_pairwise --prompt odd.jsonl
show plain_pairwise --prompt half.jsonl
show pointwise_quality --dimension "zz_wit (dull|witty): How witty?"
show none
show faulty.json
new zz_mine
new zz_mine
new zz_talk --kind dialogue
new 9zz
# -- agreement
agree table.csv
agree table.csv --json
agree table.csv --target .6 --near --delta .4
agree several.csv
agree several.csv --json
agree several.csv --epsilon .2
agree several.csv --judge claude_score --human annotator_1
agree words.csv
agree words.csv --target .6
agree words.csv --json
agree numbers.csv
agree numbers.csv --good-rows
agree maybe.csv
agree maybe.csv --good-rows
agree topics.csv
agree unclear.csv
agree unclear.csv --judge score_1 --human none
agree table.csv words.csv
agree judged.jsonl labels.jsonl
agree judged.jsonl labels.jsonl --items items.jsonl --missing lowest --epsilon .2
agree judged.jsonl labels.jsonl --missing 3 --json
agree judged.jsonl labels.jsonl --missing tie
agree judged.jsonl tone.jsonl
agree judged.jsonl
agree judged.jsonl labels.jsonl --model other
agree judged.jsonl labels.jsonl --epsilon 1
agree judged.jsonl labels.jsonl --target .4
agree judged.jsonl labels.jsonl --target .8 --delta .6
agree judged.jsonl labels.jsonl --target .8
agree sampled.jsonl labels.jsonl
agree sampled.jsonl labels.jsonl --target .7 --source "agreement of samples"
agree sampled.jsonl labels.jsonl --target .55 --delta .4 --near
agree sampled.jsonl labels.jsonl --target .7 --source guesses
agree sampled.jsonl labels.jsonl --json
agree scored.jsonl labels.jsonl
agree judged.jsonl labels.jsonl --card none
agree talks.jsonl
agree talks.jsonl --json
agree pairs.jsonl
agree pairs.jsonl --json
# -- audits
audit items.jsonl judged.jsonl
audit items.jsonl judged.jsonl --gold labels.jsonl --thresholds limits.json --other second.jsonl --probe {probe}
audit items.jsonl judged.jsonl --probe {probe} --all
audit items.jsonl judged.jsonl --json
audit items.jsonl judged.jsonl --thresholds broken.json
audit items.jsonl judged.jsonl --thresholds list.json
audit items.jsonl judged.jsonl --thresholds odd.json
audit items.jsonl judged.jsonl --thresholds high.json
audit items.jsonl judged.jsonl --probe injected_order
audit items.jsonl judged.jsonl --probe nonsense=x
audit items.jsonl judged.jsonl --other others.jsonl
audit items.jsonl judged.jsonl --model other
audit items.jsonl none.jsonl
# -- MT-Bench
mtbench
mtbench show bench
mtbench show bench --table means --table ranks --judge gpt-4 --model m --category math --format md
mtbench show bench --table means --format csv --out means
mtbench show bench --table means --format csv
mtbench show bench --table means --format json --protocol swallow
mtbench show bench --table means --out means.txt
mtbench show bench --format csv
mtbench show bench --format parquet
mtbench show bench --format csv --out means.txt
mtbench show bench --table nothing
mtbench show bench --judge x
mtbench show bench --model x
mtbench show bench --category x
mtbench show bench --protocol x
mtbench show nowhere
mtbench show empty
mtbench compare bench
mtbench compare bench --judge gpt-4
mtbench compare bench --judge gpt-5 --judge gpt-4 --other-protocol swallow --table waterfall --plan plan
mtbench compare bench --judge gpt-5 --against other --table factors
mtbench compare bench --against other
mtbench compare bench --judge gpt-5 --against other --model =n
mtbench compare bench --judge gpt-5 --against empty
mtbench agreement bench
mtbench agreement votes
mtbench agreement lonely
mtbench show votes --table wins
mtbench show lonely
mtbench export bench --out made
mtbench export bench --out made
mtbench export bench --out tables --format json
mtbench export votes --out parquet --format parquet
# -- runs
run items.jsonl
run items.jsonl --model practice-constant
run items.jsonl --model practice-constant --card none
run items.jsonl --model practice-constant --card rubric_open_ended --temperature 9
run items.jsonl --model practice-constant --card rubric_open_ended --base-url ftp://x
run items.jsonl --model practice-constant --card rubric_open_ended --tries 99
run items.jsonl --model practice-constant --card rubric_open_ended --limit -1
run items.jsonl --model practice-constant --card rubric_open_ended --ask
run items.jsonl --model practice-constant --card rubric_open_ended --spend 0
run items.jsonl --model m --card rubric_open_ended --spend 1
run items.jsonl --model practice-constant --card multi_turn_dialogue
run odd.jsonl --model practice-constant --card plain_pairwise
run mixed.jsonl --model practice-constant --card zz_wit --dimension "zz_wit (dull|witty): How?" --limit 1
run mixed.jsonl --model practice-constant --card card.json --dry-run --limit 1 --samples 2
run mixed.jsonl --model practice-constant --card card.json --dry-run --ask --limit 1 --room 100
run mixed.jsonl --model practice-heuristic --card pointwise_quality --dry-run --ask --limit 1
run mixed.jsonl --model practice-constant --card card.json --out out.jsonl --limit 1
run mixed.jsonl --model practice-constant --card card.json --out out.jsonl --concurrency 1
run mixed.jsonl --model practice-constant --card card.json --out out.jsonl
run mixed.jsonl --model practice-constant --card card.json --out bad.jsonl --base-url {bad} --concurrency 1
run mixed.jsonl --model practice-constant --card card.json --out lost.jsonl --base-url {lost} --tries 1 --concurrency 1
run mixed.jsonl --model m --card card.json --out dear.jsonl {dear} --spend 2.5
run mixed.jsonl --model m --card card.json --out dear.jsonl {dear} --spend .1
run mixed.jsonl --model m --card card.json --out dear.jsonl {dear} --spend 100
run mixed.jsonl --model m --card card.json --dry-run --limit 1 --prices prices.json
run mixed.jsonl --model m --card card.json --dry-run --ask --limit 1 {dear} --spend 9 --base-url {refusing}
run mixed.jsonl --model practice-constant --card card.json --out items.jsonl
practice --port 0 --flaws opening,length
practice --port 0
practice --flaws nonsense
"""


def test_help_says_in_every_place_what_it_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    terminal = Terminal("python -m judges", main, capsys)
    terminal.help_of_all(commands(cli.__name__))
    check_archive(terminal.output, HELP, tmp_path, decimals=4)


@pytest.mark.usefixtures("shipped_cards")
def test_a_session_says_in_every_place_what_it_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bring_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(judges.cards, "__path__", [str(tmp_path / "house"), *judges.cards.__path__])
    monkeypatch.setattr(Server, "wait_until_ended", at_once)
    reply_ = json.dumps({"response": {"zz_wit": {"score": 3, "note": "So."}}})
    with (
        practice() as server, practice("wrong_schema=1") as bad, practice("500=1") as failing,
        serve_in_thread(lambda body, nth: Say(reply_, usage=(1000, 100))) as paid,
        serve_in_thread(lambda body, nth: Say(None, message={"refusal": "No."})) as refusing,
    ):  # fmt: skip
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        masks = [(re.escape(str(tmp_path)), "(folder)"), (r"(127\.0\.0\.1):\d{5}", r"\1:(port)")]
        names = {"bad": bad.url, "lost": failing.url, "refusing": refusing.url, "probe": "injected_order=probe.jsonl"}
        names["dear"] = f"--prices prices.json --concurrency 1 --max-tokens 100 --base-url {paid.url}"
        terminal = Terminal("python -m judges", main, capsys, masks, **names)
        terminal.run(SESSION)
    check_archive(terminal.output, ARCHIVE, tmp_path, decimals=4)


def test_a_card_without_audits_or_rules_is_shown_without() -> None:
    output = describe_card(CARD)
    assert (
        output[output.index("Known failures that are looked for:") + 1] == "  none" and "Rules" not in "".join(output)
    )


async def at_once(server: Server) -> None:
    """The practice endpoint ends as soon as it has said where it is."""


def bring_files(folder: Path) -> None:
    """Files that commands read: items of each kind, judgments and labels of them, tables, cards, limits and prices."""
    rng = random.Random(3)
    (folder / "house").mkdir()
    gold = [rng.randint(1, 5) for _ in range(60)]
    scores = [value if rng.random() < 0.7 else rng.randint(1, 5) for value in gold]
    refusal: dict[str, Any] = {"raw": "", "unscored": "refused", "why": "filter", "reply": ...}
    judged = [judgment(n, value) if n % 13 else {**judgment(n, value), **refusal} for n, value in enumerate(scores)]
    people = [label(n, value) for n, value in enumerate(gold)]
    people += [label(n, min(value + n % 2, 5), annotator="ben") for n, value in enumerate(gold)]
    people += [label(n, value, annotator="cyn") for n, value in enumerate(gold)]
    sampled = [
        {**judgment(n, value if s < 2 or n % 3 else value % 5 + 1), "sample": s}
        for n, value in enumerate(scores) for s in range(3)
    ]  # fmt: skip
    talks = [dialogue(n, turns=2) for n in range(1, 9)]
    talk_rows: list[Any] = [of_dialogue(t, reply(t, 1 + n % 5, "good", 1 + n % 2)) for n, t in enumerate(talks)]
    talk_rows += [label(0, 1 + (n + k) % 4, item=t["id"], unit=f"turn:{k}", dimension="helpfulness")
              for n, t in enumerate(talks[:7]) for k in (1, 2)]  # fmt: skip
    talk_rows += [label(0, "n/a", item=t["id"], unit="conversation", dimension="repair_handling") for t in talks[:4]]
    pairs: list[Any] = [pair(f"p{n}") for n in range(10)]
    both, plain = {"card": "plain_pairwise", "model": "m"}, judges.cards.card("plain_pairwise")
    for n, pair_row in enumerate(pairs[:9]):
        task = Task(pair_row["id"], ITEM.validate_python(pair_row))
        said_of = {f"order:{o}": json.dumps({"verdict": "ab"[n % k == 0]}) for o, k in (("ab", 2), ("ba", 3))}
        replies = {name: CallReply(task.key, "", 0, name, text) for name, text in said_of.items()}
        raw = fuse(plain, Params(orders="both"), task, replies).raw
        pairs.append({"item": pair_row["id"], **both, "params": {"orders": "both"}, "raw": raw})
    pairs.append({"item": "p9", **both, "params": {"orders": "ab"}, "reply": {"verdict": "a"}})
    pairs += [label(0, ("a", "b", "tie")[n % 3], item=f"p{n}", unit="pair", dimension="verdict") for n in range(10)]
    wit = {"name": "zz_wit", "unit": "response", "definition": "How witty?"}
    card = {"name": "zz_filed", "title": "Filed", "kind": "response", "dimensions": [wit]}
    files: dict[str, list[Any]] = {
        "items.jsonl": [item(n, "w" * (3 + n % 7)) for n in range(60)],
        "judged.jsonl": [{k: v for k, v in row.items() if v is not ...} for row in judged],
        "labels.jsonl": people,
        "tone.jsonl": [label(n, 3, dimension="tone") for n in range(5)],
        "sampled.jsonl": sampled,
        "scored.jsonl": [{"item": f"r{n}", "card": "rubric_open_ended", "model": "m", "scores": [
            {"unit": "response", "dimension": "factuality" if n % 4 else "coherence", "value": v}]}
            for n, v in enumerate(scores)],
        "second.jsonl": [judgment(n, 1 + n % 5, "claude-3") for n in range(60)],
        "probe.jsonl": [judgment(n, 5, params={"probe": "injected_order"}) for n in range(60)],
        "talks.jsonl": talk_rows,
        "pairs.jsonl": pairs,
        "others.jsonl": [{"item": "p1", **both, "reply": {"verdict": "a"}}],
        "mixed.jsonl": [item(1), pair(), item(2), dialogue(1), dialogue(2), item(3)],
        "half.jsonl": [{"id": "x", "kind": "pair"}],
        "card.json": [card],
        "faulty.json": [{**card, "name": "zz faulty"}],
        "limits.json": [{"same_score": 0.1}],
        "list.json": [[]],
        "odd.json": [{"own_family": 1}],
        "high.json": [{"same_score": "high"}],
        "prices.json": [{"as_of": "2026-01", "models": {"m": {"in": 1000, "out": 1000}}}],
    }
    for name, rows in files.items():
        lines(folder / name, rows)
    (folder / "odd.jsonl").write_text('{"id": "x"}\n{\n[1]\n')
    (folder / "broken.json").write_text("{")
    tables = {
        "table": ("judge,human", [f"{a},{b}" for a, b in zip(scores, gold, strict=True)]),
        "several": ("id,gpt-4_score,claude_score,annotator_1,annotator_2,annotator_3",
                    [f"{n},{v},{1 + n % 5},{v},{g},{g}" for n, (v, g) in enumerate(zip(scores, gold, strict=True))]),
        "words": ("llm_verdict;expert", [f"{'pass' if v > 2 else 'FAIL'};{int(g > 2)}"
                                         for v, g in zip(scores, gold, strict=True)]),
        "numbers": ("judge,human", [*(f"{a},{b}" for a, b in zip(scores, gold, strict=True)), "error,3"]),
        "maybe": ("judge,human", ["yes,1", "no,0", "maybe,1"]),
        "topics": ("judge,human", [f"{'xyz'[v % 3]},{'xyz'[g % 3]}" for v, g in zip(scores, gold, strict=True)]),
        "unclear": ("score_1,score_2", ["1,2", "2,3"]),
    }  # fmt: skip
    write_tables(folder, tables)
    bench_files(folder)


def bench_files(folder: Path) -> None:
    """MT-Bench's files in `bench`; another judge's in `other`, votes of people in `votes`, and questions in `empty`."""
    bench.__wrapped__(folder)
    questions = [{"question_id": 1, "category": "writing", "turns": ["a", "b"]}]
    row = {"question_id": 1, "model": "m", "user_prompt": "q", "turn": 1, "judgment": "So [[3]]", "score": 3.0}
    voted = {"question_id": 1, "turn": 1, "model_a": "m", "model_b": "n", "winner": "model_a", "tstamp": 1.0}
    rows: dict[str, list[Any]] = {
        "empty/question.jsonl": questions,
        "other/question.jsonl": questions,
        "other/model_judgment/gpt-6_single.jsonl": [{**row, "judge": ["gpt-6", "single-v1"], "tstamp": 1.0}],
        "votes/question.jsonl": questions,
        "votes/human.jsonl": [{**voted, "judge": voter, "winner": won} for voter, won in
                              (("expert_1", "model_a"), ("expert_2", "model_b"), ("author_1", "tie"))],
        "votes/gpt-4_pair.jsonl": [{"question_id": 1, "model_1": "m", "model_2": "n", "g1_winner": "model_1",
                                    "g2_winner": "model_1", "turn": 1, "judge": ["gpt-4", "pair-v2"],
                                    "g1_judgment": "x", "g2_judgment": "x", "tstamp": 1.0}],
        "lonely/question.jsonl": questions,
        "lonely/human.jsonl": [{**voted, "judge": "expert_1"}],
    }  # fmt: skip
    for name, records in rows.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        lines(folder / name, records)
