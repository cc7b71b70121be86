<%= banner %>
#include "abi/kernel_exec.h"

#include <algorithm>
#include <exception>
#include <mutex>
<% if not device_memory %>
#include <new>
<% endif %>

#include "abi/status_bridge.h"

namespace <%= ns %> {
namespace {

constexpr int64_t kWorkPerPiece = 32768;  // element operations that are worth waking a thread for
constexpr int64_t kMostPieces = 128;
<% if not device_memory %>
constexpr std::align_val_t kAlignment{64};
<% endif %>

// A loop cut into pieces. An exception must not cross ORT's thread pool: the first one is kept for
// the thread that started the loop.
struct Pieces {
  int64_t count;
  int64_t pieces;
  Exec::Range range;
  void* body;
  std::mutex mutex;
  std::exception_ptr error;
};

void RunPiece(void* context, size_t index) noexcept {
  auto& loop = *static_cast<Pieces*>(context);
  const auto piece = static_cast<int64_t>(index);
  const int64_t length = loop.count / loop.pieces;
  const int64_t longer = loop.count % loop.pieces;  // so many pieces hold one more
  const int64_t begin = piece * length + std::min(piece, longer);
  try {
    loop.range(loop.body, begin, begin + length + (piece < longer ? 1 : 0));
  } catch (...) {
    const std::lock_guard<std::mutex> lock(loop.mutex);
    if (loop.error == nullptr) loop.error = std::current_exception();
  }
}

}  // namespace

KernelExec::~KernelExec() {
  for (void* memory : scratch_) {
<% if device_memory %>
    ep_.factory().runtime().Free(memory);
<% else %>
    ::operator delete(memory, kAlignment);
<% endif %>
  }
}

void KernelExec::ParallelFor(int64_t count, int64_t cost, Range range, void* body) {
  if (count <= 0) return;
  const int64_t piece = std::max<int64_t>(1, kWorkPerPiece / std::max<int64_t>(1, cost));
  const int64_t pieces = std::min({count / piece, count, kMostPieces});
  if (pieces <= 1) {
    range(body, 0, count);
    return;
  }
  Pieces loop{count, pieces, range, body, {}, {}};
  const Api& api = ep_.api();
  const Status ran = FromOrt(api, api.ort->KernelContext_ParallelFor(
                                      context_, RunPiece, static_cast<size_t>(pieces), 0, &loop));
  if (!ran.ok()) {  // refused before the first piece
    range(body, 0, count);
    return;
  }
  if (loop.error != nullptr) std::rethrow_exception(loop.error);
}

Status KernelExec::Scratch(size_t bytes, void** memory) {
  *memory = nullptr;
  if (bytes == 0) return Status();
  scratch_.push_back(nullptr);
<% if device_memory %>
  EP_RETURN_IF_ERROR(ep_.factory().runtime().Allocate(bytes, &scratch_.back()));
  *memory = ep_.factory().runtime().KernelAddress(scratch_.back());
<% else %>
  scratch_.back() = ::operator new(bytes, kAlignment);
  *memory = scratch_.back();
<% endif %>
  return Status();
}

}  // namespace <%= ns %>
