"""DeepEval: test runs, single ones and conversations, with the data of their metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from data.importing.conversations.evaluation_cases import CaseRating, CaseReader, EvaluationCase, plain_fields
from data.importing.conversations.utterances import Utterance, as_objects, text_of, tool_call_utterance
from data.importing.format_file import FileStart

TITLE = "DeepEval"
_KEYS = (
    *("testCases", "conversationalTestCases", "test_cases", "conversational_test_cases", "testResults"),
    "test_results",
)
LISTS = (*((key,) for key in _KEYS), *(("testRunData", key) for key in _KEYS[:2]))


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows is a test run."""
    return any(_is_case(case) for row in start.rows for case in _cases(row)) or any(
        isinstance(row.get("testRunData"), dict) for row in start.rows
    )


def _cases(value: dict[str, Any]) -> list[dict[str, Any]]:
    value = inner if isinstance(inner := value.get("testRunData"), dict) else value
    lists = [value[key] for key in _KEYS if isinstance(value.get(key), list)]
    return [case for inner in lists for case in inner if isinstance(case, dict)] or ([value] if _is_case(value) else [])


def _is_case(row: dict[str, Any]) -> bool:
    metrics = any(isinstance(row.get(key), list) for key in ("metricsData", "metrics_data"))
    return metrics and bool(row.keys() & {"actualOutput", "actual_output", "turns", "input"})


def _get(row: dict[str, Any], camel: str, snake: str) -> Any:
    return row[camel] if row.get(camel) is not None else row.get(snake)


class Reader(CaseReader):
    """Reads test cases, with the scores of their metrics."""

    def rows(self, value: dict[str, Any]) -> list[dict[str, Any]]:
        return _cases(value)

    def take(self, row: dict[str, Any]) -> None:
        """A test case: turns, or what was asked and answered."""
        if not _is_case(row):
            self.add_fault("test case", "has neither an input nor turns.", row=row)
            return
        name, turns = text_of(row.get("name")), as_objects(row.get("turns"))
        metrics = as_objects(_get(row, "metricsData", "metrics_data"))
        opinions = [rating for metric in metrics for rating in self._opinion(metric)]
        context = _get(row, "retrievalContext", "retrieval_context") or row.get("context")
        meta = plain_fields(_get(row, "additionalMetadata", "additional_metadata") or row.get("metadata"))
        meta |= {"context": context} if context else {}
        if turns:
            utterances = [utterance for turn in turns for utterance in _turn(turn)]
            expected = text_of(_get(row, "expectedOutcome", "expected_outcome"))
            scenario = text_of(row.get("scenario"))
            self.add(EvaluationCase(name, utterances, opinions, reference=expected, scenario=scenario, meta=meta))
            return
        output = text_of(_get(row, "actualOutput", "actual_output"))
        utterances = [Utterance("user", text_of(row.get("input"))), *_tools(row), Utterance("assistant", output)]
        utterances = [utterance for utterance in utterances if utterance.role == "tool" or utterance.text.strip()]
        expected = text_of(_get(row, "expectedOutput", "expected_output"))
        self.add(EvaluationCase(name, utterances, opinions, reference=expected, meta=meta))

    def _opinion(self, metric: dict[str, Any]) -> Iterator[CaseRating]:
        if not metric.get("name"):
            return
        value = metric.get("score")
        if metric.get("error") and value is None:
            self.add_hint("{n} metrics ended with an error and have no score.")
            return
        value = value if value is not None else metric.get("success")
        judge = text_of(_get(metric, "evaluationModel", "evaluation_model")) or "deepeval"
        yield CaseRating(text_of(metric["name"]), "judge", judge, value, text_of(metric.get("reason")))


def _turn(turn: dict[str, Any]) -> list[Utterance]:
    if "role" in turn:
        text = text_of(turn.get("content"))
        return [*_tools(turn), *([Utterance(text_of(turn["role"]), text)] if text.strip() else [])]
    input_text, output = text_of(turn.get("input")), text_of(_get(turn, "actualOutput", "actual_output"))
    return [Utterance("user", input_text), *_tools(turn), Utterance("assistant", output)]


def _tools(row: dict[str, Any]) -> Iterator[Utterance]:
    """The calls of tools and what came back."""
    for call in as_objects(_get(row, "toolsCalled", "tools_called")):
        if name := text_of(call.get("name")):
            keys = ("inputParameters", "input_parameters", "input")
            yield tool_call_utterance(name, next((call[k] for k in keys if call.get(k) is not None), ""))
            if call.get("output") is not None:
                yield Utterance("tool", text_of(call["output"]), name)
