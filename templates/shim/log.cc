#include "log.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "json.h"
#include "platform.h"

namespace shim {
namespace {

std::mutex g_open_mutex;
std::atomic<int> g_file{-1};
std::atomic<bool> g_calls{true};
std::string g_path;

std::atomic<unsigned> g_threads{0};

unsigned ThreadNumber() {
  thread_local const unsigned number = ++g_threads;
  return number;
}

}  // namespace

void OpenLog() {
  const char* path = std::getenv("EPFORGE_SHIM_LOG");
  const std::lock_guard<std::mutex> lock(g_open_mutex);
  const char* calls = std::getenv("EPFORGE_SHIM_LOG_CALLS");
  g_calls = calls == nullptr || std::strcmp(calls, "0") != 0;
  const std::string wanted = path == nullptr ? "" : path;
  if (wanted == g_path) return;
  const int old = g_file.exchange(wanted.empty() ? -1 : OpenToAppend(wanted.c_str()));
  if (old >= 0) CloseFile(old);
  g_path = wanted;
}

void WriteLog(const char* event, const char* what, const void* object, const char* text) {
  const int file = g_file.load(std::memory_order_relaxed);
  if (file < 0 || (text == nullptr && !g_calls.load(std::memory_order_relaxed))) return;
  char head[300];
  const int length = std::snprintf(
      head, sizeof head, "{\"event\": \"%s\", \"what\": \"%s\", \"thread\": %u, \"object\": \"%p\"",
      event, what, ThreadNumber(), object);
  if (length <= 0 || static_cast<size_t>(length) >= sizeof head - 2) return;
  if (text == nullptr) {
    std::memcpy(head + length, "}\n", 2);
    AppendToFile(file, head, static_cast<size_t>(length) + 2);
  } else {
    const std::string line = head + (", \"text\": " + JsonText(text)) + "}\n";
    AppendToFile(file, line.data(), line.size());
  }
}

}  // namespace shim
