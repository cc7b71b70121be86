"""Model packages by the C API, and how they are written; for processes under test."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_size_t, c_void_p
from dataclasses import dataclass, field
from pathlib import Path

from capi import Ort, Table
from models import model, node, value
from onnx import ModelProto

from ort_examples.harness import (
    Example,
    X,
    mul,
    run,
    runtime,
    same,
    save,
    text_of,
)

_WANTED = X * X


def nobody_s() -> ModelProto:
    """A model that no session can be made of."""
    return model(
        [node("Mul16", ["X", "X"], ["Y"], name="mul_16")],
        [value("X", [3, 2])],
        [value("Y", [3, 2])],
    )


@dataclass(frozen=True)
class Variant:
    """One of the forms that a model comes in."""

    name: str
    ep: str
    device: str = "cpu"
    compatibility: str = ""
    model: ModelProto | None = field(default_factory=mul)
    session_options: Mapping[str, str] | None = None
    provider_options: Mapping[str, str] | None = None


def package(
    root: Path,
    *variants: Variant,
    component: str = "model",
    schema: str = "1.0",
    file: str = "m.onnx",
) -> Path:
    """Writes a package of one component."""
    made = {}
    for each in variants:
        folder = root / component / each.name
        folder.mkdir(parents=True)
        entry: dict[str, object] = {"variant_directory": f"{component}/{each.name}"}
        entry |= {"ep": each.ep, "device": each.device}
        if each.compatibility:
            entry["compatibility_string"] = each.compatibility
        if each.model is not None:
            save(each.model, folder / file)
            ort: dict[str, object] = {"model_file": file}
            ort |= {
                key: dict(options)
                for key in ("session_options", "provider_options")
                if (options := getattr(each, key)) is not None
            }
            entry["executor_info"] = {"ort": ort}
        made[each.name] = entry
    manifest = {"schema_version": schema, "components": {component: {"variants": made}}}
    (root / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return root


class Package:
    """A package that is open, and the variant that was taken of it."""

    def __init__(self, ort: Ort, root: Path, options: int, component: str = "model") -> None:
        self.ort = ort
        self.api = Table(ort, "OrtModelPackageApi", ort.api.get("GetModelPackageApi"))
        self.context = self.api.make("CreateModelPackageContext", str(root))
        arguments = (ort.env, options)
        self._options = self.api.make("CreateModelPackageOptionsFromSessionOptions", *arguments)
        chosen = (self.context, component, self._options)
        self.component = self.api.make("SelectComponent", *chosen)

    @property
    def folder(self) -> Path:
        """Where the variant lies."""
        ask = "ModelPackageComponent_GetSelectedVariantFolderPath"
        return Path(text_of(self.api.make(ask, self.component)))

    def session(self, options: int = 0) -> int:
        """A session of the variant; without options it has those of the package alone."""
        return self.api.make("CreateSession", self.ort.env, self.component, options)

    def names(self, ask: str, *of_what: str) -> tuple[int, list[str]]:
        """A list of names, and where it lies."""
        place, count = c_void_p(), c_size_t()
        self.api(ask, self.context, *of_what, byref(place), byref(count))
        texts = ctypes.cast(place, ctypes.POINTER(c_char_p))[: count.value]
        return place.value or 0, [each.decode() for each in texts]

    def resolve(self, reference: str, base: str | int = 0, *, there: bool = True) -> Path:
        """Where a reference leads."""
        arguments = (self.context, base, reference, int(there))
        return Path(text_of(self.api.make("ModelPackage_ResolveStringRef", *arguments)))

    def release(self) -> None:
        for name, what in (
            ("ComponentContext", self.component),
            ("Options", self._options),
            ("Context", self.context),
        ):
            self.api.get(f"ReleaseModelPackage{name}", what)


@contextmanager
def opened(
    it: Example, root: Path, options: int | None = None, component: str = "model"
) -> Iterator[Package]:
    """A package, opened for the example's device."""
    made = Package(it.ort, root, it.options() if options is None else options, component)
    try:
        yield made
    finally:
        made.release()


@contextmanager
def on_cpu(root: Path, component: str = "model") -> Iterator[Package]:
    """A package, opened without any library."""
    with runtime() as ort:
        made = Package(ort, root, ort.api.make("CreateSessionOptions"), component)
        try:
            yield made
        finally:
            made.release()


def squares(ort: Ort, session: int) -> None:
    """The session is of `mul`, and right."""
    same(run(ort, session, {"X": X}, "Y")[0], _WANTED)
    ort.api.get("ReleaseSession", session)
