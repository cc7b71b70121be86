<%= banner %>
#include "gen/memory/capture_memory.h"

#include <string>
#include <utility>

namespace <%= ns %> {

CapturePool::~CapturePool() {
  for (const auto& [address, block] : blocks_) block.source->Free(address);
}

Status CapturePool::Allocate(MemorySource& source, size_t bytes, void** address) {
  *address = nullptr;
  if (bytes > SIZE_MAX - kAlignment) {
    return Failed("there are no " + std::to_string(bytes) + " bytes in any memory");
  }
  const size_t wanted = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  auto best = blocks_.end();
  for (auto each = blocks_.begin(); each != blocks_.end() && !source.is_for_host(); ++each) {
    const Block& block = each->second;
    if (!block.is_free || block.source != &source || block.bytes < wanted) continue;
    if (best == blocks_.end() || block.bytes < best->second.bytes) best = each;
  }
  if (best == blocks_.end()) {
    std::map<void*, Block> made;
    const auto entry = made.emplace(nullptr, Block{&source, wanted, false}).first;
    EP_RETURN_IF_ERROR(source.Allocate(wanted, address));
    auto node = made.extract(entry);
    node.key() = *address;
    best = blocks_.insert(std::move(node)).position;
  }
  best->second.is_free = false;
  *address = best->first;
  return Status();
}

void CapturePool::Free(void* address) noexcept { blocks_.find(address)->second.is_free = true; }

std::shared_ptr<CapturePool> CaptureMemories::Begin(Stream stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Capture& capture = captures_[stream];
  capture.thread = std::this_thread::get_id();
  capture.pool = std::make_shared<CapturePool>();
  Count();
  return capture.pool;
}

void CaptureMemories::End(Stream stream) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  captures_.erase(stream);
  Count();
}

Status CaptureMemories::Allocate(MemorySource& source, size_t bytes, Stream stream, bool* is_taken,
                                 void** address) {
  *is_taken = false;
  if (count_ == 0) return Status();
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [captured, capture] : captures_) {
    if (captured != stream && capture.thread != std::this_thread::get_id()) continue;
    *is_taken = true;
    EP_RETURN_IF_ERROR(capture.pool->Allocate(source, bytes, address));
    in_use_[*address] = capture.pool;
    Count();
    return Status();
  }
  return Status();
}

bool CaptureMemories::Free(void* address) noexcept {
  if (count_ == 0) return false;
  std::shared_ptr<CapturePool> pool;  // its end waits for the device, without the mutex
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = in_use_.find(address);
  if (found == in_use_.end()) return false;
  pool = std::move(found->second);
  in_use_.erase(found);
  Count();
  pool->Free(address);
  return true;
}

void CaptureMemories::Use(Stream stream, const void* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = captures_.find(stream);
  if (found == captures_.end() || in_use_.count(const_cast<void*>(address)) > 0) return;
  if (found->second.pool->used_.insert(address).second) ++used_[address];
  Count();
}

bool CaptureMemories::IsUsed(const void* address) const noexcept {
  if (count_ == 0) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  return used_.count(address) > 0;
}

void CaptureMemories::FreeUnused(void* address, std::function<void()> free) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (used_.count(address) > 0) {
      unused_[address] = std::move(free);
      return;
    }
  }
  free();
}

void CaptureMemories::Release(CapturePool& pool) noexcept {
  std::map<const void*, std::function<void()>> unused;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const void* address : pool.used_) {
      const auto use = used_.find(address);
      if (--use->second > 0) continue;
      used_.erase(use);
      if (auto node = unused_.extract(address)) unused.insert(std::move(node));
    }
    pool.used_.clear();
    Count();
  }
  for (const auto& [address, free] : unused) free();
}

}  // namespace <%= ns %>
