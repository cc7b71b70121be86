<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include <type_traits>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"
#include "gen/kernels/support/convert.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {
namespace {

using Mode = Sampling::Mode;
using Transformation = Sampling::Transformation;
using Rounding = Sampling::Rounding;

<% if k.p.upsample %>
constexpr const char* kModes[] = {"nearest", "linear", "bilinear"};
<% else %>
constexpr const char* kModes[] = {"nearest", "linear", "cubic"};  // as Mode
constexpr const char* kTransformations[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};  // as Transformation
constexpr const char* kRoundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};  // as Rounding
constexpr const char* kPolicies[] = {"stretch", "not_larger", "not_smaller"};  // as Policy
<% endif %>

// The numbers of a one-dimensional tensor, one for each of `count` axes.
template <class T>
void Append(const Tensor& tensor, std::vector<float>* values) {
  const T* data = tensor.data<T>();
  for (int64_t i = 0; i < tensor.size(); ++i) values->push_back(static_cast<float>(data[i]));
}

Status ReadNumbers(const Tensor& tensor, const char* what, size_t count,
                   std::vector<float>* values) {
  if (!IsVectorOf(static_cast<int64_t>(count), tensor.shape)) {
    return InvalidArgument(Text() << what << " must have " << count << " values, not shape " << tensor.shape);
  }
  if (tensor.dtype == DType::kFloat32) Append<float>(tensor, values);
  if (tensor.dtype == DType::kFloat64) Append<double>(tensor, values);
  if (values->size() == count) return Status();
  return InvalidArgument(Text() << what << " must be float32 or float64");
}

// The output's size along an axis that is scaled.
Status ScaleAxis(float scale, ResizedAxis* axis) {
  const float size = scale * static_cast<float>(axis->input);
  if (!(scale > 0.0f) || !(size < 1e15f)) {
    return InvalidArgument(Text() << "an axis of " << axis->input << " elements is scaled by what is no number above 0, or far too large");
  }
<% if k.p.upsample %>
  if (scale < 1.0f) return InvalidArgument("a scale is below 1");
<% endif %>
  axis->scale = scale;
  axis->resized = size;
  axis->output = static_cast<int64_t>(size);
  return Status();
}

<% if k.p.upsample %>
Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, std::vector<ResizedAxis>* axes) {
  const Shape& x = inputs[0].shape;
  EP_RETURN_IF_ERROR(CheckShape(x));
  std::vector<float> scales = attrs.scales;
  if (inputs.has(1)) EP_RETURN_IF_ERROR(ReadNumbers(inputs[1], "scales", x.size(), &scales));
  if (attrs.planes) {
    EP_RETURN_IF_ERROR(CheckRank(x, 4, "X"));
    scales.insert(scales.begin(), 2, 1.0f);
  }
  if (scales.size() != x.size()) {
    return InvalidArgument(Text() << "scales must have " << x.size() << " values, not " << scales.size());
  }
  for (size_t i = 0; i < x.size(); ++i) {
    ResizedAxis axis;
    axis.axis = i;
    axis.input = x[i];
    EP_RETURN_IF_ERROR(ScaleAxis(scales[i], &axis));
    axes->push_back(axis);
  }
  return Status();
}
<% else %>
// Gives the axes the sizes that the node asks for, or those that keep the proportions.
Status SizeAxes(<%= k.attrs %>::Policy policy, const std::vector<int64_t>& sizes, std::vector<ResizedAxis>* axes) {
  using Policy = <%= k.attrs %>::Policy;
  EP_RETURN_IF_ERROR(CheckShape(sizes));
  float common = 0;
  for (size_t i = 0; i < axes->size(); ++i) {
    ResizedAxis& axis = (*axes)[i];
    if (sizes[i] > 0 && axis.input == 0) {
      return InvalidArgument(Text() << "an axis of " << axis.input << " elements cannot become one of " << sizes[i]);
    }
    axis.output = sizes[i];
    axis.resized = static_cast<float>(sizes[i]);
    if (axis.input > 0) axis.scale = axis.resized / static_cast<float>(axis.input);
    const bool wins = policy == Policy::kNotLarger ? axis.scale < common : axis.scale > common;
    if (i == 0 || wins) common = axis.scale;
  }
  for (size_t i = 0; policy != Policy::kStretch && i < axes->size(); ++i) {
    ResizedAxis& axis = (*axes)[i];
    if (common > 0.0f) EP_RETURN_IF_ERROR(ScaleAxis(common, &axis));
    axis.output = static_cast<int64_t>(axis.resized + 0.5f);
  }
  return Status();
}

// The axes that the node names, or all, in order, and what they become.
Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, std::vector<ResizedAxis>* axes) {
  const Shape& x = inputs[0].shape;
  EP_RETURN_IF_ERROR(CheckShape(x));
  std::vector<int64_t> named = attrs.axes;
  if (named.empty()) {
    for (size_t i = 0; i < x.size(); ++i) named.push_back(static_cast<int64_t>(i));
  }
  EP_RETURN_IF_ERROR(NormalizeAxes(x.size(), &named));
  const size_t count = named.size();
  for (int64_t index : named) {
    ResizedAxis axis;
    axis.axis = static_cast<size_t>(index);
    axis.input = x[axis.axis];
    axes->push_back(axis);
  }
  const Tensor* scales = inputs.at(attrs.scales_input);
  if (scales != nullptr && scales->size() != 0) {
    std::vector<float> numbers;
    EP_RETURN_IF_ERROR(ReadNumbers(*scales, "scales", count, &numbers));
    for (size_t i = 0; i < count; ++i) EP_RETURN_IF_ERROR(ScaleAxis(numbers[i], &(*axes)[i]));
  } else if (inputs.has(3)) {
    std::vector<int64_t> sizes;
    EP_RETURN_IF_ERROR(ReadIntegers(inputs[3], "sizes", &sizes));
    if (sizes.size() != count) {
      return InvalidArgument(Text() << "sizes " << sizes << " must have " << count << " values");
    }
    EP_RETURN_IF_ERROR(SizeAxes(attrs.policy, sizes, axes));
  } else if (count > 0) {
    return InvalidArgument("neither scales nor sizes are given");
  }
  if (attrs.sampling.transformation == Transformation::kTfCropAndResize) {
    std::vector<float> roi;
    if (!inputs.has(1)) return InvalidArgument("the region of interest is missing");
    EP_RETURN_IF_ERROR(ReadNumbers(inputs[1], "roi", 2 * count, &roi));
    for (size_t i = 0; i < count; ++i) {
      (*axes)[i].roi_begin = roi[i];
      (*axes)[i].roi_end = roi[i + count];
    }
  }
  std::vector<ResizedAxis> sorted(x.size());
  for (const ResizedAxis& axis : *axes) sorted[axis.axis] = axis;
  axes->clear();
  for (size_t i = 0; i < x.size(); ++i) {
    sorted[i].axis = i;
    for (int64_t index : named) {
      if (index == static_cast<int64_t>(i)) axes->push_back(sorted[i]);
    }
  }
  return Status();
}
<% endif %>

// Numbers of 16 bits and less are added up as float32.
template <class T>
using Sum = std::conditional_t<sizeof(T) <= 2 || std::is_same_v<T, float>, float, double>;

// A number that is between others, or, of a cubic, may be a little beyond them: cut to an integer, and
// to the range of its type. One that is an integer but for the rounding of its weights is that.
template <class T, class In>
T FromSum(In sum) {
  constexpr In kRounding = static_cast<In>(1.0 / 4096);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    sum += sum < In{0} ? -kRounding : kRounding;
  }
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) < 8) {
    constexpr bool kSigned = std::is_signed_v<T>;
    constexpr int kBits = static_cast<int>(sizeof(T)) * 8 - (kSigned ? 1 : 0);
    constexpr In kLimit = static_cast<In>(uint64_t{1} << kBits);
    if (sum >= kLimit) return static_cast<T>((uint64_t{1} << kBits) - 1);
    if (sum <= (kSigned ? -kLimit : In{0})) sum = kSigned ? -kLimit : In{0};
  }
  return Convert<T>(sum);
}

// Converts all elements.
template <class Out, class In, class Function>
void ConvertAll(const In* x, Out* y, int64_t count, Function function, Exec& exec) {
  ParallelFor(exec, count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = function(x[i]);
  });
}

template <class A>
Status Allocate(const Shape& shape, Exec& exec, A** data) {
  void* memory = nullptr;
  EP_RETURN_IF_ERROR(CheckShape(shape));
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(ElementCount(shape)) * sizeof(A), &memory));
  *data = static_cast<A*>(memory);
  return Status();
}

// One axis after the other.
template <class T>
Status Interpolate(const std::vector<AxisTaps>& axes, const Tensor& x, const MutableTensor& y,
                   Exec& exec) {
  using A = Sum<T>;
  constexpr bool kDirect = std::is_same_v<A, T>;
  Shape shape = x.shape;
  const A* from = nullptr;
  if constexpr (kDirect) {
    from = x.data<T>();
  } else {
    A* converted = nullptr;
    EP_RETURN_IF_ERROR(Allocate(shape, exec, &converted));
    ConvertAll(x.data<T>(), converted, x.size(), [](T value) { return static_cast<A>(value); }, exec);
    from = converted;
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    Shape next = shape;
    next[axes[i].axis] = axes[i].output;
    A* to = nullptr;
    if constexpr (kDirect) {
      if (i + 1 == axes.size()) to = y.data<T>();
    }
    if (to == nullptr) EP_RETURN_IF_ERROR(Allocate(next, exec, &to));
    Resample(axes[i], shape, from, to, exec);
    shape = next;
    from = to;
  }
  if constexpr (!kDirect) ConvertAll(from, y.data<T>(), y.size(), FromSum<T, A>, exec);
  return Status();
}

Status Interpolate(const std::vector<AxisTaps>& axes, const Tensor& x, const MutableTensor& y,
                   Exec& exec) {
  switch (x.dtype) {
<%= cases(k.t, "Interpolate", "axes, x, y, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, x.dtype);
  }
}
<% if not k.p.upsample %>

template <class T>
Status FillWith(float value, const std::vector<AxisTaps>& axes, const MutableTensor& y, Exec& exec) {
  const T element = FromSum<T>(value);
  FillOutside(axes, y.shape, &element, sizeof(T), y.raw, exec);
  return Status();
}
<% endif %>

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  Sampling& sampling = attrs.sampling;
  size_t mode = 0;
  EP_RETURN_IF_ERROR(ReadChoice(node, "mode", kModes, &mode));
<% if k.p.upsample %>
  sampling.mode = mode == 0 ? Mode::kNearest : Mode::kLinear;
  sampling.transformation = Transformation::kAsymmetric;
  sampling.rounding = Rounding::kFloor;
  attrs.planes = node.SinceVersion() == 1;
  if (!attrs.planes) return node.Get("scales", &attrs.scales);
  attrs.scales.assign(2, 1.0f);
  EP_RETURN_IF_ERROR(node.Get("height_scale", &attrs.scales[0]));
  return node.Get("width_scale", &attrs.scales[1]);
<% else %>
  sampling.mode = static_cast<Mode>(mode);
  if (node.SinceVersion() < 11) {
    sampling.transformation = Transformation::kAsymmetric;
    sampling.rounding = Rounding::kSimple;
    attrs.scales_input = 1;
    return Status();
  }
  size_t transformation = 0;
  size_t rounding = 0;
  size_t policy = 0;
  int64_t antialias = 0;
  int64_t exclude_outside = 0;
  EP_RETURN_IF_ERROR(ReadChoice(node, "coordinate_transformation_mode", kTransformations, &transformation));
  EP_RETURN_IF_ERROR(ReadChoice(node, "nearest_mode", kRoundings, &rounding));
  EP_RETURN_IF_ERROR(ReadChoice(node, "keep_aspect_ratio_policy", kPolicies, &policy));
  EP_RETURN_IF_ERROR(node.Get("antialias", &antialias));
  EP_RETURN_IF_ERROR(node.Get("exclude_outside", &exclude_outside));
  EP_RETURN_IF_ERROR(node.Get("cubic_coeff_a", &sampling.cubic_a));
  EP_RETURN_IF_ERROR(node.Get("extrapolation_value", &attrs.extrapolation));
  EP_RETURN_IF_ERROR(node.Get("axes", &attrs.axes));
  sampling.transformation = static_cast<Transformation>(transformation);
  sampling.rounding = static_cast<Rounding>(rounding);
  sampling.antialias = antialias != 0;
  sampling.exclude_outside = exclude_outside != 0;
  attrs.policy = static_cast<<%= k.attrs %>::Policy>(policy);
  return Status();
<% endif %>
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  std::vector<ResizedAxis> axes;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &axes));
  shapes[0] = inputs[0].shape;
  for (const ResizedAxis& axis : axes) shapes[0][axis.axis] = axis.output;
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const MutableTensor& y = outputs[0];
  std::vector<ResizedAxis> axes;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &axes));
  if (y.size() == 0) return Status();
  const size_t bytes = SizeOf(y.dtype);
<% if not k.p.upsample %>
  const bool crop = attrs.sampling.transformation == Transformation::kTfCropAndResize;
<% endif %>
  std::vector<AxisTaps> taps;
  for (const ResizedAxis& axis : axes) {
<% if not k.p.upsample %>
    // What is not scaled may still be cropped, though ONNX Runtime's CPU provider leaves it whole.
<% endif %>
    const bool same = axis.scale == 1.0f && axis.input == axis.output;
    if (!same<% if not k.p.upsample %> || crop<% endif %>) taps.push_back(FindTaps(attrs.sampling, axis));
  }
  if (taps.empty()) {
    return CopyBytes(exec, y.raw, inputs[0].raw, static_cast<size_t>(y.size()) * bytes);
  }
  if (attrs.sampling.mode == Mode::kNearest) {
    CopyNearest(taps, inputs[0].shape, y.shape, bytes, inputs[0].raw, y.raw, exec);
  } else {
    EP_RETURN_IF_ERROR(Interpolate(taps, inputs[0], y, exec));
  }
<% if k.p.upsample %>
  return Status();
<% else %>
  if (!crop) return Status();
  switch (y.dtype) {
<%= cases(k.t, "FillWith", "attrs.extrapolation, taps, y, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, y.dtype);
  }
<% endif %>
}

}  // namespace <%= ns %>
