<%= banner %>
# The warnings that the code is clean of.
function(ep_enable_warnings target)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /permissive- /utf-8)
  else()
    target_compile_options(${target} PRIVATE
      -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${<%= macro %>_WERROR}>:-Werror>)
  endif()
endfunction()

option(<%= macro %>_WERROR "Treat warnings as errors" ON)
