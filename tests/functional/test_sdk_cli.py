"""``epforge sdk`` and ``epforge api`` as a user runs them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ort_sdk import contents, copy_of, sdk_of, tar_of

import epforge
from epforge.errors import ExitStatus
from epforge.ort.sdk import ENVIRONMENT


class Cli:
    """Runs epforge with a cache and a working directory of its own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.environment = {k: v for k, v in os.environ.items() if k not in ENVIRONMENT}
        self.environment["PYTHONPATH"] = str(Path(epforge.__file__).parents[1])
        self.environment["EPFORGE_CACHE"] = str(directory / "cache dir")

    def __call__(self, *arguments: str, status: int = ExitStatus.OK) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "epforge", *arguments],
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout if status in (ExitStatus.OK, ExitStatus.CHECK_FAILED) else done.stderr

    def json(self, *arguments: str, status: int = ExitStatus.OK) -> Any:
        return json.loads(self(*arguments, "--json", status=status))


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A release archive of 1.27."""
    files = {f"top/include/{k}": v for k, v in contents(sdk_of(27).include).items()}
    (tmp_path / "onnxruntime-linux-x64-1.27.1.tgz").write_bytes(tar_of(files))
    return tmp_path / "onnxruntime-linux-x64-1.27.1.tgz"


def test_an_archive_is_installed_listed_found_and_checked(cli: Cli, archive: Path) -> None:
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    include = cli("sdk", "install", archive.as_uri(), "--sha256", digest).strip()
    assert Path(include, "onnxruntime_ep_c_api.h").is_file()
    assert cli("sdk", "path").strip() == include
    assert cli.json("sdk", "path", "--ort", "1.24")["level"] == 27
    rows = [row for row in cli.json("sdk", "list")["sdks"] if row["include"] == include]
    assert [(row["level"], row["problems"]) for row in rows] == [(27, [])]
    assert include in cli("sdk", "list")
    assert cli("sdk", "verify").strip().endswith(": good")
    assert cli.json("sdk", "verify", include, "--ort", "1.27")["ok"] is True


def test_a_broken_set_is_named_file_by_file_with_status_1(cli: Cli, tmp_path: Path) -> None:
    include = copy_of(27, tmp_path / "a b")
    (include / "onnxruntime_float16.h").unlink()
    found = cli.json("sdk", "verify", str(include), status=ExitStatus.CHECK_FAILED)
    assert [row["file"] for row in found["problems"]] == [str(include / "onnxruntime_float16.h")]
    text = cli("sdk", "verify", str(include), status=ExitStatus.CHECK_FAILED)
    assert "onnxruntime_float16.h: the file is missing" in text


def test_nothing_found_is_status_4_with_everything_searched(cli: Cli, tmp_path: Path) -> None:
    text = cli("sdk", "path", "--ort", "1.99", status=ExitStatus.MISSING)
    assert str(tmp_path / "cache dir/sdk") in text
    assert "epforge sdk install" in text
    text = cli("sdk", "path", "--ort-sdk", str(tmp_path), status=ExitStatus.MISSING)
    assert str(tmp_path / "include/onnxruntime") in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("sdk", "install", "no-such.tgz"),
        ("sdk", "install", "https://example.invalid/a.tgz"),
        ("sdk", "path", "--ort", "latest"),
        ("api", "show", "OrtEpp"),
        ("api", "show", "OrtEp.Compilee"),
        ("api", "show", "--ort", "1.2"),
        ("api", "keys", "sessions"),
    ],
)
def test_a_wrong_call_is_status_2(cli: Cli, arguments: tuple[str, ...]) -> None:
    assert cli(*arguments, status=ExitStatus.WRONG_INPUT).strip()


def test_the_api_is_shown_release_by_release(cli: Cli) -> None:
    text = cli("api", "show", "--ort", "1.24")
    assert "OrtKernelImpl" in text
    assert "OrtEpProfilerImpl" not in text
    assert len(cli.json("api", "show", "OrtEp", "--ort", "1.24")["members"]) == 15
    assert len(cli.json("api", "show", "OrtEp", "--ort", "1.31")["members"]) == 27
    assert "[binary]" in cli("api", "show", "OrtEp", "--ort", "1.31")


def test_a_member_is_shown_with_what_no_header_says(cli: Cli) -> None:
    text = cli("api", "show", "OrtEpFactory.CreateDataTransfer")
    assert "since 1.23" in text
    assert "SIGSEGV" in text
    data = cli.json("api", "show", "OrtEpFactory::CreateDataTransfer")
    assert (data["slot"], data["need"]) == (11, "crashes")


def test_a_misspelt_struct_gets_a_suggestion(cli: Cli) -> None:
    text = cli("api", "show", "OrtEpFactry", status=ExitStatus.WRONG_INPUT)
    assert "Did you mean OrtEpFactory" in text


def test_headers_newer_than_the_table_are_shown_too(cli: Cli, tmp_path: Path) -> None:
    include = copy_of(27, tmp_path / "include")
    c_api = include / "onnxruntime_c_api.h"
    c_api.write_text(c_api.read_text().replace("ORT_API_VERSION 27", "ORT_API_VERSION 99"))
    ep_api = include / "onnxruntime_ep_c_api.h"
    head, tail = ep_api.read_text().rsplit("\n};", 1)
    member = "ORT_API_T(bool, IsNew, _In_ OrtEpFactory* this_ptr);"
    ep_api.write_text(f"{head}\n  /** \\since Version 1.99. */\n  {member}\n}};{tail}")
    members = cli.json("api", "show", "OrtEpFactory", "--sdk", str(tmp_path))["members"]
    assert members[-1]["signature"] == "bool (*IsNew)(OrtEpFactory* this_ptr)"
    assert members[-1]["since"] == 99
    assert members[11]["need"] == "crashes"


def test_keys_are_listed_by_scope(cli: Cli) -> None:
    listed = cli.json("api", "keys", "ep-device", "--ort", "1.32")
    keys = {row["key"]: row for row in listed["keys"]}
    assert keys["weightless_supported_modes"]["since"] == 32
    assert "os_driver_version" in cli("api", "keys", "ep-device")
    assert "session." not in cli("api", "keys", "ep-device")


@pytest.mark.parametrize("verb", ["sdk", "api"])
def test_help_has_an_example_for_each_verb(cli: Cli, verb: str) -> None:
    verbs = {"sdk": ("list", "install", "path", "verify"), "api": ("show", "keys")}[verb]
    overview = cli(verb, "--help")
    for name in verbs:
        assert name in overview
        assert re.search(rf"^ {{4,}}.*\bepforge {verb} {name}\b", cli(verb, name, "--help"), re.M)
