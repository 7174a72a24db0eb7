"""The form to correct what the files of an import seem to hold: whose answers, to which question, on which scale."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from data.cards import cards
from judges.authoring.card_lookup import recipe_of_scale, spell_scale
from judges.authoring.recipe import RecipeScale
from judges.errors import AssayError
from judges.importing.column_names import Owner
from judges.importing.interpretation import AnswerSeries, Interpretation, name_people, scale_warnings, share_scales
from pages.ui import session, text

WHOSE: dict[Owner, str] = {"judge": "a judge's", "person": "a person's", "": "left out"}
_BY: dict[str, Owner] = {words: by for by, words in WHOSE.items()}
_HELP = (
    "1-5 (whole numbers), 0-1 or 0-10 step 0.5 (any number), yes/no, poor|fair|good (from worst to best), "
    "red, green (no order); add: or n/a"
)


def edit_series(outline: Interpretation, key: str) -> Interpretation:
    """The outline as it is on screen, with its tables' items described; it may be corrected in each row."""
    for file, base in outline.tables.items():
        ids = ", ".join(base.id.columns) or "their row number"
        texts = ", ".join(f"{name} ({', '.join(part.columns) or part.constant})" for name, part in base.fields.items())
        kind = {"dialogue": "dialogues", "pair": "pairs", "response": "single responses"}[base.kind]
        text.say(
            "**{file}**: {kind}, identified by {ids}. Read from it: {texts}. Kept for slices: {meta}.",
            file=file, kind=kind, ids=ids, texts=texts or "no texts, only scores",
            meta=", ".join(base.meta) or "nothing",
        )  # fmt: skip
    sentence_area = st.container()
    edited = _edit_table(outline, key) if outline.series else outline
    with sentence_area:
        for sentence in edited.assumptions:
            text.quiet("{sentence}", sentence=sentence)
        for sentence in edited.unclear:
            text.warn("{sentence} Choose it in the table.", sentence=sentence)
    for series in edited.series:
        if series.by and (series.why or series.answers is None):
            off = "some values are not on the scale"
            problem = "left out, as no scale fits; write one under Answers" if series.answers is None else off
            text.quiet("{name}: {what} ({why}).", name=series.name, what=problem, why=series.why or "there are none")
    return edited


def _edit_table(outline: Interpretation, key: str) -> Interpretation:
    """The outline as its table on screen says it."""
    first = pd.DataFrame([_row(s) for s in outline.series])
    edited = st.data_editor(
        first, hide_index=True, key=f"{key}:series", disabled=["Column", "Values", "Such as"],
        column_config={
            "Whose": st.column_config.SelectboxColumn(options=list(_BY), required=True),
            "Name": st.column_config.TextColumn(help="Of the judge or the person. Empty: as each row has it."),
            "Question": st.column_config.TextColumn(help="Rows with the same question are compared.", required=True),
            "Answers": st.column_config.TextColumn(help=_HELP),
        },
    )  # fmt: skip
    rows = edited.fillna("").to_dict("records")
    series = [_change_series(s, row) for s, row in zip(outline.series, rows, strict=True)]
    if series == list(outline.series):
        return outline
    series = _name_people(series, outline.series)
    pairs = zip(series, outline.series, strict=True)
    changed = {s.question: s.answers for s, old in pairs if s.answers not in (None, old.answers)}
    settled = share_scales(series, cards.answerable_dimensions(session.store()), changed)
    for row, answer_series in zip(rows, settled, strict=True):
        if answer_series.by and answer_series.answers is not None and not row["Answers"]:
            text.quiet(
                "{name}: read as answers on {scale}.", name=answer_series.name, scale=answer_series.answers.scale.words
            )
    old_warnings = scale_warnings(outline.series)
    assumptions = [sentence for sentence in outline.assumptions if sentence not in old_warnings]
    return replace(outline, series=settled, unclear=(), assumptions=(*assumptions, *scale_warnings(settled)))


def _name_people(series: list[AnswerSeries], before: Sequence[AnswerSeries]) -> list[AnswerSeries]:
    """The series as `name_people` says, but for names that the person at the screen wrote; the page says the others."""
    people = zip(series, name_people(series), before, strict=True)
    renamed = [person if s.rater == old.rater else s for s, person, old in people]
    if names := [person.rater for s, person in zip(series, renamed, strict=True) if s != person]:
        text.quiet("Taken for people of these names, as they answer one question: {names}.", names=", ".join(names))
    return renamed


def _row(series: AnswerSeries) -> dict[str, Any]:
    rows = ", ".join(f"{column} {' or '.join(values)}" for column, values in series.only.items())
    return {
        "Column": series.name + (f" ({rows})" if rows else ""),
        "Whose": WHOSE[series.by],
        "Name": series.rater,
        "Question": series.dimension,
        "Answers": spell_scale(series.answers) if series.answers is not None else "",
        "Values": series.count or None,
        "Such as": ", ".join(series.examples),
    }


def _change_series(series: AnswerSeries, row: Mapping[Hashable, Any]) -> AnswerSeries:
    """A series as its row now says; what was not touched stays to be found out anew."""
    before = _row(series)
    copy = replace(
        series, by=_BY[str(row["Whose"])], rater=str(row["Name"]).strip(), dimension=str(row["Question"]).strip()
    )
    if row["Answers"] == before["Answers"]:
        return copy if copy == series else replace(copy, answers=None)
    return replace(copy, answers=_scale(str(row["Answers"])), values={} if row["Answers"] else series.values)


def _scale(scale_text: str) -> RecipeScale | None:
    """The scale that a person wrote; None, and the reason on the page, where it is none."""
    if not scale_text.strip():
        return None
    try:
        return recipe_of_scale(scale_text)
    except AssayError as error:
        text.refuse(error)
    return None
