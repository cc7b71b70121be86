"""`epforge doctor LIB`: libraries that do not load here, and the reason for each."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import wrong_files
from cli_project import asked
from toys import manifest, toy


def built(folder: Path, name: str, code: str, *words: str, compiler: str = "gcc") -> Path:
    """A library of a few lines of code."""
    source, library = folder / f"{name}.c", folder / f"lib{name}.so"
    source.write_text(code)
    command = [compiler, "-shared", "-fPIC", str(source), "-o", str(library), f"-L{folder}", *words]
    subprocess.run(command, check=True)
    return library


def needing(folder: Path, *words: str) -> Path:
    """A copy of a plugin that needs libraries beside what it needs anyway."""
    library = folder / "libneeding_ep.so"
    entry = """
    void* CreateEpFactories(void) { extern int Vendor(void); return Vendor() ? 0 : 0; }
    void* ReleaseEpFactory(void) { return 0; }
    """
    return built(folder, "needing_ep", entry, *words) if words else library


def by_code(data: dict) -> dict:  # type: ignore[type-arg]
    return {each["code"]: each for each in data["findings"]}


def test_a_plugin_that_is_well(tmp_path: Path) -> None:
    library = Path(shutil.copy(toy(), tmp_path / "libtoy.so"))
    data = asked("doctor", library)
    assert (data["about"], data["exit_status"]) == ("library", 0)
    found = by_code(data)
    assert [found[code]["severity"] for code in ("file", "loading", "devices")] == ["ok"] * 3
    assert data["facts"]["kind"] == "plugin EP"


def test_a_library_that_is_not_here(tmp_path: Path) -> None:
    vendor = built(
        tmp_path, "acmevendor", "int Vendor(void) { return 1; }", "-Wl,-soname,libacmevendor.so.3"
    )
    library = needing(tmp_path, "-lacmevendor")
    vendor.unlink()
    data = asked("doctor", library)
    assert data["exit_status"] == 4
    found = by_code(data)["needed-library"]
    assert found["message"] == "libacmevendor.so.3 is needed, and the loader does not find it"
    assert found["command"].endswith("libacmevendor3")
    assert "loading" not in by_code(data)  # it has its reason


@pytest.mark.lab
def test_a_library_that_lies_where_the_loader_does_not_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "site-packages"
    place = packages / "acme/lib"
    place.mkdir(parents=True)
    vendor = built(tmp_path, "acmevendor", "int Vendor(void) { return 1; }")
    library = needing(tmp_path, "-lacmevendor")
    vendor.rename(place / vendor.name)
    monkeypatch.syspath_prepend(str(packages))
    found = by_code(asked("doctor", library))["needed-library"]
    assert found["command"] == f"export LD_LIBRARY_PATH={place}:$LD_LIBRARY_PATH"
    # The cure cures.
    monkeypatch.setenv("LD_LIBRARY_PATH", str(place))
    after = by_code(asked("doctor", library))
    assert "needed-library" not in after
    assert after["loading"]["severity"] == "ok"


def test_what_a_needed_library_needs_is_looked_for_too(tmp_path: Path) -> None:
    deep = built(tmp_path, "acmedeep", "int Deep(void) { return 1; }")
    code = "int Deep(void); int Vendor(void) { return Deep(); }"
    built(tmp_path, "acmevendor", code, "-lacmedeep", "-Wl,-rpath,$ORIGIN")
    library = needing(
        tmp_path, "-lacmevendor", "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined",
        f"-Wl,-rpath-link,{tmp_path}",
    )  # fmt: skip
    assert by_code(asked("doctor", library))["loading"]["severity"] == "ok"
    deep.unlink()
    found = by_code(asked("doctor", library))["needed-library"]
    assert "libacmedeep.so is needed, by " in found["message"]
    assert "libacmevendor.so" in found["message"]


@pytest.mark.lab
def test_a_version_of_a_library_that_is_not_here(tmp_path: Path) -> None:
    newer, older = tmp_path / "newer", tmp_path / "older"
    for place, text in (
        (newer, "ACME_1 { Vendor; }; ACME_2 { Other; };"),
        (older, "ACME_1 { Vendor; };"),
    ):
        place.mkdir()
        (place / "map").write_text(text)
        code = "int Vendor(void) { return 1; } int Other(void) { return 1; }"
        built(place, "acmevendor", code, f"-Wl,--version-script={place / 'map'}")
    shutil.copy(newer / "libacmevendor.so", tmp_path)
    entry = (
        "int Other(void); void* CreateEpFactories(void) { return Other() ? 0 : 0; }"
        "void* ReleaseEpFactory(void) { return 0; }"
    )
    library = built(tmp_path, "needing_ep", entry, "-lacmevendor", "-Wl,-rpath,$ORIGIN")
    assert "library-version" not in by_code(asked("doctor", library))
    shutil.copy(older / "libacmevendor.so", tmp_path)
    data = asked("doctor", library)
    assert data["exit_status"] == 1
    found = by_code(data)["library-version"]
    assert found["message"].startswith("ACME_2 is needed; ")
    assert found["message"].endswith("has up to ACME_1")


def test_a_library_for_another_processor(tmp_path: Path) -> None:
    compiler = "aarch64-linux-gnu-gcc"
    if shutil.which(compiler) is None:
        pytest.skip(f"this machine has no {compiler}")
    code = "void* CreateEpFactories(void) { return 0; } void* ReleaseEpFactory(void) { return 0; }"
    library = built(tmp_path, "arm_ep", code, compiler=compiler)
    data = asked("doctor", library)
    assert data["exit_status"] == 1
    (found,) = data["findings"]
    assert "a library for aarch64, this machine is" in found["message"]
    assert found["command"] == f"epforge inspect {library}"
    assert data["facts"]["needs"] == []


def test_a_library_for_a_newer_runtime(tmp_path: Path) -> None:
    library = Path(shutil.copy(toy(), tmp_path / "libtoy.so"))
    manifest(tmp_path / "libtoy.so.manifest.json", ort={"min": "9.1.0", "target": 24})
    data = asked("doctor", library)
    assert data["exit_status"] == 1
    found = by_code(data)["runtime-floor"]
    assert "it is built for onnxruntime 9.1.0 and newer" in found["message"]
    assert found["command"].endswith("--upgrade 'onnxruntime>=9.1.0'")


@pytest.mark.parametrize("kind", ["load", "register"])
def test_a_library_that_ends_the_process(kind: str, tmp_path: Path) -> None:
    constructor = "__attribute__((constructor)) static void Go(void) { __builtin_trap(); }"
    body = "{ __builtin_trap(); return 0; }" if kind == "register" else "{ return 0; }"
    code = (
        f"{constructor if kind == 'load' else ''} void* CreateEpFactories(void) {body}"
        "void* ReleaseEpFactory(void) { return 0; }"
    )
    data = asked("doctor", built(tmp_path, "fatal_ep", code))
    assert data["exit_status"] == 1
    texts = [each["message"] for each in data["findings"] if each["severity"] == "error"]
    assert any("SIGILL" in text or "SIGTRAP" in text for text in texts), texts


@pytest.mark.parametrize("thing", sorted(wrong_files.THINGS.keys() - {"directory"}))
def test_what_is_no_plugin_is_called_what_it_is(thing: str, tmp_path: Path) -> None:
    maker, *words = wrong_files.THINGS[thing]
    path = maker(tmp_path / "libwrong_ep.so")
    data = asked("doctor", path)
    assert (data["about"], data["exit_status"]) == ("library", 1)
    text = data["findings"][0]["message"]
    assert all(word in text for word in words), text
    assert text.isprintable()
