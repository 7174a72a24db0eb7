"""Swallow's evaluation read: a results file (JSON) and its details (Parquet), as lighteval writes them.

A row of the details is a question with all samples of a model's answers, the prompts that the judge was sent, its
texts and its numbers. Every sample is a choice; samples from the second on were asked turn 2 after the first sample's
turn 1, though they are judged beside their own.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from statistics import fmean
from typing import Any, Literal, NamedTuple

from judges.mtbench import parsing, rows
from judges.mtbench.assembly import AssembledBench, Assembly, BadRow, BenchFile, list_names
from judges.plural import many, verb
from judges.strict_json import show_value

Role = Literal["results", "details"]
JUDGE = "gpt-4o-2024-08-06"
"""The judge of Swallow's evaluation, which its files do not name."""
_CUT_CHARACTERS = (8192, 6144)
"""The characters after which it cuts a text."""
_MEAN_TOLERANCE = 0.005
_DETAILS = re.compile(r"details_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)")
_RESULTS = re.compile(r"results_(\d{4}-\d\d-\d\dT[\d.:-]+)")
_SCORES = re.compile(r"judge_score_(.+)_turn_(\d)")
_TRUNCATED = re.compile(r"truncate_(\d+)")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT[\d.:-]+")
_LONGEST_LIST = 1000
_OVERALL = "overall"
"""Swallow's name for the ratings of all categories; lighteval's own task has the judge's short name there."""


_Rows = list[tuple[rows.SourcePlace, dict[str, Any]]]


class _File(NamedTuple):
    """A file of details: its task, the model that it is of, and when it was written; its rows."""

    name: str
    task: str
    model: str
    date: str
    rows: _Rows


class _Results(NamedTuple):
    """The means of one run by task, the model that they are of, and the judge where the file names it."""

    name: str
    model: str
    date: str
    tasks: dict[str, dict[str, Any]]
    judge: str


def role_of(keys: frozenset[str]) -> Role | None:
    """Whether an object with these keys is a results file, or a row of details."""
    if {"config_general", "results"} <= keys:
        return "results"
    return "details" if {"predictions", "metrics"} <= keys and keys & {"specifics", "specific"} else None


def assemble_swallow(files: Iterable[BenchFile]) -> AssembledBench:
    """The records of a set of results and details, and sentences on what is not MT-Bench or does not match."""
    state = Assembly("swallow")
    results, details = list[_Results](), list[tuple[str, _Rows]]()
    for file in files:
        file_rows = list(state.objects(file))
        if file.role == "results":
            results += [_results(file.name, row) for _, row in file_rows]
        elif file.role == "details":
            details.append((file.name, file_rows))
    sources = _of_mt_bench([_file(name, file_rows, results) for name, file_rows in details], results, state.bench.notes)
    _take(state, sources, results)
    assembled_bench = state.finish()
    _compare(assembled_bench, sources, results)
    return assembled_bench


def _results(name: str, value: Mapping[str, Any]) -> _Results:
    general, scores = value.get("config_general"), value.get("results")
    model = general.get("model_name") if isinstance(general, dict) else None
    date = name_match[1] if (name_match := _RESULTS.match(PurePosixPath(name).stem)) else ""
    tasks = {task: row for task, row in scores.items() if isinstance(row, dict)} if isinstance(scores, dict) else {}
    judge = next(iter(_judges(value.get("config_tasks"), 6)), "")
    return _Results(name, model if isinstance(model, str) else "", date, tasks, judge)


def _judges(value: Any, depth: int) -> Iterator[str]:
    """The names of judges that a configuration states somewhere within."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if key in ("judge_model_name", "judge_model") and isinstance(entry, str) and entry:
                yield entry
            elif depth:
                yield from _judges(entry, depth - 1)
    elif isinstance(value, list) and depth:
        for entry in value[:_LONGEST_LIST]:
            yield from _judges(entry, depth - 1)


def _file(name: str, file_rows: _Rows, results: list[_Results]) -> _File:
    """A file of details; its model is that of the results of the same run, else that of its folders."""
    path = PurePosixPath(name)
    name_match = _DETAILS.match(path.stem)
    task, date = (name_match[1], name_match[2]) if name_match else (path.stem, "")
    folders = [part for part in path.parts[:-1] if not _DATE.fullmatch(part)]
    if "details" in folders:
        folders = folders[len(folders) - folders[::-1].index("details") :]
    own = "/".join(folders)
    runs = [run for run in results if date and run.date == date and run.model]
    own_run = next(
        (run for run in runs if own and run.model in (own, own.replace("__", "/"))), runs[0] if runs else None
    )
    return _File(name, task, own_run.model if own_run else own or path.stem, date, file_rows)


def _of_mt_bench(files: list[_File], results: list[_Results], notes: list[str]) -> list[_File]:
    """The files of one task of MT-Bench; notes say what the other files are."""
    by_task: dict[str, list[_File]] = defaultdict(list)
    for file in files:
        if not file.rows:
            notes.append(f"{file.name} was ignored: it holds no rows.")
        elif not any(_lists(_object(row, "metrics"), turn) for _, row in file.rows[:5] for turn in (1, 2)):
            notes.append(f"{file.name} was ignored: it is of the task {file.task}, which has no ratings by turn.")
        else:
            by_task[_task_name(file.task)].append(file)
    for run in results:
        means = [_task_name(task) for task, entries in run.tasks.items() if any(_SCORES.match(key) for key in entries)]
        if not means:
            notes.append(f"{run.name} was ignored: it holds no means of MT-Bench.")
        for task in dict.fromkeys(means):
            if task != "all" and not any(_of_run(file, run) for entries in by_task.values() for file in entries
                                         if _task_name(file.task) == task):  # fmt: skip
                notes.append(
                    f"{run.name} has means of {run.model or 'a model'} ({task}), but its details are not in the "
                    "files, so it gives no answers and judgments. Give the Parquet file of details_ with it."
                )
    if len(by_task) > 1:
        first = next(iter(by_task))
        others = list_names(file.name for task, entries in by_task.items() if task != first for file in entries)
        notes.append(
            f"Only the questions of {first} are taken: {others} {verb(len(by_task) - 1, 'is', 'are')} of another task, "
            "whose questions have the same numbers. Import each task into a dataset of its own."
        )
    return by_task[next(iter(by_task))] if by_task else []


def _of_run(file: _File, run: _Results) -> bool:
    """Whether details and results belong to one run: they have the same date, on which several models may have run."""
    return file.date == run.date and run.model in ("", file.model)


def _task_name(task: str) -> str:
    """The name of a task, without its suite and the number of examples: swallow|japanese_mt_bench|0."""
    parts = task.split("|")
    return _TRUNCATED.sub("", parts[1] if len(parts) > 1 else task).strip("_")


def _take(state: Assembly, files: list[_File], results: list[_Results]) -> None:
    """Add the rows of details, each converted to the equivalent rows of FastChat's files."""
    dates: dict[str, list[str]] = defaultdict(list)
    shares = 0
    for file in files:
        dates[file.model] += [file.date] * (file.date not in dates[file.model])
        again = dates[file.model].index(file.date)
        model = f"{file.model} ({file.date})" if again else file.model
        if again:
            state.bench.notes.append(f"{file.name}: another run of {file.model}, which is kept as {show_value(model)}.")
        judge = next((run.judge for run in results if run.judge and _of_run(file, run)), JUDGE)
        cut = _cut_at(file)
        for place, row in file.rows:
            try:
                shares += _row(state, place._replace(row=None), row, model, judge, cut)
            except rows.BadField as error:
                state.bench.bad.append(BadRow(place, *error.problem))
    if any(pending.judge.model == JUDGE for pending in state.rated) and not any(run.judge for run in results):
        state.bench.notes.append(f"The files do not name the judge: it is taken to be Swallow's usual one, {JUDGE}.")
    if shares:
        state.bench.notes.append(f"{many(shares, 'rating')} stated as a share of ten were put on the scale of 1 to 10.")


def _cut_at(file: _File) -> int:
    """The number of characters at which texts were cut: from the task's name, else a usual cut at which texts end."""
    if name_match := _TRUNCATED.search(file.task):
        return int(name_match[1])
    longest = max((len(text) for _, row in file.rows for text in _texts(row.get("predictions"))), default=0)
    return longest if longest in _CUT_CHARACTERS else 0


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry)


def _row(state: Assembly, place: rows.SourcePlace, row: Mapping[str, Any], model: str, judge: str, cut: int) -> int:
    """One question of one model; gives how many of its ratings were stated as shares of ten."""
    original, metrics = _object(row, "specifics") or _object(row, "specific"), _object(row, "metrics")
    short = _lists(metrics, 1)
    judge = judge if short in ("", _OVERALL) else short
    key = rows.question_id({"question_id": original.get("id", original.get("question_id"))})
    record = {"question_id": key, "category": original.get("category"), "turns": original.get("multi_turn_queries")}
    record["turns"] = record["turns"] or original.get("turns")
    question = rows.read_question(record)._replace(reference=_reference(original.get("reference")))
    if state.bench.questions.setdefault(key, question) != question:
        raise rows.BadField("specifics", f"The question {key} appears twice, with different texts.")
    answers = _predictions(row.get("predictions"), len(question.turns))
    choices = []
    for n, turns in enumerate(zip(*answers, strict=True)):
        facts = {"continues": 0} if n else {}
        facts |= {"cut_at": cut} if cut and any(len(text) == cut for text in turns) else {}
        choices.append({"index": n, "turns": list(turns), **facts})
    answer = {"question_id": key, "model_id": model, "choices": choices}
    state.read("answer", place, answer)
    shares = 0
    for turn in range(1, len(answers) + 1):
        stated, texts, prompts = (
            _values_of_turn(metrics, name, turn) for name in ("judge_score", "judgement", "user_prompt")
        )
        if stated is None:
            raise rows.BadField("metrics", f"metrics has no judge_score_overall_turn_{turn}: it was not judged.")
        judgments = [text if isinstance(text, str) else "" for text in texts or [""] * len(stated)]
        if len(judgments) != len(stated) or len(stated) != len(choices):
            raise rows.BadField(
                "metrics",
                f"Turn {turn} has {many(len(stated), 'rating')} and {many(len(judgments), 'text')} of "
                f"{many(len(choices), 'sample')}: each sample needs one of both.",
            )
        numbers = [_scale_rating(number, text) for number, text in zip(stated, judgments, strict=True)]
        shares += sum(number != original for number, original in zip(numbers, stated, strict=True))
        rated = {
            "question_id": key, "model": model, "judge": judge, "turn": turn, "score": numbers, "judgment": judgments,
            "user_prompt": prompts,
        }  # fmt: skip
        state.read("single", place, rated)
    return shares


def _object(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object in a row, which may be written as a text of JSON."""
    value = row.get(key)
    if isinstance(value, str) and value.startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _reference(value: Any) -> tuple[str, ...]:
    """The reference answers of a row: texts, or rows of FastChat's reference files."""
    entries = value if isinstance(value, list) else []
    if entries and isinstance(entries[0], dict):
        choices = entries[0].get("choices")
        holders = [entries[0], *(choices[:1] if isinstance(choices, list) else [])]
        turn_lists = [holder["turns"] for holder in holders if isinstance(holder, dict) and holder.get("turns")]
        entries = turn_lists[0] if turn_lists and isinstance(turn_lists[0], list) else []
    return tuple(text if isinstance(text, str) else "" for text in entries) if any(entries) else ()


def _predictions(value: Any, turns: int) -> list[list[str]]:
    """A row's answers: a list for each turn, which has a text for each sample."""
    answers = [[texts] if isinstance(texts, str) else texts for texts in value] if isinstance(value, list) else []
    fits = all(isinstance(texts, list) and all(isinstance(text, str) for text in texts) for texts in answers)
    if not fits or not 1 <= len(answers) <= turns or len({len(texts) for texts in answers}) != 1 or not answers[0]:
        raise rows.BadField("predictions", "predictions must be a list for each turn, with a text for each sample.")
    return answers


def _lists(metrics: Mapping[str, Any], turn: int) -> str:
    """Return the name of a turn's ratings in a row's metrics: overall, or the judge's short name; "" for none."""
    names = [key_match[1] for key, value in metrics.items()
             if (key_match := _SCORES.fullmatch(key)) and int(key_match[2]) == turn and value is not None]  # fmt: skip
    return _OVERALL if _OVERALL in names else next(iter(names), "")


def _values_of_turn(metrics: Mapping[str, Any], field: str, turn: int) -> list[Any] | None:
    name = _lists(metrics, turn)
    value = metrics.get(f"{field}_{name}_turn_{turn}") if name else None
    if field == "user_prompt" and isinstance(value, list) and value and isinstance(value[0], dict):
        return [value]
    return value if value is None or isinstance(value, list) else [value]


def _scale_rating(stated: Any, text: str) -> Any:
    """A stated rating on the scale of 1 to 10: times ten where the text says that it is a share of ten."""
    value = parsing.rating(text)
    if isinstance(stated, (int, float)) and value is not None and stated != value and math.isclose(stated * 10, value):
        return value
    return stated


def _compare(assembled_bench: AssembledBench, files: list[_File], results: list[_Results]) -> None:
    """Note where the means of a results file differ from those of its details."""
    numbers: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for place, rating in assembled_bench.ratings:
        if rating.stated is not None:
            numbers[place.file, rating.turn][rating.question].append(rating.stated)
    for run in results:
        for file in (file for file in files if _of_run(file, run)):
            row = next((means for task, means in run.tasks.items() if _task_name(task) == _task_name(file.task)), {})
            for turn in (1, 2):
                stated = row.get(f"judge_score_overall_turn_{turn}_avg", row.get(f"judge_score_overall_turn_{turn}"))
                by_question = numbers.get((file.name, turn), {})
                if isinstance(stated, bool) or not isinstance(stated, (int, float)) or not by_question:
                    continue
                detail_means = _means(list(by_question.values()))
                if not any(
                    abs(stated * scale - mean) <= _MEAN_TOLERANCE * scale for mean in detail_means for scale in (1, 10)
                ):
                    assembled_bench.notes.append(
                        f"{run.name}: the mean of turn {turn} is stated as {stated:g}, and the details "
                        f"({file.name}) give {detail_means[0]:.4g} (-1 counted), or {detail_means[-1]:.4g} without it."
                    )


def _means(samples: list[list[float]]) -> list[float]:
    """The mean over questions of the mean over samples: -1 counted; counted unless all are -1; and left out."""
    rated = [numbers for numbers in samples if any(number != -1 for number in numbers)] or samples
    scored = [[number for number in numbers if number != -1] or numbers for numbers in rated]
    return [fmean(fmean(numbers) for numbers in selection) for selection in (samples, rated, scored)]
