<%= banner %>
# macOS 13 and newer on Apple silicon: cmake --preset macos-arm64
include("${CMAKE_CURRENT_LIST_DIR}/compiler.cmake")
ep_build_for(Darwin arm64 ZIG aarch64-macos.13.0)
if(EP_COMPILER STREQUAL "native")
  set(CMAKE_OSX_DEPLOYMENT_TARGET 13.0 CACHE STRING "The oldest macOS that the library runs on")
else()
  include("${CMAKE_CURRENT_LIST_DIR}/macos.cmake")
endif()
