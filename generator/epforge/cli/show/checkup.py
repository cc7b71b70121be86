"""What ``epforge doctor`` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from epforge.cli.show import prognosis
from epforge.doctor.model import Checkup, Finding, Severity
from epforge.doctor.onnx_model import ModelCheckup

_WORDS = {Severity.NOTE: "notes", Severity.WARNING: "warnings", Severity.ERROR: "errors"}


def lines(found: Checkup | ModelCheckup) -> Iterator[str]:
    """A checkup as text: what is well in a line each, everything else with its cure."""
    if isinstance(found, ModelCheckup):
        yield from prognosis.lines(found)
        return
    for finding in found.findings:
        yield from finding_lines(finding)
    yield f"{found.subject or 'this machine'}: {summary(found)}"


def finding_lines(finding: Finding) -> Iterator[str]:
    """What was found, why it matters, and the command."""
    yield f"{finding.severity}: {finding.what}"
    if finding.why:
        yield f"  {finding.why}"
    if finding.command:
        yield f"  Run: {finding.command}"


def summary(found: Checkup) -> str:
    """How much there is of each severity."""
    count = Counter(finding.severity for finding in found.findings)
    parts = []
    for severity in reversed(Severity):
        number = count[severity]
        if number and severity is not Severity.OK:
            many = _WORDS.get(severity, severity.value)
            parts.append(f"{number} {severity.value if number == 1 else many}")
    return ", ".join(parts) or "all is well"
