"""A model: what it lacks, who takes its nodes, whose work is compiled in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from epforge.blueprint import load
from epforge.build import open_project
from epforge.doctor import placement
from epforge.doctor.installed import plugins
from epforge.doctor.placement.asking import ask
from epforge.doctor.placement.model import How, Placement
from epforge.doctor.reading import Compiled, compiled, judge_compiled, judge_header
from epforge.doctor.subject import BLUEPRINT
from epforge.errors import EpforgeError, ExitStatus, UsageError
from epforge.plan import shell
from epforge.resolve import resolve_supported
from epforge.validate import manifest as manifests
from epforge.validate.manifest import Manifest
from epforge.validate.models import (
    Diagnosis,
    Offer,
    judge,
    library_offer,
    project_offers,
    read_manifest,
    read_model,
)
from epforge.validate.models.facts import ModelFacts
from epforge.validate.process import Limits
from epforge.validate.static import Kind
from epforge.validate.survey import Survey, survey

_PROJECT_MANIFEST = "src/gen/manifest.json"
_LOCK = "epforge.lock"
_PARENTS = 6  # above a library, in which its project is


@dataclass(frozen=True)
class Source:
    """Whose taking of nodes is asked about.

    Args:
        name: a library, project or blueprint, for people.
        manifest: what it claims; None where it does not say.
        plugins: the libraries to ask; none to go by the claims.
        where: what tells ``epforge add`` where to add; empty if nothing.
    """

    name: str
    manifest: Manifest | None
    plugins: tuple[Path, ...] = ()
    where: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelCheckup:
    """Everything that was found about a model.

    Args:
        offers: what libraries offer that were given.
        placement: who takes which nodes.
        compiled: what is compiled in it, per execution provider.
        facts: what it says itself.
        runtime: what the onnxruntime here can do.
    """

    model: Path
    diagnosis: Diagnosis
    offers: tuple[Offer, ...]
    placement: Placement
    compiled: tuple[Compiled, ...]
    facts: ModelFacts
    runtime: Survey

    @property
    def exit_status(self) -> ExitStatus:
        """1 where onnxruntime would not load it, or not with these libraries."""
        placed = self.placement
        fine = self.diagnosis.fine and not placed.refused and not placed.unregistered
        return ExitStatus.OK if fine else ExitStatus.CHECK_FAILED

    def to_json(self) -> dict[str, Any]:
        """For programs; the keys are stable."""
        facts = self.facts
        return {
            "format": 1,
            "about": "model",
            "model": str(self.model),
            "exit_status": int(self.exit_status),
            **self.diagnosis.to_json(),
            "unknown": [offer.file for offer in self.offers if not offer.known],
            "untyped": self.diagnosis.untyped,
            "header": {
                "ir": facts.ir,
                "imports": [{"domain": d, "version": version} for d, version in facts.imports],
                "producer": facts.producer,
            },
            "runtime": {
                "version": self.runtime.version,
                "ir": self.runtime.ir,
                "opset": self.runtime.opset,
            },
            "placement": self.placement.to_json(),
            "compiled": [each.to_json() for each in self.compiled],
        }


def examine(
    model: Path,
    libraries: Sequence[Path],
    projects: Sequence[Path],
    *,
    asking: bool = True,
    limits: Limits | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> ModelCheckup:
    """Looks at a model.

    Args:
        libraries: those that the application registers, in the order in which a session gets
            them.
        projects: projects or blueprints whose libraries could be registered.
        asking: load libraries, and ask them; otherwise what they claim has to do.
        limits: of each process in which foreign code runs.

    Raises UsageError for what is no model, no library, or no project, BlueprintErrors.
    """
    limits = limits or Limits()
    facts = read_model(model, limits, everything=True, numbered=True)
    given = [library_offer(path) for path in libraries]
    offers = (*given, *(offer for path in projects for offer in _project_offers(path)))
    diagnosis = judge(facts.foreign, offers)
    runtime = survey()
    source = _source(libraries, given, projects, asking)
    placed = _placement(model, facts, source, given, libraries, limits, progress)
    made = compiled(facts, model.absolute().parent, _libraries(source, placed), placed.verdicts)
    more = (*judge_header(facts, runtime), *judge_compiled(made, model))
    diagnosis = replace(diagnosis, findings=(*more, *diagnosis.findings))
    return ModelCheckup(model, diagnosis, offers, placed, made, facts, runtime)


def _placement(
    model: Path,
    facts: ModelFacts,
    source: Source | None,
    given: Sequence[Offer],
    libraries: Sequence[Path],
    limits: Limits,
    progress: Callable[[str], None],
) -> Placement:
    nodes = facts.nodes
    if source is None:
        return placement.could_be(nodes, str(model))
    if not source.plugins:
        if source.manifest is None:
            return Placement(How.CLAIMS, source.name)
        return placement.by_claims(nodes, source.manifest, source.name, source.where)
    progress(f"asking {source.name}")
    pairs = zip(given, libraries, strict=True)
    custom = [path for offer, path in pairs if offer.kind is Kind.CUSTOM_OPS]
    asked = ask(model, facts, source.plugins, custom, limits)
    found = placement.divided(nodes, asked, source.manifest, source.name, source.where)
    if asked.takers or source.manifest is None:
        return found
    claimed = placement.by_claims(nodes, source.manifest, source.name, source.where)
    return replace(found, how=claimed.how, groups=claimed.groups, eps=claimed.eps)


def _source(
    libraries: Sequence[Path], given: Sequence[Offer], projects: Sequence[Path], asking: bool
) -> Source | None:
    """Whose taking is asked about: the libraries', else the first project's; None for nobody's."""
    pairs = zip(libraries, given, strict=True)
    plugins = tuple(path for path, offer in pairs if offer.kind is Kind.PLUGIN_EP)
    if plugins:
        places = [manifests.beside(path) for path in plugins]
        manifest = next((manifests.load(place) for place in places if place.is_file()), None)
        names = ", ".join(path.name for path in plugins)
        where = _project_of(plugins[0]) or (("--project", str(projects[0])) if projects else ())
        return Source(names, manifest, plugins if asking else (), where)
    return _of_project(projects[0], asking) if projects else None


def _project_of(library: Path) -> tuple[str, ...]:
    for folder in library.absolute().parents[:_PARENTS]:
        if (folder / _LOCK).is_file():
            return ("--project", str(folder))
    return ()


def _of_project(path: Path, asking: bool) -> Source:
    blueprint = _blueprint(path)
    if blueprint is not None:
        claims = manifests.read(_claims(blueprint), blueprint)
        return Source(str(path), claims, (), ("--file", str(blueprint)))
    where = ("--project", str(path))
    place = path / _PROJECT_MANIFEST
    manifest = manifests.read(read_manifest(place), place)
    try:
        library = open_project(path).library_path("release")
    except EpforgeError:  # it cannot be built as it is: its claims have to do
        return Source(str(path), manifest, (), where)
    there = asking and library.is_file()
    return Source(str(path), manifest, (library,) if there else (), where)


def _blueprint(path: Path) -> Path | None:
    """The blueprint that a path names, or that a directory holds that is no project yet."""
    if not path.is_dir():
        return path
    held = path / BLUEPRINT
    return held if held.is_file() and not (path / _PROJECT_MANIFEST).is_file() else None


def _claims(blueprint: Path) -> Mapping[str, Any]:
    return shell.manifest(resolve_supported(load(blueprint)))


def _project_offers(path: Path) -> tuple[Offer, ...]:
    """What could be registered of a project's directory, or of a blueprint."""
    blueprint = _blueprint(path)
    if blueprint is not None:
        return project_offers(_claims(blueprint), str(blueprint))
    manifest = path / _PROJECT_MANIFEST
    if not manifest.is_file():
        raise UsageError(f"{path}: not a project that epforge made", "Make one: epforge scaffold")
    return project_offers(read_manifest(manifest), str(manifest))


def _libraries(source: Source | None, placed: Placement) -> list[tuple[str, str]]:
    """(execution provider, library) of what is given, and of what is installed here."""
    found: list[tuple[str, str]] = []
    if source is not None:
        own = source.manifest.eps if source.manifest else ()
        found += [(ep, source.name) for ep in (*own, *placed.eps)]
    return [*found, *((each.ep, each.library) for each in plugins())]
