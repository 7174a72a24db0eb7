"""A protocol run end to end at an endpoint that records every call: what is asked, in which order, and what is kept."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.importing.files.source import from_bytes
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.mtbench import mtbench, protocol_run, questions
from data.mtbench.answers import ProtocolRun, check_answer_target
from data.records import datasets, people
from data.runs import runs
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed
from data.workspace.verify import verify
from judges.client.budget import dollars
from judges.client.endpoint import Endpoint
from judges.client.errors import FatalError
from judges.client.estimate import Estimate
from judges.mtbench.protocol import Protocol, protocols
from judges.mtbench.records import Bench, BenchQuestion
from judges.tokens import tokens
from judges.types import Dialogue
from tests import seeds
from tests.data.imports import text
from tests.data.mtbench.recorder import answering, is_judging, recording
from tests.fork_server import Forked
from tests.judges.endpoint import Say, Served
from tests.pages.desk_driver import patiently

ROOT = Path(__file__).resolve().parents[3]
FASTCHAT, SWALLOW = protocols()["fastchat"], protocols()["swallow"]
SHORT = SWALLOW.model_copy(update={"name": "short", "samples": 3})
BENCH = Bench(
    {
        "81": BenchQuestion("81", "writing", ("Write a post.", "Make it short.")),
        "111": BenchQuestion("111", "math", ("1+1?", "2+2?"), ("own 2", "own 4")),
        "7": BenchQuestion("7", "math", ("Roll a die.", "Again."), (), 0.5),
    },
    references={"j": {"111": ("It is 2", "It is 4")}},
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"duckdb:///{tmp_path / 'a.duckdb'}")
    people.join_workspace(opened, "lea")
    yield opened
    runs.close(opened)
    opened.close()


def make_run(store: Store, url: str, protocol: Protocol = FASTCHAT, **changes: Any) -> ProtocolRun:
    question_set = questions.keep_questions(store, "lea", "question.jsonl", BENCH)
    at = Endpoint(base_url=url, tries=1, concurrency=4)
    return replace(ProtocolRun(protocol, "answers", question_set.id, "m", "j", False, (), at, at), **changes)


def run_steps(store: Store, order: ProtocolRun, resume: bool = False) -> list[tuple[str, str]]:
    """Every step to its end: (step, state of its run)."""
    return [(step, runs.wait(store, run).state) for step, run in protocol_run.steps(store, "lea", order, resume)]


def sent_requests(served: Served, judging: bool) -> list[tuple[float, tuple[tuple[str, str], ...]]]:
    return [
        (body["temperature"], tuple((m["role"], m["content"]) for m in body["messages"]))
        for body in served.bodies
        if is_judging(body) == judging
    ]


def test_fastchat_answers_and_judges_as_its_table_says(store: Store) -> None:
    with recording() as served:
        order = make_run(store, served.url)
        planned = {entry.step: entry.estimate for entry in protocol_run.plan(store, order)}
        assert (planned["answers"].calls, planned["ratings"].calls) == (6, 6)
        assert planned["ratings"].cost is None, "nobody knows what j costs"
        assert run_steps(store, order) == [("answers", "finished"), ("ratings", "finished")]
        requests = sent_requests(served, judging=False)
        assert Counter(requests) == Counter(
            [
                (heat, messages)
                for heat, first, second in (
                    (0.7, "Write a post.", "Make it short."), (0.0, "1+1?", "2+2?"), (0.5, "Roll a die.", "Again."),
                )
                for messages in (
                    (("user", first),),
                    (("user", first), ("assistant", f"answer 0 to {first}"), ("user", second)),
                )
            ]
        )  # fmt: skip
        assert {body["max_tokens"] for body in served.bodies} == {1024, 2048}
        judged = sent_requests(served, judging=True)
        assert len(judged) == 6 and {heat for heat, _ in judged} == {0.0}
        # The second turn of the three questions is shown with the first: 9 answers of 400 tokens were expected, and
        # came with 20 to 28 characters.
        real = sum(tokens(content) + 4 for _, messages in judged for _, content in messages)
        assert planned["ratings"].tokens_in == pytest.approx(real + 9 * (400 - 24 / 3), abs=30)
        with_reference = [messages for _, messages in judged if "It is 2" in messages[-1][1]]
        assert len(with_reference) == 2, "both turns of the question in math, and no other"
        assert not any("own 2" in messages[-1][1] for _, messages in judged), "a question's own reference is for people"
        assert {body["model"] for body in served.bodies} == {"m", "j"}
        count = len(served.bodies)
        with pytest.raises(BadInput, match="Nothing is left"):
            run_steps(store, order)
        assert len(served.bodies) == count
    [dataset] = datasets.all_datasets(store)
    bench = mtbench.load_bench(store, dataset.id)
    assert sorted(bench.answers) == [("111", "m", 0), ("7", "m", 0), ("81", "m", 0)]
    assert len(bench.ratings) == 6 and {rating.stated for rating in bench.ratings} == {7.0}
    assert {judge.protocol for judge in bench.judges.values()} == {FASTCHAT.mark}
    assert verify(store) == []


def test_swallow_asks_five_where_it_is_warm_and_judges_every_copy(store: Store) -> None:
    with recording() as served:
        order = make_run(store, served.url, SWALLOW)
        planned = {entry.step: entry.estimate for entry in protocol_run.plan(store, order)}
        # Two warm questions: 2 turns x 5 samples each; the one in math: 2 calls. Judged: 3 x 2 turns x 5.
        assert (planned["answers"].calls, planned["ratings"].calls) == (22, 30)
        assert run_steps(store, order) == [("answers", "finished"), ("ratings", "finished")]
        requests = sent_requests(served, judging=False)
        assert len(requests) == 22 and all(messages[0] == ("system", SWALLOW.system) for _, messages in requests)
        second = [messages for _, messages in requests if messages[-1] == ("user", "Make it short.")]
        assert len(second) == 5 and {messages[2][1] for messages in second} == {"answer 0 to Write a post."}
        judged = Counter(messages[-1][1] for _, messages in sent_requests(served, judging=True))
        assert sum(judged.values()) == 30
    [dataset] = datasets.all_datasets(store)
    bench = mtbench.load_bench(store, dataset.id)
    assert len(bench.answers) == 15
    copies = {answer.turns for key, answer in bench.answers.items() if key[0] == "111"}
    assert copies == {("answer 0 to 1+1?", "answer 0 to 2+2?")}
    warm = [bench.answers["81", "m", n] for n in range(5)]
    assert [answer.continues for answer in warm] == [None, 0, 0, 0, 0]
    assert {answer.turns[0] for answer in warm} == {f"answer {n} to Write a post." for n in range(5)}
    assert len(bench.ratings) == 30


def test_two_models_are_compared_in_both_orders(store: Store) -> None:
    with recording() as served:
        first = make_run(store, served.url, judge="")
        assert run_steps(store, first) == [("answers", "finished")]
        second = replace(first, model="m2", judge="j", pairs=True)
        assert {entry.step: entry.estimate.calls for entry in protocol_run.plan(store, second)} == {
            "answers": 6, "ratings": 12, "verdicts": 12,
        }  # fmt: skip
        assert [step for step, _ in run_steps(store, second)] == ["answers", "ratings", "verdicts"]
        assert len(served.bodies) == 6 + 6 + 12 + 12
    [dataset] = datasets.all_datasets(store)
    games = mtbench.load_bench(store, dataset.id).games
    assert len(games) == 12 and {(game.a, game.b) for game in games} == {("m", "m2")}
    # The judge always says A: the first that it is shown, which is the other one in the other order.
    assert Counter((game.order, game.winner) for game in games) == {("ab", "a"): 6, ("ba", "b"): 6}
    assert {(game.question, game.turn) for game in games} == {(q, t) for q in ("81", "111", "7") for t in (1, 2)}


def test_what_is_there_and_what_will_come_are_planned_together(store: Store) -> None:
    with recording() as served:
        order = make_run(store, served.url, judge="", price=(1.0, 2.0), judge_price=(3.0, 4.0))
        run_steps(store, order)
    both = replace(order, model="m2", judge="j", pairs=True)
    [existing, alone] = protocol_run.plan(store, replace(both, model="", questions=""))
    assert (alone.step, alone.estimate.calls) == ("verdicts", 0), "one model is compared with none"
    [_, coming, _] = protocol_run.plan(store, replace(both, dataset="another"))
    [answers, ratings, verdicts] = planned = protocol_run.plan(store, both)
    first, second, total = existing.estimate, coming.estimate, ratings.estimate
    for name in ("items", "judgments", "calls", "tokens_in", "tokens_out", "cost", "max_cost", "counted"):
        assert getattr(first, name) > 0 and getattr(second, name) > 0
        assert getattr(total, name) == pytest.approx(getattr(first, name) + getattr(second, name)), name
    lines = protocol_run.describe_plan(store, both, planned)
    steps = [answers.estimate, ratings.estimate, verdicts.estimate]
    tokens_in, tokens_out = sum(e.tokens_in for e in steps), sum(e.tokens_out for e in steps)
    paid, most = sum(e.cost or 0.0 for e in steps), sum(e.max_cost or 0.0 for e in steps)
    assert lines[3] == (
        f"Together: 30 calls, about {tokens_in:,} tokens in and {tokens_out:,} out, about {dollars(paid)}, at the "
        f"very most {dollars(most)}."
    )
    assert [line.partition(",")[0] for line in lines[:3]] == [
        "Answers by m2: 6 calls for 3 questions",
        "Ratings of turns by j: 12 calls for 12 turns",
        "Verdicts on pairs by j: 12 calls for 6 pairs",
    ]
    unpriced = replace(both, judge_price=None)
    lines = protocol_run.describe_plan(store, unpriced, protocol_run.plan(store, unpriced))
    assert lines[1].endswith(", price not known.") and lines[3].endswith(", price not known.")


def test_a_judge_that_is_not_there_is_named_before_answers_are_paid_for(store: Store) -> None:
    with recording() as served:
        order = make_run(store, served.url, judge_endpoint=Endpoint(base_url="http://127.0.0.1:9", tries=1))
        with pytest.raises(FatalError, match="cannot be reached"):
            run_steps(store, order)
        assert served.bodies == [] and runs.list_runs(store) == []


def test_what_cannot_be_run_is_refused_before_anybody_is_asked(store: Store) -> None:
    with recording() as served:
        order = make_run(store, served.url)
        for changes, why in (
            ({"model": "", "judge": ""}, "Say which model answers"), ({"questions": ""}, "Say which questions"),
            ({"spending_limit": 0.0}, "spending limit"),
        ):  # fmt: skip
            with pytest.raises(BadInput, match=why):
                next(protocol_run.steps(store, "lea", replace(order, **changes)))
    assert served.bodies == [] and runs.list_runs(store) == []


def test_a_judge_that_no_list_names_is_tried_by_a_call_which_is_paid_for(store: Store) -> None:
    with recording(models=("m",)) as served:
        steps = protocol_run.steps(store, "lea", make_run(store, served.url))
        step, run_id = next(steps)
        runs.wait(store, run_id)
        steps.close()
    assert step == "answers" and [body["model"] for body in served.bodies if is_judging(body)] == []
    tried = [body for body in served.bodies if body["model"] == "j"]
    assert len(tried) == 1 and store.rows("select run_id, calls from charge where sort = 'trial'") == [("", 1)]


def test_a_dry_run_stores_nothing_but_that_ratings_were_shown_of_answers_that_are_there(store: Store) -> None:
    with recording() as served:
        order = make_run(store, served.url, SHORT)
        calls = protocol_run.dry_run_protocol(store, "lea", order)
        # A warm question and the cold one with its reference; two samples of the warm one, two turns each.
        assert [step for step, _ in calls] == ["answers"] * 2 + ["ratings"] * (2 * 2 + 2 * 2)
        assert len(served.bodies) == (2 * 2 + 2) + 8
        for table in ("reply", "judgment", "exposure", "run"):
            assert store.rows(f"select count(*) from {table}") == [(0,)]
        assert datasets.all_datasets(store) == []
        people.join_workspace(store, "ann")
        count = len(served.bodies)
        for act in (protocol_run.dry_run_protocol, protocol_run.steps):
            with pytest.raises(NotAllowed):
                list(act(store, "ann", order))
        assert len(served.bodies) == count, "an annotator asks nothing"
        run_steps(store, order)
        protocol_run.dry_run_protocol(store, "lea", order)
    # Two warm samples, and all three of the cold one, as they are copies of each other.
    assert store.rows("select count(*), count(distinct item_id), min(route) from exposure") == [(5, 5, "dry run")]


def test_question_items_are_nowhere_among_datasets(store: Store) -> None:
    question_set = questions.keep_questions(store, "lea", "question.jsonl", BENCH)
    assert questions.keep_questions(store, "lea", "question.jsonl", BENCH) == question_set
    assert datasets.all_datasets(store) == [] and mtbench.bench_datasets(store) == []
    assert [
        question.meta["question_id"] for question in questions.load_questions(store, question_set.id).values()
    ] == ["7", "81", "111"]
    changed = BenchQuestion("81", "writing", ("Another.", "Wording."))
    other = replace(BENCH, questions={**BENCH.questions, "81": changed})
    assert questions.keep_questions(store, "lea", "question.jsonl", other).id != question_set.id


def test_a_second_protocol_has_a_dataset_of_its_own(store: Store) -> None:
    with recording() as served:
        order = make_run(store, served.url, judge="")
        run_steps(store, order)
        count = len(served.bodies)
        with pytest.raises(BadInput, match="Give another dataset"):
            run_steps(store, replace(order, protocol=SHORT))
        with pytest.raises(BadInput, match="holds answers by the protocol fastchat@"):
            run_steps(store, replace(order, protocol=SHORT, model="j"))
        assert len(served.bodies) == count, "nothing is paid for that could not be kept"
        # Protocols that ask alike share the answers: only judging differs, so nothing is asked.
        judged_alike = FASTCHAT.model_copy(update={"name": "alike", "judge_temperature": 0.3})
        with pytest.raises(BadInput, match="Nothing is left"):
            run_steps(store, replace(order, protocol=judged_alike, dataset="other"))
        assert len(served.bodies) == count
        assert {dataset.name for dataset in datasets.all_datasets(store)} == {"answers", "other"}


def test_answers_from_elsewhere_stand_in_the_way_of_those_of_the_same_model_alone(store: Store) -> None:
    own = make_run(store, "http://127.0.0.1/v1")
    item = seeds.dialogue(1, 1) | {"system": "m", "meta": {"question_id": "of another bench"}}
    import_source(store, "lea", from_bytes([("m.jsonl", text([item]))]), ImportPlan("answers"))
    assert not check_answer_target(store, replace(own, model="other"), "")
    with pytest.raises(BadInput, match="holds answers of m that came from elsewhere"):
        check_answer_target(store, own, "")


def test_answers_to_another_wording_stand_in_the_way_whoever_gave_them(store: Store) -> None:
    own = make_run(store, "http://127.0.0.1/v1")
    item = seeds.dialogue(1, 2) | {"system": "x", "meta": {"question_id": "81"}}
    import_source(store, "lea", from_bytes([("m.jsonl", text([item]))]), ImportPlan("answers"))
    with pytest.raises(BadInput, match=r"holds answers to another wording of question 81\. Give another dataset\."):
        check_answer_target(store, own, "")


def test_an_endpoint_that_dies_in_turn_two_loses_nothing(store: Store) -> None:
    dead: list[bool] = []

    def dying(body: dict[str, Any], nth: int) -> Say:
        if not is_judging(body) and len(body["messages"]) > 2 and not dead:
            return Say(status=500, body={"error": {"message": "gone"}})
        return answering(body, nth)

    with recording(dying) as served:
        order = make_run(store, served.url, SHORT)
        with pytest.raises(BadInput, match=r"no answers to judge in answers\. 3 questions without one: api error\."):
            run_steps(store, order)
        state = Counter(str(r[0]) for r in store.rows("select unscored from judgment where part = ''"))
        assert state == {"api_error": 3} and datasets.all_datasets(store) == []
        first = [messages for _, messages in sent_requests(served, judging=False) if len(messages) == 2]
        dead.append(True)
        assert run_steps(store, order) == [("answers", "finished"), ("ratings", "finished")]
        again = [messages for _, messages in sent_requests(served, judging=False) if len(messages) == 2]
        assert again == first, "no first turn was asked again"
    [dataset] = datasets.all_datasets(store)
    assert len(mtbench.load_bench(store, dataset.id).answers) == 9


def test_a_limit_that_is_reached_between_answers_and_judging(store: Store) -> None:
    with recording() as served:
        # At $1 a token a call costs 100 + 20, and may cost its 1,024 (a judge's 2,048) at most. Six answers cost $720,
        # which leaves no room for a judge's call.
        order = make_run(store, served.url, price=(1e6, 1e6), judge_price=(1e6, 1e6), spending_limit=2500.0)
        assert run_steps(store, order) == [("answers", "finished"), ("ratings", "stopped")]
        assert len(served.bodies) == 6
        with pytest.raises(BadInput, match=r"ended before its time \(stopped\)\. Go on"):
            run_steps(store, order)
        with pytest.raises(BadInput, match=r"\$720.00 of the spending limit of \$700.00 is spent"):
            run_steps(store, replace(order, spending_limit=700.0), resume=True)
        assert run_steps(store, replace(order, spending_limit=90_000.0), resume=True) == [("ratings", "finished")]
        assert len(served.bodies) == 12 and len({str(body["messages"]) for body in served.bodies}) == 12
    [rating, _] = runs.list_runs(store)
    assert (rating.cost, rating.limit) == (720.0, 90_000.0 - 720.0), "the limit is that of all steps together"


def test_a_limit_includes_all_runs_of_a_step_that_came_to_their_end(store: Store) -> None:
    """A question fails twice, so that three runs, which all finish, answer the others and then this one."""
    is_down = True

    def say(body: dict[str, Any], nth: int) -> Say:
        fails = is_down and not is_judging(body) and "Roll a die." in str(body["messages"])
        return Say(status=500) if fails else answering(body, nth)

    with recording(say, models=("m", "m2", "j")) as served:
        order = make_run(store, served.url, price=(1e6, 1e6), judge_price=(1e6, 1e6), spending_limit=90_000.0)
        answers_only = replace(order, judge="")
        assert run_steps(store, answers_only) == [("answers", "finished")]
        other = replace(answers_only, model="m2")
        assert run_steps(store, other, resume=True) == [("answers", "finished")]
        assert run_steps(store, order, resume=True) == [("answers", "finished"), ("ratings", "finished")]
        is_down = False
        assert run_steps(store, order, resume=True) == [("answers", "finished"), ("ratings", "finished")]
    listed = [(run.model, run.cost, run.limit) for run in reversed(runs.list_runs(store))]
    assert listed == [
        ("m", 480.0, 90_000.0), ("m2", 480.0, 90_000.0), ("m", 0.0, 90_000.0 - 480), ("j", 960.0, 90_000.0 - 480),
        ("m", 240.0, 90_000.0 - 480 - 960), ("j", 240.0, 90_000.0 - 480 - 960 - 240),
    ]  # fmt: skip


def test_answers_that_came_since_a_judging_run_was_stopped_are_judged_after_it_is_resumed(store: Store) -> None:
    with recording() as served:
        order = make_run(store, served.url, price=(1e6, 1e6), judge_price=(1e6, 1e6), spending_limit=2500.0, pairs=True)
        assert run_steps(store, order) == [("answers", "finished"), ("ratings", "stopped")]
        other = replace(order, model="m2", spending_limit=None)
        assert run_steps(store, replace(other, judge="")) == [("answers", "finished")]
        resumed = replace(other, spending_limit=90_000.0)
        ends = [("ratings", "finished"), ("ratings", "finished"), ("verdicts", "finished")]
        assert run_steps(store, resumed, resume=True) == ends
        assert [planned.estimate.judgments for planned in protocol_run.plan(store, resumed)] == [0, 0, 0]
    totals = [run.judgments for run in runs.list_runs(store) if run.card == "mt_bench"]
    assert totals == [6, 6], "each rates the answers of one model"


def test_what_a_step_may_still_be_charged_counts_for_the_limit_of_the_next(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = runs.wait
    monkeypatch.setattr(protocol_run.runs, "wait", lambda store, run_id: replace(really(store, run_id), open=100.0))
    with recording() as served:
        order = make_run(store, served.url, price=(1e6, 1e6), judge_price=(1e6, 1e6), spending_limit=90_000.0)
        assert run_steps(store, order) == [("answers", "finished"), ("ratings", "finished")]
    assert runs.list_runs(store)[0].limit == 90_000.0 - (720.0 + 100.0)


CHILD = """
import sys
from data.mtbench import protocol_run
from data.runs import runs
from data.store import open_store
from tests.data.mtbench.test_protocol_run import SHORT, make_run
url, resume = sys.argv[1:]
store = open_store()
for step, run in protocol_run.steps(store, "lea", make_run(store, url, SHORT), resume == "yes"):
    print(step, runs.wait(store, run).state, flush=True)
store.close()
"""


@pytest.mark.slow
@pytest.mark.duckdb_only("its lease would have to run out first; test_run_kills.py waits for that")
def test_a_killed_process_asks_nothing_twice_that_was_stored_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "k.duckdb"
    opened = open_store(f"duckdb:///{path}")
    people.join_workspace(opened, "lea")
    opened.close()
    environment = {**os.environ, "ASSAY_STORE": f"duckdb:///{path}", "PYTHONPATH": str(ROOT)}

    def slow(body: dict[str, Any], nth: int) -> Say:
        return replace(answering(body, nth), after=0.3)

    with recording(slow) as served:

        def child(resume: str) -> subprocess.Popen[str]:
            command = [sys.executable, "-c", CHILD, served.url, resume]
            return Forked(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)

        def stored_replies() -> list[tuple[Any, ...]]:
            again = open_store(f"duckdb:///{path}")
            rows = again.rows("select item_id, part, piece, raw from reply where unscored = '' order by 1, 2, 3")
            again.close()
            return rows

        process = child("no")
        while len(served.bodies) < 11 and process.poll() is None:  # in the middle of turn 2
            time.sleep(0.01)
        assert process.poll() is None, process.communicate()
        process.kill()
        process.wait()
        replies = stored_replies()
        again = open_store(f"duckdb:///{path}")
        assert run_steps(again, make_run(again, served.url, SHORT), resume=True) == [
            ("answers", "finished"), ("ratings", "finished"),
        ]  # fmt: skip
        runs.close(again)
        again.close()
        assert [row for row in stored_replies() if row in replies] == replies and len(replies) >= 3
        # 14 calls for answers (2 warm questions x 2 turns x 3 samples, 2 of the cold one), 18 of the judge; what was
        # under way or not stored yet at the kill (at most 4 calls each) is asked once more.
        assert 32 <= len(served.bodies) <= 32 + 8
    again = open_store(f"duckdb:///{path}")
    [dataset] = datasets.all_datasets(again)
    bench = mtbench.load_bench(again, dataset.id)
    assert len(bench.answers) == 9 and len(bench.ratings) == 18 and verify(again) == []
    again.close()


def test_what_happened_to_an_answer_is_kept_beside_it(store: Store) -> None:
    def odd(body: dict[str, Any], nth: int) -> Say:
        prompt = body["messages"][-1]["content"]
        replies = {
            "Write a post.": Say("It is bec", finish="length"),
            "Make it short.": Say(None, message={"refusal": "I will not."}),
            "1+1?": Say("", finish="content_filter"),
            "Roll a die.": Say(""),
            "Again.": Say(status=400, body={"error": {"message": "maximum context length is 10 tokens"}}),
        }
        return answering(body, nth) if is_judging(body) else replies[prompt]

    with recording(odd) as served:
        order = make_run(store, served.url)
        assert run_steps(store, order) == [("answers", "finished"), ("ratings", "finished")]
        assert "2+2?" not in str(served.bodies), "what follows a text that never came is not asked"
        assert len(served.bodies) == 5 + 2
        again = {entry.step: entry.estimate.judgments for entry in protocol_run.plan(store, order)}
        assert again == {"answers": 1, "ratings": 2}, "only the call that failed is open, and what follows from it"
        [_, rest] = protocol_run.plan(store, replace(order, judge_price=(1.0, 2.0)))
        estimate = rest.estimate
        assert (
            (estimate.items, estimate.calls, estimate.counted) == (1, 2, 1)
            and estimate.tokens_in > 0
            and estimate.tokens_out > 0
        )
        assert estimate.cost is not None and estimate.max_cost is not None and 0 < estimate.cost <= estimate.max_cost
    counts = Counter(str(r[0]) for r in store.rows("select unscored from judgment where part = ''"))
    assert counts == {"": 1, "refused": 1, "api_error": 1}
    [item] = store.rows("select i.content from item i join dataset d on d.id = i.dataset_id where d.purpose is null")
    answer = Dialogue.model_validate_json(item[0])
    assert [t.text for t in answer.turns if t.role == "assistant"] == ["It is bec", "I will not."]
    assert (answer.meta["cut_off"], answer.meta["refused"]) == ([1], [2])


def test_what_a_run_is_a_step_of_is_remembered_for_the_next_start(store: Store) -> None:
    with recording() as served:
        order = make_run(store, served.url, SHORT, spending_limit=9.0, price=(0.1, 0.2), judge_price=(1.0, 2.0))
        run_id = protocol_run.start_protocol(store, "lea", order)
        while len(runs.list_runs(store)) < 2 or any(run.state == "running" for run in runs.list_runs(store)):
            time.sleep(0.05)
        assert protocol_run.of_run(store, run_id) == order
        assert [run.state for run in runs.list_runs(store)] == ["finished", "finished"]
        assert protocol_run.of_run(store, "none") is None


def test_what_stops_a_later_step_that_nobody_waits_for_is_in_the_log(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_answers(*_: Any) -> Any:
        raise BadInput("There are none.")

    monkeypatch.setattr(protocol_run.answers, "stored_answers", no_answers)
    with recording() as served:
        protocol_run.start_protocol(store, "lea", make_run(store, served.url, SHORT))
        assert patiently(lambda: any(record.msg == "mtbench_broke_off" for record in caplog.records))
    [facts] = [record.__dict__["facts"] for record in caplog.records if record.msg == "mtbench_broke_off"]
    assert facts["dataset"] == "answers"


def test_the_same_questions_from_two_sets_are_answered_once(store: Store) -> None:
    with recording() as served:
        order = make_run(store, served.url, judge="")
        run_steps(store, order)
        bare = replace(BENCH, references={})
        same = questions.keep_questions(store, "lea", "question.jsonl", bare)
        assert same.id != order.questions
        [answered] = protocol_run.plan(store, replace(order, questions=same.id))
        assert answered.estimate == Estimate(0, 0, 0, 0, 0, 0.0, 0.0, 0), "nothing, which is free"
        assert run_steps(store, replace(order, questions=same.id, judge="j")) == [("ratings", "finished")]
        two = {key: BENCH.questions[key] for key in ("81", "7")}
        fewer = questions.keep_questions(store, "lea", "q", replace(bare, questions=two))
        assert protocol_run.plan(store, replace(order, questions=fewer.id))[0].estimate.calls == 0
        more = questions.keep_questions(
            store,
            "lea",
            "q",
            replace(bare, questions={**BENCH.questions, "9": BenchQuestion("9", "writing", ("New?",))}),
        )
        with pytest.raises(BadInput, match="from another set of them"):
            protocol_run.plan(store, replace(order, questions=more.id))


@pytest.mark.parametrize(("named", "expected"), [("", True), ("own", False), ("none", False)])
def test_answers_hold_the_references_of_the_set_that_a_protocol_asks_for(
    store: Store, named: str, expected: bool
) -> None:
    protocol = FASTCHAT.model_copy(update={"name": "named", "references": named})
    with recording() as served:
        run_steps(store, make_run(store, served.url, protocol, judge=""))
    query = "select content from item where dataset_id in (select id from dataset where purpose is null)"
    contents = str(store.rows(query))
    assert "answer 0 to 1+1?" in contents and ("It is 2" in contents) == expected


def test_of_references_that_differ_a_judge_is_shown_its_own(store: Store) -> None:
    def turns(*texts: str, **more: Any) -> list[dict[str, Any]]:
        return [{"question_id": 1, "choices": [{"index": 0, "turns": list(texts)}], **more}]

    files = {
        "question.jsonl": [{"question_id": 1, "category": "math", "turns": ["1+1?", "2+2?"]}],
        "m.jsonl": turns("two", "four", model_id="m"),
        "reference_a.jsonl": turns("FIRST", "FIRST", model_id="a"),
        "reference_j.jsonl": turns("OWN", "OWN", model_id="j"),
    }  # fmt: skip
    source = from_bytes([(name, text(rows)) for name, rows in files.items()])
    import_source(store, "lea", source, ImportPlan("d", sampling="all"))
    with recording(models=("j", "k")) as served:
        for judge, reference in (("j", "OWN"), ("k", "FIRST")):
            served.bodies.clear()
            order = make_run(store, served.url, dataset="d", questions="", model="", judge=judge)
            assert run_steps(store, order) == [("ratings", "finished")]
            prompts = [messages[-1][1] for _, messages in sent_requests(served, judging=True)]
            assert len(prompts) == 2 and all(reference in prompt for prompt in prompts)
            assert not any({"OWN": "FIRST", "FIRST": "OWN"}[reference] in prompt for prompt in prompts)
