<% from "kernels/parts.inc" import read, cases %>
<% from "kernels/matmul.inc" import problem, infer_shapes %>
<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/matrix_product.h"

namespace <%= ns %> {
namespace {

<%= problem() %>

// Which matrix of its stack each factor gives to the products.
Status Stack(const Problem& problem, Broadcast* stack) {
  Tensor a;
  Tensor b;
  a.shape = problem.a_batch;
  b.shape = problem.b_batch;
  const Operand operands[] = {a, b};
  return MakeBroadcast(<%= k.label | cpp_string %>, problem.batch, operands, 2, *stack);
}

template <class T>
Status Multiply(const Problem& problem, Inputs inputs, Outputs outputs, Exec& exec) {
  MatrixProduct product;
  product.dtype = inputs[0].dtype;
  product.m = problem.m;
  product.n = problem.n;
  product.depth = problem.depth;
  product.a = inputs[0].raw;
  product.b = inputs[1].raw;
  product.c = outputs[0].raw;
  product.count = ElementCount(problem.batch);
  Broadcast stack;
  if (ElementCount(problem.b_batch) == 1) {  // all rows meet the same matrix: one tall product
    product.m *= product.count;
    product.count = 1;
  } else {
    EP_RETURN_IF_ERROR(Stack(problem, &stack));
  }
  product.a_step = product.m * product.depth;
  product.b_step = product.depth * product.n;
  product.c_step = product.m * product.n;
  return MultiplyMatrices<T>(product, stack, exec);
}

}  // namespace

<%= read(k) %>

<%= infer_shapes(k) %>

Status Compute(const <%= k.attrs %>&, Inputs inputs, Outputs outputs, Exec& exec) {
  Problem problem;
  EP_RETURN_IF_ERROR(Resolve(inputs[0].shape, inputs[1].shape, &problem));
  switch (inputs[0].dtype) {
<%= cases(k.t, "Multiply", "problem, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  }
}

}  // namespace <%= ns %>
