// What the stand-ins for NVIDIA's libraries share: a log of what was called, and calls that fail when
// the test asks for it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <sstream>
#include <string>

namespace fake {
namespace {  // each library has its own

std::mutex mutex;
std::string log;
std::string copy;  // what was last given out
std::map<std::string, int> failures;
int live = 0;  // handles and descriptors
int next = 0;
int to_meet = 0;
int met = 0;
std::condition_variable meeting;

template <class... Parts>
void Log(const Parts&... parts) {
  std::ostringstream line;
  ((line << parts << ' '), ...);
  const std::lock_guard<std::mutex> lock(mutex);
  log += line.str();
  log.back() = '\n';
}

// The status that the test wants of a call; 0 for none.
inline int Failure(const char* call) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = failures.find(call);
  return found == failures.end() ? 0 : found->second;
}

// Waits until as many calls as the test wants are here at once. Whether they came.
inline bool Meet() {
  std::unique_lock<std::mutex> lock(mutex);
  if (to_meet == 0) return true;
  ++met;
  meeting.notify_all();
  return meeting.wait_for(lock, std::chrono::seconds(60), [] { return met >= to_meet; });
}

// What a handle is. Calls that work take it for themselves.
struct Handle {
  int number;
  void* stream = nullptr;
  bool has_stream = false;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  std::atomic<bool> busy{false};
};

inline Handle* NewHandle() {
  auto* handle = new Handle;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    handle->number = ++next;
    ++live;
  }
  Log("create", handle->number);
  return handle;
}

inline void Count(int change) {
  const std::lock_guard<std::mutex> lock(mutex);
  live += change;
}

inline void Delete(Handle* handle) {
  Log("destroy", handle->number);
  Count(-1);
  delete handle;
}

}  // namespace
}  // namespace fake

extern "C" {

// The log so far, which begins anew.
const char* FakeLog() {
  const std::lock_guard<std::mutex> lock(fake::mutex);
  fake::copy.swap(fake::log);
  fake::log.clear();
  return fake::copy.c_str();
}
int FakeLive() {
  const std::lock_guard<std::mutex> lock(fake::mutex);
  return fake::live;
}
void FakeFail(const char* call, int status) {
  const std::lock_guard<std::mutex> lock(fake::mutex);
  fake::failures[call] = status;
}
void FakeMeet(int calls) {
  const std::lock_guard<std::mutex> lock(fake::mutex);
  fake::to_meet = calls;
  fake::met = 0;
}

}  // extern "C"
