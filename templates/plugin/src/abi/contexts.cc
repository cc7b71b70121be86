<%= banner %>
#include "abi/contexts.h"

namespace <%= ns %> {

Contexts::Contexts(Factory& factory, const Logger& logger, const DeviceRule& rule)
    : api_(factory.api()),
<% if data_callbacks %>
      data_(factory.api()),
<% endif %>
      reader_(factory, rule
<%- if external %>, settings_<% endif %>
<%- if data_callbacks %>, data_<% endif %>),
      writer_(factory, logger, rule, settings_
<%- if data_callbacks %>, data_<% endif %>) {}

<% if data_callbacks %>
Status Contexts::Init(const OrtSessionOptions* session) { return data_.Init(session); }
<% else %>
Status Contexts::Init(const OrtSessionOptions* /*session*/) { return Status(); }
<% endif %>

Status Contexts::IsOurs(const OrtNode* node, bool* ours) const {
  return IsContextNode(api_, node, ours);
}

Status Contexts::Load(const OrtGraph* graph, const OrtNode* node, Saved* saved) {
  return reader_.Load(graph, node, saved);
}

Status Contexts::BeginWrite(const OrtGraph* graph) { return writer_.Begin(graph); }

Status Contexts::Write(const OrtGraph* graph, const std::vector<CompiledGroup>& groups,
                       OrtNode** nodes) {
  return writer_.Write(graph, groups, nodes);
}

void Contexts::Commit() noexcept {
  reader_.Finish();
  writer_.Commit();
}

}  // namespace <%= ns %>
