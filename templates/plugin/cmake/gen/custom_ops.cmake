<%= banner %>
# The custom operators alone, for an ONNX Runtime without the plugin: a library of its own, which
# exports RegisterCustomOps.
<% if cuda_library %>

# For ONNX Runtime's CUDA execution provider, the same operators once more. Needs the CUDA toolkit.
option(<%= macro %>_CUSTOM_OPS_CUDA "Build the custom operators with CUDA kernels, too" OFF)
if(<%= macro %>_CUSTOM_OPS_CUDA)
  enable_language(CUDA)  # before the target, which takes the architectures over
endif()

<% endif %>
add_library(custom_ops ${EP_LIBRARY_TYPE}
<% for source in sources %>
  <%= source | path %>
<% endfor %>
)
target_include_directories(custom_ops PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_include_directories(custom_ops SYSTEM PRIVATE "${EP_ORT_INCLUDE_DIR}")
ep_enable_warnings(custom_ops)
set_target_properties(custom_ops PROPERTIES
  OUTPUT_NAME <%= library %>
  PREFIX "${EP_LIBRARY_PREFIX}"
  SUFFIX "${EP_LIBRARY_SUFFIX}"
  LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
)
ep_restrict_exports(custom_ops custom_ops)
ep_load_from_beside(custom_ops)
if(UNIX AND NOT APPLE)
  # ONNX Runtime unloads the library with the last session, and never gives the domains back that
  # it was handed. Where the library stays, the next session finds them again.
  target_link_options(custom_ops PRIVATE "LINKER:-z,nodelete")
endif()
<% if cuda_library %>
if(<%= macro %>_CUSTOM_OPS_CUDA)
  target_sources(custom_ops PRIVATE
<% for source in cuda_sources %>
    <%= source | path %>
<% endfor %>
  )
  target_compile_definitions(custom_ops PRIVATE EP_CUSTOM_OPS_CUDA)
  set_target_properties(custom_ops PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON)
endif()
<% endif %>

set(EP_CUSTOM_OPS_FILE "${EP_LIBRARY_PREFIX}<%= library %>${EP_LIBRARY_SUFFIX}")
configure_file(src/gen/manifest.json "${PROJECT_BINARY_DIR}/${EP_CUSTOM_OPS_FILE}.manifest.json"
  COPYONLY)
include(GNUInstallDirs)
install(FILES "${PROJECT_BINARY_DIR}/${EP_CUSTOM_OPS_FILE}.manifest.json"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}")
