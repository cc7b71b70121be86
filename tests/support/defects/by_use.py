"""Defects that show while the library is used: its file, its options, its numbers, its files."""

from __future__ import annotations

from defects.model import Defect, Patch, Sign

_LOAD = ("--rung", "load")
_OPS = ("--rung", "ops")
_GRAPHS = ("--rung", "graphs")
_CONTEXT = ("--rung", "context")

LOADING = (
    Defect(
        "D10",
        "too old a runtime is answered with success and no devices",
        "registry",
        (
            Patch(
                "src/abi/entry.cc",
                "EP_RETURN_IF_ERROR(ep::Negotiate(*base, &api));",
                "if (!ep::Negotiate(*base, &api).ok()) return ep::Status();",
            ),
        ),
        ("--rung", "load", "--runtime", "1.23.2"),
        (Sign("load", "too old", r"1\.24.*1\.23"),),
    ),
    Defect(
        "D17",
        "the prefix of the options is the name as written, not in lower case",
        "registry",
        (
            Patch(
                "src/gen/identity.h",
                '"ep.contosonpuexecutionprovider."',
                '"ep.ContosoNpuExecutionProvider."',
            ),
        ),
        _LOAD,
        (Sign("load", "options", "effort|mode|unknown"),),
    ),
    Defect(
        "D18",
        "the prefix of the options is made from another name",
        "registry",
        (
            Patch(
                "src/gen/identity.h",
                '"ep.contosonpuexecutionprovider."',
                '"ep.contoso."',
            ),
        ),
        _LOAD,
        (Sign("load", "options", "effort|mode|unknown"),),
    ),
    Defect(
        "D21",
        "the version is kept in two places",
        "registry",
        (Patch("src/gen/identity.h", 'kVersion[] = "0.1.0"', 'kVersion[] = "0.2.0"'),),
        _LOAD,
        (Sign("load", "manifest", r"version is '0\.2\.0', the manifest says '0\.1\.0'"),),
    ),
    Defect(
        "D49",
        "an unknown option is accepted, and nothing is said",
        "registry",
        (
            Patch(
                "src/gen/options.cc",
                "return Unknown(text);",
                "(void)Unknown(text);\n  return Status();",
            ),
        ),
        _LOAD,
        (Sign("load", "options", "unknown"),),
    ),
    Defect(
        "D51",
        "a default is published that the parser does not take",
        "registry",
        (Patch("src/gen/options.cc", '        "fast",\n', '        "quick",\n'),),
        _LOAD,
        (Sign("load", "options|session", "mode"),),
    ),
    Defect(
        "D53",
        "a change in a session that cannot be made is no error",
        "registry",
        (
            Patch(
                "src/gen/options.cc",
                "  EP_RETURN_IF_ERROR(ParseOptions(given, count, changed.get()));\n",
                "  if (!ParseOptions(given, count, changed.get()).ok()) return Status();\n",
            ),
        ),
        _LOAD,
        (Sign("load", "options", r"ep\.dynamic\.mode"),),
    ),
    Defect(
        "range",
        "an option's range is not looked at",
        "registry",
        (
            Patch("src/gen/options.cc", "!number || parsed < low || parsed > high", "!number"),
            Patch(
                "src/gen/options.cc",
                "int64_t low, int64_t high, const char*",
                "int64_t /*low*/, int64_t /*high*/, const char*",
            ),
        ),
        _LOAD,
        (Sign("load", "options", "effort"),),
    ),
    Defect(
        "stderr",
        "writes to stderr past the runtime's log",
        "registry",
        (
            Patch(
                "src/abi/factory.cc",
                "  *ep = nullptr;\n  const Logger",
                '  *ep = nullptr;\n  std::fputs("contoso: making a provider\\n", stderr);\n'
                "  const Logger",
            ),
            Patch(
                "src/abi/factory.cc", "#include <string>", "#include <cstdio>\n#include <string>"
            ),
        ),
        _LOAD,
        (Sign("load", "stderr", "contoso: making a provider"),),
    ),
    Defect(
        "unload",
        "a destructor of the thread's keeps the library in memory",
        "registry",
        (
            Patch(
                "src/abi/factory.cc",
                "api_(api), logger_(api, default_logger) {",
                'api_(api), logger_(api, default_logger) {\n  named.name = "main";',
            ),
            Patch(
                "src/abi/factory.cc",
                "Factory::Factory(const Api& api",
                "namespace {\nstruct Named {\n  ~Named() { name.clear(); }\n  std::string name;\n"
                "};\nthread_local Named named;\n}  // namespace\n\nFactory::Factory(const Api& api",
            ),
        ),
        _LOAD,
        (Sign("load", "unload", "still mapped"),),
    ),
    Defect(
        "D52",
        "an environment variable of the whole process is set",
        "registry",
        (
            Patch(
                "src/abi/factory.cc",
                "  *ep = nullptr;\n  const Logger",
                '  *ep = nullptr;\n  setenv("CONTOSO_CACHE", "/tmp/contoso", 1);\n  const Logger',
            ),
            Patch(
                "src/abi/factory.cc", "#include <string>", "#include <cstdlib>\n#include <string>"
            ),
        ),
        _LOAD,
        (Sign("load", "surroundings", "CONTOSO_CACHE"),),
    ),
    Defect(
        "D74",
        "nothing limits what is exported",
        "registry",
        (
            Patch(
                "cmake/gen/exports.cmake",
                "    target_link_options(${target} PRIVATE "
                '"SHELL:-Xlinker \\"--version-script=${list}\\"")\n',
                "",
            ),
        ),
        ("--rung", "static"),
        (Sign("static", "exports", "exports .*(more than the two entry points|unique linkage)"),),
    ),
)

NUMBERS = (
    Defect(
        "D55",
        "a tensor without elements ends the process",
        "registry",
        (
            Patch(
                "src/abi/kernel_adapter.cc",
                "if (frame->is_empty) return Status();",
                "if (frame->is_empty) std::abort();",
            ),
            Patch(
                "src/abi/kernel_adapter.cc",
                '#include "abi/guard.h"',
                '#include <cstdlib>\n\n#include "abi/guard.h"',
            ),
        ),
        _OPS,
        (Sign("ops", "Relu", r"\b0\b.*SIGABRT|SIGABRT"),),
    ),
    Defect(
        "D62",
        "the newest version of an operator has no kernel",
        "registry",
        (
            Patch(
                "src/gen/kernel_table.cc",
                '    {"", "Relu", 14, kReluRules, 1, 0x1, 1, 0, 0, true, '
                "&KernelOf<ReluAttrs>::Make},\n",
                "",
            ),
        ),
        _OPS,
        (Sign("ops", "Relu", "14"),),
    ),
    Defect(
        "wrong type",
        "one element type is computed as another",
        "registry",
        (
            Patch(
                "src/gen/kernels/add.cc",
                'return Zip<int64_t, int64_t, int64_t>("Add", a',
                'return Zip<float, float, float>("Add", a',
            ),
        ),
        _OPS,
        (Sign("ops", "Add", "int64"),),
    ),
    Defect(
        "D63",
        "what is supported is one group, whatever lies between",
        "compiled",
        (
            Patch(
                "src/abi/claim.cc",
                "  return Partition(problem, &scan->groups);",
                "  scan->groups.emplace_back();\n"
                "  for (uint32_t i = 0; i < problem.supported.size(); ++i) {\n"
                "    if (problem.supported[i]) scan->groups.back().push_back(i);\n"
                "  }\n"
                "  if (scan->groups.back().empty()) scan->groups.clear();\n"
                "  return Status();",
            ),
        ),
        _GRAPHS,
        (Sign("graphs", "partitions", "(?i)foreign|cycl|between"),),
    ),
    Defect(
        "D42",
        "what is compiled is kept by a name that two sessions share",
        "compiled",
        (
            Patch(
                "src/abi/compute_info.h",
                "const std::unique_ptr<Executable> executable_;",
                "const Executable* executable_;",
            ),
            Patch(
                "src/abi/compute_info.h",
                "  Status Connect(const OrtNode* fused);\n",
                "  Status Connect(const OrtNode* fused);\n  Status Keep(const OrtNode* fused);\n"
                "  std::unique_ptr<Executable> made_;\n",
            ),
            Patch(
                "src/abi/compute_info.cc",
                "      executable_(std::move(executable)) {",
                "      executable_(executable.get()) {\n  made_ = std::move(executable);",
            ),
            Patch(
                "src/abi/compute_info.cc",
                "Status ComputeInfo::Connect(const OrtNode* fused) {\n",
                "// One executable for each name.\n"
                "Status ComputeInfo::Keep(const OrtNode* fused) {\n"
                "  const char* name = nullptr;\n"
                "  EP_ORT(api(), ort->Node_GetName(fused, &name));\n"
                "  factory_.executables[name] = std::move(made_);\n"
                "  return Status();\n}\n\n"
                "Status ComputeInfo::Connect(const OrtNode* fused) {\n"
                "  EP_RETURN_IF_ERROR(Keep(fused));\n",
            ),
            Patch(
                "src/abi/factory.h",
                " private:\n",
                "  mutable std::map<std::string, std::unique_ptr<Executable>> executables;\n\n"
                " private:\n",
            ),
            Patch(
                "src/abi/factory.h",
                '#include "abi/api.h"',
                '#include <map>\n\n#include "abi/api.h"\n#include "gen/graph/executable.h"',
            ),
        ),
        _GRAPHS,
        (Sign("graphs", "sessions", r"same model.*OrtNodeComputeInfo\.Compute"),),
    ),
    Defect(
        "shared buffer",
        "a kernel keeps what it computes in a buffer of the whole library",
        "registry",
        (
            Patch(
                "src/gen/kernels/relu.cc",
                "  const Function function{};\n",
                "  const Function function{};\n"
                "  static std::vector<float> kept;\n"
                "  kept.assign(x.data<float>(), x.data<float>() + x.size());\n"
                "  const Tensor copy{kept.data(), x.dtype, x.shape};\n",
            ),
            Patch(
                "src/gen/kernels/relu.cc",
                "Map<float, float>(x, outputs[0]",
                "Map<float, float>(copy, outputs[0]",
            ),
            Patch(
                "src/gen/kernels/relu.cc",
                '#include "gen/kernels/relu.h"\n',
                '#include "gen/kernels/relu.h"\n\n#include <vector>\n',
            ),
        ),
        ("--rung", "threads"),
        (Sign("threads", "runs|churn|pool", "."),),
    ),
)

CONTEXTS = (
    Defect(
        "D65",
        "EPContext is asked of a provider that has none, which says nothing",
        "registry",
        (
            Patch(
                "src/abi/ep.cc",
                'key == "ep.context_enable" && std::string(values[i]) == "1"',
                'key == "ep.context_enable" && std::string(values[i]) == "never"',
            ),
        ),
        _CONTEXT,
        (Sign("context", "support", "not refused"),),
    ),
    Defect(
        "D67",
        "a temporary file has a fixed name, and whatever is there is written to",
        "compiled",
        (
            Patch(
                "src/abi/context_file.cc",
                'path_ = folder / ("." + std::to_string(number) + ".tmp");\n'
                "      const int file = OpenNew(path_);",
                'path_ = folder / "contoso-context.tmp";\n'
                "      const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);",
            ),
        ),
        _CONTEXT,
        (Sign("context", "output|external|names", r"contoso-context\.tmp"),),
    ),
    Defect(
        "D67 source",
        "EPContext nodes of other providers are taken",
        "compiled",
        (
            Patch(
                "src/abi/claim.cc",
                'if (!ours) return refuse("another execution provider has made it");\n',
                "(void)ours;\n",
            ),
        ),
        _CONTEXT,
        (Sign("context", ".*", "source|another|foreign"),),
    ),
)
