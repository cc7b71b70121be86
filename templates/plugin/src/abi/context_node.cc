<%= banner %>
#include "abi/context_node.h"

#include <climits>

#include "abi/bridge.h"
#include "abi/context_file.h"
#include "abi/node_reader.h"
#include "gen/graph/blob.h"

namespace <%= ns %> {
namespace {

constexpr char kOp[] = "EPContext";
constexpr char kDomain[] = "com.microsoft";

// What the standard calls the attributes.
constexpr char kMain[] = "main_context";
constexpr char kEmbed[] = "embed_mode";
constexpr char kCache[] = "ep_cache_context";
constexpr char kSource[] = "source";
constexpr char kSdkVersion[] = "ep_sdk_version";
constexpr char kPartition[] = "partition_name";
constexpr char kArchitecture[] = "hardware_architecture";
constexpr char kModel[] = "onnx_model_filename";
constexpr char kNotes[] = "notes";
constexpr char kMaxSize[] = "max_size";

Status ReadSwitch(const Node& node, const char* name, bool* value) {
  int64_t number = 1;  // the default of the schema
  EP_RETURN_IF_ERROR(node.Get(name, &number));
  if (number != 0 && number != 1) {
    return InvalidArgument(std::string("attribute '") + name + "' is " + std::to_string(number) +
                           "; expected 0 or 1");
  }
  *value = number == 1;
  return Status();
}

// The bytes of a string attribute, of which a NUL is as good as any; none when it is missing.
Status ReadBytes(const Api& api, const OrtNode* node, const char* name, SharedBytes* bytes) {
  const OrtOpAttr* attribute = nullptr;
  if (!FromOrt(api, api.ort->Node_GetAttributeByName(node, name, &attribute)).ok()) return Status();
  if (attribute == nullptr) return Status();
  OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
  EP_ORT(api, ort->OpAttr_GetType(attribute, &type));
  if (type != ORT_OP_ATTR_STRING) {
    return InvalidArgument(std::string("attribute '") + name + "' is of the wrong kind");
  }
  size_t size = 0;
  // No room is an error, and tells how much is needed.
  (void)FromOrt(api, api.ort->ReadOpAttr(attribute, type, nullptr, 0, &size));
  unsigned char* data = nullptr;
  SharedBytes read = AllocateBlob(size, &data);
  if (size > 0) EP_ORT(api, ort->ReadOpAttr(attribute, type, data, size, &read.size));
  *bytes = read;
  return Status();
}

// The attributes of a node that is being made. CreateNode copies them.
class Attributes {
 public:
  explicit Attributes(const Api& api) noexcept : api_(api) {}
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() {
    for (OrtOpAttr* attribute : made_) api_.ort->ReleaseOpAttr(attribute);
  }

  Status Add(const char* name, int64_t value) { return Add(name, &value, 1, ORT_OP_ATTR_INT); }
  Status Add(const char* name, const std::string& text) {
    return Add(name, text.data(), text.size(), ORT_OP_ATTR_STRING);
  }
  Status Add(const char* name, const void* data, size_t size, OrtOpAttrType type) {
    if (size > INT_MAX) {
      return NotImplemented("the compiled data has " + std::to_string(size) +
                            " bytes, and a node holds less than 2 GiB: "
                            "set ep.context_embed_mode to 0, which puts it into a file");
    }
    made_.push_back(nullptr);
    return FromOrt(api_, api_.ort->CreateOpAttr(name, data, static_cast<int>(size), type,
                                                &made_.back()));
  }

  std::vector<OrtOpAttr*>& all() noexcept { return made_; }

 private:
  const Api& api_;
  std::vector<OrtOpAttr*> made_;
};

std::vector<const char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

}  // namespace

Status ModelPath(const Api& api, const OrtGraph* graph, std::string* path) {
  const ORTCHAR_T* text = nullptr;
  EP_ORT(api, ort->Graph_GetModelPath(graph, &text));
  *path = text != nullptr ? PathText(text) : "";
  return Status();
}

Status Located(const std::string& where, const Status& status) {
  return status.ok() ? Status() : Status(status.code(), where + ": " + status.message());
}

Status IsContextNode(const Api& api, const OrtNode* node, bool* ours) {
  *ours = false;
  const char* text = nullptr;
  EP_ORT(api, ort->Node_GetOperatorType(node, &text));
  if (std::string(text) != kOp) return Status();
  EP_ORT(api, ort->Node_GetDomain(node, &text));
  if (std::string(text) != kDomain) return Status();
  NodeReader reader(api);
  EP_RETURN_IF_ERROR(reader.Init(node));
  const Node& attributes = reader;
  std::string source;
  *ours = attributes.Get(kSource, &source).ok() && source == kEpName;
  return Status();
}

Status ReadContextNode(const Api& api, const OrtNode* node, ContextNode* read) {
  NodeReader reader(api);
  const Node& attributes = reader;
  bool main = true;
  SharedBytes cache;
  EP_RETURN_IF_ERROR(reader.Init(node));
  EP_RETURN_IF_ERROR(ReadSwitch(attributes, kMain, &main));
  EP_RETURN_IF_ERROR(ReadSwitch(attributes, kEmbed, &read->embedded));
  EP_RETURN_IF_ERROR(attributes.Get(kPartition, &read->partition));
  EP_RETURN_IF_ERROR(ReadBytes(api, node, kCache, &cache));
  if (cache.size == 0) {
    return InvalidArgument(std::string("attribute '") + kCache + "' is missing or empty" +
                           (main ? "" : "; the data of another node is not looked for: every "
                                        "node of this library names its own"));
  }
  if (read->partition.empty()) {
    return InvalidArgument(std::string("attribute '") + kPartition + "' is missing or empty");
  }
  if (read->embedded) {
    read->data = cache;
  } else {
    read->file.assign(reinterpret_cast<const char*>(cache.data), cache.size);
  }
  return Status();
}

Status MakeContextNode(const Api& api, const NewContextNode& description, NodeHandle* node) {
  const OrtModelEditorApi* editor = api.ort->GetModelEditorApi();
  if (editor == nullptr) {
    return NotImplemented("this ONNX Runtime was built without what makes EPContext nodes");
  }
  Attributes attributes(api);
  EP_RETURN_IF_ERROR(attributes.Add(kMain, description.main ? 1 : 0));
  EP_RETURN_IF_ERROR(attributes.Add(kEmbed, description.embedded ? 1 : 0));
  EP_RETURN_IF_ERROR(attributes.Add(kCache, description.cache, description.cache_size,
                                    ORT_OP_ATTR_STRING));
  EP_RETURN_IF_ERROR(attributes.Add(kSource, kEpName));
  EP_RETURN_IF_ERROR(attributes.Add(kSdkVersion, kVersion));
  EP_RETURN_IF_ERROR(attributes.Add(kPartition, description.partition));
  EP_RETURN_IF_ERROR(attributes.Add(kArchitecture, description.architecture));
  EP_RETURN_IF_ERROR(attributes.Add(kModel, description.model));
  EP_RETURN_IF_ERROR(attributes.Add(kNotes, description.notes));
  EP_RETURN_IF_ERROR(attributes.Add(kMaxSize, 0));
  const std::vector<const char*> inputs = Pointers(description.inputs);
  const std::vector<const char*> outputs = Pointers(description.outputs);
  std::vector<OrtOpAttr*>& all = attributes.all();
  return FromOrt(api, editor->CreateNode(kOp, kDomain, description.name.c_str(), inputs.data(),
                                         inputs.size(), outputs.data(), outputs.size(), all.data(),
                                         all.size(), node->out()));
}

}  // namespace <%= ns %>
