"""Answers about what is missing."""

from __future__ import annotations

from typing import Any, Literal

from epforge.verbs.shapes.base import Answer, Shape
from epforge.verbs.shapes.libraries import Finding, ModelDomain


class Symptom(Shape):
    """One thing that was looked at."""

    code: str
    """A stable word for the kind of thing."""
    severity: Literal["ok", "note", "warning", "missing", "error"]
    """error: something would fail; missing: it is needed and not on this machine."""
    message: str
    why: str
    """Why it matters; empty when it is well."""
    command: str
    """The one command that cures it; empty when it is well, or no command can."""


class Checkup(Answer):
    """`epforge doctor --json` of this machine, a blueprint, a project or a library."""

    about: Literal["machine", "blueprint", "project", "library"]
    subject: str
    """Its path; empty for this machine."""
    exit_status: Literal[0, 1, 4]
    findings: list[Symptom]
    facts: dict[str, Any]
    """What was gathered; its keys are not promised."""


class Imported(Shape):
    """A domain that a model imports."""

    domain: str
    version: int


class Header(Shape):
    """What a model says of itself."""

    ir: int
    imports: list[Imported]
    producer: str


class Runtime(Shape):
    """What this machine's onnxruntime can read."""

    version: str
    ir: int
    opset: int


class OpCount(Shape):
    """How many nodes of an operator."""

    op: str
    nodes: int


class Group(Shape):
    """Nodes with the same fate, for the same reason."""

    by: str
    """Who takes them: an execution provider; empty where it is nobody, or not known."""
    taken: bool
    """By the one that the question is about."""
    code: str
    """Why not: a stable word; taken if they are."""
    reason: str
    ops: list[OpCount]
    """The most frequent first."""
    names: list[str]
    """Of the first of the nodes."""
    change: str
    """What to change in the blueprint; may be empty."""
    command: str
    """What does that; may be empty."""
    nodes: int


class Unregistered(Shape):
    """A library that onnxruntime did not register."""

    library: str
    text: str
    """What it said."""


class Verdict(Shape):
    """What an execution provider says of a compiled model."""

    ep: str
    verdict: str


class Placement(Shape):
    """Who takes which node of a model."""

    how: Literal["asked", "claims", "catalogue"]
    """onnxruntime has divided the model; or what is claimed; or what epforge has kernels for."""
    source: str
    """Whose taking it is; empty for the catalogue."""
    eps: list[str]
    runtime: str
    taken: int
    nodes: int
    groups: list[Group]
    refused: str
    """What onnxruntime said when it made no session; mostly empty."""
    unregistered: list[Unregistered]
    compatibility: list[Verdict]


class DataFile(Shape):
    """A file of compiled data."""

    name: str
    bytes: int
    wrong: str
    """What is wrong with it; mostly empty."""


class CompiledPart(Shape):
    """What one execution provider has compiled of a model."""

    ep: str
    """Empty where the model does not say."""
    nodes: int
    """How many EPContext nodes."""
    main: int
    """How many of them have data of their own."""
    partitions: list[str]
    sdk: list[str]
    hardware: list[str]
    embedded: int
    """Bytes of data in the model."""
    files: list[DataFile]
    compatibility: str
    by: list[str]
    """Libraries, here or given, that have that execution provider."""
    verdict: str


class ModelCheckup(Answer):
    """`epforge doctor MODEL --json`."""

    about: Literal["model"]
    model: str
    exit_status: Literal[0, 1]
    findings: list[Finding]
    domains: list[ModelDomain]
    unknown: list[str]
    """Libraries without a manifest: what they offer is not known."""
    untyped: str
    """Why element types are only known as the model states them; mostly empty."""
    header: Header
    runtime: Runtime
    placement: Placement
    compiled: list[CompiledPart]
