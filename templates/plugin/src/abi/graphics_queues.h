<%= banner %>
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "abi/api.h"
#include "device/runtime.h"

namespace <%= ns %> {

// What applications have set up for graphics APIs, per device: from then on the device's streams,
// those of sessions as well, are on the graphics API's command queue, where there is one.
class GraphicsQueues {
 public:
  GraphicsQueues() = default;
  GraphicsQueues(const GraphicsQueues&) = delete;
  GraphicsQueues& operator=(const GraphicsQueues&) = delete;

  // `memory` is the one of the device; its address is the device's name here. `runtime` outlives
  // this.
  Status Open(const Api& api, Runtime& runtime, const OrtMemoryInfo* memory,
              const OrtGraphicsInteropConfig* config);
  // An error while there are streams from the time since Open.
  Status Close(const OrtMemoryInfo* memory);

  // What a new stream of the device keeps for as long as it lives, and the queue that it is on:
  // null for one of its own.
  std::shared_ptr<const void> Use(const OrtMemoryInfo* memory, Stream* stream);

 private:
  // One device's.
  struct Queue {
    explicit Queue(Runtime& device) noexcept : runtime(device) {}
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    ~Queue() { runtime.ReleaseQueue(stream); }

    Runtime& runtime;
    Stream stream = nullptr;
  };

  std::mutex mutex_;
  std::map<const OrtMemoryInfo*, std::shared_ptr<Queue>> queues_;
};

}  // namespace <%= ns %>
