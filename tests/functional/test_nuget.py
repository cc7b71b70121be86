"""The NuGet package: what is in it, what is refused, and what its class is to say."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import zipfile
from pathlib import Path

import pytest
from nuget import (
    LIBRARIES,
    NUSPEC,
    assembly_name,
    file_name,
    mach_o,
    pack,
    pe,
    put_artifacts,
    read,
)
from projects import Project

from epforge.verbs.scaffold import scaffold_project

LINUX = ("--required_platforms", "linux-x64")
RIDS = {
    "linux-x64": "linux-x64",
    "linux-arm64": "linux-arm64",
    "windows-x64": "win-x64",
    "macos-arm64": "osx-arm64",
}
SEVERAL = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
ort: {min: "1.25.0", target: "1.28"}
devices:
  - {name: npu, type: npu, virtual: allowed}
  - {name: gpu, type: gpu, virtual: allowed, ep: ContosoGpuExecutionProvider}
ops: [Relu]
"""
CUSTOM = """\
epforge: 1
name: fast-ep
names: {ep: QuickExecutionProvider, library: quick}
vendor: Contoso
ops: [Relu]
features: {custom_op_library: cpu}
custom_ops:
  - {op: com.contoso::Twice, inputs: {x: T}, outputs: {y: T}, types: {T: [float32]},
     compute: {y: x + x}}
"""


@pytest.fixture(scope="module")
def stem(minimal: Project) -> str:
    """The library's name without prefix and suffix."""
    return str(minimal.manifest["library"])


@pytest.fixture
def assembly(minimal: Project, tmp_path: Path) -> Path:
    """The first bytes of an assembly; the lab compiles a whole one."""
    path = tmp_path / f"{assembly_name(minimal.root)}.dll"
    path.write_bytes(pe(0x14C, managed=True))
    return path


def test_a_package_of_all_targets_is_what_nuget_reads(
    minimal: Project, stem: str, assembly: Path, tmp_path: Path
) -> None:
    artifacts = put_artifacts(tmp_path / "artifacts", stem)
    shutil.copy(minimal.library, artifacts / "linux-x64")
    done = pack(minimal.root, "--artifacts", artifacts, "--assembly", assembly,
                "--version", "1.2.3-rc.1+build.5", "--output_dir", tmp_path / "dist")  # fmt: skip
    assert done.returncode == 0, done.stderr
    path = Path(done.stdout.splitlines()[-1])
    name = assembly_name(minimal.root)
    assert path == tmp_path / "dist" / f"{name}.1.2.3-rc.1.nupkg"
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert re.search(r"0\.\d MB for linux-x64, linux-arm64, win-x64, osx-arm64", done.stdout)
    package = read(path)
    assert package.files.keys() == {
        f"{name}.nuspec",
        "LICENSE",
        "README.md",
        f"lib/netstandard2.0/{name}.dll",
        f"build/{name}.targets",
        f"buildTransitive/{name}.targets",
        *(f"runtimes/{RIDS[target]}/native/{file_name(stem, target)}" for target in LIBRARIES),
    }
    for each, data in package.files.items():
        assert not each.startswith("/")
        if each.endswith((".md", ".nuspec")):
            assert b"epforge" not in data  # who may edit a file is no matter of its readers
    assert package.files[f"runtimes/linux-x64/native/lib{stem}.so"] == minimal.library.read_bytes()
    assert package.text("id") == name
    assert package.text("version") == "1.2.3-rc.1+build.5"
    assert package.text("readme") in package.files
    dependencies = [dict(e.attrib) for e in package.nuspec.iter(f"{NUSPEC}dependency")]
    minimum = minimal.manifest["ort"]["min"]
    # Which runtime lies below is the application's choice, as it is in Python.
    assert dependencies == [{"id": "Microsoft.ML.OnnxRuntime.Managed", "version": minimum}]
    assert [e.get("targetFramework") for e in package.nuspec.iter(f"{NUSPEC}group")] == [
        ".NETStandard2.0"
    ]


def test_the_same_files_give_the_same_package(
    minimal: Project, assembly: Path, tmp_path: Path
) -> None:
    made = []
    for place in (tmp_path / "one", tmp_path / "two"):
        done = pack(minimal.root, "--library", f"linux-x64={minimal.library}", *LINUX,
                    "--assembly", assembly, "--output_dir", place)  # fmt: skip
        assert done.returncode == 0, done.stderr
        path = Path(done.stdout.splitlines()[-1])
        made.append(path.read_bytes())
        with zipfile.ZipFile(path) as archive:
            assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
    assert made[0] == made[1]


def test_targets_that_are_not_required_may_be_missing(
    minimal: Project, assembly: Path, tmp_path: Path
) -> None:
    """The build's own directory serves as a target's, and what .NET calls a target is its name."""
    artifacts = tmp_path / "artifacts"
    artifacts.mkdir()
    (artifacts / "linux-x64").symlink_to(minimal.library.parent)
    done = pack(minimal.root, "--artifacts", artifacts, "--assembly", assembly,
                "--required_platforms", "", "--output_dir", tmp_path / "dist")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "note: nothing for windows-x64" in done.stdout
    package = read(Path(done.stdout.splitlines()[-1]))
    assert not [name for name in package.files if name.startswith("build")]
    version = minimal.manifest["version"]
    assert package.text("version") == version
    renamed = pack(minimal.root, "--library", f"osx-arm64={minimal.library}", *LINUX,
                   "--assembly", assembly, "--output_dir", tmp_path / "other")  # fmt: skip
    assert f"macos-arm64: {minimal.library} should be called" in renamed.stderr


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--required_platforms", "linux-x64,windows-x64"], "windows-x64 is required"),
        (["--required_platforms", "amiga"], "amiga is no target of this project: linux-x64,"),
        ([*LINUX, "--version", "1.2"], "--version 1.2 is no semantic version"),
        ([*LINUX, "--version", "1.02.3"], "--version 1.02.3 is no semantic version"),
        ([*LINUX, "--library", "linux-x64"], "--library linux-x64: write TARGET=PATH"),
    ],
)
def test_what_is_missing_or_wrong_is_named_and_nothing_is_written(
    arguments: list[str], error: str, minimal: Project, assembly: Path, tmp_path: Path
) -> None:
    done = pack(minimal.root, "--library", f"linux-x64={minimal.library}", "--assembly", assembly,
                "--output_dir", tmp_path / "dist", *arguments)  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {error}")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "dist").exists()


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (LIBRARIES["linux-arm64"], "is for linux aarch64"),
        (LIBRARIES["windows-x64"], "is for windows amd64"),
        (mach_o(0x01000007), "is for macos x86_64"),
        (b"", "is no shared library"),
        (b"MZ", "is no shared library"),
        (b"\x7fELF", "is no shared library"),
        (b"a text", "is no shared library"),
    ],
)
def test_a_library_of_another_machine_is_refused(
    data: bytes, error: str, minimal: Project, stem: str, assembly: Path, tmp_path: Path
) -> None:
    library = tmp_path / file_name(stem, "linux-x64")
    library.write_bytes(data)
    done = pack(minimal.root, "--library", f"linux-x64={library}", *LINUX, "--assembly", assembly,
                "--output_dir", tmp_path / "dist")  # fmt: skip
    assert done.returncode == 1
    assert error in done.stderr
    assert str(library) in done.stderr
    assert not (tmp_path / "dist").exists()


def test_the_library_must_be_the_one_that_the_package_speaks_of(
    minimal: Project, stem: str, assembly: Path, tmp_path: Path
) -> None:
    artifacts = put_artifacts(tmp_path / "artifacts", stem, ("linux-x64",))
    directory = artifacts / "linux-x64"
    arguments = ("--artifacts", artifacts, *LINUX, "--assembly", assembly,
                 "--output_dir", tmp_path / "dist")  # fmt: skip
    manifest = directory / f"lib{stem}.so.manifest.json"
    manifest.write_text(json.dumps({**minimal.manifest, "ep": "OtherExecutionProvider"}))
    assert "has OtherExecutionProvider, not" in pack(minimal.root, *arguments).stderr
    manifest.write_text(json.dumps({**minimal.manifest, "version": "9.9.9"}))
    older = pack(minimal.root, *arguments)
    assert older.returncode == 0
    assert "says that it is version 9.9.9" in older.stdout
    (directory / "second").mkdir()
    shutil.copy(directory / f"lib{stem}.so", directory / "second")
    assert "is 2 times below" in pack(minimal.root, *arguments).stderr


def test_an_assembly_must_be_one(minimal: Project, assembly: Path, tmp_path: Path) -> None:
    library = ("--library", f"linux-x64={minimal.library}", *LINUX)
    dist = ("--output_dir", tmp_path / "dist")
    assembly.write_bytes(pe(0x14C))
    assert "is not an assembly of .NET" in pack(
        minimal.root, *library, "--assembly", assembly, *dist
    ).stderr  # fmt: skip
    other = assembly.with_name("Other.dll")
    assert "there is no assembly" in pack(
        minimal.root, *library, "--assembly", other, *dist
    ).stderr  # fmt: skip
    assert pack(minimal.root, *library, *dist).returncode == 2  # neither --assembly nor --build
    assert not (tmp_path / "dist").exists()


@pytest.mark.skipif(shutil.which("dotnet") is not None, reason="dotnet is installed")
def test_without_dotnet_the_way_out_is_named(minimal: Project, tmp_path: Path) -> None:
    done = pack(minimal.root, "--library", f"linux-x64={minimal.library}", *LINUX, "--build",
                "--output_dir", tmp_path / "dist")  # fmt: skip
    assert done.returncode == 1
    assert "install the .NET SDK, or give --assembly" in done.stderr
    assert not (tmp_path / "dist").exists()


@pytest.fixture
def project(tmp_path: Path, repository: Path) -> Path:
    """A project to edit."""
    scaffold_project(repository / "blueprints/minimal.yaml", tmp_path / "project")
    return tmp_path / "project"


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ("@id@", "Other", "unknown or not used: @id@"),
        ("<tags>", "<tags>@licence@ ", "unknown or not used: @licence@"),
        ("</tags>", "", "mismatched tag"),
        ("nuspec.xsd", "other.xsd", "no <metadata> of the namespace"),
        ("<readme>README.md", "<readme>docs/README.md", "<readme>: docs/README.md is not the name"),
        ("<readme>README.md", "<icon>icon.png</icon><readme>README.md", "icon.png"),
        ("<authors>Contoso", "<authors> ", "<authors> is missing or empty"),
    ],
)
def test_an_edited_nuspec_is_checked(
    before: str, after: str, error: str, project: Path, minimal: Project, assembly: Path
) -> None:
    path = project / "packaging/nuget/package.nuspec"
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
    dist = project / "dist"
    done = pack(project, "--library", f"linux-x64={minimal.library}", *LINUX,
                "--assembly", assembly, "--output_dir", dist)  # fmt: skip
    assert done.returncode == 1
    assert error in done.stderr
    assert not dist.exists()


def test_a_hostile_vendor_stays_text(tmp_path: Path, minimal: Project) -> None:
    blueprint = tmp_path / "blueprint.yaml"
    vendor = 'A&B <b> \\"q\\" @id@ ]]> --> é'
    blueprint.write_text(
        f'epforge: 1\nname: contoso-npu\nvendor: "{vendor}"\nops: [Relu]\n', encoding="utf-8"
    )
    scaffold_project(blueprint, tmp_path / "project")
    assembly = tmp_path / f"{assembly_name(tmp_path / 'project')}.dll"
    assembly.write_bytes(pe(0x14C, managed=True))
    done = pack(tmp_path / "project", "--library", f"linux-x64={minimal.library}", *LINUX,
                "--assembly", assembly, "--output_dir", tmp_path / "dist")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert read(Path(done.stdout.splitlines()[-1])).text("authors") == vendor.replace('\\"', '"')


@pytest.mark.parametrize("text", [SEVERAL, CUSTOM])
def test_the_class_says_what_library_and_python_say(text: str, tmp_path: Path) -> None:
    """Names and the oldest runtime are the same in C#, in Python and in the library's manifest."""
    (tmp_path / "blueprint.yaml").write_text(text)
    project = tmp_path / "project"
    scaffold_project(tmp_path / "blueprint.yaml", project)
    (source,) = (project / "packaging/nuget").glob("*.cs")
    code = source.read_text(encoding="utf-8")
    identity = runpy.run_path(str(next((project / "python").glob("*/_identity.py"))))
    manifest = json.loads((project / "src/gen/manifest.json").read_text(encoding="utf-8"))
    assert re.findall(r'return ("\w+");', code) == [json.dumps(identity["EP_NAME"])]
    names = re.search(r"return new\[\] \{ (.+) \};", code)
    assert names is not None
    assert [json.loads(each) for each in names[1].split(", ")] == list(identity["EP_NAMES"])
    assert identity["EP_NAMES"] == tuple(manifest["eps"])
    minimum = identity["MINIMUM_ONNXRUNTIME"]
    assert minimum == manifest["ort"]["min"]
    assert f'MinimumOnnxRuntime = "{minimum}"' in code
    found = dict(re.findall(r'Find\("(\w+)", ("\w+"|LibraryVariable)\)', code))
    assert found.pop(identity["LIBRARY"]) == "LibraryVariable"
    assert identity["LIBRARY"] == manifest["library"]
    assert f'LibraryVariable = "{identity["LIBRARY_VARIABLE"]}"' in code
    if "CUSTOM_OPS_LIBRARY" in identity:
        variable = json.dumps(identity["CUSTOM_OPS_LIBRARY_VARIABLE"])
        assert found == {identity["CUSTOM_OPS_LIBRARY"]: variable}
    else:
        assert found == {}
