<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"
#include "gen/kernels/support/broadcast.h"

// Kernels of operators that an expression defines: any number of inputs, each of a type of its own,
// present or left out, that are broadcast to one shape.
namespace <%= ns %> {

// As many inputs as a kernel takes.
inline constexpr size_t kMaxInputs = <%= operands %>;

using PointwiseBroadcast = BroadcastOf<kMaxInputs>;

// An error, with the reason, when a node has more inputs than that.
Status CheckInputCount(const char* op, size_t count);

// Fails unless there are at least `least` inputs, not too many, and all of them there but those of
// the mask `optional`.
Status CheckPresent(const char* op, Inputs inputs, size_t least, uint64_t optional);

// The element type that the inputs and outputs of two masks have in common, or an error that names
// the first of another type. What is left out has no say: without any, it stays as it is.
Status CommonType(const char* op, Inputs inputs, uint64_t input_mask, Outputs outputs,
                  uint64_t output_mask, DType* dtype);

// Fails unless all of them are of that type; of any, but the same, for kUndefined.
Status CheckType(const char* op, Inputs inputs, uint64_t input_mask, Outputs outputs,
                 uint64_t output_mask, DType dtype);

// All outputs have the shape that the inputs that are there are broadcast to; without any, they are
// scalars.
Status BroadcastToAll(Inputs inputs, Shapes& shapes);

// How all inputs meet in a shape. One that was left out counts as a scalar.
Status MakeBroadcast(const char* op, const Shape& out, Inputs inputs,
                     PointwiseBroadcast& broadcast);

// Computes `count` elements of `out` from as many of each of the inputs: one after another, also
// where a single element serves all, and zeros where an input was left out. `function` is the
// caller's own.
using PointwiseLoop = void (*)(const void* function, const void* const* in, int64_t inputs,
                               void* out, int64_t count);

// Runs a loop over y, on the threads of the host.
Status RunPointwise(const char* op, Inputs inputs, const MutableTensor& y, int64_t cost,
                    PointwiseLoop loop, const void* function, Exec& exec);

#ifdef EP_ON_DEVICE

// Where the inputs are, by value for the device.
struct Pointers {
  const void* data[kMaxInputs] = {};

  explicit Pointers(Inputs inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs.has(i)) data[i] = inputs[i].raw;
    }
  }

  // The element of an input at its place in `at`; zero of one that was left out.
  template <class T>
  EP_DEVICE T At(int input, const int64_t* at) const {
    return data[input] == nullptr ? T() : static_cast<const T*>(data[input])[at[input]];
  }
};

#endif

}  // namespace <%= ns %>
