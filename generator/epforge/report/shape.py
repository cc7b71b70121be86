"""The shape of a report: what `epforge validate` writes, and what is read back."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast, Field

Outcome = Literal["passed", "failed", "crashed", "timed out", "not checked"]
Status = Literal[
    "passed", "failed", "crashed", "timed out", "refused", "left alone", "not checked", "claimed"
]
BAD: tuple[Outcome, ...] = ("failed", "crashed", "timed out")
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
_Item = TypeVar("_Item")
Many = Annotated[list[_Item], FailFast()]  # a list that is all wrong is one error, not millions


class _Part(BaseModel):
    # Keys may be added without a new format, so what is not known here is no error.
    model_config = ConfigDict(
        strict=True, frozen=True, extra="allow", use_attribute_docstrings=True
    )


class Case(_Part):
    """One model or one act, as part of a check."""

    label: str
    """What was asked: since-version, types, shapes."""
    outcome: Outcome
    detail: str = ""
    """What was wrong, or why it was not checked."""


class Check(_Part):
    """One line of the report."""

    rung: str
    name: str
    """What was checked; in the rungs ops and conformance the operator."""
    outcome: Outcome
    detail: str
    """The result's numbers, or what is wrong."""
    runtime: str
    """Version of onnxruntime; empty where none was needed."""
    seconds: Seconds
    cached: bool = False
    """It was not run: nothing has changed since it passed."""
    models_left_out: Count = 0
    """So many more models there are, which those that ran stand for."""
    cases: Many[Case]

    @property
    def bad(self) -> bool:
        return self.outcome in BAD

    @property
    def place(self) -> str:
        """ "ops Relu on 1.32.0"."""
        return f"{self.rung} {self.name}" + (f" on {self.runtime}" if self.runtime else "")


class Library(_Part):
    """The library's file."""

    size: Count | None = None
    """In bytes."""
    sha256: str | None = None
    format: str = ""
    machine: str = ""
    compilers: Many[str] = []
    """What compilers have written into it about themselves."""
    floors: Many[str] = []
    """The oldest systems it runs on, one for each thing that it asks for: "GLIBC 2.34"."""
    sanitizers: Many[str] = []


class Environment(_Part):
    """Where the library was validated."""

    epforge: str | None = None
    os: str | None = None
    machine: str | None = None
    cpu: str | None = None
    cores: Count | None = None
    python: str | None = None
    packages: dict[str, str | None] = {}
    """Versions of the packages that checks are made with."""
    library: Library = Library()
    manifest_sha256: str | None = None
    blueprint_sha256: str | None = None


class RungTime(_Part):
    """How long a rung took on one onnxruntime."""

    rung: str
    runtime: str
    seconds: Seconds


class Cell(_Part):
    """The cases of one element type."""

    status: Status
    """The worst that happened, else the best; "claimed" where nothing was run."""
    claimed: bool
    """The library says that it takes it."""
    cases: dict[str, Count]
    """Number of cases by what became of them."""


class Row(_Part):
    """An operator in one since-version."""

    runtime: str
    op: str
    since: int
    types: dict[str, Cell]
    """By element type; "" is the operator as a whole."""


class Node(_Part):
    """A node of a model."""

    name: str
    op: str
    ep: str
    """The execution provider that took it; empty where onnxruntime does not say."""
    group: int
    """Which of the parts that the model was divided into; -1 where that is not known."""
    inputs: Many[str]
    outputs: Many[str]
    within: str
    """The node in whose subgraph it is; empty in the model's own graph."""


class Partition(_Part):
    """How a model was divided."""

    runtime: str
    cases: Many[str]
    """The cases that run this model."""
    nodes: Many[Node]


class Tests(_Part):
    """Node tests or models, by how they stand."""

    all: Count
    passed: Count = 0
    failed: Count = 0
    crashed: Count = 0
    timed_out: Count = 0
    refused: Count = 0
    excluded: Count = 0
    excluded_but_passes: Count = 0
    not_run: Count = 0


class Totals(_Part):
    """Node tests of one operator or of all, and what became of them."""

    denominator: Count
    """Node tests that the CPU provider passes."""
    claimed: Count
    passed: Count
    percent: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] | None
    crashes: Count
    node_tests: Tests
    models: Tests
    left_out: Count
    """Node tests of more than one node."""


class ConformanceRow(_Part):
    """An operator in one since-version and one combination of types."""

    since: int | None
    types: str
    claimed: bool
    cases: Count
    passed: Count
    failed: Count
    crashed: Count
    refused: Count
    excluded: Count
    not_run: Count
    reasons: Many[str]
    opset: int | None


class ConformanceOp(Totals):
    """An operator in rung conformance."""

    op: str
    rows: Many[ConformanceRow]


class NotPassed(_Part):
    """A node test that the CPU provider passes and the library does not."""

    op: str
    test: str
    standing: str
    detail: str


class Conformance(_Part):
    """Rung conformance on one onnxruntime."""

    runtime: str
    totals: Totals
    not_passed: Many[NotPassed]
    ops: Many[ConformanceOp]


class Report(_Part):
    """What `epforge validate` found about one plugin library."""

    format: Literal[1]
    library: str
    """The file that was validated."""
    target: str | None = None
    """The platform that it is for, if that was said."""
    ep: str
    """Name of its execution provider; empty when it never got that far."""
    manifest: str | None
    """The file that says what the library claims."""
    runtimes: Many[str]
    """The onnxruntime versions it was validated on."""
    passed: bool
    """No check failed, and at least one passed."""
    summary: str = ""
    """The verdict in one line."""
    started: str = ""
    """In UTC: 2026-11-30T17:33:59Z."""
    seconds: Seconds
    environment: Environment = Environment()
    counts: dict[str, Count]
    """Number of checks by outcome."""
    case_counts: dict[str, Count]
    """Number of cases by outcome."""
    checks: Many[Check]
    """In the order in which they are to be read."""
    timings: Many[RungTime] = []
    ops: Many[Row] = []
    """Operator x since-version x element type, made of the cases of rung ops."""
    partitions: Many[Partition] = []
    """The models of rung graphs, and which nodes went where."""
    conformance: Many[Conformance] = []

    @property
    def file(self) -> str:
        """The library's file name."""
        return self.library.replace("\\", "/").rpartition("/")[2]
