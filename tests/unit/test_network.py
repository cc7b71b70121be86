"""Whether there is a network, and what pip is configured to use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from machines import without_network

from epforge.network import pip_setting, unreachable


def test_a_machine_without_a_network_knows_it_and_pip_does_not_try_again() -> None:
    code = "from epforge.network import *; print(unreachable(), dict(pip_variables()))"
    done = subprocess.run(
        [*without_network(), sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "True {'PIP_RETRIES': '0'}\n"


def test_an_interface_that_leads_elsewhere_is_a_network(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    routes = (tmp_path / "route", tmp_path / "ipv6_route")
    monkeypatch.setattr("epforge.network._ROUTES", routes)
    monkeypatch.setattr("sys.platform", "linux")
    assert not unreachable()  # nothing says so
    routes[0].write_text("Iface Destination Gateway\n")
    assert unreachable()  # by a kernel without IPv6
    routes[1].write_text("00000000 00 00000000 00200200       lo\n")
    assert unreachable()
    routes[0].write_text("Iface Destination Gateway\neth0 00000000 010200C0\n")
    assert not unreachable()
    routes[0].write_text("Iface Destination Gateway\n")
    routes[1].write_text("00000000 00 00000000 00200200     eth0\n")
    assert not unreachable()


def test_settings_of_pip_are_those_of_its_files_and_variables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "pip.conf"
    config.write_text("[global]\nproxy = http://proxy.invalid:1\n[install]\ncert = /no\n")
    for name in list(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    assert pip_setting("proxy") == "http://proxy.invalid:1"
    assert pip_setting("client_cert") == ""
    monkeypatch.setenv("PIP_PROXY", "http://other.invalid:2")
    assert pip_setting("proxy") == "http://other.invalid:2"
