"""Overlays on the command line: laid over, taken along, merged, and refused without a trace."""

import json
import shutil
from pathlib import Path

import pytest
from overlay_templates import write
from typer.testing import CliRunner

from epforge.cli.main import app

REPOSITORY = Path(__file__).resolve().parents[3]
EXAMPLE = REPOSITORY / "examples/house-style"
HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\n"
run = CliRunner().invoke


def status_of(*arguments: object) -> int:
    return run(app, [str(argument) for argument in arguments]).exit_code


def tree(directory: Path) -> dict[str, bytes]:
    files = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def scaffolded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("overlays") / "out"
    result = run(app, ["scaffold", str(EXAMPLE / "blueprint.yaml"), str(directory)])
    assert result.exit_code == 0, result.output
    return directory


@pytest.fixture
def project(scaffolded: Path, tmp_path: Path) -> Path:
    shutil.copytree(scaffolded, tmp_path / "project")
    return tmp_path / "project"


def test_the_example_s_style_is_all_over_its_project(scaffolded: Path) -> None:
    header = (EXAMPLE / "house/header.txt").read_text().splitlines()
    for path, mark in (("src/gen/kernels/relu.cc", "//"), ("CMakeLists.txt", "#")):
        assert (scaffolded / path).read_text().splitlines()[1:3] == [f"{mark} {x}" for x in header]
    owners = (scaffolded / "CODEOWNERS").read_text()
    assert owners.startswith("# Reviews of ContosoNpuExecutionProvider\n* @contoso/runtime\n")
    workflow = EXAMPLE / "house/style/.github/workflows/house.yml"
    assert (scaffolded / ".github/workflows/house.yml").read_bytes() == workflow.read_bytes()
    assert "/.contoso/\n" in (scaffolded / ".gitignore").read_text()
    taken = {path: content for path, content in tree(scaffolded).items() if path[:6] == "house/"}
    assert taken == {f"house/{path}": text for path, text in tree(EXAMPLE / "house").items()}


def test_the_lock_says_whose_what_is_and_of_which_overlays(scaffolded: Path) -> None:
    lock = json.loads((scaffolded / "epforge.lock").read_text())
    assert lock["files"]["CODEOWNERS"]["owner"] == "shared"
    assert lock["files"]["CODEOWNERS"]["template"] == "overlay:house/style"
    assert lock["files"]["house/style/copier.yml"]["owner"] == "yours"
    assert sorted(lock["inputs"]) == [
        "overlay:house/header.txt",
        "overlay:house/style",
        "overlay:house/templates",
    ]


def test_the_example_s_templates_are_epforge_s_of_today() -> None:
    assert status_of("templates", "diff", EXAMPLE / "house/templates") == 0


def test_plan_lists_what_scaffold_writes(scaffolded: Path) -> None:
    plan = run(app, ["plan", str(EXAMPLE / "blueprint.yaml"), "--json"])
    planned = {row["path"] for row in json.loads(plan.stdout)["files"]}
    written = {path for path in tree(scaffolded) if not path.startswith(".epforge/")}
    assert planned == written - {"epforge.lock"}


def test_a_later_overlay_is_merged_with_the_owner_s_edits(project: Path) -> None:
    assert status_of("regenerate", project) == 0
    owners = project / "CODEOWNERS"
    owners.write_text(owners.read_text() + "\n\n/docs/ @contoso/writers\n")
    template = project / "house/style/CODEOWNERS.jinja"
    template.write_text(template.read_text().replace("# Reviews", "# Who reviews"))
    assert status_of("status", project) != 0
    assert status_of("regenerate", project) == 0
    text = owners.read_text()
    assert text.startswith("# Who reviews of ")
    assert text.endswith("/docs/ @contoso/writers\n")
    assert status_of("status", project) == 0


def test_without_its_overlay_a_project_says_so_and_stays(project: Path) -> None:
    shutil.rmtree(project / "house/style")
    before = tree(project)
    result = run(app, ["regenerate", str(project)])
    assert result.exit_code == 2
    assert "blueprint.yaml:9: overlay house/style: there is no directory" in result.output
    assert tree(project) == before


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"copier.yml": "_tasks: [ls]\n"}, "copier.yml:1: _tasks runs commands\n"),
        ({"copier.yml": "", "src/gen/names.txt": "", "CMakePresets.json": "{}"}, ""),
        ({"copier.yml": "", "src/gen/kernels/relu.cc": ""}, "as generated, from kernels/"),
        ({"copier.yml": "", "LICENSE": ""}, "as yours, from plugin/licenses/"),
        ({"copier.yml": "", "epforge.lock": ""}, "it makes epforge.lock"),
    ],
)
def test_what_is_refused_leaves_no_trace(tmp_path: Path, files: dict[str, str], what: str) -> None:
    blueprint = tmp_path / "b.yaml"
    blueprint.write_text(f"{HEAD}overlays: [{{source: style}}]\n")
    write(tmp_path / "style", files)
    result = run(app, ["scaffold", str(blueprint), str(tmp_path / "out")])
    if not what:
        assert result.exit_code == 0, result.output
        return
    assert result.exit_code == 2
    assert f"epforge: {blueprint}:5: overlay style: " in result.output
    assert what in result.output
    assert not (tmp_path / "out").exists()


def test_trust_is_given_by_the_call(tmp_path: Path) -> None:
    blueprint = tmp_path / "b.yaml"
    blueprint.write_text(f"{HEAD}overlays: [{{source: style}}]\n")
    write(tmp_path / "style", {"copier.yml": "_tasks: ['echo made > made.txt']\n"})
    assert status_of("scaffold", blueprint, tmp_path / "out", "--trust") == 0
    assert (tmp_path / "out/made.txt").read_text() == "made\n"
    assert status_of("regenerate", tmp_path / "out") == 2
    assert status_of("regenerate", tmp_path / "out", "--trust") == 0


def test_a_style_in_a_package_stays_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "site", {"acme_style/__init__.py": "raise SystemExit"})
    write(tmp_path / "site", {"acme_style/h.txt": "Copyright Acme\n"})
    write(tmp_path / "site", {"acme_style/ep/cookiecutter.json": '{"d": "x"}'})
    write(
        tmp_path / "site", {"acme_style/ep/{{cookiecutter.d}}/.clang-format": "ColumnLimit: 60\n"}
    )
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    blueprint = tmp_path / "b.yaml"
    overlays = "{header: python:acme_style/h.txt}, {source: python:acme_style/ep}"
    blueprint.write_text(f"{HEAD}overlays: [{overlays}]\n")
    assert status_of("scaffold", blueprint, tmp_path / "out") == 0
    assert (tmp_path / "out/CMakeLists.txt").read_text().split("\n")[1] == "# Copyright Acme"
    assert not list((tmp_path / "out").glob("acme*"))
    kernel = (tmp_path / "out/src/gen/kernels/relu.cc").read_text().split("\n")
    assert max(len(line) for line in kernel if not line.startswith(("//", "#"))) <= 62
    assert status_of("status", tmp_path / "out") == 0
