<%= banner %>
#include "abi/context_reader.h"

#include <utility>

#include "abi/bridge.h"
<% if external %>
#include "abi/context_file.h"
<% endif %>

namespace <%= ns %> {
namespace {

Status Decode(const SharedBytes& bytes, std::shared_ptr<const BlobContent>* blob) {
  BlobContent content;
  EP_RETURN_IF_ERROR(ReadContent(bytes, &content));
  *blob = std::make_shared<const BlobContent>(std::move(content));
  return Status();
}

}  // namespace

ContextReader::ContextReader(Factory& factory, const DeviceRule& rule
<%- if external %>, const ContextSettings& settings<% endif %>
<%- if data_callbacks %>, const ContextData& data<% endif %>)
    : factory_(factory), rule_(rule)
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
    EP_RETURN_IF_ERROR(Decode(node.data, &blob));
  } else {
<% if external %>
    EP_RETURN_IF_ERROR(Open(graph, node.file, &blob));
<% else %>
    return NotImplemented("its data lies in a file, and " + std::string(kEpName) +
                          " was made without that (features.ep_context.external in its blueprint)");
<% endif %>
  }
  if (blob->architecture != rule_.name) {
    return InvalidArgument("it was compiled for '" + blob->architecture +
                           "', and the session's device is '" + rule_.name +
                           "': compile the model again");
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
  const char* reason = settings_.weights_folder.empty()
                           ? "it comes from memory"
                           // Newer runtimes do not say where the model lies, then.
                           : "session.model_external_initializers_file_folder_path is set";
  return InvalidArgument("there is no '" + Join(folder, name) + "', which belongs beside the compiled model; if " + reason + ", set ep.context_file_path to the path of the compiled model");
}

Status ContextReader::Open(const OrtGraph* graph, const std::string& name, Blob* blob) {
  EP_RETURN_IF_ERROR(CheckContextName(name));
<% if data_callbacks %>
  if (data_.reads()) {
    Blob& known = blobs_[name];
    SharedBytes bytes;
    if (known == nullptr) {
      EP_RETURN_IF_ERROR(data_.Read(name, &bytes));
      EP_RETURN_IF_ERROR(Located("'" + name + "'", Decode(bytes, &known)));
    }
    *blob = known;
    return Status();
  }
<% endif %>
  std::string path;
  EP_RETURN_IF_ERROR(FindFile(graph, name, &path));
  Blob& known = blobs_[path];
  const auto read = [&path](Blob* made) -> Status {
    SharedBytes bytes;
    EP_RETURN_IF_ERROR(ReadContextFile(path, &bytes));
    return Located("'" + path + "'", Decode(bytes, made));
  };
<% if share %>
  if (known == nullptr && settings_.share) {
    EP_RETURN_IF_ERROR(factory_.shares().Load(path + "\n" + FileStamp(path), read, &known));
  }
<% endif %>
  if (known == nullptr) EP_RETURN_IF_ERROR(read(&known));
  *blob = known;
  return Status();
}
<% endif %>

}  // namespace <%= ns %>
