"""The sixteen rules for generated code, each held by a test; `RULES` says which.

Those that a reader of the C++ would check are here; the others are where the behaviour is tested.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from projects import Project, expanded

REPOSITORY = Path(__file__).resolve().parents[2]
BLUEPRINTS = ["minimal", "kernel-registry", "virtual-memory", "strict-gpu", "cuda"]

RULES = {
    "R1 OrtStatus* only in the outermost shim": "test_rules.py::test_r1",
    "R2 ABI structs are stamped by one helper": "test_rules.py::test_r2",
    "R3 every callback is guarded, release paths too": "test_rules.py::test_r3",
    "R4 too old a runtime gets an error": "test_field_reports_library.py::test_fr_3",
    "R5 names come from one place": "test_rules.py::test_r5",
    "R6 enumeration rolls back": "test_rules.py::test_r6",
    "R7 the factory owns the memory infos": "test_rules.py::test_r7",
    "R8 an unknown option is an error": "test_field_reports_run.py::test_fr_26",
    "R9 concurrency is answered": "test_rules.py::test_r9",
    "R10 not stream-aware without streams": "test_rules.py::test_r10",
    "R11 zero-size, rank 0, open shapes are tested": "test_rules.py::test_r11",
    "R12 EPContext asked for is an error": "test_rules.py::test_r12",
    "R13 no state is global to the process": "test_rules.py::test_r13",
    "R14 no sample names": "test_rules.py::test_r14",
    "R15 two symbols; the library can be unloaded": "test_rules.py::test_r15",
    "R16 nothing is emitted that nobody asked for": "test_rules.py::test_r16",
}


def test_every_rule_has_its_test() -> None:
    assert [rule.split()[0] for rule in RULES] == [f"R{number}" for number in range(1, 17)]
    for place in RULES.values():
        name, _, function = place.partition("::")
        text = (Path(__file__).parent / name).read_text(encoding="utf-8")
        assert re.search(rf"^def {function}\w*\(", text, re.M), place


def sources(name: str) -> dict[str, str]:
    """The C++ of a blueprint's project, comments taken out."""
    text = (REPOSITORY / f"blueprints/{name}.yaml").read_text(encoding="utf-8")
    return {
        file.path: re.sub(r"//.*", "", file.content.decode())
        for file in expanded(text).files
        if file.path.startswith("src/") and file.path.endswith((".h", ".cc", ".cu"))
    }


@pytest.fixture(params=BLUEPRINTS)
def code(request: pytest.FixtureRequest) -> dict[str, str]:
    return sources(request.param)


def test_r1_ort_s_types_stay_in_the_shim(code: dict[str, str]) -> None:
    for path, text in code.items():
        if not path.startswith("src/abi/"):
            assert not re.search(r"\bOrt[A-Z]\w*\s*[*&(]|#include <onnxruntime", text), path
    # What returns a raw status is noexcept, so nothing can be thrown past it.
    for path, text in code.items():
        for match in re.finditer(
            r"\bOrtStatus\*\s+(?:ORT_API_CALL\s+)?(\w+)\([^;{]*?\)([^;{]*)[;{]", text
        ):
            assert "noexcept" in match[2], (path, match[0])


def test_r2_structs_are_stamped_by_one_helper(code: dict[str, str]) -> None:
    stamps = [path for path, text in code.items() if "ort_version_supported" in text]
    assert stamps == ["src/abi/api.h"]
    for path, text in code.items():
        for match in re.finditer(r"class (\w+)[^;{]*: public (Ort\w+)", text):
            made = "".join(t for p, t in code.items() if p.startswith("src/abi/"))
            assert f"{match[2]}(Stamped<{match[2]}>(" in made, (path, match[1])


def test_r3_every_callback_is_guarded(code: dict[str, str]) -> None:
    """A slot of an ABI struct is only ever given a guarded function, or left null."""
    members = r"(?:GetName|GetVendor|GetVendorId|GetVersion|GetSupportedDevices|CreateEp|ReleaseEp"
    members += r"|CreateDataTransfer|CreateAllocator|ReleaseAllocator|IsStreamAware|GetCapability"
    members += r"|GetKernelRegistry|IsConcurrentRunSupported|Compute|Release|Alloc|Free|Info"
    members += r"|CanCopy|CopyTensors|Reserve|GetStats|AllocOnStream)"
    slots = 0
    for path, text in code.items():
        if path.startswith("src/abi/"):
            for match in re.finditer(rf"^\s*(?:\w+->)?{members} = ([^;]+);", text, re.M):
                assert re.match(r"(?:&?Callback<|&?Delete<|nullptr)", match[1]), (path, match[0])
                slots += 1
    assert slots >= 10


def test_r5_the_name_is_written_once_for_c_plus_plus_and_once_for_python(minimal: Project) -> None:
    literal = f'"{minimal.ep}"'
    places = [
        str(path.relative_to(minimal.root))
        for folder in ("src", "python", "cmake")
        for path in (minimal.root / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc" and literal in path.read_text(encoding="utf-8")
    ]
    package = f"python/{minimal.package}/_identity.py"
    assert sorted(places) == sorted([package, "src/gen/identity.h", "src/gen/manifest.json"])


def test_r6_devices_are_published_when_all_are_made(code: dict[str, str]) -> None:
    """The host's array is written to in one place, after the last thing that can fail."""
    text = code["src/abi/factory_devices.cc"]
    body = text[text.index("Status Factory::ListDevices(") :]
    body = body[: body.index("\n}\n")]
    publishing = body.index("devices[")
    assert body.count("devices[") - body.count("made.devices[") == 1
    assert "EP_RETURN_IF_ERROR" not in body[publishing:]


def test_r7_the_factory_owns_the_memory_infos() -> None:
    code = sources("virtual-memory")
    assert "std::vector<MemoryInfo> memory_;" in code["src/abi/factory.h"]
    created = [path for path, text in code.items() if "CreateMemoryInfo" in text]
    assert created == ["src/abi/factory_devices.cc"]


def test_r9_concurrency_is_answered(code: dict[str, str]) -> None:
    assert re.search(r"IsConcurrentRunSupported = (?!nullptr)", code["src/abi/ep.cc"])


def test_r10_streams_are_promised_where_there_are_some(code: dict[str, str]) -> None:
    text = "".join(code.values())
    answer = re.search(r"StreamAware\(\) const \{\s*return (true|false);\s*\}", text)
    assert answer
    there = "src/abi/sync_stream.cc" in code
    assert (answer[1] == "true") == there
    assert ("CreateSyncStreamForDevice = " in text) == there


def test_r11_the_default_tests_have_the_odd_shapes(full: Project) -> None:
    text = (full.root / "tests/python/op_cases.json").read_text(encoding="utf-8")
    assert '{"shape": [], ' in text
    assert '{"shape": [0, 4], ' in text
    sessions = (full.root / "tests/python/test_sessions.py").read_text(encoding="utf-8")
    assert "dim_param" in sessions


def test_r12_a_compiled_model_that_is_asked_for_is_an_error(minimal: Project) -> None:
    result = minimal.python(
        """
        try:
            models.session(models.mul(), device, config={"ep.context_enable": "1"})
        except Exception as error:
            print(error)
        """
    )
    assert result.returncode == 0, result.stderr
    assert "EPContext" in result.stdout


@pytest.mark.parametrize("project", ["minimal", "full", "device_memory"])
def test_r13_no_state_is_global(project: str, request: pytest.FixtureRequest) -> None:
    """Nothing of ours lies in memory that can be written and outlives a registration."""
    built: Project = request.getfixturevalue(project)
    out = subprocess.run(
        ["objdump", "-t", "-C", str(built.library)], capture_output=True, text=True, check=True
    ).stdout
    assert "contoso" in out
    writable = re.findall(r"^.*\s\.(?:data|bss|tdata|tbss)\s+\w+\s+(.*)$", out, re.M)
    assert [name for name in writable if "contoso" in name] == []


def test_r14_no_name_of_a_sample_is_left(code: dict[str, str]) -> None:
    ours = r"sample_(?!rate|size)"  # not the attributes of ONNX's own operators
    sample = re.compile(rf"example|{ours}|ExampleEp|plugin_ep|VirtGpu|TODO|FIXME|lorem", re.I)
    for path, text in code.items():
        assert not sample.search(text), path


def test_r15_the_library_is_unloaded_after_unregister(minimal: Project) -> None:
    """In a fresh process, without a second registration: both keep a library mapped for good."""
    result = minimal.python(
        """
        models.check(models.mul(), device)
        del device
        plugin.unregister()
        print(any(plugin.get_library_path() in line for line in open("/proc/self/maps")))
        """
    )
    assert (result.returncode, result.stdout) == (0, "False\n"), result.stderr


def test_r16_without_device_memory_there_is_no_allocator() -> None:
    code = sources("minimal")
    text = "".join(code.values())
    for word in ("Allocator", "MemoryInfo", "CopyTensors", "SyncStream", "Memcpy", "Profiler"):
        assert word not in text, word
    assert "CreateDataTransfer" in text
    assert not [path for path in code if "allocator" in path or "data_transfer" in path]


def test_r16_without_options_there_is_no_parser_of_numbers() -> None:
    assert "strto" not in "".join(sources("minimal").values())
