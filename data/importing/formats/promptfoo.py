"""promptfoo: the results of evaluations, as JSON or JSON lines, with what each assertion gave."""

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
from data.importing.conversations.utterances import Utterance, as_text, read_messages
from data.importing.format_file import FileStart, FormatFile
from data.importing.lines import ToolEntry

TITLE = "promptfoo"
LISTS = (("results", "results"), ("results",))
_REFERENCES = ("reference", "expected", "ideal", "ground_truth", "expected_output")


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows holds results."""
    return any(map(_is_result, (one for row in start.rows for one in _results(row)))) or any(
        "evalId" in row and isinstance(row.get("results"), dict) for row in start.rows
    )


def read(files: Iterable[FormatFile]) -> Iterator[ToolEntry]:
    """The outputs of all tests, with their grades."""
    return read_cases(TITLE, files, _results, _is_result, _result, "result", "has neither a prompt nor variables.")


def _results(value: dict[str, Any]) -> list[dict[str, Any]]:
    held = value.get("results")
    while isinstance(held, dict):
        held = held.get("results")
    if isinstance(held, list):
        return [one for one in held if isinstance(one, dict)]
    return [value] if _is_result(value) else []


def _is_result(row: dict[str, Any]) -> bool:
    return (
        "vars" in row and "prompt" in row and bool(row.keys() & {"response", "gradingResult", "success", "namedScores"})
    )


def _result(cases: CaseCollector, file: str, line: int, row: dict[str, Any]) -> None:
    provider, response = _named(row.get("provider")), row.get("response")
    output = response.get("output") if isinstance(response, dict) else response
    variables = held if isinstance(held := row.get("vars"), dict) else {}
    meta = held if isinstance(held := row.get("metadata"), dict) else {}
    parts = (
        f"test {row['testIdx']}" if "testIdx" in row else "",
        f"prompt {row['promptIdx']}" if "promptIdx" in row else "",
    )
    name = ", ".join(filter(None, (*parts, provider)))
    history = meta.get("redteamHistory")
    said = read_messages(meta.get("messages")) or [
        Utterance(role, as_text(one[key]))
        for one in (history if isinstance(history, list) else ()) if isinstance(one, dict)
        for role, key in (("user", "prompt"), ("assistant", "output")) if one.get(key)
    ]  # fmt: skip
    if not said:
        given = row["prompt"].get("raw") if isinstance(row["prompt"], dict) else row["prompt"]
        said = read_messages(given) or (
            [Utterance("user", as_text(given))] if as_text(given).strip() else []
        )
        if output is None or not as_text(output).strip():
            why = "has no output: its provider gave an error, or nothing."
            cases.rest.fault(file, line, "result", why, name, {"error": row.get("error"), "vars": variables})
            return
        said.append(Utterance("assistant", as_text(output)))
    reference = next((as_text(variables[key]) for key in _REFERENCES if key in variables), "")
    cases.add(EvaluationCase(
        file, line, name, said, list(_opinions(row)), reference=reference, system=provider,
        meta=plain_fields(variables, _REFERENCES),
    ))  # fmt: skip


def _opinions(row: dict[str, Any]) -> Iterator[CaseRating]:
    """A score for each assertion, the named scores that no assertion has, and whether all was passed."""
    grading = held if isinstance(held := row.get("gradingResult"), dict) else {}
    components = [one for one in grading.get("componentResults") or () if isinstance(one, dict)]
    if not components and isinstance(grading.get("assertion"), dict):
        components = [grading]
    met: dict[str, int] = {}
    passed: list[Any] = []
    human = False
    for one in components:
        assertion = held if isinstance(held := one.get("assertion"), dict) else {}
        kind = as_text(assertion.get("type")) or "assertion"
        name = as_text(assertion.get("metric")) or kind
        person = kind == "human"
        met[name] = met.get(name, 0) + 1
        note = "\n\n".join(filter(None, (as_text(one.get("reason")), as_text(one.get("comment")))))
        if person:
            # What a person rates is the result as a whole; the tool then says that it is passed where they do.
            human = True
            yield CaseRating("pass", "person", "", one.get("pass"), note)
            continue
        passed.append(one.get("pass"))
        value = one.get("score") if isinstance(one.get("score"), (int, float)) else one.get("pass")
        told = name if met[name] == 1 else f"{name} {met[name]}"
        yield CaseRating(told, "judge", _named(assertion.get("provider")) or kind, value, note)
    scores = row.get("namedScores") or grading.get("namedScores")
    for name, value in scores.items() if isinstance(scores, dict) else ():
        if name not in met:
            yield CaseRating(as_text(name), "judge", "promptfoo", value)
    if human and passed:
        yield CaseRating("pass", "judge", "promptfoo", all(passed))
    elif isinstance(grading.get("pass"), bool) and not human:
        yield CaseRating(
            "pass",
            "judge",
            "promptfoo",
            grading["pass"],
            as_text(grading.get("comment") or grading.get("reason")),
        )


def _named(provider: Any) -> str:
    if isinstance(provider, dict):
        return as_text(provider.get("label") or provider.get("id"))
    return as_text(provider)
