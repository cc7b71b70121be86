"""``epforge upgrade``: targets, notes, editions, and the project afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from epforge.blueprint.editions import Migration
from epforge.blueprint.editions.steps import Rename
from epforge.cli.main import app
from epforge.errors import UsageError
from epforge.verbs.change.rewriting import rewrite
from epforge.verbs.change.upgrading import plan_upgrade, rewriter
from epforge.workspace import Request

run = CliRunner().invoke

BLUEPRINT = """\
# A device with queues.
epforge: 1
name: contoso-npu
vendor: Contoso      # who makes it
ort: {min: "1.24.4", target: "1.26"}   # what it is for
devices: [{name: npu, type: npu, match: {vendor_id: 0xB357}, virtual: allowed}]
memory: {default: arena, streams: true}
ops: [Relu]
"""
OLDEST = Migration(0, 1, (Rename(("maker",), "vendor"),))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "contoso.yaml"
    path.write_text(BLUEPRINT)
    return path


@pytest.fixture(scope="module")
def scaffolded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a project, made once."""
    place = tmp_path_factory.mktemp("upgrade")
    (place / "contoso.yaml").write_text(BLUEPRINT)
    result = run(app, ["scaffold", str(place / "contoso.yaml"), str(place / "out")])
    assert result.exit_code == 0, result.output
    return tree(place / "out")


@pytest.fixture
def project(tmp_path: Path, scaffolded: dict[str, bytes]) -> Path:
    for name, content in scaffolded.items():
        path = tmp_path / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "out"


def tree(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def groups(text: str) -> dict[str, str]:
    """The parts of a report under their titles."""
    found: dict[str, str] = {}
    title = ""
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            title = line
        elif line.startswith("  "):
            found[title] = f"{found.get(title, '')}{line.strip()} "
    return found


def test_the_target_moves_and_nothing_else_of_the_blueprint(project: Path) -> None:
    before = (project / "blueprint.yaml").read_text()
    result = run(app, ["upgrade", str(project), "--ort", "1.27"])
    assert result.exit_code == 0, result.output
    after = (project / "blueprint.yaml").read_text()
    assert after == before.replace('target: "1.26"', 'target: "1.27"')
    assert "GetDefaultMemoryDevice" in (project / "src/abi/ep.cc").read_text()
    assert run(app, ["status", str(project)]).exit_code == 0


def test_what_it_means_is_told_by_who_has_to_act(project: Path) -> None:
    result = run(app, ["upgrade", str(project), "--ort", "1.32", "--dry-run"])
    assert result.exit_code == 0, result.output
    found = groups(result.stdout)
    assert "GetDefaultMemoryDevice" in found["Now done for you:"]
    assert "onnxruntime_error_code.h" in found["For you to do:"]
    assert "1.26.0 takes no kernel" in found["Good to know:"]
    assert "features.memory_capacity: true" in found["Yours for the asking:"]
    assert "weightless" not in result.stdout.lower()  # nothing is compiled here
    assert "profiler" not in result.stdout.lower()  # that came before


def test_a_dry_run_writes_nothing(project: Path) -> None:
    before = tree(project)
    result = run(app, ["upgrade", str(project), "--ort", "1.27", "--dry-run"])
    assert result.exit_code == 0, result.output
    assert "blueprint.yaml" in result.stdout
    assert tree(project) == before


def test_the_way_down_says_what_is_lost_and_leads_back(
    project: Path, scaffolded: dict[str, bytes]
) -> None:
    result = run(app, ["upgrade", str(project), "--ort", "1.24"])
    assert result.exit_code == 0, result.output
    lost = groups(result.stdout)["What the project loses:"]
    assert "OrtEp::Sync" in lost
    assert "OrtAllocator::Shrink" in lost
    assert "GiveBack" not in (project / "src/abi/allocator.cc").read_text()
    assert run(app, ["upgrade", str(project), "--ort", "1.26"]).exit_code == 0
    now = tree(project)
    for path in scaffolded:
        if not path.startswith(".epforge/") and path != "epforge.lock":
            assert now[path] == scaffolded[path], path


def test_without_a_release_it_is_the_newest_whose_headers_can_be_had(file: Path) -> None:
    def target(newest: int) -> int:
        return plan_upgrade(file, None, newest=lambda: newest).new

    assert target(27) == 27
    assert target(30) == 30
    assert target(25) == 26  # never down by itself
    assert plan_upgrade(file, "1.24.4", newest=lambda: 30).new == 24


def test_a_project_that_is_there_already_is_regenerated(project: Path) -> None:
    generated = project / "src/gen/identity.h"
    old = generated.read_text()
    generated.unlink()
    call = ["upgrade", str(project), "--ort", "1.26"]
    assert run(app, call).exit_code == 3
    result = run(app, [*call, "--discard", "all"])
    assert result.exit_code == 0, result.output
    assert "1.26 already" in result.stdout
    assert generated.read_text() == old


def test_a_conflict_stops_everything_and_the_way_out_is_an_upgrade(project: Path) -> None:
    edited = project / "src/abi/ep.cc"
    edited.write_text(f"// mine\n{edited.read_text()}")
    before = tree(project)
    result = run(app, ["upgrade", str(project), "--ort", "1.27"])
    assert result.exit_code == 3
    assert tree(project) == before
    assert f"epforge upgrade {project} --ort 1.27 --discard src/abi/ep.cc" in result.output


@pytest.mark.parametrize(
    ("ort", "message", "cure"),
    [
        ("1.33", "1.33 is not known", "Did you mean --ort 1.32?"),
        ("1.22", "1.22 is not known", "Did you mean --ort 1.24?"),
        ("1.72", "1.72 is not known", "Did you mean --ort 1.32?"),
        ("1.x", "'1.x' is no release", '"1.24"'),
        ("1.23", "ort.min is 1.24.4", "choose 1.24 or newer"),
    ],
)
def test_a_wrong_release_is_refused_with_what_to_write(
    file: Path, ort: str, message: str, cure: str
) -> None:
    with pytest.raises(UsageError) as caught:
        plan_upgrade(file, ort)
    assert message in caught.value.message
    assert cure in caught.value.cure


def test_what_the_blueprint_asks_for_holds_the_target_up(file: Path) -> None:
    file.write_text(f"{BLUEPRINT}features: {{profiler: true}}\n")
    before = file.read_bytes()
    result = run(app, ["upgrade", "--file", str(file), "--ort", "1.24"])
    assert result.exit_code == 2
    assert f"{file}:9:22" in result.stderr
    assert "profiler" in result.stderr
    assert file.read_bytes() == before


def test_a_blueprint_alone(file: Path) -> None:
    file.chmod(0o640)
    dry = run(app, ["upgrade", "--file", str(file), "--ort", "1.27", "--dry-run"])
    assert dry.exit_code == 0, dry.output
    assert file.read_text() == BLUEPRINT
    assert '+ort: {min: "1.24.4", target: "1.27"}   # what it is for' in dry.stdout
    result = run(app, ["upgrade", "--file", str(file), "--ort", "1.27"])
    assert result.exit_code == 0, result.output
    assert file.read_text() == BLUEPRINT.replace('"1.26"', '"1.27"')
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(file.parent.iterdir()) == [file]


def test_json_of_a_project_and_of_a_blueprint(project: Path, file: Path) -> None:
    call = ["upgrade", "--ort", "1.28", "--dry-run", "--json"]
    data = json.loads(run(app, [*call, str(project)]).stdout)
    keys = ["from", "to", "edition", "done", "todo", "known", "offers", "lost"]
    assert list(data["upgrade"]) == keys
    assert (data["upgrade"]["from"], data["upgrade"]["to"]) == ("1.26", "1.28")
    assert {note["id"] for note in data["upgrade"]["done"]} == {"default-memory"}
    assert {note["id"] for note in data["upgrade"]["todo"]} == {"error-code-header"}
    assert "blueprint.yaml" in {action["path"] for action in data["actions"]}
    alone = json.loads(run(app, [*call, "--file", str(file)]).stdout)
    assert alone["changed"]
    assert alone["upgrade"] == data["upgrade"]


def test_a_blueprint_and_a_project_at_once_are_refused(project: Path, file: Path) -> None:
    result = run(app, ["upgrade", str(project), "--file", str(file)])
    assert result.exit_code == 2


def test_what_is_no_project_is_told(tmp_path: Path) -> None:
    result = run(app, ["upgrade", str(tmp_path), "--ort", "1.27"])
    assert result.exit_code == 2
    assert "is not a project" in result.stderr


def test_an_older_edition_is_migrated_on_the_way(project: Path) -> None:
    old = BLUEPRINT.replace("epforge: 1", "epforge: 0").replace("vendor:", "maker:")
    (project / "blueprint.yaml").write_text(old)
    file = project / "blueprint.yaml"
    upgrade = plan_upgrade(file, "1.27", migrations=[OLDEST])
    assert upgrade.edition.steps == ("renames maker to vendor",)
    assert upgrade.after == BLUEPRINT.replace('"1.26"', '"1.27"')
    done = rewrite(project, rewriter(27, file, [OLDEST]), Request())
    assert file.read_text() == BLUEPRINT.replace('"1.26"', '"1.27"')
    assert done.after.ort.target == 27
    assert run(app, ["status", str(project)]).exit_code == 0
