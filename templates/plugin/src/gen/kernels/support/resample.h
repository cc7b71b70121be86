<%= banner %>
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gen/api/exec.h"
#include "gen/api/status.h"
#include "gen/api/tensor.h"

// Resizing, one axis after the other.
namespace <%= ns %> {

// How an output is made of the elements of the input around a place between them.
struct Sampling {
  enum class Mode { kNearest, kLinear, kCubic };
  // From a place in the output to the place in the input.
  enum class Transformation {
    kHalfPixel,
    kHalfPixelSymmetric,
    kPytorchHalfPixel,
    kAlignCorners,
    kAsymmetric,
    kTfHalfPixelForNn,
    kTfCropAndResize
  };
  // From there to the nearest element. kSimple is that of the versions before the attribute: up when
  // the output is smaller, else down.
  enum class Rounding { kPreferFloor, kPreferCeil, kFloor, kCeil, kSimple };

  Mode mode = Mode::kNearest;
  Transformation transformation = Transformation::kHalfPixel;
  Rounding rounding = Rounding::kPreferFloor;
  bool antialias = false;
  bool exclude_outside = false;
  float cubic_a = -0.75f;
};

// An axis whose size changes.
struct ResizedAxis {
  size_t axis = 0;
  int64_t input = 1;
  int64_t output = 1;
  float scale = 1;
  float resized = 1;  // the output's size before it was made whole
  float roi_begin = 0;
  float roi_end = 1;
};

// What the output has along an axis: for each of its places `count` elements of the input, which are
// multiplied by `weights` and added.
struct AxisTaps {
  size_t axis = 0;
  int64_t output = 1;
  int64_t count = 1;
  std::vector<int64_t> sources;
  std::vector<float> weights;  // empty for the nearest element
  std::vector<char> outside;   // places beyond the input that get a value of their own; or empty
};

AxisTaps FindTaps(const Sampling& sampling, const ResizedAxis& axis);

// Resizes a tensor of `shape` along one axis.
template <class T>
void Resample(const AxisTaps& taps, const Shape& shape, const T* x, T* y, Exec& exec);

// Copies the nearest elements, of `bytes` bytes each, along all of the axes, which are in order.
void CopyNearest(const std::vector<AxisTaps>& axes, const Shape& x_shape, const Shape& y_shape,
                 size_t bytes, const void* x, void* y, Exec& exec);

// Sets what lies outside of the input along any of the axes to `value`.
void FillOutside(const std::vector<AxisTaps>& axes, const Shape& shape, const void* value,
                 size_t bytes, void* y, Exec& exec);

}  // namespace <%= ns %>
