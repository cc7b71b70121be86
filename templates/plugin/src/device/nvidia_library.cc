<%= banner %>
#include "device/nvidia_library.h"

#include <filesystem>
#include <system_error>
#include <vector>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <dlfcn.h>

#include <cstdlib>
#endif

namespace <%= ns %> {
namespace {

namespace fs = std::filesystem;

#ifdef _WIN32

constexpr wchar_t kFoldersVariable[] = L"<%= macro %>_CUDA_LIBRARIES";
constexpr wchar_t kSeparator = L';';

std::string FileName(const char* component, int major) {
  return std::string(component) + "64_" + std::to_string(major) + ".dll";
}

fs::path::string_type Folders() {
  std::wstring value(32767, L'\0');  // no variable is longer
  const DWORD room = static_cast<DWORD>(value.size());
  value.resize(GetEnvironmentVariableW(kFoldersVariable, value.data(), room));
  return value;
}

// What a library needs is looked for in its own folder.
void* OpenFile(const fs::path& file) {
  const DWORD flags = file.is_absolute() ? LOAD_WITH_ALTERED_SEARCH_PATH : 0;
  return LoadLibraryExW(file.c_str(), nullptr, flags);
}

std::string Reason() { return "Windows error " + std::to_string(GetLastError()); }

void* AddressOf(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

#else

constexpr char kFoldersVariable[] = "<%= macro %>_CUDA_LIBRARIES";
constexpr char kSeparator = ':';

std::string FileName(const char* component, int major) {
  return "lib" + std::string(component) + ".so." + std::to_string(major);
}

fs::path::string_type Folders() {
  const char* value = std::getenv(kFoldersVariable);
  return value != nullptr ? value : "";
}

void* OpenFile(const fs::path& file) { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); }

std::string Reason() {
  const char* text = dlerror();
  return text != nullptr ? text : "no reason given";
}

void* AddressOf(void* library, const char* name) { return dlsym(library, name); }

#endif

// Where a folder has libraries: itself, or as the wheels for CUDA 12 and 13 lay them out.
std::vector<fs::path> PlacesIn(const fs::path& folder, const char* component, int major) {
#ifdef _WIN32
  const fs::path last = "bin";
  const fs::path common = last / "x86_64";
#else
  const fs::path last = "lib";
  const fs::path& common = last;
#endif
  const fs::path wheels = folder / "nvidia";
  return {folder, wheels / component / last, wheels / ("cu" + std::to_string(major)) / common};
}

std::vector<fs::path> Split(const fs::path::string_type& folders) {
  std::vector<fs::path> result;
  for (size_t begin = 0; begin < folders.size();) {
    size_t end = folders.find(kSeparator, begin);
    if (end == fs::path::string_type::npos) end = folders.size();
    if (end > begin) result.emplace_back(folders.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

}  // namespace

bool NvidiaLibrary::IsThere() {
  std::call_once(looked_, [this] { Open(); });
  return library_ != nullptr || !error_.empty();
}

// It is never closed: threads and exit handlers of its own may run as long as the process does.
void NvidiaLibrary::Open() {
  for (const fs::path& folder : Split(Folders())) {
    for (size_t i = 0; i < major_count_; ++i) {
      const std::string name = FileName(component_, majors_[i]);
      for (const fs::path& place : PlacesIn(folder, component_, majors_[i])) {
        std::error_code error;
        const fs::path file = fs::absolute(place / name, error);
        if (error || !fs::exists(file, error)) continue;
        file_ = file.u8string();
        library_ = OpenFile(file);
        if (library_ == nullptr) error_ = Reason();
        return;
      }
    }
  }
  for (size_t i = 0; i < major_count_ && library_ == nullptr; ++i) {
    file_ = FileName(component_, majors_[i]);
    library_ = OpenFile(file_);
  }
}

Status NvidiaLibrary::FindAddress(const char* name, void** address) {
  if (!IsThere()) return Failed("this machine has no library " + std::string(component_));
  if (library_ == nullptr) return Failed("cannot open " + file_ + ": " + error_);
  *address = AddressOf(library_, name);
  if (*address != nullptr) return Status();
  return Failed(file_ + " has no function " + name + ": install another release of it");
}

}  // namespace <%= ns %>
