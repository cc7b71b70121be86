"""Two execution providers whose operators are of one domain, in one session."""

from __future__ import annotations

import pytest
from fresh import complaints, every_runtime
from projects import Project, built
from runtimes import runtime

HALF = """
  - op: com.contoso::Half
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32, float64]}
    compute: x * 0.5
"""
TWICE = """
  - op: com.contoso::Twice
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32]}
    compute: x * 2
"""
ELSEWHERE = "    kernel: elsewhere\n"


def project(name: str, *ops: str) -> Project:
    head = f"epforge: 1\nname: {name}\nvendor: Contoso\nops: [Relu]\ncustom_ops:"
    return built(head + "".join(ops))


@pytest.fixture(scope="module")
def pair() -> tuple[Project, Project]:
    """Each knows the other's operator."""
    return project("contoso-half", HALF, TWICE + ELSEWHERE), project(
        "contoso-twice", HALF + ELSEWHERE, TWICE
    )


@pytest.fixture(scope="module")
def strangers() -> tuple[Project, Project]:
    """Neither knows the other's."""
    return project("contoso-half", HALF), project("contoso-twice", TWICE)


CODE = """
import sys
import numpy as np, onnxruntime as ort
import models, own_ops

for name, library in LIBRARIES:
    ort.register_execution_provider_library(name, library)
devices = [next(d for d in ort.get_ep_devices() if d.ep_name == ep) for ep in EPS]

def session(made, level=2):
    settings = ort.SessionOptions()
    settings.log_severity_level = level
    settings.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    for device in devices:
        settings.add_provider_for_devices([device], {})
    return ort.InferenceSession(made.SerializeToString(), settings, enable_fallback=0)

node = models.node
both = models.model(
    [
        node("Half", ["X"], ["h"], name="h0", domain=own_ops.DOMAIN),
        node("Twice", ["h"], ["t"], name="t0", domain=own_ops.DOMAIN),
        node("Half", ["t"], ["Y"], name="h1", domain=own_ops.DOMAIN),
    ],
    [models.value("X", ["N", 4])],
    [models.value("Y", ["N", 4])],
    extra=[(own_ops.DOMAIN, 1)],
)
"""


def run(
    projects: tuple[Project, Project], code: str, version: str | None, backwards: bool = False
) -> str:
    """Runs code where both are registered; returns what it wrote to stderr."""
    ordered = projects[::-1] if backwards else projects
    given = f"""
LIBRARIES = {[(each.ep, str(each.library)) for each in ordered]!r}
EPS = {[each.ep for each in ordered]!r}
"""
    whole = given + CODE + code + "\nprint('the end')\n"
    done = projects[0].run_python(whole, runtime=runtime(version) if version else None)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["the end"]), (
        done.stdout + done.stderr
    )[-6000:]
    return done.stderr


@every_runtime
@pytest.mark.parametrize("backwards", [False, True], ids=["half-first", "twice-first"])
def test_each_computes_its_own_operator(
    pair: tuple[Project, Project], version: str | None, backwards: bool
) -> None:
    """Whichever comes first: its domain has both schemas."""
    said = run(
        pair,
        """
one = session(both)
assert own_ops.shapes(one) == [["N", 4]]
assert models.taken(one, "ContosoHalfExecutionProvider") == ["Half", "Half"]
assert models.taken(one, "ContosoTwiceExecutionProvider") == ["Twice"]
inputs = models.feeds(both, 3)
models.close(one.run(None, inputs), [inputs["X"] * np.float32(0.5)])
""",
        version,
        backwards,
    )
    (warning,) = complaints(said)
    assert own_domain(warning), warning


@every_runtime
@pytest.mark.parametrize("backwards", [False, True], ids=["half-first", "twice-first"])
def test_without_the_other_s_schema_its_operator_is_unknown(
    strangers: tuple[Project, Project], version: str | None, backwards: bool
) -> None:
    """How onnxruntime has it: of two domains of one name, a session has the first."""
    unknown = "Half" if backwards else "Twice"
    said = run(
        strangers,
        f"""
try:
    session(both)
except Exception as error:
    assert "com.contoso:{unknown}(-1) is not a registered function/op" in str(error), error
else:
    raise AssertionError("a session was made")
""",
        version,
        backwards,
    )
    assert any(map(own_domain, complaints(said)))


def test_alone_it_says_that_the_kernel_is_elsewhere(pair: tuple[Project, Project]) -> None:
    """The schema is known, so the model is read; nobody computes it."""
    half = pair[0]
    run(
        pair,
        f"""
devices = [d for d in devices if d.ep_name == {half.ep!r}]
try:
    session(both)
except Exception as error:
    assert "com.contoso::Twice node 't0'" in str(error), error
    assert "no execution provider of this session computes it" in str(error), error
else:
    raise AssertionError("a session was made")
""",
        None,
    )


def own_domain(line: str) -> bool:
    """Does the runtime say that it skips a domain that is there already?"""
    return "com.contoso" in line and "[W:" in line
