// Libraries in this process.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_LIBRARY_H_
#define EPFORGE_VALIDATE_CROSS_HOST_LIBRARY_H_

#include <cstring>
#include <stdexcept>
#include <string>

// A library that stays loaded to the end: at exit its code may still be needed, and a report of a
// leak names its functions only while it is there.
class Library {
 public:
  // Throws std::runtime_error, which says why it cannot be loaded.
  explicit Library(const std::string& path);

  // A function of the library. Throws std::runtime_error if there is none of that name.
  template <typename F>
  F Function(const char* name) const {
    void* found = Find(name);
    if (found == nullptr) throw std::runtime_error(path_ + " has no " + name);
    F function = nullptr;
    static_assert(sizeof function == sizeof found, "a function pointer in a pointer");
    std::memcpy(&function, &found, sizeof function);
    return function;
  }

 private:
  void* Find(const char* name) const;

  std::string path_;
  void* handle_ = nullptr;
};

// Is a library in this process's memory?
bool IsLoaded(const std::string& path);

#endif  // EPFORGE_VALIDATE_CROSS_HOST_LIBRARY_H_
