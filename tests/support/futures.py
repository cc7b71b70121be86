"""Two sets of templates that stand in for those of later releases.

They change lines at the top, in the middle and at the end of shared files, rename some, drop one,
split one, and move a file that is its owner's. The rest is today's; the real renderer renders them.
"""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from epforge.assets import assets_dir
from epforge.plan.make import collect
from epforge.plan.model import FileSpec, Owner, Plan
from epforge.render import render
from epforge.workspace import File
from epforge.workspace import Owner as FileOwner

_BANNER = "<%= banner %>\n"
_SOURCES = "cmake/gen/sources.cmake"


@dataclass(frozen=True)
class Future:
    """How a set of templates differs from today's.

    Args:
        name: what it is called.
        lines: template, text in it, text instead.
        moved: paths of the project that are others now, and said to be so in `File.was`.
        renamed: likewise, but nobody says so.
        dropped: files that are not part of the project any more.
        added: new shared files: path and template.
    """

    name: str
    lines: tuple[tuple[str, str, str], ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    added: Mapping[str, str] = field(default_factory=dict)

    def new_path(self, path: str) -> str:
        """Where the file that is at ``path`` today lies then."""
        return {**self.moved, **self.renamed}.get(path, path)

    def files(self, plan: Plan, style: str | None = None) -> tuple[File, ...]:
        """The files of today's ``plan`` as these templates make them, in a style of C++."""
        was = {new: old for old, new in self.moved.items()}
        specs = [self._spec(spec) for spec in plan.files if spec.path not in self.dropped]
        with tempfile.TemporaryDirectory() as folder:
            root = Path(shutil.copytree(assets_dir("templates"), Path(folder, "templates")))
            for template, old, new in self.lines:
                _replace(root / template, old, new)
            for path, text in self.added.items():
                (root / f"added/{path}").parent.mkdir(parents=True, exist_ok=True)
                (root / f"added/{path}").write_text(_BANNER + text, encoding="utf-8")
                specs.append(FileSpec(path, f"added/{path}", Owner.SHARED, {}, "new"))
            rendered = render(collect(specs), templates=root, style=style)
        return tuple(
            File(
                file.path,
                file.content,
                FileOwner(file.owner.value),
                file.executable,
                file.template,
                was=(was[file.path],) if file.path in was else (),
            )
            for file in rendered.values()
        )

    def _spec(self, spec: FileSpec) -> FileSpec:
        if spec.path == _SOURCES:
            sources = spec.params["sources"]
            assert isinstance(sources, list | tuple)
            params = {**spec.params, "sources": [self.new_path(source) for source in sources]}
            return dataclasses.replace(spec, params=params)
        return dataclasses.replace(spec, path=self.new_path(spec.path))


def _replace(template: Path, old: str, new: str) -> None:
    text = template.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{template} has {text.count(old)} times: {old}"
    template.write_text(text.replace(old, new), encoding="utf-8")


_CMAKE = "plugin/CMakeLists.txt"
_README = "plugin/README.md"
_CI = "plugin/.github/workflows/ci.yml"
_LINUX = "runs-on: ubuntu-24.04\n    timeout-minutes: {}"
_TESTS = "if: matrix.preset == 'release'\n        run: python -m pytest"
_PYPROJECT = "plugin/pyproject.toml"
_SAMPLE = "plugin/samples/cpp/CMakeLists.txt"

#: Lines here and there; a shared file and one of the owner's have other names.
NEXT = Future(
    name="next",
    lines=(
        (_CMAKE, "(VERSION 3.22)", "(VERSION 3.25)"),
        (_CMAKE, "set(CMAKE_CXX_EXTENSIONS OFF)", "set(CMAKE_CXX_EXTENSIONS FALSE)"),
        (_CMAKE, "  add_subdirectory(tests/cpp)\n", "  add_subdirectory(tests/cpp cpp_tests)\n"),
        (_README, 'pip install -e ".[test]"', 'pip install --editable ".[test]"'),
        (_README, "is regenerated, *shared* ones", "is regenerated, the *shared* ones"),
        (_README, "ONNX Runtime registers each name once", "a name is registered once"),
        (_CI, _LINUX.format(30), _LINUX.format(45)),
        (_CI, f"{_TESTS}\n", f"{_TESTS} --durations=5\n"),
        (_PYPROJECT, "scikit-build-core>=1.0", "scikit-build-core>=1.1"),
        (_PYPROJECT, "[tool.ruff]\nline-length = 100", "[tool.ruff]\nline-length = 110"),
        ("plugin/CMakePresets.json", '"What is shipped"', '"What is packaged and shipped"'),
        ("plugin/dot.gitattributes", "*.png binary\n", "*.png binary\n*.onnx binary\n"),
        ("plugin/dot.gitignore", ".venv/\n", ".venv/\n/.cache/\n"),
        (_SAMPLE, "-Wshadow -Wconversion)", "-Wshadow -Wconversion -Wundef)"),
        ("plugin/samples/cpp/README.md", "It needs a C++17 compiler, CMake", "It wants CMake"),
        ("plugin/cmake/gen/warnings.cmake", "that the code is clean of", "that it is clean of"),
    ),
    moved={
        "samples/cpp/README.md": "samples/cpp/USING.md",
        "src/device/host_runtime.cc": "src/device/simulated_runtime.cc",
    },
)

#: A section has become a file of its own, a workflow has another name, two files are gone.
LATER = Future(
    name="later",
    lines=(
        (_CMAKE, "the tests link the same objects", "and what the tests link"),
        (
            _README,
            "| Text | Cause and cure |\n| --- | --- |\n"
            "| `needs ONNX Runtime <%= ort_minimum %> or a newer 1.x; this is ...` | "
            "The onnxruntime in use is too old for this library: install a newer one. |\n",
            "`docs/troubleshooting.md` has them all; the most frequent:\n\n"
            "| Text | Cause and cure |\n| --- | --- |\n",
        ),
        (_CI, _LINUX.format(30), _LINUX.format(20)),
        ("kernels/stub.cc", "Write InferShapes and Compute, then", "First write both, then"),
        ("plugin/cmake/gen/warnings.cmake", "The warnings that", "All the warnings that"),
    ),
    renamed={".github/workflows/ci.yml": ".github/workflows/test.yml"},
    dropped=frozenset({".gitattributes", "samples/cpp/README.md"}),
    added={
        "docs/troubleshooting.md": "# Troubleshooting\n\n| Text | Cause and cure |\n| --- | --- |\n"
        "| `needs a newer ONNX Runtime` | The onnxruntime in use is too old: install another. |\n",
        "docs/upgrading.md": "# Upgrading\n\nRun `epforge upgrade --ort 1.N`.\n",
    },
)

FUTURES = (NEXT, LATER)
