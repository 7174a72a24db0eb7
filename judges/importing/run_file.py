"""The file that a run without a workspace writes: a line for each judgment, also from earlier starts.

A run can stop anywhere and continue: an incomplete last line is removed, and a judgment that has a line is not asked
again. For judgments of several calls, a second file keeps the calls that came until the judgment has its line, also
those of other judges in the same file. A third file permanently keeps the cost of the calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from judges.card import Card
from judges.client.budget import Price, cost
from judges.client.usage import Charge
from judges.errors import AssayError
from judges.params import Params
from judges.protocols.call_plan import CallReply, FinishedJudgment, Slot, Task


class BadRunFile(AssayError):
    """The file exists and was not written by a run."""


class RunFile:
    """Judgments of one judge in a file, in Assay's canonical form; `None` keeps nothing and gives the lines to `out`.

    A line without a version of the card, as earlier versions of Assay wrote it, is taken for this judge's, and a file
    with such lines goes on without versions: otherwise it would hold two judges. Use it in a `with`. Raises BadRunFile
    if the file contains something else, or if another run is writing it.
    """

    def __init__(self, path: Path | None, card: Card, model: str, params: Params, out: IO[str] | None = None) -> None:
        self._version = card.version
        self._judge: dict[str, Any] = {"card": card.name, "card_version": card.version, "model": model}
        self._judge["params"] = params.identity(card.kind)
        self._out = out
        self._finished: set[Slot] = set()
        self._pieces: dict[Slot, dict[str, CallReply]] = {}
        self._others_wait = False
        self._pieces_path = None if path is None else path.with_name(f"{path.name}.pieces")
        self._file: IO[bytes] | None = None
        self._more: IO[bytes] | None = None
        if path is not None:
            self._file = _open_locked(path)
            with contextlib.ExitStack() as undo:
                undo.callback(self._file.close)
                self._read(path)
                undo.pop_all()

    def __enter__(self) -> RunFile:
        return self

    def __exit__(self, *_: object) -> None:
        for file in (self._file, self._more):
            if file is not None:
                file.close()
        if self._pieces_path is not None and not self._pieces and not self._others_wait:
            self._pieces_path.unlink(missing_ok=True)

    @property
    def count(self) -> int:
        """The number of judgments of this judge in the file."""
        return len(self._finished)

    def has(self, task: Task) -> bool:
        """Whether the file has the judgment."""
        return task.slot in self._finished

    def stored_pieces(self, task: Task) -> Mapping[str, CallReply]:
        """The answers to pieces of a judgment that is not complete yet."""
        return self._pieces.get(task.slot, {})

    def keep(self, answer: CallReply) -> None:
        """Keep the answer to one of several pieces."""
        if not answer.piece or answer.unscored == "api_error" or self._pieces_path is None:
            return
        if self._more is None:
            self._more = _open_locked(self._pieces_path)
        slot = (answer.key, answer.part, answer.sample)
        self._pieces.setdefault(slot, {})[answer.piece] = answer
        _append(self._more, {"judge": self._judge, "answer": asdict(answer)})

    def write(self, judged: FinishedJudgment) -> None:
        """Add a judgment. A judgment whose calls failed is not written, so that it is asked for again."""
        if judged.reading.unscored == "api_error":
            return
        task = judged.task
        line: dict[str, Any] = {"item": task.key, **self._judge}
        if task.part:
            line["part"] = task.part
        line |= {"sample": task.sample, "raw": judged.raw}
        if judged.reading.unscored in ("cut_off", "refused"):
            line |= {"unscored": judged.reading.unscored, "why": judged.reading.why[:2000]}
        if self._file is not None:
            _append(self._file, line)
        elif self._out is not None:
            self._out.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._finished.add(task.slot)
        self._pieces.pop(task.slot, None)

    def _is_own(self, fields: Mapping[str, Any]) -> bool:
        """Whether these fields of a line name this judge."""
        version = {"card_version": self._version}
        named = version | dict(fields)
        return all(named.get(name) == value for name, value in (version | self._judge).items())

    def _read(self, path: Path) -> None:
        assert self._file is not None
        others_finished: set[str] = set()
        for number, line in _lines(self._file, path):
            if not {"item", "card", "model", "params"} <= line.keys():
                raise BadRunFile(f"{path.name}, line {number}: not a judgment of a run. Name another file with --out.")
            if self._is_own(line):
                if "card_version" not in line:
                    self._judge.pop("card_version", None)
                self._finished.add((line["item"], line.get("part", ""), line.get("sample", 0)))
            else:
                others_finished.add(_judgment_mark(line, line["item"], line))
        if self._pieces_path is not None and self._pieces_path.exists():
            self._more = _open_locked(self._pieces_path)
            for _, line in _lines(self._more, self._pieces_path):
                judge, fields = line.get("judge"), line.get("answer")
                if isinstance(judge, dict) and self._is_own(judge):
                    answer = _answer(fields, self._pieces_path)
                    slot = (answer.key, answer.part, answer.sample)
                    if slot not in self._finished:
                        self._pieces.setdefault(slot, {})[answer.piece] = answer
                elif isinstance(judge, dict) and isinstance(fields, dict):
                    finished = _judgment_mark(judge, fields.get("key"), fields) in others_finished
                    self._others_wait = self._others_wait or not finished


class ChargeFile:
    """The costs of one judge's calls, failed tries and trials too, in a file next to its judgments.

    With `path` None there is no file. A run that was killed (kill -9) counts with the most that its calls could have
    cost by then. `spent` is in US dollars, at the price of each call's time; `estimated`: some token counts are not the
    endpoint's own.
    """

    def __init__(self, path: Path | None, card: Card, model: str, params: Params, price: Price | None) -> None:
        self._judge = {"card": card.name, "model": model, "params": params.identity(card.kind)}
        self._price, self._upto = price, 0.0
        self.spent, self.estimated = 0.0, False
        self._file: IO[bytes] | None = None
        if path is None:
            return
        charges_path = path.with_name(f"{path.name}.charges")
        self._file = _open_locked(charges_path)
        try:
            for number, line in _lines(self._file, charges_path):
                if line.get("judge") == self._judge:
                    self._count(line, f"{charges_path.name}, line {number}")
        except BaseException:
            self._file.close()
            raise
        if self._upto > self.spent:
            self._write({"sort": "lost", "cost": self._upto - self.spent, "estimated": True})

    def __enter__(self) -> ChargeFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._file is None:
            return
        if self._upto and (kind is None or issubclass(kind, AssayError)):
            self._write({"upto": 0.0})
        self._file.close()

    def pay(self, call: CallReply | Charge) -> None:
        """Count a call."""
        if isinstance(call, CallReply) and call.unscored == "api_error":
            return
        used = {"tokens_in": call.tokens_in, "tokens_out": call.tokens_out, "estimated": call.estimated}
        price = None if self._price is None else cost(self._price, call.tokens_in, call.tokens_out)
        self._write({"sort": call.sort if isinstance(call, Charge) else "call", **used, "cost": price})

    async def hold(self, upto: float) -> None:
        """Record the amount up to which money may be spent by now."""
        await asyncio.to_thread(self._write, {"upto": upto})

    def _write(self, line: dict[str, Any]) -> None:
        if self._file is not None:
            _append(self._file, {"judge": self._judge, **line})
        self._count(line, "")

    def _count(self, line: dict[str, Any], where: str) -> None:
        try:
            if "upto" in line:
                self._upto = float(line["upto"])
                return
            self.estimated = self.estimated or bool(line["estimated"])
            if line["cost"] is not None:
                self.spent += float(line["cost"])
            elif self._price is not None:
                self.spent += cost(self._price, int(line["tokens_in"]), int(line["tokens_out"]))
        except (KeyError, TypeError, ValueError):
            raise BadRunFile(
                f"{where}: no run wrote this line. Correct it, or name another file with --out."
            ) from None


def _judgment_mark(judge: Mapping[str, Any], item: Any, place: Mapping[str, Any]) -> str:
    """A mark of one judgment of any judge; `place` has its part and sample."""
    own = [judge.get(name) for name in ("card", "card_version", "model", "params")]
    return json.dumps([own, item, place.get("part", ""), place.get("sample", 0)], sort_keys=True)


def _open_locked(path: Path) -> IO[bytes]:
    """The file, open for reading and appending, and locked against other runs if the system supports that."""
    file = path.open("a+b")
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass
    except OSError:
        file.close()
        raise BadRunFile(f"{path.name} is being written by another run. Wait for it, or name another file.") from None
    return file


def _append(file: IO[bytes], line: dict[str, Any]) -> None:
    file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n")
    file.flush()


def _lines(file: IO[bytes], path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every whole line with its number; half a line at the end, of a run that was killed, is cut off."""
    file.seek(0)
    good = 0
    for number, text in enumerate(file, 1):
        if not text.endswith(b"\n"):
            break
        good += len(text)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise BadRunFile(f"{path.name}, line {number}: not JSON of a run. Name another file with --out.")
        yield number, value
    file.truncate(good)
    file.seek(0, os.SEEK_END)


def _answer(value: Any, path: Path) -> CallReply:
    try:
        fields = dict(value)
        fields["logprobs"] = tuple((token, tuple((t, p) for t, p in top)) for token, top in fields["logprobs"])
        return CallReply(**fields)
    except (TypeError, ValueError, KeyError):
        raise BadRunFile(f"{path.name} was not written by a run. Remove it; its calls are then made again.") from None
