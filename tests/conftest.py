"""Shared fixtures: projects built from blueprints, once each; and the sampling of the lab."""

from __future__ import annotations

import datetime
import hashlib
import importlib.util
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from epforge.cache import cache_dir

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "support"))

if TYPE_CHECKING:
    from projects import Project


def _ccache_launcher() -> Path:
    """`tests/support/ccache_launcher`, kept beside the projects by its content: these are built
    with the same command from whichever checkout the tests run, and stay up to date."""
    source = REPOSITORY / "tests/support/ccache_launcher"
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:20]
    launcher = cache_dir("tests", "launchers") / digest
    if not launcher.is_file():
        launcher.parent.mkdir(parents=True, exist_ok=True)
        beside = launcher.with_name(f"{digest}.{os.getpid()}")
        shutil.copy(source, beside)
        beside.replace(launcher)
    return launcher


# Projects share most of their files. With ccache, those that one test compiled are there for all;
# it is set up in the environment, so that the commands under test find it, too.
if shutil.which("ccache") and "CMAKE_CXX_COMPILER_LAUNCHER" not in os.environ:
    os.environ["CMAKE_CXX_COMPILER_LAUNCHER"] = str(_ccache_launcher())
    os.environ["CCACHE_DIR"] = str(cache_dir("tests", "ccache"))
    os.environ["CCACHE_NOHASHDIR"] = "1"  # debug information names places relative to the project
    os.environ["CCACHE_ABSSTDERR"] = "1"
    os.environ["CCACHE_MAXSIZE"] = "2G"

# The same examples on every run, and no deadline: how fast a machine is, is not under test.
settings.register_profile("epforge", deadline=None, derandomize=True)
settings.load_profile("epforge")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--lab-sample", type=int, metavar="N", help="run N of the selected lab tests")
    parser.addoption("--lab-seed", default="0", metavar="SEED", help="which N of them")
    parser.addoption("--lab-record", action="store_true", help="leave a dated result file")


def pytest_report_header(config: pytest.Config) -> str | None:
    if config.getoption("--lab-sample") is None:
        return None
    return f"lab: {config.getoption('--lab-sample')} tests, seed {config.getoption('--lab-seed')}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keeps a sample of the lab's tests, without those that take many minutes."""
    size = config.getoption("--lab-sample")
    if size is None:
        return
    from selection import sample

    lab = {item: mark for item in items if (mark := item.get_closest_marker("lab"))}
    short = [item for item, mark in lab.items() if mark.kwargs.get("sampled", True)]
    chosen = set(sample(short, size, config.getoption("--lab-seed"), lambda item: item.nodeid))
    dropped = [item for item in lab if item not in chosen]
    items[:] = [item for item in items if item not in dropped]
    config.hook.pytest_deselected(items=dropped)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Leaves the outcome of a run in `tests/lab/`, one test a line, under today's date."""
    if not terminalreporter.config.getoption("--lab-record"):
        return
    reports = [
        report
        for outcome in ("passed", "failed", "skipped", "error")
        for report in terminalreporter.stats.get(outcome, [])
    ]
    lines = sorted(f"{r.outcome:8}{r.duration:8.1f} s  {r.nodeid}" for r in reports)
    counts = Counter(report.outcome for report in reports)
    total = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    path = REPOSITORY / "tests" / "lab" / f"{datetime.date.today().isoformat()}.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([*lines, "", total, ""]), encoding="utf-8")
    terminalreporter.write_line(f"recorded in {path.relative_to(REPOSITORY)}")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The top of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def project_of() -> Callable[..., Project]:
    """Builds the project of a blueprint's text; the same text is built once and kept."""
    from projects import built

    return built


def _blueprint(name: str) -> Iterator[Project]:
    from projects import built

    yield built((REPOSITORY / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def minimal() -> Iterator[Project]:
    """The project of `blueprints/minimal.yaml`, release build."""
    yield from _blueprint("blueprints/minimal.yaml")


@pytest.fixture(scope="session")
def full() -> Iterator[Project]:
    """The project of `blueprints/kernel-registry.yaml`: every kernel family."""
    yield from _blueprint("blueprints/kernel-registry.yaml")


@pytest.fixture(scope="session")
def device_memory() -> Iterator[Project]:
    """The project of `blueprints/virtual-memory.yaml`: a virtual device with its own memory."""
    yield from _blueprint("blueprints/virtual-memory.yaml")


@pytest.fixture(scope="session")
def strict_gpu() -> Iterator[Project]:
    """The project of `blueprints/strict-gpu.yaml`: a virtual device with every kind of memory."""
    yield from _blueprint("blueprints/strict-gpu.yaml")


@pytest.fixture(scope="session")
def cuda() -> Iterator[Project]:
    """The project of `blueprints/cuda.yaml`: device code, for a GPU that need not be there."""
    from compilers import needed_nvcc

    needed_nvcc()
    yield from _blueprint("blueprints/cuda.yaml")


@pytest.fixture(scope="session")
def compiled() -> Iterator[Project]:
    """The project of `blueprints/compiled.yaml`: groups of nodes, compiled, saved and shared."""
    yield from _blueprint("blueprints/compiled.yaml")


@pytest.fixture(scope="session")
def compiled_virtual() -> Iterator[Project]:
    """The project of `blueprints/virtual.yaml`: compiles for a device that need not be there."""
    yield from _blueprint("blueprints/virtual.yaml")


@pytest.fixture(scope="session")
def shipping() -> Iterator[Project]:
    """The project of `examples/compile-and-ship`: compiles what two real models need."""
    yield from _blueprint("examples/compile-and-ship/blueprint.yaml")


@pytest.fixture(scope="session")
def ocr() -> Iterator[Project]:
    """The project of the text-direction example, in the host's memory."""
    yield from _blueprint("examples/ocr-direction/blueprint.yaml")


@pytest.fixture(scope="session")
def ocr_device_memory() -> Iterator[Project]:
    """The project of the text-direction example, in the device's memory."""
    yield from _blueprint("examples/ocr-direction/device-memory.yaml")


@pytest.fixture(scope="session")
def example(repository: Path) -> ModuleType:
    """The program of the text-direction example."""
    path = repository / "examples/ocr-direction/run.py"
    spec = importlib.util.spec_from_file_location("ocr_example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def model(example: ModuleType) -> Path:
    """The text-direction model, from the package that ships it."""
    from locking import locked

    from epforge.cache import cache_dir

    store = cache_dir("tests", "models")
    with locked(store.with_suffix(".lock")):
        found: Path = example.find_model(store)
    return found


@pytest.fixture(scope="session")
def custom_ops() -> Iterator[Project]:
    """The project of `blueprints/custom-ops.yaml`: operators of its own, one of them a stub."""
    yield from _blueprint("blueprints/custom-ops.yaml")
