"""Public bug reports as tests, part four: compiled models as they are written.

The numbers are those of the reports that the project keeps; each test says what went wrong there.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import models
import onnx
import pytest
from compilers import needed
from compiling_projects import FAIL, LOG, SINGLE, watched
from fresh import complaints, every_runtime, ok
from observer import MARKING, read
from projects import Project
from runtimes import SUPPORTED, runtime


@pytest.fixture(scope="module")
def single(project_of: Callable[..., Project]) -> Project:
    return project_of(SINGLE)


@pytest.fixture(scope="module", name="watched")
def watched_project() -> Project:
    return watched()


def epforge(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "epforge", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )


# What most tests need in the process.
FILES = """
import onnx
from outputs import NOTHING_COMPILED, blobs, error_of, same, save, state
"""


@every_runtime
def test_fr_39_weights_come_from_the_runtime_and_not_from_files(
    compiled: Project, version: str | None, tmp_path: Path
) -> None:
    """The file with the weights was looked for in the folder of the cache."""
    ok(
        compiled,
        FILES
        + """
import os
from onnx.external_data_helper import convert_model_to_external_data
made = models.layers()
stored = models.layers()
(folder / "m/w").mkdir(parents=True)
(folder / "c").mkdir()
convert_model_to_external_data(stored, location="w/weights.bin", size_threshold=0)
save(stored, folder / "m/model.onnx")
assert (folder / "m/w/weights.bin").is_file()
os.chdir("/")

same(models.session(folder / "m/model.onnx", device), made)
same(models.write(folder / "m/model.onnx", device, folder / "c/path_ctx.onnx"), made)

beside = {"session.model_external_initializers_file_folder_path": str(folder / "m")}
source = (folder / "m/model.onnx").read_bytes()
same(models.session(source, device, config=beside), made)
same(models.write(source, device, folder / "c/bytes_ctx.onnx", beside), made)

# Neither file nor folder: the weights are in memory alone.
(folder / "m").rename(folder / "gone")
weights = (folder / "gone/w/weights.bin").read_bytes()
def in_memory(settings):
    settings.add_external_initializers_from_files_in_memory(
        ["w/weights.bin"], [weights], [len(weights)]
    )
same(models.session(source, device, adjust=in_memory), made)

for name in ("path_ctx.onnx", "bytes_ctx.onnx"):
    same(models.session(folder / "c" / name, device, config=NOTHING_COMPILED), made)
""",
        version,
        folder=tmp_path,
    )


@every_runtime
def test_fr_58_compiled_nodes_that_feed_each_other_have_types(
    single: Project, version: str | None, tmp_path: Path
) -> None:
    """Between two of them the types were missing, and the compiled model was no model."""
    ok(
        single,
        FILES
        + """
made = models.add_mul_add()
source = save(made, folder / "model.onnx")
models.write(source, device, folder / "external_ctx.onnx")
models.write(source, device, folder / "embedded_ctx.onnx", embed=True)
for name in ("external_ctx.onnx", "embedded_ctx.onnx"):
    packed = onnx.load(folder / name)
    assert [node.op_type for node in packed.graph.node] == ["EPContext"] * 3
    onnx.checker.check_model(packed)
    inferred = onnx.shape_inference.infer_shapes(packed, check_type=True, strict_mode=True)
    types = {each.name: each.type.tensor_type for each in packed.graph.value_info}
    between = {"t", "u"}
    read = {name for node in packed.graph.node for name in node.input}
    written = {name for node in packed.graph.node for name in node.output}
    assert between <= read & written and between <= set(types), (read, written, set(types))
    for each in between:
        assert types[each].elem_type == onnx.TensorProto.FLOAT
        assert [dim.dim_value for dim in types[each].shape.dim] == [3, 2], types[each]
    assert [each.name for each in inferred.graph.output] == ["Y"]
    same(models.session(folder / name, device, config=NOTHING_COMPILED), made)
""",
        version,
        folder=tmp_path,
    )


@every_runtime
@pytest.mark.parametrize("embed", [False, True], ids=["external", "embedded"])
def test_fr_59_a_bad_output_is_an_error_before_anything_is_compiled(
    watched: Project, version: str | None, embed: bool, tmp_path: Path
) -> None:
    """That the output was a folder, or there already, was noticed when the data was written."""
    log = tmp_path / "log"
    ok(
        watched,
        FILES
        + f"import os\nos.environ[{LOG!r}] = str(log)\n"
        + """
made = models.layers()
source = save(made, folder / "m/layers.onnx")
output = folder / "c/layers_ctx.onnx"
output.parent.mkdir()

def by_session():
    models.write(source, device, output, embed=embed)

def by_compiler(flags=ort.OrtCompileApiFlags.NONE):
    settings = ort.SessionOptions()
    settings.log_severity_level = 4
    settings.add_provider_for_devices([device], {})
    compiler = ort.ModelCompiler(
        settings, str(source), embed_compiled_data_into_model=embed, flags=flags
    )
    compiler.compile_to_file(str(output))

def keep():
    by_compiler(ort.OrtCompileApiFlags.ERROR_IF_OUTPUT_FILE_EXISTS)

def refused(call, named):
    before = state(folder)
    text = error_of(call)
    assert str(named) in text, text
    assert state(folder) == before, state(folder)
    assert embed or not log.exists(), log.read_text()

output.mkdir()
for call in (by_session, by_compiler, keep):
    refused(call, output)
(output / "file").write_text("in the folder")
for call in (by_session, by_compiler, keep):
    refused(call, output)
(output / "file").unlink()
output.rmdir()

output.write_bytes(b"something else")
for call in (by_session, keep):
    refused(call, output)
output.unlink()

by_session()
log.unlink()
data = output.parent / f"layers_ctx.{ep.lower()}.bin"
assert data.is_file() != embed
if not embed:  # nobody has asked to replace the data
    output.unlink()
    for content in (data.read_bytes(), b"", b"something else"):
        data.write_bytes(content)
        for call in (by_session, by_compiler, keep):
            refused(call, data)
    data.unlink()
    data.symlink_to(folder / "nowhere")  # a link is something, too
    for call in (by_session, by_compiler, keep):
        refused(call, data)
    assert not (folder / "nowhere").exists()
    data.unlink()
    by_compiler()
same(models.session(output, device, config=NOTHING_COMPILED), made)
""",
        version,
        folder=tmp_path / "models",
        log=log,
        embed=embed,
    )


@every_runtime
def test_fr_59_after_a_failure_there_is_no_file(
    watched: Project, version: str | None, tmp_path: Path
) -> None:
    """The second group of a graph could not be compiled, and half of a file was left behind."""
    ok(
        watched,
        FILES
        + f"fail = {FAIL!r}\n"
        + """
import os
made = models.chain()
source, output = save(made, folder / "chain.onnx"), folder / "c/chain_ctx.onnx"
output.parent.mkdir()
before = state(folder)
for broken in ("m1", "m0"):
    for embed in (False, True):
        os.environ[fail] = broken
        text = error_of(models.write, source, device, output, embed=embed)
        assert f"told to fail at {broken}" in text, text
        assert state(folder) == before, state(folder)
        del os.environ[fail]

same(models.write(source, device, output), made)
same(models.session(output, device, config=NOTHING_COMPILED, fallback=True), made)
""",
        version,
        folder=tmp_path,
    )


@pytest.fixture(scope="module")
def on_disk(compiled: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with models in it: chain, sin and layers."""
    folder = tmp_path_factory.mktemp("models")
    ok(
        compiled,
        FILES
        + """
for name in ("chain", "sin_only", "layers"):
    save(getattr(models, name)(), folder / f"{name}.onnx")
""",
        folder=folder,
    )
    return folder


Command = Callable[[Sequence[str | Path]], "subprocess.CompletedProcess[str]"]


@pytest.fixture(params=["epforge", "package"])
def command(compiled: Project, request: pytest.FixtureRequest) -> Command:
    """The compile command: of epforge, and of the project's own package."""

    def of_epforge(arguments: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
        return epforge("compile", compiled.root, *arguments)

    def of_package(arguments: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", compiled.package, "compile", *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            env=compiled.environment(),
        )

    return of_epforge if request.param == "epforge" else of_package


def test_fr_60_how_much_was_compiled_is_said(
    command: Command, on_disk: Path, tmp_path: Path
) -> None:
    """A compilation reported success, and had compiled nothing."""
    done = command([on_disk / "chain.onnx", "-o", tmp_path])
    assert done.returncode == 0, done.stderr
    assert "2 nodes compiled into 2 EPContext nodes" in done.stdout
    assert "1 node left to others" in done.stdout
    done = command([on_disk / "layers.onnx", "-o", tmp_path])
    assert done.returncode == 0, done.stderr
    assert "5 nodes compiled into 1 EPContext node," in done.stdout
    assert "0 nodes left to others" in done.stdout


def test_fr_60_nothing_compiled_is_a_failure_unless_it_is_allowed(
    command: Command, on_disk: Path, tmp_path: Path
) -> None:
    done = command([on_disk / "sin_only.onnx", "-o", tmp_path])
    assert done.returncode == 1
    assert "nothing was compiled" in done.stderr
    assert "takes none of its 1 node" in done.stderr
    assert list(tmp_path.iterdir()) == []
    done = command([on_disk / "sin_only.onnx", "-o", tmp_path, "--allow-none"])
    assert done.returncode == 0, done.stderr
    assert "nothing compiled" in done.stdout


def test_fr_60_what_was_compiled_is_not_compiled_again(
    command: Command, on_disk: Path, tmp_path: Path
) -> None:
    assert command([on_disk / "chain.onnx", "-o", tmp_path]).returncode == 0
    before = sorted(path.name for path in tmp_path.iterdir())
    done = command([tmp_path / "chain_ctx.onnx"])
    assert done.returncode == 1
    assert "compiled already" in done.stderr
    assert "2 EPContext nodes" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_fr_60_a_folder_that_cannot_be_written(command: Command, on_disk: Path) -> None:
    """Not even the superuser makes files in /proc."""
    done = command([on_disk / "chain.onnx", "-o", "/proc"])
    assert done.returncode not in (0, 2)
    assert "/proc" in done.stderr
    assert "Traceback" not in done.stderr


def test_fr_60_success_without_a_file_is_a_failure(
    compiled: Project, on_disk: Path, tmp_path: Path
) -> None:
    """The runtime's compiler says that all is well, and has written nothing."""
    ok(
        compiled,
        FILES
        + f"from {compiled.package} import compiling\n"
        + """
class Idle:
    def __init__(self, *arguments, **more):
        pass
    def compile_to_file(self, path):
        pass

ort.ModelCompiler = Idle
text = error_of(compiling.compile_models, [source], [device], output)
assert "no compiled model on the disk" in text, text
assert state(output) == {}
""",
        source=on_disk / "chain.onnx",
        output=tmp_path,
    )


TO_BYTES = """
import os, sys
sys.dont_write_bytecode = True
os.chdir(folder)
made = models.layers()
settings = ort.SessionOptions()
settings.log_severity_level = 4
settings.add_provider_for_devices([device], {})
compiler = ort.ModelCompiler(settings, source, embed_compiled_data_into_model=True)
stretch("compile_file")
from_file = compiler.compile_to_bytes()
stretch("between")
content = made.SerializeToString()
compiler = ort.ModelCompiler(settings, content, embed_compiled_data_into_model=True)
stretch("compile_bytes")
packed = compiler.compile_to_bytes()
stretch("after")
assert len(models.contexts(from_file)) == 1
inputs = models.feeds(made, 3)
wanted = models.reference(made, inputs)
stretch("load")
loaded = models.session(packed, device, config={"session.disable_model_compile": "1"})
result = loaded.run(None, inputs)
stretch("end")
models.close(result, wanted)
(node,) = models.contexts(packed)
assert models.attribute(node, "embed_mode") == 1
"""
_CREATES = re.compile(
    r"O_CREAT|O_TMPFILE|O_WRONLY|O_RDWR"
    r"|\b(?:creat|mkdir|mknod|rename|link|symlink|unlink|rmdir|truncate)\w*\("
)


@every_runtime
def test_fr_62_compiling_to_memory_touches_no_file(
    compiled: Project, version: str | None, tmp_path: Path
) -> None:
    """It looked at paths and made files, which a sandbox does not let it. What is seen of it: every
    call of the kernel that has a path in it."""
    folder, log, source = (tmp_path / name for name in ("read only", "log", "layers.onnx"))
    onnx.save(models.layers(), source)
    folder.mkdir()
    folder.chmod(0o555)
    script = tmp_path / "script.py"
    script.write_text(
        f"""
import numpy as np, onnxruntime as ort, models
import {compiled.package} as plugin
plugin.register()
(device,) = plugin.devices()
folder, source = {str(folder)!r}, {str(source)!r}
"""
        + MARKING
        + TO_BYTES,
        encoding="utf-8",
    )
    done = subprocess.run(
        [
            *(needed("strace"), "-f", "-y", "-qq", "-e", "trace=%file", "-o", str(log)),
            *(sys.executable, "-B", str(script)),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=compiled.environment(runtime(version) if version else None),
    )
    assert done.returncode == 0, done.stderr
    text = log.read_text(encoding="latin-1")
    read_anyway = {source}
    if version in SUPPORTED[:2]:  # these look for an output that was not asked for
        read_anyway.add(source.with_name("layers_ctx.onnx"))
    allowed = {"compile_file": set(map(str, read_anyway)), "compile_bytes": set(), "load": set()}
    for name, known in allowed.items():
        lines = _stretch(text, name)
        assert [line for line in lines if _CREATES.search(line)] == []
        touched = read("\n".join(lines), tmp_path)[""]
        ours = {path for path in touched if path.startswith((str(tmp_path), "."))}
        assert ours <= known
        assert [path for path in touched - known if path.endswith((".onnx", ".bin"))] == []
    assert list(folder.iterdir()) == []


def _stretch(log: str, name: str) -> list[str]:
    """The lines behind a mark, up to the next one."""
    mark = "epforge-stretch/"
    lines = log.splitlines()
    (start,) = (i for i, line in enumerate(lines) if f'{mark}{name}"' in line)
    end = next(i for i, line in enumerate(lines) if i > start and mark in line)
    return lines[start + 1 : end]


SHARING = """
share = {"ep.share_ep_contexts": "1"}
last = {**share, "ep.stop_share_ep_contexts": "1"}
weights = np.random.default_rng(9).standard_normal((4, 4096)).astype(np.float32)

def write(name, made, config, place="c"):
    output = folder / place / f"{name}_ctx.onnx"
    output.parent.mkdir(exist_ok=True)
    return models.write(save(made, folder / "m" / f"{name}.onnx"), device, output, config)

def loads(name, made, place="c", **config):
    path = folder / place / f"{name}_ctx.onnx"
    session = models.session(path, device, config={**NOTHING_COMPILED, **config})
    same(session, made)
    return session

def named(name, place="c"):
    return {
        models.attribute(node, "ep_cache_context").decode()
        for node in models.contexts(folder / place / f"{name}_ctx.onnx")
    }
"""


@every_runtime
@pytest.mark.parametrize("project", ["compiled", "compiled_virtual"])
def test_fr_63_models_that_share_have_one_file(
    project: str, version: str | None, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """There was a file for each session, and models had to be edited by hand."""
    ok(
        request.getfixturevalue(project),
        FILES
        + SHARING
        + """
one, two, three = (models.layers(seed, weights) for seed in (1, 2, 3))
first = write("one", one, share)
assert blobs(folder) == []  # the last one writes it
same(first, one)
second = write("two", two, last)
same(second, two)
data = f"one_ctx.{ep.lower()}.bin"
assert blobs(folder) == [data]
assert named("one") == named("two") == {data}
size = (folder / "c" / data).stat().st_size
assert weights.nbytes < size < 1.5 * weights.nbytes, size
del first, second
loads("one", one)
loads("two", two)
both = loads("one", one, **share), loads("two", two, **share)
same(both[0], one)
same(both[1], two)

# A third one begins anew.
write("three", three, last)
fresh = f"three_ctx.{ep.lower()}.bin"
assert blobs(folder) == sorted([data, fresh])
assert named("three") == {fresh}
loads("three", three)
loads("one", one)
assert (folder / "c" / data).stat().st_size == size
""",
        version,
        folder=tmp_path,
    )


@every_runtime
def test_fr_63_a_group_that_fails_leaves_nothing(
    watched: Project, version: str | None, tmp_path: Path
) -> None:
    """Whether it is the last session that fails, or one before it; neither the next group nor the
    disk has anything of it."""
    ok(
        watched,
        FILES
        + SHARING
        + f"fail = {FAIL!r}\n"
        + """
import os
one, two, three, four = (models.layers(seed, weights) for seed in (1, 2, 3, 4))
for place, broken in (("a", ("one", "two")), ("b", ("one", "two"))):
    kept = write("one", one, share, place)
    os.environ[fail] = "mm0"
    failing = share if place == "b" else last
    assert "told to fail" in error_of(write, "two", two, failing, place)
    del os.environ[fail]
    assert blobs(folder / place) == []
    del kept
    # A new group, in another folder, which a session of the old one could not have joined.
    write("three", three, share, place + "2")
    write("four", four, last, place + "2")
    data = f"three_ctx.{ep.lower()}.bin"
    assert blobs(folder / place) == [] and blobs(folder / (place + "2")) == [data]
    content = (folder / (place + "2") / data).read_bytes()
    assert b"three/" in content and b"four/" in content
    assert b"one/" not in content and b"two/" not in content
    loads("three", three, place + "2")
    loads("four", four, place + "2")

# Where it is the file that cannot be written.
write("one", one, share, "d")
(folder / "d" / f"one_ctx.{ep.lower()}.bin").write_text("in the way")
error_of(write, "two", two, last, "d")
assert (folder / "d" / f"one_ctx.{ep.lower()}.bin").read_text() == "in the way"
write("three", three, last, "e")
loads("three", three, "e")
""",
        version,
        folder=tmp_path,
    )


@every_runtime
@pytest.mark.parametrize("embed", [False, True], ids=["external", "embedded"])
def test_nodes_of_different_models_have_different_names(
    compiled: Project, version: str | None, embed: bool, tmp_path: Path
) -> None:
    """What the prefix is for, where models are to be merged. The runtime accepts no other name for
    a node than the one it gave, so the prefix has no effect; that is said."""
    stderr = ok(
        compiled,
        FILES
        + """
names = []
for name in ("chain", "diamond"):
    made = getattr(models, name)()
    source, output = save(made, folder / f"{name}.onnx"), folder / f"{name}_ctx.onnx"
    settings = {"ep.context_node_name_prefix": "left_"}
    def loud(settings):
        settings.log_severity_level = 2
    config = {
        **settings,
        "ep.context_enable": "1",
        "ep.context_embed_mode": str(int(embed)),
        "ep.context_file_path": str(output),
    }
    same(models.session(source, device, config=config, fallback=True, adjust=loud), made)
    same(models.session(output, device, config=NOTHING_COMPILED, fallback=True), made)
    names += [node.name for node in models.contexts(output)]
assert len(names) == 4 and len(set(names)) == 4 and all(names), names
""",
        version,
        folder=tmp_path,
        embed=embed,
    )
    said = [line for line in complaints(stderr) if "ep.context_node_name_prefix" in line]
    assert len(said) == 2, stderr


@every_runtime
def test_a_compiled_model_is_not_compiled_again(
    compiled: Project, version: str | None, tmp_path: Path
) -> None:
    """It would lose what it was compiled from; the error says what to do instead."""
    ok(
        compiled,
        FILES
        + """
made = models.chain()
source, output = save(made, folder / "chain.onnx"), folder / "chain_ctx.onnx"
models.write(source, device, output)
before = state(folder)
for embed in (False, True):
    text = error_of(models.write, output, device, folder / "again.onnx", embed=embed)
    assert "compiled already" in text and "ep.context_enable" in text, text
    assert state(folder) == before, state(folder)
text = error_of(models.compiled, output, device)
assert "compiled already" in text, text
assert state(folder) == before, state(folder)
""",
        version,
        folder=tmp_path,
    )


@every_runtime
@pytest.mark.parametrize("embed", [False, True], ids=["external", "embedded"])
def test_graphs_of_one_name_in_a_compiled_model(
    watched: Project, version: str | None, embed: bool, tmp_path: Path
) -> None:
    """Branches whose graphs and nodes have the same names, and other data: none gets what is the
    other's. The runtime does not write the constants of inner graphs; that is an error then, and
    no model that does not load."""
    ok(
        watched,
        FILES
        + """
made = models.two_branches(fed=True)
source, output = save(made, folder / "branches.onnx"), folder / "branches_ctx.onnx"
written = models.write(source, device, output, embed=embed)
loaded = models.session(output, device, fallback=True)
for session in (written, loaded):
    for which in (True, False):
        inputs = {**models.feeds(made), "which": np.array(which)}
        models.close(session.run(None, inputs), models.reference(made, inputs))

source = save(models.two_branches(), folder / "constants.onnx")
before = state(folder)
text = error_of(models.write, source, device, folder / "constants_ctx.onnx", embed=embed)
assert "i0" in text and "constant" in text and "input of the model" in text, text
assert state(folder) == before
""",
        version,
        folder=tmp_path,
        embed=embed,
    )
