"""The cards that have a folder here, loaded and checked; a sentence says what is wrong with one.

To add a judge, add its folder.
"""

from __future__ import annotations

import importlib
import math
import traceback
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from pydantic import BaseModel

from judges.card import HOMES, PER_TURN, Card, Example
from judges.errors import AssayError, BadCard, UnknownCard
from judges.examples import examples_of_folder
from judges.params import Params
from judges.types import SORTS_OF, Dimension, Kind, Scale, UnitSort

_REPAIR_HINT = "Fix that, or move the folder away."
_SCALES = ("ordinal", "ordered", "unordered", "flag", "turn", "interval")


@cache
def cards() -> dict[str, Card]:
    """Every card that has a folder in judges/cards/, by name; a folder may give several as CARDS.

    Raises BadCard, with file and line, if one of them cannot be used.
    """
    by_name: dict[str, Card] = {}
    homes: dict[str, str] = {}
    for folder in _card_folders():
        for card in _cards_of_folder(folder):
            check_card(card, folder)
            if card.name in by_name:
                raise BadCard(
                    f"{_file(folder)}: the name {card.name} is that of a card in {_file(homes[card.name])}. "
                    "Choose another one."
                )
            by_name[card.name], homes[card.name] = card, folder
    _one_meaning(by_name, homes)
    HOMES.update(homes)
    return by_name


def card(name: str) -> Card:
    """The card of that name. Raises UnknownCard, which names the known cards."""
    try:
        return cards()[name]
    except KeyError:
        raise UnknownCard(f"There is no card {name!r}. There are: {', '.join(cards())}.") from None


@cache
def scales() -> dict[tuple[Kind, str, str], Scale]:
    """The scale of each (item kind, unit sort, dimension) over all cards; a name has one scale in all of them."""
    return {(c.kind, d.sort, d.name): d.scale for c in cards().values() for d in c.dimensions}


def _file(folder: str, name: str = "card.py") -> str:
    return f"judges/cards/{folder}/{name}"


def _card_folders() -> list[str]:
    """The names of the card folders, in order. A folder without a card file is an error, unless git left it behind."""
    folders = []
    for path in map(Path, __path__):
        for folder in path.iterdir() if path.is_dir() else ():
            if not folder.is_dir() or folder.name.startswith((".", "_")):
                continue
            if all(inside.name == "__pycache__" for inside in folder.iterdir()):
                continue
            for name, remedy in (("card.py", "Add it"), ("__init__.py", "Add an empty one")):
                if not (folder / name).is_file():
                    raise BadCard(f"judges/cards/{folder.name} has no {name}. {remedy}, or move the folder away.")
            if not folder.name.isidentifier():
                raise BadCard(
                    f"judges/cards/{folder.name}: a folder's name is that of its card. Use letters, digits and _."
                )
            folders.append(folder.name)
    return sorted(folders)


def _cards_of_folder(folder: str) -> list[Card]:
    """The cards of a folder, with its examples."""
    module = _module(folder)
    cards = getattr(module, "CARDS", None)
    if cards is None:
        if not hasattr(module, "CARD"):
            raise BadCard(f"{_file(folder)} has no CARD. End it with CARD = Card(...). {_REPAIR_HINT}")
        cards = (module.CARD,)
    if not isinstance(cards, (tuple, list)) or not cards or not all(isinstance(card, Card) for card in cards):
        raise BadCard(f"{_file(folder)}: CARD has to be a Card, and CARDS a tuple of them. {_REPAIR_HINT}")
    try:
        return examples_of_folder(str(module.__file__), cards)
    except (OSError, UnicodeError) as error:
        raise BadCard(f"{_file(folder, 'examples.jsonl')} cannot be read: {error}. {_REPAIR_HINT}") from None


def _module(folder: str) -> ModuleType:
    try:
        return importlib.import_module(f"judges.cards.{folder}.card")
    except SyntaxError as error:
        file = Path(error.filename or "card.py").name
        raise BadCard(f"{_file(folder, file)}, line {error.lineno or 1}: {error.msg}. {_REPAIR_HINT}") from None
    except Exception as error:
        message = str(error) if isinstance(error, (AssayError, ImportError)) else f"{type(error).__name__}: {error}"
        message = " ".join(message.split())[:300].rstrip(".")
        raise BadCard(f"{_locate_error(error, folder)}: {message}. {_REPAIR_HINT}") from None


def _locate_error(error: Exception, folder: str) -> str:
    """The file of a folder, and the line in it, at which loading it failed."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.parent.name == folder:
            return f"{_file(folder, path.name)}, line {frame.lineno}"
    return _file(folder)


def check_card(card: Card, folder: str) -> None:
    """Raise BadCard, with the file and what is allowed, if a card of that folder is not valid."""
    if faults := [f"{_file(folder)}: {fault}" for fault in _faults(card, folder)]:
        raise BadCard("\n".join(faults))


def _faults(card: Card, folder: str) -> Iterator[str]:
    """Yield the faults of a card as sentences, in the order of the checks."""
    name = card.name
    if not isinstance(name, str) or not (name == folder or name.startswith(f"{folder}_")):
        yield f"the card is named {name!r}. Its name is that of its folder: {folder!r}."
        return
    if name.endswith(PER_TURN):
        yield f"a name that ends in {PER_TURN} is that of a card applied per turn. Choose another one."
    if not isinstance(card.title, str) or not card.title.strip():
        yield "the card has no title. Give it one, as the second thing after its name."
    if card.kind not in get_args(Kind):
        yield f"the card's kind is {card.kind!r}. Allowed are {_join_with_or(get_args(Kind))}."
        return
    yield from _dimension_faults(card)
    if not isinstance(card.reply, type) or not issubclass(card.reply, BaseModel) or not card.reply.model_fields:
        yield "reply has to be a pydantic model (base class Strict) with the keys of the judge's JSON."
    for field in ("read", "variant", "parts", "fields"):
        if not callable(getattr(card, field)):
            yield f"{field} has to be a function."
    for field in ("text", "allowed", "read_part"):
        if getattr(card, field) is not None and not callable(getattr(card, field)):
            yield f"{field} has to be a function, or None."
    prompts: Any = card.prompts
    if not isinstance(prompts, Mapping) or not all(isinstance(v, str) and v.strip() for v in prompts.values()):
        yield "prompts must map variants to texts, none empty: prompts_beside(__file__) reads those of the folder."
    for field in ("audits", "rules"):
        value = getattr(card, field)
        if not isinstance(value, (tuple, list)) or not all(isinstance(text, str) for text in value):
            yield f'{field} is {value!r}: it has to be a tuple of texts; a tuple of one has a comma, as in ("...",).'
    if not isinstance(card.defaults, Params):
        yield "defaults has to be Params(...)."
    if not isinstance(card.examples, (tuple, list)) or not all(
        isinstance(example, Example) for example in card.examples
    ):
        yield "examples has to be a tuple of Example(shows, fields, reply)."


def _dimension_faults(card: Card) -> Iterator[str]:
    dimensions: Any = card.dimensions
    if not isinstance(dimensions, tuple) or not dimensions or not all(isinstance(d, Dimension) for d in dimensions):
        yield "dimensions has to be a tuple of at least one Dimension(name, unit, Scale(...), definition)."
        return
    seen = set()
    for dimension in dimensions:
        if not isinstance(dimension.name, str) or not dimension.name.strip():
            yield f"a dimension is named {dimension.name!r}. Give it a name, such as tone."
            return
        if dimension.sort not in SORTS_OF[card.kind]:
            known = dimension.sort in get_args(UnitSort)
            why = f"which a {card.kind} does not have" if known else "which is none"
            units = _join_with_or(SORTS_OF[card.kind])
            yield f"{dimension.name} is asked of each {dimension.sort!r}, {why}. Units of a {card.kind}: {units}."
            return
        if (dimension.sort, dimension.name) in seen:
            yield f"{dimension.name} of a {dimension.sort} appears twice among the dimensions. Remove one."
        seen.add((dimension.sort, dimension.name))
        if not isinstance(dimension.definition, str) or not dimension.definition.strip():
            yield f"{dimension.name} has no definition: say in a sentence what is asked."
        if not isinstance(dimension.scale, Scale):
            yield f"{dimension.name} has no Scale(...)."
        elif fault := _scale_fault(dimension.scale):
            yield f"the scale of {dimension.name} {fault}"


def _scale_fault(scale: Scale) -> str:
    """Return the fault of a scale as a phrase; "" if it has none."""
    if scale.kind not in _SCALES:
        return f"is {scale.kind!r}. Allowed are {_join_with_or(_SCALES)}."
    if scale.kind == "ordinal" and not (_is_whole(scale.lo) and _is_whole(scale.hi) and scale.lo < scale.hi):
        return f"goes from {scale.lo!r} to {scale.hi!r}. Give two whole numbers, the lower one first."
    if scale.kind == "interval" and not (_number(scale.lo) and _number(scale.hi) and scale.lo < scale.hi):
        return f"goes from {scale.lo!r} to {scale.hi!r}. Give two numbers, the lower one first."
    if scale.kind == "interval" and not (_number(scale.step) and scale.step >= 0):
        return f"has steps of {scale.step!r}. Give a number above 0, or 0 for any number in between."
    if not scale.has_categories:
        return "has categories: only ordered and unordered ones do." if scale.categories else ""
    words = scale.categories
    if not isinstance(words, tuple) or len(words) < 2 or not all(isinstance(w, str) and w.strip() for w in words):
        return f"has the categories {words!r}. Give a tuple of at least two texts, from worst to best if ordered."
    if len(set(words)) < len(words) or any(word != word.strip().lower() for word in words):
        return f"has the categories {', '.join(words)}. Write each once, in lower case."
    return f"has drawn={scale.drawn!r}, which is none of its categories." if scale.drawn not in ("", *words) else ""


def _one_meaning(cards: Mapping[str, Card], homes: Mapping[str, str]) -> None:
    """Raise BadCard if a dimension of the same kind and unit has another scale in another card."""
    first: dict[tuple[str, str, str], tuple[Card, Scale]] = {}
    for card in cards.values():
        for dimension in card.dimensions:
            other, scale = first.setdefault((card.kind, dimension.sort, dimension.name), (card, dimension.scale))
            if scale != dimension.scale:
                existing, own = scale.words, dimension.scale.words
                if existing == own:
                    existing, own = repr(scale), repr(dimension.scale)
                raise BadCard(
                    f"{_file(homes[card.name])}: {dimension.name} of a {dimension.sort} is {own} here, {existing} in "
                    f"{other.name} ({_file(homes[other.name])}). A name means one scale: take that one, or another "
                    "name."
                )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _join_with_or(words: Any) -> str:
    options = list(words)
    return f"{', '.join(options[:-1])} or {options[-1]}" if len(options) > 1 else "".join(options)
