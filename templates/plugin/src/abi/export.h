<%= banner %>
#pragma once

#if defined(_WIN32)
#define EP_EXPORT  // a .def file in exports/ names the functions
#else
#define EP_EXPORT __attribute__((visibility("default")))
#endif
