"""The wording of the prompt that a judgment used, found from the sent prompts that files contain.

Several texts share a prompt's name. The template is recovered from a sent prompt: the question, the answer and the
reference answers are replaced by their fields. The fingerprint of the family's base template (first turn, no
references) is the wording of all of a judge's prompts of that family.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import permutations, repeat, takewhile
from typing import Generic, Literal, NamedTuple, TypeVar

from judges.mtbench.prompts import wording
from judges.mtbench.records import Game, PromptText, Rating
from judges.mtbench.rows import JudgeNames, SourcePlace

Kind = Literal["base", "math", "multi", "math-multi"]
Judged = TypeVar("Judged", Rating, Game)
_MOST_ORDERS = 5


def unfill(prompt: str, texts: Mapping[str, Sequence[str]]) -> str | None:
    """The template of a prompt: every field's text, in the first form that occurs, is replaced by the field in braces.

    Each text must occur in the prompt exactly once, longer texts are replaced first; otherwise None. Fields of
    references (ref_answer) may be absent; where they are there, a question may stand twice. Braces of the prompt's own
    are double in its template.
    """
    field_texts = [
        (name, next((form for form in forms if form.strip() and form in prompt), "")) for name, forms in texts.items()
    ]
    if any(not text and not name.startswith("ref_answer") for name, text in field_texts):
        return None
    template, referred = prompt, any(text for name, text in field_texts if name.startswith("ref_answer"))
    for number, (name, text) in sorted(enumerate(field_texts), key=lambda pair: -len(pair[1][1])):
        if not text or (name.startswith("ref_answer") and text not in template):
            continue
        if template.count(text) > 1 + (referred and name.startswith("question")) or text not in template:
            return None
        template = template.replace(text, f"\x00{number}\x00")
    template = template.replace("{", "{{").replace("}", "}}")
    for number, (name, _) in enumerate(field_texts):
        template = template.replace(f"\x00{number}\x00", f"{{{name}}}")
    return template


class Pending(NamedTuple, Generic[Judged]):
    """A rating or a verdict whose judge's wording is not settled yet.

    `record` has no judge and no sample yet. `about` is what it judges, `cell` the same with what tells samples apart.
    `has_prompt`: whether the file contains the sent prompt; `template` is None if it could not be recovered.
    """

    place: SourcePlace
    judge: JudgeNames
    record: Judged
    about: tuple[object, ...]
    cell: tuple[object, ...]
    has_prompt: bool
    template: str | None

    @property
    def kind(self) -> Kind:
        """The kind of prompt of its family, from the prompt's name, else from the template's fields or the turn."""
        if self.judge.prompt:
            math, multi = "-math" in self.judge.prompt, self.judge.prompt.endswith("-multi-turn")
        elif self.template is not None:
            multi = "{question_1}" in self.template or "{answer_1}" in self.template
            math = "{ref_answer" in self.template
        else:
            math, multi = False, self.record.turn > 1
        return "math-multi" if math and multi else "multi" if multi else "math" if math else "base"


def resolve_wordings(
    rows: Sequence[Pending[Judged]], family: str, prompt_sets: Mapping[str, Sequence[PromptText]]
) -> tuple[list[str], list[str]]:
    """The wording of each row of one judge and family ("" if unknown), and sentences on what is unknown.

    A file's own prompts determine the wording of all its rows. Rows of a file without prompts have the wording of the
    judge_prompts.jsonl in the nearest folder (`prompt_sets`: prompts by their file).
    """
    files: dict[str, list[Pending[Judged]]] = defaultdict(list)
    for row in rows:
        files[row.place.file].append(row)
    bases = {file: _bases(of_file) for file, of_file in files.items()}
    known = list(dict.fromkeys(base for group in bases.values() for base in group))
    notes, resolved = list[str](), dict[str, Iterator[str]]()
    for file, of_file in files.items():
        own, has_prompts = bases[file], any(row.has_prompt for row in of_file)
        if not own and known and has_prompts:
            own = known if len(known) == 1 else bases[_nearest(file, [name for name, group in bases.items() if group])]
        if len(own) > 1:
            if any(row.template is None or row.kind not in ("base", "math") for row in of_file):
                notes.append(
                    f"{file} holds judgments by {len(own)} wordings of {family or 'a prompt'}. If a prompt does not "
                    "show its wording, as for second turns, the wording of the judgments before it is assumed."
                )
            resolved[file] = iter(_wordings_of_rows(of_file, own))
        else:
            resolved[file] = repeat(own[0] if own else _set_wording(file, has_prompts, family, prompt_sets, notes))
    return [next(resolved[row.place.file]) for row in rows], notes


def _bases(rows: Iterable[Pending[Judged]]) -> list[str]:
    """The fingerprints of the base templates of rows, in their order."""
    return list(dict.fromkeys(wording(row.template) for row in rows if row.template and row.kind == "base"))


def _set_wording(
    file: str, has_prompts: bool, family: str, prompt_sets: Mapping[str, Sequence[PromptText]], notes: list[str]
) -> str:
    """The wording that the nearest judge_prompts.jsonl has of a family."""
    hashes = {
        name: wording(prompt.template)
        for name, prompt_set in prompt_sets.items() for prompt in prompt_set if prompt.name == family
    }  # fmt: skip
    if not hashes:
        if has_prompts:
            notes.append(
                f"{file}: the wording of its judge's prompts cannot be determined, as the prompts in it have none of "
                "the answers and questions in the files. Its judge is identified by the name of its prompt only. Give "
                "the questions and answers that it judged in the same command to identify it by the wording too."
            )
        return ""
    best = max(_nearness(file, name) for name in hashes)
    nearest = list(dict.fromkeys(candidate for name, candidate in hashes.items() if _nearness(file, name) == best))
    if len(nearest) > 1:
        notes.append(
            f"{file}: {', '.join(sorted(name for name in hashes))} have {family} in several wordings, and nothing says "
            "which of them was used. Its judge is identified by the name of its prompt only."
        )
        return ""
    if has_prompts:
        notes.append(
            f"{file}: the wording of its judge's prompts cannot be determined, as the prompts in it have none of the "
            "answers and questions in the files. It is taken to be that of the judge_prompts.jsonl with it."
        )
    return nearest[0]


def _nearness(file: str, other: str) -> tuple[int, int]:
    """Return how near another file is: its number of shared folders from the top, then minus the number of others."""
    folders = other.split("/")[:-1]
    pairs = zip(file.split("/")[:-1], folders, strict=False)
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return shared, shared - len(folders)


def _nearest(file: str, others: Sequence[str]) -> str:
    """The file whose name is most like this one's."""
    return max(others, key=lambda other: SequenceMatcher(None, file, other, autojunk=False).ratio())


def _in_order(templates: list[str], bases: Sequence[str]) -> list[str]:
    """Templates in the order of the base templates that they resemble most, by the words that distinguish these."""
    if len(bases) > _MOST_ORDERS:
        return templates
    words = [set(base.split()) for base in bases]
    own = [terms.difference(*(other for other in words if other is not terms)) for terms in words]

    def shared_words(order: Iterable[str]) -> int:
        return sum(len(terms.intersection(template.split())) for terms, template in zip(own, order, strict=True))

    return list(max(permutations(templates), key=shared_words))


def _wordings_of_rows(rows: Sequence[Pending[Judged]], bases: Sequence[str]) -> list[str]:
    """The wording of each row of a file that holds rows of several.

    Where as many templates of another kind occur, each belongs to the wording with which it shares most of the words
    that tell the wordings apart, else in the order in which both first occur. Any other row has the wording of the row
    before it that tells one, or the first that has not judged its cell.
    """
    kinds: dict[Kind, list[str]] = defaultdict(list)
    for row in rows:
        if row.template is not None and row.template not in kinds[row.kind]:
            kinds[row.kind].append(row.template)
    for kind, templates in kinds.items():
        if kind != "base" and len(templates) == len(bases):
            kinds[kind] = _in_order(templates, kinds["base"])
    row_wordings: list[str] = []
    for row in rows:
        row_wording = ""
        if row.template is not None and row.kind == "base":
            row_wording = wording(row.template)
        elif row.template is not None and len(kinds[row.kind]) == len(bases):
            row_wording = bases[kinds[row.kind].index(row.template)]
        row_wordings.append(row_wording)
    judged = {(row_wording, row.cell) for row_wording, row in zip(row_wordings, rows, strict=True) if row_wording}
    last = bases[0]
    for number, row in enumerate(rows):
        last = row_wordings[number] or last
        if not row_wordings[number]:
            free = [candidate for candidate in (last, *bases) if (candidate, row.cell) not in judged]
            row_wordings[number] = free[0] if free else last
            judged.add((row_wordings[number], row.cell))
    return row_wordings
