<%= banner %>
#pragma once

#include <nanobind/nanobind.h>

// What the module says about itself and about devices.
namespace <%= ns %>::native {

void DefineInfo(nanobind::module_& module);

}  // namespace <%= ns %>::native
