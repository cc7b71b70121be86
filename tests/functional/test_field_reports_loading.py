"""Public bug reports as tests, part five: compiled models as they are found again, and judged.

The numbers are those of the reports that the project keeps; each test says what went wrong there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from compiling_projects import BETA
from fresh import every_runtime, ok
from projects import Project
from runtimes import SUPPORTED, runtime


@pytest.fixture(scope="module")
def beta(project_of: Callable[..., Project]) -> Project:
    return project_of(BETA)


# What most tests need in the process.
FILES = """
import onnx
from outputs import NOTHING_COMPILED, blobs, error_of, same, save, state
"""


@every_runtime
def test_fr_56_the_folder_of_external_weights_is_not_that_of_compiled_data(
    compiled: Project, version: str | None, tmp_path: Path
) -> None:
    """With the option that moves the one, the other was looked for there, too."""
    ok(
        compiled,
        FILES
        + """
made = models.chain()
source, output = save(made, folder / "m/chain.onnx"), folder / "c/chain_ctx.onnx"
output.parent.mkdir()
models.write(source, device, output)
(data,) = output.parent.glob("*.bin")
elsewhere = folder / "elsewhere"
elsewhere.mkdir()
weights = {"session.model_external_initializers_file_folder_path": str(elsewhere)}
def load(source, config):
    config = {**NOTHING_COMPILED, **weights, **config}
    same(models.session(source, device, config=config, fallback=True), made)

told = {"ep.context_file_path": str(output)}
load(output, told)
load(output.read_bytes(), told)
if hidden:  # this runtime says that the model lies in the other folder
    text = error_of(load, output, {})
    assert str(elsewhere / data.name) in text and "ep.context_file_path" in text, text
else:
    load(output, {})

data.rename(folder / "gone")
text = error_of(load, output, told)
assert str(data) in text and "ep.context_file_path" in text, text
assert str(elsewhere) not in text, text
text = error_of(load, output, {})
assert data.name in text and "ep.context_file_path" in text, text
""",
        version,
        folder=tmp_path,
        hidden=version not in SUPPORTED[:2],
    )


@every_runtime
def test_fr_57_a_compiled_model_from_memory(
    compiled: Project, version: str | None, tmp_path: Path
) -> None:
    """It has no path beside which its data could be looked for."""
    ok(
        compiled,
        FILES
        + """
import os
made = models.layers()
output = folder / "here/layers_ctx.onnx"
output.parent.mkdir()
models.write(save(made, folder / "layers.onnx"), device, output)
(data,) = output.parent.glob("*.bin")
content = output.read_bytes()
os.chdir(folder)

def load(path):
    config = {**NOTHING_COMPILED, **({"ep.context_file_path": str(path)} if path else {})}
    return models.session(content, device, config=config)

same(load(output), made)
same(load(output.with_name("another name.onnx")), made)
text = error_of(load, None)
assert "ep.context_file_path" in text, text
text = error_of(load, output.parent)
assert "ep.context_file_path" in text and "folder" in text and str(output.parent) in text, text

there = folder / "there/deeper"
there.mkdir(parents=True)
for file in (output, data):
    file.rename(there / file.name)
same(models.session(there / output.name, device, config=NOTHING_COMPILED), made)
same(load(there / output.name), made)
assert str(data) in error_of(load, output)
""",
        version,
        folder=tmp_path,
    )


ATTRIBUTES = """
made = models.chain()
source, output = save(made, folder / "chain.onnx"), folder / "chain_ctx.onnx"
models.write(source, device, output)
version = plugin.__version__
nodes = models.contexts(output)
assert len(nodes) == 2
(data,) = blobs(folder)
def each(name):
    return [models.attribute(node, name) for node in nodes]
assert each("source") == [ep.encode()] * 2
assert each("ep_sdk_version") == [version.encode()] * 2
assert each("main_context") == [1, 0]
assert each("embed_mode") == [0, 0]
assert each("ep_cache_context") == [data.encode()] * 2
assert len(set(each("partition_name"))) == 2 and all(each("partition_name"))
assert each("hardware_architecture") == [architecture.encode()] * 2
assert each("onnx_model_filename") == [b"chain.onnx"] * 2
assert each("notes") == [f"compiled from 1 nodes by {ep} {version}".encode()] * 2
assert each("max_size") == [0, 0]
nodes = models.contexts(models.compiled(made, device))
assert each("embed_mode") == each("main_context") == [1, 1]
assert each("source") == [ep.encode()] * 2
assert each("ep_sdk_version") == [version.encode()] * 2
assert each("onnx_model_filename") == [b""] * 2
assert all(len(content) > 64 for content in each("ep_cache_context"))
info = {each.key: each.value for each in onnx.load(output).metadata_props}
assert info[f"ep_compatibility_info.{ep}"] == (
    f"{ep};format=1;version={version};architecture={architecture}"
), info
"""


@every_runtime
@pytest.mark.parametrize(
    ("project", "architecture"), [("compiled", "contoso_compiler"), ("compiled_virtual", "npu")]
)
def test_fr_61_a_compiled_model_says_whose_it_is(
    project: str,
    architecture: str,
    version: str | None,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    """Without its execution provider it gave a message that nobody understood."""
    ok(
        request.getfixturevalue(project),
        FILES + ATTRIBUTES,
        version,
        folder=tmp_path,
        architecture=architecture,
    )


@pytest.mark.parametrize("version", [SUPPORTED[0], SUPPORTED[-1]])
def test_fr_61_without_its_execution_provider_it_does_not_load(
    compiled: Project, version: str, tmp_path: Path
) -> None:
    """On the CPU: an error and no crash; the newer runtime can name who is missing."""
    ok(
        compiled,
        FILES + "onnx.save(models.compiled(models.layers(), device), folder / 'ctx.onnx')\n",
        version,
        folder=tmp_path,
    )
    done = compiled.run_python(
        f"""
        import onnxruntime
        assert onnxruntime.__version__ == {version!r}
        try:
            onnxruntime.InferenceSession(
                {str(tmp_path / "ctx.onnx")!r}, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            print(error)
        """,
        runtime=runtime(version),
    )
    assert done.returncode == 0, done.stderr
    assert "EPContext" in done.stdout
    if version == SUPPORTED[-1]:
        assert compiled.ep in done.stdout


VERDICTS = """
import ctypes
from ctypes import byref, c_int, c_size_t, c_void_p
from pathlib import Path
from capi import Ort, OrtError, Plugin

NOT_APPLICABLE, OPTIMAL, PREFER_RECOMPILATION, UNSUPPORTED = range(4)
ort = Ort()
plugin = Plugin(ort, library, "probe.virtual")
place, count = c_void_p(), c_size_t()
ort.api("GetEpDevices", ort.env, byref(place), byref(count))
devices = {}
for device in ctypes.cast(place, ctypes.POINTER(c_void_p))[: count.value]:
    if ctypes.string_at(ort.api.get("EpDevice_EpName", device)).decode() == ep:
        hardware = ort.api.get("EpDevice_Device", device)
        kind = ort.api.get("HardwareDevice_Type", hardware) & 0xFFFFFFFF
        devices[("cpu", "gpu", "npu")[kind]] = device

def verdict(info, *names):
    chosen = (c_void_p * len(names))(*(devices[name] for name in names))
    found = c_int(-1)
    function = "GetModelCompatibilityForEpDevices"
    ort.api(function, chosen, len(names), info.encode(), byref(found))
    return found.value
"""


def _ask(project: Project, code: str, version: str | None, **given: object) -> None:
    """Runs code with the library in a process that has no other copy of the runtime."""
    values = {"library": str(project.library), "ep": project.ep, **given}
    lines = "".join(f"{name} = {value!r}\n" for name, value in values.items())
    place = runtime(version) if version else None
    done = project.run_python(lines + VERDICTS + code + "\nprint('the end')", runtime=place)
    assert done.stdout == "the end\n", done.stderr
    assert done.returncode == 0, done.stderr


@pytest.fixture
def packed(beta: Project, version: str | None, tmp_path: Path) -> Path:
    """A folder with add_mul_add, compiled for each device of `beta`."""
    ok(
        beta,
        FILES
        + """
for device in plugin.devices():
    kind = device.device.type.name.lower()
    save(models.compiled(models.add_mul_add(), device), folder / f"{kind}.onnx")
""",
        version,
        folder=tmp_path,
    )
    return tmp_path


@every_runtime
def test_fr_64_the_verdict_on_a_compiled_model(
    beta: Project, version: str | None, packed: Path
) -> None:
    """There was no rule for what is said of a model, and of several devices."""
    written = {
        path.stem: entry.value
        for path in packed.iterdir()
        for entry in onnx.load(path).metadata_props
        if entry.key == f"ep_compatibility_info.{beta.ep}"
    }
    begin = f"{beta.ep};format=1;version=1.2.0;architecture="
    assert written == {"cpu": f"{begin}host", "npu": f"{begin}npu"}
    _ask(
        beta,
        """
assert sorted(devices) == ["cpu", "npu"]
def of_version(text):
    assert "=1.2.0;" in info
    return info.replace("=1.2.0;", f"={text};")

expected = {
    info: OPTIMAL,
    of_version("1.2.1"): PREFER_RECOMPILATION,
    of_version("1.3.0"): PREFER_RECOMPILATION,
    of_version("1.0.7"): PREFER_RECOMPILATION,
    of_version("2.0.0"): UNSUPPORTED,
    of_version("0.2.0"): UNSUPPORTED,
    info.replace("format=1", "format=2"): UNSUPPORTED,
    info.replace("architecture=npu", "architecture=npu2"): UNSUPPORTED,
    info.replace("architecture=npu", "architecture=host"): UNSUPPORTED,
    "": NOT_APPLICABLE,
    info.replace(ep, "OtherExecutionProvider"): NOT_APPLICABLE,
}
garbage = [
    *("garbage", ep, f"{ep};", ";", ";;;", f"{ep};format", f"{ep};format=", f"{ep};=1"),
    *(f"{info};", f"{info};more=1", f"{info};format=1", f"{ep};format=1;version=1.2.0"),
    *(of_version(text) for text in ("", "1", "1.2", "x", "1.2.x", "-1.2.0", "9" * 4000 + ".0.0")),
    *("\\x01\\x02\\xff", "=" * 100000, "EP " + info, " " + info, "4;" + info),
]
expected.update((each, UNSUPPORTED) for each in garbage)
for text, wanted in expected.items():
    assert verdict(text, "npu") == wanted, (text[:200], verdict(text, "npu"), wanted)

# Of several devices the worst: a session may use any of them.
for names, wanted in (
    (("npu",), OPTIMAL),
    (("cpu",), UNSUPPORTED),
    (("npu", "cpu"), UNSUPPORTED),
    (("cpu", "npu"), UNSUPPORTED),
    (("npu", "npu"), OPTIMAL),
):
    assert verdict(info, *names) == wanted, names
for names in (("npu", "cpu"), ("cpu",)):
    assert verdict(of_version("1.2.1"), *names) == UNSUPPORTED
    assert verdict("", *names) == NOT_APPLICABLE
    assert verdict("garbage", *names) == UNSUPPORTED
""",
        version,
        info=written["npu"],
    )


@every_runtime
def test_fr_64_before_version_1_the_minor_number_decides(
    compiled: Project, version: str | None
) -> None:
    _ask(
        compiled,
        """
info = f"{ep};format=1;version={{}};architecture=contoso_compiler"
for text, wanted in {
    "0.1.0": OPTIMAL,
    "0.1.1": PREFER_RECOMPILATION,
    "0.1.0-rc1": PREFER_RECOMPILATION,
    "0.2.0": UNSUPPORTED,
    "0.0.9": UNSUPPORTED,
    "1.1.0": UNSUPPORTED,
}.items():
    assert verdict(info.format(text), "cpu") == wanted, text
""",
        version,
    )


@every_runtime
def test_fr_64_a_session_may_insist_on_the_best(
    beta: Project, version: str | None, packed: Path
) -> None:
    """With the option, that a model should be compiled again is an error; without, it runs. Only
    sessions that are made by way of the C API look at the verdict, and not those of Python."""
    _ask(
        beta,
        """
import numpy as np
model = Path(path).read_bytes()
assert model.count(b";version=1.2.0;") == 1
strict = {"session.fail_on_suboptimal_compiled_model": "1"}
a, b = (np.full((3, 2), number, np.float32) for number in (2, 3))

def runs(version, on, **config):
    plugin.device = devices[on]
    edited = model.replace(b";version=1.2.0;", f";version={version};".encode())
    config = {"session.disable_model_compile": "1", **config}
    session = plugin.open(edited, plugin.options(config))
    return plugin.run(session, {"A": a, "B": b}, "Y").tolist() == ((a + b) * b + a).tolist()

def refused(version, on, **config):
    try:
        runs(version, on, **config)
    except OrtError as error:
        return ep in str(error) and str(error)
    raise AssertionError("it runs")

assert runs("1.2.0", "npu") and runs("1.2.0", "npu", **strict)
assert runs("1.3.0", "npu")
assert "suboptimal" in refused("1.3.0", "npu", **strict)
for config in ({}, strict):
    assert "not supported" in refused("2.0.0", "npu", **config)
    assert "not supported" in refused("1.2.0", "cpu", **config)  # it was compiled for the NPU
""",
        version,
        path=str(packed / "npu.onnx"),
    )


@every_runtime
def test_the_node_of_another_execution_provider_is_left_to_it(
    compiled: Project, beta: Project, version: str | None
) -> None:
    """Whose it is, its source says; the other nodes of the model are still taken."""
    ok(
        compiled,
        FILES
        + """
ort.register_execution_provider_library("other", library)
(other,) = (each for each in ort.get_ep_devices() if each.ep_name == other_ep)
made = models.chain()
packed = models.compiled(models.mul_const(), other)
(node,) = models.contexts(packed)
inputs = models.feeds(models.mul_const())
wanted = models.reference(models.mul_const(), inputs)

# Alone, there is nobody for it.
text = error_of(models.session, packed, device, fallback=True)
assert "EPContext" in text, text
# The other one gets it, whoever is asked first.
for first, second in ((device, other), (other, device)):
    def add(settings):
        settings.add_provider_for_devices([second], {})
    session = models.session(packed, first, adjust=add)
    assert models.taken(session, other_ep) == ["EPContext"]
    assert models.taken(session, ep) == []
    models.close(session.run(None, inputs), wanted)

# Beside nodes that we take.
packed.graph.node.append(models.node("Relu", ["Y"], ["R"], name="r0"))
packed.graph.output.append(models.value("R", [2, 2]))
def add_other(settings):
    settings.add_provider_for_devices([other], {})
session = models.session(packed, device, adjust=add_other)
assert models.taken(session, ep) == ["Relu"]
models.close(session.run(["R"], inputs), [np.maximum(wanted[0], 0)])
""",
        version,
        library=str(beta.library),
        other_ep=beta.ep,
    )
