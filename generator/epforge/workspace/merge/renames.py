"""Which file was moved where: by content, the same with every engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from epforge.workspace.merge.layout import is_binary, plain

_PERCENT = 50  # what two files must share to be one that was moved
_MOST_PAIRS = 20_000  # beyond, only files of one name are compared


def moves(gone: Mapping[str, bytes], added: Mapping[str, bytes]) -> dict[str, str]:
    """Old path -> new path of the files of ``gone`` that are found again in ``added``.

    Files of the same content come first, then those that share at least half of their lines, by
    size, the most alike first; blanks around a line do not count. Empty files are never moved.
    """
    same = _pair(_same_content(gone, added))
    left = {path: content for path, content in gone.items() if path not in same}
    taken = set(same.values())
    alike = _alike(left, {path: text for path, text in added.items() if path not in taken})
    return same | _pair(alike)


def _pair(scored: Iterator[tuple[int, str, str]]) -> dict[str, str]:
    """Takes the best pairs first; of equals those that keep their name, then the first."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    order = sorted(scored, key=lambda row: (-row[0], _name(row[1]) != _name(row[2]), row[1:]))
    for _, old, new in order:
        if old not in found and new not in taken:
            found[old] = new
            taken.add(new)
    return found


def _same_content(
    gone: Mapping[str, bytes], added: Mapping[str, bytes]
) -> Iterator[tuple[int, str, str]]:
    by_content: dict[bytes, list[str]] = {}
    for new, content in added.items():
        by_content.setdefault(plain(content), []).append(new)
    for old, content in gone.items():
        text = plain(content)
        for new in by_content.get(text, ()) if text else ():
            yield _shared_folders(old, new), old, new


def _alike(gone: Mapping[str, bytes], added: Mapping[str, bytes]) -> Iterator[tuple[int, str, str]]:
    only_names = len(gone) * len(added) > _MOST_PAIRS
    for old, content in gone.items():
        if is_binary(content):
            continue
        lines = _weights(content)
        for new, text in added.items():
            if only_names and _name(old) != _name(new):
                continue
            if share := _likeness(lines, text):
                yield share, old, new


def _likeness(lines: Counter[bytes], text: bytes) -> int:
    """How much a text and one of these lines have in common, in percent; 0 if less than half."""
    size = lines.total()
    # Cheap, and turns most away: at best it has each of these lines as often as needed.
    at_best = sum(lines[line] for line in lines.keys() & set(_lines(text)))
    if at_best * 100 < size * _PERCENT or is_binary(text):
        return 0
    others = _weights(text)
    share = (lines & others).total() * 100 // max(size, others.total(), 1)
    return share if share >= _PERCENT else 0


def _lines(content: bytes) -> Iterator[bytes]:
    return map(bytes.strip, plain(content).split(b"\n"))


def _weights(content: bytes) -> Counter[bytes]:
    """The lines of a text; each counts as many times as it has bytes, over all its occurrences."""
    weights: Counter[bytes] = Counter()
    for line in _lines(content):
        weights[line] += len(line)
    return weights


def _shared_folders(one: str, other: str) -> int:
    """How many folders next to the file two paths have in common."""
    mine, yours = one.split("/")[-2::-1], other.split("/")[-2::-1]
    count = 0
    for left, right in zip(mine, yours, strict=False):
        if left != right:
            break
        count += 1
    return count


def _name(path: str) -> str:
    return path.rpartition("/")[2]
