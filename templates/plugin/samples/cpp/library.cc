<%= banner %>
#include "library.h"

#include "failure.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace sample {
namespace {

#if defined(_WIN32)
// The libraries that it needs are looked for in its own folder.
void* Open(const std::filesystem::path& path) {
  return LoadLibraryExW(path.c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
}
std::string Reason() { return "Windows error " + std::to_string(GetLastError()); }
#else
void* Open(const std::filesystem::path& path) { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }
std::string Reason() {
  const char* text = dlerror();
  return text != nullptr ? text : "no reason given";
}
#endif

}  // namespace

Library::Library(const std::filesystem::path& path, const std::string& what) : handle_(Open(path)) {
  if (handle_ == nullptr) {
    throw Failure(what + " " + path.string() +
                  " is no shared library for this machine, or one that it needs is missing (" +
                  Reason() + "): build it for this machine, or name another file");
  }
}

Library::~Library() {
  if (kept_ || handle_ == nullptr) return;
#if defined(_WIN32)
  FreeLibrary(static_cast<HMODULE>(handle_));
#else
  dlclose(handle_);
#endif
}

void* Library::Find(const char* name) const {
#if defined(_WIN32)
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name));
#else
  return dlsym(handle_, name);
#endif
}

}  // namespace sample
