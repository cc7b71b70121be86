<% from "kernels/parts.inc" import read %>
<%= banner %>
<% if k.converts %>
#include "<%= k.header %>"

#include "gen/kernels/support/choice.h"
#include "gen/kernels/support/conversion.h"
#include "gen/kernels/support/elementwise.h"
#include "gen/kernels/support/errors.h"

namespace <%= ns %> {

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  constexpr const char* kRoundings[] = {"up", "down", "nearest"};  // as Rounding
<% if k.attributes %>
  int64_t to = 0;
  bool found = false;
  EP_RETURN_IF_ERROR(node.Get("to", &to, &found));
  if (!found) return InvalidArgument("the attribute to is missing");
<% endif %>
  EP_RETURN_IF_ERROR(ReadChoice(node, "round_mode", kRoundings, &attrs.rounding));
  int64_t saturate = 1;
  EP_RETURN_IF_ERROR(node.Get("saturate", &saturate));
  attrs.saturates = saturate != 0;
  return Status();
}

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return SameShape(inputs, shapes);
}

// The output already has the type that is asked for.
Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const MutableTensor& y = outputs[0];
  const SmallFloat how{y.dtype, attrs.saturates, static_cast<Rounding>(attrs.rounding)};
  if (ConvertElements(inputs[0], how, y, exec)) return Status();
  return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
}

}  // namespace <%= ns %>
<% else %>
#include "<%= k.header %>"

#include <type_traits>

#include "gen/kernels/support/convert.h"
#include "gen/kernels/support/elementwise.h"
#include "gen/kernels/support/errors.h"

namespace <%= ns %> {
namespace {

#ifdef EP_ON_DEVICE

// One kernel per type of x; the type of y is the same for all threads, so the switch costs little.
template <class In>
struct CastBody {
  const In* x;
  void* y;
  DType to;

  EP_DEVICE void operator()(int64_t i) const {
    switch (to) {
<% for enumerator, cpp in k.types.T2 %>
      case DType::<%= enumerator %>:
        static_cast<<%= cpp %>*>(y)[i] = Convert<<%= cpp %>>(x[i]);
        return;
<% endfor %>
      default:
        return;
    }
  }
};

template <class In>
Status From(const Tensor& x, const MutableTensor& y, Exec& exec) {
  return Launch(exec, y.size(), CastBody<In>{x.data<In>(), y.raw, y.dtype});
}

#else

// Elements go through the widest type of their kind, a block at a time: as many loops as there are
// types, not as there are pairs of them. The block stays in the processor's nearest cache.
template <class In>
using Wide = std::conditional_t<std::is_floating_point_v<In>, double,
                                std::conditional_t<std::is_same_v<In, uint64_t>, In, int64_t>>;

using Step = void (*)(const void* from, void* to, int64_t count);

template <class In, class Out>
void Run(const void* from, void* to, int64_t count) {
  const In* x = static_cast<const In*>(from);
  Out* y = static_cast<Out*>(to);
  for (int64_t i = 0; i < count; ++i) y[i] = Convert<Out>(x[i]);
}

// From a wide type. To an integer both wide ones lead the same way: the low bits are kept.
template <class W, class Out>
Step Narrow() {
  constexpr bool kSigned = std::is_same_v<W, uint64_t> && std::is_integral_v<Out>;
  return &Run<std::conditional_t<kSigned, int64_t, W>, Out>;
}

template <class W>
Step NarrowTo(DType to) {
  switch (to) {
<% for enumerator, cpp in k.types.T2 %>
    case DType::<%= enumerator %>:
      return Narrow<W, <%= cpp %>>();
<% endfor %>
    default:
      return nullptr;
  }
}

// Two steps; the first is null where x is wide already.
struct Steps {
  Step widen;
  Step narrow;
  int64_t x_bytes;
  int64_t y_bytes;
};

void CastLoop(const void* function, const void* const* in, const int64_t*, void* out,
              int64_t count) {
  const Steps& steps = *static_cast<const Steps*>(function);
  const char* x = static_cast<const char*>(in[0]);
  char* y = static_cast<char*>(out);
  if (steps.widen == nullptr) return steps.narrow(x, y, count);
  constexpr int64_t kBlock = 512;
  alignas(int64_t) unsigned char block[kBlock * sizeof(int64_t)];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t n = count - i < kBlock ? count - i : kBlock;
    steps.widen(x + i * steps.x_bytes, block, n);
    steps.narrow(block, y + i * steps.y_bytes, n);
  }
}

template <class In>
Status From(const Tensor& x, const MutableTensor& y, Exec& exec) {
  Steps steps{nullptr, NarrowTo<Wide<In>>(y.dtype), static_cast<int64_t>(SizeOf(x.dtype)),
              static_cast<int64_t>(SizeOf(y.dtype))};
  if (steps.narrow == nullptr) return UnsupportedType(<%= k.label | cpp_string %>, y.dtype);
  if constexpr (!std::is_same_v<In, Wide<In>>) steps.widen = &Run<In, Wide<In>>;
  return RunMap(x, y, 2, &CastLoop, &steps, exec);
}

#endif

}  // namespace

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs inputs, Shapes& shapes) {
  return SameShape(inputs, shapes);
}

// The output already has the type that <% if k.attributes %>the attribute "to"<% else %>the second input<% endif %> asks for.
Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  switch (inputs[0].dtype) {
<% for enumerator, cpp in k.types.T1 %>
    case DType::<%= enumerator %>:
      return From<<%= cpp %>>(inputs[0], outputs[0], exec);
<% endfor %>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
<% endif %>
