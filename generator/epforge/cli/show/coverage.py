"""What ``epforge ops coverage`` prints."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from epforge.resolve.catalogue import Status
from epforge.verbs.coverage import Coverage

_WIDTH = 110


def lines(found: Coverage) -> Iterator[str]:
    """Coverage as text: families, totals, and what there is not."""
    for domain in found.to_json()["domains"]:
        yield _headline(domain)
        for family in domain["families"]:
            passed = f"  {_passed(family)}" if "node_tests" in family else ""
            yield f"  {family['family']:26} {_versions(family):7}{passed}  {_names(family['ops'])}"
    for reason, names in _missing(found).items():
        yield f"{reason}:"
        yield from textwrap.wrap(
            " ".join(names),
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="  ",
            break_on_hyphens=False,
            break_long_words=False,
        )


def _missing(coverage: Coverage) -> Mapping[str, list[str]]:
    """The operators without a kernel, by the reason."""
    found: dict[str, list[str]] = {}
    for each in coverage.entries:
        if each.status is not Status.IMPLEMENTED:
            found.setdefault(f"{each.status}, {each.reason}", []).append(each.name)
    return found


def _name(domain: Mapping[str, Any]) -> str:
    name = domain["domain"] or "ai.onnx"
    own = not domain["domain"] and domain["publisher"] == "onnxruntime"
    return f"{name}, of ONNX Runtime" if own else name


def _headline(domain: Mapping[str, Any]) -> str:
    name = _name(domain)
    return (
        f"{name}: {domain['implemented']} of {domain['operators']} operators, "
        f"{domain['versions_implemented']} of {domain['versions']} since-versions"
    )


def _versions(family: Mapping[str, Any]) -> str:
    return f"{family['versions']}/{family['of']}"


def _passed(family: Mapping[str, Any]) -> str:
    return f"{family['node_tests_passed']}/{family['node_tests']}"


def _names(ops: Sequence[str]) -> str:
    return " ".join(ops)


def page(found: Coverage) -> Iterator[str]:
    """Coverage as a page of Markdown."""
    yield "# Operators"
    yield ""
    yield "The kernels that come with epforge, by family. This page is printed by"
    yield ""
    yield from ("```sh", "epforge ops coverage --markdown", "```")
    yield ""
    yield "`epforge ops show OP` has everything about one: versions, element types, attributes."
    for domain in found.to_json()["domains"]:
        yield ""
        yield f"## {_name(domain)}"
        yield ""
        yield f"{_headline(domain).rsplit(': ', 1)[1]}."
        yield ""
        tested = any("node_tests" in family for family in domain["families"])
        yield "| Family | Operators | Versions | CUDA |" + (" Node tests |" if tested else "")
        yield "| --- | --- | --- | --- |" + (" --- |" if tested else "")
        for family in domain["families"]:
            cells = [
                f"`{family['family']}`",
                _names(family["ops"]),
                _versions(family),
                "yes" if family["device"] else "",
            ]
            if tested:
                cells.append(_passed(family) if "node_tests" in family else "")
            yield f"| {' | '.join(cells)} |"
    yield ""
    yield "## Not implemented"
    yield ""
    for reason, names in _missing(found).items():
        yield f"- {reason}: {', '.join(names)}"
