"""Public bug reports as tests: a library that is registered and taken out, again and again."""

from __future__ import annotations

from pathlib import Path

import pytest
from fresh import every_runtime, ok, oldest_runtime
from hooked import with_hooks
from projects import Project
from runtimes import runtime

_LAB = pytest.mark.lab
_MORE = [pytest.param(each, marks=_LAB) for each in ("compiled", "device_memory")]
PROJECTS = pytest.mark.parametrize("project", ["minimal", *_MORE])


@every_runtime
@PROJECTS
def test_fr_8_cycles_of_register_and_unregister_leave_nothing(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """A cycle left a reference to the library."""
    chosen: Project = request.getfixturevalue(project)
    ok(
        chosen,
        """
        import ctypes, os

        def files():
            return len(os.listdir("/proc/self/fd"))

        def size():
            ctypes.CDLL(None).malloc_trim(0)  # what is free does not count
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        made = models.mul()
        data = made.SerializeToString()
        inputs = models.feeds(made)
        wanted = models.reference(made, inputs)
        library = plugin.get_library_path()
        device = None
        plugin.unregister()
        for cycle in range(51):
            ort.register_execution_provider_library(name, library)
            session = models.session(data, plugin.devices()[0])
            models.close(session.run(None, inputs), wanted)
            del session
            ort.unregister_execution_provider_library(name)
            assert not plugin.is_available()
            if cycle == 5:
                before = files(), size()
        assert files() == before[0]
        grown = size() - before[1]
        assert grown < 1 << 20, grown
        """,
        version,
    )


COUNTED = """
    import models
    from api_counter import ApiCounter
    from capi import Ort, Plugin

    ort = Ort()
    counter = ApiCounter(ort)
    made = models.mul()
    inputs = models.feeds(made)

    def one(name="plugin.virtual"):
        plugin = Plugin(ort, library, name)
        options = plugin.options()
        session = plugin.open(made.SerializeToString(), options)
        models.close([plugin.run(session, inputs, "C")], [inputs["A"] * inputs["B"]])
        return plugin, session, options
"""


def counted(project: Project, code: str, version: str) -> None:
    """Runs code that finds ``one``, a session in a registration, and ``counter``."""
    result = project.run_python(
        f"library = {str(project.library)!r}\nif True:\n{COUNTED}\n{code}\nprint('ok')\n",
        runtime=runtime(version),
    )
    assert (result.returncode, result.stdout) == (0, "ok\n"), result.stderr


@oldest_runtime
@PROJECTS
def test_fr_8_what_a_library_makes_is_released_when_its_factory_is(
    project: str, version: str, request: pytest.FixtureRequest
) -> None:
    """... and not when the process ends."""
    counted(
        request.getfixturevalue(project),
        """
    for cycle in range(4):
        plugin, session, options = one()
        plugin.close(session, options)
        plugin.unregister()
        assert counter.alive == {}, counter.alive
    assert counter.made["TensorTypeAndShapeInfo"] >= 4
        """,
        version,
    )


@oldest_runtime
def test_fr_8_the_device_s_memory_and_queues_are_back_by_then(
    repository: Path, version: str
) -> None:
    text = (repository / "blueprints/strict-gpu.yaml").read_text(encoding="utf-8")
    counted(
        with_hooks(text),
        """
    from device_hooks import DeviceHooks

    hooks = DeviceHooks(library)
    names = ("left", "streams", "events", "bytes_in_use", "host_bytes_in_use")
    for cycle in range(3):
        plugin, session, options = one()
        assert hooks.count("streams") > 0 and hooks.count("bytes_in_use") > 0
        plugin.close(session, options)
        plugin.unregister()
        assert {each: hooks.count(each) for each in names} == dict.fromkeys(names, 0)
        assert hooks.count("allocations") == hooks.count("frees") > cycle
        assert hooks.count("host_allocations") == hooks.count("host_frees")
        """,
        version,
    )


@every_runtime
@PROJECTS
def test_fr_15_and_16_every_round_computes_the_same_with_all_kernels(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """The second load in a process failed: what was static was still shut down. Or kernels were
    kept that were in a library that was gone."""
    ok(
        request.getfixturevalue(project),
        """
        from onnxruntime.capi import onnxruntime_pybind11_state as state

        made = models.mul()
        inputs = models.feeds(made)
        wanted = models.reference(made, inputs)
        device = None
        counts = []
        for _ in range(5):
            plugin.register(name)
            models.close(models.session(made, plugin.devices()[0]).run(None, inputs), wanted)
            if hasattr(state, "get_registered_ep_kernel_defs"):  # since 1.26
                counts.append(len(state.get_registered_ep_kernel_defs(ep)))
            plugin.unregister()
            assert plugin.devices() == []
        assert len(set(counts)) <= 1, counts
        assert all((count > 0) == has_kernels for count in counts), counts
        """,
        version,
        has_kernels=project != "compiled",
    )


@every_runtime
@pytest.mark.parametrize("gone", [0, 1], ids=["first-goes", "second-goes"])
@PROJECTS
def test_fr_15_one_of_two_registrations_works_on_without_the_other(
    project: str, gone: int, version: str | None, request: pytest.FixtureRequest
) -> None:
    """By ONNX Runtime's own functions, while a session is at work on the one that stays."""
    ok(
        request.getfixturevalue(project),
        """
        plugin.unregister()
        suffix = ".virtual" if name.endswith(".virtual") else ""
        names = [each + suffix for each in ("one", "two")]
        mine = []
        for each in names:
            before = len(plugin.devices())
            ort.register_execution_provider_library(each, plugin.get_library_path())
            mine.append(plugin.devices()[before])
        device = mine.pop(1 - gone)
        made = models.mul()
        inputs = models.feeds(made)
        wanted = models.reference(made, inputs)
        models.close(models.session(made, mine.pop()).run(None, inputs), wanted)
        session = models.session(made, device)
        models.close(session.run(None, inputs), wanted)
        ort.unregister_execution_provider_library(names[gone])
        assert len(plugin.devices()) == 1
        models.close(session.run(None, inputs), wanted)
        models.check(models.mul(), plugin.devices()[0])
        del session, device
        ort.unregister_execution_provider_library(names[1 - gone])
        assert plugin.devices() == []
        """,
        version,
        gone=gone,
    )


@oldest_runtime
@pytest.mark.parametrize("project", ["minimal", _MORE[1]])
def test_fr_16_the_kernel_registry_is_the_factory_s(
    project: str, version: str, request: pytest.FixtureRequest
) -> None:
    """It is made for each registration anew, for all its sessions, and released with it."""
    counted(
        request.getfixturevalue(project),
        """
    for turn in range(1, 4):
        plugin, session, options = one()
        again = plugin.open(made.SerializeToString(), options)
        assert counter.made["KernelRegistry"] == turn
        assert counter.alive["KernelRegistry"] == 1
        ort.api.get("ReleaseSession", again)
        plugin.close(session, options)
        if turn == 1:
            kernels = counter.made["KernelDef"]
        assert counter.made["KernelDef"] == turn * kernels
        assert counter.alive["KernelRegistry"] == 1
        plugin.unregister()
        assert "KernelRegistry" not in counter.alive
        """,
        version,
    )
