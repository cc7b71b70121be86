// The callbacks of every struct that a library hands out.
#pragma once

#include "functions.h"

namespace shim {

<% for struct in callback_structs %>
template <class Visitor>
void VisitSlots([[maybe_unused]] <%= struct.name %>& object, [[maybe_unused]] uint32_t level,
                [[maybe_unused]] Visitor&& visit) {
<% for function in struct.functions %>
  if (level >= <%= function.since %>) {
    visit.template Visit<&<%= struct.name %>::<%= function.member %>, <%= function.id %>>(object);
  }
<% endfor %>
}

inline uint32_t StampOf(const <%= struct.name %>& object) { return object.<%= struct.stamp %>; }

<% endfor %>
}  // namespace shim
