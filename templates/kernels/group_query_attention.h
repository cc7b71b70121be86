<% from "kernels/parts.inc" import opening, functions %>
<%= banner %>
<%= opening(k, ns, std=("cstdint",)) %>
// <%= k.about | cpp_comment %>
struct <%= k.attrs %> {
  int64_t num_heads = 0;
  int64_t kv_num_heads = 0;
  float scale = 0.0f;  // 0: that of the depth
  float softcap = 0.0f;
  bool causal = true;
  int64_t window = -1;  // keys that a query sees, itself among them; -1: all before it
  bool sliding = false;  // the cache holds little more than the window
  bool rotary = false;
  bool interleaved = false;
  bool smooth = false;  // softmax has a score of 0 more
  float q_epsilon = 1e-6f;
  float k_epsilon = 1e-6f;
  int64_t shown = 0;  // scores in the last output: 1 before softmax, 2 after it
};

<%= functions(k) %>

}  // namespace <%= ns %>
