<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/choice.h"
#include "gen/kernels/support/elementwise.h"
#include "gen/kernels/support/errors.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

// x times the probability that a normally distributed number is below x.
struct Function {
  bool by_tanh;

  template <class T>
  EP_HOST_DEVICE T operator()(T x) const {
    constexpr T kRootOfHalf = static_cast<T>(0.70710678118654752440);
    constexpr T kRootOfTwoByPi = static_cast<T>(0.79788456080286535588);
    if (by_tanh) {
      const T bent = x + static_cast<T>(0.044715) * x * x * x;
      return T(0.5) * x * (T(1) + Tanh(kRootOfTwoByPi * bent));
    }
    return T(0.5) * x * (T(1) + Erf(x * kRootOfHalf));
  }
};

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  constexpr const char* kApproximations[] = {"none", "tanh"};
  size_t approximation = 0;
  EP_RETURN_IF_ERROR(ReadChoice(node, "approximate", kApproximations, &approximation));
  attrs.by_tanh = approximation == 1;
  return Status();
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return SameShape(inputs, shapes);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Tensor& x = inputs[0];
  const Function function{attrs.by_tanh};
  switch (x.dtype) {
<% for enumerator, cpp in k.t %>
    case DType::<%= enumerator %>:
      return Map<<%= cpp %>, <%= cpp %>>(x, outputs[0], 30, function, exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, x.dtype);
  }
}

}  // namespace <%= ns %>
