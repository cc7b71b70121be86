"""What came after the packaged headers, levels 28 to 32, on the runtimes that have it.

Built against headers that are put together here (`appended_headers`); what they declare is proven
by running: with 1.28.0 and 1.32.0, and without those services with 1.24.4 and 1.26.0. What the
Python package does not offer is reached by the C API (`capi`).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import models
import numpy as np
import onnx
import pytest
from appended_headers import appended
from observer import MARKING, observe
from onnx import ModelProto
from projects import Project, built, sdk
from runtimes import SUPPORTED, runtime

from epforge.validate import Runtime, validate

# The C API's side of a process: `plugin`, and `attempt`, which says what came of a call.
CAPI = """
    import json, sys, numpy as np
    from pathlib import Path
    from capi import Library, Ort, OrtError, Plugin
    here, library = Path({here!r}), {library!r}
    ort = Ort()

    def attempt(call):
        try:
            return call()
        except OrtError as error:
            return f"{{error.code}}: {{error}}"
"""


def blueprint(repository: Path, target: int, weightless: str = "none") -> str:
    """`blueprints/compiled.yaml` for another level."""
    text = (repository / "blueprints/compiled.yaml").read_text(encoding="utf-8")
    text = text.replace("paradigm:", f'ort: {{target: "1.{target}"}}\nparadigm:', 1)
    return text.replace("features: {", f"features: {{weightless: {weightless}, ", 1)


def project(repository: Path, target: int, weightless: str = "none") -> Project:
    return built(blueprint(repository, target, weightless), headers=appended(target))


@pytest.fixture(scope="session")
def newest(repository: Path) -> Project:
    """Level 32, with all there is."""
    return project(repository, 32, "all")


@pytest.fixture(scope="session")
def external_only(repository: Path) -> Project:
    """Level 32; weights stay outside only where they are outside already."""
    return project(repository, 32, "external_only")


def weighted(factor: float = 1.0) -> ModelProto:
    """Large weights and small ones; Sin makes two groups of it."""
    random = np.random.default_rng(3)
    large = random.uniform(-0.2, 0.2, (128, 128)) * factor
    return models.model(
        [
            models.node("MatMul", ["X", "W"], ["a"], name="m0"),
            models.node("Relu", ["a"], ["r"], name="r0"),
            models.node("Sin", ["r"], ["s"], name="s0"),
            models.node("Mul", ["s", "K"], ["Y"], name="m1"),
        ],
        [models.value("X", ["N", 128])],
        [models.value("Y", ["N", 128])],
        [
            models.constant("W", large.astype(np.float32)),
            models.constant("K", np.linspace(1, 2, 128, dtype=np.float32)),
        ],
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The model in a file."""
    onnx.save(weighted(), tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


def answers(done: Any) -> dict[str, Any]:
    """What a process has printed in its last line."""
    assert done.returncode == 0, done.stderr[-4000:]
    content: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return content


def capi(of: Project, here: Path, version: str, code: str) -> dict[str, Any]:
    """Runs code on the C API of a release."""
    head = CAPI.format(here=str(here), library=str(of.library))
    return answers(of.run_python(head + code, runtime=runtime(version)))


def python(of: Project, here: Path, version: str, code: str) -> dict[str, Any]:
    """Runs code on the Python package of a release."""
    head = f"""
    import onnx
    from pathlib import Path
    here = Path({str(here)!r})

    def attempt(call):
        try:
            return call()
        except Exception as error:
            return f"{{type(error).__name__}}: {{error}}"
"""
    return answers(of.python(head + code, runtime=runtime(version)))


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# ------------------------------------------------------------- data of compiled models by callback

WRITE = """
    plugin = Plugin(ort, library)
    written = []

    def take(name, data):
        written.append(name)
        (here / "taken").write_bytes(data)

    def refuse(name, data):
        raise ValueError("the vault is full")

    mixed = {"session.disable_cpu_ep_fallback": "0"}
    plugin.compile(here / "model.onnx", here / "callback_ctx.onnx", mixed, write=take)
    plugin.compile(here / "model.onnx", here / "file_ctx.onnx", mixed)
    refused = attempt(
        lambda: plugin.compile(here / "model.onnx", here / "refused_ctx.onnx", mixed, write=refuse))
    plugin.compile(here / "model.onnx", here / "embed_ctx.onnx", mixed, write=refuse, embed=True)
    print(json.dumps({"written": written, "refused": refused, "ep": plugin.ep}))
"""

READ = """
    plugin = Plugin(ort, library)
    taken = (here / "taken").read_bytes()
    x = np.random.default_rng(1).uniform(-1, 1, (3, 128)).astype(np.float32)
    reads = []

    def fail(name):
        raise ValueError("the vault is closed")

    def reading(content):
        def read(name):
            reads.append(name)
            return content
        return read

    def result(model, read, config=None):
        def go():
            settings = {"session.disable_cpu_ep_fallback": "0",
                        "session.disable_model_compile": "1", **(config or {})}
            session = plugin.open(model, plugin.options(settings, read))
            return plugin.run(session, {"X": x}, "Y").tolist()
        return attempt(go)

    model = here / "callback_ctx.onnx"
    out = {"good": result(model, reading(taken)), "reads": list(reads)}
    out["memory"] = result(model.read_bytes(), reading(taken))
    changed = bytearray(taken)
    changed[len(changed) // 2] ^= 1
    wrong = {"empty": b"", "garbage": b"garbage" * 40, "cut": taken[:-1], "changed": bytes(changed)}
    out["nowhere"] = result(model, None)
    # From here on there is a file that would do; nobody may look at it.
    (here / reads[0]).write_bytes(taken)
    out["wrong"] = {name: result(model, reading(content)) for name, content in wrong.items()}
    out["failed"] = result(model, fail)
    out["file"] = result(model, None)
    out["embedded"] = result(here / "embed_ctx.onnx", fail)
    print(json.dumps(out))
"""


def callbacks(of: Project, source: Path, version: str) -> None:
    here = source.parent
    said = capi(of, here, version, WRITE)
    blob = f"callback_ctx.{said['ep'].lower()}.bin"
    assert said["written"] == [blob]  # one call, although there are two groups
    assert "the vault is full" in said["refused"]
    made = {f"{stem}_ctx.onnx" for stem in ("callback", "file", "embed")}
    plain = f"file_ctx.{said['ep'].lower()}.bin"
    assert files(here) == {"model.onnx", "taken", plain, *made}
    assert (here / "taken").read_bytes()[:4] == (here / plain).read_bytes()[:4]

    x = np.random.default_rng(1).uniform(-1, 1, (3, 128)).astype(np.float32)
    (expected,) = models.reference(source, {"X": x})
    out = capi(of, here, version, READ)
    assert out["reads"] == [blob]
    for name in ("good", "memory", "file", "embedded"):
        assert isinstance(out[name], list), (name, out[name])
        np.testing.assert_allclose(out[name], expected, rtol=1e-4, atol=1e-5)
    assert "the vault is closed" in out["failed"]
    assert blob in out["failed"]
    assert blob in out["nowhere"]
    for name, text in out["wrong"].items():
        assert isinstance(text, str), f"{name}: it loads"
        assert blob in text, (name, text)


@pytest.mark.parametrize("version", ["1.28.0", "1.32.0"])
def test_the_application_can_take_and_give_the_data(
    newest: Project, source: Path, version: str
) -> None:
    callbacks(newest, source, version)


@pytest.mark.lab
@pytest.mark.parametrize(
    ("target", "version"), [(28, "1.28.0"), (29, "1.28.0"), (31, "1.28.0"), (31, "1.32.0")]
)
def test_callbacks_work_at_every_level_that_has_them(
    repository: Path, source: Path, target: int, version: str
) -> None:
    weightless = "all" if target >= 29 else "none"
    callbacks(project(repository, target, weightless), source, version)


def test_callbacks_from_python(newest: Project, source: Path) -> None:
    """The package's own functions, with data in several pieces, and a bound on its size."""
    out = python(newest, source.parent, "1.32.0", KEEP + FROM_PYTHON)
    assert isinstance(out["good"], float), out["good"]
    assert out["good"] < 1e-4
    for name in ("bound", "broken"):
        assert isinstance(out[name], str), out
    assert out["files"] == ["model.onnx", "python_ctx.onnx"]


def test_from_memory_to_memory_there_are_no_paths_at_all(newest: Project, source: Path) -> None:
    """Models that share data, and never lie in a file: only names are left, all the same."""
    out = python(newest, source.parent, "1.32.0", KEEP + IN_MEMORY)
    assert out["good"] == [0, 0], out["good"]
    blob = f"model.{newest.ep.lower()}.bin"
    assert out["kept"] == [blob]
    assert "vault" in out["broken"]
    assert out["after"] == [0]
    assert "../up" in out["hostile"]
    assert set(out["asked"]) == {blob}
    assert files(source.parent) == {"model.onnx"}


KEEP = """
    import os
    os.chdir(here)
    kept, asked = {}, []

    def write(name, data):
        half = data.size // 2
        kept[name] = data.read(0, half) + data.read(half)

    def read(name, buffer):
        asked.append(name)
        content = kept[name]
        buffer.allocate(len(content))
        buffer.write(content[:10])
        buffer.write(content[10:], 10)

    def broken(name, buffer):
        raise ValueError("the vault is closed")

    def options(config={}):
        made = ort.SessionOptions()
        made.add_provider_for_devices([device], {})
        for key, value in config.items():
            made.add_session_config_entry(key, value)
        return made

    def compiler(model, config={}, function=write):
        made = ort.ModelCompiler(options(config), model)
        made.set_ep_context_data_write_func(function)
        return made

    def difference(model, function, source, bound=1 << 24):
        made = options()
        made.set_ep_context_data_read_func(function, bound)
        session = ort.InferenceSession(model, made, enable_fallback=0)
        inputs = models.feeds(onnx.load(source) if isinstance(source, str) else source)
        (got,), (wanted,) = session.run(None, inputs), models.reference(source, inputs)
        return float(abs(got - wanted).max())
"""

FROM_PYTHON = """
    compiler(str(here / "model.onnx")).compile_to_file(str(here / "python_ctx.onnx"))
    model, source = str(here / "python_ctx.onnx"), str(here / "model.onnx")
    print(json.dumps({
        "good": attempt(lambda: difference(model, read, source)),
        "bound": attempt(lambda: difference(model, read, source, 100)),
        "broken": attempt(lambda: difference(model, broken, source)),
        "files": sorted(path.name for path in here.iterdir())}))
"""

IN_MEMORY = """
    share = {"ep.share_ep_contexts": "1"}
    stop = {**share, "ep.stop_share_ep_contexts": "1"}
    sources = [models.add_mul_add(), models.clip_gap()]
    one, other = (each.SerializeToString() for each in sources)

    def both():
        made = [compiler(one, share).compile_to_bytes(), compiler(other, stop).compile_to_bytes()]
        return [difference(*each) for each in zip(made, (read, read), sources)]

    out = {"good": attempt(both), "kept": list(kept)}
    compiler(one, share).compile_to_bytes()
    out["broken"] = attempt(compiler(other, stop, broken).compile_to_bytes)
    # The group is gone with that; what comes next is a group of its own.
    alone = compiler(other, stop).compile_to_bytes()
    out["after"] = attempt(lambda: [difference(alone, read, sources[1])])
    hostile = onnx.load_from_string(alone)
    (name,) = (each for each in hostile.graph.node[0].attribute if each.name == "ep_cache_context")
    name.s = b"../up"
    out["hostile"] = attempt(lambda: difference(hostile.SerializeToString(), read, sources[1]))
    print(json.dumps({**out, "asked": asked}))
"""


LOOK = """
    model, taken = here / "callback_ctx.onnx", (here / "taken").read_bytes()

    def fail(name):
        raise ValueError("the vault is closed")

    for name, read in (("good", lambda name: taken), ("wrong", lambda name: taken[:-1]),
                       ("failed", fail), ("file", None)):
        options = plugin.options({"session.disable_cpu_ep_fallback": "0"}, read)
        stretch(name)
        said = attempt(lambda: plugin.open(model, options))
        stretch("between")
        assert isinstance(said, str) == (name in ("wrong", "failed")), said
"""


def test_with_a_callback_no_file_is_opened(newest: Project, source: Path, tmp_path: Path) -> None:
    """As the kernel sees it; the last session, without a callback, shows that it would be seen."""
    here, version = source.parent, "1.32.0"
    blob = f"callback_ctx.{capi(newest, here, version, WRITE)['ep'].lower()}.bin"
    shutil.copy(here / "taken", here / blob)
    script = tmp_path / "look.py"
    head = CAPI.format(here=str(here), library=str(newest.library))
    code = textwrap.dedent(head + "    plugin = Plugin(ort, library)\n" + LOOK)
    script.write_text(MARKING + code, encoding="utf-8")
    environment = newest.environment(runtime(version))
    seen = observe(script, tmp_path / "log", environment=environment, folder=tmp_path)
    opened = {name: str(here / blob) in paths for name, paths in seen.items()}
    assert {name for name, was in opened.items() if was} == {"file"}
    assert {"good", "wrong", "failed"} <= set(opened)


FLAGS = """
    library = Library(ort, library)
    ep = library.make_ep(ort.hardware()[0], ort.api.make("CreateSessionOptions"))
    out = {"factory": library.factory.stamp, "ep": ep.stamp}
    for name in ("GetEpContextDataSupport", "GetWeightlessSupport"):
        out[name] = library.flags(ep, name)
    library.factory.get("ReleaseEp", library.factory.address, ep.address)
    print(json.dumps(out))
"""


@pytest.mark.parametrize("version", ["1.28.0", "1.32.0"])
def test_it_says_what_it_supports(newest: Project, tmp_path: Path, version: str) -> None:
    said = capi(newest, tmp_path, version, FLAGS)
    level = int(version.split(".")[1])
    assert said == {
        "factory": level,
        "ep": level,
        "GetEpContextDataSupport": 3,  # 1: read, 2: write
        "GetWeightlessSupport": 3 if level >= 32 else 2,  # ALL_OR_EXTERNAL_ONLY, ALL
    }


@pytest.mark.lab
@pytest.mark.parametrize("target", [27, 28])
def test_the_runtime_refuses_callbacks_that_nobody_would_call(
    repository: Path, source: Path, target: int
) -> None:
    """So the flags of the tests before matter."""
    headers = None if target == 27 else appended(target)
    older = built(blueprint(repository, target), headers=headers)
    out = capi(
        older,
        source.parent,
        "1.32.0",
        """
    plugin = Plugin(ort, library)
    mixed = {"session.disable_cpu_ep_fallback": "0"}
    plugin.compile(here / "model.onnx", here / "file_ctx.onnx", mixed)
    write = lambda name, data: None
    read = lambda name: b""
    print(json.dumps({
        "write": attempt(lambda: plugin.compile(here / "model.onnx", here / "a_ctx.onnx", mixed,
                                                write=write)),
        "read": attempt(lambda: plugin.open(here / "file_ctx.onnx", plugin.options(mixed, read)))}))
    """,
    )
    for name in ("write", "read"):
        assert f"does not support the registered EPContext data {name} callback" in out[name]


# ------------------------------------------------------------------------- choice among candidates

SELECT = """
    library = Library(ort, library)
    device = ort.hardware()[0]
    info = library.compatibility(library.make_ep(device, ort.api.make("CreateSessionOptions")))
    version = info.split("version=")[1].split(";")[0]
    major, minor, patch = (int(part) for part in version.split("."))
    older = info.replace(f"={version};", f"={major}.{minor}.{patch + 1};")
    never = info.replace(f"={version};", f"={major + 1}.{minor}.{patch};")

    def candidate(*infos, **changes):
        made = {"num_models": str(len(infos))}
        made |= {f"{i}.ep_compatibility_info": text for i, text in enumerate(infos)}
        return {**made, **changes}

    best = candidate(info)
    uncounted = {"0.ep_compatibility_info": info}
    cases = {
        "nothing": [],
        "best": [candidate(older), candidate(never), best, best],
        "order": [candidate("Other;x=1"), candidate(older), candidate(older)],
        "none fits": [candidate(never), candidate("Other;x=1"), candidate("")],
        "worst counts": [candidate(info, older), candidate(info, never), best],
        "malformed": [{}, uncounted, candidate(), candidate(info, num_models="0"),
                      candidate(info, num_models="2"), candidate(info, num_models="x"),
                      candidate(info, num_models="99999999999999999999"),
                      candidate("garbage"), candidate(";" * 100000), candidate(older)],
        "only malformed": [{}, uncounted, candidate(info, num_models="-1")],
    }
    print(json.dumps({name: library.select(device, case) for name, case in cases.items()}))
"""


@pytest.mark.parametrize("version", ["1.28.0", "1.32.0"])
def test_the_best_candidate_is_chosen(newest: Project, source: Path, version: str) -> None:
    """No runtime of these calls it; whoever wants to, calls it like this."""
    assert capi(newest, source.parent, version, SELECT) == {
        "nothing": None,
        "best": 2,
        "order": 1,
        "none fits": None,
        "worst counts": 2,
        "malformed": 9,
        "only malformed": None,
    }


# ------------------------------------------------------------------------------ without the weights

MODE = "ep.enable_weightless_mode"
SWITCH = "ep.enable_weightless"
OLD = "ep.enable_weightless_ep_context_nodes"
TO_FILE = "ep.context_model_external_initializers_file_name"

# Both ways to compile, each request, weights inside the model and outside; and without compiling.
COMPILE = """
    x = np.ones((2, 128), np.float32)

    def compile_model(source, target, config):
        options = ort.SessionOptions()
        options.log_severity_level = 3
        options.add_provider_for_devices([device], {{}})
        for key, value in config.items():
            options.add_session_config_entry(key, value)
        ort.ModelCompiler(options, str(source)).compile_to_file(str(target))

    def run(source, config):
        session = models.session(source, device, config=config, fallback=True)
        return session.run(None, {{"X": x}})[0].tolist()

    out = {{}}
    for name, config in {ways!r}.items():
        for source in (here / "inside.onnx", here / "outside.onnx"):
            stem = f"{{name}}_{{source.stem}}"
            out[stem] = [
                attempt(lambda: models.write(
                    source, device, here / f"{{stem}}_session.onnx", config) and None),
                attempt(lambda: compile_model(source, here / f"{{stem}}_compiler.onnx", config)),
                attempt(lambda: run(source, config)),
            ]
    print(json.dumps(out))
"""

LOAD = """
    x = np.ones((2, 128), np.float32)
    config = {"session.disable_model_compile": "1"}
    print(json.dumps({
        path.name: attempt(lambda: models.session(
            path, device, config=config, fallback=True).run(None, {"X": x})[0].tolist())
        for path in sorted(here.glob("*.onnx")) if path.stem not in ("inside", "outside")}))
"""


def save_sources(here: Path) -> None:
    onnx.save(weighted(), here / "inside.onnx")
    outside = {"save_as_external_data": True, "location": "weights", "size_threshold": 1024}
    onnx.save(weighted(), here / "outside.onnx", **outside)


def output_of(factor: float) -> np.ndarray[Any, Any]:
    (made,) = models.reference(weighted(factor), {"X": np.ones((2, 128), np.float32)})
    return np.asarray(made)


def constants_stay_out(of: Project, here: Path, version: str, ways: dict[str, Any]) -> None:
    """Constants are inputs of EPContext nodes and nowhere else: other constants, other results."""
    save_sources(here)
    out = python(of, here, version, COMPILE.format(ways=ways))
    for name, config in ways.items():
        for stem in (f"{name}_inside", f"{name}_outside"):
            session, compiler, unsaved = out[stem]
            assert session is None, session
            assert compiler is None, compiler
            np.testing.assert_allclose(unsaved, output_of(1), rtol=1e-4, atol=1e-5)
            for kind in ("session", "compiler"):
                check_compiled(here, of.ep, f"{stem}_{kind}", config, version)
    loaded = python(of, here, version, LOAD)
    assert len(loaded) == len(ways) * 2 * 2 * 2
    for name, result in loaded.items():
        assert isinstance(result, list), (name, result)
        factor = 3 if name.endswith("_changed.onnx") else 1
        np.testing.assert_allclose(result, output_of(factor), rtol=1e-4, atol=1e-5)


def check_compiled(here: Path, ep: str, stem: str, config: dict[str, str], version: str) -> None:
    """Looks into a compiled model, and makes one of it that has other weights."""
    made = onnx.load(here / f"{stem}.onnx", load_external_data=False)
    inputs = [list(node.input) for node in models.contexts(made)]
    assert sorted(inputs) == [["X", "W"], ["s", "K"]]
    blob = here / f"{stem}.{ep.lower()}.bin"
    assert blob.stat().st_size < 2000  # K alone has 512 bytes, W 65,536
    constants = {each.name: each for each in made.graph.initializer}
    assert set(constants) == {"W", "K"}
    external = [each.name for each in constants.values() if each.external_data]
    assert sorted(external) == (["K", "W"] if TO_FILE in config else [])
    if version == "1.32.0" and MODE in config:
        properties = {each.key: each.value for each in made.metadata_props}
        assert properties["weightless_mode"] == config[MODE]
    changed = onnx.load(here / f"{stem}.onnx")
    for each in changed.graph.initializer:
        if each.name == "W":
            each.CopyFrom(models.constant("W", onnx.numpy_helper.to_array(each) * np.float32(3)))
    onnx.save(changed, here / f"{stem}_changed.onnx")


WAYS = {
    "mode": {MODE: "2"},
    "switch": {SWITCH: "1"},
    "old": {OLD: "1"},
    "shared": {MODE: "2", TO_FILE: "shared.weights"},
}


def test_no_weights_are_in_what_is_compiled(newest: Project, tmp_path: Path) -> None:
    constants_stay_out(newest, tmp_path, "1.32.0", WAYS)


@pytest.mark.lab
@pytest.mark.parametrize("version", SUPPORTED)
def test_the_oldest_way_works_everywhere(newest: Project, tmp_path: Path, version: str) -> None:
    constants_stay_out(newest, tmp_path, version, {"old": {OLD: "1"}})


@pytest.mark.lab
def test_weights_that_lie_outside_stay_there(external_only: Project, tmp_path: Path) -> None:
    ways = {name: {**way, MODE: "1"} if MODE in way else way for name, way in WAYS.items()}
    constants_stay_out(external_only, tmp_path, "1.32.0", ways)


@pytest.mark.lab
def test_a_library_of_level_29_is_asked_by_newer_runtimes(repository: Path, tmp_path: Path) -> None:
    """It has one key of two, and that one is enough."""
    constants_stay_out(project(repository, 29, "all"), tmp_path, "1.32.0", WAYS)


KEYS = ("weightless_support", "weightless_supported_modes")


def published(of: Project, here: Path, version: str) -> list[str | None]:
    code = "\n    print(json.dumps({'metadata': dict(device.ep_metadata)}))\n"
    metadata = python(of, here, version, code)["metadata"]
    return [metadata.get(key) for key in KEYS]


@pytest.mark.parametrize(
    ("version", "expected"), [("1.28.0", [None, None]), ("1.32.0", ["all", "all_or_external_only"])]
)
def test_the_device_says_which_modes_it_has(
    newest: Project, tmp_path: Path, version: str, expected: list[str | None]
) -> None:
    assert published(newest, tmp_path, version) == expected


@pytest.mark.lab
def test_other_devices_say_other_things(
    repository: Path, external_only: Project, tmp_path: Path
) -> None:
    assert published(external_only, tmp_path, "1.32.0") == ["external_only", "external_only"]
    older = project(repository, 29, "all")
    assert published(older, tmp_path, "1.32.0") == ["all", None]
    assert published(project(repository, 32), tmp_path, "1.32.0") == [None, None]


# What the functions of the C API ask for, by number; and what is in the folder afterwards.
ASK = """
    plugin = Plugin(ort, library)
    mixed = {"session.disable_cpu_ep_fallback": "0"}

    def ask(name, number):
        stem = f"{name}{number}"
        return attempt(lambda: plugin.compile(
            here / "model.onnx", here / f"{stem}_ctx.onnx", mixed, also=[(name, number)]))

    out = {f"{name} {number}": ask(name, number) for name, number in (
        ("SetWeightlessMode", 0), ("SetWeightlessMode", 1), ("SetWeightlessMode", 2),
        ("SetWeightlessMode", 3), ("SetWeightlessEnabled", 0), ("SetWeightlessEnabled", 1))}
    old = {"ep.enable_weightless_ep_context_nodes": "1", **mixed}
    out["old"] = attempt(
        lambda: plugin.compile(here / "model.onnx", here / "old_ctx.onnx", old))
    print(json.dumps(out))
"""
EP_FAIL, INVALID, NOT_IMPLEMENTED = "11: ", "2: ", "9: "


def asked(of: Project, source: Path, refused: dict[str, str]) -> None:
    """Each request is met, or refused with the code given; the refused leave nothing."""
    out = capi(of, source.parent, "1.32.0", ASK)
    made = {each.removesuffix("_ctx.onnx") for each in files(source.parent) if "_ctx.onnx" in each}
    for request, said in out.items():
        stem = request.replace(" ", "")
        if request in refused:
            assert said.startswith(refused[request]), (request, said)
            assert not any(name.startswith(f"{stem}_") for name in files(source.parent))
            continue
        assert said is None, (request, said)
        assert stem in made
        nodes = models.contexts(source.parent / f"{stem}_ctx.onnx")
        inputs = sorted(name for each in nodes for name in each.input)
        assert inputs == (["X", "s"] if request.endswith("0") else ["K", "W", "X", "s"])


def test_requests_are_met_or_refused(newest: Project, source: Path) -> None:
    asked(newest, source, {"SetWeightlessMode 3": INVALID})


@pytest.mark.lab
def test_less_able_libraries_refuse_more(
    repository: Path, external_only: Project, source: Path
) -> None:
    refused = {"SetWeightlessMode 2": EP_FAIL, "SetWeightlessMode 3": INVALID}
    asked(external_only, source, refused)
    for path in source.parent.glob("*_ctx.*"):
        path.unlink()
    refused |= {
        "SetWeightlessMode 1": EP_FAIL,
        "SetWeightlessEnabled 1": NOT_IMPLEMENTED,
        "old": NOT_IMPLEMENTED,
    }
    asked(project(repository, 32), source, refused)


# ---------------------------------------------------------------------- older runtimes, other facts


def climbs(of: Project, version: str) -> None:
    report = validate(of.library, runtimes=[Runtime(version, runtime(version))])
    assert report.passed, report.summary
    assert {check.rung.value for check in report.checks} >= {"static", "load", "ops"}


@pytest.mark.lab
def test_a_runtime_that_is_older_by_eight_levels_runs_it(newest: Project) -> None:
    climbs(newest, SUPPORTED[0])


@pytest.mark.lab
@pytest.mark.parametrize("version", SUPPORTED[1:])
def test_every_other_runtime_runs_it(newest: Project, version: str) -> None:
    climbs(newest, version)


def compatibility_test(of: Project, headers: Path, tmp_path: Path) -> None:
    """Links the generated test with the objects of the library, and runs it."""
    objects = (of.library.parent / "CMakeFiles/plugin_objects.dir").rglob("*.o")
    folders = (of.root / "src", of.root / "tests/cpp", headers)
    program = tmp_path / "compatibility_test"
    command = ["c++", "-std=c++17", *(f"-I{folder}" for folder in folders), "-o", str(program)]
    command += [str(of.root / "tests/cpp/compatibility_test.cc"), *map(str, objects)]
    subprocess.run(command, check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ", 0 failed" in done.stdout


def test_verdicts_on_hardware_that_is_made_up(newest: Project, tmp_path: Path) -> None:
    compatibility_test(newest, appended(32), tmp_path)


REAL = """
    from ctypes import byref, c_char_p, c_uint32, c_void_p
    plugin, library = Plugin(ort, library, "probe.virtual"), Library(ort, library)
    device = ort.api.get("EpDevice_Device", plugin.device)
    info = library.compatibility(library.make_ep(device, ort.api.make("CreateSessionOptions")))

    def details(hardware):
        ask = "GetHardwareDeviceEpIncompatibilityDetails"
        made = ort.api.make(ask, ort.env, plugin.ep, hardware)
        reasons, notes = c_uint32(), c_char_p()
        ort.api("DeviceEpIncompatibilityDetails_GetReasonsBitmask", made, byref(reasons))
        ort.api("DeviceEpIncompatibilityDetails_GetNotes", made, byref(notes))
        return [reasons.value, (notes.value or b"").decode()]

    def verdict(text):
        answer = c_uint32()
        ort.api("GetModelCompatibilityForEpDevices", (c_void_p * 1)(plugin.device), 1, text,
                byref(answer))
        return answer.value

    print(json.dumps({
        "hardware": {ort.api.get("HardwareDevice_Type", each): details(each)
                     for each in [device, *ort.hardware()]},
        "verdicts": [verdict(text) for text in (info, info + "x", "Other;x=1", "garbage")]}))
"""


@pytest.mark.lab
@pytest.mark.parametrize("version", SUPPORTED)
def test_runtimes_ask_for_verdicts(compiled_virtual: Project, tmp_path: Path, version: str) -> None:
    """The machine has no NPU: its processor does not do, the device that stands in does."""
    out = capi(compiled_virtual, tmp_path, version, REAL)
    cpu, npu = out["hardware"]["0"], out["hardware"]["2"]
    assert npu == [0, ""]
    assert cpu[0] == 2  # the device
    assert "npu (NPU of vendor 0xB357, certain models)" in cpu[1]
    assert out["verdicts"] == [1, 3, 0, 3]  # optimal, unsupported, not applicable, unsupported


TWO_DEVICES = """
epforge: 1
name: contoso-two
vendor: {name: Contoso, pci_id: 0xB357}
paradigm: virtual
version: 1.4.2
ort: {target: "1.32"}
devices:
  - {name: lesser, type: npu, match: {vendor_id: 0xB357, device_ids: [0x1001]}, virtual: allowed}
  - {name: greater, type: npu, match: {vendor_id: 0xB357, device_ids: [0x1002, 0x1003]}}
  - {name: any_gpu, type: gpu, match: {metadata: {Discrete: "1"}}}
memory: {default: plain}
features: {ep_context: {embed: true, external: false}}
ops: [Relu]
"""


@pytest.mark.lab
@pytest.mark.parametrize("kind", ["virtual", "two devices"])
def test_verdicts_for_devices_that_need_not_be_there(
    repository: Path, tmp_path: Path, kind: str
) -> None:
    """What a virtual device compiled fits the real one."""
    if kind == "virtual":
        text = (repository / "blueprints/virtual.yaml").read_text(encoding="utf-8")
        compatibility_test(built(text), sdk().include, tmp_path)
    else:
        compatibility_test(built(TWO_DEVICES, headers=appended(32)), appended(32), tmp_path)
