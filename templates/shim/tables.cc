// The tables that the target gets: a proxy for every function of the runtime, a trap for every one
// that the runtime does not have.
#include "tables.h"

#include "proxies.h"

namespace shim {
namespace {

<% for struct in tables %>
void Fill(<%= struct.name %>& table, const <%= struct.name %>& real, uint32_t level) {
<% for function in struct.functions %>
<% if function.known %>
  Put<&<%= struct.name %>::<%= function.member %>, <%= function.id %>>(table, real, level);
<% else %>
  PutUnknown<&<%= struct.name %>::<%= function.member %>, <%= function.id %>>(table, real, level);
<% endif %>
<% endfor %>
}

<% endfor %>
template <class Table>
struct Both {
  const Table* real = nullptr;
  Table proxied{};

  const Table* Take(const Table* found, uint32_t level) {
    if (found == nullptr) return nullptr;
    if (real != found) {
      real = found;
      Fill(proxied, *found, level);
    }
    return &proxied;
  }
};

template <class Table>
Both<Table> g_both;

}  // namespace

<% for struct in tables %>
template <>
const <%= struct.name %>* Real<<%= struct.name %>>() {
  return g_both<<%= struct.name %>>.real;
}

template <>
const <%= struct.name %>* Proxied(const <%= struct.name %>* real) {
  return real == nullptr ? nullptr : &g_both<<%= struct.name %>>.proxied;
}

<% endfor %>
void FillTables(const OrtApi* api, uint32_t level) {
  g_both<OrtApi> = {};
  g_both<OrtApi>.Take(api, level);
<% for getter in getters %>
  g_both<<%= getter.table %>> = {};
  if (level >= <%= getter.since %>) {
    g_both<<%= getter.table %>>.Take(api-><%= getter.member %>(), level);
  }
<% endfor %>
}

}  // namespace shim
