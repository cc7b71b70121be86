<%= banner %>
#include "abi/context_writer.h"

<% if share %>
#include <exception>
<% endif %>
#include <utility>

#include "abi/bridge.h"
<% if not external %>
#include "abi/context_file.h"
<% endif %>

namespace <%= ns %> {
namespace {

constexpr uint32_t kSessionEnd = 27;  // the first level that tells when a session is complete

// The file name that ORT makes up when it is told where to look for a model's weights.
constexpr char kMadeUp[] = "virtual_model.onnx";
<% if external %>

Status Exists(const std::string& path) {
  return InvalidArgument("'" + path + "' exists already: delete it, or choose another output with ep.context_file_path");
}
<% endif %>

}  // namespace

ContextWriter::ContextWriter(Factory& factory, const Logger& logger, const DeviceRule& rule,
                             const ContextSettings& settings<% if data_callbacks %>, const ContextData& data<% endif %>)
    : factory_(factory), logger_(logger), rule_(rule), settings_(settings)<% if data_callbacks %>, data_(data)<% endif %> {}

ContextWriter::~ContextWriter() {
<% if external %>
  if (committed_) file_.Keep();
<% endif %>
<% if share %>
  if (committed_ || !settings_.enable || !settings_.share) return;
  // A last session ends the group even if it has not come so far as to join it.
  if (group_ == nullptr && settings_.stop_sharing) group_ = factory_.shares().Close();
  if (group_ != nullptr) factory_.shares().Fail(group_);
<% endif %>
}

Status ContextWriter::Begin(const OrtGraph* graph) {
  committed_ = false;
  EP_RETURN_IF_ERROR(settings_.CheckWriting());
  if (!settings_.prefix.empty()) {
    // ORT puts an EPContext node in the place of the fused node of the same name.
    logger_.Warn("ep.context_node_name_prefix has no effect on nodes of a plugin library, whose names ONNX Runtime gives; they hold a hash of the model");
  }
<% if external %>
  // A session may compile several times, its subgraphs first.
  if (!settings_.embed && blob_.empty()) return Plan(graph);
<% else %>
  (void)graph;  // its path is of no importance
<% endif %>
  return Status();
}
<% if external %>

Status ContextWriter::CheckOutput(const std::string& model, std::string* folder) const {
  if (model.empty()) {
    return InvalidArgument("the model comes from memory: set ep.context_file_path to where the compiled model goes, or ep.context_embed_mode to 1");
  }
  if (LookAt(model) == PathKind::kFolder || NameOf(model).empty()) {
    return InvalidArgument("ep.context_file_path '" + model +
                           "' is a folder: name the file of the compiled model");
  }
  // Where ORT does nothing but compile, the application has told it whether to replace the model.
  if (!settings_.compile_only && IsTaken(model)) return Exists(model);
  return PrepareFolder(folder);
}

Status ContextWriter::Plan(const OrtGraph* graph) {
  std::string source;
  EP_RETURN_IF_ERROR(ModelPath(api(), graph, &source));
  std::string output = settings_.model_path;
  if (output.empty() && !source.empty()) {
    output = Join(FolderOf(source), StemOf(source) + "_ctx.onnx");
  }
  std::string ep = kEpName;
  for (char& c : ep) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  std::string blob = (output.empty() ? "model" : StemOf(output)) + "." + ep + ".bin";
  std::string folder = FolderOf(output);
  EP_RETURN_IF_ERROR(CheckContextName(blob));
<% if data_callbacks %>
  if (!data_.writes()) EP_RETURN_IF_ERROR(CheckOutput(output, &folder));
<% else %>
  EP_RETURN_IF_ERROR(CheckOutput(output, &folder));
<% endif %>
<% if share %>
  if (settings_.share) {
    ShareGroup founder;
    founder.folder = folder;
    founder.blob = blob;
    founder.content = NewContent(rule_.name);
    EP_RETURN_IF_ERROR(factory_.shares().Join(founder, &group_));
    blob = group_->blob;
  }
<% endif %>
  const std::string path = Join(folder, blob);
  if (<% if data_callbacks %>!data_.writes() && <% endif %>IsTaken(path)) return Exists(path);
  folder_ = folder;
  blob_ = blob;
  content_ = NewContent(rule_.name);
  return Status();
}
<% endif %>

Status ContextWriter::Describe(const OrtGraph* graph, const std::vector<CompiledGroup>& groups,
                               Entries* entries, std::vector<NewContextNode>* nodes) const {
  std::string source;
  const char* graph_name = nullptr;
  EP_RETURN_IF_ERROR(ModelPath(api(), graph, &source));
  EP_ORT(api(), ort->Graph_GetName(graph, &graph_name));
  if (!settings_.weights_folder.empty() && NameOf(source) == kMadeUp) source.clear();
  const std::string origin = source.empty() ? graph_name : StemOf(source);
  for (const CompiledGroup& group : groups) {
    const char* name = nullptr;
    EP_ORT(api(), ort->Node_GetName(group.fused, &name));
    BlobContent::Entry entry;
    entry.name = origin + "/" + name;
    EP_RETURN_IF_ERROR(Located("saving " + entry.name, group.executable->Save(&entry.saved)));
    entries->push_back(std::move(entry));
    NewContextNode node;
    node.name = name;
    // When the node is loaded, inputs and outputs are known by their positions.
    for (const Port& port : group.executable->inputs()) node.inputs.push_back(port.name);
    for (const Port& port : group.executable->outputs()) node.outputs.push_back(port.name);
    node.architecture = rule_.name;
    node.model = NameOf(source);
    node.notes = "compiled from " + std::to_string(group.node_count) + " nodes by " + kEpName +
                 " " + kVersion;
    nodes->push_back(std::move(node));
  }
  return Status();
}

Status ContextWriter::Write(const OrtGraph* graph, const std::vector<CompiledGroup>& groups,
                            OrtNode** nodes) {
  Entries entries;
  std::vector<NewContextNode> descriptions;
  std::vector<NodeHandle> made;  // given back after an error
  EP_RETURN_IF_ERROR(Describe(graph, groups, &entries, &descriptions));
  for (size_t i = 0; i < groups.size(); ++i) made.emplace_back(*api().ort);
<% if embed %>
<% if external %>
  for (size_t i = 0; settings_.embed && i < groups.size(); ++i) {
<% else %>
  for (size_t i = 0; i < groups.size(); ++i) {
<% endif %>
    EP_RETURN_IF_ERROR(MakeEmbedded(entries[i], &descriptions[i], &made[i]));
  }
<% endif %>
<% if external %>
  Status status;
<% if embed %>
  if (!settings_.embed) status = MakeExternal(&entries, &descriptions, &made);
<% else %>
  status = MakeExternal(&entries, &descriptions, &made);
<% endif %>
<% if share %>
  if (!status.ok() && group_ != nullptr) factory_.shares().Fail(group_);
<% endif %>
  EP_RETURN_IF_ERROR(status);
<% endif %>
  for (size_t i = 0; i < groups.size(); ++i) nodes[i] = made[i].release();
  committed_ = api().level < kSessionEnd;
  return Status();
}
<% if embed %>

// Each node has data of its own, and all of it.
Status ContextWriter::MakeEmbedded(const BlobContent::Entry& entry, NewContextNode* node,
                                   NodeHandle* made) const {
  BlobContent content = NewContent(rule_.name);
  std::vector<unsigned char> bytes;
  content.entries.push_back(entry);
  EP_RETURN_IF_ERROR(EncodeBlob(content, &bytes));
  node->main = true;
  node->embedded = true;
  node->cache = bytes.data();
  node->cache_size = bytes.size();
  node->partition = entry.name;
  return MakeContextNode(api(), *node, made);
}
<% endif %>
<% if external %>

Status ContextWriter::MakeExternal(Entries* entries, std::vector<NewContextNode>* nodes,
                                   std::vector<NodeHandle>* made) {
  BlobContent* content = &content_;
  bool last = true;  // nobody else adds to the data
<% if share %>
  if (group_ != nullptr) {
    last = settings_.stop_sharing;
    content = &group_->content;
    EP_RETURN_IF_ERROR(factory_.shares().Add(group_, last ? this : nullptr, entries));
  } else {
    AddEntries(content, entries);
  }
<% else %>
  AddEntries(content, entries);
<% endif %>
  for (size_t i = 0; i < nodes->size(); ++i) {
    NewContextNode& node = (*nodes)[i];
    node.main = !std::exchange(named_, true);
    node.cache = blob_.data();
    node.cache_size = blob_.size();
    node.partition = (*entries)[i].name;
    EP_RETURN_IF_ERROR(MakeContextNode(api(), node, &(*made)[i]));
  }
  return last ? Emit(*content) : Status();
}

Status ContextWriter::Emit(const BlobContent& content) {
  std::vector<unsigned char> bytes;
  EP_RETURN_IF_ERROR(EncodeBlob(content, &bytes));
<% if data_callbacks %>
  if (data_.writes()) return data_.Write(blob_, bytes);
<% endif %>
  EP_RETURN_IF_ERROR(file_.Write(Join(folder_, blob_), bytes));
  logger_.Info("wrote " + std::to_string(bytes.size()) + " bytes to " + blob_);
  return Status();
}
<% endif %>
<% if share %>

Status ContextWriter::FinishGroup() {
  group_ = factory_.shares().Close();
  if (group_ == nullptr || group_->content.entries.empty()) return Status();
  folder_ = group_->folder;
  blob_ = group_->blob;
  return Emit(group_->content);
}
<% endif %>

void ContextWriter::Commit() noexcept {
  if (std::exchange(committed_, true)) return;
<% if external %>
  content_.entries.clear();  // nothing more is compiled
<% endif %>
<% if share %>
  if (!settings_.enable || !settings_.stop_sharing || group_ != nullptr) return;
  try {
    const Status status = Located("the data of the shared models", FinishGroup());
    if (!status.ok()) logger_.Warn(status.message());
  } catch (const std::exception& error) {
    logger_.Warn(error.what());
  }
<% endif %>
}

}  // namespace <%= ns %>
