<%= banner %>
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "abi/bridge.h"
<% if device_memory and not streams %>
#include "device/runtime.h"
<% endif %>
#include "gen/api/exec.h"

namespace <%= ns %> {

// Exec for one call from ORT: its threads, and memory that is given back at the end.
class KernelExec final : public Exec {
 public:
<% if device_memory and not streams %>
  // `runtime` is null for kernels that run on the host.
  KernelExec(const Api& api, const OrtKernelContext* context, Runtime* runtime) noexcept
      : api_(api), context_(context), runtime_(runtime) {}
  ~KernelExec() override {
    for (void* address : on_device_) runtime_->Free(address);
  }
<% else %>
  KernelExec(const Api& api, const OrtKernelContext* context) noexcept
      : api_(api), context_(context) {}
<% endif %>
<% if cuda_library %>
  // For kernels of ORT's own CUDA execution provider: what they launch goes to its stream.
  Status TakeStream() {
    EP_ORT(api_, ort->KernelContext_GetGPUComputeStream(context_, &stream_));
    if (stream_ != nullptr) return Status();
    return Failed("ONNX Runtime gives no CUDA stream to launch on: nothing was launched");
  }
<% endif %>

  void ParallelFor(int64_t count, int64_t cost, Range range, void* body) override {
    const int64_t worthwhile = std::max<int64_t>(kWorkPerPiece / std::max<int64_t>(cost, 1), 1);
    const int64_t piece = std::max(worthwhile, (count + kMostPieces - 1) / kMostPieces);
    if (count <= piece) return range(body, 0, count);
    // No exception may cross ORT's threads: one is kept for this one.
    std::mutex mutex;
    std::exception_ptr error;
    auto run = [&](size_t index) noexcept {
      const int64_t begin = static_cast<int64_t>(index) * piece;
      try {
        range(body, begin, std::min(count, begin + piece));
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        error = std::current_exception();
      }
    };
    const auto call = [](void* loop, size_t index) { (*static_cast<decltype(run)*>(loop))(index); };
    const auto pieces = static_cast<size_t>((count + piece - 1) / piece);
    OrtStatus* status = api_.ort->KernelContext_ParallelFor(context_, call, pieces, 0, &run);
    if (!FromOrt(api_, status).ok()) range(body, 0, count);  // ORT has not begun, then
    if (error != nullptr) std::rethrow_exception(error);
  }

  Status Scratch(size_t bytes, void** memory) override {
<% if cuda_library %>
    if (stream_ != nullptr) {
      return NotImplemented("a CUDA kernel takes scratch memory from CUDA: cudaMallocAsync");
    }
<% endif %>
<% if device_memory and not streams %>
    if (runtime_ != nullptr) {
      on_device_.push_back(nullptr);
      EP_RETURN_IF_ERROR(runtime_->Allocate(bytes, &on_device_.back()));
      *memory = runtime_->KernelAddress(on_device_.back());
      return Status();
    }
<% endif %>
    // Not make_unique, which would clear it.
    scratch_.emplace_back(new std::max_align_t[bytes / sizeof(std::max_align_t) + 1]);
    *memory = scratch_.back().get();
    return Status();
  }

<% if cuda_library %>
  void* Stream() const noexcept override { return stream_; }
<% else %>
  void* Stream() const noexcept override { return nullptr; }
<% endif %>

 private:
  static constexpr int64_t kMostPieces = 128;

  const Api& api_;
  const OrtKernelContext* context_;
<% if device_memory and not streams %>
  Runtime* runtime_;
  std::vector<void*> on_device_;
<% endif %>
<% if cuda_library %>
  void* stream_ = nullptr;
<% endif %>
  std::vector<std::unique_ptr<std::max_align_t[]>> scratch_;
};

}  // namespace <%= ns %>
