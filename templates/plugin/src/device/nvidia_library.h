<%= banner %>
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "gen/api/status.h"

namespace <%= ns %> {

// A shared library of NVIDIA's that need not be there.
class NvidiaLibrary {
 public:
  // `component` is its name, without what systems put around it: "cublas". `majors` are the versions
  // whose functions we know, the one to try first in front.
  template <size_t kCount>
  NvidiaLibrary(const char* component, const int (&majors)[kCount])
      : component_(component), majors_(majors), major_count_(kCount) {}

  // Looks for it the first time. False where there is none; true, too, where there is one that
  // cannot be opened: then Find says so.
  bool IsThere();

  // Points `function` to the one of that name.
  template <class Function>
  Status Find(const char* name, Function** function) {
    void* address = nullptr;
    EP_RETURN_IF_ERROR(FindAddress(name, &address));
    *function = reinterpret_cast<Function*>(address);
    return Status();
  }

 private:
  void Open();
  Status FindAddress(const char* name, void** address);

  const char* component_;
  const int* majors_;
  size_t major_count_;
  std::once_flag looked_;
  void* library_ = nullptr;
  std::string file_;   // of the library, or of what should have been it
  std::string error_;  // why it could not be opened
};

}  // namespace <%= ns %>
