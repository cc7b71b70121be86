<%= banner %>
# A library exports the few functions that a list in exports/ names and nothing else, whatever its
# objects define.
set(EP_LIBRARY_PREFIX "lib")
set(EP_LIBRARY_SUFFIX "${CMAKE_SHARED_LIBRARY_SUFFIX}")
if(WIN32)
  set(EP_LIBRARY_PREFIX "")
endif()

# ep_restrict_exports(TARGET [LIST]): by default, the plugin's list.
function(ep_restrict_exports target)
  set(names plugin)
  if(ARGC GREATER 1)
    set(names "${ARGV1}")
  endif()
  if(WIN32)
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/exports/${names}.def")
    return()
  endif()
  if(APPLE)
    set(list "${PROJECT_SOURCE_DIR}/exports/${names}.exp")
    target_link_options(${target} PRIVATE "LINKER:-exported_symbols_list,${list}")
  else()
    set(list "${PROJECT_SOURCE_DIR}/exports/${names}.lds")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${list}")
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
