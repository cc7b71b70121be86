"""What a stub's owner is to write in the PyTorch package, in ready lines of Python."""

from __future__ import annotations

from dataclasses import dataclass

from epforge.literals import py_string
from epforge.names import Safe
from epforge.plan.torch_call import Call, call, literal, safe
from epforge.plan.torch_names import parameter
from epforge.resolve.services import CustomAttribute, Grad

#: Values for attributes without a default in the tests of a stub.
SAMPLES = {
    "int": "1", "float": "0.5", "bool": "True", "string": '"text"', "ints": "(1, 2)",
    "floats": "(0.5, 1.5)", "strings": '("first", "second")', "tensor": "torch.ones(2)",
}  # fmt: skip


@dataclass(frozen=True)
class Function:
    """A function to write.

    Args:
        name: its name; ``formals`` its parameters, ``result`` the type of what it returns.
        doc: what it does.
        raised: the error until it is written.
    """

    name: Safe
    formals: tuple[Safe, ...]
    result: Safe
    doc: Safe
    raised: tuple[Safe, ...]


@dataclass(frozen=True)
class YoursView:
    """The file that is yours.

    Args:
        shapes: of the inputs in the tests; examples: attributes in the tests. Only of stubs.
    """

    label: str
    functions: tuple[Function, ...]
    imports: tuple[Safe, ...]
    aliases: tuple[Safe, ...]
    shapes: tuple[Safe, ...]
    examples: tuple[Safe, ...]
    stub: bool


def yours_view(call_: Call) -> YoursView:
    """The functions of a stub, of a gradient stub, or both."""
    op = call_.op
    attributes = [*call_.tensors_typed(), *call_.plain_typed()]
    named = ["*", *attributes] if attributes else []
    functions = []
    if call_.stub:
        many = "outputs" if call_.several else "output"
        shape = "tuple[Shape, ...]" if call_.several else "Shape"
        functions += [
            _function(call_, "forward", [*call_.inputs_typed(), *named], call_.result,
                      f"Computes the {many}, in the shape that `output_shape` says."),
            _function(call_, "output_shape", [*call_.shapes_typed(), *named], shape,
                      f"The shape of the {many}, from those of the inputs. Sizes may be open."),
        ]  # fmt: skip
    if op.grad is Grad.STUB:
        grads = [f"grad_{output.name}: Tensor" for output in op.outputs]
        functions.append(
            _function(call_, "backward", [*grads, *call_.inputs_typed(), *named],
                      "tuple[Gradient, ...]",
                      "The gradient of each input: None for one that has none, a list for a "
                      "variadic one.")
        )  # fmt: skip
    text = " ".join(str(part) for f in functions for part in (*f.formals, f.result))
    aliases = []
    if "Shape" in text:
        aliases.append("Shape = Sequence[int]")
    if op.grad is Grad.STUB:
        aliases.append("Gradient = Tensor | Sequence[Tensor] | None")
    imports = []
    if "Sequence" in text or aliases:
        imports += ["from collections.abc import Sequence"]
    if call_.stub:
        imports += ["from typing import Any"]
    imports.append("")
    if call_.stub and call_.tensors:
        imports.append("import torch")
    imports.append("from torch import Tensor")
    return YoursView(
        label=op.label,
        functions=tuple(functions),
        imports=safe(imports),
        aliases=safe(aliases),
        shapes=safe("[(2, 3)]" if p.option == "variadic" else "(2, 3)" for p in op.inputs),
        examples=safe(f"{py_string(parameter(a.name))}: {_example(a)}" for a in op.attributes),
        stub=call_.stub,
    )


def _example(attribute: CustomAttribute) -> str:
    return SAMPLES[attribute.type] if attribute.default is None else literal(attribute)


def _function(call_: Call, name: str, formals: list[str], result: str, doc: str) -> Function:
    message = f"{call_.op.label}: {name} is yours to write, in yours/{call_.function}.py"
    raised = safe(call("raise NotImplementedError(", [py_string(message)], comma=False))
    return Function(Safe(name), safe(formals), Safe(result), Safe(doc), raised)
