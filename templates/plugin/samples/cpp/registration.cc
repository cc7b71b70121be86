<%= banner %>
#include "registration.h"

#include <cstdio>

#include "failure.h"
#include "files.h"
#include "library.h"
#include "package.h"

namespace sample {
namespace {

namespace fs = std::filesystem;

constexpr char kPlugin[] = "the plugin";
constexpr char kOperators[] = "the library of custom operators";

// ONNX Runtime says of any other library only that a function is missing.
void CheckPlugin(const fs::path& file) {
  const Library library(file, kPlugin);
  if (library.Find("CreateEpFactories") != nullptr) return;
  std::string text = file.string() + " is no plugin execution provider (it exports no "
                     "CreateEpFactories)";
  if (library.Find("RegisterCustomOps") != nullptr) {
    throw Failure(text + ", but a library of custom operators: use --no-ep --custom-ops");
  }
  throw Failure(text + ": name the library of " + kEpName + " with --library");
}

}  // namespace

fs::path PluginFile(const std::string& given) {
  if (!given.empty()) return GivenFile(given, kPlugin, "--library");
  return FindLibrary({kLibraryFile}, kBuiltLibrary, kPlugin, "--library");
}

fs::path CustomOpsFile(const std::string& given) {
  if (!given.empty()) return GivenFile(given, kOperators, "--custom-ops");
  if (kCustomOpsFile[0] == '\0') return {};
  return FindLibrary({kCustomOpsFile}, kBuiltCustomOps, kOperators, "--custom-ops");
}

void CheckCustomOps(const fs::path& file) {
  const Library library(file, kOperators);
  if (library.Find("RegisterCustomOps") != nullptr) return;
  std::string text = file.string() + " has no custom operators (it exports no RegisterCustomOps)";
  if (library.Find("CreateEpFactories") != nullptr) {
    throw Failure(text + ", but is a plugin execution provider: use --library, without --no-ep");
  }
  throw Failure(text + ": correct --custom-ops");
}

Registration::Registration(Ort::Env& env, const std::string& name, const fs::path& file)
    : env_(env), name_(name), file_(file) {
  CheckPlugin(file);
  for (const Ort::ConstEpDevice& device : env.GetEpDevices()) before_.insert(device.EpName());
  try {
    env.RegisterExecutionProviderLibrary(name.c_str(), file.native());
  } catch (const Ort::Exception& error) {
    throw Failure("ONNX Runtime does not register " + file.string() + ": " + error.what());
  }
}

Registration::~Registration() {
  try {
    env_.UnregisterExecutionProviderLibrary(name_.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sample: %s is still registered: %s\n", name_.c_str(), error.what());
  }
}

}  // namespace sample
