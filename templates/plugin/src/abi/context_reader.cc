<%= banner %>
#include "abi/context_reader.h"

#include <utility>

#include "abi/bridge.h"
<% if external %>
#include "abi/context_file.h"
<% endif %>

namespace <%= ns %> {

ContextReader::ContextReader(Factory& factory, const Logger& logger, const DeviceRule& rule
<%- if external %>, const ContextSettings& settings<% endif %>
<%- if data_callbacks %>, const ContextData& data<% endif %>)
    : factory_(factory), logger_(logger), rule_(rule)
<%- if external %>, settings_(settings)<% endif %>
<%- if data_callbacks %>, data_(data)<% endif %> {}

Status ContextReader::Load(const OrtGraph* graph, const OrtNode* node, Saved* saved) {
  ContextNode read;
  EP_RETURN_IF_ERROR(ReadContextNode(factory_.api(), node, &read));
  return Find(graph, read, saved);
}

void ContextReader::Finish() noexcept {
<% if external %>
<% if share %>
  if (settings_.share) return;  // sessions that come later may share them
<% endif %>
  blobs_.clear();
<% endif %>
}

<% if external %>
Status ContextReader::Find(const OrtGraph* graph, const ContextNode& node, Saved* saved) {
<% else %>
Status ContextReader::Find(const OrtGraph* /*graph*/, const ContextNode& node, Saved* saved) {
<% endif %>
  Blob blob;
  if (node.embedded) {
    BlobContent content;
    EP_RETURN_IF_ERROR(ReadContent(node.data, &content));
    blob = std::make_shared<const BlobContent>(std::move(content));
  } else {
<% if external %>
    EP_RETURN_IF_ERROR(Open(graph, node.file, &blob));
<% else %>
    return NotImplemented("its data lies in a file, and " + std::string(kEpName) +
                          " was made without that (features.ep_context.external in its blueprint)");
<% endif %>
  }
  if (blob->architecture != rule_.name) {
    logger_.Warn("a model compiled for " + blob->architecture + " runs on " + rule_.name);
  }
  return FindEntry(*blob, node.partition, saved);
}
<% if external %>

// The path that ORT makes up for a model, which it does when it is told where to look for weights,
// leads to no file.
Status ContextReader::BaseFolder(const OrtGraph* graph, std::string* folder) const {
  std::string model;
  EP_RETURN_IF_ERROR(ModelPath(factory_.api(), graph, &model));
  const std::string& given = settings_.model_path;
  if (!model.empty() && LookAt(model) == PathKind::kFile) {
    *folder = FolderOf(model);
  } else if (!given.empty()) {
    if (LookAt(given) == PathKind::kFolder) {
      return InvalidArgument("ep.context_file_path '" + given +
                             "' is a folder: name the file of the compiled model in it");
    }
    *folder = FolderOf(given);
  } else if (!model.empty()) {
    *folder = FolderOf(model);
  } else {
    return InvalidArgument("a model from memory has no folder for its data: set ep.context_file_path to where the compiled model lies");
  }
  return Status();
}

Status ContextReader::FindFile(const OrtGraph* graph, const std::string& name,
                               std::string* path) const {
  std::string folder;
  EP_RETURN_IF_ERROR(BaseFolder(graph, &folder));
  EP_RETURN_IF_ERROR(FindContextFile(folder, name, path));
  if (!path->empty()) return Status();
  std::string text = "there is no '" + Join(folder, name) + "', which belongs beside the compiled model; ";
  // Newer runtimes hide the model's own path then.
  text += settings_.weights_folder.empty() ? "a model from memory needs ep.context_file_path" : "with session.model_external_initializers_file_folder_path set, so must ep.context_file_path be";
  text += ": the path of the compiled model";
  return InvalidArgument(text);
}

Status ContextReader::Open(const OrtGraph* graph, const std::string& name, Blob* blob) {
  EP_RETURN_IF_ERROR(CheckContextName(name));
  bool from_file = true;
<% if data_callbacks %>
  from_file = !data_.reads();
<% endif %>
  std::string path = name;
  if (from_file) EP_RETURN_IF_ERROR(FindFile(graph, name, &path));
  const auto read = [&](Blob* made) -> Status {
    SharedBytes bytes;
    BlobContent content;
<% if data_callbacks %>
    if (!from_file) EP_RETURN_IF_ERROR(data_.Read(name, &bytes));
<% endif %>
    if (from_file) EP_RETURN_IF_ERROR(ReadContextFile(path, &bytes));
    EP_RETURN_IF_ERROR(Located("'" + path + "'", ReadContent(bytes, &content)));
    *made = std::make_shared<const BlobContent>(std::move(content));
    return Status();
  };
  Blob& known = blobs_[path];
<% if share %>
  if (known == nullptr && settings_.share && from_file) {
    EP_RETURN_IF_ERROR(factory_.shares().Load(path + "\n" + FileStamp(path), read, &known));
  }
<% endif %>
  if (known == nullptr) EP_RETURN_IF_ERROR(read(&known));
  *blob = known;
  return Status();
}
<% endif %>

}  // namespace <%= ns %>
