"""The configuration of a run, and how a run is shown: the words that the pages, the command line and the runs share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from judges.card import Card
from judges.client.endpoint import Endpoint, is_practice
from judges.params import Params
from judges.protocols.call_plan import CallReply
from judges.protocols.messages import Message
from judges.types import Reading

State = Literal["running", "stopping", "stopped", "interrupted", "failed", "finished", "waiting for batch"]
LIVE: tuple[State, ...] = ("running", "stopping", "waiting for batch")
"""The states in which a run goes on by itself."""


@dataclass(frozen=True)
class RunConfig:
    """A judge over a dataset.

    `spending_limit` in US dollars; `price` in US dollars per million tokens (in, out), None: from the prices file.
    `most`: at most so many items, drawn with a seed (0: all). `only_unscored`: ask again whatever of this judge could
    not be used, and nothing else. `batch`: through the endpoint's Batch API.
    """

    dataset_id: str
    card: Card
    model: str
    params: Params
    endpoint: Endpoint
    spending_limit: float | None = None
    price: tuple[float, float] | None = None
    most: int = 0
    only_unscored: bool = False
    batch: bool = False

    @property
    def synthetic(self) -> bool:
        """Whether the judge is of the practice endpoint."""
        return is_practice(self.model)


@dataclass(frozen=True)
class DryRunJudgment:
    """One judgment of a dry run: the item's name, the messages of each call by its piece, what it was read as."""

    name: str
    calls: Mapping[str, list[Message]]
    raw: str
    reading: Reading
    answers: tuple[CallReply, ...]

    @property
    def messages(self) -> list[Message]:
        """The messages of all calls in their order."""
        return [message for call in self.calls.values() for message in call]


@dataclass(frozen=True)
class RunProgress:
    """The progress of a run.

    `done` of `total` judgments; `unscored` by reason; `cost` in US dollars, None: price not known. The tokens and the
    cost include failed tries and trials; `estimated`: some of the tokens are; `limit` in US dollars is the spending
    limit in force; `open`: what calls in progress may still cost, or those that were in progress when it ended.
    `rate`: recent judgments per second, 0 unless it runs; `problems`: why recent judgments are unscored.
    """

    state: State
    why: str
    done: int
    total: int
    scored: int
    unscored: Mapping[str, int] = field(default_factory=dict)
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    rate: float = 0.0
    seconds_left: float | None = None
    problems: tuple[str, ...] = ()
    estimated: bool = False
    limit: float | None = None
    open: float = 0.0


@dataclass(frozen=True)
class RunSummary:
    """A run in the list of runs. `at`: begun, UTC; `params`: the judge's identity; `endpoint`: its address or "".

    `cost`, `estimated` and `limit` as in RunProgress; `tokens` of its calls, in and out; `inside`: at the practice
    endpoint within the app, whose address changes with each start.
    """

    id: str
    dataset: str
    card: str
    version: str
    model: str
    params: Mapping[str, Any]
    endpoint: str
    by: str
    at: datetime
    items: int
    judgments: int
    state: State
    why: str
    judge: str
    batch: bool
    most: int
    only_unscored: bool
    cost: float | None
    estimated: bool
    limit: float | None
    tokens: int
    inside: bool


@dataclass(frozen=True)
class RunJudge:
    """The judge of a run: its card as it was, its model, and the parameters that are its identity."""

    id: str
    card: Card
    model: str
    params: Mapping[str, Any]
