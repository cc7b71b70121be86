<%= banner %>
#include "gen/kernels/support/channels_last.h"

#include <algorithm>

namespace <%= ns %> {

Shape NchwShape(const Shape& nhwc) {
  Shape nchw = nhwc;
  if (nchw.size() > 2) std::rotate(nchw.begin() + 1, nchw.end() - 1, nchw.end());
  return nchw;
}

Shape NhwcShape(const Shape& nchw) {
  Shape nhwc = nchw;
  if (nhwc.size() > 2) std::rotate(nhwc.begin() + 1, nhwc.begin() + 2, nhwc.end());
  return nhwc;
}

NchwInputs::NchwInputs(Inputs nhwc) : first_(nhwc[0]) {
  first_.shape = NchwShape(first_.shape);
  for (size_t i = 0; i < nhwc.size(); ++i) items_.push_back(nhwc.at(i));
  items_[0] = &first_;
}

}  // namespace <%= ns %>
