"""Tags of people, such as languages and skills, and how much of a share each takes: by them work is assigned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from data.records.access import allow, allow_change, find_person
from data.records.names import has_invisible_characters
from data.records.values import put_setting, settings_in
from data.store import Store, Tx
from data.store.errors import BadInput
from judges.strict_json import storable_text

SCOPE = "tags"
MAX_TAGS, MAX_TAG_LENGTH, MAX_SHARE = 20, 40, 10.0
"""Tags of a person, letters of a tag, and the widest share beside that of somebody who takes 1."""
_TAG_PREFIX = "|"
"""The prefix of a tag where a person's name may be used too; no name has it."""


@dataclass(frozen=True)
class PersonTags:
    """The tags of a person, and their share of the work that is spread over people (0: none for now)."""

    person: str
    tags: tuple[str, ...] = ()
    share: float = 1.0


def assignee(tag: str) -> str:
    """A tag as the assignee of work: everybody who has it."""
    return _TAG_PREFIX + tag


def is_tag(name: str) -> bool:
    """Whether work is assigned to a tag, not to a person."""
    return name.startswith(_TAG_PREFIX)


def describe_assignee(name: str) -> str:
    """To whom work is assigned, in words."""
    return f"anyone with the tag {name.removeprefix(_TAG_PREFIX)}" if is_tag(name) else name


def read_tags(person: str, fields: Mapping[str, Any]) -> PersonTags:
    """The tags of a person from the value of their setting."""
    return PersonTags(person, tuple(fields.get("tags", ())), float(fields.get("share", 1.0)))


@allow("researcher")
def all_tags(store: Store | Tx) -> dict[str, PersonTags]:
    """Person -> tags and share, of those that have any."""
    return {name: read_tags(name, fields) for name, fields in settings_in(store, SCOPE).items()}


@allow_change("lead", "tags", "name")
def set_tags(tx: Tx, actor: str, name: str, tags: Sequence[str], share: float = 1.0) -> PersonTags:
    """Say which tags a person has, and their share. Raises NotAllowed below the role lead, BadInput, NotFound.

    Capitals and spaces at the ends do not make another tag: the one that somebody has already is taken.
    """
    if not 0 <= share <= MAX_SHARE:
        raise BadInput(f"The share is {share:g}: it must be 0 (nothing for now) to {MAX_SHARE:g}; 1 is as usual.")
    find_person(tx, name)
    tags_by_name = all_tags(tx)
    known = {tag.casefold(): tag for person_tags in tags_by_name.values() for tag in person_tags.tags}
    cleaned = [_clean(tag) for tag in tags]
    chosen = dict.fromkeys(known.setdefault(tag.casefold(), tag) for tag in cleaned)
    new = PersonTags(name, tuple(sorted(chosen, key=str.casefold)), float(share))
    if len(new.tags) > MAX_TAGS:
        raise BadInput(f"{name} would have {len(new.tags)} tags: at most {MAX_TAGS} are allowed.")
    if new != tags_by_name.get(name, PersonTags(name)):
        put_setting(tx, SCOPE, name, {k: v for k, v in asdict(new).items() if k != "person"})
    return new


def _clean(tag: str) -> str:
    cleaned = " ".join(storable_text(tag).split())
    if not 1 <= len(cleaned) <= MAX_TAG_LENGTH or _TAG_PREFIX in cleaned or has_invisible_characters(cleaned):
        raise BadInput(
            f"{tag[:60]!r} cannot be a tag: 1 to {MAX_TAG_LENGTH} letters without {_TAG_PREFIX} and invisible ones."
        )
    return cleaned
