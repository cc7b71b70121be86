<%= banner %>
# What find_package(<%= ns %> CONFIG) gives:
#   <%= ns %>::plugin               the library that ONNX Runtime registers; not for linking
#   <%= ns %>::custom_ops           its operators for ONNX Runtime without it, if there are any
#   <%= ns %>_LIBRARY               the file of <%= ns %>::plugin
#   <%= ns %>_CUSTOM_OPS_LIBRARY    the file of <%= ns %>::custom_ops; empty if there is none
#   <%= ns %>_EP_NAME               the name of the execution provider
#   <%= ns %>_REGISTRATION_NAME     a name to register the library under
#   <%= ns %>_MINIMUM_ORT           the oldest ONNX Runtime that the library loads in
#   <%= ns %>_CMAKE_DIR             this folder: ort_headers.cmake and ort_library.cmake find
#                                   ONNX Runtime
include("${CMAKE_CURRENT_LIST_DIR}/<%= ns %>-targets.cmake")

set(<%= ns %>_MINIMUM_ORT <%= ort_minimum | cmake_string %>)
set(<%= ns %>_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")
get_target_property(<%= ns %>_LIBRARY <%= ns %>::plugin LOCATION)
set_target_properties(<%= ns %>::plugin PROPERTIES IMPORTED_LOCATION "${<%= ns %>_LIBRARY}")
set(<%= ns %>_CUSTOM_OPS_LIBRARY "")
if(TARGET <%= ns %>::custom_ops)
  get_target_property(<%= ns %>_CUSTOM_OPS_LIBRARY <%= ns %>::custom_ops LOCATION)
  set_target_properties(<%= ns %>::custom_ops PROPERTIES
    IMPORTED_LOCATION "${<%= ns %>_CUSTOM_OPS_LIBRARY}")
endif()

# What the library is called is written beside it. A build directory may be configured, but not
# built.
if(EXISTS "${<%= ns %>_LIBRARY}")
  file(READ "${<%= ns %>_LIBRARY}.manifest.json" <%= ns %>_MANIFEST)
  string(JSON <%= ns %>_EP_NAME GET "${<%= ns %>_MANIFEST}" ep)
  unset(<%= ns %>_MANIFEST)
  set(<%= ns %>_REGISTRATION_NAME "${<%= ns %>_EP_NAME}<% if virtual %>.virtual<% endif %>")
else()
  set(<%= ns %>_FOUND FALSE)
  set(<%= ns %>_NOT_FOUND_MESSAGE
    "${<%= ns %>_LIBRARY} is not there. Build it first: cmake --build --preset release")
endif()
foreach(component IN LISTS <%= ns %>_FIND_COMPONENTS)
  if(TARGET <%= ns %>::${component})
    set(<%= ns %>_${component}_FOUND TRUE)
  elseif(<%= ns %>_FIND_REQUIRED_${component})
    set(<%= ns %>_FOUND FALSE)
    set(<%= ns %>_NOT_FOUND_MESSAGE "<%= ns %> has no ${component}.")
  endif()
endforeach()
