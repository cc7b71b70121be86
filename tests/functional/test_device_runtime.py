"""The simulated device with queues keeps its promises, and its tests notice when it does not."""

from __future__ import annotations

import json
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from cpp_tests import assert_clean
from device_programs import PROGRAMS, DevicePrograms
from hooked import variant_of, with_hooks
from projects import Project, sdk
from runtimes import SUPPORTED, runtime

from epforge.build.toolchain import find_toolchain
from epforge.validate import read_binary

HEAD = "{epforge: 1, name: contoso-vgpu, vendor: Contoso, ops: [Mul], "
DEVICE = "devices: [{name: gpu, type: gpu, virtual: allowed}], "
MEMORY = "memory: {default: arena, host_accessible: plain, streams: true}"
TEXT = f"{HEAD}{DEVICE}{MEMORY}}}"
#: All that a runtime may be asked to do; with headers that are newer than those of the tests.
ALL = f'{MEMORY}, ort: {{target: "1.32"}}, features: {{memory_capacity: true}}}}'
ENTRIES = {"CreateEpFactories", "ReleaseEpFactory"}
RUNTIME = "src/device/host_runtime.cc"
QUEUE = "src/device/host_queue.cc"
LOCK = "const std::lock_guard<std::mutex> lock(mutex_);"

#: Where a promise is broken, and how; each makes a test of the device fail.
MUTATIONS = {
    "memory is freed while queues use it": (
        RUNTIME,
        f"queues_.WaitForAll();\n    {LOCK}\n    const auto block",
        f"{LOCK}\n    const auto block",
    ),
    "memory of the host is freed while queues use it": (
        RUNTIME,
        f"queues_.WaitForAll();\n    {LOCK}\n    if (shared_",
        f"{LOCK}\n    if (shared_",
    ),
    "who frees waits for one queue alone": (
        QUEUE,
        "return false;\n    }\n",
        "return false;\n      break;\n    }\n",
    ),
    "copies are made at once": (
        RUNTIME,
        "return Launch(stream, [=](Exec&) {\n      std::memmove",
        "return Launch(nullptr, [=](Exec&) {\n      std::memmove",
    ),
    "memory is filled at once": (
        RUNTIME,
        "return Launch(stream, [=](Exec&) {\n      std::memset",
        "return Launch(nullptr, [=](Exec&) {\n      std::memset",
    ),
    "the device is closed before its work is done": (RUNTIME, "queues_.DestroyAll();", ""),
    "a queue does not wait for an event": (
        QUEUE,
        "Put(*queue, Work(), *point)",
        "Put(*queue, Work(), Point())",
    ),
    "a wait without a queue does not wait": (
        QUEUE,
        "if (stream == nullptr) return WaitOnHost(event);",
        "if (stream == nullptr) return Status();",
    ),
    "the host waits for nothing": (
        QUEUE,
        "advanced_.wait(lock, [&] { return HasCome(point); });",
        "",
    ),
    "an event is the beginning of the queue": (
        QUEUE,
        "end.ticket = end.queue->queued;\n  }",
        "end.ticket = end.queue->done;\n  }",
    ),
    "a queue ends before its work is done": (
        QUEUE,
        "if (queue.items.empty()) return;",
        "if (queue.is_closing) return;",
    ),
    "work goes on after an error": (
        QUEUE,
        "const bool is_skipped = !queue.error.ok() || item.ticket <= queue.skipped;",
        "const bool is_skipped = false;",
    ),
    "work that was put in before an error was seen is done": (
        QUEUE,
        "queue->skipped = queue->queued;",
        "",
    ),
    "an error is returned twice": (
        QUEUE,
        "return std::exchange(queue->error, Status());",
        "return queue->error;",
    ),
    "an event before an error returns it": (QUEUE, " || queue->failed > point.ticket", ""),
    "an error stays where it is": (QUEUE, "status = item.after.queue->error;", ""),
    "handles of two devices are the same": (
        QUEUE,
        "*handle = handles_ + ++last_handle_;",
        "*handle = reinterpret_cast<void*>(++last_handle_);",
    ),
    "an exception ends the process": (
        QUEUE,
        "catch (const std::exception& error)",
        "catch (const std::bad_alloc& error)",
    ),
    "work keeps what it owns": (QUEUE, "item.work = nullptr;", "new Work(std::move(item.work));"),
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> DevicePrograms:
    return DevicePrograms(tmp_path_factory.mktemp("device"), f"{HEAD}{DEVICE}{ALL}")


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_device_keeps_its_promises(programs: DevicePrograms, program: str) -> None:
    assert_clean(programs.run(program))


@pytest.mark.lab
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("sanitizers", ["address,undefined", "thread"])
def test_no_errors_of_memory_and_no_races(tmp_path: Path, compiler: str, sanitizers: str) -> None:
    flags = f"-O1 -g -fsanitize={sanitizers} -fno-sanitize-recover=all"
    programs = DevicePrograms(tmp_path, f"{HEAD}{DEVICE}{ALL}", compiler, flags)
    for program in PROGRAMS:
        assert_clean(programs.run(program))


@pytest.mark.lab
@pytest.mark.parametrize("broken", MUTATIONS)
def test_a_broken_promise_is_noticed(programs: DevicePrograms, broken: str) -> None:
    path, right, wrong = MUTATIONS[broken]
    source = programs.sources[path]
    assert source.count(right) == 1
    changes = {path: source.replace(right, wrong)}
    assert any(_notices(programs, name, changes) for name in ("device_test", "device_errors_test"))


def _notices(programs: DevicePrograms, program: str, changes: dict[str, str]) -> bool:
    """Does the program fail? After that, it need not end: what it waits for may never happen."""
    try:
        return programs.run(program, changes, timeout=45).returncode != 0
    except subprocess.TimeoutExpired as stuck:
        return b": failed: " in (stuck.stderr or b"")


def test_a_stub_compiles_without_a_warning(tmp_path: Path) -> None:
    text = f"{HEAD}{DEVICE}runtime: stub, {ALL}"
    DevicePrograms(tmp_path, text).compile("src/device/stub_runtime.cc")


@pytest.fixture(scope="module")
def hooked() -> Project:
    return with_hooks(TEXT)


def test_only_the_test_variant_exports_hooks(hooked: Project) -> None:
    plugin = next(path for path in hooked.library.parent.glob("*.so") if path != hooked.library)
    assert variant_of(plugin) == hooked.library
    assert set(read_binary(plugin).exports) == ENTRIES
    assert set(read_binary(hooked.library).exports) == ENTRIES | {"EpTestHooks"}


def test_the_test_variant_is_not_installed(hooked: Project, tmp_path: Path) -> None:
    cmake = find_toolchain(None).cmake
    command = [str(cmake), "--install", "build/release", "--prefix", str(tmp_path)]
    subprocess.run(command, cwd=hooked.root, check=True, capture_output=True)
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert any(name.startswith("lib") for name in names)
    assert not [name for name in names if "_test" in name]
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.cmake")]
    assert not [text for text in texts if "plugin_test" in text]


def test_without_being_asked_for_there_is_no_test_variant(hooked: Project, tmp_path: Path) -> None:
    root = hooked.copy(tmp_path / "project")
    tools = find_toolchain(None)
    configured = [
        *(str(tools.cmake), "--preset", "release", f"-DCMAKE_MAKE_PROGRAM={tools.ninja}"),
        f"-DCONTOSO_VGPU_ORT_INCLUDE_DIR={sdk().include}",
    ]
    subprocess.run(configured, cwd=root, check=True, capture_output=True)
    listed = [str(tools.ninja), "-C", "build/release", "-t", "targets", "all"]
    targets = subprocess.run(listed, cwd=root, check=True, capture_output=True, text=True).stdout
    assert "host_runtime.cc.o" in targets
    assert "_test" not in targets
    assert "test_hooks" not in targets


@pytest.fixture(params=SUPPORTED)
def asked(request: pytest.FixtureRequest, hooked: Project) -> Callable[[str], dict[str, object]]:
    """Runs code in a process with the hooks and a session; it prints what it `say`s."""

    def ask(code: str) -> dict[str, object]:
        prelude = """
            import threading
            from device_hooks import DeviceHooks
            hooks = DeviceHooks(plugin.get_library_path())
            options = ort.SessionOptions()
            options.add_provider_for_devices([device], {})
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
            session = ort.InferenceSession(models.mul().SerializeToString(), options)
            session.disable_fallback()  # Python's, to a session without the device
            feeds = {i.name: np.full((3, 2), 3, np.float32) for i in session.get_inputs()}
            def say(**what): print(json.dumps(what))
        """
        result = hooked.python(
            textwrap.dedent(prelude) + textwrap.dedent(code), runtime=runtime(request.param)
        )
        assert result.returncode == 0, result.stderr
        said: dict[str, object] = json.loads(result.stdout)
        return said

    return ask


def test_a_run_is_counted(asked: Callable[[str], dict[str, object]]) -> None:
    said = asked(
        """
        hooks.reset()
        (y,) = session.run(None, feeds)
        names = ("copies_to_device", "copies_to_host", "launches", "copied_bytes")
        say(y=y.tolist(), streams=hooks.count("streams"), **{n: hooks.count(n) for n in names})
        """
    )
    assert said["y"] == [[9, 9]] * 3
    assert said["launches"] == 1
    assert said["copies_to_host"] == 1
    assert said["copied_bytes"] == 24 * (int(str(said["copies_to_device"])) + 1)


def test_a_run_waits_for_a_queue_that_is_held(
    asked: Callable[[str], dict[str, object]],
) -> None:
    said = asked(
        """
        results = []
        thread = threading.Thread(target=lambda: results.append(session.run(None, feeds)))
        with hooks.held():
            begun = hooks.count("begun")
            thread.start()
            while hooks.count("queued") <= begun:
                pass
            waiting = thread.is_alive()
            done = len(results)
        thread.join()
        say(waiting=waiting, done=done, y=results[0][0].tolist())
        """
    )
    assert said == {"waiting": True, "done": 0, "y": [[9, 9]] * 3}


def test_work_that_fails_fails_the_run_and_no_other(
    asked: Callable[[str], dict[str, object]],
) -> None:
    said = asked(
        """
        hooks.fail("work")
        try:
            session.run(None, feeds)
            text = ""
        except Exception as error:
            text = str(error)
        say(text=text, y=session.run(None, feeds)[0].tolist())
        """
    )
    assert "a failure of 'work' that a test asked for" in str(said["text"])
    assert said["y"] == [[9, 9]] * 3
