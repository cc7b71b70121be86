"""test_execution.cc: sessions on the examples, compiled models, and what fits which device."""

from __future__ import annotations

from ctypes import byref, c_int32, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from api_counter import CallCounter
from capi import Plugin, Table
from models import BOOL, FLOAT, INT64, constant, contexts, matmul_const, model, node, value
from onnx import ModelProto, helper, numpy_helper

from ort_examples.harness import (
    CPU,
    CPU_EP,
    FAIL,
    GPU,
    NO_FALLBACK,
    PREFER_CPU,
    Example,
    Place,
    X,
    devices_of,
    example,
    mul,
    of,
    refusal,
    same,
    save,
)

_WANTED = X * X
_A = X
_B = X + 1
_OPTIMAL = 1  # OrtCompiledModelCompatibility
_CONTEXT = {"ep.context_enable": "1"}


def add_mul_add() -> ModelProto:
    """C = (A + B) * B + A; the execution provider has no Add."""
    pairs = [value(name, [3, 2]) for name in "AB"]
    return model(
        [
            node("Add", ["A", "B"], ["s"], name="add_0"),
            node("Mul", ["s", "B"], ["m"], name="mul_0"),
            node("Add", ["m", "A"], ["C"], name="add_1"),
        ],
        pairs,
        [value("C", [3, 2])],
    )


@of("PluginEp_AppendV2_MulInference")
def mul_by_the_device(place: Place) -> None:
    with example(place) as it:
        session = it.session(mul())
        same(it.run(session, {"X": np.full((3, 2), 2, np.float32)}, "Y")[0], [2, 4, 6, 8, 10, 12])


@of("PluginEp_PreferCpu_MulInference")
def mul_by_a_policy(place: Place) -> None:
    with example(place) as it:
        session = it.session(mul(), it.options(policy=PREFER_CPU))
        same(it.run(session, {"X": np.full((3, 2), 2, np.float32)}, "Y")[0], [2, 4, 6, 8, 10, 12])
        assert it.assigned(session) == [(it.ep, ["mul_0"])]


@of("PluginEp_AppendV2_PartiallySupportedModelInference")
def a_model_in_three_parts(place: Place) -> None:
    with example(place) as it:
        session = it.session(add_mul_add(), it.options())
        same(it.run(session, {"A": _A, "B": _B}, "C")[0], [7, 17, 31, 49, 71, 97])
        parts = sorted(it.assigned(session), key=lambda part: part[1])
        assert parts == [(CPU_EP, ["add_0"]), (CPU_EP, ["add_1"]), (it.ep, ["mul_0"])]


def compiled(it: Example, folder: Path, made: ModelProto | None = None, **how: Any) -> Path:
    """Compiles a model by the API."""
    source = save(made or mul(), folder / "source.onnx")
    it.compile(source, folder / "compiled.onnx", **how)
    return folder / "compiled.onnx"


@of("PluginEp_GenEpContextModel")
def the_compile_api_writes_a_model(place: Place) -> None:
    with example(place) as it:
        path = compiled(it, place.folder)
        assert len(contexts(path)) == 1
        add = model([node("Add", ["A", "A"], ["C"])], [value("A", [2])], [value("C", [2])])
        error = refusal(lambda: compiled(it, place.folder / "none", add))
        assert "compile" in str(error)
        assert not (place.folder / "none/compiled.onnx").exists()


@of("PluginEp_VirtGpu_GenEpContextModel")
def a_virtual_device_compiles(place: Place) -> None:
    with example(place, "virtual-gpu", virtual=True) as it:
        path = compiled(it, place.folder, add_mul_add())
        assert [each.op_type for each in onnx.load(path).graph.node] == ["Add", "EPContext", "Add"]


@of("PluginEp_CompatibilityInfo_WrittenToMetadata")
def compatibility_is_written(place: Place) -> None:
    with example(place) as it:
        entries = onnx.load(compiled(it, place.folder)).metadata_props
        written = {each.key: each.value for each in entries if "compatibility" in each.key}
        text = f"{it.ep};format=1;version=0.1.0;architecture=gpu"
        assert written == {f"ep_compatibility_info.{it.ep}": text}


@of("PluginEp_CompatibilityInfo_ValidatedOnLoad")
def compatibility_is_checked(place: Place) -> None:
    with example(place) as it:
        path = compiled(it, place.folder)
        strict = {**NO_FALLBACK, "session.fail_on_suboptimal_compiled_model": "1"}
        session = it.session(path, it.options(strict))
        same(it.run(session, {"X": X}, "Y")[0], _WANTED)
        text = f"{it.ep};format=1;version=0.1.0;architecture=gpu"
        verdict = c_uint32()
        devices = (c_void_p * 1)(it.device)
        it.api("GetModelCompatibilityForEpDevices", devices, 1, text, byref(verdict))
        assert verdict.value == _OPTIMAL


@of("PluginEp_Error_LoadCompiledModelWithEpContextEnabled")
def a_compiled_model_is_not_compiled_again(place: Place) -> None:
    with example(place) as it:
        path = compiled(it, place.folder)
        config = {**_CONTEXT, "ep.context_file_path": str(place.folder / "again.onnx")}
        error = refusal(lambda: it.session(path, it.options(config)))
        assert "EPContext" in str(error)
        assert not (place.folder / "again.onnx").exists()


@of("PluginEp_EpContextInference_NotImplemented")
def a_compiled_model_runs(place: Place) -> None:
    """ORT's example says that it cannot."""
    with example(place) as it:
        for embed in (False, True):
            path = compiled(it, place.folder / str(embed), embed=embed)
            config = {**NO_FALLBACK, "session.disable_model_compile": "1"}
            same(it.run(it.session(path, it.options(config)), {"X": X}, "Y")[0], _WANTED)


@of("PluginEp_GenEpContextModel_ErrorOutputModelExists_AutoGenOutputModelName")
def what_exists_is_left_alone(place: Place) -> None:
    source, output = (place.folder / f"mul_1{end}.onnx" for end in ("", "_ctx"))
    save(mul(), source)
    with example(place) as it:
        it.close(it.session(source, it.options(_CONTEXT)))
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in _files(place)}
        assert output in before
        error = refusal(lambda: it.session(source, it.options(_CONTEXT)))
        assert error.code == FAIL
        assert "Please remove the EP context model if you want to re-generate it." in str(error)
        after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in _files(place)}
        assert after == before


def _files(place: Place) -> list[Path]:
    return sorted(path for path in place.folder.iterdir())


def squeeze_mul_relu() -> ModelProto:
    return model(
        [
            node("Squeeze", ["A", "axes"], ["a"], name="squeeze_0"),
            node("Mul", ["a", "B"], ["m"], name="mul_0"),
            node("Mul", ["m", "two"], ["n"], name="mul_1"),
            node("Relu", ["n"], ["C"], name="relu_0"),
        ],
        [value("A", [3, 1, 2]), value("B", [3, 2])],
        [value("C", [3, 2])],
        [constant("axes", np.array([1])), constant("two", np.float32(2))],
    )


def sub_mul_sub() -> ModelProto:
    return model(
        [
            node("Sub", ["A", "B"], ["s"], name="sub_0"),
            node("Mul", ["s", "B"], ["m"], name="mul_0"),
            node("Sub", ["m", "A"], ["C"], name="sub_1"),
        ],
        [value("A", [3, 2]), value("B", [3, 2])],
        [value("C", [3, 2])],
    )


class Shared:
    """Sessions without and with weights that are packed once for all of them.

    ORT's example has a provider option for it. Ours offers the runtime what it packs; whether
    sessions share it is said by the application, with a container.
    """

    def __init__(self, it: Example) -> None:
        self.it, self.container = it, it.api.make("CreatePrepackedWeightsContainer")

    def both(self, made: ModelProto, feeds: dict[str, Any], wanted: dict[str, Any]) -> None:
        """Runs the model both ways, twice where weights are shared."""
        for way in (self._plain, self._sharing, self._sharing):
            session = way(made)
            ours = {ep for ep, _ in self.it.assigned(session)}
            assert ours == {self.it.ep}, ours
            for found, numbers in zip(
                self.it.run(session, feeds, *wanted), wanted.values(), strict=True
            ):
                same(found, numbers)
            self.it.api.get("ReleaseSession", session)

    def _plain(self, made: ModelProto) -> int:
        return self.it.plugin.open(made.SerializeToString(), self.it.options(NO_FALLBACK))

    def _sharing(self, made: ModelProto) -> int:
        api, content = self.it.api, made.SerializeToString()
        options = self.it.options(NO_FALLBACK)
        kept = []
        for each in made.graph.initializer:
            array = np.ascontiguousarray(numpy_helper.to_array(each))
            kept.append(array)
            info = api.make("CreateCpuMemoryInfo", 0, 0)
            shape = (c_size_t * max(array.ndim, 1))(*array.shape)
            number = {"f": FLOAT, "i": INT64, "b": BOOL}[array.dtype.kind]
            arguments = (info, array.ctypes.data, array.nbytes, shape, array.ndim, number)
            tensor = api.make("CreateTensorWithDataAsOrtValue", *arguments)
            api("AddInitializer", options, each.name, tensor)
        self.it.plugin._kept.append(kept)
        return api.make(
            "CreateSessionFromArrayWithPrepackedWeightsContainer",
            *(self.it.ort.env, content, len(content), options, self.container),
        )


@of("KernelPluginEp_Inference")
def kernels_one_by_one(place: Place) -> None:
    with example(place, "kernel-registry") as it:
        shared = Shared(it)
        a = np.array([1, -2, 3, 4, -5, 6], np.float32).reshape(3, 1, 2)
        b = np.array([2, 3, 4, -5, 6, 7], np.float32).reshape(3, 2)
        shared.both(squeeze_mul_relu(), {"A": a, "B": b}, {"C": [4, 0, 24, 0, 0, 84]})
        shared.both(sub_mul_sub(), {"A": _A, "B": _B}, {"C": [-3, -5, -7, -9, -11, -13]})
        # Mul has nothing to pack in our registry; MatMul has, and offers it to the container.
        stored = CallCounter(it.ort, "SharedPrePackedWeightCache_StoreWeightData", 4)
        packed = matmul_const(64, 32)
        weights = numpy_helper.to_array(packed.graph.initializer[0])
        x = np.eye(64, dtype=np.float32)[:3]
        shared.both(packed, {"X": x}, {"Y": weights[:3]})
        assert stored.count >= 2  # by the two sessions that share


def if_mul() -> ModelProto:
    def branch(name: str, factor: float) -> onnx.GraphProto:
        return helper.make_graph(
            [node("Mul", ["B", f"{name}_factor"], [f"{name}_C"], name=f"{name}_mul")],
            name,
            [],
            [value(f"{name}_C", [3, 2])],
            [constant(f"{name}_factor", np.float32(factor))],
        )

    chosen = node(
        "If",
        ["A"],
        ["C"],
        name="if_0",
        then_branch=branch("then", 2),
        else_branch=branch("else", 3),
    )
    return model([chosen], [value("A", [1], BOOL), value("B", [3, 2])], [value("C", [3, 2])])


@of("KernelPluginEp_ControlFlow_If")
def a_node_with_two_graphs(place: Place) -> None:
    with example(place, "kernel-registry") as it:
        shared, b = Shared(it), np.array([2, 3, 4, -5, 6, 7], np.float32).reshape(3, 2)
        for chosen, factor in ((True, 2), (False, 3)):
            shared.both(if_mul(), {"A": np.array([chosen]), "B": b}, {"C": factor * b})


def loop_sub_one() -> ModelProto:
    body = helper.make_graph(
        [
            node("Sub", ["x", "one"], ["y"], name="sub_0"),
            node("Sub", ["x", "one"], ["seen"], name="sub_1"),
        ],
        "body",
        [value("i", [], INT64), value("go_in", [], BOOL), value("x", [1])],
        [value("go_on", [], BOOL), value("y", [1]), value("seen", [1])],
        [constant("one", np.float32(1)), constant("go_on", np.bool_(True))],
    )
    return model(
        [node("Loop", ["MAX_ITERS", "", "A"], ["C", "D"], name="loop_0", body=body)],
        [value("MAX_ITERS", [1], INT64), value("A", [1])],
        [value("C", [1]), value("D", ["N", 1])],
    )


@of("KernelPluginEp_ControlFlow_Loop")
def a_node_that_repeats_a_graph(place: Place) -> None:
    with example(place, "kernel-registry") as it:
        feeds = {"MAX_ITERS": np.array([3]), "A": np.array([10], np.float32)}
        Shared(it).both(loop_sub_one(), feeds, {"C": [7], "D": [9, 8, 7]})


def scan_mul() -> ModelProto:
    body = helper.make_graph(
        [node("Mul", ["row", "two"], ["doubled"], name="mul_0")],
        "body",
        [value("row", [3])],
        [value("doubled", [3])],
        [constant("two", np.float32(2))],
    )
    return model(
        [node("Scan", ["X"], ["Y"], name="scan_0", body=body, num_scan_inputs=1)],
        [value("X", [3, 3])],
        [value("Y", [3, 3])],
    )


@of("KernelPluginEp_ControlFlow_Scan")
def a_node_that_goes_through_rows(place: Place) -> None:
    with example(place, "kernel-registry") as it:
        x = np.array([1, 2, 3, 10, 20, 30, 100, 200, 300], np.float32).reshape(3, 3)
        Shared(it).both(scan_mul(), {"X": x}, {"Y": 2 * x})


def custom_mul() -> ModelProto:
    return model(
        [node("CustomMul", ["X", "W"], ["Y"], name="custom_0", domain="com.contoso")],
        [value("X", [3, 2]), value("W", [3, 2])],
        [value("Y", [3, 2])],
        extra=[("com.contoso", 1)],
    )


@of("PluginEp_Custom_Op_Inference_With_Explicit_Ep")
def an_operator_of_its_own(place: Place) -> None:
    with example(place) as it:
        session = it.session(custom_mul())
        same(it.run(session, {"X": X, "W": X}, "Y")[0], _WANTED)
        assert it.assigned(session) == [(it.ep, ["custom_0"])]


@of("PluginEp_Custom_Op_Inference_With_Prefer_Cpu")
def an_operator_of_its_own_by_a_policy(place: Place) -> None:
    with example(place) as it:
        session = it.session(custom_mul(), it.options(policy=PREFER_CPU))
        same(it.run(session, {"X": X, "W": X}, "Y")[0], _WANTED)
        assert it.assigned(session) == [(it.ep, ["custom_0"])]


def _details(it: Example, hardware: int) -> tuple[int, int]:
    """Why a device does not fit: the reasons, and the code."""
    made = it.api.make("GetHardwareDeviceEpIncompatibilityDetails", it.ort.env, it.ep, hardware)
    reasons, code = c_uint32(0xFFFFFFFF), c_int32(-1)
    it.api("DeviceEpIncompatibilityDetails_GetReasonsBitmask", made, byref(reasons))
    it.api("DeviceEpIncompatibilityDetails_GetErrorCode", made, byref(code))
    it.api.get("ReleaseDeviceEpIncompatibilityDetails", made)
    return reasons.value, code.value


@of("PluginEp_CpuDevice_ReturnsCompatible")
def the_cpu_fits(place: Place) -> None:
    with example(place) as it:
        (cpu,) = (each for each in it.ort.hardware() if _kind(it.ort.api, each) == CPU)
        assert _details(it, cpu) == (0, 0)


@of("PluginEp_GpuDevice_ReturnsInCompatible")
def another_vendor_s_gpu_does_not(place: Place) -> None:
    """The machine need not have one: the other example brings it along."""
    with example(place) as it:
        other = Plugin(it.ort, place.libraries["virtual-gpu"], "other.virtual")
        other.device = devices_of(it.ort, place.eps["virtual-gpu"])[0]
        gpu = it.api.get("EpDevice_Device", other.device)
        assert _kind(it.api, gpu) == GPU
        assert _details(it, gpu)[0] != 0
        other.unregister()


def _kind(api: Table, hardware: int) -> int:
    return api.get("HardwareDevice_Type", hardware) & 0xFFFFFFFF
