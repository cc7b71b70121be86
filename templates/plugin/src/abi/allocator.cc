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
<% if streams %>
<% if graph_capture %>
  AllocOnStream = Callback<&Allocator::AllocateFor>::Call;
<% else %>
  // Without an arena it stays null, which stands for Alloc: the device's own memory is for any queue.
  if (arena_ != nullptr) AllocOnStream = Callback<&Allocator::AllocateFor>::Call;
<% endif %>
<% else %>
  // AllocOnStream stays null, which stands for Alloc: there are no streams.
<% endif %>
<% if target >= 25 %>
  if (arena_ != nullptr && api.level >= 25) Shrink = Callback<&Allocator::GiveBack>::Call;
<% endif %>
}

<% if streams %>
// For the host, and for queues that ORT does not tell.
void* Allocator::Allocate(size_t bytes) { return Take(bytes, nullptr); }

void* Allocator::AllocateFor(size_t bytes, OrtSyncStream* stream) {
  return Take(bytes, stream != nullptr ? api_.ort->SyncStream_GetHandle(stream) : nullptr);
}

void* Allocator::Take(size_t bytes, Stream stream) {
  void* address = nullptr;
  if (bytes == 0) return nullptr;
<% if graph_capture %>
  if (TakeCaptured(bytes, stream, &address)) return address;
<% endif %>
  Report(arena_ != nullptr ? arena_->Allocate(bytes, stream, &address)
                           : source_.Allocate(bytes, &address));
  return address;
}
<% else %>
void* Allocator::Allocate(size_t bytes) {
  void* address = nullptr;
  if (bytes == 0) return nullptr;
  Report(arena_ != nullptr ? arena_->Allocate(bytes, &address) : source_.Allocate(bytes, &address));
  return address;
}
<% endif %>

void* Allocator::AllocateOutside(size_t bytes) {
  void* address = nullptr;
  if (arena_ == nullptr) return Allocate(bytes);
<% if graph_capture %>
  if (bytes != 0 && TakeCaptured(bytes, nullptr, &address)) return address;
<% endif %>
  Report(arena_->Reserve(bytes, &address));
  return address;
}

void Allocator::Deallocate(void* address) {
<% if graph_capture %>
  if (captures_->Free(address)) return;
  if (captures_->IsUsed(address)) return FreeLater(address);
<% endif %>
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
<% if graph_capture %>
  AllocOnStream = Callback<&Allocator::AllocateFor>::Call;
<% endif %>
}

<% if graph_capture %>
void* Allocator::Allocate(size_t bytes) { return AllocateFor(bytes, nullptr); }

void* Allocator::AllocateFor(size_t bytes, OrtSyncStream* stream) {
  void* address = nullptr;
  const Stream queue = stream != nullptr ? api_.ort->SyncStream_GetHandle(stream) : nullptr;
  if (bytes == 0 || TakeCaptured(bytes, queue, &address)) return address;
  Report(source_.Allocate(bytes, &address));
  return address;
}

void Allocator::Deallocate(void* address) {
  if (captures_->Free(address)) return;
  if (captures_->IsUsed(address)) return FreeLater(address);
  source_.Free(address);
}
<% else %>
void* Allocator::Allocate(size_t bytes) {
  void* address = nullptr;
  if (bytes > 0) Report(source_.Allocate(bytes, &address));
  return address;
}

void Allocator::Deallocate(void* address) { source_.Free(address); }
<% endif %>

// Never null: ORT calls it without looking when an application asks. There is nothing to tell.
Status Allocator::Count(OrtKeyValuePairs** statistics) const {
  api_.ort->CreateKeyValuePairs(statistics);
  return Status();
}

<% endif %>
<% if graph_capture %>
// False where the memory is for no captured graph.
bool Allocator::TakeCaptured(size_t bytes, Stream stream, void** address) {
  bool is_taken = false;
  Report(captures_->Allocate(source_, bytes, stream, &is_taken, address));
  return is_taken;
}

// When no captured graph uses it any more; this may be gone by then.
void Allocator::FreeLater(void* address) {
<% if arena %>
  captures_->FreeUnused(address, [arena = arena_, &source = source_, address] {
    if (arena == nullptr) return source.Free(address);
    (void)arena->Free(address);
  });
<% else %>
  captures_->FreeUnused(address, [&source = source_, address] { source.Free(address); });
<% endif %>
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
