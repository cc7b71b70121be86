<%= banner %>
# A library exports the few functions that a list in exports/ names and nothing else, whatever its
# objects define.
set(EP_LIBRARY_TYPE MODULE)
set(EP_LIBRARY_PREFIX "lib")
set(EP_LIBRARY_SUFFIX "${CMAKE_SHARED_LIBRARY_SUFFIX}")
if(WIN32)
  set(EP_LIBRARY_PREFIX "")
elseif(APPLE)
  set(EP_LIBRARY_TYPE SHARED)  # what dlopen takes on macOS; a module would be a bundle
endif()

if(EP_LINK_RULE)  # of a toolchain file
  set(CMAKE_CXX_CREATE_SHARED_LIBRARY "${EP_LINK_RULE}")
endif()

# ep_restrict_exports(TARGET [LIST]): by default, the plugin's list.
function(ep_restrict_exports target)
  set(names plugin)
  if(ARGC GREATER 1)
    set(names "${ARGV1}")
  endif()
  # What a toolchain file adds to every library.
  target_sources(${target} PRIVATE ${EP_PLATFORM_SOURCES})
  if(WIN32)
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/exports/${names}.def")
    if(MINGW AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC's own libraries are on no Windows: they become part of the library. The time of the
      # build does not, so that the same sources give the same file.
      target_link_options(${target} PRIVATE -static "LINKER:--no-insert-timestamp")
    endif()
    return()
  endif()
  # -Xlinker, as -Wl would break a path at its commas; SHELL keeps the pairs together.
  if(APPLE)
    set(list "${PROJECT_SOURCE_DIR}/exports/${names}.exp")
    target_link_options(${target} PRIVATE
                        "SHELL:-Xlinker -exported_symbols_list -Xlinker \"${list}\"")
  else()
    set(list "${PROJECT_SOURCE_DIR}/exports/${names}.lds")
    target_link_options(${target} PRIVATE "SHELL:-Xlinker \"--version-script=${list}\"")
    if(<%= macro %>_SANITIZE)
      # The sanitizer's own symbols come from the host program. A report names source lines only
      # while the library stays mapped.
      target_link_options(${target} PRIVATE "LINKER:-z,nodelete")
    else()
      target_link_options(${target} PRIVATE "LINKER:--no-undefined" "LINKER:--gc-sections")
    endif()
  endif()
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${list}")
endfunction()
