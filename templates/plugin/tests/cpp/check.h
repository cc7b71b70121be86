<%= banner %>
#pragma once

#include <atomic>
#include <cstdio>

// Checks that report and go on, and a verdict at the end: all that these tests need.
namespace <%= ns %>::test {

struct Tally {
  std::atomic<int> checks{0};
  std::atomic<int> failures{0};
};

inline Tally& Checks() {
  static Tally tally;
  return tally;
}

inline bool Report(bool good, const char* file, int line, const char* what) {
  ++Checks().checks;
  if (!good) {
    ++Checks().failures;
    std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
  }
  return good;
}

// The exit status of the test program.
inline int Verdict() {
  const Tally& tally = Checks();
  std::printf("%d checks, %d failed\n", tally.checks.load(), tally.failures.load());
  return tally.checks > 0 && tally.failures == 0 ? 0 : 1;
}

}  // namespace <%= ns %>::test

// True when the condition holds, so that a test can stop early: if (!CHECK(x)) return;
#define CHECK(condition) \
  (::<%= ns %>::test::Report(static_cast<bool>(condition), __FILE__, __LINE__, #condition))

// The same with a text made at run time.
#define CHECK_THAT(condition, text) \
  (::<%= ns %>::test::Report(static_cast<bool>(condition), __FILE__, __LINE__, (text).c_str()))
