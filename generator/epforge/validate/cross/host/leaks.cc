#include "leaks.h"

#include <cstdlib>  // says which C library there is

#if defined(__SANITIZE_ADDRESS__)
#define EPFORGE_HAS_LSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EPFORGE_HAS_LSAN 1
#endif
#endif

#if defined(__GLIBC__) && !defined(EPFORGE_HAS_LSAN)
#include <malloc.h>
#endif

#ifdef EPFORGE_HAS_LSAN

// Not every compiler that has the sanitizers has their headers.
extern "C" int __lsan_do_recoverable_leak_check();

int FindLeaks() { return __lsan_do_recoverable_leak_check(); }

// What is freed is kept for a while, to see whether it is used.
long long LiveBytes() { return -1; }

#else

int FindLeaks() { return -1; }

long long LiveBytes() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const auto info = mallinfo2();
  return static_cast<long long>(info.uordblks + info.hblkhd);
#else
  return -1;
#endif
}

#endif
