"""What the shim plugin finds in a library that breaks the contract of the API in one known way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toys import toy

from epforge.shim import build_shim

TESTS = Path(__file__).resolve().parents[1]
CREATE_EP = "OrtEpFactory.CreateEp"
DEVICES = "OrtEpFactory.GetSupportedDevices"
CAPABILITY = "OrtEp.GetCapability"


BREACHES = [
    ("null-argument", "null-argument", CREATE_EP, "GetSessionOptionsConfigEntries"),
    ("released-twice", "released-twice", CREATE_EP, "KeyValuePairs is released a second"),
    ("used-after-release", "used-after-release", CREATE_EP, "OrtApi.GetKeyValue"),
    ("unknown-handle", "unknown-handle", CREATE_EP, "MemoryInfo"),
    ("returned-released-status", "returned-released-status", CAPABILITY, "released before"),
    ("leaked", "leaked", CREATE_EP, "1 MemoryInfo made by OrtApi.CreateMemoryInfo"),
    ("leaked-status", "leaked", CREATE_EP, "1 Status made by OrtApi.CreateStatus"),
    ("exception-left-callback", "exception-left-callback", CREATE_EP, "thrown on purpose"),
    ("bad-slot", "bad-slot", CREATE_EP, "OrtEp holds 1 callbacks"),
    ("bad-stamp", "bad-stamp", CREATE_EP, "OrtEp is stamped 99"),
    ("out-count", "out-count", DEVICES, "says 9 devices where 8"),
    ("null-device", "null-device", DEVICES, "device 1 is null"),
    ("error-without-text", "error-without-text", CAPABILITY, "without a text"),
    ("null-result", "null-result", CREATE_EP, "CreateEp succeeds with null"),
    ("null-text", "null-result", "OrtEpFactory.GetVersion", "GetVersion returns null"),
    ("missing-callback", "missing-callback", "CreateEpFactories", "GetVendorId is null"),
]
NEWER = "function-newer-than-runtime"


@pytest.fixture(scope="module")
def noted() -> dict[str, dict[str, Any]]:
    """What the shim noted of sessions on the toy, by its breach."""
    library = toy(source="breaches.cc", flags=("-std=c++17", "-lstdc++"))
    breaches = ["none", *(row[0] for row in BREACHES), NEWER, f"{NEWER}/24"]
    done = subprocess.run(
        [
            *(sys.executable, str(TESTS / "support/shim_sessions.py")),
            *(str(build_shim()), str(library), json.dumps({"breaches": breaches})),
        ],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                [str(TESTS.parent / "generator"), os.environ.get("PYTHONPATH", "")]
            ),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    result: dict[str, dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return result


def test_the_toy_is_clean_without_a_breach(noted: dict[str, dict[str, Any]]) -> None:
    result = noted["none"]
    assert result["devices"] == {"check": 1}
    assert result["said"] == []
    assert result["findings"] == []


@pytest.mark.parametrize(("breach", "rule", "where", "says"), BREACHES)
def test_a_breach_is_found_where_it_is(
    breach: str, rule: str, where: str, says: str, noted: dict[str, dict[str, Any]]
) -> None:
    findings = noted[breach]["findings"]
    found = [one for one in findings if (one["rule"], one["where"]) == (rule, where)]
    assert found, findings
    assert says in found[0]["text"]
    assert {one["rule"] for one in findings} == {rule}


def test_a_function_that_the_runtime_does_not_have_is_no_crash(
    noted: dict[str, dict[str, Any]],
) -> None:
    findings = noted[f"{NEWER}/24"]["findings"]
    assert [(one["rule"], one["where"]) for one in findings] == [(NEWER, CREATE_EP)]
    assert "OrtApi.GetMemPatternEnabled is of level 27" in findings[0]["text"]
    assert noted[NEWER]["findings"] == []


def test_an_exception_is_an_error_and_no_crash(noted: dict[str, dict[str, Any]]) -> None:
    said = noted["exception-left-callback"]["said"]
    assert any("an exception left OrtEpFactory.CreateEp: thrown on purpose" in t for t in said)
