"""Changes of a blueprint that is not right yet, each as one fix: taking out, putting in, moving.

What cannot be changed without touching more than it should (an anchor, a comment with no place to
go) gives no fix.
"""

from __future__ import annotations

from collections.abc import Sequence as Several

from ruamel.yaml.error import YAMLError

from epforge.blueprint.diagnostic import Fix, Span
from epforge.blueprint.editions.surgery import (
    Found,
    Unsafe,
    carried,
    comments_in,
    goal,
    put_in,
    take_out,
    takes_lines,
)
from epforge.blueprint.edits.insert import into_block_table, into_flow
from epforge.blueprint.edits.layout import Form, Laid, lay_out, value_of
from epforge.blueprint.nodes import Node, Path, Scalar, Sequence, Table
from epforge.blueprint.page import Change, Page, as_fix, insertion
from epforge.blueprint.shape import BlueprintShape
from epforge.blueprint.text import SourceText

_COMMA = ","


class Desk:
    """A blueprint's text, laid out for changes.

    Args:
        source: the text; it is YAML.
        root: its tree. Paths are about the tree, in which some of the text may be left out.
    """

    def __init__(self, source: SourceText, root: Node) -> None:
        self.source = source
        self.page = Page(source.text)
        self._tree = root
        try:
            self._root: Laid | None = lay_out(source)
        except (YAMLError, StopIteration):
            self._root = None

    def at(self, path: Path) -> Laid | None:
        """The node at a path; None where it is not written out there."""
        written = self._written(path)
        node = self._root if written is not None else None
        for step in written or ():
            if node is not None:
                node = node.parts[step] if isinstance(step, int) else value_of(node, step)
        return node

    def _written(self, path: Path) -> Path | None:
        """A path of the tree as one of the text; None where it is not written out there."""
        laid, node, found = self._root, self._tree, list[str | int]()
        for step in path:
            if laid is None:
                return None
            if isinstance(step, int):
                items = node.items if isinstance(node, Sequence) else ()
                if laid.form is not Form.LIST or step >= len(items):
                    return None
                index = self._item(laid, items[step])
                if index is None:
                    return None
                node, laid = items[step], laid.parts[index]
                found.append(index)
            else:
                inner = node.entries.get(step) if isinstance(node, Table) else None
                if laid.form is not Form.TABLE or inner is None:
                    return None
                node, laid = inner, value_of(laid, step)
                if laid is None:
                    return None
                found.append(step)
        return tuple(found)

    def _item(self, laid: Laid, node: Node) -> int | None:
        """Which item of a list a node is; what is not there is in the line of its dash."""
        begin = (node.span.line, node.span.column)
        if isinstance(node, Scalar) and node.empty:
            places = [
                self.source.position(p.start)[0] if p.start == p.end else 0 for p in laid.parts
            ]
            return places.index(begin[0]) if places.count(begin[0]) == 1 else None
        begins = [self.source.position(part.start) for part in laid.parts]
        return begins.index(begin) if begins.count(begin) == 1 else None

    def fix(self, changes: Several[Change]) -> Fix | None:
        """Changes as one."""
        return as_fix(self.source, changes)

    def replaced(self, path: Path, text: str) -> Fix | None:
        """Another text for the value at a path; None where more than one line would go."""
        node = self.at(path)
        if node is None or node.marked or node.form is Form.ALIAS:
            return None
        return self.fix([Change(node.start, node.end, text)])

    def filled(self, path: Path, text: str) -> Fix | None:
        """A value for a key that has none."""
        found = self.found_at(path)
        if found is None or found.value.end > found.value.start or found.value.marked:
            return None
        place = self.page.text.index(":", found.key.end) + 1
        return self.fix([insertion(place, f" {text}")])

    def deleted(self, path: Path) -> Fix | None:
        """The key, or the item of a list, that a path ends in goes. Its comments stay."""
        try:
            if isinstance(path[-1], int):
                return self.fix(self._item_out(path))
            found = self.found_at(path)
            return self.fix(take_out(self.page, found)) if found else None
        except Unsafe:
            return None

    def put(self, path: Path, flow: str) -> Fix | None:
        """A value at keys that are not there, with the tables on the way.

        Args:
            flow: the value, as it is written in brackets.
        """
        try:
            changes = self._put(path, flow)
        except Unsafe:
            return None
        return self.fix(changes) if changes else None

    def moved(self, path: Path, to: Path) -> Fix | None:
        """A key with its value goes to another table."""
        found, target = self.found_at(path), self._target(to)
        if found is None or self._root is None or target is None:
            return None
        if (
            path[:-1] == to[: len(path) - 1]
            and value_of(found.table, str(to[len(path) - 1])) is None
        ):
            return self._wrapped(found, tuple(map(str, to[len(path) - 1 :])))
        try:
            box, keys = goal(self._root, target)
            load = carried(self.page, found, keys[-1], as_lines=takes_lines(box, keys))
            put = put_in(self.page, box, keys, load.lines, load.flow)
            out = take_out(self.page, found, kept=load.left)
        except Unsafe:
            return None
        if any(one.start < two.end and two.start < one.end for one in put for two in out):
            return None
        return self.fix([*put, *out])

    def both(self, one: Fix | None, two: Fix | None) -> Fix | None:
        """Two fixes of different places as one."""
        if one is None or two is None:
            return None
        changes = [
            Change(
                self.source.offset(f.range.line, f.range.column),
                self.source.offset(f.range.end_line, f.range.end_column),
                f.text,
            )
            for f in (one, two)
        ]
        first, second = sorted(changes, key=lambda change: (change.start, change.end))
        return None if second.start < first.end else self.fix(changes)

    def renamed(self, path: Path, key: str, flow: str) -> Fix | None:
        """Another key and another value in the place of one."""
        found = self.found_at(path)
        if found is None or found.value.end < found.key.end:
            return None
        return self.fix(
            [
                Change(found.key.start, found.key.end, key),
                Change(found.value.start, found.value.end, flow),
            ]
        )

    def as_only_item(self, path: Path) -> Fix | None:
        """A table becomes the only item of a list."""
        box = self.at(path)
        if box is None or box.form is not Form.TABLE or box.marked:
            return None
        if box.flow:
            return self.fix([insertion(box.start, "["), insertion(box.end, "]")])
        page, first = self.page, box.parts[0].start
        if page.before(first).strip():
            return None
        changes, place = [insertion(first, "- ")], page.line_end(first)
        while place < box.end:
            start = place + (2 if page.text[place : place + 2] == "\r\n" else 1)
            if page.rest(start).strip():
                changes.append(insertion(start, "  "))
            place = page.line_end(start)
        return self.fix(changes)

    def as_items(self, path: Path, items: Several[str]) -> Fix | None:
        """A table becomes a list of items, each on one line where the keys are. None where there
        are comments between them."""
        box = self.at(path)
        if box is None or box.form is not Form.TABLE or box.marked:
            return None
        start = box.start if box.flow else box.parts[0].start
        if comments_in(self.page, box, start, box.end):
            return None
        if box.flow:
            return self.fix([Change(start, box.end, f"[{', '.join(items)}]")])
        between = f"{self.page.end_of_lines}{self.page.indent(start)}"
        return self.fix([Change(start, box.end, between.join(f"- {item}" for item in items))])

    def _wrapped(self, found: Found, keys: tuple[str, ...]) -> Fix | None:
        """A key with its value becomes one of a table in its place."""
        try:
            load = carried(self.page, found, keys[-1], as_lines=False)
        except Unsafe:
            return None
        if comments_in(self.page, found.table, found.key.start, found.value.end):
            return None
        flow = load.flow
        for key in reversed(keys[1:]):
            flow = f"{{{key}: {flow}}}"
        start, end = found.key.start, found.value.end
        return self.fix([Change(start, end, f"{keys[0]}: {flow}")])

    def without_colon(self, path: Path) -> Fix | None:
        """A key without a value becomes a single value."""
        found = self.found_at(path)
        if found is None or len(found.table.entries) != 1 or found.value.end > found.value.start:
            return None
        place = self.page.text.index(":", found.key.end)
        return self.fix([Change(found.key.end, place + 1, "")])

    def _target(self, path: Path) -> Path | None:
        """The text's path of keys that are not there, below what is."""
        for length in range(len(path), -1, -1):
            written = self._written(path[:length])
            if written is not None:
                rest = path[length:]
                return (*written, *rest) if not any(isinstance(s, int) for s in rest) else None
        return None

    def found_at(self, path: Path) -> Found | None:
        """The key that a path ends in, as it lies in the text; None where it is not written."""
        above: list[tuple[Laid, int | None]] = []
        box = self._root
        path = self._written(path) or ()
        for depth, step in enumerate(path):
            if box is None or box.form is Form.SCALAR or box.form is Form.ALIAS:
                return None
            if isinstance(step, int):
                above.append((box, None))
                box = box.parts[step]
                continue
            names = [key.text for key, _ in box.entries] if box.form is Form.TABLE else []
            if step not in names:
                return None
            index = names.index(step)
            if depth == len(path) - 1:
                return Found(box, index, tuple(above), path)
            above.append((box, index))
            box = box.entries[index][1]
        return None

    def key_again(self, span: Span) -> Fix | None:
        """The key at a place, one that is written twice, goes with its value."""
        for found in self._tables(self._root):
            if self.source.position(found.key.start) == (span.line, span.column):
                try:
                    return self.fix(take_out(self.page, found))
                except Unsafe:
                    return None
        return None

    def _tables(self, box: Laid | None) -> list[Found]:
        if box is None:
            return []
        own = (
            [Found(box, index, (), ()) for index in range(len(box.entries))]
            if (box.form is Form.TABLE)
            else []
        )
        return [*own, *(found for part in box.parts for found in self._tables(part))]

    def _put(self, path: Path, flow: str) -> list[Change]:
        target = self._target(path)
        if self._root is None or target is None or target == self._written(path):
            return []
        box, keys = goal(self._root, target)
        while len(keys) > 1:
            inner = value_of(box, keys[0]) if box.form is Form.TABLE else None
            if inner is None:
                break
            box, keys = inner, keys[1:]
        if box.form is not Form.TABLE or box.marked or value_of(box, keys[0]) is not None:
            raise Unsafe(box.start, box.end)
        for key in reversed(keys[1:]):
            flow = f"{{{key}: {flow}}}"
        entry = f"{keys[0]}: {flow}"
        index = _place(box, keys[0]) if box is self._root else len(box.entries)
        if box.flow:
            quoted = box.entries and self.page.text[box.parts[0].start] == '"'
            return into_flow(self.page, box, index, f'"{keys[0]}": {flow}' if quoted else entry)
        if index == 0:
            indent = self.page.indent(box.parts[0].start)
            return [insertion(box.parts[0].start, f"{entry}{self.page.end_of_lines}{indent}")]
        return into_block_table(self.page, box, index, [entry])

    def _item_out(self, path: Path) -> list[Change]:
        written = self._written(path)
        box, index = self.at(path[:-1]), written[-1] if written else None
        if box is None or box.form is not Form.LIST or not isinstance(index, int):
            return []
        if len(box.parts) < 2 or index >= len(box.parts):
            return []
        item = box.parts[index]
        return self._flow_item(box, index) if box.flow else self._block_item(box, item)

    def _flow_item(self, box: Laid, index: int) -> list[Change]:
        item, text = box.parts[index], self.page.text
        if index:
            before = box.parts[index - 1].end
            if text[before : item.start].strip() != _COMMA:
                raise Unsafe(item.start, item.end)
            return [Change(before, item.end, "")]
        behind = box.parts[1].start
        if text[item.end : behind].strip() != _COMMA:
            raise Unsafe(item.start, item.end)
        return [Change(item.start, behind, "")]

    def _block_item(self, box: Laid, item: Laid) -> list[Change]:
        page = self.page
        start, end = page.line_start(item.start), page.line_end(item.end)
        before = page.text[start : item.start]
        if before.strip() != "-":
            raise Unsafe(item.start, item.end)
        comments = [
            line.partition("#")[2] for line in page.text[start:end].splitlines() if " #" in line
        ]
        if comments:
            raise Unsafe(item.start, item.end)
        behind = page.text[end : end + 2]
        return [Change(start, end + (2 if behind == "\r\n" else min(1, len(behind))), "")]


def _place(root: Laid, key: str) -> int:
    """Where a key goes at the top: behind the last of those that come before it in the format."""
    order = list(BlueprintShape.model_fields)
    ranks = [order.index(name.text) if name.text in order else -1 for name, _ in root.entries]
    mine = order.index(key) if key in order else len(order)
    before = [place for place, rank in enumerate(ranks) if -1 < rank < mine]
    return before[-1] + 1 if before else 0
