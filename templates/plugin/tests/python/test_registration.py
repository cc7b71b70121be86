<%= banner %>
"""Registering, listing, unregistering: under any name, more than once, and at a process's end."""

from pathlib import Path

import pytest

import <%= package %> as package
from support import Plugin, fresh

_ONE_NODE = """
    import json
    import <%= package %> as package
    from support import Plugin, trials, expected, assert_same
    manifest = json.load(open(package.get_library_path() + ".manifest.json", encoding="utf-8"))
    name = package.register(virtual=manifest["virtual"])
    one = next(trials(manifest)).build()
    def check():
        session = Plugin(manifest, package.devices()[0]).session(one.model)
        assert_same(session.run(None, one.feeds), expected(one))
        return session
"""


def test_registering_twice_changes_nothing(plugin: Plugin) -> None:
    before = len(package.devices())
    package.register(virtual=plugin.manifest["virtual"])
    assert len(package.devices()) == before


def test_the_devices_carry_the_execution_provider_s_name_under_any_registration(
    plugin: Plugin,
) -> None:
    before = len(package.devices())
    name = package.register("anything-42", virtual=plugin.manifest["virtual"])
    try:
        assert name.startswith("anything-42")
        assert len(package.devices()) == 2 * before
        names = {device.ep_name for device in package.devices()}
        assert plugin.name in names
        assert names <= set(package.get_ep_names())
    finally:
        package.unregister(name)
    assert len(package.devices()) == before


def test_the_devices_name_the_library_that_they_come_from(plugin: Plugin, library: Path) -> None:
    path = plugin.device.ep_metadata.get("library_path")
    if path is None:
        pytest.skip("this onnxruntime does not tell")
    assert Path(path) == library


def test_a_session_that_is_alive_keeps_the_registration(plugin: Plugin) -> None:
    result = fresh(
        _ONE_NODE
        + """
    session = check()
    try:
        package.unregister()
    except RuntimeError as error:
        print(error)
    assert package.is_available()
    del session
    package.unregister()
    assert not package.is_available()
"""
    )
    assert result.returncode == 0, result.stderr
    assert "1 session(s)" in result.stdout


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param("del session; package.unregister()", id="unregistered"),
        pytest.param("del session", id="forgotten"),
        pytest.param("", id="session-in-a-global"),
        pytest.param("raise SystemExit(0)", id="exit-with-a-session"),
    ],
)
def test_the_process_ends_well(plugin: Plugin, ending: str) -> None:
    result = fresh(f"{_ONE_NODE}\n    session = check()\n    {ending}\n")
    assert (result.returncode, result.stderr) == (0, "")


def test_five_rounds_of_register_run_unregister_give_the_same_result(plugin: Plugin) -> None:
    result = fresh(
        _ONE_NODE
        + """
    for _ in range(5):
        check()
        package.unregister()
        package.register(virtual=manifest["virtual"])
"""
    )
    assert result.returncode == 0, result.stderr


def test_a_runtime_that_has_the_name_already_says_so(plugin: Plugin, library: Path) -> None:
    result = fresh(
        """
        import onnxruntime, <%= package %> as package
        name = package.register()
        try:
            onnxruntime.register_execution_provider_library(name, package.get_library_path())
        except Exception as error:
            print(error)
        """
    )
    assert result.returncode == 0, result.stderr
    assert "already" in result.stdout


def test_before_registration_there_is_no_device(library: Path) -> None:
    result = fresh(
        """
        import <%= package %> as package
        print(package.devices(), package.is_available())
        package.unregister()
        """
    )
    assert (result.returncode, result.stdout.split()) == (0, ["[]", "False"])


<% if virtual %>
def test_a_virtual_device_is_offered_only_under_a_virtual_name(plugin: Plugin) -> None:
    result = fresh(
        """
        import <%= package %> as package
        def count():
            return sum(d.device.metadata.get("is_virtual") == "1" for d in package.devices())
        package.register()
        print(count())
        package.register(virtual=True)
        print(count())
        """
    )
    assert result.returncode == 0, result.stderr
    before, after = map(int, result.stdout.split())
    assert before == 0
    assert after > 0
<% endif %>
