"""test_registration.cc: libraries come and go, and say what they are."""

from __future__ import annotations

from capi import Ort, Plugin

from ort_examples.harness import CPU, GPU, Place, devices_of, example, of, runtime, text_of


@of("LoadUnloadPluginLibrary")
def load_unload_plugin_library(place: Place) -> None:
    ep = place.eps["compiled"]
    with runtime({f"ep_factory.{ep}.allow_software": "1"}) as ort:
        library = place.libraries["compiled"]
        ort.api("RegisterExecutionProviderLibrary", ort.env, "example_ep", library)
        assert len(devices_of(ort, ep)) == 1
        ort.api("UnregisterExecutionProviderLibrary", ort.env, "example_ep")
        assert devices_of(ort, ep) == []


@of("LoadUnloadPluginLibraryCxxApi")
def what_the_device_says(place: Place) -> None:
    with example(place) as it:
        get = it.api.get
        assert text_of(get("EpDevice_EpVendor", it.device)) == "Contoso"
        assert it.plugin.metadata["version"] == "0.1.0"
        assert it.plugin.metadata["supported_devices"] == "Griffin 7 and newer"
        assert it.ort.read_pairs(get("EpDevice_EpOptions", it.device))["run_really_fast"] == "true"
        assert get("HardwareDevice_Type", it.hardware) == CPU
        assert get("HardwareDevice_Vendor", it.hardware)
        assert get("HardwareDevice_VendorId", it.hardware) & 0xFFFFFFFF > 0
        assert get("HardwareDevice_DeviceId", it.hardware) >= 0
        assert isinstance(it.ort.read_pairs(get("HardwareDevice_Metadata", it.hardware)), dict)


@of("LoadUnloadPluginVirtGpuLibraryCxxApi")
def a_virtual_device_where_it_is_allowed(place: Place) -> None:
    ep, library = place.eps["virtual-gpu"], place.libraries["virtual-gpu"]
    with runtime() as ort:
        ort.api("RegisterExecutionProviderLibrary", ort.env, "example_virt_gpu", library)
        assert devices_of(ort, ep) == []
        ort.api("UnregisterExecutionProviderLibrary", ort.env, "example_virt_gpu")
        plugin = Plugin(ort, library, "example_virt_gpu.virtual")
        _check_virtual(ort, plugin)
        plugin.unregister()
    with runtime({"allow_virtual_devices": "1"}) as ort:
        plugin = Plugin(ort, library, "example_virt_gpu")
        _check_virtual(ort, plugin)
        plugin.unregister()


def _check_virtual(ort: Ort, plugin: Plugin) -> None:
    get = ort.api.get
    (device,) = devices_of(ort, plugin.ep)
    hardware = get("EpDevice_Device", device)
    assert get("HardwareDevice_Type", hardware) == GPU
    assert ort.read_pairs(get("HardwareDevice_Metadata", hardware))["is_virtual"] == "1"
    assert text_of(get("EpDevice_EpVendor", device)) == "Contoso2"
    assert plugin.metadata["version"] == "0.1.0"
    assert plugin.metadata["some_metadata"] == "1"
    assert ort.read_pairs(get("EpDevice_EpOptions", device))["compile_optimization"] == "O3"
    assert get("HardwareDevice_VendorId", hardware) & 0xFFFFFFFF == 0xB358
    assert get("HardwareDevice_DeviceId", hardware) & 0xFFFFFFFF == 0
    assert text_of(get("HardwareDevice_Vendor", hardware)) == "Contoso2"
