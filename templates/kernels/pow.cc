<%= banner %>
#include "<%= k.header %>"

#include <type_traits>

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/broadcast.h"
#include "gen/kernels/support/convert.h"
#include "gen/kernels/support/errors.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// The power has the type of the base, whatever the exponent's.
struct Function {
  template <class T, class Exponent>
  EP_HOST_DEVICE T operator()(T base, Exponent exponent) const {
    if constexpr (std::is_integral_v<T> && std::is_integral_v<Exponent>) {
      return IntegerPower(base, static_cast<int64_t>(exponent));
    } else if constexpr (std::is_same_v<T, float>) {
      return Pow(base, static_cast<float>(exponent));
    } else {
      return Convert<T>(Pow(static_cast<double>(base), static_cast<double>(exponent)));
    }
  }
};

template <class T>
Status Raise(const Tensor& base, const Tensor& exponent, const MutableTensor& y, Exec& exec) {
  switch (exponent.dtype) {
<% for enumerator, cpp in (k.types.get("T1", ()) + k.t) | unique %>
    case DType::<%= enumerator %>:
      return Zip<T, <%= cpp %>, T>(<%= k.label | cpp_string %>, base, exponent, y, 20, Function(), exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, exponent.dtype);
  }
}

}  // namespace

Status Read(const Node&, <%= k.attrs %>&) { return Status(); }

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return BroadcastShapes(inputs, shapes);
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[0].dtype) {
<% for enumerator, cpp in k.t %>
    case DType::<%= enumerator %>:
      return Raise<<%= cpp %>>(inputs[0], inputs[1], outputs[0], exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
