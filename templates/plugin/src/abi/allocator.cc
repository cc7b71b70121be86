<%= banner %>
#include "abi/allocator.h"

<% if memories %>
#include <string>
<% if arena %>
#include <utility>
<% endif %>

<% if arena %>
#include "abi/bridge.h"
#include "abi/guard.h"
#include "abi/handles.h"
<% else %>
#include "abi/guard.h"
<% endif %>

namespace <%= ns %> {

<% if arena %>
Allocator::Allocator(const Api& api, const Logger& logger, MemorySource& source,
                     std::shared_ptr<Arena> arena, const OrtMemoryInfo* info)
    : OrtAllocator(Stamped<OrtAllocator>(api)),
      api_(api),
      logger_(logger),
      source_(source),
      arena_(std::move(arena)),
      info_(info) {
  Alloc = Callback<&Allocator::Allocate>::Call;
  Reserve = Callback<&Allocator::AllocateOutside>::Call;
  Free = Callback<&Allocator::Deallocate>::Call;
  Info = Callback<&Allocator::MemoryInfo>::Call;
  // Never null: ORT calls it without looking when an application asks.
  GetStats = Callback<&Allocator::Count>::Call;
  // AllocOnStream stays null, which stands for Alloc: there are no streams.
<% if target >= 25 %>
  if (arena_ != nullptr && api.level >= 25) Shrink = Callback<&Allocator::GiveBack>::Call;
<% endif %>
}

void* Allocator::Allocate(size_t bytes) {
  void* address = nullptr;
  if (bytes == 0) return nullptr;
  Report(arena_ != nullptr ? arena_->Allocate(bytes, &address) : source_.Allocate(bytes, &address));
  return address;
}

void* Allocator::AllocateOutside(size_t bytes) {
  void* address = nullptr;
  if (arena_ == nullptr) return Allocate(bytes);
  Report(arena_->Reserve(bytes, &address));
  return address;
}

void Allocator::Deallocate(void* address) {
  if (arena_ == nullptr) return source_.Free(address);
  if (!arena_->Free(address)) logger_.Warn("Free: an address that is not allocated; nothing is done");
}

Status Allocator::Count(OrtKeyValuePairs** statistics) const {
  KeyValuePairs pairs(*api_.ort);
  api_.ort->CreateKeyValuePairs(pairs.out());
  if (arena_ == nullptr) {  // nothing is counted
    *statistics = pairs.release();
    return Status();
  }
  const ArenaStatistics counts = arena_->Statistics();
  const size_t limit = arena_->options().limit;
  const std::pair<const char*, std::string> entries[] = {
      {"Limit", limit == SIZE_MAX ? "-1" : std::to_string(limit)},
      {"InUse", std::to_string(counts.in_use)},
      {"TotalAllocated", std::to_string(counts.total)},
      {"MaxInUse", std::to_string(counts.most_in_use)},
      {"NumAllocs", std::to_string(counts.allocations)},
      {"NumReserves", std::to_string(counts.reserves)},
      {"NumArenaExtensions", std::to_string(counts.extensions)},
      {"NumArenaShrinkages", std::to_string(counts.shrinkages)},
      {"MaxAllocSize", std::to_string(counts.largest)},
  };
  for (const auto& [key, value] : entries) {
    api_.ort->AddKeyValuePair(pairs.get(), key, value.c_str());
  }
  *statistics = pairs.release();
  return Status();
}

<% if target >= 25 %>
Status Allocator::GiveBack() {
  arena_->Shrink();
  return Status();
}

<% endif %>
<% else %>
Allocator::Allocator(const Api& api, const Logger& logger, MemorySource& source,
                     const OrtMemoryInfo* info)
    : OrtAllocator(Stamped<OrtAllocator>(api)),
      api_(api),
      logger_(logger),
      source_(source),
      info_(info) {
  Alloc = Callback<&Allocator::Allocate>::Call;
  Reserve = Callback<&Allocator::Allocate>::Call;
  Free = Callback<&Allocator::Deallocate>::Call;
  Info = Callback<&Allocator::MemoryInfo>::Call;
  GetStats = Callback<&Allocator::Count>::Call;
}

void* Allocator::Allocate(size_t bytes) {
  void* address = nullptr;
  if (bytes > 0) Report(source_.Allocate(bytes, &address));
  return address;
}

void Allocator::Deallocate(void* address) { source_.Free(address); }

// Never null: ORT calls it without looking when an application asks. There is nothing to tell.
Status Allocator::Count(OrtKeyValuePairs** statistics) const {
  api_.ort->CreateKeyValuePairs(statistics);
  return Status();
}

<% endif %>
// ORT gets null for nothing as well as for failure: the slot has no other way to say so.
void Allocator::Report(const Status& status) const {
  if (!status.ok()) logger_.Warn(std::string("no memory: ") + status.message());
}
<% else %>
#include "abi/guard.h"

namespace <%= ns %> {

Allocator::Allocator(const Api& api, Runtime& runtime, const OrtMemoryInfo* info)
    : OrtAllocator(Stamped<OrtAllocator>(api)), api_(api), runtime_(runtime), info_(info) {
  Alloc = Callback<&Allocator::Allocate>::Call;
  Reserve = Callback<&Allocator::Allocate>::Call;
  Free = Callback<&Allocator::Deallocate>::Call;
  Info = Callback<&Allocator::MemoryInfo>::Call;
  GetStats = Callback<&Allocator::Count>::Call;
}

// Null for nothing as well as for failure: the slot has no other way to say so.
void* Allocator::Allocate(size_t bytes) {
  void* address = nullptr;
  if (bytes == 0 || !runtime_.Allocate(bytes, &address).ok()) return nullptr;
  return address;
}

void Allocator::Deallocate(void* address) { runtime_.Free(address); }

// Never null: ORT calls it without looking when an application asks. There is nothing to tell.
Status Allocator::Count(OrtKeyValuePairs** statistics) const {
  api_.ort->CreateKeyValuePairs(statistics);
  return Status();
}
<% endif %>

}  // namespace <%= ns %>
