"""The family that a model belongs to, by its name. People may extend the list in families.json next to this file."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path


@cache
def family_prefixes() -> dict[str, str]:
    """Family by the beginning of a model's name, as families.json has them."""
    known = json.loads(Path(__file__).with_name("families.json").read_text(encoding="utf-8"))["families"]
    return {prefix: family for family, named in known.items() for prefix in named}


def family(model: str) -> str:
    """The family of a model or system: "openai/gpt-4o-mini" -> "gpt"; "" for a name that says nothing.

    The part up to the last slash is dropped, and case is ignored; the longest known prefix counts. The family of an
    unknown name is its leading letters: "vicuna-13b-v1.3" -> "vicuna".
    """
    name = model.strip().casefold().rpartition("/")[2]
    longest = max((prefix for prefix in family_prefixes() if name.startswith(prefix)), key=len, default="")
    if longest:
        return family_prefixes()[longest]
    leading = re.match(r"[^\W\d_]+", name)
    return leading.group() if leading else name
