"""DeepEval: test runs, single ones and conversations, with the data of their metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from data.importing.conversations.evaluation_cases import (
    CaseCollector,
    CaseRating,
    EvaluationCase,
    plain_fields,
    read_cases,
)
from data.importing.conversations.utterances import Utterance, as_text, tool_call_utterance
from data.importing.format_file import FileStart, FormatFile
from data.importing.lines import ToolEntry

TITLE = "DeepEval"
_KEYS = (
    "testCases",
    "conversationalTestCases",
    "test_cases",
    "conversational_test_cases",
    "testResults",
    "test_results",
)
LISTS = (*((key,) for key in _KEYS), *(("testRunData", key) for key in _KEYS[:2]))


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows is a test run."""
    return any(_is_case(one) for row in start.rows for one in _cases(row)) or any(
        isinstance(row.get("testRunData"), dict) for row in start.rows
    )


def read(files: Iterable[FormatFile]) -> Iterator[ToolEntry]:
    """The test cases, with the scores of their metrics."""
    return read_cases(TITLE, files, _cases, _is_case, _case, "test case", "has neither an input nor turns.")


def _cases(value: dict[str, Any]) -> list[dict[str, Any]]:
    value = held if isinstance(held := value.get("testRunData"), dict) else value
    lists = [value[key] for key in _KEYS if isinstance(value.get(key), list)]
    return [one for held in lists for one in held if isinstance(one, dict)] or ([value] if _is_case(value) else [])


def _is_case(row: dict[str, Any]) -> bool:
    metrics = any(isinstance(row.get(key), list) for key in ("metricsData", "metrics_data"))
    return metrics and bool(row.keys() & {"actualOutput", "actual_output", "turns", "input"})


def _get(row: dict[str, Any], camel: str, snake: str) -> Any:
    return row[camel] if row.get(camel) is not None else row.get(snake)


def _case(cases: CaseCollector, file: str, line: int, row: dict[str, Any]) -> None:
    turns, name = row.get("turns"), as_text(row.get("name"))
    opinions = [one for metric in _get(row, "metricsData", "metrics_data") for one in _opinion(metric, cases)]
    context = _get(row, "retrievalContext", "retrieval_context") or row.get("context")
    meta = plain_fields(_get(row, "additionalMetadata", "additional_metadata") or row.get("metadata"))
    meta |= {"context": context} if context else {}
    if isinstance(turns, list) and turns:
        said = [one for turn in turns if isinstance(turn, dict) for one in _turn(turn)]
        scenario, expected = (
            as_text(row.get("scenario")),
            as_text(_get(row, "expectedOutcome", "expected_outcome")),
        )
        cases.add(EvaluationCase(file, line, name, said, opinions, reference=expected, scenario=scenario, meta=meta))
        return
    output = as_text(_get(row, "actualOutput", "actual_output"))
    said = [Utterance("user", as_text(row.get("input")))] if as_text(row.get("input")).strip() else []
    said += _tools(row)
    said += [Utterance("assistant", output)] if output.strip() else []
    expected = as_text(_get(row, "expectedOutput", "expected_output"))
    cases.add(EvaluationCase(file, line, name, said, opinions, reference=expected, meta=meta))


def _turn(turn: dict[str, Any]) -> list[Utterance]:
    if "role" in turn:
        text = as_text(turn.get("content"))
        return [*_tools(turn), *([Utterance(as_text(turn["role"]), text)] if text.strip() else [])]
    asked, output = as_text(turn.get("input")), as_text(_get(turn, "actualOutput", "actual_output"))
    return [Utterance("user", asked), *_tools(turn), Utterance("assistant", output)]


def _tools(row: dict[str, Any]) -> list[Utterance]:
    found = []
    for one in _get(row, "toolsCalled", "tools_called") or ():
        if isinstance(one, dict) and one.get("name"):
            given = next(
                (one[k] for k in ("inputParameters", "input_parameters", "input") if one.get(k) is not None), ""
            )
            found.append(tool_call_utterance(as_text(one["name"]), given))
            found += (
                [Utterance("tool", as_text(one["output"]), as_text(one["name"]))]
                if one.get("output") is not None
                else []
            )
    return found


def _opinion(metric: Any, cases: CaseCollector) -> Iterator[CaseRating]:
    if not isinstance(metric, dict) or not metric.get("name"):
        return
    if metric.get("error") and metric.get("score") is None:
        cases.rest.hint("{n} metrics ended with an error and have no score.")
        return
    value = metric.get("score") if metric.get("score") is not None else metric.get("success")
    who = as_text(_get(metric, "evaluationModel", "evaluation_model")) or "deepeval"
    yield CaseRating(as_text(metric["name"]), "judge", who, value, as_text(metric.get("reason")))
