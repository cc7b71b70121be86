<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t q_heads = 0;
  int64_t kv_heads = 0;
  float scale = 0.0f;     // 0: one by the root of a key's size
  bool decays = false;    // the state fades from token to token
  bool corrects = false;  // a value is written as what the state does not say already
};

<%= functions(k) %>

}  // namespace <%= ns %>
