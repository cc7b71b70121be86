<%= banner %>
#pragma once

#include <cstddef>
<% if share %>
#include <memory>
<% endif %>
#include <string>
#include <vector>

#include "abi/context_blob.h"
<% if data_callbacks %>
#include "abi/context_data.h"
<% endif %>
<% if external %>
#include "abi/context_file.h"
<% endif %>
#include "abi/context_node.h"
#include "abi/context_settings.h"
#include "abi/factory.h"
#include "abi/logger.h"
#include "gen/api/status.h"
#include "gen/graph/executable.h"

namespace <%= ns %> {

// A group of nodes that was compiled, for its EPContext node.
struct CompiledGroup {
  const OrtNode* fused;  // the node that stands for the group
  const Executable* executable;
  size_t node_count;  // of the model's nodes in it
};

// Writes the compiled model of one session: its EPContext nodes, and their data.
class ContextWriter {
 public:
  // What is referred to outlives the writer.
  ContextWriter(Factory& factory, const Logger& logger, const DeviceRule& rule,
                const ContextSettings& settings<% if data_callbacks %>, const ContextData& data<% endif %>);
  ContextWriter(const ContextWriter&) = delete;
  ContextWriter& operator=(const ContextWriter&) = delete;
  // Takes back what was not committed.
  ~ContextWriter();

  // As in Contexts.
  Status Begin(const OrtGraph* graph);
  Status Write(const OrtGraph* graph, const std::vector<CompiledGroup>& groups, OrtNode** nodes);
  void Commit() noexcept;

 private:
  const Api& api() const noexcept { return factory_.api(); }

  // What is to be written for each group.
  Status Describe(const OrtGraph* graph, const std::vector<CompiledGroup>& groups,
                  Entries* entries, std::vector<NewContextNode>* nodes) const;
<% if embed %>
  Status MakeEmbedded(const BlobContent::Entry& entry, NewContextNode* node, NodeHandle* made) const;
<% endif %>
<% if external %>
  Status Plan(const OrtGraph* graph);
  // Refuses a path of the model beside which no data could be written; finds its folder.
  Status CheckOutput(const std::string& model, std::string* folder) const;
  Status MakeExternal(Entries* entries, std::vector<NewContextNode>* nodes,
                      std::vector<NodeHandle>* made);
  // Encodes the content and gives it to the file<% if data_callbacks %>, or to the application<% endif %>.
  Status Emit(const BlobContent& content);
<% endif %>
<% if share %>
  // For a last session that had nothing to compile: the others' data is still to be written.
  Status FinishGroup();
<% endif %>

  Factory& factory_;
  const Logger logger_;
  const DeviceRule& rule_;
  const ContextSettings& settings_;
<% if data_callbacks %>
  const ContextData& data_;
<% endif %>
  bool committed_ = false;
<% if external %>
  std::string folder_;
  std::string blob_;    // file name of the data; empty until it is known
  bool named_ = false;  // has a node spoken of it?
  BlobContent content_;
  ContextFile file_;
<% endif %>
<% if share %>
  std::shared_ptr<ShareGroup> group_;  // whose content counts, then
<% endif %>
};

}  // namespace <%= ns %>
