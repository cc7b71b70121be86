"""YAML events to a tree of nodes, with positions and within bounds.

ruamel.yaml scans and parses (YAML 1.2); the tree is composed here, event by event, so that the
bounds hold before anything is built: a file of anchors or brackets costs what was read of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.reader import Reader

from epforge.blueprint.diagnostic import BlueprintErrors, Diagnostic, Fix, Span, show
from epforge.blueprint.nodes import Node, Scalar, Sequence, Table
from epforge.blueprint.text import SourceText

if TYPE_CHECKING:
    from epforge.blueprint.slips.model import Slip

MAX_DEPTH = 32
MAX_NODES = 20_000  # aliases count as often as they are used
MAX_ALIASES = 200
_CURLY = "“„‘‚«"
_SLIPS_UP_TO = 100_000  # characters up to where the reader stops; each reading costs its time

_TAG = "tag:yaml.org,2002:"
_SCALAR_TAGS = {f"{_TAG}{name}" for name in ("str", "int", "float", "bool")}


def compose(source: SourceText, *, tells_slips: bool = True) -> tuple[Table, list[Diagnostic]]:
    """The tree of a blueprint.

    Args:
        source: its text.
        tells_slips: look for what was meant where the text is none.

    Returns:
        The root mapping, and the errors that leave a tree: duplicate keys, tags, merge keys.

    Raises:
        BlueprintErrors: the text is not YAML, is not one mapping, or exceeds a bound. Errors found
            before that point are in it too.
    """
    return _Composer(source, tells_slips).run()


@dataclass
class _Open:
    """A collection whose end has not been seen."""

    table: bool
    start: int
    anchor: str | None
    flow: bool = False
    size: int = 1  # nodes in it, aliases expanded
    height: int = 0  # levels below it
    key: Scalar | None = None
    entries: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, Scalar] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    expects_key: bool = True
    merges: bool = False  # the value to come is that of a merge key
    merged: dict[str, tuple[Scalar, Node]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Anchored:
    node: Node
    size: int
    height: int


def _said(node: Node) -> object:
    """What a node says, without its place."""
    if isinstance(node, Scalar):
        return (node.text, node.quoted)
    if isinstance(node, Sequence):
        return [_said(item) for item in node.items]
    return {key: _said(child) for key, child in node.entries.items()}


def _slips() -> ModuleType:
    """What is told of slips; imported where there is one."""
    from epforge.blueprint.slips import told

    return told


class _Reader(Reader):
    """A reader that remembers how far it came when it is put away."""

    reached = 0

    def reset_reader(self) -> None:
        self.reached = getattr(self, "index", 0)
        super().reset_reader()


class _Composer:
    def __init__(self, source: SourceText, tells_slips: bool) -> None:
        self.source = source
        self.tells_slips = tells_slips
        self.errors: list[Diagnostic] = []
        self.stack: list[_Open] = []
        self.anchors: dict[str, _Anchored | None] = {}  # None: still open
        self.root: Node | None = None
        self.nodes = 0
        self.aliases = 0
        self.again: list[tuple[int, _Open, Scalar]] = []  # keys that are there: their errors
        self.alike: set[int] = set()  # errors of those whose value is the same

    def run(self) -> tuple[Table, list[Diagnostic]]:
        documents = 0
        for event in self._events():
            name = type(event).__name__
            if name == "DocumentStartEvent":
                documents += 1
                self._document(event, documents)
            elif name == "AliasEvent":
                self._alias(event)
            elif name == "ScalarEvent":
                self._scalar(event)
            elif name in ("MappingStartEvent", "SequenceStartEvent"):
                self._open(event, name == "MappingStartEvent")
            elif name in ("MappingEndEvent", "SequenceEndEvent"):
                self._close(event)
        return self._result()

    def _result(self) -> tuple[Table, list[Diagnostic]]:
        if not isinstance(self.root, Table):
            empty = self.root is None or (isinstance(self.root, Scalar) and self.root.empty)
            what = "the blueprint is empty" if empty else "the blueprint is not a mapping"
            place = self.root.span if self.root else self.source.span(0, 0)
            expected = "a mapping of keys to values, such as 'epforge: 1'"
            is_word = isinstance(self.root, Scalar) and len(self.root.text.split()) < 2
            is_long = len(self.source.text) > _SLIPS_UP_TO // 10
            meant = None if empty or is_word or is_long else self._find_slip(0)
            self._fatal(place, "not-a-mapping", what, expected, *_slips().hint_and_fix(meant))
        if any(error.code in ("merge-key", "duplicate-key") for error in self.errors):
            from epforge.blueprint.mending.merges import mend

            mend(self.errors, self.alike, self.source, self.root)
        return self.root, self.errors

    def _events(self) -> Iterator[Any]:
        yaml = YAML(typ="safe", pure=True)
        yaml.Reader = _Reader
        try:
            yield from yaml.parse(self.source.text)
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            offset = mark.index if mark else 0
            self._slip(offset)
            problem = " ".join(str(error.problem or error.context or "it cannot be read").split())
            span = self.source.span(offset, offset + 1)
            hint = _slips().hint_of(problem)
            self._fatal(span, "yaml-syntax", f"not valid YAML: {problem}", "", hint)
        except Exception:
            # ruamel.yaml has input that ends in a bare ValueError, IndexError or AssertionError.
            # Whatever it is, the text is at fault, and where the reader stopped says where.
            stop = yaml.reader.reached
            self._slip(stop)
            place = self.source.span(stop, stop + 1)
            self._fatal(place, "yaml-syntax", "not valid YAML: it cannot be read from here on")

    def _slip(self, stop: int) -> None:
        """Tells the mistake that keeps the text from being YAML, where it is a known one."""
        told = self._find_slip(stop)
        if told is not None:
            self.errors.append(told)
            raise BlueprintErrors(self.errors, self.source.text)

    def _find_slip(self, stop: int) -> Diagnostic | None:
        # Imported here: what is right needs nothing of it.
        from epforge.blueprint.slips import find
        from epforge.blueprint.slips.reading import score

        wanted = self.tells_slips and stop <= _SLIPS_UP_TO
        slip = find(self.source.text, stop, score) if wanted else None
        return _slips().told(self.source, slip) if slip is not None else None

    def _document(self, event: Any, number: int) -> None:
        if number > 1:
            span, sign = _slips().end_of_document(self.source, event)
            start = self.source.offset(span.line, span.column)
            fix = _slips().without_line(self.source, start, sign)
            what = f"a second document starts {'here' if sign == '---' else 'behind this'}"
            hint = f"delete the '{sign}' line"
            self._fatal(span, "many-documents", what, "one document", hint, fix)
        if event.tags:
            span = self.source.span(0, 1)
            self._fatal(span, "directive", "%TAG directives are not allowed", "", "delete it")
        if event.version is not None and tuple(event.version) != (1, 2):
            span = self.source.span(0, 1)
            self._fatal(span, "directive", "a blueprint is YAML 1.2", "no %YAML directive, or 1.2")

    def _scalar(self, event: Any) -> None:
        span = self._trimmed(event.start_mark.index, event.end_mark.index)
        quoted = event.style is not None
        tag = str(event.tag) if event.tag else ""
        if tag in ("!", f"{_TAG}str"):
            quoted = True
        elif tag in _SCALAR_TAGS:
            quoted = False
        elif tag:
            self._tag_error(span, tag, event.start_mark.index)
        value = event.value
        if not quoted and value and self._check_plain(event) is not None:
            value, quoted = value[1:-1], True
        elif not quoted and value and value[-1] in ",;" and not tag:
            value = self._without_end(event, value)
        self._count(1, span)
        if not value and not quoted and self.stack:
            # A value that is not there is shown by its key, or its dash.
            key = self.stack[-1].key
            span = key.span if key else _slips().dash_before(self.source, span)
        self._add(Scalar(value, quoted, span), event.anchor, 1, 0)

    def _check_plain(self, event: Any) -> Slip | None:
        """What a text without quotes cannot be meant to be."""
        start, end = event.start_mark.index, event.end_mark.index
        if event.value[0] not in _CURLY and "\n" not in self.source.text[start:end].rstrip():
            return None
        from epforge.blueprint.slips.plain import check_plain

        top = self.stack[-1] if self.stack else None
        in_list = top is not None and not top.table
        is_free = top is not None and top.key is not None and top.key.text == "doc"
        slip = check_plain(self.source.text, start, end, in_list=in_list) if not is_free else None
        if slip is not None:
            self.errors.append(_slips().told(self.source, slip))
        if slip is not None and in_list:
            raise BlueprintErrors(self.errors, self.source.text)  # what is an item, is not known
        return slip

    def _without_end(self, event: Any, value: str) -> str:
        """A value without the comma that ends its line."""
        from epforge.blueprint.slips.plain import stray_end

        top = self.stack[-1] if self.stack else None
        if top is None or top.flow or (top.table and top.key is None):
            return value
        start = event.start_mark.index
        ended = stray_end(self.source.text, start, value, top.key.text if top.key else None)
        if ended is None:
            return value
        error = _slips().told(self.source, ended[1])
        self.errors.append(replace(error, code="stray-comma", message=ended[1].message))
        return ended[0]

    def _open(self, event: Any, table: bool) -> None:
        span = self._span(event)
        tag = str(event.tag) if event.tag else ""
        if tag and tag != f"{_TAG}{'map' if table else 'seq'}":
            self._tag_error(span, tag, event.start_mark.index)
        if len(self.stack) >= MAX_DEPTH:
            what = "the blueprint is nested too deeply"
            self._fatal(span, "too-deep", what, f"at most {MAX_DEPTH} levels")
        self._refuse_key(span)
        self._count(1, span)
        if event.anchor:
            self.anchors[event.anchor] = None
        flow = bool(event.flow_style)
        self.stack.append(_Open(table, event.start_mark.index, event.anchor, flow))

    def _close(self, event: Any) -> None:
        top = self.stack.pop()
        span = self._trimmed(top.start, event.end_mark.index)
        for name, (key, node) in top.merged.items():
            if name not in top.entries:
                top.entries[name], top.keys[name] = node, key
        table, items = Table(top.entries, top.keys, span), Sequence(tuple(top.items), span)
        self._add(table if top.table else items, top.anchor, top.size, top.height)

    def _alias(self, event: Any) -> None:
        span = self._span(event)
        self.aliases += 1
        if self.aliases > MAX_ALIASES:
            self._fatal(span, "too-many-aliases", "too many aliases", f"at most {MAX_ALIASES}")
        if event.anchor not in self.anchors:
            what = f"there is no anchor {show('&' + event.anchor)} before this alias"
            keys = [box.key.text for box in self.stack if box.key]
            hint, fix = _slips().alias_meant(self.source, span, event.anchor, self.anchors, keys)
            self._fatal(span, "unknown-alias", what, "", hint, fix)
        target = self.anchors[event.anchor]
        if target is None:
            what = f"the alias {show('*' + event.anchor)} is inside the node it stands for"
            self._fatal(span, "alias-cycle", what)
        self._count(target.size, span)
        if len(self.stack) + target.height >= MAX_DEPTH:
            what = "the alias nests the blueprint too deeply"
            self._fatal(span, "too-deep", what, f"at most {MAX_DEPTH} levels")
        if not isinstance(target.node, Scalar):
            self._refuse_key(span)
        self._add(target.node, None, target.size, target.height)

    def _add(self, node: Node, anchor: str | None, size: int, height: int) -> None:
        if anchor:
            self.anchors[anchor] = _Anchored(node, size, height)
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        top.size += size
        top.height = max(top.height, height + 1)
        if not top.table:
            top.items.append(node)
        elif top.expects_key:
            assert isinstance(node, Scalar)  # _refuse_key has seen to it
            self._key(top, node)
        else:
            self._value(top, node)

    def _key(self, top: _Open, key: Scalar) -> None:
        top.expects_key = False
        top.key = key
        if key.text == "<<" and not key.quoted:
            top.key, top.merges = None, True
            what = "merge keys (<<) are not part of YAML 1.2"
            self._error(key.span, "merge-key", what, "", "write the keys out, or alias each value")
        elif key.text in top.keys:
            top.key = None
            first = top.keys[key.text].span
            what = f"key {show(key.text)} is written twice; first on line {first.line}"
            self.again.append((len(self.errors), top, key))
            self._error(key.span, "duplicate-key", what, "every key once", "delete one of them")

    def _value(self, top: _Open, node: Node) -> None:
        top.expects_key = True
        # Not allowed, and told; what it says is known, so the rest can be checked.
        for box in reversed(node.items if isinstance(node, Sequence) else (node,)):
            if top.merges and isinstance(box, Table):
                top.merged |= {key: (box.keys[key], box.entries[key]) for key in box.entries}
        if top.merges:
            top.merges = False
            return
        if self.again and self.again[-1][1] is top and top.key is None:
            place, _, key = self.again.pop()
            if _said(node) == _said(top.entries[key.text]):
                told = self.errors[place]
                hint = "delete it: it says the same"
                self.alike.add(place)
                self.errors[place] = replace(told, hint=hint)
        if top.key is not None:
            top.entries[top.key.text] = node
            top.keys[top.key.text] = top.key
        top.key = None

    def _refuse_key(self, span: Span) -> None:
        if self.stack and self.stack[-1].table and self.stack[-1].expects_key:
            start = self.stack[-1].start
            if self.source.text.startswith("{{", start):
                span = self.source.span(start, start + 2)
                what = "a placeholder of a template was left in"
                self._fatal(span, "placeholder", what, "", "write what it stands for")
            what = "a key must be a single word, not a list or a mapping"
            hint = "quote a value that starts with { or ["
            self._fatal(span, "bad-key", what, "a word and a colon", hint)

    def _count(self, nodes: int, span: Span) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            what = "the blueprint has too many values, aliases expanded"
            self._fatal(span, "too-many-nodes", what, f"at most {MAX_NODES}")

    def _tag_error(self, span: Span, tag: str, start: int) -> None:
        what = f"the tag {show(tag.replace(_TAG, '!!'))} is not allowed"
        hint, fix = _slips().tag_meant(self.source, start)
        error = self.source.error(span, "tag", what, "a value without a tag", hint)
        self.errors.append(replace(error, fix=fix))

    def _trimmed(self, start: int, end: int) -> Span:
        """A span without the white space at its end: blocks end where the next token starts."""
        while end > start and self.source.text[end - 1] in " \t\r\n":
            end -= 1
        return self.source.span(start, end)

    def _span(self, event: Any) -> Span:
        return self.source.span(event.start_mark.index, event.end_mark.index)

    def _error(self, span: Span, code: str, what: str, expected: str = "", hint: str = "") -> None:
        self.errors.append(self.source.error(span, code, what, expected, hint))

    def _fatal(
        self,
        span: Span,
        code: str,
        what: str,
        expected: str = "",
        hint: str = "",
        fix: Fix | None = None,
    ) -> NoReturn:
        error = self.source.error(span, code, what, expected, hint)
        self.errors.append(replace(error, fix=fix))
        raise BlueprintErrors(self.errors, self.source.text)
