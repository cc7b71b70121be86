"""Answers about libraries, models, templates and reports."""

from __future__ import annotations

from typing import Literal

from epforge.verbs.shapes.base import Answer, Shape


class Built(Shape):
    """A library that was built."""

    library: str
    manifest: str
    """What it claims; the file beside it."""
    preset: str
    target: str
    """The platform that it is for; empty for this one."""
    warnings: int
    """How many the compilers gave in this run."""
    seconds: float
    compiled: int
    """How many files were compiled in this run."""
    log: str
    """The whole output of CMake and Ninja."""


class Wheel(Shape):
    """A wheel that was made."""

    path: str
    tag: str
    size: int
    """In bytes."""
    seconds: float
    log: str


class Build(Answer, Built):
    """`epforge build --json`."""

    wheel: Wheel | None = None
    """Only with --wheel."""
    native_wheel: Wheel | None = None
    """That of the kernels for NumPy; only with --wheel, and null if there is none."""


class File(Shape):
    """A file that was written."""

    path: str
    bytes: int


class CompiledModel(Shape):
    """A model that was compiled."""

    model: str
    output: str
    compiled_nodes: int
    """How many of its nodes were compiled."""
    ep_context_nodes: int
    """Into how many EPContext nodes."""
    other_nodes: int
    """How many are left to others."""
    files: list[File]
    """The output, and those that must stay beside it."""


class NotCompiled(Shape):
    """Models that could not be compiled."""

    models: list[str]
    message: str
    cure: str


class Compile(Answer):
    """`epforge compile --json`."""

    ok: bool
    """Every model is compiled."""
    ep: str
    """The execution provider that compiled."""
    device: str
    notes: list[str]
    models: list[CompiledModel]
    failed: list[NotCompiled]


class ModelDomain(Shape):
    """A domain of a model."""

    domain: str
    version: int | None
    """As the model imports it; null if it does not."""
    nodes: int
    by: str
    """What takes care of it; empty when nothing does."""
    fine: bool
    """There is no error about it."""


class Finding(Shape):
    """Why a model's operators are not found."""

    severity: Literal["error", "warning"]
    code: str
    """A stable word for the kind of finding; see the list in docs/cli.md."""
    domain: str
    """Empty is ai.onnx."""
    op: str
    """Empty when it is about the whole domain."""
    message: str
    hint: str
    """The cure."""
    nodes: list[str]
    """Names of the first nodes."""
    count: int
    """How many nodes; 0 when it is about libraries."""


class Template(Answer):
    """`epforge templates show --json`."""

    name: str
    text: str


class TemplateList(Answer):
    """`epforge templates list --json`."""

    templates: list[str]


class Written(Answer):
    """Files that were written."""

    written: list[str]


class TemplateDiff(Shape):
    """How a template of yours differs from epforge's."""

    name: str
    state: Literal["same", "changed", "old", "unrecorded", "unknown"]
    diff: str
    """From epforge's text to yours; empty where epforge has none."""


class TemplateDiffs(Answer):
    """`epforge templates diff --json`."""

    templates: list[TemplateDiff]


class OutcomeChange(Shape):
    """A line that is not the same in two reports."""

    place: str
    """Rung, check and runtime; behind a colon the case."""
    before: str
    """The outcome; empty if it was not there."""
    after: str
    """The outcome; empty if it is not there any more."""
    detail: str


class TimeChange(Shape):
    """A time that has changed notably."""

    place: str
    before: float
    """In seconds."""
    after: float
    """In seconds."""


class ReportDiff(Answer):
    """`epforge report diff --json`."""

    worse: bool
    """Something that was well is not known to be so any more."""
    failing: list[OutcomeChange]
    passing: list[OutcomeChange]
    unchecked: list[OutcomeChange]
    gone: list[OutcomeChange]
    new: list[OutcomeChange]
    slower: list[TimeChange]
    faster: list[TimeChange]
    rungs: dict[str, str]
    """Rungs that only one of the reports has, with which: they are not compared."""
    runtimes: list[str] | None
    """Before and after; null where both are the same."""
