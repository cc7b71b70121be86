<%= banner %>
// Runs a model on the plugin, and says where each node ran: what an application does, step by step.
#include <onnxruntime_cxx_api.h>

#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "arguments.h"
#include "devices.h"
#include "failure.h"
#include "files.h"
#include "inputs.h"
#include "outputs.h"
#include "placement.h"
#include "registration.h"
#include "runtime.h"

namespace sample {
namespace {

// Messages of ONNX Runtime may have several lines.
std::string OneLine(const std::string& text) {
  std::string line;
  for (const char each : text) {
    const bool blank = each == '\n' || each == '\r' || each == '\t' || each == ' ';
    if (!blank) line += each;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

Ort::Session Open(const Ort::Env& env, const std::string& model, const Ort::SessionOptions& options) {
  const std::filesystem::path file = GivenFile(model, "the model", "its path");
  try {
    return Ort::Session(env, file.c_str(), options);
  } catch (const Ort::Exception& error) {
    std::string text = "ONNX Runtime does not load " + file.string() + ": " + error.what();
    if (text.find("is not a registered function/op") != std::string::npos ||
        text.find("No Op registered for") != std::string::npos) {
      text += ". An operator of the model is in no library that is registered: check its name, "
              "domain and version, and whether its library is here (--no-ep: --custom-ops)";
    }
    throw Failure(text);
  }
}

// On a device of the plugin. ONNX Runtime computes on the CPU what the plugin does not take.
void UsePlugin(Ort::Env& env, const Ort::ConstEpDevice& device, Ort::SessionOptions& options) {
  const std::vector<Ort::ConstEpDevice> devices = {device};
  options.AppendExecutionProvider_V2(env, devices, std::unordered_map<std::string, std::string>());
}

// Without the plugin, its operators come from the stand-alone library. With it nothing is to be
// registered: ONNX Runtime knows each domain of operators once in a session.
void UseCustomOps(const std::string& given, Ort::SessionOptions& options) {
  const std::filesystem::path file = CustomOpsFile(given);
  if (file.empty()) return;
  CheckCustomOps(file);
  try {
    options.RegisterCustomOpsLibrary(file.c_str());
  } catch (const Ort::Exception& error) {
    throw Failure("ONNX Runtime does not register " + file.string() + ": " + error.what());
  }
  std::printf("custom operators: %s\n", file.string().c_str());
}

void Run(const Arguments& arguments) {
  std::printf("ONNX Runtime %s\n", OpenRuntime(arguments.runtime).c_str());

  // Order matters at the end: what is declared later goes first. The session goes before its
  // options and the plugin's registration, and the environment last.
  Ort::Env env(static_cast<OrtLoggingLevel>(arguments.log), "sample");
  std::optional<Registration> plugin;
  Ort::SessionOptions options;

  if (arguments.use_ep) {
    plugin.emplace(env, arguments.name, PluginFile(arguments.library));
    std::printf("plugin: %s, registered as %s\n", plugin->file().string().c_str(),
                plugin->name().c_str());
    PrintDevices(env);
    const Ort::ConstEpDevice device = PickDevice(env, *plugin, arguments.device);
    if (arguments.list) return;
    std::printf("using device %zu\n", arguments.device);
    UsePlugin(env, device, options);
  } else {
    UseCustomOps(arguments.custom_ops, options);
  }
  RecordPlacement(options);

  Ort::Session session = Open(env, arguments.model, options);
  PrintPlacement(session);

  const std::vector<std::string> output_names = session.GetOutputNames();
  CheckOutputNames(output_names, arguments);
  const Inputs inputs = MakeInputs(session, arguments);
  std::vector<const char*> fed;
  std::vector<const char*> wanted;
  for (const std::string& name : inputs.names) fed.push_back(name.c_str());
  for (const std::string& name : output_names) wanted.push_back(name.c_str());
  const std::vector<Ort::Value> outputs =
      session.Run(Ort::RunOptions(), fed.data(), inputs.values.data(), fed.size(), wanted.data(),
                  wanted.size());
  ShowOutputs(output_names, outputs, arguments);
}

}  // namespace
}  // namespace sample

int main(int argc, char** argv) {
  std::string text;
  try {
    const sample::Arguments arguments = sample::ParseArguments(argc, argv);
    if (arguments.help) {
      std::fputs(sample::Usage(), stdout);
      return 0;
    }
    sample::Run(arguments);
    return 0;
  } catch (const std::bad_alloc&) {
    text = "there is not enough memory: choose smaller sizes";
  } catch (const std::exception& error) {
    text = error.what();
  }
  std::fflush(stdout);
  std::fprintf(stderr, "sample: %s\n", sample::OneLine(text).c_str());
  return 1;
}
