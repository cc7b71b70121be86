"""What epforge says of other people's execution providers.

    python examples/peers/run.py

Installs pinned wheels of plugin EPs, each into a directory of its own, runs `epforge inspect` and
`epforge validate` on each in the onnxruntime that suits it, and writes what came out as Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- measured -->", "<!-- end of what was measured -->"
# What an application is told to look for: said by the package that comes with the library.
HELPER = """
import importlib, json, sys
package = importlib.import_module(sys.argv[1])
names = [package.get_ep_names()] if hasattr(package, "get_ep_names") else []
names += [[package.get_ep_name()]] if hasattr(package, "get_ep_name") else []
keys = ("EP_NAME", "REGISTRATION_NAME")
names += [[getattr(package, key)] for key in keys if hasattr(package, key)]
print(json.dumps(names[0] if names else []))
"""
# ggml calls a debugger each time it aborts, which takes longer than all the rest.
QUIET = {"GGML_NO_BACKTRACE": "1"}
#: Rule of a finding, or check of the ladder -> the trap behind it (see README.md).
TRAPS = {
    "crash-when-old": "D7",
    "silent-when-old": "D10",
    "vague-when-old": "D10",
    "stamp": "D15",
    "name": "D19",
    "names": "D19, D20",
    "version": "D21",
    "any-vendor": "D29",
    "session": "D29",
    "concurrency": "D56",
    "exports": "D73",
    "unload": "D73",
    "options": "D49",
    "zero size": "D55",
    "versions": "D62",
    "compiled models": "D65",
}
_EMPTY = re.compile(
    r"\((\d+,)*0(,\d+)*\)|no rows|no elements|zero size|nothing|no batches|empty|allowzero"
)
_NUMBERS = re.compile(r"is (-?[\d.e+-]+), expected (-?[\d.e+-]+)")


@dataclass(frozen=True)
class Peer:
    """A package with a plugin EP.

    Args:
        wheel: its pinned requirement; empty for a library that is there already.
        package: what is imported.
        library: its plugin, as a pattern of paths in the package's directory.
        runtime: the onnxruntime that suits it; empty for this Python's.
    """

    name: str
    wheel: str
    package: str
    library: str
    runtime: str = ""


PEERS = (
    Peer(
        *("webgpu", "onnxruntime-ep-webgpu==0.4.0", "onnxruntime_ep_webgpu"),
        *("*/libonnxruntime_providers_webgpu.so", "1.32.0"),
    ),
    Peer(
        *("openvino", "onnxruntime-ep-openvino==1.8.1", "onnxruntime_ep_openvino"),
        *("*/libonnxruntime_providers_openvino_plugin.so", "1.32.0"),
    ),
    Peer(
        *("qnn", "onnxruntime-qnn==2.7.0", "onnxruntime_qnn"),
        *("*/libonnxruntime_providers_qnn.so", "1.32.0"),
    ),
    Peer(
        *("ggml", "onnxruntime-ggml==0.2.0", "onnxruntime_ggml"),
        *("*/lib/libonnxruntime_ggml.so", "1.30.0"),  # it asks for less than 1.31
    ),
    Peer(
        *("nxrt", "nxrt-ep-cpu==0.1.0.dev6", "nxrt_ep_cpu"),
        *("*/libonnx_runtime_ep_cpu_plugin.so", "1.32.0"),
    ),
)


@dataclass(frozen=True)
class Row:
    """What was found out about one of them.

    Args:
        missing: why there is nothing.
        helper: the names that its package tells applications to look for.
    """

    peer: Peer
    missing: str = ""
    helper: tuple[str, ...] = ()
    inspection: Mapping[str, Any] = field(default_factory=dict)
    report: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answers(self) -> Mapping[str, Any]:
        return self.inspection.get("answers") or {}

    @property
    def names(self) -> list[str]:
        return [factory["name"] for factory in self.answers.get("factories", ())]

    def checks(self, rung: str) -> list[Mapping[str, Any]]:
        return [check for check in self.report.get("checks", ()) if check["rung"] == rung]


def install(peer: Peer, cache: Path) -> tuple[Path | None, str]:
    """The peer's library, installed once; else None and why not."""
    if not peer.wheel:
        return Path(peer.library), ""
    place = cache / peer.wheel
    if not place.is_dir():
        stage = place.with_name(f".{place.name}")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade"]
        done = subprocess.run(
            [*pip, "--target", str(stage), peer.wheel], capture_output=True, text=True, check=False
        )
        if done.returncode:
            return None, (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        stage.rename(place)
    found = sorted(place.glob(peer.library))
    return (found[0], "") if found else (None, f"no {peer.library} in {peer.wheel}")


def helper_names(peer: Peer, library: Path) -> tuple[str, ...]:
    """The names that the package tells applications to look for; none if it tells none."""
    if not peer.wheel:
        return ()
    root = next(each for each in library.parents if each.name == peer.wheel)
    command = [sys.executable, "-c", HELPER, peer.package]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=False, timeout=60
    )
    return tuple(json.loads(done.stdout)) if done.returncode == 0 else ()


def epforge(*arguments: str) -> Mapping[str, Any]:
    """What a verb prints as JSON."""
    command = [sys.executable, "-m", "epforge", *arguments, "--json"]
    env = {**os.environ, **QUIET}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if not done.stdout:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return dict(json.loads(done.stdout))


def look(peer: Peer, cache: Path, ops: Sequence[str]) -> Row:
    """Everything about one of them."""
    library, why = install(peer, cache)
    if library is None:
        return Row(peer, missing=why)
    runtime = ["--runtime", peer.runtime] if peer.runtime else []
    print(f"{peer.name}: inspect", flush=True)
    inspection = epforge("inspect", str(library), *runtime, "--hardware", "usual")
    print(f"{peer.name}: validate", flush=True)
    only = [word for op in ops for word in ("--op", op)]
    report = epforge("validate", "--library", str(library), *runtime, "--keep-going", *only)
    return Row(peer, "", helper_names(peer, library), inspection, report)


# ---- the table ----


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Facts, one column for each."""
    yield f"| | {' | '.join(row.peer.name for row in rows)} |"
    yield f"| --- |{' --- |' * len(rows)}"
    for title, fact in FACTS:
        cells = ["" if row.missing else cell(fact(row)) for row in rows]
        yield f"| {title} | {' | '.join(cells)} |"


def cell(text: object) -> str:
    """A text that a table's cell can hold."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def _exports(row: Row) -> str:
    exports = row.inspection["file"]["exports"]
    unique = f", {exports['unique']} of unique linkage" if exports["unique"] else ""
    return f"{exports['count']}{unique}"


def _asked(row: Row) -> str:
    asked = [each for each in row.answers.get("asked", ()) if each["level"] != 1]
    return ", ".join(dict.fromkeys(str(each["level"]) for each in asked))


def _older(row: Row) -> str:
    older = row.answers["older"]
    if older["outcome"] == "refused":
        return "says so, with versions" if _rule(row, "vague-when-old") is None else "says so"
    return older["detail"] or older["outcome"]


def _rule(row: Row, rule: str) -> str | None:
    found = [each["text"] for each in row.inspection["findings"] if each["rule"] == rule]
    return found[0] if found else None


def _devices(row: Row) -> str:
    devices = Counter(
        f"{each['type']}{' (virtual)' if each['hardware_metadata'].get('is_virtual') else ''}"
        for each in row.answers["devices"]
    )
    return ", ".join(f"{number} {kind}" for kind, number in devices.items()) or "none"


def _made_up(row: Row) -> str:
    taken = [each["hardware"] for each in row.answers["hardware"] if each["eps"]]
    kinds: dict[str, list[str]] = {}
    for each in taken:
        kind, _, rest = each.partition(" ")
        kinds.setdefault(kind, []).append(rest.partition("(")[2].rstrip(")") or rest)
    return "; ".join(f"{kind}: {', '.join(makers)}" for kind, makers in kinds.items()) or "none"


def _callbacks(row: Row, struct: str) -> str:
    for factory in row.answers["factories"]:
        for filled in factory["structs"]:
            if filled["struct"] == struct:
                return f"{len(filled['set'])}, version {filled['stamp']}"
    return "none made"


def _unmapped(row: Row) -> str:
    return {True: "yes", False: "no", None: "unknown"}[row.answers["unmapped"]]


def _rung(row: Row, rung: str) -> str:
    count = Counter(check["outcome"] for check in row.checks(rung))
    return ", ".join(f"{number} {outcome}" for outcome, number in count.items()) or "not climbed"


def _models(row: Row) -> str:
    counts = Counter(row.report["case_counts"])
    del counts["not checked"]
    return ", ".join(f"{number} {outcome}" for outcome, number in counts.items()) or "none"


FACTS = (
    ("package", lambda row: row.peer.wheel or row.peer.library.rpartition("/")[2]),
    ("onnxruntime", lambda row: row.answers["runtime"]),
    ("library", lambda row: f"{row.inspection['file']['size'] / (1 << 20):.1f} MiB"),
    ("exported names", _exports),
    ("oldest system", lambda row: ", ".join(row.inspection["file"]["floors"])),
    ("API asked for", _asked),
    ("on a runtime too old", _older),
    ("EP names", lambda row: ", ".join(row.names)),
    ("names its package tells", lambda row: ", ".join(row.helper) or "none"),
    ("callbacks of the factory", lambda row: _callbacks(row, "OrtEpFactory")),
    ("callbacks of the EP", lambda row: _callbacks(row, "OrtEp")),
    ("devices here", _devices),
    ("made-up devices taken", _made_up),
    ("gone from memory", _unmapped),
    *((f"rung *{name}*", lambda row, name=name: _rung(row, name)) for name in
      ("static", "load", "ops", "graphs", "context", "memory", "threads")),
    ("models", _models),
    ("minutes of `validate`", lambda row: f"{row.report['seconds'] / 60:.1f}"),
)  # fmt: skip


def findings(row: Row) -> Iterator[tuple[str, str]]:
    """(what, text): everything that its users will meet, the same things told once."""
    for finding in row.inspection["findings"]:
        yield finding["rule"], finding["text"]
    if row.helper and not set(row.helper) & set(row.names):
        told = ", ".join(row.helper)
        yield "names", f"its package tells {told}, it is registered as {', '.join(row.names)}"
    elif row.helper and set(row.names) - set(row.helper):
        left = ", ".join(sorted(set(row.names) - set(row.helper)))
        yield "names", f"its package does not tell of {left}"
    _, _, version = row.peer.wheel.partition("==")
    said = {factory["version"] for factory in row.answers.get("factories", ())}
    for other in sorted(each for each in said if version and not each.startswith(version)):
        yield "version", f"the package is {version}, its EP says {other}"
    for check in row.checks("load"):
        if check["outcome"] in BAD and check["name"] not in ("unload", "stderr"):
            yield check["name"], check["detail"]
        elif check["name"] == "options" and "is accepted" in check["detail"]:
            yield "options", check["detail"].partition(";")[0]
    yield from causes(row)
    for check in (*row.checks("memory"), *row.checks("threads")):
        if check["outcome"] in BAD:
            yield f"{check['rung']}, {check['name']}", check["detail"]
    for check in row.checks("context"):
        if check["outcome"] in BAD or "nothing said" in check["detail"]:
            yield "compiled models", check["detail"]


BAD = ("failed", "crashed", "timed out")


def causes(row: Row) -> Iterator[tuple[str, str]]:
    """What fails in rungs `ops` and `graphs`: by kind, with how many operators and an example."""
    kinds: dict[str, dict[str, str]] = {}
    for check in (*row.checks("ops"), *row.checks("graphs")):
        if check["name"].startswith("versions of"):
            kinds.setdefault("versions", {})[check["name"]] = check["detail"]
            continue
        for case in check["cases"]:
            if case["outcome"] in BAD:
                kind = kind_of(case)
                text = f"{case['label']}: {case['outcome']}: {case['detail']}"
                kinds.setdefault(kind, {}).setdefault(check["name"], text)
    for kind, checks in sorted(kinds.items(), key=lambda item: -len(item[1])):
        first, text = next(iter(checks.items()))
        yield kind, f"{len(checks)} of {len(row.checks('ops'))}, {first}: {text[:240]}"


def kind_of(case: Mapping[str, str]) -> str:
    """The kind of a case that is bad."""
    label, detail = case["label"], case["detail"]
    if _EMPTY.search(label):
        return "zero size"
    if case["outcome"] != "failed":
        return case["outcome"]
    numbers = _NUMBERS.search(detail)
    if numbers and "float64" in label:
        got, wanted = map(float, numbers.groups())
        if abs(got - wanted) <= 1e-4 * abs(wanted):
            return "float64 in float32"
    return "wrong numbers" if "expected" in detail else "taken, then refused"


def markdown(rows: Sequence[Row]) -> str:
    """The whole of it."""
    lines = [*table(rows), ""]
    lines += [
        f"{row.peer.name} could not be installed: {row.missing}" for row in rows if row.missing
    ]
    lines += ["| | What | Trap | |", "| --- | --- | --- | --- |"]
    for row in rows:
        for what, text in findings(row) if not row.missing else ():
            trap = TRAPS.get(what, "")
            lines.append(f"| {row.peer.name} | {what} | {trap} | {cell(text)[:420]} |")
    return "\n".join(lines) + "\n"


def write(readme: Path, text: str) -> None:
    """Puts the tables into a document, between its two marks."""
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    readme.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the example. Returns 0 when there is something to show of each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("build/peers"))
    parser.add_argument("--peer", action="append", help="only this one; may be repeated")
    parser.add_argument("--op", action="append", help="only this operator; may be repeated")
    parser.add_argument("--library", action="append", help="NAME=FILE instead of the packages")
    parser.add_argument("--again", action="store_true", help="only write what was found before")
    parser.add_argument("--readme", action="store_true", help="write the tables into README.md")
    given = parser.parse_args(arguments)
    work = given.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    own = [each.partition("=") for each in given.library or ()]
    peers = tuple(Peer(name, "", "", file) for name, _, file in own) or PEERS
    rows = []
    for peer in peers:
        if given.peer and peer.name not in given.peer:
            continue
        kept = work / f"{peer.name}.json"
        if given.again and kept.is_file():
            data = json.loads(kept.read_text(encoding="utf-8"))
            row = Row(peer, "", tuple(data["helper"]), data["inspection"], data["report"])
        else:
            row = look(peer, work / "packages", given.op or ())
            if not row.missing:
                data = {"helper": row.helper, "inspection": row.inspection, "report": row.report}
                kept.write_text(json.dumps(data), encoding="utf-8")
        rows.append(row)
    text = markdown(rows)
    (work / "peers.md").write_text(text, encoding="utf-8")
    if given.readme:
        write(HERE / "README.md", text)
    print(text)
    return 1 if any(row.missing for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
