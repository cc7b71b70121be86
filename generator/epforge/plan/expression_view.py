"""What the templates of an operator that an expression computes see beyond a kernel's view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from epforge.names import Identifier, Safe
from epforge.ops.expression.model import (
    Attribute,
    Count,
    Default,
    Fold,
    Has,
    Input,
    Node,
    children,
)
from epforge.ops.families._expression import Formulas
from epforge.ops.model import DType
from epforge.plan.expression_cpp import TAKEN, Names, print_cpp
from epforge.plan.kernel_view import ORDINARY_OPERANDS

#: Inputs that a kernel takes where one of them is variadic.
MOST_INPUTS = 16
#: Names of the code around a function.
_AROUND = frozenset(
    """
    attrs at broadcast count exec f function i in inputs out outputs std types
    Broadcast CheckType CommonType Compute ComputeRow DType Element Exec Function Inputs Launch
    Loop MakeBroadcast MutableTensor Node Operand Outputs Pointers Run
    RunPointwise Shape Shapes Status Tensor Text Xs
    """.split()  # noqa: SIM905 (as above)
    + [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)

_POINTWISE = (
    *("broadcast.cc", "broadcast.h", "checks.cc", "checks.h", "device.h", "elementwise.cc"),
    *(
        "elementwise.h",
        "errors.cc",
        "errors.h",
        "launch.h",
        "pointwise.cc",
        "pointwise.h",
        "text.cc",
    ),
    "text.h",
)
#: What the support files of expressions include themselves.
_INCLUDED = {"elements.h": ("arithmetic.h",)}


@dataclass(frozen=True)
class Member:
    """A member of a function.

    Args:
        value: the expression that it is made from, where ``attrs`` and ``inputs`` are at hand.
    """

    cpp: Safe
    name: Identifier
    value: Safe


@dataclass(frozen=True)
class Argument:
    """An argument of a function: the element of an input.

    Args:
        cpp: the type of the element.
        position: of the input.
        optional: whether it may be left out.
        variadic: whether it is the `Elements` of the inputs from ``position`` on.
    """

    cpp: Safe
    name: Identifier
    position: int
    optional: bool
    variadic: bool

    @property
    def declared(self) -> Safe:
        """The type of the parameter."""
        return Safe("const Xs&") if self.variadic else self.cpp


@dataclass(frozen=True)
class FunctionView:
    """The function of one output: a struct that computes one element.

    Args:
        name: of the struct.
        suffix: to the names of what is made for this output; empty where it is the only one.
        output: of the output, as the blueprint has it.
        text: the expression, likewise.
        variables: the type variables in it; with any of them, the struct is a template.
        result: the C++ type of an element.
        code: the expression in C++.
        cost: element operations per element, roughly.
    """

    name: Identifier
    suffix: Safe
    output: str
    text: str
    variables: tuple[Identifier, ...]
    members: tuple[Member, ...]
    arguments: tuple[Argument, ...]
    result: Safe
    code: Safe
    cost: int

    @property
    def type(self) -> Safe:
        """The struct for the template parameters: ``ComContosoGateFunction<T>``."""
        parameters = ", ".join(self.variables)
        return Safe(f"{self.name}<{parameters}>" if parameters else self.name)


@dataclass(frozen=True)
class GroupView:
    """Inputs and outputs that are of one type at run time.

    Args:
        inputs: their positions as a mask; that of a variadic input goes on to the last bit.
        outputs: likewise.
        types: (enumerator, C++ type) of all types that it can be; one for a fixed type.
        parameter: the template parameter; None where nothing is computed in the type.
        settled: whether an input or output that is always there says which type it is.
    """

    inputs: Safe
    outputs: Safe
    types: tuple[tuple[Identifier, Safe], ...]
    parameter: Identifier | None
    settled: bool


@dataclass(frozen=True)
class ExpressionView:
    """All functions of an operator.

    Args:
        groups: every type of an input or output; those with a parameter in the parameters' order.
        least: inputs that there are at least.
        optional: a mask of those that may be left out.
        inputs: how many there are at most; None with a variadic one.
        headers: the support files that the functions need.
        support: every support file that the kernel needs, directly or not.
        operands: as many inputs as the kernel takes.
    """

    functions: tuple[FunctionView, ...]
    groups: tuple[GroupView, ...]
    least: int
    optional: Safe
    inputs: int | None
    headers: tuple[str, ...]
    support: tuple[str, ...]
    operands: int

    @property
    def dispatched(self) -> tuple[GroupView, ...]:
        """The groups that the kernel has an instance for each type of."""
        return tuple(group for group in self.groups if group.parameter is not None)

    @property
    def uses_attributes(self) -> bool:
        """Whether any function has a member made from an attribute."""
        members = (member for function in self.functions for member in function.members)
        return any(member.value.startswith("attrs.") for member in members)


def operands(formulas: Formulas) -> int:
    """As many inputs as a kernel takes at run time."""
    count = len(formulas.inputs)
    variadic = any(formal.option == "variadic" for formal in formulas.inputs)
    return max(ORDINARY_OPERANDS, count, MOST_INPUTS if variadic else 0)


def expression_view(
    formulas: Formulas,
    op: Identifier,
    types: Mapping[str, tuple[DType, ...]],
    members: Mapping[str, Identifier],
    cpp: Mapping[DType, tuple[Identifier, Safe]],
) -> ExpressionView:
    """The functions of an operator in C++.

    Args:
        formulas: inputs, outputs, attributes and expressions.
        op: a C++ name for the operator.
        types: type variable -> the element types that the project registers.
        members: attribute -> the member of the struct of attributes.
        cpp: per element type its enumerator and its C++ type.
    """
    names = _names(formulas, types, cpp)
    functions: list[FunctionView] = []
    headers: set[str] = set()
    for index, (output, type_) in enumerate(formulas.outputs):
        suffix = "" if len(formulas.outputs) == 1 else str(index)
        name = (Identifier(f"{op}Function{suffix}"), Safe(suffix))
        function, needed = _function(name, (output, type_), formulas, names, members)
        functions.append(function)
        headers |= needed
    support = {*_POINTWISE, *headers}
    for header in headers:
        support |= set(_INCLUDED.get(header, ()))
    variadic = bool(formulas.inputs) and formulas.inputs[-1].option == "variadic"
    optional = [i for i, formal in enumerate(formulas.inputs) if formal.option == "optional"]
    present = [i + 1 for i, formal in enumerate(formulas.inputs) if formal.option != "optional"]
    return ExpressionView(
        functions=tuple(functions),
        groups=_groups(formulas, types, names, functions, cpp),
        least=max(present, default=0),
        optional=_mask(optional),
        inputs=None if variadic else len(formulas.inputs),
        headers=tuple(sorted(headers | {"device.h"})),
        support=tuple(sorted(support)),
        operands=operands(formulas),
    )


def _names(
    formulas: Formulas,
    types: Mapping[str, tuple[DType, ...]],
    cpp: Mapping[DType, tuple[Identifier, Safe]],
) -> Names:
    taken = {*TAKEN, *_AROUND}
    known: dict[str, Safe | Identifier] = {dtype.text: cpp[dtype][1] for dtype in cpp}
    known |= {variable: _unique(variable, "Type", taken) for variable in types}
    own = {name: _unique(name, "_value", taken) for name, _ in formulas.attributes}
    return Names(
        types=known,
        dtypes=types,
        inputs={formal.name: _unique(formal.name, "_input", taken) for formal in formulas.inputs},
        attributes=own,
        kinds=dict(formulas.attributes),
        flags={
            formal.name: _unique(f"has_{formal.name}", "_input", taken)
            for formal in formulas.inputs
            if formal.option == "optional"
        },
    )


def _unique(name: str, suffix: str, taken: set[str]) -> Identifier:
    """``name``, or with a suffix where it is taken or could be a macro or a reserved word."""
    plain = name.strip("_")
    while "__" in plain:
        plain = plain.replace("__", "_")
    loud = len(plain) > 2 and plain.upper() == plain and not plain.isdigit()
    found = f"{plain}{suffix}" if loud or plain != name or plain in taken else plain
    number = 2
    while found in taken:
        found = f"{plain}{suffix}{number}"
        number += 1
    taken.add(found)
    return Identifier(found)


def _function(
    name: tuple[Identifier, Safe],
    formal_output: tuple[str, str],
    formulas: Formulas,
    names: Names,
    members: Mapping[str, Identifier],
) -> tuple[FunctionView, set[str]]:
    """The function of an output, and the support files that it needs."""
    output, type_ = formal_output
    expression = formulas.compute[output]
    nodes = tuple(_walk(expression.root))
    printed = print_cpp(expression.root, names)
    elements = {node.name for node in nodes if isinstance(node, Input | Default | Fold | Count)}
    arguments = tuple(
        Argument(
            cpp=Safe(names.types[formal.type]),
            name=names.inputs[formal.name],
            position=position,
            optional=formal.option == "optional",
            variadic=formal.option == "variadic",
        )
        for position, formal in enumerate(formulas.inputs)
        if formal.name in elements
    )
    headers = set(printed.headers)
    if any(argument.variadic for argument in arguments):
        headers.add("elements.h")
    function = FunctionView(
        name=name[0],
        suffix=name[1],
        output=output,
        text=expression.text,
        variables=tuple(_variables(nodes, type_, names)),
        members=tuple(_members(nodes, formulas, names, members)),
        arguments=arguments,
        result=Safe(names.types[type_]),
        code=printed.code,
        cost=printed.cost,
    )
    return function, headers


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in children(node):
        yield from _walk(child)


def _variables(nodes: Iterable[Node], type_: str, names: Names) -> Iterator[Identifier]:
    """The template parameters for the types in a function and of its result."""
    used = {node.type for node in nodes} | {type_}
    for variable in names.dtypes:
        if variable in used:
            yield Identifier(names.types[variable])


def _members(
    nodes: Iterable[Node], formulas: Formulas, names: Names, members: Mapping[str, Identifier]
) -> Iterator[Member]:
    nodes = tuple(nodes)
    cpp = {"int": "int64_t", "float": "float", "bool": "bool"}
    used = {node.name for node in nodes if isinstance(node, Attribute)}
    for attribute, kind in formulas.attributes:
        if attribute in used:
            value = Safe(f"attrs.{members[attribute]}")
            yield Member(Safe(cpp[kind]), names.attributes[attribute], value)
    flags = {node.name for node in nodes if isinstance(node, Has | Default)}
    for position, formal in enumerate(formulas.inputs):
        if formal.name in flags:
            value = Safe(f"inputs.has({position})")
            yield Member(Safe("bool"), names.flags[formal.name], value)


def _groups(
    formulas: Formulas,
    types: Mapping[str, tuple[DType, ...]],
    names: Names,
    functions: Iterable[FunctionView],
    cpp: Mapping[DType, tuple[Identifier, Safe]],
) -> tuple[GroupView, ...]:
    computed = {variable for function in functions for variable in function.variables}
    ordered = [*types, *(formal.type for formal in formulas.inputs)]
    ordered += [type_ for _, type_ in formulas.outputs]
    groups = []
    for type_ in dict.fromkeys(ordered):
        inputs: list[int] = []
        for index, formal in enumerate(formulas.inputs):
            if formal.type == type_:
                inputs += range(index, 64 if formal.option == "variadic" else index + 1)
        outputs = [index for index, (_, own) in enumerate(formulas.outputs) if own == type_]
        always = [f for f in formulas.inputs if f.type == type_ and f.option != "optional"]
        variable = type_ in types
        parameter = Identifier(names.types[type_]) if variable else None
        groups.append(
            GroupView(
                inputs=_mask(inputs),
                outputs=_mask(outputs),
                types=tuple(cpp[d] for d in (types[type_] if variable else (DType.parse(type_),))),
                parameter=parameter if parameter in computed else None,
                settled=bool(always or outputs),
            )
        )
    return tuple(groups)


def _mask(positions: Iterable[int]) -> Safe:
    bits = sum(1 << position for position in positions)
    return Safe(hex(bits) if bits else "0")
