<%= banner %>
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/runtime.h"

namespace <%= ns %> {

// Lets the calling thread take memory while it captures a stream.
class WhileCapturing {
 public:
  WhileCapturing() noexcept { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  WhileCapturing(const WhileCapturing&) = delete;
  WhileCapturing& operator=(const WhileCapturing&) = delete;
  ~WhileCapturing() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// The streams that are captured.
class Captures {
 public:
  void Begin(Stream stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    captures_[stream] = Capture{std::this_thread::get_id(), Status(), {}};
    ++count_;
  }
  // Returns the first error, and what was to be freed.
  Status End(Stream stream, std::vector<void*>* unused) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = captures_.find(stream);
    if (found == captures_.end()) return InvalidArgument("EndCapture: the stream is not captured");
    const Status error = std::move(found->second.error);
    unused->swap(found->second.unused);
    captures_.erase(found);
    --count_;
    return error;
  }
  // Fails the capture of `stream`, if there is one; of null, of the calling thread.
  Status Check(const char* call, Stream stream) {
    if (count_ == 0) return Status();
    const std::lock_guard<std::mutex> lock(mutex_);
    Capture* capture = Find(stream);
    if (capture == nullptr) return Status();
    const char* without = stream == nullptr ? " without a stream" : "";
    Status refusal = InvalidArgument(std::string(call) + without + " cannot be part of a captured graph");
    if (capture->error.ok()) capture->error = refusal;
    return refusal;
  }
  // What the thread frees while it captures is freed afterwards: CUDA would wait for the device.
  bool Defer(void* address) noexcept {
    if (count_ == 0) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    Capture* capture = Find(nullptr);
    if (capture != nullptr) capture->unused.push_back(address);
    return capture != nullptr;
  }

 private:
  struct Capture {
    std::thread::id thread;
    Status error;
    std::vector<void*> unused;
  };
  Capture* Find(Stream stream) noexcept {
    for (auto& [each, capture] : captures_) {
      const bool is_ours = capture.thread == std::this_thread::get_id();
      if (stream != nullptr ? each == stream : is_ours) return &capture;
    }
    return nullptr;
  }

  std::atomic<int> count_{0};
  std::mutex mutex_;
  std::map<Stream, Capture> captures_;
};

}  // namespace <%= ns %>
