// The runtime's own tables, and those that stand in front of them.
#pragma once

#include "functions.h"

namespace shim {

// The runtime's own table; null where it has none.
template <class Table>
const Table* Real();

// What the target gets instead of `real`.
template <class Table>
const Table* Proxied(const Table* real);

<% for struct in tables %>
template <>
const <%= struct.name %>* Real<<%= struct.name %>>();
template <>
const <%= struct.name %>* Proxied(const <%= struct.name %>* real);
<% endfor %>

// Makes all tables for a runtime of that level. Nobody may use them meanwhile.
void FillTables(const OrtApi* api, uint32_t level);

}  // namespace shim
