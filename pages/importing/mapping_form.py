"""The editor of a table's mapping: which column means what, with what its first rows become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from data.cards import cards
from data.importing.detection.detection import DetectedFile
from data.importing.formats.table import example_lines
from data.importing.mapping_texts import format_values, mapping_key, parse_values
from judges.errors import AssayError
from judges.importing.mapping import FIELDS, ColumnMapping, JudgmentColumns, LabelColumns, ValueSource
from judges.importing.speakers import ROLES
from judges.types import Kind
from pages.ui import session, text

_Answers = TypeVar("_Answers", bound=JudgmentColumns | LabelColumns)
_ACROSS = 3
_UNITS: dict[Kind, list[str]] = {
    "dialogue": ["conversation", "turn"],
    "pair": ["pair", "response/a", "response/b"],
    "response": ["response"],
}
_JUDGED = {
    "Card": "card", "Question": "dimension", "Question in": "dimension", "Unit": "unit", "Model": "model",
    "Model in": "model", "Value in": "value", "Meaning of values": "values", "Reason in": "reason",
    "Whole reply in": "raw", "Turn in": "turn", "Sample in": "sample", "Order in": "order",
}  # fmt: skip
_LABELLED = {
    "Value in": "value", "Meaning of values": "values", "Unit": "unit", "Dimension": "dimension",
    "Annotator": "annotator", "Annotator in": "annotator", "Mode": "mode", "Made at in": "made_at",
    "Probability in": "probability",
}  # fmt: skip
"""The columns of the tables on screen, and the field of the mapping that each sets: "in" names a column of the file."""


def edit_mapping(known: DetectedFile, start: ColumnMapping) -> tuple[ColumnMapping, list[str]]:
    """The mapping as it now is on screen, and what it still lacks."""
    key = f"mapping:{mapping_key(known.columns)}"
    columns = known.columns
    kind: Kind = (
        st.segmented_control(
            "A row is, or belongs to",
            tuple(text.KINDS),
            format_func=lambda name: text.KINDS[name],
            default=start.kind,
            key=f"{key}:kind",
            required=True,
        )
        or start.kind
    )
    items = st.toggle(
        "The table holds the items themselves",
        start.items,
        key=f"{key}:items",
        help="Off: only scores and labels of items that are in the dataset already.",
    )
    fields = {"id": start.id} | ({name: start.field(name) for name in FIELDS[kind]} if items else {})
    sources = {}
    for number, (name, source) in enumerate(fields.items()):
        if number % _ACROSS == 0:
            places = st.columns(_ACROSS)
        with places[number % _ACROSS]:
            sources[name] = _source(f"{key}:{kind}:{name}", name, columns, source)
    meta = st.multiselect("Kept with the item, for slices", columns, start.meta, key=f"{key}:meta") if items else []
    faults: list[str] = []
    mapping = ColumnMapping(
        kind=kind,
        id=sources.pop("id"),
        items=items,
        fields={name: source for name, source in sources.items() if source},
        roles=_roles(key, start, faults) if sources.get("turns") or sources.get("text") else {},
        meta=meta,
        judgments=_judgments(key, kind, columns, start, faults),
        labels=_labels(key, kind, columns, start, faults),
        recipes=start.recipes,
    )
    return mapping, faults + mapping.faults(columns, cards.current_cards(session.store()))


def preview_mapping(known: DetectedFile, mapping: ColumnMapping) -> None:
    """Draw the lines that the first rows of the table become."""
    lines, wrong = example_lines(known.file.name, known.rows, mapping)
    with st.expander("What the first rows become", expanded=True):
        for sentence in wrong[:5]:
            st.text(sentence)
        for line in lines[:3]:
            st.json(line, expanded=1)


def _source(key: str, name: str, columns: list[str], start: ValueSource) -> ValueSource:
    """The columns of one field, joined in their order; a system or scenario may be the same text for all rows."""
    defaults = [column for column in start.columns if column in columns]
    chosen = st.multiselect(text.escape(name.replace("_", " ")), columns, defaults, key=key, placeholder="no column")
    if chosen or not name.startswith(("system", "scenario")):
        return ValueSource(columns=chosen)
    same = st.text_input(
        "for all rows",
        start.constant,
        key=f"{key}:all",
        placeholder="or the same for all rows",
        label_visibility="collapsed",
    )
    return ValueSource(constant=same.strip())


def _table(key: str, names: list[str], rows: list[dict[str, Any]], config: dict[str, Any]) -> list[dict[str, str]]:
    """A small table to fill in; its first state is kept, so that a rerun does not begin anew."""
    state = session.scratch(key)
    if "rows" not in state:
        state["rows"] = pd.DataFrame([{n: row.get(n, "") for n in names} for row in rows], columns=names, dtype="str")
    edited = st.data_editor(
        state["rows"], num_rows="dynamic", hide_index=True, column_config=config, key=f"{key}:editor"
    )
    filled = edited.fillna("").to_dict("records")
    return [{str(n): str(v) for n, v in row.items()} for row in filled if any(str(v).strip() for v in row.values())]


def _answers(
    key: str, model: type[_Answers], titles: Mapping[str, str], start: Sequence[_Answers], columns: list[str],
    config: dict[str, Any], same: Sequence[str], off_screen: Sequence[str], faults: list[str],
) -> list[_Answers]:  # fmt: skip
    """Answers in a table to fill in, a row each.

    A row that has the `same` fields as one of the beginning has those `off_screen` too, where it says nothing of them,
    and its scale, if the row does not say what the cells mean.
    """
    rows = [{title: _cell(getattr(entry, field), title) for title, field in titles.items()} for entry in start]
    pick = st.column_config.SelectboxColumn(options=columns)
    config |= {title: pick for title in titles if title.endswith(" in")}
    answers = []
    for row in _table(key, list(titles), rows, config):
        fields = _fields(row, titles, faults)
        known = next((entry for entry in start if all(getattr(entry, name) == fields[name] for name in same)), None)
        names = (*off_screen, *(() if fields["values"] else ("answers",))) if known else ()
        stated = {name: value for name, value in fields.items() if value or model.model_fields[name].is_required()}
        answers.append(model(**{name: getattr(known, name) for name in names} | stated))
    return answers


def _cell(value: Any, title: str) -> str:
    """Return the cell under a title: a column of the file, the same text for all rows, or what the values mean."""
    if isinstance(value, ValueSource):
        return (value.columns or [""])[0] if title.endswith(" in") else value.constant
    return value if isinstance(value, str) else format_values(value)


def _fields(row: Mapping[str, str], titles: Mapping[str, str], faults: list[str]) -> dict[str, Any]:
    """A row as the mapping has it; where a field may be the same for all rows or a column, the column goes first."""
    fields: dict[str, Any] = {}
    for title, field in titles.items():
        if field == "card":
            fields[field] = row[title]
        elif field == "values":
            fields[field] = _values(row[title], faults)
        elif not title.endswith(" in"):
            fields[field] = ValueSource(constant=row[title])
        elif row[title] or field not in fields:
            fields[field] = ValueSource(columns=[row[title]] if row[title] else [])
    return fields


def _values(typed: str, faults: list[str]) -> dict[str, str]:
    try:
        return parse_values(typed)
    except AssayError as error:
        faults.append(str(error))
        return {}


def _roles(key: str, start: ColumnMapping, faults: list[str]) -> dict[str, Any]:
    """The roles of speakers whose names say none."""
    typed = st.text_input(
        "Speakers", format_values(dict(start.roles)), key=f"{key}:roles",
        placeholder="patient = user, doctor = assistant",
        help="The roles of speakers whose names say none: user, assistant, system or tool.",
    )  # fmt: skip
    roles = {name.lower(): role.lower() for name, role in _values(typed, faults).items()}
    faults += [f"{role[:60]!r} is no role: write user, assistant, system or tool." for role in roles.values()
               if role not in ROLES.values()]
    return {name: role for name, role in roles.items() if role in ROLES.values()}


def _judgments(
    key: str, kind: Kind, columns: list[str], start: ColumnMapping, faults: list[str]
) -> list[JudgmentColumns]:
    st.markdown("**Judges' scores**: one row for each judge's reply, or for each question that it answered")
    fitting = {n: c for n, c in {**start.cards(), **cards.current_cards(session.store())}.items() if c.kind == kind}
    dimension_names = dict.fromkeys(d.name for card in fitting.values() for d in card.dimensions)
    config: dict[str, Any] = {
        "Card": st.column_config.SelectboxColumn(options=list(fitting)),
        "Question": st.column_config.SelectboxColumn(options=list(dimension_names)),
        "Unit": st.column_config.SelectboxColumn(options=_UNITS[kind]),
    }
    return _answers(
        f"{key}:{kind}:judgments", JudgmentColumns, _JUDGED, start.judgments, columns, config,
        ("value", "model", "dimension"), ("only", "confidence", "params", "order"), faults,
    )  # fmt: skip


def _labels(key: str, kind: Kind, columns: list[str], start: ColumnMapping, faults: list[str]) -> list[LabelColumns]:
    st.markdown("**People's labels**: one row for each column of labels")
    own = {d.name for card in start.cards().values() for d in card.dimensions}
    dimension_names = sorted({name for of, _, name in cards.answerable_dimensions(session.store()) if of == kind} | own)
    config: dict[str, Any] = {
        "Unit": st.column_config.SelectboxColumn(options=_UNITS[kind], default=_UNITS[kind][0]),
        "Dimension": st.column_config.SelectboxColumn(options=dimension_names),
        "Mode": st.column_config.SelectboxColumn(options=["blind", "assisted", "revealed"], default="blind"),
    }
    return _answers(
        f"{key}:{kind}:labels", LabelColumns, _LABELLED, start.labels, columns, config,
        ("value", "annotator", "dimension"), ("only", "turn", "team", "latest", "missing"), faults,
    )  # fmt: skip
