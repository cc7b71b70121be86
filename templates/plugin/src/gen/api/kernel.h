<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
<% if packing %>
#include <type_traits>
<% endif %>
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
<% if packing %>

  // A kernel may read an input that never changes in a form of its own, which is made once. How
  // many bytes that form of `constant` takes; 0: the input is read as it is.
  virtual size_t PackedSize(size_t /*input*/, const Tensor& /*constant*/) const { return 0; }
  // Makes that form. Every call then gets a tensor without data, with `packed` instead.
  virtual void Pack(size_t /*input*/, const Tensor& /*constant*/, void* /*to*/) const {}
<% endif %>
};
<% if packing %>

// Whether an op has the two functions for that, found by its struct of attributes:
//   size_t PackedSize(const Attrs&, size_t input, const Tensor& constant);
//   void Pack(const Attrs&, size_t input, const Tensor& constant, void* to);
template <class Attrs, class = void>
struct HasPack : std::false_type {};
template <class Attrs>
struct HasPack<Attrs, std::void_t<decltype(PackedSize(std::declval<const Attrs&>(), size_t{},
                                                      std::declval<const Tensor&>()))>>
    : std::true_type {};

template <class Attrs>
size_t PackedSizeOf(const Attrs& attrs, size_t input, const Tensor& constant) {
  if constexpr (HasPack<Attrs>::value) return PackedSize(attrs, input, constant);
  return 0;
}
template <class Attrs>
void PackTo(const Attrs& attrs, size_t input, const Tensor& constant, void* to) {
  if constexpr (HasPack<Attrs>::value) Pack(attrs, input, constant, to);
}
<% endif %>

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
<% if packing %>
  size_t PackedSize(size_t input, const Tensor& constant) const override {
    return PackedSizeOf(attrs_, input, constant);
  }
  void Pack(size_t input, const Tensor& constant, void* to) const override {
    PackTo(attrs_, input, constant, to);
  }
<% endif %>

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
