"""epforge: from a YAML blueprint to a complete ONNX Runtime plugin execution provider.

What each verb of the command line does is a function here, and what it returns is typed::

    import epforge

    result = epforge.check_blueprint("blueprint.yaml")

Nothing is printed. What is wrong is an `EpforgeError` with a message, a cure and an exit status.
`to_json()` of a result is what the verb prints with ``--json``.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true, and `typing` need not be imported

__version__ = "0.1.0"

if TYPE_CHECKING:
    from epforge.blueprint.diagnostic import BlueprintErrors, Diagnostic, Fix, Severity, Span
    from epforge.blueprint.report import apply_fix
    from epforge.build import BuildResult
    from epforge.build.diagnostics import BuildError
    from epforge.build.process import BuildTimeoutError
    from epforge.build.wheel import WheelResult
    from epforge.doctor.model import Checkup, Finding
    from epforge.doctor.onnx_model import ModelCheckup
    from epforge.errors import EpforgeError, ExitStatus, MissingError, UsageError
    from epforge.ort.sdk.store import Sdk
    from epforge.ort.sdk.verify import BadSdkError
    from epforge.report import Difference, Report
    from epforge.resolve.model import Blueprint
    from epforge.validate.inspection.model import Inspection
    from epforge.validate.model import CaseResult, Check
    from epforge.validate.model import Outcome as CheckOutcome
    from epforge.validate.model import Report as ValidationReport
    from epforge.verbs.add import AddResult, add_device, add_op, add_option
    from epforge.verbs.api import (
        ApiDifference,
        ApiKeys,
        ShownLevel,
        ShownMember,
        ShownStruct,
        api_keys,
        diff_api,
        show_api,
    )
    from epforge.verbs.build import BuiltProject, build_project
    from epforge.verbs.change.blocked import BlockedError, UnresolvedError
    from epforge.verbs.change.proving import Proof
    from epforge.verbs.change.result import ChangeResult
    from epforge.verbs.change.upgrading import Upgrade
    from epforge.verbs.check import CheckResult, Mending, check_blueprint
    from epforge.verbs.compile import compile_models
    from epforge.verbs.compile_worker import BrokenDownError, CompileResult, RefusedError
    from epforge.verbs.coverage import Coverage, ops_coverage
    from epforge.verbs.doctor import diagnose
    from epforge.verbs.eject import EjectResult, eject_op
    from epforge.verbs.init import InitResult, ReadyList, init_repository, list_ready
    from epforge.verbs.inspect import inspect_library
    from epforge.verbs.ops import ModelOps, OpDetails, OpList, list_ops, ops_from_model, show_op
    from epforge.verbs.plan import BlueprintPlan, PlannedFile, ProjectPlan, plan_project
    from epforge.verbs.regenerate import RegenerateResult, regenerate_project
    from epforge.verbs.report import (
        ReadReport,
        RenderedReport,
        ReportDiff,
        diff_reports,
        read_report,
        render_report,
    )
    from epforge.verbs.resolve import ResolveResult, resolve_conflicts
    from epforge.verbs.scaffold import ScaffoldResult, scaffold_project
    from epforge.verbs.schema import SchemaList, SchemaResult, json_schema, list_schemas
    from epforge.verbs.sdk import (
        FoundSdk,
        SdkList,
        SdkResult,
        VerifiedSdk,
        find_sdk,
        install_sdk,
        list_sdks,
        verify_sdk,
    )
    from epforge.verbs.starter import ExportedStarter, StarterFormat, export_starter
    from epforge.verbs.status import Drift, StatusResult, project_status
    from epforge.verbs.templates import (
        EjectedTemplates,
        Template,
        TemplateDiff,
        TemplateDiffs,
        TemplateList,
        TemplateState,
        diff_templates,
        eject_templates,
        list_templates,
        show_template,
    )
    from epforge.verbs.types import Result
    from epforge.verbs.upgrade import (
        FileUpgradeResult,
        NewerRelease,
        UpgradeResult,
        newer_release,
        upgrade_blueprint,
        upgrade_project,
    )
    from epforge.verbs.validate import validate_library
    from epforge.workspace import InTheWayError, OpenConflictsError, PendingError
    from epforge.workspace.outcome import (
        Action,
        ActionKind,
        Conflict,
        ConflictKind,
        Hunk,
        Note,
        NoteKind,
        OnConflict,
        Outcome,
    )

__all__ = [
    "Action",
    "ActionKind",
    "AddResult",
    "ApiDifference",
    "ApiKeys",
    "BadSdkError",
    "BlockedError",
    "Blueprint",
    "BlueprintErrors",
    "BlueprintPlan",
    "BrokenDownError",
    "BuildError",
    "BuildResult",
    "BuildTimeoutError",
    "BuiltProject",
    "CaseResult",
    "ChangeResult",
    "Check",
    "CheckOutcome",
    "CheckResult",
    "Checkup",
    "CompileResult",
    "Conflict",
    "ConflictKind",
    "Coverage",
    "Diagnostic",
    "Difference",
    "Drift",
    "EjectResult",
    "EjectedTemplates",
    "EpforgeError",
    "ExitStatus",
    "ExportedStarter",
    "FileUpgradeResult",
    "Finding",
    "Fix",
    "FoundSdk",
    "Hunk",
    "InTheWayError",
    "InitResult",
    "Inspection",
    "Mending",
    "MissingError",
    "ModelCheckup",
    "ModelOps",
    "NewerRelease",
    "Note",
    "NoteKind",
    "OnConflict",
    "OpDetails",
    "OpList",
    "OpenConflictsError",
    "Outcome",
    "PendingError",
    "PlannedFile",
    "ProjectPlan",
    "Proof",
    "ReadReport",
    "ReadyList",
    "RefusedError",
    "RegenerateResult",
    "RenderedReport",
    "Report",
    "ReportDiff",
    "ResolveResult",
    "Result",
    "ScaffoldResult",
    "SchemaList",
    "SchemaResult",
    "Sdk",
    "SdkList",
    "SdkResult",
    "Severity",
    "ShownLevel",
    "ShownMember",
    "ShownStruct",
    "Span",
    "StarterFormat",
    "StatusResult",
    "Template",
    "TemplateDiff",
    "TemplateDiffs",
    "TemplateList",
    "TemplateState",
    "UnresolvedError",
    "Upgrade",
    "UpgradeResult",
    "UsageError",
    "ValidationReport",
    "VerifiedSdk",
    "WheelResult",
    "add_device",
    "add_op",
    "add_option",
    "api_keys",
    "apply_fix",
    "build_project",
    "check_blueprint",
    "compile_models",
    "diagnose",
    "diff_api",
    "diff_reports",
    "diff_templates",
    "eject_op",
    "eject_templates",
    "export_starter",
    "find_sdk",
    "init_repository",
    "inspect_library",
    "install_sdk",
    "json_schema",
    "list_ops",
    "list_ready",
    "list_schemas",
    "list_sdks",
    "list_templates",
    "newer_release",
    "ops_coverage",
    "ops_from_model",
    "plan_project",
    "project_status",
    "read_report",
    "regenerate_project",
    "render_report",
    "resolve_conflicts",
    "scaffold_project",
    "show_api",
    "show_op",
    "show_template",
    "upgrade_blueprint",
    "upgrade_project",
    "validate_library",
    "verify_sdk",
]

if not TYPE_CHECKING:  # they know every name from above, and that there is no other

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'epforge' has no attribute {name!r}")
        from importlib import import_module

        from epforge.verbs.public import HOMES

        home, _, own = HOMES[name].partition(":")
        found = getattr(import_module(f"epforge.{home}"), own or name)
        globals()[name] = found  # asked once
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
