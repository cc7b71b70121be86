"""The Python of one custom operator in the PyTorch package, in ready lines."""

from __future__ import annotations

from dataclasses import dataclass

from epforge.names import Identifier, Safe
from epforge.plan.expression_torch import Names, attributes_of, print_torch
from epforge.plan.torch_call import Call, call, dtypes, items, literal, safe
from epforge.plan.torch_gradient import Gradient, gradient
from epforge.plan.torch_names import import_lines, module, order, parameter
from epforge.resolve.services import CustomAttribute, CustomParameter, Grad

Lines = tuple[Safe, ...]


@dataclass(frozen=True)
class AttributeView:
    """An attribute, as the table of the package has it."""

    name: str
    python: Identifier
    type: Safe
    value: Safe  # the default, or None


@dataclass(frozen=True)
class OpView:
    """What the templates print of an operator.

    Args:
        version: of its domain.
        computed: it has expressions; else its computation is in the file that is yours.
        texts: the expressions, as ``y = ...``.
        keywords: it has attributes that ``torch.ops`` takes by name.
        parameters: of the function that people call; formals: of those behind ``torch.ops``.
    """

    label: str
    domain: str
    name: str
    version: int
    function: Identifier
    module: Identifier
    inputs: tuple[CustomParameter, ...]
    outputs: tuple[CustomParameter, ...]
    attributes: tuple[AttributeView, ...]
    table: Lines
    computed: bool
    has_yours: bool
    stub_gradient: bool
    texts: tuple[str, ...]
    keywords: bool
    imports: Lines
    schema: Lines
    init: Lines
    module_inputs: Lines
    module_call: Lines
    result: Safe
    parameters: Lines
    called: Lines
    formals: Lines
    forward: Lines
    fake: Lines
    shape: Lines
    gradient: Gradient | None


def op_view(call_: Call, version: int) -> OpView:
    """The view of an operator.

    Args:
        version: of its domain.
    """
    op = call_.op
    forward = _computed(call_) if op.compute is not None else _delegated(call_)
    derived = gradient(call_)
    stub_gradient = op.grad is Grad.STUB
    fake = _fake(call_)
    text = "\n".join(
        [*forward, *fake, *(_shape(call_) if call_.stub else ()), *_gradient_lines(derived)]
    )
    has_yours = call_.stub or stub_gradient
    return OpView(
        label=op.label,
        domain=op.domain,
        name=str(op.op),
        version=version,
        function=call_.function,
        module=module(call_.function),
        inputs=op.inputs,
        outputs=op.outputs,
        table=safe(_table(call_)),
        attributes=tuple(
            AttributeView(a.name, parameter(a.name), Safe(a.type), literal(a))
            for a in op.attributes
        ),
        computed=not call_.stub,
        has_yours=has_yours,
        stub_gradient=stub_gradient,
        texts=tuple(f"{name} = {each.text}" for name, each in (op.compute or {}).items()),
        keywords=bool(call_.plain),
        imports=_imports(call_, text, has_yours, derived),
        schema=safe(call_.schema()),
        init=safe(call_.init()),
        module_inputs=safe(call_.inputs_typed(defaults=True)),
        module_call=safe(call_.module_arguments()),
        result=Safe(call_.result),
        parameters=safe(call_.public()),
        called=safe(call_.public_arguments()),
        formals=safe(call_.formals()),
        forward=safe(forward),
        fake=safe(fake),
        shape=safe(_shape(call_)) if call_.stub else (),
        gradient=derived,
    )


def _attribute(attribute: CustomAttribute) -> AttributeView:
    name = attribute.name
    return AttributeView(name, parameter(name), Safe(attribute.type), literal(attribute))


def _gradient_lines(derived: Gradient | None) -> list[str]:
    if derived is None:
        return []
    parts = [text for part in derived.parts for text in (*part.formals, *part.body)]
    return [*parts, *derived.setup, *derived.backward]


def _table(call_: Call) -> list[str]:
    """Inputs, outputs and types, as arguments."""
    op = call_.op
    inputs = [f'Formal("{p.name}", "{p.type}", "{p.option}")' for p in op.inputs]
    outputs = [f'Formal("{p.name}", "{p.type}")' for p in op.outputs]
    types = []
    for name in dict.fromkeys(p.type for p in (*op.inputs, *op.outputs)):
        known = [f"torch.{dtype.text}" for dtype in dtypes(op, name)]
        types += items(f'"{name}": (', known, "),")
    return [
        *items("inputs=(", inputs, "),"),
        *items("outputs=(", outputs, "),"),
        "types={",
        *(f"    {line}" for line in types),
        "},",
    ]


def _imports(call_: Call, text: str, has_yours: bool, derived: Gradient | None) -> Lines:
    """Import statements, sorted as ruff sorts them."""
    public = " ".join((*call_.public(), *call_.formals(), text))
    lines = []
    if any(a.type == "strings" for a in call_.op.attributes):
        lines.append("import json")
    if "Sequence[" in public or call_.stub:
        lines.append("from collections.abc import Sequence")
    typing = ["Any", "Final"] if derived is not None else ["Final"]
    lines.append(f"from typing import {', '.join(typing)}")
    lines += ["", "import torch", "from torch import Tensor", ""]
    names = ["Formal", "Operator", "register"]
    if call_.op.attributes:
        names.append("Attribute")
    if call_.stub:
        names.append("Shape")
    known = ("broadcast", "copied", "first", "formats", "single", "summed", "whole")
    names += [name for name in known if f"{name}(" in text]
    if "_numbers." in text:
        lines.append("from .. import _numbers")
    lines += import_lines("from .._library import ", sorted(names, key=order))
    if has_yours:
        lines.append(f"from ..yours import {call_.function} as yours")
    return safe(lines)


def _computed(call_: Call) -> list[str]:
    op = call_.op
    assert op.compute is not None
    attributes = {name for each in op.compute.values() for name in attributes_of(each.root)}
    like, own = call_.like()
    names = Names(
        inputs={p.name: parameter(p.name) for p in op.inputs},
        attributes={a.name: parameter(a.name) for a in op.attributes},
        like=(like, own),
        dtypes=call_.typed(),
    )
    lines = call("OPERATOR.check(", call_.values)
    lines += call("shape = broadcast(", call_.values)
    for a in call_.plain:
        if a.name in attributes and a.type == "float":
            lines.append(f"{parameter(a.name)} = single({parameter(a.name)})")
    results = []
    for output in op.outputs:
        # The statements of one output may name values as those of another one do: those are
        # used up by then, but the results must not be.
        code = print_torch(op.compute[output.name].root, names)
        lines += code.lines
        if not code.tensor:
            dtype = "" if output.type == own else f", dtype={names.dtype(output.type)}"
            value = f"{like}.new_full(shape, {code.value}{dtype})"
        else:
            value = f"{'whole' if code.fresh else 'copied'}({code.value}, shape)"
        result = f"result_{output.name}"
        if call_.several:
            lines.append(f"{result} = {value}")
            results.append(result)
        else:
            results.append(value)
    return [*lines, f"return {', '.join(results)}"]


def _delegated(call_: Call) -> list[str]:
    results = "results" if call_.several else "(results,)"
    lines = call("types = OPERATOR.check(", call_.values)
    lines += call("shapes = _shapes(", call_.passed())
    lines += call("results = yours.forward(", [*call_.values, *call_.decoded()])
    lines.append(f"inputs = ({call_.tuple_})")
    lines.append(f"finished = OPERATOR.finished(types, {results}, shapes, inputs)")
    return [*lines, _returned(call_, "finished")]


def _fake(call_: Call) -> list[str]:
    lines = call("types = OPERATOR.check(", call_.values)
    if call_.stub:
        lines += call("shapes = _shapes(", call_.passed())
    else:
        lines += call("shape = broadcast(", call_.values)
    shapes = "shapes" if call_.stub else f"[shape] * {len(call_.op.outputs)}"
    lines.append(f"results = OPERATOR.empty(types, {call_.like()[0]}, {shapes})")
    return [*lines, _returned(call_, "results")]


def _shape(call_: Call) -> list[str]:
    arguments = [
        {
            "single": f"{name}.shape",
            "optional": f"None if {name} is None else {name}.shape",
            "variadic": f"[each.shape for each in {name}]",
        }[p.option]
        for p, name in zip(call_.op.inputs, call_.values, strict=True)
    ]
    lines = call("shapes = yours.output_shape(", [*arguments, *call_.decoded()])
    return [*lines, "return shapes" if call_.several else "return (shapes,)"]


def _returned(call_: Call, name: str) -> str:
    return "return " + ", ".join(f"{name}[{index}]" for index in range(len(call_.op.outputs)))
