<%= banner %>
#pragma once

<% if device_memory %>
#include <atomic>
<% endif %>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gen/api/signature.h"
#include "gen/graph/executable.h"
#include "gen/graph/graph.h"
#include "gen/graph/program.h"
#include "kernel_harness.h"

// Makes graphs, and runs programs made of them without ONNX Runtime.
namespace <%= ns %>::test {

// The newest kernel of an op; null when the library has none.
inline const KernelRow* Newest(const std::string& op) {
  const KernelRow* newest = nullptr;
  const KernelTable table = Kernels();
  for (size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    const bool fits = row.ready && *row.domain == '\0' && op == row.op;
    if (fits && (newest == nullptr || row.since > newest->since)) newest = &row;
  }
  return newest;
}

// Whether the library computes an op on these element types.
inline bool Takes(const std::string& op, const std::vector<DType>& inputs, DType output) {
  const KernelRow* row = Newest(op);
  return row != nullptr && CheckSignature(*row, inputs, {output}).ok();
}

class GraphBuilder {
 public:
  Graph graph;

  uint32_t Value(DType dtype = DType::kFloat32) {
    GraphValue value;
    value.name = "v" + std::to_string(graph.values.size());
    value.dtype = dtype;
    graph.values.push_back(value);
    return static_cast<uint32_t>(graph.values.size() - 1);
  }
  uint32_t Input(DType dtype = DType::kFloat32) {
    graph.inputs.push_back(Value(dtype));
    return graph.inputs.back();
  }
  uint32_t Constant(const TensorValue& tensor) {
    const uint32_t value = Value(tensor.dtype);
    SetShape(value, tensor.shape);
    auto owner = std::make_shared<std::vector<unsigned char>>(tensor.bytes);
    graph.constants.push_back({value, {owner, owner->data(), owner->size()}});
    return value;
  }
  // Returns the output, which has the type of the first input.
  uint32_t Node(const std::string& op, const std::vector<uint32_t>& inputs) {
    return Node(op, inputs, graph.values[inputs[0]].dtype);
  }
  uint32_t Node(const std::string& op, const std::vector<uint32_t>& inputs, DType dtype) {
    const KernelRow* row = Newest(op);
    const uint32_t output = Value(dtype);
    GraphNode node;
    node.name = op + "_" + std::to_string(graph.nodes.size());
    node.op = op;
    node.since = row != nullptr ? row->since : 1;
    node.inputs = inputs;
    node.outputs = {output};
    graph.nodes.push_back(node);
    return output;
  }
  void Output(uint32_t value) { graph.outputs.push_back(value); }
  void SetShape(uint32_t value, const Shape& shape) {
    graph.values[value].has_shape = true;
    graph.values[value].shape = shape;
  }
};

<% if device_memory %>
// The device, watched: what is allocated, and what if something fails.
class WatchedRuntime final : public Runtime {
 public:
  WatchedRuntime() { CHECK(MakeRuntime(&runtime_).ok()); }

  Status Allocate(size_t bytes, void** address) override {
    EP_RETURN_IF_ERROR(Count());
    EP_RETURN_IF_ERROR(runtime_->Allocate(bytes, address));
    ++live;
    return Status();
  }
  void Free(void* address) noexcept override {
    if (address != nullptr) --live;
    runtime_->Free(address);
  }
<% if host_accessible %>
  Status AllocateHost(size_t bytes, void** address) override {
    return runtime_->AllocateHost(bytes, address);
  }
  void FreeHost(void* address) noexcept override { runtime_->FreeHost(address); }
<% endif %>
<% if memory_capacity or resource_accounting %>
  Status Capacity(uint64_t* total, uint64_t* available) override {
    return runtime_->Capacity(total, available);
  }
<% endif %>
<% if streams %>
  Status CopyToDevice(void* device, const void* host, size_t bytes, Stream stream) override {
    EP_RETURN_IF_ERROR(Count());
    return runtime_->CopyToDevice(device, host, bytes, stream);
  }
  Status CopyToHost(void* host, const void* device, size_t bytes, Stream stream) override {
    EP_RETURN_IF_ERROR(Count());
    return runtime_->CopyToHost(host, device, bytes, stream);
  }
  Status CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) override {
    return runtime_->CopyOnDevice(to, from, bytes, stream);
  }
  Status Fill(void* device, unsigned char value, size_t bytes, Stream stream) override {
    return runtime_->Fill(device, value, bytes, stream);
  }
  Status Launch(Stream stream, Work work) override {
    return runtime_->Launch(stream, std::move(work));
  }
  Status CreateStream(Stream* stream) override { return runtime_->CreateStream(stream); }
  void DestroyStream(Stream stream) noexcept override { runtime_->DestroyStream(stream); }
  Status Synchronize(Stream stream) override { return runtime_->Synchronize(stream); }
  Status CreateEvent(Event* event) override { return runtime_->CreateEvent(event); }
  void DestroyEvent(Event event) noexcept override { runtime_->DestroyEvent(event); }
  Status Record(Event event, Stream stream) override { return runtime_->Record(event, stream); }
  Status WaitOnDevice(Event event, Stream stream) override {
    return runtime_->WaitOnDevice(event, stream);
  }
  Status WaitOnHost(Event event) override { return runtime_->WaitOnHost(event); }
<% else %>
  Status CopyToDevice(void* device, const void* host, size_t bytes) override {
    EP_RETURN_IF_ERROR(Count());
    return runtime_->CopyToDevice(device, host, bytes);
  }
  Status CopyToHost(void* host, const void* device, size_t bytes) override {
    EP_RETURN_IF_ERROR(Count());
    return runtime_->CopyToHost(host, device, bytes);
  }
  Status CopyOnDevice(void* to, const void* from, size_t bytes) override {
    return runtime_->CopyOnDevice(to, from, bytes);
  }
<% endif %>
<% if external_memory %>
  bool CanImport(MemoryHandle kind) const noexcept override { return runtime_->CanImport(kind); }
  bool CanImport(SemaphoreHandle kind) const noexcept override {
    return runtime_->CanImport(kind);
  }
  Status ImportMemory(MemoryHandle kind, void* handle, size_t bytes, void** address) override {
    return runtime_->ImportMemory(kind, handle, bytes, address);
  }
  void ReleaseImported(void* address) noexcept override { runtime_->ReleaseImported(address); }
  Status ImportSemaphore(SemaphoreHandle kind, void* handle, Semaphore* semaphore) override {
    return runtime_->ImportSemaphore(kind, handle, semaphore);
  }
  void ReleaseSemaphore(Semaphore semaphore) noexcept override {
    runtime_->ReleaseSemaphore(semaphore);
  }
  Status WaitSemaphore(Semaphore semaphore, uint64_t value, Stream stream) override {
    return runtime_->WaitSemaphore(semaphore, value, stream);
  }
  Status SignalSemaphore(Semaphore semaphore, uint64_t value, Stream stream) override {
    return runtime_->SignalSemaphore(semaphore, value, stream);
  }
<% endif %>
<% if graphics_interop %>
  Status AdoptQueue(GraphicsApi api, void* queue, Stream* stream) override {
    return runtime_->AdoptQueue(api, queue, stream);
  }
  void ReleaseQueue(Stream stream) noexcept override { runtime_->ReleaseQueue(stream); }
<% endif %>
  void* KernelAddress(const void* device) const noexcept override {
    return runtime_->KernelAddress(device);
  }

  // For the test's own use: not watched.
  Runtime& plain() { return *runtime_; }

  std::atomic<int> live{0};
  std::atomic<int> left{-1};  // calls until one fails; none does below 0

 private:
  Status Count() {
    if (left < 0 || left-- != 0) return Status();
    return Failed("the device fails for the test's sake");
  }

  std::unique_ptr<Runtime> runtime_;
};

inline WatchedRuntime& Device() {
  static WatchedRuntime runtime;
  return runtime;
}

// A copy on the device.
class DeviceCopy {
 public:
  explicit DeviceCopy(size_t bytes) { (void)Device().plain().Allocate(bytes + 1, &address_); }
  DeviceCopy(DeviceCopy&& other) noexcept : address_(std::exchange(other.address_, nullptr)) {}
  ~DeviceCopy() { Device().plain().Free(address_); }

  void* get() const { return address_; }

 private:
  void* address_ = nullptr;
};
<% endif %>

inline CompileRequest Request() {
  CompileRequest request;
<% if device_memory %>
  request.runtime = &Device();
<% endif %>
  return request;
}

inline TensorValue Floats(Dims shape, Numbers data) { return Make(DType::kFloat32, shape, data); }

// Whether the library computes these ops on floats.
inline bool Has(std::initializer_list<const char*> ops) {
  for (const char* op : ops) {
    const KernelRow* row = Newest(op);
    if (row == nullptr) return false;
    std::vector<DType> inputs;
    for (uint64_t needed = row->needed_inputs; needed != 0; needed >>= 1) {
      inputs.push_back(DType::kFloat32);
    }
    if (!CheckSignature(*row, inputs, {DType::kFloat32}).ok()) return false;
  }
  return true;
}

inline std::unique_ptr<Executable> Compiled(const Graph& graph) {
  CompileRequest request = Request();
  request.graph = &graph;
  std::unique_ptr<Executable> executable;
  const Status status = Program::Compile(request, &executable);
  CHECK_THAT(status.ok(), std::string("a graph compiles: ") + status.message());
  return executable;
}

// The error that a graph gives.
inline Status Refused(const Graph& graph) {
  CompileRequest request = Request();
  request.graph = &graph;
  std::unique_ptr<Executable> executable;
  return Program::Compile(request, &executable);
}

inline Status Restored(const Saved& saved, std::unique_ptr<Executable>* executable) {
  CompileRequest request = Request();
  request.saved = &saved;
  return Program::Restore(request, executable);
}

// Keeps what a run gives back. Has no checks, so that threads can use it.
class KeptResults final : public Results {
 public:
  explicit KeptResults(const Executable& executable)
      : ports_(executable.outputs()), kept_(ports_.size()) {
<% if device_memory %>
    copies_.resize(ports_.size());
<% endif %>
  }

  Status Allocate(size_t index, const Shape& shape, MutableTensor* tensor) override {
    ++calls;
    if (calls == fails_at) return Failed("no memory for the test's sake");
    TensorValue& value = kept_[index];
    if (value.dtype != DType::kUndefined) return Failed("an output is made twice");
    value.dtype = ports_[index].dtype;
    value.shape = shape;
    value.bytes.resize(static_cast<size_t>(ElementCount(shape)) * SizeOf(value.dtype));
<% if device_memory %>
    copies_[index] = std::make_unique<DeviceCopy>(value.bytes.size());
    *tensor = {copies_[index]->get(), value.dtype, shape};
<% else %>
    *tensor = {value.bytes.data(), value.dtype, shape};
<% endif %>
    return Status();
  }

  std::vector<TensorValue> Take() {
<% if device_memory %>
    for (size_t i = 0; i < kept_.size(); ++i) {
      std::vector<unsigned char>& bytes = kept_[i].bytes;
      if (bytes.empty()) continue;
      (void)Device().plain().CopyToHost(bytes.data(), copies_[i]->get(), bytes.size()<% if streams %>, nullptr<% endif %>);
    }
<% endif %>
    return kept_;
  }

  int calls = 0;
  int fails_at = 0;

 private:
  const std::vector<Port>& ports_;
  std::vector<TensorValue> kept_;
<% if device_memory %>
  std::vector<std::unique_ptr<DeviceCopy>> copies_;
<% endif %>
};

// Runs with these inputs, all of them there.
inline Status Run(const Executable& executable, const std::vector<TensorValue>& values,
                  KeptResults& results) {
  std::vector<Tensor> tensors;
  std::vector<const Tensor*> inputs;
  for (const TensorValue& value : values) {
    tensors.push_back({value.bytes.data(), value.dtype, value.shape});
  }
<% if device_memory %>
  std::vector<DeviceCopy> copies;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::vector<unsigned char>& bytes = values[i].bytes;
    copies.emplace_back(bytes.size());
    tensors[i].raw = copies[i].get();
    if (bytes.empty()) continue;
    EP_RETURN_IF_ERROR(Device().plain().CopyToDevice(copies[i].get(), bytes.data(), bytes.size()<% if streams %>, nullptr<% endif %>));
  }
<% endif %>
  for (const Tensor& tensor : tensors) inputs.push_back(&tensor);
  FakeExec exec(3);
<% if streams %>
  return executable.Run(Inputs(inputs.data(), inputs.size()), results, nullptr, exec);
<% else %>
  return executable.Run(Inputs(inputs.data(), inputs.size()), results, exec);
<% endif %>
}

// Results of a run that must succeed.
inline std::vector<TensorValue> Compute(const Executable& executable,
                                        const std::vector<TensorValue>& values) {
  KeptResults results(executable);
  const Status status = Run(executable, values, results);
  CHECK_THAT(status.ok(), std::string("a run: ") + status.message());
  return results.Take();
}

inline bool AreEqual(const TensorValue& a, const TensorValue& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.bytes == b.bytes;
}

inline bool Contains(const Status& status, const std::string& text) {
  return std::string(status.message()).find(text) != std::string::npos;
}

}  // namespace <%= ns %>::test
