// The runtime's C API of level <%= newest %>, declared from the API tables: opaque handles, tables of
// functions, structs of callbacks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace shim {

inline constexpr uint32_t kOldest = <%= oldest %>;
inline constexpr uint32_t kNewest = <%= newest %>;

}  // namespace shim

<% for name in opaque %>
struct <%= name %>;
<% endfor %>
<% for struct in structs %>
struct <%= struct.name %>;
<% endfor %>

#ifdef _WIN32
using ORTCHAR_T = wchar_t;
#else
using ORTCHAR_T = char;
#endif
<% for name in enums %>
using <%= name %> = int;
<% endfor %>

using OrtKernelCreateFunc = OrtStatus* (*)(void* state, const OrtKernelInfo* info,
                                           OrtKernelImpl** kernel_out);
using Unknown = void (*)();  // functions whose parameters are not known here
<% for name in callbacks %>
using <%= name %> = Unknown;
<% endfor %>

<% for struct in structs %>
struct <%= struct.name %> {
<% for field in struct.fields %>
  <%= field %>;
<% endfor %>
};

<% endfor %>
