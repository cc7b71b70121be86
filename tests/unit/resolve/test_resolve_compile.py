"""Compiling: which operators are compiled, which have kernels, and what does not go together."""

from __future__ import annotations

import pytest

from epforge.blueprint import Diagnostic, parse
from epforge.resolve import analyse, resolve
from epforge.resolve.model import Blueprint, DeviceType, VirtualPolicy

HEAD = "epforge: 1\nname: contoso-npu\nvendor: {name: Contoso, pci_id: 0xB357}\n"
COMPILED = f"{HEAD}paradigm: compiled\n"


def roles(text: str) -> dict[str, tuple[bool, bool]]:
    blueprint = resolve(parse(text))
    return {op.label: (op.compiled, op.registered) for op in blueprint.ops}


def only_error(text: str) -> Diagnostic:
    (error,) = analyse(parse(text)).errors
    return error


def test_a_kernel_registry_registers_and_compiles_nothing() -> None:
    blueprint = resolve(parse(f"{HEAD}ops: [Relu]"))
    assert roles(f"{HEAD}ops: [Relu]") == {"Relu": (False, True)}
    assert (blueprint.compiles, blueprint.has_registry, blueprint.compile) == (False, True, None)


def test_operators_are_compiled_and_those_of_also_kernels_registered() -> None:
    text = f"{COMPILED}compile: {{also_kernels: [Cast, Relu]}}\nops: [Relu, Add]"
    assert roles(text) == {"Add": (True, False), "Cast": (False, True), "Relu": (True, True)}


def test_operators_of_a_pattern_are_compiled_without_being_listed() -> None:
    text = f"{COMPILED}compile: {{patterns: [{{name: MulAdd, match: [Mul, Add]}}]}}\nops: [Add]"
    assert roles(text) == {"Add": (True, False), "Mul": (True, False)}


def test_without_kernels_and_memory_there_is_no_registry() -> None:
    def registry(more: str) -> bool:
        return resolve(parse(f"{HEAD}paradigm: virtual\nops: [Relu]\n{more}")).has_registry

    assert not registry("")
    assert registry("memory: {default: plain}")  # copies to and from the device are kernels
    assert registry("compile: {also_kernels: [Cast]}")


def test_an_operator_that_is_not_known_is_reported_once() -> None:
    text = f"{COMPILED}compile: {{also_kernels: [Castt]}}\nops: [Relu]"
    error = only_error(text)
    assert (error.line, error.code) == (5, "unknown-op")
    assert "did you mean Cast" in error.hint


def test_the_virtual_paradigm_has_a_device_of_its_own() -> None:
    blueprint: Blueprint = resolve(parse(f"{HEAD}paradigm: virtual\nops: [Relu]"))
    (device,) = blueprint.devices
    assert (device.type, device.virtual) == (DeviceType.NPU, VirtualPolicy.ALLOWED)
    assert device.match.vendor_id == 0xB357  # never another vendor's hardware


def test_the_virtual_paradigm_needs_a_device_that_may_be_virtual() -> None:
    devices = "devices: [{name: npu, type: npu, match: {vendor_id: 1}}]"
    error = only_error(f"{HEAD}paradigm: virtual\nops: [Relu]\n{devices}")
    assert (error.line, error.code) == (4, "no-virtual-device")
    assert "virtual: allowed" in error.hint


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("features: {ep_context: {embed: true}}", "no-effect"),
        ("compile: {max_group: 3}", "no-effect"),
        ("paradigm: compiled\nfeatures: {weightless: all}", "too-new"),
        ('paradigm: compiled\nfeatures: {weightless: all}\nort: {target: "1.29"}', "no-effect"),
        ('features: {profiler: true}\nort: {target: "1.24"}', "too-new"),
        ('features: {resource_accounting: true}\nort: {target: "1.25"}', "too-new"),
        ('features: {graph_capture: true}\nort: {target: "1.25"}', "too-new"),
        ("features: {graph_capture: true}", "no-effect"),
        ("features: {external_memory: true}", "no-effect"),
        ("features: {graphics_interop: true}", "no-effect"),
        ('features: {graphics_interop: true}\nort: {target: "1.24"}', "too-new"),
        ("memory: {default: plain}\nfeatures: {external_memory: true}", "no-effect"),
        ("memory: {default: plain}\nfeatures: {graph_capture: true}", "no-effect"),
        ("features: {memory_capacity: true}", "too-new"),
        ("features: {resource_accounting: true}", "no-effect"),
        ('features: {memory_capacity: true}\nort: {target: "1.32"}', "no-effect"),
    ],
)
def test_what_would_have_no_effect_is_an_error(text: str, code: str) -> None:
    found = analyse(parse(f"{HEAD}ops: [Relu]\n{text}")).errors
    assert code in {error.code for error in found}
    assert all(error.hint for error in found)


def test_sharing_needs_files() -> None:
    features = resolve(parse(f"{COMPILED}ops: [Relu]\nfeatures: {{ep_context: {{share: true}}}}"))
    assert features.features.external


SMALL = f"{COMPILED}types: [float32, int4, float8e5m2]\n"


def test_groups_have_no_elements_that_share_a_byte() -> None:
    """A program has memory for whole bytes; a kernel that ONNX Runtime calls takes them."""
    text = f"{SMALL}compile: {{also_kernels: [BitCast]}}\nops: [Cast]"
    bits, cast = resolve(parse(text)).ops
    assert {"float8e5m2", "int4"} <= {t.text for t in bits.versions[-1].types["T1"]}
    assert [t.text for t in cast.versions[-1].types["T1"]] == ["float32", "float8e5m2"]
    assert "int4" not in {t.text for v in cast.versions for t in v.types["T2"]}


def test_elements_that_share_a_byte_are_noted_where_a_group_should_have_them() -> None:
    asked = "ops: [{op: BitCast, types: {T1: [int4, int8]}}]"
    (note,) = analyse(parse(f"{COMPILED}{asked}")).unsupported
    assert (note.line, note.column) == (5, 34)
    assert "int4 in compiled groups (T1 of BitCast)" in note.message
    (note,) = analyse(parse(f"{COMPILED}types: [uint2]\nops: [Cast]")).unsupported
    assert "share a byte in compiled groups (Cast)" in note.message
