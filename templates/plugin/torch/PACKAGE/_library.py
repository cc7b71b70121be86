<%= banner %>
"""What the operators have in common: how one is described, its types, its entry in PyTorch."""

import contextlib
import contextvars
import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor

NAMESPACE: Final = <%= ns | py_string %>  # operators are torch.ops.<%= ns %>.<name>

Value = Tensor | Sequence[Tensor] | None
Shape = Sequence[int]

_broadcast: Any = torch.broadcast_shapes  # it has no types
_doubles = contextvars.ContextVar("doubles", default=False)


class OperatorTypeError(TypeError):
    """An input is of a type that the operator has not."""


@dataclass(frozen=True)
class Formal:
    """An input or output.

    Args:
        type: a key of `Operator.types`; what has the same key is of the same type.
        option: "single", "optional" or "variadic".
    """

    name: str
    type: str
    option: str = "single"


@dataclass(frozen=True)
class Attribute:
    """An attribute.

    Args:
        python: its name in Python.
        type: "int", "float", "bool", "string", "ints", "floats", "strings" or "tensor".
        default: None: it must be given.
    """

    name: str
    python: str
    type: str
    default: int | float | bool | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | None


@dataclass(frozen=True)
class Operator:
    """An operator as ONNX knows it.

    Args:
        version: that of the domain, which models import.
        function: its name in `torch.ops`.
        types: what each type can be.
        elementwise: its inputs are broadcast, and the outputs are of the shape that comes of it.
        gradient: it has one.
    """

    domain: str
    name: str
    version: int
    function: str
    inputs: tuple[Formal, ...]
    outputs: tuple[Formal, ...]
    types: Mapping[str, tuple[torch.dtype, ...]]
    attributes: tuple[Attribute, ...]
    elementwise: bool
    gradient: bool

    @property
    def label(self) -> str:
        """Domain and name."""
        return f"{self.domain}::{self.name}"

    @property
    def overload(self) -> Any:
        """The operator in `torch.ops`."""
        return getattr(getattr(torch.ops, NAMESPACE), self.function).default

    @property
    def tensor_attributes(self) -> tuple[Attribute, ...]:
        """Those that PyTorch sees as inputs behind the inputs."""
        return tuple(each for each in self.attributes if each.type == "tensor")

    @property
    def plain_attributes(self) -> tuple[Attribute, ...]:
        """All others."""
        return tuple(each for each in self.attributes if each.type != "tensor")

    def check(self, *values: Value) -> dict[str, torch.dtype]:
        """The types of a call, for values in the order of the inputs.

        Raises:
            OperatorTypeError: a type that the operator has not, or a mixture of types.
            ValueError: a variadic input without a tensor.
        """
        found: dict[str, tuple[torch.dtype, str]] = {}
        for formal, value in zip(self.inputs, values, strict=True):
            for name, tensor in self._tensors(formal, value):
                allowed = _allowed(self.types[formal.type])
                if tensor.dtype not in allowed:
                    names = " or ".join(map(_spelled, allowed))
                    raise OperatorTypeError(
                        f"{self.label}: {name} is {_spelled(tensor.dtype)}, and must be {names}"
                    )
                dtype, other = found.setdefault(formal.type, (tensor.dtype, name))
                if dtype != tensor.dtype:
                    raise OperatorTypeError(
                        f"{self.label}: {name} is {_spelled(tensor.dtype)} and {other} is "
                        f"{_spelled(dtype)}: both are {formal.type}, so both are of one type"
                    )
        return self.complete({type_: dtype for type_, (dtype, _) in found.items()})

    def complete(self, types: Mapping[str, torch.dtype]) -> dict[str, torch.dtype]:
        """``types``, with those that can be but one."""
        sole = {name: _allowed(each)[-1] for name, each in self.types.items() if len(each) == 1}
        return {**sole, **types}

    def dtype(self, type_: str, *values: Tensor | None) -> torch.dtype:
        """What a type is that only optional inputs tell: the first it can be if all are left out."""
        present = [value.dtype for value in values if value is not None]
        return present[0] if present else self.types[type_][0]

    def empty(
        self, types: Mapping[str, torch.dtype], like: Tensor, shapes: Sequence[Shape]
    ) -> list[Tensor]:
        """Tensors of the outputs' types, whose elements nobody may read."""
        return [
            like.new_empty(tuple(shape), dtype=types[output.type])
            for output, shape in zip(self.outputs, shapes, strict=True)
        ]

    def finished(
        self,
        types: Mapping[str, torch.dtype],
        results: Sequence[Tensor],
        shapes: Sequence[Shape],
        inputs: Sequence[Value],
    ) -> list[Tensor]:
        """What a forward function has returned, as PyTorch wants it: nothing shared with inputs.

        Raises:
            RuntimeError: a result's type or shape is not what it should be.
        """
        taken = {tensor.untyped_storage().data_ptr() for tensor in tensors(inputs)}
        finished = []
        for output, result, shape in zip(self.outputs, results, shapes, strict=True):
            wanted = types[output.type]
            if result.dtype != wanted or tuple(result.shape) != tuple(shape):
                raise RuntimeError(
                    f"{self.label}: forward makes {output.name} as {_spelled(result.dtype)} "
                    f"{list(result.shape)}, and it should be {_spelled(wanted)} {list(shape)}"
                )
            shared = result.untyped_storage().data_ptr() in taken
            finished.append(result.clone(memory_format=torch.contiguous_format) if shared
                            else result.contiguous())  # fmt: skip
        return finished

    def gradients(self, gradients: Sequence[Any]) -> tuple[Any, ...]:
        """What a backward function has returned, as PyTorch wants it: also for tensor attributes.

        Raises:
            RuntimeError: there is not one gradient for each input.
        """
        if len(gradients) != len(self.inputs):
            raise RuntimeError(
                f"{self.label}: backward returns {len(gradients)} gradients "
                f"for {len(self.inputs)} inputs"
            )
        return (*gradients, *(None for _ in self.tensor_attributes))

    def _tensors(self, formal: Formal, value: Value) -> list[tuple[str, Tensor]]:
        if value is None:
            return []
        if isinstance(value, Tensor):
            return [(formal.name, value)]
        if not value:
            raise ValueError(f"{self.label}: {formal.name} has no tensor, and needs one or more")
        return [(f"{formal.name}[{index}]", tensor) for index, tensor in enumerate(value)]


def register(
    operator: Operator,
    schema: str,
    forward: Callable[..., Any],
    fake: Callable[..., Any],
    setup: Callable[..., None] | None = None,
    backward: Callable[..., Any] | None = None,
) -> None:
    """Makes an operator known to PyTorch.

    Args:
        schema: PyTorch's.
        forward: computes it.
        fake: makes outputs of the right type and shape.
        setup, backward: its gradient.
    """
    made = torch.library.custom_op(
        f"{NAMESPACE}::{operator.function}", forward, mutates_args=(), schema=schema
    )
    made.register_fake(fake)
    if backward is not None:
        made.register_autograd(backward, setup_context=setup)


@contextlib.contextmanager
def doubles() -> Iterator[None]:
    """Within it float64 can stand for any floating-point type: checks of gradients want it."""
    token = _doubles.set(True)
    try:
        yield
    finally:
        _doubles.reset(token)


def tensors(values: Sequence[Value]) -> list[Tensor]:
    """All tensors among the values."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif value is not None:
            found += value
    return found


def first(*values: Tensor | None) -> Tensor:
    """The first one that is there.

    Raises:
        ValueError: there is none.
    """
    for value in values:
        if value is not None:
            return value
    raise ValueError("all optional inputs are left out: one must be there")


def broadcast(*values: Value) -> torch.Size:
    """The shape that the inputs have together.

    Raises:
        RuntimeError: they do not go together.
    """
    shape: torch.Size = _broadcast(*(tensor.shape for tensor in tensors(values)))
    return shape


def single(value: float) -> float:
    """An attribute as ONNX keeps it: a float of 32 bits."""
    return ctypes.c_float(value).value


def whole(value: Tensor, shape: Shape) -> Tensor:
    """A result in the output's shape."""
    return value.contiguous() if value.shape == shape else copied(value, shape)


def copied(value: Tensor, shape: Shape) -> Tensor:
    """Like `whole`, where the value may be an input: outputs are tensors of their own."""
    return value.expand(shape).clone(memory_format=torch.contiguous_format)


def summed(gradient: Tensor, like: tuple[torch.Size, torch.dtype]) -> Tensor:
    """A gradient in the shape that the input had before it was broadcast, and of its type."""
    shape, dtype = like
    return gradient.sum_to_size(shape).to(dtype)


def formats(*values: Value) -> list[Any]:
    """Shape and type of each tensor, for `summed`."""
    return [
        (value.shape, value.dtype)
        if isinstance(value, Tensor)
        else [(tensor.shape, tensor.dtype) for tensor in value or ()]
        for value in values
    ]


def _allowed(types: tuple[torch.dtype, ...]) -> tuple[torch.dtype, ...]:
    if _doubles.get() and any(each.is_floating_point for each in types):
        return (*types, torch.float64)
    return types


def _spelled(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
