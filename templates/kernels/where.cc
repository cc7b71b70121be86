<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/broadcast.h"
#include "gen/kernels/support/errors.h"

namespace <%= ns %> {
namespace {

#ifdef EP_ON_DEVICE

template <class T>
struct WhereBody {
  const bool* condition;
  const T* x;
  const T* y;
  T* out;
  Broadcast broadcast;

  EP_DEVICE void operator()(int64_t i) const {
    int64_t at[3];
    broadcast.Locate(i, 3, at);
    out[i] = condition[at[0]] ? x[at[1]] : y[at[2]];
  }
};

template <class T>
Status Select(Inputs inputs, const MutableTensor& out, Exec& exec) {
  WhereBody<T> body{inputs[0].data<bool>(), inputs[1].data<T>(), inputs[2].data<T>(),
                    out.data<T>(), Broadcast()};
  const Operand operands[] = {inputs[0], inputs[1], inputs[2]};
  EP_RETURN_IF_ERROR(MakeBroadcast(<%= k.label | cpp_string %>, out.shape, operands, 3, body.broadcast));
  return Launch(exec, out.size(), body);
}

#else

template <class T>
void WhereLoop(const void*, const void* const* in, const int64_t* steps, void* out,
               int64_t count) {
  const bool* condition = static_cast<const bool*>(in[0]);
  const T* x = static_cast<const T*>(in[1]);
  const T* y = static_cast<const T*>(in[2]);
  for (int64_t i = 0; i < count; ++i) {
    static_cast<T*>(out)[i] = condition[i * steps[0]] ? x[i * steps[1]] : y[i * steps[2]];
  }
}

template <class T>
Status Select(Inputs inputs, const MutableTensor& out, Exec& exec) {
  const Operand operands[] = {inputs[0], inputs[1], inputs[2]};
  return RunRows(<%= k.label | cpp_string %>, operands, 3, out, 1, &WhereLoop<T>, nullptr, exec);
}

#endif

}  // namespace

Status Read(const Node&, <%= k.attrs %>&) { return Status(); }

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return BroadcastShapes(inputs, shapes);
}

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  // Elements are only moved, so all types of one size share a kernel.
  switch (inputs[1].dtype) {
<% for carrier, enumerators in k.by_size %>
<% for enumerator in enumerators %>
    case DType::<%= enumerator %>:
<% endfor %>
      return Select<<%= carrier %>>(inputs, outputs[0], exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[1].dtype);
  }
}

}  // namespace <%= ns %>
