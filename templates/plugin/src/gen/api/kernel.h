<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "gen/api/exec.h"
#include "gen/api/node.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

namespace <%= ns %> {

// A kernel made for one node. Immutable, so one kernel may run on several threads at once.
class Kernel {
 public:
  Kernel& operator=(Kernel&&) = delete;  // and so no copies
  virtual ~Kernel() = default;

  // Sets the shape of every output; on entry `shapes` has one empty shape per output of the node.
  // All required inputs are there.
  virtual Status Infer(Inputs inputs, Shapes& shapes) const = 0;
  // Computes. Not called when every output is empty.
  virtual Status Run(Inputs inputs, Outputs outputs, Exec& exec) const = 0;
};

// An op is a struct of attributes and three functions found by it:
//   Status Read(const Node&, Attrs&);        an error refuses the node; its text is the reason
//   Status InferShapes(const Attrs&, Inputs, Shapes&);
//   Status Compute(const Attrs&, Inputs, Outputs, Exec&);
template <class Attrs>
class KernelOf final : public Kernel {
 public:
  static Status Make(const Node& node, std::unique_ptr<Kernel>& kernel) {
    auto made = std::make_unique<KernelOf>();
    EP_RETURN_IF_ERROR(Read(node, made->attrs_));
    kernel = std::move(made);
    return Status();
  }

  Status Infer(Inputs inputs, Shapes& shapes) const override {
    return InferShapes(attrs_, inputs, shapes);
  }
  Status Run(Inputs inputs, Outputs outputs, Exec& exec) const override {
    return Compute(attrs_, inputs, outputs, exec);
  }

 private:
  Attrs attrs_;
};

// The masks of rows and rules: bit i speaks of input or output i.
inline constexpr size_t kMaskBits = 64;
constexpr bool HasBit(uint64_t mask, size_t index) noexcept {
  return index < kMaskBits && (mask >> index & 1) != 0;
}

// The element types that one type constraint of an op's schema is registered for. All positions of
// a constraint have the same type<% if masks %>; without a constraint, the schema fixes the type of each<% endif %>.
struct TypeRule {
  const char* constraint;
  const DType* types;
  size_t count;
<% if masks %>
  uint64_t inputs;  // bit i: input i is of this constraint
  uint64_t outputs;
<% endif %>
};

// One kernel of the library. The same row serves the claim of a node, the registration, the
// dispatch and the tests, so they cannot disagree.
struct KernelRow {
  const char* domain;
  const char* op;
  int since;  // the schema version that the kernel implements, exactly
  const TypeRule* rules;
  size_t rule_count;
  uint64_t needed_inputs;  // bit i: input i must be there
<% if masks %>
  uint64_t needed_outputs;
<% endif %>
  size_t output_count;     // at most this many outputs
  uint64_t host_inputs;    // bit i: input i is read on the host
  uint64_t host_outputs;
  bool ready;  // a row that is not ready is neither registered nor claimed
<% if compiled %>
  bool compiled;    // may be part of a group that is compiled
  bool registered;  // has a kernel that ORT calls
<% endif %>
  Status (*make)(const Node& node, std::unique_ptr<Kernel>& kernel);
};

// The rows of a library, sorted by domain, op and version.
struct KernelTable {
  const KernelRow* rows;
  size_t count;
};

}  // namespace <%= ns %>
