"""Assembly of MT-Bench's files: their rows, in any order of files, become one set of records.

Nothing is merged and nothing is lost. Every choice is a separate answer. Judges are distinguished by model, prompt and
wording. Rows that cannot be used are reported with their place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, ClassVar, NamedTuple

from judges.jsonl import Record, mend_record
from judges.mtbench import prompts, records, rows, wordings
from judges.mtbench.dialogues import answer_name, read_answer, read_item_question, texts_by, whole_number
from judges.mtbench.records import Answer, Bench, BenchQuestion, Game, Judge, PromptText, Rating, Vote
from judges.mtbench.rows import BadField, JudgeNames, SourcePlace
from judges.mtbench.thinking import strip_thinking
from judges.mtbench.wordings import Judged, Pending
from judges.plural import many, verb
from judges.protocols.messages import fill
from judges.strict_json import show_value

ROLES: tuple[str, ...] = ("prompt", "question", "reference", "answer", "known", "single", "pair", "vote")
"""The roles of FastChat's rows, in the order of reading; `known`: dialogues that a dataset already contains."""
_MAX_LISTED = 8
_MIN_MATCH_CHARACTERS = 20
"""A text of this many characters does not occur in a prompt by chance."""
FASTCHAT = "fastchat"
"""The protocol of judgments in FastChat's files, unless they name another."""


class BenchFile(NamedTuple):
    """One of the files: its name with its folders, what it holds (`ROLES`), and its records."""

    name: str
    role: str
    records: Iterable[Record]


class BadRow(NamedTuple):
    """A row that is not used: its place, the field, a sentence, and the answer that it would be ("" for none)."""

    place: SourcePlace
    field: str
    sentence: str
    answer: str = ""


AnswerKey = tuple[str, str, int]


@dataclass
class AssembledBench:
    """The records of a set of files with their places, the rows that are not used, and notes.

    `answered` has the places of answers in files of answers, `in_votes` of answers that only votes contain.
    `prompt_sets` has the prompts of each file that a run could use.
    """

    questions: dict[str, BenchQuestion] = field(default_factory=dict)
    answers: dict[AnswerKey, Answer] = field(default_factory=dict)
    answered: dict[AnswerKey, SourcePlace] = field(default_factory=dict)
    in_votes: set[AnswerKey] = field(default_factory=set)
    references: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    prompts: list[PromptText] = field(default_factory=list)
    prompt_sets: dict[str, list[PromptText]] = field(default_factory=dict)
    judges: dict[str, Judge] = field(default_factory=dict)
    ratings: list[tuple[SourcePlace, Rating]] = field(default_factory=list)
    games: list[tuple[SourcePlace, Game]] = field(default_factory=list)
    votes: list[tuple[SourcePlace, Vote]] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def bench(self) -> Bench:
        """Everything as one Bench."""
        return Bench(
            self.questions, self.answers, self.references, self.judges, tuple(rating for _, rating in self.ratings),
            tuple(game for _, game in self.games), tuple(vote for _, vote in self.votes), tuple(self.prompts),
        )  # fmt: skip


def judge_key(model: str, prompt: str, wording: str, protocol: str = FASTCHAT) -> str:
    """The id of a judge from files: its model, its prompt's family and wording, and its protocol if not FastChat's."""
    named = f"{model} {prompt}".strip() + (f"@{wording}" if wording else "")
    return named if protocol == FASTCHAT else f"{named} ({protocol})"


def assemble(files: Iterable[BenchFile]) -> AssembledBench:
    """The records of FastChat's files. Questions and answers are read before judgments and votes on them."""
    assembly = Assembly(FASTCHAT)
    for file in sorted(files, key=lambda file: ROLES.index(file.role)):
        for place, row in assembly.objects(file._replace(records=map(mend_record, file.records))):
            assembly.read(file.role, place, row)
    return assembly.finish()


def join_records(first: Bench, second: Bench) -> tuple[Bench, list[str]]:
    """Two sets of records combined, and sentences on the records of the second that were left out.

    If both have different texts for a model's answers to the same questions, the answers of the second and the
    judgments on them are left out, because a judgment of one text does not apply to another.
    """
    texts = [key for key, record in second.questions.items() if first.questions.get(key, record) != record]
    models = {key[1] for key, record in second.answers.items() if first.answers.get(key, record) != record}
    notes = []
    if texts:
        notes.append(
            f"The questions {list_names(texts)} have different texts in some of the files: the first ones are shown."
        )
    if models:
        notes.append(
            f"Files of two kinds hold different answers of {list_names(sorted(models))} to the same questions: those "
            "of the second kind are left out. Read each set separately."
        )
    answers = {key: record for key, record in second.answers.items() if key[1] not in models}
    ratings = tuple(rating for rating in second.ratings if rating.model not in models)
    games = tuple(game for game in second.games if not {game.a, game.b} & models)
    bench = Bench(
        {**first.questions, **second.questions, **first.questions}, {**first.answers, **answers},
        {**first.references, **second.references, **first.references}, {**first.judges, **second.judges},
        first.ratings + ratings, first.games + games, first.votes + second.votes, first.prompts + second.prompts,
    )  # fmt: skip
    return bench, notes


class Assembly:
    """The records read so far, for files whose judges belong to a protocol. Call `finish` once, after the last file."""

    def __init__(self, protocol: str) -> None:
        self.bench, self._protocol = AssembledBench(), protocol
        self.prompts: dict[str, list[PromptText]] = {}
        self.stems: dict[str, str] = {}
        self.choices: dict[tuple[str, str], list[int]] = {}
        self.rated: list[Pending[Rating]] = []
        self.compared: list[Pending[Game]] = []
        self.templates: dict[str, list[str]] = defaultdict(list)
        self.counted: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.swapped: dict[tuple[str, str], list[str]] = defaultdict(list)

    def objects(self, file: BenchFile) -> Iterator[tuple[SourcePlace, dict[str, Any]]]:
        """The objects of a file with their places; the problem of a line without an object is kept."""
        for record in file.records:
            place = SourcePlace(file.name, record.line, record.text if record.problem else record.value)
            if record.problem:
                self.bench.bad.append(BadRow(place, "", f"The line {record.problem}."))
            else:
                yield place, record.value

    def read(self, role: str, place: SourcePlace, row: dict[str, Any]) -> None:
        """Read a row of that role, in the form of FastChat's files; an error in it is kept."""
        try:
            self._ADD[role](self, place, row)
        except BadField as error:
            self.bench.bad.append(BadRow(place, *error.problem))

    def _add_prompt(self, place: SourcePlace, row: dict[str, Any]) -> None:
        system, template = row.get("system_prompt") or "", row.get("prompt_template")
        if not isinstance(system, str) or not isinstance(template, str):
            raise BadField("prompt_template", "system_prompt and prompt_template must be texts.")
        sort = "pairwise" if str(row.get("type") or row.get("name")).startswith("pair") else "single"
        prompt = PromptText(rows.text_under(row, "name"), sort, system, template)
        self.prompts.setdefault(place.file, []).append(prompt)
        if prompt not in self.bench.prompts:
            self.bench.prompts.append(prompt)
        try:
            self.bench.prompt_sets.setdefault(place.file, []).append(prompts.parse_prompt(row))
        except prompts.BadPrompt as error:
            self.bench.notes.append(f"{place.file}, line {place.line}: {error} No run can use this prompt.")

    def _add_question(self, place: SourcePlace, row: dict[str, Any]) -> None:
        question = rows.read_question(row)
        if self.bench.questions.setdefault(question.id, question) != question:
            raise BadField("question_id", f"The question {question.id} appears twice, with different texts.")

    def _add_reference(self, place: SourcePlace, row: dict[str, Any]) -> None:
        key, reference, path = rows.question_id(row), rows.read_choices(row, "", "")[0].turns, PurePosixPath(place.file)
        # The file's name says for which judge they are; the row's own may say who wrote them.
        stated = rows.text_under(row, "model_id") if row.get("model_id") else path.stem
        of_file = rows.holds_references(path.parent.name) and stated.replace("/", "__") != path.stem
        judge = path.stem if of_file else stated
        if self.bench.references.setdefault(judge, {}).setdefault(key, reference) != reference:
            raise BadField("question_id", f"The reference answer to question {key} appears twice, with other texts.")

    def _add_answer(self, place: SourcePlace, row: dict[str, Any]) -> None:
        key, model = rows.question_id(row), rows.text_under(row, "model_id", "model")
        self.stems.setdefault(PurePosixPath(place.file).stem, model)
        question = self.bench.questions.get(key)
        listed = self.choices.setdefault((key, model), [])
        for answer in rows.read_choices(row, key, model):
            if answer.choice not in listed:
                listed.append(answer.choice)
            if question is not None and len(answer.turns) > len(question.turns):
                why = f"There are {len(answer.turns)} answers to the {len(question.turns)} turns of question {key}."
                self.bench.bad.append(BadRow(place, "choices", why, answer_name(*answer[:3])))
                continue
            previous = self.bench.answers.get(answer[:3])
            if previous == answer:
                self.counted["answers that stand twice", place.file][model] += 1
                continue
            if previous is not None:
                why = f"The answer of {model} to question {key} appears again later, with other texts, which are used."
                self.bench.bad.append(BadRow(self.bench.answered[answer[:3]], "question_id", why))
            self.bench.answers[answer[:3]] = answer
            self.bench.answered[answer[:3]] = place

    def _add_known_dialogue(self, _place: SourcePlace, row: dict[str, Any]) -> None:
        """Add a dialogue that the dataset has already: judgments may be about it. Answers in files take precedence."""
        question, sets = read_item_question(row["meta"], texts_by(row, "user"))
        self.bench.questions.setdefault(question.id, question)
        for judge, reference in sets.items():
            self.bench.references.setdefault(judge, {}).setdefault(question.id, reference)
        answer = read_answer(row)
        if self.bench.answers.setdefault(answer[:3], answer) is answer:
            self.choices.setdefault(answer[:2], []).append(answer.choice)

    def _add_rating(self, place: SourcePlace, row: dict[str, Any]) -> None:
        key, judge = rows.question_id(row), rows.read_judge(row, place.file)
        scores = rows.read_judged_turns(row, place.file)
        named = row.get("model") or row.get("model_id")
        model = rows.text_under(row, "model", "model_id") if named else PurePosixPath(place.file).stem
        model = self._known_model(place.file, key, model)
        if not scores:
            self.counted["not asked", place.file][judge.model] += 1
        listed, stored = self.choices.get((key, model), []), self._usable_choices(key, model)
        own = whole_number(row, "choice")
        samples = Counter(score.turn for score, _, nth in scores if nth is not None)
        source_place = place if not stored else place._replace(row=None)
        for score, sent, nth in scores:
            choice = listed[nth] if nth is not None and 1 < len(listed) == samples[score.turn] else None
            choice = own if own is not None else choice
            if choice is not None and choice not in (stored or range(rows.MOST_CHOICES)):
                why = f"The files have no usable answer {choice} (counted from 0) of {model} to question {key}."
                self.bench.bad.append(BadRow(place, "choice", why))
                continue
            unclear = choice is None and len(stored) > 1
            shown = self._choices_in_prompt(key, model, score.turn, sent) if unclear and sent else []
            if len(shown) == 1:
                choice = shown[0]
            likely = (shown or stored or [0])[0] if choice is None else choice
            answer = self.bench.answers.get((key, model, likely))
            if answer is not None and score.turn > len(answer.turns):
                turns = many(len(answer.turns), "turn")
                why = f"The answer of {model} to question {key} has {turns}: none is {score.turn}."
                self.bench.bad.append(BadRow(place, "turn", why))
                continue
            template = judge.template or self._template(judge, key, score.turn, {"answer": answer}, sent)
            rating = score._replace(question=key, model=model, choice=rows.UNKNOWN_CHOICE if choice is None else choice)
            self._check_turn(place.file, judge, rating, sent)
            about = key, model, rating.turn
            self.rated.append(Pending(source_place, judge, rating, about, (*about, nth, choice), bool(sent), template))

    def _add_games(self, place: SourcePlace, row: dict[str, Any]) -> None:
        key = rows.question_id(row)
        games, contrary = rows.read_verdict(row, place.file, key)
        judge = rows.read_judge(row, place.file)
        if contrary:
            self.counted["contrary", place.file][judge.model] += 1
        for game, sent in games:
            game = self._use_answer_names(place.file, game)
            sides = (game.a, game.b) if game.order != "ba" else (game.b, game.a)
            answers = {
                f"answer_{x}": self.bench.answers.get((key, model, 0)) for x, model in zip("ab", sides, strict=True)
            }
            template = judge.template or self._template(judge, key, game.turn, answers, sent)
            about = key, game.a, game.b, game.turn, game.order
            self.compared.append(Pending(place._replace(row=None), judge, game, about, about, bool(sent), template))

    def _add_conversations(self, key: str, row: Mapping[str, Any]) -> None:
        """Take the answers of two models from a vote on them, if no file of answers has them."""
        for side in "ab":
            turns, name = rows.read_conversation(row.get(f"conversation_{side}")), row.get(f"model_{side}")
            if not turns or not isinstance(name, str):
                continue
            requests, answers = zip(*turns, strict=True)
            if (key, name, 0) not in self.bench.answers:
                self.bench.in_votes.add((key, name, 0))
            if (key, name, 0) not in self.bench.in_votes:
                continue
            # A vote on a later turn shows more of the same.
            stored = self.bench.answers.get((key, name, 0))
            if stored is None or stored.turns == answers[: len(stored.turns)]:
                self.bench.answers[key, name, 0] = Answer(key, name, 0, answers)
            question = self.bench.questions.get(key)
            if question is None or question == BenchQuestion(key, "", requests[: len(question.turns)]):
                self.bench.questions[key] = BenchQuestion(key, "", requests)

    def _add_vote(self, place: SourcePlace, row: dict[str, Any]) -> None:
        key, people, timestamp = rows.question_id(row), rows.voters(row), row.get("tstamp")
        self._add_conversations(key, row)
        if not people:
            self._add_games(place, row)
            return
        game = self._use_answer_names(place.file, rows.read_verdict(row, place.file, key)[0][0][0])
        if not game.winner:
            raise BadField("winner", "winner is error: a person's vote must be one of the models, or tie.")
        at = float(timestamp) if isinstance(timestamp, (int, float)) and not isinstance(timestamp, bool) else None
        for person in people:
            vote = Vote(person, rows.voter_group(person), key, game.turn, game.a, game.b, game.winner, at)
            self.bench.votes.append((place, vote))

    _ADD: ClassVar = {
        "prompt": _add_prompt, "question": _add_question, "reference": _add_reference, "answer": _add_answer,
        "known": _add_known_dialogue, "single": _add_rating, "pair": _add_games, "vote": _add_vote,
    }  # fmt: skip
    """The method that takes a row, by the row's role."""

    def _known_model(self, file: str, question: str, name: str) -> str:
        """The name of a model as in its answers: judgments may use the name of its file of answers instead."""
        if (question, name) in self.choices or name not in self.stems or self.stems[name] == name:
            return name
        self.counted["under two names", f"{name}\x00{self.stems[name]}"][file] += 1
        return self.stems[name]

    def _use_answer_names(self, file: str, game: Game) -> Game:
        """A verdict with the models' names as in their answers."""
        a, b = (self._known_model(file, game.question, name) for name in (game.a, game.b))
        if a == b:
            return game
        if a < b:
            return game._replace(a=a, b=b)
        order, winner = records.SWAPPED_ORDER[game.order], records.SWAPPED_WINNER[game.winner]
        return game._replace(a=b, b=a, order=order, winner=winner)

    def _usable_choices(self, question: str, model: str) -> list[int]:
        """The choices of an answer in the files, without those that were refused."""
        return [n for n in self.choices.get((question, model), []) if (question, model, n) in self.bench.answers]

    def _choices_in_prompt(self, question: str, model: str, turn: int, prompt: str) -> list[int]:
        """The choices of an answer whose text of that turn occurs in the prompt that the judge was sent."""
        choices = []
        for choice in self._usable_choices(question, model):
            turns = self.bench.answers[question, model, choice].turns
            if turn <= len(turns) and any(form in prompt for form in _forms(turns[turn - 1])):
                choices.append(choice)
        return choices

    def _template(
        self, judge: JudgeNames, question: str, turn: int, answers: Mapping[str, Answer | None], prompt: str
    ) -> str | None:
        """The template of the prompt that a judge was sent; None if it cannot be reconstructed.

        `answers` are those that it was shown up to a turn, by the names of their fields.
        """
        entry = self.bench.questions.get(question)
        answer_turns = {
            name: answer.turns for name, answer in answers.items() if answer is not None and len(answer.turns) >= turn
        }
        if not prompt or entry is None or turn > len(entry.turns) or len(answer_turns) < len(answers):
            return None
        texts: dict[str, Sequence[str]] = {}
        for n in range(1, turn + 1):
            mark = f"_{n}" if turn > 1 else ""
            texts[f"question{mark}"] = (entry.turns[n - 1],)
            texts |= {f"{name}{mark}": _forms(turns[n - 1]) for name, turns in answer_turns.items()}
            texts[f"ref_answer_{n}"] = self._references(question, judge.model, n)
        return self._fill_template(judge.prompt, prompt, texts)

    def _fill_template(self, name: str, prompt: str, texts: Mapping[str, Sequence[str]]) -> str | None:
        known = self.templates[name]
        parts = {field: next((form for form in forms if form and form in prompt), "") for field, forms in texts.items()}
        for template in known:
            if fill(template, parts) == prompt:
                return template
        new_template = wordings.unfill(prompt, texts)
        if new_template is not None:
            known.append(new_template)
        return new_template

    def _references(self, question: str, judge: str, turn: int) -> list[str]:
        """The reference answers to a turn that a judge may have been shown, its own first."""
        sets = self.bench.references
        references = [sets[name].get(question) for name in sorted(sets, key=lambda name: name != judge)]
        entry = self.bench.questions.get(question)
        candidates = [*references, entry.reference if entry else None]
        return [reference[turn - 1] for reference in candidates if reference is not None and len(reference) >= turn]

    def _check_turn(self, file: str, judge: JudgeNames, rating: Rating, prompt: str) -> None:
        """Note a judgment whose prompt shows another turn than its row says, or another text than the files."""
        question, model, turn = rating.question, rating.model, rating.turn
        entry = self.bench.questions.get(question)
        if entry is None or len(entry.turns) < 2 or not prompt or turn > 2:
            if turn == 1 and judge.prompt.startswith("single") and judge.prompt.endswith("-multi-turn"):
                self.swapped["prompt", file].append(question)
            return
        first, second = (prompt.find(text) for text in entry.turns[:2])
        if (turn == 1 and first < 0 <= second) or (turn == 2 and 0 <= second < first):
            self.swapped["question", file].append(question)
            return
        choices = self._usable_choices(question, model)
        turns = [self.bench.answers[question, model, choice].turns for choice in choices]
        shown = [any(form in prompt for texts in turns if len(texts) > n for form in _forms(texts[n])) for n in (0, 1)]
        if choices and turn == 1 and shown == [False, True] and len(turns[0][1]) > _MIN_MATCH_CHARACTERS:
            self.swapped["answer", model].append(question)
        elif choices and first >= 0 and not shown[turn - 1]:
            self.swapped["other text", file].append(question)

    def finish(self) -> AssembledBench:
        """Settle which judge each judgment is by, number samples, and note what was found."""
        self._tell_references()
        self._settle_ratings()
        for pending, judge in zip(self.compared, self._judges(self.compared), strict=True):
            self.bench.judges.setdefault(judge.id, judge)
            self.bench.games.append((pending.place, pending.record._replace(judge=judge.id)))
        self._settle_prompts()
        self._note()
        return self.bench

    def _settle_prompts(self) -> None:
        """Keep only sets of prompts that runs can use: in each set, a name means one text."""
        for file, prompt_set in list(self.bench.prompt_sets.items()):
            try:
                prompts.families(prompt_set)
            except prompts.BadPrompt as error:
                self.bench.notes.append(f"{file}: {error} No run can use these prompts.")
                del self.bench.prompt_sets[file]

    def _tell_references(self) -> None:
        """Treat answers of a model that only judges as its reference answers, if no folder says what they are.

        Uploads have no folders: FastChat's reference_answer/gpt-4.jsonl is then a file like those of model_answer.
        """
        verdicts = [pending.record for pending in self.compared] + [vote for _, vote in self.bench.votes]
        judged = {pending.record.model for pending in self.rated}
        judged |= {side for verdict in verdicts for side in (verdict.a, verdict.b)}
        judges = {pending.judge.model for pending in self.rated} | {pending.judge.model for pending in self.compared}
        for judge in sorted(judges - judged) if judged else ():
            keys = [key for key in self.bench.answered if key[1] == judge]
            files = {self.bench.answered[key].file for key in keys}
            if not keys or any("/" in file for file in files):
                continue
            for key in keys:
                answer = self.bench.answers.pop(key)
                del self.bench.answered[key]
                if not key[2]:
                    self.bench.references.setdefault(judge, {}).setdefault(key[0], answer.turns)
            self.bench.notes.append(
                f"{list_names(sorted(files))}: taken for reference answers of {judge}, which judges others and is not "
                "judged. If they are answers to be judged, give the folder model_answer that has them."
            )

    def _settle_ratings(self) -> None:
        samples: Counter[tuple[str, str, str, int, int]] = Counter()
        for pending, judge in zip(self.rated, self._judges(self.rated), strict=True):
            rating = pending.record
            if self.bench.questions and rating.question not in self.bench.questions:
                why = f"The question {rating.question} is not in the files: its judgment is left out."
                self.bench.bad.append(BadRow(pending.place, "question_id", why))
                continue
            self.bench.judges.setdefault(judge.id, judge)
            choice = self._choice(pending, judge.id, samples)
            cell = (judge.id, rating.question, rating.model, choice, rating.turn)
            rating = rating._replace(judge=judge.id, choice=choice, sample=samples[cell])
            samples[cell] += 1
            self.bench.ratings.append((pending.place, rating))

    def _choice(
        self, pending: Pending[Rating], judge: str, samples: Mapping[tuple[str, str, str, int, int], int]
    ) -> int:
        """The choice that a judgment is about; if it fits several, the first that is not judged yet."""
        _, question, model, choice, turn, *_ = pending.record
        if choice != rows.UNKNOWN_CHOICE:
            return choice
        choices = self._usable_choices(question, model) or [0]
        if len(choices) == 1 or pending.template is None or not pending.has_prompt:
            return choices[0]
        texts = {c: self.bench.answers[question, model, c].turns[:turn] for c in choices}
        copies = [c for c in choices if texts[c] == texts[choices[0]]]
        free = [c for c in copies if not samples.get((judge, question, model, c, turn))]
        return (free or copies)[0]

    def _judges(self, judged: Sequence[Pending[Judged]]) -> Iterator[Judge]:
        """The judge of each row."""
        families = [prompts.family_name(pending.judge.prompt) for pending in judged]
        row_wordings = self._wordings(judged, families)
        named = self._by_folder(judged, families, row_wordings)
        for pending, family, wording in zip(judged, named, row_wordings, strict=True):
            model, protocol = pending.judge.model, pending.judge.protocol or self._protocol
            yield Judge(judge_key(model, family, wording, protocol), model, family, wording, protocol)

    def _wordings(self, judged: Sequence[Pending[Judged]], families: Sequence[str]) -> list[str]:
        """The wording of every row: that which it states, else the one that is found among its judge's rows."""
        groups: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, (pending, family) in enumerate(zip(judged, families, strict=True)):
            groups[pending.judge.model, family].append(number)
        row_wordings = [""] * len(judged)
        notes: dict[str, None] = {}
        for (_, family), numbers in groups.items():
            resolved, new_notes = wordings.resolve_wordings([judged[n] for n in numbers], family, self.prompts)
            notes |= dict.fromkeys(new_notes)
            for number, wording in zip(numbers, resolved, strict=True):
                stated = judged[number].judge.wording
                row_wordings[number] = wording if stated is None else stated
        self.bench.notes += notes
        return row_wordings

    def _by_folder(
        self, judged: Sequence[Pending[Judged]], families: Sequence[str], row_wordings: Sequence[str]
    ) -> list[str]:
        """The families; if a judge without a prompt name judges the same thing in two folders, the folders name them.

        Such files differ in how the judge was asked (single_grade, single_grade_ref), and only their folders say so.
        """
        judges = [(pending.judge.model, wording) for pending, wording in zip(judged, row_wordings, strict=True)]
        parents = [PurePosixPath(pending.place.file).parent.name for pending in judged]
        folders: dict[tuple[object, ...], set[str]] = defaultdict(set)
        for pending, judge, family, parent in zip(judged, judges, families, parents, strict=True):
            if not family:
                folders[judge, pending.about].add(parent)
        ambiguous = {judge for (judge, _), names in folders.items() if len(names) > 1}
        return [
            parent if not family and judge in ambiguous else family
            for judge, family, parent in zip(judges, families, parents, strict=True)
        ]

    def _note(self) -> None:
        """Notes on the files, a sentence for each sort of finding."""
        notes = self.bench.notes
        for (sort, where), counts in self.counted.items():
            n = counts.total()
            if sort == "not asked":
                notes.append(
                    f"{where}: {many(n, 'row')} whose scores are all -1, without a judgment, "
                    f"{verb(n, 'was', 'were')} left out: they were not asked."
                )
            elif sort == "contrary":
                notes.append(
                    f"{where}: in {many(n, 'row')} the winner does not follow from the verdicts of both orders. The "
                    "verdicts are used."
                )
            elif sort == "under two names":
                name, known = where.split("\x00")
                notes.append(
                    f"{show_value(name)} in judgments ({', '.join(sorted(counts))}) is taken to be the model "
                    f"{show_value(known)}, as answers of that model lie in a file of that name."
                )
            else:
                notes.append(f"{where}: {many(n, 'answer')} {verb(n, 'appears', 'appear')} twice, word for word.")
        for (sort, where), questions in self.swapped.items():
            listed = list_names(questions)
            n = len(questions)
            if sort == "other text":
                notes.append(
                    f"{where}: {many(n, 'judgment')} {verb(n, 'was', 'were')} made on another text than the answer in "
                    f"the files (questions {listed})."
                )
            elif sort == "answer":
                notes.append(
                    f"{where}: the turns of {many(n, 'answer')} seem to be swapped, as what its judges were shown as "
                    f"the first turn is the second in the files (questions {listed})."
                )
            else:
                notes.append(
                    f"{where}: {many(n, 'judgment')} {verb(n, 'names', 'name')} another turn than "
                    f"{verb(n, 'its', 'their')} prompt is about: their turns seem to be swapped (questions {listed})."
                )
        matches = records.match_orders([game for _, game in self.bench.games])
        lone = [self.bench.games[match[0]] for match in matches if len(match) == 1]
        for file, ordinals in Counter(place.file for place, game in lone if game.order).items():
            notes.append(f"{file}: {many(ordinals, 'pair')} {verb(ordinals, 'was', 'were')} judged in one order only.")


def list_names(names: Iterable[str]) -> str:
    """Names in a sentence, each once: the first few, and how many more."""
    unique_names = list(dict.fromkeys(names))
    rest = len(unique_names) - _MAX_LISTED
    return ", ".join(unique_names[:_MAX_LISTED]) + (f" and {rest:,} more" if rest > 0 else "")


def _forms(text: str) -> tuple[str, ...]:
    """A text as a judge may have been shown it: as it is, or without its thinking."""
    plain_text = strip_thinking(text)
    return (text,) if plain_text == text else (text, plain_text)
