"""Devices: what may stand in for them, and what may be said of them."""

from __future__ import annotations

import pytest

from epforge.blueprint import BlueprintErrors, Diagnostic, parse
from epforge.resolve import analyse, resolve, resolved_yaml
from epforge.resolve.model import Device

HEAD = "epforge: 1\nname: contoso-npu\nvendor: {name: Contoso, pci_id: 0xB357}\nops: [Relu]\n"


def devices(*entries: str, more: str = "") -> tuple[Device, ...]:
    return resolve(parse(text(*entries, more=more))).devices


def text(*entries: str, more: str = "") -> str:
    return f"{HEAD}{more}devices:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries)


def only_error(*entries: str, more: str = "") -> Diagnostic:
    with pytest.raises(BlueprintErrors) as raised:
        devices(*entries, more=more)
    (error,) = raised.value.diagnostics
    return error


def test_software_is_never_unless_allowed() -> None:
    first, second = devices("name: a, type: gpu", "name: b, type: npu, software: allowed")
    assert (first.software, second.software) == (False, True)


def test_what_is_resolved_says_so_and_means_the_same() -> None:
    blueprint = resolve(parse(text("name: b, type: npu, software: allowed")))
    assert "software: allowed" in resolved_yaml(blueprint)
    assert resolve(parse(resolved_yaml(blueprint))).devices == blueprint.devices


@pytest.mark.parametrize(
    ("entries", "more", "line", "why"),
    [
        (["name: a, type: cpu, software: allowed"], "", 6, "it is a CPU"),
        (
            ["name: a, type: npu, software: allowed", "name: b, type: gpu, software: allowed"],
            "",
            7,
            "the machine's CPU is a already",
        ),
        (
            ["name: a, type: npu, software: allowed", "name: b, type: cpu"],
            "",
            6,
            "the machine's CPU is b in any case",
        ),
        (
            ["name: a, type: gpu, software: allowed"],
            "runtime: cuda\nmemory: {default: plain, streams: true}\n",
            8,
            "its kernels are for CUDA",
        ),
    ],
)
def test_a_stand_in_that_could_never_be_is_refused(
    entries: list[str], more: str, line: int, why: str
) -> None:
    error = only_error(*entries, more=more)
    assert (error.line, error.code) == (line, "no-effect")
    assert why in error.message
    assert "software: never" in error.hint


def test_a_cpu_of_one_vendor_leaves_the_others_to_stand_in() -> None:
    assert devices(
        "name: a, type: cpu, match: {vendor_id: 0x8086}", "name: b, type: npu, software: allowed"
    )


@pytest.mark.parametrize(
    "key",
    [
        *("version", "library_path", "is_virtual", "software", "device_index"),
        *("weightless_support", "weightless_supported_modes", "weightless_mode"),
        *("Discrete", "card_idx", "pci_bus_id", "LUID", "Description", "DxgiAdapterNumber"),
        *("DxgiVideoMemory", "DxgiHighPerformanceIndex"),
        *("ep_compatibility_info.X", "ep_compatibility_info.ContosoNpuExecutionProvider"),
    ],
)
def test_what_others_decide_is_not_to_be_claimed(key: str) -> None:
    error = only_error(f'name: a, type: npu, metadata: {{{key}: "1"}}')
    assert error.code == "reserved-metadata"
    assert key in error.message


@pytest.mark.parametrize("key", ["Discrete", "card_idx", "pci_bus_id", "LUID", "Description"])
def test_what_the_runtime_lists_of_hardware_can_be_matched(key: str) -> None:
    (device,) = devices(f'name: a, type: npu, match: {{metadata: {{{key}: "1"}}}}')
    assert device.match.metadata == {key: "1"}


@pytest.mark.parametrize("value", ["BNSH", "BNHS", "BSNH"])
def test_a_layout_that_no_kernel_reads_is_not_to_be_claimed(value: str) -> None:
    error = only_error(f"name: a, type: npu, metadata: {{gqa_preferred_value_layout: {value}}}")
    assert error.code == "layout-claim"


@pytest.mark.parametrize("value", ["31.0.101.4502", "1.0.0.0", "0.0.0.0"])
def test_a_driver_version_has_four_parts(value: str) -> None:
    (device,) = devices(f"name: a, type: npu, metadata: {{os_driver_version: {value}}}")
    assert device.metadata == {"os_driver_version": value}


@pytest.mark.parametrize("value", ["1", "1.0.0", "1.0.0.0.0", "1.0.0.x", "1.0.0.", "123456.0.0.0"])
def test_another_is_refused(value: str) -> None:
    error = only_error(f'name: a, type: npu, metadata: {{os_driver_version: "{value}"}}')
    assert error.code == "bad-value"


def providers(*names: str | None, more: str = "") -> tuple[str, ...]:
    return resolve(parse(text(*map(entry, names, range(len(names))), more=more))).providers


def entry(name: str | None, index: int) -> str:
    return f"name: d{index}, type: npu" + (f", ep: {name}" if name else "")


def test_devices_are_of_the_library_s_own_provider_unless_they_say_otherwise() -> None:
    assert providers(None) == ("ContosoNpuExecutionProvider",)
    assert providers("OtherExecutionProvider", None, "ContosoNpuExecutionProvider") == (
        "ContosoNpuExecutionProvider",
        "OtherExecutionProvider",
    )


@pytest.mark.parametrize(
    ("names", "line", "code", "words"),
    [
        ([None, *(f"E{i}ExecutionProvider" for i in range(4))], 10, "too-many", "room for 4"),
        ([None, "9"], 7, "bad-name", "cannot name an execution provider"),
        ([None, "CUDAExecutionProvider"], 7, "bad-name", "built in"),
        ([None, "contosonpuExecutionProvider"], 7, "name-collision", "have the same options"),
        (["OtherExecutionProvider"], 6, "no-device", "offers no device"),
    ],
)
def test_providers_that_cannot_be_are_refused(
    names: list[str | None], line: int, code: str, words: str
) -> None:
    error = only_error(*map(entry, names, range(len(names))))
    assert (error.line, error.code) == (line, code)
    assert words in error.message
    assert error.hint


def test_four_providers_are_not_too_many() -> None:
    assert len(providers(None, *(f"E{i}ExecutionProvider" for i in range(3)))) == 4


def test_virtual_devices_are_all_there_at_once() -> None:
    eight = [f"name: d{i}, type: npu, virtual: allowed" for i in range(8)]
    real = "name: e, type: npu"
    assert len(devices(*eight, real)) == 9
    assert devices(*eight, "name: e, type: npu, virtual: allowed, ep: OtherExecutionProvider")
    error = only_error(*eight, "name: e, type: npu, virtual: allowed")
    assert (error.line, error.code) == (14, "too-many")
    assert "room for 8" in error.message


def test_each_provider_has_a_cpu_to_stand_in() -> None:
    assert devices(
        "name: a, type: npu, software: allowed",
        "name: b, type: npu, software: allowed, ep: OtherExecutionProvider",
    )


@pytest.mark.parametrize(
    "more",
    [
        "paradigm: compiled\nfeatures: {ep_context: {embed: true}}\n",
        "options: [{name: a, type: int, default: 1, dynamic: true}]\n",
    ],
)
def test_what_several_providers_do_not_have_yet_is_noted(more: str) -> None:
    other = "name: b, type: npu, ep: OtherExecutionProvider"
    notes = analyse(parse(text("name: a, type: npu", other, more=more))).unsupported
    assert any("several execution providers" in note.message for note in notes)
    assert not any(
        "several execution providers" in note.message
        for note in analyse(parse(text("name: a, type: npu", more=more))).unsupported
    )
