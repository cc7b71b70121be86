"""`epforge inspect`: what a library is, from its bytes and from its own mouth."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from answers import check_schema
from cross_toys import cross_toy
from toys import EP, toy
from wrong_files import THINGS

from epforge.cli.show.card import card
from epforge.validate import Kind, Limits, read_binary
from epforge.validate.inspection import Inspection, inspect, json_schema
from epforge.validate.inspection.hardware import parse
from epforge.verbs.inspect import layouts


def look(library: Path, *hardware: str, limits: Limits | None = None) -> Inspection:
    made_up = parse(hardware)
    binary = read_binary(library)
    found = inspect(library, layouts(), binary=binary, hardware=made_up, limits=limits)
    check_schema(found.to_json(), "inspect")
    assert list(card(found))
    return found


@functools.cache
def asked(*macros: str) -> Inspection:
    """A toy with some faults, asked once."""
    return look(toy(*macros))


def rules(found: Inspection) -> dict[str, str]:
    return {finding.rule: finding.text for finding in found.findings}


def test_a_good_library_tells_everything() -> None:
    found = asked()
    assert found.fine
    assert found.kind is Kind.PLUGIN_EP
    assert rules(found) == {}
    assert found.extra == ()
    assert any(floor.startswith("GLIBC 2.") for floor in found.binary.floors)
    went = found.answers
    assert went is not None
    assert went.asked == ((24, True),)
    assert went.older.outcome == "refused"
    assert went.older.detail == "toy needs ONNX Runtime 1.24, this is 1.22.0"
    (factory,) = went.factories
    assert (factory.name, factory.vendor, factory.version, factory.ep) == (EP, "Toy", "0.1.0", EP)
    assert factory.vendor_id == 0
    assert factory.stream_aware is False
    of_factory, ep = factory.structs
    assert (of_factory.stamp, ep.stamp) == (24, 24)
    assert [name for name, _ in ep.set] == [
        *("GetName", "GetCapability", "GetKernelRegistry", "IsConcurrentRunSupported"),
    ]
    assert dict(ep.set)["GetKernelRegistry"] == 24
    assert "Compile" in ep.unset
    assert "Sync" not in ep.unset  # newer than the stamp: nobody looks there
    (device,) = went.devices
    assert (device["ep"], device["type"]) == (EP, "cpu")
    assert went.unmapped is True


# Faults that do not hide each other are asked for together: each process costs a second.
BAD = (
    *("FAULT_SILENT_WHEN_OLD", "FAULT_EXTRA_EXPORT", "FAULT_STDERR", "FAULT_STAMP_ZERO"),
    "FAULT_OWN_NAME",
)
WORSE = ("FAULT_UNCHECKED_API", "FAULT_OTHER_EP_NAME", "FAULT_UNSET_CONCURRENCY")


@pytest.mark.parametrize(
    ("macros", "rule", "says"),
    [
        (BAD, "silent-when-old", "without a factory and without an error"),
        (BAD, "exports", "toy_internal_counter"),
        (BAD, "stderr", "hello from the library"),
        (BAD, "stamp", "OrtEp has version 0"),
        (WORSE, "concurrency", "may be concurrent"),
        (BAD, "name", "registered under"),
        (WORSE, "crash-when-old", "SIGSEGV"),
        (WORSE, "name", "'AnotherExecutionProvider'"),
        (("FAULT_VAGUE_WHEN_OLD",), "vague-when-old", "please update"),
        (("FAULT_OTHER_ERROR",), "register", "the driver is asleep"),
    ],
)
def test_what_users_will_meet_is_found(macros: tuple[str, ...], rule: str, says: str) -> None:
    found = asked(*macros).findings
    assert any(each.rule == rule and says in each.text for each in found)


def test_a_crash_is_a_line_and_the_rest_stands() -> None:
    found = asked("FAULT_CRASH_REGISTER")
    assert not found.fine
    assert found.binary.needed
    went = found.answers
    assert went is not None
    assert [went.older.outcome, went.entry.outcome, went.registered.outcome] == ["crashed"] * 3
    assert "CreateEpFactories: SIGABRT" in went.entry.detail
    text = "\n".join(card(found))
    assert "CreateEpFactories: SIGABRT" in text
    assert "libc.so.6" in text


def test_a_hang_is_ended() -> None:
    found = look(toy("FAULT_HANG_REGISTER"), limits=Limits(stall_s=1))
    assert found.answers is not None
    assert found.answers.entry.outcome == "timed out"


def test_a_library_that_asks_for_more_than_there_is() -> None:
    found = asked("TOY_LEVEL=99")
    assert "asks for API 99" in rules(found)["newer-api"]
    assert found.fine  # it says so, as it should
    assert list(rules(found)) == ["newer-api", "register"]


def test_virtual_devices_are_asked_for_under_the_name_they_need() -> None:
    found = asked("VIRTUAL_ONLY")
    went = found.answers
    assert went is not None
    assert went.name.endswith(".virtual")
    assert went.devices[0]["hardware_metadata"] == {"is_virtual": "1"}
    assert went.factories[0].ep == EP


def test_made_up_hardware_and_a_crash_that_costs_only_one_device() -> None:
    found = look(toy("FAULT_CRASH_ON_NPU"), "cpu:0x8086", "npu:0x5143:7", "gpu,Discrete=1")
    went = found.answers
    assert went is not None
    assert [(each.hardware, each.eps, each.detail) for each in went.hardware] == [
        ("cpu 0x8086 (Intel)", (EP,), ""),
        ("npu 0x5143:0x7 (Qualcomm)", (), "SIGABRT"),
        ("gpu 0x0000, Discrete=1", (), ""),
    ]


@pytest.mark.parametrize("name", THINGS)
def test_a_wrong_file_is_told_for_what_it_is(name: str, tmp_path: Path) -> None:
    make, what, why = THINGS[name]
    found = look(make(tmp_path / "thing.so"))
    assert not found.fine
    assert found.answers is None
    first = next(card(found))
    assert what in first
    assert why in first


def test_another_processor_s_library_is_only_looked_at() -> None:
    found = look(cross_toy("linux-arm64"))
    assert (found.binary.machine, found.kind) == ("aarch64", Kind.PLUGIN_EP)
    assert found.not_run == "it is for elf on aarch64, which this machine is not"
    assert "not run: it is for elf on aarch64" in "\n".join(card(found))
    assert any(floor.startswith("GLIBC") for floor in found.binary.floors)


def test_a_library_for_windows_is_only_looked_at() -> None:
    found = look(cross_toy("windows-x64"))
    assert found.binary.format == "pe"
    assert found.binary.floors[0].startswith("Windows ")
    assert found.answers is None


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "epforge", "inspect", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_verb(tmp_path: Path) -> None:
    done = run(str(toy()), "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["file"]["exports"]["entry_points"] == ["CreateEpFactories", "ReleaseEpFactory"]
    assert report["answers"]["factories"][0]["name"] == EP
    assert done.stderr == ""


def test_the_schema_is_printed() -> None:
    command = [sys.executable, "-m", "epforge", "schema", "--inspection"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == json_schema()
    both = subprocess.run([*command, "--report"], capture_output=True, text=True, check=False)
    assert both.returncode == 2


def test_the_verb_on_wrong_calls(tmp_path: Path) -> None:
    missing = run(str(tmp_path / "nothing.so"))
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "no such file" in missing.stderr
    hardware = run(str(toy()), "--hardware", "tpu:1")
    assert hardware.returncode == 2
    assert "TYPE:VENDOR:DEVICE" in hardware.stderr
    text = tmp_path / "lib.so"
    text.write_text("hello\n")
    wrong = run(str(text))
    assert wrong.returncode == 1
    assert "a text file" in wrong.stdout
