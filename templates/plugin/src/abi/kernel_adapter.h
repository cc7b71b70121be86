<%= banner %>
#pragma once

#include <atomic>
<% if packing %>
#include <map>
<% endif %>
#include <memory>
#include <string>
#include <vector>

#include "abi/api.h"
<% if graph_capture %>
#include "abi/captured_calls.h"
<% endif %>
<% if device_memory %>
#include "device/runtime.h"
<% endif %>
#include "gen/api/kernel.h"
<% if profiler %>
#include "gen/profiling/event_sink.h"
<% endif %>

namespace <%= ns %> {

// A row of the kernel table, with all that its kernels need to run in ORT.
struct KernelEntry {
  const Api* api;
  const KernelRow* row;
<% if device_memory %>
  Runtime* runtime;  // null: the kernels run on the host
<% endif %>
<% if cuda_library %>
  bool on_stream;  // the kernels run in ORT's own CUDA execution provider
<% endif %>
};

// Makes the kernel of one node. `entry` is the KernelEntry that was registered.
OrtStatus* ORT_API_CALL CreateKernel(void* entry, const OrtKernelInfo* info,
                                     OrtKernelImpl** kernel) noexcept;

// A Kernel as ORT calls it: fetches the inputs, allocates the outputs, computes.
class KernelAdapter final : public OrtKernelImpl {
 public:
  using Struct = OrtKernelImpl;

  explicit KernelAdapter(const KernelEntry& entry);
  Status Init(const OrtKernelInfo* info);

  const Api& api() const noexcept { return *entry_.api; }
  // `status` with the op and the node in its text.
  Status Located(const Status& status) const;
<% if profiler %>
  // Who is told what it does; outlives it.
  void set_events(EventSink* events) noexcept { events_ = events; }
<% endif %>
<% if graph_capture %>
  ~KernelAdapter();
  // Who is told what becomes of its calls, and says what cannot be part of a captured graph; null
  // where nothing is captured.
  Status Capture(const OrtKernelInfo* info, std::shared_ptr<CapturedCalls> capture);
<% endif %>

 private:
  Status Execute(OrtKernelContext* context);  // the callback
<% if packing %>
  // The callbacks for constant inputs. ORT may free what was packed, and share what it became among
  // kernels and sessions.
  Status PackInput(const OrtValue* constant, int input, OrtAllocator* allocator,
                   OrtSharedPrePackedWeightCache* cache, bool* is_packed);
  Status ShareInput(const void* const* packed, const size_t* sizes, size_t count, int input);
<% endif %>
<% if graph_capture %>
  Status Attempt(OrtKernelContext* context);
<% endif %>

  // What one run needs; the next finds its memory allocated.
  struct Frame {
    std::vector<Tensor> tensors;
    std::vector<const Tensor*> inputs;
    Shapes shapes;
    std::vector<MutableTensor> results;
    std::vector<MutableTensor*> outputs;
    bool is_empty;  // is there not one element in all outputs?
  };
  Status Run(OrtKernelContext* context, Frame* frame) const;
  Status AllocateOutputs(OrtKernelContext* context, Frame* frame) const;
<% if device_memory %>
  // ViewTensor, with an address that kernels can use.
  Status View(const OrtValue* value, bool on_host, Tensor* tensor) const;
<% endif %>
<% if streams %>
  // Puts the kernel's work into the queue of `context`; null stands for what is left out.
  Status Queue(OrtKernelContext* context, Inputs inputs, Outputs outputs) const;
<% endif %>

  const KernelEntry entry_;
  const KernelRow& row_;
  std::string label_;
<% if profiler %>
  std::string op_;
  std::string node_;
  EventSink* events_ = nullptr;
<% endif %>
<% if graph_capture %>
  std::shared_ptr<CapturedCalls> capture_;
  std::vector<bool> is_constant_;  // inputs
<% endif %>
  std::vector<std::string> input_names_;
  size_t output_count_ = 0;
  uint64_t constants_ = 0;  // bit i: input i is the same at every run
<% if packing %>
  // Per input: what stands for a constant that is packed, and who frees what it became if that is
  // not ORT.
  struct Packed {
    Packed() = default;
    Packed(const Packed&) = delete;
    Packed& operator=(const Packed&) = delete;
    ~Packed() {
      if (allocator != nullptr) allocator->Free(allocator, memory);
    }

    Tensor tensor;
    void* memory = nullptr;
    OrtAllocator* allocator = nullptr;
  };
  std::map<size_t, Packed> packed_;
<% endif %>
<% if streams %>
  std::shared_ptr<const Kernel> kernel_;  // work that is queued has it, too
<% else %>
  std::unique_ptr<Kernel> kernel_;
<% endif %>
  Frame frame_;
  std::atomic_flag is_taken_ = ATOMIC_FLAG_INIT;  // a run has `frame_`
};

}  // namespace <%= ns %>
