<%= banner %>
#include "host.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace <%= ns %>::test {
namespace {

[[noreturn]] void Die(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(2);
}

// ThreadSanitizer cannot see how the runtime's own threads take turns, so under it there are none:
// what it checks is several threads calling the library at once.
#if defined(__SANITIZE_THREAD__)
constexpr int kThreadsPerSession = 1;
#elif defined(__has_feature)
constexpr int kThreadsPerSession = __has_feature(thread_sanitizer) ? 1 : 2;
#else
constexpr int kThreadsPerSession = 2;
#endif

#if defined(_WIN32)
using PathString = std::wstring;
#else
using PathString = std::string;
#endif

PathString ToPath(const char* text) { return PathString(text, text + std::string(text).size()); }

// The encoding of protocol buffers, as far as a model needs it.
class Message {
 public:
  Message& Int(int field, int64_t value) {
    Varint(static_cast<uint64_t>(field) << 3);
    Varint(static_cast<uint64_t>(value));
    return *this;
  }
  Message& Text(int field, const std::string& value) {
    Varint(static_cast<uint64_t>(field) << 3 | 2);
    Varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& Sub(int field, const Message& value) { return Text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t value) {
    for (; value > 127; value >>= 7) bytes_ += static_cast<char>(value | 128);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// ValueInfoProto of a float tensor of shape (N, 4).
Message Matrix(const std::string& name) {
  const Message shape = Message().Sub(1, Message().Text(2, "N")).Sub(1, Message().Int(1, 4));
  const Message tensor = Message().Int(1, 1).Sub(2, shape);
  return Message().Text(1, name).Sub(2, Message().Sub(1, tensor));
}

}  // namespace

std::string MakeModel(const Elementwise& node) {
  Message made;
  Message graph;
  for (size_t i = 0; i < node.inputs; ++i) made.Text(1, "input_" + std::to_string(i));
  made.Text(2, "output").Text(3, "node").Text(4, node.op).Text(7, node.domain);
  graph.Sub(1, made).Text(2, "graph");
  for (size_t i = 0; i < node.inputs; ++i) graph.Sub(11, Matrix("input_" + std::to_string(i)));
  graph.Sub(12, Matrix("output"));
  const Message opset = Message().Text(1, node.domain).Int(2, node.opset);
  return Message().Int(1, 8).Sub(7, graph).Sub(8, opset).bytes();
}

std::vector<float> MakeData(int64_t rows, int seed) {
  std::vector<float> data(static_cast<size_t>(rows * 4));
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<float>((i * 7 + static_cast<size_t>(seed) * 5) % 19) / 8.0F - 1.0F;
  }
  return data;
}

std::string Session::Run(int64_t rows, size_t fed, std::vector<float>* result) const {
  const char* names[] = {"input_0", "input_1"};
  const char* output_name = "output";
  const int64_t shape[] = {rows, 4};
  OrtMemoryInfo* info = nullptr;
  OrtValue* output = nullptr;
  std::vector<OrtValue*> inputs(fed);
  std::vector<std::vector<float>> data;
  OrtStatus* status = ort_.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info);
  for (size_t i = 0; i < fed && status == nullptr; ++i) {
    data.push_back(MakeData(rows, static_cast<int>(i) + 1));
    status = ort_.CreateTensorWithDataAsOrtValue(info, data.back().data(),
                                                 data.back().size() * sizeof(float), shape, 2,
                                                 ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &inputs[i]);
  }
  if (status == nullptr) {
    status = ort_.Run(session_, nullptr, names, inputs.data(), fed, &output_name, 1, &output);
  }
  if (status == nullptr) {
    size_t bytes = 0;
    const void* raw = nullptr;
    status = ort_.GetTensorSizeInBytes(output, &bytes);
    if (status == nullptr) status = ort_.GetTensorData(output, &raw);
    const auto* floats = static_cast<const float*>(raw);
    if (status == nullptr && bytes > 0) result->assign(floats, floats + bytes / sizeof(float));
    if (status == nullptr && bytes == 0) result->clear();
  }
  std::string error;
  if (status != nullptr) error = ort_.GetErrorMessage(status);
  ort_.ReleaseStatus(status);
  for (OrtValue* input : inputs) ort_.ReleaseValue(input);
  ort_.ReleaseValue(output);
  ort_.ReleaseMemoryInfo(info);
  return error;
}

Host::Host(const char* ort_library) {
  using GetBase = const OrtApiBase*(ORT_API_CALL*)();
  const auto get = reinterpret_cast<GetBase>(FindFunction(ort_library, "OrtGetApiBase"));
  if (get == nullptr) Die(std::string(ort_library) + ": no ONNX Runtime");
  base_ = get();
  const int minor = std::atoi(base_->GetVersionString() + 2);  // 1.MINOR.PATCH
  level_ = static_cast<uint32_t>(minor);
  ort_ = base_->GetApi(std::min(level_, uint32_t{ORT_API_VERSION}));
  if (ort_ == nullptr) Die(std::string(ort_library) + ": no API");
  const std::string error = Take(ort_->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "host_test", &env_));
  if (!error.empty()) Die(error);
}

std::string Host::Take(OrtStatus* status) const {
  if (status == nullptr) return "";
  const std::string text = ort_->GetErrorMessage(status);
  ort_->ReleaseStatus(status);
  return text.empty() ? "an error without text" : text;
}

std::string Host::Register(const std::string& name, const char* library) const {
  return Take(ort_->RegisterExecutionProviderLibrary(env_, name.c_str(), ToPath(library).c_str()));
}

std::string Host::Unregister(const std::string& name) const {
  return Take(ort_->UnregisterExecutionProviderLibrary(env_, name.c_str()));
}

std::vector<const OrtEpDevice*> Host::Devices(const std::string& ep) const {
  const OrtEpDevice* const* all = nullptr;
  size_t count = 0;
  std::vector<const OrtEpDevice*> ours;
  if (!Take(ort_->GetEpDevices(env_, &all, &count)).empty()) return ours;
  for (size_t i = 0; i < count; ++i) {
    if (ep == ort_->EpDevice_EpName(all[i])) ours.push_back(all[i]);
  }
  return ours;
}

std::string Host::Open(const std::string& model, const OrtEpDevice* device,
                       const Settings& options, const Settings& config, Session* session) const {
  OrtSessionOptions* settings = nullptr;
  std::string error = Take(ort_->CreateSessionOptions(&settings));
  const auto then = [&](OrtStatus* status) {
    const std::string text = Take(status);
    if (error.empty()) error = text;
  };
  then(ort_->SetSessionGraphOptimizationLevel(settings, ORT_DISABLE_ALL));
  then(ort_->SetIntraOpNumThreads(settings, kThreadsPerSession));
  for (const auto& [key, value] : config) {
    then(ort_->AddSessionConfigEntry(settings, key.c_str(), value.c_str()));
  }
  if (device != nullptr) {
    std::vector<const char*> keys;
    std::vector<const char*> values;
    for (const auto& [key, value] : options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
    then(ort_->AddSessionConfigEntry(settings, "session.disable_cpu_ep_fallback", "1"));
    then(ort_->SessionOptionsAppendExecutionProvider_V2(settings, env_, &device, 1, keys.data(),
                                                        values.data(), keys.size()));
  }
  if (error.empty()) {
    then(ort_->CreateSessionFromArray(env_, model.data(), model.size(), settings, session->out()));
  }
  ort_->ReleaseSessionOptions(settings);
  return error;
}

void* FindFunction(const char* library, const char* name) {
#if defined(_WIN32)
  const HMODULE module = LoadLibraryW(ToPath(library).c_str());
  return module != nullptr ? reinterpret_cast<void*>(GetProcAddress(module, name)) : nullptr;
#else
  void* module = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) std::fprintf(stderr, "%s\n", dlerror());
  return module != nullptr ? dlsym(module, name) : nullptr;
#endif
}

}  // namespace <%= ns %>::test
