<%= banner %>
# Instrumented builds: -D<%= macro %>_SANITIZE=address,undefined or =thread.
set(<%= macro %>_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")

if(<%= macro %>_SANITIZE)
  set(options -fsanitize=${<%= macro %>_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${options}>")
  add_link_options(-fsanitize=${<%= macro %>_SANITIZE})
endif()
