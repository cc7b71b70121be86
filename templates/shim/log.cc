#include "log.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "json.h"
#include "platform.h"

namespace shim {
namespace {

std::mutex g_open_mutex;
std::atomic<int> g_file{-1};
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
  const std::string wanted = path == nullptr ? "" : path;
  if (wanted == g_path) return;
  const int old = g_file.exchange(wanted.empty() ? -1 : OpenToAppend(wanted.c_str()));
  if (old >= 0) CloseFile(old);
  g_path = wanted;
}

void WriteLog(const char* event, const char* what, const void* object, const char* text) {
  const int file = g_file.load(std::memory_order_relaxed);
  if (file < 0) return;
  const std::string said = text == nullptr ? "" : ", \"text\": " + JsonText(text);
  char line[600];
  const int length =
      std::snprintf(line, sizeof line,
                    "{\"event\": \"%s\", \"what\": \"%s\", \"thread\": %u, \"object\": \"%p\"%.*s}\n",
                    event, what, ThreadNumber(), object, 400, said.c_str());
  if (length > 0 && static_cast<size_t>(length) < sizeof line) {
    AppendToFile(file, line, static_cast<size_t>(length));
  }
}

}  // namespace shim
