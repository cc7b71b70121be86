// Loaded before everything else (LD_PRELOAD): sees what a library allocates while it is in one of
// its callbacks, and lets an allocation fail when it is asked to. For glibc.
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);
}

#define BLOCKS_EXPORT __attribute__((visibility("default")))

namespace {

struct Block {
  std::atomic<void*> address{nullptr};
  const void* caller = nullptr;  // the first place on the stack that is in the library
  size_t size = 0;
  int function = 0;  // the callback that the thread was in
};

// A table with room for 2^18 blocks; what does not fit is counted, and not followed.
constexpr size_t kRoom = size_t{1} << 18;
constexpr size_t kMostSteps = 64;
void* const kGone = reinterpret_cast<void*>(~uintptr_t{0});

Block g_blocks[kRoom];
std::atomic<size_t> g_followed{0};
std::atomic<size_t> g_lost{0};

std::atomic<uintptr_t> g_image_first{0};
std::atomic<uintptr_t> g_image_end{0};
std::atomic<int64_t> g_fail_in{0};  // 0: none is to fail

thread_local int t_inside = 0;
thread_local bool t_busy = false;

bool InImage(const void* address) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  return at >= g_image_first.load(std::memory_order_relaxed) &&
         at < g_image_end.load(std::memory_order_relaxed);
}

struct Walk {
  const void* found;
  int left;
};

_Unwind_Reason_Code Step(_Unwind_Context* context, void* state) {
  Walk& walk = *static_cast<Walk*>(state);
  const void* at = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  if (InImage(at)) {
    walk.found = at;
    return _URC_END_OF_STACK;
  }
  return --walk.left > 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// The first place on the stack that is in the library; `direct` if there is none.
const void* CallerInImage(const void* direct) {
  if (InImage(direct)) return direct;
  Walk walk{nullptr, 48};
  _Unwind_Backtrace(&Step, &walk);
  return walk.found == nullptr ? direct : walk.found;
}

size_t PlaceOf(const void* address) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  return static_cast<size_t>((at >> 4) * uint64_t{0x9e3779b97f4a7c15} >> 20) % kRoom;
}

void Follow(void* address, size_t size, const void* caller) {
  if (address == nullptr || t_inside == 0 || t_busy) return;
  t_busy = true;
  const void* place = CallerInImage(caller);
  size_t at = PlaceOf(address);
  for (size_t step = 0; step < kMostSteps; ++step, at = (at + 1) % kRoom) {
    void* now = g_blocks[at].address.load(std::memory_order_relaxed);
    if (now != nullptr && now != kGone) continue;
    // Taken in two steps, so that nobody sees a block half written.
    if (!g_blocks[at].address.compare_exchange_strong(now, &g_blocks[at])) continue;
    g_blocks[at].caller = place;
    g_blocks[at].size = size;
    g_blocks[at].function = t_inside;
    g_blocks[at].address.store(address, std::memory_order_release);
    g_followed.fetch_add(1, std::memory_order_relaxed);
    t_busy = false;
    return;
  }
  g_lost.fetch_add(1, std::memory_order_relaxed);
  t_busy = false;
}

void Leave(void* address) {
  if (address == nullptr || g_followed.load(std::memory_order_relaxed) == 0) return;
  size_t at = PlaceOf(address);
  for (size_t step = 0; step < kMostSteps; ++step, at = (at + 1) % kRoom) {
    void* now = g_blocks[at].address.load(std::memory_order_acquire);
    if (now == nullptr) return;
    if (now == address) {
      g_blocks[at].address.store(kGone, std::memory_order_release);
      g_followed.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
  }
}

bool TurnToFail() {
  if (t_inside == 0 || g_fail_in.load(std::memory_order_relaxed) <= 0) return false;
  return g_fail_in.fetch_sub(1) == 1;
}

void* New(size_t size, size_t alignment, const void* caller) {
  if (TurnToFail()) return nullptr;
  void* block = alignment <= alignof(std::max_align_t) ? __libc_malloc(size == 0 ? 1 : size)
                                                       : __libc_memalign(alignment, size);
  Follow(block, size, caller);
  return block;
}

void* NewOrThrow(size_t size, size_t alignment, const void* caller) {
  void* block = New(size, alignment, caller);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void Delete(void* block) {
  Leave(block);
  __libc_free(block);
}

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {

// What the shim tells: where this thread is (0: not in the library), where the library lies, which
// allocation is to fail.
BLOCKS_EXPORT int EpforgeBlocksInside(int function) {
  const int before = t_inside;
  t_inside = function;
  return before;
}

BLOCKS_EXPORT void EpforgeBlocksImage(uintptr_t first, uintptr_t end) {
  g_image_first = first;
  g_image_end = end;
}

BLOCKS_EXPORT void EpforgeBlocksFail(int64_t nth) { g_fail_in = nth; }

BLOCKS_EXPORT int64_t EpforgeBlocksLeft() { return g_fail_in; }

// Calls `see` for every block that is followed; returns how many found no room.
BLOCKS_EXPORT size_t EpforgeBlocksEach(void (*see)(void* state, const void* caller, size_t size,
                                                   int function),
                                       void* state) {
  for (Block& block : g_blocks) {
    void* now = block.address.load(std::memory_order_acquire);
    if (now == nullptr || now == kGone || now == &block) continue;
    see(state, block.caller, block.size, block.function);
  }
  return g_lost.load();
}

BLOCKS_EXPORT void* malloc(size_t size) {
  void* block = __libc_malloc(size);
  Follow(block, size, CALLER);
  return block;
}

BLOCKS_EXPORT void* calloc(size_t count, size_t size) {
  void* block = __libc_calloc(count, size);
  Follow(block, count * size, CALLER);
  return block;
}

BLOCKS_EXPORT void* realloc(void* old, size_t size) {
  Leave(old);
  void* block = __libc_realloc(old, size);
  Follow(block, size, CALLER);
  return block;
}

BLOCKS_EXPORT void free(void* block) { Delete(block); }

BLOCKS_EXPORT void* memalign(size_t alignment, size_t size) {
  void* block = __libc_memalign(alignment, size);
  Follow(block, size, CALLER);
  return block;
}

BLOCKS_EXPORT void* aligned_alloc(size_t alignment, size_t size) {
  void* block = __libc_memalign(alignment, size);
  Follow(block, size, CALLER);
  return block;
}

BLOCKS_EXPORT int posix_memalign(void** out, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  void* block = __libc_memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  Follow(block, size, CALLER);
  *out = block;
  return 0;
}

}  // extern "C"

BLOCKS_EXPORT void* operator new(size_t size) { return NewOrThrow(size, 0, CALLER); }
BLOCKS_EXPORT void* operator new[](size_t size) { return NewOrThrow(size, 0, CALLER); }
BLOCKS_EXPORT void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return New(size, 0, CALLER);
}
BLOCKS_EXPORT void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return New(size, 0, CALLER);
}
BLOCKS_EXPORT void* operator new(size_t size, std::align_val_t alignment) {
  return NewOrThrow(size, static_cast<size_t>(alignment), CALLER);
}
BLOCKS_EXPORT void* operator new[](size_t size, std::align_val_t alignment) {
  return NewOrThrow(size, static_cast<size_t>(alignment), CALLER);
}
BLOCKS_EXPORT void operator delete(void* block) noexcept { Delete(block); }
BLOCKS_EXPORT void operator delete[](void* block) noexcept { Delete(block); }
BLOCKS_EXPORT void operator delete(void* block, size_t) noexcept { Delete(block); }
BLOCKS_EXPORT void operator delete[](void* block, size_t) noexcept { Delete(block); }
BLOCKS_EXPORT void operator delete(void* block, const std::nothrow_t&) noexcept { Delete(block); }
BLOCKS_EXPORT void operator delete[](void* block, const std::nothrow_t&) noexcept { Delete(block); }
BLOCKS_EXPORT void operator delete(void* block, std::align_val_t) noexcept { Delete(block); }
BLOCKS_EXPORT void operator delete[](void* block, std::align_val_t) noexcept { Delete(block); }
BLOCKS_EXPORT void operator delete(void* block, size_t, std::align_val_t) noexcept {
  Delete(block);
}
BLOCKS_EXPORT void operator delete[](void* block, size_t, std::align_val_t) noexcept {
  Delete(block);
}
