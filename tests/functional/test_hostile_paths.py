"""Names in compiled models: whatever they are, no file outside of the model's folder is opened.

strace sees what the process opens. Between two loads it must be files of the model's folder, and
what the loads of a well-behaved model open, too.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import Any

import hostile_names
import observer
import onnx
import pytest
from projects import Project

COMPILE = """
    options = ort.SessionOptions()
    options.add_session_config_entry("ep.context_enable", "1")
    options.add_session_config_entry("ep.context_file_path", {path!r})
    options.add_provider_for_devices([device], {{}})
    ort.InferenceSession(models.add_mul_add().SerializeToString(), options, enable_fallback=0)
"""

LOAD = """
import json, threading
import onnxruntime as ort
import {package} as plugin
ort.disable_telemetry_events()  # that thread opens files of its own, at any time
plugin.register(virtual={virtual})
device = plugin.devices()[0]

def load(model, *, memory):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    options.add_provider_for_devices([device], {{}})
    if memory:
        options.add_session_config_entry("ep.context_file_path", {folder!r} + "/none.onnx")
    try:
        ort.InferenceSession(model, options, enable_fallback=0)
    except Exception as error:
        return [type(error).__module__, str(error)]
    return None

good = {folder!r} + "/good.onnx"
content = open(good, "rb").read()
outcomes = {{}}
load(good, memory=False)
for number in range(3):
    stretch(f"good {{number}}")
    outcomes[f"good {{number}}"] = load(good, memory=False)
    stretch(f"good {{number}}, from memory")
    outcomes[f"good {{number}}, from memory"] = load(content, memory=True)
for number in range({count}):
    model = f"{folder}/{{number}}.onnx"
    with open(model, "rb") as file:
        content = file.read()
    stretch(number)
    outcomes[number] = load(model, memory=False)
    if number % 4 == 0:
        stretch(f"{{number}}, from memory")
        outcomes[f"{{number}}, from memory"] = load(content, memory=True)
stretch("end")
canary = {canary!r}
for name, path in {{"proof": canary, "proof by link": {link!r}, "proof by dots": {dots!r}}}.items():
    stretch(name)
    open(path, "rb").close()
stretch("proof in a thread")
thread = threading.Thread(target=lambda: open(canary, "rb").close())
thread.start()
thread.join()
stretch("done")
print()
with open({outcomes!r}, "w") as file:
    json.dump(outcomes, file)
"""


#: What the C library opens when it gives back memory, once, whenever that is.
_OF_MALLOC = "/proc/sys/vm/overcommit_memory"


@dataclass(frozen=True)
class Loads:
    """What came of all loads, and what they opened."""

    ground: hostile_names.Ground
    names: list[bytes]
    outcomes: dict[str, list[str] | None]  # the error's module and text, or success
    opened: dict[str, set[str]]

    def strays(self, stretch: str) -> set[str]:
        """What was opened outside of the folder, and not for the well-behaved model."""
        good = set().union(*(self.opened[key] for key in self.opened if key.startswith("good")))
        known = {_any_process(path) for path in (*good, _OF_MALLOC)}
        folder = f"{self.ground.folder}/"
        return {
            path
            for path in self.opened[stretch]
            if not path.startswith(folder) and _any_process(path) not in known
        }


def _any_process(path: str) -> str:
    return re.sub(r"\d+", "N", path) if path.startswith("/proc/") else path


def _models(project: Project, ground: hostile_names.Ground) -> list[bytes]:
    """A compiled model for each name, and one that is called good.onnx."""
    home = ground.root / "home"
    home.mkdir()
    done = project.python(COMPILE.format(path=str(home / "m_ctx.onnx")))
    assert done.returncode == 0, done.stderr
    (data,) = home.glob("*.bin")
    ground.lay(data)
    model = onnx.load(home / "m_ctx.onnx")
    names = hostile_names.names(ground)
    for stem, name in [("good", hostile_names.GOOD.encode()), *enumerate(names)]:
        for attribute in model.graph.node[0].attribute:
            if attribute.name == "ep_cache_context":
                attribute.s = name
        (ground.folder / f"{stem}.onnx").write_bytes(model.SerializeToString())
    return names


@pytest.fixture(scope="module")
def loads(compiled: Project, tmp_path_factory: pytest.TempPathFactory) -> Loads:
    """One process loads them all."""
    root = tmp_path_factory.mktemp("paths").resolve()
    ground = hostile_names.Ground(root)
    names = _models(compiled, ground)
    script = root / "load.py"
    values: dict[str, Any] = {
        "package": compiled.package,
        "virtual": compiled.manifest["virtual"],
        "folder": str(ground.folder),
        "count": len(names),
        "canary": str(ground.canary),
        "link": str(ground.folder / "link.bin"),
        "dots": "../models/sub/../../outside/canary.bin",
        "outcomes": str(root / "outcomes.json"),
    }
    script.write_text(observer.MARKING + LOAD.format(**values))
    opened = observer.observe(
        script,
        root / "log",
        environment=compiled.environment(),
        folder=ground.canary.parent,  # where names would lead that are taken for relative to it
    )
    outcomes = json.loads((root / "outcomes.json").read_text())
    return Loads(ground, names, outcomes, opened)


def test_every_load_ends_with_a_status(loads: Loads) -> None:
    """The harmless names work, and no other."""
    assert len(loads.names) >= 200
    numbers = {str(i): name for i, name in enumerate(loads.names)}
    for stretch, outcome in loads.outcomes.items():
        name = numbers.get(stretch.split(",")[0], hostile_names.HARMLESS[0])
        if name == hostile_names.LOCKED and os.geteuid() != 0:
            continue
        if name in (*hostile_names.HARMLESS, hostile_names.LOCKED):
            assert outcome is None, (name, outcome)
            continue
        assert outcome is not None, name
        module, text = outcome
        assert module.startswith("onnxruntime"), (name, outcome)
        assert "EPContext node" in text, (name, text)


def test_nothing_outside_of_the_folder_is_opened(loads: Loads) -> None:
    strays = {
        (stretch, name): found
        for number, name in enumerate(loads.names)
        for stretch in (str(number), f"{number}, from memory")
        if stretch in loads.opened and (found := loads.strays(stretch))
    }
    assert strays == {}
    canaries = {str(path) for path in (loads.ground.canary, loads.ground.twin)}
    for stretch in loads.outcomes:
        assert not canaries & loads.opened[stretch]


def test_the_observer_sees_what_is_opened(loads: Loads) -> None:
    """The model's own data in every good load; and the canary where we open it ourselves."""
    for stretch, outcome in loads.outcomes.items():
        if stretch.startswith("good"):
            assert outcome is None
            assert str(loads.ground.folder / hostile_names.GOOD) in loads.opened[stretch]
    assert set(loads.outcomes) <= set(loads.opened)
    for proof in ("proof", "proof by link", "proof by dots", "proof in a thread"):
        assert str(loads.ground.canary) in loads.strays(proof), proof
    assert "io_uring" not in set().union(*loads.opened.values())
