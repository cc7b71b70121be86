<%= banner %>
# Finds the headers of ONNX Runtime. Only headers are needed: the library is never linked with the
# runtime, which hands over its functions when it loads the library.
#
# Where they are looked for: in <%= macro %>_ORT_INCLUDE_DIR and nowhere else if it is set; else below
# EPFORGE_ORT_SDK and ORT_HOME (environment), in epforge's cache, and on the system.
set(<%= macro %>_ORT_INCLUDE_DIR "" CACHE PATH "Directory of the ONNX Runtime headers, or one above")

# Says in `problem` what keeps `directory` from being used; empty when nothing does.
function(ep_check_ort_headers directory problem)
  set(${problem} "" PARENT_SCOPE)
  foreach(header onnxruntime_c_api.h onnxruntime_ep_c_api.h onnxruntime_env_config_keys.h
          onnxruntime_ep_device_ep_metadata_keys.h)
    if(NOT EXISTS "${directory}/${header}")
      set(${problem} "no ${header}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  file(STRINGS "${directory}/onnxruntime_c_api.h" line REGEX "^#define ORT_API_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+$" level "${line}")
  if(NOT level OR level LESS <%= target %>)
    set(${problem} "API level ${level}; <%= target %> or newer is needed" PARENT_SCOPE)
  endif()
endfunction()

function(ep_find_ort_headers result)
  if(<%= macro %>_ORT_INCLUDE_DIR)
    set(roots "${<%= macro %>_ORT_INCLUDE_DIR}")
  else()
    set(cache "$ENV{EPFORGE_CACHE}")
    if(NOT cache AND CMAKE_HOST_WIN32)
      set(cache "$ENV{LOCALAPPDATA}/epforge")
    elseif(NOT cache AND CMAKE_HOST_APPLE)
      set(cache "$ENV{HOME}/Library/Caches/epforge")
    elseif(NOT cache AND DEFINED ENV{XDG_CACHE_HOME})
      set(cache "$ENV{XDG_CACHE_HOME}/epforge")
    elseif(NOT cache)
      set(cache "$ENV{HOME}/.cache/epforge")
    endif()
    file(GLOB cached LIST_DIRECTORIES true "${cache}/sdk/*")
    list(SORT cached COMPARE NATURAL ORDER DESCENDING)
    set(roots "$ENV{EPFORGE_ORT_SDK}" "$ENV{ORT_HOME}" ${cached} /usr/local /usr
        /opt/homebrew /opt/onnxruntime)
  endif()
  # Release archives, NuGet packages, distributions and source trees put them in different places.
  set(layouts . include include/onnxruntime include/onnxruntime/core/session onnxruntime
      onnxruntime/core/session core/session usr/include/onnxruntime build/native/include)
  set(searched "")
  foreach(root IN LISTS roots)
    if(root STREQUAL "")
      continue()
    endif()
    foreach(layout IN LISTS layouts)
      get_filename_component(directory "${root}/${layout}" ABSOLUTE BASE_DIR "${PROJECT_SOURCE_DIR}")
      ep_check_ort_headers("${directory}" problem)
      if(NOT problem)
        set(${result} "${directory}" PARENT_SCOPE)
        return()
      endif()
      string(APPEND searched "\n  ${directory}: ${problem}")
    endforeach()
  endforeach()
  message(FATAL_ERROR "The headers of ONNX Runtime, API level <%= target %> or newer, were not found. "
    "Set <%= macro %>_ORT_INCLUDE_DIR, or run: epforge sdk install\nSearched:${searched}")
endfunction()

ep_find_ort_headers(EP_ORT_INCLUDE_DIR)
message(STATUS "ONNX Runtime headers: ${EP_ORT_INCLUDE_DIR}")
add_library(ort_headers INTERFACE)
target_include_directories(ort_headers SYSTEM INTERFACE "${EP_ORT_INCLUDE_DIR}")
