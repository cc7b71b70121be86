<% from "kernels/parts.inc" import cases, read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/convert.h"
#include "gen/kernels/support/math.h"
#include "gen/kernels/support/numbers.h"

namespace <%= ns %> {
namespace {

constexpr double kLog10 = 2.30258509299404568402;

double MelOf(double hertz) { return 2595 * Log1p(hertz / 700) / kLog10; }

double HertzOf(double mel) { return 700 * Expm1(mel / 2595 * kLog10); }

double NumberAt(const Tensor& tensor) {
  return tensor.dtype == DType::kFloat64 ? *tensor.data<double>() : double{*tensor.data<float>()};
}

// The bins of the spectrogram where the triangles begin, peak and end: triangle i from point i over
// point i + 1 to point i + 2.
Status FindPoints(Inputs inputs, int64_t bins, std::vector<int64_t>* points) {
  const double sample_rate = static_cast<double>(IntegerAt(inputs[2], 0));
  const double dft_length = static_cast<double>(IntegerAt(inputs[1], 0));
  const double low = MelOf(NumberAt(inputs[3]));
  const double high = MelOf(NumberAt(inputs[4]));
  const double step = (high - low) / static_cast<double>(points->size());
  for (size_t i = 0; i < points->size(); ++i) {
    const double hertz = HertzOf(static_cast<double>(i) * step + low);
    const double bin = Floor((dft_length + 1) * hertz / sample_rate);
    if (!(bin >= 0 && bin < static_cast<double>(bins))) {
      return InvalidArgument("a frequency that is not in the spectrogram");
    }
    (*points)[i] = static_cast<int64_t>(bin);
  }
  return Status();
}

template <class T>
Status Fill(const std::vector<int64_t>& points, const MutableTensor& weights) {
  const int64_t count = weights.shape[1];
  T* y = weights.data<T>();
  for (int64_t i = 0; i < weights.size(); ++i) y[i] = T{};
  for (int64_t i = 0; i < count; ++i) {
    const int64_t* point = points.data() + i;
    const double up = static_cast<double>(point[1] - point[0]);
    const double down = static_cast<double>(point[2] - point[1]);
    if (up == 0) y[point[1] * count + i] = Convert<T>(1.0);
    for (int64_t j = point[0]; up > 0 && j <= point[1]; ++j) {
      y[j * count + i] = Convert<T>(static_cast<double>(j - point[0]) / up);
    }
    for (int64_t j = point[1]; down > 0 && j < point[2]; ++j) {
      y[j * count + i] = Convert<T>(static_cast<double>(point[2] - j) / down);
    }
  }
  return Status();
}

}  // namespace

<%= read(k) %>

// One row for each bin of the spectrogram, one column for each band of the mel scale.
Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  for (size_t i = 0; i < 5; ++i) {
    if (inputs[i].size() != 1) return InvalidArgument("every input must be one number");
  }
  const int64_t length = IntegerAt(inputs[1], 0);
  if (length < 0) return InvalidArgument("dft_length must not be negative");
  shapes[0] = {length / 2 + 1, IntegerAt(inputs[0], 0)};
  return CheckShape(shapes[0]);
}

// The output already has the type that `output_datatype` asks for.
Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec&) {
  std::vector<int64_t> points(static_cast<size_t>(outputs[0].shape[1]) + 2);
  EP_RETURN_IF_ERROR(FindPoints(inputs, outputs[0].shape[0], &points));
  switch (outputs[0].dtype) {
    <%= cases(k.t, "Fill", "points, outputs[0]") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, outputs[0].dtype);
  }
}

}  // namespace <%= ns %>
