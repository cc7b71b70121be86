<%= banner %>
#pragma once

#include <vector>

#include "gen/api/status.h"
#include "gen/api/tensor.h"

// Tensors whose channels come last (NHWC), checked and measured by the code for those whose channels
// come second (NCHW).
namespace <%= ns %> {

// The shape that a tensor has in the other layout: the channels go to the second place, or to the
// last one.
Shape NchwShape(const Shape& nhwc);
Shape NhwcShape(const Shape& nchw);

// Inputs of which the first has its channels last, with the shape that it has when they come second.
// Only the shape: the elements stay where they are.
class NchwInputs {
 public:
  explicit NchwInputs(Inputs nhwc);
  NchwInputs(const NchwInputs&) = delete;
  NchwInputs& operator=(const NchwInputs&) = delete;

  Inputs get() const noexcept { return {items_.data(), items_.size()}; }

 private:
  Tensor first_;
  std::vector<const Tensor*> items_;
};

// Infers the shapes of the same node with its channels second, and puts those of the first output
// last.
template <class Attrs>
Status InferNhwcShapes(const Attrs& attrs, Inputs inputs, Shapes& shapes) {
  const NchwInputs seen(inputs);
  EP_RETURN_IF_ERROR(InferShapes(attrs, seen.get(), shapes));
  shapes[0] = NhwcShape(shapes[0]);
  return Status();
}

}  // namespace <%= ns %>
