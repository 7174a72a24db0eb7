"""What a card needs of a model and of a run's parameters, said before anything is asked or paid for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from judges.card import Card, Item
from judges.client.endpoint import is_practice
from judges.client.estimate import Requirement, call_sizes
from judges.families import family
from judges.params import Params
from judges.protocols import call_plan

_NAMED = 4


def requirements(
    card: Card, model: str, params: Params, longest: Iterable[tuple[str, Item]], systems: Sequence[str], room: int = 0
) -> list[Requirement]:
    """What a run needs, and which of it is lacking: strength of the model, another family, length of reply, context.

    `longest` are (name, item) pairs of the items with the longest texts, `systems` the models whose texts are judged,
    `room` the tokens that a call and its reply may have together (0: not known).
    """
    own = [Requirement(said) for said in card.needs]
    return [*_strength(model, systems), *_room(card, params, longest, room), *own]


def _strength(model: str, systems: Sequence[str]) -> Iterable[Requirement]:
    if is_practice(model):
        yield Requirement("Practice models are fixed rules: use them to try the steps, not as evidence about a judge.")
        return
    named = f" ({', '.join(systems[:_NAMED])}{' ...' if len(systems) > _NAMED else ''})" if systems else ""
    yield Requirement(
        f"A model at least as strong as what it judges{named}: a weaker one misses errors that it would make."
    )
    own = family(model)
    if kin := [name for name in systems if own and family(name) == own]:
        yield Requirement(
            f"{', '.join(kin[:_NAMED])} and {model} are of one family ({own}): judges tend to prefer the texts of "
            "their own family. Run a judge of another family on the same items too, and see Audits, Self-preference.",
            lacking=True,
        )


def _room(card: Card, params: Params, longest: Iterable[tuple[str, Item]], room: int) -> Iterable[Requirement]:
    """The longest reply, and the largest call with its reply, of the longest items."""
    once = params.model_copy(update={"samples": 1, "probe": params.probe.replace("scenario_swapped", "")})
    calls = [
        (*size, task.key) for task in call_plan.tasks(card, once, longest) for size in call_sizes(card, once, task)
    ]
    if not calls:
        return
    reply, of = max((back, name) for _, back, name in calls)
    reply, allowed = max(reply, card.least_reply), params.max_tokens
    if reply > allowed:
        yield Requirement(
            f"A reply takes up to about {reply:,} tokens ({of}), and {allowed:,} are allowed: longer replies are cut "
            f"off and stay unscored. Under Parameters, allow at least {reply:,}.",
            lacking=True,
        )
    else:
        yield Requirement(f"Replies of up to about {reply:,} tokens ({of}): {allowed:,} are allowed.")
    sent, name = max((there, name) for there, _, name in calls)
    size = sent + allowed
    known = f"here it is {room:,}" if room else "that of this model is not in the price list, so check it"
    yield Requirement(
        f"A context of at least {size:,} tokens for the longest item ({name}: about {sent:,} sent, {allowed:,} for the "
        f"reply); {known}.",
        lacking=bool(room) and size > room,
    )
