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
    assert Path(path).samefile(library)


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
        pytest.param(
            "import atexit; atexit.register(package.unregister)", id="unregistered-at-exit"
        ),
        pytest.param(
            "from concurrent.futures import ThreadPoolExecutor as Pool; "
            "pool = Pool(1); pool.submit(session.get_inputs).result(); "
            "pool.submit(__import__('sys').exit)",
            id="exit-in-a-thread-of-a-pool",
        ),
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


@pytest.mark.parametrize("order", ["first, second", "second, first"])
def test_one_of_two_registrations_goes_and_the_other_works(plugin: Plugin, order: str) -> None:
    result = fresh(
        _ONE_NODE
        + f"""
    first = name
    second = package.register("anything-42", virtual=manifest["virtual"])
    check()
    for each in ({order}):
        package.unregister(each)
        if package.devices():
            check()
    assert not package.is_available()
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


_STUB = """
    import sys, types, importlib.machinery
    def refuse(*arguments):
        raise SystemExit("the library was loaded")
    runtime = types.ModuleType("onnxruntime")
    runtime.__file__ = "stub"
    runtime.__version__ = VERSION
    runtime.register_execution_provider_library = refuse
    sys.modules["onnxruntime"] = runtime
    import <%= package %> as package
    try:
        package.register()
    except RuntimeError as error:
        print(error)
"""


@pytest.mark.parametrize("version", ["1.9.0", "1.2", "0.99.0.dev20260901"])
def test_too_old_a_runtime_is_refused_before_anything_is_loaded(
    library: Path, version: str
) -> None:
    result = fresh(_STUB.replace("VERSION", repr(version)))
    assert result.returncode == 0, result.stderr
    assert version in result.stdout
    assert package._identity.MINIMUM_ONNXRUNTIME in result.stdout


@pytest.mark.parametrize("version", ["1.99.0.dev20260901", "2.0.0", "", "abc"])
def test_what_else_a_runtime_calls_itself_the_library_judges(library: Path, version: str) -> None:
    result = fresh(_STUB.replace("VERSION", repr(version)))
    assert "the library was loaded" in result.stderr


def _distribution(folder: Path, name: str) -> None:
    place = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    place.mkdir(parents=True)
    place.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")


def test_two_distributions_of_onnxruntime_are_warned_of(plugin: Plugin, tmp_path: Path) -> None:
    for name in ("onnxruntime", "onnxruntime-gpu"):
        _distribution(tmp_path, name)
    result = fresh(
        f"""
        import sys, warnings
        sys.path.append({str(tmp_path)!r})
        import <%= package %> as package
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            package.register()
            package.register()
        print(*[(each.category.__name__, each.filename, str(each.message)) for each in caught])
        assert len(caught) == 1
        """
    )
    assert result.returncode == 0, result.stderr
    assert "RuntimeWarning" in result.stdout
    assert "'<string>'" in result.stdout  # it points to who called
    assert "onnxruntime and onnxruntime-gpu" in result.stdout


def test_a_library_that_is_asked_for_by_a_link_is_registered_by_its_own_path(
    plugin: Plugin, library: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link" / library.name
    link.parent.mkdir()
    try:
        link.symlink_to(library)
    except OSError as error:
        pytest.skip(f"no links here: {error}")
    result = fresh(
        f"""
        import os
        os.environ[{package._identity.LIBRARY_VARIABLE!r}] = {str(link)!r}
        import <%= package %> as package
        package.register()
        print(package.get_library_path())
        """
    )
    assert result.returncode == 0, result.stderr
    assert Path(result.stdout.strip()) == library


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
