"""`epforge add`: an entry more in the blueprint, and the project that follows from it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from epforge.blueprint import load
from epforge.cli.main import app
from epforge.resolve import resolve
from epforge.resolve.model import DeviceType, KernelSource, OptionType, VirtualPolicy

run = CliRunner().invoke

BLUEPRINT = """\
# What Contoso's NPU computes.
epforge: 1
name: contoso-npu
vendor: Contoso
ops:
  - Relu          # the first
  - {op: Add, types: {T: [float32]}}   # in a flow mapping
# The end.
"""


@pytest.fixture(scope="module")
def scaffolded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("add")
    (place / "contoso.yaml").write_text(BLUEPRINT)
    result = run(app, ["scaffold", str(place / "contoso.yaml"), str(place / "out")])
    assert result.exit_code == 0, result.output
    return place / "out"


@pytest.fixture
def project(scaffolded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(scaffolded, tmp_path / "out"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "contoso.yaml"
    path.write_text(BLUEPRINT)
    return path


def tree(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def owned(project: Path, owner: str) -> list[str]:
    rows = json.loads((project / "epforge.lock").read_text())["files"]
    return [path for path, row in rows.items() if row["owner"] == owner]


# Projects


def test_operators_are_added_to_blueprint_and_project(project: Path) -> None:
    before = tree(project)
    result = run(app, ["add", "op", "Mul", "TfIdfVectorizer", "--project", str(project)])
    assert result.exit_code == 0, result.output
    assert f"Mul, TfIdfVectorizer added to {project / 'blueprint.yaml'}" in result.stdout
    after = tree(project)
    assert after["blueprint.yaml"].decode() == BLUEPRINT.replace(
        "# The end", "  - Mul\n  - TfIdfVectorizer\n# The end"
    )
    assert after.keys() - before.keys() == {
        "src/gen/kernels/mul.cc",
        "src/gen/kernels/mul.h",
        "src/kernels/tf_idf_vectorizer.cc",
        "src/kernels/tf_idf_vectorizer.h",
    }
    assert not before.keys() - after.keys()
    again = run(app, ["regenerate", str(project)])
    assert "up to date" in again.stdout
    assert tree(project) == after


def test_no_byte_of_the_owner_changes(project: Path) -> None:
    shared = [path for path in owned(project, "shared") if (project / path).suffix == ".md"]
    shared += [path for path in owned(project, "shared") if path.endswith("CMakeLists.txt")]
    assert "README.md" in shared
    assert "CMakeLists.txt" in shared
    for path in shared:
        text = (project / path).read_text()
        first, rest = text.split("\n", 1)
        mine = "# MINE: at the top" if path.endswith(".txt") else "MINE: at the top"
        (project / path).write_text(f"{first}\n\n{mine}\n{rest}\n{mine}, and the end\n")
    yours = [path for path in owned(project, "yours") if path != "blueprint.yaml"]
    assert yours
    for path in yours:
        with open(project / path, "a") as stream:
            stream.write("\n// MINE \r\n\t")
    before = tree(project)
    result = run(app, ["add", "op", "Mul", "--project", str(project)])
    assert result.exit_code == 0, result.output
    after = tree(project)
    assert {path: after[path] for path in yours} == {path: before[path] for path in yours}
    for path in shared:
        kept = iter(after[path].decode().splitlines())
        mine = [line for line in before[path].decode().splitlines() if "MINE" in line]
        assert len(mine) == 2
        assert all(line in kept for line in mine), path
    assert b"Mul" in after["README.md"]
    untouched = [path for path in shared if path != "README.md"]
    assert {path: after[path] for path in untouched} == {path: before[path] for path in untouched}


def test_a_dry_run_shows_the_diff_and_writes_nothing(project: Path) -> None:
    before = tree(project)
    result = run(app, ["add", "op", "Mul", "--project", str(project), "--dry-run"])
    assert result.exit_code == 0, result.output
    assert "--- a/blueprint.yaml\n+++ b/blueprint.yaml\n" in result.stdout
    added = [line for line in result.stdout.splitlines() if line.startswith(("+ ", "- "))]
    assert added == ["+  - Mul"]
    assert "src/gen/kernels/mul.cc" in result.stdout
    assert tree(project) == before


def test_an_edited_generated_file_stops_adding_until_it_is_decided(project: Path) -> None:
    with open(project / "src/gen/kernel_table.cc", "a") as stream:
        stream.write("int edited;\n")
    before = tree(project)
    call = ["add", "op", "Mul", "--kernel", "yours", "--project", str(project)]
    result = run(app, call)
    assert result.exit_code == 3
    assert tree(project) == before
    retry = f"epforge {' '.join(call)} --discard src/gen/kernel_table.cc"
    assert retry in result.output
    assert run(app, retry.split()[1:]).exit_code == 0
    assert "- {op: Mul, kernel: yours}\n" in (project / "blueprint.yaml").read_text()


def test_what_was_done_is_json_for_a_program(project: Path) -> None:
    call = ["add", "op", "Relu", "Mul", "--project", str(project), "--json"]
    dry = json.loads(run(app, [*call, "--dry-run"]).stdout)
    done = json.loads(run(app, call).stdout)
    assert done["added"] == ["Mul"]
    assert done["present"] == {"Relu": f"{project / 'blueprint.yaml'}:6"}
    assert "+  - Mul\n" in done["diff"]
    assert {"path": "src/gen/kernels/mul.cc", "kind": "create"}.items() <= next(
        row.items() for row in done["actions"] if row["path"] == "src/gen/kernels/mul.cc"
    )
    assert dry == {**done, "dry_run": True}
    nothing = json.loads(run(app, call).stdout)
    assert (nothing["added"], nothing["diff"]) == ([], "")
    assert nothing["present"].keys() == {"Relu", "Mul"}


def test_outside_a_project_adding_is_refused(tmp_path: Path) -> None:
    result = run(app, ["add", "op", "Relu", "--project", str(tmp_path)])
    assert result.exit_code == 2
    assert "not a project of epforge" in result.stderr


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_byte_order_mark_stay(tmp_path: Path, mark: str, end: str) -> None:
    path = tmp_path / "b.yaml"
    text = mark + BLUEPRINT.replace("\n", end)
    path.write_bytes(text.encode())
    wanted = text.replace("# The end", f"  - Mul{end}# The end").encode()
    if mark or end == "\r\n":
        out = tmp_path / "out"
        assert run(app, ["scaffold", str(path), str(out)]).exit_code == 0
        assert (out / "blueprint.yaml").read_bytes() == text.encode()
        result = run(app, ["add", "op", "Mul", "--project", str(out)])
        assert result.exit_code == 0, result.output
        assert (out / "blueprint.yaml").read_bytes() == wanted
        assert "up to date" in run(app, ["regenerate", str(out)]).stdout
    assert run(app, ["add", "op", "Mul", "--file", str(path)]).exit_code == 0
    assert path.read_bytes() == wanted


# Blueprints without a project


def test_a_blueprint_without_a_project_is_edited(file: Path) -> None:
    file.chmod(0o640)
    result = run(app, ["add", "op", "Mul", "--file", str(file)])
    assert result.exit_code == 0, result.output
    assert result.stdout == f"Mul added to {file}\n"
    assert file.read_text() == BLUEPRINT.replace("# The end", "  - Mul\n# The end")
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(file.parent.iterdir()) == [file]


def test_a_directory_stands_for_the_blueprint_in_it(file: Path) -> None:
    file = file.rename(file.parent / "blueprint.yaml")
    result = run(app, ["add", "op", "Mul", "--project", str(file.parent)])
    assert result.exit_code == 0, result.output
    assert result.stdout == f"Mul added to {file}\n"
    assert file.read_text() == BLUEPRINT.replace("# The end", "  - Mul\n# The end")
    assert list(file.parent.iterdir()) == [file]


def test_a_dry_run_leaves_the_file(file: Path) -> None:
    result = run(app, ["add", "op", "Mul", "--file", str(file), "--dry-run"])
    assert "+  - Mul\n" in result.stdout
    assert file.read_text() == BLUEPRINT


def test_a_link_to_a_blueprint_stays_one(file: Path) -> None:
    link = file.with_name("link.yaml")
    link.symlink_to(file.name)
    assert run(app, ["add", "op", "Mul", "--file", str(link)]).exit_code == 0
    assert link.is_symlink()
    assert "- Mul" in file.read_text()


def test_the_blueprint_of_a_project_is_not_edited_without_it(project: Path) -> None:
    result = run(app, ["add", "op", "Mul", "--file", str(project / "blueprint.yaml")])
    assert result.exit_code == 2
    assert f"--project {project}" in result.stderr
    assert (project / "blueprint.yaml").read_text() == BLUEPRINT


def test_project_and_file_exclude_each_other(file: Path) -> None:
    result = run(app, ["add", "op", "Mul", "--file", str(file), "--project", "."])
    assert result.exit_code == 2
    assert file.read_text() == BLUEPRINT


# Operators


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("Mul", "- Mul"),
        ("ai.onnx::Mul", "- Mul"),
        ("com.microsoft::BiasGelu", "- com.microsoft::BiasGelu"),
        ("Mul --kernel yours", "- {op: Mul, kernel: yours}"),
        ("Mul --models >=13", '- {op: Mul, models: ">=13"}'),
        ("Mul --types int32,float32", "- {op: Mul, types: {T: [int32, float32]}}"),
        ("ArgMax --types float32", "- {op: ArgMax, types: {T: [float32]}}"),
        (
            "Cast --types T1=float32 --types T2=float32,bool",
            "- {op: Cast, types: {T1: [float32], T2: [float32, bool]}}",
        ),
        ("Cast --types float32", "- {op: Cast, types: {T1: [float32]}}"),
    ],
)
def test_an_operator_is_written_as_asked_for(file: Path, call: str, line: str) -> None:
    result = run(app, ["add", "op", *call.split(), "--file", str(file)])
    assert result.exit_code == 0, result.output
    assert file.read_text() == BLUEPRINT.replace("# The end", f"  {line}\n# The end")


@pytest.mark.parametrize(
    "call",
    [
        "Relu",
        "ai.onnx::Relu",
        "Relu Relu Add",
        "Add --types float32",
        "Add --types T=float32",
    ],
)
def test_what_is_there_already_is_no_error(file: Path, call: str) -> None:
    result = run(app, ["add", "op", *call.split(), "--file", str(file)])
    assert result.exit_code == 0, result.output
    assert f"is listed already: {file}:" in result.stdout
    assert "nothing to do" in result.stdout
    assert file.read_text() == BLUEPRINT


def test_a_spelled_out_domain_names_the_same_operator(file: Path) -> None:
    text = BLUEPRINT.replace("- Relu", "- ai.onnx::Relu")
    file.write_text(text)
    result = run(app, ["add", "op", "Relu", "--file", str(file)])
    assert f"Relu is listed already: {file}:6; nothing to do" in result.stdout
    assert file.read_text() == text


def test_a_project_without_its_lock_is_no_lone_blueprint(project: Path) -> None:
    (project / "epforge.lock").unlink()
    before = tree(project)
    result = run(app, ["add", "op", "Mul", "--project", str(project)])
    assert result.exit_code == 2
    assert "it has no epforge.lock" in result.stderr
    assert tree(project) == before


def test_nothing_to_do_does_not_touch_the_project(project: Path) -> None:
    (project / "src/abi/ep.cc").write_text("// edited\n")
    before = tree(project)
    assert run(app, ["add", "op", "Relu", "--project", str(project)]).exit_code == 0
    assert tree(project) == before


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("Sofmax", "did you mean Softmax?"),
        ("relu", "did you mean Relu?"),
        ("BiasGelu", "did you mean com.microsoft::BiasGelu?"),
        ("org.example::Foo", "an operator of your own goes into custom_ops"),
        ("a,b", "Relu or domain::Op"),
        ("Relu --kernel yours", "contoso.yaml:6: Relu is listed already"),
        ("Add --types int32", "contoso.yaml:7: Add is listed already"),
        ("Relu --models 13", "and the one on line 6 overlap"),
        ("Mul --kernel mine", '"mine" is not a choice'),
        ("Mul --types string", "cannot be string"),
        ("Mul --types V=int32", "Mul has no type constraint"),
        ("Mul --models x", "models:"),
        ("Mul Sofmax", "did you mean Softmax?"),
    ],
)
def test_what_cannot_be_added_changes_nothing(file: Path, call: str, says: str) -> None:
    result = run(app, ["add", "op", *call.split(), "--file", str(file)])
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert file.read_text() == BLUEPRINT


def test_an_operator_may_have_entries_for_other_opsets(file: Path) -> None:
    for opsets in ("7-12", "13-13"):
        call = ["add", "op", "Mul", "--models", opsets, "--file", str(file)]
        assert run(app, call).exit_code == 0
    assert 'Mul, models: "7-12"}\n  - {op: Mul, models: "13-13"}\n' in file.read_text()
    again = run(app, ["add", "op", "Mul", "--models", "13-13", "--file", str(file)])
    assert "nothing to do" in again.stdout


def test_a_custom_operator_is_listed_already(file: Path) -> None:
    custom = "inputs: {x: float32}, outputs: {y: float32}, compute: x"
    file.write_text(f"{BLUEPRINT}custom_ops: [{{op: 'com.c::Clip', {custom}}}]\n")
    call = ["add", "op", "com.c::Clip", "--file", str(file)]
    assert f"com.c::Clip is listed already: {file}:9; nothing to do" in run(app, call).stdout
    result = run(app, [*call, "--kernel", "yours"])
    assert result.exit_code == 2
    assert f"{file}:9: com.c::Clip is listed already" in result.stderr
    assert "epforge eject op com.c::Clip" in result.stderr


def test_a_wrong_blueprint_is_reported_at_its_place(file: Path) -> None:
    file.write_text(BLUEPRINT + "nope: 1\n")
    result = run(app, ["add", "op", "Mul", "--file", str(file)])
    assert result.exit_code == 2
    assert f"{file}:9:1: error" in result.stderr


def test_an_error_of_what_would_be_does_not_point_into_the_file(file: Path) -> None:
    result = run(app, ["add", "op", "Mul", "--kernel", "mine", "--file", str(file)])
    assert f"{file} (as it would be):8:" in result.stderr


# Devices and options


def test_a_device_is_added(file: Path) -> None:
    call = "device npu --type npu --vendor-id 0xB357 --device-id 0x1001 --device-id 4098 --virtual"
    more = ["--metadata", "os_driver_version=1.0.0.0"]
    result = run(app, ["add", *call.split(), *more, "--file", str(file)])
    assert result.exit_code == 0, result.output
    assert "the list takes its place" in result.stdout
    assert "match: {vendor_id: 0xB357, device_ids: [0x1001, 4098]}" in file.read_text()
    (device,) = resolve(load(file)).devices
    assert (device.name, device.type, device.virtual) == (
        "npu",
        DeviceType.NPU,
        VirtualPolicy.ALLOWED,
    )
    assert device.match.device_ids == (0x1001, 4098)
    assert device.metadata == {"os_driver_version": "1.0.0.0"}
    for name in ("other", "big"):
        result = run(app, ["add", "device", name, "--type", "gpu", "--file", str(file)])
        assert "the list takes its place" not in result.stdout
    assert [each.name for each in resolve(load(file)).devices] == ["npu", "other", "big"]
    assert set(BLUEPRINT.splitlines()) <= set(file.read_text().splitlines())


def test_a_device_reaches_the_project(project: Path) -> None:
    call = ["add", "device", "npu", "--type", "npu", "--vendor-id", "0xB357"]
    result = run(app, [*call, "--project", str(project)])
    assert result.exit_code == 0, result.output
    assert "B357" in (project / "src/gen/devices.h").read_text()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("npu --type tpu", '"tpu" is not a choice'),
        ("npu --type npu --device-id 1", "mean nothing without a vendor"),
        ("npu --type npu --vendor-id x,y", "an integer"),
        ("npu --type npu --metadata os_driver_version", "not KEY=VALUE"),
        ("a/b --type npu", "is not a name"),
        ("gpu --type npu", "contoso.yaml:9: gpu is listed already"),
    ],
)
def test_what_is_no_device_changes_nothing(file: Path, call: str, says: str) -> None:
    text = f"{BLUEPRINT}devices: [{{name: gpu, type: gpu}}]\n"
    file.write_text(text)
    result = run(app, ["add", "device", *call.split(), "--file", str(file)])
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert file.read_text() == text


def test_options_are_added(file: Path) -> None:
    for call in (
        ["effort", "--type", "int", "--range", "-1:3", "--default", "-1", "--doc", "How: much."],
        ["log", "--choices", "error, info", "--default", "info", "--excludes", "effort"],
        ["cache", "--type", "string", "--default", "true", "--dynamic"],
        ["share", "--default", "0.5"],
    ):
        result = run(app, ["add", "option", *call, "--file", str(file)])
        assert result.exit_code == 0, result.output
    assert file.read_text() == BLUEPRINT.replace(
        "# The end.\n",
        "options:\n"
        '  - {name: cache, type: string, default: "true", dynamic: true}\n'
        '  - {name: effort, type: int, range: [-1, 3], default: -1, doc: "How: much."}\n'
        "  - {name: log, choices: [error, info], default: info, excludes: [effort]}\n"
        "  - {name: share, default: 0.5}\n"
        "# The end.\n",
    )
    cache, effort, log, share = resolve(load(file)).options
    assert (effort.minimum, effort.maximum, effort.default) == (-1, 3, -1)
    assert (log.choices, log.excludes) == (("error", "info"), ("effort",))
    assert (cache.default, cache.dynamic) == ("true", True)
    assert (share.type, share.default) == (OptionType.FLOAT, 0.5)


def test_an_option_reaches_the_project(project: Path) -> None:
    call = ["add", "option", "effort", "--type", "int", "--project", str(project)]
    result = run(app, call)
    assert result.exit_code == 0, result.output
    assert "effort" in (project / "src/gen/options.h").read_text()
    assert "nothing to do" in run(app, call).stdout


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (["effort"], "neither type nor default nor choices"),
        (["effort", "--type", "int", "--range", "3"], "not LOWEST:HIGHEST"),
        (["effort", "--type", "int", "--range", "0:3", "--default", "4"], "out of range"),
        (["effort", "--type", "int", "--default", "0}, {name: x"], "an integer"),
        (["auto", "--type", "int"], "contoso.yaml:9: auto is listed already"),
        (["a b", "--type", "int"], "is not a name"),
    ],
)
def test_what_is_no_option_changes_nothing(file: Path, call: list[str], says: str) -> None:
    text = f"{BLUEPRINT}options: [{{name: auto, type: bool}}]\n"
    file.write_text(text)
    result = run(app, ["add", "option", *call, "--file", str(file)])
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert file.read_text() == text


def test_a_list_that_has_to_be_edited_by_hand_is_named(file: Path) -> None:
    text = f"{BLUEPRINT}system_libs: &libs []\noptions: *libs\n"
    file.write_text(text)
    result = run(app, ["add", "option", "a", "--type", "int", "--file", str(file)])
    assert result.exit_code == 2
    assert f"{file}:10:1: this list cannot be edited safely" in result.stderr
    assert "add {name: a, type: int} to options" in result.stderr
    assert file.read_text() == text


def test_an_added_kernel_can_be_yours_from_the_start(project: Path) -> None:
    call = ["add", "op", "Mul", "--kernel", "yours", "--project", str(project)]
    assert run(app, call).exit_code == 0
    assert (project / "src/kernels/mul.cc").is_file()
    ops = {op.op: op.kernel for op in resolve(load(project / "blueprint.yaml")).ops}
    assert ops["Mul"] is KernelSource.YOURS
