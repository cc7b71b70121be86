"""What a worker says: one JSON object per line, flushed at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

# Steps in which the library of a job is not there yet.
BY_CPU = "by the CPU provider: "


class Records:
    """The file of records, as the worker writes it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8")

    def __enter__(self) -> Records:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def write(self, record: str, **values: object) -> None:
        """Writes one record; it is on disk when this returns."""
        self._file.write(json.dumps({"record": record, **values}) + "\n")
        self._file.flush()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Says that ``name`` begins and, unless it raises or kills the process, that it ended."""
        self.write("begin", step=name)
        yield
        self.write("end", step=name)


def parse(text: str) -> list[dict[str, object]]:
    """The records of a file; a last line cut short by a crash is left out."""
    records = []
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            records.append(record)
    return records
