"""Assay's own lines: the fields of each sort of line, their checks, and errors in words.

These are the models of items, judgments, labels, adjudications and gold rules wherever lines come in: on the command
line and in an import. Unknown keys are refused; keys that an export adds for readers are known and ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from judges.errors import AssayError
from judges.gold import Resolve
from judges.protocols.call_plan import unpack_replies
from judges.protocols.orders import Order
from judges.reading.bare_scores import BareScore, from_raw
from judges.sections import with_sections
from judges.types import ITEM, WAYS, Dialogue, Identifier, Pair, Response, Strict, UnscoredReason, is_unit

LONGEST_REASON = 2_000
"""The most characters of the reason of an adjudication."""
FAILED: tuple[UnscoredReason, ...] = ("cut_off", "refused", "api_error")
"""The reasons for no score that an endpoint gives, and not the text of a reply."""
_KINDS = ("dialogue", "pair", "response")


class CardLine(Strict):
    """The line of a card: its content, as a workspace stores it (Card.spec)."""

    card: dict[str, Any]


class JudgmentLine(Strict):
    """A judgment's line.

    `raw` is kept as it came; `reply` is the card's JSON; with both, `reply` is what is read. `scores` are the judge's
    values where there is no reply (judges/reading/bare_scores.py). `card_version` picks the version of the card
    (the newest counts otherwise). `order` says that the reply is to one order of a pair, as the judge saw it: with "ba"
    what it calls A is the item's B. The two orders of a pair are one judgment, wherever their lines stand.

    `unscored` and `why` stand where not the text but the endpoint said that there is no score (`python -m judges run`);
    another reason is found again in the text. What an export adds (`judge`, `run`) is ignored.
    """

    item: Identifier
    card: str = Field(min_length=1, max_length=100)
    model: str = Field(min_length=1, max_length=300)
    params: dict[str, Any] = Field(default_factory=dict)
    part: str = ""
    sample: int | None = Field(default=None, ge=0, le=100_000)
    reply: dict[str, Any] | None = None
    raw: str | None = None
    scores: list[BareScore] | None = Field(default=None, min_length=1)
    order: Order | None = None
    unscored: UnscoredReason | None = None
    why: str = Field(default="", max_length=2000)
    judge: str | None = None
    card_version: str | None = None
    run: str | None = None

    def fits_part(self, judged: Sequence[str], part: str) -> bool:
        """Whether it can be about a part, if its card judges parts; values without a reply may be about other units."""
        if self.scores is not None or part in judged:
            return True
        return any(judged) and from_raw(self.raw or "") is not None


class CellLine(Strict):
    """The answer to one dimension of one unit of an item.

    `value` is the answer as people write it; `made_at` an ISO time, UTC where it names no zone. `code`, the number of
    the answer, is written by an export, and ignored here.
    """

    item: Identifier
    unit: str
    dimension: str
    value: Any
    made_at: str
    code: float | None = None


class LabelLine(CellLine):
    """A label's line.

    `probability` is that with which the item was drawn; it counts where the import says that items were drawn at
    random. What else an export has (the draw, the judge that was on screen, an earlier import) is ignored.
    """

    annotator: str
    mode: Literal["blind", "assisted", "revealed"]
    team: str = Field(default="", max_length=60)
    probability: float | None = Field(default=None, ge=1e-9, le=1)  # 1 / p has to stay a number to count with
    stream: str | None = None
    judge: str | None = None
    saw: bool | None = None
    seen: str | None = None
    judged_by: str | None = None
    card_version: str | None = None
    model: str | None = None
    imported_from: str | None = None
    imported_by: str | None = None
    imported_at: str | None = None


class AdjudicatedLabel(Strict):
    """One of the labels that an adjudication was made on."""

    annotator: str
    value: Any
    mode: Literal["blind", "assisted"]


class AdjudicationLine(CellLine):
    """An adjudication's line: what somebody decided on a cell, why, and on which labels.

    `saw_judge` says whether the judge's scores were in view, of them or in these labels: then it counts on no blind
    basis.
    """

    adjudicator: str
    reason: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_REASON, strip_whitespace=True)]
    saw_judge: bool
    labels: list[AdjudicatedLabel] = Field(min_length=1, max_length=1_000)


class GoldRuleFields(Strict):
    """The rule by which labels become gold.

    `apart` is the number of steps that people may differ by before somebody has to adjudicate (None: any number).
    """

    resolve: Resolve
    apart: int | None = Field(ge=0, le=100)
    waiting: Literal["counted", "out"] = "counted"


class GoldRuleLine(Strict):
    """The line of a dataset's gold rule."""

    gold_rule: GoldRuleFields


def parse_item(row: dict[str, Any]) -> Dialogue | Pair | Response:
    """The item of a line, a pair with its sections. Raises pydantic's ValidationError, BadSections."""
    return with_sections(ITEM.validate_python(row))


def parse_judgment(row: dict[str, Any]) -> JudgmentLine:
    """The judgment of a line. Raises AssayError if it contains no judgment, pydantic's ValidationError."""
    line = JudgmentLine.model_validate(row)
    if line.reply is None and line.raw is None and line.scores is None:
        raise AssayError("reply, raw and scores are all missing: give one of them.")
    if line.order is not None and (line.part or unpack_replies(line.raw or "") is not None):
        raise AssayError("a judgment of one part, or of several calls, must not have an order: leave out order.")
    return line


def parse_label(row: dict[str, Any]) -> LabelLine:
    """The label of a line. Raises AssayError for an invalid unit, pydantic's ValidationError."""
    line = LabelLine.model_validate(row)
    if not is_unit(line.unit):
        raise AssayError(f"{line.unit[:40]!r} is no unit: use conversation, turn:3, section:2/a, pair or response.")
    return line


def explain_errors(errors: Sequence[Any]) -> str:
    """Return the first three faults that pydantic found in an item or another line, in words."""
    return "; ".join(_explain(error) for error in errors[:3])


def _explain(error: Any) -> str:
    where = [str(part) for part in error["loc"] if part not in WAYS]
    if where[:1] and where[0] in _KINDS:
        where = where[1:]
    named, sort = ".".join(where), error["type"]
    if sort in ("union_tag_not_found", "union_tag_invalid"):
        fault = "missing" if sort.endswith("found") else "another one"
        return f"kind is {fault}: it has to be dialogue, pair or response"
    if sort == "missing":
        return f"{named} is missing"
    return f"{named}: {error['msg'][:1].lower()}{error['msg'][1:]}" if named else str(error["msg"])
