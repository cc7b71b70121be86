<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gen/api/node.h"
#include "gen/api/status.h"

namespace <%= ns %>::native {

using Value = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
                           std::vector<std::string>, TensorValue>;

// A node that exists only for one call: its attributes are what the caller says.
class CallNode final : public Node {
 public:
  explicit CallNode(int since) : since_(since) {}

  void Set(const std::string& name, Value value) { attributes_[name] = std::move(value); }
  void SetCounts(size_t inputs, size_t outputs) {
    inputs_ = inputs;
    outputs_ = outputs;
  }

  int SinceVersion() const override { return since_; }
  size_t InputCount() const override { return inputs_; }
  size_t OutputCount() const override { return outputs_; }

  Status Get(const char* name, int64_t* value, bool* found) const override {
    return Find(name, value, found);
  }
  Status Get(const char* name, float* value, bool* found) const override {
    return Find(name, value, found);
  }
  Status Get(const char* name, std::string* value, bool* found) const override {
    return Find(name, value, found);
  }
  Status Get(const char* name, std::vector<int64_t>* value, bool* found) const override {
    return Find(name, value, found);
  }
  Status Get(const char* name, std::vector<float>* value, bool* found) const override {
    return Find(name, value, found);
  }
<% if tensor_attributes or compiled %>
  Status Get(const char* name, TensorValue* value, bool* found) const override {
    return Find(name, value, found);
  }
<% endif %>
<% if strings_attributes %>
  Status Get(const char* name, std::vector<std::string>* value, bool* found) const override {
    return Find(name, value, found);
  }
<% endif %>

 private:
  template <class T>
  Status Find(const char* name, T* value, bool* found) const {
    const auto entry = attributes_.find(name);
    if (found != nullptr) *found = entry != attributes_.end();
    if (entry == attributes_.end()) return Status();
    const T* held = std::get_if<T>(&entry->second);
    if (held == nullptr) {
      return InvalidArgument("attribute '" + entry->first + "' is of the wrong kind");
    }
    *value = *held;
    return Status();
  }

  int since_;
  size_t inputs_ = 0;
  size_t outputs_ = 0;
  std::map<std::string, Value> attributes_;
};

}  // namespace <%= ns %>::native
