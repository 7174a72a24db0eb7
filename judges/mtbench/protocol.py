"""A protocol of MT-Bench as data: how answers are made, judged, read and averaged.

Two are built in (judges/mtbench/protocols/*.json); you can add others as files of the same form. A protocol is part of
a judge's identity: another value of any field that affects its judgments gives another judge.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from judges.errors import AssayError
from judges.mtbench.prompts import BUILT_IN_FAMILIES
from judges.strict_json import BadJson, canonical, parse_json
from judges.types import Strict

Thinking = Literal["removed", "kept"]
Parse = Literal["fastchat", "last", "stated"]
Failed = Literal["left out", "counted", "all failed"]
Duplicates = Literal["raw", "first", "averaged"]
ScaleRule = Literal["1-10", "share"]
Temperature = Annotated[float, Field(ge=0, le=2)]
_READING: frozenset[str] = frozenset(("name", "title", "parse", "failed", "duplicates", "scale", "japanese_share"))
"""Fields that change how judgments are read and averaged, and none of the judgments themselves."""


class Protocol(Strict):
    """The choices of a pipeline of MT-Bench, from the question to the mean.

    Answers: `system` is the system prompt under which models answer ("" none), `temperatures` by category and
    `other_temperature` for the rest, `samples` answers a question (at temperature 0 one call, copied), `continues` says
    which first turn a second turn follows (each its own, or that of the first sample), `cut_at` the characters after
    which a text is cut before it is judged and before turn 2 (0: never), `max_tokens` an answer's longest length.

    Judging: `prompts` is the family of the judge's prompts ("assay" and "assay-japanese" are ours; any other name is
    one of a judge_prompts.jsonl), `judge` the model, `references` the set of reference answers by its judge's name ("":
    that of the judge; "own": the questions' own; "none"), `thinking` whether marked thinking in answers is shown.

    Reading: `parse` (FastChat's first rating, the last, or the number that the file states), `failed` (a judgment
    without a rating is left out, counted as -1, or counted as -1 unless all samples of its turn failed), `duplicates`
    (several judgments of one turn: each counts, the first does, or their mean does), `scale` (1 to 10, or divided by
    ten), `japanese_share`: whether the share of Japanese characters is reported.
    """

    name: str = Field(min_length=1, max_length=60, pattern=r"^[a-z0-9][a-z0-9_-]*$")
    title: str = Field(default="", max_length=120)
    questions: str = Field(default="", max_length=200)
    system: str = Field(default="", max_length=20_000)
    temperatures: dict[str, Temperature] = Field(default_factory=dict)
    other_temperature: Temperature = 0.7
    samples: int = Field(default=1, ge=1, le=50)
    continues: Literal["own", "first"] = "own"
    cut_at: int = Field(default=0, ge=0, le=10_000_000)
    max_tokens: int = Field(default=1024, ge=16, le=200_000)
    prompts: str = Field(default="assay", min_length=1, max_length=120)
    judge: str = Field(default="", max_length=200)
    judge_temperature: Temperature = 0.0
    judge_max_tokens: int = Field(default=2048, ge=16, le=200_000)
    references: str = Field(default="", max_length=200)
    thinking: Thinking = "removed"
    parse: Parse = "fastchat"
    failed: Failed = "left out"
    duplicates: Duplicates = "raw"
    scale: ScaleRule = "1-10"
    japanese_share: bool = False

    @property
    def shown_title(self) -> str:
        """The title, or the name where it has none."""
        return self.title or self.name

    @property
    def mark(self) -> str:
        """`name@fingerprint`; the fingerprint covers all that affects its judgments, but not how they are read."""
        settings = canonical({name: value for name, value in self.model_dump().items() if name not in _READING})
        return f"{self.name}@{hashlib.sha256(settings.encode()).hexdigest()[:8]}"

    def temperature(self, category: str, required: float | None = None) -> float:
        """The temperature for answers to a question of a category; the question's own temperature takes precedence."""
        return required if required is not None else self.temperatures.get(category, self.other_temperature)


PARSE_RULES: dict[Parse, str] = {
    "fastchat": "the first [[n]], else the first [n]", "last": "the last [[n]]", "stated": "the file's own number",
}  # fmt: skip
"""The rating of a judgment's text that counts, in words."""
FAILED_RULES: dict[Failed, str] = {
    "left out": "left out", "counted": "counted as -1",
    "all failed": "counted as -1, left out where all samples of a turn failed",
}  # fmt: skip
"""What becomes of judgments without a rating, in words."""
DUPLICATES_RULES: dict[Duplicates, str] = {
    "raw": "each counts", "first": "the first counts", "averaged": "their mean counts",
}  # fmt: skip
"""Which of several judgments of a turn counts, in words."""
_REFERENCES = {"": "those named after the judge", "own": "the questions' own", "none": "none"}


def describe_protocol(protocol: Protocol) -> list[tuple[str, str]]:
    """A protocol as (factor, its value in words), in the order in which a pipeline works; the same factors for all."""
    warm: dict[float, list[str]] = {}
    for category, value in sorted(protocol.temperatures.items()):
        warm.setdefault(value, []).append(category)
    own = [f"{', '.join(names)} {value:g}" for value, names in sorted(warm.items())]
    judge = f"temperature {protocol.judge_temperature:g}, {protocol.judge_max_tokens:,} tokens"
    return [
        ("questions", protocol.questions or "any set"),
        ("system prompt for answers", protocol.system or "the model's own"),
        ("temperature of answers", "; ".join([*own, f"{'others' if own else 'all'} {protocol.other_temperature:g}"])),
        ("answers to a question", f"{protocol.samples}"),
        ("turn 2 follows", "its own turn 1" if protocol.continues == "own" else "turn 1 of the first sample"),
        ("longest answer", f"{protocol.max_tokens:,} tokens"),
        ("answers cut at", f"{protocol.cut_at:,} characters" if protocol.cut_at else "never"),
        ("thinking in answers", "taken out" if protocol.thinking == "removed" else "shown"),
        ("references", _REFERENCES.get(protocol.references, f"those for {protocol.references}")),
        ("judge's prompts", BUILT_IN_FAMILIES.get(protocol.prompts, protocol.prompts)),
        ("judge", f"{protocol.judge or 'any'}, {judge}"),
        ("rating that counts", PARSE_RULES[protocol.parse]),
        ("failed judgments", FAILED_RULES[protocol.failed]),
        ("repeated judgments", DUPLICATES_RULES[protocol.duplicates]),
        ("scale", "1 to 10" if protocol.scale == "1-10" else "divided by ten"),
        ("share of Japanese", "reported" if protocol.japanese_share else "not reported"),
    ]


@cache
def protocols() -> dict[str, Protocol]:
    """The protocols that are built in, by name."""
    files = sorted(Path(__file__).with_name("protocols").glob("*.json"))
    return {protocol.name: protocol for protocol in (read_protocol(file) for file in files)}


def find_protocol(name_or_path: str) -> Protocol:
    """The protocol of that name, or that a file of that path holds. Raises AssayError, saying what there is."""
    if name_or_path in protocols():
        return protocols()[name_or_path]
    if Path(name_or_path).is_file():
        return read_protocol(Path(name_or_path))
    protocol_names = ", ".join(protocols())
    raise AssayError(f"There is no protocol {name_or_path!r}, and no file of that name. There are: {protocol_names}.")


def read_protocol(file: Path) -> Protocol:
    """The protocol that a file of JSON holds. Raises AssayError, naming the file and what is wrong with which field."""
    try:
        return parse_protocol(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise AssayError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise AssayError(f"{file} is not UTF-8, so it is no protocol.") from None
    except AssayError as error:
        raise AssayError(f"{file}: {error}") from None


def parse_protocol(text: str) -> Protocol:
    """The protocol that a text of JSON holds. Raises AssayError with the first field that is wrong."""
    try:
        return Protocol.model_validate(parse_json(text))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the whole"
        raise AssayError(f"{field}: {first['msg'].removeprefix('Value error, ')}.") from None
    except BadJson as error:
        raise AssayError(f"it {error}, so it is no protocol.") from None
