"""`epforge eject` for operators of the project's own."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from epforge.cli.main import app

run = CliRunner().invoke

# The samples of `Steep` have NaN in them, which equals nothing.
BLUEPRINT = """\
epforge: 1
name: contoso-npu
vendor: Contoso
ops: [Relu]
custom_ops:
  - op: com.contoso::Clip   # the first
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32]}
    compute: min(max(x, -1), 1)
  - {op: com.contoso::Steep, inputs: {x: T}, outputs: {y: T}, types: {T: [float32]},
     kernel: generated, compute: x * sigmoid(2 * x)}
  - {op: com.contoso::Stub, inputs: {x: T}, outputs: {y: T}, types: {T: [float32]}}
  - {op: com.contoso::Other, inputs: {x: T}, outputs: {y: T}, types: {T: [float32]},
     kernel: elsewhere}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "contoso.yaml").write_text(BLUEPRINT)
    result = run(app, ["scaffold", str(tmp_path / "contoso.yaml"), str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    return tmp_path / "out"


@pytest.mark.parametrize(
    ("op", "file", "old", "new"),
    [
        ("Clip", "clip", "   # the first\n", "   # the first\n    kernel: yours\n"),
        ("Steep", "steep", "kernel: generated", "kernel: yours"),
    ],
)
def test_its_kernel_becomes_yours(project: Path, op: str, file: str, old: str, new: str) -> None:
    result = run(app, ["eject", "op", f"com.contoso::{op}", "--project", str(project)])
    assert result.exit_code == 0, result.output
    assert (project / "blueprint.yaml").read_text() == BLUEPRINT.replace(old, new)
    parts = {f"com_contoso_{file}{suffix}" for suffix in (".cc", ".h", "_function.h")}
    assert parts <= {path.name for path in (project / "src/kernels").iterdir()}
    assert not parts & {path.name for path in (project / "src/gen/kernels").iterdir()}
    own = (project / f"src/kernels/com_contoso_{file}.cc").read_text()
    assert own.startswith("// Yours: ")


@pytest.mark.parametrize(
    ("op", "says"), [("Stub", "is yours already"), ("Other", "does not list"), ("No", "not list")]
)
def test_what_has_no_generated_kernel_is_not_ejected(project: Path, op: str, says: str) -> None:
    result = run(app, ["eject", "op", f"com.contoso::{op}", "--project", str(project)])
    assert result.exit_code == 2
    assert says in result.stderr
    assert (project / "blueprint.yaml").read_text() == BLUEPRINT
