<%= banner %>
#include "<%= k.header %>"

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/copy.h"

namespace <%= ns %> {
namespace {

// The lengths of pieces as equal as the version allows.
Status EqualPieces(const <%= k.attrs %>& attrs, int64_t length, std::vector<int64_t>* pieces) {
  const int64_t count = static_cast<int64_t>(attrs.outputs);
  const int64_t piece = length / count + (length % count == 0 ? 0 : 1);
  const int64_t last = length - piece * (count - 1);
  if (last < 0 || (last != piece && !attrs.uneven)) {
    return InvalidArgument(Text() << "cannot split " << length << " elements into " << count << " equal pieces");
  }
  pieces->assign(attrs.outputs, piece);
  pieces->back() = last;
  return Status();
}

// Checks the lengths that the node asks for.
Status CheckPieces(size_t outputs, int64_t length, const std::vector<int64_t>& pieces) {
  int64_t rest = length;
  bool fits = pieces.size() == outputs;
  for (int64_t piece : pieces) {
    fits = fits && piece >= 0 && piece <= rest;
    if (fits) rest -= piece;
  }
  if (fits && rest == 0) return Status();
  return InvalidArgument(Text() << "split " << pieces << " does not make " << outputs << " pieces of " << length << " elements");
}

Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, size_t* axis, std::vector<int64_t>* pieces) {
  const Shape& x = inputs[0].shape;
  EP_RETURN_IF_ERROR(CheckShape(x));
  EP_RETURN_IF_ERROR(ResolveAxis(attrs.axis, x.size(), axis));
  *pieces = attrs.split;
  if (inputs.has(1)) EP_RETURN_IF_ERROR(ReadIntegers(inputs[1], "split", pieces));
  if (pieces->empty()) return EqualPieces(attrs, x[*axis], pieces);
  return CheckPieces(attrs.outputs, x[*axis], *pieces);
}

}  // namespace

Status Read(const Node& node, <%= k.attrs %>& attrs) {
  int64_t num_outputs = 0;
  EP_RETURN_IF_ERROR(node.Get("axis", &attrs.axis));
  EP_RETURN_IF_ERROR(node.Get("split", &attrs.split));
  EP_RETURN_IF_ERROR(node.Get("num_outputs", &num_outputs, &attrs.uneven));
  attrs.outputs = node.OutputCount();
  if (attrs.uneven && num_outputs != static_cast<int64_t>(attrs.outputs)) {
    return InvalidArgument(Text() << "num_outputs is " << num_outputs << " for a node of " << attrs.outputs << " outputs");
  }
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  size_t axis = 0;
  std::vector<int64_t> pieces;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &axis, &pieces));
  for (size_t i = 0; i < pieces.size(); ++i) {
    shapes[i] = inputs[0].shape;
    shapes[i][axis] = pieces[i];
  }
  return Status();
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  const Shape& x = inputs[0].shape;
  size_t axis = 0;
  std::vector<int64_t> pieces;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &axis, &pieces));
  const int64_t rows = Product(x, 0, axis);
  const int64_t item = Product(x, axis + 1, x.size()) * static_cast<int64_t>(SizeOf(inputs[0].dtype));
  const char* from = inputs[0].data<char>();
  for (size_t i = 0; i < pieces.size(); ++i) {
    const int64_t y_row = pieces[i] * item;
    if (outputs.has(i)) {
      EP_RETURN_IF_ERROR(CopyRows(exec, outputs[i].raw, y_row, from, x[axis] * item, rows, y_row));
    }
    from += y_row;
  }
  return Status();
}

}  // namespace <%= ns %>
