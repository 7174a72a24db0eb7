"""Inspect: the JSON logs of its evaluations, with what its scorers gave every sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from data.importing.conversations.evaluation_cases import CaseCollector, CaseRating, EvaluationCase, plain_fields
from data.importing.conversations.traces import iso_time
from data.importing.conversations.utterances import (
    Utterance,
    as_text,
    input_utterances,
    output_utterances,
    read_messages,
)
from data.importing.format_file import FileStart, FormatFile
from data.importing.lines import ToolEntry

TITLE = "Inspect"
LISTS = (("samples",),)
_VERSION = 2


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows is a log, or has samples of one."""
    return any(
        (isinstance(row.get("eval"), dict) and "task" in row["eval"]) or _is_sample(row)
        or (isinstance(row.get("samples"), list) and any(_is_sample(one) for one in row["samples"][:3]))
        for row in start.rows
    )  # fmt: skip


def read(files: Iterable[FormatFile]) -> Iterator[ToolEntry]:
    """The samples of the logs, with their scores."""
    cases = CaseCollector(TITLE)
    try:
        for part in files:
            log = _Log(cases, part.name)
            for record in cases.rest.good(part.name, part.records):
                with cases.rest.sparing(part.name, record.line, record.value):
                    log.take(record.line, record.value)
        yield from cases.entries()
    finally:
        cases.close()


def _is_sample(row: Any) -> bool:
    return (
        isinstance(row, dict) and {"id", "epoch"} <= row.keys() and bool(row.keys() & {"messages", "output", "scores"})
    )


class _Log:
    """One log: what it says of the evaluation comes before its samples."""

    def __init__(self, cases: CaseCollector, file: str) -> None:
        self._cases, self._file = cases, file
        self._eval: dict[str, Any] = {}

    def take(self, line: int, value: dict[str, Any]) -> None:
        """A part of the log."""
        if isinstance(value.get("eval"), dict):
            self._eval = value["eval"]
            version = value.get("version")
            if isinstance(version, int) and version > _VERSION:
                self._cases.rest.hint(f"a log has version {version}, and was read as version {_VERSION} is.")
            if value.get("status") not in (None, "success"):
                self._cases.rest.hint(f"a log has the status {as_text(value['status'])}: it may lack samples.")
        if _is_sample(value):
            self._sample(line, value)
        for one in held if isinstance(held := value.get("samples"), list) else ():
            if _is_sample(one):
                self._sample(line, one)
            else:
                self._cases.rest.fault(self._file, line, "sample", "has no id, or nothing was asked in it.", row=one)

    def _sample(self, line: int, sample: dict[str, Any]) -> None:
        attached = held if isinstance(held := sample.get("attachments"), dict) else {}
        output = held if isinstance(held := sample.get("output"), dict) else {}
        said = read_messages(sample.get("messages")) or [
            *input_utterances(sample.get("input")),
            *output_utterances(output),
        ]
        said = [_whole(one, attached) for one in said]
        choices, target = sample.get("choices"), sample.get("target")
        model = as_text(self._eval.get("model") or output.get("model"))
        name = "/".join(filter(None, (as_text(self._eval.get("task")), as_text(sample["id"]), model)))
        name += "" if sample["epoch"] in (None, 1) else f"/epoch {sample['epoch']}"
        reference = "\n".join(map(as_text, target)) if isinstance(target, list) else as_text(target)
        meta = plain_fields(sample.get("metadata"))
        meta |= {"choices": choices} if isinstance(choices, list) and choices else {}
        self._cases.add(EvaluationCase(
            self._file, line, name, said, list(self._opinions(sample)), reference=reference, system=model, meta=meta,
        ))  # fmt: skip
        self._cases.rest.unused(*({"error", "limit", "error_retries"} & {k for k, v in sample.items() if v}))

    def _opinions(self, sample: dict[str, Any]) -> Iterator[CaseRating]:
        """What the scorers gave; a score that somebody corrected is kept as that person's beside it."""
        scores = sample.get("scores")
        if not isinstance(scores, dict):
            scores = {"score": sample["score"]} if isinstance(sample.get("score"), dict) else {}
        for scorer, score in scores.items():
            if not isinstance(score, dict):
                score = {"value": score}
            told = [as_text(score.get("explanation"))]
            if score.get("answer") not in (None, ""):
                told.insert(0, f"Answer: {as_text(score['answer'])}")
            note = "\n\n".join(filter(None, told))
            edits = [one for one in score.get("history") or () if isinstance(one, dict)]
            first = edits[0].get("value") if edits and edits[0].get("value") is not None else score.get("value")
            yield from self._values(scorer, first, "judge", self._who(scorer, score), note)
            for edit in edits:
                by = edit.get("provenance")
                if isinstance(by, dict) and by.get("author") and edit.get("value") is not None:
                    at, why = iso_time(by.get("timestamp")), as_text(by.get("reason") or edit.get("explanation"))
                    yield from self._values(scorer, edit["value"], "person", as_text(by["author"]), why, at)

    def _values(self, name: str, value: Any, by: Any, who: str, note: str, at: str = "") -> Iterator[CaseRating]:
        if isinstance(value, dict):
            for key, one in value.items():
                yield CaseRating(f"{name}: {key}", by, who, one, note, at)
        elif value is not None:
            yield CaseRating(name, by, who, value, note, at)

    def _who(self, scorer: str, score: dict[str, Any]) -> str:
        """The model that graded, where the log names it, else the scorer."""
        meta = score.get("metadata")
        if isinstance(meta, dict) and isinstance(meta.get("model"), str):
            return str(meta["model"])
        for one in held if isinstance(held := self._eval.get("scorers"), list) else ():
            if isinstance(one, dict) and one.get("name") in (scorer, f"inspect_ai/{scorer}"):
                options = one.get("options")
                model = options.get("model") if isinstance(options, dict) else None
                return model if isinstance(model, str) and model else scorer
        return scorer


def _whole(one: Utterance, attached: dict[str, Any]) -> Utterance:
    """An utterance whose text was put away as an attachment, with its text."""
    if one.text.startswith("attachment://"):
        return one._replace(text=as_text(attached.get(one.text.removeprefix("attachment://"), one.text)))
    return one
