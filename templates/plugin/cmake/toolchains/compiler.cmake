<%= banner %>
# Which compiler builds for another platform. Every toolchain file calls ep_build_for once:
#
#   ep_build_for(SYSTEM PROCESSOR GCC PROGRAM... PACKAGE NAME ZIG TARGET)
#
# On a machine that is the target itself, CMake finds the compiler as always (CXX, then the PATH).
# Elsewhere it is the first that there is: GCC's cross compiler, then zig.
#   -D<%= macro %>_CROSS_COMPILER=gcc    takes that one and no other; so does =zig
#   -D<%= macro %>_ZIG=PATH              zig; by default on the PATH, or of the package ziglang
# EP_COMPILER says which it is: native, gcc or zig.

# CMake reads a toolchain file once more for every check of the compiler, and hands on only these.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES <%= macro %>_CROSS_COMPILER <%= macro %>_ZIG)

function(ep_build_for system processor)
  cmake_parse_arguments(arg "" "PACKAGE;ZIG" "GCC" ${ARGN})
  set(wanted "${<%= macro %>_CROSS_COMPILER}")
  if(NOT wanted MATCHES "^(gcc|zig|)$")
    message(FATAL_ERROR "<%= macro %>_CROSS_COMPILER is ${wanted}; it can be gcc or zig.")
  endif()
  ep_is_native(native ${system} ${processor})
  if(native AND NOT wanted)
    set(EP_COMPILER native PARENT_SCOPE)
    return()
  endif()
  if(NOT native)
    set(CMAKE_SYSTEM_NAME ${system} PARENT_SCOPE)
    set(CMAKE_SYSTEM_PROCESSOR ${processor} PARENT_SCOPE)
    set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER PARENT_SCOPE)
  endif()

  set(zig "")
  ep_find_gcc(gcc ${arg_GCC})
  if(wanted STREQUAL "zig" OR NOT gcc)
    ep_find_zig(zig)
  endif()
  if(gcc AND NOT wanted STREQUAL "zig")
    set(EP_COMPILER gcc PARENT_SCOPE)
    set(CMAKE_CXX_COMPILER "${gcc}" PARENT_SCOPE)
  elseif(zig AND NOT wanted STREQUAL "gcc")
    set(EP_COMPILER zig PARENT_SCOPE)
    # With a target, CMake links nothing to find out which compiler this is. zig would build its C++
    # library for that, and once more with the flags of the project.
    set(CMAKE_CXX_COMPILER "${zig}" c++ PARENT_SCOPE)
    set(CMAKE_CXX_COMPILER_TARGET ${arg_ZIG} PARENT_SCOPE)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY PARENT_SCOPE)
  else()
    set(cures "")
    if(arg_GCC AND NOT wanted STREQUAL "zig")
      list(APPEND cures "apt install ${arg_PACKAGE} (Debian, Ubuntu)")
    endif()
    if(NOT wanted STREQUAL "gcc")
      list(APPEND cures "python -m pip install ziglang")
    endif()
    list(JOIN cures ", or: " cures)
    message(FATAL_ERROR "There is no compiler for ${system} on ${processor}. Install one: ${cures}")
  endif()
endfunction()

function(ep_is_native result system processor)
  set(host "${CMAKE_HOST_SYSTEM_PROCESSOR}")
  foreach(names "x86_64|AMD64|amd64" "aarch64|arm64|ARM64")
    if(host MATCHES "^(${names})$" AND processor MATCHES "^(${names})$")
      set(host "${processor}")
    endif()
  endforeach()
  set(${result} OFF PARENT_SCOPE)
  if(CMAKE_HOST_SYSTEM_NAME STREQUAL system AND host STREQUAL processor)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# The first of the programs that is there and has std::mutex, which MinGW-w64 has in one flavour.
function(ep_find_gcc result)
  set(${result} "" PARENT_SCOPE)
  foreach(name IN LISTS ARGN)
    unset(program)
    find_program(program "${name}" NO_CACHE NO_CMAKE_FIND_ROOT_PATH)
    if(program)
      execute_process(COMMAND "${program}" -v ERROR_VARIABLE about OUTPUT_QUIET)
      if(about MATCHES "Thread model: posix")
        set(${result} "${program}" PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
endfunction()

function(ep_find_zig result)
  set(${result} "" PARENT_SCOPE)
  set(program "${<%= macro %>_ZIG}")
  if(NOT program)
    find_program(program zig NO_CACHE NO_CMAKE_FIND_ROOT_PATH)
  endif()
  if(NOT program)
    # Asks for the package's place without importing it.
    set(script "import importlib.util as u; s = u.find_spec('ziglang'); print(s.submodule_search_locations[0] if s else '')")
    find_program(python NAMES python3 python NO_CACHE NO_CMAKE_FIND_ROOT_PATH)
    execute_process(COMMAND "${python}" -c "${script}"
      OUTPUT_VARIABLE package OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(package)
      find_program(program zig PATHS "${package}" NO_DEFAULT_PATH NO_CACHE NO_CMAKE_FIND_ROOT_PATH)
    endif()
  endif()
  if(program)
    file(TO_CMAKE_PATH "${program}" program)
    set(${result} "${program}" PARENT_SCOPE)
  endif()
endfunction()
