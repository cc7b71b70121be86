// Entries of the runtime's own tables, replaced for as long as something lives.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_PATCH_H_
#define EPFORGE_VALIDATE_CROSS_HOST_PATCH_H_

#include <cstring>

class Patch {
 public:
  // Puts `function` into `entry`, a member of a table.
  template <typename F>
  Patch(const F* entry, F function) : entry_(const_cast<F*>(entry)) {
    static_assert(sizeof(F) == sizeof(void*), "a function pointer");
    void* address = nullptr;
    std::memcpy(&address, &function, sizeof address);
    std::memcpy(&original_, entry_, sizeof original_);
    Write(address);
  }
  ~Patch() { std::memcpy(entry_, &original_, sizeof original_); }
  Patch(const Patch&) = delete;
  Patch& operator=(const Patch&) = delete;

 private:
  // Writes to the entry, which may lie in memory that is only read. Throws std::runtime_error.
  void Write(void* address);

  void* entry_;
  void* original_ = nullptr;
};

#endif  // EPFORGE_VALIDATE_CROSS_HOST_PATCH_H_
