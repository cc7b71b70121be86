<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// A region along one axis, in pixels of the image.
template <class T>
struct Extent {
  int64_t start;
  T bin;
  int64_t size;  // of the image

  Extent(T begin, T end, int64_t bins, int64_t image) : start(Pixel(begin)), size(image) {
    const int64_t length = Pixel(end) - start + 1;
    bin = static_cast<T>(length > 1 ? length : 1) / static_cast<T>(bins);
  }

  // The nearest pixel, halves away from zero. A region may be anywhere.
  static int64_t Pixel(T place) {
    constexpr T kFar = T(1 << 30);
    if (!(place > -kFar)) return -(1 << 30);
    if (place > kFar) return 1 << 30;
    return static_cast<int64_t>(place < T(0) ? Ceil(place - T(0.5)) : Floor(place + T(0.5)));
  }

  int64_t Clip(int64_t pixel) const {
    return pixel < 0 ? 0 : (pixel < size ? pixel : size);
  }
  int64_t Begin(int64_t index) const {
    return Clip(start + static_cast<int64_t>(Floor(static_cast<T>(index) * bin)));
  }
  int64_t End(int64_t index) const {
    return Clip(start + static_cast<int64_t>(Ceil(static_cast<T>(index + 1) * bin)));
  }
};

// The largest pixel of a bin; 0 for one that lies outside of the image.
template <class T>
T PoolBin(const Extent<T>& down, const Extent<T>& across, int64_t row, int64_t column,
          const T* plane) {
  bool first = true;
  T largest{};
  for (int64_t y = down.Begin(row); y < down.End(row); ++y) {
    for (int64_t x = across.Begin(column); x < across.End(column); ++x) {
      const T value = plane[y * across.size + x];
      if (first || value > largest) largest = value;
      first = false;
    }
  }
  return largest;
}

template <class T>
Status Pool(const <%= k.attrs %>& attrs, Inputs inputs, const MutableTensor& output, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const T* x = inputs[0].data<T>();
  const T* rois = inputs[1].data<T>();
  T* y = output.data<T>();
  for (int64_t i = 0; i < output.shape[0]; ++i) {
    if (rois[i * 5] > T(-1) && rois[i * 5] < static_cast<T>(shape[0])) continue;
    return InvalidArgument(Text() << "region " << i << " belongs to none of the " << shape[0] << " images");
  }
  const int64_t channels = shape[1];
  const int64_t bins = attrs.height * attrs.width;
  const T scale = static_cast<T>(attrs.spatial_scale);
  const int64_t cost = bins + shape[2] * shape[3];
  ParallelFor(exec, output.shape[0] * channels, cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* roi = rois + i / channels * 5;
      const Extent<T> across(roi[1] * scale, roi[3] * scale, attrs.width, shape[3]);
      const Extent<T> down(roi[2] * scale, roi[4] * scale, attrs.height, shape[2]);
      const int64_t image = static_cast<int64_t>(roi[0]);
      const T* plane = x + (image * channels + i % channels) * shape[2] * shape[3];
      for (int64_t b = 0; b < bins; ++b) {
        y[i * bins + b] = PoolBin(down, across, b / attrs.width, b % attrs.width, plane);
      }
    }
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  std::vector<int64_t> pooled;
  EP_RETURN_IF_ERROR(node.Get("pooled_shape", &pooled));
  EP_RETURN_IF_ERROR(node.Get("spatial_scale", &attrs.spatial_scale));
  if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1) {
    return InvalidArgument(Text() << "pooled_shape is " << pooled);
  }
  attrs.height = pooled[0];
  attrs.width = pooled[1];
  return CheckShape(pooled);
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  const Shape& rois = inputs[1].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(CheckRank(x, 4, "X"));
  EP_RETURN_IF_ERROR(CheckRank(rois, 2, "rois"));
  if (rois[1] != 5) return InvalidArgument(Text() << "rois must have rows of 5, not shape " << rois);
  shapes[0] = {rois[0], x[1], attrs.height, attrs.width};
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  if (outputs[0].size() == 0) return Status();
  switch (inputs[0].dtype) {
<%= cases(k.t, "Pool", "attrs, inputs, outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
