"""Which lines two texts share, in order."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

# A search that needs more edits than this is given up: the texts are then as good as unrelated.
_MAX_EDITS = 500


def matching(one: Sequence[bytes], other: Sequence[bytes]) -> list[int]:
    """For each line of ``one`` the index of the line of ``other`` it is matched to, or -1.

    The indices ascend. Lines that are unique in both texts anchor the rest, so that a change is
    seen where a reader would see it; between the anchors the fewest edits count.
    """
    found = [-1] * len(one)
    todo = [(0, len(one), 0, len(other))]
    while todo:
        start, end, low, high = todo.pop()
        while start < end and low < high and one[start] == other[low]:
            found[start] = low
            start, low = start + 1, low + 1
        while start < end and low < high and one[end - 1] == other[high - 1]:
            end, high = end - 1, high - 1
            found[end] = high
        if start == end or low == high:
            continue
        anchors = _anchors(one, other, start, end, low, high)
        if not anchors:
            for i, j in _fewest_edits(one[start:end], other[low:high]):
                found[start + i] = low + j
            continue
        for i, j in anchors:
            found[i] = j
            todo.append((start, i, low, j))
            start, low = i + 1, j + 1
        todo.append((start, end, low, high))
    return found


def _anchors(
    one: Sequence[bytes], other: Sequence[bytes], start: int, end: int, low: int, high: int
) -> list[tuple[int, int]]:
    """The longest ascending run of lines that both ranges have exactly once."""
    ours, theirs = Counter(one[start:end]), Counter(other[low:high])
    places = {line: j for j in range(low, high) if theirs[line := other[j]] == 1}
    pairs = [
        (i, places[line]) for i in range(start, end) if ours[line := one[i]] == 1 and line in places
    ]
    tops: list[int] = []  # the smallest end of a run of each length
    ends: list[int] = []  # which pair that is
    previous: list[int] = []
    for index, (_, j) in enumerate(pairs):
        length = bisect_left(tops, j)
        previous.append(ends[length - 1] if length else -1)
        tops[length : length + 1] = [j]
        ends[length : length + 1] = [index]
    run = []
    index = ends[-1] if ends else -1
    while index >= 0:
        run.append(pairs[index])
        index = previous[index]
    return run[::-1]


def _fewest_edits(one: Sequence[bytes], other: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """The matches of a shortest edit script (E. Myers, 1986), last first."""
    furthest = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(one) + len(other), _MAX_EDITS) + 1):
        trace.append(dict(furthest))
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and furthest[k - 1] < furthest[k + 1])
            i = furthest[k + 1] if down else furthest[k - 1] + 1
            while i < len(one) and i - k < len(other) and one[i] == other[i - k]:
                i += 1
            furthest[k] = i
            if i >= len(one) and i - k >= len(other):
                return _walk_back(trace, len(one), len(other))
    return iter(())


def _walk_back(trace: list[dict[int, int]], i: int, j: int) -> Iterator[tuple[int, int]]:
    """The matches on the path that ``trace`` recorded."""
    for edits in range(len(trace) - 1, -1, -1):
        furthest = trace[edits]
        k = i - j
        down = k == -edits or (k != edits and furthest[k - 1] < furthest[k + 1])
        before = furthest[k + 1] if down else furthest[k - 1]
        target = (before, before - (k + 1)) if down else (before, before - (k - 1))
        after = (target[0], target[1] + 1) if down else (target[0] + 1, target[1])
        if edits == 0:
            after = (0, 0)
        while (i, j) != after:
            i, j = i - 1, j - 1
            yield i, j
        i, j = target
