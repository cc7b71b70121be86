<%= banner %>
#pragma once

#include <onnxruntime_c_api.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// A small host for plugin libraries: ONNX Runtime, loaded from a file, and models made in memory.
namespace <%= ns %>::test {

using Settings = std::vector<std::pair<std::string, std::string>>;

// A node that works element by element on float tensors of shape (N, 4).
struct Elementwise {
  const char* domain;
  const char* op;
  int opset;
  size_t inputs;
};

// The bytes of a model with that one node; its inputs are called input_0, input_1.
std::string MakeModel(const Elementwise& node);

// A tensor of shape (rows, 4); the numbers depend on `seed`.
std::vector<float> MakeData(int64_t rows, int seed);

// One session.
class Session {
 public:
  explicit Session(const OrtApi& ort) : ort_(ort) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { ort_.ReleaseSession(session_); }

  OrtSession** out() { return &session_; }

  // Runs on inputs of `rows` rows; of the node's `needed` inputs only the first `fed` are given.
  // Returns the error's text, empty for success.
  std::string Run(int64_t rows, size_t fed, std::vector<float>* result) const;

 private:
  const OrtApi& ort_;
  OrtSession* session_ = nullptr;
};

// The runtime, with one environment.
class Host {
 public:
  // Ends the program when the runtime cannot be loaded.
  explicit Host(const char* ort_library);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() { ort().ReleaseEnv(env_); }

  const OrtApi& ort() const { return *ort_; }
  const OrtApiBase& base() const { return *base_; }
  uint32_t level() const { return level_; }  // the runtime's own

  // Each returns the error's text, empty for success.
  std::string Register(const std::string& name, const char* library) const;
  std::string Unregister(const std::string& name) const;
  // A session on `device` alone; on the CPU when it is null.
  std::string Open(const std::string& model, const OrtEpDevice* device, const Settings& options,
                   const Settings& config, Session* session) const;

  // What the execution provider offers now.
  std::vector<const OrtEpDevice*> Devices(const std::string& ep) const;

  std::string Take(OrtStatus* status) const;

 private:
  const OrtApiBase* base_ = nullptr;
  const OrtApi* ort_ = nullptr;
  uint32_t level_ = 0;
  OrtEnv* env_ = nullptr;
};

// A function of a shared library; null when there is none. The library stays loaded.
void* FindFunction(const char* library, const char* name);

}  // namespace <%= ns %>::test
