<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include <vector>

#include "gen/kernels/support/bytes.h"
#include "gen/kernels/support/checks.h"

namespace <%= ns %> {
namespace {

// The smallest and the largest of some numbers and 0, which must be among those that the result has.
struct Range {
  float low = 0;
  float high = 0;

  void Add(float x) {
    if (x < low) low = x;
    if (x > high) high = x;
  }
};

Range FindRange(const float* x, int64_t count, Exec& exec) {
  constexpr int64_t kPiece = 16384;
  std::vector<Range> found(static_cast<size_t>((count + kPiece - 1) / kPiece));
  ParallelFor(exec, static_cast<int64_t>(found.size()), kPiece, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t last = (piece + 1) * kPiece < count ? (piece + 1) * kPiece : count;
      Range range;
      for (int64_t i = piece * kPiece; i < last; ++i) range.Add(x[i]);
      found[static_cast<size_t>(piece)] = range;
    }
  });
  Range all;
  for (const Range& range : found) {
    all.Add(range.low);
    all.Add(range.high);
  }
  return all;
}

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  shapes[0] = inputs[0].shape;  // the others are scalars
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  const float* x = inputs[0].data<float>();
  const Range range = FindRange(x, inputs[0].size(), exec);
  const float scale = range.high > range.low ? (range.high - range.low) / 255.0f : 1.0f;
  const ByteMaker make(DType::kUint8);
  const uint8_t zero_point = make(-range.low / scale, 0);
  if (outputs.has(1)) *outputs[1].data<float>() = scale;
  if (outputs.has(2)) *outputs[2].data<uint8_t>() = zero_point;
  if (!outputs.has(0)) return Status();
  uint8_t* y = outputs[0].data<uint8_t>();
  ParallelFor(exec, inputs[0].size(), 4, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = make(x[i] / scale, zero_point);
  });
  return Status();
}

}  // namespace <%= ns %>
