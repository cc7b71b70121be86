"""Cases of a custom op, from the schema in a manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from epforge.validate.cases.model import NUMPY, UNSIGNED, Ask, Case, Feed, dims

Schema = Mapping[str, Any]  # a manifest's CustomOpClaim in JSON

_SHAPES: tuple[tuple[int, ...], ...] = ((2, 3), (), (1,), (0,), (2, 0, 3), (2, 3, 4, 5), (5, 1031))
_BROADCAST: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((2, 3), (3,)),
    ((3,), (2, 1)),
    ((2, 3), ()),
    ((2, 1, 3), (4, 1)),
    ((2, 0, 3), (1, 3)),
)
_OTHER: Mapping[str, Any] = {
    "int": 2,
    "float": 0.5,
    "string": "other",
    "bool": 1,
    "ints": [1, 2],
    "floats": [0.5, 2.0],
    "strings": ["a", "b"],
}
_MANY = 3  # tensors of a variadic input, beside one


def from_manifest(ask: Ask, schema: Schema) -> Iterator[Case]:
    """The cases of a custom op.

    Of an op that an expression computes whatever broadcasts must do. What shapes and attributes an
    op takes whose kernel somebody has written, nobody knows: there only the first case has to be
    taken, and what the reference refuses does not count.
    """
    basic = schema["kernel"] == "generated"
    needed = {
        each["name"]: _other(each) for each in schema["attributes"] if each["default"] is None
    }
    several = len(schema["inputs"]) > 1
    variadic = any(each["option"] == "variadic" for each in schema["inputs"])
    optional = any(each["option"] == "optional" for each in schema["inputs"])

    def case(
        label: str,
        *shapes: tuple[int, ...],
        attributes: Mapping[str, Any] | None = None,
        **how: Any,
    ) -> Case:
        inputs = _feeds(ask, schema, shapes, **how)
        merged = {**needed, **(attributes or {})}
        return Case(label, inputs, merged, outputs=len(schema["outputs"]), basic=basic)

    first = case(dims(_SHAPES[0]), _SHAPES[0])
    yield Case(first.label, first.inputs, first.attributes, first.outputs)
    for shape in _SHAPES[1:]:
        yield case(dims(shape), shape)
    for shapes in _BROADCAST if several or variadic else ():
        label = " with ".join(map(dims, shapes))
        yield case(label, *shapes, tensors=2 if variadic and not several else 1)
    if optional:
        yield case("optional inputs absent", _SHAPES[0], absent=True)
        yield case("optional inputs absent, (2,3) with (3)", (2, 3), (3,), absent=True)
    if variadic:
        yield case(f"{_MANY} tensors", (2, 3), tensors=_MANY)
        yield case(f"{_MANY} tensors of different shapes", (2, 3), (3,), (), tensors=_MANY)
    for attribute in schema["attributes"]:
        value = _other(attribute)
        label = f"{attribute['name']}={value}"
        yield case(label, _SHAPES[0], attributes={attribute["name"]: value})


def _feeds(
    ask: Ask,
    schema: Schema,
    shapes: Sequence[tuple[int, ...]],
    *,
    absent: bool = False,
    tensors: int = 1,
) -> tuple[Feed | None, ...]:
    """The inputs; those behind the last of the shapes have that, too."""
    feeds: list[Feed | None] = []
    for formal in schema["inputs"]:
        type_ = ask.types.get(formal["type"], formal["type"])
        for _ in range(tensors if formal["option"] == "variadic" else 1):
            if absent and formal["option"] == "optional":
                feeds.append(None)
                continue
            shape = shapes[min(len(feeds), len(shapes) - 1)]
            low = 0 if type_ in UNSIGNED else -3 + len(feeds) / 4
            feeds.append(Feed(ask.array(shape, type_, low, low + 6), type_))
    return tuple(feeds)


def _other(attribute: Mapping[str, Any]) -> Any:
    """A value that is not the default."""
    kind, default = attribute["type"], attribute["default"]
    if kind == "tensor":
        import numpy as np

        return Feed(np.ones((1,), np.float32), "float32", True)
    if default is None:
        return _OTHER[kind]
    if kind in ("int", "float"):
        return default + 1
    return 1 - int(default) if kind == "bool" else _OTHER[kind]


def undeclared(schema: Schema) -> Iterator[tuple[str, str]]:
    """(variable, type) for types that are not declared, of variables that can have several: of
    those with one type the runtime refuses the others by itself."""
    for variable, choices in schema["types"].items():
        if len(choices) > 1:
            for type_ in (each for each in NUMPY if each != "string"):
                if type_ not in choices:
                    yield variable, type_
