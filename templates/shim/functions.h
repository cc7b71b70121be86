// Every function and callback that the shim stands in front of, by number.
#pragma once

#include "declarations.h"

namespace shim {

// What an argument is to the shim.
enum Role : uint8_t {
  kPlain = 0,
  kRequired = 1,   // must not be null
  kMakes = 2,      // a handle that the caller owns then
  kTakes = 4,      // a handle that the runtime owns after success
  kTakesEach = 8,  // the same, an array; the next argument is its length
  kReleases = 16,  // a handle that is given back
  kYields = 32,    // of a callback: after success it points to what is not null
};

struct Function {
  const char* name;
  uint32_t since;
  bool is_needed;  // a runtime does not live without this callback
  uint8_t roles[<%= most_params %>];
};

inline constexpr Function kFunctions[] = {
<% for function in functions %>
    {<%= function.name | cpp_string %>, <%= function.since %>, <%= function.needed | cpp_bool %>, {<%= function.roles %>}},
<% endfor %>
};
inline constexpr int kFunctionCount = <%= functions | length %>;

// Entry points and functions that stand in no table.
enum Entry : int {
<% for entry in entries %>
  <%= entry.name %> = <%= entry.id %>,
<% endfor %>
};

// Kinds of handles that a library can come to own.
enum class Kind : uint8_t {
<% for kind in kinds %>
  <%= kind.name %>,
<% endfor %>
  kNone
};

inline constexpr int kKindCount = static_cast<int>(Kind::kNone);

struct KindFacts {
  const char* name;
  bool closed;    // every source of them is known, so one that is not known is not the library's
  bool is_pure;   // to release it later has no effect that anybody could see
};

inline constexpr KindFacts kKinds[] = {
<% for kind in kinds %>
    {<%= kind.label | cpp_string %>, <%= kind.closed | cpp_bool %>, <%= kind.pure | cpp_bool %>},
<% endfor %>
};

template <class T>
inline constexpr Kind kKindOf = Kind::kNone;
<% for kind in kinds %>
template <>
inline constexpr Kind kKindOf<<%= kind.type %>> = Kind::<%= kind.name %>;
<% endfor %>

// Structs of callbacks that a library hands out.
enum class StructId : uint8_t {
<% for struct in callback_structs %>
  k<%= struct.short %>,
<% endfor %>
  kNone
};

inline constexpr int kStructCount = static_cast<int>(StructId::kNone);

struct StructFacts {
  const char* name;
  uint32_t since;
};

inline constexpr StructFacts kStructs[] = {
<% for struct in callback_structs %>
    {<%= struct.text | cpp_string %>, <%= struct.since %>},
<% endfor %>
};

template <class T>
inline constexpr StructId kStructOf = StructId::kNone;
<% for struct in callback_structs %>
template <>
inline constexpr StructId kStructOf<<%= struct.name %>> = StructId::k<%= struct.short %>;
<% endfor %>

template <class T>
inline constexpr bool kIsTable = false;
<% for struct in tables %>
template <>
inline constexpr bool kIsTable<<%= struct.name %>> = true;
<% endfor %>

}  // namespace shim
