<%= banner %>
#include "gen/kernels/support/choice.h"

#include <string>

#include "gen/kernels/support/text.h"

namespace <%= ns %> {

Status ReadChoice(const Node& node, const char* attribute, const char* const* names, size_t count,
                  size_t* choice) {
  std::string text;
  EP_RETURN_IF_ERROR(node.Get(attribute, &text));
  if (text.empty()) return Status();
  for (size_t i = 0; i < count; ++i) {
    if (text != names[i]) continue;
    *choice = i;
    return Status();
  }
  return InvalidArgument(Text() << "unknown " << attribute << " '" << text.c_str() << "'");
}

}  // namespace <%= ns %>
