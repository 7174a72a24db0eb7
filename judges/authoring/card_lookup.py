"""The card that a command line names: by its name, by its file, or by a list of questions."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from judges.authoring.custom import from_recipe, from_spec
from judges.authoring.overlay import apply_per_turn
from judges.authoring.recipe import RecipeScale, check_recipe
from judges.card import PER_TURN, Card, Example
from judges.cards import cards
from judges.errors import BadCard, UnknownCard
from judges.examples import parse_example, with_examples
from judges.types import SORTS_OF, Kind, Scale, UnitSort, spell_number

POINTWISE = "pointwise_quality"
"""The card that takes dimensions of one's choice."""
_MAX_CARD_BYTES = 4_000_000
"""Bytes of a card's file: a card is a page or two of text."""
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\s*(?:-|–|\.\.|to)\s*({_NUMBER})(?:\s*,?\s*(?:in )?steps?(?: of)?\s*({_NUMBER}))?")
_DIMENSION = re.compile(
    r"(?P<name>[^:：(]*?)\s*(?:\((?P<scale>[^()]*)\)\s*)?(?:[:：]\s*(?P<definition>.*))?", re.DOTALL
)
_NA = re.compile(r"\s*(?:,|\||/|or)\s*n/?a$", re.IGNORECASE)
_CONTINUOUS = re.compile(r"\s*continuous$", re.IGNORECASE)
_WHOLE_UNIT: dict[Kind, UnitSort] = {"dialogue": "conversation", "pair": "pair", "response": "response"}


def is_file(name: str) -> bool:
    """Whether a card is given as a file or folder instead of a name: ./folder, a path, card.json, card.zip."""
    return "/" in name or "\\" in name or name.endswith((".json", ".jsonl", ".zip"))


def find_card(
    name: str, dimensions: Sequence[str], kind: Kind = "response", confidence: bool = True,
    known: Mapping[str, Card] | None = None,
) -> Card:  # fmt: skip
    """The card of a name or file, or of questions such as "tone (1-3): How it sounds." (see `parse_question`).

    `known` are the known cards (default: those with a folder). If pointwise_quality is named, questions become its
    dimensions; else they make a card of that name ("": a default name) for a `kind` of item. NAME_on_turns is that card
    applied per turn. Without `confidence`, pointwise_quality asks for scores and justifications only. Raises
    UnknownCard, BadCard.
    """
    cards_by_name = cards() if known is None else known
    base = name.removesuffix(PER_TURN)
    if base == POINTWISE and (dimensions or not confidence):
        from judges.cards.pointwise_quality.card import DEFAULT, card_with_dimensions

        card = card_with_dimensions([_pointwise(text) for text in dimensions] or DEFAULT, confidence)
        return card if base == name else apply_per_turn(card)
    if not confidence:
        raise BadCard(f"Only {POINTWISE} asks for a confidence that can be left out: leave out --no-confidence.")
    if name and is_file(name):
        if dimensions:
            raise BadCard(f"The card in {name} has dimensions of its own: leave out --dimension.")
        return card_from_file(Path(name))
    if dimensions and name not in cards_by_name:
        questions = [parse_question(text, kind) for text in dimensions]
        title = (name or f"own {kind}").replace("_", " ").strip().capitalize()
        return from_recipe(
            check_recipe({"name": name or f"own_{kind}", "title": title, "kind": kind, "dimensions": questions})
        )
    if dimensions:
        raise BadCard(
            f"The card {name} has dimensions of its own: leave out --dimension. Only {POINTWISE} takes other "
            "dimensions. To make a new card of them, give a name that no card has."
        )
    if name not in cards_by_name and base != name and base in cards_by_name:
        return apply_per_turn(cards_by_name[base])
    if name not in cards_by_name:
        raise UnknownCard(
            f"There is no card {name[:80]!r}. There are: {', '.join(cards_by_name)}. Any other can be given as a file: "
            "--card FILE."
        )
    return cards_by_name[name]


def parse_question(text: str, kind: Kind) -> dict[str, Any]:
    """A question in the form of a recipe, from "UNIT.NAME (SCALE): DEFINITION"; UNIT and SCALE may be left out.

    Without a unit it is asked of the whole item; without a scale, the scale is 1 to 5. Raises BadCard.
    """
    name, scale, definition = _parse_dimension(text)
    unit, _, rest = name.partition(".")
    if rest and unit in get_args(UnitSort):
        if unit not in SORTS_OF[kind]:
            unit_names = ", ".join(SORTS_OF[kind])
            raise BadCard(f"{text[:80]!r}: a {kind} has no {unit}. It has: {unit_names}. Another kind of item: --kind.")
        name = rest
    else:
        unit = _WHOLE_UNIT[kind]
    question: dict[str, Any] = {"name": name, "unit": unit, "definition": definition}
    return question | ({"answers": parse_scale(scale)} if scale else {})


def parse_scale(text: str) -> dict[str, Any]:
    """A scale in the form of a recipe.

    It is "1-5" (whole numbers), "0-1", "1-5 continuous" or "0-10 step 0.5" (an interval), "yes/no", "poor|good" (words,
    worst first), "red, green" (words without order); followed by "or n/a" if n/a is an answer.

    Raises BadCard for anything else.
    """
    plain = text.strip()
    scale_text = _NA.sub("", plain)
    na_option: dict[str, Any] = {"na": True} if scale_text != plain else {}
    scale_text, between = _CONTINUOUS.subn("", scale_text)
    if match := _RANGE.fullmatch(scale_text):
        lo, hi = (_number(end) for end in match.groups()[:2])
        step = _number(match[3]) if match[3] else 0
        small_integers = isinstance(lo, int) and isinstance(hi, int) and lo >= 0 and hi <= 10 and (lo, hi) != (0, 1)
        if small_integers and step in (0, 1) and not between:
            return na_option | {"kind": "ordinal", "lo": lo, "hi": hi}
        return na_option | {"kind": "interval", "lo": lo, "hi": hi} | ({"step": step} if step else {})
    if re.fullmatch(r"(yes\s*/\s*no|no\s*/\s*yes|true\s*/\s*false|flag)", scale_text, re.IGNORECASE):
        return na_option | {"kind": "flag"}
    for sign, kind in (("|", "ordered"), (",", "unordered")):
        words = [word.strip() for word in scale_text.split(sign)]
        if len(words) > 1 and all(words):
            return na_option | {"kind": kind, "categories": words}
    raise BadCard(
        f"({text[:60]}) is not a scale. Write (1-5) for whole numbers, (0-1) or (0-10 step 0.5) for any number, "
        "(yes/no), (poor|fair|good) for words from worst to best, (red, green) for words without order."
    )


def recipe_of_scale(text: str) -> RecipeScale:
    """The scale that a text writes (`parse_scale`). Raises BadCard where it is none."""
    try:
        return RecipeScale.model_validate(parse_scale(text))
    except ValueError:
        raise BadCard(f"{text[:60]} is not a scale: its ends must differ, and its words must not repeat.") from None


def spell_scale(scale: RecipeScale) -> str:
    """A scale as `parse_scale` reads it: "1-5", "0-10 step 0.5", "yes/no", "poor|good", "red, green"."""
    if scale.kind in ("ordinal", "interval"):
        text = f"{spell_number(scale.lo)}-{spell_number(scale.hi)}"
        text += f" step {spell_number(scale.step)}" if scale.step else ""
        text += " continuous" if scale.kind == "interval" and parse_scale(text)["kind"] == "ordinal" else ""
    elif scale.kind == "flag":
        text = "yes/no"
    else:
        text = ("|" if scale.kind == "ordered" else ", ").join(scale.categories)
    return f"{text} or n/a" if scale.na else text


def card_from_file(path: Path) -> Card:
    """The card of a file: a recipe or a card's content as JSON, or an exported card as a zip or a folder.

    Raises BadCard if the file contains no card, OSError.
    """
    if path.is_dir():
        return _folder({file.name: _text(path, file.read_bytes()) for file in _files_of_card(path)}, path)
    if path.stat().st_size > _MAX_CARD_BYTES:
        raise BadCard(f"{path} is larger than {_MAX_CARD_BYTES // 1_000_000} MB, so it is not a card.")
    data = path.read_bytes()
    if zipfile.is_zipfile(io.BytesIO(data)):
        return _folder(_read_zip(path, data), path)
    text = _text(path, data)
    row: Any = None
    try:
        row = json.loads(text)
    except RecursionError:
        raise BadCard(f"{path} is nested too deeply, so it is not a card.") from None
    except ValueError:  # it may be a file of lines, of which the first holds a card
        with suppress(ValueError, RecursionError):
            row = json.loads(text.partition("\n")[0])
        if not isinstance(row, dict) or not isinstance(row.get("card"), dict):
            raise BadCard(f"{path} is not JSON: {_ACCEPTED_FILES}") from None
    if isinstance(row, dict) and isinstance(row.get("card"), dict):
        row = row["card"]
    if not isinstance(row, dict):
        raise BadCard(f"{path} holds no JSON object: {_ACCEPTED_FILES}")
    try:
        return from_spec(row, cards()) if "reply" in row else from_recipe(check_recipe(row))
    except (KeyError, TypeError, AttributeError, ValueError):
        raise BadCard(f"{path} lacks what a card has: {_ACCEPTED_FILES}") from None
    except BadCard as error:
        raise BadCard(f"{path}: {error}") from None


_ACCEPTED_FILES = (
    "give a recipe (recipe.json of an exported card), a card's line of an export, or the zip or folder of a card."
)
_FILES = ("recipe.json", "prompt.md", "examples.jsonl")


def _files_of_card(folder: Path) -> list[Path]:
    if not (folder / "recipe.json").is_file() and (folder / "card.py").is_file():
        raise BadCard(f"{folder} is a card of code: copy it to judges/cards/ and name it {folder.name}.")
    files = [folder / name for name in _FILES if (folder / name).is_file()]
    if any(file.stat().st_size > _MAX_CARD_BYTES for file in files):
        raise BadCard(f"{folder} has a file of more than {_MAX_CARD_BYTES // 1_000_000} MB, so it is not a card.")
    return files


def _read_zip(path: Path, data: bytes) -> dict[str, str]:
    """The files of a zipped card that are needed, by name; nothing is unpacked to disk."""
    texts: dict[str, str] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                name = info.filename.rpartition("/")[2]
                if name not in _FILES:
                    continue
                if name in texts:
                    raise BadCard(f"{path} holds several cards: give one at a time.")
                if info.file_size > _MAX_CARD_BYTES:
                    raise BadCard(f"{path}: {name} is larger than {_MAX_CARD_BYTES // 1_000_000} MB: that is no card.")
                with archive.open(info) as file:
                    texts[name] = _text(path, file.read(_MAX_CARD_BYTES))
    except BadCard:
        raise
    except Exception as error:  # what is damaged in a zip raises errors of many kinds: zlib.error, LZMAError, ...
        raise BadCard(f"{path} cannot be unzipped: {error}.") from None
    return texts


def _folder(files: Mapping[str, str], path: Path) -> Card:
    """The card of an exported folder: its recipe with the folder's prompt and examples."""
    if "recipe.json" not in files:
        raise BadCard(f"{path} holds no recipe.json: {_ACCEPTED_FILES}")
    try:
        card = from_recipe(check_recipe(json.loads(files["recipe.json"])))
        rows = [json.loads(line) for line in io.StringIO(files.get("examples.jsonl", "")) if line.strip()]
    except (ValueError, RecursionError) as error:
        raise BadCard(f"{path}: its JSON cannot be read ({error}).") from None
    except BadCard as error:
        raise BadCard(f"{path}: {error}") from None
    if files.get("prompt.md", "").strip():
        card = replace(card, prompts={"": files["prompt.md"].strip()})
    shown: list[Example] = [parse_example(row, f"{path}, examples.jsonl, line {n}") for n, row in enumerate(rows, 1)]
    return with_examples(card, shown) if shown else card


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadCard(f"{path} is no text in UTF-8: {_ACCEPTED_FILES}") from None


def _parse_dimension(text: str) -> tuple[str, str, str]:
    """Name, scale ("" for none) and definition."""
    match = _DIMENSION.fullmatch(text.strip())
    if match is None:
        name, _, definition = text.partition(":")
        return name.strip(), "", definition.strip()
    return match["name"].strip(), (match["scale"] or "").strip(), (match["definition"] or "").strip()


def _pointwise(text: str) -> tuple[str, str] | tuple[str, str, Scale]:
    """A dimension of pointwise_quality; words in brackets that do not describe a scale are part of its name."""
    name, scale, definition = _parse_dimension(text)
    if not scale:
        return name, definition
    try:
        recipe = parse_scale(scale)
    except BadCard:
        full_name, _, definition = text.partition(":")
        return full_name.strip(), definition.strip()
    if recipe["kind"] != "ordinal" or recipe.get("na"):
        raise BadCard(
            f"{text[:80]!r}: {POINTWISE} scores in whole numbers, such as (1-3). For another scale leave out --card "
            f"{POINTWISE}, or give a name that no card has: that makes a new card."
        )
    return name, definition, Scale("ordinal", recipe["lo"], recipe["hi"])


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)
