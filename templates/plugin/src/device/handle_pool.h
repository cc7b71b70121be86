<%= banner %>
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace <%= ns %> {

// Handles of a library: each serves one stream, since changing it may wait for the old one, and one
// thread at a time. Those not in use are kept for the next call on their stream.
template <class Handle>
class HandlePool {
 public:
  // Null where none is kept.
  std::unique_ptr<Handle> Take(void* stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = idle_.find(stream);
    if (found == idle_.end() || found->second.empty()) return nullptr;
    std::unique_ptr<Handle> handle = std::move(found->second.back());
    found->second.pop_back();
    return handle;
  }

  void Give(void* stream, std::unique_ptr<Handle> handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_[stream].push_back(std::move(handle));
  }

  void Forget(void* stream) {
    std::vector<std::unique_ptr<Handle>> gone;  // destroyed without the lock: that may take long
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = idle_.find(stream);
    if (found == idle_.end()) return;
    gone.swap(found->second);
    idle_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<void*, std::vector<std::unique_ptr<Handle>>> idle_;
};

}  // namespace <%= ns %>
