"""test_model_package.cc: models in several variants, of which the runtime takes what fits.

Releases from 1.31 on have them in their table. Two models stand in for ORT's: `mul`, and one with
an operator that nobody has, so that a session shows which variant was taken.
"""

from __future__ import annotations

from ctypes import byref, c_char_p, c_int64, c_size_t, c_void_p
from pathlib import Path

import onnx
from capi import Plugin
from models import model, node, value
from onnx.external_data_helper import convert_model_to_external_data

from ort_examples.execution import compiled, custom_mul
from ort_examples.harness import (
    CPU_EP,
    INVALID_ARGUMENT,
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
    text_of,
)
from ort_examples.model_packages import Package, Variant, nobody_s, on_cpu, opened, package, squares

_WANTED = X * X


@of("SchemaVersionReturnsMajorAndMinor")
def the_version_of_the_schema(place: Place) -> None:
    """Releases up to 1.32 say the major number alone."""
    with on_cpu(package(place.folder / "p", Variant("cpu", CPU_EP), schema="1.7")) as it:
        major = c_int64(-1)
        it.api("ModelPackage_GetSchemaVersion", it.context, byref(major))
        assert major.value == 1
        error = refusal(lambda: it.api("ModelPackage_GetSchemaVersion", it.context, 0))
        assert error.code == INVALID_ARGUMENT


@of("CpuSelectionAndRepeatedSessionCreation")
def two_sessions_of_one_variant(place: Place) -> None:
    with on_cpu(package(place.folder / "p", Variant("cpu", CPU_EP))) as it:
        before = it.folder
        for _ in range(2):
            squares(it.ort, it.session())
            assert it.folder == before


@of("SelectedProviderCannotSilentlyFallBackToCpu")
def what_was_chosen_is_not_replaced(place: Place) -> None:
    """The library refuses to make an execution provider, of a model that the CPU could run."""
    with example(place) as it:
        wrong = Variant("v", it.ep, provider_options={"run_really_fast": "now"})
        with opened(it, package(place.folder / "p", wrong)) as made:
            session = c_void_p()
            arguments = (it.ort.env, made.component, 0, byref(session))
            assert "run_really_fast" in str(refusal(lambda: made.api("CreateSession", *arguments)))
            assert not session


@of("AdvancedOptionsKeepFallbackFactories")
def others_of_the_application_s_are_kept(place: Place) -> None:
    """A second library takes what the first one lacks."""
    both = model(
        [
            node("Mul", ["X", "X"], ["m"], name="mul_0"),
            node("Relu", ["m"], ["Y"], name="relu_0"),
        ],
        [value("X", [3, 2])],
        [value("Y", [3, 2])],
    )
    with example(place) as it:
        second = Plugin(it.ort, place.libraries["kernel-registry"], "second")
        options = it.options(NO_FALLBACK)
        devices = (c_void_p * 1)(*devices_of(it.ort, place.eps["kernel-registry"]))
        arguments = (options, it.ort.env, devices, 1, 0, 0, 0)
        it.api("SessionOptionsAppendExecutionProvider_V2", *arguments)
        root = package(place.folder / "p", Variant("v", it.ep, model=both))
        with opened(it, root) as made:
            session = made.session(options)
            parts = sorted(it.assigned(session), key=lambda part: part[1])
            assert parts == [(it.ep, ["mul_0"]), (place.eps["kernel-registry"], ["relu_0"])]
            squares(it.ort, session)
        second.unregister()


@of("DefaultOptionsIncludeDeviceDefaultsAndPackageOverrides")
def options_of_the_package_s_reach_the_library(place: Place) -> None:
    """What arrives is seen by what the library refuses."""
    with example(place) as it:
        fine, wrong = (
            Variant("v", it.ep, provider_options={"run_really_fast": text} if text else None)
            for text in ("", "package")
        )
        given = it.options(given={"run_really_fast": "false"})
        with opened(it, package(place.folder / "fine", fine), given) as made:
            squares(it.ort, made.session())
        with opened(it, package(place.folder / "wrong", wrong), given) as made:
            assert "run_really_fast" in str(refusal(made.session))


@of("DefaultOptionsRegisterPluginCustomDomainsBeforeLoad")
def operators_of_the_library_s_are_known(place: Place) -> None:
    made = custom_mul()
    with (
        example(place) as it,
        opened(it, package(place.folder / "p", Variant("v", it.ep, model=made))) as it_package,
    ):
        session = it_package.session()
        same(it.run(session, {"X": X, "W": X}, "Y")[0], _WANTED)
        it.api.get("ReleaseSession", session)


@of("QueryPointersRemainValidAndErrorsPreserveOutputs")
def answers_stay_where_they_are(place: Place) -> None:
    names = ["a" * 96, "b" * 96]
    with on_cpu(package(place.folder / "p", *(Variant(each, CPU_EP) for each in names))) as it:
        first = it.names("ModelPackage_GetVariantNames", "model")
        assert first[1] == names
        for _ in range(10):
            assert it.names("ModelPackage_GetVariantNames", "model") == first
        count, text = c_size_t(123), c_char_p(b"unchanged")
        for ask, given in (
            ("ModelPackage_GetVariantCount", ("missing", byref(count))),
            ("ModelPackage_GetVariantEpName", ("model", "missing", byref(text))),
        ):
            error = refusal(lambda a=ask, g=given: it.api(a, it.context, *g))
            assert error.code == INVALID_ARGUMENT
        arguments = (it.context, 0, "missing.onnx", 1, byref(text))
        refusal(lambda: it.api("ModelPackage_ResolveStringRef", *arguments))
        assert (count.value, text.value) == (123, b"unchanged")


@of("UnicodePathsRoundTripThroughLibraryAndSession")
def names_beyond_ascii(place: Place) -> None:
    """With a library: ORT's test is of its own CPU execution provider."""
    component, variant, file = "组件", "变体", "模型.onnx"
    with example(place) as it:
        root = package(
            place.folder / "模型_🧪", Variant(variant, it.ep), component=component, file=file
        )
        with opened(it, root, component=component) as made:
            folder = root / component / variant
            assert made.resolve(f"{component}/{variant}/{file}").samefile(folder / file)
            assert made.folder.samefile(folder)
            squares(it.ort, made.session())


@of("PackageContextQueries")
def what_is_in_a_package(place: Place) -> None:
    ep = place.eps["compiled"]
    variants = (Variant("variant_1", ep), Variant("variant_2", ep, "npu", model=nobody_s()))
    with example(place) as it, opened(it, package(place.folder / "p", *variants)) as made:
        count = c_size_t()
        made.api("ModelPackage_GetComponentCount", made.context, byref(count))
        assert count.value == 1
        assert made.names("ModelPackage_GetComponentNames")[1] == ["model"]
        made.api("ModelPackage_GetVariantCount", made.context, "model", byref(count))
        assert count.value == 2
        found = made.names("ModelPackage_GetVariantNames", "model")[1]
        assert sorted(found) == ["variant_1", "variant_2"]


@of("ResolveStringRef")
def references(place: Place) -> None:
    digest = "a" * 64
    root = package(place.folder / "p", Variant("variant_1", CPU_EP))
    assets = root / "shared_assets" / f"sha256-{digest}"
    assets.mkdir(parents=True)
    (assets / "asset.txt").write_text("hello", encoding="utf-8")
    with on_cpu(root) as it:
        assert it.resolve(f"sha256:{digest}").samefile(assets)
        assert it.resolve(f"sha256:{digest}/asset.txt").samefile(assets / "asset.txt")
        folder = root / "model/variant_1"
        assert it.resolve("m.onnx", str(folder)).samefile(folder / "m.onnx")
        refusal(lambda: it.resolve("sha256:" + "b" * 64, there=False))
        (assets / "asset.txt").unlink()
        assets.rmdir()
        refusal(lambda: it.resolve(f"sha256:{digest}"))
        assert not it.resolve(f"sha256:{digest}", there=False).exists()


@of("SingleFileVariantInComponent_SelectComponentAndCreateSession")
def a_variant_with_options(place: Place) -> None:
    with example(place) as it:
        first = Variant(
            "variant_1",
            it.ep,
            session_options={
                "session.disable_prepacking": "1",
                "session.intra_op.allow_spinning": "0",
            },
            provider_options={"run_really_fast": "false"},
        )
        second = Variant("variant_2", it.ep, "npu", model=nobody_s())
        with opened(it, package(place.folder / "p", first, second)) as made:
            squares(it.ort, made.session(it.options()))
            squares(it.ort, made.session())


def _two(place: Place, it: Example) -> Path:
    """For the device that is there, and for one that is not."""
    second = Variant("variant_2", it.ep, "npu", model=nobody_s())
    return package(place.folder / "p", Variant("variant_1", it.ep), second)


@of("LoadModelPackageAndRunInference_PluginEp_AppendV2")
def the_device_decides(place: Place) -> None:
    with example(place) as it, opened(it, _two(place, it)) as made:
        squares(it.ort, made.session(it.options()))


@of("LoadModelPackageAndRunInference_PreferCpu")
def a_policy_decides(place: Place) -> None:
    with example(place) as it, opened(it, _two(place, it), it.options(policy=PREFER_CPU)) as made:
        squares(it.ort, made.session(it.options(policy=PREFER_CPU)))


@of("DirectoryPath_FailsWithModelPackageApiHint")
def a_folder_is_no_model(place: Place) -> None:
    with example(place) as it:
        text = str(refusal(lambda: it.session(_two(place, it), it.options())))
        assert "directory" in text
        assert "model package API" in text


@of("CheckCompiledModelCompatibilityInfo")
def compatibility_decides(place: Place) -> None:
    """The variant for another version comes first, and is passed over."""
    with example(place) as it:
        path = compiled(it, place.folder / "source", embed=True)
        text = f"{it.ep};format=1;version={{}};architecture=gpu"
        variants = (
            Variant("variant_2", it.ep, "cpu", text.format("0.1.1"), nobody_s()),
            Variant("variant_1", it.ep, "cpu", text.format("0.1.0"), onnx.load(path)),
        )
        with opened(it, package(place.folder / "p", *variants)) as made:
            assert made.folder.name == "variant_1"
            squares(it.ort, made.session(it.options()))


@of("ParseVariantsFromPackageRoot")
def what_is_said_of_variants(place: Place) -> None:
    """ORT's test looks into the parser; the API says names and execution providers."""
    with example(place) as it, opened(it, _two(place, it)) as made:
        for name in made.names("ModelPackage_GetVariantNames", "model")[1]:
            assert made.resolve(f"model/{name}/m.onnx").is_file()
            assert _ep_of(made, name) == it.ep


def _ep_of(made: Package, variant: str) -> str:
    ask = "ModelPackage_GetVariantEpName"
    return text_of(made.api.make(ask, made.context, "model", variant))


@of("GetVariantEpName_ReturnsSingleEp")
def whom_a_variant_is_for(place: Place) -> None:
    with example(place) as it:
        variants = (Variant("variant_1", it.ep), Variant("variant_2", "other_ep", "npu"))
        with opened(it, package(place.folder / "p", *variants)) as made:
            assert _ep_of(made, "variant_1") == it.ep
            assert _ep_of(made, "variant_2") == "other_ep"
            # ORT's newest sources let the place be null; no release does.
            ask = "ModelPackage_GetVariantEpName"
            assert "non-null" in str(
                refusal(lambda: made.api(ask, made.context, "model", "variant_1", 0))
            )


@of("VariantSelector_TieBreakIsDeterministic")
def equals_are_taken_in_one_order(place: Place) -> None:
    with example(place) as it:
        taken = set()
        for turn in range(5):
            variants = (Variant("variant_a", it.ep), Variant("variant_b", it.ep))
            with opened(it, package(place.folder / str(turn), *variants)) as made:
                taken.add(made.folder.name)
        assert len(taken) == 1
        assert taken < {"variant_a", "variant_b"}


@of("VariantSessionOptions_DispatchedThroughAddSessionConfigEntry")
def options_have_types(place: Place) -> None:
    with example(place) as it:
        wrong = Variant("v", it.ep, session_options={"session.intra_op_num_threads": "not_an_int"})
        with opened(it, package(place.folder / "p", wrong)) as made:
            assert "intra_op_num_threads" in str(refusal(made.session))


@of("VariantSessionOption_ResolvesExternalInitializersFolder")
def weights_in_a_folder_of_their_own(place: Place) -> None:
    stored = mul()
    convert_model_to_external_data(stored, location="weights.bin", size_threshold=0)
    key = "session.model_external_initializers_file_folder_path"
    with example(place) as it:
        variant = Variant("v", it.ep, model=stored, session_options={key: "weights"})
        root = package(place.folder / "p", variant)
        folder = root / "model/v"
        (folder / "weights").mkdir()
        (folder / "weights.bin").rename(folder / "weights/weights.bin")
        with opened(it, root) as made:
            squares(it.ort, made.session())
            squares(it.ort, made.session(it.options()))


@of("FolderPath_ReturnsCorrectPath_WhenExecutorInfoAbsent")
def a_variant_without_a_model(place: Place) -> None:
    with example(place) as it:
        root = package(place.folder / "p", Variant("variant_1", it.ep, model=None))
        with opened(it, root) as made:
            assert made.folder.name == "variant_1"
