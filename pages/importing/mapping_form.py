"""The editor of a table's mapping: which column means what, with what its first rows become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from data import importing
from data.cards import cards
from data.importing import ColumnMapping, DetectedFile, JudgmentColumns, LabelColumns, ValueSource
from judges.errors import AssayError
from judges.types import Kind
from pages.ui import session, text

KINDS: dict[Kind, str] = {"dialogue": "Dialogues", "pair": "Pairs of responses", "response": "Single responses"}
_ACROSS = 3
_UNITS: dict[Kind, list[str]] = {
    "dialogue": ["conversation", "turn"],
    "pair": ["pair", "response/a", "response/b"],
    "response": ["response"],
}
_JUDGED = [
    "Card", "Question", "Question in", "Unit", "Model", "Model in", "Value in", "Meaning of values", "Reason in",
    "Whole reply in", "Turn in", "Sample in", "Order in",
]  # fmt: skip
_LABELLED = [
    "Value in", "Meaning of values", "Unit", "Dimension", "Annotator", "Annotator in", "Mode", "Made at in",
    "Probability in",
]  # fmt: skip


def edit_mapping(known: DetectedFile, start: ColumnMapping) -> tuple[ColumnMapping, list[str]]:
    """The mapping as it now is on screen, and what it still lacks."""
    key = f"mapping:{importing.mapping_key(known.columns)}"
    columns = known.columns
    kind: Kind = (
        st.segmented_control(
            "A row is, or belongs to",
            tuple(KINDS),
            format_func=lambda name: KINDS[name],
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
    fields = {"id": start.id} | ({name: start.field(name) for name in importing.FIELDS[kind]} if items else {})
    found = {}
    for number, (name, source) in enumerate(fields.items()):
        if number % _ACROSS == 0:
            places = st.columns(_ACROSS)
        with places[number % _ACROSS]:
            found[name] = _source(f"{key}:{kind}:{name}", name, columns, source)
    meta = st.multiselect("Kept with the item, for slices", columns, start.meta, key=f"{key}:meta") if items else []
    faults: list[str] = []
    mapping = ColumnMapping(
        kind=kind,
        id=found.pop("id"),
        items=items,
        fields={name: source for name, source in found.items() if source},
        meta=meta,
        judgments=_judgments(key, kind, columns, start, faults),
        labels=_labels(key, kind, columns, start, faults),
        recipes=start.recipes,
    )
    return mapping, faults + mapping.faults(columns, cards.current_cards(session.store()))


def preview_mapping(known: DetectedFile, mapping: ColumnMapping) -> None:
    """What the first rows of the table become."""
    lines, wrong = importing.example_lines(known.file.name, known.rows, mapping)
    with st.expander("What the first rows become", expanded=True):
        for sentence in wrong[:5]:
            st.text(sentence)
        for line in lines[:3]:
            st.json(line, expanded=1)


def _source(key: str, name: str, columns: list[str], start: ValueSource) -> ValueSource:
    """The columns of one field, joined in their order; a system or scenario may be the same text for all rows."""
    there = [column for column in start.columns if column in columns]
    title = text.plain(name.replace("_", " "))
    chosen = st.multiselect(title, columns, there, key=key, placeholder="no column")
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
    kept = session.scratch(key)
    if "rows" not in kept:
        kept["rows"] = pd.DataFrame([{n: row.get(n, "") for n in names} for row in rows], columns=names, dtype="str")
    edited = st.data_editor(
        kept["rows"], num_rows="dynamic", hide_index=True, column_config=config, key=f"{key}:editor"
    )
    filled = edited.fillna("").to_dict("records")
    return [{str(n): str(v) for n, v in row.items()} for row in filled if any(str(v).strip() for v in row.values())]


def _one(column: str) -> ValueSource:
    return ValueSource(columns=[column]) if column else ValueSource()


def _only(source: ValueSource) -> str:
    return source.columns[0] if source.columns else ""


def _values(typed: str, faults: list[str]) -> dict[str, str]:
    try:
        return importing.parse_values(typed)
    except AssayError as error:
        faults.append(str(error))
        return {}


def _judgments(
    key: str, kind: Kind, columns: list[str], start: ColumnMapping, faults: list[str]
) -> list[JudgmentColumns]:
    st.markdown("**Judges' scores**: one row for each judge's reply, or for each question that it answered")
    rows = [
        {
            "Card": j.card,
            "Question": j.dimension.constant,
            "Question in": _only(j.dimension),
            "Unit": j.unit.constant,
            "Model": j.model.constant,
            "Model in": _only(j.model),
            "Value in": _only(j.value),
            "Meaning of values": importing.format_values(j.values),
            "Reason in": _only(j.reason),
            "Whole reply in": _only(j.raw),
            "Turn in": _only(j.turn),
            "Sample in": _only(j.sample),
            "Order in": _only(j.order),
        }
        for j in start.judgments
    ]
    pick = st.column_config.SelectboxColumn(options=columns)
    fitting = {n: c for n, c in {**start.cards(), **cards.current_cards(session.store())}.items() if c.kind == kind}
    config: dict[str, Any] = {name: pick for name in _JUDGED if name.endswith(" in")}
    config["Card"] = st.column_config.SelectboxColumn(options=list(fitting))
    asked = dict.fromkeys(d.name for card in fitting.values() for d in card.dimensions)
    config["Question"] = st.column_config.SelectboxColumn(options=list(asked))
    config["Unit"] = st.column_config.SelectboxColumn(options=_UNITS[kind])
    found = []
    for row in _table(f"{key}:{kind}:judgments", _JUDGED, rows, config):
        order = _one(row["Order in"])
        said = {
            "card": row["Card"],
            "model": _one(row["Model in"]) or ValueSource(constant=row["Model"]),
            "raw": _one(row["Whole reply in"]),
            "value": _one(row["Value in"]),
            "values": _values(row["Meaning of values"], faults),
            "reason": _one(row["Reason in"]),
            "turn": _one(row["Turn in"]),
            "dimension": _one(row["Question in"]) or ValueSource(constant=row["Question"]),
            "unit": ValueSource(constant=row["Unit"]),
            "sample": _one(row["Sample in"]),
        }
        kept = _kept(start.judgments, said, ("value", "model", "dimension"), ("only", "confidence", "params", "order"))
        found.append(JudgmentColumns(**{**kept, **said, **({"order": order} if order else {})}))
    return found


def _kept(made: Sequence[Any], said: dict[str, Any], alike: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """What the table on screen has no column for, as it was found of the answers that are `alike`.

    Their scale is among it where it is not said what their cells mean.
    """
    found = next((one for one in made if all(getattr(one, name) == said[name] for name in alike)), None)
    if found is None:
        return {}
    return {name: getattr(found, name) for name in (*names, *(() if said["values"] else ("answers",)))}


def _labels(key: str, kind: Kind, columns: list[str], start: ColumnMapping, faults: list[str]) -> list[LabelColumns]:
    st.markdown("**People's labels**: one row for each column of labels")
    rows = [
        {
            "Value in": _only(label.value),
            "Meaning of values": importing.format_values(label.values),
            "Unit": label.unit.constant,
            "Dimension": label.dimension.constant,
            "Annotator": label.annotator.constant,
            "Annotator in": _only(label.annotator),
            "Mode": label.mode.constant,
            "Made at in": _only(label.made_at),
            "Probability in": _only(label.probability),
        }
        for label in start.labels
    ]
    pick = st.column_config.SelectboxColumn(options=columns)
    config: dict[str, Any] = dict.fromkeys(("Value in", "Annotator in", "Made at in", "Probability in"), pick)
    own = {d.name for card in start.cards().values() for d in card.dimensions}
    asked = sorted({name for of, _, name in cards.answerable_dimensions(session.store()) if of == kind} | own)
    config["Unit"] = st.column_config.SelectboxColumn(options=_UNITS[kind], default=_UNITS[kind][0])
    config["Dimension"] = st.column_config.SelectboxColumn(options=asked)
    config["Mode"] = st.column_config.SelectboxColumn(options=["blind", "assisted", "revealed"], default="blind")
    found = []
    for row in _table(f"{key}:{kind}:labels", _LABELLED, rows, config):
        said = {
            "value": _one(row["Value in"]),
            "values": _values(row["Meaning of values"], faults),
            "unit": ValueSource(constant=row["Unit"]),
            "dimension": ValueSource(constant=row["Dimension"]),
            "annotator": _one(row["Annotator in"]) or ValueSource(constant=row["Annotator"]),
            "mode": ValueSource(constant=row["Mode"] or "blind"),
            "made_at": _one(row["Made at in"]),
            "probability": _one(row["Probability in"]),
        }
        kept = _kept(start.labels, said, ("value", "annotator", "dimension"), ("only", "turn", "team"))
        found.append(LabelColumns(**{**kept, **said}))
    return found
