"""The prices of models, from a file that people can edit: prices.json here, or their own file of the same form."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from pydantic import Field, ValidationError

from judges.client.budget import Price
from judges.client.endpoint import is_practice
from judges.errors import AssayError
from judges.types import Strict

PRICES = Path(__file__).with_name("prices.json")
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class ListPrice(Strict):
    """US dollars per million tokens, and the share of that price that a call costs through the Batch API.

    `context`: the tokens that a call and its reply may have together (0: not known).
    """

    in_: float = Field(alias="in", ge=0, lt=1e6)
    out: float = Field(ge=0, lt=1e6)
    batch: float = Field(default=1.0, gt=0, le=1)
    context: int = Field(default=0, ge=0)


class Prices(Strict):
    """A price list, with the month it was made in."""

    as_of: str
    note: str = ""
    models: dict[str, ListPrice]


@cache
def prices(file: Path = PRICES) -> Prices:
    """The price list in a file. Raises AssayError if the file is not a price list."""
    try:
        return Prices.model_validate_json(file.read_bytes())
    except OSError as error:
        raise AssayError(f"{file.name}: {error.strerror or error}. Give a price list that can be read.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        line = '"name": {"in": 2.5, "out": 10}'
        text = f"{file.name} is not a price list: {where}: {first['msg']}. A model's line is {line}."
        raise AssayError(text) from None


def price(model: str, batch: bool = False, file: Path = PRICES) -> Price | None:
    """(in, out) in US dollars per million tokens; None if not known: a price is never guessed.

    A dated name ("gpt-4o-2024-08-06") that is not listed costs what the undated one does. Practice costs nothing.
    """
    if is_practice(model):
        return 0.0, 0.0
    list_price = _find_price(model, file)
    if list_price is None:
        return None
    share = list_price.batch if batch else 1.0
    return list_price.in_ * share, list_price.out * share


def context_of_model(model: str) -> int:
    """The tokens that a call of the model and its reply may have together; 0: not known."""
    list_price = _find_price(model, PRICES)
    return 0 if list_price is None else list_price.context


def _find_price(model: str, file: Path) -> ListPrice | None:
    listed = prices(file).models
    return listed.get(model) or listed.get(_DATED.sub("", model))
