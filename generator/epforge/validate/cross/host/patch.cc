#include "patch.h"

#include <cstdint>
#include <stdexcept>

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

void Patch::Write(void* address) {
#ifdef _WIN32
  DWORD before = 0;
  if (VirtualProtect(entry_, sizeof address, PAGE_READWRITE, &before) == 0) {
    throw std::runtime_error("a table of the runtime cannot be written");
  }
#else
  const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(entry_) / size * size;
  if (mprotect(reinterpret_cast<void*>(page), size, PROT_READ | PROT_WRITE) != 0) {
    throw std::runtime_error("a table of the runtime cannot be written");
  }
#endif
  std::memcpy(entry_, &address, sizeof address);
}
