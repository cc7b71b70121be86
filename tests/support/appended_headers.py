"""Headers of a release that is not packaged yet: those of 1.27, with what was appended since.

No package has headers newer than 1.27, and releases up to 1.32 can be run. Their structs only grew
at the end, so the known members, appended in order, give the layout. The members come from
epforge's own tables of API levels; the few signatures that no table has are written here, as the
released libraries take their arguments (reference: the fact sheet of the C API, sections 1 and 6).
For tests alone.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

from locking import locked

from epforge.cache import cache_dir
from epforge.ort.levels import load_level
from epforge.ort.model import Member
from epforge.ort.sdk import find_sdk

_PACKAGED = 27
_C_API = "onnxruntime_c_api.h"
_EP_API = "onnxruntime_ep_c_api.h"
_STRUCTS = {
    "OrtApi": _C_API,
    "OrtCompileApi": _C_API,
    "OrtEpApi": _EP_API,
    "OrtEp": _EP_API,
    "OrtEpFactory": _EP_API,
}

# What the appended members are declared with.
_TYPES = """
typedef void (*OrtExperimentalFnPtr)(void);
typedef struct OrtEpContextConfig OrtEpContextConfig;
typedef struct OrtModelPackageApi OrtModelPackageApi;
typedef enum OrtWeightlessSupport {
  OrtWeightlessSupport_NONE = 0,
  OrtWeightlessSupport_EXTERNAL_ONLY = 1,
  OrtWeightlessSupport_ALL = 2,
  OrtWeightlessSupport_ALL_OR_EXTERNAL_ONLY = 3
} OrtWeightlessSupport;
typedef OrtStatus*(ORT_API_CALL* OrtReadNamedBufferFunc)(void* state, const char* name,
                                                         OrtAllocator* allocator, void** buffer,
                                                         size_t* size);
typedef OrtStatus*(ORT_API_CALL* OrtWriteNamedBufferFunc)(void* state, const char* name,
                                                          const void* buffer, size_t size);
"""

_SIGNATURES = {
    "SessionOptionsGetEpContextConfig": (
        "const OrtSessionOptions* options",
        "OrtEpContextConfig** config",
    ),
    "EpContextConfigGetEpContextDataReadFunc": (
        "const OrtEpContextConfig* config",
        "OrtReadNamedBufferFunc* function",
        "void** state",
    ),
    "EpContextConfigGetEpContextDataWriteFunc": (
        "const OrtEpContextConfig* config",
        "OrtWriteNamedBufferFunc* function",
        "void** state",
    ),
    "ModelCompilationOptions_SetWeightlessEnabled": (
        "OrtModelCompilationOptions* options",
        "bool enabled",
    ),
}


def appended(level: int) -> Path:
    """A directory of headers of API ``level``; made once."""
    packaged = find_sdk(None, _PACKAGED).include
    own = hashlib.sha256(Path(__file__).read_bytes() + str(packaged).encode()).hexdigest()[:12]
    target = cache_dir("tests", "headers") / f"{level}-{own}"
    with locked(target.with_suffix(".lock")):
        if not (target / _EP_API).is_file():
            shutil.rmtree(target, ignore_errors=True)
            stage = target.with_suffix(".stage")
            shutil.rmtree(stage, ignore_errors=True)
            shutil.copytree(packaged, stage)
            _append(stage, level)
            stage.rename(target)
    return target


def _append(headers: Path, level: int) -> None:
    for name, file in _STRUCTS.items():
        path = headers / file
        members = [m for m in load_level(level).structs[name].members if m.since > _PACKAGED]
        text = _in_struct(path.read_text(encoding="utf-8"), name, members)
        path.write_text(text, encoding="utf-8")
    path = headers / _C_API
    text = path.read_text(encoding="utf-8")
    text = text.replace(f"#define ORT_API_VERSION {_PACKAGED}", f"#define ORT_API_VERSION {level}")
    path.write_text(text.replace("\nstruct OrtApi {", f"\n{_TYPES}\nstruct OrtApi {{"), "utf-8")


def _in_struct(text: str, name: str, members: list[Member]) -> str:
    head = re.search(rf"^struct {name} \{{$", text, re.MULTILINE)
    assert head is not None, name
    end = text.index("\n};", head.end())
    lines = "".join(f"\n  {_declared(member)}" for member in members)
    return text[:end] + lines + text[end:]


def _declared(member: Member) -> str:
    if member.params is None:
        parameters = ", ".join(_SIGNATURES.get(member.name, ("void",)))
    else:
        parameters = ", ".join(map(str, member.params)) or "void"
    return f"{member.type}(ORT_API_CALL* {member.name})({parameters}) NO_EXCEPTION;"
