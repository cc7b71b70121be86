"""How a custom operator is called from Python: names, types and order of its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from epforge.literals import py_value
from epforge.names import Identifier, Safe
from epforge.ops.model import DType
from epforge.plan.torch_names import parameter
from epforge.resolve.services import CustomAttribute, CustomOp, CustomParameter

_WIDTH = 100
FLOATS = frozenset({DType.FLOAT32, DType.FLOAT64, DType.FLOAT16, DType.BFLOAT16})
#: Element types that PyTorch has tensors of, but next to no arithmetic.
_NO_ARITHMETIC = frozenset({DType.UINT16, DType.UINT32, DType.UINT64})

_SCHEMA_TYPES = {
    "int": "int", "float": "float", "bool": "bool", "string": "str",
    "ints": "int[]", "floats": "float[]", "strings": "str",
}  # fmt: skip
_PYTHON_TYPES = {
    "int": "int", "float": "float", "bool": "bool", "string": "str", "ints": "Sequence[int]",
    "floats": "Sequence[float]", "strings": "Sequence[str]", "tensor": "Tensor",
}  # fmt: skip
_TENSOR_TYPES = {"single": "Tensor", "optional": "Tensor | None", "variadic": "Sequence[Tensor]"}
_SCHEMA_TENSORS = {"single": "Tensor", "optional": "Tensor?", "variadic": "Tensor[]"}
_SHAPE_TYPES = {"single": "Shape", "optional": "Shape | None", "variadic": "Sequence[Shape]"}


def call(
    start: str, arguments: Sequence[str], end: str = ")", indent: int = 4, comma: bool = True
) -> list[str]:
    """A call, in one line where there is room, as the formatter does it."""
    text = f"{start}{', '.join(arguments)}{end}"
    if indent + len(text) <= _WIDTH:
        return [text]
    mark = "," if comma else ""
    return [start, *(f"    {argument}{mark}" for argument in arguments), end]


def items(start: str, values: Sequence[str], end: str, indent: int = 4) -> list[str]:
    """A tuple or the like with a comma behind each of its values, as the formatter leaves it."""
    if len(values) > 1:
        return [start, *(f"    {value}," for value in values), end]
    return call(start, [f"{value}," for value in values], end, indent, comma=False)


def safe(lines: Iterable[str]) -> tuple[Safe, ...]:
    """Lines that epforge wrote, for a template."""
    return tuple(Safe(text) for text in lines)


def dtypes(op: CustomOp, type_: str) -> tuple[DType, ...]:
    """What a type of the operator can be in PyTorch, which has no strings."""
    none = {DType.STRING} if op.compute is None else {DType.STRING, *_NO_ARITHMETIC}
    known = op.types.get(type_) or (DType.parse(type_),)
    return tuple(dtype for dtype in known if dtype not in none)


def is_float(op: CustomOp, type_: str) -> bool:
    """Can it be floating point?"""
    return any(dtype in FLOATS for dtype in dtypes(op, type_))


@dataclass(frozen=True)
class Call:
    """A custom operator in PyTorch.

    In ``torch.ops`` it takes its inputs and then its tensor attributes by position, everything
    else by name.

    Args:
        function: its name in ``torch.ops``.
    """

    op: CustomOp
    function: Identifier

    @property
    def stub(self) -> bool:
        """Is its computation not known?"""
        return self.op.compute is None

    @cached_property
    def tensors(self) -> tuple[CustomAttribute, ...]:
        """Attributes that are tensors."""
        return tuple(a for a in self.op.attributes if a.type == "tensor")

    @cached_property
    def plain(self) -> tuple[CustomAttribute, ...]:
        """All other attributes, those without a default first."""
        plain = [a for a in self.op.attributes if a.type != "tensor"]
        return tuple(sorted(plain, key=lambda attribute: attribute.default is not None))

    @property
    def several(self) -> bool:
        """Has it more than one output?"""
        return len(self.op.outputs) > 1

    @property
    def result(self) -> str:
        """The type of what it returns."""
        inner = ", ".join(["Tensor"] * len(self.op.outputs))
        return f"tuple[{inner}]" if self.several else inner

    @cached_property
    def values(self) -> list[str]:
        """The Python names of the inputs."""
        return [parameter(p.name) for p in self.op.inputs]

    @property
    def tuple_(self) -> str:
        """The inputs' names as a tuple, without its parentheses."""
        return self.values[0] + "," if len(self.values) == 1 else ", ".join(self.values)

    def inputs_typed(self, *, defaults: bool = False) -> list[str]:
        """The inputs as parameters: ``x: Tensor``.

        Args:
            defaults: optional ones that nothing follows may be left out.
        """
        found = [f"{parameter(p.name)}: {_TENSOR_TYPES[p.option]}" for p in self.op.inputs]
        for index in reversed(range(len(found))):
            if not defaults or self.op.inputs[index].option != "optional":
                break
            found[index] += " = None"
        return found

    def shapes_typed(self) -> list[str]:
        """The inputs' shapes as parameters."""
        return [f"{parameter(p.name)}: {_SHAPE_TYPES[p.option]}" for p in self.op.inputs]

    def tensors_typed(self) -> list[str]:
        """The tensor attributes as parameters."""
        return [f"{parameter(a.name)}: Tensor" for a in self.tensors]

    def plain_typed(self, *, encoded: bool = False, defaults: bool = False) -> list[str]:
        """The other attributes as parameters.

        Args:
            encoded: lists of strings are JSON, as in ``torch.ops``.
            defaults: with them.
        """
        found = []
        for a in self.plain:
            type_ = "str" if encoded and a.type == "strings" else _PYTHON_TYPES[a.type]
            value = f" = {literal(a)}" if defaults and a.default is not None else ""
            found.append(f"{parameter(a.name)}: {type_}{value}")
        return found

    def formals(self) -> list[str]:
        """The parameters that ``torch.ops`` gives."""
        plain = self.plain_typed(encoded=True)
        return [*self.inputs_typed(), *self.tensors_typed(), *(["*"] if plain else []), *plain]

    def passed(self) -> list[str]:
        """The arguments that pass `formals` on."""
        named = [f"{parameter(a.name)}={parameter(a.name)}" for a in self.plain]
        return [*self.values, *(parameter(a.name) for a in self.tensors), *named]

    def decoded(self) -> list[str]:
        """`passed`, without the inputs, for a function that is yours."""
        return [
            *(f"{parameter(a.name)}={parameter(a.name)}" for a in self.tensors),
            *(f"{parameter(a.name)}={_decoded(a)}" for a in self.plain),
        ]

    def public(self) -> list[str]:
        """The parameters of the function that people call."""
        attributes = [*self.tensors_typed(), *self.plain_typed(defaults=True)]
        return [
            *self.inputs_typed(defaults=True),
            *(["*"] if attributes else []),
            *attributes,
        ]

    def public_arguments(self) -> list[str]:
        """What that function passes to ``torch.ops``."""
        return [
            *self.values,
            *(parameter(a.name) for a in self.tensors),
            *(f"{parameter(a.name)}={_encoded(a)}" for a in self.plain),
        ]

    def init(self) -> list[str]:
        """The parameters of the module: the attributes."""
        attributes = [*self.tensors_typed(), *self.plain_typed(defaults=True)]
        return ["*", *attributes] if attributes else []

    def module_arguments(self) -> list[str]:
        """What the module passes to the function that people call."""
        attributes = (parameter(a.name) for a in (*self.tensors, *self.plain))
        return [*self.values, *(f"{name}=self.{name}" for name in attributes)]

    def schema(self) -> list[str]:
        """The statement that names the schema in PyTorch's language.

        There are no defaults in it: PyTorch would leave out what is one, also where it calls the
        functions behind ``torch.ops``, and not every default can be written there.
        """
        parts = [f"{_SCHEMA_TENSORS[p.option]} {parameter(p.name)}" for p in self.op.inputs]
        parts += [f"Tensor {parameter(a.name)}" for a in self.tensors]
        if self.plain:
            parts.append("*")
        parts += [f"{_SCHEMA_TYPES[a.type]} {parameter(a.name)}" for a in self.plain]
        pieces = [f"{part}, " for part in parts[:-1]] + parts[-1:]
        pieces[0] = f"({pieces[0]}"
        outputs = self.result.removeprefix("tuple[").removesuffix("]")
        pieces.append(f") -> ({outputs})" if self.several else f") -> {outputs}")
        whole = "".join(pieces)
        # The formatter joins what has room in one line.
        start = "_SCHEMA: Final = "
        if len(f'{start}"{whole}"') <= _WIDTH:
            return [f'{start}"{whole}"']
        if len(f'    "{whole}"') <= _WIDTH:
            pieces = [whole]
        return [f"{start}(", *(f'    "{piece}"' for piece in pieces), ")"]

    def like(self) -> tuple[str, str]:
        """An expression for a tensor that is there on every call, and its type."""
        for wanted, suffix in (("single", ""), ("variadic", "[0]")):
            for p in self.op.inputs:
                if p.option == wanted:
                    return f"{parameter(p.name)}{suffix}", p.type
        types = {p.type for p in self.op.inputs}
        return f"first({', '.join(self.values)})", types.pop() if len(types) == 1 else ""

    def typed(self, inputs: Iterable[CustomParameter] | None = None) -> dict[str, str]:
        """Per type variable an expression for its `torch.dtype`.

        Args:
            inputs: those that there are names for; all by default.
        """
        known = self.op.inputs if inputs is None else tuple(inputs)
        found: dict[str, str] = {}
        for p in known:
            if p.type in self.op.types and p.option != "optional":
                suffix = "[0]" if p.option == "variadic" else ""
                found.setdefault(p.type, f"{parameter(p.name)}{suffix}.dtype")
        for p in known:
            if p.type in self.op.types and p.type not in found:
                same = [parameter(q.name) for q in known if q.type == p.type]
                found[p.type] = f'OPERATOR.dtype("{p.type}", {", ".join(same)})'
        return found


def literal(attribute: CustomAttribute) -> Safe:
    """The default in Python."""
    value = attribute.default
    if not isinstance(value, tuple):
        return py_value(value)
    inner = ", ".join(py_value(each) for each in value)
    return Safe(f"({inner},)" if len(value) == 1 else f"({inner})")


def _encoded(attribute: CustomAttribute) -> str:
    name = parameter(attribute.name)
    if attribute.type == "strings":
        return f"json.dumps(list({name}))"
    return f"list({name})" if attribute.type in ("ints", "floats") else name


def _decoded(attribute: CustomAttribute) -> str:
    name = parameter(attribute.name)
    if attribute.type == "strings":
        return f"json.loads({name})"
    return f"single({name})" if attribute.type == "float" else name
