"""Inspect: the JSON logs of its evaluations, with what its scorers gave every sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from data.importing.conversations.evaluation_cases import CaseRating, CaseReader, EvaluationCase, plain_fields
from data.importing.conversations.traces import iso_time
from data.importing.conversations.utterances import (
    as_object,
    as_objects,
    input_utterances,
    list_of,
    output_utterances,
    read_messages,
    text_of,
)
from data.importing.format_file import FileStart

TITLE = "Inspect"
LISTS = (("samples",),)
_VERSION = 2
_UNCHANGED = "UNCHANGED"
"""Stands in each field of a correction that it left as it was."""


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows is a log, or has samples of one."""
    return any(
        (isinstance(row.get("eval"), dict) and "task" in row["eval"]) or _is_sample(row)
        or (isinstance(row.get("samples"), list) and any(_is_sample(sample) for sample in row["samples"][:3]))
        for row in start.rows
    )  # fmt: skip


def _is_sample(row: Any) -> bool:
    return (
        isinstance(row, dict) and {"id", "epoch"} <= row.keys() and bool(row.keys() & {"messages", "output", "scores"})
    )


class Reader(CaseReader):
    """Reads the samples of a log, with their scores; the facts about the evaluation come before its samples."""

    def begin(self) -> None:
        self._eval: dict[str, Any] = {}

    def take(self, row: dict[str, Any]) -> None:
        if isinstance(row.get("eval"), dict):
            self._eval = row["eval"]
            version = row.get("version")
            if isinstance(version, int) and version > _VERSION:
                self.add_hint(f"a log has version {version}, and was read as version {_VERSION} is.")
            if row.get("status") not in (None, "success"):
                self.add_hint(f"a log has the status {text_of(row['status'])}: it may lack samples.")
        if _is_sample(row):
            self._sample(row)
        for sample in list_of(row.get("samples")):
            if _is_sample(sample):
                self._sample(sample)
            else:
                self.add_fault("sample", "has no id, or nothing was asked in it.", row=sample)

    def _sample(self, sample: dict[str, Any]) -> None:
        output = as_object(sample.get("output"))
        utterances = read_messages(sample.get("messages"))
        utterances = utterances or [*input_utterances(sample.get("input")), *output_utterances(output)]
        texts = {f"attachment://{n}": text_of(text) for n, text in as_object(sample.get("attachments")).items()}
        utterances = [utterance._replace(text=texts.get(utterance.text, utterance.text)) for utterance in utterances]
        choices, target = sample.get("choices"), sample.get("target")
        model = text_of(self._eval.get("model") or output.get("model"))
        name = "/".join(filter(None, (text_of(self._eval.get("task")), text_of(sample["id"]), model)))
        name += "" if sample["epoch"] in (None, 1) else f"/epoch {sample['epoch']}"
        reference = "\n".join(map(text_of, target)) if isinstance(target, list) else text_of(target)
        meta = plain_fields(sample.get("metadata"))
        meta |= {"choices": choices} if isinstance(choices, list) and choices else {}
        opinions = list(self._opinions(sample))
        self.add(EvaluationCase(name, utterances, opinions, reference=reference, system=model, meta=meta))
        self.note_unused(*(key for key in ("error", "limit", "error_retries") if sample.get(key)))

    def _opinions(self, sample: dict[str, Any]) -> Iterator[CaseRating]:
        """Yield the scorers' values. If somebody corrected a score, the original is kept with that person's value."""
        scores = sample.get("scores")
        if not isinstance(scores, dict):
            scores = {"score": sample["score"]} if isinstance(sample.get("score"), dict) else {}
        for scorer, score in scores.items():
            if not isinstance(score, dict):
                score = {"value": score}
            edits = [{k: v for k, v in edit.items() if v != _UNCHANGED} for edit in as_objects(score.get("history"))]
            first = {**score, **{k: v for k, v in (edits[0] if edits else {}).items() if v is not None}}
            parts = [text_of(first.get("explanation"))]
            if first.get("answer") not in (None, ""):
                parts.insert(0, f"Answer: {text_of(first['answer'])}")
            note = "\n\n".join(filter(None, parts))
            yield from self._values(scorer, first.get("value"), "judge", self._rater(scorer, first), note)
            for edit in edits:
                by = as_object(edit.get("provenance"))
                if by.get("author") and edit.get("value") is not None:
                    at, why = iso_time(by.get("timestamp")), text_of(by.get("reason") or edit.get("explanation"))
                    yield from self._values(scorer, edit["value"], "person", text_of(by["author"]), why, at)

    def _values(self, name: str, value: Any, by: Any, rater: str, note: str, at: str = "") -> Iterator[CaseRating]:
        if isinstance(value, dict):
            for key, score in value.items():
                yield CaseRating(f"{name}: {key}", by, rater, score, note, at)
        elif value is not None:
            yield CaseRating(name, by, rater, value, note, at)

    def _rater(self, scorer: str, score: dict[str, Any]) -> str:
        """The model that graded, where the log names it, else the scorer."""
        if isinstance(model := as_object(score.get("metadata")).get("model"), str):
            return model
        names = (scorer, f"inspect_ai/{scorer}")
        known = next((spec for spec in as_objects(self._eval.get("scorers")) if spec.get("name") in names), {})
        model = as_object(known.get("options")).get("model")
        return model if isinstance(model, str) and model else scorer
