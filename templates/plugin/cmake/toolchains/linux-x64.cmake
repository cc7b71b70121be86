<%= banner %>
# Linux on x64, for glibc 2.28 and newer: cmake --preset linux-x64
include("${CMAKE_CURRENT_LIST_DIR}/compiler.cmake")
ep_build_for(Linux x86_64
  GCC x86_64-linux-gnu-g++
  PACKAGE g++-x86-64-linux-gnu
  ZIG x86_64-linux-gnu.2.28)
include("${CMAKE_CURRENT_LIST_DIR}/linux.cmake")
