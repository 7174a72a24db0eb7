"""A person's decisions about an import: the dataset, how it is read, and what the labelled items stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from data.importing.formats import OWN, TOOLS
from data.store.errors import BadInput
from judges.authoring.recipe import RecipeScale
from judges.importing.entries import Sort
from judges.types import Kind

if TYPE_CHECKING:
    from judges.importing.mapping import ColumnMapping

Format = str
FORMATS: tuple[Format, ...] = ("auto", *OWN, *TOOLS)
Sampling = Literal["all", "random", "picked", "unknown"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)
_MAX_NAME_LENGTH = 120
_MAX_POPULATION = 1_000_000_000


@dataclass(frozen=True)
class Question:
    """The dimension of a card that another tool's file means by `name`.

    It is said by judges or people (`by`) of units of a `sort`. `answers` is the scale by which its cells are read;
    `rater` renames who said it.
    """

    by: Literal["judge", "person"]
    kind: Kind
    sort: str
    name: str
    card: str
    dimension: str
    answers: RecipeScale | None = None
    rater: str = ""


@dataclass(frozen=True)
class ImportPlan:
    """The plan by which a source is imported.

    `dataset` is made if it is missing. `sampling` says how the items that carry labels were chosen. Only `all` and
    `random` let the labels count for the approval check, and `random` only with a probability: `population` is the
    number of items that the labelled ones were drawn from; without it the lines give their own. `mappings` say what the
    columns of tables mean. If `tables` are known, they name the file of each mapping, in the same order. `cards` are
    the contents (Card.spec) of cards that the import brings besides those in its files. `questions` say what other
    tools' files mean by the names of values. `sorts` are the sorts of lines that are taken, if not all are.
    """

    dataset: str
    description: str = ""
    synthetic: bool = False
    format: Format = "auto"
    sampling: Sampling = "unknown"
    mappings: tuple[ColumnMapping, ...] = ()
    population: int | None = None
    cards: tuple[dict[str, Any], ...] = ()
    questions: tuple[Question, ...] = ()
    sorts: tuple[Sort, ...] = ()
    tables: tuple[str, ...] = ()

    def check(self) -> ImportPlan:
        """Itself. Raises BadInput for a name, format, sampling or population that cannot be."""
        name = self.dataset
        if not name.strip() or name != name.strip() or len(name) > _MAX_NAME_LENGTH or not name.isprintable():
            raise BadInput(
                f"{name[:60]!r} cannot name a dataset: 1 to {_MAX_NAME_LENGTH} characters, no space at its ends."
            )
        if self.format not in FORMATS:
            raise BadInput(f"{self.format!r} is not a format. There are: {', '.join(FORMATS)}.")
        if self.sampling not in SAMPLINGS:
            raise BadInput(f"{self.sampling!r} is not a sampling. There are: {', '.join(SAMPLINGS)}.")
        if self.population is not None and self.sampling != "random":
            raise BadInput("The number of items that a sample was drawn from belongs to items drawn at random.")
        if self.population is not None and not 1 <= self.population <= _MAX_POPULATION:
            raise BadInput(f"A sample is drawn from 1 to {_MAX_POPULATION:,} items, not from {self.population:,}.")
        return self
