"""Records written as FastChat's files come in again as the very same records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from judges.errors import AssayError
from judges.importing.bench_files import read_bench
from judges.jsonl import Record
from judges.mtbench import parsing
from judges.mtbench.assembly import BenchFile, assemble, judge_key
from judges.mtbench.fastchat_files import _prompt_of, _score, fastchat_files, write_fastchat
from judges.mtbench.prompts import family_name, wording
from judges.mtbench.records import Answer, Bench, BenchQuestion, Game, Judge, PromptText, Rating, Vote
from judges.mtbench.rows import role_of
from tests.judges.mtbench.bench_rows import MATH, MULTI, SINGLE


def again(bench: Bench) -> Bench:
    """A Bench through FastChat's files, as rows of JSON."""
    bench_files = []
    for name, rows in fastchat_files(bench).items():
        lines = [json.loads(json.dumps(row)) for row in rows]
        role = role_of(name, frozenset(lines[0]))
        assert role, name
        bench_files.append(BenchFile(name, role, [Record(n, row) for n, row in enumerate(lines, 1)]))
    contents = assemble(bench_files)
    assert not contents.bad, contents.bad
    return contents.bench


def bench_fields(bench: Bench) -> dict[str, Any]:
    """Everything of a Bench, whatever the order of its rows."""
    return {
        field.name: dict(value) if isinstance(value := getattr(bench, field.name), Mapping) else sorted(value, key=repr)
        for field in fields(bench)
    }


QUESTIONS = {
    "81": BenchQuestion("81", "writing", ("Write a poem about rain.", "Shorter, please."), (), 0.7),
    "ja-2": BenchQuestion("ja-2", "math", ("What is 17 times 3?", "And times 4?"), ("51", "68")),
}
ANSWERS = {
    (q, m, c): Answer(
        q, m, c, (f"{m} says one to {q}, {c}.", f"<think>Hm</think>{m} says two, {c}."), 0 if c else None, c * 10
    )
    for q in QUESTIONS for m in ("org/a", "org__a", "b") for c in range(3 if m == "b" else 1)
}  # fmt: skip


def make_judge(model: str, prompt: str = "", word: str = "", protocol: str = "fastchat") -> Judge:
    return Judge(judge_key(model, prompt, word, protocol), model, prompt, word, protocol)


SINGLES, MATHS = (make_judge("gpt-4", "single-v1", wording(text)) for text in (SINGLE, MATH))
PAIRS, PLAIN, OTHER_JUDGE = (
    make_judge("gpt-4", "pair-v2", "abc"),
    make_judge("gpt4_pair"),
    make_judge("gpt-4o", "", "def", "swallow"),
)
PROMPTS = (
    PromptText("single-v1", "single", "s", SINGLE), PromptText("single-math-v1", "single", "s", MATH),
    PromptText("single-v1-multi-turn", "single", "s", MULTI), PromptText("single-v1", "single", "", MATH),
)  # fmt: skip
BENCH = Bench(
    QUESTIONS, ANSWERS, {"gpt-4": {"ja-2": ("It is 51.", "It is 68.")}, "org/j": {"ja-2": ("51.", "68.")}},
    {judge.id: judge for judge in (SINGLES, MATHS, PAIRS, PLAIN, OTHER_JUDGE)},
    (
        Rating(SINGLES.id, "81", "b", 0, 1, 0, "Good. [[8.5]]", 8.5),
        Rating(SINGLES.id, "81", "b", 0, 1, 1, "Good. [[8]]", 8.0),
        Rating(MATHS.id, "81", "b", 0, 1, 0, "Bad. [[2]]", 2.0),
        Rating(SINGLES.id, "ja-2", "b", 2, 2, 0, "None.", -1.0),
        Rating(SINGLES.id, "ja-2", "org/a", 0, 1, 0, "$ERROR$", -1.0, "the call to the judge failed"),
        Rating(OTHER_JUDGE.id, "81", "b", 1, 2, 0, "言う [[7]]", 7.0),
    ),
    (
        Game(PAIRS.id, "81", 1, "b", "org/a", "ba", "b", "I say [[A]]"),
        Game(PAIRS.id, "81", 1, "b", "org/a", "ab", "tie"),
        Game(PAIRS.id, "81", 2, "b", "org/a", "ab", "", "", "the call to the judge failed"),
        Game(PLAIN.id, "81", 1, "b", "org/a", "", "tie", "The two orders do not agree."),
        Game(PLAIN.id, "ja-2", 1, "b", "org/a", "", "a"),
    ),
    (Vote("expert_1", "expert", "81", 1, "b", "org/a", "b"), Vote("ann", "", "81", 2, "b", "org/a", "tie", 1.7e9)),
    PROMPTS,
)  # fmt: skip


def test_what_is_written_comes_in_again_unchanged() -> None:
    assert bench_fields(again(BENCH)) == bench_fields(BENCH)


def test_samples_of_one_copy_of_an_answer_stay_with_it() -> None:
    """Prompts do not tell copies apart, and judgments that name no choice go to one copy after the other."""
    copies = {("81", "b", c): Answer("81", "b", c, ("Rain.", "Short."), None, 0) for c in (0, 1)}
    places = [(choice, sample) for choice in (0, 1) for sample in (0, 1)]
    ratings = tuple(Rating(SINGLES.id, "81", "b", c, 1, n, "Good. [[8]]", 8.0) for c, n in places)
    bench = Bench({"81": QUESTIONS["81"]}, copies, {}, {SINGLES.id: SINGLES}, ratings, (), (), PROMPTS[:1])
    assert [(rating.choice, rating.sample) for rating in again(bench).ratings] == places


def test_the_files_are_those_that_fastchat_reads() -> None:
    files = fastchat_files(BENCH)
    assert set(files) == {
        "question.jsonl", "model_answer/org__a.jsonl", "model_answer/org__a-2.jsonl", "model_answer/b.jsonl",
        "reference_answer/gpt-4.jsonl", "reference_answer/org__j.jsonl", "judge_prompts.jsonl",
        "judge_prompts_2.jsonl", "model_judgment/gpt-4_single.jsonl", "model_judgment/gpt-4o_single.jsonl",
        "model_judgment/gpt-4_pair.jsonl", "model_judgment/gpt4_pair_pair.jsonl", "votes.jsonl",
    }  # fmt: skip
    assert files["question.jsonl"][0] == {
        "question_id": 81, "category": "writing", "turns": ["Write a poem about rain.", "Shorter, please."],
        "required_temperature": 0.7,
    }  # fmt: skip
    first, *_, failed = [row for row in files["model_judgment/gpt-4_single.jsonl"] if row["turn"] == 1]
    assert first == {
        "question_id": 81, "model": "b", "judge": ["gpt-4", "single-v1"],
        "user_prompt": SINGLE.format(question="Write a poem about rain.", answer="b says one to 81, 0."),
        "judgment": "Good. [[8.5]]", "score": 8.5, "turn": 1, "tstamp": 0.0, "choice": 0, "wording": SINGLES.wording,
    }  # fmt: skip
    assert (failed["judge"], failed["score"]) == (["gpt-4", "single-math-v1"], -1)
    assert failed["user_prompt"] == MATH.format(
        question="What is 17 times 3?", ref_answer_1="It is 51.", answer="org/a says one to ja-2, 0."
    )
    both, lone = files["model_judgment/gpt-4_pair.jsonl"]
    assert {name: both[name] for name in both if name.endswith(("winner", "_1", "_2", "_judgment"))} == {
        "model_1": "org/a", "model_2": "b", "g1_winner": "model_1", "g1_judgment": "I say [[A]]", "g2_winner": "tie",
        "g2_judgment": "",
    }  # fmt: skip
    assert (lone["g1_winner"], "g2_winner" in lone) == ("error", False)
    assert [row["winner"] for row in files["model_judgment/gpt4_pair_pair.jsonl"]] == ["tie (inconsistent)", "model_1"]


def test_a_name_longer_than_a_file_may_have_is_cut_there_and_whole_in_its_rows(tmp_path: Path) -> None:
    names = ["家のモデル" * 20 + end for end in ("一", "二")]
    bench = Bench(answers={("81", name, 0): Answer("81", name, 0, ("a",)) for name in names})
    files = [path.name for path in write_fastchat(bench, tmp_path / "new")]
    assert files == [f"{names[0][:60]}.jsonl", f"{names[0][:60]}-2.jsonl"]
    assert again(bench).answers == bench.answers


def test_a_folder_is_written_once(tmp_path: Path) -> None:
    assert len(write_fastchat(BENCH, tmp_path / "out")) == 13
    bench, _ = read_bench([tmp_path / "out"])
    assert bench_fields(bench) == bench_fields(BENCH)
    with pytest.raises(AssayError, match="not an empty folder"):
        write_fastchat(BENCH, tmp_path / "out")


def test_a_folder_that_could_not_be_written_whole_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was left of it was in the way of the next try."""
    rows = [{"a": 1}, {"a": object()}]
    with monkeypatch.context() as patch, pytest.raises(TypeError):
        patch.setattr("judges.mtbench.fastchat_files.fastchat_files", lambda bench: {"a/b.jsonl": rows})
        write_fastchat(BENCH, tmp_path / "out")
    assert not list(tmp_path.iterdir())
    (tmp_path / "out").mkdir()
    assert sorted(write_fastchat(BENCH, tmp_path / "out")) == sorted((tmp_path / "out").rglob("*.jsonl"))


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs")), min_size=1, max_size=8)
TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=30)


@st.composite
def benches(draw: st.DrawFn) -> Bench:
    models = draw(st.lists(NAMES, min_size=2, max_size=4, unique=True))
    ids = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    questions = {
        question: BenchQuestion(question, draw(st.sampled_from(["math", "writing", ""])), ("q1", "q2"))
        for question in ids
    }
    keys = [(q, m, c) for q in ids for m in models for c in range(draw(st.integers(1, 3)))]
    answers = {key: Answer(*key, (draw(TEXTS), draw(TEXTS))) for key in keys}
    words = st.sampled_from(["", "0" * 12, "a" * 12])
    families = st.sampled_from(["single-v1", "pair-v2", "own"])
    judges = [make_judge(draw(NAMES), draw(families), draw(words)) for _ in range(draw(st.integers(1, 3)))]
    judges = list({judge.id: judge for judge in judges}.values())
    ratings, games = [], []
    for judge in judges:
        if judge.prompt != "pair-v2":
            for key in draw(st.lists(st.sampled_from(keys), max_size=4, unique=True)):
                for sample in range(draw(st.integers(1, 2))):
                    turn = ratings[-1].turn if sample else draw(st.integers(1, 2))
                    stated = float(draw(st.integers(-1, 10)))
                    text = draw(TEXTS)
                    error = "the call to the judge failed" * (parsing.ERROR in text)
                    ratings.append(Rating(judge.id, *key, turn, sample, text, stated, error))
        else:
            a, b = sorted(models[:2])
            verdicts = st.sampled_from(["a", "b", "tie"])
            texts = TEXTS.filter(lambda text: text != parsing.ERROR)
            games += [Game(judge.id, ids[0], 1, a, b, order, draw(verdicts), draw(texts)) for order in ("ab", "ba")]
    used = {row.judge for row in (*ratings, *games)}
    judges_by_id = {judge.id: judge for judge in judges if judge.id in used}
    return Bench(questions, answers, {}, judges_by_id, tuple(ratings), tuple(games))


@settings(max_examples=40)
@given(benches())
def test_any_records_come_in_again_unchanged(bench: Bench) -> None:
    assert bench_fields(again(bench)) == bench_fields(bench)


def test_every_name_of_a_prompt_is_of_its_family() -> None:
    files = fastchat_files(BENCH)
    names = {row["judge"][1] for name in files if "judgment/gpt-4_" in name for row in files[name]}
    assert {family_name(name) for name in names} == {"single-v1", "pair-v2"}


@pytest.mark.parametrize(
    ("stated", "text", "number"),
    [(6.5, "[[7]]", 6.5), (6.0, "", 6), (None, "So: [[7]]", 7), (None, "no rating", -1), (None, " ", -1)],
)
def test_a_rating_is_what_its_file_states_else_what_its_text_says(stated: Any, text: str, number: float) -> None:
    assert _score(Rating("j", "1", "m", 0, 1, 0, text, stated)) == number


def test_the_only_turn_of_a_question_has_a_prompt_and_one_beyond_it_none() -> None:
    template = "Q {question} A {answer}"
    judge = Judge("j", "gpt", "single-v1", wording(template))
    bench = Bench(
        questions={"1": BenchQuestion("1", "writing", ("why?",))},
        answers={("1", "m", 0): Answer("1", "m", 0, ("so",))},
        prompts=(PromptText("single-v1", "single", "s", template),),
    )
    prompts = [_prompt_of(bench, judge, Rating("j", "1", "m", 0, turn, 0, "", None)) for turn in (1, 2)]
    assert prompts == ["Q why? A so", ""]
