"""ONNX Runtime's own tests of its example execution providers, on those of blueprints/ort-examples.

tests/support/ort_examples has them, one function for each; docs/ort-examples.md says which stands
for which of ORT's. A process runs the tests of a module; each has its outcome here.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import test_graph_capture
import test_newer_levels
from compiled import WARNINGS
from hooked import with_hooks
from locking import locked
from ort_examples.harness import by_name
from ort_examples.inventory import FILES
from projects import Project, built, expanded, sdk
from runtimes import SUPPORTED, runtime

from epforge.ort.levels import known_levels, load_level
from epforge.shim import build_shim
from epforge.validate import Outcome, validate

REPOSITORY = Path(__file__).resolve().parents[2]
TABLE = REPOSITORY / "docs/ort-examples.md"
#: The modules: the projects that each needs, and the oldest API level that has what it asks for.
MODULES = {
    "registration": (("compiled", "virtual-gpu"), 24),
    "selection": (("compiled",), 24),
    "execution": (("compiled", "virtual-gpu", "kernel-registry"), 24),
    "memory": (("compiled",), 24),
    "external_resources": (("compiled",), 24),
    "sharing": (("compiled",), 24),
    "context_data": (("compiled",), 24),
    "concurrency": (("compiled",), 24),
    "graphics": (("compiled", "kernel-registry"), 25),
    "capture": (("capture",), 26),
    "handle_leak": (("compiled",), 28),  # those before leave every library mapped
    "newest": (("newest",), 31),
    "packages": (("compiled", "kernel-registry"), 31),
}


#: Where the shim cannot stand in front: it stays mapped, has no hooks of the device, and changes
#: the function by which a library knows imported memory and semaphores for its own.
UNSEEN = {"handle_leak", "capture", "external_resources"}


def module(name: str) -> ModuleType:
    return importlib.import_module(f"ort_examples.{name}")


ALL = [(name, test) for name in MODULES for test in by_name(module(name))]


def text_of(kind: str) -> str:
    """The blueprint of one of the examples."""
    return (REPOSITORY / f"blueprints/ort-examples/{kind}.yaml").read_text(encoding="utf-8")


def _project(kind: str) -> Project:
    """The project of one of the examples, or one that other tests have as well."""
    if kind == "capture":
        return with_hooks(test_graph_capture.ARENA)
    if kind == "newest":
        return test_newer_levels.project(REPOSITORY, 32, "all")
    return built(text_of(kind))


def outcomes(
    name: str, place: Path, version: str | None = None, shim: Path | None = None
) -> dict[str, str]:
    """What went wrong in each test of a module; a process of its own runs them, once."""
    place = place / ("shim" if shim else version or "installed")
    place.mkdir(exist_ok=True)
    with locked(place / f"{name}.lock"):
        answers = place / f"{name}.json"
        if not answers.is_file():
            projects = {kind: _project(kind) for kind in MODULES[name][0]}
            given = {
                "libraries": {kind: str(each.library) for kind, each in projects.items()},
                "eps": {kind: each.ep for kind, each in projects.items()},
                "folder": str(place / name),
                "outcomes": str(place / f"{name}.txt"),
                **({"shim": str(shim)} if shim else {}),
            }
            (place / f"{name}.given").write_text(json.dumps(given), encoding="utf-8")
            done = subprocess.run(
                [sys.executable, "-m", "ort_examples.run", name, str(place / f"{name}.given")],
                env=next(iter(projects.values())).environment(version and runtime(version)),
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            made = place / f"{name}.txt"
            lines = made.read_text(encoding="utf-8").splitlines() if made.is_file() else []
            found = dict(json.loads(line) for line in lines)
            # Whoever ends the process takes the tests behind it along.
            end = f"the process ended with {done.returncode}: {done.stderr[-4000:]}"
            every = {test: found.get(test, end) for test in by_name(module(name))}
            if done.returncode != 0:
                every = {test: wrong or end for test, wrong in every.items()}
            answers.write_text(json.dumps(every), encoding="utf-8")
        content: dict[str, str] = json.loads(answers.read_text(encoding="utf-8"))
        return content


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this test run share."""
    base = tmp_path_factory.getbasetemp()
    made = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "ort examples"
    made.mkdir(exist_ok=True)
    return made


@pytest.mark.parametrize(("name", "test"), ALL, ids=[f"{name}-{test}" for name, test in ALL])
def test_what_ort_asserts_holds(name: str, test: str, place: Path) -> None:
    wrong = outcomes(name, place)[test]
    assert not wrong, wrong


@pytest.mark.lab
@pytest.mark.parametrize("version", SUPPORTED[:-1])
@pytest.mark.parametrize("name", MODULES)
def test_it_holds_on_older_runtimes(name: str, version: str, place: Path) -> None:
    if int(version.split(".")[1]) < MODULES[name][1]:
        pytest.skip(f"{version} has no such services")
    assert {test: wrong for test, wrong in outcomes(name, place, version).items() if wrong} == {}


@pytest.mark.lab
@pytest.mark.parametrize("name", sorted(MODULES.keys() - UNSEEN))
def test_the_shim_finds_nothing_meanwhile(name: str, place: Path) -> None:
    """No breach of contract, nothing that is not given back, no slot without code."""
    found = outcomes(name, place, shim=build_shim())
    assert {test: wrong for test, wrong in found.items() if wrong} == {}


# ------------------------------------------------------------ what holds of every project of ours

EXAMPLES = ("compiled", "virtual-gpu", "kernel-registry")


@pytest.mark.lab
@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_ladder_passes(kind: str) -> None:
    report = validate(_project(kind).library)
    assert report.passed, report.summary
    assert not [check for check in report.checks if check.outcome is Outcome.NOT_CHECKED]


@pytest.mark.lab
@pytest.mark.parametrize("kind", EXAMPLES)
def test_its_own_tests_pass(kind: str) -> None:
    project = _project(kind)
    for command in (
        "pytest -q -p no:cacheprovider",
        "mypy --cache-dir=/dev/null python tests/python",
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command.split()],
            cwd=project.root,
            env=project.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]


@pytest.mark.lab
@pytest.mark.parametrize("kind", EXAMPLES)
def test_its_cpp_tests_compile(kind: str, tmp_path: Path) -> None:
    """Together the services of the compiling example are asked for by no other blueprint."""
    for file in expanded(text_of(kind)).files:
        path = tmp_path / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    flags = ["-std=c++17", "-fsyntax-only", *WARNINGS, "-Isrc", "-Itests/cpp"]
    sources = sorted((tmp_path / "tests/cpp").glob("*.cc"))
    assert sources
    for source in sources:
        done = subprocess.run(
            ["g++", *flags, "-isystem", str(sdk().include), str(source)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[:4000]


# ------------------------------------------------------------------------------------- the table


def rows() -> dict[str, list[tuple[str, str, str]]]:
    """By ORT's file: the test, where ours is, and the outcome."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    sections = re.split(r"^## ", TABLE.read_text(encoding="utf-8"), flags=re.M)[1:]
    for section in sections:
        title = section.splitlines()[0].strip("`")
        lines = re.findall(r"^\| `([^`]+)` \| (.*?) \| (.*) \|$", section, re.M)
        if lines:
            found[title] = lines
    return found


ROWS = [(file, *row) for file, lines in rows().items() for row in lines]


def test_every_test_of_ort_s_has_a_row() -> None:
    assert {file: [row[0] for row in lines] for file, lines in rows().items()} == {
        file: list(names) for file, names in FILES.items()
    }
    held = sum(outcome.startswith("holds") for *_, outcome in ROWS)
    assert f"{held} of {len(ROWS)} hold" in TABLE.read_text(encoding="utf-8")


def test_every_test_of_ours_is_in_a_row() -> None:
    cited = {place.strip("`") for _, _, place, _ in ROWS}
    ours = {
        f"{name}.{test.__name__}" for name in MODULES for test in by_name(module(name)).values()
    }
    assert ours <= cited


@pytest.mark.parametrize(("file", "name", "where", "outcome"), ROWS, ids=[row[1] for row in ROWS])
def test_a_row_says_what_is_so(file: str, name: str, where: str, outcome: str) -> None:
    """The test that stands for ORT's is there; what does not hold has a reason."""
    assert outcome.startswith(("holds", "cannot: ")), outcome
    assert (where == "-") == outcome.startswith("cannot: ")
    if where != "-":
        of_module, _, function = where.strip("`").partition(".")
        assert by_name(module(of_module))[name].__name__ == function
    elif absent := re.search(r"^cannot: no release has (.+?)[;:]", outcome):
        newest = load_level(known_levels()[-1])
        known = {
            member.name for struct in newest.structs for member in newest.struct(struct).members
        }
        names = re.findall(r"`(\w+)`", absent[1])
        assert names
        assert not set(names) & known
