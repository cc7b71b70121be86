<%= banner %>
#include "gen/graph/graph_node.h"

namespace <%= ns %> {

template <class T>
Status GraphNodeView::Find(const char* name, Attribute::Kind kind, T Attribute::* member, T* value,
                           bool* found) const {
  if (found != nullptr) *found = false;
  for (const Attribute& attribute : node_.attributes) {
    if (attribute.name != name) continue;
    if (attribute.kind != kind) {
      return InvalidArgument("attribute '" + attribute.name + "' is of the wrong kind");
    }
    *value = attribute.*member;
    if (found != nullptr) *found = true;
    break;
  }
  return Status();
}

Status GraphNodeView::Get(const char* name, int64_t* value, bool* found) const {
  return Find(name, Attribute::Kind::kInt, &Attribute::number, value, found);
}

Status GraphNodeView::Get(const char* name, float* value, bool* found) const {
  return Find(name, Attribute::Kind::kFloat, &Attribute::real, value, found);
}

Status GraphNodeView::Get(const char* name, std::string* value, bool* found) const {
  return Find(name, Attribute::Kind::kString, &Attribute::text, value, found);
}

Status GraphNodeView::Get(const char* name, std::vector<int64_t>* value, bool* found) const {
  return Find(name, Attribute::Kind::kInts, &Attribute::numbers, value, found);
}

Status GraphNodeView::Get(const char* name, std::vector<float>* value, bool* found) const {
  return Find(name, Attribute::Kind::kFloats, &Attribute::reals, value, found);
}

Status GraphNodeView::Get(const char* name, TensorValue* value, bool* found) const {
  return Find(name, Attribute::Kind::kTensor, &Attribute::tensor, value, found);
}
<% if strings_attributes %>

Status GraphNodeView::Get(const char* name, std::vector<std::string>* value, bool* found) const {
  return Find(name, Attribute::Kind::kStrings, &Attribute::texts, value, found);
}
<% endif %>

}  // namespace <%= ns %>
