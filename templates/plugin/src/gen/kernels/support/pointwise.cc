<%= banner %>
#include "gen/kernels/support/pointwise.h"

#include <cstring>
#include <vector>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/text.h"

namespace <%= ns %> {
namespace {

// Elements of a repeated input that lie ready at a time.
constexpr int64_t kTile = 256;
constexpr int64_t kWidest = 8;  // bytes of an element

bool Named(uint64_t mask, size_t position) { return position < 64 && (mask >> position & 1) != 0; }

int64_t Bytes(DType dtype) { return static_cast<int64_t>(SizeOf(dtype)); }

// Writes an element `count` times, `count` being at least 1.
void Repeat(const void* element, int64_t bytes, int64_t count, char* tile) {
  const int64_t total = bytes * count;
  std::memcpy(tile, element, static_cast<size_t>(bytes));
  for (int64_t done = bytes; done < total;) {
    const int64_t more = done < total - done ? done : total - done;
    std::memcpy(tile + done, tile, static_cast<size_t>(more));
    done += more;
  }
}

// A loop and what it runs over.
struct Pointwise {
  PointwiseLoop loop;
  const void* function;
  Inputs inputs;
  const MutableTensor& y;
  PointwiseBroadcast broadcast;
  bool repeats;  // some input is left out, or one element of it serves a whole row

  int count() const { return static_cast<int>(inputs.size()); }
  int64_t step(int k) const {
    return inputs.has(static_cast<size_t>(k)) ? broadcast.strides[k][broadcast.rank - 1] : 0;
  }

  void Run(int64_t begin, int64_t end) const;
  void RunRow(const void** in, char* out, int64_t length, char* tiles) const;
};

// Repeats what is repeated piece by piece, so that the loop, which the compiler vectorises, is the
// same whatever the shapes are.
void Pointwise::RunRow(const void** in, char* out, int64_t length, char* tiles) const {
  for (int k = 0; k < count(); ++k) {
    if (step(k) != 0) continue;
    char* tile = tiles + k * kTile * kWidest;
    const int64_t ready = length < kTile ? length : kTile;
    const Tensor* input = inputs.at(static_cast<size_t>(k));
    if (input == nullptr) {
      std::memset(tile, 0, static_cast<size_t>(ready * kWidest));
    } else {
      Repeat(in[k], Bytes(input->dtype), ready, tile);
    }
    in[k] = tile;
  }
  for (int64_t done = 0; done < length; done += kTile) {
    const int64_t n = length - done < kTile ? length - done : kTile;
    loop(function, in, count(), out + done * Bytes(y.dtype), n);
    for (int k = 0; k < count(); ++k) {
      if (step(k) == 0) continue;
      in[k] = static_cast<const char*>(in[k]) + n * Bytes(inputs[static_cast<size_t>(k)].dtype);
    }
  }
}

void Pointwise::Run(int64_t begin, int64_t end) const {
  alignas(kWidest) char tiles[kMaxInputs * kTile * kWidest];
  for (int64_t i = begin; i < end;) {
    int64_t at[kMaxInputs];
    const int64_t left = broadcast.Locate(i, count(), at);
    const int64_t n = left < end - i ? left : end - i;
    const void* in[kMaxInputs];
    for (int k = 0; k < count(); ++k) {
      const Tensor* input = inputs.at(static_cast<size_t>(k));
      in[k] = input == nullptr ? nullptr : input->data<char>() + at[k] * Bytes(input->dtype);
    }
    char* out = y.data<char>() + i * Bytes(y.dtype);
    if (repeats) {
      RunRow(in, out, n, tiles);
    } else {
      loop(function, in, count(), out, n);
    }
    i += n;
  }
}

}  // namespace

Status CheckInputCount(const char* op, size_t count) {
  if (count <= kMaxInputs) return Status();
  return NotImplemented(Text() << op << ": " << count << " inputs, and at most "
                               << kMaxInputs << " are computed");
}

Status CheckPresent(const char* op, Inputs inputs, size_t least, uint64_t optional) {
  EP_RETURN_IF_ERROR(CheckInputCount(op, inputs.size()));
  const size_t count = inputs.size() < least ? least : inputs.size();
  for (size_t i = 0; i < count; ++i) {
    if (!inputs.has(i) && !Named(optional, i)) {
      return InvalidArgument(Text() << op << ": input " << i << " is missing");
    }
  }
  return Status();
}

Status CommonType(const char* op, Inputs inputs, uint64_t input_mask, Outputs outputs,
                  uint64_t output_mask, DType* dtype) {
  const auto agrees = [&](const char* what, size_t i, DType own) {
    if (*dtype == DType::kUndefined) *dtype = own;
    if (own == *dtype) return Status();
    return InvalidArgument(Text() << op << ": " << what << " " << i << " is " << NameOf(own)
                                  << ", and must be " << NameOf(*dtype));
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!Named(input_mask, i) || !inputs.has(i)) continue;
    EP_RETURN_IF_ERROR(agrees("input", i, inputs[i].dtype));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!Named(output_mask, i) || !outputs.has(i)) continue;
    EP_RETURN_IF_ERROR(agrees("output", i, outputs[i].dtype));
  }
  return Status();
}

Status CheckType(const char* op, Inputs inputs, uint64_t input_mask, Outputs outputs,
                 uint64_t output_mask, DType dtype) {
  return CommonType(op, inputs, input_mask, outputs, output_mask, &dtype);
}

Status BroadcastToAll(Inputs inputs, Shapes& shapes) {
  Shape common;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs.has(i)) continue;
    const Shape so_far = common;
    EP_RETURN_IF_ERROR(CommonShape(so_far, inputs[i].shape, &common));
  }
  for (Shape& shape : shapes) shape = common;
  return Status();
}

Status MakeBroadcast(const char* op, const Shape& out, Inputs inputs,
                     PointwiseBroadcast& broadcast) {
  const Tensor scalar;
  std::vector<Operand> operands;
  operands.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) operands.emplace_back(inputs.has(i) ? inputs[i] : scalar);
  return MakeBroadcast(op, out, operands.data(), static_cast<int>(operands.size()), broadcast);
}

Status RunPointwise(const char* op, Inputs inputs, const MutableTensor& y, int64_t cost,
                    PointwiseLoop loop, const void* function, Exec& exec) {
  Pointwise all{loop, function, inputs, y, PointwiseBroadcast(), false};
  EP_RETURN_IF_ERROR(MakeBroadcast(op, y.shape, inputs, all.broadcast));
  for (int k = 0; k < all.count(); ++k) all.repeats = all.repeats || all.step(k) == 0;
  ParallelFor(exec, y.size(), cost, [&](int64_t begin, int64_t end) { all.Run(begin, end); });
  return Status();
}

}  // namespace <%= ns %>
