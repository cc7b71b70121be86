<%= banner %>
# The library exports two functions and nothing else, whatever its objects define.
set(EP_LIBRARY_PREFIX "lib")
set(EP_LIBRARY_SUFFIX "${CMAKE_SHARED_LIBRARY_SUFFIX}")
if(WIN32)
  set(EP_LIBRARY_PREFIX "")
endif()

function(ep_restrict_exports target)
  if(WIN32)
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/exports/plugin.def")
    return()
  endif()
  if(APPLE)
    set(list "${PROJECT_SOURCE_DIR}/exports/plugin.exp")
    target_link_options(${target} PRIVATE "LINKER:-exported_symbols_list,${list}")
  else()
    set(list "${PROJECT_SOURCE_DIR}/exports/plugin.lds")
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
