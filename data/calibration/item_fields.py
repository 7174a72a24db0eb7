"""The ways to group the items of a dataset: by system, language, kind, stratum, fields and days of their meta."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.store import Store, cache_result

SYSTEM, LANGUAGE = "system", "language"
MAX_VALUES = 200
"""The most values of a field to group by. A field with more has no groups (an address, a text)."""
LANGUAGE_KEYS = ("language", "lang")
_LATIN = "Latin script"
HEAD = "substr(i.content, 1, 800)"
"""SQL of the beginning of an item `i`, from which its language is found."""
_SCRIPTS = (
    ("Japanese", re.compile(r"[\u3040-\u30ff\uff66-\uff9f]")),
    ("Korean", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("Chinese", re.compile(r"[\u3400-\u9fff]")),
    ("Cyrillic script", re.compile(r"[\u0400-\u052f]")),
    ("Arabic script", re.compile(r"[\u0600-\u06ff]")),
    ("Devanagari script", re.compile(r"[\u0900-\u097f]")),
)
_KEYS = re.compile(r'"\w+":')
"""Keys of an item's JSON, which are in Latin letters whatever the language."""
_ESCAPED = re.compile(r"\\[nrt]")
_DAY = re.compile(r"\d{4}-[01]\d-[0-3]\d(?:[T ].*)?")


class ItemFields(NamedTuple):
    """The items in the order of their ids, the place of each in it, and their words by field ("" none).

    Fields are system, language and the keys of meta, whose words are in `meta`, how many differ in `values`.
    Of a pair `second` has the system of response B. `days` are fields of meta that are dates wherever they are given;
    kind, stratum, that of the audit sample (`drawn`) and length are no fields of the items' own.
    """

    ids: list[str]
    place: dict[str, int]
    words: dict[str, NDArray[np.object_]]
    meta: dict[str, NDArray[np.object_]]
    values: dict[str, int]
    second: NDArray[np.object_]
    days: dict[str, NDArray[np.object_]]
    kind: NDArray[np.object_]
    stratum: NDArray[np.object_]
    drawn: NDArray[np.object_]
    length: NDArray[np.float64]

    def systems(self, place: NDArray[np.int64], second: Any) -> NDArray[np.object_]:
        """The system of each cell, by the place of its item; where `second`, it is of response B and has that one's."""
        systems: NDArray[np.object_] = np.where(second, self.second[place], self.words[SYSTEM][place])
        return systems

    def pair_names(self, place: NDArray[np.int64]) -> NDArray[np.object_]:
        """The systems of each cell's item as one name, as `data.records.outcomes.pair_name` has it."""
        first = self.words[SYSTEM]
        names: NDArray[np.object_] = np.where(self.second == "", first, first + " ~ " + self.second)
        return names[place]


@cache_result
def item_fields(store: Store, dataset_id: str) -> ItemFields:
    """All items of a dataset."""
    frame = store.frame(
        f"select i.id, i.kind, i.system_a, i.system_b, i.meta, {HEAD} as head, length(i.content) as length, "
        "coalesce(s.stratum, '') as stratum, coalesce(d.stratum, '') as drawn from item i "
        "left join (select item_id, max(stratum) as stratum from stratum where dataset_id = $1 group by item_id) s "
        "on s.item_id = i.id left join (select item_id, max(stratum) as stratum from draw where dataset_id = $1 "
        "and stream = 'audit' group by item_id) d on d.item_id = i.id where i.dataset_id = $1 order by i.id",
        [dataset_id],
    )
    metas = [json.loads(m) if m not in ("", "{}") else {} for m in frame["meta"]]
    languages = [language(m, head) for m, head in zip(metas, frame["head"], strict=True)]
    own, second, kind, stratum, drawn = (
        frame[name].to_numpy(dtype=object) for name in ("system_a", "system_b", "kind", "stratum", "drawn")
    )
    words: dict[str, NDArray[np.object_]] = {SYSTEM: own, LANGUAGE: np.array(languages, dtype=object)}
    meta, days = dict[str, NDArray[np.object_]](), dict[str, NDArray[np.object_]]()
    values = dict[str, int]()
    for key in sorted({key for m in metas for key in m}):
        column = np.array([word(m.get(key)) for m in metas], dtype=object)
        distinct_words = set(column) - {""}
        if 1 <= len(distinct_words) <= MAX_VALUES:
            meta[key], values[key] = column, len(distinct_words)
        if distinct_words and key not in words and all(map(_begins_with_day, distinct_words)):
            days[key] = np.array([value[:10] for value in column], dtype=object)
    return ItemFields(
        ids=frame["id"].tolist(),
        place={id_: n for n, id_ in enumerate(frame["id"])},
        words=words | {key: column for key, column in meta.items() if key not in words},
        meta=meta,
        values=values,
        second=second,
        days=days,
        kind=kind,
        stratum=stratum,
        drawn=drawn,
        length=frame["length"].to_numpy(dtype=np.float64),
    )


def _begins_with_day(text: str) -> bool:
    """Whether a word is a day of the calendar as 2026-01-31, alone or with a time; 2026-02-30 is none."""
    if not _DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def guess_script(text: str) -> str:
    """The language that a text's letters suggest, or its script where they show no more; "" without letters.

    A script counts from a fifth of the letters on, so that names and code in Latin letters do not hide it; Han with
    kana is Japanese. Languages in Latin letters are not distinguished.
    """
    if text.isascii():
        return _LATIN if any(map(str.isalpha, text)) else ""
    letters = sum(map(str.isalpha, text))
    if not letters:
        return ""
    counts = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS}
    if counts["Japanese"] >= 0.05 * letters:
        counts["Japanese"] += counts["Chinese"]
    name = max(counts, key=lambda n: counts[n])
    if counts[name] >= 0.2 * letters:
        return name
    return _LATIN if sum(c.isalpha() and c < "\u0250" for c in text) >= 0.5 * letters else "other"


def language(meta: dict[str, Any], head: str) -> str:
    """The language of an item: what its meta says, else what the letters at its beginning suggest."""
    meta_language = next((str(meta[k])[:60] for k in LANGUAGE_KEYS if isinstance(meta.get(k), str)), "")
    return meta_language or (_LATIN if head.isascii() else guess_script(_ESCAPED.sub(" ", _KEYS.sub("", head))))


def word(value: object) -> str:
    """A value of an item's meta as a word; "" of what is no plain value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)[:60] if isinstance(value, str | int) else ""
