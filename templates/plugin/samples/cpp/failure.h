<%= banner %>
#pragma once

#include <stdexcept>

namespace sample {

// Something went wrong; the text says what, and what to do about it.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace sample
