<%= banner %>
#pragma once

#include <cstddef>
#include <vector>

#include "abi/ep.h"
#include "gen/api/exec.h"

namespace <%= ns %> {

// Exec for one call of a kernel: ORT's threads, memory that is given back at the end.
class KernelExec final : public Exec {
 public:
  KernelExec(const Ep& ep, const OrtKernelContext* context) noexcept
      : ep_(ep), context_(context) {}
  ~KernelExec() override;

  void ParallelFor(int64_t count, int64_t cost, Range range, void* body) override;
  Status Scratch(size_t bytes, void** memory) override;
  void* Stream() const noexcept override { return nullptr; }

 private:
  const Ep& ep_;
  const OrtKernelContext* context_;
  std::vector<void*> scratch_;
};

}  // namespace <%= ns %>
