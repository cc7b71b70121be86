<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/positions.h"

namespace <%= ns %> {
namespace {

// How many of the first axes number the batches.
Status BatchAxes(<% if k.attributes %>int64_t batch_dims, <% endif %>const Shape& data, const Shape& indices, size_t* batch) {
<% if k.attributes %>
  const size_t rank = data.size() < indices.size() ? data.size() : indices.size();
  if (batch_dims < 0 || batch_dims >= static_cast<int64_t>(rank)) {
    return InvalidArgument(Text() << "batch_dims " << batch_dims << " for data of shape " << data << " and indices of shape " << indices);
  }
  *batch = static_cast<size_t>(batch_dims);
  bool fits = true;
  for (size_t i = 0; i < *batch; ++i) fits = fits && data[i] == indices[i];
  fits = fits && indices.back() >= 1 && indices.back() <= static_cast<int64_t>(data.size() - *batch);
<% else %>
  *batch = 0;
  const bool fits = !indices.empty() && indices.back() >= 1 && indices.back() <= static_cast<int64_t>(data.size());
<% endif %>
  if (fits) return Status();
  return InvalidArgument(Text() << "indices of shape " << indices << " for data of shape " << data);
}

}  // namespace

<%= read(k) %>
<% set batch_dims = "attrs.batch_dims, " if k.attributes else "" %>
<% set attrs = " attrs" if k.attributes else "" %>

Status InferShapes(const <%= k.attrs %>&<%= attrs %>, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& data = inputs[0].shape;
  const Shape& indices = inputs[1].shape;
  size_t batch = 0;
  EP_RETURN_IF_ERROR(BatchAxes(<%= batch_dims %>data, indices, &batch));
  shapes[0].assign(indices.begin(), indices.end() - 1);
  const size_t indexed = batch + static_cast<size_t>(indices.back());
  shapes[0].insert(shapes[0].end(), data.begin() + static_cast<std::ptrdiff_t>(indexed), data.end());
  return CheckShape(shapes[0]);
}

Status Compute(const <%= k.attrs %>&<%= attrs %>, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& data = inputs[0].shape;
  const Shape& indices = inputs[1].shape;
  size_t batch = 0;
  std::vector<int64_t> slices;
  EP_RETURN_IF_ERROR(BatchAxes(<%= batch_dims %>data, indices, &batch));
  EP_RETURN_IF_ERROR(ReadTuples(inputs[1], data, batch, &slices));
  const size_t indexed = batch + static_cast<size_t>(indices.back());
  const int64_t slices_per_batch = Product(data, batch, indexed);
  const int64_t tuples_per_batch = Product(indices, batch, indices.size() - 1);
  const int64_t item = Product(data, indexed, data.size()) * static_cast<int64_t>(SizeOf(inputs[0].dtype));
  const char* from = inputs[0].data<char>();
  char* to = outputs[0].data<char>();
  ParallelFor(exec, static_cast<int64_t>(slices.size()), item / 8 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t slice = i / tuples_per_batch * slices_per_batch + slices[static_cast<size_t>(i)];
      std::memcpy(to + i * item, from + slice * item, static_cast<size_t>(item));
    }
  });
  return Status();
}

}  // namespace <%= ns %>
