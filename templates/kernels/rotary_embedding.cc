<% from "kernels/parts.inc" import read, cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/rotary.h"

namespace <%= ns %> {
namespace {

constexpr const char* kOp = <%= k.label | cpp_string %>;

enum In : size_t { kX, kCosines, kSines, kPositions };

struct Problem {
  int64_t batches = 0;
  int64_t tokens = 0;  // per batch
  int64_t heads = 0;
  int64_t head_size = 0;
  int64_t half = 0;  // of the elements that are turned
  bool packed = false;  // the heads of a token are side by side
};

// The tables have a row per position, or, where no positions are given, per token.
Status CheckTable(Inputs inputs, size_t table, const Problem& problem) {
  const Shape& shape = inputs[table].shape;
  if (inputs.has(kPositions)) {
    const bool fits = shape.size() == 2 && shape[1] == problem.half;
    return fits ? Status() : BadShape(kOp, table, shape, "must be (positions, half of what is turned)");
  }
  const bool fits = shape == Shape{problem.batches, problem.tokens, problem.half};
  return fits ? Status() : BadShape(kOp, table, shape, "must be (batch, sequence, half of what is turned)");
}

Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Problem* problem) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& x = inputs[kX].shape;
  if (x.size() == 4) {
    *problem = {x[0], x[2], x[1], x[3], 0, false};
  } else if (x.size() == 3) {
    if (attrs.num_heads <= 0) return InvalidArgument("three dimensions need the attribute num_heads");
    if (x[2] % attrs.num_heads != 0) return BadShape(kOp, kX, x, "must be divided by num_heads");
    *problem = {x[0], x[1], attrs.num_heads, x[2] / attrs.num_heads, 0, true};
  } else {
    return BadShape(kOp, kX, x, "must have three or four dimensions");
  }
  EP_RETURN_IF_ERROR(CheckShape({problem->batches, problem->tokens, problem->heads, problem->head_size}));
  const int64_t turned = attrs.rotary_embedding_dim == 0 ? problem->head_size : attrs.rotary_embedding_dim;
  if (turned < 0 || turned > problem->head_size || turned % 2 != 0) {
    return InvalidArgument(Text() << turned << " elements of a head of " << problem->head_size << " cannot be turned in pairs");
  }
  problem->half = turned / 2;
  if (inputs.has(kPositions) && inputs[kPositions].shape != Shape{problem->batches, problem->tokens}) {
    return BadShape(kOp, kPositions, inputs[kPositions].shape, "must be (batch, sequence)");
  }
  EP_RETURN_IF_ERROR(CheckTable(inputs, kCosines, *problem));
  EP_RETURN_IF_ERROR(CheckTable(inputs, kSines, *problem));
  if (inputs[kCosines].shape != inputs[kSines].shape) {
    return BadShape(kOp, kSines, inputs[kSines].shape, "must be that of the cosines");
  }
  return Status();
}

template <class T>
Status Rotate(const <%= k.attrs %>& attrs, const Problem& problem, Inputs inputs, Outputs outputs, Exec& exec) {
  const T* x = inputs[kX].data<T>();
  const T* cosines = inputs[kCosines].data<T>();
  const T* sines = inputs[kSines].data<T>();
  const int64_t* positions = inputs.has(kPositions) ? inputs[kPositions].data<int64_t>() : nullptr;
  T* y = outputs[0].data<T>();
  const int64_t size = problem.head_size;
  const int64_t rows = problem.batches * problem.tokens * problem.heads;
  ParallelFor(exec, rows, 2 * size, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t batch = row / (problem.tokens * problem.heads);
      const int64_t in_batch = row % (problem.tokens * problem.heads);
      const int64_t token = batch * problem.tokens + (problem.packed ? in_batch / problem.heads : in_batch % problem.tokens);
      const int64_t angles = (positions == nullptr ? token : positions[token]) * problem.half;
      const T* from = x + row * size;
      T* to = y + row * size;
      RotatePairs(from, cosines + angles, sines + angles, problem.half, attrs.interleaved != 0, to);
      for (int64_t i = 2 * problem.half; i < size; ++i) to[i] = from[i];
    }
  });
  return Status();
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Problem problem;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &problem));
  shapes[0] = inputs[kX].shape;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Problem problem;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &problem));
  if (inputs.has(kPositions)) {
    const Tensor& positions = inputs[kPositions];
    const int64_t known = inputs[kCosines].shape[0];
    for (int64_t i = 0; i < positions.size(); ++i) {
      const int64_t position = positions.data<int64_t>()[i];
      if (position < 0 || position >= known) {
        return InvalidArgument(Text() << "position " << position << " is out of range for " << known << " rows of cosines");
      }
    }
  }
  switch (inputs[kX].dtype) {
<%= cases(k.t, "Rotate", "attrs, problem, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(kOp, inputs[kX].dtype);
  }
}

}  // namespace <%= ns %>
