<%= banner %>
# pip may have configured with a Ninja of its own, which is gone by now: find another.
if(CMAKE_MAKE_PROGRAM AND NOT EXISTS "${CMAKE_MAKE_PROGRAM}")
  unset(CMAKE_MAKE_PROGRAM CACHE)
endif()
