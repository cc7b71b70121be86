<% from "kernels/pad.inc" import helpers, functions with context %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"
#include "gen/kernels/support/device_strides.h"
<% if k.halves %>
#include "gen/kernels/support/halves.h"
<% endif %>
#include "gen/kernels/support/launch.h"

namespace <%= ns %> {
namespace {

<%= helpers(true) %>

// An axis of the output, or several that are walked as one.
struct Axis {
  int64_t y = 1;
  int64_t x = 1;
  int64_t before = 0;

  bool padded() const { return x != y || before != 0; }
};

// By value for the device.
struct Axes {
  Mode mode = Mode::kConstant;
  int rank = 0;
  Axis axes[kMaxDeviceDims];

  // Whether an axis that is not padded itself can be walked as one with `outer`, which lies around
  // it: reflections and edges are of single elements of the outer one.
  bool Joins(const Axis& outer) const {
    if (outer.padded() && mode != Mode::kConstant && mode != Mode::kWrap) return false;
    return outer.before >= -outer.x && outer.before <= outer.y;  // or the product may be too large
  }

  // Where element `i` of the output comes from.
  EP_DEVICE int64_t Source(int64_t i) const {
    int64_t from = 0;
    int64_t stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      const int64_t at = SourceOf(i % axes[d].y - axes[d].before, axes[d].x, mode);
      if (at == kPadding) return kPadding;
      from += at * stride;
      stride *= axes[d].x;
      i /= axes[d].y;
    }
    return from;
  }
};

Status MakeAxes(Mode mode, const Shape& x, const Shape& y, const Shape& pads, Axes* made) {
  made->mode = mode;
  for (size_t i = 0; i < x.size(); ++i) {
    const Axis axis{y[i], x[i], pads[i]};
    Axis* outer = made->rank == 0 ? nullptr : &made->axes[made->rank - 1];
    if (!axis.padded() && outer != nullptr && made->Joins(*outer)) {
      outer->y *= axis.y;
      outer->x *= axis.x;
      outer->before *= axis.x;
    } else if (axis.padded() || axis.x != 1) {
      if (made->rank == kMaxDeviceDims) {
        return NotImplemented(Text() << "padding to shape " << y << " takes more than "
                                     << int64_t{kMaxDeviceDims} << " dimensions");
      }
      made->axes[made->rank++] = axis;
    }
  }
  return Status();
}

template <class T>
struct PadBody {
  T* y;
  const T* x;
  const T* given;  // what is padded with, in the memory of the device; null: `value`
  T value;
  Axes axes;

  EP_DEVICE void operator()(int64_t i) const {
    const int64_t from = axes.Source(i);
    if (from != kPadding) {
      y[i] = x[from];
    } else {
      y[i] = given == nullptr ? value : *given;
    }
  }
};

template <class T>
Status Pad(const Axes& axes, int64_t value, Inputs inputs, const MutableTensor& y, Exec& exec) {
  const bool given = inputs.has(2) && inputs[2].size() > 0;
  PadBody<T> body{y.data<T>(), inputs[0].data<T>(), given ? inputs[2].data<T>() : nullptr, T(), axes};
  std::memcpy(&body.value, &value, sizeof body.value);
  return Launch(exec, y.size(), body);
}

}  // namespace

<%= functions() %>

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Shape pads;
  EP_RETURN_IF_ERROR(ResolvePads(attrs, inputs, &pads));
  Axes axes;
  EP_RETURN_IF_ERROR(MakeAxes(attrs.mode, inputs[0].shape, outputs[0].shape, pads, &axes));
  const int64_t value = PaddingOf(attrs, inputs[0].dtype);
  // Elements are only moved, so all types of one size share a kernel.
  switch (inputs[0].dtype) {
<% for carrier, enumerators in k.by_size %>
<% for enumerator in enumerators %>
    case DType::<%= enumerator %>:
<% endfor %>
      return Pad<<%= carrier %>>(axes, value, inputs, outputs[0], exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
