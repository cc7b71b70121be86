<%= banner %>
# Installs the library, and makes the CMake package: find_package(<%= ns %> CONFIG REQUIRED) works
# with -DCMAKE_PREFIX_PATH= an installation, wherever it was moved to, or this build directory.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(EP_PACKAGE_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/<%= ns %>")
set(EP_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/lib/cmake/<%= ns %>")

set(EP_PACKAGE_TARGETS plugin)
if(TARGET custom_ops)
  list(APPEND EP_PACKAGE_TARGETS custom_ops)
endif()

# The libraries lie beside each other on every platform, so that one is found from the other.
install(TARGETS ${EP_PACKAGE_TARGETS} EXPORT <%= ns %>-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT <%= ns %>-targets NAMESPACE <%= ns %>:: DESTINATION "${EP_PACKAGE_DESTINATION}")
export(EXPORT <%= ns %>-targets NAMESPACE <%= ns %>::
  FILE "${EP_PACKAGE_DIRECTORY}/<%= ns %>-targets.cmake")

# Programs that use the library find ONNX Runtime in the same places as this project.
configure_file(cmake/gen/config.cmake "${EP_PACKAGE_DIRECTORY}/<%= ns %>-config.cmake" COPYONLY)
configure_file(cmake/gen/ort_headers.cmake "${EP_PACKAGE_DIRECTORY}/ort_headers.cmake" COPYONLY)
configure_file(cmake/gen/ort_library.cmake "${EP_PACKAGE_DIRECTORY}/ort_library.cmake" COPYONLY)
write_basic_package_version_file("${EP_PACKAGE_DIRECTORY}/<%= ns %>-config-version.cmake"
  VERSION "${PROJECT_VERSION}" COMPATIBILITY SameMajorVersion)
install(FILES
  "${EP_PACKAGE_DIRECTORY}/<%= ns %>-config.cmake"
  "${EP_PACKAGE_DIRECTORY}/<%= ns %>-config-version.cmake"
  "${EP_PACKAGE_DIRECTORY}/ort_headers.cmake"
  "${EP_PACKAGE_DIRECTORY}/ort_library.cmake"
  DESTINATION "${EP_PACKAGE_DESTINATION}")

# The Python package, for pip: the files that packaging/build_wheel.py takes as well.
set(EP_PYTHON_FILES "$<TARGET_FILE:plugin>" "${PROJECT_BINARY_DIR}/${EP_LIBRARY_FILE}.manifest.json")
if(TARGET custom_ops)
  list(APPEND EP_PYTHON_FILES "$<TARGET_FILE:custom_ops>")
endif()
install(FILES ${EP_PYTHON_FILES} DESTINATION <%= package %> COMPONENT python EXCLUDE_FROM_ALL)
<% if any_runtime_libs %>
ep_install_runtime_libs("${CMAKE_INSTALL_LIBDIR}")
ep_install_runtime_libs(<%= package %> COMPONENT python EXCLUDE_FROM_ALL)
<% endif %>
