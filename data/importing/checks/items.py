"""Checks of imported items: validated, completed, and compared with what has their name already."""

from __future__ import annotations

from data.importing import rows
from data.importing.checks.import_context import ImportContext, LineError, check_text
from data.importing.lines import Line
from data.importing.sentences import show_value
from judges.importing import lines
from judges.types import Dialogue, Pair


def check_item(door: ImportContext, line: Line) -> None:
    """Put an item into the spool, or count it as known. Raises LineError, ValidationError or AssayError."""
    item = lines.parse_item(line.data)
    row = rows.item_row(door.dataset_id, item)
    content, content_hash = row.content, row.hash
    check_text(content, line.data)
    report, known = door.report, door.items.hash_of(item.id)
    if known is not None:
        if known != content_hash and not line.weak:
            where = "earlier in this import" if door.items.is_new(item.id) else "in the dataset"
            raise LineError(
                "id", f"{show_value(item.id)} is there already, {where}, with other content. Give it another id."
            )
        report.known.items += not (line.weak and door.items.is_new(item.id))
        return
    door.items.add(item, content, content_hash)
    door.spool.add([row], len(content))
    report.new.items += 1
    systems = " / ".join(filter(None, (row.system_a, row.system_b)))
    asked = item.input_text if isinstance(item, Pair) else ""
    begins = item.turns[0].text if isinstance(item, Dialogue) else asked or getattr(item, "output", "")
    shown = {"id": item.id, "kind": item.kind, "system": systems, "units": row.cells, "begins": begins[:500]}
    door.show("items", report.new.items, **shown)
