<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
<% if strings_attributes %>
#include <string>
<% else %>
#include <iosfwd>  // declares std::string
<% endif %>
#include <vector>

#include "gen/api/status.h"
#include "gen/api/tensor.h"

namespace <%= ns %> {

// A tensor that owns its bytes: the value of a tensor attribute.
struct TensorValue {
  DType dtype = DType::kUndefined;
  Shape shape;
  std::vector<unsigned char> bytes;
};

// What a kernel may ask about the node that it is made for. Implemented over ORT's node (when
// claiming), over ORT's kernel info (when creating the kernel) and by hand in tests.
class Node {
 public:
  Node& operator=(Node&&) = delete;  // and so no copies
  virtual ~Node() = default;

  // The since-version of the schema that the node follows.
  virtual int SinceVersion() const = 0;
  virtual size_t InputCount() const = 0;
  virtual size_t OutputCount() const = 0;

  // Each reads one attribute. An absent attribute leaves `value` as it is and is no error;
  // `found`, where given, tells. An attribute of another kind is an error that names it.
  virtual Status Get(const char* name, int64_t* value, bool* found = nullptr) const = 0;
  virtual Status Get(const char* name, float* value, bool* found = nullptr) const = 0;
  virtual Status Get(const char* name, std::string* value, bool* found = nullptr) const = 0;
  virtual Status Get(const char* name, std::vector<int64_t>* value, bool* found = nullptr) const = 0;
  virtual Status Get(const char* name, std::vector<float>* value, bool* found = nullptr) const = 0;
<% if tensor_attributes or compiled %>
  virtual Status Get(const char* name, TensorValue* value, bool* found = nullptr) const = 0;
<% endif %>
<% if strings_attributes %>
  virtual Status Get(const char* name, std::vector<std::string>* value,
                     bool* found = nullptr) const = 0;
<% endif %>
<% if bool_attributes %>

  // A truth value, which ONNX writes as an integer.
  Status Get(const char* name, bool* value, bool* found = nullptr) const {
    int64_t number = *value ? 1 : 0;
    EP_RETURN_IF_ERROR(Get(name, &number, found));
    *value = number != 0;
    return Status();
  }
<% endif %>
};

}  // namespace <%= ns %>
