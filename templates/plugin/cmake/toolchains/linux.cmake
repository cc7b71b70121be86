<%= banner %>
# What a library needs to run on an older Linux than the one that it was built on.
if(EP_COMPILER STREQUAL "zig")
  # zig links nothing that ends static objects when the library is unloaded.
  set(EP_PLATFORM_SOURCES "${CMAKE_CURRENT_LIST_DIR}/unload.cc")
else()
  # GCC's C++ library is the system's own, and so is glibc.
  set(EP_PLATFORM_SOURCES "${CMAKE_CURRENT_LIST_DIR}/older_systems.cc")
  set(CMAKE_CXX_FLAGS_INIT "-include \"${CMAKE_CURRENT_LIST_DIR}/older_systems.h\"")
endif()
