<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include <type_traits>

#include "gen/kernels/support/arithmetic.h"
#include "gen/kernels/support/broadcast.h"
#include "gen/kernels/support/errors.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

struct Function {
  bool like_dividend;  // the sign of the result; else it is that of the divisor

  template <class T>
  EP_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return IntegerRemainder(a, b, like_dividend);
    } else {
      const T rest = Fmod(a, b);
      if (like_dividend) return rest;
      if (rest == T(0)) return b < T(0) ? -T(0) : T(0);
      return (rest < T(0)) != (b < T(0)) && rest == rest ? rest + b : rest;
    }
  }
};

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return BroadcastShapes(inputs, shapes);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Tensor& a = inputs[0];
  const Tensor& b = inputs[1];
  const Function function{attrs.fmod != 0};
  switch (a.dtype) {
<% for enumerator, cpp in k.t %>
    case DType::<%= enumerator %>:
      return Zip<<%= cpp %>, <%= cpp %>, <%= cpp %>>(<%= k.label | cpp_string %>, a, b, outputs[0], 10, function, exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, a.dtype);
  }
}

}  // namespace <%= ns %>
