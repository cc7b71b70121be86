"""The machine's CPU as a stand-in for a device, where the application allows that."""

from __future__ import annotations

import pytest
from projects import Project, built
from test_field_reports_discovery import BLUEPRINT, EVERY, NEWEST, asked

EP = "ContosoGpuExecutionProvider"
#: With memory of its own, and compiled models, which ask which device a model is for.
MEMORY = """\
epforge: 1
name: contoso-gpu
vendor: {name: Contoso, pci_id: 0xB357}
paradigm: compiled
ops: [Mul]
devices:
  - {name: other, type: gpu, match: {vendor_id: 0xB357}}
  - {name: npu, type: npu, match: {vendor_id: 0xB357, device_ids: [1]}, software: allowed}
memory: {default: arena, host_accessible: plain}
features: {ep_context: {embed: true}}
"""


@pytest.fixture(scope="module")
def project() -> Project:
    return built(BLUEPRINT)


@EVERY
@pytest.mark.parametrize("prefix", ["ep_factory", "ep"])
def test_an_entry_of_the_environment_allows_it(project: Project, version: str, prefix: str) -> None:
    """In the runtime's own environment: either prefix that its headers name reaches the library."""
    said, log = asked(
        project,
        version,
        f"""
        ort = Ort(2, {{"{prefix}.{EP}.allow_software": "1"}})
        plugin = Plugin(ort, sys.argv[1])
        mul = models.mul()
        feeds = {{each.name: np.full((3, 2), 2, np.float32) for each in mul.graph.input}}
        session = plugin.open(mul.SerializeToString(), plugin.options())
        result = plugin.run(session, feeds, mul.graph.output[0].name)
        kind = ort.api.get("HardwareDevice_Type", ort.api.get("EpDevice_Device", plugin.device))
        say(metadata=plugin.metadata, kind=kind, result=result.tolist())
        """,
    )
    assert said["metadata"]["software"] == "1"
    assert said["kind"] == 0  # the CPU
    assert said["result"] == [[4.0, 4.0]] * 3
    assert "no device" not in log


@pytest.mark.parametrize(
    "entries",
    [
        {},
        {f"ep_factory.{EP}.allow_software": "0"},
        {f"ep_factory.{EP}.allow_software": "yes"},
        {"ep_factory.OtherExecutionProvider.allow_software": "1"},
        {"allow_software": "1"},
    ],
)
def test_nothing_else_does(project: Project, entries: dict[str, str]) -> None:
    said, _ = asked(
        project,
        NEWEST,
        f"""
        host = FakeHost(Ort(), sys.argv[1], {entries})
        say(found=devices(host.offered([Hardware(CPU, 0x8086)])), log=host.warnings())
        """,
    )
    assert said["found"] == []
    assert len(said["log"]) == 1


def test_it_stands_beside_the_hardware_and_only_it_says_so(project: Project) -> None:
    said, _ = asked(
        project,
        NEWEST,
        f"""
        host = FakeHost(Ort(), sys.argv[1], {{"ep_factory.{EP}.allow_software": "1"}})
        machine = [Hardware(CPU, 0x8086), Hardware(GPU, VENDOR), Hardware(NPU, VENDOR, 2)]
        say(found=devices(host.offered(machine)), log=host.warnings())
        """,
    )
    assert [(place, "software" in metadata) for place, metadata in said["found"]] == [
        (0, True), (1, False), (2, False),
    ]  # fmt: skip
    assert [metadata["device_index"] for _, metadata in said["found"]] == ["0", "1", "2"]


@EVERY
def test_it_has_the_device_s_memory_and_compiled_models(version: str) -> None:
    said, _ = asked(
        built(MEMORY),
        version,
        f"""
        import pathlib, tempfile
        ort = Ort(2, {{"ep_factory.{EP}.allow_software": "1"}})
        plugin = Plugin(ort, sys.argv[1])
        mul = models.mul()
        feeds = {{each.name: np.full((3, 2), 2, np.float32) for each in mul.graph.input}}
        with tempfile.TemporaryDirectory() as folder:
            source, target = (pathlib.Path(folder) / each for each in ("m.onnx", "ctx.onnx"))
            source.write_bytes(mul.SerializeToString())
            plugin.compile(source, target, embed=True)
            results = []
            for each in (source, target):
                session = plugin.open(each, plugin.options())
                results.append(plugin.run(session, feeds, mul.graph.output[0].name).tolist())
        say(results=results, metadata=plugin.metadata)
        """,
    )
    assert said["results"] == [[[4.0, 4.0]] * 3] * 2
    assert said["metadata"]["software"] == "1"
