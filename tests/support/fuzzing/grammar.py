"""Random blueprints out of the shape itself, so that a new key of the format comes in by itself.

What may well be right for a key is in `LIKELY`; a key that is not there gets what its type says.
"""

from __future__ import annotations

import random
import re
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from random_expressions import random_op
from ruamel.yaml import YAML

from epforge.blueprint import BlueprintErrors, parse
from epforge.blueprint.scalars import Choice
from epforge.blueprint.shape import BlueprintShape
from epforge.blueprint.words import TYPES
from epforge.ops import families
from epforge.resolve import analyse

Chance = random.Random
Tree = Any  # dicts, lists, str (quoted where it has to be) and Plain


class Plain(str):
    """A scalar that is written as it is, without quotes."""


_OPS = tuple(row.op if not row.domain else f"{row.domain}::{row.op}" for row in families.rows())
_WORDS = (
    *("acme", "npu", "x", "a1", "turbo-9", "Contoso", "under_score", "Ünïcode", "日本", "class"),
    *("CON", "onnxruntime", "A" * 300, "a b", "a/b", "../up", "{{ name }}", "<% x %>", "${HOME}"),
    *('"', "'", "\\", "\n", "#", "*/", "//", 'R"(x)"', "%s", "", " ", "0", "-1", "true", "null"),
)
_NUMBERS = ("0", "1", "-1", "2", "7", "80", "255", "65535", "4294967295", "9223372036854775807")
_ODD_NUMBERS = ("0x10", "0o17", "1e3", "1.5", ".5", "-0", "1_000", "0b1", "1" * 60, "1e999", ".nan")

# Key (SHAPE.FIELD) -> texts that may well be right.
LIKELY: Mapping[str, tuple[str, ...]] = {
    "BlueprintShape.name": ("acme-npu", "fuzz", "turbo-9", "a1"),
    "BlueprintShape.version": ("0.1.0", "1.30", "1.0.0-rc.1", "2.0.0+build.5", "10.20.30"),
    "BlueprintShape.license": ("Apache-2.0", "MIT", "LicenseRef-Acme", "GPL-3.0-or-later"),
    "BlueprintShape.runtime_libs": ("libvendor.so", "vendor/libdriver.so.1", "vendor.dll"),
    "BlueprintShape.system_libs": ("libdriver.so.1", "libcuda.so.1"),
    "NamesShape.ep": ("AcmeExecutionProvider", "FuzzExecutionProvider"),
    "NamesShape.library": ("acme_ep", "onnxruntime_ep_fuzz"),
    "NamesShape.distribution": ("onnxruntime-ep-acme", "acme.ep"),
    "VendorShape.name": ("Acme", "Acme & Söhne GmbH", "O'Neill", 'The "Best"', "日本電気"),
    "OrtShape.min": ("1.24.4", "1.25", "1.26.0"),
    "OrtShape.target": ("1.24", "1.26", "1.27", "1.30", "1.32"),
    "DeviceShape.name": ("npu", "gpu0", "cpu"),
    "OpShape.op": _OPS,
    "OpShape.models": ("13", "13-20", ">=13", ">=13,<20", ">=7"),
    "CompileShape.also_kernels": ("Cast", "Relu", "Add"),
    "PatternShape.name": ("MulAdd", "Fused", "Block"),
    "PatternShape.match": ("Mul", "Add", "Relu", "MatMul"),
    "OptionShape.name": ("effort", "auto", "cache_dir", "log.level", "scale", "mode"),
    "OptionShape.excludes": ("effort", "auto", "mode"),
    "OptionShape.choices": ("fast", "exact", "warning", "info"),
    "OptionShape.range": ("0", "1", "3", "-5", "0.5", "100"),
    "OptionShape.default": ("0", "1", "true", "false", "fast", "0.5", ""),
    "OptionShape.doc": ("Effort of the compiler.", 'Says "yes" | \\ <b>&amp; `x`.', "Zeile\nzwei"),
    "DistributionShape.suffix": ("", "-cu13", "-lite"),
    "PythonShape.min": ("3.11", "3.12", "3.13"),
    "MatchShape.device_ids": ("0x1001", "1", "4097"),
    "CudaShape.architectures": ("80", "90", "86", "75"),
    "TorchShape.legacy": ("17", "16"),
    "TorchShape.dynamo": ("18", "20"),
    "OverlayShape.source": ("./house", "../house", "/etc", "python:os/x"),
    "OverlayShape.templates": ("./templates", "/", "python:epforge/templates"),
    "OverlayShape.header": ("./header.txt", "/etc/passwd", "/dev/zero", "python:json/x"),
}


def blueprint(chance: Chance, *, odd: float = 0.0) -> Tree:
    """A blueprint as a tree.

    Args:
        odd: how often a value is something strange, from 0 to 1.
    """
    return Grammar(chance, odd).root()


class Grammar:
    """Draws values of the shape's types."""

    def __init__(self, chance: Chance, odd: float) -> None:
        self._chance = chance
        self._odd = odd

    def root(self) -> dict[str, Tree]:
        """Required keys, and a few of the others. Something to compute is nearly always there."""
        wanted = self._chance.randrange(0, 6)
        optional = [k for k, f in BlueprintShape.model_fields.items() if not f.is_required()]
        # An overlay is a folder that is not there; it ends most cases early.
        optional = [key for key in optional if key != "overlays" or self._chance.random() < 0.1]
        keys = set(self._chance.sample(optional, min(wanted, len(optional))))
        if self._chance.random() < 0.9:
            keys.add("ops")
        return self.shape(BlueprintShape, keys)

    def shape(self, shape: type[BaseModel], keys: set[str] | None = None) -> dict[str, Tree]:
        """A mapping with the keys of ``shape``: the required ones, and some of the others."""
        tree: dict[str, Tree] = {}
        for key, field in shape.model_fields.items():
            wanted = key in keys if keys is not None else self._chance.random() < 0.4
            if field.is_required() or wanted:
                tree[key] = self._field(shape, key, field)
        if self._strange():
            tree[self._chance.choice((*_WORDS, "nmae", "op", "types"))] = self._anything()
        return tree

    def _field(self, shape: type[BaseModel], key: str, field: FieldInfo) -> Tree:
        if shape is BlueprintShape and key == "epforge":
            return Plain("1" if not self._strange() else self._chance.choice(_NUMBERS))
        if shape is BlueprintShape and key == "custom_ops" and self._chance.random() < 0.6:
            return self._custom_ops()
        likely = LIKELY.get(f"{shape.__name__}.{key}", ())
        return self.value(field.annotation, tuple(field.metadata), likely)

    def _custom_ops(self) -> list[Tree]:
        """Operators of one's own whose expressions are right."""
        count = self._chance.randrange(1, 3)
        text = "".join(random_op(f"Own{index}", self._chance) for index in range(count))
        return _quoted(YAML(typ="safe", pure=True).load(text))

    def value(self, annotation: Any, metadata: tuple[Any, ...], likely: tuple[str, ...]) -> Tree:
        """A value of a type.

        Args:
            metadata: what the annotation was annotated with.
            likely: texts to choose from.
        """
        if self._strange():
            return self._anything()
        annotation, more = _bare(annotation)
        metadata = (*metadata, *more)
        choice = next((each for each in metadata if isinstance(each, Choice)), None)
        if choice is not None:
            return Plain(self._chance.choice(choice.words))
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is tuple:
            size = self._size()
            return [self.value(arguments[0], (), likely) for _ in range(size)]
        reader = _reader(metadata)
        if origin is dict or reader == "read_computes":
            inner = arguments[1] if arguments else str
            return {self._key(): self.value(inner, (), likely) for _ in range(self._size())}
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return self.shape(annotation)
        return self._leaf(reader, likely)

    def _leaf(self, reader: str, likely: tuple[str, ...]) -> Tree:
        chance = self._chance
        if reader == "read_flag":
            return Plain(chance.choice(("true", "false")))
        if reader == "read_int":
            return Plain(chance.choice(likely or _NUMBERS))
        if reader == "read_raw_or_list" and chance.random() < 0.3:
            return [Plain(chance.choice(_NUMBERS)) for _ in range(self._size())]
        if reader in ("read_raw", "read_raw_or_list"):
            return Plain(text) if (text := chance.choice(likely or _NUMBERS)) else text
        return chance.choice(likely or _WORDS)

    def _anything(self) -> Tree:
        chance = self._chance
        match chance.randrange(8):
            case 0:
                return [self._anything() for _ in range(chance.randrange(3))]
            case 1:
                return {self._key(): self._anything() for _ in range(chance.randrange(3))}
            case 2:
                return Plain(chance.choice(_ODD_NUMBERS))
            case 3:
                return Plain("")
            case 4:
                return chance.choice(_OPS)
            case 5:
                return Plain(chance.choice(_NUMBERS))
            case _:
                return chance.choice(_WORDS)

    def _key(self) -> str:
        return self._chance.choice(("T", "T1", "x", "y", "a", "driver", *TYPES[:3], *_WORDS[:6]))

    def _size(self) -> int:
        return self._chance.choice((0, 1, 1, 2, 2, 3, 5) if self._odd else (1, 1, 2, 2, 3, 6))

    def _strange(self) -> bool:
        return self._chance.random() < self._odd


def _bare(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """An annotation without Annotated and ``| None``, and what it was annotated with."""
    found: tuple[Any, ...] = ()
    while True:
        origin = typing.get_origin(annotation)
        if origin is typing.Annotated:
            annotation, *more = typing.get_args(annotation)
            found = (*found, *more)
        elif origin in (typing.Union, types.UnionType):
            rest = [arg for arg in typing.get_args(annotation) if arg is not types.NoneType]
            annotation = rest[0]
        else:
            return annotation, found


def _reader(metadata: tuple[Any, ...]) -> str:
    """The name of the function that reads a scalar; empty where there is none."""
    for each in metadata:
        function: Callable[..., Any] | None = getattr(each, "func", None)
        name = getattr(function, "__name__", "")
        if name.startswith("read_"):
            return str(name)
    return ""


def _quoted(tree: Any) -> Tree:
    """What another reader of YAML has read, as a tree: its numbers are plain."""
    if isinstance(tree, dict):
        return {str(key): _quoted(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_quoted(value) for value in tree]
    if isinstance(tree, bool):
        return Plain(str(tree).lower())
    return tree if isinstance(tree, str) else Plain(str(tree))


# ---- trees that are right ----

# What goes together: without it most services and devices would have nothing to do.
_TOGETHER: tuple[Mapping[str, Tree], ...] = (
    {},
    {},
    {"paradigm": Plain("compiled")},
    {"paradigm": Plain("virtual")},
    {"memory": {"default": Plain("plain"), "streams": Plain("true")}},
    {"memory": {"default": Plain("arena"), "streams": Plain("true")}, "runtime": Plain("cuda")},
    {"paradigm": Plain("compiled"), "memory": {"default": Plain("arena")}},
)
_USUAL: Mapping[str, Tree] = {"epforge": Plain("1"), "name": "acme-npu", "vendor": "Acme"}
_MOST_ROUNDS = 12


def right(chance: Chance) -> Tree:
    """A blueprint that is right: what is found wrong with it is taken out, entry by entry."""
    tree: dict[str, Tree] = {**Grammar(chance, 0.0).root(), **chance.choice(_TOGETHER)}
    if chance.random() < 0.7:
        low, high = chance.choice((("1.24.4", "1.27"), ("1.25", "1.32"), ("1.24.4", "1.32")))
        tree["ort"] = {"min": low, "target": high}
    for _ in range(_MOST_ROUNDS):
        lines, places = _by_entry(tree)
        try:
            analysis = analyse(parse("".join(f"{line}\n" for line in lines)))
            wrong = {d.line for d in (*analysis.errors, *analysis.unsupported)}
        except BlueprintErrors as error:
            wrong = {d.line for d in error.diagnostics}
        if not wrong:
            break
        for key, index in sorted((places[n - 1] for n in wrong if n <= len(places)), reverse=True):
            _take_out(tree, key, index, chance)
    return tree


def _by_entry(tree: Mapping[str, Tree]) -> tuple[list[str], list[tuple[str, Tree]]]:
    """The tree with an entry on each line, and whose line it is: a key, and what is in it."""
    lines, places = [], []
    for key, value in tree.items():
        places.append((key, ""))
        if isinstance(value, dict | list) and value:
            lines.append(f"{key}:")
            inner = value.items() if isinstance(value, dict) else enumerate(value)
            for each, below in inner:
                lead = f"{_scalar(each)}:" if isinstance(value, dict) else "-"
                lines.append(f"  {lead} {_flow(below)}")
                places.append((key, str(each)))
        else:
            lines.append(f"{key}: {_flow(value)}")
    return lines, places


def _take_out(tree: dict[str, Tree], key: str, inner: str, chance: Chance) -> None:
    value = tree.get(key)
    if key in _USUAL:
        tree[key] = _USUAL[key]
    elif isinstance(value, list) and inner.isdigit() and len(value) > 1:
        del value[int(inner) : int(inner) + 1]
    elif isinstance(value, dict) and inner in value and chance.random() < 0.8:
        value = {each: below for each, below in value.items() if each != inner}
        tree[key] = value
        if not value:
            del tree[key]
    elif key in tree:
        del tree[key]


# ---- a tree as text ----


def written(tree: Tree, chance: Chance) -> str:
    """The tree as YAML, in blocks or in one line, at random."""
    return "".join(f"{line}\n" for line in _block(tree, chance))


def _block(tree: Tree, chance: Chance) -> list[str]:
    lines = []
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            lines += _entry(f"{_scalar(key)}:", value, chance)
    elif isinstance(tree, list) and tree:
        for value in tree:
            lines += _entry("-", value, chance)
    else:
        lines.append(_flow(tree))
    return lines


def _entry(lead: str, value: Tree, chance: Chance) -> list[str]:
    if isinstance(value, dict | list) and value and chance.random() < 0.6:
        return [lead, *(f"  {line}" for line in _block(value, chance))]
    return [f"{lead} {_flow(value)}".rstrip()]


def _flow(tree: Tree) -> str:
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{_scalar(k)}: {_flow(v)}" for k, v in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(_flow, tree)) + "]"
    return _scalar(tree)


def _scalar(text: str) -> str:
    if isinstance(text, Plain) and re.fullmatch(r"[\w.+-]*", text):
        return str(text)
    inside = "".join(
        char if char.isprintable() and char not in '"\\' else f"\\U{ord(char):08X}" for char in text
    )
    return f'"{inside}"'
