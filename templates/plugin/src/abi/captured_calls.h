<%= banner %>
#pragma once

#include "device/runtime.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// What kernels tell of their calls where the runs of a session may be captured, and what they ask.
class CapturedCalls {
 public:
  CapturedCalls& operator=(CapturedCalls&&) = delete;  // and so no copies
  virtual ~CapturedCalls() = default;

  // A kernel of the session. Each of them is called once in a run.
  virtual void AddKernel() noexcept = 0;
  virtual void RemoveKernel() noexcept = 0;
  virtual void CountCall(const Status& status) = 0;
  // Memory of the device that a call uses.
  virtual void AddMemory(const void* address) = 0;

  // Errors in a run that is captured:
  // Work that goes into `stream`: that must be the session's, or it is not part of the graph.
  virtual Status CheckStream(Stream stream) = 0;
  // Values on the host are read once, as the graph is captured. So they must be the same each time:
  // constants, and what kernels make of shapes.
  virtual void AddHostValue(const void* data) = 0;
  virtual Status CheckHostValue(const void* data) = 0;
};

}  // namespace <%= ns %>
