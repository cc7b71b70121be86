"""Answers about operators, headers and ONNX Runtime's C API."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from epforge.verbs.shapes.base import Answer, Shape

Status = Literal["implemented", "stub", "impossible"]


class OpVersion(Shape):
    """A since-version of an operator."""

    since: int
    kernel: bool
    """There is a kernel for it."""
    types: dict[str, list[str]]
    """Element types that the kernel has, by type constraint."""
    lacking: dict[str, list[str]]
    """Element types of the schema that it has not."""


class Op(Shape):
    """What kernel there is for an operator."""

    domain: str
    """Empty is ai.onnx."""
    op: str
    status: Status
    family: str | None
    """The kernel family that has it."""
    device: bool
    """There is a CUDA kernel, too."""
    reason: str
    """Why it is a stub or impossible; may be empty."""
    versions: list[OpVersion]


class OpList(Answer):
    """`epforge ops list --json`."""

    ops: list[Op]


class OpShow(Answer, Op):
    """`epforge ops show --json`."""


class Family(Shape):
    """A kernel family."""

    family: str
    ops: list[str]
    versions: int
    """How many since-versions have a kernel."""
    of: int
    """How many since-versions there are."""
    device: bool
    node_tests_passed: int | None = None
    """Only with --report."""
    node_tests: int | None = None
    """Only with --report."""


class Domain(Shape):
    """The operators of a domain."""

    domain: str
    """Empty is ai.onnx."""
    publisher: str
    operators: int
    implemented: int
    versions: int
    versions_implemented: int
    families: list[Family]


class Missing(Shape):
    """An operator without a kernel."""

    op: str
    status: Status
    reason: str


class Coverage(Answer):
    """`epforge ops coverage --json`."""

    domains: list[Domain]
    missing: list[Missing]


class Wanted(Shape):
    """An operator that models need."""

    domain: str
    op: str
    opsets: list[int]
    """The domain's versions in the models that have it."""
    types: dict[str, list[str]]
    """Element types of the nodes, by type constraint, where the models tell them."""
    nodes: int
    """How many there are in all models."""
    status: Status
    reason: str
    """What is lacking; may be empty."""


class ModelOps(Answer):
    """`epforge ops from-model --json`."""

    ops: list[Wanted]
    untyped: dict[str, str]
    """By model, why element types could not all be told."""


class Sdk(Shape):
    """Headers on this machine."""

    level: int | None
    """Their API level; null where it cannot be read."""
    root: str
    include: str
    """The directory to give to a compiler."""
    source: str
    """How they were found."""
    problems: list[str]


class SdkList(Answer):
    """`epforge sdk list --json`."""

    sdks: list[Sdk]
    """In the order in which they are looked for."""


class SdkFound(Answer):
    """`epforge sdk path --json` and `epforge sdk install --json`."""

    include: str
    """The directory to give to a compiler."""
    root: str
    level: int
    version: str
    source: str


class Problem(Shape):
    """What is wrong with a header."""

    file: str
    message: str


class SdkVerify(Answer):
    """`epforge sdk verify --json`."""

    directory: str
    ok: bool
    problems: list[Problem]


class StructSummary(Shape):
    """A struct of ONNX Runtime's C API, in short."""

    role: str
    members: int
    since: int


class ApiShow(Answer):
    """`epforge api show --json`."""

    release: str
    level: int
    confidence: str
    source: str
    gains: list[str]
    """What the release brought."""
    structs: dict[str, StructSummary]


class Param(Shape):
    """A parameter of a function pointer."""

    name: str
    type: str


class Member(Shape):
    """A member of a struct."""

    slot: int
    """Its position, counted from 0."""
    name: str
    type: str
    params: list[Param] | None
    """null for a value, or where they are not known."""
    since: int
    since_exact: bool
    """`since` is the very first level that has it."""
    is_function: bool
    confidence: str
    source: str
    need: str
    """What a provider that leaves it null gets."""
    when: str
    when_null: str
    note: str
    fact_source: str
    signature: str
    """The declaration in C."""


class ApiShowStruct(Answer):
    """`epforge api show STRUCT --json`."""

    release: str
    level: int
    struct: str
    role: str
    header: str
    members: list[Member]


class ApiShowMember(Answer, Member):
    """`epforge api show STRUCT.MEMBER --json`."""

    struct: str


class Key(Shape):
    """A configuration or metadata key."""

    key: str
    constant: str
    scope: str
    since: int
    exact: bool
    """`since` is the very first level that has it."""
    until: int | None
    """The level that deprecated it."""
    note: str
    source: str


class ApiKeys(Answer):
    """`epforge api keys --json`."""

    release: str
    keys: list[Key]


class DiffMember(Shape):
    """A member that one of two releases lacks."""

    slot: int
    name: str
    since: int
    since_exact: bool
    signature: str
    confidence: str
    need: str
    when: str
    when_null: str
    note: str


class DiffChanged(Shape):
    """A member that is declared otherwise."""

    slot: int
    before: str
    after: str


class DiffStruct(Shape):
    """What differs in a struct."""

    role: str
    whole: bool
    """The older release does not have the struct at all."""
    members: list[DiffMember]
    changed: list[DiffChanged]


class Correction(Shape):
    """A level that headers state wrongly."""

    what: str
    header_says: int
    since: int
    why: str


class ApiDiff(Answer):
    """`epforge api diff --json`."""

    from_: int = Field(alias="from")
    """The level that is left."""
    to: int
    """The level that is gone to."""
    direction: Literal["gains", "loses"]
    gains: dict[str, list[str]]
    """By level, what it brought."""
    structs: dict[str, DiffStruct]
    keys: list[Key]
    deprecated: list[Key]
    corrections: list[Correction]
