"""The data of a compiled model is written whole or not at all, and no other file is touched.

Folders are compared before and after, by the hashes of all that is in them. The process that writes
is killed at every moment of writing, and at random moments.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from compiled import WARNINGS
from compilers import needed
from projects import Project

_INTERPOSER = Path(__file__).parents[1] / "support/kill_at.cc"
#: What a file is called that is not complete yet.
_TEMPORARY = re.compile(r"\.\d+\.tmp")
_NOBODY = 65534
_RANDOM_KILLS = 20

_PRELUDE = """
    import json, os, random, resource, select, signal, sys, time
    import numpy as np
    import onnxruntime as ort
    import models
    import {package} as plugin
    ort.disable_telemetry_events()
    plugin.register(virtual={virtual})
    device = plugin.devices()[0]

    def make(data, beside=1):
        # A model with `data` floats for the execution provider, and `beside` for the CPU.
        weights = np.arange(data, dtype=np.float32).reshape(-1, 4)
        others = np.ones((beside, 4), np.float32)
        return models.model(
            [models.node("MatMul", ["X", "W"], ["t"]), models.node("Sub", ["t", "B"], ["Y"])],
            [models.value("X", [1, len(weights)])],
            [models.value("Y", [beside, 4])],
            [models.constant("W", weights), models.constant("B", others)],
        ).SerializeToString()

    def compile_model(model, path, **config):
        options = ort.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        entries = {{"ep.context_enable": "1", "ep.context_file_path": str(path), **config}}
        for key, value in entries.items():
            options.add_session_config_entry(key, value)
        options.add_provider_for_devices([device], {{}})
        ort.InferenceSession(model, options, enable_fallback=0)
"""

_FAIL = """
    def attempt(path, limit, as_nobody, beside):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        model = make(16384, beside)
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        if as_nobody and os.getuid() == 0:
            os.setresuid(as_nobody, as_nobody, 0)
        try:
            compile_model(model, path)
        except Exception as error:
            return [type(error).__module__, str(error)]
        finally:
            if as_nobody and os.geteuid() == as_nobody:
                os.setresuid(0, 0, 0)
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        return None

    outcomes = {{name: attempt(**case) for name, case in json.load(open({cases!r})).items()}}
    json.dump(outcomes, open({outcomes!r}, "w"))
"""

#: A process registers the library. Its children compile, each into its own folder, and are killed.
_KILL = """
    root = {root!r}
    model = make(1 << 21)

    def compile_in_child(name, moment=0):
        os.mkdir(f"{{root}}/{{name}}")
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.environ["KILL_AT"] = str(moment)
            os.write(writing, b".")
            compile_model(model, f"{{root}}/{{name}}/m_ctx.onnx")
            os._exit(0)
        os.close(writing)
        os.read(reading, 1)  # it is about to begin
        return child, reading

    def ended_by(child):
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, -signal.SIGKILL), code
        return -code

    start = time.perf_counter()
    child, _ = compile_in_child("whole")
    assert ended_by(child) == 0
    whole = time.perf_counter() - start
    moment = 1
    while ended_by(compile_in_child(f"moment {{moment}}", moment)[0]) == signal.SIGKILL:
        moment += 1
    chance = random.Random(5)
    for number in range({kills}):
        child, ends = compile_in_child(f"random {{number}}")
        select.select([ends], [], [], chance.uniform(0, whole))  # readable if it ends before
        os.kill(child, signal.SIGKILL)
        ended_by(child)
    # What is left of a process that was killed is in nobody's way.
    compile_model(model, f"{{root}}/moment 4/m_ctx.onnx")
"""


def hashes(root: Path) -> dict[str, str]:
    """What lies below a folder: hashes of files, where links lead, what else there is."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_symlink():
            kind = f"link to {os.readlink(path)}"
        elif path.is_file():
            kind = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            kind = f"{path.stat().st_mode:o}"
        found[str(path.relative_to(root))] = kind
    return found


def run(project: Project, code: str, **environment: str) -> None:
    values = {"package": project.package, "virtual": project.manifest["virtual"]}
    text = textwrap.dedent(_PRELUDE).format(**values) + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**project.environment(), **environment},
    )
    assert done.returncode == 0, done.stderr[-3000:]


@dataclass
class Case:
    """A way for writing to fail: what lies where, and how the process is held back."""

    arrange: Callable[[Path, str], object] = lambda folder, data: None
    path: str = "m_ctx.onnx"
    limit: int = 0  # on the size of a file
    as_nobody: int = 0
    text: str = ""  # what the error says


def _file(name: str) -> Callable[[Path, str], object]:
    return lambda folder, data: (folder / name.format(data)).write_bytes(b"somebody's")


def _link(name: str, target: str) -> Callable[[Path, str], object]:
    return lambda folder, data: (folder / name.format(data)).symlink_to(folder / target)


def _folder(name: str) -> Callable[[Path, str], object]:
    return lambda folder, data: (folder / name.format(data)).mkdir()


CASES = {
    "a limit on the size of files": Case(limit=4096, text="cannot write"),
    "no folder": Case(path="none/m_ctx.onnx", text="no folder"),
    "a file where the folder should be": Case(_file("f"), path="f/m_ctx.onnx", text="no folder"),
    "a locked folder": Case(
        lambda folder, data: folder.chmod(0o555), as_nobody=_NOBODY, text="cannot write"
    ),
    "the data's name is a file": Case(_file("{}"), text="exists already"),
    "the data's name is a folder": Case(_folder("{}"), text="exists already"),
    "the data's name is a link": Case(_link("{}", "other"), text="exists already"),
    "the data's name is a link to a file": Case(
        lambda folder, data: (_file("other")(folder, data), _link("{}", "other")(folder, data)),
        text="exists already",
    ),
    "the data's name is a pipe": Case(
        lambda folder, data: os.mkfifo(folder / data), text="exists already"
    ),
    "the model's name is a file": Case(_file("m_ctx.onnx"), text="exists already"),
    "the model's name is a link": Case(_link("m_ctx.onnx", "other"), text="exists already"),
    "the model's name is a folder": Case(_folder("m_ctx.onnx"), text="exists already"),
    "the model's name is a path to a folder": Case(_folder("f"), path="f/", text="folder"),
    "the data's name is too long": Case(path="m" * 240 + ".onnx", text="too long"),
}


@dataclass
class Failures:
    """What came of all cases, by their names."""

    before: dict[str, dict[str, str]] = field(default_factory=dict)
    after: dict[str, dict[str, str]] = field(default_factory=dict)
    outcomes: dict[str, list[str] | None] = field(default_factory=dict)


def _data_of(project: Project, stem: str = "m_ctx") -> str:
    return f"{stem}.{project.ep.lower()}.bin"


@pytest.fixture(scope="module")
def reachable() -> Iterator[Path]:
    """A folder that everybody may look into."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        root.chmod(0o755)
        yield root


@pytest.fixture(scope="module")
def failures(compiled: Project, reachable: Path) -> Failures:
    """One process tries them all."""
    found = Failures()
    calls: dict[str, dict[str, Any]] = {}
    folders = {name: reachable / str(number) for number, name in enumerate(CASES)}
    for name, case in CASES.items():
        folder = folders[name]
        folder.mkdir(mode=0o755)
        case.arrange(folder, _data_of(compiled))
        found.before[name] = hashes(folder)
        calls[name] = {
            "path": f"{folder}/{case.path}",
            "limit": case.limit,
            "as_nobody": case.as_nobody,
            "beside": 1,
        }
    (reachable / "cases.json").write_text(json.dumps(calls))
    files = {key: str(reachable / f"{key}.json") for key in ("cases", "outcomes")}
    run(compiled, textwrap.dedent(_FAIL).format(**files))
    found.after = {name: hashes(folder) for name, folder in folders.items()}
    found.outcomes = json.loads((reachable / "outcomes.json").read_text())
    return found


@pytest.mark.parametrize("name", CASES)
def test_what_cannot_be_written_leaves_no_trace(failures: Failures, name: str) -> None:
    outcome = failures.outcomes[name]
    assert outcome is not None
    module, text = outcome
    assert module.startswith("onnxruntime")
    assert CASES[name].text in text
    assert failures.after[name] == failures.before[name]


def test_data_goes_when_the_model_cannot_be_written(compiled: Project, tmp_path: Path) -> None:
    """Here the data is complete when ONNX Runtime fails with the rest."""
    cases = {"model": {"path": f"{tmp_path}/m/m_ctx.onnx", "limit": 200_000, "as_nobody": 0}}
    cases["both"] = {"path": f"{tmp_path}/both/m_ctx.onnx", "limit": 0, "as_nobody": 0}
    for name in ("m", "both"):
        (tmp_path / name).mkdir()
    files = {key: str(tmp_path / f"{key}.json") for key in ("cases", "outcomes")}
    Path(files["cases"]).write_text(
        json.dumps({k: {**c, "beside": 50_000} for k, c in cases.items()})
    )
    run(compiled, textwrap.dedent(_FAIL).format(**files))
    outcomes = json.loads(Path(files["outcomes"]).read_text())
    assert outcomes["both"] is None
    assert outcomes["model"] is not None
    data = tmp_path / "both" / _data_of(compiled)
    assert data.stat().st_size < 200_000 < (tmp_path / "both/m_ctx.onnx").stat().st_size
    assert [path.name for path in (tmp_path / "m").iterdir() if path.suffix != ".onnx"] == []


def test_a_process_that_is_killed_leaves_no_half_written_data(
    compiled: Project, tmp_path: Path
) -> None:
    library = tmp_path / "kill_at.so"
    flags = ["-std=c++17", "-shared", "-fPIC", *WARNINGS]
    command = [needed("g++"), *flags, str(_INTERPOSER), "-o", str(library)]
    subprocess.run(command, check=True)
    root = tmp_path / "written"
    root.mkdir()
    code = textwrap.dedent(_KILL).format(root=str(root), kills=_RANDOM_KILLS)
    run(compiled, code, LD_PRELOAD=str(library))

    name = _data_of(compiled)
    whole = hashes(root / "whole")[name]
    assert set(hashes(root / "whole")) == {name, "m_ctx.onnx"}
    states = {}
    for folder in root.iterdir():
        found = hashes(folder)
        found.pop("m_ctx.onnx", None)  # ONNX Runtime writes it
        assert found.pop(name, whole) == whole, folder.name
        assert len(found) <= 1, folder.name
        assert all(_TEMPORARY.fullmatch(each) for each in found), folder.name
        states[folder.name] = ((folder / name).exists(), bool(found))
    moments = {key for key in states if key.startswith("moment")}
    # Two of each of opening, closing, linking and removing, and three of writing; and no kill.
    assert len(moments) == 12
    assert len(states) == 1 + 12 + _RANDOM_KILLS
    assert {states[key] for key in moments} == {
        (False, False),
        (False, True),
        (True, True),
        (True, False),
    }
    assert states["moment 4"] == (True, True)  # written anew beside the rest
