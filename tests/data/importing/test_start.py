"""`start`: files of strangers come in without a mapping by hand, and what was taken for granted can be corrected."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from data.cards import cards
from data.cli import main
from data.importing import start
from data.importing.detection.plan_proposal import previous_mapping, propose_plan
from data.importing.files.source import from_bytes
from data.importing.importing import detect_formats, import_source
from data.importing.mapping_texts import mapping_key
from data.importing.plan import ImportPlan
from data.importing.report import ImportRefused
from data.records import exposure, people
from data.store import Store, open_store
from data.store.errors import BadInput
from data.store.ids import now
from judges.authoring.card_lookup import spell_scale
from judges.authoring.recipe import RecipeScale
from judges.cards import cards as folder
from judges.cli import main as judges_main
from judges.importing import interpretation
from judges.importing import table_contents as contents
from judges.importing.interpretation import Interpretation, interpret_contents
from judges.types import Dimension, Scale
from tests.archives import compare_archive
from tests.data.imports import workspace

N = 40


def table(**columns: list[Any]) -> bytes:
    """A CSV file of columns."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue().encode()


def numbers(*cells: Any) -> list[Any]:
    """The cells again and again, N in all."""
    return [cells[n % len(cells)] for n in range(N)]


IDS = [f"x{n}" for n in range(N)]
TEXTS = {"prompt": [f"q{n}" for n in range(N)], "response": [f"a{n} because" for n in range(N)]}


def read(store: Store, files: dict[str, bytes], *columns: list[str]) -> Interpretation:
    """The first reading of files; `columns` are the columns of judges, and those of people."""
    source = from_bytes(list(files.items()))
    return start.interpret_source(store, source, detect_formats(source), *columns)


def bring(store: Store, files: dict[str, bytes], dataset: str = "d", **options: Any) -> Any:
    """The files in the workspace, as they were read first."""
    source = from_bytes(list(files.items()))
    detected = detect_formats(source)
    plan = start.plan_import(store, start.interpret_source(store, source, detected), ImportPlan(dataset))
    return import_source(store, "lea", source, plan, detected=detected, **options)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    store = workspace(tmp_path)
    yield store
    store.close()


@pytest.mark.parametrize(
    ("columns", "kind", "expected"),
    [
        ({"id": IDS, "judge_score": numbers("3.0", "5.0", "1.0"), "human_score": numbers(3, 4, 1)}, "response",
         [("judge", "rating", "1-5"), ("person", "rating", "1-5")]),
        ({**TEXTS, "llm_verdict": numbers("pass", "fail"), "human": numbers("Pass", "Fail", "Fail")}, "response",
         [("judge", "rating", "yes/no"), ("person", "rating", "yes/no")]),
        ({"id": IDS, "gpt-4o_rating": numbers(0.25, 0.3333), "expert": numbers(0, 1, 0.5)}, "response",
         [("judge", "rating", "0-1"), ("person", "rating", "0-1")]),
        ({"id": IDS, "judge": numbers("poor", "good"), "annotator_1": numbers("Good", "fair"),
          "annotator_2": numbers("good", "poor", "fair")}, "response",
         [("judge", "rating", "poor|fair|good"), ("person", "rating", "poor|fair|good"),
          ("person", "rating", "poor|fair|good")]),
        ({**TEXTS, "answer_a": TEXTS["response"], "answer_b": TEXTS["prompt"], "judge_winner": numbers("A", "B", "tie"),
          "human_winner": numbers("model_a", "model_b")}, "pair",
         [("judge", "verdict", "a, tie, b"), ("person", "verdict", "a, tie, b")]),
        ({"id": IDS, "gpt4_result": numbers("1", "2", "Tie"), "human": numbers("0", "1", "2")}, "pair",
         [("judge", "verdict", "a, tie, b"), ("person", "verdict", "a, tie, b")]),
    ],
)  # fmt: skip
def test_what_columns_are_is_found_out(
    store: Store, columns: dict[str, list[Any]], kind: str, expected: list[tuple[str, str, str]]
) -> None:
    columns = {name: cells for name, cells in columns.items() if not (kind == "pair" and name == "response")}
    outline = read(store, {"t.csv": table(**columns)})
    assert outline.tables["t.csv"].kind == kind
    actual = [(s.by, s.dimension, spell_scale(s.answers) if s.answers else "") for s in outline.series]
    assert actual == expected
    assert not (set(columns) - {"category"}) & set(outline.tables["t.csv"].meta)
    done = bring(store, {"t.csv": table(**columns)})
    assert done.preview.new.labels == N * sum(by == "person" for by, *_ in expected)
    assert not done.preview.unscored
    assert bring(store, {"t.csv": table(**columns)}).preview.new.total == 0



def test_a_column_that_is_named_and_not_there_is_told(store: Store) -> None:
    table = {"t.csv": b"id,judge,human\n1,4,5\n2,3,3\n"}
    with pytest.raises(BadInput, match="has no column 'nope'"):
        read(store, table, ["nope"], [])
    with pytest.raises(BadInput, match="can be one of them only"):
        read(store, table, ["judge"], ["judge"])
    with pytest.raises(BadInput, match="It holds no table"):
        read(store, {"a.jsonl": b'{"id": "r1", "kind": "response", "task": "t", "output": "o"}\n'}, ["judge"])


def test_kappa_of_two_columns_is_scikit_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/new.duckdb")
    human, judge = numbers(1, 2, 3, 4, 5, 5, 2), numbers(1, 3, 3, 5)
    (tmp_path / "mine.csv").write_bytes(table(nr=list(range(N)), richter=judge, mensch=human))
    assert main(["start", str(tmp_path / "mine.csv"), "--no-serve"]) == 0
    output = capsys.readouterr().out
    assert f"quadratic kappa {cohen_kappa_score(human, judge, weights='quadratic'):.3f}" in output
    assert "/calibration?dataset=mine&judge=" in output


@pytest.mark.parametrize(("name", "weights"), [("judge", "quadratic"), ("judge_score", "quadratic"), ("winner", None)])
def test_numbers_to_two_are_a_scale_or_verdicts_by_their_name_and_kappa_on_files_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, weights: str | None
) -> None:
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/new.duckdb")
    human, judge = numbers(0, 1, 2, 2, 1, 2, 0), numbers(0, 1, 1, 2)
    file = tmp_path / "mine.csv"
    file.write_bytes(table(id=IDS, **{f"llm_{name}": judge, "human": human}))
    kappa = f"{cohen_kappa_score(human, judge, weights=weights):.3f}"
    assert main(["start", str(file), "--no-serve"]) == 0
    assert f"{'quadratic ' if weights else ': '}kappa {kappa}" in capsys.readouterr().out
    assert judges_main(["agree", str(file)]) == 0
    assert f" {N} {kappa} " in " ".join(capsys.readouterr().out.split())


def test_rows_may_name_judge_person_and_question(store: Store) -> None:
    rows = [
        (item, question, rater, 1 + (n + len(rater)) % 5)
        for n, item in enumerate(IDS) for question in ("tone", "truth") for rater in ("gpt-4o", "ann", "ben")
    ]  # fmt: skip
    cells = list(zip(*rows, strict=True))
    files = {"t.csv": table(item_id=cells[0], criterion=cells[1], rater=cells[2], score=cells[3])}
    outline = read(store, files)
    assert [(s.rater, s.dimension, s.count) for s in outline.series if s.rater == "ann"] == [
        ("ann", "tone", 0), ("ann", "truth", 0),  # how many of the rows are hers nobody has counted
    ]  # fmt: skip
    done = bring(store, files)
    preview = done.preview
    assert (preview.new.items, preview.new.judgments, preview.new.labels, preview.known.total) == (N, N, 4 * N, 0)
    assert store.rows("select distinct dimension from score order by 1") == [("tone",), ("truth",)]
    assert store.rows("select distinct annotator from label order by 1") == [("ann",), ("ben",)]


def test_people_of_one_name_in_several_columns_are_several(store: Store) -> None:
    """By their names human_ann and human_ben are both a human's answers; each is somebody."""
    files = {"t.csv": table(id=IDS, judge=numbers(1, 2, 3), human_ann=numbers(1, 2), human_ben=numbers(3, 1))}
    outline = read(store, files, ["judge"], ["human_ann", "human_ben"])
    plan = start.plan_import(store, outline, ImportPlan("d"))
    source = from_bytes(list(files.items()))
    assert import_source(store, "lea", source, plan).preview.new.labels == 2 * N
    counted = "select annotator, count(*) from label_now group by 1 order by 1"
    assert store.rows(counted) == [("human_ann", N), ("human_ben", N)]


def test_what_is_said_of_a_dialogue_in_each_of_its_rows_is_said_once(store: Store) -> None:
    cells = {"dialogue_id": [f"d{n // 4}" for n in range(N)], "user": [f"q{n}" for n in range(N)]}
    cells |= {"assistant": [f"a{n}" for n in range(N)], "judge_tone": numbers(1, 2, 3), "human_tone": numbers(2, 3)}
    overall = {f"{by}_overall": [1 + (n // 4) % 3 for n in range(N)] for by in ("judge", "human")}
    new = bring(store, {"t.csv": table(**cells, **overall)}).preview.new
    assert (new.items, new.judgments, new.labels) == (N // 4, N // 4, N + N // 4)
    assert store.rows("select max(sample) from judgment") == [(0,)]


def test_numbers_and_words_of_one_question_have_no_scale_and_it_is_said_why(store: Store) -> None:
    with pytest.raises(BadInput, match=r"No scale fits the values of judge \(judge has 1 to 3; human has bad, good\)"):
        bring(store, {"t.csv": table(id=IDS, judge=numbers(1, 2, 3), human=numbers("good", "bad"))})


def test_an_id_that_is_too_long_for_a_name_is_cut_and_stays_one_of_its_own(store: Store) -> None:
    ids = [f"{'x' * 400}{n}" for n in range(N)]
    new = bring(store, {"t.csv": table(id=ids, judge=numbers(1, 2, 3), human=numbers(2, 3))}).preview.new
    assert (new.items, new.labels) == (N, N)


def test_what_is_unclear_is_asked_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/new.duckdb")
    file = tmp_path / "two.csv"
    file.write_bytes(table(id=IDS, score_a=numbers(1, 2, 3), score_b=numbers(1, 3, 3)))
    assert main(["start", str(file), "--no-serve"]) == 1
    assert "--judge COLUMN and --human COLUMN" in capsys.readouterr().err
    assert main(["start", str(file), "--no-serve", "--judge", "score_b", "--human", "score_a"]) == 0
    assert "score_b: a judge's answers" in capsys.readouterr().out


def test_what_is_unclear_beside_what_is_clear_is_told_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/new.duckdb")
    folder = tmp_path / "both"
    folder.mkdir()
    (folder / "clear.csv").write_bytes(table(id=IDS, human=numbers(1, 2, 3), judge=numbers(2, 2, 3)))
    (folder / "two.csv").write_bytes(table(id=IDS, score_a=numbers(1, 2, 3), score_b=numbers(1, 3, 3)))
    assert main(["start", str(folder), "--no-serve"]) == 0
    assert "score_a" in capsys.readouterr().out
    store = open_store()
    assert store.rows("select count(*), count(distinct annotator) from label") == [(N, 1)]
    store.close()


def test_a_stray_word_among_numbers_is_one_problem_and_the_rest_can_be_taken(store: Store) -> None:
    files = {"t.csv": table(id=IDS, judge=numbers(1, 2, 3), human=["bad", *numbers(1, 2, 3)[1:]])}
    with pytest.raises(BadInput, match="'bad' is no answer here: allowed are"):
        bring(store, files)
    done = bring(store, files, on_error="good rows")
    assert (done.preview.new.labels, done.preview.rejected) == (N - 1, 1)


def test_texts_that_a_judge_gives_now_and_then_are_no_scale_however_many_they_are(store: Store) -> None:
    judge = [f"could not parse {n}" if n % 4 == 0 else 1 + n % 5 for n in range(N)]
    files = {"t.csv": table(id=IDS, judge=judge, human=numbers(1, 2, 3, 4, 5))}
    assert [spell_scale(s.answers) for s in read(store, files).series if s.answers] == ["1-5", "1-5"]
    preview = bring(store, files).preview
    assert (preview.new.labels, preview.unscored) == (N, {"out_of_range": N // 4})


def test_a_few_stray_numbers_are_off_the_scale_and_do_not_make_it(store: Store) -> None:
    judge, human = numbers(1, 2, 3, 4, 5) * 5, numbers(2, 3, 4, 5, 1) * 5
    judge[150], human[160] = -1, 9.5
    files = {"t.csv": table(id=[f"x{n}" for n in range(5 * N)], judge=judge, human=human)}
    assert [(s.answers and spell_scale(s.answers), s.why) for s in read(store, files).series] == [
        ("1-5", "few and far off the others, so not on the scale: -1"),
        ("1-5", "few and far off the others, so not on the scale: 9.5"),
    ]
    with pytest.raises(BadInput, match=r"line 162: value: '9.5' is no answer here: allowed are 1 to 5"):
        bring(store, files)
    preview = bring(store, files, on_error="good rows").preview
    assert (preview.new.labels, preview.rejected, preview.unscored) == (5 * N - 1, 1, {"out_of_range": 1})
    again = bring(store, files, on_error="good rows").preview.new
    assert (again.items, again.judgments, again.labels, again.cards) == (0, 0, 0, 0)


def test_codes_for_a_missing_answer_are_no_answers_unless_a_scale_has_them(store: Store) -> None:
    human = [99, 1, 2, 3, 4, 5, 4, 3, 2, 1] * 20
    files = {"t.csv": table(id=[f"x{n}" for n in range(200)], judge=[1, 2, 3, 4, 5] * 40, human=human)}
    outline = read(store, files)
    assert [(s.count, s.why) for s in outline.series] == [
        (200, ""), (180, "taken for missing, unless you write a scale that has them: 99")
    ]
    assert outline.sampling == "unknown"
    done = bring(store, files)
    assert (done.preview.new.labels, done.preview.rejected) == (180, 0)


def test_a_scale_that_has_the_codes_for_a_missing_answer_makes_them_answers(store: Store) -> None:
    human = [99, 1, 2, 3, 4, 5, 4, 3, 2, 1] * 20
    files = {"t.csv": table(id=[f"x{n}" for n in range(200)], judge=[1, 2, 3, 4, 5] * 40, human=human)}
    outline, wide = read(store, files), RecipeScale(kind="interval", lo=0, hi=100, step=1)
    series = interpretation.share_scales([replace(s, answers=wide) for s in outline.series], {})
    assert not any(s.why for s in series)
    plan = start.plan_import(store, replace(outline, series=series), ImportPlan("wide"))
    done = import_source(store, "lea", from_bytes(list(files.items())), plan)
    assert (done.preview.new.labels, done.preview.rejected) == (200, 0)


def test_verdicts_of_a_judge_in_words_and_of_people_in_letters_are_one_question(store: Store) -> None:
    sides = {"answer_a": TEXTS["response"], "answer_b": TEXTS["prompt"]}
    judge, human = numbers("A is better", "Response B", "[[A]]", "[[C]]"), numbers("A", "B", "A", "C")
    files = {"t.csv": table(prompt=TEXTS["prompt"], **sides, judge_verdict=judge, human_verdict=human)}
    bring(store, files)
    scores = store.rows("select value, count(*) from score group by 1 order by 1")
    assert scores == [(0.0, 20), (1.0, 10), (2.0, 10)]
    labels = store.rows("select value, count(*) from label_now group by 1 order by 1")
    assert labels == scores


def talks(speakers: str, rated: str) -> bytes:
    """Dialogues of four utterances by these speakers, of which those with an x are rated."""
    rows = [(f"d{n // 4}", speakers.split()[n % 4], f"says {n}") for n in range(4 * N)]
    answers = [n * 7 % 5 + 1 if rated[n % 4] == "x" else "" for n in range(4 * N)]
    ids, names, texts = (list(cells) for cells in zip(*rows, strict=True))
    return table(conversation_id=ids, speaker=names, text=texts, judge=answers, human=answers)


@pytest.mark.parametrize(
    ("speakers", "rated", "roles", "labels"),
    [
        ("Doctor Patient Doctor Patient", "x-x-", {"doctor": "assistant", "patient": "user"}, 2 * N),
        ("USR SYS USR SYS", "xxxx", {"usr": "user", "sys": "assistant"}, 2 * N),
        ("Mia Tom Ann Tom", "-x-x", {"mia": "user", "tom": "assistant", "ann": "user"}, 2 * N),
        ("Mia Tom Mia Tom", "x---", {"mia": "user", "tom": "assistant"}, N),  # said of the whole dialogue
        ("user assistant user assistant", "xxxx", {}, 2 * N),
    ],
)
def test_speakers_in_rows_of_utterances_have_roles(
    store: Store, speakers: str, rated: str, roles: dict[str, str], labels: int
) -> None:
    files = {"t.csv": talks(speakers, rated)}
    assert read(store, files).tables["t.csv"].roles == roles
    done = bring(store, files).preview
    assert (done.new.items, done.new.labels, done.rejected) == (N, labels, 0)
    of_users = [sentence for sentence in done.warnings if "beside what a user says are left out" in sentence]
    assert [sentence.split()[1] for sentence in of_users] == (["160"] if rated == "xxxx" else [])


def test_speakers_of_whom_the_assistant_is_not_known_are_named_and_refused(store: Store) -> None:
    files = {"t.csv": talks("Mia Tom Ann Tom", "---x")}
    assert any("the speakers mia, tom, ann in speaker is the assistant" in s for s in read(store, files).assumptions)
    with pytest.raises(BadInput, match="The role must be user, assistant, system or tool"):
        bring(store, files)


def test_preferences_whose_sides_are_chats_have_their_last_messages(store: Store) -> None:
    first = {"role": "user", "content": "q"}
    rows = [
        {"chosen": [first, {"role": "assistant", "content": f"good {n}"}],
         "rejected": [first, {"role": "assistant", "content": f"bad {n}"}], "judge": "ab"[n % 2], "human": "ab"[n // 2]}
        for n in range(4)
    ]  # fmt: skip
    bring(store, {"t.json": json.dumps(rows).encode()})
    contents_of_items = [json.loads(content) for (content,) in store.rows("select content from item")]
    assert {item["input"] for item in contents_of_items} == {"q"}
    assert {item["response_a"]["text"] for item in contents_of_items} == {f"good {n}" for n in range(4)}
    assert {item["response_b"]["text"] for item in contents_of_items} == {f"bad {n}" for n in range(4)}


def test_a_mapping_that_was_kept_is_that_of_the_table_whatever_fields_its_objects_have() -> None:
    assert mapping_key(["id", "judge", "judge.score", "judges.x"]) == mapping_key(["id", "judge", "judges.x"])
    assert mapping_key(["id", "judge"]) != mapping_key(["id", "judge_score"])


def test_a_header_of_two_rows_names_each_column_by_both(store: Store) -> None:
    head = "id,Human,,LLM,\n,style,tone,style,tone\n"
    rows = "".join(f"x{n},{n % 5 + 1},{n % 3 + 1},{n % 4 + 1},{n % 2 + 1}\n" for n in range(N))
    done = bring(store, {"t.csv": (head + rows).encode()})
    assert (done.preview.new.items, done.preview.new.labels, done.preview.rejected) == (N, 2 * N, 0)
    for source, values in (("label_now", [5, 3]), ("score", [4, 2])):
        rows_of_source = store.rows(f"select dimension, max(value) from {source} group by 1 order by 1")
        assert rows_of_source == list(zip(("style", "tone"), values, strict=True))


def test_rows_of_qualtrics_below_the_header_are_no_answers(store: Store) -> None:
    head = 'id,judge,human\nid,How good?,How good?\n"{""ImportId"":""a""}","{""ImportId"":""b""}",""\n'
    rows = "".join(f"x{n},{n % 5 + 1},{n % 3 + 1}\n" for n in range(N))
    done = bring(store, {"t.csv": (head + rows).encode()})
    assert (done.preview.new.items, done.preview.new.labels, done.preview.rejected) == (N, N, 0)


def test_one_person_has_an_answer_in_each_column_of_a_row(store: Store) -> None:
    sides = {"prompt": TEXTS["prompt"], "response_1": TEXTS["response"], "response_2": TEXTS["prompt"]}
    rated = {"response_1_rating": numbers(1, 2, 3), "response_2_rating": numbers(3, 5, 1)}
    done = bring(store, {"t.csv": table(**sides, annotator_email=numbers("a@s.com", "b@s.com"), **rated)})
    assert done.preview.new.labels == 2 * N and not done.preview.warnings


@pytest.mark.parametrize("column", [dict.fromkeys("0123", 4), [4, 4, 4, 4]])
def test_an_object_of_columns_is_refused_with_what_to_do(store: Store, column: Any) -> None:
    content = json.dumps(dict.fromkeys(("id", "question", "answer", "judge", "human"), column)).encode()
    with pytest.raises(BadInput, match=r"with pandas, to_json\(orient='records'\)"):
        read(store, {"t.json": content})


def test_objects_in_cells_are_texts_of_items_and_answers_with_their_reasons(store: Store) -> None:
    runs = {
        "inputs": [json.dumps({"question": f"q{n}"}) for n in range(N)],
        "outputs": [json.dumps({"sources": ["s"], "answer": f"a{n}"}) for n in range(N)],
        "judge": [json.dumps({"score": n % 5 + 1, "reason": f"r{n}", "tokens": n}) for n in range(N)],
        "human": numbers(1, 2, 3, 4, 5),
    }
    files = {"t.csv": table(id=IDS, **runs)}
    outline = read(store, files)
    assert [(s.name, s.rater, s.reason) for s in outline.series] == [
        ("judge.score", "judge", "judge.reason"), ("human", "human", "")
    ]
    assert read(store, files, ["judge"], ["human"]).series == outline.series
    bring(store, files)
    assert store.rows("select min(value), max(value), count(*) from score") == [(1.0, 5.0, N)]
    assert ("r7",) in store.rows("select text from remark")
    (content,) = store.rows("select content from item where name = 'x7'")[0]
    assert (json.loads(content)["task"], json.loads(content)["output"]) == ("q7", "a7")


def test_the_scale_of_a_column_can_be_said(store: Store) -> None:
    source = from_bytes([("t.csv", table(id=IDS, judge=numbers(1, 2, 3), human=numbers(1, 2, 5)))])
    scales = {"human": RecipeScale(kind="ordinal", lo=1, hi=10)}
    outline = start.interpret_source(store, source, detect_formats(source), scales=scales)
    assert [spell_scale(s.answers) for s in outline.series if s.answers] == ["1-10", "1-10"]
    with pytest.raises(BadInput, match=r"has no answers called 'id'\. It has: judge, human\."):
        start.interpret_source(store, source, detect_formats(source), scales={"id": scales["human"]})


@pytest.mark.parametrize(
    ("scale", "sentence"),
    [("1-10", "names no column"), ("human=1-1", "its ends must differ"), ("human=many", "is not a scale")],
)
def test_a_scale_that_is_said_wrongly_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], scale: str, sentence: str
) -> None:
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path / 'new.duckdb'}")
    (tmp_path / "t.csv").write_bytes(table(id=IDS, judge=numbers(1, 2, 3), human=numbers(1, 2, 5)))
    assert main(["start", str(tmp_path / "t.csv"), "--no-serve", "--scale", scale]) == 1
    assert sentence in capsys.readouterr().err


def test_rows_that_sum_up_a_spreadsheet_are_no_items_and_make_no_scale(store: Store) -> None:
    rows = "".join(f"x{n},{n % 5 + 1},{n % 3 + 1}\n" for n in range(N))
    sheet = {"t.csv": f"id,judge_score,human_score\n{rows}Total,120,80\nMean,3.0,2.0\n".encode()}
    assert {spell_scale(s.answers) for s in read(store, sheet).series if s.answers} == {"1-5"}
    done = bring(store, sheet)
    assert (done.preview.new.items, done.preview.new.labels, done.preview.rejected) == (N, N, 0)
    assert "t.csv: 2 rows (Total, Mean) are left out, as they sum up others." in done.preview.warnings


def test_stray_numbers_are_answers_on_a_scale_that_a_person_writes(store: Store) -> None:
    human = [-1, *numbers(1, 2, 3, 4, 5), *numbers(1, 2, 3, 4, 5)]
    outline = read(store, {"t.csv": table(id=[f"x{n}" for n in range(2 * N + 1)], human=human, judge=human)})
    assert all(s.why for s in outline.series)
    wide = RecipeScale(kind="interval", lo=-1, hi=5, step=1)
    settled = interpretation.share_scales([replace(s, answers=wide) for s in outline.series], {})
    assert [(s.answers, s.why) for s in settled] == [(wide, "")] * 2


@pytest.mark.parametrize("side", ["judge", "human"])
def test_a_table_with_a_stray_word_adds_nothing_the_second_time(store: Store, side: str) -> None:
    columns = {"judge": numbers(1, 2, 3, 4, 5), "human": numbers(2, 3, 4, 5, 1)}
    columns[side][7] = "error"
    files = {"t.csv": table(id=IDS, **columns)}
    bring(store, files, on_error="good rows")
    new = bring(store, files, on_error="good rows").preview.new
    assert (new.items, new.judgments, new.labels, new.cards) == (0, 0, 0, 0)
    assert store.rows("select distinct dimension from score union select dimension from label") == [("rating",)]


def test_answers_in_objects_below_rows_that_cannot_be_read_are_a_judges(store: Store) -> None:
    rows = [{"id": f"q{n}", "judge": {"score": n % 5 + 1}, "human": n % 4 + 1} for n in range(20)]
    file = b'{"cut\n' * 25 + b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    new = bring(store, {"t.jsonl": file}, on_error="good rows").preview.new
    assert (new.judgments, new.labels) == (20, 20)


def test_the_command_takes_good_rows_only_where_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/good.duckdb")
    file = tmp_path / "t.csv"
    file.write_bytes(table(id=IDS, human=[*numbers(1, 2, 3, 4, 5)[:-1], "?!"], judge=numbers(2, 3, 4, 5, 1)))
    assert main(["start", str(file), "--no-serve"]) == 1
    assert "(--good-rows)" in capsys.readouterr().err
    assert main(["start", str(file), "--no-serve", "--good-rows"]) == 0
    store = open_store()
    assert store.rows("select count(*) from label") == [(N - 1,)]
    store.close()


def test_texts_beside_what_is_nobodys_answer_come_in_as_the_refusal_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/texts.duckdb")
    file, mapping = tmp_path / "t.csv", tmp_path / "mapping.json"
    file.write_bytes(table(id=IDS, **TEXTS, redacted=numbers("false", "true")))
    assert main(["start", str(file), "--no-serve"]) == 1
    assert "`python -m data import FILE --suggest` writes a mapping without them" in capsys.readouterr().err
    assert main(["import", str(file), "--suggest"]) == 0
    mapping.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["import", str(file), "--dataset", "d", "--mapping", str(mapping), "--as", "lea"]) == 0
    assert capsys.readouterr().out.startswith(f"Added {N} items, 0 judgments and 0 labels to d;")


def test_the_command_reads_a_file_as_the_format_that_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the hint says that is given where columns of a vote of MT-Bench are none of FastChat's."""
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/format.duckdb")
    file = tmp_path / "v.jsonl"
    sides = numbers("model_a", "model_b", "tie")
    rows = [{"question_id": n, "model_a": "x", "model_b": "y", "winner": sides[n], "gpt4": sides[-n]} for n in range(N)]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["start", str(file), "--no-serve"]) == 1
    assert "(--format table)" in capsys.readouterr().err
    assert main(["start", str(file), "--no-serve", "--format", "table"]) == 0
    assert "gpt4, verdict: kappa" in capsys.readouterr().out


def test_a_question_of_the_workspace_is_taken_where_its_scale_fits(store: Store) -> None:
    fits = {"id": IDS, "judge_factuality": numbers(2, 4), "human_factuality": numbers(3, 4)}
    outline = read(store, {"t.csv": table(**fits)})
    assert start.plan_import(store, outline, ImportPlan("d")).mappings[0].judgments[0].card == "rubric_open_ended"
    other = {**fits, "human_factuality": numbers(0.5, 4)}
    outline = read(store, {"t.csv": table(**other)})
    assert {s.dimension for s in outline.series} == {"factuality_2"}


def test_a_name_that_is_taken_twice_gets_a_number(store: Store) -> None:
    """Three tables of a judge and a person without a name of a question, on three scales."""
    for dataset, cells in (("one", (1, 2, 5)), ("two", ("yes", "no")), ("three", ("poor", "fair", "good"))):
        bring(store, {"t.csv": table(id=IDS, judge=numbers(*cells), human=numbers(*cells, *cells[:1]))}, dataset)
    dimensions = store.rows("select distinct dimension from label order by 1")
    assert dimensions == [("rating",), ("rating_3",), ("response_rating",)]


def test_scales_and_questions_that_do_not_meet_are_told(store: Store) -> None:
    outline = read(store, {"t.csv": table(id=IDS, judge=numbers(10, 60, 100), human=numbers(1, 3, 5))})
    assert [assumption for assumption in outline.assumptions if "scales" in assumption] == [
        "judge goes up to 100 and people's numbers up to 5: if these are two scales, kappa of them means nothing. "
        "Bring them to one first."
    ]
    parts = read(store, {"t.csv": table(id=IDS, judge=numbers("55%", "92%"), human=numbers(0.5, 1))})
    assert {(s.answers.lo, s.answers.hi) for s in parts.series if s.answers} == {(0, 1)}
    assert not parts.assumptions  # per cent are parts of 1 here
    disjoint_table = table(id=IDS, judge=numbers(1, 5), human_tone=numbers(1, 3), human_style=numbers(2, 4))
    assert (
        "Judges answer rating and people style, tone: no question has answers of both, so there is no figure. "
        "Give the two the same question on the Import page."
    ) in read(store, {"t.csv": disjoint_table}).assumptions
    matching_outline = read(store, {"t.csv": table(id=IDS, judge_truth=numbers(1, 5), human_truth=numbers(1, 3, 5))})
    assert not [
        assumption
        for assumption in matching_outline.assumptions
        if "scales" in assumption or "Judges answer" in assumption
    ]
    two = read(store, {"t.csv": table(id=IDS, judge_tone=numbers(1, 5), human_style=numbers(1, 3, 5))})
    assert {s.dimension for s in two.series} == {"tone"}  # of two names the judge's
    alone = read(store, {"t.csv": table(id=IDS, judge_tone=numbers(1, 5), judge_style=numbers(1, 3, 5))})
    assert [s.dimension for s in alone.series] == ["tone", "style"]  # two questions to a judge, of whom no person spoke


def test_how_far_the_reading_of_a_long_table_is_is_told(store: Store) -> None:
    source = from_bytes([("t.csv", table(id=[f"x{n}" for n in range(4_100)], human=[1, 2] * 2_050))])
    reports: list[tuple[int, int, int]] = []
    start.interpret_source(store, source, detect_formats(source), progress=lambda *report: reports.append(report))
    assert [lines for *_, lines in reports] == [2_000, 4_000]
    assert all(0 < done <= size == source.size for done, size, _ in reports)


def test_what_is_kept_of_the_cells_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short ones whole, long texts and objects cut; of many values none unless almost all are numbers."""
    row = {"n": 7, "none": None, "short": "a", "long": "b" * 301, "held": {"a": [1]}, "wide": ["c" * 301]}
    row |= {"list": [{"a": "d" * 301}] * 21, "large": {f"a{n}": ["e" * 80] * 20 for n in range(20)}}
    table = contents.summarize_rows("t", list(row), [row]).tables["t"]
    wide, long_list, large = ["c" * 80], [{"a": "d" * 80}] * 20, str(row["large"])[:300]
    assert table.rows == [{**row, "long": "b" * 300, "wide": wide, "list": long_list, "large": large}]
    monkeypatch.setattr(contents, "_MAX_DISTINCT_CELLS", 5)
    words = [f"w{n}" for n in range(95)]
    for last, expected in ((range(5, 100), [0, 1, 2, 3, 4, 0, 99]), (words, []), ([*range(5, 80), *words[:20]], [])):
        cells = [*range(5), *last]
        column = contents.summarize_rows("t", ["x"], [{"x": cell} for cell in cells]).tables["t"].columns["x"]
        assert (column.count, column.many, column.cells) == (100, True, expected)
    cells = [*range(80), *[True] * 20]
    column = contents.summarize_rows("t", ["x"], [{"x": cell} for cell in cells]).tables["t"].columns["x"]
    assert (column.many, column.cells) == (True, []), "yes and no are no numbers"
    for long, expected in (("w" * 80, ["a", "w" * 80]), ("w" * 81, []), ({"a": 1}, []), ([1], [])):
        column = contents.summarize_rows("t", ["x"], [{"x": "a"}, {"x": long}]).tables["t"].columns["x"]
        assert (column.count, column.cells) == (2, expected), "a column with one text is of texts"


def test_which_rows_of_a_table_are_kept_below_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with a column that begins late, until it has enough cells, and those with an id of the first ones."""
    monkeypatch.setattr(contents, "MAX_FIRST_ROWS", 4)
    monkeypatch.setattr(contents, "_CELLS_PER_COLUMN", 4)
    rows: list[dict[str, Any]] = [{"id": f"x{n}", "late": "" if n in (0, 1, 2, 5) else "w"} for n in range(12)]
    rows += [{"id": "x2", "late": "w"}, {"id": "x7", "late": "w"}, {"id": "y", "new": 1}]

    def row_indexes() -> list[int]:
        return [rows.index(row) for row in contents.summarize_rows("t", list(rows[0]), rows).tables["t"].rows]

    assert row_indexes() == [0, 1, 2, 3, 4, 6, 7, 12, 14]
    monkeypatch.setattr(contents, "_MAX_LATER_ROWS", 2)
    assert row_indexes() == [0, 1, 2, 3, 4, 6, 12], "two for a late column, two for an id that comes again"


def test_files_that_speak_of_each_others_items_are_joined_whatever_their_order(store: Store) -> None:
    texts = table(id=IDS, response_a=TEXTS["prompt"], response_b=TEXTS["response"], human=numbers("a", "b", "tie"))
    judged = table(id=IDS, gpt_result=numbers("1", "2", "0"))
    done = bring(store, {"1.csv": judged, "2.csv": texts})
    assert (done.preview.new.items, done.preview.new.judgments, done.preview.new.labels) == (N, N, N)
    assert store.rows("select count(*) from item where content like '%because%'") == [(N,)]


def test_items_without_texts_are_no_copies_of_one_another(store: Store) -> None:
    bring(store, {"t.csv": table(id=IDS, judge=numbers(1, 2), human=numbers(1, 2, 3))})
    bring(store, {"p.csv": table(id=IDS, gpt_result=numbers("1", "2", "0"), human=numbers("1", "2", "0"))}, "pairs")
    assert exposure.item_copies(store) == {}
    bring(store, {"t.csv": table(**TEXTS, judge=numbers(1, 2))}, "one")
    bring(store, {"t.csv": table(**TEXTS, judge=numbers(1, 2))}, "two")
    assert len(exposure.item_copies(store)) == 2 * N


def test_a_correction_changes_question_and_scale(store: Store) -> None:
    from judges.importing.interpretation import share_scales

    outline = read(store, {"t.csv": table(id=IDS, judge_x=numbers(1, 2, 3), human_x=numbers(2, 3))})
    series = [replace(s, dimension="zest", answers=None) for s in outline.series]
    again = replace(outline, series=share_scales(series, cards.answerable_dimensions(store)))
    assert {(s.dimension, spell_scale(s.answers)) for s in again.series if s.answers} == {("zest", "1-3")}
    with pytest.raises(BadInput, match="No scale fits the values of judge_x"):
        start.plan_import(
            store, replace(outline, series=tuple(replace(s, answers=None) for s in outline.series)), ImportPlan("d")
        )


def test_without_labels_it_leads_to_a_sample_that_is_drawn_once(store: Store) -> None:
    done = bring(store, {"t.csv": table(**TEXTS)})
    assert start.next_step(store, "lea", done.dataset_id, draw=False) is None
    for _ in range(2):
        step = start.next_step(store, "lea", done.dataset_id)
        assert step is not None and step.path == "/desk?dataset=d&stream=audit" and "judge in view" not in str(step)
    assert store.rows("select count(*) from draw where stream = 'audit'") == [(N,)]
    judged = bring(store, {"j.csv": table(id=IDS, judge_score=numbers(1, 2, 3))}, "judged")
    [(judge,)] = store.rows("select id from judge")
    assert start.agreement_figures(store, judged.dataset_id, str(judge)) == []
    step = start.next_step(store, "lea", judged.dataset_id)
    assert step is not None and step.path == "/desk?dataset=judged&stream=audit"
    assert store.rows("select count(*) from draw where dataset_id = $1", [judged.dataset_id]) == [(N,)]


def test_a_workspace_without_anybody_gets_its_first_lead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/new.duckdb")
    (tmp_path / "t.csv").write_bytes(table(id=IDS, judge=numbers(1, 2), human=numbers(1, 2, 3)))
    assert main(["start", str(tmp_path / "t.csv"), "--no-serve"]) == 0
    assert capsys.readouterr().out.startswith("t.csv: "), "what the file was taken for is told first"
    store = open_store()
    assert [p.role for p in people.all_people(store) if p.name != "human"] == ["lead"]
    store.close()


def test_what_excel_and_pandas_write_comes_in(store: Store) -> None:
    """An index and an empty column without names, empty rows, an encoding of Windows."""
    rows = "".join(f"{n};{'ja' if n % 3 else 'nein'};{'ja' if n % 2 else 'nein'};\n" for n in range(N))
    outline = read(store, {"t.csv": f";Prüfer;KI-Urteil;\n{rows};;;\n;;;\n".encode("cp1252")})
    assert [(s.name, s.by, s.count) for s in outline.series] == [("KI-Urteil", "judge", N), ("Prüfer", "person", N)]
    assert (outline.tables["t.csv"].id.columns, outline.tables["t.csv"].meta, outline.items) == (["Unnamed: 0"], [], N)
    with pytest.raises(BadInput, match="holds a header and no rows"):
        read(store, {"t.csv": b"id,human,judge\n"})
    # A row with too many cells is one, and no good one: the import says what is wrong with it.
    [known] = detect_formats(from_bytes([("t.csv", b"id,human,judge\n1,2,3,4\n")]))
    assert (known.format, known.rows, known.says) == ("canonical", [], "a table")


def test_columns_of_who_somebody_is_are_no_answers(store: Store) -> None:
    outline = read(
        store, {"t.csv": table(id=IDS, model_id=numbers("A", "B"), human=numbers(1, 2), judge=numbers(2, 1))}
    )
    assert [s.name for s in outline.series] == ["judge", "human"]
    long = table(
        id=[x for x in IDS for _ in "12"], annotator=["gpt-4o", "anna"] * N, rater_type=["llm", "human"] * N,
        label=["pass", "fail"] * N,
    )  # fmt: skip
    outline = read(store, {"t.csv": long})
    assert [(s.name, s.by, s.rater) for s in outline.series] == [
        ("label", "judge", "gpt-4o"), ("label", "person", "anna"),
    ]  # fmt: skip


def test_scores_in_the_rows_of_a_dialogue_are_of_its_turns(store: Store) -> None:
    content = table(
        conversation_id=[f"c{n // 2}" for n in range(N)], turn=numbers(1, 2), user=[f"u{n}" for n in range(N)],
        assistant=[f"a{n}" for n in range(N)], human_tone=numbers(1, 2, 3), judge_tone=numbers(3, 2, 1),
    )  # fmt: skip
    bring(store, {"t.csv": content})
    assert store.rows("select distinct unit from label order by 1") == [("turn:1",), ("turn:2",)]


def test_a_score_in_the_last_row_of_a_dialogue_is_of_the_whole(store: Store) -> None:
    """The empty cells of its other rows are no answers, and so not different ones."""
    last = ["" if n % 2 == 0 else str(1 + n // 2 % 3) for n in range(N)]
    content = table(
        conversation_id=[f"c{n // 2}" for n in range(N)], turn=numbers(1, 2), user=[f"u{n}" for n in range(N)],
        assistant=[f"a{n}" for n in range(N)], human_tone=last, judge_tone=last,
    )  # fmt: skip
    outline = read(store, {"t.csv": content})
    assert not [assumption for assumption in outline.assumptions if "taken as said of turns" in assumption]
    bring(store, {"t.csv": content})
    assert store.rows("select distinct unit from label") == [("conversation",)]


def test_a_question_without_a_scale_is_left_out_and_not_the_rest(store: Store) -> None:
    outline = read(store, {"t.csv": table(id=IDS, human=numbers(1, 2), judge=numbers(2, 1))})
    unscaled_series = replace(outline.series[0], dimension="other", answers=None)
    plan = start.plan_import(store, replace(outline, series=(*outline.series, unscaled_series)), ImportPlan("d"))
    assert len(plan.mappings[0].judgments) == 1
    with pytest.raises(BadInput, match="No scale fits"):
        start.plan_import(store, replace(outline, series=(unscaled_series,)), ImportPlan("d"))


def test_a_verdict_goes_to_the_card_of_verdicts_and_what_else_is_asked_to_one_of_its_own(store: Store) -> None:
    sides = {"response_a": [f"a{n} or so" for n in range(N)], "response_b": [f"b{n} or so" for n in range(N)]}
    verdicts = {"human_preference": numbers("A", "B"), "judge_preference": numbers("B", "A")}
    ratings = {"human_difficulty": numbers(1, 2, 3), "judge_difficulty": numbers(1, 3, 2)}
    outline = read(store, {"t.csv": table(id=IDS, **sides, **verdicts, **ratings)})
    (mapping,) = start.plan_import(store, outline, ImportPlan("d")).mappings
    assert [(r.name, [d.name for d in r.dimensions]) for r in mapping.recipes] == [("imported_d", ["difficulty"])]
    judged = [(judgment.card, judgment.dimension.constant) for judgment in mapping.judgments]
    assert judged == [("plain_pairwise", ""), ("imported_d", "difficulty")]


def test_verdicts_of_both_orders_are_one_judges(store: Store) -> None:
    sides = {"response_a": [f"a{n} or so" for n in range(N)], "response_b": [f"b{n} or so" for n in range(N)]}
    verdicts = {"human_preference": numbers("A", "B"), "verdict_ab": numbers("B", "A"), "verdict_ba": numbers("B", "A")}
    outline = read(store, {"t.csv": table(id=IDS, **sides, **verdicts)})
    orders = [(s.name, s.rater, s.order.constant) for s in outline.series if s.by == "judge"]
    assert orders == [("verdict_ab", "verdict_ab", "ab"), ("verdict_ba", "verdict_ab", "ba")]
    assert "t.csv: verdict_ba is taken for the verdict with the places swapped." in outline.assumptions


def test_a_mapping_by_hand_is_remembered_where_it_says_something_else(store: Store) -> None:
    source = from_bytes([("t.csv", table(id=IDS, judge=numbers(1, 2, 4), human=numbers(1, 2, 3)))])
    (known,) = detected = detect_formats(source)
    plan = start.plan_import(store, start.interpret_source(store, source, detected), ImportPlan("d"))
    assert previous_mapping(store, known, plan.mappings[0]) is None
    import_source(store, "lea", source, plan, detected=detected)
    other = start.plan_import(store, start.interpret_source(store, source, detected), ImportPlan("another"))
    assert (
        previous_mapping(store, known, other.mappings[0]) is None
    )  # the card has another name, and nothing else differs
    (recipe,), (judged,) = plan.mappings[0].recipes, plan.mappings[0].judgments
    renamed = {"recipes": [recipe.model_copy(update={"name": "mine"})]}
    renamed["judgments"] = [judged.model_copy(update={"card": "mine"})]
    assert previous_mapping(store, known, plan.mappings[0].model_copy(update=renamed)) is None
    by_hand = plan.mappings[0].model_copy(update={"labels": []})
    import_source(store, "lea", source, replace(plan, dataset="hand", mappings=(by_hand,)), detected=detected)
    assert previous_mapping(store, known, other.mappings[0]) == by_hand.complete(cards.current_cards(store))


# -- what tables seem to mean -----------------------------------------------------------------------------------------

SIDES = {"prompt": [f"q{n}" for n in range(6)], "response_a": [f"a{n} or so" for n in range(6)],
         "response_b": [f"b{n} or so" for n in range(6)]}  # fmt: skip
ROW = [f"x{n}" for n in range(6)]
TURNS = {
    "conversation_id": ["c1", "c1", "c1", "c2", "c2", "c2"], "role": ["user", "Assistant", "", "user", "bot", "system"],
    "text": list("abcdef"),
}  # fmt: skip
TWO = [1, 3] * 3
TABLES_OF_SCORES: dict[str, dict[str, list[Any]]] = {
    "a code of verdicts": {"id": ROW, "judge_verdict": [1, 2] * 3, "human": [1, 2, 0] * 2},
    "a scale of three": {"id": ROW, "judge": [1, 2] * 3, "human": [1, 2, 0] * 2},
    "scores of three": {"id": ROW, "judgment_score": [1, 2, 0] * 2, "human_score": [0, 2, 1] * 2},
    "results with a number more": {"id": ROW, "llm_result": [0, 1, 2, 0, 1, 3], "human_result": [0, 1, 2, 0, 1, 2]},
    "ties between one and two": {"id": ROW, "gpt4_preference": [1, 1.5, 2] * 2, "human": [1, 2, 2] * 2},
    "sides around zero": {"id": ROW, "gpt4_winner": [-1, 0, 1] * 2, "human": [1, 0, -1] * 2},
    "a scale of which the judge takes two": {"id": ROW, "judge": [1, 2] * 3, "human": [1, 2, 3] * 2},
    "metrics in a column": {
        "id": ["x1", "x1", "x2"] * 2, "metric": ["Tone!", "truth", "Tone!"] * 2, "score": TWO, "human_score": TWO,
    },
    "answers in a column called metric": {"id": ROW, "metric": ["wordy", "plain"] * 3, "human": ["plain", "wordy"] * 3},
    "a judge and two people": {"id": ROW, "judge": [1, 2, 3, 4, 5, 5], "rater_1": [1, 2, 3, 4, 5, 4], "rater_2": TWO},
    "every row answered": {"id": ROW, "llm_tone": TWO, "human_tone": [1, 1, 1, 2, 2, 2], "lang": ["de", "en"] * 3},
    "not every row answered": {"id": ROW, "llm_tone": TWO, "human_tone": [1, 1, 1, 2, 2, ""]},
    "reasons and confidence": {
        "id": ROW, "judge_score": TWO, "judge_reason": list("abcdef"), "judge_confidence": [0.5, 0.6] * 3, "human": TWO,
    },
    "letters and a word for ties": {**SIDES, "gpt4_winner": list("ABABAB"), "human": ["A", "B", "引き分け", *"ABA"]},
    "a third number on pairs": {**SIDES, "gpt4_winner": [1, 2, 3] * 2, "human_winner": [1, 2, 1, 2, 1, 3]},
    "verdicts with texts": {**SIDES, "judge_verdict": list("abbaab"), "human_verdict": ["a", "tie"] * 3},
    "verdicts in a code": {**SIDES, "gpt_winner": list("012012"), "human": list("120120")},
    "verdicts without texts": {"id": ROW, "gpt4_result": ["1", "2", "Tie"] * 2, "human": list("012012")},
    "numbers that are no verdicts": {"id": ROW, "gpt4_mark": ["1", "2", "0"] * 2, "human": list("012012")},
    "both orders": {
        **SIDES, "verdict": list("abbaab"), "verdict_swapped": list("abbaab"), "human_verdict": list("ababab"),
    },
    "both orders by name": {
        **SIDES, "judge_ab": list("abbaab"), "judge_ba": list("abbaab"), "human_verdict": list("ababab"),
    },
    "one order by name": {**SIDES, "judge_ba": list("abbaab"), "human_verdict": list("ababab")},
    "orders in a column": {**SIDES, "judge": list("abbaab"), "shown": ["AB", " ba "] * 3, "human": list("ababab")},
    "one order in a column": {**SIDES, "judge": list("abbaab"), "shown": ["BA"] * 6, "human": list("ababab")},
    "another column of two values": {
        **SIDES, "judge": list("abbaab"), "shown": ["AB", "aa"] * 3, "human": list("ababab"),
    },
    "orders of no pair": {"id": ROW, "output": list("abcdef"), "judge": TWO, "shown": ["AB", "BA"] * 3, "human": TWO},
    "utterances": {
        **TURNS, "turn": [1, 2, 3, 1, 2, 3], "judge_tone": [1, 2, 3, 1, 2, 3], "human_tone": ["", 2, "", "", 1, ""],
    },
    "utterances with roles of others": {**TURNS, "role": ["user", "nobody"] * 3, "human": TWO},
    "asked and answered": {
        "session_id": ["s1", "s1", "s1", "s2", "s2", "s2"], "user": list("abcdef"), "assistant": list("ABCDEF"),
        "judge": TWO, "human": TWO, "system": ["m"] * 6,
    },
    "who answered in a column": {
        "id": ["x1", "x2"] * 3, "annotator": ["gpt-4o", "gpt-4o", "ann", "ann", "ben", "ben"],
        "score": TWO, "style": [3, 4] * 3,
    },
    "many people in a column": {
        "id": ["x1"] * 62, "annotator": [f"p{n}" for n in range(31)] * 2, "score": [*TWO * 10, 1, 2],
    },
    "who judged in a column": {"id": ["x1", "x2"] * 3, "judge": ["j1", "j1", "j2", "j2", "j3", "j3"], "score": TWO},
    "who answered is not told": {"id": ROW, "annotator": [""] * 6, "score": TWO},
    "what was asked in a column": {
        "id": ["x1", "x1", "x2"] * 2, "criterion": ["Tone!", "truth", "Tone!"] * 2,
        "annotator": ["ann"] * 3 + ["gpt-4"] * 3, "score": TWO,
    },
    "ids that repeat": {"id": ["x1"] * 6, "judge": TWO, "human": TWO},
    "ids that repeat with systems": {
        "id": ["x1", "x2", "x3"] * 2, "model": ["m"] * 3 + ["n"] * 3, "judge": TWO, "human": TWO,
    },
    "columns of nobody known": {"id": ROW, "score_a": TWO, "score_b": [1, 1, 2] * 2, "lang": ["de"] * 6},
    "a judge and a person in one name": {"id": ROW, "judge_vs_human": TWO, "judge": TWO, "human": TWO},
    "names that cannot be questions": {
        "id": ROW, "judge_1st": TWO, "human_1st": TWO, "judge_id": [3, 4] * 3, "human_meta": [5, 6] * 3,
        "human__x": [1, 3] * 3,
    },
    "known questions": {"id": ROW, "output": list("abcdef"), "judge_factuality": TWO, "human_factuality": [1, 5] * 3},
    "known names on other scales": {
        "id": ROW, "output": list("abcdef"), "judge_factuality": [0, 10] * 3, "human_factuality": [0, 10] * 3,
        "judge_coherence": TWO, "human_coherence": TWO,
    },
    "two scales": {"id": ROW, "judge": [10, 60, 100] * 2, "human": [1, 3, 5] * 2},
    "no scale": {"id": ROW, "judge": [f"word {n}" for n in range(6)], "human": [f"other {n}" for n in range(6)]},
    "two names of one question": {"id": ROW, "judge_tone": TWO, "human": TWO},
    "two questions": {"id": ROW, "judge_tone": TWO, "human_style": TWO, "human_truth": [1, 3] * 3},
    "no answers": {"id": ROW, "prompt": list("abcdef"), "response": [f"r{n}" for n in range(6)]},
}  # fmt: skip


def _json_text(value: Any) -> str:
    return json.dumps(value.model_dump(exclude_defaults=True) if hasattr(value, "model_dump") else value, default=str)


def test_what_tables_seem_to_mean_is_kept(tmp_path: Path) -> None:
    """Every field of every series, what is told and asked, the mapping, and the plan that is proposed: readings.txt."""
    dimensions = {(c.kind, d.sort, d.name): d for c in folder().values() for d in c.dimensions}
    lines: list[str] = []
    for name, columns in TABLES_OF_SCORES.items():
        rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
        outline = interpret_contents(contents.summarize_rows("t", list(columns), rows), dimensions)
        lines += [f"== {name}: {outline.sampling}, {outline.items}", f"table {_json_text(outline.tables['t'])}"]
        lines += [*outline.assumptions, *outline.unclear]
        for series in outline.series:
            values = {field.name: getattr(series, field.name) for field in fields(series) if field.repr}
            values = {key: value for key, value in values.items() if value not in ("", (), {}, None)}
            lines.append("series " + ", ".join(f"{key}={_json_text(value)}" for key, value in values.items()))
        try:
            [plan] = propose_plan(outline, ImportPlan("my data"), folder()).mappings
            lines += [_json_text(part) for part in (*plan.judgments, *plan.labels, *plan.recipes)]
        except BadInput as refused:
            lines.append(f"refused: {refused}")
    compare_archive("\n".join(lines) + "\n", Path(__file__).with_name("readings.txt"), tmp_path)


@pytest.mark.parametrize(("by_role", "expected"), [(True, "conversation_id"), (False, "id")])
def test_a_dialogue_of_several_rows_is_named_by_what_is_the_same_in_them(by_role: bool, expected: str) -> None:
    spoken = {"role": "user", "text": "Q"}, {"role": "assistant", "text": "A"}
    rows: list[dict[str, Any]] = [
        {"id": f"r{n}", "conversation_id": f"c{n // 2}", "score": 1 + n % 3}
        | (spoken[n % 2] if by_role else {"user_message": "Q", "assistant_message": "A"})
        for n in range(12)
    ]
    outline = interpret_contents(contents.summarize_rows("t", list(rows[0]), rows), {})
    assert outline.tables["t"].id.columns == [expected]


def test_a_card_for_questions_of_a_table_has_the_next_free_name() -> None:
    rows = [{"id": str(n), "judge": 1 + n % 3, "human": 1 + n % 3} for n in range(6)]
    outline = interpret_contents(contents.summarize_rows("t", list(rows[0]), rows), {})
    known = next(iter(folder().values()))
    for names, name in (
        ((), "talks"), (("talks",), "talks_2"), (("talks", "talks_2"), "talks_3"), (("talks_2",), "talks"),
    ):  # fmt: skip
        [recipe] = propose_plan(outline, ImportPlan("talks"), dict.fromkeys(names, known)).mappings[0].recipes
        assert recipe.name == name


@pytest.mark.parametrize(
    ("dataset", "name"),
    [("Talks, May", "talks_may"), ("24 talks", "imported_24_talks"), ("qa", "imported_qa"), ("話", "imported")],
)
def test_a_card_for_questions_of_a_table_has_a_name_that_cards_may_have(dataset: str, name: str) -> None:
    rows = [{"id": str(n), "judge": 1 + n % 3, "human": 1 + n % 3} for n in range(6)]
    outline = interpret_contents(contents.summarize_rows("t", list(rows[0]), rows), {})
    [recipe] = propose_plan(outline, ImportPlan(dataset), {}).mappings[0].recipes
    assert recipe.name == name


@pytest.mark.parametrize(
    ("dataset", "title"), [("talks  of\nmay", "talks of may"), ("x" * 61, "x" * 60), (" \n", "Imported")]
)
def test_a_card_for_questions_of_a_table_has_the_name_of_its_dataset_as_its_title(dataset: str, title: str) -> None:
    rows = [{"id": str(n), "judge": 1 + n % 3, "human": 1 + n % 3} for n in range(6)]
    outline = interpret_contents(contents.summarize_rows("t", list(rows[0]), rows), {})
    [recipe] = propose_plan(outline, ImportPlan(dataset), {}).mappings[0].recipes
    assert recipe.title == title


@pytest.mark.parametrize(("names", "distinct"), [(30, True), (31, False)])
def test_only_few_people_or_questions_of_a_column_are_told_apart(names: int, distinct: bool) -> None:
    rows = [{"id": f"x{n % 5}", "rater": f"person {n % names}", "score": 1 + n % 3} for n in range(5 * names)]
    outline = interpret_contents(contents.summarize_rows("t", list(rows[0]), rows), {})
    assert [(s.rater, s.rater_column) for s in outline.series] == (
        [(f"person {n}", "") for n in range(names)] if distinct else [("", "rater")]
    )
    rows = [{"id": f"x{n % 5}", "criterion": f"Q{n % names}", "human": 1 + n % 3} for n in range(5 * names)]
    outline = interpret_contents(contents.summarize_rows("t", list(rows[0]), rows), {})
    assert [s.dimension for s in outline.series] == ([f"q{n}" for n in range(names)] if distinct else ["rating"])


@pytest.mark.parametrize("name", [
    "criterion", "criteria", "dimension", "aspect", "metric", "attribute", "measure", "rubric", "trait", "quality",
    "question_name", "score_name", "kriterium", "merkmal", "\u89b3\u70b9", "\u57fa\u6e96",
    "\u8bc4\u4ef7\u7ef4\u5ea6", "\u7ef4\u5ea6",
])  # fmt: skip
def test_every_name_of_a_column_of_questions(name: str) -> None:
    rows = [{"id": f"x{n}", name: ("Tone", "Truth")[n % 2], "human": 1 + n % 3} for n in range(6)]
    outline = interpret_contents(contents.summarize_rows("t", list(rows[0]), rows), {})
    questions = [(s.dimension, s.only) for s in outline.series]
    assert questions == [("tone", {name: ["Tone"]}), ("truth", {name: ["Truth"]})]


@pytest.mark.parametrize("raters", [(" ann", "ben "), (1.0, 2.0), (True, False)])
def test_answers_of_people_whose_names_are_no_plain_texts_come_in(store: Store, raters: tuple[Any, Any]) -> None:
    """Names behind a comma and a space, and numbers of a column that has empty cells elsewhere."""
    rows = [{"id": f"x{n}", "output": "A", "rater_id": rater, "score": 1 + n % 5} for n in range(5) for rater in raters]
    assert bring(store, {"t.json": json.dumps(rows).encode()}).preview.new.labels == 10


def test_a_question_that_is_written_with_and_without_a_space_is_one(store: Store) -> None:
    rows = [{"id": f"x{n}", "output": "A", "criterion": (" Tone", "Tone")[n % 2], "human": 1 + n % 3} for n in range(6)]
    assert bring(store, {"t.json": json.dumps(rows).encode()}).preview.new.labels == 6


def test_what_is_said_of_a_whole_dialogue_may_stand_in_the_row_of_its_first_question(store: Store) -> None:
    cells = [
        (f"d{n}", role, role, *((1 + n % 5, 1 + n % 4) if role == "user" else ("", "")))
        for n in range(N) for role in ("user", "assistant")
    ]  # fmt: skip
    names = ("dialogue_id", "role", "text", "human_score", "judge_score")
    columns = map(list, zip(*cells, strict=True))
    done = bring(store, {"t.csv": table(**dict(zip(names, columns, strict=True)))})
    assert (done.preview.new.items, done.preview.new.labels, done.preview.new.judgments) == (N, N, N)
    assert store.rows("select distinct unit from label union select distinct unit from score") == [("conversation",)]


# -- files as teams write them -----------------------------------------------------------------------------------------


def long_table(rater: str, names: list[str], **extra_columns: Any) -> bytes:
    """A row for each item and name: the columns `item_id`, `rater`, `rating` and those beside, by item and name."""
    rows = [(n, name) for n in range(10) for name in names]
    columns = {"item_id": [n for n, _ in rows], rater: [name for _, name in rows]}
    columns["rating"] = [1 + (n + names.index(name)) % 5 for n, name in rows]
    return table(**columns, **{column: [of(n, name) for n, name in rows] for column, of in extra_columns.items()})


def count_answers(store: Store) -> dict[tuple[str, str], int]:
    """How many items each person and judge answered, by their names and the questions."""
    labels = store.rows("select annotator, dimension, count(distinct item_id) from label_now group by 1, 2")
    scores = store.rows(
        "select j.model, s.dimension, count(distinct m.item_id) from score s join judgment m on m.id = s.judgment_id "
        "join judge j on j.id = m.judge_id group by 1, 2"
    )
    return {(name, dimension): count for name, dimension, count in (*labels, *scores)}


def test_labels_that_begin_below_the_first_rows_come_in(store: Store) -> None:
    rows = range(contents.MAX_FIRST_ROWS + 100)
    late = ["" if n < contents.MAX_FIRST_ROWS + 50 else 1 + n % 5 for n in rows]
    file = table(id=[f"x{n}" for n in rows], judge_score=[1 + n % 4 for n in rows], human_score=late)
    bring(store, {"a.csv": file})
    assert count_answers(store) == {("human_score", "rating"): 50, ("judge", "rating"): len(rows)}


def test_a_word_for_ties_beside_letters_is_a_tie_wherever_it_stands(store: Store) -> None:
    rows = range(contents.MAX_FIRST_ROWS + 50)
    texts = {name: [f"{name}{n} because" for n in rows] for name in ("prompt", "response_a", "response_b")}
    human = ["draw" if n in (7, len(rows) - 1) else "AB"[n % 2] for n in rows]
    judge = ["Equal" if n == len(rows) - 2 else "AB"[n % 2] for n in rows]
    done = bring(store, {"a.csv": table(**texts, gpt4_winner=judge, human_winner=human)})
    assert (done.preview.new.judgments, done.preview.new.labels) == (len(rows), len(rows)) and not done.preview.unscored
    assert store.rows("select count(*) from label where value = 1") == [(2,)]  # a, tie, b


def test_ids_that_come_again_below_the_first_rows_are_told_apart(store: Store) -> None:
    rows = [(n, model) for model in ("alpha", "beta") for n in range(contents.MAX_FIRST_ROWS + 50)]
    scores = [1 + n % 5 for n, _ in rows]
    file = table(id=[n for n, _ in rows], model=[m for _, m in rows], judge_score=scores, human_score=scores)
    done = bring(store, {"a.csv": file})
    preview = done.preview
    assert (preview.new.items, preview.new.judgments, preview.new.labels) == (len(rows), len(rows), len(rows))


def test_a_key_that_the_first_lines_of_json_lack_is_a_column(store: Store) -> None:
    late = [{"human_score": 1 + n % 4} if n > 25 else {} for n in range(N)]
    rows = [{"id": f"x{n}", "judge_score": 1 + n % 5} | late[n] for n in range(N)]
    bring(store, {"a.jsonl": "\n".join(map(json.dumps, rows)).encode()})
    assert count_answers(store) == {("human_score", "rating"): N - 26, ("judge", "rating"): N}


def test_scores_beside_a_question_id_are_a_table_where_no_judge_of_a_turn_is_named(store: Store) -> None:
    rows = [{"question_id": n, "model": "m", "score": 1 + n % 5, "human_score": 1 + n % 4} for n in range(N)]
    bring(store, {"a.jsonl": "\n".join(map(json.dumps, rows)).encode()})
    assert count_answers(store) == {("human_score", "rating"): N, ("score", "rating"): N}


@pytest.mark.parametrize("indent", [None, 1])
def test_each_row_of_a_json_list_is_an_item_also_where_all_are_in_one_line(store: Store, indent: int | None) -> None:
    rows = [{"judge": 1 + n % 5, "human": 1 + n % 3} for n in range(N)]
    file = {"a.json": json.dumps(rows, indent=indent).encode()}
    new = bring(store, file).preview.new
    assert (new.items, new.judgments, new.labels) == (N, N, N)
    assert bring(store, file).preview.new.total == 0
    bad = {"b.json": json.dumps([{**row, "human": "?!"} if n < 3 else row for n, row in enumerate(rows)]).encode()}
    with pytest.raises(ImportRefused, match="3 lines cannot be imported"):
        bring(store, bad, "other")


def test_tables_with_the_same_columns_have_each_their_own_people(store: Store) -> None:
    files = {f"{names[0]}.csv": long_table("annotator", names) for names in (["ann", "ben"], ["cid", "dora"])}
    bring(store, files)
    assert count_answers(store) == {(name, "rating"): 10 for name in ("ann", "ben", "cid", "dora")}


def test_answers_of_nobody_are_left_out_with_a_sentence(store: Store) -> None:
    file = long_table("annotator", ["ann", "ben"]).replace(b"\n3,ann,", b"\n3,,").replace(b"\n4,ben,", b"\n4,,")
    sentence = "a.csv: 2 values of rating are left out: the mapping does not know what stands in annotator there."
    assert sentence in bring(store, {"a.csv": file}).preview.warnings


@pytest.mark.parametrize(
    ("column", "names", "other", "expected"),
    [
        ("rater", ["ann", "ben"], "llm_score", {"ann": 10, "ben": 10, "llm": 10}),
        ("annotator", ["ann", "ben"], "gpt-4o_score", {"ann": 10, "ben": 10, "gpt-4o": 10}),
        ("judge_model", ["gpt-4o", "other"], "human_score", {"gpt-4o": 10, "other": 10, "human_score": 10}),
    ],
)
def test_answers_of_the_other_side_beside_who_answered_stay_theirs(
    store: Store, column: str, names: list[str], other: str, expected: dict[str, int]
) -> None:
    bring(store, {"a.csv": long_table(column, names, **{other: lambda n, _: 1 + n % 4})})
    assert count_answers(store) == {(name, "rating"): count for name, count in expected.items()}


@pytest.mark.parametrize(
    ("column", "own", "other"),
    [("annotator_id", "human_score", "judge_score"), ("judge", "judge_score", "human_score")],
)
def test_names_beside_scores_of_their_own_side_are_who_gave_them(
    store: Store, column: str, own: str, other: str
) -> None:
    file = long_table(column, ["x one", "x two"], **{other: lambda n, _: 1 + n % 4})
    bring(store, {"a.csv": file.replace(b",rating,", f",{own},".encode())})
    rest = "judge" if other == "judge_score" else other
    assert count_answers(store) == {(name, "rating"): 10 for name in ("x one", "x two", rest)}


def test_many_judges_are_no_people_and_a_judge_among_many_people_is_none(store: Store) -> None:
    names = [f"gpt-{n}" for n in range(35)]
    people_ = [f"p{n}" for n in range(35)]
    judged = read(store, {"a.csv": long_table("judge_model", names, human_score=lambda n, _: 1 + n % 4)})
    assert [(s.by, s.name, s.rater_column) for s in judged.series] == [
        ("person", "human_score", ""), ("judge", "rating", "judge_model"),
    ]  # fmt: skip
    bring(store, {"a.csv": long_table("rater", [*people_, "gpt-4o"])})
    assert count_answers(store) == {(name, "rating"): 10 for name in (*people_, "gpt-4o")}
    assert [row[0] for row in store.rows("select model from judge")] == ["gpt-4o"]


def test_a_table_with_many_people_and_questions_is_imported_again(store: Store) -> None:
    rows = [(n, f"p{p}", f"quality {c}") for n in range(2) for p in range(8) for c in range(8)]
    ids, people_, criteria = zip(*rows, strict=True)
    file = table(item_id=list(ids), annotator=list(people_), criterion=list(criteria), score=[3, 4] * 64)
    bring(store, {"a.csv": file})
    assert len(count_answers(store)) == 64
    import_source(store, "lea", from_bytes([("a.csv", file)]), ImportPlan("d"))
    assert store.rows("select count(*) from label_now") == [(128,)]


def test_an_older_table_that_comes_again_after_its_correction_says_that_it_does_not_count(store: Store) -> None:
    """Whoever brought the first table back was told that all was there, and the figures were those of the other."""
    first, other = numbers(1, 2, 3, 4), [4, *numbers(1, 2, 3, 4)[1:]]
    tables = [table(id=IDS, judge_score=numbers(1, 2, 3, 4), human_score=human) for human in (first, other)]
    for file in (*tables, tables[1]):
        assert not bring(store, {"a.csv": file}).preview.warnings
    [sentence] = bring(store, {"a.csv": tables[0]}).preview.warnings
    assert sentence == (
        "1 answer is there already and does not count, because a later import has another answer of the same person to "
        "the same question. To make it count again, import it with a later time (made_at)."
    )
    timed = [{"item": "x0", "unit": "response", "dimension": "rating", "value": 1, "annotator": "human_score",
              "mode": "blind", "made_at": f"{now():%Y-%m-%dT%H:%M:%S.%fZ}"}]  # fmt: skip
    source = from_bytes([("a.jsonl", "\n".join(map(json.dumps, timed)).encode())])
    import_source(store, "lea", source, ImportPlan("d"))
    query = "select l.value from label_now l join item i on i.id = l.item_id where i.name = 'x0'"
    assert store.rows(query) == [(1.0,)]
    assert not bring(store, {"a.csv": tables[0]}).preview.warnings


def test_a_number_is_no_answer_to_a_question_that_asks_for_a_turn() -> None:
    place, scale = ("dialogue", "conversation", "weakest"), RecipeScale(lo=1, hi=3)
    stored: Any = {place: Dimension(place[2], "conversation", Scale("turn"), "?")}
    named = interpretation._name_question("dialogue", "conversation", "weakest", scale, [1, 2, 3], stored)
    assert named == ("weakest_2", scale)


def test_a_table_in_which_somebody_answers_twice_can_come_again(store: Store) -> None:
    names, scores = ["ann", *["ann", "ben"] * 4], [5, 1, 2, 3, 4, 1, 2, 3, 4]
    file = table(item_id=["x0", *(f"x{n // 2}" for n in range(8))], annotator=names, score=scores)
    [sentence] = bring(store, {"a.csv": file}).preview.warnings
    assert sentence.endswith("the answer further down counts.")
    assert not bring(store, {"a.csv": file}).preview.warnings, "nothing is there that does not count"
    sql = "select l.value from label_now l join item i on i.id = l.item_id where i.name = 'x0' and l.annotator = 'ann'"
    assert store.rows(sql) == [(1.0,)], "the later answer counts"


def test_questions_that_begin_alike_are_two_and_wide_letters_are_plain(store: Store) -> None:
    long = "The answer is entirely free of errors of any kind in "
    criteria = [f"{long}facts", f"{long}style", "正確性Ａ"]
    rows = [(n, rater, criterion) for n in range(5) for rater in ("ann", "ben") for criterion in criteria]
    ids, raters, questions = zip(*rows, strict=True)
    file = table(
        item_id=list(ids), annotator=list(raters), criterion=list(questions), score=[1 + n % 5 for n in range(30)]
    )
    bring(store, {"a.csv": file})
    counts = count_answers(store)
    assert set(counts.values()) == {5}
    assert len(counts) == 6
    assert ("ann", "正確性a") in counts


def test_marks_for_nothing_are_no_answers_to_all_items(store: Store) -> None:
    half = read(store, {"a.csv": table(id=IDS, judge_score=numbers(1, 5), human_score=numbers(3, "N/A"))})
    assert half.sampling == "unknown"
    assert [s.count for s in half.series] == [N, N // 2]
    harm = {"judge_harm": numbers("none", "minor"), "human_harm": numbers("none", "major")}
    whole = read(store, {"a.csv": table(id=IDS, **harm)})
    assert whole.sampling == "all"
    assert bring(store, {"a.csv": table(id=IDS, **harm)}).preview.new.labels == N


def test_many_decimal_commas_are_numbers_and_long_texts_are_not_called_empty(store: Store) -> None:
    many = [f"{n // 100},{n % 100:02}" for n in range(2_500)]
    file = table(id=[f"x{n}" for n in range(2_500)], judge_score=many, human_score=many)
    outline = read(store, {"a.csv": file})
    assert [None if s.answers is None else (s.answers.lo, s.answers.hi) for s in outline.series] == [(0, 100)] * 2
    cells = [*numbers(1, 5)[1:], "It could not be judged, " + "as the answer is cut off in the middle of it, " * 2]
    (series,) = read(store, {"b.csv": table(id=IDS, human_score=cells)}).series
    assert series.why == "there are lists, long texts or too many different words among them"


@pytest.mark.parametrize("turned", [False, True])
def test_of_several_answers_of_a_person_the_newest_counts_and_else_that_further_down(
    store: Store, tmp_path: Path, turned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same in a workspace as in `agree`, in whatever order the rows stand."""
    rows = [(f"q{n % 8}", ("ann", "ben")[n // 8 % 2], 1 + n * 3 % 5, n // 16, 1 + n % 8 % 5) for n in range(32)]
    newest = {(item, rater): float(score) for item, rater, score, *_ in rows}
    files = {}
    for name, when in (("iso", "2026-03-0{}T23:30:00+09:00"), ("german", "0{}.03.2026")):
        lines = [f"{q},{rater},{score},{llm},{when.format(day + 1)}" for q, rater, score, day, llm in rows]
        lines = lines[::-1] if turned else lines
        files[name] = "\n".join(["item,rater,human_score,llm_score,labeled_at", *lines]).encode()
    for name, content in files.items():
        outline = read(store, {"t.csv": content})
        assert {s.latest for s in outline.series} == ({"", "labeled_at"} if name == "iso" else {""})
        assert len(outline.series) == 3 and not outline.tables["t.csv"].meta
        warnings = bring(store, {"t.csv": content}, name).preview.warnings
        assert len(warnings) == (name == "german")
        label_rows = store.rows(
            "select i.name, l.annotator, l.value from label_now l join item i on i.id = l.item_id "
            "join dataset d on d.id = i.dataset_id where d.name = $1", [name],
        )  # fmt: skip
        assert ({(item, rater): value for item, rater, value in label_rows} == newest) is (name == "iso" or not turned)
        (tmp_path / f"{name}.csv").write_bytes(content)
        assert judges_main(["agree", str(tmp_path / f"{name}.csv")]) == 0
    only = [f"{q},{rater},{score},{1 + int(q[1:]) % 5}" for (q, rater), score in newest.items()]
    (tmp_path / "newest.csv").write_text("\n".join(["item,rater,human_score,llm_score", *only]))
    figures = [line for line in capsys.readouterr().out.splitlines() if line.startswith("rating: %")]
    assert judges_main(["agree", str(tmp_path / "newest.csv")]) == 0
    expected = [line for line in capsys.readouterr().out.splitlines() if line.startswith("rating: %")]
    assert figures[:1] == expected and (figures[1:] == expected) is not turned


def test_chats_in_a_table_of_text_come_in_with_the_answers_beside_them(store: Store) -> None:
    chat = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}]
    content = table(id=["a", "b"], messages=[json.dumps(chat)] * 2, human_score=[1, 5], llm_score=[2, 4])
    done = bring(store, {"t.csv": content})
    assert (done.preview.new.items, done.preview.new.labels, done.preview.new.judgments) == (2, 2, 2)
    assert store.rows("select distinct kind, cells from item") == [("dialogue", 2)]


@pytest.mark.parametrize("named", [[], ["--judge", "q", "--human", "h"]])
def test_the_answers_beside_chats_in_json_lines_come_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], named: list[str]
) -> None:
    """As `judges agree` reads them; by names that say nothing only where it is said whose they are."""
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/chats.duckdb")
    chat = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}]
    judge, human = ("q", "h") if named else ("judge", "human_score")
    cells = [{judge: {"score": n % 3 + 1} if judge == "judge" else n % 3 + 1, human: n % 3 + 1} for n in range(6)]
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(json.dumps({"id": f"c{n}", "messages": chat, **c}) for n, c in enumerate(cells)))
    assert main(["start", str(file), "--no-serve", *named]) == 0
    assert "Added 6 items, 6 judgments, 6 labels and 1 card" in capsys.readouterr().out
    for choice in (["--format", "messages"], []) if named else (["--format", "messages"],):
        monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/other{len(choice)}.duckdb")
        assert main(["start", str(file), "--no-serve", *choice]) == 0
        assert "Added 6 items, 0 judgments and 0 labels" in capsys.readouterr().out


def test_rows_without_ids_are_not_taken_for_earlier_ones_without_a_word(store: Store) -> None:
    first, second = ({"t.csv": table(llm_score=[1, 2, 3], human_score=cells)} for cells in ([1, 2, 3], [3, 2, 1]))
    assert not bring(store, first).preview.warnings and not bring(store, first).preview.warnings
    (warning,) = bring(store, second).preview.warnings
    assert warning.startswith("3 rows without an id are matched by number with the rows imported into this dataset")
    assert not bring(store, second, "e").preview.warnings


def test_items_without_texts_beside_those_that_have_them_are_told(store: Store) -> None:
    """Ids that are written in two ways make two items each; in whatever order the files come."""
    texts = table(id=[f"{n}.0" for n in range(4)], prompt=list("qrst"), response=["a", "b", "c", "d is it"])
    answers = table(id=list(range(4)), judge_score=[1, 2, 3, 4], human_score=[1, 2, 3, 5])
    says = "4 items are imported without a text, because no item with a text has their ids ('0', '1', '2')."
    both = bring(store, {"a.csv": answers, "t.csv": texts})
    assert (both.preview.new.items, [warning[: len(says)] for warning in both.preview.warnings]) == (8, [says])
    assert not bring(store, {"t.csv": texts}, "e").preview.warnings
    assert bring(store, {"a.csv": answers}, "e").preview.warnings == both.preview.warnings
    for name in ("f", "g"):
        assert not bring(store, {"a.csv": answers}, name).preview.warnings
    others = table(id=list(range(4, 8)), judge_score=[1, 2, 3, 4], human_score=[1, 2, 3, 5])
    assert not bring(store, {"a.csv": others}, "f").preview.warnings, "the dataset has no texts, so none is missing"
    matching_texts = texts.replace(b".0", b"")
    assert not bring(store, {"a.csv": answers, "t.csv": matching_texts}, "h").preview.warnings
    with pytest.raises(ImportRefused, match="'0' was imported before without its texts"):
        bring(store, {"t.csv": matching_texts}, "g")


def test_rows_without_an_id_make_no_part_of_the_others_ids(store: Store) -> None:
    ids = ["", "", *IDS[2:]]
    scores = {"judge": numbers(1, 2), "human": numbers(2, 3)}
    file = table(id=ids, model=numbers("alpha", "beta"), response=TEXTS["response"], **scores)
    done = bring(store, {"a.csv": file}, on_error="good rows")
    assert (done.preview.new.items, done.preview.rejected) == (N - 2, 2)
    assert {name for (name,) in store.rows("select name from item")} == set(IDS[2:])


def test_a_row_without_an_id_comes_back_once(store: Store) -> None:
    content = table(id=["a", "", "b"], judge_score=[1, 2, 3], human_score=[1, 2, 3])
    back = io.BytesIO()
    done = bring(store, {"t.csv": content}, on_error="good rows", rejects=back)
    assert [p.sentence for p in done.preview.problems] == ["The row has no id: id is empty."]
    preview = done.preview
    assert (preview.new.items, preview.new.labels, preview.rejected, len(back.getvalue().splitlines())) == (2, 2, 1, 1)


def test_what_differs_between_the_rows_of_an_item_is_not_kept_with_it(store: Store) -> None:
    extra_columns: dict[str, Any] = {"category": lambda n, _: f"c{n % 3}", "comment": lambda n, name: f"{name} on {n}"}
    extra_columns |= {"prompt": lambda n, _: f"q{n}", "response": lambda n, _: f"a{n} it is"}
    file = long_table("annotator", ["ann", "ben"], **extra_columns)
    outline = read(store, {"a.csv": file})
    assert outline.tables["a.csv"].meta == ["category"]
    assert "a.csv: comment: left out, as rows of one item differ there." in outline.assumptions
    texts = table(prompt=[f"q{n // 2}" for n in range(N)], response=[f"a{n // 2} it is" for n in range(N)],
                  annotator=numbers("ann", "ben"), rating=numbers(1, 2, 3, 4, 5),
                  date=[f"2026-01-{n % 28 + 1}" for n in range(N)])  # fmt: skip
    assert bring(store, {"b.csv": texts}).preview.new.items == N // 2


def test_a_message_id_is_no_dialogue(store: Store) -> None:
    rows = [(c, role) for c in range(4) for _ in range(2) for role in ("user", "assistant")]
    file = table(id=list(range(16)), conversation_id=[f"c{c}" for c, _ in rows], role=[role for _, role in rows],
                 text=[f"hello {n}" for n in range(16)])  # fmt: skip
    assert bring(store, {"a.csv": file}).preview.new.items == 4


def test_a_winner_that_is_named_by_its_model_is_a_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = workspace(tmp_path)
    models = numbers("x", "y", "z"), numbers("y", "z", "x")
    verdicts = numbers("a", "b", "tie", "a", "a"), numbers("a", "b", "b", "tie")
    named = [
        [{"a": a, "b": b, "tie": "Tie"}[side] for a, b, side in zip(*models, sides, strict=True)] for sides in verdicts
    ]
    first = {"id": IDS, "prompt": TEXTS["prompt"], "model_a": models[0], "model_b": models[1], "first": models[0]}
    content = table(**first, gpt4_winner=named[0], human_winner=named[1], order=numbers("ab", "ba"))
    interpretation = read(store, {"t": content})
    assert interpretation.assumptions[:1] == ("t: gpt4_winner is read as a verdict: the name of a system is its side.",)
    assert [s.dimension for s in interpretation.series] == ["verdict", "verdict"]
    assert interpretation.tables["t"].meta == ["first"]
    source = from_bytes([("t.csv", content)])
    detected = detect_formats(source)
    plan = start.plan_import(store, start.interpret_source(store, source, detected), ImportPlan("d"))
    import_source(store, "lea", source, plan)
    codes = {0.0: "a", 1.0: "tie", 2.0: "b"}
    for kind, sides in zip(("score", "label"), verdicts, strict=True):
        joined = "join judgment m on m.id = v.judgment_id join item i on i.id = m.item_id" if kind == "score" else (
            "join item i on i.id = v.item_id")  # fmt: skip
        values = dict(store.rows(f"select i.name, v.value from {kind} v {joined}"))
        assert [codes[values[name]] for name in IDS] == sides
    # Names that do not tell the sides apart are no verdicts.
    content = table(**{**first, "model_b": models[0]}, gpt4_winner=named[0], human_winner=named[1])
    assert [s.dimension for s in read(store, {"t": content}).series] == ["rating", "rating"]
    path = tmp_path / "t.csv"
    path.write_bytes(table(**first, gpt4_winner=named[0], human_winner=named[1]))
    assert judges_main(["agree", str(path)]) == 0
    kappa = cohen_kappa_score(*verdicts)
    assert f"{kappa:.3f}" in capsys.readouterr().out
    store.close()


def test_a_person_who_is_named_by_a_column_has_a_name_that_people_may_have(store: Store) -> None:
    columns = ["Rating 1/5", f"{'Very ' * 20}good?", f"{'Very ' * 20}bad?"]
    cells = {column: numbers(1, 2, 5, 3) for column in columns}
    source = from_bytes([("t", table(id=IDS, **TEXTS, gpt4_score=numbers(1, 2, 3), **cells))])
    interpretation = start.interpret_source(store, source, detect_formats(source), ["gpt4_score"], columns)
    import_source(store, "lea", source, start.plan_import(store, interpretation, ImportPlan("d")))
    first, bad, good = sorted(row[0] for row in store.rows("select distinct annotator from label"))
    assert first == "Rating 1 5" and bad[:53] == good[:53] and len(bad) == len(good) == 60


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (table(prompt=TEXTS["prompt"]), "no column has the text that is judged, and none has answers"),
        (b"A first line\nand a second\nand a third", "Its columns are: A first line. Name the column with it output"),
        (table(id=IDS, model_a=numbers("x"), model_b=numbers("y")), "no column has the two texts that are compared"),
        (b'{"instruction": "q", "completions": [{"response": "a"}]}\n', "needs a cell of its own"),
    ],
)
def test_a_table_with_nothing_to_label_or_compare_is_refused(store: Store, content: bytes, says: str) -> None:
    with pytest.raises(BadInput, match=r"^t.* holds nothing to label or compare: ") as refusal:
        bring(store, {"t.jsonl" if content[:1] == b"{" else "t.csv": content})
    assert says in str(refusal.value) and not store.rows("select 1 from dataset")
    # Beside texts such a table does no harm.
    texts = table(id=IDS, **TEXTS)
    assert bring(store, {"t.csv": table(id=IDS), "texts.csv": texts}).preview.new.items == N


@pytest.mark.parametrize("answered", [N // 2, N])
def test_labels_of_half_the_items_by_two_people_are_not_labels_of_all(store: Store, answered: int) -> None:
    rows = [
        {"id": f"r{n}", "status": "completed", "fields": {"instruction": f"q{n}", "response": f"a{n} because"},
         "metadata": {}, "suggestions": {"quality": {"value": 1 + n % 5, "agent": "gpt-4o"}}, "responses": {} if
         n >= answered else {"quality": [{"value": 1 + n % 3, "user_id": u, "status": "submitted"} for u in "uv"]}}
        for n in range(N)
    ]  # fmt: skip
    interpretation = read(store, {"t.json": json.dumps(rows).encode()})
    assert [(s.count, s.answered) for s in interpretation.series if s.by == "person"] == [(2 * answered, answered)]
    assert interpretation.sampling == ("all" if answered == N else "unknown")


@pytest.mark.parametrize("by_rater", [False, True])
@pytest.mark.parametrize("with_turns", [False, True])
def test_what_was_said_comes_in_once_where_each_person_has_a_row_of_it(
    store: Store, by_rater: bool, with_turns: bool
) -> None:
    utterances = [(f"d{n}", turn, role, f"{role} {turn} of {n}") for n in range(6) for turn in (1, 2, 3)
            for role in ("user", "assistant")]  # fmt: skip
    rows = [(*utterance, person) for utterance in utterances for person in ("ann", "ben")]
    rows.sort(key=lambda row: (row[0], row[4]) if by_rater else row[0])
    judged = [1 + (int(d[1:]) + turn) % 5 if role == "assistant" else "" for d, turn, role, *_ in rows]
    heard = [1 + (int(d[1:]) * turn + len(row) + (rater == "ben")) % 5 if row[0] == "assistant" else ""
             for d, turn, *row, rater in rows]  # fmt: skip
    cells = list(zip(*rows, strict=True))
    columns = dict(zip(("dialogue_id", "turn", "role", "text", "annotator"), cells, strict=True))
    columns |= {"gpt4_score": judged, "human_score": heard}
    if not with_turns:
        del columns["turn"]
    new = bring(store, {"t.csv": table(**columns)}).preview.new
    assert (new.items, new.judgments, new.labels) == (6, 6, 36)
    [(first,)] = store.rows("select content from item where name = 'd0'")
    assert [(u["turn"], u["text"]) for u in json.loads(first)["turns"]] == [
        (turn, f"{role} {turn} of 0") for turn in (1, 2, 3) for role in ("user", "assistant")
    ]
    labels = store.rows("select i.name, l.unit, l.annotator, l.value from label l join item i on i.id = l.item_id")
    assert {(d, f"turn:{t}", rater, v) for (d, t, *_, rater), v in zip(rows, heard, strict=True) if v} == set(labels)


def test_a_judges_value_beside_each_persons_answer_is_no_other_sample(store: Store) -> None:
    rows = [
        (item, metric, rater, 1 + (n + len(metric)) % 5, 1 + (n + len(rater)) % 5)
        for n, item in enumerate(IDS) for metric in ("tone", "style") for rater in ("ann", "ben", "cleo")
        if (n % 3, metric, rater) != (0, "style", "ben")
    ]  # fmt: skip
    names = ("id", "metric", "annotator", "gpt4_score", "human_score")
    content = table(**dict(zip(names, zip(*rows, strict=True), strict=True)))
    assert bring(store, {"t.csv": content}).preview.new.judgments == N
    assert store.rows("select count(*), max(sample) from score") == [(2 * N, 0)]


@pytest.mark.parametrize("name", ["sample", "trial", "repetition"])
def test_the_number_of_a_sample_is_no_answer(store: Store, name: str) -> None:
    rows = [
        (n, rater, nth, 1 + (n + nth + len(rater)) % 3)
        for n in range(N) for rater, most in (("gpt-4o", 3), ("ann", 1)) for nth in range(most)
    ]  # fmt: skip
    content = table(**dict(zip(("id", "rater", name, "score"), zip(*rows, strict=True), strict=True)))
    series = read(store, {"t.csv": content}).series
    assert {(s.name, s.rater) for s in series} == {("score", "gpt-4o"), ("score", "ann")}


@pytest.mark.parametrize(
    ("name", "first", "out"),
    [("", 0, True), ("Unnamed: 0.1", 1, True), ("__index_level_0__", 0, True), ("", 7, False), ("index", 0, False)],
)
def test_an_index_that_numbers_the_rows_is_left_out_where_items_have_an_id(
    store: Store, name: str, first: int, out: bool
) -> None:
    columns = {name: [n + first for n in range(N)], "id": IDS, "judge": numbers(1, 2, 3), "human": numbers(3, 2, 1)}
    outline, column = read(store, {"t.csv": table(**columns)}), name or "Unnamed: 0"
    says = f"t.csv: {column}: left out, as only rows are numbered there."
    assert outline.tables["t.csv"].meta == ([] if out else [column]) and (says in outline.assumptions) is out


@pytest.mark.parametrize("name", ["dialog_id", "thread_id", "conversation_id"])
def test_the_index_of_a_table_names_no_dialogue_where_another_column_does(store: Store, name: str) -> None:
    texts = {"user": [f"q{n}" for n in range(N)], "assistant": [f"a{n}" for n in range(N)]}
    columns = {"Unnamed: 0": list(range(N)), name: [f"c{n // 4}" for n in range(N)], **texts}
    columns["human_score"] = numbers(1, 2, 3)
    bring(store, {"t.csv": table(**columns)})
    assert store.rows("select count(*) from item") == [(N // 4,)]
    assert store.rows("select count(distinct unit), count(*) from label") == [(4, N)]


@pytest.mark.parametrize("cells", [("1.0", "2.0", "1.5"), ("1.0", "2.0"), ("1", "2", "1.5")])
def test_verdicts_in_numbers_are_verdicts_however_the_numbers_are_written(store: Store, cells: tuple[str, ...]) -> None:
    sides = {"output_1": TEXTS["response"], "output_2": [f"b{n} because" for n in range(N)]}
    files = {"t.csv": table(id=IDS, **sides, gpt4_preference=numbers(*cells), human_preference=numbers(*cells[::-1]))}
    assert [(s.dimension, s.sort, s.answers and s.answers.categories) for s in read(store, files).series] == [
        ("verdict", "pair", ["a", "tie", "b"])
    ] * 2
    bring(store, files)
    codes = {float(row[0]) / 2 + 1 for row in store.rows("select value from label")}
    assert codes == set(map(float, cells)), "a is 0, tie 1, b 2"


@pytest.mark.parametrize(
    ("ends", "cells", "scale"),
    [
        ("(1-7)", (1, 2, 5), "1-7"), ("(0–10)", (2, 3, 5), "0-10"), ("(1 to 100)", (20, 30, 5), "0-100 step 1"),
        ("(2020-2024)", (1, 2, 5), "1-5"), ("(1/2)", (0, 1), "yes/no"), ("(1-7)", ("good", "bad"), "bad|good"),
    ],
)  # fmt: skip
def test_a_scale_that_a_header_states_is_the_scale(store: Store, ends: str, cells: Any, scale: str) -> None:
    columns = {f"judge tone {ends}": numbers(*cells), f"human tone {ends}": numbers(*cells[::-1])}
    outline = read(store, {"t.csv": table(id=IDS, **columns)})
    assert [s.answers and spell_scale(s.answers) for s in outline.series] == [scale] * 2


def _conversations(turns: Any, **more: Any) -> dict[str, bytes]:
    """A file of N lines that have a dialogue under `conversation`, and answers about it."""
    lines = [{"case": f"c{n}", **more, "conversation": turns, "judge_tone": n % 5 + 1, "human_tone": n % 4 + 1}
             for n in range(N)]  # fmt: skip
    return {"t.jsonl": "\n".join(map(json.dumps, lines)).encode()}


TOLD = [{"spk": "patient", "said_text": "It hurts " * 60}, {"spk": "doctor", "said_text": "Where?"}]


@pytest.mark.parametrize(
    ("turns", "sentence"),
    [
        ({"utterances": TOLD}, "the speakers in conversation are read as patient = user, doctor = assistant."),
        (TOLD, "the speakers in conversation are read as patient = user, doctor = assistant."),
        ({"messages": [{"role": "user", "content": "It hurts " * 60}, {"role": "AI", "content": "Where?"}]}, ""),
        ([{"speaker": "USER", "utterance": "It hurts " * 60}, {"speaker": "SYSTEM", "utterance": "Where?"}],
         "the speakers in conversation are read as system = assistant."),
    ],
)  # fmt: skip
def test_dialogues_of_any_shape_are_dialogues_and_how_speakers_are_read_is_said(
    store: Store, turns: Any, sentence: str
) -> None:
    outline = read(store, _conversations(turns))
    assert outline.assumptions == ((f"t.jsonl: {sentence}",) if sentence else ())
    assert {(s.kind, s.sort) for s in outline.series} == {("dialogue", "conversation")}
    assert bring(store, _conversations(turns)).preview.rejected == 0
    ((kind, content),) = store.rows("select kind, content from item where name = 'c1'")
    spoken = [(turn["role"], turn["text"]) for turn in json.loads(content)["turns"]]
    assert (kind, spoken) == ("dialogue", [("user", "It hurts " * 60), ("assistant", "Where?")])


def test_long_dialogues_as_json_in_a_csv_file_are_dialogues(store: Store) -> None:
    cells = [json.dumps({"turns": TOLD})] * N
    outline = read(store, {"t.csv": table(id=IDS, conversation=cells, judge=numbers(1, 2), human=numbers(1, 2, 3))})
    assert outline.tables["t.csv"].fields["turns"].columns == ["conversation"]
    assert outline.tables["t.csv"].roles == {"patient": "user", "doctor": "assistant"}


def test_a_mapping_says_who_a_speaker_is(store: Store) -> None:
    files = _conversations([*TOLD, {"spk": "Nurse", "said_text": "Here."}])
    with pytest.raises(ImportRefused, match="The speaker 'patient' is no user, assistant, system or tool"):
        bring(store, files)
    source = from_bytes(list(files.items()))
    detected = detect_formats(source)
    plan = start.plan_import(store, start.interpret_source(store, source, detected), ImportPlan("d"))
    roles: Any = {"patient": "user", "doctor": "assistant", "nurse": "tool"}
    plan = replace(plan, mappings=(plan.mappings[0].model_copy(update={"roles": roles}),))
    assert import_source(store, "lea", source, plan, detected=detected).preview.new.items == N


def test_a_dialogue_under_any_name_is_one_where_no_output_is_named(store: Store) -> None:
    chat = [{"type": "human", "content": "Q"}, {"type": "ai", "content": "A"}]
    outline = read(store, _conversations("", user_input=chat))
    assert outline.tables["t.jsonl"].fields["turns"].columns == ["user_input"]
    question = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Q"}]
    assert "turns" not in read(store, _conversations("", user_input=question)).tables["t.jsonl"].fields
