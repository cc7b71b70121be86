<%= banner %>
# Device code: which nvcc compiles it, for which devices. The CUDA runtime becomes part of the
# library and looks for the driver by itself, so that the library loads on a machine without one.
#
# Where nvcc is looked for: CMAKE_CUDA_COMPILER or CUDACXX (environment) and nowhere else if one is
# set; else the PATH, CUDA_PATH and CUDA_HOME (environment), /usr/local/cuda, and the package
# nvidia-cuda-nvcc of the Python on the path.

# `result` is empty when it is not found.
function(ep_find_nvcc result)
  find_program(<%= macro %>_NVCC NAMES nvcc
    PATHS "$ENV{CUDA_PATH}/bin" "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin
    DOC "NVIDIA's compiler")
  if(NOT <%= macro %>_NVCC)
    set(script "import importlib.util as u; s = u.find_spec('nvidia'); print(';'.join(s.submodule_search_locations) if s else '')")
    find_program(<%= macro %>_PYTHON NAMES python3 python)
    execute_process(COMMAND "${<%= macro %>_PYTHON}" -c "${script}"
      OUTPUT_VARIABLE packages OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    foreach(package IN LISTS packages)
      file(TO_CMAKE_PATH "${package}" package)
      file(GLOB places LIST_DIRECTORIES true "${package}/cu*/bin")
      list(SORT places COMPARE NATURAL ORDER DESCENDING)
      find_program(<%= macro %>_NVCC NAMES nvcc PATHS ${places} NO_DEFAULT_PATH)
    endforeach()
  endif()
  set(${result} "" PARENT_SCOPE)
  if(<%= macro %>_NVCC)
    set(${result} "${<%= macro %>_NVCC}" PARENT_SCOPE)
  endif()
endfunction()

if(NOT CMAKE_CUDA_COMPILER AND "$ENV{CUDACXX}" STREQUAL "")
  ep_find_nvcc(nvcc)
  if(NOT nvcc)
    message(FATAL_ERROR "nvcc, NVIDIA's compiler, was not found. Install the CUDA toolkit, or: "
      "python -m pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cccl\n"
      "If it is in a place of its own, set CUDACXX to it.")
  endif()
  set(CMAKE_CUDA_COMPILER "${nvcc}" CACHE FILEPATH "NVIDIA's compiler")
endif()
# Whatever compiles the C++ also compiles what nvcc leaves to the host.
if(NOT CMAKE_CUDA_HOST_COMPILER AND "$ENV{CUDAHOSTCXX}" STREQUAL "" AND NOT CMAKE_CXX_COMPILER_ARG1
   AND NOT MSVC)
  set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}" CACHE FILEPATH "C++ compiler that nvcc uses")
endif()
# For each its own code, and for devices newer than all of them what their driver translates.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND "$ENV{CUDAARCHS}" STREQUAL "")
  set(CMAKE_CUDA_ARCHITECTURES <% for number in architectures %><%= number %>-real;<% endfor %><%= architectures[-1] %>-virtual CACHE STRING
    "Compute capabilities that device code is compiled for")
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
enable_language(CUDA)
message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}, compute capabilities ${CMAKE_CUDA_ARCHITECTURES}")

# C++ that calls the CUDA runtime finds its headers. A device older than all the code is refused
# with a text, if the list has nothing but numbers.
function(ep_use_cuda target)
  target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
  set(numbers "${CMAKE_CUDA_ARCHITECTURES}")
  list(TRANSFORM numbers REPLACE "-(real|virtual)$" "")
  list(SORT numbers COMPARE NATURAL)
  list(GET numbers 0 oldest)
  if("${numbers}" MATCHES "^[0-9;]+$")
    set_property(SOURCE src/device/cuda_runtime.cc APPEND PROPERTY
      COMPILE_DEFINITIONS EP_CUDA_OLDEST=${oldest})
  endif()
endfunction()
