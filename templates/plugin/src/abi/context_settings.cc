<%= banner %>
#include "abi/context_settings.h"

#include <utility>

#include "gen/identity.h"

namespace <%= ns %> {
<% if not (embed and external and share) or weightless != "all" %>
namespace {

// What the blueprint has left out.
Status Without(const char* setting, const char* what, const char* feature) {
  return NotImplemented(std::string(setting) + ": " + kEpName + " was made without " + what + " (" +
                        feature + " in its blueprint)");
}

}  // namespace
<% endif %>

Status ContextSettings::Take(const std::string& key, const std::string& value) {
  const std::pair<const char*, bool*> switches[] = {
      {"ep.context_enable", &enable},
      {"ep.context_embed_mode", &embed},
      {"ep.share_ep_contexts", &share},
      {"ep.stop_share_ep_contexts", &stop_sharing},
      {"session.compile_only", &compile_only},
      {"ep.enable_weightless_ep_context_nodes", &weightless},
      {"ep.enable_weightless", &weightless},
  };
  for (const auto& [name, flag] : switches) {
    if (key != name) continue;
    if (value != "0" && value != "1") {
      return InvalidArgument("'" + key + "' is '" + value + "'; expected 0 or 1");
    }
    *flag = *flag || value == "1";
  }
  const std::pair<const char*, std::string*> texts[] = {
      {"ep.context_file_path", &model_path},
      {"ep.context_node_name_prefix", &prefix},
      {"session.model_external_initializers_file_folder_path", &weights_folder},
  };
  for (const auto& [name, text] : texts) {
    if (key == name) *text = value;
  }
  if (key == "ep.enable_weightless_mode") {
    if (value != "0" && value != "1" && value != "2") {
      return InvalidArgument("'" + key + "' is '" + value + "'; expected 0, 1 or 2");
    }
    weightless = weightless || value != "0";
    all_weightless = value == "2";
  }
  return Status();
}

Status ContextSettings::CheckWriting() const {
<% if not embed %>
  if (embed) {
    return Without("ep.context_embed_mode=1", "data in the model itself",
                   "features.ep_context.embed");
  }
<% endif %>
<% if not external %>
  if (!embed) {
    return Without("ep.context_embed_mode=0, the default", "data in files",
                   "features.ep_context.external");
  }
<% endif %>
<% if share %>
  if (share && embed) {
    return InvalidArgument("ep.share_ep_contexts=1 needs ep.context_embed_mode=0: what models share is a file");
  }
  if (stop_sharing && !share) {
    return InvalidArgument("ep.stop_share_ep_contexts=1 needs ep.share_ep_contexts=1: it marks the last of the sessions that share");
  }
<% else %>
  if (share) {
    return Without("ep.share_ep_contexts=1", "sharing between models",
                   "features.ep_context.share");
  }
<% endif %>
<% if weightless == "none" %>
  if (weightless) {
    return Without("EPContext nodes without weights", "them", "features.weightless");
  }
<% elif weightless == "external_only" %>
  if (all_weightless) {
    return Without("ep.enable_weightless_mode=2", "this mode", "features.weightless");
  }
<% endif %>
  return Status();
}

}  // namespace <%= ns %>
