"""The NuGet package in programs: Mono compiles its class, and builds with its .targets file."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from nuget import assembly_name, compile_helper, pack, pe, put_artifacts
from projects import Project

LINUX = ("--required_platforms", "linux-x64")
APP = """\
using System;
using NAMESPACE;
static class App
{
    static void Main()
    {
        Console.WriteLine(CLASS.GetEpName());
        Console.WriteLine(string.Join(" ", CLASS.GetEpNames()));
        Console.WriteLine(CLASS.MinimumOnnxRuntime);
        try { Console.WriteLine(CLASS.GetLibraryPath()); }
        catch (Exception error) { Console.WriteLine(error.GetType().Name + ": " + error.Message); }
    }
}
"""
OLD_APP = """\
<Project DefaultTargets="Copied" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
  <Import Project="TARGETS" />
  <Target Name="Copied">
    <Copy SourceFiles="@(None)" DestinationFiles="@(None->'bin/%(Link)')"
          Condition="'%(None.CopyToOutputDirectory)' == 'PreserveNewest'" />
  </Target>
</Project>
"""


def needed(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


@pytest.mark.lab
def test_a_program_finds_the_library_where_the_package_puts_it(
    minimal: Project, tmp_path: Path
) -> None:
    needed("mcs", "mono")
    assembly = compile_helper(minimal.root, tmp_path / "compiled")
    done = pack(minimal.root, "--library", f"linux-x64={minimal.library}", *LINUX,
                "--assembly", assembly, "--output_dir", tmp_path / "dist")  # fmt: skip
    assert done.returncode == 0, done.stderr
    place = tmp_path / "an app é"
    shutil.unpack_archive(done.stdout.splitlines()[-1], place / "package", "zip")
    inside = place / "package/lib/netstandard2.0" / assembly.name
    described = inside.with_suffix(".xml").read_text(encoding="utf-8")
    assert "GetLibraryPath" in described
    helper = next((minimal.root / "packaging/nuget").glob("*.cs")).stem
    source = place / "App.cs"
    source.write_text(APP.replace("NAMESPACE", assembly.stem).replace("CLASS", helper))
    command = ["mcs", f"-out:{place / 'App.exe'}", f"-r:{inside}", str(source)]
    subprocess.run(command, check=True)
    shutil.copy(inside, place)

    def run(**variables: str) -> list[str]:
        ran = subprocess.run(
            ["mono", str(place / "App.exe")],
            cwd="/", env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **variables},
            capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        return ran.stdout.splitlines()

    missing = run()
    assert missing[:3] == [minimal.ep, minimal.ep, minimal.manifest["ort"]["min"]]
    assert missing[3].startswith("FileNotFoundException: The library of ")
    shutil.copytree(place / "package/runtimes", place / "runtimes")
    native = f"runtimes/linux-x64/native/{minimal.library.name}"
    assert run()[3] == str(place / native)
    shutil.copy(minimal.library, place)
    assert run()[3] == str(place / minimal.library.name)
    variable = runpy.run_path(str(next((minimal.root / "python").glob("*/_identity.py"))))
    assert run(**{variable["LIBRARY_VARIABLE"]: str(minimal.library)})[3] == str(minimal.library)
    named = run(**{variable["LIBRARY_VARIABLE"]: "/nowhere.so"})[3]
    assert named.endswith("names a file that is not there: /nowhere.so")


@pytest.mark.lab
def test_an_application_of_net_framework_gets_the_library(minimal: Project, tmp_path: Path) -> None:
    needed("xbuild")
    stem = str(minimal.manifest["library"])
    assembly = tmp_path / f"{assembly_name(minimal.root)}.dll"
    assembly.write_bytes(pe(0x14C, managed=True))
    artifacts = put_artifacts(tmp_path / "artifacts", stem)
    done = pack(minimal.root, "--artifacts", artifacts, "--assembly", assembly,
                "--output_dir", tmp_path / "dist")  # fmt: skip
    package = tmp_path / "package"
    shutil.unpack_archive(done.stdout.splitlines()[-1], package, "zip")
    for folder in ("build", "buildTransitive"):
        (targets,) = (package / folder).iterdir()
        for framework, platform, copied in (
            (".NETFramework", "x64", True),
            (".NETFramework", "AnyCPU", True),
            (".NETFramework", "x86", False),
            (".NETCoreApp", "x64", False),
        ):
            app = tmp_path / f"{folder}-{framework}-{platform}"
            app.mkdir()
            (app / "App.proj").write_text(OLD_APP.replace("TARGETS", str(targets)))
            properties = {"TargetFrameworkIdentifier": framework, "PlatformTarget": platform}
            subprocess.run(
                ["xbuild", "/nologo", "/v:q", *(f"/p:{k}={v}" for k, v in properties.items())],
                cwd=app, check=True, capture_output=True,
            )  # fmt: skip
            found = [each.name for each in app.glob("bin/*")]
            assert found == ([f"{stem}.dll"] if copied else [])
