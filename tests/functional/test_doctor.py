"""What the doctor says is what ONNX Runtime does."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fresh import every_runtime
from onnx import parser
from projects import Project, built
from runtimes import runtime
from selection import plain
from typer.testing import CliRunner

from epforge.cli.main import app
from epforge.validate.models import Diagnosis, judge, library_offer, read_model

REPOSITORY = Path(__file__).resolve().parents[2]

# Makes a session for each case: [model, [[library, kind], ...]], and says how that went.
SESSIONS = """
import json, sys
import numpy, onnxruntime
onnxruntime.set_default_logger_severity(3)
registered = {}
for model, libraries in json.loads(sys.stdin.read()):
    try:
        options = onnxruntime.SessionOptions()
        for library, ep in libraries:
            if not ep:
                options.register_custom_ops_library(library)
                continue
            if library not in registered:
                registered[library] = f"ep{len(registered)}.virtual"
                onnxruntime.register_execution_provider_library(registered[library], library)
            devices = [d for d in onnxruntime.get_ep_devices() if d.ep_name == ep]
            options.add_provider_for_devices(devices, {})
        session = onnxruntime.InferenceSession(model, options)
        values = {"tensor(float)": "f4", "tensor(double)": "f8", "tensor(int32)": "i4",
                  "tensor(int64)": "i8"}
        given = {i.name: numpy.ones(2, values[i.type]) for i in session.get_inputs()}
        session.run(None, given)
        print(json.dumps(""))
    except Exception as error:
        print(json.dumps(str(error)))
    session = options = None
"""


def sessions(
    cases: list[tuple[Path, list[tuple[Path, str]]]], version: str | None = None
) -> list[str]:
    """How each session went: empty, or the error.

    Args:
        cases: a model, and the libraries in order: files, with the name of the execution provider
            if it is one.
        version: of the runtime; by default the installed one.
    """
    job = [[str(m), [[str(file), ep] for file, ep in given]] for m, given in cases]
    environment = {**os.environ, "PYTHONPATH": str(runtime(version))} if version else None
    done = subprocess.run(
        [sys.executable, "-c", SESSIONS],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


offer_of = functools.cache(library_offer)


def doctor(model: Path, given: list[tuple[Path, str]]) -> Diagnosis:
    return judge(read_model(model), [offer_of(file) for file, _ in given])


def codes(diagnosis: Diagnosis) -> list[str]:
    return [finding.code for finding in diagnosis.findings]


def saved(place: Path, name: str, body: str, imports: str = '"com.contoso": 1') -> Path:
    # ONNX Runtime infers no types through a function with a custom op.
    y = "float[2] y" if "com.own" in body else "y"
    model = parser.parse_model(
        f'<ir_version: 8, opset_import: ["": 17{imports and ", " + imports}]> '
        f"g (float[2] x, double[2] d, int32[2] i, int64[2] l) => ({y}) {{ {body} }}"
        '<domain: "com.own", opset_import: ["": 17, "com.contoso": 1]> '
        "F (a) => (b) { b = com.contoso.Clip(a) }"
    )
    path = place / f"{name}.onnx"
    path.write_bytes(model.SerializeToString())
    return path


@pytest.fixture(scope="module")
def project() -> Project:
    return built((REPOSITORY / "blueprints/custom-ops.yaml").read_text(encoding="utf-8"))


def alone(project: Project) -> tuple[Path, str]:
    """The stand-alone library."""
    name = project.library.name.replace("onnxruntime_ep_contoso_npu", "contoso_npu_custom_ops")
    return project.library.with_name(name), ""


# name: (body, imports, codes of what is found)
CLIP = "y = com.contoso.Clip(x)"
CASES: dict[str, tuple[str, str, set[str]]] = {
    "right": (CLIP, '"com.contoso": 1', set()),
    "double": ("y = com.contoso.Clip(d)", '"com.contoso": 1', set()),
    "other domain": ("y = com.other.Clip(x)", '"com.other": 1', {"wrong-domain"}),
    "other domain, not imported": ("y = com.other.Clip(x)", "", {"wrong-domain"}),
    "empty domain": ("y = GatedUnit(x, x)", '"com.contoso": 1', {"wrong-domain"}),
    "version 2": (CLIP, '"com.contoso": 2', {"version-newer"}),
    "version 0": (CLIP, '"com.contoso": 0', {"version-too-old"}),
    "version 1001": (CLIP, '"com.contoso": 1001', {"version-too-new"}),
    "not imported": (CLIP, "", {"domain-not-imported"}),
    "unknown op": ("y = com.contoso.Clop(x)", '"com.contoso": 1', {"unknown-op"}),
    "unknown domain": ("y = com.other.Op(x)", '"com.other": 1', {"unknown-op"}),
    "type": ("y = com.contoso.Clip(i)", '"com.contoso": 1', {"unsupported-type"}),
    "inferred type": (
        "z = Cast <to = 6> (x) y = com.contoso.Clip(z)",
        '"com.contoso": 1',
        {"unsupported-type"},
    ),
    "mixed": ("y = com.contoso.GatedUnit(x, d)", '"com.contoso": 1', {"mixed-types"}),
    "optional": ('y = com.contoso.Scale(x, "", x)', '"com.contoso": 1', set()),
    "mixed around an optional": (
        'y = com.contoso.Scale(x, "", l)',
        '"com.contoso": 1',
        {"mixed-types"},
    ),
    "required": ('y = com.contoso.Scale("", x, x)', '"com.contoso": 1', {"missing-input"}),
    "too many": ("y = com.contoso.Clip(x, x)", '"com.contoso": 1', {"wrong-inputs"}),
    "too few": ("y = com.contoso.Scale(x)", '"com.contoso": 1', {"wrong-inputs"}),
    "outputs": ("y, z = com.contoso.Clip(x)", '"com.contoso": 1', {"wrong-outputs"}),
    "attribute": ("y = com.contoso.Clip<lo = 0.5>(x)", '"com.contoso": 1', set()),
    "attribute's kind": (
        "y = com.contoso.Clip<lo = 1>(x)",
        '"com.contoso": 1',
        {"wrong-attribute"},
    ),
    "unknown attribute": (
        "y = com.contoso.Clip<low = 1.0>(x)",
        '"com.contoso": 1',
        {"unknown-attribute"},
    ),
    "in a function": ("y = com.own.F(x)", '"com.own": 1, "com.contoso": 1', set()),
    "not imported, and wrong": ("y = com.contoso.Clip(i)", "", {"unsupported-type"}),
    "in a function, wrong": (
        "y = com.own.F(i)",
        '"com.own": 1, "com.contoso": 1',
        set(),  # the types of a function's values are not known
    ),
    "function not imported": ("y = com.own.F(x)", '"com.contoso": 1', {"domain-not-imported"}),
    "newer onnx": ("y = Gelu(x)", "", {"version-too-old"}),
}
_BLIND = {"in a function, wrong"}  # what can only be known by running it


@every_runtime
@pytest.mark.parametrize("which", plain("plugin", of=["library", "plugin"]))
def test_the_doctor_is_right(
    which: str, version: str | None, project: Project, tmp_path: Path
) -> None:
    given = [alone(project) if which == "library" else (project.library, project.ep)]
    models = {
        name: saved(tmp_path, str(index), body, imports)
        for index, (name, (body, imports, _)) in enumerate(CASES.items())
    }
    outcomes = sessions([(model, given) for model in models.values()], version)
    wrong = []
    for (name, model), outcome in zip(models.items(), outcomes, strict=True):
        found = doctor(model, given)
        if set(codes(found)) != CASES[name][2]:
            wrong.append(f"{name}: found {[each.message for each in found.findings]}")
        if found.fine != (not outcome) and name not in _BLIND:
            wrong.append(f"{name}: fine is {found.fine}, ONNX Runtime says {outcome[:300]!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.lab
def test_fr_72_a_custom_op_is_not_found_and_the_reason_is_said(
    project: Project, tmp_path: Path
) -> None:
    """Another domain, none, another version, no library: all looked alike."""
    names = ("right", "other domain", "empty domain", "version 2")
    given = [alone(project)]
    cases = [
        (saved(tmp_path, str(index), *CASES[name][:2]), given) for index, name in enumerate(names)
    ]
    cases.append((cases[0][0], []))  # the library is not registered
    said = []
    for (model, libraries), outcome in zip(cases, sessions(cases), strict=True):
        words = [word for file, _ in libraries for word in ("--library", str(file))]
        result = CliRunner().invoke(
            app, ["doctor", str(model), *words, "--project", str(project.root)]
        )
        assert (result.exit_code == 0) == (not outcome), result.output
        said.append(result.stdout.splitlines()[0])
    assert said[0].startswith("ok: com.contoso")
    assert len(set(said)) == len(said)
    assert alone(project)[0].name in said[4]
    assert "SessionOptions.register_custom_ops_library" in result.stdout


def test_libraries_that_have_the_same_domain(project: Project, tmp_path: Path) -> None:
    model = saved(tmp_path, "m", CLIP)
    library, plugin = alone(project), (project.library, project.ep)
    orders = [[library, plugin], [plugin, library], [library, library]]
    outcomes = sessions([(model, given) for given in orders])
    assert [not outcome for outcome in outcomes] == [True, False, False], outcomes
    for given, outcome in zip(orders, outcomes, strict=True):
        found = doctor(model, given)
        assert found.fine == (not outcome)
        assert codes(found) == ["domain-twice"]


PARTNER = """\
epforge: 1
name: {name}
vendor: Contoso
ops: [Relu]
custom_ops:
  - op: com.shared::First
    inputs: {{x: T}}
    outputs: {{y: T}}
    types: {{T: [float32]}}
    {first}
  - op: com.shared::Second
    inputs: {{x: T}}
    outputs: {{y: T}}
    types: {{T: [float32]}}
    {second}
"""
COMPUTED, ELSEWHERE = "compute: x + 1.0", "kernel: elsewhere"


@pytest.mark.lab
def test_plugins_that_share_a_domain(tmp_path: Path) -> None:
    one = built(PARTNER.format(name="one-npu", first=COMPUTED, second=ELSEWHERE))
    two = built(PARTNER.format(name="two-npu", first=ELSEWHERE, second=COMPUTED))
    whole = PARTNER.format(name="only-npu", first=COMPUTED, second=COMPUTED)
    only = built(whole[: whole.rindex("  - op:")])
    one_ep, two_ep, only_ep = ((each.library, each.ep) for each in (one, two, only))
    first = saved(tmp_path, "first", "y = com.shared.First(x)", '"com.shared": 1')
    second = saved(tmp_path, "second", "y = com.shared.Second(x)", '"com.shared": 1')
    both = saved(
        tmp_path, "both", "z = com.shared.First(x) y = com.shared.Second(z)", '"com.shared": 1'
    )
    cases: list[tuple[Path, list[tuple[Path, str]], set[str]]] = [
        (both, [one_ep, two_ep], set()),
        (both, [two_ep, one_ep], set()),
        (first, [one_ep], set()),
        (second, [one_ep], {"missing-ep"}),
        (first, [only_ep, two_ep], {"lost-op"}),
        (second, [only_ep, two_ep], {"lost-op"}),
        (second, [two_ep, only_ep], set()),
    ]
    outcomes = sessions([(model, given) for model, given, _ in cases])
    wrong = []
    for (model, given, expected), outcome in zip(cases, outcomes, strict=True):
        found = doctor(model, given)
        if found.fine != (not outcome) or set(codes(found)) != expected:
            where = f"{model.stem} on {[file.name for file, _ in given]}"
            wrong.append(f"{where}: {found.findings}, ONNX Runtime says {outcome[:300]!r}")
    assert not wrong, "\n".join(wrong)
