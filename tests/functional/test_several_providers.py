"""Several execution providers in one library: a factory each, and nothing between them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cpp_tests import NEWEST, assert_clean, instrumented, ort_library, run
from projects import Project, built
from runtimes import runtime
from selection import plain
from test_field_reports_discovery import EVERY, asked

BLUEPRINT = """\
epforge: 1
name: contoso
vendor: {name: Contoso, pci_id: 0xB357}
ops: [Mul, Add]
options: [{name: effort, type: int, range: [0, 3], default: 0, doc: Effort.}]
devices:
  - {name: npu, type: npu, match: {vendor_id: 0xB357}, virtual: allowed,
     ep: ContosoNpuExecutionProvider}
  - {name: gpu, type: gpu, match: {vendor_id: 0xB357}, virtual: allowed}
  - {name: mini, type: npu, match: {vendor_id: 0xB358}, software: allowed,
     ep: ContosoNpuExecutionProvider}
"""
MEMORY = f"{BLUEPRINT}memory: {{default: plain}}\n"
#: Arenas and compiled groups: other memory infos, other claims.
COMPILED = (
    f"{BLUEPRINT}paradigm: compiled\ncompile: {{also_kernels: [Add]}}\n"
    "memory: {default: arena, host_accessible: plain, read_only: arena}\n"
)
OWN, NPU = "ContosoExecutionProvider", "ContosoNpuExecutionProvider"
TEXTS = {"host": BLUEPRINT, "memory": MEMORY, "compiled": COMPILED}


@pytest.fixture(scope="module", params=plain("memory", of=TEXTS))
def project(request: pytest.FixtureRequest) -> Project:
    return built(TEXTS[request.param])


@EVERY
def test_each_offers_its_devices_and_computes(project: Project, version: str) -> None:
    result = project.python(
        f"""
        both = plugin.devices()
        assert [each.ep_name for each in both] == [{OWN!r}, {NPU!r}] == plugin.get_ep_names()
        assert plugin.get_ep_name() == {OWN!r}
        kinds = [each.device.type.name for each in both]
        assert kinds == ["GPU", "NPU"], kinds
        assert [each.ep_metadata["device_index"] for each in both] == ["0", "0"]
        for each in both:
            models.check(models.mul(), each)
        options = ort.SessionOptions()
        for each in both:  # both in one session
            options.add_provider_for_devices([each], {{}})
        session = ort.InferenceSession(models.add_mul_add().SerializeToString(), options)
        assert session.get_providers()[:2] == [{OWN!r}, {NPU!r}]
        feeds = models.feeds(models.add_mul_add())
        models.close(session.run(None, feeds), models.reference(models.add_mul_add(), feeds))
        del session, options, both, each, device
        plugin.unregister()
        print("ok")
        """,
        runtime=runtime(version),
    )
    assert (result.returncode, result.stdout) == (0, "ok\n"), result.stdout + result.stderr


def test_options_are_those_of_one(project: Project) -> None:
    """Each has its own prefix; what is meant for the other is not its concern."""
    result = project.python(
        """
        for each in plugin.devices():
            other = next(d for d in plugin.devices() if d.ep_name != each.ep_name)
            models.session(models.mul(), each, {"effort": "2"})
            models.session(models.mul(), each, {}, {f"ep.{other.ep_name.lower()}.effort": "9"})
            for wrong in ({"effort": "9"}, {"nothing": "1"}):
                try:
                    models.session(models.mul(), each, wrong)
                except Exception as error:
                    assert next(iter(wrong)) in str(error), error
                else:
                    raise AssertionError(wrong)
        print("ok")
        """
    )
    assert (result.returncode, result.stdout) == (0, "ok\n"), result.stdout + result.stderr


def test_each_has_rules_and_a_log_of_its_own(project: Project) -> None:
    said, _ = asked(
        project,
        NEWEST,
        f"""
        host = FakeHost(Ort(), sys.argv[1], {{"ep_factory.{NPU}.allow_software": "1"}})
        machine = [Hardware(CPU, 0x8086), Hardware(GPU, VENDOR), Hardware(NPU, VENDOR),
                   Hardware(NPU, 0xB358)]
        found = [[[each.ep, each.hardware] for each in host.offered(machine, factory=i)]
                 for i in range(2)]
        nothing = [[devices(host.offered([], factory=i)), host.warnings()] for i in range(2)]
        host.release()
        say(found=found, nothing=nothing)
        """,
    )
    assert said["found"] == [[[OWN, 1]], [[NPU, 0], [NPU, 2], [NPU, 3]]]
    (own, (own_text,)), (npu, (npu_text,)) = said["nothing"]
    assert own == npu == []
    assert "gpu (GPU of vendor 0xB357" in own_text
    assert "npu (" not in own_text
    assert "npu (NPU of vendor 0xB357" in npu_text
    assert f"ep_factory.{NPU}.allow_software" in npu_text


@pytest.mark.parametrize("room", [0, 1])
def test_without_room_for_all_there_is_none(project: Project, room: int) -> None:
    said, _ = asked(
        project,
        NEWEST,
        f"""
        try:
            FakeHost(Ort(), sys.argv[1], room={room})
        except OrtError as error:
            say(error=str(error))
        """,
    )
    words = f"room for {room} of 2 factories" if room else "no room for a factory"
    assert words in said["error"]


@pytest.mark.parametrize(
    "kind",
    [kind if kind == "host" else pytest.param(kind, marks=pytest.mark.lab) for kind in TEXTS],
)
def test_nothing_leaks(kind: str) -> None:
    """Neither where all goes well nor where there is no room: the sanitizer watches."""
    project = instrumented(TEXTS[kind], "asan")
    assert_clean(run(project, "entry_test"))
    assert_clean(run(project, "host_test", ort_library(NEWEST), project.library))


def epforge(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "epforge", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.lab
def test_its_own_tests_pass(project: Project) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project.root,
        env=project.environment(runtime(NEWEST)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[-6000:]


@pytest.mark.lab
def test_validation_knows_them_all() -> None:
    project = built(MEMORY)
    assert project.manifest["eps"] == [OWN, NPU]
    result = epforge("validate", "--library", project.library)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{OWN}, {NPU}" in result.stdout
