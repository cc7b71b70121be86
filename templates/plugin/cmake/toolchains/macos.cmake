<%= banner %>
# Builds for macOS on another system: zig compiles, LLVM's linker links. zig's own linker would
# export more than it is told to.
#
# CMake looks for Apple's tools; nothing here needs them. The oldest macOS is in zig's target.
set(CMAKE_OSX_SYSROOT "" CACHE STRING "" FORCE)
set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "" FORCE)
find_program(ep_true true NO_CACHE NO_CMAKE_FIND_ROOT_PATH)
set(CMAKE_INSTALL_NAME_TOOL "${ep_true}")

find_program(ep_python NAMES python3 python NO_CACHE NO_CMAKE_FIND_ROOT_PATH)
list(GET CMAKE_CXX_COMPILER 0 ep_zig)
set(EP_LINK_RULE "\"${ep_python}\" \"${CMAKE_CURRENT_LIST_DIR}/link_macos.py\" \"${ep_zig}\" -o <TARGET> -install_name <TARGET_INSTALLNAME_DIR><TARGET_SONAME> <LINK_FLAGS> <OBJECTS>")
