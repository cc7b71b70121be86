<%= banner %>
# The warnings that the code is clean of. nvcc takes other options than a C++ compiler.
function(ep_enable_warnings target)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /permissive- /utf-8)
  else()
    set(options
      -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${<%= macro %>_WERROR}>:-Werror>)
    # What nvcc hands to the C++ compiler is not all ours, and none of it pedantic.
    set(cuda_options -Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion
      $<$<BOOL:${<%= macro %>_WERROR}>:-Werror=all-warnings$<SEMICOLON>-Xcompiler=-Werror>)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${options}>"
      "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_options}>")
  endif()
endfunction()

option(<%= macro %>_WERROR "Treat warnings as errors" ON)
