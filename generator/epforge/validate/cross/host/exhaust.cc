#include "exhaust.h"

#ifdef _WIN32

Exhausted::Exhausted(const void* /*code*/, int /*nth*/) {}
Exhausted::~Exhausted() = default;
bool Exhausted::fired() const { return false; }

#else

#include <dlfcn.h>
#include <execinfo.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local const void* exhausted = nullptr;  // where the library lies
thread_local int left = 0;

const void* Place(const void* code) {
  Dl_info info{};
  return dladdr(code, &info) != 0 ? info.dli_fbase : nullptr;
}

// Is it the library that allocates, directly or by way of the C++ library?
bool IsOurs() {
  constexpr int kFrames = 12;
  void* frames[kFrames] = {};
  const int count = backtrace(frames, kFrames);
  const void* here = Place(reinterpret_cast<const void*>(&IsOurs));
  const void* standard = Place(dlsym(RTLD_DEFAULT, "__cxa_allocate_exception"));
  bool begun = false;  // a sanitizer's own frames come first
  for (int i = 0; i < count; ++i) {
    const void* place = Place(frames[i]);
    begun = begun || place == here;
    if (!begun || place == here || place == standard) continue;
    return place == exhausted;
  }
  return false;
}

void* Allocate(std::size_t size) noexcept {
  if (exhausted != nullptr && left > 0 && IsOurs() && --left == 0) return nullptr;
  return std::malloc(size == 0 ? 1 : size);
}

void* OrThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

Exhausted::Exhausted(const void* code, int nth) {
  left = nth;
  exhausted = Place(code);
}

Exhausted::~Exhausted() { exhausted = nullptr; }

bool Exhausted::fired() const { return left == 0; }

// Those of the whole process: libraries find the program's before that of the C++ library.
void* operator new(std::size_t size) { return OrThrow(Allocate(size)); }
void* operator new[](std::size_t size) { return OrThrow(Allocate(size)); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return Allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return Allocate(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }

#endif
