"""What rung `conformance` finds, beside the lines that every rung has."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from epforge.validate.model import CaseResult, Check


class Standing(StrEnum):
    """How a node test or a model of the rung stands."""

    PASSED = "passed"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    REFUSED = "refused"  # the library leaves the node to others
    EXCLUDED = "excluded"  # it fails, as the list of exclusions says
    STALE = "excluded, but passes"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class ConformanceCase(CaseResult):
    """A test of ONNX's, or the model of a since-version.

    Args:
        node_test: one of ONNX's own; otherwise a generated model.
        since: version of the operator's schema.
        types: the element types: "T=float32, T1=int64".
        cpu: ONNX Runtime's CPU provider passes it; known of node tests only.
        claimed: the library promises to take it.
        opset: of the model, where the test was given another one than its own; else 0.
    """

    node_test: bool = False
    since: int = 0
    types: str = ""
    cpu: bool = False
    claimed: bool = True
    opset: int = 0
    standing: Standing = Standing.NOT_RUN


@dataclass(frozen=True)
class OpCheck(Check):
    """The line of one operator.

    Args:
        tested: its cases, with everything that is known of them.
        left_out: models of more than one node among ONNX's tests of it.
    """

    tested: tuple[ConformanceCase, ...] = ()
    left_out: int = 0
