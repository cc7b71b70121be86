<%= banner %>
# Linux on 64-bit Arm, for glibc 2.28 and newer: cmake --preset linux-arm64
include("${CMAKE_CURRENT_LIST_DIR}/compiler.cmake")
ep_build_for(Linux aarch64
  GCC aarch64-linux-gnu-g++
  PACKAGE g++-aarch64-linux-gnu
  ZIG aarch64-linux-gnu.2.28)
include("${CMAKE_CURRENT_LIST_DIR}/linux.cmake")
if(NOT EP_COMPILER STREQUAL "native")
  # For the tests (Debian, Ubuntu: apt install qemu-user).
  set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;/usr/aarch64-linux-gnu")
endif()
