<% from "kernels/parts.inc" import cases, read %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/fourier.h"
#include "gen/kernels/support/numbers.h"

namespace <%= ns %> {
namespace {

// How many points a frame has.
Status FrameLength(Inputs inputs, int64_t* length) {
  const Shape& signal = inputs[0].shape;
  *length = signal[1];
  if (inputs.has(2)) {
    if (inputs[2].shape.size() != 1) {
      return BadShape(<%= k.label | cpp_string %>, 2, inputs[2].shape, "must have one dimension");
    }
    *length = inputs[2].shape[0];
  }
  if (inputs.has(3)) {
    if (inputs[3].size() != 1) return InvalidArgument("frame_length must be one number");
    const int64_t asked = IntegerAt(inputs[3], 0);
    if (inputs.has(2) && asked != *length) {
      return InvalidArgument("frame_length must be the length of the window");
    }
    *length = asked;
  }
  if (*length < 1 || *length > signal[1]) {
    return InvalidArgument(Text() << "frames of " << *length << " points do not fit into a signal of " << signal[1]);
  }
  return Status();
}

Status FrameStep(Inputs inputs, int64_t* step) {
  if (inputs[1].size() != 1) return InvalidArgument("frame_step must be one number");
  *step = IntegerAt(inputs[1], 0);
  return *step >= 1 ? Status() : InvalidArgument("frame_step must be at least 1");
}

template <class T>
Status Run(Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& signal = inputs[0].shape;
  const Shape& result = outputs[0].shape;
  const int64_t parts = signal.size() == 3 ? signal[2] : 1;
  const int64_t frames = result[1];
  const int64_t bins = result[2];
  int64_t step = 0;
  int64_t length = 0;
  EP_RETURN_IF_ERROR(FrameStep(inputs, &step));
  EP_RETURN_IF_ERROR(FrameLength(inputs, &length));
  const T* window = inputs.has(2) ? inputs[2].data<T>() : nullptr;
  const T* x = inputs[0].data<T>();
  T* y = outputs[0].data<T>();
  Fourier fourier(length);
  EP_RETURN_IF_ERROR(fourier.Prepare(exec, result[0] * frames));
  const auto load = [&](int64_t line, Complex* to) {
    const T* from = x + (line / frames * signal[1] + line % frames * step) * parts;
    for (int64_t i = 0; i < length; ++i) {
      const double weight = window == nullptr ? 1.0 : static_cast<double>(window[i]);
      to[i].re = weight * static_cast<double>(from[i * parts]);
      to[i].im = parts == 2 ? weight * static_cast<double>(from[i * parts + 1]) : 0.0;
    }
  };
  const auto store = [&](int64_t line, const Complex* from) {
    T* to = y + line * bins * 2;
    for (int64_t i = 0; i < bins; ++i) {
      to[2 * i] = static_cast<T>(from[i].re);
      to[2 * i + 1] = static_cast<T>(from[i].im);
    }
  };
  fourier.Run(exec, load, store);
  return Status();
}

}  // namespace

<%= read(k) %>

// Of a signal (batch, points, 1 or 2): real, or real and imaginary parts.
Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  const Shape& signal = inputs[0].shape;
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const bool fits = signal.size() == 2 || (signal.size() == 3 && (signal[2] == 1 || signal[2] == 2));
  if (!fits) return BadShape(<%= k.label | cpp_string %>, 0, signal, "must be (batch, points, 1 or 2)");
  int64_t step = 0;
  int64_t length = 0;
  EP_RETURN_IF_ERROR(FrameStep(inputs, &step));
  EP_RETURN_IF_ERROR(FrameLength(inputs, &length));
  const int64_t bins = attrs.onesided != 0 ? length / 2 + 1 : length;
  shapes[0] = {signal[0], 1 + (signal[1] - length) / step, bins, 2};
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  if (outputs[0].size() == 0) return Status();
  switch (inputs[0].dtype) {
    <%= cases(k.t, "Run", "inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
