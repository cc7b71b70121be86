<%= banner %>
#pragma once

#include <string>
#include <vector>

<% if data_callbacks %>
#include "abi/context_data.h"
<% endif %>
#include "abi/context_reader.h"
#include "abi/context_settings.h"
#include "abi/context_writer.h"
#include "abi/factory.h"
#include "abi/logger.h"
#include "gen/api/status.h"

namespace <%= ns %> {

// The compiled models of one session: EPContext nodes that are loaded, and those that are written.
class Contexts {
 public:
  // `rule` is that of the session's device: what is compiled is compiled for it.
  Contexts(Factory& factory, const Logger& logger, const DeviceRule& rule);
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;
  // Removes the files of a session that never came about.
  ~Contexts() = default;

  // Takes an entry of the session's configuration, if it is about compiled models.
  Status Take(const std::string& key, const std::string& value) {
    return settings_.Take(key, value);
  }
  // Once all entries are known. `session` is only lent.
  Status Init(const OrtSessionOptions* session);

  // Does the session write a compiled model (ep.context_enable)?
  bool writing() const noexcept { return settings_.enable; }
  // Nothing is going to be run (session.compile_only).
  bool compile_only() const noexcept { return settings_.compile_only; }
<% if weightless != "none" %>
  // Do the model's constants stay where they are (ep.enable_weightless_mode and its older kin)?
  bool weightless() const noexcept { return settings_.weightless; }
<% endif %>

  // Is it an EPContext node that this library has made? Other libraries' nodes are not.
  Status IsOurs(const OrtNode* node, bool* ours) const;
  // What was saved for an EPContext node of ours, which lies in `graph`.
  Status Load(const OrtGraph* graph, const OrtNode* node, Saved* saved);

  // Before anything is compiled: refuses what could not be written, so that no work is lost.
  Status BeginWrite(const OrtGraph* graph);
  // Saves the executables of one call of Compile and makes an EPContext node for each, in the
  // place of the fused node. All or nothing: after an error no node is left, and no file.
  Status Write(const OrtGraph* graph, const std::vector<CompiledGroup>& groups, OrtNode** nodes);
  // The session is complete: what was written stays.
  void Commit() noexcept;

 private:
  const Api& api_;
  ContextSettings settings_;
<% if data_callbacks %>
  ContextData data_;
<% endif %>
  ContextReader reader_;
  ContextWriter writer_;
};

}  // namespace <%= ns %>
