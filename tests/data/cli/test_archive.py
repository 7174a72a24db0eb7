"""All that `python -m data` says: the help of every command, and a session with each of them on planted data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data import cli
from data.assignments import assignments
from data.assignments.assignments import AssignmentTerms, Selection
from data.cards import cards
from data.cli import main, options
from data.queue import queue
from data.records import people
from data.store import Store, open_store
from judges.cli import commands
from tests import seeds
from tests.archives import check_archive
from tests.data.approvals.test_approvals import judged_cells
from tests.data.cells import Cell, fill
from tests.data.flag_dataset import add_flag_dataset
from tests.data.imports import adjudication_line, label, pair, text, verdict
from tests.data.judged_dataset import add_seats, crowd
from tests.data.records.test_judge_prompts import family
from tests.practice_server import practice
from tests.terminal import Terminal

HELP, ARCHIVE = (Path(__file__).with_name(f"{name}.txt") for name in ("help", "archive"))
CATCH = {
    "mark": r"zz_help .* mark (\S+)", "run": r"--resume (\S+)", "token": r"(assay_[0-9a-f]{8})",
    "version": r"Saved zz_made, version (\S+),",
}  # fmt: skip
"""What commands say that later ones are given."""
MASKS = [
    (r"assay_[0-9a-f]{8}(_[\w-]+)?", "(token)"), (r"\d\d:\d\d UTC", "(time)"), (r"[\d,]+ bytes", "0 bytes"),
    (r"[\d,]+\.\d [kM]B", "0.0 MB"), (r":\d{5}/v1", ":(port)/v1"),
]  # fmt: skip
SMALL = """
--version
nothing
verify
import rows.jsonl --dataset small
lead lea
start plain.csv --no-serve
import rows.jsonl --dataset small
backup rows.jsonl
backup nowhere/b.duckdb
backup b.duckdb
restore none.duckdb
restore rows.jsonl
copy {url} {url}
copy duckdb:///none.duckdb duckdb:///new.duckdb
copy {url} mysql://x
"""
"""On a workspace that each command opens."""
SESSION = """
# -- what comes in
start wide.csv --dry-run --dataset wide
start wide.csv --no-serve
start unclear.csv --no-serve
start unclear.csv --no-serve --judge score_a --human score_b --sampling random --as ray
start stray.csv --no-serve
start stray.csv --no-serve --good-rows --dataset 言葉
start words.csv --dry-run --judge judge --human human
start pairs.csv --dry-run
start people.csv --dry-run
start plain.csv --no-serve
start none.csv
import rows.jsonl --dataset pairs --dry-run
import rows.jsonl --dataset pairs --description Made. --sampling random --of 50
import rows.jsonl --dataset pairs --dry-run
import more --dataset pairs --by-file
import rows.jsonl more --dataset pairs --by-file --dry-run
import rows.jsonl more --dataset pairs --by-file --sampling all
import rows.jsonl more --dataset again --by-file --as lou
import talks.jsonl --dataset talks
import bad.jsonl --dataset bad --dry-run
import bad.jsonl --dataset bad
import bad.jsonl --dataset bad --good-rows --rejects left.jsonl
import worse.jsonl --dataset bad --good-rows
import rows.jsonl
import rows.jsonl --suggest
import plain.csv --suggest
import talks.csv --suggest
import plain.csv --dataset plain
import plain.csv --dataset plain --mapping latin.json
import plain.csv --dataset plain --mapping broken.json
import plain.csv --dataset plain --card nope
import cards.jsonl --dataset filed
import cards.jsonl --dataset filed --card card.json
import rows.jsonl --dataset d --as nobody
import none.jsonl --dataset d
import rows.jsonl --dataset d --sampling random --of 1
# -- cards
card
card add zz_made --dimension "zz_wit (dull|witty): How witty?" --dry-run
card add zz_made --dimension "zz_wit (dull|witty): How witty?"
card add zz_made --dimension "zz_wit (dull|witty): How witty?"
card add zz_made --dimension "zz_wit (1-3): How witty?" --as lou
card add card.json
card add clash.json
card add mt_bench
card add
card list
card show zz_made
card show zz_made --version {version}
card show zz_made --version nope
card show zz_nothing
# -- what goes out
export
export --kind nothing
export --kind items
export --dataset gate --kind items
export --dataset pairs --kind gold --out gold.csv
export --dataset wide --kind labels --out gold.csv --dry-run
export --dataset wide --kind gold --out gold.csv --force --few 3
export --dataset wide --kind gold --out gold.csv --force --as ann
export --dataset pairs --kind labels --out gold.csv --force --as ray
export --dataset pairs --kind items --out items.parquet
export --dataset wide --kind gold --out gold.txt
export --dataset wide --kind gold --out more
export --dataset wide --kind gold --out nowhere/gold.csv
export --dataset pairs --kind labels --out labels.jsonl --no-names
export --dataset pairs --kind adjudications --out decided.json --format jsonl
export --dataset pairs --kind dataset --out whole.jsonl
export --dataset plain --kind labels --out nothing.jsonl
export --dataset talks --kind judgments --out parts --rows-per-file 10
export --dataset talks --kind judgments --out parts --rows-per-file 10
export --dataset talks --kind examples --card multi_turn_dialogue --out few.jsonl
export --dataset talks --kind examples --card card.json --out few.csv
# -- figures
audit --dataset talks
audit --dataset talks --all --every
audit --dataset seats --judge poor
audit --dataset 言葉 --json
audit --dataset nowhere
means --dataset seats
means --dataset seats --judge good --by topic
means --dataset seats --judge good --beside poor --by system --only topic=travel
means --dataset seats --judge good --beside good
means --dataset seats --judge good --only topic
means --dataset seats --judge good --only =a
means --dataset wide --json --by topic
means --dataset pairs
report --dataset 言葉 --out stray.html
report --dataset 言葉 --out stray.zip --figures
report --dataset 言葉 --epsilon 1
report --dataset 言葉 --out nowhere/stray.html
report --dataset seats
check --dataset gate
check --dataset gate --dimension turn.zz_help
check --dataset gate --dimension zz_whole --dimension zz_use
check --dataset gate --dimension none
check --dataset gate --url http://127.0.0.1:9
check --dataset 言葉 --json
check --dataset seats
# -- decisions
approve --dataset gate
approve --dataset gate --dimension zz_help
approve --dataset gate --dimension zz_safe --reason "It agrees."
approve --dataset gate --list
approve --dataset gate --dimension zz_help --reason "It may do." --propose --seen {mark} --as mia
approve --dataset gate --dimension zz_help --reason "It may do." --propose --seen {mark}
approve --dataset gate --list
dashboard --dataset gate --out dash.html
approve --dataset gate --dimension zz_help --reason "It agrees." --seen {mark} --as lou
approve --dataset gate --dimension none
approve --dataset gate --dimension "ZZ use" --decline --reason "Too few."
approve --dataset gate --dimension zz_help --suspend --reason "Found wrong." --as ann
approve --dataset gate --dimension zz_help --suspend --decline
approve --dataset gate --list
approve --dataset two --dimension zz_tone --decline --reason "Which?"
check --dataset gate --dimension zz_help --json
dashboard --dataset gate --out dash.html
dashboard --dataset gate --out nowhere/dash.html
dashboard --dataset gate --judge other --out dash.html
approve --dataset gate --dimension ZZ_help --unit turn --suspend --reason "Found wrong."
plan gate
plan empty --looks 100 120 --as lou
plan empty
plan empty --none
plan talks --looks 100 200
plan talks --looks 100 --none
plan talks --none
plan gate --looks 100
plan talks --looks 5 3
lead mia
lead --email Zoe@example.org --days 2
lead max --subject 2482897
lead --person max --subject 2482898
lead --days 0 --email max@example.org
invite --email kim@example.org --role researcher --days 3
invite --subject 99 --person ann
invite --email kim
invite
spare --dataset flags --dimension "ZZ harmful" --target .95
spare --dataset flags --dimension zz_harmful --target .95 --set --fill 5
spare --dataset flags --dimension zz_harmful --target .8 --source tokens
spare --dataset flags --dimension zz_harmful --target .8 --source self-reported
spare --dataset flags --dimension zz_harmful --target .4
spare --dataset flags --dimension zz_harmful --target .95 --set --as ann
spare --dataset flags --dimension zz_harmful --take-back
spare --dataset flags --dimension zz_harmful --take-back
spare --dataset flags --dimension none
spare --dataset seats --judge good --dimension helpfulness --near --target .6
spare --dataset seats --judge good --dimension helpfulness --target .6 --delta .5
spare --dataset gate --dimension zz_help
spare --dataset two --dimension zz_tone
spare --dataset two --dimension zz_tone --unit turn
progress --dataset flags
progress --dataset flags --csv --as ray
progress --dataset flags --as ann
token
token new ci --as ann
token new " "
token new both --scope read --scope check --days 3 --as ann
token new wrong --scope all
token list
token list --as ann
token revoke assay_
token revoke {token}
token revoke {token}
token list --as lou
# -- MT-Bench
mtbench protocol list
mtbench protocol show fastchat
mtbench protocol add mine.json
mtbench protocol add mine.json
mtbench protocol add ours.json
mtbench protocol add broken.json
mtbench protocol add gone.json
mtbench protocol list
mtbench protocol show mine --json
mtbench protocol show ours.json
mtbench protocol show none
mtbench prompts list
mtbench prompts show none
mtbench run --protocol fastchat --model practice-heuristic --plan
mtbench run --protocol fastchat --model practice-heuristic --plan --questions question.jsonl
mtbench run --protocol fastchat --model practice-heuristic --plan --answers-only --price 1 2
mtbench run --protocol fastchat --model x --judge y --plan --price 1 2 --judge-price 3 4 --pairs --dataset d
mtbench run --protocol fastchat --judge practice-length
mtbench run --protocol none --model practice-heuristic --plan
mtbench run --protocol mine --model practice-heuristic --judge practice-length --plan
mtbench run --protocol mine --model practice-heuristic --plan --questions question.jsonl judge_prompts.jsonl
mtbench prompts list
mtbench prompts show single-v1
mtbench protocol add mine.json
mtbench protocol show mine
mtbench experiment fastchat swallow --dataset talks --judges practice-heuristic gpt-4o
mtbench experiment fastchat swallow --dataset talks --judges practice-heuristic practice-length
import bench --dataset bench
mtbench run --protocol fastchat --judge practice-length --dataset bench --plan
mtbench experiment fastchat swallow --dataset bench --judges x y
mtbench experiment fastchat swallow --dataset bench --judges x y --price 1 2 --factors judge settings
# -- runs
run
run --dataset talks
run --dataset talks --model practice-constant --card nope
run --dataset plain --model practice-constant --card zz_made --temperature 9
run --dataset plain --model practice-constant --card zz_made --base-url ftp://x
run --dataset plain --model practice-constant --card zz_made --workers 2
run --dataset plain --model practice-constant --card zz_made --engine ray --batch
run --dataset plain --model practice-constant --card zz_made --dimension "a: b"
run --dataset plain --model unheard --card zz_made --spend 1
run --dataset plain --model practice-constant --card zz_made --dry-run --room 100
run --dataset plain --model practice-constant --card zz_made --dry-run --base-url {bad} --limit 1
run --dataset plain --model practice-constant --card zz_made --base-url {bad}
run --dataset plain --model practice-constant --card zz_made --only-unscored
run --dataset plain --model practice-constant --card zz_made
run --dataset plain --model practice-heuristic --card pointwise_quality --dimension "zz_warm: Warm?" --samples 2
run --dataset plain --model practice-constant --card zz_own --dimension "zz_odd: Odd?"
run --dataset plain --model practice-second --card zz_made --price 1000 1000 --spend 3 --concurrency 1
run --resume {run} --spend 100 --price 1000 1000
run --resume nothing
run --collect
"""
"""On a workspace with planted figures, which stays open."""


def test_help_says_in_every_place_what_it_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    terminal = Terminal("python -m data", main, capsys)
    terminal.help_of_all(commands(cli.__name__, cli.COMMANDS))
    check_archive(terminal.output, HELP, tmp_path, decimals=4)


@pytest.mark.slow
@pytest.mark.usefixtures("shipped_cards")
@pytest.mark.duckdb_only("what is said of files and revisions of a store")
def test_a_session_says_in_every_place_what_it_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bring_files(tmp_path)
    url = f"duckdb:///{tmp_path / 'a.duckdb'}"
    with practice() as server, practice("wrong_schema=1") as bad:
        settings = {"COLUMNS": "100", "ASSAY_STORE": url, "OPENAI_BASE_URL": server.url, "LOGNAME": "kim"}
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        for name in ("ASSAY_TOKEN", "ASSAY_PORT"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.chdir(tmp_path)
        masks = [(re.escape(str(tmp_path)), "(folder)"), *MASKS]
        terminal = Terminal("python -m data", main, capsys, masks, CATCH, url=url, bad=bad.url, server=server.url)
        terminal.run(SMALL)
        with workspace(tmp_path / "planted.duckdb"):
            terminal.run(SESSION)
            monkeypatch.setenv("ASSAY_TOKEN", "x")
            for at in ("http://127.0.0.1:9", "nonsense", "file:///etc/x", "{server}"):
                terminal(f"check --dataset gate --judge m --dimension zz_safe --url {at}")
    check_archive(terminal.output, ARCHIVE, tmp_path, decimals=4)


def bring_files(folder: Path) -> None:
    """Files that commands read: lines, good and bad, tables, mappings, cards, questions and protocols."""
    rows = [pair(), verdict("p1", "a"), label("p1", "tie"), pair("p2"), verdict("p2", "b"), label("p2", "b")]
    orphan_labels = [label(f"x{n}", "a") for n in range(3)]
    talks = [seeds.dialogue(n, turns=1) for n in range(1, 25)]
    judgments = [seeds.judgment(t, seeds.reply(t, helpfulness=1)) for t in talks]
    wit = {"name": "zz_fun", "unit": "response", "definition": "Fun?", "answers": {"kind": "flag"}}
    card = {"name": "zz_filed", "title": "Filed", "kind": "response", "dimensions": [wit]}
    fun = {"card": "zz_filed", "model": "m", "reply": {"response": {"zz_fun": {"score": True, "note": ""}}}}
    bench = [("writing", ["Write of Kyoto.", "Make it short."]), ("math", ["1+1?", "2+2?"])]
    files: dict[str, list[Any]] = {
        "rows.jsonl": rows,
        "bad.jsonl": [*rows, b"{", label("p1", "c"), pair("p3"), *orphan_labels],
        "worse.jsonl": [label("p1", "a", **{"k" * n: 1}) for n in range(1, 53)],
        "talks.jsonl": [*talks, *judgments],
        "more/other.jsonl": [pair("p4"), adjudication_line("p1", "a"), verdict("p4", "?")],
        "cards.jsonl": [{"id": "r1", "kind": "response", "task": "t", "output": "o"}, {"item": "r1", **fun}],
        "card.json": [card],
        "clash.json": [{**card, "name": "zz_clash", "dimensions": [{**wit, "name": "rating"}]}],
        "question.jsonl": [{"question_id": n, "category": c, "turns": t} for n, (c, t) in enumerate(bench, 1)],
        "judge_prompts.jsonl": family(),
        "bench/question.jsonl": [{"question_id": n, "category": c, "turns": t} for n, (c, t) in enumerate(bench, 1)],
        "bench/model_answer/m.jsonl": [
            {"question_id": n, "answer_id": f"a{n}", "model_id": "m", "tstamp": 1.0,
             "choices": [{"index": 0, "turns": ["One.", "Two."]}]} for n in (1, 2)
        ],
        "mine.json": [{"name": "mine", "prompts": "single-v1", "title": "Ours"}],
        "ours.json": [{"name": "mine", "prompts": "assay-japanese"}],
        "broken.json": [{"name": "mine", "samples": 0}],
    }
    tables = {
        "wide": ("id,question,answer,judge,human,system,topic",
                 [f"{n},Q{n},A {n},{1 + n % 5},{1 + n % 4},{'xy'[n % 2]},{'日月火'[n % 3]}" for n in range(24)]),
        "unclear": ("id,score_a,score_b", [f"{n},{1 + n % 5},{1 + n % 3}" for n in range(9)]),
        "stray": ("id,judge,human", [f"{n},{1 + n % 5},{1 + n % 3 if n else '?!'}" for n in range(9)]),
        "words": ("id,judge,human", [f"{n},{1 + n % 5},word{n} of its own" for n in range(30)]),
        "pairs": ("question,answer_a,answer_b,order,judge,human",
                  [f"Q{n},A{n},B{n},ab,{'AB'[n % 2]},{'ABB'[n % 3]}" for n in range(24)]),
        "people": ("item,criterion,rater,score", [f"{n},{criterion},{rater},{1 + n % 5}" for n in range(6)
                   for criterion in ("tone", "truth") for rater in ("gpt-4o", "ann")]),
        "plain": ("id,instruction,output", ["1,Say hi,hi", "2,Say ho,ho"]),
        "talks": ("id,note", ["1,a", "2,b"]),
    }  # fmt: skip
    for name, entries in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text(entries))
    seeds.write_tables(folder, tables)
    (folder / "latin.json").write_bytes(b"\xff\xfe")


@contextmanager
def workspace(path: Path) -> Iterator[Store]:
    """A workspace that all commands find open: to open and to close it takes longer than all else that they do.

    In `gate` a judge's dimensions are in every state, in `seats` one judge agrees and one does not, in `flags` it is
    sure where it is right, and in `two` two units have a dimension of the same name.
    """
    store = open_store(f"duckdb:///{path}")
    people.join_workspace(store, "lea")
    people.make_lead_locally(store, "lou")
    people.set_person(store, "lea", "ray", "researcher")
    people.set_person(store, "lea", "ann", "annotator")
    bring_card(store, "zz_gate", {"kind": "ordinal", "lo": 1, "hi": 5},
               zz_help="turn", zz_safe="turn", zz_use="turn", zz_whole="conversation")  # fmt: skip
    good = judged_cells(120, "zz_help")
    cells = [*good, *(replace(c, dimension="zz_safe", judge=3.0 + (c.people == (5.0,))) for c in good)]
    cells += judged_cells(20, "zz_use")
    cells += [Cell(n, "conversation", (4.0,), 4.0, probability=0.5, dimension="zz_whole") for n in range(30)]
    fill(store, cells, "gate", card="zz_gate")
    seats = crowd(24)
    seats[3].scores["poor"][:] = seats[4].scores["poor"][:] = seats[5].scores["good"][:] = ["unscored"] * 3
    add_seats(store, seats)
    flags, guard = add_flag_dataset(store, "lea", items=200, labelled=140)
    queue.draw_audit(store, "lea", flags, 6, guard, seed=1)
    assignments.assign(store, "ray", flags, "audit", Selection(), AssignmentTerms(people=("ann", "ray")))
    bring_card(store, "zz_two", {"kind": "flag"}, zz_tone="turn", also="conversation")
    tones = [Cell(n, unit, (1.0,), 1.0, dimension="zz_tone") for n in range(4) for unit in ("turn:1", "conversation")]
    fill(store, tones, "two", card="zz_two")
    fill(store, [Cell(n, "turn:1", (), 3.0) for n in range(120)], "empty")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(options, "open_store", lambda accept=False: store)
        patch.setattr(store, "close", lambda: None)
        yield store
    store.close()


def bring_card(store: Store, name: str, answers: dict[str, Any], **units: str) -> None:
    """A card of dialogues with a dimension of each name and unit; `also` has the name of the first."""
    first, *_ = units
    dimensions = [
        {"name": first if key == "also" else key, "unit": unit, "definition": "How far?", "answers": answers}
        for key, unit in units.items()
    ]
    cards.save_card(store, "lea", {"name": name, "title": name, "kind": "dialogue", "dimensions": dimensions})
