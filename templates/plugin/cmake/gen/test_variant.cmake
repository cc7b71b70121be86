<%= banner %>
# The test variant of the library, <%= library %>_test: the same objects, but for hooks around the
# simulated device, which it exports as well (tests/cpp/test_hooks.h). It lies beside the library
# and is neither installed nor packaged.
option(<%= macro %>_TEST_VARIANT "Build the test variant of the library" OFF)
if(NOT <%= macro %>_TEST_VARIANT AND NOT <%= macro %>_BUILD_TESTS)
  return()
endif()

add_library(hooked_device OBJECT
  "${PROJECT_SOURCE_DIR}/src/device/host_runtime.cc"
  "${PROJECT_SOURCE_DIR}/tests/cpp/test_hooks.cc"
)
target_compile_definitions(hooked_device PUBLIC EP_TEST_HOOKS)
target_include_directories(hooked_device PUBLIC "${PROJECT_SOURCE_DIR}/tests/cpp")
target_link_libraries(hooked_device PUBLIC plugin_objects)
ep_enable_warnings(hooked_device)

set(EP_TEST_VARIANT_OBJECTS
  "$<FILTER:$<TARGET_OBJECTS:plugin_objects>,EXCLUDE,host_runtime\\.cc>"
  "$<TARGET_OBJECTS:hooked_device>"
)
add_library(plugin_test ${EP_LIBRARY_TYPE} ${EP_TEST_VARIANT_OBJECTS})
target_link_libraries(plugin_test PRIVATE Threads::Threads)
set_target_properties(plugin_test PROPERTIES
  OUTPUT_NAME <%= library %>_test
  PREFIX "${EP_LIBRARY_PREFIX}"
  SUFFIX "${EP_LIBRARY_SUFFIX}"
  LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
)
ep_restrict_exports(plugin_test plugin_test)
ep_load_from_beside(plugin_test)
set(EP_TEST_VARIANT_FILE "${EP_LIBRARY_PREFIX}<%= library %>_test${EP_LIBRARY_SUFFIX}")
configure_file(src/gen/manifest.json "${PROJECT_BINARY_DIR}/${EP_TEST_VARIANT_FILE}.manifest.json"
  COPYONLY)
