<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

#include "gen/memory/arena_options.h"
#include "gen/memory/source.h"

namespace <%= ns %>::test {

// Address space that nobody has. Watches what is taken and given back.
class Nowhere final : public MemorySource {
 public:
  Status Allocate(size_t bytes, void** address) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    *address = nullptr;
    ++calls;
    if (bytes > capacity - held) return Failed("nowhere is full");
    held += bytes;
    *address = reinterpret_cast<void*>(next_);
    taken_[next_] = bytes;
    next_ += bytes + gap;
    return Status();
  }
  void Free(void* address) noexcept override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = taken_.find(reinterpret_cast<uintptr_t>(address));
    if (found == taken_.end()) {
      ++strangers;
      return;
    }
    held -= found->second;
    taken_.erase(found);
  }
  bool Covers(void* address, size_t bytes) const {
    const auto begin = reinterpret_cast<uintptr_t>(address);
    const auto after = taken_.upper_bound(begin);
    if (after == taken_.begin()) return false;
    const auto& [base, size] = *std::prev(after);
    return begin + bytes <= base + size;
  }
  size_t count() const { return taken_.size(); }

  size_t capacity = SIZE_MAX;
  size_t gap = 0;  // between two of its addresses
  size_t held = 0;
  int calls = 0;
  int strangers = 0;  // given back, but not taken here

  void StartAt(uintptr_t address) { next_ = address; }

 private:
  std::mutex mutex_;
  std::map<uintptr_t, size_t> taken_;
  uintptr_t next_ = uintptr_t{1} << 30;
};

// Regions that are soon full.
inline ArenaOptions Small() {
  ArenaOptions options;
  options.first_region = 4096;
  options.next_region = 8192;
  options.largest_region = 65536;
  return options;
}

}  // namespace <%= ns %>::test
