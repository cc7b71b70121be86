"""A report as JUnit XML, which every CI shows."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from epforge.report.shape import Case, Check, Outcome, Report
from epforge.report.words import visible

_ENDED: tuple[Outcome, ...] = ("crashed", "timed out")


def junit(report: Report) -> bytes:
    """A suite per rung, a case per check, and one more for each case of a check that went wrong.

    What failed is a failure; what crashed or hung an error; what was not checked is skipped.
    """
    root = Element("testsuites")
    suites = [_suite(report, rung, number) for number, rung in enumerate(_rungs(report))]
    root.extend(suites)
    root.set("name", visible(report.ep or report.file))
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    root.set("time", f"{report.seconds:.3f}")
    indent(root)
    # References instead of other letters than ASCII: no reader can take the encoding for another.
    text: bytes = tostring(root, encoding="us-ascii", xml_declaration=True)
    return text + b"\n"


def _rungs(report: Report) -> list[str]:
    return list(dict.fromkeys(check.rung for check in report.checks))


def _suite(report: Report, rung: str, number: int) -> Element:
    checks = [check for check in report.checks if check.rung == rung]
    suite = Element("testsuite")
    times = [each.seconds for each in report.timings if each.rung == rung]
    suite.set("name", visible(rung))
    suite.set("id", str(number))
    suite.set("package", visible(report.ep or report.file))
    suite.set("timestamp", visible(report.started.removesuffix("Z")) or "1970-01-01T00:00:00")
    suite.set("hostname", "localhost")
    suite.set("time", f"{sum(times) if times else sum(check.seconds for check in checks):.3f}")
    _properties(suite, report)
    for check in checks:
        suite.extend(_cases(report, check))
    suite.set("tests", str(len(suite.findall("testcase"))))
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def _properties(suite: Element, report: Report) -> None:
    facts = report.environment
    known = {
        "library": report.library,
        "sha256": facts.library.sha256,
        "runtimes": ", ".join(report.runtimes),
        "target": report.target,
        "epforge": facts.epforge,
        "os": facts.os,
        "python": facts.python,
    }
    properties = SubElement(suite, "properties")
    for name, value in known.items():
        if value:
            SubElement(properties, "property", name=name, value=visible(value))


def _cases(report: Report, check: Check) -> Iterator[Element]:
    group = ".".join(filter(None, (report.ep or report.file, check.rung, check.runtime)))
    yield _case(group, check.name, check, check.seconds)
    for case in check.cases:
        if case.outcome not in ("passed", "not checked"):
            yield _case(group, f"{check.name}: {case.label}", case, 0.0)


def _case(group: str, name: str, of: Check | Case, seconds: float) -> Element:
    made = Element("testcase", classname=visible(group), name=visible(name), time=f"{seconds:.3f}")
    if of.outcome == "not checked":
        SubElement(made, "skipped", message=_line(of.detail))
    elif of.outcome != "passed":
        tag = "error" if of.outcome in _ENDED else "failure"
        fault = SubElement(made, tag, type=of.outcome, message=_line(of.detail))
        fault.text = visible(of.detail)
    return made


def _line(text: str) -> str:
    return visible(" ".join(text.split()))
