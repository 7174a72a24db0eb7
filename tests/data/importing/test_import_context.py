"""What no text of an import may hold, whichever file it comes from."""

from typing import Any

import pytest

from data.importing.checks.import_context import check_text
from judges.strict_json import BadJson


@pytest.mark.parametrize(
    ("text", "value", "why"),
    [
        ("a\0b", None, "NUL"), ("\ud800", None, "surrogate"), ('{"a": "\\u0000"}', {"a": "\0"}, "NUL"),
        ("a\0b", {"a": "\0"}, "NUL"), ("\\u0000", None, ""), ('"\\\\u0000"', "\\u0000", ""), ("😀 é", None, ""),
    ],
)  # fmt: skip
def test_what_no_store_takes_is_refused(text: str, value: Any, why: str) -> None:
    if not why:
        return check_text(text, value)
    with pytest.raises(BadJson, match=why):
        check_text(text, value)
