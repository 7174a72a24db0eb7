"""The cards of a workspace: built-in ones, custom ones, and response cards applied to each turn of dialogues."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from data.records.access import act, allow, allow_change
from data.records.tables import CardRow
from data.records.values import get_setting, put_setting, settings_in
from data.store import Store, Tx, cache_result
from data.store.errors import BadInput, NotFound
from judges import cards as folder
from judges.authoring.custom import from_recipe, from_spec
from judges.authoring.overlay import apply_per_turn, can_apply_per_turn
from judges.authoring.recipe import Recipe, check_recipe, find_clashes
from judges.card import Card, Example
from judges.errors import AssayError, BadCard, UnknownCard
from judges.examples import with_examples
from judges.strict_json import canonical
from judges.types import Dimension, Kind, Place, Scale, sort_of

_SCOPE = "cards"


@dataclass(frozen=True)
class CardVersion:
    """A version of a card that a workspace holds.

    It has who saved it when, how many judges use it, and whether it is the one that is offered now.
    """

    version: str
    card: Card
    actor: str
    made_at: datetime
    judges: int
    current: bool


@allow("annotator")
@cache_result
def current_cards(store: Store | Tx) -> Mapping[str, Card]:
    """Every card by name: built-in ones, the current version of each custom one, then those applied per turn.

    A card for single responses is offered for each turn of dialogues too, as <name>_on_turns, without being saved; not
    where one of its dimensions means another scale on a turn already.
    """
    by_name = dict(folder.cards())
    current = settings_in(store, _SCOPE)
    for name, version, text in store.rows("select name, version, spec from card order by seq"):
        spec = json.loads(text)
        recipe = spec.get("recipe") or {}
        if name in folder.cards():
            if current.get(name) == version and spec.get("examples") and not recipe:
                # Examples stay with a folder's card when its wording is changed.
                by_name[name] = replace(by_name[name], examples=tuple(Example(**e) for e in spec["examples"]))
        elif recipe.get("how") == "own" and current.get(name, version) == version:
            own_card = _card_or_none(spec)
            if own_card is not None:
                by_name[name] = own_card
    scales = {(c.kind, d.sort, d.name): d.scale for c in by_name.values() for d in c.dimensions}
    for card in list(by_name.values()):
        if not can_apply_per_turn(card):
            continue
        turn_card = apply_per_turn(card)
        if all(scales.get(("dialogue", d.sort, d.name), d.scale) == d.scale for d in turn_card.dimensions):
            by_name[turn_card.name] = turn_card
            scales |= {("dialogue", d.sort, d.name): d.scale for d in turn_card.dimensions}
    return by_name


def card_named(store: Store | Tx, name: str) -> Card:
    """The card of that name. Raises UnknownCard, naming those there are."""
    cards = current_cards(store)
    if name not in cards:
        raise UnknownCard(f"There is no card {name[:80]!r}. There are: {', '.join(cards)}.")
    return cards[name]


@allow("annotator")
@cache_result
def card_of_judge(store: Store | Tx, judge_id: str) -> Card:
    """The card of a judge in the version that it judged with.

    It is made again from what is stored of it: a custom card, pointwise_quality with named dimensions, an overlay, a
    card with examples. A folder's card has its stored wording back as long as its scales and its reply are what they
    were; else it is the folder's card as it is today, which its version shows. Raises NotFound, UnknownCard.
    """
    rows = store.rows(
        "select j.card, j.card_version, c.spec from judge j left join card c on c.version = j.card_version "
        "where j.id = $1",
        [judge_id],
    )
    if not rows:
        raise NotFound("There is no such judge in this workspace. The link may belong to another one.")
    name, version, spec = str(rows[0][0]), str(rows[0][1]), rows[0][2]
    now = current_cards(store).get(name)
    if now is not None and (now.version == version or spec is None):
        return now
    if spec is None:
        raise UnknownCard(f"There is no card {name[:80]!r} any more, and nothing is stored of it.")
    return from_spec(json.loads(spec), folder.cards())


def card_of_judge_if_known(store: Store | Tx, judge_id: str) -> Card | None:
    """Like `card_of_judge`, but None if the card can no longer be made."""
    try:
        return card_of_judge(store, judge_id)
    except AssayError:
        return None


@cache_result
def scales(store: Store | Tx) -> Mapping[Place, Scale]:
    """The scale of (item kind, unit sort, dimension), over all cards and over the versions that judges used."""
    return {place: dimension.scale for place, dimension in answerable_dimensions(store).items()}


def find_dimension(store: Store | Tx, kind: Kind, unit: str, dimension: str) -> Dimension | None:
    """The dimension of that name that people can answer of such a unit of this kind of item, if any card has it."""
    return answerable_dimensions(store).get((kind, sort_of(unit), dimension))


@allow("researcher")
@cache_result
def answerable_dimensions(store: Store | Tx) -> Mapping[Place, Dimension]:
    """Every dimension that people can answer: what they are asked, and a judge's aggregates, which they may.

    What no card asks any more is as the last version asked it.
    """
    dimensions: dict[Place, Dimension] = {}
    for card in [*current_cards(store).values(), *reversed(earlier_cards(store))]:
        for place, dimension in _questions(card).items():
            dimensions.setdefault(place, dimension)
    for place, card in _cards_of_dropped(store).items():
        dimensions[place] = _questions(card)[place]
    return dimensions


@cache_result
def _cards_of_dropped(store: Store | Tx) -> Mapping[Place, Card]:
    """Return, for every question that people have labelled and no card asks any more, the card that asked it last."""
    known = [*current_cards(store).values(), *earlier_cards(store)]
    places = {place for card in known for place in _questions(card)}
    versions = {card.version for card in known}
    card_by_place: dict[Place, Card] = {}
    for version, spec in store.rows(
        "select c.version, c.spec from card c left join (select value, max(seq) as seq from setting where scope = $1 "
        "group by value) s on s.value = '\"' || c.version || '\"' order by coalesce(s.seq, c.seq) desc, c.version",
        [_SCOPE],
    ):
        former = None if version in versions else _card_or_none(json.loads(spec))
        if former is not None:
            for card in (former, apply_per_turn(former)) if can_apply_per_turn(former) else (former,):
                card_by_place = dict.fromkeys(_questions(card).keys() - places, card) | card_by_place
    if not card_by_place:  # the usual case: no labels are read, so the cached answer is still valid when one comes
        return card_by_place
    labelled = _labelled_places(store, "l.dimension = any($1)", sorted({name for _, _, name in card_by_place}))
    return {place: card for place, card in card_by_place.items() if place in labelled}


def _labelled_places(store: Store | Tx, where: str, value: Any) -> set[Place]:
    """The questions that labels `l` of items `i` answer which meet a condition on the parameter $1."""
    query = "select distinct i.kind, l.unit, l.dimension from label l join item i on i.id = l.item_id where "
    return {(kind, sort_of(unit), name) for kind, unit, name in store.rows(query + where, [value])}


def _questions(card: Card) -> dict[Place, Dimension]:
    return {(card.kind, d.sort, d.name): d for d in card.dimensions}


def earlier_cards(store: Store | Tx, unused: bool = False) -> list[Card]:
    """Return the cards that judges used and that are not current, the oldest first: earlier versions, named dimensions.

    With `unused` also the other versions of current cards by which nothing was judged yet.
    """
    current = current_cards(store)
    now = {card.version for card in current.values()}
    rows = store.rows(
        "select c.version, c.spec from card c where exists (select 1 from judge j where j.card_version = c.version) "
        "or c.name = any($1) order by c.seq, c.version",
        [list(current) if unused else []],
    )
    cards = [_card_or_none(json.loads(spec)) for version, spec in rows if version not in now]
    return [card for card in cards if card is not None]


@allow("lead")
def draft_card(store: Store | Tx, recipe: Recipe) -> Card:
    """Return the card that saving a recipe would make.

    It keeps the examples of the card of that name if all of them still fit its reply; otherwise it has none.
    """
    card, current_card = from_recipe(recipe), current_cards(store).get(recipe.name)
    if current_card is None or not current_card.examples:
        return card
    try:
        return with_examples(card, current_card.examples)
    except BadCard:
        return card


@allow("lead")
def save_card(store: Store, actor: str, recipe: Recipe | Mapping[str, Any] | Card) -> Card:
    """Save a custom card (leads): a new one, or a new version of the one with that name, which is current then.

    Its examples stay with it where they still fit; a whole card, as from a file, keeps its own wording and examples.
    What is the same as before is not saved again. Raises BadCard for a recipe that cannot be used, BadInput for a name
    or a dimension that is taken, NotAllowed.
    """
    if isinstance(recipe, Card):
        card_recipe, card = own_recipe(recipe), recipe
    else:
        card_recipe = recipe if isinstance(recipe, Recipe) else check_recipe(dict(recipe))
        card = draft_card(store, card_recipe)

    def work(tx: Tx) -> None:
        if problems := recipe_faults(tx, card_recipe):
            raise BadInput(" ".join(problems))
        _put(tx, card)

    act(store, actor, "lead", "card", work, card.name)
    return card


def is_own_card(card: Card) -> bool:
    """Whether a card is of own questions, as a workspace saves them."""
    return (card.recipe or {}).get("how") == "own"


def is_per_turn(card: Card) -> bool:
    """Whether a card is one for single responses that is applied to each turn."""
    return "over" in (card.recipe or {})


def own_recipe(card: Card) -> Recipe:
    """The recipe of a card of own questions. Raises BadInput for any other, which no workspace can save by itself."""
    if not is_own_card(card):
        raise BadInput(
            f"The card {card.name} is not a custom card, so it is not saved separately: a built-in card is in "
            "judges/cards/, and named dimensions of pointwise_quality are saved with the run that uses them."
        )
    return check_recipe(dict(card.recipe or {}))


def adopt_card(store: Store, actor: str, card: Card, dry: bool = False) -> bool:
    """Let a card from a command line be used here; one of own questions is saved for this (leads).

    Return whether it had to be saved. `dry` only checks whether it could be. Raises BadInput, NotAllowed.
    """
    existing = current_cards(store).get(card.name)
    if not is_own_card(card) or (existing is not None and existing.version == card.version):
        return False
    if dry:
        if problems := recipe_faults(store, own_recipe(card)):
            raise BadInput(" ".join(problems))
        return False
    save_card(store, actor, card)
    return True


@allow_change("lead", "card", "name")
def attach_examples(tx: Tx, actor: str, name: str, examples: Sequence[Example]) -> Card:
    """Attach few-shot examples to a card (leads); none remove them. This makes a new version, which is then current.

    Raises BadCard if an example cannot be read, BadInput for a card that is applied per turn.
    """
    card = card_named(tx, name)
    if is_per_turn(card):
        raise BadInput(f"{card.title} has the examples of the card that it applies per turn: attach them there.")
    plain = replace(card, examples=())
    new_card = with_examples(plain, examples) if examples else plain
    _put(tx, new_card)
    return new_card


def store_card(tx: Tx, card: Card) -> None:
    """Append a card's row where it is missing; for callers that have checked the right to do so."""
    if not tx.rows("select 1 from card where version = $1", [card.version]):
        tx.append([CardRow(card.version, card.name, canonical(card.spec))])


def _put(tx: Tx, card: Card) -> None:
    store_card(tx, card)
    if get_setting(tx, _SCOPE, card.name) != card.version:
        put_setting(tx, _SCOPE, card.name, card.version)


def offer_cards(tx: Tx, imported_cards: Sequence[Card]) -> None:
    """Offer the last version of each card that was made elsewhere and of which no version was here before."""
    for newest in {card.name: card for card in imported_cards if is_own_card(card)}.values():
        put_setting(tx, _SCOPE, newest.name, newest.version)


def portable_cards(store: Store, dataset_id: str) -> list[dict[str, Any]]:
    """The contents of the cards that a dataset needs elsewhere, those that are current after older versions of them.

    That is every version that judges of it used, and the cards without a folder that ask what its labels answer.
    """
    used = {
        str(version): json.loads(spec)
        for version, spec in store.rows(
            "select c.version, c.spec from card c where c.version in (select j.card_version from judge j "
            "join judgment m on m.judge_id = j.id join item i on i.id = m.item_id where i.dataset_id = $1) "
            "order by c.seq, c.version",
            [dataset_id],
        )
    }
    labelled = _labelled_places(store, "i.dataset_id = $1", dataset_id)
    now = current_cards(store)
    for card in [*_cards_of_dropped(store).values(), *earlier_cards(store), *now.values()]:
        if card.recipe is not None and _questions(card).keys() & labelled:
            used.setdefault(card.version, card.spec)
    current = {card.version for card in now.values()}
    return [spec for _, spec in sorted(used.items(), key=lambda pair: pair[0] in current)]


@allow("lead")
def recipe_faults(store: Store | Tx, recipe: Recipe) -> list[str]:
    """Return the reasons why a recipe cannot be saved in this workspace, as sentences; empty if it can."""
    existing = current_cards(store).get(recipe.name)
    faults = []
    if existing is not None and not is_own_card(existing):
        faults.append(f"The name {recipe.name} is that of a built-in card: choose another one.")
    elif existing is not None and existing.kind != recipe.kind:
        faults.append(f"The card {recipe.name} judges a {existing.kind}: for a {recipe.kind} choose another name.")
    return faults + find_clashes(recipe, _scales_in_use(store, recipe.name))


def _scales_in_use(store: Store | Tx, name: str) -> dict[Place, Scale]:
    """Return the scales that a card of that name has to keep.

    They are those of all other cards, of its own versions that a judge used, and of dimensions that people have
    labelled, whether a card still asks them or not.
    """
    current_card = current_cards(store).get(name)
    others = [card for card in current_cards(store).values() if card.name not in (name, f"{name}_on_turns")]
    scales: dict[Place, Scale] = {
        place: d.scale for card in [*others, *earlier_cards(store)] for place, d in _questions(card).items()
    }
    scales |= {place: _questions(card)[place].scale for place, card in _cards_of_dropped(store).items()}
    if current_card is None:
        return scales
    used = bool(store.rows("select 1 from judge where card_version = $1 limit 1", [current_card.version]))
    labelled = {str(r[0]) for r in store.rows("select distinct dimension from label")}
    for dimension in current_card.dimensions:
        if used or dimension.name in labelled:
            scales.setdefault((current_card.kind, dimension.sort, dimension.name), dimension.scale)
    return scales


@allow("annotator")
def card_versions(store: Store | Tx, name: str) -> list[CardVersion]:
    """The versions of a card that are stored here, newest first; those that no judge used and nobody saved are not."""
    now = current_cards(store).get(name)
    rows = store.rows(
        "select c.version, c.spec, g.actor, g.made_at, "
        "(select count(*) from judge j where j.card_version = c.version) "
        "from card c join change g on g.seq = c.seq where c.name = $1 order by c.seq desc",
        [name],
    )
    versions = []
    for version, spec, actor, made_at, judges in rows:
        card = _card_or_none(json.loads(spec))
        if card is not None:
            current = now is not None and version == now.version
            versions.append(CardVersion(str(version), card, str(actor), made_at, int(judges), current))
    return versions


def judges_per_card(store: Store | Tx) -> dict[str, int]:
    """Return the number of judges that use each card, in any version, by its name."""
    rows = store.rows("select card, count(*) from judge group by card")
    return {str(name): int(n) for name, n in rows}


def _card_or_none(spec: Mapping[str, Any]) -> Card | None:
    """The card of a stored content; None where it can no longer be made."""
    try:
        return from_spec(spec, folder.cards())
    except AssayError:
        return None
