"""A card, items and a way to run them for the tests of everything that asks an endpoint."""

import json

from pydantic import BaseModel, ConfigDict, Field

from judges.card import Card
from judges.client import runner
from judges.client.client import Client
from judges.client.endpoint import Endpoint
from judges.params import Params
from judges.protocols import call_plan
from judges.types import Dimension, Reading, Response, Scale, Score


class Reply(BaseModel):
    """The reply of the card of these tests."""

    model_config = ConfigDict(extra="forbid", strict=True)
    score: int = Field(ge=1, le=5)


def _read(reply, item):
    return Reading((Score("response", "merit", float(reply.score)),))


CARD = Card(
    name="merit",
    title="Merit",
    kind="response",
    dimensions=(Dimension("merit", "response", Scale("ordinal", 1, 5), "Whether it has merit."),),
    reply=Reply,
    read=_read,
    prompts={"": "Give the merit of the output, from 1 to 5."},
)
GOOD = json.dumps({"score": 4})


def items(n):
    """n items with their keys."""
    return ((f"i{k}", Response(id=f"i{k}", kind="response", task=f"task {k}", output="words")) for k in range(n))


async def collect_events(
    served, n=1, params=None, card=CARD, capabilities=None, model="m", tasks=None, stored=None, stop=None, **more
):
    """Everything that a run of n items gives, in the order in which it comes."""
    params = params or Params()
    budget = more.pop("budget", None)
    settings = {"concurrency": 8, "timeout": 5.0} | more
    endpoint = Endpoint(base_url=served.url, **settings)
    tasks = tasks or call_plan.tasks(card, params, items(n))
    async with Client(endpoint, model, capabilities) as client:
        run = runner.Run(card, params, client, tasks, stored=stored, stop=stop, budget=budget, grace=0.5)
        return [event async for event in run.stream()]


def events_of(events, sort):
    """Those of one sort."""
    return [event for event in events if isinstance(event, sort)]
