<%= banner %>
# Windows on x64: cmake --preset windows-x64
include("${CMAKE_CURRENT_LIST_DIR}/compiler.cmake")
ep_build_for(Windows AMD64
  GCC x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-g++
  PACKAGE g++-mingw-w64-x86-64
  ZIG x86_64-windows-gnu)
if(EP_COMPILER STREQUAL "gcc")
  set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
  # For programs, such as the tests. What the libraries need, cmake/gen/exports.cmake says.
  set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
endif()
if(NOT CMAKE_HOST_WIN32)
  set(CMAKE_CROSSCOMPILING_EMULATOR wine)  # for the tests (Debian, Ubuntu: apt install wine64)
endif()
