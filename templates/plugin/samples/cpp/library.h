<%= banner %>
#pragma once

#include <filesystem>
#include <string>

namespace sample {

// A shared library, opened.
class Library {
 public:
  // Throws Failure with the system's reason when it cannot be opened.
  Library(const std::filesystem::path& path, const std::string& what);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  // A function that it exports; null when there is none.
  void* Find(const char* name) const;

  // Leaves it open as long as the process runs.
  void Keep() { kept_ = true; }

 private:
  void* handle_ = nullptr;
  bool kept_ = false;
};

}  // namespace sample
