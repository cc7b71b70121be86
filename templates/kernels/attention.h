<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  bool is_causal = false;
  int64_t q_heads = 0;   // where heads are side by side in a row
  int64_t kv_heads = 0;  // likewise
  bool has_scale = false;
  float scale = 0.0f;
  float softcap = 0.0f;  // 0: none
  int64_t left = -1;     // keys before the query's own position that it sees; -1: all
  int64_t right = -1;    // keys after it
  int64_t shown = 0;     // the step of ScoreStep that is an output
};

<%= functions(k) %>

}  // namespace <%= ns %>
