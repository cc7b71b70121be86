<%= banner %>
#include "gen/kernels/support/resample.h"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// The place in the input that place `i` of the output is made of. In float32, as other runtimes have
// it, so that halves are rounded the same way.
float PlaceOf(Sampling::Transformation transformation, const ResizedAxis& axis, int64_t i) {
  const float at = static_cast<float>(i);
  const float last = static_cast<float>(axis.input - 1);
  switch (transformation) {
    case Sampling::Transformation::kAsymmetric:
      return at / axis.scale;
    case Sampling::Transformation::kTfHalfPixelForNn:
      return (at + 0.5f) / axis.scale;
    case Sampling::Transformation::kPytorchHalfPixel:
      return axis.output > 1 ? (at + 0.5f) / axis.scale - 0.5f : 0.0f;
    // The size before it was made whole, not after it as ONNX Runtime's CPU provider has it: so the
    // last element of a smaller output need not be the last one of the input. ONNX's own tests and
    // reference have it this way.
    case Sampling::Transformation::kAlignCorners:
      return axis.resized == 1.0f ? 0.0f : at * last / (axis.resized - 1.0f);
    case Sampling::Transformation::kTfCropAndResize: {
      const float extent = axis.roi_end - axis.roi_begin;
      if (axis.output == 1) return extent * last / 2 + axis.roi_begin * last;
      return axis.roi_begin * last + at * extent * last / static_cast<float>(axis.output - 1);
    }
    case Sampling::Transformation::kHalfPixelSymmetric: {
      const float adjustment = static_cast<float>(axis.output) / axis.resized;
      const float offset = static_cast<float>(axis.input) / 2 * (1 - adjustment);
      return offset + (at + 0.5f) / axis.scale - 0.5f;
    }
    default:
      return (at + 0.5f) / axis.scale - 0.5f;
  }
}

// The element that is nearest to a place.
int64_t Round(Sampling::Rounding rounding, float scale, float place) {
  const float below = Floor(place);
  bool up = place > below;
  if (rounding == Sampling::Rounding::kPreferFloor) up = place - below > 0.5f;
  if (rounding == Sampling::Rounding::kPreferCeil) up = place - below >= 0.5f;
  if (rounding == Sampling::Rounding::kFloor) up = false;
  if (rounding == Sampling::Rounding::kSimple && scale >= 1.0f) up = false;
  return static_cast<int64_t>(below) + (up ? 1 : 0);
}

// The weight of an element at a distance.
double WeightAt(const Sampling& sampling, double distance) {
  const double x = distance < 0 ? -distance : distance;
  if (sampling.mode == Sampling::Mode::kLinear) return x < 1 ? 1 - x : 0;
  const double a = static_cast<double>(sampling.cubic_a);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

int64_t Clip(int64_t index, int64_t count) {
  return index < 0 ? 0 : (index < count ? index : count - 1);
}

// How many elements on each side of a place count, and how far they are spread.
struct Footprint {
  int64_t reach;
  double spread;  // distances are multiplied by it
};

Footprint FootprintOf(const Sampling& sampling, const ResizedAxis& axis) {
  const double reach = sampling.mode == Sampling::Mode::kLinear ? 1 : 2;
  if (!sampling.antialias || axis.scale >= 1.0f) return {static_cast<int64_t>(reach), 1};
  const double scale = static_cast<double>(axis.scale);
  return {-static_cast<int64_t>(Floor(-reach / scale)), scale};
}

// The elements around a place, and their weights.
void WeighElements(const Sampling& sampling, const Footprint& footprint, int64_t input, double place,
                   int64_t* sources, float* weights) {
  const int64_t first = static_cast<int64_t>(Ceil(place)) - footprint.reach;
  const bool normal = footprint.spread < 1 || sampling.exclude_outside;
  const auto weight = [&](int64_t index) {
    if (sampling.exclude_outside && (index < 0 || index >= input)) return 0.0;
    return WeightAt(sampling, (static_cast<double>(index) - place) * footprint.spread);
  };
  double sum = 0;
  for (int64_t t = 0; normal && t < 2 * footprint.reach; ++t) sum += weight(first + t);
  for (int64_t t = 0; t < 2 * footprint.reach; ++t) {
    sources[t] = Clip(first + t, input);
    weights[t] = static_cast<float>(normal && sum != 0 ? weight(first + t) / sum : weight(first + t));
  }
}

// Along the last axis: every element by itself.
template <class T>
void ResampleRow(const AxisTaps& taps, const T* x, T* y) {
  const int64_t* source = taps.sources.data();
  const float* weight = taps.weights.data();
  if (taps.count == 2) {
    for (int64_t i = 0; i < taps.output; ++i, source += 2, weight += 2) {
      y[i] = static_cast<T>(weight[0]) * x[source[0]] + static_cast<T>(weight[1]) * x[source[1]];
    }
    return;
  }
  for (int64_t i = 0; i < taps.output; ++i) {
    T sum{};
    for (int64_t t = 0; t < taps.count; ++t) sum += static_cast<T>(*weight++) * x[*source++];
    y[i] = sum;
  }
}

// Along another axis: a row of `inner` elements from rows of the input.
template <class T>
void MixRows(const AxisTaps& taps, int64_t i, int64_t inner, const T* x, T* y) {
  const int64_t* source = taps.sources.data() + i * taps.count;
  const float* weight = taps.weights.data() + i * taps.count;
  const T* first = x + source[0] * inner;
  const T* second = x + source[1] * inner;
  const T w0 = static_cast<T>(weight[0]);
  const T w1 = static_cast<T>(weight[1]);
  for (int64_t j = 0; j < inner; ++j) y[j] = w0 * first[j] + w1 * second[j];
  for (int64_t t = 2; t < taps.count; ++t) {
    const T* next = x + source[t] * inner;
    const T w = static_cast<T>(weight[t]);
    for (int64_t j = 0; j < inner; ++j) y[j] += w * next[j];
  }
}

template <class T>
void CopyPicked(const AxisTaps& taps, const void* x, void* y) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(y);
  for (int64_t i = 0; i < taps.output; ++i) to[i] = from[taps.sources[static_cast<size_t>(i)]];
}

// One row of items of `bytes` bytes.
void CopyPickedItems(const AxisTaps& taps, size_t bytes, const char* x, char* y) {
  switch (bytes) {
    case 1:
      return CopyPicked<uint8_t>(taps, x, y);
    case 2:
      return CopyPicked<uint16_t>(taps, x, y);
    case 4:
      return CopyPicked<uint32_t>(taps, x, y);
    case 8:
      return CopyPicked<uint64_t>(taps, x, y);
    default:
      for (int64_t i = 0; i < taps.output; ++i, y += bytes) {
        std::memcpy(y, x + static_cast<size_t>(taps.sources[static_cast<size_t>(i)]) * bytes, bytes);
      }
  }
}

}  // namespace

AxisTaps FindTaps(const Sampling& sampling, const ResizedAxis& axis) {
  const bool nearest = sampling.mode == Sampling::Mode::kNearest;
  const bool crop = sampling.transformation == Sampling::Transformation::kTfCropAndResize;
  const Footprint footprint = FootprintOf(sampling, axis);
  AxisTaps taps;
  taps.axis = axis.axis;
  taps.output = axis.output;
  taps.count = nearest ? 1 : 2 * footprint.reach;
  taps.sources.resize(static_cast<size_t>(axis.output * taps.count));
  if (!nearest) taps.weights.resize(taps.sources.size());
  if (crop) taps.outside.resize(static_cast<size_t>(axis.output));
  for (int64_t i = 0; i < axis.output; ++i) {
    const size_t at = static_cast<size_t>(i * taps.count);
    float place = PlaceOf(sampling.transformation, axis, i);
    const bool inside = place >= 0.0f && place <= static_cast<float>(axis.input - 1);
    if (crop) taps.outside[static_cast<size_t>(i)] = inside ? 0 : 1;
    // What a region of interest may say: anything.
    if (!(place > -1.0f)) place = -1.0f;
    if (place > static_cast<float>(axis.input)) place = static_cast<float>(axis.input);
    if (nearest) {
      taps.sources[at] = Clip(Round(sampling.rounding, axis.scale, place), axis.input);
    } else {
      WeighElements(sampling, footprint, axis.input, static_cast<double>(place), &taps.sources[at], &taps.weights[at]);
    }
  }
  return taps;
}

template <class T>
void Resample(const AxisTaps& taps, const Shape& shape, const T* x, T* y, Exec& exec) {
  const int64_t outer = Product(shape, 0, taps.axis);
  const int64_t input = shape[taps.axis];
  const int64_t inner = Product(shape, taps.axis + 1, shape.size());
  if (inner == 1) {
    ParallelFor(exec, outer, taps.output * taps.count, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        ResampleRow(taps, x + row * input, y + row * taps.output);
      }
    });
    return;
  }
  ParallelFor(exec, outer * taps.output, inner * taps.count / 2, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = x + row / taps.output * input * inner;
      MixRows(taps, row % taps.output, inner, from, y + row * inner);
    }
  });
}

void CopyNearest(const std::vector<AxisTaps>& axes, const Shape& x_shape, const Shape& y_shape,
                 size_t bytes, const void* x, void* y, Exec& exec) {
  const AxisTaps& last = axes.back();
  const int64_t items = Product(x_shape, last.axis + 1, x_shape.size());
  const size_t item = bytes * static_cast<size_t>(items);
  const size_t x_row = item * static_cast<size_t>(x_shape[last.axis]);
  const size_t y_row = item * static_cast<size_t>(last.output);
  // Of which row of the input a row of the output is made.
  const auto source = [&](int64_t row) {
    int64_t from = 0;
    int64_t stride = 1;
    size_t left = axes.size() - 1;
    for (size_t i = last.axis; i-- > 0;) {
      int64_t at = row % y_shape[i];
      row /= y_shape[i];
      if (left > 0 && axes[left - 1].axis == i) at = axes[--left].sources[static_cast<size_t>(at)];
      from += at * stride;
      stride *= x_shape[i];
    }
    return from;
  };
  const int64_t cost = last.output * (items + 1);
  ParallelFor(exec, Product(y_shape, 0, last.axis), cost, [&](int64_t begin, int64_t end) {
    int64_t before = -1;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t from = source(row);
      char* to = static_cast<char*>(y) + static_cast<size_t>(row) * y_row;
      if (from == before) {
        std::memcpy(to, to - y_row, y_row);
      } else {
        CopyPickedItems(last, item, static_cast<const char*>(x) + static_cast<size_t>(from) * x_row, to);
      }
      before = from;
    }
  });
}

void FillOutside(const std::vector<AxisTaps>& axes, const Shape& shape, const void* value,
                 size_t bytes, void* y, Exec& exec) {
  const int64_t columns = shape.back();
  ParallelFor(exec, ElementCount(shape) / columns, columns, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * columns; i < end * columns; ++i) {
      bool outside = false;
      int64_t rest = i;
      size_t left = axes.size();
      for (size_t d = shape.size(); left > 0 && d-- > 0;) {
        const size_t at = static_cast<size_t>(rest % shape[d]);
        rest /= shape[d];
        if (axes[left - 1].axis != d) continue;
        --left;
        outside = outside || axes[left].outside[at] != 0;
      }
      if (outside) std::memcpy(static_cast<char*>(y) + static_cast<size_t>(i) * bytes, value, bytes);
    }
  });
}

template void Resample(const AxisTaps&, const Shape&, const float*, float*, Exec&);
template void Resample(const AxisTaps&, const Shape&, const double*, double*, Exec&);

}  // namespace <%= ns %>
