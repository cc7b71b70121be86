"""Job of rung `conformance`: ONNX's own tests of one operator, and a model of each version of it.

First the tests pass through ONNX Runtime's CPU provider, before the library is there: what that
passes is the measure of the library. Then a model of every since-version and combination of types
that is claimed, as rung `ops` runs them, then the tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epforge.validate.cases.model import Array
from epforge.validate.worker import compare, host, node_tests, ops, schema, session, values
from epforge.validate.worker.engines import engine_of
from epforge.validate.worker.node_tests import NodeTest
from epforge.validate.worker.records import BY_CPU, Records

_FLOATS = (
    *("float16", "float32", "float64", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2"),
    *("float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn"),
)
_BFLOAT16 = 2**-6  # of its 8 bits, an operation or two


def run(job: Mapping[str, Any], records: Records) -> None:
    """Runs every model and test that is not in ``job["skip"]`` and records how each went."""
    newest = session.newest_opset()
    tests = [_loadable(test, newest) for test in _read_tests(job, records)]
    judge = _Judge.of(job["tolerance"])
    for test in tests:
        cpu = _by_cpu(test, judge, records, job["skip"])
        records.write("test", label=test.name, cpu=cpu, **_facts(test, job["claims"]))
    with engine_of(job) as engine, host.at_work(job, records, engine) as devices:
        if not devices:
            records.write("error", type="NoDevice", text=f"no device of {job['ep']}")
            return
        operator = ops.Operator(job, records, engine, devices[0])
        claimed = operator.run_one_each()
        if not claimed:
            records.write("no claims")
        for test in tests if claimed else ():
            if test.name not in job["skip"]:
                _Test(job, records, operator, judge, devices[0]).run(test, claimed)


def _read_tests(job: Mapping[str, Any], records: Records) -> list[NodeTest]:
    """The node tests of the job's operator; without any where onnx cannot make them."""
    if not schema.versions(job["domain"], job["op"]):
        return []
    label = "onnx's tests"
    if label in job["skip"]:
        return []
    try:
        with records.step(label):
            found, left_out = node_tests.find(job["domain"], job["op"])
    except Exception as error:  # theirs: a module that does not suit the packages that are here
        why = f"onnx cannot make them: {session.one_line(error)}"
        records.write("case", label=label, outcome="not checked", detail=why, kind="run")
        return []
    records.write("left out", number=left_out)
    return found


def _facts(test: NodeTest, claims: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    """What the report says of a test, beside how it ended."""
    return {
        "since": test.since,
        "types": ops.spelled(test.types),
        "opset": test.opset,
        "claimed": not _unclaimed(test, claims),
    }


def _loadable(test: NodeTest, newest: int) -> NodeTest:
    """The test in the newest opset that this runtime has, if it is of a newer one."""
    default = test.model.graph.node[0].domain in ("", "ai.onnx")
    if not default or node_tests.opset_of(test.model) <= newest:
        return test
    return node_tests.restamped(test, newest)


def _claimed(test: NodeTest, claimed: Sequence[int]) -> NodeTest:
    """The test in the newest version that is claimed, if its own is not."""
    lower = [since for since in claimed if since < test.since]
    if test.since in claimed or not lower:
        return test
    node = test.model.graph.node[0]
    following = [v for v in schema.versions(node.domain, node.op_type) if v > max(lower)]
    return node_tests.restamped(test, following[0] - 1)


def _unclaimed(test: NodeTest, claims: Sequence[Mapping[str, Any]]) -> str:
    """Why nobody has promised to take a test's node; empty if it is claimed."""
    versions = {int(claim["since"]): claim["types"] for claim in claims}
    if test.since not in versions:
        return f"version {test.since} is not claimed"
    for constraint, type_ in test.types.items():
        if constraint in versions[test.since] and type_ not in versions[test.since][constraint]:
            return f"{constraint}={type_} is not claimed"
    return ""


def _by_cpu(test: NodeTest, judge: _Judge, records: Records, skip: Sequence[str]) -> bool:
    """Does the CPU provider pass a test?"""
    label = f"{BY_CPU}{test.name}"
    if label in skip:  # it died there
        return False
    with records.step(label):
        return _cpu_passes(test, judge)


def _cpu_passes(test: NodeTest, judge: _Judge) -> bool:
    try:
        made = _on_cpu(test.model.SerializeToString())
        return not judge.wrong(made, test)
    except Exception:  # it has no kernel, or says that it cannot
        return False


def _on_cpu(model: bytes) -> Any:
    import onnxruntime

    return onnxruntime.InferenceSession(
        model,
        session.options(fallback=True),
        providers=["CPUExecutionProvider"],
        enable_fallback=0,
    )


@dataclass(frozen=True)
class _Judge:
    """What counts as the expected result."""

    tolerance: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, given: Mapping[str, float]) -> _Judge:
        relative, absolute = given["relative"], given["absolute"]
        every = dict.fromkeys(_FLOATS, (relative, absolute))
        return cls({**every, "bfloat16": (max(relative, _BFLOAT16), max(absolute, 1e-7))})

    def wrong(self, made: Any, test: NodeTest) -> str:
        """What is wrong with what a session computes; raises whatever the runtime raises."""
        for inputs, outputs in test.data:
            got = values.run(made, inputs)
            wrong = self._difference(got, values.arrays(outputs))
            if wrong:
                return wrong
        return ""

    def _difference(self, got: Sequence[Any], expected: Sequence[Any]) -> str:
        if len(got) != len(expected):
            return f"{len(got)} values, expected {len(expected)}"
        for index, (one, other) in enumerate(zip(got, expected, strict=True)):
            if isinstance(other, list) and isinstance(one, list):
                wrong = self._difference(one, other)
            elif one is None or other is None or isinstance(one, list) or isinstance(other, list):
                wrong = "" if one is other else f"{_kind(one)}, expected {_kind(other)}"
            else:
                one, other = _comparable(one), _comparable(other)
                wrong = compare.difference([one], [other], tolerance=self.tolerance)
            if wrong:
                return f"value {index}: {wrong}" if len(expected) > 1 else wrong
        return ""


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    return "a sequence" if isinstance(value, list) else "a tensor"


def _comparable(value: Any) -> Array:
    """Strings in one way."""
    array = np.asarray(value)
    if array.dtype.kind in "OUS":
        texts = [x.decode() if isinstance(x, bytes) else str(x) for x in array.ravel().tolist()]
        flat = np.empty(len(texts), dtype=np.object_)
        flat[:] = texts
        return flat.reshape(array.shape)
    return array


@dataclass(frozen=True)
class _Test:
    job: Mapping[str, Any]
    records: Records
    operator: ops.Operator
    judge: _Judge
    device: Any

    def run(self, own: NodeTest, claimed: Sequence[int]) -> None:
        """Runs one test and records how it went; in another version if its own is not claimed, and
        that counts if it is one of that version."""
        test = _claimed(own, claimed)
        with self.records.step(test.name):
            outcome, standing, detail = self._ended(test)
            passed = outcome == "passed"
            if not passed and test.opset and not _cpu_passes(test, self.judge):
                # What it expects, or how, may be said by its own version alone.
                why = f"this runtime knows no opset {node_tests.opset_of(own.model)}"
                if test is not own:
                    why, test = f"version {own.since} is not claimed", own
                outcome, standing, detail = "not checked", "refused", why
        if test.opset:
            facts = _facts(test, self.job["claims"])
            self.records.write("moved", label=test.name, **facts)
        self.records.write(
            "case", label=test.name, outcome=outcome, detail=detail, kind=standing or "run"
        )

    def _ended(self, test: NodeTest) -> tuple[str, str, str]:
        """Outcome, how it stands where it did not run, and the detail."""
        model = session.Model(test.model.SerializeToString(), {}, test.model)
        try:
            made = self.operator.open(model)
        except session.NotTakenError:
            return "not checked", "refused", self._why(test, model)
        except Exception as error:  # whatever the runtime says: its text tells whose fault it is
            text = session.one_line(error)
            if any(sign in text for sign in ops.NOBODY):
                return "not checked", "refused", self._why(test, model)
            if not _cpu_loads(model):
                return "not checked", "not loaded", f"the runtime says: {text}"
            return "failed", "", text
        try:
            wrong = self.judge.wrong(made, test)
        except Exception as error:  # a run that fails is a result
            wrong = session.one_line(error)
        return ("failed", "", wrong) if wrong else ("passed", "", "")

    def _why(self, test: NodeTest, model: session.Model) -> str:
        """Why a node was left to others."""
        unclaimed = _unclaimed(test, self.job["claims"]) if self.job["declared"] else ""
        said = session.why_not_taken(model, self.device, self.job["op"])
        return unclaimed or said or "the library says nothing of it"


def _cpu_loads(model: session.Model) -> bool:
    """Is it the library's fault that there is no session? Not if nobody has one."""
    try:
        _on_cpu(model.data)
    except Exception as error:  # nobody has a session: then the text tells why
        return any(sign in str(error) for sign in ops.NOBODY)
    return True
