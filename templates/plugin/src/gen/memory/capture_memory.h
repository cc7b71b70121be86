<%= banner %>
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "gen/memory/source.h"

namespace <%= ns %> {

// The memory of one captured graph. Each replay uses it again, so nobody else may have it for as long
// as there is the graph. All of it is given back together: at the end of the graph, and of what others
// still have of it.
class CapturePool {
 public:
  CapturePool() = default;
  CapturePool(const CapturePool&) = delete;
  CapturePool& operator=(const CapturePool&) = delete;
  ~CapturePool();

  // Within a capture, what is freed serves again: the work is recorded in order. Not what the host may
  // write to: that it does now, and not at each replay.
  Status Allocate(MemorySource& source, size_t bytes, void** address);
  void Free(void* address) noexcept;

 private:
  static constexpr size_t kAlignment = 256;

  struct Block {
    MemorySource* source;
    size_t bytes;
    bool is_free;
  };
  std::map<void*, Block> blocks_;

  friend class CaptureMemories;
  std::set<const void*> used_;  // of others: what is bound, and what lives as long as the session
};

// Which memory is a captured graph's. Every call may come from several threads at once.
class CaptureMemories {
 public:
  // From now on what is allocated for `stream`, or by this thread, is of a graph, until End on the
  // same thread.
  std::shared_ptr<CapturePool> Begin(Stream stream);
  void End(Stream stream) noexcept;

  // Sets `is_taken` where the memory is a graph's.
  Status Allocate(MemorySource& source, size_t bytes, Stream stream, bool* is_taken, void** address);
  // False for memory that is no graph's: nothing is done then.
  [[nodiscard]] bool Free(void* address) noexcept;

  // The graph that is captured in `stream` uses other memory: nobody else gets it while there is the
  // graph.
  void Use(Stream stream, const void* address);
  bool IsUsed(const void* address) const noexcept;
  // Calls `free` when no graph uses the memory any more.
  void FreeUnused(void* address, std::function<void()> free);
  // The end of the graph.
  void Release(CapturePool& pool) noexcept;

 private:
  struct Capture {
    std::thread::id thread;
    std::shared_ptr<CapturePool> pool;
  };

  // The caller holds the mutex.
  void Count() noexcept { count_ = captures_.size() + in_use_.size() + used_.size(); }

  mutable std::mutex mutex_;
  std::map<Stream, Capture> captures_;
  std::map<void*, std::shared_ptr<CapturePool>> in_use_;
  std::map<const void*, int> used_;  // by how many graphs
  std::map<const void*, std::function<void()>> unused_;  // but by graphs
  std::atomic<size_t> count_{0};  // of all these: most programs capture nothing
};

}  // namespace <%= ns %>
