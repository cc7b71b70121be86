"""The full example of the language: every key read, typed and resolved; nothing ignored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from epforge.assets import assets_dir
from epforge.blueprint import BlueprintErrors, Severity, load, parse
from epforge.names import SemVer
from epforge.ops import families
from epforge.ops.control_flow import CONTROL_FLOW
from epforge.ops.model import DType
from epforge.resolve import (
    analyse,
    resolve,
    resolve_supported,
    resolved_data,
    resolved_yaml,
)
from epforge.resolve.model import (
    Blueprint,
    DeviceType,
    KernelSource,
    MemoryKind,
    OptionType,
    Paradigm,
    Runtime,
    VirtualPolicy,
)
from epforge.resolve.services import (
    Compile,
    CustomAttribute,
    CustomLibrary,
    Features,
    Grad,
    Layout,
    Native,
    Overlay,
    OverlayKind,
    Pattern,
    Torch,
)

FULL = Path(__file__).with_name("resolve_full.yaml")
HEAD = "epforge: 1\nname: contoso-npu\nvendor: Contoso\n"
GPU = "devices: [{name: gpu, type: gpu}]\n"
CUDA = f"{GPU}runtime: cuda\nmemory: {{default: plain}}\n"


@pytest.fixture(scope="module")
def full() -> Blueprint:
    return resolve(load(FULL))


def test_the_project(full: Blueprint) -> None:
    names = full.names
    assert names.name.words == ("contoso", "npu")
    assert names.ep == "ContosoNpuExecutionProvider"
    assert names.library == names.package == "onnxruntime_ep_contoso_npu"
    assert names.distribution == "onnxruntime-ep-contoso-npu"
    assert (names.namespace, names.macro) == ("contoso_npu", "CONTOSO_NPU")
    assert full.version == SemVer(0, 1, 0)
    assert (full.vendor.name, full.vendor.pci_id) == ("Contoso", 0xB357)
    assert (full.license, full.paradigm) == ("Apache-2.0", Paradigm.COMPILED)
    assert (full.ort.minimum, full.ort.target) == ((1, 24, 4), 27)
    assert (full.runtime, full.edition) == (Runtime.HOST, 1)
    assert full.python_min == (3, 11)
    assert full.targets == ("linux-x64", "linux-arm64", "windows-x64", "macos-arm64")
    assert full.text == FULL.read_text()


def test_the_device(full: Blueprint) -> None:
    (device,) = full.devices
    assert (device.name, device.type, device.virtual) == (
        "npu", DeviceType.NPU, VirtualPolicy.ALLOWED,
    )  # fmt: skip
    assert (device.match.vendor_id, device.match.device_ids) == (0xB357, (0x1001,))
    assert device.metadata == {"os_driver_version": "1.0.0.0"}
    assert full.memory.default is MemoryKind.ARENA
    assert full.memory.host_accessible is MemoryKind.PLAIN
    assert full.memory.read_only is MemoryKind.NONE
    assert full.memory.streams


def test_the_operators(full: Blueprint) -> None:
    assert [(op.domain, op.op, op.kernel) for op in full.ops] == [
        ("", "Add", KernelSource.GENERATED),
        ("", "Cast", KernelSource.GENERATED),
        ("", "Mul", KernelSource.GENERATED),
        ("", "Relu", KernelSource.GENERATED),
        ("com.contoso", "MyClip", KernelSource.GENERATED),
        ("com.microsoft", "ComplexMul", KernelSource.YOURS),
    ]
    add, _, _, relu, _, product = full.ops
    assert [version.schema.since for version in add.versions] == [13, 14]
    assert add.versions[0].types == {"T": (DType.FLOAT32, DType.FLOAT16)}
    assert all(version.types == {"T": (DType.FLOAT32,)} for version in relu.versions)
    assert (product.name.snake, product.row) == ("com_microsoft_complex_mul", None)


def test_what_comes_with_later_generators(full: Blueprint) -> None:
    (clip,) = full.custom_ops
    assert (clip.domain, clip.op, clip.grad) == ("com.contoso", "MyClip", Grad.STUB)
    assert [(p.name, p.spelling) for p in clip.inputs] == [("x", "T")]
    assert [(p.name, p.spelling) for p in clip.outputs] == [("y", "T")]
    assert clip.types == {"T": (DType.FLOAT32, DType.FLOAT16)}
    assert clip.attributes == (
        CustomAttribute(clip.attributes[0].name, "float", -1.0),
        CustomAttribute(clip.attributes[1].name, "float", 1.0),
    )
    assert clip.compute is not None
    assert clip.compute["y"].text == "min(max(x, lo), hi)"
    assert full.compile is not None
    pattern = full.compile.patterns[0]
    assert pattern == Pattern(pattern.name, (("", "Mul"), ("", "Add")))
    assert full.compile == Compile(True, 0, (("", "Cast"),), (pattern,))
    assert full.features == Features(
        embed=True, external=True, share=True, custom_op_library=CustomLibrary.CPU
    )
    assert (full.layout, full.native, full.distributions) == (Layout.NCHW, Native.SEPARATE, ("",))
    assert full.torch == Torch(17, 18)
    assert full.overlays == (Overlay(OverlayKind.SOURCE, "./house-style"),)
    assert (full.runtime_libs, full.system_libs) == ((), ())


def test_the_options(full: Blueprint) -> None:
    effort, auto = full.options
    assert (effort.name, effort.type, effort.default) == ("effort", OptionType.INT, 0)
    assert (effort.minimum, effort.maximum, effort.excludes) == (0, 3, ("auto",))
    assert (auto.name, auto.field, auto.default) == ("auto", "auto_", False)


def test_exactly_what_is_not_supported_yet_is_noted() -> None:
    analysis = analyse(load(FULL))
    assert (analysis.errors, analysis.warnings) == ((), ())
    assert [(note.line, note.message) for note in analysis.unsupported] == [
        (23, "not supported yet: float16 in generated kernels"),
    ]
    assert {note.severity for note in analysis.unsupported} == {Severity.NOTE}


def test_generating_stops_at_what_is_not_supported_yet() -> None:
    source = load(FULL)
    with pytest.raises(BlueprintErrors) as caught:
        resolve_supported(source)
    notes = analyse(source).unsupported
    assert caught.value.diagnostics == tuple(
        replace(note, severity=Severity.ERROR) for note in notes
    )
    where = f"{FULL}:23:26: error: not supported yet: float16 in generated kernels"
    assert where in str(caught.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("layout: NHWC\nparadigm: compiled", "layout NHWC with paradigm compiled"),
        (
            f"{GPU}paradigm: compiled\nmemory: {{default: plain, streams: true}}\n"
            "features: {graph_capture: true}",
            "graph capture with paradigm compiled",
        ),
        ("runtime_libs: [libx.so]", None),
        ("system_libs: [libx.so]", None),
        ("python: {distributions: [{suffix: -cu12}]}", None),
        ("targets: [linux-x64, macos-arm64]", None),
        (f"{CUDA}types: [float32, bfloat16]", "bfloat16 in kernels with runtime cuda"),
        (
            f"{CUDA}ops: [{{op: Abs, types: {{T: [float32, float16]}}}}]",
            "float16 in generated kernels (T of Abs)",
        ),
        ("ops: [{op: FFT, kernel: generated}]", None),
        (
            "ops: [{op: TfIdfVectorizer, kernel: generated}]",
            "a generated kernel for TfIdfVectorizer",
        ),
        ("ops: [{op: Add, models: 6}]", "a generated kernel for Add in models of opset 6"),
        ("ops: [If, Loop, Scan]", None),
        ("ops: [{op: If, kernel: yours}]", "operators with subgraphs (If)"),
        ("ops: [SequenceMap]", "operators with subgraphs (SequenceMap)"),
        ("ops: [Loop]\nparadigm: compiled", "Loop with paradigm compiled"),
        ("ops: [SequenceAt]", "operators on seq values (SequenceAt)"),
    ],
)
def test_each_key_of_later_generators_is_noted(text: str, what: str | None) -> None:
    notes = analyse(parse(HEAD + text + "\n")).unsupported
    assert [note.message for note in notes] == ([f"not supported yet: {what}"] if what else [])


@pytest.mark.parametrize(
    "text",
    [
        "paradigm: kernel-registry\nruntime: host\nlayout: NCHW\nruntime_libs: []\noverlays: []",
        "layout: NHWC\nops: [Conv, Transpose]",
        "memory: {default: plain, host_accessible: none, read_only: none, streams: false}",
        GPU + "memory: {default: arena, host_accessible: plain, read_only: arena}",
        GPU + "runtime: stub\nmemory: {default: plain}",
        GPU + "memory: {default: arena, streams: true}",
        "features: {ep_context: {embed: false}, weightless: none, profiler: false}",
        "features: {profiler: true}\noptions: [{name: effort, type: int, dynamic: true}]",
        GPU + "memory: {default: plain}\nfeatures: {resource_accounting: true}",
        GPU + 'memory: {default: plain}\nfeatures: {memory_capacity: true}\nort: {target: "1.32"}',
        GPU + "memory: {default: plain, streams: true}\nfeatures: {graph_capture: true}",
        GPU + "memory: {default: plain, streams: true}\nfeatures: {external_memory: true}",
        GPU + "memory: {default: plain, streams: true}\nfeatures: {graphics_interop: true}",
        'python: {min: "3.12", native: none, distributions: [{suffix: ""}]}\ncustom_ops: []',
        "ops: [{op: Add, kernel: yours, types: {T: [float16]}}]",
        "types: [float32, float16, bfloat16]\nops: [Add, Pow, LayerNormalization, Gather]",
        "ops: [{op: Add, types: {T: [bfloat16]}}]",
        "targets: [macos-arm64, windows-x64, linux-x64, linux-arm64]",
        "paradigm: virtual",
        "paradigm: compiled\ncompile: {max_group: 3, also_kernels: [Cast]}",
        "paradigm: compiled\nfeatures: {ep_context: {share: true}, weightless: all}\n"
        'ort: {target: "1.29"}',
    ],
)
def test_what_is_supported_is_not_noted(text: str) -> None:
    assert analyse(parse(HEAD + text + "\n")).unsupported == ()


def blueprints() -> list[Path]:
    return [FULL, *sorted(assets_dir("blueprints").rglob("*.yaml"))]


@pytest.mark.parametrize("path", blueprints(), ids=lambda path: path.name)
def test_the_resolved_blueprint_is_a_blueprint_with_the_same_meaning(path: Path) -> None:
    once = resolve(load(path))
    text = resolved_yaml(once)
    twice = resolve(parse(text))
    assert replace(twice, text=once.text) == once
    assert resolved_data(twice) == resolved_data(once)


def test_the_resolved_blueprint_shows_every_default() -> None:
    data = resolved_data(resolve(parse(HEAD)))
    assert data["names"]["library"] == "onnxruntime_ep_contoso_npu"
    assert data["ort"] == {"min": "1.24.4", "target": "1.27"}
    assert data["devices"][0]["type"] == "cpu"
    assert data["version"] == "0.1.0"
    assert data["memory"]["default"] == "none"
    assert data["python"]["min"] == "3.11"


@pytest.mark.parametrize("path", blueprints()[1:], ids=lambda path: path.name)
def test_the_shipped_blueprints_are_fine(path: Path) -> None:
    analysis = analyse(load(path))
    assert (analysis.errors, analysis.warnings, analysis.unsupported) == ((), (), ())


def test_the_smallest_blueprint_is_small() -> None:
    path = assets_dir("blueprints") / "minimal.yaml"
    assert len(path.read_text().splitlines()) <= 8


def test_the_virtual_blueprint_has_a_device_memory_of_its_own() -> None:
    blueprint = resolve(load(assets_dir("blueprints") / "virtual-memory.yaml"))
    assert blueprint.memory.on_device
    assert blueprint.devices[0].virtual is VirtualPolicy.ALLOWED
    assert blueprint.devices[0].type is DeviceType.NPU


def test_the_registry_blueprint_can_run_the_text_direction_model() -> None:
    blueprint = resolve(load(assets_dir("blueprints") / "kernel-registry.yaml"))
    generated = {op.op for op in blueprint.ops if op.kernel is KernelSource.GENERATED}
    # The operators of ch_ppocr_mobile_v2.0_cls_infer.onnx, but for Constant, which ORT folds.
    assert generated >= {
        "Add", "BatchNormalization", "Cast", "Clip", "Concat", "Conv", "Div", "GlobalAveragePool",
        "HardSigmoid", "Identity", "MatMul", "MaxPool", "Mul", "Relu", "Reshape", "Shape", "Slice",
        "Softmax",
    }  # fmt: skip


def test_the_model_has_every_word_of_the_language() -> None:
    from epforge.blueprint import words
    from epforge.resolve import services

    pairs = {
        words.PARADIGMS: Paradigm,
        words.RUNTIMES: Runtime,
        words.DEVICE_TYPES: DeviceType,
        words.VIRTUAL: VirtualPolicy,
        words.MEMORY_KINDS: MemoryKind,
        words.OPTION_TYPES: OptionType,
        words.KERNELS: KernelSource,
        words.LAYOUTS: Layout,
        words.WEIGHTLESS: services.Weightless,
        words.NATIVE: Native,
        words.GRADS: Grad,
    }
    for listed, enum in pairs.items():
        assert set(listed) == {member.value for member in enum}
    assert set(words.TYPES) == {dtype.text for dtype in DType}


@pytest.mark.parametrize("name", ["full", "kernel-registry"])
def test_blueprints_of_the_whole_catalogue_have_every_operator_with_a_kernel(name: str) -> None:
    blueprint = resolve(load(assets_dir("blueprints") / f"{name}.yaml"))
    generated = {(o.domain, o.op) for o in blueprint.claimed if o.kernel is KernelSource.GENERATED}
    kernels = {(row.domain, row.op) for row in (*families.rows(), *CONTROL_FLOW.values())}
    assert generated == kernels
    yours = {op.op for op in blueprint.ops if op.kernel is KernelSource.YOURS}
    assert yours == ({"ComplexMul"} if name == "kernel-registry" else set())


def test_the_full_blueprint_has_every_type_of_every_kernel() -> None:
    blueprint = resolve(load(assets_dir("blueprints") / "full.yaml"))
    assert set(blueprint.types) == set(DType) - {DType.STRING}
