<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

constexpr int64_t kMostSamples = 1 << 12;  // of a bin, along one axis

// The samples of all bins along one axis of a region.
template <class T>
struct Samples {
  T start;     // of the region
  T bin;       // size of a bin
  T per_bin;   // how many there are in a bin; at most 0 in a region that is turned inside out
  int64_t size;  // of the image

  Samples(T begin, T end, bool whole, int64_t ratio, int64_t bins, int64_t image) : start(begin), size(image) {
    T extent = end - begin;
    if (whole && !(extent > T(1))) extent = T(1);
    bin = extent / static_cast<T>(bins);
    per_bin = ratio > 0 ? static_cast<T>(ratio) : Ceil(bin);
  }

  // Where a sample of a bin lies.
  T Place(int64_t index, int64_t sample) const {
    return start + static_cast<T>(index) * bin + (static_cast<T>(sample) + T(0.5)) * bin / per_bin;
  }
};

// The samples [begin, end) of a bin that may see the image. A region may be far larger than it.
struct Range {
  int64_t begin;
  int64_t end;
};

template <class T>
int64_t Limit(T value, int64_t most) {
  if (!(value > T(0))) return 0;
  return value < static_cast<T>(most) ? static_cast<int64_t>(value) : most;
}

template <class T>
Range RangeOf(const Samples<T>& samples, int64_t index) {
  constexpr int64_t kMost = int64_t{1} << 40;
  const T step = samples.bin / samples.per_bin;
  const T origin = samples.start + static_cast<T>(index) * samples.bin;
  const int64_t count = Limit(samples.per_bin, kMost);
  if (!(step > T(0))) return {0, count < kMostSamples ? count : kMostSamples};
  const int64_t begin = Limit((T(-1) - origin) / step - T(2), count);
  const int64_t end = Limit((static_cast<T>(samples.size) - origin) / step + T(2), count);
  return {begin, end > begin ? end : begin};
}

// Two neighbours along an axis and how much of the second one counts.
template <class T>
struct Between {
  int64_t low = 0;
  int64_t high = 0;
  T part{};
  bool inside = false;

  Between(T place, int64_t size) {
    inside = place >= T(-1) && place <= static_cast<T>(size);
    if (!inside) return;
    if (place < T(0)) place = T(0);
    low = static_cast<int64_t>(place);
    high = low + 1;
    if (low < size - 1) {
      part = place - static_cast<T>(low);
    } else {
      low = high = size - 1;
    }
  }
};

// The planes of the channels [begin, end) of an image, and the same bin of each of them.
template <class T>
struct Channels {
  const T* x;
  int64_t x_step;
  T* y;
  int64_t y_step;
  int64_t count;
};

// Adds a sample to the bins: to their sums, or to the largest of the weighted pixels around a sample,
// which is how ONNX defines the maximum.
template <class T>
void AddSample(const Between<T>& y, const Between<T>& x, int64_t width, bool max, bool first,
               const Channels<T>& channels) {
  const bool inside = y.inside && x.inside;
  const T* above = channels.x + y.low * width;
  const T* below = channels.x + y.high * width;
  const T weights[] = {(T(1) - y.part) * (T(1) - x.part), (T(1) - y.part) * x.part,
                       y.part * (T(1) - x.part), y.part * x.part};
  T* to = channels.y;
  if (!max) {
    for (int64_t c = 0, at = 0; inside && c < channels.count; ++c, at += channels.x_step, to += channels.y_step) {
      *to += weights[0] * above[at + x.low] + weights[1] * above[at + x.high] +
             weights[2] * below[at + x.low] + weights[3] * below[at + x.high];
    }
    return;
  }
  for (int64_t c = 0, at = 0; c < channels.count; ++c, at += channels.x_step, to += channels.y_step) {
    T values[4]{};
    if (inside) {
      values[0] = weights[0] * above[at + x.low];
      values[1] = weights[1] * above[at + x.high];
      values[2] = weights[2] * below[at + x.low];
      values[3] = weights[3] * below[at + x.high];
    }
    if (first) *to = values[0];
    for (T value : values) *to = value > *to ? value : *to;
  }
}

// One bin of all the channels, which hold zeros.
template <class T>
void PoolBin(const Samples<T>& down, const Samples<T>& across, int64_t row, int64_t column, bool max,
             const Channels<T>& channels) {
  if (!(down.per_bin > T(0)) || !(across.per_bin > T(0))) return;
  const Range lines = RangeOf(down, row);
  const Range columns = RangeOf(across, column);
  const T all = down.per_bin * across.per_bin;
  const int64_t visited = (lines.end - lines.begin) * (columns.end - columns.begin);
  bool first = static_cast<T>(visited) == all;  // else those that are left out see the zeros
  for (int64_t i = lines.begin; i < lines.end; ++i) {
    const Between<T> y(down.Place(row, i), down.size);
    for (int64_t j = columns.begin; j < columns.end; ++j) {
      const Between<T> x(across.Place(column, j), across.size);
      AddSample(y, x, across.size, max, first, channels);
      first = false;
    }
  }
  if (max || !(all > T(1))) return;
  for (int64_t c = 0; c < channels.count; ++c) channels.y[c * channels.y_step] /= all;
}

template <class T>
Status Align(const <%= k.attrs %>& attrs, Inputs inputs, const MutableTensor& output, Exec& exec) {
  const Shape& shape = inputs[0].shape;
  const T* x = inputs[0].data<T>();
  const T* rois = inputs[1].data<T>();
  const int64_t* images = inputs[2].data<int64_t>();
  T* y = output.data<T>();
  for (int64_t i = 0; i < output.shape[0]; ++i) {
    if (images[i] < 0 || images[i] >= shape[0]) {
      return InvalidArgument(Text() << "batch_indices has " << images[i] << " for " << shape[0] << " images");
    }
  }
  const int64_t channels = shape[1];
  const int64_t bins = attrs.height * attrs.width;
  const T scale = static_cast<T>(attrs.spatial_scale);
  const T offset = attrs.half_pixel ? T(0.5) : T(0);
  const auto samples = [&](const T* roi, int64_t size, int64_t count) {
    return Samples<T>(roi[0] * scale - offset, roi[2] * scale - offset, !attrs.half_pixel,
                      attrs.sampling_ratio, count, size);
  };
  const int64_t plane = shape[2] * shape[3];
  ParallelFor(exec, output.shape[0] * channels, bins * 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * bins; i < end * bins; ++i) y[i] = T{};
    while (begin < end) {  // region by region
      const int64_t n = begin / channels;
      const int64_t channel = begin % channels;
      const int64_t rest = end - begin < channels - channel ? end - begin : channels - channel;
      const T* roi = rois + n * 4;
      const Samples<T> across = samples(roi, shape[3], attrs.width);
      const Samples<T> down = samples(roi + 1, shape[2], attrs.height);
      const T* from = x + (images[n] * channels + channel) * plane;
      for (int64_t b = 0; b < bins; ++b) {
        const Channels<T> bin{from, plane, y + begin * bins + b, bins, rest};
        PoolBin(down, across, b / attrs.width, b % attrs.width, attrs.max, bin);
      }
      begin += rest;
    }
  });
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  constexpr const char* kModes[] = {"avg", "max"};
  constexpr const char* kTransformations[] = {"half_pixel", "output_half_pixel"};
  size_t mode = 0;
  size_t transformation = node.SinceVersion() < 16 ? 1 : 0;
  EP_RETURN_IF_ERROR(ReadChoice(node, "mode", kModes, &mode));
  EP_RETURN_IF_ERROR(ReadChoice(node, "coordinate_transformation_mode", kTransformations, &transformation));
  EP_RETURN_IF_ERROR(node.Get("output_height", &attrs.height));
  EP_RETURN_IF_ERROR(node.Get("output_width", &attrs.width));
  EP_RETURN_IF_ERROR(node.Get("sampling_ratio", &attrs.sampling_ratio));
  EP_RETURN_IF_ERROR(node.Get("spatial_scale", &attrs.spatial_scale));
  attrs.max = mode == 1;
  attrs.half_pixel = transformation == 0;
  if (attrs.sampling_ratio > kMostSamples) return NotImplemented(Text() << "a sampling_ratio of " << attrs.sampling_ratio);
  if (attrs.height >= 1 && attrs.width >= 1 && attrs.sampling_ratio >= 0) {
    return CheckShape({attrs.height, attrs.width, 64});
  }
  return InvalidArgument("output_height, output_width or sampling_ratio is too small");
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& x = inputs[0].shape;
  const Shape& rois = inputs[1].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(CheckRank(x, 4, "X"));
  EP_RETURN_IF_ERROR(CheckRank(rois, 2, "rois"));
  if (rois[1] != 4 || !IsVectorOf(rois[0], inputs[2].shape)) {
    return InvalidArgument(Text() << "rois of shape " << rois << " do not fit batch_indices of shape " << inputs[2].shape);
  }
  shapes[0] = {rois[0], x[1], attrs.height, attrs.width};
  if (inputs[0].size() == 0 && ElementCount(shapes[0]) != 0) {
    return InvalidArgument(Text() << "X of shape " << x << " has nothing to pool");
  }
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  if (outputs[0].size() == 0) return Status();
  switch (inputs[0].dtype) {
<%= cases(k.t, "Align", "attrs, inputs, outputs[0], exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
