"""Checks of imported items and cards, which judgments and labels name."""

from __future__ import annotations

from data.importing.checks.import_context import ImportContext, check_text
from data.importing.checks.known_rows import KnownItem
from data.records import rows
from judges.authoring.custom import from_spec
from judges.card import Card
from judges.cards import cards
from judges.errors import AssayError
from judges.importing.entries import Line, LineError
from judges.importing.lines import CardLine, parse_item
from judges.strict_json import show_value
from judges.types import Dialogue, Dimension, Pair, Response


def check_item(context: ImportContext, line: Line) -> None:
    """Put an item into the spool, or count it as known. Raises LineError, ValidationError or AssayError."""
    item = parse_item(line.data)
    row = rows.item_row(context.dataset_id, item)
    content, content_hash = row.content, row.hash
    check_text(content, line.data)
    report, known = context.report, context.items.hash_of(item.id)
    if known is not None:
        if known != content_hash and not line.weak:
            stored_item = context.items.get(item.id)
            if stored_item is not None and not has_text(stored_item):
                raise LineError(
                    "id",
                    f"{show_value(item.id)} was imported before without its texts, and an item never changes. Import "
                    "texts and answers together, or the texts first, into another dataset.",
                )
            where = "earlier in this import" if context.items.is_new(item.id) else "in the dataset"
            raise LineError(
                "id", f"{show_value(item.id)} is there already, {where}, with other content. Give it another id."
            )
        is_new = context.items.is_new(item.id)
        report.known.items += not is_new
        report.repeated.items += is_new and not line.weak
        context.numbered += not is_new and item.id == f"row {line.line}"
        return
    if line.weak:
        context.textless.add(item.id)
    context.items.add(item, content, content_hash)
    context.spool.add([row], len(content))
    report.new.items += 1
    systems = " / ".join(filter(None, (row.system_a, row.system_b)))
    input_text = item.input_text if isinstance(item, Pair) else ""
    begins = item.turns[0].text if isinstance(item, Dialogue) else input_text or getattr(item, "output", "")
    shown = {"id": item.id, "kind": item.kind, "system": systems, "units": row.cells, "begins": begins[:500]}
    context.show("items", report.new.items, **shown)


def has_text(item: KnownItem) -> bool:
    """Whether what is judged of an item is there, and not its name alone."""
    return bool(item.output if isinstance(item, Response) else item.kind == "dialogue" or item.response_a.text)


class CardCheck:
    """Takes cards; `new` are those that the import brings, by version."""

    def __init__(self, context: ImportContext) -> None:
        self.context = context
        self.new: dict[str, Card] = {}

    def take(self, line: Line) -> None:
        """Let judgments and labels of this import go by a card, or count it as known. Raises LineError."""
        spec = CardLine.model_validate(line.data).card
        if not (spec.get("name") or spec.get("recipe")):
            raise LineError("card", "The card has neither a name nor a recipe. Export it again where it was made.")
        try:
            card = from_spec(spec, cards())
        except (AssayError, KeyError, TypeError, ValueError, AttributeError) as error:
            why = str(error) if isinstance(error, AssayError) else "it lacks what a card has"
            raise LineError(
                "card", f"The card {show_value(spec.get('name'))} cannot be made: {why.rstrip('.')}."
            ) from None
        other = self.context.cards.get(card.name)
        if other is not None and other.kind != card.kind:
            raise LineError("card", f"The card {card.name} judges a {other.kind} here, and a {card.kind} in the file.")
        if (card.recipe or {}).get("how") == "own" and card.name in cards():
            raise LineError(
                "card", f"{card.name} is a card with a folder here, and another card in the file: rename one."
            )
        for dimension in card.dimensions:
            self._check(card, dimension)
        report = self.context.report
        if card.version in self.new:
            report.repeated.cards += 1
        elif card.version in self.context.versions:
            report.known.cards += card.recipe is not None
        else:
            self.new[card.version] = card
            report.new.cards += 1
            names = ", ".join(dimension.name for dimension in card.dimensions)
            self.context.show("cards", report.new.cards, name=card.name, kind=card.kind, dimensions=names)
        self.context.know(card)

    def _check(self, card: Card, dimension: Dimension) -> None:
        """Raise LineError where a name means another scale here: labels know no card, so a name has one scale."""
        known = self.context.questions.get((card.kind, dimension.sort, dimension.name))
        if known is not None and known.scale != dimension.scale:
            raise LineError(
                "card",
                f"{dimension.name} of a {dimension.sort} means {known.scale.words} here, and {dimension.scale.words} "
                f"in the file's card {card.name}. Import it into another workspace, or rename the dimension.",
            )
