"""`plan`, `scaffold` and `eject` on disk, without a compiler."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import epforge
from epforge.build import open_project
from epforge.cli.main import app

run = CliRunner().invoke

BLUEPRINT = """\
# What Contoso's NPU computes.
epforge: 1
name: contoso-npu
vendor: Contoso
ops:
  - Relu          # the one to eject
  - {op: Add, types: {T: [float32]}}   # in a flow mapping
  - op: Mul       # in a block mapping
    types: {T: [float32]}
  - 'Sub'
"""


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "contoso.yaml"
    path.write_text(BLUEPRINT)
    return path


@pytest.fixture
def project(tmp_path: Path, blueprint: Path) -> Path:
    result = run(app, ["scaffold", str(blueprint), str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    return tmp_path / "out"


def tree(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def test_scaffold_writes_what_plan_says(project: Path, blueprint: Path) -> None:
    rows = json.loads(run(app, ["plan", str(blueprint), "--json"]).stdout)["files"]
    planned = {row["path"] for row in rows}
    found = {path for path in tree(project) if not path.startswith(".epforge/")}
    assert found == planned | {"epforge.lock"}
    lock = json.loads((project / "epforge.lock").read_text())["files"]
    assert {path: row["owner"] for path, row in lock.items()} == {
        row["path"]: row["owner"] for row in rows
    }


def test_plan_shows_owner_path_template_and_reason_and_writes_nothing(
    blueprint: Path, tmp_path: Path
) -> None:
    result = run(app, ["plan", str(blueprint)])
    assert result.exit_code == 0
    row = next(line for line in result.stdout.splitlines() if " src/gen/kernels/relu.cc " in line)
    assert row.startswith("generated")
    assert row.endswith(".cc)")
    assert os.listdir(tmp_path) == [blueprint.name]


def test_the_output_is_clean_text(project: Path) -> None:
    for path, content in tree(project).items():
        if path == ".epforge/base.tar.xz":
            continue
        text = content.decode()
        assert "<%" not in text, path
        assert "%>" not in text, path
        assert "\r" not in text, path
        if path != "blueprint.yaml" and text:
            assert text.endswith("\n"), path
            assert not text.endswith("\n\n"), path
            assert not any(line != line.rstrip() for line in text.splitlines()), path


def test_the_blueprint_travels_unchanged(project: Path) -> None:
    assert (project / "blueprint.yaml").read_text() == BLUEPRINT


def test_a_second_scaffold_changes_nothing(project: Path, blueprint: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    result = run(app, ["scaffold", str(blueprint), str(project)])
    assert result.exit_code == 0
    assert "up to date" in result.stdout
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == before


def test_another_blueprint_is_not_laid_over_a_project(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(BLUEPRINT.replace("Relu ", "Neg "))
    before = tree(project)
    result = run(app, ["scaffold", str(other), str(project)])
    assert result.exit_code == 2
    assert "another blueprint" in result.stderr
    assert tree(project) == before


def test_a_project_follows_its_own_blueprint(project: Path) -> None:
    own = project / "blueprint.yaml"
    own.write_text(BLUEPRINT.replace("Relu ", "Neg  "))
    (project / "src/device/discovery.cc").write_text("// mine\n")
    result = run(app, ["scaffold", str(own), str(project)])
    assert result.exit_code == 0, result.output
    assert (project / "src/gen/kernels/neg.cc").is_file()
    assert not (project / "src/gen/kernels/relu.cc").exists()
    assert (project / "src/device/discovery.cc").read_text() == "// mine\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("nope: 1\n", ":11:1:"),
        ("layout: NHWC\nparadigm: compiled\n", ":11:"),
        ("custom_ops: [{op: 'com.contoso::Clip'}]\n", ":11:"),
        ("custom_ops: [{op: 'com.a::B', outputs: {y: float32}, compute: z}]\n", ":11:"),
    ],
)
def test_nothing_is_written_when_the_blueprint_cannot_be_expanded(
    tmp_path: Path, text: str, place: str
) -> None:
    path = tmp_path / "b.yaml"
    path.write_text(BLUEPRINT + text)
    result = run(app, ["scaffold", str(path), str(tmp_path / "out")])
    assert result.exit_code == 2
    assert place in result.stderr
    assert not (tmp_path / "out").exists()


def test_the_summary_is_json_for_a_program(tmp_path: Path, blueprint: Path) -> None:
    result = run(app, ["scaffold", str(blueprint), str(tmp_path / "out"), "--json"])
    summary = json.loads(result.stdout)
    assert summary["created"] is True
    assert sum(summary["owners"].values()) == len(summary["written"])


# eject


@pytest.mark.parametrize(
    ("op", "line"),
    [
        ("Relu", "  - {op: Relu, kernel: yours}          # the one to eject\n"),
        ("Add", "  - {op: Add, kernel: yours, types: {T: [float32]}}   # in a flow mapping\n"),
        ("Mul", "  - op: Mul       # in a block mapping\n    kernel: yours\n"),
        ("Sub", "  - {op: 'Sub', kernel: yours}\n"),
        ("ai.onnx::Relu", "  - {op: Relu, kernel: yours}          # the one to eject\n"),
    ],
)
def test_ejecting_changes_one_entry_of_the_blueprint(project: Path, op: str, line: str) -> None:
    result = run(app, ["eject", "op", op, "--project", str(project)])
    assert result.exit_code == 0, result.output
    text = (project / "blueprint.yaml").read_text()
    assert line in text
    old, new = set(BLUEPRINT.splitlines()), set(text.splitlines())
    assert len(old - new) <= 1
    assert len(new - old) == 1


def test_an_ejected_op_is_yours(project: Path) -> None:
    generated = (project / "src/gen/kernels/relu.cc").read_text()
    before = tree(project)
    result = run(app, ["eject", "op", "Relu", "--project", str(project)])
    assert result.exit_code == 0, result.output
    assert "src/kernels/relu.cc" in result.stdout
    after = tree(project)
    assert before.keys() - after.keys() == {"src/gen/kernels/relu.cc", "src/gen/kernels/relu.h"}
    assert after.keys() - before.keys() == {"src/kernels/relu.cc", "src/kernels/relu.h"}
    ejected = after["src/kernels/relu.cc"].decode()
    assert ejected.startswith("// Yours: ")
    assert set(generated.splitlines()[1:]) - set(ejected.splitlines()) == {
        '#include "gen/kernels/relu.h"'
    }
    lock = json.loads(after["epforge.lock"])["files"]
    assert lock["src/kernels/relu.cc"]["owner"] == "yours"
    text = b"".join(content for path, content in after.items() if not path.startswith("src/kernel"))
    assert b"gen/kernels/relu" not in text


def test_an_ejected_kernel_is_never_touched_again(project: Path) -> None:
    run(app, ["eject", "op", "Relu", "--project", str(project)])
    (project / "src/kernels/relu.cc").write_text("// my own\n")
    assert run(app, ["eject", "op", "Add", "--project", str(project)]).exit_code == 0
    own = project / "blueprint.yaml"
    assert run(app, ["scaffold", str(own), str(project)]).exit_code == 0
    assert (project / "src/kernels/relu.cc").read_text() == "// my own\n"


@pytest.mark.parametrize("path", ["src/gen/kernels/relu.cc", "src/abi/ep.cc"])
def test_an_edited_generated_file_stops_ejecting_and_is_named(project: Path, path: str) -> None:
    with open(project / path, "a") as file:
        file.write("// edited\n")
    before = tree(project)
    result = run(app, ["eject", "op", "Relu", "--project", str(project)])
    assert result.exit_code == 3
    assert path in result.stderr
    assert tree(project) == before


@pytest.mark.parametrize("op", ["Softmax", "relu", "com.contoso::Relu", "", "a b"])
def test_ejecting_what_the_blueprint_does_not_list_is_refused(project: Path, op: str) -> None:
    before = tree(project)
    result = run(app, ["eject", "op", op, "--project", str(project)])
    assert result.exit_code == 2
    assert tree(project) == before


def test_ejecting_twice_says_so(project: Path) -> None:
    run(app, ["eject", "op", "Relu", "--project", str(project)])
    result = run(app, ["eject", "op", "Relu", "--project", str(project)])
    assert result.exit_code == 2
    assert "yours already" in result.stderr


def test_ejecting_outside_a_project_is_refused(tmp_path: Path) -> None:
    result = run(app, ["eject", "op", "Relu", "--project", str(tmp_path)])
    assert result.exit_code == 2
    assert "not a project of epforge" in result.stderr


def test_an_entry_behind_an_alias_is_left_to_its_author(tmp_path: Path) -> None:
    text = "epforge: 1\nname: &op Relu\nvendor: Contoso\nops: [*op, Add]\n"
    path = tmp_path / "b.yaml"
    path.write_text(text)
    assert run(app, ["scaffold", str(path), str(tmp_path / "out")]).exit_code == 0
    result = run(app, ["eject", "op", "Relu", "--project", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "kernel: yours" in result.stderr
    assert (tmp_path / "out/blueprint.yaml").read_text() == text


# The process


def command(args: list[str], cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    places = str(Path(epforge.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-m", "epforge", *args],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": places, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_place_time_zone_and_hash_seed_do_not_show(tmp_path: Path, blueprint: Path) -> None:
    trees = []
    for name, zone, seed in [("one", "UTC", "0"), ("two", "Asia/Tokyo", "4711")]:
        place = tmp_path / name / "deep"
        place.mkdir(parents=True)
        cache = str(tmp_path / f"cache-{name}")
        done = command(
            ["scaffold", str(blueprint), "out"],
            place,
            TZ=zone,
            PYTHONHASHSEED=seed,
            EPFORGE_CACHE=cache,
            LC_ALL="C",
        )
        assert done.returncode == 0, done.stderr
        trees.append(tree(place / "out"))
    assert trees[0] == trees[1]


def test_scaffolding_imports_nothing_heavy(tmp_path: Path, blueprint: Path) -> None:
    heavy = ["onnx", "onnxruntime", "lief", "numpy", "clang", "copier", "rich"]
    code = (
        "import sys; from epforge.__main__ import main\n"
        f"sys.argv = ['epforge', 'scaffold', {str(blueprint)!r}, {str(tmp_path / 'out')!r}]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    places = str(Path(epforge.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_line_ends_of_the_blueprint_survive_ejecting(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    path.write_bytes(BLUEPRINT.replace("\n", "\r\n").encode())
    out = tmp_path / "out"
    assert run(app, ["scaffold", str(path), str(out)]).exit_code == 0
    assert run(app, ["eject", "op", "Mul", "--project", str(out)]).exit_code == 0
    text = (out / "blueprint.yaml").read_bytes()
    assert b"# in a block mapping\r\n    kernel: yours\r\n" in text
    assert text.count(b"\n") == text.count(b"\r\n")


def test_the_next_command_can_be_copied(tmp_path: Path, blueprint: Path) -> None:
    place = tmp_path / "a place; with $x"
    result = run(app, ["scaffold", str(blueprint), str(place)])
    command = result.stdout.splitlines()[-1].removeprefix("Next: ")
    assert shlex.split(command) == ["epforge", "build", str(place)]


def test_a_file_of_yours_that_is_gone_is_named_and_not_made_again(project: Path) -> None:
    gone = project / "src/device/discovery.cc"
    gone.unlink()
    result = run(app, ["scaffold", str(project / "blueprint.yaml"), str(project)])
    assert result.exit_code == 0
    assert "src/device/discovery.cc: is yours and is gone" in result.stdout
    assert not gone.exists()
    again = run(app, ["scaffold", str(project / "blueprint.yaml"), str(project), "--json"])
    notes = json.loads(again.stdout)["notes"]
    found = [(note["path"], note["kind"]) for note in notes]
    assert found == [("src/device/discovery.cc", "stays-deleted")]


def test_a_file_above_the_directory_is_a_wrong_call(tmp_path: Path, blueprint: Path) -> None:
    (tmp_path / "file").touch()
    result = run(app, ["scaffold", str(blueprint), str(tmp_path / "file" / "x" / "y")])
    assert result.exit_code == 2
    assert f"{tmp_path / 'file'} is not a directory" in result.stderr


def test_the_manifest_names_what_build_needs(project: Path) -> None:
    assert open_project(project).macro == "CONTOSO_NPU"


def test_edited_files_are_listed_for_a_program(project: Path) -> None:
    (project / "src/abi/ep.cc").write_text("// edited\n")
    result = run(app, ["eject", "op", "Relu", "--project", str(project), "--json"])
    assert result.exit_code == 3
    assert json.loads(result.stdout)["error"]["files"] == ["src/abi/ep.cc"]


def test_the_readme_does_not_claim_what_is_a_stub(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    path.write_text(BLUEPRINT + "  - com.microsoft::ComplexMul\n")
    run(app, ["scaffold", str(path), str(tmp_path / "out")])
    readme = (tmp_path / "out/README.md").read_text()
    assert "5 operators (com.microsoft::ComplexMul once you have written the kernel):" in readme
    run(app, ["eject", "op", "Relu", "--project", str(tmp_path / "out")])
    assert (tmp_path / "out/README.md").read_text() == readme
