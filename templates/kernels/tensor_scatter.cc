<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {
namespace {

// The axis of the sequence, which the batch comes before.
Status SequenceAxis(int64_t axis, const Shape& cache, size_t* index) {
  EP_RETURN_IF_ERROR(ResolveAxis(axis, cache.size(), index));
  return *index > 0 ? Status() : InvalidArgument("axis is that of the batch");
}

// Where the update of every sequence in the batch begins.
Status ReadStarts(const <%= k.attrs %>& attrs, const Tensor* given, int64_t batch, int64_t length, int64_t room,
                  std::vector<int64_t>* starts) {
  starts->assign(static_cast<size_t>(batch), 0);
  if (given != nullptr) EP_RETURN_IF_ERROR(ReadIntegers(*given, "write_indices", starts));
  if (static_cast<int64_t>(starts->size()) != batch) {
    return InvalidArgument(Text() << starts->size() << " write_indices for " << batch << " sequences");
  }
  for (int64_t& start : *starts) {
    if (start < 0 || (!attrs.circular && start > room - length)) {
      return InvalidArgument(Text() << length << " elements from " << start << " on do not fit into " << room);
    }
    if (attrs.circular && room > 0) start %= room;
  }
  return Status();
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  constexpr const char* kModes[] = {"linear", "circular"};
  size_t mode = 0;
  EP_RETURN_IF_ERROR(ReadChoice(node, "mode", kModes, &mode));
  attrs.circular = mode == 1;
  return node.Get("axis", &attrs.axis);
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  const Shape& cache = inputs[0].shape;
  const Shape& update = inputs[1].shape;
  size_t axis = 0;
  EP_RETURN_IF_ERROR(SequenceAxis(attrs.axis, cache, &axis));
  bool fits = update.size() == cache.size();
  for (size_t i = 0; fits && i < cache.size(); ++i) fits = i == axis ? update[i] <= cache[i] : update[i] == cache[i];
  if (!fits) return InvalidArgument(Text() << "an update of shape " << update << " for a cache of shape " << cache);
  shapes[0] = cache;
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& cache = inputs[0].shape;
  const Shape& update = inputs[1].shape;
  size_t axis = 0;
  std::vector<int64_t> starts;
  EP_RETURN_IF_ERROR(SequenceAxis(attrs.axis, cache, &axis));
  const int64_t room = cache[axis];
  const int64_t length = update[axis];
  EP_RETURN_IF_ERROR(ReadStarts(attrs, inputs.at(2), cache[0], length, room, &starts));
  const int64_t bytes = static_cast<int64_t>(SizeOf(inputs[0].dtype));
  if (bytes == 0) return UnsupportedType(<%= k.label | cpp_string %>, inputs[0].dtype);
  EP_RETURN_IF_ERROR(CopyBytes(exec, outputs[0].raw, inputs[0].raw, static_cast<size_t>(inputs[0].size() * bytes)));
  if (inputs[1].size() == 0) return Status();

  const int64_t rows = Product(cache, 0, axis);
  const int64_t rows_per_sequence = rows / cache[0];
  const int64_t item = Product(cache, axis + 1, cache.size()) * bytes;
  const char* x = inputs[1].data<char>();
  char* y = outputs[0].data<char>();
  ParallelFor(exec, rows, length * item / 8 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t start = starts[static_cast<size_t>(row / rows_per_sequence)];
      // What does not fit behind `start`, in a circular cache, goes to its front.
      const int64_t first = length < room - start ? length : room - start;
      const char* from = x + row * length * item;
      char* to = y + row * room * item;
      std::memcpy(to + start * item, from, static_cast<size_t>(first * item));
      std::memcpy(to, from + first * item, static_cast<size_t>((length - first) * item));
    }
  });
  return Status();
}

}  // namespace <%= ns %>
