<%= banner %>
<% if several %>
#include <array>
#include <iterator>
<% endif %>
#include <memory>
<% if several %>
#include <string>
<% endif %>
#include <type_traits>

#include "abi/export.h"
#include "abi/factory.h"
#include "abi/guard.h"
#include "abi/negotiate.h"

namespace ep = <%= ns %>;

// All that the library exports. ORT calls it once for each registration of the library, possibly
// several times in one process.
extern "C" EP_EXPORT OrtStatus* CreateEpFactories(const char* /*registered_name*/,
                                                  const OrtApiBase* base,
                                                  const OrtLogger* default_logger,
                                                  OrtEpFactory** factories, size_t max_factories,
                                                  size_t* num_factories) noexcept {
  // Level 1 is in every runtime, and how a status is made has never changed: the way to explain a
  // failure before the tables of this runtime are known. Without it nobody can be told anything.
  const OrtApi* first = base != nullptr ? base->GetApi(1) : nullptr;
  if (first == nullptr) return nullptr;
  return ep::GuardStatus(*first, [&]() -> ep::Status {
    if (factories == nullptr || num_factories == nullptr || max_factories == 0) {
      return ep::InvalidArgument("CreateEpFactories: there is no room for a factory");
    }
    *num_factories = 0;
    ep::Api api;
    EP_RETURN_IF_ERROR(ep::Negotiate(*base, &api));
<% if several %>
    // All of them or none: what is made is taken back when the next one cannot be made.
    constexpr size_t kCount = std::size(ep::kIdentities);
    if (max_factories < kCount) {
      return ep::InvalidArgument("CreateEpFactories: there is room for " +
                                 std::to_string(max_factories) + " of " + std::to_string(kCount) +
                                 " factories");
    }
    std::array<std::unique_ptr<ep::Factory>, kCount> made;
    for (size_t i = 0; i < kCount; ++i) {
      api.identity = &ep::kIdentities[i];
      made[i] = std::make_unique<ep::Factory>(api, default_logger);
<% if device_memory %>
      EP_RETURN_IF_ERROR(made[i]->Init());
<% endif %>
    }
    for (size_t i = 0; i < kCount; ++i) factories[i] = made[i].release();
    *num_factories = kCount;
<% else %>
    auto factory = std::make_unique<ep::Factory>(api, default_logger);
<% if device_memory %>
    EP_RETURN_IF_ERROR(factory->Init());
<% endif %>
    factories[0] = factory.release();
    *num_factories = 1;
<% endif %>
    return ep::Status();
  });
}

extern "C" EP_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) noexcept {
  ep::Delete<ep::Factory>(factory);
  return nullptr;
}

static_assert(std::is_convertible_v<decltype(&CreateEpFactories), CreateEpApiFactoriesFn>);
static_assert(std::is_convertible_v<decltype(&ReleaseEpFactory), ReleaseEpApiFactoryFn>);
