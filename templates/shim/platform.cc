#include "platform.h"

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>
#else
#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>
#endif

namespace shim {

#ifdef _WIN32

void* LoadLibraryFile(const char* path, std::string& error) {
  wchar_t wide[32768];
  if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 32768) == 0) {
    error = "its path is not UTF-8";
    return nullptr;
  }
  HMODULE library = LoadLibraryExW(wide, nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
  if (library == nullptr) error = "error " + std::to_string(GetLastError());
  return reinterpret_cast<void*>(library);
}

void* SymbolOf(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(reinterpret_cast<HMODULE>(library), name));
}

void UnloadLibrary(void* library) { FreeLibrary(reinterpret_cast<HMODULE>(library)); }

namespace {

DWORD ProtectionOf(const void* address) {
  MEMORY_BASIC_INFORMATION found;
  if (VirtualQuery(address, &found, sizeof found) == 0 || found.State != MEM_COMMIT) return 0;
  return found.Protect & 0xff;
}

}  // namespace

bool IsCode(const void* address) {
  const DWORD now = ProtectionOf(address);
  return now == PAGE_EXECUTE || now == PAGE_EXECUTE_READ || now == PAGE_EXECUTE_READWRITE ||
         now == PAGE_EXECUTE_WRITECOPY;
}

bool IsWritable(const void* address) {
  const DWORD now = ProtectionOf(address);
  return now == PAGE_READWRITE || now == PAGE_WRITECOPY || now == PAGE_EXECUTE_READWRITE ||
         now == PAGE_EXECUTE_WRITECOPY;
}

int OpenToAppend(const char* path) {
  return _open(path, _O_WRONLY | _O_CREAT | _O_APPEND | _O_BINARY, _S_IREAD | _S_IWRITE);
}

void AppendToFile(int file, const char* text, size_t size) {
  static_cast<void>(_write(file, text, static_cast<unsigned>(size)));
}

void CloseFile(int file) { _close(file); }

void* SymbolOfAny(const char*) { return nullptr; }

void NoteImage(const char*) {}

std::ptrdiff_t OffsetInImage(const void*) { return -1; }

Image NotedImage() { return {0, 0}; }

std::string NameAt(const void*) { return ""; }

#else

void* LoadLibraryFile(const char* path, std::string& error) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) error = dlerror();
  return library;
}

void* SymbolOf(void* library, const char* name) { return dlsym(library, name); }

void UnloadLibrary(void* library) { dlclose(library); }

#ifdef __linux__

namespace {

enum class Want { kCode, kWritable };

std::atomic<uintptr_t> g_image_first{0};
std::atomic<uintptr_t> g_image_end{0};

// Asks the kernel's list of mappings.
bool Mapped(const void* address, Want want) {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return true;  // nobody knows better
  const uintptr_t wanted = reinterpret_cast<uintptr_t>(address);
  bool found = false;
  char line[4400];
  while (!found && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long long first = 0, end = 0;
    char mode[5] = {};
    if (std::sscanf(line, "%llx-%llx %4s", &first, &end, mode) != 3) continue;
    const bool fits = want == Want::kCode ? mode[2] == 'x' : mode[1] == 'w';
    found = fits && wanted >= first && wanted < end;
  }
  std::fclose(maps);
  return found;
}

}  // namespace

bool IsCode(const void* address) {
  static std::shared_mutex mutex;
  static std::unordered_set<const void*> known;  // the list of mappings is long
  {
    const std::shared_lock<std::shared_mutex> lock(mutex);
    if (known.count(address) > 0) return true;
  }
  if (!Mapped(address, Want::kCode)) return false;
  const std::unique_lock<std::shared_mutex> lock(mutex);
  known.insert(address);
  return true;
}

bool IsWritable(const void* address) {
  return OffsetInImage(address) < 0 || Mapped(address, Want::kWritable);
}

void NoteImage(const char* path) {
  char real[PATH_MAX];
  std::FILE* maps = realpath(path, real) == nullptr ? nullptr : std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return;
  uintptr_t first = 0, end = 0;
  char line[4400];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long long from = 0, to = 0;
    const char* file = std::strchr(line, '/');
    if (file == nullptr || std::sscanf(line, "%llx-%llx", &from, &to) != 2) continue;
    if (std::strncmp(file, real, std::strlen(real)) != 0) continue;
    if (first == 0) first = static_cast<uintptr_t>(from);
    end = static_cast<uintptr_t>(to);
  }
  std::fclose(maps);
  g_image_first = first;
  g_image_end = end;
}

Image NotedImage() { return {g_image_first.load(), g_image_end.load()}; }

std::ptrdiff_t OffsetInImage(const void* address) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  const uintptr_t first = g_image_first.load(std::memory_order_relaxed);
  if (at < first || at >= g_image_end.load(std::memory_order_relaxed)) return -1;
  return static_cast<std::ptrdiff_t>(at - first);
}

#else

bool IsCode(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0;
}

bool IsWritable(const void*) { return true; }

void NoteImage(const char*) {}

std::ptrdiff_t OffsetInImage(const void*) { return -1; }

Image NotedImage() { return {0, 0}; }

#endif

int OpenToAppend(const char* path) {
  return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

void AppendToFile(int file, const char* text, size_t size) {
  while (size > 0) {
    const ssize_t done = write(file, text, size);
    if (done <= 0) return;
    text += done;
    size -= static_cast<size_t>(done);
  }
}

void CloseFile(int file) { close(file); }

void* SymbolOfAny(const char* name) { return dlsym(RTLD_DEFAULT, name); }

std::string NameAt(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_sname == nullptr) return "";
  int status = 0;
  char* readable = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  const std::string name = status == 0 && readable != nullptr ? readable : info.dli_sname;
  std::free(readable);
  return name;
}

#endif

}  // namespace shim
