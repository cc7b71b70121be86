<% from "kernels/parts.inc" import cases %>
<%= banner %>
#include "<%= k.header %>"

#include <cstring>

#include "gen/kernels/support/checks.h"
#include "gen/kernels/support/choice.h"
#include "gen/kernels/support/math.h"

namespace <%= ns %> {
namespace {

constexpr const char* kOp = <%= k.label | cpp_string %>;

enum In : size_t { kQuery, kKey, kValue, kPast, kDecay, kBeta };

struct Problem {
  int64_t batches = 0;
  int64_t tokens = 0;
  int64_t q_heads = 0;
  int64_t kv_heads = 0;
  int64_t key_size = 0;
  int64_t value_size = 0;
  int64_t decays = 0;  // per token
  int64_t betas = 0;   // likewise
};

// Columns of an input that has a row per token.
Status FindColumns(Inputs inputs, size_t input, const Problem& problem, int64_t* columns) {
  const Shape& shape = inputs[input].shape;
  const bool fits = shape.size() == 3 && shape[0] == problem.batches && shape[1] == problem.tokens;
  if (!fits) return BadShape(kOp, input, shape, "must be (batch, sequence, what belongs to a token)");
  *columns = shape[2];
  return Status();
}

// An input that the update rule needs, or cannot use.
Status CheckRule(Inputs inputs, size_t input, bool needed, const char* name) {
  if (inputs.has(input) == needed) return Status();
  return InvalidArgument(Text() << "the update rule " << (needed ? "needs " : "has no use for ") << name);
}

Status Resolve(const <%= k.attrs %>& attrs, Inputs inputs, Problem* problem) {
  EP_RETURN_IF_ERROR(CheckInputs(inputs));
  EP_RETURN_IF_ERROR(CheckRank(inputs[kQuery].shape, 3, "the query"));
  EP_RETURN_IF_ERROR(CheckRule(inputs, kDecay, attrs.decays, "decay"));
  EP_RETURN_IF_ERROR(CheckRule(inputs, kBeta, attrs.corrects, "beta"));
  Problem& p = *problem;
  p.batches = inputs[kQuery].shape[0];
  p.tokens = inputs[kQuery].shape[1];
  p.q_heads = attrs.q_heads;
  p.kv_heads = attrs.kv_heads;
  int64_t query = 0, key = 0, value = 0;
  EP_RETURN_IF_ERROR(FindColumns(inputs, kQuery, p, &query));
  EP_RETURN_IF_ERROR(FindColumns(inputs, kKey, p, &key));
  EP_RETURN_IF_ERROR(FindColumns(inputs, kValue, p, &value));
  if (query % p.q_heads != 0) return BadShape(kOp, kQuery, inputs[kQuery].shape, "must be divided by q_num_heads");
  p.key_size = query / p.q_heads;
  if (key % p.kv_heads != 0 || key / p.kv_heads != p.key_size) {
    return BadShape(kOp, kKey, inputs[kKey].shape, "must have heads of the size of the query's");
  }
  if (value % p.kv_heads != 0) return BadShape(kOp, kValue, inputs[kValue].shape, "must be divided by kv_num_heads");
  p.value_size = value / p.kv_heads;
  if (attrs.decays) EP_RETURN_IF_ERROR(FindColumns(inputs, kDecay, p, &p.decays));
  if (attrs.decays && p.decays != p.kv_heads && p.decays != key) {
    return BadShape(kOp, kDecay, inputs[kDecay].shape, "must have one number per head, or as many as the key");
  }
  if (attrs.corrects) EP_RETURN_IF_ERROR(FindColumns(inputs, kBeta, p, &p.betas));
  if (attrs.corrects && p.betas != p.kv_heads && p.betas != 1) {
    return BadShape(kOp, kBeta, inputs[kBeta].shape, "must have one number, or one per head");
  }
  const Shape state{p.batches, p.kv_heads, p.key_size, p.value_size};
  if (inputs.has(kPast) && inputs[kPast].shape != state) {
    return BadShape(kOp, kPast, inputs[kPast].shape, "must be (batch, heads, size of a key, size of a value)");
  }
  return Status();
}

// One head of keys and values, and the heads of queries that read its state. The state has a row per
// element of a key; a row is as long as a value.
template <class T>
class Head {
 public:
  Head(const Problem& problem, Inputs inputs, int64_t batch, int64_t head)
      : p_(problem), inputs_(inputs), batch_(batch), head_(head) {}

  // `written` has room for a value.
  void Run(T scale, T* state, T* written, T* y) const {
    for (int64_t t = 0; t < p_.tokens; ++t) {
      const int64_t token = batch_ * p_.tokens + t;
      if (inputs_.has(kDecay)) Fade(token, state);
      Write(token, written, state);
      Read(token, scale, state, y);
    }
  }

 private:
  const T* Row(size_t input, int64_t token, int64_t columns) const {
    return inputs_[input].template data<T>() + token * columns;
  }

  void Fade(int64_t token, T* state) const {
    const T* decay = Row(kDecay, token, p_.decays);
    const bool one = p_.decays == p_.kv_heads;
    for (int64_t d = 0; d < p_.key_size; ++d) {
      const T factor = Exp(decay[one ? head_ : head_ * p_.key_size + d]);
      T* row = state + d * p_.value_size;
      for (int64_t m = 0; m < p_.value_size; ++m) row[m] *= factor;
    }
  }

  void Write(int64_t token, T* written, T* state) const {
    const int64_t size = p_.value_size;
    const T* key = Row(kKey, token, p_.kv_heads * p_.key_size) + head_ * p_.key_size;
    const T* value = Row(kValue, token, p_.kv_heads * size) + head_ * size;
    for (int64_t m = 0; m < size; ++m) written[m] = value[m];
    if (inputs_.has(kBeta)) {
      for (int64_t d = 0; d < p_.key_size; ++d) {
        const T* row = state + d * size;
        for (int64_t m = 0; m < size; ++m) written[m] -= key[d] * row[m];
      }
      const T beta = Row(kBeta, token, p_.betas)[p_.betas == 1 ? 0 : head_];
      for (int64_t m = 0; m < size; ++m) written[m] *= beta;
    }
    for (int64_t d = 0; d < p_.key_size; ++d) {
      T* row = state + d * size;
      for (int64_t m = 0; m < size; ++m) row[m] += key[d] * written[m];
    }
  }

  void Read(int64_t token, T scale, const T* state, T* y) const {
    const int64_t size = p_.value_size;
    const int64_t group = p_.q_heads / p_.kv_heads;
    for (int64_t h = head_ * group; h < (head_ + 1) * group; ++h) {
      const T* query = Row(kQuery, token, p_.q_heads * p_.key_size) + h * p_.key_size;
      T* to = y + (token * p_.q_heads + h) * size;
      for (int64_t m = 0; m < size; ++m) to[m] = T{};
      for (int64_t d = 0; d < p_.key_size; ++d) {
        const T factor = scale * query[d];
        const T* row = state + d * size;
        for (int64_t m = 0; m < size; ++m) to[m] += factor * row[m];
      }
    }
  }

  const Problem& p_;
  Inputs inputs_;
  int64_t batch_;
  int64_t head_;
};

template <class T>
Status Run(const <%= k.attrs %>& attrs, const Problem& p, Inputs inputs, Outputs outputs, Exec& exec) {
  const int64_t heads = p.batches * p.kv_heads;
  const int64_t size = p.key_size * p.value_size;
  if (heads == 0) return Status();
  void* scratch = nullptr;
  EP_RETURN_IF_ERROR(exec.Scratch(static_cast<size_t>(heads * p.value_size) * sizeof(T), &scratch));
  T* written = static_cast<T*>(scratch);
  T* states = outputs[1].data<T>();
  T* y = outputs[0].data<T>();
  const T scale = attrs.scale == 0 ? 1 / Sqrt(static_cast<T>(p.key_size)) : static_cast<T>(attrs.scale);
  const int64_t cost = p.tokens * size * (3 + p.q_heads / p.kv_heads);
  ParallelFor(exec, heads, cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* state = states + i * size;
      if (inputs.has(kPast)) {
        std::memcpy(state, inputs[kPast].data<T>() + i * size, static_cast<size_t>(size) * sizeof(T));
      } else {
        for (int64_t e = 0; e < size; ++e) state[e] = T{};
      }
      Head<T>(p, inputs, i / p.kv_heads, i % p.kv_heads).Run(scale, state, written + i * p.value_size, y);
    }
  });
  return Status();
}

}  // namespace

// chunk_size is a hint for those that compute many tokens at once.
Status Read(const Node& node, <%= k.attrs %>& attrs) {
  constexpr const char* kRules[] = {"linear", "gated", "delta", "gated_delta"};
  size_t rule = 3;
  EP_RETURN_IF_ERROR(ReadChoice(node, "update_rule", kRules, &rule));
  EP_RETURN_IF_ERROR(node.Get("q_num_heads", &attrs.q_heads));
  EP_RETURN_IF_ERROR(node.Get("kv_num_heads", &attrs.kv_heads));
  EP_RETURN_IF_ERROR(node.Get("scale", &attrs.scale));
  if (attrs.kv_heads <= 0 || attrs.q_heads <= 0 || attrs.q_heads % attrs.kv_heads != 0) {
    return InvalidArgument("q_num_heads must be a multiple of kv_num_heads");
  }
  attrs.decays = rule == 1 || rule == 3;
  attrs.corrects = rule == 2 || rule == 3;
  return Status();
}

Status InferShapes(const <%= k.attrs %>& attrs, Inputs inputs, Shapes& shapes) {
  Problem p;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &p));
  EP_RETURN_IF_ERROR(CheckShape({p.batches, p.tokens, p.q_heads, p.value_size}));
  shapes[0] = {p.batches, p.tokens, p.q_heads * p.value_size};
  shapes[1] = {p.batches, p.kv_heads, p.key_size, p.value_size};
  return CheckShape(shapes[1]);
}

Status Compute(const <%= k.attrs %>& attrs, Inputs inputs, Outputs outputs, Exec& exec) {
  Problem problem;
  EP_RETURN_IF_ERROR(Resolve(attrs, inputs, &problem));
  switch (inputs[kQuery].dtype) {
<%= cases(k.t, "Run", "attrs, problem, inputs, outputs, exec") -%>
    default:
      return UnsupportedType(kOp, inputs[kQuery].dtype);
  }
}

}  // namespace <%= ns %>
