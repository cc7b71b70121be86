<%= banner %>
#include "files.h"

#include <system_error>

#include "failure.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>

#include <cstdint>
#endif

namespace sample {
namespace {

namespace fs = std::filesystem;

// Where this program lies: its own file, not the symbolic link that it was started by.
fs::path ProgramFolder() {
  std::error_code error;
#if defined(_WIN32)
  std::wstring name(32768, L'\0');
  name.resize(GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size())));
  const fs::path program = name;
#elif defined(__APPLE__)
  uint32_t size = 0;
  _NSGetExecutablePath(nullptr, &size);
  std::string name(size, '\0');
  _NSGetExecutablePath(name.data(), &size);
  const fs::path program = fs::canonical(name.c_str(), error);
#else
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
#endif
  return program.parent_path();
}

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

fs::path GivenFile(const std::string& given, const std::string& what, const std::string& option) {
  std::error_code error;
  const fs::path path = fs::absolute(given, error).lexically_normal();
  if (IsFile(path)) return path;
  const bool folder = fs::is_directory(path, error);
  std::string text = what + " " + path.string();
  text += folder ? " is a folder, not a file" : " is not there";
  if (fs::path(given).is_relative()) text += " ('" + given + "', seen from the current folder)";
  throw Failure(text + ": correct " + option);
}

fs::path FindLibrary(const std::vector<std::string>& names, const std::string& built,
                     const std::string& what, const std::string& option) {
  const fs::path here = ProgramFolder();
  std::string tried;
  const auto found = [&](const fs::path& path) {
    tried += (tried.empty() ? "" : ", ") + path.string();
    return IsFile(path);
  };
  for (const std::string& name : names) {
    for (const fs::path& folder : {here, here.parent_path() / "lib"}) {
      if (found(folder / name)) return folder / name;
    }
  }
  if (!built.empty() && found(built)) return built;
  throw Failure(what + " is not there (tried " + tried + "): build it, or name it with " + option);
}

}  // namespace sample
