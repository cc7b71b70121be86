<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
<% if packing %>
#include <map>
<% endif %>
#include <memory>
#include <vector>

#include "gen/api/exec.h"
#include "gen/api/kernel.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/graph/buffers.h"
#include "gen/graph/executable.h"
#include "gen/graph/graph.h"
#include "gen/graph/program_plan.h"

namespace <%= ns %> {

// What the runs of a program have in common.
struct ProgramData {
  Graph graph;
  std::vector<std::unique_ptr<Kernel>> kernels;  // per node
  Plan plan;
<% if packing %>
  std::vector<std::map<size_t, Tensor>> packed;  // per node and input: a constant that is packed
<% endif %>
<% if device_memory %>
  std::vector<const KernelRow*> rows;  // per node
  Runtime* runtime = nullptr;
  std::vector<const void*> addresses;  // per constant: on the device
<% endif %>
};

// What a run has for itself. Used by one run after the other, it keeps its memory.
class Workspace {
 public:
  explicit Workspace(const ProgramData& program);
<% if streams %>
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();  // waits for the last run: what is queued refers to the program

  Status Run(Inputs inputs, Results& results, Stream stream, Exec& exec);
<% else %>

  Status Run(Inputs inputs, Results& results, Exec& exec);
<% endif %>

 private:
<% if streams %>
  // The run before may still be queued: comes after it.
  Status Begin(Stream stream);
  Status RunAll(Inputs inputs, Results& results, Exec& exec);
  Status Queue(size_t index, Inputs inputs, Outputs outputs) const;
<% endif %>
  Status TakeInput(size_t index, const Tensor& tensor);
  Status RunNode(size_t index, Results& results, Exec& exec);
  void ListInputs(size_t index);
  // Memory for what a node makes, in the shapes that are known by now.
  Status PlaceOutputs(size_t index, Results& results);
  Status PlaceOutput(uint32_t value, const Shape& shape, Results& results);
<% if device_memory %>
  Status ReserveOnHost(uint32_t value, const Shape& shape);
  Status Download(uint32_t value);
  Status Upload(uint32_t value, Results& results);
  // Makes outputs available where they are needed beside where they were made.
  Status MoveOutputs(size_t index, Results& results);
<% endif %>

  const ProgramData& program_;
<% if streams %>
  Stream stream_ = nullptr;  // of this run
  Event end_ = nullptr;      // of the run before; null before the first
<% endif %>
  // Per value.
  std::vector<Tensor> tensors_;
<% if device_memory %>
  std::vector<void*> addresses_;  // of the tensor, as the device knows it
  std::vector<Tensor> host_tensors_;

  std::vector<DeviceBuffer> slots_;
  std::vector<HostBuffer> host_slots_;
<% else %>

  std::vector<HostBuffer> slots_;
<% endif %>

  // Of the node that is running.
  std::vector<const Tensor*> inputs_;
  std::vector<MutableTensor> made_;
  std::vector<MutableTensor*> outputs_;
  bool is_empty_ = true;  // is there not one element in all outputs?
  Shapes shapes_;
};

}  // namespace <%= ns %>
