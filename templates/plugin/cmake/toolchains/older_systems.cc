<%= banner %>
// What the headers of a newer system call and an older one lacks. Nothing here leaves the library.

#include <exception>
#include <new>

// Whether std::shared_ptr may count without atomic operations: it may not.
extern "C" {
extern __attribute__((visibility("hidden"))) char __libc_single_threaded;
char __libc_single_threaded = 0;

// The copy constructor and the destructor of std::exception_ptr in the C++ library. The version
// keeps the linker from taking those that this compiler may have put into a file of ours.
void EpCopyException(void* copy, const void* original) noexcept;
void EpDestroyException(void* pointer) noexcept;
__asm__(
    ".symver EpCopyException,"
    "_ZNSt15__exception_ptr13exception_ptrC1ERKS0_@CXXABI_1.3.3");
__asm__(".symver EpDestroyException,_ZNSt15__exception_ptr13exception_ptrD1Ev@CXXABI_1.3.3");
}

namespace std {

[[noreturn]] __attribute__((visibility("hidden"))) void __throw_bad_array_new_length();

// What `new` of an array calls when its length is negative or too great.
void __throw_bad_array_new_length() { throw bad_array_new_length(); }

// What the headers call in their place: the number of owners goes up, or down.
void __exception_ptr::exception_ptr::_M_addref() noexcept {
  alignas(exception_ptr) char copy[sizeof(exception_ptr)];  // is never destroyed
  EpCopyException(copy, this);
}
void __exception_ptr::exception_ptr::_M_release() noexcept { EpDestroyException(this); }

}  // namespace std
