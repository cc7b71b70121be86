<%= banner %>
#pragma once

#include <algorithm>
#include <exception>
#include <mutex>

#include "abi/bridge.h"
#include "abi/factory.h"
#include "gen/api/exec.h"

namespace <%= ns %> {

// Exec for one call from ORT: its threads, and memory that is given back at the end.
class KernelExec final : public Exec {
 public:
  KernelExec(const Factory& factory, const OrtKernelContext* context) noexcept
      : factory_(factory), context_(context) {}
<% if device_memory %>
  ~KernelExec() override {
    for (void* address : scratch_) factory_.runtime().Free(address);
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
    const Api& api = factory_.api();
    OrtStatus* status = api.ort->KernelContext_ParallelFor(context_, call, pieces, 0, &run);
    if (!FromOrt(api, status).ok()) range(body, 0, count);  // ORT has not begun, then
    if (error != nullptr) std::rethrow_exception(error);
  }

  Status Scratch(size_t bytes, void** memory) override {
<% if device_memory %>
    Runtime& runtime = factory_.runtime();
    scratch_.push_back(nullptr);
    EP_RETURN_IF_ERROR(runtime.Allocate(bytes, &scratch_.back()));
    *memory = runtime.KernelAddress(scratch_.back());
<% else %>
    // Not make_unique, which would clear it.
    scratch_.emplace_back(new std::max_align_t[bytes / sizeof(std::max_align_t) + 1]);
    *memory = scratch_.back().get();
<% endif %>
    return Status();
  }

  void* Stream() const noexcept override { return nullptr; }

 private:
  static constexpr int64_t kWorkPerPiece = 32768;  // element operations that are worth a thread
  static constexpr int64_t kMostPieces = 128;

  const Factory& factory_;
  const OrtKernelContext* context_;
<% if device_memory %>
  std::vector<void*> scratch_;
<% else %>
  std::vector<std::unique_ptr<std::max_align_t[]>> scratch_;
<% endif %>
};

}  // namespace <%= ns %>
