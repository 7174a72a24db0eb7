"""The log: one line an event on standard error, with a name and with facts as key=value or as a JSON object.

It tells what happened, to which dataset, run or judge, how much of it and how long it took. It never tells a key, nor
what an item, a label, a comment or a reply says. Messages of exceptions may quote any of these, so of an error that
nobody foresaw the log has its sort and the lines of code that it went through, and not its message. Of what a library
logs, the log has the fixed text and the numbers in it.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal

from data import metrics
from judges.errors import AssayError

Fact = str | int | float | bool | None
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
FORMATS = ("text", "json")
MAX_VALUE_LENGTH = 200
"""Letters of a value that are logged; what is cut ends with an ellipsis."""
_FRAMES = 40
"""Lines of code of one exception: the last ones, where it was raised."""
_CHAINED = 8
"""Exceptions of one chain or group."""
_BARE = re.compile(r"[\w./:@+%-]+", re.ASCII)
_events = logging.getLogger("assay")
_events.addHandler(logging.NullHandler())  # a program that does not begin the log sees none of it


class BadSetting(AssayError):
    """A variable of the environment has a value that it cannot have."""


def begin(usual: Literal["INFO", "WARNING"]) -> None:
    """Write the log from now on, at the level and in the format that the environment asks for.

    ASSAY_LOG_LEVEL is one of LEVELS (default: `usual`), ASSAY_LOG_FORMAT one of FORMATS (default: text). Libraries
    write into the same log, warnings and errors only. Beginning again takes the settings anew. Raises BadSetting.
    """
    level: str = usual
    form = "text"
    try:
        level, form = _setting("ASSAY_LOG_LEVEL", usual, LEVELS), _setting("ASSAY_LOG_FORMAT", "text", FORMATS)
    finally:  # a start that is refused for them is logged, too
        _write(level, form == "json")


def _write(level: str, as_json: bool) -> None:
    for old in [handler for handler in logging.root.handlers if isinstance(handler, _Handler)]:
        logging.root.removeHandler(old)
    logging.root.addHandler(_Handler(as_json, getattr(logging, level)))
    _events.setLevel(level)


def catch() -> None:
    """Log errors that end a thread or the process, in place of Python's own lines, which quote their messages."""

    def of_thread(failure: threading.ExceptHookArgs) -> None:
        if failure.exc_value is not None and not isinstance(failure.exc_value, SystemExit):
            error("thread_failed", failure.exc_value, thread=failure.thread.name if failure.thread else "")

    def of_process(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        if not isinstance(value, KeyboardInterrupt):
            error("process_failed", value)

    threading.excepthook = of_thread
    sys.excepthook = of_process
    sys.unraisablehook = lambda failure: error("cleanup_failed", failure.exc_value) if failure.exc_value else None


def debug(event: str, **facts: Fact) -> None:
    """Log a detail: every change of a store, by whom and of which sort."""
    _log(logging.DEBUG, event, facts)


def info(event: str, **facts: Fact) -> None:
    """Log what happened as it should."""
    _log(logging.INFO, event, facts)


def warning(event: str, **facts: Fact) -> None:
    """Log what somebody may have to look at."""
    _log(logging.WARNING, event, facts)


def error(event: str, cause: BaseException | None = None, lines: Sequence[str] = (), **facts: Fact) -> None:
    """Log what went wrong, with the sort and the traceback of the exception that it came from, without its message.

    `lines` is the traceback (`trace`) where the exception was one of another process.
    """
    _log(logging.ERROR, event, facts, cause, lines)


def error_type(cause: BaseException) -> str:
    """The sort of an error, and of what the system refused its reason: "OSError: No space left on device"."""
    reason = cause.strerror if isinstance(cause, OSError) else None
    return f"{type(cause).__name__}: {reason}" if reason else type(cause).__name__


def trace(cause: BaseException) -> list[str]:
    """The lines of code that an exception went through, without its message: for a process that has no log."""
    return list(_trace(cause))


def _log(
    level: int, event: str, facts: Mapping[str, Fact], cause: BaseException | None = None, lines: Sequence[str] = ()
) -> None:
    metrics.increment("events_total", event=event, level=logging.getLevelName(level).lower())
    if _events.isEnabledFor(level):
        exc_info = (type(cause), cause, cause.__traceback__) if cause is not None else None
        _events.log(level, event, exc_info=exc_info, extra={"facts": facts, "lines": lines})


def _setting(name: str, usual: str, allowed: tuple[str, ...]) -> str:
    """The value of a variable of the environment, in the case in which it is allowed. Raises BadSetting."""
    value = os.environ.get(name, "").strip()
    choice = next((word for word in allowed if word.lower() == value.lower()), "" if value else usual)
    if not choice:
        raise BadSetting(f"{name} is {value[:40]!r}. It has to be {', '.join(allowed[:-1])} or {allowed[-1]}.")
    return choice


# -- a record as a line -----------------------------------------------------------------------------------------------


class _Handler(logging.Handler):
    """Writes events of the level and above, and warnings and errors of libraries, to what is standard error then."""

    def __init__(self, as_json: bool, level: int) -> None:
        super().__init__()
        self._as_json, self._least = as_json, level
        self._libraries = max(level, logging.WARNING)

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= (self._least if record.name == "assay" else self._libraries)

    def emit(self, record: logging.LogRecord) -> None:
        if record.name != "assay":
            event = getattr(record, "event", "") or "library"
            metrics.increment("events_total", event=event, level=record.levelname.lower())
        line = format_record(record, self._as_json)
        with contextlib.suppress(OSError, ValueError, AttributeError):  # nobody reads it any more, or it is None
            sys.stderr.write(line)
            sys.stderr.flush()

    def handleError(self, record: logging.LogRecord) -> None:
        """Say nothing: what Python would print holds the values."""


def format_record(record: logging.LogRecord, as_json: bool) -> str:
    """A record as it is written: one line; as text, an error's traceback stands below it, indented."""
    at = f"{datetime.fromtimestamp(record.created, UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
    event, facts = _event_facts(record)
    cause = record.exc_info[1] if record.exc_info else None
    if cause is not None:
        facts["error"] = error_type(cause)
    trace = list(_trace(cause)) if cause is not None else list(getattr(record, "lines", ()))
    level = record.levelname
    if as_json:
        details = {**facts, **({"traceback": trace} if trace else {})}
        return json.dumps({"time": at, "level": level, "event": event, **details}) + "\n"
    words = " ".join([at, level, event, *(f"{name}={_format_value(value)}" for name, value in facts.items())])
    return "\n".join([words, *(f"    {line}" for line in trace)]) + "\n"


def _event_facts(record: logging.LogRecord) -> tuple[str, dict[str, Fact]]:
    """The name of a record's event, and its facts."""
    facts: Mapping[str, Fact] = getattr(record, "facts", {})
    named = getattr(record, "event", "") or ("library" if record.name != "assay" else str(record.msg))
    if record.name != "assay":
        facts = {"logger": record.name, "message": _library_message(record), **facts}
    return named, {name: _cut(value) for name, value in facts.items() if value is not None and value != ""}


def _library_message(record: logging.LogRecord) -> str:
    """The first line of a library's message, with its numbers and without its texts, which may be anybody's."""
    message = str(record.msg)
    args = record.args if isinstance(record.args, tuple) else ()
    safe_args = tuple(arg if isinstance(arg, int | float) else f"<{type(arg).__name__}>" for arg in args)
    with contextlib.suppress(TypeError, ValueError):
        message = message % safe_args if safe_args else message
    return message.strip().partition("\n")[0]


def _cut(value: Fact) -> Fact:
    if isinstance(value, float):
        return round(value, 3)
    if value is None or isinstance(value, bool | int):
        return value
    text = str(value)
    return text if len(text) <= MAX_VALUE_LENGTH else text[: MAX_VALUE_LENGTH - 1] + "…"


def _format_value(value: Fact) -> str:
    """A value behind its key: quoted unless it is plain, so that none can end its line, or begin another key."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    if _BARE.fullmatch(text):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in quoted)


def _trace(cause: BaseException, seen: list[int] | None = None) -> Iterator[str]:
    """The lines of code that an exception went through, after those of what it came from; no message of any."""
    seen = [] if seen is None else seen
    if id(cause) in seen or len(seen) >= _CHAINED:
        return
    seen.append(id(cause))
    before = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    if before is not None:
        yield from _trace(before, seen)
    yield "Traceback (most recent call last):"
    for entry in traceback.format_list(traceback.extract_tb(cause.__traceback__)[-_FRAMES:]):
        yield from entry.rstrip().splitlines()
    yield error_type(cause)
    if isinstance(cause, BaseExceptionGroup):
        for exception in cause.exceptions:
            yield from _trace(exception, seen)

