<%= banner %>
"""Calls kernels on arrays: finds the kernel, checks what it is given, allocates its outputs."""

import operator
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _native
from ._errors import InvalidArgumentError, NotSupportedError
from ._schemas import SCHEMAS, Attribute, Schema

Array: TypeAlias = npt.NDArray[Any]


class DLPack(Protocol):
    """A tensor of another package, such as PyTorch's."""

    def __dlpack__(self, *, stream: Any = ...) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, Any]: ...


Tensor: TypeAlias = Array | np.generic | DLPack
Out: TypeAlias = Array | Sequence[Array | None] | None

#: Element types by their name in NumPy: the numbers of onnx.TensorProto.DataType.
TYPES: Final = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
}
# Asking a NumPy type for its name takes longer than a small kernel.
_KNOWN: Final = {np.dtype(name): name for name in TYPES}


def run(
    op: str,
    /,
    *inputs: Tensor | None,
    domain: str = "",
    opset: int | None = None,
    outputs: int | None = None,
    out: Out = None,
    copy: bool = True,
    dtypes: Sequence[npt.DTypeLike] | None = None,
    attributes: Mapping[str, Any] | None = None,
    **named: Any,
) -> Any:
    """Computes one operator.

    Args:
        op: the operator, as ONNX spells it.
        inputs: NumPy arrays, or anything with ``__dlpack__`` on the CPU, by position; None for an
            optional input that is left out. Contiguous ones are read where they are.
        domain: the operator's domain; "" is ONNX's own.
        opset: the version of the domain; the newest that there is a kernel for by default.
        outputs: how many outputs to compute; those that are required by default.
        out: an array for the output, or a sequence of arrays for several (None: a new one). They
            have the right type and shape, are contiguous, and overlap nothing.
        copy: whether an input may be copied that a kernel cannot read where it is: one that is not
            contiguous, not aligned or of another byte order. Else it is an error.
        dtypes: the element types of the outputs, where inputs and attributes do not tell.
        attributes: attributes by name; for those whose names are arguments here.
        named: attributes by name.

    Returns:
        An array, or a tuple of them where ``outputs`` is not 1. They own their memory.

    Raises:
        InvalidArgumentError: inputs, attributes or arrays for outputs are wrong.
        NotSupportedError: there is no such kernel, or it does not do this.
        KernelError: the kernel failed.
        TypeError: an input is not a tensor, or an attribute of another kind.
    """
    since, schema = _find(op, domain, opset)
    twice = named.keys() & (attributes or {}).keys()
    if twice:
        raise InvalidArgumentError(f"{op}: attribute {min(twice)!r} is given twice")
    given = _attributes(op, schema, {**(attributes or {}), **named})
    arrays = [_array(f"{op}: input {i}", value, copy) for i, value in enumerate(inputs)]
    targets = _targets(op, out)
    count = operator.index(outputs) if outputs is not None else len(targets) or schema.outputs
    if not 0 < count <= schema.most_outputs:
        raise InvalidArgumentError(f"{op}: outputs is {count}; expected 1 to {schema.most_outputs}")
    if len(targets) > count:
        raise InvalidArgumentError(f"{op}: there are {len(targets)} arrays for {count} outputs")
    types = _types(op, schema, given, dtypes, count)
    memory = _memory(op, targets, [array for array in arrays if array is not None])
    made = _native.run(domain, op, since, arrays, given, types, memory)
    return made[0] if count == 1 else tuple(made)


def _find(op: str, domain: str, opset: int | None) -> tuple[int, Schema]:
    """The newest version of an operator that is not newer than ``opset``."""
    label = f"{domain}::{op}" if domain else op
    versions = SCHEMAS.get((domain, op))
    if versions is None:
        known = [name for where, name in SCHEMAS if where == domain]
        kernels = f"those of its domain are {', '.join(known)}" if known else "nor for its domain"
        raise NotSupportedError(f"{label}: there is no kernel for it; {kernels}")
    usable = [since for since in versions if opset is None or since <= opset]
    if not usable:
        raise NotSupportedError(
            f"{label}: opset {opset} is older than the oldest kernel, for {min(versions)}"
        )
    return max(usable), versions[max(usable)]


def _array(label: str, value: Tensor | None, copy: bool) -> Array | None:
    """An input as an array that a kernel can read: in place wherever it can be."""
    if value is None:
        return None
    array = _as_numpy(label, value)
    if array.dtype in _KNOWN and _is_plain(array):
        return array
    if array.dtype.newbyteorder("=") not in _KNOWN:
        raise InvalidArgumentError(f"{label} is {array.dtype}: tensors have no such elements")
    if not copy:
        raise InvalidArgumentError(
            f"{label} is not contiguous, not aligned or not in the byte order of the machine, and "
            "copy is False"
        )
    return np.array(array, dtype=array.dtype.newbyteorder("="), order="C", copy=True)


def _as_numpy(label: str, value: Tensor) -> Array:
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{label} is a masked array: kernels would read what is masked")
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    if not hasattr(value, "__dlpack__"):
        raise TypeError(
            f"{label} is of type {type(value).__name__}; expected a NumPy array, or a tensor with "
            "__dlpack__"
        )
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, ValueError, TypeError) as error:
        raise InvalidArgumentError(f"{label} cannot be read in place: {error}") from error


def _is_plain(array: Array) -> bool:
    return array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative


def _attributes(op: str, schema: Schema, given: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """Attributes as the module takes them: name, kind and value. None is one left out."""
    made: list[tuple[str, str, Any]] = []
    for name, value in given.items():
        attribute = schema.attributes.get(name)
        if attribute is None:
            known = ", ".join(schema.attributes) or "none"
            raise InvalidArgumentError(f"{op} has no attribute {name!r}; it has {known}")
        if value is None:
            continue
        try:
            made.append((name, *_converted(attribute, value)))
        except (TypeError, ValueError, OverflowError) as error:
            raise _attribute_error(error)(
                f"{op}: attribute {name!r} is {_shown(value)}; expected {attribute.kind}: {error}"
            ) from error
    there = {name for name, _, _ in made}
    for name, attribute in schema.attributes.items():
        if attribute.required and name not in there:
            raise InvalidArgumentError(f"{op}: attribute {name!r} is missing")
    return made


def _attribute_error(error: Exception) -> type[Exception]:
    return TypeError if type(error) is TypeError else InvalidArgumentError


def _shown(value: Any) -> str:
    """A value for a text, shortened; of numbers with too many digits the type alone."""
    try:
        return reprlib.repr(value)
    except ValueError:
        return f"a value of type {type(value).__name__}"


def _converted(attribute: Attribute, value: Any) -> tuple[str, Any]:
    kind = attribute.kind
    convert = _CONVERTERS.get(kind)
    if convert is None:
        raise NotSupportedError(f"kernels read no attributes of the kind {kind}")
    return ("int" if kind == "bool" else kind), convert(value)


def _integer(value: Any) -> int:
    if isinstance(value, type | np.dtype):  # float32, say: what Cast is to make
        name = np.dtype(value).name
        if name not in TYPES:
            raise ValueError("tensors have no such elements")
        return TYPES[name]
    number = operator.index(value)
    if not -(2**63) <= number < 2**63:
        raise ValueError("it has more than 64 bits")
    return number


def _real(value: Any) -> float:
    if isinstance(value, str | bytes):
        raise TypeError("it is a text")
    number = float(value)
    if np.isfinite(number) and abs(number) > np.finfo(np.float32).max:
        raise ValueError("it is too large for float32")
    return number


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("it is no text")
    value.encode()  # raises for half a character
    return value


def _tensor(value: Any) -> Array:
    if isinstance(value, bool | int | float | list | tuple):
        value = np.asarray(value)
    array = _array("the tensor", value, copy=True)
    assert array is not None
    return array


def _several(convert: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    def converted(values: Iterable[Any]) -> list[Any]:
        if isinstance(values, str | bytes):
            raise TypeError("it is a text")
        return [convert(value) for value in values]

    return converted


_CONVERTERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "bool": lambda value: int(bool(operator.index(value))),
    "int": _integer,
    "float": _real,
    "string": _text,
    "ints": _several(_integer),
    "floats": _several(_real),
    "strings": _several(_text),
    "tensor": _tensor,
}


def _types(
    op: str,
    schema: Schema,
    given: Sequence[tuple[str, str, Any]],
    dtypes: Sequence[npt.DTypeLike] | None,
    count: int,
) -> list[int]:
    """The numbers of the outputs' types; 0 where the inputs tell."""
    if dtypes is not None:
        if isinstance(dtypes, str):
            raise TypeError(f"{op}: dtypes is a text; expected a sequence of types")
        names = [np.dtype(dtype).name for dtype in dtypes]
        if len(names) != count or not TYPES.keys() >= set(names):
            raise InvalidArgumentError(f"{op}: dtypes is not the types of {count} outputs")
        return [TYPES[name] for name in names]
    types = [0] * count
    if schema.typed_by is not None:
        types[0] = schema.typed_by_default
        for name, kind, value in given:
            if name != schema.typed_by or (kind == "int" and value == 0):
                continue  # 0 is no type: the inputs say
            types[0] = TYPES[value.dtype.name] if kind == "tensor" else value
            if types[0] not in TYPES.values():
                raise InvalidArgumentError(
                    f"{op}: attribute {name!r} is {value}: tensors have no such elements"
                )
    return types


def _targets(op: str, out: Out) -> list[Array | None]:
    if out is None:
        return []
    targets: list[Array | None] = list(out) if isinstance(out, Sequence) else [out]
    for index, target in enumerate(targets):
        if target is not None and type(target) is not np.ndarray:
            raise TypeError(f"{op}: out {index} is no NumPy array")
    return targets


def _memory(
    op: str, targets: Sequence[Array | None], inputs: Sequence[Array]
) -> Callable[[int, str, tuple[int, ...]], Array]:
    """What gives each output its array: the caller's, or a new one."""
    there = [target for target in targets if target is not None]
    for index, target in enumerate(there):
        # What is contiguous overlaps if its bounds do.
        if any(np.may_share_memory(target, other) for other in (*inputs, *there[:index])):
            raise InvalidArgumentError(f"{op}: out {index} overlaps an input or another output")

    def allocate(index: int, dtype: str, shape: tuple[int, ...]) -> Array:
        target = targets[index] if index < len(targets) else None
        if target is None:
            if dtype not in TYPES:
                raise NotSupportedError(f"{op}: output {index} is {dtype}, which NumPy has not")
            return np.empty(shape, dtype)
        if (_KNOWN.get(target.dtype.newbyteorder("=")), target.shape) != (dtype, shape):
            raise InvalidArgumentError(
                f"{op}: out {index} is {target.dtype} of shape {target.shape}; "
                f"the output is {dtype} of shape {shape}"
            )
        if not _is_plain(target) or not target.flags.writeable:
            raise InvalidArgumentError(
                f"{op}: out {index} is not contiguous, aligned, in the byte order of the machine "
                "and writeable"
            )
        return target

    return allocate
