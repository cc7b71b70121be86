"""The gradient of a custom operator in PyTorch, in ready lines of Python."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from epforge.names import Identifier, Safe
from epforge.ops.expression import Scope, differentiate
from epforge.ops.expression.build import add, multiply, subtract
from epforge.ops.expression.model import (
    Arithmetic,
    Default,
    Has,
    Input,
    Logical,
    Node,
    Not,
    Number,
    Select,
)
from epforge.plan.expression_torch import Names, attributes_of, inputs_of, print_torch, walk
from epforge.plan.torch_call import Call, call, is_float, safe
from epforge.plan.torch_names import parameter
from epforge.resolve import custom_compute
from epforge.resolve.services import CustomParameter, Grad


@dataclass(frozen=True)
class Part:
    """A function for what one output adds to the gradient of one input.

    Args:
        inputs, attributes: names of those that it asks for.
    """

    name: Identifier
    input: CustomParameter
    output: CustomParameter
    inputs: tuple[CustomParameter, ...]
    attributes: tuple[str, ...]
    formals: tuple[Safe, ...]
    body: tuple[Safe, ...]


@dataclass(frozen=True)
class Gradient:
    """The gradient of an operator.

    Args:
        incoming: the names of the outputs' gradients.
        setup, backward: bodies of the two functions.
    """

    parts: tuple[Part, ...]
    incoming: tuple[Identifier, ...]
    setup: tuple[Safe, ...]
    backward: tuple[Safe, ...]


def gradient(call_: Call) -> Gradient | None:
    """The gradient of an operator; None when it has none."""
    op = call_.op
    if op.grad is Grad.NONE:
        return None
    incoming = tuple(Identifier(f"grad_{output.name}") for output in op.outputs)
    if op.grad is Grad.STUB:
        return Gradient((), incoming, safe(_stub_setup(call_)), safe(_stub_backward(call_)))
    parts = _parts(call_)
    saved = _saved(call_, parts)
    return Gradient(
        parts,
        incoming,
        safe(_setup(call_, parts, saved)),
        safe(_backward(call_, parts, saved)),
    )


def scope_of(call_: Call) -> Scope:
    """What the operator's expressions can name."""
    op = call_.op
    return custom_compute.scope_of(op.inputs, {a.name: a.type for a in op.attributes}, op.types)


def _parts(call_: Call) -> tuple[Part, ...]:
    op = call_.op
    found = []
    for input_ in op.inputs:
        for output in op.outputs:
            if not is_float(op, input_.type) or not is_float(op, output.type):
                continue
            assert op.compute is not None
            node = differentiate(op.compute[output.name].root, input_.name, scope_of(call_))
            node = _present(node, input_.name)
            if not (isinstance(node, Number) and node.value == 0):
                found.append(_part(call_, input_, output, node))
    return tuple(found)


def _present(node: Node, name: str) -> Node:
    """The derivative by an optional input, of which it is asked only where that is there."""
    match node:
        case Default(name=same) if same == name:
            return Input(name, type=node.type)
        case Select(condition=Has(name=same), then=then) if same == name:
            return _present(then, name)
        case Select(condition=Not(operand=Has(name=same)), otherwise=otherwise) if same == name:
            return _present(otherwise, name)
        case Logical(op="and", left=Has(name=same), right=other) if same == name:
            return _present(other, name)
        case Logical(op="and", left=other, right=Has(name=same)) if same == name:
            return _present(other, name)
    changed: dict[str, object] = {}
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, Node):
            changed[item.name] = _present(value, name)
        elif isinstance(value, tuple):
            changed[item.name] = tuple(_present(each, name) for each in value)
    if not changed:
        return node
    # The fields of a node of any kind, with parts of the same kinds.
    known: Node = replace(node, **changed)  # type: ignore[arg-type]
    # What has become a plain 1 or 0 need not be computed with.
    match known:
        case Arithmetic(op="*", left=left, right=right):
            return multiply(left, right)
        case Arithmetic(op="+", left=left, right=right):
            return add(left, right)
        case Arithmetic(op="-", left=left, right=right):
            return subtract(left, right)
    return known


def _part(call_: Call, input_: CustomParameter, output: CustomParameter, node: Node) -> Part:
    op = call_.op
    inputs = _asked(call_, output, node)
    types = {**call_.typed(inputs), output.type: "grad.dtype"}
    attributes = [a for a in op.attributes if a.name in attributes_of(node)]
    names = Names(
        inputs={p.name: parameter(p.name) for p in op.inputs},
        attributes={a.name: parameter(a.name) for a in op.attributes},
        like=("grad", output.type),
        dtypes={type_: text for type_, text in types.items() if type_ in op.types},
    )
    code = print_torch(node, names)
    product = "grad"
    if not (isinstance(node, Number) and node.value == 1):
        text = code.value
        product = f"grad * ({text})" if _needs_parentheses(text) else f"grad * {text}"
    formals = ["grad: Tensor"]
    by_name = {p.name: text for p, text in zip(op.inputs, call_.inputs_typed(), strict=True)}
    by_name[input_.name] = by_name[input_.name].removesuffix(" | None")
    formals += [by_name[p.name] for p in inputs]
    plain = dict(zip((a.name for a in call_.plain), call_.plain_typed(), strict=True))
    formals += [plain[a.name] for a in attributes]
    return Part(
        name=Identifier(f"_{input_.name}_from_{output.name}"),
        input=input_,
        output=output,
        inputs=tuple(inputs),
        attributes=tuple(a.name for a in attributes),
        formals=safe(formals),
        body=safe([*code.lines, f"return {product}"]),
    )


def _asked(call_: Call, output: CustomParameter, node: Node) -> list[CustomParameter]:
    """The inputs that the derivative needs: for their values, or for a type in it."""
    names = inputs_of(node)
    told = {output.type, *(p.type for p in call_.op.inputs if p.name in names)}
    for type_ in {part.type for part in walk(node)} & set(call_.op.types) - told:
        of_type = [p for p in call_.op.inputs if p.type == type_]
        names.add(min(of_type, key=lambda p: p.option == "optional").name)
    return [p for p in call_.op.inputs if p.name in names]


def _needs_parentheses(text: str) -> bool:
    """Is it more than a name, a number or one call?"""
    depth = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == " " and depth == 0:
            return True
    return text.startswith(("-", "~"))


def _saved(call_: Call, parts: tuple[Part, ...]) -> tuple[CustomParameter, ...]:
    """The inputs that the gradient asks for; a variadic one is the last."""
    asked = {p.name for part in parts for p in part.inputs}
    return tuple(p for p in call_.op.inputs if p.name in asked)


def _starred(saved: tuple[CustomParameter, ...]) -> list[str]:
    return [f"{'*' if p.option == 'variadic' else ''}{parameter(p.name)}" for p in saved]


def _setup(call_: Call, parts: tuple[Part, ...], saved: tuple[CustomParameter, ...]) -> list[str]:
    values = [*call_.values, *(parameter(a.name) for a in call_.tensors)]
    target = f"({values[0]},)" if len(values) == 1 else ", ".join(values)
    lines = [f"{target} = inputs"]
    lines += call("ctx.formats = formats(", call_.values)
    if saved:
        lines += call("ctx.save_for_backward(", _starred(saved))
    for name in _attributes(call_, parts):
        python = parameter(name)
        value = f'keyword_only_inputs["{python}"]'
        kind = next(a.type for a in call_.plain if a.name == name)
        lines.append(f"ctx.{python} = single({value})" if kind == "float"
                     else f"ctx.{python} = {value}")  # fmt: skip
    return lines


def _attributes(call_: Call, parts: tuple[Part, ...]) -> list[str]:
    asked = {name for part in parts for name in part.attributes}
    return [a.name for a in call_.plain if a.name in asked]


def _backward(
    call_: Call, parts: tuple[Part, ...], saved: tuple[CustomParameter, ...]
) -> list[str]:
    lines = []
    if saved:
        names = _starred(saved)
        target = ", ".join(names)
        if len(names) == 1:
            target = f"({names[0]},)"
        lines.append(f"{target} = ctx.saved_tensors")
    count = len(call_.op.inputs) + len(call_.tensors)
    lines.append(f"gradients: list[Any] = [None] * {count}")
    for index, p in enumerate(call_.op.inputs):
        mine = [part for part in parts if part.input is p]
        if not mine:
            continue
        needs = f"ctx.needs_input_grad[{index}]"
        lines.append(f"if any({needs}):" if p.option == "variadic" else f"if {needs}:")
        for number, part in enumerate(mine):
            arguments = [f"grad_{part.output.name}", *(parameter(q.name) for q in part.inputs)]
            arguments += [f"ctx.{parameter(name)}" for name in part.attributes]
            start = "grad = " if number == 0 else "grad = grad + "
            made = call(f"{start}{part.name}(", arguments, indent=8)
            lines += [f"    {text}" for text in made]
        like = f"ctx.formats[{index}]"
        if p.option == "variadic":
            lines.append(f"    gradients[{index}] = [summed(grad, like) for like in {like}]")
        else:
            lines.append(f"    gradients[{index}] = summed(grad, {like})")
    return [*lines, "return tuple(gradients)"]


def _stub_setup(call_: Call) -> list[str]:
    """Everything is kept: who knows what the gradient will ask for."""
    values = [*call_.values, *(parameter(a.name) for a in call_.tensors)]
    target = f"({values[0]},)" if len(values) == 1 else ", ".join(values)
    lines = [f"{target} = inputs"]
    single = [
        *(parameter(p.name) for p in call_.op.inputs if p.option != "variadic"),
        *(parameter(a.name) for a in call_.tensors),
        *(f"*{parameter(p.name)}" for p in call_.op.inputs if p.option == "variadic"),
    ]
    lines += call("ctx.save_for_backward(", single)
    if call_.plain:
        lines.append("ctx.attributes = keyword_only_inputs")
    return lines


def _stub_backward(call_: Call) -> list[str]:
    single = [
        *(parameter(p.name) for p in call_.op.inputs if p.option != "variadic"),
        *(parameter(a.name) for a in call_.tensors),
        *(f"*{parameter(p.name)}" for p in call_.op.inputs if p.option == "variadic"),
    ]
    target = ", ".join(single)
    if len(single) == 1:
        target = f"({single[0]},)"
    lines = [f"{target} = ctx.saved_tensors"]
    for a in call_.plain:
        python = parameter(a.name)
        lines.append(f'{python} = ctx.attributes["{python}"]')
    grads = [f"grad_{output.name}" for output in call_.op.outputs]
    arguments = [*grads, *call_.values, *call_.decoded()]
    lines += call("gradients = yours.backward(", arguments)
    return [*lines, "return OPERATOR.gradients(gradients)"]
