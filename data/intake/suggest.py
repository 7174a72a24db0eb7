"""A first guess at what the columns of a table mean, from their names and a few rows; a person corrects it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from data.intake.mapping import From, JudgmentColumns, LabelColumns, Mapping, say
from judges.types import Kind

_IDS = ("id", "idx", "item_id", "item", "uid", "uuid", "key", "index", "question_id", "prompt_id", "name", "example_id")
_TASKS = ("task", "instruction", "prompt", "question", "query", "input", "context", "source", "long_input", "document")
_OUTPUTS = ("output", "response", "answer", "completion", "generation", "model_output", "prediction", "reply")
_REFERENCES = ("reference", "reference_answer", "gold", "target", "expected", "ground_truth")
_SYSTEMS = ("system", "model", "model_id", "generator", "assistant_model")
_TURNS = ("turns", "messages", "conversation", "conversations", "dialogue", "dialog", "chat", "history")
_SIDES = (("response", "answer", "output", "completion", "text", "reply"), (("a", "b"), ("1", "2")))
_PAIRS = (("chosen", "rejected"), ("preferred", "other"), ("better", "worse"))
_PEOPLE = re.compile(r"(annotator|human|rater|label|person|expert|gold|crowd)s?[ _-]?\w*", re.I)
_JUDGES = re.compile(
    r"(.+)[ _-](result|verdict|winner|judg\w+|choice|preference)|(judge|verdict|winner|preference)\w*", re.IGNORECASE
)
_REASONS = ("reason", "explanation", "rationale", "justification")
_TIES = {"tie": "tie", "Tie": "tie"}
VERDICTS = (
    {"0": "tie", "1": "a", "2": "b", **_TIES},
    {"a": "a", "b": "b", **_TIES},
    {"A": "a", "B": "b", "C": "tie", **_TIES},
    {"model_a": "a", "model_b": "b", **_TIES},
    {"-1": "b", "0": "tie", "1": "a", **_TIES},
)
_SAMPLED = 12


def suggest(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> Mapping:
    """A mapping to begin with; `faults` tells what it still lacks."""
    guess = _Guess(columns, rows)
    fields = guess.fields()
    kind: Kind = fields[0] if fields else ("pair" if guess.verdicts() else "response")
    used = {c for source in (fields[1] if fields else {}).values() for c in source.columns}
    key = guess.named(_IDS, used)
    judged, labels = guess.judgments(kind, key), guess.labels(kind, key)
    taken = used | {key} | {c for j in judged for c in [*j.value.columns, *j.reason.columns]}
    taken |= {c for label in labels for c in label.value.columns}
    meta = [c for c in columns if c not in taken and guess.short(c)] if fields else []
    return Mapping(
        kind=kind,
        id=From(columns=[key]) if key else From(),
        items=fields is not None,
        fields=fields[1] if fields else {},
        meta=meta,
        judgments=judged,
        labels=labels,
    )


class _Guess:
    """The columns of a table by their plain names, and their first cells."""

    def __init__(self, columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
        self.columns, self.rows = columns, rows[:_SAMPLED]
        self.plain = {re.sub(r"[^a-z0-9]+", "_", c.lower()).strip("_"): c for c in reversed(columns)}

    def named(self, names: Sequence[str], but: set[str] | frozenset[str] = frozenset()) -> str:
        """The column that bears the first of these names, or ""."""
        return next((self.plain[n] for n in names if n in self.plain and self.plain[n] not in but), "")

    def cells(self, column: str) -> list[str]:
        return [say(row.get(column)).strip() for row in self.rows]

    def short(self, column: str) -> bool:
        return all(len(cell) <= 100 for cell in self.cells(column))

    def fields(self) -> tuple[Kind, dict[str, From]] | None:
        """The kind of the items and their fields, if the table holds texts at all."""
        sides = self._sides()
        if sides:
            inputs = [self.plain[n] for n in _TASKS if n in self.plain and self.plain[n] not in sides]
            inputs = [c for c in self.columns if c in inputs]
            found = {"response_a": sides[0], "response_b": sides[1]}
            systems = [[f"{n}_{s}" for n in ("model", "system")] for s in ("a", "b")]
            one_two = [[f"{n}_{s}" for n in ("model", "system")] + [f"model{s}"] for s in ("1", "2")]
            for side, names, others in zip("ab", systems, one_two, strict=True):
                found[f"system_{side}"] = self.named([*names, *others])
            return "pair", _sources(found) | ({"input": From(columns=inputs)} if inputs else {})
        if turns := self.named(_TURNS):
            more = {"scenario": self.named(("scenario",)), "system": self.named(_SYSTEMS)}
            return "dialogue", _sources({"turns": turns, **more})
        text = self.named(("text", "content", "utterance", "message", "value"))
        if text and (role := self.named(("role", "speaker", "from"))):
            turn = self.named(("turn", "turn_number", "position", "order", "message_index"))
            more = {"turn": turn, "scenario": self.named(("scenario",))}
            return "dialogue", _sources({"text": text, "role": role, **more})
        if {"user", "assistant"} <= set(self.plain):
            turn = self.named(("turn", "turn_number", "position"))
            both = {name: self.plain[name] for name in ("user", "assistant")}
            return "dialogue", _sources({**both, "turn": turn})
        if output := self.named(_OUTPUTS):
            tasks = {self.plain[n] for n in _TASKS if n in self.plain}
            inputs = [c for c in self.columns if c in tasks and c != output]
            found = {"output": output, "reference": self.named(_REFERENCES), "system": self.named(_SYSTEMS)}
            return "response", _sources(found) | ({"task": From(columns=inputs)} if inputs else {})
        return None

    def _sides(self) -> tuple[str, str] | None:
        for one, two in _PAIRS:
            if one in self.plain and two in self.plain:
                return self.plain[one], self.plain[two]
        for stem in _SIDES[0]:
            for one, two in _SIDES[1]:
                for form in ("{0}_{1}", "{0}{1}", "{1}_{0}"):
                    a, b = form.format(stem, one), form.format(stem, two)
                    if a in self.plain and b in self.plain:
                        return self.plain[a], self.plain[b]
        return None

    def values(self, column: str) -> dict[str, str]:
        """What the cells of a verdict mean, where they are all of one known sort; a stray one may stand among them."""
        cells = [cell for cell in self.cells(column) if cell]
        for known in VERDICTS:
            if cells and sum(cell in known for cell in cells) >= max(len(cells) * 0.7, 1):
                return dict(known)
        return {}

    def verdicts(self) -> list[str]:
        """The columns whose cells read like verdicts of a pair and whose names say whose they are."""
        return [c for c in self.columns if self.values(c) and (_PEOPLE.fullmatch(c) or _JUDGES.fullmatch(c))]

    def judgments(self, kind: Kind, key: str) -> list[JudgmentColumns]:
        found = []
        for column in self.columns if kind == "pair" else ():
            match = _JUDGES.fullmatch(column)
            if not match or column == key or not self.values(column) or _PEOPLE.fullmatch(column):
                continue
            stem = match[1] or ""
            reason = self.named([f"{stem.lower()}_{r}" if stem else r for r in _REASONS])
            found.append(
                JudgmentColumns(
                    card="plain_pairwise",
                    model=From(constant=stem or column),
                    value=From(columns=[column]),
                    values=self.values(column),
                    reason=From(columns=[reason]) if reason else From(),
                )
            )
        return found

    def labels(self, kind: Kind, key: str) -> list[LabelColumns]:
        people = [c for c in self.columns if kind == "pair" and c != key and _PEOPLE.fullmatch(c) and self.values(c)]
        return [
            LabelColumns(
                value=From(columns=[column]),
                values=self.values(column),
                unit=From(constant="pair"),
                dimension=From(constant="verdict"),
                annotator=From(constant=column),
            )
            for column in people
        ]


def _sources(found: dict[str, str]) -> dict[str, From]:
    return {name: From(columns=[column]) for name, column in found.items() if column}
