#include "runtime.h"

#ifdef _WIN32
#include <windows.h>
#endif

Path Native(const std::string& path) {
#ifdef _WIN32
  const int size =
      MultiByteToWideChar(CP_UTF8, 0, path.data(), static_cast<int>(path.size()), nullptr, 0);
  Path wide(static_cast<std::size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, path.data(), static_cast<int>(path.size()), wide.data(), size);
  return wide;
#else
  return path;
#endif
}
