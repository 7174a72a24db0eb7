"""Label Studio: tasks with the annotations of people and the predictions of models, in its JSON and its JSON-MIN."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from data.importing.conversations.evaluation_cases import (
    CaseRating,
    CaseReader,
    EvaluationCase,
    as_confidence,
    plain_fields,
    text_fields,
)
from data.importing.conversations.traces import iso_time
from data.importing.conversations.utterances import as_object, as_objects, text_of
from data.importing.format_file import FileStart
from judges.strict_json import decode_json

TITLE = "Label Studio"
_MIN = {"annotation_id", "annotator", "lead_time"}
_SIDES = {"left": "a", "right": "b"}
_OWN = {"id", "created_at", "updated_at", *_MIN}


def fits(start: FileStart) -> bool:
    """Whether a file that begins with these rows is an export of tasks."""
    return any(_is_task(row) or row.keys() >= _MIN for row in start.rows)


def _is_task(row: dict[str, Any]) -> bool:
    return isinstance(row.get("data"), dict) and any(
        isinstance(row.get(k), list) for k in ("annotations", "completions", "predictions")
    )


class Reader(CaseReader):
    """Reads tasks, with annotations as a person's and predictions as a judge's."""

    def take(self, row: dict[str, Any]) -> None:
        """A task, in either form."""
        if _is_task(row):
            self._task(row)
        elif row.keys() >= _MIN:
            self._take_json_min(row)
        else:
            self.add_fault("row", "is no task: it has no data.", row=row)

    def _task(self, row: dict[str, Any]) -> None:
        utterances, sides, reference, used = text_fields(row["data"])
        opinions: list[CaseRating] = []
        for annotation in as_objects(row.get("annotations") or row.get("completions")):
            if annotation.get("was_cancelled") or annotation.get("skipped"):
                self.add_hint("{n} annotations that were cancelled were left out.")
                continue
            opinions += self._opinions(
                annotation, "person", _person(annotation.get("completed_by")), _change_time(annotation)
            )
        for prediction in as_objects(row.get("predictions")):
            judge = text_of(prediction.get("model_version")) or "prediction"
            opinions += self._opinions(prediction, "judge", judge, sure=as_confidence(prediction.get("score")))
        meta = plain_fields(row["data"], used)
        self.add(EvaluationCase(text_of(row.get("id")), utterances, opinions, sides, reference, meta=meta))

    def _take_json_min(self, row: dict[str, Any]) -> None:
        """A row of JSON-MIN: the fields of the task, and what one person said, each under its name."""
        fields = {name: value for name, value in row.items() if name not in _OWN}
        utterances, sides, reference, used = text_fields(fields)
        opinions = []
        for name, value in fields.items():
            if name in used or value is None:
                continue
            value = decode_json(value)  # in a table, lists and objects are texts
            single = value["choices"] if isinstance(value, dict) and "choices" in value else value
            if isinstance(single, list) and len(single) == 1:
                single = single[0]
            if isinstance(single, dict) and len(single) == 1:
                single = next(iter(single.values()))
            if isinstance(single, (int, float, str)) and len(str(single)) <= 100:
                value = _SIDES.get(single, single) if sides and isinstance(single, str) else single
                opinions.append(CaseRating(name, "person", _person(row.get("annotator")), value, "", _change_time(row)))
            else:
                self.note_unused(name)
        self.add(EvaluationCase(text_of(row.get("id")), utterances, opinions, sides, reference))

    def _opinions(
        self, annotation: dict[str, Any], by: str, rater: str, at: str = "", sure: float | None = None
    ) -> Iterator[CaseRating]:
        """One value for each control that was used; what was written freely is the note of all of them.

        The choice of one of two sides is a verdict, whatever the control is called, where there is but one.
        """
        results = as_objects(annotation.get("result"))
        remarks = (as_object(region.get("value")).get("text") for region in results if region.get("type") == "textarea")
        note = "\n\n".join(filter(None, (text_of(text) for texts in remarks for text in _to_list(texts))))
        for region in results:
            kind, name = text_of(region.get("type")), text_of(region.get("from_name"))
            value = as_object(region.get("value"))
            place = value.get("start") if kind == "paragraphlabels" else region.get("item_index")
            spoken = int(text_of(place)) if text_of(place).isdecimal() else None
            if kind in ("choices", "paragraphlabels", "taxonomy"):
                answer: Any = " / ".join(
                    text_of(choice) for chosen in _to_list(value.get(kind)) for choice in _to_list(chosen)
                )
            elif kind in ("rating", "number"):
                answer = value.get(kind)
            elif kind == "pairwise":
                answer = _SIDES.get(text_of(value.get("selected")), "tie")
            else:
                if kind != "textarea":
                    self.note_unused(kind or "a result without a type")
                continue
            if kind == "pairwise" and sum(other.get("type") == kind for other in results) == 1:
                name = "verdict"
            yield CaseRating(name or kind, by, rater, answer, note, at, sure, spoken)


def _change_time(row: dict[str, Any]) -> str:
    return iso_time(row.get("updated_at") or row.get("created_at"))


def _person(user: Any) -> str:
    if isinstance(user, dict):
        full = " ".join(filter(None, (text_of(user.get("first_name")), text_of(user.get("last_name")))))
        return text_of(user.get("email") or user.get("username")) or full or text_of(user.get("id"))
    return f"user {user}" if isinstance(user, int) else text_of(user)


def _to_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value is not None else []
