<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gen/api/node.h"
#include "gen/api/tensor.h"

namespace <%= ns %> {

// Bytes that somebody keeps alive: a constant copied out of a model, or a part of a blob that was
// read. Copies share the bytes.
struct SharedBytes {
  std::shared_ptr<const void> owner;
  const unsigned char* data = nullptr;
  size_t size = 0;
};

// An attribute of a node; `kind` says which member holds it.
struct Attribute {
  enum class Kind : uint8_t { kInt, kFloat, kString, kInts, kFloats, kTensor<% if strings_attributes %>, kStrings<% endif %> };

  std::string name;
  Kind kind = Kind::kInt;
  int64_t number = 0;
  float real = 0;
  std::string text;
  std::vector<int64_t> numbers;
  std::vector<float> reals;
  TensorValue tensor;
<% if strings_attributes %>
  std::vector<std::string> texts;
<% endif %>
};

// A value of a graph: something computed, an input, or a constant.
struct GraphValue {
  std::string name;
  DType dtype = DType::kUndefined;
  bool has_shape = false;
  Shape shape;  // -1 for a dimension that is known only at run time
};

// A constant of the model, owned by us: the runtime may free its own copy.
struct GraphConstant {
  uint32_t value = 0;  // index into Graph::values, which has its type and shape
  SharedBytes bytes;
};

struct GraphNode {
  // Stands for an optional input that was left out, or an output that nobody wants.
  static constexpr uint32_t kAbsent = UINT32_MAX;

  std::string name;
  std::string domain;
  std::string op;
  int since = 0;  // the version of the schema that the node follows
  std::vector<Attribute> attributes;
  std::vector<uint32_t> inputs;  // indices into Graph::values, or kAbsent; positions never shift
  std::vector<uint32_t> outputs;
};
<% if patterns %>

// Nodes that form a pattern of the blueprint, in the order of the chain.
struct PatternMatch {
  std::string pattern;
  std::vector<uint32_t> nodes;  // indices into Graph::nodes
};
<% endif %>

// A group of nodes to be compiled, free of anything of the runtime's.
struct Graph {
  std::string name;
  std::vector<GraphValue> values;
  std::vector<GraphNode> nodes;          // in an order in which they can be computed
  std::vector<uint32_t> inputs;          // what a run is given, indices into values
  std::vector<uint32_t> outputs;         // what a run gives back; may be inner values, too
  std::vector<GraphConstant> constants;  // what a run is not given
<% if patterns %>
  std::vector<PatternMatch> patterns;
<% endif %>
};

}  // namespace <%= ns %>
