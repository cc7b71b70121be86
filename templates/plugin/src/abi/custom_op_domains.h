<%= banner %>
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/api.h"
#include "abi/custom_op.h"
#include "abi/handles.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// The custom operators by domain, as ORT takes them. Sessions keep pointers to all of it.
class CustomOpDomains {
 public:
  explicit CustomOpDomains(const Api& api) noexcept : api_(api) {}
<% if cuda_library %>
  // `with_cuda`: also declares what has a CUDA kernel for ORT's own CUDA execution provider.
  Status Init(bool with_cuda = false);
<% else %>
  Status Init();
<% endif %>

  size_t size() const noexcept { return domains_.size(); }
  OrtCustomOpDomain* at(size_t index) const noexcept { return domains_[index].second.get(); }

 private:
  using Domain = Handle<&OrtApi::ReleaseCustomOpDomain>;
  Status FindDomain(const char* name, OrtCustomOpDomain** found);
  Status Add(std::unique_ptr<CustomOp> op, OrtCustomOpDomain* domain);

  const Api api_;
  std::vector<std::unique_ptr<CustomOp>> ops_;
  std::vector<std::pair<std::string, Domain>> domains_;
};

}  // namespace <%= ns %>
