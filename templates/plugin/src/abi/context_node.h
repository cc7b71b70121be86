<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/api.h"
#include "abi/handles.h"
#include "gen/api/status.h"
#include "gen/graph/graph.h"

namespace <%= ns %> {

using NodeHandle = Handle<&OrtApi::ReleaseNode>;

// An EPContext node of ours, as a model has it.
struct ContextNode {
  bool embedded = false;
  SharedBytes data;       // of an embedded one, aligned to kBlobAlignment
  std::string file;       // of another one: its name, which is not to be trusted
  std::string partition;  // which entry of the data
};

// An EPContext node to be made.
struct NewContextNode {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  bool main = false;  // the first to speak of its data
  bool embedded = false;
  const void* cache = nullptr;  // the data, or else the name of its file
  size_t cache_size = 0;
  std::string partition;
  std::string architecture;
  std::string model;  // file name of the model it was compiled from
  std::string notes;
};

// The path of the model that `graph` is part of; empty when it came from memory.
Status ModelPath(const Api& api, const OrtGraph* graph, std::string* path);

// `status` with `where` before its text.
Status Located(const std::string& where, const Status& status);

// Is it an EPContext node of ours? `source` says whose it is.
Status IsContextNode(const Api& api, const OrtNode* node, bool* ours);

// An attribute that is missing, of the wrong kind or out of range is an error.
Status ReadContextNode(const Api& api, const OrtNode* node, ContextNode* read);

// `node` must be empty.
Status MakeContextNode(const Api& api, const NewContextNode& description, NodeHandle* node);

}  // namespace <%= ns %>
