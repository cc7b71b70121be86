"""A node beside the schema of its op: inputs, outputs, attributes, element types."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from epforge.validate.models.facts import NodeFact
from epforge.validate.models.findings import Finding, Severity
from epforge.validate.models.offers import OpOffer, Parameter

_EXPORT = "Change what is exported, and export the model again"


def against(node: NodeFact, op: OpOffer) -> Finding | None:
    """The first thing that does not fit; errors come before warnings."""
    for finder in (_counts, _required, _attributes, _types, _passed_over):
        for finding in finder(node, op):
            return finding
    return None


def _finding(
    node: NodeFact, code: str, message: str, hint: str, severity: Severity = Severity.ERROR
) -> Finding:
    return Finding(
        severity, code, node.domain, node.op, f"{node.label} {message}", hint, node.names,
        node.count,
    )  # fmt: skip


def _counts(node: NodeFact, op: OpOffer) -> Iterator[Finding]:
    for what, given, formal in (
        ("input", node.inputs, op.inputs),
        ("output", node.outputs, op.outputs),
    ):
        least = max((i + 1 for i, p in enumerate(formal) if p.option != "optional"), default=0)
        variadic = bool(formal) and formal[-1].option == "variadic"
        most = None if variadic else len(formal)
        if least <= len(given) and (most is None or len(given) <= most):
            continue
        takes = f"at least {least}" if most is None else _range(least, most)
        names = ", ".join(p.name + _MARKS[p.option] for p in formal)
        yield _finding(
            node,
            f"wrong-{what}s",
            f"has {_plural(len(given), what)}, the op has {takes}: {names}",
            f"{_EXPORT}.",
        )


_MARKS = {"single": "", "optional": "?", "variadic": "*"}


def _range(least: int, most: int) -> str:
    return str(most) if least == most else f"{least} to {most}"


def _plural(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def _required(node: NodeFact, op: OpOffer) -> Iterator[Finding]:
    for given, parameter in zip(node.inputs, op.inputs, strict=False):
        if given is None and parameter.option == "single":
            yield _finding(
                node,
                "missing-input",
                f"leaves out the input {parameter.name}, which is not optional",
                f"{_EXPORT} with a value for {parameter.name}.",
            )


def _attributes(node: NodeFact, op: OpOffer) -> Iterator[Finding]:
    given = dict(node.attributes)
    for attribute in op.attributes:
        name, kind = attribute.name, attribute.kind
        if name not in given:
            if attribute.required:
                others = [other for other in given if not _formal(op, other)]
                yield _finding(
                    node,
                    "missing-attribute",
                    f"lacks the attribute {name}, which has no default",
                    f"{_EXPORT} with {name} ({kind}){_instead(name, others)}.",
                )
        elif given[name] not in ("", kind):
            yield _finding(
                node,
                "wrong-attribute",
                f"has the attribute {name} as {given[name]}, the op takes it as {kind}",
                f"{_EXPORT} with {name} as {kind}.",
            )


def _formal(op: OpOffer, name: str) -> bool:
    return any(attribute.name == name for attribute in op.attributes)


def _instead(name: str, others: list[str]) -> str:
    close = get_close_matches(name, others, n=1)
    return f"; the node has {close[0]}" if close else ""


def _passed_over(node: NodeFact, op: OpOffer) -> Iterator[Finding]:
    known = [attribute.name for attribute in op.attributes]
    for name, _ in node.attributes:
        if name in known:
            continue
        close = get_close_matches(name, known, n=1)
        meant = f" Is {close[0]} meant?" if close else ""
        has = f"it has {', '.join(known)}" if known else "it has none"
        yield _finding(
            node,
            "unknown-attribute",
            f"has an attribute {name}, which the op does not know: {has}",
            f"ONNX Runtime passes over it.{meant}",
            Severity.WARNING,
        )


def _types(node: NodeFact, op: OpOffer) -> Iterator[Finding]:
    bound: dict[str, tuple[str, str]] = {}  # variable -> (element type, whose)
    for what, given, formal in (
        ("input", node.inputs, op.inputs),
        ("output", node.outputs, op.outputs),
    ):
        for dtype, parameter in _paired(given, formal):
            takes = op.accepts(parameter)
            where = f"the {what} {parameter.name}"
            if dtype not in takes:
                yield _finding(
                    node,
                    "unsupported-type",
                    f"has {dtype} as {where}, the op is there for {_listed(takes)}",
                    f"Put a Cast to {takes[0] if takes else 'another type'} around the node, or "
                    f"add {dtype} to the op's types and build the library again.",
                )
            elif parameter.type in op.types:
                first, whose = bound.setdefault(parameter.type, (dtype, where))
                if first != dtype:
                    yield _finding(
                        node,
                        "mixed-types",
                        f"has {first} as {whose} and {dtype} as {where}, but both are the op's "
                        f"type {parameter.type}",
                        f"Put a Cast before the node, so that all of type {parameter.type} agree.",
                    )


def _paired(
    given: tuple[str | None, ...], formal: tuple[Parameter, ...]
) -> Iterator[tuple[str, Parameter]]:
    """The known element types with their parameters."""
    for index, dtype in enumerate(given):
        if dtype and formal:
            yield dtype, formal[min(index, len(formal) - 1)]


def _listed(types: tuple[str, ...]) -> str:
    return ", ".join(types) if types else "no type"
