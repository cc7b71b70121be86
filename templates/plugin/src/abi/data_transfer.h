<%= banner %>
#pragma once

<% if streams %>
#include <set>

<% endif %>
#include "abi/api.h"
#include "abi/factory.h"
#include "gen/api/status.h"

namespace <%= ns %> {

<% if streams %>
// Copies of tensors, each of them from and to the host, a device of ours, or what both reach.
class Copies {
 public:
  explicit Copies(const Factory& factory) noexcept : factory_(factory) {}

  // Copies the data of `from` to `to`, which has the same type and shape: in the order of `stream`;
  // without one, after all that is queued on the device, and at once.
  Status Add(const OrtValue* from, OrtValue* to, Stream stream);
  // To be called at the end: what is queued must not find the host's memory changed, or given back.
  Status Finish();

 private:
  Status AddBytes(const OrtValue* from, OrtValue* to, size_t bytes, Stream stream);

  const Factory& factory_;
  bool is_idle_ = false;         // has everything been waited for?
  std::set<Stream> unfinished_;  // with copies from or to memory of the host
};
<% else %>
// Copies the data of `from` to `to`, which has the same type and shape; each of them lies on the
<% if host_accessible %>
// host, on a device of ours, or in memory that both reach.
<% else %>
// host or on a device of ours.
<% endif %>
Status CopyValue(const Factory& factory, const OrtValue* from, OrtValue* to);
<% endif %>

// Copies for ORT between the host and our devices, and on them.
class DataTransfer final : public OrtDataTransferImpl {
 public:
  using Struct = OrtDataTransferImpl;

  explicit DataTransfer(const Factory& factory);

  const Api& api() const noexcept { return factory_.api(); }

 private:
  // The callbacks.
  bool Handles(const OrtMemoryDevice* from, const OrtMemoryDevice* to) const;
  Status Copy(const OrtValue** from, OrtValue** to, OrtSyncStream** streams, size_t count);

  const Factory& factory_;
};

}  // namespace <%= ns %>
