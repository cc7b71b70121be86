<%= banner %>
<% if any_runtime_libs %>
# Where a library looks for others that it needs: beside itself, and there first. RPATH, not
# RUNPATH: LD_LIBRARY_PATH may have an older one. Nothing says where this machine built them.
function(ep_load_from_beside target)
  if(APPLE)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "@loader_path")
  elseif(UNIX)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
    target_link_options(${target} PRIVATE "LINKER:--disable-new-dtags")
  endif()
  set_target_properties(${target} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH_USE_LINK_PATH OFF
  )
endfunction()

# The libraries that are shipped beside this one (runtime_libs of the blueprint). A build takes
# them from here, if they are not in its directory already.
set(<%= macro %>_RUNTIME_DIR "" CACHE PATH "Directory of the libraries to ship beside the plugin")
if(WIN32)
  set(EP_RUNTIME_LIBS<% for name in runtime_libs.windows %> <%= name | cmake_string %><% endfor %>)
elseif(APPLE)
  set(EP_RUNTIME_LIBS<% for name in runtime_libs.macos %> <%= name | cmake_string %><% endfor %>)
else()
  set(EP_RUNTIME_LIBS<% for name in runtime_libs.linux %> <%= name | cmake_string %><% endfor %>)
endif()

set(copies "")
foreach(name IN LISTS EP_RUNTIME_LIBS)
  if(<%= macro %>_RUNTIME_DIR)
    get_filename_component(source "${<%= macro %>_RUNTIME_DIR}/${name}" ABSOLUTE
      BASE_DIR "${PROJECT_SOURCE_DIR}")
    if(NOT EXISTS "${source}")
      message(FATAL_ERROR "${name}, of the blueprint's runtime_libs, is not in "
        "<%= macro %>_RUNTIME_DIR: ${<%= macro %>_RUNTIME_DIR}")
    endif()
    # The library itself, if that is a link to one whose name has a version.
    add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/${name}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${source}" "${PROJECT_BINARY_DIR}/${name}"
      DEPENDS "${source}" VERBATIM)
    list(APPEND copies "${PROJECT_BINARY_DIR}/${name}")
  elseif(NOT EXISTS "${PROJECT_BINARY_DIR}/${name}")
    message(STATUS "${name}, which is to be shipped, is not there yet: put it into "
      "${PROJECT_BINARY_DIR}, or set <%= macro %>_RUNTIME_DIR")
  endif()
endforeach()
add_custom_target(runtime_libs ALL DEPENDS ${copies})

# ep_install_runtime_libs(DESTINATION [arguments of install...])
function(ep_install_runtime_libs destination)
  foreach(name IN LISTS EP_RUNTIME_LIBS)
    install(CODE "if(NOT EXISTS \"${PROJECT_BINARY_DIR}/${name}\")
  message(FATAL_ERROR \"${name}, of the blueprint's runtime_libs, is not in ${PROJECT_BINARY_DIR}: \"
    \"put it there, or set <%= macro %>_RUNTIME_DIR\")
endif()" ${ARGN})
    install(FILES "${PROJECT_BINARY_DIR}/${name}" DESTINATION "${destination}" ${ARGN})
  endforeach()
endfunction()
<% else %>
# Nothing is shipped beside the library (runtime_libs of the blueprint), so nothing is looked for
# there.
function(ep_load_from_beside)
endfunction()
<% endif %>
