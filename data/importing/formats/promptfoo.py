"""promptfoo: the results of evaluations, as JSON or JSON lines, with what each assertion gave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from data.importing.conversations.evaluation_cases import (
    REFERENCES,
    CaseRating,
    CaseReader,
    EvaluationCase,
    plain_fields,
)
from data.importing.conversations.utterances import Utterance, as_object, as_objects, read_messages, text_of
from data.importing.format_file import FileStart

TITLE = "promptfoo"
LISTS = (("results", "results"), ("results",))
_GRADED = {"response", "gradingResult", "success", "namedScores"}


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows holds results."""
    return any(map(_is_result, (case for row in start.rows for case in _results(row)))) or any(
        "evalId" in row and isinstance(row.get("results"), dict) for row in start.rows
    )


def _results(value: dict[str, Any]) -> list[dict[str, Any]]:
    results = value.get("results")
    while isinstance(results, dict):
        results = results.get("results")
    if isinstance(results, list):
        return [case for case in results if isinstance(case, dict)]
    return [value] if _is_result(value) else []


def _is_result(row: dict[str, Any]) -> bool:
    return {"vars", "prompt"} <= row.keys() and bool(row.keys() & _GRADED)


class Reader(CaseReader):
    """Reads the outputs of all tests, with their grades."""

    def rows(self, value: dict[str, Any]) -> list[dict[str, Any]]:
        return _results(value)

    def take(self, row: dict[str, Any]) -> None:
        """The output of a test, or the conversation that it had."""
        if not _is_result(row):
            self.add_fault("result", "has neither a prompt nor variables.", row=row)
            return
        provider, response = _provider_name(row.get("provider")), row.get("response")
        output = text_of(response.get("output") if isinstance(response, dict) else response)
        variables, meta = as_object(row.get("vars")), as_object(row.get("metadata"))
        places = [f"{sort} {row[f'{sort}Idx']}" for sort in ("test", "prompt") if f"{sort}Idx" in row]
        name = ", ".join(filter(None, (*places, provider)))
        utterances = read_messages(meta.get("messages")) or [
            Utterance(role, text_of(turn[key]))
            for turn in as_objects(meta.get("redteamHistory"))
            for role, key in (("user", "prompt"), ("assistant", "output")) if turn.get(key)
        ]  # fmt: skip
        if not utterances:
            if not output.strip():
                why = "has no output: its provider gave an error, or nothing."
                self.add_fault("result", why, name, {"error": row.get("error"), "vars": variables})
                return
            prompt = row["prompt"].get("raw") if isinstance(row["prompt"], dict) else row["prompt"]
            inputs = [Utterance("user", text_of(prompt))] if text_of(prompt).strip() else []
            utterances = [*(read_messages(prompt) or inputs), Utterance("assistant", output)]
        reference = next((text_of(variables[key]) for key in REFERENCES if key in variables), "")
        meta, opinions = plain_fields(variables, REFERENCES), list(_opinions(row))
        self.add(EvaluationCase(name, utterances, opinions, reference=reference, system=provider, meta=meta))


def _opinions(row: dict[str, Any]) -> Iterator[CaseRating]:
    """A score for each assertion, the named scores that no assertion has, and whether all was passed."""
    grading = as_object(row.get("gradingResult"))
    components = as_objects(grading.get("componentResults"))
    if not components and isinstance(grading.get("assertion"), dict):
        components = [grading]
    met: dict[str, int] = {}
    passed: list[Any] = []
    human = False
    for component in components:
        assertion = as_object(component.get("assertion"))
        kind = text_of(assertion.get("type")) or "assertion"
        name = text_of(assertion.get("metric")) or kind
        met[name] = met.get(name, 0) + 1
        note = "\n\n".join(filter(None, (text_of(component.get("reason")), text_of(component.get("comment")))))
        if kind == "human":
            # A person rates the result as a whole; if they pass it, the tool says that it passed.
            human = True
            yield CaseRating("pass", "person", "", component.get("pass"), note)
            continue
        passed.append(component.get("pass"))
        value = component.get("score") if isinstance(component.get("score"), (int, float)) else component.get("pass")
        rating_name = name if met[name] == 1 else f"{name} {met[name]}"
        yield CaseRating(rating_name, "judge", _provider_name(assertion.get("provider")) or kind, value, note)
    for name, value in as_object(row.get("namedScores") or grading.get("namedScores")).items():
        if name not in met:
            yield CaseRating(text_of(name), "judge", "promptfoo", value)
    if human and passed:
        yield CaseRating("pass", "judge", "promptfoo", all(passed))
    elif isinstance(grading.get("pass"), bool) and not human:
        why = text_of(grading.get("comment") or grading.get("reason"))
        yield CaseRating("pass", "judge", "promptfoo", grading["pass"], why)


def _provider_name(provider: Any) -> str:
    if isinstance(provider, dict):
        return text_of(provider.get("label") or provider.get("id"))
    return text_of(provider)
