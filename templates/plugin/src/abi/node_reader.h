<%= banner %>
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "abi/api.h"
#include "gen/api/node.h"

namespace <%= ns %> {

// A node as kernels see it, read from the graph while it is claimed, or from the kernel info while
// its kernel is made. The latter does not tell an absent attribute from one of the wrong kind; the
// claim has ruled that out.
class NodeReader final : public Node {
 public:
  explicit NodeReader(const Api& api) noexcept : api_(api) {}
  Status Init(const OrtNode* node);
  Status Init(const OrtKernelInfo* info);
<% if custom_ops %>
  // ... or while shapes are inferred. ORT does not tell how many outputs the node has.
  Status Init(const OrtShapeInferContext* context, int since, size_t output_count);
<% endif %>

  int SinceVersion() const override { return since_; }
  size_t InputCount() const override { return input_count_; }
  size_t OutputCount() const override { return output_count_; }
  Status Get(const char* name, int64_t* value, bool* found) const override {
    return ReadOne(name, ORT_OP_ATTR_INT, value, found);
  }
  Status Get(const char* name, float* value, bool* found) const override {
    return ReadOne(name, ORT_OP_ATTR_FLOAT, value, found);
  }
  Status Get(const char* name, std::string* value, bool* found) const override;
  Status Get(const char* name, std::vector<int64_t>* value, bool* found) const override {
    return ReadMany(name, ORT_OP_ATTR_INTS, value, found);
  }
  Status Get(const char* name, std::vector<float>* value, bool* found) const override {
    return ReadMany(name, ORT_OP_ATTR_FLOATS, value, found);
  }
<% if tensor_attributes or compiled %>
  Status Get(const char* name, TensorValue* value, bool* found) const override;
<% endif %>
<% if strings_attributes %>
  Status Get(const char* name, std::vector<std::string>* value, bool* found) const override;
<% endif %>

 private:
  // Sets `attribute` to null when there is none; one of another kind is an error.
  Status Find(const char* name, OrtOpAttrType type, const OrtOpAttr** attribute) const;
  // Reads `*bytes` bytes into `data`; with null `data`, only says how many there are.
  Status Read(const char* name, OrtOpAttrType type, void* data, size_t* bytes, bool* found) const;
<% if custom_ops %>
  OrtStatus* ReadInfo(const char* name, OrtOpAttrType type, void* data, size_t* bytes) const;
  // Fails if there is an attribute of another kind. ORT's kernel info has no word for that.
  Status CheckKind(const char* name, OrtOpAttrType type) const;
<% endif %>

  template <class T>
  Status ReadOne(const char* name, OrtOpAttrType type, T* value, bool* found) const {
    T read{};
    size_t bytes = sizeof(T);
    bool is_there = false;
    EP_RETURN_IF_ERROR(Read(name, type, &read, &bytes, &is_there));
    if (is_there) *value = read;
    if (found != nullptr) *found = is_there;
    return Status();
  }
  template <class T>
  Status ReadMany(const char* name, OrtOpAttrType type, T* value, bool* found) const {
    size_t bytes = 0;
    bool is_there = false;
    EP_RETURN_IF_ERROR(Read(name, type, nullptr, &bytes, &is_there));
    if (found != nullptr) *found = is_there;
    if (!is_there) return Status();
    T items(bytes / sizeof(typename T::value_type), typename T::value_type{});
    if (bytes > 0) EP_RETURN_IF_ERROR(Read(name, type, items.data(), &bytes, &is_there));
    *value = std::move(items);
    return Status();
  }
<% if strings_attributes %>
  // A list of strings, from the kernel info.
  Status ReadTexts(const char* name, std::vector<std::string>* texts, bool* found) const;
<% endif %>

  const Api& api_;
  const OrtNode* node_ = nullptr;  // one of these is set
  const OrtKernelInfo* info_ = nullptr;
<% if custom_ops %>
  const OrtShapeInferContext* context_ = nullptr;
<% endif %>
  int since_ = 0;
  size_t input_count_ = 0;
  size_t output_count_ = 0;
};

}  // namespace <%= ns %>
