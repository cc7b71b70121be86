#include "library.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include "runtime.h"

#ifdef _WIN32

Library::Library(const std::string& path) : path_(path) {
  handle_ = LoadLibraryExW(Native(path).c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
  if (handle_ == nullptr) {
    throw std::runtime_error("cannot load " + path + ": error " + std::to_string(GetLastError()));
  }
}

void* Library::Find(const char* name) const {
  const auto found = GetProcAddress(static_cast<HMODULE>(handle_), name);
  void* address = nullptr;
  std::memcpy(&address, &found, sizeof address);
  return address;
}

bool IsLoaded(const std::string& path) { return GetModuleHandleW(Native(path).c_str()) != nullptr; }

#else

Library::Library(const std::string& path)
    : path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
}

void* Library::Find(const char* name) const { return dlsym(handle_, name); }

bool IsLoaded(const std::string& path) {
  void* found = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (found != nullptr) dlclose(found);
  return found != nullptr;
}

#endif
