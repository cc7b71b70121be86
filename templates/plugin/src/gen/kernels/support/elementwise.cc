<%= banner %>
#include "gen/kernels/support/elementwise.h"

namespace <%= ns %> {

Status SameShape(Inputs inputs, Shapes& shapes) {
  shapes[0] = inputs[0].shape;
  return Status();
}

}  // namespace <%= ns %>
