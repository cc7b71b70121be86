"""What is said of a machine, by its facts alone."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from epforge.doctor.machine import cuda, headers, interpreter, packages, surroundings, tools
from epforge.doctor.model import Checkup, Finding, Severity, missing, note, ok
from epforge.errors import ExitStatus
from epforge.validate.survey import Driver, Survey

PIP = f"{sys.executable} -m pip"
PYTHON = interpreter.Interpreter((3, 12), "3.12.4")
RUNTIME = Survey("1.27.1", ("CPUExecutionProvider",), 26, 13, "1.21.0", 26, 13)
GOOD = tools.Tool("/usr/bin/x", "x version 2.40.1", True, "PATH")
TOOLS = tools.Tools(GOOD, tools.Tool(), GOOD, GOOD, GOOD, GOOD)
SITE = "/venv/lib/python3.12/site-packages"


def codes(findings: object) -> list[str]:
    return [f"{each.severity} {each.code}" for each in findings]  # type: ignore[attr-defined]


def bad(findings: object) -> list[Finding]:
    return [each for each in findings if each.severity is not Severity.OK]  # type: ignore[attr-defined]


def only(findings: object) -> Finding:
    (found,) = bad(findings)
    return found


@pytest.mark.parametrize(
    ("severities", "status"),
    [
        ([ok("a", "")], ExitStatus.OK),
        ([note("a", ""), missing("b", "", "", "")], ExitStatus.MISSING),
        ([missing("b", "", "", ""), Finding("c", Severity.ERROR, "")], ExitStatus.CHECK_FAILED),
        ([Finding("c", Severity.WARNING, "")], ExitStatus.OK),
    ],
)
def test_what_fails_counts_more_than_what_is_missing(
    severities: list[Finding], status: ExitStatus
) -> None:
    assert Checkup("machine", "", tuple(severities)).exit_status is status


def test_everything_that_is_not_well_has_a_reason_and_a_command() -> None:
    """Over all facts that this file makes up: nothing is said without its cure."""
    everything = [
        *interpreter.judge(replace(PYTHON, version=(3, 10), bits=32, pip=False, ensurepip=False)),
        *interpreter.judge(replace(PYTHON, version=(3, 14), managed=True, pip=False)),
        *tools.judge(tools.Tools()),
        *headers.judge(headers.Headers(problem="none")),
        *packages.judge(packages.Packages()),
        *cuda.judge(cuda.Cuda(Driver(True), torch="13.0", runtime="12.9")),
        *surroundings.judge(
            surroundings.Surroundings(
                surroundings.Cache("/c", "", True, False, False, 1, False, 3),
                surroundings.Network({"http_proxy": "ftp://x"}, ("http_proxy",), {"no-index": "1"}),
                surroundings.Terminal("ascii", "ascii"),
                "",
            )
        ),
    ]
    found = bad(everything)
    assert len(found) > 20
    for each in found:
        assert each.why.endswith("."), each
        assert each.command, each
        assert "\n" not in each.command


# Python


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ["ok python", "ok pip"]),
        ({"version": (3, 10)}, ["error python", "ok pip"]),
        ({"version": (3, 14)}, ["warning python", "ok pip"]),
        ({"bits": 32}, ["ok python", "error python-kind", "ok pip"]),
        ({"free_threaded": True}, ["ok python", "error python-kind", "ok pip"]),
        ({"managed": True}, ["ok python", "warning python-managed", "ok pip"]),
        ({"pip": False}, ["ok python", "missing pip"]),
        ({"ensurepip": False}, ["ok python", "missing venv", "ok pip"]),
    ],
)
def test_pythons(changes: dict[str, object], expected: list[str]) -> None:
    assert codes(interpreter.judge(replace(PYTHON, **changes))) == expected  # type: ignore[arg-type]


def test_an_environment_without_pip_gets_it_from_what_is_there() -> None:
    there = only(interpreter.judge(replace(PYTHON, pip=False)))
    assert there.command == "python -m ensurepip --upgrade"
    found = bad(interpreter.judge(replace(PYTHON, pip=False, ensurepip=False)))
    assert [each.command for each in found] == [
        "apt install python3.12-venv",
        "uv pip install --python python pip",
    ]


# Tools


def test_a_compiler_that_does_not_work_is_an_error_with_its_own_words() -> None:
    broken = tools.Tool("/usr/bin/clang++", "fatal error: 'mutex' file not found", False, "PATH")
    found = only(tools.judge(replace(TOOLS, compiler=broken)))
    assert found.severity is Severity.ERROR
    assert "'mutex' file not found" in found.what
    assert found.command == "apt install g++"
    named = only(tools.judge(replace(TOOLS, compiler=replace(broken, source="CXX"))))
    assert named.command == "unset CXX"


def test_without_a_compiler_zig_stands_in() -> None:
    none = replace(TOOLS, compiler=tools.Tool(says="no C++ compiler"))
    fetched = only(tools.judge(none))
    assert fetched.severity is Severity.NOTE
    assert fetched.command.startswith(f"{PIP} install 'ziglang>=")
    there = tools.Tool("/c/zig/zig-c++", "zig 0.17.1", True)
    assert not bad(tools.judge(replace(none, zig=there)))
    lacking = only(tools.judge(replace(none, offline=True)))
    assert lacking.severity is Severity.MISSING
    assert lacking.command == "apt install g++"
    never = only(tools.judge(replace(none, zig=tools.Tool(says="zig stands in on Linux alone"))))
    assert never.severity is Severity.MISSING
    assert "on Linux alone" in never.why


@pytest.mark.parametrize("name", ["cmake", "ninja", "clang_format"])
def test_tools_of_this_python(name: str) -> None:
    said = replace(TOOLS, **{name: tools.Tool(says="it is not installed")})
    package = name.replace("_", "-")
    assert only(tools.judge(said)).command == f"{PIP} install {package}"
    broken = replace(TOOLS, **{name: tools.Tool("/x/tool", "Exec format error")})
    assert only(tools.judge(broken)).command == f"{PIP} install --force-reinstall {package}"


def test_git_is_a_note() -> None:
    assert codes(bad(tools.judge(replace(TOOLS, git=tools.Tool())))) == ["note git"]
    old = tools.Tool("/usr/bin/git", "git version 2.30.2", True)
    assert codes(bad(tools.judge(replace(TOOLS, git=old)))) == ["note git"]


# Headers


def test_headers() -> None:
    there = headers.Headers(27, 28, "/usr/include/onnxruntime", "system")
    assert codes(headers.judge(there)) == ["ok headers"]
    coming = headers.Headers(27, problem="none")
    assert codes(headers.judge(coming)) == ["note headers"]
    for lacking in (
        replace(coming, debian="this machine is no Debian"),
        replace(coming, offline=True),
    ):
        assert codes(headers.judge(lacking)) == ["missing headers"]
    named = only(headers.judge(replace(coming, named="ORT_HOME", problem="/x does not exist")))
    assert named.severity is Severity.ERROR
    assert named.command == "unset ORT_HOME"


# Packages


def installed(*names: str, files: str = "", version: str = "1.27.1") -> packages.Packages:
    """Distributions in one directory, and the files of one of them."""
    runtimes = tuple(packages.Distribution(name, "1.27.1", SITE) for name in names)
    there = (packages.Files(SITE, files, version),) if files else ()
    return packages.Packages(runtimes, there, RUNTIME)


def test_one_runtime_is_well() -> None:
    assert codes(packages.judge(installed("onnxruntime", files="onnxruntime"))) == [
        *("ok runtime", "ok onnx"),
    ]
    assert not bad(packages.judge(installed("onnxruntime-gpu", files="onnxruntime-gpu")))


@pytest.mark.parametrize(
    ("names", "files", "kept"),
    [
        (("onnxruntime", "onnxruntime-gpu"), "onnxruntime", "onnxruntime-gpu"),
        (("onnxruntime", "onnxruntime-gpu"), "onnxruntime-gpu", "onnxruntime-gpu"),
        (
            ("onnxruntime-gpu", "onnxruntime-openvino"),
            "onnxruntime-openvino",
            "onnxruntime-openvino",
        ),
        (("onnxruntime-directml", "onnxruntime-gpu"), "onnxruntime", "onnxruntime-directml"),
    ],
)
def test_two_runtimes_in_one_directory(names: tuple[str, ...], files: str, kept: str) -> None:
    found = only(packages.judge(installed(*names, files=files)))
    assert (found.code, found.severity) == ("two-runtimes", Severity.ERROR)
    assert found.command == (
        f"{PIP} uninstall --yes {' '.join(names)} && {PIP} install --no-deps {kept}==1.27.1"
    )


def test_files_that_are_not_what_the_metadata_says() -> None:
    other = installed("onnxruntime", files="onnxruntime-gpu")
    older = installed("onnxruntime", files="onnxruntime", version="1.26.0")
    for mixed in (other, older):
        found = only(packages.judge(mixed))
        assert (found.code, found.severity) == ("runtime-mixed", Severity.ERROR)
        assert found.command == (f"{PIP} install --force-reinstall --no-deps onnxruntime==1.27.1")
    local = installed("onnxruntime", files="onnxruntime", version="1.27.1+cpu")
    assert not bad(packages.judge(local))


def test_files_that_are_gone_and_files_of_nobody() -> None:
    gone = bad(packages.judge(installed("onnxruntime-gpu")))
    assert [each.code for each in gone] == ["runtime-gone"]
    unlisted = installed(files="onnxruntime")
    assert codes(bad(packages.judge(unlisted))) == ["note runtime-unlisted"]


def test_no_runtime_an_old_one_and_one_that_does_not_start() -> None:
    none = packages.Packages(survey=replace(RUNTIME, version="", opset=0))
    found = only(packages.judge(none))
    assert (found.severity, found.command) == (
        Severity.MISSING,
        f"{PIP} install 'onnxruntime>=1.24.4'",
    )
    fine = installed("onnxruntime", files="onnxruntime")
    old = only(packages.judge(replace(fine, survey=replace(RUNTIME, version="1.23.2"))))
    assert (old.code, old.severity) == ("runtime", Severity.ERROR)
    dead = replace(RUNTIME, version="", broken="importing onnxruntime: SIGILL")
    assert "SIGILL" in only(packages.judge(replace(fine, survey=dead))).what


def test_a_runtime_in_two_places() -> None:
    one = installed("onnxruntime", files="onnxruntime")
    user = packages.Files("/home/me/.local/site-packages", "onnxruntime", "1.26.0")
    mine = packages.Distribution("onnxruntime", "1.26.0", user.place)
    both = replace(one, files=(user, *one.files), runtimes=(mine, *one.runtimes))
    assert codes(bad(packages.judge(both))) == ["warning runtime-twice"]


def test_what_onnx_writes_and_the_runtime_does_not_read() -> None:
    fine = installed("onnxruntime", files="onnxruntime")
    for changes, expected in (
        ({"onnx_opset": 28}, "note onnx"),
        ({"onnx_opset": 28, "onnx_ir": 14}, "warning onnx"),
        ({"onnx": "", "onnx_broken": "ImportError: x"}, "missing onnx"),
    ):
        changed = replace(RUNTIME, **changes)  # type: ignore[arg-type]
        assert codes(bad(packages.judge(replace(fine, survey=changed)))) == [expected]


def test_requirements_that_are_not_met() -> None:
    fine = installed("onnxruntime", files="onnxruntime")
    unmet = (("clang-format==23.1.5", "22.1.0"), ("copier<10,>=9.17.2", ""))
    found = bad(packages.judge(replace(fine, unmet=unmet)))
    assert [each.severity for each in found] == [Severity.ERROR, Severity.MISSING]
    assert found[0].what.startswith("clang-format 22.1.0 is installed")


# CUDA


H200 = Driver(True, (12, 8), (("NVIDIA H200", "9.0"),))
CUDA = cuda.Cuda(H200, "/usr/bin/nvcc", (12, 6), "", (("cuBLAS", "/b"), ("cuDNN", "/d")))


def test_cuda_that_fits() -> None:
    assert codes(cuda.judge(CUDA)) == ["ok cuda-driver", "ok nvcc", "ok cublas", "ok cudnn"]
    assert codes(cuda.judge(cuda.Cuda())) == ["ok cuda"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"release": (13, 0)}, ["error nvcc"]),
        ({"release": (), "problem": "it says nothing"}, ["error nvcc"]),
        ({"nvcc": "", "release": ()}, ["note nvcc"]),
        ({"torch": "13.0"}, ["error cuda-newer"]),
        ({"torch": "12.6", "runtime": "12.8"}, []),
        ({"runtime": "13.0"}, ["error cuda-newer"]),
        ({"torch": "12.6", "runtime": "11.8"}, ["warning cuda-mixed"]),
        ({"libraries": ()}, ["note cuda-libraries"]),
        ({"driver": Driver(True, (12, 8), (), "it sees no device")}, ["warning cuda-driver"]),
        ({"driver": Driver()}, ["note cuda-driver"]),
    ],
)
def test_cuda_that_does_not(changes: dict[str, object], expected: list[str]) -> None:
    assert codes(bad(cuda.judge(replace(CUDA, **changes)))) == expected  # type: ignore[arg-type]


# Around


FINE = surroundings.Surroundings(
    surroundings.Cache("/c", "", True), surroundings.Network({}, (), {}), surroundings.Terminal()
)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"writable": False}, ["warning cache"]),
        ({"writable": False, "there": False}, ["error cache"]),
        ({"runs": False}, ["error cache-noexec"]),
        ({"free_mb": 100}, ["warning disk"]),
        ({"place": "", "problem": "no home"}, ["error cache"]),
    ],
)
def test_caches(changes: dict[str, object], expected: list[str]) -> None:
    cache = replace(FINE.cache, **changes)  # type: ignore[arg-type]
    assert codes(bad(surroundings.judge(replace(FINE, cache=cache)))) == expected


@pytest.mark.parametrize(
    ("proxies", "differing", "pip", "expected"),
    [
        ({"https_proxy": "http://proxy:8080"}, (), {}, []),
        ({"https_proxy": "proxy:8080"}, (), {}, []),
        ({"https_proxy": "ftp://proxy"}, (), {}, ["error proxy"]),
        ({"https_proxy": "http://proxy:port"}, (), {}, ["error proxy"]),
        ({"http_proxy": "http://proxy"}, (), {}, ["warning proxy"]),
        ({"http_proxy": "http://proxy"}, (), {"proxy": "http://proxy"}, []),
        ({"https_proxy": "http://a"}, ("https_proxy",), {}, ["warning proxy"]),
        ({"no_proxy": "localhost"}, (), {}, []),
        ({}, (), {"no-index": "true"}, ["warning network"]),
        ({}, (), {"no-index": "true", "find-links": "/wheels"}, []),
        ({}, (), {"no-index": "false"}, []),
    ],
)
def test_networks(
    proxies: dict[str, str], differing: tuple[str, ...], pip: dict[str, str], expected: list[str]
) -> None:
    network = surroundings.Network(proxies, differing, pip)
    assert codes(bad(surroundings.judge(replace(FINE, network=network)))) == expected


def test_no_network_is_a_note() -> None:
    network = replace(FINE.network, offline=True)
    assert codes(bad(surroundings.judge(replace(FINE, network=network)))) == ["note network"]


def test_pip_s_settings_are_shown_without_passwords() -> None:
    text = (
        "global.index-url='https://me:secret@mirror.example/simple'\n"
        ":env:.no-index='1'\ninstall.user='true'\nglobal.proxy='http://u:p@proxy:3128'\n"
    )
    assert surroundings.pip_settings(text) == {
        "index-url": "https://***@mirror.example/simple",
        "no-index": "1",
        "proxy": "http://***@proxy:3128",
    }


def test_terminals() -> None:
    for terminal, expected in (
        (surroundings.Terminal("ascii"), ["note terminal"]),
        (surroundings.Terminal("utf-8", "ascii"), ["warning locale"]),
        (surroundings.Terminal("UTF-8", "UTF8"), []),
    ):
        assert codes(bad(surroundings.judge(replace(FINE, terminal=terminal)))) == expected
