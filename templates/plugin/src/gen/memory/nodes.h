<%= banner %>
#pragma once

#include <utility>

namespace <%= ns %> {

// A node that goes into a container later without taking memory then.
template <class Container, class... Args>
typename Container::node_type MakeNode(Args&&... args) {
  Container one;
  return one.extract(one.emplace(std::forward<Args>(args)...).first);
}

}  // namespace <%= ns %>
