"""The scale of values that come without a card: which scale a column fits, and what each cell means on it."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Literal

from judges.authoring.recipe import MAX_ENTRIES, RecipeScale, steps_fit

_WORDS = json.loads(Path(__file__).with_name("answer_words.json").read_text(encoding="utf-8"))
"""The words of answers in files: missing values, yes and no, the sides of a pair, ordered words from low to high."""
MISSING = frozenset(_WORDS["missing"])
"""The ways to write a missing value; "none" is a word if the other cells belong to its ordered words."""
_FLAGS = dict.fromkeys(_WORDS["yes"], True) | dict.fromkeys(_WORDS["no"], False)
_VERDICTS = {
    f"{word} {ending}".strip(): side
    for side, words in _WORDS["sides"].items() for word in words for ending in ("", *_WORDS["side_endings"])
}  # fmt: skip
_LADDERS = tuple(tuple(rungs.split("|")) for rungs in _WORDS["ladders"])
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d{1,2})?", re.ASCII)
_COMMA = re.compile(r"([-+]?\d+),(\d+)", re.ASCII)
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}((,\d{3}){2,}|(,\d{3})+\.\d+)", re.ASCII)
_POINTED = re.compile(r"[-+]?[1-9]\d{0,2}((\.\d{3}){2,}|(\.\d{3})+,\d+)", re.ASCII)
_OUT_OF = re.compile(r"(\d+(?:[.,]\d+)?) ?(?:/|out of|von) ?(\d{1,3})", re.ASCII)
_STARS = re.compile(r"(\d+(?:[.,]\d+)?) ?(?:stars?|sterne?|points?|pts?|punkte?|★|つ星|点|分|점)|(★+)☆*")
_LABELLED = re.compile(
    r"\A(?:(?:overall|final|total) )?(?:score|rating|grade|bewertung|punktzahl|スコア|評価|点数) ?[:=] ?(?=\W{0,2}\d)"
)
_NUMBERED = re.compile(
    r"(\d{1,2}) ?[-–—:=.)(] ?(?!(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\Z)(\D*\w\D*?)\)?"
)
"""A number with its label, as in "4 - good"; in "5-Apr", which Excel makes of 4/5, it is none."""
_AROUND = "\"'“”„`*「」[]() "
_MAX_MAGNITUDE, _MAX_WORD_CHARACTERS = 1e9, 40
_OTHER_SCALE_RATIO = 2
"""If one column reaches this many times as far as another, they may be on two scales."""
_MIN_NUMBERS, _MAX_STRAY_SHARE, _MAX_STRAYS = 50, 0.02, 3
"""The fewest numbers among which some can be stray, the greatest share of them, and the most different ones."""
_CODES = frozenset((*(-9, -8, -7, -88, -99, -888, -999, -9999), *(8, 9, 77, 88, 97, 98, 99, 888, 997, 998, 999, 9999)))
"""The numbers that surveys write for a missing answer."""
_MIN_NUMBERS_BESIDE_CODE, _MAX_CODE_SHARE, _MAX_CODES = 20, 0.2, 3
"""The fewest numbers among which some can be such codes, the greatest share of these, and the most different ones."""
_ENDS = (1, 5, 10, 100)
_GRADES = {"a", "b", "c"}
_LETTERS = frozenset("abcdef")

_Sort = Literal["missing", "number", "percent", "comma", "out of", "word"]


@dataclass(frozen=True)
class Survey:
    """The scale that the cells of one or more columns have.

    `answers` is the scale of all cells that are not missing, or None if they have no common scale. Then `why` is a
    phrase that says so, and `most` is the scale of the larger group (numbers or words), None if that has no scale
    either.
    """

    answers: RecipeScale | None
    most: RecipeScale | None
    numbers: int
    words: int
    missing: int
    why: str = ""


def survey(values: Iterable[Any], counts: Iterable[int] = ()) -> Survey:
    """A survey of cells as they stand in files; its scale is None if the cells have none in common.

    yes/no, pass/fail, true/false, 0/1 and similar pairs make a flag. Whole numbers within 0..10 make an ordinal scale.
    Other numbers make an interval scale: from 0 or 1 to 1, 5, 10 or 100 if they lie within, in steps of 1, .5 or .25 if
    all do. a, b and tie make a verdict. Up to 20 different words are categories, ordered if their order is known.
    Numbers with strays (`stray_cells`) have no scale in common. Where the values are different cells, `counts` says how
    often each is there.
    """
    raw = Counter[tuple[type, Any]]()
    for cell, times in zip(values, chain(counts, repeat(1)), strict=False):
        raw[type(cell), _Nested(str(cell)) if isinstance(cell, _NESTED) else cell] += times
    cells: dict[_Sort, Counter[Any]] = defaultdict(Counter)
    decimal = False
    for (_, cell), count in raw.items():
        sort, value = _read(cell)
        cells[sort][value] += count
        decimal = decimal or (isinstance(cell, str) and "," in cell and sort == "number" and not value.is_integer())
    words, missing = cells.pop("word", Counter[Any]()), cells.pop("missing", Counter[Any]())
    if missing["none"] and any("none" in rungs and set(words) < set(rungs) for rungs in _LADDERS) and words:
        words["none"] = missing.pop("none")
    if words and (number_by_word := _leading_numbers(words, bool(cells))):
        cells["number"].update({number_by_word[word]: count for word, count in words.items()})
        words.clear()
    numbers = sum(count.total() for count in cells.values())
    sizes = numbers, words.total(), missing.total()
    if not numbers and not words:
        return Survey(None, None, *sizes, "every cell is empty")
    plain = set(cells["number"]) if set(cells) <= {"number"} or not numbers else None
    if plain is not None and plain <= {0, 1} and all(word in _FLAGS for word in words):
        return Survey(_FLAG, _FLAG, *sizes)
    if plain is not None and plain and plain <= {1, 2} and words and all(_VERDICTS.get(w) == "tie" for w in words):
        return Survey(_VERDICT, _VERDICT, *sizes)
    if plain and (strays := _stray_numbers(cells["number"])):
        return Survey(None, _number_scale(plain - strays), *sizes, explain_strays(sorted(strays)))
    by_number, why_number = _numeric(cells, decimal) if numbers else (None, "")
    by_word, why_word = _categories(set(words)) if words else (None, "")
    if numbers and words:
        minority = "word" if numbers >= words.total() else "number"
        most = by_number if minority == "word" else by_word
        rest = [cell for _, cell in raw if (_read(cell)[0] == "word") == (minority == "word") and not is_missing(cell)]
        named = ", ".join(repr(str(cell)[:30]) for cell in list(rest)[:3])
        return Survey(None, most, *sizes, f"numbers ({numbers:,}) and words ({words.total():,}) are mixed: {named}")
    scale = by_number or by_word
    return Survey(scale, scale, *sizes, why_number or why_word)


def stray_cells(counts: Iterable[tuple[Any, int]]) -> list[Any]:
    """Of different cells, each with how often it is there, the few numbers that are far off all others.

    These are at most 2% of 50 numbers or more, as -1 for an error among answers from 1 to 5, or at most 20% of 20 or
    more that are codes for a missing answer, as 99 among answers from 1 to 5.
    """
    numbers = [(cell, count, value) for cell, count in counts for sort, value in [_read(cell)] if sort == "number"]
    by_number: Counter[float] = Counter()
    for _, count, value in numbers:
        by_number[value] += count
    strays = _stray_numbers(by_number)
    return [cell for cell, _, value in numbers if value in strays]


def is_missing_code(cell: Any) -> bool:
    """Whether a stray cell is a number by which surveys mark a missing answer."""
    sort, value = _read(cell)
    return sort == "number" and value in _CODES


def explain_strays(strays: Iterable[Any]) -> str:
    """A phrase that names stray cells."""
    named = ", ".join(f"{stray:g}" if isinstance(stray, float) else str(stray) for stray in strays)
    return f"few and far off the others, so not on the scale: {named}"


def parse_answer(cell: Any, answers: RecipeScale) -> bool | int | float | str | None:
    """The answer of a cell on a scale, in the form that `judges.types.Scale.code` takes; None if it is missing.

    "pass" is True on a flag, " Good " is "good", "8.0" is 8, "85%" is .85 on a scale up to 1 and 85 on one up to 100,
    "3,5" is 3.5; "3,125" is 3.125 or 3125, whichever lies on the scale. Raises BadScale if it is no answer on the
    scale.
    """
    sort, value = _read(cell)
    if sort == "missing" and not (value == "none" and "none" in answers.categories):
        return None
    answer: Any = cell
    if answers.kind == "flag":
        answer = _FLAGS.get(value, cell) if sort == "word" else value if sort == "number" else cell
        answer = bool(answer) if answer in (0, 1) else answer
    elif answers.kind in ("ordered", "unordered"):
        answer = _category(sort, value, answers.categories)
    else:
        on = [n for n in _numbers(sort, value, answers) if answers.lo <= n <= answers.hi]
        answer = on[0] if len(on) == 1 else cell
        if answers.kind == "ordinal" and isinstance(answer, float) and answer.is_integer():
            answer = int(answer)
    answers.scale.code(answer)
    return answer  # type: ignore[no-any-return]


class _Nested(str):
    """The text of a cell that is a list or an object: it is never an answer."""


_NESTED = (list, dict, tuple, set)
_FLAG = RecipeScale(kind="flag")
_VERDICT = RecipeScale(kind="unordered", categories=["a", "tie", "b"])


def explain_two_scales(
    name: str, judge: RecipeScale | None, people: Iterable[RecipeScale | None], common: RecipeScale | None = None
) -> list[str]:
    """A sentence if the judge's numbers and people's look like two scales, because one reaches far beyond the other.

    `common` is the scale of all of them; percentages are already parts of 1 on it if the other numbers are.
    """
    own_hi, *others = ((a.hi if a and a.kind in ("ordinal", "interval") else 0) for a in (judge, *people))
    other_hi = max(others, default=0)
    two = own_hi and other_hi and max(own_hi, other_hi) >= _OTHER_SCALE_RATIO * min(own_hi, other_hi)
    if not two or (common is not None and common.hi < max(own_hi, other_hi)):
        return []
    return [
        f"{name} goes up to {own_hi:g} and people's numbers up to {other_hi:g}: if these are two scales, kappa of them "
        "means nothing. Bring them to one first."
    ]


def side_words(cells: Iterable[Any]) -> dict[str, str]:
    """The side ("a", "b" or "tie") that each of these cells names, for those that are words for one."""
    read = ((str(cell).strip(), *_read(cell)) for cell in cells)
    return {text: _VERDICTS[value] for text, sort, value in read if sort == "word" and value in _VERDICTS}


def is_missing(cell: Any) -> bool:
    """Whether a cell is missing: it is empty or has one of the marks for missing values."""
    return _read(cell)[0] == "missing"


def _read(cell: Any) -> tuple[_Sort, Any]:
    """The sort of a cell and its value: a number, or a lower-case text without surrounding punctuation."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "missing", ""
    if isinstance(cell, bool):
        return "word", "true" if cell else "false"
    if isinstance(cell, (_Nested, *_NESTED)):
        return "word", str(cell)
    if isinstance(cell, (int, float)):
        return ("number", float(cell)) if abs(cell) <= _MAX_MAGNITUDE else ("word", str(cell))
    folded = " ".join(unicodedata.normalize("NFKC", str(cell)).replace("−", "-").lower().split())
    if folded in MISSING:
        return "missing", folded
    text = _LABELLED.sub("", folded.strip(_AROUND), count=1).strip(_AROUND) or folded  # "Score: [[4]]" is 4
    text += ")" * (text.count("(") > text.count(")"))  # as in "good (mostly)"
    if text.endswith("%") and (number := _parse_number(text[:-1].strip())) is not None:
        return "percent", number
    if (number := _parse_number(text)) is not None:
        return "number", number
    if _COMMA.fullmatch(text) and _to_number(text) is not None:
        return "comma", text
    stars, out_of = _STARS.fullmatch(text), _OUT_OF.fullmatch(text)
    if stars and (number := _to_number(stars[1] or str(len(stars[2])))) is not None:
        return "number", number
    if out_of and (number := _to_number(out_of[1])) is not None:
        return "out of", (number, int(out_of[2]))
    return "word", text.replace("_", " ").rstrip(".!,;:") or text


def _parse_number(text: str) -> float | None:
    """The only number that a text can mean, with a decimal comma or groups of thousands; None for "3,125"."""
    if _NUMBER.fullmatch(text):
        return _to_number(text)
    if _GROUPED.fullmatch(text):
        return _to_number(text.replace(",", ""))
    if _POINTED.fullmatch(text):
        return _to_number(text.replace(".", ""))
    parts = _COMMA.fullmatch(text)
    if parts and (len(parts[2]) != 3 or len(parts[1].lstrip("-+")) > 3 or parts[1].lstrip("-+").startswith("0")):
        return _to_number(text)
    return None


def _to_number(text: str) -> float | None:
    """A number with a point or a comma before its decimals; None if it is too large for any scale."""
    number = float(text.replace(",", "."))
    return number if abs(number) <= _MAX_MAGNITUDE else None


def _numbers(sort: _Sort, value: Any, answers: RecipeScale) -> list[float]:
    """The numbers that a cell may mean on a scale."""
    if sort == "number":
        return [value]
    if sort == "percent":
        return [round(value / 100, 12)] if answers.hi == 1 else [value] if answers.hi >= 100 else []
    if sort == "comma":
        return [float(value.replace(",", ".")), float(value.replace(",", ""))]
    if sort == "word":
        return [float(match[1])] if (match := _NUMBERED.fullmatch(value)) else []
    return [value[0]] if sort == "out of" and value[1] == answers.hi else []


def _category(sort: _Sort, value: Any, categories: list[str]) -> Any:
    if set(categories) == set(_VERDICT.categories):
        sides = {1.0: "a", 2.0: "b"}
        return sides.get(value, value) if sort == "number" else _VERDICTS.get(value, value)
    if sort not in ("word", "missing"):
        return value
    names = (form.replace("-", " ") for form in (value, _without_number(value)))
    return next((name for name in names if name in categories), value)


def _numeric(cells: dict[_Sort, Counter[Any]], decimal: bool) -> tuple[RecipeScale | None, str]:
    """The scale of numbers, or why there is none. `decimal`: commas in them are known to be decimal commas."""
    numbers = set(cells["number"])
    if cells["comma"]:
        if not decimal:
            unclear = str(next(iter(cells["comma"])))
            two = unclear.replace(",", "."), unclear.replace(",", "")
            return None, f"{unclear!r} may be {two[0]} or {two[1]}: write it without a comma"
        numbers |= {float(text.replace(",", ".")) for text in cells["comma"]}
    ends = {of for _, of in cells["out of"]}
    if len(ends) > 1:
        return None, f"they are out of different numbers ({', '.join(map(str, sorted(ends)))})"
    numbers |= {value for value, _ in cells["out of"]}
    if cells["percent"] and not numbers:
        return _interval(set(cells["percent"]) | {0.0, 100.0}), ""
    if cells["percent"]:
        if not all(0 <= n <= 1 for n in numbers):
            return None, "some have a percent sign and others none"
        return RecipeScale(kind="interval", lo=0, hi=1), ""
    top = max(ends, default=0)
    if all(n.is_integer() for n in numbers) and min(numbers) >= 0 and max(*numbers, top) <= 10:
        low, high = min(1, int(min(numbers))), int(max(numbers))
        round_up = next(end for end in ((2, 3, 4, 5, 7, 10) if low else (2, 3, 4, 5, 6, 10)) if end >= high)
        return RecipeScale(kind="ordinal", lo=low, hi=top or round_up), ""
    return _interval(numbers | ({float(top)} if top else set())), ""


def _stray_numbers(counts: Counter[float]) -> set[float]:
    """The numbers that are no reason for a longer scale: as many as lie off the scale of all others."""
    codes = _missing_codes(counts)
    counts = Counter({number: count for number, count in counts.items() if number not in codes})
    numbers, total = sorted(counts), counts.total()
    if total < _MIN_NUMBERS:
        return codes
    for size in range(_MAX_STRAYS, 0, -1):
        for low in range(size + 1):
            rest = numbers[low : len(numbers) + low - size]
            strays = set(numbers) - set(rest)
            rare = sum(counts[number] for number in strays) <= _MAX_STRAY_SHARE * total
            if rare and len(rest) > 2 and rest[0] >= 0 and all(_is_far(number, rest) for number in strays):
                return strays | codes
    return codes


def _missing_codes(counts: Counter[float]) -> set[float]:
    """The numbers that mark a missing answer: each is negative, or many times as large as all others."""
    codes = counts.keys() & _CODES
    rest = counts.keys() - codes
    total, coded = counts.total(), sum(counts[code] for code in codes)
    many = coded > _MAX_CODE_SHARE * total or len(codes) > _MAX_CODES
    if total < _MIN_NUMBERS_BESIDE_CODE or many or len(rest) < 2 or min(rest) < 0:
        return set()
    return codes if all(code < 0 or code >= (4 if code < 10 else 7) * max(rest) for code in codes) else set()


def _is_far(number: float, rest: list[float]) -> bool:
    """Whether a number is off the scale of others, from 0 up, and is no answer that is merely rare."""
    scale = _number_scale(rest)
    if scale is None or scale.lo <= number <= scale.hi:
        return False
    if number < 0:
        return number.is_integer()
    if scale.kind == "ordinal":
        return number > scale.hi and not (number.is_integer() and number <= _ENDS[2])
    return number - rest[-1] >= rest[-1] - rest[0]


def _number_scale(numbers: Iterable[float]) -> RecipeScale | None:
    cells: dict[_Sort, Counter[Any]] = defaultdict(Counter, {"number": Counter(numbers)})
    return _numeric(cells, False)[0]


def _interval(numbers: set[float]) -> RecipeScale:
    low, high = min(numbers), max(numbers)
    if low >= 0:
        low = 1.0 if low >= 1 and 1 < high <= 10 else 0.0
        high = next((float(end) for end in _ENDS if end >= high), high)
    elif low >= -1 and high <= 1:
        low, high = -1.0, 1.0
    elif low == high:
        high = 0.0
    ends_and_numbers = (*numbers, low, high)
    steps = (s for s in (1, 0.5, 0.25) if steps_fit(low, high, s))
    step = next((s for s in steps if all((n / s).is_integer() for n in ends_and_numbers)), 0)
    ends = [int(end) if end.is_integer() else end for end in (low, high)]
    return RecipeScale(kind="interval", lo=ends[0], hi=ends[1], step=step)


def _leading_numbers(words: Iterable[str], beside_numbers: bool) -> dict[str, float]:
    """The numbers in words such as "4 - good", if there are plain numbers too or both have the same order."""
    matches = {word: parts for word in words if (parts := _NUMBERED.fullmatch(word))}
    numbers = {word: float(parts[1]) for word, parts in matches.items()}
    if len(set(numbers.values())) < len(list(words)):
        return {}
    rest = [matches[word][2].strip() for word in sorted(matches, key=numbers.__getitem__)]
    rungs = (_ladder(set(rest)) if len(rest) > 1 and not set(rest) <= _LETTERS else None) or ()
    places = [rungs.index(word) for word in rest if rungs]
    return numbers if beside_numbers or (rungs and places in (sorted(places), sorted(places)[::-1])) else {}


def _without_number(word: str) -> str:
    """The label of a word such as "4 - good", whatever its number; any other word as it is."""
    return match[2].strip() if (match := _NUMBERED.fullmatch(word)) else word


def _categories(words: set[str]) -> tuple[RecipeScale | None, str]:
    """The scale of words, or why there is none."""
    nested = ("{", "[")  # an object or a list; around a word brackets are left out
    texts = (w for w in words if w.startswith(nested) or len(w) > _MAX_WORD_CHARACTERS or not w.isprintable())
    long = min(texts, default=None)
    if long is not None or len(words) > MAX_ENTRIES:
        many = f"{len(words):,} different ones" if long is None else f"{long[:_MAX_WORD_CHARACTERS]!r} ..."
        return None, f"they are texts, not answers: {many}"
    if len({_VERDICTS.get(word, word) for word in words}) > 1 and words <= set(_VERDICTS):
        return _VERDICT, ""
    plain_words = {word.replace("-", " ") for word in words}
    labels = {_without_number(word).replace("-", " ") for word in words}
    if len(labels) < len(plain_words) and _ladder(labels):
        plain_words = words = labels  # "4 = agree" and "agree" are one answer
    if not plain_words <= _GRADES and (rungs := _ladder(words) or _ladder(plain_words)) is not None:
        plain_words = words if words <= set(rungs) else plain_words
        places = [rungs.index(word) for word in plain_words]
        categories = rungs[min(places) : max(places) + 1] if len(plain_words) > 1 else rungs
        return RecipeScale(kind="ordered", categories=list(categories)), ""
    if len(words) == 1:
        return None, f"every cell says {next(iter(words))!r}"
    return RecipeScale(kind="unordered", categories=sorted(words)), ""


def _ladder(words: set[str]) -> tuple[str, ...] | None:
    """The shortest ladder that has all the words."""
    return min((rungs for rungs in _LADDERS if words <= set(rungs)), key=len, default=None)
