<%= banner %>
#include "<%= k.header %>"

<% for header in k.p.includes | sort %>
#include "gen/kernels/support/<%= header %>"
<% endfor %>

namespace <%= ns %> {
namespace {

struct Function {
  template <class T>
  EP_HOST_DEVICE T operator()(T a, T b) const {
    return <%= k.p.function %>;
  }
};

<% if k.p.mean %>
struct DivideBy {
  int64_t count;

  template <class T>
  EP_HOST_DEVICE T operator()(T x) const {
    return x / static_cast<T>(count);
  }
};

<% else %>
// Of a single input.
struct Copy {
  template <class T>
  EP_HOST_DEVICE T operator()(T x) const {
    return x;
  }
};

<% endif %>
// Folds the inputs one by one into y.
template <class T>
Status Fold(Inputs inputs, const MutableTensor& y, Exec& exec) {
<% if k.p.mean %>
  const DivideBy divide{static_cast<int64_t>(inputs.size())};
  if (inputs.size() == 1) return Map<T, T>(inputs[0], y, 1, divide, exec);
<% else %>
  if (inputs.size() == 1) return Map<T, T>(inputs[0], y, 1, Copy(), exec);
<% endif %>
  Operand so_far = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) {
    EP_RETURN_IF_ERROR((Zip<T, T, T>(<%= k.label | cpp_string %>, so_far, inputs[i], y, 1, Function(), exec)));
    so_far = y;
  }
<% if k.p.mean %>
  return Map<T, T>(y, y, 1, divide, exec);
<% else %>
  return Status();
<% endif %>
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
      return Fold<<%= cpp %>>(inputs, outputs[0], exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
