"""Spoilt compiled data, read by a project's own code under sanitizers, and how much of that ran.

The program is blob_fuzz.cc; what is read and run is the part of a generated project that knows
nothing of ONNX Runtime. The files of `MEASURED` count their lines.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from compiled import SANITIZERS, WARNINGS, link
from compilers import needed
from kernel_project import CHECKED_TYPES, make_op
from kernel_runner import own_source
from locking import locked

from epforge.blueprint import parse
from epforge.cache import cache_dir
from epforge.ops import families
from epforge.resolve import resolve_supported
from epforge.verbs.change.project import expand

#: What reads compiled data, in src/gen/graph.
MEASURED = (
    *("blob.cc", "bytes.h", "checksum.cc", "graph_node.cc", "program.cc", "program_check.cc"),
    *("program_codec.cc", "program_plan.cc", "program_run.cc", "signature.cc"),
)
#: Enough for the two real models, and for what the program itself makes.
OPS = (
    *("Add", "And", "BatchNormalization", "Cast", "Clip", "Concat", "ConstantOfShape", "Conv"),
    *("Div", "Dropout", "Expand", "Gather", "Gemm", "GlobalAveragePool", "Greater", "HardSigmoid"),
    *("Identity", "MatMul", "MaxPool", "Mul", "Not", "ReduceSum", "Relu", "Reshape", "Shape"),
    *("Slice", "Softmax", "Split", "Transpose", "Unsqueeze", "Where"),
)
ALL_OPS = tuple(row.op for row in families.rows() if not row.domain)

_BLUEPRINT = """
epforge: 1
name: acme-npu
vendor: Acme
paradigm: virtual
devices:
  - name: npu
    type: npu
    match: {vendor_id: 0xB357, device_ids: [0x1001]}
    virtual: allowed
features: {ep_context: {embed: true, external: true, share: true}}
ops: [Relu]
"""
_DEVICE_MEMORY = "memory: {default: plain}\n"
_NAMESPACE = "acme_npu"
_PARTS = (
    *("src/gen/api/", "src/gen/graph/", "src/gen/kernels/", "src/gen/kernel_table", "src/graph/"),
    "src/device/runtime.h",
)
_SOURCES = ("blob_bases.h", "blob_mutate.h", "blob_bases.cc", "blob_fuzz.cc", "blob_mutate.cc")
_FLAGS = (*SANITIZERS, "-g1")
#: What cannot be allocated is a null pointer, not the end of the program.
_ASAN = "allocator_may_return_null=1:max_allocation_size_mb=2048:detect_leaks=1"


@dataclass(frozen=True)
class Line:
    """What came of one copy."""

    number: str  # or "base"
    base: str
    sealed: bool
    outcome: str  # decode, restore, run or ran
    message: str


@dataclass(frozen=True)
class Report:
    """What came of all of them."""

    bases: list[Line]
    lines: list[Line]
    memory: tuple[int, float]  # that reading took at most: bytes, and bytes per byte

    def counts(self) -> Counter[tuple[str, str]]:
        """How many copies, sealed and open, ended where."""
        return Counter(("sealed" if line.sealed else "open", line.outcome) for line in self.lines)


@dataclass(frozen=True)
class Fuzzer:
    """The program, and the notes of its compiler about the lines of what is measured."""

    program: Path
    notes: Path

    def judge(self, corpus: Path, seed: int, first: int, count: int, counters: Path) -> Report:
        """Has ``count`` copies read, and adds to the counts of lines in ``counters``.

        Raises:
            AssertionError: not every copy ended with a status; with what the sanitizers said.
        """
        arguments = [str(corpus), str(seed), str(first), str(count)]
        done = subprocess.run(
            [self.program, *arguments],
            capture_output=True,
            text=True,
            timeout=1800,
            check=False,
            env={**os.environ, "ASAN_OPTIONS": _ASAN, "GCOV_PREFIX": str(counters)},
        )
        text = done.stdout.splitlines()
        what = f"blob_fuzz {' '.join(arguments)}: {done.returncode}, after '{(text or [''])[-1]}'"
        assert done.returncode == 0, f"{what}\n{done.stderr[:6000]}"
        lines = [_parse(line) for line in text[:-1]]
        _, total, each = text[-1].split()
        bases = [line for line in lines if line.number == "base"]
        return Report(bases, lines[len(bases) :], (int(total), float(each)))

    def write(self, corpus: Path, seed: int, count: int, folder: Path) -> None:
        """Writes the copies 0, 1, ... into ``folder``, as NUMBER.BASE.bin."""
        command = [self.program, corpus, str(seed), "0", str(count), folder]
        subprocess.run(command, check=True, env={**os.environ, "ASAN_OPTIONS": _ASAN})

    def coverage(self, counters: Path) -> dict[str, float]:
        """The share of lines, in percent, that have run, of each of `MEASURED`."""
        folder = counters / self.notes.relative_to("/")
        hits: dict[str, dict[int, bool]] = {name: {} for name in MEASURED}
        for note in self.notes.glob("*.gcno"):
            shutil.copy(note, folder)
            command = ["gcov", "--json-format", "--stdout", note.with_suffix(".gcda").name]
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True)
            for file in json.loads(done.stdout)["files"]:
                lines = hits.get(Path(file["file"]).name, {})
                for line in file["lines"]:
                    number = line["line_number"]
                    lines[number] = lines.get(number, False) or line["count"] > 0
        return {name: 100 * sum(lines.values()) / len(lines) for name, lines in hits.items()}


def _parse(text: str) -> Line:
    if text.startswith("base "):
        number, base, outcome, message = f"{text} ".split(" ", 3)
        return Line(number, base, False, outcome, message.strip())
    number, base, state, outcome, message = f"{text} ".split(" ", 4)
    return Line(number, base, state == "sealed", outcome, message.strip())


def build(project: Path, ops: Iterable[str] = OPS, *, device_memory: bool = False) -> Fuzzer:
    """Builds the program in ``project``, an empty folder, with kernels for ``ops``."""
    compiler = needed("g++")  # whose notes gcov reads
    needed("gcov")
    text = _BLUEPRINT + (_DEVICE_MEMORY if device_memory else "")
    measured = _write(project, ops, text)
    notes = _measure(project, measured, compiler)
    own = [own_source(project, _NAMESPACE, Path(__file__).with_name(name)) for name in _SOURCES]
    sources = [source for source in own if source.suffix == ".cc"]
    objects = sorted(str(path) for path in notes.glob("*.o"))
    return Fuzzer(
        link(project, sources, compiler, ["-O1", *_FLAGS], ["--coverage", *objects]), notes
    )


def _write(project: Path, ops: Iterable[str], text: str) -> Path:
    """Writes the sources; returns the folder of those that are measured, apart from the others."""
    made = [
        dataclasses.replace(make_op(op, CHECKED_TYPES), compiled=True, registered=False)
        for op in ops
    ]
    blueprint = dataclasses.replace(
        resolve_supported(parse(text, "blueprint.yaml")),
        ops=tuple(sorted(made, key=lambda op: (op.domain, op.op))),
    )
    measured = project / "measured"
    measured.mkdir(parents=True)
    (project / "tests/cpp").mkdir(parents=True)
    for file in expand(blueprint).files:
        if not file.path.startswith(_PARTS):
            continue
        path = project / file.path
        if path.parent.name in ("api", "graph") and path.name in MEASURED and path.suffix == ".cc":
            path = measured / path.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    return measured


def _measure(project: Path, measured: Path, compiler: str) -> Path:
    """Compiles what is measured, once for each state that it is in; returns where it is kept."""
    command = [compiler, "-std=c++17", *WARNINGS, "-O0", *_FLAGS, "--coverage", "-Isrc"]
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    digest = hashlib.sha256(repr((command, version)).encode())
    sources = sorted(measured.glob("*.cc"))
    parts = ("src/gen/api", "src/gen/graph")
    for path in [*sources, *(p for part in parts for p in sorted((project / part).glob("*.h")))]:
        digest.update(path.read_bytes())
    kept = cache_dir("tests", "measured") / digest.hexdigest()[:24]
    done = kept / "done"  # not moved here when complete: the objects know where they lie
    with locked(kept):
        if not done.is_file():
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir()
            for source in sources:
                target = kept / source.with_suffix(".o").name
                call = [*command, "-c", str(source), "-o", str(target)]
                made = subprocess.run(
                    call, capture_output=True, text=True, cwd=project, check=False
                )
                assert made.returncode == 0, made.stderr[:4000]
            done.touch()
    return kept
