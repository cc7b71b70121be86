"""What ``init`` prints: the ready blueprints, and what becomes of a new one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from epforge.starter.ready import Ready
from epforge.verbs.init import InitResult
from epforge.verbs.wording import count

_WHAT = {
    ".copier-answers.yml": "what was answered, for copier update",
    "blueprint.yaml": "the blueprint: all that follows comes from it",
    "epforge.schema.json": "tells editors what a blueprint can have",
}
_OWNERS = {
    "generated": "epforge's, replaced when the blueprint changes",
    "shared": "both have lines in them, which are merged",
    "yours": "written once, never touched again",
}
_MOST = 12


def ready_lines(found: Sequence[Ready]) -> Iterator[str]:
    """The ready blueprints, each with its first sentence."""
    wide = max(len(each.name) for each in found) + 2
    for each in found:
        indent = " " * wide
        text = textwrap.fill(each.summary, 100, initial_indent=indent, subsequent_indent=indent)
        yield f"{each.name:<{wide}}{text.lstrip()}"


def preview_lines(result: InitResult) -> Iterator[str]:
    """What is written, what it will become, what stays on the CPU."""
    files = sorted((*result.written, *result.present))
    wide = max(map(len, files))
    yield "Files of the repository:"
    for path in files:
        what = "is there already, the same" if path in result.present else _WHAT.get(path, "")
        yield f"  {path:<{wide}}  {what}".rstrip()
    yield f"Operators of {result.ep}:"
    if result.kernels:
        number = count(len(result.kernels), "operator")
        yield f"  {number} with a kernel: {_names(result.kernels)}"
    if result.stubs:
        number = count(len(result.stubs), "stub")
        yield f"  {number} to be written by you, on the CPU before that: {_names(result.stubs)}"
    if result.cpu:
        yield f"  {count(len(result.cpu), 'operator')} of the model on the CPU:"
        for each in result.cpu[:_MOST]:
            yield f"    {each.op}, {count(each.nodes, 'node')}: {each.reason}"
        if len(result.cpu) > _MOST:
            yield f"    ... {len(result.cpu) - _MOST} more, as comments in the blueprint"
    total = sum(map(len, result.project.values()))
    yield f"The project that `epforge scaffold` makes of it, {count(total, 'file')}:"
    for owner, paths in result.project.items():
        yield f"  {len(paths):>4} {owner:<9}  {_OWNERS[owner]}"
    if result.in_the_way:
        yield f"In the way of that, to be moved before: {_names(result.in_the_way)}"


def end_lines(result: InitResult) -> Iterator[str]:
    """What was done, and the commands to go on with."""
    yield "nothing was written" if result.dry_run else f"{result.directory}: written"
    yield "Next:"
    for command in result.next:
        yield f"  {command}"


def _names(names: Sequence[str]) -> str:
    more = f", ... ({len(names)} in all)" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more
