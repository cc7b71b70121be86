<%= banner %>
#pragma once

<% if external %>
#include <map>
<% endif %>
#include <memory>
<% if external %>
#include <string>
<% endif %>

#include "abi/context_blob.h"
<% if data_callbacks %>
#include "abi/context_data.h"
<% endif %>
#include "abi/context_node.h"
<% if external %>
#include "abi/context_settings.h"
<% endif %>
#include "abi/factory.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// Loads the EPContext nodes of one session.
class ContextReader {
 public:
  // What is referred to outlives the reader.
  ContextReader(Factory& factory, const DeviceRule& rule
<%- if external %>, const ContextSettings& settings<% endif %>
<%- if data_callbacks %>, const ContextData& data<% endif %>);

  Status Load(const OrtGraph* graph, const OrtNode* node, Saved* saved);
  // Nothing more is going to be loaded.
  void Finish() noexcept;

 private:
  using Blob = std::shared_ptr<const BlobContent>;

  Status Find(const OrtGraph* graph, const ContextNode& node, Saved* saved);
<% if external %>
  // The folder in which the data of a model's nodes lies.
  Status BaseFolder(const OrtGraph* graph, std::string* folder) const;
  Status FindFile(const OrtGraph* graph, const std::string& name, std::string* path) const;
  Status Open(const OrtGraph* graph, const std::string& name, Blob* blob);
<% endif %>

  Factory& factory_;
  const DeviceRule& rule_;
<% if external %>
  const ContextSettings& settings_;
<% endif %>
<% if data_callbacks %>
  const ContextData& data_;
<% endif %>
<% if external %>
  std::map<std::string, Blob> blobs_;  // each is read once
<% endif %>
};

}  // namespace <%= ns %>
