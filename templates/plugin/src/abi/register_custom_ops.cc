<%= banner %>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "abi/bridge.h"
#include "abi/custom_op_domains.h"
#include "abi/export.h"
#include "abi/guard.h"
#include "abi/negotiate.h"

namespace ep = <%= ns %>;

namespace <%= ns %> {
namespace {

// The domains for one runtime. ORT never says that it is done with them: sessions may hold them
// until the process ends, so they are made once and never given back.
Status DomainsFor(const Api& api, const CustomOpDomains** domains) {
  struct Kept {
    std::mutex mutex;
    std::vector<std::pair<const OrtApi*, std::unique_ptr<CustomOpDomains>>> made;
  };
  static auto* const kept = new Kept;
  const std::lock_guard<std::mutex> lock(kept->mutex);
  for (const auto& [table, made] : kept->made) {
    *domains = made.get();
    if (table == api.ort) return Status();
  }
  auto fresh = std::make_unique<CustomOpDomains>(api);
<% if cuda_library %>
#ifdef EP_CUSTOM_OPS_CUDA
  EP_RETURN_IF_ERROR(fresh->Init(true));
#else
  EP_RETURN_IF_ERROR(fresh->Init());
#endif
<% else %>
  EP_RETURN_IF_ERROR(fresh->Init());
<% endif %>
  *domains = fresh.get();
  kept->made.emplace_back(api.ort, std::move(fresh));
  return Status();
}

}  // namespace
}  // namespace <%= ns %>

// All that the library exports. ORT calls it for each session options that the library is
// registered with.
extern "C" EP_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                               const OrtApiBase* base) noexcept {
  // Level 1 is in every runtime: the way to explain a failure before this runtime is known.
  const OrtApi* first = base != nullptr ? base->GetApi(1) : nullptr;
  if (first == nullptr) return nullptr;
  return ep::GuardStatus(*first, [&]() -> ep::Status {
    if (options == nullptr) return ep::InvalidArgument("RegisterCustomOps: no session options");
    ep::Api api;
    EP_RETURN_IF_ERROR(ep::Negotiate(*base, &api));
    const ep::CustomOpDomains* domains = nullptr;
    EP_RETURN_IF_ERROR(ep::DomainsFor(api, &domains));
    for (size_t i = 0; i < domains->size(); ++i) {
      EP_ORT(api, ort->AddCustomOpDomain(options, domains->at(i)));
    }
    return ep::Status();
  });
}
