"""Two real models: compiled, saved in every way, loaded in a fresh process, compared with the CPU.

That nothing is compiled again is ONNX Runtime's own word: `session.disable_model_compile=1` refuses
every session that would have to.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from projects import Project
from runtimes import SUPPORTED, runtime

NAMES = ("direction", "squeezenet")
TOLERANCE = 1e-4  # relative

COMPILE = """
    for name, share in {models!r}:
        options = ort.SessionOptions()
        entries = {{"ep.context_enable": "1", "ep.context_embed_mode": {embed!r},
                   "ep.context_file_path": f"{{{out!r}}}/{{name}}_ctx.onnx",
                   "session.disable_cpu_ep_fallback": "1", **share}}
        for key, value in entries.items():
            options.add_session_config_entry(key, value)
        options.add_provider_for_devices([device], {{}})
        ort.InferenceSession(f"{{{source!r}}}/{{name}}.onnx", options, enable_fallback=0)
"""

RUN = """
    shapes = {{"direction": (3, 48, 192), "squeezenet": (3, 224, 224)}}
    for name in {names!r}:
        options = ort.SessionOptions()
        options.add_session_config_entry("session.disable_model_compile", "1")
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.add_provider_for_devices([device], {{}})
        session = ort.InferenceSession(f"{{{out!r}}}/{{name}}_ctx.onnx", options, enable_fallback=0)
        cpu = ort.InferenceSession(
            f"{{{source!r}}}/{{name}}.onnx", providers=["CPUExecutionProvider"]
        )
        (feed,) = session.get_inputs()
        for batch in (1,) if name == "squeezenet" else (1, 3):
            random = np.random.default_rng(batch)
            x = random.uniform(-1, 1, (batch, *shapes[name])).astype(np.float32)
            mine, theirs = session.run(None, {{feed.name: x}}), cpu.run(None, {{feed.name: x}})
            for one, other in zip(mine, theirs, strict=True):
                assert one.shape == other.shape
                print(float((abs(one - other) / (abs(other) + 1e-6)).max()))
"""


@pytest.fixture(scope="session")
def sources(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both models in one folder."""
    folder = tmp_path_factory.mktemp("sources")
    shutil.copy(model, folder / "direction.onnx")
    light = Path(onnx.__file__).parent / "backend/test/data/light/light_squeezenet.onnx"
    shutil.copy(light, folder / "squeezenet.onnx")
    return folder


def compile_models(
    project: Project, sources: Path, out: Path, mode: str, version: str | None = None
) -> None:
    out.mkdir()
    share = {"ep.share_ep_contexts": "1"} if mode == "shared" else {}
    stop = {**share, "ep.stop_share_ep_contexts": "1"} if share else {}
    models = list(zip(NAMES, (share, stop), strict=True))
    embed = "1" if mode == "embedded" else "0"
    code = COMPILE.format(models=models, embed=embed, out=str(out), source=str(sources))
    done = project.python(code, runtime=runtime(version) if version else None)
    assert done.returncode == 0, done.stderr


def differences(project: Project, sources: Path, out: Path, version: str | None) -> list[float]:
    code = RUN.format(names=NAMES, out=str(out), source=str(sources))
    done = project.python(code, runtime=runtime(version) if version else None)
    assert done.returncode == 0, done.stderr
    return [float(line) for line in done.stdout.split()]


def check(project: Project, sources: Path, tmp_path: Path, mode: str, version: str | None) -> None:
    compile_models(project, sources, tmp_path / "here", mode, version)
    files = {path.name for path in (tmp_path / "here").iterdir()}
    blobs = {name for name in files if name.endswith(".bin")}
    assert files - blobs == {f"{name}_ctx.onnx" for name in NAMES}
    assert len(blobs) == {"embedded": 0, "external": 2, "shared": 1}[mode]
    there = (tmp_path / "here").rename(tmp_path / "there")  # they travel together
    found = differences(project, sources, there, version)
    assert len(found) == 3
    assert max(found) <= TOLERANCE


@pytest.mark.parametrize("mode", ["embedded", "external", "shared"])
def test_real_models_travel(shipping: Project, sources: Path, tmp_path: Path, mode: str) -> None:
    check(shipping, sources, tmp_path, mode, None)


@pytest.mark.lab
@pytest.mark.parametrize("version", SUPPORTED)
@pytest.mark.parametrize("mode", ["embedded", "external", "shared"])
def test_they_travel_on_every_runtime(
    shipping: Project, sources: Path, tmp_path: Path, mode: str, version: str
) -> None:
    check(shipping, sources, tmp_path, mode, version)


@pytest.mark.lab
def test_models_of_the_oldest_runtime_load_in_the_newest_and_the_other_way_round(
    shipping: Project, sources: Path, tmp_path: Path
) -> None:
    for one, other in ((SUPPORTED[0], SUPPORTED[-1]), (SUPPORTED[-1], SUPPORTED[0])):
        out = tmp_path / one
        compile_models(shipping, sources, out, "external", one)
        for path in out.glob("*.onnx"):  # newer runtimes write an IR that older ones do not read
            made = onnx.load(path)
            made.ir_version = min(made.ir_version, 9)
            onnx.save(made, path)
        assert max(differences(shipping, sources, out, other)) <= TOLERANCE


def test_without_a_compiled_model_the_check_would_fail(shipping: Project, sources: Path) -> None:
    """The option that stands for "nothing is compiled again" does refuse what has to be."""
    done = shipping.python(f"""
        options = ort.SessionOptions()
        options.add_session_config_entry("session.disable_model_compile", "1")
        options.add_provider_for_devices([device], {{}})
        try:
            ort.InferenceSession({str(sources / "direction.onnx")!r}, options, enable_fallback=0)
        except Exception as error:
            print(json.dumps(str(error)))
    """)
    assert done.returncode == 0, done.stderr
    assert "compil" in json.loads(done.stdout)


TWO_DEVICES = """
epforge: 1
name: contoso-duo
vendor: {name: Contoso, pci_id: 0xB357}
paradigm: virtual
devices:
  - {name: nano, type: npu, match: {vendor_id: 0xB357, device_ids: [1]}, virtual: allowed}
  - {name: mega, type: npu, match: {vendor_id: 0xB357, device_ids: [2]}, virtual: allowed}
features: {ep_context: {embed: true}}
ops: [Mul]
"""


@pytest.mark.lab
def test_a_model_for_one_device_is_refused_by_the_other(
    project_of: Callable[[str], Project], tmp_path: Path
) -> None:
    path = tmp_path / "mul_ctx.onnx"
    done = project_of(TWO_DEVICES).python(f"""
        def session(of, device, **entries):
            options = ort.SessionOptions()
            for key, value in entries.items():
                options.add_session_config_entry(key.replace("__", "."), value)
            options.add_provider_for_devices([device], {{}})
            return ort.InferenceSession(of, options, enable_fallback=0)

        nano, mega = plugin.devices()
        session(models.mul().SerializeToString(), nano, ep__context_enable="1",
                ep__context_embed_mode="1", ep__context_file_path={str(path)!r})
        session({str(path)!r}, nano)
        try:
            session({str(path)!r}, mega)
        except Exception as error:
            print(error)
    """)
    assert done.returncode == 0, done.stderr
    assert "compiled for 'nano'" in done.stdout
    assert "device is 'mega'" in done.stdout


def test_inputs_are_known_by_position_and_not_by_name(compiled: Project, tmp_path: Path) -> None:
    """Whoever joins models renames values: here two inputs of a product swap their names."""
    path = tmp_path / "matmul_ctx.onnx"
    done = compiled.python(f"""
        import onnx
        made = models.model(
            [models.node("MatMul", ["A", "B"], ["Y"], name="m0")],
            [models.value("A", [2, 2]), models.value("B", [2, 2])],
            [models.value("Y", [2, 2])],
        )
        def session(of, **entries):
            options = ort.SessionOptions()
            for key, value in entries.items():
                options.add_session_config_entry(key.replace("__", "."), value)
            options.add_provider_for_devices([device], {{}})
            return ort.InferenceSession(of, options, enable_fallback=0)

        session(made.SerializeToString(), ep__context_enable="1", ep__context_embed_mode="1",
                ep__context_file_path={str(path)!r})
        other = {{"A": "B", "B": "A"}}
        renamed = onnx.load({str(path)!r})
        (node,) = renamed.graph.node
        assert node.op_type == "EPContext"
        for each in renamed.graph.input:
            each.name = other[each.name]
        node.input[:] = [other[name] for name in node.input]
        first, second = node.input
        x, y = np.float32([[1, 2], [3, 4]]), np.float32([[0, 1], [5, 6]])
        before = session({str(path)!r}).run(None, {{other[first]: x, other[second]: y}})[0]
        after = session(renamed.SerializeToString()).run(None, {{first: x, second: y}})[0]
        assert not np.array_equal(x @ y, y @ x)
        np.testing.assert_array_equal(before, after)
    """)
    assert done.returncode == 0, done.stderr
