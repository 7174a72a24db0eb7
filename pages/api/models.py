"""The requests and responses of the API as pydantic models. The description of the API is made of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from data.gold.gold import Basis
from data.importing.plan import Sampling
from judges.client.endpoint import Endpoint
from judges.params import Params
from judges.stats.check_states import State

Count = Annotated[int, Field(ge=0)]
Moment = Annotated[
    datetime, PlainSerializer(lambda at: f"{at.isoformat(timespec='seconds')}Z", return_type=str),
    Field(json_schema_extra={"format": "date-time"}),
]  # fmt: skip
"""A moment in UTC."""
Share = float | None
"""A figure; null where it is undefined."""


class In(BaseModel):
    """The parameters or body of a request. Unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Out(BaseModel):
    """A response. Later versions may add keys to it."""


# -- questions ------------------------------------------------------------------------------------------------------


class JudgeQuery(In):
    """The judge whose figures are requested."""

    judge: str = Field("", max_length=200, description="A model, the start of a judge's id, or a model with the parameters that identify the judge, such as `gpt-4o temperature=0.7`. Default: the only one.")  # noqa: E501


class CalibrationQuery(JudgeQuery):
    """The judge whose figures are requested, and the labels used."""

    basis: Basis | None = Field(None, description="The labels used. Default: those of the approval check.")
    ties: Literal["counted", "dropped"] = "counted"


class CheckQuery(JudgeQuery):
    """The judge, dataset and dimensions that are checked."""

    dataset: str = Field(min_length=1, max_length=200, description="The name or id of a dataset.")
    dimension: list[str] = Field(default_factory=list, max_length=100, description="`helpfulness`, or `turn.helpfulness`. Default: every one.")  # noqa: E501


class RunsQuery(In):
    """The dataset whose runs are listed."""

    dataset: str = Field("", max_length=200, description="The name or id of a dataset. Default: all.")


class PageQuery(In):
    """The page that is requested. The options of the kind are added to these."""

    limit: int = Field(1_000, ge=1, le=10_000, description="Rows of the page.")
    cursor: str = Field("", max_length=4_000, description="The value of `next` from the previous page.")


class LinesQuery(In):
    """The terms on which lines are imported."""

    on_error: Literal["refuse", "skip"] = Field("refuse", description="`refuse`: all or nothing. `skip`: only the good lines.")  # noqa: E501
    sampling: Sampling = Field("unknown", description="How the labelled items were chosen.")
    population: int | None = Field(None, ge=1, le=1_000_000_000, description="With `random`: of how many items.")
    synthetic: bool = Field(False, description="Marks the dataset as synthetic, if it is created.")
    description: str = Field("", max_length=2_000, description="A description for the dataset, if it is created.")


# -- bodies ---------------------------------------------------------------------------------------------------------


class AuditDraw(In):
    """A draw into the audit sample: so many further items at random, as the dataset's design parts them."""

    size: int = Field(ge=1, le=1_000_000)
    judge: str = Field("", max_length=200, description="The judge whose scores are shown with the assisted items. Default: no item is assisted.")  # noqa: E501
    seed: int = Field(0, ge=0, le=2**31 - 1, description="The same seed on the same items draws the same.")


class ReviewDraw(In):
    """The items that need a look most are taken into the review queue."""

    judge: str = Field("", max_length=200, description="By whose scores. Default: the only judge.")
    most: int = Field(200, ge=1, le=1_000_000)


class RunTerms(In):
    """The spending limit of a run, and the price of its tokens."""

    spending_limit: float | None = Field(None, gt=0, description="In US dollars. The run ends before the total cost of all its starts exceeds this.")  # noqa: E501
    price: Annotated[list[float], Field(min_length=2, max_length=2)] | None = Field(None, description="In US dollars a million tokens (in, out). Default: as listed.")  # noqa: E501


class RunStart(RunTerms):
    """A judge over a dataset, as the page Runs has it."""

    dataset: str = Field(min_length=1, max_length=200, description="The name or id of a dataset.")
    card: str = Field(min_length=1, max_length=200, description="The name of a card of the workspace.")
    model: str = Field(min_length=1, max_length=200, description="A model of the endpoint; `practice-...` for practice.")  # noqa: E501
    params: Params = Field(default_factory=Params, description="What differs from the card's defaults.")
    endpoint: Endpoint = Field(default_factory=Endpoint, description="The endpoint of the model, and its limits. Give the name of the key's variable, never the key itself.")  # noqa: E501
    most: int = Field(0, ge=0, le=1_000_000_000, description="So many items, drawn at random; 0: all.")
    only_unscored: bool = Field(False, description="Ask again only for replies that could not be used.")
    batch: bool = Field(False, description="Through the endpoint's Batch API.")


class NoBody(In):
    """Nothing: an empty object."""


# -- answers --------------------------------------------------------------------------------------------------------


class BadLine(Out):
    """A line that cannot be taken, and why."""

    line: Count
    field: str
    detail: str


class Problem(Out):
    """A refusal (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    problems: list[BadLine] | None = None
    problem_count: Count | None = None


class Me(Out):
    """The person whose token this is, and what the token may do."""

    person: str
    role: Literal["annotator", "researcher", "lead"]
    token: str
    scopes: list[str]
    expires: Moment


class DatasetOut(Out):
    """A dataset, and how far it is labelled."""

    id: str
    name: str
    description: str
    synthetic: bool
    items: Count
    labelled: Count
    labels: Count
    people: Count


class Datasets(Out):
    """Every dataset."""

    datasets: list[DatasetOut]


class JudgeOut(Out):
    """A judge of a dataset, and how many of its items it has judged."""

    id: str
    card: str
    card_version: str
    model: str
    synthetic: bool
    items: Count


class DatasetDetail(DatasetOut):
    """A dataset with its judges."""

    kinds: list[str]
    judges: list[JudgeOut]


class QueueOut(Out):
    """The number of items that were drawn into a queue, and the number of those that have an answer."""

    drawn: Count
    answered: Count


class ProgressOut(Out):
    """The labelling progress of a dataset."""

    dataset: str
    items: Count
    labelled: Count
    labels: Count
    people: Count
    audit: QueueOut
    review: QueueOut


class PersonProgressOut(Out):
    """The progress of a person, or of the people with a tag, in the work that is assigned to them. Times are UTC."""

    person: str
    tags: str
    state: str
    why: str
    assigned: Count
    done: Count
    left: Count
    skipped: Count
    answered: Count
    seconds_per_item: float | None
    seconds_per_rating: float | None
    last_answer: str | None
    due: str | None
    needed_per_day: float | None
    pace_per_day: float | None
    forecast: str | None


class PeopleProgressOut(Out):
    """The progress of people. Those who may need help come first."""

    dataset: str
    people: list[PersonProgressOut]


class DimensionOut(Out):
    """A dimension: how the approval check decides, and its figures, which stand as on the page Calibration."""

    unit: str
    dimension: str
    title: str
    state: State
    reason: str
    missing: str
    more_items: list[int] | None
    checked_bound: Share
    figures: dict[str, Any]


class CalibrationOut(Out):
    """A judge's agreement with people in each dimension."""

    dataset: str
    judge: JudgeOut
    basis: Basis
    ties: Literal["counted", "dropped"]
    dimensions: list[DimensionOut]


class ReportOut(Out):
    """All figures of a report."""

    dataset: str
    judge: str
    figures: dict[str, Any]


class ApprovalOut(Out):
    """The decision that stands on a dimension of a judge."""

    judge: str
    unit: str
    dimension: str
    decision: str
    state: str
    reason: str
    person: str
    at: Moment


class ApprovalsOut(Out):
    """The decisions that stand, the newest first."""

    dataset: str
    approvals: list[ApprovalOut]


class TileRow(Out):
    """A figure of a system on a tile of the dashboard, with every digit."""

    system: str
    of: str
    corrected: Share
    low: Share
    high: Share
    judge: Share
    people: Share
    labelled_items: Count
    other_items: Count


class TileOut(Out):
    """An approved dimension of a judge."""

    judge: str
    unit: str
    dimension: str
    title: str
    approved_by: str
    approved_at: Moment
    older_policy: str
    systems: list[TileRow]


class WithheldOut(Out):
    """A dimension that is not published, and why."""

    judge: str
    unit: str
    dimension: str
    state: str
    reason: str


class DashboardOut(Out):
    """The published figures of a dataset, and the dimensions that are withheld."""

    dataset: str
    tiles: list[TileOut]
    withheld: list[WithheldOut]


class CheckLine(Out):
    """The verdict on a dimension. `against`: what else of the policy is not met; `approved`: a lead's approval holds.
    """

    unit: str
    dimension: str
    verdict: Literal["meets", "does not meet", "cannot be said"]
    state: State
    reason: str
    kappa: Share
    bound: Share
    threshold: float
    items: Count
    against: list[str]
    approved: bool
    line: str


class CheckOut(Out):
    """Whether a judge meets the policy. `code` is the exit code: 0 it does, 1 it does not, 2 it cannot be said."""

    dataset: str
    judge: str
    card: str
    model: str
    verdict: Literal["meets", "does not meet", "cannot be said"]
    code: Literal[0, 1, 2]
    dimensions: list[CheckLine]


class RunOut(Out):
    """A run of a judge over a dataset."""

    id: str
    dataset: str
    judge: str
    card: str
    model: str
    by: str
    at: Moment
    state: str
    why: str
    items: Count
    judgments: Count
    cost: Share


class RunsOut(Out):
    """Runs, the newest first."""

    runs: list[RunOut]


class RunMade(Out):
    """The run that was started, stopped or resumed."""

    run: str


class RunDetail(RunOut):
    """A run, and how far it is."""

    spending_limit: Share
    done: Count
    total: Count
    scored: Count
    unscored: dict[str, int]
    calls: Count
    tokens_in: Count
    tokens_out: Count


class CardOut(Out):
    """A card by which judges judge and people label."""

    name: str
    version: str
    kind: str
    dimensions: list[str]


class CardsOut(Out):
    """Every card of the workspace."""

    cards: list[CardOut]


class RowsOut(Out):
    """A page of rows, and the cursor of the next (null: these are the last)."""

    rows: list[dict[str, Any]]
    next: str | None


class LinesOut(Out):
    """The result of an import: the new rows of each sort, those there already, repeated ones, and lines left out."""

    dataset: str
    items: Count
    judgments: Count
    labels: Count
    adjudications: Count
    cards: Count
    known: Count
    repeated: Count
    rejected: Count
    problems: list[BadLine]
    problem_count: Count
    unscored: dict[str, int]
    warnings: list[str]
    people: list[str]
    judges: list[str]


class DrawnOut(Out):
    """The number of items that were drawn."""

    dataset: str
    drawn: Count
