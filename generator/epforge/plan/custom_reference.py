"""What a project's own operators compute, as NumPy for its tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from epforge.names import Identifier, Safe
from epforge.resolve.model import Blueprint
from epforge.resolve.services import CustomOp


@dataclass(frozen=True)
class FormulaView:
    """The function of one operator.

    Args:
        name: of the function.
        label: of the operator: com.contoso::Clip.
        texts: (output, expression as the blueprint has it).
        lines: the body.
    """

    name: Identifier
    label: str
    texts: tuple[tuple[str, str], ...]
    lines: tuple[Safe, ...]


def reference_view(blueprint: Blueprint) -> Mapping[str, object]:
    """What the template of ``custom_reference.py`` is given."""
    helpers: set[str] = set()
    formulas: list[FormulaView] = []
    for custom in blueprint.custom_ops:
        if custom.compute is not None:
            name = Identifier(f"_formula{len(formulas)}")
            formulas.append(_formula(name, custom, helpers))
    return {
        "formulas": tuple(formulas),
        "functools": "functools" in helpers,
        "convert": "_convert" in helpers,
        "erf": "_erf" in helpers,
        "sigmoid": "_sigmoid" in helpers,
    }


def _formula(name: Identifier, custom: CustomOp, helpers: set[str]) -> FormulaView:
    from epforge.plan.expression_numpy import print_numpy

    kinds = {str(attribute.name): attribute.type for attribute in custom.attributes}
    lines: list[Safe] = []
    texts: list[tuple[str, str]] = []
    used = 1
    for output in custom.outputs:
        expression = (custom.compute or {})[output.name]
        code = print_numpy(expression.root, kinds, used)
        used += len(code.lines)
        lines += [*map(Safe, code.lines), Safe(f"yield {code.value}")]
        texts.append((str(output.name), expression.text))
        helpers |= {*code.helpers, *(("functools",) if code.functools else ())}
    return FormulaView(name, custom.label, tuple(texts), tuple(lines))
