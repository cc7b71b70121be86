<%= banner %>
#include "gen/kernels/support/broadcast.h"

#include <cstddef>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/text.h"

namespace <%= ns %> {
namespace {

// Shapes are aligned at their innermost dimension; what is missing in front counts as 1.
int64_t DimFromTheRight(const Shape& shape, size_t position) {
  return position < shape.size() ? shape[shape.size() - 1 - position] : 1;
}

// Can dimension `d`, the innermost so far, and one further out be walked as one?
template <int most>
bool Joins(const BroadcastOf<most>& made, int d, const int64_t* outer_strides, int count) {
  for (int k = 0; k < count; ++k) {
    if (outer_strides[k] != made.strides[k][d] * made.dims[d]) return false;
  }
  return true;
}

// The usual cases need no arithmetic: every operand has the shape of the output and moves on with
// it, or is one number that serves all.
bool Walks(const Operand* operands, int count, const Shape& out, int64_t* steps) {
  for (int k = 0; k < count; ++k) {
    const Shape& shape = *operands[k].shape;
    steps[k] = shape == out ? 1 : 0;
    if (steps[k] == 0 && !shape.empty()) return false;
  }
  return true;
}

}  // namespace

Status BroadcastShapes(Inputs inputs, Shapes& shapes) {
  if (inputs.size() < 2 || (inputs.size() == 2 && inputs[0].shape == inputs[1].shape)) {
    shapes[0] = inputs[0].shape;
    return Status();
  }
  EP_RETURN_IF_ERROR(CommonShape(inputs[0].shape, inputs[1].shape, &shapes[0]));
  for (size_t i = 2; i < inputs.size(); ++i) {
    const Shape so_far = shapes[0];
    EP_RETURN_IF_ERROR(CommonShape(so_far, inputs[i].shape, &shapes[0]));
  }
  return Status();
}

template <int most>
Status MakeBroadcast(const char* op, const Shape& out, const Operand* operands, int count,
                     BroadcastOf<most>& broadcast) {
  // Built from the innermost dimension outwards, then turned round.
  BroadcastOf<most> made;
  int rank = 0;
  int64_t sizes[most];
  for (int k = 0; k < count; ++k) {
    const Shape& shape = *operands[k].shape;
    sizes[k] = 1;
    for (size_t position = 0; position < shape.size(); ++position) {
      const int64_t dim = DimFromTheRight(shape, position);
      if (dim != 1 && (position >= out.size() || dim != DimFromTheRight(out, position))) {
        return BadShape(op, static_cast<size_t>(k), shape,
                        (Text() << "does not broadcast to " << out).c_str());
      }
    }
  }
  for (size_t position = 0; position < out.size(); ++position) {
    const int64_t dim = DimFromTheRight(out, position);
    if (dim == 1) continue;
    int64_t strides[most];
    for (int k = 0; k < count; ++k) {
      const int64_t own = DimFromTheRight(*operands[k].shape, position);
      strides[k] = own == 1 ? 0 : sizes[k];
      sizes[k] *= own;
    }
    if (rank > 0 && Joins(made, rank - 1, strides, count)) {
      made.dims[rank - 1] *= dim;
      continue;
    }
    if (rank == Broadcast::kMaxRank) {
      return NotImplemented(Text() << op << ": broadcasting to " << out << " takes more than " << int64_t{Broadcast::kMaxRank} << " dimensions");
    }
    made.dims[rank] = dim;
    for (int k = 0; k < count; ++k) made.strides[k][rank] = strides[k];
    ++rank;
  }
  if (rank == 0) {
    broadcast = made;  // a single element
    return Status();
  }
  broadcast.rank = rank;
  for (int d = 0; d < rank; ++d) {
    broadcast.dims[d] = made.dims[rank - 1 - d];
    for (int k = 0; k < count; ++k) broadcast.strides[k][d] = made.strides[k][rank - 1 - d];
  }
  return Status();
}

template Status MakeBroadcast(const char*, const Shape&, const Operand*, int, Broadcast&);
<% if operands != 3 %>
template Status MakeBroadcast(const char*, const Shape&, const Operand*, int, BroadcastOf<<%= operands %>>&);
<% endif %>

Status RunRows(const char* op, const Operand* operands, int count, const MutableTensor& y,
               int64_t cost, Loop loop, const void* function, Exec& exec) {
  int64_t steps[Broadcast::kMaxOperands] = {};
  if (Walks(operands, count, y.shape, steps)) {
    ParallelFor(exec, y.size(), cost, [&](int64_t begin, int64_t end) {
      const void* in[Broadcast::kMaxOperands] = {};
      for (int k = 0; k < count; ++k) {
        in[k] = static_cast<const char*>(operands[k].raw) +
                steps[k] * begin * static_cast<int64_t>(SizeOf(operands[k].dtype));
      }
      char* out = y.data<char>() + begin * static_cast<int64_t>(SizeOf(y.dtype));
      loop(function, in, steps, out, end - begin);
    });
    return Status();
  }
  Broadcast broadcast;
  EP_RETURN_IF_ERROR(MakeBroadcast(op, y.shape, operands, count, broadcast));
  for (int k = 0; k < count; ++k) steps[k] = broadcast.strides[k][broadcast.rank - 1];
  const int64_t y_bytes = static_cast<int64_t>(SizeOf(y.dtype));
  ParallelFor(exec, y.size(), cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      int64_t at[Broadcast::kMaxOperands];
      const int64_t left = broadcast.Locate(i, count, at);
      const int64_t n = left < end - i ? left : end - i;
      const void* in[Broadcast::kMaxOperands] = {};
      for (int k = 0; k < count; ++k) {
        in[k] = static_cast<const char*>(operands[k].raw) +
                at[k] * static_cast<int64_t>(SizeOf(operands[k].dtype));
      }
      loop(function, in, steps, y.data<char>() + i * y_bytes, n);
      i += n;
    }
  });
  return Status();
}

}  // namespace <%= ns %>
