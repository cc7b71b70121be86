<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/graph/graph.h"
<% if options %>
#include "gen/options.h"
<% endif %>
<% if device_memory %>
#include "device/runtime.h"
<% endif %>

namespace <%= ns %> {

// An input or an output of an executable.
struct Port {
  std::string name;
  DType dtype = DType::kUndefined;
};

// What an executable leaves behind, from which it can be made again in another process.
struct Saved {
  std::vector<unsigned char> payload;  // in a format of the executable's own
  std::vector<SharedBytes> chunks;     // large data, such as weights; equal chunks are stored once
  uint64_t workspace = 0;              // bytes that a run needs at most; 0 where it depends
};

// Where the results of a run go.
class Results {
 public:
  Results& operator=(Results&&) = delete;  // and so no copies
  virtual ~Results() = default;

  // Memory for output `index`, of the type of its port; once per output and run.
<% if device_memory %>
  // The address is the device's: Runtime::KernelAddress makes it one for kernels.
<% endif %>
  virtual Status Allocate(size_t index, const Shape& shape, MutableTensor* tensor) = 0;
};

// A compiled group of nodes. Immutable to the outside: several threads may run it at once.
class Executable {
 public:
  Executable& operator=(Executable&&) = delete;  // and so no copies
  virtual ~Executable() = default;

  // In the order of a run's inputs and outputs.
  virtual const std::vector<Port>& inputs() const noexcept = 0;
  virtual const std::vector<Port>& outputs() const noexcept = 0;

  // Computes. The inputs are all there and have the types of their ports; their shapes are
  // whatever the application feeds.
<% if device_memory %>
  // Their addresses are the device's: Runtime::KernelAddress makes one for kernels.
<% endif %>
<% if streams %>
  // What the device does is put into `stream`; where that is null, it has been done at the end. All
  // memory of the device stays until the queue has come so far. `exec` is for work on the host.
  virtual Status Run(Inputs inputs, Results& results, Stream stream, Exec& exec) const = 0;
<% else %>
  virtual Status Run(Inputs inputs, Results& results, Exec& exec) const = 0;
<% endif %>

  virtual Status Save(Saved* saved) const = 0;
};

// What Compile has to work from. Either `graph` or `saved` is there.
struct CompileRequest {
  const Graph* graph = nullptr;  // a group of nodes of a model
  const Saved* saved = nullptr;  // what an executable of this library has saved: nothing to compile
  // Nothing is going to be run: the session ends once the compiled model is written.
  bool compile_only = false;
<% if options %>
<% if dynamic_options %>
  const Options* options = nullptr;  // that the session begins with
  // As they are at the moment, for an executable that keeps this: applications may change some of
  // them, between runs and during one.
  std::shared_ptr<const LiveOptions> live_options;
<% else %>
  const Options* options = nullptr;  // of the session
<% endif %>
<% endif %>
<% if device_memory %>
  Runtime* runtime = nullptr;  // outlives the executable
<% endif %>
};

// A group of nodes in, an executable out. This is src/graph/compile.cc, and it is yours: all that
// stands between ONNX Runtime and your compiler.
Status Compile(const CompileRequest& request, std::unique_ptr<Executable>* executable);

}  // namespace <%= ns %>
