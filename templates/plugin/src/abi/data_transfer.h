<%= banner %>
#pragma once

#include "abi/api.h"
#include "abi/factory.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// Copies the data of `from` to `to`, which has the same type and shape; each of them lies on the
<% if host_accessible %>
// host, on a device of ours, or in memory that both reach.
<% else %>
// host or on a device of ours.
<% endif %>
Status CopyValue(const Factory& factory, const OrtValue* from, OrtValue* to);

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
