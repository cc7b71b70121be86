"""Job that asks a runtime who takes which node of a model: a session is made, and not run."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import onnx

from epforge.validate.worker import session
from epforge.validate.worker.model import NUMBER, numbered
from epforge.validate.worker.records import Records

_NUMBER = re.compile(rf"{re.escape(NUMBER)}(\d+)")
_PATH = "ep.context_file_path"
_WEIGHTS = "session.model_external_initializers_file_folder_path"
_VIRTUAL = ".virtual"  # registered under such a name, a library may offer a virtual device
_INFO, _QUIET = 1, 4
_MOST = 2_000  # characters of an error


def run(job: Mapping[str, Any], records: Records) -> None:
    """Registers the libraries of ``job["plugins"]``, makes a session of ``job["model"]`` with a
    device of each and with ``job["custom_ops"]``, and says who got which node, by its number.

    Nothing is unregistered: the process ends with it.
    """
    import onnxruntime

    onnxruntime.set_default_logger_severity(_QUIET)
    records.write("runtime", version=str(onnxruntime.__version__))
    options = session.options(fallback=True)
    options.log_severity_level = _INFO
    chosen: list[Any] = []
    for index, library in enumerate(job["plugins"]):
        with records.step(f"registering {os.path.basename(library)}"):
            chosen += _devices(index, library, records)
    for library in job["custom_ops"]:
        with records.step(f"registering {os.path.basename(library)}"):
            _try(records, library, lambda path: options.register_custom_ops_library(path))
    for device in chosen:
        options.add_provider_for_devices([device], {})
    _verdicts(chosen, job["compatibility"], records)
    path = Path(job["model"])
    with records.step("naming the nodes"):
        model = onnx.load(path, load_external_data=False)
        numbered(model)
        data = model.SerializeToString()
        del model
    options.add_session_config_entry(_PATH, str(path))
    options.add_session_config_entry(_WEIGHTS, str(path.parent))
    with records.step("making a session"):
        try:
            made = onnxruntime.InferenceSession(data, options, enable_fallback=0)
        except Exception as error:  # whatever the runtime says is the answer
            records.write("refused", text=" ".join(str(error).split())[:_MOST])
            return
    _placed(made, records)


def _try(records: Records, library: str, register: Any) -> bool:
    try:
        register(library)
    except Exception as error:  # whatever the runtime says is the answer
        records.write("unregistered", library=library, text=" ".join(str(error).split())[:_MOST])
        return False
    return True


def _devices(index: int, library: str, records: Records) -> list[Any]:
    """Registers a plugin; a device of each of its execution providers, real ones if there are."""
    import onnxruntime

    from epforge.validate.worker import host

    found: list[Any] = []
    for name in (f"epforge{index}", f"epforge{index}{_VIRTUAL}"):

        def register(path: str, name: str = name) -> None:
            onnxruntime.register_execution_provider_library(name, path)

        if not _try(records, library, register):
            return []
        found = host.devices(library)
        if found:
            break
        onnxruntime.unregister_execution_provider_library(name)
    first = {str(device.ep_name): device for device in reversed(found)}
    records.write("registered", library=library, eps=list(reversed(first)))
    return list(reversed(first.values()))


def _verdicts(
    devices: Sequence[Any], compatibility: Sequence[Sequence[str]], records: Records
) -> None:
    """How execution providers judge what a compiled model's metadata says to them."""
    from onnxruntime.capi import _pybind_state as runtime

    if not hasattr(runtime, "get_model_compatibility_for_ep_devices"):
        return
    for device in devices:
        for ep, text in compatibility:
            if ep != device.ep_name:
                continue
            with records.step(f"asking {ep} whether it can run the model"):
                try:
                    found = runtime.get_model_compatibility_for_ep_devices([device], text)
                except Exception as error:  # an error is an answer, too
                    verdict = " ".join(str(error).split())[:_MOST]
                else:
                    verdict = str(found.name).removeprefix("EP_").removeprefix("SUPPORTED_")
                records.write("verdict", ep=ep, verdict=verdict)


def _placed(made: Any, records: Records) -> None:
    """Who got which nodes. A node of a function may be there several times."""
    for part in made.get_provider_graph_assignment_info():
        numbers = []
        for node in part.get_nodes():
            match = _NUMBER.search(node.name)
            if match:
                numbers.append(int(match[1]))
        records.write("placed", ep=str(part.ep_name), numbers=numbers)
