<%= banner %>
# Finds the shared library of ONNX Runtime, for programs to run with: that of a wheel or of a
# release archive. Nothing is linked with it: a program that is needs that very release.
set(<%= macro %>_ORT_LIBRARY "" CACHE FILEPATH "libonnxruntime for programs to run with")

# Where it is looked for: <%= macro %>_ORT_LIBRARY and nowhere else if it is set; else the release
# archive in ORT_HOME (environment), then the package onnxruntime of the Python on the path. Those
# are for this machine: in a build for another one there is only the variable.
# `result` is empty when it is not found.
function(ep_find_ort_library result)
  set(${result} "" PARENT_SCOPE)
  if(<%= macro %>_ORT_LIBRARY)
    set(${result} "${<%= macro %>_ORT_LIBRARY}" PARENT_SCOPE)
    return()
  endif()
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  # Asks for the package's place without importing it.
  set(script "import importlib.util as u; s = u.find_spec('onnxruntime'); print(s.submodule_search_locations[0] if s else '')")
  find_program(<%= macro %>_PYTHON NAMES python3 python)
  execute_process(COMMAND "${<%= macro %>_PYTHON}" -c "${script}"
    OUTPUT_VARIABLE package OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(folders "")
  if(NOT "$ENV{ORT_HOME}" STREQUAL "")
    list(APPEND folders "$ENV{ORT_HOME}/lib")
  endif()
  if(package)
    list(APPEND folders "${package}/capi")
  endif()
  foreach(folder IN LISTS folders)
    file(GLOB found "${folder}/libonnxruntime.so.*" "${folder}/libonnxruntime.*.dylib"
      "${folder}/onnxruntime.dll")
    if(found)
      list(GET found 0 first)
      file(TO_CMAKE_PATH "${first}" first)
      set(${result} "${first}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
