<%= banner %>
#include "gen/kernels/support/errors.h"

#include "gen/kernels/support/text.h"

namespace <%= ns %> {

Status UnsupportedType(const char* op, DType dtype) {
  return NotImplemented(Text() << op << ": there is no kernel for " << NameOf(dtype));
}

Status BadShape(const char* op, size_t input, const Shape& shape, const char* what) {
  return InvalidArgument(Text() << op << ": input " << input << " of shape " << shape << " " << what);
}

}  // namespace <%= ns %>
