<%= banner %>
#pragma once

#include <onnxruntime_c_api.h>

#include <cstdint>

#include "gen/identity.h"

namespace <%= ns %> {

static_assert(ORT_API_VERSION >= kTargetApi, "the ONNX Runtime headers are older than the target");

// The tables of the runtime that loaded the library. There is one Api per factory and none that is
// global: two registrations of the library share nothing.
struct Api {
  const OrtApi* ort = nullptr;
  const OrtEpApi* ep = nullptr;
  // min(target, runtime): the level that every struct handed to ORT is stamped with. Members and
  // functions newer than this are neither set nor called.
  uint32_t level = 0;
<% if several %>
  const Identity* identity = &kIdentities[0];  // the execution provider that this is for
<% endif %>
<% if contexts %>
  uint32_t runtime = 0;  // the runtime's own level: for what is known of its faults
<% endif %>
};

// A value-initialised ABI struct that says which level it follows. Members that this code does not
// set are null, those that newer headers append included.
template <class Struct>
Struct Stamped(const Api& api) noexcept {
  Struct made{};
  made.ort_version_supported = api.level;
  return made;
}
<% if custom_ops %>

template <>
inline OrtCustomOp Stamped<OrtCustomOp>(const Api& api) noexcept {
  OrtCustomOp made{};
  made.version = api.level;
  return made;
}
<% endif %>
<% if device_memory %>

template <>
inline OrtAllocator Stamped<OrtAllocator>(const Api& api) noexcept {
  OrtAllocator made{};
  made.version = api.level;
  return made;
}
<% endif %>

}  // namespace <%= ns %>
