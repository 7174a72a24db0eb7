"""The roles of a table's columns, from names and cells: item, texts, judges' and people's answers, the rest.

Nothing is guessed silently: likely roles are listed in `assumptions`, ambiguous ones in `unclear`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from judges.authoring.recipe import RecipeScale
from judges.authoring.scale_inference import Survey, is_missing, side_words, survey
from judges.importing.column_names import WORDS, ColumnName, Owner, is_saved_index, normalize, parse_name
from judges.importing.speakers import read_messages, speaker_name
from judges.plural import verb

_WEAK_IDS = frozenset(("name", "no", "nr", "row"))
_RESPONSE_NAMES = (
    "response", "answer", "output", "completion", "text", "reply", "summary", "assistant", "conversation", "item",
)  # fmt: skip
_SIDE_SUFFIXES = (("a", "b"), ("1", "2"))
_PREFERENCE_NAMES = (("chosen", "rejected"), ("preferred", "other"), ("better", "worse"))
_SYSTEM_NAMES = ("model", "system", "generator")
_ANNOTATOR_NAMES = ("annotator", "rater", "worker", "judge", "reviewer")
_GIVERS = (*_ANNOTATOR_NAMES, "human", "llm", "model")
FIELD_GROUPS = {
    "inputs": "task", "input": "task", "outputs": "output", "output": "output", "reference": "reference",
    "reference_outputs": "reference", "expected": "reference",
}  # fmt: skip
"""The field that texts are of whose column is an object's key, as inputs.question of LangSmith and Weave."""
_RATED = frozenset(("score", "scores", "rating", "ratings", "grade", "label", "labels", "verdict"))
_MARKED = re.compile(r"(.+?)_(id|name|idx|index|no|nr|num|number|code|email|key|uid|uuid|model)")
_ID_ENDINGS = ("_id", "_uid", "_uuid", "_guid")
_OF_ANSWERS = frozenset((
    "annotation", "annotations", "judgement", "judgment", "judged", "metric", "pred", "preds", "prediction",
    "predictions", "predicted", *WORDS["person_weak"],
))  # fmt: skip
"""Words after which an id or number means the answer, and not who gave it."""
ITEM_PART_COLUMNS = (
    "turn", "turn_number", "section", "system", "model", "model_id", "system_id", "sample", "unit", "role",
)  # fmt: skip
"""Columns that divide the rows of one id into several items."""
_MAX_QUESTIONS = 30
"""The most questions that a column names."""
_NESTED_ROWS = 300
"""The number of first rows in which lists of answers are looked for."""
_MIN_UNIQUE_SHARE = 0.95
"""The least share of the rows with a giver in which that giver answers the item only once."""
_MIN_UNIQUE_SHARE_OF_NAMES = 0.8
"""The same where the column can hold nothing but names, as evaluator does: people may answer again."""
_MIN_REPEATED_SHARE = 0.1
"""The least share of these rows that are further answers to an item: a single id that comes twice shows nothing."""


@dataclass(frozen=True)
class AnswerColumn:
    """A column of answers: who gave them, on which `dimension` ("" if the name says only who), and its cells' `survey`.

    `reason` and `confidence` name the columns with reasons and confidences of these answers, "" for none.
    """

    column: str
    rater: str
    dimension: str
    survey: Survey
    reason: str = ""
    confidence: str = ""


@dataclass(frozen=True)
class Unclear:
    """Columns whose role a person has to say, and a sentence that asks for it."""

    columns: tuple[str, ...]
    sentence: str


@dataclass(frozen=True)
class Columns:
    """The roles of the columns of a table; each column has one role.

    `texts` are fields of items ("task", "output", "reference", "input", "response_a", "response_b", "turns",
    "scenario", "system", "system_a", "system_b") with their columns; `by` is the column that names who gave the answer
    of its row, if people or judges differ by row instead of by column. `named_sides` are the columns of answers that
    name a side of the pair by its system.
    """

    id: str = ""
    texts: dict[str, list[str]] = field(default_factory=dict)
    judges: tuple[AnswerColumn, ...] = ()
    people: tuple[AnswerColumn, ...] = ()
    by: str = ""
    values: tuple[AnswerColumn, ...] = ()
    """With `by`: the columns of answers; each row says whose they are."""
    meta: tuple[str, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    assumptions: tuple[str, ...] = ()
    named_sides: tuple[str, ...] = ()

    @property
    def kind(self) -> Literal["dialogue", "pair", "response"]:
        """The kind of item that its texts make."""
        if "response_a" in self.texts or ("system_a" in self.texts and not {"output", "turns"} & self.texts.keys()):
            return "pair"
        return "dialogue" if "turns" in self.texts else "response"


def find_columns(
    names: Sequence[str], rows: Sequence[Mapping[str, Any]], judges: Sequence[str] = (), people: Sequence[str] = ()
) -> Columns:
    """The roles of a table's columns; `judges` and `people` name the answer columns, and then no other column is one.

    A name that is not a column is ignored.
    """
    return _Table(names, rows, [c for c in judges if c in names], [c for c in people if c in names]).read()


def question_column(names: Iterable[str], cells: Callable[[str], Sequence[Any]]) -> str:
    """Of these columns, the one that by its name and cells says which question a row's answers are to; "" for none.

    `cells` gives the different cells of a column, and none where they are texts.
    """
    known = (name for name in names if normalize(name) in WORDS["questions"])
    return next((name for name in known if 0 < len(cells(name)) <= _MAX_QUESTIONS), "")


def names_questions(column: str, names: Iterable[str], cells: Callable[[str], Sequence[Any]]) -> bool:
    """Whether a column that seems to hold answers, as one called metric, names questions: words of its own."""
    seems = parse_name(column)
    if not (seems.owner or seems.value) or not question_column([column], cells):
        return False
    own_cells = cells(column)
    scale = survey(own_cells).answers
    if scale is None or scale.kind != "unordered":
        return False
    others = (cell_text(cell).strip() for name in names if name != column for cell in cells(name))
    return {cell_text(cell).strip() for cell in own_cells}.isdisjoint(others)


def _nested_answers(names: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence on the columns whose cells seem to be lists or objects of answers, "" if there are none."""
    nested = [name for name in names if _nests_numbers(name, rows) and _names_answers(name, rows)]
    if not nested:
        return ""
    hold, are = verb(len(nested), "holds", "hold"), verb(len(nested), "is", "are")
    return (
        f"{', '.join(nested)} {hold} lists or objects, and {are} not taken for answers: give each value a column of "
        "its own, such as expert_1_tone."
    )


def _names_answers(column: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a column's name, or a key of the objects in its cells, says that it holds answers."""
    cells = [row.get(column) for row in rows[:_NESTED_ROWS]]
    parts = [part for cell in cells for part in (cell if isinstance(cell, list) else [cell]) if isinstance(part, dict)]
    keys = {str(key) for part in parts for key in part}
    own = parse_name(column)
    return bool(own.owner) or own.value or any(n.value or (n.owner and not n.weak) for n in map(parse_name, keys))


def _nests_numbers(column: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    return any(_holds_nested_numbers(row.get(column)) for row in rows[:_NESTED_ROWS])


def _holds_nested_numbers(cell: Any) -> bool:
    """Whether a cell is a list or an object, or the JSON of one, with a number somewhere in it."""
    if isinstance(cell, str) and cell.lstrip()[:1] in ("[", "{"):
        return re.search(r"[\[:,]\s*-?\d+(\.\d+)?\s*[,\]}]", cell) is not None
    inner = cell.values() if isinstance(cell, dict) else cell if isinstance(cell, (list, tuple)) else ()
    return any(isinstance(value, (int, float)) or _holds_nested_numbers(value) for value in inner)


def fault_of_names(of: str, names: Sequence[str], judges: Sequence[str], people: Sequence[str]) -> str:
    """Explain in a sentence why the named columns cannot be a judge's and a person's; "" if they can.

    `of` names the file or files, and `names` are all of their columns.
    """
    for name in (*judges, *people):
        if name not in names:
            columns = f" It has: {', '.join(names)}." if names else " It holds no table."
            return f"{of} has no column {name!r}.{columns}"
        if name in judges and name in people:
            return f"{of}: the column {name!r} is named with --judge and with --human, and can be one of them only."
    return ""


class _Table:
    """The columns of a table while they are identified; an identified column is removed from `left`."""

    def __init__(
        self, names: Sequence[str], rows: Sequence[Mapping[str, Any]], judges: list[str], people: list[str]
    ) -> None:
        self.left = list(names)
        self.rows, self.named = rows, {"judge": judges, "person": people}
        self.normalized = {normalize(name): name for name in reversed(names)}
        self.assumptions: list[str] = []
        self.unclear: list[Unclear] = []
        self.texts: dict[str, list[str]] = {}
        self._surveys: dict[str, Survey] = {}

    def read(self) -> Columns:
        self.left = [c for c in self.left if c not in self.named["judge"] and c not in self.named["person"]]
        key = self._id()
        if key:
            self.left.remove(key)
        self._fields()
        named_sides = self._read_named_sides()
        names = {column: parse_name(column) for column in self.left}
        extras = [c for c in self.left if names[c].confidence or (names[c].note and not self._holds_numbers(c))]
        meta = [c for c in self.left if c not in extras and (_holds_side_facts(c, names[c]) or self._counts_rows(c))]
        for parts in self._parted_verdicts():
            why = f"{', '.join(parts)} are one verdict in three columns: write it as a, b or tie in one"
            self._add_unclear(parts, why)
            self.left = [c for c in self.left if c not in parts]
        item, giver = self._rows_of_answers(key, [c for c in self.left if c not in extras], meta)
        if giver and item != key:
            meta += [key] if key else []
            key = item
        self.left = [c for c in self.left if c not in extras and c not in (*meta, key) and c != giver]
        meta = [c for c in meta if c not in (key, giver)]
        by = giver or self._owner_column(names)
        self.left = [c for c in self.left if c != by]
        owners: tuple[Owner, Owner] = ("judge", "person")
        answers_by_owner = {o: [self._answer_column(c) for c in self.named[o]] for o in owners}
        open_: list[AnswerColumn] = []
        for column in self.left:
            name = names[column]
            if not self._can_hold_answers(column, name):
                meta.append(column)
            elif name.either:
                self._add_unclear([column], f"{column} names a judge and a person: say whose it is")
            elif name.owner and not self.named[name.owner]:
                answers_by_owner[name.owner].append(self._answer_column(column))
            else:
                open_.append(self._answer_column(column))
        values: list[AnswerColumn] = []
        if by:
            answers_by_owner, values = self._split(by, answers_by_owner, open_, names)
        else:
            self._summaries(answers_by_owner["person"], meta, names)
            self._assign_open_columns(answers_by_owner, open_, meta)
            self._share_single_dimension(answers_by_owner["judge"], answers_by_owner["person"])
        extra_names, only = {c: names[c] for c in extras}, not by and len(answers_by_owner["judge"]) == 1
        judges, people = ([self._with(v, extra_names, o, only) for v in answers_by_owner[o]] for o in owners)
        used = {c for v in (*judges, *people) for c in (v.reason, v.confidence)}
        meta += [c for c in extras if c not in used]
        if sentence := _nested_answers(dict.fromkeys(meta), self.rows):
            self.assumptions.append(sentence)
        return Columns(
            key, self.texts, tuple(judges), tuple(people), by, tuple(values), tuple(dict.fromkeys(meta)),
            tuple(self.unclear), tuple(self.assumptions), named_sides,
        )  # fmt: skip

    def _survey(self, column: str) -> Survey:
        if column not in self._surveys:
            self._surveys[column] = survey(row.get(column) for row in self.rows)
        return self._surveys[column]

    def _answer_column(self, column: str) -> AnswerColumn:
        name = parse_name(column)
        return AnswerColumn(column, name.rater or column, name.dimension, self._survey(column))

    def _add_unclear(self, columns: Sequence[str], sentence: str) -> None:
        self.unclear.append(Unclear(tuple(columns), f"{sentence}."))

    def _read_named_sides(self) -> tuple[str, ...]:
        """Read the columns whose answers are all the name of one of the row's two systems or a tie as verdicts."""
        sides = [column for name in ("system_a", "system_b") for column in self.texts.get(name, ())]
        if len(sides) != 2:
            return ()
        columns = []
        for column in (*self.left, *self.named["judge"], *self.named["person"]):
            name = parse_name(column)
            if column in self.left and not (name.owner or name.value):
                continue
            named = [name_side(row.get(column), *map(row.get, sides)) for row in self.rows]
            ties = {text for text, side in side_words(row.get(column) for row in self.rows).items() if side == "tie"}
            others = [row.get(column) for row, side in zip(self.rows, named, strict=True) if not side]
            if {"a", "b"} <= set(named) and all(is_missing(c) or cell_text(c).strip() in ties for c in others):
                columns.append(column)
                sides_of_rows = zip(self.rows, named, strict=True)
                self.rows = [{**row, column: side or row.get(column)} for row, side in sides_of_rows]
                self.assumptions.append(f"{column} is read as a verdict: the name of a system is its side.")
        return tuple(columns)

    def _parted_verdicts(self) -> list[list[str]]:
        """Groups of three columns: each column says of one outcome of a pair whether it is the verdict."""
        by_stem: dict[str, dict[str, str]] = {}
        for column in self.left:
            if parts := re.fullmatch(r"(.+?)_(?:model_|response_)?(a|b|tie)", normalize(column)):
                by_stem.setdefault(parts[1], {})[parts[2]] = column
        threes = [list(columns.values()) for columns in by_stem.values() if len(columns) == 3]
        kinds = {c: scale.kind for three in threes for c in three if (scale := self._survey(c).answers)}
        return [three for three in threes if {kinds.get(c) for c in three} == {"flag"}]

    def _holds_numbers(self, column: str) -> bool:
        """Whether the cells of a column are numbers on a scale, or yes and no: such feedback is no reason."""
        scale = self._survey(column).answers
        return scale is not None and scale.kind in ("flag", "ordinal", "interval")

    def _counts_rows(self, column: str) -> bool:
        """Whether a column other than the id numbers the rows, as a saved index does."""
        return (normalize(column) in WORDS["ids"] or is_saved_index(column)) and self._distinct(column)

    def _rows_of_answers(self, key: str, names: Sequence[str], meta: Sequence[str]) -> tuple[str, str]:
        """The columns (item, giver) if each row is one giver's answer to an item; else two empty texts.

        A unique id may then be the answer's id, and the item has an id of its own.
        """
        givers = [c for c in names if _names_giver(c) and self._recurs(c)]
        answers = [c for c in names if c not in meta and normalize(c) not in _ANNOTATOR_NAMES]
        answers = [c for c in answers if self._can_hold_answers(c, parse_name(c))]
        answers += [*self.named["judge"], *self.named["person"]]
        ids = [self.normalized[n] for n in WORDS["ids"] if self.normalized.get(n) in names and n not in _WEAK_IDS]
        ids += [c for c in names if normalize(c).endswith(_ID_ENDINGS) and c not in ids and not parse_name(c).owner]
        if not key:
            others = [c for c in names if c not in (*ids, *meta, *answers) and not parse_name(c).owner]
            ids += [c for c in others if c not in givers]
        known = {normalize(name): name for row in self.rows for name in row}
        for item in (key, *(ids if not key or self._distinct(key) else [])):
            if not item or item in givers or self._distinct(item):
                continue
            parts = [item, *(known[n] for n in ITEM_PART_COLUMNS if n in known)]
            parts += [known[n] for n in WORDS["questions"] if n in known and self._survey(known[n]).words]
            texts = [c for columns in self.texts.values() for c in columns if item != key]
            if self._count(parts) == len(self.rows) or self._count([*parts, *texts]) > self._count(parts):
                continue
            for giver in (c for c in givers if self._answers_beside(c, answers, item)):
                rows = [row for row in self.rows if all(cell_text(row.get(c)).strip() for c in (giver, item))]
                pairs = self._count([*parts, giver], rows)
                repeated = pairs - self._count(parts, rows)
                least_repeated = max(_MIN_REPEATED_SHARE * len(rows), 1)
                if pairs >= self._least_unique_share(giver) * len(rows) and repeated >= least_repeated:
                    return item, giver
        return "", ""

    def _least_unique_share(self, giver: str) -> float:
        cell_survey = self._survey(giver)
        names = normalize(giver) not in _ANNOTATOR_NAMES and cell_survey.words > cell_survey.numbers
        return _MIN_UNIQUE_SHARE_OF_NAMES if names else _MIN_UNIQUE_SHARE

    def _answers_beside(self, giver: str, answers: Iterable[str], item: str) -> list[str]:
        """The columns of answers that a giver's may be: by their names those beside `judge` may be people's instead."""
        named, whose = {*self.named["judge"], *self.named["person"]}, parse_name(giver).owner
        others = [c for c in answers if c not in (giver, item)]
        return [c for c in others if c in named or not whose or parse_name(c).owner in ("", whose)]

    def _count(self, columns: Sequence[str], rows: Sequence[Mapping[str, Any]] | None = None) -> int:
        """The number of distinct combinations of cells in some columns."""
        return len({tuple(str(row.get(c)) for c in columns) for row in (self.rows if rows is None else rows)})

    def _recurs(self, column: str) -> bool:
        """Whether the cells of a column are short names or numbers that recur in several rows."""
        cells = [cell for row in self.rows if (cell := cell_text(row.get(column)).strip().removesuffix(".0"))]
        return 2 * len(set(cells)) <= len(cells) and all(len(c) <= 100 and not re.search(r"\d\.\d", c) for c in cells)

    def _distinct(self, column: str) -> bool:
        cells = [str(row.get(column)) for row in self.rows]
        return len(set(cells)) == len(cells) and all(len(cell) <= 100 for cell in cells)

    def _id(self) -> str:
        """The column that names the item of a row, "" where none does."""
        for known in WORDS["ids"]:
            column = self.normalized.get(known)
            if column in self.left and (known not in _WEAK_IDS or self._distinct(column)):
                return column
        for column in self.left:
            name = parse_name(column)
            ends = normalize(column).endswith(_ID_ENDINGS) and not name.owner and normalize(column) != "model_id"
            if ends and self._distinct(column):
                return column
        first = self.left[0] if self.left else ""
        if first and len(self.rows) > 2 and self._distinct(first) and not (name := parse_name(first)).owner:
            numeric = all(re.fullmatch(r"\d{1,18}", str(row.get(first))) for row in self.rows)
            if numeric and not (name.value or name.either):
                self.assumptions.append(f"{first} is taken for the id, as its numbers are all different.")
                return first
        return ""

    def _fields(self) -> None:
        """Take the texts of items from `left`."""
        self._pair()
        for field_, names in WORDS["fields"].items():
            if "response_a" in self.texts and field_ in ("output", "reference", "turns", "system"):
                continue
            target = "input" if field_ == "task" and "response_a" in self.texts else field_
            for column in list(self.left):
                once = field_ != "task" and field_ in self.texts
                if not once and self._is_field(column, field_, names):
                    if field_ == "turns" and not self._holds_lists(column):
                        target = "output"  # a conversation that is written as a text
                        if target in self.texts:
                            continue
                    self.texts.setdefault(target, []).append(column)
                    self.left.remove(column)

        if not {"output", "turns", "response_a", "system_a"} & self.texts.keys():
            candidates = [*self.texts.get("task", ()), *self.left]
            if dialogue := next((column for column in candidates if self._holds_dialogues(column)), ""):
                self.texts = {field_: [c for c in names if c != dialogue] for field_, names in self.texts.items()}
                self.texts = {field_: names for field_, names in self.texts.items() if names} | {"turns": [dialogue]}
                self.left = [column for column in self.left if column != dialogue]
        if Columns(texts=self.texts).kind == "pair" and "response_a" not in self.texts:
            # Its texts are not in the table, and whose they are is.
            self.texts |= {"input": columns} if (columns := self.texts.pop("task", None)) else {}
            self.left += [c for field_ in ("reference", "system") for c in self.texts.pop(field_, ())]

    def _is_field(self, column: str, field_: str, names: Sequence[str]) -> bool:
        """Whether a column by its name and cells holds a field; an answer that was expected may be a number."""
        group, _, inner = column.partition(".")
        rated = parse_name(inner).note or _RATED & set(normalize(inner).split("_"))
        grouped = bool(inner) and not rated and FIELD_GROUPS.get(normalize(group)) == field_
        named = grouped or normalize(column) in names
        return (grouped and field_ == "reference") or (named and self._can_hold_texts(column, field_))

    def _holds_lists(self, column: str) -> bool:
        """Whether the filled cells of a column are lists, or texts of JSON that are."""
        cells = [cell for row in self.rows if (cell := row.get(column)) not in (None, "") and cell == cell]
        return all(
            isinstance(cell, (list, tuple)) or str(cell).lstrip()[:1] == "[" or read_messages(cell) for cell in cells
        )

    def _holds_dialogues(self, column: str) -> bool:
        """Whether every filled cell of a column is a dialogue of several speakers, whatever the column is called."""
        cells = [cell for row in self.rows if (cell := row.get(column)) not in (None, "") and cell == cell]
        speakers = ({speaker_name(message) for message in read_messages(cell) or ()} for cell in cells)
        return bool(cells) and all(len(names - {"", "tool"}) > 1 and names != {"system", "user"} for names in speakers)

    def _pair(self) -> None:
        """The two sides of a pair, and their systems."""
        texts, systems = [*_PREFERENCE_NAMES], [("chosen_model", "rejected_model")]
        texts += [
            (form.format(stem, side), form.format(stem, other))
            for form in ("{0}_{1}", "{0}{1}", "{1}_{0}") for stem in _RESPONSE_NAMES for side, other in _SIDE_SUFFIXES
        ]  # fmt: skip
        systems += [
            (f"{by}{sign}{side}", f"{by}{sign}{other}")
            for by in _SYSTEM_NAMES for sign in ("_", "") for side, other in _SIDE_SUFFIXES
        ]  # fmt: skip
        self._take_sides("response", texts, lambda a, b: self._can_hold_texts(a) and self._can_hold_texts(b))
        self._take_sides("system", systems, lambda a, _: not self._survey(a).numbers)

    def _take_sides(self, name: str, pairs: Sequence[tuple[str, str]], fits: Callable[[str, str], bool]) -> None:
        """Take the first two columns of these names that fit as both sides of a field."""
        for first, second in pairs:
            a, b = self.normalized.get(first), self.normalized.get(second)
            if a in self.left and b in self.left and fits(a, b):
                self.texts |= {f"{name}_a": [a], f"{name}_b": [b]}
                self.left = [c for c in self.left if c not in (a, b)]
                return

    def _can_hold_texts(self, column: str, field_: str = "") -> bool:
        """Whether the cells of a column can be texts of items."""
        cell_survey = self._survey(column)
        if cell_survey.numbers > cell_survey.words or not cell_survey.words + cell_survey.numbers:
            return False
        scale = cell_survey.answers
        if scale is not None and field_ == "task" and 2 * len(scale.categories) < cell_survey.words and self.texts:
            return False  # a few words again and again ("source: web") are no task
        known = scale is not None and (scale.kind in ("flag", "ordered") or set(scale.categories) == {"a", "tie", "b"})
        if field_ == "system" and normalize(column).endswith(("_id", "_name")):
            return True  # systems called A and B
        return not known or (field_ in ("output", "task", "") and bool(self.texts))

    def _can_hold_answers(self, column: str, name: ColumnName) -> bool:
        """Whether the cells of a column can be answers, given what its name says."""
        cell_survey = self._survey(column)
        scale = cell_survey.answers or cell_survey.most
        if not name.owner and _nests_numbers(column, self.rows):
            return False
        if scale is None:
            return bool(name.owner) and not name.weak and not cell_survey.why.startswith(("they", "every"))
        if cell_survey.answers is None:
            return bool(name.owner or name.value) and scale.kind != "unordered"
        if name.owner or name.value or name.either:
            return True
        large = scale.kind == "interval" and max(abs(scale.lo), abs(scale.hi)) > 100
        words = scale.kind == "unordered" and set(scale.categories) != {"a", "tie", "b"}
        return not large and not words

    def _owner_column(self, names: Mapping[str, ColumnName]) -> str:
        """The column that names who gave the answers of its row: a title for people or judges, with names below it."""
        open_ = [c for c in self.left if not names[c].owner and self._can_hold_answers(c, names[c])]
        for column in self.left:
            name, cell_survey = names[column], self._survey(column)
            marked = _MARKED.fullmatch(normalize(column)) if _names_giver(column, weak=True) else None
            if not name.owner or (name.dimension and not marked) or (name.weak and not marked):
                continue
            if not cell_survey.words + cell_survey.numbers:
                continue  # it names nobody
            scale = cell_survey.answers
            loose = scale is None or (scale.kind == "unordered" and set(scale.categories) != {"a", "tie", "b"})
            if (marked or (loose and not name.value and cell_survey.words > cell_survey.numbers)) and open_:
                return column
            if (marked or (loose and normalize(column) in _ANNOTATOR_NAMES)) and self._answers_of(column, names):
                return column
            weak = [c for c in self.left if names[c].weak and names[c].owner and self._can_hold_answers(c, names[c])]
            if (
                normalize(column) in _ANNOTATOR_NAMES
                and loose
                and weak
                and not any(self._share_a_word(column, c) for c in weak)
            ):
                return column
            if open_ and normalize(column) in _ANNOTATOR_NAMES and not name.value:
                same = [c for c in open_ if _same(scale, self._survey(c).answers)]
                others = [c for c in self.left if c != column and names[c].owner]
                if not same and not others:
                    why = f"{column} may name who answered, or hold answers: say whose they are"
                    self._add_unclear([column, *open_], why)
        return ""

    def _answers_of(self, column: str, names: Mapping[str, ColumnName]) -> list[str]:
        """The numeric columns whose givers a column of several names seems to name: they have the same owner."""
        if len({str(row.get(column) or "").strip() for row in self.rows} - {""}) < 2:
            return []
        return [
            c for c in self.left
            if c != column and names[c].owner == names[column].owner and names[c].value and names[c].stem in _GIVERS
            and self._survey(c).numbers > self._survey(c).words and self._can_hold_answers(c, names[c])
        ]  # fmt: skip

    def _split(
        self, by: str, answers_by_owner: dict[Owner, list[AnswerColumn]], open_: list[AnswerColumn],
        names: Mapping[str, ColumnName],
    ) -> tuple[dict[Owner, list[AnswerColumn]], list[AnswerColumn]]:  # fmt: skip
        """The columns that by their names belong to the side opposite to `by`, and the columns that `by` is about."""
        whose: Owner = names[by].owner or "person"
        other: Owner = "person" if whose == "judge" else "judge"
        sure = bool(answers_by_owner[whose] or open_)
        others = answers_by_owner[other]
        other_side = [v for v in others if v.column in self.named[other] or sure or not names[v.column].weak]
        values = [v for v in (*answers_by_owner["judge"], *answers_by_owner["person"], *open_) if v not in other_side]
        if not values:
            values, other_side = other_side, []
        return {whose: [], other: other_side}, values

    def _share_a_word(self, first: str, second: str) -> bool:
        """Whether a word occurs in both columns, so that both may hold answers."""
        cells = [{str(row.get(column) or "").strip().lower() for row in self.rows} - {""} for column in (first, second)]
        return bool(cells[0] & cells[1])

    def _summaries(self, people: list[AnswerColumn], meta: list[str], names: Mapping[str, ColumnName]) -> None:
        """Move columns that summarise other people (their mean, or gold from them) to `meta`: they are not people."""
        for answers in list(people):
            name = names.get(answers.column)
            if name is None:
                continue
            rest = [v for v in people if v is not answers and v.dimension == answers.dimension and v.column in names]
            first = [v for v in rest if not names[v.column].weak and not names[v.column].average]
            if (name.average or name.weak) and first:
                people.remove(answers)
                meta.append(answers.column)
                sums = ", ".join(v.column for v in first[:3])
                why = f"{answers.column} is not taken for another person's answers: they may be made from {sums}."
                self.assumptions.append(why)

    def _assign_open_columns(
        self, answers_by_owner: dict[Owner, list[AnswerColumn]], open_: list[AnswerColumn], meta: list[str]
    ) -> None:
        """Assign the columns without an owner if the other columns leave only one way; else ask."""
        judges, people = answers_by_owner["judge"], answers_by_owner["person"]
        if not open_ or (judges and people):
            meta += [v.column for v in open_]
            if open_ and not (self.named["judge"] or self.named["person"]):
                left = ", ".join(v.column for v in open_[:8])
                self.assumptions.append(f"{left}: the name says neither judge nor person, so it is left out.")
            return
        lacking, existing = (judges, people) if people else (people, judges)
        whose = "a judge" if people else "a person"
        matching = [v for v in open_ if v.dimension in {t.dimension for t in existing}]
        if len({re.sub(r"_(ab|ba|swapped|reversed|flipped)$", "", normalize(v.column)) for v in open_}) == 1:
            matching = open_  # one answer, in both orders of a pair
        if existing and (len(open_) == 1 or matching):
            assigned_columns = matching or open_
            lacking += assigned_columns
            meta += [v.column for v in open_ if v not in assigned_columns]
            named = ", ".join(v.column for v in assigned_columns)
            self.assumptions.append(f"{named} is taken for the answers of {whose}, as no other column is.")
            return
        names = ", ".join(v.column for v in open_[:8])
        lack = f"which of them {'is' if len(open_) < 3 else 'are'} {whose}'s" if existing else "which is whose"
        self._add_unclear([v.column for v in open_], f"The names of {names} do not say {lack}")

    def _share_single_dimension(self, judges: list[AnswerColumn], people: list[AnswerColumn]) -> None:
        """Give answers whose names say no owner the single dimension that the other side answers.

        The same goes for columns whose owner the caller named, if by their names judges and people share no dimension.
        """
        disjoint = not {v.dimension for v in judges} & {v.dimension for v in people}
        named = {*self.named["judge"], *self.named["person"]} if disjoint else set()
        for own_columns, other_columns in ((judges, people), (people, judges)):
            about = {v.dimension for v in other_columns}
            for n, answers in enumerate(own_columns):
                free = answers.column in named or not parse_name(answers.column).owner
                if len(about) == 1 and answers.dimension not in about and free:
                    own_columns[n] = replace(answers, dimension=next(iter(about)))

    @staticmethod
    def _with(answers: AnswerColumn, extra_names: Mapping[str, ColumnName], owner: Owner, only: bool) -> AnswerColumn:
        """A column of answers with its reason and confidence: those of its name, or unnamed ones of the only judge."""
        stem = parse_name(answers.column).stem
        fitting = [
            (column, name)
            for column, name in extra_names.items()
            if ((name.owner, name.stem) == (owner, stem) and name.dimension in ("", answers.dimension))
            or (owner == "judge" and only and not name.owner and not name.either)
        ]
        reason = next((column for column, name in fitting if name.note), "")
        sure = next((column for column, name in fitting if name.confidence), "")
        return replace(answers, reason=reason, confidence=sure)


def _holds_side_facts(column: str, name: ColumnName) -> bool:
    """Whether a column contains facts about the answers: the language, the cost, the number of people."""
    flat_ = normalize(column)
    counted = flat_ in ("annotators", "raters", "workers") or flat_.startswith(("n_", "num_", "meta"))
    measured = flat_ in WORDS["times"] or re.search(r"_(at|date|time|timestamp)$", flat_) is not None
    measured |= (not name.owner or name.weak) and bool(set(flat_.split("_")) & set(WORDS["measured"]))
    return flat_ in WORDS["meta"] or counted or measured or _names_id_or_sort(flat_, name)


def _names_id_or_sort(flat_: str, name: ColumnName) -> bool:
    """Whether a name means an id, or a sort of judge or person ("rater_type")."""
    of_sort = bool(name.owner) and name.dimension in ("type", "kind", "role", "group")
    of_answers = flat_.rpartition("_")[0] in _OF_ANSWERS
    return of_sort or (flat_.endswith(_ID_ENDINGS) and (not name.owner or name.weak or of_answers))


def _names_giver(column: str, weak: bool = False) -> bool:
    """Whether a name means who gave an answer: rater, worker_id, user; `weak`: also model_id (maybe a system's)."""
    flat_, name = normalize(column), parse_name(column)
    marked = _MARKED.fullmatch(flat_)
    stem = marked[1] if marked else flat_
    owned = bool(marked) and bool(name.owner) and (weak or not name.weak) and stem not in _OF_ANSWERS
    return owned or stem in (*_ANNOTATOR_NAMES, *WORDS["givers"])


def name_side(cell: Any, system_a: Any, system_b: Any) -> Literal["a", "b", ""]:
    """The side of a pair whose system a cell names; "" if it names neither, or both have this name."""
    name, a, b = (" ".join(cell_text(text).split()) for text in (cell, system_a, system_b))
    return "" if not name or a == b else "a" if name == a else "b" if name == b else ""


def cell_text(cell: Any) -> str:
    """A cell as text: "" for an empty one (None, NaN), 2 for 2.0, and true and false as in JSON."""
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _same(first: RecipeScale | None, second: RecipeScale | None) -> bool:
    return first is not None and second is not None and first.kind == second.kind
