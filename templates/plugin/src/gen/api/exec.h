<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>

#include "gen/api/status.h"

namespace <%= ns %> {

<% if cuda %>
class CudaLibraries;

<% endif %>
// What a kernel may use while it computes: threads, scratch memory, the device's stream.
class Exec {
 public:
  using Range = void (*)(void* context, int64_t begin, int64_t end);
  static constexpr int64_t kWorkPerPiece = 32768;  // element operations that are worth a thread

  Exec& operator=(Exec&&) = delete;  // and so no copies
  virtual ~Exec() = default;

  // Calls `range` on disjoint pieces of [0, count) that together cover it, possibly on several
  // threads at once; returns when all are done. `cost` is the work per index, in element
  // operations: it decides how small a piece is worth a thread.
  virtual void ParallelFor(int64_t count, int64_t cost, Range range, void* context) = 0;

  // Memory that lives until the kernel returns, aligned for any element type.
  virtual Status Scratch(size_t bytes, void** memory) = 0;

  // The native stream that device code must be launched on; null on the host.
  virtual void* Stream() const noexcept = 0;
<% if cuda %>

  // NVIDIA's libraries, for kernels that call them (gen/api/cuda_libraries.h); null where there are
  // none, and a kernel of our own serves.
  virtual CudaLibraries* Libraries() noexcept { return nullptr; }
<% endif %>
};

// ParallelFor with a callable: body(begin, end).
template <class Body>
void ParallelFor(Exec& exec, int64_t count, int64_t cost, Body body) {
  // Small work is done before threads would have been asked for it.
  constexpr int64_t kLeast = Exec::kWorkPerPiece;
  if (count <= kLeast && cost <= kLeast && count * cost <= kLeast) return body(int64_t{0}, count);
  exec.ParallelFor(
      count, cost,
      [](void* context, int64_t begin, int64_t end) { (*static_cast<Body*>(context))(begin, end); },
      &body);
}

}  // namespace <%= ns %>
